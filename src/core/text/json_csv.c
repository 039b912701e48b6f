/* SPDX-License-Identifier: Apache-2.0 */
#include "core/text/json_csv.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/output.h"
#include "core/text/json.h"

int tl_csv_begin(struct tl_csv *csv, struct tl_error *err)
{
	csv->json = NULL;
	return tl_output_open_memory(&csv->json, err);
}

/* What the tokens of a text become. */
struct table {
	struct tl_json json;
	struct tl_output *out;
	struct tl_error *err;
};

/* ---- values ---- */

/* The text of the present token, which is no container; until the next one. */
static int value_of(struct table *t, const char **text, size_t *size)
{
	const struct tl_json_token *token = &t->json.token;

	*text = "";
	*size = 0;
	switch (token->kind) {
	case TL_JSON_STRING:
		*text = tl_json_string(&t->json, size, t->err);
		if (*text)
			return 0;
		return tl_error_memory(t->err);
	case TL_JSON_NUMBER:
		*text = (const char *)token->text;
		*size = token->size;
		return 0;
	case TL_JSON_TRUE:
	case TL_JSON_FALSE:
		*text = token->kind == TL_JSON_TRUE ? "true" : "false";
		*size = strlen(*text);
		return 0;
	default:
		return 0; /* null: an empty field */
	}
}

/* ---- facts ---- */

/* The names of the containers around a value, joined by dots; `size` bytes are those above. */
struct path {
	char *text;
	size_t size, capacity;
};

static bool append(struct path *path, const char *text, size_t size)
{
	if (!tl_grow(&path->text, &path->capacity, path->size + size + 1, 1))
		return false;
	if (path->size)
		path->text[path->size++] = '.';
	memcpy(path->text + path->size, text, size);
	path->size += size;
	return true;
}

static bool append_number(struct path *path, uint64_t number)
{
	char digits[24];

	return append(path, digits, (size_t)(tl_format_u64(digits, number) - digits));
}

/* A container that is open: where the path ended before it, and for a list its next number. */
struct level {
	size_t path;
	uint64_t number;
	bool list;
};

enum { MOST_LEVELS = 16 };

struct facts {
	struct table *table;
	struct path path;
	struct level levels[MOST_LEVELS];
	unsigned depth;
};

static int put_fact(struct facts *f)
{
	struct tl_output *out = f->table->out;
	const char *text;
	size_t size;
	int status = value_of(f->table, &text, &size);

	if (status < 0)
		return status;
	tl_put_csv_bytes(out, f->path.text, f->path.size);
	tl_put_char(out, ',');
	tl_put_csv_bytes(out, text, size);
	tl_put_char(out, '\n');
	return 0;
}

static bool open_level(struct facts *f, bool list, size_t path)
{
	if (f->depth == MOST_LEVELS)
		return false;
	f->levels[f->depth++] = (struct level){ .path = path, .list = list };
	return true;
}

/* A value begins: in a list its number is its name. */
static bool name_element(struct facts *f)
{
	struct level *level = f->depth ? &f->levels[f->depth - 1] : NULL;

	return !level || !level->list || append_number(&f->path, level->number++);
}

static int fact_token(struct facts *f)
{
	struct tl_json *json = &f->table->json;
	size_t before = f->path.size, size;
	const char *key;
	bool done = true;
	int status = 0;

	switch (json->token.kind) {
	case TL_JSON_KEY:
		key = tl_json_string(json, &size, f->table->err);
		f->path.size = f->levels[f->depth - 1].path;
		done = key && append(&f->path, key, size);
		break;
	case TL_JSON_OBJECT:
	case TL_JSON_ARRAY:
		done = name_element(f) &&
		       open_level(f, json->token.kind == TL_JSON_ARRAY, f->path.size);
		break;
	case TL_JSON_OBJECT_END:
	case TL_JSON_ARRAY_END:
		f->depth--;
		f->path.size = f->depth ? f->levels[f->depth - 1].path : 0;
		break;
	default:
		done = name_element(f);
		status = done ? put_fact(f) : 0;
		f->path.size = f->depth && f->levels[f->depth - 1].list ? before : f->path.size;
	}
	if (!done)
		return tl_error_memory(f->table->err);
	return status;
}

static int put_facts(struct table *t)
{
	struct facts facts = { .table = t };
	int status;

	tl_put_text(t->out, "fact,value\n");
	while ((status = tl_json_next(&t->json, t->err)) == 1) {
		status = fact_token(&facts);
		if (status < 0)
			break;
	}
	free(facts.path.text);
	return status;
}

/* ---- rows ---- */

/* The values of a row, by column; their texts stand one behind the other. */
struct row {
	struct table *table;
	struct tl_names columns; /* the keys, as they come */
	struct cell {
		size_t at, size;
	} *cells;
	size_t cell_capacity;
	char *texts;
	size_t size, capacity;
};

/* The present token is a key: the number of its column, TL_NONE without memory. */
static uint32_t column_of(struct row *row)
{
	size_t size;
	const char *key = tl_json_string(&row->table->json, &size, row->table->err);

	return key ? tl_names_add(&row->columns, key, size) : TL_NONE;
}

/* The keys of all objects. */
static int find_columns(struct row *row)
{
	struct tl_json *json = &row->table->json;
	int status;

	while ((status = tl_json_next(json, row->table->err)) == 1) {
		if (json->token.kind != TL_JSON_KEY)
			continue;
		if (column_of(row) == TL_NONE)
			return tl_error_memory(row->table->err);
		status = tl_json_skip(json, row->table->err);
		if (status < 0)
			break;
	}
	return status;
}

static int take_cell(struct row *row)
{
	struct tl_json *json = &row->table->json;
	uint32_t column = column_of(row);
	const char *text = "";
	size_t size = 0;
	int status = column == TL_NONE ? tl_error_memory(row->table->err)
				       : tl_json_next(json, row->table->err);

	if (status > 0)
		status = value_of(row->table, &text, &size);
	if (status < 0)
		return status;
	if (!tl_grow(&row->texts, &row->capacity, row->size + size + 1, 1))
		return tl_error_memory(row->table->err);
	memcpy(row->texts + row->size, text, size);
	row->cells[column] = (struct cell){ row->size, size };
	row->size += size;
	return 0;
}

static void begin_row(struct row *row)
{
	memset(row->cells, 0, row->columns.count * sizeof(*row->cells));
	row->size = 0;
}

/* Name 0 is the empty one, which is no key. */
static void put_row(const struct row *row)
{
	for (size_t i = 1; i < row->columns.count; i++) {
		if (i > 1)
			tl_put_char(row->table->out, ',');
		tl_put_csv_bytes(row->table->out, row->texts + row->cells[i].at,
				 row->cells[i].size);
	}
	tl_put_char(row->table->out, '\n');
}

static void put_columns(const struct row *row)
{
	for (size_t i = 1; i < row->columns.count; i++) {
		if (i > 1)
			tl_put_char(row->table->out, ',');
		tl_put_csv_bytes(row->table->out, row->columns.names[i].text,
				 row->columns.names[i].size);
	}
	/* What every format has. */
	if (row->columns.count < 2)
		tl_put_text(row->table->out, "rule,offset,text");
	tl_put_char(row->table->out, '\n');
}

static int take_rows(struct row *row)
{
	struct tl_json *json = &row->table->json;
	int status;

	while ((status = tl_json_next(json, row->table->err)) == 1) {
		if (json->token.kind == TL_JSON_OBJECT)
			begin_row(row);
		else if (json->token.kind == TL_JSON_OBJECT_END)
			put_row(row);
		else if (json->token.kind == TL_JSON_KEY)
			status = take_cell(row);
		if (status < 0)
			break;
	}
	return status;
}

/* ---- texts ---- */

/* Objects, one a line, as one array: JSON has no line break in a string. */
static int make_array(const char *lines, size_t size, struct tl_output **array,
		      struct tl_error *err)
{
	int status = tl_output_open_memory(array, err);
	const char *end = lines + size;

	if (status < 0)
		return status;
	tl_put_char(*array, '[');
	while (lines < end) {
		const char *line = memchr(lines, '\n', (size_t)(end - lines));

		line = line ? line : end;
		tl_put_bytes(*array, lines, (size_t)(line - lines));
		lines = line + 1;
		if (lines < end)
			tl_put_char(*array, ',');
	}
	tl_put_char(*array, ']');
	if (tl_output_failed(*array))
		return tl_error_memory(err);
	return 0;
}

typedef int tokens_fn(struct table *table, void *arg);

/* Hand the tokens of a text to a function. */
static int read_tokens(struct tl_output *json, tokens_fn *fn, void *arg, struct tl_output *out,
		       struct tl_error *err)
{
	struct table t = { .out = out, .err = err };
	struct tl_source *source;
	size_t size;
	const char *text = tl_output_bytes(json, &size);
	int status = tl_source_open_memory(&source, text, size, "json", err);

	if (status < 0)
		return status;
	status = tl_json_begin(&t.json, source) ? fn(&t, arg) : tl_error_memory(err);
	tl_json_end(&t.json);
	tl_source_close(source);
	return status;
}

static int facts_of(struct table *t, void *arg)
{
	(void)arg;
	return put_facts(t);
}

static int columns_of(struct table *t, void *arg)
{
	struct row *row = arg;
	int status;

	row->table = t;
	status = find_columns(row);
	row->table = NULL;
	return status;
}

static int rows_of(struct table *t, void *arg)
{
	struct row *row = arg;
	int status;

	row->table = t;
	put_columns(row);
	if (!tl_grow(&row->cells, &row->cell_capacity, row->columns.count + 1,
		     sizeof(*row->cells)) ||
	    !tl_grow(&row->texts, &row->capacity, 1, 1))
		status = tl_error_memory(t->err);
	else
		status = take_rows(row);
	row->table = NULL;
	return status;
}

int tl_csv_end_facts(struct tl_csv *csv, int status, struct tl_output *out, struct tl_error *err)
{
	if (status >= 0 && tl_output_failed(csv->json))
		status = tl_error_memory(err);
	if (status >= 0)
		status = read_tokens(csv->json, facts_of, NULL, out, err);
	tl_output_discard(csv->json);
	return status;
}

int tl_csv_end_rows(struct tl_csv *csv, int status, struct tl_output *out, struct tl_error *err)
{
	struct tl_output *array = NULL;
	struct row row = { .table = NULL };
	const char *lines;
	size_t size;

	if (status >= 0) {
		lines = tl_output_bytes(csv->json, &size);
		status = tl_output_failed(csv->json) ? tl_error_memory(err)
						     : make_array(lines, size, &array, err);
	}
	if (status >= 0)
		status = read_tokens(array, columns_of, &row, out, err);
	if (status >= 0)
		status = read_tokens(array, rows_of, &row, out, err);
	tl_names_free(&row.columns);
	free(row.cells);
	free(row.texts);
	tl_output_discard(array);
	tl_output_discard(csv->json);
	return status;
}
