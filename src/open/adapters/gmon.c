/* SPDX-License-Identifier: Apache-2.0 */
/* gmon.out of gprof as an input; names are those of the one binary given beside it. */
#include <stdlib.h>

#include <tracelathe/symbols.h>

#include "core/error.h"
#include "gmon/fold.h"
#include "gmon/listing.h"
#include "open/binaries.h"
#include "open/fault_damage.h"
#include "open/format.h"

struct gmon_input {
	struct tl_gmon_file g; /* of the last call: what it met is damage */
	struct tl_binary *binary;
};

static int check_options(const struct tl_input_options *o, struct tl_error *err)
{
	const struct tl_input_filter *f = &o->filter;

	if (f->cpu != TL_NOWHERE || f->thread != TL_NOWHERE || f->process != TL_NOWHERE ||
	    f->from_seconds > 0 || f->to_seconds > 0)
		return tl_error_format(err, "gmon",
				       tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
						   "a gmon.out has no times, threads, processes "
						   "and processors to choose by"));
	if (o->programs.binary_count > 1)
		return tl_error_format(err, "gmon",
				       tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
						   "a gmon.out is of one program: give one "
						   "--binary"));
	return 0;
}

static int open_gmon(struct tl_input *input, const char *const *paths, size_t path_count,
		     const char **failed, struct tl_error *err)
{
	const struct tl_input_options *o = &input->options;
	struct gmon_input *in = calloc(1, sizeof(*in));
	int status;

	(void)paths;
	(void)path_count;
	if (!in)
		return tl_error_memory(err);
	input->handle = in;
	in->g.faults.strict = o->strict;
	status = check_options(o, err);
	if (status < 0 || !o->programs.binary_count)
		return status;
	status = tl_binary_open(&in->binary, o->programs.binaries[0].path,
				o->programs.binaries[0].address, !o->raw_names, err);
	if (status < 0 && failed)
		*failed = o->programs.binaries[0].path;
	return status;
}

static void close_gmon(struct tl_input *input)
{
	struct gmon_input *in = input->handle;

	tl_gmon_close(&in->g);
	tl_binary_close(in->binary);
	free(in);
	input->handle = NULL;
}

static int begin(struct tl_input *input, struct tl_fault_lines *lines, bool json,
		 struct tl_output *out, struct tl_error *err)
{
	struct gmon_input *in = input->handle;
	const uint8_t *data;
	unsigned word = 0;
	size_t size;
	int status = tl_source_map(input->source, &data, &size, err);

	if (in->binary)
		word = tl_binary_is_64bit(in->binary) ? 8 : 4;
	tl_gmon_close(&in->g);
	if (lines)
		tl_fault_lines_begin(lines, &in->g.faults, json, out);
	if (status < 0)
		return status;
	return tl_gmon_open(&in->g, data, size, word, err);
}

/* ---- operations ---- */

static int fold_gmon(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	struct gmon_input *in = input->handle;
	int status = begin(input, NULL, false, NULL, err);

	*profile = NULL;
	if (status < 0)
		return status;
	return tl_gmon_fold(&in->g, in->binary, profile, err);
}

static int describe_gmon(struct tl_input *input, bool json, struct tl_output *out,
			 struct tl_error *err)
{
	struct gmon_input *in = input->handle;
	int status = begin(input, NULL, false, NULL, err);

	if (status < 0)
		return status;
	return tl_gmon_describe(&in->g, json, out, err);
}

static int dump_gmon(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	struct gmon_input *in = input->handle;
	int status = begin(input, NULL, false, NULL, err);

	if (status < 0)
		return status;
	return tl_gmon_dump(&in->g, json, out, err);
}

static int64_t check_gmon(struct tl_input *input, bool json, struct tl_output *out,
			  struct tl_error *err)
{
	struct gmon_input *in = input->handle;
	struct tl_gmon_record record;
	struct tl_fault_lines lines;
	int status = begin(input, &lines, json, out, err);

	if (status == 0)
		while ((status = tl_gmon_next(&in->g, &record, err)) == 1)
			;
	in->g.faults.tell = NULL;
	if (status < 0)
		return status;
	return lines.told;
}

static size_t damage_gmon(struct tl_input *input, struct tl_damage *places, size_t room,
			  uint64_t *count, uint64_t *skipped_bytes)
{
	const struct gmon_input *in = input->handle;
	size_t listed = tl_fault_damage(&in->g.faults, places, room, count, skipped_bytes);

	return listed + tl_binary_damage(in->binary, places + listed, room - listed, count);
}

const struct tl_format tl_gmon_format = {
	.info = {
		.name = "gmon",
		.help = "gmon.out of programs compiled with -pg (gprof); --binary PROGRAM names "
			"its functions",
		.record_word = "record",
	},
	.probe = tl_gmon_probe,
	.open = open_gmon,
	.close = close_gmon,
	.fold = fold_gmon,
	.describe = describe_gmon,
	.dump = dump_gmon,
	.check = check_gmon,
	.damage = damage_gmon,
};
