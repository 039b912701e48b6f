/* SPDX-License-Identifier: Apache-2.0 */
#include "view/web/answer.h"

#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "view/web/page.h"

static const char JSON[] = "application/json";

static int put_page(struct tl_web_question *question, struct tl_error *err)
{
	(void)err;
	tl_output_write(question->out, tl_web_page.text, tl_web_page.size);
	return 0;
}

static const struct {
	const char *path, *type;
	tl_web_answer_fn *make;
} routes[] = {
	{ "/", "text/html; charset=utf-8", put_page },
	{ "/api/state", JSON, tl_web_answer_state },
	{ "/api/info", JSON, tl_web_answer_info },
	{ "/api/changes", JSON, tl_web_answer_changes },
	{ "/api/profile", JSON, tl_web_answer_profile },
	{ "/api/flame", JSON, tl_web_answer_flame },
	{ "/api/annotate", JSON, tl_web_answer_annotate },
	{ "/api/diff", JSON, tl_web_answer_diff },
	{ "/api/window", "application/octet-stream", tl_web_answer_window },
	{ "/api/gaps", JSON, tl_web_answer_gaps },
	{ "/api/events", JSON, tl_web_answer_events },
	{ "/api/names", JSON, tl_web_answer_names },
	{ "/api/stack", JSON, tl_web_answer_stack },
	{ "/api/instructions", JSON, tl_web_answer_instructions },
	{ "/api/find", JSON, tl_web_answer_find },
	{ "/api/durations", JSON, tl_web_answer_durations },
};
enum { ROUTES = sizeof(routes) / sizeof(routes[0]), NO_ROUTE = ROUTES };

static unsigned find_route(const char *path)
{
	for (unsigned i = 0; i < ROUTES; i++)
		if (!strcmp(routes[i].path, path))
			return i;
	return NO_ROUTE;
}

void tl_web_put_text(struct tl_output *out, const char *name, const char *text)
{
	tl_put_text(out, name);
	tl_put_json(out, text, strlen(text));
}

void tl_web_put_number(struct tl_output *out, const char *name, uint64_t number)
{
	tl_put_text(out, name);
	tl_put_u64(out, number);
}

/* JSON in which no '<' stands: in JSON it can only be part of a string. */
void tl_web_put_enclosed(struct tl_output *out, const char *json, size_t size)
{
	const char *end = json + size, *found;

	for (; json < end; json = found + 1) {
		found = memchr(json, '<', (size_t)(end - json));
		tl_output_write(out, json, (size_t)((found ? found : end) - json));
		if (!found)
			break;
		tl_put_text(out, "\\u003c");
	}
}

struct tl_web_window tl_web_asked_window(const struct tl_web_question *question)
{
	const struct tl_web_request *request = question->request;

	return (struct tl_web_window){ request->from_seconds, request->to_seconds, request->from,
				       request->to };
}

static unsigned code_of(int status)
{
	if (status == TL_BAD_USAGE)
		return 400;
	return status == TL_NO_MEMORY ? 503 : 422;
}

static void put_error(struct tl_output *out, const struct tl_error *err)
{
	tl_web_put_text(out, "{\"error\":", err->text ? err->text : "this cannot be shown");
	if (err->offset != TL_NOWHERE)
		tl_web_put_number(out, ",\"offset\":", err->offset);
	tl_put_text(out, "}\n");
}

/* Drop what was written, and say why. */
static int answer_error(struct tl_web_answer *answer, unsigned code, const struct tl_error *error,
			struct tl_error *err)
{
	int status;

	tl_output_discard(answer->out);
	answer->code = code;
	answer->type = JSON;
	answer->why = *error;
	status = tl_output_open_memory(&answer->out, err);
	if (status == 0)
		put_error(answer->out, error);
	return status;
}

static int run_route(unsigned route, struct tl_web_question *question, struct tl_error *err)
{
	const struct tl_web_request *request = question->request;

	if (request->file >= question->view->count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no such file");
	question->document = &question->view->documents[request->file];
	return routes[route].make(question, err);
}

int tl_web_answer_make(struct tl_web_view *view, const struct tl_web_request *request,
		       const struct tl_web_asker *asker, struct tl_web_answer *answer,
		       struct tl_error *err)
{
	struct tl_web_question question = { .view = view, .request = request, .asker = asker };
	struct tl_error error = { .offset = TL_NOWHERE, .record = TL_NOWHERE };
	unsigned route = find_route(request->path);
	int status;

	*answer = (struct tl_web_answer){ .out = NULL };
	if (route == NO_ROUTE) {
		error.status = TL_BAD_USAGE;
		error.text = "there is no such page";
		return answer_error(answer, 404, &error, err);
	}
	status = tl_output_open_memory(&answer->out, err);
	if (status < 0)
		return status;
	answer->code = 200;
	answer->type = routes[route].type;
	question.out = answer->out;
	status = run_route(route, &question, &error);
	error.status = status;
	if (status < 0)
		return answer_error(answer, code_of(status), &error, err);
	return 0;
}
