/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exception tables, laid out by hand after "Exception Frames" of the Linux Standard Base and
 * "Exception Handling Tables" of the Itanium C++ ABI.
 */
#include "../unit.h"
#include <string.h>

#include "symbols/eh_frame.h"

enum { FRAMES = 0x1000, LSDAS = 0x3000, FUNCTION = 0x2000 };
enum { CIE_BYTES = 0x1c, FDE_AT = CIE_BYTES, FDE_BYTES = 0x18 };

/* A CIE, one FDE of [0x2000, 0x2080) with an LSDA at 0x3000, and the end mark. */
/* clang-format off */
static uint8_t frames[] = {
	0x18, 0, 0, 0,                        /* length of the CIE */
	0, 0, 0, 0, 1, 'z', 'P', 'L', 'R', 0, /* identifier, version, augmentation */
	1, 0x78, 16,                          /* code and data alignment, return address column */
	7, 0x9b, 0xaa, 0xaa, 0xaa, 0xaa,      /* bytes of augmentation data, personality */
	0x1b, 0x1b,                           /* encodings of the LSDA and of the function */
	0, 0, 0,                              /* DW_CFA_nop */
	0x14, 0, 0, 0,                        /* length of the FDE */
	0x20, 0, 0, 0,                        /* distance to the CIE */
	0xdc, 0x0f, 0, 0,                     /* 0x2000 - (0x1000 + 0x24) */
	0x80, 0, 0, 0,                        /* size */
	4, 0xd3, 0x1f, 0, 0,                  /* 0x3000 - (0x1000 + 0x2d) */
	0, 0, 0,                              /* DW_CFA_nop */
	0, 0, 0, 0,                           /* the end */
};

/* Three call sites: one with a handler, one that cleans up, one without a landing pad. */
static uint8_t lsda[] = {
	0xff, 0xff, 0x01, 12, /* no base of pads, no types, ULEB128, bytes of the table */
	0x10, 4, 0x40, 1,     /* start, size, pad, action */
	0x20, 4, 0x50, 0,
	0x30, 2, 0, 0,
	0x7d, 0x00,           /* action record 0: filter -3, the last */
};
/* clang-format on */

static struct tl_section section_of(const uint8_t *data, size_t size, uint64_t address)
{
	return (struct tl_section){ .data = data, .size = size, .address = address };
}

static struct tl_eh_table frames_table(size_t size)
{
	const struct tl_section section = section_of(frames, size, FRAMES);

	return tl_eh_table_at(&section, FRAMES, false);
}

TEST(a_cie_and_its_fde_are_read)
{
	struct tl_eh_table table = frames_table(sizeof(frames)), record;
	struct tl_eh_cie cie;
	struct tl_eh_fde fde;
	uint64_t common;

	assert_true(tl_eh_record_at(&table, 0, &record));
	assert_false(tl_eh_is_fde(&record, &common));
	assert_true(tl_eh_read_cie(&table, 0, &cie));
	assert_int_equal(cie.pointers, 0x1b);
	assert_int_equal(cie.lsda, 0x1b);
	assert_true(cie.is_augmented);
	assert_true(tl_eh_record_at(&table, FDE_AT, &record));
	assert_true(tl_eh_is_fde(&record, &common));
	assert_int_equal(common, 0);
	assert_true(tl_eh_read_fde(&record, &cie, &fde));
	assert_int_equal(fde.start, FUNCTION);
	assert_int_equal(fde.size, 0x80);
	assert_int_equal(fde.lsda, LSDAS);
	/* "A zero length terminates" */
	assert_false(tl_eh_record_at(&table, FDE_AT + FDE_BYTES, &record));
}

TEST(a_record_that_is_cut_is_none)
{
	struct tl_eh_table record;

	for (size_t size = 1; size < CIE_BYTES; size++) {
		struct tl_eh_table table = frames_table(size);

		assert_false(tl_eh_record_at(&table, 0, &record));
	}
}

/* A letter whose data is not known makes all behind it unreadable. */
TEST(unknown_augmentations_and_versions_are_refused)
{
	struct tl_eh_table table = frames_table(sizeof(frames));
	struct tl_eh_cie cie;

	frames[10] = 'X';
	assert_false(tl_eh_read_cie(&table, 0, &cie));
	frames[10] = 'P';
	frames[8] = 2;
	assert_false(tl_eh_read_cie(&table, 0, &cie));
	frames[8] = 3; /* the column is then a ULEB128, of the same byte here */
	assert_true(tl_eh_read_cie(&table, 0, &cie));
	frames[8] = 1;
	assert_false(tl_eh_read_cie(&table, FDE_AT, &cie));
}

TEST(call_sites_come_in_their_order)
{
	static const struct tl_eh_call expected[] = {
		{ FUNCTION + 0x10, 4, FUNCTION + 0x40, 1 },
		{ FUNCTION + 0x20, 4, FUNCTION + 0x50, 0 },
		{ FUNCTION + 0x30, 2, 0, 0 },
	};
	const struct tl_section section = section_of(lsda, sizeof(lsda), LSDAS);
	const struct tl_eh_fde function = { .start = FUNCTION, .lsda = LSDAS };
	struct tl_eh_calls calls;
	struct tl_eh_call call;

	assert_true(tl_eh_calls_begin(&calls, &section, &function));
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_true(tl_eh_calls_next(&calls, &call));
		assert_int_equal(call.start, expected[i].start);
		assert_int_equal(call.size, expected[i].size);
		assert_int_equal(call.pad, expected[i].pad);
		assert_int_equal(call.action, expected[i].action);
	}
	assert_false(tl_eh_calls_next(&calls, &call));
	assert_int_equal(tl_eh_take_leb(&calls.actions, true), (uint64_t)-3);
	assert_int_equal(tl_eh_take_leb(&calls.actions, true), 0);
	assert_int_equal(tl_cursor_left(&calls.actions.cur), 0);
}

TEST(a_table_of_calls_stays_in_its_section)
{
	struct tl_eh_fde function = { .start = FUNCTION, .lsda = LSDAS };
	struct tl_eh_calls calls;

	for (size_t size = 1; size < 16; size++) {
		const struct tl_section section = section_of(lsda, size, LSDAS);

		assert_false(tl_eh_calls_begin(&calls, &section, &function));
	}
	const struct tl_section whole = section_of(lsda, sizeof(lsda), LSDAS);

	for (size_t i = 0; i < 3; i++) {
		function.lsda = (const uint64_t[]){ LSDAS - 1, LSDAS + sizeof(lsda), 0 }[i];
		assert_false(tl_eh_calls_begin(&calls, &whole, &function));
	}
}

/* "DWARF Exception Header Encoding": forms and origins. */
TEST(pointers_are_read_by_their_encoding)
{
	static const uint8_t bytes[] = { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f };
	static const struct {
		unsigned encoding;
		uint64_t data, value;
		bool bad;
	} cases[] = {
		{ 0x00, 0, 0x7ffffffffffffffe, false }, /* absptr */
		{ 0x02, 0, 0xfffe, false },             /* udata2 */
		{ 0x03, 0, 0xfffffffe, false },         /* udata4 */
		{ 0x0a, 0, (uint64_t)-2, false },       /* sdata2 */
		{ 0x0b, 0, (uint64_t)-2, false },       /* sdata4 */
		{ 0x09, 0, (uint64_t)-2, false },       /* sleb128 */
		{ 0x1b, 0, FRAMES - 2, false },         /* from its own place */
		{ 0x3b, 0x5000, 0x4ffe, false },        /* from the data origin */
		{ 0x9b, 0, 0, false },                  /* a pointer to it */
		{ 0xff, 0, 0, false },                  /* omitted */
		{ 0x3b, 0, (uint64_t)-2, true },        /* no data origin */
		{ 0x2b, 0, 0, true },                   /* from the text section */
		{ 0x05, 0, 0, true },                   /* no such form */
	};
	const struct tl_section section = section_of(bytes, sizeof(bytes), FRAMES);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_eh_table table = tl_eh_table_at(&section, FRAMES, false);

		assert_int_equal(tl_eh_take_pointer(&table, cases[i].encoding, cases[i].data),
				 cases[i].value);
		assert_int_equal(table.bad, cases[i].bad);
	}
}

/* Addresses of programs of 32 bits: what is signed in a form is none beyond 4 GiB. */
TEST(pointers_of_32_bits_stay_there)
{
	static const uint8_t bytes[] = { 0x10, 0x80, 0x04, 0x88, 0, 0, 0, 0 };
	static const struct {
		unsigned encoding;
		uint64_t data, value;
	} cases[] = {
		{ 0x03, 0, 0x88048010 },                      /* udata4 */
		{ 0x0b, 0, 0x88048010 },                      /* sdata4 */
		{ 0x0a, 0, 0xffff8010 },                      /* sdata2 */
		{ 0x1b, 0, (uint32_t)(FRAMES + 0x88048010) }, /* from its own place */
		{ 0x3b, 0x80000000, 0x08048010 },             /* from the data origin */
	};
	const struct tl_section section = section_of(bytes, sizeof(bytes), FRAMES);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_eh_table table = tl_eh_table_at(&section, FRAMES, false);

		table.is_32bit = true;
		assert_int_equal(tl_eh_take_pointer(&table, cases[i].encoding, cases[i].data),
				 cases[i].value);
		assert_false(table.bad);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cie_and_its_fde_are_read),
		cmocka_unit_test(a_record_that_is_cut_is_none),
		cmocka_unit_test(unknown_augmentations_and_versions_are_refused),
		cmocka_unit_test(call_sites_come_in_their_order),
		cmocka_unit_test(a_table_of_calls_stays_in_its_section),
		cmocka_unit_test(pointers_are_read_by_their_encoding),
		cmocka_unit_test(pointers_of_32_bits_stay_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
