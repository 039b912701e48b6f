/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Damage costs the damaged record's unit (buffer), not the file": one buffer of a trace is damaged
 * in ways that cannot be overlooked; every function record of the other buffers must come out as if
 * nothing had happened, and the damage must be told. Offsets and layouts: docs/formats/xray.md,
 * sections 2.2, 2.3 and 4.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exercise.h"
#include "traces.h"

struct mark {
	uint64_t offset, tsc;
	int32_t thread;
	uint32_t function;
	enum tl_xray_action action;
};

/* The function records and the beginnings of the buffers of a trace, in file order. */
struct sheet {
	struct mark *marks;
	uint64_t *starts; /* starts[blocks] is the end of the file */
	size_t count, blocks;
	bool extents; /* buffers begin with BufferExtents (version 2 and later) */
};

static void note_record(void *arg, const struct tl_xray_record *record)
{
	struct sheet *sheet = arg;

	if (record->kind == TL_XRAY_BUFFER_EXTENTS)
		sheet->extents = true;
	if (record->kind == (sheet->extents ? TL_XRAY_BUFFER_EXTENTS : TL_XRAY_NEW_BUFFER))
		sheet->starts[sheet->blocks++] = record->offset;
	if (record->kind == TL_XRAY_FUNCTION)
		sheet->marks[sheet->count++] = (struct mark){
			record->offset,   record->tsc,    record->thread,
			record->function, record->action,
		};
}

static const struct tl_xray_options in_file = { .size = sizeof(in_file),
						.order = TL_XRAY_FILE_ORDER };

static struct sheet read_sheet(const uint8_t *data, size_t size, struct walk *walk)
{
	struct sheet sheet = {
		.marks = calloc(size / 8 + 1, sizeof(struct mark)),
		.starts = calloc(size / 16 + 2, sizeof(uint64_t)),
	};

	walk_trace(walk, data, size, &in_file, note_record, &sheet);
	sheet.starts[sheet.blocks] = size;
	return sheet;
}

static void free_sheet(struct sheet *sheet)
{
	free(sheet->marks);
	free(sheet->starts);
}

/* A damaged copy, and what of the original must survive in it. */
struct damaged {
	uint8_t *data; /* room for 64 bytes more than the original */
	size_t size;
	uint64_t at, inserted;       /* bytes inserted at `at`; as a negative number: deleted */
	uint64_t lost_from, lost_to; /* records of the original that may be lost */
};

static uint64_t middle_record(const struct sheet *sheet, size_t block)
{
	size_t first = 0, last = sheet->count;

	while (first < last && sheet->marks[first].offset < sheet->starts[block])
		first++;
	while (last > first && sheet->marks[last - 1].offset >= sheet->starts[block + 1])
		last--;
	return first < last ? sheet->marks[first + (last - first) / 2].offset : 0;
}

/* Actions 4..7 do not exist. */
static bool no_such_action(struct damaged *damaged, const struct sheet *sheet, size_t block)
{
	damaged->at = damaged->lost_from = middle_record(sheet, block);
	damaged->data[damaged->at] |= 0x0e;
	return damaged->at;
}

/* Kinds 10..127 do not exist. */
static bool no_such_kind(struct damaged *damaged, const struct sheet *sheet, size_t block)
{
	damaged->at = damaged->lost_from = middle_record(sheet, block);
	damaged->data[damaged->at] = 0xff;
	return damaged->at;
}

/* "Negative: error in this block": a custom event of -1 bytes. */
static bool negative_event(struct damaged *damaged, const struct sheet *sheet, size_t block)
{
	static const uint8_t event[5] = { 5 << 1 | 1, 0xff, 0xff, 0xff, 0xff };

	damaged->at = damaged->lost_from = middle_record(sheet, block);
	if (!damaged->at || damaged->at + 16 > sheet->starts[block + 1])
		return false;
	memcpy(damaged->data + damaged->at, event, sizeof(event));
	return true;
}

/* An event longer than the rest of the file. */
static bool endless_event(struct damaged *damaged, const struct sheet *sheet, size_t block)
{
	static const uint8_t event[5] = { 5 << 1 | 1, 0xff, 0xff, 0xff, 0x7f };

	damaged->at = damaged->lost_from = middle_record(sheet, block);
	if (!damaged->at || damaged->at + 16 > sheet->starts[block + 1])
		return false;
	memcpy(damaged->data + damaged->at, event, sizeof(event));
	return true;
}

static bool endless_extents(struct damaged *damaged, const struct sheet *sheet, size_t block)
{
	if (!sheet->extents)
		return false;
	memset(damaged->data + sheet->starts[block] + 1, 0xff, 8);
	return true;
}

/* The block ends in the middle of its last record; what is left over stands between blocks. */
static bool short_extents(struct damaged *damaged, const struct sheet *sheet, size_t block)
{
	uint64_t length;
	uint8_t *field = damaged->data + sheet->starts[block] + 1;

	if (!sheet->extents)
		return false;
	memcpy(&length, field, 8);
	length -= 4;
	memcpy(field, &length, 8);
	return true;
}

/* "ThreadBuffer := NewBuffer ...": a buffer that begins with something else. */
static bool no_new_buffer(struct damaged *damaged, const struct sheet *sheet, size_t block)
{
	memset(damaged->data + sheet->starts[block] + (sheet->extents ? 16 : 0), 0, 16);
	return true;
}

/* Junk between blocks, with bytes in it that look like the beginning of one. */
static bool junk_before(struct damaged *damaged, const struct sheet *sheet, size_t block)
{
	static const uint8_t junk[19] = { 0xee, 0x0f, 1, 2, 3, 4, [17] = 0x0f, [18] = 0x0f };

	if (!sheet->extents)
		return false;
	damaged->at = damaged->lost_from = damaged->lost_to = sheet->starts[block];
	damaged->inserted = sizeof(junk);
	memmove(damaged->data + damaged->at + sizeof(junk), damaged->data + damaged->at,
		(size_t)(damaged->size - damaged->at));
	memcpy(damaged->data + damaged->at, junk, sizeof(junk));
	damaged->size += sizeof(junk);
	return true;
}

static bool zeroed(struct damaged *damaged, const struct sheet *sheet, size_t block)
{
	uint64_t start = sheet->starts[block];

	memset(damaged->data + start, 0, (size_t)(sheet->starts[block + 1] - start));
	return true;
}

enum { HEAD_BYTES = 80, LONGEST_RECORD = 24 };

/* Bytes deleted in a buffer: what stands before them in it survives, too. */
static void delete_at(struct damaged *damaged, uint64_t at, uint64_t count)
{
	memmove(damaged->data + at, damaged->data + at + count,
		(size_t)(damaged->size - at - count));
	damaged->size -= (size_t)count;
	damaged->at = at;
	damaged->inserted = -count;
	if (at > damaged->lost_from + HEAD_BYTES)
		damaged->lost_from = at - LONGEST_RECORD;
}

static const struct {
	const char *name;
	bool (*plant)(struct damaged *damaged, const struct sheet *sheet, size_t block);
} damages[] = {
	{ "no such action", no_such_action },
	{ "no such kind", no_such_kind },
	{ "event of negative size", negative_event },
	{ "event longer than the file", endless_event },
	{ "extents longer than the file", endless_extents },
	{ "extents cut the last record", short_extents },
	{ "no NewBuffer", no_new_buffer },
	{ "junk before the block", junk_before },
	{ "zeroed", zeroed },
};

enum { DAMAGES = sizeof(damages) / sizeof(damages[0]) };

static bool same_mark(const struct mark *a, const struct mark *b)
{
	return a->offset == b->offset && a->tsc == b->tsc && a->thread == b->thread &&
	       a->function == b->function && a->action == b->action;
}

/* Whether each original record outside [lost_from, lost_to) was read from the damaged copy too. */
static bool survived(const struct sheet *before, const struct sheet *after,
		     const struct damaged *damaged, struct mark *missing)
{
	size_t j = 0;

	for (size_t i = 0; i < before->count; i++) {
		struct mark want = before->marks[i];

		if (want.offset >= damaged->lost_from && want.offset < damaged->lost_to)
			continue;
		if (want.offset >= damaged->at)
			want.offset += damaged->inserted;
		while (j < after->count && after->marks[j].offset < want.offset)
			j++;
		if (j == after->count || !same_mark(&after->marks[j], &want)) {
			*missing = want;
			return false;
		}
	}
	return true;
}

static int judge(const struct trace *trace, const struct sheet *sheet,
		 const struct damaged *damaged, size_t block, const char *name)
{
	struct walk walk;
	struct mark missing = { 0 };
	struct sheet after = read_sheet(damaged->data, damaged->size, &walk);
	const char *broken = walk.broken;

	if (!broken && walk.status < 0)
		broken = "one damaged buffer makes the whole file unreadable";
	if (!broken && !walk.faults)
		broken = "damage that is not told";
	if (!broken && !survived(sheet, &after, damaged, &missing))
		broken = "a record of a whole buffer is lost or changed";
	if (broken)
		fprintf(stderr, "%s: buffer %zu at 0x%llx: %s: %s (record at 0x%llx)\n",
			trace->name, block, (unsigned long long)sheet->starts[block], name, broken,
			(unsigned long long)missing.offset);
	free_sheet(&after);
	return broken != NULL;
}

static struct damaged copy_of(const struct trace *trace, const struct sheet *sheet, size_t block)
{
	struct damaged damaged = {
		.data = malloc(trace->size + 64),
		.size = trace->size,
		.lost_from = sheet->starts[block],
		.lost_to = sheet->starts[block + 1],
	};

	memcpy(damaged.data, trace->data, trace->size);
	return damaged;
}

static int test_damage(const struct trace *trace, const struct sheet *sheet, size_t block,
		       size_t kind, size_t *planted)
{
	struct damaged damaged = copy_of(trace, sheet, block);
	int failures = 0;

	if (damages[kind].plant(&damaged, sheet, block)) {
		failures = judge(trace, sheet, &damaged, block, damages[kind].name);
		++*planted;
	}
	free(damaged.data);
	return failures;
}

/* Bytes deleted, few and many, at many places of a buffer. */
static int test_deletions(const struct trace *trace, const struct sheet *sheet, size_t block,
			  size_t *planted)
{
	static const uint64_t counts[] = { 1, 4, 8, 16, 24, 40, 128 };
	uint64_t start = sheet->starts[block], size = sheet->starts[block + 1] - start;
	int failures = 0;

	for (uint64_t at = 0; at < size; at += size / 23 + 1)
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			struct damaged damaged;
			char name[64];

			if (counts[i] >= size - at)
				continue;
			snprintf(name, sizeof(name), "%d bytes deleted at 0x%x", (int)counts[i],
				 (unsigned)(start + at));
			damaged = copy_of(trace, sheet, block);
			delete_at(&damaged, start + at, counts[i]);
			failures += judge(trace, sheet, &damaged, block, name);
			++*planted;
			free(damaged.data);
		}
	return failures;
}

static int test_trace(const struct trace *trace, size_t *planted)
{
	struct walk walk;
	struct sheet sheet = read_sheet(trace->data, trace->size, &walk);
	int failures = 0;

	/* Whole little-endian FDR files with several buffers; the damage above is written for their
	 * bytes. */
	if (!walk.status && !walk.faults && sheet.blocks > 1 && trace->data[2] == 1)
		for (size_t block = 0; block < sheet.blocks; block++)
			for (size_t kind = 0; kind < DAMAGES; kind++)
				failures += test_damage(trace, &sheet, block, kind, planted);
	if (!walk.status && !walk.faults && sheet.blocks > 1 && trace->data[2] == 1)
		for (size_t block = 0; block < sheet.blocks; block++)
			failures += test_deletions(trace, &sheet, block, planted);
	free_sheet(&sheet);
	return failures;
}

int main(void)
{
	struct trace *traces;
	size_t count = traces_load(&traces, 64 * 1024), planted = 0;
	int failures = 0;

	for (size_t i = 0; i < count; i++)
		failures += test_trace(&traces[i], &planted);
	traces_free(traces, count);
	if (!planted) {
		puts("skipped: no trace with several buffers");
		return TEST_SKIPPED;
	}
	printf("%zu damaged buffers, %d failures\n", planted, failures);
	return failures != 0;
}
