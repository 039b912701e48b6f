/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/listing/clock.h"

#include <math.h>
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "xray/profile/fold.h"

/* How far apart two answers for one TSC may be, and how much more for each second between. */
#define SAME_CLOCK_MICROSECONDS 1e4
#define SAME_CLOCK_RATE 1e-4
/* A wall clock of less, in September 2001, counts from another beginning than all others. */
#define LEAST_TIME_MICROSECONDS 1e15

struct tl_xray_clock tl_xray_own_clock(const struct tl_xray_reader *reader)
{
	uint64_t first = tl_xray_first_tsc(reader);

	return (struct tl_xray_clock){ first, first, 1 };
}

static double microseconds_of(const struct tl_xray_reader *reader, uint64_t tsc)
{
	return (double)tsc * 1e6 / (double)reader->info.frequency;
}

/*
 * The time of TSC 0 by the wall clock, in microseconds. The runtime reads the wall clock first and
 * the TSC a little later, so that the latest answer of all buffers is nearest.
 */
static int time_of_0(struct tl_xray_reader *reader, double *time, struct tl_error *err)
{
	struct tl_xray_record record;
	struct tl_xray_stream stream;
	double wall = 0;
	int status;

	*time = -INFINITY;
	tl_xray_rewind(reader);
	tl_xray_stream_begin(&stream, reader, reader->order, 0, (uint32_t)reader->block_count,
			     &reader->faults);
	while ((status = tl_xray_stream_next(&stream, &record, err)) == 1) {
		if (record.kind == TL_XRAY_NEW_BUFFER)
			wall = 0;
		else if (record.kind == TL_XRAY_WALL_CLOCK)
			wall = (double)record.value * 1e6 + record.microseconds;
		if (record.kind != TL_XRAY_NEW_CPU || wall == 0)
			continue;
		wall -= microseconds_of(reader, record.tsc);
		*time = tl_max(wall, *time);
		wall = 0;
	}
	tl_xray_stream_end(&stream);
	tl_xray_rewind(reader);
	return tl_error_or_end(status);
}

static int check_log(const struct tl_xray_reader *reader, double time, struct tl_error *err)
{
	if (!reader->info.frequency)
		return tl_error_at(err, TL_UNSUPPORTED, 8,
				   "the trace does not say how long a tick is, so it cannot be "
				   "shown beside others");
	if (isinf(time))
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the trace has no wall clock, so it cannot be shown beside "
				   "others");
	return 0;
}

/* The wall clock at the first TSC. */
static double begin_of(const struct tl_xray_reader *reader, double time)
{
	return time + microseconds_of(reader, tl_xray_first_tsc(reader));
}

static int place(const struct tl_xray_reader *reader, double time,
		 const struct tl_xray_reader *earliest, double earliest_time,
		 struct tl_xray_clock *clock, struct tl_error *err)
{
	double begin = begin_of(reader, time), other = begin_of(earliest, earliest_time);
	bool same_rate = reader->info.frequency == earliest->info.frequency;

	*clock = tl_xray_own_clock(reader);
	if (same_rate &&
	    time - earliest_time < SAME_CLOCK_MICROSECONDS + SAME_CLOCK_RATE * fabs(begin - other))
		return 0;
	if (begin < LEAST_TIME_MICROSECONDS || other < LEAST_TIME_MICROSECONDS)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "its clock counts from the start of a machine, and is not that "
				   "of the other traces");
	clock->base = (uint64_t)((begin - earliest_time) * (double)earliest->info.frequency / 1e6);
	if (!same_rate)
		clock->rate = (double)earliest->info.frequency / (double)reader->info.frequency;
	return 0;
}

int tl_xray_common_clock(struct tl_xray_reader *const *readers, size_t count,
			 struct tl_xray_clock *clocks, uint64_t *frequency, size_t *which,
			 struct tl_error *err)
{
	double *times = calloc(count, sizeof(*times));
	size_t earliest = 0;
	int status = tl_error_unless_made(times, err);

	for (size_t i = 0; status == 0 && i < count; i++) {
		*which = i;
		status = time_of_0(readers[i], &times[i], err);
		if (status == 0)
			status = check_log(readers[i], times[i], err);
		if (status == 0 && times[i] < times[earliest])
			earliest = i;
	}
	for (size_t i = 0; status == 0 && i < count; i++) {
		double begin = begin_of(readers[earliest], times[earliest]);

		*which = begin < LEAST_TIME_MICROSECONDS ? earliest : i;
		status = place(readers[i], times[i], readers[earliest], times[earliest], &clocks[i],
			       err);
	}
	if (status == 0)
		*frequency = readers[earliest]->info.frequency;
	free(times);
	return status;
}
