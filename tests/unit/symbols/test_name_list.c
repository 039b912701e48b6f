/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of names as text: what the kernel writes (kallsyms), and run-time compilers for perf. */
#include "../unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/name_list.h"

static char path[] = "/tmp/tl-names-XXXXXX";
static struct tl_name_list list;
static struct tl_error err;

static int make_file(void **state)
{
	const int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_text(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void read_kallsyms(const char *text)
{
	write_text(text);
	assert_int_equal(tl_name_list_read_kallsyms(&list, path, &err), 0);
}

static void read_map(const char *text)
{
	write_text(text);
	assert_int_equal(tl_name_list_read_perf_map(&list, path, &err), 0);
}

static void assert_name(uint64_t address, const char *name)
{
	const struct tl_named_range *range = tl_name_list_find(&list, address);

	if (!name) {
		assert_null(range);
		return;
	}
	assert_non_null(range);
	assert_string_equal(range->name, name);
}

/* ---- kallsyms ---- */

TEST(kernel_functions_end_at_the_next)
{
	read_kallsyms("ffffffff81000020 t second\n"
		      "ffffffff81000000 T first\n"
		      "ffffffffc0000000 t third\t[module]\n");
	assert_int_equal(list.count, 3);
	assert_name(0xffffffff80ffffff, NULL);
	assert_name(0xffffffff81000000, "first");
	assert_name(0xffffffff8100001f, "first");
	assert_name(0xffffffff81000020, "second");
	assert_name(0xfffffffffffffffe, "third");
	assert_string_equal(list.list[0].module, "");
	assert_string_equal(list.list[2].module, "[module]");
	assert_false(list.hidden);
	tl_name_list_free(&list);
}

/* Data, lines of other forms, and addresses that are none are passed over. */
TEST(only_code_of_the_kernel)
{
	read_kallsyms("1000 D data\n1010 b bss\n1020 W weak\n1030 T\nxyz T bad\n1040T joined\n\n"
		      "1050 tt two\n1060 w weaker\n1070 A absolute\n");
	assert_int_equal(list.count, 2);
	assert_name(0x1020, "weak");
	assert_name(0x1060, "weaker");
	tl_name_list_free(&list);
}

/* Global before local before weak; names with dots or several underlines come last. */
TEST(best_name_of_an_address)
{
	read_kallsyms("1000 t local\n1000 T global\n1000 W weak\n"
		      "2000 W weak\n2000 t local\n"
		      "3000 T __pfx\n3000 t plain\n"
		      "4000 t .label\n4000 W plain_weak\n"
		      "5000 T one\n5000 T two\n"
		      "6000 T _one_underline\n6000 t other\n");
	assert_name(0x1000, "global");
	assert_name(0x2000, "local");
	assert_name(0x3000, "plain");
	assert_name(0x4000, "plain_weak");
	assert_name(0x5000, "one");
	assert_name(0x6000, "_one_underline");
	assert_int_equal(list.count, 6);
	tl_name_list_free(&list);
}

TEST(hidden_addresses)
{
	read_kallsyms("0000000000000000 T first\n0000000000000000 T second\n");
	assert_true(list.hidden);
	tl_name_list_free(&list);
	read_kallsyms("0000000000000000 T first\n0000000000001000 T second\n");
	assert_false(list.hidden);
	tl_name_list_free(&list);
	read_kallsyms("");
	assert_false(list.hidden);
	tl_name_list_free(&list);
}

/* System.map and kallsyms are known by their first line; maps of compilers have no type in it. */
TEST(known_by_the_first_line)
{
	static const char *const good[] = { "ffff800008000000 t _head\n", "c0008000 T stext\n",
					    "0000000000000000 A fixed\tx\n" };
	static const char *const bad[] = {
		"",
		"ffff800008000000\n",
		"ffff800008000000 t\n",
		"ffff800008000000 tt two\n",
		"ffff80000800000 t fifteen\n",
		"ffff8000080000000 t seventeen\n",
		"7f0000001000 20 compiled\n",
		"\177ELF",
		"\nffff800008000000 t second_line\n",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		write_text(good[i]);
		assert_true(tl_name_list_is_kallsyms(path));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		write_text(bad[i]);
		assert_false(tl_name_list_is_kallsyms(path));
	}
	assert_false(tl_name_list_is_kallsyms("/nowhere/kallsyms"));
}

/* ---- maps of run-time compilers ---- */

TEST(compiled_code_has_a_size)
{
	read_map("7f0000001000 20 LazyCompile:~f /a b.js:1\n"
		 "0x7f0000002000 0x10 prefixed\n7F0000003000 a capital\n");
	assert_name(0x7f0000000fff, NULL);
	assert_name(0x7f0000001000, "LazyCompile:~f /a b.js:1");
	assert_name(0x7f000000101f, "LazyCompile:~f /a b.js:1");
	assert_name(0x7f0000001020, NULL);
	assert_name(0x7f000000200f, "prefixed");
	assert_name(0x7f0000003009, "capital");
	assert_name(0x7f000000300a, NULL);
	tl_name_list_free(&list);
}

/* Code of the same place that was compiled later replaced the earlier. */
TEST(later_code_replaces_earlier)
{
	read_map("1000 20 old\n1000 20 new\n2000 20 early\n2010 20 late\n");
	assert_name(0x1000, "new");
	assert_name(0x2000, "early");
	assert_name(0x200f, "early");
	assert_name(0x2010, "late");
	assert_name(0x202f, "late");
	tl_name_list_free(&list);
}

TEST(lines_that_are_no_code)
{
	read_map("1000 0 empty\n1000\n1000 10\n1000 10 \nname only\n"
		 "ffffffffffffff00 200 wraps\n2000 10 good\n");
	assert_int_equal(list.count, 1);
	assert_name(0x2000, "good");
	tl_name_list_free(&list);
}

/* ---- files ---- */

TEST(file_that_is_missing)
{
	assert_int_equal(tl_name_list_read_kallsyms(&list, "/nowhere/kallsyms", &err), TL_IO);
	assert_int_equal(list.count, 0);
	assert_name(0, NULL);
	tl_name_list_free(&list);
}

/* The kernel's own list, where it shows its addresses: names are in order and end at the next. */
TEST(file_that_is_not_read)
{
	memset(&err, 0, sizeof(err));
	assert_int_equal(tl_name_list_read_kallsyms(&list, "/proc/self/mem", &err), TL_IO);
	assert_int_equal(err.sys_errno, EIO); /* nothing is mapped at address 0 */
	assert_string_equal(err.text, "the list of names cannot be read");
	assert_int_equal(list.count, 0);
}

TEST(running_kernel)
{
	if (tl_name_list_read_kallsyms(&list, "/proc/kallsyms", &err) < 0 || list.hidden ||
	    !list.count) {
		tl_name_list_free(&list);
		skip();
	}
	for (size_t i = 0; i + 1 < list.count; i++) {
		assert_true(list.list[i].start < list.list[i + 1].start);
		assert_int_equal(list.list[i].end, list.list[i + 1].start);
		assert_ptr_equal(tl_name_list_find(&list, list.list[i].start), &list.list[i]);
	}
	tl_name_list_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_functions_end_at_the_next),
		cmocka_unit_test(only_code_of_the_kernel),
		cmocka_unit_test(best_name_of_an_address),
		cmocka_unit_test(hidden_addresses),
		cmocka_unit_test(known_by_the_first_line),
		cmocka_unit_test(compiled_code_has_a_size),
		cmocka_unit_test(later_code_replaces_earlier),
		cmocka_unit_test(lines_that_are_no_code),
		cmocka_unit_test(file_that_is_missing),
		cmocka_unit_test(file_that_is_not_read),
		cmocka_unit_test(running_kernel),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
