/* SPDX-License-Identifier: Apache-2.0 */
/* xtrace as an input: what needs the binaries. */
#include <stdlib.h>

#include "core/error.h"
#include "open/adapters/xtrace.h"
#include "symbols/binary.h"

int tl_xtrace_input_binaries(struct tl_input *input, const char **failed, struct tl_error *err)
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

void tl_xtrace_input_close_binaries(struct tl_input *input)
{
	struct tl_xtrace_input *x = input->handle;

	for (size_t i = 0; i < x->binary_count; i++)
		tl_binary_close(x->binaries[i]);
	free(x->binaries);
	x->binaries = NULL;
	x->binary_count = 0;
}

/* Names that there was no memory for are not to be taken for names that are not there. */
static int settle(const struct tl_xtrace_input *x, int status, struct tl_error *err)
{
	for (size_t i = 0; status >= 0 && i < x->binary_count; i++)
		if (tl_binary_short_of_memory(x->binaries[i]))
			return tl_error_memory(err);
	return status;
}

int tl_xtrace_input_fold(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	const struct tl_xtrace_input *x = input->handle;
	struct xtrace_select select;
	struct tl_xtrace_fold_options options = {
		.size = sizeof(options),
		.binaries = x->binaries,
		.binary_count = x->binary_count,
		.lines = input->options.detail == TL_DETAIL_LINES,
		.jobs = input->options.jobs,
	};
	int status = tl_xtrace_input_select(input, &select, err);

	options.id = select.id;
	if (status == 0)
		status = tl_xtrace_fold(x->trace, &options, profile, err);
	if (status == 0 && settle(x, status, err) < 0) {
		tl_profile_free(*profile);
		*profile = NULL;
		status = TL_NO_MEMORY;
	}
	return status;
}

int tl_xtrace_input_instructions(struct tl_input *input, const struct xtrace_select *select,
				 bool json, struct tl_output *out, struct tl_error *err)
{
	const struct tl_xtrace_input *x = input->handle;
	const struct xtrace_shown shown = {
		.binaries = x->binaries,
		.binary_count = x->binary_count,
		.no_text = input->options.dump.flags & TL_DUMP_NO_TEXT,
	};

	return settle(x, tl_xtrace_dump_instructions(x->trace, select, &shown, json, out, err),
		      err);
}
