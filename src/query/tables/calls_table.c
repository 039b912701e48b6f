/* SPDX-License-Identifier: Apache-2.0 */
/* The table of calls: streamed, within the window and the thread that a statement asks for. */
#include <stdlib.h>

#include "core/error.h"
#include "query/trace/call_functions.h"
#include "query/tables/call_groups.h"
#include "query/tables/tables.h"

enum call_column {
	CALL_ID,
	CALL_PARENT,
	CALL_PROCESS,
	CALL_THREAD,
	CALL_DEPTH,
	CALL_FUNCTION,
	CALL_NAME,
	CALL_START,
	CALL_END,
	CALL_DURATION,
	CALL_SELF,
	CALL_CUT,
	CALL_LATE,
	CALL_COLUMNS,
};

struct calls_stream {
	struct tl_query_trace *trace;
	const struct tl_query_wish *wish;
	struct tl_query_calls_reader *reader;
	const struct tl_call *call;
	/* What the window leaves to be tested. */
	bool one_process;
	int64_t process;
	bool grouped;
	struct tl_query_groups groups;
	int keys[TL_QUERY_GROUP_COLUMNS], words[CALL_COLUMNS]; /* columns */
	int word_of[CALL_COLUMNS];                             /* by column, -1: it is a key */
};

/* ---- the reader ---- */

static int open_reader(struct calls_stream *s, const struct tl_calls_options *options,
		       struct tl_error *err)
{
	int status;

	s->reader = s->trace->calls;
	s->trace->calls = NULL;
	if (s->reader)
		return tl_calls_restart(s->reader->calls, options, err);
	s->reader = calloc(1, sizeof(*s->reader));
	if (!s->reader)
		return tl_error_memory(err);
	status = tl_query_trace_borrow(s->trace, &s->reader->input, err);
	if (status == 0)
		status = tl_input_calls(s->reader->input, NULL, &s->reader->calls, err);
	return status < 0 ? status : tl_calls_restart(s->reader->calls, options, err);
}

static void close_stream(void *handle)
{
	struct calls_stream *s = handle;

	if (s->reader && s->reader->calls && !s->trace->calls) {
		s->trace->calls = s->reader;
	} else if (s->reader) {
		tl_query_trace_return(s->trace, s->reader->input);
		tl_query_calls_reader_close(s->reader);
	}
	tl_query_groups_free(&s->groups);
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
	bool start = condition->column == CALL_START;
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
static bool needs_all(const struct tl_query_wish *wish)
{
	return wish->columns & (1u << CALL_ID | 1u << CALL_PARENT);
}

static void read_conditions(struct calls_stream *s, struct tl_calls_options *options)
{
	for (size_t i = 0; i < s->wish->condition_count && !needs_all(s->wish); i++) {
		const struct tl_query_condition *condition = &s->wish->conditions[i];

		if (condition->column == CALL_START || condition->column == CALL_END) {
			narrow(options, condition);
		} else if (condition->comparison != TL_QUERY_EQUAL) {
			continue;
		} else if (condition->column == CALL_THREAD) {
			options->one_track = options->any_process = true;
			options->thread = condition->value;
		} else if (condition->column == CALL_PROCESS) {
			s->one_process = true;
			s->process = condition->value;
		}
	}
}

/* ---- values ---- */

static bool has_duration(const struct tl_call *call)
{
	return call->end != TL_NOWHERE && !(call->flags & (TL_CALL_CUT | TL_CALL_LATE));
}

static int raw_function(struct calls_stream *s, int column, uint64_t *raw, struct tl_error *err)
{
	struct tl_query_call_functions *functions = &s->reader->functions;
	const struct tl_query_call_function *function =
		tl_query_call_functions_find(functions, s->reader->calls, s->call->function, err);

	if (!function)
		return (int)err->status;
	*raw = column == CALL_NAME ? function->same : function->id;
	return 0;
}

/* A value as one word, from which set_value() makes it. 0 or negative. */
static int raw_value(struct calls_stream *s, int column, uint64_t *raw, struct tl_error *err)
{
	const struct tl_call *call = s->call;

	switch (column) {
	case CALL_ID:
		*raw = call->id;
		break;
	case CALL_PARENT:
		*raw = call->parent;
		break;
	case CALL_PROCESS:
		*raw = (uint64_t)call->process;
		break;
	case CALL_THREAD:
		*raw = (uint64_t)call->thread;
		break;
	case CALL_DEPTH:
		*raw = call->depth;
		break;
	case CALL_START:
		*raw = call->start;
		break;
	case CALL_END:
		*raw = call->end;
		break;
	case CALL_DURATION:
		*raw = has_duration(call) ? call->end - call->start : TL_NOWHERE;
		break;
	case CALL_SELF:
		*raw = call->self;
		break;
	case CALL_CUT:
		*raw = (call->flags & TL_CALL_CUT) != 0;
		break;
	case CALL_LATE:
		*raw = (call->flags & TL_CALL_LATE) != 0;
		break;
	default:
		return raw_function(s, column, raw, err);
	}
	return 0;
}

static void set_value(const struct calls_stream *s, int column, uint64_t raw,
		      struct tl_query_value *value)
{
	if (column == CALL_NAME)
		tl_query_set_text(value, s->reader->functions.list[raw].name);
	else if (column == CALL_PROCESS || column == CALL_THREAD)
		tl_query_set_integer(value, (int64_t)raw);
	else
		tl_query_set_known(value, raw);
}

/* ---- rows ---- */

static int next_call(struct calls_stream *s, struct tl_error *err)
{
	int status;

	if (atomic_load_explicit(&s->trace->stop, memory_order_relaxed))
		return tl_error_at(err, TL_IO, TL_NOWHERE, "interrupted");
	do
		status = tl_calls_next(s->reader->calls, &s->call, err);
	while (status == 1 && s->one_process && s->call->process != s->process);
	return status;
}

static bool is_key(const struct calls_stream *s, int column)
{
	for (size_t i = 0; i < s->wish->group_count; i++)
		if (s->wish->groups[i] == column)
			return true;
	return false;
}

/* Which columns a row of a group has besides the keys. */
static void lay_out(struct calls_stream *s)
{
	struct tl_query_groups *groups = &s->groups;

	groups->key_count = s->wish->group_count;
	for (size_t i = 0; i < groups->key_count; i++)
		s->keys[i] = s->wish->groups[i];
	for (int column = 0; column < CALL_COLUMNS; column++) {
		s->word_of[column] = -1;
		if (!(s->wish->columns & 1u << column) || is_key(s, column))
			continue;
		s->word_of[column] = (int)groups->word_count;
		s->words[groups->word_count++] = column;
	}
}

static int add_to_group(struct calls_stream *s, struct tl_error *err)
{
	uint64_t keys[TL_QUERY_GROUP_COLUMNS], words[CALL_COLUMNS];
	int status = 0;

	for (size_t i = 0; status == 0 && i < s->groups.key_count; i++)
		status = raw_value(s, s->keys[i], &keys[i], err);
	for (size_t i = 0; status == 0 && i < s->groups.word_count; i++)
		status = raw_value(s, s->words[i], &words[i], err);
	return status < 0 ? status : tl_query_groups_add(&s->groups, keys, words, err);
}

static int make_groups(struct calls_stream *s, struct tl_error *err)
{
	int status;

	lay_out(s);
	while ((status = next_call(s, err)) == 1) {
		status = add_to_group(s, err);
		if (status < 0)
			return status;
	}
	return status;
}

static int open_calls(struct tl_query_trace *trace, const struct tl_query_wish *wish, void **handle,
		      struct tl_error *err)
{
	struct tl_calls_options options = { .size = sizeof(options) };
	struct calls_stream *s = calloc(1, sizeof(*s));
	bool with_ids = wish->columns & 1u << CALL_FUNCTION;
	int status = 0;

	*handle = s;
	if (!s)
		return tl_error_memory(err);
	s->trace = trace;
	s->wish = wish;
	read_conditions(s, &options);
	if (with_ids)
		status = tl_query_trace_fold(trace, err);
	if (status == 0)
		status = open_reader(s, &options, err);
	if (status == 0 && with_ids && !tl_query_call_functions_match(&s->reader->functions, trace))
		status = tl_error_memory(err);
	s->grouped = wish->group_count;
	if (status == 0 && s->grouped)
		status = make_groups(s, err);
	s->wish = NULL; /* it ends with this call */
	return status;
}

static int next_row(void *handle, struct tl_error *err)
{
	struct calls_stream *s = handle;

	return s->grouped ? tl_query_groups_next(&s->groups) : next_call(s, err);
}

static uint64_t grouped_value(const struct calls_stream *s, int column)
{
	if (s->word_of[column] >= 0)
		return tl_query_groups_words(&s->groups)[s->word_of[column]];
	for (size_t i = 0; i < s->groups.key_count; i++)
		if (s->keys[i] == column)
			return tl_query_groups_keys(&s->groups)[i];
	return TL_NOWHERE;
}

static int call_cell(void *handle, int column, struct tl_query_value *value, struct tl_error *err)
{
	struct calls_stream *s = handle;
	uint64_t raw = 0;
	int status = 0;

	if (s->grouped)
		raw = grouped_value(s, column);
	else
		status = raw_value(s, column, &raw, err);
	if (status == 0)
		set_value(s, column, raw, value);
	return status;
}

static const struct tl_query_stream calls_stream = {
	.open = open_calls,
	.next = next_row,
	.cell = call_cell,
	.close = close_stream,
};

static const uint8_t call_uses[CALL_COLUMNS] = {
	[CALL_ID] = TL_QUERY_ORDER,    [CALL_PROCESS] = TL_QUERY_KEY | TL_QUERY_GROUP,
	[CALL_DEPTH] = TL_QUERY_GROUP, [CALL_THREAD] = TL_QUERY_KEY | TL_QUERY_GROUP,
	[CALL_START] = TL_QUERY_RANGE, [CALL_FUNCTION] = TL_QUERY_GROUP,
	[CALL_END] = TL_QUERY_RANGE,   [CALL_NAME] = TL_QUERY_GROUP,
	[CALL_CUT] = TL_QUERY_GROUP,   [CALL_LATE] = TL_QUERY_GROUP,
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
