/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_REGISTERS_H
#define TL_XTRACE_REGISTERS_H
/*
 * Known values of the general registers and of NZCV, from the values in a trace (9.2, item 12), and
 * the effect of an instruction on them: exact for integers, branches and loads, of the others the
 * set of registers that they may write, and what vectors compute for those who know these.
 * Encodings are those of the Arm Architecture Reference Manual, chapter C4.
 */
#include "isa/a64/a64_compute.h"
#include "isa/a64/a64_vector_compute.h"

enum { TL_XTRACE_REG_SP = 31, TL_XTRACE_REG_LINK = 30 };

/* Bits of `known`: X0 to X30 and SP, and NZCV. */
#define TL_XTRACE_KNOWN_X UINT64_C(0xffffffff)
#define TL_XTRACE_KNOWN_FLAGS (UINT64_C(1) << 32)

struct tl_xtrace_registers {
	uint64_t x[TL_A64_ZERO + 1]; /* 31 is SP, the last is 0 */
	uint64_t known;
	unsigned nzcv; /* as four bits */
};

enum tl_xtrace_effect_kind {
	TL_XTRACE_EFFECT_NONE,
	TL_XTRACE_EFFECT_CONSTANT, /* rd = value */
	TL_XTRACE_EFFECT_RELATIVE, /* ADR: rd = PC + value */
	TL_XTRACE_EFFECT_PAGE,     /* ADRP: rd = page of PC + value */
	TL_XTRACE_EFFECT_ADD,      /* rd = rn + value */
	TL_XTRACE_EFFECT_MOVE,     /* rd = rn */
	TL_XTRACE_EFFECT_COMPUTE,  /* `computation` */
	TL_XTRACE_EFFECT_VECTOR,   /* `vector`, which others know (vector_registers.h) */
	TL_XTRACE_EFFECT_LINK,     /* X30 = PC + 4 */
	TL_XTRACE_EFFECT_LOAD,     /* rd, and rt2 of a pair, from memory */
};

/* How a loaded value becomes a register's. */
enum tl_xtrace_load_extend {
	TL_XTRACE_EXTEND_ZERO,
	TL_XTRACE_EXTEND_SIGN_32,
	TL_XTRACE_EXTEND_SIGN_64
};

struct tl_xtrace_insn_effect {
	uint8_t kind; /* enum tl_xtrace_effect_kind */
	uint8_t rd, rn, rt2;
	uint8_t size; /* LOAD: bytes of one register; 4: the result of others has 32 bits */
	uint8_t extend;
	bool pair;        /* LOAD: of two registers; rt2 is the second */
	bool writes_back; /* rn = rn + back */
	int16_t back;
	uint64_t forget; /* registers that get an unknown value, as bits of `known` */
	uint64_t value;
	/* COMPUTE, VECTOR */
	uint32_t opcode;
	uint64_t needs; /* bits of `known` */
	union {
		struct tl_a64_computation computation;
		struct tl_a64_vector_computation vector;
	};
};

struct tl_xtrace_insn_effect tl_xtrace_insn_effect(uint32_t opcode);

/*
 * MSR SP_EL0: where the kernel writes it, an address of its own is that of its present thread, at
 * the entry and where threads are switched (so Linux does); at the exit it is the program's SP, in
 * the other half of addresses.
 */
static inline bool tl_xtrace_writes_task(uint32_t opcode)
{
	return (opcode & ~UINT32_C(31)) == 0xd5184100;
}

static inline bool tl_xtrace_is_task(uint64_t value)
{
	return value >> 63;
}

static inline void tl_xtrace_registers_set(struct tl_xtrace_registers *r, unsigned number,
					   uint64_t value)
{
	r->x[number] = value;
	r->known |= UINT64_C(1) << number;
}

static inline bool tl_xtrace_registers_know(const struct tl_xtrace_registers *r, unsigned number)
{
	return r->known >> number & 1;
}

/* The instruction was executed at `pc`; `loaded`: the bytes it loaded first, of which there are
 * `loaded_size`. */
void tl_xtrace_registers_apply(struct tl_xtrace_registers *registers,
			       const struct tl_xtrace_insn_effect *effect, uint64_t pc,
			       const uint8_t *loaded, uint32_t loaded_size);

#endif
