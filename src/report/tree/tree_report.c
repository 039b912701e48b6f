/* SPDX-License-Identifier: Apache-2.0 */
/* The tree report: the dispatch to its kinds. */
#include "report/tree/tree_report.h"

#include "core/error.h"

static int put_tree(const struct tl_view *view, enum tl_tree_kind kind, struct tl_error *err)
{
	switch (kind) {
	case TL_TREE_CALLERS:
	case TL_TREE_CALLEES:
	case TL_TREE_BOTH:
		return tl_tree_put_neighbours(view, kind, err);
	case TL_TREE_TOP_DOWN:
		return tl_tree_put_top_down(view, err);
	case TL_TREE_BOTTOM_UP:
		return tl_tree_put_bottom_up(view, err);
	case TL_TREE_ALL_CALLERS:
	case TL_TREE_ALL_CALLEES:
		return tl_tree_put_reach(view, kind, err);
	}
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no such kind of tree");
}

int tl_report_tree(const struct tl_profile *profile, enum tl_tree_kind kind,
		   const struct tl_report_options *options, struct tl_output *out,
		   struct tl_error *err)
{
	struct tl_view view;
	int status = tl_view_open(&view, profile, options, out, err);

	if (status == TL_OK)
		status = put_tree(&view, kind, err);
	tl_view_close(&view);
	return status;
}
