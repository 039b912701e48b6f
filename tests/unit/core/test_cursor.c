/* SPDX-License-Identifier: Apache-2.0 */
/* "All untrusted bytes are read here." */
#include "../unit.h"

#include "core/cursor.h"

static const uint8_t bytes[] = { 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09 };

/* A size from a file may be any number: none of them wraps round. */
TEST(a_bound_holds_for_every_size)
{
	struct tl_cursor cur = tl_cursor_over(bytes, sizeof(bytes));

	assert_int_equal(tl_cursor_left(&cur), 9);
	assert_true(tl_cursor_has(&cur, 0));
	assert_true(tl_cursor_has(&cur, 9));
	assert_false(tl_cursor_has(&cur, 10));
	assert_false(tl_cursor_has(&cur, UINT32_MAX));
	assert_false(tl_cursor_has(&cur, (uint64_t)1 << 63));
	assert_false(tl_cursor_has(&cur, UINT64_MAX));
	cur.pos += 9;
	assert_true(tl_cursor_has(&cur, 0));
	assert_false(tl_cursor_has(&cur, 1));
	assert_false(tl_cursor_has(&cur, UINT64_MAX));
}

TEST(an_empty_input_has_nothing)
{
	struct tl_cursor cur = tl_cursor_over(NULL, 0);

	assert_int_equal(tl_cursor_left(&cur), 0);
	assert_true(tl_cursor_has(&cur, 0));
	assert_false(tl_cursor_has(&cur, 1));
	tl_cursor_seek(&cur, 100);
	assert_int_equal(tl_cursor_offset(&cur), 0);
}

/* "past the end means to the end" */
TEST(a_seek_stays_inside)
{
	struct tl_cursor cur = tl_cursor_over(bytes, sizeof(bytes));

	tl_cursor_seek(&cur, 4);
	assert_int_equal(*cur.pos, 5);
	assert_int_equal(tl_cursor_offset(&cur), 4);
	tl_cursor_seek(&cur, 10);
	assert_int_equal(tl_cursor_offset(&cur), 9);
	tl_cursor_seek(&cur, UINT64_MAX);
	assert_int_equal(tl_cursor_offset(&cur), 9);
	tl_cursor_seek(&cur, 0);
	assert_int_equal(tl_cursor_left(&cur), 9);
}

/* "Bound the cursor at an offset, at most its present end." */
TEST(a_limit_only_narrows)
{
	struct tl_cursor cur = tl_cursor_over(bytes, sizeof(bytes));

	tl_cursor_limit(&cur, UINT64_MAX);
	assert_int_equal(tl_cursor_left(&cur), 9);
	tl_cursor_limit(&cur, 6);
	assert_int_equal(tl_cursor_left(&cur), 6);
	tl_cursor_limit(&cur, 9);
	assert_int_equal(tl_cursor_left(&cur), 6);
	tl_cursor_seek(&cur, 9);
	assert_int_equal(tl_cursor_offset(&cur), 6);
}

/* A limit behind the position leaves nothing, not less than nothing. */
TEST(a_limit_behind_the_position_leaves_nothing)
{
	struct tl_cursor cur = tl_cursor_over(bytes, sizeof(bytes));

	tl_cursor_seek(&cur, 6);
	tl_cursor_limit(&cur, 3);
	assert_int_equal(tl_cursor_left(&cur), 0);
	assert_false(tl_cursor_has(&cur, 1));
}

/* Loads at odd addresses, in both byte orders. */
TEST(loads_in_both_orders)
{
	bool big = TL_HOST_BIG_ENDIAN;

	assert_int_equal(tl_get16s(bytes + 1, big), 0x0302);
	assert_int_equal(tl_get16s(bytes + 1, !big), 0x0203);
	assert_int_equal(tl_get32s(bytes + 1, big), 0x05040302);
	assert_int_equal(tl_get32s(bytes + 1, !big), 0x02030405);
	assert_true(tl_get64s(bytes + 1, big) == 0x0908070605040302);
	assert_true(tl_get64s(bytes + 1, !big) == 0x0203040506070809);
}

/* The first byte is the least one, on every machine. */
TEST(little_endian_loads)
{
	assert_int_equal(tl_le16(bytes), 0x0201);
	assert_int_equal(tl_le32(bytes), 0x04030201);
	assert_true(tl_le64(bytes) == UINT64_C(0x0807060504030201));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bound_holds_for_every_size),
		cmocka_unit_test(an_empty_input_has_nothing),
		cmocka_unit_test(a_seek_stays_inside),
		cmocka_unit_test(a_limit_only_narrows),
		cmocka_unit_test(a_limit_behind_the_position_leaves_nothing),
		cmocka_unit_test(loads_in_both_orders),
		cmocka_unit_test(little_endian_loads),
	};

	return cmocka_run_group_tests_name("core cursor", tests, NULL, NULL);
}
