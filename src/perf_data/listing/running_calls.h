/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_LISTING_RUNNING_CALLS_H
#define TL_PERF_DATA_LISTING_RUNNING_CALLS_H
#include "perf_data/samples/fold.h"
#include "timeline/calls/tracks.h"

/*
 * The time of the first sample, which windows in seconds count from. The reader is at its first
 * record.
 * @return 0; 1: the file has Intel PT; TL_UNSUPPORTED: it has no sample with a time; or another
 *         negative status
 */
int tl_perf_first_sample(struct tl_perf_reader *reader, uint64_t *time_ns, struct tl_error *err);

/*
 * When threads were on processors, from the records of their coming and leaving, as a source of
 * calls of a function for each processor. A recording without such records has no tracks, which is
 * no error. Times are nanoseconds. What a profile counts are the samples instead (source->apart).
 *
 * The filters by thread, process and processor hold, those by time do not.
 *
 * @param reader   at its first record; it and what `options` points to are needed until the tracks
 *                 are built
 * @param first_ns time of the first sample: the origin
 */
int tl_perf_running_calls(struct tl_perf_reader *reader,
			  const struct tl_perf_sample_options *options, uint64_t first_ns,
			  struct tl_call_source *source, struct tl_error *err);

#endif
