/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_FOLD_H
#define TL_XTRACE_FOLD_H
/* The fold's insides: a stream's segments are folded one by one, by several threads, and put
 * together in their order. */
#include "xtrace/blocks.h"
#include "xtrace/calls.h"

/* Jumps through registers inside of a function. */
struct xtrace_indirect {
	uint64_t from, to, count;
	uint32_t function;
};

/* A jump from one segment to the next; as many as there are snapshots at most. */
struct xtrace_crossing {
	uint64_t from, to;
	uint32_t function;
	bool conditional;
};

/* What a thread keeps from segment to segment. */
struct xtrace_worker {
	struct xtrace_blocks blocks;
	struct xtrace_entries entries;
	struct xtrace_indirect *indirect;
	size_t indirect_count, indirect_capacity;
	struct tl_index indirect_index;
	struct xtrace_worker *next;
};

struct xtrace_fold {
	struct tl_xtrace *trace;
	struct tl_xtrace_fold_options options;
	struct xtrace_functions functions;
	bool gather; /* this pass gathers entries */
	bool export; /* this pass makes the profile */
	struct xtrace_entries entries;

	/* Of the present stream. */
	uint32_t stream;
	struct xtrace_stack stack;
	struct xtrace_last last;
	struct xtrace_told_sp sp; /* behind it */
	bool begun;               /* there was an instruction */
	struct xtrace_worker *workers, *idle;

	/* Segments that are folded, waiting for those before them. */
	pthread_mutex_t lock;
	pthread_cond_t turn;
	struct xtrace_part *parts; /* by segment */
	struct xtrace_crossing *crossings;
	size_t crossing_count, crossing_capacity;
	size_t next; /* the segment whose turn it is */
	bool no_memory;

	struct tl_profile *profile;
};

/* A segment, folded. */
struct xtrace_part {
	struct xtrace_span *spans;
	size_t span_count;
	struct xtrace_last last;
	struct xtrace_told_sp sp; /* behind it */
	bool done, gap, no_memory;
};

/* Add spans to the stack of the whole, as soon as it is the segment's turn; they are freed. */
void tl_xtrace_fold_spans(struct xtrace_fold *fold, size_t segment, struct xtrace_span *spans,
			  size_t count);

/* Fold a segment (fold_segment.c). */
void tl_xtrace_fold_segment(struct xtrace_fold *fold, struct xtrace_worker *worker,
			    struct xtrace_walk *walk, size_t segment, struct xtrace_part *part);

/* Add what the fold of the present stream found to the profile (fold_profile.c). */
int tl_xtrace_fold_export(struct xtrace_fold *fold, struct tl_error *err);

#endif
