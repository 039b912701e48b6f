/* SPDX-License-Identifier: Apache-2.0 */
/* XRay traces written: again as any version, as YAML, in part, or as a timeline. */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "open/adapters/xray_input.h"
#include "open/several.h"
#include "xray/listing/timeline.h"
#include "xray/yaml/yaml_log.h"

int tl_xray_input_select(struct tl_input *input, struct tl_xray_select *select,
			 struct tl_error *err)
{
	struct tl_xray_input *x = input->handle;
	int status = tl_xray_maps_find(&x->maps, x->reader, err);

	if (status < 0)
		return status;
	select->limits = x->limits;
	/* Who lists records may choose a thread of those that were opened. */
	select->limits.thread = input->options.filter.thread;
	select->decoders = x->decoders.count ? &x->decoders : NULL;
	return tl_xray_names_begin(&select->names, x->maps.map, input->options.filter.function,
				   input->options.filter.object, err);
}

/* ---- re-encoding ---- */

static const struct {
	const char *name;
	enum tl_xray_mode mode;
	uint16_t version;
	/* clang-format off */
} variants[] = {
	{ "5", TL_XRAY_FDR, 5 },   { "4", TL_XRAY_FDR, 4 },         { "3", TL_XRAY_FDR, 3 },
	{ "2", TL_XRAY_FDR, 2 },   { "1", TL_XRAY_FDR, 1 },         { "basic", TL_XRAY_BASIC, 3 },
	{ "basic-3", TL_XRAY_BASIC, 3 }, { "basic-2", TL_XRAY_BASIC, 2 }, { "basic-1",
	  TL_XRAY_BASIC, 1 },
};
/* clang-format on */

/*
 * Buffer size in the header of a version 1 file made from a source without buffers: the runtime's
 * default.
 */
enum { DEFAULT_BUFFER_BYTES = 16384 };

static struct tl_xray_writer_options header_like(const struct tl_xray_input *x)
{
	const struct tl_xray_info *info = tl_xray_info(x->reader);

	return (struct tl_xray_writer_options){
		.size = sizeof(struct tl_xray_writer_options),
		.mode = TL_XRAY_FDR,
		.version = 5,
		.constant_tsc = info->constant_tsc,
		.nonstop_tsc = info->nonstop_tsc,
		.frequency = info->frequency,
		.buffer_size = info->mode == TL_XRAY_FDR ? info->buffer_size : DEFAULT_BUFFER_BYTES,
	};
}

int tl_xray_input_reencode(struct tl_input *input, const char *variant, struct tl_output *out,
			   struct tl_error *err)
{
	struct tl_xray_input *x = input->handle;
	struct tl_xray_writer_options options = header_like(x);

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
		if (!strcmp(variants[i].name, variant ? variant : "5")) {
			options.mode = variants[i].mode;
			options.version = variants[i].version;
			return tl_xray_convert(x->reader, out, &options, err);
		}
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
			   "an XRay trace is written as version 1 to 5, or basic, basic-1, "
			   "basic-2, basic-3");
}

static int write_yaml(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	struct tl_xray_input *x = input->handle;
	struct tl_xray_select select;
	int status = tl_xray_input_select(input, &select, err);

	if (status < 0)
		return status;
	status = tl_xray_yaml_write(x->reader, &select, out, err);
	tl_xray_names_end(&select.names);
	return status;
}

/* ---- slices ---- */

static bool is_selected(void *arg, const struct tl_xray_record *record)
{
	return tl_xray_selected(arg, record);
}

static int check_slice(const struct tl_slice *what, struct tl_error *err)
{
	if (what->snapshots.from || what->snapshots.to != TL_NOWHERE || what->instructions.from ||
	    what->instructions.to != TL_NOWHERE || what->trigger || what->form != TL_SLICE_TRACE)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "an XRay trace is cut by --time, --thread, --pid, --cpu, "
				   "--function and --object");
	return 0;
}

int tl_xray_input_slice(struct tl_input *input, const struct tl_slice *what, struct tl_output *out,
			struct tl_error *err)
{
	struct tl_xray_input *x = input->handle;
	struct tl_xray_writer_options options = header_like(x);
	struct tl_xray_select select;
	uint64_t count = 0;
	const struct tl_xray_choice choice = { is_selected, &select, &count };
	int status = check_slice(what, err);

	if (status == 0)
		status = tl_xray_input_select(input, &select, err);
	if (status < 0)
		return tl_error_format(err, "xray", status);
	status = tl_xray_convert_some(x->reader, out, &options, &choice, err);
	tl_xray_names_end(&select.names);
	if (status == 0 && !count)
		status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				     "the trace has no record of what is asked for");
	return tl_error_format(err, "xray", status);
}

const struct tl_conversion tl_xray_conversions[] = {
	{ { "yaml", "XRay: function records and events, as `llvm-xray convert -f yaml`" },
	  write_yaml },
	{ { NULL, NULL }, NULL },
};

/* ---- timelines, of one log or of several on one clock ---- */

struct logs {
	struct tl_input *input;
	size_t count;
	struct tl_xray_reader **readers;
	struct tl_xray_clock *clocks;
	uint64_t frequency, first; /* of the common clock */
};

static int one_log(struct tl_input *input, struct tl_timeline *timeline, struct tl_error *err)
{
	struct tl_xray_input *x = input->handle;
	struct tl_xray_select select;
	int status = tl_xray_input_select(input, &select, err);

	if (status < 0)
		return status;
	status = tl_xray_timeline(x->reader, &select, timeline, err);
	tl_xray_names_end(&select.names);
	return status;
}

static int check_logs(struct logs *l, struct tl_error *err)
{
	for (size_t i = 0; i < l->count; i++) {
		struct tl_input *log = tl_xray_input_log(l->input, i);

		l->input->failed = log->path;
		if (log->format != l->input->format)
			return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
					   "a timeline of several files is of XRay traces only");
		l->readers[i] = ((struct tl_xray_input *)log->handle)->reader;
		if (l->readers[i]->info.mode == TL_XRAY_PROFILING)
			return tl_error_at(err, TL_UNSUPPORTED, 0,
					   "a profile of sums has no timeline");
	}
	l->input->failed = NULL;
	return 0;
}

static bool has_thread(const struct tl_xray_reader *reader, const struct tl_xray_thread *thread)
{
	for (size_t i = 0; i < reader->thread_count; i++)
		if (reader->threads[i].process == thread->process &&
		    reader->threads[i].thread == thread->thread)
			return true;
	return false;
}

/* A track is a process and thread: two logs cannot be on the same one. */
static int check_threads(struct logs *l, struct tl_error *err)
{
	for (size_t i = 1; i < l->count; i++)
		for (size_t j = 0; j < i; j++)
			for (size_t t = 0; t < l->readers[i]->thread_count; t++)
				if (has_thread(l->readers[j], &l->readers[i]->threads[t])) {
					l->input->failed = tl_xray_input_log(l->input, i)->path;
					return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
							   "another of the files has a thread of "
							   "the same process and number");
				}
	return 0;
}

static int find_clock(struct logs *l, struct tl_error *err)
{
	size_t which = 0;
	int status =
		tl_xray_common_clock(l->readers, l->count, l->clocks, &l->frequency, &which, err);

	if (status < 0)
		l->input->failed = tl_xray_input_log(l->input, which)->path;
	l->first = l->clocks[0].base;
	for (size_t i = 1; i < l->count; i++)
		l->first = tl_min(l->clocks[i].base, l->first);
	return status;
}

/* The window counts from the first record of all. */
static uint64_t common_ticks(const struct logs *l, double seconds)
{
	double ticks = seconds * (double)l->frequency;

	return ticks >= (double)(UINT64_MAX - l->first) ? UINT64_MAX
							: l->first + (uint64_t)(ticks + 0.5);
}

static int put_log(struct logs *l, size_t i, uint32_t *first_key, struct tl_timeline *timeline,
		   struct tl_error *err)
{
	struct tl_input *log = tl_xray_input_log(l->input, i);
	const struct tl_input_options *o = &l->input->options;
	struct tl_xray_select select;
	int status = tl_xray_input_select(log, &select, err);

	if (status < 0)
		return status;
	if (o->filter.from_seconds > 0)
		select.limits.from_ticks = common_ticks(l, o->filter.from_seconds);
	if (o->filter.to_seconds > 0)
		select.limits.to_ticks = common_ticks(l, o->filter.to_seconds);
	status = tl_xray_timeline_put(l->readers[i], &select, &l->clocks[i], *first_key, timeline,
				      err);
	*first_key += (uint32_t)select.names.ids.count;
	tl_xray_names_end(&select.names);
	return status;
}

static int put_logs(struct logs *l, struct tl_timeline *timeline, struct tl_error *err)
{
	uint32_t first_key = 0;
	int status = check_logs(l, err);

	if (status == 0)
		status = tl_input_relate(l->input, err);
	if (status == 0)
		status = check_threads(l, err);
	if (status == 0)
		status = find_clock(l, err);
	if (status == 0)
		status = tl_timeline_begin(timeline, l->frequency, err);
	if (status == 0)
		tl_timeline_origin(timeline, l->first);
	for (size_t i = 0; status == 0 && i < l->count; i++)
		status = put_log(l, i, &first_key, timeline, err);
	return status;
}

int tl_xray_input_timeline(struct tl_input *input, struct tl_timeline *timeline,
			   struct tl_error *err)
{
	struct logs l = { .input = input, .count = input->other_count + 1 };
	int status;

	if (l.count == 1)
		return one_log(input, timeline, err);
	l.readers = calloc(l.count, sizeof(*l.readers));
	l.clocks = calloc(l.count, sizeof(*l.clocks));
	status = l.readers && l.clocks ? put_logs(&l, timeline, err) : tl_error_memory(err);
	free(l.readers);
	free(l.clocks);
	return status;
}
