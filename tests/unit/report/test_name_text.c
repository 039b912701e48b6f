/* SPDX-License-Identifier: Apache-2.0 */
/* Names that a line of the terminal has no room for. */
#include <stdlib.h>
#include <string.h>
#include <tracelathe/report.h>

#include "../unit.h"
#include "profiles.h"

#include "report/function_cell.h"
#include "report/name_text.h"

static void is_put(const char *name, size_t room, const char *expected)
{
	struct tl_output *out;
	char *text;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	tl_put_short_name(out, name, room);
	text = take_text(out);
	assert_string_equal(text, expected);
	free(text);
}

/* The elided parts of each name in the order in which they go; the last one fits nothing more. */
TEST(parameters_go_before_template_arguments)
{
	static const char name[] = "std::vector<int, std::allocator<int> >::push_back(int const&)";

	is_put(name, TL_NAME_UNBOUNDED, name);
	is_put(name, sizeof(name) - 1, name);
	is_put(name, sizeof(name) - 2, "std::vector<int, std::allocator<int> >::push_back(...)");
	is_put(name, 54, "std::vector<int, std::allocator<int> >::push_back(...)");
	is_put(name, 53, "std::vector<...>::push_back(...)");
	is_put(name, 32, "std::vector<...>::push_back(...)");
	is_put(name, 31, "std::vector::push_back");
	is_put(name, 22, "std::vector::push_back");
	is_put(name, 21, "std::v...r::push_back");
}

/* Off the terminal lists go where a name is longer than 40, as far as is needed, and no more. */
TEST(in_a_file_lists_go_and_the_middle_stays)
{
	is_put("std::vector<int, std::allocator<int> >::push_back(int const&)", TL_NAME_ELIDED,
	       "std::vector<...>::push_back(...)");
	is_put("less_than(unsigned long, double, float)x", TL_NAME_ELIDED,
	       "less_than(unsigned long, double, float)x");
	is_put("less_than(unsigned long, double, float)xy", TL_NAME_ELIDED, "less_than(...)xy");
	is_put("a_function_with_a_long_name_of_its_own<a, b, c>(d, e, f)", TL_NAME_ELIDED,
	       "a_function_with_a_long_name_of_its_own<...>(...)");
}

TEST(the_middle_of_a_plain_name_goes)
{
	is_put("a_function_with_a_long_name", 26, "a_funct...with_a_long_name");
	is_put("a_function_with_a_long_name", 13, "a_f...ng_name");
	is_put("abcdef", 3, "...");
	is_put("abcdef", 5, "...ef");
}

/* Brackets that are no list of arguments or parameters stay as they are. */
TEST(operators_and_namespaces_keep_their_brackets)
{
	is_put("(anonymous namespace)::f(unsigned long)", 38, "(anonymous namespace)::f(...)");
	is_put("operator<<(std::ostream&, matrix const&)", 39, "operator<<(...)");
	is_put("operator==(matrix const&, matrix const&)", 39, "operator==(...)");
	is_put("functor::operator()(double, double)", 34, "functor::operator()(...)");
	is_put("p::operator->(unsigned long)", 27, "p::operator->(...)");
	is_put("bool less<a>::operator< <a>(a, a) const", 38,
	       "bool less<a>::operator< <a>(...) const");
	is_put("<alloc::Vec<String> as Drop>::drop", 33, "<alloc::Vec<...> as Drop>::drop");
}

TEST(a_bracket_that_is_not_closed_is_text)
{
	is_put("first(int, second(unsigned long, third", 30, "first(int...signed long, third");
	is_put("a<b>::f(unsigned long)->g<", 24, "a<b>::f(...)->g<");
}

/* A character of several bytes takes one column, a byte that is shown as \\x01 takes four. */
TEST(columns_are_characters_as_they_are_shown)
{
	assert_int_equal(tl_name_columns("gr\xc3\xb6\xc3\x9f"
					 "e"),
			 5);
	assert_int_equal(tl_name_columns("a\x01"), 5);
	is_put("gr\xc3\xb6\xc3\x9f"
	       "e",
	       5,
	       "gr\xc3\xb6\xc3\x9f"
	       "e");
	is_put("\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6", 4, "...\xc3\xb6");
}

static void is_cell(const struct tl_function_cell *cell, size_t room, const char *expected)
{
	struct tl_output *out;
	char *text;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	tl_put_function_cell(out, cell, room);
	text = take_text(out);
	assert_string_equal(text, expected);
	free(text);
}

/*
 * The name keeps 24 columns as long as file and object are shown, then all there are, at least 12.
 */
TEST(file_and_object_go_where_the_name_has_no_room)
{
	static const struct tl_function_cell cell = { .name = "a_function_with_a_very_long_name",
						      .file = "/src/file.c",
						      .line = 12,
						      .object = "/lib/libc.so" };
	const char *whole = "a_function_with_a_very_long_name  file.c:12  [libc.so]";

	is_cell(&cell, TL_NAME_UNBOUNDED, whole);
	is_cell(&cell, strlen(whole), whole);
	is_cell(&cell, strlen(whole) - 1, "a_functio...th_a_very_long_name  file.c:12  [libc.so]");
	is_cell(&cell, 46, "a_funct...very_long_name  file.c:12  [libc.so]");
	is_cell(&cell, 45, "a_function_with_a_very_long_name");
	is_cell(&cell, 31, "a_functio...th_a_very_long_name");
	is_cell(&cell, 5, "a_f...g_name");
}

TEST(a_cycle_stays_beside_the_name)
{
	static const struct tl_function_cell cell = { .name = "even_or_odd_function",
						      .cycle = "<cycle 1>" };

	is_cell(&cell, 30, "even_or_odd_function <cycle 1>");
	is_cell(&cell, 26, "even..._function <cycle 1>");
}

/* What is left of the terminal's columns, but never less than 12. */
TEST(room_is_what_the_columns_before_leave)
{
	struct tl_report_options options = { .width = 80 };

	assert_int_equal(tl_room_left(&options, 30), 50);
	assert_int_equal(tl_room_left(&options, 68), 12);
	assert_int_equal(tl_room_left(&options, 69), 12);
	assert_int_equal(tl_room_left(&options, 300), 12);
	options.width = 0;
	assert_int_equal(tl_room_left(&options, 100), TL_NAME_UNBOUNDED);
	options.short_names = true;
	assert_int_equal(tl_room_left(&options, 100), TL_NAME_ELIDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_go_before_template_arguments),
		cmocka_unit_test(in_a_file_lists_go_and_the_middle_stays),
		cmocka_unit_test(the_middle_of_a_plain_name_goes),
		cmocka_unit_test(operators_and_namespaces_keep_their_brackets),
		cmocka_unit_test(a_bracket_that_is_not_closed_is_text),
		cmocka_unit_test(columns_are_characters_as_they_are_shown),
		cmocka_unit_test(file_and_object_go_where_the_name_has_no_room),
		cmocka_unit_test(a_cycle_stays_beside_the_name),
		cmocka_unit_test(room_is_what_the_columns_before_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
