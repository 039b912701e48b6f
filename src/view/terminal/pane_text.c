/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of text: what keys do; the source of a function with costs, as `annotate` prints it. */
#include <stdio.h>
#include <string.h>

#include <tracelathe/report.h>

#include "core/error.h"
#include "view/code/binaries.h"
#include "view/terminal/panes.h"

static const char *const help[] = {
	"",
	"  1 functions    what costs most, by function",
	"  2 top-down     the call tree from its roots",
	"  3 bottom-up    each function, then who called it, and who called them",
	"  4 callers      the chosen function (*) with its callers (<) and callees (>)",
	"  5 calls        the longest calls of the chosen function (traces)",
	"  6 timeline     a line of calls for each thread; below, one thread by depth (traces)",
	"  7 source       lines of the function's files with costs; a: its assembly",
	"",
	"  arrows, j, k, page up and down, g, G    move",
	"  Enter          callers of a function; open or close a row of a tree;",
	"                 a call in the timeline; the profile of the timeline's window",
	"  left, right    close and open a row of a tree",
	"  s, r, c        sort by the next column; the least first; show other columns",
	"  e              the next event (ticks, instructions, misses, ...)",
	"  l              the longest calls of the function",
	"  /, n           search; the next match",
	"  w              leave the window of time: the profile of everything again",
	"",
	"  Timeline: left and right move the cursor, + and - zoom around it, < and > pan,",
	"  0 shows everything, up and down choose a thread, [ and ] the depth that the",
	"  lines of threads show. Dots are many short calls together. e gathers events",
	"  (. one, : several, # ten and more) and counters (0 least to 9 greatest).",
	"",
	"  ? help, Escape back, q quit",
	NULL,
};

/* ---- the text ---- */

static size_t help_lines(void)
{
	size_t count = 0;

	while (help[count])
		count++;
	return count;
}

size_t tl_pane_text_lines(const struct tl_browser *b)
{
	size_t size = 0, count = 0;
	const char *bytes;

	if (b->pane == TL_PANE_HELP)
		return help_lines();
	bytes = b->text ? tl_output_bytes(b->text, &size) : NULL;
	for (size_t i = 0; i < size; i++)
		count += bytes[i] == '\n';
	return count;
}

const char *tl_pane_text_line(struct tl_browser *b, size_t number)
{
	size_t size = 0, length;
	const char *bytes, *end;

	if (b->pane == TL_PANE_HELP)
		return number < help_lines() ? help[number] : "";
	bytes = b->text ? tl_output_bytes(b->text, &size) : NULL;
	for (; bytes && number; number--) {
		end = memchr(bytes, '\n', size);
		if (!end)
			return "";
		size -= (size_t)(end + 1 - bytes);
		bytes = end + 1;
	}
	end = bytes ? memchr(bytes, '\n', size) : NULL;
	length = end ? (size_t)(end - bytes) : 0;
	length = length < sizeof(b->line) - 1 ? length : sizeof(b->line) - 1;
	if (length)
		memcpy(b->line, bytes, length);
	b->line[length] = 0;
	return b->line;
}

void tl_pane_draw_text(struct tl_browser *b, struct tl_canvas *canvas, int row, int rows)
{
	tl_pane_scroll(b, (size_t)(rows > 0 ? rows : 1));
	for (int i = 0; i < rows; i++)
		tl_canvas_put(canvas, row + i, 0, canvas->columns, TL_STYLE_PLAIN,
			      tl_pane_text_line(b, b->top + (size_t)i));
	if (b->pane == TL_PANE_SOURCE)
		tl_canvas_paint(canvas, row + (int)(b->cursor - b->top), 0, canvas->columns,
				TL_STYLE_CURSOR);
}

/* ---- annotated source ---- */

/* A pattern that only matches a name as it is. */
static char *exactly(const char *name)
{
	char *pattern = malloc(2 * strlen(name) + 3), *p = pattern;

	if (!pattern)
		return NULL;
	*p++ = '^';
	for (; *name; name++) {
		if (strchr("\\^$.[|()*+?{", *name))
			*p++ = '\\';
		*p++ = *name;
	}
	*p++ = '$';
	*p = 0;
	return pattern;
}

/* The lines of the function's files, or its instructions. */
static int write_annotation(struct tl_browser *b, const struct tl_profile *of_function,
			    struct tl_error *err)
{
	const struct tl_report_options options = { .size = sizeof(options), .threshold = -1 };
	struct tl_annotate_options what = *b->options.annotate;
	struct tl_view_binaries binaries = { .list = NULL };
	int status = 0;

	what.assembly = b->assembly;
	if (what.assembly && b->options.opened) {
		if (!tl_view_binaries_open(&binaries, b->options.opened))
			status = tl_error_memory(err);
		what.binaries = binaries.list;
		what.binary_count = binaries.count;
		what.code = tl_view_code_of;
		what.code_arg = b->options.input;
		what.code_machine = tl_view_machine_of(b->options.input);
		what.binary = tl_view_binary_of;
	}
	if (status == 0)
		status = tl_report_annotate(of_function, &what, &options, b->text, err);
	tl_view_binaries_close(&binaries);
	return status;
}

static int write_source(struct tl_browser *b, char *pattern, struct tl_error *err)
{
	struct tl_profile_filter filter = { .size = sizeof(filter), .function = pattern };
	struct tl_profile *of_function;
	const struct tl_profile *lines =
		b->options.lines && !b->window ? b->options.lines : b->profile;
	int status = tl_profile_filtered(&of_function, lines, &filter, err);

	if (status == 0)
		status = tl_profile_choose(of_function, &filter, err);
	if (status == 0)
		status = write_annotation(b, of_function, err);
	tl_profile_free(of_function);
	return status;
}

bool tl_pane_make_source(struct tl_browser *b)
{
	struct tl_error err = { .text = "" };
	char *pattern;

	tl_output_discard(b->text);
	b->text = NULL;
	if (b->function == TL_NONE || !b->options.annotate)
		return true;
	pattern = exactly(tl_profile_function(b->profile, b->function)->name);
	if (!pattern || tl_output_open_memory(&b->text, &err) < 0) {
		free(pattern);
		return false;
	}
	if (write_source(b, pattern, &err) < 0)
		snprintf(b->message, sizeof(b->message), "%s", err.text);
	free(pattern);
	return err.status != TL_NO_MEMORY;
}

bool tl_pane_source_key(struct tl_browser *b, int key)
{
	if (key != 'a')
		return false;
	b->assembly = !b->assembly;
	b->no_memory |= !tl_pane_choose(b, TL_PANE_SOURCE);
	return true;
}
