/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that were met of late: what is found is what was put, or nothing. */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include "core/trees/known_paths.h"

/* Beyond so many words the oldest paths are forgotten (known_paths.c). */
enum { WORDS = 1 << 22, DEPTH = 50 };

static struct tl_known_paths known;

/* Path `number`, no two of which are the same. */
static size_t make_path(uint32_t number, uint64_t words[DEPTH])
{
	const size_t count = 1 + number % DEPTH;

	for (size_t i = 0; i < count; i++)
		words[i] = (uint64_t)number << 32 | i;
	return count;
}

static void put(uint32_t number)
{
	uint64_t words[DEPTH];
	const size_t count = make_path(number, words);

	assert_true(tl_known_paths_put(&known, tl_known_paths_hash(3, words, count), 3, words,
				       count, number + 1));
}

/* The number of a path, plus one; 0: it is not known. */
static uint32_t find(uint32_t number)
{
	uint64_t words[DEPTH];
	const size_t count = make_path(number, words);

	return tl_known_paths_find(&known, tl_known_paths_hash(3, words, count), 3, words, count);
}

/* Few paths are all known, nearly: places of one hash may be too few for some. */
TEST(paths_that_come_in_turn_are_known)
{
	enum { PATHS = 20000 };
	uint32_t missed = 0;

	for (uint32_t i = 0; i < PATHS; i++) {
		assert_int_equal(find(i), 0);
		put(i);
		assert_int_equal(find(i), i + 1);
	}
	for (uint32_t i = 0; i < PATHS; i++) {
		const uint32_t found = find(i);

		assert_true(found == i + 1 || !found);
		missed += !found;
	}
	/* Four places for one path on average: of 270 one finds none (Poisson). */
	assert_true(missed < PATHS / 100);
	tl_known_paths_free(&known);
}

/* What is older than the memory for words lasts is not known any more; what is younger is right. */
TEST(the_oldest_paths_are_forgotten)
{
	const uint32_t paths = 3 * (WORDS / DEPTH * 2);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < paths; i++)
		put(i);
	assert_int_equal(find(0), 0);
	assert_int_equal(find(paths / 2), 0);
	for (uint32_t i = paths - WORDS / DEPTH; i < paths; i++) {
		const uint32_t found = find(i);

		assert_true(found == i + 1 || !found);
		kept += found != 0;
	}
	assert_true(kept > WORDS / DEPTH / 10 * 9);
	tl_known_paths_free(&known);
}

/* Paths are told apart by root, words and their number, also where the hash is the same. */
TEST(what_tells_paths_apart)
{
	const uint64_t words[] = { 16, 32, 48 }, others[] = { 16, 32, 49 };

	assert_int_equal(tl_known_paths_find(&known, 7, 0, words, 3), 0);
	assert_true(tl_known_paths_put(&known, 7, 0, words, 3, 11));
	assert_int_equal(tl_known_paths_find(&known, 7, 0, words, 3), 11);
	assert_int_equal(tl_known_paths_find(&known, 7, 1, words, 3), 0);
	assert_int_equal(tl_known_paths_find(&known, 7, 0, words, 2), 0);
	assert_int_equal(tl_known_paths_find(&known, 7, 0, others, 3), 0);
	assert_int_equal(tl_known_paths_find(&known, 8, 0, words, 3), 0);
	assert_true(tl_known_paths_put(&known, 7, 0, others, 3, 12));
	assert_int_equal(tl_known_paths_find(&known, 7, 0, words, 3), 11);
	assert_int_equal(tl_known_paths_find(&known, 7, 0, others, 3), 12);
	/* No words are no path, and are never known. */
	assert_true(tl_known_paths_put(&known, 7, 0, words, 0, 13));
	assert_int_equal(tl_known_paths_find(&known, 7, 0, words, 0), 0);
	tl_known_paths_free(&known);
}

/* Words that were put where those of an older path had been do not make that path known. */
TEST(words_that_were_overwritten_are_not_taken)
{
	static uint64_t filler[WORDS / 8];
	const uint64_t first[] = { 1, 2 }, second[] = { 3, 4 };

	assert_true(tl_known_paths_put(&known, 7, 0, first, 2, 11));
	for (int i = 0; i < 7; i++)
		assert_true(tl_known_paths_put(&known, 100, 0, filler, WORDS / 8, 12));
	assert_true(tl_known_paths_put(&known, 100, 0, filler, WORDS / 8 - 2, 12));
	assert_int_equal(tl_known_paths_find(&known, 7, 0, first, 2), 11);
	assert_true(tl_known_paths_put(&known, 9, 0, second, 2, 13));
	assert_int_equal(tl_known_paths_find(&known, 9, 0, second, 2), 13);
	assert_int_equal(tl_known_paths_find(&known, 7, 0, first, 2), 0);
	assert_int_equal(tl_known_paths_find(&known, 7, 0, second, 2), 0);
	/* A path that is longer than any that is kept costs nothing. */
	assert_true(tl_known_paths_put(&known, 5, 0, filler, WORDS / 8 + 1, 14));
	assert_int_equal(tl_known_paths_find(&known, 5, 0, filler, WORDS / 8 + 1), 0);
	assert_int_equal(tl_known_paths_find(&known, 9, 0, second, 2), 13);
	tl_known_paths_free(&known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_that_come_in_turn_are_known),
		cmocka_unit_test(the_oldest_paths_are_forgotten),
		cmocka_unit_test(what_tells_paths_apart),
		cmocka_unit_test(words_that_were_overwritten_are_not_taken),
	};

	return cmocka_run_group_tests_name("known paths", tests, NULL, NULL);
}
