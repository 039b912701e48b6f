/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_PROFILE_FLAT_FOLD_H
#define TL_XRAY_PROFILE_FLAT_FOLD_H
/*
 * The records of one thread to sums of functions, without a call tree (profile/fold/flat.h): for
 * tables of functions. What such a fold cannot tell as well as the one with contexts, it refuses:
 * gaps, damage, inherited records, calls that have no exit of their own, and calls that the
 * program's code says another frame must have made.
 */
#include "profile/fold/flat.h"
#include "xray/profile/thread_fold.h"

/* Pairs of functions of which it is known that one can call the other: places by their hash. */
enum { TL_XRAY_KNOWN_BITS = 12 };

struct tl_xray_flat_fold {
	struct tl_xray_thread_fold *work; /* its ids, stream, actions and caller check */
	struct tl_flat *flat;
	uint64_t *known; /* caller << 32 | callee, + 1; NULL: every call is possible */
	bool stack_only; /* what is open at the end is all that is wanted */
};

/* Whether the fold of this work may be tried. */
bool tl_xray_flat_possible(const struct tl_xray_thread_fold *work);

/*
 * Read the stream of `work` to its end into `flat`, which was begun. 1: done; 0: refused, the
 * thread is to be folded with contexts from its begin; negative: no memory.
 */
int tl_xray_flat_fold_run(struct tl_xray_thread_fold *work, struct tl_flat *flat);
/*
 * Its two halves: the records, of a piece of the thread, too (pieces.h), and the end. In between,
 * numbers of functions of other pieces are looked up, the same in work->ids and in the fold;
 * TL_NONE without memory.
 */
int tl_xray_flat_fold_piece(struct tl_xray_thread_fold *work, struct tl_flat *flat);
uint32_t tl_xray_flat_number(struct tl_xray_thread_fold *work, struct tl_flat *flat, uint32_t id);
void tl_xray_flat_fold_end(struct tl_xray_thread_fold *work, struct tl_flat *flat);
/* Its blocks will be read anew: they are not done. */
void tl_xray_flat_fold_forget(struct tl_xray_thread_fold *work);
/*
 * The same for blocks that others follow, at which the stream is then: the calls that are open
 * there, and nothing else.
 */
int tl_xray_flat_fold_stack(struct tl_xray_thread_fold *work, struct tl_flat *flat);

#endif
