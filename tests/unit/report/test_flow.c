/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparisons of two executions as text, CSV and JSON. The executions are texts of a character a
 * block (../flow/streams.h): block c is at 0x6300 of its object and has four instructions of four
 * bytes, so that all numbers can be counted.
 */
#include "../flow/streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <tracelathe/report.h>

#include "core/output.h"

/* ---- what is written ---- */

/* A comparison in a form, to free(). */
static char *written(const struct tl_flow *flow, const struct tl_report_options *options)
{
	struct tl_output *out;
	const char *bytes;
	char *text;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_report_flow(flow, options, out, NULL), 0);
	bytes = tl_output_bytes(out, &size);
	text = strndup(bytes, size);
	assert_non_null(text);
	tl_output_discard(out);
	return text;
}

static void is_written(const char *before, const char *after, enum tl_report_form form,
		       const char *wanted)
{
	const struct tl_report_options options = { .size = sizeof(options), .form = form };
	struct tl_flow *flow = stream_flow(before, after);
	char *text = written(flow, &options);

	assert_string_equal(text, wanted);
	free(text);
	tl_flow_free(flow);
}

/* ---- text ---- */

#define HEAD "       times        before         after  parts behind: before | after\n"

TEST(equal_executions)
{
	is_written("abcabc", "abcabc", TL_REPORT_TEXT,
		   "before  24 instructions\nafter   24 instructions\n"
		   "same    24, 100.00% of the larger side\n");
	is_written("", "", TL_REPORT_TEXT,
		   "before  0 instructions\nafter   0 instructions\n"
		   "same    0, - of the larger side\n");
}

/* Three blocks, then x or y and z, then four: 7 of 9 blocks are 77.78 %. */
TEST(one_difference)
{
	is_written("abcxdefg", "abcyzdefg", TL_REPORT_TEXT,
		   "before  32 instructions\nafter   36 instructions\n"
		   "same    28, 77.78% of the larger side; they part 1 time\n"
		   "\n"
		   "First difference, behind 12 instructions (in the files behind 0x0 and 0x0)\n"
		   "  last     f+0x630c  [/bin/prog]  0x1630c\n"
		   "  before   f+0x7800  [/bin/prog]  0x17800\n"
		   "  after    f+0x7900  [/opt/prog]  0x7f0000557900\n"
		   "  until    4 before and 8 after are passed over\n"
		   "\n" HEAD
		   "           1             4             8  f+0x630c: f+0x7800 | f+0x7900\n");
}

/* A loop in which the way parts twice at the same place, by the same blocks. */
TEST(places_are_told_once)
{
	is_written("abcxdefgabcxdefg", "abcydefgabcydefg", TL_REPORT_TEXT,
		   "before  64 instructions\nafter   64 instructions\n"
		   "same    56, 87.50% of the larger side; they part 2 times\n"
		   "\n"
		   "First difference, behind 12 instructions (in the files behind 0x0 and 0x0)\n"
		   "  last     f+0x630c  [/bin/prog]  0x1630c\n"
		   "  before   f+0x7800  [/bin/prog]  0x17800\n"
		   "  after    f+0x7900  [/opt/prog]  0x7f0000557900\n"
		   "  until    4 before and 4 after are passed over\n"
		   "\n" HEAD
		   "           2             8             8  f+0x630c: f+0x7800 | f+0x7900\n");
}

TEST(one_side_ends)
{
	is_written("abc", "abcde", TL_REPORT_TEXT,
		   "before  12 instructions\nafter   20 instructions\n"
		   "same    12, 60.00% of the larger side; they part 1 time\n"
		   "\n"
		   "First difference, behind 12 instructions (in the files behind 0x0 and 0x0)\n"
		   "  last     f+0x630c  [/bin/prog]  0x1630c\n"
		   "  before   ends here\n"
		   "  after    f+0x6400  [/opt/prog]  0x7f0000556400\n"
		   "  until    0 before and 8 after are passed over, up to the end\n"
		   "\n" HEAD
		   "           1             0             8  f+0x630c: (ends) | f+0x6400\n");
	is_written("a", "", TL_REPORT_TEXT,
		   "before  4 instructions\nafter   0 instructions\n"
		   "same    0, 0.00% of the larger side; they part 1 time\n"
		   "\n"
		   "First difference, behind 0 instructions (in the files behind 0x0 and 0x0)\n"
		   "  before   f+0x6100  [/bin/prog]  0x16100\n"
		   "  after    ends here\n"
		   "  until    4 before and 0 after are passed over, up to the end\n"
		   "\n" HEAD
		   "           1             4             0  (begin): f+0x6100 | (ends)\n");
}

TEST(other_code_at_the_same_place)
{
	struct tl_flow *flow = stream_flow("abcde", "ab'cde");
	char *text = written(flow, NULL);

	assert_non_null(strstr(text, "and 0x0): other code at the same place\n"
				     "  last     f+0x620c  [/bin/prog]  0x1620c\n"
				     "  before   f+0x6300  [/bin/prog]  0x16300\n"
				     "  after    f+0x6300  [/opt/prog]  0x7f0000556300\n"));
	free(text);
	tl_flow_free(flow);
}

/* Missing trace is no difference: it is told in the sum alone. */
TEST(missing_trace)
{
	struct tl_flow *flow = stream_flow("abcdefgh", "abc|efgh");
	struct tl_flow_stream stream;
	char *text = written(flow, NULL);

	assert_int_equal(tl_flow_stream(flow, 0, &stream, sizeof(stream)), 0);
	assert_int_equal(stream.missing, 1);
	assert_int_equal(stream.differences, 0);
	assert_non_null(strstr(text, "; not known at 1 place, where trace is missing\n"));
	assert_null(strstr(text, "they part"));
	assert_null(strstr(text, "First difference"));
	free(text);
	tl_flow_free(flow);
}

/* "called": the stack of the side before, the innermost call first. */
TEST(the_stack_of_the_first_difference)
{
	struct tl_flow *flow = stream_flow("AbBcxdefg", "AbBcydefg");
	char *text = written(flow, NULL);

	/* A is at 0x4100, B at 0x4200; a call is the last instruction of its block */
	assert_non_null(strstr(text, "  after    f+0x7900  [/opt/prog]  0x7f0000557900\n"
				     "  called   f+0x420c  [/bin/prog]  0x1420c\n"
				     "           f+0x410c  [/bin/prog]  0x1410c\n"
				     "  until    "));
	free(text);
	tl_flow_free(flow);
}

/* 64 calls are shown; that there are more is said by dots. */
TEST(a_deep_stack_is_cut)
{
	for (int calls = 63; calls <= 66; calls++) {
		char before[128] = "", after[128];
		const char *dots = calls > 64 ? "           ...\n" : "";
		struct tl_flow *flow;
		char *text, *found;
		int lines = 0;

		memset(before, 'A', (size_t)calls);
		strcat(before, "cxdefg");
		strcpy(after, before);
		after[calls + 1] = 'y';
		flow = stream_flow(before, after);
		text = written(flow, NULL);
		found = strstr(text, "  called   ");
		assert_non_null(found);
		for (; strncmp(found, "  until", 7) != 0; found = strchr(found, '\n') + 1)
			lines += strncmp(found, "           ...", 14) != 0;
		assert_int_equal(lines, calls > 64 ? 64 : calls);
		assert_int_equal(*dots != '\0', strstr(text, "           ...\n") != NULL);
		free(text);
		tl_flow_free(flow);
	}
}

/* ---- how many places ---- */

/* Executions that part at `count` places: behind each way of its own a block of each side. */
static struct tl_flow *parting_often(unsigned count)
{
	char before[2048] = "", after[2048] = "";

	assert_true(count <= 25);
	for (unsigned i = 0; i < count; i++) {
		/* characters that are no block of another way, and no digits, capitals or marks */
		const char name = (char)(128 + 4 * i),
			   way[] = { name, (char)(name + 1), (char)(name + 2), 0 };

		strcat(strcat(strcat(before, way), "x"), way);
		strcat(strcat(strcat(after, way), "y"), way);
	}
	return stream_flow(before, after);
}

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

/* Text shows twenty places, unless it is told another number or all; the others always all. */
TEST(places_that_are_shown)
{
	static const struct {
		struct tl_report_options options;
		size_t shown;
	} cases[] = {
		{ { .form = TL_REPORT_TEXT }, 20 },
		{ { .form = TL_REPORT_TEXT, .all = true }, 25 },
		{ { .form = TL_REPORT_TEXT, .top = 3 }, 3 },
		{ { .form = TL_REPORT_TEXT, .top = 24 }, 24 },
		{ { .form = TL_REPORT_TEXT, .top = 25 }, 25 },
		{ { .form = TL_REPORT_TEXT, .top = 26 }, 25 },
		{ { .form = TL_REPORT_CSV }, 25 },
		{ { .form = TL_REPORT_CSV, .top = 4 }, 4 },
		{ { .form = TL_REPORT_JSON }, 25 },
		{ { .form = TL_REPORT_JSON, .top = 5 }, 5 },
	};
	struct tl_flow *flow = parting_often(25);
	struct tl_flow_stream stream;

	assert_int_equal(tl_flow_stream(flow, 0, &stream, sizeof(stream)), 0);
	assert_int_equal(stream.partings, 25);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_report_options options = cases[i].options;
		char *text, *found, more[64];
		size_t shown = 0;

		options.size = sizeof(options);
		text = written(flow, &options);
		if (options.form == TL_REPORT_CSV)
			shown = count_lines(text) - 1;
		else if (options.form == TL_REPORT_TEXT)
			shown = count_lines(strstr(text, HEAD)) - 1 - (cases[i].shown < 25);
		else
			for (found = text; (found = strstr(found, "{\"times\":")); found++)
				shown++;
		assert_int_equal(shown, cases[i].shown);
		snprintf(more, sizeof(more), "... and %zu more place%s\n", 25 - cases[i].shown,
			 cases[i].shown == 24 ? "" : "s");
		assert_int_equal(strstr(text, more) != NULL,
				 options.form == TL_REPORT_TEXT && cases[i].shown < 25);
		free(text);
	}
	tl_flow_free(flow);
}

TEST(options_have_a_size)
{
	const struct tl_report_options small = { .size = 1 };
	struct tl_flow *flow = stream_flow("a", "a");
	struct tl_output *out;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_report_flow(flow, &small, out, NULL), TL_BAD_USAGE);
	tl_output_bytes(out, &size);
	assert_int_equal(size, 0);
	tl_output_discard(out);
	tl_flow_free(flow);
}

/* ---- CSV ---- */

#define CSV                                                                                        \
	"stream,times,instructions:before,instructions:after,ordinal,function,object,offset,"      \
	"address,function:before,object:before,offset:before,address:before,function:after,"       \
	"object:after,offset:after,address:after\n"

TEST(places_as_csv)
{
	is_written("abc", "abc", TL_REPORT_CSV, CSV);
	is_written("abcxdefg", "abcyzdefg", TL_REPORT_CSV,
		   CSV "0,1,4,8,12,f,/bin/prog,0x630c,0x1630c,f,/bin/prog,0x7800,0x17800,f,"
		       "/opt/prog,0x7900,0x7f0000557900\n");
	is_written("abc", "abcde", TL_REPORT_CSV,
		   CSV "0,1,0,8,12,f,/bin/prog,0x630c,0x1630c,,,,,f,/opt/prog,0x6400,"
		       "0x7f0000556400\n");
	is_written("a", "", TL_REPORT_CSV, CSV "0,1,4,0,0,,,,,f,/bin/prog,0x6100,0x16100,,,,\n");
}

/* ---- JSON ---- */

#define SPOT(object, place, at)                                                                    \
	"{\"function\":\"f\",\"object\":\"" object "\",\"into\":" place ",\"offset\":" at

TEST(a_comparison_as_json)
{
	is_written("abc", "abc", TL_REPORT_JSON,
		   "{\"streams\":[{\"same\":12,\"parts\":0,\"missing\":0,\"complete\":true,"
		   "\"instructions\":{\"before\":12,\"after\":12},"
		   "\"process\":{\"before\":null,\"after\":null},"
		   "\"thread\":{\"before\":null,\"after\":null},"
		   "\"stack\":[],\"differences\":[],\"partings\":[]}],"
		   "\"unpaired\":{\"before\":0,\"after\":0}}\n");
}

TEST(a_difference_as_json)
{
	/* 0x630c is 25356, 0x7800 30720, 0x7900 30976 */
	static const char last[] =
		SPOT("/bin/prog", "25356", "\"0x630c\",\"address\":\"0x1630c\"}"),
			  before[] =
				  SPOT("/bin/prog", "30720", "\"0x7800\",\"address\":\"0x17800\"}"),
			  after[] = SPOT("/opt/prog", "30976",
					 "\"0x7900\",\"address\":\"0x7f0000557900\"}"),
			  last_after[] = SPOT("/opt/prog", "25356",
					      "\"0x630c\",\"address\":\"0x7f000055630c\"}");
	const struct tl_report_options options = { .size = sizeof(options),
						   .form = TL_REPORT_JSON };
	struct tl_flow *flow = stream_flow("abcxdefg", "abcyzdefg");
	char *text = written(flow, &options), wanted[2048];

	snprintf(wanted, sizeof(wanted),
		 "\"differences\":[{\"reason\":\"other-way\",\"meets\":true,"
		 "\"ordinal\":{\"before\":12,\"after\":12},\"near\":{\"before\":0,\"after\":0},"
		 "\"instructions\":{\"before\":4,\"after\":8},"
		 "\"last\":{\"before\":%s,\"after\":%s},\"next\":{\"before\":%s,\"after\":%s}}],",
		 last, last_after, before, after);
	assert_non_null(strstr(text, wanted));
	snprintf(wanted, sizeof(wanted),
		 "\"partings\":[{\"times\":1,\"ordinal\":12,"
		 "\"instructions\":{\"before\":4,\"after\":8},\"last\":%s,"
		 "\"next\":{\"before\":%s,\"after\":%s}}]}]",
		 last, before, after);
	assert_non_null(strstr(text, wanted));
	/* the place where it happened is the stack's innermost */
	snprintf(wanted, sizeof(wanted), "\"stack\":[%s],", last);
	assert_non_null(strstr(text, wanted));
	free(text);
	tl_flow_free(flow);
}

TEST(reasons_have_names)
{
	static const struct {
		const char *before, *after, *reason;
		bool meets;
	} cases[] = {
		{ "abcx", "abcy", "other-way", false },
		{ "abcde", "ab'cde", "other-code", true },
		{ "abc", "abcde", "before-ends", false },
		{ "abcde", "abc", "after-ends", false },
		{ "abcdefgh", "abc|efgh", "missing", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tl_report_options options = { .size = sizeof(options),
							   .form = TL_REPORT_JSON };
		struct tl_flow *flow = stream_flow(cases[i].before, cases[i].after);
		char *text = written(flow, &options), wanted[96];

		snprintf(wanted, sizeof(wanted), "[{\"reason\":\"%s\",\"meets\":%s,",
			 cases[i].reason, cases[i].meets ? "true" : "false");
		assert_non_null(strstr(text, wanted));
		free(text);
		tl_flow_free(flow);
	}
}

/* ---- an incomplete comparison ---- */

/* Behind what does not meet within the window nothing is compared, which is said. */
TEST(what_was_not_compared)
{
	const struct tl_flow_options narrow = { .size = sizeof(narrow), .window = 64, .meet = 3 };
	char after[512] = "abc";
	struct tl_flow *flow;
	char *text;

	memset(after + 3, 'x', 400);
	strcat(after, "defghi");
	flow = stream_flow_with("abcdefghi", after, 5, &narrow);
	text = written(flow, NULL);
	assert_non_null(strstr(text, "\nThey do not meet again within the window behind the last "
				     "difference: nothing was compared there.\n"));
	free(text);
	text = written(flow,
		       &(const struct tl_report_options){ .size = sizeof(struct tl_report_options),
							  .form = TL_REPORT_JSON });
	assert_non_null(strstr(text, "\"complete\":false,"));
	free(text);
	tl_flow_free(flow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_executions),
		cmocka_unit_test(one_difference),
		cmocka_unit_test(places_are_told_once),
		cmocka_unit_test(one_side_ends),
		cmocka_unit_test(other_code_at_the_same_place),
		cmocka_unit_test(missing_trace),
		cmocka_unit_test(the_stack_of_the_first_difference),
		cmocka_unit_test(a_deep_stack_is_cut),
		cmocka_unit_test(places_that_are_shown),
		cmocka_unit_test(options_have_a_size),
		cmocka_unit_test(places_as_csv),
		cmocka_unit_test(a_comparison_as_json),
		cmocka_unit_test(a_difference_as_json),
		cmocka_unit_test(reasons_have_names),
		cmocka_unit_test(what_was_not_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
