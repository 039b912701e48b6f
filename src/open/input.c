/* SPDX-License-Identifier: Apache-2.0 */
/* An input of any format: opened and closed, and whether its files changed while it was read. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/guard.h"
#include "core/sized.h"
#include "core/source.h"
#include "open/format.h"
#include "open/input.h"
#include "open/recognize.h"
#include "open/several.h"

/* Each further path is an input of its own, of the same format (XRay: a log per process). */
static int open_others(struct tl_input *input, const char *const *paths, size_t path_count,
		       const char **failed, struct tl_error *err)
{
	struct tl_input_options options = input->options;

	input->others = calloc(path_count, sizeof(*input->others));
	if (!input->others)
		return tl_error_memory(err);
	options.format = input->format->info.name;
	for (; input->other_count < path_count; input->other_count++) {
		const char *path = paths[input->other_count];
		struct tl_input *other;
		int status = tl_input_open(&other, &path, 1, &options, failed, err);

		if (status < 0)
			return status;
		other->path = tl_source_name(other->source);
		input->others[input->other_count] = other;
	}
	return 0;
}

static int open_paths(struct tl_input *input, const char *const *paths, size_t path_count,
		      const char **failed, struct tl_error *err)
{
	const struct tl_source_options source = tl_input_source_options(input);
	int status;

	status = tl_source_open(&input->source, paths[0], &source, err);
	if (status == 0)
		status = tl_input_recognize(input, paths, path_count, failed, err);
	if (status == 0 && path_count > 1)
		status = tl_input_distinct(paths, path_count, !input->format->relate, failed, err);
	if (status == 0 && !input->options.format)
		status = tl_input_check_formats(input, paths, path_count, failed, err);
	if (status == 0)
		status = input->format->open(
			input, paths, input->format->many_paths ? path_count : 1, failed, err);
	if (status == 0 && !input->format->many_paths && path_count > 1)
		status = open_others(input, paths + 1, path_count - 1, failed, err);
	return status;
}

/* The options of the caller, whose header may be older or newer; NULL: the defaults. */
static int take_options(struct tl_input_options *taken, const struct tl_input_options *options,
			struct tl_error *err)
{
	static const struct tl_input_options everything = TL_INPUT_OPTIONS_DEFAULT;

	if (!options)
		options = &everything;
	tl_take(taken, sizeof(*taken), options, options->size);
	return tl_input_check_size(options->size, sizeof(*options), err);
}

/* What is rounded are call stacks, which a table of functions does without. */
static void settle_clock(struct tl_input_options *options)
{
	if (options->nanoseconds && options->detail == TL_DETAIL_TABLE)
		options->detail = TL_DETAIL_CONTEXTS;
	if (options->nanoseconds && options->detail == TL_DETAIL_GRAPH)
		options->detail = TL_DETAIL_FUNCTIONS;
}

int tl_input_open(struct tl_input **input, const char *const *paths, size_t path_count,
		  const struct tl_input_options *options, const char **failed, struct tl_error *err)
{
	struct tl_input *made = calloc(1, sizeof(*made));
	const char *about = path_count ? paths[0] : NULL;
	int status;

	*input = NULL;
	if (!made)
		return tl_error_memory(err);
	made->lost_pages = tl_guard_lost_pages();
	status = take_options(&made->options, options, err);
	/* Profiles of several files are merged: what they know of functions alone is not enough. */
	if (path_count > 1 &&
	    (tl_input_sums_alone(&made->options) || made->options.detail == TL_DETAIL_GRAPH))
		made->options.detail = TL_DETAIL_FUNCTIONS;
	settle_clock(&made->options);
	if (status == 0)
		status = path_count ? open_paths(made, paths, path_count, &about, err)
				    : tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "no input");
	if (status < 0) {
		if (failed)
			*failed = about;
		tl_input_close(made);
		return status;
	}
	*input = made;
	return 0;
}

const struct tl_format_info *tl_input_format(const struct tl_input *input)
{
	return &input->format->info;
}

void tl_input_close(struct tl_input *input)
{
	if (!input)
		return;
	for (size_t i = 0; i < input->other_count; i++)
		tl_input_close(input->others[i]);
	free(input->others);
	tl_index_free(&input->files);
	if (input->handle)
		input->format->close(input);
	tl_source_close(input->source);
	free(input->damage);
	free(input);
}

int tl_input_check_size(size_t size, size_t least, struct tl_error *err)
{
	if (size >= least)
		return 0;
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
			   "a struct of options is smaller than that of the first release: is its "
			   "size set?");
}

/* ---- files that change ---- */

/* The first of the input's files that has become shorter, NULL: none. */
static const struct tl_source *find_changed(const struct tl_input *input)
{
	const struct tl_source *source;

	if (input->source && tl_source_changed(input->source))
		return input->source;
	for (size_t i = 0; input->format->source && (source = input->format->source(input, i)); i++)
		if (tl_source_changed(source))
			return source;
	source = NULL;
	for (size_t i = 0; !source && i < input->other_count; i++)
		source = find_changed(input->others[i]);
	return source;
}

int64_t tl_input_unchanged(struct tl_input *input, int64_t status, struct tl_error *err)
{
	const struct tl_source *changed = find_changed(input);

	if (changed) {
		input->failed = tl_source_name(changed);
		return tl_error_at(err, TL_IO, TL_NOWHERE, "input changed while it was read");
	}
	if (tl_guard_lost_pages() != input->lost_pages)
		return tl_error_at(err, TL_IO, TL_NOWHERE,
				   "a file of this input could not be read where it was mapped");
	return status;
}
