/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_CALLS_WALK_H
#define TL_XRAY_CALLS_WALK_H
/*
 * The records of one thread as steps of its call stack, a leaf at a time. What becomes of records
 * that do not nest is decided as in a profile, by the same fold (profile/thread_fold.c is its other
 * user); that needs everything before, so such leaves are kept as steps. In all others an exit
 * record ends the innermost call, and decode.c reads them again from where they begin.
 */
#include "timeline/calls/tracks.h"
#include "xray/profile/thread_fold.h"

struct tl_xray_walk {
	struct tl_fold fold;
	struct tl_xray_ids ids; /* numbers of the fold's functions */
	struct tl_xray_caller_check caller_check;
	struct tl_xray_stream stream;
	struct tl_xray_faults faults;
	const struct tl_xray_fold_options *options;
	struct tl_steps steps; /* of the present leaf */
	struct tl_call_gaps gaps;
	uint32_t left;  /* function records that still fit in it */
	bool contexts;  /* calls along new paths are checked */
	bool irregular; /* the leaf cannot be decoded again by itself */
	bool hidden;    /* calls that begin here are left out */
	bool ended;
};

/*
 * Begin at the first record of a thread. `call_graph` may be NULL. False without memory; end it in
 * any case.
 */
bool tl_xray_walk_begin(struct tl_xray_walk *walk, struct tl_xray_reader *reader,
			const struct tl_xray_thread *thread,
			const struct tl_xray_fold_options *options,
			struct tl_xray_call_graph *call_graph);
/* The present time by the clock of the fold, which never goes back; below TL_NOWHERE. */
uint64_t tl_xray_walk_ticks(const struct tl_xray_walk *walk);
/* The next leaf, in walk->steps, and where it is. 1, 0 at the end, or negative. */
int tl_xray_walk_leaf(struct tl_xray_walk *walk, struct tl_call_leaf *where, struct tl_error *err);
void tl_xray_walk_end(struct tl_xray_walk *walk);

/* The steps of a regular leaf, decoded again (decode.c). 0 or negative. */
int tl_xray_decode_leaf(const struct tl_xray_reader *reader, uint32_t end_block,
			const struct tl_call_leaf *leaf, struct tl_steps *steps,
			struct tl_error *err);

#endif
