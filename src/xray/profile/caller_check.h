/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_PROFILE_CALLER_CHECK_H
#define TL_XRAY_PROFILE_CALLER_CHECK_H
/*
 * Which frames were left before a call, when the program's code says that the innermost one cannot
 * have made it (xray/map/call_graph.h).
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
#include "xray/profile/gaps.h"
#include "xray/format/function_ids.h"
#include "xray/map/call_graph.h"

/* One thread's. Zero-filled with `call_graph` set is ready. */
struct tl_xray_caller_check {
	struct tl_xray_call_graph *call_graph; /* NULL: all is possible */
	const struct tl_xray_ids *ids;         /* of the functions' numbers */
	struct tl_index index;
	struct tl_xray_call_pair {
		uint32_t caller, callee;
		bool possible, looked; /* looked: by the records, too */
	} *pairs;
	size_t count, capacity;
	uint8_t *resumes; /* by function: 0: not asked for yet */
	size_t resume_capacity;
	bool no_memory;
};

void tl_xray_caller_check_end(struct tl_xray_caller_check *caller_check);

/*
 * How many open frames stay when `function` is entered along a new path, with the stream behind
 * that record. `number` as in tl_xray_look_ahead().
 */
size_t tl_xray_frames_kept(struct tl_xray_caller_check *caller_check, const struct tl_fold *fold,
			   uint32_t function, const struct tl_xray_stream *stream,
			   tl_xray_number_fn *number, void *arg);

/* For fold->could_call. */
bool tl_xray_caller_check_could(void *caller_check, uint32_t caller, uint32_t callee);

#endif
