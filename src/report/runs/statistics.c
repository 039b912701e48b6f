/* SPDX-License-Identifier: Apache-2.0 */
#include "report/runs/statistics.h"

#include <math.h>
#include <string.h>

#include <tracelathe/profile.h>

#include "core/arithmetic.h"
#include "core/output.h"
#include "report/number_text.h"

/* ---- text ---- */

void tl_put_statistics_text(struct tl_output *out, const struct tl_statistics_text *text,
			    const void *table, size_t rows)
{
	size_t widths[TL_STATISTICS_COLUMNS], used = 0;
	char cell[TL_VALUE_ROOM];

	for (int column = 0; column < TL_STATISTICS_COLUMNS; column++) {
		const char *title = text->titles[column];

		widths[column] = strlen(title);
		for (size_t i = 0; i < rows; i++) {
			const size_t size = text->cell(table, i, column, cell);

			widths[column] = tl_max(widths[column], size);
		}
		tl_put_right(out, title, strlen(title), widths[column]);
		tl_put_text(out, "  ");
		used += widths[column] + strlen("  ");
	}
	tl_put_text(out, "function\n");
	for (size_t i = 0; i < rows; i++) {
		for (int column = 0; column < TL_STATISTICS_COLUMNS; column++) {
			tl_put_right(out, cell, text->cell(table, i, column, cell), widths[column]);
			tl_put_text(out, "  ");
		}
		text->put_name(table, i, used);
		tl_put_char(out, '\n');
	}
}

size_t tl_format_statistic(char *text, double cost, uint64_t rate, bool seconds)
{
	return tl_format_cost(text, llround(fmax(fmin(cost, 9e18), -9e18)), rate, seconds);
}

/* ---- CSV and JSON ---- */

void tl_put_statistics_head(struct tl_output *out, const struct tl_statistic *list, size_t count)
{
	tl_put_text(out, "function,object,file");
	for (size_t i = 0; i < count; i++)
		tl_put_format(out, ",%s", list[i].name);
}

void tl_put_statistics_csv(struct tl_output *out, const struct tl_function *function,
			   const struct tl_statistic *list, size_t count)
{
	tl_put_csv(out, function ? function->name : "(total)");
	tl_put_char(out, ',');
	tl_put_csv(out, function ? function->object : "");
	tl_put_char(out, ',');
	tl_put_csv(out, function ? function->file : "");
	for (size_t i = 0; i < count; i++) {
		tl_put_char(out, ',');
		if (!isnan(list[i].value))
			tl_put_double(out, list[i].value);
	}
}

void tl_put_statistics_json(struct tl_output *out, const struct tl_statistic *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		tl_put_format(out, ",\"%s\":", list[i].name);
		if (isfinite(list[i].value))
			tl_put_double(out, list[i].value);
		else
			tl_put_text(out, "null");
	}
}

void tl_put_json_pair(struct tl_output *out, const char *key, const char *text)
{
	tl_put_format(out, "\"%s\":", key);
	tl_put_json(out, text, strlen(text));
}

void tl_put_json_function(struct tl_output *out, const struct tl_function *function)
{
	tl_put_json_pair(out, "function", function->name);
	tl_put_char(out, ',');
	tl_put_json_pair(out, "object", function->object);
	tl_put_char(out, ',');
	tl_put_json_pair(out, "file", function->file);
}
