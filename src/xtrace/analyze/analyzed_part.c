/* SPDX-License-Identifier: Apache-2.0 */
/* The part of each stream that an analysis is of. */
#include "core/arithmetic.h"
#include "core/error.h"
#include "xtrace/analyze/stream_analysis.h"

enum { ALL_LEVELS = 15 };

int tl_xtrace_part_begin(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	const struct tl_xtrace_part *part = &a->options.part;
	uint64_t warmup = a->options.warmup;
	int status = 0;

	a->levels = part->levels ? part->levels : ALL_LEVELS;
	for (size_t i = 0; status == 0 && i < a->stream_count; i++) {
		struct tl_xtrace_stream_analysis *s = &a->streams[i];

		status = tl_xtrace_part_range(a->trace, s->stream, part, &s->first, &s->end, err);
		s->warm = tl_excess(s->first, warmup);
	}
	/* The pass itself meets the same damage. */
	tl_xtrace_rewind(a->trace);
	if (status == 0 && tl_xtrace_part_chosen(part) &&
	    a->options.analyses & TL_XTRACE_ANALYZE_BBV)
		status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				     "basic-block vectors are of all that a thread executed");
	return status;
}
