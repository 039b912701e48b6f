/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callgrind profiles as inputs: what is read again for each operation, which can be read only once,
 * files that are parts of one run, lines that are wrong, and what is no profile at all. Sums are
 * made by hand.
 */
#include <fcntl.h>
#include <stdio.h>

#include <tracelathe/tracelathe.h>

#include "../temp_fixture.h"
#include "slices.h"

#include "core/output.h"
#include "open/format.h"

static struct tl_error err;

/* Two dumps of two threads: 5 + 7 of thread 1, 11 and a call of 13 of thread 2. */
static const char parts[] = "version: 1\n"
			    "cmd: prog\n"
			    "events: Ir\n"
			    "pid: 40\nthread: 1\npart: 1\n"
			    "fl=a.c\nfn=main\n1 5\n+1 7\n"
			    "totals: 12\n"
			    "pid: 40\nthread: 2\npart: 2\n"
			    "fn=other\n4 11\ncfn=work\ncalls=2 9\n5 13\nfn=work\n9 13\n"
			    "totals: 24\n";

static const char *put(const char *name, const char *text)
{
	return temp_write(&temp, name, text, strlen(text));
}

static struct tl_input_options everything(void)
{
	return (struct tl_input_options)TL_INPUT_OPTIONS_DEFAULT;
}

/* NULL: refused, with the error in `err`. */
static struct tl_input *open_files(const char *const *names, size_t count,
				   struct tl_input_options options, int *status)
{
	static char paths[4][512];
	const char *list[4];
	struct tl_input *input;

	for (size_t i = 0; i < count; i++) {
		list[i] = paths[i];
		strcpy(paths[i], strcmp(names[i], "-") ? temp_path(&temp, names[i]) : "-");
	}
	*status = tl_input_open(&input, list, count, &options, NULL, &err);
	return input;
}

static struct tl_input *open_one(const char *name, struct tl_input_options options)
{
	int status;
	struct tl_input *input = open_files(&name, 1, options, &status);

	assert_int_equal(status, 0);
	return input;
}

/* The total, and on demand how many lines and calls; what is refused ends the test. */
static int64_t total_of(struct tl_input *input, uint32_t *lines, uint32_t *arcs)
{
	struct tl_profile *profile;
	int64_t total;

	assert_int_equal(tl_input_fold(input, &profile, &err), 0);
	total = tl_profile_total(profile)[0];
	if (lines)
		*lines = tl_profile_line_count(profile);
	if (arcs)
		*arcs = tl_profile_arc_count(profile);
	tl_profile_free(profile);
	return total;
}

/* ---- read again, or once ---- */

TEST(each_operation_reads_the_file_again)
{
	struct tl_input *input;
	struct tl_output *out;

	put("parts", parts);
	input = open_one("parts", everything());
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(total_of(input, NULL, NULL), 36);
	assert_int_equal(total_of(input, NULL, NULL), 36);
	assert_int_equal(tl_input_info(input, TL_REPORT_TEXT, out, &err), 0);
	assert_int_equal(tl_input_check(input, TL_REPORT_TEXT, out, &err), 0);
	assert_int_equal(tl_input_dump(input, TL_REPORT_JSON, out, &err), 0);
	assert_int_equal(total_of(input, NULL, NULL), 36);
	assert_int_equal(tl_input_shares(input), TL_SHARES_ANY);
	tl_output_discard(out);
	tl_input_close(input);
}

TEST(standard_input_is_read_once)
{
	int kept = dup(STDIN_FILENO), file;
	struct tl_input_options options = everything();
	struct tl_profile *profile;
	struct tl_input *input;

	put("parts", parts);
	/* lines in detail, as stacks of what can be read only once are made of them */
	options.detail = TL_DETAIL_STACKS;
	file = open(temp_path(&temp, "parts"), O_RDONLY);
	assert_true(dup2(file, STDIN_FILENO) >= 0);
	input = open_one("-", options);
	assert_int_equal(tl_input_shares(input), 1);
	assert_int_equal(total_of(input, NULL, NULL), 36);
	assert_int_equal(tl_input_fold(input, &profile, &err), TL_BAD_USAGE);
	assert_string_equal(err.text, "standard input can only be read once");
	tl_input_close(input);
	dup2(kept, STDIN_FILENO);
	close(kept);
	close(file);
}

/* What became of a file between two operations. */
TEST(a_file_that_goes_away)
{
	struct tl_profile *profile;
	struct tl_input *input;

	put("parts", parts);
	input = open_one("parts", everything());
	assert_int_equal(total_of(input, NULL, NULL), 36);
	assert_int_equal(unlink(temp_path(&temp, "parts")), 0);
	assert_int_equal(tl_input_fold(input, &profile, &err), TL_IO);
	assert_null(profile);
	tl_input_close(input);
}

/* ---- parts ---- */

TEST(parts_threads_and_processes_are_chosen)
{
	static const struct {
		uint64_t part, thread, process;
		int64_t total;
	} cases[] = {
		{ 0, TL_NOWHERE, TL_NOWHERE, 36 }, { 1, TL_NOWHERE, TL_NOWHERE, 12 },
		{ 2, TL_NOWHERE, TL_NOWHERE, 24 }, { 3, TL_NOWHERE, TL_NOWHERE, 0 },
		{ 0, 1, TL_NOWHERE, 12 },          { 0, 2, TL_NOWHERE, 24 },
		{ 0, TL_NOWHERE, 40, 36 },         { 0, TL_NOWHERE, 41, 0 },
		{ 1, 2, TL_NOWHERE, 0 },           { 2, 2, 40, 24 },
	};

	put("parts", parts);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_input_options options = everything();
		struct tl_input *input;

		options.filter.part = cases[i].part;
		options.filter.thread = cases[i].thread;
		options.filter.process = cases[i].process;
		input = open_one("parts", options);
		assert_int_equal(total_of(input, NULL, NULL), cases[i].total);
		tl_input_close(input);
	}
}

TEST(sums_have_no_times_and_processors)
{
	put("parts", parts);
	for (int i = 0; i < 3; i++) {
		struct tl_input_options options = everything();
		const char *name = "parts";
		int status;

		if (!i)
			options.filter.cpu = 0;
		else
			*(i == 1 ? &options.filter.from_seconds : &options.filter.to_seconds) = 1;
		assert_null(open_files(&name, 1, options, &status));
		assert_int_equal(status, TL_BAD_USAGE);
		assert_string_equal(err.text, "a profile of sums has no times and no processors to "
					      "choose by");
	}
}

/* "Stacks are made of sums of functions; without a call, lines stand in their place." */
TEST(how_much_of_a_profile)
{
	static const char flat[] = "events: Ir\nfl=a.c\nfn=main\n1 5\n2 7\n3 1\n";
	static const struct {
		enum tl_input_detail detail;
		const char *text;
		uint32_t lines, arcs;
	} cases[] = {
		/* main has two lines, other and work one each */
		{ TL_DETAIL_LINES, parts, 4, 1 },    { TL_DETAIL_FUNCTIONS, parts, 3, 1 },
		{ TL_DETAIL_STACKS, parts, 3, 1 },   { TL_DETAIL_LINES, flat, 3, 0 },
		{ TL_DETAIL_FUNCTIONS, flat, 1, 0 }, { TL_DETAIL_STACKS, flat, 3, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_input_options options = everything();
		uint32_t lines, arcs;
		struct tl_input *input;

		put("detail", cases[i].text);
		options.detail = cases[i].detail;
		input = open_one("detail", options);
		total_of(input, &lines, &arcs);
		assert_int_equal(lines, cases[i].lines);
		assert_int_equal(arcs, cases[i].arcs);
		tl_input_close(input);
	}
}

/* ---- two threads read the halves of a large file ---- */

enum { LARGE = 5 << 20 };

/* So many functions in turn, each with lines of its own; the sum of all costs. */
static int64_t write_large(const char *name)
{
	char *text = malloc(LARGE + 200);
	size_t size = (size_t)sprintf(text, "version: 1\nevents: Ir\n");
	int64_t sum = 0;

	assert_non_null(text);
	for (unsigned i = 0; size < LARGE; i++) {
		size += (size_t)sprintf(
			text + size, "fl=(%u) file%u.c\nfn=(%u) function%u\n%u %u\n+3 %u\n",
			1 + i % 7, i % 7, 1 + i % 50, i % 50, i % 90, i % 11, i % 5);
		sum += i % 11 + i % 5;
		if (i % 3)
			continue;
		size += (size_t)sprintf(text + size, "cfn=(%u) function%u\ncalls=2 1\n* %u\n",
					1 + (i + 1) % 50, (i + 1) % 50, i % 4);
	}
	temp_write(&temp, name, text, size);
	free(text);
	return sum;
}

static char *exported(struct tl_input *input)
{
	struct tl_profile *profile;
	struct tl_output *out;
	const char *bytes;
	char *text;
	size_t size;

	assert_int_equal(tl_input_fold(input, &profile, &err), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_exporter_find("callgrind")->write(profile, NULL, out, &err), 0);
	bytes = tl_output_bytes(out, &size);
	text = strndup(bytes, size);
	tl_output_discard(out);
	tl_profile_free(profile);
	return text;
}

TEST(halves_of_a_large_file)
{
	struct tl_input_options options = everything();
	int64_t sum = write_large("large");
	struct tl_input *one, *two;
	char *first, *second;

	options.jobs = 1;
	one = open_one("large", options);
	options.jobs = 2;
	two = open_one("large", options);
	first = exported(one);
	second = exported(two);
	assert_string_equal(first, second);
	free(second);
	/* and once more */
	second = exported(two);
	assert_string_equal(first, second);
	assert_int_equal(total_of(two, NULL, NULL), sum);
	free(first);
	free(second);
	tl_input_close(one);
	tl_input_close(two);
}

/* ---- what is wrong ---- */

#define BAD "not a number in a cost line; skipped the line"

/* With the line itself, which is cut where it is long; of several files with their names. */
TEST(violations_show_their_lines)
{
	static const struct {
		const char *texts[2];
		enum tl_report_form form;
		int64_t found;
		const char *expected;
	} cases[] = {
		{ { "events: Ir\nfn=main\n1 x\n5 5\n+-1 1\n" },
		  TL_REPORT_TEXT,
		  2,
		  "callgrind.cost.number offset 0x13 line 3: " BAD ": \"1 x\"\n"
		  "callgrind.cost.number offset 0x1b line 5: " BAD ": \"+-1 1\"\n" },
		/* a last line without an end is shown all the same */
		{ { "events: Ir\nfn=main\n1 x" },
		  TL_REPORT_JSON,
		  2,
		  "{\"rule\":\"callgrind.line.unended\",\"offset\":19,\"record\":3,\"part\":0,"
		  "\"damage\":true,\"text\":\"the last line has no end, so the file was cut in it, "
		  "or right behind it; kept what is there\",\"source\":\"1 x\"}\n"
		  "{\"rule\":\"callgrind.cost.number\",\"offset\":19,\"record\":3,\"part\":0,"
		  "\"damage\":true,\"text\":\"" BAD "\",\"source\":\"1 x\"}\n" },
		/* 80 bytes of 90, and control characters as JSON has them */
		{ { "events: Ir\nfn=main\n1 "
		    "\t\001345678901234567890123456789012345678901234567890123456"
		    "78901234567890123456789012345678901234567890x\n" },
		  TL_REPORT_TEXT,
		  1,
		  "callgrind.cost.number offset 0x13 line 3: " BAD ": \"1 "
		  "\\t\\u000134567890123456789012345678901234567890123456789012345678901234567"
		  "89012345678\"...\n" },
		{ { "events: Ir\nfn=main\n1 5\n", "events: Ir\nfn=main\n1 x\n" },
		  TL_REPORT_TEXT,
		  1,
		  "callgrind.cost.number ^two offset 0x13 line 3: " BAD ": \"1 x\"\n" },
		{ { "events: Ir\nfn=main\n1 x\n", "events: Ir\nfn=main\n1 5\n" },
		  TL_REPORT_JSON,
		  1,
		  "{\"rule\":\"callgrind.cost.number\",\"offset\":19,\"record\":3,\"part\":0,"
		  "\"file\":\"^one\",\"damage\":true,\"text\":\"" BAD "\",\"source\":\"1 x\"}\n" },
	};
	static const char *const names[] = { "one", "two" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t count = cases[i].texts[1] ? 2 : 1, size, used = 0;
		struct tl_output *out;
		struct tl_input *input;
		const char *bytes;
		char expected[1024];
		int status;

		for (size_t n = 0; n < count; n++)
			put(names[n], cases[i].texts[n]);
		for (const char *c = cases[i].expected; *c; c++)
			used += (size_t)(*c == '^' ? sprintf(expected + used, "%s/", temp.directory)
						   : sprintf(expected + used, "%c", *c));
		input = open_files(names, count, everything(), &status);
		assert_int_equal(status, 0);
		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		assert_int_equal(
			input->format->check(input, cases[i].form == TL_REPORT_JSON, out, &err),
			cases[i].found);
		bytes = tl_output_bytes(out, &size);
		if (size != used || memcmp(bytes, expected, used) != 0)
			fail_msg("%.*sinstead of\n%s", (int)size, bytes, expected);
		tl_output_discard(out);
		tl_input_close(input);
	}
}

/* "With --separate-threads the file without a thread number is empty." */
TEST(the_empty_file_beside_those_of_threads)
{
	static const char *const names[] = { "threads", "threads-01" };
	struct tl_input *input;
	struct tl_output *out;
	int status;

	put("threads", "");
	put("threads-01", parts);
	assert_null(open_files(names, 1, everything(), &status));
	assert_int_equal(status, TL_TRUNCATED);
	assert_string_equal(err.text, "the file is empty (Callgrind with --separate-threads=yes "
				      "writes FILE-01, FILE-02, ...)");
	input = open_files(names, 2, everything(), &status);
	assert_int_equal(status, 0);
	assert_int_equal(total_of(input, NULL, NULL), 36);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_input_check(input, TL_REPORT_TEXT, out, &err), 0);
	tl_output_discard(out);
	tl_input_close(input);
	/* without one beside it, it is only empty */
	unlink(temp_path(&temp, "threads-01"));
	assert_null(open_files(names, 1, everything(), &status));
	assert_string_equal(err.text, "the file is empty");
}

TEST(profiles_of_other_tools_are_named)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "{\"dhatFileVersion\":2,\"mode\":\"heap\"}\n", "profiles of DHAT are not read" },
		{ "desc: (none)\ncmd: ls\ntime_unit: i\n#-----------\nsnapshot=0\n",
		  "snapshots of massif are not read" },
		{ "{\"dhatFile\":2}\n", "not a trace of any format" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *name = "other";
		int status;

		put(name, cases[i].text);
		assert_null(open_files(&name, 1, everything(), &status));
		assert_int_equal(status, TL_BAD_FORMAT);
		assert_non_null(strstr(err.text, cases[i].words));
	}
}

TEST(damage_is_of_the_file_it_is_in)
{
	static const char *const names[] = { "one", "two" };
	struct tl_damage place;
	struct tl_input *input;
	uint64_t skipped;
	int status;

	put("one", "events: Ir\nfn=main\n1 5\n2 y\n");
	put("two", "events: Ir\nfn=main\n1 xyz\n2 6\n");
	input = open_files(names, 2, everything(), &status);
	assert_int_equal(status, 0);
	assert_int_equal(total_of(input, NULL, NULL), 11);
	assert_int_equal(tl_input_damage_count(input, &skipped), 2);
	/* "2 y" and "1 xyz", with their ends */
	assert_int_equal(skipped, 4 + 6);
	assert_int_equal(tl_input_damage(input, 0, &place, sizeof(place)), 1);
	assert_string_equal(place.path, temp_path(&temp, "one"));
	assert_int_equal(place.record, 4);
	assert_int_equal(place.length, 4);
	assert_int_equal(tl_input_damage(input, 1, &place, sizeof(place)), 1);
	assert_string_equal(place.path, temp_path(&temp, "two"));
	assert_int_equal(place.record, 3);
	assert_int_equal(place.offset, 0x13);
	tl_input_close(input);
}

/* ---- cut and written again ---- */

TEST(slices_by_part_thread_and_process)
{
	static const struct {
		uint64_t part;
		int status;
		int64_t total;
	} cases[] = { { 1, 0, 12 }, { 2, 0, 24 }, { 0, 0, 36 }, { 9, TL_BAD_USAGE, 0 } };
	const struct tl_slice all = { .size = sizeof(all),
				      .snapshots = { 0, TL_NOWHERE },
				      .instructions = { 0, TL_NOWHERE } };

	put("parts", parts);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_input_options options = everything();
		struct tl_input *input, *again;
		struct tl_output *out;
		const char *bytes;
		size_t size;

		options.filter.part = cases[i].part;
		input = open_one("parts", options);
		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		assert_int_equal(tl_input_slice(input, &all, out, &err), cases[i].status);
		if (!cases[i].status) {
			bytes = tl_output_bytes(out, &size);
			temp_write(&temp, "slice", bytes, size);
			again = open_one("slice", everything());
			assert_int_equal(total_of(again, NULL, NULL), cases[i].total);
			tl_input_close(again);
		}
		tl_output_discard(out);
		tl_input_close(input);
	}
}

TEST(slices_that_a_profile_cannot_have)
{
	struct tl_output *out;

	put("parts", parts);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	for (size_t i = 0; i < 2 + OTHER_SLICES; i++) {
		struct tl_input_options options = everything();
		struct tl_slice slice = other_slices[i < OTHER_SLICES ? i : 0];
		struct tl_input *input;

		slice.size = sizeof(slice);
		if (i >= OTHER_SLICES) {
			slice.snapshots.from = 0;
			*(i == OTHER_SLICES ? &options.filter.function : &options.filter.object) =
				"main";
		}
		input = open_one("parts", options);
		assert_int_equal(tl_input_slice(input, &slice, out, &err), TL_BAD_USAGE);
		assert_string_equal(err.text,
				    "a Callgrind profile is cut by --part, --thread and --pid");
		tl_input_close(input);
	}
	tl_output_discard(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_operation_reads_the_file_again),
		cmocka_unit_test(standard_input_is_read_once),
		cmocka_unit_test(a_file_that_goes_away),
		cmocka_unit_test(parts_threads_and_processes_are_chosen),
		cmocka_unit_test(sums_have_no_times_and_processors),
		cmocka_unit_test(how_much_of_a_profile),
		cmocka_unit_test(halves_of_a_large_file),
		cmocka_unit_test(violations_show_their_lines),
		cmocka_unit_test(the_empty_file_beside_those_of_threads),
		cmocka_unit_test(profiles_of_other_tools_are_named),
		cmocka_unit_test(damage_is_of_the_file_it_is_in),
		cmocka_unit_test(slices_by_part_thread_and_process),
		cmocka_unit_test(slices_that_a_profile_cannot_have),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
