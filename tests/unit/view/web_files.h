/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_VIEW_WEB_FILES_H
#define TESTS_UNIT_VIEW_WEB_FILES_H
/* Small files that are looked at, and questions to them. */
#include "../temp_fixture.h"

#include "core/output.h"
#include "view/web/answer.h"

/*
 * Calls by hand, in microseconds. Thread 7: main 0..100, in it work 10..30 with leaf 12..20, and
 * work 40..70 with leaf 45..50. Thread 9: main 5..15, then open from 20 on, which does not end.
 */
#define SPAN(name, thread, at, duration)                                                           \
	"{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #thread ",\"ts\":" #at            \
	",\"dur\":" #duration "},\n"
static const char spans[] = "[" SPAN("main", 7, 0, 100) SPAN("work", 7, 10, 20) SPAN(
	"leaf", 7, 12, 8) SPAN("work", 7, 40, 30) SPAN("leaf", 7, 45, 5)
	SPAN("main", 9, 5, 10) "{\"ph\":\"B\",\"name\":\"open\",\"pid\":1,\"tid\":9,\"ts\":20}]\n";

/* Sums by hand: stacks and how many samples they have. */
static const char stacks_before[] = "main 10\nmain;work 40\nmain;work;leaf 20\nmain;leaf 30\n";
static const char stacks_behind[] = "main 10\nmain;work 50\nmain;work;leaf 20\nmain;other<T> 5\n";

struct looked_at {
	const char *paths[2];
	struct tl_web_file files[2];
	struct tl_input_options options;
	struct tl_web_view *view;
};

static inline void look_at(struct looked_at *l, const char *first, const char *second)
{
	struct tl_error err;
	const char *failed;

	*l = (struct looked_at){ .paths = { first, second } };
	l->options = (struct tl_input_options){
		.size = sizeof(l->options),
		.filter = { .process = TL_NOWHERE, .thread = TL_NOWHERE, .cpu = TL_NOWHERE },
	};
	for (size_t i = 0; i < 2; i++)
		l->files[i] = (struct tl_web_file){ .paths = &l->paths[i],
						    .path_count = 1,
						    .options = &l->options };
	assert_int_equal(tl_web_view_open(&l->view, l->files, second ? 2 : 1, &failed, &err), 0);
}

static inline void look_away(struct looked_at *l)
{
	tl_web_view_close(l->view);
}

/* The answer to a path and a list of keys and values, which ends with NULL; to be discarded. */
static inline struct tl_web_answer ask_for(struct looked_at *l, const char *path,
					   const char *const *parameters)
{
	static const struct tl_web_asker asker = { NULL, NULL };
	struct tl_web_request request;
	struct tl_web_answer answer;
	struct tl_error err;

	tl_web_request_begin(&request, path);
	for (; *parameters; parameters += 2)
		assert_true(tl_web_request_take(&request, parameters[0], parameters[1]));
	assert_int_equal(tl_web_answer_make(l->view, &request, &asker, &answer, &err), 0);
	return answer;
}

/* The parameters end with NULL. */
#define ASK(l, path, ...) ask_for(l, path, (const char *const[]){ __VA_ARGS__ })

static inline const char *text_of(const struct tl_web_answer *answer)
{
	static char text[65536];
	size_t size;
	const char *bytes = tl_output_bytes(answer->out, &size);

	assert_true(size < sizeof(text));
	memcpy(text, bytes, size);
	text[size] = '\0';
	return text;
}

static inline void want_answer(struct tl_web_answer answer, unsigned code, const char *expected)
{
	assert_int_equal(answer.code, code);
	assert_string_equal(text_of(&answer), expected);
	tl_output_discard(answer.out);
}

/* Parts of an answer, in their order. */
static inline void want_parts(struct tl_web_answer answer, const char *const *parts, size_t count)
{
	const char *text = text_of(&answer), *at = text;

	assert_int_equal(answer.code, 200);
	for (size_t i = 0; i < count; i++) {
		at = strstr(at, parts[i]);
		if (!at)
			fail_msg("no %s (in this order) in %s", parts[i], text);
	}
	tl_output_discard(answer.out);
}

#define WANT_PARTS(answer, ...)                                                                    \
	want_parts(answer, (const char *const[]){ __VA_ARGS__ },                                   \
		   sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

/* The index is made on a thread of its own. */
static inline void wait_for_index(struct looked_at *l)
{
	for (unsigned i = 0; i < 3000; i++) {
		struct tl_web_answer answer = ASK(l, "/api/state", NULL);
		bool busy = strstr(text_of(&answer), "\"index\":\"busy\"");

		tl_output_discard(answer.out);
		if (!busy)
			return;
		usleep(10000);
	}
	fail_msg("the index is not made");
}

#endif
