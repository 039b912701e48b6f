/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_RECORD_SIDE_FILE_H
#define TL_RECORD_SIDE_FILE_H
/* LOG.map, beside a log: which files its ids are of, and what the log lacks (docs/formats/xray.md,
 * 10). */
#include "record/recorder.h"

struct tl_recording_state;

/* Of the process that left its objects in `folder`. */
int tl_record_side_file(struct tl_record_session *session, const char *folder, const char *log,
			const struct tl_recording_state *state, struct tl_error *err);
/* Of a log that LLVM's run-time wrote. */
int tl_record_side_file_sleds(struct tl_record_session *session, const char *log,
			      struct tl_error *err);

#endif
