/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TIMELINE_CALLS_STREAM_H
#define TL_TIMELINE_CALLS_STREAM_H
/* All calls of a trace in the order of their begin: struct tl_calls. */
#include "core/sized.h"
#include "timeline/calls/tracks.h"

/* Bytes of struct tl_calls_options in the first release. */
#define TL_CALLS_OPTIONS_FIRST TL_SIZE_UP_TO(struct tl_calls_options, thread)
/*
 * Build the tracks of a source and begin at the first call. The options are ours, with `to` set.
 * The source is closed with the handle, and also when this fails. 0 or negative.
 */
int tl_calls_open(struct tl_calls **calls, const struct tl_call_source *source,
		  const struct tl_calls_options *options, struct tl_error *err);
/* Whether there is any track, told or not. */
bool tl_calls_any(const struct tl_calls *calls);

#endif
