/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_GATHER_PACKS_H
#define TL_OPEN_GATHER_PACKS_H
/*
 * Packed profiles that are kept as they are, as long as all of them and their sum fit into memory
 * and 64 bits: neither needs a profile file then.
 */
#include "profile/model/model.h"

struct tl_gather_packs {
	struct tl_profile **list;
	size_t count, capacity;
	uint64_t bytes, weight; /* of all packs */
};

/* Whether a profile is packed, and may be kept beside the others in this much memory. */
bool tl_gather_packs_fit(const struct tl_gather_packs *packs, const struct tl_profile *profile,
			 uint64_t memory);
/* Keep a profile that fits, which is the list's then. False without memory. */
bool tl_gather_packs_keep(struct tl_gather_packs *packs, struct tl_profile *profile);
/* The sum of all, packed; none is left. */
int tl_gather_packs_sum(struct tl_gather_packs *packs, struct tl_profile **sum,
			struct tl_error *err);
void tl_gather_packs_free(struct tl_gather_packs *packs);

#endif
