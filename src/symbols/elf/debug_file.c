/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/elf/debug_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/codecs/crc32.h"
#include "core/cursor.h"
#include "core/error.h"

/* ---- what a file says of itself and of others ---- */

static void put_hex(char *text, const uint8_t *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	if (size > TL_BUILD_ID_TEXT / 2)
		size = 0;
	for (size_t i = 0; i < size; i++) {
		*text++ = digits[bytes[i] >> 4];
		*text++ = digits[bytes[i] & 15];
	}
	*text = '\0';
}

/* Notes: sizes of name and content, a type; both padded to words (gABI, "Note Section"). */
static bool find_build_id(const struct tl_elf *file, struct tl_cursor notes,
			  char text[TL_BUILD_ID_TEXT])
{
	while (tl_cursor_has(&notes, 12)) {
		uint64_t name = ((uint64_t)tl_get32s(notes.pos, file->swap) + 3) & ~UINT64_C(3);
		uint32_t size = tl_get32s(notes.pos + 4, file->swap),
			 type = tl_get32s(notes.pos + 8, file->swap);
		uint64_t whole = 12 + name + (((uint64_t)size + 3) & ~UINT64_C(3));

		if (!tl_cursor_has(&notes, 12 + name + size))
			return false;
		if (type == NT_GNU_BUILD_ID && name == 4 && !memcmp(notes.pos + 12, "GNU", 4)) {
			put_hex(text, notes.pos + 16, size);
			return true;
		}
		/* The last one need not be padded. */
		if (!tl_cursor_has(&notes, whole))
			return false;
		notes.pos += whole;
	}
	return false;
}

void tl_build_id(const struct tl_elf *file, char text[TL_BUILD_ID_TEXT])
{
	struct tl_elf_section section;

	*text = '\0';
	for (uint32_t i = 1; tl_elf_section_at(file, i, &section); i++) {
		size_t size;
		const uint8_t *notes =
			section.type == SHT_NOTE ? tl_elf_bytes(file, &section, &size) : NULL;

		if (notes && find_build_id(file, tl_cursor_over(notes, size), text))
			return;
	}
	for (uint32_t i = 0; i < file->segment_count; i++) {
		const struct tl_elf_segment segment = tl_elf_segment_at(file, i);

		if (segment.type == PT_NOTE && segment.offset <= file->size &&
		    segment.file_size <= file->size - segment.offset &&
		    find_build_id(
			    file,
			    tl_cursor_over(file->data + segment.offset, (size_t)segment.file_size),
			    text))
			return;
	}
}

/* The text that a section begins with; `rest` is the bytes behind it. NULL: there is none. */
static const char *link_in(const struct tl_elf *file, const char *name, struct tl_cursor *rest)
{
	struct tl_elf_section section;
	size_t size;
	const uint8_t *bytes =
		tl_elf_section(file, name, &section) ? tl_elf_bytes(file, &section, &size) : NULL;
	const uint8_t *end = bytes ? memchr(bytes, '\0', size) : NULL;

	if (!end)
		return NULL;
	*rest = tl_cursor_over(bytes, size);
	rest->pos = end + 1;
	return (const char *)bytes;
}

/* The properties that identify the debug file of a binary. */
struct wanted {
	char build_id[TL_BUILD_ID_TEXT];
	const char *link; /* name in .gnu_debuglink, NULL: none */
	uint32_t crc;     /* of the whole file that it names */
	bool by_link;
};

/* Behind the name, at the next word, the file's checksum. */
static void read_link(const struct tl_elf *file, struct wanted *wanted)
{
	struct tl_cursor rest;
	const char *name = link_in(file, ".gnu_debuglink", &rest);

	if (!name)
		return;
	tl_cursor_seek(&rest, (tl_cursor_offset(&rest) + 3) & ~UINT64_C(3));
	if (!tl_cursor_has(&rest, 4))
		return;
	wanted->link = name;
	wanted->crc = tl_get32s(rest.pos, file->swap);
}

/* ---- candidates ---- */

/* Build-ids decide where both files have one; else the checksum does. */
static bool matches(const struct tl_elf *debug, const struct wanted *wanted)
{
	char id[TL_BUILD_ID_TEXT];

	tl_build_id(debug, id);
	if (*id && *wanted->build_id)
		return !strcmp(id, wanted->build_id);
	return wanted->by_link && tl_crc32(0, debug->data, debug->size) == wanted->crc;
}

struct search {
	struct tl_elf *debug;
	char **path; /* where it was found */
	struct wanted wanted;
};

/* Try a path, which is freed here or kept; the same results as tl_debug_file_open(). */
static int try_path(const struct search *search, char *path)
{
	int status = tl_elf_open_named(search->debug, path, NULL);

	if (!status && matches(search->debug, &search->wanted)) {
		*search->path = path;
		return 1;
	}
	if (!status)
		tl_elf_close(search->debug);
	free(path);
	return tl_error_if_memory(status);
}

/* Try the path that a format makes. */
__attribute__((format(printf, 2, 3))) static int try(const struct search *search,
						     const char *format, ...)
{
	va_list args;
	char *path;
	int length;

	va_start(args, format);
	length = vasprintf(&path, format, args);
	va_end(args);
	return length < 0 ? TL_NO_MEMORY : try_path(search, path);
}

static int try_build_id(const struct search *search, const char *root)
{
	const char *id = search->wanted.build_id;

	return strlen(id) > 2 ? try(search, "%s/.build-id/%.2s/%s.debug", root, id, id + 2) : 0;
}

/* A file without a build id has none to be asked for. */
static int try_debuginfod(const struct search *search, const struct tl_debuginfod *debuginfod)
{
	const char *id = search->wanted.build_id;
	char *path;
	int status;

	if (!debuginfod || !*id)
		return 0;
	status = debuginfod->find(debuginfod->arg, TL_DEBUGINFOD_DEBUGINFO, id, &path);
	return status > 0 ? try_path(search, path) : status;
}

/* `folder` is absolute and has no "/" at its end. */
static int try_link(const struct search *search, const char *folder, const char *root)
{
	const char *link = search->wanted.link;
	int status = try(search, "%s/%s", folder, link);

	if (!status)
		status = try(search, "%s/.debug/%s", folder, link);
	if (!status)
		status = try(search, "%s%s/%s", root, folder, link);
	return status;
}

/* The folder of a file, links followed, for free(); NULL: none, or no memory. */
static char *folder_of(const char *path)
{
	char *real = realpath(path, NULL);

	if (real)
		*strrchr(real, '/') = '\0';
	return real;
}

static int find_by_link(struct search *search, const char *path, const char *root)
{
	char *folder = folder_of(path);
	int status = 0;

	if (!folder)
		return errno == ENOMEM ? TL_NO_MEMORY : 0;
	/* The link is a file name; one that leads elsewhere was not made by a tool. */
	search->wanted.by_link = true;
	if (*search->wanted.link && !strchr(search->wanted.link, '/'))
		status = try_link(search, folder, root);
	free(folder);
	return status;
}

int tl_debug_file_open(struct tl_elf *debug, char **debug_path, const struct tl_elf *file,
		       const char *path, const struct tl_debug_places *places)
{
	struct search search = { .debug = debug, .path = debug_path };
	int status;

	tl_build_id(file, search.wanted.build_id);
	read_link(file, &search.wanted);
	status = try_build_id(&search, places->root);
	if (!status && search.wanted.link)
		status = find_by_link(&search, path, places->root);
	return status ? status : try_debuginfod(&search, places->debuginfod);
}

int tl_debug_file_supplement(struct tl_elf *found, char **found_path, const struct tl_elf *file,
			     const char *path, const struct tl_debug_places *places)
{
	struct search search = { .debug = found, .path = found_path };
	struct tl_cursor rest;
	const char *name = link_in(file, ".gnu_debugaltlink", &rest);
	char *folder;
	int status = 0;

	if (!name || !*name)
		return 0;
	put_hex(search.wanted.build_id, rest.pos, tl_cursor_left(&rest));
	if (*name == '/')
		status = try(&search, "%s", name);
	if (*name != '/') {
		folder = folder_of(path);
		if (folder)
			status = try(&search, "%s/%s", folder, name);
		else if (errno == ENOMEM)
			status = TL_NO_MEMORY;
		free(folder);
	}
	if (!status)
		status = try_build_id(&search, places->root);
	return status ? status : try_debuginfod(&search, places->debuginfod);
}
