/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks that switch to another stack: the last change they make to the stack pointer is to set it.
 */
#include "intel_pt/blocks/decoder.h"
#include "intel_pt/profile/stack_moves.h"
#include "isa/x86/x86_stack.h"

enum { INSNS_AT_ONCE = 64, BEFORE = 1024, CHUNK = 256, LONGEST = 8, SHORT = 256 };

/* Registers that calls preserve: rbx, r12 to r15. */
static bool is_kept_over_calls(unsigned reg)
{
	return reg == 3 || reg >= 12;
}

/* Whether code before an address copies the stack pointer to the register. */
static bool is_saved_before(struct tl_pt_reader *reader, uint64_t ip, uint8_t reg)
{
	uint8_t code[CHUNK + 2];

	for (uint64_t back = CHUNK; back <= BEFORE && back <= ip; back += CHUNK) {
		size_t size = tl_pt_reader_bytes(reader, ip - back, code, sizeof(code));

		if (tl_x86_saves_stack(code, size, reg))
			return true;
	}
	return false;
}

struct sp_search {
	struct tl_pt_reader *reader;
	unsigned saved; /* registers that hold the stack pointer, a bit each */
	bool moved;
};

static void follow(struct sp_search *s, const struct tl_pt_node_insn *insn)
{
	uint8_t code[LONGEST];
	struct tl_x86_stack stack;

	/*
	 * The longest of these forms, MOV and XCHG with a SIB byte and a displacement of four
	 * bytes, has eight.
	 */
	if (insn->size > LONGEST ||
	    tl_pt_reader_bytes(s->reader, insn->ip, code, insn->size) != insn->size)
		return;
	stack = tl_x86_stack(code, insn->size, s->reader->mode == TL_PT_MODE_64);
	switch (stack.kind) {
	case TL_X86_STACK_KEPT:
		break;
	case TL_X86_STACK_SAVED:
		s->saved |= 1u << stack.reg;
		break;
	case TL_X86_STACK_FRAME:
		s->moved = false;
		break;
	case TL_X86_STACK_MEMORY:
		s->moved = true;
		break;
	case TL_X86_STACK_REGISTER:
		s->moved = !(s->saved >> stack.reg & 1) &&
			   !(is_kept_over_calls(stack.reg) &&
			     is_saved_before(s->reader, insn->ip, stack.reg));
	}
}

/*
 * Fast path: most blocks hold no byte of an XCHG, MOV or POP that can set the stack pointer
 * (x86_stack.h), so they need not be decoded. It equals decoding the block and finding none. False:
 * there are such bytes, or the block is not contiguous, or not 64-bit code.
 */
static bool cannot_move(struct tl_pt_reader *reader, const struct tl_pt_block *block)
{
	uint64_t span = block->end_ip + block->size - block->ip;
	uint8_t code[SHORT], before = 0;
	size_t size;

	if (span > SHORT || span < block->ninsn || reader->mode != TL_PT_MODE_64)
		return false;
	size = tl_pt_reader_bytes(reader, block->ip, code, (size_t)span);
	for (size_t i = 0; i + 1 < size; before = code[i++])
		if (code[i] == 0x5c || (code[i] == 0x87 && before & 0x08) ||
		    (code[i] == 0x94 && (before & 0xf9) == 0x48) ||
		    (code[i] == 0x89 && (before & 0xfb) == 0x48 && (code[i + 1] & 0xc7) == 0xc4) ||
		    (code[i] == 0x8b && (before & 0xfc) == 0x48 && (code[i + 1] & 0x38) == 0x20))
			return false;
	return size == span;
}

bool tl_pt_behind_call(struct tl_pt_decoder *decoder, uint64_t ip)
{
	uint8_t code[7];

	if (tl_pt_reader_bytes(&decoder->insns.reader, ip - sizeof(code), code, sizeof(code)) !=
	    sizeof(code))
		return false;
	/*
	 * CALL rel32 is E8; CALL r/m64 is FF /2 with a ModRM byte, a SIB byte and a displacement.
	 */
	if (code[2] == 0xe8)
		return true;
	for (size_t i = 0; i + 2 <= sizeof(code); i++)
		if (code[i] == 0xff && (code[i + 1] & 0x38) == 0x10)
			return true;
	return false;
}

int tl_pt_node_switches_stack(struct tl_pt_decoder *decoder, uint32_t number)
{
	const struct tl_pt_block *block = tl_pt_decoder_node_block(decoder, number);
	const struct tl_pt_node *node = block ? tl_pt_find_node(decoder, number) : NULL;
	struct sp_search s = { .reader = &decoder->insns.reader };
	struct tl_pt_node_insn insns[INSNS_AT_ONCE];
	int count = node ? tl_pt_read_node(decoder, node) : 0;

	if (!node || count < 0 || cannot_move(s.reader, block))
		return count == -TL_PT_NOMEM ? count : 0;
	for (size_t at = 0;
	     (count = tl_pt_node_insns(decoder, number, at, insns, INSNS_AT_ONCE)) > 0;
	     at += (size_t)count)
		for (int i = 0; i < count; i++)
			follow(&s, &insns[i]);
	return count == -TL_PT_NOMEM ? count : s.moved;
}
