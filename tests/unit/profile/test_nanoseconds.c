/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ticks in nanoseconds: numbers that can be checked by hand; whole files are held against Python's
 * fractions by tests/differential/nanoseconds.py. Quotes are from profile/transform/nanoseconds.h.
 */
#include "profiles.h"

#include "profile/merge/merge.h"
#include "profile/model/model.h"
#include "profile/transform/nanoseconds.h"

/*
 * main (1 tick) calls f twice (2 ticks), f calls g (4 ticks), and in another thread g (5 ticks) is
 * the root: by a clock of 3 GHz 0.33, 0.67, 1.33 and 1.67 ns.
 */
static struct tl_profile *threads(uint64_t frequency)
{
	static const char *const events[] = { "Ticks", "Bytes" };
	struct tl_profile *p = new_profile("xray", events, 2, frequency);
	uint32_t main = add_function(p, "prog", "m.c", "main"),
		 f = add_function(p, "prog", "m.c", "f"), g = add_function(p, "prog", "g.c", "g"),
		 above;

	add_part(p, 1, 10, 0, "");
	add_part(p, 1, 11, 0, "");
	p->parts.list[1].first_ticks = 3000000001;
	p->parts.list[1].last_ticks = 3000000005;
	above = add_context(p, TL_NONE, main, 0, 1, 1);
	above = add_context(p, above, f, 0, 2, 2);
	above = add_context(p, above, g, 0, 3, 4);
	tl_profile_add_context_cost(p, above, 0, (const int64_t[]){ 0, 1000 });
	add_context(p, TL_NONE, g, 1, 1, 5);
	return p;
}

static struct tl_profile *converted(struct tl_profile *from)
{
	struct tl_profile *made;

	assert_int_equal(tl_profile_in_nanoseconds(&made, from, NULL), 0);
	tl_profile_free(from);
	return made;
}

/*
 * "the self cost of each call stack of each thread": g has 1 and 2 ns, where its 9 ticks are 3 ns.
 * "Inclusive costs are sums of what was rounded": main is 0 + 1 + 1 ns, where its 7 ticks are 2.33.
 */
TEST(self_costs_are_rounded_and_inclusive_ones_are_sums)
{
	struct tl_profile *p = converted(finished(threads(3000000000)));

	assert_int_equal(tl_profile_frequency(p), 1000000000);
	assert_string_equal(tl_profile_event(p, 0)->unit, "ticks");
	assert_int_equal(self_of(p, "main", 0), 0);
	assert_int_equal(self_of(p, "f", 0), 1);
	assert_int_equal(self_of(p, "g", 0), 1 + 2);
	assert_int_equal(inclusive_of(p, "g", 0), 1 + 2);
	assert_int_equal(inclusive_of(p, "f", 0), 1 + 1);
	assert_int_equal(inclusive_of(p, "main", 0), 0 + 1 + 1);
	assert_int_equal(tl_profile_total(p)[0], 4);
	/* What is no time stays what it is, and so do calls. */
	assert_int_equal(self_of(p, "g", 1), 1000);
	assert_int_equal(tl_profile_context(p, 2)->calls, 3);
	tl_profile_free(p);
}

/* "halves away from zero": 500 MHz has none, 2 GHz has. */
TEST(halves_go_away_from_zero)
{
	static const struct {
		int64_t ticks, ns;
	} cases[] = { { 1, 1 }, { 3, 2 }, { 2, 1 }, { -1, -1 }, { -3, -2 }, { 0, 0 } };
	static const char *const events[] = { "Ticks" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_profile *p = new_profile("xray", events, 1, 2000000000);

		add_context(p, TL_NONE, add_function(p, "", "", "f"), 0, 1, cases[i].ticks);
		p = converted(finished(p));
		assert_int_equal(tl_profile_total(p)[0], cases[i].ns);
		tl_profile_free(p);
	}
}

/* "parts ... are those of `profile`", with their times by the other clock. */
TEST(parts_keep_their_numbers)
{
	struct tl_profile *p = converted(finished(threads(3000000000)));

	assert_int_equal(tl_profile_part_count(p), 2);
	assert_int_equal(tl_profile_part(p, 1)->thread, 11);
	assert_int_equal(tl_profile_part(p, 1)->first_ticks, 1000000000);
	assert_int_equal(tl_profile_part(p, 1)->last_ticks, 1000000002);
	assert_int_equal(tl_profile_part(p, 0)->last_ticks, 0);
	tl_profile_free(p);
}

/* A function of 5 ticks in either thread: 2 + 2 ns by stack, where its line of 10 ticks is 3. */
static struct tl_profile *threads_that_wait(void)
{
	struct tl_profile *p = threads(3000000000);
	const uint32_t wait = add_function(p, "prog", "w.c", "wait");

	add_context(p, TL_NONE, wait, 0, 1, 5);
	add_context(p, TL_NONE, wait, 1, 1, 5);
	return p;
}

/*
 * The same with the lines and arcs that follow from its call stacks written down, as in a profile
 * file; `moved_line` and `moved_arc` say which one, from 1 on, is of one line
 * further.
 */
static struct tl_profile *told(uint32_t moved_line, uint32_t moved_arc)
{
	struct tl_profile *derived = finished(threads_that_wait()), *p = threads_that_wait();

	for (uint32_t i = 0; i < tl_profile_line_count(derived); i++) {
		struct tl_cost_line line = *tl_profile_line(derived, i);

		line.at.line += i + 1 == moved_line;
		assert_int_equal(
			tl_profile_put_line(p, &line, tl_profile_line_cost(derived, i), NULL), 0);
	}
	for (uint32_t i = 0; i < tl_profile_arc_count(derived); i++) {
		struct tl_arc arc = *tl_profile_arc(derived, i);

		arc.from.line += i + 1 == moved_arc;
		assert_int_equal(tl_profile_put_arc(p, &arc, tl_profile_arc_cost(derived, i), NULL),
				 0);
	}
	assert_true(derived->sums.derived);
	tl_profile_free(derived);
	finished(p);
	assert_false(p->sums.derived);
	return p;
}

static int64_t line_of(const struct tl_profile *p, const char *name)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < tl_profile_line_count(p); i++)
		if (tl_profile_line(p, i)->function == function_named(p, name))
			sum += tl_profile_line_cost(p, i)[0];
	return sum;
}

/* Lines and arcs that only repeat what call stacks say, as in a profile file, are made again. */
TEST(lines_of_call_stacks_are_made_again)
{
	struct tl_profile *made[] = { converted(finished(threads_that_wait())),
				      converted(told(0, 0)) };
	char *text[2];

	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(line_of(made[i], "wait"), 2 + 2);
		text[i] = exported(made[i], "callgrind");
		tl_profile_free(made[i]);
	}
	assert_string_equal(text[0], text[1]);
	free(text[0]);
	free(text[1]);
}

/* One line or arc at a place that is no entry, whichever: they say more than the stacks do. */
TEST(lines_that_say_more_than_call_stacks_stay)
{
	struct tl_profile *p = finished(threads_that_wait());
	const uint32_t lines = tl_profile_line_count(p), arcs = tl_profile_arc_count(p);

	tl_profile_free(p);
	assert_int_equal(lines, 4);
	assert_int_equal(arcs, 2);
	for (uint32_t moved = 1; moved <= lines + arcs; moved++) {
		p = converted(moved <= lines ? told(moved, 0) : told(0, moved - lines));
		assert_int_equal(line_of(p, "wait"), 3);
		tl_profile_free(p);
	}
}

/* "where the file has lines and calls of its own (Intel PT), that of each of these, too" */
TEST(lines_of_the_file_are_rounded)
{
	struct tl_profile *p = threads(3000000000);

	add_line(p, 0, 0, at("m.c", 3, 0), 1, 7);
	add_line(p, 0, 0, at("m.c", 4, 0), 2, 8);
	add_arc(p, 0, 1, 0, at("m.c", 4, 0), 2, 5, 9);
	add_jump(p, 0, 0, 3, 4, 5, 6);
	p = converted(finished(p));
	assert_int_equal(tl_profile_line_count(p), 2);
	assert_int_equal(tl_profile_line_cost(p, 0)[0], 0);
	assert_int_equal(tl_profile_line_cost(p, 0)[1], 7);
	assert_int_equal(tl_profile_line_cost(p, 1)[0], 1);
	assert_int_equal(tl_profile_arc_count(p), 1);
	assert_int_equal(tl_profile_arc_cost(p, 0)[0], 2);
	assert_int_equal(tl_profile_arc_cost(p, 0)[1], 9);
	assert_int_equal(tl_profile_arc(p, 0)->calls, 2);
	assert_int_equal(tl_profile_jump_count(p), 1);
	/* What functions cost is what their call stacks do. */
	assert_int_equal(self_of(p, "main", 0), 0);
	tl_profile_free(p);
}

/* A profile of sums, which has lines and arcs alone. */
TEST(sums_have_no_call_stacks)
{
	static const char *const events[] = { "Ticks" };
	struct tl_profile *p = new_profile("xray", events, 1, 3000000000);
	uint32_t f = add_function(p, "", "", "f"), g = add_function(p, "", "", "g");

	add_part(p, 1, 1, 0, "");
	add_line(p, f, 0, at("f.c", 1, 0), 2, 0);
	add_line(p, g, 0, at("f.c", 9, 0), 5, 0);
	add_arc(p, f, g, 0, at("f.c", 1, 0), 1, 5, 0);
	p = converted(finished(p));
	assert_int_equal(self_of(p, "f", 0), 1);
	assert_int_equal(self_of(p, "g", 0), 2);
	assert_int_equal(inclusive_of(p, "f", 0), 3);
	tl_profile_free(p);
}

/* "Of durations, each is rounded, and the sum of a function's by itself" */
TEST(durations_are_rounded)
{
	struct tl_profile *p = threads(3000000000);
	struct tl_latencies l = TL_LATENCIES_NONE;
	struct tl_latency figures;

	for (uint64_t ticks = 1; ticks <= 5; ticks++)
		assert_true(tl_latency_note(&l, ticks, false));
	tl_latency_total(&l, 5, 1 + 2 + 3 + 4 + 5);
	assert_true(tl_profile_add_latency(p, 1, 1, &l));
	tl_latency_free(&l);
	p = converted(finished(p));
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(tl_profile_latency_of(p, 1, i ? 1 : TL_NONE, &figures), 1);
		assert_int_equal(figures.calls, 5);
		assert_int_equal(figures.min, 0);    /* 0.33 */
		assert_int_equal(figures.median, 1); /* 3 ticks */
		assert_int_equal(figures.max, 2);    /* 1.67 */
		assert_int_equal(figures.sum, 5);    /* where the durations are 0, 1, 1, 1, 2 */
		assert_true(figures.exact);
	}
	assert_int_equal(tl_profile_latency_of(p, 0, TL_NONE, &figures), 0);
	tl_profile_free(p);
}

TEST(what_is_said_of_the_file_stays)
{
	const struct tl_profile_note note = { TL_BAD_RECORD, "a text", "xray", 7, 8, 9 };
	struct tl_profile *p = threads(3000000000);

	assert_true(tl_profile_add_note(p, &note));
	p->losses.orphan_exits = 3;
	p->timed = p->emulated = true;
	p->call_count = TL_CALLS_ENTERED;
	p = converted(finished(p));
	assert_int_equal(p->notes.count, 1);
	assert_string_equal(p->notes.list[0].text, "a text");
	assert_int_equal(p->notes.list[0].record, 9);
	assert_int_equal(p->losses.orphan_exits, 3);
	assert_true(p->timed && p->emulated);
	assert_int_equal(p->call_count, TL_CALLS_ENTERED);
	tl_profile_free(p);
}

/* What does not fit ends at the largest number, and is counted. */
TEST(what_does_not_fit_is_counted)
{
	static const char *const events[] = { "Ticks" };
	struct tl_profile *p = new_profile("xray", events, 1, 1000);
	struct tl_losses losses;

	add_context(p, TL_NONE, add_function(p, "", "", "f"), 0, 1, INT64_MAX / 1000);
	p = converted(finished(p));
	tl_profile_losses(p, &losses, sizeof(losses));
	assert_int_equal(tl_profile_total(p)[0], INT64_MAX);
	assert_true(losses.saturated > 0);
	tl_profile_free(p);
}

/* "TL_UNSUPPORTED: how long a tick is is not known" */
TEST(an_unknown_rate_is_refused)
{
	struct tl_profile *p = finished(threads(0)), *made = p;
	struct tl_error err = { 0 };

	assert_int_equal(tl_profile_in_nanoseconds(&made, p, &err), TL_UNSUPPORTED);
	assert_null(made);
	assert_non_null(strstr(err.text, "does not say how long a tick is"));
	tl_profile_free(p);
}

TEST(only_other_clocks_are_converted)
{
	static const char *const events[] = { "Ir" };
	static const uint64_t rates[] = { 0, 999999999, 1000000000, 1000000001 };

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct tl_profile *p = finished(threads(rates[i])),
				  *none = finished(new_profile("xray", events, 1, rates[i]));

		assert_int_equal(tl_profile_has_other_clock(p), rates[i] != 1000000000);
		assert_false(tl_profile_has_other_clock(none));
		tl_profile_free(p);
		tl_profile_free(none);
	}
}

/* Profiles of other clocks have a sum, whatever they are merged with first. */
TEST(sums_are_those_of_the_files)
{
	static const uint64_t rates[] = { 3000000000, 999999937, 1000000000 };
	const struct tl_profile *one[3], *pair[2];
	struct tl_profile *sums[2], *first;
	char *text[2];

	for (size_t i = 0; i < 3; i++)
		one[i] = converted(finished(threads(rates[i])));
	assert_int_equal(tl_profile_merge(&sums[0], one, 3, NULL), 0);
	assert_int_equal(tl_profile_merge(&first, one + 1, 2, NULL), 0);
	pair[0] = first;
	pair[1] = one[0];
	assert_int_equal(tl_profile_merge(&sums[1], pair, 2, NULL), 0);
	for (size_t i = 0; i < 2; i++) {
		text[i] = exported(sums[i], "json");
		tl_profile_free(sums[i]);
	}
	assert_string_equal(text[0], text[1]);
	free(text[0]);
	free(text[1]);
	tl_profile_free(first);
	for (size_t i = 0; i < 3; i++)
		tl_profile_free((struct tl_profile *)one[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(self_costs_are_rounded_and_inclusive_ones_are_sums),
		cmocka_unit_test(halves_go_away_from_zero),
		cmocka_unit_test(parts_keep_their_numbers),
		cmocka_unit_test(lines_of_call_stacks_are_made_again),
		cmocka_unit_test(lines_that_say_more_than_call_stacks_stay),
		cmocka_unit_test(lines_of_the_file_are_rounded),
		cmocka_unit_test(sums_have_no_call_stacks),
		cmocka_unit_test(durations_are_rounded),
		cmocka_unit_test(what_is_said_of_the_file_stays),
		cmocka_unit_test(what_does_not_fit_is_counted),
		cmocka_unit_test(an_unknown_rate_is_refused),
		cmocka_unit_test(only_other_clocks_are_converted),
		cmocka_unit_test(sums_are_those_of_the_files),
	};

	return cmocka_run_group_tests_name("profile nanoseconds", tests, NULL, NULL);
}
