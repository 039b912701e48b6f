/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_COVERAGE_COVERAGE_H
#define TL_INTEL_PT_COVERAGE_COVERAGE_H
/*
 * From traces to coverage: executed instructions and branches are counted at the nodes of the
 * graph, without a call stack.
 */
#include "intel_pt/profile/faults.h"
#include "profile/coverage/coverage.h"

struct tl_pt_coverage_options {
	uint64_t thread, process, cpu; /* TL_NOWHERE: any */
	uint64_t from_ticks, to_ticks; /* a window of time; 0: open */
	unsigned jobs;
	bool strict; /* stop at the first fault */
};

/*
 * Add what the feed's threads executed. Branches whose target the trace does not tell (it was lost,
 * or tracing ended) have no edge. 0 or a negative tl_status.
 */
int tl_pt_coverage(const struct tl_pt_feed *feed, const struct tl_pt_coverage_options *options,
		   struct tl_pt_faults *faults, struct tl_coverage *coverage, struct tl_error *err);

/* ---- inside ---- */

/* What is known of a node, and how often it ran since its counts were last added up. */
struct tl_pt_counter {
	uint64_t ip, after; /* of its first instruction; behind its last one */
	uint64_t target;    /* of its last instruction, the last one met if it is indirect */
	uint64_t count, taken, falls;
	uint32_t first, insns; /* range in tl_pt_counters.insns */
	uint32_t jumps;        /* first in tl_pt_counters.jumps, up to one with from TL_NONE */
	uint8_t kind;          /* enum tl_branch_kind of its last instruction */
	bool known, touched;
};

/* A direct branch inside a node: numbers of an instruction and of an edge in the coverage. */
struct tl_pt_inner_jump {
	uint64_t target;
	uint32_t from; /* TL_NONE: the end of a node's list */
};

/* The nodes of one stream. */
struct tl_pt_counters {
	struct tl_pt_counter *list; /* by number of the node */
	uint32_t *insns;            /* numbers in the coverage */
	struct tl_pt_inner_jump *jumps;
	size_t count, room, insn_count, insn_room, jump_count, jump_room;
	uint32_t *touched; /* nodes that ran since counts were added up */
	size_t touched_count, touched_room;
	uint32_t epoch;
};

/* The mapping that the last address was in. */
struct tl_pt_coverage_map {
	uint64_t start, end, bias;
	uint32_t object; /* TL_NONE: none yet */
};

struct tl_pt_counting {
	const struct tl_pt_feed *feed;
	const struct tl_pt_coverage_options *options;
	struct tl_pt_faults *faults;
	struct tl_coverage *coverage;
	struct tl_pt_decoders decoders;
	struct tl_pt_decoder *decoder;
	struct tl_pt_counters *streams; /* by number */
	struct tl_pt_counters *now;     /* of the present stream */
	size_t stream_count, stream_room;
	struct tl_pt_coverage_map map;
	uint32_t last; /* the node that ran last, TL_NONE: it is not known what was before */
	bool closed;   /* outside the window of time */
	bool no_memory;
};

/*
 * counters.c: the counter of a node of the present epoch, looked at when it is met first. NULL: no
 * memory.
 */
struct tl_pt_counter *tl_pt_counter_meet(struct tl_pt_counting *counting, uint32_t node);
/* Its last instruction, an indirect branch, led to another target than before. */
void tl_pt_counter_retarget(struct tl_pt_counting *counting, struct tl_pt_counter *counter,
			    uint64_t target);
/* An interrupt at `from` led to `to`. */
void tl_pt_count_async(struct tl_pt_counting *counting, uint64_t from, uint64_t to);
/* Add the counts of the present stream to the coverage. */
void tl_pt_counters_add_up(struct tl_pt_counting *counting);
void tl_pt_counters_free(struct tl_pt_counters *counters);

#endif
