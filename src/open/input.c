/* SPDX-License-Identifier: Apache-2.0 */
/* An input of whatever format: recognised, opened, and asked through its format's operations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/guard.h"
#include "core/source.h"
#include "open/format.h"
#include "open/several.h"

enum { DAMAGE_LISTED = 1000 };

static int by_name(const char *name, const struct tl_format **format, struct tl_error *err)
{
	for (size_t i = 0; tl_format_table[i]; i++)
		if (!strcmp(tl_format_table[i]->info.name, name)) {
			*format = tl_format_table[i];
			return 0;
		}
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "not a format that this build reads");
}

/* valgrind leaves an empty file beside those of the threads. */
static const char *empty_text(const char *path)
{
	char *thread = NULL;
	bool beside = false;

	if (asprintf(&thread, "%s-01", path) >= 0) {
		beside = !access(thread, F_OK);
		free(thread);
	}
	return beside ? "the file is empty (Callgrind with --separate-threads=yes writes FILE-01, "
			"FILE-02, ...)"
		      : "the file is empty";
}

static const char *unknown_text(const uint8_t *data, size_t size)
{
	if (size >= 4 && !memcmp(data,
				 "\x7f"
				 "ELF",
				 4))
		return "an ELF file is no trace; programs are given with --binary";
	return "not a trace of any format that this build reads";
}

static int by_content(struct tl_source *source, const struct tl_format **format,
		      struct tl_error *err)
{
	const uint8_t *data;
	size_t size;
	int status = tl_source_peek(source, &data, &size, err);
	int surest = 0;

	if (status < 0)
		return status;
	if (!size)
		return tl_error_at(err, TL_TRUNCATED, 0, empty_text(tl_source_name(source)));
	for (size_t i = 0; tl_format_table[i]; i++) {
		int sure = tl_format_table[i]->probe(data, size);

		if (sure > surest) {
			surest = sure;
			*format = tl_format_table[i];
		}
	}
	return surest ? 0 : tl_error_at(err, TL_BAD_FORMAT, 0, unknown_text(data, size));
}

/* By the first of several files that has a byte: Callgrind leaves an empty one beside those of its
 * threads. */
static int by_contents(struct tl_input *input, const char *const *paths, size_t path_count,
		       const char **failed, struct tl_error *err)
{
	int status = by_content(input->source, &input->format, err);

	for (size_t i = 1; status == TL_TRUNCATED && i < path_count; i++) {
		struct tl_source *source = NULL;

		status = tl_source_open(&source, paths[i], NULL, err);
		if (status < 0)
			*failed = paths[i];
		else
			status = by_content(source, &input->format, err);
		tl_source_close(source);
	}
	return status;
}

/*
 * The format of a further path; NULL: unknown, empty, or to be told only by reading what can be
 * read only once.
 */
static int format_of(const char *path, const struct tl_format **format, struct tl_error *err)
{
	struct tl_source *source = NULL;
	struct stat about;
	int status;

	*format = NULL;
	if (stat(path, &about) || !S_ISREG(about.st_mode))
		return 0;
	status = tl_source_open(&source, path, NULL, err);
	if (status == 0)
		status = by_content(source, format, err);
	tl_source_close(source);
	return status == TL_TRUNCATED || status == TL_BAD_FORMAT ? 0 : status;
}

/*
 * Files of one input have one format: a file of another would be read as damage of the first one's.
 */
static int check_formats(const struct tl_input *input, const char *const *paths, size_t path_count,
			 const char **failed, struct tl_error *err)
{
	const struct tl_format *format;

	for (size_t i = 1; i < path_count; i++) {
		int status = format_of(paths[i], &format, err);

		if (status == 0 && format && format != input->format)
			status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
					     "not of the format of the first file; merge adds up "
					     "profiles of any formats");
		if (status < 0) {
			*failed = paths[i];
			return status;
		}
	}
	return 0;
}

/* One log per process, say: the others are inputs of the same format. */
static int open_others(struct tl_input *input, const char *const *paths, size_t path_count,
		       const char **failed, struct tl_error *err)
{
	struct tl_input_options options = input->options;

	input->others = calloc(path_count, sizeof(*input->others));
	if (!input->others)
		return tl_error_memory(err);
	options.format = input->format->info.name;
	for (; input->other_count < path_count; input->other_count++) {
		const char *path = paths[input->other_count];
		struct tl_input *other;
		int status = tl_input_open(&other, &path, 1, &options, failed, err);

		if (status < 0)
			return status;
		other->path = tl_source_name(other->source);
		input->others[input->other_count] = other;
	}
	return 0;
}

static int open_paths(struct tl_input *input, const char *const *paths, size_t path_count,
		      const char **failed, struct tl_error *err)
{
	struct tl_source_options source = {
		.size = sizeof(source),
		.progress = input->options.progress,
		.progress_arg = input->options.progress_arg,
	};
	int status;

	status = input->options.format ? by_name(input->options.format, &input->format, err) : 0;
	if (status == 0)
		status = tl_source_open(&input->source, paths[0], &source, err);
	if (status == 0 && !input->format)
		status = by_contents(input, paths, path_count, failed, err);
	if (status == 0 && path_count > 1)
		status = tl_input_distinct(paths, path_count, !input->format->relate, failed, err);
	if (status == 0 && !input->options.format)
		status = check_formats(input, paths, path_count, failed, err);
	if (status == 0)
		status = input->format->open(
			input, paths, input->format->many_paths ? path_count : 1, failed, err);
	if (status == 0 && !input->format->many_paths && path_count > 1)
		status = open_others(input, paths + 1, path_count - 1, failed, err);
	return status;
}

int tl_input_open(struct tl_input **input, const char *const *paths, size_t path_count,
		  const struct tl_input_options *options, const char **failed, struct tl_error *err)
{
	static const struct tl_input_options everything = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_input *made = calloc(1, sizeof(*made));
	const char *about = path_count ? paths[0] : NULL;
	int status;

	*input = NULL;
	if (!made)
		return tl_error_memory(err);
	made->lost_pages = tl_guard_lost_pages();
	made->options = everything;
	if (options)
		memcpy(&made->options, options,
		       options->size < sizeof(*options) ? options->size : sizeof(*options));
	status = path_count ? open_paths(made, paths, path_count, &about, err)
			    : tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "no input");
	if (status < 0) {
		if (failed)
			*failed = about;
		tl_input_close(made);
		return status;
	}
	*input = made;
	return 0;
}

const char *tl_input_format(const struct tl_input *input)
{
	return input->format->info.name;
}

void tl_input_close(struct tl_input *input)
{
	if (!input)
		return;
	for (size_t i = 0; i < input->other_count; i++)
		tl_input_close(input->others[i]);
	free(input->others);
	if (input->handle)
		input->format->close(input);
	tl_source_close(input->source);
	free(input->damage);
	free(input);
}

/* ---- files that change ---- */

/* The first of the input's files that has become shorter, NULL: none. */
static const struct tl_source *find_changed(const struct tl_input *input)
{
	const struct tl_source *source;

	if (input->source && tl_source_changed(input->source))
		return input->source;
	for (size_t i = 0; input->format->source && (source = input->format->source(input, i)); i++)
		if (tl_source_changed(source))
			return source;
	source = NULL;
	for (size_t i = 0; !source && i < input->other_count; i++)
		source = find_changed(input->others[i]);
	return source;
}

/*
 * The status of a call that has read the input: no result stands on bytes that went away meanwhile.
 * Pages of binaries may be lost as well as those of the trace.
 */
static int64_t unchanged(struct tl_input *input, int64_t status, struct tl_error *err)
{
	const struct tl_source *changed = find_changed(input);

	if (changed) {
		input->failed = tl_source_name(changed);
		return tl_error_at(err, TL_IO, TL_NOWHERE, "input changed while it was read");
	}
	if (tl_guard_lost_pages() != input->lost_pages)
		return tl_error_at(err, TL_IO, TL_NOWHERE,
				   "a file of this input could not be read where it was mapped");
	return status;
}

/* ---- the calls ---- */

/* The profiles of all paths of an input; *folded of them are there, also after a failure. */
static int fold_each(struct tl_input *input, struct tl_profile **profiles, size_t *folded,
		     struct tl_error *err)
{
	int status = input->format->fold(input, &profiles[0], err);

	*folded = status == 0;
	for (size_t i = 0; status == 0 && i < input->other_count; i++) {
		status = input->format->fold(input->others[i], &profiles[i + 1], err);
		*folded += status == 0;
		input->failed = input->others[i]->path;
	}
	return status;
}

static int fold_all(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	size_t count = input->other_count + 1, folded;
	struct tl_profile **profiles;
	int status = tl_input_relate(input, err);

	if (status < 0)
		return status;
	if (count == 1)
		return input->format->fold(input, profile, err);
	profiles = calloc(count, sizeof(*profiles));
	if (!profiles)
		return tl_error_memory(err);
	status = fold_each(input, profiles, &folded, err);
	if (status == 0)
		status = tl_profile_merge(profile, (const struct tl_profile *const *)profiles,
					  count, err);
	while (folded)
		tl_profile_free(profiles[--folded]);
	free(profiles);
	return status;
}

int tl_input_fold(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	const struct tl_profile_filter filter = {
		.size = sizeof(filter),
		.function = input->options.function,
		.object = input->options.object,
	};
	int status;

	*profile = NULL;
	status = fold_all(input, profile, err);
	if (status == 0 && (filter.function || filter.object))
		status = tl_profile_choose(*profile, &filter, err);
	status = (int)unchanged(input, status, err);
	if (status < 0) {
		tl_profile_free(*profile);
		*profile = NULL;
	}
	return status;
}

size_t tl_input_code(struct tl_input *input, const char *object, uint64_t address, uint8_t *bytes,
		     size_t size)
{
	size_t count =
		input->format->code ? input->format->code(input, object, address, bytes, size) : 0;

	for (size_t i = 0; !count && input->format->code && i < input->other_count; i++)
		count = input->format->code(input->others[i], object, address, bytes, size);
	return count;
}

const char *tl_input_failed(const struct tl_input *input)
{
	return input->failed;
}

/* What tells of one file, and not of their sum. */
static int one_file(const struct tl_input *input, struct tl_error *err)
{
	if (input->other_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "this shows one file at a time; report, tree, stacks and "
				   "convert take several");
	return 0;
}

/* Facts and records are told as text or as JSON; there is no table to be a CSV. */
static int text_or_json(const struct tl_input *input, enum tl_report_form form,
			struct tl_error *err)
{
	if (form == TL_REPORT_CSV)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there is no CSV form of this; use --json");
	return one_file(input, err);
}

int tl_input_info(struct tl_input *input, enum tl_report_form form, struct tl_output *out,
		  struct tl_error *err)
{
	int status = text_or_json(input, form, err);

	if (status == 0)
		status = input->format->describe(input, form == TL_REPORT_JSON, out, err);
	return (int)unchanged(input, status, err);
}

int tl_input_dump(struct tl_input *input, enum tl_report_form form, struct tl_output *out,
		  struct tl_error *err)
{
	int status = text_or_json(input, form, err);

	if (status == 0)
		status = input->format->dump(input, form == TL_REPORT_JSON, out, err);
	return (int)unchanged(input, status, err);
}

int64_t tl_input_check(struct tl_input *input, enum tl_report_form form, struct tl_output *out,
		       struct tl_error *err)
{
	int64_t found = text_or_json(input, form, err);

	if (found == 0)
		found = input->format->check(input, form == TL_REPORT_JSON, out, err);
	return unchanged(input, found, err);
}

static int write_timeline(struct tl_input *input, const char *format, struct tl_output *out,
			  struct tl_error *err)
{
	struct tl_timeline *timeline;
	int status = tl_timeline_open(&timeline, format, out, err);
	int finished;

	if (status < 0)
		return status;
	status = input->format->timeline(input, timeline, err);
	finished = tl_timeline_finish(timeline, status < 0 ? NULL : err);
	return status < 0 ? status : finished;
}

int tl_input_timeline(struct tl_input *input, const char *format, struct tl_output *out,
		      struct tl_error *err)
{
	int status = one_file(input, err);

	if (status == 0)
		status = write_timeline(input, format, out, err);
	return (int)unchanged(input, status, err);
}

static int convert_records(struct tl_input *input, const char *to, const char *variant,
			   struct tl_output *out, struct tl_error *err)
{
	const struct tl_conversion *conversion = input->format->conversions;

	while (conversion && conversion->name && strcmp(conversion->name, to))
		conversion++;
	if (conversion && conversion->name && variant)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "this format has no versions");
	if (conversion && conversion->name)
		return (int)unchanged(input, conversion->write(input, out, err), err);
	for (const struct tl_format_info *target = tl_trace_targets(); target->name; target++)
		if (!strcmp(target->name, to))
			return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
					   "only traces of instructions (xtrace) are written in "
					   "that format");
	return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
			   "the input cannot be written in that format");
}

int tl_input_analyze(struct tl_input *input, const struct tl_analysis *analysis,
		     struct tl_output *out, const char **failed, struct tl_error *err)
{
	struct tl_analysis known = { 0 };
	const char *about = NULL;

	if (failed)
		*failed = NULL;
	memcpy(&known, analysis, analysis->size < sizeof(known) ? analysis->size : sizeof(known));
	if (!input->format->analyze)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "only traces of instructions (xtrace) can be analyzed in this "
				   "way");
	return (int)unchanged(
		input, input->format->analyze(input, &known, out, failed ? failed : &about, err),
		err);
}

int tl_input_reencode(struct tl_input *input, const char *to, const char *variant,
		      struct tl_output *out, struct tl_error *err)
{
	if (strcmp(to, input->format->info.name))
		return convert_records(input, to, variant, out, err);
	if (input->other_count)
		return one_file(input, err);
	return (int)unchanged(input, input->format->reencode(input, variant, out, err), err);
}

int tl_input_slice(struct tl_input *input, const struct tl_slice *what, struct tl_output *out,
		   struct tl_error *err)
{
	int status = one_file(input, err);

	if (status < 0)
		return status;
	if (!input->format->slice)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "traces of this format cannot be cut");
	return (int)unchanged(input, input->format->slice(input, what, out, err), err);
}

/* The places of one file, behind those that are listed already. */
static void add_damage(struct tl_input *input, struct tl_damage *places, size_t room,
		       size_t *listed, uint64_t *count, uint64_t *skipped_bytes)
{
	const struct tl_error *fault = tl_source_fault(input->source);
	uint64_t own_count = 0, own_bytes = 0;
	size_t first = *listed;

	if (fault && *listed < room)
		places[(*listed)++] = (struct tl_damage){
			.status = fault->status,
			.text = fault->text,
			.offset = fault->offset,
			.record = TL_NOWHERE,
		};
	*listed += input->format->damage(input, places + *listed, room - *listed, &own_count,
					 &own_bytes);
	for (size_t i = first; input->path && i < *listed; i++)
		places[i].path = input->path;
	*count += own_count + (fault ? 1 : 0);
	*skipped_bytes += own_bytes;
}

const struct tl_damage *tl_input_damage(struct tl_input *input, size_t *listed, uint64_t *count,
					uint64_t *skipped_bytes)
{
	size_t room;

	if (!input->damage)
		input->damage = calloc(DAMAGE_LISTED, sizeof(*input->damage));
	room = input->damage ? DAMAGE_LISTED : 0;
	*listed = 0;
	*count = *skipped_bytes = 0;
	add_damage(input, input->damage, room, listed, count, skipped_bytes);
	for (size_t i = 0; i < input->other_count; i++)
		add_damage(input->others[i], input->damage, room, listed, count, skipped_bytes);
	return input->damage;
}
