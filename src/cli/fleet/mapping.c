/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile file of each file. Logs of processes are opened together, since what a process
 * inherited by fork counts once, but each has a profile file of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/fleet/mapping.h"
#include "cli/commands/gather/relatives.h"

struct mapping {
	struct command_job *job;
	const char *directory;
	struct relatives relatives;
	/* those that are open together */
	struct tl_input *logs;
	LIST_OF(const char *) log_paths;
};

/* ---- names ---- */

char *mapping_target(const char *directory, const char *path)
{
	char *whole = realpath(path, NULL), *target;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	uint32_t hash = 0x811c9dc5;

	for (const char *c = whole ? whole : path; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x01000193u;
	free(whole);
	if (asprintf(&target, "%s/%.200s.%08x.tlp", directory, name, hash) < 0)
		return NULL;
	return target;
}

/* ---- what is there ---- */

static bool is_newer(const char *target, const char *path)
{
	struct stat made, from;

	if (stat(target, &made) || stat(path, &from))
		return false;
	if (made.st_mtim.tv_sec != from.st_mtim.tv_sec)
		return made.st_mtim.tv_sec > from.st_mtim.tv_sec;
	return made.st_mtim.tv_nsec >= from.st_mtim.tv_nsec;
}

/* What can be merged as it is has been checked so; what cannot, as sums did not fit, is read. */
static bool is_whole(struct tl_input *input)
{
	struct tl_profile *profile = NULL;
	struct tl_gather *gather;
	bool whole = false;

	if (!tl_gather_open(&gather, NULL, NULL)) {
		whole = tl_gather_add_input(gather, input, NULL) == 1;
		tl_gather_close(gather);
	}
	if (!whole)
		whole = tl_input_fold(input, &profile, NULL) == 0;
	tl_profile_free(profile);
	return whole;
}

/* The profile file is there and whole; what it says of its input is said again. */
static bool is_done(struct mapping *m, const char *target, const char *path)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_input *input;
	bool whole;

	options.strict = true;
	if (!is_newer(target, path) || tl_input_open(&input, &target, 1, &options, NULL, NULL))
		return false;
	whole = is_whole(input);
	if (whole)
		warn_damage(m->job, input, target);
	tl_input_close(input);
	return whole;
}

/* ---- one file ---- */

static int write_profile(struct mapping *m, const struct tl_profile *profile, const char *target,
			 struct tl_error *err)
{
	struct tl_output *out;
	int status = output_open(&out, target, err);

	if (status == 0) {
		status = tl_exporter_find("tracelathe")->write(profile, NULL, out, err);
		if (status == 0)
			status = output_commit(out, err);
		else
			output_discard(out);
	}
	if (status < 0) {
		complain_error(target, err);
		m->job->error_shown = true;
	}
	return status;
}

static int map_opened(struct mapping *m, const char *path, const char *target, struct tl_error *err)
{
	struct tl_profile *profile;
	int status = fold_opened(m->job, path, &profile, err);

	if (status < 0)
		return status;
	/* A file that cannot be written ends the command: the others could not be written, too. */
	status = write_profile(m, profile, target, err) < 0 ? TL_NO_MEMORY : 0;
	tl_profile_free(profile);
	return status;
}

static int keep_log(struct mapping *m, const char *path, struct tl_error *err)
{
	struct command_job *job = m->job;
	const char *failed = path, **item = list_add(&m->log_paths.list, sizeof(*item));
	int status = item ? 0 : TL_NO_MEMORY;

	progress_end(job->progress);
	if (item)
		*item = path;
	if (status == 0 && m->logs)
		status = tl_input_join(m->logs, job->input, &failed, err);
	else if (status == 0)
		m->logs = job->input;
	if (status < 0) {
		complain_error(failed, err);
		job->error_shown = true;
		tl_input_close(job->input);
	}
	job->input = NULL;
	return status;
}

static int map_file(struct mapping *m, const char *path, struct tl_error *err)
{
	char *target;
	int status = 0;

	if (!open_file(m->job, path))
		return TL_BAD_FORMAT;
	if (tl_input_format(m->job->input)->joins_processes)
		return m->relatives.kin ? relatives_add(&m->relatives, m->job, path, err)
					: keep_log(m, path, err);
	target = mapping_target(m->directory, path);
	if (!target)
		return TL_NO_MEMORY;
	if (is_done(m, target, path)) {
		progress_end(m->job->progress);
		tl_input_close(m->job->input);
		m->job->input = NULL;
	} else {
		status = map_opened(m, path, target, err);
	}
	free(target);
	return status;
}

/* ---- logs of processes ---- */

static int map_log(struct mapping *m, size_t number, struct tl_error *err)
{
	const char *path = m->log_paths.items[number];
	char *target = mapping_target(m->directory, path);
	struct tl_profile *profile = NULL;
	int status = target ? 0 : TL_NO_MEMORY;

	if (status == 0 && !is_done(m, target, path)) {
		status = tl_input_fold_file(m->logs, number, &profile, err);
		if (status < 0)
			complain_error(path, err);
		else
			status = write_profile(m, profile, target, err) < 0 ? TL_NO_MEMORY : 0;
	}
	tl_profile_free(profile);
	free(target);
	return status;
}

static int map_logs(struct mapping *m, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && m->logs && i < m->log_paths.list.count; i++) {
		status = map_log(m, i, err);
		if (keeps_going(m->job, status)) {
			m->job->missing++;
			status = 0;
		}
	}
	if (m->logs)
		warn_damage(m->job, m->logs, m->log_paths.items[0]);
	return status;
}

static int map_group(void *arg, const char *const *paths, size_t count, struct tl_error *err)
{
	struct mapping *m = arg;
	int status = 0;

	for (size_t i = 0; status == 0 && i < count; i++) {
		status = open_file(m->job, paths[i]) ? keep_log(m, paths[i], err) : TL_BAD_FORMAT;
		status = pass_over(m->job, status);
	}
	if (status == 0)
		status = map_logs(m, err);
	tl_input_close(m->logs);
	m->logs = NULL;
	m->log_paths.list.count = 0;
	return status;
}

/* ---- all of them ---- */

static int map_all(struct mapping *m, struct tl_error *err)
{
	struct command_job *job = m->job;
	int status = relatives_open(&m->relatives, job->settings, err);

	for (size_t i = 0; status == 0 && i < job->settings->paths.list.count; i++)
		status = pass_over(job, map_file(m, job->settings->paths.items[i], err));
	if (status != 0)
		return status;
	return m->relatives.kin ? relatives_each(&m->relatives, map_group, m, err)
				: map_logs(m, err);
}

int map_files(struct command_job *job, const char *directory, struct tl_error *err)
{
	struct mapping m = { .job = job, .directory = directory };
	int status;

	/* Each is kept with the numbers of its elements, which a packed profile has not. */
	job->settings->input.packed = false;
	status = map_all(&m, err);
	tl_input_close(m.logs);
	list_free(&m.log_paths.list);
	relatives_close(&m.relatives);
	return status;
}
