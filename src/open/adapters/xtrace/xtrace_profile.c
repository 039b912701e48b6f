/* SPDX-License-Identifier: Apache-2.0 */
/* xtrace as an input: what needs the binaries. */
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "open/adapters/xtrace/xtrace.h"
#include "open/binaries.h"
#include "open/several.h"
#include "symbols/binary.h"
#include "xtrace/calls/source.h"
#include "xtrace/executed/executed.h"
#include "xtrace/parts/stream_part.h"
#include "xtrace/format/trace.h"

/* Names that there was no memory for are not to be taken for names that are not there. */
static int settle(const struct tl_xtrace_input *x, int status, struct tl_error *err)
{
	for (size_t i = 0; status >= 0 && i < x->binary_count; i++)
		if (tl_binary_short_of_memory(x->binaries[i]))
			return tl_error_memory(err);
	return status;
}

static void fold_options(struct tl_input *input, const struct tl_xtrace_select *select,
			 struct tl_xtrace_fold_options *options)
{
	const struct tl_xtrace_input *x = input->handle;

	*options = (struct tl_xtrace_fold_options){
		.size = sizeof(*options),
		.binaries = x->binaries,
		.binary_count = x->binary_count,
		.id = select->id,
		.jobs = input->options.jobs,
	};
}

/* What a profile is of. */
static void choose_part(const struct tl_input *input, const struct tl_xtrace_select *select,
			struct tl_xtrace_fold_options *options)
{
	const struct tl_input_part *part = &input->options.part;

	options->part =
		tl_xtrace_input_part(&part->instructions, &part->snapshots, part->level, select);
	options->interval = part->interval;
	options->split = (enum tl_xtrace_split)part->split;
}

int tl_xtrace_input_calls(struct tl_input *input, struct tl_call_source *source,
			  struct tl_calls_options *options, struct tl_error *err)
{
	const struct tl_xtrace_input *x = input->handle;
	const struct tl_profile_filter filter = {
		.size = sizeof(filter),
		.function = input->options.filter.function,
		.object = input->options.filter.object,
	};
	struct tl_xtrace_fold_options fold;
	struct tl_xtrace_select select = { .id = TL_NOWHERE };
	int status = tl_xtrace_input_select(input, &select, err);

	(void)options;
	fold_options(input, &select, &fold);
	return status < 0 ? status : tl_xtrace_call_source(x->trace, &fold, &filter, source, err);
}

/*
 * Segments of one stream, whose stacks are joined. Where something is damaged, what one segment is
 * may depend on those before it, and what is said of it is of the whole.
 */
uint32_t tl_xtrace_input_shares(const struct tl_input *input)
{
	const struct tl_xtrace_input *x = input->handle;
	const struct tl_xtrace_select everything = { .to_time = TL_NOWHERE };
	struct tl_xtrace_fold_options options = { .size = sizeof(options) };

	choose_part(input, &everything, &options);
	if (x->trace->stream_count != 1 || x->trace->faults.count || options.interval ||
	    options.split || tl_xtrace_part_chosen(&options.part))
		return 1;
	return (uint32_t)tl_min(x->trace->streams[0].segment_count, (size_t)TL_SHARES_ANY);
}

/* Streams of files of their own, which are added up where the profile is not cut in another way. */
static bool is_sum(const struct tl_xtrace_input *x, const struct tl_xtrace_fold_options *options)
{
	return !x->is_log && tl_xtrace_stream_count(x->trace) > 1 && !options->interval &&
	       !options->split;
}

int tl_xtrace_input_fold(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	const struct tl_xtrace_input *x = input->handle;
	struct tl_xtrace_fold_options options;
	struct tl_xtrace_select select = { .id = TL_NOWHERE };
	int status = tl_xtrace_input_select_timed(input, &select, err);

	fold_options(input, &select, &options);
	choose_part(input, &select, &options);
	options.lines = input->options.detail == TL_DETAIL_LINES;
	options.share = input->options.share;
	options.shares = input->options.shares;
	options.chain = input->options.chain;
	if (status == 0)
		status = tl_xtrace_fold(x->trace, &options, profile, err);
	if (status == 0 && is_sum(x, &options))
		status = tl_input_order_as_sum(profile, err);
	if (status == 0 && settle(x, status, err) < 0) {
		tl_profile_free(*profile);
		*profile = NULL;
		status = TL_NO_MEMORY;
	}
	return status;
}

int tl_xtrace_input_instructions(struct tl_input *input, const struct tl_xtrace_select *select,
				 bool json, struct tl_output *out, struct tl_error *err)
{
	const struct tl_xtrace_input *x = input->handle;
	const struct tl_xtrace_insn_text_options shown = {
		.binaries = x->binaries,
		.binary_count = x->binary_count,
		.no_text = input->options.dump.flags & TL_DUMP_NO_TEXT,
		.is_log = x->is_log,
	};

	return settle(x, tl_xtrace_list_instructions(x->trace, select, &shown, json, out, err),
		      err);
}

int tl_xtrace_input_executed(struct tl_input *input, size_t number, uint64_t salt,
			     struct tl_flow_source *source, struct tl_error *err)
{
	const struct tl_xtrace_input *x = input->handle;
	struct tl_xtrace_select select;
	struct tl_xtrace_executed_options options = {
		.binaries = x->binaries,
		.binary_count = x->binary_count,
	};
	int status = tl_xtrace_input_select(input, &select, err);

	options.id = select.id;
	return status < 0 ? status
			  : tl_xtrace_executed(x->trace, &options, number, salt, source, err);
}

/*
 * Code of no object: that of a binary is in the binary, with its symbols. Why some of it could not
 * be read is told with the damage.
 */
size_t tl_xtrace_input_code(struct tl_input *input, const char *object, uint64_t address,
			    uint8_t *bytes, size_t size)
{
	struct tl_xtrace_input *x = input->handle;

	if (*object)
		return 0;
	if (!x->opcodes_asked)
		tl_xtrace_opcodes_read(&x->opcodes, x->trace, &x->opcodes_lack);
	x->opcodes_asked = true;
	return tl_xtrace_opcodes_at(&x->opcodes, address, bytes, size);
}

/* One place, of what is nowhere in the file; status TL_OK: none. Returns whether it was filled. */
static size_t put_damage(enum tl_status status, const char *text, struct tl_damage *places,
			 size_t room, uint64_t *count)
{
	if (status == TL_OK)
		return 0;
	++*count;
	if (!room)
		return 0;
	*places = (struct tl_damage){
		.status = status, .text = text, .offset = TL_NOWHERE, .record = TL_NOWHERE
	};
	return 1;
}

size_t tl_xtrace_input_damage(const struct tl_xtrace_input *x, struct tl_damage *places,
			      size_t room, uint64_t *count)
{
	size_t listed =
		put_damage(x->lacking ? TL_UNSUPPORTED : TL_OK, x->lacking, places, room, count);

	listed += put_damage(x->opcodes_lack.status, x->opcodes_lack.text, places + listed,
			     room - listed, count);
	for (size_t i = 0; i < x->binary_count; i++)
		listed += tl_binary_damage(x->binaries[i], places + listed, room - listed, count);
	return listed;
}
