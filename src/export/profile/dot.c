/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call graph for Graphviz: a node per function with its shares of the total, an edge per caller
 * and callee with the calls and the share of their inclusive cost. Functions that cost nothing and
 * take no part in a call are left out.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "core/saturate.h"
#include "export/profile/exporters.h"
#include "profile/model/unsized.h"

struct graph {
	const struct tl_profile *profile;
	uint32_t event;
	int64_t total;
	bool *called;   /* by function: in an arc */
	uint32_t *arcs; /* sorted by caller and callee */
	uint32_t arc_count;
};

/* ---- text ---- */

/*
 * A byte inside a double-quoted string, where Graphviz takes any backslash for an escape. Control
 * characters become blanks: they show nothing, and cannot stand in the XML that Graphviz may write.
 */
static void put_quoted_byte(struct tl_output *out, char byte)
{
	if (byte == '"' || byte == '\\')
		tl_put_char(out, '\\');
	tl_put_char(out, (unsigned char)byte < 0x20 || byte == 0x7f ? ' ' : byte);
}

/* Graphviz refuses bytes that are not UTF-8: each becomes U+FFFD. */
static void put_quoted(struct tl_output *out, const char *text)
{
	while (*text) {
		size_t run = tl_utf8_span(text, strlen(text));

		for (size_t i = 0; i < run; i++)
			put_quoted_byte(out, text[i]);
		text += run;
		if (*text) {
			tl_put_text(out, "\xef\xbf\xbd");
			text++;
		}
	}
}

static __int128 magnitude(int64_t value)
{
	if (value < 0)
		return -(__int128)value;
	return value;
}

/* "12.34%" of |total|, computed in integers, so that every machine writes the same. */
static void put_share(struct tl_output *out, int64_t cost, int64_t total)
{
	__int128 whole = magnitude(total), hundredths = 0;

	if (whole)
		hundredths = (magnitude(cost) * 10000 + whole / 2) / whole;
	if (hundredths > INT64_MAX)
		hundredths = INT64_MAX;
	if (cost < 0 && hundredths)
		tl_put_char(out, '-');
	tl_put_format(out, "%lld.%02d%%", (long long)(hundredths / 100), (int)(hundredths % 100));
}

/* ---- nodes ---- */

static void put_node(const struct graph *graph, uint32_t number, struct tl_output *out)
{
	const struct tl_function *function = tl_profile_function(graph->profile, number);
	struct tl_function_totals totals;

	tl_profile_totals_of(graph->profile, number, TL_NONE, &totals);
	if (!graph->called[number] && !totals.self[graph->event] && !totals.inclusive[graph->event])
		return;
	tl_put_format(out, "\tf%u [label=\"", (unsigned)number);
	put_quoted(out, function->name);
	tl_put_text(out, "\\nself ");
	put_share(out, totals.self[graph->event], graph->total);
	tl_put_text(out, "\\ninclusive ");
	put_share(out, totals.inclusive[graph->event], graph->total);
	if (*function->file) {
		tl_put_text(out, "\", tooltip=\"");
		put_quoted(out, function->file);
		if (function->line)
			tl_put_format(out, ":%u", (unsigned)function->line);
	}
	tl_put_text(out, "\"];\n");
}

/* ---- edges ---- */

static int compare_arcs(const void *a, const void *b, void *context)
{
	const struct tl_arc *x = tl_profile_arc(context, *(const uint32_t *)a);
	const struct tl_arc *y = tl_profile_arc(context, *(const uint32_t *)b);

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
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
	tl_put_format(out, "\tf%u -> f%u [label=\"%llu call%s\\n", (unsigned)arc->caller,
		      (unsigned)arc->callee, (unsigned long long)calls, calls == 1 ? "" : "s");
	put_share(out, cost, graph->total);
	tl_put_text(out, "\"];\n");
	return at;
}

/* ---- the graph ---- */

static void put_graph(const struct graph *graph, const char *title, struct tl_output *out)
{
	uint32_t functions = tl_profile_function_count(graph->profile);

	tl_put_text(out, "digraph \"");
	put_quoted(out, title);
	tl_put_text(out, "\" {\n\tnode [shape=box];\n");
	for (uint32_t f = 0; f < functions && !tl_output_failed(out); f++)
		put_node(graph, f, out);
	for (uint32_t i = 0; i < graph->arc_count && !tl_output_failed(out);)
		i = put_edge(graph, i, out);
	tl_put_text(out, "}\n");
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
	if (sort_arcs(&graph))
		put_graph(&graph, filled.command ? filled.command : "tracelathe", out);
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
