/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a Callgrind file, the same for the same profile however it was built: functions by
 * object, file and name; in a function the function's own file first, then inlined ones; in a file
 * by address and line.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "export/callgrind.h"

/* Strings of a profile are mostly one string: then there is nothing to compare. */
static int compare_text(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_functions(const void *a, const void *b, void *context)
{
	const struct tl_callgrind *c = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct tl_function *f = tl_profile_function(c->profile, x);
	const struct tl_function *g = tl_profile_function(c->profile, y);
	int order = compare_text(f->object, g->object);

	if (!order)
		order = compare_text(f->file, g->file);
	if (!order)
		order = compare_text(f->name, g->name);
	if (!order)
		order = compare_numbers(f->id, g->id);
	return order ? order : compare_numbers(x, y);
}

static struct tl_item line_item(const struct tl_callgrind *c, uint32_t number)
{
	const struct tl_cost_line *line = tl_profile_line(c->profile, number);

	return (struct tl_item){ .kind = TL_ITEM_LINE,
				 .number = number,
				 .function = line->function,
				 .part = line->part,
				 .target = TL_NONE,
				 .at = &line->at };
}

static struct tl_item call_item(const struct tl_callgrind *c, uint32_t number)
{
	const struct tl_arc *arc = tl_profile_arc(c->profile, number);

	return (struct tl_item){ .kind = TL_ITEM_CALL,
				 .number = number,
				 .function = arc->caller,
				 .part = arc->part,
				 .target = arc->callee,
				 .at = &arc->from };
}

static struct tl_item jump_item(const struct tl_callgrind *c, uint32_t number)
{
	const struct tl_jump *jump = tl_profile_jump(c->profile, number);

	return (struct tl_item){ .kind = TL_ITEM_JUMP,
				 .number = number,
				 .function = jump->function,
				 .part = jump->part,
				 .target = jump->target,
				 .at = &jump->from };
}

struct tl_item tl_callgrind_item(const struct tl_callgrind *c, uint32_t item)
{
	uint32_t lines = tl_profile_line_count(c->profile), arcs = tl_profile_arc_count(c->profile);

	if (item < lines)
		return line_item(c, item);
	item -= lines;
	return item < arcs ? call_item(c, item) : jump_item(c, item - arcs);
}

static const char *file_of(const struct tl_callgrind *c, const struct tl_item *item)
{
	return *item->at->file ? item->at->file :
				 tl_profile_function(c->profile, item->function)->file;
}

static int compare_files(const struct tl_callgrind *c, const struct tl_item *x,
			 const struct tl_item *y)
{
	const char *own = tl_profile_function(c->profile, x->function)->file;
	const char *f = file_of(c, x), *g = file_of(c, y);
	int order = compare_text(f, g);

	if (!order)
		return 0;
	return !compare_text(f, own) ? -1 : !compare_text(g, own) ? 1 : order;
}

static int compare_positions(const struct tl_position *x, const struct tl_position *y)
{
	int order = compare_numbers(x->address, y->address);

	if (!order)
		order = compare_numbers(x->line, y->line);
	return order ? order : compare_numbers(x->block, y->block);
}

/* Two items of one function. */
static int compare_items(const void *a, const void *b, void *context)
{
	const struct tl_callgrind *c = context;
	struct tl_item x = tl_callgrind_item(c, *(const uint32_t *)a);
	struct tl_item y = tl_callgrind_item(c, *(const uint32_t *)b);
	int order = c->parts ? compare_numbers(x.part, y.part) : 0;

	if (!order)
		order = compare_files(c, &x, &y);
	if (!order)
		order = compare_positions(x.at, y.at);
	if (!order)
		order = compare_numbers(x.kind, y.kind);
	if (!order && x.target != y.target)
		order = compare_functions(&x.target, &y.target, context);
	return order ? order : compare_numbers(x.number, y.number);
}

static uint32_t item_function(const void *context, uint32_t item)
{
	return tl_callgrind_item(context, item).function;
}

int tl_callgrind_order(struct tl_callgrind *c, struct tl_error *err)
{
	uint32_t functions = tl_profile_function_count(c->profile);
	uint64_t items = (uint64_t)tl_profile_line_count(c->profile) +
			 tl_profile_arc_count(c->profile) + tl_profile_jump_count(c->profile);

	if (items > UINT32_MAX - 1)
		return tl_error_at(err, TL_TOO_LARGE, TL_NOWHERE,
				   "more lines, arcs and jumps than can be ordered");
	c->functions = malloc(((size_t)functions + 1) * sizeof(*c->functions));
	c->next = malloc(((size_t)functions + 1) * sizeof(*c->next));
	if (!c->functions || !c->next ||
	    !tl_groups_make(&c->items, (uint32_t)items, functions, item_function, c))
		return tl_error_memory(err);
	for (uint32_t f = 0; f < functions; f++) {
		size_t first = c->items.start[f], count = c->items.start[f + 1] - first;

		c->functions[f] = f;
		c->next[f] = (uint32_t)first;
		if (count > 1)
			qsort_r(c->items.order + first, count, sizeof(*c->items.order),
				compare_items, c);
	}
	qsort_r(c->functions, functions, sizeof(*c->functions), compare_functions, c);
	return 0;
}
