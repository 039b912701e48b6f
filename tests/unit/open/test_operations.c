/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of any format, and those that one has not. Quotes are from <tracelathe/open.h>. */
#include "../xray/bytes.h"
#include "profile/model/unsized.h"

#include <tracelathe/open.h>
#include <tracelathe/timeline.h>

#include "../temp_fixture.h"

static struct tl_input_options everything(void)
{
	return (struct tl_input_options)TL_INPUT_OPTIONS_DEFAULT;
}

/* A recording of tests/golden. */
static const char *golden(const char *name)
{
	static char path[1024];

	snprintf(path, sizeof(path), "%s/tests/golden/%s", getenv("TL_SOURCE_ROOT"), name);
	return path;
}

static struct tl_input *open_with(const char *path, struct tl_input_options options)
{
	struct tl_input *input;

	assert_int_equal(tl_input_open(&input, &path, 1, &options, NULL, NULL), 0);
	return input;
}

static struct tl_input *open_path(const char *path)
{
	return open_with(path, everything());
}

/* t: 100 enter 1, 110 enter 2, 140 exit 2, 150 exit 1, 170 enter 3, 180 exit 3; 1000 a second */
static char *write_log(const char *name, uint32_t first)
{
	struct bytes b = { 0 };
	size_t start;
	char *path;

	put_header(&b, 5, FDR, 1000, 16384);
	start = begin_block(&b, 1, 2, 100);
	put_function(&b, ENTER, first, 0);
	put_function(&b, ENTER, 2, 10);
	put_function(&b, EXIT, 2, 30);
	put_function(&b, EXIT, first, 10);
	put_function(&b, ENTER, 3, 20);
	put_function(&b, EXIT, 3, 10);
	end_block(&b, start);
	path = strdup(temp_write(&temp, name, b.data, b.size));
	free_bytes(&b);
	return path;
}

/* ---- calls ---- */

static const char xtrace_user[] = "xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin";

/* The functions of an input's calls as digits, in their order; "-" and the status of a refusal. */
static char *calls_of(struct tl_input_options options, const char *path,
		      const struct tl_calls_options *which)
{
	static char text[64];
	struct tl_input *input = open_with(path, options);
	const struct tl_call *call;
	struct tl_calls *calls;
	struct tl_error err;
	size_t count = 0;
	int status = tl_input_calls(input, which, &calls, &err);

	if (status < 0) {
		assert_null(calls);
		snprintf(text, sizeof(text), "-%d", -status);
	} else {
		while (tl_calls_next(calls, &call, &err) == 1) {
			struct tl_call_function function;

			assert_int_equal(tl_calls_function(calls, call->function, &function,
							   sizeof(function), &err),
					 0);
			text[count++] = function.name[1];
		}
		text[count] = '\0';
		tl_calls_close(calls);
	}
	tl_input_close(input);
	return text;
}

/* "A window of time has the calls that are open at some time in it" */
TEST(filters_of_time_choose_calls)
{
	static const struct {
		double from, to;
		const char *calls;
	} cases[] = {
		{ 0, 0, "123" },   { 0.005, 0, "123" }, { 0.045, 0, "13" },    { 0.060, 0, "3" },
		{ 0, 0.005, "1" }, { 0, 0.015, "12" },  { 0.045, 0.060, "1" }, { 0.055, 0.065, "" },
	};
	char *path = write_log("log", 1);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_input_options options = everything();

		options.filter.from_seconds = cases[i].from;
		options.filter.to_seconds = cases[i].to;
		assert_string_equal(calls_of(options, path, NULL), cases[i].calls);
	}
	free(path);
}

/* "ticks, `to` 0: no end"; the narrower of filter and window counts. */
TEST(windows_of_ticks_choose_calls)
{
	static const struct {
		uint64_t from, to;
		const char *calls;
	} cases[] = { { 0, 0, "12" },   { 145, 0, "1" },  { 0, 105, "1" },
		      { 160, 500, "" }, { 0, 500, "12" }, { 0, 1, "" } };
	char *path = write_log("log", 1);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_calls_options which = { .size = sizeof(which),
						  .from = cases[i].from,
						  .to = cases[i].to };
		struct tl_input_options options = everything();

		options.filter.to_seconds = 0.060; /* without the last call */
		assert_string_equal(calls_of(options, path, &which), cases[i].calls);
	}
	free(path);
}

TEST(sizes_of_calls_options)
{
	struct tl_calls_options which = { .size = sizeof(which.size) };
	char *path = write_log("log", 1), refused[8];

	snprintf(refused, sizeof(refused), "-%d", -TL_BAD_USAGE);
	assert_string_equal(calls_of(everything(), path, &which), refused);
	free(path);
}

/* TIME of an xtrace has no unit: each end of a window is a whole number, or is refused. */
TEST(windows_of_time_tokens_are_whole)
{
	static const struct {
		double from, to;
	} cases[] = { { 0.5, 0 }, { 0.5, 10 }, { 0, 10.5 }, { 1, 10.5 }, { 18014398509481984, 0 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_input_options options = everything();
		struct tl_profile *profile;
		struct tl_input *input;
		struct tl_error err;

		options.filter.from_seconds = cases[i].from;
		options.filter.to_seconds = cases[i].to;
		input = open_with(golden(xtrace_user), options);
		assert_int_equal(tl_input_fold(input, &profile, &err), TL_BAD_USAGE);
		assert_string_equal(err.text, "--time is of the numbers of TIME tokens, which are "
					      "whole and have no unit");
		tl_input_close(input);
	}
}

static void expect_no_calls(struct tl_input *input, enum tl_status status, const char *words)
{
	struct tl_calls *calls = (struct tl_calls *)1;
	struct tl_call_index *index = (struct tl_call_index *)1;
	struct tl_error err;

	assert_int_equal(tl_input_calls(input, NULL, &calls, &err), status);
	assert_null(calls);
	assert_non_null(strstr(err.text, words));
	assert_int_equal(tl_input_index(input, &index, &err), status);
	assert_null(index);
	assert_non_null(strstr(err.text, words));
	tl_input_close(input);
}

TEST(inputs_without_calls)
{
	char *paths[2] = { write_log("one", 1), write_log("two", 4) };
	struct tl_input *input;

	expect_no_calls(open_path(golden("callgrind/threads.out-01")), TL_UNSUPPORTED,
			"does not hold calls");
	assert_int_equal(tl_input_open(&input, (const char *const *)paths, 2, NULL, NULL, NULL), 0);
	expect_no_calls(input, TL_BAD_USAGE, "one file at a time");
	free(paths[0]);
	free(paths[1]);
}

/* "The index of the calls of a trace": as many calls, and the same time. */
TEST(an_index_has_the_calls)
{
	char *path = write_log("log", 1);
	struct tl_input *input = open_path(path);
	struct tl_call_index *index;
	struct tl_call_track_info track;
	struct tl_calls_info info;

	assert_int_equal(tl_input_index(input, &index, NULL), 0);
	assert_int_equal(tl_call_index_info(index, &info, sizeof(info)), 0);
	assert_int_equal(info.frequency, 1000);
	assert_int_equal(info.origin, 100);
	assert_int_equal(tl_call_index_track(index, 0, &track, sizeof(track)), 1);
	assert_int_equal(track.calls, 3);
	assert_int_equal(track.first, 100);
	assert_int_equal(track.last, 180);
	assert_int_equal(tl_call_index_track(index, 1, &track, sizeof(track)), 0);
	tl_call_index_close(index);
	tl_input_close(input);
	free(path);
}

/* ---- several files ---- */

/* The log of another process counts as the first does. */
TEST(a_second_log_that_shrinks)
{
	char *paths[2] = { write_log("one", 1), write_log("two", 4) };
	struct tl_profile *profile;
	struct tl_input *input;
	struct tl_error err;

	assert_int_equal(tl_input_open(&input, (const char *const *)paths, 2, NULL, NULL, NULL), 0);
	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	tl_profile_free(profile);
	assert_int_equal(truncate(paths[1], 60), 0);
	assert_int_equal(tl_input_fold(input, &profile, &err), TL_IO);
	assert_string_equal(tl_input_failed(input), paths[1]);
	assert_string_equal(err.text, "input changed while it was read");
	tl_input_close(input);
	free(paths[0]);
	free(paths[1]);
}

/* The first file that has a byte says what all of them are; the second one may be missing. */
TEST(the_first_file_that_is_not_empty_has_the_format)
{
	char *log = write_log("log", 1);
	const char *paths[3] = { NULL, NULL, log }, *failed = NULL;
	struct tl_input *input;
	struct tl_error err;
	char *empty = strdup(temp_write(&temp, "empty", "", 0)),
	     *missing = strdup(temp_path(&temp, "missing"));

	paths[0] = empty;
	paths[1] = missing;
	assert_int_equal(tl_input_open(&input, paths, 3, NULL, &failed, &err), TL_IO);
	assert_string_equal(failed, missing);
	paths[1] = temp_write(&temp, "text", "no trace\n", 9);
	assert_int_equal(tl_input_open(&input, paths, 3, NULL, &failed, &err), TL_BAD_FORMAT);
	/* Files of nothing are of no format. */
	assert_int_equal(tl_input_open(&input, paths, 1, NULL, &failed, &err), TL_TRUNCATED);
	assert_string_equal(failed, empty);
	free(log);
	free(empty);
	free(missing);
}

/* ---- in another form ---- */

static int64_t sum_of(struct tl_input *input, uint64_t *calls)
{
	struct tl_profile *profile;
	int64_t total;

	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	total = tl_profile_total(profile)[0];
	*calls = 0;
	for (uint32_t i = 0; i < tl_profile_arc_count(profile); i++)
		*calls += tl_profile_arc(profile, i)->calls;
	tl_profile_free(profile);
	tl_input_close(input);
	return total;
}

/* A Callgrind file of a Callgrind file: the sums that its writer gives. */
TEST(callgrind_is_written_again)
{
	static const char source[] = "events: Ir\nfl=a.c\nfn=main\n1 10\n+2 5\ncfn=f\ncalls=3 9\n"
				     "+1 20\nfn=f\n9 20\n";
	struct tl_output *out;
	struct tl_input *input;
	uint64_t calls;
	const char *bytes;
	size_t size;

	input = open_path(temp_write(&temp, "cg", source, sizeof(source) - 1));
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_input_reencode(input, "callgrind", "7", out, NULL), TL_BAD_USAGE);
	assert_int_equal(tl_input_reencode(input, "callgrind", NULL, out, NULL), 0);
	tl_input_close(input);
	bytes = tl_output_bytes(out, &size);
	input = open_path(temp_write(&temp, "again", bytes, size));
	assert_string_equal(tl_input_format(input)->name, "callgrind");
	assert_int_equal(sum_of(input, &calls), 35);
	assert_int_equal(calls, 3);
	tl_output_discard(out);
}

TEST(xtrace_is_written_again)
{
	struct tl_output *out;
	struct tl_input *input = open_path(golden(xtrace_user));
	char *before;
	const char *bytes;
	size_t size, length;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_input_reencode(input, "xtrace", "7", out, NULL), TL_BAD_USAGE);
	assert_int_equal(tl_input_reencode(input, "xtrace", NULL, out, NULL), 0);
	tl_input_close(input);
	before = temp_read(golden(xtrace_user), &length);
	bytes = tl_output_bytes(out, &size);
	assert_int_equal(size, length);
	assert_memory_equal(bytes, before, size);
	free(before);
	tl_output_discard(out);
}

/* ---- how much of a profile ---- */

/* Cost lines of a profile, and those of them that have a line of source. */
static void count_lines(struct tl_input_options options, const char *path, uint32_t *all,
			uint32_t *known)
{
	struct tl_input *input = open_with(path, options);
	struct tl_profile *profile;

	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	*all = tl_profile_line_count(profile);
	*known = 0;
	for (uint32_t i = 0; i < *all; i++)
		*known += tl_profile_line(profile, i)->at.line != 0;
	tl_profile_free(profile);
	tl_input_close(input);
}

/* Lines of source only where they are asked for: they cost a look at the debug information. */
TEST(details_are_given_as_asked_for)
{
	char program[1024];
	struct tl_binary_spec spec = { .path = program };
	struct tl_input_options options = everything();
	uint32_t functions[2], lines[2];

	snprintf(program, sizeof(program), "%s", golden("xtrace/small.elf"));
	options.programs.binaries = &spec;
	options.programs.binary_count = 1;
	options.detail = TL_DETAIL_FUNCTIONS;
	count_lines(options, golden(xtrace_user), &functions[0], &functions[1]);
	options.detail = TL_DETAIL_LINES;
	count_lines(options, golden(xtrace_user), &lines[0], &lines[1]);
	assert_true(lines[0] > functions[0]);
	assert_int_equal(functions[1], 0);
}

/* Who called whom follows from stacks where it is asked for; totals do not depend on that. */
TEST(stacks_without_calls_between_functions)
{
	static const enum tl_input_detail details[] = { TL_DETAIL_FUNCTIONS, TL_DETAIL_STACKS,
							TL_DETAIL_TABLE, TL_DETAIL_CONTEXTS };
	const char *path = temp_write(&temp, "calls.folded", "main;work;add 5\nmain;add 2\n", 27);
	struct tl_input_options options = everything();
	struct tl_function_totals totals;

	for (size_t i = 0; i < 4; i++) {
		struct tl_profile *profile;
		struct tl_input *input;

		options.detail = details[i];
		input = open_with(path, options);
		assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
		assert_int_equal(tl_profile_total(profile)[0], 7);
		/* A table of functions needs no stacks. */
		assert_int_equal(tl_profile_context_count(profile),
				 details[i] == TL_DETAIL_TABLE ? 0 : 4);
		tl_profile_totals_of(profile, 2, TL_NONE, &totals);
		assert_string_equal(tl_profile_function(profile, 2)->name, "add");
		assert_int_equal(totals.inclusive[0], 7);
		assert_int_equal(tl_profile_arc_count(profile), i < 2 ? 3 : 0);
		tl_profile_free(profile);
		tl_input_close(input);
	}
}

/* ---- what a format has not ---- */

TEST(operations_that_a_format_has_not)
{
	struct tl_slice slice = { .size = sizeof(slice) };
	struct tl_input *input = open_path(golden("callgrind/threads.out-01"));
	struct tl_output *out;
	struct tl_error err;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_input_timeline(input, NULL, out, &err), TL_UNSUPPORTED);
	assert_non_null(strstr(err.text, "holds no times"));
	assert_int_equal(tl_input_slice(input, &slice, out, &err), TL_BAD_USAGE);
	assert_non_null(strstr(err.text, "is cut by --part"));
	assert_int_equal(tl_input_reencode(input, "xray", NULL, out, &err), TL_UNSUPPORTED);
	tl_input_close(input);
	input = open_path(temp_write(&temp, "stacks.folded", "main;work 5\n", 12));
	assert_int_equal(tl_input_slice(input, &slice, out, &err), TL_UNSUPPORTED);
	assert_non_null(strstr(err.text, "cannot be cut"));
	tl_input_close(input);
	input = open_path(golden("perf/threads.perf.data"));
	assert_int_equal(tl_input_reencode(input, "perf", NULL, out, &err), TL_UNSUPPORTED);
	tl_input_close(input);
	tl_output_discard(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters_of_time_choose_calls),
		cmocka_unit_test(windows_of_ticks_choose_calls),
		cmocka_unit_test(sizes_of_calls_options),
		cmocka_unit_test(windows_of_time_tokens_are_whole),
		cmocka_unit_test(inputs_without_calls),
		cmocka_unit_test(an_index_has_the_calls),
		cmocka_unit_test(a_second_log_that_shrinks),
		cmocka_unit_test(the_first_file_that_is_not_empty_has_the_format),
		cmocka_unit_test(callgrind_is_written_again),
		cmocka_unit_test(xtrace_is_written_again),
		cmocka_unit_test(details_are_given_as_asked_for),
		cmocka_unit_test(stacks_without_calls_between_functions),
		cmocka_unit_test(operations_that_a_format_has_not),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
