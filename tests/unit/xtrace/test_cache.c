/* SPDX-License-Identifier: Apache-2.0 */
/* Caches: docs/analyze.md, "Caches". What hits and misses is counted by hand. */
#include "caches.h"

/* "Least recently used out first": of two ways, the one that was touched before the other. */
TEST(least_recently_used_goes)
{
	struct simulation *s = begin("L1 data size=128 ways=2 line=64", 1);

	load(s, 0, 0);   /* miss */
	load(s, 0, 64);  /* miss */
	load(s, 0, 63);  /* hit: line 0 is the recent one */
	load(s, 0, 128); /* miss: line 64 goes */
	load(s, 0, 0);   /* hit */
	load(s, 0, 64);  /* miss */
	assert_counts(s, 0, 0, 6, 4);
	end(s);
}

/*
 * "A line is in the set that its number modulo the number of sets says", also when that is no power
 * of two.
 */
TEST(sets_are_chosen_by_the_remainder)
{
	struct simulation *s = begin("L1 data size=192 ways=1 line=64", 1);

	load(s, 0, 0);
	load(s, 0, 64);
	load(s, 0, 128);
	load(s, 0, 0);      /* hit: three sets */
	load(s, 0, 3 * 64); /* miss: set 0 */
	load(s, 0, 0);      /* miss */
	load(s, 0, 128);    /* hit */
	assert_counts(s, 0, 0, 7, 5);
	end(s);
}

/* "An access touches every line, and every page, that it has a byte in, once each." */
TEST(an_access_over_a_border_touches_both)
{
	struct simulation *s =
		begin("L1 data size=1K ways=4 line=64\nT data tlb entries=4 ways=4 page=4K", 1);

	tl_xtrace_cache_access(&s->caches.cores[0], 4096 - 8, 16, TL_XTRACE_USE_LOAD, NULL);
	assert_counts(s, 0, 0, 2, 2);
	assert_counts(s, 0, 1, 2, 2);
	tl_xtrace_cache_access(&s->caches.cores[0], UINT64_MAX, 2, TL_XTRACE_USE_LOAD, NULL);
	assert_counts(s, 0, 0, 4, 4);
	end(s);
}

/* "On a miss the next level is asked, and every level that missed gets the line." */
TEST(a_miss_asks_the_next_level)
{
	struct simulation *s = begin(
		"L1 data size=64 ways=1 line=64 next=L2\nL2 data size=256 ways=1 line=128", 1);

	load(s, 0, 0);  /* misses both; L2 has bytes 0 to 127 */
	load(s, 0, 64); /* L1 misses, L2 hits */
	load(s, 0, 64);
	assert_counts(s, 0, 0, 3, 2);
	assert_counts(s, 0, 1, 2, 1);
	end(s);
}

/*
 * "What an inclusive level drops, the levels in front of it lose": of its line of 128 bytes, both
 * halves.
 */
TEST(inclusive_levels_take_lines_back)
{
	static const char text[] =
		"L1 data size=1K ways=16 line=64 next=L2\nL2 data size=128 ways=1 line=128%s";
	char inclusive[128], loose[128];
	struct simulation *s;

	snprintf(inclusive, sizeof(inclusive), text, " inclusive");
	snprintf(loose, sizeof(loose), text, "");
	s = begin(inclusive, 1);
	load(s, 0, 0);
	load(s, 0, 64);
	load(s, 0, 128); /* L2's only line goes, and L1's two with it */
	load(s, 0, 0);
	load(s, 0, 64);
	assert_counts(s, 0, 0, 5, 5);
	end(s);
	s = begin(loose, 1);
	load(s, 0, 0);
	load(s, 0, 64);
	load(s, 0, 128);
	load(s, 0, 0);
	load(s, 0, 64);
	assert_counts(s, 0, 0, 5, 3);
	end(s);
}

/* "shared: one for all cores; else each has its own." */
TEST(a_shared_level_is_one)
{
	struct simulation *s =
		begin("L1 data size=64 ways=1 next=L2\nL2 data size=1K ways=4 shared", 2);

	load(s, 0, 0);
	load(s, 1, 0); /* L1 of core 1 misses, L2 has it from core 0 */
	assert_counts(s, 0, 0, 1, 1);
	assert_counts(s, 1, 0, 1, 1);
	assert_counts(s, 0, 1, 1, 1);
	assert_counts(s, 1, 1, 1, 0);
	end(s);
}

TEST(the_default_is_right)
{
	struct tl_xtrace_cache_config config;
	struct tl_error err;

	assert_int_equal(parse(&config, tl_xtrace_cache_default, &err), 0);
	assert_int_equal(config.count, 7);
	assert_int_equal(config.levels[0].sets, 256); /* 64 KiB / 64 / 4 */
	assert_int_equal(config.first[0][0], 0);
	assert_int_equal(config.first[0][1], 1);
	assert_int_equal(config.first[1][0], 4);
	assert_int_equal(config.first[1][1], 5);
}

/* Wrong lines are told by their offset and number. */
TEST(wrong_lines_are_told)
{
	static const struct {
		const char *text;
		uint64_t offset, record;
	} wrong[] = {
		{ "L1 data size=32K ways=3", 0, 0 },
		{ "# one\nL1 data size=0 ways=1", 6, 1 },
		{ "A size=1K ways=1\nA size=1K ways=1", 17, 1 },
		{ "A size=1K ways=1 colour=red", 0, 0 },
		{ "A size=1K ways=1 line=48", 0, 0 },
		{ "A size=1K ways=1 line=8", 0, 0 },
		{ "A size=1K entries=4 ways=1", 0, 0 },
		{ "A ways=1", 0, 0 },
		{ "A size=1Q ways=1", 0, 0 },
		{ "A size=9999999999999999999999 ways=1", 0, 0 },
		{ "A size=512G ways=1", 0, 0 },
		{ "A size=1K ways=99999999999", 0, 0 },
		{ "a-name-of-more-than-thirty-one-bytes size=1K ways=1", 0, 0 },
		{ "A size=1K ways=1 next=", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct tl_xtrace_cache_config config;
		struct tl_error err;

		assert_int_equal(parse(&config, wrong[i].text, &err), TL_BAD_FORMAT);
		assert_int_equal(err.offset, wrong[i].offset);
		assert_int_equal(err.record, wrong[i].record);
	}
}

/* What is wrong with the whole is told without a line. */
TEST(wrong_chains_are_told)
{
	static const char *const wrong[] = {
		"", "# nothing\n", "A size=1K ways=1 next=B", /* no such level */
		"A size=1K ways=1\nB size=1K ways=1 next=A",  /* not further down */
		"A size=1K ways=1 next=A",                    /* itself */
		/* a TLB before a cache */
		"A tlb entries=4 ways=4 next=B\nB size=1K ways=1",
		"A size=1K ways=1 line=64 next=B\nB size=1K ways=1 line=32", /* shorter lines */
		"A size=1K ways=1 shared next=B\nB size=1K ways=1",
		"A size=1K ways=1 next=B\nB data size=1K ways=1",
		"A data size=1K ways=1\nB data size=1K ways=1", /* which is first? */
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct tl_xtrace_cache_config config;
		struct tl_error err;

		assert_int_equal(parse(&config, wrong[i], &err), TL_BAD_FORMAT);
		assert_int_equal(err.offset, 0);
		assert_int_equal(err.record, TL_NOWHERE);
	}
}

/* "At most 16 caches and TLBs; a line has at most 511 characters." */
TEST(there_are_limits)
{
	struct tl_xtrace_cache_config config;
	struct tl_error err;
	char text[1024], *p = text;

	for (int i = 0; i < 17; i++)
		p += sprintf(p, "L%c data size=1K ways=1 %s%c\n", 'A' + i, i < 16 ? "next=L" : "#",
			     'B' + i);
	assert_int_equal(parse(&config, text, &err), TL_BAD_FORMAT);
	assert_int_equal(err.record, 16);
	memset(text, ' ', 600);
	text[600] = '\0';
	assert_int_equal(parse(&config, text, &err), TL_BAD_FORMAT);
	assert_int_equal(err.record, 0);
}

/*
 * L2 holds two lines of 128 bytes, L1 four of 64. A line that L2 drops takes both of its halves out
 * of L1, wherever it is, and no others.
 */
TEST(both_halves_of_a_line_go)
{
	static const struct {
		uint64_t address;
		unsigned l1_misses, l2_accesses, l2_misses; /* so far */
	} loads[] = {
		{ 0x10000, 1, 1, 1 }, { 0x10040, 2, 2, 1 }, { 0x10100, 3, 3, 2 },
		{ 0x10040, 3, 3, 2 }, { 0x10200, 4, 4, 3 }, /* drops 0x10000 and 0x10040 */
		{ 0x10100, 4, 4, 3 }, { 0x10040, 5, 5, 4 }, /* drops 0x10100 */
		{ 0x10200, 5, 5, 4 }, { 0x10100, 6, 6, 5 },
	};
	struct simulation *s = begin("L1 data size=256 ways=4 line=64 next=L2\n"
				     "L2 unified inclusive size=256 ways=2 line=128",
				     1);

	for (unsigned i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		load(s, 0, loads[i].address);
		assert_counts(s, 0, 0, i + 1, loads[i].l1_misses);
		assert_counts(s, 0, 1, loads[i].l2_accesses, loads[i].l2_misses);
	}
	end(s);
}

/*
 * A line that comes again at once is a hit, but not when it was taken in between: by another core's
 * store, or as the line behind it left an inclusive level.
 */
TEST(a_line_that_comes_again_may_have_been_taken)
{
	struct simulation *s = begin("L1 data size=128 ways=2 line=64 next=L2\n"
				     "L2 data size=64 ways=1 line=64 shared inclusive",
				     2);

	load(s, 0, 0);  /* misses both */
	load(s, 0, 32); /* hit */
	tl_xtrace_cache_take(&s->caches.cores[0], 0);
	load(s, 0, 0);  /* L1 misses, L2 hits */
	load(s, 0, 0);  /* hit */
	load(s, 1, 64); /* core 1 misses both: L2 has no room for line 0, which core 0 loses */
	load(s, 0, 0);  /* misses both */
	assert_counts(s, 0, 0, 5, 3);
	assert_counts(s, 0, 1, 3, 2);
	assert_counts(s, 1, 0, 1, 1);
	end(s);
}

/* "that are not counted": what comes before a part, at a line of its own or of the one before. */
TEST(silent_accesses_are_not_counted)
{
	struct simulation *s = begin("L1 data size=128 ways=2 line=64", 1);
	struct tl_xtrace_cache_count also[1] = { { .written = 0 } };

	s->caches.cores[0].silent = true;
	load(s, 0, 0);
	load(s, 0, 0);
	s->caches.cores[0].silent = false;
	assert_counts(s, 0, 0, 0, 0);
	tl_xtrace_cache_access(&s->caches.cores[0], 0, 4, TL_XTRACE_USE_LOAD, also);
	tl_xtrace_cache_access(&s->caches.cores[0], 64, 4, TL_XTRACE_USE_LOAD, also);
	assert_counts(s, 0, 0, 2, 1);
	assert_int_equal(also[0].accesses[TL_XTRACE_USE_LOAD], 2);
	assert_int_equal(also[0].misses[TL_XTRACE_USE_LOAD], 1);
	end(s);
}

/* Against a list of lines, the most recent first, of sets of many ways. */
TEST(lines_of_many_ways_keep_their_order)
{
	enum { WAYS = 5, LINES = 9 };
	struct simulation *s = begin("L1 data size=320 ways=5 line=64", 1);
	uint64_t order[LINES], seed = 1;
	unsigned held = 0, misses = 0;

	for (unsigned i = 0; i < 2000; i++) {
		uint64_t line = (seed = seed * 6364136223846793005 + 1442695040888963407) >> 33;
		unsigned at = 0;

		line %= i % 100 < 50 ? 4 : LINES;
		while (at < held && order[at] != line)
			at++;
		if (at == held) {
			misses++;
			held = held < WAYS ? held + 1 : WAYS;
			at = held - 1;
		}
		memmove(order + 1, order, at * sizeof(*order));
		order[0] = line;
		load(s, 0, line * 64 + i % 64);
	}
	assert_counts(s, 0, 0, 2000, misses);
	end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(least_recently_used_goes),
		cmocka_unit_test(a_line_that_comes_again_may_have_been_taken),
		cmocka_unit_test(silent_accesses_are_not_counted),
		cmocka_unit_test(lines_of_many_ways_keep_their_order),
		cmocka_unit_test(sets_are_chosen_by_the_remainder),
		cmocka_unit_test(an_access_over_a_border_touches_both),
		cmocka_unit_test(a_miss_asks_the_next_level),
		cmocka_unit_test(inclusive_levels_take_lines_back),
		cmocka_unit_test(both_halves_of_a_line_go),
		cmocka_unit_test(a_shared_level_is_one),
		cmocka_unit_test(the_default_is_right),
		cmocka_unit_test(wrong_lines_are_told),
		cmocka_unit_test(wrong_chains_are_told),
		cmocka_unit_test(there_are_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
