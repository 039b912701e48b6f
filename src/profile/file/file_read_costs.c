/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts, lines, arcs and jumps, appended as they come: nothing is looked up. */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "profile/file/reading.h"

static uint32_t part_of(const struct tl_pfile_reading *r, uint64_t number)
{
	return tl_pfile_number_or_none(&r->parts, number);
}

static struct tl_position place_of(const struct tl_pfile_reading *r, const uint64_t *row)
{
	return (struct tl_position){
		.file = tl_pfile_string(r, row[0]),
		.line = (uint32_t)tl_min(row[1], UINT32_MAX),
		.address = row[2],
		.block = row[3],
	};
}

/* An element with its costs at the number that it had. 0 or TL_BAD_RECORD. */
static int place(const struct tl_pfile_reading *r, struct tl_cost_table *table, void *elements,
		 const void *element, size_t size, const uint64_t *costs)
{
	uint32_t events = r->profile->event_count;
	size_t number;
	char *base;

	if (table->count >= r->order_count)
		return TL_BAD_RECORD;
	number = r->order[table->count++];
	memcpy(&base, elements, sizeof(base));
	memcpy(base + number * size, element, size);
	if (costs)
		memcpy(table->cost + number * events, costs, events * sizeof(*costs));
	return 0;
}

/* An element with its costs. 0 or a negative status. */
static int append(const struct tl_pfile_reading *r, struct tl_cost_table *table, void *elements,
		  const void *element, size_t size, const uint64_t *costs)
{
	uint32_t events = r->profile->event_count, number;

	if (r->order)
		return place(r, table, elements, element, size, costs);
	number = tl_cost_table_add(table, elements, element, size, costs ? events : 0);
	if (number == TL_NONE)
		return TL_NO_MEMORY;
	if (costs)
		memcpy(table->cost + (size_t)number * events, costs, events * sizeof(*costs));
	return 0;
}

/* Elements of a section, and the cost of each event that each of them has. */
struct elements {
	enum tl_pfile_section section, order_section;
	tl_pfile_row_fn *take;
	struct tl_cost_table *table;
	void *list; /* the address of the array, as tl_grow() takes it */
	size_t size;
	uint32_t events;
};

/*
 * The order says how many elements there are, and where each belongs: all is put there at once.
 * Without an order elements are appended.
 */
static int begin_elements(struct tl_pfile_reading *r, const struct elements *e, uint32_t **order)
{
	size_t count = tl_pfile_row_count(r->reader, e->section);
	int failed = 0;

	*order = tl_pfile_read_order(r, e->order_section, count, &failed);
	if (failed || !*order)
		return failed;
	if (!tl_grow(e->list, &e->table->capacity, count, e->size) ||
	    (e->events && !tl_grow(&e->table->cost, &e->table->cost_capacity, count * e->events,
				   sizeof(*e->table->cost))))
		return tl_error_memory(r->err);
	r->order = *order;
	r->order_count = count;
	return 0;
}

/* Read the elements of a section to where they were. */
static int read_elements(struct tl_pfile_reading *r, const struct elements *e)
{
	uint32_t *order = NULL;
	int status = begin_elements(r, e, &order);

	if (status == 0)
		status = tl_pfile_each_row(r->reader, e->section, r->profile->event_count, e->take,
					   r, r->err);
	/* Where some are lost, the others stay in the order of the file. */
	if (status == 0 && r->order && e->table->count < r->order_count &&
	    !tl_pfile_undo_order(e->list, e->table, e->size, e->events, order))
		status = tl_error_memory(r->err);
	r->order = NULL;
	free(order);
	return status;
}

/* ---- contexts ---- */

/* A context below one that is lost is lost, too: its path is not known. */
static int take_context(void *arg, uint64_t number, const uint64_t *row)
{
	struct tl_pfile_reading *r = arg;
	struct tl_profile_contexts *contexts = &r->profile->contexts;
	struct tl_context context = {
		.parent = TL_NONE,
		.part = part_of(r, row[1]),
		.function = tl_pfile_function(r, row[2]),
		.calls = row[3],
		.unfinished = row[4],
		.cut = row[5],
	};

	if (row[0] > number)
		return TL_BAD_RECORD;
	if (row[0]) {
		context.parent = tl_pfile_number(&r->contexts, row[0] - 1);
		if (context.parent == TL_NONE)
			return 0;
	}
	if (context.function == TL_NONE ||
	    !tl_pfile_numbers_add(&r->contexts, number, (uint32_t)contexts->table.count, 1))
		return TL_NO_MEMORY;
	return append(r, &contexts->table, &contexts->list, &context, sizeof(context), row + 6);
}

/* A parent's number is less than that of its children: true of every order that was one. */
static bool is_order(const struct tl_profile_contexts *contexts, const uint32_t *order)
{
	for (size_t i = 0; i < contexts->table.count; i++) {
		uint32_t parent = contexts->list[i].parent;

		if (parent != TL_NONE && order[parent] >= order[i])
			return false;
	}
	return true;
}

int tl_pfile_read_contexts(struct tl_pfile_reading *r)
{
	struct tl_profile_contexts *contexts = &r->profile->contexts;
	int failed = 0;
	int status = tl_pfile_each_row(r->reader, TL_PFILE_CONTEXTS, r->profile->event_count,
				       take_context, r, r->err);

	if (status < 0)
		return status;
	r->context_order =
		tl_pfile_read_order(r, TL_PFILE_CONTEXT_ORDER, contexts->table.count, &failed);
	if (failed || !r->context_order)
		return failed;
	if (!is_order(contexts, r->context_order))
		return tl_pfile_fault(
			r->reader, TL_BAD_RECORD, TL_NOWHERE, 0,
			"the order of the contexts contradicts their paths; took that "
			"of the file",
			r->err);
	for (size_t i = 0; i < contexts->table.count; i++)
		if (contexts->list[i].parent != TL_NONE)
			contexts->list[i].parent = r->context_order[contexts->list[i].parent];
	if (tl_pfile_reorder(&contexts->list, &contexts->table, sizeof(*contexts->list),
			     r->profile->event_count, r->context_order))
		return 0;
	return tl_error_memory(r->err);
}

/* ---- lines, arcs, jumps ---- */

static int take_line(void *arg, uint64_t number, const uint64_t *row)
{
	struct tl_pfile_reading *r = arg;
	struct tl_profile_lines *lines = &r->profile->lines;
	struct tl_cost_line line = {
		.function = tl_pfile_function(r, row[0]),
		.part = part_of(r, row[1]),
		.at = place_of(r, row + 2),
	};

	(void)number;
	if (line.function == TL_NONE)
		return TL_NO_MEMORY;
	return append(r, &lines->table, &lines->list, &line, sizeof(line), row + 6);
}

static int take_arc(void *arg, uint64_t number, const uint64_t *row)
{
	struct tl_pfile_reading *r = arg;
	struct tl_profile_arcs *arcs = &r->profile->arcs;
	struct tl_arc arc = {
		.caller = tl_pfile_caller(r, row[0]),
		.callee = tl_pfile_function(r, row[1]),
		.part = part_of(r, row[2]),
		.from = place_of(r, row + 3),
		.to = place_of(r, row + 7),
		.calls = row[11],
	};

	(void)number;
	if (arc.callee == TL_NONE)
		return TL_NO_MEMORY;
	return append(r, &arcs->table, &arcs->list, &arc, sizeof(arc), row + 12);
}

static int take_jump(void *arg, uint64_t number, const uint64_t *row)
{
	struct tl_pfile_reading *r = arg;
	struct tl_profile_jumps *jumps = &r->profile->jumps;
	struct tl_jump jump = {
		.function = tl_pfile_function(r, row[0]),
		.target = tl_pfile_function(r, row[1]),
		.part = part_of(r, row[2]),
		.from = place_of(r, row + 3),
		.to = place_of(r, row + 7),
		.conditional = row[11],
		.executed = row[12],
		.taken = row[13],
	};

	(void)number;
	if (jump.function == TL_NONE || jump.target == TL_NONE)
		return TL_NO_MEMORY;
	return append(r, &jumps->table, &jumps->list, &jump, sizeof(jump), NULL);
}

int tl_pfile_read_lines(struct tl_pfile_reading *r)
{
	struct tl_profile_lines *lines = &r->profile->lines;
	const struct elements elements = {
		.section = TL_PFILE_LINES,
		.order_section = TL_PFILE_LINE_ORDER,
		.take = take_line,
		.table = &lines->table,
		.list = &lines->list,
		.size = sizeof(*lines->list),
		.events = r->profile->event_count,
	};

	return read_elements(r, &elements);
}

int tl_pfile_read_arcs(struct tl_pfile_reading *r)
{
	struct tl_profile_arcs *arcs = &r->profile->arcs;
	const struct elements elements = {
		.section = TL_PFILE_ARCS,
		.order_section = TL_PFILE_ARC_ORDER,
		.take = take_arc,
		.table = &arcs->table,
		.list = &arcs->list,
		.size = sizeof(*arcs->list),
		.events = r->profile->event_count,
	};

	return read_elements(r, &elements);
}

int tl_pfile_read_jumps(struct tl_pfile_reading *r)
{
	struct tl_profile_jumps *jumps = &r->profile->jumps;
	const struct elements elements = {
		.section = TL_PFILE_JUMPS,
		.order_section = TL_PFILE_JUMP_ORDER,
		.take = take_jump,
		.table = &jumps->table,
		.list = &jumps->list,
		.size = sizeof(*jumps->list),
		.events = 0,
	};

	return read_elements(r, &elements);
}
