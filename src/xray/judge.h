/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_JUDGE_H
#define TL_XRAY_JUDGE_H
/*
 * Which frames were left before a call, when the program's code says that the innermost one cannot
 * have made it (xray/reach.h).
 *
 * Frames are left down to the nearest one that can have made the call and can go on after its
 * callee was left; if there is none, to the nearest one that can have made the call; if there is
 * none either, the call came from outside.
 *
 * The code may not say everything: signal handlers, functions whose sleds are not patched. So the
 * records have the last word: if the innermost frame exits later, it was not left, and can make
 * such calls. That is looked up once for each pair of functions.
 */
#include "profile/fold/fold.h"
#include "xray/gaps.h"
#include "xray/ids.h"
#include "xray/reach.h"

/* One thread's. Zero-filled with `reach` set is ready. */
struct xray_judge {
	struct tl_xray_reach *reach; /* NULL: all is possible */
	const struct xray_ids *ids;  /* of the functions' numbers */
	struct tl_index index;
	struct xray_pair {
		uint32_t caller, callee;
		bool possible, looked; /* looked: by the records, too */
	} *pairs;
	size_t count, capacity;
	uint8_t *resumes; /* by function: 0: not asked for yet */
	size_t resume_capacity;
	bool no_memory;
};

void tl_xray_judge_end(struct xray_judge *judge);

/*
 * How many open frames stay when `function` is entered along a new path, with the stream behind
 * that record. `number` as in tl_xray_look_ahead().
 */
size_t tl_xray_judge(struct xray_judge *judge, const struct tl_fold *fold, uint32_t function,
		     const struct xray_stream *stream, xray_number_fn *number, void *arg);

/* For fold->could. */
bool tl_xray_judge_could(void *judge, uint32_t caller, uint32_t callee);

#endif
