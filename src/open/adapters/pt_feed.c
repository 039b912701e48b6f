/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on a feed of Intel PT: options of the input in, a call of intel_pt/ out. */
#include "core/arithmetic.h"
#include "core/error.h"
#include "intel_pt/calls/source.h"
#include "intel_pt/listing/check.h"
#include "intel_pt/listing/feed_text.h"
#include "intel_pt/listing/timeline.h"
#include "intel_pt/profile/fold.h"
#include "intel_pt/quick/quick.h"
#include "open/adapters/intel_pt.h"

static int window_of(struct tl_input *input, struct tl_pt_window *window, struct tl_error *err)
{
	const struct tl_input_filter *filter = &input->options.filter;
	const struct tl_pt_input *pt = input->handle;

	return tl_pt_feed_window(&pt->feed, filter->from_seconds, filter->to_seconds, window, err);
}

static struct tl_pt_fold_options fold_options(const struct tl_input_options *o,
					      const struct tl_pt_window *window)
{
	return (struct tl_pt_fold_options){
		.thread = o->filter.thread,
		.process = o->filter.process,
		.cpu = o->filter.cpu,
		.strict = o->strict,
		.from_ticks = window->from,
		.to_ticks = window->to,
	};
}

int tl_pt_input_fold(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	struct tl_pt_input *pt = input->handle;
	const struct tl_input_options *o = &input->options;
	struct tl_pt_fold_options options;
	struct tl_pt_window window;
	int status = window_of(input, &window, err);

	if (status < 0)
		return status;
	options = fold_options(o, &window);
	options.share = o->share;
	options.shares = o->shares;
	options.chain = tl_input_chains_shares(input) ? o->chain : NULL;
	options.by_threads = pt->by_threads;
	options.jobs = o->jobs;
	options.exact = o->exact;
	options.per_thread = o->per_thread;
	options.lines = o->detail == TL_DETAIL_LINES;
	options.table = o->detail == TL_DETAIL_TABLE;
	if (o->quick)
		return tl_pt_quick(&pt->feed, &options, &pt->faults, profile, err);
	return tl_pt_fold(&pt->feed, &options, &pt->faults, profile, err);
}

int tl_pt_input_timeline(struct tl_input *input, struct tl_timeline *timeline, struct tl_error *err)
{
	struct tl_pt_input *pt = input->handle;
	const struct tl_input_options *o = &input->options;
	struct tl_pt_timeline_options options = {
		.depth = o->depth,
		.function = o->filter.function,
		.object = o->filter.object,
	};
	struct tl_pt_window window;
	int status = window_of(input, &window, err);

	if (status < 0)
		return status;
	options.fold = fold_options(o, &window);
	return tl_pt_timeline(&pt->feed, &options, &pt->faults, timeline, err);
}

/* The window is of calls, which are whole: the fold sees all of the trace. */
int tl_pt_input_calls(struct tl_input *input, struct tl_call_source *source,
		      struct tl_calls_options *options, struct tl_error *err)
{
	static const struct tl_pt_window everything = { .from = 0 };
	struct tl_pt_input *pt = input->handle;
	const struct tl_input_options *o = &input->options;
	const struct tl_pt_fold_options fold = fold_options(o, &everything);
	struct tl_pt_window window;
	int status = window_of(input, &window, err);

	if (status < 0)
		return status;
	if (window.from > options->from)
		options->from = window.from;
	if (window.to && window.to < options->to)
		options->to = window.to;
	return tl_pt_call_source(&pt->feed, &fold, &pt->faults, o->filter.function,
				 o->filter.object, source, err);
}

static unsigned text_flags(unsigned dump, bool json)
{
	static const struct {
		unsigned from, to;
	} rows[] = {
		{ TL_DUMP_RAW, TL_PT_TEXT_RAW },
		{ TL_DUMP_NO_OFFSET, TL_PT_TEXT_NO_OFFSET },
		{ TL_DUMP_NO_PAD, TL_PT_TEXT_NO_PAD },
		{ TL_DUMP_NO_TIMING, TL_PT_TEXT_NO_TIMING },
		{ TL_DUMP_NO_CYC, TL_PT_TEXT_NO_CYC },
		{ TL_DUMP_NO_SYNC, TL_PT_TEXT_NO_SYNC },
		{ TL_DUMP_LAST_IP, TL_PT_TEXT_LAST_IP },
		{ TL_DUMP_EXEC_MODE, TL_PT_TEXT_EXEC_MODE },
		{ TL_DUMP_TIME, TL_PT_TEXT_TIME },
		{ TL_DUMP_TIME_DELTA, TL_PT_TEXT_TIME | TL_PT_TEXT_TIME_DELTA },
		{ TL_DUMP_BLOCKS, TL_PT_TEXT_BLOCKS },
		{ TL_DUMP_INSTRUCTIONS, TL_PT_TEXT_INSNS },
		{ TL_DUMP_EVENTS, TL_PT_TEXT_EVENTS },
		{ TL_DUMP_BRANCHES, TL_PT_TEXT_BRANCHES },
		{ TL_DUMP_TCAL, TL_PT_TEXT_TCAL },
		{ TL_DUMP_NO_TCAL, TL_PT_TEXT_NO_TCAL },
		{ TL_DUMP_NO_WALL_CLOCK, TL_PT_TEXT_NO_TSC },
		{ TL_DUMP_STAT, TL_PT_TEXT_STAT },
	};
	unsigned flags = TL_PT_TEXT_EVENT_IP | TL_PT_TEXT_BY_BLOCK | TL_PT_TEXT_RESYNC |
			 (json ? TL_PT_TEXT_JSON : 0);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (dump & rows[i].from)
			flags |= rows[i].to;
	return dump & TL_DUMP_NO_TEXT ? flags : flags | TL_PT_TEXT_DISASSEMBLE;
}

static int usage(struct tl_error *err, const char *text)
{
	return tl_error_format(err, "intel-pt", tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, text));
}

int tl_pt_input_dump(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	struct tl_pt_input *pt = input->handle;
	const struct tl_input_options *o = &input->options;
	struct tl_pt_feed_text_options options = {
		.flags = text_flags(o->dump.flags, json),
		.decoder_flags = (o->dump.flags & TL_DUMP_TICKS ? TL_PT_TICK_EVENTS : 0) |
				 (o->dump.flags & TL_DUMP_IFLAGS ? TL_PT_IFLAG_EVENTS : 0),
		.process = o->filter.process,
		.thread = o->filter.thread,
		.cpu = o->filter.cpu,
		.function = o->filter.function,
		.object = o->filter.object,
	};
	int status = window_of(input, &options.window, err);

	if (o->dump.flags & TL_DUMP_PEBS)
		return usage(err, "events of samples in the trace are only known with a perf.data");
	if (status < 0)
		return status;
	return tl_pt_put_feed(&pt->feed, &options, &pt->faults, out, err);
}

int64_t tl_pt_input_check(struct tl_input *input, bool json, struct tl_output *out,
			  struct tl_error *err)
{
	const struct tl_pt_input *pt = input->handle;

	return tl_pt_check_feed(&pt->feed, pt->has_code, json, out, err);
}

/* ---- slices ---- */

static int check_slice(const struct tl_input *input, const struct tl_slice *what,
		       struct tl_error *err)
{
	const struct tl_input_options *o = &input->options;

	if (what->snapshots.from || what->snapshots.to != TL_NOWHERE || what->instructions.from ||
	    what->instructions.to != TL_NOWHERE)
		return usage(err, "a trace of a processor has no snapshots and no numbers of "
				  "instructions to cut at");
	if (what->form != TL_SLICE_TRACE)
		return usage(err,
			     "of a trace of a processor no program can be made, since it has no "
			     "data; --to trace");
	if (!what->trigger && o->filter.from_seconds <= 0 && o->filter.to_seconds <= 0)
		return usage(err, "what part? --time FROM..TO, or --trigger FUNCTION");
	return 0;
}

int tl_pt_input_slice_window(struct tl_input *input, const struct tl_slice *what,
			     struct tl_pt_window *window, struct tl_pt_trigger *trigger,
			     struct tl_error *err)
{
	const struct tl_pt_input *pt = input->handle;
	int status = check_slice(input, what, err);

	if (status == 0)
		status = window_of(input, window, err);
	if (status < 0 || !what->trigger)
		return status;
	return tl_pt_slice_before_call(&pt->feed, what->trigger, what->before_seconds, window,
				       trigger, err);
}

int tl_pt_input_slice(struct tl_input *input, const struct tl_slice *what, struct tl_output *out,
		      struct tl_error *err)
{
	const struct tl_pt_input *pt = input->handle;
	struct tl_pt_trigger trigger;
	struct tl_pt_window window;
	int status = tl_pt_input_slice_window(input, what, &window, &trigger, err);

	if (status < 0)
		return status;
	return tl_pt_slice_raw(&pt->feed, &window, what->trigger ? &trigger : NULL, out, err);
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
	size_t listed = tl_min(pt->faults.listed, room);

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
