/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that are listings of the input: instants, records, instructions, accesses. */
#include <stdlib.h>

#include "core/error.h"
#include "open/instants.h"
#include "open/samples.h"
#include "query/tables/tables.h"
#include "query/trace/json_line.h"
#include "query/trace/lines.h"

/* Which of the keys of a line a column shows; the first that is there. */
enum { MOST_KEYS = 3 };

struct listing_column {
	const char *keys[MOST_KEYS];
	/* what no key says; NULL: nothing */
	int (*special)(void *handle, struct tl_query_value *value, struct tl_error *err);
};

struct listing {
	tl_query_listing_fn *write;
	unsigned flags; /* enum tl_dump_flag */
	const struct listing_column *columns;
	/* Whether a line is a row; NULL: each is. */
	bool (*is_row)(void *handle);
	const char *lacking; /* with is_row(): what is said of a format without such lines */
	uint64_t folded;     /* bits of the columns that need the profile */
	bool ascending;      /* the first column never falls: a table may end before the lines */
};

struct listing_stream {
	struct tl_query_trace *trace;
	const struct listing *listing;
	struct tl_query_lines *lines;
	const char *line;
	size_t size;
	uint64_t number;  /* of the row */
	uint64_t ordinal; /* of the last instruction */
	bool any;         /* lines were read */
	char *text;       /* of the last value */
	size_t text_capacity;
	/* Of numbers; SQLite tests each row that is given once more. */
	struct tl_query_condition conditions[TL_QUERY_CONDITIONS];
	size_t condition_count;
};

static int dump_json(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	return tl_input_dump(input, TL_REPORT_JSON, out, err);
}

/* ---- rows ---- */

static void keep_conditions(struct listing_stream *s, const struct tl_query_wish *wish)
{
	for (size_t i = 0; i < wish->condition_count; i++)
		if (!wish->conditions[i].text)
			s->conditions[s->condition_count++] = wish->conditions[i];
}

static int open_listing(const struct listing *listing, struct tl_query_trace *trace,
			const struct tl_query_wish *wish, void **handle, struct tl_error *err)
{
	struct listing_stream *s = calloc(1, sizeof(*s));
	int status = 0;

	*handle = s;
	if (!s)
		return tl_error_memory(err);
	s->trace = trace;
	s->listing = listing;
	s->number = s->ordinal = TL_NOWHERE;
	keep_conditions(s, wish);
	if (wish->columns & listing->folded)
		status = tl_query_trace_fold(trace, err);
	if (status < 0)
		return status;
	return tl_query_lines_open(&s->lines, trace, listing->write, listing->flags, err);
}

static int line_value(struct listing_stream *s, const char *key, struct tl_query_value *value,
		      struct tl_error *err)
{
	if (tl_query_json_value(s->line, s->size, key, &s->text, &s->text_capacity, value))
		return 0;
	return tl_error_memory(err);
}

static int line_cell(void *handle, int column, struct tl_query_value *value, struct tl_error *err)
{
	struct listing_stream *s = handle;
	const struct listing_column *c = &s->listing->columns[column];
	int status = 0;

	for (int i = 0; status == 0 && i < MOST_KEYS && c->keys[i]; i++)
		if (value->type == TL_QUERY_NULL)
			status = line_value(s, c->keys[i], value, err);
	if (status == 0 && value->type == TL_QUERY_NULL && c->special)
		status = c->special(s, value, err);
	return status;
}

/* The next line that is a row. */
static int next_row(struct listing_stream *s, struct tl_error *err)
{
	int status;

	do {
		status = tl_query_lines_next(s->lines, &s->line, &s->size, err);
		s->any |= status == 1;
	} while (status == 1 && s->listing->is_row && !s->listing->is_row(s));
	s->number++;
	if (status == 0 && s->any && s->listing->lacking && s->ordinal == TL_NOWHERE)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE, s->listing->lacking);
	return status;
}

/* Whether a value passes; what is no integer is left to SQLite. */
static bool holds(const struct tl_query_condition *condition, const struct tl_query_value *value)
{
	if (value->type != TL_QUERY_INTEGER)
		return value->type != TL_QUERY_NULL;
	switch (condition->comparison) {
	case TL_QUERY_LESS:
		return value->integer < condition->value;
	case TL_QUERY_LESS_EQUAL:
		return value->integer <= condition->value;
	case TL_QUERY_GREATER:
		return value->integer > condition->value;
	case TL_QUERY_GREATER_EQUAL:
		return value->integer >= condition->value;
	case TL_QUERY_EQUAL:
		break;
	}
	return value->integer == condition->value;
}

/* Whether all rows from this one on have a value that is too large. */
static bool is_past(const struct listing_stream *s, const struct tl_query_condition *condition,
		    const struct tl_query_value *value)
{
	return s->listing->ascending && !condition->column && value->type == TL_QUERY_INTEGER &&
	       value->integer > condition->value && condition->comparison != TL_QUERY_GREATER &&
	       condition->comparison != TL_QUERY_GREATER_EQUAL;
}

/* 1: the row is wanted; 0: it is not, nor is any behind it, if *past; or negative */
static int test_row(struct listing_stream *s, bool *past, struct tl_error *err)
{
	*past = false;
	for (size_t i = 0; i < s->condition_count; i++) {
		struct tl_query_value value = { .type = TL_QUERY_NULL };
		int status = line_cell(s, s->conditions[i].column, &value, err);

		if (status < 0)
			return status;
		*past = is_past(s, &s->conditions[i], &value);
		if (!holds(&s->conditions[i], &value))
			return 0;
	}
	return 1;
}

static int next_line(void *handle, struct tl_error *err)
{
	struct listing_stream *s = handle;
	bool past = false;
	int status, wanted = 0;

	do {
		status = next_row(s, err);
		if (status == 1)
			wanted = test_row(s, &past, err);
	} while (status == 1 && !wanted && !past);
	return status == 1 ? wanted : status;
}

static void close_listing(void *handle)
{
	struct listing_stream *s = handle;

	tl_query_lines_close(s->lines);
	free(s->text);
	free(s);
}

#define LISTING_STREAM(name)                                                                       \
	static int open_##name(struct tl_query_trace *trace, const struct tl_query_wish *wish,     \
			       void **handle, struct tl_error *err)                                \
	{                                                                                          \
		return open_listing(&name##_listing, trace, wish, handle, err);                    \
	}                                                                                          \
	static const struct tl_query_stream name##_stream = {                                      \
		.open = open_##name,                                                               \
		.next = next_line,                                                                 \
		.cell = line_cell,                                                                 \
		.close = close_listing,                                                            \
	}

static int whole_line(void *handle, struct tl_query_value *value, struct tl_error *err)
{
	const struct listing_stream *s = handle;

	(void)err;
	value->type = TL_QUERY_TEXT;
	value->text = s->line;
	value->size = s->size;
	return 0;
}

/* Where the lines do not name the thread: that of the one part, if there is but one. */
static int only_thread(void *handle, struct tl_query_value *value, struct tl_error *err)
{
	const struct listing_stream *s = handle;

	(void)err;
	if (s->trace->profile && s->trace->folded.thread_count == 1)
		tl_query_set_known(value, s->trace->folded.threads[0].thread);
	return 0;
}

/* ---- instants ---- */

static const struct listing_column instant_columns[] = {
	{ .keys = { "process" } }, { .keys = { "thread" } },  { .keys = { "time" } },
	{ .keys = { "name" } },    { .keys = { "payload" } },
};

static const struct listing instants_listing = {
	.write = tl_input_instants,
	.columns = instant_columns,
};
LISTING_STREAM(instants);

static const uint8_t instant_uses[5] = { TL_QUERY_RANGE, TL_QUERY_RANGE, TL_QUERY_RANGE, 0, 0 };

const struct tl_query_table tl_query_instants = {
	TL_QUERY_TABLE("instants", "an event without duration; its payload as a JSON object",
		       instant_uses,
		       "process INTEGER, thread INTEGER, time INTEGER, name TEXT, payload TEXT"),
	.stream = &instants_stream,
	.texts_pass = true,
};

/* ---- samples ---- */

static const struct listing_column sample_columns[] = {
	{ .keys = { "time" } },  { .keys = { "thread" } }, { .keys = { "cpu" } },
	{ .keys = { "event" } }, { .keys = { "period" } }, { .keys = { "stack" } },
};

static const struct listing samples_listing = {
	.write = tl_input_samples,
	.columns = sample_columns,
};
LISTING_STREAM(samples);

static const uint8_t sample_uses[6] = { TL_QUERY_RANGE, TL_QUERY_RANGE, TL_QUERY_RANGE, 0,
					TL_QUERY_RANGE, TL_QUERY_RANGE };

const struct tl_query_table tl_query_samples = {
	TL_QUERY_TABLE("samples", "a sample; its stack is a row of `contexts`", sample_uses,
		       "time INTEGER, thread INTEGER, cpu INTEGER, event TEXT, period INTEGER, "
		       "stack INTEGER"),
	.stream = &samples_stream,
	.texts_pass = true,
};

/* ---- records ---- */

static const struct listing_column record_columns[] = {
	{ .keys = { "offset" } },      { .keys = { "record", "token", "packet" } },
	{ .keys = { "thread" } },      { .keys = { "cpu" } },
	{ .keys = { "tsc", "time" } }, { .special = whole_line },
};

static const struct listing records_listing = {
	.write = dump_json,
	.columns = record_columns,
};
LISTING_STREAM(records);

static const uint8_t record_uses[6] = { TL_QUERY_RANGE, 0, TL_QUERY_RANGE, TL_QUERY_RANGE,
					TL_QUERY_RANGE, 0 };

const struct tl_query_table tl_query_records = {
	TL_QUERY_TABLE("records", "a record, as `dump --json` prints it", record_uses,
		       "offset INTEGER, kind TEXT, thread INTEGER, cpu INTEGER, time INTEGER, "
		       "json TEXT"),
	.stream = &records_stream,
	.texts_pass = true,
};

/* ---- instructions ---- */

static int line_number(void *handle, struct tl_query_value *value, struct tl_error *err)
{
	const struct listing_stream *s = handle;

	(void)err;
	tl_query_set_count(value, s->number);
	return 0;
}

/* The bytes of an AArch64 instruction are told as its opcode. */
static int opcode_bytes(void *handle, struct tl_query_value *value, struct tl_error *err)
{
	static const char digits[] = "0123456789abcdef";
	struct listing_stream *s = handle;
	uint32_t opcode;
	int status = line_value(s, "opcode", value, err);

	if (status < 0 || value->type != TL_QUERY_INTEGER)
		return status;
	opcode = (uint32_t)value->integer;
	free(s->text);
	s->text_capacity = 0;
	s->text = malloc(2 * sizeof(opcode) + 1);
	if (!s->text)
		return tl_error_memory(err);
	s->text_capacity = 2 * sizeof(opcode) + 1;
	for (size_t i = 0; i < sizeof(opcode); i++, opcode >>= 8) {
		s->text[2 * i] = digits[opcode >> 4 & 15];
		s->text[2 * i + 1] = digits[opcode & 15];
	}
	s->text[2 * sizeof(opcode)] = '\0';
	tl_query_set_text(value, s->text);
	return 0;
}

/* Columns of `lines` (path_tables.c). */
enum { LINES_FUNCTION = 0, LINES_ADDRESS = 4 };

/* The function whose cost lines have the instruction; not told where there is more than one. */
static int function_at(void *handle, struct tl_query_value *value, struct tl_error *err)
{
	struct listing_stream *s = handle;
	const struct tl_query_table *lines = &tl_query_lines;
	struct tl_query_key_index *index = &s->trace->folded.by_address;
	struct tl_query_value address = { .type = TL_QUERY_NULL }, other;
	size_t at, end;
	int status = line_value(s, "ip", &address, err);

	if (status == 0 && address.type == TL_QUERY_NULL)
		status = line_value(s, "pc", &address, err);
	if (status < 0 || address.type != TL_QUERY_INTEGER)
		return status;
	if (!tl_query_key_index_make(index, lines, s->trace, LINES_ADDRESS))
		return tl_error_memory(err);
	at = tl_query_key_index_find(index, address.integer, &end);
	for (; at < end; at++) {
		other = (struct tl_query_value){ .type = TL_QUERY_NULL };
		lines->cell(s->trace, index->rows[at].row, LINES_FUNCTION, &other);
		if (value->type != TL_QUERY_NULL && value->integer != other.integer) {
			value->type = TL_QUERY_NULL;
			return 0;
		}
		*value = other;
	}
	return 0;
}

enum { INSTRUCTION_THREAD = 1, INSTRUCTION_ADDRESS = 3, INSTRUCTION_FUNCTION = 4 };

static const struct listing_column instruction_columns[] = {
	{ .keys = { "ordinal" }, .special = line_number },
	{ .keys = { "thread" }, .special = only_thread },
	{ .keys = { "tsc", "time" } },
	{ .keys = { "ip", "pc" } },
	{ .special = function_at },
	{ .keys = { "bytes", "raw" }, .special = opcode_bytes },
	{ .keys = { "text" } },
};

/* A line may also be an error or an event in between. */
static bool is_instruction(void *handle)
{
	struct listing_stream *s = handle;
	struct tl_query_value value = { .type = TL_QUERY_NULL };

	if (line_cell(s, INSTRUCTION_ADDRESS, &value, NULL) < 0 || value.type != TL_QUERY_INTEGER)
		return false;
	s->ordinal++;
	return true;
}

static const struct listing instructions_listing = {
	.write = dump_json,
	.flags = TL_DUMP_INSTRUCTIONS | TL_DUMP_RAW,
	.columns = instruction_columns,
	.is_row = is_instruction,
	.lacking = "this format does not hold instructions",
	.folded = 1 << INSTRUCTION_THREAD | 1 << INSTRUCTION_FUNCTION,
	.ascending = true,
};
LISTING_STREAM(instructions);

static const uint8_t instruction_uses[7] = {
	TL_QUERY_RANGE, TL_QUERY_RANGE, TL_QUERY_RANGE, TL_QUERY_RANGE, TL_QUERY_RANGE, 0, 0
};

const struct tl_query_table tl_query_instructions = {
	TL_QUERY_TABLE("instructions", "an executed instruction (Intel PT, xtrace)",
		       instruction_uses,
		       "ordinal INTEGER, thread INTEGER, time INTEGER, address INTEGER, "
		       "function INTEGER, bytes TEXT, text TEXT"),
	.stream = &instructions_stream,
	.texts_pass = true,
};

/* ---- accesses ---- */

static int last_ordinal(void *handle, struct tl_query_value *value, struct tl_error *err)
{
	const struct listing_stream *s = handle;

	(void)err;
	tl_query_set_known(value, s->ordinal);
	return 0;
}

static int is_store(void *handle, struct tl_query_value *value, struct tl_error *err)
{
	struct tl_query_value token = { .type = TL_QUERY_NULL };
	int status = line_value(handle, "token", &token, err);

	if (status == 0 && token.type == TL_QUERY_TEXT)
		tl_query_set_integer(value, !strcmp(token.text, "STORE"));
	return status;
}

/* Accesses stand behind the instruction that makes them. */
static bool is_access(void *handle)
{
	struct listing_stream *s = handle;
	struct tl_query_value token = { .type = TL_QUERY_NULL }, opcode = token;

	if (line_value(s, "opcode", &opcode, NULL) < 0 || line_value(s, "token", &token, NULL) < 0)
		return false;
	s->ordinal += opcode.type != TL_QUERY_NULL;
	return token.type == TL_QUERY_TEXT &&
	       (!strcmp(token.text, "LOAD") || !strcmp(token.text, "STORE"));
}

static const struct listing_column access_columns[] = {
	{ .special = last_ordinal }, { .keys = { "thread" }, .special = only_thread },
	{ .keys = { "address" } },   { .keys = { "size" } },
	{ .special = is_store },     { .keys = { "value" } },
};

enum { ACCESS_THREAD = 1 };

static const struct listing accesses_listing = {
	.write = dump_json,
	.columns = access_columns,
	.is_row = is_access,
	.lacking = "this format does not hold accesses to memory",
	.folded = 1 << ACCESS_THREAD,
	.ascending = true,
};
LISTING_STREAM(accesses);

static const uint8_t access_uses[6] = { TL_QUERY_RANGE, TL_QUERY_RANGE, TL_QUERY_RANGE,
					TL_QUERY_RANGE, TL_QUERY_RANGE, 0 };

const struct tl_query_table tl_query_accesses = {
	TL_QUERY_TABLE("accesses",
		       "an access to memory (xtrace), with the instruction that made it",
		       access_uses,
		       "ordinal INTEGER, thread INTEGER, address INTEGER, size INTEGER, "
		       "write INTEGER, value"),
	.stream = &accesses_stream,
	.texts_pass = true,
};
