/* SPDX-License-Identifier: Apache-2.0 */
/* One node of a call tree as a line of text, a row of CSV or an object of JSON. */
#include "core/output.h"
#include "report/tree/tree_lines.h"
#include "report/number_text.h"

void tl_tree_put_cost(const struct tl_view *view, int64_t cost)
{
	uint64_t rate = tl_view_rate(view, view->events[0]);
	char text[TL_VALUE_ROOM];
	size_t length = tl_format_cost(text, cost, rate, view->options.seconds);

	tl_put_right(view->out, text, length, TL_TREE_COST);
}

void tl_tree_put_share(const struct tl_view *view, int64_t cost)
{
	char text[TL_VALUE_ROOM];

	tl_put_right(view->out, text, tl_format_share(text, cost, tl_view_total(view)),
		     TL_TREE_SHARE);
}

static void put_calls(const struct tl_view *view, uint64_t calls)
{
	char text[TL_VALUE_ROOM];

	tl_put_right(view->out, text, tl_format_count(text, calls), TL_TREE_CALLS);
}

/* ---- text ---- */

static void put_right_title(const struct tl_view *view, const char *title, size_t width)
{
	tl_put_right(view->out, title, strlen(title), width);
}

static void begin_text(const struct tl_view *view, bool inclusive)
{
	tl_view_put_head(view);
	if (view->options.color)
		tl_put_text(view->out, TL_COLOR_DIM);
	if (inclusive) {
		put_right_title(view, "inclusive", TL_TREE_COST);
		put_right_title(view, "%", TL_TREE_SHARE);
	}
	put_right_title(view, "self", TL_TREE_COST);
	if (!inclusive)
		put_right_title(view, "%", TL_TREE_SHARE);
	if (view->counts_calls)
		put_right_title(view, "calls", TL_TREE_CALLS);
	tl_put_text(view->out, "  function");
	tl_view_end_line(view);
}

/* Returns the columns that it took. */
static size_t put_indent(const struct tl_view *view, uint32_t depth)
{
	char text[TL_VALUE_ROOM];
	size_t indent = 2 + 2 * (size_t)TL_TREE_INDENT;

	if (depth <= TL_TREE_INDENT) {
		tl_put_blanks(view->out, 2 + 2 * (size_t)depth);
		return 2 + 2 * (size_t)depth;
	}
	tl_put_blanks(view->out, indent);
	tl_put_format(view->out, "[%u] ", depth);
	return indent + (size_t)(tl_format_u64(text, depth) - text) + strlen("[] ");
}

/* "  (12 never ended)" in columns. */
static size_t unfinished_columns(uint64_t unfinished)
{
	char text[TL_VALUE_ROOM];

	if (!unfinished)
		return 0;
	return tl_format_count(text, unfinished) + strlen("  ( never ended)");
}

void tl_tree_put_function(const struct tl_view *view, uint32_t function, size_t used,
			  uint64_t unfinished)
{
	tl_view_put_function(view, function, used + unfinished_columns(unfinished));
	if (!unfinished)
		return;
	tl_put_text(view->out, "  (");
	tl_put_count(view->out, unfinished);
	tl_put_text(view->out, " never ended)");
}

static void line_as_text(const struct tl_view *view, const struct tl_tree_line *line)
{
	uint32_t event = view->events[0];
	size_t used = TL_TREE_CELLS;

	if (line->inclusive) {
		tl_tree_put_cost(view, line->inclusive[event]);
		tl_tree_put_share(view, line->inclusive[event]);
	}
	tl_tree_put_cost(view, line->self[event]);
	if (!line->inclusive) {
		tl_tree_put_share(view, line->self[event]);
		used -= TL_TREE_COST;
	}
	if (view->counts_calls)
		put_calls(view, line->calls);
	else
		used -= TL_TREE_CALLS;
	used += put_indent(view, line->depth);
	tl_tree_put_function(view, line->function, used, line->unfinished);
	tl_put_char(view->out, '\n');
}

static void end_text(const struct tl_view *view, uint64_t hidden, uint64_t cut)
{
	if (hidden) {
		tl_put_text(view->out, "... ");
		tl_put_count(view->out, hidden);
		tl_put_text(view->out, " branch");
		if (hidden != 1)
			tl_put_text(view->out, "es");
		tl_put_text(view->out, " below the threshold left out (--threshold 0 shows all)\n");
	}
	if (cut) {
		tl_put_text(view->out, "... callers further out than ");
		tl_put_u64(view->out, TL_TREE_INDENT);
		tl_put_text(view->out, " calls are not followed\n");
	}
}

/* ---- CSV ---- */

static void begin_csv(const struct tl_view *view, bool inclusive)
{
	tl_put_text(view->out, "depth,parent,function,calls");
	if (view->ends)
		tl_put_text(view->out, ",unfinished");
	for (uint32_t i = 0; i < view->event_count; i++) {
		tl_view_put_csv_event(view, i, "self");
		if (inclusive)
			tl_view_put_csv_event(view, i, "inclusive");
	}
	tl_put_char(view->out, '\n');
}

static void line_as_csv(const struct tl_view *view, const struct tl_tree_line *line)
{
	tl_put_u64(view->out, line->depth);
	tl_put_char(view->out, ',');
	if (line->parent != TL_NOWHERE)
		tl_put_u64(view->out, line->parent);
	tl_put_char(view->out, ',');
	tl_put_csv(view->out, tl_view_name(view, line->function));
	tl_put_char(view->out, ',');
	tl_put_u64(view->out, line->calls);
	if (view->ends) {
		tl_put_char(view->out, ',');
		tl_put_u64(view->out, line->unfinished);
	}
	for (uint32_t i = 0; i < view->event_count; i++) {
		tl_put_char(view->out, ',');
		tl_put_i64(view->out, line->self[view->events[i]]);
		if (!line->inclusive)
			continue;
		tl_put_char(view->out, ',');
		tl_put_i64(view->out, line->inclusive[view->events[i]]);
	}
	tl_put_char(view->out, '\n');
}

/* ---- JSON: a flat list, since parsers refuse the nested objects of deep stacks ---- */

static void begin_json(const struct tl_view *view)
{
	tl_put_char(view->out, '{');
	tl_view_put_json_head(view);
	tl_put_text(view->out, ",\"nodes\":[");
}

static void line_as_json(const struct tl_view *view, const struct tl_tree_line *line, bool first)
{
	if (!first)
		tl_put_char(view->out, ',');
	tl_put_text(view->out, "{\"depth\":");
	tl_put_u64(view->out, line->depth);
	tl_put_text(view->out, ",\"parent\":");
	if (line->parent != TL_NOWHERE)
		tl_put_u64(view->out, line->parent);
	else
		tl_put_text(view->out, "null");
	tl_put_char(view->out, ',');
	tl_view_put_json_function(view, line->function);
	tl_put_text(view->out, ",\"calls\":");
	tl_put_u64(view->out, line->calls);
	if (view->ends) {
		tl_put_text(view->out, ",\"unfinished\":");
		tl_put_u64(view->out, line->unfinished);
	}
	tl_put_text(view->out, ",\"self\":");
	tl_view_put_json_cost(view, line->self);
	if (line->inclusive) {
		tl_put_text(view->out, ",\"inclusive\":");
		tl_view_put_json_cost(view, line->inclusive);
	}
	tl_put_char(view->out, '}');
}

static void end_json(const struct tl_view *view)
{
	tl_put_text(view->out, "],");
	tl_view_put_json_losses(view);
	tl_put_text(view->out, "}\n");
}

/* ---- any form ---- */

void tl_tree_put_begin(const struct tl_view *view, bool inclusive)
{
	if (view->options.form == TL_REPORT_CSV)
		begin_csv(view, inclusive);
	else if (view->options.form == TL_REPORT_JSON)
		begin_json(view);
	else
		begin_text(view, inclusive);
}

void tl_tree_put_line(const struct tl_view *view, const struct tl_tree_line *line, bool first)
{
	if (view->options.form == TL_REPORT_CSV)
		line_as_csv(view, line);
	else if (view->options.form == TL_REPORT_JSON)
		line_as_json(view, line, first);
	else
		line_as_text(view, line);
}

void tl_tree_put_end(const struct tl_view *view, uint64_t hidden, uint64_t cut)
{
	if (view->options.form == TL_REPORT_JSON)
		end_json(view);
	else if (view->options.form == TL_REPORT_TEXT)
		end_text(view, hidden, cut);
}
