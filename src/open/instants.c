/* SPDX-License-Identifier: Apache-2.0 */
/* Instants and values of counters: a consumer of timelines that leaves the calls out. */
#include "open/instants.h"

#include "core/error.h"
#include "core/output.h"
#include "open/format.h"
#include "open/input.h"
#include "timeline/timeline.h"

struct instants {
	struct tl_timeline timeline;
	tl_instant_fn *fn; /* NULL: instants are passed over, too */
	tl_counter_fn *counter_fn;
	void *arg;
	bool stopped; /* by one of them: the producer sees a timeline that has failed */
};

static bool begin(struct tl_timeline *timeline)
{
	(void)timeline;
	return true;
}

static void name_track(struct tl_timeline *timeline, struct tl_track *track, const char *name)
{
	(void)timeline;
	(void)track;
	(void)name;
}

static void enter(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
		  uint32_t name_key, const char *name, const char *file, uint32_t line,
		  const struct tl_timeline_arg *args, size_t arg_count)
{
	(void)timeline;
	(void)track;
	(void)ticks;
	(void)name_key;
	(void)name;
	(void)file;
	(void)line;
	(void)args;
	(void)arg_count;
}

static void leave(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks)
{
	(void)timeline;
	(void)track;
	(void)ticks;
}

static void instant(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
		    const char *name, const struct tl_timeline_arg *args, size_t arg_count)
{
	struct instants *i = (struct instants *)timeline;
	const struct tl_timeline_point at = { track->process, track->thread, ticks };

	if (!i->stopped && i->fn && !i->fn(i->arg, &at, name, args, arg_count))
		i->stopped = timeline->no_memory = true;
}

static void counter(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
		    const char *name, double value)
{
	struct instants *i = (struct instants *)timeline;
	const struct tl_timeline_point at = { track->process, track->thread, ticks };

	if (!i->stopped && i->counter_fn && !i->counter_fn(i->arg, &at, name, value))
		i->stopped = timeline->no_memory = true;
}

static void end(struct tl_timeline *timeline)
{
	(void)timeline;
}

static void free_track(struct tl_track *track)
{
	(void)track;
}

static const struct tl_timeline_ops instant_ops = {
	.format = { .name = "instants" },
	.size = sizeof(struct instants),
	.track_size = sizeof(struct tl_track),
	.begin = begin,
	.name = name_track,
	.enter = enter,
	.leave = leave,
	.instant = instant,
	.counter = counter,
	.end = end,
	.free_track = free_track,
	.free = end,
};

static int tell(struct tl_input *input, struct instants *instants, struct tl_error *err)
{
	struct tl_timeline *timeline = &instants->timeline;
	int status = input->format->timeline(input, timeline, err), finished;
	const bool stopped = instants->stopped;

	finished = tl_timeline_finish(timeline, status < 0 || stopped ? NULL : err);
	if (status == 0 && finished < 0 && !stopped)
		status = finished;
	return (int)tl_input_unchanged(input, status, err);
}

int tl_input_points(struct tl_input *input, tl_instant_fn *fn, tl_counter_fn *counter_fn, void *arg,
		    struct tl_error *err)
{
	struct tl_timeline *timeline;
	struct instants *instants;

	if (!input->format->timeline || input->other_count)
		return tl_error_format(err, input->format->info.name,
				       tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
						   "this format holds no events in an order of "
						   "time"));
	timeline = tl_timeline_new(&instant_ops, NULL);
	if (!timeline)
		return tl_error_memory(err);
	instants = (struct instants *)timeline;
	instants->fn = fn;
	instants->counter_fn = counter_fn;
	instants->arg = arg;
	return tell(input, instants, err);
}

int tl_input_instants(struct tl_input *input, tl_instant_fn *fn, void *arg, struct tl_error *err)
{
	return tl_input_points(input, fn, NULL, arg, err);
}

/* ---- as JSON ---- */

static bool put_line(void *arg, const struct tl_timeline_point *at, const char *name,
		     const struct tl_timeline_arg *args, size_t arg_count)
{
	struct tl_output *out = arg;

	tl_put_text(out, "{\"process\":");
	tl_put_i64(out, at->process);
	tl_put_text(out, ",\"thread\":");
	if (at->thread < 0)
		tl_put_text(out, "null");
	else
		tl_put_i64(out, at->thread);
	tl_put_text(out, ",\"time\":");
	tl_put_u64(out, at->ticks);
	tl_put_text(out, ",\"name\":");
	tl_put_json(out, name, strlen(name));
	tl_put_text(out, ",\"payload\":");
	tl_timeline_put_args(out, args, arg_count, SIZE_MAX);
	tl_put_text(out, "}\n");
	return !tl_output_failed(out);
}

int tl_input_list_instants(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	return tl_input_instants(input, put_line, out, err);
}
