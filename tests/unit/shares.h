/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_SHARES_H
#define TESTS_UNIT_SHARES_H
/* An input that is folded in shares, which are added up, against the input folded as a whole. */
#include <tracelathe/open.h>

#include "unit.h"

/* The profile of one share; `shares` 0: of all. The caller frees it. */
static inline struct tl_profile *fold_share(const char *path,
					    const struct tl_input_options *options, uint32_t share,
					    uint32_t shares)
{
	struct tl_input_options chosen = *options;
	struct tl_profile *profile;
	struct tl_input *input;

	chosen.share = share;
	chosen.shares = shares;
	assert_int_equal(tl_input_open(&input, &path, 1, &chosen, NULL, NULL), 0);
	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	tl_input_close(input);
	return profile;
}

/* The profile file of an input in so many shares, the last one first; 0: as a whole. */
static inline struct tl_output *
gather_shares(const char *path, const struct tl_input_options *options, uint32_t shares)
{
	struct tl_gather *gather;
	struct tl_output *out;

	assert_int_equal(tl_gather_open(&gather, NULL, NULL), 0);
	for (uint32_t i = shares ? shares : 1; i-- > 0;) {
		struct tl_profile *profile = fold_share(path, options, i, shares);

		assert_int_equal(tl_gather_add(gather, profile, NULL), 0);
		tl_profile_free(profile);
	}
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_gather_write(gather, out, NULL, 0, NULL), 0);
	tl_gather_close(gather);
	return out;
}

static inline void assert_shares_add_up(const char *path, const struct tl_input_options *options,
					uint32_t shares)
{
	struct tl_output *whole = gather_shares(path, options, 0);
	struct tl_output *sum = gather_shares(path, options, shares);
	size_t size, sum_size;
	const void *bytes = tl_output_bytes(whole, &size), *got = tl_output_bytes(sum, &sum_size);

	assert_true(size > 0);
	assert_int_equal(sum_size, size);
	assert_memory_equal(got, bytes, size);
	tl_output_discard(whole);
	tl_output_discard(sum);
}

#endif
