/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_ANALYZE_H
#define TL_XTRACE_ANALYZE_H
/* The analyses of instructions and accesses, in one pass over the streams (docs/analyze.md). */
#include "xtrace/analyze/cache.h"
#include "xtrace/format/walk.h"
#include "xtrace/analyze/table.h"

enum {
	TL_XTRACE_ANALYZE_FOOTPRINT = 1 << 0,
	TL_XTRACE_ANALYZE_REUSE = 1 << 1,
	TL_XTRACE_ANALYZE_CACHE = 1 << 2,
	TL_XTRACE_ANALYZE_SYSCALLS = 1 << 3,
	TL_XTRACE_ANALYZE_BLOCKS = 1 << 4,
	TL_XTRACE_ANALYZE_BBV = 1 << 5, /* alone; as text in the form that SimPoint reads */
	TL_XTRACE_ANALYZE_MIX = 1 << 6,
};

struct tl_xtrace_analysis_options {
	unsigned analyses; /* of the above, as bits */
	enum tl_xtrace_table_form form;
	uint64_t thread;     /* or core, by its id; TL_NOWHERE: all */
	uint64_t interval;   /* BBV: instructions; 0: from snapshot to snapshot */
	uint64_t line, page; /* bytes, powers of two; 0: 64, 4096. Of footprint and reuse */
	unsigned jobs;
	uint32_t top; /* rows of long tables, 0: all */
	const struct tl_xtrace_cache_config *caches;
	struct tl_binary *const *binaries; /* names of functions */
	size_t binary_count;
};

int tl_xtrace_analyze(struct tl_xtrace_trace *trace,
		      const struct tl_xtrace_analysis_options *options, struct tl_output *out,
		      struct tl_error *err);

#endif
