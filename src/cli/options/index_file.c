/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/index_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/terminal/messages.h"
#include "cli/terminal/own_files.h"

/* Smaller inputs are indexed in less than a second. */
enum { KEPT_BYTES = 256 << 20 };

static uint64_t size_of(const char *const *paths, size_t count)
{
	uint64_t size = 0;
	struct stat st;

	for (size_t i = 0; i < count; i++)
		if (!stat(paths[i], &st) && S_ISREG(st.st_mode))
			size += (uint64_t)st.st_size;
	return size;
}

/* FNV-1a of where the files are: another file at the same place takes the place of the index. */
static uint64_t hash_of(const char *const *paths, size_t count)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < count; i++) {
		char *path = realpath(paths[i], NULL);

		for (const char *p = path ? path : paths[i]; *p; p++)
			hash = (hash ^ (uint8_t)*p) * UINT64_C(0x100000001b3);
		hash = (hash ^ UINT8_MAX) * UINT64_C(0x100000001b3);
		free(path);
	}
	return hash;
}

char *index_file(const struct settings *settings, const char *const *paths, size_t count)
{
	char name[32];

	if (settings->view.index.path)
		return strdup(settings->view.index.path);
	if (settings->view.index.none || size_of(paths, count) <= KEPT_BYTES)
		return NULL;
	snprintf(name, sizeof(name), "%016llx.index", (unsigned long long)hash_of(paths, count));
	return own_file(&own_cache, name);
}

void index_file_prepare(const struct settings *settings)
{
	char *path = index_file(settings, settings->paths.items, settings->paths.list.count);

	if (path && !settings->view.index.path)
		own_file_prepare(path);
	free(path);
}

bool index_file_fits(const struct command *command, const struct settings *s, size_t inputs)
{
	const char *why = NULL;

	if (s->view.index.path && s->view.index.none)
		why = "--index and --no-index contradict each other";
	else if (s->view.index.path && inputs > 1)
		why = "--index names the index of one input, not of two that are compared";
	if (why)
		complain(command->name, "%s", why);
	return !why;
}

void warn_index_file(const char *path, const struct tl_error *unkept)
{
	complain_error(path, unkept);
}
