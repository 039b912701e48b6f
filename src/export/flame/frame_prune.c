/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frames that are drawn: those whose share of any event reaches the threshold; if they are too
 * many, the largest of them. The frames left out are summed in a frame "(other)" of their caller,
 * so that every total stays the same.
 */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "export/flame/flame.h"
#include "profile/model/groups.h"

struct prune {
	struct tl_flame *flame;
	bool *kept;         /* by node */
	bool *has_other;    /* by node: something below it is left out */
	uint32_t *frame_of; /* by node: its own frame, or that of the "(other)" it is summed in */
	uint32_t *other_of; /* by node that is kept: the frame of its "(other)" */
	struct tl_groups children;
};

/* ---- the choice of frames ---- */

/*
 * Larger scores first, so a caller comes before its callees: its score is not smaller (see
 * tl_flame_grow()), and of equal scores the smaller number comes first.
 */
static int compare_scores(const void *a, const void *b, void *context)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const double *score = context;

	if (score[x] != score[y])
		return tl_compare(score[y], score[x]);
	return tl_compare(x, y);
}

static bool keep_largest(struct prune *p)
{
	struct tl_flame *flame = p->flame;
	uint32_t *order = malloc(flame->tree.count * sizeof(*order));
	size_t count = 0, most = flame->options.most_frames;
	double least = flame->options.threshold / 100;

	if (!order)
		return false;
	/* The frames "(other)" of an estimate join those that are made here. */
	for (size_t n = 1; n < flame->tree.count; n++)
		if (flame->tree.score[n] >= least && flame->tree.score[n] > 0 &&
		    flame->tree.nodes[n].function != flame->functions.count + TL_FLAME_OTHER)
			order[count++] = (uint32_t)n;
	qsort_r(order, count, sizeof(*order), compare_scores, flame->tree.score);
	flame->drawn.threshold = least;
	if (count > most) {
		count = most;
		flame->drawn.threshold = flame->tree.score[order[count - 1]];
	}
	for (size_t i = 0; i < count; i++)
		p->kept[order[i]] = true;
	p->kept[0] = true;
	free(order);
	return true;
}

/* Until frames are numbered, `frame_of` is a node: the nearest one above that is kept. */
static void find_keepers(struct prune *p)
{
	struct tl_flame *flame = p->flame;

	for (size_t n = 0; n < flame->tree.count; n++) {
		if (p->kept[n]) {
			p->frame_of[n] = (uint32_t)n;
			continue;
		}
		p->frame_of[n] = p->frame_of[flame->tree.nodes[n].parent];
		p->has_other[p->frame_of[n]] = true;
		flame->drawn.left_out++;
	}
}

/* ---- the order of frames ---- */

static uint32_t caller_of(const void *context, uint32_t node)
{
	const struct prune *p = context;

	if (!node || !p->kept[node])
		return TL_NONE;
	return p->flame->tree.nodes[node].parent;
}

static int compare_names(const void *a, const void *b, void *context)
{
	const struct tl_flame *flame = context;
	uint32_t x = flame->tree.nodes[*(const uint32_t *)a].function,
		 y = flame->tree.nodes[*(const uint32_t *)b].function;
	bool special = tl_flame_special(flame, x);
	int order = special - tl_flame_special(flame, y);

	if (!order && !special)
		order = strcmp(flame->functions.all[x]->name, flame->functions.all[y]->name);
	if (!order)
		order = tl_compare(x, y);
	return order;
}

static void sort_children(struct prune *p)
{
	for (size_t n = 0; n < p->flame->tree.count; n++) {
		size_t first = p->children.start[n], count = p->children.start[n + 1] - first;

		if (count > 1)
			qsort_r(p->children.order + first, count, sizeof(*p->children.order),
				compare_names, p->flame);
	}
}

static uint32_t add_frame(struct tl_flame *flame, uint32_t parent, uint32_t function,
			  uint32_t depth)
{
	flame->drawn.frames[flame->drawn.frame_count] =
		(struct tl_flame_node){ parent, function, depth };
	return flame->drawn.frame_count++;
}

static void enter_node(struct prune *p, uint32_t node)
{
	const struct tl_flame_node *n = &p->flame->tree.nodes[node];
	uint32_t parent = 0; /* the root is its own */

	if (node)
		parent = p->frame_of[n->parent];
	p->frame_of[node] = add_frame(p->flame, parent, n->function, n->depth);
}

static void leave_node(struct prune *p, uint32_t node)
{
	const struct tl_flame_node *n = &p->flame->tree.nodes[node];

	if (p->has_other[node])
		p->other_of[node] =
			add_frame(p->flame, p->frame_of[node],
				  p->flame->functions.count + TL_FLAME_OTHER, n->depth + 1);
}

/* Depth first, without recursion: children.start[n] becomes the next child of node n to visit. */
static void number_frames(struct prune *p, const uint32_t *ends)
{
	uint32_t *at = p->children.start, node = 0;

	enter_node(p, 0);
	for (;;) {
		if (at[node] < ends[node]) {
			node = p->children.order[at[node]++];
			enter_node(p, node);
			continue;
		}
		leave_node(p, node);
		if (!node)
			return;
		node = p->flame->tree.nodes[node].parent;
	}
}

static bool order_frames(struct prune *p)
{
	struct tl_flame *flame = p->flame;
	size_t most = 1, nodes = flame->tree.count;
	uint32_t *ends = malloc(nodes * sizeof(*ends));
	bool ok = tl_groups_make(&p->children, (uint32_t)nodes, (uint32_t)nodes, caller_of, p) &&
		  ends;

	for (size_t n = 0; n < nodes; n++)
		most += (size_t)p->kept[n] + p->has_other[n];
	flame->drawn.frames = malloc(most * sizeof(*flame->drawn.frames));
	if (ok && flame->drawn.frames) {
		sort_children(p);
		memcpy(ends, p->children.start + 1, nodes * sizeof(*ends));
		number_frames(p, ends);
	}
	free(ends);
	return ok && flame->drawn.frames;
}

/* `frame_of` of the nodes left out: from the node that keeps them to its frame "(other)". */
static void place_left_out(struct prune *p)
{
	for (size_t n = 1; n < p->flame->tree.count; n++) {
		uint32_t parent = p->flame->tree.nodes[n].parent;

		if (p->kept[n])
			continue;
		if (p->kept[parent])
			p->frame_of[n] = p->other_of[parent];
		else
			p->frame_of[n] = p->frame_of[parent];
	}
}

/* ---- costs ---- */

static bool add_cell(struct tl_flame *flame, uint32_t *known, uint32_t frame, uint32_t column)
{
	size_t events = flame->event_count;

	if (!tl_grow(&flame->drawn.cells, &flame->drawn.cell_capacity, flame->drawn.cell_count + 1,
		     sizeof(*flame->drawn.cells)) ||
	    !tl_grow(&flame->drawn.self, &flame->drawn.self_capacity,
		     (flame->drawn.cell_count + 1) * events + 1, sizeof(*flame->drawn.self)))
		return false;
	memset(flame->drawn.self + flame->drawn.cell_count * events, 0,
	       events * sizeof(*flame->drawn.self));
	flame->drawn.cells[flame->drawn.cell_count] = (struct tl_flame_cell){ frame, column, 0 };
	*known = (uint32_t)flame->drawn.cell_count++;
	return true;
}

static uint32_t column_of(const struct tl_flame *flame, int side, uint32_t part)
{
	if (flame->profile[1])
		return (uint32_t)side;
	if (part == TL_NONE)
		part = 0;
	return flame->columns.of_part[part];
}

/*
 * Add calls and self cost of one context to its frame. The calls of a frame "(other)" are those
 * that its caller made: calls further inside are not counted.
 */
static bool add_context(const struct prune *p, uint32_t *cells, int side, uint32_t number)
{
	struct tl_flame *flame = p->flame;
	const struct tl_context *c = tl_profile_context(flame->contexts[side], number);
	const int64_t *self = tl_profile_context_self(flame->contexts[side], number);
	uint32_t node = flame->tree.node_of[side][number], frame = p->frame_of[node];
	uint32_t column = column_of(flame, side, c->part);
	uint32_t *cell = &cells[(size_t)frame * flame->columns.count + column];

	if (*cell == TL_NONE && !add_cell(flame, cell, frame, column))
		return false;
	if (p->kept[node] || p->kept[flame->tree.nodes[node].parent])
		flame->drawn.cells[*cell].calls += c->calls;
	for (uint32_t e = 0; e < flame->event_count; e++) {
		int64_t *to = &flame->drawn.self[(size_t)*cell * flame->event_count + e];

		*to = tl_sum_saturating(*to, tl_flame_cost(flame, side, self, e));
	}
	return true;
}

static bool sum_cells(const struct prune *p)
{
	struct tl_flame *flame = p->flame;
	size_t count = (size_t)flame->drawn.frame_count * flame->columns.count;
	uint32_t *cells = malloc(count * sizeof(*cells));
	bool ok = cells != NULL;

	if (ok)
		memset(cells, 0xff, count * sizeof(*cells));
	for (int side = 0; side < 2 && flame->profile[side]; side++) {
		uint32_t contexts = tl_profile_context_count(flame->contexts[side]);

		for (uint32_t i = 0; ok && i < contexts; i++)
			ok = add_context(p, cells, side, i);
	}
	free(cells);
	return ok;
}

bool tl_flame_prune(struct tl_flame *flame)
{
	size_t nodes = flame->tree.count;
	struct prune p = { .flame = flame,
			   .kept = calloc(nodes, sizeof(*p.kept)),
			   .has_other = calloc(nodes, sizeof(*p.has_other)),
			   .frame_of = calloc(nodes, sizeof(*p.frame_of)),
			   .other_of = calloc(nodes, sizeof(*p.other_of)) };
	bool ok = p.kept && p.has_other && p.frame_of && p.other_of && keep_largest(&p);

	if (ok) {
		find_keepers(&p);
		ok = order_frames(&p);
	}
	if (ok) {
		place_left_out(&p);
		ok = sum_cells(&p);
	}
	tl_groups_free(&p.children);
	free(p.kept);
	free(p.has_other);
	free(p.frame_of);
	free(p.other_of);
	return ok;
}
