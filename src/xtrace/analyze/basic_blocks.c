/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/analyze/basic_blocks.h"

#include "core/arithmetic.h"

bool tl_xtrace_basic_block_count(struct tl_xtrace_basic_blocks *blocks,
				 struct tl_xtrace_block_position *place)
{
	struct tl_xtrace_basic_block *block;

	if (!place->block || place->length == place->counted)
		return true;
	block = &blocks->list[place->block - 1];
	if (!block->in_interval) {
		if (!tl_grow(&blocks->touched, &blocks->touched_room, blocks->touched_count + 1,
			     sizeof(*blocks->touched)))
			return false;
		blocks->touched[blocks->touched_count++] = place->block - 1;
	}
	block->in_interval += place->length - place->counted;
	place->counted = place->length;
	return true;
}

bool tl_xtrace_basic_block_leave(struct tl_xtrace_basic_blocks *blocks,
				 struct tl_xtrace_block_position *place)
{
	struct tl_xtrace_basic_block *block;

	if (!place->block)
		return true;
	if (!tl_xtrace_basic_block_count(blocks, place))
		return false;
	block = &blocks->list[place->block - 1];
	block->executions++;
	block->instructions += place->length;
	if (place->length > block->length)
		block->length = place->length;
	place->block = 0;
	return true;
}

bool tl_xtrace_basic_block_enter(struct tl_xtrace_basic_blocks *blocks,
				 struct tl_xtrace_block_position *place, uint64_t pc, unsigned el)
{
	uint32_t before = blocks->numbers.count, number;

	if (!tl_grow(&blocks->list, &blocks->room, (size_t)before + 1, sizeof(*blocks->list)))
		return false;
	/* Instructions are aligned to 4: there is room for the exception level. */
	number = tl_xtrace_address_id_add(&blocks->numbers, (pc & ~UINT64_C(3)) | el);
	if (number == TL_NONE)
		return false;
	if (number == before)
		blocks->list[number] = (struct tl_xtrace_basic_block){ .address = pc, .el = el };
	*place = (struct tl_xtrace_block_position){ .block = number + 1, .el = el };
	return true;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return tl_compare(x, y);
}

const uint32_t *tl_xtrace_basic_blocks_interval(struct tl_xtrace_basic_blocks *blocks,
						size_t *count)
{
	*count = blocks->touched_count;
	if (*count)
		qsort(blocks->touched, *count, sizeof(*blocks->touched), by_number);
	return blocks->touched;
}

void tl_xtrace_basic_blocks_next_interval(struct tl_xtrace_basic_blocks *blocks)
{
	for (size_t i = 0; i < blocks->touched_count; i++)
		blocks->list[blocks->touched[i]].in_interval = 0;
	blocks->touched_count = 0;
}

void tl_xtrace_basic_blocks_free(struct tl_xtrace_basic_blocks *blocks)
{
	tl_xtrace_address_ids_free(&blocks->numbers);
	free(blocks->list);
	free(blocks->touched);
	*blocks = (struct tl_xtrace_basic_blocks){ 0 };
}
