/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

static int help_about(const struct settings *settings, const struct command *command)
{
	if (settings->man)
		man_page(command);
	else if (command)
		help_command(command);
	else
		help_overview();
	return close_stdout(EXIT_CLEAN);
}

int cmd_help(const struct settings *settings)
{
	const struct command *command = NULL;

	if (settings->path_count > 1) {
		complain(command_find("help"), "one COMMAND at a time");
		return EXIT_UNUSABLE;
	}
	if (settings->path_count) {
		command = command_find(settings->paths[0]);
		if (!command) {
			complain_unknown_command(settings->paths[0]);
			return EXIT_UNUSABLE;
		}
	}
	if (!settings->completion)
		return help_about(settings, command);
	completion_script(settings->completion);
	return close_stdout(EXIT_CLEAN);
}
