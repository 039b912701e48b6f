/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of commands.def as a table. */
#include <string.h>

#include "cli/options/command.h"

const struct command commands[] = {
#define COMMAND(NAME, command, ...) { #command, C_##NAME, cmd_##command, __VA_ARGS__ },
#include "cli/options/commands.def"
#undef COMMAND
	{ .name = NULL },
};

const struct command *command_find(const char *name)
{
	for (const struct command *command = commands; command->name; command++)
		if (!strcmp(command->name, name))
			return command;
	return NULL;
}
