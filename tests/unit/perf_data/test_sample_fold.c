/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples to profiles: every file is put together by hand, and what each sample means is said by
 * the test. Stacks that are unwound are those of test_sample_unwind.c.
 */
#include "sample_file.h"

/* ---- records ---- */

static void put_fork(uint32_t pid, uint32_t parent, uint64_t time)
{
	put_header(&f, TL_PERF_FORK, 0, 8 + 24 + TRAILER);
	put32(&f, pid);
	put32(&f, parent);
	put32(&f, pid);
	put32(&f, parent);
	put64(&f, time);
	put_trailer(&f, parent, parent, time, 0);
}

static void put_lost(uint64_t count)
{
	put_header(&f, TL_PERF_LOST, 0, 8 + 16 + TRAILER);
	put64(&f, 77);
	put64(&f, count);
	put_trailer(&f, PID, TID, 5, 0);
}

#define SAMPLE(at, ...)                                                                            \
	put_sample(at, (const uint64_t[]){ __VA_ARGS__ },                                          \
		   sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)

static struct at at_time(uint64_t time)
{
	struct at at = usual;

	at.time = time;
	return at;
}

/* ---- results ---- */

static void assert_total(int64_t period, int64_t samples)
{
	assert_int_equal(tl_profile_total(profile)[0], period);
	assert_int_equal(tl_profile_total(profile)[1], samples);
}

/* main, inner and leaf are 16 bytes each, one behind the other. */
static void begin_named(void)
{
	begin();
	write_names(PID, "1000 10 main\n1010 10 inner\n1020 10 leaf\n");
	put_comm(&f, PID, TID, "prog", 0, 1);
	put_map(&f, PID, 0x1000, 0x1000, "//anon", 2);
}

/* ---- stacks ---- */

/*
 * The return address 0x1020 is the first byte of leaf, but the call before it is inner's last
 * instruction. The innermost address is exact: 0x1020 is leaf there.
 */
TEST(callers_are_where_their_calls_are)
{
	begin_named();
	SAMPLE(usual, USER, 0x1020, 0x1020, 0x1010);
	fold();
	assert_stack("main;inner;leaf", 7, 1);
	assert_total(7, 1);
	assert_int_equal(remarks.count, 0);
	done();
}

TEST(equal_stacks_add_up)
{
	begin_named();
	SAMPLE(usual, USER, 0x1020, 0x1018, 0x1004);
	SAMPLE(usual, USER, 0x1024, 0x1018, 0x1004);
	SAMPLE(usual, USER, 0x1018, 0x1004);
	fold();
	assert_stack("main;inner;leaf", 14, 2);
	assert_stack("main;inner", 7, 1);
	assert_stack("main", 0, 0);
	assert_total(21, 3);
	done();
}

/* Behind each marker the first address is exact again. */
TEST(kernel_and_user_are_one_stack)
{
	struct at at = usual;

	begin_named();
	at.mode = MODE_KERNEL;
	SAMPLE(at, KERNEL, 0xffffffff81000000, USER, 0x1020, 0x1004);
	fold();
	assert_stack("main;leaf;[kernel]", 7, 1);
	done();
}

TEST(sample_without_a_chain_has_its_address)
{
	begin_named();
	put_sample(usual, NULL, 0);
	fold();
	assert_stack("main", 7, 1);
	done();
}

/* A null return address is where a chain of frame pointers ends. */
TEST(null_addresses_are_no_callers)
{
	begin_named();
	SAMPLE(usual, USER, 0x1020, 0, 0x1004, 0);
	fold();
	assert_stack("main;leaf", 7, 1);
	done();
}

TEST(guests_are_one_frame)
{
	struct at at = usual;

	begin_named();
	at.mode = MODE_GUEST_USER;
	SAMPLE(at, GUEST_USER, 0x1020, 0x1004);
	put_sample(at, NULL, 0);
	fold();
	assert_stack("[guest user]", 14, 2);
	done();
}

TEST(code_outside_of_all_maps_is_unknown)
{
	begin_named();
	SAMPLE(usual, USER, 0x9000, 0x1004);
	fold();
	assert_stack("main;[unknown]", 7, 1);
	done();
}

/* ---- what stands behind the call chain ---- */

static void put_calls(uint64_t branch_type, const uint64_t *calls, size_t words)
{
	/* The frame pointers lead elsewhere. */
	const uint64_t chain[] = { USER, 0x1024, 0x9000 };

	begin_wide(&(struct wide_attr){ .sample_type = TYPE | 2048, .branch_type = branch_type });
	write_names(PID, "1000 10 main\n1010 10 inner\n1020 10 leaf\n");
	put_map(&f, PID, 0x1000, 0x1000, "//anon", 2);
	put_wide_sample(chain, 3, calls, words);
}

/* UAPI: struct perf_branch_entry is from, to, flags; the latest call comes first. */
TEST(calls_that_the_processor_recorded)
{
	const uint64_t calls[] = { 2, 0x1018, 0x1020, 0, 0x1004, 0x1010, 0 };
	uint64_t full[1 + 3 * 8] = { 8 };

	put_calls(1 << 11, calls, 7);
	fold();
	assert_stack("main;inner;leaf", 7, 1);
	assert_int_equal(remarks.count, 0);
	done();
	for (size_t i = 0; i < 8; i++)
		full[1 + 3 * i] = 0x1004;
	put_calls(1 << 11, full, 25);
	fold();
	assert_remark("the processor has no room for more calls than 1 stacks have: callers "
		      "further out are missing");
	done();
}

TEST(branches_that_are_no_calls)
{
	const uint64_t branches[] = { 1, 0x1018, 0x1020, 0 };

	put_calls(1 << 3, branches, 4);
	fold();
	assert_stack("[unknown];leaf", 7, 1);
	assert_remark("the branch records of 1 samples are left out (--branch-stack counts "
		      "them)");
	done();
}

TEST(maps_hold_at_their_time)
{
	begin();
	write_names(PID, "");
	put_map(&f, PID, 0x1000, 0x1000, "/nowhere/new", 200);
	SAMPLE(at_time(300), USER, 0x1010);
	SAMPLE(at_time(150), USER, 0x1010);
	put_map(&f, PID, 0x1000, 0x1000, "/nowhere/old", 100);
	fold();
	assert_stack("[old]", 7, 1);
	assert_stack("[new]", 7, 1);
	done();
}

TEST(child_has_the_maps_of_its_parent)
{
	const struct at child = { 20, 20, 0, 60, 7, MODE_USER };

	begin_named();
	put_fork(20, PID, 50);
	SAMPLE(child, USER, 0x1010);
	write_names(20, "1010 10 inherited\n");
	fold();
	assert_stack("inherited", 7, 1);
	done();
}

TEST(exec_has_no_old_maps)
{
	begin_named();
	put_comm(&f, PID, TID, "next", TL_PERF_MISC_EXEC, 50);
	SAMPLE(at_time(60), USER, 0x9010, 0x1010);
	fold();
	assert_stack("[unknown];[unknown]", 7, 1);
	assert_string_equal(tl_profile_part(profile, 0)->command, "next");
	done();
}

/* Until the new program runs, what called the kernel is code of the old one. */
TEST(sample_in_an_exec_was_called_by_the_old_program)
{
	struct at at = at_time(60);

	begin_named();
	put_comm(&f, PID, TID, "next", TL_PERF_MISC_EXEC, 50);
	at.mode = MODE_KERNEL;
	SAMPLE(at, KERNEL, 0xffffffff81000000, USER, 0x1010);
	put_map(&f, PID, 0x5000, 0x1000, "//anon", 70);
	at.time = 80;
	SAMPLE(at, KERNEL, 0xffffffff81000000, USER, 0x1010);
	fold();
	assert_stack("inner;[kernel]", 14, 2);
	done();
}

/* A number that a new process has got: no exec, so that the maps of the one before do not count. */
TEST(numbers_of_processes_are_used_again)
{
	struct at at = at_time(60);

	begin_named();
	put_fork(PID, 30, 50);
	at.mode = MODE_KERNEL;
	SAMPLE(at, KERNEL, 0xffffffff81000000, USER, 0x1010);
	fold();
	assert_stack("[unknown];[kernel]", 7, 1);
	done();
}

TEST(each_name_of_a_thread_is_a_part)
{
	begin_named();
	SAMPLE(at_time(10), USER, 0x1004);
	put_comm(&f, PID, TID, "other", 0, 20);
	SAMPLE(at_time(30), USER, 0x1004);
	SAMPLE(at_time(40), USER, 0x1004);
	fold();
	assert_int_equal(tl_profile_part_count(profile), 2);
	assert_string_equal(tl_profile_part(profile, 0)->command, "prog");
	assert_int_equal(tl_profile_part(profile, 0)->records, 1);
	assert_string_equal(tl_profile_part(profile, 1)->command, "other");
	assert_int_equal(tl_profile_part(profile, 1)->records, 2);
	assert_int_equal(tl_profile_part(profile, 1)->first_ticks, 30);
	assert_int_equal(tl_profile_part(profile, 1)->last_ticks, 40);
	assert_int_equal(tl_profile_part(profile, 1)->process, PID);
	assert_int_equal(tl_profile_part(profile, 1)->thread, TID);
	done();
}

enum { SAMPLE_CGROUP = 1 << 21 };

static void put_cgroup(uint64_t id, const char *path, uint64_t time)
{
	const size_t at = f.size;

	put_header(&f, TL_PERF_CGROUP, 0, 0);
	put64(&f, id);
	put_name(&f, path);
	put_trailer(&f, 0, 0, time, 0);
	f.bytes[at + 6] = (uint8_t)(f.size - at);
}

/* PERF_SAMPLE_CGROUP: an id, whose path the latest CGROUP record of it tells (section 14). */
TEST(each_control_group_of_a_thread_is_a_part)
{
	static const uint64_t ids[] = { 5, 6, 5, 7, 5 };

	begin_wide(&(struct wide_attr){ .sample_type = TYPE | SAMPLE_CGROUP });
	write_names(PID, "1000 10 main\n");
	put_comm(&f, PID, TID, "prog", 0, 1);
	put_map(&f, PID, 0x1000, 0x1000, "//anon", 2);
	put_cgroup(5, "/a", 2);
	put_cgroup(6, "/b c", 2);
	put_cgroup(6, "", 2); /* damage, which tells nothing */
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		if (i == 4)
			put_cgroup(5, "/d", usual.time);
		put_wide_sample((const uint64_t[]){ USER, 0x1004 }, 2, &ids[i], 1);
	}
	fold();
	assert_int_equal(tl_profile_part_count(profile), 4);
	assert_string_equal(tl_profile_part(profile, 0)->header, "Cgroup: /a");
	assert_int_equal(tl_profile_part(profile, 0)->records, 2);
	assert_string_equal(tl_profile_part(profile, 1)->header, "Cgroup: /b c");
	assert_string_equal(tl_profile_part(profile, 2)->header, "Cgroup: cgroup 7");
	assert_string_equal(tl_profile_part(profile, 3)->header, "Cgroup: /d");
	assert_int_equal(tl_profile_part(profile, 3)->records, 1);
	done();
}

/* A later map that replaces an earlier one begins another root, but not another part. */
TEST(maps_do_not_split_parts)
{
	begin();
	write_names(PID, "");
	put_map(&f, PID, 0x1000, 0x1000, "/nowhere/a", 10);
	SAMPLE(at_time(20), USER, 0x1010);
	put_map(&f, PID, 0x1000, 0x1000, "/nowhere/b", 30);
	SAMPLE(at_time(40), USER, 0x1010);
	fold();
	assert_int_equal(tl_profile_part_count(profile), 1);
	assert_int_equal(tl_profile_part(profile, 0)->records, 2);
	done();
}

/* ---- filters ---- */

TEST(filters)
{
	static const struct {
		uint64_t process, thread, cpu;
		double from, to;
		int64_t samples;
	} rows[] = {
		{ TL_NOWHERE, TL_NOWHERE, TL_NOWHERE, 0, 0, 3 },
		{ PID, TL_NOWHERE, TL_NOWHERE, 0, 0, 2 },
		{ TL_NOWHERE, TID, TL_NOWHERE, 0, 0, 1 },
		{ TL_NOWHERE, TL_NOWHERE, 5, 0, 0, 1 },
		{ TL_NOWHERE, TL_NOWHERE, TL_NOWHERE, 1, 0, 2 },
		{ TL_NOWHERE, TL_NOWHERE, TL_NOWHERE, 0, 1, 1 },
		{ TL_NOWHERE, TL_NOWHERE, TL_NOWHERE, 0.5, 1.5, 1 },
		{ TL_NOWHERE, 999, TL_NOWHERE, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct at at = usual;

		begin_named();
		at.time = 1000000000;
		SAMPLE(at, USER, 0x1004);
		at.time = 2000000000;
		at.tid = 12;
		SAMPLE(at, USER, 0x1004);
		at.time = 3000000000;
		at.pid = 13;
		at.cpu = 5;
		SAMPLE(at, USER, 0x1004);
		options.process = rows[i].process;
		options.thread = rows[i].thread;
		options.cpu = rows[i].cpu;
		options.from_seconds = rows[i].from;
		options.to_seconds = rows[i].to;
		fold();
		assert_total(7 * rows[i].samples, rows[i].samples);
		done();
	}
}

/* ---- events ---- */

TEST(event_of_one_kind_has_two_columns)
{
	begin_named();
	SAMPLE(usual, USER, 0x1004);
	fold();
	assert_int_equal(tl_profile_event_count(profile), 2);
	assert_string_equal(tl_profile_event(profile, 0)->name, "pmu8:2601");
	assert_string_equal(tl_profile_event(profile, 1)->name, "samples");
	assert_int_equal(tl_profile_call_count(profile), TL_CALLS_NONE);
	done();
}

/* An attribute for each PMU, with the ids 77, 78 and so on. */
static void begin_pmus(uint64_t sample_type, const uint32_t *pmus, size_t count)
{
	begin_named();
	f.size = 104;
	for (size_t i = 0; i < count; i++) {
		put_attr(&f, pmus[i], sample_type, 1 << 18);
		put64(&f, 104 + 80 * count + 8 * i);
		put64(&f, 8);
	}
	for (size_t i = 0; i < count; i++)
		put64(&f, 77 + i);
	data_at = f.size;
	patch64(&f, 32, 80 * count);
	patch64(&f, 40, data_at);
	put_map(&f, PID, 0x1000, 0x1000, "//anon", 2);
}

/* Kinds of cores have attributes of their own; columns are by name. */
TEST(events_of_one_name_are_one)
{
	static const uint32_t pmus[] = { 8, 9, 8, 9 };
	static const char *const names[] = { "pmu8:2601", "pmu8:2601.samples", "pmu9:2601",
					     "pmu9:2601.samples" };
	static const int64_t sums[] = { 7 + 9, 2, 8 + 10, 2 };

	begin_pmus(TYPE, pmus, 4);
	for (uint64_t i = 0; i < 4; i++) {
		const size_t at = f.size;

		SAMPLE(((struct at){ PID, TID, 1, 100 + i, 7 + i, MODE_USER }), USER, 0x1004);
		patch64(&f, at + 8, 77 + i);
	}
	fold();
	assert_int_equal(tl_profile_event_count(profile), 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_string_equal(tl_profile_event(profile, i)->name, names[i]);
		assert_int_equal(tl_profile_total(profile)[i], sums[i]);
	}
	done();
}

/* The same of branches: sample i has i + 1 of them, of which the last was predicted wrongly. */
TEST(branches_of_events_of_one_name_are_one)
{
	enum { BRANCH_STACK = 2048, WRONG = 1, RIGHT = 2 };
	static const uint32_t pmus[] = { 8, 9, 8, 9 };
	static const char *const names[] = { "pmu8:2601.branches", "pmu8:2601.mispredicted",
					     "pmu9:2601.branches", "pmu9:2601.mispredicted" };
	static const int64_t sums[] = { 1 + 3, 2, 2 + 4, 2 };
	static const uint64_t chain[] = { USER, 0x1004 };

	begin_pmus(TYPE | BRANCH_STACK, pmus, 4);
	options.branches = true;
	for (uint64_t i = 0; i < 4; i++) {
		uint64_t words[1 + 3 * 4] = { i + 1 };
		const size_t at = f.size;

		for (uint64_t branch = 0; branch <= i; branch++) {
			words[1 + 3 * branch] = 0x1008;
			words[2 + 3 * branch] = 0x1004;
			words[3 + 3 * branch] = branch == i ? WRONG : RIGHT;
		}
		put_wide_sample(chain, 2, words, (size_t)(1 + 3 * (i + 1)));
		patch64(&f, at + 8, 77 + i);
	}
	fold();
	assert_int_equal(tl_profile_event_count(profile), 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_string_equal(tl_profile_event(profile, i)->name, names[i]);
		assert_int_equal(tl_profile_total(profile)[i], sums[i]);
	}
	done();
}

/* Without PERIOD: that of the attribute, unless a frequency was asked for, which is none. */
TEST(period_that_was_not_recorded)
{
	enum { FREQUENCY = 1 << 10, SAMPLE_ID_ALL = 1 << 18 };

	for (int frequency = 0; frequency < 2; frequency++) {
		const uint64_t words[] = { 77, 0x1004, (uint64_t)TID << 32 | PID, 100, 1 };

		begin();
		file_begin(&f, COMMON_TYPE | 1);
		patch64(&f, 104 + 16, 5000);
		patch64(&f, 104 + 40, SAMPLE_ID_ALL | (frequency ? FREQUENCY : 0));
		put_header(&f, TL_PERF_SAMPLE, MODE_USER, 8 + sizeof(words));
		for (size_t i = 0; i < 5; i++)
			put64(&f, words[i]);
		fold();
		assert_total(frequency ? 1 : 5000, 1);
		if (frequency)
			assert_remark("a frequency was asked for, and the periods of 1 samples "
				      "were not recorded: each counts 1");
		done();
	}
}

/* A group: each counter has what it counted since the sample before. */
TEST(counters_of_a_group)
{
	enum { READ_ID = 4, READ_GROUP = 8 };

	begin();
	write_names(PID, "1000 10 main\n");
	file_begin(&f, COMMON_TYPE | 1 | 16);
	patch64(&f, 104 + 32, READ_ID | READ_GROUP);
	put_map(&f, PID, 0x1000, 0x1000, "//anon", 2);
	for (uint64_t i = 0; i < 2; i++) {
		const uint64_t words[] = {
			77, 0x1004, (uint64_t)TID << 32 | PID, 100 + i, 1, 2, 1000 + 300 * i, 77,
			50, 999
		};

		put_header(&f, TL_PERF_SAMPLE, MODE_USER, 8 + sizeof(words));
		for (size_t k = 0; k < 10; k++)
			put64(&f, words[k]);
	}
	fold();
	/* The counter 999 is of no event of the file. */
	assert_total(1300, 2);
	assert_stack("main", 1300, 2);
	done();
}

/* ---- what is missing is said ---- */

TEST(stacks_at_the_limit)
{
	uint64_t chain[128] = { USER, 0x1020 };

	for (size_t i = 2; i < 128; i++)
		chain[i] = 0x1018;
	begin_named();
	put_sample(usual, chain, 127);
	fold();
	assert_int_equal(remarks.count, 0);
	done();
	begin_named();
	put_sample(usual, chain, 128);
	fold();
	assert_remark("1 of 1 stacks are as long as the recorder's limit: callers further out are "
		      "missing");
	done();
}

TEST(lost_samples)
{
	begin_named();
	SAMPLE(usual, USER, 0x1004);
	put_lost(3);
	put_lost(4);
	fold();
	assert_remark("the recorder lost 7 samples or other records");
	done();
}

TEST(files_that_are_missing)
{
	begin();
	write_names(PID, "");
	put_map(&f, PID, 0x1000, 0x1000, "/nowhere/prog", 2);
	SAMPLE(usual, USER, 0x1010);
	fold();
	assert_remark("no names for the code of /nowhere/prog: no such file");
	done();
}

TEST(without_samples_there_is_no_profile)
{
	begin_named();
	assert_int_equal(fold_file(), TL_UNSUPPORTED);
	assert_null(profile);
	done();
}

/* Traces that perf knows how to turn into samples (enum auxtrace_type of perf). */
TEST(traces_of_other_processors_are_told)
{
	static const struct {
		uint32_t type;
		const char *word;
	} rows[] = {
		{ 2, "Intel BTS" }, { 3, "CoreSight" }, { 4, "Arm SPE" }, { 9, "not Intel PT" }
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin_named();
		put_header(&f, TL_PERF_AUXTRACE_INFO, 0, 16);
		put32(&f, rows[i].type);
		put32(&f, 0);
		assert_int_equal(fold_file(), TL_UNSUPPORTED);
		assert_non_null(strstr(f.err.text, rows[i].word));
		assert_non_null(strstr(f.err.text, "perf inject --itrace"));
		done();
	}
}

TEST(intel_pt_comes_first)
{
	begin_named();
	put_header(&f, TL_PERF_AUXTRACE_INFO, 0, 16);
	put32(&f, 1);
	put32(&f, 0);
	SAMPLE(usual, USER, 0x1004);
	assert_int_equal(fold_file(), 1);
	assert_null(profile);
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_are_where_their_calls_are),
		cmocka_unit_test(equal_stacks_add_up),
		cmocka_unit_test(kernel_and_user_are_one_stack),
		cmocka_unit_test(sample_without_a_chain_has_its_address),
		cmocka_unit_test(null_addresses_are_no_callers),
		cmocka_unit_test(guests_are_one_frame),
		cmocka_unit_test(code_outside_of_all_maps_is_unknown),
		cmocka_unit_test(calls_that_the_processor_recorded),
		cmocka_unit_test(branches_that_are_no_calls),
		cmocka_unit_test(maps_hold_at_their_time),
		cmocka_unit_test(child_has_the_maps_of_its_parent),
		cmocka_unit_test(exec_has_no_old_maps),
		cmocka_unit_test(sample_in_an_exec_was_called_by_the_old_program),
		cmocka_unit_test(numbers_of_processes_are_used_again),
		cmocka_unit_test(each_name_of_a_thread_is_a_part),
		cmocka_unit_test(each_control_group_of_a_thread_is_a_part),
		cmocka_unit_test(maps_do_not_split_parts),
		cmocka_unit_test(filters),
		cmocka_unit_test(event_of_one_kind_has_two_columns),
		cmocka_unit_test(events_of_one_name_are_one),
		cmocka_unit_test(branches_of_events_of_one_name_are_one),
		cmocka_unit_test(period_that_was_not_recorded),
		cmocka_unit_test(counters_of_a_group),
		cmocka_unit_test(stacks_at_the_limit),
		cmocka_unit_test(lost_samples),
		cmocka_unit_test(files_that_are_missing),
		cmocka_unit_test(without_samples_there_is_no_profile),
		cmocka_unit_test(traces_of_other_processors_are_told),
		cmocka_unit_test(intel_pt_comes_first),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
