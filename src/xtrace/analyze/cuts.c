/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/analyze/cuts.h"

#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "xtrace/format/walk.h"

/* A stream, up to its next instruction that has a TIME of its own. */
struct scout {
	struct tl_xtrace_walk walk;
	size_t segment;
	uint64_t instructions, counted; /* that began */
	bool counts;                    /* the last one of them does */
	bool over;
	uint64_t time;                 /* of the one that has it */
	uint64_t first, first_counted; /* instructions before it */
};

static void advance(struct scout *s)
{
	const uint64_t before = s->instructions;
	enum tl_xtrace_kind kind;

	while ((kind = tl_xtrace_walk_on(&s->walk, &s->segment)) != TL_XTRACE_NONE) {
		if (tl_xtrace_is_instruction(kind)) {
			s->counts =
				s->walk.stream->info.division == 1 || !tl_xtrace_walk_el(&s->walk);
			s->instructions++;
			s->counted += s->counts;
		} else if (kind == TL_XTRACE_TIME && s->instructions > before) {
			s->time = tl_xtrace_walk_time(&s->walk);
			s->first = s->instructions - 1;
			s->first_counted = s->counted - s->counts;
			return;
		}
	}
	s->over = true;
	s->first = s->instructions;
	s->first_counted = s->counted;
}

static struct scout *earliest(struct scout *scouts, size_t count)
{
	struct scout *best = NULL;

	for (size_t i = 0; i < count; i++)
		if (!scouts[i].over && (!best || scouts[i].time < best->time))
			best = &scouts[i];
	return best;
}

/* The instructions that are behind the last access so far are the next interval's first ones. */
static bool cut(struct tl_xtrace_cuts *cuts, const struct scout *scouts)
{
	size_t at = cuts->count * cuts->streams;

	if (!tl_grow(&cuts->at, &cuts->room, at + cuts->streams, sizeof(*cuts->at)))
		return false;
	for (size_t i = 0; i < cuts->streams; i++)
		cuts->at[at + i] = scouts[i].first;
	cuts->count++;
	return true;
}

static int find(struct tl_xtrace_cuts *cuts, struct scout *scouts, uint64_t interval,
		struct tl_error *err)
{
	uint64_t done = 0, end = interval;
	struct scout *s;

	for (size_t i = 0; i < cuts->streams; i++) {
		advance(&scouts[i]);
		if (scouts[i].over && scouts[i].instructions)
			return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
					   "a stream has no TIME, by which intervals of all "
					   "together could be found");
		done += scouts[i].first_counted;
	}
	while ((s = earliest(scouts, cuts->streams))) {
		done -= s->first_counted;
		advance(s);
		done += s->first_counted;
		if (done < end || !earliest(scouts, cuts->streams))
			continue;
		if (!cut(cuts, scouts))
			return tl_error_memory(err);
		end += (done - end) / interval * interval + interval;
	}
	return 0;
}

int tl_xtrace_cuts_find(struct tl_xtrace_cuts *cuts, struct tl_xtrace_trace *trace,
			const struct tl_xtrace_stream *const *streams, size_t count,
			uint64_t interval, struct tl_error *err)
{
	struct scout *scouts = tl_zeroed(count, sizeof(*scouts));
	int status;

	if (!scouts)
		return tl_error_memory(err);
	cuts->streams = count;
	for (size_t i = 0; i < count; i++)
		tl_xtrace_walk_begin(&scouts[i].walk, trace, streams[i], &streams[i]->segments[0]);
	status = find(cuts, scouts, interval, err);
	free(scouts);
	return status;
}

void tl_xtrace_cuts_free(struct tl_xtrace_cuts *cuts)
{
	free(cuts->at);
	*cuts = (struct tl_xtrace_cuts){ .at = NULL };
}
