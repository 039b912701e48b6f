/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_INTEL_PT_WALKED_THREADS_H
#define TESTS_UNIT_INTEL_PT_WALKED_THREADS_H
/* Executions of several threads and kinds, of which each test makes a trace (walked.h). */
#include "walked.h"

static struct walked walks[4];

/* Of each kind of trace; two of them with interrupts. */
static const struct {
	size_t steps;
	unsigned psbs, interrupts;
} shapes[] = { { 5000, 0, 0 }, { 5000, 40, 0 }, { 3000, 0, 30 }, { 5000, 60, 50 }, { 3, 2, 0 } };

/*
 * Threads of streams of their own, and threads 4 and 5, which take turns in one stream: tracing
 * ends where one of them leaves the processor and begins where the other one goes on.
 */
enum { OWN = 3, TURNS = 6 };

static struct walked turns[2];
static struct walked shared;

static inline void add_threads(struct walked_feed *feed, unsigned psbs)
{
	size_t ends[TURNS];

	for (uint32_t i = 0; i < OWN; i++) {
		walk(&walks[i], 50 + i, 300 + 200 * i, psbs, 0);
		add_walked(feed, &walks[i], i, 0, walks[i].size);
	}
	memset(&shared, 0, sizeof(shared));
	memset(turns, 0, sizeof(turns));
	shared.seed = 77;
	for (unsigned turn = 0; turn < TURNS; turn++) {
		struct walked *own = &turns[turn % 2];
		const size_t first = shared.count;

		if (turn)
			WALKED_PUT(&shared, PGE(WALKED_AT));
		else
			walked_psb(&shared, WALKED_AT);
		shared.depth = shared.known = 0;
		walk_on(&shared, WALKED_AT, 200, 0, 0);
		ends[turn] = shared.size;
		for (size_t i = first; i < shared.count; i++) {
			own->steps[own->count] = shared.steps[i];
			own->to[own->count] = shared.to[i];
			own->how[own->count++] = shared.how[i];
		}
	}
	for (unsigned turn = 0; turn < TURNS; turn++)
		add_walked(feed, &shared, OWN, turn ? ends[turn - 1] : 0, ends[turn])->thread =
			OWN + 1 + turn % 2;
}

static inline const struct walked *steps_of_thread(uint64_t thread)
{
	return thread <= OWN ? &walks[thread - 1] : &turns[thread - OWN - 1];
}

#endif
