/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines of several XRay logs on one clock, and parts of one log: each call is where its ticks
 * say, counted from the first record of all. Logs are written by hand, a tick is a nanosecond. /
 */
#include "../xray/bytes.h"

#include <stdio.h>

#include <tracelathe/tracelathe.h>

#include "../temp_fixture.h"
#include "slices.h"

#include "core/output.h"

#define GHZ UINT64_C(1000000000)
#define EPOCH 1700000000 /* November 2023 */
#define FIRST UINT64_C(1000000000000)

static struct tl_error err;

/*
 * A log of one thread: function `id` from `begin` to `begin` + 8000 ticks behind FIRST, in it
 * `id` + 1 from 2000 to 5000 behind its beginning. Its wall clock goes as its TSC.
 */
struct log {
	const char *name;
	int32_t process, thread;
	uint64_t begin, frequency;
	uint32_t id;
	bool without_clock;
};

static void write_log(const struct log *log)
{
	struct bytes b = { 0 };
	size_t start;

	put_header(&b, 5, FDR, log->frequency ? log->frequency : GHZ, 4096);
	start = b.size;
	put_extents(&b, 0);
	put_new_buffer(&b, log->thread);
	if (!log->without_clock)
		put_wall_clock(&b, EPOCH, (uint32_t)(log->begin / 1000));
	put_pid(&b, log->process);
	put_new_cpu(&b, 1, FIRST + log->begin);
	put_function(&b, ENTER, log->id, 0);
	put_function(&b, ENTER, log->id + 1, 2000);
	put_function(&b, EXIT, log->id + 1, 3000);
	put_function(&b, EXIT, log->id, 3000);
	end_block(&b, start);
	temp_write(&temp, log->name, b.data, b.size);
	free_bytes(&b);
}

static struct tl_input_options everything(void)
{
	return (struct tl_input_options)TL_INPUT_OPTIONS_DEFAULT;
}

static struct tl_input *open_logs(const struct log *logs, size_t count,
				  struct tl_input_options options)
{
	static char paths[4][512];
	const char *list[4];
	struct tl_input *input;

	for (size_t i = 0; i < count; i++) {
		write_log(&logs[i]);
		list[i] = paths[i];
		strcpy(paths[i], temp_path(&temp, logs[i].name));
	}
	assert_int_equal(tl_input_open(&input, list, count, &options, NULL, &err), 0);
	return input;
}

/* "NAME PROCESS/THREAD FROM+DURATION" of each call of a Chrome trace, in the order of the names. */
static void calls_of(char *text, const char *json)
{
	char lines[8][64];
	size_t count = 0;

	for (const char *at = json; (at = strstr(at, "{\"pid\":")); at++) {
		int process, thread;
		double from, duration;
		char name[32];

		if (sscanf(at,
			   "{\"pid\":%d,\"tid\":%d,\"ph\":\"X\",\"ts\":%lf,\"dur\":%lf,\"name\":"
			   "\"%31[^\"]\"",
			   &process, &thread, &from, &duration, name) != 5)
			continue;
		assert_true(count < 8);
		sprintf(lines[count++], "%s %d/%d %g+%g\n", name, process, thread, from, duration);
	}
	qsort(lines, count, sizeof(lines[0]), (int (*)(const void *, const void *))strcmp);
	*text = '\0';
	for (size_t i = 0; i < count; i++)
		strcat(text, lines[i]);
}

/* The status of a timeline; its calls. */
static int timeline_of(struct tl_input *input, char *text)
{
	struct tl_output *out;
	const char *bytes;
	char *json;
	size_t size;
	int status;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	status = tl_input_timeline(input, "chrome", out, &err);
	bytes = tl_output_bytes(out, &size);
	json = strndup(bytes ? bytes : "", size);
	calls_of(text, json);
	free(json);
	tl_output_discard(out);
	return status;
}

static const struct log two[] = {
	{ "one", 1, 11, 3000, 0, 1, false },
	{ "two", 2, 22, 0, 0, 5, false },
};

/* In microseconds from the first record, which the second log has. */
TEST(logs_on_one_clock)
{
	struct tl_input *input = open_logs(two, 2, everything());
	char text[1024];

	assert_int_equal(timeline_of(input, text), 0);
	assert_string_equal(text, "#1 1/11 3+8\n#2 1/11 5+3\n"
				  "#5 2/22 0+8\n#6 2/22 2+3\n");
	tl_input_close(input);
}

/* "The window counts from the first record of all": what begins in it is on the timeline. */
TEST(windows_of_several_logs)
{
	static const struct {
		double from, to;
		const char *calls;
	} cases[] = {
		{ 0, 0, "#1 1/11 3+8\n#2 1/11 5+3\n#5 2/22 0+8\n#6 2/22 2+3\n" },
		/* calls that begin at 0, 2, 3 and 5 us are shown whole */
		{ 4e-6, 0, "#2 1/11 5+3\n" },
		{ 0, 5e-6, "#1 1/11 3+8\n#5 2/22 0+8\n#6 2/22 2+3\n" },
		{ 2e-6, 5e-6, "#1 1/11 3+8\n#6 2/22 2+3\n" },
		{ 3e-6, 11e-6, "#1 1/11 3+8\n#2 1/11 5+3\n" },
		{ 5e-6, 5.001e-6, "#2 1/11 5+3\n" },
		{ 1, 2, "" },
		{ 1e12, 0, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_input_options options = everything();
		struct tl_input *input;
		char text[1024];
		int status;

		options.filter.from_seconds = cases[i].from;
		options.filter.to_seconds = cases[i].to;
		input = open_logs(two, 2, options);
		status = timeline_of(input, text);
		if (status != !*cases[i].calls || strcmp(text, cases[i].calls) != 0)
			fail_msg("%g to %g: status %d\n%sinstead of\n%s", cases[i].from,
				 cases[i].to, status, text, cases[i].calls);
		tl_input_close(input);
	}
}

TEST(threads_and_processes_of_several_logs)
{
	static const struct {
		uint64_t process, thread;
		const char *calls;
	} cases[] = {
		{ 1, TL_NOWHERE, "#1 1/11 3+8\n#2 1/11 5+3\n" },
		{ TL_NOWHERE, 22, "#5 2/22 0+8\n#6 2/22 2+3\n" },
		{ 1, 22, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_input_options options = everything();
		struct tl_input *input;
		char text[1024];

		options.filter.process = cases[i].process;
		options.filter.thread = cases[i].thread;
		input = open_logs(two, 2, options);
		assert_int_equal(timeline_of(input, text), !*cases[i].calls);
		assert_string_equal(text, cases[i].calls);
		tl_input_close(input);
	}
}

/* What cannot be on one timeline is said with the file that does not fit. */
TEST(logs_that_do_not_go_together)
{
	static const struct {
		struct log logs[3];
		size_t count;
		const char *failed, *words;
	} cases[] = {
		{ { { "one", 1, 11, 0, 0, 1, false }, { "two", 1, 11, 50000, 0, 5, false } },
		  2,
		  "two",
		  "another of the files has a thread of the same process and number" },
		{ { { "one", 1, 11, 0, 0, 1, false },
		    { "two", 2, 22, 10, 0, 5, false },
		    { "three", 1, 11, 9000, 0, 7, false } },
		  3,
		  "three",
		  "another of the files has a thread of the same process and number" },
		{ { { "one", 1, 11, 0, 0, 1, false }, { "two", 2, 22, 0, 0, 5, true } },
		  2,
		  "two",
		  "the trace has no wall clock" },
		{ { { "one", 1, 11, 0, 0, 1, false },
		    { "two", 2, 22, 10, 0, 5, false },
		    { "three", 3, 33, 0, 0, 7, true } },
		  3,
		  "three",
		  "the trace has no wall clock" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_input *input = open_logs(cases[i].logs, cases[i].count, everything());
		char text[1024];

		assert_int_equal(timeline_of(input, text), TL_UNSUPPORTED);
		assert_string_equal(text, "");
		assert_non_null(strstr(err.text, cases[i].words));
		assert_string_equal(tl_input_failed(input), temp_path(&temp, cases[i].failed));
		tl_input_close(input);
	}
}

/* Another rate is another machine: its ticks are moved by the wall clocks, here a microsecond. */
TEST(logs_of_clocks_of_different_rates)
{
	static const struct log logs[] = {
		{ "one", 1, 11, 0, 0, 1, false },
		{ "two", 2, 22, 0, GHZ / 2, 5, false },
	};
	struct tl_input *input = open_logs(logs, 2, everything());
	char text[1024];

	assert_int_equal(timeline_of(input, text), 0);
	/* a tick of the second log is two nanoseconds */
	assert_string_equal(text, "#1 1/11 0+8\n#2 1/11 2+3\n"
				  "#5 2/22 0+16\n#6 2/22 4+6\n");
	tl_input_close(input);
}

/* ---- parts of one log ---- */

/* The totals of what a slice has: ticks inside of calls, and how many calls. */
static int slice_of(struct tl_input_options options, int64_t *total, uint64_t *calls)
{
	static const struct log log = { "one", 1, 11, 0, 0, 1, false };
	const struct tl_slice all = { .size = sizeof(all),
				      .snapshots = { 0, TL_NOWHERE },
				      .instructions = { 0, TL_NOWHERE } };
	struct tl_input *input = open_logs(&log, 1, options), *again;
	struct tl_profile *profile;
	struct tl_output *out;
	const char *bytes, *path;
	size_t size;
	int status;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	status = tl_input_slice(input, &all, out, &err);
	*total = 0;
	*calls = 0;
	if (status == 0) {
		bytes = tl_output_bytes(out, &size);
		path = temp_write(&temp, "slice", bytes, size);
		assert_int_equal(tl_input_open(&again, &path, 1, NULL, NULL, &err), 0);
		assert_int_equal(tl_input_fold(again, &profile, &err), 0);
		*total = tl_profile_total(profile)[0];
		for (uint32_t f = 0; f < tl_profile_function_count(profile); f++) {
			struct tl_function_totals totals;

			tl_profile_function_totals(profile, f, TL_NONE, &totals, sizeof(totals));
			*calls += totals.calls + totals.unfinished;
		}
		tl_profile_free(profile);
		tl_input_close(again);
	}
	tl_output_discard(out);
	tl_input_close(input);
	return status;
}

TEST(slices_of_a_log)
{
	static const struct {
		double from, to;
		uint64_t thread;
		const char *function;
		int status;
		int64_t total;
		uint64_t calls;
	} cases[] = {
		{ 0, 0, TL_NOWHERE, NULL, 0, 8000, 2 },
		{ 0, 0, 11, NULL, 0, 8000, 2 },
		{ 0, 0, 12, NULL, TL_BAD_USAGE, 0, 0 },
		{ 0, 0, TL_NOWHERE, "^#2$", 0, 3000, 1 },
		{ 0, 0, TL_NOWHERE, "^#1$", 0, 8000, 1 },
		{ 0, 0, TL_NOWHERE, "^#3$", TL_BAD_USAGE, 0, 0 },
		{ 1, 2, TL_NOWHERE, NULL, TL_BAD_USAGE, 0, 0 },
		/* from 1 to 6 us: the call in the middle */
		{ 1e-6, 6e-6, TL_NOWHERE, NULL, 0, 3000, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_input_options options = everything();
		int64_t total;
		uint64_t calls;

		options.filter.from_seconds = cases[i].from;
		options.filter.to_seconds = cases[i].to;
		options.filter.thread = cases[i].thread;
		options.filter.function = cases[i].function;
		if (slice_of(options, &total, &calls) != cases[i].status ||
		    total != cases[i].total || calls != cases[i].calls)
			fail_msg("case %u: %d ticks in %u calls", (unsigned)i, (int)total,
				 (unsigned)calls);
		if (cases[i].status)
			assert_string_equal(err.text,
					    "the trace has no record of what is asked for");
	}
}

TEST(slices_that_a_log_cannot_have)
{
	static const struct log log = { "one", 1, 11, 0, 0, 1, false };
	struct tl_input *input = open_logs(&log, 1, everything());
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	for (size_t i = 0; i < OTHER_SLICES; i++) {
		struct tl_slice slice = other_slices[i];

		slice.size = sizeof(slice);
		assert_int_equal(tl_input_slice(input, &slice, out, &err), TL_BAD_USAGE);
		assert_string_equal(err.text, "an XRay trace is cut by --time, --thread, --pid, "
					      "--cpu, --function and --object");
	}
	tl_output_discard(out);
	tl_input_close(input);
}

/* A profile of sums among the files has no calls to show. */
TEST(a_profile_has_no_timeline)
{
	struct bytes b = { 0 };
	struct tl_input *input;
	const char *paths[2];
	char log[512], text[64];

	write_log(&two[0]);
	strcpy(log, temp_path(&temp, "one"));
	put_profiling_header(&b, 1, 7);
	end_samples(&b, begin_samples(&b, 0, 3));
	paths[0] = log;
	paths[1] = temp_write(&temp, "profile", b.data, b.size);
	free_bytes(&b);
	assert_int_equal(tl_input_open(&input, paths, 2, NULL, NULL, &err), 0);
	assert_int_equal(timeline_of(input, text), TL_UNSUPPORTED);
	assert_string_equal(err.text, "a profile of sums has no timeline");
	assert_string_equal(tl_input_failed(input), temp_path(&temp, "profile"));
	tl_input_close(input);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logs_on_one_clock),
		cmocka_unit_test(windows_of_several_logs),
		cmocka_unit_test(threads_and_processes_of_several_logs),
		cmocka_unit_test(logs_that_do_not_go_together),
		cmocka_unit_test(logs_of_clocks_of_different_rates),
		cmocka_unit_test(slices_of_a_log),
		cmocka_unit_test(slices_that_a_log_cannot_have),
		cmocka_unit_test(a_profile_has_no_timeline),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
