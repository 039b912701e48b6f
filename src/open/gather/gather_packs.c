/* SPDX-License-Identifier: Apache-2.0 */
#include "open/gather/gather_packs.h"

#include <stdlib.h>

#include "core/memory.h"
#include "profile/merge/merge.h"

bool tl_gather_packs_fit(const struct tl_gather_packs *packs, const struct tl_profile *profile,
			 uint64_t memory)
{
	return profile->pack && packs->bytes + tl_pack_size(profile->pack) <= memory &&
	       packs->weight + tl_pack_weight(profile->pack) < TL_PACK_LARGE;
}

bool tl_gather_packs_keep(struct tl_gather_packs *packs, struct tl_profile *profile)
{
	if (!tl_grow(&packs->list, &packs->capacity, packs->count + 1, sizeof(*packs->list)))
		return false;
	packs->list[packs->count++] = profile;
	packs->bytes += tl_pack_size(profile->pack);
	packs->weight += tl_pack_weight(profile->pack);
	return true;
}

int tl_gather_packs_sum(struct tl_gather_packs *packs, struct tl_profile **sum,
			struct tl_error *err)
{
	int status = tl_merge_packs(sum, packs->list, packs->count, err);

	tl_gather_packs_free(packs);
	return status;
}

void tl_gather_packs_free(struct tl_gather_packs *packs)
{
	for (size_t i = 0; i < packs->count; i++)
		tl_profile_free(packs->list[i]);
	free(packs->list);
	*packs = (struct tl_gather_packs){ .count = 0 };
}
