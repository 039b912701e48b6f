/* SPDX-License-Identifier: Apache-2.0 */
#include "file.h"

static struct file f;

/*
 * "Header, 104 bytes: magic, size, attr entry size, then {offset, size} of attrs, data,
 * event_types" (2)
 */
TEST(a_file_has_its_attributes_in_front)
{
	const struct tl_perf_attr *attr;

	file_begin(&f, COMMON_TYPE);
	put_comm(&f, 1, 2, "ab", 0, 5);
	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(tl_perf_attr_count(f.reader), 1);
	assert_null(tl_perf_attr_at(f.reader, 1));
	attr = tl_perf_attr_at(f.reader, 0);
	assert_int_equal(attr->type, 8);
	assert_int_equal(attr->config, 0x2601);
	assert_int_equal(attr->sample_type, COMMON_TYPE);
	assert_int_equal(attr->flags, 1 << 18);
	assert_int_equal(attr->id_count, 1);
	assert_int_equal(attr->ids[0], 77);
	assert_false(tl_perf_header(f.reader)->pipe);
	assert_int_equal(tl_perf_header(f.reader)->data_offset, DATA_AT);
	assert_int_equal(next(&f), 1);
	assert_int_equal(next(&f), 0);
	assert_no_fault(&f);
	reader_close(&f);
}

/*
 * "A byte-swapped magic means the other byte order" (2); bit-fields of a big-endian machine begin
 * at the highest bit of each byte.
 */
TEST(the_other_byte_order)
{
	f.big = true;
	file_begin(&f, COMMON_TYPE);
	put_comm(&f, 0x01020304, 2, "ab", 0x2000, 0x1122334455667788);
	file_end(&f);
	f.big = false;
	reader_open(&f, NULL);
	assert_true(tl_perf_header(f.reader)->swapped);
	assert_int_equal(tl_perf_attr_at(f.reader, 0)->flags, 1 << 18);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.comm.pid, 0x01020304);
	assert_int_equal(f.rec.misc, 0x2000);
	assert_int_equal(f.rec.id.time_ns, 0x1122334455667788);
	assert_text(f.rec.comm.name, "ab");
	reader_close(&f);
}

/* "Pipe output: 16-byte header and attributes as records (HEADER_ATTR)" (2) */
TEST(a_pipe_has_them_as_records)
{
	const struct tl_perf_attr *attr;

	f.size = 0;
	put_bytes(&f, "PERFILE2", 8);
	put64(&f, 16);
	put_header(&f, TL_PERF_HEADER_ATTR, 0, 8 + 64 + 16);
	put_attr(&f, 8, COMMON_TYPE, 1 << 18);
	put64(&f, 77);
	put64(&f, 78);
	put_comm(&f, 1, 2, "ab", 0, 5);
	reader_open(&f, NULL);
	assert_true(tl_perf_header(f.reader)->pipe);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.type, TL_PERF_HEADER_ATTR);
	assert_int_equal(tl_perf_attr_count(f.reader), 1);
	assert_null(tl_perf_attr_at(f.reader, 1));
	attr = tl_perf_attr_at(f.reader, 0);
	assert_int_equal(attr->id_count, 2);
	assert_int_equal(attr->ids[1], 78);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.id.time_ns, 5);
	assert_int_equal(next(&f), 0);
	reader_close(&f);
}

static void put_feature_entry(size_t at, uint64_t offset, uint64_t size)
{
	patch64(&f, at, offset);
	patch64(&f, at + 8, size);
}

/*
 * "After the data: one {offset, size} per set feature bit, in bit order"; texts are a length and so
 * many bytes (3)
 */
TEST(features_stand_behind_the_data)
{
	size_t table;

	file_begin(&f, COMMON_TYPE);
	put_comm(&f, 1, 2, "ab", 0, 5);
	file_end(&f);
	patch64(&f, 72, 1 << 3 | 1 << 9 | 1 << 11);
	table = f.size;
	put_zeros(&f, 48);
	put_feature_entry(table, f.size, 12);
	put32(&f, 8);
	put_bytes(&f, "host\0\0\0\0", 8);
	put_feature_entry(table + 16, f.size, 24);
	put32(&f, 20);
	put_bytes(&f, "GenuineIntel,6,85,7\0", 20);
	put_feature_entry(table + 32, f.size, 4 + 12 + 8);
	put32(&f, 2);
	put32(&f, 8);
	put_bytes(&f, "perf\0\0\0\0", 8);
	put32(&f, 4);
	put_bytes(&f, "rec\0", 4);
	reader_open(&f, NULL);
	assert_string_equal(tl_perf_header(f.reader)->hostname, "host");
	assert_string_equal(tl_perf_header(f.reader)->cpuid, "GenuineIntel,6,85,7");
	assert_string_equal(tl_perf_header(f.reader)->command_line, "perf rec");
	assert_no_fault(&f);
	reader_close(&f);
}

/*
 * A feature section outside the file is a fault at its entry; what the file is for is read all the
 * same.
 */
TEST(a_feature_outside_the_file)
{
	size_t table;

	file_begin(&f, COMMON_TYPE);
	put_comm(&f, 1, 2, "ab", 0, 5);
	file_end(&f);
	patch64(&f, 72, 1 << 3);
	table = f.size;
	put64(&f, 1 << 20);
	put64(&f, 8);
	reader_open(&f, NULL);
	assert_fault(&f, TL_BAD_SIZE, table, 0);
	assert_int_equal(next(&f), 1);
	reader_close(&f);
}

/* perf writes the size of the data last of all: 0 means that it did not get there. */
TEST(recording_that_was_not_finished)
{
	file_begin(&f, COMMON_TYPE);
	put_comm(&f, 1, 2, "ab", 0, 5);
	reader_open(&f, NULL);
	assert_fault(&f, TL_TRUNCATED, 48, 0);
	assert_int_equal(next(&f), 1);
	assert_int_equal(next(&f), 0);
	reader_close(&f);
}

/* Sizes of the header that are damaged: each is a fault at its field, and the records are read. */
TEST(damaged_headers)
{
	static const struct {
		size_t at;
		uint64_t value;
		enum tl_status status;
		uint64_t offset;
	} cases[] = {
		{ 8, 105, TL_BAD_FORMAT, 8 },      /* of the header */
		{ 48, 1 << 20, TL_TRUNCATED, 48 }, /* of the data */
		{ 16, 0, TL_BAD_SIZE, 24 },        /* of an attribute: its section holds none */
		{ 104 + 72, 1 << 20, TL_BAD_SIZE, 104 + 64 }, /* of its ids: their place and size */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		file_begin(&f, COMMON_TYPE);
		put_comm(&f, 1, 2, "ab", 0, 5);
		file_end(&f);
		patch64(&f, cases[i].at, cases[i].value);
		reader_open(&f, NULL);
		assert_fault(&f, cases[i].status, cases[i].offset, 0);
		assert_int_equal(next(&f), 1);
		assert_int_equal(f.rec.comm.pid, 1);
		assert_int_equal(next(&f), 0);
		reader_close(&f);
	}
}

/* With `strict` the same are errors. */
TEST(damaged_headers_of_strict_readers)
{
	const struct tl_perf_options strict = { .size = sizeof(strict), .strict = true };
	struct tl_perf_reader *reader;

	file_begin(&f, COMMON_TYPE);
	put_comm(&f, 1, 2, "ab", 0, 5);
	assert_int_equal(tl_source_open_memory(&f.source, f.bytes, f.size, "test", &f.err), 0);
	assert_int_equal(tl_perf_open(&reader, f.source, &strict, &f.err), TL_TRUNCATED);
	assert_int_equal(f.err.offset, 48);
	assert_null(reader);
	tl_source_close(f.source);
}

/* A feature's place behind the data, of bytes that the file does not have. */
TEST(features_outside_the_file)
{
	const struct tl_perf_options strict = { .size = sizeof(strict), .strict = true };

	for (int kind = 0; kind < 2; kind++) {
		struct tl_perf_reader *reader;
		size_t at;

		file_begin(&f, COMMON_TYPE);
		put_comm(&f, 1, 2, "ab", 0, 5);
		file_end(&f);
		patch64(&f, 72, UINT64_C(1) << 3); /* HOSTNAME */
		at = f.size;
		put64(&f, kind ? at + 16 : UINT64_MAX);
		put64(&f, kind ? 1 : 12);
		reader_open(&f, NULL);
		assert_fault(&f, TL_BAD_SIZE, at, 0);
		assert_int_equal(next(&f), 1);
		reader_close(&f);
		assert_int_equal(tl_source_open_memory(&f.source, f.bytes, f.size, "test", &f.err),
				 0);
		assert_int_equal(tl_perf_open(&reader, f.source, &strict, &f.err), TL_BAD_SIZE);
		assert_int_equal(f.err.offset, at);
		tl_source_close(f.source);
	}
}

/*
 * "The bitmap is an array of longs": of a 32-bit machine of the other byte order the halves of each
 * word stand the other way round; HOSTNAME (3), which is always set, shows it (3).
 */
TEST(features_of_a_32_bit_machine)
{
	for (int halves = 0; halves < 2; halves++) {
		f.big = true;
		file_begin(&f, COMMON_TYPE);
		put_comm(&f, 1, 2, "ab", 0, 5);
		file_end(&f);
		patch64(&f, 72, UINT64_C(1) << (halves ? 32 + 3 : 3));
		put64(&f, f.size + 16);
		put64(&f, 12);
		put32(&f, 8);
		put_bytes(&f, "host\0\0\0\0", 8);
		f.big = false;
		reader_open(&f, NULL);
		assert_string_equal(tl_perf_header(f.reader)->hostname, "host");
		assert_no_fault(&f);
		reader_close(&f);
	}
}

/*
 * "Version 1 has the magic PERFFILE, a text in both byte orders: the size of the header tells the
 * order"; "of the first perfs 72 (no features)": what stands there are no features, whatever it is
 * (2).
 */
TEST(files_of_the_first_version)
{
	for (int variant = 0; variant < 8; variant++) {
		const bool big = variant & 1, is_first = variant & 2, is_short = variant & 4;
		const uint64_t size = is_short ? 72 : 104;

		f.big = big;
		file_begin(&f, COMMON_TYPE);
		put_comm(&f, 0x01020304, 2, "ab", 0x2000, 0x1122334455667788);
		file_end(&f);
		patch64(&f, 8, size);
		/* As if there were a host's name, behind the end of the file. */
		patch64(&f, 72, is_short ? 1 << 3 : 0);
		if (is_first)
			memcpy(f.bytes, "PERFFILE", 8);
		f.big = false;
		reader_open(&f, NULL);
		assert_int_equal(tl_perf_header(f.reader)->swapped, big);
		assert_int_equal(tl_perf_attr_at(f.reader, 0)->flags, 1 << 18);
		assert_string_equal(tl_perf_header(f.reader)->hostname, "");
		assert_int_equal(next(&f), 1);
		assert_int_equal(f.rec.comm.pid, 0x01020304);
		assert_int_equal(f.rec.id.time_ns, 0x1122334455667788);
		assert_int_equal(next(&f), 0);
		assert_no_fault(&f);
		reader_close(&f);
	}
}

TEST(what_is_no_perf_data)
{
	struct tl_perf_reader *reader;

	assert_int_equal(tl_source_open_memory(&f.source, "PERFILE3........", 16, "test", &f.err),
			 0);
	assert_int_equal(tl_perf_open(&reader, f.source, NULL, &f.err), TL_BAD_FORMAT);
	assert_int_equal(f.err.offset, 0);
	tl_source_close(f.source);
	assert_int_equal(tl_source_open_memory(&f.source, "PERFILE2\x68\0\0\0\0\0\0\0abc", 19,
					       "test", &f.err),
			 0);
	assert_int_equal(tl_perf_open(&reader, f.source, NULL, &f.err), TL_TRUNCATED);
	assert_int_equal(f.err.offset, 19);
	tl_source_close(f.source);
	assert_int_equal(
		tl_source_open_memory(&f.source, "PERFILE2\x68\0\0\0\0\0\0", 15, "test", &f.err),
		0);
	assert_int_equal(tl_perf_open(&reader, f.source, NULL, &f.err), TL_TRUNCATED);
	assert_int_equal(f.err.offset, 15);
	tl_source_close(f.source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_has_its_attributes_in_front),
		cmocka_unit_test(the_other_byte_order),
		cmocka_unit_test(a_pipe_has_them_as_records),
		cmocka_unit_test(features_stand_behind_the_data),
		cmocka_unit_test(a_feature_outside_the_file),
		cmocka_unit_test(recording_that_was_not_finished),
		cmocka_unit_test(damaged_headers),
		cmocka_unit_test(damaged_headers_of_strict_readers),
		cmocka_unit_test(features_outside_the_file),
		cmocka_unit_test(features_of_a_32_bit_machine),
		cmocka_unit_test(files_of_the_first_version),
		cmocka_unit_test(what_is_no_perf_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
