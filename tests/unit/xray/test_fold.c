/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XRay traces to profiles: clocks, ids, losses, sums of profiling mode. Figures are worked out by
 * hand beside each trace.
 */
#include "folds.h"
#include "xray/calls/walk.h"
#include "xray/records/reader.h"

TEST(a_whole_trace)
{
	struct bytes b = { 0 };
	struct tl_profile *profile;

	put_two_calls(&b);
	profile = fold(&b, NULL);
	assert_int_equal(tl_profile_event_count(profile), 1);
	assert_string_equal(tl_profile_event(profile, 0)->name, "Ticks");
	assert_int_equal(tl_profile_frequency(profile), 1000);
	assert_true(tl_profile_timed(profile));
	assert_string_equal(tl_profile_format(profile), "xray");
	assert_int_equal(tl_profile_part_count(profile), 1);
	assert_int_equal(tl_profile_part(profile, 0)->process, 1);
	assert_int_equal(tl_profile_part(profile, 0)->thread, 2);
	assert_int_equal(tl_profile_part(profile, 0)->first_ticks, 100);
	assert_int_equal(tl_profile_part(profile, 0)->last_ticks, 140);
	assert_int_equal(tl_profile_part(profile, 0)->records, 9);
	assert_string_equal(tl_profile_function(profile, 0)->name, "#1");
	has(profile, 1, 1, 0, 20, 40);
	has(profile, 2, 1, 0, 20, 20);
	duration(profile, 1, 40);
	assert_int_equal(*tl_profile_total(profile), 40);
	tl_profile_free(profile);
	free_bytes(&b);
}

/* docs/abi.md: "a size below that of the first release is TL_BAD_USAGE"; a larger one is taken. */
TEST(sizes_of_options)
{
	struct {
		struct tl_xray_fold_options options;
		unsigned char unknown[64];
	} newer = { .options = all };
	struct bytes b = { 0 };
	struct trace t;

	put_two_calls(&b);
	open_trace(&t, &b, NULL);
	memset(newer.unknown, 0xff, sizeof(newer.unknown));
	for (size_t size = 0; size <= sizeof(newer); size++) {
		struct tl_profile *profile = (struct tl_profile *)&t;
		int status;

		newer.options.size = size;
		status = tl_xray_fold(t.reader, NULL, &newer.options, &profile, &t.err);
		if (size < sizeof(newer.options)) {
			assert_int_equal(status, TL_BAD_USAGE);
			assert_int_equal(t.err.status, TL_BAD_USAGE);
			assert_null(profile);
		} else {
			assert_int_equal(status, 0);
			has(profile, 2, 1, 0, 20, 20);
			tl_profile_free(profile);
		}
	}
	close_trace(&t);
	free_bytes(&b);
}

/* ---- the clock ---- */

/*
 * "base := absolute TSC of NewCPUId or TSCWrap"; events of version 5 move it, those of version 4 do
 * not (2.4).
 */
TEST(the_clock_follows_metadata)
{
	for (unsigned version = 4; version <= 5; version++) {
		struct tl_profile *profile;
		struct bytes b = { 0 };
		size_t start;

		put_header(&b, version, FDR, 0, 16384);
		start = begin_block(&b, 1, 2, 100);
		put_function(&b, ENTER, 1, 0);
		put_tsc_wrap(&b, 5000000000);
		put_function(&b, EXIT, 1, 0);
		put_function(&b, ENTER, 2, 0);
		put_new_cpu(&b, 3, 5000000070);
		put_function(&b, EXIT, 2, 5);
		put_function(&b, ENTER, 3, 0);
		put_custom(&b, version == 5 ? 50 : 9000000000, 0, "x", 1);
		put_typed(&b, 7, 1, "", 0);
		put_function(&b, EXIT, 3, 10);
		end_block(&b, start);
		profile = fold(&b, NULL);
		duration(profile, 1, 4999999900);
		duration(profile, 2, 75);
		duration(profile, 3, version == 5 ? 67 : 17);
		assert_int_equal(tl_profile_losses_of(profile).time_reversals, 0);
		tl_profile_free(profile);
		free_bytes(&b);
	}
}

/* Blocks of a wrapped ring are folded in the order of time: no orphan, no step back. */
TEST(blocks_are_folded_in_time_order)
{
	struct tl_profile *profile;
	struct bytes b = { 0 };
	size_t start;

	put_header(&b, 5, FDR, 0, 16384);
	start = begin_block(&b, 1, 2, 200);
	put_function(&b, EXIT, 1, 0);
	end_block(&b, start);
	start = begin_block(&b, 1, 2, 100);
	put_function(&b, ENTER, 1, 0);
	end_block(&b, start);
	profile = fold(&b, NULL);
	duration(profile, 1, 100);
	assert_int_equal(tl_profile_losses_of(profile).orphan_exits, 0);
	assert_int_equal(tl_profile_losses_of(profile).time_reversals, 0);
	tl_profile_free(profile);
	free_bytes(&b);
}

/* ---- ids ---- */

/*
 * "28 bits, no sign extension": ids of every size are told apart, by file order of their first
 * call.
 */
TEST(ids_of_28_bits)
{
	static const uint32_t some[] = { 1,     2,       65534,   65535,      65536,
					 65537, 1 << 20, 1 << 27, 0x0ffffffe, 0x0fffffff };
	enum { SOME = 10, MANY = 3000 };
	struct tl_profile *profile;
	struct bytes b = { 0 };
	size_t start;

	put_header(&b, 5, FDR, 0, 1 << 20);
	start = begin_block(&b, 1, 2, 100);
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < SOME; i++) {
			put_function(&b, ENTER, some[i], 0);
			put_function(&b, EXIT, some[i], i + 1);
		}
		for (uint32_t i = 0; i < MANY; i++) {
			put_function(&b, ENTER, 100 + i * 77777, 0);
			put_function(&b, EXIT, 100 + i * 77777, 1);
		}
	}
	end_block(&b, start);
	profile = fold(&b, NULL);
	assert_int_equal(tl_profile_function_count(profile), SOME + MANY);
	for (uint32_t i = 0; i < SOME; i++) {
		assert_int_equal(find(profile, some[i]), i);
		has(profile, some[i], 2, 0, 2 * ((int64_t)i + 1), 2 * ((int64_t)i + 1));
	}
	for (uint32_t i = 0; i < MANY; i++)
		has(profile, 100 + i * 77777, 2, 0, 2, 2);
	assert_string_equal(tl_profile_function(profile, 9)->name, "#268435455");
	tl_profile_free(profile);
	free_bytes(&b);
}

/* ---- losses ---- */

TEST(losses_are_told)
{
	struct tl_profile *profile;
	struct tl_losses losses;
	struct bytes b = { 0 };
	size_t start;

	put_header(&b, 5, FDR, 0, 16384);
	start = begin_block(&b, 1, 2, 100);
	put_function(&b, EXIT, 9, 0);   /* orphan */
	put_function(&b, ENTER, 1, 10); /* 110 */
	put_function(&b, ENTER, 2, 10); /* 120 */
	put_function(&b, EXIT, 1, 10);  /* 130, 2 deduced */
	put_function(&b, ENTER, 3, 0);  /* unfinished */
	put_function(&b, 6, 3, 0);      /* unknown action: 8 bytes lost */
	end_block(&b, start);
	put_repeat(&b, 0x77, 5); /* 5 bytes between buffers */
	start = begin_block(&b, 1, 2, 400);
	put_function(&b, ENTER, 4, 0);
	put_tsc_wrap(&b, 300);         /* time goes back */
	put_function(&b, EXIT, 4, 20); /* 320 */
	end_block(&b, start);
	profile = fold(&b, NULL);
	losses = tl_profile_losses_of(profile);
	assert_int_equal(losses.orphan_exits, 1);
	assert_int_equal(losses.deduced_exits, 1);
	assert_int_equal(losses.unfinished, 1);
	assert_int_equal(losses.time_reversals, 1);
	assert_int_equal(losses.gaps, 2);
	assert_int_equal(losses.skipped_bytes, 13);
	has(profile, 1, 1, 0, 10, 20);
	has(profile, 2, 1, 0, 10, 10);
	has(profile, 4, 1, 0, 20, 20);
	has(profile, 3, 0, 1, 0, 290);            /* what 4 took, and the gap */
	has(profile, TL_NOWHERE, 0, 0, 270, 270); /* (lost): 130..400 */
	tl_profile_free(profile);
	free_bytes(&b);
}

/* ---- profiling mode ---- */

/* Ticks of a path are those of its calls with all below: what the entries below leave is self. */
TEST(profiling_mode_gives_self_and_inclusive)
{
	static const int32_t one[] = { 1, 0 }, two[] = { 2, 1, 0 }, three[] = { 3, 2, 1, 0 },
			     again[] = { 1, 3, 2, 1, 0 };
	struct tl_xray_fold_options options = all;
	struct tl_profile *profile;
	struct tl_latency latency;
	struct bytes b = { 0 };
	size_t start;

	put_profiling_header(&b, 0, 4711);
	start = begin_samples(&b, 0, 12);
	put_sample(&b, one, 1, 1000);
	put_sample(&b, two, 5, 300);
	put_sample(&b, three, 2, 100);
	put_sample(&b, again, 1, 10);
	end_samples(&b, start);
	start = begin_samples(&b, 1, 13);
	put_sample(&b, one, 2, 50);
	end_samples(&b, start);
	profile = fold(&b, NULL);
	assert_false(tl_profile_timed(profile));
	assert_int_equal(tl_profile_part_count(profile), 2);
	assert_int_equal(tl_profile_part(profile, 1)->thread, 13);
	assert_int_equal(tl_profile_part(profile, 1)->process, 4711);
	has(profile, 1, 4, 0, 700 + 10 + 50, 1050);
	has(profile, 2, 5, 0, 200, 300);
	has(profile, 3, 2, 0, 90, 100);
	assert_int_equal(*tl_profile_total(profile), 1050);
	assert_false(tl_profile_latency_of(profile, 0, TL_NONE, &latency));
	tl_profile_free(profile);
	options.thread = 13;
	profile = fold(&b, &options);
	assert_int_equal(*tl_profile_total(profile), 50);
	assert_int_equal(tl_profile_part_count(profile), 1);
	tl_profile_free(profile);
	free_bytes(&b);
}

/*
 * Ticks are signed: a path with negative ones, or with fewer than the paths below it, has no known
 * time (2.9). Paths, their ticks, and what is below them:
 *
 *   1                    1000
 *   1 2                   -50   unknown
 *   1 2 3                 400
 *   1 2 3 4               900   more than 1 2 3, whose time is therefore unknown
 *   1 5                    60
 *
 * Of the 1000, 900 + 60 are known; 40 belong to 1, 1 2 or 1 2 3.
 */
TEST(times_that_are_unknown)
{
	static const int32_t paths[][5] = {
		{ 1, 0 }, { 2, 1, 0 }, { 3, 2, 1, 0 }, { 4, 3, 2, 1, 0 }, { 5, 1, 0 }
	};
	static const int64_t ticks[] = { 1000, -50, 400, 900, 60 };
	const struct tl_xray_fault *faults;
	struct tl_profile *profile;
	uint64_t count, skipped;
	struct bytes b = { 0 };
	struct trace t;
	size_t start, listed, at[5];

	put_profiling_header(&b, 0, 1);
	start = begin_samples(&b, 0, 12);
	for (size_t i = 0; i < 5; i++) {
		at[i] = b.size;
		put_sample(&b, paths[i], i + 1, (uint64_t)ticks[i]);
	}
	end_samples(&b, start);
	open_trace(&t, &b, NULL);
	assert_int_equal(tl_xray_fold(t.reader, NULL, NULL, &profile, &t.err), 0);
	faults = tl_xray_faults(t.reader, &listed, &count, &skipped);
	assert_int_equal(count, 2);
	assert_int_equal(faults[0].offset, at[1]);
	assert_int_equal(faults[1].offset, at[2]);
	assert_int_equal(skipped, 0);
	close_trace(&t);
	has(profile, 1, 1, 0, 0, 1000);
	has(profile, 2, 2, 0, 0, 900);
	has(profile, 3, 3, 0, 0, 900);
	has(profile, 4, 4, 0, 900, 900);
	has(profile, 5, 5, 0, 60, 60);
	assert_string_equal(tl_profile_function(profile, 5)->name, "(unknown)");
	has(profile, TL_NOWHERE, 0, 0, 40, 40);
	assert_int_equal(*tl_profile_total(profile), 1000);
	assert_int_equal(tl_profile_losses_of(profile).saturated, 0);
	tl_profile_free(profile);
	free_bytes(&b);
}

/* "exact: keep every duration" */
TEST(exact_quantiles_when_asked)
{
	struct tl_xray_fold_options options = all;
	struct bytes b = { 0 };
	size_t start;

	put_header(&b, 5, FDR, 0, 1 << 20);
	start = begin_block(&b, 1, 2, 100);
	for (uint32_t i = 1; i <= 4001; i++) {
		put_function(&b, ENTER, 1, 0);
		put_function(&b, EXIT, 1, i);
	}
	end_block(&b, start);
	for (unsigned exact = 0; exact < 2; exact++) {
		struct tl_profile *profile;
		struct tl_latency latency;

		options.exact = exact;
		profile = fold(&b, &options);
		assert_true(tl_profile_latency_of(profile, 0, TL_NONE, &latency));
		assert_int_equal(latency.exact, exact);
		assert_int_equal(latency.calls, 4001);
		assert_int_equal(latency.sum, 4001 * 4002 / 2);
		if (exact) {
			assert_int_equal(latency.median, 2001);
			assert_int_equal(latency.p99, 3961); /* t[floor(3960.99)] of 1 2 3 ... */
		}
		assert_true(latency.median > 1990 && latency.median < 2012);
		tl_profile_free(profile);
	}
	free_bytes(&b);
}

/* In strict mode a fold fails at the first fault, and there is no profile. */
TEST(a_strict_fold_fails_at_the_fault)
{
	struct tl_xray_options strict = { .size = sizeof(strict), .strict = true };
	struct tl_profile *profile = (struct tl_profile *)1;
	struct bytes b = { 0 };
	struct trace t;

	put_two_calls(&b);
	b.data[112 + 8] = 0x0a; /* action 5 of the second function */
	open_trace(&t, &b, &strict);
	assert_int_equal(tl_xray_fold(t.reader, NULL, NULL, &profile, &t.err), TL_BAD_RECORD);
	assert_null(profile);
	assert_int_equal(t.err.offset, 120);
	assert_int_equal(t.err.record, 6);
	assert_string_equal(t.err.format, "xray");
	close_trace(&t);
	free_bytes(&b);
}

/* Steps of a thread from leaf to leaf: 0 at its end, or negative. */
static int walk_all(struct tl_xray_reader *reader, struct tl_error *err)
{
	struct tl_xray_walk walk;
	struct tl_call_leaf leaf;
	int status;

	assert_true(tl_xray_walk_begin(&walk, reader, &reader->threads[0], &all, NULL));
	while ((status = tl_xray_walk_leaf(&walk, &leaf, err)) == 1)
		;
	tl_xray_walk_end(&walk);
	return status;
}

/*
 * Records that are read many at a time have numbers all the same: 100 times enter 1, enter 2,
 * exit 2, exit 1 behind the five records of the head, and number `bad` of them, from 0 on, has an
 * action that is none. With call paths, without them, with calls between functions, and as steps.
 */
TEST(a_fault_behind_a_run_has_its_number)
{
	enum { HEAD = 32 + 80, RECORDS = 400, STEPS = 3 };
	static const size_t bad[] = { 2, 4, 5, 303, RECORDS - 1 };
	const struct tl_xray_options strict = { .size = sizeof(strict), .strict = true };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]) * (STEPS + 1); i++) {
		const size_t number = bad[i / (STEPS + 1)], way = i % (STEPS + 1);
		struct tl_xray_fold_options options = all;
		struct tl_profile *profile = NULL;
		struct bytes b = { 0 };
		struct trace t;
		size_t start;

		put_header(&b, 5, FDR, 1000, 16384);
		start = begin_block(&b, 1, 2, 100);
		for (uint32_t r = 0; r < RECORDS; r++)
			put_function(&b, r % 4 < 2 ? ENTER : EXIT, r % 4 % 3 ? 2 : 1, 1);
		end_block(&b, start);
		b.data[HEAD + 8 * number] = 0x0a; /* action 5 */
		open_trace(&t, &b, &strict);
		options.flat = way != 0;
		options.arcs = way == 2;
		assert_int_equal(way == STEPS
					 ? walk_all(t.reader, &t.err)
					 : tl_xray_fold(t.reader, NULL, &options, &profile, &t.err),
				 TL_BAD_RECORD);
		assert_null(profile);
		assert_int_equal(t.err.offset, HEAD + 8 * number);
		assert_int_equal(t.err.record, 5 + number);
		close_trace(&t);
		free_bytes(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fault_behind_a_run_has_its_number),
		cmocka_unit_test(a_whole_trace),
		cmocka_unit_test(sizes_of_options),
		cmocka_unit_test(the_clock_follows_metadata),
		cmocka_unit_test(blocks_are_folded_in_time_order),
		cmocka_unit_test(ids_of_28_bits),
		cmocka_unit_test(losses_are_told),
		cmocka_unit_test(profiling_mode_gives_self_and_inclusive),
		cmocka_unit_test(times_that_are_unknown),
		cmocka_unit_test(exact_quantiles_when_asked),
		cmocka_unit_test(a_strict_fold_fails_at_the_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
