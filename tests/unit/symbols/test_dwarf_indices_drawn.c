/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units whose names, addresses and lists of ranges are numbers of tables (DWARF version 5, 7.5.5,
 * 7.25 to 7.27; version 4 with GNU's forms). Each unit has its own part of each table, behind those
 * of others and what belongs to nobody. Which function an address is of is known before, as each
 * has painted its own.
 */
#include "draw_entries.h"

#include <stdio.h>

enum {
	ROUNDS = 300,
	UNITS = 3,
	UNIT_CODE = 0x120,
	MOST_FUNCTIONS = 40,
	MOST_NUMBERS = 120,
	NONE = MOST_FUNCTIONS,
};

struct numbers {
	uint64_t list[MOST_NUMBERS];
	unsigned count;
	size_t base; /* where the unit's part of the table begins */
};

struct range {
	uint64_t start, end;
};

static struct entries e;
/* Of the unit that is written: offsets of texts, addresses, and lists with where each begins. */
static struct numbers texts, addresses, lists;
static struct made list_bytes;
static unsigned owner[TEXT_SIZE], function_count;
static uint64_t unit_low; /* what offsets count from */

/* ---- tables ---- */

static size_t offset_size(void)
{
	return e.parts.shape.wide ? 8 : 4;
}

static unsigned add_number(struct numbers *numbers, uint64_t number)
{
	assert_true(numbers->count < MOST_NUMBERS);
	numbers->list[numbers->count] = number;
	return numbers->count++;
}

/* The number of an address, which may be there already. */
static unsigned add_address(uint64_t address)
{
	for (unsigned i = 0; i < addresses.count; i++)
		if (addresses.list[i] == address && chance(&e.seed, 2))
			return i;
	return add_number(&addresses, address);
}

/* What no unit has: headers begin anywhere. */
static void begin_tables(bool headers)
{
	const size_t length = e.parts.shape.wide ? 12 : 4;

	put_fill(&e.parts.str_offsets, chance(&e.seed, 9));
	put_fill(&e.parts.addr, chance(&e.seed, 9));
	put_fill(&e.parts.rnglists, chance(&e.seed, 9));
	/* length, version and padding; version, size of addresses and of segments; and a count */
	texts = (struct numbers){ .base = e.parts.str_offsets.size + length + 4 };
	addresses = (struct numbers){ .base = e.parts.addr.size + (headers ? length + 4 : 0) };
	lists = (struct numbers){ .base = e.parts.rnglists.size + length + 8 };
	list_bytes = made_like(&e.parts.rnglists);
}

static void end_tables(bool headers)
{
	struct parts *parts = &e.parts;
	const unsigned address = parts->shape.is_64bit ? 8 : 4;
	size_t begun = 0;

	if (headers) {
		begun = begin_length(parts, &parts->str_offsets);
		put(&parts->str_offsets, 5, 2);
		put(&parts->str_offsets, 0, 2);
		assert_int_equal(parts->str_offsets.size, texts.base);
		for (unsigned i = 0; i < texts.count; i++)
			put_offset(parts, &parts->str_offsets, texts.list[i]);
		end_length(parts, &parts->str_offsets, begun);
		begun = begin_length(parts, &parts->rnglists);
		put(&parts->rnglists, 5, 2);
		put(&parts->rnglists, address, 1);
		put(&parts->rnglists, 0, 1);
		put(&parts->rnglists, lists.count, 4);
		assert_int_equal(parts->rnglists.size, lists.base);
		for (unsigned i = 0; i < lists.count; i++)
			put_offset(parts, &parts->rnglists,
				   lists.count * offset_size() + lists.list[i]);
		put_bytes(&parts->rnglists, list_bytes.bytes, list_bytes.size);
		end_length(parts, &parts->rnglists, begun);
		begun = begin_length(parts, &parts->addr);
		put(&parts->addr, 5, 2);
		put(&parts->addr, address, 1);
		put(&parts->addr, 0, 1);
	}
	assert_int_equal(parts->addr.size, addresses.base);
	for (unsigned i = 0; i < addresses.count; i++)
		put_word(&parts->addr, addresses.list[i]);
	if (headers)
		end_length(parts, &parts->addr, begun);
}

/* ---- attributes ---- */

static void put_index(unsigned name, const unsigned forms[5], unsigned index)
{
	static const unsigned sizes[] = { 0, 1, 2, 3, 4 };
	const unsigned form = chance(&e.seed, 5);

	put_attribute(&e, name, forms[form]);
	if (sizes[form])
		put(&e.parts.info, index, sizes[form]);
	else
		put_uleb(&e.parts.info, index);
}

static void put_name(const char *text)
{
	static const unsigned forms[] = { DW_FORM_strx, DW_FORM_strx1, DW_FORM_strx2, DW_FORM_strx3,
					  DW_FORM_strx4 };

	if (e.parts.shape.version < 5) {
		put_string(&e, DW_AT_name, text);
		return;
	}
	put_index(DW_AT_name, forms, add_number(&texts, e.parts.str.size));
	put_text(&e.parts.str, text);
}

static void put_numbered(unsigned name, uint64_t address)
{
	static const unsigned forms[] = { DW_FORM_addrx, DW_FORM_addrx1, DW_FORM_addrx2,
					  DW_FORM_addrx3, DW_FORM_addrx4 };

	if (!chance(&e.seed, 5)) {
		put_address(&e, name, address);
	} else if (e.parts.shape.version >= 5) {
		put_index(name, forms, add_address(address));
	} else {
		put_attribute(&e, name, DW_FORM_GNU_addr_index);
		put_uleb(&e.parts.info, add_address(address));
	}
}

/* One range in a list of version 5, after whatever base is told before it. */
static void put_range(const struct range *range, uint64_t *base)
{
	switch (chance(&e.seed, 6)) {
	case 0:
		put(&list_bytes, DW_RLE_startx_endx, 1);
		put_uleb(&list_bytes, add_address(range->start));
		put_uleb(&list_bytes, add_address(range->end));
		return;
	case 1:
		put(&list_bytes, DW_RLE_startx_length, 1);
		put_uleb(&list_bytes, add_address(range->start));
		put_uleb(&list_bytes, range->end - range->start);
		return;
	case 2:
		put(&list_bytes, DW_RLE_start_end, 1);
		put_word(&list_bytes, range->start);
		put_word(&list_bytes, range->end);
		return;
	case 3:
		put(&list_bytes, DW_RLE_start_length, 1);
		put_word(&list_bytes, range->start);
		put_uleb(&list_bytes, range->end - range->start);
		return;
	case 4:
		*base = range->start - chance(&e.seed, 9);
		if (chance(&e.seed, 2)) {
			put(&list_bytes, DW_RLE_base_address, 1);
			put_word(&list_bytes, *base);
		} else {
			put(&list_bytes, DW_RLE_base_addressx, 1);
			put_uleb(&list_bytes, add_address(*base));
		}
		break;
	default:
		break;
	}
	put(&list_bytes, DW_RLE_offset_pair, 1);
	put_uleb(&list_bytes, range->start - *base);
	put_uleb(&list_bytes, range->end - *base);
}

/* "A range list entry that is empty has no effect": there are some. */
static void put_numbered_list(const struct range *ranges, unsigned count)
{
	uint64_t base = unit_low;

	put_attribute(&e, DW_AT_ranges, DW_FORM_rnglistx);
	put_uleb(&e.parts.info, add_number(&lists, list_bytes.size));
	for (unsigned i = 0; i < count; i++) {
		const struct range empty = { ranges[i].start, ranges[i].start };

		if (!chance(&e.seed, 5))
			put_range(&empty, &base);
		put_range(&ranges[i], &base);
	}
	put(&list_bytes, DW_RLE_end_of_list, 1);
}

/* "a base address selection entry: the largest address, and the base" (version 4, 2.17.3) */
static void put_old_list(const struct range *ranges, unsigned count)
{
	struct made *list = &e.parts.ranges;
	uint64_t base = unit_low;

	put_attribute(&e, DW_AT_ranges, DW_FORM_sec_offset);
	put_offset(&e.parts, &e.parts.info, list->size);
	for (unsigned i = 0; i < count; i++) {
		if (!chance(&e.seed, 3)) {
			base = ranges[i].start - chance(&e.seed, 9);
			put_word(list, UINT64_MAX);
			put_word(list, base);
		}
		put_word(list, ranges[i].start - base);
		put_word(list, ranges[i].end - base);
	}
	put_word(list, 0);
	put_word(list, 0);
}

static void put_ranges(const struct range *ranges, unsigned count)
{
	if (count == 1 && chance(&e.seed, 2)) {
		put_numbered(DW_AT_low_pc, ranges->start);
		if (chance(&e.seed, 2))
			put_numbered(DW_AT_high_pc, ranges->end);
		else
			put_constant(&e, DW_AT_high_pc, (unsigned)(ranges->end - ranges->start));
	} else if (e.parts.shape.version >= 5) {
		put_numbered_list(ranges, count);
	} else {
		put_old_list(ranges, count);
	}
}

/* ---- units ---- */

static void put_base(unsigned name, size_t base)
{
	put_attribute(&e, name, DW_FORM_sec_offset);
	put_offset(&e.parts, &e.parts.info, base);
}

/* The bases stand before or behind what is counted from them. */
static void put_bases(bool now)
{
	if (!now)
		return;
	if (e.parts.shape.version < 5) {
		put_base(DW_AT_GNU_addr_base, addresses.base);
		return;
	}
	put_base(DW_AT_str_offsets_base, texts.base);
	put_base(DW_AT_addr_base, addresses.base);
	put_base(DW_AT_rnglists_base, lists.base);
}

static void put_root(uint64_t low, bool listed)
{
	const struct range whole = { low, low + UNIT_CODE };
	const bool first = chance(&e.seed, 2);

	begin_entry(&e, 0x11, true);
	put_bases(first);
	put_name("a unit");
	/* "base address 0, and a list" is how compilers write units of several parts */
	unit_low = listed ? 0 : low;
	if (listed) {
		put_address(&e, DW_AT_low_pc, 0);
		(e.parts.shape.version < 5 ? put_old_list : put_numbered_list)(&whole, 1);
	} else {
		put_numbered(DW_AT_low_pc, low);
		put_constant(&e, DW_AT_high_pc, UNIT_CODE);
	}
	put_bases(!first);
	end_entry(&e);
}

/* Up to three functions take turns along the code of the unit; some of it is nobody's. */
static void put_functions(uint64_t low)
{
	const unsigned functions = 1 + chance(&e.seed, 4);
	struct range ranges[4][3];
	unsigned counts[4] = { 0 };

	for (uint64_t at = low, size; at < low + UNIT_CODE; at += size) {
		const unsigned one = chance(&e.seed, functions + 1);

		size = 1 + chance(&e.seed, 48);
		if (size > low + UNIT_CODE - at)
			size = low + UNIT_CODE - at;
		if (one == functions || counts[one] == 3)
			continue;
		ranges[one][counts[one]++] = (struct range){ at, at + size };
		for (uint64_t byte = at; byte < at + size; byte++)
			owner[byte - TEXT_AT] = function_count + one;
	}
	for (unsigned one = 0; one < functions; one++) {
		char name[16];

		snprintf(name, sizeof(name), "f%u", function_count + one);
		begin_entry(&e, DW_TAG_subprogram, false);
		put_others(&e);
		put_name(name);
		if (counts[one])
			put_ranges(ranges[one], counts[one]);
		end_entry(&e);
	}
	function_count += functions;
}

static void draw_unit(unsigned number)
{
	const uint64_t low = TEXT_AT + 0x10 + number * (UNIT_CODE + 0x20);
	const unsigned version = 4 + chance(&e.seed, 2);

	begin_drawn_unit(&e, version);
	begin_tables(version >= 5);
	put_root(low, chance(&e.seed, 2));
	put_functions(low);
	end_drawn_unit(&e);
	end_tables(version >= 5);
}

static void draw_file(uint32_t round)
{
	begin_entries(&e, shapes[round % 4], round * 7919);
	function_count = 0;
	for (unsigned i = 0; i < TEXT_SIZE; i++)
		owner[i] = NONE;
	put_fill(&e.parts.ranges, 8);
	for (unsigned unit = 0; unit < UNITS; unit++)
		draw_unit(unit);
	read_parts(&e.parts);
}

TEST(addresses_are_of_whom_the_tables_say)
{
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		draw_file(round);
		for (unsigned i = 0; i < TEXT_SIZE; i++) {
			char name[16] = "";

			if (owner[i] != NONE)
				snprintf(name, sizeof(name), "f%u", owner[i]);
			if (strcmp(chain_at(&e.parts, TEXT_AT + i), name) != 0)
				fail_msg("round %u: %#x is of \"%s\", not of \"%s\"", round,
					 TEXT_AT + i, chain_at(&e.parts, TEXT_AT + i), name);
		}
		assert_int_equal(tl_dwarf_faults(&e.parts.dwarf)->count, 0);
		tl_dwarf_close(&e.parts.dwarf);
	}
}

/* ---- numbers that the tables do not have ---- */

enum wrong { WRONG_NAME, WRONG_ADDRESS, WRONG_LIST, WRONG_LIST_ADDRESS, WRONGS };

/* A unit of two functions, of which the second one has a number behind its table. */
static void put_wrong(enum wrong wrong, bool wide)
{
	const struct range first = { TEXT_AT, TEXT_AT + 8 };

	begin_entries(&e, (struct shape){ .is_64bit = true }, 1);
	do {
		e.parts.info.size = e.parts.abbrev.size = 0;
		begin_drawn_unit(&e, 5);
	} while (e.parts.shape.wide != wide);
	begin_tables(true);
	put_root(TEXT_AT, false);
	begin_entry(&e, DW_TAG_subprogram, false);
	put_name("first");
	put_numbered_list(&first, 1);
	end_entry(&e);
	begin_entry(&e, DW_TAG_subprogram, false);
	if (wrong == WRONG_NAME) {
		put_attribute(&e, DW_AT_name, DW_FORM_strx2);
		put(&e.parts.info, 500, 2);
	} else {
		put_name("second");
	}
	if (wrong == WRONG_LIST) {
		put_attribute(&e, DW_AT_ranges, DW_FORM_rnglistx);
		put_uleb(&e.parts.info, 500);
	} else if (wrong == WRONG_LIST_ADDRESS) {
		put_attribute(&e, DW_AT_ranges, DW_FORM_rnglistx);
		put_uleb(&e.parts.info, add_number(&lists, list_bytes.size));
		put(&list_bytes, DW_RLE_startx_length, 1);
		put_uleb(&list_bytes, 500);
		put_uleb(&list_bytes, 8);
		put(&list_bytes, DW_RLE_start_length, 1);
		put_word(&list_bytes, TEXT_AT + 0x10);
		put_uleb(&list_bytes, 8);
		put(&list_bytes, DW_RLE_end_of_list, 1);
	} else {
		put_attribute(&e, DW_AT_low_pc, DW_FORM_addrx);
		put_uleb(&e.parts.info, wrong == WRONG_ADDRESS ? 500 : add_address(TEXT_AT + 0x10));
		put_attribute(&e, DW_AT_high_pc, DW_FORM_data1);
		put(&e.parts.info, 8, 1);
	}
	end_entry(&e);
	end_drawn_unit(&e);
	end_tables(true);
	read_parts(&e.parts);
}

TEST(numbers_that_no_table_has)
{
	/* What is told, and who the code of the second function is of then. */
	static const struct {
		enum tl_status status;
		const char *text, *chain;
	} rows[WRONGS] = {
		{ TL_BAD_SIZE, ".debug_str: a name reaches past the end; names may be missing",
		  "?" },
		{ TL_BAD_SIZE,
		  ".debug_addr: an address reaches past the end; names and lines may be missing",
		  "" },
		{ TL_BAD_RECORD,
		  ".debug_rnglists: a list has no end or an unknown entry; names and lines may be "
		  "missing",
		  "" },
		{ TL_BAD_SIZE,
		  ".debug_addr: an address reaches past the end; names and lines may be missing",
		  "second" },
	};

	for (unsigned i = 0; i < 2 * WRONGS; i++) {
		const enum wrong wrong = i / 2;
		const struct tl_dwarf_faults *faults;

		put_wrong(wrong, i % 2);
		assert_string_equal(chain_at(&e.parts, TEXT_AT + 0x10), rows[wrong].chain);
		assert_string_equal(chain_at(&e.parts, TEXT_AT + 7), "first");
		faults = tl_dwarf_faults(&e.parts.dwarf);
		assert_int_equal(faults->count, 1);
		assert_int_equal(faults->first.status, rows[wrong].status);
		assert_string_equal(faults->first.text, rows[wrong].text);
		if (wrong == WRONG_NAME)
			assert_int_equal(faults->first.offset, 500);
		if (wrong == WRONG_ADDRESS)
			assert_int_equal(faults->first.offset, addresses.base);
		tl_dwarf_close(&e.parts.dwarf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_of_whom_the_tables_say),
		cmocka_unit_test(numbers_that_no_table_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
