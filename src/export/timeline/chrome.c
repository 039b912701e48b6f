/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chrome's trace event format, JSON object form, read by chrome://tracing, Perfetto and speedscope.
 *
 * A call is one complete event ("X"), written when it ends: half the bytes of a begin and an end.
 * Three kinds of calls are a begin ("B") and an end ("E") instead:
 *
 * - a call in which another begins at the same tick: readers sort events by time, and of two
 *   complete events that begin together they cannot tell which is the inner one;
 * - a call with arguments, which are then written at once instead of kept;
 * - a call that has not ended.
 *
 * Events of the same time then are in the order of their nesting.
 *
 * A reader adds "ts" and "dur" as doubles, and the sum may differ from the double of the end by a
 * rounding error. The error is far below a nanosecond, so it matters only if another event of the
 * track has the time of the end: a slice would overlap the next one, or reach beyond its parent.
 * Such a call is written as a begin and an end, too, one right behind the other. To know the next
 * event, a call that ended is written when the next event of its track comes.
 *
 * Times are microseconds with all their digits: nanoseconds, and picoseconds where a tick is not a
 * whole number of nanoseconds. They count from the first record, since readers keep them as
 * doubles, which cannot hold nanoseconds since 1970; "otherData" has the time of the first record.
 * Within a track, time does not go back, so that slices nest.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/output.h"
#include "export/timeline/timeline_formats.h"

struct frame {
	uint64_t ticks;
	uint32_t name_key;
	bool begun; /* its "B" is written */
};

struct chrome_track {
	struct tl_track base;
	struct frame *frames; /* open calls, outermost first */
	size_t depth, capacity;
	uint64_t last;         /* ticks from the origin on, of the last event */
	struct frame ended;    /* the call that ended last, at `last`, if it is not yet written */
	bool has_ended;        /* there is one */
	bool ended_with_other; /* the event before its end was at `last`, too */
	char head[80];         /* an event up to its phase */
	size_t head_size;
};

/* Where the text `,"name":"..."` of a key is in `names`. */
struct name {
	size_t offset, size; /* size 0: not yet prepared */
};

struct chrome {
	struct tl_timeline base;
	bool comma;             /* an event was written */
	bool fine;              /* three digits more than nanoseconds */
	uint64_t exact_seconds; /* below it, rounding errors are below half of the last digit */
	struct tl_output *names;
	const char *name_bytes;
	struct name *keys;
	size_t key_count, key_capacity;
};

static bool begin(struct tl_timeline *timeline)
{
	struct chrome *c = (struct chrome *)timeline;

	c->fine = 1000000000 % timeline->frequency != 0;
	/*
	 * Two sums of doubles, each rounded three times, keep the order of two ends that differ by
	 * one unit as long as the ends are below 2^50 units. Ticks shorter than a unit are not told
	 * apart at all.
	 */
	if (timeline->frequency <= 1000000000000)
		c->exact_seconds = (UINT64_C(1) << 50) / (c->fine ? 1000000000000 : 1000000000);
	tl_put_text(timeline->out, "{\"traceEvents\":[\n");
	return tl_output_open_memory(&c->names, NULL) == 0;
}

/* ---- parts of an event ---- */

static char *copy(char *p, const char *text, size_t size)
{
	memcpy(p, text, size);
	return p + size;
}

#define COPY(p, literal) copy(p, literal, sizeof(literal) - 1)

static char *format_i64(char *p, int64_t value)
{
	if (value >= 0)
		return tl_format_u64(p, (uint64_t)value);
	*p++ = '-';
	return tl_format_u64(p, -(uint64_t)value);
}

static char *three_digits(char *p, uint32_t value)
{
	p[0] = (char)('0' + value / 100);
	p[1] = (char)('0' + value / 10 % 10);
	p[2] = (char)('0' + value % 10);
	return p + 3;
}

/* 26 + 7 bytes at most. */
static char *format_us(char *p, struct tl_time time, bool fine)
{
	uint32_t us = time.ns / 1000;

	if (time.seconds) {
		p = tl_format_u64(p, time.seconds);
		p = three_digits(p, us / 1000);
		p = three_digits(p, us % 1000);
	} else {
		p = tl_format_u64(p, us);
	}
	*p++ = '.';
	p = three_digits(p, time.ns % 1000);
	if (fine)
		p = three_digits(p, time.ps);
	return p;
}

static struct tl_time time_between(struct tl_time from, struct tl_time to)
{
	struct tl_time d = { to.seconds - from.seconds, to.ns - from.ns, to.ps - from.ps };

	if (to.ps < from.ps) {
		d.ps += 1000;
		d.ns--;
	}
	if ((int32_t)d.ns < 0) {
		d.ns += 1000000000;
		d.seconds--;
	}
	return d;
}

/* Whether the sum of two times as doubles is the double of the end. */
static bool adds_up(const struct chrome *c, struct tl_time from, struct tl_time to)
{
	static const uint64_t whole = UINT64_C(1) << 53;
	uint64_t unit = c->fine ? 1000 : 1, second = 1000000000 * unit;
	uint64_t begin = from.seconds * second + from.ns * unit + from.ps;
	uint64_t end = to.seconds * second + to.ns * unit + to.ps;
	double us = 1000.0 * (double)unit;

	if (begin == end)
		return true;
	return to.seconds < whole / second &&
	       (double)begin / us + (double)(end - begin) / us == (double)end / us;
}

/* Separator, head, phase, two times, closing: all but name and arguments. */
enum { EVENT_BYTES = 320 };

/* An event up to and with its time. The room taken holds EVENT_BYTES. */
static char *event_head(struct chrome *c, const struct chrome_track *t, char phase,
			struct tl_time time)
{
	char *p = tl_output_room(c->base.out, EVENT_BYTES);

	if (c->comma)
		p = COPY(p, ",\n");
	c->comma = true;
	p = copy(p, t->head, t->head_size);
	*p++ = phase;
	p = COPY(p, "\",\"ts\":");
	return format_us(p, time, c->fine);
}

/* The head is the same for all events of a track. */
static void prepare_track(struct chrome_track *t)
{
	char *p = t->head;

	if (t->head_size)
		return;
	p = COPY(p, "{\"pid\":");
	p = format_i64(p, t->base.process);
	p = COPY(p, ",\"tid\":");
	p = format_i64(p, t->base.thread < 0 ? t->base.process : t->base.thread);
	p = COPY(p, ",\"ph\":\"");
	t->head_size = (size_t)(p - t->head);
}

/* ---- names ---- */

static bool room_for_key(struct chrome *c, uint32_t key)
{
	if (key < c->key_count)
		return true;
	if (!tl_grow(&c->keys, &c->key_capacity, (size_t)key + 1, sizeof(*c->keys)))
		return false;
	memset(c->keys + c->key_count, 0, ((size_t)key + 1 - c->key_count) * sizeof(*c->keys));
	c->key_count = (size_t)key + 1;
	return true;
}

static void prepare_name(struct chrome *c, uint32_t key, const char *name)
{
	size_t before, after;

	if (!room_for_key(c, key)) {
		c->base.no_memory = true;
		return;
	}
	tl_output_bytes(c->names, &before);
	tl_put_text(c->names, ",\"name\":");
	tl_put_json(c->names, name, strlen(name));
	c->name_bytes = tl_output_bytes(c->names, &after);
	c->base.no_memory = tl_output_failed(c->names);
	c->keys[key] = (struct name){ before, after - before };
}

static void put_name(struct chrome *c, uint32_t key)
{
	tl_put_bytes(c->base.out, c->name_bytes + c->keys[key].offset, c->keys[key].size);
}

/* ---- arguments ---- */

static void put_hex_text(struct tl_output *out, const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		tl_put_char(out, "0123456789abcdef"[bytes[i] >> 4]);
		tl_put_char(out, "0123456789abcdef"[bytes[i] & 15]);
	}
}

static void put_arg(struct tl_output *out, const struct tl_timeline_arg *arg)
{
	bool text = arg->kind == TL_ARG_TEXT ||
		    (arg->kind == TL_ARG_BYTES && arg->size && !memchr(arg->data, 0, arg->size) &&
		     tl_utf8_span(arg->data, arg->size) == arg->size);

	tl_put_json(out, arg->name, strlen(arg->name));
	tl_put_char(out, ':');
	if (tl_timeline_put_number(out, arg))
		return;
	if (text) {
		tl_put_json(out, arg->data, arg->size);
	} else {
		tl_put_char(out, '"');
		put_hex_text(out, arg->data, arg->size);
		tl_put_char(out, '"');
	}
}

static void put_args(struct tl_output *out, const struct tl_timeline_arg *args, size_t count)
{
	if (!count)
		return;
	tl_put_text(out, ",\"args\":{");
	for (size_t i = 0; i < count; i++) {
		if (i)
			tl_put_char(out, ',');
		put_arg(out, &args[i]);
	}
	tl_put_char(out, '}');
}

/* ---- events ---- */

static void name_track(struct tl_timeline *timeline, struct tl_track *track, const char *name)
{
	struct chrome *c = (struct chrome *)timeline;
	struct chrome_track *t = (struct chrome_track *)track;
	struct tl_output *out = timeline->out;

	prepare_track(t);
	if (c->comma)
		tl_put_text(out, ",\n");
	c->comma = true;
	tl_put_bytes(out, t->head, t->head_size);
	tl_put_text(out, "M\",\"name\":\"");
	tl_put_text(out, track->thread < 0 ? "process_name" : "thread_name");
	tl_put_text(out, "\",\"args\":{\"name\":");
	tl_put_json(out, name, strlen(name));
	tl_put_text(out, "}}");
}

static void put_begin(struct chrome *c, const struct chrome_track *t, struct frame *frame,
		      const struct tl_timeline_arg *args, size_t arg_count)
{
	struct tl_time time = tl_ticks_time(c->base.frequency, frame->ticks);

	tl_output_advance(c->base.out, event_head(c, t, 'B', time));
	put_name(c, frame->name_key);
	put_args(c->base.out, args, arg_count);
	tl_put_char(c->base.out, '}');
	frame->begun = true;
}

static void put_end(struct chrome *c, const struct chrome_track *t, struct tl_time time)
{
	char *p = event_head(c, t, 'E', time);

	*p++ = '}';
	tl_output_advance(c->base.out, p);
}

/*
 * Write the call that ended last. `with_other`: the event behind its end is at the same time.
 */
static void put_ended(struct chrome *c, struct chrome_track *t, bool with_other)
{
	struct tl_time from = tl_ticks_time(c->base.frequency, t->ended.ticks);
	struct tl_time to = tl_ticks_time(c->base.frequency, t->last);
	char *p;

	t->has_ended = false;
	if ((with_other || t->ended_with_other || to.seconds >= c->exact_seconds) &&
	    !adds_up(c, from, to)) {
		put_begin(c, t, &t->ended, NULL, 0);
		put_end(c, t, to);
		return;
	}
	p = event_head(c, t, 'X', from);
	p = COPY(p, ",\"dur\":");
	p = format_us(p, time_between(from, to), c->fine);
	tl_output_advance(c->base.out, p);
	put_name(c, t->ended.name_key);
	tl_put_char(c->base.out, '}');
}

/*
 * Go on to the time of the next event, t->last, in ticks from the origin on. A step back, also to
 * before the origin, is no time. Returns whether the event before is at the same time.
 */
static bool advance(struct chrome *c, struct chrome_track *t, uint64_t ticks)
{
	uint64_t since = tl_excess(ticks, c->base.origin);
	bool together = since <= t->last;

	if (t->has_ended)
		put_ended(c, t, together);
	if (!together)
		t->last = since;
	return together;
}

/*
 * Before an event at t->last: write the begin of the innermost call if it is at t->last, too. Calls
 * around it that began then are written already.
 */
static void begin_together(struct chrome *c, struct chrome_track *t)
{
	struct frame *innermost = t->depth ? &t->frames[t->depth - 1] : NULL;

	if (innermost && innermost->ticks == t->last && !innermost->begun)
		put_begin(c, t, innermost, NULL, 0);
}

static void enter(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
		  uint32_t name_key, const char *name, const char *file, uint32_t line,
		  const struct tl_timeline_arg *args, size_t arg_count)
{
	struct chrome *c = (struct chrome *)timeline;
	struct chrome_track *t = (struct chrome_track *)track;

	(void)file, (void)line; /* the format has no place for them */
	if (name_key >= c->key_count || !c->keys[name_key].size)
		prepare_name(c, name_key, name);
	if (t->depth == t->capacity &&
	    !tl_grow(&t->frames, &t->capacity, t->depth + 1, sizeof(*t->frames)))
		timeline->no_memory = true;
	if (timeline->no_memory)
		return;
	prepare_track(t);
	advance(c, t, ticks);
	begin_together(c, t);
	t->frames[t->depth] = (struct frame){ .ticks = t->last, .name_key = name_key };
	if (arg_count)
		put_begin(c, t, &t->frames[t->depth], args, arg_count);
	t->depth++;
}

static void leave(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks)
{
	struct chrome *c = (struct chrome *)timeline;
	struct chrome_track *t = (struct chrome_track *)track;
	const struct frame *frame;
	bool together;

	if (!t->depth)
		return;
	together = advance(c, t, ticks);
	frame = &t->frames[--t->depth];
	if (frame->begun) {
		put_end(c, t, tl_ticks_time(timeline->frequency, t->last));
		return;
	}
	t->ended = *frame;
	t->has_ended = true;
	t->ended_with_other = together;
}

static void instant(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
		    const char *name, const struct tl_timeline_arg *args, size_t arg_count)
{
	struct chrome *c = (struct chrome *)timeline;
	struct chrome_track *t = (struct chrome_track *)track;
	char *p;

	prepare_track(t);
	advance(c, t, ticks);
	begin_together(c, t);
	p = event_head(c, t, 'i', tl_ticks_time(timeline->frequency, t->last));
	p = COPY(p, ",\"s\":\"t\",\"name\":");
	tl_output_advance(timeline->out, p);
	tl_put_json(timeline->out, name, strlen(name));
	put_args(timeline->out, args, arg_count);
	tl_put_char(timeline->out, '}');
}

/*
 * Counters are the process's in this format: that of a thread is a row of it by the thread's
 * number. JSON has no way to write a value that is no number.
 */
static void counter(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
		    const char *name, double value)
{
	struct chrome *c = (struct chrome *)timeline;
	struct chrome_track *t = (struct chrome_track *)track;
	uint64_t since = tl_excess(ticks, timeline->origin);
	struct tl_output *out = timeline->out;
	char *p;

	prepare_track(t);
	p = event_head(c, t, 'C', tl_ticks_time(timeline->frequency, since));
	p = COPY(p, ",\"name\":");
	tl_output_advance(out, p);
	tl_put_json(out, name, strlen(name));
	if (track->thread >= 0)
		tl_put_format(out, ",\"args\":{\"thread %" PRIi64 "\":", track->thread);
	else
		tl_put_text(out, ",\"args\":{\"value\":");
	if (isfinite(value))
		tl_put_double(out, value);
	else
		tl_put_text(out, "null");
	tl_put_text(out, "}}");
}

/* The origin as text: a number would lose its last digits in a double. */
static void put_origin(const struct chrome *c)
{
	struct tl_time origin = tl_ticks_time(c->base.frequency, c->base.origin);
	struct tl_output *out = c->base.out;

	tl_put_text(out, ",\"otherData\":{\"origin_ticks\":\"");
	tl_put_u64(out, c->base.origin);
	if (c->base.clock_known) {
		tl_put_text(out, "\",\"ticks_per_second\":\"");
		tl_put_u64(out, c->base.frequency);
		tl_put_format(out, "\",\"origin_seconds\":\"%" PRIu64 ".%09" PRIu32, origin.seconds,
			      origin.ns);
		if (c->fine)
			tl_put_format(out, "%03" PRIu32, origin.ps);
	}
	tl_put_text(out, "\"}");
}

/* Calls that have not ended are begins without an end. */
static void end(struct tl_timeline *timeline)
{
	struct chrome *c = (struct chrome *)timeline;

	for (size_t i = 0; i < timeline->tracks.count; i++) {
		struct chrome_track *t = (struct chrome_track *)timeline->tracks.all[i];

		if (t->has_ended)
			put_ended(c, t, false);
		for (size_t f = 0; f < t->depth; f++)
			if (!t->frames[f].begun)
				put_begin(c, t, &t->frames[f], NULL, 0);
	}
	tl_put_text(timeline->out, "\n],\"displayTimeUnit\":\"ns\"");
	put_origin(c);
	tl_put_text(timeline->out, "}\n");
}

static void free_track(struct tl_track *track)
{
	free(((struct chrome_track *)track)->frames);
}

static void free_chrome(struct tl_timeline *timeline)
{
	struct chrome *c = (struct chrome *)timeline;

	tl_output_discard(c->names);
	free(c->keys);
}

const struct tl_timeline_ops tl_chrome_timeline = {
	.format = { "chrome", ".json", "Chrome trace events, JSON" },
	.size = sizeof(struct chrome),
	.track_size = sizeof(struct chrome_track),
	.begin = begin,
	.name = name_track,
	.enter = enter,
	.leave = leave,
	.instant = instant,
	.counter = counter,
	.end = end,
	.free_track = free_track,
	.free = free_chrome,
};
