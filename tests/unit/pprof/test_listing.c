/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What info, dump and convert say of a pprof profile: every field of profile.proto once, under the
 * name that it has there.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../wire_bytes.h"
#include "pprof/listing/listing.h"
#include "pprof/listing/rewrite.h"
#include "unit/unit.h"

enum {
	NONE,
	SAMPLES,
	COUNT,
	CPU,
	NANOSECONDS,
	MAIN,
	SYSTEM,
	MAIN_C,
	PROG,
	BUILD,
	DROP,
	KEEP,
	URL,
	FIRST_COMMENT,
	SECOND_COMMENT,
	WORKER,
	RED,
	SIZE,
	BYTES
};

static void put_strings(struct bytes *b)
{
	static const char *const texts[] = {
		[NONE] = "",
		[SAMPLES] = "samples",
		[COUNT] = "count",
		[CPU] = "cpu",
		[NANOSECONDS] = "nanoseconds",
		[MAIN] = "main",
		[SYSTEM] = "_Z4main",
		[MAIN_C] = "main.c",
		[PROG] = "/bin/prog",
		[BUILD] = "ab01",
		[DROP] = "d.*",
		[KEEP] = "k.*",
		[URL] = "http://x",
		[FIRST_COMMENT] = "one",
		[SECOND_COMMENT] = "two",
		[WORKER] = "worker",
		[RED] = "red",
		[SIZE] = "size",
		[BYTES] = "bytes",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		block(b, 6, texts[i], strlen(texts[i]));
}

static void put_pair(struct bytes *b, unsigned field, uint64_t name, uint64_t unit)
{
	struct bytes inner = { .size = 0 };

	number(&inner, 1, name);
	number(&inner, 2, unit);
	message(b, field, &inner);
}

/* Numbers 1, 2 ... of a message are those of a list. */
static void put_numbers(struct bytes *b, unsigned field, const uint64_t *values, size_t count)
{
	struct bytes inner = { .size = 0 };

	for (size_t i = 0; i < count; i++)
		number(&inner, (unsigned)i + 1, values[i]);
	message(b, field, &inner);
}

static void put_location(struct bytes *b)
{
	struct bytes inner = { .size = 0 }, line = { .size = 0 };

	number(&inner, 1, 1);
	number(&inner, 2, 1);
	number(&inner, 3, 0x1000);
	number(&line, 1, 1);
	number(&line, 2, 11);
	number(&line, 3, 4);
	message(&inner, 4, &line);
	number(&inner, 5, 1);
	message(b, 4, &inner);
}

/* A sample of one location `deep` times, with two values and two labels. */
static void put_sample(struct bytes *b, size_t deep, int64_t first, int64_t second, uint64_t size)
{
	struct bytes inner = { .size = 0 }, label = { .size = 0 };

	for (size_t i = 0; i < deep; i++)
		number(&inner, 1, 1);
	number(&inner, 2, (uint64_t)first);
	number(&inner, 2, (uint64_t)second);
	number(&label, 1, WORKER);
	number(&label, 2, RED);
	message(&inner, 3, &label);
	if (size) {
		number(&label, 1, SIZE);
		number(&label, 3, size);
		number(&label, 4, BYTES);
		message(&inner, 3, &label);
	}
	message(b, 2, &inner);
}

static void put_header(struct bytes *b)
{
	number(b, 7, DROP);
	number(b, 8, KEEP);
	number(b, 9, 1700000000000000001);
	number(b, 10, 5000000000);
	put_pair(b, 11, CPU, NANOSECONDS);
	number(b, 12, 1000000);
	number(b, 13, FIRST_COMMENT);
	block(b, 13, (uint8_t[]){ SECOND_COMMENT }, 1);
	number(b, 14, CPU);
	number(b, 15, URL);
}

static void put_all(struct bytes *b)
{
	static const uint64_t mapping[] = {
		1, 0x400000, 0x500000, 0x2000, PROG, BUILD, 1, 1, 1, 0
	};
	static const uint64_t function[] = { 1, MAIN, SYSTEM, MAIN_C, 10 };

	put_pair(b, 1, SAMPLES, COUNT);
	put_pair(b, 1, CPU, NANOSECONDS);
	put_sample(b, 2, 3, 30, 77);
	put_sample(b, 1, -1, -10, 0);
	put_numbers(b, 3, mapping, 10);
	put_location(b);
	put_numbers(b, 5, function, 5);
	put_strings(b);
	put_header(b);
	number(b, 99, 1);
}

/* ---- info ---- */

typedef int write_fn(struct tl_pprof_file *p, bool json, struct tl_output *out,
		     struct tl_error *err);

static char *written(const struct bytes *b, write_fn *write, bool json)
{
	struct tl_pprof_file p = { .size = 0 };
	struct tl_output *out;
	size_t size;
	char *text;

	assert_int_equal(tl_pprof_open(&p, b->data, b->size, NULL), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(write(&p, json, out, NULL), 0);
	tl_output_write(out, "", 1);
	text = strdup(tl_output_bytes(out, &size));
	assert_non_null(text);
	tl_output_discard(out);
	tl_pprof_close(&p);
	return text;
}

static char *described(const struct bytes *b, bool json)
{
	return written(b, tl_pprof_describe, json);
}

TEST(info_tells_the_header_and_the_tables)
{
	struct bytes b = { .size = 0 };
	char wanted[2048], *text;

	put_all(&b);
	text = described(&b, true);
	snprintf(wanted, sizeof(wanted),
		 "{\"format\":\"pprof\",\"bytes\":%zu,\"sample_types\":["
		 "{\"type\":\"samples\",\"unit\":\"count\",\"total\":2},"
		 "{\"type\":\"cpu\",\"unit\":\"nanoseconds\",\"total\":20}],"
		 "\"default_sample_type\":\"cpu\",\"period_type\":\"cpu\","
		 "\"period_unit\":\"nanoseconds\",\"drop_frames\":\"d.*\","
		 "\"keep_frames\":\"k.*\",\"doc_url\":\"http://x\",\"period\":1000000,"
		 "\"time_nanos\":1700000000000000001,\"duration_nanos\":5000000000,"
		 "\"comment\":\"one\",\"comment\":\"two\",\"samples\":2,\"deepest_stack\":2,"
		 "\"locations\":1,\"functions\":1,\"strings\":19,\"mappings\":["
		 "{\"file\":\"/bin/prog\",\"build_id\":\"ab01\",\"range\":\"0x400000..0x500000\"}],"
		 "\"labels\":[{\"key\":\"worker\",\"samples\":2},{\"key\":\"size\",\"samples\":1}],"
		 "\"unknown_fields\":1,\"damaged_places\":0}\n",
		 b.size);
	assert_string_equal(text, wanted);
	free(text);
}

/* Each key by how many samples have it, also of those that are not the first. */
TEST(info_counts_the_keys_of_labels)
{
	struct bytes b = { .size = 0 };
	char *text;

	put_pair(&b, 1, SAMPLES, COUNT);
	put_pair(&b, 1, CPU, NANOSECONDS);
	for (uint64_t i = 0; i < 4; i++)
		put_sample(&b, 1, 1, 1, i);
	put_strings(&b);
	text = described(&b, true);
	assert_non_null(strstr(text, "\"labels\":[{\"key\":\"worker\",\"samples\":4},"
				     "{\"key\":\"size\",\"samples\":3}]"));
	free(text);
}

/* What the file does not say is left out. */
TEST(info_of_what_is_not_there)
{
	struct bytes b = { .size = 0 };
	char wanted[512], *text;

	put_pair(&b, 1, SAMPLES, NONE);
	put_strings(&b);
	text = described(&b, false);
	snprintf(wanted, sizeof(wanted),
		 "format: pprof\nbytes: %zu\nsample types:\n  -\n    type: samples\n    total: 0\n"
		 "samples: 0\ndeepest stack: 0\nlocations: 0\nfunctions: 0\nstrings: 19\n"
		 "mappings:\nlabels:\ndamaged places: 0\n",
		 b.size);
	assert_string_equal(text, wanted);
	free(text);
}

/* A sum that does not fit stays at the end of the numbers. */
TEST(info_of_sums_that_do_not_fit)
{
	struct bytes b = { .size = 0 };
	char *text;

	put_pair(&b, 1, SAMPLES, COUNT);
	put_pair(&b, 1, CPU, NANOSECONDS);
	put_strings(&b);
	put_location(&b);
	put_sample(&b, 1, INT64_MAX, INT64_MIN, 0);
	put_sample(&b, 1, 1, -1, 0);
	text = described(&b, true);
	assert_non_null(strstr(text, "\"total\":9223372036854775807}"));
	assert_non_null(strstr(text, "\"total\":-9223372036854775808}"));
	free(text);
}

/* ---- dump ---- */

static char *dumped(const struct bytes *b, bool json)
{
	return written(b, tl_pprof_dump, json);
}

/* The rows of a dump without their offsets, and without strings, which are counted. */
static unsigned strip(char *text, const char *mark, char *to)
{
	unsigned strings = 0;

	*to = '\0';
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		const char *row = strstr(line, mark);

		assert_non_null(row);
		row += strlen(mark);
		if (!strncmp(row, "string_table", 12)) {
			strings++;
			continue;
		}
		strcat(to, row);
		strcat(to, "\n");
	}
	return strings;
}

static const char json_rows[] =
	"sample_type\",\"type\":\"samples\",\"unit\":\"count\"}\n"
	"sample_type\",\"type\":\"cpu\",\"unit\":\"nanoseconds\"}\n"
	"sample\",\"location_id\":[1,1],\"value\":[3,30],\"label\":[{\"key\":\"worker\","
	"\"str\":\"red\"},{\"key\":\"size\",\"num\":77,\"num_unit\":\"bytes\"}]}\n"
	"sample\",\"location_id\":[1],\"value\":[-1,-10],\"label\":[{\"key\":\"worker\","
	"\"str\":\"red\"}]}\n"
	"mapping\",\"id\":1,\"memory_start\":\"0x400000\",\"memory_limit\":\"0x500000\","
	"\"file_offset\":\"0x2000\",\"filename\":\"/bin/prog\",\"build_id\":\"ab01\","
	"\"has_functions\":1,\"has_filenames\":1,\"has_line_numbers\":1,\"has_inline_frames\":0}\n"
	"location\",\"id\":1,\"mapping_id\":1,\"address\":\"0x1000\",\"line\":[{\"function_id\":1,"
	"\"line\":11,\"column\":4}],\"is_folded\":1}\n"
	"function\",\"id\":1,\"name\":\"main\",\"system_name\":\"_Z4main\","
	"\"filename\":\"main.c\",\"start_line\":10}\n"
	"drop_frames\",\"value\":\"d.*\"}\nkeep_frames\",\"value\":\"k.*\"}\n"
	"time_nanos\",\"value\":1700000000000000001}\nduration_nanos\",\"value\":5000000000}\n"
	"period_type\",\"type\":\"cpu\",\"unit\":\"nanoseconds\"}\nperiod\",\"value\":1000000}\n"
	"comment\",\"value\":\"one\"}\ncomment\",\"value\":\"two\"}\n"
	"default_sample_type\",\"value\":\"cpu\"}\ndoc_url\",\"value\":\"http://x\"}\n"
	"unknown\",\"field\":99}\n";

static const char text_rows[] =
	"sample_type type samples unit count\nsample_type type cpu unit nanoseconds\n"
	"sample location_id [1,1] value [3,30] label [{ key worker str red },{ key size num 77 "
	"num_unit bytes }]\n"
	"sample location_id [1] value [-1,-10] label [{ key worker str red }]\n"
	"mapping id 1 memory_start 0x400000 memory_limit 0x500000 file_offset 0x2000 "
	"filename /bin/prog build_id ab01 has_functions 1 has_filenames 1 has_line_numbers 1 "
	"has_inline_frames 0\n"
	"location id 1 mapping_id 1 address 0x1000 line [{ function_id 1 line 11 column 4 }] "
	"is_folded 1\n"
	"function id 1 name main system_name _Z4main filename main.c start_line 10\n"
	"drop_frames value d.*\nkeep_frames value k.*\ntime_nanos value 1700000000000000001\n"
	"duration_nanos value 5000000000\nperiod_type type cpu unit nanoseconds\n"
	"period value 1000000\ncomment value one\ncomment value two\n"
	"default_sample_type value cpu\ndoc_url value http://x\nunknown field 99\n";

TEST(dump_tells_each_field_by_its_name)
{
	struct bytes b = { .size = 0 };
	char have[4096], *text;

	put_all(&b);
	text = dumped(&b, true);
	assert_non_null(strstr(text, "{\"offset\":0,\"record\":\"sample_type\""));
	/* A pair of numbers below 128 is a message of 4 bytes, with 2 before it. */
	assert_non_null(strstr(text, "{\"offset\":6,\"record\":\"sample_type\""));
	assert_non_null(strstr(text, "\"record\":\"string_table\",\"text\":\"_Z4main\"}"));
	assert_int_equal(strip(text, "\"record\":\"", have), 19);
	assert_string_equal(have, json_rows);
	free(text);
	text = dumped(&b, false);
	assert_non_null(strstr(text, "0x00000006 sample_type"));
	assert_non_null(strstr(text, " string_table text _Z4main\n"));
	assert_int_equal(strip(text, " ", have), 19);
	assert_string_equal(have, text_rows);
	free(text);
}

/* ---- the profile anew ---- */

static void put(void *arg, const void *data, size_t size)
{
	struct bytes *b = arg;

	memcpy(b->data + b->size, data, size);
	b->size += size;
}

static int rewrite(const struct bytes *b, const char *label, struct bytes *to)
{
	const struct tl_pprof_fold_options options = { .thread = TL_NOWHERE,
						       .process = TL_NOWHERE,
						       .labels = &label,
						       .label_count = label != NULL };
	struct tl_pprof_file p = { .size = 0 };
	int status = tl_pprof_open(&p, b->data, b->size, NULL);

	to->size = 0;
	if (status == 0)
		status = tl_pprof_rewrite(&p, &options, put, to, NULL);
	tl_pprof_close(&p);
	return status;
}

/* "Keeps all of it, byte for byte, without the samples that are damaged or filtered out." */
TEST(a_rewritten_profile_lacks_only_samples)
{
	static const struct {
		const char *label;
		bool first, second;
	} cases[] = {
		{ NULL, true, true },
		{ "worker=red", true, true },
		{ "worker=blue", false, false },
		{ "worker=re", false, false },
		{ "work=red", false, false },
		{ "size=77", true, false },
		{ "size=077", true, false },
		{ "size=78", false, false },
		{ "size=77x", false, false },
		{ "size=", false, false },
	};
	struct bytes b = { .size = 0 }, got;

	put_all(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes wanted = { .size = 0 }, rest = { .size = 0 };

		put_pair(&wanted, 1, SAMPLES, COUNT);
		put_pair(&wanted, 1, CPU, NANOSECONDS);
		rest = wanted;
		put_sample(&rest, 2, 3, 30, 77);
		put_sample(&rest, 1, -1, -10, 0);
		if (cases[i].first)
			put_sample(&wanted, 2, 3, 30, 77);
		if (cases[i].second)
			put_sample(&wanted, 1, -1, -10, 0);
		put(&wanted, b.data + rest.size, b.size - rest.size);
		assert_int_equal(rewrite(&b, cases[i].label, &got), 0);
		assert_int_equal(got.size, wanted.size);
		assert_memory_equal(got.data, wanted.data, wanted.size);
	}
	assert_int_equal(rewrite(&b, "worker", &got), TL_BAD_USAGE);
	assert_int_equal(rewrite(&b, "=red", &got), TL_BAD_USAGE);
}

TEST(a_rewritten_profile_lacks_damaged_samples)
{
	struct bytes b = { .size = 0 }, wanted, got;

	put_all(&b);
	wanted = b;
	block(&b, 2, "\x0a\x09\x01", 3);
	number(&b, 12, 7);
	number(&wanted, 12, 7);
	assert_int_equal(rewrite(&b, NULL, &got), 0);
	assert_int_equal(got.size, wanted.size);
	assert_memory_equal(got.data, wanted.data, wanted.size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(info_tells_the_header_and_the_tables),
		cmocka_unit_test(info_counts_the_keys_of_labels),
		cmocka_unit_test(info_of_what_is_not_there),
		cmocka_unit_test(info_of_sums_that_do_not_fit),
		cmocka_unit_test(dump_tells_each_field_by_its_name),
		cmocka_unit_test(a_rewritten_profile_lacks_only_samples),
		cmocka_unit_test(a_rewritten_profile_lacks_damaged_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
