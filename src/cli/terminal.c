/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"

unsigned terminal_width(int fd)
{
	struct winsize size;

	if (!isatty(fd))
		return 0;
	return ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
}

static bool to_terminal(const struct settings *settings)
{
	const char *term = getenv("TERM");

	if (settings->output && strcmp(settings->output, "-"))
		return false;
	return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb");
}

/* https://no-color.org: NO_COLOR set to anything but "". */
bool use_color(const struct settings *settings)
{
	const char *none = getenv("NO_COLOR");

	if (settings->color != WHEN_AUTO)
		return settings->color == WHEN_ALWAYS;
	return to_terminal(settings) && !(none && *none);
}
