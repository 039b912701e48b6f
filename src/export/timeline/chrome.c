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
#include "core/text/ordered.h"
#include "core/text/digits.h"
#include "export/timeline/timeline_formats.h"

struct frame {
	uint64_t ticks;
	uint32_t name_key;
	bool begun; /* its "B" is written */
};

enum { HEAD_ROOM = 112 };

struct chrome_track {
	struct tl_track base;
	struct frame *frames; /* open calls, outermost first */
	size_t depth, capacity;
	uint64_t last;         /* ticks from the origin on, of the last event */
	struct frame ended;    /* the call that ended last, at `last`, if it is not yet written */
	bool has_ended;        /* there is one */
	bool ended_with_other; /* the event before its end was at `last`, too */
	char head[HEAD_ROOM];  /* an event up to and with the key of its time, behind ",\n" */
	size_t phase;          /* where its phase is in `head` */
	size_t head_size;      /* 0: not yet made */
};

/* The text `,"name":"..."}` of a key; 15 bytes behind it can be read. */
struct name {
	uint32_t size;
	char text[];
};

enum kind { OTHER, BEGIN, END, COMPLETE };

/* What an event's text is made of, by any thread. */
struct event {
	enum kind kind;
	bool comma;                       /* it is not the first one */
	const struct chrome_track *track; /* its `head` does not change */
	const struct name *name;          /* not of an end */
	uint64_t ticks;                   /* of the origin on; OTHER: bytes of `other` */
	uint64_t end;                     /* of a complete event */
};

enum { BATCH = 4096, MOST_OTHER = 1 << 18 };

/* Events, and the text of those that are written as they come. */
struct batch {
	struct event events[BATCH];
	size_t count;
	struct tl_output *other; /* NULL: not yet needed */
	size_t other_size;       /* of it, that events were made of */
	bool other_open;         /* it may have more */
};

struct chrome {
	struct tl_timeline base;
	bool comma;           /* an event was written */
	bool fine;            /* three digits more than nanoseconds */
	uint64_t exact_ticks; /* below it, rounding errors are below half of the last digit */
	struct tl_ordered *ordered;
	struct tl_output *scratch;
	struct tl_arena arena;
	const struct name **keys; /* NULL: not yet made */
	size_t key_count, key_capacity;
};

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

/* Nine digits of nanoseconds, the last three behind a point. */
static char *format_nine(char *p, uint32_t ns)
{
	uint64_t eight = tl_eight_digits(ns / 10) + TL_EIGHT_ZEROS;

	tl_store_digits(p, eight);
	p[8] = p[7];
	p[7] = p[6];
	p[6] = '.';
	p[9] = (char)('0' + ns % 10);
	return p + 10;
}

/* 26 + 7 bytes at most. */
static char *format_us(char *p, struct tl_time time, bool fine)
{
	if (time.seconds) {
		p = format_nine(tl_format_number(p, time.seconds), time.ns);
	} else {
		p = tl_format_eight(p, time.ns / 1000);
		*p++ = '.';
		p = three_digits(p, time.ns % 1000);
	}
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

/* The head is the same for all events of a track, but for its phase. */
static void prepare_track(struct chrome_track *t)
{
	char *p = t->head;

	if (t->head_size)
		return;
	p = COPY(p, ",\n{\"pid\":");
	p = format_i64(p, t->base.process);
	p = COPY(p, ",\"tid\":");
	p = format_i64(p, t->base.thread < 0 ? t->base.process : t->base.thread);
	p = COPY(p, ",\"ph\":\"");
	t->phase = (size_t)(p - t->head);
	p = COPY(p, "X\",\"ts\":");
	t->head_size = (size_t)(p - t->head);
}

/* ---- events to text ---- */

/* Times of events, most of which are in the same second as the one before. */
struct second {
	uint64_t first; /* its first tick */
	uint64_t seconds;
};

static inline struct tl_time time_of(const struct chrome *c, struct second *second, uint64_t ticks)
{
	const uint64_t frequency = c->base.frequency, rest = ticks - second->first;
	struct tl_time time = { .seconds = second->seconds };

	if (__builtin_expect(rest >= frequency || frequency > 4000000000, 0)) {
		time = tl_ticks_time(frequency, ticks);
		*second = (struct second){ ticks - ticks % frequency, time.seconds };
		return time;
	}
	if (frequency == 1000000000) {
		time.ns = (uint32_t)rest;
		return time;
	}
	time.ns = (uint32_t)(rest * 1000000000 / frequency);
	if (c->fine)
		time.ps = (uint32_t)(rest * 1000000000 % frequency * 1000 / frequency);
	return time;
}

/* An event up to and with its time, at `p`. */
static inline char *put_head(char *p, const struct event *e, char phase)
{
	const struct chrome_track *t = e->track;
	const size_t skipped = e->comma ? 0 : 2;

	memcpy(p, t->head + skipped, 64);
	if (t->head_size > 64)
		memcpy(p + 64 - skipped, t->head + 64, HEAD_ROOM - 64);
	p[t->phase - skipped] = phase;
	return p + t->head_size - skipped;
}

/* All of an event but its name, and what may be written behind its end. */
enum { EVENT_ROOM = HEAD_ROOM + 80 + 64 };

static bool format_events(const void *arg, const void *batch, struct tl_ordered_text *text)
{
	static const char phases[] = { [BEGIN] = 'B', [END] = 'E', [COMPLETE] = 'X' };
	const struct chrome *c = arg;
	const struct batch *b = batch;
	struct second second = { 0 };
	size_t size = 0, done = 0;
	const char *other = b->other ? tl_output_bytes(b->other, &size) : NULL;

	for (const struct event *e = b->events; e < b->events + b->count; e++) {
		const size_t own = e->kind == OTHER ? (size_t)e->ticks : 0;
		const size_t length = e->name ? e->name->size : own;
		struct tl_time from;
		char *p;

		if (own > size - done || !tl_ordered_room(text, EVENT_ROOM + length))
			return false;
		p = text->pos;
		if (e->kind == OTHER) {
			text->pos = copy(p, other + done, own);
			done += own;
			continue;
		}
		from = time_of(c, &second, e->ticks);
		p = put_head(p, e, phases[e->kind]);
		p = format_us(p, from, c->fine);
		if (e->kind == COMPLETE) {
			struct tl_time to = time_of(c, &second, e->end);

			p = COPY(p, ",\"dur\":");
			p = format_us(p, time_between(from, to), c->fine);
		}
		if (e->name)
			text->pos = tl_copy_loosely(p, e->name->text, length);
		else
			text->pos = COPY(p, "}");
	}
	return true;
}

static void clear_batch(void *batch)
{
	struct batch *b = batch;

	b->count = b->other_size = 0;
	b->other_open = false;
	if (b->other)
		tl_output_clear(b->other);
}

static void free_batch(void *batch)
{
	tl_output_discard(((struct batch *)batch)->other);
}

static const struct tl_ordered_ops ordered_ops = {
	.batch_bytes = sizeof(struct batch),
	.format = format_events,
	.clear = clear_batch,
	.free = free_batch,
};

/* ---- events in their order ---- */

/* What was written to the other text since the last event is one. */
static void take_other(struct chrome *c, struct batch *b)
{
	size_t size;

	b->other_open = false;
	tl_output_bytes(b->other, &size);
	if (tl_output_failed(b->other))
		c->base.no_memory = true;
	if (c->base.no_memory || size == b->other_size)
		return;
	b->events[b->count++] = (struct event){ .kind = OTHER, .ticks = size - b->other_size };
	b->other_size = size;
}

static struct batch *next_batch(struct chrome *c, struct batch *b)
{
	if (b->other_open)
		take_other(c, b);
	tl_ordered_next(c->ordered);
	return tl_ordered_batch(c->ordered);
}

/* The batch, with room for two events. */
static inline struct batch *batch_of(struct chrome *c)
{
	struct batch *b = tl_ordered_batch(c->ordered);

	return __builtin_expect(b->count < BATCH - 2, 1) ? b : next_batch(c, b);
}

/* Where text is written that is next. NULL, and no_memory is set, without memory. */
static struct tl_output *other_text(struct chrome *c)
{
	struct batch *b = batch_of(c);
	size_t size = 0;

	if (b->other)
		tl_output_bytes(b->other, &size);
	if (size > MOST_OTHER)
		b = next_batch(c, b);
	if (!b->other && tl_output_open_memory(&b->other, NULL) < 0) {
		c->base.no_memory = true;
		return NULL;
	}
	b->other_open = true;
	return b->other;
}

static inline void add_event(struct chrome *c, const struct event *event)
{
	struct batch *b = batch_of(c);

	if (__builtin_expect(b->other_open, 0))
		take_other(c, b);
	b->events[b->count] = *event;
	b->events[b->count++].comma = c->comma;
	c->comma = true;
}

/* The head of an event that is written as it comes, up to its phase. NULL without memory. */
static struct tl_output *other_head(struct chrome *c, const struct chrome_track *t)
{
	struct tl_output *out = other_text(c);
	const size_t skipped = c->comma ? 0 : 2;

	if (!out)
		return NULL;
	tl_put_bytes(out, t->head + skipped, t->phase - skipped);
	c->comma = true;
	return out;
}

/* With its phase and time. */
static struct tl_output *other_event(struct chrome *c, const struct chrome_track *t, char phase,
				     uint64_t ticks)
{
	struct tl_output *out = other_head(c, t);

	if (!out)
		return NULL;
	tl_put_char(out, phase);
	tl_put_text(out, "\",\"ts\":");
	tl_output_advance(out, format_us(tl_output_room(out, 64),
					 tl_ticks_time(c->base.frequency, ticks), c->fine));
	return out;
}

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
		c->exact_ticks = (UINT64_C(1) << 50) / (c->fine ? 1000000000000 : 1000000000) *
				 timeline->frequency;
	tl_put_text(timeline->out, "{\"traceEvents\":[\n");
	c->ordered = tl_ordered_open(&ordered_ops, c, timeline->jobs, timeline->out);
	return c->ordered && tl_output_open_memory(&c->scratch, NULL) == 0;
}

/* ---- names ---- */

static bool room_for_key(struct chrome *c, uint32_t key)
{
	if (key < c->key_count)
		return true;
	if (!tl_grow(&c->keys, &c->key_capacity, (size_t)key + 1, sizeof(const struct name *)))
		return false;
	memset(c->keys + c->key_count, 0,
	       ((size_t)key + 1 - c->key_count) * sizeof(const struct name *));
	c->key_count = (size_t)key + 1;
	return true;
}

static void prepare_name(struct chrome *c, uint32_t key, const char *text)
{
	struct name *name = NULL;
	const char *bytes;
	size_t size;

	tl_output_clear(c->scratch);
	tl_put_text(c->scratch, ",\"name\":");
	tl_put_json(c->scratch, text, strlen(text));
	tl_put_char(c->scratch, '}');
	bytes = tl_output_bytes(c->scratch, &size);
	if (size && size <= UINT32_MAX && room_for_key(c, key))
		name = tl_arena_alloc(&c->arena, sizeof(*name) + size + 16);
	if (!name) {
		c->base.no_memory = true;
		return;
	}
	name->size = (uint32_t)size;
	memset(copy(name->text, bytes, size), 0, 16);
	c->keys[key] = name;
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
	struct tl_output *out;

	prepare_track(t);
	out = other_head(c, t);
	if (!out)
		return;
	tl_put_text(out, "M\",\"name\":\"");
	tl_put_text(out, track->thread < 0 ? "process_name" : "thread_name");
	tl_put_text(out, "\",\"args\":{\"name\":");
	tl_put_json(out, name, strlen(name));
	tl_put_text(out, "}}");
}

static void put_begin(struct chrome *c, const struct chrome_track *t, struct frame *frame)
{
	add_event(c, &(struct event){ .kind = BEGIN,
				      .track = t,
				      .name = c->keys[frame->name_key],
				      .ticks = frame->ticks });
	frame->begun = true;
}

/* With arguments, which are not kept. */
static void put_begin_args(struct chrome *c, const struct chrome_track *t, struct frame *frame,
			   const struct tl_timeline_arg *args, size_t arg_count)
{
	const struct name *name = c->keys[frame->name_key];
	struct tl_output *out = other_event(c, t, 'B', frame->ticks);

	frame->begun = true;
	if (!out)
		return;
	tl_put_bytes(out, name->text, name->size - 1);
	put_args(out, args, arg_count);
	tl_put_char(out, '}');
}

static void put_end(struct chrome *c, const struct chrome_track *t, uint64_t ticks)
{
	add_event(c, &(struct event){ .kind = END, .track = t, .ticks = ticks });
}

/*
 * Write the call that ended last. `with_other`: the event behind its end is at the same time.
 */
static void put_ended(struct chrome *c, struct chrome_track *t, bool with_other)
{
	t->has_ended = false;
	if (with_other || t->ended_with_other || t->last >= c->exact_ticks) {
		struct tl_time from = tl_ticks_time(c->base.frequency, t->ended.ticks);
		struct tl_time to = tl_ticks_time(c->base.frequency, t->last);

		if (!adds_up(c, from, to)) {
			put_begin(c, t, &t->ended);
			put_end(c, t, t->last);
			return;
		}
	}
	add_event(c, &(struct event){ .kind = COMPLETE,
				      .track = t,
				      .name = c->keys[t->ended.name_key],
				      .ticks = t->ended.ticks,
				      .end = t->last });
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
		put_begin(c, t, innermost);
}

static void enter(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
		  uint32_t name_key, const char *name, const char *file, uint32_t line,
		  const struct tl_timeline_arg *args, size_t arg_count)
{
	struct chrome *c = (struct chrome *)timeline;
	struct chrome_track *t = (struct chrome_track *)track;

	(void)file, (void)line; /* the format has no place for them */
	if (name_key >= c->key_count || !c->keys[name_key])
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
		put_begin_args(c, t, &t->frames[t->depth], args, arg_count);
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
		put_end(c, t, t->last);
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
	struct tl_output *out;

	prepare_track(t);
	advance(c, t, ticks);
	begin_together(c, t);
	out = other_event(c, t, 'i', t->last);
	if (!out)
		return;
	tl_put_text(out, ",\"s\":\"t\",\"name\":");
	tl_put_json(out, name, strlen(name));
	put_args(out, args, arg_count);
	tl_put_char(out, '}');
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
	struct tl_output *out;

	prepare_track(t);
	out = other_event(c, t, 'C', since);
	if (!out)
		return;
	tl_put_text(out, ",\"name\":");
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

/* All that there is. The output is the caller's again. */
static void write_events(struct chrome *c)
{
	struct batch *b = c->ordered ? tl_ordered_batch(c->ordered) : NULL;

	if (b && b->other_open)
		take_other(c, b);
	if (tl_ordered_close(c->ordered, NULL) < 0)
		c->base.no_memory = true;
	c->ordered = NULL;
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
				put_begin(c, t, &t->frames[f]);
	}
	write_events(c);
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

	write_events(c);
	tl_output_discard(c->scratch);
	tl_arena_free(&c->arena);
	free(c->keys);
}

static bool failed(const struct tl_timeline *timeline)
{
	const struct chrome *c = (const struct chrome *)timeline;

	return c->ordered ? tl_ordered_failed(c->ordered) : tl_output_failed(timeline->out);
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
	.failed = failed,
	.free_track = free_track,
	.free = free_chrome,
};
