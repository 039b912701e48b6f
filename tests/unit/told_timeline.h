/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_TOLD_TIMELINE_H
#define TESTS_UNIT_TOLD_TIMELINE_H
/* A format of timelines that writes what it is told, a line each, into the timeline's output. */
#include "core/output.h"
#include "timeline/timeline.h"

static inline bool told_begin(struct tl_timeline *timeline)
{
	tl_put_format(timeline->out, "begin %u\n", (unsigned)timeline->frequency);
	return true;
}

static inline void told_name(struct tl_timeline *timeline, struct tl_track *track, const char *text)
{
	tl_put_format(timeline->out, "name %d/%d %s\n", (int)track->process, (int)track->thread,
		      text);
}

/* "enter THREAD TICKS" */
static inline void told_step(struct tl_timeline *timeline, const struct tl_track *track,
			     const char *what, uint64_t ticks)
{
	tl_put_format(timeline->out, "%s %d ", what, (int)track->thread);
	tl_put_u64(timeline->out, ticks);
}

static inline void told_args(struct tl_output *out, const struct tl_timeline_arg *args,
			     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		tl_put_format(out, " %s=", args[i].name);
		if (args[i].kind == TL_ARG_NUMBER)
			tl_put_u64(out, args[i].number);
		else if (args[i].kind == TL_ARG_SIGNED)
			tl_put_i64(out, (int64_t)args[i].number);
		else if (args[i].kind == TL_ARG_HEX)
			tl_put_hex(out, args[i].number);
		else if (args[i].kind == TL_ARG_REAL)
			tl_put_double(out, args[i].real);
		else
			tl_put_bytes(out, args[i].data, args[i].size);
	}
	tl_put_char(out, '\n');
}

static inline void told_enter(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
			      uint32_t name_key, const char *text, const char *file, uint32_t line,
			      const struct tl_timeline_arg *args, size_t arg_count)
{
	(void)name_key;
	told_step(timeline, track, "enter", ticks);
	tl_put_format(timeline->out, " %s", text);
	if (*file)
		tl_put_format(timeline->out, " (%s:%u)", file, (unsigned)line);
	told_args(timeline->out, args, arg_count);
}

static inline void told_leave(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks)
{
	told_step(timeline, track, "leave", ticks);
	tl_put_char(timeline->out, '\n');
}

static inline void told_instant(struct tl_timeline *timeline, struct tl_track *track,
				uint64_t ticks, const char *text,
				const struct tl_timeline_arg *args, size_t arg_count)
{
	told_step(timeline, track, "instant", ticks);
	tl_put_format(timeline->out, " %s", text);
	told_args(timeline->out, args, arg_count);
}

static inline void told_counter(struct tl_timeline *timeline, struct tl_track *track,
				uint64_t ticks, const char *text, double value)
{
	told_step(timeline, track, "counter", ticks);
	tl_put_format(timeline->out, " %s ", text);
	tl_put_double(timeline->out, value);
	tl_put_char(timeline->out, '\n');
}

static inline void told_end(struct tl_timeline *timeline)
{
	tl_put_text(timeline->out, "end, origin ");
	tl_put_u64(timeline->out, timeline->origin);
	tl_put_char(timeline->out, '\n');
}

static inline void told_free_track(struct tl_track *track)
{
	(void)track;
}

static inline void told_free(struct tl_timeline *timeline)
{
	(void)timeline;
}

static const struct tl_timeline_ops told_ops = {
	.size = sizeof(struct tl_timeline),
	.track_size = sizeof(struct tl_track),
	.begin = told_begin,
	.name = told_name,
	.enter = told_enter,
	.leave = told_leave,
	.instant = told_instant,
	.counter = told_counter,
	.end = told_end,
	.free_track = told_free_track,
	.free = told_free,
};

/* What was told, as a text that lives as long as the output. */
static inline const char *told_text(struct tl_output *out)
{
	size_t size;

	tl_put_char(out, '\0');
	return tl_output_bytes(out, &size);
}

#endif
