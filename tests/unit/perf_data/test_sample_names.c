/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of sampled addresses: of the kernel, of files without symbols, of code that a run-time
 * compiler wrote down, and of what is no code of this machine's processes.
 */
#include "sample_file.h"

#include "kernel_elf.h"
#include "refused_fold.h"

#include <inttypes.h>
#include <sys/utsname.h>

#include "perf_data/container/reader.h"
#include "perf_data/processes/system.h"

static void make_directories(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "mkdir -p '%s/%s'", root, name);
	assert_int_equal(system(command), 0);
}

/* ---- the kernel ---- */

enum { WITH_BUILD_ID = 1 << 14 };

static const struct tl_perf_build_id recorded = { .size = 4, .bytes = { 0xab, 0xcd, 0xef, 0x01 } };

/* Where the kernel is mapped from. */
static uint64_t kernel_at = 0xffffffff81000000;

static void begin_kernel(const struct tl_perf_build_id *id)
{
	static const char path[] = "[kernel.kallsyms]_text";

	begin();
	put_header(&f, TL_PERF_MMAP2, MODE_KERNEL | WITH_BUILD_ID, 8 + 32 + 24 + 8 + 24 + TRAILER);
	put32(&f, UINT32_MAX);
	put32(&f, 0);
	put64(&f, kernel_at);
	put64(&f, 0x1000000);
	put64(&f, kernel_at);
	put(&f, id->size, 1);
	put_zeros(&f, 3);
	put_bytes(&f, id->bytes, 20);
	put32(&f, 5); /* PROT_READ | PROT_EXEC */
	put32(&f, 2); /* MAP_PRIVATE */
	put_name(&f, path);
	put_trailer(&f, UINT32_MAX, 0, 1, 0);
}

static void put_kernel_sample(uint64_t ip)
{
	const uint64_t chain[] = { KERNEL, ip };
	struct at at = usual;

	at.mode = MODE_KERNEL;
	put_sample(at, chain, 2);
}

static void write_kallsyms(const char *directory)
{
	static const char list[] = "ffffffff81000000 T startup\n"
				   "ffffffff810000f0 t __pfx_do_work\n"
				   "ffffffff81000100 t do_work\n"
				   "ffffffff81000200 D a_datum\n"
				   "ffffffff81800000 T in_module\t[crc]\n"
				   "ffffffff81800100 T _end\n";
	char name[96];

	snprintf(name, sizeof(name), "%s/.build-id/ab/cdef01", directory);
	make_directories(name);
	snprintf(name, sizeof(name), "%s/.build-id/ab/cdef01/kallsyms", directory);
	write_file(name, list, strlen(list));
}

static void assert_named_kernel(void)
{
	assert_stack("startup", 7, 1);
	assert_stack("do_work", 7, 1);
	assert_stack("in_module", 7, 1);
	assert_string_equal(function("do_work")->object, "[kernel.kallsyms]");
	assert_int_equal(function("do_work")->address, 0xffffffff81000100);
	assert_string_equal(function("in_module")->object, "[crc]");
	assert_int_equal(remarks.count, 0);
}

static void put_kernel_samples(void)
{
	put_kernel_sample(0xffffffff810000ef);
	put_kernel_sample(0xffffffff81000100);
	put_kernel_sample(0xffffffff81800010);
}

TEST(kernels_are_named_by_the_list_of_their_build_id)
{
	char nowhere[64], cache[64];
	const char *const directories[] = { nowhere, cache };

	snprintf(nowhere, sizeof(nowhere), "%s/nowhere", root);
	snprintf(cache, sizeof(cache), "%s/cache", root);
	write_kallsyms("cache");
	begin_kernel(&recorded);
	options.build_id_dirs = directories;
	options.build_id_dir_count = 2;
	put_kernel_samples();
	fold();
	assert_named_kernel();
	done();
	assert_true(refuse_each_of_fold(&f) > 50);
}

/*
 * A caller's address is behind its call, but where an interrupt came it is the next instruction;
 * the padding before a function has no call that could end there.
 */
TEST(interrupted_functions_are_named_at_their_first_instruction)
{
	static const uint64_t chain[] = { KERNEL, 0xffffffff81000010, 0xffffffff81000100,
					  0xffffffff810000f8, 0xffffffff810000f0 };
	struct at at = usual;

	write_kallsyms(".debug");
	setenv("HOME", root, 1);
	begin_kernel(&recorded);
	at.mode = MODE_KERNEL;
	put_sample(at, chain, 5);
	fold();
	assert_stack("startup;__pfx_do_work;do_work;startup", 7, 1);
	done();
}

static const char no_list[] =
	"no names for the code of [kernel.kallsyms]_text: no list of the kernel's names (kallsyms) "
	"in a build-id cache, and another kernel runs here";

/* ~/.debug is the cache where no other is given. */
TEST(the_cache_of_the_home_directory)
{
	const char *const elsewhere[] = { "/nowhere" };

	setenv("HOME", root, 1);
	write_kallsyms(".debug");
	begin_kernel(&recorded);
	put_kernel_samples();
	fold();
	assert_named_kernel();
	done();
	options.build_id_dirs = elsewhere;
	options.build_id_dir_count = 1;
	fold();
	assert_stack("[kernel]", 21, 3);
	assert_remark(no_list);
	done();
	unsetenv("HOME");
	options.build_id_dir_count = 0;
	fold();
	assert_remark(no_list);
	done();
}

TEST(kernels_without_a_list)
{
	const struct tl_perf_build_id none = { .size = 0 };

	begin_kernel(&none);
	put_kernel_samples();
	fold();
	assert_stack("[kernel]", 21, 3);
	assert_remark("no names for the code of [kernel.kallsyms]_text: no list of the kernel's "
		      "names (kallsyms): the file says neither the build id of the kernel nor its "
		      "release");
	done();
	options.no_files = true;
	fold();
	assert_stack("[kernel]", 21, 3);
	assert_remark("no names for the code of [kernel.kallsyms]_text: not looked for");
	done();
}

/* ---- what was given ---- */

static char given_path[128];
static const char *const given[] = { given_path };

static void give(const char *name, const void *data, size_t size)
{
	unsetenv("HOME");
	write_file(name, data, size);
	snprintf(given_path, sizeof(given_path), "%s/%s", root, name);
	options.programs = given;
	options.program_count = 1;
}

/* A list of the kernel's names, under any name; where it is of another boot it is not used. */
TEST(lists_of_kernels_that_were_given)
{
	static const char list[] = "ffffffff81000000 T startup\n"
				   "ffffffff81000100 t do_work\n"
				   "ffffffff81800000 T in_module\t[crc]\n"
				   "ffffffff81800100 T _end\n";
	static const char of_another_boot[] = "ffffffff82000000 T startup\n";

	begin_kernel(&recorded);
	put_kernel_samples();
	give("names-of-kernel", list, strlen(list));
	fold();
	assert_named_kernel();
	done();
	assert_true(refuse_each_of_fold(&f) > 50);
	give("names-of-kernel", of_another_boot, strlen(of_another_boot));
	fold();
	assert_stack("[kernel]", 21, 3);
	assert_int_equal(remarks.count, 2);
	assert_non_null(strstr(remarks.list[0], "names-of-kernel was not used: the recording has "
						"no program of its build id"));
	done();
}

/* vmlinux: its symbols, moved by as much as the kernel was. */
TEST(symbols_of_the_kernels_file)
{
	size_t size;
	const uint8_t *elf = kernel_elf(&size);

	kernel_at = 0xffffffff81400000;
	begin_kernel(&recorded);
	give("vmlinux-6.1", elf, size);
	put_kernel_sample(0xffffffff81400010);
	put_kernel_sample(0xffffffff8140017f);
	put_kernel_sample(0xffffffff81400180);
	fold();
	assert_stack("startup", 7, 1);
	assert_stack("do_work", 7, 1);
	assert_stack("[kernel]", 7, 1);
	assert_string_equal(function("do_work")->object, "[kernel.kallsyms]");
	assert_int_equal(function("do_work")->address, 0xffffffff81000100);
	assert_remark(no_list);
	done();
	assert_true(refuse_each_of_fold(&f) > 50);
	kernel_at = 0xffffffff81000000;
}

TEST(given_files_that_are_of_no_use)
{
	begin_kernel(&recorded);
	put_sample(usual, (const uint64_t[]){ USER, 0x10500 }, 2);
	give("prog", "no program", 10);
	fold();
	assert_int_equal(remarks.count, 1);
	assert_non_null(strstr(remarks.list[0], "/prog was not used: the recording has no program "
						"of its build id, or of its name"));
	done();
	snprintf(given_path, sizeof(given_path), "%s/absent", root);
	fold();
	assert_int_equal(remarks.count, 1);
	assert_non_null(strstr(remarks.list[0], "/absent was not used: No such file or directory"));
	done();
}

/* /proc/kallsyms says what is where in the kernel that runs here; to some users all is at 0. */
static bool own_name(const char *wanted, uint64_t *address, char name[64])
{
	FILE *file = fopen("/proc/kallsyms", "r");
	bool found = false;
	uint64_t at = 0;
	char type;

	while (file && !found && fscanf(file, "%" SCNx64 " %c %63s%*[^\n]", &at, &type, name) == 3)
		found = type == 'T' && !strcmp(name, wanted);
	if (file)
		fclose(file);
	found = found && at >= 0xffffffff81000000;
	if (found)
		*address = at;
	return found;
}

TEST(the_kernel_that_runs_here)
{
	struct tl_perf_build_id own;
	uint64_t address = 0;
	char name[64];

	if (!tl_perf_elf_own_kernel(&own))
		skip();
	begin_kernel(&own);
	if (own_name("schedule", &address, name)) {
		put_kernel_sample(address);
		fold();
		assert_stack(name, 7, 1);
	} else {
		put_kernel_sample(0xffffffff81000100);
		fold();
		assert_stack("[kernel]", 7, 1);
		assert_remark("no names for the code of [kernel.kallsyms]_text: /proc/kallsyms "
			      "hides its addresses (kptr_restrict)");
	}
	done();
}

/* Feature 4 (HEADER_OSRELEASE) behind the records: a length and so many bytes. */
static void put_release(const char *release)
{
	const size_t table = f.size;

	patch64(&f, 48, f.size - data_at);
	patch64(&f, 72, 1 << 4);
	put64(&f, table + 16);
	put64(&f, 4 + 72);
	put32(&f, 72);
	put_bytes(&f, release, strlen(release));
	put_zeros(&f, 72 - strlen(release));
}

static void fold_here(void)
{
	assert_int_equal(fold_bytes(&f), 0);
}

/* `perf record -z` writes no build id: the release says whether the kernel that runs is meant. */
TEST(kernels_by_their_release)
{
	const struct tl_perf_build_id none = { .size = 0 };
	struct utsname machine;
	uint64_t address = 0;
	char name[64];
	bool known;

	assert_int_equal(uname(&machine), 0);
	begin_kernel(&none);
	put_kernel_sample(0xffffffff81000100);
	put_release("another-release");
	fold_here();
	assert_remark(no_list);
	done();
	/* No function of it begins where the map does, whether it tells its addresses or not. */
	known = own_name("_text", &kernel_at, name);
	kernel_at += 8;
	begin_kernel(&none);
	put_kernel_sample(kernel_at + 0x100);
	put_release(machine.release);
	fold_here();
	assert_stack("[kernel]", 7, 1);
	assert_remark(known ? "no names for the code of [kernel.kallsyms]_text: the kernel that "
			      "runs here has the same release, but stands elsewhere"
			    : "no names for the code of [kernel.kallsyms]_text: /proc/kallsyms "
			      "hides its addresses (kptr_restrict)");
	kernel_at -= 8;
	if (known && own_name("schedule", &address, name)) {
		done();
		begin_kernel(&none);
		put_kernel_sample(address);
		put_release(machine.release);
		fold_here();
		assert_stack(name, 7, 1);
		assert_int_equal(remarks.count, 0);
	}
	kernel_at = 0xffffffff81000000;
	done();
}

/* ---- files ---- */

/* The first entry of the linkage table has no symbol, but a row: 0x300 (`readelf -wF`). */
TEST(functions_by_their_unwind_tables)
{
	static char corpus[1024];
	const char *source = getenv("TL_SOURCE_ROOT");

	snprintf(corpus, sizeof(corpus), "%s/fuzz/corpus/cfi", source ? source : ".");
	begin();
	options.sysroot = corpus;
	put_map(&f, PID, 0x10000, 0x1000, "/x86_64", 2);
	put_sample(usual, (const uint64_t[]){ USER, 0x10308 }, 2);
	put_sample(usual, (const uint64_t[]){ USER, 0x10500 }, 2);
	fold();
	assert_stack("[x86_64+0x300]", 7, 1);
	assert_stack("[x86_64]", 7, 1);
	assert_int_equal(remarks.count, 0);
	done();
	assert_true(refuse_each_of_fold(&f) > 50);
}

TEST(files_of_another_kind)
{
	write_file("text", "#!/bin/sh\n", 10);
	begin();
	put_map(&f, PID, 0x10000, 0x1000, "/text", 2);
	put_sample(usual, (const uint64_t[]){ USER, 0x10004 }, 2);
	fold();
	assert_stack("[text]", 7, 1);
	assert_remark("no names for the code of /text: not an ELF file");
	done();
}

/* ---- code of run-time compilers ---- */

static struct file dump;

/* "magic: ... version: 1 ... total_size: 40 ... elf_mach: 62"; the specification of jitdump. */
static void begin_dump(uint64_t flags)
{
	dump.size = 0;
	put32(&dump, 0x4a695444);
	put32(&dump, 1);
	put32(&dump, 40);
	put32(&dump, 62);
	put32(&dump, 0);
	put32(&dump, PID);
	put64(&dump, 0);
	put64(&dump, flags);
}

static void put_head(uint32_t id, size_t body, uint64_t time)
{
	put32(&dump, id);
	put32(&dump, (uint32_t)(16 + body));
	put64(&dump, time);
	put32(&dump, PID);
	put32(&dump, TID);
}

/* JIT_CODE_LOAD of 16 bytes. */
static void put_load(const char *name, uint64_t time, uint64_t address, uint64_t index)
{
	put_head(0, 40 + strlen(name) + 1 + 16, time);
	put64(&dump, address);
	put64(&dump, address);
	put64(&dump, 16);
	put64(&dump, index);
	put_bytes(&dump, name, strlen(name) + 1);
	put_zeros(&dump, 16);
}

/* JIT_CODE_MOVE. */
static void put_move(uint64_t time, uint64_t from, uint64_t to, uint64_t index)
{
	put_head(1, 48, time);
	put64(&dump, to);
	put64(&dump, from);
	put64(&dump, to);
	put64(&dump, 16);
	put64(&dump, index);
}

/* f at 0x5000, in whose place g comes; h at 0x6000, which moves to 0x7000; one of no process. */
static void put_functions(void)
{
	put_load("f", 50, 0x5000, 1);
	put_load("g", 200, 0x5000, 2);
	put_load("h", 300, 0x6000, 3);
	put_move(400, 0x6000, 0x7000, 3);
	put_load("kernel", 400, 0xffffffff81000000, 4);
	put_load("nothing", 400, UINT64_MAX - 7, 5);
}

/* Samples that meet each of them; the clock of records is that of `perf record -k CLOCK`. */
static void begin_compiled(uint32_t clock)
{
	static const uint64_t met[][2] = {
		{ 100, 0x5004 }, { 250, 0x5004 }, { 350, 0x6004 }, { 450, 0x7004 }, { 450, 0x5010 },
	};
	const struct wide_attr attr = { .sample_type = TYPE, .flags = 1 << 25, .clock = clock };

	begin_wide(&attr);
	put_map(&f, PID, 0x5000, 0x3000, "//anon", 1);
	put_map(&f, PID, 0x9000, 0x1000, "/jit-10.dump", 2);
	put_map(&f, PID, 0x9000, 0x1000, "/jit-10.dump", 3);
	for (size_t i = 0; i < sizeof(met) / sizeof(met[0]); i++) {
		struct at at = usual;

		at.time = met[i][0];
		put_sample(at, (const uint64_t[]){ USER, met[i][1] }, 2);
	}
}

enum { MONOTONIC = 1, MONOTONIC_RAW = 4 };

TEST(compiled_code_has_names_from_its_time_on)
{
	begin_dump(0);
	put_functions();
	write_file("jit-10.dump", dump.bytes, dump.size);
	begin_compiled(MONOTONIC);
	fold();
	assert_stack("f", 7, 1);
	assert_stack("g", 7, 1);
	assert_stack("h", 14, 2);
	assert_stack("[anon]", 7, 1);
	assert_int_equal(fault_count, 0);
	assert_int_equal(remarks.count, 0);
	done();
	assert_true(refuse_each_of_fold(&f) > 50);
}

/* Without a common clock nothing says when f was: g is what came last. */
static void assert_untimed(void)
{
	fold();
	assert_stack("f", 0, 0);
	assert_stack("g", 14, 2);
	assert_stack("h", 14, 2);
	assert_int_equal(fault_count, 1);
	assert_string_equal(fault.text, tl_perf_rules[TL_PERF_RULE_JITDUMP_CLOCK].text);
	done();
}

TEST(times_of_another_clock)
{
	begin_dump(0);
	put_functions();
	write_file("jit-10.dump", dump.bytes, dump.size);
	begin_compiled(MONOTONIC_RAW);
	assert_untimed();
	begin_compiled(MONOTONIC);
	patch64(&f, 104 + 40, 1 << 18); /* no clock was asked for */
	assert_untimed();
	begin_dump(TL_JITDUMP_ARCH_TIME);
	put_functions();
	write_file("jit-10.dump", dump.bytes, dump.size);
	begin_compiled(MONOTONIC);
	assert_untimed();
}

/* What was read before the damage counts. */
TEST(lists_that_are_damaged)
{
	begin_dump(0);
	put_functions();
	write_file("jit-10.dump", dump.bytes, 40 + 16 + 40 + 2 + 16 + 30);
	begin_compiled(MONOTONIC);
	fold();
	assert_stack("f", 14, 2);
	assert_stack("h", 0, 0);
	assert_int_equal(fault_count, 1);
	assert_string_equal(fault.text, tl_perf_rules[TL_PERF_RULE_JITDUMP].text);
	done();
	write_file("jit-10.dump", "#", 1);
	begin_compiled(MONOTONIC);
	fold();
	assert_int_equal(fault_count, 1);
	assert_string_equal(fault.text, tl_perf_rules[TL_PERF_RULE_JITDUMP].text);
	done();
	options.no_files = true;
	fold();
	assert_int_equal(fault_count, 0);
	assert_stack("f", 0, 0);
	done();
}

/* A map of a file with a name that only looks like it, and one of the kernel. */
TEST(files_that_are_no_lists)
{
	static const char *const names[] = { "/jit-.dump", "/jit-10.dum", "/lit-10.dump" };

	begin_dump(0);
	put_functions();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		write_file(names[i] + 1, dump.bytes, dump.size);
		begin();
		put_map(&f, PID, 0x9000, 0x1000, names[i], 2);
		put_map(&f, PID, 0x5000, 0x1000, "//anon", 2);
		put_sample(usual, (const uint64_t[]){ USER, 0x5004 }, 2);
		fold();
		assert_stack("[anon]", 7, 1);
		assert_int_equal(fault_count, 0);
		done();
	}
}

/* A list that is there and cannot be read (here: a directory) costs names, which is said. */
TEST(a_list_that_cannot_be_read)
{
	make_directories("tmp/perf-10.map");
	begin();
	put_map(&f, PID, 0x5000, 0x1000, "//anon", 2);
	put_sample(usual, (const uint64_t[]){ USER, 0x5004 }, 2);
	fold();
	assert_stack("[anon]", 7, 1);
	assert_int_equal(remarks.count, 1);
	assert_non_null(strstr(remarks.list[0], "no names for code that process 10 made: "));
	assert_non_null(strstr(remarks.list[0], "/tmp/perf-10.map: the list of names is another "
						"user's, or no regular file"));
	done();
}

/* ---- no code of this machine's processes ---- */

/* UAPI, enum perf_callchain_context. */
TEST(contexts_without_code)
{
	static const struct {
		uint64_t marker;
		const char *name;
	} rows[] = {
		{ (uint64_t)-32, "[hypervisor]" },
		{ (uint64_t)-2048, "[guest kernel]" },
		{ (uint64_t)-2176, "[guest kernel]" },
		{ (uint64_t)-2560, "[guest user]" },
		{ (uint64_t)-640, "[user stack elsewhere]" },
		{ (uint64_t)-4000, "[unknown]" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint64_t chain[] = { rows[i].marker, 0x1234 };

		begin();
		put_sample(usual, chain, 2);
		fold();
		assert_stack(rows[i].name, 7, 1);
		done();
	}
}

/* PERF_RECORD_MISC_HYPERVISOR, _GUEST_KERNEL and _GUEST_USER, of a sample without a chain. */
TEST(modes_without_code)
{
	static const char *const names[] = { "[hypervisor]", "[guest kernel]", "[guest user]" };

	for (uint16_t mode = 3; mode <= 5; mode++) {
		struct at at = usual;

		at.mode = mode;
		begin();
		put_sample(at, NULL, 0);
		fold();
		assert_stack(names[mode - 3], 7, 1);
		done();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_are_named_by_the_list_of_their_build_id),
		cmocka_unit_test(the_cache_of_the_home_directory),
		cmocka_unit_test(interrupted_functions_are_named_at_their_first_instruction),
		cmocka_unit_test(kernels_without_a_list),
		cmocka_unit_test(lists_of_kernels_that_were_given),
		cmocka_unit_test(symbols_of_the_kernels_file),
		cmocka_unit_test(given_files_that_are_of_no_use),
		cmocka_unit_test(the_kernel_that_runs_here),
		cmocka_unit_test(kernels_by_their_release),
		cmocka_unit_test(functions_by_their_unwind_tables),
		cmocka_unit_test(files_of_another_kind),
		cmocka_unit_test(compiled_code_has_names_from_its_time_on),
		cmocka_unit_test(times_of_another_clock),
		cmocka_unit_test(lists_that_are_damaged),
		cmocka_unit_test(files_that_are_no_lists),
		cmocka_unit_test(a_list_that_cannot_be_read),
		cmocka_unit_test(contexts_without_code),
		cmocka_unit_test(modes_without_code),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
