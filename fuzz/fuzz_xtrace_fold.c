/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instruction streams to a profile. A stream folded as one segment, and cut at snapshots and folded
 * by two threads, is one profile, to the byte of its JSON; self costs sum to the total, and
 * functions' costs are those of their lines.
 *
 * The first byte says how the others are read: as a stream; or as a program, two bytes an
 * instruction: where it is, and what it does. The latter goes where streams of random bytes hardly
 * ever go.
 */
#include <stdlib.h>
#include <string.h>

#include <tracelathe/export.h>
#include <tracelathe/xtrace.h>

#include "fuzz.h"
#include "parts.h"

#include "profile/model/unsized.h"

enum { RECORD = 1424, HEADER = 24, TOTAL = 24, INDEX = 8, USER = 16, LENGTH = 1416 };

struct bytes {
	uint8_t *data;
	size_t size, room;
};

static void make_room(struct bytes *b, size_t size)
{
	if (b->size + size > b->room) {
		b->room = b->room * 2 + size + 4096;
		b->data = realloc(b->data, b->room);
		FUZZ_MUST(b->data);
	}
}

static void put(struct bytes *b, uint64_t value, unsigned size)
{
	make_room(b, size);
	for (unsigned i = 0; i < size; i++)
		b->data[b->size++] = (uint8_t)(value >> 8 * i);
}

static void put_zeros(struct bytes *b, size_t size)
{
	make_room(b, size);
	memset(b->data + b->size, 0, size);
	b->size += size;
}

/* ---- programs ---- */

static uint32_t branch(uint32_t opcode, uint64_t from, uint64_t to)
{
	return opcode | ((uint32_t)((to - from) / 4) & 0x3ffffff);
}

/* What follows an instruction's opcode; `to` is where it goes if it is a branch. */
static void put_tail(struct bytes *b, unsigned what, uint64_t to)
{
	switch (what) {
	case 1:
	case 2:
		put(b, what == 1 ? 0x32 : 0x3a, 1); /* LOAD, STORE of 8 bytes */
		put(b, 0x7000, 8);
		put(b, 42, 8);
		break;
	case 6:
	case 7:
	case 8:
	case 9:
		put(b, 0x2b, 1); /* TARGET_B */
		put(b, to, 8);
		break;
	}
}

static uint32_t opcode_of(unsigned what, uint64_t from, uint64_t to)
{
	static const uint32_t opcodes[] = {
		[0] = 0xd503201f, [1] = 0xf9400020, [2] = 0xf9000020, [6] = 0xd61f0200,
		[7] = 0xd63f0200, [8] = 0xd65f03c0, [9] = 0xd69f03e0, [10] = 0xd4000001,
	};

	switch (what) {
	case 3:
		return branch(0x14000000, from, to);
	case 4:
		return branch(0x94000000, from, to);
	case 5: /* B.NE: 19 bits */
		return 0x54000001 | ((uint32_t)((to - from) / 4) & 0x7ffff) << 5;
	default:
		return opcodes[what];
	}
}

/* Eight functions of eight instructions; the kernel has its own. */
static uint64_t place_of(uint8_t byte, unsigned el)
{
	return (el ? 0xffff800000000000u : 0x400000) + (byte >> 3 & 7) * 0x100 + (byte & 7) * 4;
}

static void make_program(struct bytes *b, const uint8_t *data, size_t size)
{
	uint64_t pc = 0x400000;
	unsigned el = 0;

	for (size_t i = 0; i + 1 < size; i += 2) {
		unsigned what = data[i] % 11, next_el = data[i] >= 0xe0 ? 1 - el : el;
		uint64_t next = data[i + 1] & 0x80 ? pc + 4 : place_of(data[i + 1], next_el);
		/* Now and then it goes elsewhere than it says: an exception. */
		uint64_t says =
			data[i + 1] & 0x40 ? place_of((uint8_t)(data[i + 1] + 9), el) : next;

		if (i && data[i] & 0x10 && data[i - 1] & 0x80) {
			put(b, 0x01 | el << 6, 1);
		} else {
			put(b, 0x09 | el << 6, 1);
			put(b, pc, 8);
		}
		put(b, opcode_of(what, pc, says), 4);
		put_tail(b, what, says);
		pc = next;
		el = next_el;
	}
}

/* ---- snapshots ---- */

/* At some of the instructions that say their PC. */
static void make_snapshots(struct bytes *b, struct tl_xtrace_trace *trace, unsigned seed)
{
	struct tl_xtrace_reader *reader;
	struct tl_xtrace_instruction insn;
	uint64_t user = 0;
	uint32_t random = seed + 1;

	put(b, 0x31525458, 4);
	for (unsigned i = 4; i < HEADER; i++)
		put(b, i == 8, 1);
	if (tl_xtrace_reader_open(&reader, trace, 0, 0, NULL))
		return;
	while (tl_xtrace_next(reader, &insn, sizeof(insn), NULL) > 0) {
		random = random * 1664525 + 1013904223;
		/* A reader begins at the instruction's own token: what stands before it belongs to
		 * the part before. */
		if (insn.with_pc && !insn.before.allgpr && !insn.before.has_svcret &&
		    (!insn.ordinal || random >> 30 == 0)) {
			size_t at = b->size;

			put_zeros(b, RECORD);
			memcpy(b->data + at + INDEX, &insn.offset, 8);
			memcpy(b->data + at + USER, &user, 8);
			memcpy(b->data + at + TOTAL, &insn.ordinal, 8);
			b->data[at + LENGTH] = 128;
		}
		user += insn.el == 0;
	}
	tl_xtrace_reader_close(reader);
}

/* ---- profiles ---- */

static void look(const struct tl_profile *profile)
{
	int64_t lines = 0, self = 0;

	for (uint32_t i = 0; i < tl_profile_line_count(profile); i++)
		lines += tl_profile_line_cost(profile, i)[0];
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++) {
		struct tl_function_totals totals;

		tl_profile_totals_of(profile, i, TL_NONE, &totals);
		FUZZ_MUST(totals.self[0] <= totals.inclusive[0]);
		FUZZ_MUST(totals.inclusive[0] <= tl_profile_total(profile)[0]);
		self += totals.self[0];
	}
	FUZZ_MUST(self == tl_profile_total(profile)[0]);
	FUZZ_MUST(lines == self);
}

/* The JSON of a profile; NULL: none, or something was damaged. */
static struct tl_output *fold(struct tl_xtrace_trace *trace, unsigned jobs)
{
	const struct tl_xtrace_fold_options options = {
		.size = sizeof(options),
		.id = TL_NOWHERE,
		.lines = true,
		.jobs = jobs,
	};
	struct tl_profile *profile;
	struct tl_output *out = NULL;
	uint64_t faults, skipped;
	size_t listed;

	if (tl_xtrace_fold(trace, &options, &profile, NULL))
		return NULL;
	look(profile);
	tl_xtrace_faults(trace, &listed, &faults, &skipped);
	if (!faults && !tl_output_open_memory(&out, NULL))
		FUZZ_MUST(tl_exporter_find("json")->write(profile, NULL, out, NULL) == 0);
	tl_profile_free(profile);
	return out;
}

static void compare(struct tl_output *one, struct tl_output *other)
{
	size_t size, other_size;
	const char *bytes = tl_output_bytes(one, &size),
		   *other_bytes = tl_output_bytes(other, &other_size);

	FUZZ_MUST(size == other_size && !memcmp(bytes, other_bytes, size));
}

static int open_pair(struct tl_xtrace_trace **trace, struct tl_source *sources[2],
		     const struct bytes *stream, const struct bytes *snapshots)
{
	const struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	struct tl_xtrace_file files[2];
	size_t count = snapshots->size ? 2 : 1;
	int status = tl_source_open_memory(&sources[0], stream->data, stream->size, "a", NULL);

	if (status == 0 && count == 2)
		status = tl_source_open_memory(&sources[1], snapshots->data, snapshots->size, "a",
					       NULL);
	files[0] = (struct tl_xtrace_file){ "a.xinsndata.bin", sources[0] };
	files[1] = (struct tl_xtrace_file){ "a.xsnapshot.bin", sources[1] };
	return status < 0 ? status : tl_xtrace_open(trace, files, count, &options, NULL, NULL);
}

static void close_pair(struct tl_xtrace_trace *trace, struct tl_source *sources[2])
{
	tl_xtrace_close(trace);
	tl_source_close(sources[0]);
	tl_source_close(sources[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes stream = { 0 }, snapshots = { 0 };
	struct tl_source *sources[2] = { 0 };
	struct tl_xtrace_trace *trace = NULL;
	struct tl_output *one = NULL, *other = NULL;

	if (!size)
		return 0;
	exercise_chosen_by(data, size);
	if (data[0] & 1)
		make_program(&stream, data + 1, size - 1);
	else
		for (size_t i = 1; i < size; i++)
			put(&stream, data[i], 1);
	if (!open_pair(&trace, sources, &stream, &snapshots)) {
		one = fold(trace, 1);
		make_snapshots(&snapshots, trace, data[0]);
	}
	close_pair(trace, sources);
	memset(sources, 0, sizeof(sources));
	trace = NULL;
	if (one && !open_pair(&trace, sources, &stream, &snapshots)) {
		/* Segments are folded apart and spliced by one thread as by two. */
		other = fold(trace, exercise_does(0, 16) ? 2 : 1);
		if (other)
			compare(one, other);
	}
	close_pair(trace, sources);
	tl_output_discard(one);
	tl_output_discard(other);
	free(stream.data);
	free(snapshots.data);
	return 0;
}
