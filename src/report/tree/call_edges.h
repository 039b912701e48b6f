/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_TREE_CALL_EDGES_H
#define TL_REPORT_TREE_CALL_EDGES_H
/* Call edges: the arcs of all positions and parts together, listed by caller and by callee. */
#include "report/view.h"

struct tl_call_edge {
	uint32_t caller, callee; /* caller TL_NONE: from outside */
	uint64_t calls;
	int64_t *cost; /* all events of the profile, inclusive */
};

struct tl_call_edges {
	struct tl_call_edge *edges;
	int64_t *costs;
	uint32_t *by_caller, *by_callee; /* numbers of edges: by function, then heaviest first */
	uint32_t count;
};

/* The edges of one function in one of the lists. */
struct tl_call_edge_range {
	const struct tl_call_edges *edges;
	const uint32_t *first, *end;
};

/* Calls among functions; with `cycles`, the calls from outside into a cycle and out of it. */
int tl_call_edges_build(struct tl_call_edges *edges, const struct tl_view *view, bool cycles,
			struct tl_error *err);
void tl_call_edges_free(struct tl_call_edges *edges);
struct tl_call_edge_range tl_call_edges_of_caller(const struct tl_call_edges *edges,
						  uint32_t function);
struct tl_call_edge_range tl_call_edges_of_callee(const struct tl_call_edges *edges,
						  uint32_t function);

#endif
