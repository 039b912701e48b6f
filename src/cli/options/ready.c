/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/ready.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char suffix[] = ".sql";
enum { MOST_FOLDERS = 16, LONGEST = 1 << 20 };

struct folders {
	char *list[MOST_FOLDERS];
	size_t count;
};

/* ---- where they are ---- */

static void add_folder(struct folders *folders, const char *base, int size, const char *below)
{
	char *path;

	if (folders->count == MOST_FOLDERS || !size ||
	    asprintf(&path, "%.*s%s", size, base, below) < 0)
		return;
	folders->list[folders->count++] = path;
}

static void add_own(struct folders *folders)
{
	const char *named = getenv("TRACELATHE_QUERIES"), *config = getenv("XDG_CONFIG_HOME"),
		   *home = getenv("HOME");

	while (named && *named) {
		int size = (int)strcspn(named, ":");

		add_folder(folders, named, size, "");
		named += size + (named[size] == ':');
	}
	if (config && *config)
		add_folder(folders, config, (int)strlen(config), "/tracelathe/queries");
	else if (home)
		add_folder(folders, home, (int)strlen(home), "/.config/tracelathe/queries");
}

/* Beside the program as it is built, and as it is installed. */
static void add_installed(struct folders *folders)
{
	char program[PATH_MAX];
	ssize_t size = readlink("/proc/self/exe", program, sizeof(program) - 1);
	const char *slash;

	if (size <= 0)
		return;
	program[size] = '\0';
	slash = strrchr(program, '/');
	if (!slash)
		return;
	add_folder(folders, program, (int)(slash - program), "/src/query/ready");
	add_folder(folders, program, (int)(slash - program), "/../share/tracelathe/queries");
}

static void find_folders(struct folders *folders)
{
	folders->count = 0;
	add_own(folders);
	add_installed(folders);
}

static void free_folders(struct folders *folders)
{
	while (folders->count)
		free(folders->list[--folders->count]);
}

/* ---- one query ---- */

/* A whole file, terminated. NULL: it cannot be read, or is too long. */
static char *read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(LONGEST + 1) : NULL;
	size_t size = text ? fread(text, 1, LONGEST + 1, file) : 0;

	if (file)
		fclose(file);
	if (text && size <= LONGEST) {
		text[size] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

static char *read_in(const char *folder, const char *name)
{
	char *path, *text;

	if (asprintf(&path, "%s/%s%s", folder, name, suffix) < 0)
		return NULL;
	text = read_file(path);
	free(path);
	return text;
}

char *ready_query(const char *name)
{
	struct folders folders;
	char *text = NULL;

	if (!*name || strchr(name, '/'))
		return NULL;
	find_folders(&folders);
	for (size_t i = 0; !text && i < folders.count; i++)
		text = read_in(folders.list[i], name);
	free_folders(&folders);
	return text;
}

/* ---- the list ---- */

static int is_query(const struct dirent *entry)
{
	size_t size = strlen(entry->d_name), end = strlen(suffix);

	return size > end && !strcmp(entry->d_name + size - end, suffix);
}

typedef void query_fn(void *arg, const char *folder, const char *name);

/* False: there are none. */
static bool each_query(query_fn *tell, void *arg)
{
	struct folders folders;
	bool any = false;

	find_folders(&folders);
	for (size_t i = 0; i < folders.count; i++) {
		struct dirent **found;
		int count = scandir(folders.list[i], &found, is_query, alphasort);

		for (int j = 0; j < count; j++) {
			char *name = found[j]->d_name;

			name[strlen(name) - strlen(suffix)] = '\0';
			tell(arg, folders.list[i], name);
			free(found[j]);
		}
		if (count >= 0)
			free(found);
		any |= count > 0;
	}
	free_folders(&folders);
	return any;
}

struct name_listener {
	void (*tell)(void *arg, const char *name, size_t size);
	void *arg;
};

static void tell_name(void *arg, const char *folder, const char *name)
{
	const struct name_listener *listener = arg;

	(void)folder;
	listener->tell(listener->arg, name, strlen(name));
}

void each_ready_query(void (*tell)(void *arg, const char *name, size_t size), void *arg)
{
	each_query(tell_name, &(struct name_listener){ tell, arg });
}

/* The name, and the comment of the first line. */
static void print_query(void *arg, const char *folder, const char *name)
{
	char *text = read_in(folder, name);
	const char *says;

	(void)arg;
	says = text && !strncmp(text, "-- ", 3) ? text + 3 : "";
	printf("%-12s  %.*s\n", name, (int)strcspn(says, "\n"), says);
	free(text);
}

bool list_ready_queries(void)
{
	return each_query(print_query, NULL);
}
