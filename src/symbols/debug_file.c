/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/debug_file.h"

#include <elfutils/libdwelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void tl_build_id(const struct tl_elf *file, char text[TL_BUILD_ID_TEXT])
{
	static const char digits[] = "0123456789abcdef";
	const void *id;
	ssize_t size = dwelf_elf_gnu_build_id(file->elf, &id);

	if (size < 0 || size > TL_BUILD_ID_TEXT / 2)
		size = 0;
	for (ssize_t i = 0; i < size; i++) {
		uint8_t byte = ((const uint8_t *)id)[i];

		*text++ = digits[byte >> 4];
		*text++ = digits[byte & 15];
	}
	*text = '\0';
}

/* What a candidate must have in common with the binary. */
struct wanted {
	char build_id[TL_BUILD_ID_TEXT];
	const char *link; /* name in .gnu_debuglink, NULL: none */
	GElf_Word crc;	  /* of the whole file that it names */
	bool by_link;
};

static bool crc_matches(const struct tl_elf *debug, GElf_Word crc)
{
	size_t size;
	const char *bytes = elf_rawfile(debug->elf, &size);

	return bytes && crc32_z(0, (const Bytef *)bytes, size) == crc;
}

/* Build-ids decide where both files have one; else the checksum does. */
static bool matches(const struct tl_elf *debug, const struct wanted *wanted)
{
	char id[TL_BUILD_ID_TEXT];

	tl_build_id(debug, id);
	if (*id && *wanted->build_id)
		return !strcmp(id, wanted->build_id);
	return wanted->by_link && crc_matches(debug, wanted->crc);
}

/* Try the path that a format makes; the same results as tl_debug_file_open(). */
__attribute__((format(printf, 3, 4))) static int try(struct tl_elf *debug, const struct wanted *wanted,
						     const char *format, ...)
{
	va_list args;
	char *path;
	int length, status;

	va_start(args, format);
	length = vasprintf(&path, format, args);
	va_end(args);
	if (length < 0)
		return TL_NO_MEMORY;
	status = tl_elf_open(debug, path, NULL);
	free(path);
	if (status)
		return status == TL_NO_MEMORY ? status : 0;
	if (matches(debug, wanted))
		return 1;
	tl_elf_close(debug);
	return 0;
}

/* `folder` is absolute and has no "/" at its end. */
static int try_link(struct tl_elf *debug, const struct wanted *wanted, const char *folder, const char *root)
{
	int status = try(debug, wanted, "%s/%s", folder, wanted->link);

	if (!status)
		status = try(debug, wanted, "%s/.debug/%s", folder, wanted->link);
	if (!status)
		status = try(debug, wanted, "%s%s/%s", root, folder, wanted->link);
	return status;
}

static int find_by_link(struct tl_elf *debug, struct wanted *wanted, const char *path, const char *root)
{
	char *real = realpath(path, NULL);
	int status = 0;

	if (!real)
		return 0;
	/* The link is a file name; one that leads elsewhere was not made by a tool. */
	*strrchr(real, '/') = '\0';
	wanted->by_link = true;
	if (*wanted->link && !strchr(wanted->link, '/'))
		status = try_link(debug, wanted, real, root);
	free(real);
	return status;
}

int tl_debug_file_open(struct tl_elf *debug, const struct tl_elf *file, const char *path, const char *root)
{
	struct wanted wanted = { .by_link = false };
	int status = 0;

	tl_build_id(file, wanted.build_id);
	wanted.link = dwelf_elf_gnu_debuglink(file->elf, &wanted.crc);
	if (strlen(wanted.build_id) > 2)
		status = try(debug, &wanted, "%s/.build-id/%.2s/%s.debug", root, wanted.build_id,
			     wanted.build_id + 2);
	if (!status && wanted.link)
		status = find_by_link(debug, &wanted, path, root);
	return status;
}
