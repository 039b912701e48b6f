/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_SHADOW_H
#define TL_XTRACE_SHADOW_H
/*
 * Shadow memory: the bytes that the accesses of a trace have shown so far, with a bit a byte for
 * "known". It grows with the pages that a program touches.
 */
#include "xtrace/state/pages.h"

/* Small pages, since what programs touch is often scattered. */
enum {
	TL_XTRACE_SHADOW_BYTES = 512,
	TL_XTRACE_SHADOW_KNOWN =
		TL_XTRACE_SHADOW_BYTES, /* a bit a byte, behind the bytes of a page */
	/* And some, so that bits are read eight bytes at a time. */
	TL_XTRACE_SHADOW_PAGE = TL_XTRACE_SHADOW_BYTES + TL_XTRACE_SHADOW_BYTES / 8 + 8,
	TL_XTRACE_SHADOW_SPACES = 512,
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
/* The kernel or a device may have written there. */
void tl_xtrace_shadow_forget(struct tl_xtrace_shadow *shadow, unsigned space, uint64_t address,
			     uint64_t size);
/* The same for all of an address space. */
void tl_xtrace_shadow_forget_all(struct tl_xtrace_shadow *shadow, unsigned space);

#endif
