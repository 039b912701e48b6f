/* SPDX-License-Identifier: Apache-2.0 */
/* Instants: a consumer of timelines that leaves the calls out. */
#include "open/instants.h"

#include "core/error.h"
#include "core/output.h"
#include "open/format.h"
#include "open/input.h"
#include "timeline/timeline.h"

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

static void put_argument(struct tl_output *out, const struct tl_timeline_arg *arg)
{
	tl_put_json(out, arg->name, strlen(arg->name));
	tl_put_char(out, ':');
	if (!tl_timeline_put_number(out, arg))
		tl_put_json(out, arg->data, arg->size);
}

static void instant(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
		    const char *name, const struct tl_timeline_arg *args, size_t arg_count)
{
	struct tl_output *out = timeline->out;

	tl_put_text(out, "{\"process\":");
	tl_put_i64(out, track->process);
	tl_put_text(out, ",\"thread\":");
	if (track->thread < 0)
		tl_put_text(out, "null");
	else
		tl_put_i64(out, track->thread);
	tl_put_text(out, ",\"time\":");
	tl_put_u64(out, ticks);
	tl_put_text(out, ",\"name\":");
	tl_put_json(out, name, strlen(name));
	tl_put_text(out, ",\"payload\":{");
	for (size_t i = 0; i < arg_count; i++) {
		if (i)
			tl_put_char(out, ',');
		put_argument(out, &args[i]);
	}
	tl_put_text(out, "}}\n");
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
	.size = sizeof(struct tl_timeline),
	.track_size = sizeof(struct tl_track),
	.begin = begin,
	.name = name_track,
	.enter = enter,
	.leave = leave,
	.instant = instant,
	.end = end,
	.free_track = free_track,
	.free = end,
};

int tl_input_instants(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	struct tl_timeline *timeline;
	int status, finished;

	if (!input->format->timeline || input->other_count)
		return tl_error_format(err, input->format->info.name,
				       tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
						   "this format holds no events in an order of "
						   "time"));
	timeline = tl_timeline_new(&instant_ops, out);
	if (!timeline)
		return tl_error_memory(err);
	status = input->format->timeline(input, timeline, err);
	finished = tl_timeline_finish(timeline, status < 0 ? NULL : err);
	if (status == 0 && finished < 0)
		status = finished;
	return (int)tl_input_unchanged(input, status, err);
}
