/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses of streams that are drawn: the tables are held against a list of what was executed and
 * accessed, which is searched for each number by the sentences of docs/analyze.md.
 */
#include <stdio.h>

#include "../chance.h"
#include "bytes.h"

#include "core/output.h"
#include "xtrace/analyze/analyze.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the stream ---- */

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
static unsigned what_at(uint64_t pc)
{
	const uint64_t place = (pc - BASE) / 4;

	if (place < 100)
		return (unsigned)(place * 7 % 4);
	return place % 150 == 99 ? 3 : (unsigned)(place % 3);
}

static void draw_accesses(uint32_t *seed, struct step *s)
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

static void draw(uint32_t seed, bool levels)
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

/* INST where the address is clear, PCINST else, and at times where it is. */
static struct bytes written(void)
{
	struct bytes b = { .data = NULL };

	for (size_t i = 0; i < e.count; i++) {
		const struct step *s = &e.steps[i];

		if (s->jumped || i % 37 == 36)
			put_pcinst(&b, s->el, s->pc, opcodes[s->what]);
		else
			put_inst(&b, s->el, opcodes[s->what]);
		for (unsigned n = 0; n < s->count; n++)
			put_access(&b, s->accesses[n].store ? STORE : LOAD, 3,
				   s->accesses[n].address, n);
	}
	return b;
}

static char *analyze(const struct tl_xtrace_analysis_options *options)
{
	struct bytes b = written();
	struct tl_output *out;
	struct trace t;
	char *copy;
	size_t size;

	open_trace(&t, &b, NULL);
	assert_int_equal(tl_output_open_memory(&out, &t.err), 0);
	assert_int_equal(tl_xtrace_analyze(t.trace, options, out, &t.err), 0);
	assert_non_null(tl_output_bytes(out, &size));
	copy = strndup(tl_output_bytes(out, &size), size);
	assert_non_null(copy);
	tl_output_discard(out);
	close_trace(&t);
	free_bytes(&b);
	return copy;
}

/* ---- tables ---- */

/* A table of CSV, taken apart. */
struct table {
	char *text, *cells[4000];
	size_t columns, rows;
};

static void read_table(struct table *t, unsigned analyses, const struct tl_xtrace_part *part,
		       uint64_t interval, unsigned jobs)
{
	const struct tl_xtrace_analysis_options options = {
		.analyses = analyses,
		.form = TL_XTRACE_CSV,
		.thread = TL_NOWHERE,
		.interval = interval,
		.jobs = jobs,
		.part = part ? *part : (struct tl_xtrace_part){ .first = 0 },
	};
	char *rest, *line;
	size_t count = 0;

	t->text = rest = analyze(&options);
	t->rows = 0;
	while ((line = strsep(&rest, "\n")) && *line) {
		size_t columns = 0;

		for (char *cell; (cell = strsep(&line, ",")); columns++) {
			assert_true(count < COUNT(t->cells));
			t->cells[count++] = cell;
		}
		if (!t->rows)
			t->columns = columns;
		assert_int_equal(columns, t->columns);
		t->rows++;
	}
}

static const char *cell(const struct table *t, size_t row, const char *column)
{
	for (size_t i = 0; i < t->columns; i++)
		if (!strcmp(t->cells[i], column))
			return t->cells[(row + 1) * t->columns + i];
	fail_msg("no column %s", column);
	return NULL;
}

static uint64_t number(const struct table *t, size_t row, const char *column)
{
	return strtoull(cell(t, row, column), NULL, 0);
}

static bool of_part(const struct tl_xtrace_part *part, size_t step)
{
	return !part || (step >= part->first && (!part->end || step < part->end) &&
			 (!part->levels || part->levels >> e.steps[step].el & 1));
}

/* ---- the mix ---- */

static void assert_mix(const struct tl_xtrace_part *part, unsigned jobs)
{
	struct table t;
	uint64_t all = 0, rows = 0;

	read_table(&t, TL_XTRACE_ANALYZE_MIX, part, 0, jobs);
	for (size_t what = 0; what < COUNT(opcodes); what++) {
		uint64_t by_level[4] = { 0 }, seen[5] = { 0 };

		for (size_t i = 0; i < e.count; i++)
			if (e.steps[i].what == what && of_part(part, i))
				by_level[e.steps[i].el]++;
		for (size_t row = 0; row + 1 < t.rows; row++)
			if (!strcmp(cell(&t, row, "class"), classes[what])) {
				seen[0] += number(&t, row, "el0");
				seen[1] += number(&t, row, "el1");
				seen[2] += number(&t, row, "el2");
				seen[3] += number(&t, row, "el3");
				seen[4] += number(&t, row, "all");
			}
		for (unsigned el = 0; el < 4; el++)
			assert_int_equal(seen[el], by_level[el]);
		assert_int_equal(seen[4], by_level[0] + by_level[1]);
		all += seen[4];
	}
	for (size_t row = 0; row + 1 < t.rows; row++)
		rows += number(&t, row, "all");
	assert_int_equal(rows, all);
	free(t.text);
}

static const struct tl_xtrace_part parts[] = {
	{ .first = 0 },
	{ .first = 100 },
	{ .first = 0, .end = 701 },
	{ .first = 333, .end = 334 },
	{ .first = 7, .end = 1400 },
	{ .first = 50, .end = 1200, .levels = 1 },
	{ .levels = 2 },
};

TEST(instructions_by_class_and_level)
{
	for (uint32_t seed = 1; seed < 9; seed++) {
		draw(seed, true);
		assert_mix(NULL, 1);
		assert_mix(NULL, 3);
		assert_mix(&parts[seed % COUNT(parts)], 1);
	}
}

/* ---- blocks ---- */

enum { MOST_BLOCKS = STEPS };

struct block {
	uint64_t address, executions, instructions, length, in_interval;
	unsigned el;
};

static struct block blocks[MOST_BLOCKS];
static size_t block_count, block_of[STEPS];

/*
 * "A basic block is what was executed from where control arrived (behind a branch, taken or not; at
 * a change of the exception level; behind a break of the PC) to the next branch."
 */
static void find_blocks(void)
{
	uint64_t length = 0;

	block_count = 0;
	for (size_t i = 0; i < e.count; i++) {
		const struct step *s = &e.steps[i], *before = i ? s - 1 : NULL;
		size_t b = 0;

		if (before && before->what != 3 && before->pc + 4 == s->pc && before->el == s->el) {
			b = block_of[i - 1];
			length++;
		} else {
			while (b < block_count &&
			       (blocks[b].address != s->pc || blocks[b].el != s->el))
				b++;
			if (b == block_count)
				blocks[block_count++] =
					(struct block){ .address = s->pc, .el = s->el };
			blocks[b].executions++;
			length = 1;
		}
		block_of[i] = b;
		blocks[b].instructions++;
		blocks[b].length = length > blocks[b].length ? length : blocks[b].length;
	}
}

/* "Under the same numbers: in the order of their first execution"; the table by instructions. */
TEST(blocks_are_what_was_executed_between_branches)
{
	for (uint32_t seed = 1; seed < 7; seed++) {
		struct table t;
		uint64_t before = UINT64_MAX;

		draw(seed, seed % 2);
		find_blocks();
		read_table(&t, TL_XTRACE_ANALYZE_BLOCKS, NULL, 0, 1);
		assert_int_equal(t.rows - 1, block_count);
		for (size_t row = 0; row + 1 < t.rows; row++) {
			const struct block *b = &blocks[number(&t, row, "block") - 1];

			assert_true(b < blocks + block_count);
			assert_int_equal(number(&t, row, "address"), b->address);
			assert_int_equal(number(&t, row, "el"), b->el);
			assert_int_equal(number(&t, row, "length"), b->length);
			assert_int_equal(number(&t, row, "executions"), b->executions);
			assert_int_equal(number(&t, row, "instructions"), b->instructions);
			assert_true(number(&t, row, "instructions") <= before);
			before = number(&t, row, "instructions");
		}
		free(t.text);
	}
}

/* "A block over the end of an interval counts in both, by its instructions." */
TEST(vectors_have_the_instructions_of_their_blocks)
{
	static const uint64_t intervals[] = { 1, 7, 100, 499, 1500, 5000 };

	for (size_t n = 0; n < 2 * COUNT(intervals); n++) {
		const uint64_t interval = intervals[n / 2];
		const struct tl_xtrace_analysis_options options = {
			.analyses = TL_XTRACE_ANALYZE_BBV,
			.thread = TL_NOWHERE,
			.interval = interval,
			.form = n % 2 ? TL_XTRACE_CSV : TL_XTRACE_TEXT,
		};
		char *seen, *wanted = NULL;
		size_t size;
		FILE *file = open_memstream(&wanted, &size);

		assert_non_null(file);
		draw((uint32_t)n + 1, false);
		find_blocks();
		if (n % 2)
			fputs("interval,thread,block,address,instructions\n", file);
		for (size_t first = 0; first < e.count; first += interval) {
			bool any = false;

			for (size_t b = 0; b < block_count; b++)
				blocks[b].in_interval = 0;
			for (size_t i = first; i < e.count && i < first + interval; i++)
				blocks[block_of[i]].in_interval++;
			for (size_t b = 0; b < block_count; b++) {
				const unsigned long long count = blocks[b].in_interval;

				if (!count)
					continue;
				if (n % 2)
					fprintf(file, "%zu,0,%zu,0x%llx,%llu\n",
						(size_t)(first / interval), b + 1,
						(unsigned long long)blocks[b].address, count);
				else
					fprintf(file, "%s%zu:%llu", any ? " :" : "T:", b + 1,
						count);
				any = true;
			}
			if (n % 2 == 0)
				fputc('\n', file);
		}
		fclose(file);
		seen = analyze(&options);
		assert_string_equal(seen, wanted);
		free(seen);
		free(wanted);
	}
}

/* ---- where intervals are ---- */

struct found {
	uint64_t interval, warmup, count;
};

static void take_interval(void *arg, const struct tl_xtrace_interval *interval)
{
	struct found *f = arg;
	const uint64_t first = f->count * f->interval;
	const uint64_t end = first + f->interval < e.count ? first + f->interval : e.count;

	assert_int_equal(interval->number, f->count++);
	assert_int_equal(interval->thread, 0);
	assert_int_equal(interval->first, first);
	assert_int_equal(interval->end, end);
	assert_int_equal(interval->begin, first > f->warmup ? first - f->warmup : 0);
	assert_int_equal(interval->snapshot, TL_NONE);
	assert_int_equal(interval->end_snapshot, TL_NONE);
}

TEST(intervals_are_those_of_vectors)
{
	static const uint64_t intervals[] = { 10, 333, 1500 }, warmups[] = { 0, 5, 2000 };

	draw(5, false);
	for (size_t i = 0; i < COUNT(intervals); i++)
		for (size_t w = 0; w < COUNT(warmups); w++) {
			const struct tl_xtrace_analysis_options options = { .thread = TL_NOWHERE,
									    .interval =
										    intervals[i] };
			struct found found = { intervals[i], warmups[w], 0 };
			struct bytes b = written();
			struct trace t;

			open_trace(&t, &b, NULL);
			assert_int_equal(tl_xtrace_each_interval(t.trace, &options, warmups[w],
								 take_interval, &found, &t.err),
					 0);
			assert_int_equal(found.count, (STEPS + intervals[i] - 1) / intervals[i]);
			close_trace(&t);
			free_bytes(&b);
		}
}

/* ---- intervals of counters ---- */

/* Lines or pages of a kind that are touched by the steps of an interval, each once. */
static uint64_t different(const struct tl_xtrace_part *part, size_t from, size_t to, bool data,
			  uint64_t bytes)
{
	static uint64_t seen[COUNT(e.accesses)];
	uint64_t count = 0;

	for (size_t i = from; i < to; i++)
		for (unsigned n = 0; of_part(part, i) && n < (data ? e.steps[i].count : 1); n++) {
			const uint64_t unit =
				(data ? e.steps[i].accesses[n].address : e.steps[i].pc) / bytes;
			uint64_t at = 0;

			while (at < count && seen[at] != unit)
				at++;
			seen[at] = unit;
			count += at == count;
		}
	return count;
}

/* The last touches of all lines, the most recent first: a distance is a place in this list. */
struct recent {
	uint64_t lines[4000];
	size_t count;
	uint64_t touches, cold, distances;
};

static void touch(struct recent *r, uint64_t line)
{
	size_t at = 0;

	while (at < r->count && r->lines[at] != line)
		at++;
	r->touches++;
	if (at == r->count) {
		r->cold++;
		assert_true(r->count++ < COUNT(r->lines));
	} else {
		r->distances += at;
	}
	memmove(r->lines + 1, r->lines, at * sizeof(*r->lines));
	r->lines[0] = line;
}

static void touch_step(struct recent *fetches, struct recent *data, const struct step *s)
{
	touch(fetches, s->pc / LINE);
	for (unsigned n = 0; n < s->count; n++)
		touch(data, s->accesses[n].address / LINE);
}

/* What grew in an interval, which was so much before. */
static void assert_reuse(const struct table *t, size_t row, const char *what,
			 const struct recent *now, const struct recent *before)
{
	char column[32];

	snprintf(column, sizeof(column), "%s:touches", what);
	assert_int_equal(number(t, row, column), now->touches - before->touches);
	snprintf(column, sizeof(column), "%s:cold", what);
	assert_int_equal(number(t, row, column), now->cold - before->cold);
	snprintf(column, sizeof(column), "%s:distances", what);
	assert_int_equal(number(t, row, column), now->distances - before->distances);
}

static void assert_intervals(const struct tl_xtrace_part *part, uint64_t interval)
{
	const size_t begin = part ? part->first : 0, end = part && part->end ? part->end : e.count;
	static struct recent fetches, data, fetched_before, data_before;
	static struct table t;
	size_t row = 0;

	memset(&fetches, 0, sizeof(fetches));
	memset(&data, 0, sizeof(data));
	read_table(&t,
		   TL_XTRACE_ANALYZE_MIX | TL_XTRACE_ANALYZE_REUSE | TL_XTRACE_ANALYZE_FOOTPRINT,
		   part, interval, 1);
	for (size_t from = begin; from < end; from += interval, row++) {
		const size_t to = from + interval < end ? from + interval : end;
		uint64_t counts[COUNT(opcodes)] = { 0 }, user = 0, loads = 0, stores = 0, all = 0;

		fetched_before = fetches;
		data_before = data;
		for (size_t i = from; i < to; i++) {
			const struct step *s = &e.steps[i];

			if (!of_part(part, i))
				continue;
			all++;
			user += s->el == 0;
			counts[s->what]++;
			loads += s->what == 1 ? s->count : 0;
			stores += s->what == 2 ? s->count : 0;
			touch_step(&fetches, &data, s);
		}
		assert_int_equal(number(&t, row, "interval"), row);
		assert_int_equal(number(&t, row, "first"), from);
		assert_int_equal(number(&t, row, "instructions"), all);
		assert_int_equal(number(&t, row, "user"), user);
		assert_int_equal(number(&t, row, "loads"), loads);
		assert_int_equal(number(&t, row, "stores"), stores);
		for (size_t what = 0; what < COUNT(opcodes); what++) {
			char column[32];

			snprintf(column, sizeof(column), "class:%s", classes[what]);
			assert_int_equal(number(&t, row, column), counts[what]);
		}
		assert_reuse(&t, row, "fetch", &fetches, &fetched_before);
		assert_reuse(&t, row, "data", &data, &data_before);
		assert_int_equal(number(&t, row, "lines:fetched"),
				 different(part, from, to, false, LINE));
		assert_int_equal(number(&t, row, "lines:data"),
				 different(part, from, to, true, LINE));
		assert_int_equal(number(&t, row, "pages:fetched"),
				 different(part, from, to, false, PAGE));
		assert_int_equal(number(&t, row, "pages:data"),
				 different(part, from, to, true, PAGE));
	}
	assert_int_equal(t.rows - 1, row);
	free(t.text);
}

TEST(intervals_have_what_grew_in_them)
{
	static const uint64_t intervals[] = { 100, 499, 1500, 4000 };

	for (uint32_t seed = 1; seed < 9; seed++) {
		draw(seed, seed % 2);
		assert_intervals(NULL, intervals[seed % COUNT(intervals)]);
		/* of levels that do not count caches and the like are still filled */
		if (!parts[seed % COUNT(parts)].levels)
			assert_intervals(&parts[seed % COUNT(parts)], 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_by_class_and_level),
		cmocka_unit_test(blocks_are_what_was_executed_between_branches),
		cmocka_unit_test(vectors_have_the_instructions_of_their_blocks),
		cmocka_unit_test(intervals_are_those_of_vectors),
		cmocka_unit_test(intervals_have_what_grew_in_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
