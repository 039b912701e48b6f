/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on a feed, whatever gives it. */
#include <stdlib.h>

#include "core/error.h"
#include "intel_pt/profile/fold.h"
#include "intel_pt/listing/slice.h"
#include "open/adapters/intel_pt.h"

/* ---- windows ---- */

static uint64_t ticks(double seconds, uint64_t frequency, uint64_t first)
{
	double ticks = seconds * (double)frequency;

	return ticks >= (double)(UINT64_MAX - first) ? UINT64_MAX : first + (uint64_t)(ticks + 0.5);
}

int tl_pt_input_first_time(struct tl_input *input, uint64_t *first, struct tl_error *err)
{
	const struct tl_pt_input *pt = input->handle;
	const struct tl_pt_feed *feed = &pt->feed;
	struct tl_pt_trace_slice piece;
	int status;

	*first = UINT64_MAX;
	feed->rewind(feed->arg);
	while ((status = feed->next(feed->arg, &piece, err)) == 1) {
		uint64_t tsc = UINT64_MAX;
		int found = piece.continues ? 0 : tl_pt_first_time(&piece.config, &tsc, err);

		if (found < 0)
			return found;
		if (found && tsc < *first)
			*first = tsc;
	}
	return status;
}

int tl_pt_input_window(struct tl_input *input, struct tl_number_range *window, struct tl_error *err)
{
	const struct tl_input_options *o = &input->options;
	struct tl_pt_input *pt = input->handle;
	uint64_t first = 0;
	int status;

	*window = (struct tl_number_range){ 0, 0 };
	if (o->filter.from_seconds <= 0 && o->filter.to_seconds <= 0)
		return 0;
	if (!pt->feed.timed)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there is no time in the trace, so no time window");
	if (!pt->feed.frequency)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the trace does not say how long a tick is; give --tsc-hz for "
				   "a time window");
	status = tl_pt_input_first_time(input, &first, err);
	if (status < 0)
		return status;
	if (o->filter.from_seconds > 0)
		window->from = ticks(o->filter.from_seconds, pt->feed.frequency, first);
	if (o->filter.to_seconds > 0)
		window->to = ticks(o->filter.to_seconds, pt->feed.frequency, first);
	return 0;
}

/* ---- folding ---- */

int tl_pt_input_fold(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	struct tl_pt_input *pt = input->handle;
	const struct tl_input_options *o = &input->options;
	struct tl_pt_fold_options options = {
		.thread = o->filter.thread,
		.process = o->filter.process,
		.cpu = o->filter.cpu,
		.jobs = o->jobs,
		.exact = o->exact,
		.per_thread = o->per_thread,
		.lines = o->detail == TL_DETAIL_LINES,
		.strict = o->strict,
	};
	struct tl_number_range window;
	int status = tl_pt_input_window(input, &window, err);

	if (status < 0)
		return status;
	options.from_ticks = window.from;
	options.to_ticks = window.to;
	return tl_pt_fold(&pt->feed, &options, &pt->faults, profile, err);
}

/* ---- damage ---- */

static enum tl_status status_of(enum tl_pt_error error)
{
	struct tl_error err;

	return (enum tl_status)tl_pt_fault(&err, error, 0);
}

size_t tl_pt_input_damage(struct tl_input *input, struct tl_damage *places, size_t room,
			  uint64_t *count, uint64_t *skipped_bytes)
{
	struct tl_pt_input *pt = input->handle;
	size_t listed = pt->faults.listed < room ? pt->faults.listed : room;

	*count = pt->faults.count;
	*skipped_bytes = pt->faults.skipped_bytes;
	for (size_t i = 0; i < listed; i++) {
		struct tl_pt_lost *lost = &pt->faults.list[i];

		places[i] = (struct tl_damage){
			.status = status_of(lost->why),
			.text = tl_pt_fault_text(lost),
			.offset = lost->from,
			.length = lost->bytes,
			.record = TL_NOWHERE,
		};
	}
	return listed;
}
