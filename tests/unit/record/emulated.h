/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_RECORD_EMULATED_H
#define TESTS_UNIT_RECORD_EMULATED_H
/*
 * What the plugin of QEMU leaves (record/emulation/folder.h), by hand, and the perf.data file that
 * is made of it. The records are read here by themselves, after the layout in the kernel's
 * include/uapi/linux/perf_event.h and perf's Documentation/perf.data-file-format.txt.
 */
#include "session.h"

#include "record/emulation/folder.h"

/* A clock of 1 GHz whose ticks are ahead of the machine's: time is ticks less this. */
#define AHEAD (UINT64_C(1) << 62)

/* ---- the folder ---- */

struct folder {
	uint8_t bytes[65536];
	size_t size;
};

static inline struct tl_emulation_event event_of(enum tl_emulation_kind kind, uint64_t ns,
						 uint32_t process, uint32_t thread)
{
	return (struct tl_emulation_event){
		.kind = kind, .ticks = AHEAD + ns, .process = process, .thread = thread
	};
}

static inline void put_event(struct folder *folder, struct tl_emulation_event event,
			     const char *text)
{
	const size_t text_size = strlen(text) + 1;

	event.size = (uint32_t)((sizeof(event) + text_size + 7) / 8 * 8);
	memset(folder->bytes + folder->size, 0, event.size);
	memcpy(folder->bytes + folder->size, &event, sizeof(event));
	memcpy(folder->bytes + folder->size + sizeof(event), text, text_size);
	folder->size += event.size;
}

static inline struct folder begun(void)
{
	struct folder folder = { .size = 0 };
	struct tl_emulation_event clock = event_of(TL_EMULATION_CLOCK, 0, 0, 0);

	put_event(&folder, clock, "");
	return folder;
}

static inline void put(struct folder *folder, enum tl_emulation_kind kind, uint64_t ns,
		       uint32_t process, uint32_t thread, const char *text)
{
	put_event(folder, event_of(kind, ns, process, thread), text);
}

static inline void put_place(struct folder *folder, enum tl_emulation_kind kind, uint64_t address,
			     uint64_t length, uint64_t offset, const char *text)
{
	struct tl_emulation_event event = event_of(kind, 60, 7, 7);

	event.address = address;
	event.length = length;
	event.offset = offset;
	put_event(folder, event, text);
}

static inline void write_events(struct recording *r, const struct folder *folder)
{
	temp_write(&r->temp, "out.parts/events", folder->bytes, folder->size);
}

/* A thread's file: packets begin with the second page; `at` is how many of them are good. */
static inline struct tl_emulation_thread thread_of(uint64_t at)
{
	return (struct tl_emulation_thread){
		.magic = TL_EMULATION_MAGIC,
		.window_offset = TL_EMULATION_PAGE,
		.window = 0x10000,
		.at = 0x10000 + at,
		.outcomes = 1,
		.ended = 1,
		.thread = 7,
	};
}

static inline void write_thread(struct recording *r, const char *name,
				const struct tl_emulation_thread *thread, const void *packets,
				size_t size)
{
	static uint8_t file[3 * TL_EMULATION_PAGE];
	char path[128];

	memset(file, 0, sizeof(file));
	memcpy(file, thread, sizeof(*thread));
	memcpy(file + TL_EMULATION_PAGE, packets, size);
	snprintf(path, sizeof(path), "out.parts/%s", name);
	temp_write(&r->temp, path, file, sizeof(file));
}

static inline int finish(struct recording *r)
{
	struct tl_error err;

	return tl_emulation_join(&r->session, &err);
}

/* ---- the file ---- */

struct perf_record {
	uint32_t kind;
	uint16_t misc, size;
	uint8_t body[8192];
	char packets[64]; /* behind an AUXTRACE record */
};

struct perf_file {
	uint8_t *bytes;
	size_t size, at, end;
};

static inline uint64_t number_at(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | bytes[size];
	return value;
}

static inline struct perf_file open_perf(struct recording *r)
{
	struct perf_file file = { .at = 0 };

	file.bytes = (uint8_t *)recording_read(r, "out", &file.size);
	assert_memory_equal(file.bytes, "PERFILE2", 8);
	assert_int_equal(number_at(file.bytes + 8, 8), 104);
	file.at = number_at(file.bytes + 40, 8);
	file.end = file.at + number_at(file.bytes + 48, 8);
	/* feature 5, "version of perf": a place, then a text with its length */
	assert_int_equal(number_at(file.bytes + 72, 8), 1 << 5);
	assert_int_equal(number_at(file.bytes + file.end, 8), file.end + 16);
	assert_int_equal(number_at(file.bytes + file.end + 8, 8), file.size - file.end - 16);
	assert_int_equal(number_at(file.bytes + file.end + 16, 4), file.size - file.end - 20);
	assert_string_equal(file.bytes + file.end + 20, "tracelathe emulate");
	return file;
}

static inline bool next_record(struct perf_file *file, struct perf_record *record)
{
	const uint8_t *head = file->bytes + file->at;

	if (file->at == file->end)
		return false;
	*record = (struct perf_record){ .kind = (uint32_t)number_at(head, 4) };
	record->misc = (uint16_t)number_at(head + 4, 2);
	record->size = (uint16_t)number_at(head + 6, 2);
	assert_true(record->size >= 8 && record->size % 8 == 0);
	assert_true(file->at + record->size <= file->end);
	memcpy(record->body, head + 8, record->size - 8u);
	file->at += record->size;
	if (record->kind == 71) {
		uint64_t size = number_at(record->body, 8);

		assert_true(size % 8 == 0 && size <= sizeof(record->packets));
		memcpy(record->packets, file->bytes + file->at, size);
		file->at += size;
	}
	return true;
}

/* The record number `skip`, from 0, of a kind. */
static inline struct perf_record find_record(const struct perf_file *from, uint32_t kind,
					     unsigned skip)
{
	struct perf_file file = *from;
	struct perf_record record;

	while (next_record(&file, &record))
		if (record.kind == kind && !skip--)
			return record;
	fail_msg("no record of kind %u", kind);
	return record;
}

static inline unsigned count_records(const struct perf_file *from, uint32_t kind)
{
	struct perf_file file = *from;
	struct perf_record record;
	unsigned count = 0;

	while (next_record(&file, &record))
		count += record.kind == kind;
	return count;
}

static inline uint64_t field(const struct perf_record *record, size_t at, size_t size)
{
	return number_at(record->body + at, size);
}

/* sample_id_all with TID, TIME and IDENTIFIER: pid, tid, time, id. */
static inline void expect_trailer(const struct perf_record *record, uint32_t pid, uint32_t tid,
				  uint64_t ns)
{
	const size_t at = record->size - 8u - 24;

	assert_int_equal(field(record, at, 4), pid);
	assert_int_equal(field(record, at + 4, 4), tid);
	assert_int_equal(field(record, at + 8, 8), ns);
	assert_int_equal(field(record, at + 16, 8), 1);
}

enum {
	MMAP = 1,
	COMM = 3,
	FORK = 7,
	AUX = 11,
	ITRACE_START = 12,
	AUXTRACE_INFO = 70,
	AUXTRACE = 71
};

/* One program of one thread. */
static inline struct folder simple(void)
{
	struct folder folder = begun();

	put(&folder, TL_EMULATION_PROGRAM, 40, 7, 7, "/usr/bin/a-very-long-program-name");
	put(&folder, TL_EMULATION_THREAD, 50, 7, 7, "thread.7.7.0");
	return folder;
}

#endif
