/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of functions are rewritten before they are compared: two builds may name one function
 * differently.
 */
#include <regex.h>
#include <string.h>

#include "core/error.h"
#include "profile/diff/diff.h"

enum { GROUPS = 10 };

struct text {
	char *bytes;
	size_t size, capacity;
};

static bool append(struct text *to, const char *bytes, size_t size)
{
	if (!tl_grow(&to->bytes, &to->capacity, to->size + size + 1, 1))
		return false;
	memcpy(to->bytes + to->size, bytes, size);
	to->size += size;
	to->bytes[to->size] = '\0';
	return true;
}

static bool append_replacement(struct text *to, const char *from, const regmatch_t *groups,
			       const char *text)
{
	for (; *text; text++) {
		if (text[0] != '\\' || text[1] < '0' || text[1] > '9') {
			if (!append(to, text, 1))
				return false;
			continue;
		}
		const regmatch_t *group = &groups[*++text - '0'];

		if (group->rm_so >= 0 &&
		    !append(to, from + group->rm_so, (size_t)(group->rm_eo - group->rm_so)))
			return false;
	}
	return true;
}

/* Every match in `from` replaced; an empty match moves on by a byte. */
static bool replace(struct text *to, const char *from, const regex_t *regex, const char *text)
{
	regmatch_t groups[GROUPS];
	int flags = 0;

	to->size = 0;
	while (*from && regexec(regex, from, GROUPS, groups, flags) == 0) {
		size_t before = (size_t)groups[0].rm_so, end = (size_t)groups[0].rm_eo;

		if (!append(to, from, before) || !append_replacement(to, from, groups, text))
			return false;
		if (before == end && !append(to, from + end, from[end] != '\0'))
			return false;
		from += end + (before == end && from[end]);
		flags = REG_NOTBOL;
	}
	return append(to, from, strlen(from));
}

static int rename_all(struct tl_diff *diff, const char **names, size_t count,
		      const struct tl_rename *rule, struct tl_error *err)
{
	struct text text = { 0 };
	regex_t regex;
	int bad = regcomp(&regex, rule->pattern, REG_EXTENDED), status = 0;

	if (bad == REG_ESPACE)
		return tl_error_memory(err);
	if (bad)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "not a POSIX extended regular expression");
	for (size_t i = 0; status == 0 && i < count; i++) {
		if (regexec(&regex, names[i], 0, NULL, 0) != 0)
			continue;
		names[i] = replace(&text, names[i], &regex, rule->text)
				   ? tl_names_text(&diff->names, text.bytes)
				   : NULL;
		if (!names[i])
			status = tl_error_memory(err);
	}
	regfree(&regex);
	free(text.bytes);
	return status;
}

int tl_diff_rename(struct tl_diff *diff, int side, const struct tl_diff_options *options,
		   const char ***renamed, struct tl_error *err)
{
	const struct tl_profile *profile = diff->profiles[side];
	size_t count = profile->functions.table.count;
	const char **names = malloc((count + 1) * sizeof(*names));
	int status = tl_error_unless_made(names, err);

	for (size_t i = 0; status == 0 && i < count; i++)
		names[i] = profile->functions.list[i].name;
	for (size_t i = 0; status == 0 && i < options->rename_count; i++)
		status = rename_all(diff, names, count, &options->renames[i], err);
	if (status < 0) {
		free(names);
		names = NULL;
	}
	*renamed = names;
	return status;
}
