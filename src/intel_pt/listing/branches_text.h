/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_LISTING_BRANCHES_TEXT_H
#define TL_INTEL_PT_LISTING_BRANCHES_TEXT_H
/*
 * Branches that were taken, a line each, in the order of execution: from, to, kind, and the
 * functions of both. Where tracing begins there is no "from"; where it ends, or where the trace
 * does not tell it, there is no "to".
 */
#include "intel_pt/listing/text.h"
#include "intel_pt/profile/functions.h"

/* Names of addresses of the present slice, remembered. */
enum { TL_PT_PLACES = 1 << 10 };
struct tl_pt_place {
	uint64_t ip, slice, offset; /* `offset` from the function's entry or the object's start */
	uint32_t function;          /* TL_NONE: no symbol */
};

struct tl_pt_places {
	struct tl_pt_functions *functions;
	uint64_t slice; /* its number, from 1 */
	struct tl_pt_place list[TL_PT_PLACES];
};

/* What is known of the last instruction, and what has been printed so far. */
struct tl_pt_branches {
	struct tl_output *out;
	const struct tl_pt_show *show;
	uint64_t tsc;            /* the clock, 0: unknown */
	uint64_t cycles;         /* all so far, those of the packet that comes next among them */
	uint64_t reached_cycles; /* those that had passed at the end of `last` */
	uint64_t insns;          /* since `told_cycles` */
	uint64_t told_cycles;
	struct tl_pt_insn last;
	bool pending;  /* `last` is a branch that has not been printed */
	bool counting; /* `told_cycles` is valid */
	bool outside;  /* of the window of time */
};

/* The next instruction was executed. */
void tl_pt_branches_insn(struct tl_pt_branches *branches, const struct tl_pt_insn *insn);
/* Something beside the flow. */
void tl_pt_branches_event(struct tl_pt_branches *branches, const struct tl_pt_event *event);
/* It is not known what comes next. */
void tl_pt_branches_gap(struct tl_pt_branches *branches);

#endif
