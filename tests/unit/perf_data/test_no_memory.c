/* SPDX-License-Identifier: Apache-2.0 */
/* A perf.data file where memory runs out: the whole result, or TL_NO_MEMORY and nothing kept. */
#include "../whole_input.h"

/* The programs that ran are not looked for: this machine's are others. */
static struct whole_input recording(const char *name)
{
	struct whole_input whole = whole_input(whole_path(name));

	whole.options.programs.sysroot = "/nowhere";
	return whole;
}

static void refuse(struct whole_input whole, enum use use)
{
	whole.use = use;
	assert_true(refuse_each(whole_step, &whole) > 10);
}

/* Two threads with samples and switches; the same with compressed records. */
TEST(files)
{
	static const char *const names[] = { "perf/threads.perf.data",
					     "perf/compressed.perf.data" };

	for (size_t i = 0; i < 2; i++) {
		struct whole_input whole = recording(names[i]);

		refuse(whole, USE_DUMP);
		refuse(whole, USE_INFO);
		refuse(whole, USE_CHECK);
		refuse(whole, USE_FOLD);
		whole.form = TL_REPORT_JSON;
		refuse(whole, USE_DUMP);
		refuse(whole, USE_INFO);
	}
}

/* The listings of a trace in such a file. */
TEST(traces)
{
	struct whole_input whole = recording("perf/threads.perf.data");

	whole.options.dump.flags = TL_DUMP_PACKETS;
	refuse(whole, USE_DUMP);
	whole.options.dump.flags = TL_DUMP_INSTRUCTIONS | TL_DUMP_EVENTS;
	refuse(whole, USE_DUMP);
	whole.options.filter.from_seconds = 1e-6;
	whole.options.filter.to_seconds = 1e-5;
	refuse(whole, USE_SLICE);
	refuse(whole, USE_TIMELINE);
}

/* The second of two threads: what ran before it on its processor is decoded when it comes. */
TEST(a_share_of_the_threads)
{
	struct whole_input whole = recording("perf/threads.perf.data");

	whole.options.share = 1;
	whole.options.shares = 2;
	refuse(whole, USE_FOLD);
}

/* Records of every type, of either byte order, as a pipe, and with trace of each kind. */
TEST(seeds)
{
	static const char *const names[] = { "samples", "branches",    "pipe",
					     "swapped", "compressed2", "snapshot",
					     "types",   "wide",        "tracepoints" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[512];
		struct whole_input whole = whole_input(path);

		snprintf(path, sizeof(path), "%s/fuzz/corpus/perf_data/%s",
			 getenv("TL_SOURCE_ROOT"), names[i]);
		whole.options.programs.sysroot = "/nowhere";
		refuse(whole, USE_DUMP);
		refuse(whole, USE_INFO);
		refuse(whole, USE_CHECK);
		refuse(whole, USE_FOLD);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(traces),
		cmocka_unit_test(a_share_of_the_threads),
		cmocka_unit_test(seeds),
	};

	return cmocka_run_group_tests_name("perf_data no_memory", tests, NULL, NULL);
}
