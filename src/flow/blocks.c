/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a trace, and their pieces joined. */
#include "flow/blocks.h"

#include <string.h>

#include "core/error.h"
#include "core/file.h"

enum { PAGE_BYTES = 4096 };

/* Hashes of code are polynomials, so that those of two pieces give that of both. */
#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

struct tl_flow_joint {
	uint32_t first, second, whole;
};

void tl_flow_blocks_begin(struct tl_flow_blocks *blocks, uint64_t salt)
{
	*blocks = (struct tl_flow_blocks){ .pending = TL_NONE, .gap = TL_NONE, .salt = salt };
}

void tl_flow_blocks_free(struct tl_flow_blocks *blocks)
{
	free(blocks->list);
	tl_index_free(&blocks->index);
	tl_arena_free(&blocks->arena);
	tl_names_free(&blocks->names);
	tl_index_free(&blocks->joints);
	free(blocks->joint_list);
}

/* ---- identities ---- */

static uint64_t power(uint32_t count)
{
	uint64_t result = 1;

	for (uint64_t base = FACTOR; count; count >>= 1, base *= base)
		if (count & 1)
			result *= base;
	return result;
}

uint64_t tl_flow_identity(const struct tl_flow_block *block)
{
	const char *object = tl_file_base_name(block->place.object);
	const uint64_t where =
		*object ? tl_hash_pair(tl_hash_bytes(object, strlen(object)), block->place.offset)
			: block->address % PAGE_BYTES;

	return tl_hash_pair(tl_hash_pair(where, block->count), block->code);
}

/* ---- the table ---- */

struct key {
	uint64_t address, code;
	uint32_t count;
	uint8_t ends;
};

static bool same_block(const void *context, const void *key, uint32_t number)
{
	const struct tl_flow_block *block = &((const struct tl_flow_blocks *)context)->list[number];
	const struct key *k = key;

	return block->address == k->address && block->code == k->code && block->count == k->count &&
	       block->ends == k->ends;
}

static uint64_t hash_of(const struct key *key)
{
	return tl_hash_pair(tl_hash_pair(key->address, key->code), key->count);
}

static uint32_t out_of_memory(struct tl_flow_blocks *blocks)
{
	blocks->no_memory = true;
	return TL_NONE;
}

/* Add a block that has its starts already; they are in the arena. */
static uint32_t add(struct tl_flow_blocks *blocks, const struct tl_flow_block *block, uint64_t hash)
{
	if (blocks->count >= TL_FLOW_PIECE - 1 ||
	    !tl_grow(&blocks->list, &blocks->capacity, blocks->count + 1, sizeof(*blocks->list)) ||
	    !tl_index_add(&blocks->index, hash, (uint32_t)blocks->count))
		return out_of_memory(blocks);
	blocks->list[blocks->count] = *block;
	blocks->list[blocks->count].hash = tl_flow_identity(block);
	return (uint32_t)blocks->count++;
}

uint32_t tl_flow_block_add(struct tl_flow_blocks *blocks, const struct tl_flow_insn *insns,
			   size_t count, enum tl_flow_end ends, const struct tl_flow_place *place)
{
	struct key key = { .address = insns[0].address,
			   .count = (uint32_t)count,
			   .ends = (uint8_t)ends };
	struct tl_flow_block block;
	uint32_t found, *starts;

	for (size_t i = 0; i < count; i++)
		key.code = key.code * FACTOR + tl_hash64(insns[i].code + insns[i].size);
	found = tl_index_find(&blocks->index, hash_of(&key), same_block, blocks, &key);
	if (found != TL_NONE)
		return found;
	starts = tl_arena_alloc(&blocks->arena, count * sizeof(*starts));
	if (!starts)
		return out_of_memory(blocks);
	for (size_t i = 0; i < count; i++)
		starts[i] = (uint32_t)(insns[i].address - key.address);
	block = (struct tl_flow_block){
		.code = key.code,
		.address = key.address,
		.end = insns[count - 1].address + insns[count - 1].size,
		.starts = starts,
		.count = key.count,
		.ends = key.ends,
		.place = *place,
	};
	return add(blocks, &block, hash_of(&key));
}

/* ---- joining ---- */

static bool same_joint(const void *context, const void *key, uint32_t number)
{
	const struct tl_flow_joint *joint =
		&((const struct tl_flow_blocks *)context)->joint_list[number];
	const struct tl_flow_joint *wanted = key;

	return joint->first == wanted->first && joint->second == wanted->second;
}

static uint32_t whole_of(struct tl_flow_blocks *blocks, const struct tl_flow_block *a,
			 const struct tl_flow_block *b)
{
	struct tl_flow_block block = *a;
	struct key key;
	uint32_t found, *starts;

	block.code = a->code * power(b->count) + b->code;
	block.count = a->count + b->count;
	block.end = b->end;
	block.ends = b->ends;
	key = (struct key){ block.address, block.code, block.count, block.ends };
	found = tl_index_find(&blocks->index, hash_of(&key), same_block, blocks, &key);
	if (found != TL_NONE)
		return found;
	starts = tl_arena_alloc(&blocks->arena, block.count * sizeof(*starts));
	if (!starts)
		return out_of_memory(blocks);
	memcpy(starts, a->starts, a->count * sizeof(*starts));
	for (uint32_t i = 0; i < b->count; i++)
		starts[a->count + i] = (uint32_t)(b->address - a->address) + b->starts[i];
	block.starts = starts;
	return add(blocks, &block, hash_of(&key));
}

/* The block of two pieces, the second one behind the first. TL_NONE without memory. */
static uint32_t join(struct tl_flow_blocks *blocks, uint32_t first, uint32_t second)
{
	struct tl_flow_joint joint = { first, second, TL_NONE };
	const uint64_t hash = tl_hash_pair(first, second);
	const uint32_t found = tl_index_find(&blocks->joints, hash, same_joint, blocks, &joint);

	if (found != TL_NONE)
		return blocks->joint_list[found].whole;
	joint.whole = whole_of(blocks, &blocks->list[first], &blocks->list[second]);
	if (joint.whole == TL_NONE)
		return TL_NONE;
	if (!tl_grow(&blocks->joint_list, &blocks->joint_capacity, blocks->joint_count + 1,
		     sizeof(joint)) ||
	    !tl_index_add(&blocks->joints, hash, (uint32_t)blocks->joint_count))
		return out_of_memory(blocks);
	blocks->joint_list[blocks->joint_count++] = joint;
	return joint.whole;
}

/* ---- lists ---- */

bool tl_flow_list_room(struct tl_flow_list *list, size_t more)
{
	/* Of the pieces, each may end a pending one; and the last of all. */
	const size_t want = list->count + 2 * more + 2;

	return tl_grow(&list->numbers, &list->number_room, want, sizeof(*list->numbers));
}

bool tl_flow_list_mark(struct tl_flow_list *list, uint64_t offset)
{
	if (!tl_grow(&list->marks, &list->mark_room, list->mark_count + 1, sizeof(*list->marks)))
		return false;
	list->marks[list->mark_count++] = (struct tl_flow_mark){ list->count, offset };
	return true;
}

void tl_flow_list_free(struct tl_flow_list *list)
{
	free(list->numbers);
	free(list->marks);
	*list = (struct tl_flow_list){ 0 };
}

void tl_flow_put_end(struct tl_flow_blocks *blocks, struct tl_flow_list *list)
{
	if (blocks->pending != TL_NONE)
		list->numbers[list->count++] = blocks->pending;
	blocks->pending = TL_NONE;
}

void tl_flow_put_piece(struct tl_flow_blocks *blocks, struct tl_flow_list *list, uint32_t number)
{
	if (blocks->pending != TL_NONE &&
	    blocks->list[blocks->pending].end == blocks->list[number].address) {
		number = join(blocks, blocks->pending, number);
		blocks->pending = TL_NONE;
		if (number == TL_NONE)
			return;
	}
	tl_flow_put_end(blocks, list);
	if (blocks->list[number].ends == TL_FLOW_CUT)
		blocks->pending = number;
	else
		list->numbers[list->count++] = number;
}

void tl_flow_put_gap(struct tl_flow_blocks *blocks, struct tl_flow_list *list)
{
	tl_flow_put_end(blocks, list);
	if (blocks->gap == TL_NONE) {
		const struct tl_flow_block block = { .code = blocks->salt,
						     .place = { .object = "", .function = "" } };

		blocks->gap = add(blocks, &block, blocks->salt);
	}
	if (blocks->gap == TL_NONE)
		return;
	/* Gaps that follow each other are one. */
	if (!list->count || list->numbers[list->count - 1] != blocks->gap)
		list->numbers[list->count++] = blocks->gap;
}
