/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that are listings of the input: instants, records, instructions, accesses. */
#include <stdlib.h>

#include "core/error.h"
#include "open/instants.h"
#include "open/samples.h"
#include "query/tables/listing.h"

static int dump_json(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	return tl_input_dump(input, TL_REPORT_JSON, out, err);
}

#define LISTING_STREAM(name)                                                                       \
	static int open_##name(struct tl_query_trace *trace, const struct tl_query_wish *wish,     \
			       void **handle, struct tl_error *err)                                \
	{                                                                                          \
		return tl_query_listing_open(&name##_listing, trace, wish, handle, err);           \
	}                                                                                          \
	static const struct tl_query_stream name##_stream = {                                      \
		.open = open_##name,                                                               \
		.next = tl_query_listing_next,                                                     \
		.cell = tl_query_listing_cell,                                                     \
		.close = tl_query_listing_close,                                                   \
	}

static int whole_line(void *handle, struct tl_query_value *value, struct tl_error *err)
{
	const struct tl_query_listing_stream *s = handle;

	(void)err;
	value->type = TL_QUERY_TEXT;
	value->text = s->line;
	value->size = s->size;
	return 0;
}

/* Where the lines do not name the thread: that of the one part, if there is but one. */
static int only_thread(void *handle, struct tl_query_value *value, struct tl_error *err)
{
	const struct tl_query_listing_stream *s = handle;

	(void)err;
	if (s->trace->profile && s->trace->folded.thread_count == 1)
		tl_query_set_known(value, s->trace->folded.threads[0].thread);
	return 0;
}

/* ---- instants ---- */

static const struct tl_query_listing_column instant_columns[] = {
	{ .keys = { "process" } }, { .keys = { "thread" } },  { .keys = { "time" } },
	{ .keys = { "name" } },    { .keys = { "payload" } },
};

static const struct tl_query_listing instants_listing = {
	.write = tl_input_list_instants,
	.columns = instant_columns,
	.thread = 1,
};
LISTING_STREAM(instants);

static const uint8_t instant_uses[5] = { TL_QUERY_RANGE, TL_QUERY_RANGE, TL_QUERY_RANGE,
					 TL_QUERY_TEXT_KEY, 0 };

const struct tl_query_table tl_query_instants = {
	TL_QUERY_TABLE("instants", "an event without duration; its payload as a JSON object",
		       instant_uses,
		       "process INTEGER, thread INTEGER, time INTEGER, name TEXT, payload TEXT"),
	.stream = &instants_stream,
	.texts_pass = true,
};

/* ---- samples ---- */

static const struct tl_query_listing_column sample_columns[] = {
	{ .keys = { "time" } },  { .keys = { "thread" } }, { .keys = { "cpu" } },
	{ .keys = { "event" } }, { .keys = { "period" } }, { .keys = { "stack" } },
};

enum { SAMPLE_STACK = 5 };

/* The stacks of one thread alone would be numbered as if there were no others. */
static const struct tl_query_listing samples_listing = {
	.write = tl_input_samples,
	.columns = sample_columns,
	.thread = 1,
	.numbered = 1 << SAMPLE_STACK,
};
LISTING_STREAM(samples);

static const uint8_t sample_uses[6] = { TL_QUERY_RANGE,    TL_QUERY_RANGE, TL_QUERY_RANGE,
					TL_QUERY_TEXT_KEY, TL_QUERY_RANGE, TL_QUERY_RANGE };

const struct tl_query_table tl_query_samples = {
	TL_QUERY_TABLE("samples", "a sample; its stack is a row of `contexts`", sample_uses,
		       "time INTEGER, thread INTEGER, cpu INTEGER, event TEXT, period INTEGER, "
		       "stack INTEGER"),
	.stream = &samples_stream,
	.texts_pass = true,
};

/* ---- records ---- */

static const struct tl_query_listing_column record_columns[] = {
	{ .keys = { "offset" } },      { .keys = { "record", "token", "packet" } },
	{ .keys = { "thread" } },      { .keys = { "cpu" } },
	{ .keys = { "tsc", "time" } }, { .special = whole_line },
};

static const struct tl_query_listing records_listing = {
	.write = dump_json,
	.columns = record_columns,
	.thread = 2,
};
LISTING_STREAM(records);

static const uint8_t record_uses[6] = { TL_QUERY_RANGE, TL_QUERY_TEXT_KEY, TL_QUERY_RANGE,
					TL_QUERY_RANGE, TL_QUERY_RANGE,    0 };

const struct tl_query_table tl_query_records = {
	TL_QUERY_TABLE("records", "a record, as `dump --json` prints it", record_uses,
		       "offset INTEGER, kind TEXT, thread INTEGER, cpu INTEGER, time INTEGER, "
		       "json TEXT"),
	.stream = &records_stream,
	.texts_pass = true,
};

/* ---- instructions ---- */

static void begin_at(struct tl_number_range *range, int64_t from)
{
	if (from > 0 && (uint64_t)from > range->from)
		range->from = (uint64_t)from;
}

/* An end of 0 would be none: a range that is empty is left to the table. */
static void end_at(struct tl_number_range *range, int64_t to)
{
	if (to > 0 && (!range->to || (uint64_t)to < range->to))
		range->to = (uint64_t)to;
}

/*
 * The numbers of a column that its conditions let pass. Addresses from 2^63 on are negative in SQL,
 * so less than any bound from above, which counts then only beside one from below.
 */
static void narrow_range(const struct tl_query_wish *wish, int column, bool natural,
			 struct tl_number_range *range)
{
	struct tl_number_range narrowed = *range;

	for (size_t i = 0; i < wish->condition_count; i++) {
		const struct tl_query_condition *c = &wish->conditions[i];
		const bool at = c->comparison == TL_QUERY_EQUAL;

		if (c->column != column || c->value == INT64_MAX)
			continue;
		if (at || c->comparison == TL_QUERY_GREATER_EQUAL)
			begin_at(&narrowed, c->value);
		if (c->comparison == TL_QUERY_GREATER)
			begin_at(&narrowed, c->value + 1);
		if (at || c->comparison == TL_QUERY_LESS_EQUAL)
			end_at(&narrowed, c->value + 1);
		if (c->comparison == TL_QUERY_LESS)
			end_at(&narrowed, c->value);
	}
	if ((natural || narrowed.from > range->from) &&
	    (!narrowed.to || narrowed.from < narrowed.to))
		*range = narrowed;
}

static int line_number(void *handle, struct tl_query_value *value, struct tl_error *err)
{
	const struct tl_query_listing_stream *s = handle;

	(void)err;
	tl_query_set_count(value, s->number);
	return 0;
}

/* The bytes of an AArch64 instruction are told as its opcode. */
static int opcode_bytes(void *handle, struct tl_query_value *value, struct tl_error *err)
{
	static const char digits[] = "0123456789abcdef";
	struct tl_query_listing_stream *s = handle;
	uint32_t opcode;
	int status = tl_query_listing_value(s, "opcode", value, err);

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
	struct tl_query_listing_stream *s = handle;
	const struct tl_query_table *lines = &tl_query_lines;
	struct tl_query_key_index *index = &s->trace->folded.by_address;
	struct tl_query_value address = { .type = TL_QUERY_NULL }, other;
	size_t at, end;
	int status = tl_query_listing_value(s, "ip", &address, err);

	if (status == 0 && address.type == TL_QUERY_NULL)
		status = tl_query_listing_value(s, "pc", &address, err);
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

enum {
	INSTRUCTION_THREAD = 1,
	INSTRUCTION_ADDRESS = 3,
	INSTRUCTION_FUNCTION = 4,
	INSTRUCTION_BYTES = 5,
	INSTRUCTION_TEXT = 6,
};

static const struct tl_query_listing_column instruction_columns[] = {
	{ .keys = { "ordinal" }, .special = line_number },
	{ .keys = { "thread" }, .special = only_thread },
	{ .keys = { "tsc", "time" } },
	{ .keys = { "ip", "pc" } },
	{ .special = function_at },
	{ .keys = { "bytes", "raw" }, .special = opcode_bytes },
	{ .keys = { "text" } },
};

/* A line may also be an error or an event in between. */
static int is_instruction(void *handle, struct tl_error *err)
{
	struct tl_query_listing_stream *s = handle;
	struct tl_query_value value = { .type = TL_QUERY_NULL };
	int status = tl_query_listing_cell(s, INSTRUCTION_ADDRESS, &value, err);

	if (status < 0)
		return status;
	s->fits |= value.type == TL_QUERY_INTEGER;
	return value.type == TL_QUERY_INTEGER;
}

/* Bytes and text of instructions take most of the time of their listing. */
static void narrow_instructions(const struct tl_query_trace *trace,
				const struct tl_query_wish *wish, struct tl_query_part *part)
{
	if (!(wish->columns & 1 << INSTRUCTION_BYTES))
		part->dump.flags &= ~(unsigned)TL_DUMP_RAW;
	if (!(wish->columns & 1 << INSTRUCTION_TEXT))
		part->dump.flags |= TL_DUMP_NO_TEXT;
	if (!tl_query_trace_numbers(trace))
		return;
	narrow_range(wish, 0, true, &part->dump.ordinals);
	narrow_range(wish, INSTRUCTION_ADDRESS, false, &part->dump.pcs);
}

static const struct tl_query_listing instructions_listing = {
	.write = dump_json,
	.flags = TL_DUMP_INSTRUCTIONS | TL_DUMP_RAW,
	.narrow = narrow_instructions,
	.columns = instruction_columns,
	.is_row = is_instruction,
	.lacking = "this format does not hold instructions",
	.folded = 1 << INSTRUCTION_THREAD | 1 << INSTRUCTION_FUNCTION,
	.ascending = true,
};
LISTING_STREAM(instructions);

static const uint8_t instruction_uses[7] = { TL_QUERY_RANGE | TL_QUERY_ORDER,
					     TL_QUERY_RANGE,
					     TL_QUERY_RANGE,
					     TL_QUERY_RANGE,
					     TL_QUERY_RANGE,
					     0,
					     0 };

const struct tl_query_table tl_query_instructions = {
	TL_QUERY_TABLE("instructions", "an executed instruction (Intel PT, xtrace)",
		       instruction_uses,
		       "ordinal INTEGER, thread INTEGER, time INTEGER, address INTEGER, "
		       "function INTEGER, bytes TEXT, text TEXT"),
	.stream = &instructions_stream,
	.texts_pass = true,
	.order_of_one = true,
};

/* ---- accesses ---- */

static int last_ordinal(void *handle, struct tl_query_value *value, struct tl_error *err)
{
	const struct tl_query_listing_stream *s = handle;

	(void)err;
	tl_query_set_known(value, s->ordinals[s->at].last);
	return 0;
}

/* The stream of the line, which is `at` from now on. False without memory. */
static bool find_stream(struct tl_query_listing_stream *s)
{
	struct tl_query_value thread = { .type = TL_QUERY_NULL };
	struct tl_query_ordinal stream = { .thread = -1, .last = s->before - 1 };

	if (s->trace->path_count > 1 && tl_query_listing_value(s, "thread", &thread, NULL) < 0)
		return false;
	if (thread.type == TL_QUERY_INTEGER)
		stream.thread = thread.integer;
	for (s->at = 0; s->at < s->ordinal_count; s->at++)
		if (s->ordinals[s->at].thread == stream.thread)
			return true;
	if (!tl_grow(&s->ordinals, &s->ordinal_room, s->at + 1, sizeof(*s->ordinals)))
		return false;
	s->ordinals[s->ordinal_count++] = stream;
	return true;
}

static int is_store(void *handle, struct tl_query_value *value, struct tl_error *err)
{
	struct tl_query_value token = { .type = TL_QUERY_NULL };
	int status = tl_query_listing_value(handle, "token", &token, err);

	if (status == 0 && token.type == TL_QUERY_TEXT)
		tl_query_set_integer(value, !strcmp(token.text, "STORE"));
	return status;
}

/* Accesses stand behind the instruction of their stream that makes them. */
static int is_access(void *handle, struct tl_error *err)
{
	struct tl_query_listing_stream *s = handle;
	struct tl_query_value token = { .type = TL_QUERY_NULL }, opcode = token;
	int status = tl_query_listing_value(s, "opcode", &opcode, err);

	if (status == 0)
		status = tl_query_listing_value(s, "token", &token, err);
	if (status < 0)
		return status;
	/* The line of an instruction in a log has its accesses as a list. */
	if (opcode.type != TL_QUERY_NULL && token.type == TL_QUERY_NULL)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the accesses of a log of instructions are no rows; "
				   "`dump --json` lists them with their instructions");
	if (!find_stream(s))
		return tl_error_memory(err);
	s->ordinals[s->at].last += opcode.type != TL_QUERY_NULL;
	s->fits |= opcode.type != TL_QUERY_NULL;
	return token.type == TL_QUERY_TEXT &&
	       (!strcmp(token.text, "LOAD") || !strcmp(token.text, "STORE"));
}

static void narrow_accesses(const struct tl_query_trace *trace, const struct tl_query_wish *wish,
			    struct tl_query_part *part)
{
	if (tl_query_trace_numbers(trace))
		narrow_range(wish, 0, true, &part->dump.ordinals);
}

static const struct tl_query_listing_column access_columns[] = {
	{ .special = last_ordinal }, { .keys = { "thread" }, .special = only_thread },
	{ .keys = { "address" } },   { .keys = { "size" } },
	{ .special = is_store },     { .keys = { "value" } },
};

enum { ACCESS_THREAD = 1 };

static const struct tl_query_listing accesses_listing = {
	.write = dump_json,
	.narrow = narrow_accesses,
	.columns = access_columns,
	.is_row = is_access,
	.lacking = "this format does not hold accesses to memory",
	.folded = 1 << ACCESS_THREAD,
	.ascending = true,
};
LISTING_STREAM(accesses);

static const uint8_t access_uses[6] = { TL_QUERY_RANGE | TL_QUERY_ORDER,
					TL_QUERY_RANGE,
					TL_QUERY_RANGE,
					TL_QUERY_RANGE,
					TL_QUERY_RANGE,
					0 };

const struct tl_query_table tl_query_accesses = {
	TL_QUERY_TABLE("accesses",
		       "an access to memory (xtrace), with the instruction that made it",
		       access_uses,
		       "ordinal INTEGER, thread INTEGER, address INTEGER, size INTEGER, "
		       "write INTEGER, value"),
	.stream = &accesses_stream,
	.texts_pass = true,
	.order_of_one = true,
};
