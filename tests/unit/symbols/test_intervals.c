/* SPDX-License-Identifier: Apache-2.0 */
/* "An address belongs to the last item that holds it: the innermost where ranges nest." */

#include "../unit.h"
#include <tracelathe/core.h>

#include "make_elf.h"
#include "symbols/elf/intervals.h"

TEST(nested_and_overlapping_ranges)
{
	/*   0    5    10   15   20   25   30
	 * 0 |--------------------------|        [0, 26)
	 * 1      |---------|                    [5, 15)
	 * 2           |----|                    [10, 15)
	 * 3                     |---------|     [20, 30)
	 * 4                     empty           [22, 22)
	 */
	static const struct tl_interval items[] = {
		{ 0, 26, 0 }, { 5, 15, 1 }, { 10, 15, 2 }, { 20, 30, 3 }, { 22, 22, 4 }
	};
	static const struct {
		uint64_t address;
		uint32_t number;
	} cases[] = { { 0, 0 },
		      { 4, 0 },
		      { 5, 1 },
		      { 9, 1 },
		      { 10, 2 },
		      { 14, 2 },
		      { 15, 0 },
		      { 19, 0 },
		      { 20, 3 },
		      { 22, 3 },
		      { 29, 3 },
		      { 30, TL_NONE },
		      { UINT64_MAX, TL_NONE } };
	struct tl_intervals intervals = { 0 };

	assert_true(tl_intervals_build(&intervals, items, 5));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(tl_intervals_find(&intervals, cases[i].address), cases[i].number);
	tl_intervals_free(&intervals);
}

TEST(no_ranges_hold_nothing)
{
	struct tl_intervals intervals = { 0 };

	assert_true(tl_intervals_build(&intervals, NULL, 0));
	assert_int_equal(tl_intervals_find(&intervals, 0), TL_NONE);
	tl_intervals_free(&intervals);
}

/* The definition itself, item by item, is the oracle. */
static uint32_t last_that_holds(const struct tl_interval *items, size_t count, uint64_t address)
{
	uint32_t found = TL_NONE;

	for (size_t i = 0; i < count; i++)
		if (items[i].start <= address && address < items[i].end)
			found = items[i].number;
	return found;
}

TEST(random_ranges_are_as_defined)
{
	uint64_t random = 4711;

	for (int round = 0; round < 500; round++) {
		struct tl_intervals intervals = { 0 };
		struct tl_interval items[20];
		uint64_t start = 0;

		for (uint32_t i = 0; i < 20; i++) {
			start += next_random(&random) % 4;
			items[i] =
				(struct tl_interval){ start, start + next_random(&random) % 30, i };
		}
		assert_true(tl_intervals_build(&intervals, items, 20));
		for (uint64_t address = 0; address < 100; address++)
			assert_int_equal(tl_intervals_find(&intervals, address),
					 last_that_holds(items, 20, address));
		tl_intervals_free(&intervals);
	}
}

/* Few are sorted in another way than many; starts are near each other or of all 64 bits. */
TEST(painted_ranges_are_as_defined)
{
	enum { MOST = 600 };
	static const size_t counts[] = { 1, 20, 255, 256, 257, MOST };
	static const unsigned widths[] = { 4, 10, 11, 12, 22, 40, 63 };
	static struct tl_interval items[MOST], sorted[MOST];
	uint64_t random = 4712;

	for (size_t round = 0; round < 6 * 7; round++) {
		const size_t count = counts[round % 6];
		const unsigned width = widths[round / 6];
		struct tl_intervals intervals = { 0 };

		for (uint32_t i = 0; i < count; i++) {
			const uint64_t high = next_random(&random) << 32 | next_random(&random);
			const uint64_t start = high & (UINT64_MAX >> (64 - width));

			items[i] = (struct tl_interval){
				start, start + next_random(&random) % 30 * (1 + start / 100), i
			};
		}
		memcpy(sorted, items, sizeof(items));
		assert_true(tl_intervals_paint(&intervals, sorted, count));
		for (size_t i = 0; i < count; i++)
			for (int beside = -1; beside < 2; beside++) {
				const uint64_t start = items[i].start + (uint64_t)(int64_t)beside;
				const uint64_t end = items[i].end + (uint64_t)(int64_t)beside;

				assert_int_equal(tl_intervals_find(&intervals, start),
						 last_that_holds(items, count, start));
				assert_int_equal(tl_intervals_find(&intervals, end),
						 last_that_holds(items, count, end));
			}
		tl_intervals_free(&intervals);
	}
}

/* "Sort items by their starts": of few and of many, near each other and all over the addresses. */
TEST(items_are_sorted_by_their_starts)
{
	static const uint64_t spread[] = { 1, 3, 5000, 1u << 31, UINT64_MAX / 2 };
	static const size_t counts[] = { 0, 1, 2, 100, 255, 256, 257, 3000 };
	static struct tl_interval items[3000];
	static bool met[3000];
	uint64_t random = 1;

	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
		for (size_t s = 0; s < sizeof(spread) / sizeof(spread[0]); s++) {
			for (uint32_t i = 0; i < counts[c]; i++) {
				/* The end tells an item from all others. */
				const uint64_t start = next_random(&random) * 0x9e3779b97f4a7c15u;

				items[i] = (struct tl_interval){ start % spread[s], i, i };
				met[i] = false;
			}
			assert_true(tl_intervals_sort(items, counts[c]));
			for (size_t i = 0; i < counts[c]; i++) {
				if (i)
					assert_true(items[i - 1].start <= items[i].start);
				assert_int_equal(items[i].end, items[i].number);
				assert_false(met[items[i].number]);
				met[items[i].number] = true;
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested_and_overlapping_ranges),
		cmocka_unit_test(no_ranges_hold_nothing),
		cmocka_unit_test(random_ranges_are_as_defined),
		cmocka_unit_test(painted_ranges_are_as_defined),
		cmocka_unit_test(items_are_sorted_by_their_starts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
