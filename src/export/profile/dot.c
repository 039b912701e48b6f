/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call graph for Graphviz: a node per function with its shares of the total, an edge per caller
 * and callee with the calls and the share of their inclusive cost. Functions that cost nothing and
 * take no part in a call are left out.
 */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "core/text/optional.h"
#include "export/profile/dot_text.h"
#include "export/profile/exporters.h"
#include "profile/model/unsized.h"

enum {
	GRAPH_LABELS = TL_LABEL_SELF | TL_LABEL_INCLUSIVE | TL_LABEL_CALLS,
	RED = 0, /* hue, permille */
};

struct graph {
	const struct tl_profile *profile;
	struct tl_export_options options;
	uint32_t event;
	int64_t total;
	bool *called;   /* by function: in an arc */
	uint32_t *arcs; /* sorted by caller and callee */
	uint32_t arc_count;
};

/* ---- nodes ---- */

static bool below(const struct graph *graph, int64_t cost)
{
	return graph->options.threshold > 0 &&
	       (double)tl_dot_hundredths(cost, graph->total) < graph->options.threshold * 100;
}

/* Whether a function is drawn. */
static bool is_node(const struct graph *graph, uint32_t number)
{
	struct tl_function_totals totals;

	tl_profile_totals_of(graph->profile, number, TL_NONE, &totals);
	if (below(graph, totals.inclusive[graph->event]))
		return false;
	return graph->called[number] || totals.self[graph->event] || totals.inclusive[graph->event];
}

static bool has_label(const struct graph *graph, enum tl_graph_label label)
{
	return graph->options.labels & label;
}

/* A duration, in the unit of the clock where it is known. */
static void put_duration(const struct graph *graph, const char *name, uint64_t ticks,
			 struct tl_output *out)
{
	uint64_t frequency = tl_profile_frequency(graph->profile);

	tl_put_format(out, "\\n%s ", name);
	if (frequency)
		tl_put_format(out, "%.4g us", (double)ticks * 1e6 / (double)frequency);
	else
		tl_put_format(out, "%llu", (unsigned long long)ticks);
}

static void put_durations(const struct graph *graph, uint32_t number, struct tl_output *out)
{
	struct tl_latency latency;

	if (!tl_profile_latency_of(graph->profile, number, TL_NONE, &latency) || !latency.calls)
		return;

	const struct {
		const char *name;
		enum tl_graph_label label;
		uint64_t ticks;
	} rows[] = {
		{ "sum", TL_LABEL_SUM, latency.sum },          { "min", TL_LABEL_MIN, latency.min },
		{ "median", TL_LABEL_MEDIAN, latency.median }, { "p90", TL_LABEL_P90, latency.p90 },
		{ "p99", TL_LABEL_P99, latency.p99 },          { "max", TL_LABEL_MAX, latency.max },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (has_label(graph, rows[i].label))
			put_duration(graph, rows[i].name, rows[i].ticks, out);
}

static void put_labels(const struct graph *graph, uint32_t number,
		       const struct tl_function_totals *totals, struct tl_output *out)
{
	if (has_label(graph, TL_LABEL_SELF)) {
		tl_put_text(out, "\\nself ");
		tl_dot_put_share(out, totals->self[graph->event], graph->total);
	}
	if (has_label(graph, TL_LABEL_INCLUSIVE)) {
		tl_put_text(out, "\\ninclusive ");
		tl_dot_put_share(out, totals->inclusive[graph->event], graph->total);
	}
	/* Unless calls were asked for, only edges have them. */
	if (has_label(graph, TL_LABEL_CALLS) && graph->options.labels != GRAPH_LABELS)
		tl_put_format(out, "\\n%llu call%s", (unsigned long long)totals->calls,
			      totals->calls == 1 ? "" : "s");
	put_durations(graph, number, out);
}

static void put_node(const struct graph *graph, uint32_t number, struct tl_output *out)
{
	const struct tl_function *function = tl_profile_function(graph->profile, number);
	struct tl_function_totals totals;

	tl_profile_totals_of(graph->profile, number, TL_NONE, &totals);
	tl_put_format(out, "\tf%u [label=\"", (unsigned)number);
	tl_dot_put_quoted(out, function->name);
	put_labels(graph, number, &totals, out);
	if (*function->file) {
		tl_put_text(out, "\", tooltip=\"");
		tl_dot_put_quoted(out, function->file);
		if (function->line)
			tl_put_format(out, ":%u", (unsigned)function->line);
	}
	tl_put_char(out, '"');
	if (graph->options.color == TL_GRAPH_BY_SELF)
		tl_dot_put_color(out, RED, totals.self[graph->event], graph->total);
	else if (graph->options.color == TL_GRAPH_BY_INCLUSIVE)
		tl_dot_put_color(out, RED, totals.inclusive[graph->event], graph->total);
	tl_put_text(out, "];\n");
}

/* ---- frames ---- */

static const char *cluster_of(const struct graph *graph, uint32_t number)
{
	const struct tl_function *function = tl_profile_function(graph->profile, number);

	return graph->options.cluster == TL_CLUSTER_FILE ? function->file : function->object;
}

static int compare_clusters(const void *a, const void *b, void *context)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = strcmp(cluster_of(context, x), cluster_of(context, y));

	return order ? order : tl_compare(x, y);
}

/* Functions sorted by what frames them; those of nothing have no frame. */
static void put_clusters(const struct graph *graph, const uint32_t *nodes, uint32_t count,
			 struct tl_output *out)
{
	const char *open = "";
	unsigned number = 0;

	for (uint32_t i = 0; i < count && !tl_output_failed(out); i++) {
		const char *name = cluster_of(graph, nodes[i]);

		if (strcmp(name, open) != 0) {
			tl_put_text(out, tl_text_if(*open, "\t}\n"));
			tl_put_format(out, "\tsubgraph cluster%u {\n\tlabel=\"", number++);
			tl_dot_put_quoted(out, name);
			tl_put_text(out, "\";\n");
			open = name;
		}
		put_node(graph, nodes[i], out);
	}
	tl_put_text(out, tl_text_if(*open, "\t}\n"));
}

static int put_nodes(const struct graph *graph, struct tl_output *out, struct tl_error *err)
{
	uint32_t functions = tl_profile_function_count(graph->profile), count = 0;
	uint32_t *nodes = malloc(((size_t)functions + 1) * sizeof(*nodes));

	if (!nodes)
		return tl_error_memory(err);
	for (uint32_t f = 0; f < functions; f++)
		if (is_node(graph, f))
			nodes[count++] = f;
	if (graph->options.cluster) {
		qsort_r(nodes, count, sizeof(*nodes), compare_clusters, (void *)(uintptr_t)graph);
		put_clusters(graph, nodes, count, out);
	}
	for (uint32_t i = 0; i < count && !graph->options.cluster && !tl_output_failed(out); i++)
		put_node(graph, nodes[i], out);
	free(nodes);
	return 0;
}

/* ---- edges ---- */

static int compare_arcs(const void *a, const void *b, void *context)
{
	const struct tl_arc *x = tl_profile_arc(context, *(const uint32_t *)a);
	const struct tl_arc *y = tl_profile_arc(context, *(const uint32_t *)b);

	if (x->caller != y->caller)
		return tl_compare(x->caller, y->caller);
	return tl_compare(x->callee, y->callee);
}

/* Sort the arcs, without those from outside the trace: they have no caller to draw. */
static bool sort_arcs(struct graph *graph)
{
	uint32_t count = tl_profile_arc_count(graph->profile);

	graph->arcs = malloc(((size_t)count + 1) * sizeof(*graph->arcs));
	graph->called = calloc((size_t)tl_profile_function_count(graph->profile) + 1,
			       sizeof(*graph->called));
	if (!graph->arcs || !graph->called)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct tl_arc *arc = tl_profile_arc(graph->profile, i);

		graph->called[arc->callee] = true;
		if (arc->caller == TL_NONE)
			continue;
		graph->called[arc->caller] = true;
		graph->arcs[graph->arc_count++] = i;
	}
	qsort_r(graph->arcs, graph->arc_count, sizeof(*graph->arcs), compare_arcs,
		(void *)(uintptr_t)graph->profile);
	return true;
}

/* One edge for the arcs from `first` on with the same caller and callee. @return the next arc */
static uint32_t put_edge(const struct graph *graph, uint32_t first, struct tl_output *out)
{
	const struct tl_arc *arc = tl_profile_arc(graph->profile, graph->arcs[first]);
	uint64_t calls = 0;
	int64_t cost = 0;
	uint32_t at = first;

	for (; at < graph->arc_count; at++) {
		const struct tl_arc *next = tl_profile_arc(graph->profile, graph->arcs[at]);

		if (next->caller != arc->caller || next->callee != arc->callee)
			break;
		if (__builtin_add_overflow(calls, next->calls, &calls))
			calls = UINT64_MAX;
		cost = tl_sum_saturating(
			cost, tl_profile_arc_cost(graph->profile, graph->arcs[at])[graph->event]);
	}
	if (below(graph, cost) || !is_node(graph, arc->caller) || !is_node(graph, arc->callee))
		return at;
	tl_put_format(out, "\tf%u -> f%u [label=\"", (unsigned)arc->caller, (unsigned)arc->callee);
	if (has_label(graph, TL_LABEL_CALLS))
		tl_put_format(out, "%llu call%s\\n", (unsigned long long)calls,
			      calls == 1 ? "" : "s");
	if (has_label(graph, TL_LABEL_INCLUSIVE))
		tl_dot_put_share(out, cost, graph->total);
	tl_put_text(out, "\"];\n");
	return at;
}

/* ---- the graph ---- */

static int put_graph(const struct graph *graph, const char *title, struct tl_output *out,
		     struct tl_error *err)
{
	int status;

	tl_put_text(out, "digraph \"");
	tl_dot_put_quoted(out, title);
	tl_put_text(out, "\" {\n\tnode [shape=box");
	tl_put_text(out, graph->options.color ? ", style=filled];\n" : "];\n");
	status = put_nodes(graph, out, err);
	for (uint32_t i = 0; i < graph->arc_count && !tl_output_failed(out);)
		i = put_edge(graph, i, out);
	tl_put_text(out, "}\n");
	return status;
}

static int write_dot(const struct tl_profile *profile, const struct tl_export_options *options,
		     struct tl_output *out, struct tl_error *err)
{
	struct graph graph = { .profile = profile };
	struct tl_export_options filled;
	int status = tl_export_options(&filled, profile, options, err);

	if (status < 0)
		return status;
	if (!tl_profile_event_count(profile))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the profile has no event to draw shares of");
	graph.event = filled.event;
	graph.total = tl_profile_total(profile)[filled.event];
	graph.options = filled;
	if (!graph.options.labels)
		graph.options.labels = GRAPH_LABELS;
	if (sort_arcs(&graph))
		status =
			put_graph(&graph, filled.command ? filled.command : "tracelathe", out, err);
	else
		status = tl_error_memory(err);
	free(graph.arcs);
	free(graph.called);
	return status;
}

const struct tl_exporter tl_dot_exporter = {
	.name = "dot",
	.suffix = ".dot",
	.help = "the call graph, Graphviz",
	.write = write_dot,
	.contexts = true,
};
