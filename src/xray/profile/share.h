/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_PROFILE_SHARE_H
#define TL_XRAY_PROFILE_SHARE_H
/*
 * What a share of a log is: threads, or a run of blocks where threads are too few or too unlike for
 * that. Such a run begins and ends inside threads. What the stack is where it begins, the blocks of
 * the thread before it tell: they are folded without contexts, which takes a small part of the
 * time.
 */
#include "xray/profile/thread_fold.h"

struct tl_xray_share {
	uint32_t number, count; /* count below 2: all */
	bool cuts;              /* it is the blocks order[begin .. end), else some threads */
	uint32_t begin, end;
};

/* Bytes of the blocks order[begin .. end). */
uint64_t tl_xray_bytes_of(const struct tl_xray_reader *reader, uint32_t begin, uint32_t end);

/* How many shares there can be of a clean log: blocks, or threads where these cannot be cut. */
uint32_t tl_xray_most_shares(const struct tl_xray_reader *reader);
struct tl_xray_share tl_xray_share_of(const struct tl_xray_reader *reader, uint32_t number,
				      uint32_t count);
/* Whether a thread has something in the share. */
bool tl_xray_share_has(const struct tl_xray_share *share, const struct tl_xray_reader *reader,
		       uint32_t thread);

/* The blocks of a thread that are in the share: work->begin, work->end; its stream is open. */
void tl_xray_share_limit(const struct tl_xray_share *share, struct tl_xray_thread_fold *work);
/* Whether some of the thread is in another share. */
bool tl_xray_share_is_part(const struct tl_xray_thread_fold *work);
/*
 * Fold what is before the share, for the stack alone; the stream is then at the share's begin. 0 or
 * negative, with work->error: no memory, or the stack is not certain there.
 */
int tl_xray_share_resume(struct tl_xray_thread_fold *work);
/* At the end: 0, or negative if what was met makes parts of a thread more than the whole. */
int tl_xray_share_check(struct tl_xray_thread_fold *work);

#endif
