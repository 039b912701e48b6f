/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols and debug information where memory runs out: an answer is the one that is given with
 * memory, or tl_binary_short_of_memory() says that it may not be.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "../refuse.h"

#include "symbols/binary.h"
#include "symbols/cfi/tables.h"
#include "symbols/elf/debug_file.h"
#include "symbols/unwind.h"

enum { MOST_BYTES = 256, MOST_CHAIN = 8 };

static void note_address(struct tl_binary *binary, uint64_t address, uint64_t *digest)
{
	struct tl_inlined chain[MOST_CHAIN];
	struct tl_symbol symbol;
	size_t count;

	tl_binary_symbol_at(binary, address, &symbol);
	refuse_note_text(digest, symbol.name);
	refuse_note_text(digest, symbol.file);
	refuse_note_number(digest, symbol.line);
	count = tl_binary_inlined(binary, address, chain, sizeof(chain[0]), MOST_CHAIN);
	refuse_note_number(digest, (int64_t)count);
	for (size_t i = 0; i < count && i < MOST_CHAIN; i++) {
		refuse_note_text(digest, chain[i].name);
		refuse_note_text(digest, chain[i].call_file);
	}
}

static void note_code(struct tl_binary *binary, uint64_t *digest)
{
	struct tl_section text;
	uint64_t value;

	if (!tl_binary_section(binary, ".text", &text))
		return;
	for (uint64_t i = 0; i < text.size && i < MOST_BYTES; i += 5) {
		note_address(binary, text.address + i, digest);
		if (tl_binary_relocation(binary, text.address + i, &value))
			refuse_note_number(digest, (int64_t)value);
	}
}

static int binary_step(const void *input, uint64_t *digest)
{
	struct tl_binary *binary;
	struct tl_error err = { 0 };
	struct tl_unwind unwind;
	int status = tl_binary_open(&binary, input, 0, true, &err);

	assert_int_equal(err.status, status);
	if (status) {
		assert_null(binary);
		return status;
	}
	note_code(binary, digest);
	if (!tl_unwind_read(&unwind, binary)) {
		assert_null(unwind.functions);
		status = TL_NO_MEMORY;
	}
	tl_unwind_free(&unwind);
	if (tl_binary_short_of_memory(binary))
		status = TL_NO_MEMORY;
	tl_binary_close(binary);
	return status;
}

/* Each file of the corpus: DWARF of versions 2 to 5, compressed, shared, of either byte order. */
TEST(binaries)
{
	const char *root = getenv("TL_SOURCE_ROOT");
	char path[1024];
	DIR *folder;
	uint64_t asked = 0;

	snprintf(path, sizeof(path), "%s/fuzz/corpus/dwarf", root ? root : ".");
	folder = opendir(path);
	assert_non_null(folder);
	for (struct dirent *entry; (entry = readdir(folder));) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/fuzz/corpus/dwarf/%s", root ? root : ".",
			 entry->d_name);
		asked += refuse_each(binary_step, path);
	}
	closedir(folder);
	assert_true(asked > 100);
}

static int cfi_step(const void *input, uint64_t *digest)
{
	struct tl_cfi_row row;
	struct tl_error err = { 0 };
	struct tl_cfi *cfi;
	const struct tl_debug_places places = { "/nowhere", NULL };
	int status = tl_cfi_open(&cfi, input, &places, &err), found = 0;

	assert_int_equal(err.status, status);
	if (status) {
		assert_null(cfi);
		return status;
	}
	for (uint64_t address = 0; found >= 0 && address < 0x1000; address += 3) {
		found = tl_cfi_find(cfi, address, &row);
		refuse_note_number(digest, found);
		if (found > 0)
			refuse_note_number(digest, row.cfa.value);
	}
	tl_cfi_close(cfi);
	return found < 0 ? found : 0;
}

/* With an index, without one, compressed. */
TEST(call_frame_information)
{
	static const char *const names[] = { "x86_64", "no_index", "debug_frame" };
	const char *root = getenv("TL_SOURCE_ROOT");
	char path[1024];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/fuzz/corpus/cfi/%s", root ? root : ".", names[i]);
		assert_true(refuse_each(cfi_step, path) > 0);
	}
}

static int demangle_step(const void *input, uint64_t *digest)
{
	char *plain = tl_demangle(input);

	if (!plain)
		return TL_NO_MEMORY;
	refuse_note_text(digest, plain);
	free(plain);
	return 0;
}

TEST(names)
{
	static const char *const names[] = { "main", "_ZN3app4calcEi",
					     "_ZSt4endlIcSt11char_traitsIcEE",
					     "_RNvCs1234_7mycrate3foo", "_Z3foov.constprop.0" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_true(refuse_each(demangle_step, names[i]) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(binaries),
		cmocka_unit_test(call_frame_information),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests_name("symbols no_memory", tests, NULL, NULL);
}
