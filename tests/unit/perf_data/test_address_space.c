/* SPDX-License-Identifier: Apache-2.0 */
/* Code of processes in the decoder's image (docs/formats/perf-data.md sections 8 and 9). */
#include "file.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "../temp.h"
#include "perf_data/processes/address_space.h"

static struct tl_perf_system sys;
static struct tl_perf_address_spaces spaces;
static struct temp temp;
static struct tl_error err;

static int begin(void **state)
{
	(void)state;
	memset(&sys, 0, sizeof(sys));
	memset(&spaces, 0, sizeof(spaces));
	temp_open(&temp);
	spaces.sys = &sys;
	spaces.cache = tl_pt_cache_open(NULL);
	sys.search.directory = strdup(temp.directory);
	return tl_names_add(&sys.names, "", 0) == TL_NONE;
}

static int end(void **state)
{
	(void)state;
	tl_perf_address_spaces_free(&spaces);
	tl_perf_system_free(&sys);
	temp_close(&temp);
	return 0;
}

/* A file whose byte at offset n is n / 16. */
static void write_code(const char *name, uint16_t type, uint64_t address)
{
	static uint8_t bytes[4096];
	const Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
				  .e_type = type,
				  .e_phoff = sizeof(head),
				  .e_phentsize = sizeof(Elf64_Phdr),
				  .e_phnum = 1 };
	const Elf64_Phdr code = { .p_type = PT_LOAD,
				  .p_flags = PF_X,
				  .p_offset = 0x400,
				  .p_vaddr = address,
				  .p_filesz = 0x800 };

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i / 16);
	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), &code, sizeof(code));
	temp_write(&temp, name, bytes, sizeof(bytes));
}

static void map(uint16_t mode, uint32_t pid, uint64_t start, uint64_t size, uint64_t offset,
		const char *path)
{
	const struct tl_perf_record rec = {
		.type = TL_PERF_MMAP,
		.misc = mode,
		.mmap = { pid, pid, start, size, offset, .path = { path, strlen(path) } },
	};

	assert_int_equal(tl_perf_add_map(&sys, &rec, 1, &err), 0);
}

/* The byte of a process after all its changes and some of the kernel's; -1: there is no code. */
static int byte_after(size_t pokes, uint32_t pid, uint64_t ip)
{
	const uint32_t process = tl_perf_process_find(&sys, pid);
	const size_t changes = process == TL_NONE ? 0 : sys.processes.list[process].count;
	const struct tl_perf_address_space wanted = { .process = process,
						      .changes = changes,
						      .pokes = pokes };
	struct tl_pt_asid asid;
	uint8_t byte;

	assert_true(tl_perf_address_space_add(&spaces, &wanted, &asid, &err) >= 0);
	return tl_pt_image_read(spaces.image, NULL, &byte, 1, &asid, ip) == 1 ? byte : -1;
}

static int byte_of(uint32_t pid, uint64_t ip)
{
	return byte_after(0, pid, ip);
}

/* Each process has its own code, from the page offset on and no longer than its map. */
TEST(code_of_two_processes)
{
	write_code("prog", ET_EXEC, 0x401000);
	map(TL_PERF_MISC_USER, 5, 0x401000, 0x200, 0x400, "prog");
	map(TL_PERF_MISC_USER, 6, 0x501000, 0x200, 0x500, "prog");
	assert_int_equal(byte_of(5, 0x401000), 0x40);
	assert_int_equal(byte_of(5, 0x4011ff), 0x5f);
	assert_int_equal(byte_of(5, 0x401200), -1);
	assert_int_equal(byte_of(5, 0x501000), -1);
	assert_int_equal(byte_of(6, 0x501000), 0x50);
	assert_int_equal(byte_of(6, 0x401000), -1);
	assert_int_equal(spaces.count, 2);
	assert_int_equal(spaces.missing.count, 0);
}

/* A later map replaces what it covers, as when it was mapped. */
TEST(a_later_map)
{
	write_code("first", ET_EXEC, 0);
	write_code("second", ET_EXEC, 0);
	map(TL_PERF_MISC_USER, 5, 0x10000, 0x400, 0x400, "first");
	map(TL_PERF_MISC_USER, 5, 0x10100, 0x100, 0x800, "second");
	assert_int_equal(byte_of(5, 0x100ff), 0x4f);
	assert_int_equal(byte_of(5, 0x10100), 0x80);
	assert_int_equal(byte_of(5, 0x10200), 0x60);
}

/* A kernel that is linked at ffffffff81000000, and the map that tells where it ran. */
static void moved_kernel(uint64_t start, uint64_t page_offset)
{
	char command[600];

	snprintf(command, sizeof(command), "mkdir '%s/kcore_dir'", temp.directory);
	assert_int_equal(system(command), 0);
	write_code("kcore_dir/kcore", ET_EXEC, 0xffffffff81000000);
	map(TL_PERF_MISC_KERNEL, UINT32_MAX, start, 0x1000, page_offset, "[kernel.kallsyms]_text");
}

/* perf writes where `_text` ran as the map's offset, too; kernels are moved by steps of 2 MiB. */
TEST(a_kernel_that_ran_elsewhere)
{
	moved_kernel(0xffffffff9be00000, 0xffffffff9be00000);
	assert_int_equal(byte_of(5, 0xffffffff9be00000), 0x40);
	assert_int_equal(byte_of(5, 0xffffffff9be007ff), 0xbf);
	assert_int_equal(byte_of(5, 0xffffffff81000000), -1);
}

/* Where `_stext` is not `_text`, the map begins behind the file's first byte. */
TEST(a_kernel_whose_map_begins_later)
{
	moved_kernel(0xffffffff9be00100, 0xffffffff9be00100);
	assert_int_equal(byte_of(5, 0xffffffff9be00110), 0x51);
	assert_int_equal(byte_of(5, 0xffffffff9be007ff), 0xbf);
}

/* The kernel is linked at an address and moved: its map tells by how much. */
TEST(a_kernel_that_was_moved)
{
	moved_kernel(0xffffffff91000000, 0xffffffff81000000);
	map(TL_PERF_MISC_USER, 5, 0x401000, 0x200, 0x400, "gone");
	assert_int_equal(byte_of(5, 0xffffffff91000000), 0x40);
	assert_int_equal(byte_of(5, 0xffffffff910007ff), 0xbf);
	assert_int_equal(byte_of(5, 0xffffffff91000800), -1);
	/* A process that no record named has the kernel alone. */
	assert_int_equal(byte_of(77, 0xffffffff91000010), 0x41);
	assert_int_equal(byte_of(77, 0x401000), -1);
}

/* Each segment of the kernel that its map covers is code; one outside is none. */
TEST(segments_of_the_kernel)
{
	static const uint64_t at[] = { 0xffffffff81000000, 0xffffffff81000800, 0xffffffff82000000 };
	static uint8_t bytes[4096];
	Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			    .e_type = ET_EXEC,
			    .e_phoff = sizeof(head),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 3 };
	char command[600];

	snprintf(command, sizeof(command), "mkdir '%s/kcore_dir'", temp.directory);
	assert_int_equal(system(command), 0);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i / 16);
	memcpy(bytes, &head, sizeof(head));
	for (size_t i = 0; i < 3; i++) {
		const Elf64_Phdr code = { .p_type = PT_LOAD,
					  .p_flags = PF_X,
					  .p_offset = 0x400 + 0x100 * i,
					  .p_vaddr = at[i],
					  .p_filesz = 0x100 };

		memcpy(bytes + sizeof(head) + i * sizeof(code), &code, sizeof(code));
	}
	temp_write(&temp, "kcore_dir/kcore", bytes, sizeof(bytes));
	map(TL_PERF_MISC_KERNEL, UINT32_MAX, 0xffffffff91000000, 0x1000, 0xffffffff81000000,
	    "[kernel.kallsyms]_text");
	assert_int_equal(byte_of(5, 0xffffffff91000000), 0x40);
	assert_int_equal(byte_of(5, 0xffffffff91000100), -1);
	assert_int_equal(byte_of(5, 0xffffffff91000800), 0x50);
	assert_int_equal(byte_of(5, 0xffffffff92000000), -1);
}

/* A copy of /proc/kcore has the addresses that the kernel ran at. */
TEST(a_core_file_of_the_kernel)
{
	char command[600];

	snprintf(command, sizeof(command), "mkdir '%s/kcore_dir'", temp.directory);
	assert_int_equal(system(command), 0);
	write_code("kcore_dir/kcore", ET_CORE, 0xffffffff91000000);
	map(TL_PERF_MISC_KERNEL, UINT32_MAX, 0xffffffff91000000, 0x1000, 0xffffffff81000000,
	    "[kernel.kallsyms]_text");
	assert_int_equal(byte_of(5, 0xffffffff91000000), 0x40);
	assert_int_equal(byte_of(5, 0xffffffff81000000), -1);
}

/* Modules are relocated when they are loaded: their code is in a copy of memory, not in files. */
static void kernel_with_modules(uint16_t type)
{
	moved_kernel(0xffffffff91000000, 0xffffffff81000000);
	write_code("kcore_dir/kcore", type,
		   type == ET_CORE ? 0xffffffff91000000 : 0xffffffff81000000);
	write_code("module.ko", ET_REL, 0);
	map(TL_PERF_MISC_KERNEL, UINT32_MAX, 0xffffffff91000400, 0x200, 0, "module.ko");
	map(TL_PERF_MISC_KERNEL, UINT32_MAX, 0xffffffff91000700, 0x200, 0, "[reaches_beyond]");
}

TEST(modules_in_a_copy_of_memory)
{
	kernel_with_modules(ET_CORE);
	assert_int_equal(byte_of(5, 0xffffffff91000000), 0x40);
	assert_int_equal(byte_of(5, 0xffffffff91000410), 0x81);
	assert_int_equal(spaces.missing.count, 1);
	assert_string_equal(spaces.missing.list[0].path, "[reaches_beyond]");
}

TEST(modules_beside_a_file_of_the_kernel)
{
	kernel_with_modules(ET_EXEC);
	assert_int_equal(byte_of(5, 0xffffffff91000000), 0x40);
	assert_int_equal(spaces.missing.count, 2);
	assert_string_equal(spaces.missing.list[0].path, "module.ko");
	assert_non_null(strstr(spaces.missing.list[0].reason, "perf record --kcore"));
}

/* "Any other file that the kernel maps has the bytes that ran": here those of an ELF header. */
TEST(files_of_the_kernel_that_are_no_modules)
{
	moved_kernel(0xffffffff91000000, 0xffffffff81000000);
	write_code("code.bin", ET_EXEC, 0);
	write_code("packed.ko.xz", ET_REL, 0);
	map(TL_PERF_MISC_KERNEL, UINT32_MAX, 0xffffffff92000000, 0x200, 0, "code.bin");
	map(TL_PERF_MISC_KERNEL, UINT32_MAX, 0xffffffff93000000, 0x200, 0, "packed.ko.xz");
	assert_int_equal(byte_of(5, 0xffffffff92000000), 0x7f);
	assert_int_equal(byte_of(5, 0xffffffff93000000), -1);
}

static void poke(uint64_t time_ns, uint64_t address, const char *before, const char *after)
{
	char bytes[64];
	const struct tl_perf_record rec = {
		.type = TL_PERF_TEXT_POKE,
		.poke = { address, (uint16_t)strlen(before), (uint16_t)strlen(after),
			  (const uint8_t *)bytes },
	};

	snprintf(bytes, sizeof(bytes), "%s%s", before, after);
	assert_int_equal(tl_perf_add_poke(&sys, &rec, time_ns, &err), 0);
	memset(bytes, 0, sizeof(bytes)); /* the record is gone */
}

/*
 * UAPI, PERF_RECORD_TEXT_POKE: "Records changes to kernel text i.e. self-modified code. 'old_len'
 * is the number of old bytes, 'new_len' is the number of new bytes. Either may be 0."
 */
TEST(a_kernel_that_changes_its_code)
{
	static const uint64_t at = 0xffffffff91000000;
	char command[600];

	snprintf(command, sizeof(command), "mkdir '%s/kcore_dir'", temp.directory);
	assert_int_equal(system(command), 0);
	write_code("kcore_dir/kcore", ET_EXEC, 0xffffffff81000000);
	map(TL_PERF_MISC_KERNEL, UINT32_MAX, at, 0x1000, 0xffffffff81000000,
	    "[kernel.kallsyms]_text");
	map(TL_PERF_MISC_USER, 5, 0x401000, 0x200, 0x400, "gone");
	poke(10, at + 0x10, "ab", "cd");
	poke(20, at + 0x11, "de", "fg");
	poke(20, at + 0x10, "cf", "ab");
	/* A trampoline that is made where there was no code. */
	poke(30, 0xffffffffc0000000, "", "xyz");
	/* The file is of some other time: where code changes, it does not count. */
	for (uint32_t pid = 5; pid < 8; pid += 2) {
		static const struct {
			size_t pokes;
			const char *bytes;
		} rows[] = { { 4, "Aabg" }, { 0, "Aabe" }, { 1, "Acde" }, { 3, "Aabg" } };

		for (size_t i = 0; i < 4; i++) {
			assert_int_equal(byte_after(rows[i].pokes, pid, at + 0x0f), 0x40);
			for (size_t k = 1; k < 4; k++)
				assert_int_equal(byte_after(rows[i].pokes, pid, at + 0x0f + k),
						 rows[i].bytes[k]);
			assert_int_equal(byte_after(rows[i].pokes, pid, at + 0x13), 0x41);
			assert_int_equal(byte_after(rows[i].pokes, pid, 0xffffffffc0000002),
					 rows[i].pokes == 4 ? 'z' : -1);
		}
	}
	assert_int_equal(tl_perf_pokes_at(&sys, 9), 0);
	assert_int_equal(tl_perf_pokes_at(&sys, 10), 1);
	assert_int_equal(tl_perf_pokes_at(&sys, 20), 3);
	assert_int_equal(tl_perf_pokes_at(&sys, UINT64_MAX), 4);
}

/* So many changes in so many spaces are not followed, and this is told once. */
TEST(a_kernel_that_changes_too_often)
{
	for (uint64_t i = 0; i < 30000; i++)
		poke(i, 0xffffffff91000000, "ab", "ab");
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(byte_after(i, 5, 0xffffffff91000001), i < 2 ? 'b' : -1);
	assert_int_equal(spaces.missing.count, 1);
	assert_string_equal(spaces.missing.list->reason,
			    "its code was changed more often than this reader keeps track of");
}

/* Code without a file is listed once, with the first map of the object and its build id. */
/*
 * The vdso has no file: where the recording is of the same kernel release, it is that of this
 * process, which begins as every ELF file does and is cut to the size of its map. A process of 32
 * bits has another one than those that are usually recorded.
 */
TEST(the_vdso_of_this_kernel)
{
	struct tl_perf_header header = { .os_release = "" };
	struct utsname machine;

	if (!getauxval(AT_SYSINFO_EHDR) || sizeof(void *) != 8)
		skip();
	assert_int_equal(uname(&machine), 0);
	header.os_release = machine.release;
	sys.search.header = &header;
	map(TL_PERF_MISC_USER, 5, 0x7ffff7fc1000, 3, 0, "[vdso]");
	map(TL_PERF_MISC_USER, 6, 0x7ffff7fc1000, 0x100000, 0, "[vdso]");
	map(TL_PERF_MISC_USER, 7, 0x7ffff7fc1000, 0x1000, 0x100000, "[vdso]");
	assert_int_equal(byte_of(5, 0x7ffff7fc1000), 0x7f);
	assert_int_equal(byte_of(5, 0x7ffff7fc1001), 'E');
	assert_int_equal(byte_of(5, 0x7ffff7fc1003), -1);
	assert_int_equal(byte_of(6, 0x7ffff7fc1003), 'F');
	/* No vdso has a megabyte. */
	assert_int_equal(byte_of(6, 0x7ffff7fc1000 + 0xfffff), -1);
	assert_int_equal(byte_of(7, 0x7ffff7fc1000), -1);
	assert_int_equal(spaces.missing.count, 0);
}

TEST(the_vdso_of_another_kernel)
{
	const struct tl_perf_header header = { .os_release = "0.0.1-other" };

	sys.search.header = &header;
	map(TL_PERF_MISC_USER, 5, 0x7ffff7fc1000, 0x2000, 0, "[vdso]");
	assert_int_equal(byte_of(5, 0x7ffff7fc1000), -1);
	assert_int_equal(spaces.missing.count, 1);
	assert_string_equal(spaces.missing.list->reason,
			    "the vdso of another kernel, and no copy of it in a build-id cache");
}

TEST(missing_code)
{
	const struct tl_perf_record rec = {
		.type = TL_PERF_MMAP2,
		.misc = TL_PERF_MISC_USER,
		.mmap = { 5, 5, 0x401000, 0x200, .path = { "/gone/prog", 10 },
			  .build_id = { { 0x01, 0xab, 0x0f }, 3 } },
	};
	const struct tl_perf_missing_code *m;

	assert_int_equal(tl_perf_add_map(&sys, &rec, 1, &err), 0);
	map(TL_PERF_MISC_USER, 6, 0x501000, 0x200, 0, "/gone/prog");
	assert_int_equal(byte_of(5, 0x401000), -1);
	assert_int_equal(byte_of(5, 0x401000), -1);
	assert_int_equal(spaces.missing.count, 1);
	assert_int_equal(byte_of(6, 0x501000), -1);
	assert_int_equal(spaces.missing.count, 2);
	m = spaces.missing.list;
	assert_string_equal(m[0].path, "/gone/prog");
	assert_string_equal(m[0].reason, "no such file");
	assert_string_equal(m[0].build_id, "01ab0f");
	assert_int_equal(m[0].process, 5);
	assert_int_equal(m[0].address, 0x401000);
	assert_int_equal(m[0].length, 0x200);
	assert_string_equal(m[1].build_id, "");
	assert_int_equal(m[1].process, 6);
}

/* The same maps are the same space; after another map it is another one. */
TEST(numbers_of_spaces)
{
	static const struct tl_perf_address_space own = { .changes = 1 },
						  none = { .process = TL_NONE };
	static const struct tl_perf_address_space poked = { .changes = 1, .pokes = 1 };
	struct tl_pt_asid first, again, later;

	write_code("prog", ET_EXEC, 0);
	map(TL_PERF_MISC_USER, 5, 0x10000, 0x400, 0x400, "prog");
	poke(2, 0xffffffff91000000, "a", "b");
	assert_int_equal(tl_perf_address_space_add(&spaces, &own, &first, &err), 0);
	assert_int_equal(tl_perf_address_space_add(&spaces, &none, &later, &err), 1);
	assert_int_equal(tl_perf_address_space_add(&spaces, &own, &again, &err), 0);
	assert_int_equal(tl_perf_address_space_add(&spaces, &poked, &again, &err), 2);
	assert_int_equal(tl_perf_address_space_add(&spaces, &own, &again, &err), 0);
	assert_memory_equal(&first, &again, sizeof(first));
	assert_memory_not_equal(&first, &later, sizeof(first));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(code_of_two_processes),
		CASE(a_later_map),
		CASE(a_kernel_that_was_moved),
		CASE(a_kernel_that_ran_elsewhere),
		CASE(a_kernel_whose_map_begins_later),
		CASE(a_core_file_of_the_kernel),
		CASE(modules_in_a_copy_of_memory),
		CASE(modules_beside_a_file_of_the_kernel),
		CASE(files_of_the_kernel_that_are_no_modules),
		CASE(missing_code),
		CASE(numbers_of_spaces),
		CASE(the_vdso_of_this_kernel),
		CASE(the_vdso_of_another_kernel),
		CASE(segments_of_the_kernel),
		CASE(a_kernel_that_changes_its_code),
		CASE(a_kernel_that_changes_too_often),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
