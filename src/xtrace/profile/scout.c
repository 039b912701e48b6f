/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of functions that are found before the pass that needs them: what is called at the
 * beginning of some segments. The pass finds the same and all others; but the later it finds one,
 * the more of it is done in vain (entries.h).
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/pool.h"
#include "xtrace/profile/fold.h"

/* Of a segment a part is looked at, so much at most; and so many segments of a stream. */
enum { PART = 256, MOST_BYTES = 256 << 10, MOST_SEGMENTS = 64 };

/* Tokens of fixed sizes up to `limit`. False: without memory. */
static bool scout(struct tl_xtrace_fold *fold, struct tl_a64_cache *cache, struct tl_xtrace_walk *w,
		  const uint8_t *limit)
{
	struct tl_xtrace_prev_insn last = { .valid = false };
	enum tl_xtrace_kind kind;

	while (w->next < limit && w->tokens->size[*w->next] &&
	       (kind = tl_xtrace_walk_next(w)) != TL_XTRACE_NONE) {
		struct tl_xtrace_location next = { .el = (uint8_t)tl_xtrace_walk_el(w) };
		const struct tl_a64 *known;
		uint64_t entries[2];
		size_t count = 0;

		if (kind == TL_XTRACE_TARGET_B) {
			last.target = tl_xtrace_walk_value(w);
			last.has_target = true;
		}
		if (!tl_xtrace_is_instruction(kind))
			continue;
		known = tl_a64_look(cache, tl_xtrace_walk_instruction(w, kind));
		next.pc = w->pc;
		if (last.valid)
			count = tl_xtrace_entries_between(&last, &next, entries);
		for (size_t i = 0; i < count; i++)
			if (!tl_xtrace_function_map_learn(&fold->functions, entries[i]))
				return false;
		last = (struct tl_xtrace_prev_insn){
			.pc = w->pc,
			.target = w->pc + (uint64_t)(int64_t)known->offset,
			.flow = known->flow,
			.el = next.el,
			.has_target = known->target,
			.valid = w->pc_known && (known->flow == TL_A64_CALL ||
						 known->flow == TL_A64_CALL_REGISTER),
		};
	}
	return true;
}

/* Segments that several threads look at, each with what it knows of opcodes. */
struct scouting {
	struct tl_xtrace_fold *fold;
	const struct tl_xtrace_stream *stream;
	atomic_size_t next; /* segment that none has yet */
	size_t step;
};

static int scout_segments(void *arg, size_t number)
{
	struct scouting *s = arg;
	const struct tl_xtrace_stream *stream = s->stream;
	struct tl_a64_cache *cache = malloc(sizeof(*cache));
	bool good = cache;
	size_t i;

	(void)number;
	if (cache)
		tl_a64_cache_begin(cache);
	while (good && (i = atomic_fetch_add(&s->next, s->step)) < stream->segment_count) {
		const struct tl_xtrace_segment *segment = &stream->segments[i];
		uint64_t bytes = tl_min((segment->end - segment->begin) / PART, MOST_BYTES);
		struct tl_xtrace_walk w;

		if (!bytes)
			continue;
		tl_xtrace_walk_begin(&w, s->fold->trace, stream, segment);
		good = scout(s->fold, cache, &w, w.begin + bytes);
		tl_source_release(stream->source, segment->begin, bytes);
	}
	free(cache);
	return good ? 0 : TL_NO_MEMORY;
}

bool tl_xtrace_fold_scout(struct tl_xtrace_fold *fold, const struct tl_xtrace_stream *stream)
{
	struct scouting s = {
		.fold = fold,
		.stream = stream,
		.step = (stream->segment_count - 1) / MOST_SEGMENTS + 1,
	};
	size_t jobs = tl_min(tl_max(fold->options.jobs, 1), stream->segment_count);

	return tl_pool_run((unsigned)jobs, jobs, scout_segments, &s) == 0;
}
