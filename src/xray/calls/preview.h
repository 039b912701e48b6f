/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_CALLS_PREVIEW_H
#define TL_XRAY_CALLS_PREVIEW_H
#include "timeline/calls/tracks.h"
#include "xray/records/reader.h"

/* Fill tracks, which are there, from pieces of their threads. 0 or negative. */
int tl_xray_sample_calls(const struct tl_xray_reader *reader, struct tl_call_tracks *tracks,
			 struct tl_error *err);

#endif
