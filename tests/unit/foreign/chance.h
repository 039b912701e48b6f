/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_FOREIGN_CHANCE_H
#define TESTS_UNIT_FOREIGN_CHANCE_H
/*
 * Calls that are drawn, and written in the way of a format: their paths and costs are known before
 * they are written, so nothing is put into order or taken apart to know them.
 */
#include "../chance.h"
#include "path_sums.h"

enum { DRAWN_CALLS = 120, DRAWN_DEPTH = 12 };

struct drawn_call {
	unsigned name;
	int64_t begin, end, self;
	char path[4 * DRAWN_DEPTH];
};

/* A begin or an end, in the order of time. */
struct drawn_step {
	unsigned call;
	bool begin;
};

struct drawn {
	struct drawn_call calls[DRAWN_CALLS];
	unsigned count;
	struct drawn_step steps[2 * DRAWN_CALLS];
	unsigned step_count;
};

static inline void drawn_begin(struct drawn *d, unsigned *open, unsigned depth, int64_t time,
			       unsigned name)
{
	struct drawn_call *call = &d->calls[d->count];

	call->name = name;
	call->begin = time;
	call->self = 0;
	call->path[0] = '\0';
	if (depth)
		strcat(strcpy(call->path, d->calls[open[depth - 1]].path), ";");
	strncat(call->path, &"abcdefghijklmnopqrstuvwxyz"[name], 1);
	open[depth] = d->count;
	d->steps[d->step_count++] = (struct drawn_step){ d->count++, true };
}

/* So many calls of so many names, from a time on; no two steps are at the same time. */
static inline void draw_calls(struct drawn *d, uint32_t *seed, unsigned count, unsigned names,
			      int64_t time)
{
	unsigned open[DRAWN_DEPTH], depth = 0;

	assert_true(count <= DRAWN_CALLS);
	d->count = d->step_count = 0;
	while (d->count < count || depth) {
		const int64_t passed = 1 + chance(seed, 2000);

		time += passed;
		if (depth)
			d->calls[open[depth - 1]].self += passed;
		if (d->count < count && depth < DRAWN_DEPTH && (!depth || chance(seed, 5) < 3)) {
			drawn_begin(d, open, depth++, time, chance(seed, names));
		} else if (depth) {
			d->calls[open[--depth]].end = time;
			d->steps[d->step_count++] = (struct drawn_step){ open[depth], false };
		}
	}
}

/* What they cost, by path. */
static inline void drawn_sums(const struct drawn *d, struct path_sums *sums)
{
	for (unsigned i = 0; i < d->count; i++)
		path_sums_add(sums, d->calls[i].path, d->calls[i].self);
}

static inline uint64_t drawn_count(const struct drawn *d, unsigned name)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < d->count; i++)
		count += d->calls[i].name == name;
	return count;
}

/* Nanoseconds as a number of microseconds, in one of the forms that JSON has. */
static inline int put_microseconds(char *to, uint32_t *seed, int64_t ns)
{
	switch (chance(seed, 3)) {
	case 0:
		return sprintf(to, "%lld.%03d", (long long)(ns / 1000), (int)(ns % 1000));
	case 1:
		return sprintf(to, "%llde-3", (long long)ns);
	default:
		return sprintf(to, "0.%012lldE+9", (long long)ns);
	}
}

#endif
