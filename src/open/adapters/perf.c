/* SPDX-License-Identifier: Apache-2.0 */
/* perf.data as an input: its records, its samples, and the Intel PT in it. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/recording.h"
#include "core/source.h"
#include "open/adapters/intel_pt.h"
#include "open/input.h"
#include "perf_data/auxtrace/trace.h"
#include "perf_data/auxtrace/pt_info.h"
#include "perf_data/listing/describe.h"
#include "perf_data/listing/pebs_list.h"
#include "perf_data/listing/running_calls.h"
#include "perf_data/listing/sample_list.h"
#include "perf_data/listing/sample_timeline.h"
#include "perf_data/processes/given_programs.h"
#include "profile/model/model.h"

struct perf_input {
	struct tl_pt_input pt;
	struct tl_perf_reader *reader;    /* of the last call on records: what it met is damage */
	struct tl_perf_trace *trace;      /* NULL: not opened yet */
	struct tl_perf_sched_slice slice; /* the last one that was fed */
	const struct tl_input_options *options;
	const char **programs; /* files that were given, as many as there are binaries */
	struct tl_perf_sample_remarks remarks;   /* of the last fold of samples */
	struct tl_perf_sample_binaries binaries; /* of the last fold, if it was by line */
};

/* ---- the feed ---- */

static int next_piece(void *arg, struct tl_pt_trace_slice *piece, struct tl_error *err)
{
	struct perf_input *p = arg;
	struct tl_perf_sched_slice *slice = &p->slice;
	int status = tl_perf_trace_next(p->trace, slice, sizeof(*slice), err);

	if (status <= 0)
		return status;
	*piece = (struct tl_pt_trace_slice){
		.config = *slice->config,
		.from = slice->from,
		.to = slice->to,
		.base = slice->file_offset == TL_NOWHERE ? slice->buffer_offset
							 : slice->file_offset,
		.image = slice->image,
		.asid = slice->asid,
		.stream = slice->stream,
		.process = slice->process,
		.thread = slice->thread,
		.cpu = slice->cpu,
		.command = slice->command,
		.continues = slice->continues,
		.gap = slice->gap,
		.guest = slice->guest,
	};
	status = tl_pt_input_configure(p->options, &piece->config, err);
	if (status < 0)
		return status;
	return 1;
}

static void rewind_pieces(void *arg)
{
	struct perf_input *p = arg;

	tl_perf_trace_rewind(p->trace);
}

/* Code that was made at run time has its name by what its compiler wrote down. */
static void name_by_list(struct perf_input *p, uint64_t ip, struct tl_pt_mapping *place)
{
	struct tl_perf_compiled_name name;
	const int status =
		tl_perf_trace_listed_name(p->trace, p->slice.space, ip, &name, &place->nameless);

	place->listed = status != TL_UNSUPPORTED;
	place->no_memory = status == TL_NO_MEMORY;
	if (status == 1) {
		place->name = name.name;
		place->entry = name.start;
	}
}

static bool mapping_of(void *arg, uint64_t ip, struct tl_pt_mapping *place)
{
	struct perf_input *p = arg;
	struct tl_perf_mapping found;

	if (tl_perf_trace_find_mapping(p->trace, p->slice.space, ip, &found, sizeof(found)) <= 0)
		return false;
	*place = (struct tl_pt_mapping){
		.start = found.start,
		.end = found.end,
		.object = found.path,
		.file = found.file,
		.bias = found.bias,
		.offset = found.page_offset,
		.why = found.reason,
	};
	name_by_list(p, ip, place);
	return true;
}

/* ---- opening ---- */

static void close_perf(struct tl_input *input)
{
	struct perf_input *p = input->handle;

	tl_pt_faults_free(&p->pt.faults);
	tl_perf_sample_remarks_free(&p->remarks);
	tl_perf_sample_binaries_free(&p->binaries);
	tl_perf_trace_close(p->trace);
	tl_perf_close(p->reader);
	free(p->programs);
	free(p);
	input->handle = NULL;
}

/* A reader at the first record. */
static int begin_records(struct tl_input *input, struct tl_error *err)
{
	struct perf_input *p = input->handle;
	const struct tl_perf_options options = {
		.size = sizeof(options),
		.strict = input->options.strict,
		.in_order = !input->options.file_order,
	};

	tl_perf_close(p->reader);
	p->reader = NULL;
	return tl_perf_open(&p->reader, input->source, &options, err);
}

static int note_unused(struct perf_input *p, struct tl_error *err)
{
	for (size_t i = 0; i < p->options->programs.binary_count; i++) {
		const char *why;
		const int used = tl_perf_given_is_used(&p->trace->sys, p->programs[i], &why, err);
		char *text;

		if (used < 0)
			return used;
		if (used)
			continue;
		if (asprintf(&text, "%s was not used: %s", p->programs[i], why) < 0 ||
		    !tl_pt_fault_add_text(&p->pt.faults, text))
			return tl_error_memory(err);
	}
	return 0;
}

static bool is_emulated(struct tl_perf_trace *trace)
{
	const char *version = tl_perf_header(tl_perf_trace_reader(trace))->perf_version;

	return version && !strcmp(version, TL_RECORDING_EMULATED);
}

/* Read processes, maps and AUX data, once. */
static int need_trace(const struct tl_input *input, struct tl_error *err)
{
	struct perf_input *p = input->handle;
	const struct tl_input_options *o = &input->options;
	const struct tl_perf_trace_options options = {
		.size = sizeof(options),
		.strict = o->strict,
		.sysroot = o->programs.sysroot,
		.build_id_dirs = &o->programs.build_id_dir,
		.build_id_dir_count = o->programs.build_id_dir != NULL,
		.programs = p->programs,
		.program_count = o->programs.binary_count,
		.guest_root = o->programs.guest_root,
		.debuginfod = o->programs.debuginfod,
		.process = o->filter.process,
		.thread = o->filter.thread,
		.cpu = o->filter.cpu,
	};
	const struct tl_perf_pt_info *info;
	int status = 0;

	if (!p->trace) {
		status = tl_perf_trace_open(&p->trace, input->source, &options, err);
		if (status == 0)
			status = note_unused(p, err);
	}
	if (status < 0)
		return status;
	info = tl_perf_trace_info(p->trace);
	p->pt.feed.timed = info->config & info->tsc_bit;
	p->pt.feed.emulated = is_emulated(p->trace);
	p->pt.feed.frequency =
		tl_pt_input_hz(o, info->tsc_ctc_d, info->tsc_ctc_n, tl_perf_pt_info_tsc_hz(info));
	return 0;
}

/* The recording says where its programs were: no other address holds. */
static int take_programs(struct perf_input *p, const char **failed, struct tl_error *err)
{
	const struct tl_input_programs *given = &p->options->programs;

	p->programs = tl_zeroed(given->binary_count, sizeof(*p->programs));
	if (!p->programs)
		return tl_error_memory(err);
	for (size_t i = 0; i < given->binary_count; i++) {
		p->programs[i] = given->binaries[i].path;
		if (!given->binaries[i].address)
			continue;
		*failed = p->programs[i];
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "a perf.data file says itself where its programs were: give the "
				   "file without @ADDR");
	}
	return 0;
}

static int open_perf(struct tl_input *input, const char *const *paths, size_t path_count,
		     const char **failed, struct tl_error *err)
{
	struct perf_input *p = calloc(1, sizeof(*p));
	int status;

	(void)paths;
	(void)path_count;
	if (!p)
		return tl_error_memory(err);
	input->handle = p;
	p->options = &input->options;
	status = take_programs(p, failed, err);
	if (status < 0)
		return status;
	p->pt.has_code = true;
	p->pt.by_threads = true;
	p->pt.feed = (struct tl_pt_feed){
		.next = next_piece,
		.rewind = rewind_pieces,
		.mapping = mapping_of,
		.arg = p,
		.raw_names = input->options.raw_names,
		.debuginfod = input->options.programs.debuginfod,
	};
	return begin_records(input, err);
}

/* ---- records ---- */

static int describe_perf(struct tl_input *input, bool json, struct tl_output *out,
			 struct tl_error *err)
{
	struct perf_input *p = input->handle;
	int status = begin_records(input, err);

	if (status < 0)
		return status;
	return tl_perf_describe(p->reader, json, out, err);
}

static int64_t check_perf(struct tl_input *input, bool json, struct tl_output *out,
			  struct tl_error *err)
{
	struct perf_input *p = input->handle;
	int64_t records = begin_records(input, err), flow;

	if (records == 0)
		records = tl_perf_check(p->reader, json, out, err);
	if (records < 0)
		return records;
	flow = need_trace(input, err);
	/* Without Intel PT there is nothing more to check. */
	if (flow == TL_UNSUPPORTED)
		return records;
	if (flow == 0)
		flow = tl_pt_input_check(input, json, out, err);
	if (flow < 0)
		return flow;
	return records + flow;
}

/* ---- the trace in it ---- */

static int list_pebs(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	const struct perf_input *p = input->handle;
	const struct tl_perf_pebs_window window = { input->options.filter.from_seconds,
						    input->options.filter.to_seconds };
	int64_t count = need_trace(input, err);

	if (count == 0)
		count = tl_perf_pebs_list(p->trace, &window, json, out, err);
	return count < 0 ? (int)count : 0;
}

static int dump_perf(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	const unsigned flow = TL_DUMP_PACKETS | TL_DUMP_BLOCKS | TL_DUMP_INSTRUCTIONS |
			      TL_DUMP_EVENTS | TL_DUMP_BRANCHES | TL_DUMP_STAT;
	struct perf_input *p = input->handle;
	int status;

	if (input->options.dump.flags & TL_DUMP_PEBS)
		return list_pebs(input, json, out, err);
	if (input->options.dump.flags & flow) {
		status = need_trace(input, err);
		if (status < 0)
			return status;
		return tl_pt_input_dump(input, json, out, err);
	}
	status = begin_records(input, err);
	if (status < 0)
		return status;
	return tl_perf_dump(p->reader, json, out, err);
}

static struct tl_perf_sample_options sample_options(const struct tl_input *input)
{
	const struct tl_input_options *o = &input->options;
	const struct perf_input *p = input->handle;

	return (struct tl_perf_sample_options){
		.thread = o->filter.thread,
		.process = o->filter.process,
		.cpu = o->filter.cpu,
		.from_seconds = o->filter.from_seconds,
		.to_seconds = o->filter.to_seconds,
		.sysroot = o->programs.sysroot,
		.build_id_dirs = &o->programs.build_id_dir,
		.build_id_dir_count = o->programs.build_id_dir != NULL,
		.programs = p->programs,
		.program_count = o->programs.binary_count,
		.debuginfod = o->programs.debuginfod,
		.guest_root = o->programs.guest_root,
		.raw_names = o->raw_names,
		.lines = o->detail == TL_DETAIL_LINES,
		.sums_alone = tl_input_sums_alone(o),
		.per_thread = o->per_thread,
		.inlined = o->inlined,
		.branches = o->branches,
		.share = o->share,
		.shares = o->shares,
	};
}

#define ATTR_CONTEXT_SWITCH (1u << 26)

enum { SHARES_MOST = 64 };

static uint32_t shares_of_trace(const struct tl_input *input)
{
	const struct perf_input *p = input->handle;
	const struct tl_perf_pt_info *info;
	int64_t threads;

	/* What is rounded is so once for the whole file. */
	if (input->options.quick || input->options.nanoseconds || need_trace(input, NULL) < 0)
		return 1;
	info = tl_perf_trace_info(p->trace);
	/* Cycles count for all threads from the first packet of them on, whosever it is. */
	if (info->config & info->cyc_bit)
		return 1;
	/* Each has a call stack of its own. */
	threads = tl_perf_trace_count_threads(p->trace, SHARES_MOST, NULL);
	return threads > 1 ? (uint32_t)threads : 1;
}

/*
 * Samples, each with its own cost. What is not known of the file yet, the fold of a share refuses.
 */
static uint32_t shares_perf(const struct tl_input *input)
{
	const struct perf_input *p = input->handle;

	if (tl_perf_has_feature(p->reader, TL_PERF_FEATURE_AUXTRACE))
		return shares_of_trace(input);
	for (size_t i = 0; i < p->reader->attrs.count; i++)
		if (p->reader->attrs.list[i].flags & ATTR_CONTEXT_SWITCH)
			return 1;
	return input->options.branches ? 1 : TL_SHARES_ANY;
}

/* Where threads take turns on a buffer, each share has to know what is before its own. */
static bool chains_perf(const struct tl_input *input)
{
	const struct perf_input *p = input->handle;
	bool by_processor = false;

	if (!tl_perf_has_feature(p->reader, TL_PERF_FEATURE_AUXTRACE) ||
	    need_trace(input, NULL) < 0)
		return false;
	for (size_t i = 0; i < p->trace->aux.stream_count; i++)
		by_processor |= p->trace->aux.streams[i].cpu != TL_PERF_NO_CPU;
	return by_processor;
}

/* "Host: NAME" in front of what a part's header has already. */
static int add_host(struct tl_profile *profile, struct tl_part *part, const char *host,
		    struct tl_error *err)
{
	const char *kept;
	char *lines;

	if (asprintf(&lines, "Host: %.*s%s%s", (int)strcspn(host, "\n"), host,
		     *part->header ? "\n" : "", part->header) < 0)
		return tl_error_memory(err);
	kept = tl_profile_intern(profile, lines, strlen(lines));
	free(lines);
	if (!kept)
		return tl_error_memory(err);
	part->header = kept;
	return 0;
}

/* Each part says on which host it ran, as a line of its header, where the file does. */
static int name_host(const struct perf_input *p, struct tl_profile *profile, struct tl_error *err)
{
	const struct tl_perf_reader *reader = p->trace ? tl_perf_trace_reader(p->trace) : p->reader;
	const char *host = tl_perf_header(reader)->hostname;
	int status = 0;

	for (size_t i = 0; *host && status == 0 && i < profile->parts.count; i++)
		status = add_host(profile, &profile->parts.list[i], host, err);
	return status;
}

/* Samples, unless the file has Intel PT. */
static int fold_parts(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	struct tl_perf_sample_options options = sample_options(input);
	struct perf_input *p = input->handle;
	int status = p->trace ? 1 : begin_records(input, err);

	*profile = NULL;
	tl_perf_sample_binaries_free(&p->binaries);
	/* Only instructions are shown with their code. */
	if (options.lines)
		options.binaries = &p->binaries;
	if (status == 0) {
		tl_perf_sample_remarks_free(&p->remarks);
		status = tl_perf_samples_fold(p->reader, &options, &p->remarks, profile, err);
	}
	if (status == 1)
		status = need_trace(input, err);
	else
		return status;
	if (status < 0)
		return status;
	return tl_pt_input_fold(input, profile, err);
}

static int fold_perf(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	int status = fold_parts(input, profile, err);

	if (status == 0)
		status = name_host(input->handle, *profile, err);
	if (status < 0) {
		tl_profile_free(*profile);
		*profile = NULL;
	}
	return status;
}

/*
 * A profile is made first, as its contexts are what the stacks of samples are; then records are at
 * their begin again. 1: the file has Intel PT. The contexts are to be freed in any case.
 */
static int fold_samples(struct tl_input *input, const struct tl_perf_sample_options *options,
			struct tl_perf_sample_contexts *contexts, struct tl_profile **profile,
			struct tl_error *err)
{
	struct perf_input *p = input->handle;
	int status;

	*contexts = (struct tl_perf_sample_contexts){ .list = NULL };
	*profile = NULL;
	tl_perf_sample_remarks_free(&p->remarks);
	status = begin_records(input, err);
	if (status == 0)
		status = tl_perf_samples_fold_stacks(p->reader, options, &p->remarks, contexts,
						     profile, err);
	return status ? status : begin_records(input, err);
}

static int refuse_branches(const struct tl_perf_sample_options *options, struct tl_error *err)
{
	if (!options->branches)
		return 0;
	return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
			   "with --branch-stack branches are counted: there is no list of samples");
}

static int list_samples(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	const struct tl_perf_sample_options options = sample_options(input);
	struct perf_input *p = input->handle;
	struct tl_perf_sample_contexts contexts = { .list = NULL };
	struct tl_profile *profile = NULL;
	int status = refuse_branches(&options, err);

	if (status == 0)
		status = fold_samples(input, &options, &contexts, &profile, err);
	tl_profile_free(profile);
	if (status == 1)
		status = list_pebs(input, true, out, err);
	else if (status == 0)
		status = tl_perf_samples_list(p->reader, &options, &contexts, out, err);
	free(contexts.list);
	return status;
}

/* Samples of which the filters by function let the innermost one pass. 1: there is Intel PT. */
static int draw_samples(struct tl_input *input, struct tl_timeline *timeline, struct tl_error *err)
{
	const struct tl_perf_sample_options options = sample_options(input);
	const struct tl_profile_filter filter = {
		.size = sizeof(filter),
		.function = input->options.filter.function,
		.object = input->options.filter.object,
	};
	struct perf_input *p = input->handle;
	struct tl_perf_sample_contexts contexts;
	struct tl_profile *profile;
	int status = fold_samples(input, &options, &contexts, &profile, err);

	if (status == 0)
		status = refuse_branches(&options, err);
	if (status == 0)
		status = tl_profile_choose(profile, &filter, err);
	if (status == 0)
		status = tl_perf_samples_draw(p->reader, &options, &contexts, profile, &p->remarks,
					      timeline, err);
	tl_profile_free(profile);
	free(contexts.list);
	return status;
}

static int draw_perf(struct tl_input *input, struct tl_timeline *timeline, struct tl_error *err)
{
	struct perf_input *p = input->handle;
	int status = p->trace ? 1 : draw_samples(input, timeline, err);

	if (status == 1)
		status = need_trace(input, err);
	else
		return status;
	if (status < 0)
		return status;
	return tl_pt_input_timeline(input, timeline, err);
}

static int cover_perf(struct tl_input *input, const struct tl_coverage_exporter *exporter,
		      struct tl_output *out, struct tl_error *err)
{
	int status = need_trace(input, err);

	if (status < 0)
		return status;
	return tl_pt_input_coverage(input, exporter, out, err);
}

static int executed_of_perf(struct tl_input *input, size_t number, uint64_t salt,
			    struct tl_flow_source *source, struct tl_error *err)
{
	int status = need_trace(input, err);

	return status < 0 ? status : tl_pt_input_executed(input, number, salt, source, err);
}

static uint64_t ns_behind(uint64_t first_ns, double seconds)
{
	const double ns = seconds * 1e9;

	return ns < 1e18 && (uint64_t)ns < TL_NOWHERE - first_ns ? first_ns + (uint64_t)ns
								 : TL_NOWHERE;
}

/* Of samples: when threads ran. 1: there is Intel PT. */
static int list_running(struct tl_input *input, struct tl_call_source *source,
			struct tl_calls_options *options, struct tl_error *err)
{
	const struct tl_perf_sample_options sampled = sample_options(input);
	struct perf_input *p = input->handle;
	uint64_t first_ns;
	int status = begin_records(input, err);

	if (status == 0)
		status = tl_perf_first_sample(p->reader, &first_ns, err);
	if (status)
		return status;
	if (sampled.from_seconds > 0)
		options->from = tl_max(options->from, ns_behind(first_ns, sampled.from_seconds));
	if (sampled.to_seconds > 0)
		options->to = tl_min(options->to, ns_behind(first_ns, sampled.to_seconds));
	status = begin_records(input, err);
	return status < 0 ? status
			  : tl_perf_running_calls(p->reader, &sampled, first_ns, source, err);
}

static int list_perf_calls(struct tl_input *input, struct tl_call_source *source,
			   struct tl_calls_options *options, struct tl_error *err)
{
	const struct perf_input *p = input->handle;
	int status = p->trace ? 1 : list_running(input, source, options, err);

	if (status == 1)
		status = need_trace(input, err);
	else
		return status;
	return status < 0 ? status : tl_pt_input_calls(input, source, options, err);
}

static int slice_perf(struct tl_input *input, const struct tl_slice *what, struct tl_output *out,
		      struct tl_error *err)
{
	struct perf_input *p = input->handle;
	struct tl_pt_window window;
	struct tl_pt_trigger trigger;
	int status = need_trace(input, err);

	if (status == 0)
		status = tl_pt_input_slice_window(input, what, &window, &trigger, err);
	if (status < 0)
		return status;
	return tl_perf_slice(p->trace, window.from, window.to, out, err);
}

/* ---- damage: of records, then of the trace ---- */

static size_t damage_perf(struct tl_input *input, struct tl_damage *places, size_t room,
			  uint64_t *count, uint64_t *skipped_bytes)
{
	struct perf_input *p = input->handle;
	struct tl_perf_reader *reader = p->trace ? tl_perf_trace_reader(p->trace) : p->reader;
	const struct tl_perf_fault *list = NULL;
	uint64_t flow_count, flow_bytes;
	size_t listed = 0;

	*count = *skipped_bytes = 0;
	if (reader)
		list = tl_perf_faults(reader, &listed, count, skipped_bytes);
	listed = tl_min(listed, room);
	for (size_t i = 0; i < listed; i++)
		places[i] = (struct tl_damage){
			.status = list[i].status,
			.text = list[i].text,
			.offset = list[i].offset,
			.length = list[i].length,
			.record = list[i].record,
		};
	*count += p->remarks.count;
	for (size_t i = 0; i < p->remarks.count && listed < room; i++)
		places[listed++] = (struct tl_damage){
			.status = TL_BAD_RECORD,
			.text = p->remarks.list[i],
			.offset = TL_NOWHERE,
			.record = TL_NOWHERE,
		};
	listed +=
		tl_pt_input_damage(input, places + listed, room - listed, &flow_count, &flow_bytes);
	*count += flow_count;
	*skipped_bytes += flow_bytes;
	return listed;
}

static struct tl_binary *binary_of_perf(struct tl_input *input, const char *object)
{
	const struct perf_input *p = input->handle;

	return tl_perf_sample_binary(&p->binaries, object);
}

/* As the process that ran last has it. */
static size_t code_of_perf(struct tl_input *input, const char *object, uint64_t address,
			   uint8_t *bytes, size_t size)
{
	struct perf_input *p = input->handle;
	struct tl_perf_mapping place;
	int count;

	if (!p->trace || !p->slice.image ||
	    tl_perf_trace_find_mapping(p->trace, p->slice.space, address, &place, sizeof(place)) <=
		    0 ||
	    strcmp(place.path, object))
		return 0;
	count = tl_pt_image_read(p->slice.image, NULL, bytes, size, &p->slice.asid, address);
	return count > 0 ? (size_t)count : 0;
}

const struct tl_format tl_perf_format = {
	.info = {
		.name = "perf",
		.help = "perf.data of Linux perf: samples, or Intel PT",
		.record_word = "record",
		.machine = EM_X86_64,
	},
	.probe = tl_perf_probe,
	.open = open_perf,
	.close = close_perf,
	.shares = shares_perf,
	.chains = chains_perf,
	.fold = fold_perf,
	.describe = describe_perf,
	.dump = dump_perf,
	.check = check_perf,
	.timeline = draw_perf,
	.calls = list_perf_calls,
	.samples = list_samples,
	.slice = slice_perf,
	.coverage = cover_perf,
	.executed = executed_of_perf,
	.binary = binary_of_perf,
	.code = code_of_perf,
	.damage = damage_perf,
};
