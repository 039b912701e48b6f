/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/format/file_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const compressions[] = { "", ".zst", ".gz", ".xz", ".lz4" };

enum { COMPRESSIONS = sizeof(compressions) / sizeof(compressions[0]) };

static const struct {
	const char *suffix;
	enum tl_xtrace_file_kind kind;
} suffixes[] = {
	{ ".xinsndata.bin", TL_XTRACE_FILE_STREAM },
	{ ".xsnapshot.bin", TL_XTRACE_FILE_SNAPSHOTS },
};

static bool ends_with(const char *text, size_t size, const char *end)
{
	size_t length = strlen(end);

	return size >= length && !memcmp(text + size - length, end, length);
}

/* Bytes of a path before its suffix, and digits of a number, at most. */
enum { MOST_STEM = 4096, MOST_DIGITS = 5 };

/* ".N" at the end, N written as printf does: the bytes before it; `size`: there is none. */
static size_t parse_number(const char *path, size_t size, struct tl_xtrace_file_name *name)
{
	size_t begin = size;
	uint64_t number = 0;

	while (begin && path[begin - 1] >= '0' && path[begin - 1] <= '9')
		begin--;
	if (begin < 1 || path[begin - 1] != '.' || size - begin > MOST_DIGITS || begin == size ||
	    (path[begin] == '0' && size - begin > 1))
		return size;
	for (size_t i = begin; i < size; i++)
		number = number * 10 + (uint64_t)(path[i] - '0');
	name->numbered = true;
	name->number = (uint32_t)number;
	return begin - 1;
}

/* A path of `size` bytes without its compression. */
static bool parse_bare(const char *path, size_t size, struct tl_xtrace_file_name *name)
{
	size_t end = parse_number(path, size, name);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (ends_with(path, end, suffixes[i].suffix) &&
		    (!name->numbered || suffixes[i].kind == TL_XTRACE_FILE_STREAM)) {
			name->kind = suffixes[i].kind;
			name->stem = end - strlen(suffixes[i].suffix);
			return true;
		}
	name->numbered = false;
	name->number = 0;
	return false;
}

static void parse_suffix(const char *path, struct tl_xtrace_file_name *name)
{
	size_t size = strlen(path);

	for (size_t c = 0; c < COMPRESSIONS; c++)
		if (ends_with(path, size, compressions[c]) &&
		    parse_bare(path, size - strlen(compressions[c]), name)) {
			name->compression = compressions[c];
			return;
		}
}

/* Digits up to `end`; nothing else, and at least one. */
static bool take_number(const char *text, const char *end, uint64_t *value)
{
	*value = 0;
	for (const char *p = text; p < end; p++) {
		if (*p < '0' || *p > '9' || *value > (UINT64_MAX - 9) / 10)
			return false;
		*value = *value * 10 + (uint64_t)(*p - '0');
	}
	return end > text;
}

/* "xtrace.{timestamp}.{tid/cpuid}.hint{9/13}" */
static void parse_stem(const char *path, struct tl_xtrace_file_name *name)
{
	const char *end = path + name->stem, *base = end, *id, *hint;
	uint64_t number, value;

	while (base > path && base[-1] != '/')
		base--;
	if (end - base < 7 || memcmp(base, "xtrace.", 7))
		return;
	base += 7;
	id = memchr(base, '.', (size_t)(end - base));
	hint = id ? memchr(id + 1, '.', (size_t)(end - id - 1)) : NULL;
	if (!hint || end - hint < 6 || memcmp(hint, ".hint", 5) ||
	    !take_number(id + 1, hint, &number) || !take_number(hint + 5, end, &value) ||
	    (value != 9 && value != 13))
		return;
	name->timestamp = base;
	name->timestamp_size = (size_t)(id - base);
	name->id = number;
	name->hint = (unsigned)value;
}

void tl_xtrace_file_name_parse(const char *path, struct tl_xtrace_file_name *name)
{
	*name = (struct tl_xtrace_file_name){ .timestamp = "" };
	parse_suffix(path, name);
	if (name->kind != TL_XTRACE_FILE_UNKNOWN)
		parse_stem(path, name);
}

static char *existing(const char *path, size_t stem, const char *suffix, const char *compression,
		      bool *no_memory)
{
	char *partner;

	if (asprintf(&partner, "%.*s%s%s", (int)stem, path, suffix, compression) < 0) {
		*no_memory = true;
		return NULL;
	}
	if (access(partner, F_OK) == 0)
		return partner;
	free(partner);
	return NULL;
}

/* In the compression of `path`, or any other. */
static char *existing_in_any(const char *path, const struct tl_xtrace_file_name *name,
			     const char *suffix, bool *no_memory)
{
	char *found = existing(path, name->stem, suffix, name->compression, no_memory);

	for (size_t c = 0; !found && !*no_memory && c < COMPRESSIONS; c++)
		found = existing(path, name->stem, suffix, compressions[c], no_memory);
	return found;
}

char *tl_xtrace_file_name_numbered(const char *path, const struct tl_xtrace_file_name *name,
				   uint32_t number, bool *no_memory)
{
	char suffix[32];

	*no_memory = false;
	if (name->stem > MOST_STEM)
		return NULL;
	snprintf(suffix, sizeof(suffix), "%s.%" PRIu32, suffixes[0].suffix, number);
	return existing_in_any(path, name, suffix, no_memory);
}

char *tl_xtrace_file_name_partner(const char *path, const struct tl_xtrace_file_name *name,
				  bool *no_memory)
{
	const bool stream = name->kind == TL_XTRACE_FILE_STREAM;
	char *found;

	*no_memory = false;
	if (name->kind == TL_XTRACE_FILE_UNKNOWN || name->stem > MOST_STEM)
		return NULL;
	found = existing_in_any(path, name, suffixes[stream].suffix, no_memory);
	if (!found && !*no_memory && !stream)
		found = tl_xtrace_file_name_numbered(path, name, 0, no_memory);
	return found;
}
