/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The intervals of basic-block vectors, for slices of them: found by the same pass that writes the
 * vectors, so that both count the same.
 */
#include "core/error.h"
#include "xtrace/analyze/stream_analysis.h"

int tl_xtrace_each_interval(struct tl_xtrace_trace *trace,
			    const struct tl_xtrace_analysis_options *options, uint64_t warmup,
			    tl_xtrace_interval_fn *fn, void *arg, struct tl_error *err)
{
	struct tl_xtrace_analysis a = {
		.trace = trace,
		.options = *options,
		.intervals.finder = { .fn = fn, .arg = arg, .warmup = warmup },
	};
	int status;

	a.options.analyses = TL_XTRACE_ANALYZE_BBV;
	tl_xtrace_rewind(trace);
	status = tl_xtrace_analysis_begin(&a, err);
	if (status == 0)
		status = tl_xtrace_analysis_run(&a, err);
	tl_xtrace_analysis_end(&a);
	return status;
}
