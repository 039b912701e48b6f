/* SPDX-License-Identifier: Apache-2.0 */
/* The table of calls: streamed, within the window and the thread that a statement asks for. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "query/tables/call_columns.h"
#include "query/tables/call_groups.h"
#include "query/tables/call_sums.h"
#include "query/tables/tables.h"

struct calls_stream {
	struct tl_query_trace *trace;
	struct tl_query_call_columns columns; /* its reader is ours */
	bool grouped;
	struct tl_query_groups groups;
	int keys[TL_QUERY_GROUP_COLUMNS], words[TL_QUERY_CALL_COLUMNS]; /* columns */
	struct tl_query_group_order order;
	/* What a statement gets of groups. */
	const uint64_t *rows[TL_QUERY_CALL_COLUMNS];
	uint64_t *constants[TL_QUERY_GROUP_COLUMNS]; /* a key as often as a group has rows */
	size_t constant_count[TL_QUERY_GROUP_COLUMNS], constant_capacity[TL_QUERY_GROUP_COLUMNS];
	struct tl_query_aggregates aggregates; /* of the table of sums */
	struct tl_query_sums sums;
};

/* ---- the reader ---- */

static int open_reader(struct calls_stream *s, const struct tl_calls_options *options,
		       struct tl_error *err)
{
	struct tl_query_calls_reader *reader = s->trace->calls;
	struct tl_calls_info info = { 0 };
	int status;

	s->columns.reader = reader;
	s->trace->calls = NULL;
	if (reader)
		return tl_calls_restart(reader->calls, options, err);
	reader = s->columns.reader = calloc(1, sizeof(*reader));
	if (!reader)
		return tl_error_memory(err);
	status = tl_query_trace_borrow(s->trace, &reader->input, err);
	if (status == 0)
		status = tl_input_calls(reader->input, NULL, &reader->calls, err);
	if (status == 0) {
		tl_calls_info(reader->calls, &info, sizeof(info));
		reader->functions.numbered = info.numbered;
		status = tl_calls_restart(reader->calls, options, err);
	}
	return status;
}

static struct calls_stream *make_stream(struct tl_query_trace *trace, void **handle)
{
	struct calls_stream *s = calloc(1, sizeof(*s));

	*handle = s;
	if (s)
		s->trace = trace;
	return s;
}

static void close_stream(void *handle)
{
	struct calls_stream *s = handle;
	struct tl_query_calls_reader *reader = s->columns.reader;

	if (reader && reader->calls && !s->trace->calls) {
		s->trace->calls = reader;
	} else if (reader) {
		tl_query_trace_return(s->trace, reader->input);
		tl_query_calls_reader_close(reader);
	}
	tl_query_groups_free(&s->groups);
	tl_query_sums_free(&s->sums);
	tl_query_call_columns_free(&s->columns);
	for (size_t i = 0; i < TL_QUERY_GROUP_COLUMNS; i++)
		free(s->constants[i]);
	free(s);
}

/* ---- conditions ---- */

static uint64_t above(int64_t value)
{
	return value < 0 ? 0 : (uint64_t)value + 1;
}

/* Calls that begin at or behind `to` do not matter. */
static void end_window(struct tl_calls_options *options, uint64_t to)
{
	/* 0 would be no end: nothing begins before it, so that 1 is as good. */
	if (!to)
		to = 1;
	if (!options->to || to < options->to)
		options->to = to;
}

static void begin_window(struct tl_calls_options *options, int64_t from)
{
	if (from > 0 && (uint64_t)from > options->from)
		options->from = (uint64_t)from;
}

/* A call lies in the window if it begins before its end and does not end before its begin. */
static void narrow(struct tl_calls_options *options, const struct tl_query_condition *condition)
{
	bool start = condition->column == TL_QUERY_CALL_START;
	int64_t value = condition->value;

	switch (condition->comparison) {
	case TL_QUERY_EQUAL:
		begin_window(options, value);
		if (start)
			end_window(options, above(value));
		break;
	case TL_QUERY_LESS:
	case TL_QUERY_LESS_EQUAL:
		/* What ends before a time began before it, or at it. */
		end_window(options, above(value));
		break;
	case TL_QUERY_GREATER:
	case TL_QUERY_GREATER_EQUAL:
		begin_window(options, value);
		break;
	}
}

/* Ids are numbers among the calls that are told: with them, all have to be. */
static bool needs_all(const struct calls_stream *s, const struct tl_query_wish *wish)
{
	return (wish->columns | s->columns.wanted) &
	       (1u << TL_QUERY_CALL_ID | 1u << TL_QUERY_CALL_PARENT);
}

/* The part of the trace that has to be read for a condition. */
static void narrow_window(struct tl_calls_options *options,
			  const struct tl_query_condition *condition)
{
	if (condition->column == TL_QUERY_CALL_START || condition->column == TL_QUERY_CALL_END) {
		narrow(options, condition);
	} else if (condition->column == TL_QUERY_CALL_THREAD &&
		   condition->comparison == TL_QUERY_EQUAL) {
		options->one_track = options->any_process = true;
		options->thread = condition->value;
	}
}

static int read_conditions(struct calls_stream *s, const struct tl_query_wish *wish,
			   struct tl_calls_options *options, struct tl_error *err)
{
	for (size_t i = 0; i < wish->condition_count; i++) {
		if (!tl_query_call_columns_limit(&s->columns, &wish->conditions[i]))
			return tl_error_memory(err);
		if (!needs_all(s, wish))
			narrow_window(options, &wish->conditions[i]);
	}
	return 0;
}

/* ---- groups ---- */

/* Which columns a row of a group has besides the keys. */
static void lay_out(struct calls_stream *s, const struct tl_query_wish *wish)
{
	struct tl_query_groups *groups = &s->groups;
	uint64_t keys = 0;

	groups->key_count = wish->group_count;
	for (size_t i = 0; i < groups->key_count; i++) {
		s->keys[i] = wish->groups[i];
		s->order.words[i] = tl_query_call_words[wish->groups[i]];
		s->order.descending[i] = wish->descending[i];
		keys |= (uint64_t)1 << s->keys[i];
	}
	s->columns.wanted |= keys;
	for (int column = 0; column < TL_QUERY_CALL_COLUMNS; column++)
		if (s->columns.wanted & ~keys & (uint64_t)1 << column)
			s->words[groups->word_count++] = column;
}

static int add_to_groups(struct calls_stream *s, struct tl_error *err)
{
	const uint64_t *columns[TL_QUERY_GROUP_COLUMNS + TL_QUERY_CALL_COLUMNS];
	struct tl_query_groups *groups = &s->groups;

	for (size_t i = 0; i < groups->key_count; i++)
		columns[i] = s->columns.words[s->keys[i]];
	for (size_t i = 0; i < groups->word_count; i++)
		columns[groups->key_count + i] = s->columns.words[s->words[i]];
	return tl_query_groups_add(groups, columns, s->columns.count, err);
}

static int next_calls(struct calls_stream *s, struct tl_error *err)
{
	if (atomic_load_explicit(&s->trace->stop, memory_order_relaxed))
		return tl_error_at(err, TL_IO, TL_NOWHERE, "interrupted");
	return tl_query_call_columns_next(&s->columns, err);
}

static int make_groups(struct calls_stream *s, struct tl_error *err)
{
	int status;

	while ((status = next_calls(s, err)) == 1) {
		status = add_to_groups(s, err);
		if (status < 0)
			return status;
	}
	s->order.names = s->columns.reader->functions.texts;
	tl_query_groups_sort(&s->groups, &s->order);
	return status;
}

/* A column that is the same in `count` rows. False without memory. */
static bool repeat(struct calls_stream *s, size_t key, size_t count)
{
	uint64_t value = tl_query_groups_keys(&s->groups)[key];
	size_t *have = &s->constant_count[key];

	if (!tl_grow(&s->constants[key], &s->constant_capacity[key], count,
		     sizeof(*s->constants[key])))
		return false;
	if (*have && s->constants[key][0] != value)
		*have = 0;
	for (; *have < count; ++*have)
		s->constants[key][*have] = value;
	s->rows[s->keys[key]] = s->constants[key];
	return true;
}

static int next_of_groups(struct calls_stream *s, struct tl_query_rows *rows, struct tl_error *err)
{
	struct tl_query_groups *groups = &s->groups;

	if (!tl_query_groups_next(groups))
		return 0;
	for (size_t i = 0; i < groups->key_count; i++)
		if (!repeat(s, i, groups->row_count))
			return tl_error_memory(err);
	for (size_t i = 0; i < groups->word_count; i++)
		s->rows[s->words[i]] = tl_query_groups_words(groups, i);
	rows->count = groups->row_count;
	rows->columns = s->rows;
	return 1;
}

/* ---- the stream ---- */

static bool asks_functions(const struct calls_stream *s)
{
	return (s->columns.wanted | s->columns.limited) & (uint64_t)1 << TL_QUERY_CALL_FUNCTION;
}

/* The numbers of functions: those of the trace, or else of the folded profile. */
static int know_ids(struct calls_stream *s, struct tl_error *err)
{
	struct tl_query_call_functions *functions = &s->columns.reader->functions;
	int status;

	if (!asks_functions(s) || functions->numbered)
		return 0;
	status = tl_query_trace_fold(s->trace, err);
	if (status == 0 && !tl_query_call_functions_match(functions, s->trace))
		status = tl_error_memory(err);
	return status;
}

/* Begin to read calls: the columns of `s->columns.wanted`, with the conditions of a wish. */
static int begin_calls(struct calls_stream *s, const struct tl_query_wish *wish,
		       struct tl_error *err)
{
	struct tl_calls_options options = { .size = sizeof(options) };
	int status = read_conditions(s, wish, &options, err);

	if (status == 0 && asks_functions(s) && tl_query_trace_read_once(s->trace))
		status = tl_query_trace_fold(s->trace, err);
	if (status == 0)
		status = open_reader(s, &options, err);
	if (status == 0)
		status = know_ids(s, err);
	return status;
}

static int open_calls(struct tl_query_trace *trace, const struct tl_query_wish *wish, void **handle,
		      struct tl_error *err)
{
	struct calls_stream *s = make_stream(trace, handle);
	int status;

	if (!s)
		return tl_error_memory(err);
	s->grouped = wish->group_count;
	s->columns.wanted = wish->columns & (((uint64_t)1 << TL_QUERY_CALL_COLUMNS) - 1);
	lay_out(s, wish);
	status = begin_calls(s, wish, err);
	if (status == 0 && s->grouped)
		return make_groups(s, err);
	return status;
}

static int next_rows(void *handle, struct tl_query_rows *rows, struct tl_error *err)
{
	struct calls_stream *s = handle;
	int status;

	rows->words = tl_query_call_words;
	if (s->grouped) {
		status = next_of_groups(s, rows, err);
	} else {
		status = next_calls(s, err);
		rows->count = s->columns.count;
		rows->columns = s->columns.words;
	}
	rows->names = s->columns.reader->functions.texts;
	return status;
}

static const struct tl_query_stream calls_stream = {
	.open = open_calls,
	.rows = next_rows,
	.close = close_stream,
};

/* ---- sums ---- */

/* The keys of sums: first those whose order the statement wants. */
static void lay_out_sums(struct calls_stream *s, const struct tl_query_aggregates *wanted,
			 const struct tl_query_wish *wish)
{
	struct tl_query_aggregates *own = &s->aggregates;

	*own = *wanted;
	own->key_count = wish->group_count;
	memcpy(own->keys, wish->groups, sizeof(own->keys));
	for (size_t i = 0; i < wanted->key_count; i++) {
		size_t at = 0;

		while (at < own->key_count && own->keys[at] != wanted->keys[i])
			at++;
		if (at == own->key_count)
			own->keys[own->key_count++] = wanted->keys[i];
	}
	for (size_t i = 0; i < own->key_count; i++) {
		s->order.words[i] = tl_query_call_words[own->keys[i]];
		s->order.descending[i] = wish->descending[i];
	}
	s->sums.wanted = own;
	s->columns.wanted = tl_query_sums_columns(own);
}

static int make_sums(struct calls_stream *s, struct tl_error *err)
{
	int status;

	while ((status = next_calls(s, err)) == 1) {
		status = tl_query_sums_add(&s->sums, s->columns.words, s->columns.count);
		if (status == TL_NO_MEMORY)
			return tl_error_memory(err);
		if (status < 0)
			return tl_error_at(err, TL_TOO_LARGE, TL_NOWHERE,
					   "there are too many groups");
	}
	s->order.names = s->columns.reader->functions.texts;
	tl_query_groups_sort(&s->sums.groups, &s->order);
	return status;
}

static int open_sums(struct tl_query_trace *trace, const struct tl_query_wish *wish, void **handle,
		     struct tl_error *err)
{
	struct calls_stream *s = make_stream(trace, handle);
	int status;

	if (!s)
		return tl_error_memory(err);
	lay_out_sums(s, trace->aggregates, wish);
	status = begin_calls(s, wish, err);
	return status == 0 ? make_sums(s, err) : status;
}

static int next_sum(void *handle, struct tl_error *err)
{
	struct calls_stream *s = handle;

	(void)err;
	return tl_query_sums_next(&s->sums);
}

static void set_word(const struct calls_stream *s, int column, uint64_t word,
		     struct tl_query_value *value)
{
	const struct tl_query_name *names = s->columns.reader->functions.texts;

	switch (tl_query_call_words[column]) {
	case TL_QUERY_NAME:
		value->type = TL_QUERY_TEXT;
		value->text = names[word].text;
		value->size = names[word].size;
		break;
	case TL_QUERY_SIGNED:
		tl_query_set_integer(value, (int64_t)word);
		break;
	default:
		tl_query_set_known(value, word);
	}
}

/* Columns of calls that are no keys have no value here; statements that ask for one never come. */
static int sum_cell(void *handle, int column, struct tl_query_value *value, struct tl_error *err)
{
	const struct calls_stream *s = handle;
	const struct tl_query_aggregates *wanted = s->sums.wanted;
	const int aggregate = column - TL_QUERY_CALL_COLUMNS;

	for (size_t i = 0; i < wanted->key_count; i++)
		if (wanted->keys[i] == column)
			set_word(s, column, tl_query_sums_key(&s->sums, i), value);
	if (aggregate < 0 || (size_t)aggregate >= wanted->count ||
	    tl_query_sums_value(&s->sums, (size_t)aggregate, value) == 0)
		return 0;
	(void)err;
	return 1;
}

static const struct tl_query_stream sums_stream = {
	.open = open_sums,
	.next = next_sum,
	.cell = sum_cell,
	.close = close_stream,
};

static const uint8_t call_uses[TL_QUERY_CALL_COLUMNS] = {
	[TL_QUERY_CALL_ID] = TL_QUERY_EXACT | TL_QUERY_ORDER,
	[TL_QUERY_CALL_PARENT] = TL_QUERY_EXACT,
	[TL_QUERY_CALL_PROCESS] = TL_QUERY_EXACT | TL_QUERY_GROUP,
	[TL_QUERY_CALL_THREAD] = TL_QUERY_EXACT | TL_QUERY_KEY | TL_QUERY_GROUP,
	[TL_QUERY_CALL_DEPTH] = TL_QUERY_EXACT | TL_QUERY_GROUP,
	[TL_QUERY_CALL_FUNCTION] = TL_QUERY_EXACT | TL_QUERY_GROUP,
	[TL_QUERY_CALL_NAME] = TL_QUERY_TEXT_KEY | TL_QUERY_GROUP,
	[TL_QUERY_CALL_START] = TL_QUERY_EXACT | TL_QUERY_RANGE,
	[TL_QUERY_CALL_END] = TL_QUERY_EXACT | TL_QUERY_RANGE,
	[TL_QUERY_CALL_DURATION] = TL_QUERY_EXACT,
	[TL_QUERY_CALL_SELF] = TL_QUERY_EXACT,
	[TL_QUERY_CALL_CUT] = TL_QUERY_EXACT | TL_QUERY_GROUP,
	[TL_QUERY_CALL_LATE] = TL_QUERY_EXACT | TL_QUERY_GROUP,
};

const struct tl_query_table tl_query_calls = {
	TL_QUERY_TABLE("calls",
		       "a call of a trace; start, end, duration and self in ticks of its clock",
		       call_uses,
		       "id INTEGER, parent INTEGER, process INTEGER, thread INTEGER, "
		       "depth INTEGER, function INTEGER, name TEXT, start INTEGER, "
		       "\"end\" INTEGER, duration INTEGER, self INTEGER, cut INTEGER HIDDEN, "
		       "late INTEGER HIDDEN"),
	.stream = &calls_stream,
};

#define SUM(number) ", \"" TL_QUERY_SUM_COLUMN #number "\""
#define SUMS_0_TO_7 SUM(0) SUM(1) SUM(2) SUM(3) SUM(4) SUM(5) SUM(6) SUM(7)
#define SUMS_8_TO_15 SUM(8) SUM(9) SUM(10) SUM(11) SUM(12) SUM(13) SUM(14) SUM(15)

/* A sum has no order of ids; a name is none that is to be read alone. */
static const uint8_t sum_uses[TL_QUERY_CALL_COLUMNS + TL_QUERY_AGGREGATES] = {
	[TL_QUERY_CALL_ID] = TL_QUERY_EXACT,
	[TL_QUERY_CALL_PARENT] = TL_QUERY_EXACT,
	[TL_QUERY_CALL_PROCESS] = TL_QUERY_EXACT | TL_QUERY_GROUP,
	[TL_QUERY_CALL_THREAD] = TL_QUERY_EXACT | TL_QUERY_KEY | TL_QUERY_GROUP,
	[TL_QUERY_CALL_DEPTH] = TL_QUERY_EXACT | TL_QUERY_GROUP,
	[TL_QUERY_CALL_FUNCTION] = TL_QUERY_EXACT | TL_QUERY_GROUP,
	[TL_QUERY_CALL_NAME] = TL_QUERY_GROUP,
	[TL_QUERY_CALL_START] = TL_QUERY_EXACT | TL_QUERY_RANGE,
	[TL_QUERY_CALL_END] = TL_QUERY_EXACT | TL_QUERY_RANGE,
	[TL_QUERY_CALL_DURATION] = TL_QUERY_EXACT,
	[TL_QUERY_CALL_SELF] = TL_QUERY_EXACT,
	[TL_QUERY_CALL_CUT] = TL_QUERY_EXACT | TL_QUERY_GROUP,
	[TL_QUERY_CALL_LATE] = TL_QUERY_EXACT | TL_QUERY_GROUP,
};

const struct tl_query_table tl_query_call_sums = {
	TL_QUERY_TABLE(TL_QUERY_SUMS_NAME,
		       "sums of calls, of statements that sql/aggregates.c writes", sum_uses,
		       "id INTEGER, parent INTEGER, process INTEGER, thread INTEGER, "
		       "depth INTEGER, function INTEGER, name TEXT, start INTEGER, "
		       "\"end\" INTEGER, duration INTEGER, self INTEGER, cut INTEGER, "
		       "late INTEGER" SUMS_0_TO_7 SUMS_8_TO_15),
	.stream = &sums_stream,
	.of_sums = true,
};
