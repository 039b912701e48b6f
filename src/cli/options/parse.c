/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a command, read by the table of options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options/config.h"
#include "cli/options/option.h"
#include "cli/options/paths.h"
#include "cli/options/settings.h"
#include "cli/options/suffix.h"
#include "cli/options/words.h"
#include "cli/terminal/messages.h"
#include "cli/terminal/similar.h"

/* ---- finding a row ---- */

static const struct option_row *find_row(const char *name, size_t length, unsigned commands_mask)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if ((row->commands & commands_mask) && strlen(row->name) == length &&
		    !memcmp(row->name, name, length))
			return row;
	return NULL;
}

static const struct option_row *find_letter(char letter, unsigned commands_mask)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if ((row->commands & commands_mask) && row->letter == letter)
			return row;
	return NULL;
}

static void complain_unknown(const struct command *command, const char *name, size_t length)
{
	const struct option_row *elsewhere = find_row(name, length, C_ALL), *best = NULL;
	size_t best_distance = SIZE_MAX;
	char word[64];

	snprintf(word, sizeof(word), "%.*s", (int)(length < 60 ? length : 60), name);
	for (const struct option_row *row = option_rows; row->name; row++) {
		size_t distance = word_distance(word, row->name);

		if ((row->commands & command->bit) && distance < best_distance) {
			best = row;
			best_distance = distance;
		}
	}
	if (best && word_is_near(word, best_distance))
		complain(command->name, "unknown option --%s; did you mean --%s?", word,
			 best->name);
	else if (elsewhere)
		complain(command->name,
			 "--%s is an option of other commands; `tracelathe %s --help` lists those "
			 "of %s",
			 word, command->name, command->name);
	else
		complain(command->name,
			 "unknown option --%s; `tracelathe %s --help` lists the options", word,
			 command->name);
}

/* ---- reading arguments ---- */

struct arguments {
	int at, count;
	char **list;
};

/* "must be a|b|c" with the words that the option takes, else "must be" and its argument. */
static void complain_argument(const struct command *command, const struct option_row *row,
			      const char *value)
{
	struct word word;

	show_error("tracelathe %s: --%s %s: must be ", command->name, row->name, value);
	if (!option_word(row, 0, &word))
		show_error("%s", row->argument);
	for (size_t i = 0; option_word(row, i, &word); i++)
		show_error("%s%.*s", i ? "|" : "", (int)word.size, word.text);
	putc('\n', stderr);
}

static bool store(struct settings *settings, const struct command *command,
		  const struct option_row *row, const char *value)
{
	const char *wrong = row->set(settings, (char *)settings + row->field, row, value);
	const struct option_row **given = list_add(&settings->files.given.list, sizeof(*given));

	if (given)
		*given = row;
	else
		wrong = "out of memory";
	if (wrong && wrong == row->argument)
		complain_argument(command, row, value);
	else if (wrong)
		complain(command->name, "--%s %s: %s", row->name, value ? value : "", wrong);
	return !wrong;
}

static bool take_value(struct settings *settings, const struct command *command,
		       const struct option_row *row, const char *attached, struct arguments *args)
{
	if (!row->argument) {
		if (!attached)
			return store(settings, command, row, NULL);
		complain(command->name, "--%s takes no value", row->name);
		return false;
	}
	if (!attached && value_is_optional(row))
		return store(settings, command, row, NULL);
	if (!attached && args->at < args->count)
		attached = args->list[args->at++];
	if (attached)
		return store(settings, command, row, attached);
	complain(command->name, "--%s needs a value, --%s %s", row->name, row->name, row->argument);
	return false;
}

static bool take_long(struct settings *settings, const struct command *command,
		      const char *argument, struct arguments *args)
{
	const char *name = argument + 2;
	size_t length = strcspn(name, "=");
	const struct option_row *row = find_row(name, length, command->bit);

	if (row)
		return take_value(settings, command, row, name[length] ? name + length + 1 : NULL,
				  args);
	complain_unknown(command, name, length);
	return false;
}

static bool take_short(struct settings *settings, const struct command *command,
		       const char *argument, struct arguments *args)
{
	const struct option_row *row = find_letter(argument[1], command->bit);
	const char *attached = argument[2] ? argument + 2 : NULL;

	if (row && (row->argument || !attached))
		return take_value(settings, command, row, attached, args);
	complain(command->name, "unknown option %s; `tracelathe %s --help` lists the options",
		 argument, command->name);
	return false;
}

static bool add_path(struct settings *settings, const struct command *command, const char *path)
{
	const char **item = list_add(&settings->paths.list, sizeof(*item));

	if (item)
		*item = path;
	else
		complain(command->name, "out of memory");
	return item != NULL;
}

static bool take_all(struct settings *settings, const struct command *command,
		     struct arguments *args)
{
	bool options = true;

	while (args->at < args->count) {
		const char *argument = args->list[args->at++];

		if (!options || argument[0] != '-' || !argument[1]) {
			if (!add_path(settings, command, argument))
				return false;
			/* What follows the program is the program's. */
			options = options && command->bit != C_RECORD;
		} else if (!strcmp(argument, "--")) {
			options = false;
			settings->diff.before = settings->paths.list.count;
		} else if (argument[1] == '-') {
			if (!take_long(settings, command, argument, args))
				return false;
		} else if (!take_short(settings, command, argument, args)) {
			return false;
		}
	}
	return true;
}

/* The default of --jobs: beyond this many threads the reading of most traces gains nothing. */
enum { MOST_JOBS = 16 };

unsigned default_jobs(long processors)
{
	if (processors < 1)
		return 1;
	return processors > MOST_JOBS ? MOST_JOBS : (unsigned)processors;
}

static void set_defaults(struct settings *settings)
{
	*settings = (struct settings){
		.input = TL_INPUT_OPTIONS_DEFAULT,
		.report = { .size = sizeof(settings->report), .threshold = -1 },
		.tree = TL_TREE_BOTH,
		.diff = { .fail_above = -1 },
		.annotate = { .context = -1 },
		.slice = { .part = {
			.size = sizeof(settings->slice.part),
			.snapshots = { 0, TL_NOWHERE },
			.instructions = { 0, TL_NOWHERE },
			.before_seconds = 1e-3,
		} },
	};
	settings->input.jobs = default_jobs(sysconf(_SC_NPROCESSORS_ONLN));
}

bool by_origin(const struct settings *settings)
{
	return settings->report.by == TL_BY_CGROUP ||
	       (settings->report.by >= TL_BY_TRACE && settings->report.by <= TL_BY_PROCESS);
}

/* What stands behind a table by origin has no threads and no stacks. */
static bool check_origins(const struct settings *settings, const struct command *command)
{
	const struct tl_report_options *report = &settings->report;
	const struct stack_settings *stacks = &settings->stacks;
	bool spread = settings->spread.wanted;

	if (spread && report->by != TL_BY_FUNCTION && !by_origin(settings)) {
		complain(command->name,
			 "--spread goes with --by trace, host, process and cgroup only");
		return false;
	}
	if (spread && settings->events.names && strchr(settings->events.names, ',')) {
		complain(command->name, "--spread compares one event");
		return false;
	}
	if (settings->spread.inclusive && (!spread || report->by > TL_BY_TRACE)) {
		complain(command->name, "--inclusive goes with --spread over traces only");
		return false;
	}
	if ((spread || by_origin(settings)) &&
	    (report->threads || report->cycles || report->recursive || stacks->focus ||
	     stacks->ignore || stacks->idle)) {
		complain(command->name,
			 "--spread and --by trace, host, process and cgroup go without "
			 "--threads, --cycles, --recursive-only, --focus, --ignore and --idle");
		return false;
	}
	return true;
}

/* Rows of intervals, levels and tasks are parts of a profile. */
static bool check_parts(const struct settings *settings, const struct command *command)
{
	const struct tl_report_options *report = &settings->report;
	bool split = report->by == TL_BY_LEVEL || report->by == TL_BY_TASK;

	if (settings->input.part.interval && (split || by_origin(settings) || report->cycles)) {
		complain(command->name, "--interval goes without --cycles and --by trace, host, "
					"process, level, task and cgroup");
		return false;
	}
	if (settings->spread.wanted && settings->input.part.interval) {
		complain(command->name, "--spread goes without --interval");
		return false;
	}
	return true;
}

/* Options that exclude each other. */
static bool check_together(const struct settings *settings, const struct command *command)
{
	const struct output_settings *output = &settings->output;
	const struct diff_settings *diff = &settings->diff;

	if (output->json && output->csv) {
		complain(command->name, "--json and --csv exclude each other");
		return false;
	}
	if (output->yaml && (output->json || output->csv)) {
		complain(command->name, "--yaml excludes --json and --csv");
		return false;
	}
	if (settings->tree >= TL_TREE_ALL_CALLERS && !settings->input.filter.function &&
	    !settings->input.filter.object) {
		complain(command->name, "--all-callers and --all-callees need --function REGEX");
		return false;
	}
	if (!check_origins(settings, command) || !check_parts(settings, command))
		return false;
	if (diff->markdown && (output->json || output->csv)) {
		complain(command->name, "--markdown excludes --json and --csv");
		return false;
	}
	if (diff->form == DIFF_DOT && (diff->markdown || diff->runs || diff->by || output->json ||
				       output->csv || diff->fail_above >= 0)) {
		complain(command->name, "--to dot goes without --runs, --by, --json, --csv, "
					"--markdown and --fail-above");
		return false;
	}
	if (diff->runs && (settings->flame.of_diff || diff->by > DIFF_BY_FUNCTION)) {
		complain(command->name, "--runs goes by function, without --flame");
		return false;
	}
	if (diff->flow &&
	    (diff->runs || diff->by || diff->form || diff->markdown || diff->inclusive ||
	     diff->fail_above >= 0 || diff->renames.list.count || settings->flame.of_diff)) {
		complain(command->name, "--flow goes without --runs, --by, --to, --markdown, "
					"--inclusive, --fail-above, --rename and --flame");
		return false;
	}
	if ((diff->window || diff->meet) && !diff->flow) {
		complain(command->name, "--window and --meet are of --flow");
		return false;
	}
	if (settings->flame.of_diff &&
	    (diff->markdown || diff->fail_above >= 0 || diff->renames.list.count || diff->by ||
	     output->json || output->csv)) {
		complain(command->name,
			 "--flame goes without --rename, --by, --json, --csv, --markdown "
			 "and --fail-above");
		return false;
	}
	return true;
}

/* Tables of functions, trees, stacks and flame graphs need no lines, unless it is by part. */
static bool needs_lines(const struct settings *settings, const struct command *command)
{
	if (command->bit & C_DIFF)
		return settings->diff.by == DIFF_BY_LINE;
	if (settings->input.part.interval || settings->input.part.split)
		return false;
	if (settings->report.by >= TL_BY_PART)
		return true; /* sums of functions are not kept by part */
	return !(command->bit & (C_REPORT | C_TREE | C_STACKS | C_FLAME));
}

/* Tables of files, of cycles and of threads need to know who called whom where. */
static bool needs_calls(const struct settings *settings, const struct command *command)
{
	const struct tl_report_options *report = &settings->report;

	return command->bit != C_REPORT || report->threads || report->cycles ||
	       settings->stacks.focus || settings->stacks.ignore || settings->stacks.idle ||
	       report->recursive || report->by != TL_BY_FUNCTION;
}

const struct tl_exporter *chosen_exporter(const struct settings *settings)
{
	if (!settings->convert.to)
		return tl_exporters()[0];
	return tl_exporter_find(settings->convert.to);
}

static enum tl_input_detail needed_detail(const struct settings *settings,
					  const struct command *command)
{
	const struct tl_exporter *exporter = chosen_exporter(settings);

	if (command->bit == C_CONVERT && exporter && exporter->stacks)
		return TL_DETAIL_STACKS;
	if (needs_lines(settings, command))
		return TL_DETAIL_LINES;
	if (command->bit & (C_STACKS | C_FLAME) && settings->paths.list.count == 1)
		return TL_DETAIL_CONTEXTS;
	return needs_calls(settings, command) ? TL_DETAIL_FUNCTIONS : TL_DETAIL_TABLE;
}

/* Tables of functions, trees and stacks without a word of threads. */
static bool joins_threads(const struct settings *settings, const struct command *command)
{
	return command->bit & (C_REPORT | C_TREE | C_STACKS) && !settings->report.threads &&
	       settings->report.by < TL_BY_PART && !needs_lines(settings, command);
}

/* A file that holds all of a profile is of no use without the parts. */
static bool writes_whole(const struct settings *settings, const struct command *command)
{
	const struct tl_exporter *exporter = chosen_exporter(settings);

	if (command->bit == C_MAP)
		return true;
	return (command->bit & (C_CONVERT | C_MERGE)) && exporter && exporter->whole;
}

/* Whether lines, arcs and jumps are read once: shown, written, or added to those of other files. */
static bool reads_in_order(const struct settings *settings, const struct command *command)
{
	const struct tl_exporter *exporter = chosen_exporter(settings);

	return command->bit & (C_ANNOTATE | C_MERGE) ||
	       (command->bit == C_CONVERT && exporter && exporter->packed);
}

/* A profile of which nothing is chosen or computed. */
static bool can_be_packed(const struct settings *settings, const struct command *command)
{
	static const struct tl_input_options all = TL_INPUT_OPTIONS_DEFAULT;
	const struct tl_input_filter *filter = &settings->input.filter;

	return reads_in_order(settings, command) && filter->thread == all.filter.thread &&
	       filter->process == all.filter.process && filter->cpu == all.filter.cpu &&
	       !filter->part && !filter->function && !filter->object && !settings->stacks.focus &&
	       !settings->stacks.ignore && !settings->stacks.idle &&
	       !settings->events.formulas.list.count;
}

/* Which parts a profile is to have for its rows. */
static void settle_parts(struct settings *settings)
{
	struct tl_input_part *part = &settings->input.part;

	if (settings->report.by == TL_BY_LEVEL)
		part->split = TL_SPLIT_LEVEL;
	if (settings->report.by == TL_BY_TASK)
		part->split = TL_SPLIT_TASK;
	settings->report.intervals = part->interval && settings->report.by < TL_BY_PART;
	settings->report.threads |= settings->report.intervals;
}

/* What follows from several options together. */
static bool settle(struct settings *settings, const struct command *command)
{
	struct tl_input_programs *programs = &settings->input.programs;
	const struct flame_settings *flame = &settings->flame;

	settings_take_sides(settings, command);
	if ((command->bit & C_MANY) && !settings->help.wanted && !command->gather &&
	    !settings_expand_paths(settings, command))
		return false;
	settings_take_suffix(settings, command);
	if ((command->bit & C_DIFF) && (flame->svg || flame->icicle || flame->pixels))
		settings->flame.of_diff = true;
	if (!check_together(settings, command))
		return false;
	if (settings->spread.wanted && settings->report.by == TL_BY_FUNCTION)
		settings->report.by = TL_BY_TRACE;
	settle_parts(settings);
	programs->binaries = settings->programs.binaries.items;
	programs->binary_count = settings->programs.binaries.list.count;
	settings->input.formulas = settings->events.formulas.items;
	settings->input.formula_count = settings->events.formulas.list.count;
	programs->raws = settings->programs.raws.items;
	programs->raw_count = settings->programs.raws.list.count;
	settings->input.labels = settings->programs.labels.items;
	settings->input.label_count = settings->programs.labels.list.count;
	settings->input.xray.decoders = settings->programs.decoders.items;
	settings->input.xray.decoder_count = settings->programs.decoders.list.count;
	settings->input.detail = needed_detail(settings, command);
	settings->files.threads_together = joins_threads(settings, command);
	settings->input.packed = can_be_packed(settings, command);
	/* The columns of a flame graph are threads. */
	settings->input.per_thread = settings->report.threads || writes_whole(settings, command) ||
				     command->bit == C_FLAME;
	settings->input.file_order = settings->output.order == ORDER_FILE;
	return true;
}

bool settings_parse(struct settings *settings, const struct command *command, int argc, char **argv)
{
	struct arguments args = { 0, argc, argv };

	set_defaults(settings);
	return take_all(settings, command, &args) && settings_take_config(settings, command) &&
	       settle(settings, command);
}

void settings_free(struct settings *settings)
{
	for (size_t i = 0; i < settings->files.copies.list.count; i++)
		free(settings->files.copies.items[i]);
	list_free(&settings->files.copies.list);
	list_free(&settings->files.given.list);
	list_free(&settings->programs.binaries.list);
	list_free(&settings->programs.raws.list);
	list_free(&settings->programs.labels.list);
	list_free(&settings->programs.decoders.list);
	list_free(&settings->diff.renames.list);
	list_free(&settings->diff.binaries_after.list);
	list_free(&settings->events.formulas.list);
	list_free(&settings->annotate.source_dirs.list);
	list_free(&settings->paths.list);
}

enum tl_report_form report_form(const struct settings *settings)
{
	if (settings->output.json)
		return TL_REPORT_JSON;
	return settings->output.csv ? TL_REPORT_CSV : TL_REPORT_TEXT;
}
