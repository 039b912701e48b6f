/* SPDX-License-Identifier: Apache-2.0 */
/* Where an interval of basic-block vectors begins and ends, and the snapshots around it. */
#include "core/arithmetic.h"
#include "core/memory.h"
#include "xtrace/analyze/stream_analysis.h"

bool tl_xtrace_interval_stream(struct tl_xtrace_analysis *a,
			       const struct tl_xtrace_stream_analysis *s)
{
	a->intervals.finder.first = 0;
	a->intervals.finder.passed_count = 0;
	return tl_xtrace_interval_segment(a, s);
}

bool tl_xtrace_interval_segment(struct tl_xtrace_analysis *a,
				const struct tl_xtrace_stream_analysis *s)
{
	struct tl_xtrace_interval_finder *f = &a->intervals.finder;
	uint32_t snapshot = s->stream->segments[s->segment].snapshot;

	if (!f->fn || snapshot == TL_NONE)
		return true;
	if (!tl_grow(&f->passed, &f->passed_room, f->passed_count + 1, sizeof(*f->passed)))
		return false;
	f->passed[f->passed_count++] = (struct tl_xtrace_passed){ s->instructions, snapshot };
	return true;
}

/* The last snapshot at or before an instruction; NULL: there is none. */
static const struct tl_xtrace_passed *last_before(const struct tl_xtrace_interval_finder *f,
						  uint64_t instruction)
{
	size_t low = 0, high = f->passed_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->passed[middle].instruction <= instruction)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &f->passed[low - 1] : NULL;
}

void tl_xtrace_interval_end(struct tl_xtrace_analysis *a, const struct tl_xtrace_stream_analysis *s,
			    bool any)
{
	struct tl_xtrace_interval_finder *f = &a->intervals.finder;
	uint64_t wanted = tl_excess(f->first, f->warmup);
	const struct tl_xtrace_passed *begin = last_before(f, wanted),
				      *end = last_before(f, s->instructions);
	const struct tl_xtrace_interval interval = {
		.number = a->intervals.count,
		.thread = s->stream->info.id,
		.hint = s->stream->info.hint,
		.first = f->first,
		.end = s->instructions,
		.begin = begin ? begin->instruction : wanted,
		.snapshot = begin ? begin->snapshot : TL_NONE,
		.end_snapshot =
			end && end->instruction == s->instructions ? end->snapshot : TL_NONE,
	};

	f->first = s->instructions;
	if (any)
		f->fn(f->arg, &interval);
}
