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

/* What follows a suffix: a compression, the number of a file, or a number and a compression. */
static bool is_last_part(const char *text)
{
	const char *part = text + strspn(text, "0123456789");

	if (part > text && *part == '.')
		text = part + 1;
	return !strpbrk(text, "./");
}

/* The suffix stands at the end, or before that of a compression. */
static struct stem stem_of(const char *path, const char *suffix)
{
	const size_t size = strlen(suffix);
	struct stem stem = { .path = path };

	for (const char *found = strstr(path, suffix); found; found = strstr(found + 1, suffix))
		if (!found[size] || (found[size] == '.' && is_last_part(found + size + 1)))
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

/*
 * The number of a file of a first one's that stands in several, NAME.SUFFIX.0, NAME.SUFFIX.1 and so
 * on; 0: the first, or none.
 */
static unsigned long number_of(const char *path, const struct stem *stem, const char *suffix)
{
	const char *behind = path + stem->size + strlen(suffix);
	char *end;
	unsigned long number;

	if (!stem->size || behind[0] != '.' || behind[1] < '1' || behind[1] > '9')
		return 0;
	number = strtoul(behind + 1, &end, 10);
	return *end && *end != '.' ? 0 : number;
}

/* Whether a numbered file has one of a lower number in the list, with which it is read. */
static bool follows(const struct tl_format_info *format, const char *const *paths, size_t count,
		    size_t which)
{
	const struct stem stem = stem_of(paths[which], format->suffix);
	const unsigned long number = number_of(paths[which], &stem, format->suffix);

	for (size_t i = 0; number && i < count; i++) {
		const struct stem other = stem_of(paths[i], format->suffix);

		if (other.size == stem.size && !compare_stems(&other, &stem) &&
		    number_of(paths[i], &other, format->suffix) < number)
			return true;
	}
	return false;
}

/* Numbered files are dropped but for the first. @return how many paths are left */
static size_t drop_following(const struct tl_format_info *format, const char **paths, size_t count)
{
	size_t left = count;

	for (size_t i = count; i--;)
		if (follows(format, paths, left, i)) {
			memmove(paths + i, paths + i + 1, (left - i - 1) * sizeof(*paths));
			left--;
		}
	return left;
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
	return drop_following(format, paths, left);
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
