/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_RECORD_JOIN_LOGS_H
#define TL_RECORD_JOIN_LOGS_H
/* The logs of a process's threads as one log. */
#include "record/recorder.h"

/*
 * Make the log `path`, and its .map, of what the process left in `folder`. 1: made; 0: the process
 * recorded nothing.
 */
int tl_record_image_join(struct tl_record_session *session, const char *folder, const char *path,
			 struct tl_error *err);

#endif
