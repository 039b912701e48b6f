/* SPDX-License-Identifier: Apache-2.0 */
/* A sort of numbers that are nearly in order, against a selection of the least one. */
#include "../unit.h"

#include "profile/model/near_order.h"

enum { MOST = 200 };

static uint32_t random_state;

static uint32_t below(uint32_t limit)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 16) % limit;
}

/* The context has a key for each number. */
static bool in_order(const void *context, uint32_t first, uint32_t second)
{
	const uint32_t *keys = context;

	return keys[first] <= keys[second];
}

static void expect_sorted(const uint32_t *keys, uint32_t count, const uint32_t *order)
{
	bool taken[MOST] = { false };

	for (uint32_t i = 0; i < count; i++) {
		uint32_t least = MOST;

		/* The first of those with the least key: equal ones keep their order. */
		for (uint32_t k = 0; k < count; k++)
			if (!taken[k] && (least == MOST || keys[k] < keys[least]))
				least = k;
		taken[least] = true;
		assert_int_equal(order[i], least);
	}
}

static void sort_keys(const uint32_t *keys, uint32_t count)
{
	uint32_t first[MOST], second[MOST], *order = first, *room = second;

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	tl_near_order(&order, &room, count, in_order, keys);
	assert_true((order == first && room == second) || (order == second && room == first));
	expect_sorted(keys, count, order);
}

/* Random keys, and ascending ones some of which are a few places away, in runs of any length. */
TEST(any_keys)
{
	uint32_t keys[MOST];

	for (uint32_t round = 0; round < 600; round++) {
		uint32_t count = round < 20 ? round : below(MOST + 1), run = 1 + below(MOST);
		uint32_t spread = below(3) ? below(40) + 1 : 100000;

		random_state = random_state + round;
		for (uint32_t i = 0; i < count; i++)
			keys[i] = (i % run) * 4 + below(spread);
		sort_keys(keys, count);
	}
}

/* One key that is out of place by just as much as a run bears, and by one more, at either end. */
TEST(edges_of_a_run)
{
	uint32_t keys[MOST];

	for (uint32_t place = 0; place < 2 * TL_NEAR_PLACES + 4; place++) {
		for (uint32_t count = place + 1; count < place + 3; count++) {
			for (uint32_t i = 0; i < count; i++)
				keys[i] = i * 2 + 10;
			keys[place] = 1;
			sort_keys(keys, count);
			keys[place] = keys[0];
			sort_keys(keys, count);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_keys),
		cmocka_unit_test(edges_of_a_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
