/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_TREE_TREE_REPORT_H
#define TL_REPORT_TREE_TREE_REPORT_H
/* The kinds of the tree report: callers and callees of functions, call trees from either end. */
#include "report/view.h"

/* Callers, callees or both, from the arcs. */
int tl_tree_put_neighbours(const struct tl_view *view, enum tl_tree_kind kind,
			   struct tl_error *err);
/* All callers or callees of the chosen functions, whatever the number of calls between. */
int tl_tree_put_reach(const struct tl_view *view, enum tl_tree_kind kind, struct tl_error *err);
/* From the contexts. */
int tl_tree_put_top_down(const struct tl_view *view, struct tl_error *err);
int tl_tree_put_bottom_up(const struct tl_view *view, struct tl_error *err);

#endif
