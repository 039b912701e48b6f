/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_SAMPLES_H
#define TL_OPEN_SAMPLES_H
#include <tracelathe/open.h>

/*
 * The samples of an input, in the order of time: a JSON object a line with "time", "thread", "cpu",
 * "event", "period" and "stack", which is a context of the profile that tl_input_fold() makes; what
 * is not known is left out. 0 or negative; TL_UNSUPPORTED for an input without samples.
 */
int tl_input_samples(struct tl_input *input, struct tl_output *out, struct tl_error *err);

#endif
