/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream in several numbered files, written by hand: wherever it is cut it has the tokens of the
 * same bytes in one file, and its snapshots stand at places that are counted by hand.
 */
#include <stdio.h>

#include "bytes.h"

#include "xtrace/parts/select.h"
#include "xtrace/listing/describe.h"

enum { FILES = 3 };

static const char *const names[FILES] = { "xtrace.1.0.hint9.xinsndata.bin.0",
					  "xtrace.1.0.hint9.xinsndata.bin.1",
					  "xtrace.1.0.hint9.xinsndata.bin.2" };

/* ---- opening ---- */

/* The files that are there: a range of bytes each. */
struct part {
	const uint8_t *data;
	size_t size;
	unsigned number;
};

static int open_parts(struct trace *t, const struct part *parts, size_t count,
		      const struct bytes *snapshots, bool strict)
{
	const struct tl_xtrace_options options = { .size = sizeof(options),
						   .alone = true,
						   .strict = strict };
	struct tl_xtrace_file files[4];

	*t = (struct trace){ .trace = NULL };
	for (size_t i = 0; i < count; i++) {
		files[i].path = names[parts[i].number];
		assert_int_equal(tl_source_open_memory(&t->sources[i], parts[i].data, parts[i].size,
						       files[i].path, NULL),
				 0);
		files[i].source = t->sources[i];
	}
	if (snapshots) {
		files[count].path = "xtrace.1.0.hint9.xsnapshot.bin";
		assert_int_equal(tl_source_open_memory(&t->sources[count], snapshots->data,
						       snapshots->size, files[count].path, NULL),
				 0);
		files[count].source = t->sources[count];
		count++;
	}
	return tl_xtrace_open(&t->trace, files, count, &options, &t->failed, &t->err);
}

/* The tokens of an open trace as text, which is closed; to free(). */
static char *tokens_of(struct trace *t)
{
	struct tl_output *out;
	const char *text;
	size_t size;
	char *copy;

	assert_int_equal(tl_xtrace_stream_count(t->trace), 1);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_true(tl_xtrace_list_tokens(t->trace, &tl_xtrace_everything, true, out, NULL) >= 0);
	text = tl_output_bytes(out, &size);
	assert_non_null(text);
	copy = strndup(text, size);
	assert_non_null(copy);
	tl_output_discard(out);
	close_trace(t);
	return copy;
}

static char *tokens_of_one(const uint8_t *data, size_t size)
{
	const struct bytes stream = { .data = (uint8_t *)data, .size = size };
	struct trace t;

	open_trace(&t, &stream, NULL);
	return tokens_of(&t);
}

static void make_stream(struct bytes *b)
{
	put_pcinst(b, 0, 0x1000, A64_LDR);
	put_access(b, LOAD, 3, 0x5000, 0x1122334455667788);
	put_inst(b, 0, A64_STR);
	put_access(b, STORE, 2, 0x5008, 0x99aabbcc);
	put_inst(b, 0, A64_RET);
	put_value(b, TARGET_B, 0x1000);
	put_allgpr(b, 7);
	put_pcinst(b, 0, 0x1000, A64_NOP);
}

static void assert_same(const struct bytes *b, size_t cut, size_t size)
{
	const struct part parts[] = { { b->data + cut, size - cut, 1 }, { b->data, cut, 0 } };
	struct trace t;
	char *whole = tokens_of_one(b->data, size), *joined;

	assert_int_equal(open_parts(&t, parts, 2, NULL, false), 0);
	joined = tokens_of(&t);
	if (strcmp(whole, joined))
		fail_msg("cut at %zu of %zu:\n%s\n%s", cut, size, whole, joined);
	free(whole);
	free(joined);
}

/* ---- tests ---- */

TEST(each_cut_is_the_whole)
{
	struct bytes b = { 0 };

	make_stream(&b);
	for (size_t cut = 1; cut < b.size; cut++)
		assert_same(&b, cut, b.size);
	free_bytes(&b);
}

TEST(each_prefix_of_the_second_file)
{
	struct bytes b = { 0 };

	make_stream(&b);
	for (size_t size = 23; size <= b.size; size++)
		assert_same(&b, 22, size);
	free_bytes(&b);
}

/* Files of 22, 5 and 9 bytes, whose snapshots say file and byte. */
TEST(places_of_snapshots)
{
	static const struct {
		uint64_t file, index, offset;
	} places[] = {
		{ 0, 0, 0 },
		{ 0, 13, 13 },
		{ 0, 22, 22 }, /* the end of a file is the beginning of the next one */
		{ 1, 0, 22 },
		{ 2, 0, 27 },
		{ 2, 9, 36 }, /* the end of the stream */
		{ 2, 10, TL_NOWHERE },
		{ 3, 0, TL_NOWHERE }, /* there is no such file */
		{ UINT64_C(1) << 32, 0, TL_NOWHERE },
		{ 0, UINT64_MAX, TL_NOWHERE },
	};
	struct bytes b = { 0 }, snapshots = { 0 };
	struct trace t;
	struct tl_xtrace_snapshot snapshot;

	put_pcinst(&b, 0, 0x1000, A64_RET);
	put_value(&b, TARGET_B, 0x1000);
	put_inst(&b, 0, A64_NOP);
	put_value(&b, SVCRET, 0);
	put_header(&snapshots);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		put_record(&snapshots,
			   &(struct record){ .file = places[i].file, .index = places[i].index });
	const struct part parts[] = { { b.data, 22, 0 },
				      { b.data + 22, 5, 1 },
				      { b.data + 27, 9, 2 } };

	assert_int_equal(b.size, 36);
	assert_int_equal(open_parts(&t, parts, 3, &snapshots, false), 0);
	assert_int_equal(tl_xtrace_stream(t.trace, 0)->snapshots, 10);
	for (uint32_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		assert_int_equal(tl_xtrace_read_snapshot(t.trace, 0, i, &snapshot), 0);
		assert_int_equal(snapshot.file, places[i].file);
		assert_int_equal(snapshot.index, places[i].index);
		assert_int_equal(snapshot.offset, places[i].offset);
	}
	close_trace(&t);
	free_bytes(&b);
	free_bytes(&snapshots);
}

/* A number that no file has is told once, and is an error where faults are. */
TEST(a_file_is_missing)
{
	static const unsigned there[][2] = { { 0, 2 }, { 1, 2 } };
	struct bytes b = { 0 };

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	put_inst(&b, 0, A64_NOP);
	for (size_t i = 0; i < 2; i++) {
		const struct part parts[] = { { b.data, 13, there[i][0] },
					      { b.data + 13, 5, there[i][1] } };
		struct trace t;

		assert_int_equal(open_parts(&t, parts, 2, NULL, false), 0);
		assert_fault(&t, TL_IO, TL_NOWHERE, 0);
		assert_int_equal(tl_xtrace_stream(t.trace, 0)->bytes, 18);
		close_trace(&t);
		assert_int_equal(open_parts(&t, parts, 2, NULL, true), TL_IO);
		assert_null(t.trace);
		close_trace(&t);
	}
	free_bytes(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cut_is_the_whole),
		cmocka_unit_test(each_prefix_of_the_second_file),
		cmocka_unit_test(places_of_snapshots),
		cmocka_unit_test(a_file_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
