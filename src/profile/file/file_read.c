/* SPDX-License-Identifier: Apache-2.0 */
/* A file to a profile: strings, then what is said once, then elements, each with its numbers. */
#include "profile/file/reading.h"

#include <string.h>

#include "core/error.h"
#include "profile/file/rows.h"
#include "profile/model/unsized.h"

/* ---- strings ---- */

/* All strings of a block in one piece of memory. */
static int take_strings(void *arg, const struct tl_pfile_block *block, const uint8_t *content,
			size_t bytes)
{
	struct tl_pfile_reading *r = arg;
	char *text = tl_arena_alloc(&r->names.arena, bytes);
	const char *before = text;
	size_t size = 0;

	if (!text || !tl_names_reserve(&r->names, block->rows) ||
	    !tl_pfile_numbers_add(&r->strings, block->first, (uint32_t)r->names.count, block->rows))
		return TL_NO_MEMORY;
	for (uint32_t i = 0; i < block->rows; i++) {
		tl_pfile_take_string(&content, text, before, &size);
		tl_names_append(&r->names, text, size);
		before = text;
		text += size + 1;
	}
	return 0;
}

/* ---- what is said once ---- */

static int take_head(void *arg, uint64_t number, const uint64_t *row)
{
	struct tl_pfile_reading *r = arg;

	if (number || row[TL_PFILE_HEAD_CALL_COUNT] > TL_CALLS_NONE)
		return TL_BAD_RECORD;
	memcpy(r->head, row, sizeof(r->head));
	r->has_head = true;
	return 0;
}

struct events {
	struct tl_pfile_reading *r;
	struct tl_event *list;
	size_t count, capacity;
};

static int take_event(void *arg, uint64_t number, const uint64_t *row)
{
	struct events *events = arg;

	(void)number;
	if (!tl_grow(&events->list, &events->capacity, events->count + 1, sizeof(*events->list)))
		return TL_NO_MEMORY;
	events->list[events->count++] = (struct tl_event){
		.name = tl_pfile_string(events->r, row[0]),
		.long_name = tl_pfile_string(events->r, row[1]),
		.unit = tl_pfile_string(events->r, row[2]),
		.formula = tl_pfile_string(events->r, row[3]),
	};
	return 0;
}

/* The strings of the file are the names of the profile; those of events are among them. */
static int begin_profile(struct tl_pfile_reading *r, const struct tl_event *events, size_t count)
{
	struct tl_profile *p;
	int status = tl_profile_make(&r->profile, "", events, (uint32_t)count,
				     r->head[TL_PFILE_HEAD_FREQUENCY], r->err);

	if (status < 0)
		return status;
	p = r->profile;
	tl_names_free(&p->names);
	p->names = r->names;
	r->names = (struct tl_names){ 0 };
	memcpy(p->events, events, count * sizeof(*events));
	p->format = tl_pfile_string(r, r->head[TL_PFILE_HEAD_FORMAT]);
	p->timed = r->head[TL_PFILE_HEAD_FLAGS] & TL_PFILE_TIMED;
	p->estimated = r->head[TL_PFILE_HEAD_FLAGS] & TL_PFILE_ESTIMATED;
	p->emulated = r->head[TL_PFILE_HEAD_FLAGS] & TL_PFILE_EMULATED;
	p->durations.exact = r->head[TL_PFILE_HEAD_FLAGS] & TL_PFILE_EXACT;
	p->call_count = (enum tl_call_count)r->head[TL_PFILE_HEAD_CALL_COUNT];
	return 0;
}

static int read_head(struct tl_pfile_reading *r)
{
	struct events events = { .r = r };
	int status = tl_pfile_each_strings(r->reader, take_strings, r, r->err);

	if (status == 0)
		status = tl_pfile_each_row(r->reader, TL_PFILE_HEAD, 0, take_head, r, r->err);
	if (status == 0)
		status = tl_pfile_each_row(r->reader, TL_PFILE_EVENTS, 0, take_event, &events,
					   r->err);
	if (status == 0 && (!r->has_head || !events.count))
		status = tl_error_format(
			r->err, "profile",
			tl_error_at(r->err, TL_BAD_FORMAT,
				    r->reader->fault_count ? r->reader->faults[0].offset : 0,
				    "the blocks that say what is counted are lost; without them "
				    "nothing can be read"));
	if (status == 0)
		status = begin_profile(r, events.list, events.count);
	free(events.list);
	return status;
}

/* ---- notes, functions, parts ---- */

static int take_note(void *arg, uint64_t number, const uint64_t *row)
{
	struct tl_pfile_reading *r = arg;
	const struct tl_profile_note note = {
		.status =
			row[0] > -TL_TOO_LARGE ? TL_BAD_RECORD : (enum tl_status) - (int64_t)row[0],
		.offset = row[1],
		.length = row[2],
		.record = row[3],
		.text = tl_pfile_string(r, row[4]),
		.format = tl_pfile_string(r, row[5]),
	};

	(void)number;
	return tl_profile_add_note(r->profile, &note) ? 0 : TL_NO_MEMORY;
}

/* A row as a function at its place. */
static int put_function(const struct tl_pfile_reading *r, const uint64_t *row, size_t place)
{
	if (row[4] > UINT32_MAX)
		return TL_BAD_RECORD;
	r->profile->functions.list[place] = (struct tl_function){
		.object = tl_pfile_string(r, row[0]),
		.file = tl_pfile_string(r, row[1]),
		.name = tl_pfile_string(r, row[2]),
		.id = row[3],
		.line = (uint32_t)row[4],
		.address = row[5],
	};
	return 0;
}

/* The functions of a block, where their order says they belong, or behind those before. */
static int take_functions(void *arg, const struct tl_pfile_block *block, const uint8_t *content)
{
	enum { FIELDS = 6, AHEAD = 8 };
	struct tl_pfile_reading *r = arg;
	struct tl_profile_functions *functions = &r->profile->functions;
	const uint8_t *pos = content, *end = content + block->raw_bytes;
	const uint32_t first = (uint32_t)functions->table.count;
	uint64_t row[FIELDS] = { 0 };
	uint32_t used = 0, taken = 0;
	int status = 0;

	if (first > TL_NONE - block->rows ||
	    !tl_grow(&functions->list, &functions->table.capacity, (size_t)first + block->rows,
		     sizeof(*functions->list)))
		return TL_NO_MEMORY;
	for (; taken < block->rows; taken++) {
		size_t place = (size_t)first + taken;

		pos = pos < end ? tl_pfile_take_row(pos, FIELDS, FIELDS, row, &used) : NULL;
		if (!pos || pos > end)
			status = TL_BAD_RECORD;
		else if (r->order && place >= r->order_count)
			status = TL_BAD_RECORD;
		else
			status = put_function(r, row, r->order ? r->order[place] : place);
		if (r->order && place + AHEAD < r->order_count)
			__builtin_prefetch(&functions->list[r->order[place + AHEAD]], 1);
		if (status < 0)
			break;
	}
	functions->table.count += taken;
	if (taken && !tl_pfile_numbers_add(&r->functions, block->first, first, taken))
		return TL_NO_MEMORY;
	return status < 0 || pos == end ? status : TL_BAD_RECORD;
}

static int take_part(void *arg, uint64_t number, const uint64_t *row)
{
	struct tl_pfile_reading *r = arg;
	struct tl_profile_parts *parts = &r->profile->parts;
	struct tl_part part = {
		.process = row[0],
		.number = row[1],
		.thread = row[2],
		.command = tl_pfile_string(r, row[3]),
		.header = tl_pfile_string(r, row[4]),
		.first_ticks = row[5],
		.last_ticks = row[6],
		.records = row[7],
	};

	tl_pfile_take_losses(&part.losses, row + 8);
	if (!tl_grow(&parts->list, &parts->capacity, parts->count + 1, sizeof(part)) ||
	    !tl_pfile_numbers_add(&r->parts, number, (uint32_t)parts->count, 1))
		return TL_NO_MEMORY;
	parts->list[parts->count++] = part;
	return 0;
}

/* As file_read_costs.c has elements, but that the order stays, for those that name functions. */
static int read_functions(struct tl_pfile_reading *r)
{
	struct tl_profile_functions *functions = &r->profile->functions;
	const size_t rows = tl_pfile_row_count(r->reader, TL_PFILE_FUNCTIONS);
	int failed = 0, status;

	r->function_order = tl_pfile_read_order(r, TL_PFILE_FUNCTION_ORDER, rows, &failed);
	if (failed)
		return failed;
	if ((r->function_order || tl_pfile_is_likely(r, rows, sizeof(*functions->list))) &&
	    !tl_grow(&functions->list, &functions->table.capacity, rows, sizeof(*functions->list)))
		return tl_error_memory(r->err);
	r->order = r->function_order;
	r->order_count = rows;
	status = tl_pfile_each_rows(r->reader, TL_PFILE_FUNCTIONS, 0, take_functions, r, r->err);
	r->order = NULL;
	if (status < 0)
		return status;
	/* Where some are lost, the others stay in the order of the file. */
	if (r->function_order && functions->table.count < rows) {
		if (!tl_pfile_undo_order(&functions->list, &functions->table,
					 sizeof(*functions->list), 0, r->function_order))
			return tl_error_memory(r->err);
		free(r->function_order);
		r->function_order = NULL;
	}
	r->functions.to = r->function_order;
	return 0;
}

static int read_parts(struct tl_pfile_reading *r)
{
	struct tl_profile_parts *parts = &r->profile->parts;
	struct tl_cost_table table = { .count = 0 };
	int status = tl_pfile_each_row(r->reader, TL_PFILE_PARTS, 0, take_part, r, r->err);
	int failed = 0;

	if (status < 0)
		return status;
	r->part_order = tl_pfile_read_order(r, TL_PFILE_PART_ORDER, parts->count, &failed);
	if (failed)
		return failed;
	r->parts.to = r->part_order;
	table.count = parts->count;
	if (!r->part_order)
		return 0;
	if (!tl_pfile_reorder(&parts->list, &table, sizeof(*parts->list), 0, r->part_order))
		return tl_error_memory(r->err);
	return 0;
}

/* ---- the whole ---- */

/*
 * From contexts everything else follows when the profile is finished. Of a profile of sums, lines
 * and arcs are all there is.
 */
static int read_costs(struct tl_pfile_reading *r)
{
	bool sums = r->options.functions_only;
	bool contexts = tl_pfile_has(r->reader, TL_PFILE_CONTEXTS);
	int status = tl_pfile_read_contexts(r);

	if (status < 0 || (sums && contexts))
		return status;
	if (sums && r->options.table) {
		status = tl_pfile_read_table(r);
		if (status)
			return tl_error_or_end(status);
	}
	if (r->options.packed) {
		status = tl_pfile_read_packed(r);
		if (status)
			return tl_error_or_end(status);
	}
	status = sums ? tl_pfile_read_line_sums(r) : tl_pfile_read_lines(r);
	if (status == 0)
		status = sums ? tl_pfile_read_arc_sums(r) : tl_pfile_read_arcs(r);
	if (status == 0 && !sums)
		status = tl_pfile_read_jumps(r);
	return status;
}

static int read_all(struct tl_pfile_reading *r)
{
	int status = read_head(r);

	if (status == 0)
		status = tl_pfile_each_row(r->reader, TL_PFILE_NOTES, 0, take_note, r, r->err);
	if (status == 0)
		status = read_functions(r);
	if (status == 0)
		status = read_parts(r);
	if (status == 0)
		status = read_costs(r);
	if (status == 0)
		status = tl_pfile_read_durations(r);
	if (status == 0)
		status = tl_pfile_verify(r->reader, r->options.jobs, r->err);
	if (status < 0)
		return status;
	status = tl_profile_finish(r->profile, r->err);
	/* Sums that do not fit were counted when the profile was made. */
	tl_pfile_take_losses(&r->profile->losses, r->head + TL_PFILE_HEAD_LOSSES);
	return status;
}

int tl_pfile_read(struct tl_profile **profile, struct tl_pfile_reader *reader,
		  const struct tl_pfile_read_options *options, struct tl_error *err)
{
	struct tl_pfile_reading r = {
		.reader = reader, .options = *options, .lost_function = TL_NONE, .err = err
	};
	int status = read_all(&r);

	free(r.strings.runs);
	free(r.functions.runs);
	free(r.parts.runs);
	free(r.contexts.runs);
	free(r.function_order);
	free(r.part_order);
	free(r.context_order);
	tl_names_free(&r.names);
	if (status < 0) {
		tl_profile_free(r.profile);
		r.profile = NULL;
	}
	*profile = r.profile;
	return status;
}

static int take_losses(void *arg, uint64_t number, const uint64_t *row)
{
	(void)number;
	tl_pfile_take_losses(arg, row + TL_PFILE_HEAD_LOSSES);
	return 0;
}

int tl_pfile_read_losses(struct tl_pfile_reader *reader, struct tl_losses *losses,
			 struct tl_error *err)
{
	return tl_pfile_each_row(reader, TL_PFILE_HEAD, 0, take_losses, losses, err);
}
