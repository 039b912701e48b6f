/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/elf/marks.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/memory.h"

/* Elements from one mark to the next; so many marks are worth their memory. */
enum { STEP = 64, LEAST = 4 };

bool tl_marks_make(struct tl_marks *marks, const uint64_t *first, size_t size, size_t count)
{
	const size_t wanted = count / STEP;

	if (wanted < LEAST)
		return true;
	marks->list = tl_alloc_many(wanted, sizeof(*marks->list));
	if (!marks->list)
		return false;
	for (size_t i = 0; i < wanted; i++)
		memcpy(&marks->list[i], (const char *)first + i * STEP * size,
		       sizeof(*marks->list));
	marks->count = wanted;
	return true;
}

void tl_marks_narrow(const struct tl_marks *marks, uint64_t address, size_t *low, size_t *high)
{
	size_t from = 0, to = marks->count;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (marks->list[middle] <= address)
			from = middle + 1;
		else
			to = middle;
	}
	/* The element of the mark is one of those, and that of the next mark is not. */
	if (from)
		*low = (from - 1) * STEP;
	if (from < marks->count)
		*high = tl_min(*high, from * STEP);
}

void tl_marks_free(struct tl_marks *marks)
{
	free(marks->list);
	*marks = (struct tl_marks){ .list = NULL };
}
