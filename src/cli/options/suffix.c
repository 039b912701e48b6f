/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/suffix.h"

#include <string.h>

#include "cli/options/option.h"
#include "cli/options/words.h"

static bool ends_with(const char *path, const char *suffix)
{
	size_t size = strlen(path), end = strlen(suffix);

	/* A file of only a suffix is a hidden file without one. */
	return size > end && path[size - end - 1] != '/' && !strcmp(path + size - end, suffix);
}

static bool takes(const struct command *command, const char *option)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->commands & command->bit && !strcmp(row->name, option))
			return true;
	return false;
}

/* ---- forms of a report ---- */

static bool form_is_chosen(const struct settings *settings)
{
	return settings->output.json || settings->output.csv || settings->output.yaml ||
	       settings->flame.svg || settings->flame.icicle || settings->flame.pixels ||
	       settings->flame.of_diff;
}

static void take_form(struct settings *settings, const struct command *command)
{
	const char *path = settings->output.path;

	if (ends_with(path, ".json"))
		settings->output.json = takes(command, "json");
	else if (ends_with(path, ".csv"))
		settings->output.csv = takes(command, "csv");
	else if (ends_with(path, ".yaml"))
		settings->output.yaml = takes(command, "yaml");
	else if (ends_with(path, ".svg"))
		settings->flame.svg = takes(command, "svg");
	else if (ends_with(path, ".dot"))
		settings->diff.form = DIFF_DOT; /* of diff, the only command that asks */
	else if (ends_with(path, ".html"))
		settings->flame.of_diff = takes(command, "flame");
}

/* ---- formats of --to ---- */

/* The exporter with the longest suffix that the path has; NULL: none. */
static const char *exporter_by_suffix(const char *path)
{
	const struct tl_exporter *found = NULL;

	for (const struct tl_exporter *const *at = tl_exporters(); *at; at++)
		if (ends_with(path, (*at)->suffix) &&
		    (!found || strlen((*at)->suffix) > strlen(found->suffix)))
			found = *at;
	return found ? found->name : NULL;
}

/* The name of a format that the path has behind its last dot; NULL: none. */
static const char *format_by_name(const char *path, const char *(*name_of)(size_t number))
{
	const char *dot = strrchr(path, '.'), *name;

	for (size_t i = 0; dot && (name = name_of(i)); i++)
		if (!strcmp(dot + 1, name) && ends_with(path, dot))
			return name;
	return NULL;
}

static void take_target(struct settings *settings, const struct command *command)
{
	const char *path = settings->output.path, *found = NULL;

	if (command->bit == C_TIMELINE) {
		found = ends_with(path, ".json") ? "chrome" : format_by_name(path, timeline_name);
	} else {
		found = exporter_by_suffix(path);
		if (!found && command->bit == C_CONVERT && ends_with(path, ".db"))
			found = "sqlite";
		if (!found)
			found = format_by_name(path, command->bit == C_MERGE ? exporter_name
									     : target_name);
	}
	settings->convert.to = found;
}

void settings_take_suffix(struct settings *settings, const struct command *command)
{
	if (!is_file(settings->output.path))
		return;
	if (command->bit & (C_CONVERT | C_MERGE | C_TIMELINE)) {
		if (!settings->convert.to)
			take_target(settings, command);
	} else if (!form_is_chosen(settings)) {
		take_form(settings, command);
	}
}
