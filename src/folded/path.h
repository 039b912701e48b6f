/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_FOLDED_PATH_H
#define TL_FOLDED_PATH_H
/*
 * The stack of the present line. Files are sorted more often than not, so a line begins where the
 * path of the line before it goes on being the same: the frames up to there are known.
 */
#include "folded/frames.h"

struct tl_folded_path {
	struct tl_folded_frames frames;
	uint8_t *text; /* the stack */
	size_t size, capacity;
	/* Its frames: where each ends in the text, at a ';' or its end, and its number as key. */
	size_t *ends;
	struct tl_path_step *steps;
	size_t count, end_capacity, step_capacity;
};

void tl_folded_path_free(struct tl_folded_path *path);

/*
 * How many frames of the path a stack begins with: those behind are to be taken off then. The
 * stack's bytes that are the same are `*common`.
 */
size_t tl_folded_path_known(const struct tl_folded_path *path, const uint8_t *stack, size_t size,
			    size_t *common);

/*
 * Make a stack, behind which TL_FOLDED_SLACK bytes can be read, the path: its first `known` frames
 * and `common` bytes are those that it has. False without memory; the path is empty then.
 */
bool tl_folded_path_take(struct tl_folded_path *path, const uint8_t *stack, size_t size,
			 size_t known, size_t common);

#endif
