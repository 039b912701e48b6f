/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units and lists of ranges made by hand, of which one is damaged or of another kind: what stands
 * before and behind it is read (DWARF 5, 7.5.1, 2.17.3).
 */
#include "../unit.h"

#include <stdio.h>

#include "make_dwarf.h"

enum { CODE = TEXT_AT + 0x10, DW_UT_TYPE = 2, NO_ENTRY = 0x1f };

static const struct shape version_4 = { true, false, false, 4 },
			  version_5 = { true, false, false, 5 };
static struct parts parts;

static const unsigned by_range[] = { DW_AT_name, DW_FORM_string, DW_AT_ranges, DW_FORM_sec_offset,
				     0 };
static const unsigned by_bounds[] = {
	DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0
};

/* The root of all of .text, which has number 1, and what its children are. */
static void put_root(unsigned tag, const unsigned *pairs)
{
	static const unsigned root[] = { DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4,
					 0 };

	put_abbreviation(&parts, 1, tag, true, root);
	put_abbreviation(&parts, 2, DW_TAG_subprogram, false, pairs);
	put(&parts.abbrev, 0, 1);
	put(&parts.info, 1, 1);
	put(&parts.info, TEXT_AT, 8);
	put(&parts.info, TEXT_SIZE, 4);
}

static void end_unit(size_t begun)
{
	put(&parts.info, 0, 1);
	end_length(&parts, &parts.info, begun);
}

static void put_bounds(const char *name, uint64_t start)
{
	put(&parts.info, 2, 1);
	put_text(&parts.info, name);
	put(&parts.info, start, 8);
	put(&parts.info, 8, 4);
}

static void expect_fault(enum tl_status status, uint64_t offset, const char *words)
{
	const struct tl_dwarf_faults *faults = tl_dwarf_faults(&parts.dwarf);

	assert_true(faults->count > 0);
	assert_int_equal(faults->first.status, status);
	assert_int_equal(faults->first.offset, offset);
	assert_non_null(strstr(faults->first.text, words));
	tl_dwarf_close(&parts.dwarf);
}

/* ---- lists ---- */

/* One function whose list stands at 0, and one behind it. */
static void put_listed(struct shape shape)
{
	begin_parts(&parts, shape);
	size_t begun = begin_unit(&parts);

	put_root(0x11, by_range);
	put(&parts.info, 2, 1);
	put_text(&parts.info, "listed");
	put(&parts.info, 0, 4);
	end_unit(begun);
}

/* "A damaged list keeps the ranges before the damage." */
TEST(a_list_without_its_end)
{
	put_listed(version_4);
	put(&parts.ranges, 0x10, 8);
	put(&parts.ranges, 0x18, 8);
	put(&parts.ranges, 0x20, 4);
	read_parts(&parts);
	assert_string_equal(chain_at(&parts, CODE + 7), "listed");
	assert_string_equal(chain_at(&parts, CODE + 8), "");
	expect_fault(TL_TRUNCATED, 16, ".debug_ranges: a list has no end");

	put_listed(version_5);
	put(&parts.rnglists, DW_RLE_offset_pair, 1);
	put(&parts.rnglists, 0x10, 1);
	put(&parts.rnglists, 0x18, 1);
	put(&parts.rnglists, DW_RLE_offset_pair, 1);
	put(&parts.rnglists, 0x20, 1);
	read_parts(&parts);
	assert_string_equal(chain_at(&parts, CODE + 7), "listed");
	assert_string_equal(chain_at(&parts, CODE + 0x10), "");
	expect_fault(TL_BAD_RECORD, 5, ".debug_rnglists: a list has no end");
}

TEST(a_list_with_an_unknown_entry)
{
	put_listed(version_5);
	put(&parts.rnglists, DW_RLE_start_length, 1);
	put(&parts.rnglists, CODE, 8);
	put(&parts.rnglists, 8, 1);
	put(&parts.rnglists, NO_ENTRY, 1);
	put(&parts.rnglists, DW_RLE_start_length, 1);
	put(&parts.rnglists, CODE + 8, 8);
	put(&parts.rnglists, 8, 1);
	put(&parts.rnglists, DW_RLE_end_of_list, 1);
	read_parts(&parts);
	assert_string_equal(chain_at(&parts, CODE), "listed");
	assert_string_equal(chain_at(&parts, CODE + 8), "");
	expect_fault(TL_BAD_RECORD, 11, "an unknown entry");
}

/* ---- units ---- */

/* "7.5.1.3 Type Unit Headers": a signature and an offset more; the next unit is found. */
TEST(units_of_types_are_passed_over)
{
	begin_parts(&parts, version_5);
	size_t begun = begin_length(&parts, &parts.info);

	put(&parts.info, 5, 2);
	put(&parts.info, DW_UT_TYPE, 1);
	put(&parts.info, 8, 1);
	put(&parts.info, 0, 4);
	put(&parts.info, 0x1122334455667788, 8);
	put(&parts.info, 24, 4);
	put_root(0x41, by_bounds);
	end_unit(begun);
	begun = begin_unit(&parts);
	put_at(&parts.info, parts.info.size - 4, parts.abbrev.size, 4);
	put_root(0x11, by_bounds);
	put_bounds("behind", CODE);
	end_unit(begun);
	read_parts(&parts);
	assert_string_equal(chain_at(&parts, CODE), "behind");
	assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
	tl_dwarf_close(&parts.dwarf);
}

/* A header that ends in each of its fields; the unit behind it is read. */
TEST(a_unit_shorter_than_its_header)
{
	for (unsigned length = 2; length < 7; length++) {
		begin_parts(&parts, version_4);
		size_t begun = begin_length(&parts, &parts.info);

		put(&parts.info, 4, 2);
		for (unsigned i = 2; i < length; i++)
			put(&parts.info, 0, 1);
		end_length(&parts, &parts.info, begun);
		begun = begin_unit(&parts);
		put_root(0x11, by_bounds);
		put_bounds("behind", CODE);
		end_unit(begun);
		read_parts(&parts);
		assert_string_equal(chain_at(&parts, CODE), "behind");
		expect_fault(TL_TRUNCATED, 0, "cut short");
	}
}

/* "DW_AT_MIPS_linkage_name", which compilers before DWARF 4 wrote. */
TEST(linkage_names_of_old_compilers)
{
	static const unsigned old[] = {
		0x2007, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0
	};
	size_t begun;

	begin_parts(&parts, version_4);
	begun = begin_unit(&parts);
	put_root(0x11, old);
	put_bounds("linked", CODE);
	end_unit(begun);
	read_parts(&parts);
	assert_string_equal(chain_at(&parts, CODE), "linked");
	assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
	tl_dwarf_close(&parts.dwarf);
}

/* An address by a number that the table does not have: the range is left out. */
TEST(an_address_that_is_not_in_the_table)
{
	static const unsigned indexed[] = { DW_AT_name,
					    DW_FORM_string,
					    DW_AT_low_pc,
					    DW_FORM_addr,
					    DW_AT_high_pc,
					    DW_FORM_addrx,
					    0 };

	for (unsigned number = 0; number < 3; number++) {
		begin_parts(&parts, version_5);
		size_t begun = begin_unit(&parts);

		put(&parts.addr, 0, 8); /* the header of the table */
		put(&parts.addr, CODE + 4, 8);
		put(&parts.addr, CODE + 8, 8);
		put_root(0x11, indexed);
		put(&parts.info, 2, 1);
		put_text(&parts.info, "f");
		put(&parts.info, CODE, 8);
		put(&parts.info, number, 1);
		end_unit(begun);
		read_parts(&parts);
		assert_string_equal(chain_at(&parts, CODE + 3), number < 2 ? "f" : "");
		assert_string_equal(chain_at(&parts, CODE + 7), number == 1 ? "f" : "");
		assert_string_equal(chain_at(&parts, CODE + 8), "");
		assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, number == 2);
		tl_dwarf_close(&parts.dwarf);
	}
}

/*
 * Compilers write a table of abbreviations for each unit. Addresses that are asked for in no order
 * must not read the tables so often that the limit of hostile files is met: names went missing.
 */
TEST(many_units_asked_in_turn)
{
	enum { UNITS = 128, BYTES = TEXT_SIZE / UNITS, ROUNDS = 400 };
	char name[8];

	begin_parts(&parts, version_4);
	for (unsigned i = 0; i < UNITS; i++) {
		const uint64_t table = parts.abbrev.size;
		const size_t begun = begin_unit(&parts);

		put_at(&parts.info, begun + 2, table, 4);
		put_abbreviation(&parts, 1, 0x11, true, by_bounds);
		put_abbreviation(&parts, 2, DW_TAG_subprogram, false, by_bounds);
		put(&parts.abbrev, 0, 1);
		for (unsigned entry = 1; entry <= 2; entry++) {
			snprintf(name, sizeof(name), "f%u", i);
			put(&parts.info, entry, 1);
			put_text(&parts.info, name);
			put(&parts.info, TEXT_AT + i * BYTES, 8);
			put(&parts.info, BYTES, 4);
		}
		end_unit(begun);
	}
	read_parts(&parts);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < UNITS; i++) {
			snprintf(name, sizeof(name), "f%u", i);
			assert_string_equal(chain_at(&parts, TEXT_AT + i * BYTES + 1), name);
		}
	assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
	tl_dwarf_close(&parts.dwarf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_without_its_end),
		cmocka_unit_test(a_list_with_an_unknown_entry),
		cmocka_unit_test(units_of_types_are_passed_over),
		cmocka_unit_test(a_unit_shorter_than_its_header),
		cmocka_unit_test(linkage_names_of_old_compilers),
		cmocka_unit_test(an_address_that_is_not_in_the_table),
		cmocka_unit_test(many_units_asked_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
