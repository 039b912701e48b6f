/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TIMELINE_CALLS_CALLS_TEXT_H
#define TL_TIMELINE_CALLS_CALLS_TEXT_H
/* Calls as lines of text or JSON. */
#include <tracelathe/timeline.h>

#include "core/output.h"

/*
 * Print all calls that come. `seconds`: times in seconds of the trace's clock. 0 or negative;
 * TL_BAD_USAGE for seconds of a clock whose frequency is unknown.
 */
int tl_calls_print(struct tl_calls *calls, bool json, bool seconds, struct tl_output *out,
		   struct tl_error *err);

#endif
