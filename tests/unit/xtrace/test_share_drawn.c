/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that cores share, and dependences between instructions, of drawn accesses: against the
 * whole history of each byte, which is gone through anew for every question (docs/analyze.md,
 * "--sharing", "--dependences").
 */
#include <stdlib.h>
#include <string.h>

#include "../chance.h"
#include "../unit.h"

#include "xtrace/share/dependences.h"
#include "xtrace/share/sharing.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { CORES = 5, ACCESSES = 1500, ROUNDS = 30, LINES = 6, LONGEST = 80 };

/* ---- lines of cores ---- */

/* An access, within one line. */
struct touch {
	unsigned core, line, first, last; /* bytes of the line */
	uint32_t function;
	bool store;
};

struct history {
	struct touch touches[2 * ACCESSES];
	/* The caches of cores that have dropped the line before a touch, as bits. */
	uint8_t dropped[2 * ACCESSES];
	size_t count;
	unsigned line_bytes;
};

static struct history h;

/* Whether a core has a line before touch `now`: since its last touch nobody took it. */
static bool holds(unsigned core, unsigned line, size_t now)
{
	for (size_t i = now; i-- > 0;) {
		const struct touch *t = &h.touches[i];

		if (h.touches[i + 1].line == line && h.dropped[i + 1] >> core & 1)
			return false;
		if (t->line != line)
			continue;
		if (t->core == core)
			return true;
		if (t->store)
			return false;
	}
	return false;
}

static bool has_touched(unsigned core, unsigned line, size_t now)
{
	for (size_t i = 0; i < now; i++)
		if (h.touches[i].core == core && h.touches[i].line == line)
			return true;
	return false;
}

/* The store by which a core lost a line that it does not hold; `now`: it went by itself, or never
 * was there. */
static size_t taken_by(unsigned core, unsigned line, size_t now)
{
	size_t i = now;

	/* back to its last touch, behind which one of the others may have stored first */
	while (i > 0 && !(h.touches[i - 1].core == core && h.touches[i - 1].line == line))
		i--;
	if (!i)
		return now;
	for (; i < now; i++) {
		const struct touch *t = &h.touches[i];

		if (t->line != line)
			continue;
		if (h.dropped[i] >> core & 1)
			return now;
		if (t->store)
			return i;
	}
	return now;
}

/* Long lines are told apart in 64 parts. */
static unsigned part_of(unsigned byte)
{
	return h.line_bytes > 64 ? byte / (h.line_bytes / 64) : byte;
}

static bool wrote_some(size_t from, size_t now)
{
	const struct touch *of = &h.touches[now];

	for (size_t i = from; i < now; i++) {
		const struct touch *t = &h.touches[i];

		if (t->line == of->line && t->store && t->core != of->core &&
		    part_of(t->first) <= part_of(of->last) &&
		    part_of(of->first) <= part_of(t->last))
			return true;
	}
	return false;
}

/* Whether a core has a line that it changed, and no memory has it. */
static bool is_modified(unsigned line, size_t now)
{
	for (size_t i = now; i-- > 0;) {
		const struct touch *t = &h.touches[i];

		if (t->line != line)
			continue;
		if (t->store) {
			/* what its cache has dropped since is in memory */
			for (size_t k = i + 1; k <= now; k++)
				if (h.touches[k].line == line && h.dropped[k] >> t->core & 1)
					return false;
			return true;
		}
		if (!holds(t->core, line, i))
			return false;
	}
	return false;
}

struct pairs {
	struct {
		unsigned line;
		uint32_t function, writer;
		uint64_t true_shared, false_shared;
	} list[ACCESSES];
	size_t count;
};

static void add_pair(struct pairs *p, unsigned line, uint32_t function, uint32_t writer,
		     bool shared)
{
	size_t i = 0;

	while (i < p->count && (p->list[i].line != line || p->list[i].function != function ||
				p->list[i].writer != writer))
		i++;
	if (i == p->count) {
		p->list[i].line = line;
		p->list[i].function = function;
		p->list[i].writer = writer;
		p->list[i].true_shared = p->list[i].false_shared = 0;
		p->count++;
	}
	p->list[i].true_shared += shared;
	p->list[i].false_shared += !shared;
}

static void count_touch(size_t now, struct tl_xtrace_sharing_count *counts, struct pairs *pairs)
{
	const struct touch *t = &h.touches[now];
	struct tl_xtrace_sharing_count *c = &counts[t->core];
	const bool held = holds(t->core, t->line, now);
	const size_t taken = held ? now : taken_by(t->core, t->line, now);
	unsigned others = 0;

	c->loads += !t->store;
	c->stores += t->store;
	if (!held) {
		c->transfers += is_modified(t->line, now);
		c->cold += !has_touched(t->core, t->line, now);
		c->evicted += has_touched(t->core, t->line, now) && taken == now;
	}
	if (taken < now) {
		const bool shared = wrote_some(taken, now);

		c->true_shared += shared;
		c->false_shared += !shared;
		add_pair(pairs, t->line, t->function, h.touches[taken].function, shared);
	}
	for (unsigned core = 0; t->store && core < CORES; core++)
		if (core != t->core && holds(core, t->line, now)) {
			counts[core].lost++;
			others++;
		}
	c->invalidations += others;
	c->upgrades += held && others;
}

static void add_touch(unsigned core, uint64_t address, uint64_t size, bool store, uint32_t function)
{
	while (size) {
		const uint64_t first = address % h.line_bytes,
			       part = size < h.line_bytes - first ? size : h.line_bytes - first;

		h.touches[h.count++] = (struct touch){ core,
						       (unsigned)(address / h.line_bytes),
						       (unsigned)first,
						       (unsigned)(first + part - 1),
						       function,
						       store };
		address += part;
		size -= part;
	}
}

/* Caches that have dropped what is drawn for the present touch. */
struct caches {
	uint8_t gone[LINES + 1]; /* cores, by line */
};

static bool still_holds(void *arg, uint32_t core, uint64_t line)
{
	const struct caches *c = arg;

	return !(c->gone[line] >> core & 1);
}

static void assert_pairs(const struct tl_xtrace_sharing *s, const struct pairs *pairs)
{
	assert_int_equal(s->pair_count, pairs->count);
	for (size_t i = 0; i < pairs->count; i++) {
		const struct tl_xtrace_sharing_pair *have = &s->pairs[i];

		assert_int_equal(s->lines[have->line].number, pairs->list[i].line);
		assert_int_equal(have->function, pairs->list[i].function);
		assert_int_equal(have->writer, pairs->list[i].writer);
		assert_int_equal(have->true_shared, pairs->list[i].true_shared);
		assert_int_equal(have->false_shared, pairs->list[i].false_shared);
	}
}

static void try_lines(uint32_t seed, unsigned line_shift, bool drops)
{
	static struct pairs pairs;
	struct tl_xtrace_sharing sharing = { .line_shift = line_shift, .cores = CORES };
	struct tl_xtrace_sharing_count counts[CORES] = { { 0 } }, wanted[CORES] = { { 0 } };
	struct caches caches;

	memset(&h, 0, sizeof(h));
	pairs.count = 0;
	h.line_bytes = 1u << line_shift;
	if (drops)
		sharing.caches = (struct tl_xtrace_sharing_caches){ &caches, still_holds, NULL };
	for (unsigned i = 0; i < ACCESSES; i++) {
		const unsigned core = chance(&seed, CORES), size = 1 + chance(&seed, 20);
		const uint64_t at = chance(&seed, LINES * h.line_bytes - 24);
		const bool store = !chance(&seed, 3);
		const size_t first = h.count;

		memset(caches.gone, 0, sizeof(caches.gone));
		add_touch(core, at, size, store, 100 + chance(&seed, 4));
		for (size_t k = first; k < h.count; k++) {
			h.dropped[k] = drops && !chance(&seed, 4) ? (uint8_t)chance(&seed, 32) : 0;
			caches.gone[h.touches[k].line] = h.dropped[k];
			count_touch(k, wanted, &pairs);
		}
		assert_true(tl_xtrace_sharing_access(&sharing, core, store, at, size,
						     h.touches[first].function, counts));
		for (unsigned n = 0; n < CORES; n++)
			assert_memory_equal(&counts[n], &wanted[n], sizeof(counts[n]));
	}
	assert_pairs(&sharing, &pairs);
	tl_xtrace_sharing_free(&sharing);
}

TEST(lines_are_lost_as_their_history_says)
{
	for (uint32_t round = 0; round < ROUNDS; round++)
		try_lines(round, 5 + round % 4, false);
}

TEST(lines_that_caches_drop)
{
	for (uint32_t round = 0; round < ROUNDS; round++)
		try_lines(1000 + round, 5 + round % 4, true);
}

/* ---- dependences ---- */

enum { INSNS = 2500, STORED = 2, PLACES = 200, FLAGS_REGISTER = 32 };

/* What an instruction reads and writes: X0 to X30, SP is 31, NZCV 32; memory by 8 bytes. */
struct insn {
	uint32_t opcode;
	unsigned reads[3], read_count, writes[2], write_count;
	struct {
		uint64_t first, last;
		bool store;
	} accesses[STORED];
	unsigned access_count;
};

static struct insn insns[INSNS];

static void draw_insn(struct insn *n, uint32_t *seed)
{
	const unsigned d = chance(seed, 31), a = chance(seed, 31), b = chance(seed, 31);

	*n = (struct insn){ .write_count = 1, .writes = { d } };
	switch (chance(seed, 6)) {
	case 0: /* movz */
		n->opcode = 0xd2800000 | d;
		break;
	case 1: /* add */
		n->opcode = 0x8b000000 | b << 16 | a << 5 | d;
		break;
	case 2: /* adds */
		n->opcode = 0xab000000 | b << 16 | a << 5 | d;
		n->writes[n->write_count++] = FLAGS_REGISTER;
		break;
	case 3: /* b.eq */
		n->opcode = 0x54000020;
		n->write_count = 0;
		n->reads[n->read_count++] = FLAGS_REGISTER;
		return;
	case 4: /* ldr */
		n->opcode = 0xf9400000 | a << 5 | d;
		n->reads[n->read_count++] = a;
		return;
	default: /* str */
		n->opcode = 0xf9000000 | a << 5 | d;
		n->write_count = 0;
		n->reads[n->read_count++] = a;
		if (a != d)
			n->reads[n->read_count++] = d;
		return;
	}
	if (n->opcode >> 24 == 0xd2)
		return;
	n->reads[n->read_count++] = a;
	if (a != b)
		n->reads[n->read_count++] = b;
}

static void draw_accesses(struct insn *n, uint32_t *seed)
{
	const bool store = n->opcode >> 22 == 0xf9000000 >> 22, load = n->opcode >> 22 == 0x3e5;

	for (unsigned i = store || load ? 1 + !chance(seed, 5) : 0; i; i--) {
		const uint64_t at =
			8 * (uint64_t)PLACES * chance(seed, 2) + chance(seed, 8 * PLACES);

		n->accesses[n->access_count].first = at;
		n->accesses[n->access_count].last = at + chance(seed, 16);
		n->accesses[n->access_count++].store = store;
	}
}

static bool writes_register(const struct insn *n, unsigned number)
{
	for (unsigned i = 0; i < n->write_count; i++)
		if (n->writes[i] == number)
			return true;
	return false;
}

static bool writes_word(const struct insn *n, uint64_t word)
{
	for (unsigned i = 0; i < n->access_count; i++)
		if (n->accesses[i].store && n->accesses[i].first / 8 <= word &&
		    word <= n->accesses[i].last / 8)
			return true;
	return false;
}

/* The last instruction before `now` that made a register, or a word; INSNS: none. */
static size_t maker_of_register(size_t now, unsigned number)
{
	while (now-- > 0)
		if (writes_register(&insns[now], number))
			return now;
	return INSNS;
}

static size_t maker_of_word(size_t now, uint64_t word)
{
	while (now-- > 0)
		if (writes_word(&insns[now], word))
			return now;
	return INSNS;
}

struct distances {
	uint64_t buckets[TL_XTRACE_DISTANCES], reads, unknown;
};

static void count_distance(struct distances *d, size_t now, size_t maker)
{
	unsigned bucket = 0;

	d->reads++;
	if (maker == INSNS) {
		d->unknown++;
		return;
	}
	while ((now - maker) >> (bucket + 1))
		bucket++;
	d->buckets[bucket]++;
}

static void take_maker(size_t now, size_t maker, size_t window, unsigned *depths)
{
	if (maker != INSNS && maker / window == now / window && depths[maker] + 1 > depths[now])
		depths[now] = depths[maker] + 1;
}

/* The sum of the longest chains of all windows of a size. */
static uint64_t chains_of(size_t count, size_t window)
{
	static unsigned depths[INSNS];
	uint64_t sum = 0;

	for (size_t begin = 0; begin < count; begin += window) {
		unsigned longest = 0;

		for (size_t i = begin; i < begin + window && i < count; i++) {
			const struct insn *n = &insns[i];

			depths[i] = 1;
			for (unsigned k = 0; k < n->read_count; k++)
				take_maker(i, maker_of_register(i, n->reads[k]), window, depths);
			for (unsigned k = 0; k < n->access_count; k++)
				for (uint64_t w = n->accesses[k].first / 8;
				     !n->accesses[k].store && w <= n->accesses[k].last / 8; w++)
					take_maker(i, maker_of_word(i, w), window, depths);
			if (depths[i] > longest)
				longest = depths[i];
		}
		sum += longest;
	}
	return sum;
}

static void count_insn(size_t now, struct distances *registers, struct distances *memory)
{
	const struct insn *n = &insns[now];

	for (unsigned k = 0; k < n->read_count; k++)
		count_distance(registers, now, maker_of_register(now, n->reads[k]));
	for (unsigned k = 0; k < n->access_count; k++) {
		size_t last = INSNS;

		if (n->accesses[k].store)
			continue;
		for (uint64_t w = n->accesses[k].first / 8; w <= n->accesses[k].last / 8; w++) {
			const size_t maker = maker_of_word(now, w);

			if (maker != INSNS && (last == INSNS || maker > last))
				last = maker;
		}
		count_distance(memory, now, last);
	}
}

static void assert_distances(const struct tl_xtrace_distances *have, const struct distances *want)
{
	assert_int_equal(have->reads, want->reads);
	assert_int_equal(have->unknown, want->unknown);
	for (unsigned i = 0; i < TL_XTRACE_DISTANCES; i++)
		assert_int_equal(have->buckets[i], want->buckets[i]);
}

static void try_dependences(uint32_t seed)
{
	const size_t count = 1 + chance(&seed, seed % 2 ? INSNS : 100);
	struct distances registers = { .reads = 0 }, memory = { .reads = 0 };
	struct tl_xtrace_dependences d = { .instructions = 0 };

	assert_true(tl_xtrace_dependences_begin(&d));
	for (size_t i = 0; i < count; i++) {
		struct insn *n = &insns[i];

		draw_insn(n, &seed);
		draw_accesses(n, &seed);
		assert_true(tl_xtrace_dependences_step(&d, n->opcode));
		for (unsigned k = 0; k < n->access_count; k++)
			assert_true(tl_xtrace_dependences_access(
				&d, n->accesses[k].store, n->accesses[k].first,
				n->accesses[k].last - n->accesses[k].first + 1));
		count_insn(i, &registers, &memory);
	}
	assert_true(tl_xtrace_dependences_end(&d));
	assert_distances(&d.registers, &registers);
	assert_distances(&d.memory, &memory);
	for (unsigned w = 0; w < TL_XTRACE_WINDOWS; w++)
		assert_int_equal(d.chains[w], chains_of(count, (size_t)16 << w));
	tl_xtrace_dependences_free(&d);
}

TEST(dependences_are_found_again_by_going_back)
{
	for (uint32_t round = 0; round < 12; round++)
		try_dependences(round);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_lost_as_their_history_says),
		cmocka_unit_test(lines_that_caches_drop),
		cmocka_unit_test(dependences_are_found_again_by_going_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
