/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is told of a program beside its streams: where files are mapped, how it has ended. */
#include "tell.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum { NAME_BYTES = 4096 };

static bool name_file(char path[NAME_BYTES], const struct image *image, const char *kind)
{
	return snprintf(path, NAME_BYTES, "%s/%s.%d.%u", image->folder, kind, (int)getpid(),
			image->number) < NAME_BYTES;
}

static FILE *open_file(const struct image *image, const char *kind)
{
	char path[NAME_BYTES];

	return name_file(path, image, kind) ? fopen(path, "we") : NULL;
}

void tell_maps(const struct image *image)
{
	const int kept = errno;
	FILE *maps = fopen("/proc/self/maps", "re"), *copy = open_file(image, "maps");
	int c;

	if (copy)
		fprintf(copy, "bias %" PRIx64 "\nprogram %s\n", image->bias, image->program);
	while (maps && copy && (c = getc(maps)) != EOF)
		putc(c, copy);
	if (copy)
		fclose(copy);
	if (maps)
		fclose(maps);
	errno = kept;
}

static void tell_empty(const struct image *image, const char *kind)
{
	const int kept = errno;
	FILE *file = open_file(image, kind);

	if (file)
		fclose(file);
	errno = kept;
}

void tell_end(const struct image *image)
{
	tell_empty(image, "ended");
}

void tell_matrix(const struct image *image)
{
	tell_empty(image, "matrix");
}

void tell_left(const struct image *image, const char *path)
{
	FILE *file = open_file(image, "left");

	if (!file)
		return;
	fprintf(file, "%s\n", path);
	fclose(file);
}

void tell_stayed(const struct image *image)
{
	static const char *const kinds[] = { "ended", "left" };
	char path[NAME_BYTES];

	for (unsigned i = 0; i < 2; i++)
		if (name_file(path, image, kinds[i]))
			unlink(path);
}
