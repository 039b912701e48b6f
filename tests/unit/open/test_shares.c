/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "What the profiles of all shares are together is the whole" (tracelathe/open.h); shares of logs
 * are in test_forks.c, and those that ranks read in tests/differential/fleet.py.
 */
#include <stdlib.h>
#include <string.h>

#include "../perf_data/trace.h"
#include "../shares.h"
#include "../temp_fixture.h"

#include <tracelathe/tracelathe.h>

static const struct tl_input_options all = TL_INPUT_OPTIONS_DEFAULT;

/* Whether shares hold all of the first event, and none of them all of it. */
static void assert_shared_out(const char *path, const struct tl_input_options *options,
			      uint32_t shares)
{
	struct tl_profile *profile = fold_share(path, options, 0, 0);
	const int64_t whole = tl_profile_total(profile)[0];
	int64_t sum = 0;

	tl_profile_free(profile);
	for (uint32_t i = 0; i < shares; i++) {
		profile = fold_share(path, options, i, shares);
		assert_in_range(tl_profile_total(profile)[0], 1, whole - 1);
		sum += tl_profile_total(profile)[0];
		tl_profile_free(profile);
	}
	assert_int_equal(sum, whole);
}

static uint32_t shares_of(const char *path, const struct tl_input_options *options)
{
	struct tl_input *input;
	uint32_t shares;

	assert_int_equal(tl_input_open(&input, &path, 1, options, NULL, NULL), 0);
	shares = tl_input_shares(input);
	tl_input_close(input);
	return shares;
}

/* ---- Callgrind ---- */

/* Two parts; names that are defined in the other, relative places, calls, jumps, a formula. */
static const char two_parts[] = "creator: callgrind-3.19\n"
				"pid: 7\ncmd: ./prog\npart: 1\nthread: 1\n"
				"event: Sum = Ir + Dr\npositions: line\nevents: Ir Dr\n"
				"ob=(1) prog\nfl=(1) a.c\nfn=(1) main\n10 5 1\n+2 7\n"
				"cfn=(2) f\ncalls=3 20\n* 30 2\njump=4 +5\n*\n"
				"fn=(2)\n20 11 2\nfi=(2) b.h\n+1 19\nfe=(1)\n22 1\n"
				"fn=(3) g\n40 100 3\ntotals: 143 6\n"
				"part: 2\nthread: 1\npid: 7\ncmd: ./prog\nevents: Dr Ir\n"
				"fn=(3)\n41 1 10\ncfn=(1)\ncalls=1 10\n* 1 2\n"
				"fn=(2)\n20 4 5\nfn=(4) h\n50 0 6\ntotals: 5 21\n";

TEST(functions_of_callgrind_are_shared_out)
{
	const enum tl_input_detail details[] = { TL_DETAIL_LINES, TL_DETAIL_TABLE };
	const char *path = temp_write(&temp, "two.out", two_parts, strlen(two_parts));
	struct tl_input_options options = all;

	assert_true(shares_of(path, &all) > 8);
	for (size_t i = 0; i < 2; i++)
		for (unsigned per_part = 0; per_part < 2; per_part++) {
			options.detail = details[i];
			options.per_thread = per_part;
			assert_shares_add_up(path, &options, 2);
			assert_shares_add_up(path, &options, 3);
			assert_shares_add_up(path, &options, 9);
			assert_shared_out(path, &options, 2);
		}
}

/* ---- samples ---- */

static void put_named_map(void)
{
	char folder[300];
	static const char names[] = "1000 10 main\n1010 10 inner\n1020 10 leaf\n";

	snprintf(folder, sizeof(folder), "%s/tmp", temp.directory);
	mkdir(folder, 0700); /* it may be there */
	temp_write(&temp, "tmp/perf-10.map", names, strlen(names));
	put_comm(&f, 10, 11, "prog", 0, 1);
	put_header(&f, TL_PERF_MMAP, 2, 8 + 32 + 8 + TRAILER);
	put32(&f, 10);
	put32(&f, 10);
	put64(&f, 0x1000);
	put64(&f, 0x1000);
	put64(&f, 0);
	put_name(&f, "//anon");
	put_trailer(&f, 10, 10, 2, 0);
}

static void put_sampled(uint32_t tid, uint64_t time, uint64_t leaf)
{
	put_header(&f, TL_PERF_SAMPLE, 2, 8 + 56 + 8 * 3);
	put64(&f, 77);
	put64(&f, leaf);
	put32(&f, 10);
	put32(&f, tid);
	put64(&f, time);
	put32(&f, 1);
	put32(&f, 0);
	put64(&f, 7 + time % 5);
	put64(&f, 3);
	put64(&f, (uint64_t)-512);
	put64(&f, leaf);
	put64(&f, 0x1004);
}

/* Samples of two threads, 500 in all; a thread takes another name in between. */
static const char *samples_file(uint64_t flags)
{
	static char path[512];

	f.size = 0;
	file_begin_wide(&f, &(struct wide_attr){ .sample_type = COMMON_TYPE | 1 | 32 | 256,
						 .flags = flags });
	put_named_map();
	for (uint32_t i = 0; i < 500; i++) {
		if (i == 130)
			put_comm(&f, 10, 12, "other", 0, 100 + i);
		put_sampled(11 + i / 3 % 2, 100 + i, 0x1000 + i % 3 * 16);
	}
	patch64(&f, 48, f.size - WIDE_DATA_AT);
	snprintf(path, sizeof(path), "%s", temp_write(&temp, "s.perf", f.bytes, f.size));
	return path;
}

TEST(samples_are_shared_out)
{
	struct tl_input_options options = all;
	const char *path = samples_file(0);

	options.programs.sysroot = temp.directory;
	options.detail = TL_DETAIL_LINES;
	assert_true(shares_of(path, &options) > 8);
	assert_shares_add_up(path, &options, 2);
	assert_shares_add_up(path, &options, 3);
	/* More shares than there are samples together. */
	assert_shares_add_up(path, &options, 20);
	assert_shared_out(path, &options, 4);
}

/* Times off the processors begin at samples; branches are not shared out either. */
TEST(what_depends_on_the_sample_before_is_not_shared_out)
{
	struct tl_input_options options = all;

	assert_int_equal(shares_of(samples_file(1 << 26), &all), 1);
	options.branches = true;
	assert_int_equal(shares_of(temp_path(&temp, "s.perf"), &options), 1);
}

static int fold_second_half(const char *path)
{
	struct tl_input_options options = all;
	struct tl_profile *profile = NULL;
	struct tl_input *input;
	int status;

	options.share = 1;
	options.shares = 2;
	assert_int_equal(tl_input_open(&input, &path, 1, &options, NULL, NULL), 0);
	status = tl_input_fold(input, &profile, NULL);
	tl_profile_free(profile);
	tl_input_close(input);
	return status;
}

/* A share that had all of it would be counted as often as there are shares. */
TEST(what_a_file_turns_out_to_hold_is_not_shared_out)
{
	samples_file(0);
	put_header(&f, TL_PERF_SWITCH, 1 << 13, 8 + TRAILER);
	put_trailer(&f, 10, 11, 900, 0);
	patch64(&f, 48, f.size - WIDE_DATA_AT);
	assert_int_equal(fold_second_half(temp_write(&temp, "w.perf", f.bytes, f.size)),
			 TL_UNSUPPORTED);
}

/* ---- Intel PT ---- */

static size_t read_golden(const char *name, uint8_t *bytes, size_t room)
{
	char path[512];
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "%s/tests/golden/%s", getenv("TL_SOURCE_ROOT"), name);
	file = fopen(path, "rb");
	assert_non_null(file);
	size = fread(bytes, 1, room, file);
	fclose(file);
	assert_in_range(size, 1, room - 1);
	return size;
}

/* The place of the PSB behind the middle of a trace. */
static size_t half_of(const uint8_t *run, size_t size)
{
	size_t at = size / 2;

	while (at + 16 < size && memcmp(run + at, "\x02\x82\x02\x82\x02\x82\x02\x82", 8))
		at++;
	return at;
}

/*
 * Threads of a process with a buffer each, which has the run that tiny.c makes, or the first half
 * of it. Functions are so small that there are jumps to others, which some threads never ran.
 */
static const char *traced_threads(uint32_t count)
{
	static char names[2048];
	static char path[512];
	uint8_t run[4096];
	const size_t size = read_golden("intel_pt/tiny.pt", run, sizeof(run));

	for (unsigned at = 0, end = 0; at < 0x283; at += 16)
		end += (unsigned)snprintf(names + end, sizeof(names) - end, "%x 10 f%x\n",
					  0x401000 + at, at);
	f.size = 0;
	file_begin_wide(&f, &(struct wide_attr){ .sample_type = COMMON_TYPE });
	patch64(&f, 104 + 8, 0x2001); /* without time: instructions are what costs */
	snprintf(path, sizeof(path), "%s/tests/golden/intel_pt/tiny.img", getenv("TL_SOURCE_ROOT"));
	put_info(0, 1, 0, false);
	put_map(&f, 10, 0x401000, 0x283, path, 1);
	for (uint32_t i = 0; i < count; i++) {
		put_comm(&f, 10, 10 + 4 * i, "tiny", 0, 2);
		put_auxtrace(run, i % 2 ? size : half_of(run, size), 0, 10 + 4 * i, UINT32_MAX);
	}
	file_end_wide(&f);
	/* The feature AUXTRACE, with an empty section. */
	f.bytes[72 + 18 / 8] |= 1 << 18 % 8;
	put_zeros(&f, 16);
	temp_write(&temp, "p.perf.perf-10.map", names, strlen(names));
	snprintf(path, sizeof(path), "%s", temp_write(&temp, "p.perf", f.bytes, f.size));
	return path;
}

static uint64_t places_of_damage(const char *path)
{
	struct tl_profile *profile = NULL;
	struct tl_input *input;
	uint64_t count;

	assert_int_equal(tl_input_open(&input, &path, 1, &all, NULL, NULL), 0);
	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	count = tl_input_damage_count(input, NULL);
	tl_profile_free(profile);
	tl_input_close(input);
	return count;
}

TEST(threads_of_intel_pt_are_shared_out)
{
	const enum tl_input_detail details[] = { TL_DETAIL_LINES, TL_DETAIL_TABLE };
	const char *path = traced_threads(5);
	struct tl_input_options options = all;

	assert_int_equal(places_of_damage(path), 0);
	assert_int_equal(shares_of(path, &options), 5);
	for (size_t i = 0; i < 2; i++)
		for (unsigned per_thread = 0; per_thread < 2; per_thread++) {
			options.detail = details[i];
			options.per_thread = per_thread;
			assert_shares_add_up(path, &options, 2);
			/* More shares than threads. */
			assert_shares_add_up(path, &options, 6);
			assert_shared_out(path, &options, 5);
		}
	options.quick = true;
	assert_int_equal(shares_of(path, &options), 1);
}

/* Cycles of all threads count from the first CYC packet on, whosever that is. */
TEST(threads_with_cycles_are_not_shared_out)
{
	f.size = read_golden("perf/threads.perf.data", f.bytes, sizeof(f.bytes));
	f.bytes[72 + 18 / 8] |= 1 << 18 % 8;
	put_zeros(&f, 16);
	assert_int_equal(shares_of(temp_write(&temp, "c.perf", f.bytes, f.size), &all), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_callgrind_are_shared_out),
		cmocka_unit_test(samples_are_shared_out),
		cmocka_unit_test(what_depends_on_the_sample_before_is_not_shared_out),
		cmocka_unit_test(what_a_file_turns_out_to_hold_is_not_shared_out),
		cmocka_unit_test(threads_of_intel_pt_are_shared_out),
		cmocka_unit_test(threads_with_cycles_are_not_shared_out),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
