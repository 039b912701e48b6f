/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_COLLECT_STATE_H
#define TL_XTRACE_COLLECT_STATE_H
/* What is known of all registers of the program, followed from a snapshot on. */
#include "xtrace/elf/collect/steps.h"
#include "xtrace/elf/replay.h"
#include "xtrace/state/registers.h"

struct tl_xtrace_state {
	struct tl_xtrace_registers general;
	uint32_t vectors; /* Z0 to Z31 that are known, as a whole */
	bool predicates;  /* all of them are, and FFR */
	bool control, status;
	uint64_t fpcr, fpsr;
	struct tl_xtrace_replay_vectors values;
};

void tl_xtrace_state_begin(struct tl_xtrace_state *state,
			   const struct tl_xtrace_snapshot *snapshot);
void tl_xtrace_state_forget(struct tl_xtrace_state *state);
/* The instruction was executed. */
void tl_xtrace_state_step(struct tl_xtrace_state *state, const struct tl_xtrace_step *step);
/* It was, or was not. */
void tl_xtrace_state_doubt(struct tl_xtrace_state *state, const struct tl_xtrace_step *step);

/* Registers of Z0 to Z31 that an instruction may write, of which so many bytes count. */
uint32_t tl_xtrace_state_vector_writes(const struct tl_a64 *insn, uint32_t vector_bytes);

void tl_xtrace_vectors_of_snapshot(struct tl_xtrace_replay_vectors *vectors,
				   const struct tl_xtrace_snapshot *snapshot);

#endif
