/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_SPACE_H
#define TL_XTRACE_SPACE_H
/* Which pages of the address space a slice touches, and where there is room between them. */
#include "xtrace/elf/context.h"
#include "xtrace/elf/replay.h"

struct tl_xtrace_space {
	uint64_t *pages; /* numbers of those taken, in order */
	size_t count, capacity;
};

/* The pages of an image. False without memory. */
bool tl_xtrace_space_make(struct tl_xtrace_space *space, const struct tl_xtrace_image *image);
/*
 * Room for `count` pages with a free page on both sides, so that a vector load that runs over the
 * end of a page faults as it did; the nearest above page `near`, else the nearest below, at most
 * `reach` pages away. Returns the number of the first, 0: there is none.
 */
uint64_t tl_xtrace_space_find(const struct tl_xtrace_space *space, uint64_t near, uint64_t reach,
			      uint64_t count);
/* The lowest multiple of `align` bytes, above 0, where so many pages are free; 0: there is none. */
uint64_t tl_xtrace_space_aligned(const struct tl_xtrace_space *space, uint64_t align,
				 uint64_t count);
/* Take pages that are free. False without memory. */
bool tl_xtrace_space_take(struct tl_xtrace_space *space, uint64_t first, uint64_t count);
void tl_xtrace_space_free(struct tl_xtrace_space *space);

/*
 * stacks.c: of several threads, lay the table of their stacks into the image, and say in `contexts`
 * where it is. 0; TL_UNSUPPORTED: two threads are on the same stack; TL_NO_MEMORY.
 */
int tl_xtrace_stacks_make(struct tl_xtrace_replay *replay, struct tl_xtrace_space *space,
			  struct tl_xtrace_context_table *contexts, struct tl_error *err);

#endif
