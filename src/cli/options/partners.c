/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/partners.h"

#include <stdlib.h>
#include <string.h>

#include <tracelathe/open.h>

/* What both files of a trace have in common: a path before its suffix. */
struct stem {
	const char *path;
	size_t size; /* 0: the path has no such suffix */
};

/* The suffix stands at the end, or before that of a compression. */
static struct stem stem_of(const char *path, const char *suffix)
{
	const size_t size = strlen(suffix);
	struct stem stem = { .path = path };

	for (const char *found = strstr(path, suffix); found; found = strstr(found + 1, suffix))
		if (!found[size] || (found[size] == '.' && !strpbrk(found + size + 1, "./")))
			stem.size = (size_t)(found - path);
	return stem;
}

static int compare_stems(const void *left, const void *right)
{
	const struct stem *a = left, *b = right;

	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return memcmp(a->path, b->path, a->size);
}

static size_t find_stems(struct stem *stems, const char *const *paths, size_t count,
			 const char *suffix)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		stems[found] = stem_of(paths[i], suffix);
		found += stems[found].size != 0;
	}
	if (found)
		qsort(stems, found, sizeof(*stems), compare_stems);
	return found;
}

/* @return how many paths are left */
static size_t drop_those_of(const struct tl_format_info *format, struct stem *stems,
			    const char **paths, size_t count)
{
	const size_t firsts = find_stems(stems, paths, count, format->suffix);
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		const struct stem stem = stem_of(paths[i], format->partner_suffix);

		if (!stem.size || !firsts ||
		    !bsearch(&stem, stems, firsts, sizeof(*stems), compare_stems))
			paths[left++] = paths[i];
	}
	return left;
}

bool settings_drop_partners(struct list *paths, size_t begin)
{
	const char **items = paths->items;
	const struct tl_format_info *format;
	struct stem *stems = malloc((paths->count - begin + 1) * sizeof(*stems));

	for (size_t i = 0; stems && (format = tl_format_info(i)); i++)
		if (format->suffix && format->partner_suffix)
			paths->count = begin + drop_those_of(format, stems, items + begin,
							     paths->count - begin);
	free(stems);
	return stems;
}
