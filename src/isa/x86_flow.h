/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_X86_FLOW_H
#define TL_ISA_X86_FLOW_H
/*
 * What one x86 instruction means to the flow of control: all that a walk along an Intel PT trace has to know, and nothing
 * that costs time. Through Zydis in its minimal mode.
 */
#include <Zydis/Zydis.h>

#include <tracelathe/intel_pt.h>

enum tl_x86_flow_flag {
	TL_X86_DIRECT = 1 << 0,   /* a branch whose target the instruction holds */
	TL_X86_CALL_NEXT = 1 << 1, /* a call of the instruction behind it: reads the program counter, never returns */
	TL_X86_MOV_CR3 = 1 << 2,
	TL_X86_VMENTRY = 1 << 3,  /* VMLAUNCH, VMRESUME */
	TL_X86_VMPTRLD = 1 << 4,
	TL_X86_PTWRITE = 1 << 5,
	TL_X86_WAIT = 1 << 6,     /* MWAIT, UMWAIT, TPAUSE */
	TL_X86_FAR = 1 << 7,      /* leaves the segment, the privilege level or the address space */
	TL_X86_JMPABS = 1 << 8,   /* direct, yet the trace gives its target (5.6) */
	TL_X86_BRANCH = 1 << 9,   /* flow may go elsewhere than to the next instruction */
};

struct tl_x86_flow {
	uint8_t size;
	uint8_t iclass;   /* enum tl_pt_iclass */
	uint16_t flags;   /* enum tl_x86_flow_flag */
	uint64_t target;  /* TL_X86_DIRECT */
};

/* A decoder for one of 16, 32 and 64 bit code. */
struct tl_x86_flow_decoder {
	ZydisDecoder zydis;
	uint64_t mask; /* of addresses */
};

void tl_x86_flow_open(struct tl_x86_flow_decoder *decoder, enum tl_pt_exec_mode mode);

/* The instruction at `ip`, of which `size` bytes are at `code`. 0; -TL_PT_NOMAP: more bytes are needed; -TL_PT_BAD_INSN. */
int tl_x86_flow_decode(const struct tl_x86_flow_decoder *decoder, const uint8_t *code, size_t size, uint64_t ip,
		       struct tl_x86_flow *flow);

#endif
