/* SPDX-License-Identifier: Apache-2.0 */
/* Flame graphs: options, and the steps from profiles to an output. */
#include "export/flame/flame.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/sized.h"
#include "export/stacks/stack_names.h"

static const double default_threshold =
	0.01; /* percent: a seventh of a pixel on a screen, a pixel when zoomed in */

enum {
	DEFAULT_FRAMES = 20000,
	DEFAULT_DEPTH = 500,
	DEFAULT_WIDTH = 1200,
	LEAST_WIDTH = 200,
	MOST_WIDTH = 20000
};

/* ---- options ---- */

static uint32_t event_named(const struct tl_profile *profile, const char *name)
{
	uint32_t count = tl_profile_event_count(profile);

	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(tl_profile_event(profile, i)->name, name))
			return i;
	return TL_NONE;
}

static int choose_events(struct tl_flame *flame, struct tl_error *err)
{
	const struct tl_flame_options *options = &flame->options;
	uint32_t known = tl_profile_event_count(flame->profile[0]);

	flame->event_count = options->events ? options->event_count : known;
	for (int side = 0; side < 2; side++) {
		flame->events[side] = calloc((size_t)flame->event_count + 1, sizeof(uint32_t));
		if (!flame->events[side])
			return tl_error_memory(err);
	}
	flame->common = !flame->profile[1];
	for (uint32_t i = 0; i < flame->event_count; i++) {
		uint32_t event = options->events ? options->events[i]
						 : tl_profile_shown_event(flame->profile[0], i);

		if (event >= known)
			return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
					   "no such event in this profile");
		flame->events[0][i] = event;
		if (flame->profile[1])
			flame->events[1][i] =
				event_named(flame->profile[1],
					    tl_profile_event(flame->profile[0], event)->name);
		flame->common = flame->common || flame->events[1][i] != TL_NONE;
	}
	if (!flame->event_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "a flame graph needs an event");
	if (!flame->common)
		return tl_error_at(
			err, TL_UNSUPPORTED, TL_NOWHERE,
			"the files have no event in common, so no graph can show what changed");
	return 0;
}

static int fill_options(struct tl_flame_options *filled, const struct tl_flame_options *options,
			struct tl_error *err)
{
	int status = 0;

	*filled = (struct tl_flame_options){ .size = sizeof(*filled), .threshold = -1 };
	if (options)
		status = tl_take_options(filled, sizeof(*filled), sizeof(*filled), options,
					 options->size, err);
	if (filled->threshold < 0)
		filled->threshold = default_threshold;
	if (!filled->most_frames)
		filled->most_frames = DEFAULT_FRAMES;
	if (!filled->most_depth)
		filled->most_depth = DEFAULT_DEPTH;
	if (!filled->width)
		filled->width = DEFAULT_WIDTH;
	if (filled->width < LEAST_WIDTH)
		filled->width = LEAST_WIDTH;
	if (filled->width > MOST_WIDTH)
		filled->width = MOST_WIDTH;
	return status;
}

/* ---- the steps ---- */

static int find_contexts(struct tl_flame *flame, int side, struct tl_error *err)
{
	const struct tl_flame_options *options = &flame->options;
	const struct tl_profile *profile = flame->profile[side];
	const struct tl_stacks_options stacks = { sizeof(stacks), options->threshold,
						  options->most_frames, options->most_depth };
	int status;

	flame->contexts[side] = profile;
	if (!profile || tl_profile_context_count(profile) || !tl_profile_line_count(profile))
		return 0;
	status = tl_stacks_make(&flame->estimate[side], profile, &stacks, false, err);
	if (status < 0)
		return status;
	flame->contexts[side] = flame->estimate[side];
	/* Names f'g'h became functions f: the table has these functions, too. */
	if (tl_stack_names(profile) != TL_NAMES_PLAIN)
		flame->profile[side] = flame->estimate[side];
	return 0;
}

static void free_flame(struct tl_flame *flame)
{
	const struct tl_flame_functions *functions = &flame->functions;
	const struct tl_flame_columns *columns = &flame->columns;
	const struct tl_flame_tree *tree = &flame->tree;
	const struct tl_flame_drawing *drawn = &flame->drawn;
	void *arrays[] = {
		flame->events[0], flame->events[1], functions->all,     functions->of[0],
		functions->of[1], columns->of_part, columns->part_of,   tree->nodes,
		tree->node_of[0], tree->node_of[1], tree->inclusive[0], tree->inclusive[1],
		tree->score,      drawn->frames,    drawn->cells,       drawn->self,
	};

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		free(arrays[i]);
	tl_index_free(&flame->tree.index);
	tl_profile_free(flame->estimate[0]);
	tl_profile_free(flame->estimate[1]);
}

bool tl_flame_has_page(void)
{
	return tl_flame_page_sections[0].size > 0;
}

static int build(struct tl_flame *flame, struct tl_error *err)
{
	int status = choose_events(flame, err);

	for (int side = 0; status == 0 && side < 2; side++) {
		status = find_contexts(flame, side, err);
		if (status == 0 && flame->contexts[side] &&
		    tl_profile_estimated(flame->contexts[side]))
			flame->estimated = true;
	}
	if (status < 0)
		return status;
	if (flame->options.estimated)
		*flame->options.estimated = flame->estimated;
	if (!tl_flame_match(flame) || !tl_flame_assign_columns(flame) || !tl_flame_grow(flame) ||
	    !tl_flame_prune(flame))
		return tl_error_memory(err);
	return 0;
}

int tl_flame_write(const struct tl_profile *profile, const struct tl_profile *baseline,
		   const struct tl_flame_options *options, struct tl_output *out,
		   struct tl_error *err)
{
	struct tl_flame flame = { .profile = { profile, baseline } };
	static int (*const writers[])(const struct tl_flame *flame, struct tl_output *out,
				      struct tl_error *err) = {
		[TL_FLAME_PAGE] = tl_flame_write_page,
		[TL_FLAME_SVG] = tl_flame_write_svg,
		[TL_FLAME_DATA] = tl_flame_write_data,
	};
	int status = fill_options(&flame.options, options, err);

	if (status < 0)
		return status;
	if ((size_t)flame.options.form >= sizeof(writers) / sizeof(writers[0]))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "no such form of a flame graph");
	if (flame.options.form == TL_FLAME_PAGE && !tl_flame_has_page())
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "this build has no page for flame graphs in it");
	status = build(&flame, err);
	if (status == 0)
		status = writers[flame.options.form](&flame, out, err);
	free_flame(&flame);
	return status;
}
