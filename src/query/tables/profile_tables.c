/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the profile: functions, their costs, and what is known of the input. */
#include "query/tables/tables.h"

/* ---- functions ---- */

enum function_column {
	FUNCTION_ID,
	FUNCTION_NAME,
	FUNCTION_OBJECT,
	FUNCTION_FILE,
	FUNCTION_LINE,
	FUNCTION_ADDRESS,
	FUNCTION_CALLS,
	FUNCTION_UNFINISHED,
	FUNCTION_SELF,
	FUNCTION_INCLUSIVE,
	FUNCTION_MIN,
	FUNCTION_MEDIAN,
	FUNCTION_P90,
	FUNCTION_P99,
	FUNCTION_MAX,
	FUNCTION_SUM,
	FUNCTION_COLUMNS,
};

static uint64_t function_rows(const struct tl_query_trace *trace)
{
	return trace->folded.shown_count;
}

static void set_identity(const struct tl_query_trace *trace, uint32_t number, int column,
			 struct tl_query_value *value)
{
	const struct tl_function *function = tl_profile_function(trace->profile, number);

	switch (column) {
	case FUNCTION_ID:
		tl_query_set_function(trace, number, value);
		break;
	case FUNCTION_NAME:
		tl_query_set_text(value, function->name);
		break;
	case FUNCTION_OBJECT:
		tl_query_set_name(value, function->object);
		break;
	case FUNCTION_FILE:
		tl_query_set_name(value, function->file);
		break;
	case FUNCTION_LINE:
		if (function->line)
			tl_query_set_integer(value, function->line);
		break;
	case FUNCTION_ADDRESS:
		tl_query_set_address(value, function->address);
		break;
	}
}

static void set_totals(const struct tl_query_trace *trace, uint32_t number, int column,
		       struct tl_query_value *value)
{
	struct tl_function_totals totals;

	if (tl_profile_function_totals(trace->profile, number, TL_NONE, &totals, sizeof(totals)) <
	    0)
		return;
	switch (column) {
	case FUNCTION_CALLS:
		tl_query_set_count(value, totals.calls);
		break;
	case FUNCTION_UNFINISHED:
		tl_query_set_count(value, totals.unfinished);
		break;
	case FUNCTION_SELF:
		if (tl_query_event_count(trace))
			tl_query_set_integer(value, totals.self[0]);
		break;
	case FUNCTION_INCLUSIVE:
		if (tl_query_event_count(trace))
			tl_query_set_integer(value, totals.inclusive[0]);
		break;
	}
}

/* Without a finished call there is no shortest one, but the sum of all durations is 0. */
static void set_durations(const struct tl_query_trace *trace, uint32_t number, int column,
			  struct tl_query_value *value)
{
	struct tl_latency latency = { 0 };
	uint64_t values[FUNCTION_COLUMNS];

	if (!tl_profile_timed(trace->profile))
		return;
	tl_profile_latency(trace->profile, number, TL_NONE, &latency, sizeof(latency));
	values[FUNCTION_MIN] = latency.min;
	values[FUNCTION_MEDIAN] = latency.median;
	values[FUNCTION_P90] = latency.p90;
	values[FUNCTION_P99] = latency.p99;
	values[FUNCTION_MAX] = latency.max;
	values[FUNCTION_SUM] = latency.sum;
	if (latency.calls || column == FUNCTION_SUM)
		tl_query_set_count(value, values[column]);
}

static void function_cell(const struct tl_query_trace *trace, uint64_t row, int column,
			  struct tl_query_value *value)
{
	uint32_t number = trace->folded.shown[row];

	if (column < FUNCTION_CALLS)
		set_identity(trace, number, column, value);
	else if (column < FUNCTION_MIN)
		set_totals(trace, number, column, value);
	else
		set_durations(trace, number, column, value);
}

static const uint8_t function_uses[FUNCTION_COLUMNS] = {
	[FUNCTION_ID] = TL_QUERY_KEY | TL_QUERY_UNIQUE,
};

const struct tl_query_table tl_query_functions = {
	TL_QUERY_TABLE("functions",
		       "a function: calls, costs of the first event, durations of its calls",
		       function_uses,
		       "id INTEGER, name TEXT, object TEXT, file TEXT, line INTEGER, "
		       "address INTEGER, calls INTEGER, unfinished INTEGER, self INTEGER, "
		       "inclusive INTEGER, min INTEGER, median INTEGER, p90 INTEGER, "
		       "p99 INTEGER, max INTEGER, sum INTEGER"),
	.rows = function_rows,
	.cell = function_cell,
};

/* ---- costs ---- */

enum cost_column { COST_FUNCTION, COST_EVENT, COST_SELF, COST_INCLUSIVE, COST_COLUMNS };

static uint64_t cost_rows(const struct tl_query_trace *trace)
{
	return (uint64_t)trace->folded.shown_count * tl_query_event_count(trace);
}

static void cost_cell(const struct tl_query_trace *trace, uint64_t row, int column,
		      struct tl_query_value *value)
{
	uint32_t events = tl_query_event_count(trace);
	uint32_t function = trace->folded.shown[row / events], event = (uint32_t)(row % events);
	struct tl_function_totals totals;

	if (column == COST_FUNCTION) {
		tl_query_set_function(trace, function, value);
	} else if (column == COST_EVENT) {
		tl_query_set_text(value, tl_profile_event(trace->profile, event)->name);
	} else if (tl_profile_function_totals(trace->profile, function, TL_NONE, &totals,
					      sizeof(totals)) == 0) {
		tl_query_set_integer(value, column == COST_SELF ? totals.self[event]
								: totals.inclusive[event]);
	}
}

static const uint8_t cost_uses[COST_COLUMNS] = { [COST_FUNCTION] = TL_QUERY_KEY };

const struct tl_query_table tl_query_costs = {
	TL_QUERY_TABLE("costs", "what a function costs, of one event", cost_uses,
		       "function INTEGER, event TEXT, self INTEGER, inclusive INTEGER"),
	.rows = cost_rows,
	.cell = cost_cell,
};

/* ---- events ---- */

enum event_column {
	EVENT_ID,
	EVENT_NAME,
	EVENT_LONG_NAME,
	EVENT_UNIT,
	EVENT_FORMULA,
	EVENT_TOTAL,
	EVENT_FREQUENCY,
	EVENT_COLUMNS,
};

static uint64_t event_rows(const struct tl_query_trace *trace)
{
	return tl_query_event_count(trace);
}

/* Event 0 of a timed profile is what its clock counts. */
static void set_frequency(const struct tl_query_trace *trace, uint64_t event,
			  struct tl_query_value *value)
{
	uint64_t frequency = tl_profile_frequency(trace->profile);

	if (event == 0 && tl_profile_timed(trace->profile) && frequency)
		tl_query_set_count(value, frequency);
}

static void event_cell(const struct tl_query_trace *trace, uint64_t row, int column,
		       struct tl_query_value *value)
{
	const struct tl_event *event = tl_profile_event(trace->profile, (uint32_t)row);

	switch (column) {
	case EVENT_ID:
		tl_query_set_count(value, row);
		break;
	case EVENT_NAME:
		tl_query_set_text(value, event->name);
		break;
	case EVENT_LONG_NAME:
		tl_query_set_name(value, event->long_name);
		break;
	case EVENT_UNIT:
		tl_query_set_name(value, event->unit);
		break;
	case EVENT_FORMULA:
		tl_query_set_name(value, event->formula);
		break;
	case EVENT_TOTAL:
		tl_query_set_integer(value, tl_profile_total(trace->profile)[row]);
		break;
	case EVENT_FREQUENCY:
		set_frequency(trace, row, value);
		break;
	}
}

static const uint8_t event_uses[EVENT_COLUMNS] = { 0 };

const struct tl_query_table tl_query_events = {
	TL_QUERY_TABLE("events", "a kind of cost, with its sum over all functions", event_uses,
		       "id INTEGER, name TEXT, long_name TEXT, unit TEXT, formula TEXT, "
		       "total INTEGER, frequency INTEGER"),
	.rows = event_rows,
	.cell = event_cell,
};

/* ---- parts and threads ---- */

enum part_column {
	PART_ID,
	PART_PROCESS,
	PART_THREAD,
	PART_NUMBER,
	PART_COMMAND,
	PART_HEADER,
	PART_FIRST,
	PART_LAST,
	PART_RECORDS,
	PART_COLUMNS,
};

static uint64_t part_rows(const struct tl_query_trace *trace)
{
	return tl_profile_part_count(trace->profile);
}

static void part_cell(const struct tl_query_trace *trace, uint64_t row, int column,
		      struct tl_query_value *value)
{
	const struct tl_part *part = tl_profile_part(trace->profile, (uint32_t)row);
	bool timed = part->first_ticks || part->last_ticks;

	if (column == PART_ID)
		tl_query_set_count(value, row);
	else if (column == PART_PROCESS)
		tl_query_set_known(value, part->process);
	else if (column == PART_THREAD)
		tl_query_set_known(value, part->thread);
	else if (column == PART_NUMBER && part->number)
		tl_query_set_count(value, part->number);
	else if (column == PART_COMMAND)
		tl_query_set_name(value, part->command);
	else if (column == PART_HEADER)
		tl_query_set_name(value, part->header);
	else if (column == PART_FIRST && timed)
		tl_query_set_count(value, part->first_ticks);
	else if (column == PART_LAST && timed)
		tl_query_set_count(value, part->last_ticks);
	else if (column == PART_RECORDS)
		tl_query_set_count(value, part->records);
}

static const uint8_t part_uses[PART_COLUMNS] = { [PART_ID] = TL_QUERY_KEY | TL_QUERY_UNIQUE };

const struct tl_query_table tl_query_parts = {
	TL_QUERY_TABLE("parts", "a part of the profile: a thread of a trace, a dump of Callgrind",
		       part_uses,
		       "id INTEGER, process INTEGER, thread INTEGER, number INTEGER, "
		       "command TEXT, header TEXT, first INTEGER, last INTEGER, records INTEGER"),
	.rows = part_rows,
	.cell = part_cell,
};

enum thread_column {
	THREAD_PROCESS,
	THREAD_THREAD,
	THREAD_NAME,
	THREAD_FIRST,
	THREAD_LAST,
	THREAD_RECORDS,
	THREAD_PARTS,
	THREAD_COLUMNS,
};

static uint64_t thread_rows(const struct tl_query_trace *trace)
{
	return trace->folded.thread_count;
}

static void thread_cell(const struct tl_query_trace *trace, uint64_t row, int column,
			struct tl_query_value *value)
{
	const struct tl_query_thread *thread = &trace->folded.threads[row];
	bool timed = thread->first || thread->last;

	if (column == THREAD_PROCESS)
		tl_query_set_known(value, thread->process);
	else if (column == THREAD_THREAD)
		tl_query_set_known(value, thread->thread);
	else if (column == THREAD_NAME)
		tl_query_set_name(value, thread->name);
	else if (column == THREAD_FIRST && timed)
		tl_query_set_count(value, thread->first);
	else if (column == THREAD_LAST && timed)
		tl_query_set_count(value, thread->last);
	else if (column == THREAD_RECORDS)
		tl_query_set_count(value, thread->records);
	else if (column == THREAD_PARTS)
		tl_query_set_integer(value, thread->parts);
}

static const uint8_t thread_uses[THREAD_COLUMNS] = { [THREAD_THREAD] = TL_QUERY_KEY };

const struct tl_query_table tl_query_threads = {
	TL_QUERY_TABLE("threads", "a thread, of all parts together", thread_uses,
		       "process INTEGER, thread INTEGER, name TEXT, first INTEGER, last INTEGER, "
		       "records INTEGER, parts INTEGER"),
	.rows = thread_rows,
	.cell = thread_cell,
};

/* ---- losses and damage ---- */

enum loss_column { LOSS_PART, LOSS_PROCESS, LOSS_THREAD, LOSS_WHAT, LOSS_COUNT, LOSS_COLUMNS };

static uint64_t loss_rows(const struct tl_query_trace *trace)
{
	return trace->folded.lost_count;
}

static void loss_cell(const struct tl_query_trace *trace, uint64_t row, int column,
		      struct tl_query_value *value)
{
	const struct tl_query_losses *lost = &trace->folded.lost[row];
	const struct tl_part *part = tl_profile_part(trace->profile, lost->part);

	if (column == LOSS_PART)
		tl_query_set_part(lost->part, value);
	else if (column == LOSS_PROCESS && part)
		tl_query_set_known(value, part->process);
	else if (column == LOSS_THREAD && part)
		tl_query_set_known(value, part->thread);
	else if (column == LOSS_WHAT)
		tl_query_set_text(value, lost->what);
	else if (column == LOSS_COUNT)
		tl_query_set_count(value, lost->count);
}

static const uint8_t loss_uses[LOSS_COLUMNS] = { [LOSS_PART] = TL_QUERY_KEY };

const struct tl_query_table tl_query_losses_t = {
	TL_QUERY_TABLE("losses", "what a part could not account for, where it is not 0", loss_uses,
		       "part INTEGER, process INTEGER, thread INTEGER, what TEXT, count INTEGER"),
	.rows = loss_rows,
	.cell = loss_cell,
};

enum damage_column {
	DAMAGE_FILE,
	DAMAGE_STATUS,
	DAMAGE_TEXT,
	DAMAGE_OFFSET,
	DAMAGE_LENGTH,
	DAMAGE_RECORD,
	DAMAGE_COLUMNS,
};

static uint64_t damage_rows(const struct tl_query_trace *trace)
{
	struct tl_input *input = tl_query_trace_worst(trace);
	struct tl_damage place;
	uint64_t count = 0;

	while (input && tl_input_damage(input, (size_t)count, &place, sizeof(place)) == 1)
		count++;
	return count;
}

static void damage_cell(const struct tl_query_trace *trace, uint64_t row, int column,
			struct tl_query_value *value)
{
	struct tl_input *input = tl_query_trace_worst(trace);
	struct tl_damage place;

	if (!input || tl_input_damage(input, (size_t)row, &place, sizeof(place)) != 1)
		return;
	if (column == DAMAGE_FILE)
		tl_query_set_text(value, place.path ? place.path : trace->paths[0]);
	else if (column == DAMAGE_STATUS)
		tl_query_set_text(value, place.status ? tl_status_name(place.status) : "remark");
	else if (column == DAMAGE_TEXT)
		tl_query_set_text(value, place.text);
	else if (column == DAMAGE_OFFSET)
		tl_query_set_known(value, place.offset);
	else if (column == DAMAGE_LENGTH)
		tl_query_set_known(value, place.length);
	else if (column == DAMAGE_RECORD)
		tl_query_set_known(value, place.record);
}

static const uint8_t damage_uses[DAMAGE_COLUMNS] = { 0 };

const struct tl_query_table tl_query_damage = {
	TL_QUERY_TABLE("damage", "a place that could not be read, or a remark about the input",
		       damage_uses,
		       "file TEXT, status TEXT, text TEXT, offset INTEGER, length INTEGER, "
		       "record INTEGER"),
	.rows = damage_rows,
	.cell = damage_cell,
	.texts_pass = true,
};
