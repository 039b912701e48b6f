/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a command, read by the table of options. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"

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
		complain(command, "unknown option --%s; did you mean --%s?", word, best->name);
	else if (elsewhere)
		complain(command,
			 "--%s is an option of other commands; `tracelathe %s --help` lists those "
			 "of %s",
			 word, command->name, command->name);
	else
		complain(command, "unknown option --%s; `tracelathe %s --help` lists the options",
			 word, command->name);
}

/* ---- reading arguments ---- */

struct arguments {
	int at, count;
	char **list;
};

static bool store(struct settings *settings, const struct command *command,
		  const struct option_row *row, const char *value)
{
	const char *wrong = row->set((char *)settings + row->field, row, value);

	if (wrong)
		complain(command, "--%s %s: %s%s", row->name, value ? value : "",
			 wrong == row->argument ? "must be " : "", wrong);
	return !wrong;
}

static bool take_value(struct settings *settings, const struct command *command,
		       const struct option_row *row, const char *attached, struct arguments *args)
{
	if (!row->argument) {
		if (!attached)
			return store(settings, command, row, NULL);
		complain(command, "--%s takes no value", row->name);
		return false;
	}
	if (!attached && value_is_optional(row))
		return store(settings, command, row, NULL);
	if (!attached && args->at < args->count)
		attached = args->list[args->at++];
	if (attached)
		return store(settings, command, row, attached);
	complain(command, "--%s needs a value, --%s %s", row->name, row->name, row->argument);
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
	complain(command, "unknown option %s; `tracelathe %s --help` lists the options", argument,
		 command->name);
	return false;
}

static bool take_all(struct settings *settings, const struct command *command,
		     struct arguments *args)
{
	bool options = true;

	while (args->at < args->count) {
		const char *argument = args->list[args->at++];

		if (!options || argument[0] != '-' || !argument[1]) {
			settings->paths[settings->path_count++] = argument;
		} else if (!strcmp(argument, "--")) {
			options = false;
		} else if (argument[1] == '-') {
			if (!take_long(settings, command, argument, args))
				return false;
		} else if (!take_short(settings, command, argument, args)) {
			return false;
		}
	}
	return true;
}

static unsigned processors(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count < 1 ? 1 : count > 16 ? 16 : (unsigned)count;
}

static void set_defaults(struct settings *settings)
{
	*settings = (struct settings){ .tree = TL_TREE_BOTH, .context = -1 };
	settings->input.size = sizeof(settings->input);
	settings->input.filter.thread = settings->input.filter.process =
		settings->input.filter.cpu = TL_NOWHERE;
	settings->input.jobs = processors();
	settings->slice = (struct tl_slice){
		.size = sizeof(settings->slice),
		.snapshots = { 0, TL_NOWHERE },
		.instructions = { 0, TL_NOWHERE },
		.before_seconds = 1e-3,
	};
	settings->report.size = sizeof(settings->report);
	settings->report.threshold = -1;
}

/* What the options mean together. */
static bool settle(struct settings *settings, const struct command *command)
{
	if (settings->json && settings->csv) {
		complain(command, "--json and --csv exclude each other");
		return false;
	}
	if (command->bit == C_DIFF && (settings->svg || settings->icicle || settings->pixels))
		settings->flame = true;
	if (settings->flame &&
	    (settings->rename_count || settings->by || settings->json || settings->csv)) {
		complain(command, "--flame goes without --rename, --by, --json and --csv");
		return false;
	}
	settings->input.programs.binaries = settings->binaries;
	settings->input.programs.binary_count = settings->binary_count;
	settings->input.programs.raws = settings->raws;
	settings->input.programs.raw_count = settings->raw_count;
	if ((command->bit & (C_REPORT | C_TREE | C_STACKS)) ||
	    (command->bit == C_DIFF && !(settings->by && !strcmp(settings->by, "line"))))
		settings->input.detail = TL_DETAIL_FUNCTIONS;
	settings->input.per_thread = settings->report.threads;
	settings->input.file_order = settings->order && !strcmp(settings->order, "file");
	return true;
}

bool settings_parse(struct settings *settings, const struct command *command, int argc, char **argv)
{
	struct arguments args = { 0, argc, argv };
	size_t room = (size_t)argc + 1;

	set_defaults(settings);
	settings->paths = calloc(room, sizeof(*settings->paths));
	settings->binaries = calloc(room, sizeof(*settings->binaries));
	settings->binary_paths = calloc(room, sizeof(*settings->binary_paths));
	settings->raws = calloc(room, sizeof(*settings->raws));
	settings->after_binaries = calloc(room, sizeof(*settings->after_binaries));
	settings->renames = calloc(room, sizeof(*settings->renames));
	settings->rename_patterns = calloc(room, sizeof(*settings->rename_patterns));
	settings->source_dirs = calloc(room, sizeof(*settings->source_dirs));
	if (!settings->paths || !settings->raws || !settings->binaries || !settings->binary_paths ||
	    !settings->after_binaries || !settings->renames || !settings->rename_patterns ||
	    !settings->source_dirs) {
		complain(command, "out of memory");
		return false;
	}
	return take_all(settings, command, &args) && settle(settings, command);
}

void settings_free(struct settings *settings)
{
	for (size_t i = 0; i < settings->binary_path_count; i++)
		free(settings->binary_paths[i]);
	for (size_t i = 0; i < settings->rename_count; i++)
		free(settings->rename_patterns[i]);
	free(settings->raws);
	free(settings->after_binaries);
	free(settings->renames);
	free(settings->rename_patterns);
	free(settings->source_dirs);
	free(settings->binary_paths);
	free(settings->binaries);
	free(settings->paths);
}
