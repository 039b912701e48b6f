/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_SHELL_NAMES_H
#define TL_CLI_SHELL_NAMES_H
/* What the Tab key completes: commands, what may follow each, tables, columns, words of SQL. */
#include <stddef.h>

/* Told of each name that begins with what was typed, in whatever case; it is there for the call. */
typedef void name_fn(void *arg, const char *name, size_t size);

/* The first of the `size` bytes that belongs to the word at their end. */
size_t word_start(const char *line, size_t size);
/* Tell of the names that the word at the end of the line can become; a name may come twice. */
void match_names(const char *line, size_t size, name_fn *tell, void *arg);

/* The shell's commands, each with what it does; the last one has no name. */
struct shell_command_help {
	const char *name, *arguments, *help;
};
extern const struct shell_command_help shell_commands[];

#endif
