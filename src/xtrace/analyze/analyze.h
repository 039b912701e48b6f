/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_ANALYZE_H
#define TL_XTRACE_ANALYZE_H
/* The analyses of instructions and accesses, in one pass over the streams (docs/analyze.md). */
#include "xtrace/caches/cache.h"
#include "xtrace/parts/stream_part.h"
#include "xtrace/format/walk.h"
#include "xtrace/analyze/table.h"
#include "xtrace/predict/predictor.h"

enum {
	TL_XTRACE_ANALYZE_FOOTPRINT = 1 << 0,
	TL_XTRACE_ANALYZE_REUSE = 1 << 1,
	TL_XTRACE_ANALYZE_CACHE = 1 << 2,
	TL_XTRACE_ANALYZE_SYSCALLS = 1 << 3,
	TL_XTRACE_ANALYZE_BLOCKS = 1 << 4,
	TL_XTRACE_ANALYZE_BBV = 1 << 5, /* alone; as text in the form that SimPoint reads */
	TL_XTRACE_ANALYZE_MIX = 1 << 6,
	TL_XTRACE_ANALYZE_BRANCHES = 1 << 7,
	TL_XTRACE_ANALYZE_SHARING = 1 << 8,
	TL_XTRACE_ANALYZE_DEPENDENCES = 1 << 9,
};

struct tl_xtrace_analysis_options {
	unsigned analyses; /* of the above, as bits */
	enum tl_xtrace_table_form form;
	uint64_t thread; /* or core, by its id; TL_NOWHERE: all */
	/* BBV: instructions of a vector; 0: from snapshot to snapshot. Others: a row for so many */
	uint64_t interval;
	bool together;       /* intervals are of all streams, by their common time */
	uint64_t line, page; /* bytes, powers of two; 0: 64, 4096 or `line`. Of footprint, reuse */
	unsigned jobs;
	uint32_t top; /* rows of long tables, 0: all */
	struct tl_xtrace_part part;
	/* instructions before it that fill caches and teach predictors, but do not count */
	uint64_t warmup;
	uint32_t width; /* of the terminal, for text; 0: lines are not cut */
	const struct tl_xtrace_cache_config *caches;
	const struct tl_xtrace_predictor_config *predictors;
	struct tl_binary *const *binaries; /* names of functions */
	size_t binary_count;
};

/*
 * An interval of basic-block vectors, in which instructions have numbers from 0 in their stream. A
 * slice of it begins where the registers are known.
 */
struct tl_xtrace_interval {
	uint64_t number;     /* its vector's, from 0, among those of all streams */
	uint64_t thread;     /* or core: the id of its stream */
	unsigned hint;       /* of the stream's name, 0: none */
	uint64_t first, end; /* the instructions: the first one, and the one behind the last */
	/* of the slice: the last snapshot that is as much before `first` as was asked for */
	uint64_t begin;
	uint32_t snapshot;     /* that one; TL_NONE: there is none so early, and `begin` has none */
	uint32_t end_snapshot; /* that is right at `end`; TL_NONE: none is */
};

typedef void tl_xtrace_interval_fn(void *arg, const struct tl_xtrace_interval *interval);

/*
 * Find the intervals of `options` (thread, interval), `warmup` instructions before each of which
 * belong to its slice. One call for each vector that an analysis of BBV writes, in their order; of
 * all streams together one for each that executed something in it, stream by stream.
 */
int tl_xtrace_each_interval(struct tl_xtrace_trace *trace,
			    const struct tl_xtrace_analysis_options *options, uint64_t warmup,
			    tl_xtrace_interval_fn *fn, void *arg, struct tl_error *err);

int tl_xtrace_analyze(struct tl_xtrace_trace *trace,
		      const struct tl_xtrace_analysis_options *options, struct tl_output *out,
		      struct tl_error *err);

#endif
