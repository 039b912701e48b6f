/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile as JSON, which the page reads: one object of flat arrays, since a browser is slow to
 * read 20,000 nested objects and overflows its stack on deep ones. Texts are numbers of the list
 * "texts". "cells" and "rows" have one array per event; a row with the column -1 is of all columns
 * together. The page reads numbers as doubles, which are exact up to 2^53.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "export/flame/flame.h"

struct data {
	const struct tl_flame *flame;
	struct tl_output *out;
	struct tl_names texts;
	uint32_t *number; /* by function: its number in the page; TL_NONE: not in the page */
	uint32_t used;
	struct tl_flame_rows table;
	bool failed; /* no memory */
};

/* ---- lists ---- */

static void begin(struct data *d, const char *name, bool *first)
{
	tl_put_text(d->out, name);
	*first = true;
}

static void put_number(struct data *d, int64_t value, bool *first)
{
	if (!*first)
		tl_put_char(d->out, ',');
	*first = false;
	tl_put_i64(d->out, value);
}

static void put_texts(struct data *d, const char *name, const char *text)
{
	tl_put_text(d->out, name);
	tl_put_json(d->out, text, strlen(text));
}

/* ---- functions ---- */

static void use(struct data *d, uint32_t function)
{
	if (d->number[function] == TL_NONE)
		d->number[function] = d->used++;
}

static uint32_t text_number(struct data *d, const char *text)
{
	uint32_t number = tl_names_add(&d->texts, text, strlen(text));

	if (number == TL_NONE)
		d->failed = true;
	if (d->failed)
		return 0;
	return number;
}

enum field { NAME, OBJECT, FILE_NAME };

static uint32_t function_text(struct data *d, uint32_t function, enum field field)
{
	const struct tl_function *const *functions = d->flame->functions.all;
	char title[256];

	if (field == NAME)
		return text_number(d, tl_flame_name(d->flame, function, title, sizeof(title)));
	if (tl_flame_special(d->flame, function))
		return text_number(d, "");
	if (field == OBJECT)
		return text_number(d, functions[function]->object);
	return text_number(d, functions[function]->file);
}

static void put_functions(struct data *d, const uint32_t *order)
{
	static const char *const fields[] = { ",\n\"functions\":{\"name\":[", "],\"object\":[",
					      "],\"file\":[" };
	uint32_t specials = d->flame->functions.count;
	bool first;

	for (enum field field = NAME; field <= FILE_NAME; field++) {
		begin(d, fields[field], &first);
		for (uint32_t i = 0; i < d->used; i++)
			put_number(d, function_text(d, order[i], field), &first);
	}
	begin(d, "],\"line\":[", &first);
	for (uint32_t i = 0; i < d->used; i++)
		put_number(d, order[i] < specials ? d->flame->functions.all[order[i]]->line : 0,
			   &first);
	/* 0: a function; 1: all, 2: (other), 3: (deeper ...), 4 and more: a thread. */
	begin(d, "],\"special\":[", &first);
	for (uint32_t i = 0; i < d->used; i++)
		put_number(d, order[i] < specials ? 0 : order[i] - specials + 1, &first);
	tl_put_text(d->out, "]}");
}

static void put_function_list(struct data *d)
{
	size_t most = (size_t)d->flame->functions.count + TL_FLAME_THREADS + TL_FLAME_MOST_COLUMNS;
	uint32_t *order = calloc(most, sizeof(*order));

	if (!order) {
		d->failed = true;
		return;
	}
	for (uint32_t i = 0; i < most; i++)
		if (d->number[i] != TL_NONE)
			order[d->number[i]] = i;
	put_functions(d, order);
	tl_put_text(d->out, ",\n\"texts\":[");
	for (size_t i = 0; i < d->texts.count; i++) {
		if (i)
			tl_put_text(d->out, ",\n");
		tl_put_json(d->out, d->texts.names[i].text, d->texts.names[i].size);
	}
	tl_put_char(d->out, ']');
	free(order);
}

/* ---- the table ---- */

static int64_t column_number(const struct tl_flame_row *row)
{
	return row->column == TL_NONE ? -1 : (int64_t)row->column;
}

static void put_rows(struct data *d)
{
	uint32_t events = d->flame->event_count;
	bool first;

	begin(d, ",\n\"rows\":{\"function\":[", &first);
	for (size_t i = 0; i < d->table.count; i++)
		put_number(d, d->number[d->table.rows[i].function], &first);
	begin(d, "],\"column\":[", &first);
	for (size_t i = 0; i < d->table.count; i++)
		put_number(d, column_number(&d->table.rows[i]), &first);
	begin(d, "],\"calls\":[", &first);
	for (size_t i = 0; i < d->table.count; i++)
		put_number(d, (int64_t)d->table.rows[i].calls, &first);
	for (uint32_t list = 0; list < events * 2; list++) {
		if (list == 0)
			tl_put_text(d->out, "],\"self\":[");
		if (list == events)
			tl_put_text(d->out, "]],\"inclusive\":[");
		begin(d, list % events ? "],[" : "[", &first);
		for (size_t i = 0; i < d->table.count; i++)
			put_number(d, d->table.costs[i * events * 2 + list], &first);
	}
	tl_put_text(d->out, "]]}");
}

/* ---- frames ---- */

static void put_frames(struct data *d)
{
	const struct tl_flame *flame = d->flame;
	bool first;

	begin(d, ",\n\"frames\":{\"parent\":[", &first);
	for (uint32_t i = 0; i < flame->drawn.frame_count; i++)
		put_number(d, flame->drawn.frames[i].parent, &first);
	begin(d, "],\"function\":[", &first);
	for (uint32_t i = 0; i < flame->drawn.frame_count; i++)
		put_number(d, d->number[flame->drawn.frames[i].function], &first);
	tl_put_text(d->out, "]}");
}

static void put_cells(struct data *d)
{
	const struct tl_flame *flame = d->flame;
	uint32_t events = flame->event_count;
	bool first;

	begin(d, ",\n\"cells\":{\"frame\":[", &first);
	for (size_t i = 0; i < flame->drawn.cell_count; i++)
		put_number(d, flame->drawn.cells[i].node, &first);
	begin(d, "],\"column\":[", &first);
	for (size_t i = 0; i < flame->drawn.cell_count; i++)
		put_number(d, flame->drawn.cells[i].column, &first);
	begin(d, "],\"calls\":[", &first);
	for (size_t i = 0; i < flame->drawn.cell_count; i++)
		put_number(d, (int64_t)flame->drawn.cells[i].calls, &first);
	tl_put_text(d->out, "],\"self\":[");
	for (uint32_t e = 0; e < events; e++) {
		begin(d, e ? "],[" : "[", &first);
		for (size_t i = 0; i < flame->drawn.cell_count; i++)
			put_number(d, flame->drawn.self[i * events + e], &first);
	}
	tl_put_text(d->out, "]]}");
}

/* ---- the head ---- */

static void put_events(struct data *d)
{
	const struct tl_flame *flame = d->flame;

	tl_put_text(d->out, ",\n\"events\":[");
	for (uint32_t e = 0; e < flame->event_count; e++) {
		const struct tl_event *event =
			tl_profile_event(flame->profile[0], flame->events[0][e]);

		put_texts(d, e ? ",{\"name\":" : "{\"name\":", event->name);
		put_texts(d, ",\"long\":", event->long_name);
		put_texts(d, ",\"unit\":", event->unit);
		tl_put_char(d->out, '}');
	}
	tl_put_char(d->out, ']');
	for (int side = 0; side < 2 && flame->profile[side]; side++) {
		bool first;

		begin(d, side ? ",\n\"baseline_total\":[" : ",\n\"total\":[", &first);
		for (uint32_t e = 0; e < flame->event_count; e++)
			put_number(d,
				   tl_flame_cost(flame, side,
						 tl_profile_total(flame->profile[side]), e),
				   &first);
		tl_put_char(d->out, ']');
	}
}

static void put_columns(struct data *d)
{
	tl_put_text(d->out, ",\n\"columns\":[");
	for (uint32_t c = 0; c < d->flame->columns.count; c++) {
		char title[256];

		tl_flame_column_title(d->flame, c, title, sizeof(title));
		if (c)
			tl_put_char(d->out, ',');
		put_texts(d, "", title);
	}
	tl_put_char(d->out, ']');
}

/* Ticks from the first record of any thread to the last; 0: not known. */
static uint64_t span_ticks(const struct tl_profile *profile)
{
	uint64_t from = UINT64_MAX, to = 0;
	uint32_t parts = tl_profile_part_count(profile);

	for (uint32_t i = 0; i < parts; i++) {
		const struct tl_part *part = tl_profile_part(profile, i);

		if (!part->first_ticks && !part->last_ticks)
			continue;
		if (part->first_ticks < from)
			from = part->first_ticks;
		if (part->last_ticks > to)
			to = part->last_ticks;
	}
	if (to <= from)
		return 0;
	return to - from;
}

struct notes {
	struct tl_output *out;
	bool any;
};

static void put_note(void *arg, const char *text)
{
	struct notes *notes = arg;

	if (notes->any)
		tl_put_text(notes->out, ",\n");
	tl_put_json(notes->out, text, strlen(text));
	notes->any = true;
}

static void put_notes(struct data *d)
{
	struct notes notes = { .out = d->out };
	char text[128], most[32], more[32];

	tl_put_text(d->out, ",\n\"notes\":[");
	tl_flame_notes(d->flame, put_note, &notes);
	if (d->table.left_out) {
		snprintf(text, sizeof(text),
			 "The table has the %s largest functions; %s more are left out.",
			 tl_flame_grouped(TL_FLAME_MOST_ROWS, most),
			 tl_flame_grouped(d->table.left_out, more));
		put_note(&notes, text);
	}
	tl_put_char(d->out, ']');
}

/* A text of the options, which may be NULL. */
static void put_option(struct data *d, const char *name, const char *text)
{
	if (!text)
		text = "";
	put_texts(d, name, text);
}

static void put_flag(struct data *d, const char *name, bool value)
{
	tl_put_text(d->out, name);
	tl_put_boolean(d->out, value);
}

static void put_head(struct data *d)
{
	const struct tl_flame *flame = d->flame;
	const struct tl_flame_options *options = &flame->options;

	put_option(d, "{\"name\":", options->name);
	put_option(d, ",\"baseline\":", options->baseline_name);
	put_option(d, ",\"when\":", options->when);
	put_texts(d, ",\"format\":", tl_profile_format(flame->profile[0]));
	put_texts(d, ",\"version\":", tl_version());
	put_flag(d, ",\"diff\":", flame->profile[1] != NULL);
	put_flag(d, ",\"estimated\":", flame->estimated);
	put_flag(d, ",\"icicle\":", options->icicle);
	tl_put_text(d->out, ",\"frequency\":");
	tl_put_u64(d->out, tl_profile_frequency(flame->profile[0]));
	tl_put_text(d->out, ",\"span\":");
	tl_put_u64(d->out, span_ticks(flame->profile[0]));
	tl_put_text(d->out, ",\"parts\":");
	tl_put_u64(d->out, tl_profile_part_count(flame->profile[0]));
}

static void put_data(struct data *d)
{
	put_head(d);
	put_events(d);
	put_columns(d);
	put_notes(d);
	put_frames(d);
	put_cells(d);
	put_rows(d);
	put_function_list(d);
	tl_put_text(d->out, "}\n");
}

/*
 * JSON has '<' in strings only. With each of them escaped, no text can end the script element that
 * holds the data.
 */
static void put_without_tags(struct tl_output *out, const char *bytes, size_t size)
{
	while (size) {
		const char *tag = memchr(bytes, '<', size);
		size_t run = tag ? (size_t)(tag - bytes) : size;

		tl_put_bytes(out, bytes, run);
		if (!tag)
			return;
		tl_put_text(out, "\\u003c");
		bytes += run + 1;
		size -= run + 1;
	}
}

static bool prepare(struct data *d)
{
	const struct tl_flame *flame = d->flame;
	size_t functions =
		(size_t)flame->functions.count + TL_FLAME_THREADS + TL_FLAME_MOST_COLUMNS;

	d->number = malloc(functions * sizeof(*d->number));
	if (!d->number)
		return false;
	memset(d->number, 0xff, functions * sizeof(*d->number));
	if (text_number(d, "") || d->failed)
		return false;
	for (uint32_t i = 0; i < flame->drawn.frame_count; i++)
		use(d, flame->drawn.frames[i].function);
	if (!tl_flame_rows_collect(&d->table, flame))
		return false;
	for (size_t i = 0; i < d->table.count; i++)
		use(d, d->table.rows[i].function);
	return true;
}

int tl_flame_write_data(const struct tl_flame *flame, struct tl_output *out, struct tl_error *err)
{
	struct data d = { .flame = flame };
	int status = tl_output_open_memory(&d.out, err);

	if (status < 0)
		return status;
	d.failed = !prepare(&d);
	if (!d.failed)
		put_data(&d);
	if (!d.failed && !tl_output_failed(d.out)) {
		size_t size;
		const char *bytes = tl_output_bytes(d.out, &size);

		put_without_tags(out, bytes, size);
	} else {
		status = tl_error_memory(err);
	}
	tl_output_discard(d.out);
	tl_names_free(&d.texts);
	free(d.number);
	tl_flame_rows_free(&d.table);
	return status;
}
