/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sums of a window: as in window.c, but through the flat fold, as contexts can be as many as
 * calls. Whole tiles of a table are not decoded again: their sums are kept (tile_sums.h).
 */
#include "open/window/sums.h"

#include "core/error.h"
#include "open/format.h"
#include "open/input.h"
#include "open/window/tile_sums.h"

struct window_sums {
	struct tl_sums *sums;
	struct tl_input *input;
	const struct tl_call_index *index;
	struct tl_profile *profile;
	struct tl_sum_cache *tiles; /* NULL: every leaf is decoded */
};

/* The leaves of a tile that begins with `leaf`, or the leaf alone. 0 or negative. */
static int fold_next(struct window_sums *w, const struct tl_call_track *track, size_t *leaf,
		     struct tl_error *err)
{
	size_t passed = 0;
	int status = 0;

	if (w->tiles)
		status = tl_sum_cache_pass(w->tiles, w->sums, w->input, track, *leaf, &passed, err);
	if (status == 0 && !passed) {
		status = tl_sums_fold_leaf(w->sums, track, *leaf, err);
		passed = 1;
	}
	*leaf += passed;
	if (status < 0)
		return status;
	return tl_call_span_progress(w->input, *leaf - 1, track->leaf_count, err);
}

static int fold_track(struct window_sums *w, const struct tl_call_track *track,
		      struct tl_error *err)
{
	const struct tl_part part = tl_window_part(track);
	struct tl_sums *s = w->sums;
	size_t leaf = tl_leaf_before(track, s->span.from);
	int status = tl_sums_open_calls(s, track, leaf, err);

	while (status == 0 && leaf < track->leaf_count && tl_sums_can_go_on(s))
		status = fold_next(w, track, &leaf, err);
	if (status == 0 && leaf == track->leaf_count && track->end > s->now && tl_sums_can_go_on(s))
		tl_sums_pass_time(s, track->end);
	if (status == 0)
		status = tl_sums_fault(s, err);
	if (status < 0 || s->flat.refused)
		return status;
	tl_flat_end_stack(&s->flat);
	return tl_flat_part_into(&s->flat, w->profile, &part, err);
}

static int fold_tracks(struct window_sums *w, struct tl_error *err)
{
	struct tl_sums *s = w->sums;
	const struct tl_call_tracks *tracks = &w->index->tracks;
	int status = 0;

	for (size_t i = 0; status == 0 && !s->flat.refused && i < tracks->count; i++)
		if (tracks->list[i]->leaf_count && (!s->span.one_track || s->span.track == i))
			status = fold_track(w, tracks->list[i], err);
	if (status < 0 || s->flat.refused)
		return status;
	tl_flat_end(&s->flat);
	status = tl_known_into(s->known, s->numbers, s->flat.function_count, w->profile, err);
	if (status == 0)
		status = tl_flat_sums_into(&s->flat, w->profile, err);
	return status < 0 ? status : 1;
}

int tl_window_sums(struct tl_input *input, struct tl_call_index *index,
		   struct tl_call_cursor *cursor, const struct tl_call_span *span,
		   struct tl_profile *profile, struct tl_error *err)
{
	bool exact = input->options.exact;
	struct window_sums w = { .input = input, .index = index, .profile = profile };
	struct tl_known_functions *known;
	int status = tl_known_functions_of(index, &known, err);

	if (status < 0)
		return status;
	w.sums = tl_sums_begin(known, exact, !span->table);
	if (!w.sums)
		return tl_error_memory(err);
	w.sums->cursor = cursor;
	w.sums->span = *span;
	if (span->table && !exact)
		status = tl_sum_cache_of(index, &w.tiles, err);
	if (status == 0)
		status = fold_tracks(&w, err);
	tl_sums_free(w.sums);
	return status;
}
