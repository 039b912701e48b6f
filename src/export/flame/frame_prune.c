/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frames that are drawn: those whose share of any event reaches the threshold, the largest ones
 * first if they are too many. What is left out is summed in a frame "(other)" of its caller, so
 * that every total stays what it is.
 */
#include <stdlib.h>
#include <string.h>

#include "core/saturate.h"
#include "export/flame/flame.h"
#include "export/groups.h"

struct prune {
	struct tl_flame *flame;
	bool *kept;         /* by node */
	bool *has_other;    /* by node: something below it is left out */
	uint32_t *frame_of; /* by node: its own frame, or that of the "(other)" it is summed in */
	uint32_t *other_of; /* by node that is kept: the frame of its "(other)" */
	struct tl_groups children;
};

/* ---- what is kept ---- */

/* Larger first; a caller has at least the score of its callees and the smaller number, so it comes
 * before them. */
static int compare_scores(const void *a, const void *b, void *context)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const double *score = context;

	if (score[x] != score[y])
		return score[x] > score[y] ? -1 : 1;
	return (x > y) - (x < y);
}

static bool keep_largest(struct prune *p)
{
	struct tl_flame *flame = p->flame;
	uint32_t *order = malloc(flame->node_count * sizeof(*order));
	size_t count = 0, most = flame->options.most_frames;
	double least = flame->options.threshold / 100;

	if (!order)
		return false;
	/* An estimate has frames "(other)" of its own, which are one with those made here. */
	for (size_t n = 1; n < flame->node_count; n++)
		if (flame->score[n] >= least && flame->score[n] > 0 &&
		    flame->nodes[n].function != flame->function_count + TL_FLAME_OTHER)
			order[count++] = (uint32_t)n;
	qsort_r(order, count, sizeof(*order), compare_scores, flame->score);
	flame->threshold = least;
	if (count > most) {
		count = most;
		flame->threshold = flame->score[order[count - 1]];
	}
	for (size_t i = 0; i < count; i++)
		p->kept[order[i]] = true;
	p->kept[0] = true;
	free(order);
	return true;
}

/* `frame_of` is, until frames are numbered, the nearest node above that is kept. */
static void find_keepers(struct prune *p)
{
	struct tl_flame *flame = p->flame;

	for (size_t n = 0; n < flame->node_count; n++) {
		if (p->kept[n]) {
			p->frame_of[n] = (uint32_t)n;
			continue;
		}
		p->frame_of[n] = p->frame_of[flame->nodes[n].parent];
		p->has_other[p->frame_of[n]] = true;
		flame->left_out++;
	}
}

/* ---- their order ---- */

static uint32_t caller_of(const void *context, uint32_t node)
{
	const struct prune *p = context;

	return node && p->kept[node] ? p->flame->nodes[node].parent : TL_NONE;
}

static int compare_names(const void *a, const void *b, void *context)
{
	const struct tl_flame *flame = context;
	uint32_t x = flame->nodes[*(const uint32_t *)a].function,
		 y = flame->nodes[*(const uint32_t *)b].function;
	bool special = tl_flame_special(flame, x);
	int order = special - tl_flame_special(flame, y);

	if (!order && !special)
		order = strcmp(flame->functions[x]->name, flame->functions[y]->name);
	return order ? order : (x > y) - (x < y);
}

static void sort_children(struct prune *p)
{
	for (size_t n = 0; n < p->flame->node_count; n++) {
		size_t first = p->children.start[n], count = p->children.start[n + 1] - first;

		if (count > 1)
			qsort_r(p->children.order + first, count, sizeof(*p->children.order),
				compare_names, p->flame);
	}
}

static uint32_t add_frame(struct tl_flame *flame, uint32_t parent, uint32_t function,
			  uint32_t depth)
{
	flame->frames[flame->frame_count] = (struct tl_flame_node){ parent, function, depth };
	return flame->frame_count++;
}

static void enter_node(struct prune *p, uint32_t node)
{
	const struct tl_flame_node *n = &p->flame->nodes[node];

	p->frame_of[node] =
		add_frame(p->flame, node ? p->frame_of[n->parent] : 0, n->function, n->depth);
}

static void leave_node(struct prune *p, uint32_t node)
{
	const struct tl_flame_node *n = &p->flame->nodes[node];

	if (p->has_other[node])
		p->other_of[node] =
			add_frame(p->flame, p->frame_of[node],
				  p->flame->function_count + TL_FLAME_OTHER, n->depth + 1);
}

/* Depth first without recursion: children.start becomes the place in each list of children. */
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
		node = p->flame->nodes[node].parent;
	}
}

static bool order_frames(struct prune *p)
{
	struct tl_flame *flame = p->flame;
	size_t most = 1, nodes = flame->node_count;
	uint32_t *ends = malloc(nodes * sizeof(*ends));
	bool ok = tl_groups_make(&p->children, (uint32_t)nodes, (uint32_t)nodes, caller_of, p) &&
		  ends;

	for (size_t n = 0; n < nodes; n++)
		most += (size_t)p->kept[n] + p->has_other[n];
	flame->frames = malloc(most * sizeof(*flame->frames));
	if (ok && flame->frames) {
		sort_children(p);
		memcpy(ends, p->children.start + 1, nodes * sizeof(*ends));
		number_frames(p, ends);
	}
	free(ends);
	return ok && flame->frames;
}

/* Left-out nodes know their keeper only; now that it has a frame for them, they know that. */
static void place_left_out(struct prune *p)
{
	for (size_t n = 1; n < p->flame->node_count; n++) {
		uint32_t parent = p->flame->nodes[n].parent;

		if (!p->kept[n])
			p->frame_of[n] =
				p->kept[parent] ? p->other_of[parent] : p->frame_of[parent];
	}
}

/* ---- costs ---- */

static bool add_cell(struct tl_flame *flame, uint32_t *known, uint32_t frame, uint32_t column)
{
	size_t events = flame->event_count;

	if (!tl_grow(&flame->cells, &flame->cell_capacity, flame->cell_count + 1,
		     sizeof(*flame->cells)) ||
	    !tl_grow(&flame->self, &flame->self_capacity, (flame->cell_count + 1) * events + 1,
		     sizeof(*flame->self)))
		return false;
	memset(flame->self + flame->cell_count * events, 0, events * sizeof(*flame->self));
	flame->cells[flame->cell_count] = (struct tl_flame_cell){ frame, column, 0 };
	*known = (uint32_t)flame->cell_count++;
	return true;
}

/* One context's calls and self cost. Calls of what is summed are those its caller made. */
static bool add_context(const struct prune *p, uint32_t *cells, int side, uint32_t number)
{
	struct tl_flame *flame = p->flame;
	const struct tl_context *c = tl_profile_context(flame->contexts[side], number);
	const int64_t *self = tl_profile_context_self(flame->contexts[side], number);
	uint32_t node = flame->node_of[side][number], frame = p->frame_of[node];
	uint32_t column = flame->profile[1]
				  ? (uint32_t)side
				  : flame->column_of_part[c->part == TL_NONE ? 0 : c->part];
	uint32_t *cell = &cells[(size_t)frame * flame->column_count + column];

	if (*cell == TL_NONE && !add_cell(flame, cell, frame, column))
		return false;
	if (p->kept[node] || p->kept[flame->nodes[node].parent])
		flame->cells[*cell].calls += c->calls;
	for (uint32_t e = 0; e < flame->event_count; e++) {
		int64_t *to = &flame->self[(size_t)*cell * flame->event_count + e];

		*to = tl_sum_saturating(*to, tl_flame_cost(flame, side, self, e));
	}
	return true;
}

static bool sum_cells(const struct prune *p)
{
	struct tl_flame *flame = p->flame;
	size_t count = (size_t)flame->frame_count * flame->column_count;
	uint32_t *cells = malloc(count * sizeof(*cells));
	bool ok = cells != NULL;

	if (ok)
		memset(cells, 0xff, count * sizeof(*cells));
	for (int side = 0; side < (flame->profile[1] ? 2 : 1); side++) {
		uint32_t contexts = tl_profile_context_count(flame->contexts[side]);

		for (uint32_t i = 0; ok && i < contexts; i++)
			ok = add_context(p, cells, side, i);
	}
	free(cells);
	return ok;
}

bool tl_flame_prune(struct tl_flame *flame)
{
	size_t nodes = flame->node_count;
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
