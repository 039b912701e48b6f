/* SPDX-License-Identifier: Apache-2.0 */
/* What `dump` writes of folded stacks, by hand, and how a line is cut. */
#include "../foreign/text.h"

#include "folded/folded.h"

static void expect_lines(const char *text, const char *lines, const char *json)
{
	assert_int_equal(text_expect_dump(&tl_folded_reader, text, false, lines), 0);
	assert_int_equal(text_expect_dump(&tl_folded_reader, text, true, json), 0);
}

TEST(stacks_of_one_count)
{
	expect_lines("a;b 1\n# x\n\n c d;e  \t22.50 \r\n;;\"f\\ 3",
		     "0x0 a;b 1\n0xb  c d;e 22.50\n0x1c ;;\"f\\ 3\n",
		     "{\"offset\":0,\"line\":1,\"stack\":\"a;b\",\"count\":1}\n"
		     "{\"offset\":11,\"line\":4,\"stack\":\" c d;e\",\"count\":22.50}\n"
		     "{\"offset\":28,\"line\":5,\"stack\":\";;\\\"f\\\\\",\"count\":3}\n");
}

TEST(stacks_of_two_counts)
{
	expect_lines("a;b 1 20\nc\t300  4.5\n", "0x0 a;b 1 20\n0x9 c 300 4.5\n",
		     "{\"offset\":0,\"line\":1,\"stack\":\"a;b\",\"before\":1,\"after\":20}\n"
		     "{\"offset\":9,\"line\":2,\"stack\":\"c\",\"before\":300,\"after\":4.5}\n");
}

/* A byte order mark is no part of the stack; the offset is that of the line. */
TEST(a_byte_order_mark)
{
	expect_lines("\xef\xbb\xbf"
		     "a 1\n\xef\xbb\xbf"
		     "b 2\n",
		     "0x0 a 1\n0x7 \xef\xbb\xbf"
		     "b 2\n",
		     "{\"offset\":0,\"line\":1,\"stack\":\"a\",\"count\":1}\n"
		     "{\"offset\":7,\"line\":2,\"stack\":\"\xef\xbb\xbf"
		     "b\",\"count\":2}\n");
}

/* Lines that are none are not written, and are no error. */
TEST(lines_that_are_none)
{
	expect_lines("x\n 5\nb -2\na 1\nc 2\n", "0xa a 1\n0xe c 2\n",
		     "{\"offset\":10,\"line\":4,\"stack\":\"a\",\"count\":1}\n"
		     "{\"offset\":14,\"line\":5,\"stack\":\"c\",\"count\":2}\n");
}

TEST(outputs_that_cannot_be_written)
{
	text_expect_dump_refused(&tl_folded_reader, "a 1\nb 2\n");
}

/* ---- one line ---- */

/* "STACK|COUNT" or "STACK|BEFORE|AFTER", or what the line is instead. */
static void expect_cut(const char *line, bool two, const char *wanted)
{
	static const char *const kinds[] = { "", "nothing", "no count", "no stack" };
	const uint8_t *start = (const uint8_t *)line, *end = start + strlen(line);
	struct tl_folded_line cut;
	const enum tl_folded_kind kind = tl_folded_cut(start, end, two, &cut);
	char have[256];

	if (kind != TL_FOLDED_STACK) {
		assert_string_equal(kinds[kind], wanted);
		return;
	}
	snprintf(have, sizeof(have), "%.*s|%.*s%s%.*s", (int)(cut.stack_end - cut.stack),
		 (const char *)cut.stack, (int)(cut.count_ends[0] - cut.counts[0]),
		 (const char *)cut.counts[0], two ? "|" : "",
		 two ? (int)(cut.count_ends[1] - cut.counts[1]) : 0, (const char *)cut.counts[two]);
	assert_string_equal(have, wanted);
}

TEST(lines_are_cut_from_their_ends)
{
	static const struct {
		const char *line, *one, *two;
	} cases[] = {
		{ "a;b 5", "a;b|5", "no count" },
		{ "a;b 5 7", "a;b 5|7", "a;b|5|7" },
		{ "a 5.5 7.", "a 5.5|7.", "a|5.5|7." },
		{ "a\t5 \t 7\r", "a\t5|7", "a|5|7" },
		{ "a5", "no count", "no count" },
		{ "a 5x", "no count", "no count" },
		{ "a 5 x", "no count", "no count" },
		{ "a .5", "no count", "no count" },
		{ "a 1.2.3", "no count", "no count" },
		{ "a x.3", "no count", "no count" },
		{ "a -3", "no count", "no count" },
		{ "a +3", "no count", "no count" },
		{ "a 1e3", "no count", "no count" },
		{ "5", "no stack", "no count" },
		{ " 5", "no stack", "no count" },
		{ "5 7", "5|7", "no stack" },
		{ " \t5 7", " \t5|7", "no stack" },
		{ "5.", "no stack", "no count" },
		{ "5.5 7", "5.5|7", "no stack" },
		{ "", "nothing", "nothing" },
		{ " \t\r", "nothing", "nothing" },
		{ "#", "nothing", "nothing" },
		{ "  # x 5x", "nothing", "nothing" },
		/* It ends with a count: a stack. */
		{ "# x 5", "# x|5", "nothing" },
		{ "a #", "no count", "no count" },
		{ ".", "no count", "no count" },
		{ "1.2", "no stack", "no count" },
		{ "; 0", ";|0", "no count" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		expect_cut(cases[i].line, false, cases[i].one);
		expect_cut(cases[i].line, true, cases[i].two);
	}
}

/* "If every line of its first 64 KiB ends with two counts"; what is no stack says nothing. */
TEST(two_counts_of_all_lines)
{
	static const struct {
		const char *text;
		bool two;
	} cases[] = {
		{ "a 1 2\nb 3 4\n", true },
		{ "a 1 2\nb 3\n", false },
		{ "a 1 2\n# x\n\nb 3 4", true },
		{ "a 1 2\nnone\nb 3 4\n", true },
		{ "a 1\n", false },
		{ "", false },
		{ "# x\n", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(tl_folded_has_two_counts((const uint8_t *)cases[i].text,
							  strlen(cases[i].text)),
				 cases[i].two);
}

/* A line with one count behind the first 64 KiB has none before it then, and is told. */
TEST(two_counts_of_the_first_lines)
{
	enum { LINES = 9000, LINE = 8 };
	char *text = malloc(LINES * LINE + 16);
	struct text t;

	assert_non_null(text);
	for (int i = 0; i < LINES; i++)
		memcpy(text + i * LINE, "a;b 1 2\n", LINE);
	strcpy(text + LINES * LINE, "a;b 4\n");
	text_read(&t, &tl_folded_reader, text);
	text_expect_stacks(&t, 0, "a;b 9000\n");
	text_expect_stacks(&t, 1, "a;b 18000\n");
	assert_int_equal(t.foreign.faults.count, 1);
	text_expect_fault(&t, 0, TL_BAD_RECORD, LINES * LINE, LINES + 1,
			  "does not end with two counts");
	text_close(&t);
	/* Before them it is part of the name for all. */
	memmove(text + 6, text, LINES * LINE);
	memcpy(text, "a;b 4\n", 6);
	text_read_sized(&t, &tl_folded_reader, text, LINES * LINE, false, text_options());
	assert_int_equal(tl_profile_event_count(t.profile), 1);
	text_close(&t);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_of_one_count),
		cmocka_unit_test(stacks_of_two_counts),
		cmocka_unit_test(a_byte_order_mark),
		cmocka_unit_test(lines_that_are_none),
		cmocka_unit_test(outputs_that_cannot_be_written),
		cmocka_unit_test(lines_are_cut_from_their_ends),
		cmocka_unit_test(two_counts_of_all_lines),
		cmocka_unit_test(two_counts_of_the_first_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
