/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where two long streams meet again, against a search that tries all places one by one: streams
 * with loops, with runs that come many times, and with edits longer than the search's first width.
 *
 * The rule (flow/compare.h): the nearest place, by the blocks passed over on both sides, where so
 * many blocks in a row are the same. The search looks at 64 blocks and a run at first, then at
 * twice as many blocks each time, and wants runs of twice as many, up to eight times the least.
 * Runs in which a loop goes round are no place: of the blocks in a run a quarter, two at least,
 * have to be other ones than the eight before each.
 */
#include "../chance.h"
#include "streams.h"

#include "core/arithmetic.h"

enum { MOST = 4000, ROUNDS = 80, COMMON_RUNS = 4, COMMON_LENGTH = 9, LEAST_WINDOW = 100 };
enum { FIRST_WIDTH = 64, GROWTH = 8, LOOP = 8, END = 0xffff };

struct side {
	uint16_t list[MOST]; /* numbers of blocks */
	size_t count, at, step;
	struct tl_flow_blocks blocks;
};

static struct side sides[2];

/* ---- streams of numbers ---- */

/* A block has its number as its place and its code, and one to three instructions. */
static unsigned size_of(uint16_t number)
{
	return 1 + number % 3u;
}

static uint32_t add_block(struct side *s, uint16_t number)
{
	const struct tl_flow_place place = { .object = "prog",
					     .offset = 64u * number,
					     .function = "f" };
	struct tl_flow_insn insns[3];

	for (unsigned i = 0; i < size_of(number); i++)
		insns[i] = (struct tl_flow_insn){ 64u * number + 4u * i, 4, 1000u + number };
	return tl_flow_block_add(&s->blocks, insns, size_of(number), TL_FLOW_BRANCH, &place);
}

static int give(void *arg, struct tl_flow_list *list, struct tl_error *err)
{
	struct side *s = arg;

	if (!tl_flow_list_room(list, s->step) || !tl_flow_list_mark(list, s->at))
		return tl_error_memory(err);
	for (size_t i = 0; i < s->step && s->at < s->count; i++) {
		const uint32_t number = add_block(s, s->list[s->at++]);

		assert_int_not_equal(number, TL_NONE);
		tl_flow_put(&s->blocks, list, tl_flow_known(&s->blocks, number));
	}
	if (s->at < s->count)
		return 1;
	tl_flow_put_end(&s->blocks, list);
	return 0;
}

static int close_side(void *arg)
{
	tl_flow_blocks_free(&((struct side *)arg)->blocks);
	return 0;
}

static struct tl_flow *compare(const struct tl_flow_options *options)
{
	struct tl_flow_source sources[2];
	struct tl_flow *flow;
	int failed;

	assert_int_equal(tl_flow_open(&flow, options, NULL), 0);
	for (int i = 0; i < 2; i++) {
		sides[i].at = 0;
		tl_flow_blocks_begin(&sides[i].blocks, 7);
		sources[i] = (struct tl_flow_source){ .next = give,
						      .close = close_side,
						      .arg = &sides[i],
						      .blocks = &sides[i].blocks };
	}
	assert_int_equal(tl_flow_compare(flow, sources, &failed, NULL), 0);
	return flow;
}

/* ---- drawn streams ---- */

static void append(struct side *s, unsigned number)
{
	if (s->count < MOST)
		s->list[s->count++] = (uint16_t)number;
}

/* Blocks 0 to 99 come again and again, those from 1000 on once each. */
static void append_some(struct side *s, unsigned *fresh, uint32_t *seed)
{
	const unsigned length = 1 + chance(seed, 60), body = 1 + chance(seed, 5),
		       first = chance(seed, COMMON_RUNS) * COMMON_LENGTH;

	switch (chance(seed, 4)) {
	case 0: /* a loop */
		for (unsigned i = 0; i < length; i++)
			append(s, 50 + first + i % body);
		break;
	case 1: /* a function that is called from many places */
		for (unsigned i = 0; i < COMMON_LENGTH; i++)
			append(s, first + i);
		break;
	default:
		for (unsigned i = 0; i < length; i++)
			append(s, ++*fresh);
	}
}

static void draw_sides(uint32_t *seed)
{
	const unsigned length = 1 + chance(seed, 1600), often = 20 + chance(seed, 400);
	unsigned fresh = 1000, skip = 0;

	sides[0].count = sides[1].count = 0;
	while (sides[0].count < length)
		append_some(&sides[0], &fresh, seed);
	for (size_t i = 0; i < sides[0].count; i++) {
		const unsigned edit = chance(seed, often);

		if (edit == 0)
			skip = 1 + chance(seed, chance(seed, 2) ? 12 : 400);
		for (unsigned n = edit == 1 ? 1 + chance(seed, chance(seed, 2) ? 2 : 12) : 0; n;
		     n--)
			append_some(&sides[1], &fresh, seed);
		if (skip)
			skip--;
		else
			append(&sides[1], sides[0].list[i]);
	}
	sides[0].step = 1 + chance(seed, 300);
	sides[1].step = 1 + chance(seed, 300);
}

/* ---- the model ---- */

struct place {
	size_t passed[2];
	bool found;
};

/* A block of what is looked at, `begin` of a stream on; behind its end there are marks of it. */
static unsigned block_at(const struct side *s, size_t begin, size_t at)
{
	return begin + at < s->count ? s->list[begin + at] : END;
}

/* How many runs begin in what is looked at. */
static size_t runs_of(const struct side *s, size_t begin, size_t width, size_t meet)
{
	const size_t there = tl_min(s->count - begin + meet, width);

	return there < meet ? 0 : there - meet + 1;
}

static bool is_place(size_t begin, size_t at, size_t meet)
{
	const size_t least = meet / 4 > 2 ? meet / 4 : tl_min((size_t)2, meet);
	size_t fresh = 0;

	for (size_t i = at; i < at + meet; i++) {
		const unsigned block = block_at(&sides[0], begin, i);
		bool is_new = true;

		for (size_t n = 1; n <= LOOP && n <= i; n++)
			is_new = is_new && block_at(&sides[0], begin, i - n) != block;
		fresh += is_new || block == END;
	}
	return fresh >= least;
}

static bool same_run(const size_t begin[2], size_t a, size_t b, size_t meet)
{
	for (size_t i = 0; i < meet; i++)
		if (block_at(&sides[0], begin[0], a + i) != block_at(&sides[1], begin[1], b + i))
			return false;
	return true;
}

/* All pairs of places by their sum; of equal sums what the second side has first. */
static struct place nearest(const size_t begin[2], size_t width, size_t meet)
{
	const size_t runs[2] = { runs_of(&sides[0], begin[0], width, meet),
				 runs_of(&sides[1], begin[1], width, meet) };

	for (size_t sum = 0; runs[0] && runs[1] && sum <= runs[0] + runs[1] - 2; sum++)
		for (size_t b = sum < runs[0] ? 0 : sum - runs[0] + 1; b <= sum && b < runs[1]; b++)
			if (same_run(begin, sum - b, b, meet) && is_place(begin[0], sum - b, meet))
				return (struct place){ { sum - b, b }, true };
	return (struct place){ .found = false };
}

static bool is_whole(int side, size_t begin, size_t width, size_t meet)
{
	return sides[side].count - begin + meet <= width;
}

static struct place meet_plainly(const size_t begin[2], const struct tl_flow_options *options)
{
	size_t meet = options->meet, width = FIRST_WIDTH + meet;

	for (;; width *= 2) {
		struct place p = nearest(begin, width, meet);

		if ((p.found && p.passed[0] + p.passed[1] <= width - meet) ||
		    (is_whole(0, begin[0], width, meet) && is_whole(1, begin[1], width, meet)) ||
		    width >= options->window) {
			while (p.found && p.passed[0] && p.passed[1] &&
			       block_at(&sides[0], begin[0], p.passed[0] - 1) ==
				       block_at(&sides[1], begin[1], p.passed[1] - 1)) {
				p.passed[0]--;
				p.passed[1]--;
			}
			return p;
		}
		if (meet < (size_t)options->meet * GROWTH)
			meet *= 2;
	}
}

static uint64_t instructions(int side, size_t begin, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = begin; i < begin + count; i++)
		sum += size_of(sides[side].list[i]);
	return sum;
}

/* ---- comparison ---- */

static void assert_difference(const struct tl_flow *flow, uint64_t number, const size_t begin[2],
			      const struct place *p)
{
	struct tl_flow_difference have;

	assert_int_equal(tl_flow_difference(flow, 0, number, &have, sizeof(have)), 0);
	for (int i = 0; i < 2; i++) {
		const size_t left = sides[i].count - begin[i];

		assert_int_equal(have.ordinal[i], instructions(i, 0, begin[i]));
		assert_int_equal(have.instructions[i],
				 instructions(i, begin[i], p->found ? p->passed[i] : left));
	}
	assert_int_equal(have.meets, p->found && (begin[0] + p->passed[0] < sides[0].count ||
						  begin[1] + p->passed[1] < sides[1].count));
}

/* How many differences there are; `*whole`: all was compared. */
static uint64_t assert_flow(const struct tl_flow *flow, const struct tl_flow_options *options,
			    bool *whole)
{
	size_t at[2] = { 0, 0 };
	uint64_t count = 0;

	*whole = true;
	while (at[0] < sides[0].count || at[1] < sides[1].count) {
		struct place p = { .found = false };

		if (block_at(&sides[0], at[0], 0) == block_at(&sides[1], at[1], 0)) {
			at[0]++;
			at[1]++;
			continue;
		}
		if (at[0] < sides[0].count && at[1] < sides[1].count) {
			p = meet_plainly(at, options);
			*whole = p.found;
		}
		assert_difference(flow, count++, at, &p);
		if (!p.found)
			return count;
		at[0] += p.passed[0];
		at[1] += p.passed[1];
	}
	return count;
}

static uint64_t try_options(uint32_t *seed, const struct tl_flow_options *options, unsigned *parted)
{
	struct tl_flow_stream sums;
	struct tl_flow *flow;
	uint64_t count;
	bool whole;

	draw_sides(seed);
	flow = compare(options);
	count = assert_flow(flow, options, &whole);
	assert_int_equal(tl_flow_stream(flow, 0, &sums, sizeof(sums)), 0);
	assert_int_equal(sums.differences, count);
	assert_int_equal(sums.complete, whole);
	*parted += !whole;
	tl_flow_free(flow);
	return count;
}

TEST(streams_meet_at_the_nearest_place)
{
	uint32_t seed = 1;
	unsigned parted = 0;
	uint64_t count = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		const struct tl_flow_options options = { .size = sizeof(options),
							 .meet = 1 + chance(&seed, 10),
							 .window = 1 << 20,
							 .listed = MOST };

		count += try_options(&seed, &options, &parted);
	}
	assert_true(count > ROUNDS);
	/* The ends are a place where all streams meet, if nothing bounds the search. */
	assert_int_equal(parted, 0);
}

TEST(a_window_bounds_the_search)
{
	uint32_t seed = 2;
	unsigned parted = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		const struct tl_flow_options options = { .size = sizeof(options),
							 .meet = 1 + chance(&seed, 10),
							 .window =
								 LEAST_WINDOW + chance(&seed, 500),
							 .listed = MOST };

		try_options(&seed, &options, &parted);
	}
	assert_true(parted > 0 && parted < ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_meet_at_the_nearest_place),
		cmocka_unit_test(a_window_bounds_the_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
