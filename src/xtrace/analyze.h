/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_ANALYZE_H
#define TL_XTRACE_ANALYZE_H
/* What architects ask of a trace, in one pass over its streams (docs/analyze.md). */
#include "xtrace/cache.h"
#include "xtrace/reader.h"
#include "xtrace/table.h"

enum {
	XTRACE_FOOTPRINT = 1 << 0,
	XTRACE_REUSE = 1 << 1,
	XTRACE_CACHE = 1 << 2,
	XTRACE_SYSCALLS = 1 << 3,
	XTRACE_BLOCKS = 1 << 4,
	XTRACE_BBV = 1 << 5, /* alone; as text in the form that SimPoint reads */
	XTRACE_MIX = 1 << 6,
};

struct xtrace_wishes {
	unsigned what;
	enum xtrace_form form;
	uint64_t thread;     /* or core, by its id; TL_NOWHERE: all */
	uint64_t interval;   /* BBV: instructions; 0: from snapshot to snapshot */
	uint64_t line, page; /* bytes, powers of two; 0: 64, 4096. Of footprint and reuse */
	unsigned jobs;
	uint32_t top; /* rows of long tables, 0: all */
	const struct xtrace_cache_config *caches;
	struct tl_binary *const *binaries; /* names of functions */
	size_t binary_count;
};

int tl_xtrace_analyze(struct tl_xtrace *trace, const struct xtrace_wishes *wishes,
		      struct tl_output *out, struct tl_error *err);

#endif
