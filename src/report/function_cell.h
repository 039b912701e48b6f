/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_FUNCTION_CELL_H
#define TL_REPORT_FUNCTION_CELL_H
/* The last cell of a line of text: a function, and where it is. */
#include <stddef.h>
#include <stdint.h>

struct tl_output;
struct tl_report_options;

/*
 * `name <cycle>  file:line  [object]`; NULL, "" and 0: the function has none, or it is not shown.
 */
struct tl_function_cell {
	const char *name, *cycle, *file, *object;
	uint32_t line;
};

/*
 * Columns that the terminal has left for the last cell of a line, or TL_NAME_ELIDED or
 * TL_NAME_UNBOUNDED where there is none.
 */
size_t tl_room_left(const struct tl_report_options *options, size_t used);

/*
 * The cell in at most `room` columns (as of tl_put_short_name()). The name is shortened first; file
 * and object are left out where the name would have hardly any room.
 */
void tl_put_function_cell(struct tl_output *out, const struct tl_function_cell *cell, size_t room);

/* The last component of a path; the path itself if it ends with a slash. */
const char *tl_last_name(const char *path);

#endif
