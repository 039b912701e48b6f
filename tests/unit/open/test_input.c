/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs: recognised, opened, asked. Quotes are from <tracelathe/open.h>. */
#include "../xray/bytes.h"

#include <errno.h>
#include <zlib.h>

#include <tracelathe/open.h>

#include "../temp_fixture.h"

static struct tl_input_options everything(void)
{
	return (struct tl_input_options)TL_INPUT_OPTIONS_DEFAULT;
}

/* Writes a file and returns its path, for free(). */
static char *write_file(const char *name, const void *data, size_t size)
{
	return strdup(temp_write(&temp, name, data, size));
}

static char *path_of(const char *name)
{
	return strdup(temp_path(&temp, name));
}

/*
 * t: 100 enter 1, 110 enter 2, 120 enter 3, 130 exit 1 (2 and 3 are deduced), 140 exit 9 (an
 * orphan), 150 enter 2, 160 exit 2
 */
static char *write_trace(uint64_t frequency)
{
	struct bytes b = { 0 };
	size_t start;
	char *path;

	put_header(&b, 5, FDR, frequency, 16384);
	start = begin_block(&b, 1, 2, 100);
	put_function(&b, ENTER, 1, 0);
	put_function(&b, ENTER, 2, 10);
	put_function(&b, ENTER, 3, 10);
	put_function(&b, EXIT, 1, 10);
	put_function(&b, EXIT, 9, 10);
	put_function(&b, ENTER, 2, 10);
	put_function(&b, EXIT, 2, 10);
	end_block(&b, start);
	path = write_file("trace", b.data, b.size);
	free_bytes(&b);
	return path;
}

static char *write_profiling(void)
{
	static const int32_t path[] = { 2, 1, 0 };
	struct bytes b = { 0 };
	size_t start;
	char *file;

	put_profiling_header(&b, 0, 1);
	start = begin_samples(&b, 0, 5);
	put_sample(&b, path, 1, 7);
	end_samples(&b, start);
	file = write_file("profile", b.data, b.size);
	free_bytes(&b);
	return file;
}

static struct tl_input *open_path(const char *path, const struct tl_input_options *options)
{
	struct tl_input *input;

	assert_int_equal(tl_input_open(&input, &path, 1, options, NULL, NULL), 0);
	return input;
}

static int try_open_at(const char *path, const struct tl_input_options *options,
		       const char **failed, struct tl_error *err)
{
	struct tl_input *input = (struct tl_input *)1;
	int status = tl_input_open(&input, &path, 1, options, failed, err);

	if (status < 0)
		assert_null(input);
	else
		tl_input_close(input);
	return status;
}

/* ---- opening ---- */

TEST(formats_are_recognised_by_content)
{
	char *paths[2] = { write_trace(1000), write_profiling() };

	for (int i = 0; i < 2; i++) {
		struct tl_input *input = open_path(paths[i], NULL);

		assert_string_equal(tl_input_format(input)->name, "xray");
		tl_input_close(input);
		free(paths[i]);
	}
	assert_string_equal(tl_format_info(0)->name, "xray");
}

TEST(what_is_no_trace)
{
	static const struct {
		const char *name, *content, *format;
		size_t size;
		int status;
		uint64_t offset;
	} cases[] = {
		{ "text", "hello, world\n", NULL, 13, TL_BAD_FORMAT, 0 },
		{ "empty", "", NULL, 0, TL_TRUNCATED, 0 },
		{ "empty", "", "xray", 0, TL_TRUNCATED, 0 },
		{ "short", "\5\0\1\0abc", NULL, 7, TL_TRUNCATED, 7 },
		/* A format that is forced says what it does not like. */
		{ "text", "hello, world, and 32 bytes of it", "xray", 32, TL_BAD_FORMAT, 2 },
		{ "text", "hello", "no-such-format", 5, TL_BAD_USAGE, TL_NOWHERE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *path = write_file(cases[i].name, cases[i].content, cases[i].size);
		struct tl_input_options options = everything();
		struct tl_error err = { .status = TL_OK };
		const char *failed = NULL;

		options.format = cases[i].format;
		assert_int_equal(try_open_at(path, &options, &failed, &err), cases[i].status);
		assert_int_equal(err.status, cases[i].status);
		assert_true(err.offset == cases[i].offset);
		assert_ptr_equal(failed, path);
		free(path);
	}
}

/* "failed: set to the path the error is about" */
TEST(the_right_file_is_to_blame)
{
	char *trace = write_trace(1000), *missing = path_of("missing"),
	     *text = write_file("text", "no ELF", 6);
	struct tl_binary_spec binary = { .path = missing };
	struct tl_input_options options = everything();
	const char *paths[] = { trace, text }, *failed;
	struct tl_input *input;
	struct tl_error err;

	assert_int_equal(try_open_at(missing, NULL, &failed, &err), TL_IO);
	assert_ptr_equal(failed, missing);
	assert_int_equal(err.sys_errno, ENOENT);
	options.programs.map = missing;
	assert_int_equal(try_open_at(trace, &options, &failed, &err), TL_IO);
	assert_ptr_equal(failed, missing);
	options.programs.map = NULL;
	options.programs.binaries = &binary;
	options.programs.binary_count = 1;
	assert_int_equal(try_open_at(trace, &options, &failed, &err), TL_IO);
	assert_ptr_equal(failed, missing);
	binary.path = text;
	assert_int_equal(try_open_at(trace, &options, &failed, &err), TL_BAD_FORMAT);
	assert_ptr_equal(failed, text);
	/* Further files are of the format of the first: this one is too short to be. */
	assert_int_equal(tl_input_open(&input, paths, 2, NULL, &failed, &err), TL_TRUNCATED);
	assert_ptr_equal(failed, text);
	assert_null(input);
	assert_int_equal(tl_input_open(&input, NULL, 0, NULL, &failed, &err), TL_BAD_USAGE);
	assert_null(failed);
	assert_null(input);
	tl_input_close(NULL);
	free(trace);
	free(missing);
	free(text);
}

TEST(options_that_make_no_sense)
{
	char *path = write_trace(0);
	struct tl_input_options options = everything();
	struct tl_error err;

	/* A window of seconds needs to know how long a tick is. */
	options.filter.from_seconds = 0.5;
	assert_int_equal(try_open_at(path, &options, NULL, &err), TL_BAD_USAGE);
	assert_int_equal(err.offset, 8);
	options = everything();
	options.filter.to_seconds = 0.5;
	assert_int_equal(try_open_at(path, &options, NULL, &err), TL_BAD_USAGE);
	/* "to < 0 or 0: open" */
	options.filter.to_seconds = -1;
	assert_int_equal(try_open_at(path, &options, NULL, &err), 0);
	options = everything();
	options.xray.bit_order = (enum tl_bit_order)3;
	assert_int_equal(try_open_at(path, &options, NULL, &err), TL_BAD_USAGE);
	options.xray.bit_order = TL_BITS_LOW;
	assert_int_equal(try_open_at(path, &options, NULL, &err), 0);
	free(path);
}

/* ---- folding ---- */

static int64_t folded_total(const char *path, const struct tl_input_options *options)
{
	struct tl_input *input = open_path(path, options);
	struct tl_profile *profile;
	int64_t total;

	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	total = *tl_profile_total(profile);
	tl_profile_free(profile);
	tl_input_close(input);
	return total;
}

/*
 * "Filters by thread, process, cpu and time decide what counts"; "window from the first record on"
 */
TEST(filters_decide_what_counts)
{
	char *path = write_trace(1000);
	struct tl_input_options options = everything();

	/* 1: 100..130, 2: 150..160 */
	assert_int_equal(folded_total(path, NULL), 40);
	options.filter.from_seconds = 0.010;
	assert_int_equal(folded_total(path, &options), 30);
	options.filter.to_seconds = 0.025;
	assert_int_equal(folded_total(path, &options), 15);
	options = everything();
	options.filter.thread = 3;
	assert_int_equal(folded_total(path, &options), 0);
	options.filter.thread = 2;
	assert_int_equal(folded_total(path, &options), 40);
	options.filter.cpu = 7;
	assert_int_equal(folded_total(path, &options), 0);
	free(path);
}

/* "those by function and object only choose what tables show" */
TEST(a_function_filter_chooses)
{
	char *path = write_trace(1000);
	struct tl_input_options options = everything();
	struct tl_profile *profile;
	struct tl_input *input;

	options.filter.function = "^#[12]$";
	input = open_path(path, &options);
	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	assert_int_equal(*tl_profile_total(profile), 40);
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		assert_int_equal(tl_profile_chosen(profile, i),
				 tl_profile_function(profile, i)->id <= 2);
	tl_profile_free(profile);
	tl_input_close(input);
	free(path);
}

TEST(a_bad_expression_is_bad_usage)
{
	char *path = write_trace(1000);

	for (int i = 0; i < 2; i++) {
		struct tl_input_options options = everything();
		struct tl_error err = { .status = TL_OK };
		struct tl_profile *profile = (struct tl_profile *)1;
		struct tl_input *input;
		struct tl_output *out;

		*(i ? &options.filter.object : &options.filter.function) = "(";
		input = open_path(path, &options);
		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		assert_int_equal(tl_input_fold(input, &profile, &err), TL_BAD_USAGE);
		assert_null(profile);
		assert_int_equal(err.status, TL_BAD_USAGE);
		assert_int_equal(tl_input_dump(input, TL_REPORT_JSON, out, &err), TL_BAD_USAGE);
		assert_int_equal(tl_input_timeline(input, NULL, out, &err), TL_BAD_USAGE);
		tl_output_discard(out);
		tl_input_close(input);
	}
	free(path);
}

/* ---- what an input tells ---- */

enum ask { INFO, DUMP, CHECK, TIMELINE };

/* What an input says, terminated, for free(). */
static char *ask(struct tl_input *input, enum ask what, enum tl_report_form form, int64_t expected)
{
	struct tl_output *out;
	const char *text;
	int64_t status;
	size_t size;
	char *copy;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	if (what == INFO)
		status = tl_input_info(input, form, out, NULL);
	else if (what == DUMP)
		status = tl_input_dump(input, form, out, NULL);
	else if (what == CHECK)
		status = tl_input_check(input, form, out, NULL);
	else
		status = tl_input_timeline(input, "chrome", out, NULL);
	assert_int_equal(status, expected);
	text = tl_output_bytes(out, &size);
	copy = strndup(text, size);
	tl_output_discard(out);
	assert_non_null(copy);
	return copy;
}

static size_t count(const char *text, const char *part)
{
	size_t found = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		found++;
	return found;
}

/*
 * An object that nothing is known to be of leaves no function record; "" is what an unknown one is
 * called.
 */
TEST(an_object_filter_chooses_records)
{
	char *path = write_trace(1000);

	for (int i = 0; i < 2; i++) {
		struct tl_input_options options = everything();
		struct tl_input *input;
		char *text;

		options.filter.object = i ? "libc" : "^$";
		input = open_path(path, &options);
		text = ask(input, DUMP, TL_REPORT_JSON, 0);
		assert_int_equal(count(text, "\"record\":\"function\""), i ? 0 : 7);
		free(text);
		tl_input_close(input);
	}
	free(path);
}

TEST(info_dump_and_check)
{
	char *path = write_trace(1000), *text;
	struct tl_input *input = open_path(path, NULL);

	for (int round = 0; round < 2; round++) { /* each may be asked again */
		text = ask(input, INFO, TL_REPORT_JSON, 0);
		assert_int_equal(count(text, "\"version\":5"), 1);
		assert_int_equal(count(text, "\"cycle_frequency\":1000"), 1);
		assert_int_equal(count(text, "\"records\":12,"), 1);
		free(text);
		text = ask(input, DUMP, TL_REPORT_JSON, 0);
		assert_int_equal(count(text, "\n"), 12);
		assert_int_equal(count(text, "\"record\":\"function\""), 7);
		free(text);
		/* exit 1 is not of the innermost frame; exit 9 has no entry */
		text = ask(input, CHECK, TL_REPORT_JSON, 2);
		assert_int_equal(count(text, "\n"), 2);
		assert_int_equal(count(text, "{\"rule\":\"xray.order.exit-not-innermost\","
					     "\"offset\":136,\"record\":8,"),
				 1);
		assert_int_equal(count(text, "{\"rule\":\"xray.order.exit-without-entry\","
					     "\"offset\":144,\"record\":9,"),
				 1);
		free(text);
		text = ask(input, CHECK, TL_REPORT_TEXT, 2);
		assert_int_equal(count(text, "xray.order.exit-without-entry offset 0x90 record 9"),
				 1);
		free(text);
	}
	/* Facts and violations are tables, each in a line of its own behind the heading. */
	text = ask(input, INFO, TL_REPORT_CSV, 0);
	assert_int_equal(count(text, "records,12\n"), 1);
	free(text);
	text = ask(input, CHECK, TL_REPORT_CSV, 2);
	assert_int_equal(count(text, "\n"), 3);
	assert_int_equal(count(text, "xray.order.exit-without-entry,"), 1);
	free(text);
	free(ask(input, DUMP, TL_REPORT_CSV, TL_BAD_USAGE));
	tl_input_close(input);
	free(path);
}

/* "Damage met by the calls so far" */
TEST(damage_is_listed)
{
	struct tl_damage damage;
	struct tl_input *input;
	struct bytes b = { 0 };
	uint64_t skipped;
	size_t start;
	char *path;

	put_header(&b, 5, FDR, 1000, 16384);
	start = begin_block(&b, 1, 2, 100);
	put_function(&b, ENTER, 1, 0);
	put_function(&b, 7, 1, 0); /* at 120 */
	end_block(&b, start);
	put_repeat(&b, 0x77, 5); /* at 128 */
	path = write_file("damaged", b.data, b.size);
	input = open_path(path, NULL);
	assert_int_equal(tl_input_damage_count(input, &skipped), 1);
	assert_int_equal(skipped, 5);
	assert_int_equal(tl_input_damage(input, 0, &damage, sizeof(damage)), 1);
	assert_int_equal(damage.offset, 128);
	assert_int_equal(damage.status, TL_BAD_RECORD);
	assert_true(damage.record == TL_NOWHERE);
	assert_int_equal(tl_input_damage(input, 1, &damage, sizeof(damage)), 0);
	for (int round = 0; round < 2; round++) { /* the same damage is not counted twice */
		free(ask(input, DUMP, TL_REPORT_TEXT, 0));
		assert_int_equal(tl_input_damage_count(input, &skipped), 2);
		assert_int_equal(skipped, 13);
		assert_int_equal(tl_input_damage(input, 1, &damage, sizeof(damage)), 1);
		assert_int_equal(damage.offset, 120);
		assert_int_equal(damage.length, 8);
		assert_int_equal(damage.record, 6);
	}
	tl_input_close(input);
	free_bytes(&b);
	free(path);
}

/* A compressed trace is recognised by what it holds; damage to its compression is damage, too. */
TEST(compressed_inputs)
{
	char *trace = write_trace(1000), *path = path_of("trace.gz");
	gzFile file = gzopen(path, "wb");
	struct tl_damage damage;
	struct tl_input *input;
	size_t size;
	char *content = temp_read(trace, &size);
	struct stat packed;

	assert_non_null(file);
	assert_int_equal(gzwrite(file, content, (unsigned)size), size);
	assert_int_equal(gzclose(file), Z_OK);
	assert_int_equal(folded_total(path, NULL), 40);
	/* Without its last four bytes all content is there, but not known to be right. */
	assert_int_equal(stat(path, &packed), 0);
	assert_int_equal(truncate(path, packed.st_size - 4), 0);
	input = open_path(path, NULL);
	free(ask(input, DUMP, TL_REPORT_TEXT, 0));
	assert_int_equal(tl_input_damage_count(input, NULL), 1);
	assert_int_equal(tl_input_damage(input, 0, &damage, sizeof(damage)), 1);
	assert_int_equal(damage.status, TL_TRUNCATED);
	assert_int_equal(damage.offset, size);
	tl_input_close(input);
	/* Where nothing is left of the content, it is the compression that is to blame. */
	assert_int_equal(truncate(path, 11), 0);
	const char *cut = path;
	struct tl_error err;

	assert_int_equal(tl_input_open(&input, &cut, 1, NULL, NULL, &err), TL_TRUNCATED);
	assert_int_equal(err.offset, 0);
	assert_non_null(strstr(err.text, "compressed data is cut short"));
	free(content);
	free(trace);
	free(path);
}

TEST(strict_inputs_fail)
{
	struct tl_input_options options = everything();
	struct tl_error err = { .status = TL_OK };
	const char *failed = NULL;
	struct bytes b = { 0 };
	size_t start;
	char *path;

	put_header(&b, 5, FDR, 1000, 16384);
	start = begin_block(&b, 1, 2, 100);
	put_function(&b, ENTER, 1, 0);
	end_block(&b, start);
	put_repeat(&b, 0x77, 5);
	path = write_file("damaged", b.data, b.size);
	options.strict = true;
	assert_int_equal(try_open_at(path, &options, &failed, &err), TL_BAD_RECORD);
	assert_int_equal(err.offset, 120);
	assert_ptr_equal(failed, path);
	free_bytes(&b);
	free(path);
}

/* ---- over time ---- */

/* What a function filter leaves must nest: every call that begins ends, and 3 inside 2 inside 1. */
TEST(a_timeline_nests)
{
	static const struct {
		const char *function;
		size_t calls, of[4];
		/* clang-format off */
	} cases[] = {
		{ NULL, 4, { 0, 1, 2, 1 } },  { "^#2$", 2, { 0, 0, 2, 0 } }, { "^#3$", 1, { 0, 0, 0,
		  1 } },
		{ "[13]", 2, { 0, 1, 0, 1 } }, { "^#9$", 0, { 0, 0, 0, 0 } },
	};
	/* clang-format on */
	char *path = write_trace(1000);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_input_options options = everything();
		struct tl_input *input;
		char *text, name[16];

		options.filter.function = cases[i].function;
		input = open_path(path, &options);
		text = ask(input, TIMELINE, TL_REPORT_TEXT, cases[i].calls == 0);
		assert_int_equal(count(text, "\"ph\":\"X\""), cases[i].calls);
		assert_int_equal(count(text, "\"ph\":\"B\""), 0);
		assert_int_equal(count(text, "\"ph\":\"E\""), 0);
		for (int f = 1; f <= 3; f++) {
			snprintf(name, sizeof(name), "\"name\":\"#%d\"", f);
			assert_int_equal(count(text, name), cases[i].of[f]);
		}
		assert_int_equal(count(text, "\"name\":\"#9\""), 0); /* the orphan */
		/*
		 * 1 tick is 1 ms, from the first record at 100 on. 2 and 3 end with the exit of 1.
		 */
		if (cases[i].of[3])
			assert_int_equal(
				count(text, "\"ts\":20000.000,\"dur\":10000.000,\"name\":\"#3\""),
				1);
		if (cases[i].of[2]) {
			assert_int_equal(
				count(text, "\"ts\":10000.000,\"dur\":20000.000,\"name\":\"#2\""),
				1);
			assert_int_equal(
				count(text, "\"ts\":50000.000,\"dur\":10000.000,\"name\":\"#2\""),
				1);
		}
		if (cases[i].of[1])
			assert_int_equal(
				count(text, "\"ts\":0.000,\"dur\":30000.000,\"name\":\"#1\""), 1);
		free(text);
		tl_input_close(input);
	}
	free(path);
}

/* A call that is not shown does not end the one that is: 1 100..140 > 2 110..120, 3 125..130. */
TEST(calls_left_out_end_no_others)
{
	static const char *const functions[] = { "#1", "#2", "#3" };
	static const char *const times[] = { "\"ts\":0.000,\"dur\":40000.000,",
					     "\"ts\":10000.000,\"dur\":10000.000,",
					     "\"ts\":25000.000,\"dur\":5000.000," };
	struct bytes b = { 0 };
	size_t start;
	char *path;

	put_header(&b, 5, FDR, 1000, 16384);
	start = begin_block(&b, 1, 2, 100);
	put_function(&b, ENTER, 1, 0);
	put_function(&b, ENTER, 2, 10);
	put_function(&b, EXIT, 2, 10);
	put_function(&b, ENTER, 3, 5);
	put_function(&b, EXIT, 3, 5);
	put_function(&b, EXIT, 1, 10);
	end_block(&b, start);
	path = write_file("nested", b.data, b.size);
	for (size_t i = 0; i < 3; i++) {
		struct tl_input_options options = everything();
		struct tl_input *input;
		char *text;

		options.filter.function = functions[i];
		input = open_path(path, &options);
		text = ask(input, TIMELINE, TL_REPORT_TEXT, 0);
		assert_int_equal(count(text, "\"ph\":\"X\""), 1);
		assert_int_equal(count(text, times[i]), 1);
		free(text);
		tl_input_close(input);
	}
	free_bytes(&b);
	free(path);
}

/* A profile of sums has no times to show, nor records to write. */
TEST(sums_have_no_timeline)
{
	char *path = write_profiling();
	struct tl_input *input = open_path(path, NULL);
	struct tl_error err = { .status = TL_OK };
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_input_timeline(input, NULL, out, &err), TL_UNSUPPORTED);
	assert_int_equal(err.status, TL_UNSUPPORTED);
	assert_int_equal(tl_input_reencode(input, "xray", NULL, out, &err), TL_UNSUPPORTED);
	tl_output_discard(out);
	tl_input_close(input);
	free(path);
}

TEST(a_timeline_of_no_such_format)
{
	char *path = write_trace(1000);
	struct tl_input *input = open_path(path, NULL);
	struct tl_error err = { .status = TL_OK };
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_true(tl_input_timeline(input, "no-such-format", out, &err) < 0);
	assert_int_equal(err.status, TL_BAD_USAGE);
	tl_output_discard(out);
	tl_input_close(input);
	free(path);
}

/* ---- re-encoding ---- */

/* "variant: format specific ("5", "basic", ...); NULL: the newest" */
TEST(every_variant_is_what_it_says)
{
	static const struct {
		const char *variant;
		uint8_t version, type;
	} cases[] = { { NULL, 5, FDR },       { "5", 5, FDR },         { "4", 4, FDR },
		      { "3", 3, FDR },        { "2", 2, FDR },         { "1", 1, FDR },
		      { "basic", 3, BASIC },  { "basic-3", 3, BASIC }, { "basic-2", 2, BASIC },
		      { "basic-1", 1, BASIC } };
	char *path = write_trace(1000);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_input *input = open_path(path, NULL);
		struct tl_output *out;
		const char *bytes;
		char *again;
		size_t size;

		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		assert_int_equal(tl_input_reencode(input, "xray", cases[i].variant, out, NULL), 0);
		bytes = tl_output_bytes(out, &size);
		assert_true(size > 32);
		assert_int_equal(bytes[0], cases[i].version);
		assert_int_equal(bytes[2], cases[i].type);
		again = write_file("again", bytes, size);
		assert_int_equal(folded_total(again, NULL), 40);
		free(again);
		tl_output_discard(out);
		tl_input_close(input);
	}
	free(path);
}

/* "TL_UNSUPPORTED when `to` is not the input's format" */
TEST(other_formats_and_variants)
{
	static const char *const variants[] = { "6", "0", "", "basic-4", "5 ", "fdr" };
	char *path = write_trace(1000);
	struct tl_input *input = open_path(path, NULL);
	struct tl_error err = { .status = TL_OK };
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_input_reencode(input, "xtrace", NULL, out, &err), TL_UNSUPPORTED);
	assert_int_equal(err.status, TL_UNSUPPORTED);
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		err.status = TL_OK;
		assert_int_equal(tl_input_reencode(input, "xray", variants[i], out, &err),
				 TL_BAD_USAGE);
		assert_int_equal(err.status, TL_BAD_USAGE);
	}
	tl_output_discard(out);
	tl_input_close(input);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_are_recognised_by_content),
		cmocka_unit_test(what_is_no_trace),
		cmocka_unit_test(the_right_file_is_to_blame),
		cmocka_unit_test(options_that_make_no_sense),
		cmocka_unit_test(filters_decide_what_counts),
		cmocka_unit_test(a_function_filter_chooses),
		cmocka_unit_test(a_bad_expression_is_bad_usage),
		cmocka_unit_test(an_object_filter_chooses_records),
		cmocka_unit_test(info_dump_and_check),
		cmocka_unit_test(damage_is_listed),
		cmocka_unit_test(compressed_inputs),
		cmocka_unit_test(strict_inputs_fail),
		cmocka_unit_test(a_timeline_nests),
		cmocka_unit_test(calls_left_out_end_no_others),
		cmocka_unit_test(sums_have_no_timeline),
		cmocka_unit_test(a_timeline_of_no_such_format),
		cmocka_unit_test(every_variant_is_what_it_says),
		cmocka_unit_test(other_formats_and_variants),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
