/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policies, prefetchers and what is written on: docs/analyze.md, "Caches". What hits and misses is
 * counted by hand; lines have 64 bytes.
 */
#include "caches.h"

static void use_line(struct simulation *s, uint64_t line, enum tl_xtrace_use use)
{
	tl_xtrace_cache_access(&s->caches.cores[0], 64 * line, 1, use, NULL);
}

/* ---- which line goes ---- */

/* One set of four ways; `lines` are loaded in turn: those that miss have a '!' in `expected`. */
static void expect_policy(const char *policy, const char *lines, const char *expected)
{
	char text[64];
	struct simulation *s;
	unsigned misses = 0;

	snprintf(text, sizeof(text), "L1 data size=256 ways=4 policy=%s", policy);
	s = begin(text, 1);
	for (unsigned i = 0; lines[i]; i++) {
		use_line(s, (uint64_t)(lines[i] - '0'), TL_XTRACE_USE_LOAD);
		misses += expected[i] == '!';
		if (s->caches.cores[0].counts[0].misses[TL_XTRACE_USE_LOAD] != misses)
			fail_msg("%s: load %u of %s", policy, i, lines);
	}
	assert_counts(s, 0, 0, (unsigned)strlen(lines), misses);
	end(s);
}

/*
 * lru: 1 goes for 4, then 2 for 1. "fifo: the one that came first", whatever was touched since.
 */
TEST(the_oldest_line_goes)
{
	expect_policy("lru", "0123040132", "!!!!.!.!.!");
	expect_policy("fifo", "0123040132", "!!!!.!!!.!");
}

/*
 * "each way has a bit that a touch sets; when all are set, the others are cleared; the first way
 * without goes". Behind 0123 only 3 has its bit. 4 takes the way of 0, 0 that of 1, 1 that of 2,
 * which clears the others: 4 0 1* 3. 3 is marked, 2 takes the way of 4, 4 that of 0: 2 4* 1 3.
 */
TEST(a_way_without_a_bit_goes)
{
	expect_policy("plru", "01234013243", "!!!!!!!.!!.");
}

/*
 * "a new line is 2, a hit makes it 0; the first line that is 3 goes, and as long as there is none,
 * all become one more". Behind 01230: 0 2 2 2. 4 makes it 1 3 3 3 and takes the way of 1, 1 that
 * of 2, 2 that of 3: 0 is hit between. 3 makes it 1 3 3 3 again and takes the way of 4, which takes
 * that of 1.
 */
TEST(the_line_that_is_farthest_goes)
{
	expect_policy("rrip", "012304102340", "!!!!.!!.!!!.");
}

/*
 * "way R mod ways, where R are the numbers of SplitMix64 from seed=N on (default: 1)": from 1 on,
 * 1, 3, 2, 3, 1 modulo 4.
 */
TEST(random_ways_follow_from_the_seed)
{
	expect_policy("random", "0123415310531", "!!!!!!!!!....");
	expect_policy("random seed=1", "0123415310531", "!!!!!!!!!....");
}

/* "Empty ways are filled first": of an inclusive level's loss, too. */
TEST(ways_that_were_emptied_are_filled_first)
{
	static const char *const policies[] = { "plru", "rrip", "random" };

	for (size_t i = 0; i < 3; i++) {
		struct simulation *s;
		char text[128];

		snprintf(text, sizeof(text),
			 "L1 data size=128 ways=2 policy=%s next=L2\n"
			 "L2 data size=128 ways=1 inclusive",
			 policies[i]);
		s = begin(text, 1);
		use_line(s, 0, TL_XTRACE_USE_LOAD);
		/* Its place in L2 is that of 0, which goes, in L1 as well: 1 takes its way. */
		use_line(s, 2, TL_XTRACE_USE_LOAD);
		use_line(s, 1, TL_XTRACE_USE_LOAD);
		use_line(s, 2, TL_XTRACE_USE_LOAD);
		use_line(s, 1, TL_XTRACE_USE_LOAD);
		assert_counts(s, 0, 0, 5, 3);
		assert_counts(s, 0, 1, 3, 3);
		end(s);
	}
}

/* ---- prefetchers ---- */

static void assert_prefetched(const struct simulation *s, unsigned prefetched, unsigned useful)
{
	const struct tl_xtrace_cache_count *count = &s->caches.cores[0].counts[0];

	assert_int_equal(count->prefetched, prefetched);
	assert_int_equal(count->useful, useful);
}

/* "a miss also fills in the next line, if it is not there" */
TEST(a_miss_fills_in_the_next_line)
{
	struct simulation *s = begin("L1 data size=1K ways=16 prefetch=next", 1);

	use_line(s, 10, TL_XTRACE_USE_LOAD); /* miss: 11 */
	assert_prefetched(s, 1, 0);
	use_line(s, 11, TL_XTRACE_USE_LOAD); /* useful, once */
	use_line(s, 11, TL_XTRACE_USE_LOAD);
	assert_prefetched(s, 1, 1);
	use_line(s, 9, TL_XTRACE_USE_LOAD); /* miss: 10 is there */
	assert_prefetched(s, 1, 1);
	assert_counts(s, 0, 0, 4, 2);
	/* behind the last line there is the first one */
	tl_xtrace_cache_access(&s->caches.cores[0], UINT64_MAX, 1, TL_XTRACE_USE_LOAD, NULL);
	use_line(s, 0, TL_XTRACE_USE_LOAD);
	assert_prefetched(s, 2, 2);
	end(s);
}

static void load_at(struct simulation *s, uint64_t pc, uint64_t line)
{
	s->caches.cores[0].pc = pc;
	use_line(s, line, TL_XTRACE_USE_LOAD);
}

/* "the same distance between two lines three times in a row fills in the line that is as far on" */
TEST(three_equal_distances_are_a_stride)
{
	struct simulation *s = begin("L1 data size=4K ways=64 prefetch=stride", 1);

	load_at(s, 4, 0);
	load_at(s, 4, 10);
	/* "Touches of the same line in between do not matter" */
	load_at(s, 4, 10);
	/* another instruction does not, either */
	load_at(s, 8, 500);
	load_at(s, 4, 20);
	assert_prefetched(s, 0, 0);
	load_at(s, 4, 30);
	assert_prefetched(s, 1, 0);
	load_at(s, 4, 40); /* it was filled in, and so is 50 */
	assert_prefetched(s, 2, 1);
	assert_counts(s, 0, 0, 7, 5);
	/* another distance begins anew */
	load_at(s, 4, 41);
	load_at(s, 4, 42);
	assert_prefetched(s, 2, 1);
	load_at(s, 4, 43);
	assert_prefetched(s, 3, 1);
	end(s);
}

/* "64 instructions by their address (the address divided by 4, modulo 64)"; a fetch is none. */
TEST(instructions_of_one_place_take_it_from_each_other)
{
	struct simulation *s = begin("L1 size=4K ways=64 prefetch=stride", 1);

	for (uint64_t line = 0; line < 50; line += 10) {
		load_at(s, 4, line);
		load_at(s, 4 + 4 * 64, 1000);
	}
	assert_prefetched(s, 0, 0);
	for (uint64_t line = 100; line < 150; line += 10)
		use_line(s, line, TL_XTRACE_USE_FETCH);
	assert_prefetched(s, 0, 0);
	end(s);
}

/* ---- what is written on ---- */

static void assert_written(const struct simulation *s, unsigned first, unsigned second)
{
	assert_int_equal(s->caches.cores[0].counts[0].written, first);
	assert_int_equal(s->caches.cores[0].counts[1].written, second);
}

/*
 * "a store makes its line dirty; a dirty line that goes is written to the next level ... There it
 * makes the line dirty, if the line is there; else it goes on, too"
 */
TEST(dirty_lines_are_written_when_they_go)
{
	struct simulation *s = begin("L1 data size=64 ways=1 write=back next=L2\n"
				     "L2 data size=128 ways=2",
				     1);

	use_line(s, 0, TL_XTRACE_USE_STORE);
	use_line(s, 0, TL_XTRACE_USE_STORE);
	assert_written(s, 0, 0);
	use_line(s, 1, TL_XTRACE_USE_LOAD); /* 0 goes to L2, which has it */
	assert_written(s, 1, 0);
	use_line(s, 2, TL_XTRACE_USE_LOAD); /* 1 is clean; L2 drops 0, which is dirty now */
	assert_written(s, 1, 1);
	use_line(s, 2, TL_XTRACE_USE_STORE);
	use_line(s, 3, TL_XTRACE_USE_LOAD); /* L2 drops 1, and takes 2 */
	assert_written(s, 2, 1);
	end(s);
}

TEST(a_line_that_the_next_level_lacks_goes_on)
{
	struct simulation *s = begin("L1 data size=128 ways=2 write=back next=L2\n"
				     "L2 data size=64 ways=1",
				     1);

	use_line(s, 0, TL_XTRACE_USE_STORE);
	use_line(s, 1, TL_XTRACE_USE_LOAD); /* L2 drops 0, clean there; L1 keeps it */
	use_line(s, 2, TL_XTRACE_USE_LOAD); /* L1 drops 0: L2 has 2 and passes it on */
	assert_written(s, 1, 1);
	end(s);
}

/* "each store, and each line from the level before, goes on to the next level" */
TEST(stores_go_through)
{
	struct simulation *s = begin("L1 data size=64 ways=1 write=through next=L2\n"
				     "L2 data size=128 ways=2 write=through",
				     1);

	use_line(s, 0, TL_XTRACE_USE_STORE);
	use_line(s, 0, TL_XTRACE_USE_STORE);
	use_line(s, 0, TL_XTRACE_USE_LOAD);
	assert_written(s, 2, 2);
	use_line(s, 1, TL_XTRACE_USE_LOAD); /* 0 is clean */
	assert_written(s, 2, 2);
	end(s);
	s = begin("L1 data size=64 ways=1 write=through next=L2\nL2 data size=64 ways=1", 1);
	use_line(s, 0, TL_XTRACE_USE_STORE);
	use_line(s, 0, TL_XTRACE_USE_STORE);
	assert_written(s, 2, 0);
	use_line(s, 1, TL_XTRACE_USE_LOAD);
	assert_written(s, 2, 1);
	end(s);
}

/* An inclusive level that drops a line writes what the level before it had changed. */
TEST(what_an_inclusive_level_takes_back_is_written)
{
	struct simulation *s = begin("L1 data size=128 ways=2 write=back next=L2\n"
				     "L2 data size=128 ways=1 line=128 inclusive",
				     1);

	use_line(s, 1, TL_XTRACE_USE_STORE); /* the second half of L2's line 0 */
	use_line(s, 2, TL_XTRACE_USE_LOAD);  /* L2 drops it: L1 writes one line, L2 one */
	assert_written(s, 1, 1);
	use_line(s, 1, TL_XTRACE_USE_LOAD);
	assert_written(s, 1, 1);
	end(s);
}

/* A wrong word is told. */
TEST(wrong_policies_are_told)
{
	static const char *const wrong[] = { "policy=mru", "policy=", "prefetch=all", "write=never",
					     "seed=x" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct tl_xtrace_cache_config config;
		struct tl_error err;
		char text[64];

		snprintf(text, sizeof(text), "A size=1K ways=1 %s", wrong[i]);
		assert_int_equal(parse(&config, text, &err), TL_BAD_FORMAT);
		assert_int_equal(err.record, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_oldest_line_goes),
		cmocka_unit_test(a_way_without_a_bit_goes),
		cmocka_unit_test(the_line_that_is_farthest_goes),
		cmocka_unit_test(random_ways_follow_from_the_seed),
		cmocka_unit_test(ways_that_were_emptied_are_filled_first),
		cmocka_unit_test(a_miss_fills_in_the_next_line),
		cmocka_unit_test(three_equal_distances_are_a_stride),
		cmocka_unit_test(instructions_of_one_place_take_it_from_each_other),
		cmocka_unit_test(dirty_lines_are_written_when_they_go),
		cmocka_unit_test(a_line_that_the_next_level_lacks_goes_on),
		cmocka_unit_test(stores_go_through),
		cmocka_unit_test(what_an_inclusive_level_takes_back_is_written),
		cmocka_unit_test(wrong_policies_are_told),
	};

	return cmocka_run_group_tests_name("cache traffic", tests, NULL, NULL);
}
