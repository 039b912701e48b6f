/* SPDX-License-Identifier: Apache-2.0 */
/* Reuse distances, footprints and basic blocks: by hand, and against lists that are searched. */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include "xtrace/analyze/basic_blocks.h"
#include "xtrace/caches/footprint.h"
#include "xtrace/caches/reuse.h"

/* ---- reuse distance ---- */

/* "How many other lines were touched between two touches of a line": a b b c a d c. */
TEST(distances_count_other_lines)
{
	static const uint64_t lines[] = { 10, 20, 20, 30, 10, 40, 30 };
	struct tl_xtrace_reuse r = { 0 };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_true(tl_xtrace_reuse_touch(&r, lines[i]));
	assert_int_equal(r.histogram.touches, 7);
	assert_int_equal(r.histogram.cold, 4);
	assert_int_equal(r.histogram.buckets[0], 1); /* b after b */
	assert_int_equal(r.histogram.buckets[2], 2); /* a: b, c between; c: a, d between */
	assert_int_equal(r.histogram.distances, 4);
	tl_xtrace_reuse_free(&r);
}

/* A stack of lines, the most recent first. */
struct list {
	uint64_t lines[3000];
	size_t count;
};

static size_t depth_of(struct list *list, uint64_t line)
{
	size_t at = 0;

	while (at < list->count && list->lines[at] != line)
		at++;
	if (at == list->count)
		list->count++;
	memmove(list->lines + 1, list->lines, at * sizeof(*list->lines));
	list->lines[0] = line;
	return at;
}

static unsigned bucket_of(size_t distance)
{
	unsigned bucket = 0;

	for (; distance; distance /= 2)
		bucket++;
	return bucket;
}

/*
 * Long enough that times are used up again and again, with more and more lines: what was said of
 * them stays right.
 */
TEST(marks_move_together_unharmed)
{
	struct tl_xtrace_reuse_histogram wanted = { 0 };
	struct tl_xtrace_reuse r = { 0 };
	struct list list = { .count = 0 };
	uint64_t seed = 1;

	for (uint64_t i = 0; i < 60000; i++) {
		uint64_t line, before = list.count;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		line = (seed >> 33) % (i / 25 + 1) * 977;
		size_t depth = depth_of(&list, line);

		if (list.count > before)
			wanted.cold++;
		else
			wanted.buckets[bucket_of(depth)]++;
		assert_true(tl_xtrace_reuse_touch(&r, line));
	}
	wanted.touches = 60000;
	wanted.distances = r.histogram.distances;
	assert_memory_equal(&r.histogram, &wanted, sizeof(wanted));
	tl_xtrace_reuse_free(&r);
}

/* ---- footprint ---- */

static void touch(struct tl_xtrace_footprint *f, enum tl_xtrace_use use, unsigned el,
		  uint64_t address)
{
	assert_true(tl_xtrace_footprint_line(f, use, el, address >> f->line_shift));
}

static void assert_extent(const struct tl_xtrace_footprint_counts *e, uint64_t fetched,
			  uint64_t loaded, uint64_t stored, uint64_t data, uint64_t all)
{
	assert_int_equal(e->fetched, fetched);
	assert_int_equal(e->loaded, loaded);
	assert_int_equal(e->stored, stored);
	assert_int_equal(e->data, data);
	assert_int_equal(e->all, all);
}

/*
 * "Lines and pages fetched, loaded and stored; data is loaded or stored; by exception level and in
 * all."
 */
TEST(lines_and_pages_are_counted_once)
{
	struct tl_xtrace_footprint_counts lines, pages;
	struct tl_xtrace_footprint f;

	tl_xtrace_footprint_begin(&f, 6);
	touch(&f, TL_XTRACE_USE_FETCH, 0, 0x1000);
	touch(&f, TL_XTRACE_USE_FETCH, 0, 0x103f); /* the same line */
	touch(&f, TL_XTRACE_USE_LOAD, 0, 0x1000);
	touch(&f, TL_XTRACE_USE_STORE, 0, 0x1000);
	touch(&f, TL_XTRACE_USE_STORE, 0, 0x2000);
	touch(&f, TL_XTRACE_USE_LOAD, 1, 0x2000);
	touch(&f, TL_XTRACE_USE_LOAD, 1, UINT64_MAX);
	assert_true(tl_xtrace_footprint_sum(&f, 0, 12, &lines, &pages));
	assert_extent(&lines, 1, 1, 2, 2, 2);
	assert_extent(&pages, 1, 1, 2, 2, 2);
	assert_true(tl_xtrace_footprint_sum(&f, 1, 12, &lines, &pages));
	assert_extent(&lines, 0, 2, 0, 2, 2);
	assert_true(tl_xtrace_footprint_sum(&f, TL_XTRACE_EVERY_EL, 13, &lines, &pages));
	assert_extent(&lines, 1, 3, 2, 3, 3);
	assert_extent(&pages, 1, 3, 2, 3, 3); /* of 8 KiB: 0, 1 and the last */
	tl_xtrace_footprint_free(&f);
}

/* ---- basic blocks ---- */

enum { NOP = 0xd503201f, RET = 0xd65f03c0, B_EQ = 0x54000040, SVC = 0xd4000001, MRS = 0xd53bd040 };

static void step(struct tl_xtrace_basic_blocks *b, struct tl_xtrace_block_position *place,
		 uint64_t pc, unsigned el, uint32_t opcode)
{
	assert_true(tl_xtrace_basic_block_step(b, place, pc, el, opcode));
}

static void assert_block(const struct tl_xtrace_basic_block *block, uint64_t address,
			 uint64_t executions, uint64_t instructions, uint32_t length)
{
	assert_int_equal(block->address, address);
	assert_int_equal(block->executions, executions);
	assert_int_equal(block->instructions, instructions);
	assert_int_equal(block->length, length);
}

/* "From where control arrived (behind a branch, taken or not; a change of the exception level; a
 * gap) to the next branch or system call." MRS, a system instruction, goes on behind itself. */
TEST(blocks_begin_where_control_arrives)
{
	struct tl_xtrace_block_position place = { 0 };
	struct tl_xtrace_basic_blocks b = { 0 };

	step(&b, &place, 0x100, 0, MRS);
	step(&b, &place, 0x104, 0, B_EQ); /* not taken */
	step(&b, &place, 0x108, 0, NOP);
	step(&b, &place, 0x200, 0, NOP); /* a gap */
	step(&b, &place, 0x204, 1, SVC); /* another level */
	step(&b, &place, 0x208, 1, RET);
	step(&b, &place, 0x100, 0, NOP); /* ends early */
	assert_true(tl_xtrace_basic_block_leave(&b, &place));
	assert_int_equal(b.numbers.count, 5);
	assert_block(&b.list[0], 0x100, 2, 3, 2);
	assert_block(&b.list[1], 0x108, 1, 1, 1);
	assert_block(&b.list[2], 0x200, 1, 1, 1);
	assert_block(&b.list[3], 0x204, 1, 1, 1);
	assert_block(&b.list[4], 0x208, 1, 1, 1);
	tl_xtrace_basic_blocks_free(&b);
}

/* "A block over the end of an interval counts in both, by its instructions." */
TEST(intervals_divide_blocks)
{
	struct tl_xtrace_block_position place = { 0 };
	struct tl_xtrace_basic_blocks b = { 0 };
	const uint32_t *list;
	size_t count;

	step(&b, &place, 0x100, 0, NOP);
	step(&b, &place, 0x104, 0, NOP);
	assert_true(tl_xtrace_basic_block_count(&b, &place));
	list = tl_xtrace_basic_blocks_interval(&b, &count);
	assert_int_equal(count, 1);
	assert_int_equal(b.list[list[0]].in_interval, 2);
	tl_xtrace_basic_blocks_next_interval(&b);
	step(&b, &place, 0x108, 0, RET);
	list = tl_xtrace_basic_blocks_interval(&b, &count);
	assert_int_equal(count, 1);
	assert_int_equal(b.list[list[0]].in_interval, 1);
	assert_block(&b.list[0], 0x100, 1, 3, 3);
	tl_xtrace_basic_blocks_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_count_other_lines),
		cmocka_unit_test(marks_move_together_unharmed),
		cmocka_unit_test(lines_and_pages_are_counted_once),
		cmocka_unit_test(blocks_begin_where_control_arrives),
		cmocka_unit_test(intervals_divide_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
