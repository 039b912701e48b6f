/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the lines that listings are made of. */
#include "../unit.h"

#include <stdlib.h>

#include "query/trace/json_line.h"

static const char line[] =
	"{\"a\":12,\"b\":\"0xff\",\"c\":\"x\\\"y\\u00e9\\n\",\"d\":{\"a\":1,\"z\":[\"}\",2]},"
	"\"e\":null,\"f\":true,\"g\":-5,\"h\":18446744073709551615,\"i\":"
	"\"0x00000000000000000000000000000100\",\"j\":1.5}";

struct asked {
	struct tl_query_value value;
	char *text;
	size_t capacity;
};

static struct tl_query_value ask(struct asked *a, const char *key)
{
	a->value = (struct tl_query_value){ .type = TL_QUERY_NULL };
	assert_true(tl_query_json_value(line, sizeof(line) - 1, key, &a->text, &a->capacity,
					&a->value));
	return a->value;
}

static void expect_integer(struct asked *a, const char *key, int64_t wanted)
{
	assert_int_equal(ask(a, key).type, TL_QUERY_INTEGER);
	assert_int_equal(a->value.integer, wanted);
}

static void expect_text(struct asked *a, const char *key, const char *wanted)
{
	assert_int_equal(ask(a, key).type, TL_QUERY_TEXT);
	assert_string_equal(a->value.text, wanted);
	assert_int_equal(a->value.size, strlen(wanted));
}

TEST(values_of_the_object_itself_are_found)
{
	struct asked a = { .text = NULL };

	expect_integer(&a, "a", 12);
	expect_integer(&a, "b", 255);
	expect_text(&a, "c", "x\"y\xc3\xa9\n");
	expect_text(&a, "d", "{\"a\":1,\"z\":[\"}\",2]}");
	assert_int_equal(ask(&a, "e").type, TL_QUERY_NULL);
	expect_integer(&a, "f", 1);
	expect_integer(&a, "g", -5);
	assert_int_equal(ask(&a, "h").type, TL_QUERY_REAL);
	expect_text(&a, "i", "0x00000000000000000000000000000100");
	expect_text(&a, "j", "1.5");
	assert_int_equal(ask(&a, "z").type, TL_QUERY_NULL);
	free(a.text);
}

/* A line that is cut anywhere has no value that lies behind it. */
TEST(cut_lines_are_read_without_harm)
{
	struct asked a = { .text = NULL };

	for (size_t size = 0; size < sizeof(line); size++) {
		char *cut = strndup(line, size);

		for (char key[] = "a"; *key <= 'k'; (*key)++)
			assert_true(tl_query_json_value(cut, size, key, &a.text, &a.capacity,
							&a.value));
		free(cut);
	}
	free(a.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_the_object_itself_are_found),
		cmocka_unit_test(cut_lines_are_read_without_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
