/* SPDX-License-Identifier: Apache-2.0 */
/* Processes, threads, maps and switches from single records, without a file around them. */
#include "file.h"

#include "../temp.h"
#include "perf_data/processes/guest_maps.h"
#include "perf_data/processes/system.h"

static struct tl_perf_system sys;
static struct tl_error err;

static int begin(void **state)
{
	(void)state;
	memset(&sys, 0, sizeof(sys));
	return tl_names_add(&sys.names, "", 0) == TL_NONE;
}

static int end(void **state)
{
	(void)state;
	tl_perf_system_free(&sys);
	return 0;
}

/* ---- records ---- */

static struct tl_perf_text text(const char *s)
{
	return (struct tl_perf_text){ s, strlen(s) };
}

static void map(uint32_t pid, uint64_t start, uint64_t size, uint64_t offset, const char *path,
		uint64_t time)
{
	const struct tl_perf_record rec = {
		.type = TL_PERF_MMAP,
		.misc = TL_PERF_MISC_USER,
		.mmap = { pid, pid, start, size, offset, .path = text(path) },
	};

	assert_int_equal(tl_perf_add_map(&sys, &rec, time, &err), 0);
}

static void comm(uint32_t pid, uint32_t tid, const char *name, bool exec, uint64_t time)
{
	const struct tl_perf_record rec = {
		.type = TL_PERF_COMM,
		.misc = exec ? TL_PERF_MISC_EXEC : 0,
		.comm = { pid, tid, text(name) },
	};

	assert_int_equal(tl_perf_add_comm(&sys, &rec, time, &err), 0);
}

static void fork_of(uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid, uint64_t time)
{
	const struct tl_perf_record rec = {
		.type = TL_PERF_FORK,
		.task = { pid, ppid, tid, ptid, time },
	};

	assert_int_equal(tl_perf_add_fork(&sys, &rec, time, &err), 0);
}

/* The path that an address of a process belongs to at a time; NULL: none. */
static const char *path_at(uint32_t pid, uint64_t time, uint64_t ip)
{
	const uint32_t process = tl_perf_process_find(&sys, pid);
	const struct tl_perf_map_change *c;

	assert_int_not_equal(process, TL_NONE);
	c = tl_perf_map_find(&sys, process,
			     tl_perf_map_changes_at(&sys.processes.list[process], time), ip);
	return c ? sys.names.names[sys.objects.list[c->object].path].text : NULL;
}

/* ---- threads and their names ---- */

TEST(a_thread_has_its_last_name)
{
	assert_string_equal(tl_perf_thread_name_at(&sys, 5, 0), "");
	comm(4, 5, "one", false, 10);
	comm(4, 5, "two", false, 20);
	comm(4, 5, "three", false, 30);
	/* Before its first name the first is the best guess. */
	assert_string_equal(tl_perf_thread_name_at(&sys, 5, 9), "one");
	assert_string_equal(tl_perf_thread_name_at(&sys, 5, 10), "one");
	assert_string_equal(tl_perf_thread_name_at(&sys, 5, 19), "one");
	assert_string_equal(tl_perf_thread_name_at(&sys, 5, 20), "two");
	assert_string_equal(tl_perf_thread_name_at(&sys, 5, 29), "two");
	assert_string_equal(tl_perf_thread_name_at(&sys, 5, UINT64_MAX), "three");
	assert_int_equal(tl_perf_thread_pid(&sys, 5), 4);
	assert_int_equal(tl_perf_thread_pid(&sys, 6), TL_PERF_KERNEL_PID);
}

/* A record without a time may come late: the order of the records is that of the names. */
/* Virtual machines have processes and threads of the same ids: each is found by both numbers. */
TEST(ids_of_several_machines)
{
	static const uint32_t machines[] = { TL_NONE, 1, 2 };
	enum { IDS = 40 };

	for (uint32_t id = 1; id <= IDS; id++)
		for (uint32_t m = 0; m < 3; m++) {
			uint32_t process = tl_perf_process_add_of(&sys, machines[m], id);
			uint32_t thread = tl_perf_thread_add_of(&sys, machines[m], id, 100 + id);

			assert_int_equal(process, 3 * (id - 1) + m);
			assert_int_equal(thread, 3 * (id - 1) + m);
		}
	for (uint32_t id = 1; id <= IDS; id++)
		for (uint32_t m = 0; m < 3; m++) {
			assert_int_equal(tl_perf_process_find_of(&sys, machines[m], id),
					 3 * (id - 1) + m);
			assert_int_equal(tl_perf_thread_add_of(&sys, machines[m], id, 100 + id),
					 3 * (id - 1) + m);
		}
	assert_int_equal(tl_perf_process_find_of(&sys, 3, 1), TL_NONE);
}

TEST(names_stay_in_the_order_of_records)
{
	comm(4, 5, "one", false, 20);
	comm(4, 5, "two", false, 10);
	assert_string_equal(tl_perf_thread_name_at(&sys, 5, 19), "one");
	assert_string_equal(tl_perf_thread_name_at(&sys, 5, 20), "two");
}

/* A thread that is created has the name its creator has then, until it takes another. */
TEST(a_new_thread_inherits_a_name)
{
	comm(4, 4, "old", false, 1);
	comm(4, 4, "parent", false, 10);
	fork_of(4, 7, 4, 4, 15);
	fork_of(4, 8, 4, 4, 5);
	comm(4, 4, "later", false, 20);
	assert_string_equal(tl_perf_thread_name_at(&sys, 7, 30), "parent");
	assert_string_equal(tl_perf_thread_name_at(&sys, 8, 30), "old");
	fork_of(4, 9, 4, 99, 5);
	assert_string_equal(tl_perf_thread_name_at(&sys, 9, 30), "");
	/* A thread is no fork of the address space. */
	assert_int_equal(sys.processes.list[tl_perf_process_find(&sys, 4)].count, 0);
	assert_int_equal(tl_perf_thread_pid(&sys, 7), 4);
}

/* ---- maps ---- */

TEST(the_newest_map_shows)
{
	map(4, 0x1000, 0x3000, 0, "/a", 1);
	assert_string_equal(path_at(4, 1, 0x1000), "/a");
	assert_string_equal(path_at(4, 1, 0x3fff), "/a");
	assert_null(path_at(4, 1, 0xfff));
	assert_null(path_at(4, 1, 0x4000));
	assert_null(path_at(4, 1, TL_PERF_KERNEL_START));
	map(4, 0x2000, 0x1000, 0, "/b", 2);
	assert_string_equal(path_at(4, 2, 0x2000), "/b");
	assert_string_equal(path_at(4, 2, 0x1fff), "/a");
	assert_string_equal(path_at(4, 2, 0x3000), "/a");
	/* Before the contradiction the first map holds. */
	assert_string_equal(path_at(4, 1, 0x2000), "/a");
}

/* What a map that is there already says again is no change; a part of it neither. */
TEST(a_known_map_is_no_change)
{
	const struct tl_perf_process *p;

	map(4, 0x1000, 0x3000, 0x5000, "/a", 1);
	map(4, 0x1000, 0x3000, 0x5000, "/a", 2);
	map(4, 0x2000, 0x1000, 0x6000, "/a", 3);
	p = &sys.processes.list[tl_perf_process_find(&sys, 4)];
	assert_int_equal(p->count, 1);
	/* At its border no map overlaps. */
	map(4, 0x4000, 0x1000, 0, "/b", 4);
	map(4, 0x0, 0x1000, 0, "/c", 4);
	assert_int_equal(p->count, 3);
	assert_int_equal(tl_perf_map_changes_at(p, 0), 3);
	/* The same file at another offset contradicts, and begins an epoch. */
	map(4, 0x2000, 0x1000, 0x7000, "/a", 5);
	assert_int_equal(p->count, 5);
	assert_int_equal(p->changes[3].kind, TL_PERF_CHANGE_EPOCH);
	/* A larger map of the same file is more than what is known. */
	map(4, 0x10000, 0x1000, 0, "/d", 6);
	map(4, 0x10000, 0x2000, 0, "/d", 6);
	assert_int_equal(p->count, 7);
}

/* "MMAP of data": misc of MMAP, no PROT_EXEC in MMAP2; guests; ranges that wrap around. */
TEST(what_is_no_code)
{
	static const struct {
		uint32_t type;
		uint16_t misc;
		uint32_t protection;
		uint64_t size;
		size_t changes;
	} rows[] = {
		{ TL_PERF_MMAP, TL_PERF_MISC_USER | 1 << 13, 0, 0x1000, 0 },
		{ TL_PERF_MMAP2, TL_PERF_MISC_USER, 3, 0x1000, 0 },
		{ TL_PERF_MMAP2, TL_PERF_MISC_USER, 5, 0x1000, 1 },
		{ TL_PERF_MMAP2, TL_PERF_MISC_USER, 0, 0x1000, 1 },
		{ TL_PERF_MMAP, 3, 0, 0x1000, 0 },
		{ TL_PERF_MMAP, 5, 0, 0x1000, 0 },
		{ TL_PERF_MMAP, TL_PERF_MISC_USER, 0, 0, 0 },
		{ TL_PERF_MMAP, TL_PERF_MISC_USER, 0, UINT64_MAX, 0 },
		{ TL_PERF_MMAP, TL_PERF_MISC_USER, 0, 1, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint32_t pid = 100 + (uint32_t)i;
		const struct tl_perf_record rec = {
			.type = rows[i].type,
			.misc = rows[i].misc,
			.mmap = { pid, pid, 0x1000, rows[i].size, .protection = rows[i].protection,
				  .path = text("/a") },
		};
		uint32_t process;

		assert_int_equal(tl_perf_add_map(&sys, &rec, 1, &err), 0);
		process = tl_perf_process_find(&sys, pid);
		assert_int_equal(process == TL_NONE ? 0 : sys.processes.list[process].count,
				 rows[i].changes);
	}
}

/* The kernel's maps are of no process, and seen from all of them, whatever their time. */
TEST(the_kernel_is_in_every_process)
{
	const struct tl_perf_record rec = {
		.type = TL_PERF_MMAP,
		.misc = TL_PERF_MISC_KERNEL,
		.mmap = { UINT32_MAX, 0, 0xffffffff81000000, 0x1000,
			  .path = text("[kernel.kallsyms]_text") },
	};

	map(4, 0x1000, 0x1000, 0, "/a", 1);
	assert_int_equal(tl_perf_add_map(&sys, &rec, 100, &err), 0);
	assert_string_equal(path_at(4, 1, 0xffffffff81000000), "[kernel.kallsyms]_text");
	assert_string_equal(path_at(4, 1, 0x1000), "/a");
	/* No thread runs in it as a process. */
	assert_int_equal(sys.threads.count, 1);
}

/* An exec clears what was mapped; the first one of a process that has no maps clears nothing. */
TEST(exec)
{
	const struct tl_perf_process *p;

	comm(4, 4, "shell", true, 1);
	p = &sys.processes.list[tl_perf_process_find(&sys, 4)];
	assert_int_equal(p->count, 0);
	map(4, 0x1000, 0x1000, 0, "/sh", 2);
	comm(4, 4, "ls", true, 10);
	map(4, 0x2000, 0x1000, 0, "/ls", 11);
	assert_string_equal(path_at(4, 9, 0x1000), "/sh");
	assert_null(path_at(4, 9, 0x2000));
	assert_null(path_at(4, 10, 0x1000));
	assert_string_equal(path_at(4, 10, 0x2000), "/ls");
	/* Another name without exec changes no map. */
	comm(4, 4, "thread", false, 20);
	assert_string_equal(path_at(4, 30, 0x2000), "/ls");
}

/* A child has what its parent had at that time; later maps of either are its own. */
TEST(a_fork_copies_the_maps)
{
	map(4, 0x1000, 0x1000, 0, "/a", 1);
	fork_of(5, 5, 4, 4, 10);
	map(4, 0x2000, 0x1000, 0, "/parent", 20);
	map(5, 0x3000, 0x1000, 0, "/child", 20);
	assert_string_equal(path_at(5, 30, 0x1000), "/a");
	assert_null(path_at(5, 30, 0x2000));
	assert_string_equal(path_at(5, 30, 0x3000), "/child");
	assert_null(path_at(4, 30, 0x3000));
	assert_null(path_at(5, 9, 0x1000));
	/* A child of the child sees through both. */
	fork_of(6, 6, 5, 5, 40);
	assert_string_equal(path_at(6, 40, 0x1000), "/a");
	assert_string_equal(path_at(6, 40, 0x3000), "/child");
}

/* Without maps of either, a fork says nothing. */
TEST(a_fork_of_nothing)
{
	fork_of(5, 5, 4, 4, 10);
	assert_int_equal(sys.processes.list[tl_perf_process_find(&sys, 5)].count, 0);
	map(5, 0x1000, 0x1000, 0, "/a", 11);
	/* Then the child is one that had maps of another process of that number before. */
	fork_of(5, 5, 4, 4, 20);
	assert_null(path_at(5, 20, 0x1000));
	assert_string_equal(path_at(5, 19, 0x1000), "/a");
}

/* Epochs: from one to the next with its beginning, until there is none. */
TEST(epochs)
{
	const struct tl_perf_process *p;
	size_t changes;
	uint64_t time = 0;

	map(4, 0x1000, 0x1000, 0, "/a", 1);
	comm(4, 4, "x", true, 10);
	map(4, 0x1000, 0x1000, 0, "/b", 11);
	map(4, 0x1000, 0x1000, 0, "/c", 20);
	p = &sys.processes.list[tl_perf_process_find(&sys, 4)];
	/* map, clear, map, epoch, map */
	assert_int_equal(p->count, 5);
	changes = tl_perf_map_changes_at(p, 0);
	assert_int_equal(changes, 1);
	assert_int_equal(tl_perf_map_changes_at(p, 10), 3);
	assert_int_equal(tl_perf_map_changes_at(p, 19), 3);
	assert_int_equal(tl_perf_map_changes_at(p, 20), 5);
	assert_true(tl_perf_map_next_epoch(p, &changes, &time));
	assert_int_equal(changes, 3);
	assert_int_equal(time, 10);
	assert_true(tl_perf_map_next_epoch(p, &changes, &time));
	assert_int_equal(changes, 5);
	assert_int_equal(time, 20);
	assert_false(tl_perf_map_next_epoch(p, &changes, &time));
	assert_int_equal(time, 20);
}

/* ---- switches ---- */

TEST(switches_by_processor)
{
	assert_false(tl_perf_has_switches(&sys, 2));
	assert_int_equal(tl_perf_add_switch(&sys, 5, 2, 7, 8, &err), 0);
	assert_true(tl_perf_has_switches(&sys, 2));
	assert_false(tl_perf_has_switches(&sys, 3));
	assert_int_equal(tl_perf_add_switch(&sys, 6, 3, 9, 10, &err), 0);
	assert_true(tl_perf_has_switches(&sys, 3));
	/* A switch without a processor is of no use. */
	assert_int_equal(tl_perf_add_switch(&sys, 7, TL_NOWHERE, 9, 10, &err), 0);
	assert_int_equal(sys.switches.count, 2);
	assert_int_equal(sys.switches.list[1].time_ns, 6);
	assert_int_equal(sys.switches.list[1].cpu, 3);
	assert_int_equal(sys.switches.list[1].pid, 9);
	assert_int_equal(sys.switches.list[1].tid, 10);
}

/* ---- objects ---- */

/* A path with another build id is another object; the same is the same. */
TEST(an_object_is_path_and_build_id)
{
	struct tl_perf_record rec = { .type = TL_PERF_MMAP2, .mmap = { .path = text("/a") } };
	uint32_t plain, first, second;

	plain = tl_perf_object_add(&sys, &rec, 0);
	rec.mmap.build_id = (struct tl_perf_build_id){ { 1, 2 }, 2 };
	first = tl_perf_object_add(&sys, &rec, 0);
	rec.mmap.build_id = (struct tl_perf_build_id){ { 1, 3 }, 2 };
	second = tl_perf_object_add(&sys, &rec, 0);
	assert_int_equal(plain, 0);
	assert_int_equal(first, 1);
	assert_int_equal(second, 2);
	assert_int_equal(tl_perf_object_add(&sys, &rec, 0), second);
	assert_int_equal(sys.objects.list[first].build_id.bytes[1], 2);
	assert_int_equal(sys.objects.list[plain].build_id.size, 0);
}

/* The header's table has build ids by path; "[kernel.kallsyms]_text" has the kernel's. */
TEST(build_ids_of_the_header)
{
	struct tl_perf_build_id_row rows[] = {
		{ .id = { { 7 }, 1 }, .path = "/a" },
		{ .id = { { 8 }, 1 }, .path = "[kernel.kallsyms]" },
		{ .id = { { 9 }, 1 }, .path = "[vdso]" },
	};
	const struct tl_perf_build_id_table table = { rows, 3, 3 };
	static const struct {
		const char *path;
		uint8_t id; /* 0: none */
	} wanted[] = { { "/a", 7 },
		       { "/ab", 0 },
		       { "[kernel.kallsyms]_text", 8 },
		       { "[kernel.kallsyms", 0 },
		       { "[vdso]", 9 },
		       { "[vvar]", 0 } };

	sys.search.build_ids = &table;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct tl_perf_record rec = { .mmap = { .path = text(wanted[i].path) } };
		const uint32_t object = tl_perf_object_add(&sys, &rec, 0);

		assert_int_equal(sys.objects.list[object].build_id.size, wanted[i].id ? 1 : 0);
		assert_int_equal(sys.objects.list[object].build_id.bytes[0], wanted[i].id);
	}
}

/* Kinds by the path that the kernel writes (section 9). */
TEST(kinds_of_objects)
{
	static const struct {
		const char *path;
		enum tl_perf_object_kind kind;
	} rows[] = {
		{ "/bin/true", TL_PERF_OBJECT_FILE },
		{ "relative", TL_PERF_OBJECT_FILE },
		{ "[kernel.kallsyms]_text", TL_PERF_OBJECT_KERNEL },
		{ "[guest.kernel.kallsyms.1]", TL_PERF_OBJECT_KERNEL },
		{ "[vdso]", TL_PERF_OBJECT_VDSO },
		{ "[vsyscall]", TL_PERF_OBJECT_ANONYMOUS },
		{ "[heap]", TL_PERF_OBJECT_ANONYMOUS },
		{ "//anon", TL_PERF_OBJECT_ANONYMOUS },
		{ "/dev/zero (deleted)", TL_PERF_OBJECT_ANONYMOUS },
		{ "/anon_hugepage (deleted)", TL_PERF_OBJECT_ANONYMOUS },
		{ "/SYSV00000000 (deleted)", TL_PERF_OBJECT_ANONYMOUS },
		{ "/memfd:jit (deleted)", TL_PERF_OBJECT_ANONYMOUS },
		{ "anon_inode:[perf_event]", TL_PERF_OBJECT_ANONYMOUS },
		{ "", TL_PERF_OBJECT_ANONYMOUS },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tl_perf_record rec = { .mmap = { .path = text(rows[i].path) } };
		const uint32_t object = tl_perf_object_add(&sys, &rec, 0);

		assert_int_equal(sys.objects.list[object].kind, rows[i].kind);
	}
}

/* A virtual machine whose files are at hand: its kernel is as far as its names, in whole pages. */
TEST(a_guest_is_mapped_by_its_own_files)
{
	static const char names[] = "ffffffff81000000 T _text\n0000000000001000 A fixed\n"
				    "ffffffff81003123 t last\nffffffffc0000010 t init\t[mod]\n",
			  modules[] = "mod 8192 1 - Live 0xffffffffc0000000\n"
				      "other 4096 0 - Live 0xffffffffc0010000 (OE)\n";
	static const struct {
		uint64_t ip;
		const char *path;
	} rows[] = {
		{ 0xffffffff80ffffff, NULL },
		{ 0xffffffff81000000, "[guest.kernel.kallsyms]" },
		{ 0xffffffff81003fff, "[guest.kernel.kallsyms]" },
		{ 0xffffffff81004000, NULL },
		{ 0xffffffffc0000000, "[mod] [guest]" },
		{ 0xffffffffc0001fff, "[mod] [guest]" },
		{ 0xffffffffc0002000, NULL },
		{ 0xffffffffc0010fff, "[other] [guest]" },
	};
	struct temp temp;
	uint32_t guest;
	size_t changes;

	temp_open(&temp);
	assert_int_equal(mkdir(temp_path(&temp, "proc"), 0700), 0);
	temp_write(&temp, "proc/kallsyms", names, sizeof(names) - 1);
	temp_write(&temp, "proc/modules", modules, sizeof(modules) - 1);
	sys.search.guest_root = temp.directory;
	assert_int_equal(tl_perf_guest_at(&sys, 0, 5, &guest, &changes, &err), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tl_perf_map_change *map =
			tl_perf_map_find(&sys, guest, changes, rows[i].ip);

		assert_int_equal(map != NULL, rows[i].path != NULL);
		if (map)
			assert_string_equal(
				sys.names.names[sys.objects.list[map->object].path].text,
				rows[i].path);
	}
	temp_close(&temp);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_thread_has_its_last_name),
		CASE(ids_of_several_machines),
		CASE(names_stay_in_the_order_of_records),
		CASE(a_new_thread_inherits_a_name),
		CASE(the_newest_map_shows),
		CASE(a_known_map_is_no_change),
		CASE(what_is_no_code),
		CASE(the_kernel_is_in_every_process),
		CASE(exec),
		CASE(a_fork_copies_the_maps),
		CASE(a_fork_of_nothing),
		CASE(epochs),
		CASE(switches_by_processor),
		CASE(an_object_is_path_and_build_id),
		CASE(build_ids_of_the_header),
		CASE(kinds_of_objects),
		CASE(a_guest_is_mapped_by_its_own_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
