/* SPDX-License-Identifier: Apache-2.0 */
/* The options of this program alone, and the directories in which --restart keeps profile files. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/options/paths.h"
#include "mpi/run.h"

enum { SILENCE = 120 };

/* The value of an option of this program, which is taken out of the arguments; NULL: not there. */
static const char *take_option(int *argc, char **argv, const char *name)
{
	size_t length = strlen(name);
	const char *value = NULL;

	for (int i = 0; i < *argc && strcmp(argv[i], "--") != 0; i++) {
		int used = 0;

		if (!strncmp(argv[i], name, length) && argv[i][length] == '=') {
			value = argv[i] + length + 1;
			used = 1;
		} else if (!strcmp(argv[i], name)) {
			value = i + 1 < *argc ? argv[i + 1] : "";
			used = i + 1 < *argc ? 2 : 1;
		}
		if (!used)
			continue;
		memmove(&argv[i], &argv[i + used], (size_t)(*argc - i - used) * sizeof(*argv));
		*argc -= used;
		i--;
	}
	return value;
}

/* An option that need not be there; false: that it is no number of seconds was said. */
static bool take_seconds(int *argc, char **argv, const char *name, unsigned *seconds)
{
	const char *given = take_option(argc, argv, name);
	char *end;
	unsigned long number;

	if (!given)
		return true;
	number = strtoul(given, &end, 10);
	*seconds = (unsigned)number;
	if (*given >= '0' && *given <= '9' && !*end && number <= INT_MAX)
		return true;
	complain(NULL, "%s %s: must be a number of seconds", name, given);
	return false;
}

bool fleet_take_options(struct fleet_command *run, int *argc, char **argv)
{
	const char *restart = take_option(argc, argv, "--restart");

	run->silence = SILENCE;
	run->restart = restart;
	if (restart && !*restart) {
		complain(NULL, "--restart needs a directory, --restart DIR");
		return false;
	}
	return take_seconds(argc, argv, "--timeout", &run->options.timeout) &&
	       take_seconds(argc, argv, "--silence", &run->silence);
}

/* Options, with their values, that do not change what a file is folded to. */
static const char *const of_no_file[] = { "-o",     "--output",   "--memory",   "--scratch",
					  "--jobs", "--progress", "--color",    "--glob",
					  "--top",  "--sort",     "--threshold" };

static bool is_of_no_file(const char *argument)
{
	size_t length = strcspn(argument, "=");

	for (size_t i = 0; i < sizeof(of_no_file) / sizeof(*of_no_file); i++)
		if (strlen(of_no_file[i]) == length && !memcmp(of_no_file[i], argument, length))
			return true;
	return false;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	return (hash ^ 0xff) * 0x100000001b3;
}

static bool is_path(const struct settings *settings, const char *argument)
{
	for (size_t i = 0; i < settings->paths.list.count; i++)
		if (settings->paths.items[i] == argument)
			return true;
	return false;
}

bool fleet_name_restart(struct fleet_command *run, int argc, char **argv)
{
	uint64_t hash = hash_text(0xcbf29ce484222325, run->command.name);

	if (!run->restart)
		return true;
	for (int i = 0; i < argc; i++) {
		if (is_of_no_file(argv[i]))
			i += !strchr(argv[i], '=');
		else if (!is_path(&run->settings, argv[i]))
			hash = hash_text(hash, argv[i]);
	}
	if (asprintf(&run->kept, "%s/%016llx", run->restart, (unsigned long long)hash) < 0)
		run->kept = NULL;
	/* The same file may stand on both sides, with other programs. */
	if (run->kept && asprintf(&run->kept_after, "%s/after", run->kept) < 0)
		run->kept_after = NULL;
	run->options.restart = run->kept;
	run->options.restart_after = run->kept_after;
	return run->kept && run->kept_after;
}

static bool make_folder(const char *path)
{
	if (!mkdir(path, 0777) || errno == EEXIST)
		return true;
	complain(NULL, "%s: cannot be made: %s", path, strerror(errno));
	return false;
}

bool fleet_make_restart(const struct fleet_command *run)
{
	if (!run->kept)
		return true;
	if (!make_folder(run->restart) || !make_folder(run->kept))
		return false;
	return !run->settings.diff.runs || make_folder(run->options.restart_after);
}
