/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_NEST_H
#define TL_XTRACE_NEST_H
/*
 * Handlers that begin and end while something else is followed: SP, and what they change of what
 * they interrupt.
 */
#include "xtrace/elf/collect/signals.h"
#include "xtrace/elf/collect/steps.h"

enum { TL_XTRACE_MOST_NESTED = 8 };

struct tl_xtrace_nest_store {
	uint64_t address, size;
	const uint8_t *data;
	bool elsewhere; /* by a register that no handler's frame is known by */
};

/* Zero-filled: SP is unknown, and no handler has begun. */
struct tl_xtrace_nest {
	struct tl_xtrace_sp sp, outer[TL_XTRACE_MOST_NESTED];
	size_t depth, begins[TL_XTRACE_MOST_NESTED];
	struct tl_xtrace_step interrupted[TL_XTRACE_MOST_NESTED];
	struct tl_xtrace_nest_store *stores;   /* of the handlers that have not ended */
	struct tl_xtrace_signal_frame changed; /* of the last one that has ended */
	size_t count, capacity;
	uint32_t vector_bytes;
};

/*
 * An instruction is executed, where these general registers have known values, which are none of
 * those that the kernel sets for a handler. False without memory.
 */
bool tl_xtrace_nest_step(struct tl_xtrace_nest *nest, const struct tl_xtrace_step *step,
			 uint64_t known);
/* A handler begins behind it. False: too many have. */
bool tl_xtrace_nest_begin(struct tl_xtrace_nest *nest, const struct tl_xtrace_step *step);
/*
 * The innermost ends, with this system call: what it changed. False: that is not known, or it did
 * not begin here, or another one begins where it ends, as innermost.
 */
bool tl_xtrace_nest_end(struct tl_xtrace_nest *nest, const struct tl_xtrace_step *step);
/* Whether what it interrupted was executed, as control goes on at `pc`: 1, 0; -1: maybe. */
int tl_xtrace_nest_executed(const struct tl_xtrace_step *step,
			    const struct tl_xtrace_signal_frame *changed, uint64_t pc);
void tl_xtrace_nest_free(struct tl_xtrace_nest *nest);

#endif
