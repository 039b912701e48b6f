/* SPDX-License-Identifier: Apache-2.0 */
/* What the page asks for, read from texts that anybody may have sent. */
#include "../unit.h"

#include <string.h>

#include "view/web/request.h"

static struct tl_web_request begun(void)
{
	struct tl_web_request request;

	tl_web_request_begin(&request, "/api/window");
	return request;
}

TEST(numbers_are_decimal_and_nothing_else)
{
	static const char *const wrong[] = { "",     "-1",  "+1",  " 1", "1 ",
					     "0x10", "1.5", "1e3", "a",  "18446744073709551616",
					     "1,2" };
	struct tl_web_request request = begun();

	assert_true(tl_web_request_take(&request, "from", "18446744073709551615"));
	assert_true(request.from == UINT64_MAX);
	assert_true(tl_web_request_take(&request, "to", "007"));
	assert_true(request.to == 7);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(tl_web_request_take(&request, "from", wrong[i]));
	assert_false(tl_web_request_take(&request, "from", NULL));
}

TEST(seconds_are_finite_and_not_negative)
{
	static const char *const wrong[] = { "", "-1", "nan", "inf", "1e999", "1s", "1.5.", ".5" };
	struct tl_web_request request = begun();

	assert_true(tl_web_request_take(&request, "since", "0.25"));
	assert_true(request.from_seconds == 0.25);
	assert_true(tl_web_request_take(&request, "until", "2.5e-3"));
	assert_true(request.to_seconds == 0.0025);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(tl_web_request_take(&request, "since", wrong[i]));
}

TEST(lists_have_as_many_numbers_as_there_is_room_for)
{
	struct tl_web_request request = begun();
	char list[3 * TL_WEB_MOST_NUMBERS + 8] = "1";

	assert_true(tl_web_request_take(&request, "tracks", "3,0,4294967295"));
	assert_int_equal(request.tracks.count, 3);
	assert_int_equal(request.tracks.list[2], UINT32_MAX);
	for (int i = 1; i < TL_WEB_MOST_NUMBERS; i++)
		strcat(list, ",2");
	assert_true(tl_web_request_take(&request, "functions", list));
	assert_int_equal(request.functions.count, TL_WEB_MOST_NUMBERS);
	strcat(list, ",2");
	assert_false(tl_web_request_take(&request, "functions", list));
	assert_false(tl_web_request_take(&request, "tracks", ""));
	assert_false(tl_web_request_take(&request, "tracks", "1,"));
	assert_false(tl_web_request_take(&request, "tracks", ",1"));
	assert_false(tl_web_request_take(&request, "tracks", "4294967296"));
}

TEST(texts_are_taken_as_they_are)
{
	static const char name[] = "a<b>\"&\xff";
	struct tl_web_request request = begun();

	assert_true(tl_web_request_take(&request, "name", name));
	assert_ptr_equal(request.name, name);
	assert_true(tl_web_request_take(&request, "object", NULL));
	assert_string_equal(request.object, "");
	assert_null(request.source);
}

TEST(what_is_not_known_is_refused)
{
	struct tl_web_request request = begun();

	assert_false(tl_web_request_take(&request, "", "1"));
	assert_false(tl_web_request_take(&request, "File", "1"));
	assert_false(tl_web_request_take(&request, "file ", "1"));
	assert_string_equal(request.path, "/api/window");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_decimal_and_nothing_else),
		cmocka_unit_test(seconds_are_finite_and_not_negative),
		cmocka_unit_test(lists_have_as_many_numbers_as_there_is_room_for),
		cmocka_unit_test(texts_are_taken_as_they_are),
		cmocka_unit_test(what_is_not_known_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
