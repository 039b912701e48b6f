/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A format that the library does not have, as a proof that a format is one row: a line "COST
 * frame<frame<frame" for each call path, leaf first. meson.build adds the row below to
 * formats.def; nothing else in the tree knows of this file.
 *
 * Only probe, open, close, fold and damage: every other call reports that it is not supported.
 */
#include <stdlib.h>
#include <string.h>

#include "core/cursor.h"
#include "core/error.h"
#include "open/format.h"
#include "profile/model/unsized.h"

struct reversed_input {
	const uint8_t *data;
	size_t size;
	uint64_t bad_lines;
};

/* A line of the file, which begins with a cost. */
struct line {
	const char *path; /* behind the blank */
	size_t path_size;
	int64_t cost;
};

/* ---- lines ---- */

/* Read a line and move behind it. False: it is not of the form "COST path". */
static bool read_line(struct tl_cursor *cur, struct line *line)
{
	const uint8_t *end = memchr(cur->pos, '\n', tl_cursor_left(cur));
	const uint8_t *stop = end ? end : cur->end, *p = cur->pos;

	*line = (struct line){ .cost = 0 };
	for (; p < stop && *p >= '0' && *p <= '9' && line->cost < UINT32_MAX; p++)
		line->cost = 10 * line->cost + (*p - '0');
	if (p > cur->pos && p + 1 < stop && *p == ' ') {
		line->path = (const char *)p + 1;
		line->path_size = (size_t)(stop - p) - 1;
	}
	cur->pos = end ? end + 1 : cur->end;
	return line->path_size;
}

static int probe_reversed(const uint8_t *data, size_t size)
{
	struct tl_cursor cur = tl_cursor_over(data, size);
	struct line line;

	return read_line(&cur, &line) && memchr(line.path, '<', line.path_size) ? 50 : 0;
}

/* ---- the profile ---- */

static int64_t add_frame(struct tl_profile *profile, uint32_t parent, const char *name, size_t size,
			 struct tl_error *err)
{
	char *copy = strndup(name, size);
	struct tl_function function = { .name = copy, .object = "", .file = "", .id = TL_NOWHERE };
	int64_t number;

	if (!copy)
		return tl_error_memory(err);
	number = tl_profile_put_function(profile, &function, err);
	free(copy);
	return number < 0 ? number
			  : tl_profile_add_context(profile, parent, (uint32_t)number, 0, err);
}

static int add_stack(struct tl_profile *profile, const struct line *line, struct tl_error *err)
{
	size_t left = line->path_size;
	int64_t context = TL_NONE;

	for (;;) {
		const char *before = memrchr(line->path, '<', left);
		const char *name = before ? before + 1 : line->path;

		context = add_frame(profile, (uint32_t)context, name,
				    (size_t)(line->path + left - name), err);
		if (context < 0)
			return (int)context;
		if (!before)
			break;
		left = (size_t)(before - line->path);
	}
	tl_profile_add_context_cost(profile, (uint32_t)context, 0, &line->cost);
	return 0;
}

static int fold_reversed(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	static const struct tl_event samples = { "Samples", "", "", "" };
	struct reversed_input *reversed = input->handle;
	struct tl_cursor cur = tl_cursor_over(reversed->data, reversed->size);
	struct line line;
	int status = tl_profile_make(profile, "reversed", &samples, 1, 0, err);

	reversed->bad_lines = 0;
	while (status == 0 && tl_cursor_left(&cur)) {
		if (read_line(&cur, &line))
			status = add_stack(*profile, &line, err);
		else
			reversed->bad_lines++;
	}
	return status < 0 ? status : tl_profile_finish(*profile, err);
}

/* ---- the row ---- */

static int open_reversed(struct tl_input *input, const char *const *paths, size_t path_count,
			 const char **failed, struct tl_error *err)
{
	struct reversed_input *reversed = calloc(1, sizeof(*reversed));

	(void)paths;
	(void)path_count;
	(void)failed;
	if (!reversed)
		return tl_error_memory(err);
	input->handle = reversed;
	return tl_source_map(input->source, &reversed->data, &reversed->size, err);
}

static void close_reversed(struct tl_input *input)
{
	free(input->handle);
}

static size_t damage_reversed(struct tl_input *input, struct tl_damage *places, size_t room,
			      uint64_t *count, uint64_t *skipped_bytes)
{
	const struct reversed_input *reversed = input->handle;

	(void)skipped_bytes;
	*count = reversed->bad_lines;
	if (!*count || !room)
		return 0;
	places[0] = (struct tl_damage){
		.status = TL_BAD_RECORD,
		.text = "a line does not begin with a cost; left it out",
		.offset = TL_NOWHERE,
		.record = 0,
	};
	return 1;
}

const struct tl_format tl_reversed_format = {
	.info = {
		.name = "reversed",
		.help = "reversed stacks, one line a call path",
		.record_word = "line",
	},
	.probe = probe_reversed,
	.open = open_reversed,
	.close = close_reversed,
	.fold = fold_reversed,
	.damage = damage_reversed,
};
