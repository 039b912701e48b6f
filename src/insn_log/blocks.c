/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of QEMU. One address can have several translations at a time, of different length (a block
 * of a single instruction, where several processors must stand still): the first execution of a
 * translation comes right behind its text, so that a text that
 * was not executed yet is of the translation that is executed next at its address.
 */
#include "insn_log/reading.h"

bool tl_insn_log_block_begin(struct tl_insn_log_blocks *b, uint64_t pc)
{
	if (b->count >= TL_NONE || !tl_grow(&b->list, &b->capacity, b->count + 1, sizeof(*b->list)))
		return false;
	b->list[b->count++] = (struct tl_insn_log_block){ b->code_count, 0, pc };
	return true;
}

bool tl_insn_log_block_add(struct tl_insn_log_blocks *b, uint32_t opcode)
{
	if (!tl_grow(&b->code, &b->code_capacity, b->code_count + 1, sizeof(*b->code)))
		return false;
	b->code[b->code_count++] = opcode;
	b->list[b->count - 1].count++;
	return true;
}

static bool same_place(const void *context, const void *key, uint32_t number)
{
	const struct tl_insn_log_blocks *b = context;
	const struct tl_insn_log_place *sought = key, *place = &b->places[number];

	return place->host == sought->host && place->pc == sought->pc;
}

/* The place of a translation, added if new; NULL without memory. */
static struct tl_insn_log_place *find_place(struct tl_insn_log_blocks *b, uint64_t host,
					    uint64_t pc)
{
	const struct tl_insn_log_place made = { .host = host, .pc = pc, .block = TL_NONE };
	const uint64_t hash = tl_hash_pair(host, pc);
	uint32_t number = tl_index_find(&b->by_place, hash, same_place, b, &made);

	if (number != TL_NONE)
		return &b->places[number];
	number = (uint32_t)b->place_count;
	if (number == TL_NONE ||
	    !tl_grow(&b->places, &b->place_capacity, b->place_count + 1, sizeof(*b->places)) ||
	    !tl_index_add(&b->by_place, hash, number))
		return NULL;
	b->places[b->place_count++] = made;
	return &b->places[number];
}

bool tl_insn_log_block_known(struct tl_insn_log_blocks *b)
{
	const uint32_t number = (uint32_t)b->count - 1;
	struct tl_insn_log_place *place = find_place(b, 0, b->list[number].pc);

	if (!place)
		return false;
	place->block = number;
	place->is_new = true;
	return true;
}

bool tl_insn_log_block_find(struct tl_insn_log_blocks *b, uint64_t host, uint64_t pc,
			    uint32_t *block)
{
	struct tl_insn_log_place *last, *place;

	/* Adding a place may move the others: the second is sought behind it. */
	if (!find_place(b, 0, pc) || !find_place(b, host, pc))
		return false;
	last = find_place(b, 0, pc);
	place = find_place(b, host, pc);
	if (last->is_new || place->block == TL_NONE)
		place->block = last->block;
	last->is_new = false;
	*block = place->block;
	return true;
}

void tl_insn_log_blocks_end(struct tl_insn_log_blocks *b)
{
	free(b->list);
	free(b->code);
	free(b->places);
	tl_index_free(&b->by_place);
}
