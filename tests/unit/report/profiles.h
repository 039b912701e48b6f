/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_REPORT_PROFILES_H
#define TESTS_UNIT_REPORT_PROFILES_H
/* Small profiles whose numbers can be checked by hand, and reports of them as strings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include <tracelathe/report.h>

#include "profile/fold/fold.h"
#include "profile/model/model.h"

enum { MAIN, FIB, NEVER };

/* A call or return of the hand-made trace. */
struct step {
	uint64_t time;
	bool enter;
	uint32_t function;
};

static inline void add_thread(struct tl_profile *profile, uint64_t thread, const struct step *steps,
			      size_t count, const uint32_t *functions)
{
	struct tl_part part = { .process = 1, .thread = thread, .command = "", .header = "" };
	struct tl_fold fold;

	assert_true(tl_fold_begin(&fold, 0, true));
	for (uint32_t i = 0; i <= NEVER; i++)
		assert_int_equal(tl_fold_add_function(&fold), i);
	for (size_t i = 0; i < count; i++) {
		tl_fold_time(&fold, steps[i].time);
		if (steps[i].enter)
			tl_fold_enter(&fold, steps[i].function);
		else
			tl_fold_leave(&fold, steps[i].function);
	}
	fold.records = count;
	tl_fold_end(&fold);
	assert_int_equal(tl_fold_into(&fold, profile, &part, functions, true, NULL), 0);
	tl_fold_free(&fold);
}

/*
 * Two threads, a tick is a nanosecond.
 *
 *   thread 10  main 100..200, in it fib 110..170 (in it fib 120..150) and fib 180..190; at 210 an
 *              exit of no
 * entry thread 11  main 105.. never ends, in it fib 115..125
 *
 *   main  inclusive 100 + 20 = 120, self (100 - 60 - 10) + (20 - 10) = 40; one finished call of
 *         100, one
 * unfinished fib   inclusive 60 + 10 + 10 = 80 (recursion once), self 30 + 30 + 10 + 10 = 80; calls
 *                  of 10,
 * 10, 30, 60
 */
static inline struct tl_profile *timed_profile(uint64_t frequency)
{
	static const struct step first[] = {
		{ 100, true, MAIN }, { 110, true, FIB },   { 120, true, FIB },
		{ 150, false, FIB }, { 170, false, FIB },  { 180, true, FIB },
		{ 190, false, FIB }, { 200, false, MAIN }, { 210, false, FIB },
	};
	static const struct step second[] = { { 105, true, MAIN },
					      { 115, true, FIB },
					      { 125, false, FIB } };
	const struct tl_event ticks = { "Ticks", "", "ticks", "" };
	const struct tl_function functions[] = {
		{ "main", "prog", "src/main.c", 1, 0x1000, 3 },
		{ "fib", "prog", "src/a,b.c", 2, 0x2000, 7 },
		{ "never", "prog", "src/main.c", 3, 0x3000, 9 },
	};
	struct tl_profile *profile;
	uint32_t numbers[3];

	assert_int_equal(tl_profile_make(&profile, "xray", &ticks, 1, frequency, NULL), 0);
	for (size_t i = 0; i < 3; i++)
		numbers[i] = (uint32_t)tl_profile_put_function(profile, &functions[i], NULL);
	profile->timed = true;
	add_thread(profile, 10, first, sizeof(first) / sizeof(first[0]), numbers);
	add_thread(profile, 11, second, sizeof(second) / sizeof(second[0]), numbers);
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	return profile;
}

static inline uint32_t add_function(struct tl_profile *profile, const char *name,
				    const char *object)
{
	struct tl_function function = {
		.name = name, .object = object, .file = "", .id = TL_NOWHERE
	};
	int64_t number = tl_profile_put_function(profile, &function, NULL);

	assert_true(number >= 0);
	return (uint32_t)number;
}

static inline void add_line(struct tl_profile *profile, uint32_t function, uint32_t part, int64_t a,
			    int64_t b)
{
	struct tl_cost_line line = { .function = function, .part = part, .at = { .file = "" } };
	int64_t cost[] = { a, b };

	assert_int_equal(tl_profile_put_line(profile, &line, cost, NULL), 0);
}

static inline void add_arc(struct tl_profile *profile, uint32_t caller, uint32_t callee,
			   uint32_t part, uint64_t calls, int64_t a, int64_t b)
{
	struct tl_arc arc = {
		.caller = caller,
		.callee = callee,
		.part = part,
		.from = { .file = "" },
		.to = { .file = "" },
		.calls = calls,
	};
	int64_t cost[] = { a, b };

	assert_int_equal(tl_profile_put_arc(profile, &arc, cost, NULL), 0);
}

/*
 * As a Callgrind file has it: no contexts, two events, thread 1 in two parts and thread 2 in one.
 *
 *   main  self 10+1, 20+2 and 5+0 (Ir+Dr)   calls f: 2 times 30+3, 1 time 40+4 (thread 1), once 7+1
 *         (thread
 * 2) f     self 30+3, 40+4 and 7+1
 */
static inline struct tl_profile *counted_profile(void)
{
	const struct tl_event events[] = { { "Ir", "", "instructions", "" }, { "Dr", "", "", "" } };
	const uint64_t threads[] = { 1, 1, 2 };
	struct tl_profile *profile;
	uint32_t main_function, f;

	assert_int_equal(tl_profile_make(&profile, "callgrind", events, 2, 0, NULL), 0);
	for (size_t i = 0; i < 3; i++) {
		struct tl_part part = { TL_NOWHERE, threads[i], i + 1, "", "", 0, 0, 0, { 0 } };

		assert_int_equal(tl_profile_put_part(profile, &part, NULL), i);
	}
	main_function = add_function(profile, "main", "prog");
	f = add_function(profile, "operator\"\"_x(char, int)", "lib.so");
	add_line(profile, main_function, 0, 10, 1);
	add_line(profile, f, 0, 30, 3);
	add_arc(profile, main_function, f, 0, 2, 30, 3);
	add_line(profile, main_function, 1, 20, 2);
	add_line(profile, f, 1, 40, 4);
	add_arc(profile, main_function, f, 1, 1, 40, 4);
	add_line(profile, main_function, 2, 5, 0);
	add_line(profile, f, 2, 7, 1);
	add_arc(profile, main_function, f, 2, 1, 7, 1);
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	return profile;
}

/*
 * The same thread in two parts, with contexts: main calls f and g in part 0, f in part 1.
 *
 *   part 0  main 1 call, self 10+1; f 2 calls, 30+3; g 1 call, 5+5
 *   part 1  main 1 call, self 20+2; f 1 call, 40+4
 */
static inline struct tl_profile *dumped_profile(void)
{
	const struct tl_event events[] = { { "Ir", "", "instructions", "" }, { "Dr", "", "", "" } };
	static const struct {
		uint32_t part;
		const char *name;
		uint64_t calls;
		int64_t cost[2];
	} rows[] = {
		{ 0, "main", 1, { 10, 1 } }, { 0, "f", 2, { 30, 3 } }, { 0, "g", 1, { 5, 5 } },
		{ 1, "main", 1, { 20, 2 } }, { 1, "f", 1, { 40, 4 } },
	};
	struct tl_profile *profile;
	uint32_t root = TL_NONE;

	assert_int_equal(tl_profile_make(&profile, "callgrind", events, 2, 0, NULL), 0);
	for (size_t i = 0; i < 2; i++) {
		struct tl_part part = { TL_NOWHERE, 1, i + 1, "", "", 0, 0, 0, { 0 } };

		assert_int_equal(tl_profile_put_part(profile, &part, NULL), i);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool is_root = !strcmp(rows[i].name, "main");
		uint32_t function = add_function(profile, rows[i].name, "prog");
		int64_t context = tl_profile_add_context(profile, is_root ? TL_NONE : root,
							 function, rows[i].part, NULL);

		assert_true(context >= 0);
		if (is_root)
			root = (uint32_t)context;
		tl_profile_add_context_cost(profile, (uint32_t)context, rows[i].calls,
					    rows[i].cost);
	}
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	return profile;
}

/* What an output has gathered, as a string to free(). */
static inline char *take_text(struct tl_output *out)
{
	size_t size;
	const char *bytes = tl_output_bytes(out, &size);
	char *text = malloc(size + 1);

	assert_non_null(text);
	memcpy(text, bytes, size);
	text[size] = '\0';
	tl_output_discard(out);
	return text;
}

static inline char *functions_text(const struct tl_profile *profile,
				   struct tl_report_options options)
{
	struct tl_output *out;

	options.size = sizeof(options);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_report_functions(profile, &options, out, NULL), 0);
	return take_text(out);
}

static inline char *tree_text(const struct tl_profile *profile, enum tl_tree_kind kind,
			      struct tl_report_options options)
{
	struct tl_output *out;

	options.size = sizeof(options);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_report_tree(profile, kind, &options, out, NULL), 0);
	return take_text(out);
}

#define assert_functions(profile, expected, ...)                                                   \
	do {                                                                                       \
		char *text_ = functions_text(profile, (struct tl_report_options){ __VA_ARGS__ });  \
		assert_string_equal(text_, expected);                                              \
		free(text_);                                                                       \
	} while (0)

#define assert_tree(profile, kind, expected, ...)                                                  \
	do {                                                                                       \
		char *text_ = tree_text(profile, kind, (struct tl_report_options){ __VA_ARGS__ }); \
		assert_string_equal(text_, expected);                                              \
		free(text_);                                                                       \
	} while (0)

/* Whether these texts come one after the other. */
static inline bool in_order(const char *text, const char *const *parts)
{
	for (; *parts; parts++) {
		text = strstr(text, *parts);
		if (!text)
			return false;
		text += strlen(*parts);
	}
	return true;
}

#define IN_ORDER(text, ...) assert_true(in_order(text, (const char *const[]){ __VA_ARGS__, NULL }))

#endif
