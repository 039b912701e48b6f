/* SPDX-License-Identifier: Apache-2.0 */
/* AUXTRACE_INFO of Intel PT (docs/formats/perf-data.md section 6): clock, processor, filter. */
#include "trace.h"

#include "perf_data/auxtrace/pt_info.h"

/* "Nanoseconds = ticks * mult >> shift": so many ticks are a second. */
TEST(the_rate_of_the_clock)
{
	static const struct {
		uint64_t shift, mult, hz;
	} cases[] = {
		{ 0, 1, 1000000000 },
		{ 1, 1, 2000000000 },
		{ 1, 3, 666666667 },
		{ 31, 1u << 31, 1000000000 },
		{ 0, 1000000000, 1 },
		{ 5, 0, 0 },
		{ 64, 1, 0 },
		{ 63, UINT64_C(1) << 63, 1000000000 },
		{ 19, 1, 524288000000000 },
		{ 20, 1, 0 }, /* beyond 1e15: no clock */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tl_perf_pt_info info = { .time_shift = cases[i].shift,
						      .time_mult = cases[i].mult };

		assert_int_equal(tl_perf_pt_info_tsc_hz(&info), cases[i].hz);
	}
}

/* Without a rate there are no times. */
TEST(times_without_a_rate)
{
	uint64_t value = 7;

	for (int i = 0; i < 2; i++) {
		const struct tl_perf_pt_info info = { .time_shift = i ? 64 : 1,
						      .time_mult = i ? 1 : 0 };

		assert_false(tl_perf_pt_info_ns(&info, 100, &value));
		assert_false(tl_perf_pt_info_tsc(&info, 100, &value));
	}
	assert_int_equal(value, 7);
}

/* A file with these words of AUXTRACE_INFO, and PSB, TSC, PSBEND. */
static void open_words(uint32_t type, const uint64_t *words, size_t count, const char *cpuid)
{
	struct stream s = { .size = 0 };
	size_t table;

	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_AUXTRACE_INFO, 0, 8 + 8 + 8 * count);
	put32(&f, type);
	put32(&f, 0);
	for (size_t i = 0; i < count; i++)
		put64(&f, words[i]);
	psb(&s, 1000);
	put_auxtrace(s.bytes, s.size, 0, 5, UINT32_MAX);
	file_end(&f);
	patch64(&f, 72, 1 << 9);
	table = f.size;
	put_zeros(&f, 16);
	patch64(&f, table, f.size);
	put32(&f, strlen(cpuid) + 1);
	put_bytes(&f, cpuid, strlen(cpuid) + 1);
	patch64(&f, table + 8, f.size - table - 16);
	assert_int_equal(tl_source_open_memory(&f.source, f.bytes, f.size, "test", &f.err), 0);
}

/* "words that an older perf did not write are 0" */
TEST(few_words)
{
	const struct tl_perf_pt_info *info;

	open_words(1, (uint64_t[]){ 8, 31, 2, 7 }, 4, "");
	assert_int_equal(tl_perf_trace_open(&trace, f.source, NULL, &f.err), 0);
	info = tl_perf_trace_info(trace);
	assert_int_equal(info->pmu_type, 8);
	assert_int_equal(info->time_shift, 31);
	assert_int_equal(info->time_zero, 7);
	assert_int_equal(info->tsc_bit, 0);
	assert_int_equal(info->max_nonturbo_ratio, 0);
	assert_int_equal(info->cap_event_trace, 0);
	assert_string_equal(info->filter, "");
	trace_close();
}

/* "GenuineIntel,FAMILY,MODEL,STEPPING" of the feature CPUID */
TEST(the_processor)
{
	static const struct {
		const char *cpuid;
		struct tl_pt_cpu cpu;
	} cases[] = {
		{ "GenuineIntel,6,142,10",
		  { .intel = true, .family = 6, .model = 142, .stepping = 10 } },
		{ "GenuineIntel,6,85,7,more",
		  { .intel = true, .family = 6, .model = 85, .stepping = 7 } },
		{ "GenuineIntel,6", { .intel = true, .family = 6 } },
		{ "AuthenticAMD,25,80,0", { .family = 25, .model = 80 } },
		{ "", { .family = 0 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		open_words(1, (uint64_t[]){ 8, 31, 2, 7 }, 4, cases[i].cpuid);
		assert_int_equal(tl_perf_trace_open(&trace, f.source, NULL, &f.err), 0);
		assert_int_equal(next_slice(), 1);
		assert_int_equal(slice.config->cpu.intel, cases[i].cpu.intel);
		assert_int_equal(slice.config->cpu.family, cases[i].cpu.family);
		assert_int_equal(slice.config->cpu.model, cases[i].cpu.model);
		assert_int_equal(slice.config->cpu.stepping, cases[i].cpu.stepping);
		trace_close();
	}
}

/* "the filter: its size, its text padded to whole words", then whether events are traced */
TEST(a_filter)
{
	uint64_t words[21] = { [0] = 8, [16] = 10, [19] = 1 };
	const struct tl_perf_pt_info *info;

	memcpy(&words[17], "filter f@x", 10);
	open_words(1, words, 21, "");
	assert_int_equal(tl_perf_trace_open(&trace, f.source, NULL, &f.err), 0);
	info = tl_perf_trace_info(trace);
	assert_string_equal(info->filter, "filter f@x");
	assert_int_equal(info->cap_event_trace, 1);
	trace_close();
	/* A size that the record does not have: no filter. */
	words[16] = 33;
	open_words(1, words, 21, "");
	assert_int_equal(tl_perf_trace_open(&trace, f.source, NULL, &f.err), 0);
	assert_string_equal(tl_perf_trace_info(trace)->filter, "");
	trace_close();
}

/* Of another tracer than Intel PT (type 1) there is nothing to decode. */
TEST(another_tracer)
{
	open_words(2, (uint64_t[]){ 8, 31, 2, 7 }, 4, "");
	assert_int_equal(tl_perf_trace_open(&trace, f.source, NULL, &f.err), TL_UNSUPPORTED);
	assert_null(trace);
	tl_source_close(f.source);
}

/* The mask of MTC's frequency may lie anywhere in the event's configuration, 0x2601 here. */
TEST(the_frequency_of_mtc)
{
	static const struct {
		uint64_t mask, value;
	} cases[] = { { 0x3c000, 0 }, { 0x3c00, 9 }, { 0x3c0, 8 },
		      { 0x600, 3 },   { 0x3fff, 1 }, { 0, 0 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint64_t words[17] = { [0] = 8, [11] = cases[i].mask };

		open_words(1, words, 17, "");
		assert_int_equal(tl_perf_trace_open(&trace, f.source, NULL, &f.err), 0);
		assert_int_equal(next_slice(), 1);
		assert_int_equal(slice.config->mtc_freq, cases[i].value);
		trace_close();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rate_of_the_clock),
		cmocka_unit_test(times_without_a_rate),
		cmocka_unit_test(few_words),
		cmocka_unit_test(the_processor),
		cmocka_unit_test(a_filter),
		cmocka_unit_test(another_tracer),
		cmocka_unit_test(the_frequency_of_mtc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
