/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All functions that calls lead from to a function, or lead to from it, with their distance: the
 * calls of the shortest way. A way is of calls that were made, one after the other or not.
 */
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "report/number_text.h"
#include "report/tree/call_edges.h"
#include "report/tree/tree_lines.h"
#include "report/tree/tree_report.h"

struct reach {
	const struct tl_view *view;
	struct tl_call_edges edges;
	bool callers;
	uint32_t *distance; /* by function, TL_NONE: not reached */
	uint32_t *found;    /* functions in the order of their distance */
	uint32_t count;
	bool first; /* nothing was written yet */
};

enum { DISTANCE_COLUMNS = 10 };

/* ---- the search ---- */

static void reach_function(struct reach *r, uint32_t function, uint32_t distance)
{
	if (function == TL_NONE || r->distance[function] != TL_NONE)
		return;
	r->distance[function] = distance;
	r->found[r->count++] = function;
}

static int compare_found(const void *left, const void *right, void *context)
{
	const struct reach *r = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	uint32_t event = r->view->events[0];
	int64_t x, y;

	if (r->distance[a] != r->distance[b])
		return tl_compare(r->distance[a], r->distance[b]);
	x = tl_view_totals(r->view, a, TL_NONE).inclusive[event];
	y = tl_view_totals(r->view, b, TL_NONE).inclusive[event];
	if (x != y)
		return tl_compare(y, x);
	return tl_view_compare_names(r->view, a, b);
}

/* Breadth first: found[0] is the function itself, at distance 0. */
static void search(struct reach *r, uint32_t function)
{
	for (uint32_t i = 0; i < tl_profile_function_count(r->view->profile); i++)
		r->distance[i] = TL_NONE;
	r->count = 0;
	reach_function(r, function, 0);
	for (uint32_t i = 0; i < r->count; i++) {
		uint32_t from = r->found[i];
		struct tl_call_edge_range range =
			r->callers ? tl_call_edges_of_callee(&r->edges, from)
				   : tl_call_edges_of_caller(&r->edges, from);

		for (; range.first < range.end; range.first++) {
			const struct tl_call_edge *edge = &range.edges->edges[*range.first];

			reach_function(r, r->callers ? edge->caller : edge->callee,
				       r->distance[from] + 1);
		}
	}
	qsort_r(r->found, r->count, sizeof(*r->found), compare_found, r);
}

/* ---- text ---- */

static void put_text_row(const struct reach *r, uint32_t function)
{
	const struct tl_view *view = r->view;
	struct tl_function_totals totals = tl_view_totals(view, function, TL_NONE);
	size_t columns = DISTANCE_COLUMNS + TL_TREE_CELLS + 2;
	char text[TL_VALUE_ROOM];

	tl_put_right(view->out, text, tl_format_count(text, r->distance[function]),
		     DISTANCE_COLUMNS);
	tl_tree_put_cost(view, totals.inclusive[view->events[0]]);
	tl_tree_put_share(view, totals.inclusive[view->events[0]]);
	tl_tree_put_cost(view, totals.self[view->events[0]]);
	if (view->counts_calls)
		tl_put_right(view->out, text, tl_format_count(text, totals.calls), TL_TREE_CALLS);
	else
		columns -= TL_TREE_CALLS;
	tl_put_blanks(view->out, 2);
	tl_tree_put_function(view, function, columns, totals.unfinished);
	tl_put_char(view->out, '\n');
}

static void put_text_begin(const struct tl_view *view)
{
	tl_view_put_head(view);
	if (view->options.color)
		tl_put_text(view->out, TL_COLOR_DIM);
	tl_put_text(view->out, "  distance   inclusive       %        self");
	if (view->counts_calls)
		tl_put_text(view->out, "       calls");
	tl_put_text(view->out, "  function");
	tl_view_end_line(view);
}

static void put_text(struct reach *r)
{
	if (!r->first)
		tl_put_char(r->view->out, '\n');
	for (uint32_t i = 0; i < r->count && !tl_output_failed(r->view->out); i++)
		put_text_row(r, r->found[i]);
}

/* ---- CSV: a row for each pair ---- */

static void put_csv_begin(const struct reach *r)
{
	const struct tl_view *view = r->view;

	tl_put_text(view->out, r->callers ? "function,caller,distance,calls"
					  : "function,callee,distance,calls");
	for (uint32_t i = 0; i < view->event_count; i++)
		tl_view_put_csv_event(view, i, "inclusive");
	tl_put_char(view->out, '\n');
}

static void put_csv(const struct reach *r)
{
	struct tl_output *out = r->view->out;

	for (uint32_t i = 1; i < r->count && !tl_output_failed(out); i++) {
		uint32_t function = r->found[i];
		struct tl_function_totals totals = tl_view_totals(r->view, function, TL_NONE);

		tl_put_csv(out, tl_view_name(r->view, r->found[0]));
		tl_put_char(out, ',');
		tl_put_csv(out, tl_view_name(r->view, function));
		tl_put_char(out, ',');
		tl_put_u64(out, r->distance[function]);
		tl_put_char(out, ',');
		tl_put_u64(out, totals.calls);
		tl_view_put_csv_cost(r->view, totals.inclusive);
		tl_put_char(out, '\n');
	}
}

/* ---- JSON ---- */

static void put_json_row(const struct reach *r, uint32_t function)
{
	struct tl_function_totals totals = tl_view_totals(r->view, function, TL_NONE);
	struct tl_output *out = r->view->out;

	tl_put_char(out, '{');
	tl_view_put_json_function(r->view, function);
	tl_put_text(out, ",\"distance\":");
	tl_put_u64(out, r->distance[function]);
	tl_put_text(out, ",\"calls\":");
	tl_put_u64(out, totals.calls);
	tl_put_text(out, ",\"self\":");
	tl_view_put_json_cost(r->view, totals.self);
	tl_put_text(out, ",\"inclusive\":");
	tl_view_put_json_cost(r->view, totals.inclusive);
	tl_put_char(out, '}');
}

static void put_json(const struct reach *r)
{
	struct tl_output *out = r->view->out;

	tl_put_text(out, r->first ? "{" : ",{");
	tl_view_put_json_function(r->view, r->found[0]);
	tl_put_text(out, r->callers ? ",\"callers\":[" : ",\"callees\":[");
	for (uint32_t i = 1; i < r->count && !tl_output_failed(out); i++) {
		if (i > 1)
			tl_put_char(out, ',');
		put_json_row(r, r->found[i]);
	}
	tl_put_text(out, "]}");
}

/* ---- the report ---- */

static void put_begin(const struct reach *r)
{
	switch (r->view->options.form) {
	case TL_REPORT_CSV:
		put_csv_begin(r);
		return;
	case TL_REPORT_JSON:
		tl_put_char(r->view->out, '{');
		tl_view_put_json_head(r->view);
		tl_put_text(r->view->out, ",\"functions\":[");
		return;
	case TL_REPORT_TEXT:
		put_text_begin(r->view);
	}
}

static void put_function(struct reach *r, uint32_t function)
{
	search(r, function);
	switch (r->view->options.form) {
	case TL_REPORT_CSV:
		put_csv(r);
		break;
	case TL_REPORT_JSON:
		put_json(r);
		break;
	case TL_REPORT_TEXT:
		put_text(r);
	}
	r->first = false;
}

static void put_end(const struct tl_view *view)
{
	if (view->options.form != TL_REPORT_JSON)
		return;
	tl_put_text(view->out, "],");
	tl_view_put_json_losses(view);
	tl_put_text(view->out, "}\n");
}

int tl_tree_put_reach(const struct tl_view *view, enum tl_tree_kind kind, struct tl_error *err)
{
	uint32_t functions = tl_profile_function_count(view->profile);
	struct reach r = { .view = view, .callers = kind == TL_TREE_ALL_CALLERS, .first = true };
	int status = tl_call_edges_build(&r.edges, view, false, err);

	r.distance = malloc(((size_t)functions + 1) * sizeof(*r.distance));
	r.found = malloc(((size_t)functions + 1) * sizeof(*r.found));
	if (status == TL_OK && (!r.distance || !r.found))
		status = tl_error_memory(err);
	if (status == TL_OK)
		put_begin(&r);
	for (uint32_t f = 0; status == TL_OK && f < functions; f++)
		if (tl_profile_chosen(view->profile, f) && !tl_output_failed(view->out))
			put_function(&r, f);
	if (status == TL_OK)
		put_end(view);
	free(r.distance);
	free(r.found);
	tl_call_edges_free(&r.edges);
	return status;
}
