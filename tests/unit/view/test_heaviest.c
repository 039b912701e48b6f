/* SPDX-License-Identifier: Apache-2.0 */
/* The heaviest rows of a list, against all of them sorted. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include "../chance.h"
#include "view/rows/heaviest.h"

static int by_weight(const void *a, const void *b)
{
	const struct tl_view_row *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Weights of so many bits; `few`: many rows have the same. */
static void expect_heaviest(uint32_t seed, size_t count, size_t most, unsigned bits, bool few)
{
	struct tl_view_row *list = calloc(count + 1, sizeof(*list));
	struct tl_view_row *sorted = calloc(count + 1, sizeof(*list));
	const size_t shown = count < most ? count : most;

	assert_true(list && sorted);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t weight = bits ? chance_bits(&seed) >> (64 - bits) : 0;

		list[i] = (struct tl_view_row){ few ? weight & ~UINT64_C(0) << (bits - 2) : weight,
						i };
	}
	memcpy(sorted, list, count * sizeof(*list));
	qsort(sorted, count, sizeof(*sorted), by_weight);
	assert_int_equal(tl_view_heaviest(list, count, most), shown);
	for (size_t i = 0; i < shown; i++) {
		assert_int_equal(list[i].number, sorted[i].number);
		assert_int_equal(list[i].weight, sorted[i].weight);
	}
	free(list);
	free(sorted);
}

TEST(the_heaviest_rows_are_in_front)
{
	static const unsigned bits[] = { 0, 1, 7, 11, 12, 22, 23, 40, 55, 56, 63, 64 };

	for (unsigned i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		for (size_t count = 0; count < 3000; count = count * 3 + 1)
			for (size_t most = 1; most < 5000; most *= 7)
				expect_heaviest(i + (uint32_t)count, count, most, bits[i],
						bits[i] > 2 && count % 2);
}

/* One row has nearly all: the digits that the others differ in are not among its highest. */
TEST(a_single_heavy_row_hides_no_order)
{
	struct tl_view_row list[200];

	for (uint32_t i = 0; i < 200; i++)
		list[i] = (struct tl_view_row){ i == 77 ? UINT64_MAX : i % 100, i };
	assert_int_equal(tl_view_heaviest(list, 200, 4), 4);
	assert_int_equal(list[0].number, 77);
	assert_int_equal(list[1].number, 99);
	assert_int_equal(list[2].number, 199);
	assert_int_equal(list[3].number, 98);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_heaviest_rows_are_in_front),
		cmocka_unit_test(a_single_heavy_row_hides_no_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
