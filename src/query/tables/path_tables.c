/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the profile: arcs, contexts, lines, jumps. Where there are costs, a row an event. */
#include "query/tables/tables.h"

static void set_event(const struct tl_query_trace *trace, uint32_t event,
		      struct tl_query_value *value)
{
	tl_query_set_text(value, tl_profile_event(trace->profile, event)->name);
}

static void set_line(uint32_t line, struct tl_query_value *value)
{
	if (line)
		tl_query_set_integer(value, line);
}

/* ---- arcs ---- */

enum arc_column {
	ARC_CALLER,
	ARC_CALLEE,
	ARC_PART,
	ARC_FROM_FILE,
	ARC_FROM_LINE,
	ARC_FROM_ADDRESS,
	ARC_TO_LINE,
	ARC_CALLS,
	ARC_EVENT,
	ARC_INCLUSIVE,
	ARC_COLUMNS,
};

static uint64_t arc_rows(const struct tl_query_trace *trace)
{
	return (uint64_t)tl_profile_arc_count(trace->profile) * tl_query_event_count(trace);
}

static void set_arc(const struct tl_query_trace *trace, const struct tl_arc *arc, int column,
		    struct tl_query_value *value)
{
	if (column == ARC_CALLER)
		tl_query_set_function(trace, arc->caller, value);
	else if (column == ARC_CALLEE)
		tl_query_set_function(trace, arc->callee, value);
	else if (column == ARC_PART)
		tl_query_set_part(arc->part, value);
	else if (column == ARC_FROM_FILE)
		tl_query_set_name(value, arc->from.file);
	else if (column == ARC_FROM_LINE)
		set_line(arc->from.line, value);
	else if (column == ARC_FROM_ADDRESS)
		tl_query_set_address(value, arc->from.address);
	else if (column == ARC_TO_LINE)
		set_line(arc->to.line, value);
	else if (column == ARC_CALLS)
		tl_query_set_count(value, arc->calls);
}

static void arc_cell(const struct tl_query_trace *trace, uint64_t row, int column,
		     struct tl_query_value *value)
{
	uint32_t events = tl_query_event_count(trace);
	uint32_t number = (uint32_t)(row / events), event = (uint32_t)(row % events);

	if (column == ARC_EVENT)
		set_event(trace, event, value);
	else if (column == ARC_INCLUSIVE)
		tl_query_set_integer(value, tl_profile_arc_cost(trace->profile, number)[event]);
	else
		set_arc(trace, tl_profile_arc(trace->profile, number), column, value);
}

static const uint8_t arc_uses[ARC_COLUMNS] = {
	[ARC_CALLER] = TL_QUERY_KEY,
	[ARC_CALLEE] = TL_QUERY_KEY,
};

const struct tl_query_table tl_query_arcs = {
	TL_QUERY_TABLE("arcs", "calls from a place of one function to another, and one event",
		       arc_uses,
		       "caller INTEGER, callee INTEGER, part INTEGER, from_file TEXT, "
		       "from_line INTEGER, from_address INTEGER, to_line INTEGER, calls INTEGER, "
		       "event TEXT, inclusive INTEGER"),
	.rows = arc_rows,
	.cell = arc_cell,
};

/* ---- contexts ---- */

enum context_column {
	CONTEXT_ID,
	CONTEXT_PARENT,
	CONTEXT_FUNCTION,
	CONTEXT_PART,
	CONTEXT_DEPTH,
	CONTEXT_CALLS,
	CONTEXT_UNFINISHED,
	CONTEXT_EVENT,
	CONTEXT_SELF,
	CONTEXT_INCLUSIVE,
	CONTEXT_COLUMNS,
};

static uint64_t context_rows(const struct tl_query_trace *trace)
{
	return (uint64_t)tl_profile_context_count(trace->profile) * tl_query_event_count(trace);
}

static void set_context(const struct tl_query_trace *trace, uint32_t number, int column,
			struct tl_query_value *value)
{
	const struct tl_context *context = tl_profile_context(trace->profile, number);

	if (column == CONTEXT_ID)
		tl_query_set_integer(value, number);
	else if (column == CONTEXT_PARENT && context->parent != TL_NONE)
		tl_query_set_integer(value, context->parent);
	else if (column == CONTEXT_FUNCTION)
		tl_query_set_function(trace, context->function, value);
	else if (column == CONTEXT_PART)
		tl_query_set_part(context->part, value);
	else if (column == CONTEXT_DEPTH)
		tl_query_set_integer(value, trace->folded.depths[number]);
	else if (column == CONTEXT_CALLS)
		tl_query_set_count(value, context->calls);
	else if (column == CONTEXT_UNFINISHED)
		tl_query_set_count(value, context->unfinished);
}

static void context_cell(const struct tl_query_trace *trace, uint64_t row, int column,
			 struct tl_query_value *value)
{
	uint32_t events = tl_query_event_count(trace);
	uint32_t number = (uint32_t)(row / events), event = (uint32_t)(row % events);

	if (column == CONTEXT_EVENT)
		set_event(trace, event, value);
	else if (column == CONTEXT_SELF)
		tl_query_set_integer(value, tl_profile_context_self(trace->profile, number)[event]);
	else if (column == CONTEXT_INCLUSIVE)
		tl_query_set_integer(value,
				     tl_profile_context_inclusive(trace->profile, number)[event]);
	else
		set_context(trace, number, column, value);
}

static const uint8_t context_uses[CONTEXT_COLUMNS] = {
	[CONTEXT_ID] = TL_QUERY_KEY,
	[CONTEXT_PARENT] = TL_QUERY_KEY,
};

const struct tl_query_table tl_query_contexts = {
	TL_QUERY_TABLE("contexts", "a function called along one path, and one event", context_uses,
		       "id INTEGER, parent INTEGER, function INTEGER, part INTEGER, "
		       "depth INTEGER, calls INTEGER, unfinished INTEGER, event TEXT, "
		       "self INTEGER, inclusive INTEGER"),
	.rows = context_rows,
	.cell = context_cell,
};

/* ---- lines ---- */

enum line_column {
	LINE_FUNCTION,
	LINE_PART,
	LINE_FILE,
	LINE_LINE,
	LINE_ADDRESS,
	LINE_EVENT,
	LINE_SELF,
	LINE_COLUMNS,
};

static uint64_t line_rows(const struct tl_query_trace *trace)
{
	return (uint64_t)tl_profile_line_count(trace->profile) * tl_query_event_count(trace);
}

static void line_cell(const struct tl_query_trace *trace, uint64_t row, int column,
		      struct tl_query_value *value)
{
	uint32_t events = tl_query_event_count(trace);
	uint32_t number = (uint32_t)(row / events), event = (uint32_t)(row % events);
	const struct tl_cost_line *line = tl_profile_line(trace->profile, number);

	if (column == LINE_FUNCTION)
		tl_query_set_function(trace, line->function, value);
	else if (column == LINE_PART)
		tl_query_set_part(line->part, value);
	else if (column == LINE_FILE)
		tl_query_set_name(value, line->at.file);
	else if (column == LINE_LINE)
		set_line(line->at.line, value);
	else if (column == LINE_ADDRESS)
		tl_query_set_address(value, line->at.address);
	else if (column == LINE_EVENT)
		set_event(trace, event, value);
	else if (column == LINE_SELF)
		tl_query_set_integer(value, tl_profile_line_cost(trace->profile, number)[event]);
}

static const uint8_t line_uses[LINE_COLUMNS] = {
	[LINE_FUNCTION] = TL_QUERY_KEY,
	[LINE_ADDRESS] = TL_QUERY_KEY,
};

const struct tl_query_table tl_query_lines = {
	TL_QUERY_TABLE("lines", "what a place of a function costs itself, of one event", line_uses,
		       "function INTEGER, part INTEGER, file TEXT, line INTEGER, "
		       "address INTEGER, event TEXT, self INTEGER"),
	.rows = line_rows,
	.cell = line_cell,
};

/* ---- jumps ---- */

enum jump_column {
	JUMP_FUNCTION,
	JUMP_FROM_LINE,
	JUMP_FROM_ADDRESS,
	JUMP_TO_LINE,
	JUMP_TO_ADDRESS,
	JUMP_EXECUTED,
	JUMP_TAKEN,
	JUMP_COLUMNS,
};

static uint64_t jump_rows(const struct tl_query_trace *trace)
{
	return tl_profile_jump_count(trace->profile);
}

static void jump_cell(const struct tl_query_trace *trace, uint64_t row, int column,
		      struct tl_query_value *value)
{
	const struct tl_jump *jump = tl_profile_jump(trace->profile, (uint32_t)row);

	if (column == JUMP_FUNCTION)
		tl_query_set_function(trace, jump->function, value);
	else if (column == JUMP_FROM_LINE)
		set_line(jump->from.line, value);
	else if (column == JUMP_FROM_ADDRESS)
		tl_query_set_address(value, jump->from.address);
	else if (column == JUMP_TO_LINE)
		set_line(jump->to.line, value);
	else if (column == JUMP_TO_ADDRESS)
		tl_query_set_address(value, jump->to.address);
	else if (column == JUMP_EXECUTED)
		tl_query_set_count(value, jump->executed);
	else if (column == JUMP_TAKEN)
		tl_query_set_count(value, jump->taken);
}

static const uint8_t jump_uses[JUMP_COLUMNS] = { [JUMP_FUNCTION] = TL_QUERY_KEY };

const struct tl_query_table tl_query_jumps = {
	TL_QUERY_TABLE("jumps", "a jump inside a function or to another one", jump_uses,
		       "function INTEGER, from_line INTEGER, from_address INTEGER, "
		       "to_line INTEGER, to_address INTEGER, executed INTEGER, taken INTEGER"),
	.rows = jump_rows,
	.cell = jump_cell,
};
