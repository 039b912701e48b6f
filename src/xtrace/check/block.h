/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_CHECK_BLOCK_H
#define TL_XTRACE_CHECK_BLOCK_H
/*
 * Blocks that were judged. A program executes few blocks of instructions, most of them often. What
 * the rules say of a block's tokens (which there are, in which order, of which size) depends on
 * its token bytes and opcodes alone, and so does which registers are known behind it, if it is the
 * same of those it reads. That is found out once, and kept as a list of operations: what is left
 * to do for the addresses, values and registers each time. A block that comes again is compared,
 * and its operations are executed.
 *
 * Nothing is ever reported from here: at the first operation that finds something wrong or
 * unusual, its instruction and all behind it are left to the checker's plain way, for which all is
 * as it was before that instruction. Instructions that are not in blocks go that way, too: system
 * calls, MRS and MSR, exclusive stores, faults.
 */
#include "isa/a64/a64_compute.h"
#include "xtrace/check/check.h"

enum tl_xtrace_check_operation_kind {
	TL_XTRACE_OPERATION_END,

	/* The access at `at` is at x[n] + value; at x[n] + value + x[m], extended as `size` says
	 * and shifted by `a`; at `value`; so many bytes behind the access at `other`. */
	TL_XTRACE_OPERATION_AT_BASE,
	TL_XTRACE_OPERATION_AT_INDEX,
	TL_XTRACE_OPERATION_AT_PLACE,
	TL_XTRACE_OPERATION_AT_OTHER,
	TL_XTRACE_OPERATION_LEARN_SP, /* SP is so many bytes before it */
	/* `size` bytes at `at` are those of x[n], from byte `a` on. */
	TL_XTRACE_OPERATION_HOLDS,
	TL_XTRACE_OPERATION_HOLDS_VECTOR, /* of V[n], from byte `a` on */
	/* The access at `at`, of `size` bytes, against memory. */
	TL_XTRACE_OPERATION_LOAD_4,
	TL_XTRACE_OPERATION_LOAD_8,
	TL_XTRACE_OPERATION_LOAD_16,
	TL_XTRACE_OPERATION_LOAD,
	TL_XTRACE_OPERATION_STORE_4,
	TL_XTRACE_OPERATION_STORE_8,
	TL_XTRACE_OPERATION_STORE_16,
	TL_XTRACE_OPERATION_STORE,
	/* The values at `at`. */
	TL_XTRACE_OPERATION_TIME,
	TL_XTRACE_OPERATION_FLAGS_ARE,
	TL_XTRACE_OPERATION_FLAGS_BECOME,
	TL_XTRACE_OPERATION_TARGET, /* that of x[n] */
	/* All vectors that `reads` has as bits are known. */
	TL_XTRACE_OPERATION_VECTORS_KNOWN,

	/* From here on nothing can be wrong. x[d] = value; x[n] + value, in 64 and 32 bits. */
	TL_XTRACE_OPERATION_CONSTANT,
	TL_XTRACE_OPERATION_ADD,
	TL_XTRACE_OPERATION_ADD_32,
	TL_XTRACE_OPERATION_COMPUTE, /* `compute` of x[n], x[m], x[a] and NZCV */
	TL_XTRACE_OPERATION_COMPUTE_FLAGS,
	/* Of `size` bytes: x[n] and x[m] << a; less both this and `value`, with NZCV. */
	TL_XTRACE_OPERATION_SUM,
	TL_XTRACE_OPERATION_DIFFERENCE,
	TL_XTRACE_OPERATION_AND,
	TL_XTRACE_OPERATION_OR,
	TL_XTRACE_OPERATION_XOR,
	TL_XTRACE_OPERATION_COMPARE,
	TL_XTRACE_OPERATION_PRODUCT, /* x[n] * x[m] + x[a], of `size` bytes */
	TL_XTRACE_OPERATION_FIELD,   /* (x[n] >> size & value) << a */
	/* x[d] = the bytes at `at`; with a sign, `size` of them, of 32 bits if `a` */
	TL_XTRACE_OPERATION_TAKE_1,
	TL_XTRACE_OPERATION_TAKE_2,
	TL_XTRACE_OPERATION_TAKE_4,
	TL_XTRACE_OPERATION_TAKE_8,
	TL_XTRACE_OPERATION_TAKE_SIGNED,
	TL_XTRACE_OPERATION_TAKE_VECTOR,    /* `size` of V[d], from byte `a` on */
	TL_XTRACE_OPERATION_TAKE_REPEATED,  /* `size` again and again, in `a` bytes of V[d] */
	TL_XTRACE_OPERATION_FORGET_VECTORS, /* those that `value` has as bits */
	/* `of_vectors` of vectors and x[n]: V[d], known if all of `reads` are; x[d] */
	TL_XTRACE_OPERATION_COMPUTE_VECTOR,
	TL_XTRACE_OPERATION_COMPUTE_GENERAL,
};

struct tl_xtrace_check_operation {
	uint8_t kind; /* enum tl_xtrace_check_operation_kind */
	uint8_t d, n, m, a, size;
	uint16_t insn; /* number of its instruction */
	union {
		struct {
			uint16_t at, other; /* tokens or payloads: offsets in the block */
		};
		uint32_t reads; /* V0 to V31, as bits */
	};
	uint32_t opcode;
	union {
		uint64_t value;
		tl_a64_compute_fn *compute;
		tl_a64_vector_fn *of_vectors;
	};
};

struct tl_xtrace_check_block_insn {
	uint32_t opcode;
	uint16_t at;   /* offset in the block */
	uint16_t seen; /* kinds of tokens behind it, as bits */
	/* Registers that are known and unknown before it, of those the block has written. */
	uint64_t known, unknown;
};

struct tl_xtrace_check_block {
	uint64_t pc, behind;   /* of the first instruction; behind the last */
	uint64_t reads, known; /* registers by which operations were chosen, and which were known */
	uint64_t becomes_known, becomes_unknown; /* behind it */
	uint16_t bytes, insn_count;
	uint16_t words;     /* of `tokens`, and of `mask` behind them */
	uint16_t target_at; /* the TARGET_B of the last instruction; 0: it has none */
	uint8_t el;
	bool ends_with_access;
	uint64_t edition;       /* of the stream's code, against which it was held */
	const uint64_t *tokens; /* the bits that `mask` has are those of token bytes and opcodes */
	const struct tl_xtrace_check_operation *operations;
	const struct tl_xtrace_check_block_insn *insns;
	struct tl_xtrace_check_block *variant; /* at the same place, of other tokens or registers */
	struct tl_xtrace_check_block *next[2]; /* what came last right behind it, and elsewhere */
	struct tl_xtrace_check_opcode last;    /* of the last instruction */
};

/* block_make.c: a block of the instructions at `p`, which are at `pc`, made of what is in the
 * arena. NULL: the first of them is none for blocks, or there is no memory. */
struct tl_xtrace_check_block *tl_xtrace_check_make_block(struct tl_xtrace_check_stream *s,
							 uint64_t pc, const uint8_t *p,
							 const uint8_t *end);

/* block_compute.c: the operation of a computation, but for its registers. */
struct tl_xtrace_check_operation
tl_xtrace_check_computation(uint32_t opcode, const struct tl_a64_computation *computation);
/* Such an operation, of which nothing is unknown. */
void tl_xtrace_check_compute(struct tl_xtrace_registers *registers,
			     const struct tl_xtrace_check_operation *operation);

/* block_run.c: execute the operations of a block whose tokens stand at `p`. The number of
 * instructions that nothing was wrong with; what is known of registers is not changed yet. */
uint32_t tl_xtrace_check_run_block(struct tl_xtrace_check_stream *s,
				   const struct tl_xtrace_check_block *block, const uint8_t *p);

#endif
