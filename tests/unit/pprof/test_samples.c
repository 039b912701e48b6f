/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locations of samples, which a reader takes from the sample before where the lists end alike. Ids
 * are such that lists end alike in the middle of a number, too; lists may be in several fields, or
 * not packed, and name locations that the profile does not have. Held against what was written.
 */
#include "../unit.h"

#include "../chance.h"
#include "../wire_bytes.h"
#include "pprof/reader/sample.h"

enum { SAMPLES = 70, DEPTH = 12, ROUNDS = 60, KNOWN = 8, IDS = 10 };

/* Of one to four bytes, of which the later ones are those of others; two that are no location's. */
static const uint64_t ids[IDS] = {
	1,      2, 1 + (1 << 7), 2 + (1 << 7), 1 + (2 << 7), 1 << 14 | 1, (1 << 21) + (1 << 7) + 1,
	1 << 7, 3, 3 + (1 << 7)
};

struct stack {
	unsigned count, list[DEPTH]; /* the innermost first */
};

static struct stack stacks[SAMPLES];
static uint8_t file[SAMPLES * 128];

/* Most stacks keep the outer part of the one before. */
static void draw_stacks(uint32_t *seed)
{
	for (unsigned i = 0; i < SAMPLES; i++) {
		const struct stack *last = i ? &stacks[i - 1] : NULL;
		const unsigned kept = last ? chance(seed, last->count + 1) : 0;
		struct stack *s = &stacks[i];

		s->count = kept + chance(seed, DEPTH - kept + 1);
		for (unsigned n = 0; n < s->count; n++)
			s->list[n] = chance(seed, chance(seed, 6) ? KNOWN : IDS);
		for (unsigned n = 0; n < kept; n++)
			s->list[s->count - 1 - n] = last->list[last->count - 1 - n];
	}
}

static void put_list(struct bytes *sample, const unsigned *list, unsigned count, uint32_t *seed)
{
	struct bytes packed = { .size = 0 };

	if (chance(seed, 8) == 0) {
		for (unsigned n = 0; n < count; n++)
			number(sample, 1, ids[list[n]]);
		return;
	}
	for (unsigned n = 0; n < count; n++)
		put_varint(&packed, ids[list[n]]);
	block(sample, 1, packed.data, packed.size);
}

static size_t write_file(uint32_t *seed)
{
	struct bytes all = { .size = 0 }, inner = { .size = 0 };
	size_t size = 0;

	block(&all, 6, "", 0);
	message(&all, 1, &inner);
	for (unsigned i = 0; i < KNOWN; i++) {
		number(&inner, 1, ids[i]);
		message(&all, 4, &inner);
	}
	for (unsigned i = 0; i < SAMPLES; i++) {
		const struct stack *s = &stacks[i];
		const unsigned first = chance(seed, 8) ? s->count : chance(seed, s->count + 1);

		put_list(&inner, s->list, first, seed);
		if (first < s->count)
			put_list(&inner, s->list + first, s->count - first, seed);
		number(&inner, 2, i);
		message(&all, 2, &inner);
		assert_true(size + all.size <= sizeof(file));
		memcpy(file + size, all.data, all.size);
		size += all.size;
		all.size = 0;
	}
	return size;
}

static unsigned same_outer(const struct stack *a, const struct stack *b)
{
	unsigned same = 0;

	while (same < a->count && same < b->count &&
	       a->list[a->count - 1 - same] == b->list[b->count - 1 - same])
		same++;
	return same;
}

TEST(locations_are_those_that_were_written)
{
	uint32_t seed = 5;
	uint64_t unknown = 0, common = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct tl_pprof_file p = { .data = NULL };
		struct tl_pprof_samples s;

		draw_stacks(&seed);
		assert_int_equal(tl_pprof_open(&p, file, write_file(&seed), NULL), 0);
		tl_pprof_samples_begin(&s, &p);
		for (unsigned i = 0; i < SAMPLES; i++) {
			const struct stack *wanted = &stacks[i];
			bool any = false;

			assert_int_equal(tl_pprof_samples_next(&s, NULL), 1);
			assert_int_equal(s.sample.location_count, wanted->count);
			for (unsigned n = 0; n < wanted->count; n++) {
				any |= wanted->list[n] >= KNOWN;
				assert_int_equal(s.sample.locations[n], wanted->list[n] < KNOWN
										? wanted->list[n]
										: TL_NONE);
				/* as whoever counts them does */
				if (wanted->list[n] >= KNOWN)
					s.sample.locations[n] = 1000;
			}
			assert_int_equal(s.sample.has_unknown, any);
			assert_true(s.sample.common <= wanted->count);
			if (s.sample.common)
				assert_true(s.sample.common <= same_outer(wanted, &stacks[i - 1]));
			common += s.sample.common;
			unknown += any;
		}
		assert_int_equal(tl_pprof_samples_next(&s, NULL), 0);
		tl_pprof_samples_end(&s);
		tl_pprof_close(&p);
	}
	/* All of it was met. */
	assert_true(common > 1000 && unknown > 100);
}

/* A list whose last number has no end is damage; the next sample has nothing in common with it. */
TEST(a_list_that_ends_in_a_number)
{
	static const uint8_t lists[3][2] = { { 1, 2 }, { 1, 0x82 }, { 0x81, 2 } };
	struct tl_pprof_file p = { .data = NULL };
	struct bytes all = { .size = 0 }, inner = { .size = 0 };
	struct tl_pprof_samples s;

	block(&all, 6, "", 0);
	message(&all, 1, &inner);
	for (unsigned i = 1; i < 3; i++) {
		number(&inner, 1, i);
		message(&all, 4, &inner);
	}
	for (unsigned i = 0; i < 3; i++) {
		block(&inner, 1, lists[i], 2);
		number(&inner, 2, 1);
		message(&all, 2, &inner);
	}
	assert_int_equal(tl_pprof_open(&p, all.data, all.size, NULL), 0);
	tl_pprof_samples_begin(&s, &p);
	assert_int_equal(tl_pprof_samples_next(&s, NULL), 1);
	assert_int_equal(s.sample.location_count, 2);
	/* 0x81 0x02 is 257, which is no location. */
	assert_int_equal(tl_pprof_samples_next(&s, NULL), 1);
	assert_int_equal(s.sample.number, 2);
	assert_int_equal(s.sample.location_count, 1);
	assert_int_equal(s.sample.locations[0], TL_NONE);
	assert_int_equal(tl_pprof_samples_next(&s, NULL), 0);
	assert_int_equal(p.faults.count, 2);
	tl_pprof_samples_end(&s);
	tl_pprof_close(&p);
}

/* What a damaged sample has is not looked at, so that its locations may not be there. */
TEST(a_damaged_sample_has_nothing_in_common_with_the_next_one)
{
	static const uint8_t list[] = { 9, 1 }, cut[] = { 0x80 };
	struct tl_pprof_file p = { .data = NULL };
	struct bytes all = { .size = 0 }, inner = { .size = 0 };
	struct tl_pprof_samples s;

	block(&all, 6, "", 0);
	message(&all, 1, &inner);
	number(&inner, 1, 1);
	message(&all, 4, &inner);
	block(&inner, 1, list, 2);
	block(&inner, 2, cut, 1);
	message(&all, 2, &inner);
	block(&inner, 1, list, 2);
	number(&inner, 2, 1);
	message(&all, 2, &inner);
	assert_int_equal(tl_pprof_open(&p, all.data, all.size, NULL), 0);
	tl_pprof_samples_begin(&s, &p);
	assert_int_equal(tl_pprof_samples_next(&s, NULL), 1);
	assert_int_equal(s.sample.number, 1);
	assert_true(s.sample.has_unknown);
	assert_int_equal(s.sample.common, 0);
	assert_int_equal(s.sample.locations[0], TL_NONE);
	assert_int_equal(s.sample.locations[1], 0);
	assert_int_equal(tl_pprof_samples_next(&s, NULL), 0);
	tl_pprof_samples_end(&s);
	tl_pprof_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locations_are_those_that_were_written),
		cmocka_unit_test(a_list_that_ends_in_a_number),
		cmocka_unit_test(a_damaged_sample_has_nothing_in_common_with_the_next_one),
	};

	return cmocka_run_group_tests_name("pprof samples", tests, NULL, NULL);
}
