/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_FOLD_H
#define TL_XTRACE_FOLD_H
/*
 * The fold of a trace: several threads fold the segments of a stream, each on a local stack, and
 * the results are spliced in the order of the segments.
 */
#include "xtrace/parts/stream_part.h"
#include "xtrace/profile/bins.h"
#include "xtrace/profile/control_flow.h"
#include "xtrace/profile/token_blocks.h"

/* Jumps through registers inside of a function. */
struct tl_xtrace_indirect_jump {
	uint64_t from, to, count;
	uint64_t kept; /* the count before the segment */
	uint32_t function;
};

/* A jump from one segment to the next; as many as there are snapshots at most. */
struct tl_xtrace_segment_jump {
	uint64_t from, to;
	uint32_t function;
	bool conditional;
};

struct tl_xtrace_segment_jumps {
	struct tl_xtrace_segment_jump *list;
	size_t count, capacity;
};

/* What one thread keeps from segment to segment: its token blocks and counters. */
struct tl_xtrace_fold_worker {
	struct tl_xtrace_token_blocks blocks;
	struct tl_xtrace_entry_points entries;
	struct tl_xtrace_indirect_jump *indirect;
	size_t indirect_count, indirect_capacity;
	size_t indirect_kept; /* before the segment */
	struct tl_index indirect_index;
	struct tl_xtrace_questions questions; /* of the segment, while entries are learned */
	bool handed_over;                     /* something of the segment is spliced already */
	struct tl_xtrace_fold_worker *next;
};

struct tl_xtrace_fold;

/*
 * Who is told of the calls of each stream, one after the other, while the profile is made. All are
 * called by one thread at a time; false: without memory.
 */
struct tl_xtrace_call_watch {
	bool (*begin)(void *arg, const struct tl_xtrace_fold *fold); /* a stream */
	/* steps in instructions of the stream, which are forgotten then */
	bool (*steps)(void *arg, const struct tl_steps *steps);
	/* a segment is damaged from an offset on, behind so many instructions */
	bool (*damaged)(void *arg, uint64_t ticks, const struct tl_xtrace_fault *fault);
	bool (*end)(void *arg, uint64_t ticks); /* of the stream, of so many instructions */
	int (*finish)(void *arg, struct tl_xtrace_fold *fold, struct tl_error *err);
	void *arg;
};

/*
 * Of a pass that finds entries and makes the profile at once. Segments are folded one after the
 * other until one has brought no new entry, as code that a segment finds itself in is best known
 * when those before it were read. A segment that finds itself stale is folded again. If the pass
 * turns out stale early it begins again; later it only finds the other entries, for a second pass.
 */
struct tl_xtrace_fold_learning {
	bool on;
	bool settled;  /* segments go on several threads */
	bool again;    /* the pass is given up, and begins again */
	size_t found;  /* entries, up to the last segment */
	size_t wasted; /* segments of passes that were given up */
};

/* Where the segments before have led: their last instruction. */
struct tl_xtrace_fold_before {
	struct tl_xtrace_prev_insn insn;
	bool counted;
	struct tl_xtrace_observed_sp sp; /* behind it */
	bool any;                        /* there was one */
};

/* Of a share of a stream, whose segments are kept until all are folded (share/fold_share.h). */
struct tl_xtrace_fold_share {
	bool on;
	bool full;   /* more would have to be kept than is */
	bool kernel; /* some share, as far as is known, has instructions above EL0 */
	struct tl_xtrace_segment *whole; /* all segments of the stream */
	size_t whole_count, kept_segments;
	uint64_t kept_bytes;
};

/* Segments that are folded, waiting for those before them. */
struct tl_xtrace_fold_queue {
	pthread_mutex_t lock;                   /* of the idle workers, too */
	pthread_cond_t spliced;                 /* `next` has moved */
	struct tl_xtrace_folded_segment *parts; /* by segment */
	size_t next;                            /* the segment whose turn it is */
	struct tl_xtrace_fold_share share;
};

struct tl_xtrace_fold {
	const struct tl_xtrace_call_watch *watch; /* NULL: nobody */
	struct tl_xtrace_trace *trace;
	struct tl_xtrace_fold_options options;
	struct tl_xtrace_function_map functions;
	bool gather; /* this pass finds the entries of functions */
	bool export; /* this pass makes the profile */
	struct tl_xtrace_fold_learning learning;
	struct tl_xtrace_entry_points entries; /* found between segments */
	struct tl_xtrace_places *places;       /* by stream, of a part; NULL: all is one */
	bool binned;                           /* the profile's parts are bins, not streams */
	bool any;                              /* an instruction was counted */

	/* Of the present stream. */
	uint32_t stream;
	struct tl_xtrace_bins bins;
	struct tl_xtrace_call_stack stack;
	struct tl_xtrace_fold_before before;
	struct tl_xtrace_fold_worker *idle; /* those at work are with their threads */

	struct tl_xtrace_fold_queue queue;
	struct tl_xtrace_segment_jumps crossings;
	bool no_memory;

	struct tl_profile *profile;
};

/* A segment, folded. */
struct tl_xtrace_folded_segment {
	struct tl_xtrace_stack_delta *deltas;
	size_t delta_count;
	struct tl_xtrace_stack_delta *kept; /* those before them, of a share */
	size_t kept_count, kept_capacity;
	struct tl_xtrace_prev_insn last;
	struct tl_xtrace_observed_sp sp; /* behind it */
	bool done, gap, no_memory;
	bool last_counted;
	struct tl_xtrace_fault damage; /* the gap */
};

/* Splice deltas onto the stack of the stream when it is the segment's turn; they are freed. */
void tl_xtrace_fold_deltas(struct tl_xtrace_fold *fold, size_t segment,
			   struct tl_xtrace_stack_delta *deltas, size_t count);
/* Wait until a segment may be folded. False: not at all, as the pass begins again. */
bool tl_xtrace_fold_await(struct tl_xtrace_fold *fold, size_t segment);
/* A segment is folded: splice it, and those behind it that wait for it. */
void tl_xtrace_fold_in_order(struct tl_xtrace_fold *fold, size_t segment);
/* Splice all segments, of a share. */
void tl_xtrace_fold_kept(struct tl_xtrace_fold *fold);

/* Hand over the steps of the stream's stack if there are at least so many. */
void tl_xtrace_fold_tell(struct tl_xtrace_fold *fold, size_t least);

/* Find entries of a stream before the first pass (scout.c). False without memory. */
bool tl_xtrace_fold_scout(struct tl_xtrace_fold *fold, const struct tl_xtrace_stream *stream);

/* Fold a segment (fold_segment.c). */
void tl_xtrace_fold_segment(struct tl_xtrace_fold *fold, struct tl_xtrace_fold_worker *worker,
			    struct tl_xtrace_walk *walk, size_t segment,
			    struct tl_xtrace_folded_segment *part);
/* Keep a worker's counts, and go back to them. False without memory. */
void tl_xtrace_fold_worker_keep(struct tl_xtrace_fold_worker *worker);
bool tl_xtrace_fold_worker_rewind(struct tl_xtrace_fold_worker *worker);

/* tl_xtrace_fold(), with somebody who is told of the calls. */
int tl_xtrace_fold_watched(struct tl_xtrace_trace *trace,
			   const struct tl_xtrace_fold_options *options,
			   const struct tl_xtrace_call_watch *watch, struct tl_profile **profile,
			   struct tl_error *err);

/* The number of a function in a profile, to which it is added; or negative (fold_export.c). */
int64_t tl_xtrace_put_function(const struct tl_xtrace_function_map *functions, uint32_t function,
			       struct tl_profile *profile, struct tl_error *err);

/* Add the event of instructions above EL0, which profiles without such do not have. */
int tl_xtrace_put_kernel_event(struct tl_profile *profile, struct tl_error *err);

/* Add the contexts, calls, lines and jumps of the present stream to the profile (fold_export.c). */
int tl_xtrace_fold_export(struct tl_xtrace_fold *fold, struct tl_error *err);

#endif
