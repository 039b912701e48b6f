/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a trace before the first call of a function, and writing the bytes of a part. */
#include "core/error.h"
#include "core/output.h"
#include "intel_pt/listing/slice.h"

static int usage(struct tl_error *err, const char *text)
{
	return tl_error_format(err, "intel-pt", tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, text));
}

int tl_pt_slice_before_call(const struct tl_pt_feed *feed, const char *pattern,
			    double before_seconds, struct tl_pt_window *window,
			    struct tl_pt_trigger *trigger, struct tl_error *err)
{
	struct tl_pt_functions functions;
	uint64_t ticks;
	int status;

	if (!feed->timed)
		return usage(err, "there is no time in the trace, so no time before the call");
	if (!feed->frequency)
		return usage(err, "the trace does not say how long a tick is; give --tsc-hz");
	tl_pt_functions_begin(&functions, feed);
	status = tl_pt_find_trigger(feed, &functions, pattern, trigger, err);
	tl_pt_functions_end(&functions);
	if (status < 0)
		return status;
	if (!status)
		return usage(err, "no function of such a name was reached");
	ticks = (uint64_t)(before_seconds * (double)feed->frequency + 0.5);
	window->from = trigger->tsc > ticks ? trigger->tsc - ticks : 0;
	window->to = trigger->tsc + 1;
	return 0;
}

int tl_pt_slice_raw(const struct tl_pt_feed *feed, const struct tl_pt_window *window,
		    const struct tl_pt_trigger *trigger, struct tl_output *out,
		    struct tl_error *err)
{
	struct tl_pt_trace_slice slice;
	struct tl_pt_byte_range range;
	int status;

	feed->rewind(feed->arg);
	status = feed->next(feed->arg, &slice, err);
	if (status <= 0)
		return status;
	status = tl_pt_slice_time(&slice.config, window->from, trigger ? 0 : window->to, &range,
				  err);
	if (status < 0)
		return status;
	if (trigger) {
		range.to = tl_pt_psb_behind(&slice.config, trigger->offset);
		if (range.from >= range.to)
			range.from = 0;
	}
	tl_output_write(out, slice.config.begin + range.from, (size_t)(range.to - range.from));
	return 0;
}
