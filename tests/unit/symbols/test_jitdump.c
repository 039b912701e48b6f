/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jitdump files, written by hand after tools/perf/Documentation/jitdump-specification.txt of Linux;
 * cut short, mutated, and where memory runs out.
 */
#include "../refuse.h"

#include "symbols/jitdump.h"

enum { ROOM = 1024, MUTANTS = 20000 };

static uint8_t bytes[ROOM];
static size_t size;
static bool swapped;

static void put(const void *data, size_t count)
{
	assert_true(size + count <= ROOM);
	memcpy(bytes + size, data, count);
	size += count;
}

static void put32(uint32_t value)
{
	value = swapped ? __builtin_bswap32(value) : value;
	put(&value, sizeof(value));
}

static void put64(uint64_t value)
{
	value = swapped ? __builtin_bswap64(value) : value;
	put(&value, sizeof(value));
}

static void put_text(const char *text)
{
	put(text, strlen(text) + 1);
}

static void head(uint32_t id, size_t body, uint64_t time)
{
	put32(id);
	put32((uint32_t)(16 + body));
	put64(time);
}

/* "code: raw byte encoding of the jitted code", behind the name's terminator */
static void load(const char *name, uint64_t time, uint64_t address, uint64_t count, uint64_t index)
{
	head(0, (size_t)(40 + strlen(name) + 1 + count), time);
	put32(7);
	put32(7);
	put64(address);
	put64(address);
	put64(count);
	put64(index);
	put_text(name);
	for (uint64_t i = 0; i < count; i++)
		put("\x90", 1);
}

static void move(uint64_t time, uint64_t from, uint64_t to, uint64_t count, uint64_t index)
{
	head(1, 48, time);
	put32(7);
	put32(7);
	put64(to);
	put64(from);
	put64(to);
	put64(count);
	put64(index);
}

static void lines(uint64_t address)
{
	head(2, 16 + 16 + 5 + 16 + 2, 0);
	put64(address);
	put64(2);
	put64(address);
	put32(10);
	put32(0);
	put_text("a.js");
	put64(address + 4);
	put32(11);
	put32(0);
	put("\xff", 2);
}

/* 0x1000 f, then g in its place; h moved from 0x2000 to 0x3000; a record of an unknown kind */
static void make(void)
{
	size = 0;
	put32(0x4a695444);
	put32(1);
	put32(40);
	put32(62);
	put32(0);
	put32(7);
	put64(0);
	put64(0);
	lines(0x1000);
	load("f", 100, 0x1000, 8, 1);
	load("g@1", 200, 0x1000, 6, 2);
	head(99, 8, 0);
	put64(0);
	load("h", 300, 0x2000, 4, 3);
	move(400, 0x2000, 0x3000, 4, 3);
	move(500, 0x5000, 0x6000, 4, 77);
}

static void want_code(struct tl_jitdump *dump, uint64_t time, uint64_t address, const char *name)
{
	struct tl_jitdump_code code;

	assert_true(tl_jitdump_next(dump, &code));
	assert_int_equal(code.time, time);
	assert_int_equal(code.address, address);
	assert_string_equal(code.name, name);
	assert_int_equal(bytes[code.offset], 0x90);
	assert_int_equal(bytes[code.offset - 1], 0);
}

static void want_codes(void)
{
	struct tl_jitdump_code code;
	struct tl_jitdump dump;

	make();
	assert_int_equal(tl_jitdump_open_memory(&dump, bytes, size, NULL), 0);
	assert_int_equal(dump.machine, 62);
	want_code(&dump, 100, 0x1000, "f");
	want_code(&dump, 200, 0x1000, "g@1");
	want_code(&dump, 300, 0x2000, "h");
	want_code(&dump, 400, 0x3000, "h");
	assert_false(tl_jitdump_next(&dump, &code));
	assert_int_equal(dump.damage, TL_NOWHERE);
	tl_jitdump_close(&dump);
}

/* "magic: ... the byte order of the file is that of the machine" */
TEST(both_byte_orders)
{
	swapped = false;
	want_codes();
	swapped = true;
	want_codes();
	swapped = false;
}

static void want_line(const struct tl_jit_code *code, uint64_t offset, const char *file,
		      uint32_t line)
{
	struct tl_symbol symbol = { .file = "" };

	tl_jit_code_line(code, offset, &symbol);
	assert_string_equal(symbol.file, file);
	assert_int_equal(symbol.line, line);
}

/* Functions are known by the place of their code in the file: one address may have had several. */
TEST(functions_and_lines)
{
	struct tl_symtab symbols = { .count = 0 };
	struct tl_jit_code code = { .lines = NULL };
	const struct tl_elf_symbol *found;
	uint64_t at;

	make();
	assert_int_equal(tl_jitdump_open_memory(&code.dump, bytes, size, NULL), 0);
	assert_int_equal(tl_jit_code_take(&code, &symbols, NULL), 0);
	assert_true(tl_symtab_finish(&symbols));
	assert_int_equal(symbols.count, 3);
	at = (uint64_t)((const uint8_t *)memmem(bytes, size, "\x90\x90\x90\x90\x90\x90\x90\x90",
						8) -
			bytes);
	found = tl_symtab_find(&symbols, at + 7);
	assert_non_null(found);
	assert_string_equal(found->shown, "f");
	assert_null(tl_symtab_find(&symbols, at + 8));
	want_line(&code, at, "a.js", 10);
	want_line(&code, at + 3, "a.js", 10);
	want_line(&code, at + 7, "a.js", 11);
	want_line(&code, at + 8, "", 0);
	want_line(&code, at - 1, "", 0);
	tl_symtab_free(&symbols);
	tl_jit_code_free(&code);
}

/* Read all; what comes out is inside the bytes. */
static void read_any(const uint8_t *data, size_t count)
{
	struct tl_jit_code code = { .lines = NULL };
	struct tl_symtab symbols = { .count = 0 };

	if (tl_jitdump_open_memory(&code.dump, data, count, NULL) == 0) {
		assert_int_equal(tl_jit_code_take(&code, &symbols, NULL), 0);
		assert_true(tl_symtab_finish(&symbols));
		for (size_t i = 0; i < symbols.count; i++)
			assert_true(symbols.symbols[i].end <= count);
		for (size_t i = 0; i < code.count; i++)
			assert_true(code.lines[i].offset < count &&
				    strlen(code.lines[i].file) < count);
	}
	tl_symtab_free(&symbols);
	tl_jit_code_free(&code);
}

/* The end of the bytes is behind them: a read past it is seen by the sanitizer. */
TEST(every_prefix)
{
	struct tl_jitdump_code code;
	struct tl_jitdump dump;

	make();
	for (size_t n = 0; n < size; n++) {
		uint8_t *copy = malloc(n + 1);

		assert_non_null(copy);
		memcpy(copy, bytes, n);
		read_any(copy, n);
		free(copy);
	}
	/* "the first record that is none", here the last one */
	assert_int_equal(tl_jitdump_open_memory(&dump, bytes, size - 1, NULL), 0);
	while (tl_jitdump_next(&dump, &code))
		;
	assert_int_equal(dump.damage, size - 64);
	tl_jitdump_close(&dump);
	assert_int_equal(tl_jitdump_open_memory(&dump, bytes, 39, NULL), TL_BAD_FORMAT);
}

TEST(mutants)
{
	uint64_t seed = 1;
	uint8_t copy[ROOM];

	make();
	for (int i = 0; i < MUTANTS; i++) {
		memcpy(copy, bytes, size);
		for (int k = 0; k < 1 + i % 3; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			copy[(seed >> 33) % size] = (uint8_t)(seed >> 20);
		}
		read_any(copy, size);
	}
}

static int all_step(const void *input, uint64_t *digest)
{
	struct tl_jit_code code = { .lines = NULL };
	struct tl_symtab symbols = { .count = 0 };
	struct tl_error err;
	int status = tl_jitdump_open_memory(&code.dump, input, size, &err);

	if (status == 0)
		status = tl_jit_code_take(&code, &symbols, &err);
	refuse_note_number(digest, (int64_t)symbols.count);
	refuse_note_number(digest, (int64_t)code.count);
	tl_symtab_free(&symbols);
	tl_jit_code_free(&code);
	return status;
}

TEST(no_memory)
{
	make();
	refuse_each(all_step, bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_byte_orders), cmocka_unit_test(functions_and_lines),
		cmocka_unit_test(every_prefix),     cmocka_unit_test(mutants),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
