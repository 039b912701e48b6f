/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles of other tools as an input: each operation reads the input anew into a struct
 * tl_foreign, and keeps what was wrong with it.
 */
#include "open/adapters/foreign.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "core/source.h"
#include "foreign/span_calls.h"
#include "open/input.h"
#include "open/several.h"

struct foreign_input {
	const struct tl_foreign_reader *reader;
	char *path;
	bool used;                       /* the source that came with the input was read */
	struct tl_foreign_faults faults; /* of the last operation */
};

static int check_options(const struct tl_input_options *o, struct tl_error *err)
{
	if (o->filter.cpu == TL_NOWHERE)
		return 0;
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
			   "this format does not say what ran on which processor");
}

int tl_foreign_open(struct tl_input *input, const struct tl_foreign_reader *reader,
		    const char *const *paths, struct tl_error *err)
{
	struct foreign_input *f = calloc(1, sizeof(*f));

	if (!f)
		return tl_error_memory(err);
	input->handle = f;
	f->reader = reader;
	f->path = strdup(paths[0]);
	if (f->path)
		return check_options(&input->options, err);
	return tl_error_memory(err);
}

void tl_foreign_close(struct tl_input *input)
{
	struct foreign_input *f = input->handle;

	tl_foreign_faults_free(&f->faults);
	free(f->path);
	free(f);
	input->handle = NULL;
}

/* ---- reading ---- */

/*
 * A source at its beginning. The first one is that of the input; a stream is kept, as it can be
 * read only once.
 */
static int begin_source(struct tl_input *input, struct tl_source **source, struct tl_error *err)
{
	struct foreign_input *f = input->handle;
	const struct tl_source_options options = tl_input_source_options(input);
	const uint8_t *data;
	size_t size;
	int status;

	if (!tl_source_stored_size(input->source)) {
		status = tl_source_map(input->source, &data, &size, err);
		if (status < 0)
			return status;
		return tl_source_open_memory(source, data, size, f->path, err);
	}
	if (f->used)
		return tl_source_open(source, f->path, &options, err);
	f->used = true;
	*source = input->source;
	return 0;
}

static struct tl_foreign_options foreign_options(const struct tl_input_options *o)
{
	return (struct tl_foreign_options){
		.process = o->filter.process,
		.thread = o->filter.thread,
		.from_seconds = o->filter.from_seconds,
		.to_seconds = o->filter.to_seconds,
		.function = o->filter.function,
		.object = o->filter.object,
		.exact = o->exact,
		.per_thread = o->per_thread,
		.lines = o->detail == TL_DETAIL_LINES,
		.sums_alone = tl_input_sums_alone(o),
		.table = o->detail == TL_DETAIL_TABLE,
	};
}

/* Read the input. `foreign` has begun, and is to be ended in any case. */
static int read_input(struct tl_input *input, struct tl_foreign_file *foreign, struct tl_error *err)
{
	struct foreign_input *f = input->handle;
	struct tl_source *source = NULL;
	int status = begin_source(input, &source, err);

	foreign->faults.strict = input->options.strict;
	if (status == 0)
		status = f->reader->read(foreign, source, err);
	if (source != input->source)
		tl_source_close(source);
	return status;
}

static void keep_faults(struct tl_input *input, struct tl_foreign_file *foreign)
{
	struct foreign_input *f = input->handle;

	tl_foreign_faults_free(&f->faults);
	f->faults = foreign->faults;
	foreign->faults = (struct tl_foreign_faults){ .format = f->reader->format };
}

/* End what was read, but for what was wrong with it. */
static void finish(struct tl_input *input, struct tl_foreign_file *foreign)
{
	keep_faults(input, foreign);
	tl_foreign_end(foreign);
}

/* ---- operations ---- */

int tl_foreign_profile(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	struct foreign_input *f = input->handle;
	const struct tl_foreign_options options = foreign_options(&input->options);
	struct tl_foreign_file foreign;
	int status = 0;

	if (!tl_foreign_begin(&foreign, f->reader, &options))
		status = tl_error_memory(err);
	if (status == 0)
		status = read_input(input, &foreign, err);
	if (status == 0)
		status = tl_foreign_fold(&foreign, profile, err);
	finish(input, &foreign);
	return status;
}

int tl_foreign_info(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	struct foreign_input *f = input->handle;
	const struct tl_foreign_options options = foreign_options(&input->options);
	struct tl_foreign_file foreign;
	int status = 0;

	if (!tl_foreign_begin(&foreign, f->reader, &options))
		status = tl_error_memory(err);
	if (status == 0)
		status = read_input(input, &foreign, err);
	if (status == 0)
		tl_foreign_describe(&foreign, json, out);
	finish(input, &foreign);
	return status;
}

int tl_foreign_dump(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	struct foreign_input *f = input->handle;
	struct tl_foreign_options options = foreign_options(&input->options);
	struct tl_foreign_file foreign;
	int status = 0;

	options.dump = out;
	options.json = json;
	if (!tl_foreign_begin(&foreign, f->reader, &options))
		status = tl_error_memory(err);
	if (status == 0)
		status = read_input(input, &foreign, err);
	finish(input, &foreign);
	return status;
}

int64_t tl_foreign_check(struct tl_input *input, bool json, struct tl_output *out,
			 struct tl_error *err)
{
	struct foreign_input *f = input->handle;
	const struct tl_foreign_options options = foreign_options(&input->options);
	struct tl_foreign_file foreign;
	struct tl_profile *profile = NULL;
	int64_t found = 0;

	if (!tl_foreign_begin(&foreign, f->reader, &options))
		found = tl_error_memory(err);
	foreign.faults.check = out;
	foreign.faults.json = json;
	if (found == 0)
		found = read_input(input, &foreign, err);
	if (found == 0)
		found = tl_foreign_fold(&foreign, &profile, err);
	if (found == 0)
		found = (int64_t)foreign.faults.count;
	tl_profile_free(profile);
	foreign.faults.check = NULL;
	finish(input, &foreign);
	return found;
}

/* The source keeps what was read; faults are the input's. */
int tl_foreign_calls(struct tl_input *input, struct tl_call_source *source,
		     struct tl_calls_options *calls, struct tl_error *err)
{
	struct foreign_input *f = input->handle;
	const struct tl_foreign_options options = foreign_options(&input->options);
	struct tl_foreign_file *foreign = calloc(1, sizeof(*foreign));
	struct tl_foreign_window window = { 0, UINT64_MAX };
	int status = 0;

	if (!foreign)
		return tl_error_memory(err);
	if (!tl_foreign_begin(foreign, f->reader, &options))
		status = tl_error_memory(err);
	if (status == 0)
		status = read_input(input, foreign, err);
	if (status == 0)
		status = tl_foreign_check_spans(foreign, err);
	keep_faults(input, foreign);
	if (status == 0)
		status = tl_foreign_window(foreign, &window, err);
	if (status < 0) {
		tl_foreign_end(foreign);
		free(foreign);
		return status;
	}
	if (window.from > calls->from)
		calls->from = window.from;
	if (window.to < calls->to)
		calls->to = window.to;
	return tl_foreign_call_source(foreign, source, err);
}

int tl_foreign_draw(struct tl_input *input, struct tl_timeline *timeline, struct tl_error *err)
{
	struct foreign_input *f = input->handle;
	struct tl_foreign_options options = foreign_options(&input->options);
	struct tl_foreign_file foreign;
	int status = 0;

	options.arguments = true;
	if (!tl_foreign_begin(&foreign, f->reader, &options))
		status = tl_error_memory(err);
	if (status == 0)
		status = read_input(input, &foreign, err);
	if (status == 0)
		status = tl_foreign_timeline(&foreign, input->options.depth, timeline, err);
	finish(input, &foreign);
	return status;
}

size_t tl_foreign_list_faults(const struct tl_foreign_faults *faults, struct tl_damage *places,
			      size_t room)
{
	size_t listed = 0;

	for (; listed < faults->listed && listed < room; listed++)
		places[listed] = (struct tl_damage){
			.status = faults->list[listed].status,
			.text = faults->list[listed].text,
			.offset = faults->list[listed].offset,
			.length = faults->list[listed].length,
			.record = faults->list[listed].record,
		};
	return listed;
}

size_t tl_foreign_damage(struct tl_input *input, struct tl_damage *places, size_t room,
			 uint64_t *count, uint64_t *skipped_bytes)
{
	const struct tl_foreign_faults *faults = &((struct foreign_input *)input->handle)->faults;

	*count = faults->count;
	*skipped_bytes = faults->skipped_bytes;
	return tl_foreign_list_faults(faults, places, room);
}
