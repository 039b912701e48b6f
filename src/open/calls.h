/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_CALLS_H
#define TL_OPEN_CALLS_H
#include <tracelathe/open.h>

/* tl_input_dump() with TL_DUMP_CALLS: a line a call. 0 or negative. */
int tl_dump_calls(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err);

#endif
