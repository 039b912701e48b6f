/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files made by hand: facts, symbols, sections, relocations, errors, damage. */

#include "../unit.h"
#include <errno.h>
#include <tracelathe/symbols.h>

#include "make_elf.h"
#include "../temp.h"
#include "symbols/binary.h"

static struct temp temp;

static const struct {
	bool is_64bit, big;
} kinds[] = { { true, false }, { true, true }, { false, false }, { false, true } };

enum { KINDS = 4 };

static void save(const struct made *made, const char *name)
{
	temp_write(&temp, name, made->bytes, made->size);
}

static int open_named(struct tl_binary **binary, const char *name, uint64_t bias,
		      struct tl_error *err)
{
	return tl_binary_open(binary, temp_path(&temp, name), bias, true, err);
}

/* A kernel's System.map is a binary of names alone; what is behind the last has a page. */
TEST(names_of_a_kernel)
{
	static const char map[] = "ffff800008000000 t _head\nffff800008010000 T vectors\n"
				  "ffff800008010800 T last\nffff800009000000 D data\n";
	static const char hidden[] = "0000000000000000 T a\n0000000000000000 T b\n";
	struct tl_binary *binary;
	struct tl_symbol symbol;
	struct tl_error err;
	size_t size;

	temp_write(&temp, "names", map, sizeof(map) - 1);
	assert_int_equal(open_named(&binary, "names", 0x1000, &err), 0);
	assert_true(tl_binary_symbol_at(binary, 0xffff8000080117ff, &symbol));
	assert_string_equal(symbol.name, "vectors");
	assert_int_equal(symbol.start, 0xffff800008011000);
	assert_int_equal(symbol.size, 0x800);
	assert_true(tl_binary_holds(binary, 0xffff8000080127ff));
	assert_false(tl_binary_holds(binary, 0xffff800008012800));
	assert_false(tl_binary_holds(binary, 0xffff800008000fff));
	assert_null(tl_binary_code(binary, 0xffff800008011000, &size));
	assert_false(tl_binary_has_lines(binary));
	tl_binary_close(binary);
	temp_write(&temp, "names", hidden, sizeof(hidden) - 1);
	assert_int_equal(open_named(&binary, "names", 0, &err), TL_BAD_FORMAT);
	assert_non_null(strstr(err.text, "kptr_restrict"));
}

/* The names of the hand-made table, by their offsets in it. */
static const char names[] =
	"\0outer\0inner\0b_global\0a_global\0a_local\0a_weak\0an_object\0label\0unsized\0last\0"
	"versioned@@V1\0$x\0_Z3fooi";
static uint32_t name_at(const char *name)
{
	for (uint32_t i = 0; i < sizeof(names); i += (uint32_t)strlen(names + i) + 1)
		if (!strcmp(names + i, name))
			return i;
	abort();
}

#define FUNC(binding) (uint8_t)ELF64_ST_INFO(binding, STT_FUNC)

static struct made symbols_of(const struct made *made)
{
	struct made table = made_like(made);

	put_symbol(&table, 0, 0, 0, 0, 0);
	put_symbol(&table, name_at("outer"), FUNC(STB_GLOBAL), 1, 0x1000, 0x100);
	put_symbol(&table, name_at("inner"), FUNC(STB_GLOBAL), 1, 0x1040, 0x10);
	put_symbol(&table, name_at("a_weak"), FUNC(STB_WEAK), 1, 0x1200, 0x10);
	put_symbol(&table, name_at("a_local"), FUNC(STB_LOCAL), 1, 0x1200, 0x10);
	put_symbol(&table, name_at("b_global"), FUNC(STB_GLOBAL), 1, 0x1200, 0x10);
	put_symbol(&table, name_at("a_global"), FUNC(STB_GLOBAL), 1, 0x1200, 0x10);
	put_symbol(&table, name_at("an_object"), (uint8_t)ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 1,
		   0x1200, 0x20);
	put_symbol(&table, name_at("label"), STT_NOTYPE, 1, 0x1080, 0);
	put_symbol(&table, name_at("unsized"), STT_NOTYPE, 1, 0x1300, 0);
	put_symbol(&table, name_at("$x"), STT_NOTYPE, 1, 0x1310, 0);
	put_symbol(&table, name_at("_Z3fooi"), FUNC(STB_GLOBAL), 1, 0x1380, 0x10);
	put_symbol(&table, name_at("versioned@@V1"), FUNC(STB_GLOBAL), 1, 0x1390, 0x10);
	put_symbol(&table, name_at("last"), STT_NOTYPE, 1, 0x13f0, 0);
	/* a name past the end of the names */
	put_symbol(&table, 60000, FUNC(STB_GLOBAL), 1, 0x13a0, 0x10);
	return table;
}

/* .text at 0x1000, 0x400 bytes; a word for REL at 0x2000. */
static struct made make_file(bool is_64bit, bool big, uint32_t table_type, bool relr)
{
	static const uint8_t text[0x400];
	struct made made = { .is_64bit = is_64bit, .big = big }, symbols = symbols_of(&made),
		    data = made_like(&made), rela = made_like(&made), rel = made_like(&made);
	uint64_t symbol_shift = is_64bit ? (uint64_t)1 << 32 : 1 << 8;
	uint16_t machine = is_64bit ? EM_X86_64 : EM_386;
	uint64_t relative = is_64bit ? R_X86_64_RELATIVE : R_386_RELATIVE,
		 absolute = is_64bit ? R_X86_64_64 : R_386_32;

	put_word(&data, 0x1234);
	put_word(&data, 0x11);
	put_word(&rela, 0x3000);
	put_word(&rela, relative);
	put_word(&rela, 0x1040);
	put_word(&rela, 0x3008);
	put_word(&rela, symbol_shift * 2 + absolute); /* symbol 2 is "inner" */
	put_word(&rela, 5);
	put_word(&rela, 0x3010);
	put_word(&rela, 7); /* JUMP_SLOT: makes no address known here */
	put_word(&rela, 1);
	if (relr) {
		put_word(&rel, 0x2000);
		put_word(&rel, 3); /* bitmap: the next word too */
	} else {
		put_word(&rel, 0x2000);
		put_word(&rel, relative);
		put_word(&rel, is_64bit ? 0x2008 : 0x2004);
		put_word(&rel, symbol_shift * 1 + absolute); /* symbol 1 is "outer" */
	}
	const struct made_section sections[] = {
		{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, text, sizeof(text), 0,
		  0 },
		{ ".symtab", table_type, 0, 0, symbols.bytes, symbols.size, 3, is_64bit ? 24 : 16 },
		{ ".strtab", SHT_STRTAB, 0, 0, (const uint8_t *)names, sizeof(names), 0, 0 },
		{ ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x2000, data.bytes, data.size, 0,
		  0 },
		{ ".rela.dyn", SHT_RELA, SHF_ALLOC, 0x400, rela.bytes, rela.size, 2,
		  is_64bit ? 24 : 12 },
		{ ".rel.dyn", relr ? 19 : SHT_REL, SHF_ALLOC, 0x600, rel.bytes, rel.size,
		  relr ? 0 : 2, is_64bit ? 16 : 8 },
		{ ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x3000, NULL, 0x500, 0, 0 },
	};

	make_elf(&made, ET_DYN, machine, sections, 7);
	return made;
}

/* "Open an ELF file (32 or 64 bit, either byte order, PIE or not)." */
TEST(both_classes_and_orders_open)
{
	for (size_t i = 0; i < KINDS; i++) {
		struct made made = make_file(kinds[i].is_64bit, kinds[i].big, SHT_SYMTAB, false);
		struct tl_binary *binary;
		struct tl_symbol symbol;

		save(&made, "pie");
		assert_int_equal(open_named(&binary, "pie", 0, NULL), 0);
		assert_int_equal(tl_binary_is_64bit(binary), kinds[i].is_64bit);
		assert_int_equal(tl_binary_is_big_endian(binary), kinds[i].big);
		assert_true(tl_binary_is_pie(binary));
		assert_false(tl_binary_has_lines(binary));
		assert_string_equal(tl_binary_build_id(binary), "");
		assert_string_equal(tl_binary_path(binary), temp_path(&temp, "pie"));
		assert_true(tl_binary_symbol_at(binary, 0x1041, &symbol));
		assert_string_equal(symbol.name, "inner");
		tl_binary_close(binary);

		put_at(&made, 16, ET_EXEC, 2);
		save(&made, "fixed");
		assert_int_equal(open_named(&binary, "fixed", 0, NULL), 0);
		assert_false(tl_binary_is_pie(binary));
		tl_binary_close(binary);
	}
}

/*
 * "prefer FUNC, global over local over weak at equal address, sized, containing; aliases: ... the
 * first by (binding rank, name)"; without .symtab the dynamic table serves.
 */
TEST(the_best_symbol_names_an_address)
{
	static const struct {
		uint64_t address;
		const char *name;
		uint64_t start, size;
		/* clang-format off */
	} cases[] = {
		{ 0xfff, "", 0, 0 },
		{ 0x1000, "outer", 0x1000, 0x100 },
		{ 0x103f, "outer", 0x1000, 0x100 },
		{ 0x1040, "inner", 0x1040, 0x10 },
		{ 0x104f, "inner", 0x1040, 0x10 },
		{ 0x1050, "outer", 0x1000, 0x100 },
		{ 0x1080, "outer", 0x1000, 0x100 }, /* a label without size inside a function */
		{ 0x10ff, "outer", 0x1000, 0x100 },
		{ 0x1100, "", 0, 0 },
		{ 0x1200, "a_global", 0x1200, 0x10 },
		{ 0x120f, "a_global", 0x1200, 0x10 },
		{ 0x1210, "", 0, 0 },
		{ 0x1300, "unsized", 0x1300, 0 },
		{ 0x1310, "unsized", 0x1300, 0 }, /* "$x" is a mapping symbol */
		{ 0x137f, "unsized", 0x1300, 0 }, /* up to the next symbol */
		{ 0x1380, "foo(int)", 0x1380, 0x10 },
		{ 0x1390, "versioned", 0x1390, 0x10 },
		{ 0x13a0, "", 0, 0 },
		{ 0x13f0, "last", 0x13f0, 0 },
		{ 0x13ff, "last", 0x13f0, 0 },
		{ 0x1400, "", 0, 0 }, /* up to the end of its section */
		{ UINT64_MAX, "", 0, 0 },
	};
	/* clang-format on */
	const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };

	for (size_t run = 0; run < 2 * 2 * KINDS; run++) {
		struct made made = make_file(kinds[run / 4].is_64bit, kinds[run / 4].big,
					     types[run % 2], false);
		uint64_t bias = run & 2 ? 0x7f0000000000 : 0;
		struct tl_binary *binary;

		save(&made, "symbols");
		assert_int_equal(open_named(&binary, "symbols", bias, NULL), 0);
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct tl_symbol symbol;
			bool found = tl_binary_symbol_at(binary, cases[i].address + bias, &symbol);

			assert_int_equal(found, *cases[i].name != '\0');
			assert_string_equal(symbol.name, cases[i].name);
			assert_int_equal(symbol.start, found ? cases[i].start + bias : 0);
			assert_int_equal(symbol.size, cases[i].size);
			assert_string_equal(symbol.file, "");
		}
		tl_binary_close(binary);
	}
}

/* Undefined and common symbols have no place yet; absolute ones have one where they have a size. */
TEST(symbols_that_are_no_places)
{
	static const struct {
		uint8_t type;
		uint16_t section;
		uint64_t size;
		bool is_place;
	} rows[] = {
		{ STT_FUNC, SHN_UNDEF, 0x10, false }, { STT_OBJECT, SHN_COMMON, 0x10, false },
		{ STT_NOTYPE, SHN_ABS, 0, false },    { STT_FUNC, SHN_ABS, 0x10, true },
		{ STT_SECTION, 1, 0x10, false },      { STT_FILE, SHN_ABS, 0x10, false },
		{ STT_TLS, 1, 0x10, false },          { STT_GNU_IFUNC, 1, 0x10, true },
	};
	static const uint8_t code[0x100];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct made made = { .is_64bit = true }, symbols = made_like(&made);
		struct tl_binary *binary;
		struct tl_symbol symbol;

		put_symbol(&symbols, 0, 0, 0, 0, 0);
		put_symbol(&symbols, name_at("inner"),
			   (uint8_t)ELF64_ST_INFO(STB_GLOBAL, rows[i].type), rows[i].section,
			   0x1040, rows[i].size);
		const struct made_section sections[] = {
			{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code,
			  sizeof(code), 0, 0 },
			{ ".symtab", SHT_SYMTAB, 0, 0, symbols.bytes, symbols.size, 3, 24 },
			{ ".strtab", SHT_STRTAB, 0, 0, (const uint8_t *)names, sizeof(names), 0,
			  0 },
		};

		make_elf(&made, ET_EXEC, EM_X86_64, sections, 3);
		save(&made, "places");
		assert_int_equal(open_named(&binary, "places", 0, NULL), 0);
		assert_int_equal(tl_binary_symbol_at(binary, 0x1044, &symbol), rows[i].is_place);
		tl_binary_close(binary);
	}
}

static void put_segment(struct made *made, uint32_t type, uint64_t offset, uint64_t address,
			uint64_t size)
{
	put(made, type, 4);
	if (made->is_64bit)
		put(made, PF_R, 4);
	put_word(made, offset);
	put_word(made, address);
	put_word(made, 0x777000); /* the physical address */
	put_word(made, size);
	put_word(made, size + 0x200); /* in memory */
	if (!made->is_64bit)
		put(made, PF_R, 4);
	put_word(made, 0x1000);
}

/* gABI, "Program Header": what is loaded says where a byte of the file is in memory. */
TEST(segments_say_where_the_file_is)
{
	static const uint64_t places[][2] = { { 0, 0x10000 },
					      { 0xff, 0x100ff },
					      { 0x100, 0x40500 },
					      { 0x13f, 0x4053f },
					      { 0x140, 0x140 } };

	for (size_t i = 0; i < KINDS; i++) {
		struct made made = make_file(kinds[i].is_64bit, kinds[i].big, SHT_SYMTAB, false);
		const size_t word = made.is_64bit ? 8 : 4, header = made.is_64bit ? 64 : 52;
		struct tl_binary *binary;

		put_at(&made, made_shoff_field(&made) - word, made.size, (unsigned)word);
		put_at(&made, header - 10, made.is_64bit ? 56 : 32, 2);
		put_at(&made, header - 8, 3, 2);
		put_segment(&made, PT_NOTE, 0, 0x90000, 0x200);
		put_segment(&made, PT_LOAD, 0, 0x10000, 0x100);
		put_segment(&made, PT_LOAD, 0x100, 0x40500, 0x40);
		save(&made, "segments");
		assert_int_equal(open_named(&binary, "segments", 0, NULL), 0);
		for (size_t k = 0; k < sizeof(places) / sizeof(places[0]); k++)
			assert_int_equal(tl_binary_linked_address(binary, places[k][0]),
					 places[k][1]);
		tl_binary_close(binary);
	}
}

/* "demangled unless the binary was opened raw" */
TEST(raw_names_stay_mangled)
{
	struct made made = make_file(true, false, SHT_SYMTAB, false);
	struct tl_binary *binary;
	struct tl_symbol symbol;

	save(&made, "raw");
	assert_int_equal(tl_binary_open(&binary, temp_path(&temp, "raw"), 0, false, NULL), 0);
	assert_true(tl_binary_symbol_at(binary, 0x1380, &symbol));
	assert_string_equal(symbol.name, "_Z3fooi");
	tl_binary_close(binary);
}

/* "A section by name. ... data NULL for SHT_NOBITS; virtual address without bias" */
TEST(sections_are_found_by_name)
{
	struct made made = make_file(true, true, SHT_SYMTAB, false);
	struct tl_section section;
	struct tl_binary *binary;

	save(&made, "sections");
	assert_int_equal(open_named(&binary, "sections", 0x5000, NULL), 0);
	assert_true(tl_binary_section(binary, ".data", &section));
	assert_int_equal(section.address, 0x2000);
	assert_int_equal(section.size, 16);
	assert_memory_equal(section.data, "\0\0\0\0\0\0\x12\x34\0\0\0\0\0\0\0\x11", 16);
	assert_true(tl_binary_section(binary, ".bss", &section));
	assert_null(section.data);
	assert_int_equal(section.size, 0x500);
	assert_int_equal(section.address, 0x3000);
	assert_false(tl_binary_section(binary, ".nowhere", &section));
	tl_binary_close(binary);
}

/*
 * "The addend of the RELATIVE relocation at a virtual address (RELA, REL reads the place itself)
 * ...; symbol-based absolute relocations give symbol value + addend." RELR: gABI, "Relative
 * Relocation Table".
 */
TEST(relocations_give_what_a_loader_stores)
{
	for (size_t run = 0; run < 2 * KINDS; run++) {
		bool relr = run & 1, is_64bit = kinds[run / 2].is_64bit;
		struct made made = make_file(is_64bit, kinds[run / 2].big, SHT_SYMTAB, relr);
		struct tl_binary *binary;
		uint64_t value;

		save(&made, "relocations");
		assert_int_equal(open_named(&binary, "relocations", 0x9000, NULL), 0);
		assert_true(tl_binary_relocation(binary, 0x3000, &value));
		assert_int_equal(value, 0x1040);
		assert_true(tl_binary_relocation(binary, 0x3008, &value));
		assert_int_equal(value, 0x1040 + 5);
		assert_true(tl_binary_relocation(binary, 0x2000, &value));
		assert_int_equal(value, 0x1234);
		assert_true(tl_binary_relocation(binary, is_64bit ? 0x2008 : 0x2004, &value));
		assert_int_equal(value, relr ? 0x11 : 0x1000 + 0x11);
		assert_false(tl_binary_relocation(binary, 0x3010, &value));
		assert_false(tl_binary_relocation(binary, 0x2001, &value));
		tl_binary_close(binary);
	}
}

static void fails(const char *path, int status, uint64_t offset, int sys_errno)
{
	struct tl_binary *binary = (struct tl_binary *)&temp;
	struct tl_error err;

	assert_int_equal(tl_binary_open(&binary, path, 0, true, &err), status);
	assert_null(binary);
	assert_int_equal(err.status, status);
	assert_int_equal(err.offset, offset);
	assert_int_equal(err.sys_errno, sys_errno);
	assert_string_equal(err.format, "elf");
}

/* "TL_IO" */
TEST(files_that_cannot_be_read_are_told)
{
	fails(temp_path(&temp, "missing"), TL_IO, TL_NOWHERE, ENOENT);
	fails(temp.directory, TL_IO, TL_NOWHERE, EISDIR);
	assert_int_equal(mkfifo(temp_path(&temp, "pipe"), 0600), 0);
	fails(temp_path(&temp, "pipe"), TL_IO, TL_NOWHERE, EINVAL);
}

/* "TL_BAD_FORMAT (not ELF, or damaged)", at the byte that is wrong. */
TEST(damaged_headers_are_told_at_their_byte)
{
	static const struct {
		size_t at;
		uint8_t byte;
		uint64_t offset;
	} cases[] = { { 0, 'x', 0 },      { EI_CLASS, 3, EI_CLASS }, { EI_DATA, 0, EI_DATA },
		      { 0x3a, 41, 0x3a }, { 0x2f, 1, 0x28 },         { 0x3d, 0x70, 0x28 } };
	struct made made = make_file(true, false, SHT_SYMTAB, false);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made wrong = made;

		wrong.bytes[cases[i].at] = cases[i].byte;
		save(&wrong, "wrong");
		fails(temp_path(&temp, "wrong"), TL_BAD_FORMAT, cases[i].offset, 0);
	}
	fails(temp_write(&temp, "text", "#!/bin/sh\n", 10), TL_BAD_FORMAT, 0, 0);
	fails(temp_write(&temp, "empty", "", 0), TL_BAD_FORMAT, 0, 0);
}

/* Use everything a binary offers. */
static void use(const char *path)
{
	struct tl_binary *binary;
	struct tl_section section;
	struct tl_symbol symbol;
	uint64_t value;

	if (tl_binary_open(&binary, path, 0, true, NULL))
		return;
	for (uint64_t address = 0; address < 0x3100; address += 0x10) {
		tl_binary_symbol_at(binary, address, &symbol);
		assert_non_null(symbol.name);
		assert_non_null(symbol.file);
		tl_binary_relocation(binary, address, &value);
	}
	if (tl_binary_section(binary, ".text", &section) && section.data)
		for (size_t i = 0; i < section.size; i++)
			value += section.data[i];
	tl_binary_close(binary);
}

/* A file that is cut short says so: the section headers, its last bytes, are not all there. */
TEST(every_prefix_is_refused)
{
	struct made made = make_file(true, false, SHT_SYMTAB, false);
	struct tl_binary *binary;
	struct tl_error err;

	for (size_t size = 0; size < made.size; size += size < 80 ? 1 : 13) {
		temp_write(&temp, "prefix", made.bytes, size);
		assert_int_equal(open_named(&binary, "prefix", 0, &err), TL_BAD_FORMAT);
		assert_int_equal(err.offset, size < 4 ? 0 : size < 64 ? size : 0x28);
	}
}

/* "A damaged/mutated ELF must never crash" */
TEST(mutants_do_not_crash)
{
	uint64_t random = 12345;

	for (size_t i = 0; i < 2000; i++) {
		struct made made = make_file(kinds[i % KINDS].is_64bit, kinds[i % KINDS].big,
					     SHT_SYMTAB, i % 8 > 3);
		size_t headers = made.size - (size_t)9 * (made.is_64bit ? 64u : 40u);

		for (uint64_t n = 1 + next_random(&random) % 4; n; n--) {
			/*
			 * Half of the damage goes to the section headers, where most decisions are
			 * made.
			 */
			size_t at = next_random(&random) % 2
					    ? headers + next_random(&random) % (made.size - headers)
					    : next_random(&random) % made.size;

			made.bytes[at] =
				next_random(&random) % 3 ? (uint8_t)next_random(&random) : 0xff;
		}
		save(&made, "mutant");
		use(temp_path(&temp, "mutant"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_classes_and_orders_open),
		cmocka_unit_test(names_of_a_kernel),
		cmocka_unit_test(the_best_symbol_names_an_address),
		cmocka_unit_test(symbols_that_are_no_places),
		cmocka_unit_test(segments_say_where_the_file_is),
		cmocka_unit_test(raw_names_stay_mangled),
		cmocka_unit_test(sections_are_found_by_name),
		cmocka_unit_test(relocations_give_what_a_loader_stores),
		cmocka_unit_test(files_that_cannot_be_read_are_told),
		cmocka_unit_test(damaged_headers_are_told_at_their_byte),
		cmocka_unit_test(every_prefix_is_refused),
		cmocka_unit_test(mutants_do_not_crash),
	};

	temp_open(&temp);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	temp_close(&temp);
	return failed;
}
