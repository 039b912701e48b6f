/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each function, then the paths of its callers, with the part of its self cost that each path has.
 *
 * A trail is one calling context and the caller up to which its path has been followed. Trails with
 * the same path so far are neighbours in one array; such a range is a branch. To follow a branch,
 * each of its trails goes one caller further, and the range is put in the order of callers: the
 * ranges of equal callers are its sub-branches. All of it happens in place, so memory does not grow
 * with the depth. Trails of a branch are always in the order of their contexts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "report/tree/call_tree.h"
#include "report/tree/tree_lines.h"
#include "report/tree/tree_report.h"

struct trail {
	uint32_t leaf, at; /* nodes; at TL_NONE: followed to the root */
	int64_t weight;    /* cost of its branch */
};

/* Trails of one function, which become a branch. */
struct sub_branch {
	uint32_t first, end;
	uint32_t function; /* TL_NONE: they are followed to the root */
	int64_t weight;
};

struct branch {
	uint32_t first, end;
	uint32_t depth;
	uint64_t parent; /* row */
};

struct climb {
	const struct tl_view *view;
	struct tl_call_tree tree;
	struct trail *trails, *room; /* room: for as many */
	uint32_t count;
	struct sub_branch *subs; /* of the branch that is divided */
	size_t sub_count, sub_capacity;
	struct branch *stack;
	size_t pending, capacity;
	int64_t *self; /* sums of the branch being written */
	double floor;
	uint64_t rows, hidden, cut;
};

static uint32_t function_at(const struct climb *climb, const struct trail *trail)
{
	if (trail->at == TL_NONE)
		return TL_NONE;
	return climb->tree.nodes[trail->at].function;
}

static int compare_functions(const void *left, const void *right, void *context)
{
	const struct climb *climb = context;
	const struct trail *a = left, *b = right;
	uint32_t f = function_at(climb, a), g = function_at(climb, b);

	if (f != g)
		return tl_compare(f, g);
	return tl_compare(a->leaf, b->leaf);
}

/*
 * Heaviest branch last, since the stack is emptied from its end; trails that are followed to the
 * root come behind all others.
 */
static int compare_weights(const void *left, const void *right, void *context)
{
	const struct climb *climb = context;
	const struct sub_branch *a = left, *b = right;
	int names;

	if (a->function == TL_NONE || b->function == TL_NONE)
		return a->function == TL_NONE ? 1 : -1;
	if (a->weight != b->weight)
		return tl_compare(a->weight, b->weight);
	names = tl_view_compare_names(climb->view, b->function, a->function);
	return names ? names : tl_compare(a->function, b->function);
}

static uint32_t same_function_end(const struct climb *climb, uint32_t first, uint32_t end)
{
	uint32_t i = first;

	while (i < end &&
	       function_at(climb, &climb->trails[i]) == function_at(climb, &climb->trails[first]))
		i++;
	return i;
}

static int64_t self_cost(const struct climb *climb, const struct trail *trail)
{
	return tl_call_tree_self(&climb->tree, trail->leaf)[climb->view->events[0]];
}

/*
 * Trails of equal functions become neighbours. Those of the one in the middle come first, in one
 * pass: in a deep recursion that is nearly all of them, so that little is left to be sorted.
 */
static void group(struct climb *climb, uint32_t first, uint32_t end)
{
	const uint32_t most = function_at(climb, &climb->trails[first + (end - first) / 2]);
	uint32_t others = 0, to = first;

	for (uint32_t i = first; i < end; i++)
		if (function_at(climb, &climb->trails[i]) == most)
			climb->trails[to++] = climb->trails[i];
		else
			climb->room[others++] = climb->trails[i];
	if (!others)
		return;
	memcpy(climb->trails + to, climb->room, others * sizeof(*climb->room));
	qsort_r(climb->trails + to, others, sizeof(*climb->trails), compare_functions, climb);
}

static bool list_subs(struct climb *climb, uint32_t first, uint32_t end)
{
	climb->sub_count = 0;
	for (uint32_t i = first, next; i < end; i = next) {
		int64_t weight = 0;

		next = same_function_end(climb, i, end);
		for (uint32_t j = i; j < next; j++)
			weight = tl_sum_saturating(weight, self_cost(climb, &climb->trails[j]));
		for (uint32_t j = i; j < next; j++)
			climb->trails[j].weight = weight;
		if (!tl_grow(&climb->subs, &climb->sub_capacity, climb->sub_count + 1,
			     sizeof(*climb->subs)))
			return false;
		climb->subs[climb->sub_count++] =
			(struct sub_branch){ i, next, function_at(climb, &climb->trails[i]),
					     weight };
	}
	return true;
}

/* Put the trails [first, end) of a branch in the order of its sub-branches. */
static bool divide(struct climb *climb, uint32_t first, uint32_t end)
{
	uint32_t to = first;

	group(climb, first, end);
	if (!list_subs(climb, first, end))
		return false;
	if (climb->sub_count < 2)
		return true;
	qsort_r(climb->subs, climb->sub_count, sizeof(*climb->subs), compare_weights, climb);
	memcpy(climb->room, climb->trails + first, (end - first) * sizeof(*climb->room));
	for (size_t i = 0; i < climb->sub_count; i++) {
		const struct sub_branch *sub = &climb->subs[i];

		memcpy(climb->trails + to, climb->room + (sub->first - first),
		       (sub->end - sub->first) * sizeof(*climb->room));
		to += sub->end - sub->first;
	}
	return true;
}

static bool push_branches(struct climb *climb, uint32_t first, uint32_t end, uint32_t depth,
			  uint64_t parent)
{
	if (!divide(climb, first, end))
		return false;
	for (uint32_t i = first, next; i < end && climb->trails[i].at != TL_NONE; i = next) {
		next = same_function_end(climb, i, end);
		if (fabs((double)climb->trails[i].weight) < climb->floor) {
			climb->hidden++;
			continue;
		}
		if (!tl_grow(&climb->stack, &climb->capacity, climb->pending + 1,
			     sizeof(*climb->stack)))
			return false;
		climb->stack[climb->pending++] = (struct branch){ i, next, depth, parent };
	}
	return true;
}

static void put_branch(struct climb *climb, const struct branch *branch)
{
	struct tl_tree_line line = {
		.function = function_at(climb, &climb->trails[branch->first]),
		.parent = branch->parent,
		.depth = branch->depth,
		.self = climb->self,
	};

	memset(climb->self, 0, climb->tree.events * sizeof(*climb->self));
	for (uint32_t i = branch->first; i < branch->end; i++) {
		uint32_t leaf = climb->trails[i].leaf;

		line.calls += climb->tree.nodes[leaf].calls;
		line.unfinished += climb->tree.nodes[leaf].unfinished;
		for (uint32_t e = 0; e < climb->tree.events; e++)
			climb->self[e] = tl_sum_saturating(
				climb->self[e], tl_call_tree_self(&climb->tree, leaf)[e]);
	}
	tl_tree_put_line(climb->view, &line, !climb->rows);
	climb->rows++;
}

/* Follow each trail one caller further. @return false if all have reached the root */
static bool follow(struct climb *climb, const struct branch *branch)
{
	bool further = false;

	for (uint32_t i = branch->first; i < branch->end; i++) {
		struct trail *trail = &climb->trails[i];

		trail->at = climb->tree.nodes[trail->at].parent;
		further = further || trail->at != TL_NONE;
	}
	return further;
}

static bool put_branches(struct climb *climb)
{
	while (climb->pending && !tl_output_failed(climb->view->out)) {
		struct branch branch = climb->stack[--climb->pending];
		uint64_t row = climb->rows;

		put_branch(climb, &branch);
		if (!follow(climb, &branch))
			continue;
		if (branch.depth == TL_TREE_INDENT)
			climb->cut++;
		else if (!push_branches(climb, branch.first, branch.end, branch.depth + 1, row))
			return false;
	}
	return true;
}

static bool prepare(struct climb *climb)
{
	climb->trails = calloc((size_t)climb->tree.count + 1, sizeof(*climb->trails));
	climb->room = calloc((size_t)climb->tree.count + 1, sizeof(*climb->room));
	climb->self = calloc(climb->tree.events, sizeof(*climb->self));
	if (!climb->trails || !climb->room || !climb->self)
		return false;
	for (uint32_t i = 0; i < climb->tree.count; i++)
		climb->trails[i] = (struct trail){ .leaf = i, .at = i };
	climb->count = climb->tree.count;
	return push_branches(climb, 0, climb->count, 0, TL_NOWHERE);
}

int tl_tree_put_bottom_up(const struct tl_view *view, struct tl_error *err)
{
	struct climb climb = { .view = view, .floor = tl_view_floor(view) };
	int status = tl_call_tree_build(&climb.tree, view->profile, err);

	if (status == TL_OK && !prepare(&climb))
		status = tl_error_memory(err);
	if (status == TL_OK) {
		tl_tree_put_begin(view, false);
		if (!put_branches(&climb))
			status = tl_error_memory(err);
		tl_tree_put_end(view, climb.hidden, climb.cut);
	}
	free(climb.trails);
	free(climb.room);
	free(climb.subs);
	free(climb.self);
	free(climb.stack);
	tl_call_tree_free(&climb.tree);
	return status;
}
