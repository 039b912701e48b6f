/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/state/pages.h"

#include <stdlib.h>

#include "core/memory.h"

static struct tl_xtrace_page *slot_of(const struct tl_xtrace_pages *pages, uint64_t number)
{
	size_t at = (size_t)tl_hash64(number) & pages->mask;

	while (pages->slots[at].bytes && pages->slots[at].number != number)
		at = (at + 1) & pages->mask;
	return &pages->slots[at];
}

/* Twice the slots, before they are three quarters full. */
static bool make_room(struct tl_xtrace_pages *pages)
{
	struct tl_xtrace_pages grown = { .mask = pages->mask ? pages->mask * 2 + 1 : 63 };

	if (pages->slots && pages->count < pages->mask / 4 * 3)
		return true;
	grown.slots = calloc(grown.mask + 1, sizeof(*grown.slots));
	if (!grown.slots)
		return false;
	for (size_t i = 0; pages->slots && i <= pages->mask; i++)
		if (pages->slots[i].bytes)
			*slot_of(&grown, pages->slots[i].number) = pages->slots[i];
	free(pages->slots);
	pages->slots = grown.slots;
	pages->mask = grown.mask;
	return true;
}

uint8_t *tl_xtrace_pages_find(struct tl_xtrace_pages *pages, uint64_t number)
{
	struct tl_xtrace_page *slot;

	if (!make_room(pages))
		return NULL;
	slot = slot_of(pages, number);
	if (!slot->bytes) {
		slot->bytes =
			calloc(1, pages->page_bytes ? pages->page_bytes : TL_XTRACE_PAGE_BYTES);
		if (!slot->bytes)
			return NULL;
		slot->number = number;
		pages->count++;
	}
	pages->recent[number % TL_XTRACE_PAGES_RECENT] = *slot;
	return slot->bytes;
}

uint8_t *tl_xtrace_pages_known(const struct tl_xtrace_pages *pages, uint64_t number)
{
	return pages->slots ? slot_of(pages, number)->bytes : NULL;
}

void tl_xtrace_pages_free(struct tl_xtrace_pages *pages)
{
	for (size_t i = 0; pages->slots && i <= pages->mask; i++)
		free(pages->slots[i].bytes);
	free(pages->slots);
	*pages = (struct tl_xtrace_pages){ .page_bytes = pages->page_bytes };
}
