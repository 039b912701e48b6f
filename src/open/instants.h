/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_INSTANTS_H
#define TL_OPEN_INSTANTS_H
#include <tracelathe/open.h>

/*
 * The events without duration of a trace: a JSON object a line with "process", "thread" (null: of
 * the process), "time", "name" and "payload", an object. As tl_input_instants().
 */
int tl_input_list_instants(struct tl_input *input, struct tl_output *out, struct tl_error *err);

#endif
