/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations on inputs of a format whose answers the test gives (toy.h): which of them a format may
 * lack, which take one file, how several files are one profile, and how failures are passed on.
 */
#include "toy.h"

#include "export/coverage/coverage_exporters.h"

static struct tl_output *out;
static struct tl_error err;

/* What was written since, terminated; valid until the next call. */
static const char *written(void)
{
	static char text[4096];
	static size_t before;
	size_t size;
	const char *bytes = tl_output_bytes(out, &size);

	assert_true(size - before < sizeof(text));
	memcpy(text, bytes + before, size - before);
	text[size - before] = '\0';
	before = size;
	return text;
}

static int set_up(void **state)
{
	temp_setup(state);
	return tl_output_open_memory(&out, NULL);
}

static int tear_down(void **state)
{
	tl_output_discard(out);
	return temp_teardown(state);
}

/* ---- every operation, as one call ---- */

enum form { TEXT = TL_REPORT_TEXT, CSV = TL_REPORT_CSV, JSON = TL_REPORT_JSON };

static int64_t call(struct tl_input *input, enum toy_operation operation, enum form form)
{
	const enum tl_report_form report_form = (enum tl_report_form)form;
	const struct tl_slice slice = { .size = sizeof(slice) };
	const struct tl_analysis analysis = { .size = sizeof(analysis), .analyses = 6 };
	struct tl_profile *profile;
	int status;

	err = (struct tl_error){ .text = "" };
	input->options.dump.flags = operation == TOY_RULES ? TL_DUMP_RULES : 0;
	switch (operation) {
	case TOY_FOLD:
		status = tl_input_fold(input, &profile, &err);
		tl_profile_free(profile);
		return status;
	case TOY_DESCRIBE:
		return tl_input_info(input, report_form, out, &err);
	case TOY_DUMP:
		return tl_input_dump(input, report_form, out, &err);
	case TOY_CHECK:
	case TOY_RULES:
		return tl_input_check(input, report_form, out, &err);
	case TOY_TIMELINE:
		return tl_input_timeline(input, "chrome", out, &err);
	case TOY_REENCODE:
		return tl_input_reencode(input, "toy", NULL, out, &err);
	case TOY_SLICE:
		return tl_input_slice(input, &slice, out, &err);
	case TOY_ANALYZE:
		return tl_input_analyze(input, &analysis, out, NULL, &err);
	case TOY_WRITE:
		return tl_input_reencode(input, "tarmac", NULL, out, &err);
	default:
		return tl_input_reencode(input, "edges", NULL, out, &err);
	}
}

/* What each says where the format lacks it, and what it writes where not. */
static const struct {
	enum toy_operation operation;
	const char *lacking, *text;
	bool one_file;
} operations[] = {
	{ TOY_FOLD, "this format holds no costs, so no profile can be made of it", "", false },
	{ TOY_DESCRIBE, "nothing can be said about files of this format", "described\n", true },
	{ TOY_DUMP, "this format has no records to show", "dumped\n", true },
	{ TOY_CHECK, "this format has no rules to check", "checked\n", true },
	{ TOY_RULES, "the rules of this format have no list", "rules\n", true },
	{ TOY_TIMELINE, "this format holds no times, so no timeline can be made of it", NULL,
	  true },
	{ TOY_REENCODE, "this format is read, but not written", "toy again, -\n", true },
	{ TOY_SLICE, "traces of this format cannot be cut", "sliced\n", true },
	{ TOY_ANALYZE, "this format holds no instructions and accesses that can be analyzed",
	  "analyzed 6\n", false },
	{ TOY_WRITE, "records of this format are not written in that one", "written\n", false },
	{ TOY_COVERAGE, "how often code ran is known for traces of a processor alone", "covered\n",
	  true },
};

enum { COUNT = sizeof(operations) / sizeof(operations[0]) };

static const struct tl_format bare_format = {
	.info = { .name = "toy", .help = "", .record_word = "record" },
	.close = toy_close,
};

TEST(operations_that_a_format_lacks)
{
	struct toy toy = { .cost = 5 };
	struct tl_input *input = toy_input(&bare_format, &toy, "bare");

	for (size_t i = 0; i < COUNT; i++) {
		assert_int_equal(call(input, operations[i].operation, TEXT), TL_UNSUPPORTED);
		assert_string_equal(err.text, operations[i].lacking);
		assert_string_equal(written(), "");
	}
	assert_null(tl_input_binary(input, "prog"));
	assert_int_equal(tl_input_code(input, "prog", 0, (uint8_t[4]){ 0 }, 4), 0);
	/* a name that is that of nothing */
	assert_int_equal(tl_input_reencode(input, "nothing", NULL, out, &err), TL_UNSUPPORTED);
	assert_string_equal(err.text, "the input cannot be written in that format");
	tl_input_close(input);
}

/* An answer reaches the caller, and so does a failure with its place. */
TEST(operations_are_called_once)
{
	for (size_t i = 0; i < COUNT; i++) {
		const enum toy_operation operation = operations[i].operation;
		struct toy toy = { .cost = 5 };
		struct tl_input *input = toy_input(&toy_format, &toy, "whole");

		assert_int_equal(call(input, operation, TEXT), 0);
		if (operations[i].text)
			assert_string_equal(written(), operations[i].text);
		else
			assert_non_null(strstr(written(), "traceEvents"));
		for (int other = 0; other < TOY_OPERATIONS; other++)
			assert_int_equal(toy.calls[other], other == (int)operation);
		toy.answers[operation] = TL_BAD_RECORD;
		assert_int_equal(call(input, operation, TEXT), TL_BAD_RECORD);
		assert_string_equal(err.text, "as the toy was told");
		assert_int_equal(err.offset, 7);
		written();
		tl_input_close(input);
	}
}

TEST(what_takes_one_file)
{
	for (size_t i = 0; i < COUNT; i++) {
		struct toy toys[2] = { { .cost = 5 }, { .cost = 7 } };
		struct tl_input *input = toy_input(&toy_format, &toys[0], "one");
		int64_t status;

		toy_join(input, toy_input(&toy_format, &toys[1], "two"));
		status = call(input, operations[i].operation, TEXT);
		if (operations[i].one_file) {
			assert_int_equal(status, TL_BAD_USAGE);
			assert_string_equal(
				err.text, "this shows one file at a time; report, tree, stacks and "
					  "convert take several");
			assert_string_equal(written(), "");
			assert_int_equal(toys[0].calls[operations[i].operation], 0);
		} else {
			assert_int_equal(status, 0);
			written();
		}
		tl_input_close(input);
	}
}

/* "of the processes of one program": a timeline may have several files then. */
TEST(a_timeline_of_several_processes)
{
	struct tl_format joining = toy_format;
	struct toy toys[2] = { { .cost = 5 }, { .cost = 7 } };
	struct tl_input *input;

	joining.info.joins_processes = true;
	input = toy_input(&joining, &toys[0], "one");
	toy_join(input, toy_input(&joining, &toys[1], "two"));
	assert_int_equal(call(input, TOY_TIMELINE, TEXT), 0);
	assert_int_equal(toys[0].calls[TOY_TIMELINE], 1);
	written();
	assert_int_equal(tl_input_timeline(input, "none", out, &err), TL_BAD_USAGE);
	assert_int_equal(toys[0].calls[TOY_TIMELINE], 1);
	tl_input_close(input);
}

/* ---- forms ---- */

/* "only facts, violations and tables have a CSV form" */
TEST(forms_of_listings)
{
	static const struct {
		enum toy_operation operation;
		enum form form;
		int64_t answer, status;
		const char *json, *text;
	} cases[] = {
		{ TOY_DESCRIBE, TEXT, 0, 0, "{}", "described\n" },
		{ TOY_DESCRIBE, JSON, 0, 0, "{\"a\":1}\n", "{\"a\":1}\n" },
		{ TOY_DESCRIBE, CSV, 0, 0, "{\"a\":1,\"b\":{\"c\":\"x,y\"}}\n",
		  "fact,value\na,1\nb.c,\"x,y\"\n" },
		{ TOY_DESCRIBE, CSV, TL_IO, TL_IO, "{\"a\":1}\n", "" },
		{ TOY_DUMP, JSON, 0, 0, "", "dumped as JSON\n" },
		{ TOY_DUMP, CSV, 0, TL_BAD_USAGE, "", "" },
		{ TOY_CHECK, JSON, 3, 3, "{\"rule\":1}\n", "{\"rule\":1}\n" },
		{ TOY_CHECK, CSV, 2, 2, "{\"rule\":1}\n{\"rule\":2,\"at\":3}\n",
		  "rule,at\n1,\n2,3\n" },
		{ TOY_CHECK, CSV, TL_BAD_FORMAT, TL_BAD_FORMAT, "{\"rule\":1}\n", "" },
		{ TOY_CHECK, TEXT, 4, 4, "", "checked\n" },
		{ TOY_RULES, JSON, 9, 9, "{\"name\":\"r\"}\n", "{\"name\":\"r\"}\n" },
		{ TOY_RULES, CSV, 1, 1, "{\"name\":\"r\"}\n", "name\nr\n" },
		{ TOY_RULES, TEXT, 0, 0, "", "rules\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct toy toy = { .json = cases[i].json };
		struct tl_input *input = toy_input(&toy_format, &toy, "forms");

		toy.answers[cases[i].operation] = cases[i].answer;
		assert_int_equal(call(input, cases[i].operation, cases[i].form), cases[i].status);
		assert_string_equal(written(), cases[i].text);
		assert_int_equal(toy.calls[cases[i].operation],
				 cases[i].operation != TOY_DUMP || cases[i].form != CSV);
		tl_input_close(input);
	}
}

/* ---- several files as one profile ---- */

/*
 * Costs 5 and 7 of the same line; each operation once a file, and what relates them, once in all.
 */
TEST(a_profile_of_several_files)
{
	struct tl_format related = toy_format;
	struct toy toys[3] = { { .cost = 5 }, { .cost = 7 }, { .cost = 11 } };
	struct tl_profile *profile;
	struct tl_input *input;

	related.relate = toy_relate;
	input = toy_input(&related, &toys[0], "a");
	toy_join(input, toy_input(&related, &toys[1], "b"));
	toy_join(input, toy_input(&related, &toys[2], "c"));
	assert_int_equal(tl_input_fold(input, &profile, &err), 0);
	assert_int_equal(tl_profile_total(profile)[0], 23);
	assert_int_equal(tl_profile_part_count(profile), 3);
	tl_profile_free(profile);
	for (size_t number = 0; number < 3; number++) {
		assert_int_equal(tl_input_fold_file(input, number, &profile, &err), 0);
		assert_int_equal(tl_profile_total(profile)[0], toys[number].cost);
		tl_profile_free(profile);
	}
	assert_int_equal(toys[0].calls[TOY_RELATE], 1);
	assert_int_equal(input->other_count, 2);
	assert_int_equal(tl_input_fold_file(input, 3, &profile, &err), TL_BAD_USAGE);
	assert_null(profile);
	assert_string_equal(err.text, "the input has no such file");
	tl_input_close(input);
}

/* What cannot be compared is no profile, and is tried again the next time. */
TEST(files_that_cannot_be_related)
{
	struct tl_format related = toy_format;
	struct toy toy = { .cost = 5, .answers[TOY_RELATE] = TL_BAD_FORMAT };
	struct tl_profile *profile;
	struct tl_input *input;

	related.relate = toy_relate;
	input = toy_input(&related, &toy, "a");
	assert_int_equal(tl_input_fold(input, &profile, &err), TL_BAD_FORMAT);
	assert_int_equal(tl_input_fold_file(input, 0, &profile, &err), TL_BAD_FORMAT);
	assert_int_equal(toy.calls[TOY_RELATE], 2);
	assert_int_equal(toy.calls[TOY_FOLD], 0);
	toy.answers[TOY_RELATE] = 0;
	assert_int_equal(tl_input_fold(input, &profile, &err), 0);
	tl_profile_free(profile);
	tl_input_close(input);
}

/* The file that the error is about, wherever it stands; NULL is the first. */
TEST(a_file_that_cannot_be_folded)
{
	static const char *const names[] = { "a", "b", "c" };

	for (size_t bad = 0; bad < 3; bad++) {
		struct toy toys[3] = { { .cost = 5 }, { .cost = 7 }, { .cost = 11 } };
		struct tl_profile *profile;
		struct tl_input *input = toy_input(&toy_format, &toys[0], names[0]);

		toy_join(input, toy_input(&toy_format, &toys[1], names[1]));
		toy_join(input, toy_input(&toy_format, &toys[2], names[2]));
		toys[bad].answers[TOY_FOLD] = TL_BAD_RECORD;
		assert_int_equal(tl_input_fold(input, &profile, &err), TL_BAD_RECORD);
		assert_null(profile);
		if (bad)
			assert_string_equal(tl_input_failed(input), temp_path(&temp, names[bad]));
		else
			assert_null(tl_input_failed(input));
		for (size_t i = 0; i < 3; i++)
			assert_int_equal(toys[i].calls[TOY_FOLD], i <= bad);
		tl_input_close(input);
	}
}

/* "Ticks of different clocks have no sum": files without ticks go with any. */
TEST(clocks_of_several_files)
{
	static const struct {
		uint64_t frequency[3];
		const char *failed; /* NULL: none */
	} cases[] = {
		{ { 1000, 1000, 1000 }, NULL }, { { 0, 0, 0 }, NULL },
		{ { 0, 1000, 1000 }, NULL },    { { 1000, 0, 1000 }, NULL },
		{ { 1000, 2000, 0 }, "b" },     { { 1000, 1000, 1001 }, "c" },
		{ { 0, 1000, 2000 }, "c" },     { { 1000, 0, 7 }, "c" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct toy toys[3] = { { .cost = 5 }, { .cost = 7 }, { .cost = 11 } };
		struct tl_profile *profile;
		struct tl_input *input;
		int status;

		for (size_t n = 0; n < 3; n++)
			toys[n].frequency = cases[i].frequency[n];
		input = toy_input(&toy_format, &toys[0], "a");
		toy_join(input, toy_input(&toy_format, &toys[1], "b"));
		toy_join(input, toy_input(&toy_format, &toys[2], "c"));
		status = tl_input_fold(input, &profile, &err);
		assert_int_equal(status, cases[i].failed ? TL_BAD_USAGE : 0);
		if (cases[i].failed) {
			assert_string_equal(tl_input_failed(input),
					    temp_path(&temp, cases[i].failed));
			assert_string_equal(err.text,
					    "the profiles count ticks of different clocks, "
					    "which have no exact sum; --nanoseconds makes "
					    "nanoseconds of them");
		}
		tl_profile_free(profile);
		tl_input_close(input);
	}
}

/* ---- options of a profile ---- */

/* Each way to choose a part of the instructions, where they have no numbers. */
TEST(parts_of_formats_without_numbers)
{
	static const struct tl_input_part parts[] = {
		{ .instructions = { 1, 0 } },
		{ .instructions = { 0, 5 } },
		{ .snapshots = { 1, 0 } },
		{ .snapshots = { 0, 5 } },
		{ .level = 1 },
		{ .interval = 7 },
		{ .split = 1 },
	};
	struct tl_format numbered = toy_format;

	numbered.numbers_instructions = true;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (int has_numbers = 0; has_numbers < 2; has_numbers++) {
			struct toy toy = { .cost = 5 };
			struct tl_input *input =
				toy_input(has_numbers ? &numbered : &toy_format, &toy, "part");

			input->options.part = parts[i];
			assert_int_equal(call(input, TOY_FOLD, TEXT),
					 has_numbers ? 0 : TL_BAD_USAGE);
			assert_int_equal(toy.calls[TOY_FOLD], has_numbers);
			if (!has_numbers)
				assert_string_equal(
					err.text, "this format has no numbers of instructions, "
						  "snapshots, exception levels and tasks to choose "
						  "by");
			tl_input_close(input);
		}
}

TEST(formulas_and_filters_of_a_profile)
{
	static const char *const formulas[] = { "Twice=2*Ir", "Four=2*Twice" };
	struct toy toy = { .cost = 5 };
	struct tl_input *input = toy_input(&toy_format, &toy, "formulas");
	struct tl_profile *profile;

	input->options.formulas = formulas;
	input->options.formula_count = 2;
	assert_int_equal(tl_input_fold(input, &profile, &err), 0);
	assert_int_equal(tl_profile_event_count(profile), 3);
	assert_int_equal(tl_profile_total(profile)[1], 10);
	assert_int_equal(tl_profile_total(profile)[2], 20);
	assert_true(tl_profile_chosen(profile, 0));
	tl_profile_free(profile);
	input->options.filter.function = "^other$";
	assert_int_equal(tl_input_fold(input, &profile, &err), 0);
	assert_false(tl_profile_chosen(profile, 0));
	tl_profile_free(profile);
	input->options.filter.function = NULL;
	input->options.filter.object = "prog";
	assert_int_equal(tl_input_fold(input, &profile, &err), 0);
	assert_true(tl_profile_chosen(profile, 0));
	tl_profile_free(profile);
	input->options.filter.object = "[";
	assert_int_equal(tl_input_fold(input, &profile, &err), TL_BAD_USAGE);
	assert_null(profile);
	input->options.filter.object = NULL;
	input->options.formulas = (const char *const[]){ "Sum=2*None" };
	input->options.formula_count = 1;
	assert_true(tl_input_fold(input, &profile, &err) < 0);
	assert_null(profile);
	tl_input_close(input);
}

/* ---- damage ---- */

static const struct tl_damage places[] = {
	{ .status = TL_BAD_RECORD, .text = "first", .offset = 10, .length = 4, .record = 2 },
	{ .status = TL_OK, .text = "remark", .offset = TL_NOWHERE, .record = TL_NOWHERE },
};

/* What was said of the files is said of their profile, and counts for the caller all the same. */
TEST(damage_is_kept_with_the_profile)
{
	struct tl_format keeping = toy_format;
	struct toy toys[2] = { { .damage = { places[0], places[1] }, .damage_count = 2 },
			       { .damage = { places[0] }, .damage_count = 1 } };
	struct tl_profile *profile;
	struct tl_damage place;
	struct tl_input *input = toy_input(&toy_format, &toys[0], "a");
	uint64_t skipped;

	toy_join(input, toy_input(&toy_format, &toys[1], "b"));
	assert_int_equal(tl_input_fold(input, &profile, &err), 0);
	assert_int_equal(profile->notes.count, 3);
	assert_int_equal(profile->notes.list[0].status, TL_BAD_RECORD);
	assert_string_equal(profile->notes.list[0].text, "first");
	assert_string_equal(profile->notes.list[0].format, "toy");
	assert_int_equal(profile->notes.list[0].offset, 10);
	assert_int_equal(profile->notes.list[0].length, 4);
	assert_int_equal(profile->notes.list[0].record, 2);
	assert_string_equal(profile->notes.list[1].text, "remark");
	tl_profile_free(profile);
	/* to the caller nothing was counted yet */
	assert_int_equal(tl_input_damage(input, 0, &place, sizeof(place)), 0);
	assert_int_equal(tl_input_damage_count(input, &skipped), 3);
	assert_int_equal(skipped, 30);
	/* those of the first file have no path, those of the others have */
	assert_int_equal(tl_input_damage(input, 1, &place, sizeof(place)), 1);
	assert_null(place.path);
	assert_int_equal(tl_input_damage(input, 2, &place, sizeof(place)), 1);
	assert_string_equal(place.path, temp_path(&temp, "b"));
	assert_int_equal(tl_input_damage(input, 3, &place, sizeof(place)), 0);
	assert_int_equal(tl_input_damage_count(input, NULL), 3);
	/* a single file has what was said of it */
	assert_int_equal(tl_input_fold_file(input, 1, &profile, &err), 0);
	assert_int_equal(profile->notes.count, 1);
	tl_profile_free(profile);
	tl_input_close(input);
	/* a format that does it itself is not helped */
	keeping.keeps_notes = true;
	input = toy_input(&keeping, &toys[0], "a");
	assert_int_equal(tl_input_fold(input, &profile, &err), 0);
	assert_int_equal(profile->notes.count, 0);
	tl_profile_free(profile);
	tl_input_close(input);
}

/* ---- written in another form ---- */

TEST(versions_are_of_the_format_itself)
{
	struct toy toy = { .cost = 5 };
	struct tl_input *input = toy_input(&toy_format, &toy, "versions");

	assert_int_equal(tl_input_reencode(input, "toy", "3", out, &err), 0);
	assert_string_equal(written(), "toy again, 3\n");
	assert_int_equal(tl_input_reencode(input, "tarmac", "3", out, &err), TL_BAD_USAGE);
	assert_string_equal(err.text, "this format has no versions");
	assert_int_equal(tl_input_reencode(input, "edges", "3", out, &err), TL_BAD_USAGE);
	assert_string_equal(written(), "");
	assert_int_equal(toy.calls[TOY_WRITE] + toy.calls[TOY_COVERAGE], 0);
	tl_input_close(input);
}

/* The lines of a profile stand in for what a format does not count: line 3 of main.c, 5 times. */
TEST(lines_of_a_profile_instead_of_coverage)
{
	static const char tracefile[] = "SF:main.c\n";
	struct tl_format sums = toy_format;
	struct toy toy = { .cost = 5 };
	struct tl_input *input;
	const char *text;

	sums.coverage = NULL;
	input = toy_input(&sums, &toy, "lcov");
	assert_int_equal(tl_input_reencode(input, "lcov", NULL, out, &err), 0);
	text = written();
	assert_non_null(strstr(text, tracefile));
	assert_non_null(strstr(text, "\nDA:3,5\n"));
	assert_int_equal(toy.calls[TOY_FOLD], 1);
	/* no other form of coverage has lines alone */
	assert_int_equal(tl_input_reencode(input, "drcov", NULL, out, &err), TL_UNSUPPORTED);
	tl_input_close(input);
	/* nor where the profile has none, or there is neither */
	sums.fold = NULL;
	input = toy_input(&sums, &toy, "lcov");
	assert_int_equal(tl_input_reencode(input, "lcov", NULL, out, &err), TL_UNSUPPORTED);
	tl_input_close(input);
	/* a file of samples in a format that may have a trace */
	input = toy_input(&toy_format, &toy, "lcov");
	toy.answers[TOY_COVERAGE] = TL_UNSUPPORTED;
	assert_int_equal(tl_input_reencode(input, "lcov", NULL, out, &err), 0);
	assert_non_null(strstr(written(), "\nDA:3,5\n"));
	assert_int_equal(tl_input_reencode(input, "edges", NULL, out, &err), TL_UNSUPPORTED);
	tl_input_close(input);
}

/* ---- programs and their code ---- */

/* The first file that has the object. */
TEST(programs_of_several_files)
{
	struct toy toys[3] = { { .cost = 5, .binary_of = "lib" },
			       { .cost = 7, .binary_of = "prog" },
			       { .cost = 11, .binary_of = "prog" } };
	struct tl_input *input = toy_input(&toy_format, &toys[0], "a");
	uint8_t bytes[2] = { 0 };

	toy_join(input, toy_input(&toy_format, &toys[1], "b"));
	toy_join(input, toy_input(&toy_format, &toys[2], "c"));
	assert_ptr_equal(tl_input_binary(input, "lib"), input);
	assert_ptr_equal(tl_input_binary(input, "prog"), input->others[0]);
	assert_null(tl_input_binary(input, "none"));
	assert_int_equal(tl_input_code(input, "prog", 1, bytes, 2), 1);
	assert_int_equal(bytes[0], 7);
	assert_int_equal(tl_input_code(input, "lib", 1, bytes, 2), 1);
	assert_int_equal(bytes[0], 5);
	assert_int_equal(tl_input_code(input, "none", 1, bytes, 2), 0);
	tl_input_close(input);
}

/* ---- structs of callers ---- */

TEST(sizes_that_are_too_small)
{
	struct toy toy = { .cost = 5 };
	struct tl_input *input = toy_input(&toy_format, &toy, "sizes");
	const struct tl_slice slice = { .size = sizeof(slice) - 1 };
	const struct tl_analysis analysis = { .size = sizeof(analysis) - 1 };
	const char *failed = "not yet";

	assert_int_equal(tl_input_slice(input, &slice, out, &err), TL_BAD_USAGE);
	assert_int_equal(tl_input_analyze(input, &analysis, out, &failed, &err), TL_BAD_USAGE);
	assert_null(failed);
	assert_int_equal(toy.calls[TOY_SLICE] + toy.calls[TOY_ANALYZE], 0);
	tl_input_close(input);
}

TEST(the_file_that_an_analysis_fails_by)
{
	struct toy toy = { .answers[TOY_ANALYZE] = TL_BAD_FORMAT };
	struct tl_input *input = toy_input(&toy_format, &toy, "analysis");
	const struct tl_analysis analysis = { .size = sizeof(analysis) };
	const char *failed = NULL;

	assert_int_equal(tl_input_analyze(input, &analysis, out, &failed, &err), TL_BAD_FORMAT);
	assert_string_equal(failed, "caches.cfg");
	toy.answers[TOY_ANALYZE] = 0;
	assert_int_equal(tl_input_analyze(input, &analysis, out, &failed, &err), 0);
	assert_null(failed);
	written();
	tl_input_close(input);
}

/* ---- files that change ---- */

/* "a result must not stand on bytes that went away", of whichever file */
TEST(files_that_become_shorter)
{
	for (size_t changed = 0; changed < 2; changed++) {
		struct toy toys[2] = { { .cost = 5 }, { .cost = 7 } };
		static const char *const names[] = { "a", "b" };
		struct tl_input *input = toy_input(&toy_format, &toys[0], names[0]);
		struct tl_profile *profile;

		toy_join(input, toy_input(&toy_format, &toys[1], names[1]));
		assert_int_equal(truncate(temp_path(&temp, names[changed]), 1), 0);
		assert_int_equal(tl_input_fold(input, &profile, &err), TL_IO);
		assert_null(profile);
		assert_string_equal(err.text, "input changed while it was read");
		assert_string_equal(tl_input_failed(input), temp_path(&temp, names[changed]));
		tl_input_close(input);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_that_a_format_lacks),
		cmocka_unit_test(operations_are_called_once),
		cmocka_unit_test(what_takes_one_file),
		cmocka_unit_test(a_timeline_of_several_processes),
		cmocka_unit_test(forms_of_listings),
		cmocka_unit_test(a_profile_of_several_files),
		cmocka_unit_test(files_that_cannot_be_related),
		cmocka_unit_test(a_file_that_cannot_be_folded),
		cmocka_unit_test(clocks_of_several_files),
		cmocka_unit_test(parts_of_formats_without_numbers),
		cmocka_unit_test(formulas_and_filters_of_a_profile),
		cmocka_unit_test(damage_is_kept_with_the_profile),
		cmocka_unit_test(versions_are_of_the_format_itself),
		cmocka_unit_test(lines_of_a_profile_instead_of_coverage),
		cmocka_unit_test(programs_of_several_files),
		cmocka_unit_test(sizes_that_are_too_small),
		cmocka_unit_test(the_file_that_an_analysis_fails_by),
		cmocka_unit_test(files_that_become_shorter),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
