/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/command.h"
#include "cli/options/option.h"
#include "cli/options/settings.h"
#include "cli/terminal/messages.h"

/* ---- lines ---- */

static char *trim(char *text)
{
	size_t size;

	text += strspn(text, " \t");
	size = strlen(text);
	while (size && strchr(" \t\r\n", text[size - 1]))
		text[--size] = '\0';
	return text;
}

/* Cut a line into a name and a value, NULL: there is none. False: it is blank or a comment. */
static bool cut_line(char *line, char **name, char **value)
{
	*name = trim(line);
	*value = NULL;
	if (!**name || **name == '#')
		return false;
	char *equals = strchr(*name, '=');

	if (equals) {
		*equals = '\0';
		*value = trim(equals + 1);
		*name = trim(*name);
	}
	return true;
}

/* ---- options ---- */

static const struct option_row *find_row(const char *name, unsigned commands_mask)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if ((row->commands & commands_mask) && !strcmp(row->name, name))
			return row;
	return NULL;
}

/* These are of one call of the command, not of all. */
static bool is_of_a_call(const char *name)
{
	static const char *const names[] = {
		"output", "config", "help", "all", "man", "completion"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Whether the command line has an option that says the same thing. */
static bool is_given(const struct settings *settings, const struct option_row *row)
{
	for (size_t i = 0; i < settings->files.given.list.count; i++)
		if (settings->files.given.items[i]->field == row->field)
			return true;
	return false;
}

/* NULL, or what is wrong with the line. */
static const char *take_option(struct settings *settings, const struct command *command,
			       const char *name, const char *value)
{
	const struct option_row *row = find_row(name, command->bit);
	const char *wrong;
	char **copy;

	if (is_of_a_call(name))
		return "this option has no default";
	if (!find_row(name, C_ALL))
		return "there is no such option";
	if (!row || is_given(settings, row))
		return NULL;
	if (!value && value_is_needed(row))
		return "the option needs a value";
	if (value && !row->argument)
		return "the option takes no value";
	if (!value)
		return row->set(settings, (char *)settings + row->field, row, NULL);
	copy = list_add(&settings->files.copies.list, sizeof(*copy));
	if (copy)
		*copy = strdup(value);
	if (!copy || !*copy)
		return "out of memory";
	wrong = row->set(settings, (char *)settings + row->field, row, *copy);
	return wrong && wrong == row->argument ? "not a value of this option" : wrong;
}

/* ---- the file ---- */

static bool take_lines(struct settings *settings, const struct command *command, FILE *file,
		       const char *path)
{
	char *line = NULL, *name, *value;
	const char *wrong = NULL;
	size_t room = 0, number = 0;
	bool whole;

	while (!wrong && getline(&line, &room, file) >= 0) {
		number++;
		if (cut_line(line, &name, &value))
			wrong = take_option(settings, command, name, value);
	}
	whole = wrong || feof(file);
	if (wrong)
		complain(command->name, "%s: line %zu: %s: %s", path, number, name, wrong);
	else if (!whole)
		complain(command->name, "%s: %s", path, strerror(errno));
	free(line);
	return !wrong && whole;
}

/* The path of the file that is read where none is named, to free(); *path = NULL: there is none. */
static bool find_usual(char **path)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int size = 0;

	*path = NULL;
	if (config && *config)
		size = asprintf(path, "%s/tracelathe/config", config);
	else if (home && *home)
		size = asprintf(path, "%s/.config/tracelathe/config", home);
	if (size < 0)
		*path = NULL;
	return size >= 0;
}

/* There are no defaults of this user: also where the home is that of another one. */
static bool is_absent(int error)
{
	return error == ENOENT || error == ENOTDIR || error == EACCES;
}

static bool take_file(struct settings *settings, const struct command *command, const char *path,
		      bool named)
{
	FILE *file = fopen(path, "re");
	bool taken;

	if (!file && !named && is_absent(errno))
		return true;
	if (!file) {
		complain(command->name, "%s: %s", path, strerror(errno));
		return false;
	}
	taken = take_lines(settings, command, file, path);
	fclose(file);
	return taken;
}

bool settings_take_config(struct settings *settings, const struct command *command)
{
	const char *named = settings->files.config;
	char *path = NULL;
	bool taken = true;

	if (settings->help.wanted || command->bit == C_HELP)
		return true;
	if (!named && !find_usual(&path)) {
		complain(command->name, "out of memory");
		return false;
	}
	if (named && strcmp(named, "none"))
		taken = take_file(settings, command, named, true);
	if (path)
		taken = take_file(settings, command, path, false);
	free(path);
	return taken;
}
