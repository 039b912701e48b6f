/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One annotated file as text: each line with its cost, below it its calls and jumps. Lines far from
 * any cost are left out.
 */
#include "core/output.h"
#include "report/annotate/annotation.h"
#include "report/annotate/source_file.h"
#include "report/number_text.h"

struct page {
	const struct tl_annotation *a;
	const struct tl_note_group *group;
	const struct tl_source_file *text;
	struct tl_note_layout layout;
	uint64_t shown; /* the last line that was written */
};

/* ---- lines ---- */

static void put_place(const struct page *page, uint64_t line)
{
	char text[TL_VALUE_ROOM];
	size_t length = 1;

	text[0] = '?';
	if (line)
		length = (size_t)(tl_format_u64(text, line) - text);
	tl_put_right(page->a->view.out, text, length, page->layout.place);
}

static void put_text(const struct page *page, uint64_t line)
{
	struct tl_output *out = page->a->view.out;
	size_t size = 0;
	const char *text = tl_source_file_line(page->text, line, &size);

	if (!line)
		tl_put_text(out, "  (line unknown)");
	else if (!text && page->text->path)
		tl_put_text(out, "  (past the end of the file)");
	else if (size)
		tl_put_text(out, "  ");
	if (text)
		tl_put_source_line(out, text, size);
}

static const int64_t *no_cost(const struct page *page)
{
	memset(page->a->row, 0,
	       tl_profile_event_count(page->a->view.profile) * sizeof(*page->a->row));
	return page->a->row;
}

static void put_line(const struct page *page, uint64_t line, const int64_t *cost)
{
	const char *color = tl_view_color(&page->a->view, cost[page->a->view.events[0]]);
	struct tl_output *out = page->a->view.out;

	if (color)
		tl_put_text(out, color);
	tl_note_put_costs(page->a, &page->layout, cost);
	put_place(page, line);
	put_text(page, line);
	if (color)
		tl_put_text(out, TL_COLOR_END);
	tl_put_char(out, '\n');
}

static void put_jump(const struct page *page, const struct tl_remark *remark)
{
	struct tl_output *out = page->a->view.out;

	tl_note_put_costs(page->a, &page->layout, NULL);
	tl_put_blanks(out, page->layout.place);
	tl_put_text(out, remark->to.line > remark->at ? "    v jump to " : "    ^ jump to ");
	if (*remark->to.file && strcmp(remark->to.file, page->group->owner.file) != 0) {
		tl_put_name(out, remark->to.file);
		tl_put_char(out, ':');
	} else {
		tl_put_text(out, "line ");
	}
	tl_put_u64(out, remark->to.line);
	tl_put_text(out, "  (");
	if (remark->conditional) {
		tl_put_count(out, remark->taken);
		tl_put_text(out, " of ");
	}
	tl_put_count(out, remark->count);
	tl_put_text(out, " time");
	tl_put_plural(out, remark->count);
	tl_put_text(out, ")\n");
}

/* ---- the page ---- */

/*
 * The lines before `line`, which has a cost: those near the last line with a cost, and those near
 * this one.
 */
static void put_between(struct page *page, uint64_t line)
{
	uint64_t context = (uint64_t)page->a->what.context, from = page->shown + 1, gap;

	if (!page->text->path || !line)
		return;
	gap = 1;
	if (line > context)
		gap = line - context;
	if (page->shown && gap > page->shown + context + 1) {
		for (; from <= page->shown + context && from <= page->text->lines; from++)
			put_line(page, from, no_cost(page));
		tl_put_text(page->a->view.out, "...\n");
	}
	if (gap > from)
		from = gap;
	for (; from < line && from <= page->text->lines; from++)
		put_line(page, from, no_cost(page));
}

static void put_after(struct page *page)
{
	uint64_t end = page->shown + (uint64_t)page->a->what.context;

	for (uint64_t line = page->shown + 1;
	     page->text->path && line <= end && line <= page->text->lines; line++)
		put_line(page, line, no_cost(page));
}

/* Each line with its cost, then its calls and jumps. */
static void put_remarks(struct page *page)
{
	bool begun = false;

	for (size_t at = page->group->first;
	     at < page->group->end && !tl_output_failed(page->a->view.out);) {
		struct tl_remark remark;
		uint64_t line = page->a->notes[at].at;

		if (!begun || line != page->shown) {
			put_between(page, line);
			if (page->a->notes[at].kind != TL_NOTE_SELF)
				put_line(page, line, no_cost(page));
			page->shown = line;
			begun = true;
		}
		at = tl_remark_take(page->a, page->group, at, &remark);
		if (remark.kind == TL_NOTE_SELF)
			put_line(page, line, remark.cost);
		else if (remark.kind == TL_NOTE_CALL)
			tl_note_put_call(page->a, &page->layout, page->layout.place, &remark);
		else
			put_jump(page, &remark);
	}
}

static void put_title(const struct page *page)
{
	struct tl_output *out = page->a->view.out;
	const char *recorded = page->group->owner.file;

	tl_put_name(out, recorded);
	if (!page->text->path) {
		tl_put_text(out, "  (could not be read)");
	} else if (strcmp(recorded, page->text->path) != 0) {
		tl_put_text(out, "  (");
		tl_put_name(out, page->text->path);
		tl_put_char(out, ')');
	}
	tl_put_char(out, '\n');
	tl_note_put_sums(page->a, tl_group_cost(page->a, page->group), 0);
	tl_put_text(out, "\n\n");
}

bool tl_annotate_put_file(const struct tl_annotation *a, const struct tl_note_group *group,
			  const struct tl_source_file *text)
{
	struct page page = { .a = a, .group = group, .text = text };
	bool ok = tl_note_layout_make(&page.layout, a, group, 10);

	if (ok) {
		put_title(&page);
		tl_note_put_heads(a, &page.layout, "line");
		put_remarks(&page);
		put_after(&page);
		tl_put_char(a->view.out, '\n');
	}
	tl_note_layout_free(&page.layout);
	return ok;
}
