/* SPDX-License-Identifier: Apache-2.0 */
/* Raw Intel PT as an input: one piece of trace, and code that the options name. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/source.h"
#include "intel_pt/code/program.h"
#include "intel_pt/listing/info.h"
#include "intel_pt/packets/probe.h"
#include "open/adapters/intel_pt.h"

enum {
	MOST_SHARES = 6,
	/* At least: each share decodes the code for itself; in 10 MiB nothing is gained. */
	SHARE_BYTES = 16 << 20,
};

struct raw_input {
	struct tl_pt_input pt;
	struct tl_pt_config config;
	struct tl_pt_program *program;
	struct tl_source *source;
	bool given; /* the one piece was */
};

/* ---- the feed ---- */

static int next_piece(void *arg, struct tl_pt_trace_slice *piece, struct tl_error *err)
{
	struct raw_input *raw = arg;

	(void)err;
	if (raw->given)
		return 0;
	raw->given = true;
	*piece = (struct tl_pt_trace_slice){
		.config = raw->config,
		.to = (uint64_t)(raw->config.end - raw->config.begin),
		.image = tl_pt_program_image(raw->program),
		.asid = { TL_PT_ANY, TL_PT_ANY },
		.process = TL_NOWHERE,
		.thread = TL_NOWHERE,
		.cpu = TL_NOWHERE,
		.command = "",
	};
	return 1;
}

static void rewind_pieces(void *arg)
{
	struct raw_input *raw = arg;

	raw->given = false;
}

static bool mapping_of(void *arg, uint64_t ip, struct tl_pt_mapping *place)
{
	struct raw_input *raw = arg;

	return tl_pt_program_mapping(raw->program, ip, place);
}

static const char *unused(void *arg, size_t number)
{
	struct raw_input *raw = arg;

	return tl_pt_program_unused(raw->program, number);
}

static void passed(void *arg, uint64_t bytes)
{
	struct raw_input *raw = arg;

	tl_source_release(raw->source, 0, bytes);
	tl_pt_program_release(raw->program);
}

/* ---- opening ---- */

static void close_raw(struct tl_input *input)
{
	struct raw_input *raw = input->handle;

	tl_pt_faults_free(&raw->pt.faults);
	tl_pt_program_close(raw->program);
	free(raw);
	input->handle = NULL;
}

/* The map that is named, or the one that stands beside the trace; files that are named win over it.
 */
static int add_map(struct raw_input *raw, const struct tl_input_options *o, const char *trace,
		   const char **failed, struct tl_error *err)
{
	char *beside = NULL;
	const char *path;
	int status = 0;

	if (!o->programs.map)
		status = tl_pt_program_find_map(trace, &beside, err);
	path = o->programs.map ? o->programs.map : beside;
	if (status == 0 && path)
		status = tl_pt_program_add_map(raw->program, path, o->programs.sysroot, err);

	if (status < 0 && o->programs.map)
		*failed = o->programs.map;
	free(beside);
	return status;
}

static int add_code(struct raw_input *raw, const struct tl_input_options *o, const char **failed,
		    struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < o->programs.binary_count; i++) {
		status = tl_pt_program_add_elf(raw->program, o->programs.binaries[i].path,
					       o->programs.binaries[i].address, err);
		if (status < 0)
			*failed = o->programs.binaries[i].path;
	}
	for (size_t i = 0; status == 0 && i < o->programs.raw_count; i++) {
		const struct tl_raw_spec *r = &o->programs.raws[i];

		status = tl_pt_program_add_raw(raw->program, r->path, r->offset, r->end, r->address,
					       err);
		if (status < 0)
			*failed = r->path;
	}
	return status;
}

static int open_trace(struct tl_input *input, struct raw_input *raw, struct tl_error *err)
{
	const uint8_t *data;
	uint64_t psb;
	size_t size;
	int status = tl_source_map(input->source, &data, &size, err);

	if (status < 0)
		return status;
	raw->config = (struct tl_pt_config){ .size = sizeof(raw->config),
					     .begin = data,
					     .end = size ? data + size : data };
	if (!tl_pt_find_psbs(&raw->config, 0, &psb, 1) &&
	    !(input->options.dump.flags & TL_DUMP_NO_SYNC))
		return tl_error_format(err, "intel-pt",
				       tl_error_at(err, TL_BAD_FORMAT, 0,
						   "there is no PSB, so nothing can be decoded"));
	return tl_pt_input_configure(&input->options, &raw->config, err);
}

static int open_raw(struct tl_input *input, const char *const *paths, size_t path_count,
		    const char **failed, struct tl_error *err)
{
	struct raw_input *raw = calloc(1, sizeof(*raw));
	uint64_t first;
	int status, timed = 0;

	(void)path_count;
	if (!raw)
		return tl_error_memory(err);
	input->handle = raw;
	raw->source = input->source;
	raw->pt.feed = (struct tl_pt_feed){
		.next = next_piece,
		.rewind = rewind_pieces,
		.mapping = mapping_of,
		.passed = passed,
		.unused = unused,
		.arg = raw,
		.frequency = tl_pt_input_hz(&input->options, 0, 0, 0),
		.raw_names = input->options.raw_names,
		.debuginfod = input->options.programs.debuginfod,
	};
	status = tl_pt_program_open(&raw->program, err);
	if (status == 0)
		status = open_trace(input, raw, err);
	if (status == 0)
		status = add_map(raw, &input->options, paths[0], failed, err);
	if (status == 0)
		status = add_code(raw, &input->options, failed, err);
	if (status == 0)
		status = tl_pt_program_index(raw->program, err);
	if (status == 0)
		status = timed = tl_pt_first_time(&raw->config, &first, err);
	raw->pt.has_code = status >= 0 && !tl_pt_program_is_empty(raw->program);
	raw->pt.feed.timed = timed > 0;
	return tl_error_or_end(status);
}

/*
 * Shares far behind have little left that is theirs, as all before them is decoded, too. What is
 * before is followed faster only where costs of lines are asked for. Sums of shares are not
 * rounded where those of the whole are.
 */
static uint32_t shares_raw(const struct tl_input *input)
{
	const struct tl_input_options *o = &input->options;
	const struct raw_input *raw = input->handle;

	const uint64_t most = (uint64_t)(raw->config.end - raw->config.begin) / SHARE_BYTES;

	if (o->detail != TL_DETAIL_LINES || o->quick || o->strict || o->nanoseconds ||
	    !raw->pt.has_code || most < 2)
		return 1;
	return (uint32_t)tl_min(most, (uint64_t)MOST_SHARES);
}

/* ---- operations that are not those of a feed ---- */

static int describe_raw(struct tl_input *input, bool json, struct tl_output *out,
			struct tl_error *err)
{
	struct raw_input *raw = input->handle;

	return tl_pt_describe(&raw->config, &raw->pt.faults, json, out, err);
}

static int reencode_raw(struct tl_input *input, const char *variant, struct tl_output *out,
			struct tl_error *err)
{
	struct raw_input *raw = input->handle;

	if (variant)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "Intel PT has no versions to choose from");
	return tl_pt_rewrite(&raw->config, &raw->pt.faults, out, err);
}

static size_t code_of_raw(struct tl_input *input, const char *object, uint64_t address,
			  uint8_t *bytes, size_t size)
{
	struct raw_input *raw = input->handle;
	struct tl_pt_mapping place;
	int count;

	if (!tl_pt_program_mapping(raw->program, address, &place) || strcmp(place.object, object))
		return 0;
	count = tl_pt_image_read(tl_pt_program_image(raw->program), NULL, bytes, size, NULL,
				 address);
	return count > 0 ? (size_t)count : 0;
}

const struct tl_format tl_intel_pt_format = {
	.info = {
		.name = "intel-pt",
		.help = "Intel Processor Trace, as the processor writes it",
		.record_word = "record",
		.written = true,
		.machine = EM_X86_64,
		.chains_shares = true,
	},
	.probe = tl_pt_probe,
	.open = open_raw,
	.close = close_raw,
	.shares = shares_raw,
	.fold = tl_pt_input_fold,
	.describe = describe_raw,
	.dump = tl_pt_input_dump,
	.check = tl_pt_input_check,
	.timeline = tl_pt_input_timeline,
	.calls = tl_pt_input_calls,
	.reencode = reencode_raw,
	.slice = tl_pt_input_slice,
	.coverage = tl_pt_input_coverage,
	.executed = tl_pt_input_executed,
	.code = code_of_raw,
	.damage = tl_pt_input_damage,
};
