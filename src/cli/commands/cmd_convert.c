/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/query.h>

#include "cli/commands/job.h"

/* Paths of a deep recursion written in full would be far longer than the input. */
static void warn_depth(struct command_job *job, uint64_t too_deep)
{
	uint32_t most = job->settings->convert.most_depth;

	if (!too_deep)
		return;
	show_error("tracelathe %s: %llu call paths are deeper than %u frames and were summed; "
		   "--max-depth N writes deeper ones",
		   job->command->name, (unsigned long long)too_deep, most ? most : 1000);
	putc('\n', stderr);
	job->damaged = true;
}

/* Differences have costs below zero, for which there is no text and no width. */
static void warn_below_zero(struct command_job *job, uint64_t count)
{
	if (!count)
		return;
	show_error("tracelathe %s: %llu call paths cost less than zero and were left out, as this "
		   "format has no such costs; report, tree and convert --to pprof have them",
		   job->command->name, (unsigned long long)count);
	putc('\n', stderr);
	job->damaged = true;
}

int export_profile(struct command_job *job, const struct tl_exporter *exporter,
		   const struct tl_profile *profile, const char *command, struct tl_error *err)
{
	const struct tl_report_options *report = &job->settings->report;
	uint64_t too_deep = 0, below_zero = 0;
	struct tl_export_options options = {
		.size = sizeof(options),
		.event = report->event_count ? report->events[0] : 0,
		.threads = report->threads,
		.command = command,
		.compression = job->settings->convert.compression,
		.positions = job->settings->convert.positions,
		.threshold = report->threshold > 0 ? report->threshold : 0,
		.labels = job->settings->convert.labels,
		.color = job->settings->convert.color,
		.cluster = job->settings->convert.cluster,
		.calls = job->settings->stacks.count,
		.top = report->top,
		.most_depth = job->settings->convert.most_depth,
		.too_deep = &too_deep,
		.below_zero = &below_zero,
		.jobs = job->settings->input.jobs,
	};
	int status = exporter->write(profile, &options, job->out, err);

	progress_end(job->progress);
	warn_depth(job, too_deep);
	warn_below_zero(job, below_zero);
	return status;
}

int export_input(struct command_job *job, const struct tl_exporter *exporter, struct tl_error *err)
{
	struct tl_profile *profile;
	uint32_t *events;
	int status = fold_input_stacks(job, exporter->stacks, &profile, &events, err);

	if (status == TL_OK)
		status = export_profile(job, exporter, profile, job->settings->paths.items[0], err);
	free(events);
	tl_profile_free(profile);
	return status;
}

/* ---- a database ---- */

bool is_database(const struct settings *settings)
{
	return settings->convert.to && !strcmp(settings->convert.to, "sqlite");
}

static int store_tables(struct command_job *job, struct tl_query *query, struct tl_error *err)
{
	const struct tl_query_store_options options = { .size = sizeof(options),
							.tables = job->settings->convert.tables };
	int status = tl_query_store(query, 0, &options, job->out, err);

	progress_end(job->progress);
	if (status < 0)
		complain_query(job, query);
	return status;
}

static int write_database(struct command_job *job, struct tl_error *err)
{
	struct tl_query *query;
	int status = tl_query_open(&query, err);

	if (status == 0)
		status = add_inputs(job, query, job->settings->paths.list.count, err);
	if (status == 0)
		status = store_tables(job, query, err);
	if (query && !(status < 0 && job->settings->input.strict))
		warn_inputs(job, query);
	tl_query_close(query);
	return status;
}

/* A file of the format that is asked for keeps all that it has, unless functions are chosen. */
static bool is_rewritten(const struct command_job *job, const struct tl_exporter *exporter)
{
	const struct tl_format_info *format = tl_input_format(job->input);
	const struct settings *settings = job->settings;

	return format->rewrites_exactly && !strcmp(format->name, exporter->name) &&
	       settings->paths.list.count == 1 && !settings->input.filter.function &&
	       !settings->input.filter.object && !settings->events.names &&
	       !settings->events.formulas.list.count;
}

static int rewrite(struct command_job *job, const char *to, struct tl_error *err)
{
	int status =
		tl_input_reencode(job->input, to, job->settings->convert.variant, job->out, err);

	if (status == 1) {
		progress_end(job->progress);
		complain(job->command->name,
			 "%s: counts of lines are their costs (Ir, else the first event), as "
			 "how often they ran is not known",
			 job->settings->paths.items[0]);
	}
	return status;
}

/* A part of the instructions is what a profile counts; whole traces are written otherwise. */
static bool is_parted(const struct settings *settings)
{
	const struct tl_input_part *part = &settings->input.part;

	return part->instructions.from || part->instructions.to || part->snapshots.from ||
	       part->snapshots.to || part->level;
}

int cmd_convert(struct command_job *job, struct tl_error *err)
{
	static const struct tl_slice everything = {
		.size = sizeof(everything),
		.snapshots = { 0, TL_NOWHERE },
		.instructions = { 0, TL_NOWHERE },
	};
	const struct convert_settings *convert = &job->settings->convert;
	const struct tl_exporter *exporter = chosen_exporter(job->settings);
	const struct tl_format_info *format;

	if (is_parted(job->settings) && !exporter) {
		complain(job->command->name,
			 "--to %s: --instructions, --snapshots and --level choose what a profile "
			 "counts, and this is none",
			 convert->to);
		job->error_shown = true;
		return TL_BAD_USAGE;
	}
	if (is_database(job->settings))
		return write_database(job, err);
	format = tl_input_format(job->input);
	if (exporter && (is_parted(job->settings) || !is_rewritten(job, exporter)))
		return export_input(job, exporter, err);
	/* Both files of a format of two are written as the slice that holds everything. */
	if (format->partner_suffix && !strcmp(convert->to, format->name))
		return write_part(job, everything, err);
	return rewrite(job, exporter ? exporter->name : convert->to, err);
}
