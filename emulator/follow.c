/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU runs the program that another executes on the machine itself. To record it too, QEMU is
 * executed in its place: with the same plugin and the program as its argument.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulator.h"

enum {
	SCRIPT_LINE = 256,
	/* qemu -plugin PLUGIN -0 NAME PROGRAM */
	WORDS = 6,
	SCRIPT_WORDS = 3,
};

/* An executable file: what QEMU is to be given in its place. */
struct executable {
	char path[PATH_BYTES];      /* of the program, or of the script's interpreter */
	char argument[SCRIPT_LINE]; /* the interpreter's; empty: none */
	bool is_script;
};

void follow_learn(void)
{
	static char line[4 * PATH_BYTES];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? 0 : read(fd, line, sizeof(line) - 1);
	const char *word = line;

	if (fd >= 0)
		close(fd);
	for (unsigned i = 0; i < WORDS && word < line + size; i++) {
		if (i == 2)
			snprintf(process.plugin, sizeof(process.plugin), "%s", word);
		if (i == WORDS - 1)
			snprintf(process.program, sizeof(process.program), "%s", word);
		word += strlen(word) + 1;
	}
}

static ssize_t read_head(const char *path, uint8_t head[SCRIPT_LINE])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, head, SCRIPT_LINE - 1);

	if (fd >= 0)
		close(fd);
	head[size > 0 ? size : 0] = '\0';
	return size;
}

static bool is_x86_64(const uint8_t *head, ssize_t size)
{
	return size > 19 && !memcmp(head, "\177ELF\2", 5) && head[18] == 62 && !head[19];
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

static bool look_at(struct executable *executable, const char *path)
{
	uint8_t head[SCRIPT_LINE];
	ssize_t size = read_head(path, head);

	*executable = (struct executable){ .is_script = false };
	snprintf(executable->path, sizeof(executable->path), "%s", path);
	if (size > 2 && read_script(executable, (char *)head))
		size = read_head(executable->path, head);
	return is_x86_64(head, size) && !changes_rights(executable->path);
}

static size_t count_of(char **list)
{
	size_t count = 0;

	while (list && list[count])
		count++;
	return count;
}

/* The guest's lists hold the guest's addresses. */
static void add_list(char **to, char **from, size_t first, size_t count)
{
	for (size_t i = first; i < count; i++)
		*to++ = host_address((uint64_t)(uintptr_t)from[i]);
	*to = NULL;
}

static void execute(struct executable *executable, const char *path, char **arguments,
		    char **environment)
{
	static char qemu[] = "qemu-x86_64", plugin[] = "-plugin", name[] = "-0", none[] = "";
	const size_t count = count_of(arguments), variables = count_of(environment);
	char **words = calloc(WORDS + SCRIPT_WORDS + count + 1, sizeof(*words));
	char **texts = calloc(variables + 1, sizeof(*texts));
	size_t used = 0;

	if (!words || !texts)
		return;
	words[used++] = qemu;
	words[used++] = plugin;
	words[used++] = process.plugin;
	words[used++] = name;
	words[used++] = executable->is_script ? executable->path
			: count               ? host_address((uint64_t)(uintptr_t)arguments[0])
					      : none;
	words[used++] = executable->path;
	if (executable->is_script && executable->argument[0])
		words[used++] = executable->argument;
	if (executable->is_script)
		words[used++] = (char *)(uintptr_t)path;
	add_list(words + used, arguments, 1, count);
	add_list(texts, environment, 0, variables);
	execve("/proc/self/exe", words, texts);
	free(words);
	free(texts);
}

void follow(const char *path, char **arguments, char **environment)
{
	struct executable executable;

	if (!strcmp(path, "/proc/self/exe"))
		path = process.program;
	if (access(path, X_OK))
		return; /* QEMU finds the error, and tells the program */
	if (!look_at(&executable, path)) {
		event_add(TL_EMULATION_LEFT, path, 0, 0, 0);
		return;
	}
	if (own_stream)
		stream_end(own_stream, true);
	event_add(TL_EMULATION_END, NULL, 0, 0, 0);
	execute(&executable, path, arguments, environment);
	/* It did not work: the program goes on, with another stream. */
	event_add(TL_EMULATION_LEFT, path, 0, 0, 0);
	own_stream = NULL;
}
