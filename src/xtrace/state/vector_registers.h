/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_VECTOR_REGISTERS_H
#define TL_XTRACE_VECTOR_REGISTERS_H
/*
 * What is known of V0 to V31, which are the lowest 128 bits of Z0 to Z31: what was loaded, what was
 * stored since they were written last, and what is computed of these. A store of a register that is
 * not known shows it, so that the next one has to hold the same.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xtrace/state/registers.h"

enum { TL_XTRACE_VECTOR_BYTES = TL_A64_VECTOR_BYTES };

struct tl_xtrace_vectors {
	struct tl_a64_vector v[TL_A64_VECTORS];
	uint8_t known[TL_A64_VECTORS]; /* so many bytes of each, from the lowest one on */
	uint32_t whole;                /* those of which all are known, as bits */
	uint8_t loaded[4 * TL_XTRACE_VECTOR_BYTES]; /* by the present instruction */
};

/* The registers that an instruction may write, as bits; more than those do no harm. */
uint32_t tl_xtrace_vector_writes(uint32_t opcode);

void tl_xtrace_vectors_forget(struct tl_xtrace_vectors *vectors, uint32_t registers);

/*
 * Bytes of a register, from byte `at` on, were stored. False: they are others than those that are
 * known, and nothing changes; else they are known from here on.
 */
bool tl_xtrace_vector_holds(struct tl_xtrace_vectors *vectors, unsigned number, unsigned at,
			    const uint8_t *bytes, size_t size);

/* They were loaded; those behind them are zero. */
void tl_xtrace_vector_load(struct tl_xtrace_vectors *vectors, unsigned number, unsigned at,
			   const uint8_t *bytes, size_t size);

/* `size` bytes were loaded into each element of the first `whole` bytes. */
void tl_xtrace_vector_repeat(struct tl_xtrace_vectors *vectors, unsigned number, unsigned whole,
			     const uint8_t *bytes, size_t size);

/* The same of a structure, of which all bytes are in `loaded`. */
void tl_xtrace_vectors_load_structure(struct tl_xtrace_vectors *vectors, uint32_t opcode);

/* Whether a byte of a register can be this one; else, what it is. */
bool tl_xtrace_vector_may_be(const struct tl_xtrace_vectors *vectors, unsigned number, unsigned at,
			     uint8_t byte, uint8_t *known);

/* The register has this value. */
void tl_xtrace_vector_set(struct tl_xtrace_vectors *vectors, unsigned number,
			  const struct tl_a64_vector *value);

/*
 * An instruction of the kind VECTOR: what it computes, of vectors and of `registers`, becomes known
 * where all that it reads is; else the register that it writes is forgotten.
 */
void tl_xtrace_vectors_apply(struct tl_xtrace_vectors *vectors,
			     struct tl_xtrace_registers *registers,
			     const struct tl_xtrace_insn_effect *effect);

#endif
