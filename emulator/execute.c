/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What QEMU is given in the place of a program, and its command line. */
#include "execute.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum {
	OPTIONS = 16,     /* of QEMU, with its own name */
	NAME_WORDS = 3,   /* -0 NAME PROGRAM */
	SCRIPT_WORDS = 2, /* the interpreter's argument, the script */
	HERE = -100,      /* AT_FDCWD */
};

/* What QEMU is told by its environment, which a program may have cleared. */
static const char *const kept_variables[] = { "QEMU_CPU", "QEMU_LD_PREFIX" };
enum { KEPT_VARIABLES = sizeof(kept_variables) / sizeof(kept_variables[0]) };

static struct {
	char line[6 * PATH_BYTES];
	char *options[OPTIONS]; /* in the line */
	size_t count;
	const char *program;
	char *variables[KEPT_VARIABLES]; /* NAME=VALUE; NULL: not set */
} own = { .program = "" };

static char *next_word(char *word)
{
	return word + strlen(word) + 1;
}

static void learn_variables(void)
{
	for (size_t i = 0; i < KEPT_VARIABLES; i++) {
		const char *value = getenv(kept_variables[i]);

		if (value && asprintf(&own.variables[i], "%s=%s", kept_variables[i], value) < 0)
			own.variables[i] = NULL;
	}
}

void execute_learn(void)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? 0 : read(fd, own.line, sizeof(own.line) - 1);
	char *word = own.line, *end = own.line + (size > 0 ? size : 0);

	if (fd >= 0)
		close(fd);
	for (; word < end && strcmp(word, "-0") && own.count < OPTIONS; word = next_word(word))
		own.options[own.count++] = word;
	for (size_t i = 1; i < NAME_WORDS && word < end; i++)
		word = next_word(word);
	if (word < end)
		own.program = word;
	learn_variables();
}

const char *execute_program(void)
{
	return own.program;
}

/* ---- files ---- */

static ssize_t read_head(const char *path, uint8_t head[SCRIPT_LINE])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, head, SCRIPT_LINE - 1);

	if (fd >= 0)
		close(fd);
	head[size > 0 ? size : 0] = '\0';
	return size;
}

static bool is_for(enum machine machine, const uint8_t *head, ssize_t size)
{
	return size > 19 && !memcmp(head, "\177ELF\2\1", 6) && head[18] == machine && !head[19];
}

/* "#! INTERPRETER ARGUMENT" */
static bool read_script(struct executable *executable, char *line)
{
	char *word = line + 2 + strspn(line + 2, " \t"), *argument;

	if (strncmp(line, "#!", 2))
		return false;
	word[strcspn(word, "\n")] = '\0';
	argument = word + strcspn(word, " \t");
	if (*argument)
		*argument++ = '\0';
	argument += strspn(argument, " \t");
	argument[strcspn(argument, "\n")] = '\0';
	snprintf(executable->path, sizeof(executable->path), "%s", word);
	snprintf(executable->argument, sizeof(executable->argument), "%s", argument);
	executable->is_script = true;
	return true;
}

static bool changes_rights(const char *path)
{
	struct stat status;

	return !stat(path, &status) && (status.st_mode & (S_ISUID | S_ISGID)) &&
	       (status.st_uid != geteuid() || status.st_gid != getegid());
}

bool execute_can(struct executable *executable, const char *path, enum machine machine)
{
	uint8_t head[SCRIPT_LINE];
	ssize_t size = read_head(path, head);

	*executable = (struct executable){ .is_script = false };
	snprintf(executable->path, sizeof(executable->path), "%s", path);
	if (size > 2 && read_script(executable, (char *)head))
		size = read_head(executable->path, head);
	return is_for(machine, head, size) && !changes_rights(executable->path);
}

bool execute_name_at(char path[PATH_BYTES], int folder, const char *name)
{
	char link[64];
	ssize_t size;

	if (name[0] == '/' || (folder == HERE && name[0])) {
		snprintf(path, PATH_BYTES, "%s", name);
		return true;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
	size = readlink(link, path, PATH_BYTES / 2);
	if (size < 0)
		return false;
	snprintf(path + size, PATH_BYTES - (size_t)size, "%s%s", name[0] ? "/" : "", name);
	return true;
}

/* ---- the guest's lists ---- */

static size_t count_of(char **list)
{
	size_t count = 0;

	while (list && list[count])
		count++;
	return count;
}

/* Ends with NULL; the number of texts. */
static size_t add_list(char **to, char **from, size_t first, size_t count, uint64_t bias)
{
	size_t used = 0;

	for (size_t i = first; i < count; i++)
		to[used++] = from[i] + bias;
	to[used] = NULL;
	return used;
}

/* A variable of the name that stands before the '=' of `variable`. */
static bool has_variable(char **list, const char *variable)
{
	const size_t length = strcspn(variable, "=") + 1;

	for (; *list; list++)
		if (!strncmp(*list, variable, length))
			return true;
	return false;
}

static void add_kept_variables(char **list, size_t used)
{
	for (size_t i = 0; i < KEPT_VARIABLES; i++)
		if (own.variables[i] && !has_variable(list, own.variables[i])) {
			list[used++] = own.variables[i];
			list[used] = NULL;
		}
}

/* ---- QEMU ---- */

void execute(const struct executable *executable, const char *path, char **arguments,
	     char **environment, uint64_t bias)
{
	static char name[] = "-0", none[] = "";
	const size_t count = count_of(arguments), variables = count_of(environment);
	char **words = calloc(own.count + NAME_WORDS + SCRIPT_WORDS + count + 1, sizeof(*words));
	char **texts = calloc(variables + KEPT_VARIABLES + 1, sizeof(*texts));
	size_t used = own.count;

	if (words && texts) {
		memcpy(words, own.options, own.count * sizeof(*words));
		words[used++] = name;
		words[used++] = executable->is_script ? (char *)executable->path
				: count               ? arguments[0] + bias
						      : none;
		words[used++] = (char *)executable->path;
		if (executable->is_script && executable->argument[0])
			words[used++] = (char *)executable->argument;
		if (executable->is_script)
			words[used++] = (char *)(uintptr_t)path;
		add_list(words + used, arguments, 1, count, bias);
		add_kept_variables(texts, add_list(texts, environment, 0, variables, bias));
		execve("/proc/self/exe", words, texts);
	}
	free(words);
	free(texts);
}
