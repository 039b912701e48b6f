/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_X86_STACK_H
#define TL_ISA_X86_STACK_H
/*
 * How an x86 instruction sets the stack pointer, other than by pushing, popping and making room:
 * that is how a program switches to another stack (SDM volume 2, MOV, XCHG, POP, LEA, LEAVE).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tl_x86_stack_kind {
	TL_X86_STACK_KEPT,     /* as it was, or moved by what is pushed and popped */
	TL_X86_STACK_SAVED,    /* copied into a register */
	TL_X86_STACK_FRAME,    /* set from the frame pointer, or computed: the end of a function */
	TL_X86_STACK_REGISTER, /* set from a register */
	TL_X86_STACK_MEMORY,   /* set from memory */
};

struct tl_x86_stack {
	enum tl_x86_stack_kind kind;
	uint8_t reg; /* of SAVED and REGISTER: 0 to 15 as encodings number them */
};

/* The instruction of `size` bytes at `code`; `wide`: in 64-bit mode. */
struct tl_x86_stack tl_x86_stack(const uint8_t *code, size_t size, bool wide);

/* Whether among these bytes, of 64-bit code, may be an instruction that saves it in this register.
 */
bool tl_x86_saves_stack(const uint8_t *code, size_t size, uint8_t reg);

#endif
