/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_PROFILE_PIECES_H
#define TL_XRAY_PROFILE_PIECES_H
/*
 * One thread folded by several workers, without contexts: it is cut between buffers, pieces are
 * folded by themselves (profile/fold/flat_local.c) and spliced to the first one.
 */
#include "xray/profile/thread_fold.h"

enum { TL_XRAY_LEAST_PIECE = 1 << 20 };

/*
 * Cut the blocks of a thread into up to `most` pieces of about the same size, none of which is
 * small: piece i is from borders[i] to before borders[i + 1]. Returns their number, 1: it is not
 * worth while.
 */
size_t tl_xray_cut_thread(const struct tl_xray_reader *reader, const struct tl_xray_thread *thread,
			  size_t most, uint32_t *borders);

/*
 * Fold the pieces of a thread into the first one, of one of `threads` threads. The streams of all
 * are open, each over its own blocks. 1: done; 0: refused, the whole thread is to be folded anew;
 * negative: no memory.
 */
int tl_xray_fold_pieces(struct tl_xray_thread_fold *pieces, size_t count, size_t threads,
			unsigned workers);

#endif
