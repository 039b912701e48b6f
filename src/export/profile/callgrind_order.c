/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a Callgrind file, the same for the same profile however it was built: functions by
 * object, file and name; in a function the function's own file first, then inlined ones; in a file
 * by address and line.
 */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "profile/model/groups.h"
#include "export/profile/callgrind.h"

/* The strings of a profile are interned: the same pointer is the same text. */
static int compare_text(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

static int compare_functions(const void *a, const void *b, void *context)
{
	const struct tl_callgrind_writer *c = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct tl_function *f = tl_profile_function(c->profile, x),
				 *g = tl_profile_function(c->profile, y);
	int order = compare_text(f->object, g->object);

	if (!order)
		order = compare_text(f->file, g->file);
	if (!order)
		order = compare_text(f->name, g->name);
	if (!order)
		order = tl_compare(f->id, g->id);
	if (!order)
		order = tl_compare(x, y);
	return order;
}

struct tl_callgrind_writer_item tl_callgrind_writer_item_at(const struct tl_callgrind_writer *c,
							    uint32_t item)
{
	uint32_t lines = tl_profile_line_count(c->profile), arcs = tl_profile_arc_count(c->profile);

	if (item < lines) {
		const struct tl_cost_line *line = tl_profile_line(c->profile, item);

		return (struct tl_callgrind_writer_item){
			TL_WRITER_ITEM_LINE, item, line->function, line->part, TL_NONE,
			&line->at,           NULL, false,          NULL
		};
	}
	item -= lines;
	if (item < arcs) {
		const struct tl_arc *arc = tl_profile_arc(c->profile, item);

		return (struct tl_callgrind_writer_item){
			TL_WRITER_ITEM_CALL, item,     arc->caller, arc->part, arc->callee,
			&arc->from,          &arc->to, false,       NULL
		};
	}
	item -= arcs;

	const struct tl_jump *jump = tl_profile_jump(c->profile, item);

	return (struct tl_callgrind_writer_item){
		TL_WRITER_ITEM_JUMP, item,      jump->function,    jump->part, jump->target,
		&jump->from,         &jump->to, jump->conditional, NULL
	};
}

static const char *file_of(const struct tl_callgrind_writer *c,
			   const struct tl_callgrind_writer_item *item)
{
	if (*item->at->file)
		return item->at->file;
	return tl_profile_function(c->profile, item->function)->file;
}

static int compare_files(const struct tl_callgrind_writer *c,
			 const struct tl_callgrind_writer_item *x,
			 const struct tl_callgrind_writer_item *y)
{
	const char *own = tl_profile_function(c->profile, x->function)->file;
	const char *f = file_of(c, x), *g = file_of(c, y);
	int order = compare_text(f, g);

	if (!order)
		return 0;
	if (!compare_text(f, own))
		return -1;
	if (!compare_text(g, own))
		return 1;
	return order;
}

/* The file that a reader of the output gives the target: without a name, its function's. */
static const char *target_file(const struct tl_callgrind_writer *c,
			       const struct tl_callgrind_writer_item *item)
{
	if (*item->to->file)
		return item->to->file;
	return tl_profile_function(c->profile, item->target)->file;
}

/* Calls (jumps) of the same target sort together, since they are written as one. */
static int compare_targets(const struct tl_callgrind_writer *c,
			   const struct tl_callgrind_writer_item *x,
			   const struct tl_callgrind_writer_item *y)
{
	int order = 0;

	if (x->target != y->target)
		order = compare_functions(&x->target, &y->target, (void *)(uintptr_t)c);
	if (!order)
		order = tl_compare(x->conditional, y->conditional);
	if (!order && x->to)
		order = compare_text(target_file(c, x), target_file(c, y));
	if (!order && x->to)
		order = tl_callgrind_writer_compare_positions(c, x->to, y->to);
	return order;
}

int tl_callgrind_writer_compare(const struct tl_callgrind_writer *c,
				const struct tl_callgrind_writer_item *x,
				const struct tl_callgrind_writer_item *y)
{
	int order = 0;

	if (c->layout.parts)
		order = tl_compare(x->part, y->part);
	/* One function: the same file of the place is the same file. */
	if (!order && x->at->file != y->at->file)
		order = compare_files(c, x, y);
	if (!order)
		order = tl_callgrind_writer_compare_positions(c, x->at, y->at);
	if (!order)
		order = tl_compare(x->kind, y->kind);
	if (!order)
		order = compare_targets(c, x, y);
	return order;
}

/* Two items of one function. */
static int compare_items(const void *a, const void *b, void *context)
{
	struct tl_callgrind_writer_item x =
		tl_callgrind_writer_item_at(context, *(const uint32_t *)a);
	struct tl_callgrind_writer_item y =
		tl_callgrind_writer_item_at(context, *(const uint32_t *)b);
	int order = tl_callgrind_writer_compare(context, &x, &y);

	if (!order)
		order = tl_compare(x.number, y.number);
	return order;
}

static uint32_t item_function(const void *context, uint32_t item)
{
	return tl_callgrind_writer_item_at(context, item).function;
}

/* ---- blocks ---- */

/* The part that an item is written in, of those of the file. */
static uint32_t part_of_item(const struct tl_callgrind_writer *c, uint32_t at)
{
	return c->layout.parts ? tl_callgrind_writer_item_at(c, c->items.order[at]).part : 0;
}

static bool add_block(struct tl_callgrind_writer *c, uint32_t function, uint32_t first,
		      uint32_t end, uint32_t part)
{
	struct tl_callgrind_writer_blocks *blocks = &c->blocks;

	if (!tl_grow(&blocks->list, &blocks->capacity, blocks->count + 1, sizeof(*blocks->list)))
		return false;
	blocks->list[blocks->count++] =
		(struct tl_callgrind_writer_block){ function, first, end, part };
	return true;
}

/* The items of a function are sorted by part. */
static bool add_blocks_of(struct tl_callgrind_writer *c, uint32_t function)
{
	uint32_t first = c->items.start[function], end = c->items.start[function + 1];
	bool ok = true;

	for (uint32_t at = first + 1; ok && c->layout.parts && at < end; at++) {
		if (part_of_item(c, at) == part_of_item(c, first))
			continue;
		ok = add_block(c, function, first, at, part_of_item(c, first));
		first = at;
	}
	if (ok && first < end)
		ok = add_block(c, function, first, end, part_of_item(c, first));
	return ok;
}

static uint32_t part_of_block(const void *context, uint32_t block)
{
	return ((const struct tl_callgrind_writer *)context)->blocks.list[block].part;
}

struct run_places {
	const struct tl_pack *pack;
	const uint32_t *places; /* by function */
};

static uint32_t place_of_run(const void *context, uint32_t run)
{
	const struct run_places *r = context;

	return r->places[r->pack->runs[run].function];
}

/* A packed run is a block. */
static bool add_packed_blocks(struct tl_callgrind_writer *c)
{
	const struct tl_pack *pack = c->profile->pack;
	uint32_t functions = tl_profile_function_count(c->profile);
	uint32_t *places = malloc(((size_t)functions + 1) * sizeof(*places));
	struct tl_groups by_place = { NULL, NULL };
	struct run_places sorting = { pack, places };
	bool ok = places != NULL;

	for (uint32_t i = 0; ok && i < functions; i++)
		places[c->functions[i]] = i;
	ok = ok && tl_groups_make(&by_place, (uint32_t)pack->run_count, functions, place_of_run,
				  &sorting);
	for (uint32_t i = 0; ok && i < pack->run_count; i++) {
		uint32_t run = by_place.order[i];

		ok = add_block(c, pack->runs[run].function, run, run + 1,
			       c->layout.parts ? pack->runs[run].part : 0);
	}
	tl_groups_free(&by_place);
	free(places);
	return ok;
}

/*
 * What each part has is found here, once, and not by asking all functions for each part. False
 * without memory.
 */
static bool make_blocks(struct tl_callgrind_writer *c)
{
	uint32_t functions = tl_profile_function_count(c->profile);
	uint32_t parts = c->layout.parts ? tl_profile_part_count(c->profile) : 1;

	if (c->profile->pack && !add_packed_blocks(c))
		return false;
	for (uint32_t i = 0; i < functions && !c->profile->pack; i++)
		if (!add_blocks_of(c, c->functions[i]))
			return false;
	return tl_groups_make(&c->blocks.by_part, (uint32_t)c->blocks.count, parts, part_of_block,
			      c);
}

/* The items of each function, sorted. */
static int sort_items(struct tl_callgrind_writer *c, struct tl_error *err)
{
	uint32_t functions = tl_profile_function_count(c->profile);
	uint64_t items = (uint64_t)tl_profile_line_count(c->profile) +
			 tl_profile_arc_count(c->profile) + tl_profile_jump_count(c->profile);

	if (items > UINT32_MAX - 1)
		return tl_error_at(err, TL_TOO_LARGE, TL_NOWHERE,
				   "more lines, arcs and jumps than can be ordered");
	if (!tl_groups_make(&c->items, (uint32_t)items, functions, item_function, c))
		return tl_error_memory(err);
	for (uint32_t f = 0; f < functions; f++) {
		size_t first = c->items.start[f], count = c->items.start[f + 1] - first;

		if (count > 1)
			qsort_r(c->items.order + first, count, sizeof(*c->items.order),
				compare_items, c);
	}
	return 0;
}

int tl_callgrind_writer_order(struct tl_callgrind_writer *c, struct tl_error *err)
{
	uint32_t functions = tl_profile_function_count(c->profile);
	int status = 0;

	c->functions = malloc(((size_t)functions + 1) * sizeof(*c->functions));
	if (!c->functions)
		return tl_error_memory(err);
	for (uint32_t f = 0; f < functions; f++)
		c->functions[f] = f;
	qsort_r(c->functions, functions, sizeof(*c->functions), compare_functions, c);
	if (!c->profile->pack)
		status = sort_items(c, err);
	if (status < 0)
		return status;
	return tl_error_unless_made(make_blocks(c), err);
}
