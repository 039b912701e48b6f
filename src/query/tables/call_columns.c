/* SPDX-License-Identifier: Apache-2.0 */
#include "query/tables/call_columns.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"

const uint8_t tl_query_call_words[TL_QUERY_CALL_COLUMNS] = {
	[TL_QUERY_CALL_ID] = TL_QUERY_KNOWN,       [TL_QUERY_CALL_PARENT] = TL_QUERY_KNOWN,
	[TL_QUERY_CALL_PROCESS] = TL_QUERY_SIGNED, [TL_QUERY_CALL_THREAD] = TL_QUERY_SIGNED,
	[TL_QUERY_CALL_DEPTH] = TL_QUERY_KNOWN,    [TL_QUERY_CALL_FUNCTION] = TL_QUERY_KNOWN,
	[TL_QUERY_CALL_NAME] = TL_QUERY_NAME,      [TL_QUERY_CALL_START] = TL_QUERY_KNOWN,
	[TL_QUERY_CALL_END] = TL_QUERY_KNOWN,      [TL_QUERY_CALL_DURATION] = TL_QUERY_KNOWN,
	[TL_QUERY_CALL_SELF] = TL_QUERY_KNOWN,     [TL_QUERY_CALL_CUT] = TL_QUERY_KNOWN,
	[TL_QUERY_CALL_LATE] = TL_QUERY_KNOWN,
};

/* What each column needs of the stream. */
static const unsigned sources[TL_QUERY_CALL_COLUMNS] = {
	[TL_QUERY_CALL_ID] = TL_CALL_IDS,
	[TL_QUERY_CALL_PARENT] = TL_CALL_IDS,
	[TL_QUERY_CALL_DEPTH] = TL_CALL_DEPTHS,
	[TL_QUERY_CALL_FUNCTION] = TL_CALL_FUNCTIONS,
	[TL_QUERY_CALL_NAME] = TL_CALL_FUNCTIONS,
	[TL_QUERY_CALL_START] = TL_CALL_STARTS,
	[TL_QUERY_CALL_END] = TL_CALL_ENDS,
	[TL_QUERY_CALL_DURATION] = TL_CALL_STARTS | TL_CALL_ENDS | TL_CALL_FLAGS,
	[TL_QUERY_CALL_SELF] = TL_CALL_SELVES,
	[TL_QUERY_CALL_CUT] = TL_CALL_FLAGS,
	[TL_QUERY_CALL_LATE] = TL_CALL_FLAGS,
};

/* ---- ranges ---- */

/* The range of a comparison. Unknown (TL_NOWHERE) is in none. */
static struct tl_query_call_range range_of(const struct tl_query_condition *condition)
{
	static const struct tl_query_call_range nothing = { 1, 0 };
	uint64_t up = tl_query_call_moved_up(condition->column),
		 most = up ? UINT64_MAX : TL_NOWHERE - 1;
	uint64_t at = (uint64_t)condition->value + up;

	if (!up && condition->value < 0)
		return condition->comparison == TL_QUERY_GREATER ||
				       condition->comparison == TL_QUERY_GREATER_EQUAL
			       ? (struct tl_query_call_range){ 0, most }
			       : nothing;
	switch (condition->comparison) {
	case TL_QUERY_LESS:
		return at ? (struct tl_query_call_range){ 0, at - 1 } : nothing;
	case TL_QUERY_LESS_EQUAL:
		return (struct tl_query_call_range){ 0, at };
	case TL_QUERY_GREATER:
		return at < most ? (struct tl_query_call_range){ at + 1, most } : nothing;
	case TL_QUERY_GREATER_EQUAL:
		return (struct tl_query_call_range){ at, most };
	case TL_QUERY_EQUAL:
		break;
	}
	return (struct tl_query_call_range){ at, at };
}

bool tl_query_call_columns_limit(struct tl_query_call_columns *columns,
				 const struct tl_query_condition *condition)
{
	struct tl_query_call_range *range = &columns->ranges[condition->column], more;
	uint64_t bit = (uint64_t)1 << condition->column;

	if (condition->text) {
		/* SQLite tests a second name. */
		if (!columns->name)
			columns->name = strdup(condition->text);
		columns->limited |= bit;
		return columns->name;
	}
	more = range_of(condition);
	if (!(columns->limited & bit)) {
		*range = more;
	} else {
		range->first = tl_max(more.first, range->first);
		range->last = tl_min(more.last, range->last);
	}
	columns->limited |= bit;
	return true;
}

/* ---- columns that the stream does not have as words ---- */

static void fill_constant(uint64_t *to, size_t count, int64_t value)
{
	for (size_t i = 0; i < count; i++)
		to[i] = (uint64_t)value;
}

static void fill_depths(uint64_t *to, const struct tl_call_columns *from)
{
	for (size_t i = 0; i < from->count; i++)
		to[i] = from->depths[i];
}

static void fill_durations(uint64_t *to, const struct tl_call_columns *from)
{
	for (size_t i = 0; i < from->count; i++) {
		bool unseen = from->flags[i] & (TL_CALL_CUT | TL_CALL_LATE);

		to[i] = from->ends[i] == TL_NOWHERE || unseen ? TL_NOWHERE
							      : from->ends[i] - from->starts[i];
	}
}

static void fill_flags(uint64_t *to, const struct tl_call_columns *from, uint8_t flag)
{
	for (size_t i = 0; i < from->count; i++)
		to[i] = (from->flags[i] & flag) != 0;
}

static int fill_functions(struct tl_query_call_columns *c, int column,
			  const struct tl_call_columns *from, struct tl_error *err)
{
	struct tl_query_call_functions *functions = &c->reader->functions;
	uint64_t *to = c->own[column];

	for (size_t i = 0; i < from->count; i++) {
		const struct tl_query_call_function *function = tl_query_call_functions_find(
			functions, c->reader->calls, from->functions[i], err);

		if (!function)
			return (int)err->status;
		to[i] = column == TL_QUERY_CALL_NAME ? function->same : function->id;
	}
	return 0;
}

static int fill(struct tl_query_call_columns *c, int column, const struct tl_call_columns *from,
		struct tl_error *err)
{
	uint64_t *to = c->own[column];

	switch (column) {
	case TL_QUERY_CALL_PROCESS:
		fill_constant(to, from->count, from->process);
		break;
	case TL_QUERY_CALL_THREAD:
		fill_constant(to, from->count, from->thread);
		break;
	case TL_QUERY_CALL_DEPTH:
		fill_depths(to, from);
		break;
	case TL_QUERY_CALL_DURATION:
		fill_durations(to, from);
		break;
	case TL_QUERY_CALL_CUT:
		fill_flags(to, from, TL_CALL_CUT);
		break;
	case TL_QUERY_CALL_LATE:
		fill_flags(to, from, TL_CALL_LATE);
		break;
	default:
		return fill_functions(c, column, from, err);
	}
	return 0;
}

/* The words of a column as the stream has them; NULL: they are to be made. */
static const uint64_t *words_of(int column, const struct tl_call_columns *from)
{
	switch (column) {
	case TL_QUERY_CALL_ID:
		return from->ids;
	case TL_QUERY_CALL_PARENT:
		return from->parents;
	case TL_QUERY_CALL_START:
		return from->starts;
	case TL_QUERY_CALL_END:
		return from->ends;
	case TL_QUERY_CALL_SELF:
		return from->selves;
	}
	return NULL;
}

static int make_columns(struct tl_query_call_columns *c, const struct tl_call_columns *from,
			struct tl_error *err)
{
	for (int i = 0; i < TL_QUERY_CALL_COLUMNS; i++) {
		int status = 0;

		if (!((c->wanted | c->limited) & (uint64_t)1 << i))
			continue;
		if (!tl_grow(&c->own[i], &c->capacities[i], from->count, sizeof(*c->own[i])))
			return tl_error_memory(err);
		c->words[i] = words_of(i, from);
		if (c->words[i])
			continue;
		status = fill(c, i, from, err);
		if (status < 0)
			return status;
		c->words[i] = c->own[i];
	}
	c->count = from->count;
	return 0;
}

/* ---- the rows that are wanted ---- */

static struct tl_query_call_range present_range(const struct tl_query_call_columns *c, int column)
{
	uint32_t place;

	if (column != TL_QUERY_CALL_NAME)
		return c->ranges[column];
	place = tl_query_call_functions_named(&c->reader->functions, c->name);
	return place == TL_NONE ? (struct tl_query_call_range){ 1, 0 }
				: (struct tl_query_call_range){ place, place };
}

/* Of the picked rows, those in the range of a column. Without a jump, as most data are random. */
static size_t pick(const struct tl_query_call_columns *c, int column, size_t count)
{
	struct tl_query_call_range range = present_range(c, column);
	uint64_t up = tl_query_call_moved_up(column), width = range.last - range.first;
	const uint64_t *words = c->words[column];
	size_t picked = 0;

	if (range.last < range.first)
		return 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t row = c->picked[i];

		c->picked[picked] = row;
		picked += words[row] + up - range.first <= width;
	}
	return picked;
}

static int pick_rows(struct tl_query_call_columns *c, size_t *count, struct tl_error *err)
{
	*count = c->count;
	if (!tl_grow(&c->picked, &c->picked_capacity, c->count, sizeof(*c->picked)))
		return tl_error_memory(err);
	for (size_t i = 0; i < c->count; i++)
		c->picked[i] = (uint32_t)i;
	for (int i = 0; i < TL_QUERY_CALL_COLUMNS; i++)
		if (c->limited & (uint64_t)1 << i)
			*count = pick(c, i, *count);
	return 0;
}

static void keep_picked(struct tl_query_call_columns *c, size_t count)
{
	for (int column = 0; count < c->count && column < TL_QUERY_CALL_COLUMNS; column++) {
		const uint64_t *from = c->words[column];
		uint64_t *to = c->own[column];

		if (!(c->wanted & (uint64_t)1 << column))
			continue;
		for (size_t i = 0; i < count; i++)
			to[i] = from[c->picked[i]];
		c->words[column] = to;
	}
	c->count = count;
}

static unsigned wanted_sources(const struct tl_query_call_columns *c)
{
	unsigned wanted = 0;

	for (int i = 0; i < TL_QUERY_CALL_COLUMNS; i++)
		if ((c->wanted | c->limited) & (uint64_t)1 << i)
			wanted |= sources[i];
	return wanted;
}

int tl_query_call_columns_next(struct tl_query_call_columns *columns, struct tl_error *err)
{
	struct tl_call_columns from;
	size_t count = 0;
	int status;

	do {
		status = tl_calls_columns(columns->reader->calls, wanted_sources(columns), &from,
					  sizeof(from), err);
		if (status != 1)
			return status;
		status = make_columns(columns, &from, err);
		if (status == 0)
			status = pick_rows(columns, &count, err);
		if (status < 0)
			return status;
		keep_picked(columns, count);
	} while (!count);
	return 1;
}

void tl_query_call_columns_free(struct tl_query_call_columns *columns)
{
	for (int i = 0; i < TL_QUERY_CALL_COLUMNS; i++)
		free(columns->own[i]);
	free(columns->picked);
	free(columns->name);
}
