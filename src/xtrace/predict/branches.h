/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_BRANCHES_H
#define TL_XTRACE_BRANCHES_H
/*
 * Branches: how often each was executed and taken, where it led, and what predictors said of it.
 * Where a branch led is known at the next instruction of its exception level, or by its TARGET_B.
 */
#include "isa/a64/a64.h"
#include "xtrace/predict/predictor.h"
#include "xtrace/state/address_ids.h"

enum tl_xtrace_branch_kind {
	TL_XTRACE_BRANCH_CONDITIONAL,
	TL_XTRACE_BRANCH_JUMP,
	TL_XTRACE_BRANCH_CALL,
	TL_XTRACE_BRANCH_JUMP_REGISTER,
	TL_XTRACE_BRANCH_CALL_REGISTER,
	TL_XTRACE_BRANCH_RETURN,
	TL_XTRACE_BRANCH_KINDS,
};

const char *tl_xtrace_branch_kind_name(enum tl_xtrace_branch_kind kind);

/* `unknown`: an exception, damage or the end came before it was seen where it led. */
struct tl_xtrace_branch_count {
	uint64_t executions, taken, unknown;
};

/* Targets of one branch; zero-filled is none. */
struct tl_xtrace_branch_targets {
	struct tl_xtrace_address_ids ids;
	uint64_t *counts, *addresses; /* by number */
	size_t count_room, address_room;
};

/* A branch of the program. */
struct tl_xtrace_branch_site {
	uint64_t address;
	uint32_t el;
	enum tl_xtrace_branch_kind kind;
	struct tl_xtrace_branch_count count;
	uint64_t missed[TL_XTRACE_PREDICTORS];
	struct tl_xtrace_branch_targets targets; /* where it is taken to */
};

/* Of all streams. Zero-filled is the beginning. */
struct tl_xtrace_branches {
	struct tl_xtrace_address_ids ids; /* address | exception level */
	struct tl_xtrace_branch_site *list;
	size_t room;
	struct tl_a64_cache *instructions;
};

/* Of a stream. */
struct tl_xtrace_branch_stream {
	struct tl_xtrace_predictors predictors;
	struct {
		uint64_t asked, missed;
	} predicted[TL_XTRACE_PREDICTORS];
	struct tl_xtrace_branch_count kinds[TL_XTRACE_BRANCH_KINDS];
	/* The last instruction, if it is a branch. */
	struct {
		bool open, counted, has_target;
		enum tl_xtrace_branch_kind kind;
		uint64_t pc, target;
		int64_t offset; /* of a direct one */
		unsigned el;
	} now;
};

bool tl_xtrace_branches_begin(struct tl_xtrace_branches *branches);
void tl_xtrace_branches_free(struct tl_xtrace_branches *branches);

/*
 * An instruction of the stream, after which `pc` comes; `counted`: it counts, and does not only
 * teach the predictors. False without memory.
 */
bool tl_xtrace_branch_step(struct tl_xtrace_branches *branches, struct tl_xtrace_branch_stream *s,
			   uint64_t pc, unsigned el, uint32_t opcode, bool counted);
/* TARGET_B of the last instruction. */
static inline void tl_xtrace_branch_target(struct tl_xtrace_branch_stream *s, uint64_t target)
{
	s->now.has_target = true;
	s->now.target = target;
}
/* Nothing is known of what comes next. False without memory. */
bool tl_xtrace_branch_gap(struct tl_xtrace_branches *branches, struct tl_xtrace_branch_stream *s);

/* Bits (Shannon) of where a branch leads: of the direction of a conditional one, else targets. */
double tl_xtrace_branch_entropy(const struct tl_xtrace_branch_site *site);

#endif
