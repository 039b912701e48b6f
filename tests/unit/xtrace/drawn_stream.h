/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_XTRACE_DRAWN_STREAM_H
#define TESTS_UNIT_XTRACE_DRAWN_STREAM_H
/*
 * A stream that is drawn: straight runs, branches that are taken or not, changes of the exception
 * level, and accesses. What it has executed is a list of steps.
 */
#include "../chance.h"
#include "pairs.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { STEPS = 1500, MOST_ACCESSES = 300, BASE = 0x1000, PLACES = 400, LINE = 64, PAGE = 4096 };

/* CBNZ X0, two instructions back. */
#define A64_CBNZ 0xb5ffffc0u

static const uint32_t opcodes[] = { A64_NOP, A64_LDR, A64_STR, A64_CBNZ };
static const char *const classes[] = { "hint", "load", "store", "branch" };

struct access {
	uint64_t address;
	bool store;
};

struct step {
	uint64_t pc;
	unsigned el, what;
	bool jumped; /* it does not stand behind the one before */
	struct access *accesses;
	unsigned count;
};

struct executed {
	struct step steps[STEPS];
	size_t count;
	struct access accesses[STEPS * 3 + 8 * MOST_ACCESSES];
	size_t access_count;
};

static struct executed e;

/*
 * What stands at an address: straight runs of up to some hundred instructions, more than a block of
 * tokens has; at a few of them so many accesses that it is full.
 */
static inline unsigned what_at(uint64_t pc)
{
	const uint64_t place = (pc - BASE) / 4;

	if (place < 100)
		return (unsigned)(place * 7 % 4);
	return place % 150 == 99 ? 3 : (unsigned)(place % 3);
}

static inline void draw_accesses(uint32_t *seed, struct step *s)
{
	const uint64_t place = (s->pc - BASE) / 4;

	s->accesses = &e.accesses[e.access_count];
	if (s->what == 1 || s->what == 2) {
		s->count = 1 + !chance(seed, 9);
		if (place == 10 || place == 21)
			s->count = MOST_ACCESSES - chance(seed, 60);
		if (e.access_count + s->count + STEPS > COUNT(e.accesses))
			s->count = 1;
	}
	for (unsigned i = 0; i < s->count; i++)
		s->accesses[i] = (struct access){ 0x20000 + 8 * chance(seed, 3000), s->what == 2 };
	e.access_count += s->count;
}

static inline void draw(uint32_t seed, bool levels)
{
	uint64_t pc = BASE;
	unsigned el = 0;
	bool jumped = true;

	memset(&e, 0, sizeof(e));
	for (e.count = 0; e.count < STEPS; e.count++) {
		struct step *s = &e.steps[e.count];

		*s = (struct step){ .pc = pc, .el = el, .what = what_at(pc), .jumped = jumped };
		draw_accesses(&seed, s);
		pc += 4;
		jumped = false;
		if ((s->what == 3 && chance(&seed, 2)) || pc == BASE + 4 * PLACES ||
		    !chance(&seed, 90)) {
			pc = BASE + 4 * chance(&seed, chance(&seed, 5) ? 100 : PLACES);
			jumped = true;
		}
		if (levels && !chance(&seed, 25)) {
			el = el ? 0 : 1;
			pc = BASE + 4 * chance(&seed, PLACES);
			jumped = true;
		}
	}
}

/* Whether there is a snapshot in front of a step. */
static inline bool is_snapped(size_t step, unsigned snapshots)
{
	return snapshots && step && step % snapshots == 0;
}

/*
 * INST where the address is clear, PCINST else, and at times where it is. `snapshots`: one in front
 * of each so many steps, behind the first; 0: none.
 */
static inline struct pair drawn_pair(unsigned snapshots)
{
	struct pair p = begin_pair();

	for (size_t i = 0; i < e.count; i++) {
		const struct step *s = &e.steps[i];

		if (is_snapped(i, snapshots))
			snap(&p, i, 5);
		if (s->jumped || i % 37 == 36 || is_snapped(i, snapshots))
			put_pcinst(&p.stream, s->el, s->pc, opcodes[s->what]);
		else
			put_inst(&p.stream, s->el, opcodes[s->what]);
		for (unsigned n = 0; n < s->count; n++)
			put_access(&p.stream, s->accesses[n].store ? STORE : LOAD, 3,
				   s->accesses[n].address, n);
	}
	return p;
}

/* The stream alone. */
static inline struct bytes written(void)
{
	struct pair p = drawn_pair(0);

	free_bytes(&p.snapshots);
	return p.stream;
}

#endif
