/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_INTERRUPTION_H
#define TL_XTRACE_INTERRUPTION_H
/*
 * Where a handler began that ends in a slice, but began before it, and what is known of what it
 * interrupted: from the last snapshot before, followed to there, and from the handler's frame.
 */
#include "xtrace/elf/collect/collector.h"
#include "xtrace/elf/collect/state.h"

struct tl_xtrace_interruption {
	uint32_t snapshot;     /* the last one before it */
	size_t segment;        /* that begins with it */
	uint64_t from, target; /* the instruction that was interrupted, and where that leads */
	uint64_t offset, next_offset;     /* of this one, and of the handler's first one */
	struct tl_xtrace_handler handler; /* with the contents of its frame, the caller's to free */
	struct tl_xtrace_state state;     /* where it returns to, but for what it stored there */
	uint32_t shown[2];                /* V0 to V31, of which these halves are known, too */
};

/*
 * Of the handler that ends with the present instruction, and goes on at `pc`. False: it is not to
 * be found.
 */
bool tl_xtrace_interruption_find(struct tl_xtrace_interruption *found,
				 const struct tl_xtrace_collector *c, uint64_t pc);
/* What is known there. False: not where its frame is, or what it put there; or it contradicts. */
bool tl_xtrace_interruption_look(struct tl_xtrace_interruption *found,
				 const struct tl_xtrace_collector *c, uint64_t pc);

#endif
