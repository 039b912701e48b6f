/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_FOREIGN_PATH_SUMS_H
#define TESTS_UNIT_FOREIGN_PATH_SUMS_H
/*
 * Costs of call paths as texts: those that a test has counted, and those of a profile, which are
 * walked from its contexts without an exporter. A cost of zero is none.
 */
#include <inttypes.h>

#include "text.h"

struct path_sum {
	char *path;
	int64_t cost;
};

struct path_sums {
	struct path_sum *list;
	size_t count;
};

static inline void path_sums_add_sized(struct path_sums *sums, const char *path, size_t size,
				       int64_t cost)
{
	size_t i = 0;

	while (i < sums->count &&
	       (strlen(sums->list[i].path) != size || memcmp(sums->list[i].path, path, size)))
		i++;
	if (!cost)
		return;
	if (i == sums->count) {
		sums->list = realloc(sums->list, ++sums->count * sizeof(*sums->list));
		assert_non_null(sums->list);
		sums->list[i] = (struct path_sum){ strndup(path, size), 0 };
		assert_non_null(sums->list[i].path);
	}
	sums->list[i].cost += cost;
}

static inline void path_sums_add(struct path_sums *sums, const char *path, int64_t cost)
{
	path_sums_add_sized(sums, path, strlen(path), cost);
}

static inline void path_sums_free(struct path_sums *sums)
{
	for (size_t i = 0; i < sums->count; i++)
		free(sums->list[i].path);
	free(sums->list);
	*sums = (struct path_sums){ NULL, 0 };
}

/* The contexts of a part; TL_NONE: of all. */
static inline void path_sums_of_profile(struct path_sums *sums, const struct tl_profile *profile,
					uint32_t part, uint32_t event)
{
	const uint32_t count = tl_profile_context_count(profile);
	char **paths = calloc(count + 1, sizeof(*paths));

	assert_non_null(paths);
	for (uint32_t i = 0; i < count; i++) {
		const struct tl_context *context = tl_profile_context(profile, i);
		const char *name = tl_profile_function(profile, context->function)->name;
		const char *outer = context->parent == TL_NONE ? "" : paths[context->parent];

		assert_true(context->parent == TL_NONE || context->parent < i);
		assert_true(asprintf(&paths[i], "%s%s%s", outer,
				     context->parent == TL_NONE ? "" : ";", name) >= 0);
		if (part == TL_NONE || context->part == part)
			path_sums_add(sums, paths[i], tl_profile_context_self(profile, i)[event]);
	}
	for (uint32_t i = 0; i < count; i++)
		free(paths[i]);
	free(paths);
}

static inline int64_t path_sums_find(const struct path_sums *sums, const char *path)
{
	for (size_t i = 0; i < sums->count; i++)
		if (!strcmp(sums->list[i].path, path))
			return sums->list[i].cost;
	return 0;
}

/* Both are the same; `about` says what was read. */
static inline void path_sums_expect(const struct path_sums *have, const struct path_sums *wanted,
				    const char *about)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const int64_t cost = path_sums_find(have, wanted->list[i].path);

		if (cost != wanted->list[i].cost)
			fail_msg("%s costs %" PRIi64 " and not %" PRIi64 " in: %s",
				 wanted->list[i].path, cost, wanted->list[i].cost, about);
	}
	for (size_t i = 0; i < have->count; i++)
		if (!path_sums_find(wanted, have->list[i].path))
			fail_msg("%s costs %" PRIi64 " and is nothing of: %s", have->list[i].path,
				 have->list[i].cost, about);
}

/* A part of a profile costs what was counted. */
static inline void path_sums_expect_profile(const struct path_sums *wanted,
					    const struct tl_profile *profile, uint32_t part,
					    uint32_t event, const char *about)
{
	struct path_sums have = { NULL, 0 };

	path_sums_of_profile(&have, profile, part, event);
	path_sums_expect(&have, wanted, about);
	path_sums_free(&have);
}

#endif
