/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

int export_profile(const struct job *job, const struct tl_exporter *exporter,
		   const struct tl_profile *profile, const char *command, struct tl_error *err)
{
	const struct tl_report_options *report = &job->settings->report;
	struct tl_export_options options = {
		.size = sizeof(options),
		.event = report->event_count ? report->events[0] : 0,
		.threads = report->threads,
		.command = command,
		.compression = job->settings->compression,
		.positions = job->settings->positions,
	};

	return exporter->write(profile, &options, job->out, err);
}

/* The function table is a format to convert to as well. */
static int export_table(const struct job *job, const char *name, const struct tl_profile *profile,
			struct tl_error *err)
{
	struct tl_report_options options = job->settings->report;

	options.form = strcmp(name, "csv") ? TL_REPORT_JSON : TL_REPORT_CSV;
	return tl_report_functions(profile, &options, job->out, err);
}

int export_input(struct job *job, const char *name, struct tl_error *err)
{
	const struct tl_exporter *exporter = tl_exporter_find(name);
	struct tl_profile *profile;
	uint32_t *events;
	int status = fold_input_stacks(job, exporter && exporter->stacks, &profile, &events, err);

	if (status == TL_OK && exporter)
		status = export_profile(job, exporter, profile, job->settings->paths[0], err);
	else if (status == TL_OK)
		status = export_table(job, name, profile, err);
	free(events);
	tl_profile_free(profile);
	return status;
}

int cmd_convert(struct job *job, struct tl_error *err)
{
	/* clang-format off */
	static const struct tl_slice everything = {
		.size = sizeof(everything), .snapshots = { 0, TL_NOWHERE }, .instructions = { 0,
		  TL_NOWHERE },
	};
	/* clang-format on */
	const char *to = job->settings->to ? job->settings->to : tl_exporters()[0]->name;

	const struct tl_format_info *format = tl_input_format(job->input);

	if (tl_exporter_find(to) || !strcmp(to, "json") || !strcmp(to, "csv"))
		return export_input(job, to, err);
	/* A format of two files is written whole as its largest part is. */
	if (format->partner_suffix && !strcmp(to, format->name))
		return write_part(job, everything, err);
	return tl_input_reencode(job->input, to, job->settings->variant, job->out, err);
}
