/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All elements of a kind, of every profile, in an order that does not depend on that of the
 * profiles.
 */
#include "profile/merge/merge.h"

struct tl_merge_ref *tl_merge_sorted(const struct tl_merge *merge,
				     uint32_t (*count)(const struct tl_profile *profile),
				     tl_merge_compare_fn *compare, size_t *total)
{
	struct tl_merge_ref *refs;
	size_t at = 0;

	*total = 0;
	for (size_t p = 0; p < merge->count; p++)
		*total += count(merge->from[p]);
	refs = malloc((*total + 1) * sizeof(*refs));
	if (!refs)
		return NULL;
	for (size_t p = 0; p < merge->count; p++) {
		uint32_t things = count(merge->from[p]);

		for (uint32_t i = 0; i < things; i++)
			refs[at++] = (struct tl_merge_ref){ (uint32_t)p, i };
	}
	qsort_r(refs, *total, sizeof(*refs), compare, (void *)(uintptr_t)merge);
	return refs;
}
