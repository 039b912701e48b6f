/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `dump` writes of trace events: by hand, in the order of the file, with the offset of each
 * event. As it writes what was read of the members, it shows which forms of them are read.
 */
#include "../foreign/text.h"

#include "chrome_trace/chrome_trace.h"

static void expect_lines(const char *text, const char *lines, const char *json)
{
	assert_int_equal(text_expect_dump(&tl_chrome_reader, text, false, lines), 0);
	assert_int_equal(text_expect_dump(&tl_chrome_reader, text, true, json), 0);
}

TEST(events_in_the_order_of_the_file)
{
	expect_lines("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":9,\"dur\":2,\"pid\":1,\"tid\":2},\n"
		     "{\"ph\":\"B\",\"name\":\"b c\",\"ts\":3,\"pid\":4,\"tid\":5},{\"ph\":\"E\"}]",
		     "0x1 X pid 1 tid 2 ts 9 dur 2 name a\n"
		     "0x37 B pid 4 tid 5 ts 3 name b c\n"
		     "0x66 E pid 0 tid 0\n",
		     "{\"offset\":1,\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":9,\"dur\":2,\"name\":"
		     "\"a\"}\n"
		     "{\"offset\":55,\"ph\":\"B\",\"pid\":4,\"tid\":5,\"ts\":3,\"name\":\"b c\"}\n"
		     "{\"offset\":102,\"ph\":\"E\",\"pid\":0,\"tid\":0}\n");
}

/* Also those that are left out of profiles, and those without a phase. */
TEST(events_of_each_kind)
{
	expect_lines("{\"traceEvents\":[{\"ph\":\"b\",\"id\":7},{\"ph\":\"C\",\"name\":\"n\","
		     "\"args\":{\"v\":1}},{\"ts\":5},{\"ph\":\"?\"},{\"ph\":\"\\u0001\"}]}",
		     "0x10 b pid 0 tid 0\n0x22 C pid 0 tid 0 name n\n"
		     "0x47 ? pid 0 tid 0 ts 5\n0x50 ? pid 0 tid 0\n0x5b ? pid 0 tid 0\n",
		     "{\"offset\":16,\"ph\":\"b\",\"pid\":0,\"tid\":0}\n"
		     "{\"offset\":34,\"ph\":\"C\",\"pid\":0,\"tid\":0,\"name\":\"n\"}\n"
		     "{\"offset\":71,\"ph\":\"?\",\"pid\":0,\"tid\":0,\"ts\":5}\n"
		     "{\"offset\":80,\"ph\":\"?\",\"pid\":0,\"tid\":0}\n"
		     "{\"offset\":91,\"ph\":\"?\",\"pid\":0,\"tid\":0}\n");
}

/* The name that metadata gives is the value; of others a text that is called so. */
TEST(names_that_metadata_gives)
{
	expect_lines(
		"[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,"
		"\"args\":{\"id\":\"no\",\"nama\":\"no\",\"name\":\"T\\t1\",\"eman\":\"no\"}}]",
		"0x1 M pid 1 tid 2 name thread_name value T\\x091\n",
		"{\"offset\":1,\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\","
		"\"value\":\"T\\t1\"}\n");
	/* What is inside of another argument, or is no text, is none. */
	expect_lines(
		"[{\"ph\":\"M\",\"name\":\"n\",\"args\":{\"x\":{\"name\":\"no\"},\"name\":5}}]",
		"0x1 M pid 0 tid 0 name n\n",
		"{\"offset\":1,\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"n\"}\n");
	/* Nor those of phases whose arguments are passed over. */
	expect_lines(
		"[{\"ph\":\"X\",\"args\":{\"name\":\"no\"}},{\"ph\":\"M\",\"args\":[\"name\"]},"
		"{\"ph\":\"M\",\"args\":\"name\"}]",
		"0x1 X pid 0 tid 0\n0x21 M pid 0 tid 0\n0x3c M pid 0 tid 0\n",
		"{\"offset\":1,\"ph\":\"X\",\"pid\":0,\"tid\":0}\n"
		"{\"offset\":33,\"ph\":\"M\",\"pid\":0,\"tid\":0}\n"
		"{\"offset\":60,\"ph\":\"M\",\"pid\":0,\"tid\":0}\n");
}

/* Numbers are written as they are, whatever form they have in the file. */
TEST(numbers)
{
	static const struct {
		const char *file, *written;
	} cases[] = {
		{ "0", "0" },
		{ "-0", "-0" },
		{ "12", "12" },
		{ "-12.5", "-12.5" },
		{ "1643371234123456.789", "1643371234123456.789" },
		{ "\"7.25\"", "7.25" },
		{ "1e3", "1e3" },
		{ "12E+2", "12e2" },
		{ "25e-1", "2.5" },
		{ "5e-1", "0.5" },
		{ "0.0000012", "0.0000012" },
		{ "12e-7", "0.0000012" },
		/* Too small to be written in full. */
		{ "1e-8", "1e-8" },
		{ "12e-9", "12e-9" },
		/* The last one of these that is: six zeros behind the point. */
		{ "1e-7", "0.0000001" },
		{ "9223372036854775807", "9223372036854775807" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[128], lines[128], json[128];

		snprintf(text, sizeof(text), "[{\"ph\":\"X\",\"dur\":%s}]", cases[i].file);
		snprintf(lines, sizeof(lines), "0x1 X pid 0 tid 0 dur %s\n", cases[i].written);
		snprintf(json, sizeof(json),
			 "{\"offset\":1,\"ph\":\"X\",\"pid\":0,\"tid\":0,\"dur\":%s}\n",
			 cases[i].written);
		expect_lines(text, lines, json);
	}
}

/* Members of another kind than they have to be are as if they were not there. */
TEST(values_of_members)
{
	static const struct {
		const char *members, *written;
	} cases[] = {
		{ "\"ts\":null", "pid 0 tid 0" },
		{ "\"ts\":[1]", "pid 0 tid 0" },
		{ "\"ts\":{\"ts\":1}", "pid 0 tid 0" },
		{ "\"ts\":\"x\"", "pid 0 tid 0" },
		{ "\"ts\":\"\"", "pid 0 tid 0" },
		{ "\"ts\":1,\"ts\":true", "pid 0 tid 0" },
		{ "\"ts\":1,\"ts\":2", "pid 0 tid 0 ts 2" },
		{ "\"st\":1,\"tst\":2,\"t\":3,\"tsx\":4", "pid 0 tid 0" },
		{ "\"dur\":5,\"dux\":6,\"rud\":7", "pid 0 tid 0 dur 5" },
		{ "\"pid\":3,\"tid\":\"4\"", "pid 3 tid 4" },
		{ "\"pid\":-3,\"tid\":1e2", "pid -3 tid 100" },
		{ "\"pid\":null,\"tid\":{}", "pid 0 tid 0" },
		{ "\"name\":\"f\\n\\u00e9\"", "pid 0 tid 0 name f\\x0a\303\251" },
		{ "\"name\":5", "pid 0 tid 0" },
		{ "\"name\":\"f\",\"name\":[\"g\"]", "pid 0 tid 0" },
		{ "\"nam\":\"f\",\"nane\":\"g\",\"names\":\"h\"", "pid 0 tid 0" },
		{ "\"args\":5,\"name\":\"f\"", "pid 0 tid 0 name f" },
		{ "\"args\":[{\"a\":[1,2]}],\"name\":\"f\"", "pid 0 tid 0 name f" },
		{ "\"x\":[1,{\"name\":\"g\"}],\"name\":\"f\"", "pid 0 tid 0 name f" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[256], lines[256];

		snprintf(text, sizeof(text), "[{\"ph\":\"X\",%s}]", cases[i].members);
		snprintf(lines, sizeof(lines), "0x1 X %s\n", cases[i].written);
		assert_int_equal(text_expect_dump(&tl_chrome_reader, text, false, lines), 0);
	}
}

/* "Texts are numbered from 2^40 on": the same text is the same number. */
TEST(processes_and_threads_that_are_texts)
{
	struct text t;

	text_read(&t, &tl_chrome_reader,
		  "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\",\"pid\":\"P\",\"tid\":\"T\"},"
		  "{\"ph\":\"X\",\"ts\":3,\"dur\":1,\"name\":\"a\",\"tid\":\"T\",\"pid\":\"P\"},"
		  "{\"ph\":\"X\",\"ts\":5,\"dur\":1,\"name\":\"a\",\"pid\":\"P\",\"tid\":"
		  "\"\\u0055\"},"
		  "{\"ph\":\"X\",\"ts\":7,\"dur\":1,\"name\":\"a\",\"pid\":\"Q\",\"tid\":\"T\"}]");
	assert_int_equal(t.status, 0);
	assert_int_equal(tl_profile_part_count(t.profile), 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct tl_part *part = tl_profile_part(t.profile, i);

		assert_string_equal(part->command, i == 1 ? "U" : "T");
		assert_true(part->process >= (uint64_t)1 << 40 && part->process < (uint64_t)2
											  << 40);
		assert_true(part->thread >= (uint64_t)1 << 40 && part->thread < (uint64_t)2 << 40);
		assert_int_equal(part->process == tl_profile_part(t.profile, 0)->process, i != 2);
		assert_int_equal(part->thread == tl_profile_part(t.profile, 0)->thread, i != 1);
	}
	text_close(&t);
}

/* An event that is damaged is not written; those around it are. */
TEST(damaged_events)
{
	static const char text[] = "[{\"ph\":\"B\",\"ts\":1},{\"ph\":\"E\",\"ts\":oops},"
				   "{\"ph\":\"B\",\"ts\":3},7,{\"ph\":\"E\",\"ts\":4";

	assert_int_equal(text_expect_dump(&tl_chrome_reader, text, false,
					  "0x1 B pid 0 tid 0 ts 1\n0x28 B pid 0 tid 0 ts 3\n"),
			 0);
}

TEST(outputs_that_cannot_be_written)
{
	text_expect_dump_refused(&tl_chrome_reader, "[{\"ph\":\"B\",\"ts\":1},{\"ph\":\"E\"}]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_in_the_order_of_the_file),
		cmocka_unit_test(events_of_each_kind),
		cmocka_unit_test(names_that_metadata_gives),
		cmocka_unit_test(numbers),
		cmocka_unit_test(values_of_members),
		cmocka_unit_test(processes_and_threads_that_are_texts),
		cmocka_unit_test(damaged_events),
		cmocka_unit_test(outputs_that_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
