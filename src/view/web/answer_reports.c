/* SPDX-License-Identifier: Apache-2.0 */
/* Flame graphs, annotation and differences: what the library's own reports say, as JSON. */
#include <stdlib.h>
#include <string.h>

#include <tracelathe/export.h>

#include "core/error.h"
#include "core/output.h"
#include "view/code/binaries.h"
#include "view/web/answer.h"

/* ---- two profiles, or one ---- */

struct pair {
	struct tl_web_document *documents[2];
	struct tl_web_profile *profiles[2];
};

static void put_pair(struct pair *pair)
{
	for (int i = 0; i < 2; i++)
		if (pair->documents[i])
			tl_web_profile_put(pair->documents[i], pair->profiles[i]);
}

/* The profiles of both files, without a window: their times have nothing in common. */
static int get_pair(struct tl_web_question *question, struct pair *pair, struct tl_error *err)
{
	const struct tl_web_window all = { 0 };
	int status = 0;

	memset(pair, 0, sizeof(*pair));
	if (question->view->count < 2)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there is only one file, and nothing to compare it with");
	for (int i = 0; i < 2 && status == 0; i++) {
		pair->documents[i] = &question->view->documents[i];
		status = tl_web_profile_get(pair->documents[i], question->asker, &all,
					    TL_DETAIL_FUNCTIONS, &pair->profiles[i], err);
	}
	if (status < 0)
		put_pair(pair);
	return status;
}

/* ---- flame ---- */

static int write_flame(struct tl_web_question *question, const struct tl_profile *profile,
		       const struct tl_profile *baseline, struct tl_error *err)
{
	const struct tl_flame_options options = {
		.size = sizeof(options),
		.form = TL_FLAME_DATA,
		.threshold = -1,
		.name = question->document->file.paths[0],
	};

	return tl_flame_write(profile, baseline, &options, question->out, err);
}

static int flame_of_change(struct tl_web_question *question, struct tl_error *err)
{
	struct pair pair;
	int status = get_pair(question, &pair, err);

	if (status < 0)
		return status;
	status = write_flame(question, pair.profiles[1]->profile, pair.profiles[0]->profile, err);
	put_pair(&pair);
	return status;
}

int tl_web_answer_flame(struct tl_web_question *question, struct tl_error *err)
{
	const struct tl_web_window window = tl_web_asked_window(question);
	struct tl_web_profile *profile;
	int status;

	if (question->request->baseline)
		return flame_of_change(question, err);
	status = tl_web_profile_get(question->document, question->asker, &window,
				    TL_DETAIL_FUNCTIONS, &profile, err);
	if (status < 0)
		return status;
	pthread_mutex_lock(&profile->reports);
	status = write_flame(question, profile->profile, NULL, err);
	pthread_mutex_unlock(&profile->reports);
	tl_web_profile_put(question->document, profile);
	return status;
}

/* ---- differences ---- */

int tl_web_answer_diff(struct tl_web_question *question, struct tl_error *err)
{
	const struct tl_diff_options options = {
		.size = sizeof(options),
		.by = TL_DIFF_FUNCTIONS,
		.inclusive = question->request->inclusive,
	};
	const struct tl_report_options look = { .size = sizeof(look), .form = TL_REPORT_JSON };
	struct tl_diff *diff = NULL;
	struct pair pair;
	int status = get_pair(question, &pair, err);

	if (status < 0)
		return status;
	status = tl_profile_diff(&diff, pair.profiles[0]->profile, pair.profiles[1]->profile,
				 &options, err);
	if (status == 0)
		status = tl_report_diff(diff, &look, question->out, err);
	tl_diff_free(diff);
	put_pair(&pair);
	return status;
}

/* ---- annotation ---- */

/* A pattern that matches a name and nothing else. @return to be freed, NULL: no memory */
static char *pattern_of(const char *name)
{
	char *pattern = malloc(2 * strlen(name) + 3), *p = pattern;

	if (!pattern)
		return NULL;
	*p++ = '^';
	for (; *name; name++) {
		if (strchr("\\^$.[]|()?*+{}", *name))
			*p++ = '\\';
		*p++ = *name;
	}
	*p++ = '$';
	*p = 0;
	return pattern;
}

/* Choose the function that is asked for. Without a name all are chosen. */
static int choose(struct tl_profile *profile, const struct tl_web_request *request,
		  struct tl_error *err)
{
	struct tl_profile_filter filter = { .size = sizeof(filter) };
	char *name = request->name ? pattern_of(request->name) : NULL;
	char *object = request->object && *request->object ? pattern_of(request->object) : NULL;
	int status = TL_NO_MEMORY;

	filter.function = name;
	filter.object = object;
	if ((name || !request->name) && (object || !request->object || !*request->object))
		status = tl_profile_choose(profile, &filter, err);
	else
		tl_error_memory(err);
	free(name);
	free(object);
	return status;
}

/* Under the profile's lock: functions are chosen, and the decoder's code is read. */
static int annotate(struct tl_web_question *question, struct tl_web_profile *profile,
		    struct tl_error *err)
{
	const struct tl_report_options look = { .size = sizeof(look), .form = TL_REPORT_JSON };
	struct tl_annotate_options what = {
		.size = sizeof(what),
		.source_dirs = question->view->source_dirs,
		.source_dir_count = question->view->source_dir_count,
		.threshold = 100,
		.context = -1,
		.assembly = question->request->assembly,
		.code = tl_view_code_of,
		.code_arg = profile->input,
		.code_machine = tl_view_machine_of(profile->input),
		.binary = tl_view_binary_of,
	};
	struct tl_view_binaries binaries;
	int status = choose(profile->profile, question->request, err);

	if (status < 0)
		return status;
	if (!tl_view_binaries_open(&binaries, question->document->file.options))
		return tl_error_memory(err);
	what.binaries = binaries.list;
	what.binary_count = binaries.count;
	status = tl_report_annotate(profile->profile, &what, &look, question->out, err);
	tl_view_binaries_close(&binaries);
	return status;
}

int tl_web_answer_annotate(struct tl_web_question *question, struct tl_error *err)
{
	const struct tl_web_window window = tl_web_asked_window(question);
	struct tl_web_profile *profile;
	int status = tl_web_profile_get(question->document, question->asker, &window,
					TL_DETAIL_LINES, &profile, err);

	if (status < 0)
		return status;
	pthread_mutex_lock(&profile->reports);
	status = annotate(question, profile, err);
	pthread_mutex_unlock(&profile->reports);
	tl_web_profile_put(question->document, profile);
	return status;
}
