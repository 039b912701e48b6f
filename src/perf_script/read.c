/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines to samples: a line of a sample, lines of its call chain (the innermost frame first), a
 * blank line. A sample is counted when it has ended.
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/text/lines.h"
#include "core/text/optional.h"
#include "perf_script/perf_script.h"

/* Columns of events that have a name of their own: two, and those of all others, are left. */
enum { MOST_EVENTS = TL_FOREIGN_EVENTS - 4 };

struct script {
	struct tl_foreign_file *file;
	struct tl_lines lines;
	bool open;     /* there is a sample */
	bool left_out; /* what the chain's lines are of is not wanted, or was told */
	bool tabbed;   /* frames of the sample begin with a tab, as perf writes them */
	uint32_t root, event;
	uint64_t period;
	struct tl_foreign_frame *chain; /* of the sample */
	size_t chain_count, chain_capacity;
	uint64_t samples, chains, first_ns;
};

/* ---- one sample ---- */

static uint32_t name_of(struct script *s, struct tl_perf_script_text text)
{
	return tl_names_add(&s->file->stacks.names, (const char *)text.start,
			    (size_t)(text.end - text.start));
}

static bool push_frame(struct script *s, const struct tl_perf_script_frame *frame)
{
	static const char inlined[] = "inlined";
	struct tl_foreign_frame added = { .name = name_of(s, frame->name) };
	const size_t size = (size_t)(frame->object.end - frame->object.start);

	/* "(inlined)" stands in the place of the object. */
	if (frame->object.start &&
	    !(size == sizeof(inlined) - 1 && !memcmp(frame->object.start, inlined, size)))
		added.object = name_of(s, frame->object);
	if (added.name == TL_NONE || added.object == TL_NONE ||
	    !tl_grow(&s->chain, &s->chain_capacity, s->chain_count + 1, sizeof(added)))
		return false;
	s->chain[s->chain_count++] = added;
	return true;
}

/* A sample without any frame ran somewhere. */
static bool push_unknown(struct script *s)
{
	static const char unknown[] = "[unknown]";
	const uint8_t *text = (const uint8_t *)unknown;
	const struct tl_perf_script_frame frame = {
		.name = { text, text + sizeof(unknown) - 1 },
	};

	return push_frame(s, &frame);
}

static int end_sample(struct script *s, struct tl_error *err)
{
	struct tl_foreign_stacks *stacks = &s->file->stacks;
	uint32_t node = s->root;

	if (!s->open)
		return 0;
	s->open = false;
	s->chains += s->chain_count > 1;
	if (!s->chain_count && !push_unknown(s))
		return tl_error_memory(err);
	while (node && s->chain_count) {
		const uint32_t frame = tl_foreign_stacks_frame(stacks, &s->chain[--s->chain_count]);

		node = frame == TL_NONE ? 0 : tl_foreign_stacks_child(stacks, node, frame);
	}
	s->chain_count = 0;
	if (!node || !tl_foreign_stacks_count(stacks, node, s->event, (int64_t)s->period) ||
	    !tl_foreign_stacks_count(stacks, node, s->event + 1, 1))
		return tl_error_memory(err);
	return 0;
}

/* ---- where a sample is counted ---- */

static bool is_clock(struct tl_perf_script_text event)
{
	const size_t size = (size_t)(event.end - event.start);

	return size >= 9 && (!memcmp(event.start, "cpu-clock", 9) ||
			     (size >= 10 && !memcmp(event.start, "task-clock", 10)));
}

/* The number of an event by its name; TL_NONE: it is new. */
static uint32_t find_event(const struct tl_foreign_stacks *stacks, const char *text, size_t size)
{
	for (uint32_t i = 0; i < stacks->event_count; i += 2) {
		const struct tl_name *name = &stacks->names.names[stacks->events[i].name];

		if (name->size == size && !memcmp(name->text, text, size))
			return i;
	}
	return TL_NONE;
}

/* Two columns: periods, and samples behind them. TL_NONE without memory. */
static uint32_t add_event(struct tl_foreign_stacks *stacks, const char *text, size_t size,
			  const char *unit)
{
	const uint32_t number = tl_foreign_stacks_event(stacks, text, size, unit);
	char *name;
	bool added;

	if (number == TL_NONE || asprintf(&name, "%.*s.samples", (int)tl_min(size, 4096), text) < 0)
		return TL_NONE;
	added = tl_foreign_stacks_event(stacks, name, strlen(name), "samples") != TL_NONE;
	free(name);
	return added ? number : TL_NONE;
}

/* The last two columns that there is room for are those of all other events. */
static uint32_t event_of(struct script *s, struct tl_perf_script_text event)
{
	static const char others[] = "other events";
	struct tl_foreign_stacks *stacks = &s->file->stacks;
	const char *text = event.start ? (const char *)event.start : "event";
	size_t size = event.start ? (size_t)(event.end - event.start) : 5;
	uint32_t number = find_event(stacks, text, size);

	if (number == TL_NONE && stacks->event_count >= MOST_EVENTS) {
		text = others;
		size = sizeof(others) - 1;
		number = find_event(stacks, text, size);
	}
	if (number != TL_NONE)
		return number;
	return add_event(stacks, text, size, tl_text_if(is_clock(event) && text != others, "ns"));
}

static uint32_t part_of(struct script *s, const struct tl_perf_script_sample *sample)
{
	struct tl_foreign_stacks *stacks = &s->file->stacks;
	struct tl_foreign_part key = { .process = sample->process, .thread = sample->thread };
	struct tl_foreign_part *part;
	uint32_t number;

	key.command = sample->comm.start ? name_of(s, sample->comm) : 0;
	number = key.command == TL_NONE ? TL_NONE : tl_foreign_stacks_part(stacks, &key);
	if (number == TL_NONE)
		return number;
	part = &stacks->parts[number];
	part->samples++;
	if (sample->time_ns != TL_NOWHERE) {
		if (!part->first_ticks || sample->time_ns < part->first_ticks)
			part->first_ticks = sample->time_ns;
		if (sample->time_ns > part->last_ticks)
			part->last_ticks = sample->time_ns;
	}
	return number;
}

static bool is_wanted(struct script *s, const struct tl_perf_script_sample *sample)
{
	const struct tl_foreign_options *o = &s->file->options;
	double at;

	if (!s->first_ns)
		s->first_ns = sample->time_ns;
	at = (double)(int64_t)(sample->time_ns - s->first_ns) / 1e9;
	return tl_foreign_wants(s->file, sample->process, sample->thread) &&
	       (o->from_seconds <= 0 || at >= o->from_seconds) &&
	       (o->to_seconds <= 0 || at < o->to_seconds);
}

static int begin_sample(struct script *s, const struct tl_perf_script_sample *sample,
			struct tl_error *err)
{
	struct tl_perf_script_frame frame;
	uint32_t part;

	s->samples++;
	if (sample->time_ns == TL_NOWHERE && tl_foreign_wants_window(s->file))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "a sample without a time: there is nothing to choose by");
	s->left_out = !is_wanted(s, sample);
	if (s->left_out)
		return 0;
	part = part_of(s, sample);
	s->event = event_of(s, sample->event);
	if (part == TL_NONE || s->event == TL_NONE)
		return tl_error_memory(err);
	s->root = tl_foreign_stacks_child(&s->file->stacks, 0, part);
	s->period = sample->period == TL_NOWHERE ? 1 : sample->period;
	s->open = true;
	/* Without a call chain the address stands in the line. */
	if (sample->rest.start < sample->rest.end &&
	    tl_perf_script_cut_frame(sample->rest.start, sample->rest.end, &frame) &&
	    frame.object.start && !push_frame(s, &frame))
		return tl_error_memory(err);
	if (!s->root)
		return tl_error_memory(err);
	return 0;
}

/* ---- lines ---- */

static int bad_line(struct script *s, const char *text, struct tl_error *err)
{
	const uint64_t offset = tl_lines_offset(&s->lines);
	const struct tl_foreign_fault fault = {
		"line",          TL_BAD_RECORD, text, offset, tl_lines_passed(&s->lines) - offset,
		s->lines.number,
	};

	return tl_foreign_broken(&s->file->faults, &fault, err);
}

static int dump_line(struct script *s, const char *record, struct tl_error *err)
{
	struct tl_output *out = s->file->options.dump;
	const size_t size = (size_t)(s->lines.stop - s->lines.start);

	if (s->file->options.json) {
		tl_put_format(out, "{\"offset\":%" PRIu64 ",\"record\":\"%s\",\"text\":",
			      tl_lines_offset(&s->lines), record);
		tl_put_json(out, (const char *)s->lines.start, size);
		tl_put_text(out, "}\n");
	} else {
		tl_put_format(out, "0x%" PRIx64 " %s ", tl_lines_offset(&s->lines), record);
		tl_put_shown(out, (const char *)s->lines.start, size);
		tl_put_char(out, '\n');
	}
	return tl_output_failed(out)
		       ? tl_error_at(err, TL_IO, TL_NOWHERE, "the output cannot be written")
		       : 0;
}

static int take_frame(struct script *s, const struct tl_perf_script_frame *frame,
		      struct tl_error *err)
{
	s->tabbed = *s->lines.start == '\t';
	if (s->file->options.dump)
		return dump_line(s, "frame", err);
	if (!s->open && !s->left_out)
		return bad_line(s, "a frame of a call chain without a sample; left it out", err);
	if (s->open && !push_frame(s, frame))
		return tl_error_memory(err);
	return 0;
}

/* A line that begins with a blank: of a call chain, if there is a sample. */
static int take_chain_line(struct script *s, struct tl_error *err)
{
	/* Fields of the sample that perf prints behind its chain are no frames, if they look so. */
	const bool is_field = s->tabbed && *s->lines.start == ' ';
	struct tl_perf_script_frame frame;
	struct tl_perf_script_text file;
	uint32_t line;

	if (!is_field && tl_perf_script_cut_frame(s->lines.start, s->lines.stop, &frame))
		return take_frame(s, &frame, err);
	if (!tl_perf_script_cut_place(s->lines.start, s->lines.stop, &file, &line)) {
		if (is_field)
			return s->file->options.dump ? dump_line(s, "fields", err) : 0;
		s->left_out |= !s->open;
		return bad_line(s, "neither a sample nor a frame of a call chain; left it out",
				err);
	}
	if (s->chain_count) {
		s->chain[s->chain_count - 1].file = name_of(s, file);
		s->chain[s->chain_count - 1].line = line;
		if (s->chain[s->chain_count - 1].file == TL_NONE)
			return tl_error_memory(err);
	}
	return 0;
}

static bool is_blank_line(const struct script *s)
{
	const uint8_t *p = s->lines.start;

	while (p < s->lines.stop && tl_perf_script_is_blank(*p))
		p++;
	return p == s->lines.stop;
}

static int take_line(struct script *s, struct tl_error *err)
{
	struct tl_perf_script_sample sample;
	int status;

	if (s->lines.too_long)
		return bad_line(s, "a line longer than 16 MiB; left it out", err);
	if (is_blank_line(s)) {
		s->left_out = s->tabbed = false;
		return end_sample(s, err);
	}
	if (*s->lines.start == '#')
		return 0;
	/* A name of a command that is short has blanks before it, as frames have. */
	if (!tl_perf_script_cut_sample(s->lines.start, s->lines.stop, &sample))
		return take_chain_line(s, err);
	if (*s->lines.start == '\t')
		return take_chain_line(s, err);
	status = end_sample(s, err);
	s->left_out = sample.is_record;
	s->tabbed = false;
	if (status < 0 || sample.is_record)
		return status;
	if (s->file->options.dump)
		return dump_line(s, "sample", err);
	return begin_sample(s, &sample, err);
}

/* ---- the whole ---- */

static int finish(struct script *s, struct tl_error *err)
{
	struct tl_foreign_stacks *stacks = &s->file->stacks;

	/* As of a perf.data file with one event (docs/formats/perf-data.md). */
	if (stacks->event_count == 2) {
		stacks->events[1].name = tl_names_add(&stacks->names, "samples", 7);
		if (stacks->events[1].name == TL_NONE)
			return tl_error_memory(err);
	}
	s->file->frequency = 1000000000;
	s->file->records = s->lines.number;
	tl_foreign_tell(s->file, "lines", s->lines.number);
	tl_foreign_tell(s->file, "samples", s->samples);
	tl_foreign_tell(s->file, "call_chains", s->chains);
	return 0;
}

static int read_script(struct tl_foreign_file *file, struct tl_source *source, struct tl_error *err)
{
	struct script s = { .file = file };
	int status = 0;

	if (!tl_lines_begin(&s.lines, source))
		return tl_error_memory(err);
	while (status == 0 && (status = tl_lines_next(&s.lines, err)) > 0)
		status = take_line(&s, err);
	if (status == 0)
		status = end_sample(&s, err);
	if (status == 0)
		status = finish(&s, err);
	tl_lines_end(&s.lines);
	free(s.chain);
	return status;
}

const struct tl_foreign_reader tl_perf_script_reader = {
	.format = "perf-script",
	.read = read_script,
};

/* ---- recognising ---- */

enum { LOOKED_AT = 64 * 1024, LINES_LOOKED_AT = 200 };

/* Events have names, not numbers, as text of other kinds has before colons. */
static bool names_event(const struct tl_perf_script_sample *sample)
{
	return sample->event.start && (uint8_t)((*sample->event.start | 0x20) - 'a') < 26;
}

struct script_survey {
	unsigned samples, frames, bad;
};

static void survey_line(struct script_survey *survey, const uint8_t *line, const uint8_t *end)
{
	struct tl_perf_script_sample sample;
	struct tl_perf_script_frame frame;
	struct tl_perf_script_text file;
	uint32_t number;

	if (line == end || *line == '#')
		return;
	if (*line != '\t' && tl_perf_script_cut_sample(line, end, &sample)) {
		survey->samples++;
		/* A number at the end of a line is not much. */
		survey->bad += !names_event(&sample) && sample.time_ns == TL_NOWHERE;
	} else if (tl_perf_script_is_blank(*line) && tl_perf_script_cut_frame(line, end, &frame)) {
		survey->frames++;
	} else if (!tl_perf_script_is_blank(*line) ||
		   !tl_perf_script_cut_place(line, end, &file, &number)) {
		survey->bad++;
	}
}

int tl_perf_script_probe(const uint8_t *data, size_t size)
{
	struct tl_cursor cur = tl_cursor_over(data, tl_min(size, LOOKED_AT));
	struct script_survey s = { 0 };

	if (size && memchr(data, 0, tl_cursor_left(&cur)))
		return 0;
	for (unsigned i = 0; tl_cursor_left(&cur) && i < LINES_LOOKED_AT; i++) {
		const uint8_t *end = memchr(cur.pos, '\n', tl_cursor_left(&cur));

		survey_line(&s, cur.pos, end ? end : cur.end);
		cur.pos = end ? end + 1 : cur.end;
	}
	if (!s.samples || 2 * s.bad > s.samples + s.frames)
		return 0;
	return s.frames ? 85 : 35;
}
