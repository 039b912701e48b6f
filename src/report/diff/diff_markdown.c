/* SPDX-License-Identifier: Apache-2.0 */
/* The table of differences as a Markdown table, as the comments of pull requests show them. */
#include "core/output.h"
#include "report/diff/diff_table.h"
#include "report/number_text.h"

static void put_row_name(const struct tl_diff_table *table, const struct tl_diff_row *row)
{
	if (tl_diff_by(table->diff) == TL_DIFF_ARCS) {
		tl_put_markdown_code(table->out, row->caller ? row->caller->name : "(outside)");
		tl_put_text(table->out, " → ");
	}
	tl_put_markdown_code(table->out, row->function->name);
	if (tl_diff_by(table->diff) != TL_DIFF_LINES)
		return;
	tl_put_char(table->out, ' ');
	tl_put_markdown_code(table->out, row->file);
	if (row->line)
		tl_put_format(table->out, ":%u", row->line);
}

static void put_cells(const struct tl_diff_table *table, const struct tl_diff_row *row)
{
	char text[TL_VALUE_ROOM];

	for (uint32_t i = 0; i < table->event_count; i++)
		for (int cell = 0; cell < TL_DIFF_CELLS; cell++) {
			size_t size = tl_diff_format_cell(table, row, table->events[i], cell, text);

			tl_put_char(table->out, ' ');
			tl_put_bytes(table->out, text, size);
			tl_put_text(table->out, " |");
		}
	tl_put_char(table->out, '\n');
}

static void put_titles(const struct tl_diff_table *table)
{
	static const char *const names[] = { "function", "call", "line" };
	struct tl_output *out = table->out;

	tl_put_text(out, "| ");
	tl_put_text(out, names[tl_diff_by(table->diff)]);
	tl_put_text(out, " |");
	for (uint32_t i = 0; i < table->event_count; i++) {
		tl_put_char(out, ' ');
		tl_put_name(out, tl_diff_event(table->diff, table->events[i])->name);
		tl_put_text(out, " before | after | change | % |");
	}
	tl_put_text(out, "\n|:--|");
	for (uint32_t i = 0; i < table->event_count; i++)
		tl_put_text(out, "--:|--:|--:|--:|");
	tl_put_char(out, '\n');
}

static void put_left_out(const struct tl_diff_table *table)
{
	size_t cut = table->count - table->shown;

	if (!cut && !table->unchanged && !table->below)
		return;
	tl_put_format(table->out,
		      "\n%zu more rows, %zu below the threshold, %zu without a change.\n", cut,
		      table->below, table->unchanged);
}

void tl_diff_put_markdown(const struct tl_diff_table *table)
{
	struct tl_diff_row total = tl_diff_total_row(table);

	put_titles(table);
	tl_put_text(table->out, "| **total** |");
	put_cells(table, &total);
	for (size_t i = 0; i < table->shown && !tl_output_failed(table->out); i++) {
		tl_put_text(table->out, "| ");
		put_row_name(table, &table->rows[i]);
		tl_put_text(table->out, " |");
		put_cells(table, &table->rows[i]);
	}
	put_left_out(table);
}
