/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_GATHER_SUMS_H
#define TL_OPEN_GATHER_SUMS_H
/*
 * Profiles whose costs are wanted for all threads together are added to a sum as they come, one for
 * each kind of profiles (tl_merge_is_alike()): what is then kept as a profile file is that sum.
 */
#include "profile/merge/merge.h"

enum { TL_GATHER_KINDS = 8 };

struct tl_gather_sum {
	struct tl_profile *profile; /* not finished; NULL: nothing was added */
	uint64_t weight;            /* tl_merge_weight() of all that was added */
};

struct tl_gather_sums {
	struct tl_gather_sum list[TL_GATHER_KINDS];
	size_t oldest; /* which sum has to make room for one of another kind */
};

/*
 * The sum that a profile is to be added to: of its kind, or an empty one. Where it has no room for
 * the profile in this much memory, or in 64 bits, or where there are other kinds in all of them,
 * *full is set: that sum is to be taken out before.
 */
struct tl_gather_sum *tl_gather_sums_choose(struct tl_gather_sums *sums,
					    const struct tl_profile *profile, uint64_t memory,
					    bool *full);
/* Add a profile to the sum that was chosen, which is empty again after a failure. */
int tl_gather_sum_add(struct tl_gather_sum *sum, const struct tl_profile *profile,
		      struct tl_error *err);
/*
 * Take the profile, finished, out of a sum, which is empty then. It is NULL where nothing was
 * added, or after a failure.
 */
int tl_gather_sum_take(struct tl_gather_sum *sum, struct tl_profile **profile,
		       struct tl_error *err);
/* The one sum that is not empty; NULL: none, or several. */
struct tl_gather_sum *tl_gather_sums_only(struct tl_gather_sums *sums);
void tl_gather_sums_free(struct tl_gather_sums *sums);

#endif
