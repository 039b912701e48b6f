/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of perf script by hand: frames, places, lines of samples that lack fields; the dump. */
#include "../foreign/text.h"

#include "perf_script/perf_script.h"

static const uint8_t *end_of(const char *line)
{
	return (const uint8_t *)line + strlen(line);
}

/* "NAME|OBJECT", "NAME|-" without an object, or "none". */
TEST(frames)
{
	static const struct {
		const char *line, *wanted;
	} cases[] = {
		{ "\t    1f f+0x1 (/bin/p)", "f|/bin/p" },
		{ "1f f (/bin/p)", "f|/bin/p" },
		{ "ffffffff81000000 f", "f|-" },
		{ "0 f\t", "f|-" },
		{ "1g f (/bin/p)", "none" },
		{ "0x1f f (/bin/p)", "none" },
		{ "1f", "none" },
		{ " ", "none" },
		{ "", "none" },
		{ "f (/bin/p)", "|/bin/p" },
		{ "1f (/bin/p)", "|/bin/p" },
		{ "1f f(/bin/p)", "f(/bin/p)|-" },
		{ "1f operator()(int)+0x2 (/x (deleted))", "operator()(int)|/x (deleted)" },
		{ "1f f (a) (b)", "f (a)|b" },
		{ "1f f ()", "f|" },
		{ "1f f )", "f )|-" },
		{ "1f f (a))", "f (a))|-" },
		{ "1f f (a) x", "f (a) x|-" },
		/* What is no offset belongs to the name. */
		{ "1f f+0x (p)", "f+0x|p" },
		{ "1f f+0xg (p)", "f+0xg|p" },
		{ "1f f+0x1F (p)", "f|p" },
		{ "1f f+1f (p)", "f+1f|p" },
		{ "1f f0x1f (p)", "f0x1f|p" },
		{ "1f +0x1f (p)", "+0x1f|p" },
		{ "1f a+0x1f (p)", "a|p" },
		{ "1f a+b+0x1f (p)", "a+b|p" },
		{ "AbC f (p)", "f|p" },
		{ "1f [unknown] ([unknown])", "[unknown]|[unknown]" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_perf_script_frame f;
		char have[128] = "none";

		if (tl_perf_script_cut_frame((const uint8_t *)cases[i].line, end_of(cases[i].line),
					     &f))
			snprintf(have, sizeof(have), "%.*s|%.*s", (int)(f.name.end - f.name.start),
				 (const char *)f.name.start,
				 f.object.start ? (int)(f.object.end - f.object.start) : 1,
				 f.object.start ? (const char *)f.object.start : "-");
		assert_string_equal(have, cases[i].wanted);
	}
}

TEST(places)
{
	static const struct {
		const char *line, *file;
		uint32_t number;
	} cases[] = {
		{ "  a.c:12", "a.c", 12 },
		{ "a:b:7\t", "a:b", 7 },
		{ "C:/x y.c:1", "C:/x y.c", 1 },
		{ "a.c:0", "a.c", 0 },
		{ "a.c:4294967295", "a.c", UINT32_MAX },
		{ "a.c:4294967296", "a.c", 0 },
		{ "a.c:", NULL, 0 },
		{ ":12", NULL, 0 },
		{ "a.c", NULL, 0 },
		{ "a.c:1x", NULL, 0 },
		{ "a.c:-1", NULL, 0 },
		{ "", NULL, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_perf_script_text file;
		uint32_t number;
		const bool is = tl_perf_script_cut_place((const uint8_t *)cases[i].line,
							 end_of(cases[i].line), &file, &number);

		assert_int_equal(is, cases[i].file != NULL);
		if (!is)
			continue;
		assert_int_equal(file.end - file.start, strlen(cases[i].file));
		assert_memory_equal(file.start, cases[i].file, strlen(cases[i].file));
		assert_int_equal(number, cases[i].number);
	}
}

/* What stands behind the event, and records that are no samples. */
TEST(lines_of_samples)
{
	static const struct {
		const char *line, *rest;
		bool record;
	} cases[] = {
		{ "a 7 1.5: 9 x: 55 one+0x4 (/y) ", "55 one+0x4 (/y)", false },
		{ "a 7 1.5: 9 x:y:z: prev=1 b: c", "prev=1 b: c", false },
		{ "a 7 1.5: 9 x: ", "", false },
		{ "a 7 1.5: PERF_RECORD_MMAP2 7/7: [0x1]", NULL, true },
		{ "a 7 [000] 1.5: PERF_RECORD_COMM: b:7/7", "b:7/7", false },
		{ "a 7 1.5: PERF_RECORD_ 1", NULL, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_perf_script_sample s;

		assert_true(tl_perf_script_cut_sample((const uint8_t *)cases[i].line,
						      end_of(cases[i].line), &s));
		assert_int_equal(s.is_record, cases[i].record);
		assert_int_equal(s.rest.start != NULL, cases[i].rest != NULL);
		if (!cases[i].rest)
			continue;
		assert_int_equal(s.rest.end - s.rest.start, strlen(cases[i].rest));
		assert_memory_equal(s.rest.start, cases[i].rest, strlen(cases[i].rest));
	}
}

/* ---- events ---- */

static void expect_event(const char *name, const char *unit)
{
	char text[256];
	struct text t;

	snprintf(text, sizeof(text), "p 1 1.0: 5 %s: \n\t 1 f (x)\n\n", name);
	text_read(&t, &tl_perf_script_reader, text);
	text_expect_stacks(&t, 0, "f 5\n");
	text_expect_stacks(&t, 1, "f 1\n");
	assert_int_equal(tl_profile_event_count(t.profile), 2);
	assert_string_equal(tl_profile_event(t.profile, 0)->name, name);
	assert_string_equal(tl_profile_event(t.profile, 0)->unit, unit);
	assert_string_equal(tl_profile_event(t.profile, 1)->name, "samples");
	assert_string_equal(tl_profile_event(t.profile, 1)->unit, "samples");
	text_close(&t);
}

/* Clocks count nanoseconds; what begins as they do, too. */
TEST(units_of_events)
{
	expect_event("cpu-clock", "ns");
	expect_event("cpu-clock:pppH", "ns");
	expect_event("task-clock", "ns");
	expect_event("task-clock:u", "ns");
	expect_event("task-cloc", "");
	expect_event("task-clos:k", "");
	expect_event("cpu-cloc", "");
	expect_event("cpu-clop:x", "");
	expect_event("cycles", "");
}

/* Without an event on the line: where the time is. */
TEST(samples_without_an_event)
{
	struct text t;

	text_read(&t, &tl_perf_script_reader,
		  "p 1 1.0: 5\n\t 1 f (x)\n\np 1 2.0: 6 \n\t 2 f (x)\n");
	text_expect_stacks(&t, 0, "f 11\n");
	assert_string_equal(tl_profile_event(t.profile, 0)->name, "event");
	text_close(&t);
}

/* The texts that the reader gives are as long as they look. */
TEST(texts_of_the_reader)
{
	char *text = malloc(64 * 64), *p = text;
	struct text t;
	bool unknown = false, others = false;

	assert_non_null(text);
	for (int i = 0; i < 40; i++)
		p += sprintf(p, "p 1 1.0: 5 event%d: \n\n", i);
	text_read(&t, &tl_perf_script_reader, text);
	assert_int_equal(t.status, 0);
	for (uint32_t i = 1; i < t.foreign.stacks.names.count; i++) {
		const struct tl_name *name = &t.foreign.stacks.names.names[i];

		assert_int_equal(strlen(name->text), name->size);
		unknown |= !strcmp(name->text, "[unknown]");
		others |= !strcmp(name->text, "other events");
	}
	assert_true(unknown && others);
	/* 30 of their own and all others in one, though its name is looked for each time. */
	assert_int_equal(tl_profile_event_count(t.profile), 62);
	assert_int_equal(tl_profile_total(t.profile)[60], 50);
	assert_int_equal(tl_profile_total(t.profile)[61], 10);
	text_close(&t);
	free(text);
}

/* ---- chains ---- */

/* The place belongs to the frame above it; one without a frame is passed over. */
TEST(places_of_frames)
{
	struct text t;

	text_read(&t, &tl_perf_script_reader,
		  "p 1 1.0: 5 c: \n  stray.c:9\n\t 1 f (x)\n  f.c:3\n\t 2 g (x)\n\t 3 h (x)\n"
		  "  h.c:4294967296\n\n");
	text_expect_stacks(&t, 0, "h;g;f 5\n");
	for (uint32_t i = 0; i < tl_profile_function_count(t.profile); i++) {
		const struct tl_function *f = tl_profile_function(t.profile, i);

		assert_string_equal(f->file, *f->name == 'f'   ? "f.c"
					     : *f->name == 'h' ? "h.c"
							       : "");
		assert_int_equal(f->line, *f->name == 'f' ? 3 : 0);
	}
	assert_int_equal(t.foreign.faults.count, 0);
	text_close(&t);
}

/* Records between samples end the chain before them, and count nothing. */
TEST(records_that_are_no_samples)
{
	static const char text[] = "p 1 1.0: 5 c: \n\t 1 f (x)\n"
				   "p 1 1.5: PERF_RECORD_MMAP2 1/1: [0x1(0x2)]: r-xp /x\n"
				   "p 1 2.0: 7 c: \n\t 2 g (x)\n\n"
				   "p 1 2.5: PERF_RECORD_EXIT(1:1):(1:1)\n\t 3 h (x)\n";
	struct text t;

	text_read(&t, &tl_perf_script_reader, text);
	text_expect_stacks(&t, 0, "f 5\ng 7\n");
	assert_int_equal(text_fact(&t, "samples"), 2);
	assert_int_equal(t.foreign.faults.count, 0);
	text_close(&t);
}

/* First and last times of a thread, whatever the order; samples without a time say nothing. */
TEST(times_of_threads)
{
	struct text t;

	text_read(&t, &tl_perf_script_reader,
		  "p 1 3.0: 1 c:  1 f (x)\np 1 7.5: 1 c:  1 f (x)\np 1 2.25: 1 c:  1 f (x)\n"
		  "p 1 5.0: 1 c:  1 f (x)\nq 2 9 c:  1 f (x)\n");
	assert_int_equal(t.status, 0);
	assert_int_equal(tl_profile_part_count(t.profile), 2);
	assert_int_equal(tl_profile_part(t.profile, 0)->first_ticks, 2250000000);
	assert_int_equal(tl_profile_part(t.profile, 0)->last_ticks, 7500000000);
	assert_int_equal(tl_profile_part(t.profile, 1)->first_ticks, 0);
	assert_int_equal(tl_profile_part(t.profile, 1)->last_ticks, 0);
	assert_int_equal(tl_profile_frequency(t.profile), 1000000000);
	text_close(&t);
}

/* A thread that took another name is another part. */
TEST(commands_of_threads)
{
	struct text t;

	text_read(&t, &tl_perf_script_reader,
		  "p 1 1.0: 1 c:  1 f (x)\nq 1 2.0: 2 c:  1 f (x)\np 1 3.0: 4 c:  1 f (x)\n");
	assert_int_equal(tl_profile_part_count(t.profile), 2);
	assert_string_equal(tl_profile_part(t.profile, 0)->command, "p");
	assert_string_equal(tl_profile_part(t.profile, 1)->command, "q");
	for (uint32_t part = 0; part < 2; part++) {
		struct tl_function_totals totals;

		tl_profile_function_totals(t.profile, 0, part, &totals, sizeof(totals));
		assert_int_equal(totals.self[0], part ? 2 : 5);
	}
	text_close(&t);
}

/* ---- dump ---- */

TEST(dumped_lines)
{
	static const char text[] = "# head\np 1 1.0: 5 c: \n\t 1 f (\"x\")\n  f.c:3\n insn: 75\n\n"
				   "junk\np 1 2.0: PERF_RECORD_EXIT\n  q 2 3.0: c:\n";

	assert_int_equal(text_expect_dump(&tl_perf_script_reader, text, false,
					  "0x7 sample p 1 1.0: 5 c: \n"
					  "0x16 frame \\x09 1 f (\"x\")\n"
					  "0x2a fields  insn: 75\n"
					  "0x54 sample   q 2 3.0: c:\n"),
			 0);
	assert_int_equal(
		text_expect_dump(
			&tl_perf_script_reader, text, true,
			"{\"offset\":7,\"record\":\"sample\",\"text\":\"p 1 1.0: 5 c: \"}\n"
			"{\"offset\":22,\"record\":\"frame\",\"text\":\"\\t 1 f (\\\"x\\\")\"}\n"
			"{\"offset\":42,\"record\":\"fields\",\"text\":\" insn: 75\"}\n"
			"{\"offset\":84,\"record\":\"sample\",\"text\":\"  q 2 3.0: c:\"}\n"),
		0);
	text_expect_dump_refused(&tl_perf_script_reader, text);
}

/* ---- recognising ---- */

static void expect_probe(const char *text, size_t size, int sure)
{
	assert_int_equal(tl_perf_script_probe((const uint8_t *)text, size), sure);
}

static void expect_text(const char *text, int sure)
{
	expect_probe(text, strlen(text), sure);
}

/* As many lines that are none as there are of samples and frames are half of them: too many. */
TEST(probing)
{
	static const char good[] = "p 1 1.0: 5 c: \n\t 1 f (x)\n\n";
	char text[8192], *to = text;

	expect_text(good, 85);
	expect_text("p 1 1.0: 5 c: \n\t 1 f (x)\nz\n", 85);
	expect_text("p 1 1.0: 5 c: \n\t 1 f (x)\nz\nz\n", 0);
	expect_text("\t 1 f (x)\n", 0);
	/* Events have names: of a number alone, with a time or without. */
	expect_text("p 1 1.0: 5 7: \n", 35);
	expect_text("p 1 5 7: \n", 0);
	expect_text("p 1 5 Abc: \n", 35);
	expect_text("p 1 5 zbc: \n", 35);
	expect_text("p 1 5 `bc: \n", 0);
	expect_text("p 1 5 {bc: \n", 0);
	/* A byte of zero is in no text. */
	expect_probe("p 1 1.0: 5 c: \n\0", 16, 0);
	/* The first 200 lines are looked at. */
	for (int i = 0; i < 100; i++)
		to += sprintf(to, "p 1 1.0: 5 c:\n");
	for (int i = 0; i < 100; i++)
		to += sprintf(to, "# x\n");
	for (int i = 0; i < 60; i++)
		to += sprintf(to, "junk\n");
	expect_probe(text, (size_t)(to - text), 35);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames),
		cmocka_unit_test(places),
		cmocka_unit_test(lines_of_samples),
		cmocka_unit_test(units_of_events),
		cmocka_unit_test(samples_without_an_event),
		cmocka_unit_test(texts_of_the_reader),
		cmocka_unit_test(places_of_frames),
		cmocka_unit_test(records_that_are_no_samples),
		cmocka_unit_test(times_of_threads),
		cmocka_unit_test(commands_of_threads),
		cmocka_unit_test(dumped_lines),
		cmocka_unit_test(probing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
