/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/file/numbers.h"

#include <tracelathe/core.h>

bool tl_pfile_numbers_add(struct tl_pfile_numbers *numbers, uint64_t number, uint32_t element)
{
	struct tl_pfile_run *last = numbers->count ? &numbers->runs[numbers->count - 1] : NULL;

	if (last && number - last->first == last->count && element - last->element == last->count) {
		last->count++;
		return true;
	}
	if (!tl_grow(&numbers->runs, &numbers->capacity, numbers->count + 1,
		     sizeof(*numbers->runs)))
		return false;
	numbers->runs[numbers->count++] = (struct tl_pfile_run){ number, 1, element };
	return true;
}

uint32_t tl_pfile_numbers_search(const struct tl_pfile_numbers *numbers, uint64_t number)
{
	size_t low = 0, high = numbers->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct tl_pfile_run *run = &numbers->runs[middle];

		if (number < run->first)
			high = middle;
		else if (number - run->first < run->count)
			return run->element + (uint32_t)(number - run->first);
		else
			low = middle + 1;
	}
	return TL_NONE;
}
