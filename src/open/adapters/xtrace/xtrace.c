/* SPDX-License-Identifier: Apache-2.0 */
/* xtrace as an input: the files of one or several streams are one trace. */
#include <elf.h>

#include "core/error.h"
#include "open/adapters/xtrace/xtrace.h"

static int describe_xtrace(struct tl_input *input, bool json, struct tl_output *out,
			   struct tl_error *err)
{
	struct tl_xtrace_input *x = input->handle;
	struct tl_xtrace_select select;
	int status = tl_xtrace_input_select(input, &select, err);

	if (status < 0)
		return status;
	return tl_xtrace_describe(x->trace, &select, json, out, err);
}

static int dump_xtrace(struct tl_input *input, bool json, struct tl_output *out,
		       struct tl_error *err)
{
	struct tl_xtrace_input *x = input->handle;
	const struct tl_number_range *compare = &input->options.dump.compare;
	struct tl_xtrace_select select;
	int status = tl_xtrace_input_select(input, &select, err);

	if (status < 0)
		return status;
	if (compare->from || compare->to)
		return tl_xtrace_list_snapshots(
			x->trace, &select, tl_xtrace_input_snapshot(compare->from),
			tl_xtrace_input_snapshot(compare->to), json, out, err);
	if (input->options.dump.flags & TL_DUMP_SNAPSHOTS)
		return tl_xtrace_list_snapshots(x->trace, &select, TL_NONE, TL_NONE, json, out,
						err);
	if (input->options.dump.flags & TL_DUMP_INSTRUCTIONS)
		return tl_xtrace_input_instructions(input, &select, json, out, err);
	return tl_xtrace_list_tokens(x->trace, &select, json, out, err);
}

static int64_t check_xtrace(struct tl_input *input, bool json, struct tl_output *out,
			    struct tl_error *err)
{
	struct tl_xtrace_input *x = input->handle;
	struct tl_xtrace_select select;
	int status = tl_xtrace_input_select(input, &select, err);

	if (status < 0)
		return status;
	return tl_xtrace_list_violations(x->trace, &select, json, out, err);
}

static int64_t rules_xtrace(struct tl_input *input, bool json, struct tl_output *out,
			    struct tl_error *err)
{
	struct tl_xtrace_input *x = input->handle;
	struct tl_xtrace_select select;
	int status = tl_xtrace_input_select(input, &select, err);

	if (status < 0)
		return status;
	return tl_xtrace_list_rules(x->trace, &select, json, out, err);
}

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
	return listed + tl_xtrace_input_damage(x, places + listed, room - listed, count);
}

/* The whole of a stream as we would write it; the snapshots go with it where there is a place for
 * them. */
static int slice_xtrace(struct tl_input *input, const struct tl_slice *what, struct tl_output *out,
			struct tl_error *err)
{
	struct tl_xtrace_input *x = input->handle;
	struct tl_xtrace_select select;
	struct tl_xtrace_slice slice = { .size = sizeof(slice), .stream = TL_NONE };
	int status = tl_xtrace_input_select(input, &select, err);

	if (status < 0)
		return status;
	if (what->trigger)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "xtrace is cut by snapshots and instructions");
	if (what->form != TL_SLICE_ELF || select.id != TL_NOWHERE ||
	    tl_xtrace_stream_count(x->trace) < 2)
		status = tl_xtrace_one_stream(x->trace, select.id, &slice.stream, err);
	if (status < 0)
		return status;
	slice.first_snapshot = tl_xtrace_input_snapshot(what->snapshots.from);
	slice.end_snapshot = tl_xtrace_input_snapshot(what->snapshots.to);
	slice.first_instruction = what->instructions.from;
	slice.end_instruction = what->instructions.to;
	if (what->form == TL_SLICE_ELF && what->partner)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "a program has no snapshot file beside it");
	if (what->form == TL_SLICE_ELF)
		return tl_xtrace_slice_elf(x->trace, &slice, out, err);
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
		.written = true,
		.machine = EM_AARCH64,
		.chains_shares = true,
	},
	.many_paths = true,
	.numbers_instructions = true,
	.probe = tl_xtrace_probe,
	.open = tl_xtrace_input_open,
	.close = tl_xtrace_input_close,
	.source = tl_xtrace_input_source,
	.shares = tl_xtrace_input_shares,
	.fold = tl_xtrace_input_fold,
	.describe = describe_xtrace,
	.dump = dump_xtrace,
	.check = check_xtrace,
	.rules = rules_xtrace,
	.reencode = reencode_xtrace,
	.slice = slice_xtrace,
	.analyze = tl_xtrace_input_analyze,
	.calls = tl_xtrace_input_calls,
	.locate = tl_xtrace_input_locate,
	.executed = tl_xtrace_input_executed,
	.code = tl_xtrace_input_code,
	.conversions = tl_xtrace_conversions,
	.damage = damage_xtrace,
};
