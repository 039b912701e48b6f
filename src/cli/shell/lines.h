/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_SHELL_LINES_H
#define TL_CLI_SHELL_LINES_H
/* Lines that are typed: with libedit edited, completed and remembered; else as they come. */
#include <stddef.h>

struct lines {
	char *text;      /* the last line */
	size_t capacity; /* without libedit */
	void *edit, *history;
	const struct line_signals *signals; /* with libedit: while a line is typed */
	char *path;                         /* of the history; NULL: there is none */
	char prompt[24];
};

enum line_status { LINE_END, LINE_READ, LINE_INTERRUPTED };

/* Make the folder of the history, before the rights to do so are given up. */
void lines_prepare(void);
/* NULL without memory. */
struct lines *lines_open(void);
/* Ask for a line. *line is terminated, without its end, and lives until the next call. */
enum line_status lines_read(struct lines *lines, const char *prompt, const char **line);
/* NULL is allowed. */
void lines_close(struct lines *lines);
/* What is lacking without libedit, NULL: nothing. */
const char *lines_lack(void);

#endif
