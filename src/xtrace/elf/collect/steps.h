/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_STEPS_H
#define TL_XTRACE_STEPS_H
/* A stream instruction by instruction, for what is looked for beside the slice's own walk. */
#include "isa/a64/a64.h"
#include "xtrace/format/walk.h"

/* An instruction with its tokens. */
struct tl_xtrace_step {
	struct tl_a64 insn;
	struct tl_xtrace_walk tokens; /* at its own; those behind it are its, until the next one */
	size_t segment;
	uint64_t pc, offset;
	uint64_t target; /* TL_NOWHERE: not told */
	uint64_t call;   /* X8 of a system call; TL_NOWHERE: none */
	uint64_t result; /* of it */
	bool has_result, accessed;
	/* The one behind it; TL_NOWHERE: the stream is over. */
	uint64_t next, next_offset;
};

/* False: enough was seen. */
typedef bool tl_xtrace_step_fn(void *arg, const struct tl_xtrace_step *step);

/*
 * The instructions of a stream from a segment on, up to an offset. False: they are not whole (a
 * part is damaged, has no PC, or ran in the kernel).
 */
bool tl_xtrace_each_step(struct tl_xtrace_trace *trace, uint32_t stream, size_t segment,
			 uint64_t end, tl_xtrace_step_fn *fn, void *arg);

/* The next token of a step; NONE: there is none. `tokens` is a copy of the step's. */
static inline enum tl_xtrace_kind tl_xtrace_step_token(struct tl_xtrace_walk *tokens)
{
	enum tl_xtrace_kind kind = tl_xtrace_walk_next(tokens);

	return tl_xtrace_is_instruction(kind) ? TL_XTRACE_NONE : kind;
}

/* Whether an instruction at `pc`, which goes to `target`, can lead to `next`. */
bool tl_xtrace_may_follow(const struct tl_a64 *insn, uint64_t pc, uint64_t target, uint64_t next);

/* It is executed again, as it faulted or was interrupted. */
bool tl_xtrace_step_repeats(const struct tl_xtrace_step *step);
/* Control goes on elsewhere than it leads; by rt_sigreturn. */
bool tl_xtrace_step_breaks(const struct tl_xtrace_step *step);
bool tl_xtrace_step_returns(const struct tl_xtrace_step *step);
/* A branch, which leads there. */
bool tl_xtrace_step_branches_to(const struct tl_xtrace_step *step, uint64_t pc);

#endif
