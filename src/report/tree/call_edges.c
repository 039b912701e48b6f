/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "report/tree/call_edges.h"

/* An arc as part of an edge; of an edge of cycles, one end is the cycle of the function. */
struct link {
	uint32_t caller, callee, arc;
};

static int compare_links(const void *left, const void *right)
{
	const struct link *a = left, *b = right;

	if (a->caller != b->caller)
		return tl_compare(a->caller, b->caller);
	if (a->callee != b->callee)
		return tl_compare(a->callee, b->callee);
	return tl_compare(a->arc, b->arc);
}

struct by {
	const struct tl_call_edges *edges;
	const struct tl_view *view;
};

static int compare_cost(const struct by *by, const struct tl_call_edge *a,
			const struct tl_call_edge *b)
{
	int64_t x = a->cost[by->view->events[0]], y = b->cost[by->view->events[0]];

	return (x < y) - (x > y);
}

static int compare_callers(const void *left, const void *right, void *context)
{
	const struct by *by = context;
	const struct tl_call_edge *a = &by->edges->edges[*(const uint32_t *)left];
	const struct tl_call_edge *b = &by->edges->edges[*(const uint32_t *)right];
	int order;

	if (a->caller != b->caller)
		return tl_compare(a->caller, b->caller);
	order = compare_cost(by, a, b);
	if (!order)
		order = tl_view_compare_names(by->view, a->callee, b->callee);
	return order;
}

static int compare_callees(const void *left, const void *right, void *context)
{
	const struct by *by = context;
	const struct tl_call_edge *a = &by->edges->edges[*(const uint32_t *)left];
	const struct tl_call_edge *b = &by->edges->edges[*(const uint32_t *)right];
	int order;

	if (a->callee != b->callee)
		return tl_compare(a->callee, b->callee);
	order = compare_cost(by, a, b);
	if (!order)
		order = tl_view_compare_names(by->view, a->caller, b->caller);
	return order;
}

/* Fold one link into the last edge, or begin the next. */
static void add_link(struct tl_call_edges *edges, const struct tl_profile *profile,
		     const struct link *link)
{
	const int64_t *cost = tl_profile_arc_cost(profile, link->arc);
	uint32_t events = tl_profile_event_count(profile);
	struct tl_call_edge *last = NULL;

	if (edges->count)
		last = &edges->edges[edges->count - 1];
	if (!last || last->caller != link->caller || last->callee != link->callee) {
		last = &edges->edges[edges->count];
		*last = (struct tl_call_edge){ link->caller, link->callee, 0,
					       edges->costs + (size_t)edges->count * events };
		edges->count++;
	}
	last->calls += tl_profile_arc(profile, link->arc)->calls;
	for (uint32_t i = 0; i < events; i++)
		last->cost[i] = tl_sum_saturating(last->cost[i], cost[i]);
}

/* The links of an arc; at most two. */
static uint32_t link_arc(struct link *links, const struct tl_view *view, bool cycles,
			 uint32_t number)
{
	const struct tl_arc *arc = tl_profile_arc(view->profile, number);
	uint32_t from = TL_NONE, to = tl_view_cycle_of(view, arc->callee), count = 0;

	if (arc->caller != TL_NONE)
		from = tl_view_cycle_of(view, arc->caller);
	if (!cycles)
		links[count++] = (struct link){ arc->caller, arc->callee, number };
	if (!cycles || from == to)
		return count;
	if (from != TL_NONE)
		links[count++] = (struct link){ from, arc->callee, number };
	if (to != TL_NONE)
		links[count++] = (struct link){ arc->caller, to, number };
	return count;
}

static bool prepare(struct tl_call_edges *edges, size_t room, uint32_t events)
{
	edges->edges = calloc(room, sizeof(*edges->edges));
	edges->costs = calloc(room, events * sizeof(*edges->costs));
	edges->by_caller = calloc(room, sizeof(*edges->by_caller));
	edges->by_callee = calloc(room, sizeof(*edges->by_callee));
	return edges->edges && edges->costs && edges->by_caller && edges->by_callee;
}

static void sort_edges(struct tl_call_edges *edges, const struct tl_view *view)
{
	struct by by = { edges, view };

	for (uint32_t i = 0; i < edges->count; i++)
		edges->by_caller[i] = edges->by_callee[i] = i;
	qsort_r(edges->by_caller, edges->count, sizeof(uint32_t), compare_callers, &by);
	qsort_r(edges->by_callee, edges->count, sizeof(uint32_t), compare_callees, &by);
}

int tl_call_edges_build(struct tl_call_edges *edges, const struct tl_view *view, bool cycles,
			struct tl_error *err)
{
	uint32_t arcs = tl_profile_arc_count(view->profile), count = 0;
	struct link *links = calloc((size_t)arcs * 2 + 1, sizeof(*links));
	bool ok = links != NULL;

	*edges = (struct tl_call_edges){ 0 };
	for (uint32_t i = 0; ok && i < arcs; i++)
		count += link_arc(links + count, view, cycles, i);
	ok = ok && prepare(edges, (size_t)count + 1, tl_profile_event_count(view->profile));
	if (ok) {
		qsort(links, count, sizeof(*links), compare_links);
		for (uint32_t i = 0; i < count; i++)
			add_link(edges, view->profile, &links[i]);
		sort_edges(edges, view);
	}
	free(links);
	if (!ok)
		return tl_error_memory(err);
	return TL_OK;
}

void tl_call_edges_free(struct tl_call_edges *edges)
{
	free(edges->edges);
	free(edges->costs);
	free(edges->by_caller);
	free(edges->by_callee);
	*edges = (struct tl_call_edges){ 0 };
}

static uint32_t caller_of(const struct tl_call_edge *edge)
{
	return edge->caller;
}

static uint32_t callee_of(const struct tl_call_edge *edge)
{
	return edge->callee;
}

static struct tl_call_edge_range find_range(const struct tl_call_edges *edges, const uint32_t *list,
					    uint32_t (*key)(const struct tl_call_edge *),
					    uint32_t function)
{
	uint32_t low = 0, high = edges->count;
	struct tl_call_edge_range range = { .edges = edges };

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (key(&edges->edges[list[middle]]) < function)
			low = middle + 1;
		else
			high = middle;
	}
	range.first = range.end = list + low;
	while (range.end < list + edges->count && key(&edges->edges[*range.end]) == function)
		range.end++;
	return range;
}

struct tl_call_edge_range tl_call_edges_of_caller(const struct tl_call_edges *edges,
						  uint32_t function)
{
	return find_range(edges, edges->by_caller, caller_of, function);
}

struct tl_call_edge_range tl_call_edges_of_callee(const struct tl_call_edges *edges,
						  uint32_t function)
{
	return find_range(edges, edges->by_callee, callee_of, function);
}
