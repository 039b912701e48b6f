/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_A64_H
#define TL_ISA_A64_H
/*
 * What an A64 instruction does, by its encoding alone: its class, where it may go, what memory it
 * touches. From the Arm Architecture Reference Manual (DDI 0487), chapter C4 "The A64 Instruction
 * Set Encoding"; each row of the tables (a64_*.c) is an encoding group of that chapter. Text comes
 * from elsewhere (a64_text.h).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tl_a64_class {
	TL_A64_UNALLOCATED,
	TL_A64_BRANCH,
	TL_A64_EXCEPTION, /* SVC, HVC, SMC, BRK, HLT, DCPS, UDF */
	TL_A64_SYSTEM,    /* MRS, MSR, SYS, PSTATE, ... */
	TL_A64_HINT,
	TL_A64_BARRIER,
	TL_A64_LOAD,
	TL_A64_STORE,
	TL_A64_ATOMIC, /* loads and stores at once: CAS, SWP, LDADD, ... and copies */
	TL_A64_PREFETCH,
	TL_A64_INTEGER,  /* arithmetic, logic, moves, shifts, bits */
	TL_A64_MULTIPLY, /* multiply and divide */
	TL_A64_AUTH,     /* pointer authentication */
	TL_A64_FLOAT,    /* scalar floating point */
	TL_A64_SIMD,
	TL_A64_CRYPTO,
	TL_A64_SVE,
	TL_A64_SME,
	TL_A64_CLASS_COUNT,
};

enum tl_a64_flow {
	TL_A64_NEXT,             /* PC + 4 */
	TL_A64_JUMP,             /* B */
	TL_A64_CALL,             /* BL */
	TL_A64_CONDITIONAL,      /* B.cond, BC.cond, CBZ, CBNZ, TBZ, TBNZ */
	TL_A64_JUMP_REGISTER,    /* BR, BRAA, ... */
	TL_A64_CALL_REGISTER,    /* BLR, BLRAA, ... */
	TL_A64_RETURN,           /* RET, RETAA, ... */
	TL_A64_EXCEPTION_RETURN, /* ERET, ERETAA, ..., DRPS */
	TL_A64_EXCEPTION_CALL,   /* SVC, HVC, SMC: goes on behind it, in the end */
	TL_A64_TRAP,             /* BRK, HLT, DCPS, UDF, and what is unallocated */
};

/* How memory is touched: bits of `access`. */
enum {
	TL_A64_READS = 1,
	TL_A64_WRITES = 2,
	TL_A64_PAIR = 4,         /* two registers */
	TL_A64_EXCLUSIVE = 8,    /* LDXR, STXR: a store may not happen */
	TL_A64_RMW = 16,         /* one atomic access, or a CASE of one */
	TL_A64_ORDERED = 32,     /* acquire or release */
	TL_A64_VECTOR = 64,      /* of SIMD and floating-point registers */
	TL_A64_SCALABLE = 128,   /* SVE, SME: size from the vector length */
	TL_A64_TAGS = 256,       /* allocation tags */
	TL_A64_PREDICATED = 512, /* elements, or all, may be left out */
};

/* Instructions that need to be known by themselves. */
enum tl_a64_special {
	TL_A64_PLAIN,
	TL_A64_SVC,
	TL_A64_MRS,
	TL_A64_RNDR, /* MRS of RNDR or RNDRRS */
	TL_A64_MSR,
	TL_A64_DC_ZERO,         /* DC ZVA, DC GZVA */
	TL_A64_SELECT,          /* CSEL, CSINC, CSINV, CSNEG */
	TL_A64_STORE_EXCLUSIVE, /* STXR, STLXR, STXP, STLXP: has a status register */
};

struct tl_a64 {
	uint32_t opcode;
	/* from the PC to the direct target, in bytes; B, BL and conditional branches only */
	int32_t offset;
	uint16_t access;
	/* all that one execution reads, or writes; 0: none, or known at run time only */
	uint16_t bytes;
	uint16_t row;    /* for tl_a64_group() */
	uint8_t class;   /* enum tl_a64_class */
	uint8_t flow;    /* enum tl_a64_flow */
	uint8_t special; /* enum tl_a64_special */
	uint8_t target;  /* `offset` means something */
};

struct tl_a64 tl_a64_classify(uint32_t opcode);

/* The name of a class: "branch", "load", ... */
const char *tl_a64_class_name(unsigned class);
/* The encoding group, as the manual calls it: "Add/subtract (immediate)". */
const char *tl_a64_group(const struct tl_a64 *insn);

static inline bool tl_a64_is_call(const struct tl_a64 *insn)
{
	return insn->flow == TL_A64_CALL || insn->flow == TL_A64_CALL_REGISTER;
}

/* "Memory Copy and Memory Set" (FEAT_MOPS): CPYP to CPYE, CPYFP to CPYFE, SETP to SETE, SETGP to
 * SETGE. */
static inline bool tl_a64_is_memory_copy(uint32_t opcode)
{
	return (opcode & 0xfb200c00) == 0x19000400;
}

/* STR and LDR of a whole Z register (SVE), and of a whole P register. */
static inline bool tl_a64_is_z_store(uint32_t opcode)
{
	return (opcode & 0xffc0e000) == 0xe5804000;
}

static inline bool tl_a64_is_z_load(uint32_t opcode)
{
	return (opcode & 0xffc0e000) == 0x85804000;
}

static inline bool tl_a64_is_p_store(uint32_t opcode)
{
	return (opcode & 0xffc0e010) == 0xe5800000;
}

static inline bool tl_a64_is_p_load(uint32_t opcode)
{
	return (opcode & 0xffc0e010) == 0x85800000;
}

/*
 * A direct-mapped cache of tl_a64_classify(): programs have few distinct opcodes, so that nearly
 * every lookup hits. tl_a64_cache_begin() must be called first; zero-filled is not valid.
 */
enum { TL_A64_CACHE_BITS = 12 };

struct tl_a64_cache {
	struct tl_a64 slots[1 << TL_A64_CACHE_BITS];
};

void tl_a64_cache_begin(struct tl_a64_cache *cache);

static inline const struct tl_a64 *tl_a64_look(struct tl_a64_cache *cache, uint32_t opcode)
{
	struct tl_a64 *slot = &cache->slots[opcode * 0x9e3779b1u >> (32 - TL_A64_CACHE_BITS)];

	if (__builtin_expect(slot->opcode != opcode, 0))
		*slot = tl_a64_classify(opcode);
	return slot;
}

#endif
