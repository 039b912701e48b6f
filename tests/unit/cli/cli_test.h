/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CLI_TEST_H
#define TESTS_UNIT_CLI_TEST_H
/* What the tests of the command share: command lines as arrays, and what is printed as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/options/settings.h"

/* ---- what is printed ---- */

struct capture {
	FILE *stream, *file;
	int saved;
};

static inline struct capture capture_begin(FILE *stream)
{
	struct capture capture = { .stream = stream, .file = tmpfile() };

	assert_non_null(capture.file);
	fflush(stream);
	capture.saved = dup(fileno(stream));
	assert_true(capture.saved >= 0);
	assert_true(dup2(fileno(capture.file), fileno(stream)) >= 0);
	return capture;
}

/* What was printed since, terminated; to free(). */
static inline char *capture_end(const struct capture *capture)
{
	size_t size, room = 1 << 20;
	char *text = malloc(room);

	assert_non_null(text);
	fflush(capture->stream);
	assert_true(dup2(capture->saved, fileno(capture->stream)) >= 0);
	close(capture->saved);
	rewind(capture->file);
	size = fread(text, 1, room - 1, capture->file);
	text[size] = '\0';
	fclose(capture->file);
	return text;
}

/* ---- command lines ---- */

enum { MOST_ARGUMENTS = 32 };

/* The arguments of a command, separated by blanks; an argument "''" is empty. */
static inline int split(char *line, char **argv)
{
	int argc = 0;

	for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
		assert_true(argc < MOST_ARGUMENTS);
		argv[argc++] = strcmp(word, "''") ? word : "";
	}
	return argc;
}

/* Settings of a command line; they point into `room`, which gets the words of it. */
static inline bool parse_into(struct settings *settings, char room[512], const char *line)
{
	char *argv[MOST_ARGUMENTS + 1] = { NULL };
	const struct command *command;
	int argc;

	assert_true(strlen(line) < 512);
	strcpy(room, line);
	argc = split(room, argv);
	command = command_find(argv[0]);
	assert_non_null(command);
	return settings_parse(settings, command, argc - 1, argv + 1);
}

/* A command line that is good. Free the settings. */
#define PARSE(variable, line)                                                                      \
	char variable##_room[512];                                                                 \
	struct settings variable;                                                                  \
	assert_true(parse_into(&(variable), variable##_room, line))

/* A command line that is refused with these words. */
static inline void refused(const char *line, const char *message)
{
	struct capture capture = capture_begin(stderr);
	struct settings settings;
	char room[512], expected[1024];
	bool ok = parse_into(&settings, room, line);
	char *said = capture_end(&capture);

	settings_free(&settings);
	snprintf(expected, sizeof(expected), "tracelathe %.*s: %s\n", (int)strcspn(line, " "), line,
		 message);
	assert_string_equal(said, expected);
	assert_false(ok);
	free(said);
}

#endif
