/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and the frame around the panes: a title, the columns' names, a line of what can be done. */
#include "view/terminal/browser.h"

#include <stdio.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/text/optional.h"
#include "view/terminal/panes.h"

/* ---- begin and end ---- */

/* Remarks are no damage. */
static bool is_damaged(struct tl_input *input)
{
	struct tl_damage place;
	uint64_t count = input ? tl_input_damage_count(input, NULL) : 0;

	for (size_t i = 0; i < count && tl_input_damage(input, i, &place, sizeof(place)) == 1; i++)
		if (place.status != TL_OK)
			return true;
	return false;
}

int tl_browser_open(struct tl_browser **browser, const struct tl_profile *profile,
		    const struct tl_browser_options *options, struct tl_error *err)
{
	struct tl_browser *b = calloc(1, sizeof(*b));

	*browser = b;
	if (!b)
		return tl_error_memory(err);
	b->whole = profile;
	b->profile = profile;
	b->options = *options;
	b->function = b->searched = TL_NONE;
	b->damaged = is_damaged(options->input);
	b->list.event = tl_profile_shown_event(profile, 0);
	if (!tl_pane_choose(b, TL_PANE_FUNCTIONS)) {
		tl_browser_close(b);
		*browser = NULL;
		return tl_error_memory(err);
	}
	return 0;
}

void tl_browser_close(struct tl_browser *browser)
{
	if (!browser)
		return;
	tl_list_free(&browser->list);
	tl_call_search_end(&browser->calls);
	tl_output_discard(browser->text);
	tl_lanes_end(&browser->lanes);
	tl_call_index_close(browser->index);
	tl_profile_free(browser->window);
	free(browser);
}

/* ---- searching ---- */

static void find(struct tl_browser *b, bool again)
{
	size_t count = tl_pane_rows(b);

	for (size_t i = again; i < count + again; i++) {
		size_t row = count ? (b->cursor + i) % count : 0;

		if (strcasestr(tl_pane_row_text(b, row), b->pattern)) {
			b->cursor = row;
			return;
		}
	}
	snprintf(b->message, sizeof(b->message), "not found: %s", b->pattern);
}

/* A key of the line in which a pattern is typed. */
static void type_key(struct tl_browser *b, int key)
{
	size_t size = strlen(b->pattern);

	if (key == TL_KEY_ENTER || key == TL_KEY_ESCAPE) {
		b->typing = false;
		if (key == TL_KEY_ENTER && size)
			find(b, false);
	} else if (key == TL_KEY_BACKSPACE) {
		while (size && (b->pattern[--size] & 0xc0) == 0x80)
			;
		b->pattern[size] = 0;
	} else if (key >= ' ' && key < 0x7f && size + 1 < sizeof(b->pattern)) {
		b->pattern[size] = (char)key;
		b->pattern[size + 1] = 0;
	}
}

/* ---- keys ---- */

static void move_to(struct tl_browser *b, size_t row)
{
	size_t count = tl_pane_rows(b);

	b->cursor = 0;
	if (count)
		b->cursor = tl_min(row, count - 1);
}

static bool move_key(struct tl_browser *b, int key)
{
	size_t page = b->page ? b->page : 1;

	switch (key) {
	case TL_KEY_UP:
	case 'k':
		move_to(b, b->cursor ? b->cursor - 1 : 0);
		return true;
	case TL_KEY_DOWN:
	case 'j':
		move_to(b, b->cursor + 1);
		return true;
	case TL_KEY_PAGE_UP:
		move_to(b, tl_excess(b->cursor, page));
		return true;
	case TL_KEY_PAGE_DOWN:
		move_to(b, b->cursor + page);
		return true;
	case TL_KEY_HOME:
	case 'g':
		move_to(b, 0);
		return true;
	case TL_KEY_END:
	case 'G':
		move_to(b, SIZE_MAX);
		return true;
	default:
		return false;
	}
}

/* What is the same in all panes. */
static void common_key(struct tl_browser *b, int key)
{
	if (key >= '1' && key < '1' + TL_PANE_HELP) {
		b->no_memory |= !tl_pane_choose(b, (enum tl_pane)(key - '1'));
	} else if (key == '?') {
		b->before_help = b->pane == TL_PANE_HELP ? b->before_help : b->pane;
		b->no_memory |= !tl_pane_choose(b, TL_PANE_HELP);
	} else if (key == TL_KEY_ESCAPE && b->pane == TL_PANE_HELP) {
		b->no_memory |= !tl_pane_choose(b, b->before_help);
	} else if (key == '/') {
		b->typing = true;
		b->pattern[0] = 0;
	} else if (key == 'n' && *b->pattern) {
		find(b, true);
	} else if (key == 'e') {
		b->list.event = (b->list.event + 1) % tl_profile_event_count(b->profile);
		b->no_memory |= !tl_pane_choose(b, b->pane);
	} else if (key == 'w') {
		tl_pane_leave_window(b);
	}
}

bool tl_browser_key(struct tl_browser *browser, int key)
{
	browser->message[0] = 0;
	if (browser->typing)
		type_key(browser, key);
	else if (key == 'q')
		return false;
	else if (!tl_pane_key(browser, key) && !move_key(browser, key))
		common_key(browser, key);
	return true;
}

/* ---- the frame ---- */

enum { LEAST_NAME = 12 };

/* On a screen that has room for it: some letters of a name tell nothing. */
static void put_file_name(const struct tl_browser *b, struct tl_canvas *canvas, int column)
{
	const char *title = b->options.title, *slash = title ? strrchr(title, '/') : NULL;
	const char *name = slash && slash[1] ? slash + 1 : title;
	int room = canvas->columns - column;

	if (name && (room >= LEAST_NAME || room >= (int)strlen(name)))
		tl_canvas_put_name(canvas, 0, column, room, TL_STYLE_DIM, name);
}

static void draw_title(const struct tl_browser *b, struct tl_canvas *canvas)
{
	static const char *const names[] = {
		[TL_PANE_FUNCTIONS] = "1 functions", [TL_PANE_TOP_DOWN] = "2 top-down",
		[TL_PANE_BOTTOM_UP] = "3 bottom-up", [TL_PANE_CALLERS] = "4 callers",
		[TL_PANE_CALLS] = "5 calls",         [TL_PANE_TIMELINE] = "6 timeline",
		[TL_PANE_SOURCE] = "7 source",
	};
	int column = 0;

	for (int i = 0; i < TL_PANE_HELP; i++)
		column += 1 + tl_canvas_put(canvas, 0, column, canvas->columns - column,
					    i == (int)b->pane ? TL_STYLE_CURSOR : TL_STYLE_TITLE,
					    i == TL_PANE_SOURCE && b->assembly ? "7 assembly"
									       : names[i]);
	put_file_name(b, canvas, column + 1);
}

/* The first file that has changed since it was opened; NULL: none. */
static const char *find_change(const struct tl_view_stamps *stamps)
{
	const char *change = NULL;

	for (size_t i = 0; stamps && !change && i < stamps->count; i++)
		change = tl_view_stamps_change(stamps, i);
	return change;
}

/* As many hints as have room as a whole; two blanks are between them. */
static void add_hints(char *line, size_t size, size_t columns, const char *hints)
{
	size_t used = strlen(line), room = tl_min(size - 1, columns), length = strlen(hints);

	room = tl_excess(room, used);
	if (length > room) {
		length = 0;
		for (const char *end = strstr(hints, "  "); end && (size_t)(end - hints) <= room;
		     end = strstr(end + 2, "  "))
			length = (size_t)(end - hints);
	}
	memcpy(line + used, hints, length);
	line[used + length] = 0;
}

static void draw_foot(const struct tl_browser *b, struct tl_canvas *canvas)
{
	const char *change = find_change(b->options.stamps);
	int row = canvas->rows - 1;
	char line[200];

	if (b->typing)
		snprintf(line, sizeof(line), "/%s_", b->pattern);
	else if (*b->message)
		snprintf(line, sizeof(line), "%s", b->message);
	else
		snprintf(line, sizeof(line), "%s%s%s%s%s%s%s", tl_text_if(change, "[input "),
			 tl_text_if(change, change), tl_text_if(change, "] "),
			 tl_text_if(b->damaged, "[input damaged] "),
			 tl_text_if(tl_profile_estimated(b->profile), "[stacks estimated] "),
			 tl_text_if(tl_profile_emulated(b->whole), "[times of an emulator] "),
			 tl_text_if(b->window, "[window: w ends it] "));
	if (!b->typing && !*b->message)
		add_hints(line, sizeof(line), (size_t)canvas->columns, tl_pane_hint(b));
	tl_canvas_put(canvas, row, 0, canvas->columns, *b->message ? TL_STYLE_WARN : TL_STYLE_DIM,
		      line);
}

bool tl_browser_is_slow(const struct tl_browser *browser)
{
	return (browser->pane == TL_PANE_TIMELINE || browser->pane == TL_PANE_CALLS) &&
	       !browser->index && browser->options.input && !browser->no_index;
}

bool tl_browser_draw(struct tl_browser *browser, struct tl_canvas *canvas)
{
	int rows = canvas->rows - 3;

	browser->page = rows > 1 ? (size_t)rows - 1 : 1;
	tl_pane_draw(browser, canvas, 1, canvas->rows - 2);
	draw_title(browser, canvas);
	if (browser->no_memory)
		snprintf(browser->message, sizeof(browser->message), "out of memory");
	browser->no_memory = false;
	draw_foot(browser, canvas);
	return !canvas->no_memory;
}
