/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that runs out while a file is opened, indexed and asked about: what the page gets is the
 * right answer, or one that says so.
 */
#include "../refuse.h"
#include "web_files.h"

struct question {
	const char *first, *second;        /* names of files; the second one may be NULL */
	const char *path, *parameters[10]; /* NULL: a page that has all answers */
};

static bool is_busy(struct tl_web_document *document)
{
	bool busy;

	pthread_mutex_lock(&document->lock);
	busy = document->index_state == TL_WEB_INDEX_BUSY;
	pthread_mutex_unlock(&document->lock);
	return busy;
}

/* Without a question, whose allocations would be others each time. */
static void wait_without_asking(struct tl_web_view *view)
{
	for (size_t i = 0; i < view->count; i++)
		while (is_busy(&view->documents[i]))
			usleep(200);
}

static int ask(struct tl_web_view *view, const struct question *question, uint64_t *digest)
{
	static const struct tl_web_asker asker = { NULL, NULL };
	struct tl_web_request request;
	struct tl_web_answer answer;
	const void *bytes;
	size_t size;
	int status;

	tl_web_request_begin(&request, question->path);
	for (const char *const *p = question->parameters; *p; p += 2)
		assert_true(tl_web_request_take(&request, p[0], p[1]));
	status = tl_web_answer_make(view, &request, &asker, &answer, NULL);
	if (status < 0)
		return status;
	bytes = tl_output_bytes(answer.out, &size);
	refuse_note_number(digest, answer.code);
	refuse_note(digest, bytes, size);
	status = answer.why.status;
	tl_output_discard(answer.out);
	return status;
}

/*
 * The page without a server, with all that it would ask, and its calls. Its first answer is the
 * state, which says how much memory the index has: more, where that could not be given back.
 */
static int write_page(struct tl_web_view *view, uint64_t *digest)
{
	struct tl_output *out;
	struct tl_error err;
	const char *failed, *bytes, *behind;
	size_t size;
	int status = tl_output_open_memory(&out, NULL);

	if (status < 0)
		return status;
	status = tl_web_view_write(view, out, &failed, &err);
	if (status == 0)
		status = tl_output_failed(out) ? TL_NO_MEMORY : 0;
	bytes = tl_output_bytes(out, &size);
	behind = status ? NULL : memmem(bytes, size, "\"/api/info", 10);
	assert_true(status || behind);
	if (behind)
		refuse_note(digest, behind, size - (size_t)(behind - bytes));
	tl_output_discard(out);
	return status;
}

static int open_and_ask(const void *input, uint64_t *digest)
{
	const struct question *question = input;
	char first[512], second[512];
	const char *paths[] = { first, second }, *failed;
	struct tl_input_options options = {
		.size = sizeof(options),
		.filter = { .process = TL_NOWHERE, .thread = TL_NOWHERE, .cpu = TL_NOWHERE },
		.jobs = 1,
	};
	struct tl_web_file files[2];
	struct tl_web_view *view;
	int status;

	strcpy(first, temp_path(&temp, question->first));
	if (question->second)
		strcpy(second, temp_path(&temp, question->second));
	for (size_t i = 0; i < 2; i++)
		files[i] = (struct tl_web_file){ .paths = &paths[i],
						 .path_count = 1,
						 .options = &options };
	status = tl_web_view_open(&view, files, question->second ? 2 : 1, &failed, NULL);
	if (status == 0) {
		wait_without_asking(view);
		status = question->path ? ask(view, question, digest) : write_page(view, digest);
	}
	tl_web_view_close(view);
	return status;
}

TEST(answers_without_memory)
{
	static const struct question questions[] = {
		{ "spans.json", NULL, "/api/info", { NULL } },
		{ "spans.json", NULL, "/api/profile", { NULL } },
		{ "spans.json", NULL, "/api/profile", { "from", "10000", "to", "30000" } },
		{ "spans.json", NULL, "/api/profile", { "since", "0.00001", "until", "0.00003" } },
		{ "spans.json", NULL, "/api/flame", { NULL } },
		{ "spans.json", NULL, "/api/annotate", { "name", "work" } },
		{ "spans.json", NULL, "/api/stack", { "tracks", "0", "at", "47000" } },
		{ "spans.json", NULL, "/api/names", { "functions", "2,1" } },
		{ "spans.json", NULL, "/api/durations", { "name", "work" } },
		{ "spans.json",
		  NULL,
		  "/api/find",
		  { "tracks", "0", "functions", "1", "at", "0", "back", "0" } },
		{ "spans.json",
		  NULL,
		  "/api/window",
		  { "tracks", "0,1", "from", "0", "to", "35000", "pixels", "1000" } },
		{ "events.json",
		  NULL,
		  "/api/events",
		  { "tracks", "0,1", "from", "0", "to", "100000", "pixels", "1000" } },
		{ "spans.json",
		  NULL,
		  "/api/gaps",
		  { "tracks", "0,1", "from", "0", "to", "35000" } },
		{ "before.folded", "behind.folded", "/api/diff", { NULL } },
		{ "before.folded", "behind.folded", "/api/flame", { "baseline", "1" } },
	};

	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		uint64_t digest = 0;

		if (open_and_ask(&questions[i], &digest))
			fail_msg("%s is not answered", questions[i].path);
		print_message("%5u %s\n", (unsigned)refuse_each(open_and_ask, &questions[i]),
			      questions[i].path);
	}
}

TEST(pages_without_memory)
{
	static const struct question pages[] = {
		{ "spans.json", NULL, NULL, { NULL } },
		{ "before.folded", "behind.folded", NULL, { NULL } },
	};

	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		print_message("%5u page of %s\n", (unsigned)refuse_each(open_and_ask, &pages[i]),
			      pages[i].first);
}

static int begin(void **state)
{
	static const char events[] =
		"[" SPAN("main", 7, 0, 100) "{\"ph\":\"i\",\"name\":\"mark\",\"pid\":1,\"tid\":7,"
					    "\"ts\":5,\"args\":{\"a\":1}},"
					    "{\"ph\":\"C\",\"name\":\"heap\",\"pid\":1,\"tid\":7,"
					    "\"ts\":6,\"args\":{\"b\":2}}]";

	temp_setup(state);
	temp_write(&temp, "spans.json", spans, strlen(spans));
	temp_write(&temp, "events.json", events, strlen(events));
	temp_write(&temp, "before.folded", stacks_before, strlen(stacks_before));
	temp_write(&temp, "behind.folded", stacks_behind, strlen(stacks_behind));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_without_memory),
		cmocka_unit_test(pages_without_memory),
	};

	return cmocka_run_group_tests(tests, begin, temp_teardown);
}
