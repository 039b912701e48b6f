/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_UFTRACE_RECORDING_H
#define TESTS_UNIT_UFTRACE_RECORDING_H
/*
 * Directories of uftrace, put together by hand as docs/formats/uftrace.md says; what each record
 * means is said by the tests.
 */
#include "../foreign/text.h"
#include "../refuse.h"

#include "../../fault/uftrace_folder.h"

enum { ENTRY, EXIT, LOST, EVENT, MORE = 4, ROOM = 1 << 15 };
enum { MAIN = 0x1010, LEAF = 0x1028, PLT = 0x1002, FAR = 0x1100, BASE = 0x550000 };
enum { KERNEL = 1 << 2, RELATIVE = 1 << 5, BIG_ENDIAN_FILE = 2 };

static struct {
	uint8_t bytes[ROOM];
	size_t size, file; /* where the present file's size stands */
	bool is_big;
} all;

static struct text t;

/* ---- files ---- */

static inline void put(uint64_t value, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		all.bytes[all.size++] = (uint8_t)(value >> 8 * (all.is_big ? width - 1 - i : i));
}

static inline void put_bytes(const void *bytes, size_t size)
{
	memcpy(all.bytes + all.size, bytes, size);
	all.size += size;
}

static inline void put_text(const char *text)
{
	put_bytes(text, strlen(text));
}

static inline void begin_file(const char *name)
{
	put(strlen(name), 1);
	put_text(name);
	all.file = all.size;
	put(0, 2);
}

static inline void end_file(void)
{
	const size_t size = all.size - all.file - 2;

	all.bytes[all.file] = (uint8_t)size;
	all.bytes[all.file + 1] = (uint8_t)(size >> 8);
}

/* A file of text; none where there is none. */
static inline void file(const char *name, const char *text)
{
	if (!text)
		return;
	begin_file(name);
	put_text(text);
	end_file();
}

/* What is in the files that all recordings have. */
struct recording {
	const char *tasks, *info, *map, *symbols, *lines;
	uint64_t features;
	uint8_t byte_order;
};

static const char one_task[] =
	"SESS timestamp=0.000000000 pid=10 sid=0123456789abcdef exename=\"/bin/prog\"\n"
	"TASK timestamp=0.000000100 tid=10 pid=10\n";

/*
 * Version 4, little-endian, 64 bits, symbols by relative addresses; it took two seconds. A test
 * changes what it is about.
 */
static inline struct recording usual(const char *tasks)
{
	return (struct recording){
		.tasks = tasks,
		.info = "exename:/bin/prog\nelapsed_time:2.000000000 sec\n",
		.map = "000000550000-000000552000 r-xp 00000000 00:00 0                  "
		       "/bin/prog build-id:beef\n"
		       "000000560000-000000561000 r-xp 00000000 00:00 0           /lib/other\n",
		.symbols = "# symbols: 5\n# path name: /bin/prog\n0000000000001000 P puts\n"
			   "0000000000001010 T main\n0000000000001020 t _ZN1a4leafEv\n"
			   "0000000000001100 ? __sym_end\n",
		.lines = "# path name: /bin/prog\nF: 1020 leaf\nL: 12 a.cc\n",
		.features = RELATIVE,
		.byte_order = 1,
	};
}

static inline void begin_with(const struct recording *r)
{
	all.size = 0;
	all.is_big = r->byte_order == BIG_ENDIAN_FILE;
	begin_file("info");
	put_text("Ftrace!");
	put(0, 1);
	put(4, 4);
	put(40, 2);
	put(r->byte_order, 1);
	put(2, 1);
	put(r->features, 8);
	put(0, 8);
	put(0, 8);
	put_text(r->info);
	end_file();
	file("task.txt", r->tasks);
	file("sid-0123456789abcdef.map", r->map);
	file("prog.sym", r->symbols);
	file("prog.dbg", r->lines);
}

static inline void begin(const char *tasks)
{
	const struct recording r = usual(tasks);

	begin_with(&r);
}

static inline void put_record(uint64_t time, unsigned kind, unsigned depth, uint64_t address)
{
	put(time, 8);
	put(address << 16 | depth << 6 | 5 << 3 | kind, 8);
}

static inline void call(uint64_t time, unsigned kind, unsigned depth, uint64_t address)
{
	put_record(time, kind, depth, BASE + address);
}

/* A thread that calls a function at an address for so long. */
static inline void one_call(const char *name, uint64_t time, uint64_t address, uint64_t length)
{
	begin_file(name);
	put_record(time, ENTRY, 0, address);
	put_record(time + length, EXIT, 0, address);
	end_file();
}

/* ---- reading ---- */

static inline int read_with(size_t size, bool strict, const struct tl_foreign_options *options)
{
	t = (struct text){ .profile = NULL };
	t.status = TL_NO_MEMORY;
	if (!tl_foreign_begin(&t.foreign, &tl_uftrace_reader, options))
		return t.status;
	t.foreign.faults.strict = strict;
	t.status = uftrace_folder_read(&t.foreign, all.bytes, size, &t.error);
	if (t.status == 0)
		t.status = tl_foreign_fold(&t.foreign, &t.profile, &t.error);
	return t.status;
}

static inline int read_all(size_t size, bool strict)
{
	const struct tl_foreign_options options = text_options();

	return read_with(size, strict, &options);
}

static inline void expect(const char *stacks)
{
	assert_int_equal(read_all(all.size, false), 0);
	text_expect_stacks(&t, 0, stacks);
}

/* The same, and nothing to be said of it. */
static inline void expect_clean(const char *stacks)
{
	expect(stacks);
	assert_int_equal(t.foreign.faults.count, 0);
	text_close(&t);
}

static inline int fold_step(const void *input, uint64_t *digest)
{
	const int status = read_all(all.size, false);

	(void)input;
	for (uint32_t i = 0; status == 0 && i < tl_profile_context_count(t.profile); i++)
		refuse_note_number(digest, tl_profile_context_self(t.profile, i)[0]);
	refuse_note_number(digest, (int64_t)t.foreign.faults.count);
	text_close(&t);
	return status;
}

#endif
