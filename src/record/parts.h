/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_RECORD_PARTS_H
#define TL_RECORD_PARTS_H
/*
 * The folder OUTPUT.parts, where a recording is while it is made (core/recording.h), and the files
 * that are made of it: OUTPUT for the process that was started, OUTPUT.PID for each other one, and
 * beside each its .map (docs/formats/xray.md, 10), from which names resolve.
 */
#include "record/recorder.h"

/* The absolute name of the folder; TL_TOO_LARGE: also if the folder it is to be in is not there. */
int tl_record_parts_name(const char *output, char parts[TL_RECORD_PATH], struct tl_error *err);
/* Make the folder, anew. */
int tl_record_parts_make(const char *parts, struct tl_error *err);
/* A file in the folder that the run-time reads. */
int tl_record_parts_write(const char *parts, const char *name, const char *text, size_t size,
			  struct tl_error *err);
/* Make the files of what our own writer left, and remove the folder. */
int tl_record_parts_join(struct tl_record_session *session, struct tl_error *err);
/* The same for logs that LLVM's run-time wrote into it. */
int tl_record_parts_take_llvm(struct tl_record_session *session, struct tl_error *err);
/* Remove the folder with all that is in it. */
void tl_record_parts_remove(const char *parts);

#endif
