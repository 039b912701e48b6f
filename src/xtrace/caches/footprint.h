/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_FOOTPRINT_H
#define TL_XTRACE_FOOTPRINT_H
/*
 * Which lines and pages were fetched, loaded and stored, by exception level. Memory grows with the
 * memory touched: 56 bytes at most for 64 lines of an exception level.
 */
#include "xtrace/state/address_ids.h"

enum tl_xtrace_use {
	TL_XTRACE_USE_FETCH,
	TL_XTRACE_USE_LOAD,
	TL_XTRACE_USE_STORE,
	TL_XTRACE_USE_COUNT
};

/* 64 lines: a bit for each, by use. */
struct tl_xtrace_line_mask {
	uint64_t lines[TL_XTRACE_USE_COUNT];
};

struct tl_xtrace_footprint {
	unsigned line_shift;
	struct tl_xtrace_address_ids numbers; /* chunk << 2 | exception level */
	struct tl_xtrace_line_mask *chunks;
	uint64_t *keys; /* by number */
	size_t chunk_room, key_room;
	struct {
		uint64_t key; /* plus 1; 0: none */
		uint32_t number;
	} recent[TL_XTRACE_USE_COUNT];
};

/* Numbers of lines or pages: `data` are loaded or stored, `all` are data or fetched. */
struct tl_xtrace_footprint_counts {
	uint64_t fetched, loaded, stored, data, all;
};

static inline void tl_xtrace_footprint_begin(struct tl_xtrace_footprint *footprint,
					     unsigned line_shift)
{
	*footprint = (struct tl_xtrace_footprint){ .line_shift = line_shift };
}

/* The number of a chunk at an exception level, added if new; TL_NONE without memory. */
uint32_t tl_xtrace_footprint_mask(struct tl_xtrace_footprint *footprint, uint64_t key);
void tl_xtrace_footprint_free(struct tl_xtrace_footprint *footprint);

/* Add what another one touched. False without memory. */
bool tl_xtrace_footprint_add(struct tl_xtrace_footprint *sum,
			     const struct tl_xtrace_footprint *footprint);

enum { TL_XTRACE_EVERY_EL = 4 };

/* Sums for one exception level or all: of lines, and of pages. False without memory. */
bool tl_xtrace_footprint_sum(const struct tl_xtrace_footprint *footprint, unsigned el,
			     unsigned page_shift, struct tl_xtrace_footprint_counts *lines,
			     struct tl_xtrace_footprint_counts *pages);

/* One line of `use` at exception level `el` (0 .. 3). False without memory. */
static inline bool tl_xtrace_footprint_line(struct tl_xtrace_footprint *f, enum tl_xtrace_use use,
					    unsigned el, uint64_t line)
{
	uint64_t key = line >> 6 << 2 | el;

	if (f->recent[use].key != key + 1) {
		uint32_t number = tl_xtrace_footprint_mask(f, key);

		if (number == TL_NONE)
			return false;
		f->recent[use].key = key + 1;
		f->recent[use].number = number;
	}
	f->chunks[f->recent[use].number].lines[use] |= UINT64_C(1) << (line & 63);
	return true;
}

#endif
