/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_SHELL_SHELL_H
#define TL_CLI_SHELL_SHELL_H
/* The shell of `query`: statements and commands, line by line, from a terminal. */
#include <tracelathe/query.h>

struct shell {
	struct tl_query *query;
	enum tl_report_form form;
	bool timer, quit;
	/* Answer one or more statements, and say what went wrong. */
	void (*answer)(void *arg, const char *sql, enum tl_report_form form);
	void *arg;
};

/*
 * Read and answer until the end of standard input, or .quit. Ctrl-C ends a statement, or drops
 * what was typed of one, and never the shell.
 */
void shell_run(struct shell *shell);

#endif
