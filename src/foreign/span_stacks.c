/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls over time as stacks: for files in which only some profiles have times. What passes between
 * two steps is a cost of the calls that are open.
 */
#include "core/error.h"
#include "foreign/foreign.h"

struct span_stacks {
	struct tl_foreign_stacks *stacks;
	uint32_t *path; /* nodes, from the part's root */
	size_t depth, capacity;
	uint32_t event;
	int64_t last;
	bool no_memory;
};

static void pass_time(struct span_stacks *s, int64_t ticks)
{
	if (!s->no_memory && s->depth > 1 && ticks > s->last &&
	    !tl_foreign_stacks_count(s->stacks, s->path[s->depth - 1], s->event, ticks - s->last))
		s->no_memory = true;
	s->last = ticks;
}

static void enter(void *arg, int64_t ticks, uint32_t frame)
{
	struct span_stacks *s = arg;
	uint32_t node = 0;

	pass_time(s, ticks);
	if (!s->no_memory)
		node = tl_foreign_stacks_child(s->stacks, s->path[s->depth - 1], frame);
	if (!node || !tl_grow(&s->path, &s->capacity, s->depth + 1, sizeof(*s->path))) {
		s->no_memory = true;
		return;
	}
	s->path[s->depth++] = node;
}

static void leave(void *arg, int64_t ticks, bool cut)
{
	struct span_stacks *s = arg;

	(void)cut;
	pass_time(s, ticks);
	if (s->depth > 1)
		s->depth--;
}

int tl_foreign_spans_as_stacks(struct tl_foreign_file *f, uint32_t thread, uint32_t part,
			       uint32_t event, struct tl_foreign_walk *met, struct tl_error *err)
{
	struct span_stacks s = { .stacks = &f->stacks, .event = event };
	const struct tl_foreign_visitor visitor = { enter, leave, NULL, NULL, &s };
	const uint32_t root = tl_foreign_stacks_child(&f->stacks, 0, part);

	if (!root || !tl_grow(&s.path, &s.capacity, 1, sizeof(*s.path)))
		s.no_memory = true;
	else
		s.path[s.depth++] = root;
	if (!s.no_memory && !tl_foreign_walk(&f->spans, thread, &visitor, met))
		s.no_memory = true;
	free(s.path);
	if (s.no_memory)
		return tl_error_memory(err);
	return 0;
}
