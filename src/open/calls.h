/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_CALLS_H
#define TL_OPEN_CALLS_H
#include <tracelathe/open.h>

struct tl_call_source;

/*
 * Make the source of the calls of an input, and narrow `from` and `to` of the options to the
 * input's filter by time. 0 or negative: there are none.
 */
int tl_input_call_source(struct tl_input *input, struct tl_call_source *source,
			 struct tl_calls_options *options, struct tl_error *err);

/* tl_input_dump() with TL_DUMP_CALLS: a line a call. 0 or negative. */
int tl_dump_calls(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err);

#endif
