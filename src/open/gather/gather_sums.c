/* SPDX-License-Identifier: Apache-2.0 */
#include "open/gather/gather_sums.h"

/* About what a sum takes when it is finished and sorted. */
static uint64_t memory_of(const struct tl_profile *profile)
{
	enum { CONTEXT = 128, FUNCTION = 512, PART = 256 };

	return profile->contexts.table.count *
		       (CONTEXT + 2 * sizeof(int64_t) * profile->event_count) +
	       profile->functions.table.count * FUNCTION + profile->parts.count * PART;
}

static bool has_room(const struct tl_gather_sum *sum, const struct tl_profile *profile,
		     uint64_t memory)
{
	/* Sums of two of these have no carry. */
	const uint64_t largest = (uint64_t)INT64_MAX / 2, weight = tl_merge_weight(profile);

	return weight < largest && sum->weight < largest - weight &&
	       memory_of(sum->profile) + memory_of(profile) <= memory;
}

struct tl_gather_sum *tl_gather_sums_choose(struct tl_gather_sums *sums,
					    const struct tl_profile *profile, uint64_t memory,
					    bool *full)
{
	struct tl_gather_sum *empty = NULL;

	for (size_t i = 0; i < TL_GATHER_KINDS; i++) {
		struct tl_gather_sum *sum = &sums->list[i];

		if (!sum->profile) {
			empty = empty ? empty : sum;
		} else if (tl_merge_is_alike(sum->profile, profile)) {
			*full = !has_room(sum, profile, memory);
			return sum;
		}
	}
	*full = !empty;
	return empty ? empty : &sums->list[sums->oldest++ % TL_GATHER_KINDS];
}

int tl_gather_sum_add(struct tl_gather_sum *sum, const struct tl_profile *profile,
		      struct tl_error *err)
{
	int status = sum->profile ? 0 : tl_merge_begin(&sum->profile, profile, err);

	if (status == 0)
		status = tl_merge_into(sum->profile, profile, err);
	if (status == 0) {
		sum->weight += tl_merge_weight(profile);
		return 0;
	}
	tl_profile_free(sum->profile);
	*sum = (struct tl_gather_sum){ .profile = NULL };
	return status;
}

int tl_gather_sum_take(struct tl_gather_sum *sum, struct tl_profile **profile, struct tl_error *err)
{
	int status = sum->profile ? tl_profile_finish(sum->profile, err) : 0;

	*profile = sum->profile;
	*sum = (struct tl_gather_sum){ .profile = NULL };
	if (status < 0) {
		tl_profile_free(*profile);
		*profile = NULL;
	}
	return status;
}

struct tl_gather_sum *tl_gather_sums_only(struct tl_gather_sums *sums)
{
	struct tl_gather_sum *only = NULL;

	for (size_t i = 0; i < TL_GATHER_KINDS; i++) {
		if (!sums->list[i].profile)
			continue;
		if (only)
			return NULL;
		only = &sums->list[i];
	}
	return only;
}

void tl_gather_sums_free(struct tl_gather_sums *sums)
{
	for (size_t i = 0; i < TL_GATHER_KINDS; i++)
		tl_profile_free(sums->list[i].profile);
	*sums = (struct tl_gather_sums){ .oldest = 0 };
}
