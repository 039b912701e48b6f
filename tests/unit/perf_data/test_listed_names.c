/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of code whose file has none: copies of what processes made at run time, by the lists that
 * their compilers left (docs/formats/perf-data.md section 9), and the kernel's memory (kcore), by
 * its list of names (kallsyms).
 */
#include "../temp_fixture.h"
#include "trace.h"

#include <stdio.h>
#include <sys/stat.h>

#include "perf_data/auxtrace/trace.h"

#define KERNEL UINT64_C(0xffffffff81000000)

enum { PID = 10, COPY = 0x10000, PROGRAM = 0x20000, PAGE = 0x1000, EXEC = 0x2000 };
enum { EXECUTABLE = 2, CORE = 4 }; /* types of ELF files */

static struct file image;
static unsigned program_type = EXECUTABLE;

/* ---- files ---- */

/* An ELF file of x86-64 with one segment, that has its code behind the two headers. */
static void write_elf(const char *name, unsigned type, uint64_t address)
{
	image.size = 0;
	put_bytes(&image, "\177ELF\2\1\1", 7);
	put_zeros(&image, 9);
	put16(&image, type);
	put16(&image, 62);
	put32(&image, 1);
	put64(&image, 0);
	put64(&image, 64); /* program headers */
	put64(&image, 0);
	put32(&image, 0);
	put16(&image, 64);
	put16(&image, 56);
	put16(&image, 1);
	put_zeros(&image, 6);
	put32(&image, 1); /* PT_LOAD */
	put32(&image, 5);
	put64(&image, 0);
	put64(&image, address);
	put64(&image, address);
	put64(&image, PAGE);
	put64(&image, PAGE);
	put64(&image, PAGE);
	put_zeros(&image, PAGE - image.size);
	temp_write(&temp, name, image.bytes, image.size);
}

static void write_text(const char *name, const char *text)
{
	temp_write(&temp, name, text, strlen(text));
}

static void write_copy(void)
{
	image.size = 0;
	for (unsigned i = 0; i < PAGE; i++)
		put(&image, 0xc3, 1);
	temp_write(&temp, "code", image.bytes, image.size);
}

/* JIT_CODE_LOAD of 16 bytes each, at the same address at three times. */
static void write_dump(void)
{
	static const char *const names[] = { "first", "again", "later" };
	static const uint64_t times[] = { 100, 300, 355 };

	image.size = 0;
	put32(&image, 0x4a695444);
	put32(&image, 1);
	put32(&image, 40);
	put32(&image, 62);
	put32(&image, 0);
	put32(&image, PID);
	put_zeros(&image, 16);
	for (unsigned i = 0; i < 3; i++) {
		put32(&image, 0);
		put32(&image, 16 + 40 + 6 + 16);
		put64(&image, times[i]);
		put32(&image, PID);
		put32(&image, PID);
		put64(&image, COPY + 0x100);
		put64(&image, COPY + 0x100);
		put64(&image, 16);
		put64(&image, i + 1);
		put_bytes(&image, names[i], 6);
		put_zeros(&image, 16);
	}
	temp_write(&temp, "in.jit-10.dump", image.bytes, image.size);
}

/* ---- the recording ---- */

static void put_kernel_map(uint64_t address, uint64_t size)
{
	static const char path[] = "[kernel.kallsyms]_text";

	put_header(&f, TL_PERF_MMAP, TL_PERF_MISC_KERNEL, 8 + 32 + 24 + TRAILER);
	put32(&f, UINT32_MAX);
	put32(&f, 0);
	put64(&f, address);
	put64(&f, size);
	put64(&f, address);
	put_name(&f, path);
	put_trailer(&f, UINT32_MAX, 0, 0, 0);
}

static void put_maps(uint64_t time)
{
	put_map(&f, PID, COPY, PAGE, temp_path(&temp, "code"), time);
	put_map(&f, PID, PROGRAM, PAGE, temp_path(&temp, "prog"), time);
}

/* A process executes another program at 350, whose code is at the same places. */
static void open_recording(void)
{
	struct stream s = { .size = 0 };

	write_copy();
	write_elf("prog", program_type, PROGRAM);
	file_begin(&f, COMMON_TYPE);
	put_info(0, 1, 0, false);
	put_kernel_map(KERNEL - PAGE, 2 * PAGE);
	put_comm(&f, PID, PID, "prog", 0, 1);
	put_switch(9, PID, 5);
	put_maps(10);
	put_comm(&f, PID, PID, "prog", EXEC, 350);
	put_maps(360);
	psb(&s, 50);
	tsc(&s, 100);
	on(&s, COPY);
	off(&s);
	tsc(&s, 400);
	on(&s, COPY);
	off(&s);
	put_auxtrace(s.bytes, s.size, 0, UINT32_MAX, 0);
	file_end(&f);
	temp_write(&temp, "in", f.bytes, f.size);
	assert_int_equal(tl_source_open(&f.source, temp_path(&temp, "in"), NULL, &f.err), 0);
	assert_int_equal(tl_perf_trace_open(&trace, f.source, NULL, &f.err), 0);
	assert_int_equal(next_slice(), 1);
}

static void expect_name(uint64_t ip, const char *text, uint64_t start)
{
	struct tl_perf_compiled_name name;
	const char *why = "";

	assert_int_equal(tl_perf_trace_listed_name(trace, slice.space, ip, &name, &why), 1);
	assert_string_equal(name.name, text);
	assert_int_equal(name.start, start);
	assert_null(why);
}

static void expect_none(uint64_t ip, const char *words)
{
	struct tl_perf_compiled_name name;
	const char *why = NULL;

	assert_int_equal(tl_perf_trace_listed_name(trace, slice.space, ip, &name, &why), 0);
	assert_non_null(why);
	if (!strstr(why, words))
		fail_msg("\"%s\" instead of \"%s\"", why, words);
}

/* Its file has names of its own, or there is none. */
static void expect_its_own(uint64_t ip)
{
	struct tl_perf_compiled_name name;
	const char *why = "";

	assert_int_equal(tl_perf_trace_listed_name(trace, slice.space, ip, &name, &why),
			 TL_UNSUPPORTED);
	assert_null(why);
}

/* ---- code made at run time ---- */

TEST(lists_name_copies_of_code)
{
	write_text("in.perf-10.map", "10000 20 stub\n10040 10 two words\n20000 10 no_copy\n");
	open_recording();
	expect_name(COPY, "stub", COPY);
	expect_name(COPY + 0x1f, "stub", COPY);
	expect_name(COPY + 0x4f, "two words", COPY + 0x40);
	expect_none(COPY + 0x20, "no list that its compiler left");
	expect_its_own(PROGRAM);
	expect_its_own(0x90000);
	trace_close();
}

TEST(without_lists_it_is_said_why)
{
	open_recording();
	expect_none(COPY, "no list that its compiler left (perf-PID.map, jit-PID.dump)");
	expect_its_own(PROGRAM + 1);
	trace_close();
}

/*
 * An address has the code that was there last when its space got its first map, which is the time
 * of exec: before that the first that is known, as there was none yet.
 */
TEST(names_are_those_of_the_space)
{
	write_dump();
	open_recording();
	expect_name(COPY + 0x100, "first", COPY + 0x100);
	expect_name(COPY + 0x10f, "first", COPY + 0x100);
	expect_none(COPY + 0x110, "no list that its compiler left");
	assert_int_equal(next_slice(), 1);
	expect_name(COPY + 0x100, "again", COPY + 0x100);
	assert_int_equal(next_slice(), 0);
	trace_close();
}

TEST(a_damaged_list_is_told)
{
	write_dump();
	temp_write(&temp, "in.jit-10.dump", image.bytes, image.size - 1);
	open_recording();
	expect_none(COPY, "in.jit-10.dump: a damaged record; names behind it are missing");
	trace_close();
}

/* ---- the kernel ---- */

static void make_kcore(void)
{
	assert_int_equal(mkdir(temp_path(&temp, "kcore_dir"), 0700), 0);
	write_elf("kcore_dir/kcore", CORE, KERNEL);
}

/* The padding before a function has a name; its last byte is where the function begins. */
TEST(the_kernel_has_its_names)
{
	make_kcore();
	write_text("kcore_dir/kallsyms",
		   "ffffffff81000000 T _text\nffffffff81000100 t do_work\n"
		   "ffffffff81000200 t __pfx_late\nffffffff81000210 t late\n");
	open_recording();
	for (unsigned twice = 0; twice < 2; twice++) {
		expect_name(KERNEL, "_text", KERNEL);
		expect_name(KERNEL + 0xff, "_text", KERNEL);
		expect_name(KERNEL + 0x1ff, "do_work", KERNEL + 0x100);
		expect_name(KERNEL + 0x200, "__pfx_late", KERNEL + 0x200);
		expect_name(KERNEL + 0x20f, "late", KERNEL + 0x210);
		expect_none(KERNEL - 1, "the list of the kernel's names lacks some of it");
	}
	expect_its_own(KERNEL + PAGE);
	expect_its_own(KERNEL - PAGE - 1);
	trace_close();
}

TEST(a_kernel_without_names)
{
	make_kcore();
	open_recording();
	for (unsigned twice = 0; twice < 2; twice++)
		expect_none(KERNEL + 0x100, "the file says neither the build id of the kernel");
	trace_close();
}

/* The memory of a process that was mapped as a file is none of the kernel. */
TEST(a_core_file_of_a_process)
{
	write_text("in.perf-10.map", "20000 10 listed\n");
	program_type = CORE;
	open_recording();
	expect_its_own(PROGRAM);
	trace_close();
	program_type = EXECUTABLE;
}

/* Without a copy of its memory the kernel's file names it. */
TEST(a_kernel_whose_memory_was_not_copied)
{
	open_recording();
	expect_its_own(KERNEL + 0x100);
	trace_close();
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, temp_setup, temp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(lists_name_copies_of_code),    CASE(without_lists_it_is_said_why),
		CASE(names_are_those_of_the_space), CASE(a_damaged_list_is_told),
		CASE(the_kernel_has_its_names),     CASE(a_kernel_without_names),
		CASE(a_core_file_of_a_process),     CASE(a_kernel_whose_memory_was_not_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
