/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_INSTANTS_H
#define TL_OPEN_INSTANTS_H
#include <tracelathe/open.h>

/*
 * The events without duration of a trace, as its timeline has them: a JSON object a line with
 * "process", "thread" (null: of the process), "time", "name" and "payload", an object. 0 or
 * negative; TL_UNSUPPORTED for a format without a timeline.
 */
int tl_input_instants(struct tl_input *input, struct tl_output *out, struct tl_error *err);

#endif
