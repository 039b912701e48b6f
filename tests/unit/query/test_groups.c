/* SPDX-License-Identifier: Apache-2.0 */
/* Rows put together by keys, against counting them. */
#include "../unit.h"

#include <stdlib.h>

#include "query/tables/call_groups.h"

enum { KEYS = 37, AT_ONCE = 100, ROWS = 400 * AT_ONCE };

/* Row i has the key and the words of its number. */
static uint64_t key_of(uint64_t i)
{
	return i * i % KEYS;
}

static void fill(struct tl_query_groups *groups)
{
	struct tl_error err;

	for (uint64_t i = 0; i < ROWS; i += AT_ONCE) {
		uint64_t keys[AT_ONCE], first[AT_ONCE], second[AT_ONCE];
		const uint64_t *const columns[] = { keys, first, second };

		for (uint64_t j = 0; j < AT_ONCE; j++) {
			keys[j] = key_of(i + j);
			first[j] = i + j;
			second[j] = (i + j) * 3;
		}
		assert_int_equal(tl_query_groups_add(groups, columns, AT_ONCE, &err), 0);
	}
}

/* Every row comes once, all of a group together, in the order in which they were added. */
TEST(rows_of_a_group_come_together)
{
	struct tl_query_groups groups = { .key_count = 1, .word_count = 2 };
	uint64_t key = UINT64_MAX, before = 0, rows = 0;
	bool seen[KEYS] = { false };

	fill(&groups);
	while (tl_query_groups_next(&groups)) {
		uint64_t now = tl_query_groups_keys(&groups)[0];
		const uint64_t *first = tl_query_groups_words(&groups, 0);
		const uint64_t *second = tl_query_groups_words(&groups, 1);

		if (now != key)
			assert_false(seen[now]);
		else
			assert_true(first[0] > before);
		seen[now] = true;
		key = now;
		for (size_t i = 0; i < groups.row_count; i++, rows++) {
			assert_true(!i || first[i] > before);
			before = first[i];
			assert_int_equal(key_of(first[i]), now);
			assert_int_equal(second[i], first[i] * 3);
		}
	}
	assert_int_equal(rows, ROWS);
	assert_false(tl_query_groups_next(&groups));
	tl_query_groups_free(&groups);
}

/* Rows without words are counted, and take no memory. */
TEST(rows_without_words_are_counted)
{
	struct tl_query_groups groups = { .key_count = 1, .word_count = 0 };
	uint64_t counts[KEYS] = { 0 }, wanted[KEYS] = { 0 };

	fill(&groups);
	for (uint64_t i = 0; i < ROWS; i++)
		wanted[key_of(i)]++;
	while (tl_query_groups_next(&groups))
		counts[tl_query_groups_keys(&groups)[0]] += groups.row_count;
	assert_memory_equal(counts, wanted, sizeof(counts));
	assert_int_equal(groups.blocks.bytes, 0);
	tl_query_groups_free(&groups);
}

/* Beyond some size rows lie in files, if there is a place for these. */
TEST(rows_in_files)
{
	struct tl_query_groups groups = { .key_count = 1, .word_count = 2 };
	const uint64_t key = 0, word = 5, *const columns[] = { &key, &word, &word };
	struct tl_error err;
	uint64_t rows = 0;

	groups.blocks.bytes = (uint64_t)256 << 20;
	setenv("TMPDIR", "/nowhere", 1);
	assert_int_equal(tl_query_groups_add(&groups, columns, 1, &err), TL_IO);
	assert_memory_equal(err.text, "no temporary file for the groups of a statement", 47);
	tl_query_groups_free(&groups);

	groups = (struct tl_query_groups){ .key_count = 1, .word_count = 2 };
	groups.blocks.bytes = (uint64_t)256 << 20;
	setenv("TMPDIR", "/tmp", 1);
	fill(&groups);
	assert_true(groups.blocks.bytes > (uint64_t)256 << 20);
	while (tl_query_groups_next(&groups))
		for (size_t i = 0; i < groups.row_count; i++, rows++)
			assert_int_equal(tl_query_groups_words(&groups, 1)[i],
					 tl_query_groups_words(&groups, 0)[i] * 3);
	assert_int_equal(rows, ROWS);
	tl_query_groups_free(&groups);
}

static void assert_order(const struct tl_query_group_order *order, const uint64_t (*wanted)[2])
{
	/* Of each key all words; every pair once. */
	static const uint64_t words[] = { 3, TL_NOWHERE, 0, 1, 2 };
	struct tl_query_groups groups = { .key_count = 2, .word_count = 0 };
	struct tl_error err;

	for (size_t i = 0; i < 5; i++)
		for (size_t j = 2; j < 4; j++) {
			const uint64_t *const columns[] = { &words[i], &words[j] };

			assert_int_equal(tl_query_groups_add(&groups, columns, 1, &err), 0);
		}
	tl_query_groups_sort(&groups, order);
	for (size_t i = 0; i < 10; i++) {
		assert_true(tl_query_groups_next(&groups));
		assert_memory_equal(tl_query_groups_keys(&groups), wanted[i], sizeof(wanted[i]));
	}
	tl_query_groups_free(&groups);
}

/* Integers by value, names by their bytes, and what is unknown first. */
TEST(groups_in_the_order_of_their_keys)
{
	static const struct tl_query_name names[] = { { "b", 1 }, { "a", 1 } };
	const struct tl_query_group_order known = { .words = { TL_QUERY_KNOWN, TL_QUERY_NAME },
						    .names = names };
	const struct tl_query_group_order falling = { .words = { TL_QUERY_KNOWN, TL_QUERY_NAME },
						      .descending = { true, false },
						      .names = names };
	const struct tl_query_group_order both = { .words = { TL_QUERY_SIGNED, TL_QUERY_KNOWN },
						   .descending = { false, true } };
	static const uint64_t none = TL_NOWHERE;

	assert_order(&known, (const uint64_t[][2]){ { none, 1 },
						    { none, 0 },
						    { 0, 1 },
						    { 0, 0 },
						    { 1, 1 },
						    { 1, 0 },
						    { 2, 1 },
						    { 2, 0 },
						    { 3, 1 },
						    { 3, 0 } });
	assert_order(&falling, (const uint64_t[][2]){ { 3, 1 },
						      { 3, 0 },
						      { 2, 1 },
						      { 2, 0 },
						      { 1, 1 },
						      { 1, 0 },
						      { 0, 1 },
						      { 0, 0 },
						      { none, 1 },
						      { none, 0 } });
	/* As a signed word it is -1. */
	assert_order(&both, (const uint64_t[][2]){ { none, 1 },
						   { none, 0 },
						   { 0, 1 },
						   { 0, 0 },
						   { 1, 1 },
						   { 1, 0 },
						   { 2, 1 },
						   { 2, 0 },
						   { 3, 1 },
						   { 3, 0 } });
}

TEST(names_that_begin_like_others)
{
	static const struct tl_query_name names[] = { { "ab", 2 }, { "a", 1 }, { "", 0 } };
	const struct tl_query_group_order order = { .words = { TL_QUERY_NAME }, .names = names };
	struct tl_query_groups groups = { .key_count = 1, .word_count = 0 };
	const uint64_t words[] = { 0, 1, 2 }, *const columns[] = { words };
	struct tl_error err;

	assert_int_equal(tl_query_groups_add(&groups, columns, 3, &err), 0);
	tl_query_groups_sort(&groups, &order);
	for (uint64_t i = 3; i-- > 0;) {
		assert_true(tl_query_groups_next(&groups));
		assert_int_equal(tl_query_groups_keys(&groups)[0], i);
	}
	tl_query_groups_free(&groups);
}

TEST(no_rows_are_no_groups)
{
	struct tl_query_groups groups = { .key_count = 2, .word_count = 1 };

	assert_false(tl_query_groups_next(&groups));
	tl_query_groups_free(&groups);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_a_group_come_together),
		cmocka_unit_test(rows_without_words_are_counted),
		cmocka_unit_test(rows_in_files),
		cmocka_unit_test(groups_in_the_order_of_their_keys),
		cmocka_unit_test(names_that_begin_like_others),
		cmocka_unit_test(no_rows_are_no_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
