/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_CALLS_H
#define TL_XTRACE_CALLS_H
/*
 * What the step from one instruction to the next means for the call stack: calls, returns, jumps
 * into other functions, exceptions. BL and BLR call, RET returns, whatever the flavour of pointer
 * authentication; TARGET_B says where BLR, BR, RET and ERET go. A PC that is another than that, or
 * another exception level, is an exception taken right there, or (ERET) its end; in a thread's
 * stream, where the kernel is not traced, a signal, or the end of one behind rt_sigreturn. Behind
 * execve another program begins.
 */
#include "xtrace/stack.h"

/* The instruction before. */
struct xtrace_last {
	uint64_t pc;
	uint64_t target; /* of its flow; of an SVC the number of the system call */
	uint8_t flow;    /* enum tl_a64_flow */
	uint8_t el;
	bool has_target;
	bool valid; /* false: at the beginning, or after a gap */
};

/* SP behind a change of the exception level, as ALLGPR says; or at the end of a segment. */
struct xtrace_told_sp {
	uint64_t sp;
	bool known;
	uint8_t switched; /* at the end of a segment, as the stack's, with what was left */
	uint64_t left;
};

/* Addresses, each once. */
struct xtrace_entries {
	uint64_t *list;
	size_t count, capacity;
	struct tl_index index;
};

/* False without memory. */
bool tl_xtrace_entries_add(struct xtrace_entries *entries, uint64_t pc);
void tl_xtrace_entries_free(struct xtrace_entries *entries);

/*
 * The step from `last` to an instruction at `next`. Places without a symbol that are called are
 * added to `entries`, unless it is NULL.
 */
void tl_xtrace_step_to(struct xtrace_stack *stack, struct xtrace_functions *functions,
		       struct xtrace_entries *entries, const struct xtrace_last *last,
		       const struct xtrace_place *next, struct xtrace_told_sp told);

#endif
