/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_TREE_H
#define TL_REPORT_TREE_H
/* The parts of the tree report: neighbours of functions, and call trees from either end. */
#include "report/view.h"

/* Deeper levels are not indented further (the depth is printed instead), or output would grow with
 * its square. */
enum { TL_TREE_INDENT = 60 };

/* Callers, callees or both, from the arcs. */
int tl_tree_put_neighbours(const struct tl_view *view, enum tl_tree_kind kind,
			   struct tl_error *err);
/* From the contexts. */
int tl_tree_put_top_down(const struct tl_view *view, struct tl_error *err);
int tl_tree_put_bottom_up(const struct tl_view *view, struct tl_error *err);

/* The calling contexts of all parts together. */
struct tl_call_node {
	uint32_t parent; /* TL_NONE: a root; less than the node's own number */
	uint32_t function;
	uint64_t calls, unfinished;
};

struct tl_call_tree {
	struct tl_call_node *nodes;
	int64_t *costs; /* of a node: self, then inclusive, each with all events of the profile */
	uint32_t count, events;
};

int tl_call_tree_build(struct tl_call_tree *tree, const struct tl_profile *profile,
		       struct tl_error *err);
void tl_call_tree_free(struct tl_call_tree *tree);

static inline const int64_t *tl_call_tree_self(const struct tl_call_tree *tree, uint32_t node)
{
	return tree->costs + (size_t)node * 2 * tree->events;
}

static inline const int64_t *tl_call_tree_inclusive(const struct tl_call_tree *tree, uint32_t node)
{
	return tl_call_tree_self(tree, node) + tree->events;
}

/* ---- lines of both call trees ---- */

/* One node of a tree as it is printed. Rows are numbered from 0 in the order they are written. */
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

#endif
