/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is told of a process beside its streams: where files are mapped, that it has ended. */
#include "tell.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static FILE *open_beside(const char *folder, const char *kind)
{
	char path[4096];

	if (snprintf(path, sizeof(path), "%s/%s.%d", folder, kind, (int)getpid()) >=
	    (int)sizeof(path))
		return NULL;
	return fopen(path, "we");
}

void tell_maps(const char *folder, uint64_t bias)
{
	const int kept = errno;
	FILE *maps = fopen("/proc/self/maps", "re"), *copy = open_beside(folder, "maps");
	int c;

	if (copy)
		fprintf(copy, "bias %" PRIx64 "\n", bias);
	while (maps && copy && (c = getc(maps)) != EOF)
		putc(c, copy);
	if (copy)
		fclose(copy);
	if (maps)
		fclose(maps);
	errno = kept;
}

void tell_end(const char *folder)
{
	FILE *file = open_beside(folder, "ended");

	if (file)
		fclose(file);
}
