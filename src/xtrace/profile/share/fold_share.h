/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_FOLD_SHARE_H
#define TL_XTRACE_FOLD_SHARE_H
/*
 * A share of a stream: a run of its segments, which are folded on local stacks and kept until the
 * share before has told the stack (struct tl_share_chain). Before that, all shares tell each other
 * the entries that they found.
 */
#include "xtrace/profile/fold.h"

/* Limit a stream to the segments of the share, and undo that. */
void tl_xtrace_fold_share_begin(struct tl_xtrace_fold *fold, struct tl_xtrace_stream *stream);
void tl_xtrace_fold_share_end(struct tl_xtrace_fold *fold, struct tl_xtrace_stream *stream);

/* All segments are folded: splice them, unless the pass turns out to be stale. */
int tl_xtrace_fold_share_splice(struct tl_xtrace_fold *fold, struct tl_error *err);

#endif
