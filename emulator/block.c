/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "block.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>

#include "qemu.h"

enum { PAGE = 4096, INSTRUCTION_MAX = 15, CHUNK = 64 << 10 };

static bool decode(ZydisDecodedInstruction *instruction, const void *bytes, size_t size)
{
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return ZYAN_SUCCESS(
		ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, size, instruction));
}

static bool is_indirect(const ZydisDecodedInstruction *instruction)
{
	return !instruction->raw.imm[0].is_relative;
}

static enum block_kind kind_of_branch(const ZydisDecodedInstruction *instruction)
{
	if (instruction->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return BLOCK_FAR;
	switch (instruction->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return BLOCK_CONDITIONAL;
	case ZYDIS_CATEGORY_CALL:
		return is_indirect(instruction) ? BLOCK_INDIRECT_CALL : BLOCK_CALL;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return is_indirect(instruction) ? BLOCK_INDIRECT_JUMP : BLOCK_JUMP;
	case ZYDIS_CATEGORY_RET:
		return BLOCK_RETURN;
	default:
		return BLOCK_PLAIN;
	}
}

static bool is_repeated(const ZydisDecodedInstruction *instruction)
{
	return instruction->attributes &
	       (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

static enum block_kind kind_of(const ZydisDecodedInstruction *instruction)
{
	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_INT3:
		return BLOCK_SYSCALL;
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
		return BLOCK_FAR;
	case ZYDIS_MNEMONIC_XBEGIN: /* no branch where there are no transactions */
		return BLOCK_PLAIN;
	default:
		return is_repeated(instruction) ? BLOCK_REPEATED : kind_of_branch(instruction);
	}
}

static bool is_atomic(const ZydisDecodedInstruction *instruction)
{
	return instruction->attributes & ZYDIS_ATTRIB_HAS_LOCK ||
	       instruction->mnemonic == ZYDIS_MNEMONIC_XCHG;
}

static void set_targets(struct block *block, const ZydisDecodedInstruction *instruction)
{
	switch (block->kind) {
	case BLOCK_CONDITIONAL:
	case BLOCK_CALL:
	case BLOCK_JUMP:
		block->target = block->next + (uint64_t)instruction->raw.imm[0].value.s;
		break;
	case BLOCK_PLAIN:
	case BLOCK_REPEATED:
		block->target = block->next;
		break;
	default:
		block->target = BLOCK_NOWHERE;
	}
	block->conditional = block->kind == BLOCK_CONDITIONAL;
	/* A call of the next instruction is how code learns where it is: no return comes. */
	block->pushes = block->kind == BLOCK_INDIRECT_CALL ||
			(block->kind == BLOCK_CALL && block->target != block->next);
}

/*
 * QEMU 7.2 lists an instruction that crosses the end of the page, as far as it was read, but
 * leaves it to the next block.
 */
static bool is_cut(const struct qemu_plugin_insn *instruction)
{
	uint64_t left = PAGE - (qemu_plugin_insn_vaddr(instruction) & (PAGE - 1));
	ZydisDecodedInstruction decoded;

	if (left >= INSTRUCTION_MAX)
		return false;
	return !decode(&decoded, qemu_plugin_insn_haddr(instruction), left);
}

static void classify(struct block *block, const struct qemu_plugin_insn *instruction)
{
	ZydisDecodedInstruction decoded = { .length = 0 };

	block->last = qemu_plugin_insn_vaddr(instruction);
	block->next = block->last + qemu_plugin_insn_size(instruction);
	block->kind = BLOCK_PLAIN;
	if (decode(&decoded, qemu_plugin_insn_data(instruction),
		   qemu_plugin_insn_size(instruction)))
		block->kind = (uint8_t)kind_of(&decoded);
	set_targets(block, &decoded);
	block->single = block->count == 1 && is_atomic(&decoded);
}

/*
 * Memory for ever, from chunks: lines of a cache from the front, bytes from the back. QEMU
 * translates one block at a time. NULL: no memory.
 */
static void *take(size_t size, bool is_line)
{
	static uint8_t *chunk;
	static size_t front, back;

	if (back - front < size) {
		chunk = aligned_alloc(BLOCK_LINE, CHUNK);
		front = 0;
		back = chunk ? CHUNK : 0;
	}
	if (back < size)
		return NULL;
	if (!is_line)
		return chunk + (back -= size);
	front += size;
	return chunk + front - size;
}

static struct block *block_new(size_t count)
{
	uint8_t *sizes = take(count, false);
	struct block *block = sizes ? take(sizeof(*block), true) : NULL;

	if (block)
		*block = (struct block){ .count = (uint32_t)count, .sizes = sizes };
	return block;
}

struct block *block_make(const struct qemu_plugin_tb *translated)
{
	size_t count = qemu_plugin_tb_n_insns(translated);
	struct block *block;
	uint8_t *sizes;

	if (count > 1 && is_cut(qemu_plugin_tb_get_insn(translated, count - 1)))
		count--;
	block = count ? block_new(count) : NULL;
	if (!block)
		return NULL;
	sizes = block->sizes;
	for (size_t i = 0; i < count; i++)
		sizes[i] = (uint8_t)qemu_plugin_insn_size(qemu_plugin_tb_get_insn(translated, i));
	block->ip = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(translated, 0));
	classify(block, qemu_plugin_tb_get_insn(translated, count - 1));
	return block;
}

uint32_t block_find(const struct block *block, uint64_t ip)
{
	uint64_t at = block->ip;
	uint32_t number = 0;

	while (number < block->count && at != ip)
		at += block->sizes[number++];
	return number;
}
