/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which frames live on behind a gap, found by the exits that follow it. The head of fold.h says by
 * which rule.
 */
#include <stdlib.h>

#include "profile/fold/fold.h"

/* The exits, the last one first; then, behind a mark, the open frames from the outermost on. */
struct matching {
	const struct tl_fold *fold;
	const uint32_t *exits;
	size_t count, depth;
	size_t *same; /* by place: how many functions from there on are those of the exits */
};

enum { MARK = 1 };

static uint32_t function_at(const struct matching *m, size_t place)
{
	if (place < m->count)
		return m->exits[m->count - 1 - place];
	if (place == m->count)
		return TL_NONE;
	return m->fold->frames[place - m->count - MARK + 1].function;
}

/* The Z function: linear, since no place before `right` is compared twice. */
static void measure(struct matching *m)
{
	size_t size = m->count + MARK + m->depth, left = 0, right = 0;

	for (size_t i = 1; i < size; i++) {
		size_t same = i < right ? m->same[i - left] : 0;

		if (i < right && same > right - i)
			same = right - i;
		while (i + same < size && function_at(m, same) == function_at(m, i + same))
			same++;
		m->same[i] = same;
		if (i + same > right) {
			left = i;
			right = i + same;
		}
	}
}

bool tl_fold_match_exits(struct tl_fold *fold, const uint32_t *exits, size_t count, bool to_end,
			 struct tl_fold_match *match)
{
	struct matching m = { fold, exits, count, tl_fold_depth(fold), NULL };

	*match = (struct tl_fold_match){ .kept = m.depth, .begun = count };
	if (!count || !m.depth)
		return true;
	m.same = malloc((count + MARK + m.depth) * sizeof(*m.same));
	if (!m.same) {
		fold->no_memory = true;
		return false;
	}
	measure(&m);
	for (size_t frame = 0, best = 0; frame < m.depth; frame++) {
		size_t same = m.same[count + MARK + frame];

		if (!same || same < best || (same == best && to_end))
			continue;
		best = same;
		match->kept = frame + same;
		match->begun = count - same;
	}
	free(m.same);
	return true;
}

bool tl_fold_fits(const struct tl_fold *fold, const uint32_t *exits, size_t count)
{
	size_t depth = tl_fold_depth(fold);

	if (count > depth)
		return false;
	for (size_t i = 0; i < count; i++)
		if (fold->frames[depth - i].function != exits[i])
			return false;
	return true;
}

void tl_fold_gap_begin(struct tl_fold *fold, const struct tl_fold_match *match, uint32_t lost)
{
	while (tl_fold_depth(fold) > match->kept) {
		tl_fold_cut(fold, false);
		fold->losses.gap_ends++;
	}
	fold->losses.bridged += match->kept;
	tl_fold_enter_late(fold, lost);
}

void tl_fold_gap_end(struct tl_fold *fold, const uint32_t *exits, size_t begun)
{
	tl_fold_cut(fold, false);
	for (size_t i = begun; i-- > 0;)
		tl_fold_enter_late(fold, exits[i]);
}
