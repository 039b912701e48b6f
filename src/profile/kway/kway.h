/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_KWAY_H
#define TL_PROFILE_KWAY_H
/*
 * Many profile files into one, as a k-way merge of sorted sections: of each file one block is in
 * memory at a time. The bytes are those of tl_pfile_write() of what tl_profile_merge() makes of the
 * profiles in the files.
 */
#include "profile/kway/kway_piece.h"

/* What came of a merge. */
struct tl_kway_result {
	struct tl_losses losses; /* of no part */
	bool had_contexts;       /* some file has call stacks */
	bool has_contexts;       /* the result has */
};

/*
 * Whether no sum can be larger than its 64 bits. Where one may be, the profiles have to be merged
 * in memory, since the head of a file says how many sums did not fit.
 */
bool tl_kway_fits(struct tl_kway_piece *const *pieces, size_t count);

/*
 * Merge usable pieces, at least one, which are only closed afterwards. With `spare`, an empty file
 * without a name, or -1, two threads do it: one of them writes there first.
 */
int tl_kway_merge(struct tl_kway_piece *const *pieces, size_t count, int spare,
		  struct tl_output *out, struct tl_kway_result *result, struct tl_error *err);

#endif
