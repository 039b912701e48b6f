/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_PROFILE_MACHINE_H
#define TESTS_UNIT_PROFILE_MACHINE_H
/* A fold driven by a list of steps, the profile it makes, and what is asked of that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include "profile/fold/fold.h"
#include "profile/model/unsized.h"

/*
 * What a step does after its time was set. COST: `what` of the first further event, -2 * `what` of
 * the second.
 */
enum act { IN, OUT, TIME, GAP, OPEN, CLOSE, COST };

struct step {
	enum act act;
	uint32_t what; /* a function, or a cost */
	uint64_t time;
};

/* Zero-filled is a machine of 8 functions and no events beside time. */
struct machine {
	uint32_t functions, extra_events;
	bool keep_latency;
	struct tl_fold fold;
	struct tl_profile *profile;
	uint64_t thread;
};

static inline void machine_begin_part(struct machine *m)
{
	m->thread++;
	assert_true(tl_fold_begin(&m->fold, m->extra_events, false));
	for (uint32_t i = 0; i < m->functions; i++)
		assert_int_equal(tl_fold_add_function(&m->fold), i);
}

static inline void machine_begin(struct machine *m)
{
	static const struct tl_event events[] = { { .name = "Ticks" },
						  { .name = "Bytes" },
						  { .name = "Faults" } };

	if (!m->functions)
		m->functions = 8;
	assert_int_equal(tl_profile_make(&m->profile, "test", events, m->extra_events + 1, 0, NULL),
			 0);
	for (uint32_t i = 0; i < m->functions; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%u", i);
		assert_int_equal(tl_profile_put_function(
					 m->profile, &(struct tl_function){ .name = name }, NULL),
				 i);
	}
	machine_begin_part(m);
}

static inline void machine_step(struct machine *m, struct step step)
{
	const int64_t cost[] = { (int64_t)step.what, -2 * (int64_t)step.what };

	tl_fold_time(&m->fold, step.time);
	switch (step.act) {
	case IN:
		tl_fold_enter(&m->fold, step.what);
		break;
	case OUT:
		tl_fold_leave(&m->fold, step.what);
		break;
	case GAP:
		tl_fold_gap(&m->fold);
		break;
	case OPEN:
	case CLOSE:
		tl_fold_gate(&m->fold, step.act == OPEN);
		break;
	case COST:
		tl_fold_cost(&m->fold, cost);
		break;
	case TIME:
		break;
	}
}

static inline void machine_steps(struct machine *m, const struct step *steps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		machine_step(m, steps[i]);
}

/* Put the fold into the profile as a part. */
static inline void machine_end_part(struct machine *m)
{
	struct tl_part part = { .process = 1, .thread = m->thread };
	uint32_t *functions = malloc(m->functions * sizeof(*functions));

	assert_non_null(functions);
	for (uint32_t i = 0; i < m->functions; i++)
		functions[i] = i;
	tl_fold_end(&m->fold);
	assert_int_equal(
		tl_fold_into(&m->fold, m->profile, &part, functions, m->keep_latency, NULL), 0);
	free(functions);
	tl_fold_free(&m->fold);
}

static inline void machine_next_part(struct machine *m)
{
	machine_end_part(m);
	machine_begin_part(m);
}

static inline void machine_finish(struct machine *m)
{
	machine_end_part(m);
	assert_int_equal(tl_profile_finish(m->profile, NULL), 0);
}

static inline void machine_run(struct machine *m, const struct step *steps, size_t count)
{
	machine_begin(m);
	machine_steps(m, steps, count);
	machine_finish(m);
}

static inline void machine_free(struct machine *m)
{
	tl_profile_free(m->profile);
}

/* ---- what is asked; `function` is the number, event 0 the cost ---- */

static inline void assert_function(const struct machine *m, uint32_t function, uint64_t calls,
				   uint64_t unfinished, int64_t self, int64_t inclusive)
{
	struct tl_function_totals totals;

	tl_profile_totals_of(m->profile, function, TL_NONE, &totals);
	assert_int_equal(totals.calls, calls);
	assert_int_equal(totals.unfinished, unfinished);
	assert_int_equal(*totals.self, self);
	assert_int_equal(*totals.inclusive, inclusive);
}

static inline void assert_cut(const struct machine *m, uint32_t function, uint64_t cut)
{
	struct tl_function_totals totals;

	tl_profile_totals_of(m->profile, function, TL_NONE, &totals);
	assert_int_equal(totals.cut, cut);
}

static inline void assert_context(const struct machine *m, uint32_t number, uint32_t parent,
				  uint32_t function, uint64_t calls, uint64_t unfinished,
				  int64_t self, int64_t inclusive)
{
	const struct tl_context *c = tl_profile_context(m->profile, number);

	assert_int_equal(c->parent, parent);
	assert_int_equal(c->function, function);
	assert_int_equal(c->calls, calls);
	assert_int_equal(c->unfinished, unfinished);
	assert_int_equal(*tl_profile_context_self(m->profile, number), self);
	assert_int_equal(*tl_profile_context_inclusive(m->profile, number), inclusive);
}

static inline void assert_durations(const struct machine *m, uint32_t function, uint64_t calls,
				    uint64_t min, uint64_t max, uint64_t sum, uint64_t median)
{
	struct tl_latency latency;

	assert_true(tl_profile_latency_of(m->profile, function, TL_NONE, &latency));
	assert_int_equal(latency.calls, calls);
	assert_int_equal(latency.min, min);
	assert_int_equal(latency.max, max);
	assert_int_equal(latency.sum, sum);
	assert_int_equal(latency.median, median);
}

static inline void assert_no_durations(const struct machine *m, uint32_t function)
{
	struct tl_latency latency;

	assert_false(tl_profile_latency_of(m->profile, function, TL_NONE, &latency));
}

static inline uint64_t machine_sum(const struct machine *m, uint32_t function)
{
	struct tl_latency latency;

	assert_true(tl_profile_latency_of(m->profile, function, TL_NONE, &latency));
	return latency.sum;
}

static inline void assert_no_losses(const struct machine *m)
{
	static const struct tl_losses none;
	struct tl_losses losses = tl_profile_losses_of(m->profile);

	assert_memory_equal(&losses, &none, sizeof(none));
}

#endif
