/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_FUNCTION_CELL_H
#define TL_REPORT_FUNCTION_CELL_H
/* The last cell of a line of text: a function, and where it is. */
#include <stddef.h>
#include <stdint.h>

struct tl_output;

/*
 * `name <cycle>  file:line  [object]`; NULL, "" and 0: the function has none, or it is not shown.
 */
struct tl_function_cell {
	const char *name, *cycle, *file, *object;
	uint32_t line;
};

/*
 * Columns that a terminal of `width` columns (0: unbounded) has left for the last cell of a line.
 */
size_t tl_room_left(unsigned width, size_t used);

/*
 * The cell in at most `room` columns (TL_NAME_UNBOUNDED: whole). The name is shortened first; file
 * and object are left out where the name would have hardly any room.
 */
void tl_put_function_cell(struct tl_output *out, const struct tl_function_cell *cell, size_t room);

/* The last component of a path; the path itself if it ends with a slash. */
const char *tl_last_name(const char *path);

#endif
