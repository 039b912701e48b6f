/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places that a loader fills: of a file laid out by hand after the System V ABI ("Relocation",
 * "Symbol Table"), and of a shared library as readelf lists them.
 */
#include "../temp_fixture.h"

#include "symbols/imports.h"

#include "make_elf.h"
#include "readelf.h"
#include "../refuse.h"

enum { DATA = 0x4000, TEXT = 0x1000 };

static const char names[] = "\0puts\0ours\0strange\0cut";

static uint32_t name_at(const char *name)
{
	uint32_t at = 0;

	while (strcmp(names + at, name) != 0)
		at += (uint32_t)strlen(names + at) + 1;
	return at;
}

static void put_rela(struct made *made, uint64_t slot, uint64_t symbol, uint64_t addend)
{
	put(made, slot, 8);
	put(made, symbol << 32 | 6, 8);
	put(made, addend, 8);
}

struct tables {
	struct made symbols, dynamic, plt;
	size_t name_bytes;
};

enum { PUTS = 1, OURS, ABSOLUTE, NAMELESS, UNENDED, SYMBOLS };

static struct tables make_tables(void)
{
	const struct made empty = { .is_64bit = true };
	struct tables t = { empty, empty, empty, sizeof(names) };

	put_symbol(&t.symbols, 0, 0, 0, 0, 0);
	put_symbol(&t.symbols, name_at("puts"), 0x12, SHN_UNDEF, 0, 0);
	put_symbol(&t.symbols, name_at("ours"), 0x12, 1, TEXT + 0x10, 4);
	put_symbol(&t.symbols, name_at("strange"), 0x12, SHN_ABS, TEXT + 0x20, 0);
	put_symbol(&t.symbols, 60000, 0x12, SHN_UNDEF, 0, 0);
	put_symbol(&t.symbols, name_at("cut"), 0x12, SHN_UNDEF, 0x30, 0);
	put_rela(&t.dynamic, DATA + 0x20, 0, TEXT + 0x40);
	put_rela(&t.dynamic, DATA + 0x08, OURS, 2);
	put_rela(&t.dynamic, DATA + 0x28, SYMBOLS, 0); /* no such symbol */
	put_rela(&t.dynamic, DATA + 0x30, NAMELESS, 0);
	put_rela(&t.plt, DATA + 0x10, PUTS, 0);
	put_rela(&t.plt, DATA + 0x18, ABSOLUTE, 1);
	put_rela(&t.plt, DATA, UNENDED, 1);
	return t;
}

static struct tl_binary *open_made(const struct tables *t, bool is_64bit, bool big)
{
	const struct made_section sections[] = {
		{ ".dynsym", SHT_DYNSYM, SHF_ALLOC, 0x200, t->symbols.bytes, t->symbols.size, 2,
		  24 },
		{ ".dynstr", SHT_STRTAB, SHF_ALLOC, 0x800, (const uint8_t *)names, t->name_bytes, 0,
		  0 },
		{ ".rela.dyn", SHT_RELA, SHF_ALLOC, 0xa00, t->dynamic.bytes, t->dynamic.size, 1,
		  24 },
		{ ".rela.plt", SHT_RELA, SHF_ALLOC, 0xc00, t->plt.bytes, t->plt.size, 1, 24 },
	};
	struct made made = { .is_64bit = is_64bit, .big = big };
	struct tl_binary *binary;

	make_elf(&made, ET_DYN, EM_X86_64, sections, 4);
	temp_write(&temp, "made", made.bytes, made.size);
	assert_int_equal(tl_binary_open(&binary, temp.path, 0, true, NULL), 0);
	return binary;
}

static void assert_import(const struct tl_import *import, uint64_t slot, uint64_t value,
			  const char *name)
{
	assert_int_equal(import->slot, slot);
	assert_int_equal(import->value, value);
	if (name)
		assert_string_equal(import->name, name);
	else
		assert_null(import->name);
}

/* "In order of slots", from both tables; a symbol that is not there is left out. */
TEST(slots_of_both_tables)
{
	const struct tables t = make_tables();
	struct tl_binary *binary = open_made(&t, true, false);
	struct tl_imports imports;

	assert_true(tl_imports_read(&imports, binary));
	assert_int_equal(imports.count, 6);
	assert_import(&imports.list[0], DATA, 0x31, "cut");
	assert_import(&imports.list[1], DATA + 0x08, TEXT + 0x12, NULL);
	assert_import(&imports.list[2], DATA + 0x10, 0, "puts");
	assert_import(&imports.list[3], DATA + 0x18, TEXT + 0x21, NULL);
	assert_import(&imports.list[4], DATA + 0x20, TEXT + 0x40, NULL);
	assert_import(&imports.list[5], DATA + 0x30, 0, "");
	for (size_t i = 0; i < 6; i++) {
		assert_ptr_equal(tl_imports_find(&imports, imports.list[i].slot), &imports.list[i]);
		assert_null(tl_imports_find(&imports, imports.list[i].slot + 1));
	}
	assert_null(tl_imports_find(&imports, DATA - 8));
	assert_null(tl_imports_find(&imports, DATA + 0x28));
	assert_null(tl_imports_find(&imports, DATA + 0x38));
	/* Neither undefined symbols nor those of reserved sections. */
	assert_int_equal(imports.exported_count, 1);
	assert_int_equal(imports.exported[0], TEXT + 0x10);
	tl_imports_free(&imports);
	assert_null(tl_imports_find(&imports, DATA));
	tl_binary_close(binary);
}

/* "Tables that cannot be read are left out": what is cut costs its own entry alone. */
TEST(tables_that_are_cut)
{
	struct tables t = make_tables();
	struct tl_imports imports;
	struct tl_binary *binary;

	t.dynamic.size--;  /* the last entry, that without a name */
	t.plt.size -= 25;  /* the last two */
	t.name_bytes -= 2; /* the end of the last name */
	binary = open_made(&t, true, false);
	assert_true(tl_imports_read(&imports, binary));
	assert_int_equal(imports.count, 3);
	assert_import(&imports.list[0], DATA + 0x08, TEXT + 0x12, NULL);
	assert_import(&imports.list[1], DATA + 0x10, 0, "puts");
	assert_import(&imports.list[2], DATA + 0x20, TEXT + 0x40, NULL);
	tl_imports_free(&imports);
	tl_binary_close(binary);

	t = make_tables();
	t.name_bytes -= 2;
	t.symbols.size -= 24 * (SYMBOLS - OURS) - 23;
	binary = open_made(&t, true, false);
	assert_true(tl_imports_read(&imports, binary));
	/* Of the symbols only the first two are left. */
	assert_int_equal(imports.count, 2);
	assert_import(&imports.list[0], DATA + 0x10, 0, "puts");
	assert_import(&imports.list[1], DATA + 0x20, TEXT + 0x40, NULL);
	assert_int_equal(imports.exported_count, 0);
	tl_imports_free(&imports);
	tl_binary_close(binary);
}

/* A name without an end is none; the one before it is whole. */
TEST(names_that_do_not_end)
{
	struct tables t = make_tables();
	struct tl_imports imports;
	struct tl_binary *binary;

	t.name_bytes = name_at("cut") + 3;
	binary = open_made(&t, true, false);
	assert_true(tl_imports_read(&imports, binary));
	assert_import(&imports.list[0], DATA, 0x31, "");
	assert_import(&imports.list[2], DATA + 0x10, 0, "puts");
	tl_imports_free(&imports);
	tl_binary_close(binary);
}

/* "For 64-bit little-endian files ...; of others there is none." */
TEST(other_files_have_none)
{
	const struct tables t = make_tables();

	for (int way = 0; way < 2; way++) {
		struct tl_binary *binary = open_made(&t, way, way);
		struct tl_imports imports;

		assert_true(tl_imports_read(&imports, binary));
		assert_int_equal(imports.count, 0);
		assert_int_equal(imports.exported_count, 0);
		tl_binary_close(binary);
	}
}

/*
 * This program as readelf lists it: a line of a relocation is slot, info, type and, where it has a
 * symbol, that symbol's value ("name()" where a function chooses it), name@version, "+" and an
 * addend; else the addend alone.
 */
static size_t compare_with_readelf(const struct tl_imports *imports)
{
	FILE *list = readelf_this("-rW", "cat");
	char line[512], name[256];
	unsigned long slot, info, value;
	size_t lines = 0;

	while (fgets(line, sizeof(line), list)) {
		const struct tl_import *import;
		int fields =
			sscanf(line, "%lx %lx R_%*s %lx %255[^@ \n]", &slot, &info, &value, name);

		if (fields < 2 || !strstr(line, " R_"))
			continue;
		lines++;
		import = tl_imports_find(imports, slot);
		assert_non_null(import);
		assert_int_equal(import->slot, slot);
		if (fields == 4 && !value)
			assert_string_equal(import->name, name);
		if (fields == 3)
			assert_int_equal(import->value, value);
	}
	pclose(list);
	return lines;
}

TEST(slots_are_those_of_readelf)
{
	struct tl_binary *binary;
	struct tl_imports imports;
	size_t lines = 0;

	assert_int_equal(tl_binary_open(&binary, "/proc/self/exe", 0, true, NULL), 0);
	assert_true(tl_imports_read(&imports, binary));
	if (tl_binary_is_64bit(binary) && !tl_binary_is_big_endian(binary))
		lines = compare_with_readelf(&imports);
	if (lines)
		assert_int_equal(imports.count, lines);
	else
		print_message(
			"no relocations of a 64-bit little-endian program by readelf: skipped\n");
	tl_imports_free(&imports);
	tl_binary_close(binary);
}

static int imports_step(const void *input, uint64_t *digest)
{
	struct tl_binary *binary = *(struct tl_binary *const *)input;
	struct tl_imports imports;

	if (!tl_imports_read(&imports, binary)) {
		assert_null(imports.list);
		return TL_NO_MEMORY;
	}
	refuse_note_number(digest, (int64_t)imports.count);
	refuse_note_number(digest, (int64_t)imports.exported_count);
	tl_imports_free(&imports);
	return 0;
}

TEST(without_memory_there_are_none)
{
	const struct tables t = make_tables();
	struct tl_binary *binary = open_made(&t, true, false);

	assert_true(refuse_each(imports_step, &binary) >= 2);
	tl_binary_close(binary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_of_both_tables),
		cmocka_unit_test(tables_that_are_cut),
		cmocka_unit_test(names_that_do_not_end),
		cmocka_unit_test(other_files_have_none),
		cmocka_unit_test(slots_are_those_of_readelf),
		cmocka_unit_test(without_memory_there_are_none),
	};

	return cmocka_run_group_tests_name("symbols imports", tests, temp_setup, temp_teardown);
}
