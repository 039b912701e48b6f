/* SPDX-License-Identifier: Apache-2.0 */
/* Steps as bytes and back: every kind, times of any size, bytes that end early or make no sense. */
#include "../unit.h"

#include "timeline/calls/steps.h"

/* clang-format off */
static const struct tl_step every_kind[] = {
	{ .ticks = 1000, .function = 7 },
	{ .ticks = 1000, .function = UINT32_MAX, .flags = TL_CALL_LATE },
	{ .ticks = 1129, .end = true },
	{ .ticks = UINT64_MAX - 1, .function = 300, .flags = TL_CALL_HIDDEN },
	{ .ticks = UINT64_MAX - 1, .end = true, .flags = TL_CALL_CUT },
};
/* clang-format on */
enum { KINDS = sizeof(every_kind) / sizeof(every_kind[0]), BASE = 990 };

static void pack_all(struct tl_packed *packed)
{
	struct tl_steps steps = { 0 };

	for (size_t i = 0; i < KINDS; i++)
		tl_steps_put(&steps, every_kind[i]);
	assert_true(tl_steps_pack(&steps, BASE, packed));
	free(steps.list);
}

TEST(steps_come_back_as_they_were)
{
	struct tl_packed packed = { 0 };
	struct tl_steps steps = { 0 };

	pack_all(&packed);
	assert_true(tl_steps_unpack(&steps, BASE, packed.bytes, packed.size));
	assert_int_equal(steps.count, KINDS);
	for (size_t i = 0; i < KINDS; i++) {
		assert_true(steps.list[i].ticks == every_kind[i].ticks);
		assert_int_equal(steps.list[i].function, every_kind[i].function);
		assert_int_equal(steps.list[i].end, every_kind[i].end);
		assert_int_equal(steps.list[i].flags, every_kind[i].flags);
	}
	free(packed.bytes);
	free(steps.list);
}

/* 10 ticks and no bits are 40; 129 ticks and an end are 129 << 2 | 1 = 0x205: 0x85 0x04. */
TEST(a_plain_step_is_a_few_bytes)
{
	static const uint8_t bytes[] = { 40, 7, 0x85, 0x04 };
	struct tl_steps steps = { 0 };
	struct tl_packed packed = { 0 };

	assert_true(tl_steps_unpack(&steps, BASE, bytes, sizeof(bytes)));
	assert_int_equal(steps.count, 2);
	assert_true(steps.list[0].ticks == 1000 && steps.list[0].function == 7);
	assert_true(steps.list[1].ticks == 1129 && steps.list[1].end);
	assert_true(tl_steps_pack(&steps, BASE, &packed));
	assert_int_equal(packed.size, sizeof(bytes));
	assert_memory_equal(packed.bytes, bytes, sizeof(bytes));
	free(packed.bytes);
	free(steps.list);
}

/* Nine bytes have 63 bits of a number: the tenth has the last one, and no more. */
TEST(a_number_has_64_bits)
{
	uint8_t bytes[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x00 };
	struct tl_cursor cur = tl_cursor_over(bytes, sizeof(bytes));
	uint64_t value;

	assert_true(tl_get_varint(&cur, &value));
	assert_true(value == UINT64_MAX);
	assert_int_equal(tl_cursor_left(&cur), 1);
	bytes[9] = 2;
	cur = tl_cursor_over(bytes, sizeof(bytes));
	assert_false(tl_get_varint(&cur, &value));
	bytes[9] = 0x81;
	cur = tl_cursor_over(bytes, sizeof(bytes));
	assert_false(tl_get_varint(&cur, &value));
	cur = tl_cursor_over(bytes, 9);
	assert_false(tl_get_varint(&cur, &value));
}

/* A prefix either ends between two steps, and gives the first ones, or is refused. */
TEST(every_prefix_gives_whole_steps_or_nothing)
{
	struct tl_packed packed = { 0 };
	size_t whole = 0;

	pack_all(&packed);
	for (size_t size = 0; size <= packed.size; size++) {
		struct tl_steps steps = { 0 };

		if (tl_steps_unpack(&steps, BASE, packed.bytes, size))
			assert_int_equal(steps.count, whole++);
		free(steps.list);
	}
	assert_int_equal(whole, KINDS + 1);
	free(packed.bytes);
}

TEST(numbers_that_make_no_sense_are_refused)
{
	static const uint8_t long_number[] = { 0x80, 0x80, 0x80, 0x80, 0x80,
					       0x80, 0x80, 0x80, 0x80, 0x02 };
	static const uint8_t large_function[] = { 40, 0x80, 0x80, 0x80, 0x80, 0x10 };
	struct tl_steps steps = { 0 };

	assert_false(tl_steps_unpack(&steps, 0, long_number, sizeof(long_number)));
	assert_false(tl_steps_unpack(&steps, 0, large_function, sizeof(large_function)));
	free(steps.list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_come_back_as_they_were),
		cmocka_unit_test(a_plain_step_is_a_few_bytes),
		cmocka_unit_test(a_number_has_64_bits),
		cmocka_unit_test(every_prefix_gives_whole_steps_or_nothing),
		cmocka_unit_test(numbers_that_make_no_sense_are_refused),
	};

	return cmocka_run_group_tests_name("timeline steps", tests, NULL, NULL);
}
