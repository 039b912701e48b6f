/* SPDX-License-Identifier: Apache-2.0 */
/* Without libedit: lines as the terminal gives them. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/shell/lines.h"

void lines_prepare(void)
{
}

struct lines *lines_open(void)
{
	return calloc(1, sizeof(struct lines));
}

enum line_status lines_read(struct lines *lines, const char *prompt, const char **line)
{
	ssize_t size;

	fputs(prompt, stdout);
	fflush(stdout);
	errno = 0;
	size = getline(&lines->text, &lines->capacity, stdin);
	if (size < 0) {
		bool interrupted = errno == EINTR;

		clearerr(stdin);
		return interrupted ? LINE_INTERRUPTED : LINE_END;
	}
	if (size && lines->text[size - 1] == '\n')
		lines->text[size - 1] = '\0';
	*line = lines->text;
	return LINE_READ;
}

void lines_close(struct lines *lines)
{
	if (lines)
		free(lines->text);
	free(lines);
}

const char *lines_lack(void)
{
	return "without libedit, lines have neither a history nor completion";
}
