/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/listing/window.h"

#include "core/arithmetic.h"
#include "core/error.h"
#include "intel_pt/listing/slice.h"

int tl_pt_feed_first_time(const struct tl_pt_feed *feed, uint64_t *first, struct tl_error *err)
{
	struct tl_pt_trace_slice slice;
	int status;

	*first = UINT64_MAX;
	feed->rewind(feed->arg);
	while ((status = feed->next(feed->arg, &slice, err)) == 1) {
		uint64_t tsc = UINT64_MAX;
		/* A slice that continues has the bytes of the one before it. */
		int found = slice.continues ? 0 : tl_pt_first_time(&slice.config, &tsc, err);

		if (found < 0)
			return found;
		if (found && tsc < *first)
			*first = tsc;
	}
	return status;
}

int tl_pt_feed_window(const struct tl_pt_feed *feed, double from_seconds, double to_seconds,
		      struct tl_pt_window *window, struct tl_error *err)
{
	uint64_t first = 0;
	int status;

	*window = (struct tl_pt_window){ 0, 0 };
	if (from_seconds <= 0 && to_seconds <= 0)
		return 0;
	if (!feed->timed)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there is no time in the trace, so no time window");
	if (!feed->frequency)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the trace does not say how long a tick is; give --tsc-hz for "
				   "a time window");
	status = tl_pt_feed_first_time(feed, &first, err);
	if (status < 0)
		return status;
	if (from_seconds > 0)
		window->from = tl_ticks_behind(first, from_seconds, feed->frequency);
	if (to_seconds > 0)
		window->to = tl_ticks_behind(first, to_seconds, feed->frequency);
	return 0;
}
