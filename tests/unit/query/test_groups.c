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
		cmocka_unit_test(no_rows_are_no_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
