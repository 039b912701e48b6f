/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DWARF made by hand that is spread or packed: several units with abbreviations of their own,
 * entries in a supplementary file, compressed sections.
 */
#include "../temp_fixture.h"

#include <zlib.h>

#include "make_dwarf.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

enum { CODE = TEXT_AT + 0x10 };

static const struct shape shape = { true, false, false, 4 };
static struct parts parts, shared;
static const struct tl_debuginfod *client; /* NULL: nobody is asked */

/* The root entry of a unit: of code where it has a size. */
static void put_root(struct parts *p, unsigned tag, uint64_t start, uint32_t size)
{
	static const unsigned code[] = { DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4,
					 0 },
			      none[] = { 0 };

	put_abbreviation(p, 1, tag, true, size ? code : none);
	put_uleb(&p->info, 1);
	if (size) {
		put(&p->info, start, 8);
		put(&p->info, size, 4);
	}
}

/* Ends the children of the root, and the unit. */
static void end_unit(struct parts *p, size_t begun)
{
	put(&p->info, 0, 1);
	put(&p->abbrev, 0, 1);
	end_length(p, &p->info, begun);
}

static void put_function(struct parts *p, unsigned code, const char *name, uint64_t start,
			 uint32_t size)
{
	put_uleb(&p->info, code);
	put_text(&p->info, name);
	put(&p->info, start, 8);
	put(&p->info, size, 4);
}

static const unsigned function[] = {
	DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0
};

static void expect_fault(enum tl_status status, const char *words)
{
	const struct tl_dwarf_faults *faults = tl_dwarf_faults(&parts.dwarf);

	assert_true(faults->count > 0);
	assert_int_equal(faults->first.status, status);
	assert_non_null(strstr(faults->first.text, words));
	tl_dwarf_close(&parts.dwarf);
}

/* ---- several units ---- */

/* "7.5.3 Abbreviations Tables": the same code means another entry in another unit's table. */
TEST(units_have_abbreviations_of_their_own)
{
	static const unsigned named[] = { DW_AT_low_pc,
					  DW_FORM_addr,
					  DW_AT_high_pc,
					  DW_FORM_data4,
					  DW_AT_name,
					  DW_FORM_string,
					  0 };

	begin_parts(&parts, shape);
	for (unsigned unit = 0; unit < 6; unit++) {
		uint64_t start = TEXT_AT + 0x40 * unit;
		size_t begun = begin_length(&parts, &parts.info);
		char name[8];

		put(&parts.info, 4, 2);
		put(&parts.info, parts.abbrev.size, 4);
		put(&parts.info, 8, 1);
		put_root(&parts, 0x11, start, 0x40);
		snprintf(name, sizeof(name), "f%u", unit);
		if (unit % 2) {
			put_abbreviation(&parts, 2, DW_TAG_subprogram, false, named);
			put(&parts.info, 2, 1);
			put(&parts.info, start, 8);
			put(&parts.info, 0x20, 4);
			put_text(&parts.info, name);
		} else {
			put_abbreviation(&parts, 2, DW_TAG_subprogram, false, function);
			put_function(&parts, 2, name, start, 0x20);
		}
		end_unit(&parts, begun);
	}
	read_parts(&parts);
	/* There and back again: a table that was replaced is read once more. */
	for (unsigned i = 0; i < 12; i++) {
		unsigned unit = i * 5 % 6;
		char name[8];

		snprintf(name, sizeof(name), "f%u", unit);
		assert_string_equal(chain_at(&parts, TEXT_AT + 0x40 * unit + 0x1f), name);
		assert_string_equal(chain_at(&parts, TEXT_AT + 0x40 * unit + 0x20), "");
	}
	assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
	tl_dwarf_close(&parts.dwarf);
}

/* Codes may be any numbers, in any order; of one that is there twice the first counts. */
TEST(codes_of_abbreviations_may_be_any_numbers)
{
	static const unsigned codes[] = { 700, 3, 70000, 12 };

	begin_parts(&parts, shape);
	size_t begun = begin_unit(&parts);

	put_root(&parts, 0x11, TEXT_AT, TEXT_SIZE);
	for (unsigned i = 0; i < 4; i++)
		put_abbreviation(&parts, codes[i], DW_TAG_subprogram, false, function);
	put_abbreviation(&parts, 3, 0x34, false, (const unsigned[]){ 0 });
	for (unsigned i = 0; i < 4; i++)
		put_function(&parts, codes[i], (const char[]){ (char)('a' + i), 0 },
			     CODE + 0x10 * i, 0x10);
	end_unit(&parts, begun);
	read_parts(&parts);
	assert_string_equal(chain_at(&parts, CODE), "a");
	assert_string_equal(chain_at(&parts, CODE + 0x10), "b");
	assert_string_equal(chain_at(&parts, CODE + 0x20), "c");
	assert_string_equal(chain_at(&parts, CODE + 0x3f), "d");
	assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
	tl_dwarf_close(&parts.dwarf);
}

/* DW_AT_sibling says where an entry's children end: those with code are read all the same. */
TEST(functions_in_namespaces_and_types_are_read)
{
	static const unsigned with_sibling[] = { DW_AT_sibling, DW_FORM_ref4, 0 };
	static const unsigned tags[] = { 0x39, 0x02, 0x13, DW_TAG_enumeration_type };

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		size_t begun, sibling;
		bool code = tags[i] != DW_TAG_enumeration_type;

		begin_parts(&parts, shape);
		begun = begin_unit(&parts);
		put_root(&parts, 0x11, TEXT_AT, TEXT_SIZE);
		put_abbreviation(&parts, 2, DW_TAG_subprogram, false, function);
		put_abbreviation(&parts, 3, tags[i], true, with_sibling);
		put(&parts.info, 3, 1);
		sibling = parts.info.size;
		put(&parts.info, 0, 4);
		if (code)
			put_function(&parts, 2, "inside", CODE, 0x10);
		else
			put_fill(&parts.info, 30); /* no entry: it is passed over */
		put(&parts.info, 0, 1);
		put_at(&parts.info, sibling, parts.info.size, 4);
		put_function(&parts, 2, "behind", CODE + 0x10, 0x10);
		end_unit(&parts, begun);
		read_parts(&parts);
		assert_string_equal(chain_at(&parts, CODE), code ? "inside" : "");
		assert_string_equal(chain_at(&parts, CODE + 0x10), "behind");
		assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
		tl_dwarf_close(&parts.dwarf);
	}
}

/* ---- a supplementary file ---- */

static const char build_id[] = "\x12\x34\x56\x78\x9a\xbc\xde\xf0\x0f\xed";

/* Notes before that of the build id are padded to words (gABI, "Note Section"). */
static void put_notes(struct parts *p)
{
	static const struct {
		const char *name, *content;
		unsigned size, type;
	} notes[] = { { "Other", "12345", 5, 3 },
		      { "GNU", "1234567", 7, 1 },
		      { "Xen", "123456", 6, 3 },
		      { "GNU", build_id, 10, 3 } };

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		put(&p->note, strlen(notes[i].name) + 1, 4);
		put(&p->note, notes[i].size, 4);
		put(&p->note, notes[i].type, 4);
		put_text(&p->note, notes[i].name);
		while (p->note.size % 4)
			put(&p->note, 0, 1);
		put_bytes(&p->note, notes[i].content, notes[i].size);
		while (p->note.size % 4)
			put(&p->note, 0, 1);
	}
}

/*
 * A partial unit with a function's name, saved under `name`. @return where the function's entry is
 */
static uint64_t save_shared(const char *name)
{
	static const unsigned abstract[] = { DW_AT_name, DW_FORM_strp, 0 };
	size_t begun;
	uint64_t entry;

	begin_parts(&shared, shape);
	begun = begin_unit(&shared);
	put_root(&shared, 0x3c, 0, 0);
	put_abbreviation(&shared, 2, DW_TAG_subprogram, false, abstract);
	entry = shared.info.size;
	put(&shared.info, 2, 1);
	put_offset(&shared, &shared.info, 5);
	put_bytes(&shared.str, "name\0shared\0main", 17);
	end_unit(&shared, begun);
	put_notes(&shared);
	make_file_of(&shared);
	temp_write(&temp, name, shared.file.bytes, shared.file.size);
	return entry;
}

/* A function whose name is in the supplement, and a call inlined into it of another one there. */
static void make_user(unsigned name_form, unsigned reference_form, uint64_t entry, const char *link)
{
	const unsigned far[] = {
		DW_AT_name, name_form, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0
	};
	const unsigned inlined[] = { DW_AT_abstract_origin,
				     reference_form,
				     DW_AT_low_pc,
				     DW_FORM_addr,
				     DW_AT_high_pc,
				     DW_FORM_data4,
				     0 };
	size_t begun;

	begin_parts(&parts, shape);
	begun = begin_unit(&parts);
	put_root(&parts, 0x11, TEXT_AT, TEXT_SIZE);
	put_abbreviation(&parts, 2, DW_TAG_subprogram, true, far);
	put_abbreviation(&parts, 3, DW_TAG_inlined_subroutine, false, inlined);
	put(&parts.info, 2, 1);
	put(&parts.info, 12, 4);
	put(&parts.info, CODE, 8);
	put(&parts.info, 0x40, 4);
	put(&parts.info, 3, 1);
	put(&parts.info, entry, reference_form == DW_FORM_ref_sup8 ? 8 : 4);
	put(&parts.info, CODE + 0x10, 8);
	put(&parts.info, 0x10, 4);
	put(&parts.info, 0, 1);
	end_unit(&parts, begun);
	put_text(&parts.altlink, link);
	put_bytes(&parts.altlink, build_id, 10);
	/* Names that are relative are sought beside the file that has them. */
	temp_write(&temp, "user", "", 0);
	read_parts_at(&parts, temp_path(&temp, "user"),
		      (struct tl_debug_places){ temp.directory, client });
}

/* What a server has, by the question; the questions are counted. */
struct server {
	const char *path; /* NULL: nothing */
	int status;       /* where there is no path */
	unsigned asked;
};

static int find_file(void *arg, enum tl_debuginfod_kind kind, const char *id, char **path)
{
	struct server *server = arg;

	server->asked++;
	assert_int_equal(kind, TL_DEBUGINFOD_DEBUGINFO);
	assert_string_equal(id, "123456789abcdef00fed");
	if (!server->path)
		return server->status;
	*path = strdup(server->path);
	return 1;
}

/* "Asked for the ... debug information that are not on this machine", by the build id wanted. */
TEST(a_supplement_comes_from_a_server)
{
	struct server server = { .path = NULL };
	const struct tl_debuginfod asked = { find_file, &server };
	char kept[600];
	uint64_t entry = save_shared("given");

	snprintf(kept, sizeof(kept), "%s", temp_path(&temp, "given"));
	client = &asked;
	make_user(DW_FORM_GNU_strp_alt, DW_FORM_GNU_ref_alt, entry, "not-there");
	assert_string_equal(chain_at(&parts, CODE + 0x10), "?<?");
	expect_fault(TL_IO, "supplementary file was not found");

	server.path = kept;
	make_user(DW_FORM_GNU_strp_alt, DW_FORM_GNU_ref_alt, entry, "not-there");
	assert_string_equal(chain_at(&parts, CODE + 0x10), "shared<main");
	assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
	tl_dwarf_close(&parts.dwarf);
	assert_int_equal(server.asked, 2);

	/* Of what is here nobody is asked. */
	make_user(DW_FORM_GNU_strp_alt, DW_FORM_GNU_ref_alt, entry, "given");
	assert_string_equal(chain_at(&parts, CODE + 0x10), "shared<main");
	tl_dwarf_close(&parts.dwarf);
	assert_int_equal(server.asked, 2);

	server = (struct server){ .status = TL_NO_MEMORY };
	make_user(DW_FORM_GNU_strp_alt, DW_FORM_GNU_ref_alt, entry, "not-there");
	chain_at(&parts, CODE + 0x10);
	assert_true(tl_dwarf_faults(&parts.dwarf)->no_memory);
	tl_dwarf_close(&parts.dwarf);
	client = NULL;
	unlink(kept);
}

TEST(names_in_a_supplement_are_found)
{
	static const struct {
		unsigned name, reference;
	} forms[] = { { DW_FORM_GNU_strp_alt, DW_FORM_GNU_ref_alt },
		      { DW_FORM_strp_sup, DW_FORM_ref_sup4 },
		      { DW_FORM_strp_sup, DW_FORM_ref_sup8 } };
	uint64_t entry = save_shared("dwz");
	char absolute[600];

	snprintf(absolute, sizeof(absolute), "%s", temp_path(&temp, "dwz"));
	for (size_t i = 0; i < 6; i++) {
		make_user(forms[i / 2].name, forms[i / 2].reference, entry,
			  i % 2 ? absolute : "dwz");
		assert_string_equal(chain_at(&parts, CODE), "main");
		assert_string_equal(chain_at(&parts, CODE + 0x10), "shared<main");
		assert_string_equal(chain_at(&parts, CODE + 0x20), "main");
		assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
		tl_dwarf_close(&parts.dwarf);
	}
}

/* "Below the root of debug files", by the build id. */
TEST(a_supplement_is_found_by_its_build_id)
{
	uint64_t entry;
	char folder[600];

	snprintf(folder, sizeof(folder), "%s", temp_path(&temp, ".build-id"));
	assert_int_equal(mkdir(folder, 0700), 0);
	strcat(folder, "/12");
	assert_int_equal(mkdir(folder, 0700), 0);
	entry = save_shared(".build-id/12/3456789abcdef00fed.debug");
	make_user(DW_FORM_GNU_strp_alt, DW_FORM_GNU_ref_alt, entry, "not-there");
	assert_string_equal(chain_at(&parts, CODE + 0x10), "shared<main");
	assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
	tl_dwarf_close(&parts.dwarf);
	/* So it is where nothing can stand beside the file that names it, which is gone. */
	make_user(DW_FORM_GNU_strp_alt, DW_FORM_GNU_ref_alt, entry, "not-there");
	unlink(temp_path(&temp, "user"));
	assert_string_equal(chain_at(&parts, CODE + 0x10), "shared<main");
	assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
	assert_false(tl_dwarf_faults(&parts.dwarf)->no_memory);
	tl_dwarf_close(&parts.dwarf);
	unlink(temp_path(&temp, ".build-id/12/3456789abcdef00fed.debug"));
}

/* One of another build would give other names. */
TEST(a_supplement_that_is_missing_is_told)
{
	uint64_t entry = save_shared("dwz");

	make_user(DW_FORM_GNU_strp_alt, DW_FORM_GNU_ref_alt, entry, "not-there");
	assert_string_equal(chain_at(&parts, CODE + 0x10), "?<?");
	expect_fault(TL_IO, "supplementary file was not found");
	put_at(&shared.note, shared.note.size - 4, 0x77, 1);
	make_file_of(&shared);
	temp_write(&temp, "dwz", shared.file.bytes, shared.file.size);
	make_user(DW_FORM_GNU_strp_alt, DW_FORM_GNU_ref_alt, entry, "dwz");
	assert_string_equal(chain_at(&parts, CODE), "?");
	expect_fault(TL_IO, "supplementary file was not found");
}

/* ---- compressed sections ---- */

/* One function, "f"; .debug_info as it is. */
static void make_plain(void)
{
	size_t begun;

	begin_parts(&parts, shape);
	begun = begin_unit(&parts);
	put_root(&parts, 0x11, TEXT_AT, TEXT_SIZE);
	put_abbreviation(&parts, 2, DW_TAG_subprogram, false, function);
	put_function(&parts, 2, "f", CODE, 0x10);
	end_unit(&parts, begun);
}

/* gABI, "Compression Header": type, size, alignment; before it ".zdebug" had "ZLIB" and a size. */
static void compress_info(bool old, uint32_t type, uint64_t size)
{
	const struct made plain = parts.info;
	uLongf stored = sizeof(parts.info.bytes) / 2;
	uint8_t bytes[sizeof(parts.info.bytes) / 2];

	assert_int_equal(compress(bytes, &stored, plain.bytes, plain.size), Z_OK);
	parts.info = (struct made){ .is_64bit = true, .big = old };
	if (old) {
		put_bytes(&parts.info, "ZLIB", 4);
		put(&parts.info, size, 8);
		parts.info_name = ".zdebug_info";
	} else {
		put(&parts.info, type, 4);
		put(&parts.info, 0, 4);
		put(&parts.info, size, 8);
		put(&parts.info, 1, 8);
		parts.info_flags = SHF_COMPRESSED;
	}
	put_bytes(&parts.info, bytes, stored);
}

TEST(sections_are_expanded)
{
	for (int old = 0; old < 2; old++) {
		make_plain();
		compress_info(old, ELFCOMPRESS_ZLIB, parts.info.size);
		read_parts(&parts);
		assert_string_equal(chain_at(&parts, CODE), "f");
		assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
		tl_dwarf_close(&parts.dwarf);
	}
}

TEST(sections_that_cannot_be_expanded_are_told)
{
	static const struct {
		uint32_t type;
		uint64_t size; /* 0: as it is */
		enum tl_status status;
		const char *words;
	} rows[] = {
		{ 7, 0, TL_UNSUPPORTED, "unknown method" },
		{ 0, 0, TL_UNSUPPORTED, "unknown method" },
		{ ELFCOMPRESS_ZSTD, 0, TL_BAD_FORMAT, "damaged" },
		{ ELFCOMPRESS_ZLIB, 1, TL_BAD_FORMAT, "damaged" },
		{ ELFCOMPRESS_ZLIB, 4000, TL_BAD_FORMAT, "damaged" },
		{ ELFCOMPRESS_ZLIB, UINT64_C(1) << 40, TL_TOO_LARGE, "expand to more" },
		{ ELFCOMPRESS_ZLIB, UINT64_MAX, TL_TOO_LARGE, "expand to more" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_plain();
		compress_info(false, rows[i].type, rows[i].size ? rows[i].size : parts.info.size);
		read_parts(&parts);
		assert_string_equal(chain_at(&parts, CODE), "");
		expect_fault(rows[i].status, rows[i].words);
	}
	/* Neither "ZLIB" nor any bytes behind it. */
	make_plain();
	compress_info(true, 0, parts.info.size);
	parts.info.bytes[3] = 'C';
	read_parts(&parts);
	expect_fault(TL_UNSUPPORTED, "unknown method");
	parts.info.bytes[3] = 'B';
	parts.info.size = 10;
	read_parts(&parts);
	expect_fault(TL_UNSUPPORTED, "unknown method");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_have_abbreviations_of_their_own),
		cmocka_unit_test(codes_of_abbreviations_may_be_any_numbers),
		cmocka_unit_test(functions_in_namespaces_and_types_are_read),
		cmocka_unit_test(a_supplement_comes_from_a_server),
		cmocka_unit_test(names_in_a_supplement_are_found),
		cmocka_unit_test(a_supplement_is_found_by_its_build_id),
		cmocka_unit_test(a_supplement_that_is_missing_is_told),
		cmocka_unit_test(sections_are_expanded),
		cmocka_unit_test(sections_that_cannot_be_expanded_are_told),
	};

	return cmocka_run_group_tests_name("symbols dwarf files", tests, temp_setup, temp_teardown);
}
