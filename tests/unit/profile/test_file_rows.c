/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a profile file is made of, without a file: rows as bytes, by a writer and a reader of the
 * test's own that follow docs/formats/profile.md word by word; and what puts rows into order, held
 * against a list that is searched.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../chance.h"
#include "../unit.h"

#include "profile/canon/sort.h"
#include "profile/canon/texts.h"
#include "profile/file/row_block.h"
#include "profile/file/rows.h"
#include "profile/kway/kway_heap.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MOST_FIELDS = 40, ROWS = 60, ROW_ROOM = MOST_FIELDS * 10 + 40 };

/* ---- numbers and rows, plainly ---- */

/* "Zigzag maps a signed number n to 2n, or to -2n-1 where n is negative." */
static uint64_t zigzag(uint64_t n)
{
	return n >> 63 ? 2 * (0 - n) - 1 : 2 * n;
}

/* "Seven bits a byte, lowest first, the highest bit set in all bytes but the last." */
static uint8_t *put_plain(uint8_t *to, uint64_t value)
{
	while (value / 128) {
		*to++ = (uint8_t)(value % 128 + 128);
		value /= 128;
	}
	*to = (uint8_t)value;
	return to + 1;
}

/*
 * "Fields go in groups of seven. Bit i set means that field i of the group stands here. Bit 7 set
 * means that another group follows; groups that are left out have no bit set." What is left out at
 * the end of a row is so.
 */
static uint8_t *put_row_plainly(uint8_t *to, uint32_t keys, uint32_t fields, const uint64_t *last,
				const uint64_t *row)
{
	uint64_t values[MOST_FIELDS];
	uint32_t groups = 1;

	for (uint32_t i = 0; i < fields; i++) {
		values[i] = i < keys ? row[i] - last[i] : row[i];
		if (values[i])
			groups = i / 7 + 1;
	}
	for (uint32_t group = 0; group < groups; group++) {
		uint8_t *bits = to++;

		*bits = group + 1 < groups ? 0x80 : 0;
		for (uint32_t i = 7 * group; i < fields && i < 7 * group + 7; i++)
			if (values[i]) {
				*bits |= (uint8_t)(1 << i % 7);
				to = put_plain(to, zigzag(values[i]));
			}
	}
	return to;
}

/* A field as it often is: 0, small, or anything. */
static uint64_t draw_field(uint32_t *seed)
{
	switch (chance(seed, 8)) {
	case 0:
		return chance_bits(seed);
	case 1:
		return 0 - (uint64_t)chance(seed, 200);
	case 2:
	case 3:
		return chance(seed, 70);
	case 4:
		return UINT64_C(1) << chance(seed, 64);
	default:
		return 0;
	}
}

static void draw_row(uint32_t *seed, uint64_t *row, uint32_t fields)
{
	const uint32_t used = chance(seed, fields + 1);

	for (uint32_t i = 0; i < fields; i++)
		if (chance(seed, 3))
			row[i] = i < used ? draw_field(seed) : 0;
}

static void hexadecimal(const uint8_t *bytes, size_t size, char *text)
{
	*text = '\0';
	for (size_t i = 0; i < size; i++)
		text += sprintf(text, "%02x ", bytes[i]);
}

/* Compared as text, so that it is seen where they differ. */
static void assert_bytes(const uint8_t *seen, size_t seen_size, const uint8_t *wanted, size_t size)
{
	static char text[2][3 * ROWS * ROW_ROOM];

	hexadecimal(seen, seen_size, text[0]);
	hexadecimal(wanted, size, text[1]);
	assert_string_equal(text[0], text[1]);
}

/* "At most 64 bits": the tenth byte has one, and no number has eleven. */
TEST(numbers_of_each_size)
{
	static const struct {
		uint8_t bytes[16];
		int size; /* 0: it is none */
		uint64_t value;
	} cases[] = {
		{ { 0 }, 1, 0 },
		{ { 0x7f }, 1, 127 },
		{ { 0x80, 1 }, 2, 128 },
		{ { 0x80, 0 }, 2, 0 },
		{ { 0xff, 0xff, 3 }, 3, 0xffff },
		{ { 0x81, 0x82, 0x83, 4 }, 4, 1 + (2 << 7) + (3 << 14) + (4 << 21) },
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f }, 8, (UINT64_C(1) << 56) - 1 },
		{ { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1 }, 9, UINT64_C(1) << 56 },
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1 }, 10, UINT64_MAX },
		{ { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0 }, 10, 0 },
		{ { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2 }, 0, 0 },
		{ { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1 }, 0, 0 },
	};
	uint32_t seed = 1;

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t value = 5;
		const uint8_t *end = tl_pfile_take_number(cases[i].bytes, &value);

		if (!cases[i].size) {
			assert_null(end);
			continue;
		}
		assert_ptr_equal(end, cases[i].bytes + cases[i].size);
		assert_int_equal(value, cases[i].value);
	}
	for (unsigned i = 0; i < 5000; i++) {
		const uint64_t number = chance_bits(&seed) >> chance(&seed, 64);
		uint8_t bytes[24] = { 0 }, *end;
		uint64_t value;

		end = put_plain(bytes, number);
		assert_ptr_equal(tl_pfile_take_number(bytes, &value), end);
		assert_int_equal(value, number);
		assert_int_equal(tl_unzigzag(zigzag(number)), number);
	}
}

/* Written as the document says, and read again; a table of the first group knows no more of it. */
TEST(rows_are_as_documented)
{
	uint32_t seed = 2;

	for (uint32_t fields = 1; fields <= MOST_FIELDS; fields++)
		for (uint32_t keys = 0; keys <= fields && keys < 13; keys++) {
			static uint8_t seen[ROWS * ROW_ROOM], wanted[ROWS * ROW_ROOM];
			uint64_t rows[ROWS][MOST_FIELDS] = { { 0 } }, last[MOST_FIELDS] = { 0 };
			uint64_t row[MOST_FIELDS] = { 0 }, head[MOST_FIELDS] = { 0 };
			const uint64_t *before = last;
			uint8_t *to = seen, *plain = wanted;
			const uint8_t *from = seen;
			uint32_t used = 0;

			for (unsigned i = 0; i < ROWS; i++) {
				if (i)
					memcpy(rows[i], rows[i - 1], sizeof(rows[i]));
				draw_row(&seed, rows[i], fields);
				plain = put_row_plainly(plain, keys, fields,
							i ? rows[i - 1] : before, rows[i]);
				to = tl_pfile_put_row(to, keys, fields, last, rows[i]);
				assert_memory_equal(last, rows[i], keys * sizeof(*last));
			}
			assert_bytes(seen, (size_t)(to - seen), wanted, (size_t)(plain - wanted));
			for (unsigned i = 0; i < ROWS; i++) {
				const uint8_t *next =
					tl_pfile_take_head(from, keys, fields, head, to);

				from = tl_pfile_take_row(from, keys, fields, row, &used);
				assert_non_null(from);
				assert_ptr_equal(from, next);
				assert_memory_equal(row, rows[i], fields * sizeof(*row));
				assert_memory_equal(head, rows[i],
						    tl_min(fields, 7u) * sizeof(*head));
				for (uint32_t field = tl_max(used, keys); field < fields; field++)
					assert_int_equal(rows[i][field], 0);
			}
			assert_ptr_equal(from, to);
		}
}

/* Fields that there are not, numbers of too many bits, and groups behind the last. */
TEST(rows_that_make_no_sense)
{
	static const struct {
		uint32_t keys, fields;
		uint8_t bytes[32];
	} cases[] = {
		{ 1, 3, { 0x08, 1 } },
		{ 1, 7, { 0x81, 1, 0x01, 1 } },
		{ 2, 8, { 0x80, 0x02, 1 } },
		{ 0, 8, { 0x80, 0x80, 0x00 } },
		{ 1, 2, { 0x01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2 } },
		{ 0, 2, { 0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1 } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t row[16] = { 0 };
		uint32_t used = 0;

		assert_null(tl_pfile_take_row(cases[i].bytes, cases[i].keys, cases[i].fields, row,
					      &used));
	}
}

/* Behind so many numbers, but never behind the end. */
TEST(numbers_are_passed)
{
	uint32_t seed = 3;

	for (unsigned round = 0; round < 3000; round++) {
		const unsigned count = chance(&seed, 30);
		uint8_t bytes[30 * 10 + 40] = { 0 }, *to = bytes;
		const uint8_t *ends[31] = { bytes };

		for (unsigned i = 0; i < 30; i++)
			ends[i + 1] = to = put_plain(to, chance_bits(&seed) >> chance(&seed, 64));
		assert_ptr_equal(tl_pfile_pass_numbers(bytes, count, to), ends[count]);
		/* where the numbers that are asked for begin behind the end, there are none */
		if (count)
			assert_null(tl_pfile_pass_numbers(bytes, count, bytes));
	}
	for (unsigned bits = 0; bits < 128; bits++)
		assert_int_equal(tl_pfile_count_bits(bits), __builtin_popcount(bits));
}

/*
 * "Order: number before - number now": a row of one key, whose difference to the row before
 * counts.
 */
TEST(orders_are_rows_of_one_key)
{
	uint32_t seed = 4, order[50];

	for (unsigned round = 0; round < 200; round++) {
		uint8_t seen[COUNT(order) * TL_PFILE_ORDER_BYTES],
			wanted[COUNT(order) * TL_PFILE_ORDER_BYTES], *plain = wanted, *to;
		uint64_t last = 0, before = 0;
		const unsigned cut = chance(&seed, COUNT(order));

		for (uint32_t i = 0; i < COUNT(order); i++) {
			uint64_t key;

			order[i] = chance(&seed, 9) ? i + 3 : (uint32_t)chance_bits(&seed);
			key = (uint64_t)order[i] - i;
			plain = put_row_plainly(plain, 1, 1, &before, &key);
			before = key;
		}
		to = tl_pfile_put_order(seen, &last, order, 0, cut);
		to = tl_pfile_put_order(to, &last, order, cut, COUNT(order) - cut);
		assert_bytes(seen, (size_t)(to - seen), wanted, (size_t)(plain - wanted));
		assert_int_equal(last, before);
	}
}

/* Lines whose costs are coded already are the same rows, and their costs are added up. */
TEST(coded_costs_are_the_same_rows)
{
	enum { KEYS = 6, COSTS = 30 };
	uint32_t seed = 5;

	for (unsigned round = 0; round < 4000; round++) {
		const uint32_t count = chance(&seed, COSTS + 1);
		uint8_t coded[COSTS * 10 + 8] = { 0 }, *end = coded;
		uint8_t seen[ROW_ROOM + TL_PFILE_SLACK], wanted[ROW_ROOM], *plain;
		uint64_t row[MOST_FIELDS] = { 0 }, last[KEYS] = { 0 }, before[MOST_FIELDS];
		uint64_t sums[COSTS] = { 0 };
		const bool small = round % 2;

		for (uint32_t i = 0; i < KEYS; i++) {
			last[i] = before[i] = draw_field(&seed);
			row[i] = chance(&seed, 2) ? last[i] : draw_field(&seed);
		}
		/* a pack leaves the last ones out that are 0 */
		for (uint32_t i = 0; i < count; i++) {
			row[KEYS + i] = small ? chance(&seed, 50) : draw_field(&seed);
			if (i + 1 == count && !row[KEYS + i])
				row[KEYS + i] = 1;
			end = put_plain(end, zigzag(row[KEYS + i]));
			sums[i] = 10 * i;
		}
		plain = put_row_plainly(wanted, KEYS, KEYS + COSTS, before, row);
		end = tl_pfile_put_coded(seen, last, row, coded, count, sums);
		assert_bytes(seen, (size_t)(end - seen), wanted, (size_t)(plain - wanted));
		for (uint32_t i = 0; i < count; i++)
			assert_int_equal(sums[i], 10 * i + row[KEYS + i]);
		assert_memory_equal(last, row, sizeof(last));
	}
}

/* ---- sums of rows ---- */

/* Equal keys add up; what does not fit changes nothing, costs having a sign and calls none. */
TEST(sums_add_or_stay)
{
	static const struct {
		uint64_t to[5], sum[5];
		bool calls, adds;
		/* two keys, then how many there are, calls (or a cost), and a cost */
	} cases[] = {
		{ { 1, 2, 1, 10, 20 }, { 1, 2, 1, 5, 7 }, true, true },
		{ { 1, 2, 1, 10, 20 }, { 1, 3, 1, 5, 7 }, true, false },
		{ { 1, 2, 1, 10, 20 }, { 0, 2, 1, 5, 7 }, true, false },
		{ { 1, 2, 1, INT64_MAX, 0 }, { 1, 2, 1, 1, 0 }, true, true },
		{ { 1, 2, 1, INT64_MAX, 0 }, { 1, 2, 1, 1, 0 }, false, false },
		{ { 1, 2, 1, UINT64_MAX, 0 }, { 1, 2, 1, 1, 0 }, true, false },
		{ { 1, 2, 1, UINT64_MAX, 5 }, { 1, 2, 1, 1, 5 }, false, true },
		{ { 1, 2, 1, 0, INT64_MAX }, { 1, 2, 1, 0, 1 }, true, false },
		{ { 1, 2, 1, 0, (uint64_t)INT64_MIN }, { 1, 2, 1, 0, UINT64_MAX }, true, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t to[5];

		memcpy(to, cases[i].to, sizeof(to));
		assert_int_equal(tl_pfile_sum_add(to, cases[i].sum, 2, 5, cases[i].calls),
				 cases[i].adds);
		for (size_t field = 0; field < COUNT(to); field++)
			assert_int_equal(to[field],
					 cases[i].to[field] + (cases[i].adds && field >= 2
								       ? cases[i].sum[field]
								       : 0));
	}
}

TEST(sections_have_fields)
{
	assert_int_equal(tl_pfile_sums(TL_PFILE_LINES), TL_PFILE_LINE_SUMS);
	assert_int_equal(tl_pfile_sums(TL_PFILE_ARCS), TL_PFILE_ARC_SUMS);
	for (unsigned section = TL_PFILE_STRINGS; section < TL_PFILE_SECTIONS; section++)
		if (section != TL_PFILE_LINES && section != TL_PFILE_ARCS)
			assert_int_equal(tl_pfile_sums(section), TL_PFILE_SECTIONS);
	/* by the table of the document */
	assert_int_equal(tl_pfile_fields(TL_PFILE_STRINGS, 9), 0);
	assert_int_equal(tl_pfile_fields(TL_PFILE_HEAD, 9), 16);
	assert_int_equal(tl_pfile_fields(TL_PFILE_EVENTS, 9), 4);
	assert_int_equal(tl_pfile_fields(TL_PFILE_NOTES, 9), 6);
	assert_int_equal(tl_pfile_fields(TL_PFILE_FUNCTIONS, 9), 6);
	assert_int_equal(tl_pfile_fields(TL_PFILE_PARTS, 9), 5 + 3 + 12);
	assert_int_equal(tl_pfile_fields(TL_PFILE_CONTEXTS, 9), 3 + 3 + 9);
	assert_int_equal(tl_pfile_fields(TL_PFILE_LINES, 9), 6 + 9);
	assert_int_equal(tl_pfile_fields(TL_PFILE_ARCS, 9), 3 + 4 + 4 + 1 + 9);
	assert_int_equal(tl_pfile_fields(TL_PFILE_JUMPS, 9), 3 + 4 + 4 + 1 + 2);
	assert_int_equal(tl_pfile_fields(TL_PFILE_DURATIONS, 9), 2 + 6);
	assert_int_equal(tl_pfile_fields(TL_PFILE_SAMPLES, 9), 3 + 1);
	assert_int_equal(tl_pfile_fields(TL_PFILE_CONTEXT_ORDER, 9), 1);
	assert_int_equal(tl_pfile_fields(TL_PFILE_LINE_SUMS, 9), 2 + 1 + 9);
	assert_int_equal(tl_pfile_fields(TL_PFILE_ARC_SUMS, 9), 3 + 1 + 1 + 9);
}

/* ---- blocks ---- */

/* A block has as many rows as its section says, begins without a row before it, and sums up. */
TEST(blocks_have_their_rows)
{
	enum { EVENTS = 3, FIELDS = 6 + EVENTS };
	struct tl_pfile_row_block block = { .section = 0 };
	uint32_t seed = 6;

	assert_true(tl_pfile_row_block_begin(&block, TL_PFILE_LINES, EVENTS, true));
	assert_int_equal(block.fields, FIELDS);
	assert_int_equal(block.keys, 6);
	assert_int_equal(block.most, 131072 / FIELDS);
	for (unsigned round = 0; round < 3; round++) {
		static uint8_t wanted[ROWS * ROW_ROOM];
		uint64_t last[FIELDS] = { 0 }, row[FIELDS] = { 0 }, all[EVENTS] = { 0 },
			 summed[EVENTS] = { 0 }, count = 0, of = UINT64_MAX;
		uint8_t *plain = wanted;
		size_t runs = 0;

		for (unsigned i = 0; i < ROWS; i++) {
			/* lines of a function are neighbours */
			row[0] = i / 7;
			for (unsigned k = 1; k < 6; k++)
				row[k] = k == 1 ? 0 : chance(&seed, 100);
			for (unsigned e = 0; e < EVENTS; e++) {
				row[6 + e] = chance(&seed, 1000);
				all[e] += row[6 + e];
			}
			runs += row[0] != of;
			of = row[0];
			assert_int_equal(tl_pfile_row_block_add(&block, row, FIELDS), 0);
			plain = put_row_plainly(plain, 6, FIELDS, last, row);
			memcpy(last, row, sizeof(last));
		}
		assert_int_equal(block.rows, ROWS);
		assert_bytes(block.raw, block.used, wanted, (size_t)(plain - wanted));
		assert_int_equal(block.sum_count, runs);
		for (size_t i = 0; i < block.sum_count; i++) {
			const uint64_t *sum = block.sums + i * block.sum_fields;

			assert_int_equal(sum[0], i);
			assert_int_equal(sum[1], 0);
			count += sum[2];
			for (unsigned e = 0; e < EVENTS; e++)
				summed[e] += sum[3 + e];
		}
		assert_int_equal(count, ROWS);
		assert_memory_equal(summed, all, sizeof(all));
		tl_pfile_row_block_clear(&block);
		assert_int_equal(block.rows + block.used + block.sum_count, 0);
	}
	tl_pfile_row_block_free(&block);
	/* more fields than a block has: then each has one row */
	assert_true(tl_pfile_row_block_begin(&block, TL_PFILE_LINES, 131072, false));
	assert_int_equal(block.most, 1);
	assert_int_equal(block.sum_fields, 0);
	tl_pfile_row_block_free(&block);
}

/* Thousands of rows of an order, in pieces of any size. */
TEST(blocks_of_orders)
{
	static uint32_t order[5000];
	static uint8_t wanted[COUNT(order) * TL_PFILE_ORDER_BYTES];
	struct tl_pfile_row_block block = { .section = 0 };
	uint64_t before = 0;
	uint8_t *plain = wanted;
	uint32_t seed = 10;
	size_t first = 0;

	assert_true(tl_pfile_row_block_begin(&block, TL_PFILE_LINE_ORDER, 3, true));
	assert_int_equal(block.section, TL_PFILE_LINE_ORDER);
	assert_int_equal(block.sum_fields, 0);
	assert_int_equal(block.most, 131072);
	for (uint32_t i = 0; i < COUNT(order); i++) {
		uint64_t key;

		order[i] = chance(&seed, 3) ? i : (uint32_t)chance_bits(&seed);
		key = (uint64_t)order[i] - i;
		plain = put_row_plainly(plain, 1, 1, &before, &key);
		before = key;
	}
	for (size_t next; first < COUNT(order); first = next) {
		next = first + 1 + chance(&seed, 2500);
		next = next < COUNT(order) ? next : COUNT(order);
		assert_int_equal(tl_pfile_row_block_add_order(&block, order, first, next - first),
				 0);
		assert_int_equal(block.rows, next);
	}
	assert_int_equal(block.used, plain - wanted);
	assert_memory_equal(block.raw, wanted, block.used);
	tl_pfile_row_block_free(&block);
}

/* Lines with coded costs make the same block and the same sums as their numbers do. */
TEST(blocks_of_coded_lines)
{
	enum { EVENTS = 9, FIELDS = 6 + EVENTS };
	uint32_t seed = 11;

	for (unsigned round = 0; round < 20; round++) {
		struct tl_pfile_row_block plain = { .section = 0 }, coded = { .section = 0 };
		const bool sums = round % 2;

		assert_true(tl_pfile_row_block_begin(&plain, TL_PFILE_LINES, EVENTS, sums));
		assert_true(tl_pfile_row_block_begin(&coded, TL_PFILE_LINES, EVENTS, sums));
		for (unsigned i = 0; i < ROWS; i++) {
			uint64_t row[FIELDS] = { i / 9, i / 5 };
			uint8_t costs[EVENTS * 10 + 8] = { 0 }, *end = costs;
			uint32_t count = chance(&seed, EVENTS + 1);

			for (unsigned k = 2; k < 6; k++)
				row[k] = chance(&seed, 100);
			for (uint32_t e = 0; e < count; e++) {
				row[6 + e] = chance(&seed, 300) + (e + 1 == count);
				end = put_plain(end, zigzag(row[6 + e]));
			}
			assert_int_equal(tl_pfile_row_block_add(&plain, row, FIELDS), 0);
			assert_int_equal(tl_pfile_row_block_add_coded(&coded, row, costs, count),
					 0);
		}
		assert_int_equal(coded.rows, ROWS);
		assert_bytes(coded.raw, coded.used, plain.raw, plain.used);
		assert_int_equal(coded.sum_count, plain.sum_count);
		assert_memory_equal(coded.sums, plain.sums,
				    plain.sum_count * plain.sum_fields * sizeof(*plain.sums));
		tl_pfile_row_block_free(&plain);
		tl_pfile_row_block_free(&coded);
	}
}

/* ---- order ---- */

struct sorted_keys {
	unsigned keys;
	uint64_t rows[600][4];
};

static struct sorted_keys keys_to_sort;

static void key_of(const struct tl_pfile_canon *canon, uint32_t number, uint64_t *row)
{
	assert_null(canon);
	memcpy(row, keys_to_sort.rows[number], keys_to_sort.keys * sizeof(*row));
}

static bool comes_before(uint32_t a, uint32_t b)
{
	for (unsigned k = 0; k < keys_to_sort.keys; k++)
		if (keys_to_sort.rows[a][k] != keys_to_sort.rows[b][k])
			return keys_to_sort.rows[a][k] < keys_to_sort.rows[b][k];
	return false;
}

/*
 * "Those with equal keys stay as they came": keys that are one number, that are too far apart for
 * it, that come in runs, and that are in order already.
 */
TEST(elements_are_sorted_by_their_keys)
{
	struct tl_pfile_sorter sorter = { .key = key_of };
	uint32_t seed = 7;

	for (unsigned round = 0; round < 400; round++) {
		const size_t count = chance(&seed, 300);
		uint32_t numbers[300], wanted[300];

		sorter.keys = keys_to_sort.keys = 1 + chance(&seed, 4);
		for (uint32_t i = 0; i < count; i++) {
			numbers[i] = 2 * ((uint32_t)count - i) - 1;
			for (unsigned k = 0; k < 4; k++)
				keys_to_sort.rows[numbers[i]][k] =
					round % 4 == 0   ? chance(&seed, 3)
					: round % 4 == 1 ? chance_bits(&seed) >> chance(&seed, 64)
					: round % 4 == 2 ? UINT64_MAX - (count - i) % (7 + k)
							 : 1000 * (count - i) + k;
		}
		/* by insertion, behind all that are equal */
		for (size_t i = 0; i < count; i++) {
			size_t at = i;

			for (; at && comes_before(numbers[i], wanted[at - 1]); at--)
				wanted[at] = wanted[at - 1];
			wanted[at] = numbers[i];
		}
		assert_true(tl_pfile_sort(&sorter, numbers, count));
		assert_memory_equal(numbers, wanted, count * sizeof(*numbers));
	}
	tl_pfile_sorter_free(&sorter);
}

/* "Each with its place in the order of their bytes"; one text at two addresses has one place. */
TEST(texts_have_the_ranks_of_their_bytes)
{
	static char texts[3000][8];
	static struct tl_pfile_texts table;
	uint32_t seed = 8;

	for (unsigned round = 0; round < 20; round++) {
		const size_t count = round < 10 ? chance(&seed, 30) : 100 * round;

		table = (struct tl_pfile_texts){ .count = 0 };
		for (size_t i = 0; i < count; i++) {
			const unsigned size = chance(&seed, 4);

			for (unsigned at = 0; at < size; at++)
				texts[i][at] = "aZ\xff\x01"[chance(&seed, 4)];
			texts[i][size] = '\0';
			/* again and again is once */
			for (unsigned times = 0; times < 3; times++)
				assert_true(tl_pfile_texts_add(&table,
							       texts[chance(&seed, 2) ? i : 0]));
			assert_true(tl_pfile_texts_add(&table, texts[i]));
		}
		assert_true(tl_pfile_texts_sort(&table));
		assert_string_equal(table.list[table.sorted[0]], "");
		for (uint32_t rank = 1; rank < table.sorted_count; rank++)
			assert_true(strcmp(table.list[table.sorted[rank - 1]],
					   table.list[table.sorted[rank]]) < 0);
		for (size_t i = 0; i < count; i++) {
			const uint32_t rank = tl_pfile_text_rank(&table, texts[i]);

			assert_true(rank < table.sorted_count);
			assert_string_equal(table.list[table.sorted[rank]], texts[i]);
		}
		tl_pfile_texts_free(&table);
		assert_int_equal(table.count, 0);
	}
}

/* ---- many lists ---- */

enum { LISTS = 9, ELEMENTS = 40 };

struct lists {
	unsigned elements[LISTS][ELEMENTS + 1], counts[LISTS], at[LISTS];
};

static int compare_present(const void *context, uint32_t a, uint32_t b)
{
	const struct lists *lists = context;
	const unsigned x = lists->elements[a][lists->at[a]], y = lists->elements[b][lists->at[b]];

	return x < y ? -1 : x > y;
}

/* The list whose element is the least; "equal elements come in the order of their lists". */
static uint32_t least_of(const struct lists *lists)
{
	uint32_t least = LISTS;

	for (uint32_t i = 0; i < LISTS; i++)
		if (lists->at[i] < lists->counts[i] &&
		    (least == LISTS || compare_present(lists, i, least) < 0))
			least = i;
	return least;
}

TEST(the_least_of_many_lists_comes_first)
{
	uint32_t seed = 9, room[LISTS];

	for (unsigned round = 0; round < 100; round++) {
		struct lists lists = { .counts = { 0 } };
		struct tl_kway_heap heap = { .list = room,
					     .compare = compare_present,
					     .context = &lists };

		for (uint32_t i = 0; i < LISTS; i++) {
			unsigned element = 0;

			lists.counts[i] = chance(&seed, ELEMENTS);
			for (unsigned at = 0; at < lists.counts[i]; at++)
				lists.elements[i][at] = element += chance(&seed, 3);
		}
		/* in any order */
		for (uint32_t i = 0; i < LISTS; i++)
			if (lists.counts[(i * 4 + round) % LISTS])
				tl_kway_heap_push(&heap, (i * 4 + round) % LISTS);
		while (heap.count) {
			const uint32_t first = heap.list[0];

			assert_int_equal(first, least_of(&lists));
			if (++lists.at[first] < lists.counts[first])
				tl_kway_heap_moved(&heap);
			else
				tl_kway_heap_pop(&heap);
		}
		assert_int_equal(least_of(&lists), LISTS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_each_size),
		cmocka_unit_test(rows_are_as_documented),
		cmocka_unit_test(rows_that_make_no_sense),
		cmocka_unit_test(numbers_are_passed),
		cmocka_unit_test(orders_are_rows_of_one_key),
		cmocka_unit_test(coded_costs_are_the_same_rows),
		cmocka_unit_test(sums_add_or_stay),
		cmocka_unit_test(sections_have_fields),
		cmocka_unit_test(blocks_have_their_rows),
		cmocka_unit_test(blocks_of_orders),
		cmocka_unit_test(blocks_of_coded_lines),
		cmocka_unit_test(elements_are_sorted_by_their_keys),
		cmocka_unit_test(texts_have_the_ranks_of_their_bytes),
		cmocka_unit_test(the_least_of_many_lists_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
