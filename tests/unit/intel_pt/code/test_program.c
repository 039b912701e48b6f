/* SPDX-License-Identifier: Apache-2.0 */
/* Code of a raw trace: maps of saved pages, raw bytes, ELF files, and where their addresses belong
 * to. */
#include <stdlib.h>
#include <string.h>

#include "../../unit.h"

#include "../../temp.h"
#include "intel_pt/code/program.h"

static int setup(void **state)
{
	static struct temp temp;

	temp_open(&temp);
	*state = &temp;
	return 0;
}

static int teardown(void **state)
{
	temp_close(*state);
	return 0;
}

static void write_text(struct temp *temp, const char *name, const char *text)
{
	temp_write(temp, name, text, strlen(text));
}

static struct tl_pt_program *open_program(void)
{
	struct tl_pt_program *program;
	struct tl_error err;

	assert_int_equal(tl_pt_program_open(&program, &err), 0);
	return program;
}

/* "Map lines: vaddr size img_off origin_file origin_off, numbers in hex without 0x; a # line is a
 * comment." */
static void maps(void **state)
{
	struct temp *temp = *state;
	struct tl_pt_program *program = open_program();
	struct tl_pt_mapping place;
	struct tl_error err;
	uint8_t byte;

	write_text(temp, "a.img", "abcdefgh");
	write_text(temp, "a.map", "# comment\n1000 4 0 /no/such/file 200\n\n2000 4 4 [anon] 0\n");
	assert_int_equal(tl_pt_program_add_map(program, temp_path(temp, "a.map"), NULL, &err), 0);
	assert_int_equal(tl_pt_program_index(program, &err), 0);
	assert_true(tl_pt_program_mapping(program, 0x1003, &place));
	assert_string_equal(place.object, "/no/such/file");
	assert_null(place.file);
	assert_int_equal(place.offset, 0x200);
	assert_false(tl_pt_program_mapping(program, 0x1004, &place));
	assert_int_equal(
		tl_pt_image_read(tl_pt_program_image(program), NULL, &byte, 1, NULL, 0x2001), 1);
	assert_int_equal(byte, 'f');
	tl_pt_program_close(program);
}

static void want_failure(struct temp *temp, const char *map, int status, uint64_t offset)
{
	struct tl_pt_program *program = open_program();
	struct tl_error err;

	write_text(temp, "a.map", map);
	assert_int_equal(tl_pt_program_add_map(program, temp_path(temp, "a.map"), NULL, &err),
			 status);
	assert_int_equal(err.status, status);
	assert_int_equal(err.offset, offset);
	tl_pt_program_close(program);
}

/* Errors are at the line that is wrong. */
static void bad_maps(void **state)
{
	struct temp *temp = *state;

	write_text(temp, "a.img", "abcdefgh");
	want_failure(temp, "1000 4 0 x 0\n1000 4\n", TL_BAD_RECORD, 13);
	want_failure(temp, "1000 4 0 x 0\n1000 4 5 x 0\n", TL_BAD_SIZE, 13);
	want_failure(temp, "1000 9 0 x 0\n", TL_BAD_SIZE, 0);
	want_failure(temp, "ffffffffffffffff 4 0 x 0\n", TL_BAD_SIZE, 0);
}

/* "NAME.map/NAME.img beside the trace (NAME = up to the first dot)" */
static void found_beside(void **state)
{
	struct temp *temp = *state;
	struct tl_error err;
	char trace[512], *map;

	snprintf(trace, sizeof(trace), "%s", temp_path(temp, "b.ret.pt.zst"));
	assert_int_equal(tl_pt_program_find_map(trace, &map, &err), 0);
	assert_null(map);
	write_text(temp, "b.map", "");
	assert_int_equal(tl_pt_program_find_map(trace, &map, &err), 0);
	assert_null(map);
	write_text(temp, "b.img", "x");
	assert_int_equal(tl_pt_program_find_map(trace, &map, &err), 0);
	assert_string_equal(map, temp_path(temp, "b.map"));
	free(map);
}

/* "--raw FILE[:OFF[-END]]@ADDR": bytes [OFF, END); END 0: to the end. */
static void raw_bytes(void **state)
{
	struct temp *temp = *state;
	struct tl_pt_program *program = open_program();
	struct tl_pt_mapping place;
	struct tl_error err;
	uint8_t bytes[8];

	write_text(temp, "code", "0123456789");
	assert_int_equal(
		tl_pt_program_add_raw(program, temp_path(temp, "code"), 2, 5, 0x400000, &err), 0);
	assert_int_equal(
		tl_pt_program_add_raw(program, temp_path(temp, "code"), 7, 0, 0x500000, &err), 0);
	assert_int_equal(tl_pt_program_index(program, &err), 0);
	assert_int_equal(
		tl_pt_image_read(tl_pt_program_image(program), NULL, bytes, 8, NULL, 0x400000), 3);
	assert_memory_equal(bytes, "234", 3);
	assert_int_equal(
		tl_pt_image_read(tl_pt_program_image(program), NULL, bytes, 8, NULL, 0x500000), 3);
	assert_memory_equal(bytes, "789", 3);
	assert_true(tl_pt_program_mapping(program, 0x500001, &place));
	assert_int_equal(place.offset, 7);
	assert_int_equal(tl_pt_program_add_raw(program, temp_path(temp, "code"), 10, 0, 0, &err),
			 TL_BAD_USAGE);
	tl_pt_program_close(program);
}

/* A map's file gives names only if it has the bytes that were executed: another build has other
 * names there. */
static void origins_are_compared(void **state)
{
	struct temp *temp = *state;
	const char *root = getenv("TL_SOURCE_ROOT");
	char golden[512], line[600];
	struct tl_error err;
	FILE *file;
	uint8_t *elf = malloc(1 << 16);
	size_t size;

	snprintf(golden, sizeof(golden), "%s/tests/golden/intel_pt/bin/rec", root);
	file = fopen(golden, "rb");
	assert_non_null(file);
	size = fread(elf, 1, 1 << 16, file);
	fclose(file);
	assert_true(size > 0x1400);
	snprintf(line, sizeof(line), "555555555000 300 0 %s 1000\n", golden);
	for (unsigned changed = 0; changed < 2; changed++) {
		struct tl_pt_program *program = open_program();
		struct tl_pt_mapping place;

		elf[0x1200] = (uint8_t)(elf[0x1200] ^ changed);
		temp_write(temp, "c.img", elf + 0x1000, 0x300);
		write_text(temp, "c.map", line);
		assert_int_equal(
			tl_pt_program_add_map(program, temp_path(temp, "c.map"), NULL, &err), 0);
		assert_int_equal(tl_pt_program_index(program, &err), 0);
		assert_true(tl_pt_program_mapping(program, 0x555555555010, &place));
		assert_int_equal(place.file != NULL, !changed);
		if (!changed)
			assert_int_equal(place.bias, 0x555555554000);
		tl_pt_program_close(program);
	}
	free(elf);
}

/* "An origin gives names to the code of its load segments, however much of the file a line has." */
static void whole_files_have_names(void **state)
{
	struct temp *temp = *state;
	const char *root = getenv("TL_SOURCE_ROOT");
	struct tl_pt_program *program = open_program();
	struct tl_pt_mapping place;
	struct tl_error err;
	char golden[512], line[600];
	uint8_t *elf = malloc(1 << 16);
	FILE *file;
	size_t size;

	snprintf(golden, sizeof(golden), "%s/tests/golden/intel_pt/bin/rec", root);
	file = fopen(golden, "rb");
	assert_non_null(file);
	size = fread(elf, 1, 1 << 16, file);
	fclose(file);
	temp_write(temp, "w.img", elf, size);
	snprintf(line, sizeof(line), "700000 %zx 0 %s 0\n", size, golden);
	write_text(temp, "w.map", line);
	assert_int_equal(tl_pt_program_add_map(program, temp_path(temp, "w.map"), NULL, &err), 0);
	assert_int_equal(tl_pt_program_index(program, &err), 0);
	assert_true(tl_pt_program_mapping(program, 0x701159, &place));
	assert_string_equal(place.file, golden);
	assert_int_equal(place.bias, 0x700000);
	/* What is no code is part of the image all the same. */
	assert_true(tl_pt_program_mapping(program, 0x700000, &place));
	assert_null(place.file);
	assert_null(place.nameless);
	tl_pt_program_close(program);
	free(elf);
}

/* "where names could not be found, why" */
static void reasons(void **state)
{
	static const struct {
		const char *origin, *why;
		/* clang-format off */
	} rows[] = {
		{ "/no/such/file", "No such file or directory" },
		{ "/", "it is another user's, or no regular file: give a copy of your own below "
		       "--sysroot" },
		{ "text", "not an ELF file" },
		{ "[vdso]", NULL },
		{ "?", NULL },
	};
	/* clang-format on */
	struct temp *temp = *state;

	write_text(temp, "a.img", "abcdefgh");
	write_text(temp, "text",
		   "This is no ELF file, but it is long enough to have a header of one, which is "
		   "64 bytes.");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tl_pt_program *program = open_program();
		struct tl_pt_mapping place;
		struct tl_error err;
		char line[64];

		snprintf(line, sizeof(line), "1000 4 0 %s 0\n", rows[i].origin);
		write_text(temp, "a.map", line);
		assert_int_equal(
			tl_pt_program_add_map(program, temp_path(temp, "a.map"), NULL, &err), 0);
		assert_int_equal(tl_pt_program_index(program, &err), 0);
		assert_true(tl_pt_program_mapping(program, 0x1000, &place));
		if (rows[i].why)
			assert_string_equal(place.nameless, rows[i].why);
		else
			assert_null(place.nameless);
		tl_pt_program_close(program);
	}
}

int main(void)
{
#define WITH_FIXTURE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(maps),
		WITH_FIXTURE(bad_maps),
		WITH_FIXTURE(found_beside),
		WITH_FIXTURE(raw_bytes),
		WITH_FIXTURE(origins_are_compared),
		WITH_FIXTURE(whole_files_have_names),
		WITH_FIXTURE(reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
