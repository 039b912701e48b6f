/* SPDX-License-Identifier: Apache-2.0 */
/* The text of perf script (docs/formats/perf-script.md): the expected sums are counted by hand. */
#include "../foreign/text.h"

#include "perf_script/perf_script.h"

/* "Chains have the innermost frame first." */
TEST(samples_with_chains)
{
	struct text t;

	text_read(
		&t, &tl_perf_script_reader,
		"# header\n"
		"prog 12 5.000001:  100 cycles:u: \n"
		"\t    1f f+0x1 (/bin/p)\n\t  20 main+0xa0 (/bin/p)\n\n"
		"prog 12 5.000002:  30 cycles:u: \n\t    20 main+0x1 (/bin/p)\n\n"
		"prog 13 5.000003:  7 cycles:u: \n\t    1f f+0x2 (/bin/p)\n\t 21 main (/bin/p)\n");
	text_expect_stacks(&t, 0, "main 30\nmain;f 107\n");
	text_expect_stacks(&t, 1, "main 1\nmain;f 2\n");
	assert_int_equal(t.foreign.faults.count, 0);
	assert_string_equal(tl_profile_event(t.profile, 0)->name, "cycles:u");
	assert_string_equal(tl_profile_event(t.profile, 1)->name, "samples");
	assert_int_equal(tl_profile_part_count(t.profile), 2);
	assert_int_equal(tl_profile_part(t.profile, 1)->thread, 13);
	assert_int_equal(tl_profile_part(t.profile, 0)->first_ticks, 5000001000);
	text_close(&t);
}

/*
 * perf 6.1 prints these behind the chain: `-F +insn`, `+insnlen`, `+uregs`, `+phys_addr` with sizes
 * of pages. Then no empty line follows, and the last one looks as a frame does.
 */
TEST(fields_behind_a_chain)
{
	struct text t;

	text_read(&t, &tl_perf_script_reader,
		  "w 31809 83519.862761:     500000 cpu-clock:u: \n"
		  "\t            11bb leaf+0x22 (/v/w)\n\t            121d main+0x2d (/v/w)\n"
		  " insn: 75 e6\n"
		  "w 31809 83519.863327:     500000 cpu-clock:u: \n"
		  "\t            11aa leaf+0x11 (/v/w)\n\t            121d main+0x2d (/v/w)\n"
		  " ilen: 3\n"
		  "w   373 83537.454718:     500000 cpu-clock:u: \n"
		  "\t            11aa leaf+0x11 (/v/w)\n"
		  "\t            121d main+0x2d (/v/w)\n  w.c:12\n"
		  " ABI:2    BP:0x7ffcf3b8af20    SP:0x7ffcf3b8af18    IP:0x55bfb17411aa \n"
		  "w 10369 83625.475933:     500000 cpu-clock:u: \n"
		  "\t            11b8 leaf+0x1f (/v/w)\n\t            121d main+0x2d (/v/w)\n"
		  "               0 N/A 4K\n");
	text_expect_stacks(&t, 1, "main;leaf 4\n");
	assert_int_equal(t.foreign.faults.count, 0);
	text_close(&t);
	/* Where blanks stand in the place of tabs, such a line is a frame. */
	text_read(&t, &tl_perf_script_reader,
		  "w 1 1.5: 2 x: \n    1f f+0x1 (/p)\n   20 main+0x2 (/p)\n");
	text_expect_stacks(&t, 1, "main;f 1\n");
	text_close(&t);
	/* What is no field and no frame is told, also behind such lines. */
	text_read(&t, &tl_perf_script_reader,
		  "w 1 1.5: 2 x: \n\t 1f f+0x1 (/p)\n insn: 75\n\tnothing\n");
	text_expect_fault(&t, 0, TL_BAD_RECORD, 41, 4, "neither a sample");
	text_close(&t);
}

/* Names of commands with blanks and numbers, fields that are not there. */
TEST(lines_of_samples)
{
	static const struct {
		const char *line, *comm, *event;
		uint64_t process, thread, time, period;
	} cases[] = {
		{ "a 7 1.5: 9 x:", "a", "x", TL_NOWHERE, 7, 1500000000, 9 },
		{ "Chrome 2 IO 7/8 [001] 1.5: sched:switch: p=1", "Chrome 2 IO", "sched:switch", 7,
		  8, 1500000000, TL_NOWHERE },
		{ "  :1 7 [000] d..2. 0.000000001: 3 cpu-clock:pppH:", ":1", "cpu-clock:pppH",
		  TL_NOWHERE, 7, 1, 3 },
		{ "a b 1.5: x:", "a b", "x", TL_NOWHERE, TL_NOWHERE, 1500000000, TL_NOWHERE },
		{ "a 7 3 cycles:", "a", "cycles", TL_NOWHERE, 7, TL_NOWHERE, 3 },
		{ "a 7 2 [001] 3 cycles:", "a 7", "cycles", TL_NOWHERE, 2, TL_NOWHERE, 3 },
		{ "a 7 2 [0x1] 3 cycles:", "a", "cycles", TL_NOWHERE, 7, TL_NOWHERE, 3 },
		{ "a 7/8", "a", NULL, 7, 8, TL_NOWHERE, TL_NOWHERE },
	};
	static const char *const none[] = { "\t 1f f (x)", "   20 g+0x1 (/x)", "a.c:7", "hello",
					    "" };
	struct tl_perf_script_sample s;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint8_t *line = (const uint8_t *)cases[i].line;

		assert_true(tl_perf_script_cut_sample(line, line + strlen(cases[i].line), &s));
		assert_int_equal(s.comm.end - s.comm.start, strlen(cases[i].comm));
		assert_memory_equal(s.comm.start, cases[i].comm, strlen(cases[i].comm));
		if (cases[i].event)
			assert_memory_equal(s.event.start, cases[i].event, strlen(cases[i].event));
		else
			assert_null(s.event.start);
		assert_int_equal(s.process, cases[i].process);
		assert_int_equal(s.thread, cases[i].thread);
		assert_int_equal(s.time_ns, cases[i].time);
		assert_int_equal(s.period, cases[i].period);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(tl_perf_script_cut_sample(
			(const uint8_t *)none[i], (const uint8_t *)none[i] + strlen(none[i]), &s));
}

TEST(frames)
{
	struct text t;

	text_read(&t, &tl_perf_script_reader,
		  "p 1 1.0: 2 e: \n"
		  "\t 1 operator()(int, char)+0x3 (/memfd:x (deleted))\n"
		  "\t 2 h (inlined)\n  a/b.c:12\n"
		  "\t 3 [unknown] ([kernel.kallsyms])\n\n"
		  "p 1 2.0: 4 e:  55 one+0x4 (/y)\n"
		  "p 1 3.0: 8 e: \n\n");
	text_expect_stacks(&t, 0, "[unknown] 8\n[unknown];h;operator()(int, char) 2\none 4\n");
	assert_int_equal(t.foreign.faults.count, 0);
	assert_string_equal(tl_profile_function(t.profile, 1)->file, "a/b.c");
	assert_int_equal(tl_profile_function(t.profile, 1)->line, 12);
	assert_string_equal(tl_profile_function(t.profile, 2)->object, "/memfd:x (deleted)");
	text_close(&t);
}

/* Several events: two columns each. */
TEST(several_events)
{
	struct text t;

	text_read(&t, &tl_perf_script_reader,
		  "p 1 1.0: 5 cycles: \n\t 1 f (x)\n\np 1 1.0: faults: \n\t 1 f (x)\n\n");
	assert_int_equal(tl_profile_event_count(t.profile), 4);
	assert_string_equal(tl_profile_event(t.profile, 1)->name, "cycles.samples");
	text_expect_stacks(&t, 0, "f 5\n");
	text_expect_stacks(&t, 2, "f 1\n");
	text_close(&t);
}

TEST(bad_lines_are_left_out)
{
	static const char text[] = "p 1 1.0: 5 c: \n\t 1 f (x)\n\tnonsense here\n\nwhat is this\n"
				   "p 1 2.0: 5 c: \n\t 1 f (x)\n";
	struct text t;

	text_read(&t, &tl_perf_script_reader, text);
	text_expect_stacks(&t, 0, "f 10\n");
	assert_int_equal(t.foreign.faults.count, 2);
	text_expect_fault(&t, 0, TL_BAD_RECORD, (uint64_t)(strstr(text, "\tnonsense") - text), 3,
			  "neither a sample");
	text_close(&t);
}

/* "A frame without a sample": behind an empty line; not below a line that was told. */
TEST(frames_without_a_sample_are_told)
{
	static const char text[] = "p 1 1.0: 5 c:\n\n\t 1 f (x)\n\t 2 g (x)\n\n"
				   "p 1 2.0: 7 c: \n\t 3 h (x)\n\nnonsense\n\t 4 i (x)\n";
	struct tl_foreign_options options = text_options();
	struct text t;

	text_read(&t, &tl_perf_script_reader, text);
	text_expect_stacks(&t, 0, "[unknown] 5\nh 7\n");
	assert_int_equal(t.foreign.faults.count, 3);
	text_expect_fault(&t, 0, TL_BAD_RECORD, 15, 3, "without a sample");
	text_expect_fault(&t, 1, TL_BAD_RECORD, 25, 4, "without a sample");
	text_expect_fault(&t, 2, TL_BAD_RECORD, 62, 9, "neither a sample");
	text_close(&t);
	/* Those of samples that are not wanted are no fault. */
	options.to_seconds = 0.5;
	text_read_sized(&t, &tl_perf_script_reader, text + 36, strlen(text + 36) - 19, false,
			options);
	assert_int_equal(t.foreign.faults.count, 0);
	text_close(&t);
	options.thread = 2;
	text_read_sized(&t, &tl_perf_script_reader, text + 36, strlen(text + 36) - 19, false,
			options);
	assert_int_equal(t.foreign.faults.count, 0);
	text_close(&t);
}

/* "From the first sample on"; a sample without a time can be neither in a window nor outside. */
TEST(windows_of_time)
{
	static const char text[] = "p 1 5.5: 1 c:  1 f (x)\np 1 6.0: 2 c:  1 f (x)\n"
				   "p 1 6.5: 4 c:  1 f (x)\n";
	struct tl_foreign_options options = text_options();
	struct text t;

	options.from_seconds = 0.5;
	text_read_sized(&t, &tl_perf_script_reader, text, sizeof(text) - 1, false, options);
	text_expect_stacks(&t, 0, "f 6\n");
	text_close(&t);
	options.to_seconds = 1;
	text_read_sized(&t, &tl_perf_script_reader, text, sizeof(text) - 1, false, options);
	text_expect_stacks(&t, 0, "f 2\n");
	text_close(&t);
	text_read_sized(&t, &tl_perf_script_reader, "p 1 7 c:  1 f (x)\n", 19, false, options);
	assert_int_equal(t.status, TL_BAD_USAGE);
	text_close(&t);
}

/* A line longer than 16 MiB is left out, at its place; the lines behind it are read. */
TEST(a_line_that_is_too_long)
{
	enum { LONG = 17 << 20, FIRST = 23 };
	char *text = malloc(LONG + 128);
	struct text t;

	memcpy(text, "p 1 1.0: 5 c:  1 f (x)\n", FIRST);
	memset(text + FIRST, 'x', LONG);
	strcpy(text + FIRST + LONG, "\np 1 2.0: 7 c:  1 g (x)\np 1 2.0: 9 c:  1 f (x)\n");
	text_read(&t, &tl_perf_script_reader, text);
	text_expect_stacks(&t, 0, "f 14\ng 7\n");
	assert_int_equal(t.foreign.faults.count, 1);
	assert_int_equal(t.foreign.faults.list[0].offset, FIRST);
	assert_int_equal(t.foreign.faults.list[0].length, LONG + 1);
	assert_int_equal(t.foreign.faults.list[0].record, 2);
	text_close(&t);
	free(text);
}

/* A thousand events: memory does not grow with their product with the stacks. */
TEST(many_events)
{
	char *text = malloc(1000 * 64), *p = text;
	struct text t;

	for (int i = 0; i < 1000; i++)
		p += sprintf(p, "p 1 1.0: 2 event%d: \n\t 1 f%d (x)\n\n", i, i);
	text_read(&t, &tl_perf_script_reader, text);
	assert_int_equal(t.status, 0);
	assert_int_equal(tl_profile_event_count(t.profile), 62);
	assert_string_equal(tl_profile_event(t.profile, 60)->name, "other events");
	assert_int_equal(tl_profile_total(t.profile)[60], 2 * (1000 - 30));
	assert_int_equal(tl_profile_total(t.profile)[61], 1000 - 30);
	text_close(&t);
	free(text);
}

TEST(probing)
{
	static const char chains[] = "p 1 1.0: 5 c: \n\t 1 f (x)\n  a.c:3\n\n";
	static const char lines[] = "p 1 1.0: 5 c:  1 f (x)\n";
	static const char heap[] = "heap profile:   14:  849 [   14:  849] @ heapz_v2/524288\n"
				   "     1:     92 [     1:     92] @ 0xc635c8 0x42ecc3\n";
	static const char counts[] = "samples/count cpu/nanoseconds\n"
				     "          1   10000000: 1 2 3 4 5\n"
				     "          2   20000000: 6 2 3 4 5\n";

	assert_int_equal(tl_perf_script_probe((const uint8_t *)chains, sizeof(chains) - 1), 85);
	assert_int_equal(tl_perf_script_probe((const uint8_t *)lines, sizeof(lines) - 1), 35);
	assert_int_equal(tl_perf_script_probe((const uint8_t *)"a;b 1\nc 2\n", 10), 0);
	assert_int_equal(tl_perf_script_probe((const uint8_t *)"", 0), 0);
	/* A number before a colon is no event: heaps as gperftools has them. */
	assert_int_equal(tl_perf_script_probe((const uint8_t *)heap, sizeof(heap) - 1), 0);
	assert_int_equal(tl_perf_script_probe((const uint8_t *)counts, sizeof(counts) - 1), 0);
}

TEST(damage)
{
	text_damage(&tl_perf_script_reader, "a b 1/2 [000] 5.5:  7 c:u: \n\t 1f f+0x1 (/x (y))\n  "
					    "a.c:3\n\nq 6.5: f: 1 h (z)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_without_a_sample_are_told),
		cmocka_unit_test(samples_with_chains),
		cmocka_unit_test(lines_of_samples),
		cmocka_unit_test(frames),
		cmocka_unit_test(several_events),
		cmocka_unit_test(bad_lines_are_left_out),
		cmocka_unit_test(windows_of_time),
		cmocka_unit_test(fields_behind_a_chain),
		cmocka_unit_test(a_line_that_is_too_long),
		cmocka_unit_test(many_events),
		cmocka_unit_test(probing),
		cmocka_unit_test(damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
