/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a source of calls, and what an index keeps of them in its file. */
#include "../unit.h"

#include <string.h>

#include "timeline/calls/function_list.h"

/* clang-format off */
static const struct tl_call_function every_kind[] = {
	{ .name = "main", .file = "main.c", .object = "prog", .line = 12, .wanted = true,
	  .id = 7, .address = 0x401000 },
	{ .name = "f", .file = "", .object = "", .line = 0, .wanted = false, .id = TL_NOWHERE,
	  .address = 0 },
	{ .name = "f", .file = "f.c", .object = "libf.so", .line = UINT32_MAX, .wanted = true,
	  .id = 0, .address = UINT64_MAX },
	{ .name = "\303\251 <T, \"x\">", .file = "a\tb", .object = "/o", .line = 1,
	  .wanted = false, .id = 1, .address = 1 },
};
/* clang-format on */
enum { KINDS = sizeof(every_kind) / sizeof(every_kind[0]) };

static void add_all(struct tl_function_list *functions)
{
	for (size_t i = 0; i < KINDS; i++)
		assert_true(tl_function_list_add(functions, &every_kind[i]));
}

static void are_all(const struct tl_function_list *functions)
{
	struct tl_call_function f;
	struct tl_error err;

	assert_int_equal(functions->count, KINDS);
	for (uint32_t i = 0; i < KINDS; i++) {
		assert_int_equal(tl_function_list_get(functions, i, &f, &err), 0);
		assert_string_equal(f.name, every_kind[i].name);
		assert_string_equal(f.file, every_kind[i].file);
		assert_string_equal(f.object, every_kind[i].object);
		assert_int_equal(f.line, every_kind[i].line);
		assert_int_equal(f.wanted, every_kind[i].wanted);
		assert_true(f.id == every_kind[i].id && f.address == every_kind[i].address);
	}
}

/* ---- in memory ---- */

TEST(functions_have_numbers)
{
	struct tl_function_list functions = { .count = 0 };
	struct tl_call_function f;
	struct tl_error err;

	assert_int_equal(tl_function_list_get(&functions, 0, &f, &err), TL_BAD_USAGE);
	add_all(&functions);
	are_all(&functions);
	assert_int_equal(tl_function_list_get(&functions, KINDS, &f, &err), TL_BAD_USAGE);
	assert_int_equal(tl_function_list_get(&functions, UINT32_MAX, &f, &err), TL_BAD_USAGE);
	assert_true(err.offset == TL_NOWHERE);
	tl_function_list_clear(&functions);
	assert_int_equal(functions.count, 0);
	/* and can be used again */
	add_all(&functions);
	are_all(&functions);
	tl_function_list_clear(&functions);
}

/* "whose texts are copied" */
TEST(texts_are_copied)
{
	struct tl_function_list functions = { .count = 0 };
	char name[] = "name", file[] = "file", object[] = "object";
	struct tl_call_function f = { .name = name, .file = file, .object = object };

	assert_true(tl_function_list_add(&functions, &f));
	memset(name, 'x', 4);
	memset(file, 'x', 4);
	memset(object, 'x', 6);
	assert_int_equal(tl_function_list_get(&functions, 0, &f, NULL), 0);
	assert_string_equal(f.name, "name");
	assert_string_equal(f.file, "file");
	assert_string_equal(f.object, "object");
	tl_function_list_clear(&functions);
}

/* ---- in a file ---- */

static void pack_all(struct tl_packed *packed)
{
	struct tl_function_list functions = { .count = 0 };
	struct tl_error err;

	add_all(&functions);
	assert_int_equal(tl_function_list_save(&functions, packed, &err), 1);
	tl_function_list_clear(&functions);
}

TEST(functions_come_back_from_a_file)
{
	struct tl_function_list functions = { .count = 0 };
	struct tl_packed packed = { .size = 0 };
	struct tl_cursor cur;
	struct tl_error err;

	/* behind other bytes, and in front of some */
	assert_true(tl_pack_number(&packed, 5));
	pack_all(&packed);
	assert_true(tl_pack_number(&packed, 6));
	/* what the list held before is forgotten */
	assert_true(tl_function_list_add(&functions, &every_kind[3]));
	cur = tl_cursor_over(packed.bytes + 1, packed.size - 1);
	assert_int_equal(tl_function_list_load(&functions, &cur, &err), 1);
	are_all(&functions);
	assert_int_equal(tl_cursor_left(&cur), 1);
	tl_function_list_clear(&functions);
	free(packed.bytes);
}

/*
 * A number of functions; of each three texts with their sizes, the zero at the end among them, then
 * line, wanted, id and address: numbers of seven bits a byte, the low ones first.
 */
TEST(the_bytes_of_a_function)
{
	static const uint8_t bytes[] = { 1, 3, 'a',  'b', 0, 1, 0, 2, 'o', 0, 0x80, 1, /* 128 */
					 1, 9, 0xff, 0x7f /* 16383 */ };
	struct tl_function_list functions = { .count = 0 };
	struct tl_packed packed = { .size = 0 };
	struct tl_cursor cur = tl_cursor_over(bytes, sizeof(bytes));
	struct tl_call_function f;

	assert_int_equal(tl_function_list_load(&functions, &cur, NULL), 1);
	assert_int_equal(functions.count, 1);
	assert_int_equal(tl_function_list_get(&functions, 0, &f, NULL), 0);
	assert_string_equal(f.name, "ab");
	assert_string_equal(f.file, "");
	assert_string_equal(f.object, "o");
	assert_int_equal(f.line, 128);
	assert_true(f.wanted && f.id == 9 && f.address == 16383);
	assert_int_equal(tl_function_list_save(&functions, &packed, NULL), 1);
	assert_int_equal(packed.size, sizeof(bytes));
	assert_memory_equal(packed.bytes, bytes, sizeof(bytes));
	free(packed.bytes);
	tl_function_list_clear(&functions);
}

TEST(no_functions_are_none)
{
	static const uint8_t none[] = { 0 };
	struct tl_function_list functions = { .count = 0 };
	struct tl_cursor cur = tl_cursor_over(none, 1);

	assert_true(tl_function_list_add(&functions, &every_kind[0]));
	assert_int_equal(tl_function_list_load(&functions, &cur, NULL), 1);
	assert_int_equal(functions.count, 0);
	tl_function_list_clear(&functions);
}

static void is_refused(const uint8_t *bytes, size_t size)
{
	struct tl_function_list functions = { .count = 0 };
	struct tl_cursor cur = tl_cursor_over(bytes, size);

	assert_int_equal(tl_function_list_load(&functions, &cur, NULL), 0);
	/* nothing is left of those that were read */
	assert_int_equal(functions.count, 0);
	assert_null(functions.list);
}

TEST(no_prefix_is_a_list)
{
	struct tl_packed packed = { .size = 0 };

	pack_all(&packed);
	for (size_t size = 0; size < packed.size; size++)
		is_refused(packed.bytes, size);
	free(packed.bytes);
}

TEST(texts_that_are_none)
{
	static const struct {
		uint8_t bytes[16];
		size_t size;
	} cases[] = {
		/* without a zero at the end */
		{ { 1, 2, 'a', 'b', 1, 0, 1, 0, 0, 0, 0, 0 }, 12 },
		/* with one before it */
		{ { 1, 3, 'a', 0, 0, 1, 0, 1, 0, 0, 0, 0, 0 }, 13 },
		/* of no bytes */
		{ { 1, 0, 1, 0, 1, 0, 0, 0, 0, 0 }, 10 },
		/* the same of file and object */
		{ { 1, 2, 'a', 0, 1, 'b', 1, 0, 0, 0, 0, 0 }, 12 },
		{ { 1, 2, 'a', 0, 2, 'b', 0, 0, 0, 0, 0, 0 }, 12 },
		/* longer than all that is left */
		{ { 1, 100, 'a', 0, 1, 0, 1, 0, 0, 0, 0, 0 }, 12 },
		{ { 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0 }, 12 },
		/* more functions than there are */
		{ { 2, 2, 'a', 0, 1, 0, 1, 0, 0, 0, 0, 0 }, 12 },
		{ { 0xff, 0xff, 0xff, 0xff, 0x7f }, 5 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_refused(cases[i].bytes, cases[i].size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_have_numbers),
		cmocka_unit_test(texts_are_copied),
		cmocka_unit_test(functions_come_back_from_a_file),
		cmocka_unit_test(the_bytes_of_a_function),
		cmocka_unit_test(no_functions_are_none),
		cmocka_unit_test(no_prefix_is_a_list),
		cmocka_unit_test(texts_that_are_none),
	};

	return cmocka_run_group_tests_name("timeline function list", tests, NULL, NULL);
}
