/* SPDX-License-Identifier: Apache-2.0 */
/* The calls on an open input: each is an operation of the format's row, or unsupported. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/sized.h"
#include "core/text/json_csv.h"
#include "export/coverage/profile_lcov.h"
#include "open/calls.h"
#include "open/coverage.h"
#include "open/format.h"
#include "open/input.h"
#include "open/several.h"
#include "profile/merge/merge.h"
#include "profile/model/model.h"
#include "profile/transform/nanoseconds.h"
#include "timeline/timeline.h"

/* ---- operations that a format does not have ---- */

enum operation {
	OPERATION_FOLD,
	OPERATION_DESCRIBE,
	OPERATION_DUMP,
	OPERATION_CHECK,
	OPERATION_RULES,
	OPERATION_TIMELINE,
	OPERATION_REENCODE,
	OPERATION_SLICE,
	OPERATION_ANALYZE,
};

static int unsupported(const struct tl_input *input, enum operation operation, struct tl_error *err)
{
	static const char *const texts[] = {
		[OPERATION_FOLD] = "this format holds no costs, so no profile can be made of it",
		[OPERATION_DESCRIBE] = "nothing can be said about files of this format",
		[OPERATION_DUMP] = "this format has no records to show",
		[OPERATION_CHECK] = "this format has no rules to check",
		[OPERATION_RULES] = "the rules of this format have no list",
		[OPERATION_TIMELINE] =
			"this format holds no times, so no timeline can be made of it",
		[OPERATION_REENCODE] = "this format is read, but not written",
		[OPERATION_SLICE] = "traces of this format cannot be cut",
		[OPERATION_ANALYZE] =
			"this format holds no instructions and accesses that can be analyzed",
	};

	return tl_error_format(err, input->format->info.name,
			       tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE, texts[operation]));
}

/* ---- fold ---- */

/* A profile of a file in nanoseconds, where the options ask for it. */
static int convert_clock(const struct tl_input *input, struct tl_profile **profile,
			 struct tl_error *err)
{
	struct tl_profile *ticks = *profile;
	int status;

	if (!input->options.nanoseconds || !tl_profile_has_other_clock(ticks))
		return 0;
	status = tl_profile_in_nanoseconds(profile, ticks, err);
	tl_profile_free(ticks);
	return status;
}

static int fold_path(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	int status = input->format->fold(input, profile, err);

	return status < 0 ? status : convert_clock(input, profile, err);
}

/* Fold every path. The caller frees the first *folded profiles, also after a failure. */
static int fold_each(struct tl_input *input, struct tl_profile **profiles, size_t *folded,
		     struct tl_error *err)
{
	int status = fold_path(input, &profiles[0], err);

	*folded = status == 0;
	for (size_t i = 0; status == 0 && i < input->other_count; i++) {
		status = fold_path(input->others[i], &profiles[i + 1], err);
		*folded += status == 0;
		if (status < 0)
			input->failed = input->others[i]->path;
	}
	return status;
}

/* Costs of different clocks have no sum: the first file with another clock is named. */
static int check_clocks(struct tl_input *input, struct tl_profile *const *profiles,
			struct tl_error *err)
{
	const struct tl_profile *first = NULL;

	for (size_t i = 0; i <= input->other_count; i++) {
		if (!tl_profile_has_ticks(profiles[i]))
			continue;
		if (!first)
			first = profiles[i];
		if (first->frequency == profiles[i]->frequency)
			continue;
		input->failed = input->others[i - 1]->path;
		return tl_merge_refuse_clock(err);
	}
	return 0;
}

/* Whether the input can be folded as the options ask. */
static int check_fold(const struct tl_input *input, struct tl_error *err)
{
	const struct tl_input_part *part = &input->options.part;
	bool parted = part->instructions.from || part->instructions.to || part->snapshots.from ||
		      part->snapshots.to || part->level || part->interval || part->split;

	if (!input->format->fold)
		return unsupported(input, OPERATION_FOLD, err);
	if (parted && !input->format->numbers_instructions)
		return tl_error_format(err, input->format->info.name,
				       tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
						   "this format has no numbers of instructions, "
						   "snapshots, exception levels and tasks to "
						   "choose by"));
	return 0;
}

static int fold_all(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	size_t count = input->other_count + 1, folded;
	struct tl_profile **profiles;
	int status = check_fold(input, err);

	if (status < 0)
		return status;
	status = tl_input_relate(input, err);
	if (status < 0)
		return status;
	if (count == 1)
		return fold_path(input, profile, err);
	profiles = calloc(count, sizeof(*profiles));
	if (!profiles)
		return tl_error_memory(err);
	status = fold_each(input, profiles, &folded, err);
	if (status == 0)
		status = check_clocks(input, profiles, err);
	if (status == 0)
		status = tl_profile_merge(profile, (const struct tl_profile *const *)profiles,
					  count, err);
	while (folded)
		tl_profile_free(profiles[--folded]);
	free(profiles);
	return status;
}

/* What is said of the input goes with its profile. */
static int note_damage(struct tl_input *input, struct tl_profile *profile, struct tl_error *err)
{
	uint64_t skipped;

	if (input->format->keeps_notes)
		return 0;
	tl_input_damage_count(input, &skipped);
	if (!input->damage)
		return tl_error_memory(err);
	for (size_t i = 0; i < input->damage_listed; i++) {
		const struct tl_damage *place = &input->damage[i];
		const struct tl_profile_note note = {
			place->status, place->text,   input->format->info.name,
			place->offset, place->length, place->record
		};

		if (!tl_profile_add_note(profile, &note))
			return tl_error_memory(err);
	}
	/* To the caller nothing was counted yet. */
	input->damage_listed = 0;
	return 0;
}

static int add_formulas(const struct tl_input *input, struct tl_profile *profile,
			struct tl_error *err)
{
	int64_t number = 0;

	for (size_t i = 0; number >= 0 && i < input->options.formula_count; i++)
		number = tl_profile_add_formula(profile, input->options.formulas[i], err);
	return tl_profile_status(number);
}

/* What the options ask of a profile that was folded. */
static int finish_fold(struct tl_input *input, int status, struct tl_profile **profile,
		       struct tl_error *err)
{
	const struct tl_profile_filter filter = {
		.size = sizeof(filter),
		.function = input->options.filter.function,
		.object = input->options.filter.object,
	};

	if (status == 0)
		status = add_formulas(input, *profile, err);
	if (status == 0 && (filter.function || filter.object))
		status = tl_profile_choose(*profile, &filter, err);
	status = (int)tl_input_unchanged(input, status, err);
	if (status < 0) {
		tl_profile_free(*profile);
		*profile = NULL;
	}
	return status;
}

int tl_input_fold(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	int status;

	*profile = NULL;
	status = fold_all(input, profile, err);
	if (status == 0)
		status = note_damage(input, *profile, err);
	return finish_fold(input, status, profile, err);
}

/* A single file of the input: as fold_all(), without its others. */
static int fold_one(struct tl_input *input, struct tl_input *file, struct tl_profile **profile,
		    struct tl_error *err)
{
	size_t others = input->other_count;
	int status = tl_input_relate(input, err);

	if (status < 0)
		return status;
	input->other_count = 0;
	status = check_fold(file, err);
	if (status == 0)
		status = fold_path(file, profile, err);
	if (status == 0)
		status = note_damage(file, *profile, err);
	input->other_count = others;
	return status;
}

int tl_input_fold_file(struct tl_input *input, size_t number, struct tl_profile **profile,
		       struct tl_error *err)
{
	int status;

	*profile = NULL;
	if (number > input->other_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "the input has no such file");
	status = fold_one(input, number ? input->others[number - 1] : input, profile, err);
	return finish_fold(input, status, profile, err);
}

struct tl_binary *tl_input_binary(struct tl_input *input, const char *object)
{
	struct tl_binary *binary = NULL;

	if (!input->format->binary)
		return NULL;
	binary = input->format->binary(input, object);
	for (size_t i = 0; !binary && i < input->other_count; i++)
		binary = input->format->binary(input->others[i], object);
	return binary;
}

size_t tl_input_code(struct tl_input *input, const char *object, uint64_t address, uint8_t *bytes,
		     size_t size)
{
	size_t count;

	if (!input->format->code)
		return 0;
	count = input->format->code(input, object, address, bytes, size);
	for (size_t i = 0; !count && i < input->other_count; i++)
		count = input->format->code(input->others[i], object, address, bytes, size);
	return count;
}

const char *tl_input_failed(const struct tl_input *input)
{
	return input->failed;
}

/* ---- listings ---- */

/* For calls that show the records of one file, not a sum of several. */
static int one_file(const struct tl_input *input, struct tl_error *err)
{
	if (input->other_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "this shows one file at a time; report, tree, stacks and "
				   "convert take several");
	return 0;
}

/* Records are written as text or JSON; only facts, violations and tables have a CSV form. */
static int text_or_json(const struct tl_input *input, enum tl_report_form form,
			struct tl_error *err)
{
	if (form == TL_REPORT_CSV)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there is no CSV form of this; there is one as JSON");
	return one_file(input, err);
}

int tl_input_info(struct tl_input *input, enum tl_report_form form, struct tl_output *out,
		  struct tl_error *err)
{
	int status = one_file(input, err);
	struct tl_csv csv;

	if (status == 0 && !input->format->describe)
		status = unsupported(input, OPERATION_DESCRIBE, err);
	if (status == 0 && form == TL_REPORT_CSV) {
		status = tl_csv_begin(&csv, err);
		if (status == 0)
			status = input->format->describe(input, true, csv.json, err);
		status = tl_csv_end_facts(&csv, status, out, err);
	} else if (status == 0) {
		status = input->format->describe(input, form == TL_REPORT_JSON, out, err);
	}
	return (int)tl_input_unchanged(input, status, err);
}

int tl_input_dump(struct tl_input *input, enum tl_report_form form, struct tl_output *out,
		  struct tl_error *err)
{
	int status = text_or_json(input, form, err);

	if (status == 0 && input->options.dump.flags & TL_DUMP_CALLS)
		return tl_dump_calls(input, form == TL_REPORT_JSON, out, err);
	if (status == 0 && !input->format->dump)
		status = unsupported(input, OPERATION_DUMP, err);
	if (status == 0)
		status = input->format->dump(input, form == TL_REPORT_JSON, out, err);
	return (int)tl_input_unchanged(input, status, err);
}

static int64_t check_as_csv(struct tl_input *input, bool rules, struct tl_output *out,
			    struct tl_error *err)
{
	struct tl_csv csv;
	int64_t found = tl_csv_begin(&csv, err);
	int status;

	if (found == 0)
		found = (rules ? input->format->rules : input->format->check)(input, true, csv.json,
									      err);
	status = tl_csv_end_rows(&csv, found < 0 ? (int)found : 0, out, err);
	if (status < 0)
		return status;
	return found;
}

int64_t tl_input_check(struct tl_input *input, enum tl_report_form form, struct tl_output *out,
		       struct tl_error *err)
{
	int64_t found = one_file(input, err);
	bool rules = input->options.dump.flags & TL_DUMP_RULES;

	if (found == 0 && !(rules ? input->format->rules : input->format->check))
		found = unsupported(input, rules ? OPERATION_RULES : OPERATION_CHECK, err);
	if (found == 0 && form == TL_REPORT_CSV)
		found = check_as_csv(input, rules, out, err);
	else if (found == 0)
		found = (rules ? input->format->rules
			       : input->format->check)(input, form == TL_REPORT_JSON, out, err);
	return tl_input_unchanged(input, found, err);
}

static int write_timeline(struct tl_input *input, const char *format, struct tl_output *out,
			  struct tl_error *err)
{
	struct tl_timeline *timeline;
	int status = tl_timeline_open(&timeline, format, out, err);
	int finished;

	if (status < 0)
		return status;
	timeline->jobs = input->options.jobs;
	status = input->format->timeline(input, timeline, err);
	finished = tl_timeline_finish(timeline, status < 0 ? NULL : err);
	if (status < 0)
		return status;
	return finished;
}

int tl_input_timeline(struct tl_input *input, const char *format, struct tl_output *out,
		      struct tl_error *err)
{
	int status = input->format->info.joins_processes ? 0 : one_file(input, err);

	if (status == 0 && !input->format->timeline)
		status = unsupported(input, OPERATION_TIMELINE, err);
	if (status == 0)
		status = write_timeline(input, format, out, err);
	return (int)tl_input_unchanged(input, status, err);
}

/* ---- traces written again ---- */

static const struct tl_conversion *find_conversion(const struct tl_input *input, const char *to)
{
	const struct tl_conversion *conversion = input->format->conversions;

	for (; conversion && conversion->target.name; conversion++)
		if (!strcmp(conversion->target.name, to))
			return conversion;
	return NULL;
}

static int no_conversion(const char *to, struct tl_error *err)
{
	const struct tl_trace_target *target;

	for (size_t i = 0; (target = tl_trace_target(i)); i++)
		if (!strcmp(target->name, to))
			return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
					   "records of this format are not written in that one");
	return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
			   "the input cannot be written in that format");
}

/* Lines of a profile, where a format has no instructions. */
static int write_profile_lcov(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	struct tl_profile *profile = NULL;
	int status = tl_input_fold(input, &profile, err);

	if (status == 0)
		status = tl_profile_lcov(profile, out, err);
	tl_profile_free(profile);
	return status;
}

static int convert_records(struct tl_input *input, const char *to, const char *variant,
			   struct tl_output *out, struct tl_error *err)
{
	const struct tl_conversion *conversion = find_conversion(input, to);
	const struct tl_coverage_exporter *exporter = tl_coverage_exporter(to);
	int status;

	if (exporter == &tl_lcov_exporter && !variant && !input->format->coverage &&
	    input->format->fold)
		return write_profile_lcov(input, out, err);
	if (exporter && !input->format->coverage)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "how often code ran is known for traces of a processor alone");
	if (!conversion && !exporter)
		return no_conversion(to, err);
	if (variant)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "this format has no versions");
	status = exporter ? one_file(input, err) : 0;
	if (status < 0)
		return status;
	status = exporter ? input->format->coverage(input, exporter, out, err)
			  : conversion->write(input, out, err);
	/* A perf.data file may have samples instead of a trace. */
	if (status == TL_UNSUPPORTED && exporter == &tl_lcov_exporter)
		status = write_profile_lcov(input, out, err);
	return (int)tl_input_unchanged(input, status, err);
}

int tl_input_reencode(struct tl_input *input, const char *to, const char *variant,
		      struct tl_output *out, struct tl_error *err)
{
	int status;

	if (strcmp(to, input->format->info.name))
		return convert_records(input, to, variant, out, err);
	status = one_file(input, err);
	if (status < 0)
		return status;
	if (!input->format->reencode)
		return unsupported(input, OPERATION_REENCODE, err);
	return (int)tl_input_unchanged(input, input->format->reencode(input, variant, out, err),
				       err);
}

int tl_input_slice(struct tl_input *input, const struct tl_slice *slice, struct tl_output *out,
		   struct tl_error *err)
{
	struct tl_slice taken;
	int status = tl_input_check_size(slice->size, sizeof(*slice), err);

	if (status == 0)
		status = one_file(input, err);
	if (status < 0)
		return status;
	if (!input->format->slice)
		return unsupported(input, OPERATION_SLICE, err);
	tl_take(&taken, sizeof(taken), slice, slice->size);
	return (int)tl_input_unchanged(input, input->format->slice(input, &taken, out, err), err);
}

/* ---- analyses ---- */

int tl_input_analyze(struct tl_input *input, const struct tl_analysis *analysis,
		     struct tl_output *out, const char **failed, struct tl_error *err)
{
	struct tl_analysis taken;
	const char *about = NULL;
	int status = tl_input_check_size(analysis->size, sizeof(*analysis), err);

	if (status == 0 && !input->format->analyze)
		status = unsupported(input, OPERATION_ANALYZE, err);
	if (status == 0) {
		tl_take(&taken, sizeof(taken), analysis, analysis->size);
		status = input->format->analyze(input, &taken, out, &about, err);
		status = (int)tl_input_unchanged(input, status, err);
	}
	if (failed)
		*failed = about;
	return status;
}
