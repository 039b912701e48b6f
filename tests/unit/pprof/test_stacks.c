/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which events, threads, frames and names the samples of a pprof profile become
 * (docs/formats/pprof.md, "What becomes what" and "Frames that are dropped").
 */
#include <stdio.h>
#include <stdlib.h>

#include <tracelathe/profile.h>

#include "../wire_bytes.h"
#include "pprof/profile/fold.h"
#include "unit/unit.h"

/* ---- a profile of texts ---- */

/* Strings are added as they are needed, each once; number 0 is "". */
struct made {
	struct bytes b;
	const char *strings[64];
	uint64_t count;
};

static uint64_t text(struct made *m, const char *string)
{
	if (!m->count) {
		block(&m->b, 6, "", 0);
		m->strings[m->count++] = "";
	}
	for (uint64_t i = 0; i < m->count; i++)
		if (!strcmp(m->strings[i], string))
			return i;
	block(&m->b, 6, string, strlen(string));
	m->strings[m->count] = string;
	return m->count++;
}

static void put_pair(struct made *m, unsigned field, const char *name, const char *unit)
{
	struct bytes inner = { .size = 0 };

	number(&inner, 1, text(m, name));
	number(&inner, 2, text(m, unit));
	message(&m->b, field, &inner);
}

/* Function and location `id`, of one name. */
static void put_named(struct made *m, uint64_t id, const char *name)
{
	struct bytes inner = { .size = 0 }, line = { .size = 0 };

	number(&inner, 1, id);
	number(&inner, 2, text(m, name));
	message(&m->b, 5, &inner);
	number(&inner, 1, id);
	number(&line, 1, id);
	message(&inner, 4, &line);
	message(&m->b, 4, &inner);
}

static struct tl_profile *fold(const struct made *m, uint64_t process, uint64_t thread,
			       uint64_t *faults)
{
	const struct tl_pprof_fold_options options = { .thread = thread, .process = process };
	struct tl_pprof_file p = { .size = 0 };
	struct tl_profile *profile = NULL;

	assert_int_equal(tl_pprof_open(&p, m->b.data, m->b.size, NULL), 0);
	assert_int_equal(tl_pprof_fold(&p, &options, &profile, NULL), 0);
	if (faults)
		*faults = p.faults.total;
	tl_pprof_close(&p);
	return profile;
}

static struct tl_profile *fold_all(const struct made *m)
{
	uint64_t faults;
	struct tl_profile *profile = fold(m, TL_NOWHERE, TL_NOWHERE, &faults);

	assert_int_equal(faults, 0);
	return profile;
}

/* ---- events ---- */

/* "The event that comes first; without it the last sample type does, as in pprof." */
TEST(sample_types_become_events)
{
	static const struct {
		const char *types[6]; /* names and units by turns */
		const char *first;    /* default_sample_type, "": none */
		const char *events;   /* each "NAME:UNIT " */
	} cases[] = {
		{ { "cpu", "nanoseconds" }, "", "cpu:ns " },
		{ { "a", "count", "b", "bytes" }, "", "b:bytes a: " },
		{ { "a", "count", "b", "bytes" }, "a", "a: b:bytes " },
		{ { "a", "count", "ab", "bytes" }, "ab", "ab:bytes a: " },
		{ { "a", "count", "b", "bytes" }, "c", "b:bytes a: " },
		/* Events have different names: that of the unit, then a number. */
		{ { "a", "count", "a", "bytes", "a", "count" }, "", "a: a/count: a/bytes:bytes " },
		{ { "a", "count", "a", "count", "a", "count" }, "", "a: a/count: a#2: " },
		{ { "a", "", "a", "" }, "", "a: a#1: " },
		{ { "", "bytes" }, "", "value:bytes " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made m = { .count = 0 };
		struct tl_profile *profile;
		char have[128] = "";

		for (size_t n = 0; n < 6 && cases[i].types[n]; n += 2)
			put_pair(&m, 1, cases[i].types[n], cases[i].types[n + 1]);
		if (*cases[i].first)
			number(&m.b, 14, text(&m, cases[i].first));
		profile = fold_all(&m);
		for (uint32_t n = 0; n < tl_profile_event_count(profile); n++) {
			const struct tl_event *event = tl_profile_event(profile, n);

			strcat(strcat(strcat(strcat(have, event->name), ":"), event->unit), " ");
		}
		assert_string_equal(have, cases[i].events);
		tl_profile_free(profile);
	}
}

/* "A first sample type `calls` in `count`, beside others, is the number of calls." */
TEST(a_type_of_calls)
{
	static const struct {
		const char *types[4];
		uint32_t events;
		enum tl_call_count calls;
	} cases[] = {
		{ { "calls", "count", "cpu", "nanoseconds" }, 1, TL_CALLS_GIVEN },
		{ { "cpu", "nanoseconds", "calls", "count" }, 2, TL_CALLS_NONE },
		{ { "calls", "bytes", "cpu", "nanoseconds" }, 2, TL_CALLS_NONE },
		{ { "call", "count", "cpu", "nanoseconds" }, 2, TL_CALLS_NONE },
		{ { "calls", "count" }, 1, TL_CALLS_NONE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made m = { .count = 0 };
		struct tl_profile *profile;

		for (size_t n = 0; n < 4 && cases[i].types[n]; n += 2)
			put_pair(&m, 1, cases[i].types[n], cases[i].types[n + 1]);
		profile = fold_all(&m);
		assert_int_equal(tl_profile_event_count(profile), cases[i].events);
		assert_int_equal(tl_profile_call_count(profile), cases[i].calls);
		tl_profile_free(profile);
	}
}

/* ---- threads ---- */

static void put_label(struct made *m, struct bytes *sample, const char *key, const char *word,
		      uint64_t value)
{
	struct bytes label = { .size = 0 };

	number(&label, 1, text(m, key));
	if (word)
		number(&label, 2, text(m, word));
	else
		number(&label, 3, value);
	message(sample, 3, &label);
}

static void put_sample(struct made *m, struct bytes *sample, uint64_t cost)
{
	number(sample, 1, 1);
	number(sample, 2, cost);
	message(&m->b, 2, sample);
}

/* "A number under `thread` ... makes the samples of each thread a part of their own." */
TEST(labels_that_name_threads)
{
	static const struct {
		const char *key, *word;
		uint64_t process, thread;
		const char *command;
	} cases[] = {
		{ "thread", NULL, TL_NOWHERE, 7, "" },
		{ "tid", NULL, TL_NOWHERE, 7, "" },
		{ "thread_id", NULL, TL_NOWHERE, 7, "" },
		{ "process", NULL, 7, TL_NOWHERE, "" },
		{ "pid", NULL, 7, TL_NOWHERE, "" },
		{ "process_id", NULL, 7, TL_NOWHERE, "" },
		{ "thread_name", "w", TL_NOWHERE, TL_NOWHERE, "w" },
		{ "thread name", "w", TL_NOWHERE, TL_NOWHERE, "w" },
		{ "comm", "w", TL_NOWHERE, TL_NOWHERE, "w" },
		{ "tid", "7", TL_NOWHERE, TL_NOWHERE, "" },
		{ "pid", "7", TL_NOWHERE, TL_NOWHERE, "" },
		{ "threads", NULL, TL_NOWHERE, TL_NOWHERE, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made m = { .count = 0 };
		struct bytes sample = { .size = 0 };
		struct tl_profile *profile;

		put_pair(&m, 1, "samples", "count");
		put_named(&m, 1, "main");
		put_label(&m, &sample, cases[i].key, cases[i].word, 7);
		put_sample(&m, &sample, 5);
		profile = fold_all(&m);
		assert_int_equal(tl_profile_part_count(profile), 1);
		assert_int_equal(tl_profile_part(profile, 0)->process, cases[i].process);
		assert_int_equal(tl_profile_part(profile, 0)->thread, cases[i].thread);
		assert_string_equal(tl_profile_part(profile, 0)->command, cases[i].command);
		assert_int_equal(tl_profile_part(profile, 0)->records, 1);
		tl_profile_free(profile);
	}
}

/* Process, thread and name make a thread; each filter takes what it names. */
TEST(threads_are_told_apart_and_chosen)
{
	static const struct {
		uint64_t process, thread;
		const char *name;
		uint64_t cost;
	} samples[] = { { 1, 7, "w", 1 },
			{ 2, 7, "w", 2 },
			{ 1, 8, "w", 4 },
			{ 1, 7, "v", 8 },
			{ 1, 7, "w", 16 } };
	static const struct {
		uint64_t process, thread, total;
		uint32_t parts;
	} cases[] = {
		{ TL_NOWHERE, TL_NOWHERE, 31, 4 },
		{ 1, TL_NOWHERE, 29, 3 },
		{ 2, TL_NOWHERE, 2, 1 },
		{ TL_NOWHERE, 7, 27, 3 },
		{ 1, 8, 4, 1 },
	};
	struct made m = { .count = 0 };

	put_pair(&m, 1, "samples", "count");
	put_named(&m, 1, "main");
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct bytes sample = { .size = 0 };

		put_label(&m, &sample, "pid", NULL, samples[i].process);
		put_label(&m, &sample, "tid", NULL, samples[i].thread);
		put_label(&m, &sample, "comm", samples[i].name, 0);
		put_sample(&m, &sample, samples[i].cost);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_profile *profile = fold(&m, cases[i].process, cases[i].thread, NULL);

		assert_int_equal(tl_profile_total(profile)[0], cases[i].total);
		assert_int_equal(tl_profile_part_count(profile), cases[i].parts);
		tl_profile_free(profile);
	}
}

/* ---- frames ---- */

/* The name of each function with its self cost, in the order of functions, "NAME COST ". */
static void list_costs(const struct tl_profile *profile, char *to)
{
	*to = '\0';
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++) {
		struct tl_function_totals totals;

		tl_profile_function_totals(profile, i, TL_NONE, &totals, sizeof(totals));
		if (totals.self[0])
			sprintf(to + strlen(to), "%s %d ", tl_profile_function(profile, i)->name,
				(int)totals.self[0]);
	}
}

/* "From the root inwards, the first function that matches is dropped with all that it called." */
TEST(frames_that_patterns_drop)
{
	static const struct {
		const char *drop, *keep;
		const char *stack[4]; /* the innermost first */
		const char *costs;
	} cases[] = {
		{ "d", "", { "in", "d", "main", NULL }, "main 5 " },
		{ "d", "", { "in", "dd", "main", NULL }, "in 5 " },
		{ "d.*", "dd", { "in", "dd", "main", NULL }, "in 5 " },
		{ "d.*", "dd", { "in", "d", "main", NULL }, "main 5 " },
		/* At the root they stay until one comes that does not match. */
		{ "d", "", { "in", "main", "d", NULL }, "in 5 " },
		{ "d", "", { "d", "main", "d", NULL }, "main 5 " },
		{ "d", "", { "d", NULL }, "d 5 " },
		/* Parameters do not count, and neither does a point before the name. */
		{ "d", "", { "in", "d(int)", "main", NULL }, "main 5 " },
		{ "d", "", { "in", ".d", "main", NULL }, "main 5 " },
		{ "d", "", { "in", "..d", "main", NULL }, "in 5 " },
		{ "d::operator\\(\\)",
		  "",
		  { "in", "d::operator()(int)", "main", NULL },
		  "main 5 " },
		{ "\\(anonymous namespace\\)::d",
		  "",
		  { "in", "(anonymous namespace)::d(int)", "main", NULL },
		  "main 5 " },
		/* A pattern that is none drops nothing; keep_frames alone does nothing. */
		{ "", "d", { "in", "d", "main", NULL }, "in 5 " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made m = { .count = 0 };
		struct bytes sample = { .size = 0 };
		struct tl_profile *profile;
		char have[128];

		put_pair(&m, 1, "samples", "count");
		if (*cases[i].drop)
			number(&m.b, 7, text(&m, cases[i].drop));
		if (*cases[i].keep)
			number(&m.b, 8, text(&m, cases[i].keep));
		for (uint64_t n = 0; n < 4 && cases[i].stack[n]; n++) {
			put_named(&m, n + 1, cases[i].stack[n]);
			number(&sample, 1, n + 1);
		}
		number(&sample, 2, 5);
		message(&m.b, 2, &sample);
		profile = fold_all(&m);
		list_costs(profile, have);
		assert_string_equal(have, cases[i].costs);
		tl_profile_free(profile);
	}
}

/* Of an inlined function that is dropped, the functions around it stay. */
TEST(inlined_frames_that_patterns_drop)
{
	struct made m = { .count = 0 };
	struct bytes sample = { .size = 0 }, inner = { .size = 0 }, line = { .size = 0 };
	struct tl_profile *profile;
	char have[128];

	put_pair(&m, 1, "samples", "count");
	number(&m.b, 7, text(&m, "d"));
	put_named(&m, 1, "in");
	put_named(&m, 2, "d");
	put_named(&m, 3, "main");
	/* Location 9: in, inlined into d, inlined into main. */
	number(&inner, 1, 9);
	for (uint64_t i = 1; i <= 3; i++) {
		number(&line, 1, i);
		message(&inner, 4, &line);
	}
	message(&m.b, 4, &inner);
	number(&sample, 1, 1);
	number(&sample, 1, 9);
	number(&sample, 1, 3);
	number(&sample, 2, 5);
	message(&m.b, 2, &sample);
	profile = fold_all(&m);
	list_costs(profile, have);
	assert_string_equal(have, "main 5 ");
	/* main twice: the root, and the part of location 9 that stays. */
	assert_int_equal(tl_profile_context_count(profile), 2);
	tl_profile_free(profile);
}

TEST(patterns_that_cannot_be_read)
{
	for (unsigned keep = 0; keep < 2; keep++) {
		struct made m = { .count = 0 };
		struct bytes sample = { .size = 0 };
		struct tl_profile *profile;
		uint64_t faults;
		char have[64];

		put_pair(&m, 1, "samples", "count");
		number(&m.b, 7, text(&m, keep ? "d" : "("));
		number(&m.b, 8, text(&m, keep ? "(" : "d"));
		put_named(&m, 1, "d");
		put_named(&m, 2, "main");
		number(&sample, 1, 1);
		number(&sample, 1, 2);
		number(&sample, 2, 5);
		message(&m.b, 2, &sample);
		profile = fold(&m, TL_NOWHERE, TL_NOWHERE, &faults);
		assert_int_equal(faults, 1);
		list_costs(profile, have);
		assert_string_equal(have, "d 5 ");
		tl_profile_free(profile);
	}
}

/* ---- names ---- */

/* "A function without a name is #ID", "[unknown]", "[no stack]", and an address without a file. */
TEST(names_of_what_has_none)
{
	struct made m = { .count = 0 };
	struct bytes inner = { .size = 0 }, line = { .size = 0 }, sample = { .size = 0 };
	struct tl_profile *profile;
	uint64_t faults;
	char have[128];

	put_pair(&m, 1, "samples", "count");
	number(&inner, 1, 31);
	message(&m.b, 5, &inner);
	number(&inner, 1, 31);
	number(&line, 1, 31);
	message(&inner, 4, &line);
	message(&m.b, 4, &inner);
	number(&inner, 1, 32);
	number(&inner, 3, 0x4011d6);
	message(&m.b, 4, &inner);
	for (uint64_t id = 31; id <= 33; id++) {
		number(&sample, 1, id);
		number(&sample, 2, id);
		message(&m.b, 2, &sample);
	}
	number(&sample, 2, 1);
	message(&m.b, 2, &sample);
	profile = fold(&m, TL_NOWHERE, TL_NOWHERE, &faults);
	/* Location 33 is not there; 32 is in no file. */
	assert_int_equal(faults, 2);
	list_costs(profile, have);
	assert_non_null(strstr(have, "#31 31 "));
	assert_non_null(strstr(have, "0x4011d6 32 "));
	assert_non_null(strstr(have, "[unknown] 33 "));
	assert_non_null(strstr(have, "[no stack] 1 "));
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sample_types_become_events),
		cmocka_unit_test(a_type_of_calls),
		cmocka_unit_test(labels_that_name_threads),
		cmocka_unit_test(threads_are_told_apart_and_chosen),
		cmocka_unit_test(frames_that_patterns_drop),
		cmocka_unit_test(inlined_frames_that_patterns_drop),
		cmocka_unit_test(patterns_that_cannot_be_read),
		cmocka_unit_test(names_of_what_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
