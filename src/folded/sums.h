/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_FOLDED_SUMS_H
#define TL_FOLDED_SUMS_H
/*
 * Sums of functions without a tree of stacks, for a table of functions: the cost of a line is added
 * to its innermost frame, and what a frame has gathered is handed to the frame around it when the
 * path leaves it. A line thus costs the frames in which it differs from the line before.
 */
#include "folded/path.h"

/* A frame of the path. */
struct tl_folded_level {
	int64_t cost[2]; /* by event: of the lines since the frame is on the path */
	bool outermost;  /* of those of its function */
};

struct tl_folded_sums {
	struct tl_foreign_stacks *stacks; /* flat */
	struct tl_folded_level *levels;   /* of the frames that are on the path */
	size_t count, capacity;
	uint32_t *active; /* by frame: how often it is on the path */
	size_t active_capacity;
};

void tl_folded_sums_free(struct tl_folded_sums *sums);

/* Take frames off until `count` are on the path. False without memory. */
bool tl_folded_sums_leave(struct tl_folded_sums *sums, const struct tl_folded_path *path,
			  size_t count);
/* Put those on that a path has beyond them. False without memory. */
bool tl_folded_sums_enter(struct tl_folded_sums *sums, const struct tl_folded_path *path);
/* A cost of the path's innermost frame. False without memory. */
bool tl_folded_sums_count(struct tl_folded_sums *sums, const struct tl_folded_path *path,
			  uint32_t event, int64_t cost);

#endif
