/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_SHADOW_H
#define TL_XTRACE_SHADOW_H
/*
 * What is known of memory from the accesses so far: bytes, and which of them are known. Grows with
 * what a program touches.
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
 * To forget is always right, if not always needed: with more pages than this everything is
 * forgotten, so that the memory of a machine is enough for whatever trace; and also when so much
 * was to be looked through for what is to be forgotten that it would take longer than reading the
 * trace.
 */
enum { TL_XTRACE_SHADOW_MOST_PAGES = 4 << 20 };

struct tl_xtrace_shadow {
	struct tl_xtrace_pages pages;
	uint64_t credit; /* slots that may be looked through: some for each access */
};

void tl_xtrace_shadow_begin(struct tl_xtrace_shadow *shadow);
void tl_xtrace_shadow_free(struct tl_xtrace_shadow *shadow);

/* What an access found. */
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
/* Someone who is not in the trace wrote there, or may have. */
void tl_xtrace_shadow_forget(struct tl_xtrace_shadow *shadow, unsigned space, uint64_t address,
			     uint64_t size);
/* The same for all of an address space. */
void tl_xtrace_shadow_forget_all(struct tl_xtrace_shadow *shadow, unsigned space);

#endif
