/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/paths.h"

#include <errno.h>
#include <fnmatch.h>
#include <fts.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/options/partners.h"
#include "cli/terminal/messages.h"

typedef LIST_OF(const char *) path_list;

static bool add_path(path_list *list, const char *path)
{
	const char **item = list_add(&list->list, sizeof(*item));

	if (item)
		*item = path;
	return item;
}

/* A copy of a path that lives as long as the settings. */
static bool add_copy(struct settings *settings, path_list *list, const char *path)
{
	char **copy = list_add(&settings->files.copies.list, sizeof(*copy));

	if (!copy)
		return false;
	*copy = strdup(path);
	return *copy && add_path(list, *copy);
}

/* ---- @LIST ---- */

/* A line is a path as it stands; empty lines say nothing. */
static bool add_lines(struct settings *settings, path_list *list, FILE *file)
{
	char *line = NULL;
	size_t room = 0;
	bool ok = true;
	ssize_t size;

	while (ok && (size = getline(&line, &room, file)) > 0) {
		if (line[size - 1] == '\n')
			line[size - 1] = '\0';
		ok = !*line || add_copy(settings, list, line);
	}
	free(line);
	return ok;
}

static bool add_list(struct settings *settings, path_list *list, const char *name)
{
	bool is_input = !strcmp(name, "-");
	FILE *file = is_input ? stdin : fopen(name, "re");
	bool ok;

	if (!file)
		return false;
	errno = 0;
	ok = add_lines(settings, list, file) && feof(file);
	if (!is_input)
		fclose(file);
	return ok;
}

/* ---- directories ---- */

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* What cannot be read below the directory is an error: a result without it would be silent. */
static bool add_found(struct settings *settings, path_list *list, const FTSENT *found)
{
	switch (found->fts_info) {
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		errno = found->fts_errno;
		return false;
	case FTS_F:
	case FTS_SL:
		return fnmatch(settings->files.glob, found->fts_name, 0) ||
		       add_copy(settings, list, found->fts_path);
	default:
		return true;
	}
}

static bool add_directory(struct settings *settings, path_list *list, const char *path)
{
	char *root = strdup(path);
	char *const roots[] = { root, NULL };
	FTS *tree = root ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name) : NULL;
	const FTSENT *found;
	bool ok = tree;

	while (ok && (found = fts_read(tree)))
		ok = add_found(settings, list, found);
	if (tree)
		fts_close(tree);
	free(root);
	return ok;
}

/* ---- patterns ---- */

/* A run of `diff --runs`, or those that a pattern matches, in the order of their names. */
static bool add_pattern(struct settings *settings, path_list *list, const char *pattern)
{
	bool ok = true;
	glob_t found;

	if (!strpbrk(pattern, "*?["))
		return add_path(list, pattern);
	if (glob(pattern, GLOB_NOCHECK, NULL, &found)) {
		errno = ENOMEM;
		return false;
	}
	for (size_t i = 0; ok && i < found.gl_pathc; i++)
		ok = add_copy(settings, list, found.gl_pathv[i]);
	globfree(&found);
	return ok;
}

/* ---- the whole ---- */

static bool is_directory(const char *path)
{
	struct stat about;

	return !stat(path, &about) && S_ISDIR(about.st_mode);
}

static bool expand_one(struct settings *settings, const struct command *command, path_list *list,
		       const char *path)
{
	size_t had = list->list.count;
	bool is_list = path[0] == '@' && path[1];
	bool ok;

	if (is_list || (settings->files.glob && is_directory(path))) {
		settings->files.listed = true;
		ok = is_list ? add_list(settings, list, path + 1)
			     : add_directory(settings, list, path);
	} else {
		ok = settings->diff.runs ? add_pattern(settings, list, path) : add_path(list, path);
	}
	if (!ok)
		complain(command->name, "%s: cannot be read: %s", path, strerror(errno));
	else if (list->list.count == had)
		complain(command->name, "%s: names no file", path);
	return ok && list->list.count > had;
}

/* Whether a file of a directory begins with one of two texts of 8 bytes. */
static bool has_magic(const char *folder, const char *name, const char *magic, const char *other)
{
	char *path, head[8];
	FILE *file;
	bool is = false;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return false;
	file = fopen(path, "re");
	free(path);
	if (!file)
		return false;
	if (fread(head, sizeof(head), 1, file) == 1)
		is = !memcmp(head, magic, sizeof(head)) || !memcmp(head, other, sizeof(head));
	fclose(file);
	return is;
}

/* A recording may be a directory (perf record --threads, uftrace): its first file says so. */
static bool is_recording(const char *path)
{
	return has_magic(path, "data", "PERFILE2", "2ELIFREP") ||
	       has_magic(path, "info", "Ftrace!", "Ftrace!");
}

static bool is_many(const char *path)
{
	return (path[0] == '@' && path[1]) || (is_directory(path) && !is_recording(path));
}

void settings_take_sides(struct settings *settings, const struct command *command)
{
	const char *const *paths = settings->paths.items;

	if (!(command->bit & C_DIFF) || settings->paths.list.count != 2 || settings->diff.before ||
	    !is_many(paths[0]) || !is_many(paths[1]))
		return;
	settings->diff.runs = true;
	settings->diff.before = 1;
	if (!settings->files.glob)
		settings->files.glob = "*";
}

static bool drop_partners(const struct command *command, path_list *list, size_t begin)
{
	if (settings_drop_partners(&list->list, begin))
		return true;
	complain(command->name, "out of memory");
	return false;
}

/* Whether each file is read by itself, and not all of them as one input. */
static bool takes_each(const struct settings *settings, const struct command *command)
{
	return (command->bit & (C_MERGE | C_MAP | C_OF_RANKS)) || settings->files.listed ||
	       settings->diff.runs || settings->spread.wanted || by_origin(settings);
}

bool settings_expand_paths(struct settings *settings, const struct command *command)
{
	path_list list = { .items = NULL };
	size_t before = settings->diff.before;
	bool ok = true;

	for (size_t i = 0; ok && i < settings->paths.list.count; i++) {
		if (i && i == settings->diff.before) {
			ok = drop_partners(command, &list, 0);
			before = list.list.count;
		}
		ok = ok && expand_one(settings, command, &list, settings->paths.items[i]);
	}
	if (ok && takes_each(settings, command))
		ok = drop_partners(command, &list, settings->diff.runs ? before : 0);
	list_free(&settings->paths.list);
	settings->paths.list = list.list;
	settings->diff.before = before;
	return ok;
}
