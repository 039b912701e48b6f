/* SPDX-License-Identifier: Apache-2.0 */
/* slice --simpoints: a slice of each simulation point, and their table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/job.h"
#include "cli/terminal/tty.h"

/* SimPoint writes weights with six digits: of a hundred clusters the sum is off by less. */
static const double rounded = 1e-4;

/* ---- one slice ---- */

/* The files of a slice. */
struct pair {
	char *name, *partner_name; /* NULL: there is none */
	struct tl_output *out, *partner;
};

/*
 * "simpoint.CLUSTER"; of several threads, whose slices are a group, as the files of a group are
 * called: "FORMAT.simpoint-CLUSTER.MEMBER".
 */
static bool put_name(char **name, const struct command_job *job, const struct tl_simpoint *point,
		     const char *suffix)
{
	const char *folder = job->settings->output.path;
	unsigned long long cluster = point->cluster;
	int length;

	if (job->settings->analysis.together)
		length =
			asprintf(name, "%s/%s.simpoint-%llu.%s%s", folder,
				 tl_input_format(job->input)->name, cluster, point->member, suffix);
	else
		length = asprintf(name, "%s/simpoint.%llu%s", folder, cluster, suffix);
	if (length < 0)
		*name = NULL;
	return *name;
}

static bool name_pair(struct pair *pair, const struct command_job *job,
		      const struct tl_simpoint *point)
{
	const struct tl_format_info *format = tl_input_format(job->input);
	bool program = job->settings->slice.part.form == TL_SLICE_ELF;

	return put_name(&pair->name, job, point, program ? ".elf" : format->suffix) &&
	       (program || put_name(&pair->partner_name, job, point, format->partner_suffix));
}

static int write_pair(struct pair *pair, struct command_job *job, struct tl_simpoints *points,
		      size_t number, struct tl_error *err)
{
	const char *name = strrchr(pair->name, '/') + 1;
	int status = output_open(&pair->out, pair->name, err);

	if (status >= 0 && pair->partner_name)
		status = output_open(&pair->partner, pair->partner_name, err);
	if (status >= 0)
		status = tl_simpoints_slice(points, number, job->settings->slice.part.form,
					    pair->out, pair->partner, name, err);
	return status;
}

/* Both files, or none of them. */
static int end_pair(struct pair *pair, int status, struct tl_error *err)
{
	if (status >= 0 && pair->partner) {
		status = output_commit(pair->partner, err);
		pair->partner = NULL;
	}
	if (status >= 0) {
		status = output_commit(pair->out, err);
		pair->out = NULL;
	}
	output_discard(pair->partner);
	output_discard(pair->out);
	free(pair->partner_name);
	return status;
}

/*
 * What cannot be a slice is said and left out: 0 and *left_out. Any other failure ends the command.
 */
static int write_slice(struct command_job *job, struct tl_simpoints *points, size_t number,
		       bool *left_out, struct tl_error *err)
{
	struct pair pair = { 0 };
	struct tl_simpoint point;
	int status = tl_simpoints_at(points, number, &point, sizeof(point));

	if (status == 0 && name_pair(&pair, job, &point))
		status = write_pair(&pair, job, points, number, err);
	else
		status = TL_NO_MEMORY;
	if (status == TL_NO_MEMORY)
		*err = (struct tl_error){ .status = TL_NO_MEMORY,
					  .text = "out of memory",
					  .offset = TL_NOWHERE,
					  .record = TL_NOWHERE };
	status = end_pair(&pair, status, err);
	if (status < 0) {
		progress_end(job->progress);
		complain_error(pair.name, err);
		job->error_shown = true;
	}
	free(pair.name);
	*left_out = status == TL_UNSUPPORTED;
	return *left_out ? 0 : status;
}

/* ---- all of them ---- */

static int write_slices(struct command_job *job, struct tl_simpoints *points, struct tl_error *err)
{
	size_t count = tl_simpoints_count(points, NULL), missing = 0;
	bool left_out;
	int status = 0;

	for (size_t i = 0; status >= 0 && i < count; i++) {
		status = write_slice(job, points, i, &left_out, err);
		missing += left_out;
		/* What is said of the last one is said at the end of the command. */
		if (status >= 0 && i + 1 < count)
			warn_damage(job, job->input, job->settings->paths.items[0]);
	}
	if (status < 0 || !missing)
		return status;
	complain(job->command->name, "%zu of %zu simulation points have no slice", missing, count);
	job->damaged = true;
	return missing < count ? 0 : TL_UNSUPPORTED;
}

static void check_weight(struct command_job *job, double weight)
{
	if (fabs(weight - 1) <= rounded)
		return;
	complain(job->command->name, "%s: the weights sum to %.6g instead of 1",
		 job->settings->slice.weights, weight);
	job->damaged = true;
}

static void remark_begins(const struct command_job *job, const struct tl_simpoints *points)
{
	size_t count = tl_simpoints_count(points, NULL), early = 0, unknown = 0;
	struct tl_simpoint point;

	for (size_t i = 0; i < count; i++) {
		uint64_t warmup = job->settings->slice.warmup;

		if (tl_simpoints_at(points, i, &point, sizeof(point)) < 0)
			continue;
		early += point.snapshot != TL_NOWHERE && point.first - point.begin > warmup;
		unknown += point.snapshot == TL_NOWHERE;
	}
	if (early)
		complain(job->command->name,
			 "%zu of %zu slices begin earlier than was asked for, at the snapshot "
			 "before it: the column `before` says how many instructions before the "
			 "interval",
			 early, count);
	if (unknown)
		complain(job->command->name,
			 "%zu of %zu slices begin at no snapshot, since there is none so early: "
			 "the registers there are not known",
			 unknown, count);
}

static int write_all(struct command_job *job, struct tl_simpoints *points, struct tl_error *err)
{
	double weight;
	int status;

	tl_simpoints_count(points, &weight);
	check_weight(job, weight);
	remark_begins(job, points);
	warn_damage(job, job->input, job->settings->paths.items[0]);
	status = write_slices(job, points, err);
	if (status < 0)
		return status;
	return tl_simpoints_table(points, report_form(job->settings), job->out, err);
}

/* ---- the command ---- */

/* NULL, or what goes not together with --simpoints. */
static const char *other_part(const struct slice_settings *slice)
{
	if (slice->part.snapshots.from || slice->part.snapshots.to != TL_NOWHERE)
		return "--snapshots";
	if (slice->part.instructions.from || slice->part.instructions.to != TL_NOWHERE)
		return "--instructions";
	if (slice->part.trigger)
		return "--trigger";
	return slice->partner ? "--snapshot-output" : NULL;
}

static bool can_begin(const struct command_job *job)
{
	const struct slice_settings *slice = &job->settings->slice;
	const char *other = other_part(slice);

	if (!slice->weights)
		complain(job->command->name, "--simpoints needs --weights, too");
	else if (other)
		complain(job->command->name, "%s chooses another part than --simpoints", other);
	else
		return names_directory(job, "slices");
	return false;
}

int slice_simpoints(struct command_job *job, struct tl_error *err)
{
	const struct settings *settings = job->settings;
	const struct tl_simpoint_options options = {
		.size = sizeof(options),
		.simpoints = settings->slice.simpoints,
		.weights = settings->slice.weights,
		.interval = settings->analysis.interval,
		.together = settings->analysis.together,
		.warmup = settings->slice.warmup,
	};
	struct tl_simpoints *points = NULL;
	const char *failed = NULL;
	int status = TL_BAD_USAGE;

	if (!can_begin(job)) {
		job->error_shown = true;
		return status;
	}
	status = tl_input_simpoints(&points, job->input, &options, &failed, err);
	if (status < 0 && failed) {
		complain_error(failed, err);
		job->error_shown = true;
	}
	if (status >= 0 && !make_directory(job, "slices")) {
		job->error_shown = true;
		status = TL_IO;
	}
	if (status >= 0)
		status = write_all(job, points, err);
	tl_simpoints_close(points);
	return status;
}
