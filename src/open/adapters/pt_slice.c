/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of raw traces. */
#include "core/error.h"
#include "core/output.h"
#include "open/adapters/intel_pt.h"

static int usage(struct tl_error *err, const char *text)
{
	return tl_error_format(err, "intel-pt", tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, text));
}

static int check_wishes(const struct tl_input *input, const struct tl_slice *what,
			struct tl_error *err)
{
	const struct tl_input_options *o = &input->options;

	if (what->snapshots.from || what->snapshots.to != TL_NOWHERE || what->instructions.from ||
	    what->instructions.to != TL_NOWHERE)
		return usage(err, "a trace of a processor has no snapshots and no numbers of "
				  "instructions to cut at");
	if (!what->trigger && o->filter.from_seconds <= 0 && o->filter.to_seconds <= 0)
		return usage(err, "what part? --time FROM..TO, or --trigger FUNCTION");
	return 0;
}

/* From the time before the trigger on. */
static int find_trigger(struct tl_input *input, const struct tl_slice *what,
			struct tl_pt_trigger *trigger, uint64_t *from, struct tl_error *err)
{
	struct tl_pt_input *pt = input->handle;
	struct tl_pt_functions functions;
	uint64_t ticks;
	int status;

	if (!pt->feed.timed || !pt->feed.frequency)
		return usage(err,
			     pt->feed.timed
				     ? "the trace does not say how long a tick is; give --tsc-hz"
				     : "there is no time in the trace, so no time before the call");
	tl_pt_functions_begin(&functions, &pt->feed);
	status = tl_pt_find_trigger(&pt->feed, &functions, what->trigger, trigger, err);
	tl_pt_functions_end(&functions);
	if (status <= 0)
		return status < 0 ? status : usage(err, "no function of such a name was reached");
	ticks = (uint64_t)(what->before_seconds * (double)pt->feed.frequency + 0.5);
	*from = trigger->tsc > ticks ? trigger->tsc - ticks : 0;
	return 0;
}

int tl_pt_input_slice_window(struct tl_input *input, const struct tl_slice *what,
			     struct tl_number_range *window, struct tl_pt_trigger *trigger,
			     struct tl_error *err)
{
	int status = check_wishes(input, what, err);

	if (status == 0)
		status = tl_pt_input_window(input, window, err);
	if (status < 0 || !what->trigger)
		return status;
	status = find_trigger(input, what, trigger, &window->from, err);
	window->to = trigger->tsc + 1;
	return status;
}

int tl_pt_input_slice(struct tl_input *input, const struct tl_slice *what, struct tl_output *out,
		      struct tl_error *err)
{
	struct tl_pt_input *pt = input->handle;
	struct tl_number_range window;
	struct tl_pt_trigger trigger;
	struct tl_pt_trace_slice piece;
	struct tl_pt_byte_range part;
	int status = tl_pt_input_slice_window(input, what, &window, &trigger, err);

	if (status < 0)
		return status;
	pt->feed.rewind(pt->feed.arg);
	status = pt->feed.next(pt->feed.arg, &piece, err);
	if (status <= 0)
		return status;
	/* Up to the PSB behind the trigger. */
	status = tl_pt_slice_time(&piece.config, window.from, what->trigger ? 0 : window.to, &part,
				  err);
	if (status == 0 && what->trigger) {
		part.to = tl_pt_psb_behind(&piece.config, trigger.offset);
		if (part.from >= part.to)
			part.from = 0;
	}
	if (status == 0)
		tl_output_write(out, piece.config.begin + part.from, (size_t)(part.to - part.from));
	return status;
}
