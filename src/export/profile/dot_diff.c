/* SPDX-License-Identifier: Apache-2.0 */
/* The call graph of two profiles for Graphviz, coloured by what became of each function. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "core/sized.h"
#include "export/profile/dot_text.h"
#include "export/profile/exporters.h"

enum { RED = 0, GREEN = 330 }; /* hues, permille */

struct diff_graph {
	const struct tl_diff *functions, *arcs;
	struct tl_export_options options;
	int64_t total;      /* the larger one */
	uint32_t arc_event; /* the same event in the comparison of arcs */
	struct tl_diff_row *nodes;
	uint32_t count;
	struct tl_output *out;
};

static int64_t magnitude(int64_t cost)
{
	return cost == INT64_MIN ? INT64_MAX : cost < 0 ? -cost : cost;
}

static int64_t larger(int64_t a, int64_t b)
{
	return magnitude(a) > magnitude(b) ? a : b;
}

static bool is_drawn(const struct diff_graph *graph, const struct tl_diff_row *row, uint32_t event)
{
	int64_t cost = larger(row->before[event], row->after[event]);

	return (double)tl_dot_hundredths(cost, graph->total) >= graph->options.threshold * 100;
}

/* ---- nodes, by what a function is ---- */

static int compare_functions(const struct tl_function *a, const struct tl_function *b)
{
	int order = strcmp(a->name, b->name);

	if (!order)
		order = strcmp(a->file, b->file);
	return order ? order : strcmp(a->object, b->object);
}

static int compare_nodes(const void *a, const void *b)
{
	return compare_functions(((const struct tl_diff_row *)a)->function,
				 ((const struct tl_diff_row *)b)->function);
}

static int collect_nodes(struct diff_graph *graph, struct tl_error *err)
{
	uint32_t rows = tl_diff_row_count(graph->functions);

	graph->nodes = malloc(((size_t)rows + 1) * sizeof(*graph->nodes));
	if (!graph->nodes)
		return tl_error_memory(err);
	for (uint32_t i = 0; i < rows; i++) {
		struct tl_diff_row *row = &graph->nodes[graph->count];

		tl_diff_row(graph->functions, i, row, sizeof(*row));
		graph->count += is_drawn(graph, row, graph->options.event);
	}
	qsort(graph->nodes, graph->count, sizeof(*graph->nodes), compare_nodes);
	return 0;
}

/* The number of a function's node, -1: it has none. */
static int64_t node_of(const struct diff_graph *graph, const struct tl_function *function)
{
	const struct tl_diff_row key = { .function = function };
	const struct tl_diff_row *found;

	if (!function || !graph->count)
		return -1;
	found = bsearch(&key, graph->nodes, graph->count, sizeof(key), compare_nodes);
	return found ? found - graph->nodes : -1;
}

/* ---- text ---- */

static void put_change(const struct diff_graph *graph, int64_t before, int64_t after)
{
	tl_dot_put_share(graph->out, before, graph->total);
	tl_put_text(graph->out, " -> ");
	tl_dot_put_share(graph->out, after, graph->total);
}

static const char *style_of(const struct tl_diff_row *row)
{
	return row->in_before && row->in_after ? "filled" : "filled,dashed";
}

static void put_node(const struct diff_graph *graph, uint32_t number)
{
	const struct tl_diff_row *row = &graph->nodes[number];
	int64_t before = row->before[graph->options.event],
		after = row->after[graph->options.event], change;

	if (__builtin_sub_overflow(after, before, &change))
		change = after > before ? INT64_MAX : INT64_MIN;
	tl_put_format(graph->out, "\tf%u [label=\"", (unsigned)number);
	tl_dot_put_quoted(graph->out, row->function->name);
	tl_put_text(graph->out, "\\n");
	put_change(graph, before, after);
	tl_put_format(graph->out, "\", style=\"%s\"", style_of(row));
	tl_dot_put_color(graph->out, change > 0 ? RED : GREEN, change, graph->total);
	tl_put_text(graph->out, "];\n");
}

static void put_edge(const struct diff_graph *graph, uint32_t number)
{
	struct tl_diff_row row;
	int64_t caller, callee;

	tl_diff_row(graph->arcs, number, &row, sizeof(row));
	caller = node_of(graph, row.caller);
	callee = node_of(graph, row.function);
	if (caller < 0 || callee < 0 || !is_drawn(graph, &row, graph->arc_event))
		return;
	tl_put_format(graph->out, "\tf%u -> f%u [label=\"%llu -> %llu calls\\n", (unsigned)caller,
		      (unsigned)callee, (unsigned long long)row.calls_before,
		      (unsigned long long)row.calls_after);
	put_change(graph, row.before[graph->arc_event], row.after[graph->arc_event]);
	tl_put_text(graph->out, row.in_before && row.in_after ? "\"];\n" : "\", style=dashed];\n");
}

static void put_graph(const struct diff_graph *graph)
{
	const char *title = graph->options.command;

	tl_put_text(graph->out, "digraph \"");
	tl_dot_put_quoted(graph->out, title ? title : "tracelathe");
	tl_put_text(graph->out, "\" {\n\tnode [shape=box];\n");
	for (uint32_t i = 0; i < graph->count && !tl_output_failed(graph->out); i++)
		put_node(graph, i);
	for (uint32_t i = 0; i < tl_diff_row_count(graph->arcs) && !tl_output_failed(graph->out);
	     i++)
		put_edge(graph, i);
	tl_put_text(graph->out, "}\n");
}

/* ---- both comparisons ---- */

static int find_event(struct diff_graph *graph, struct tl_error *err)
{
	uint32_t event = graph->options.event;
	const char *name;

	if (event >= tl_diff_event_count(graph->functions))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "no such event in the comparison");
	name = tl_diff_event(graph->functions, event)->name;
	for (uint32_t i = 0; i < tl_diff_event_count(graph->arcs); i++) {
		if (strcmp(tl_diff_event(graph->arcs, i)->name, name) != 0)
			continue;
		graph->arc_event = i;
		graph->total = larger(tl_diff_total(graph->functions, false)[event],
				      tl_diff_total(graph->functions, true)[event]);
		return 0;
	}
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "calls are compared by other events");
}

int tl_export_diff_dot(const struct tl_diff *functions, const struct tl_diff *arcs,
		       const struct tl_export_options *options, struct tl_output *out,
		       struct tl_error *err)
{
	struct diff_graph graph = { .functions = functions, .arcs = arcs, .out = out };
	int status = 0;

	if (options)
		status = tl_take_options(&graph.options, sizeof(graph.options),
					 TL_SIZE_UP_TO(struct tl_export_options, positions),
					 options, options->size, err);
	if (status == 0)
		status = find_event(&graph, err);
	if (status == 0)
		status = collect_nodes(&graph, err);
	if (status == 0)
		put_graph(&graph);
	free(graph.nodes);
	return status;
}
