/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/format/file_name.h"

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

static void parse_suffix(const char *path, struct tl_xtrace_file_name *name)
{
	size_t size = strlen(path), bare;

	for (size_t c = 0; c < COMPRESSIONS; c++) {
		if (!ends_with(path, size, compressions[c]))
			continue;
		bare = size - strlen(compressions[c]);
		for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
			if (ends_with(path, bare, suffixes[i].suffix)) {
				name->kind = suffixes[i].kind;
				name->stem = bare - strlen(suffixes[i].suffix);
				name->compression = compressions[c];
				return;
			}
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

char *tl_xtrace_file_name_partner(const char *path, const struct tl_xtrace_file_name *name,
				  bool *no_memory)
{
	const char *suffix = suffixes[name->kind == TL_XTRACE_FILE_STREAM].suffix;
	char *found;

	*no_memory = false;
	if (name->kind == TL_XTRACE_FILE_UNKNOWN || name->stem > 4096)
		return NULL;
	found = existing(path, name->stem, suffix, name->compression, no_memory);
	for (size_t c = 0; !found && !*no_memory && c < COMPRESSIONS; c++)
		found = existing(path, name->stem, suffix, compressions[c], no_memory);
	return found;
}
