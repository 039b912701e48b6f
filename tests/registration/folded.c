/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A format that the library does not have, as a proof that a format is one row: folded stacks, a
 * line "frame;frame;frame COST" for each call path, root first. meson.build adds the row below to
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

struct folded_input {
	const uint8_t *data;
	size_t size;
	uint64_t bad_lines;
};

/* A line of the file, which ends with a cost. */
struct line {
	const char *text;
	size_t path_size; /* bytes before the blank and the cost */
	int64_t cost;
};

/* ---- lines ---- */

/* Read a line and move behind it. False: it is not of the form "path COST". */
static bool read_line(struct tl_cursor *cur, struct line *line)
{
	const uint8_t *end = memchr(cur->pos, '\n', tl_cursor_left(cur));
	const uint8_t *stop = end ? end : cur->end, *digit = stop;
	uint64_t unit = 1, cost = 0;

	*line = (struct line){ .text = (const char *)cur->pos };
	for (; digit > cur->pos && digit[-1] >= '0' && digit[-1] <= '9' && unit < UINT32_MAX;
	     digit--, unit *= 10)
		cost += unit * (uint64_t)(digit[-1] - '0');
	line->cost = (int64_t)cost;
	if (digit > cur->pos + 1 && digit < stop && digit[-1] == ' ')
		line->path_size = (size_t)(digit - cur->pos) - 1;
	cur->pos = end ? end + 1 : cur->end;
	return line->path_size;
}

static int probe_folded(const uint8_t *data, size_t size)
{
	struct tl_cursor cur = tl_cursor_over(data, size);
	struct line line;

	return read_line(&cur, &line) && memchr(line.text, ';', line.path_size) ? 50 : 0;
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
	const char *name = line->text, *end = line->text + line->path_size;
	int64_t context = TL_NONE;

	while (name < end && context >= 0) {
		const char *semicolon = memchr(name, ';', (size_t)(end - name));
		const char *stop = semicolon ? semicolon : end;

		context = add_frame(profile, (uint32_t)context, name, (size_t)(stop - name), err);
		name = stop + 1;
	}
	if (context < 0)
		return (int)context;
	tl_profile_add_context_cost(profile, (uint32_t)context, 0, &line->cost);
	return 0;
}

static int fold_folded(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	static const struct tl_event samples = { "Samples", "", "", "" };
	struct folded_input *folded = input->handle;
	struct tl_cursor cur = tl_cursor_over(folded->data, folded->size);
	struct line line;
	int status = tl_profile_make(profile, "folded", &samples, 1, 0, err);

	folded->bad_lines = 0;
	while (status == 0 && tl_cursor_left(&cur)) {
		if (read_line(&cur, &line))
			status = add_stack(*profile, &line, err);
		else
			folded->bad_lines++;
	}
	return status < 0 ? status : tl_profile_finish(*profile, err);
}

/* ---- the row ---- */

static int open_folded(struct tl_input *input, const char *const *paths, size_t path_count,
		       const char **failed, struct tl_error *err)
{
	struct folded_input *folded = calloc(1, sizeof(*folded));

	(void)paths;
	(void)path_count;
	(void)failed;
	if (!folded)
		return tl_error_memory(err);
	input->handle = folded;
	return tl_source_map(input->source, &folded->data, &folded->size, err);
}

static void close_folded(struct tl_input *input)
{
	free(input->handle);
}

static size_t damage_folded(struct tl_input *input, struct tl_damage *places, size_t room,
			    uint64_t *count, uint64_t *skipped_bytes)
{
	const struct folded_input *folded = input->handle;

	(void)skipped_bytes;
	*count = folded->bad_lines;
	if (!*count || !room)
		return 0;
	places[0] = (struct tl_damage){
		.status = TL_BAD_RECORD,
		.text = "a line does not end with a cost; left it out",
		.offset = TL_NOWHERE,
		.record = 0,
	};
	return 1;
}

const struct tl_format tl_folded_format = {
	.info = {
		.name = "folded",
		.help = "folded stacks, one line a call path",
		.record_word = "line",
	},
	.probe = probe_folded,
	.open = open_folded,
	.close = close_folded,
	.fold = fold_folded,
	.damage = damage_folded,
};
