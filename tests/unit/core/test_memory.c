/* SPDX-License-Identifier: Apache-2.0 */
/* Growing arrays, arena, index, names: many keys, and sizes no machine has. */
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include "../unit.h"

#include <tracelathe/core.h>
#include "core/memory.h"

TEST(arrays_grow_and_keep_their_elements)
{
	uint64_t *array = NULL;
	size_t capacity = 0, grown = 0;

	for (size_t i = 0; i < 100000; i++) {
		const uint64_t *before = array;

		assert_true(tl_grow(&array, &capacity, i + 1, sizeof(*array)));
		assert_true(capacity > i);
		grown += array != before;
		array[i] = i * i;
	}
	for (size_t i = 0; i < 100000; i++)
		assert_true(array[i] == i * i);
	/* By half each time: 16 * 1.5^22 > 100000. */
	assert_true(grown <= 22);
	free(array);
}

/* "False without memory; the array is then unchanged." */
TEST(an_array_no_machine_has_is_refused)
{
	uint64_t *array = NULL;
	size_t capacity = 0;

	assert_true(tl_grow(&array, &capacity, 4, sizeof(*array)));
	uint64_t *kept = array;
	size_t kept_capacity = capacity;

	array[3] = 7;
	assert_false(tl_grow(&array, &capacity, SIZE_MAX, sizeof(*array)));
	assert_false(tl_grow(&array, &capacity, SIZE_MAX / sizeof(*array) + 2, sizeof(*array)));
	assert_false(tl_grow(&array, &capacity, PTRDIFF_MAX / sizeof(*array) + 1, sizeof(*array)));
	assert_ptr_equal(array, kept);
	assert_int_equal(capacity, kept_capacity);
	assert_int_equal(array[3], 7);
	free(array);
}

/* "aligned for any type", mixed with texts; nothing overlaps: all hold what was put there. */
TEST(arena_blocks_are_aligned_and_apart)
{
	enum { COUNT = 20000 };
	struct tl_arena arena = { 0 };
	static unsigned char *blocks[COUNT];
	static char *texts[COUNT];
	char text[64];

	for (size_t i = 0; i < COUNT; i++) {
		size_t size = i % 100 == 99 ? 40000 : i % 37;

		blocks[i] = tl_arena_alloc(&arena, size);
		assert_non_null(blocks[i]);
		assert_int_equal((uintptr_t)blocks[i] % alignof(max_align_t), 0);
		memset(blocks[i], (int)(i & 0xff), size);
		int length = snprintf(text, sizeof(text), "%0*zu", (int)(i % 23), i);

		texts[i] = tl_arena_copy(&arena, text, (size_t)length);
		assert_non_null(texts[i]);
	}
	for (size_t i = 0; i < COUNT; i++) {
		size_t size = i % 100 == 99 ? 40000 : i % 37;

		for (size_t j = 0; j < size; j++)
			assert_int_equal(blocks[i][j], i & 0xff);
		snprintf(text, sizeof(text), "%0*zu", (int)(i % 23), i);
		assert_string_equal(texts[i], text);
	}
	tl_arena_free(&arena);
	assert_null(arena.blocks);
	tl_arena_free(&arena);
}

TEST(an_arena_no_machine_has_is_refused)
{
	struct tl_arena arena = { 0 };

	assert_null(tl_arena_alloc(&arena, SIZE_MAX));
	assert_null(tl_arena_alloc(&arena, SIZE_MAX - 15));
	assert_null(tl_arena_alloc(&arena, PTRDIFF_MAX));
	assert_null(tl_arena_copy(&arena, "x", SIZE_MAX));
	assert_null(tl_arena_copy(&arena, "x", PTRDIFF_MAX));
	assert_non_null(tl_arena_alloc(&arena, 0));
	tl_arena_free(&arena);
}

static bool same_key(const void *context, const void *key, uint32_t number)
{
	return ((const uint64_t *)context)[number] == *(const uint64_t *)key;
}

static void fill_and_find(uint64_t (*hash)(uint64_t), uint32_t count)
{
	uint64_t *keys = malloc(count * sizeof(*keys)), missing;
	struct tl_index index = { 0 };

	assert_non_null(keys);
	missing = 12345;
	assert_int_equal(tl_index_find(&index, hash(missing), same_key, keys, &missing), TL_NONE);
	for (uint32_t i = 0; i < count; i++) {
		keys[i] = (uint64_t)i << 32 | i;
		assert_true(tl_index_add(&index, hash(keys[i]), i));
	}
	assert_int_equal(index.count, count);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(tl_index_find(&index, hash(keys[i]), same_key, keys, &keys[i]), i);
	for (uint32_t i = 0; i < count; i++) {
		missing = ((uint64_t)i << 32 | i) + 1;
		assert_int_equal(tl_index_find(&index, hash(missing), same_key, keys, &missing),
				 TL_NONE);
	}
	tl_index_free(&index);
	assert_null(index.slots);
	free(keys);
}

static uint64_t good_hash(uint64_t key)
{
	return tl_hash64(key);
}

/* All keys in one chain that begins at the last slot and wraps round. */
static uint64_t bad_hash(uint64_t key)
{
	(void)key;
	return UINT64_MAX;
}

TEST(an_index_finds_what_was_added_and_nothing_else)
{
	fill_and_find(good_hash, 100000);
	fill_and_find(bad_hash, 500);
}

/*
 * Low bits choose the slot: keys that differ in high bits only, as addresses and pairs do, must
 * spread.
 */
TEST(hashes_spread_in_their_low_bits)
{
	static unsigned char seen[3][65536];
	unsigned used[3] = { 0 };

	for (uint64_t i = 0; i < 65536; i++) {
		uint64_t key = i << 48;
		uint64_t hashes[3] = { tl_hash64(key), tl_hash_pair(i << 32, 1),
				       tl_hash_bytes(&key, sizeof(key)) };

		for (int h = 0; h < 3; h++)
			used[h] += !seen[h][hashes[h] & 0xffff]++;
	}
	/* Random numbers would use 1 - 1/e = 63 % of the slots. */
	for (int h = 0; h < 3; h++)
		assert_true(used[h] > 65536 * 55 / 100);
}

/* A tail of one byte, and a length, make another hash. */
TEST(hashes_of_bytes_see_every_byte)
{
	char text[40] = { 0 };

	for (size_t size = 1; size < sizeof(text); size++) {
		uint64_t hash = tl_hash_bytes(text, size);

		assert_true(hash != tl_hash_bytes(text, size - 1));
		for (size_t i = 0; i < size; i++) {
			text[i] = 1;
			assert_true(hash != tl_hash_bytes(text, size));
			text[i] = 0;
		}
	}
}

/* "the same text has the same number and address. Number 0 is \"\"." */
TEST(names_are_interned)
{
	enum { COUNT = 20000 };
	struct tl_names names = { 0 };
	static const char *texts[COUNT];
	char text[64];

	for (uint32_t i = 0; i < COUNT; i++) {
		int size = snprintf(text, sizeof(text), "function_%u", i);

		assert_int_equal(tl_names_add(&names, text, (size_t)size), i + 1);
		texts[i] = tl_names_text(&names, text);
	}
	assert_int_equal(tl_names_add(&names, "", 0), 0);
	assert_string_equal(names.names[0].text, "");
	for (uint32_t i = 0; i < COUNT; i++) {
		int size = snprintf(text, sizeof(text), "function_%u", i);

		assert_int_equal(tl_names_add(&names, text, (size_t)size), i + 1);
		assert_ptr_equal(tl_names_text(&names, text), texts[i]);
		assert_string_equal(texts[i], text);
		assert_int_equal(names.names[i + 1].size, size);
	}
	assert_int_equal(names.count, COUNT + 1);
	/* A NUL is a byte as any other; a prefix is another name. */
	assert_int_equal(tl_names_add(&names, "a\0b", 3), COUNT + 1);
	assert_int_equal(tl_names_add(&names, "a", 1), COUNT + 2);
	tl_names_free(&names);
	assert_int_equal(names.count, 0);
}

/* Names that are put behind each other without a look at their texts are found by these later. */
TEST(names_appended_are_found)
{
	static const char *const texts[] = { "", "one", "two", "three" };
	struct tl_names names = { 0 };

	assert_false(tl_names_reserve(&names, TL_NONE));
	assert_true(tl_names_reserve(&names, 4));
	for (size_t i = 0; i < 4; i++)
		tl_names_append(&names, texts[i], strlen(texts[i]));
	assert_int_equal(names.count, 4);
	assert_int_equal(tl_names_add(&names, "three", 5), 3);
	assert_int_equal(tl_names_add(&names, "four", 4), 4);
	assert_int_equal(tl_names_add(&names, "one", 3), 1);
	assert_int_equal(tl_names_add(&names, "", 0), 0);
	assert_int_equal(names.count, 5);
	assert_ptr_equal(tl_names_text(&names, "two"), texts[2]);
	tl_names_free(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_grow_and_keep_their_elements),
		cmocka_unit_test(an_array_no_machine_has_is_refused),
		cmocka_unit_test(arena_blocks_are_aligned_and_apart),
		cmocka_unit_test(an_arena_no_machine_has_is_refused),
		cmocka_unit_test(an_index_finds_what_was_added_and_nothing_else),
		cmocka_unit_test(hashes_spread_in_their_low_bits),
		cmocka_unit_test(hashes_of_bytes_see_every_byte),
		cmocka_unit_test(names_are_interned),
		cmocka_unit_test(names_appended_are_found),
	};

	return cmocka_run_group_tests_name("core memory", tests, NULL, NULL);
}
