/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/map/log_map.h"

#include <stdlib.h>
#include <string.h>

#include "core/cursor.h"
#include "core/error.h"
#include "xray/map/object_ids.h"

/* A line, and what of it is left. */
struct line {
	struct tl_cursor cur;
	uint64_t offset;
};

static bool next_line(struct tl_cursor *cur, struct line *line)
{
	const uint8_t *end;

	if (!tl_cursor_left(cur))
		return false;
	end = memchr(cur->pos, '\n', tl_cursor_left(cur));
	line->offset = tl_cursor_offset(cur);
	line->cur = *cur;
	line->cur.end = end ? end : cur->end;
	cur->pos = end ? end + 1 : cur->end;
	return true;
}

/* The next word of a line, behind which one blank is skipped. */
static struct tl_cursor word_of(struct line *line)
{
	struct tl_cursor word = line->cur;
	size_t left = tl_cursor_left(&line->cur);
	const uint8_t *blank = left ? memchr(line->cur.pos, ' ', left) : NULL;

	word.end = blank ? blank : line->cur.end;
	line->cur.pos = blank ? blank + 1 : line->cur.end;
	return word;
}

static bool is_word(const struct tl_cursor *word, const char *text)
{
	return tl_cursor_left(word) == strlen(text) &&
	       !memcmp(word->pos, text, tl_cursor_left(word));
}

/* A number, decimal or behind 0x hexadecimal, below 2^63. */
static bool number_of(struct line *line, uint64_t *number)
{
	struct tl_cursor word = word_of(line);
	unsigned base = 10;

	*number = 0;
	if (tl_cursor_left(&word) > 2 && word.pos[0] == '0' && word.pos[1] == 'x') {
		base = 16;
		word.pos += 2;
	}
	if (!tl_cursor_left(&word))
		return false;
	for (; tl_cursor_left(&word); word.pos++) {
		unsigned digit = *word.pos >= 'a' ? *word.pos - 'a' + 10u : *word.pos - '0' + 0u;

		if (digit >= base || *number > (UINT64_MAX >> 1) / base - 1)
			return false;
		*number = *number * base + digit;
	}
	return true;
}

static const char *text_of(struct tl_xray_recorded *recorded, const struct tl_cursor *word)
{
	return tl_arena_copy(&recorded->arena, (const char *)word->pos, tl_cursor_left(word));
}

/* ---- the kinds of lines ---- */

static int take_program(struct tl_xray_recorded *recorded, struct line *line)
{
	struct tl_cursor id = word_of(line);

	if (!tl_cursor_left(&line->cur))
		return TL_BAD_FORMAT;
	recorded->program_id = text_of(recorded, &id);
	recorded->program = text_of(recorded, &line->cur);
	return recorded->program && recorded->program_id ? 0 : TL_NO_MEMORY;
}

static int take_object(struct tl_xray_recorded *recorded, struct line *line)
{
	struct tl_xray_object object = { .size = 0 };
	struct tl_cursor id;
	uint64_t first;

	if (!number_of(line, &first) || !number_of(line, &object.size) ||
	    !number_of(line, &object.address))
		return TL_BAD_FORMAT;
	id = word_of(line);
	if (first > UINT32_MAX || object.size > UINT32_MAX - first || !tl_cursor_left(&line->cur))
		return TL_BAD_FORMAT;
	object.first = (uint32_t)first;
	object.build_id = text_of(recorded, &id);
	object.path = text_of(recorded, &line->cur);
	if (!object.build_id || !object.path || !tl_xray_objects_add(recorded->map->spans, &object))
		return TL_NO_MEMORY;
	return 0;
}

static int take_lost(struct tl_xray_recorded *recorded, struct line *line)
{
	uint64_t count;

	if (!number_of(line, &count))
		return TL_BAD_FORMAT;
	recorded->lost_reason = text_of(recorded, &line->cur);
	return recorded->lost_reason ? 0 : TL_NO_MEMORY;
}

static int take_overwritten(struct tl_xray_recorded *recorded, struct line *line)
{
	uint64_t bytes;

	recorded->overwritten = number_of(line, &bytes);
	return recorded->overwritten ? 0 : TL_BAD_FORMAT;
}

static int take_cut(struct tl_xray_recorded *recorded, struct line *line)
{
	recorded->cut = true;
	return tl_cursor_left(&line->cur) ? TL_BAD_FORMAT : 0;
}

static const struct {
	const char *word;
	int (*take)(struct tl_xray_recorded *recorded, struct line *line);
} kinds[] = {
	{ "binary", take_program },          { "object", take_object }, { "lost", take_lost },
	{ "overwritten", take_overwritten }, { "cut", take_cut },
};

static int take_line(struct tl_xray_recorded *recorded, struct line *line, struct tl_error *err)
{
	struct tl_cursor word = word_of(line);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int status;

		if (!is_word(&word, kinds[i].word))
			continue;
		status = kinds[i].take(recorded, line);
		if (status == TL_NO_MEMORY)
			return tl_error_memory(err);
		if (status < 0)
			return tl_error_at(err, TL_BAD_FORMAT, line->offset,
					   "not a line that a recording's map has");
		return 0;
	}
	return tl_error_at(err, TL_BAD_FORMAT, line->offset,
			   "a line of a kind that a recording's map has not");
}

/* ---- the file ---- */

static bool make_map(struct tl_xray_recorded *recorded, bool demangle)
{
	recorded->map = calloc(1, sizeof(*recorded->map));
	if (!recorded->map)
		return false;
	recorded->map->spans = tl_xray_objects_make(demangle);
	return recorded->map->spans != NULL;
}

int tl_xray_recorded_read(struct tl_xray_recorded *recorded, const uint8_t *data, size_t size,
			  bool demangle, struct tl_error *err)
{
	struct tl_cursor cur = tl_cursor_over(data, size);
	struct line line;
	int status = 0;

	if (!make_map(recorded, demangle))
		return tl_error_memory(err);
	if (!next_line(&cur, &line) || !is_word(&line.cur, "tracelathe-map 1"))
		return tl_error_at(err, TL_BAD_FORMAT, 0,
				   "not the map of a recording, or one of a later version");
	while (status == 0 && next_line(&cur, &line))
		status = take_line(recorded, &line, err);
	if (status < 0)
		return status;
	tl_xray_objects_finish(recorded->map->spans);
	if (recorded->program) {
		tl_xray_map_close(recorded->map);
		recorded->map = NULL;
	}
	return 0;
}

int tl_xray_recorded_open(struct tl_xray_recorded *recorded, const char *path, bool demangle,
			  struct tl_error *err)
{
	struct tl_source *source;
	const uint8_t *data;
	size_t size;
	int status = tl_source_open(&source, path, NULL, err);

	if (status)
		return status;
	status = tl_source_map(source, &data, &size, err);
	if (!status)
		status = tl_xray_recorded_read(recorded, data, size, demangle, err);
	tl_source_close(source);
	return tl_error_format(err, "xray", status);
}

void tl_xray_recorded_close(struct tl_xray_recorded *recorded)
{
	tl_xray_map_close(recorded->map);
	tl_arena_free(&recorded->arena);
	*recorded = (struct tl_xray_recorded){ .map = NULL };
}
