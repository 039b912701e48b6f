/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples over time: instants, and spans on the processors; and the times off these by samples of
 * sched:sched_switch alone. Expected texts are those of Chrome's format for what the test puts.
 */
#define FILE_BYTES (1 << 20)
#include "sample_file.h"

#include <tracelathe/export.h>

#include "refused_fold.h"

#include "perf_data/listing/running_calls.h"
#include "perf_data/listing/sample_timeline.h"
#include "timeline/calls/calls_text.h"
#include "timeline/calls/stream.h"

enum { OUT = 1 << 13, POINT = 314, POINT_ID = 78, CHILD = 12 };

/* ---- files ---- */

static void begin_named(void)
{
	begin();
	write_names(PID, "1000 10 main\n1010 10 leaf\n");
	put_comm(&f, PID, TID, "prog", 0, 1);
	put_comm(&f, PID, CHILD, "child", 0, 1);
	put_map(&f, PID, 0x1000, 0x1000, "//anon", 2);
}

static void put_switch(uint16_t misc, uint32_t tid, uint64_t time)
{
	put_header(&f, TL_PERF_SWITCH, misc, 8 + 32);
	put_trailer(&f, PID, tid, time, 1);
}

static struct at at_time(uint32_t tid, uint64_t time)
{
	struct at at = usual;

	at.tid = tid;
	at.time = time;
	return at;
}

/* The tracepoint's event, and where its samples have prev_pid and next_pid. */
static void put_tracepoint(uint64_t flags)
{
	static const char tracing[] = "name: sched_switch\nID: 314\nformat:\n\tfield:pid_t "
				      "prev_pid;\toffset:0;\tsize:4;\n"
				      "\tfield:pid_t next_pid;\toffset:4;\tsize:4;\n";

	put_header(&f, TL_PERF_HEADER_ATTR, 0, 8 + 64 + 8);
	put_attr(&f, 2, TYPE | 1024, 1 << 18 | flags);
	patch64(&f, f.size - 64 + 8, POINT);
	put64(&f, POINT_ID);
	put_header(&f, TL_PERF_EVENT_UPDATE, 0, 8 + 16 + 24);
	put64(&f, 2); /* PERF_EVENT_UPDATE__NAME */
	put64(&f, POINT_ID);
	put_name(&f, "sched:sched_switch");
	put_header(&f, TL_PERF_HEADER_TRACING_DATA, 0, 12);
	put32(&f, (sizeof(tracing) + 7) / 8 * 8);
	put_name(&f, tracing);
}

/* In the thread that leaves, with its stack. */
static void put_sched_switch(uint32_t tid, uint32_t next, uint64_t time)
{
	const uint64_t chain[] = { USER, 0x1014, 0x1004 };
	struct at at = at_time(tid, time);
	size_t start = f.size;

	at.period = 1;
	put_sample(at, chain, 3);
	/* RAW: its size, the two numbers, and up to whole words. */
	put32(&f, 12);
	put32(&f, tid);
	put32(&f, next);
	put32(&f, 0);
	f.bytes[start + 6] = (uint8_t)(f.size - start);
	f.bytes[start + 8] = POINT_ID;
}

/* A thread that ended has no number any more, but the tracepoint's field has it. */
static void put_ended(uint32_t tid, uint64_t time)
{
	const size_t start = f.size;

	put_sched_switch(tid, 0, time);
	memset(f.bytes + start + 8 + 16, 0xff, 8);
}

/* ---- timelines ---- */

static int read_again(struct tl_perf_reader **reader, struct tl_source *source)
{
	struct tl_perf_options in_order = { .size = sizeof(in_order), .in_order = true };

	tl_perf_close(*reader);
	*reader = NULL;
	return tl_perf_open(reader, source, &in_order, &f.err);
}

static int draw_source(struct tl_source *source, struct tl_timeline *timeline)
{
	struct tl_perf_sample_contexts contexts = { .list = NULL };
	struct tl_perf_reader *reader = NULL;
	int status = read_again(&reader, source);

	if (status == 0)
		status = tl_perf_samples_fold_stacks(reader, &options, &remarks, &contexts,
						     &profile, &f.err);
	if (status == 0)
		status = read_again(&reader, source);
	if (status == 0)
		status = tl_perf_samples_draw(reader, &options, &contexts, profile, &remarks,
					      timeline, &f.err);
	tl_perf_close(reader);
	free(contexts.list);
	return status;
}

static int write_timeline(const void *input, struct tl_output *out)
{
	struct file *const *file = input;
	struct tl_timeline *timeline = NULL;
	struct tl_source *source = NULL;
	int status, finished = 0;

	remarks = (struct tl_perf_sample_remarks){ .list = NULL };
	profile = NULL;
	status = tl_source_open_memory(&source, (*file)->bytes, (*file)->size, "test", &f.err);
	if (status == 0)
		status = tl_timeline_open(&timeline, "chrome", out, &f.err);
	if (status == 0) {
		status = draw_source(source, timeline);
		finished = tl_timeline_finish(timeline, status < 0 ? NULL : &f.err);
	}
	tl_source_close(source);
	done();
	return status < 0 || finished >= 0 ? status : finished;
}

static int timeline_step(const void *input, uint64_t *digest)
{
	return refuse_note_output(write_timeline, input, digest);
}

/* The events of threads, without those that name things. */
static void assert_timeline(const char *wanted)
{
	struct file *file = &f;
	struct tl_output *out;
	const char *bytes, *line;
	static char text[16384];
	size_t size;

	*text = '\0';
	patch64(&f, 48, f.size - data_at);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(write_timeline(&file, out), 0);
	bytes = tl_output_bytes(out, &size);
	for (line = bytes; line < bytes + size; line += strcspn(line, "\n") + 1)
		if (strstr(line, "\"ts\"") && strstr(line, "\"ts\"") < strchr(line, '\n'))
			strncat(text, line, strcspn(line, "\n") + 1);
	assert_string_equal(text, wanted);
	tl_output_discard(out);
	assert_true(refuse_each(timeline_step, &file) > 50);
}

TEST(samples_are_instants_and_switches_are_spans)
{
	begin_named();
	put_switch(OUT, TID, 1000); /* nobody knows since when */
	put_switch(0, TID, 2000);
	put_sample(at_time(TID, 2500), (const uint64_t[]){ USER, 0x1014, 0x1004 }, 3);
	put_switch(OUT, TID, 3000);
	put_switch(0, CHILD, 3000);
	put_sample(at_time(CHILD, 4000), (const uint64_t[]){ USER, 0x1004 }, 2);
	assert_timeline(
		"{\"pid\":10,\"tid\":11,\"ph\":\"B\",\"ts\":0.000,\"name\":\"running\",\"args\":{"
		"\"cpu\":1}},\n"
		"{\"pid\":10,\"tid\":11,\"ph\":\"i\",\"ts\":0.500,\"s\":\"t\",\"name\":\"pmu8:"
		"2601\","
		"\"args\":{\"period\":7,\"function\":\"leaf\",\"cpu\":1}},\n"
		"{\"pid\":10,\"tid\":11,\"ph\":\"E\",\"ts\":1.000},\n"
		"{\"pid\":10,\"tid\":12,\"ph\":\"B\",\"ts\":1.000,\"name\":\"running\",\"args\":{"
		"\"cpu\":1}},\n"
		"{\"pid\":10,\"tid\":12,\"ph\":\"i\",\"ts\":2.000,\"s\":\"t\",\"name\":\"pmu8:"
		"2601\","
		"\"args\":{\"period\":7,\"function\":\"main\",\"cpu\":1}}\n");
}

/*
 * A thread that ended has no number any more, which is 0 on a track: one for each process, however
 * their numbers lie, and that of an unknown process as well.
 */
TEST(threads_without_numbers_are_one_a_process)
{
	enum { PROCESSES = 40 };
	static char wanted[16384];

	begin();
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = 0; i < PROCESSES; i++) {
			struct at at = at_time(UINT32_MAX, 1000 * (1 + round * PROCESSES + i));

			at.pid = i ? 64 * i : UINT32_MAX;
			put_sample(at, (const uint64_t[]){ USER, 0x1004 }, 2);
			snprintf(wanted + strlen(wanted), sizeof(wanted) - strlen(wanted),
				 "{\"pid\":%u,\"tid\":0,\"ph\":\"i\",\"ts\":%u.000,\"s\":"
				 "\"t\",\"name\":\"pmu8:2601\",\"args\":{\"period\":7,"
				 "\"function\":\"[unknown]\",\"cpu\":1}}%s\n",
				 64 * i, round * PROCESSES + i,
				 round && i + 1 == PROCESSES ? "" : ",");
		}
	assert_timeline(wanted);
}

/*
 * A group's counters, read with each sample: 10 and 4 first, 25 and 4 then, as the second one stood
 * still. What each has counted so far is a value, thread by thread.
 */
TEST(counters_of_a_group_are_values_over_time)
{
	enum { READ_ID = 4, READ_GROUP = 8 };
	static const uint64_t values[][2] = { { 10, 4 }, { 25, 4 }, { 26, 9 } };

	begin();
	write_names(PID, "1000 10 main\n");
	file_begin(&f, COMMON_TYPE | 1 | 16);
	patch64(&f, 104 + 32, READ_ID | READ_GROUP);
	put_tracepoint(0);
	put_map(&f, PID, 0x1000, 0x1000, "//anon", 2);
	for (uint64_t i = 0; i < 3; i++) {
		const uint64_t thread = i == 2 ? CHILD : TID;
		const uint64_t words[] = {
			77,           0x1004, thread << 32 | PID, 1000 + 100 * i, 1, 2,
			values[i][0], 77,     values[i][1],       POINT_ID
		};

		put_header(&f, TL_PERF_SAMPLE, MODE_USER, 8 + sizeof(words));
		for (size_t k = 0; k < 10; k++)
			put64(&f, words[k]);
	}
	assert_timeline(
		"{\"pid\":10,\"tid\":11,\"ph\":\"C\",\"ts\":0.000,\"name\":\"pmu8:2601\",\"args\":{"
		"\"thread 11\":10}},\n"
		"{\"pid\":10,\"tid\":11,\"ph\":\"i\",\"ts\":0.000,\"s\":\"t\",\"name\":\"pmu8:"
		"2601\",\"args\":{\"period\":10,\"function\":\"main\",\"cpu\":1}},\n"
		"{\"pid\":10,\"tid\":11,\"ph\":\"C\",\"ts\":0.000,\"name\":\"sched:sched_switch\","
		"\"args\":{\"thread 11\":4}},\n"
		"{\"pid\":10,\"tid\":11,\"ph\":\"i\",\"ts\":0.000,\"s\":\"t\",\"name\":\"sched:"
		"sched_switch\",\"args\":{\"period\":4,\"function\":\"main\",\"cpu\":1}},\n"
		"{\"pid\":10,\"tid\":11,\"ph\":\"C\",\"ts\":0.100,\"name\":\"pmu8:2601\",\"args\":{"
		"\"thread 11\":25}},\n"
		"{\"pid\":10,\"tid\":11,\"ph\":\"i\",\"ts\":0.100,\"s\":\"t\",\"name\":\"pmu8:"
		"2601\",\"args\":{\"period\":15,\"function\":\"main\",\"cpu\":1}},\n"
		"{\"pid\":10,\"tid\":12,\"ph\":\"C\",\"ts\":0.200,\"name\":\"pmu8:2601\",\"args\":{"
		"\"thread 12\":1}},\n"
		"{\"pid\":10,\"tid\":12,\"ph\":\"i\",\"ts\":0.200,\"s\":\"t\",\"name\":\"pmu8:"
		"2601\",\"args\":{\"period\":1,\"function\":\"main\",\"cpu\":1}},\n"
		"{\"pid\":10,\"tid\":12,\"ph\":\"C\",\"ts\":0.200,\"name\":\"sched:sched_switch\","
		"\"args\":{\"thread 12\":5}},\n"
		"{\"pid\":10,\"tid\":12,\"ph\":\"i\",\"ts\":0.200,\"s\":\"t\",\"name\":\"sched:"
		"sched_switch\",\"args\":{\"period\":5,\"function\":\"main\",\"cpu\":1}}\n");
}

/* The sample is of the thread that leaves, and says which one comes. */
TEST(switches_are_those_of_the_tracepoint)
{
	begin_named();
	put_tracepoint(0);
	put_sched_switch(TID, CHILD, 1000);
	put_sched_switch(CHILD, TID, 1400);
	put_sched_switch(TID, 0, 2000);
	put_sched_switch(0, CHILD, 2500);
	put_ended(CHILD, 2600);
	assert_timeline(
		"{\"pid\":10,\"tid\":12,\"ph\":\"B\",\"ts\":0.000,\"name\":\"running\",\"args\":{"
		"\"cpu\":1}},\n"
		"{\"pid\":10,\"tid\":11,\"ph\":\"i\",\"ts\":0.000,\"s\":\"t\",\"name\":\"sched:"
		"sched_"
		"switch\",\"args\":{\"period\":1,\"function\":\"leaf\",\"cpu\":1}},\n"
		"{\"pid\":10,\"tid\":12,\"ph\":\"E\",\"ts\":0.400},\n"
		"{\"pid\":10,\"tid\":11,\"ph\":\"B\",\"ts\":0.400,\"name\":\"running\",\"args\":{"
		"\"cpu\":1}},\n"
		"{\"pid\":10,\"tid\":12,\"ph\":\"i\",\"ts\":0.400,\"s\":\"t\",\"name\":\"sched:"
		"sched_"
		"switch\",\"args\":{\"period\":1,\"function\":\"leaf\",\"cpu\":1}},\n"
		"{\"pid\":10,\"tid\":11,\"ph\":\"E\",\"ts\":1.000},\n"
		"{\"pid\":10,\"tid\":11,\"ph\":\"i\",\"ts\":1.000,\"s\":\"t\",\"name\":\"sched:"
		"sched_"
		"switch\",\"args\":{\"period\":1,\"function\":\"leaf\",\"cpu\":1}},\n"
		"{\"pid\":10,\"tid\":12,\"ph\":\"B\",\"ts\":1.500,\"name\":\"running\",\"args\":{"
		"\"cpu\":1}},\n"
		"{\"pid\":10,\"tid\":0,\"ph\":\"i\",\"ts\":1.500,\"s\":\"t\",\"name\":\"sched:"
		"sched_"
		"switch\",\"args\":{\"period\":1,\"function\":\"leaf\",\"cpu\":1}},\n"
		"{\"pid\":10,\"tid\":12,\"ph\":\"E\",\"ts\":1.600},\n"
		"{\"pid\":0,\"tid\":0,\"ph\":\"i\",\"ts\":1.600,\"s\":\"t\",\"name\":\"sched:sched_"
		"switch\",\"args\":{\"period\":1,\"function\":\"[unknown]\",\"cpu\":1}}\n");
}

TEST(samples_without_times)
{
	struct file *file = &f;
	struct tl_output *out;

	begin();
	patch64(&f, 104 + 24, 1 | 65536);
	put_header(&f, TL_PERF_SAMPLE, MODE_USER, 8 + 16);
	put64(&f, 77);
	put64(&f, 0x1000);
	patch64(&f, 48, f.size - data_at);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(write_timeline(&file, out), TL_UNSUPPORTED);
	assert_non_null(strstr(f.err.text, "no times"));
	tl_output_discard(out);
}

/* ---- when threads ran, as calls ---- */

static int print_running(struct tl_source *source, struct tl_output *out)
{
	const struct tl_calls_options all = { .size = sizeof(all), .to = TL_NOWHERE };
	struct tl_perf_reader *reader = NULL;
	struct tl_call_source calls_source;
	struct tl_calls *calls = NULL;
	uint64_t first_ns = 0;
	int status = read_again(&reader, source);

	if (status == 0)
		status = tl_perf_first_sample(reader, &first_ns, &f.err);
	if (status == 0)
		status = read_again(&reader, source);
	if (status == 0)
		status = tl_perf_running_calls(reader, &options, first_ns, &calls_source, &f.err);
	if (status == 0)
		status = tl_calls_open(&calls, &calls_source, &all, &f.err);
	if (status == 0)
		status = tl_calls_print(calls, false, false, out, &f.err);
	if (status == 0)
		tl_put_format(out, "first %llu\n", (unsigned long long)first_ns);
	tl_calls_close(calls);
	tl_perf_close(reader);
	return status;
}

static int write_running(const void *input, struct tl_output *out)
{
	struct file *const *file = input;
	struct tl_source *source = NULL;
	int status = tl_source_open_memory(&source, (*file)->bytes, (*file)->size, "test", &f.err);

	if (status == 0)
		status = print_running(source, out);
	tl_source_close(source);
	return status;
}

static int running_step(const void *input, uint64_t *digest)
{
	return refuse_note_output(write_running, input, digest);
}

static void assert_running(int status, const char *wanted)
{
	struct file *file = &f;
	struct tl_output *out;
	char text[1024];
	size_t size;
	const char *bytes;

	patch64(&f, 48, f.size - data_at);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(write_running(&file, out), status);
	bytes = tl_output_bytes(out, &size);
	assert_true(size < sizeof(text));
	memcpy(text, bytes, size);
	text[size] = '\0';
	assert_string_equal(text, wanted);
	tl_output_discard(out);
	if (status == 0)
		assert_true(refuse_each(running_step, &file) > 20);
}

/* One that comes twice left in between: when, is not known. */
TEST(threads_ran_from_their_coming_to_their_leaving)
{
	begin_named();
	put_switch(OUT, TID, 1000); /* nobody knows since when */
	put_switch(0, TID, 2000);
	put_sample(at_time(TID, 2500), (const uint64_t[]){ USER, 0x1014, 0x1004 }, 3);
	put_switch(OUT, TID, 3000);
	put_switch(0, CHILD, 3000);
	put_switch(0, TID, 3500);
	put_switch(0, TID, 3600);
	put_sample(at_time(CHILD, 4000), (const uint64_t[]){ USER, 0x1004 }, 2);
	assert_running(0, "0 process 10 thread 11 start 2000 end 3000 depth 0 parent - running on "
			  "CPU 1\n"
			  "1 process 10 thread 11 start 3500 end 3600 depth 0 parent - cut running "
			  "on CPU 1\n"
			  "2 process 10 thread 11 start 3600 end - depth 0 parent - running on "
			  "CPU 1\n"
			  "3 process 10 thread 12 start 3000 end - depth 0 parent - running on "
			  "CPU 1\n"
			  "first 2500\n");
}

TEST(threads_ran_as_the_tracepoint_says)
{
	begin_named();
	put_tracepoint(0);
	put_sched_switch(TID, CHILD, 1000);
	put_sched_switch(CHILD, TID, 1400);
	put_sched_switch(TID, 0, 2000);
	put_sched_switch(0, CHILD, 2500);
	put_ended(CHILD, 2600);
	assert_running(0, "0 process 10 thread 11 start 1400 end 2000 depth 0 parent - running on "
			  "CPU 1\n"
			  "1 process 10 thread 12 start 1000 end 1400 depth 0 parent - running on "
			  "CPU 1\n"
			  "2 process 10 thread 12 start 2500 end 2600 depth 0 parent - running on "
			  "CPU 1\n"
			  "first 1000\n");
}

TEST(filters_by_thread_hold_for_when_threads_ran)
{
	begin_named();
	options.thread = CHILD;
	put_switch(0, TID, 2000);
	put_sample(at_time(TID, 2500), (const uint64_t[]){ USER, 0x1014, 0x1004 }, 3);
	put_switch(0, CHILD, 3000);
	put_switch(OUT, CHILD, 3100);
	assert_running(0, "0 process 10 thread 12 start 3000 end 3100 depth 0 parent - running on "
			  "CPU 1\nfirst 2500\n");
}

TEST(without_samples_nothing_is_known_of_running)
{
	begin_named();
	put_switch(0, TID, 2000);
	assert_running(TL_UNSUPPORTED, "");
	assert_non_null(strstr(f.err.text, "no samples"));
}

/* More switches of a thread than a leaf has steps. */
TEST(threads_that_ran_often_have_several_leaves)
{
	enum { TIMES = 10000 };
	struct file *file = &f;
	struct tl_output *out;
	const char *bytes;
	size_t size;

	begin_named();
	put_sample(at_time(TID, 5), (const uint64_t[]){ USER, 0x1014, 0x1004 }, 3);
	for (unsigned i = 0; i < TIMES; i++) {
		put_switch(0, TID, 10 + 10 * i);
		put_switch(OUT, TID, 14 + 10 * i);
	}
	patch64(&f, 48, f.size - data_at);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(write_running(&file, out), 0);
	bytes = tl_output_bytes(out, &size);
	assert_non_null(
		memmem(bytes, size, "\n4096 process 10 thread 11 start 40970 end 40974 ", 49));
	assert_non_null(
		memmem(bytes, size, "\n9999 process 10 thread 11 start 100000 end 100004 ", 51));
	tl_output_discard(out);
}

/* ---- times off the processors, by the tracepoint ---- */

/* The PMU event is not sampled, so that period and samples of the tracepoint come first. */
static void assert_off_cpu(int64_t time, int64_t switches)
{
	assert_string_equal(tl_profile_event(profile, 2)->name, "off-cpu");
	assert_int_equal(tl_profile_total(profile)[2], time);
	assert_int_equal(tl_profile_total(profile)[3], switches);
}

TEST(times_off_the_processors_by_the_tracepoint_alone)
{
	begin_named();
	put_tracepoint(0);
	put_sched_switch(TID, CHILD, 1000);
	put_sched_switch(CHILD, TID, 1400); /* TID was off for 400 */
	put_sched_switch(TID, 0, 2000);
	put_sched_switch(0, CHILD, 2700); /* CHILD was off for 1300; TID stays off */
	/* Threads that ended, which the kernel calls -1. */
	put_ended(30, 3000);
	put_ended(31, 3100);
	fold();
	assert_off_cpu(400 + 1300, 2);
	assert_int_equal(remarks.count, 0);
	for (uint32_t i = 0; i < tl_profile_context_count(profile); i++) {
		const struct tl_context *c = tl_profile_context(profile, i);

		if (tl_profile_context_self(profile, i)[2])
			assert_string_equal(tl_profile_function(profile, c->function)->name,
					    "leaf");
	}
	done();
	assert_true(refuse_each_of_fold(&f) > 50);
}

TEST(coming_back_that_was_not_recorded)
{
	begin_named();
	put_tracepoint(0);
	put_sched_switch(TID, CHILD, 1000);
	put_sched_switch(TID, CHILD, 1100);
	put_sched_switch(CHILD, TID, 1150);
	fold();
	assert_off_cpu(50, 1);
	assert_remark("of threads that left a processor 1 did not come back in the recording "
		      "before they left again: these times off the processors are missing");
	done();
}

/* With the flag context_switch there are SWITCH records, which tell it of all threads. */
TEST(tracepoint_beside_switch_records)
{
	begin_named();
	put_tracepoint(1 << 26);
	put_sched_switch(TID, CHILD, 1000);
	put_switch(OUT, TID, 1001);
	put_sched_switch(CHILD, TID, 1400);
	put_switch(0, TID, 1402);
	fold();
	assert_off_cpu(401, 1);
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_instants_and_switches_are_spans),
		cmocka_unit_test(threads_without_numbers_are_one_a_process),
		cmocka_unit_test(counters_of_a_group_are_values_over_time),
		cmocka_unit_test(switches_are_those_of_the_tracepoint),
		cmocka_unit_test(samples_without_times),
		cmocka_unit_test(threads_ran_from_their_coming_to_their_leaving),
		cmocka_unit_test(threads_ran_as_the_tracepoint_says),
		cmocka_unit_test(filters_by_thread_hold_for_when_threads_ran),
		cmocka_unit_test(without_samples_nothing_is_known_of_running),
		cmocka_unit_test(threads_that_ran_often_have_several_leaves),
		cmocka_unit_test(times_off_the_processors_by_the_tracepoint_alone),
		cmocka_unit_test(coming_back_that_was_not_recorded),
		cmocka_unit_test(tracepoint_beside_switch_records),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
