/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks: what a processor would tell of its counters, and some that it would not. */
#include "situations.h"

#include <stdarg.h>
#include <stdio.h>

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed * 0x2545f4914f6cdd1du >> 20;
}

/* The counters that a processor would have, and how they are told. */
struct clock {
	uint64_t seed, tsc, cycles;
	unsigned mtc_freq, nom_freq, eax, ebx, cbr;
	bool has_mtc, has_cyc, has_tma, has_cbr;
	char *line;
	size_t size, room;
};

__attribute__((format(printf, 2, 3))) static void add(struct clock *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	c->size += (size_t)vsnprintf(c->line + c->size, c->room - c->size, format, args);
	va_end(args);
}

static uint64_t below(struct clock *c, uint64_t most)
{
	return next_random(&c->seed) % most;
}

static uint64_t crystal(const struct clock *c)
{
	return c->ebx ? c->tsc * c->eax / c->ebx : c->tsc / 8;
}

static void add_cyc(struct clock *c)
{
	if (!c->has_cyc || below(c, 8) == 0)
		return;
	add(c, " cyc=%llx", (unsigned long long)c->cycles);
	c->cycles = 0;
}

static void add_tsc(struct clock *c)
{
	add(c, " tsc=%llx", (unsigned long long)c->tsc & 0xffffffffffffff);
	if (c->has_tma && below(c, 8))
		add(c, " tma=%llx,%llx", (unsigned long long)crystal(c) & 0xffff,
		    (unsigned long long)below(c, 64));
}

static void add_cbr(struct clock *c)
{
	add(c, " cbr=%x", c->cbr);
}

/* A PSB+ with some of what it may hold, in any order. */
static void add_psb(struct clock *c, bool first)
{
	unsigned order = (unsigned)below(c, 4);

	if (!first)
		add_cyc(c);
	add(c, " psb mode=64");
	if (order & 1)
		add(c, " fup=1000");
	if (c->has_cbr && below(c, 4) && order & 2)
		add_cbr(c);
	if (below(c, 8))
		add_tsc(c);
	if (c->has_cbr && below(c, 4))
		add_cbr(c);
	if (c->has_mtc && below(c, 8) == 0)
		add(c, " mtc=%x", (unsigned)(crystal(c) >> c->mtc_freq & 0xff));
	if (c->has_cyc && below(c, 8) == 0)
		add(c, " cyc=%x", (unsigned)below(c, 256));
	if (!(order & 1))
		add(c, " fup=1000");
	add(c, below(c, 24) ? " psbend" : " ovf fup=1000");
}

/* Time passes; MTC come of it. */
static void pass_time(struct clock *c)
{
	uint64_t before = crystal(c) >> c->mtc_freq, passed = below(c, UINT64_C(2) << below(c, 16));

	c->tsc += passed;
	c->cycles += c->nom_freq ? passed * c->cbr / c->nom_freq : passed;
	if (!c->has_mtc || crystal(c) >> c->mtc_freq == before || below(c, 16) == 0)
		return;
	add_cyc(c);
	add(c, " mtc=%x", (unsigned)(crystal(c) >> c->mtc_freq & 0xff));
}

static void add_something(struct clock *c)
{
	pass_time(c);
	switch (below(c, 24)) {
	case 0:
	case 1:
	case 2:
	case 3:
		add_psb(c, false);
		break;
	case 4:
		add_tsc(c);
		break;
	case 5:
		c->cbr = 1 + (unsigned)below(c, 64);
		add_cbr(c);
		break;
	case 6:
		add(c, " ovf fup=1000");
		break;
	case 7:
		add(c, " ovf cyc=%x tsc=%llx fup=1000", (unsigned)below(c, 1024),
		    (unsigned long long)c->tsc);
		break;
	default:
		/* The branch at 1002, back to 1000 by the one at 100e: the loop that all of this
		 * happens in. */
		add_cyc(c);
		add(c, " tnt=. tip=1000");
		return;
	}
	add(c, " tnt=. tip=1000");
}

void all_clocks(unsigned long count, situation_fn *fn, void *context)
{
	static const char *const errata[] = { "errata=0", "errata=100", "cpu=6/78",
					      "cpu=6/61", "cpu=6/85",   "cpu=6/92" };
	char line[4096];

	for (unsigned long number = 1; number <= count; number++) {
		struct clock c = { .seed = number * 0x9e3779b97f4a7c15u,
				   .line = line,
				   .room = sizeof(line) };

		next_random(&c.seed);
		c.tsc = below(&c, 8) ? below(&c, UINT64_C(1) << 40) : UINT64_C(0xffffffffffff00);
		c.mtc_freq = (unsigned)below(&c, 13);
		c.nom_freq = below(&c, 4) ? 1 + (unsigned)below(&c, 64) : 0;
		c.eax = below(&c, 4) ? 1 + (unsigned)below(&c, 4) : 0;
		c.ebx = below(&c, 8) ? 1 + (unsigned)below(&c, 400) : 0;
		c.cbr = 1 + (unsigned)below(&c, 64);
		c.has_mtc = below(&c, 2);
		c.has_cyc = below(&c, 8);
		c.has_tma = below(&c, 2);
		c.has_cbr = below(&c, 2);
		add(&c, "%s mtc_freq=%u nom_freq=%u eax=%u ebx=%u",
		    errata[below(&c, (sizeof(errata) / sizeof(errata[0])))], c.mtc_freq, c.nom_freq,
		    c.eax, c.ebx);
		add_psb(&c, true);
		while (c.size < 100 + below(&c, 400))
			add_something(&c);
		fn(context, line);
	}
}
