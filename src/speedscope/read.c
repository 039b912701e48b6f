/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file: shared frames and profiles, in any order. Profiles name frames by their number in the
 * file, so the tree of stacks is made with these numbers, and they become frames at the end.
 */
#include <inttypes.h>
#include <string.h>

#include "core/error.h"
#include "speedscope/speedscope.h"

/* ---- frames ---- */

struct frame_members {
	struct tl_speedscope_read *speedscope;
	struct tl_foreign_frame frame;
};

static int take_frame_member(void *arg, struct tl_error *err)
{
	struct frame_members *m = arg;
	struct tl_speedscope_read *s = m->speedscope;
	struct tl_decimal number;
	bool is, exact = true;
	int status;

	if (tl_json_is(&s->reader.json, "name"))
		return tl_foreign_json_name(&s->reader, &m->frame.name, err);
	if (tl_json_is(&s->reader.json, "file"))
		return tl_foreign_json_name(&s->reader, &m->frame.file, err);
	if (!tl_json_is(&s->reader.json, "line"))
		return tl_foreign_json_skip(&s->reader, err);
	status = tl_foreign_json_number(&s->reader, &number, &is, err);
	if (status == 0 && is) {
		const int64_t line = tl_decimal_scaled(&number, 0, &exact);

		m->frame.line = line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
	}
	return status;
}

static int take_frame(void *arg, struct tl_error *err)
{
	struct tl_speedscope_read *s = arg;
	struct frame_members m = { .speedscope = s };
	const uint64_t offset = s->reader.json.token.offset;
	bool bad = s->reader.json.token.kind != TL_JSON_OBJECT;
	int status = 0;

	if (!bad)
		status = tl_foreign_json_members(&s->reader, take_frame_member, &m, err);
	else if (s->reader.json.token.kind == TL_JSON_ARRAY)
		status = tl_foreign_json_skip(&s->reader, err);
	if (!tl_grow(&s->frames, &s->frame_capacity, s->frame_count + 1, sizeof(*s->frames)))
		return tl_error_memory(err);
	/* A bad frame keeps its number. */
	s->frames[s->frame_count++] = m.frame;
	if (status < 0 || !bad)
		return status;
	return tl_foreign_json_bad(&s->reader, "frame", offset, "a frame is no object", err);
}

/* ---- the file ---- */

static int take_array(struct tl_speedscope_read *s, tl_foreign_value_fn *element,
		      struct tl_error *err)
{
	int status = tl_json_next(&s->reader.json, err);

	if (status < 0)
		return status;
	if (s->reader.json.token.kind == TL_JSON_OBJECT)
		return tl_foreign_json_skip(&s->reader, err);
	if (s->reader.json.token.kind != TL_JSON_ARRAY)
		return 0;
	return tl_foreign_json_elements(&s->reader, '{', element, s, err);
}

static int take_shared_member(void *arg, struct tl_error *err)
{
	struct tl_speedscope_read *s = arg;

	if (tl_json_is(&s->reader.json, "frames"))
		return take_array(s, take_frame, err);
	return tl_foreign_json_skip(&s->reader, err);
}

static int take_shared(struct tl_speedscope_read *s, struct tl_error *err)
{
	int status = tl_json_next(&s->reader.json, err);

	if (status < 0)
		return status;
	if (s->reader.json.token.kind == TL_JSON_ARRAY)
		return tl_foreign_json_skip(&s->reader, err);
	if (s->reader.json.token.kind != TL_JSON_OBJECT)
		return 0;
	return tl_foreign_json_members(&s->reader, take_shared_member, s, err);
}

static int take_file_member(void *arg, struct tl_error *err)
{
	struct tl_speedscope_read *s = arg;

	if (tl_json_is(&s->reader.json, "shared"))
		return take_shared(s, err);
	if (tl_json_is(&s->reader.json, "profiles"))
		return take_array(s, tl_speedscope_take_profile, err);
	return tl_foreign_json_skip(&s->reader, err);
}

static int take_file(void *arg, struct tl_error *err)
{
	struct tl_speedscope_read *s = arg;

	if (s->reader.json.token.kind != TL_JSON_OBJECT)
		return tl_error_at(err, TL_BAD_FORMAT, s->reader.json.token.offset,
				   "a speedscope file is an object");
	return tl_foreign_json_members(&s->reader, take_file_member, s, err);
}

/* ---- the end ---- */

/* Numbers of frames that the file does not have become the one frame behind all others. */
static void limit_frames(struct tl_speedscope_read *s)
{
	struct tl_path_tree *tree = &s->reader.file->stacks.tree;
	struct tl_foreign_spans *spans = &s->reader.file->spans;
	const uint32_t limit = (uint32_t)s->frame_count;

	s->reader.file->stacks.alike = true;
	for (size_t i = 1; i < tree->count; i++)
		if (tree->nodes[i].parent && tree->nodes[i].key > limit)
			tree->nodes[i].key = limit;
	for (size_t i = 0; i < spans->count; i++)
		for (size_t n = 0; n < spans->threads[i].count; n++)
			if (spans->threads[i].spans[n].frame > limit)
				spans->threads[i].spans[n].frame = limit;
}

static int take_frames(struct tl_speedscope_read *s, struct tl_error *err)
{
	struct tl_foreign_stacks *stacks = &s->reader.file->stacks;
	const bool missing = s->frame_limit > s->frame_count;
	int status = 0;

	if (missing) {
		limit_frames(s);
		if (!tl_grow(&s->frames, &s->frame_capacity, s->frame_count + 1,
			     sizeof(*s->frames)))
			return tl_error_memory(err);
		s->frames[s->frame_count] = (struct tl_foreign_frame){ 0 };
		status = tl_foreign_say(&s->reader.file->faults, TL_BAD_RECORD, "frame", err,
					"frames up to number %" PRIu64 " are used, the file has "
					"%zu: others are shown as ???",
					s->frame_limit - 1, s->frame_count);
	}
	stacks->frames = s->frames;
	stacks->frame_count = s->frame_count + missing;
	stacks->frame_capacity = s->frame_capacity;
	s->frames = NULL;
	return status;
}

/* Whether all calls over time are of one kind of unit, and there are no samples beside them. */
static bool only_spans(const struct tl_speedscope_read *s)
{
	const struct tl_foreign_spans *spans = &s->reader.file->spans;

	for (size_t i = 1; i < spans->count; i++)
		if (strcmp(s->units[i]->event, s->units[0]->event))
			return false;
	return spans->count && !s->samples;
}

static int spans_as_stacks(struct tl_speedscope_read *s, struct tl_error *err)
{
	struct tl_foreign_file *f = s->reader.file;
	struct tl_foreign_walk met = { 0 };
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < f->spans.count; i++) {
		const struct tl_foreign_part part = {
			.process = TL_NOWHERE,
			.thread = (uint64_t)f->spans.threads[i].thread,
		};
		const uint32_t number = tl_foreign_stacks_part(&f->stacks, &part);
		const uint32_t event =
			tl_foreign_stacks_event(&f->stacks, s->units[i]->event,
						strlen(s->units[i]->event), s->units[i]->unit);

		if (number == TL_NONE || event == TL_NONE)
			return tl_error_memory(err);
		f->stacks.parts[number].command = f->spans.threads[i].command;
		f->stacks.parts[number].samples = f->spans.threads[i].count;
		status = tl_foreign_spans_as_stacks(f, i, number, event, &met, err);
	}
	tl_foreign_spans_free(&f->spans);
	if (status < 0)
		return status;
	return tl_foreign_note_walk(f, &met, err);
}

static int finish(struct tl_speedscope_read *s, struct tl_error *err)
{
	struct tl_foreign_file *f = s->reader.file;
	int status = take_frames(s, err);

	if (status == 0 && only_spans(s)) {
		f->frequency = s->units[0]->is_time ? 1000000000 : 0;
		f->unit = s->units[0]->unit;
	} else if (status == 0) {
		f->frequency = 1000000000;
		status = spans_as_stacks(s, err);
	}
	f->records = s->samples + s->events;
	tl_foreign_tell(f, "profiles", s->profiles);
	tl_foreign_tell(f, "samples", s->samples);
	tl_foreign_tell(f, "events", s->events);
	if (status == 0 && s->empty)
		status = tl_foreign_say(&f->faults, TL_OK, "sample", err,
					"%" PRIu64 " samples have no frames: their weights are in "
					"no function and in no total",
					s->empty);
	if (status < 0)
		return status;
	return tl_foreign_note_costs(f, err);
}

static int read_speedscope(struct tl_foreign_file *file, struct tl_source *source,
			   struct tl_error *err)
{
	struct tl_speedscope_read s = { .reader.file = file };
	int status = tl_foreign_json_text(&s.reader, source, take_file, &s, err);

	if (status == 0)
		status = finish(&s, err);
	free(s.frames);
	free(s.profile.nodes);
	free(s.profile.weights);
	free(s.profile.events);
	free(s.units);
	return status;
}

const struct tl_foreign_reader tl_speedscope_reader = {
	.format = "speedscope",
	.read = read_speedscope,
};

/* ---- recognising ---- */

static bool has(const uint8_t *data, size_t size, const char *text)
{
	return memmem(data, size, text, strlen(text)) != NULL;
}

int tl_speedscope_probe(const uint8_t *data, size_t size)
{
	size_t at = 0;

	while (at < size && memchr(" \t\r\n\xef\xbb\xbf", data[at], 7))
		at++;
	if (at == size || data[at] != '{')
		return 0;
	if (has(data, size, "speedscope.app/file-format-schema.json"))
		return 100;
	if (has(data, size, "\"profiles\"") && has(data, size, "\"shared\""))
		return 70;
	return has(data, size, "\"frames\"") &&
			       (has(data, size, "\"shared\"") || has(data, size, "\"evented\"") ||
				has(data, size, "\"sampled\""))
		       ? 50
		       : 0;
}
