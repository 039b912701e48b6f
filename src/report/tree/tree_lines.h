/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_TREE_TREE_LINES_H
#define TL_REPORT_TREE_TREE_LINES_H
/* The lines of both call trees, top-down and bottom-up. */
#include "report/view.h"

/* Deeper levels are not indented further, but show their depth as a number: with full indents the
 * output would grow with the square of the depth. */
enum { TL_TREE_INDENT = 60 };

/* Columns of the cells in front of a function: two costs, the share of one, calls. */
enum {
	TL_TREE_COST = 12,
	TL_TREE_SHARE = 8,
	TL_TREE_CALLS = 12,
	TL_TREE_CELLS = 2 * TL_TREE_COST + TL_TREE_SHARE + TL_TREE_CALLS
};

/* One node of a tree as it is written. Rows are numbered from 0 in the order of the output. */
struct tl_tree_line {
	uint32_t function;
	uint64_t parent; /* row, TL_NOWHERE: a root */
	uint32_t depth;
	uint64_t calls, unfinished;
	const int64_t *self, *inclusive; /* inclusive NULL: the tree has none */
};

void tl_tree_put_begin(const struct tl_view *view, bool inclusive);
void tl_tree_put_line(const struct tl_view *view, const struct tl_tree_line *line, bool first);
/* `hidden` nodes were below the threshold; `cut` ones were too deep. */
void tl_tree_put_end(const struct tl_view *view, uint64_t hidden, uint64_t cut);

/* A cost of the first event right-aligned, and its share of the total. */
void tl_tree_put_cost(const struct tl_view *view, int64_t cost);
void tl_tree_put_share(const struct tl_view *view, int64_t cost);
/* A function at the end of a line, and how many of its calls never ended; `used` columns before. */
void tl_tree_put_function(const struct tl_view *view, uint32_t function, size_t used,
			  uint64_t unfinished);

#endif
