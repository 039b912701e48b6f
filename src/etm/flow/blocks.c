/* SPDX-License-Identifier: Apache-2.0 */
#include "etm/flow/blocks.h"

#include <string.h>

#include "core/cursor.h"
#include "isa/a64/a64.h"

enum { INSN_BYTES = 4, MOST_INSNS = 1 << 16 };

void tl_etm_blocks_begin(struct tl_etm_blocks *blocks, tl_etm_code_fn *code, void *arg,
			 bool waits_count, bool is_ete)
{
	memset(blocks, 0, sizeof(*blocks));
	blocks->code = code;
	blocks->arg = arg;
	blocks->waits_count = waits_count;
	blocks->is_ete = is_ete;
}

/* ISB with any domain. */
static bool is_isb(uint32_t opcode)
{
	return (opcode & 0xfffff0ff) == 0xd50330df;
}

/* WFE, WFI, WFET and WFIT. */
static bool is_wait(uint32_t opcode)
{
	return (opcode & 0xffffffdf) == 0xd503205f || (opcode & 0xffffffc0) == 0xd5031000;
}

static bool is_transaction_start(uint32_t opcode)
{
	return (opcode & 0xffffffe0) == 0xd5233060;
}

static bool is_barrier(const struct tl_etm_blocks *blocks, uint32_t opcode)
{
	return is_isb(opcode) || (blocks->waits_count && is_wait(opcode)) ||
	       (blocks->is_ete && is_transaction_start(opcode));
}

/* Whether an instruction ends its block, and how. */
static bool ends(const struct tl_etm_blocks *blocks, struct tl_etm_block *block, uint64_t address,
		 uint32_t opcode)
{
	const struct tl_a64 insn = tl_a64_classify(opcode);

	block->is_call = tl_a64_is_call(&insn);
	switch (insn.flow) {
	case TL_A64_JUMP:
	case TL_A64_CALL:
	case TL_A64_CONDITIONAL:
		block->end = TL_ETM_END_DIRECT;
		block->target = address + (uint64_t)(int64_t)insn.offset;
		return true;
	case TL_A64_JUMP_REGISTER:
	case TL_A64_CALL_REGISTER:
	case TL_A64_RETURN:
	case TL_A64_EXCEPTION_RETURN:
		block->end = TL_ETM_END_INDIRECT;
		return true;
	default:
		block->end = TL_ETM_END_BARRIER;
		return is_barrier(blocks, opcode);
	}
}

/* Code without such an instruction ends where it ends, or at the most that is looked at. */
static void make_block(const struct tl_etm_blocks *blocks, struct tl_etm_block *block,
		       uint64_t address)
{
	size_t size = 0;

	*block = (struct tl_etm_block){ .address = address };
	block->code = blocks->code(blocks->arg, address, &size);
	if (!block->code)
		return;
	for (; size >= INSN_BYTES && block->count < MOST_INSNS; size -= INSN_BYTES) {
		const size_t at = INSN_BYTES * (size_t)block->count++;

		if (ends(blocks, block, address + at, tl_le32(block->code + at)))
			return;
	}
	block->end = TL_ETM_END_NOWHERE;
	block->is_call = false;
}

const struct tl_etm_block *tl_etm_block_at(struct tl_etm_blocks *blocks, uint64_t address)
{
	struct tl_etm_block *slot =
		&blocks->slots[(uint32_t)(address >> 2) * 0x9e3779b1u >> (32 - TL_ETM_BLOCK_BITS)];

	if (!slot->count || slot->address != address)
		make_block(blocks, slot, address);
	return slot;
}
