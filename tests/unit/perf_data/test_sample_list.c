/* SPDX-License-Identifier: Apache-2.0 */
/* Samples as a list, a JSON object a line, and the names and units of events. */
#include "sample_file.h"

#include "refused_fold.h"

#include "perf_data/samples/event_names.h"
#include "perf_data/listing/sample_list.h"

/* ---- lists ---- */

static int write_list(const void *input, struct tl_output *out)
{
	struct tl_perf_options in_order = { .size = sizeof(in_order), .in_order = true };
	struct tl_perf_sample_contexts contexts = { .list = NULL };
	struct file *const *file = input;
	struct tl_source *source = NULL;
	struct tl_perf_reader *reader = NULL;
	struct tl_error err;
	int status;

	remarks = (struct tl_perf_sample_remarks){ .list = NULL };
	profile = NULL;
	status = tl_source_open_memory(&source, (*file)->bytes, (*file)->size, "test", &err);
	if (status == 0)
		status = tl_perf_open(&reader, source, &in_order, &err);
	if (status == 0)
		status = tl_perf_samples_fold_stacks(reader, &options, &remarks, &contexts,
						     &profile, &err);
	if (status == 0)
		tl_perf_rewind(reader);
	if (status == 0)
		status = tl_perf_samples_list(reader, &options, &contexts, out, &err);
	free(contexts.list);
	tl_perf_close(reader);
	tl_source_close(source);
	done();
	return status;
}

static int list_step(const void *input, uint64_t *digest)
{
	return refuse_note_output(write_list, input, digest);
}

static void assert_list(const char *wanted)
{
	struct file *file = &f;
	struct tl_output *out;
	const char *bytes;
	size_t size;

	patch64(&f, 48, f.size - data_at);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(write_list(&file, out), 0);
	bytes = tl_output_bytes(out, &size);
	assert_int_equal(size, strlen(wanted));
	assert_memory_equal(bytes, wanted, size);
	tl_output_discard(out);
	assert_true(refuse_each(list_step, &file) > 50);
}

static void begin_list(void)
{
	begin();
	write_names(PID, "1000 10 main\n1010 10 leaf\n");
	put_map(&f, PID, 0x1000, 0x1000, "//anon", 2);
}

/*
 * By time; the stack is a context: main of each thread, then leaf in it. Event 8 is of a PMU
 * without a name.
 */
TEST(samples_by_time)
{
	struct at late = usual, unknown = usual;

	late.time = 300;
	late.period = 9;
	late.cpu = 3;
	unknown.tid = UINT32_MAX; /* "the task is gone" */
	begin_list();
	put_sample(late, (const uint64_t[]){ USER, 0x1010, 0x1008 }, 3);
	put_sample(usual, (const uint64_t[]){ USER, 0x1004 }, 2);
	put_sample(unknown, (const uint64_t[]){ USER, 0x1004 }, 2);
	assert_list("{\"time\":100,\"thread\":11,\"cpu\":1,\"stack\":0,\"event\":\"pmu8:2601\","
		    "\"period\":7}\n"
		    "{\"time\":100,\"cpu\":1,\"stack\":1,\"event\":\"pmu8:2601\",\"period\":7}\n"
		    "{\"time\":300,\"thread\":11,\"cpu\":3,\"stack\":2,\"event\":\"pmu8:2601\","
		    "\"period\":9}\n");
}

/* What the file does not tell is left out: IP and IDENTIFIER are all that is there. */
TEST(samples_of_which_little_is_known)
{
	begin();
	patch64(&f, 104 + 24, 1 | 65536);
	put_header(&f, TL_PERF_SAMPLE, MODE_USER, 8 + 16);
	put64(&f, 77);
	put64(&f, 0x1000);
	assert_list("{\"stack\":0,\"event\":\"pmu8:2601\",\"period\":1}\n");
}

/* Filters hold, and a thread that is filtered out has no context. */
TEST(samples_of_one_thread)
{
	struct at other = usual;

	other.tid = 12;
	begin_list();
	options.thread = 12;
	put_sample(usual, (const uint64_t[]){ USER, 0x1004 }, 2);
	put_sample(other, (const uint64_t[]){ USER, 0x1004 }, 2);
	assert_list("{\"time\":100,\"thread\":12,\"cpu\":1,\"stack\":0,\"event\":\"pmu8:2601\","
		    "\"period\":7}\n");
}

/* ---- events ---- */

/* UAPI, enum perf_type_id, perf_hw_id, perf_sw_ids; names as `perf list` has them. */
TEST(names_of_events)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		const char *given, *name, *unit;
	} rows[] = {
		{ 0, 0, NULL, "cycles", "" },
		{ 0, 9, NULL, "ref-cycles", "" },
		{ 0, 10, NULL, "pmu0:a", "" },
		{ 1, 0, NULL, "cpu-clock", "ns" },
		{ 1, 1, NULL, "task-clock", "ns" },
		{ 1, 2, NULL, "page-faults", "" },
		{ 1, 11, NULL, "cgroup-switches", "" },
		{ 1, 12, NULL, "pmu1:c", "" },
		{ 2, 0x13b, NULL, "tracepoint:13b", "" },
		{ 3, 0x10000, NULL, "cache:10000", "" },
		{ 4, 0x1c2, NULL, "r1c2", "" },
		{ 5, 0, NULL, "mem:0", "" },
		{ 6, 0, NULL, "pmu6:0", "" },
		{ 0, 0, "", "cycles", "" },
		{ 0, 0, "cycles:u", "cycles:u", "" },
		{ 1, 0, "cpu-clock:u", "cpu-clock:u", "ns" },
	};
	char room[TL_PERF_EVENT_NAME_ROOM];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tl_perf_attr attr = {
			.type = rows[i].type,
			.config = rows[i].config,
			.name = rows[i].given,
		};

		assert_string_equal(tl_perf_event_name(&attr, room), rows[i].name);
		assert_string_equal(tl_perf_event_unit(&attr), rows[i].unit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_by_time),
		cmocka_unit_test(samples_of_which_little_is_known),
		cmocka_unit_test(samples_of_one_thread),
		cmocka_unit_test(names_of_events),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
