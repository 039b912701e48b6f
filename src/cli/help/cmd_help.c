/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>

#include "cli/commands/job.h"
#include "cli/help/help.h"
#include "cli/terminal/messages.h"
#include "cli/terminal/similar.h"

void complain_unknown_command(const char *name)
{
	const struct command *best = NULL;
	size_t best_distance = SIZE_MAX;

	for (const struct command *command = commands; command->name; command++) {
		size_t distance = word_distance(name, command->name);

		if (distance < best_distance) {
			best = command;
			best_distance = distance;
		}
	}
	show_error("tracelathe: unknown command %s; ", name);
	if (best && word_is_near(name, best_distance)) {
		fprintf(stderr, "did you mean %s?\n", best->name);
		return;
	}
	fprintf(stderr, "the commands are");
	for (const struct command *command = commands; command->name; command++)
		show_error_item(command->name, command == commands);
	putc('\n', stderr);
}

static int help_about(const struct settings *settings, const struct command *command)
{
	if (settings->help.man)
		man_page(command);
	else if (command)
		help_command(command, settings->help.all);
	else
		help_overview();
	return close_stdout(EXIT_CLEAN);
}

int cmd_help(struct command_job *job, struct tl_error *err)
{
	const struct settings *settings = job->settings;
	const struct command *command = NULL;

	(void)err;
	if (settings->paths.list.count > 1) {
		complain("help", "one COMMAND at a time");
		return EXIT_UNUSABLE;
	}
	if (settings->paths.list.count) {
		command = command_find(settings->paths.items[0]);
		if (!command) {
			complain_unknown_command(settings->paths.items[0]);
			return EXIT_UNUSABLE;
		}
	}
	if (!settings->help.completion)
		return help_about(settings, command);
	completion_script(settings->help.completion);
	return close_stdout(EXIT_CLEAN);
}
