/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_PROFILE_THREAD_FOLD_H
#define TL_XRAY_PROFILE_THREAD_FOLD_H
/*
 * The records of one thread to a call tree of its own. fold.c adds the trees of all threads to the
 * profile.
 */
#include "profile/fold/flat.h"
#include "profile/fold/fold.h"
#include "xray/format/function_ids.h"
#include "xray/profile/caller_check.h"
#include "xray/profile/inherited_records.h"

/* The fold of one thread. */
struct tl_xray_thread_fold {
	const struct tl_xray_fold_options *options;
	struct tl_fold fold;
	struct tl_flat flat; /* without contexts; in place of `fold` if `is_flat` */
	bool is_flat;
	struct tl_xray_ids ids;
	struct tl_xray_caller_check caller_check;
	struct tl_xray_stream stream;
	struct tl_xray_faults faults;
	struct tl_error error;
	bool filtered, in_window;
	bool cpu_wanted;
	bool watched;     /* the uses of functions are noted: */
	uint8_t *actions; /* by number, bits by enum tl_xray_action */
	size_t action_capacity;
	struct tl_xray_inherited inherited;
	/* blocks of the stream that are folded (share.h): from the one, before the other */
	uint32_t begin, end;
	bool resumes;  /* others are before them */
	uint64_t told; /* bytes of the blocks that were told as done, by a fold without contexts */
};

/*
 * Read the stream to its end. The caller has set `options`, `fold` (begun), `stream` (open),
 * `begin`, `end`, `watched`, and with a call graph `caller_check` and the hooks of the fold. 0 or
 * negative, with work->error.
 */
int tl_xray_thread_fold_run(struct tl_xray_thread_fold *work);

#endif
