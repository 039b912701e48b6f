/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is in no call chain: inlined functions, branches, times off the processors. The program
 * is fuzz/corpus/dwarf/gcc-5; what is inlined where is what llvm-symbolizer says of it.
 */
#include <stdio.h>

#include "refused_fold.h"

/* IP, TID, TIME, CALLCHAIN, CPU, PERIOD, IDENTIFIER. */
#define TYPE (1 | 2 | 4 | 32 | 128 | 256 | 65536)
#define USER ((uint64_t)-512)

enum { PID = 10, MODE_USER = 2, PERIOD = 7 };

static struct file f;
static char corpus[1024];

/* A file in which a program is mapped at 0x400000. */
static void begin(const char *folder, const char *path)
{
	const char *source = getenv("TL_SOURCE_ROOT");

	snprintf(corpus, sizeof(corpus), "%s/fuzz/corpus/%s", source ? source : ".", folder);
	options = (struct tl_perf_sample_options){
		.thread = TL_NOWHERE,
		.process = TL_NOWHERE,
		.cpu = TL_NOWHERE,
		.sysroot = corpus,
		.inlined = true,
		.lines = true,
	};
	f.big = false;
	file_begin(&f, TYPE);
	put_header(&f, TL_PERF_MMAP, MODE_USER, 8 + 32 + 8 + (strlen(path) / 8) * 8 + 32);
	put32(&f, PID);
	put32(&f, PID);
	put64(&f, 0x400000);
	put64(&f, 0x1000);
	put64(&f, 0);
	put_name(&f, path);
	put_trailer(&f, PID, PID, 1, 0);
}

/* A sample at `ip`, which was called from in front of `back`. */
static void put_sample(uint64_t ip, uint64_t back)
{
	put_header(&f, TL_PERF_SAMPLE, MODE_USER, 8 + 56 + 24);
	put64(&f, 77);
	put64(&f, ip);
	put32(&f, PID);
	put32(&f, PID);
	put64(&f, 100);
	put64(&f, 0); /* processor */
	put64(&f, PERIOD);
	put64(&f, 3);
	put64(&f, USER);
	put64(&f, ip);
	put64(&f, back);
}

static int fold(void)
{
	return fold_bytes(&f);
}

/* The stacks that samples ended in, in the order of their contexts, a line each. */
static void assert_stacks(const char *wanted)
{
	char all[1024] = "", text[256];

	for (uint32_t i = 0; i < tl_profile_context_count(profile); i++) {
		if (!tl_profile_context_self(profile, i)[0])
			continue;
		path_of(i, text);
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s %d\n", text,
			 (int)tl_profile_context_self(profile, i)[0]);
	}
	assert_string_equal(all, wanted);
}

static void put_all(void)
{
	begin("dwarf", "/gcc-5");
	put_sample(0x4000c8, 0x40011b); /* inner in middle in outer, called from _start */
	put_sample(0x4000f6, 0x40011b); /* the same, another call of middle */
	put_sample(0x4000d9, 0x40011b); /* from_header in outer */
	put_sample(0x4000dc, 0x40011b); /* outer itself */
	put_sample(0x4000b3, 0x4000c8); /* called from middle in outer: the byte before counts */
	file_end(&f);
}

TEST(inlined_functions_are_frames)
{
	put_all();
	assert_int_equal(fold(), 0);
	assert_stacks("_start;outer 7\n"
		      "_start;outer;middle;inner 14\n"
		      "_start;outer;from_header 7\n"
		      "outer;middle;outer 7\n");
	assert_string_equal(strrchr(function("inner")->file, '/'), "/t.c");
	assert_string_equal(strrchr(function("from_header")->file, '/'), "/t.h");
	assert_string_equal(function("from_header")->object, "/gcc-5");
	assert_int_equal(remarks.count, 0);
	done();
}

/* The cost of a line is that of the function which it is of: line 3 of inner, 47 columns in. */
TEST(lines_are_those_of_the_innermost)
{
	uint32_t lines = 0;

	put_all();
	assert_int_equal(fold(), 0);
	for (uint32_t i = 0; i < tl_profile_line_count(profile); i++) {
		const struct tl_cost_line *line = tl_profile_line(profile, i);

		if (tl_profile_function(profile, line->function) != function("inner"))
			continue;
		lines++;
		assert_int_equal(line->at.line, 3);
		assert_string_equal(line->at.file, function("inner")->file);
	}
	/* Two addresses. */
	assert_int_equal(lines, 2);
	done();
}

TEST(frames_are_functions_unless_asked)
{
	put_all();
	options.inlined = false;
	assert_int_equal(fold(), 0);
	assert_stacks("_start;outer 28\nouter;outer 7\n");
	done();
}

TEST(code_without_debug_information_is_told)
{
	begin("cfi", "/x86_64");
	put_sample(0x400353, 0x4003b2);
	file_end(&f);
	assert_int_equal(fold(), 0);
	assert_stacks("_start;b 7\n");
	assert_int_equal(remarks.count, 1);
	assert_string_equal(remarks.list[0], "what was inlined into the code of /x86_64 is not "
					     "known: it has no debug information");
	done();
}

TEST(without_memory)
{
	put_all();
	assert_true(refuse_each_of_fold(&f) > 100);
}

/* ---- branches ---- */

/* A sample of a file that has branches of any kind; each is three words. */
static void put_branches(const uint64_t *words, size_t count)
{
	put_header(&f, TL_PERF_SAMPLE, MODE_USER, 8 + 56 + 8 * (count + 1));
	put64(&f, 77);
	put64(&f, 0x4000b3);
	put32(&f, PID);
	put32(&f, PID);
	put64(&f, 100);
	put64(&f, 0); /* processor */
	put64(&f, PERIOD);
	put64(&f, 0); /* call chain */
	put64(&f, count / 3);
	for (size_t i = 0; i < count; i++)
		put64(&f, words[i]);
}

static void begin_branches(void)
{
	begin("dwarf", "/gcc-5");
	patch64(&f, 104 + 24, TYPE | 2048); /* sample_type */
	options.branches = true;
	options.inlined = false;
}

/*
 * struct perf_branch_entry: bit 0 of the flags says that the branch was predicted wrongly, bit 1
 * that it was predicted. The last of these is none.
 */
TEST(branches_are_counted_from_function_to_function)
{
	const uint64_t words[] = { 0x400116, 0x4000b0, 1,        0x400118, 0x4000b0,
				   2,        0x4000c8, 0x4000b3, 2,        0x4000df,
				   0x40011b, 1,        0,        0x4000b0, 1 };

	begin_branches();
	put_branches(words, 15);
	put_branches(words, 15);
	file_end(&f);
	assert_int_equal(fold(), 0);
	assert_int_equal(tl_profile_event_count(profile), 2);
	assert_string_equal(tl_profile_event(profile, 0)->name, "branches");
	assert_string_equal(tl_profile_event(profile, 1)->name, "mispredicted");
	assert_stacks("_start;outer 4\nouter;outer 2\nouter;_start 2\n");
	assert_int_equal(tl_profile_total(profile)[0], 8);
	assert_int_equal(tl_profile_total(profile)[1], 4);
	assert_int_equal(remarks.count, 0);
	done();
}

TEST(branches_from_inlined_functions)
{
	const uint64_t words[] = { 0x4000c8, 0x4000b3, 2, 0x4000dc, 0x4000d9, 1 };

	begin_branches();
	options.inlined = true;
	put_branches(words, 6);
	file_end(&f);
	assert_int_equal(fold(), 0);
	assert_stacks("outer;middle;inner;outer 1\nouter;outer;from_header 1\n");
	done();
	assert_true(refuse_each_of_fold(&f) > 100);
}

TEST(branches_that_are_not_there)
{
	begin_branches();
	put_branches(NULL, 0);
	file_end(&f);
	assert_int_equal(fold(), TL_UNSUPPORTED);
	assert_null(profile);
	done();
}

/* ---- times off the processors ---- */

enum { OUT = 1 << 13, PREEMPTED = 1 << 14 };

static void put_switch(uint16_t misc, uint32_t tid, uint64_t time)
{
	put_header(&f, TL_PERF_SWITCH, misc, 8 + 32);
	put_trailer(&f, PID, tid, time, 0);
}

/* The third and fourth event of the function of that name. */
static void assert_off_cpu(const char *name, int64_t time, int64_t switches)
{
	int64_t found[2] = { 0, 0 };

	for (uint32_t i = 0; i < tl_profile_context_count(profile); i++) {
		const struct tl_context *c = tl_profile_context(profile, i);
		const int64_t *self = tl_profile_context_self(profile, i);

		if (strcmp(tl_profile_function(profile, c->function)->name, name) != 0)
			continue;
		found[0] += self[2];
		found[1] += self[3];
	}
	assert_int_equal(found[0], time);
	assert_int_equal(found[1], switches);
}

/* "from the record that says that it left up to the one that says that it is back". */
static void put_switches(void)
{
	begin("dwarf", "/gcc-5");
	options.inlined = false;
	put_switch(0, PID, 50); /* nobody left before */
	put_switch(OUT, PID, 60);
	put_switch(OUT | PREEMPTED, PID + 1, 70);
	put_switch(0, PID, 100);
	put_sample(0x4000b3, 0x40011b);
	put_switch(OUT, 0, 110); /* a processor with nothing to do */
	put_switch(0, 0, 120);
	put_switch(0, PID + 1, 170);
	put_switch(OUT, PID, 200);
	put_switch(OUT, PID, 210); /* it had left */
	put_switch(0, PID, 230);
	put_switch(OUT, PID, 240); /* to the end */
}

TEST(times_off_the_processors)
{
	put_switches();
	file_end(&f);
	assert_int_equal(fold(), 0);
	assert_int_equal(tl_profile_event_count(profile), 4);
	assert_string_equal(tl_profile_event(profile, 2)->name, "off-cpu");
	assert_string_equal(tl_profile_event(profile, 3)->name, "off-cpu.switches");
	assert_off_cpu("[off-cpu]", 40 + 100 + 30, 3);
	assert_off_cpu("outer", 0, 0);
	assert_stacks("_start;outer 7\n");
	assert_int_equal(remarks.count, 0);
	done();
	assert_true(refuse_each_of_fold(&f) > 100);
}

/* Filters hold for the record of the leaving. */
TEST(times_of_one_thread)
{
	put_switches();
	file_end(&f);
	options.thread = PID;
	assert_int_equal(fold(), 0);
	assert_off_cpu("[off-cpu]", 70, 2);
	done();
}

/* The kernel's tracepoint comes in front of the record, in the thread that leaves. */
TEST(times_have_the_stacks_of_sched_switch)
{
	static const char event[] = "sched:sched_switch";

	begin("dwarf", "/gcc-5");
	options.inlined = false;
	put_header(&f, TL_PERF_EVENT_UPDATE, 0, 8 + 16 + 24);
	put64(&f, 2); /* PERF_EVENT_UPDATE__NAME */
	put64(&f, 77);
	put_name(&f, event);
	put_sample(0x4000b3, 0x40011b); /* at 100 */
	put_switch(OUT, PID, 101);
	put_switch(0, PID, 131);
	/* A stack is that of one leaving. */
	put_switch(OUT, PID, 140);
	put_switch(0, PID, 145);
	file_end(&f);
	assert_int_equal(fold(), 0);
	assert_string_equal(tl_profile_event(profile, 0)->name, event);
	assert_off_cpu("outer", 30, 1);
	assert_off_cpu("[off-cpu]", 5, 1);
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inlined_functions_are_frames),
		cmocka_unit_test(lines_are_those_of_the_innermost),
		cmocka_unit_test(frames_are_functions_unless_asked),
		cmocka_unit_test(code_without_debug_information_is_told),
		cmocka_unit_test(without_memory),
		cmocka_unit_test(branches_are_counted_from_function_to_function),
		cmocka_unit_test(branches_from_inlined_functions),
		cmocka_unit_test(branches_that_are_not_there),
		cmocka_unit_test(times_off_the_processors),
		cmocka_unit_test(times_of_one_thread),
		cmocka_unit_test(times_have_the_stacks_of_sched_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
