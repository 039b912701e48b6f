/* SPDX-License-Identifier: Apache-2.0 */
/* Where the code of a recorded path is looked for (docs/formats/perf-data.md section 9). */
#include "file.h"

#include <elf.h>

#include "../temp.h"
#include "perf_data/processes/given_programs.h"

static struct tl_perf_system sys;
static struct temp temp;
static struct tl_error err;

static int begin(void **state)
{
	(void)state;
	memset(&sys, 0, sizeof(sys));
	temp_open(&temp);
	setenv("HOME", temp_path(&temp, "home"), 1);
	unsetenv("DEBUGINFOD_CACHE_PATH");
	unsetenv("XDG_CACHE_HOME");
	return tl_names_add(&sys.names, "", 0) == TL_NONE;
}

static int end(void **state)
{
	(void)state;
	temp_close(&temp);
	tl_perf_system_free(&sys);
	return 0;
}

/* ---- ELF files ---- */

struct elf_file {
	Elf64_Ehdr head;
	Elf64_Phdr segments[3];
	uint32_t note[3];
	char name[4];
	uint8_t id[4];
};

/* A file with code at 0x401000 (offset 0x1000), data, and a build id of four bytes. */
static struct elf_file elf_with(uint8_t id)
{
	return (struct elf_file){
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			  .e_type = ET_EXEC,
			  .e_phoff = offsetof(struct elf_file, segments),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 3 },
		.segments = { { .p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = 0x400000 },
			      { .p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_offset = 0x1000,
				.p_vaddr = 0x401000,
				.p_filesz = 0x234 },
			      { .p_type = PT_NOTE,
				.p_offset = offsetof(struct elf_file, note),
				.p_filesz = 12 + 4 + 4 } },
		.note = { 4, 4, NT_GNU_BUILD_ID },
		.name = "GNU",
		.id = { id, 2, 3, 4 },
	};
}

static const char *write_elf(const char *name, uint8_t id)
{
	const struct elf_file elf = elf_with(id);

	return temp_write(&temp, name, &elf, sizeof(elf));
}

static void make_directories(const char *name)
{
	char path[600];

	snprintf(path, sizeof(path), "mkdir -p '%s/%s'", temp.directory, name);
	assert_int_equal(system(path), 0);
}

TEST(what_an_elf_file_says)
{
	struct elf_file file = elf_with(9);
	struct tl_perf_elf elf;

	assert_true(tl_perf_elf_read_memory((const uint8_t *)&file, sizeof(file), &elf));
	assert_int_equal(elf.segment_count, 1);
	assert_int_equal(elf.segments[0].offset, 0x1000);
	assert_int_equal(elf.segments[0].address, 0x401000);
	assert_int_equal(elf.segments[0].size, 0x234);
	assert_int_equal(elf.build_id.size, 4);
	assert_int_equal(elf.build_id.bytes[0], 9);
	assert_int_equal(elf.build_id.bytes[3], 4);
	assert_false(elf.core);
	file.head.e_type = ET_CORE;
	assert_true(tl_perf_elf_read_memory((const uint8_t *)&file, sizeof(file), &elf));
	assert_true(elf.core);
}

/* Another note before it is passed over; one that reaches past its segment ends the search. */
TEST(notes)
{
	struct elf_file file = elf_with(9);
	struct tl_perf_elf elf;

	file.segments[2].p_filesz = 12 + 4 + 3;
	assert_true(tl_perf_elf_read_memory((const uint8_t *)&file, sizeof(file), &elf));
	assert_int_equal(elf.build_id.size, 0);
	file = elf_with(9);
	file.note[2] = NT_GNU_ABI_TAG;
	assert_true(tl_perf_elf_read_memory((const uint8_t *)&file, sizeof(file), &elf));
	assert_int_equal(elf.build_id.size, 0);
	file = elf_with(9);
	file.name[0] = 'X';
	assert_true(tl_perf_elf_read_memory((const uint8_t *)&file, sizeof(file), &elf));
	assert_int_equal(elf.build_id.size, 0);
	file = elf_with(9);
	file.segments[2].p_offset = sizeof(file) + 1;
	assert_true(tl_perf_elf_read_memory((const uint8_t *)&file, sizeof(file), &elf));
	assert_int_equal(elf.build_id.size, 0);
	assert_int_equal(elf.segment_count, 1);
}

/* What is no little-endian ELF file, or is cut short in its heads. */
TEST(what_is_no_elf_file)
{
	struct elf_file file = elf_with(9);
	struct tl_perf_elf elf;

	for (size_t size = 0; size < sizeof(file.head); size++)
		assert_false(tl_perf_elf_read_memory((const uint8_t *)&file, size, &elf));
	/* Segments that are cut off are not there. */
	assert_true(tl_perf_elf_read_memory((const uint8_t *)&file,
					    offsetof(struct elf_file, segments[1]), &elf));
	assert_int_equal(elf.segment_count, 0);
	file.head.e_ident[EI_DATA] = ELFDATA2MSB;
	assert_false(tl_perf_elf_read_memory((const uint8_t *)&file, sizeof(file), &elf));
	file = elf_with(9);
	file.head.e_ident[0] = 0;
	assert_false(tl_perf_elf_read_memory((const uint8_t *)&file, sizeof(file), &elf));
	file = elf_with(9);
	file.head.e_phentsize = 1;
	assert_false(tl_perf_elf_read_memory((const uint8_t *)&file, sizeof(file), &elf));
}

/* ---- where a file is looked for ---- */

/* The object of a path with a build id { id, 2, 3, 4 }; 0: none. */
static struct tl_perf_object *locate(const char *path, uint8_t id)
{
	const struct tl_perf_record rec = { .mmap = {
						    .path = { path, strlen(path) },
						    .build_id = { { id, 2, 3, 4 }, id ? 4 : 0 },
					    } };
	const uint32_t number = tl_perf_object_add(&sys, &rec, 0);

	assert_int_not_equal(number, TL_NONE);
	assert_int_equal(tl_perf_object_locate(&sys, &sys.objects.list[number], &err), 0);
	return &sys.objects.list[number];
}

static void assert_found(const struct tl_perf_object *o, const char *name)
{
	assert_non_null(o->file);
	assert_string_equal(o->file, temp_path(&temp, name));
	assert_null(o->reason);
}

static void assert_missing(const struct tl_perf_object *o, const char *reason)
{
	assert_null(o->file);
	assert_string_equal(o->reason, reason);
}

TEST(at_its_path)
{
	write_elf("prog", 1);
	assert_found(locate(temp_path(&temp, "prog"), 0), "prog");
	assert_found(locate(temp_path(&temp, "prog"), 1), "prog");
	assert_missing(locate(temp_path(&temp, "prog"), 5), "another build: the build ids differ");
	assert_missing(locate(temp_path(&temp, "absent"), 1), "no such file");
	assert_missing(locate(temp_path(&temp, "absent (deleted)"), 1),
		       "the file had been deleted");
}

/* Code may be mapped from a file of any format, if no build id says which it must be. */
TEST(a_file_that_is_no_elf)
{
	temp_write(&temp, "raw", "code", 4);
	assert_found(locate(temp_path(&temp, "raw"), 0), "raw");
	assert_missing(locate(temp_path(&temp, "raw"), 1), "no such file");
	temp_write(&temp, "empty", "", 0);
	assert_missing(locate(temp_path(&temp, "empty"), 0), "no such file");
}

/* Given files come first: by build id whatever their names, by name where an id is missing. */
/* "a file that is there but cannot be opened ... is told as that", with what can be done. */
TEST(a_file_of_another_user)
{
	enum { NOBODY = 65534 };
	const char *path = write_elf("program", 1);
	const struct tl_perf_object *o;

	/* Only root can give a file away. */
	if (geteuid())
		skip();
	assert_int_equal(chown(path, NOBODY, NOBODY), 0);
	o = locate(path, 0);
	assert_missing(o, "it cannot be read: Operation not permitted; it belongs to another user, "
			  "or is no regular file: give it with --binary, or a copy of your own "
			  "below --sysroot");
}

TEST(given_programs)
{
	char moved[512], same[512];
	const char *const given[] = { moved, same };
	const char *why;

	make_directories("given");
	snprintf(moved, sizeof(moved), "%s", write_elf("moved", 1));
	snprintf(same, sizeof(same), "%s", write_elf("given/prog", 5));
	write_elf("prog", 5);
	sys.search.programs = given;
	sys.search.program_count = 2;
	assert_found(locate("/gone/one", 1), "moved");
	assert_found(locate("/gone/prog", 0), "given/prog");
	assert_found(locate("/gone/prog (deleted)", 5), "given/prog");
	assert_found(locate(temp_path(&temp, "prog"), 5), "given/prog");
	assert_missing(locate("/gone/prog", 7), "another build: the build ids differ");
	assert_missing(locate("/gone/program", 0), "no such file");
	assert_missing(locate("/gone/", 0), "no such file");
	assert_int_equal(tl_perf_given_is_used(&sys, moved, &why, &err), 1);
	assert_int_equal(tl_perf_given_is_used(&sys, same, &why, &err), 1);
}

TEST(given_programs_that_are_of_no_use)
{
	const char *why;

	locate("/gone/prog", 7);
	locate("[kernel.kallsyms]_text", 7);
	locate("//anon", 0);
	assert_int_equal(tl_perf_given_is_used(&sys, write_elf("prog", 5), &why, &err), 0);
	assert_string_equal(why, "the recording has no program of its build id, or of its name "
				 "where one of both has no build id");
	assert_int_equal(tl_perf_given_is_used(&sys, write_elf("vmlinux", 5), &why, &err), 0);
	assert_int_equal(tl_perf_given_is_used(&sys, write_elf("anon", 5), &why, &err), 0);
	assert_int_equal(tl_perf_given_is_used(&sys, write_elf("vmlinux", 7), &why, &err), 1);
	assert_int_equal(tl_perf_given_is_used(&sys, temp_path(&temp, "absent"), &why, &err), 0);
	assert_string_equal(why, "No such file or directory");
}

TEST(relative_to_the_directory)
{
	write_elf("prog", 1);
	sys.search.directory = strdup(temp.directory);
	assert_found(locate("prog", 1), "prog");
}

/* Below the sysroot first; without a build id nowhere else. */
TEST(below_a_sysroot)
{
	char root[512];

	make_directories("root/bin");
	snprintf(root, sizeof(root), "%s/root", temp.directory);
	sys.search.sysroot = root;
	write_elf("root/bin/prog", 1);
	assert_found(locate("/bin/prog", 1), "root/bin/prog");
	assert_found(locate("bin/prog", 1), "root/bin/prog");
	write_elf("prog", 2);
	assert_missing(locate(temp_path(&temp, "prog"), 0), "no such file");
	assert_found(locate(temp_path(&temp, "prog"), 2), "prog");
}

/* "DIR/.build-id/xx/rest" with the file as "elf", or the file itself. */
TEST(build_id_caches)
{
	char first[512], second[512];
	const char *const directories[] = { first, second };

	snprintf(first, sizeof(first), "%s/first", temp.directory);
	snprintf(second, sizeof(second), "%s/second", temp.directory);
	make_directories("second/.build-id/01/020304");
	make_directories("second/.build-id/05");
	make_directories("home/.debug/.build-id/06");
	write_elf("second/.build-id/01/020304/elf", 1);
	write_elf("second/.build-id/05/020304", 5);
	write_elf("home/.debug/.build-id/06/020304", 6);
	assert_found(locate("/gone/six", 6), "home/.debug/.build-id/06/020304");
	sys.search.build_id_dirs = directories;
	sys.search.build_id_dir_count = 2;
	assert_found(locate("/gone/one", 1), "second/.build-id/01/020304/elf");
	assert_found(locate("/gone/five", 5), "second/.build-id/05/020304");
	/* Directories that are given stand in place of ~/.debug. */
	assert_missing(locate("/gone/another", 6), "no such file");
	assert_missing(locate("/gone/none", 0), "no such file");
}

/* What debuginfod left: by its own variable, the cache directory, or the home directory. */
TEST(debuginfod)
{
	make_directories("own/01020304");
	make_directories("cache/debuginfod_client/05020304");
	make_directories("home/.cache/debuginfod_client/06020304");
	write_elf("own/01020304/executable", 1);
	write_elf("cache/debuginfod_client/05020304/executable", 5);
	write_elf("home/.cache/debuginfod_client/06020304/executable", 6);
	assert_found(locate("/gone/six", 6), "home/.cache/debuginfod_client/06020304/executable");
	setenv("XDG_CACHE_HOME", temp_path(&temp, "cache"), 1);
	assert_found(locate("/gone/five", 5), "cache/debuginfod_client/05020304/executable");
	setenv("DEBUGINFOD_CACHE_PATH", temp_path(&temp, "own"), 1);
	assert_found(locate("/gone/one", 1), "own/01020304/executable");
	assert_missing(locate("/gone/again", 5), "no such file");
}

/* The kernel: the copy beside the trace, caches, then /usr/lib/debug of the recorded release. */
TEST(the_kernel)
{
	static const char nowhere[] =
		"no copy of the kernel (kcore_dir, build-id cache, /usr/lib/debug/boot)";
	const struct tl_perf_header header = { .os_release = "6.1" };
	char root[512];

	assert_missing(locate("[kernel.kallsyms]_text", 1), nowhere);
	make_directories("root/usr/lib/debug/boot");
	write_elf("root/usr/lib/debug/boot/vmlinux-6.1", 5);
	snprintf(root, sizeof(root), "%s/root", temp.directory);
	sys.search.sysroot = root;
	assert_missing(locate("[kernel.kallsyms]_a", 5), nowhere);
	sys.search.header = &header;
	assert_missing(locate("[kernel.kallsyms]_b", 0), nowhere);
	assert_found(locate("[kernel.kallsyms]_c", 5), "root/usr/lib/debug/boot/vmlinux-6.1");
	make_directories("kcore_dir");
	write_elf("kcore_dir/kcore", 5);
	sys.search.directory = strdup(temp.directory);
	assert_found(locate("[kernel.kallsyms]_d", 5), "kcore_dir/kcore");
}

TEST(memory_without_a_file)
{
	assert_missing(locate("//anon", 0), "memory without a file (code made at run time)");
	assert_missing(locate("[vdso]", 1),
		       "the vdso of another kernel, and no copy of it in a build-id cache");
}

TEST(not_looked_for)
{
	write_elf("prog", 1);
	sys.search.no_files = true;
	assert_missing(locate(temp_path(&temp, "prog"), 1), "not looked for");
}

/* An object is looked for once: a file that comes later is not seen. */
TEST(once)
{
	char path[600];

	snprintf(path, sizeof(path), "%s", temp_path(&temp, "prog"));
	assert_missing(locate(path, 1), "no such file");
	write_elf("prog", 1);
	assert_missing(locate(path, 1), "no such file");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_an_elf_file_says),
		CASE(notes),
		CASE(what_is_no_elf_file),
		CASE(at_its_path),
		CASE(a_file_that_is_no_elf),
		CASE(a_file_of_another_user),
		CASE(given_programs),
		CASE(given_programs_that_are_of_no_use),
		CASE(relative_to_the_directory),
		CASE(below_a_sysroot),
		CASE(build_id_caches),
		CASE(debuginfod),
		CASE(the_kernel),
		CASE(memory_without_a_file),
		CASE(not_looked_for),
		CASE(once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
