/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of a trace (flow/blocks.h): "equal paths are equal lists", however decoders have cut them.
 * A path is made once, and given in pieces of every kind.
 */
#include "../unit.h"

#include <stdlib.h>
#include <string.h>

#include "flow/blocks.h"

/* ---- code ---- */

enum { BLOCKS = 24, LONGEST = 9, STEPS = 600, SALT = 5 };

/*
 * Block b has b % LONGEST + 1 instructions of 1 to 4 bytes at 0x1000 * b, of which the last one is
 * the only branch.
 */
static size_t count_of(unsigned block)
{
	return block % LONGEST + 1;
}

static uint64_t size_of(unsigned block, size_t number)
{
	return 1 + (block * 7 + number * 3) % 4;
}

static enum tl_flow_end end_of(unsigned block)
{
	static const enum tl_flow_end ends[] = { TL_FLOW_BRANCH, TL_FLOW_CALL, TL_FLOW_RETURN };

	return ends[block % 3];
}

static uint64_t address_of(unsigned block, size_t number)
{
	uint64_t address = 0x1000 * (uint64_t)block;

	for (size_t i = 0; i < number; i++)
		address += size_of(block, i);
	return address;
}

/* The instructions from `first` to in front of `last` of a block, as a block of their own. */
static uint32_t add_part(struct tl_flow_blocks *blocks, unsigned block, size_t first, size_t last,
			 uint64_t base)
{
	struct tl_flow_insn insns[LONGEST];
	const struct tl_flow_place place = { .object = "/bin/prog",
					     .offset = address_of(block, first),
					     .function = "f",
					     .into = address_of(block, first) };
	uint32_t number;

	for (size_t i = first; i < last; i++)
		insns[i - first] = (struct tl_flow_insn){ base + address_of(block, i),
							  size_of(block, i), block * 100 + i };
	number = tl_flow_block_add(blocks, insns, last - first,
				   last == count_of(block) ? end_of(block) : TL_FLOW_CUT, &place);
	assert_true(number != TL_NONE);
	return number;
}

static void put(struct tl_flow_blocks *blocks, struct tl_flow_list *list, uint32_t number)
{
	assert_true(tl_flow_list_room(list, 1));
	tl_flow_put(blocks, list, tl_flow_known(blocks, number));
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % below;
}

/* ---- single blocks ---- */

TEST(a_block_is_added_once)
{
	struct tl_flow_blocks blocks;
	uint32_t numbers[BLOCKS];

	tl_flow_blocks_begin(&blocks, SALT);
	for (unsigned b = 0; b < BLOCKS; b++)
		numbers[b] = add_part(&blocks, b, 0, count_of(b), 0);
	assert_int_equal(blocks.count, BLOCKS);
	for (unsigned b = 0; b < BLOCKS; b++) {
		const struct tl_flow_block *block = &blocks.list[numbers[b]];

		assert_int_equal(add_part(&blocks, b, 0, count_of(b), 0), numbers[b]);
		assert_int_equal(block->count, count_of(b));
		assert_int_equal(block->ends, end_of(b));
		assert_int_equal(block->address, address_of(b, 0));
		assert_int_equal(block->end, address_of(b, count_of(b)));
		for (size_t i = 0; i < count_of(b); i++)
			assert_int_equal(block->starts[i], address_of(b, i) - address_of(b, 0));
		assert_string_equal(block->place.object, "/bin/prog");
		assert_true(block->hash == tl_flow_identity(block));
	}
	assert_int_equal(blocks.count, BLOCKS);
	tl_flow_blocks_free(&blocks);
}

/* What makes a block another one: its place, its code, its length; not where it was mapped. */
TEST(the_identity_of_a_block)
{
	static const struct {
		const char *object;
		uint64_t offset, address, code;
		size_t count;
		bool same;
	} cases[] = {
		{ "/bin/prog", 0x100, 0x400100, 7, 2, true },
		{ "/bin/prog", 0x100, 0x7f0000000100, 7, 2, true },
		{ "/opt/prog", 0x100, 0x400100, 7, 2, true }, /* in whatever folder */
		{ "/bin/other", 0x100, 0x400100, 7, 2, false },
		{ "/bin/prog", 0x101, 0x400100, 7, 2, false },
		{ "/bin/prog", 0x100, 0x400100, 8, 2, false },
		{ "/bin/prog", 0x100, 0x400100, 7, 1, false },
		{ "/bin/prog", 0x100, 0x400100, 7, 3, false },
		{ "", 0x400100, 0x400100, 7, 2, false },
	};
	uint64_t first = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_flow_blocks blocks;
		const struct tl_flow_place place = { .object = cases[i].object,
						     .offset = cases[i].offset,
						     .function = "" };
		struct tl_flow_insn insns[3];
		uint64_t hash;
		uint32_t number;

		for (size_t j = 0; j < 3; j++)
			insns[j] = (struct tl_flow_insn){ cases[i].address + 4 * j, 4,
							  cases[i].code + j };
		tl_flow_blocks_begin(&blocks, SALT);
		number = tl_flow_block_add(&blocks, insns, cases[i].count, TL_FLOW_BRANCH, &place);
		hash = blocks.list[number].hash;
		if (!i)
			first = hash;
		assert_int_equal(hash == first, cases[i].same);
		tl_flow_blocks_free(&blocks);
	}
}

/* "Code of no known file has the offset in its page as its place" */
TEST(code_of_no_file)
{
	static const struct {
		uint64_t address;
		bool same;
	} cases[] = { { 0x7f0000001230, true },
		      { 0x7f5555555230, true },
		      { 0x230, true },
		      { 0x7f0000001234, false } };
	uint64_t first = 0;

	for (size_t i = 0; i < 4; i++) {
		const struct tl_flow_insn insn = { cases[i].address, 2, 9 };
		const struct tl_flow_place place = { .object = "",
						     .offset = cases[i].address,
						     .function = "" };
		struct tl_flow_blocks blocks;
		uint64_t hash;
		uint32_t number;

		tl_flow_blocks_begin(&blocks, SALT);
		number = tl_flow_block_add(&blocks, &insn, 1, TL_FLOW_CALL, &place);
		hash = blocks.list[number].hash;
		if (!i)
			first = hash;
		assert_int_equal(hash == first, cases[i].same);
		tl_flow_blocks_free(&blocks);
	}
}

/* ---- paths ---- */

static unsigned path[STEPS];

static void make_path(uint32_t seed)
{
	for (size_t i = 0; i < STEPS; i++)
		path[i] = draw(&seed, BLOCKS);
}

/* The path in whole blocks. */
static void put_whole(struct tl_flow_blocks *blocks, struct tl_flow_list *list)
{
	tl_flow_blocks_begin(blocks, SALT);
	for (size_t i = 0; i < STEPS; i++)
		put(blocks, list, add_part(blocks, path[i], 0, count_of(path[i]), 0));
	assert_true(tl_flow_list_room(list, 1));
	tl_flow_put_end(blocks, list);
}

/* The same, each block cut at random, once in `often` times at each place. */
static void put_pieces(struct tl_flow_blocks *blocks, struct tl_flow_list *list, uint32_t seed,
		       uint32_t often, uint64_t base)
{
	tl_flow_blocks_begin(blocks, SALT + 1);
	for (size_t i = 0; i < STEPS; i++) {
		size_t first = 0;

		for (size_t last = 1; last < count_of(path[i]); last++) {
			if (draw(&seed, often))
				continue;
			put(blocks, list, add_part(blocks, path[i], first, last, base));
			first = last;
		}
		put(blocks, list, add_part(blocks, path[i], first, count_of(path[i]), base));
	}
	assert_true(tl_flow_list_room(list, 1));
	tl_flow_put_end(blocks, list);
}

static void are_equal(const struct tl_flow_blocks *one, const struct tl_flow_list *list,
		      const struct tl_flow_blocks *other, const struct tl_flow_list *others,
		      uint64_t base)
{
	assert_int_equal(list->count, others->count);
	for (size_t i = 0; i < list->count; i++) {
		const struct tl_flow_block *a = &one->list[list->numbers[i]],
					   *b = &other->list[others->numbers[i]];

		assert_true(a->hash == b->hash && a->code == b->code);
		assert_int_equal(a->count, b->count);
		assert_int_equal(a->ends, b->ends);
		assert_true(a->address + base == b->address && a->end + base == b->end);
		for (size_t j = 0; j < a->count; j++)
			assert_int_equal(a->starts[j], b->starts[j]);
		assert_true(a->place.offset == b->place.offset && a->place.into == b->place.into);
	}
}

TEST(equal_paths_are_equal_lists)
{
	static const uint64_t bases[] = { 0, 0x7f0000000000 };

	for (uint32_t often = 1; often <= 6; often++)
		for (size_t b = 0; b < 2; b++) {
			struct tl_flow_list whole = { .count = 0 }, pieces = { .count = 0 };
			struct tl_flow_blocks of_whole, of_pieces;

			make_path(often);
			put_whole(&of_whole, &whole);
			put_pieces(&of_pieces, &pieces, often + 10, often, bases[b]);
			assert_int_equal(whole.count, STEPS);
			are_equal(&of_whole, &whole, &of_pieces, &pieces, bases[b]);
			tl_flow_list_free(&whole);
			tl_flow_list_free(&pieces);
			tl_flow_blocks_free(&of_whole);
			tl_flow_blocks_free(&of_pieces);
		}
}

/* ---- what is not joined ---- */

/* A piece whose rest is not what comes next is a block: the trace went elsewhere. */
TEST(pieces_of_two_blocks_stay_apart)
{
	struct tl_flow_list list = { .count = 0 };
	struct tl_flow_blocks blocks;

	tl_flow_blocks_begin(&blocks, SALT);
	/* blocks 5 and 14 have six instructions, a block of 5 + LONGEST */
	put(&blocks, &list, add_part(&blocks, 5, 0, 2, 0));
	assert_int_equal(list.count, 0);
	put(&blocks, &list, add_part(&blocks, 14, 0, 2, 0));
	assert_int_equal(list.count, 1);
	put(&blocks, &list, add_part(&blocks, 14, 2, 6, 0));
	assert_int_equal(list.count, 2);
	assert_int_equal(blocks.list[list.numbers[0]].count, 2);
	assert_int_equal(blocks.list[list.numbers[0]].ends, TL_FLOW_CUT);
	assert_int_equal(blocks.list[list.numbers[1]].count, 6);
	/* a rest that leaves out an instruction */
	put(&blocks, &list, add_part(&blocks, 5, 0, 2, 0));
	put(&blocks, &list, add_part(&blocks, 5, 3, 6, 0));
	assert_int_equal(list.count, 4);
	assert_int_equal(blocks.list[list.numbers[2]].count, 2);
	assert_int_equal(blocks.list[list.numbers[3]].count, 3);
	tl_flow_list_free(&list);
	tl_flow_blocks_free(&blocks);
}

/* The end and a gap end what is pending; gaps of two traces are never equal. */
TEST(ends_and_gaps)
{
	struct tl_flow_list list = { .count = 0 };
	struct tl_flow_blocks blocks, other;
	uint64_t gap;

	tl_flow_blocks_begin(&blocks, SALT);
	put(&blocks, &list, add_part(&blocks, 5, 0, 2, 0));
	assert_true(tl_flow_list_room(&list, 1));
	tl_flow_put_gap(&blocks, &list);
	assert_int_equal(list.count, 2);
	assert_int_equal(blocks.list[list.numbers[0]].count, 2);
	assert_int_equal(blocks.list[list.numbers[1]].count, 0);
	gap = blocks.list[list.numbers[1]].hash;
	/* the rest behind the gap belongs to nothing */
	put(&blocks, &list, add_part(&blocks, 5, 2, 6, 0));
	assert_int_equal(list.count, 3);
	put(&blocks, &list, add_part(&blocks, 5, 0, 1, 0));
	assert_true(tl_flow_list_room(&list, 1));
	tl_flow_put_end(&blocks, &list);
	assert_int_equal(list.count, 4);
	assert_int_equal(blocks.list[list.numbers[3]].count, 1);
	assert_true(tl_flow_list_room(&list, 1));
	tl_flow_put_end(&blocks, &list);
	assert_int_equal(list.count, 4);
	tl_flow_list_free(&list);
	list = (struct tl_flow_list){ .count = 0 };
	tl_flow_blocks_begin(&other, SALT + 1);
	assert_true(tl_flow_list_room(&list, 1));
	tl_flow_put_gap(&other, &list);
	assert_true(other.list[list.numbers[0]].hash != gap);
	tl_flow_list_free(&list);
	tl_flow_blocks_free(&blocks);
	tl_flow_blocks_free(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_is_added_once),
		cmocka_unit_test(the_identity_of_a_block),
		cmocka_unit_test(code_of_no_file),
		cmocka_unit_test(equal_paths_are_equal_lists),
		cmocka_unit_test(pieces_of_two_blocks_stay_apart),
		cmocka_unit_test(ends_and_gaps),
	};

	return cmocka_run_group_tests_name("flow blocks", tests, NULL, NULL);
}
