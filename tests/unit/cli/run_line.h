/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CLI_RUN_LINE_H
#define TESTS_UNIT_CLI_RUN_LINE_H
/*
 * Whole commands, run in the test's process on files of its folder: their exit status and both of
 * their outputs. "^x" stands for the file x of the folder, in a command line and in what is said;
 * at the beginning of a word of a command line, "+x" for one of tests/golden. /
 */
#include "cli_test.h"

#include "../temp_fixture.h"

#include "cli/commands/job.h"

enum { RUN_ROOM = 4096 };

struct run_case {
	const char *line;
	int status;
	const char *out, *err; /* NULL: anything */
};

static inline void run_expand(const char *line, char room[RUN_ROOM])
{
	size_t used = 0;

	for (const char *begin = line; *line; line++) {
		assert_true(used + 1024 < RUN_ROOM);
		if (*line == '^')
			used += (size_t)sprintf(room + used, "%s/", temp.directory);
		else if (*line == '+' && line > begin && line[-1] == ' ')
			used += (size_t)sprintf(room + used, "%s/tests/golden/",
						getenv("TL_SOURCE_ROOT"));
		else
			room[used++] = *line;
	}
	room[used] = '\0';
}

/* Each path of the folder is "^" again, in place. */
static inline void run_contract(char *text)
{
	size_t length = strlen(temp.directory);
	char *to = text;

	while (*text) {
		if (!strncmp(text, temp.directory, length) && text[length] == '/') {
			*to++ = '^';
			text += length + 1;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

/* The exit status of a command line; a tab within a word is a blank. */
static inline int run_line(const char *line)
{
	char *argv[MOST_ARGUMENTS + 1] = { NULL }, room[RUN_ROOM];
	const struct command *command;
	struct settings settings;
	int argc, status = EXIT_UNUSABLE;

	run_expand(line, room);
	argc = split(room, argv);
	for (int i = 0; i < argc; i++)
		for (char *c = argv[i]; (c = strchr(c, '\t'));)
			*c = ' ';
	command = command_find(argv[0]);
	assert_non_null(command);
	if (settings_parse(&settings, command, argc - 1, argv + 1)) {
		/* The process stays as it is. */
		settings.files.no_sandbox = true;
		status = run_command(command, &settings);
	}
	settings_free(&settings);
	return status;
}

static inline void assert_run(const struct run_case *c)
{
	struct capture out = capture_begin(stdout), err = capture_begin(stderr);
	int status = run_line(c->line);
	char *said = capture_end(&err), *printed = capture_end(&out);

	run_contract(said);
	run_contract(printed);
	if (status != c->status || (c->err && strcmp(said, c->err)) ||
	    (c->out && strcmp(printed, c->out)))
		fail_msg("%s: status %d, which prints\n%sand says\n%sexpected %d\n%sand\n%s",
			 c->line, status, printed, said, c->status, c->out ? c->out : "...\n",
			 c->err ? c->err : "...\n");
	free(said);
	free(printed);
}

static inline void assert_runs(const struct run_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_run(&cases[i]);
}

#define ASSERT_RUNS(cases) assert_runs(cases, sizeof(cases) / sizeof((cases)[0]))

static inline void run_file(const char *name, const char *text)
{
	temp_write(&temp, name, text, strlen(text));
}

/* A whole file of the folder as text; to free(). */
static inline char *run_read(const char *name)
{
	size_t size;
	char *text = temp_read(temp_path(&temp, name), &size);

	assert_non_null(text);
	return text;
}

#endif
