/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where costs are from, and what functions cost in many files. Numbers are small enough to be
 * checked by hand; tests/differential/spread.py holds whole answers against Python's statistics.
 */
#include <math.h>

#include "profiles.h"

/* f costs `f`, and g, if it is there, 7; g is called twice. */
static struct tl_profile *file_of(const char *event, uint64_t frequency, int64_t f, bool with_g)
{
	const char *const events[] = { event };
	struct tl_profile *p = new_profile("callgrind", events, 1, frequency);
	uint32_t main = add_function(p, "prog", "m.c", "f"), g;

	add_part(p, 3, 4, 0, "");
	add_line(p, main, 0, at("m.c", 1, 0), f, 0);
	if (with_g) {
		g = add_function(p, "prog", "m.c", "g");
		add_line(p, g, 0, at("m.c", 2, 0), 7, 0);
		add_arc(p, main, g, 0, at("m.c", 1, 0), 2, 7, 0);
	}
	return finished(p);
}

static struct tl_profile *origins_of(struct tl_profile *whole, const char *name, bool functions)
{
	const struct tl_origin_options options = {
		.size = sizeof(options), .by = TL_BY_TRACE, .name = name, .functions = functions
	};
	struct tl_profile *made;

	assert_int_equal(tl_profile_origins(&made, whole, &options, NULL), 0);
	tl_profile_free(whole);
	return made;
}

/* 1 tick of 3 GHz is 0.33 ns, 2 are 0.67, and 4 of 3 GHz 1.33. */
TEST(ticks_become_nanoseconds_to_the_nearest)
{
	static const struct {
		int64_t ticks, ns;
	} cases[] = { { 1, 0 },   { 2, 1 },  { 4, 1 },
		      { -2, -1 }, { -1, 0 }, { 3000000000, 1000000000 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_profile *p =
			origins_of(file_of("Ticks", 3000000000, cases[i].ticks, false), "a", false);

		assert_int_equal(tl_profile_total(p)[0], cases[i].ns);
		assert_string_equal(tl_profile_event(p, 0)->unit, "ns");
		assert_string_equal(tl_profile_part(p, 0)->command, "a");
		tl_profile_free(p);
	}
}

/* Milliseconds as ticks are too many nanoseconds. */
TEST(what_does_not_fit_is_counted)
{
	struct tl_profile *p = origins_of(file_of("Ticks", 1000, INT64_MAX, false), "a", false);
	struct tl_losses losses;

	tl_profile_losses(p, &losses, sizeof(losses));
	assert_int_equal(tl_profile_total(p)[0], INT64_MAX);
	assert_true(losses.saturated > 0);
	tl_profile_free(p);
}

TEST(clocks_of_any_rates_can_be_merged)
{
	const struct tl_profile *profiles[] = {
		origins_of(file_of("Ticks", 1000000000, 5, true), "a", true),
		origins_of(file_of("Ticks", 500000000, 5, true), "b", true),
		origins_of(file_of("Ticks", 0, 5, true), "c", true),
	};
	struct tl_profile *sum;

	assert_int_equal(tl_profile_merge(&sum, profiles, 3, NULL), 0);
	assert_int_equal(tl_profile_event_count(sum), 2);
	for (uint32_t e = 0; e < 2; e++) {
		bool known = !strcmp(tl_profile_event(sum, e)->name, "Ticks");

		/* 5 + 7 ns and twice that; 12 ticks of the unknown one */
		assert_int_equal(tl_profile_total(sum)[e], known ? 36 : 12);
		assert_string_equal(tl_profile_event(sum, e)->unit, known ? "ns" : "");
	}
	tl_profile_free(sum);
	for (size_t i = 0; i < 3; i++)
		tl_profile_free((struct tl_profile *)profiles[i]);
}

TEST(processes_and_hosts_are_those_of_the_parts)
{
	static const char *const events[] = { "Ir" };
	struct tl_origin_options options = { .size = sizeof(options), .by = TL_BY_PROCESS };
	struct tl_profile *p = new_profile("callgrind", events, 1, 0), *made;
	uint32_t f = add_function(p, "", "", "f");
	struct tl_part part = { .process = 9,
				.thread = TL_NOWHERE,
				.command = "",
				.header = "desc: I1 cache: 1\ndesc: Host: n1" };

	assert_true(tl_profile_put_part(p, &part, NULL) == 0);
	part.header = "Host: n2\n";
	assert_true(tl_profile_put_part(p, &part, NULL) == 1);
	part.header = "The Host: n3";
	part.process = TL_NOWHERE;
	assert_true(tl_profile_put_part(p, &part, NULL) == 2);
	for (uint32_t i = 0; i < 3; i++)
		add_line(p, f, i, at("", 0, 0), 1 << i, 0);
	finished(p);
	for (int host = 0; host < 2; host++) {
		static const char *const names[2][3] = {
			{ "process 9 on n1", "process 9 on n2", "(unknown)" },
			{ "n1", "n2", "(unknown)" },
		};

		options.by = host ? TL_BY_HOST : TL_BY_PROCESS;
		assert_int_equal(tl_profile_origins(&made, p, &options, NULL), 0);
		assert_int_equal(tl_profile_part_count(made), 3);
		assert_true(tl_profile_origin_unknown(made));
		for (uint32_t i = 0; i < tl_profile_line_count(made); i++) {
			uint32_t at = tl_profile_line(made, i)->part;

			assert_string_equal(tl_profile_part(made, at)->command, names[host][at]);
			assert_int_equal(tl_profile_line_cost(made, i)[0], 1 << at);
		}
		tl_profile_free(made);
	}
	options.by = TL_BY_TRACE; /* without a name */
	assert_int_equal(tl_profile_origins(&made, p, &options, NULL), TL_BAD_USAGE);
	options.by = TL_BY_PART;
	assert_int_equal(tl_profile_origins(&made, p, &options, NULL), TL_BAD_USAGE);
	tl_profile_free(p);
}

/* A path with blanks is one name; the host in front of it is another line of the header. */
TEST(control_groups_are_those_of_the_parts)
{
	static const char *const events[] = { "cycles" };
	static const char *const headers[] = { "Host: n1\nCgroup: /system.slice/a b", "Host: n1",
					       "Cgroup: /", "Host: n2\nCgroup: /system.slice/a b" };
	static const char *const names[] = { "/system.slice/a b", "(unknown)", "/" };
	static const int64_t costs[] = { 9, 2, 4 };
	const struct tl_origin_options options = { .size = sizeof(options), .by = TL_BY_CGROUP };
	struct tl_profile *p = new_profile("perf", events, 1, 0), *made;
	uint32_t f = add_function(p, "", "", "f");

	for (uint32_t i = 0; i < 4; i++) {
		const struct tl_part part = { .process = i, .command = "", .header = headers[i] };

		assert_true(tl_profile_put_part(p, &part, NULL) == i);
		add_line(p, f, i, at("", 0, 0), 1 << i, 0);
	}
	finished(p);
	assert_int_equal(tl_profile_origins(&made, p, &options, NULL), 0);
	assert_int_equal(tl_profile_part_count(made), 3);
	assert_true(tl_profile_origin_unknown(made));
	assert_int_equal(tl_profile_line_count(made), 3);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t at = tl_profile_line(made, i)->part;

		assert_string_equal(tl_profile_part(made, at)->command, names[at]);
		assert_int_equal(tl_profile_line_cost(made, i)[0], costs[at]);
	}
	tl_profile_free(made);
	tl_profile_free(p);
}

static struct tl_profile *five_files(void)
{
	static const int64_t costs[] = { 100, 102, 104, 98, 400 };
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	const struct tl_profile *files[5];
	struct tl_profile *sum;

	for (int i = 0; i < 5; i++)
		files[i] = origins_of(file_of("Ir", 0, costs[i], i == 1), names[i], true);
	assert_int_equal(tl_profile_merge(&sum, files, 5, NULL), 0);
	for (int i = 0; i < 5; i++)
		tl_profile_free((struct tl_profile *)files[i]);
	return sum;
}

/*
 * f: median 102, distances 2 0 2 4 298, their median 2: the score of 400 is 0.6745 * 298 / 2, and
 * that of 98 is 0.6745 * 2. g: only b has it, so that the mean distance counts: 7 / 5.
 */
TEST(statistics_over_files)
{
	struct tl_spread_options options = { .size = sizeof(options) };
	struct tl_profile *sum = five_files();
	struct tl_spread *spread;
	struct tl_spread_origin origin;
	struct tl_spread_row row;

	assert_int_equal(tl_spread_make(&spread, sum, &options, NULL), 0);
	assert_int_equal(tl_spread_row_count(spread), 3);
	for (size_t i = 1; i < 3; i++) {
		assert_int_equal(tl_spread_row(spread, i, &row, sizeof(row)), 0);
		if (!strcmp(row.function->name, "g")) {
			assert_true(row.min == 0 && row.median == 0 && row.max == 7);
			assert_int_equal(row.count, 1);
			assert_int_equal(row.outliers, 1);
			assert_string_equal(row.least, "a");
			assert_string_equal(row.most, "b");
			/* deviation sqrt((5.6^2 + 4 * 1.4^2) / 4) = 3.13, of 1.4 */
			assert_true(fabs(row.variation - sqrt(9.8) / 1.4) < 1e-12);
			continue;
		}
		assert_true(row.min == 98 && row.median == 102 && row.max == 400);
		assert_true(fabs(row.mean - 160.8) < 1e-12);
		assert_string_equal(row.least, "d");
		assert_int_equal(row.outliers, 1);
	}
	assert_int_equal(tl_spread_origin_count(spread), 5);
	assert_int_equal(tl_spread_origin(spread, 4, &origin, sizeof(origin)), 0);
	/* totals: 100 109 104 98 400; distances from 104: 4 5 0 6 296 */
	assert_true(origin.total == 400 && fabs(origin.score - 0.6745 * 296 / 5) < 1e-9);
	assert_true(origin.stands_out && origin.cost == 400 && origin.median == 102);
	assert_string_equal(origin.function->name, "f");
	assert_int_equal(tl_spread_origin(spread, 0, &origin, sizeof(origin)), 0);
	assert_false(origin.stands_out);
	assert_null(origin.function);
	assert_int_equal(tl_spread_origin(spread, 5, &origin, sizeof(origin)), TL_BAD_USAGE);
	assert_int_equal(tl_spread_row(spread, 0, &row, sizeof(row) - 1), TL_BAD_USAGE);
	tl_spread_free(spread);
	/* 7 is off its median by less than 10 % of 104. */
	options.threshold = 10;
	assert_int_equal(tl_spread_make(&spread, sum, &options, NULL), 0);
	assert_int_equal(tl_spread_origin(spread, 1, &origin, sizeof(origin)), 0);
	assert_false(origin.stands_out);
	tl_spread_free(spread);
	options.event = "calls";
	assert_int_equal(tl_spread_make(&spread, sum, &options, NULL), 0);
	assert_int_equal(tl_spread_row(spread, 0, &row, sizeof(row)), 0);
	assert_true(row.max == 2 && row.median == 0);
	tl_spread_free(spread);
	options.event = "Dr";
	assert_int_equal(tl_spread_make(&spread, sum, &options, NULL), TL_UNSUPPORTED);
	tl_spread_free(NULL);
	tl_profile_free(sum);
}

/* A profile that tl_profile_origins() did not make tells of no events by file. */
TEST(other_profiles_are_refused)
{
	struct tl_profile *p = file_of("Ir", 0, 1, true);
	struct tl_spread *spread;

	assert_int_equal(tl_spread_make(&spread, p, NULL, NULL), TL_UNSUPPORTED);
	assert_null(spread);
	tl_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_become_nanoseconds_to_the_nearest),
		cmocka_unit_test(what_does_not_fit_is_counted),
		cmocka_unit_test(clocks_of_any_rates_can_be_merged),
		cmocka_unit_test(processes_and_hosts_are_those_of_the_parts),
		cmocka_unit_test(control_groups_are_those_of_the_parts),
		cmocka_unit_test(statistics_over_files),
		cmocka_unit_test(other_profiles_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
