/* SPDX-License-Identifier: Apache-2.0 */
#include "report/function_cell.h"

#include <stdbool.h>
#include <string.h>
#include <tracelathe/report.h>

#include "core/output.h"
#include "report/name_text.h"
#include "report/number_text.h"

enum {
	NAME_WITH_PLACE = 24, /* columns that a name has at least before file and object go */
	NAME_ALONE = 12, /* columns that a name has at least, though the line is then too long */
};

const char *tl_last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash || !slash[1])
		return path;
	return slash + 1;
}

size_t tl_room_left(const struct tl_report_options *options, size_t used)
{
	if (!options->width)
		return options->short_names ? TL_NAME_ELIDED : TL_NAME_UNBOUNDED;
	if (used + NAME_ALONE > options->width)
		return NAME_ALONE;
	return options->width - used;
}

static bool given(const char *text)
{
	return text && *text;
}

/* "[vdso]", "[kernel.kallsyms]": such objects have brackets of their own. */
static bool in_brackets(const char *object)
{
	return object[0] == '[';
}

static size_t place_columns(const struct tl_function_cell *cell)
{
	char digits[TL_VALUE_ROOM];
	size_t columns = 0;

	if (given(cell->file))
		columns += strlen("  ") + tl_name_columns(tl_last_name(cell->file));
	if (given(cell->file) && cell->line)
		columns += strlen(":") + (size_t)(tl_format_u64(digits, cell->line) - digits);
	if (given(cell->object))
		columns += strlen(in_brackets(tl_last_name(cell->object)) ? "  " : "  []") +
			   tl_name_columns(tl_last_name(cell->object));
	return columns;
}

static void put_place(struct tl_output *out, const struct tl_function_cell *cell)
{
	if (given(cell->file)) {
		tl_put_text(out, "  ");
		tl_put_name(out, tl_last_name(cell->file));
		if (cell->line)
			tl_put_format(out, ":%u", cell->line);
	}
	if (given(cell->object)) {
		const char *object = tl_last_name(cell->object);

		tl_put_text(out, in_brackets(object) ? "  " : "  [");
		tl_put_name(out, object);
		tl_put_text(out, in_brackets(object) ? "" : "]");
	}
}

void tl_put_function_cell(struct tl_output *out, const struct tl_function_cell *cell, size_t room)
{
	size_t place = place_columns(cell), name = tl_name_columns(cell->name), cycle = 0;
	bool placed = true;

	if (given(cell->cycle))
		cycle = strlen(" ") + strlen(cell->cycle);
	if (room != TL_NAME_UNBOUNDED && room != TL_NAME_ELIDED) {
		size_t most = room > cycle + NAME_ALONE ? room - cycle : NAME_ALONE;

		placed = name + place <= most || NAME_WITH_PLACE + place <= most;
		room = placed ? most - place : most;
	}
	tl_put_short_name(out, cell->name, room);
	if (cycle) {
		tl_put_char(out, ' ');
		tl_put_text(out, cell->cycle);
	}
	if (placed)
		put_place(out, cell);
}
