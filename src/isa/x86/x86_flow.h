/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_X86_FLOW_H
#define TL_ISA_X86_FLOW_H
/*
 * One x86 instruction as control flow: everything that the decoder of a branch trace needs, and
 * nothing that costs time. Decoded by Zydis in its minimal mode, after the fast path of x86_fast.h.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef TL_WITHOUT_ZYDIS
#include <Zydis/Zydis.h>
#endif

enum tl_x86_mode { TL_X86_ANY_MODE, TL_X86_16, TL_X86_32, TL_X86_64 };

/* Classes of the Intel PT interface ("pt_insn_next"), whose numbers they have. */
enum tl_x86_class {
	TL_X86_NONE,
	TL_X86_OTHER,
	TL_X86_CALL,
	TL_X86_RETURN,
	TL_X86_JUMP,
	TL_X86_COND_JUMP,
	TL_X86_FAR_CALL,
	TL_X86_FAR_RETURN,
	TL_X86_FAR_JUMP,
	TL_X86_PTWRITES,
};

/* Result of decoding: complete, cut short by the end of the bytes, or not an instruction. */
enum tl_x86_result { TL_X86_DECODED, TL_X86_CUT, TL_X86_INVALID };

enum tl_x86_flow_flag {
	TL_X86_DIRECT = 1 << 0, /* a branch whose target the instruction holds */
	/* a call of the instruction behind it: reads the program counter, never returns */
	TL_X86_CALL_NEXT = 1 << 1,
	TL_X86_MOV_CR3 = 1 << 2,
	TL_X86_VMENTRY = 1 << 3, /* VMLAUNCH, VMRESUME */
	TL_X86_VMPTRLD = 1 << 4,
	TL_X86_PTWRITE = 1 << 5,
	TL_X86_WAIT = 1 << 6,   /* MWAIT, UMWAIT, TPAUSE */
	TL_X86_FAR = 1 << 7,    /* leaves the segment, the privilege level or the address space */
	TL_X86_JMPABS = 1 << 8, /* direct, yet the trace gives its target (5.6) */
	TL_X86_BRANCH = 1 << 9, /* flow may go elsewhere than to the next instruction */
};

struct tl_x86_flow {
	uint8_t size;
	uint8_t iclass;  /* enum tl_x86_class */
	uint16_t flags;  /* enum tl_x86_flow_flag */
	uint64_t target; /* TL_X86_DIRECT */
};

/* A decoder for one of 16, 32 and 64 bit code. */
struct tl_x86_flow_decoder {
#ifndef TL_WITHOUT_ZYDIS
	ZydisDecoder zydis;
#endif
	uint64_t mask; /* of addresses */
};

/* False in a build without Zydis: few instructions are known then. */
bool tl_x86_flow_whole(void);

void tl_x86_flow_open(struct tl_x86_flow_decoder *decoder, enum tl_x86_mode mode);

/*
 * The instruction at `ip`, of which `size` bytes are at `code`. TL_X86_CUT: more bytes are needed.
 */
enum tl_x86_result tl_x86_flow_decode(const struct tl_x86_flow_decoder *decoder,
				      const uint8_t *code, size_t size, uint64_t ip,
				      struct tl_x86_flow *flow);

/* The same through Zydis, whatever instruction it is. */
enum tl_x86_result tl_x86_flow_zydis(const struct tl_x86_flow_decoder *decoder, const uint8_t *code,
				     size_t size, uint64_t ip, struct tl_x86_flow *flow);

#endif
