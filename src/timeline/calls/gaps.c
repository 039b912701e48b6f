/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/calls/gaps.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/memory.h"

/* The one that comes later is told by the one before it, as a part of it. */
static void join(struct tl_call_gap *gap, const struct tl_call_gap *later)
{
	gap->to = tl_max(gap->to, later->to);
	gap->length += later->length;
	gap->count += later->count;
}

static void join_neighbours(struct tl_call_gaps *gaps)
{
	for (size_t i = 0; i < gaps->count / 2; i++) {
		gaps->list[i] = gaps->list[2 * i];
		join(&gaps->list[i], &gaps->list[2 * i + 1]);
	}
	gaps->count /= 2;
}

bool tl_call_gaps_add(struct tl_call_gaps *gaps, const struct tl_call_gap *gap)
{
	if (gaps->count == TL_MOST_GAPS)
		join_neighbours(gaps);
	if (!tl_grow(&gaps->list, &gaps->capacity, gaps->count + 1, sizeof(*gap)))
		return false;
	gaps->list[gaps->count++] = *gap;
	return true;
}

void tl_call_gaps_free(struct tl_call_gaps *gaps)
{
	free(gaps->list);
	*gaps = (struct tl_call_gaps){ 0 };
}
