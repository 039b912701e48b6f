/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/terminal/tty.h"

unsigned terminal_width(int fd)
{
	struct winsize size;

	if (!isatty(fd))
		return 0;
	if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col)
		return 80;
	return size.ws_col;
}

bool is_file(const char *output)
{
	return output && strcmp(output, "-");
}

static bool to_terminal(const char *output)
{
	const char *term = getenv("TERM");

	return !is_file(output) && isatty(STDOUT_FILENO) && term && strcmp(term, "dumb");
}

/* https://no-color.org: NO_COLOR set to anything but "". */
bool use_color(enum when when, const char *output)
{
	const char *none = getenv("NO_COLOR");

	if (when != WHEN_AUTO)
		return when == WHEN_ALWAYS;
	return to_terminal(output) && !(none && *none);
}
