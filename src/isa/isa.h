/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_ISA_H
#define TL_ISA_ISA_H
/*
 * One instruction: its length, its text, where it jumps. x86 through Zydis; AArch64 by our own
 * classifier, with text through LLVM's C disassembler where the machine has one.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TL_INSN_TEXT = 128 };

enum tl_insn_kind {
	TL_INSN_OTHER,
	TL_INSN_JUMP,   /* always */
	TL_INSN_BRANCH, /* if a condition holds */
	TL_INSN_CALL,
	TL_INSN_RETURN,
};

struct tl_insn {
	unsigned length; /* bytes, at least 1 */
	enum tl_insn_kind kind;
	bool has_target; /* known from the instruction alone */
	uint64_t target;
	char text[TL_INSN_TEXT];
};

/* One instruction set. Not shared between threads. */
struct tl_disassembler;

/* `machine`: e_machine of an ELF file. NULL without memory, or when the machine is none of ours. */
struct tl_disassembler *tl_disassembler_open(unsigned machine);
void tl_disassembler_close(struct tl_disassembler *disassembler);

/* Whether there is something for a machine. */
bool tl_isa_known(unsigned machine);

/*
 * The instruction at `code`, of which `size` > 0 bytes are there, at `address`. Bytes that are no
 * instruction are one of the least length, with the text ".byte 0x.." or ".inst 0x........".
 */
void tl_disassemble(struct tl_disassembler *disassembler, const uint8_t *code, size_t size,
		    uint64_t address, struct tl_insn *insn);

#endif
