/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_XTRACE_CACHES_H
#define TESTS_UNIT_XTRACE_CACHES_H
/* Caches from their description, and accesses to them one by one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include "xtrace/caches/cache.h"

static inline int parse(struct tl_xtrace_cache_config *config, const char *text,
			struct tl_error *err)
{
	*err = (struct tl_error){ .offset = TL_NOWHERE, .record = TL_NOWHERE };
	return tl_xtrace_cache_parse(config, text, strlen(text), err);
}

struct simulation {
	struct tl_xtrace_cache_config config;
	struct tl_xtrace_caches caches;
};

static inline struct simulation *begin(const char *text, size_t cores)
{
	struct simulation *s = calloc(1, sizeof(*s));
	struct tl_error err;

	assert_non_null(s);
	assert_int_equal(parse(&s->config, text, &err), 0);
	assert_int_equal(tl_xtrace_caches_begin(&s->caches, &s->config, cores, &err), 0);
	return s;
}

static inline void end(struct simulation *s)
{
	tl_xtrace_caches_end(&s->caches);
	free(s);
}

static inline void load(struct simulation *s, size_t core, uint64_t address)
{
	tl_xtrace_cache_access(&s->caches.cores[core], address, 1, TL_XTRACE_USE_LOAD, NULL);
}

static inline void assert_counts(const struct simulation *s, size_t core, unsigned level,
				 unsigned accesses, unsigned misses)
{
	const struct tl_xtrace_cache_count *count = &s->caches.cores[core].counts[level];

	assert_int_equal(count->accesses[TL_XTRACE_USE_LOAD], accesses);
	assert_int_equal(count->misses[TL_XTRACE_USE_LOAD], misses);
}

#endif
