/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calling-context tree from its roots. Nodes are sorted so that the children of a node are
 * neighbours, heaviest first. The walk then needs no stack: it goes down to the first child, else
 * to the next sibling, else up.
 */
#include <math.h>
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "report/tree/call_tree.h"
#include "report/tree/tree_lines.h"
#include "report/tree/tree_report.h"

struct walk {
	const struct tl_view *view;
	struct tl_call_tree tree;
	uint32_t *order; /* nodes, sorted by parent; roots last, as TL_NONE is the largest */
	uint32_t *place; /* by node: its place in `order` */
	uint32_t *child; /* by node: first child, as a place in `order`; TL_NONE: none */
	uint64_t *row;   /* by node: its row in the output */
	double floor;
	uint64_t rows, hidden;
};

static int compare_nodes(const void *left, const void *right, void *context)
{
	const struct walk *walk = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct tl_call_node *p = &walk->tree.nodes[a], *q = &walk->tree.nodes[b];
	int64_t x = tl_call_tree_inclusive(&walk->tree, a)[walk->view->events[0]];
	int64_t y = tl_call_tree_inclusive(&walk->tree, b)[walk->view->events[0]];

	if (p->parent != q->parent)
		return tl_compare(p->parent, q->parent);
	if (x != y)
		return tl_compare(y, x);
	return tl_view_compare_names(walk->view, p->function, q->function);
}

static void sort_nodes(struct walk *walk)
{
	const struct tl_call_tree *tree = &walk->tree;

	for (uint32_t i = 0; i < tree->count; i++) {
		walk->order[i] = i;
		walk->child[i] = TL_NONE;
	}
	qsort_r(walk->order, tree->count, sizeof(*walk->order), compare_nodes, walk);
	for (uint32_t i = tree->count; i-- > 0;) {
		uint32_t parent = tree->nodes[walk->order[i]].parent;

		walk->place[walk->order[i]] = i;
		if (parent != TL_NONE)
			walk->child[parent] = i;
	}
}

static uint32_t first_root(const struct walk *walk)
{
	uint32_t i = walk->tree.count;

	while (i && walk->tree.nodes[walk->order[i - 1]].parent == TL_NONE)
		i--;
	return walk->order[i];
}

static bool shown(const struct walk *walk, uint32_t node)
{
	return fabs((double)tl_call_tree_inclusive(&walk->tree, node)[walk->view->events[0]]) >=
	       walk->floor;
}

/* The next sibling of a node that is shown, TL_NONE: none. */
static uint32_t next_sibling(struct walk *walk, uint32_t place, uint32_t parent)
{
	for (; place < walk->tree.count && walk->tree.nodes[walk->order[place]].parent == parent;
	     place++) {
		if (shown(walk, walk->order[place]))
			return walk->order[place];
		walk->hidden++;
	}
	return TL_NONE;
}

/* The node after `node` in the walk, TL_NONE at its end; updates the depth. */
static uint32_t step(struct walk *walk, uint32_t node, uint32_t *depth)
{
	uint32_t next = TL_NONE;

	if (walk->child[node] != TL_NONE)
		next = next_sibling(walk, walk->child[node], node);
	if (next != TL_NONE) {
		++*depth;
		return next;
	}
	for (;;) {
		uint32_t parent = walk->tree.nodes[node].parent;

		next = next_sibling(walk, walk->place[node] + 1, parent);
		if (next != TL_NONE || parent == TL_NONE)
			return next;
		node = parent;
		--*depth;
	}
}

static void put_node(struct walk *walk, uint32_t number, uint32_t depth)
{
	const struct tl_call_node *node = &walk->tree.nodes[number];
	struct tl_tree_line line = {
		.function = node->function,
		.parent = TL_NOWHERE,
		.depth = depth,
		.calls = node->calls,
		.unfinished = node->unfinished,
		.self = tl_call_tree_self(&walk->tree, number),
		.inclusive = tl_call_tree_inclusive(&walk->tree, number),
	};

	if (node->parent != TL_NONE)
		line.parent = walk->row[node->parent];
	tl_tree_put_line(walk->view, &line, !walk->rows);
	walk->row[number] = walk->rows++;
}

static void put_nodes(struct walk *walk)
{
	uint32_t depth = 0, node = TL_NONE;

	if (walk->tree.count)
		node = next_sibling(walk, walk->place[first_root(walk)], TL_NONE);
	while (node != TL_NONE && !tl_output_failed(walk->view->out)) {
		put_node(walk, node, depth);
		node = step(walk, node, &depth);
	}
}

static bool prepare(struct walk *walk)
{
	size_t count = (size_t)walk->tree.count + 1;

	walk->order = calloc(count, sizeof(*walk->order));
	walk->place = calloc(count, sizeof(*walk->place));
	walk->child = calloc(count, sizeof(*walk->child));
	walk->row = calloc(count, sizeof(*walk->row));
	return walk->order && walk->place && walk->child && walk->row;
}

static void finish(struct walk *walk)
{
	free(walk->order);
	free(walk->place);
	free(walk->child);
	free(walk->row);
	tl_call_tree_free(&walk->tree);
}

int tl_tree_put_top_down(const struct tl_view *view, struct tl_error *err)
{
	struct walk walk = { .view = view, .floor = tl_view_floor(view) };
	int status = tl_call_tree_build(&walk.tree, view->profile, err);

	if (status == TL_OK && !prepare(&walk))
		status = tl_error_memory(err);
	if (status == TL_OK) {
		sort_nodes(&walk);
		tl_tree_put_begin(view, true);
		put_nodes(&walk);
		tl_tree_put_end(view, walk.hidden, 0);
	}
	finish(&walk);
	return status;
}
