/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_INTEL_PT_WALKED_CALLS_H
#define TESTS_UNIT_INTEL_PT_WALKED_CALLS_H
/*
 * The calls of an execution that is known (walked.h), as a tree: each call knows the one around it
 * and between which instructions it ran, so that what a list, a timeline or a profile says of it is
 * told without a stack.
 */
#include "walked.h"

struct walked_call {
	unsigned function, depth;
	int around;          /* the call that made it, -1: none */
	uint64_t begin, end; /* of the clock; `end` TL_NOWHERE: it does not end */
	size_t first, last;  /* instructions executed before its begin, and before its end */
	uint16_t site;       /* of the instruction that made it; 0: none did */
};

struct walked_calls {
	struct walked_call list[MOST_STEPS];
	size_t count;
	/* begins and ends in their order */
	struct {
		int call;
		bool end;
	} changes[2 * MOST_STEPS];
	size_t change_count;
	int of_step[MOST_STEPS];     /* the innermost call that an instruction is of */
	int of_wait[MOST_STEPS + 1]; /* the one that waits where so many were executed; -1: none */
	const struct walked *walk;
};

/* The clock where so many instructions were executed: without time it is their number. */
static inline uint64_t walked_clock(const struct walked *w, size_t step)
{
	return w->times ? w->time[step] : step;
}

/* The same where execution goes on from there. */
static inline uint64_t walked_resumed(const struct walked *w, size_t step)
{
	return w->times ? w->resumed[step] : step;
}

static inline int walked_calls_add(struct walked_calls *calls, int around, unsigned function,
				   uint64_t begin, size_t first, uint16_t site)
{
	assert_true(calls->count < MOST_STEPS);
	calls->changes[calls->change_count].call = (int)calls->count;
	calls->changes[calls->change_count++].end = false;
	calls->list[calls->count] = (struct walked_call){
		.function = function,
		.depth = around < 0 ? 0 : calls->list[around].depth + 1,
		.around = around,
		.begin = begin,
		.end = TL_NOWHERE,
		.first = first,
		.last = calls->walk->count,
		.site = site,
	};
	return (int)calls->count++;
}

/*
 * A call and an interrupt begin one, a return ends it: what the program does, step by step. A PSB
 * is on the way to where an instruction leads, an interrupt is there.
 */
static inline void walked_calls_of(struct walked_calls *calls, const struct walked *w)
{
	int now;

	calls->count = calls->change_count = 0;
	calls->walk = w;
	now = walked_calls_add(calls, -1, 0, walked_clock(w, 0), 0, 0);
	calls->of_wait[0] = -1;
	for (size_t i = 0; i < w->count; i++) {
		const uint8_t kind = walked_insn(w->steps[i])->kind;
		const bool waits = w->times && w->resumed[i + 1] != w->time[i + 1];
		const uint64_t clock = waits && w->waits_at_psb[i + 1] ? w->resumed[i + 1]
								       : walked_clock(w, i + 1);

		calls->of_step[i] = now;
		calls->of_wait[i + 1] = waits ? now : -1;
		if (w->how[i] == STEP_END)
			break;
		if (kind == CALL || kind == CALL_ANY)
			now = walked_calls_add(calls, now, walked_function(w->to[i]), clock, i + 1,
					       w->steps[i]);
		if ((kind == RET || kind == IRET) && calls->list[now].around >= 0) {
			calls->list[now].end = clock;
			calls->list[now].last = i + 1;
			calls->changes[calls->change_count].call = now;
			calls->changes[calls->change_count++].end = true;
			now = calls->list[now].around;
		}
		if (waits && !w->waits_at_psb[i + 1])
			calls->of_wait[i + 1] = now;
		if (w->interrupt[i])
			now = walked_calls_add(calls, now, walked_function(HANDLER_AT),
					       walked_resumed(w, i + 1), i + 1, 0);
	}
}

/* The time of each instruction and of each wait, and the call that it is of. */
typedef void walked_time_fn(void *arg, int call, uint64_t from, uint64_t to);

static inline void walked_each_time(const struct walked_calls *calls, walked_time_fn *take,
				    void *arg)
{
	const struct walked *w = calls->walk;

	for (size_t i = 0; i < w->count; i++) {
		take(arg, calls->of_step[i], walked_resumed(w, i), walked_clock(w, i + 1));
		if (calls->of_wait[i + 1] >= 0)
			take(arg, calls->of_wait[i + 1], w->time[i + 1], w->resumed[i + 1]);
	}
}

/* Calls of a function from an address: of those open at a time the outermost one counts. */
struct walked_arc {
	uint16_t site;
	unsigned caller, callee;
	uint64_t calls;
	int64_t ticks, insns, cycles;
};

static inline bool walked_is_of_arc(const struct walked_calls *calls, const struct walked_arc *arc,
				    const struct walked_call *call)
{
	return call->around >= 0 && call->site == arc->site && call->function == arc->callee &&
	       calls->list[call->around].function == arc->caller;
}

static inline bool walked_is_within(const struct walked_calls *calls, const struct walked_arc *arc,
				    const struct walked_call *call)
{
	for (int at = call->around; at >= 0; at = calls->list[at].around)
		if (walked_is_of_arc(calls, arc, &calls->list[at]))
			return true;
	return false;
}

/* What the calls of an arc come to. */
static inline void walked_arc_of(const struct walked_calls *calls, struct walked_arc *arc)
{
	const struct walked *w = calls->walk;

	for (size_t i = 0; i < calls->count; i++) {
		const struct walked_call *call = &calls->list[i];
		const uint64_t end =
			call->end == TL_NOWHERE ? walked_clock(w, w->count) : call->end;

		if (!walked_is_of_arc(calls, arc, call))
			continue;
		arc->calls++;
		if (walked_is_within(calls, arc, call))
			continue;
		arc->ticks += (int64_t)(end - call->begin);
		arc->insns += (int64_t)(call->last - call->first);
		arc->cycles += (int64_t)(w->cycle[call->last] - w->cycle[call->first]);
	}
}

/* "main;a;b" of a call of b in one of a in one of main. */
static inline void walked_path(const struct walked_calls *calls, int number, char *to)
{
	const struct walked_call *call = &calls->list[number];

	*to = '\0';
	if (call->around >= 0) {
		walked_path(calls, call->around, to);
		strcat(to, ";");
	}
	strcat(to, walked_functions[call->function].name);
}

enum { WALKED_PATH = 8 * (MOST_DEPTH + 4) };

#endif
