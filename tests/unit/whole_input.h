/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_WHOLE_INPUT_H
#define TESTS_UNIT_WHOLE_INPUT_H
/*
 * All that can be asked of an input, from opening its file on, as steps for refuse.h: recordings
 * that are small enough for each of their allocations to be refused.
 */
#include <stdio.h>
#include <stdlib.h>

#include "refuse.h"

#include <tracelathe/tracelathe.h>

enum use {
	USE_FOLD,
	USE_DUMP,
	USE_INFO,
	USE_CHECK,
	USE_TIMELINE,
	USE_SLICE,
	USE_INDEX,
};

struct whole_input {
	const char *paths[2];
	size_t path_count;
	struct tl_input_options options;
	enum use use;
	enum tl_report_form form;
	const char *trigger; /* of a slice */
};

/* The name of a golden recording; one of the last eight asked for. */
static inline const char *whole_path(const char *name)
{
	static char paths[8][512];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/tests/golden/%s", getenv("TL_SOURCE_ROOT"), name);
	return path;
}

static inline struct whole_input whole_input(const char *path)
{
	return (struct whole_input){
		.paths = { path },
		.path_count = 1,
		.options = { .size = sizeof(struct tl_input_options),
			     .filter = { .process = TL_NOWHERE,
					 .thread = TL_NOWHERE,
					 .cpu = TL_NOWHERE } },
	};
}

/* The profile with its contexts; not the notes, whose texts are shorter without memory. */
static inline int whole_fold(struct tl_input *input, struct tl_output *out)
{
	struct tl_profile *profile = NULL;
	int status = tl_input_fold(input, &profile, NULL);

	if (!status)
		status = tl_exporter_find("json")->write(profile, NULL, out, NULL);
	tl_profile_free(profile);
	return status;
}

static inline int whole_index(struct tl_input *input, struct tl_output *out)
{
	struct tl_call_index *index = NULL;
	struct tl_call_track_info info;
	int status = tl_input_index(input, &index, NULL);

	for (size_t i = 0; !status && tl_call_index_track(index, i, &info, sizeof(info)) == 1; i++)
		tl_put_u64(out, info.last - info.first);
	tl_call_index_close(index);
	return status;
}

static inline int whole_use(const struct whole_input *whole, struct tl_input *input,
			    struct tl_output *out)
{
	const struct tl_slice slice = {
		.size = sizeof(slice),
		.snapshots = { 0, TL_NOWHERE },
		.instructions = { 0, TL_NOWHERE },
		.trigger = whole->trigger,
		.before_seconds = 1e-6,
	};

	switch (whole->use) {
	case USE_FOLD:
		return whole_fold(input, out);
	case USE_DUMP:
		return tl_input_dump(input, whole->form, out, NULL);
	case USE_INFO:
		return tl_input_info(input, whole->form, out, NULL);
	case USE_CHECK:
		return (int)tl_input_check(input, whole->form, out, NULL);
	case USE_TIMELINE:
		return tl_input_timeline(input, "chrome", out, NULL);
	case USE_SLICE:
		return tl_input_slice(input, &slice, out, NULL);
	default:
		return whole_index(input, out);
	}
}

static inline int whole_write(const void *arg, struct tl_output *out)
{
	const struct whole_input *whole = arg;
	struct tl_input *input = NULL;
	int status =
		tl_input_open(&input, whole->paths, whole->path_count, &whole->options, NULL, NULL);

	if (!status)
		status = whole_use(whole, input, out);
	if (status > 0)
		status = 0;
	if (!status)
		tl_put_u64(out, tl_input_damage_count(input, NULL));
	tl_input_close(input);
	return status;
}

static inline int whole_step(const void *arg, uint64_t *digest)
{
	return refuse_note_output(whole_write, arg, digest);
}

#endif
