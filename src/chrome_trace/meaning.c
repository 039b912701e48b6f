/* SPDX-License-Identifier: Apache-2.0 */
/* What an event means: a call, an instant, a name; others are counted, and told. */
#include <inttypes.h>

#include "chrome_trace/chrome_trace.h"
#include "core/error.h"
#include "core/output.h"

/* ---- dump ---- */

static void dump_text(struct tl_chrome_read *c, const char *key, uint32_t name)
{
	const struct tl_name *text = &c->reader.file->stacks.names.names[name];
	struct tl_output *out = c->reader.file->options.dump;

	if (!name)
		return;
	if (c->reader.file->options.json) {
		tl_put_format(out, ",\"%s\":", key);
		tl_put_json(out, text->text, text->size);
	} else {
		tl_put_format(out, " %s ", key);
		tl_put_shown(out, text->text, text->size);
	}
}

static void dump_decimal(struct tl_chrome_read *c, const char *key, const struct tl_decimal *number)
{
	struct tl_output *out = c->reader.file->options.dump;

	tl_put_format(out, c->reader.file->options.json ? ",\"%s\":" : " %s ", key);
	tl_foreign_put_decimal(out, number);
}

static int dump_event(struct tl_chrome_read *c, const struct tl_chrome_event *e,
		      struct tl_error *err)
{
	const char phase[2] = { e->phase >= ' ' && e->phase < 0x7f ? (char)e->phase : '?', 0 };
	struct tl_output *out = c->reader.file->options.dump;
	const bool json = c->reader.file->options.json;

	tl_put_format(out, json ? "{\"offset\":%" PRIu64 ",\"ph\":" : "0x%" PRIx64 " ", e->offset);
	if (json)
		tl_put_json(out, phase, 1);
	else
		tl_put_text(out, phase);
	tl_put_format(out,
		      json ? ",\"pid\":%" PRIi64 ",\"tid\":%" PRIi64
			   : " pid %" PRIi64 " tid %" PRIi64,
		      e->process, e->thread);
	if (e->has_time)
		dump_decimal(c, "ts", &e->time);
	if (e->has_duration)
		dump_decimal(c, "dur", &e->duration);
	dump_text(c, "name", e->name);
	dump_text(c, "value", e->argument);
	tl_put_text(out, json ? "}\n" : "\n");
	return tl_output_failed(out)
		       ? tl_error_at(err, TL_IO, TL_NOWHERE, "the output cannot be written")
		       : 0;
}

/* ---- calls ---- */

/* Nanoseconds, to the nearest one, of the sum of two numbers of microseconds. */
static int64_t sum_ns(const struct tl_decimal *a, const struct tl_decimal *b)
{
	bool exact = true;
	const int64_t x = tl_decimal_scaled(a, 3, &exact), y = tl_decimal_scaled(b, 3, &exact);
	int64_t sum;

	if (__builtin_add_overflow(x, y, &sum))
		return INT64_MAX;
	if (!exact) {
		/* Rounded once: what two roundings have left out, in thousandths. */
		const int64_t pa = tl_decimal_scaled(a, 6, &exact),
			      pb = tl_decimal_scaled(b, 6, &exact);
		int64_t ps;

		if (pa != INT64_MAX && pb != INT64_MAX && !__builtin_add_overflow(pa, pb, &ps))
			sum = ps >= 0 ? (ps + 500) / 1000 : -((500 - ps) / 1000);
	}
	return sum;
}

static int bad_event(struct tl_chrome_read *c, const struct tl_chrome_event *e, const char *text,
		     struct tl_error *err)
{
	return tl_foreign_json_bad(&c->reader, "event", e->offset, text, err);
}

static uint64_t duration_of(enum tl_chrome_kind kind, const struct tl_chrome_event *e, int64_t time)
{
	int64_t end;

	switch (kind) {
	case TL_CHROME_BEGIN:
		return TL_FOREIGN_BEGIN;
	case TL_CHROME_END:
		return TL_FOREIGN_END;
	case TL_CHROME_INSTANT:
		return TL_FOREIGN_INSTANT;
	default:
		end = e->has_duration ? sum_ns(&e->time, &e->duration) : time;
		return end > time ? (uint64_t)end - (uint64_t)time : 0;
	}
}

static int add_span(struct tl_chrome_read *c, const struct tl_chrome_event *e,
		    enum tl_chrome_kind kind, struct tl_error *err)
{
	struct tl_foreign_spans *spans = &c->reader.file->spans;
	uint32_t number, frame = TL_NONE;
	bool exact = true;
	int64_t time;

	if (!e->has_time)
		return bad_event(c, e, "an event without a time; left it out", err);
	number = tl_foreign_spans_thread(spans, e->process, e->thread);
	/* An end without a name ends the innermost call. */
	if (e->name || kind != TL_CHROME_END)
		frame = tl_foreign_stacks_of_name(&c->reader.file->stacks, e->name);
	if (number == TL_NONE || (frame == TL_NONE && (e->name || kind != TL_CHROME_END)))
		return tl_error_memory(err);
	if (e->thread_name && !spans->threads[number].command)
		spans->threads[number].command = e->thread_name;
	time = tl_decimal_scaled(&e->time, 3, &exact);
	if (!tl_foreign_spans_add(&spans->threads[number], time, duration_of(kind, e, time), frame))
		return tl_error_memory(err);
	if (kind == TL_CHROME_INSTANT && c->argument_count)
		return tl_chrome_keep_arguments(c, &spans->threads[number], err);
	if (kind == TL_CHROME_COMPLETE && (!e->has_duration || e->duration.negative))
		return bad_event(c, e,
				 "a complete event without a duration, or with one below zero; "
				 "taken as zero",
				 err);
	return 0;
}

/* ---- names ---- */

static int name_track(struct tl_chrome_read *c, const struct tl_chrome_event *e,
		      struct tl_error *err)
{
	struct tl_foreign_spans *spans = &c->reader.file->spans;
	uint32_t number;

	if (!e->argument || (e->name != c->thread_name && e->name != c->process_name))
		return 0;
	number = tl_foreign_spans_thread(
		spans, e->process, e->name == c->thread_name ? e->thread : TL_FOREIGN_PROCESS);
	if (number == TL_NONE)
		return tl_error_memory(err);
	spans->threads[number].command = e->argument;
	return 0;
}

int tl_chrome_use_event(struct tl_chrome_read *c, const struct tl_chrome_event *e,
			struct tl_error *err)
{
	const enum tl_chrome_kind kind = tl_chrome_kind_of(e->phase);

	c->counts[kind]++;
	if (c->reader.file->options.dump)
		return dump_event(c, e, err);
	switch (kind) {
	case TL_CHROME_BEGIN:
	case TL_CHROME_END:
	case TL_CHROME_COMPLETE:
	case TL_CHROME_INSTANT:
		return add_span(c, e, kind, err);
	case TL_CHROME_METADATA:
		return name_track(c, e, err);
	case TL_CHROME_COUNTER:
		return tl_chrome_add_values(c, e, err);
	case TL_CHROME_UNKNOWN:
		return bad_event(c, e, "an event without a phase that is known; left it out", err);
	default:
		return 0;
	}
}
