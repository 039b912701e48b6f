/* SPDX-License-Identifier: Apache-2.0 */
/* The faults of a decode as they are told: one for each object whose code is missing. */
#include <stdlib.h>
#include <string.h>

#include "../../unit.h"

#include "intel_pt/profile/faults.h"

static const struct tl_pt_mapping library = { .object = "lib.so", .why = "it is not there" };
static const struct tl_pt_mapping other = { .object = "other.so" };

static void add(struct tl_pt_faults *f, enum tl_pt_error why, uint64_t from, uint64_t to,
		uint64_t ip, const struct tl_pt_mapping *mapping)
{
	const struct tl_pt_lost lost = { .why = why, .from = from, .to = to, .ip = ip };

	assert_true(tl_pt_fault_add(f, &lost, mapping));
}

TEST(missing_code_is_one_fault_an_object)
{
	struct tl_pt_faults f = { .count = 0 };

	add(&f, TL_PT_NOMAP, 100, 110, 0x5000, &library);
	assert_string_equal(tl_pt_fault_text(&f.list[0]),
			    "no code at 0x5000 of lib.so (it is not there): 1 time, 10 bytes of "
			    "trace without flow; went on behind them");
	add(&f, TL_PT_NOMAP, 200, 205, 0x900000000, &library);
	add(&f, TL_PT_NOMAP, 300, 307, 0x5000, &other);
	add(&f, TL_PT_NOMAP, 400, 400, 0x4000, &library);
	assert_int_equal(f.count, 2);
	assert_int_equal(f.listed, 2);
	assert_int_equal(f.skipped_bytes, 22);
	assert_string_equal(tl_pt_fault_text(&f.list[0]),
			    "no code at 0x5000 of lib.so (it is not there): 3 times, 15 bytes of "
			    "trace without flow; went on behind them");
	assert_string_equal(tl_pt_fault_text(&f.list[1]),
			    "no code at 0x5000 of other.so (give it with --binary or --raw): 1 "
			    "time, 7 bytes of trace without flow; went on behind them");
	tl_pt_faults_free(&f);
}

/* Addresses without an object are one fault within a megabyte, which grows with them. */
TEST(missing_code_of_nothing_is_one_fault_where_it_is_near)
{
	const uint64_t near = 1 << 20, begin = 0x10000000;
	struct tl_pt_faults f = { .count = 0 };

	add(&f, TL_PT_NOMAP, 0, 1, begin, NULL);
	add(&f, TL_PT_NOMAP, 0, 1, begin + near, NULL);
	assert_int_equal(f.count, 1);
	add(&f, TL_PT_NOMAP, 0, 1, begin + 2 * near, NULL);
	assert_int_equal(f.count, 1);
	add(&f, TL_PT_NOMAP, 0, 1, begin - near, NULL);
	assert_int_equal(f.count, 1);
	add(&f, TL_PT_NOMAP, 0, 1, begin + 3 * near + 1, NULL);
	assert_int_equal(f.count, 2);
	add(&f, TL_PT_NOMAP, 0, 1, begin - 2 * near - 1, NULL);
	assert_int_equal(f.count, 3);
	/* what has an object is not one of them */
	add(&f, TL_PT_NOMAP, 0, 1, begin, &library);
	assert_int_equal(f.count, 4);
	assert_string_equal(tl_pt_fault_text(&f.list[0]),
			    "no code at 0x10000000 (give it with --binary or --raw): 4 times, 4 "
			    "bytes of trace without flow; went on behind them");
	tl_pt_faults_free(&f);
}

/* A range that ends before it begins has no bytes. */
TEST(other_faults_stand_alone)
{
	struct tl_pt_faults f = { .count = 0 };

	add(&f, TL_PT_BAD_OPC, 10, 14, 0x1000, &library);
	add(&f, TL_PT_BAD_OPC, 20, 26, 0x1000, &library);
	add(&f, TL_PT_NOMAP, 30, 20, 0x1000, &library);
	assert_int_equal(f.count, 3);
	assert_int_equal(f.skipped_bytes, 10);
	assert_string_equal(tl_pt_fault_text(&f.list[1]),
			    "unknown opcode; 6 bytes of trace gave no flow, went on behind them");
	tl_pt_faults_free(&f);
}

TEST(a_thousand_are_listed_and_all_are_counted)
{
	struct tl_pt_faults f = { .count = 0 };

	for (unsigned i = 0; i < 1003; i++)
		add(&f, TL_PT_BAD_OPC, i, i + 2, 0, NULL);
	assert_int_equal(f.listed, 1000);
	assert_int_equal(f.count, 1003);
	assert_int_equal(f.skipped_bytes, 2006);
	assert_true(tl_pt_fault_add_text(&f, strdup("a text")));
	assert_int_equal(f.listed, 1000);
	assert_int_equal(f.count, 1004);
	tl_pt_faults_free(&f);
}

TEST(a_text_is_told_once)
{
	struct tl_pt_faults f = { .count = 0 };

	assert_true(tl_pt_fault_add_text(&f, strdup("one")));
	assert_true(tl_pt_fault_add_text(&f, strdup("two")));
	assert_true(tl_pt_fault_add_text(&f, strdup("one")));
	assert_false(tl_pt_fault_add_text(&f, NULL));
	assert_int_equal(f.count, 2);
	assert_string_equal(tl_pt_fault_text(&f.list[0]), "one");
	assert_string_equal(tl_pt_fault_text(&f.list[1]), "two");
	tl_pt_faults_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_code_is_one_fault_an_object),
		cmocka_unit_test(missing_code_of_nothing_is_one_fault_where_it_is_near),
		cmocka_unit_test(other_faults_stand_alone),
		cmocka_unit_test(a_thousand_are_listed_and_all_are_counted),
		cmocka_unit_test(a_text_is_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
