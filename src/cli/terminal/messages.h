/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_TERMINAL_MESSAGES_H
#define TL_CLI_TERMINAL_MESSAGES_H
/* Messages on standard error. Characters that could harm a terminal are replaced in all of them. */
#include <stdbool.h>

#include <tracelathe/core.h>

/* Text as it is, without an end of line. */
void show_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* " NAME" of a list; ", NAME" behind the first one. */
void show_error_item(const char *name, bool first);
/* A line `tracelathe[ COMMAND]: ...`; command NULL: of no command. */
void complain(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line `tracelathe: FILE: offset 0x.., record N: what was wrong; what was kept`. */
void complain_error(const char *file, const struct tl_error *err);

/* Flush stdout. @return `status`, or EXIT_UNUSABLE when it could not be written */
int close_stdout(int status);

/* Exit status of the command. */
enum {
	EXIT_CLEAN = 0,
	EXIT_DAMAGED = 1,  /* a result was given, but something was skipped or a check failed */
	EXIT_UNUSABLE = 2, /* nothing usable, bad usage, or output could not be written */
	EXIT_GATE = 3,     /* a gate, as that of diff --fail-above, was passed over */
};

#endif
