/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_EXECUTION_H
#define TESTS_UNIT_EXECUTION_H
/*
 * What threads called, drawn as trees: each call knows the one around it, its begin and its end, so
 * that what a profile, a list or a timeline says of it is told without a stack.
 */
#include "chance.h"
#include "foreign/path_sums.h"

enum {
	EXECUTION_FRAMES = 7,
	EXECUTION_PATH = 4 * 9, /* bytes of the longest path */
	EXECUTION_THREADS = 3,
	EXECUTION_DEPTH = 9,
	EXECUTION_CALLS = 15000,
	EXECUTION_MARKS = 24
};

/* Names of functions, by frame; a test may have others. */
#ifndef EXECUTION_NAMES
#define EXECUTION_NAMES "a", "b", "c", "d", "e", "f", "g"
#endif
static const char *const execution_names[EXECUTION_FRAMES] = { EXECUTION_NAMES };

struct execution_call {
	unsigned thread, frame, depth;
	int around; /* the call that made it, -1: none */
	int64_t begin, end;
	bool odd; /* drawn: to write some calls in another way */
};

enum execution_kind { STEP_ENTER, STEP_LEAVE, STEP_MARK };

/* A step of a thread: call `number` begins or ends, or mark `number` is set. */
struct execution_step {
	int64_t ticks;
	enum execution_kind kind;
	unsigned number, thread;
};

struct execution {
	struct execution_call calls[EXECUTION_CALLS];
	/* thread by thread, by time; no two of a thread at one */
	struct execution_step steps[2 * EXECUTION_CALLS + EXECUTION_MARKS];
	unsigned count, step_count, mark_count;
	int64_t least;
	uint64_t base, origin; /* what is added to times; the least of these sums */
};

static inline void execution_add(struct execution *e, unsigned thread, int64_t ticks,
				 enum execution_kind kind, unsigned number)
{
	e->steps[e->step_count].thread = thread;
	e->steps[e->step_count].ticks = ticks;
	e->steps[e->step_count].kind = kind;
	e->steps[e->step_count++].number = number;
}

static inline void execution_draw_thread(struct execution *e, uint32_t *seed, unsigned thread,
					 unsigned count, int64_t now)
{
	unsigned open[EXECUTION_DEPTH], depth = 0, made = 0;

	while (made < count || depth) {
		const unsigned what = chance(seed, 20);

		/* A tick alone between two steps might be a rounded sum. */
		now += 2 + chance(seed, 50);
		if (what == 0 && e->mark_count < EXECUTION_MARKS) {
			execution_add(e, thread, now, STEP_MARK, e->mark_count++);
		} else if (made < count && depth < EXECUTION_DEPTH && (!depth || what < 11)) {
			struct execution_call *call = &e->calls[e->count];

			*call = (struct execution_call){
				.thread = thread,
				.frame = chance(seed, EXECUTION_FRAMES),
				.depth = depth,
				.around = depth ? (int)open[depth - 1] : -1,
				.begin = now,
				.odd = chance(seed, 2),
			};
			open[depth++] = e->count;
			made++;
			execution_add(e, thread, now, STEP_ENTER, e->count++);
		} else if (depth) {
			e->calls[open[--depth]].end = now;
			execution_add(e, thread, now, STEP_LEAVE, open[depth]);
		}
	}
}

/* So many calls of each thread, from about a time on. */
static inline void execution_draw(struct execution *e, uint32_t *seed, unsigned count,
				  int64_t first)
{
	e->count = e->step_count = e->mark_count = 0;
	e->least = INT64_MAX;
	for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++)
		execution_draw_thread(e, seed, thread, count, first + (int64_t)chance(seed, 100));
	for (unsigned i = 0; i < e->step_count; i++)
		if (e->steps[i].ticks < e->least)
			e->least = e->steps[i].ticks;
	e->base = e->least < 0 ? (uint64_t)-e->least : 0;
	e->origin = e->least < 0 ? 0 : (uint64_t)e->least;
}

/* "a;b;c" of a call of frame 2 in one of 1 in one of 0. */
static inline void execution_path(const struct execution *e, int number, char *to)
{
	const struct execution_call *call = &e->calls[number];

	*to = '\0';
	if (call->around >= 0) {
		execution_path(e, call->around, to);
		strcat(to, ";");
	}
	strcat(to, execution_names[call->frame]);
}

/* What each path of a thread costs in [from, to): the time of each call is none of its caller's. */
static inline void execution_selves(struct path_sums *sums, const struct execution *e,
				    unsigned thread, int64_t from, int64_t to)
{
	for (unsigned i = 0; i < e->count; i++) {
		const struct execution_call *call = &e->calls[i];
		const int64_t begin = call->begin < from ? from : call->begin,
			      end = call->end > to ? to : call->end;
		char path[EXECUTION_PATH];

		if (call->thread != thread || begin >= end)
			continue;
		execution_path(e, (int)i, path);
		path_sums_add(sums, path, end - begin);
		if (call->around < 0)
			continue;
		execution_path(e, call->around, path);
		path_sums_add(sums, path, begin - end);
	}
}

/* Whether a call is of no function that is open around it, so that its time is inclusive. */
static inline bool execution_is_outermost(const struct execution *e, unsigned number)
{
	const unsigned frame = e->calls[number].frame;

	for (int at = e->calls[number].around; at >= 0; at = e->calls[at].around)
		if (e->calls[at].frame == frame)
			return false;
	return true;
}

#endif
