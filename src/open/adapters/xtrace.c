/* SPDX-License-Identifier: Apache-2.0 */
/* xtrace as an input: the files of one or several streams are one trace. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "open/binaries.h"
#include "open/adapters/xtrace.h"
#include "xtrace/reader.h"

static void close_xtrace(struct tl_input *input)
{
	struct tl_xtrace_input *x = input->handle;

	tl_xtrace_close(x->trace);
	tl_xtrace_input_close_binaries(input);
	for (size_t i = 0; i < x->source_count; i++)
		tl_source_close(x->sources[i]);
	free(x->sources);
	free(x);
	input->handle = NULL;
}

static const struct tl_source *source_xtrace(const struct tl_input *input, size_t number)
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
	const struct tl_source_options options = {
		.size = sizeof(options),
		.progress = input->options.progress,
		.progress_arg = input->options.progress_arg,
	};

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

static int open_xtrace(struct tl_input *input, const char *const *paths, size_t path_count,
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
		status = tl_xtrace_input_binaries(input, failed, err);
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

static uint32_t snapshot_number(uint64_t number)
{
	return number < TL_NONE ? (uint32_t)number : TL_NONE;
}

int tl_xtrace_input_select(struct tl_input *input, struct xtrace_select *select,
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
	select->from_snapshot = snapshot_number(from);
	select->to_snapshot = snapshot_number(to);
	select->by_stream = o->file_order;
	select->jobs = o->jobs;
	select->exact = o->exact;
	return 0;
}

/* ---- operations ---- */

static int describe_xtrace(struct tl_input *input, bool json, struct tl_output *out,
			   struct tl_error *err)
{
	struct tl_xtrace_input *x = input->handle;
	struct xtrace_select select;
	int status = tl_xtrace_input_select(input, &select, err);

	return status < 0 ? status : tl_xtrace_describe(x->trace, &select, json, out, err);
}

static int dump_xtrace(struct tl_input *input, bool json, struct tl_output *out,
		       struct tl_error *err)
{
	struct tl_xtrace_input *x = input->handle;
	const struct tl_number_range *compare = &input->options.dump.compare;
	struct xtrace_select select;
	int status = tl_xtrace_input_select(input, &select, err);

	if (status < 0)
		return status;
	if (compare->from || compare->to)
		return tl_xtrace_dump_snapshots(x->trace, &select, snapshot_number(compare->from),
						snapshot_number(compare->to), json, out, err);
	if (input->options.dump.flags & TL_DUMP_SNAPSHOTS)
		return tl_xtrace_dump_snapshots(x->trace, &select, TL_NONE, TL_NONE, json, out,
						err);
	if (input->options.dump.flags & TL_DUMP_INSTRUCTIONS)
		return tl_xtrace_input_instructions(input, &select, json, out, err);
	return tl_xtrace_dump(x->trace, &select, json, out, err);
}

/* ---- check ---- */

struct xtrace_violations {
	struct tl_output *out;
	bool json;
	uint64_t id; /* only those of this thread or core; TL_NOWHERE: any */
	int64_t count;
};

static void number_or_null(struct tl_output *out, const char *key, uint64_t value)
{
	tl_put_text(out, key);
	if (value == TL_NOWHERE)
		tl_put_text(out, "null");
	else
		tl_put_u64(out, value);
}

static void put_violation_json(struct tl_output *out, const struct tl_xtrace_violation *v)
{
	tl_put_text(out, "{\"rule\":");
	tl_put_json(out, v->rule, strlen(v->rule));
	number_or_null(out, ",\"offset\":", v->offset);
	number_or_null(out, ",\"record\":", v->record);
	number_or_null(out, ",\"thread\":", v->id);
	if (v->pc != TL_NOWHERE)
		tl_put_format(out, ",\"pc\":\"0x%" PRIx64 "\"", v->pc);
	tl_put_text(out, ",\"file\":");
	tl_put_json(out, v->path ? v->path : "", v->path ? strlen(v->path) : 0);
	tl_put_text(out, ",\"text\":");
	tl_put_json(out, v->text, strlen(v->text));
	tl_put_text(out, "}\n");
}

static void put_violation_text(struct tl_output *out, const struct tl_xtrace_violation *v)
{
	tl_put_text(out, v->rule);
	if (v->offset != TL_NOWHERE)
		tl_put_format(out, " offset 0x%" PRIx64, v->offset);
	if (v->record != TL_NOWHERE)
		tl_put_format(out, " record %" PRIu64, v->record);
	tl_put_format(out, " thread %" PRIu64, v->id);
	if (v->pc != TL_NOWHERE)
		tl_put_format(out, " pc 0x%" PRIx64, v->pc);
	tl_put_format(out, ": %s\n", v->text);
}

static int put_violation(void *arg, const struct tl_xtrace_violation *v)
{
	struct xtrace_violations *to = arg;

	if (to->id != TL_NOWHERE && to->id != v->id)
		return 0;
	to->count++;
	(to->json ? put_violation_json : put_violation_text)(to->out, v);
	return tl_output_failed(to->out);
}

static int64_t check_xtrace(struct tl_input *input, bool json, struct tl_output *out,
			    struct tl_error *err)
{
	struct tl_xtrace_input *x = input->handle;
	struct xtrace_violations to = { .out = out, .json = json };
	struct xtrace_select select = tl_xtrace_everything;
	int64_t found = tl_xtrace_input_select(input, &select, err);

	/* All streams are read, as they share a memory, and those asked for are told of. */
	to.id = select.id;
	if (found == 0)
		found = tl_xtrace_check(x->trace, put_violation, &to, err);
	return found < 0 ? found : to.count;
}

/* ---- the rest ---- */

static size_t damage_xtrace(struct tl_input *input, struct tl_damage *places, size_t room,
			    uint64_t *count, uint64_t *skipped_bytes)
{
	struct tl_xtrace_input *x = input->handle;
	size_t listed;
	const struct tl_xtrace_fault *faults =
		tl_xtrace_faults(x->trace, &listed, count, skipped_bytes);

	if (listed > room)
		listed = room;
	for (size_t i = 0; i < listed; i++)
		places[i] = (struct tl_damage){
			.status = faults[i].status,
			.text = faults[i].text,
			.offset = faults[i].offset,
			.length = faults[i].length,
			.record = faults[i].record,
			.path = faults[i].path,
		};
	for (size_t i = 0; i < x->binary_count; i++)
		listed += tl_binary_damage(x->binaries[i], places + listed, room - listed, count);
	return listed;
}

/* The whole of a stream as we would write it; the snapshots go with it where there is a place for
 * them. */
static int slice_xtrace(struct tl_input *input, const struct tl_slice *what, struct tl_output *out,
			struct tl_error *err)
{
	struct tl_xtrace_input *x = input->handle;
	struct xtrace_select select;
	struct tl_xtrace_slice slice = { .size = sizeof(slice), .stream = TL_NONE };
	int status = tl_xtrace_input_select(input, &select, err);

	if (status < 0)
		return status;
	if (what->trigger)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "xtrace is cut by snapshots and instructions");
	for (uint32_t i = 0; i < tl_xtrace_stream_count(x->trace); i++) {
		if (select.id != TL_NOWHERE && tl_xtrace_stream(x->trace, i)->id != select.id)
			continue;
		if (slice.stream != TL_NONE)
			return tl_error_at(
				err, TL_BAD_USAGE, TL_NOWHERE,
				"there are several streams: choose one with --thread or --cpu");
		slice.stream = i;
	}
	if (slice.stream == TL_NONE)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there is no such thread or core");
	slice.first_snapshot = snapshot_number(what->snapshots.from);
	slice.end_snapshot = snapshot_number(what->snapshots.to);
	slice.first_instruction = what->instructions.from;
	slice.end_instruction = what->instructions.to;
	return tl_xtrace_slice_write(x->trace, &slice, out, what->partner, err);
}

static int reencode_xtrace(struct tl_input *input, const char *variant, struct tl_output *out,
			   struct tl_error *err)
{
	const struct tl_slice everything = {
		.size = sizeof(everything),
		.snapshots = { 0, TL_NOWHERE },
		.instructions = { 0, TL_NOWHERE },
	};

	if (variant)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "xtrace has no versions to choose from");
	return slice_xtrace(input, &everything, out, err);
}

const struct tl_format tl_xtrace_format = {
	.info = {
		.name = "xtrace",
		.help = "Kunpeng workload traces: instruction streams (xinsndata), register "
			"snapshots (xsnapshot)",
		.record_word = "record",
		.suffix = ".xinsndata.bin",
		.partner_suffix = ".xsnapshot.bin",
	},
	.many_paths = true,
	.probe = tl_xtrace_probe,
	.open = open_xtrace,
	.close = close_xtrace,
	.source = source_xtrace,
	.fold = tl_xtrace_input_fold,
	.describe = describe_xtrace,
	.dump = dump_xtrace,
	.check = check_xtrace,
	.reencode = reencode_xtrace,
	.slice = slice_xtrace,
	.analyze = tl_xtrace_input_analyze,
	.conversions = tl_xtrace_conversions,
	.damage = damage_xtrace,
};
