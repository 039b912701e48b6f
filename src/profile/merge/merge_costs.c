/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Costs of a merged profile: lines, arcs, jumps and contexts are added in the order of names and
 * places.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "profile/merge/merge.h"
#include "profile/model/unsized.h"

static const struct tl_merge_map *map_of(const struct tl_merge *merge,
					 const struct tl_merge_ref *ref)
{
	return &merge->maps[ref->profile];
}

/* A cost vector with its numbers where the merged profile has them. */
static const int64_t *cost_row(const struct tl_merge *merge, const struct tl_merge_ref *ref,
			       const int64_t *cost)
{
	const struct tl_profile *from = merge->from[ref->profile];
	const uint32_t *events = map_of(merge, ref)->events;

	memset(merge->row, 0, merge->to->event_count * sizeof(*merge->row));
	for (uint32_t e = 0; e < from->event_count; e++)
		tl_add_cost(&merge->row[events[e]], cost[e], &merge->to->losses.saturated);
	return merge->row;
}

static int compare_positions(const struct tl_position *x, const struct tl_position *y)
{
	int order = strcmp(x->file, y->file);

	if (!order)
		order = tl_compare(x->line, y->line);
	if (!order)
		order = tl_compare(x->address, y->address);
	if (!order)
		order = tl_compare(x->block, y->block);
	return order;
}

/* ---- lines ---- */

static struct tl_cost_line line_of(const struct tl_merge *merge, const struct tl_merge_ref *ref)
{
	struct tl_cost_line line = merge->from[ref->profile]->lines.list[ref->number];

	line.function = map_of(merge, ref)->functions[line.function];
	line.part = tl_profile_renumber(map_of(merge, ref)->parts, line.part);
	return line;
}

static int compare_lines(const void *a, const void *b, void *context)
{
	struct tl_cost_line x = line_of(context, a), y = line_of(context, b);
	int order = tl_compare(x.function, y.function);

	if (!order)
		order = tl_compare(x.part, y.part);
	if (!order)
		order = compare_positions(&x.at, &y.at);
	return order;
}

int tl_merge_lines(struct tl_merge *merge, struct tl_error *err)
{
	size_t total;
	struct tl_merge_ref *refs =
		tl_merge_sorted(merge, tl_profile_line_count, compare_lines, &total);
	int status = tl_error_unless_made(refs, err);

	for (size_t i = 0; status == 0 && i < total; i++) {
		struct tl_cost_line line = line_of(merge, &refs[i]);

		status = tl_profile_put_line(
			merge->to, &line,
			cost_row(
				merge, &refs[i],
				tl_profile_line_cost(merge->from[refs[i].profile], refs[i].number)),
			err);
	}
	free(refs);
	return status;
}

/* ---- arcs ---- */

static struct tl_arc arc_of(const struct tl_merge *merge, const struct tl_merge_ref *ref)
{
	struct tl_arc arc = merge->from[ref->profile]->arcs.list[ref->number];

	arc.caller = tl_profile_renumber(map_of(merge, ref)->functions, arc.caller);
	arc.callee = map_of(merge, ref)->functions[arc.callee];
	arc.part = tl_profile_renumber(map_of(merge, ref)->parts, arc.part);
	return arc;
}

static int compare_arcs(const void *a, const void *b, void *context)
{
	struct tl_arc x = arc_of(context, a), y = arc_of(context, b);
	int order = tl_compare(x.caller, y.caller);

	if (!order)
		order = tl_compare(x.callee, y.callee);
	if (!order)
		order = tl_compare(x.part, y.part);
	if (!order)
		order = compare_positions(&x.from, &y.from);
	if (!order)
		order = compare_positions(&x.to, &y.to);
	return order;
}

int tl_merge_arcs(struct tl_merge *merge, struct tl_error *err)
{
	size_t total;
	struct tl_merge_ref *refs =
		tl_merge_sorted(merge, tl_profile_arc_count, compare_arcs, &total);
	int status = tl_error_unless_made(refs, err);

	for (size_t i = 0; status == 0 && i < total; i++) {
		struct tl_arc arc = arc_of(merge, &refs[i]);

		status = tl_profile_put_arc(
			merge->to, &arc,
			cost_row(merge, &refs[i],
				 tl_profile_arc_cost(merge->from[refs[i].profile], refs[i].number)),
			err);
	}
	free(refs);
	return status;
}

/* ---- jumps ---- */

static struct tl_jump jump_of(const struct tl_merge *merge, const struct tl_merge_ref *ref)
{
	struct tl_jump jump = merge->from[ref->profile]->jumps.list[ref->number];

	jump.function = map_of(merge, ref)->functions[jump.function];
	jump.target = tl_profile_renumber(map_of(merge, ref)->functions, jump.target);
	jump.part = tl_profile_renumber(map_of(merge, ref)->parts, jump.part);
	return jump;
}

static int compare_jumps(const void *a, const void *b, void *context)
{
	struct tl_jump x = jump_of(context, a), y = jump_of(context, b);
	int order = tl_compare(x.function, y.function);

	if (!order)
		order = tl_compare(x.target, y.target);
	if (!order)
		order = tl_compare(x.part, y.part);
	if (!order)
		order = compare_positions(&x.from, &y.from);
	if (!order)
		order = compare_positions(&x.to, &y.to);
	if (!order)
		order = tl_compare(x.conditional, y.conditional);
	return order;
}

int tl_merge_jumps(struct tl_merge *merge, struct tl_error *err)
{
	size_t total;
	struct tl_merge_ref *refs =
		tl_merge_sorted(merge, tl_profile_jump_count, compare_jumps, &total);
	int status = tl_error_unless_made(refs, err);

	for (size_t i = 0; status == 0 && i < total; i++) {
		struct tl_jump jump = jump_of(merge, &refs[i]);

		status = tl_profile_put_jump(merge->to, &jump, err);
	}
	free(refs);
	return status;
}

/* ---- contexts ---- */

/* All trees as one, numbered as they come. */
int tl_merge_unite_contexts(const struct tl_merge *merge, uint32_t profile, struct tl_profile *into,
			    struct tl_error *err)
{
	const struct tl_profile *from = merge->from[profile];
	uint32_t count = tl_profile_context_count(from);
	uint32_t *numbers = malloc(((size_t)count + 1) * sizeof(*numbers));
	int64_t number = tl_error_unless_made(numbers, err);

	for (uint32_t i = 0; number >= 0 && i < count; i++) {
		const struct tl_context *c = &from->contexts.list[i];
		const struct tl_merge_ref ref = { profile, i };

		number = tl_profile_context_number(
			into, tl_profile_renumber(numbers, c->parent),
			map_of(merge, &ref)->functions[c->function],
			tl_profile_renumber(map_of(merge, &ref)->parts, c->part), err);
		if (number < 0)
			break;
		numbers[i] = (uint32_t)number;
		tl_profile_add_context_cost(
			into, (uint32_t)number, c->calls,
			cost_row(merge, &ref, tl_profile_context_self(from, i)));
		tl_profile_add_unfinished(into, (uint32_t)number, c->unfinished);
		tl_profile_add_cut(into, (uint32_t)number, c->cut);
	}
	free(numbers);
	return tl_profile_status(number);
}

/* Siblings together, in order; the roots first. */
static int compare_contexts(const void *a, const void *b, void *context)
{
	const struct tl_context *contexts = context;
	const struct tl_context *x = &contexts[*(const uint32_t *)a],
				*y = &contexts[*(const uint32_t *)b];
	int order = tl_compare(x->parent + 1u, y->parent + 1u);

	if (!order)
		order = tl_compare(x->part, y->part);
	if (!order)
		order = tl_compare(x->function, y->function);
	return order;
}

/* Breadth first: generation by generation, so that parents come before their children. */
struct generations {
	uint32_t *siblings; /* all contexts, siblings together */
	uint32_t *first;    /* of parent + 1: where its children begin in `siblings` */
	uint32_t *order;    /* the result */
	uint32_t *place;    /* by context: where it stands in `order` */
};

static bool generations_make(struct generations *g, const struct tl_profile *tree)
{
	size_t count = tree->contexts.table.count;

	g->siblings = malloc((count + 1) * sizeof(uint32_t));
	g->first = calloc(count + 2, sizeof(uint32_t));
	g->order = malloc((count + 1) * sizeof(uint32_t));
	g->place = malloc((count + 1) * sizeof(uint32_t));
	if (!g->siblings || !g->first || !g->order || !g->place)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		g->siblings[i] = i;
		g->first[(size_t)(tree->contexts.list[i].parent + 1u) + 1]++;
	}
	for (size_t i = 1; i <= count + 1; i++)
		g->first[i] += g->first[i - 1];
	qsort_r(g->siblings, count, sizeof(uint32_t), compare_contexts, tree->contexts.list);

	size_t filled = 0;

	/* Slot 0 has the roots, slot i + 1 the children of context i. */
	for (size_t at = 0; at <= count; at++) {
		size_t slot = at ? (size_t)g->order[at - 1] + 1 : 0;

		for (uint32_t i = g->first[slot]; i < g->first[slot + 1]; i++) {
			g->place[g->siblings[i]] = (uint32_t)filled;
			g->order[filled++] = g->siblings[i];
		}
	}
	return true;
}

static void generations_free(struct generations *g)
{
	free(g->siblings);
	free(g->first);
	free(g->order);
	free(g->place);
}

static int take_tree(struct tl_merge *merge, const struct tl_profile *tree, struct tl_error *err)
{
	struct generations g = { 0 };
	int64_t number = tl_error_unless_made(generations_make(&g, tree), err);

	for (uint32_t i = 0; number >= 0 && i < tree->contexts.table.count; i++) {
		const struct tl_context *c = &tree->contexts.list[g.order[i]];

		number = tl_profile_add_context(merge->to, tl_profile_renumber(g.place, c->parent),
						c->function, c->part, err);
		if (number < 0)
			break;
		tl_profile_add_context_cost(merge->to, (uint32_t)number, c->calls,
					    tl_profile_context_self(tree, g.order[i]));
		tl_profile_add_unfinished(merge->to, (uint32_t)number, c->unfinished);
		tl_profile_add_cut(merge->to, (uint32_t)number, c->cut);
	}
	generations_free(&g);
	return tl_profile_status(number);
}

int tl_merge_contexts(struct tl_merge *merge, struct tl_error *err)
{
	struct tl_profile *tree;
	int status = tl_profile_make(&tree, "", merge->to->events, merge->to->event_count, 0, err);

	if (status < 0)
		return status;
	for (size_t p = 0; status == 0 && p < merge->count; p++)
		status = tl_merge_unite_contexts(merge, (uint32_t)p, tree, err);
	if (status == 0)
		status = take_tree(merge, tree, err);
	tl_losses_add(&merge->to->losses, &tree->losses);
	tl_profile_free(tree);
	return status;
}
