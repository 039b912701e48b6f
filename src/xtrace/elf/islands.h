/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_ISLANDS_H
#define TL_XTRACE_ISLANDS_H
/*
 * Islands: code between the pages of the slice, near enough for a branch from each rewritten
 * instruction, and the way into the slice.
 */
#include "xtrace/elf/context.h"
#include "xtrace/elf/replay.h"
#include "xtrace/elf/space.h"

struct tl_xtrace_islands {
	struct tl_xtrace_code *blocks;
	size_t count, capacity;
	struct tl_xtrace_context_table contexts; /* the sites' data follow behind each */
};

/* Where the data of a site is. */
uint64_t tl_xtrace_site_address(uint64_t context, size_t site);

/*
 * Make the code of every site, and lay it into the image; each site's instruction becomes a branch
 * to it, or another instruction. 0, or TL_UNSUPPORTED with the PC in `*where`, or TL_NO_MEMORY.
 */
int tl_xtrace_islands_make(struct tl_xtrace_islands *islands, struct tl_xtrace_replay *replay,
			   struct tl_xtrace_space *space, struct tl_error *err);
/*
 * The way in of a thread: X0 to X30, then the first instruction. To be called before the other
 * one. `*entry`: its address. 0, TL_UNSUPPORTED, TL_NO_MEMORY.
 */
int tl_xtrace_islands_entry(struct tl_xtrace_islands *islands, struct tl_xtrace_space *space,
			    const uint64_t *x, uint64_t first_pc, uint64_t *entry,
			    struct tl_error *err);
void tl_xtrace_islands_free(struct tl_xtrace_islands *islands);

#endif
