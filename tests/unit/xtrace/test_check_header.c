/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and headers against what the streams show (docs/formats/xtrace.md, 1.2, 1.3, 2.2): every
 * pair is good but for the one thing that a case changes.
 */
#include <stdio.h>

#include "violations.h"

/* What a pair says of itself, and what is in it. */
struct pair {
	unsigned hint, id;
	unsigned division, type, order, point, version;
	bool time, kernel, call;
	uint64_t counts[4][2]; /* user instructions and all before each snapshot */
	uint64_t files[4];
};

enum { PAIRS = 2, INSTRUCTIONS = 40 };

/* Ordinary for a thread: everything at EL0, snapshots every ten instructions. */
static const struct pair thread = {
	.hint = 9,
	.version = 1,
	.counts = { { 0, 0 }, { 10, 10 }, { 20, 20 }, { 30, 30 } },
};

/*
 * The same for a core that is in the kernel from instruction 5 to 14: snapshots every ten of all.
 */
static const struct pair core = {
	.hint = 9,
	.version = 1,
	.division = 1,
	.type = 1,
	.kernel = true,
	.counts = { { 0, 0 }, { 5, 10 }, { 10, 20 }, { 20, 30 } },
};

/* The same with a snapshot every five user instructions. */
static const struct pair core_by_user = {
	.hint = 9,
	.version = 1,
	.type = 1,
	.kernel = true,
	.counts = { { 0, 0 }, { 5, 15 }, { 10, 20 }, { 15, 25 } },
};

static bool snapshot_at(const struct pair *p, unsigned instruction, unsigned *number)
{
	for (*number = 0; *number < 4; (*number)++)
		if (p->counts[*number][1] == instruction)
			return true;
	return false;
}

static bool in_kernel(const struct pair *p, unsigned instruction)
{
	return p->kernel && instruction >= 5 && instruction < 15;
}

/* Number X8 with X0 to X5, as the records have them: removexattr, which succeeds. */
static void put_call(struct bytes *b)
{
	put_value(b, SVCARG, 7 + 8);
	for (unsigned i = 0; i < 6; i++)
		put_value(b, SVCARG, 7 + i);
}

/* A stream of NOP; an interrupt's vector, an ERET, a system call, and stores with TIME. */
static void put_stream(struct bytes *b, const struct pair *p, uint64_t offsets[4], uint64_t *time)
{
	uint64_t pc = 0x1000;
	unsigned number;

	for (unsigned i = 0; i < INSTRUCTIONS; i++, pc += 4) {
		bool kernel = in_kernel(p, i), enters = kernel && i == 5;
		bool leaves = p->kernel && i == 15, calls = p->call && i == 32;
		bool stores = !kernel && i % 4 == 3 && i < 32, last = kernel && i == 14;
		uint32_t opcode = last ? A64_ERET : calls ? A64_SVC : A64_NOP;

		if (p->call && i == 33)
			put_value(b, SVCRET, 0);
		if (enters || leaves)
			put_allgpr(b, 7);
		if (enters)
			pc = 0xffff800008010480;
		if (leaves)
			pc = 0x1014;
		if (snapshot_at(p, i, &number))
			offsets[number] = b->size;
		if (stores)
			opcode = A64_STR;
		put_pcinst(b, kernel, pc, opcode);
		if (last)
			put_value(b, TARGET_B, 0x1014);
		if (calls)
			put_call(b);
		if (stores && p->time)
			put_value(b, TIME, ++*time);
		if (stores)
			put_access(b, STORE, 3, 8, 7);
	}
}

static void put_pair(struct bytes *stream, struct bytes *snapshots, const struct pair *p,
		     uint64_t *time)
{
	uint64_t offsets[4] = { 0 };

	put_stream(stream, p, offsets, time);
	put_header(snapshots);
	snapshots->data[4] = (uint8_t)p->point;
	snapshots->data[8] = (uint8_t)p->version;
	snapshots->data[16] = (uint8_t)p->division;
	snapshots->data[17] = (uint8_t)p->type;
	snapshots->data[18] = (uint8_t)p->order;
	for (unsigned i = 0; i < 4; i++)
		put_record(snapshots, &(struct record){ .file = p->files[i],
							.index = offsets[i],
							.user = p->counts[i][0],
							.total = p->counts[i][1],
							.first = 7 });
}

/* One or two pairs of one group, and the violations that they have to have. */
static void assert_pairs(const struct pair *pairs, size_t count, const struct broken *want,
			 size_t broken)
{
	const struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	struct bytes streams[PAIRS] = { { 0 } }, snapshots[PAIRS] = { { 0 } };
	char names[PAIRS][2][64];
	struct tl_xtrace_file files[2 * PAIRS];
	struct trace t = { .err = { .offset = 0 } };
	uint64_t time = 0;

	for (size_t i = 0; i < count; i++) {
		const struct bytes *bytes[2] = { &streams[i], &snapshots[i] };

		put_pair(&streams[i], &snapshots[i], &pairs[i], &time);
		for (size_t k = 0; k < 2; k++) {
			snprintf(names[i][k], sizeof(names[i][k]), "xtrace.1.%u.hint%u.%s.bin",
				 pairs[i].id, pairs[i].hint, k ? "xsnapshot" : "xinsndata");
			assert_int_equal(tl_source_open_memory(&t.sources[2 * i + k],
							       bytes[k]->data, bytes[k]->size, "a",
							       NULL),
					 0);
			files[2 * i + k] =
				(struct tl_xtrace_file){ names[i][k], t.sources[2 * i + k] };
		}
	}
	assert_int_equal(tl_xtrace_open(&t.trace, files, 2 * count, &options, &t.failed, &t.err),
			 0);
	assert_no_fault(&t);
	assert_found(&t, want, broken);
	close_trace(&t);
	for (size_t i = 0; i < count; i++) {
		free_bytes(&streams[i]);
		free_bytes(&snapshots[i]);
	}
}

static void assert_pair(const struct pair *p, const char *rule, uint64_t offset, uint64_t record)
{
	const struct broken broken = { rule, offset, record };

	assert_pairs(p, 1, &broken, rule != NULL);
}

TEST(good_pairs)
{
	struct pair p = thread;

	assert_pair(&thread, NULL, 0, 0);
	assert_pair(&core, NULL, 0, 0);
	assert_pair(&core_by_user, NULL, 0, 0);
	p.call = true;
	assert_pair(&p, NULL, 0, 0);
	/* Of a thread's instructions all are the user's: they are divided by both. */
	p.division = 1;
	assert_pair(&p, NULL, 0, 0);
	/* "Any flag" (A3): values other than 0 and 1 say nothing. */
	p.division = p.type = p.order = p.version = 2;
	assert_pair(&p, NULL, 0, 0);
	/* A core that was in the kernel, though not in this call. */
	p = core;
	p.call = true;
	assert_pair(&p, NULL, 0, 0);
	/* A core that has not been in the kernel yet. */
	p = thread;
	p.type = 1;
	assert_pair(&p, NULL, 0, 0);
	p.hint = 13;
	assert_pair(&p, NULL, 0, 0);
	p = thread;
	p.point = 3;
	assert_pair(&p, NULL, 0, 0);
}

/* "1-byte memory access order information". */
TEST(order_against_time)
{
	struct pair p = thread;

	p.order = 1;
	assert_pair(&p, "xtrace.header.order", 18, TL_NOWHERE);
	p.time = true;
	assert_pair(&p, NULL, 0, 0);
	p.order = 0;
	assert_pair(&p, "xtrace.header.order", 18, TL_NOWHERE);
}

/* "1-byte instruction stream type": the kernel is in streams of cores alone (A19). */
TEST(type_against_levels)
{
	struct pair p = core;

	p.type = 0;
	assert_pair(&p, "xtrace.header.stream", 17, TL_NOWHERE);
	p = thread;
	p.type = 1;
	p.call = true;
	assert_pair(&p, "xtrace.header.stream", 17, TL_NOWHERE);
}

/* "1-byte snapshot division type". */
TEST(division_against_counts)
{
	struct pair p = core;

	p.division = 0;
	assert_pair(&p, "xtrace.header.division", 16, TL_NOWHERE);
	p = core_by_user;
	p.division = 1;
	assert_pair(&p, "xtrace.header.division", 16, TL_NOWHERE);
}

/* "4-byte global snapshot point": one of four snapshots. */
TEST(point_against_snapshots)
{
	struct pair p = thread;

	p.point = 4;
	assert_pair(&p, "xtrace.header.point", 4, TL_NOWHERE);
}

/* "8-byte file number": one that differs is told of its snapshot; that of all is told once. */
TEST(file_numbers)
{
	struct pair p = thread;

	p.files[2] = 1;
	assert_pair(&p, "xtrace.snapshot.file", 24 + 2 * 1424, 2);
	for (unsigned i = 0; i < 4; i++)
		p.files[i] = 5;
	assert_pair(&p, "xtrace.snapshot.file", 24, 0);
}

/* "Thread instruction streams always use hint9; the main core uses hint9, the others hint13." */
TEST(hints_against_roles)
{
	struct pair p = thread, cores[PAIRS] = { core, core };

	p.hint = 13;
	assert_pair(&p, "xtrace.name.hint", TL_NOWHERE, TL_NOWHERE);
	cores[1].id = 1;
	cores[1].hint = 13;
	assert_pairs(cores, PAIRS, NULL, 0);
	cores[1].hint = 9;
	assert_pairs(cores, PAIRS, &(struct broken){ "xtrace.name.hint", TL_NOWHERE, TL_NOWHERE },
		     1);
}

/* One run of a collector writes the same into all headers but for the point. */
TEST(headers_of_a_group)
{
	struct pair pairs[PAIRS] = { thread, thread };

	pairs[1].id = 1;
	pairs[1].point = 2;
	assert_pairs(pairs, PAIRS, NULL, 0);
	pairs[1].version = 2;
	assert_pairs(pairs, PAIRS, &(struct broken){ "xtrace.header.group", 8, TL_NOWHERE }, 1);
	pairs[1] = pairs[0];
	pairs[1].id = 1;
	pairs[1].division = 1;
	assert_pairs(pairs, PAIRS, &(struct broken){ "xtrace.header.group", 16, TL_NOWHERE }, 1);
	pairs[1].division = 0;
	pairs[1].type = 1;
	assert_pairs(pairs, PAIRS, &(struct broken){ "xtrace.header.group", 17, TL_NOWHERE }, 1);
	pairs[1].type = 0;
	pairs[1].time = true;
	pairs[1].order = 1;
	assert_pairs(pairs, PAIRS, &(struct broken){ "xtrace.header.group", 18, TL_NOWHERE }, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_pairs),
		cmocka_unit_test(order_against_time),
		cmocka_unit_test(type_against_levels),
		cmocka_unit_test(division_against_counts),
		cmocka_unit_test(point_against_snapshots),
		cmocka_unit_test(file_numbers),
		cmocka_unit_test(hints_against_roles),
		cmocka_unit_test(headers_of_a_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
