/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_XRAY_FOLDS_H
#define TESTS_XRAY_FOLDS_H
/* Traces put together by hand, folded, and what a profile says of a function. */
#include "bytes.h"

#include "profile/model/unsized.h"

static const struct tl_xray_fold_options all __attribute__((unused)) = {
	.size = sizeof(all),
	.thread = TL_NOWHERE,
	.process = TL_NOWHERE,
	.cpu = TL_NOWHERE,
};
/* clang-format on */

/* NULL options: everything. */
static inline struct tl_profile *fold(const struct bytes *b,
				      const struct tl_xray_fold_options *options)
{
	struct tl_profile *profile;
	struct trace t;

	open_trace(&t, b, NULL);
	assert_int_equal(tl_xray_fold(t.reader, NULL, options, &profile, &t.err), 0);
	close_trace(&t);
	return profile;
}

static inline uint32_t find(const struct tl_profile *profile, uint64_t id)
{
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		if (tl_profile_function(profile, i)->id == id)
			return i;
	return TL_NONE;
}

static inline void has(const struct tl_profile *profile, uint64_t id, uint64_t calls,
		       uint64_t unfinished, int64_t self, int64_t inclusive)
{
	struct tl_function_totals totals = { 0 };
	uint32_t number = find(profile, id);

	assert_int_not_equal(number, TL_NONE);
	tl_profile_totals_of(profile, number, TL_NONE, &totals);
	assert_int_equal(totals.calls, calls);
	assert_int_equal(totals.unfinished, unfinished);
	assert_int_equal(*totals.self, self);
	assert_int_equal(*totals.inclusive, inclusive);
}

static inline void duration(const struct tl_profile *profile, uint64_t id, uint64_t sum)
{
	struct tl_latency latency;

	assert_true(tl_profile_latency_of(profile, find(profile, id), TL_NONE, &latency));
	assert_int_equal(latency.calls, 1);
	assert_int_equal(latency.sum, sum);
}

/*
 * t: 100      110      130       140
 *    enter 1  enter 2  exit 2    exit 1
 */
static inline void put_two_calls(struct bytes *b)
{
	size_t start;

	put_header(b, 5, FDR, 1000, 16384);
	start = begin_block(b, 1, 2, 100);
	put_function(b, ENTER, 1, 0);
	put_function(b, ENTER, 2, 10);
	put_function(b, EXIT, 2, 20);
	put_function(b, EXIT, 1, 10);
	end_block(b, start);
}

#endif
