/* SPDX-License-Identifier: Apache-2.0 */
#include "record/kept.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool tl_record_kept_name(const char *file, char path[TL_RECORD_PATH])
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int used;

	if (cache && *cache)
		used = snprintf(path, TL_RECORD_PATH, "%s/tracelathe/%s", cache, file);
	else if (home && *home)
		used = snprintf(path, TL_RECORD_PATH, "%s/.cache/tracelathe/%s", home, file);
	else
		return false;
	return used < TL_RECORD_PATH;
}

void tl_record_kept_folder(char path[TL_RECORD_PATH])
{
	char *slash = strrchr(path, '/');

	*slash = '\0';
	if (mkdir(path, 0700) && errno == ENOENT) {
		char *above = strrchr(path, '/');

		*above = '\0';
		mkdir(path, 0700);
		*above = '/';
		mkdir(path, 0700);
	}
	*slash = '/';
}
