/* SPDX-License-Identifier: Apache-2.0 */
/* Each function with its callers above and its callees below it. */
#include "core/arithmetic.h"
#include "report/tree/call_edges.h"

#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/output.h"
#include "report/tree/tree_lines.h"
#include "report/tree/tree_report.h"
#include "report/number_text.h"

struct neighbours {
	const struct tl_view *view;
	enum tl_tree_kind kind;
	struct tl_call_edges edges, cycle_edges;
	uint32_t *order; /* functions that have costs or calls, heaviest first */
	uint32_t count;
};

static bool has_callers(const struct neighbours *all)
{
	return all->kind != TL_TREE_CALLEES;
}

static bool has_callees(const struct neighbours *all)
{
	return all->kind != TL_TREE_CALLERS;
}

/* Cycles are numbered behind the functions and have their own edges. */
static const struct tl_call_edges *edges_of(const struct neighbours *all, uint32_t function)
{
	if (function < tl_profile_function_count(all->view->profile))
		return &all->edges;
	return &all->cycle_edges;
}

static struct tl_call_edge_range callers_of(const struct neighbours *all, uint32_t function)
{
	return tl_call_edges_of_callee(edges_of(all, function), function);
}

static struct tl_call_edge_range callees_of(const struct neighbours *all, uint32_t function)
{
	return tl_call_edges_of_caller(edges_of(all, function), function);
}

/* ---- choice of functions ---- */

static struct tl_function_totals totals_of(const struct tl_view *view, uint32_t function)
{
	return tl_view_totals(view, function, TL_NONE);
}

static int compare_functions(const void *left, const void *right, void *context)
{
	const struct tl_view *view = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int64_t x = totals_of(view, a).inclusive[view->events[0]];
	int64_t y = totals_of(view, b).inclusive[view->events[0]];

	if (x != y)
		return tl_compare(y, x);
	return tl_view_compare_names(view, a, b);
}

static bool in_use(const struct neighbours *all, uint32_t function)
{
	struct tl_call_edge_range callers = callers_of(all, function);
	struct tl_call_edge_range callees = callees_of(all, function);
	struct tl_function_totals totals = totals_of(all->view, function);

	return callers.first != callers.end || callees.first != callees.end || totals.calls ||
	       totals.unfinished || totals.inclusive[all->view->events[0]];
}

static bool order_functions(struct neighbours *all)
{
	uint32_t known = tl_view_function_count(all->view);

	all->order = calloc((size_t)known + 1, sizeof(*all->order));
	if (!all->order)
		return false;
	for (uint32_t i = 0; i < known; i++)
		if (tl_view_chosen(all->view, i) && in_use(all, i))
			all->order[all->count++] = i;
	qsort_r(all->order, all->count, sizeof(*all->order), compare_functions,
		(void *)(uintptr_t)all->view);
	return true;
}

/* ---- text ---- */

static void put_cells(const struct tl_view *view, int64_t inclusive, int64_t self, bool has_self,
		      uint64_t calls)
{
	char text[TL_VALUE_ROOM];

	tl_tree_put_cost(view, inclusive);
	tl_tree_put_share(view, inclusive);
	if (has_self)
		tl_tree_put_cost(view, self);
	else
		tl_put_blanks(view->out, TL_TREE_COST);
	if (view->counts_calls)
		tl_put_right(view->out, text, tl_format_count(text, calls), TL_TREE_CALLS);
}

/* Columns in front of the names. */
static size_t cell_columns(const struct tl_view *view)
{
	return view->counts_calls ? TL_TREE_CELLS : TL_TREE_CELLS - TL_TREE_CALLS;
}

static void put_edges(const struct tl_view *view, struct tl_call_edge_range range, const char *mark,
		      bool callers)
{
	for (; range.first < range.end; range.first++) {
		const struct tl_call_edge *edge = &range.edges->edges[*range.first];

		put_cells(view, edge->cost[view->events[0]], 0, false, edge->calls);
		tl_put_text(view->out, mark);
		tl_tree_put_function(view, callers ? edge->caller : edge->callee,
				     cell_columns(view) + strlen(mark), 0);
		tl_put_char(view->out, '\n');
	}
}

static void put_own_line(const struct tl_view *view, uint32_t function)
{
	struct tl_function_totals totals = totals_of(view, function);

	if (view->options.color)
		tl_put_text(view->out, "\033[1m");
	put_cells(view, totals.inclusive[view->events[0]], totals.self[view->events[0]], true,
		  totals.calls);
	tl_put_text(view->out, "  * ");
	tl_tree_put_function(view, function, cell_columns(view) + strlen("  * "),
			     totals.unfinished);
	tl_view_end_line(view);
}

static void put_text_block(const struct neighbours *all, uint32_t function)
{
	tl_put_char(all->view->out, '\n');
	if (has_callers(all))
		put_edges(all->view, callers_of(all, function), "    < ", true);
	put_own_line(all->view, function);
	if (has_callees(all))
		put_edges(all->view, callees_of(all, function), "    > ", false);
}

static void put_text(const struct neighbours *all)
{
	const struct tl_view *view = all->view;
	double floor = tl_view_floor(view);
	uint64_t hidden = 0;

	tl_view_put_head(view);
	if (view->options.color)
		tl_put_text(view->out, TL_COLOR_DIM);
	tl_put_text(view->out, "   inclusive       %        self");
	if (view->counts_calls)
		tl_put_text(view->out, "       calls");
	tl_put_text(view->out, "  < caller  * function  > callee");
	tl_view_end_line(view);
	for (uint32_t i = 0; i < all->count && !tl_output_failed(view->out); i++) {
		if (fabs((double)totals_of(view, all->order[i]).inclusive[view->events[0]]) < floor)
			hidden++;
		else
			put_text_block(all, all->order[i]);
	}
	if (hidden) {
		tl_put_text(view->out, "\n... ");
		tl_put_count(view->out, hidden);
		tl_put_text(view->out, " function");
		tl_put_plural(view->out, hidden);
		tl_put_text(view->out, " below the threshold left out (--threshold 0 shows all)\n");
	}
}

/* ---- CSV: one row an edge ---- */

/* An edge is shown when one of its ends was chosen. */
static bool is_chosen(const struct tl_view *view, const struct tl_call_edge *edge)
{
	return tl_profile_chosen(view->profile, edge->callee) ||
	       (edge->caller != TL_NONE && tl_profile_chosen(view->profile, edge->caller));
}

static void put_csv(const struct neighbours *all)
{
	const struct tl_view *view = all->view;
	const uint32_t *list =
		all->kind == TL_TREE_CALLERS ? all->edges.by_callee : all->edges.by_caller;

	tl_put_text(view->out, "caller,callee,calls");
	for (uint32_t i = 0; i < view->event_count; i++)
		tl_view_put_csv_event(view, i, "inclusive");
	tl_put_char(view->out, '\n');
	for (uint32_t i = 0; i < all->edges.count && !tl_output_failed(view->out); i++) {
		const struct tl_call_edge *edge = &all->edges.edges[list[i]];

		if (!is_chosen(view, edge))
			continue;
		if (edge->caller != TL_NONE)
			tl_put_csv(view->out, tl_view_name(view, edge->caller));
		tl_put_char(view->out, ',');
		tl_put_csv(view->out, tl_view_name(view, edge->callee));
		tl_put_char(view->out, ',');
		tl_put_u64(view->out, edge->calls);
		tl_view_put_csv_cost(view, edge->cost);
		tl_put_char(view->out, '\n');
	}
}

/* ---- JSON ---- */

static void put_json_edges(const struct tl_view *view, const char *name,
			   struct tl_call_edge_range range, bool callers)
{
	bool first = true;

	tl_put_text(view->out, name);
	for (; range.first < range.end; range.first++) {
		const struct tl_call_edge *edge = &range.edges->edges[*range.first];

		tl_put_text(view->out, first ? "{" : ",{");
		first = false;
		tl_view_put_json_function(view, callers ? edge->caller : edge->callee);
		tl_put_text(view->out, ",\"calls\":");
		tl_put_u64(view->out, edge->calls);
		tl_put_text(view->out, ",\"inclusive\":");
		tl_view_put_json_cost(view, edge->cost);
		tl_put_char(view->out, '}');
	}
	tl_put_char(view->out, ']');
}

static void put_json_function(const struct neighbours *all, uint32_t function)
{
	const struct tl_view *view = all->view;
	struct tl_function_totals totals = totals_of(view, function);

	tl_put_char(view->out, '{');
	tl_view_put_json_function(view, function);
	tl_put_text(view->out, ",\"calls\":");
	tl_put_u64(view->out, totals.calls);
	if (view->ends) {
		tl_put_text(view->out, ",\"unfinished\":");
		tl_put_u64(view->out, totals.unfinished);
	}
	tl_put_text(view->out, ",\"self\":");
	tl_view_put_json_cost(view, totals.self);
	tl_put_text(view->out, ",\"inclusive\":");
	tl_view_put_json_cost(view, totals.inclusive);
	if (has_callers(all))
		put_json_edges(view, ",\"callers\":[", callers_of(all, function), true);
	if (has_callees(all))
		put_json_edges(view, ",\"callees\":[", callees_of(all, function), false);
	tl_put_char(view->out, '}');
}

static void put_json(const struct neighbours *all)
{
	const struct tl_view *view = all->view;
	double floor = tl_view_floor(view);
	bool first = true;

	tl_put_char(view->out, '{');
	tl_view_put_json_head(view);
	tl_put_text(view->out, ",\"functions\":[");
	for (uint32_t i = 0; i < all->count && !tl_output_failed(view->out); i++) {
		if (fabs((double)totals_of(view, all->order[i]).inclusive[view->events[0]]) < floor)
			continue;
		if (!first)
			tl_put_char(view->out, ',');
		first = false;
		put_json_function(all, all->order[i]);
	}
	tl_put_text(view->out, "],");
	tl_view_put_json_losses(view);
	tl_put_text(view->out, "}\n");
}

int tl_tree_put_neighbours(const struct tl_view *view, enum tl_tree_kind kind, struct tl_error *err)
{
	struct neighbours all = { .view = view, .kind = kind };
	int status = tl_call_edges_build(&all.edges, view, false, err);

	if (status == TL_OK && view->cycles.count)
		status = tl_call_edges_build(&all.cycle_edges, view, true, err);
	if (status == TL_OK && !order_functions(&all))
		status = tl_error_memory(err);
	if (status == TL_OK && view->options.form == TL_REPORT_CSV)
		put_csv(&all);
	else if (status == TL_OK && view->options.form == TL_REPORT_JSON)
		put_json(&all);
	else if (status == TL_OK)
		put_text(&all);
	free(all.order);
	tl_call_edges_free(&all.edges);
	tl_call_edges_free(&all.cycle_edges);
	return status;
}
