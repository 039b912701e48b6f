/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/own_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct own_folder own_state = { "XDG_STATE_HOME", ".local/state" };
const struct own_folder own_cache = { "XDG_CACHE_HOME", ".cache" };

char *own_file(const struct own_folder *folder, const char *name)
{
	const char *named = getenv(folder->variable), *home = getenv("HOME");
	char *path;
	int size;

	if (named && *named == '/')
		size = asprintf(&path, "%s/tracelathe/%s", named, name);
	else if (home && *home == '/')
		size = asprintf(&path, "%s/%s/tracelathe/%s", home, folder->below_home, name);
	else
		return NULL;
	return size < 0 ? NULL : path;
}

void own_file_prepare(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
}
