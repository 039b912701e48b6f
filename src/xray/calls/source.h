/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_CALLS_SOURCE_H
#define TL_XRAY_CALLS_SOURCE_H
/* An XRay trace as a source of calls (timeline/calls/tracks.h). */
#include "timeline/calls/tracks.h"
#include "xray/map/function_names.h"

/*
 * Make a source. Reader and map live longer than it; `function` and `object`, filters, may be NULL.
 * The limits of time are not looked at. 0 or negative; TL_UNSUPPORTED for a profiling-mode file.
 */
int tl_xray_call_source(struct tl_xray_reader *reader, struct tl_xray_map *map,
			const struct tl_xray_fold_options *limits, const char *function,
			const char *object, struct tl_call_source *source, struct tl_error *err);

#endif
