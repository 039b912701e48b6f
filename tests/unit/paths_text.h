/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_PATHS_TEXT_H
#define TESTS_UNIT_PATHS_TEXT_H
/* The contexts of a profile as text, in an order that does not depend on how it was built. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/profile.h>

#include "unit.h"

static inline int paths_compare(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/*
 * Contexts as lines "PART outer;inner CALLS SELF...", sorted; those without calls and costs are
 * left out unless `all`. For free().
 */
static inline char *paths_text(const struct tl_profile *profile, bool all)
{
	const uint32_t count = tl_profile_context_count(profile);
	char **paths = calloc(count + 1, sizeof(*paths)),
	     **lines = calloc(count + 1, sizeof(*lines));
	char *text = strdup(""), *more;
	size_t kept = 0;

	assert_true(paths && lines && text);
	for (uint32_t i = 0; i < count; i++) {
		const struct tl_context *c = tl_profile_context(profile, i);
		const int64_t *self = tl_profile_context_self(profile, i);
		bool any = all || c->calls;

		assert_true(asprintf(&paths[i], "%s%s%s",
				     c->parent == TL_NONE ? "" : paths[c->parent],
				     c->parent == TL_NONE ? "" : ";",
				     tl_profile_function(profile, c->function)->name) >= 0);
		assert_true(asprintf(&more, "%u %s %llu", (unsigned)c->part, paths[i],
				     (unsigned long long)c->calls) >= 0);
		for (uint32_t e = 0; e < tl_profile_event_count(profile); e++) {
			char *longer;

			any = any || self[e];
			assert_true(asprintf(&longer, "%s %lld", more, (long long)self[e]) >= 0);
			free(more);
			more = longer;
		}
		lines[kept++] = more;
		if (!any)
			free(lines[--kept]);
	}
	qsort(lines, kept, sizeof(*lines), paths_compare);
	for (size_t i = 0; i < kept; i++) {
		assert_true(asprintf(&more, "%s%s\n", text, lines[i]) >= 0);
		free(text);
		free(lines[i]);
		text = more;
	}
	for (uint32_t i = 0; i < count; i++)
		free(paths[i]);
	free(paths);
	free(lines);
	return text;
}

static inline void assert_paths(const struct tl_profile *profile, const char *wanted)
{
	char *text = paths_text(profile, true);

	assert_string_equal(text, wanted);
	free(text);
}

#endif
