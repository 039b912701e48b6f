/* SPDX-License-Identifier: Apache-2.0 */
/* What may be opened: see SECURITY.md, which says the same in words. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/confine/confine.h"

/* Takes `path`, which is NULL where there was no memory for it. */
static void add(struct confine_places *places, enum confine_access access, char *path)
{
	struct confine_place *place = path ? list_add(&places->found.list, sizeof(*place)) : NULL;

	if (place)
		*place = (struct confine_place){ path, access };
	else
		free(path);
	if (!place)
		places->error = ENOMEM;
}

static void add_path(struct confine_places *places, enum confine_access access, const char *path)
{
	if (path && *path)
		add(places, access, strdup(path));
}

static void add_below(struct confine_places *places, enum confine_access access, const char *folder,
		      const char *name)
{
	char *path;

	if (!folder || !*folder)
		return;
	if (asprintf(&path, "%s/%s", folder, name) < 0)
		path = NULL;
	add(places, access, path);
}

/* ---- what the command line names ---- */

/*
 * Folders that hold more than a trace and what belongs to it: the files of them that are named may
 * be opened, and not what stands beside.
 */
static const char *const wide[] = { "/",    "/etc", "/dev",  "/proc", "/sys",
				    "/run", "/var", "/root", "/home" };

static bool is_wide(const char *folder)
{
	const char *home = getenv("HOME");

	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
		if (!strcmp(folder, wide[i]))
			return true;
	return home && !strcmp(folder, home);
}

/* What is not there, or not for this user, is not missed: what could not be looked for is. */
static void note_error(struct confine_places *places, int error)
{
	if (error == ENOMEM || error == EMFILE || error == ENFILE || error == EIO)
		places->error = error;
}

/* A path with links followed, to free(). NULL: it is not there, or could not be found out. */
static char *real_path(struct confine_places *places, const char *path)
{
	char *real = realpath(path, NULL);

	if (!real)
		note_error(places, errno);
	return real;
}

/* The folder of a file, links followed; NULL without memory or if it is not there. */
static char *folder_of(struct confine_places *places, const char *path)
{
	char *copy = strdup(path), *end = copy ? strrchr(copy, '/') : NULL, *folder;

	if (!copy) {
		places->error = ENOMEM;
		return NULL;
	}
	if (end == copy)
		end++;
	if (end)
		*end = '\0';
	folder = real_path(places, end ? copy : ".");
	free(copy);
	return folder;
}

/* Ten thousand files of one folder need one rule: it is not added behind itself. */
static void add_folder(struct confine_places *places, const char *file)
{
	char *folder = folder_of(places, file);
	size_t count = places->found.list.count;

	if (!folder || is_wide(folder))
		add_path(places, CONFINE_READ, file);
	else if (!count || strcmp(places->found.items[count - 1].path, folder) != 0)
		add_path(places, CONFINE_READ, folder);
	free(folder);
}

/* A file of the command line, and what stands beside it: maps, images, the other file of a pair. */
static void add_input(struct confine_places *places, const char *path)
{
	struct stat st;
	char *target;

	if (!path || !strcmp(path, "-"))
		return;
	add_folder(places, path);
	if (!lstat(path, &st) && S_ISREG(st.st_mode))
		return;
	/* A link, a folder, or something else that has a name: what it is. */
	add_path(places, CONFINE_READ, path);
	target = real_path(places, path);
	if (target)
		add_folder(places, target);
	free(target);
}

/* A finished file is renamed to its name from another one of its folder. */
static void add_output(struct confine_places *places, const char *path)
{
	char *target, *folder;

	if (!path || !strcmp(path, "-"))
		return;
	target = real_path(places, path);
	add_path(places, CONFINE_WRITE, path);
	folder = folder_of(places, target ? target : path);
	add_path(places, CONFINE_WRITE, folder);
	free(folder);
	free(target);
}

static void add_named(struct confine_places *places, const struct settings *s)
{
	for (size_t i = 0; i < s->paths.list.count; i++)
		add_input(places, s->paths.items[i]);
	for (size_t i = 0; i < s->programs.binaries.list.count; i++)
		add_input(places, s->programs.binaries.items[i].path);
	for (size_t i = 0; i < s->programs.raws.list.count; i++)
		add_input(places, s->programs.raws.items[i].path);
	for (size_t i = 0; i < s->diff.binaries_after.list.count; i++)
		add_input(places, s->diff.binaries_after.items[i].path);
	for (size_t i = 0; i < s->annotate.source_dirs.list.count; i++)
		add_path(places, CONFINE_READ, s->annotate.source_dirs.items[i]);
	add_input(places, s->input.programs.map);
	add_input(places, s->diff.map_after);
	add_input(places, s->slice.partner);
	add_input(places, s->slice.simpoints);
	add_input(places, s->slice.weights);
	add_input(places, s->analysis.caches);
	add_input(places, s->analysis.predictors);
	add_path(places, CONFINE_READ, s->input.programs.sysroot);
	add_path(places, CONFINE_READ, s->input.programs.build_id_dir);
	add_path(places, CONFINE_READ, s->input.programs.guest_root);
	add_output(places, s->output.path);
	add_output(places, s->view.index.path);
}

/* ---- programs, their debug information and their sources, wherever a trace says they are ---- */

static const char *const not_of_root[] = { "dev",  "etc", "home", "lost+found", "proc",
					   "root", "run", "sys",  "var" };
/* Of hidden names in a home, those where programs and their sources are. */
static const char *const hidden_of_home[] = { ".cache", ".cargo", ".debug", ".local",
					      ".nvm",   ".pyenv", ".rustup" };

static bool is_in(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(name, list[i]))
			return true;
	return false;
}

static bool is_wanted(const char *name, bool of_root)
{
	if (of_root)
		return name[0] != '.' &&
		       !is_in(name, not_of_root, sizeof(not_of_root) / sizeof(*not_of_root));
	return name[0] != '.' ||
	       is_in(name, hidden_of_home, sizeof(hidden_of_home) / sizeof(*hidden_of_home));
}

static DIR *open_folder(struct confine_places *places, const char *folder)
{
	DIR *entries = opendir(folder);

	if (!entries)
		note_error(places, errno);
	return entries;
}

static void add_entries(struct confine_places *places, const char *folder, bool of_root)
{
	DIR *entries = open_folder(places, folder);
	struct dirent *entry;

	while (entries && (entry = readdir(entries)))
		if (is_wanted(entry->d_name, of_root))
			add_below(places, CONFINE_READ, of_root ? "/" : folder, entry->d_name);
	if (entries)
		closedir(entries);
}

static void add_homes(struct confine_places *places)
{
	DIR *homes = open_folder(places, "/home");
	struct dirent *entry;

	while (homes && (entry = readdir(homes)))
		if (entry->d_name[0] != '.') {
			char path[sizeof("/home/") + sizeof(entry->d_name)];

			snprintf(path, sizeof(path), "/home/%s", entry->d_name);
			add_entries(places, path, false);
		}
	if (homes)
		closedir(homes);
	add_entries(places, "/root", false);
	if (getenv("HOME"))
		add_entries(places, getenv("HOME"), false);
}

/* ---- what the C library and others open by themselves ---- */

static void add_system(struct confine_places *places)
{
	static const char *const read[] = {
		"/etc/ld.so.cache",
		"/etc/localtime",
		"/etc/terminfo",
		"/etc/inputrc",
		"/etc/locale.alias",
		"/proc/sys/vm",
		"/proc/cpuinfo",
		"/proc/meminfo",
		/* names of the kernel that runs here, and whether it is a recorded one */
		"/proc/kallsyms",
		"/sys/kernel/notes",
		"/sys/devices/system/cpu",
		"/run/media",
		"/sys/devices/system/node",
	};
	static const char *const write[] = { "/dev/null", "/dev/zero",    "/dev/full",
					     "/dev/tty",  "/dev/urandom", "/dev/random" };

	for (size_t i = 0; i < sizeof(read) / sizeof(*read); i++)
		add_path(places, CONFINE_READ, read[i]);
	for (size_t i = 0; i < sizeof(write) / sizeof(*write); i++)
		add_path(places, CONFINE_WRITE, write[i]);
}

/* Streams that must be read twice, and what does not fit into memory, are files without a name. */
static void add_temporary(struct confine_places *places)
{
	const char *folder = getenv("TMPDIR");

	add_path(places, CONFINE_WRITE, folder && *folder ? folder : "/tmp");
	add_path(places, CONFINE_WRITE, "/var/tmp");
}

/* What variables of the environment say, or else the places that XDG has for it. */
static void add_own(struct confine_places *places)
{
	const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME"),
		   *state = getenv("XDG_STATE_HOME"), *cache = getenv("XDG_CACHE_HOME");

	add_path(places, CONFINE_READ, getenv("TRACELATHE_QUERIES"));
	add_path(places, CONFINE_READ, getenv("DEBUGINFOD_CACHE_PATH"));
	add_below(places, CONFINE_READ, cache, "debuginfod_client");
	add_below(places, CONFINE_READ, home, ".debuginfod_client_cache");
	if (config && *config)
		add_below(places, CONFINE_READ, config, "tracelathe");
	else
		add_below(places, CONFINE_READ, home, ".config/tracelathe");
	if (state && *state)
		add_below(places, CONFINE_WRITE, state, "tracelathe");
	else
		add_below(places, CONFINE_WRITE, home, ".local/state/tracelathe");
	if (cache && *cache)
		add_below(places, CONFINE_WRITE, cache, "tracelathe");
	else
		add_below(places, CONFINE_WRITE, home, ".cache/tracelathe");
}

void places_find(struct confine_places *places, const struct settings *settings)
{
	add_named(places, settings);
	add_entries(places, "/", true);
	add_homes(places);
	add_path(places, CONFINE_READ, ".");
	add_system(places);
	add_temporary(places);
	add_path(places, CONFINE_WRITE, settings->files.scratch);
	add_own(places);
}

void places_free(struct confine_places *places)
{
	for (size_t i = 0; i < places->found.list.count; i++)
		free(places->found.items[i].path);
	list_free(&places->found.list);
}
