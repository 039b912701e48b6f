/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_SHADOW_H
#define TL_XTRACE_SHADOW_H
/*
 * Shadow memory: the bytes that the accesses of a trace have shown so far, with a bit a byte for
 * "known". It grows with the pages that a program touches.
 */
#include <string.h>

#include "core/cursor.h"
#include "xtrace/state/pages.h"

/* Small pages, since what programs touch is often scattered. */
enum {
	TL_XTRACE_SHADOW_BYTES = 512,
	TL_XTRACE_SHADOW_KNOWN =
		TL_XTRACE_SHADOW_BYTES, /* a bit a byte, behind the bytes of a page */
	/* And some, so that bits are read eight bytes at a time. */
	TL_XTRACE_SHADOW_PAGE = TL_XTRACE_SHADOW_BYTES + TL_XTRACE_SHADOW_BYTES / 8 + 8,
	TL_XTRACE_SHADOW_SPACES = 512,
	TL_XTRACE_SHADOW_PAGE_BITS = 9,
	TL_XTRACE_SHADOW_CREDIT = 64, /* of an access */
};

/*
 * An unknown byte never breaks a rule, so forgetting is always allowed. All bytes are forgotten
 * when there are more pages than this, which bounds memory for any trace; and when the search for
 * bytes to forget would take longer than reading the trace, which `credit` counts.
 */
enum { TL_XTRACE_SHADOW_MOST_PAGES = 4 << 20 };

struct tl_xtrace_shadow {
	struct tl_xtrace_pages pages;
	uint64_t credit; /* slots that may be looked through: some for each access */
};

void tl_xtrace_shadow_begin(struct tl_xtrace_shadow *shadow);
void tl_xtrace_shadow_free(struct tl_xtrace_shadow *shadow);

/* Whether a load agrees with the known bytes. */
enum tl_xtrace_shadow_result {
	TL_XTRACE_SHADOW_AGREES,
	TL_XTRACE_SHADOW_DISAGREES,
	TL_XTRACE_SHADOW_NO_MEMORY
};

/* Bytes were stored at an address; in an address space, a number below SHADOW_SPACES. False without
 * memory.
 */
bool tl_xtrace_shadow_store(struct tl_xtrace_shadow *shadow, unsigned space, uint64_t address,
			    const uint8_t *data, size_t size);
/* Bytes were loaded: do they agree with those that are known? They are known from here on. */
enum tl_xtrace_shadow_result tl_xtrace_shadow_load(struct tl_xtrace_shadow *shadow, unsigned space,
						   uint64_t address, const uint8_t *data,
						   size_t size);
/* Whether a known byte is another one; nothing becomes known. */
bool tl_xtrace_shadow_differs(const struct tl_xtrace_shadow *shadow, unsigned space,
			      uint64_t address, const uint8_t *data, size_t size);
/* Eight bytes of one page as a number, if all are known; nothing becomes known. */
bool tl_xtrace_shadow_number_at(const struct tl_xtrace_shadow *shadow, unsigned space,
				uint64_t address, uint64_t *value);
/*
 * Whether these bytes, at most 32 inside 512, are at the same place of another page of 4 KiB in the
 * other half of the addresses: the kernel has a second address for each page of a program. Bytes
 * there that are not known count as 0, which pages are filled with before a program gets them.
 */
bool tl_xtrace_shadow_has_twin(struct tl_xtrace_shadow *shadow, uint64_t address,
			       const uint8_t *data, size_t size);
/* The kernel or a device may have written there. */
void tl_xtrace_shadow_forget(struct tl_xtrace_shadow *shadow, unsigned space, uint64_t address,
			     uint64_t size);
/* The same for all of an address space. */
void tl_xtrace_shadow_forget_all(struct tl_xtrace_shadow *shadow, unsigned space);

static inline uint64_t tl_xtrace_shadow_number(unsigned space, uint64_t address)
{
	return address >> TL_XTRACE_SHADOW_PAGE_BITS | (uint64_t)space
							       << (64 - TL_XTRACE_SHADOW_PAGE_BITS);
}

/*
 * The inline parts of store and load, of at most 16 bytes of a page that was used lately. False:
 * the bytes are not, or, of a load, not known to be these; then nothing has changed.
 */
static inline uint8_t *tl_xtrace_shadow_recent(const struct tl_xtrace_shadow *shadow,
					       unsigned space, uint64_t address, size_t size)
{
	uint64_t number = tl_xtrace_shadow_number(space, address);
	const struct tl_xtrace_page *page = &shadow->pages.recent[number % TL_XTRACE_PAGES_RECENT];

	if (page->number != number ||
	    address % TL_XTRACE_SHADOW_BYTES + size > TL_XTRACE_SHADOW_BYTES)
		return NULL;
	return shadow->pages.count < TL_XTRACE_SHADOW_MOST_PAGES ? page->bytes : NULL;
}

static inline bool tl_xtrace_shadow_store_recent(struct tl_xtrace_shadow *shadow, unsigned space,
						 uint64_t address, const uint8_t *data, size_t size)
{
	uint8_t *page = tl_xtrace_shadow_recent(shadow, space, address, size), *known;
	size_t offset = address % TL_XTRACE_SHADOW_BYTES;
	uint64_t bits;

	if (!page)
		return false;
	known = page + TL_XTRACE_SHADOW_KNOWN + offset / 8;
	bits = tl_get64s(known, TL_HOST_BIG_ENDIAN) | ((UINT64_C(1) << size) - 1) << offset % 8;
	bits = TL_HOST_BIG_ENDIAN ? __builtin_bswap64(bits) : bits;
	memcpy(known, &bits, sizeof(bits));
	memcpy(page + offset, data, size);
	shadow->credit += TL_XTRACE_SHADOW_CREDIT;
	return true;
}

static inline bool tl_xtrace_shadow_load_recent(struct tl_xtrace_shadow *shadow, unsigned space,
						uint64_t address, const uint8_t *data, size_t size)
{
	const uint8_t *page = tl_xtrace_shadow_recent(shadow, space, address, size);
	size_t offset = address % TL_XTRACE_SHADOW_BYTES;
	uint64_t mask = (UINT64_C(1) << size) - 1;

	if (!page ||
	    (~(tl_get64s(page + TL_XTRACE_SHADOW_KNOWN + offset / 8, TL_HOST_BIG_ENDIAN) >>
	       offset % 8) &
	     mask) ||
	    memcmp(page + offset, data, size) != 0)
		return false;
	shadow->credit += TL_XTRACE_SHADOW_CREDIT;
	return true;
}

#endif
