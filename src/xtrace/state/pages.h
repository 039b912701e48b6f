/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_PAGES_H
#define TL_XTRACE_PAGES_H
/*
 * Sparse memory: zeroed pages by number, allocated on first use, so that memory grows with the
 * footprint of a trace and not with its length. A zero-filled struct is empty.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TL_XTRACE_PAGE_BYTES = 4096, TL_XTRACE_PAGES_RECENT = 512 };

struct tl_xtrace_page {
	uint64_t number;
	uint8_t *bytes; /* NULL: a free slot */
};

struct tl_xtrace_pages {
	/* Those used last, by the low bits of their numbers: most accesses go to a few. */
	struct tl_xtrace_page recent[TL_XTRACE_PAGES_RECENT];
	struct tl_xtrace_page *slots; /* open addressing */
	size_t mask, count;
	size_t page_bytes; /* 0: TL_XTRACE_PAGE_BYTES; set before the first page is made */
};

/* The page of a number whether or not it is among those used last; NULL without memory. */
uint8_t *tl_xtrace_pages_find(struct tl_xtrace_pages *pages, uint64_t number);
/* The page of a number if there is one. */
uint8_t *tl_xtrace_pages_known(const struct tl_xtrace_pages *pages, uint64_t number);
void tl_xtrace_pages_free(struct tl_xtrace_pages *pages);

static inline uint8_t *tl_xtrace_pages_get(struct tl_xtrace_pages *pages, uint64_t number)
{
	const struct tl_xtrace_page *recent = &pages->recent[number % TL_XTRACE_PAGES_RECENT];

	if (__builtin_expect(recent->number == number && recent->bytes, 1))
		return recent->bytes;
	return tl_xtrace_pages_find(pages, number);
}

#endif
