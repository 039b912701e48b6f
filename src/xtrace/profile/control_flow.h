/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_CONTROL_FLOW_H
#define TL_XTRACE_CONTROL_FLOW_H
/*
 * The operation on the call stack between an instruction and the next: calls, returns, jumps into
 * other functions, exceptions. BL and BLR call, RET returns, with or without pointer
 * authentication; TARGET_B is the target of BLR, BR, RET and ERET. If the next PC or exception
 * level is another one, an exception was taken between the two instructions, or (ERET) it ended; in
 * a thread's stream, where the kernel is not traced, a signal, or the end of one behind
 * rt_sigreturn. Behind execve another program begins.
 */
#include "xtrace/profile/call_stack.h"
#include "xtrace/state/entries.h"

/* The instruction before. */
struct tl_xtrace_prev_insn {
	uint64_t pc;
	uint64_t target; /* of its flow; of an SVC the number of the system call */
	uint8_t flow;    /* enum tl_a64_flow */
	uint8_t el;
	bool has_target;
	bool valid; /* false: at the beginning, or after a gap */
};

/* SP after a change of the exception level, from ALLGPR; or at the end of a segment. */
struct tl_xtrace_observed_sp {
	uint64_t sp;
	bool known;
	uint8_t switched; /* at the end of a segment, as the stack's, with what was left */
	uint64_t left;
};

/*
 * The addresses that `next`, behind `last`, shows to be entries of functions; returns how many. Of
 * `next` only the address and the level are used.
 */
size_t tl_xtrace_entries_between(const struct tl_xtrace_prev_insn *last,
				 const struct tl_xtrace_location *next, uint64_t entries[2]);

/* Add an address to `entries`, and if it is new there to those that `functions` has found. */
bool tl_xtrace_note_entry(struct tl_xtrace_function_map *functions,
			  struct tl_xtrace_entry_points *entries, uint64_t pc);

/*
 * The step from `last` to an instruction at `next`. Places without a symbol that are called are
 * noted in `entries`, unless it is NULL.
 */
void tl_xtrace_follow_flow(struct tl_xtrace_call_stack *stack,
			   struct tl_xtrace_function_map *functions,
			   struct tl_xtrace_entry_points *entries,
			   const struct tl_xtrace_prev_insn *last,
			   const struct tl_xtrace_location *next,
			   struct tl_xtrace_observed_sp observed);

#endif
