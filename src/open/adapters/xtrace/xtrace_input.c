/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing the files of an xtrace input; the part of them that its options choose. */
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "open/adapters/xtrace/xtrace.h"
#include "open/several.h"
#include "symbols/binary.h"
#include "xtrace/format/trace.h"

int tl_xtrace_input_open_binaries(struct tl_input *input, const char **failed, struct tl_error *err)
{
	const struct tl_input_options *o = &input->options;
	struct tl_xtrace_input *x = input->handle;

	x->binaries = calloc(o->programs.binary_count + 1, sizeof(struct tl_binary *));
	if (!x->binaries)
		return tl_error_memory(err);
	for (size_t i = 0; i < o->programs.binary_count; i++) {
		int status = tl_binary_open(&x->binaries[i], o->programs.binaries[i].path,
					    o->programs.binaries[i].address, !o->raw_names, err);

		if (status < 0) {
			*failed = o->programs.binaries[i].path;
			return status;
		}
		x->binary_count++;
	}
	return 0;
}

static void close_binaries(struct tl_input *input)
{
	struct tl_xtrace_input *x = input->handle;

	for (size_t i = 0; i < x->binary_count; i++)
		tl_binary_close(x->binaries[i]);
	free(x->binaries);
	x->binaries = NULL;
	x->binary_count = 0;
}

void tl_xtrace_input_close(struct tl_input *input)
{
	struct tl_xtrace_input *x = input->handle;

	tl_xtrace_opcodes_free(&x->opcodes);
	tl_xtrace_close(x->trace);
	close_binaries(input);
	for (size_t i = 0; i < x->source_count; i++)
		tl_source_close(x->sources[i]);
	free(x->sources);
	free(x);
	input->handle = NULL;
}

const struct tl_source *tl_xtrace_input_source(const struct tl_input *input, size_t number)
{
	const struct tl_xtrace_input *x = input->handle;

	return number < x->source_count ? x->sources[number]
					: tl_xtrace_own_source(x->trace, number - x->source_count);
}

/* Sources for the paths behind the first, so that all of them tell their progress. */
static int open_sources(struct tl_input *input, const char *const *paths, size_t path_count,
			struct tl_xtrace_file *files, const char **failed, struct tl_error *err)
{
	struct tl_xtrace_input *x = input->handle;
	const struct tl_source_options options = tl_input_source_options(input);

	files[0] = (struct tl_xtrace_file){ paths[0], input->source };
	for (size_t i = 1; i < path_count; i++) {
		int status = tl_source_open(&x->sources[x->source_count], paths[i], &options, err);

		if (status < 0) {
			*failed = paths[i];
			return status;
		}
		files[i] = (struct tl_xtrace_file){ paths[i], x->sources[x->source_count++] };
	}
	return 0;
}

int tl_xtrace_input_open(struct tl_input *input, const char *const *paths, size_t path_count,
			 const char **failed, struct tl_error *err)
{
	struct tl_xtrace_input *x = calloc(1, sizeof(*x));
	struct tl_xtrace_file *files = calloc(path_count, sizeof(*files));
	const struct tl_xtrace_options options = {
		.size = sizeof(options),
		.strict = input->options.strict,
		.layout = input->options.xtrace.layout,
		.skip_unknown = input->options.xtrace.skip_unknown,
	};
	int status = 0;

	input->handle = x;
	if (x)
		x->sources = calloc(path_count, sizeof(struct tl_source *));
	if (!x || !files || !x->sources)
		status = tl_error_memory(err);
	if (status == 0)
		status = open_sources(input, paths, path_count, files, failed, err);
	if (status == 0)
		status = tl_xtrace_open(&x->trace, files, path_count, &options, failed, err);
	if (status == 0)
		status = tl_xtrace_input_open_binaries(input, failed, err);
	free(files);
	return status;
}

/* ---- which part ---- */

/* A range of options: all zero means everything. */
static void take_range(const struct tl_number_range *range, uint64_t *from, uint64_t *to)
{
	*from = range->from;
	*to = range->to ? range->to : TL_NOWHERE;
}

uint32_t tl_xtrace_input_snapshot(uint64_t number)
{
	return number < TL_NONE ? (uint32_t)number : TL_NONE;
}

/* TIME has no unit: the numbers of a window are its tokens'. False: they are none. */
static bool take_time(double number, uint64_t *time)
{
	/* 2^53: whole numbers are exact up to it. */
	if (!(number >= 0 && number <= 9007199254740992.0) || number != floor(number))
		return false;
	*time = (uint64_t)number;
	return true;
}

int tl_xtrace_input_select_timed(struct tl_input *input, struct tl_xtrace_select *select,
				 struct tl_error *err)
{
	struct tl_input_filter *filter = &input->options.filter, whole = *filter;
	int status;

	filter->from_seconds = filter->to_seconds = 0;
	status = tl_xtrace_input_select(input, select, err);
	*filter = whole;
	if (status < 0)
		return status;
	if (!take_time(whole.from_seconds, &select->from_time) ||
	    (whole.to_seconds > 0 && !take_time(whole.to_seconds, &select->to_time)))
		return tl_error_format(err, "xtrace",
				       tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
						   "--time is of the numbers of TIME tokens, which "
						   "are whole and have no unit"));
	return 0;
}

struct tl_xtrace_part tl_xtrace_input_part(const struct tl_number_range *instructions,
					   const struct tl_number_range *snapshots,
					   enum tl_analysis_level level,
					   const struct tl_xtrace_select *times)
{
	return (struct tl_xtrace_part){
		.first = instructions->from,
		.end = instructions->to,
		.first_snapshot = snapshots->from,
		.end_snapshot = snapshots->to,
		.first_time = times->from_time,
		.end_time = times->to_time == TL_NOWHERE ? 0 : times->to_time,
		.levels = level ? 1u << (level - TL_LEVEL_EL0) : 0,
	};
}

int tl_xtrace_input_select(struct tl_input *input, struct tl_xtrace_select *select,
			   struct tl_error *err)
{
	const struct tl_input_options *o = &input->options;
	uint64_t from, to;

	if (o->filter.process != TL_NOWHERE || o->filter.from_seconds > 0 ||
	    o->filter.to_seconds > 0)
		return tl_error_format(err, "xtrace",
				       tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
						   "a trace of instructions has no processes and "
						   "no times to choose by"));
	*select = tl_xtrace_everything;
	/* A stream is a thread's or a core's, and its number is the one or the other. */
	select->id = o->filter.thread != TL_NOWHERE ? o->filter.thread : o->filter.cpu;
	take_range(&o->dump.ordinals, &select->from_ordinal, &select->to_ordinal);
	take_range(&o->dump.pcs, &select->from_pc, &select->to_pc);
	take_range(&o->dump.between, &from, &to);
	select->from_snapshot = tl_xtrace_input_snapshot(from);
	select->to_snapshot = tl_xtrace_input_snapshot(to);
	select->by_stream = o->file_order;
	select->jobs = o->jobs;
	select->exact = o->exact;
	return 0;
}
