/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <tracelathe/symbols.h>

#include "cli/commands/job.h"

/* The binaries of the command line, opened for their code. */
struct binaries {
	struct tl_binary **list;
	size_t count;
};

static int open_binaries(struct command_job *job, struct binaries *binaries, struct tl_error *err)
{
	const struct settings *settings = job->settings;
	int status = 0;

	binaries->list =
		calloc(settings->programs.binaries.list.count + 1, sizeof(*binaries->list));
	if (!binaries->list) {
		*err = (struct tl_error){ TL_NO_MEMORY,    0,          NULL,
					  "out of memory", TL_NOWHERE, TL_NOWHERE };
		return TL_NO_MEMORY;
	}
	for (size_t i = 0; status == 0 && i < settings->programs.binaries.list.count; i++) {
		status = tl_binary_open(&binaries->list[i],
					settings->programs.binaries.items[i].path,
					settings->programs.binaries.items[i].address,
					!settings->input.raw_names, err);
		if (status == 0) {
			binaries->count++;
			continue;
		}
		complain_error(settings->programs.binaries.items[i].path, err);
		job->error_shown = true;
	}
	return status;
}

/* Report the first fault in the debug information of each. */
static void close_binaries(struct command_job *job, struct binaries *binaries)
{
	while (binaries->count) {
		struct tl_binary *binary = binaries->list[--binaries->count];
		struct tl_error first;
		const char *path;

		if (tl_binary_faults(binary, &first, &path)) {
			complain_error(path, &first);
			job->damaged = true;
		}
		tl_binary_close(binary);
	}
	free(binaries->list);
}

static size_t code_of(void *arg, const char *object, uint64_t address, uint8_t *bytes, size_t size)
{
	return tl_input_code(arg, object, address, bytes, size);
}

static struct tl_binary *binary_of(void *arg, const char *object)
{
	return tl_input_binary(arg, object);
}

int cmd_annotate(struct command_job *job, struct tl_error *err)
{
	const struct settings *settings = job->settings;
	struct tl_annotate_options what = {
		.size = sizeof(what),
		.file = settings->annotate.file,
		.source_dirs = settings->annotate.source_dirs.items,
		.source_dir_count = settings->annotate.source_dirs.list.count,
		.threshold = settings->report.threshold,
		.context = settings->annotate.context,
		.assembly = settings->annotate.assembly,
		.code = code_of,
		.code_arg = job->input,
		.code_machine = tl_input_format(job->input)->machine,
		.binary = binary_of,
	};
	struct binaries binaries = { NULL, 0 };
	struct tl_profile *profile;
	uint32_t *events;
	int status = fold_input(job, &profile, &events, err);

	if (status == 0 && settings->annotate.assembly)
		status = open_binaries(job, &binaries, err);
	what.binaries = binaries.list;
	what.binary_count = binaries.count;
	if (status == 0)
		status = tl_report_annotate(profile, &what, &settings->report, job->out, err);
	close_binaries(job, &binaries);
	free(events);
	tl_profile_free(profile);
	return status;
}
