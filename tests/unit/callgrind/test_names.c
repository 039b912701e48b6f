/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <stdio.h>

static const char *name_at(struct text *t)
{
	return name_of(t, next_of(t, TL_CALLGRIND_NAME)->name.number);
}

/* "spec=(ID) name defines, spec=(ID) refers; separate ID tables per kind of name" */
TEST(three_tables)
{
	struct text t;

	text_open(&t,
		  HEAD "ob=(1) lib\nfl=(1) a.c\nfn=(1) main\ncob=(1)\ncfi=(1)\ncfn=(1)\ncfl=(2) "
		       "b.c\nfe=(2)\njfi=(2)\n");
	static const char *const wanted[] = { "lib",  "a.c", "main", "lib", "a.c",
					      "main", "b.c", "b.c",  "b.c" };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_string_equal(name_at(&t), wanted[i]);
	text_close(&t);
}

/* "a re-definition overrides from there on" (rule F) */
TEST(redefinition)
{
	struct text t;

	text_open(&t, HEAD "fn=(1) main\nfn=(1) other\nfn=(1)\nfn=(1) main\nfn=(1)\n");
	static const char *const wanted[] = { "main", "other", "other", "main", "main" };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_string_equal(name_at(&t), wanted[i]);
	text_close(&t);
	expect_clean(HEAD "fn=(1) main\nfn=(1) other\n1 1\n");
}

/* "never clear between parts": the second part uses names of the first */
TEST(tables_outlive_parts)
{
	expect_clean(
		HEAD
		"part: 1\nfl=(1) a.c\nfn=(1) main\n1 10\ntotals: 10\npart: 2\nfl=(1)\nfn=(1)\n1 "
		"20\ntotals: 20\n");
}

/* "an undefined id becomes a distinct name "(id)" and one warning" */
TEST(undefined)
{
	struct text t;

	text_open(&t, HEAD "fn=(7)\nfn=(7)\nfn=(8)\n");
	assert_string_equal(name_at(&t), "(7)");
	assert_string_equal(name_at(&t), "(7)");
	assert_string_equal(name_at(&t), "(8)");
	text_close(&t);
	/* HEAD has 19 + 11 bytes and 2 lines */
	expect_fault(HEAD "fn=(7)\nfn=(7)\n", 1, TL_BAD_RECORD, 30, 3);
}

/* "id > 32 bit: 64 bit, larger = string key" */
TEST(large_ids)
{
	struct text t;

	text_open(&t, HEAD
		  "fl=(4000000000) a.c\nfn=(99999999999999999999) main\nfn=(99999999999999999998) "
		  "other\n"
		  "fn=(99999999999999999999)\nfl=(4000000000)\nfn=(0099999999999999999998)\n");
	static const char *const wanted[] = { "a.c", "main", "other", "main", "a.c", "other" };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_string_equal(name_at(&t), wanted[i]);
	text_close(&t);
	expect_clean(HEAD "fl=(4000000000) a.c\nfl=(4000000000)\n");
}

/*
 * An id that was too large for what had been read when it was defined is still that id when more
 * has been.
 */
TEST(ids_grow_with_the_file)
{
	enum { LINES = 8000 };
	char *text = malloc(LINES * 16 + 200);
	size_t size = (size_t)sprintf(text, HEAD "fn=(20000) early\n");
	struct text t;

	for (int i = 0; i < LINES; i++)
		size += (size_t)sprintf(text + size, "fn=(1) main\n");
	sprintf(text + size, "fn=(20000)\n");
	text_open(&t, text);
	assert_string_equal(name_at(&t), "early");
	for (int i = 0; i < LINES; i++)
		assert_string_equal(name_at(&t), "main");
	assert_string_equal(name_at(&t), "early");
	text_close(&t);
	free(text);
}

/* "fn=(9) (5)'2'(3) = NESTED ids" as --compress-mangled=yes writes them; other parentheses are the
 * name's own
 */
TEST(nested_ids)
{
	struct text t;

	text_open(&t,
		  HEAD "fn=(5) f\nfn=(3) main\nfn=(9) (5)'2'(3)\nfn=(9)\nfn=(10) (5)'(77)\nfn=(11) "
		       "(below main)\n"
		       "fn=(12) operator()(5)\n");
	static const char *const wanted[] = { "f",      "main",         "f'2'main",     "f'2'main",
					      "f'[77]", "(below main)", "operator()(5)" };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_string_equal(name_at(&t), wanted[i]);
	text_close(&t);
}

/*
 * "A name starting with '(' + digit is compressed"; what only looks like it is a name
 * (hand/names_odd.out)
 */
TEST(odd_names)
{
	struct text t;

	text_open(&t, HEAD
		  "fn=(below main)\nfn=(1abc\nfn=(12)x\nfn=a=b c\nfn=\nfn=  main'2\nfn=(12)\n");
	static const char *const wanted[] = { "(below main)", "(1abc", "x", "a=b c", "",
					      "main'2",       "x" };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_string_equal(name_at(&t), wanted[i]);
	text_close(&t);
}

/* "NUL byte: part of the name, escaped" */
TEST(zero_byte)
{
	static const char text[] = HEAD "fn=ma\0in\nfn=(1) x\0\nfn=(1)\n";
	struct text t;

	text_open_bytes(&t, text, sizeof(text) - 1, false);
	assert_string_equal(name_at(&t), "ma\\x00in");
	assert_string_equal(name_at(&t), "x\\x00");
	assert_string_equal(name_at(&t), "x\\x00");
	text_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_tables),
		cmocka_unit_test(redefinition),
		cmocka_unit_test(tables_outlive_parts),
		cmocka_unit_test(undefined),
		cmocka_unit_test(large_ids),
		cmocka_unit_test(ids_grow_with_the_file),
		cmocka_unit_test(nested_ids),
		cmocka_unit_test(odd_names),
		cmocka_unit_test(zero_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
