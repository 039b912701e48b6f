/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_PROFILE_CALLER_CHECK_H
#define TL_XRAY_PROFILE_CALLER_CHECK_H
/*
 * Finding the frames that an exception or longjmp left before a call. If the program's code shows
 * that the innermost frame cannot have made the call (map/call_graph.h), frames are closed down to
 * the nearest one that can have made it and can continue after a callee was left; if there is none,
 * down to the nearest one that can have made it; if there is none either, all of them, since the
 * call came from outside.
 *
 * The code does not show everything: signal handlers, and functions whose sleds are not patched. So
 * the records decide: a frame that exits later was not left, and can make such calls. This is
 * looked up once for each pair of functions.
 */
#include "profile/fold/fold.h"
#include "xray/profile/gaps.h"
#include "xray/format/function_ids.h"
#include "xray/map/call_graph.h"

/* State for one thread. Ready when zero-filled with `call_graph` set. */
struct tl_xray_caller_check {
	struct tl_xray_call_graph *call_graph; /* NULL: every call is possible */
	const struct tl_xray_ids *ids;         /* the function ids by number */
	struct tl_index index;
	struct tl_xray_call_pair {
		uint32_t caller, callee;
		bool possible, looked; /* `looked`: the records were searched as well */
	} *pairs;
	size_t count, capacity;
	uint8_t *resumes; /* by function; 0: not yet known */
	size_t resume_capacity;
	bool no_memory;
};

void tl_xray_caller_check_end(struct tl_xray_caller_check *caller_check);

/*
 * Number of open frames that stay when `function` is entered along a new path. The stream is behind
 * the record of that entry. `number` as in tl_xray_look_ahead().
 */
size_t tl_xray_frames_kept(struct tl_xray_caller_check *caller_check, const struct tl_fold *fold,
			   uint32_t function, const struct tl_xray_stream *stream,
			   tl_xray_number_fn *number, void *arg);

/* Whether the code of one function shows that it can call the other; numbers as in `ids`. */
bool tl_xray_caller_check_can(struct tl_xray_caller_check *caller_check, uint32_t caller,
			      uint32_t callee);

/* The hook fold->could_call. */
bool tl_xray_caller_check_could(void *caller_check, uint32_t caller, uint32_t callee);

#endif
