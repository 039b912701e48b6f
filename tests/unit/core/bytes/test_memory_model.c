/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays, arenas, indexes and names under steps that are drawn, against plain lists that are
 * searched from their begin; keys that share hashes among them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../chance.h"
#include "../../unit.h"

#include <tracelathe/core.h>

#include "core/memory.h"

/* ---- arrays ---- */

/* "Makes room for `want` elements"; "Give back what an array that grows no more has beside" */
TEST(drawn_arrays_grow_and_shrink)
{
	uint32_t seed = 1;

	for (unsigned round = 0; round < 300; round++) {
		const size_t element = 1 + chance(&seed, 24);
		unsigned char *array = NULL;
		size_t capacity = 0, count = 0;

		for (unsigned step = 0; step < 40; step++) {
			const size_t before = capacity, want = count + chance(&seed, 60);

			if (chance(&seed, 5) == 0) {
				tl_shrink(&array, &capacity, count, element);
				assert_int_equal(capacity, count);
				assert_int_equal(array == NULL, capacity == 0);
			}
			assert_true(tl_grow(&array, &capacity, want, element));
			assert_true(capacity >= want);
			if (want > before) /* by half at least, so that it seldom grows */
				assert_true(capacity >= before / 2 * 3 || capacity >= want);
			for (; count < want; count++)
				memset(array + count * element, (int)(count % 251), element);
			for (size_t i = 0; i < count * element; i++)
				assert_int_equal(array[i], i / element % 251);
			count -= chance(&seed, (unsigned)count + 1) / 2;
		}
		free(array);
	}
}

/* "one element more than asked for, so that NULL always means no memory" */
TEST(zeroed_memory_is_zero)
{
	static const size_t counts[] = { 0, 1, 2, 511, 4096, 70000, 1 << 20 };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (size_t element = 1; element <= 16; element *= 4) {
			unsigned char *made = tl_zeroed(counts[i], element);

			assert_non_null(made);
			for (size_t at = 0; at < (counts[i] + 1) * element; at++)
				assert_int_equal(made[at], 0);
			free(made);
		}
	assert_null(tl_zeroed(SIZE_MAX, 1));
	assert_null(tl_zeroed(PTRDIFF_MAX / 8, 8));
	assert_null(tl_zeroed(PTRDIFF_MAX / 2, 3));
	assert_null(tl_alloc_many(UINT64_MAX, 2));
	assert_null(tl_alloc_many(SIZE_MAX / 2 + 1, 2));
	assert_null(tl_alloc_zeroed(UINT64_MAX / 3 + 1, 3));
}

/* ---- arenas ---- */

enum { PIECES = 600 };

struct piece {
	unsigned char *at;
	size_t size;
	unsigned char fill;
};

static void fill_arena(struct tl_arena *arena, struct piece *pieces, uint32_t *seed)
{
	for (unsigned i = 0; i < PIECES; i++) {
		/* up to, at and beyond a quarter of a block, which gets a block of its own */
		static const unsigned sizes[] = { 0, 1, 15, 16, 17, 100, 4095, 4096, 4097, 20000 };
		struct piece *piece = &pieces[i];

		piece->size = sizes[chance(seed, chance(seed, 8) ? 6 : 10)];
		piece->fill = (unsigned char)chance(seed, 256);
		if (chance(seed, 2)) {
			piece->at = tl_arena_alloc(arena, piece->size);
			assert_non_null(piece->at);
			assert_int_equal((uintptr_t)piece->at % _Alignof(max_align_t), 0);
			memset(piece->at, piece->fill, piece->size);
		} else {
			char *text = malloc(piece->size + 1);

			memset(text, piece->fill, piece->size + 1);
			piece->at = (unsigned char *)tl_arena_copy(arena, text, piece->size);
			free(text);
			assert_non_null(piece->at);
			assert_int_equal(piece->at[piece->size], 0);
		}
	}
}

static void assert_pieces(const struct piece *pieces)
{
	for (unsigned i = 0; i < PIECES; i++)
		for (size_t at = 0; at < pieces[i].size; at++)
			assert_int_equal(pieces[i].at[at], pieces[i].fill);
}

/* "Give the memory of another arena to this one, which frees it then; the other one is empty." */
TEST(joined_arenas_keep_their_pieces)
{
	uint32_t seed = 2;

	for (unsigned round = 0; round < 20; round++) {
		struct tl_arena one = { 0 }, other = { 0 };
		struct piece first[PIECES], second[PIECES], third[PIECES];
		size_t total;

		if (round % 3 != 1)
			fill_arena(&one, first, &seed);
		if (round % 3 != 2)
			fill_arena(&other, second, &seed);
		total = one.total + other.total;
		tl_arena_join(&one, &other);
		assert_null(other.blocks);
		assert_int_equal(other.left + other.total, 0);
		assert_int_equal(one.total, total);
		/* both go on */
		fill_arena(&one, third, &seed);
		assert_pieces(third);
		if (round % 3 != 1)
			assert_pieces(first);
		if (round % 3 != 2)
			assert_pieces(second);
		tl_arena_free(&other);
		if (round % 3 != 2)
			assert_pieces(second);
		tl_arena_free(&one);
	}
}

/* ---- indexes ---- */

enum { KEYS = 900 };

struct keys {
	uint64_t values[KEYS];
	uint32_t count;
	unsigned asked;
};

static bool same_key(const void *context, const void *key, uint32_t number)
{
	struct keys *keys = (struct keys *)(uintptr_t)context;

	keys->asked++;
	assert_true(number < keys->count);
	return keys->values[number] == *(const uint64_t *)key;
}

/* Few hashes of many keys, at both ends of the table; the high half says nothing. */
static uint64_t hash_of(uint64_t key, unsigned kind)
{
	switch (kind) {
	case 0:
		return tl_hash64(key);
	case 1:
		return key % 7 ? key % 7 : UINT32_MAX;
	case 2:
		return tl_hash64(key) | UINT64_C(0xffffffff00000000);
	default:
		return key << 4;
	}
}

static uint32_t find_plainly(const struct keys *keys, uint64_t key)
{
	for (uint32_t i = 0; i < keys->count; i++)
		if (keys->values[i] == key)
			return i;
	return TL_NONE;
}

/* "The number stored for a key, TL_NONE when there is none", after each key that is added */
TEST(drawn_keys_are_found)
{
	uint32_t seed = 3;

	for (unsigned round = 0; round < 24; round++) {
		const unsigned kind = round % 4;
		struct tl_index index = { .slots = NULL };
		struct keys *keys = calloc(1, sizeof(*keys));

		assert_non_null(keys);
		while (keys->count < KEYS) {
			const uint64_t key = chance(&seed, 4000);
			const uint32_t wanted = find_plainly(keys, key);

			assert_int_equal(
				tl_index_find(&index, hash_of(key, kind), same_key, keys, &key),
				wanted);
			if (wanted != TL_NONE)
				continue;
			keys->values[keys->count] = key;
			assert_true(tl_index_add(&index, hash_of(key, kind), keys->count));
			keys->count++;
			assert_int_equal(index.count, keys->count);
			/* never full, so that each search ends */
			assert_true(index.count < index.mask);
		}
		/* keys with other hashes are hardly ever asked for */
		keys->asked = 0;
		for (uint32_t i = 0; kind == 0 && i < KEYS; i++)
			tl_index_find(&index, hash_of(keys->values[i], kind), same_key, keys,
				      &keys->values[i]);
		assert_true(keys->asked <= KEYS + 2);
		tl_index_free(&index);
		assert_true(!index.slots && !index.count && !index.mask);
		free(keys);
	}
}

/* ---- names ---- */

enum { NAMES = 1500, NAME_BYTES = 12 };

struct plain_names {
	char texts[NAMES][NAME_BYTES];
	size_t sizes[NAMES];
	uint32_t count;
};

static uint32_t add_plainly(struct plain_names *names, const char *text, size_t size)
{
	for (uint32_t i = 0; i < names->count; i++)
		if (names->sizes[i] == size && memcmp(names->texts[i], text, size) == 0)
			return i;
	memcpy(names->texts[names->count], text, size);
	names->sizes[names->count] = size;
	return names->count++;
}

/* A text of few letters and NULs, that often comes again. */
static size_t draw_name(char *text, uint32_t *seed)
{
	const size_t size = chance(seed, 5);

	for (size_t i = 0; i < size; i++)
		text[i] = "ab\0c\xff"[chance(seed, 5)];
	return size;
}

/* "the same text has the same number and address", of texts that are added and appended in turn */
TEST(drawn_names_have_one_number_each)
{
	uint32_t seed = 4;

	for (unsigned round = 0; round < 30; round++) {
		struct plain_names *plain = calloc(1, sizeof(*plain));
		struct tl_names names = { .count = 0 };
		const char *addresses[NAMES] = { NULL };

		assert_non_null(plain);
		add_plainly(plain, "", 0);
		for (unsigned step = 0; step < 3000 && plain->count < NAMES - 1; step++) {
			char text[NAME_BYTES];
			const size_t size = draw_name(text, &seed);
			const uint32_t known = plain->count,
				       wanted = add_plainly(plain, text, size);

			if (wanted == known && names.count && chance(&seed, 2)) {
				/* without a look-up: it is known to be new */
				assert_true(tl_names_reserve(&names, 1));
				tl_names_append(&names, tl_arena_copy(&names.arena, text, size),
						size);
				assert_int_equal(names.count, wanted + 1);
			} else {
				assert_int_equal(tl_names_add(&names, text, size), wanted);
			}
			if (!addresses[wanted])
				addresses[wanted] = names.names[wanted].text;
			assert_ptr_equal(names.names[wanted].text, addresses[wanted]);
		}
		assert_int_equal(names.count, plain->count);
		for (uint32_t i = 0; i < plain->count; i++) {
			assert_int_equal(names.names[i].size, plain->sizes[i]);
			assert_memory_equal(names.names[i].text, plain->texts[i], plain->sizes[i]);
			/* terminated, for those who take it as a text of C */
			assert_int_equal(names.names[i].text[plain->sizes[i]], 0);
			assert_int_equal(tl_names_add(&names, plain->texts[i], plain->sizes[i]), i);
		}
		tl_names_free(&names);
		free(plain);
	}
}

/* ---- hashes ---- */

/* A hash depends on bytes and their number alone: not on where they stand, nor on what follows. */
TEST(hashes_are_those_of_the_bytes)
{
	uint32_t seed = 5;

	for (unsigned round = 0; round < 3000; round++) {
		unsigned char bytes[80], moved[96];
		const size_t size = chance(&seed, 64), at = chance(&seed, 16);

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (unsigned char)chance(&seed, 256);
		memset(moved, 0x55, sizeof(moved));
		memcpy(moved + at, bytes, size);
		assert_true(tl_hash_bytes(bytes, size) == tl_hash_bytes(moved + at, size));
		if (!size)
			continue;
		moved[at + chance(&seed, (unsigned)size)] ^=
			(unsigned char)(1u << chance(&seed, 8));
		assert_true(tl_hash_bytes(bytes, size) != tl_hash_bytes(moved + at, size));
		assert_true(tl_hash_bytes(bytes, size) != tl_hash_bytes(bytes, size - 1));
	}
}

/* Two numbers in this order and no other. */
TEST(hashes_of_pairs_tell_their_order)
{
	uint32_t seed = 6;

	for (unsigned round = 0; round < 3000; round++) {
		const uint64_t a = chance_bits(&seed) >> chance(&seed, 60),
			       b = chance_bits(&seed) >> chance(&seed, 60);

		if (a == b)
			continue;
		assert_true(tl_hash64(a) != tl_hash64(b));
		assert_true(tl_hash_pair(a, b) != tl_hash_pair(b, a));
		assert_true(tl_hash_pair(a, b) != tl_hash_pair(a, b + 1));
		assert_true(tl_hash_pair(a, b) != tl_hash_pair(a + 1, b));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_arrays_grow_and_shrink),
		cmocka_unit_test(zeroed_memory_is_zero),
		cmocka_unit_test(joined_arenas_keep_their_pieces),
		cmocka_unit_test(drawn_keys_are_found),
		cmocka_unit_test(drawn_names_have_one_number_each),
		cmocka_unit_test(hashes_are_those_of_the_bytes),
		cmocka_unit_test(hashes_of_pairs_tell_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
