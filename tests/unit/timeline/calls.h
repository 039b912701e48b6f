/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_TIMELINE_CALLS_H
#define TESTS_UNIT_TIMELINE_CALLS_H
/*
 * A source of random calls for tests, in leaves of random sizes, and the naive list of the same
 * calls: one stack, no leaves.
 */
#include "../unit.h"

#include <stdlib.h>

#include "timeline/calls/stream.h"

struct made_calls {
	unsigned seed;
	size_t steps, leaf; /* how many, and at most so many a leaf */
	bool whole_leaves;  /* of TL_LEAF_STEPS instead */
	uint32_t deepest;
	uint32_t swing; /* down and up in runs of so many: calls cross many leaves */
	struct tl_leaf_call *calls;
	size_t count, capacity;
	struct tl_step *all;
	size_t all_count, all_capacity;
	uint64_t end; /* of the trace, which is behind the last step */
};

static inline uint32_t draw(struct made_calls *m, uint32_t below)
{
	m->seed = m->seed * 1664525 + 1013904223;
	return (m->seed >> 8) % below;
}

/* The steps, and the calls by a stack of their own. */
static inline void make_calls(struct made_calls *m)
{
	size_t *open = calloc(m->deepest + 1, sizeof(*open)), depth = 0, down = 0;
	uint64_t now = 1000, before = 1000;

	for (size_t i = 0; i < m->steps; i++) {
		bool end = down ? false : depth > 0;

		now += draw(m, 4) * draw(m, 50);
		if (depth)
			m->calls[open[depth - 1]].self += now - before;
		before = now;
		if (depth == m->deepest)
			end = true;
		down = down ? down - 1 : draw(m, m->swing) < 2 || !depth ? draw(m, m->swing) : 0;
		assert_true(tl_grow(&m->all, &m->all_capacity, m->all_count + 1, sizeof(*m->all)));
		m->all[m->all_count++] = (struct tl_step){ .ticks = now, .end = end };
		if (end) {
			m->calls[open[--depth]].end = now;
			continue;
		}
		assert_true(tl_grow(&m->calls, &m->capacity, m->count + 1, sizeof(*m->calls)));
		m->all[m->all_count - 1].function = draw(m, 40);
		open[depth] = m->count;
		m->calls[m->count++] = (struct tl_leaf_call){
			.start = now,
			.end = TL_NOWHERE,
			.function = m->all[m->all_count - 1].function,
			.depth = (uint32_t)depth++,
		};
	}
	m->end = now + draw(m, 1000);
	if (depth)
		m->calls[open[depth - 1]].self += m->end - now;
	free(open);
}

static inline int build_made(void *handle, struct tl_call_tracks *tracks, struct tl_error *err)
{
	struct made_calls *m = handle;
	struct tl_call_track *track = tl_call_tracks_add(tracks, 1, 2);
	struct tl_leaf_builder builder;
	int status = track ? 0 : TL_NO_MEMORY;

	tl_leaf_builder_begin(&builder, tracks, track);
	for (size_t i = 0; status == 0 && i < m->all_count;) {
		size_t count = m->whole_leaves ? TL_LEAF_STEPS : 1 + draw(m, (uint32_t)m->leaf);
		struct tl_steps steps = { .list = m->all + i };

		steps.count = count < m->all_count - i ? count : m->all_count - i;
		status = tl_leaf_builder_add(&builder, &steps, NULL, err);
		i += steps.count;
	}
	if (status == 0)
		tl_leaf_builder_pass(&builder, m->end);
	if (status == 0)
		status = tl_leaf_builder_end(&builder, err);
	tl_leaf_builder_free(&builder);
	return status;
}

static inline int function_made(void *handle, uint32_t number, struct tl_call_function *function,
				struct tl_error *err)
{
	(void)handle, (void)err;
	*function = (struct tl_call_function){ .name = "f", .wanted = number % 3 != 0 };
	return 0;
}

static const struct tl_call_source_ops made_ops = {
	.build = build_made,
	.function = function_made,
};

static inline void free_made(struct made_calls *m)
{
	free(m->calls);
	free(m->all);
}

/* Shapes: shallow; deeper than frames are kept; long ways down and up. */
/* clang-format off */
static const struct made_calls made_shapes[] = {
	{ .seed = 1, .steps = 20000, .leaf = 30, .deepest = 9, .swing = 4 },
	{ .seed = 2, .steps = 30000, .leaf = 40, .deepest = 1000, .swing = 400 },
	{ .seed = 3, .steps = 30000, .leaf = 7, .deepest = 5000, .swing = 3000 },
	{ .seed = 4, .steps = 3000, .leaf = 1, .deepest = 200, .swing = 150 },
};
/* clang-format on */
enum { MADE_SHAPES = sizeof(made_shapes) / sizeof(made_shapes[0]) };

#endif
