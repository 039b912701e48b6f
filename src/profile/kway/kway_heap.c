/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/kway/kway_heap.h"

/* Equal elements come in the order of their lists. */
static int is_before(const struct tl_kway_heap *h, uint32_t a, uint32_t b)
{
	int order = h->compare(h->context, a, b);

	return order < 0 || (!order && a < b);
}

void tl_kway_heap_push(struct tl_kway_heap *h, uint32_t number)
{
	size_t at = h->count++;

	while (at && is_before(h, number, h->list[(at - 1) / 2])) {
		h->list[at] = h->list[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	h->list[at] = number;
}

static void sift(struct tl_kway_heap *h, uint32_t number)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < h->count) {
		if (child + 1 < h->count && is_before(h, h->list[child + 1], h->list[child]))
			child++;
		if (!is_before(h, h->list[child], number))
			break;
		h->list[at] = h->list[child];
		at = child;
	}
	h->list[at] = number;
}

void tl_kway_heap_pop(struct tl_kway_heap *h)
{
	if (--h->count)
		sift(h, h->list[h->count]);
}

void tl_kway_heap_moved(struct tl_kway_heap *h)
{
	sift(h, h->list[0]);
}
