/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed records (docs/formats/perf-data.md section 5), and what is lost where they are
 * damaged.
 */
#include "file.h"

#include <zstd.h>

static struct file f, plain;
static uint8_t packed[8192];

/*
 * Two records as one zstd frame in pieces of `piece` bytes: a record may begin in one and end in
 * another (5).
 */
static void put_pieces(size_t piece, bool newer)
{
	size_t size;

	plain.size = 0;
	put_comm(&plain, 1, 2, "ab", 0, 5);
	put_comm(&plain, 3, 4, "cd", 0, 6);
	size = ZSTD_compress(packed, sizeof(packed), plain.bytes, plain.size, 1);
	assert_false(ZSTD_isError(size));
	for (size_t at = 0; at < size; at += piece) {
		const size_t part = size - at < piece ? size - at : piece;

		if (newer) {
			put_header(&f, TL_PERF_COMPRESSED2, 0, 16 + (part + 7) / 8 * 8);
			put64(&f, part);
		} else {
			put_header(&f, TL_PERF_COMPRESSED, 0, 8 + part);
		}
		put_bytes(&f, packed + at, part);
		if (newer)
			put_zeros(&f, (8 - part % 8) % 8);
	}
}

TEST(compressed_records)
{
	for (size_t piece = 1; piece < 100; piece += 7) {
		file_begin(&f, COMMON_TYPE);
		put_pieces(piece, piece % 2);
		put_comm(&f, 5, 6, "ef", 0, 7);
		file_end(&f);
		reader_open(&f, NULL);
		assert_int_equal(next(&f), 1);
		assert_int_equal(f.rec.comm.pid, 1);
		assert_int_equal(f.rec.inside, 0);
		assert_int_equal(next(&f), 1);
		assert_int_equal(f.rec.comm.pid, 3);
		assert_int_equal(f.rec.inside, 56);
		assert_int_equal(next(&f), 1);
		assert_int_equal(f.rec.comm.pid, 5);
		assert_int_equal(f.rec.inside, TL_NOWHERE);
		tl_perf_rewind(f.reader);
		assert_int_equal(next(&f), 1);
		assert_int_equal(f.rec.comm.pid, 1);
		reader_close(&f);
	}
}

TEST(what_does_not_expand)
{
	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_COMPRESSED, 0, 8 + 8);
	put_bytes(&f, "no frame", 8);
	put_comm(&f, 5, 6, "ef", 0, 7);
	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.comm.pid, 5);
	assert_fault(&f, TL_BAD_RECORD, DATA_AT, 8);
	reader_close(&f);
}

/* ---- damage ---- */

static void put_packed(size_t size)
{
	put_header(&f, TL_PERF_COMPRESSED, 0, 8 + size);
	put_bytes(&f, packed, size);
}

static size_t pack(void)
{
	const size_t size = ZSTD_compress(packed, sizeof(packed), plain.bytes, plain.size, 1);

	assert_false(ZSTD_isError(size));
	return size;
}

/* A reader at the only record that is not lost, a COMM of process 9, and the end behind it. */
static void assert_only_last(void)
{
	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.comm.pid, 9);
	assert_int_equal(next(&f), 0);
}

/* COMPRESSED2: "u64 size of the data behind, without padding" */
TEST(a_size_beyond_the_record)
{
	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_COMPRESSED2, 0, 8 + 8 + 16);
	put64(&f, 17);
	put_zeros(&f, 16);
	put_comm(&f, 9, 9, "kept", 0, 5);
	assert_only_last();
	assert_fault(&f, TL_BAD_RECORD, DATA_AT, 32);
	reader_close(&f);
}

TEST(a_record_without_its_size)
{
	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_COMPRESSED2, 0, 8);
	put_comm(&f, 9, 9, "kept", 0, 5);
	assert_only_last();
	assert_fault(&f, TL_BAD_SIZE, DATA_AT, 8);
	reader_close(&f);
}

/* The frame ends inside a record: it is lost, and the file says so. */
TEST(a_record_cut_inside)
{
	plain.size = 0;
	put_comm(&plain, 1, 2, "ab", 0, 5);
	put_header(&plain, TL_PERF_COMM, 0, 56);
	put_zeros(&plain, 20);
	file_begin(&f, COMMON_TYPE);
	put_packed(pack());
	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.comm.pid, 1);
	assert_int_equal(next(&f), 0);
	assert_fault(&f, TL_TRUNCATED, DATA_AT, 0);
	reader_close(&f);
}

/* A size that cannot be: the rest of the frame is lost, not the records behind it. */
TEST(a_size_that_lies_inside)
{
	plain.size = 0;
	put_comm(&plain, 1, 2, "ab", 0, 5);
	put_header(&plain, TL_PERF_COMM, 0, 7);
	put_comm(&plain, 3, 4, "lost", 0, 5);
	file_begin(&f, COMMON_TYPE);
	put_packed(pack());
	put_comm(&f, 9, 9, "kept", 0, 5);
	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.comm.pid, 1);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.comm.pid, 9);
	assert_int_equal(next(&f), 0);
	assert_fault(&f, TL_BAD_SIZE, DATA_AT, 0);
	reader_close(&f);
}

/* A new frame is read after one that was given up. */
TEST(a_frame_behind_a_broken_one)
{
	size_t size;

	plain.size = 0;
	put_comm(&plain, 9, 9, "kept", 0, 5);
	size = pack();
	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_COMPRESSED, 0, 8 + 8);
	put_bytes(&f, "no frame", 8);
	put_packed(size);
	assert_only_last();
	assert_fault(&f, TL_BAD_RECORD, DATA_AT, 8);
	reader_close(&f);
}

static size_t pack_many(uint64_t count)
{
	ZSTD_CStream *stream = ZSTD_createCStream();
	ZSTD_outBuffer out = { packed, sizeof(packed), 0 };
	static struct file block;

	assert_non_null(stream);
	block.size = 0;
	while (block.size < FILE_ROOM - 56)
		put_comm(&block, 1, 2, "ab", 0, 5);
	for (uint64_t left = count; left;) {
		const uint64_t most = block.size / 56, now = left < most ? left : most;
		ZSTD_inBuffer in = { block.bytes, (size_t)now * 56, 0 };

		while (in.pos < in.size)
			assert_false(ZSTD_isError(
				ZSTD_compressStream2(stream, &out, &in, ZSTD_e_continue)));
		left -= now;
	}
	ZSTD_inBuffer nothing = { NULL, 0, 0 };

	assert_int_equal(ZSTD_compressStream2(stream, &out, &nothing, ZSTD_e_end), 0);
	ZSTD_freeCStream(stream);
	return out.pos;
}

static void assert_many(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		assert_int_equal(next(&f), 1);
		assert_int_equal(f.rec.comm.pid, 1);
		assert_int_equal(f.rec.inside, i * 56);
		assert_int_equal(f.rec.offset, DATA_AT);
	}
}

/*
 * More records than the decompressor's window holds at once; the last ones may be in zstd when all
 * input was given to it.
 */
TEST(many_records_in_one)
{
	for (uint64_t count = 9000; count <= 10000; count += 50) {
		file_begin(&f, COMMON_TYPE);
		put_packed(pack_many(count));
		put_comm(&f, 9, 9, "kept", 0, 5);
		file_end(&f);
		reader_open(&f, NULL);
		assert_many(count);
		assert_int_equal(next(&f), 1);
		assert_int_equal(f.rec.comm.pid, 9);
		assert_int_equal(next(&f), 0);
		assert_no_fault(&f);
		reader_close(&f);
	}
}

/* From the middle of the window back to the first record. */
TEST(once_more_from_the_beginning)
{
	file_begin(&f, COMMON_TYPE);
	put_packed(pack_many(100));
	file_end(&f);
	reader_open(&f, NULL);
	assert_many(50);
	tl_perf_rewind(f.reader);
	assert_many(100);
	assert_int_equal(next(&f), 0);
	assert_no_fault(&f);
	reader_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compressed_records),
		cmocka_unit_test(what_does_not_expand),
		cmocka_unit_test(a_size_beyond_the_record),
		cmocka_unit_test(a_record_without_its_size),
		cmocka_unit_test(a_record_cut_inside),
		cmocka_unit_test(a_size_that_lies_inside),
		cmocka_unit_test(a_frame_behind_a_broken_one),
		cmocka_unit_test(many_records_in_one),
		cmocka_unit_test(once_more_from_the_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
