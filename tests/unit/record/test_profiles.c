/* SPDX-License-Identifier: Apache-2.0 */
/* What valgrind leaves of its processes; here it is a script. */
#include "session.h"

#include <fcntl.h>

/* Ends with the name of the files, whose numbers follow. */
#define HEAD                                                                                       \
	"#!/bin/sh\nfor word; do case $word in --callgrind-out-file=*) file=${word#*=};; esac; "   \
	"done\nfile=${file%%%p}\n"

/* Run the shell in it; `tool` is the rest of the script. */
static void run(struct recording *r, const char *tool)
{
	static const char *const words[] = { "/bin/sh", "-c", "", NULL };
	struct tl_error err;
	char text[1024];

	snprintf(text, sizeof(text), "%s%s", HEAD, tool);
	temp_write(&r->temp, "valgrind", text, strlen(text));
	assert_int_equal(chmod(temp_path(&r->temp, "valgrind"), 0755), 0);
	setenv("PATH", r->temp.directory, 1);
	r->options.arguments = words;
	r->options.output = r->output;
	r->options.how = "callgrind";
	assert_int_equal(tl_record_run(&r->options, take_line, &r->told, &r->result,
				       sizeof(r->result), &err),
			 0);
}

TEST(a_profile_that_was_not_written_is_told)
{
	char expected[2 * TL_RECORD_PATH];
	struct recording r;

	recording_open(&r);
	run(&r, ": > $file$$\necho totals: 2 > ${file}1\n");
	snprintf(expected, sizeof(expected), "%s.callgrind-1", r.output);
	assert_string_equal(r.result.command, expected);
	assert_true(r.result.incomplete);
	assert_false(is_there(&r, "out"));
	assert_non_null(strstr(r.told.lines, "a process has no profile: it was killed"));
	recording_close(&r);
}

/* The sums are the last line; one that ends in it, or before, is told, and taken all the same. */
TEST(a_profile_that_is_cut_is_told)
{
	static const struct {
		const char *end;
		bool whole;
	} ends[] = {
		{ "fn=(1) main\\n0x10 3 1\\ntotals: 1\\n", true },
		{ "totals: 1\\n", true },
		{ "fn=(1) main\\n0x10 3 1\\ntotals: 1", false },
		{ "fn=(1) main\\n0x10 3 1\\n", false },
		{ "fn=(1) totals:\\n", false },
		{ "x", false },
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		char tool[256];
		struct recording r;

		recording_open(&r);
		snprintf(tool, sizeof(tool),
			 "i=0; (while [ $i -lt 500 ]; do echo calls=$i; i=$((i + 1)); done; "
			 "printf '%s') > ${file}1\n",
			 ends[i].end);
		run(&r, tool);
		assert_int_equal(r.result.incomplete, !ends[i].whole);
		assert_true(r.result.recorded);
		assert_int_equal(strstr(r.told.lines, "the end of the profile is missing") != NULL,
				 !ends[i].whole);
		recording_close(&r);
	}
}

TEST(a_profile_of_an_earlier_recording_is_not_taken)
{
	const struct timespec long_ago[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	struct recording r;

	recording_open(&r);
	temp_write(&r.temp, "out.callgrind-2", "old\n", 4);
	assert_int_equal(utimensat(AT_FDCWD, temp_path(&r.temp, "out.callgrind-2"), long_ago, 0),
			 0);
	run(&r, "echo totals: 1 > $file$$\necho totals: 2 > ${file}1\n");
	assert_null(strstr(r.result.command, "callgrind-2"));
	assert_non_null(strstr(r.result.command, "callgrind-1"));
	assert_false(r.result.incomplete);
	recording_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_that_was_not_written_is_told),
		cmocka_unit_test(a_profile_that_is_cut_is_told),
		cmocka_unit_test(a_profile_of_an_earlier_recording_is_not_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
