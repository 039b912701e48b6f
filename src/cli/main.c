/* SPDX-License-Identifier: Apache-2.0 */
/* The first argument: a command, or an option that stands without one. */
#include <stdio.h>
#include <string.h>

#include "cli/commands/job.h"
#include "cli/help/help.h"
#include "cli/terminal/messages.h"
#include "cli/terminal/process.h"

enum { STDOUT_BYTES = 1 << 16 };

/* `--all` of tables and analyses means their rows, and with --help the options. */
static bool asks_for_all(const struct settings *settings)
{
	return settings->help.all || settings->report.all;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct settings settings;
	int status = EXIT_UNUSABLE;

	if (!settings_parse(&settings, command, argc, argv)) {
		settings_free(&settings);
		return status;
	}
	if (settings.help.wanted) {
		help_command(command, asks_for_all(&settings));
		status = close_stdout(EXIT_CLEAN);
	} else if (settings.help.all && command->bit != C_HELP) {
		complain(command->name, "--all goes with --help");
	} else {
		status = run_command(command, &settings);
	}
	settings_free(&settings);
	return status;
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
	return !strcmp(word, a) || !strcmp(word, b);
}

static void put_version(void)
{
	printf("tracelathe %s\n", tl_version());
#ifdef TL_LACKING
	puts("built without " TL_LACKING);
#endif
}

int main(int argc, char **argv)
{
	static char text[STDOUT_BYTES]; /* until exit() has flushed it */
	const struct command *command;

	process_begin();
	/* Texts of help are written once, by close_stdout(), which sees why that fails. */
	setvbuf(stdout, text, _IOFBF, sizeof(text));
	if (argc < 2 || is_one_of(argv[1], "--help", "-h")) {
		help_overview();
		return close_stdout(EXIT_CLEAN);
	}
	if (is_one_of(argv[1], "--version", "-V")) {
		put_version();
		return close_stdout(EXIT_CLEAN);
	}
	if (argv[1][0] == '-') {
		complain(NULL,
			 "%s: options come after a command; `tracelathe help` lists the commands",
			 argv[1]);
		return EXIT_UNUSABLE;
	}
	command = command_find(argv[1]);
	if (!command) {
		complain_unknown_command(argv[1]);
		return EXIT_UNUSABLE;
	}
	return run(command, argc - 2, argv + 2);
}
