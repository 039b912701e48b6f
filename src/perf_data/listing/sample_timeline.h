/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_LISTING_SAMPLE_TIMELINE_H
#define TL_PERF_DATA_LISTING_SAMPLE_TIMELINE_H
#include "perf_data/samples/fold.h"

struct tl_timeline;

/*
 * The samples that a fold with the same options counts as instants of their threads, called by
 * their event, with function, period and processor; and when threads were on processors, from the
 * records of their coming and leaving, as spans called "running". Times are nanoseconds.
 *
 * @param reader    at its first record
 * @param contexts  of that fold
 * @param profile   of that fold; where functions are chosen (tl_profile_choose()), samples whose
 *                  innermost function is not are left out
 * @return 0 or negative
 */
int tl_perf_samples_draw(struct tl_perf_reader *reader,
			 const struct tl_perf_sample_options *options,
			 const struct tl_perf_sample_contexts *contexts,
			 const struct tl_profile *profile, struct tl_perf_sample_remarks *remarks,
			 struct tl_timeline *timeline, struct tl_error *err);

#endif
