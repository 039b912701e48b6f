/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that count their own calls, and how many of them are on one stack at most. */
#ifndef COUNT_H
#define COUNT_H
#include <stdio.h>
#include <stdlib.h>

/* A function that stays one of its own. clang makes no clones, and has no word against them. */
#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noinline, noclone))
#endif

enum function { WORK, LEAF, YIELD, CO, STEP, HANDLER, TRY, FUNCTIONS };

static unsigned long counts[FUNCTIONS];
static int depths[64], deepest; /* of each stack */
static volatile int current;    /* the one that runs */
static volatile int sink;

static inline int count(enum function function)
{
	counts[function]++;
	if (++depths[current] > deepest)
		deepest = depths[current];
	return depths[current];
}

static inline void done(void)
{
	depths[current]--;
}

/* Back in a frame that had this depth, from anywhere above it. */
static inline void back_at(int depth)
{
	depths[current] = depth;
}

ALONE static int leaf(int x)
{
	count(LEAF);
	sink = x * 5 + 3;
	done();
	return sink;
}

/* As large as a table of a linear congruential generator: the same in each run. */
static inline unsigned chance(unsigned most)
{
	static unsigned state = 4711;

	state = state * 1103515245 + 12345;
	return (state >> 16) % most;
}

static int write_counts(const char *path)
{
	static const char *const names[] = { "work", "leaf",    "yield",  "co",
					     "step", "handler", "attempt" };
	FILE *file = fopen(path, "w");

	if (!file)
		return 1;
	for (int i = 0; i < FUNCTIONS; i++)
		fprintf(file, "%s %lu\n", names[i], counts[i]);
	fprintf(file, "deepest %d\n", deepest);
	return fclose(file) != 0;
}
#endif
