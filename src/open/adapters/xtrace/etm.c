/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of ETMv4 and ETE as an input: packets, and what was executed by them and the programs'
 * code, which is an xtrace input from then on. It is followed when it is first asked for.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"
#include "etm/flow/executed.h"
#include "etm/listing/listing.h"
#include "etm/packets/probe.h"
#include "open/adapters/xtrace/xtrace.h"
#include "open/binaries.h"
#include "open/fault_damage.h"
#include "xtrace/format/trace.h"

/* Code that is bytes of a file, without names. */
struct raw_code {
	struct tl_source *source;
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
};

struct etm_input {
	struct tl_xtrace_input xtrace; /* first: the operations of xtrace find it at the handle */
	struct raw_code *raws;
	size_t raw_count;
	struct tl_etm_file file;
	struct tl_etm_executed executed;
	const struct tl_fault_list *met; /* by the last operation */
};

enum { NAME = 64 };

/* ---- opening ---- */

static int check_options(struct tl_input *input, const char **failed, struct tl_error *err)
{
	const struct tl_input_options *o = &input->options;
	const struct tl_xtrace_input *x = input->handle;

	if (o->filter.from_seconds > 0 || o->filter.to_seconds > 0)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "timestamps are shown by dump, and nothing is chosen by them");
	for (size_t i = 0; i < x->binary_count; i++)
		if (tl_binary_machine(x->binaries[i]) != EM_AARCH64) {
			*failed = o->programs.binaries[i].path;
			return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
					   "not a program of AArch64");
		}
	return 0;
}

static int open_raw(struct raw_code *raw, const struct tl_raw_spec *spec, struct tl_error *err)
{
	const uint8_t *data;
	size_t size;
	uint64_t end;
	int status = tl_source_open(&raw->source, spec->path, NULL, err);

	if (status == 0)
		status = tl_source_map(raw->source, &data, &size, err);
	if (status < 0)
		return status;
	end = spec->end && spec->end < size ? spec->end : size;
	if (spec->offset >= end)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there are no such bytes in the file");
	if (end - spec->offset > UINT64_MAX - spec->address)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the bytes reach past the end of all addresses");
	raw->bytes = data + spec->offset;
	raw->size = (size_t)(end - spec->offset);
	raw->address = spec->address;
	return 0;
}

static int open_raws(struct tl_input *input, const char **failed, struct tl_error *err)
{
	const struct tl_input_programs *programs = &input->options.programs;
	struct etm_input *in = input->handle;
	int status = 0;

	if (!programs->raw_count)
		return 0;
	in->raws = calloc(programs->raw_count, sizeof(*in->raws));
	if (!in->raws)
		return tl_error_memory(err);
	while (status == 0 && in->raw_count < programs->raw_count) {
		const struct tl_raw_spec *spec = &programs->raws[in->raw_count];

		/* Counted in any case, so that what was opened of it is closed. */
		status = open_raw(&in->raws[in->raw_count++], spec, err);
		if (status < 0)
			*failed = spec->path;
	}
	return status;
}

static int open_file(struct tl_input *input, struct tl_error *err)
{
	const struct tl_input_etm *o = &input->options.etm;
	const struct tl_etm_registers registers = { o->trcidr0, o->trcidr1,    o->trcidr2,
						    o->trcidr8, o->trcconfigr, o->trctraceidr };
	struct etm_input *in = input->handle;
	const uint8_t *data;
	size_t size;
	int status = tl_source_map(input->source, &data, &size, err);

	return status < 0 ? status : tl_etm_file_open(&in->file, data, size, &registers, err);
}

static int open_etm(struct tl_input *input, const char *const *paths, size_t path_count,
		    const char **failed, struct tl_error *err)
{
	struct etm_input *in = calloc(1, sizeof(*in));
	int status;

	(void)paths;
	(void)path_count;
	if (!in)
		return tl_error_memory(err);
	input->handle = in;
	in->met = &in->file.faults;
	in->file.faults.strict = in->executed.faults.strict = input->options.strict;
	status = open_file(input, err);
	if (status == 0)
		status = tl_xtrace_input_open_binaries(input, failed, err);
	if (status == 0)
		status = tl_error_format(err, "etm", check_options(input, failed, err));
	if (status == 0)
		status = open_raws(input, failed, err);
	return status;
}

static void close_etm(struct tl_input *input)
{
	struct etm_input *in = input->handle;
	struct tl_etm_executed executed = in->executed;
	struct tl_etm_file file = in->file;

	for (size_t i = 0; i < in->raw_count; i++)
		tl_source_close(in->raws[i].source);
	free(in->raws);
	/* The streams of xtrace stand in what was executed. */
	tl_xtrace_input_close(input);
	tl_etm_executed_end(&executed);
	tl_etm_file_close(&file);
}

/* ---- what was executed ---- */

/* Raw code wins over that of programs, which may have been patched where it ran. */
static const uint8_t *code_at(void *arg, uint64_t address, size_t *size)
{
	const struct etm_input *in = arg;
	const uint8_t *code = NULL;

	for (size_t i = 0; i < in->raw_count; i++) {
		const struct raw_code *raw = &in->raws[i];

		if (address < raw->address || address - raw->address >= raw->size)
			continue;
		*size = raw->size - (size_t)(address - raw->address);
		return raw->bytes + (address - raw->address);
	}
	for (size_t i = 0; !code && i < in->xtrace.binary_count; i++)
		code = tl_binary_code(in->xtrace.binaries[i], address, size);
	return code;
}

static int open_streams(struct etm_input *in, struct tl_xtrace_file *files, char (*names)[NAME],
			struct tl_error *err)
{
	const struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	struct tl_etm_streams *streams = &in->executed.streams;
	struct tl_xtrace_input *x = &in->xtrace;
	int status = 0;

	for (size_t i = 0; status == 0 && i < streams->count; i++) {
		const void *tokens;
		size_t size;

		snprintf(names[i], NAME, "xtrace.etm.%llu.hint9.xinsndata.bin",
			 (unsigned long long)streams->list[i].id);
		status = tl_etm_stream_finish(&streams->list[i], &tokens, &size, err);
		if (status == 0)
			status = tl_source_open_memory(&x->sources[i], tokens, size, names[i], err);
		if (status < 0)
			break;
		files[i] = (struct tl_xtrace_file){ names[i], x->sources[i] };
		x->source_count++;
	}
	if (status == 0)
		status = tl_xtrace_open(&x->trace, files, streams->count, &options, NULL, err);
	if (status < 0)
		return status;
	x->trace->format = "etm";
	x->trace->no_accesses = true;
	return 0;
}

static int make_trace(struct etm_input *in, struct tl_error *err)
{
	const size_t count = in->executed.streams.count;
	struct tl_xtrace_file *files = calloc(count, sizeof(*files));
	char(*names)[NAME] = calloc(count, sizeof(*names));
	int status;

	in->xtrace.sources = calloc(count, sizeof(struct tl_source *));
	in->xtrace.is_log = true;
	if (files && names && in->xtrace.sources)
		status = open_streams(in, files, names, err);
	else
		status = tl_error_memory(err);
	free(files);
	free(names);
	return status;
}

/* Nothing of an attempt that failed is left. */
static void forget(struct etm_input *in)
{
	struct tl_xtrace_input *x = &in->xtrace;

	for (size_t i = 0; i < x->source_count; i++)
		tl_source_close(x->sources[i]);
	free(x->sources);
	x->sources = NULL;
	x->source_count = 0;
	tl_etm_executed_end(&in->executed);
}

/* Follow the trace, unless that was done before. 0 or negative. */
static int follow(struct tl_input *input, struct tl_error *err)
{
	struct etm_input *in = input->handle;
	int status;

	in->xtrace.lacking = NULL;
	in->met = &in->executed.faults;
	if (in->xtrace.trace)
		return 0;
	if (!in->xtrace.binary_count && !in->raw_count)
		return tl_error_format(err, "etm",
				       tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
						   "a trace has no code: what was executed is "
						   "known with the programs, --binary "
						   "PROGRAM[@ADDR] or --raw"));
	status = tl_etm_execute(&in->executed, &in->file, code_at, in, err);
	if (status == 0 && !in->executed.streams.count)
		status = tl_error_format(err, "etm",
					 tl_error_at(err, TL_BAD_FORMAT, TL_NOWHERE,
						     in->executed.gaps[TL_ETM_GAP_CODE]
							     ? "none of what was executed is in "
							       "the programs"
							     : "no instruction was executed"));
	if (status == 0)
		status = make_trace(in, err);
	if (status < 0)
		forget(in);
	return status;
}

/* ---- operations on packets ---- */

/* The file, without what the last operation has met. */
static struct tl_etm_file *begin(struct tl_input *input)
{
	struct etm_input *in = input->handle;

	tl_fault_list_free(&in->file.faults);
	in->met = &in->file.faults;
	in->xtrace.lacking = NULL;
	return &in->file;
}

static int describe_etm(struct tl_input *input, bool json, struct tl_output *out,
			struct tl_error *err)
{
	return tl_etm_describe(begin(input), json, out, err);
}

/* Numbers and addresses choose instructions. */
static bool lists_instructions(const struct tl_dump_options *o)
{
	return o->flags & TL_DUMP_INSTRUCTIONS || o->ordinals.from || o->ordinals.to ||
	       o->pcs.from || o->pcs.to;
}

static int dump_etm(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	struct tl_xtrace_select select;
	int status;

	if (!lists_instructions(&input->options.dump))
		return tl_etm_dump(begin(input), json, out, err);
	status = follow(input, err);
	if (status == 0)
		status = tl_xtrace_input_select(input, &select, err);
	return status < 0 ? status : tl_xtrace_input_instructions(input, &select, json, out, err);
}

static int64_t check_etm(struct tl_input *input, bool json, struct tl_output *out,
			 struct tl_error *err)
{
	struct tl_etm_file *file = begin(input);
	struct tl_fault_lines lines;
	int status;

	tl_fault_lines_begin(&lines, &file->faults, json, out);
	status = tl_etm_check(file, err);
	file->faults.tell = NULL;
	return status < 0 ? status : lines.told;
}

/* ---- operations on what was executed ---- */

static int fold_etm(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	int status = follow(input, err);

	*profile = NULL;
	return status < 0 ? status : tl_xtrace_input_fold(input, profile, err);
}

static int calls_etm(struct tl_input *input, struct tl_call_source *source,
		     struct tl_calls_options *options, struct tl_error *err)
{
	int status = follow(input, err);

	return status < 0 ? status : tl_xtrace_input_calls(input, source, options, err);
}

static int locate_etm(struct tl_input *input, const struct tl_simpoint_options *options,
		      tl_simpoint_found_fn *fn, void *arg, struct tl_error *err)
{
	int status = follow(input, err);

	return status < 0 ? status : tl_xtrace_input_locate(input, options, fn, arg, err);
}

static int executed_etm(struct tl_input *input, size_t number, uint64_t salt,
			struct tl_flow_source *source, struct tl_error *err)
{
	int status = follow(input, err);

	return status < 0 ? status : tl_xtrace_input_executed(input, number, salt, source, err);
}

static int analyze_etm(struct tl_input *input, const struct tl_analysis *analysis,
		       struct tl_output *out, const char **failed, struct tl_error *err)
{
	int status = follow(input, err);

	return status < 0 ? status
			  : tl_xtrace_input_analyze_log(input, analysis, false, out, failed, err);
}

static size_t code_etm(struct tl_input *input, const char *object, uint64_t address, uint8_t *bytes,
		       size_t size)
{
	const struct etm_input *in = input->handle;

	return in->xtrace.trace ? tl_xtrace_input_code(input, object, address, bytes, size) : 0;
}

static size_t damage_etm(struct tl_input *input, struct tl_damage *places, size_t room,
			 uint64_t *count, uint64_t *skipped_bytes)
{
	const struct etm_input *in = input->handle;
	const size_t listed = tl_fault_damage(in->met, places, room, count, skipped_bytes);

	return listed + tl_xtrace_input_damage(&in->xtrace, places + listed, room - listed, count);
}

const struct tl_format tl_etm_format = {
	.info = {
		.name = "etm",
		.help = "Arm ETMv4 and ETE instruction trace, by itself or in frames of the "
			"CoreSight formatter; --binary PROGRAM has the code",
		.record_word = "packet",
		.machine = EM_AARCH64,
	},
	.numbers_instructions = true,
	.probe = tl_etm_probe,
	.open = open_etm,
	.close = close_etm,
	.fold = fold_etm,
	.describe = describe_etm,
	.dump = dump_etm,
	.check = check_etm,
	.analyze = analyze_etm,
	.calls = calls_etm,
	.locate = locate_etm,
	.executed = executed_etm,
	.code = code_etm,
	.damage = damage_etm,
};
