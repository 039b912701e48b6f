/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of DWARF made by hand: every form, ranges in every way, what was inlined, damage. */

#include "../unit.h"

#include "make_dwarf.h"

enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]), CODE = TEXT_AT + 0x10 };

static struct parts parts;

/* A root entry with the code of all of .text. */
static void put_root(void)
{
	static const unsigned root[] = { DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_addr,
					 0 };

	put_abbreviation(&parts, 1, 0x11, true, root);
	put(&parts.info, 1, 1);
	put_word(&parts.info, TEXT_AT);
	put_word(&parts.info, TEXT_AT + TEXT_SIZE);
}

/* Ends the root's children and the unit. */
static void finish(size_t begun)
{
	put(&parts.info, 0, 1);
	put(&parts.abbrev, 0, 1);
	end_length(&parts, &parts.info, begun);
	read_parts(&parts);
}

/* ---- forms ---- */

/* What stands in the file for a form; SIZE_* depend on the unit. */
enum { SIZE_ADDRESS = 100, SIZE_OFFSET, SIZE_REF_ADDR };

static const struct {
	unsigned form, size;
	const char *bytes;
	/* clang-format off */
} passed[] = {
	{ DW_FORM_addr, SIZE_ADDRESS, NULL },
	{ DW_FORM_block2, 0, "2:\1\1" }, /* 2 bytes of length, then as many as they say */
	{ DW_FORM_block4, 0, "4:\1\1" },
	{ DW_FORM_data2, 2, NULL },
	{ DW_FORM_data4, 4, NULL },
	{ DW_FORM_data8, 8, NULL },
	{ DW_FORM_string, 0, "s:text" },
	{ DW_FORM_block, 0, "1:\1\1" },
	{ DW_FORM_block1, 0, "1:\1\1" },
	{ DW_FORM_data1, 1, NULL },
	{ DW_FORM_flag, 1, NULL },
	{ DW_FORM_sdata, 0, "b:\xff\xff\x7f" },
	{ DW_FORM_strp, SIZE_OFFSET, NULL },
	{ DW_FORM_udata, 0, "b:\xff\xff\x7f" },
	{ DW_FORM_ref_addr, SIZE_REF_ADDR, NULL },
	{ DW_FORM_ref1, 1, NULL },
	{ DW_FORM_ref2, 2, NULL },
	{ DW_FORM_ref4, 4, NULL },
	{ DW_FORM_ref8, 8, NULL },
	{ DW_FORM_ref_udata, 0, "b:\x81\x01" },
	{ DW_FORM_indirect, 0, "b:\x05zz" }, /* a data2 */
	{ DW_FORM_sec_offset, SIZE_OFFSET, NULL },
	{ DW_FORM_exprloc, 0, "1:\1\1" },
	{ DW_FORM_flag_present, 0, NULL },
	{ DW_FORM_strx, 0, "b:\x81\x01" },
	{ DW_FORM_addrx, 0, "b:\x81\x01" },
	{ DW_FORM_ref_sup4, 4, NULL },
	{ DW_FORM_strp_sup, SIZE_OFFSET, NULL },
	{ DW_FORM_data16, 16, NULL },
	{ DW_FORM_line_strp, SIZE_OFFSET, NULL },
	{ DW_FORM_ref_sig8, 8, NULL },
	{ DW_FORM_implicit_const, 0, NULL },
	{ DW_FORM_loclistx, 0, "b:\x81\x01" },
	{ DW_FORM_rnglistx, 0, "b:\x81\x01" },
	{ DW_FORM_ref_sup8, 8, NULL },
	{ DW_FORM_strx1, 1, NULL },
	{ DW_FORM_strx2, 2, NULL },
	{ DW_FORM_strx3, 3, NULL },
	{ DW_FORM_strx4, 4, NULL },
	{ DW_FORM_addrx1, 1, NULL },
	{ DW_FORM_addrx2, 2, NULL },
	{ DW_FORM_addrx3, 3, NULL },
	{ DW_FORM_addrx4, 4, NULL },
	{ DW_FORM_GNU_addr_index, 0, "b:\x81\x01" },
	{ DW_FORM_GNU_str_index, 0, "b:\x81\x01" },
	{ DW_FORM_GNU_ref_alt, SIZE_OFFSET, NULL },
	{ DW_FORM_GNU_strp_alt, SIZE_OFFSET, NULL },
};
/* clang-format on */

static void put_passed(size_t i)
{
	unsigned size = passed[i].size, word = parts.shape.is_64bit ? 8 : 4,
		 wide = parts.shape.wide ? 8 : 4;
	const char *bytes = passed[i].bytes;

	if (size == SIZE_ADDRESS || (size == SIZE_REF_ADDR && parts.shape.version == 2))
		size = word;
	else if (size == SIZE_OFFSET || size == SIZE_REF_ADDR)
		size = wide;
	for (; size; size--)
		put(&parts.info, 0x81, 1);
	if (!bytes)
		return;
	if (*bytes >= '1' && *bytes <= '4')
		put(&parts.info, strlen(bytes + 2), (unsigned)(*bytes - '0'));
	put_bytes(&parts.info, bytes + 2, strlen(bytes + 2) + (*bytes == 's'));
}

/* "7.5.6 Form Encodings": an attribute of each form stands before the name of a function. */
TEST(every_form_is_passed_over)
{
	for (size_t s = 0; s < SHAPES; s++)
		for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
			unsigned function[] = { 0x3fe1,         passed[i].form, DW_AT_name,
						DW_FORM_string, DW_AT_low_pc,   DW_FORM_addr,
						DW_AT_high_pc,  DW_FORM_addr,   0 };
			unsigned variable[] = { 0x3fe1, passed[i].form, 0 };

			begin_parts(&parts, shapes[s]);
			size_t begun = begin_unit(&parts);

			put_root();
			put_abbreviation(&parts, 2, DW_TAG_subprogram, false, function);
			put_abbreviation(&parts, 3, 0x34, false, variable);
			put(&parts.info, 3, 1);
			put_passed(i);
			put(&parts.info, 2, 1);
			put_passed(i);
			put_text(&parts.info, "function");
			put_word(&parts.info, CODE);
			put_word(&parts.info, CODE + 0x20);
			finish(begun);
			assert_string_equal(chain_at(&parts, CODE), "function");
			assert_string_equal(chain_at(&parts, CODE + 0x1f), "function");
			assert_string_equal(chain_at(&parts, CODE + 0x20), "");
			assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
			tl_dwarf_close(&parts.dwarf);
		}
}

/*
 * Names: in the entry, in .debug_str, .debug_line_str, and by number in .debug_str_offsets behind
 * its base.
 */
TEST(names_are_read_in_every_form)
{
	static const struct {
		unsigned form, size; /* 0: an offset */
		const char *name;
		/* clang-format off */
	} forms[] = {
		{ DW_FORM_strp, 0, "third" },	{ DW_FORM_line_strp, 0, "line three" },
		  { DW_FORM_strx1, 1, "second" },
		{ DW_FORM_strx2, 2, "second" }, { DW_FORM_strx3, 3,
		  "second" },	     { DW_FORM_strx4, 4, "second" },
		{ DW_FORM_strx, 1, "second" },	{ DW_FORM_GNU_str_index, 1, "second" },
	};
	/* clang-format on */
	static const unsigned root[] = { DW_AT_low_pc,
					 DW_FORM_addr,
					 DW_AT_high_pc,
					 DW_FORM_data4,
					 DW_AT_str_offsets_base,
					 DW_FORM_data4,
					 0 };

	for (size_t s = 0; s < 3; s++)
		for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
			unsigned function[] = { DW_AT_name,
						forms[i].form,
						DW_AT_low_pc,
						DW_FORM_addr,
						DW_AT_high_pc,
						DW_FORM_implicit_const,
						0 };

			begin_parts(&parts, shapes[s]);
			size_t begun = begin_unit(&parts);

			put_abbreviation(&parts, 1, 0x11, true, root);
			put_abbreviation(&parts, 2, DW_TAG_subprogram, false, function);
			put(&parts.info, 1, 1);
			put_word(&parts.info, TEXT_AT);
			put(&parts.info, TEXT_SIZE, 4);
			put(&parts.info, 3, 4);
			put_bytes(&parts.str_offsets, "abc", 3);
			put_offset(&parts, &parts.str_offsets, 0);
			put_offset(&parts, &parts.str_offsets, 6);
			put_bytes(&parts.str, "first\0second\0third", 19);
			put_bytes(&parts.line_str, "line one!\0\0\0\0line three", 24);
			put(&parts.info, 2, 1);
			if (!forms[i].size)
				put_offset(&parts, &parts.info, 13);
			else if (forms[i].size == 3)
				put_bytes(&parts.info, parts.shape.big ? "\0\0\1" : "\1\0\0", 3);
			else
				put(&parts.info, 1, forms[i].size);
			put_word(&parts.info, CODE);
			finish(begun);
			assert_string_equal(chain_at(&parts, CODE + 0xf), forms[i].name);
			assert_string_equal(chain_at(&parts, CODE + 0x10), "");
			assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
			tl_dwarf_close(&parts.dwarf);
		}
}

/* Without a base, as in split files: the table begins behind the header of its section. */
TEST(names_without_a_base_are_behind_the_header)
{
	static const unsigned function[] = { DW_AT_name,
					     DW_FORM_strx1,
					     DW_AT_low_pc,
					     DW_FORM_addr,
					     DW_AT_high_pc,
					     DW_FORM_implicit_const,
					     0 };

	for (size_t s = 0; s < 3; s++) {
		size_t begun, table;

		begin_parts(&parts, shapes[s]);
		table = begin_length(&parts, &parts.str_offsets);
		put(&parts.str_offsets, 5, 2); /* version */
		put(&parts.str_offsets, 0, 2);
		put_offset(&parts, &parts.str_offsets, 0);
		put_offset(&parts, &parts.str_offsets, 6);
		end_length(&parts, &parts.str_offsets, table);
		put_bytes(&parts.str, "first\0second", 13);
		begun = begin_unit(&parts);
		put_root();
		put_abbreviation(&parts, 2, DW_TAG_subprogram, false, function);
		put(&parts.info, 2, 1);
		put(&parts.info, 1, 1);
		put_word(&parts.info, CODE);
		finish(begun);
		assert_string_equal(chain_at(&parts, CODE), "second");
		assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
		tl_dwarf_close(&parts.dwarf);
	}
}

/* ---- ranges ---- */

/*
 * "2.17.3 Non-Contiguous Address Ranges": all entries of .debug_rnglists, the list by its number.
 */
TEST(lists_of_version_5_are_read)
{
	static const unsigned root[] = { DW_AT_addr_base, DW_FORM_data1,    DW_AT_rnglists_base,
					 DW_FORM_data1,   DW_AT_low_pc,     DW_FORM_addrx,
					 DW_AT_ranges,    DW_FORM_rnglistx, 0 };
	static const unsigned function[] = { DW_AT_name, DW_FORM_string, DW_AT_ranges,
					     DW_FORM_rnglistx, 0 };
	static const uint16_t inside[] = { 0x00, 0x10, 0x17, 0x20, 0x2f, 0x40, 0x4f,
					   0x60, 0x6f, 0x80, 0x8f, 0xa0, 0xaf };
	static const uint16_t outside[] = { 0x18, 0x1f, 0x30, 0x3f, 0x50, 0x70, 0x90, 0xb0 };

	for (size_t s = 0; s < 3; s++) {
		begin_parts(&parts, shapes[s]);
		size_t begun = begin_unit(&parts), word = parts.shape.wide ? 8 : 4;
		struct made *list = &parts.rnglists;

		put_bytes(&parts.addr, "12345", 5);
		put_word(&parts.addr, TEXT_AT);
		put_word(&parts.addr, TEXT_AT + 0x20);
		put_word(&parts.addr, TEXT_AT + 0x30);
		put_bytes(list, "123", 3);
		/* list 0 is nowhere; list 1 follows the offsets */
		put_offset(&parts, list, 0xffff);
		put_offset(&parts, list, 2 * word);
		put(list, DW_RLE_offset_pair, 1); /* from the unit's low address on */
		put(list, 0x10, 1);
		put(list, 0x18, 1);
		put(list, DW_RLE_startx_endx, 1);
		put(list, 1, 1);
		put(list, 2, 1);
		put(list, DW_RLE_base_addressx, 1);
		put(list, 1, 1);
		put(list, DW_RLE_offset_pair, 1);
		put(list, 0x20, 1);
		put(list, 0x30, 1);
		put(list, DW_RLE_base_address, 1);
		put_word(list, TEXT_AT + 0x60);
		put(list, DW_RLE_offset_pair, 1);
		put(list, 0, 1);
		put(list, 0x10, 1);
		put(list, DW_RLE_start_end, 1);
		put_word(list, TEXT_AT + 0x80);
		put_word(list, TEXT_AT + 0x90);
		put(list, DW_RLE_start_length, 1);
		put_word(list, TEXT_AT + 0xa0);
		put(list, 0x10, 1);
		put(list, DW_RLE_startx_length, 1);
		put(list, 0, 1);
		put(list, 1, 1);
		put(list, DW_RLE_start_length, 1); /* dropped by the linker */
		put_word(list, 0);
		put_uleb(list, 0x100000);
		put(list, DW_RLE_end_of_list, 1);
		put_abbreviation(&parts, 1, 0x11, true, root);
		put_abbreviation(&parts, 2, DW_TAG_subprogram, false, function);
		put_bytes(&parts.info, "\1\5\3\0\1", 5);
		put(&parts.info, 2, 1);
		put_text(&parts.info, "f");
		put(&parts.info, 1, 1);
		finish(begun);
		for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++)
			assert_string_equal(chain_at(&parts, TEXT_AT + inside[i]), "f");
		for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++)
			assert_string_equal(chain_at(&parts, TEXT_AT + outside[i]), "");
		assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
		tl_dwarf_close(&parts.dwarf);
	}
}

/*
 * DWARF 4, 2.17.3: pairs from the unit's low address on, a new base behind the greatest address, 0
 * and 0 the end.
 */
TEST(lists_of_version_4_are_read)
{
	static const unsigned root[] = { DW_AT_low_pc, DW_FORM_addr, DW_AT_ranges, DW_FORM_data4,
					 0 };
	static const unsigned function[] = { DW_AT_name, DW_FORM_string, DW_AT_ranges,
					     DW_FORM_data4, 0 };

	for (size_t s = 3; s < SHAPES; s++) {
		begin_parts(&parts, shapes[s]);
		size_t begun = begin_unit(&parts);

		put(&parts.ranges, 0, 4);
		put_word(&parts.ranges, 0x10);
		put_word(&parts.ranges, 0x20);
		put_word(&parts.ranges, UINT64_MAX);
		put_word(&parts.ranges, TEXT_AT + 0x100);
		put_word(&parts.ranges, 8);
		put_word(&parts.ranges, 12);
		put_word(&parts.ranges, 0);
		put_word(&parts.ranges, 0);
		put_abbreviation(&parts, 1, 0x11, true, root);
		put_abbreviation(&parts, 2, DW_TAG_subprogram, false, function);
		put(&parts.info, 1, 1);
		put_word(&parts.info, TEXT_AT);
		put(&parts.info, 4, 4);
		put(&parts.info, 2, 1);
		put_text(&parts.info, "f");
		put(&parts.info, 4, 4);
		finish(begun);
		assert_string_equal(chain_at(&parts, TEXT_AT + 0x10), "f");
		assert_string_equal(chain_at(&parts, TEXT_AT + 0x20), "");
		assert_string_equal(chain_at(&parts, TEXT_AT + 0x107), "");
		assert_string_equal(chain_at(&parts, TEXT_AT + 0x108), "f");
		assert_string_equal(chain_at(&parts, TEXT_AT + 0x10c), "");
		tl_dwarf_close(&parts.dwarf);
	}
}

/* ---- functions ---- */

/* Functions with names and inlined calls with origins, in a unit of version 4. */
static size_t begin_functions(void)
{
	static const unsigned function[] = { DW_AT_name,
					     DW_FORM_string,
					     DW_AT_low_pc,
					     DW_FORM_addr,
					     DW_AT_high_pc,
					     DW_FORM_data4,
					     0 };
	static const unsigned abstract[] = { DW_AT_name, DW_FORM_string, 0 };
	static const unsigned inlined[] = { DW_AT_abstract_origin, DW_FORM_ref_addr, DW_AT_low_pc,
					    DW_FORM_addr,          DW_AT_high_pc,    DW_FORM_data4,
					    DW_AT_call_line,       DW_FORM_data1,    0 };
	static const unsigned circular[] = { DW_AT_abstract_origin,
					     DW_FORM_ref_addr,
					     DW_AT_low_pc,
					     DW_FORM_addr,
					     DW_AT_high_pc,
					     DW_FORM_data4,
					     0 };
	static const unsigned type[] = { DW_AT_sibling, DW_FORM_ref4, 0 };
	size_t begun;

	begin_parts(&parts, (struct shape){ true, false, false, 4 });
	begun = begin_unit(&parts);
	put_root();
	put_abbreviation(&parts, 2, DW_TAG_subprogram, true, function);
	put_abbreviation(&parts, 3, DW_TAG_subprogram, false, abstract);
	put_abbreviation(&parts, 4, DW_TAG_inlined_subroutine, true, inlined);
	put_abbreviation(&parts, 5, DW_TAG_subprogram, false, circular);
	put_abbreviation(&parts, 6, DW_TAG_enumeration_type, true, type);
	return begun;
}

static void put_function(const char *name, uint64_t start, uint32_t size)
{
	put(&parts.info, 2, 1);
	put_text(&parts.info, name);
	put(&parts.info, start, 8);
	put(&parts.info, size, 4);
}

static void put_inlined(uint64_t origin, uint64_t start, uint32_t size, uint8_t line)
{
	put(&parts.info, 4, 1);
	put(&parts.info, origin, 4);
	put(&parts.info, start, 8);
	put(&parts.info, size, 4);
	put(&parts.info, line, 1);
}

/*
 * "Nest by DIE parents, not by interval": an inlined call that is wider than what it is in belongs
 * to it all the same.
 */
TEST(inlined_calls_nest_as_their_entries)
{
	struct tl_dwarf_found found;
	uint64_t b, c;
	size_t begun;

	begun = begin_functions();
	b = parts.info.size;
	put(&parts.info, 3, 1);
	put_text(&parts.info, "b");
	c = parts.info.size;
	put(&parts.info, 3, 1);
	put_text(&parts.info, "c");
	put_function("a", CODE, 0x40);
	put_inlined(b, CODE + 0x10, 0x10, 7);
	put_inlined(c, CODE + 8, 0x20, 9);
	put(&parts.info, 0, 3);
	/* The same code under another name, and what was inlined into that. */
	put_function("alias", CODE, 0x40);
	put_inlined(c, CODE, 8, 1);
	put(&parts.info, 0, 2);
	finish(begun);
	assert_string_equal(chain_at(&parts, CODE), "a");
	assert_string_equal(chain_at(&parts, CODE + 8), "c<b<a");
	assert_string_equal(chain_at(&parts, CODE + 0x10), "c<b<a");
	assert_string_equal(chain_at(&parts, CODE + 0x27), "c<b<a");
	assert_string_equal(chain_at(&parts, CODE + 0x28), "a");
	found = tl_dwarf_find(&parts.dwarf, CODE + 8);
	assert_int_equal(found.scope->call_line, 9);
	tl_dwarf_outwards(&found);
	assert_int_equal(found.scope->call_line, 7);
	tl_dwarf_outwards(&found);
	assert_int_equal(found.scope->start, CODE);
	assert_int_equal(found.scope->size, 0x40);
	assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
	tl_dwarf_close(&parts.dwarf);
}

/* The function at an address, with what is around it; NULL: nothing is. */
static void expect_qualified(uint64_t address, const char *wanted)
{
	struct tl_dwarf_found found = tl_dwarf_find(&parts.dwarf, address);
	char *name = tl_dwarf_scope_qualified(found.dwarf, found.unit, found.scope);

	assert_true(!name == !wanted);
	if (name)
		assert_string_equal(name, wanted);
	free(name);
}

static size_t begin_namespaces(void)
{
	static const unsigned named[] = { DW_AT_name, DW_FORM_string, 0 }, none[] = { 0 };
	size_t begun = begin_functions();

	put_abbreviation(&parts, 7, DW_TAG_namespace, true, named);
	put_abbreviation(&parts, 8, DW_TAG_namespace, true, none);
	put_abbreviation(&parts, 9, DW_TAG_structure_type, true, named);
	return begun;
}

static void put_named(unsigned abbreviation, const char *name)
{
	put(&parts.info, abbreviation, 1);
	put_text(&parts.info, name);
}

/*
 * namespace a { namespace { struct S { b }; struct T { }; } c; f }, d: as in the entries of g++
 * functions without a linkage name are in what they are declared in, and inlined somewhere else.
 */
TEST(names_have_the_namespaces_and_types_around_them)
{
	size_t begun = begin_namespaces();
	uint64_t b, c, d;

	put_named(7, "a");
	put(&parts.info, 8, 1);
	put_named(9, "S");
	b = parts.info.size;
	put_named(3, "b");
	put(&parts.info, 0, 1);
	put_named(9, "T");
	put(&parts.info, 0, 2);
	c = parts.info.size;
	put_named(3, "c");
	put_function("f", CODE + 0x40, 8);
	put(&parts.info, 0, 2);
	d = parts.info.size;
	put_named(3, "d");
	put_function("g", CODE, 0x40);
	put_inlined(b, CODE + 8, 4, 1);
	put(&parts.info, 0, 1);
	put_inlined(c, CODE + 16, 4, 1);
	put(&parts.info, 0, 1);
	put_inlined(d, CODE + 24, 4, 1);
	put(&parts.info, 0, 3);
	finish(begun);
	expect_qualified(CODE, NULL);
	expect_qualified(CODE + 8, "a::(anonymous namespace)::S::b");
	expect_qualified(CODE + 16, "a::c");
	expect_qualified(CODE + 24, NULL);
	expect_qualified(CODE + 0x40, "a::f");
	assert_string_equal(chain_at(&parts, CODE + 8), "b<g");
	assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
	tl_dwarf_close(&parts.dwarf);
}

/* A file that nests without end costs no more than 64 levels, of which the unit is one. */
TEST(namespaces_without_end_are_cut)
{
	enum { LEVELS = 200, MOST = 63 };
	size_t begun = begin_namespaces();
	char wanted[4 * MOST + 2] = "";

	for (unsigned i = 0; i < LEVELS; i++)
		put_named(7, "n");
	put_function("f", CODE, 8);
	for (unsigned i = 0; i < LEVELS + 2; i++)
		put(&parts.info, 0, 1);
	finish(begun);
	for (unsigned i = 0; i < MOST; i++)
		strcat(wanted, "n::");
	expect_qualified(CODE, strcat(wanted, "f"));
	tl_dwarf_close(&parts.dwarf);
}

/* ---- damage ---- */

static void expect_fault(enum tl_status status, uint64_t offset, const char *words)
{
	const struct tl_dwarf_faults *faults = tl_dwarf_faults(&parts.dwarf);

	assert_true(faults->count);
	assert_int_equal(faults->first.status, status);
	assert_int_equal(faults->first.offset, offset);
	assert_non_null(strstr(faults->first.text, words));
	tl_dwarf_close(&parts.dwarf);
}

/*
 * An origin that is its own origin ends, and has no name; a sibling that lies before is not gone
 * back to.
 */
TEST(rings_end)
{
	size_t begun = begin_functions(), ring = parts.info.size;

	put(&parts.info, 5, 1);
	put(&parts.info, ring, 4);
	put(&parts.info, CODE, 8);
	put(&parts.info, 8, 4);
	put(&parts.info, 6, 1);
	put(&parts.info, 11, 4);
	put(&parts.info, 0, 1);
	put_function("behind", CODE + 0x10, 8);
	put(&parts.info, 0, 1);
	finish(begun);
	assert_string_equal(chain_at(&parts, CODE), "?");
	assert_string_equal(chain_at(&parts, CODE + 0x10), "behind");
	expect_fault(TL_BAD_RECORD, ring, "too long");
}

static void expect_line_unknown(uint64_t address)
{
	struct tl_symbol symbol = { .file = "" };

	tl_dwarf_line(&parts.dwarf, address, &symbol);
	assert_string_equal(symbol.file, "");
	assert_string_equal(chain_at(&parts, address), "");
}

TEST(damage_is_told_at_its_byte)
{
	size_t begun, at;

	/* An entry whose abbreviation is not there; what stands before it is known. */
	begun = begin_functions();
	put_function("known", CODE, 8);
	put(&parts.info, 0, 1);
	at = parts.info.size;
	put(&parts.info, 0x55, 1);
	finish(begun);
	assert_string_equal(chain_at(&parts, CODE), "known");
	expect_fault(TL_BAD_RECORD, at + 1, "an invalid entry");

	/* An origin outside of all units. */
	begun = begin_functions();
	at = parts.info.size;
	put(&parts.info, 5, 1);
	put(&parts.info, 0x7fff, 4);
	put(&parts.info, CODE, 8);
	put(&parts.info, 8, 4);
	finish(begun);
	assert_string_equal(chain_at(&parts, CODE), "?");
	expect_fault(TL_BAD_RECORD, at, "origin");

	/* Unknown form; lengths, versions and sizes of units. */
	begin_parts(&parts, shapes[0]);
	begun = begin_unit(&parts);
	put_abbreviation(&parts, 1, 0x11, true, (const unsigned[]){ 0x3fe1, 0x77, 0 });
	put(&parts.info, 1, 1);
	finish(begun);
	expect_fault(TL_BAD_RECORD, 0, "first entry");
	/* A first entry whose abbreviation is not there. */
	begin_parts(&parts, shapes[0]);
	begun = begin_unit(&parts);
	put_abbreviation(&parts, 1, 0x11, true, (const unsigned[]){ 0 });
	put(&parts.info, 2, 1);
	finish(begun);
	expect_fault(TL_BAD_RECORD, 0, "first entry");
	begun = begin_functions();
	finish(begun);
	tl_dwarf_close(&parts.dwarf);
	put_at(&parts.info, 4, 6, 2);
	read_parts(&parts);
	expect_fault(TL_UNSUPPORTED, 0, "version");
	put_at(&parts.info, 4, 4, 2);
	put_at(&parts.info, 10, 3, 1);
	read_parts(&parts);
	expect_fault(TL_UNSUPPORTED, 0, "size");
	put_at(&parts.info, 10, 8, 1);
	put_at(&parts.info, 6, 0x7777, 4);
	read_parts(&parts);
	expect_fault(TL_BAD_SIZE, 0, "abbreviations");
	put_at(&parts.info, 6, 0, 4);
	put_at(&parts.info, 0, 0xfffffff0, 4);
	read_parts(&parts);
	expect_fault(TL_BAD_RECORD, 0, "reserved");
	put_at(&parts.info, 0, parts.info.size - 3, 4);
	read_parts(&parts);
	expect_fault(TL_TRUNCATED, 0, "cut short");
	/* What is not linked yet has its addresses elsewhere. */
	put_at(&parts.file, 16, ET_REL, 2);
	assert_int_equal(tl_elf_open_memory(&parts.elf, parts.file.bytes, parts.file.size, NULL),
			 0);
	tl_dwarf_open(&parts.dwarf, &parts.elf, NULL, NULL);
	expect_line_unknown(CODE);
	expect_fault(TL_UNSUPPORTED, TL_NOWHERE, "not linked");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_passed_over),
		cmocka_unit_test(names_are_read_in_every_form),
		cmocka_unit_test(names_without_a_base_are_behind_the_header),
		cmocka_unit_test(lists_of_version_5_are_read),
		cmocka_unit_test(lists_of_version_4_are_read),
		cmocka_unit_test(inlined_calls_nest_as_their_entries),
		cmocka_unit_test(names_have_the_namespaces_and_types_around_them),
		cmocka_unit_test(namespaces_without_end_are_cut),
		cmocka_unit_test(rings_end),
		cmocka_unit_test(damage_is_told_at_its_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
