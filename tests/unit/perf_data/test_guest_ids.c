/* SPDX-License-Identifier: Apache-2.0 */
/* ID_INDEX records, which say of which virtual machine the records of an id are. */
#include "file.h"

#include "perf_data/container/reader.h"

static struct file f;

/* An entry: id, index, processor and thread of the host (perf's struct id_index_entry). */
static void put_entry(uint64_t id, uint64_t thread)
{
	put64(&f, id);
	put64(&f, 0);
	put64(&f, UINT64_MAX);
	put64(&f, thread);
}

/* What it is of: struct id_index_entry_2. */
static void put_machine(uint64_t machine, uint64_t processor)
{
	put64(&f, machine);
	put64(&f, processor);
}

static void put_index(size_t count, size_t machines)
{
	put_header(&f, TL_PERF_ID_INDEX, 0, 8 + 8 + 32 * count + 16 * machines);
	put64(&f, count);
}

/* A COMM record of a virtual machine, by its mode. */
static void put_guest_comm(const char *name)
{
	put_comm(&f, 7, 8, name, TL_PERF_MISC_GUEST_KERNEL, 5);
}

static void read_all(size_t records)
{
	for (size_t i = 0; i < records; i++)
		assert_int_equal(next(&f), 1);
	assert_int_equal(next(&f), 0);
}

static void begin_reading(void)
{
	file_end(&f);
	reader_open(&f, NULL);
}

static void expect_machine(uint64_t id, uint32_t machine, uint32_t processor, uint32_t thread)
{
	const struct tl_perf_guest_id *found = tl_perf_guest_ids_find(f.reader, id);

	assert_non_null(found);
	assert_int_equal(found->machine, machine);
	assert_int_equal(found->processor, processor);
	assert_int_equal(found->thread, thread);
}

/* Entries of the host have machine 0; what a later record says of an id counts. */
static void machines(bool big)
{
	f.big = big;
	file_begin(&f, COMMON_TYPE);
	put_index(3, 3);
	put_entry(77, 11);
	put_entry(78, 101);
	put_entry(79, 102);
	put_machine(0, 0);
	put_machine(100, 3);
	put_machine(100, 4);
	put_index(1, 1);
	put_entry(79, 202);
	put_machine(200, 5);
	begin_reading();
	assert_null(tl_perf_guest_ids_find(f.reader, 78));
	for (int pass = 0; pass < 2; pass++) {
		read_all(2);
		assert_null(tl_perf_guest_ids_find(f.reader, 77));
		expect_machine(78, 100, 3, 101);
		expect_machine(79, 200, 5, 202);
		tl_perf_rewind(f.reader);
		assert_null(tl_perf_guest_ids_find(f.reader, 78));
	}
	assert_no_fault(&f);
	reader_close(&f);
	f.big = false;
}

TEST(machines_of_ids)
{
	machines(false);
	machines(true);
}

/* Without the second list, or with a part of it, all entries are the host's. */
TEST(ids_of_the_host)
{
	for (size_t words = 0; words < 4; words++) {
		file_begin(&f, COMMON_TYPE);
		put_header(&f, TL_PERF_ID_INDEX, 0, 8 + 8 + 2 * 32 + 8 * words);
		put64(&f, 2);
		put_entry(77, 11);
		put_entry(78, 12);
		for (size_t i = 0; i < words; i++)
			put64(&f, 100);
		begin_reading();
		read_all(1);
		assert_null(tl_perf_guest_ids_find(f.reader, 77));
		assert_null(tl_perf_guest_ids_find(f.reader, 78));
		assert_no_fault(&f);
		reader_close(&f);
	}
}

/* The host has no such process: a record that no id gives a machine is left out, and told. */
TEST(a_record_of_an_unknown_machine)
{
	size_t at;

	file_begin(&f, COMMON_TYPE);
	put_comm(&f, 7, 8, "host", 0, 4);
	at = f.size;
	put_guest_comm("machine");
	begin_reading();
	assert_int_equal(next(&f), 1);
	assert_text(f.rec.comm.name, "host");
	assert_int_equal(next(&f), 0);
	assert_int_equal(f.reader->faults.count, 1);
	assert_int_equal(f.reader->faults.list[0].offset, at);
	assert_non_null(strstr(f.reader->faults.list[0].text, "no ID_INDEX record"));
	reader_close(&f);
}

/* With an index, which is before it, it is read. */
TEST(a_record_of_a_machine)
{
	file_begin(&f, COMMON_TYPE);
	put_index(1, 1);
	put_entry(77, 101);
	put_machine(100, 0);
	put_guest_comm("machine");
	begin_reading();
	assert_int_equal(next(&f), 1);
	assert_int_equal(next(&f), 1);
	assert_text(f.rec.comm.name, "machine");
	assert_int_equal(next(&f), 0);
	assert_no_fault(&f);
	reader_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_of_ids),
		cmocka_unit_test(ids_of_the_host),
		cmocka_unit_test(a_record_of_an_unknown_machine),
		cmocka_unit_test(a_record_of_a_machine),
	};

	return cmocka_run_group_tests_name("perf_data guest_ids", tests, NULL, NULL);
}
