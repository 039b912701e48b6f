/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_LISTING_SAMPLE_LIST_H
#define TL_PERF_DATA_LISTING_SAMPLE_LIST_H
#include "perf_data/samples/fold.h"

struct tl_output;

/*
 * The samples that a fold with the same options counts, in its order, as a JSON object a line:
 * "time" (ns), "thread", "cpu", "event", "period", and "stack", the context of the profile that the
 * sample is counted at. What the file does not tell is left out.
 *
 * @param reader    at its first record
 * @param contexts  of that fold
 * @return 0 or negative
 */
int tl_perf_samples_list(struct tl_perf_reader *reader,
			 const struct tl_perf_sample_options *options,
			 const struct tl_perf_sample_contexts *contexts, struct tl_output *out,
			 struct tl_error *err);

#endif
