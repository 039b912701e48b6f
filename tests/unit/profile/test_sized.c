/* SPDX-License-Identifier: Apache-2.0 */
/*
 * docs/abi.md, "A struct that the library fills": by older headers, in which structs end earlier,
 * by newer ones, in which they end later, and by sizes that no header ever had.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include <tracelathe/profile.h>

enum { BEHIND = 16 };

static const int64_t cost = 7;

/* main calls work, 7 ticks each; by public functions alone. */
static struct tl_profile *two_functions(void)
{
	const struct tl_event ticks = { .name = "Ticks", .unit = "ticks" };
	const struct tl_part part = { .process = 1, .thread = 2, .losses = { .gaps = 3 } };
	const struct tl_function names[] = { { .name = "main" }, { .name = "work" } };
	const struct tl_arc call = { .caller = 0, .callee = 1, .calls = 5 };
	const struct tl_jump jump = { .function = 1, .target = 1, .executed = 9, .taken = 4 };
	struct tl_profile *p;

	assert_int_equal(tl_profile_new(&p, "test", &ticks, sizeof(ticks), 1, 0, NULL), 0);
	assert_int_equal(tl_profile_add_part(p, &part, sizeof(part), NULL), 0);
	for (uint32_t f = 0; f < 2; f++) {
		const struct tl_cost_line line = { .function = f };

		assert_int_equal(tl_profile_add_function(p, &names[f], sizeof(names[f]), NULL), f);
		assert_int_equal(tl_profile_add_line(p, &line, sizeof(line), &cost, NULL), 0);
	}
	assert_int_equal(tl_profile_add_arc(p, &call, sizeof(call), &cost, NULL), 0);
	assert_int_equal(tl_profile_add_jump(p, &jump, sizeof(jump), NULL), 0);
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	return p;
}

/* A struct of the caller with bytes behind it. */
struct guarded {
	union {
		struct tl_function_totals totals;
		struct tl_latency latency;
		struct tl_losses losses;
		struct tl_diff_row row;
		unsigned char bytes[256];
	};
};

static void prepare(struct guarded *to)
{
	memset(to, 0xaa, sizeof(*to));
}

static bool only(const struct guarded *to, size_t from, size_t end, unsigned char value)
{
	for (size_t i = from; i < end; i++)
		if (to->bytes[i] != value)
			return false;
	return true;
}

static void totals_fill_what_the_caller_has(void **state)
{
	struct tl_profile *p = two_functions();
	size_t size = sizeof(struct tl_function_totals);
	struct guarded to;

	(void)state;
	prepare(&to);
	assert_int_equal(tl_profile_function_totals(p, 1, TL_NONE, &to.totals, size), 0);
	assert_int_equal(to.totals.calls, 5);
	assert_int_equal(to.totals.self[0], 7);
	assert_true(only(&to, size, sizeof(to.bytes), 0xaa));
	assert_int_equal(tl_profile_function_totals(p, 1, TL_NONE, &to.totals, size + BEHIND), 0);
	assert_true(only(&to, size, size + BEHIND, 0));
	assert_true(only(&to, size + BEHIND, sizeof(to.bytes), 0xaa));
	prepare(&to);
	assert_int_equal(tl_profile_function_totals(p, 1, TL_NONE, &to.totals, size - 1),
			 TL_BAD_USAGE);
	assert_true(only(&to, 0, sizeof(to.bytes), 0xaa));
	tl_profile_free(p);
}

static void losses_fill_what_the_caller_has(void **state)
{
	struct tl_profile *p = two_functions();
	size_t size = sizeof(struct tl_losses);
	struct guarded to;

	(void)state;
	prepare(&to);
	assert_int_equal(tl_profile_losses(p, &to.losses, size + BEHIND), 0);
	assert_int_equal(to.losses.gaps, 3);
	assert_true(only(&to, size, size + BEHIND, 0));
	assert_true(only(&to, size + BEHIND, sizeof(to.bytes), 0xaa));
	prepare(&to);
	assert_int_equal(tl_profile_losses(p, &to.losses, size - 1), TL_BAD_USAGE);
	assert_true(only(&to, 0, sizeof(to.bytes), 0xaa));
	tl_profile_free(p);
}

static void rows_fill_what_the_caller_has(void **state)
{
	struct tl_profile *p = two_functions();
	size_t size = sizeof(struct tl_diff_row);
	struct tl_diff *diff;
	struct guarded to;

	(void)state;
	assert_int_equal(tl_profile_diff(&diff, p, p, NULL, NULL), 0);
	prepare(&to);
	assert_int_equal(tl_diff_row(diff, 0, &to.row, size + BEHIND), 0);
	assert_true(to.row.in_before && to.row.in_after);
	assert_int_equal(to.row.before[0], 7);
	assert_true(only(&to, size, size + BEHIND, 0));
	assert_true(only(&to, size + BEHIND, sizeof(to.bytes), 0xaa));
	prepare(&to);
	assert_int_equal(tl_diff_row(diff, 0, &to.row, size - 1), TL_BAD_USAGE);
	assert_int_equal(tl_diff_row(diff, tl_diff_row_count(diff), &to.row, size), TL_BAD_USAGE);
	assert_true(only(&to, 0, sizeof(to.bytes), 0xaa));
	tl_diff_free(diff);
	tl_profile_free(p);
}

/* A profile without durations has none, whatever the size. */
static void durations_that_are_not_there_fill_nothing(void **state)
{
	struct tl_profile *p = two_functions();
	struct guarded to;

	(void)state;
	prepare(&to);
	assert_false(tl_profile_latency(p, 0, TL_NONE, &to.latency, sizeof(to.latency)));
	assert_true(only(&to, 0, sizeof(to.bytes), 0xaa));
	tl_profile_free(p);
}

/* "members beyond that size are taken as zero": an older header's function has no line. */
static void an_older_caller_adds_structs_that_end_earlier(void **state)
{
	const struct tl_event ticks[] = { { .name = "Ticks", .formula = "Ns" }, { .name = "Ns" } };
	const struct tl_function late = { .name = "f", .id = 3, .address = 4, .line = 5 };
	const struct tl_part part = { .thread = 2, .losses = { .gaps = 3 } };
	struct tl_profile *p;

	(void)state;
	assert_int_equal(tl_profile_new(&p, "test", ticks, sizeof(ticks[0]), 2, 0, NULL), 0);
	assert_string_equal(tl_profile_event(p, 1)->name, "Ns");
	assert_int_equal(
		tl_profile_add_function(p, &late, offsetof(struct tl_function, line), NULL), 0);
	assert_int_equal(tl_profile_function(p, 0)->address, 4);
	assert_int_equal(tl_profile_function(p, 0)->line, 0);
	assert_int_equal(tl_profile_add_part(p, &part, offsetof(struct tl_part, losses), NULL), 0);
	assert_int_equal(tl_profile_part(p, 0)->thread, 2);
	assert_int_equal(tl_profile_part(p, 0)->losses.gaps, 0);
	tl_profile_free(p);
}

/* The events of a newer header are further apart. */
static void events_are_found_by_their_size(void **state)
{
	struct {
		struct tl_event event;
		const char *more;
	} events[] = { { { .name = "A" }, "x" }, { { .name = "B" }, "y" } };
	struct tl_profile *p;

	(void)state;
	assert_int_equal(
		tl_profile_new(&p, "test", &events[0].event, sizeof(events[0]), 2, 0, NULL), 0);
	assert_string_equal(tl_profile_event(p, 0)->name, "A");
	assert_string_equal(tl_profile_event(p, 1)->name, "B");
	tl_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_fill_what_the_caller_has),
		cmocka_unit_test(losses_fill_what_the_caller_has),
		cmocka_unit_test(rows_fill_what_the_caller_has),
		cmocka_unit_test(durations_that_are_not_there_fill_nothing),
		cmocka_unit_test(an_older_caller_adds_structs_that_end_earlier),
		cmocka_unit_test(events_are_found_by_their_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
