/* SPDX-License-Identifier: Apache-2.0 */
#include "xray_shapes.h"

enum { LEAF0 = 1, LEAF1, LEAF2, MID0, MID1, RECURSE, VISIT1, VISIT2, STEP, PHASE, WORKER };

static unsigned random_below(struct thread *thread, unsigned end)
{
	thread->seed = thread->seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((thread->seed >> 32) * end >> 32);
}

static void leaf(struct thread *thread, unsigned id)
{
	xray_enter(thread, id);
	xray_leave(thread, id);
}

static void mid1(struct thread *thread)
{
	xray_enter(thread, MID1);
	for (int i = 0; i < 3; i++)
		leaf(thread, LEAF2);
	xray_enter(thread, MID0);
	leaf(thread, LEAF0);
	leaf(thread, LEAF1);
	xray_leave(thread, MID0);
	xray_leave(thread, MID1);
}

static void recurse(struct thread *thread, unsigned depth)
{
	xray_enter(thread, RECURSE);
	if (depth) {
		recurse(thread, depth - 1);
		recurse(thread, depth - 1);
	} else {
		leaf(thread, LEAF0);
	}
	xray_leave(thread, RECURSE);
}

static void step(struct thread *thread, unsigned x)
{
	unsigned visit = x % 2 ? VISIT1 : VISIT2;

	xray_enter(thread, STEP);
	xray_enter(thread, visit);
	mid1(thread);
	xray_leave(thread, visit);
	if (x % 8 == 0)
		recurse(thread, 3);
	if (x % 64 == 0)
		recurse(thread, 6);
	xray_leave(thread, STEP);
}

/* ---- regular: a call tree of 13 functions, five threads ---- */

/* The worker's own entry comes with its first turn, its exit with its last. */
static void regular(struct thread *thread, unsigned round)
{
	if (!round)
		xray_enter(thread, WORKER);
	xray_enter(thread, PHASE);
	for (unsigned x = round * 1000; x < (round + 1) * 1000; x++)
		step(thread, x);
	xray_leave(thread, PHASE);
	if (!thread->left)
		xray_leave(thread, WORKER);
}

/* The same by a thousand threads, in short turns. */
static void short_turns(struct thread *thread, unsigned round)
{
	for (unsigned x = round * 16; x < (round + 1) * 16; x++)
		step(thread, x);
}

/* The same in bursts of some thousand records, between which nothing happens for seconds. */
static void bursts(struct thread *thread, unsigned round)
{
	short_turns(thread, round);
	thread->tsc += random_below(thread, 4000000000u);
}

/* ---- at random: any function calls any other, or returns ---- */

enum { TURN = 100000, RANDOM_DEPTH = 64 };

static void push(struct thread *thread, unsigned function)
{
	thread->stack[thread->depth++] = function;
	xray_enter(thread, function);
}

static void pop(struct thread *thread)
{
	xray_leave(thread, thread->stack[--thread->depth]);
}

static void walk(struct thread *thread, unsigned functions)
{
	for (unsigned i = 0; i < TURN && thread->left; i++) {
		unsigned room = RANDOM_DEPTH - thread->depth;

		if (!thread->depth || (room && random_below(thread, 2)))
			push(thread, 1 + random_below(thread, functions));
		else
			pop(thread);
	}
	while (!thread->left && thread->depth)
		pop(thread);
}

static void random200(struct thread *thread, unsigned round)
{
	(void)round;
	walk(thread, 200);
}

static void random100000(struct thread *thread, unsigned round)
{
	(void)round;
	walk(thread, 100000);
}

/* ---- deep: recursion to a depth of 20,000, from which any number of calls return ---- */

static void deep(struct thread *thread, unsigned round)
{
	(void)round;
	while (thread->depth < XRAY_MOST_DEPTH)
		push(thread, RECURSE);
	for (unsigned i = 0; i < 100; i++)
		leaf(thread, LEAF0);
	for (unsigned i = random_below(thread, XRAY_MOST_DEPTH); i; i--)
		pop(thread);
	while (!thread->left && thread->depth)
		pop(thread);
}

const struct xray_shape xray_shapes[] = {
	{ "regular", 4, regular },
	{ "random200", 4, random200 },
	{ "random100000", 4, random100000 },
	{ "threads1000", 1000, short_turns },
	{ "deep20000", 1, deep },
	{ "bursts", 4, bursts },
	{ NULL, 0, NULL },
};
