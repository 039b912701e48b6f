/* SPDX-License-Identifier: Apache-2.0 */
#include "pprof/profile/stacks.h"

#include <string.h>

#include "profile/model/model.h"
#include "core/arithmetic.h"

bool tl_pprof_stacks_begin(struct tl_pprof_stacks *stacks, size_t width)
{
	*stacks = (struct tl_pprof_stacks){ .width = width, .cost_count = 1 };
	return tl_path_tree_begin(&stacks->tree);
}

void tl_pprof_stacks_free(struct tl_pprof_stacks *stacks)
{
	tl_path_tree_free(&stacks->tree);
	free(stacks->rows);
	free(stacks->costs);
	free(stacks->path.levels);
	free(stacks->path.steps);
	*stacks = (struct tl_pprof_stacks){ .rows = NULL };
}

uint32_t tl_pprof_stacks_root(struct tl_pprof_stacks *stacks, uint32_t thread)
{
	return tl_path_tree_child(&stacks->tree, 0, thread);
}

/* ---- paths ---- */

/* Samples in a row often have callers in common, whose nodes are not looked up again. */
size_t tl_pprof_stacks_keep(struct tl_pprof_stacks *s, uint32_t root, const uint32_t *locations,
			    size_t count, size_t common)
{
	struct tl_pprof_path *path = &s->path;
	const size_t most = path->root == root ? tl_min(count, path->level_count) : 0;
	size_t kept = tl_min(common, most);

	while (kept < most && path->levels[kept].location == locations[count - 1 - kept])
		kept++;
	path->root = root;
	path->level_count = kept;
	path->step_count = path->known = kept ? path->levels[kept - 1].end : 0;
	return kept;
}

bool tl_pprof_stacks_enter(struct tl_pprof_stacks *s, uint32_t location)
{
	struct tl_pprof_path *path = &s->path;

	if (!tl_grow(&path->levels, &path->level_capacity, path->level_count + 1,
		     sizeof(*path->levels)))
		return false;
	path->levels[path->level_count++] =
		(struct tl_pprof_level){ location, (uint32_t)path->step_count };
	return true;
}

bool tl_pprof_stacks_push(struct tl_pprof_stacks *s, uint32_t key)
{
	struct tl_pprof_path *path = &s->path;

	if (path->step_count >= UINT32_MAX || !tl_grow(&path->steps, &path->step_capacity,
						       path->step_count + 1, sizeof(*path->steps)))
		return false;
	path->steps[path->step_count++].key = key;
	path->levels[path->level_count - 1].end = (uint32_t)path->step_count;
	return true;
}

/* ---- values ---- */

/* The row of a node, made if it has none; 0 without memory. */
static uint32_t row_of(struct tl_pprof_stacks *s, uint32_t node)
{
	const size_t had = s->row_capacity;

	if (!tl_grow(&s->rows, &s->row_capacity, (size_t)node + 1, sizeof(*s->rows)))
		return 0;
	if (s->row_capacity > had)
		memset(s->rows + had, 0, (s->row_capacity - had) * sizeof(*s->rows));
	if (s->rows[node])
		return s->rows[node];
	if (s->cost_count >= UINT32_MAX ||
	    !tl_grow(&s->costs, &s->cost_capacity, s->cost_count + 1, s->width * sizeof(*s->costs)))
		return 0;
	memset(s->costs + s->cost_count * s->width, 0, s->width * sizeof(*s->costs));
	s->rows[node] = (uint32_t)s->cost_count++;
	return s->rows[node];
}

bool tl_pprof_stacks_count(struct tl_pprof_stacks *s, const int64_t *values)
{
	struct tl_pprof_path *path = &s->path;
	const size_t known = path->known, count = path->step_count, levels = path->level_count;
	const uint32_t from = known ? path->steps[known - 1].node : path->root;
	uint32_t row;
	int64_t *to;

	/* Without all its nodes a stack has nothing in common with the next one. */
	path->level_count = 0;
	if (!tl_path_tree_follow(&s->tree, from, path->steps + known, count - known))
		return false;
	path->level_count = levels;
	row = row_of(s, count ? path->steps[count - 1].node : path->root);
	if (!row)
		return false;
	to = s->costs + row * s->width;
	for (size_t i = 0; i < s->width; i++)
		tl_add_cost(&to[i], values[i], &s->saturated);
	return true;
}

bool tl_pprof_stacks_add(struct tl_pprof_stacks *s, uint32_t root, const uint32_t *locations,
			 size_t count, size_t common, const int64_t *values)
{
	for (size_t i = tl_pprof_stacks_keep(s, root, locations, count, common); i < count; i++) {
		const uint32_t location = locations[count - 1 - i];

		if (!tl_pprof_stacks_enter(s, location) || !tl_pprof_stacks_push(s, location))
			return false;
	}
	return tl_pprof_stacks_count(s, values);
}
