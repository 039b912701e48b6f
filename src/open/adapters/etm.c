/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of ETMv4 and ETE as an input: packets. */
#include <elf.h>
#include <stdlib.h>

#include "core/error.h"
#include "etm/listing/listing.h"
#include "etm/packets/probe.h"
#include "open/fault_damage.h"
#include "open/format.h"

struct etm_input {
	struct tl_etm_file file; /* its faults are those that the last operation met */
};

static int open_etm(struct tl_input *input, const char *const *paths, size_t path_count,
		    const char **failed, struct tl_error *err)
{
	const struct tl_input_etm *o = &input->options.etm;
	const struct tl_etm_registers registers = { o->trcidr0, o->trcidr1,    o->trcidr2,
						    o->trcidr8, o->trcconfigr, o->trctraceidr };
	struct etm_input *in = calloc(1, sizeof(*in));
	const uint8_t *data;
	size_t size;
	int status;

	(void)paths;
	(void)path_count;
	(void)failed;
	if (!in)
		return tl_error_memory(err);
	input->handle = in;
	in->file.faults.strict = input->options.strict;
	status = tl_source_map(input->source, &data, &size, err);
	return status < 0 ? status : tl_etm_file_open(&in->file, data, size, &registers, err);
}

static void close_etm(struct tl_input *input)
{
	struct etm_input *in = input->handle;

	tl_etm_file_close(&in->file);
	free(in);
	input->handle = NULL;
}

/* The file, without what the last operation has met. */
static struct tl_etm_file *begin(struct tl_input *input)
{
	struct etm_input *in = input->handle;

	tl_fault_list_free(&in->file.faults);
	return &in->file;
}

static int describe_etm(struct tl_input *input, bool json, struct tl_output *out,
			struct tl_error *err)
{
	return tl_etm_describe(begin(input), json, out, err);
}

static int dump_etm(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	return tl_etm_dump(begin(input), json, out, err);
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

static size_t damage_etm(struct tl_input *input, struct tl_damage *places, size_t room,
			 uint64_t *count, uint64_t *skipped_bytes)
{
	const struct etm_input *in = input->handle;

	return tl_fault_damage(&in->file.faults, places, room, count, skipped_bytes);
}

const struct tl_format tl_etm_format = {
	.info = {
		.name = "etm",
		.help = "Arm ETMv4 and ETE instruction trace, by itself or in frames of the "
			"CoreSight formatter",
		.record_word = "packet",
		.machine = EM_AARCH64,
	},
	.probe = tl_etm_probe,
	.open = open_etm,
	.close = close_etm,
	.describe = describe_etm,
	.dump = dump_etm,
	.check = check_etm,
	.damage = damage_etm,
};
