/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tl_profile_merge(): what is the same becomes one, and the result does not tell how it was put
 * together.
 */
#include "profiles.h"

#include "profile/file/file_write.h"
#include "profile/model/model.h"

static struct tl_profile *merged(const struct tl_profile *const *from, size_t count)
{
	struct tl_profile *profile;

	assert_int_equal(tl_profile_merge(&profile, from, count, NULL), 0);
	return profile;
}

static struct tl_profile *merged2(const struct tl_profile *a, const struct tl_profile *b)
{
	const struct tl_profile *const from[] = { a, b };

	return merged(from, 2);
}

/* Calls of f in these ticks, as a fold would note them. */
static void add_durations(struct tl_profile *profile, uint32_t function, uint32_t part,
			  uint64_t first, uint64_t step, uint64_t count)
{
	struct tl_latencies latencies = TL_LATENCIES_NONE;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		assert_true(tl_latency_note(&latencies, first + i * step, false));
		sum += first + i * step;
	}
	tl_latency_total(&latencies, count, sum);
	assert_true(tl_profile_add_latency(profile, function, part, &latencies));
	tl_latency_free(&latencies);
}

/* ---- profiles of sums: Callgrind's ---- */

/*
 * main 10+1 at line 3, f 20+2 at lines 7 and 8; main calls f twice for 20+2. Part 1 of process 100.
 */
static struct tl_profile *sums_a(void)
{
	static const char *const events[] = { "Ir", "Dr" };
	struct tl_profile *p = new_profile("callgrind", events, 2, 0);
	uint32_t part = add_part(p, 100, 1, 1, "prog"), m = add_function(p, "prog", "m.c", "main");
	uint32_t f = add_function(p, "prog", "m.c", "f");

	add_line(p, m, part, at("m.c", 3, 0), 10, 1);
	add_line(p, f, part, at("m.c", 8, 0), 15, 2);
	add_line(p, f, part, at("m.c", 7, 0), 5, 0);
	add_arc(p, m, f, part, at("m.c", 3, 0), 2, 20, 2);
	add_jump(p, f, part, 8, 7, 9, 4);
	return finished(p);
}

/*
 * Another run, functions met in another order and another event first: f 100 Dr at line 7, g 7 Ir;
 * two parts.
 */
static struct tl_profile *sums_b(void)
{
	static const char *const events[] = { "Dr", "Bc", "Ir" };
	struct tl_profile *p = new_profile("callgrind", events, 3, 0);
	uint32_t second = add_part(p, 200, 1, 2, "prog"), first = add_part(p, 200, 1, 1, "prog");
	uint32_t g = add_function(p, "lib", "g.c", "g"), f = add_function(p, "prog", "m.c", "f");
	struct tl_cost_line line = { .function = g, .part = second, .at = at("g.c", 1, 0x10) };
	const int64_t seven[] = { 0, 3, 7 };

	add_line(p, f, first, at("m.c", 7, 0), 100, 0);
	assert_int_equal(tl_profile_put_line(p, &line, seven, NULL), 0);
	add_arc(p, TL_NONE, f, first, at("", 0, 0), 1, 100, 0);
	add_jump(p, f, first, 8, 7, 1, 1);
	return finished(p);
}

/* The same run as the first once more. */
static struct tl_profile *sums_c(void)
{
	static const char *const events[] = { "Ir" };
	struct tl_profile *p = new_profile("callgrind", events, 1, 0);
	uint32_t part = add_part(p, 100, 1, 1, "prog"), f = add_function(p, "prog", "m.c", "f");
	uint32_t other = add_function(p, "prog", "n.c", "f");

	add_line(p, other, part, at("n.c", 1, 0), 1, 0);
	add_line(p, f, part, at("m.c", 7, 0), 1000, 0);
	return finished(p);
}

/* ---- traces: contexts and durations ---- */

static struct tl_profile *trace(uint64_t process, uint64_t frequency, bool deep, uint64_t first,
				uint64_t calls)
{
	static const char *const events[] = { "Ticks" };
	struct tl_profile *p = new_profile("xray", events, 1, frequency);
	uint32_t part = add_part(p, process, 7, 0, ""), f, m, top, under;

	p->timed = true;
	/* Which of the two is met first differs. */
	f = deep ? add_function(p, "", "", "f") : 0;
	m = add_function(p, "", "", "main");
	f = deep ? f : add_function(p, "", "", "f");
	top = add_context(p, TL_NONE, m, part, 1, 10);
	under = add_context(p, top, f, part, calls, 100);
	if (deep)
		add_context(p, under, f, part, 1, 1000);
	add_durations(p, f, part, first, 10, calls);
	return finished(p);
}

/* ---- the promise ---- */

static void assert_same(const struct tl_profile *a, const struct tl_profile *b)
{
	static const char *const formats[] = { "json", "callgrind", "csv", "folded" };

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		char *x = exported(a, formats[i]), *y = exported(b, formats[i]);

		assert_string_equal(x, y);
		free(x);
		free(y);
	}
}

/*
 * Every grouping and every order of three is what all at once is; and one alone is its own
 * canonical form.
 */
static void assert_order_free(struct tl_profile *const three[3])
{
	static const size_t orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
					    { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	struct tl_profile *all = merged((const struct tl_profile *const *)three, 3);
	struct tl_profile *again = merged((const struct tl_profile *const *)&all, 1);

	assert_same(all, again);
	tl_profile_free(again);
	for (size_t i = 0; i < 6; i++) {
		const struct tl_profile *x = three[orders[i][0]], *y = three[orders[i][1]],
					*z = three[orders[i][2]];
		struct tl_profile *xy = merged2(x, y), *yz = merged2(y, z);
		struct tl_profile *left = merged2(xy, z), *right = merged2(x, yz);

		assert_same(all, left);
		assert_same(all, right);
		tl_profile_free(xy);
		tl_profile_free(yz);
		tl_profile_free(left);
		tl_profile_free(right);
	}
	tl_profile_free(all);
	for (size_t i = 0; i < 3; i++)
		tl_profile_free(three[i]);
}

TEST(sums_merge_in_any_order)
{
	struct tl_profile *const three[] = { sums_a(), sums_b(), sums_c() };

	assert_order_free(three);
}

/* 1500 + 1500 durations pass from samples to a histogram on the way, or at the end. */
TEST(traces_merge_in_any_order)
{
	/* clang-format off */
	struct tl_profile *const three[] = {
		trace(1, 1000, false, 1000, 1500), trace(2, 1000, true, 5, 1500), trace(1, 1000,
		  true, 77, 3),
	};
	/* clang-format on */

	assert_order_free(three);
}

TEST(traces_and_sums_merge_in_any_order)
{
	struct tl_profile *const three[] = { trace(1, 1000, true, 5, 20), sums_b(),
					     trace(2, 1000, false, 1, 2) };

	assert_order_free(three);
}

/* ---- what it says ---- */

/*
 * "events matched by name, missing ones are 0; functions by (object, file, name)": numbers added by
 * hand.
 */
TEST(same_things_become_one)
{
	struct tl_profile *a = sums_a(), *b = sums_b(), *c = sums_c();
	const struct tl_profile *const from[] = { a, b, c };
	struct tl_profile *all = merged(from, 3);

	assert_int_equal(tl_profile_event_count(all), 3);
	assert_string_equal(tl_profile_event(all, 0)->name, "Ir");
	assert_string_equal(tl_profile_event(all, 1)->name, "Dr");
	assert_string_equal(tl_profile_event(all, 2)->name, "Bc");
	assert_int_equal(tl_profile_total(all)[0], 10 + 15 + 5 + 7 + 1 + 1000);
	assert_int_equal(tl_profile_total(all)[1], 1 + 2 + 100);
	assert_int_equal(tl_profile_total(all)[2], 3);
	/* g; f of m.c; main; f of n.c: by object, file, name. */
	assert_int_equal(tl_profile_function_count(all), 4);
	assert_string_equal(tl_profile_function(all, 0)->name, "g");
	assert_string_equal(tl_profile_function(all, 1)->name, "f");
	assert_string_equal(tl_profile_function(all, 2)->name, "main");
	assert_string_equal(tl_profile_function(all, 3)->file, "n.c");
	assert_int_equal(self_of(all, "f", 0), 15 + 5 + 1000);
	assert_int_equal(self_of(all, "f", 1), 2 + 100);
	assert_int_equal(inclusive_of(all, "main", 0), 10 + 20);
	/* Part 1 of process 100 is in two of them; then parts 1 and 2 of process 200. */
	assert_int_equal(tl_profile_part_count(all), 3);
	assert_int_equal(tl_profile_part(all, 0)->process, 100);
	assert_int_equal(tl_profile_part(all, 1)->number, 1);
	assert_int_equal(tl_profile_part(all, 2)->number, 2);
	/* The jump in each run, in its own part. */
	assert_int_equal(tl_profile_jump_count(all), 2);
	assert_int_equal(tl_profile_jump(all, 0)->executed, 9);
	assert_int_equal(tl_profile_jump(all, 1)->taken, 1);
	tl_profile_free(a);
	tl_profile_free(b);
	tl_profile_free(c);
	tl_profile_free(all);
}

/* "events matched by name": where all agree on an order it is kept. */
TEST(a_common_order_of_events_is_kept)
{
	static const char *const events[] = { "Dr", "Ir" };
	struct tl_profile *a = finished(new_profile("x", events, 2, 0)),
			  *b = finished(new_profile("y", events, 2, 0));
	struct tl_profile *all = merged2(a, b);

	assert_string_equal(tl_profile_event(all, 0)->name, "Dr");
	assert_string_equal(tl_profile_format(all), "mixed");
	tl_profile_free(a);
	tl_profile_free(b);
	tl_profile_free(all);
}

/* "latencies merge exactly": 10, 20, 30 and 1, 11: of five, t[2] = 11 and t[4] = 30. */
TEST(durations_merge_exactly)
{
	struct tl_profile *a = trace(1, 1000, false, 10, 3), *b = trace(2, 1000, false, 1, 2),
			  *all = merged2(a, b);
	struct tl_latency latency;

	assert_true(tl_profile_timed(all));
	assert_int_equal(tl_profile_frequency(all), 1000);
	assert_true(tl_profile_latency_of(all, function_named(all, "f"), TL_NONE, &latency));
	assert_int_equal(latency.calls, 5);
	assert_int_equal(latency.sum, 72);
	assert_int_equal(latency.median, 11);
	assert_int_equal(latency.p99, 30);
	assert_true(latency.exact);
	assert_true(tl_profile_latency_of(all, function_named(all, "f"), 1, &latency));
	assert_int_equal(latency.calls, 2);
	tl_profile_free(a);
	tl_profile_free(b);
	tl_profile_free(all);
}

/*
 * Recursion is counted once: f's 100 + 1000 is under its outer call; two roots, since the processes
 * are two.
 */
TEST(trees_stay_trees)
{
	struct tl_profile *a = trace(1, 0, true, 1, 1), *b = trace(2, 0, true, 1, 1),
			  *all = merged2(a, b);

	assert_int_equal(tl_profile_context_count(all), 6);
	assert_int_equal(tl_profile_context(all, 0)->parent, TL_NONE);
	assert_int_equal(tl_profile_context(all, 1)->parent, TL_NONE);
	assert_int_equal(tl_profile_context(all, 2)->parent, 0);
	assert_int_equal(inclusive_of(all, "f", 0), 2 * 1100);
	assert_int_equal(inclusive_of(all, "main", 0), 2 * 1110);
	tl_profile_free(a);
	tl_profile_free(b);
	tl_profile_free(all);
}

/* Beside sums there is no tree of the whole, but every cost is there. */
TEST(a_trace_beside_sums_gives_sums)
{
	struct tl_profile *a = trace(1, 1000, true, 1, 1), *b = sums_a(), *all = merged2(a, b);

	assert_int_equal(tl_profile_context_count(all), 0);
	assert_false(tl_profile_timed(all));
	assert_string_equal(tl_profile_event(all, 0)->name, "Ticks");
	assert_int_equal(tl_profile_total(all)[0], 1110);
	assert_int_equal(tl_profile_total(all)[1], 30);
	tl_profile_free(a);
	tl_profile_free(b);
	tl_profile_free(all);
}

static void assert_refused(const struct tl_profile *a, const struct tl_profile *b)
{
	const struct tl_profile *const from[] = { a, b };
	struct tl_profile *profile;
	struct tl_error err = { 0 };

	assert_int_equal(tl_profile_merge(&profile, from, 2, &err), TL_BAD_USAGE);
	assert_null(profile);
	assert_int_equal(err.status, TL_BAD_USAGE);
	assert_true(err.offset == TL_NOWHERE);
}

TEST(what_has_no_sum_is_refused)
{
	static const char *const events[] = { "Ir" };
	static const struct tl_event sum = { "Ir", "", "", "Dr + Dw" };
	struct tl_profile *a = trace(1, 1000, false, 1, 1), *b = trace(1, 2000, false, 1, 1),
			  *formula;
	struct tl_profile *open = new_profile("x", events, 1, 0), *counted = sums_c();

	assert_int_equal(tl_profile_make(&formula, "x", &sum, 1, 0, NULL), 0);
	finished(formula);
	assert_refused(a, b);             /* clocks */
	assert_refused(counted, formula); /* counted here, computed there */
	assert_refused(counted, open);    /* not finished */
	tl_profile_free(a);
	tl_profile_free(b);
	tl_profile_free(open);
	tl_profile_free(counted);
	tl_profile_free(formula);
}

/* ---- one profile ---- */

enum doubled { FUNCTION, PART, CONTEXT, LINE, ARC, JUMP, NOTHING };

/* A profile that was given one element twice; parts and contexts stay two, others need not. */
static struct tl_profile *with_double(enum doubled what)
{
	static const char *const events[] = { "Ir" };
	struct tl_profile *p = new_profile("intel-pt", events, 1, 0);
	uint32_t part = add_part(p, 1, 1, 1, "prog"), f = add_function(p, "o", "m.c", "f");
	uint32_t g = add_function(p, "o", "m.c", "g");
	uint32_t again = what == FUNCTION ? add_function(p, "o", "m.c", "f") : f;
	uint32_t other = what == PART ? add_part(p, 1, 1, 1, "prog") : part;

	for (int i = 0; i <= (what == CONTEXT); i++) {
		int64_t number = tl_profile_append_context(p, TL_NONE, f, part, NULL);

		assert_true(number >= 0);
		tl_profile_add_context_cost(p, (uint32_t)number, 3, (const int64_t[]){ 17 });
	}
	add_line(p, f, part, at("m.c", 3, 0), 10, 0);
	add_line(p, again, other, at("m.c", what == LINE ? 3 : 4, 0), 7, 0);
	add_arc(p, f, g, part, at("m.c", 3, 0), 2, 20, 0);
	add_arc(p, f, g, part, at("m.c", what == ARC ? 3 : 4, 0), 1, 5, 0);
	add_jump(p, f, part, 8, 7, 9, 4);
	add_jump(p, f, part, 8, what == JUMP ? 7 : 6, 2, 1);
	return finished(p);
}

static struct tl_output *written(const struct tl_profile *profile, bool as_sum)
{
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(as_sum ? tl_pfile_write_merged(profile, 1, out, NULL)
				: tl_pfile_write(profile, 1, out, NULL),
			 0);
	return out;
}

/* "Write what tl_profile_merge() makes of a profile." */
static void a_profile_is_written_as_its_own_sum(void **state __attribute__((unused)))
{
	for (enum doubled what = FUNCTION; what <= NOTHING; what++) {
		struct tl_profile *p = with_double(what);
		const struct tl_profile *const from[] = { p };
		struct tl_profile *sum = merged(from, 1);
		struct tl_output *mine = written(p, true), *theirs = written(sum, false);
		size_t size, expected;
		const void *bytes = tl_output_bytes(mine, &size);
		const void *of_sum = tl_output_bytes(theirs, &expected);

		assert_int_equal(size, expected);
		assert_memory_equal(bytes, of_sum, size);
		tl_output_discard(mine);
		tl_output_discard(theirs);
		tl_profile_free(sum);
		tl_profile_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_merge_in_any_order),
		cmocka_unit_test(traces_merge_in_any_order),
		cmocka_unit_test(traces_and_sums_merge_in_any_order),
		cmocka_unit_test(same_things_become_one),
		cmocka_unit_test(a_common_order_of_events_is_kept),
		cmocka_unit_test(durations_merge_exactly),
		cmocka_unit_test(trees_stay_trees),
		cmocka_unit_test(a_trace_beside_sums_gives_sums),
		cmocka_unit_test(what_has_no_sum_is_refused),
		cmocka_unit_test(a_profile_is_written_as_its_own_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
