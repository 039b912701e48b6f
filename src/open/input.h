/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_INPUT_H
#define TL_OPEN_INPUT_H
/* What opening an input and the calls on it share. */
#include <tracelathe/open.h>

/*
 * The status of a call that has read the input: `status`, or TL_IO if one of its files became
 * shorter meanwhile, as a result must not stand on bytes that went away. Pages of binaries may be
 * lost as well as those of the trace.
 */
int64_t tl_input_unchanged(struct tl_input *input, int64_t status, struct tl_error *err);

/* Whether sums of functions are all that is to be derived from call stacks. */
static inline bool tl_input_sums_alone(const struct tl_input_options *options)
{
	return options->detail == TL_DETAIL_TABLE || options->detail == TL_DETAIL_CONTEXTS;
}

/* TL_BAD_USAGE for a struct of the caller below its size in the first release, `least`; else 0. */
int tl_input_check_size(size_t size, size_t least, struct tl_error *err);

#endif
