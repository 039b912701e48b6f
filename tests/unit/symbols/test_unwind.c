/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions and landing pads by exception tables: of a file laid out by hand after "Exception
 * Frames" of the Linux Standard Base and "Exception Handling Tables" of the Itanium C++ ABI, and of
 * this program as readelf lists them.
 */
#include "../temp_fixture.h"

#include "symbols/landing_pads.h"
#include "symbols/unwind.h"

#include "make_elf.h"
#include "readelf.h"

enum { FRAMES = 0x1000, INDEX = 0x4000, LSDAS = 0x3000, PERSONALITY = 0x9000 };

/* ---- .eh_frame ---- */

/* Addresses are signed 32-bit distances from their own place (DW_EH_PE_pcrel | sdata4). */
static void put_distance(struct made *made, uint64_t section, uint64_t address)
{
	put(made, address - (section + made->size), 4);
}

/* Ends a record that began at `start`: padding, and its length. */
static size_t end_record(struct made *made, size_t start)
{
	while (made->size % 4)
		put(made, 0, 1);
	put_at(made, start, made->size - start - 4, 4);
	return start;
}

/* A CIE, whose number is its offset. Version 1 has the return column as a byte, 3 as a LEB128. */
static size_t put_cie(struct made *made, unsigned version, const char *augmentation)
{
	size_t start = made->size, data;

	put(made, 0, 8);
	put(made, version, 1);
	put_bytes(made, augmentation, strlen(augmentation) + 1);
	put(made, 1, 1);
	put(made, 0x78, 1);
	put(made, 16, 1);
	if (*augmentation == 'z')
		put(made, 0, 1);
	data = made->size;
	for (const char *letter = augmentation; *letter; letter++) {
		if (*letter == 'P') {
			put(made, 0x1b, 1);
			put_distance(made, FRAMES, PERSONALITY);
		} else if (*letter == 'L' || *letter == 'R') {
			put(made, 0x1b, 1);
		}
	}
	if (*augmentation == 'z')
		put_at(made, data - 1, made->size - data, 1);
	return end_record(made, start);
}

static size_t put_fde(struct made *made, size_t cie, uint64_t function, uint64_t size,
		      uint64_t lsda)
{
	size_t start = made->size;

	put(made, 0, 4);
	put(made, made->size - cie, 4);
	put_distance(made, FRAMES, function);
	put(made, size, 4);
	put(made, 4, 1);
	if (lsda)
		put_distance(made, FRAMES, lsda);
	else
		put(made, 0, 4);
	return end_record(made, start);
}

/* ---- .gcc_except_table ---- */

struct site {
	uint8_t start, size, pad, action;
};

/* An LSDA without types; `actions` are the bytes of its action table. */
static uint64_t put_lsda(struct made *made, const struct site *sites, size_t count,
			 const uint8_t *actions, size_t action_bytes)
{
	uint64_t address = LSDAS + made->size;

	put(made, 0xff, 1); /* pads count from the function */
	put(made, 0xff, 1);
	put(made, 0x01, 1); /* ULEB128 */
	put(made, 4 * count, 1);
	put_bytes(made, sites, 4 * count);
	put_bytes(made, actions, action_bytes);
	return address;
}

/* ---- the file ---- */

struct tables {
	struct made frames, lsdas, index;
};

static struct tables no_tables(void)
{
	const struct made empty = { .is_64bit = true };

	return (struct tables){ empty, empty, empty };
}

static struct tl_binary *open_made(const struct tables *t, bool is_64bit, bool big)
{
	const struct made_section sections[] = {
		{ ".eh_frame", SHT_PROGBITS, SHF_ALLOC, FRAMES, t->frames.bytes, t->frames.size, 0,
		  0 },
		{ ".gcc_except_table", SHT_PROGBITS, SHF_ALLOC, LSDAS, t->lsdas.bytes,
		  t->lsdas.size, 0, 0 },
		{ ".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, INDEX, t->index.bytes, t->index.size, 0,
		  0 },
	};
	struct made made = { .is_64bit = is_64bit, .big = big };
	struct tl_binary *binary;

	make_elf(&made, ET_DYN, EM_X86_64, sections, 3);
	temp_write(&temp, "made", made.bytes, made.size);
	assert_int_equal(tl_binary_open(&binary, temp.path, 0, true, NULL), 0);
	return binary;
}

/* Closes the file. */
static void assert_functions_of(struct tl_binary *binary, const struct tl_unwind_function *expected,
				size_t count)
{
	struct tl_unwind unwind;

	assert_true(tl_unwind_read(&unwind, binary));
	assert_int_equal(unwind.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(unwind.functions[i].start, expected[i].start);
		assert_int_equal(unwind.functions[i].end, expected[i].end);
		assert_int_equal(unwind.functions[i].catches, expected[i].catches);
	}
	tl_unwind_free(&unwind);
	assert_null(unwind.functions);
	tl_binary_close(binary);
}

static void assert_functions(const struct tables *t, const struct tl_unwind_function *expected,
			     size_t count)
{
	assert_functions_of(open_made(t, true, false), expected, count);
}

/* "In order of their starts"; one that was dropped begins at 0; of no bytes, or round the end. */
TEST(functions_come_in_their_order)
{
	struct tables t = no_tables();
	size_t cie = put_cie(&t.frames, 1, "zR"), other;

	put_fde(&t.frames, cie, 0x2100, 0x40, 0);
	put_fde(&t.frames, cie, 0x2000, 0x80, 0);
	put_fde(&t.frames, cie, 0, 0x80, 0);
	put_fde(&t.frames, cie, 0x2300, 0, 0);
	put_fde(&t.frames, cie, UINT64_MAX - 0x10, 0x80, 0);
	other = put_cie(&t.frames, 3, "zPLR");
	put_fde(&t.frames, other, 0x2200, 0x20, 0);
	put_fde(&t.frames, cie, 0x2000, 0x30, 0);
	put(&t.frames, 0, 4);
	/* Behind the end mark. */
	put_fde(&t.frames, cie, 0x2400, 0x40, 0);
	assert_functions(&t,
			 (const struct tl_unwind_function[]){ { 0x2000, 0x2030, false },
							      { 0x2000, 0x2080, false },
							      { 0x2100, 0x2140, false },
							      { 0x2200, 0x2220, false } },
			 4);
}

/* "Records that cannot be read are left out": those of a CIE of another version or letter. */
TEST(what_cannot_be_read_is_left_out)
{
	struct tables t = no_tables();
	size_t old = put_cie(&t.frames, 2, "zR"), letter = put_cie(&t.frames, 1, "zXR"),
	       good = put_cie(&t.frames, 1, "zR"), bare = put_cie(&t.frames, 1, "eh");

	put_fde(&t.frames, old, 0x2000, 0x10, 0);
	put_fde(&t.frames, letter, 0x2010, 0x10, 0);
	put_fde(&t.frames, good, 0x2020, 0x10, 0);
	put_fde(&t.frames, bare, 0x2030, 0x10, 0);
	put_fde(&t.frames, t.frames.size + 100, 0x2040, 0x10, 0); /* no CIE lies behind it */
	put_fde(&t.frames, good, 0x2050, 0x10, 0);
	/* Cut short. */
	put(&t.frames, 0x100, 4);
	put(&t.frames, t.frames.size - good, 4);
	assert_functions(&t,
			 (const struct tl_unwind_function[]){ { 0x2020, 0x2030, false },
							      { 0x2050, 0x2060, false } },
			 2);
	t.frames.size = 0;
	assert_functions(&t, NULL, 0);
}

/*
 * A type filter of 0 cleans up; others catch. An action record is a filter and the distance from
 * its second byte to the next record, 0: none.
 */
TEST(handlers_are_told_from_clean_ups)
{
	static const uint8_t actions[] = {
		0x00, 0x00, /* 1: cleans up */
		0x01, 0x00, /* 3: catches type 1 */
		0x00, 0x7d, /* 5: cleans up, then the record at 3 */
		0x7f, 0x00, /* 7: an exception specification, filter -1 */
		0x00, 0x7f, /* 9: cleans up, then itself, for ever */
		0x00,       /* 11: cut short */
	};
	static const struct {
		struct site sites[2];
		size_t count;
		bool catches;
	} rows[] = {
		{ { { 0, 4, 0x20, 1 } }, 1, false },
		{ { { 0, 4, 0x20, 3 } }, 1, true },
		{ { { 0, 4, 0x20, 5 } }, 1, true },
		{ { { 0, 4, 0x20, 7 } }, 1, true },
		{ { { 0, 4, 0x20, 9 } }, 1, false },
		{ { { 0, 4, 0x20, 11 } }, 1, false },
		{ { { 0, 4, 0x20, 0 } }, 1, false },
		{ { { 0, 4, 0x20, 60 } }, 1, false },
		{ { { 0, 4, 0, 3 } }, 1, false }, /* no landing pad */
		{ { { 0, 4, 0x20, 1 }, { 4, 4, 0x30, 3 } }, 2, true },
		{ { { 0, 4, 0x20, 0 }, { 4, 4, 0, 0 } }, 2, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tables t = no_tables();
		size_t cie = put_cie(&t.frames, 1, "zPLR");
		uint64_t lsda =
			put_lsda(&t.lsdas, rows[i].sites, rows[i].count, actions, sizeof(actions));

		put_fde(&t.frames, cie, 0x2000, 0x80, lsda);
		put_fde(&t.frames, cie, 0x2080, 0x80, 0);
		assert_functions(
			&t,
			(const struct tl_unwind_function[]){ { 0x2000, 0x2080, rows[i].catches },
							     { 0x2080, 0x2100, false } },
			2);
	}
}

TEST(a_function_is_found_by_any_of_its_addresses)
{
	static const struct {
		uint64_t address;
		uint32_t number;
	} rows[] = {
		{ 0x1fff, TL_NONE }, { 0x2000, 0 },       { 0x207f, 0 },  { 0x2080, TL_NONE },
		{ 0x20ff, TL_NONE }, { 0x2100, 1 },       { 0x213f, 1 },  { 0x2140, 2 },
		{ 0x214f, 2 },       { 0x2150, TL_NONE }, { 0, TL_NONE }, { UINT64_MAX, TL_NONE },
	};
	struct tl_unwind_function functions[] = { { 0x2000, 0x2080, false },
						  { 0x2100, 0x2140, false },
						  { 0x2140, 0x2150, false } };
	const struct tl_unwind unwind = { functions, 3, 3 }, none = { NULL, 0, 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(tl_unwind_find(&unwind, rows[i].address), rows[i].number);
	assert_int_equal(tl_unwind_find(&none, 0x2000), TL_NONE);
}

/*
 * In a file of 32 bits addresses wrap there: distances lead round to both ends of the memory, and
 * no function ends behind it. The call sites of a function may have addresses of 4 bytes, too.
 */
TEST(files_of_32_bits)
{
	struct tables t = no_tables();
	size_t cie = put_cie(&t.frames, 1, "zPLR");
	static const uint8_t lsda[] = {
		0xff, 0xff, 0x00, /* call sites of addresses as wide as the file's */
		13,   0x04, 0,    0, 0, 4, 0, 0, 0, 0x20, 0, 0, 0, 1, /* start, size, pad, action */
		0x01, 0x00,                                           /* catches type 1 */
	};
	put_bytes(&t.lsdas, lsda, sizeof(lsda));
	put_fde(&t.frames, cie, 0xffff0000, 0x80, LSDAS);
	put_fde(&t.frames, cie, 0xfffffff0, 0x80, 0);
	put_fde(&t.frames, cie, 0x2000, 0x80, 0);
	assert_functions_of(open_made(&t, false, false),
			    (const struct tl_unwind_function[]){ { 0x2000, 0x2080, false },
								 { 0xffff0000, 0xffff0080, true } },
			    2);
}

/* "For little-endian files; of others there is none." */
TEST(other_files_have_no_functions)
{
	struct tables t = no_tables();
	size_t cie = put_cie(&t.frames, 1, "zR");

	put_fde(&t.frames, cie, 0x2000, 0x80, 0);
	assert_functions_of(open_made(&t, true, true), NULL, 0);
}

/* ---- this program, as readelf has it ---- */

/* Each FDE is a line "... FDE cie=... pc=START..END". */
TEST(functions_are_those_of_readelf)
{
	FILE *list = readelf_this("--debug-dump=frames",
				  "sed -n 's/.* FDE .*pc=\\(.*\\)\\.\\.\\(.*\\)$/\\1 \\2/p'");
	struct tl_binary *binary;
	struct tl_unwind unwind;
	size_t lines = 0;
	unsigned long start, end;

	assert_int_equal(tl_binary_open(&binary, "/proc/self/exe", 0, true, NULL), 0);
	assert_true(tl_unwind_read(&unwind, binary));
	for (; !tl_binary_is_big_endian(binary) && fscanf(list, "%lx %lx", &start, &end) == 2;
	     lines++) {
		uint32_t number = tl_unwind_find(&unwind, start);

		assert_int_not_equal(number, TL_NONE);
		assert_int_equal(unwind.functions[number].start, start);
		assert_int_equal(unwind.functions[number].end, end);
		assert_int_equal(tl_unwind_find(&unwind, end - 1), number);
	}
	pclose(list);
	if (lines)
		assert_int_equal(unwind.count, lines);
	else
		print_message("no frames of a little-endian program by readelf: skipped\n");
	tl_unwind_free(&unwind);
	tl_binary_close(binary);
}

/* ---- landing pads ---- */

/* The head of .eh_frame_hdr: version, encodings of the pointer, of the count and of the table. */
static void put_index_head(struct tables *t, unsigned version, unsigned table, uint32_t count)
{
	put(&t->index, version, 1);
	put(&t->index, 0x1b, 1);
	put(&t->index, 0x03, 1);
	put(&t->index, table, 1);
	put_distance(&t->index, INDEX, FRAMES);
	put(&t->index, count, 4);
}

static void put_index_pair(struct tables *t, uint64_t function, size_t fde)
{
	put(&t->index, function - INDEX, 4);
	put(&t->index, FRAMES + fde - INDEX, 4);
}

/* Functions at 0x2000 (two call sites) and 0x2100 (one), the first without tables. */
static struct tables three_functions(unsigned version, unsigned encoding, uint32_t count)
{
	static const struct site first[] = { { 0x10, 5, 0x40, 1 }, { 0x20, 5, 0, 0 } },
				 second[] = { { 0x08, 5, 0x30, 0 } };
	static const uint8_t actions[] = { 1, 0 };
	struct tables t = no_tables();
	size_t cie = put_cie(&t.frames, 1, "zPLR"), fdes[3];
	uint64_t lsdas[2];

	lsdas[0] = put_lsda(&t.lsdas, first, 2, actions, 2);
	lsdas[1] = put_lsda(&t.lsdas, second, 1, actions, 2);
	fdes[0] = put_fde(&t.frames, cie, 0x1f00, 0x80, 0);
	fdes[1] = put_fde(&t.frames, cie, 0x2000, 0x80, lsdas[0]);
	fdes[2] = put_fde(&t.frames, cie, 0x2100, 0x40, lsdas[1]);
	put_index_head(&t, version, encoding, count);
	put_index_pair(&t, 0x1f00, fdes[0]);
	put_index_pair(&t, 0x2000, fdes[1]);
	put_index_pair(&t, 0x2100, fdes[2]);
	return t;
}

/* A call that returns to `back` has its last byte before that. Pad 0: none is found. */
static void assert_pad(struct tl_binary *binary, uint64_t bias, uint64_t back, uint64_t expected)
{
	uint64_t pad = 1;

	assert_int_equal(tl_landing_pad(binary, bias, bias + back, &pad), expected != 0);
	if (expected)
		assert_int_equal(pad, bias + expected);
}

TEST(landing_pads_are_those_of_the_call)
{
	static const struct {
		uint64_t back, pad;
	} rows[] = {
		{ 0x2010, 0 }, { 0x2011, 0x2040 }, { 0x2015, 0x2040 }, { 0x2016, 0 },
		{ 0x2025, 0 }, /* the call site has no pad */
		{ 0x2108, 0 }, { 0x2109, 0x2130 }, { 0x210d, 0x2130 }, { 0x210e, 0 },
		{ 0x1f20, 0 }, /* the function has no LSDA */
		{ 0x2090, 0 }, /* behind the end of one function, before the next */
		{ 0x2140, 0 }, { 0x5000, 0 },      { 0x1000, 0 },      { 0, 0 },
	};
	struct tables t = three_functions(1, 0x3b, 3);
	struct tl_binary *binary = open_made(&t, true, false);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_pad(binary, 0, rows[i].back, rows[i].pad);
		assert_pad(binary, 0x555500000000, rows[i].back, rows[i].pad);
	}
	tl_binary_close(binary);
}

/* Of a table that is not as expected nothing is found; more pairs than there are, are not there. */
TEST(indexes_that_cannot_be_read)
{
	static const struct {
		unsigned version, encoding;
		uint32_t count;
		uint64_t pads[2]; /* of calls that return to 0x2015 and to 0x210d */
	} rows[] = {
		{ 1, 0x3b, 1000, { 0x2040, 0x2130 } },
		{ 1, 0x3b, 2, { 0x2040, 0 } },
		{ 1, 0x3b, 0, { 0, 0 } },
		{ 2, 0x3b, 3, { 0, 0 } },
		{ 1, 0x3c, 3, { 0, 0 } },
		{ 1, 0xff, 3, { 0, 0 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tables t = three_functions(rows[i].version, rows[i].encoding, rows[i].count);
		struct tl_binary *binary = open_made(&t, true, false);

		assert_pad(binary, 0, 0x2015, rows[i].pads[0]);
		assert_pad(binary, 0, 0x210d, rows[i].pads[1]);
		tl_binary_close(binary);
	}
}

/* Tables cut at every byte: a pad that is found is the right one. */
TEST(tables_cut_at_every_byte)
{
	struct tables t = three_functions(1, 0x3b, 3);
	size_t *const sizes[] = { &t.frames.size, &t.lsdas.size, &t.index.size };

	for (int which = 0; which < 3; which++) {
		size_t size = *sizes[which];

		for (size_t cut = 0; cut < size; cut++) {
			struct tl_binary *binary;
			uint64_t pad;

			*sizes[which] = cut;
			binary = open_made(&t, true, false);
			if (tl_landing_pad(binary, 0, 0x2015, &pad))
				assert_int_equal(pad, 0x2040);
			if (tl_landing_pad(binary, 0, 0x210d, &pad))
				assert_int_equal(pad, 0x2130);
			tl_binary_close(binary);
		}
		*sizes[which] = size;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_come_in_their_order),
		cmocka_unit_test(what_cannot_be_read_is_left_out),
		cmocka_unit_test(handlers_are_told_from_clean_ups),
		cmocka_unit_test(a_function_is_found_by_any_of_its_addresses),
		cmocka_unit_test(files_of_32_bits),
		cmocka_unit_test(other_files_have_no_functions),
		cmocka_unit_test(functions_are_those_of_readelf),
		cmocka_unit_test(landing_pads_are_those_of_the_call),
		cmocka_unit_test(indexes_that_cannot_be_read),
		cmocka_unit_test(tables_cut_at_every_byte),
	};

	return cmocka_run_group_tests_name("symbols unwind", tests, temp_setup, temp_teardown);
}
