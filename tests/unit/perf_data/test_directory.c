/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directories of perf record --threads (docs/formats/perf-data.md): `data` with the header, and
 * `data.N` of each thread with records alone.
 */
#include "../temp_fixture.h"
#include "file.h"

static struct file f, part;

static void open_directory(void)
{
	assert_int_equal(tl_source_open(&f.source, temp.directory, NULL, &f.err), 0);
	assert_int_equal(tl_perf_open(&f.reader, f.source, NULL, &f.err), 0);
}

static void write_part(const char *name, uint32_t first, unsigned count)
{
	part.size = 0;
	for (uint32_t i = first; i < first + count; i++)
		put_comm(&part, i, i, "thread", 0, 100 * i);
	temp_write(&temp, name, part.bytes, part.size);
}

/* Each record comes once, whatever file it is in; a bit for each of the threads 1 to 31. */
static uint32_t read_threads(unsigned *count)
{
	uint32_t met = 0;
	int status;

	for (*count = 0; (status = next(&f)) == 1;)
		if (f.rec.type == TL_PERF_COMM) {
			assert_true(f.rec.thread.tid < 32);
			met |= UINT32_C(1) << f.rec.thread.tid;
			++*count;
		}
	assert_int_equal(status, 0);
	return met;
}

TEST(records_of_all_files)
{
	unsigned count;

	file_begin(&f, COMMON_TYPE);
	put_comm(&f, 1, 1, "main", 0, 100);
	put_comm(&f, 9, 9, "main", 0, 900);
	file_end(&f);
	temp_write(&temp, "data", f.bytes, f.size);
	write_part("data.0", 2, 3);
	write_part("data.1", 5, 2);
	open_directory();
	assert_int_equal(read_threads(&count), 1 << 1 | 1 << 9 | 7 << 2 | 3 << 5);
	assert_int_equal(count, 7);
	assert_no_fault(&f);
	tl_perf_rewind(f.reader);
	assert_int_equal(read_threads(&count), 1 << 1 | 1 << 9 | 7 << 2 | 3 << 5);
	assert_int_equal(count, 7);
	reader_close(&f);
}

/* A file whose number is missing among the others is told; the others are read. */
TEST(a_file_that_is_missing)
{
	uint64_t count, skipped;
	unsigned threads;
	size_t listed;

	assert_int_equal(unlink(temp_path(&temp, "data.0")), 0);
	open_directory();
	assert_int_equal(read_threads(&threads), 1 << 1 | 1 << 9 | 3 << 5);
	assert_int_equal(threads, 4);
	tl_perf_faults(f.reader, &listed, &count, &skipped);
	assert_int_equal(count, 1);
	reader_close(&f);
}

/* One that is cut inside a record costs that record. */
TEST(a_file_that_is_cut)
{
	const struct tl_perf_fault *faults;
	uint64_t count, skipped;
	unsigned threads;
	size_t listed;

	write_part("data.0", 2, 3);
	temp_write(&temp, "data.0", part.bytes, part.size - 8);
	open_directory();
	assert_int_equal(read_threads(&threads), 1 << 1 | 1 << 9 | 3 << 2 | 3 << 5);
	faults = tl_perf_faults(f.reader, &listed, &count, &skipped);
	assert_int_equal(count, 1);
	assert_int_equal(faults[0].status, TL_TRUNCATED);
	assert_int_equal(skipped, part.size / 3 - 8);
	reader_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_all_files),
		cmocka_unit_test(a_file_that_is_missing),
		cmocka_unit_test(a_file_that_is_cut),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
