/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The durations of a function's calls. Expected quantiles are read off a sorted copy: t[n/2],
 * t[.9n], t[.99n].
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include "core/wide.h"
#include "profile/model/latency.h"

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 16;
}

static void note_all(struct tl_latencies *l, const uint64_t *values, size_t count, bool exact)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		assert_true(tl_latency_note(l, values[i], exact));
		sum += values[i];
	}
	tl_latency_total(l, count, sum);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

struct expected {
	uint64_t min, max, sum, median, p90, p99;
};

static struct expected expect(const uint64_t *values, size_t count)
{
	uint64_t *sorted = malloc(count * sizeof(*sorted));
	struct expected e = { 0 };

	assert_non_null(sorted);
	memcpy(sorted, values, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_value);
	for (size_t i = 0; i < count; i++)
		e.sum += sorted[i];
	e.min = sorted[0];
	e.max = sorted[count - 1];
	e.median = sorted[count / 2];
	e.p90 = sorted[count * 9 / 10];
	e.p99 = sorted[count * 99 / 100];
	free(sorted);
	return e;
}

static void assert_exact(const struct tl_latency *got, const struct expected *want, size_t count)
{
	assert_int_equal(got->calls, count);
	assert_int_equal(got->min, want->min);
	assert_int_equal(got->max, want->max);
	assert_int_equal(got->sum, want->sum);
	assert_int_equal(got->median, want->median);
	assert_int_equal(got->p90, want->p90);
	assert_int_equal(got->p99, want->p99);
}

/* "med = t[n/2], 90p = t[floor(.9 n)], 99p = t[floor(.99 n)] of the sorted durations" */
TEST(quantiles_of_few_calls_are_exact)
{
	uint64_t values[200], seed = 7;

	for (size_t n = 1; n <= 200; n++) {
		struct tl_latencies l = TL_LATENCIES_NONE;
		struct tl_latency got;
		struct expected want;

		for (size_t i = 0; i < n; i++)
			values[i] = next_random(&seed) % (n % 3 ? 1000000 : 10);
		want = expect(values, n);
		note_all(&l, values, n, false);
		tl_latency_settle(&l);
		tl_latency_figures(&l, &got);
		assert_true(got.exact);
		assert_exact(&got, &want, n);
		tl_latency_free(&l);
	}
}

/* "Room for so many durations more, which need no histogram": nothing else changes. */
TEST(room_that_is_made_ahead_changes_no_figure)
{
	uint64_t values[3000], seed = 9;

	for (size_t n = 1; n <= 3000; n = n * 5 / 3 + 1) {
		struct tl_latencies l = TL_LATENCIES_NONE;
		struct tl_latency got;
		struct expected want;

		for (size_t i = 0; i < n; i++)
			values[i] = next_random(&seed) % 1000;
		want = expect(values, n);
		assert_true(tl_latency_reserve(&l, n / 2, false));
		note_all(&l, values, n / 2, false);
		assert_true(tl_latency_reserve(&l, n - n / 2, false));
		note_all(&l, values + n / 2, n - n / 2, false);
		tl_latency_settle(&l);
		tl_latency_figures(&l, &got);
		assert_int_equal(got.exact, n <= TL_LATENCY_EXACT);
		if (got.exact)
			assert_exact(&got, &want, n);
		assert_int_equal(got.calls, n);
		tl_latency_free(&l);
	}
}

/* Ten calls of 10, 20, ... 100 ticks, in no order: the figures by hand. */
TEST(ten_calls_by_hand)
{
	static const uint64_t values[] = { 70, 10, 100, 30, 90, 20, 60, 40, 80, 50 };
	struct tl_latencies l = TL_LATENCIES_NONE;
	struct tl_latency got;

	note_all(&l, values, 10, false);
	tl_latency_settle(&l);
	tl_latency_figures(&l, &got);
	assert_int_equal(got.calls, 10);
	assert_int_equal(got.min, 10);
	assert_int_equal(got.max, 100);
	assert_int_equal(got.sum, 550);
	assert_int_equal(got.median, 60); /* t[5] */
	assert_int_equal(got.p90, 100);   /* t[9] */
	assert_int_equal(got.p99, 100);   /* t[floor(9.9)] */
	tl_latency_free(&l);
}

/* "so are the quantiles while there are at most TL_LATENCY_EXACT calls (or always, when asked)" */
TEST(the_limit_of_exactness)
{
	static const struct {
		size_t count;
		bool asked, exact;
	} cases[] = { { 2047, false, true },
		      { 2048, false, true },
		      { 2049, false, false },
		      { 2049, true, true },
		      { 5000, true, true } };
	uint64_t values[5000], seed = 11;

	for (size_t i = 0; i < 5000; i++)
		values[i] = next_random(&seed) % 1000000007;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct tl_latencies l = TL_LATENCIES_NONE;
		struct expected want = expect(values, cases[c].count);
		struct tl_latency got;

		note_all(&l, values, cases[c].count, cases[c].asked);
		tl_latency_settle(&l);
		tl_latency_figures(&l, &got);
		assert_int_equal(got.exact, cases[c].exact);
		if (cases[c].exact)
			assert_exact(&got, &want, cases[c].count);
		tl_latency_free(&l);
	}
}

/* ---- the histogram ---- */

enum { MANY = 6000 };

static uint64_t uniform(size_t i, uint64_t *seed)
{
	(void)i;
	return next_random(seed) % 1000000;
}

/* Exponential by halves: as many durations of [2^k, 2^(k+1)) as of all above. */
static uint64_t exponential(size_t i, uint64_t *seed)
{
	unsigned octave = (unsigned)__builtin_ctzll(next_random(seed) | UINT64_C(1) << 40);

	(void)i;
	return (UINT64_C(1) << octave) + next_random(seed) % (UINT64_C(1) << octave);
}

static uint64_t constant(size_t i, uint64_t *seed)
{
	(void)i;
	(void)seed;
	return 1234567;
}

static uint64_t powers_of_two(size_t i, uint64_t *seed)
{
	(void)seed;
	return UINT64_C(1) << i % 48;
}

static uint64_t below_powers_of_two(size_t i, uint64_t *seed)
{
	(void)seed;
	return (UINT64_C(1) << (i % 48 + 1)) - 1;
}

static uint64_t extremes(size_t i, uint64_t *seed)
{
	(void)seed;
	return i % 2 ? UINT64_C(1) << 63 : 0;
}

static uint64_t every_size(size_t i, uint64_t *seed)
{
	return next_random(seed) << 16 >> (i % 64);
}

static uint64_t tiny(size_t i, uint64_t *seed)
{
	(void)i;
	return next_random(seed) % 128;
}

static void assert_within(uint64_t got, uint64_t want)
{
	uint64_t off = got > want ? got - want : want - got;

	if ((long double)off * 1000 > (long double)want * 4)
		fail_msg("%llu is more than 0.4 %% from %llu", (unsigned long long)got,
			 (unsigned long long)want);
}

/*
 * "a quantile is then at most 1/256 (0.4 %) from the truth"; "Count, sum, minimum and maximum are
 * exact"
 */
TEST(the_histogram_is_close)
{
	static uint64_t (*const distributions[])(size_t i, uint64_t *seed) = {
		uniform,  exponential, constant, powers_of_two, below_powers_of_two,
		extremes, every_size,  tiny,
	};
	static uint64_t values[MANY];

	for (size_t d = 0; d < sizeof(distributions) / sizeof(distributions[0]); d++) {
		struct tl_latencies l = TL_LATENCIES_NONE;
		struct tl_latency got;
		struct expected want;
		uint64_t seed = d + 1;

		for (size_t i = 0; i < MANY; i++)
			values[i] = distributions[d](i, &seed);
		want = expect(values, MANY);
		note_all(&l, values, MANY, false);
		tl_latency_settle(&l);
		tl_latency_figures(&l, &got);
		assert_false(got.exact);
		assert_int_equal(got.calls, MANY);
		assert_int_equal(got.min, want.min);
		assert_int_equal(got.max, want.max);
		assert_int_equal(got.sum, want.sum);
		assert_within(got.median, want.median);
		assert_within(got.p90, want.p90);
		assert_within(got.p99, want.p99);
		if (distributions[d] == constant || distributions[d] == tiny) {
			/*
			 * "Octave 0 holds 0 .. 127 one by one"; no figure lies outside [min, max].
			 */
			assert_int_equal(got.median, want.median);
			assert_int_equal(got.p90, want.p90);
			assert_int_equal(got.p99, want.p99);
		}
		tl_latency_free(&l);
	}
}

/* Every duration has a bucket of the table, also the largest one. */
TEST(the_largest_duration_has_a_bucket)
{
	static const uint64_t values[] = { 0, 127, 128, 255, 256, UINT64_C(1) << 63, UINT64_MAX };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		unsigned octave = tl_latency_octave(values[i]);

		assert_true(octave < TL_LATENCY_OCTAVES);
		assert_true(tl_latency_bucket(values[i], octave) < 1u << TL_LATENCY_SUB_BITS);
	}
}

/* ---- merging ---- */

static void assert_same(const struct tl_latency *a, const struct tl_latency *b)
{
	assert_int_equal(a->calls, b->calls);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_int_equal(a->sum, b->sum);
	assert_int_equal(a->median, b->median);
	assert_int_equal(a->p90, b->p90);
	assert_int_equal(a->p99, b->p99);
	assert_int_equal(a->exact, b->exact);
}

static void settled_figures(struct tl_latencies *l, struct tl_latency *figures)
{
	tl_latency_settle(l);
	tl_latency_figures(l, figures);
	tl_latency_free(l);
}

/*
 * "Which of the two is kept depends on the number of calls alone, never on the order in which parts
 * were merged."
 */
TEST(the_order_of_merging_does_not_matter)
{
	static const size_t splits[][3] = { { 1, 2, 3 },         { 600, 700, 748 },
					    { 600, 700, 749 },   { 2048, 1, 0 },
					    { 2049, 1, 1 },      { 0, 3000, 10 },
					    { 1000, 1000, 49 },  { 2500, 2500, 900 },
					    { 2048, 2048, 2048 } };
	static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
					  { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	static uint64_t values[6200];
	uint64_t seed = 99;

	for (size_t i = 0; i < 6200; i++)
		values[i] = next_random(&seed) >> (i % 40);
	for (size_t s = 0; s < 2 * sizeof(splits) / sizeof(splits[0]); s++) {
		const size_t *sizes = splits[s / 2];
		bool exact = s % 2;
		struct tl_latencies whole = TL_LATENCIES_NONE;
		struct tl_latency want;

		note_all(&whole, values, sizes[0] + sizes[1] + sizes[2], exact);
		settled_figures(&whole, &want);
		assert_int_equal(want.exact, exact || sizes[0] + sizes[1] + sizes[2] <= 2048);
		for (int o = 0; o < 6; o++) {
			struct tl_latencies parts[3], sum = TL_LATENCIES_NONE;
			struct tl_latency got;
			size_t at = 0;

			for (int p = 0; p < 3; at += sizes[p++]) {
				parts[p] = TL_LATENCIES_NONE;
				note_all(&parts[p], values + at, sizes[p], exact);
			}
			for (int p = 0; p < 3; p++)
				assert_true(tl_latency_merge(&sum, &parts[orders[o][p]], exact));
			settled_figures(&sum, &got);
			assert_same(&got, &want);
			for (int p = 0; p < 3; p++)
				tl_latency_free(&parts[p]);
		}
	}
}

/* "Add all of `from`, which is left as it was." */
TEST(merging_leaves_the_other_as_it_was)
{
	static uint64_t values[3000];
	struct tl_latencies few = TL_LATENCIES_NONE, many = TL_LATENCIES_NONE,
			    sum = TL_LATENCIES_NONE;
	struct tl_latency got;

	for (size_t i = 0; i < 3000; i++)
		values[i] = i + 1;
	note_all(&few, values, 10, false);
	note_all(&many, values, 3000, false);
	assert_true(tl_latency_merge(&sum, &few, false));
	assert_true(tl_latency_merge(&sum, &many, false));
	tl_latency_free(&sum);
	settled_figures(&few, &got);
	assert_int_equal(got.calls, 10);
	assert_int_equal(got.sum, 55);
	assert_int_equal(got.median, 6);
	settled_figures(&many, &got);
	assert_int_equal(got.calls, 3000);
	assert_int_equal(got.sum, 3000 * 3001 / 2);
	assert_within(got.median, 1501);
}

/* "a sum over 2^63 - 1 saturates, and is counted": here at the end of 64 bits, where it is kept. */
TEST(the_sum_saturates_and_is_counted)
{
	struct tl_latencies a = TL_LATENCIES_NONE, b = TL_LATENCIES_NONE;
	struct tl_latency got;

	assert_true(tl_latency_note(&a, 5, false));
	assert_true(tl_latency_note(&b, 6, false));
	tl_latency_total(&a, 1, UINT64_MAX - 5);
	tl_latency_total(&a, 0, 5);
	assert_int_equal(a.saturated, 0);
	tl_latency_total(&b, 1, 1);
	assert_true(tl_latency_merge(&a, &b, false));
	assert_int_equal(a.saturated, 1);
	tl_latency_settle(&a);
	tl_latency_figures(&a, &got);
	assert_true(got.sum == UINT64_MAX);
	assert_int_equal(got.calls, 2);
	tl_latency_total(&a, 0, 1);
	assert_int_equal(a.saturated, 2);
	tl_latency_free(&a);
	tl_latency_free(&b);
}

/* ---- another clock ---- */

/*
 * "each times `times` / `per` to the nearest": as if they had been noted by that clock, where they
 * are kept one by one.
 */
TEST(few_durations_are_scaled_exactly)
{
	static const uint64_t ticks[] = { 7, 1, 2, 3, 1000, 2 }, ns[] = { 2, 0, 1, 1, 333, 1 };
	struct tl_latencies by_ticks = TL_LATENCIES_NONE, by_ns = TL_LATENCIES_NONE,
			    scaled = TL_LATENCIES_NONE;
	struct tl_latency got, want;

	note_all(&by_ticks, ticks, 6, false);
	note_all(&by_ns, ns, 6, false);
	assert_true(tl_latency_scale(&scaled, &by_ticks, 1, 3));
	settled_figures(&scaled, &got);
	settled_figures(&by_ns, &want);
	/* The sum is rounded by itself: a third of 1015. */
	assert_int_equal(want.sum, 2 + 0 + 1 + 1 + 333 + 1);
	want.sum = 338;
	assert_same(&got, &want);
	tl_latency_free(&by_ticks);
}

/* "quantiles ... are at most 0.8 % off" (profile/transform/nanoseconds.h), the rest is exact */
TEST(many_durations_are_scaled_by_bucket)
{
	static const struct {
		uint64_t times, per;
	} rates[] = { { 1, 1 }, { 1000000000, 2600000000 }, { 1000000000, 33000000 }, { 7, 8 } };
	static uint64_t values[MANY];

	for (size_t r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
		struct tl_latencies l = TL_LATENCIES_NONE, scaled = TL_LATENCIES_NONE;
		const uint64_t times = rates[r].times, per = rates[r].per;
		uint64_t seed = r + 1, quantiles[3];
		struct expected want;
		struct tl_latency got;

		for (size_t i = 0; i < MANY; i++)
			values[i] = exponential(i, &seed) + 1000;
		want = expect(values, MANY);
		note_all(&l, values, MANY, false);
		assert_true(tl_latency_scale(&scaled, &l, times, per));
		settled_figures(&scaled, &got);
		assert_false(got.exact);
		assert_int_equal(got.calls, MANY);
		assert_int_equal(got.min, tl_scale_unsigned_nearest(want.min, times, per));
		assert_int_equal(got.max, tl_scale_unsigned_nearest(want.max, times, per));
		assert_int_equal(got.sum, tl_scale_unsigned_nearest(want.sum, times, per));
		quantiles[0] = got.median;
		quantiles[1] = got.p90;
		quantiles[2] = got.p99;
		for (size_t q = 0; q < 3; q++) {
			const uint64_t truths[] = { want.median, want.p90, want.p99 };
			double truth = (double)truths[q] * (double)times / (double)per;

			/* And half a unit, to which it is rounded. */
			assert_true(fabs((double)quantiles[q] - truth) <= truth * 0.008 + 0.5);
		}
		tl_latency_free(&l);
	}
}

TEST(a_scaled_sum_that_does_not_fit_is_counted)
{
	static const uint64_t large = UINT64_MAX / 3;
	struct tl_latencies l = TL_LATENCIES_NONE, scaled = TL_LATENCIES_NONE;

	note_all(&l, &large, 1, false);
	assert_true(tl_latency_scale(&scaled, &l, 4, 1));
	assert_int_equal(scaled.sum, UINT64_MAX);
	assert_int_equal(scaled.saturated, 1);
	tl_latency_free(&l);
	tl_latency_free(&scaled);
}

TEST(nothing_is_scaled_to_nothing)
{
	struct tl_latencies l = TL_LATENCIES_NONE, scaled = TL_LATENCIES_NONE;

	assert_true(tl_latency_scale(&scaled, &l, 4, 1));
	assert_int_equal(scaled.min, UINT64_MAX);
	assert_int_equal(scaled.max, 0);
	tl_latency_free(&scaled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_of_few_calls_are_exact),
		cmocka_unit_test(room_that_is_made_ahead_changes_no_figure),
		cmocka_unit_test(ten_calls_by_hand),
		cmocka_unit_test(the_limit_of_exactness),
		cmocka_unit_test(the_histogram_is_close),
		cmocka_unit_test(the_largest_duration_has_a_bucket),
		cmocka_unit_test(the_order_of_merging_does_not_matter),
		cmocka_unit_test(merging_leaves_the_other_as_it_was),
		cmocka_unit_test(the_sum_saturates_and_is_counted),
		cmocka_unit_test(few_durations_are_scaled_exactly),
		cmocka_unit_test(many_durations_are_scaled_by_bucket),
		cmocka_unit_test(a_scaled_sum_that_does_not_fit_is_counted),
		cmocka_unit_test(nothing_is_scaled_to_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
