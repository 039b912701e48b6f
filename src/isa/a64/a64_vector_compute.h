/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_A64_VECTOR_COMPUTE_H
#define TL_ISA_A64_VECTOR_COMPUTE_H
/*
 * What an instruction of vectors computes: "Data Processing -- Scalar Floating-Point and Advanced
 * SIMD" (DDI 0487, C4.1, C7.2), of integers, polynomials and bits. Not here, since FPCR decides:
 * arithmetic of floating point. Nor what is rare: shifts to the left that saturate, SM3, SM4.
 */
#include <stdbool.h>
#include <stdint.h>

#include "core/cursor.h"

enum { TL_A64_VECTOR_BYTES = 16, TL_A64_VECTORS = 32 };

/* The lowest 128 bits of a register, the lowest byte first. */
struct tl_a64_vector {
	uint8_t bytes[TL_A64_VECTOR_BYTES];
};

/*
 * The result, of which bits are 0 that the instruction clears; of V0 to V31, and of the value of
 * Xn where it reads one. What goes to a general register is in the lowest 8 bytes.
 */
typedef struct tl_a64_vector tl_a64_vector_fn(uint32_t opcode, const struct tl_a64_vector *v,
					      uint64_t x);

struct tl_a64_vector_computation {
	tl_a64_vector_fn *compute; /* NULL: not one of these */
	uint32_t reads;            /* V0 to V31, as bits */
	uint8_t n;                 /* the general register that it reads; TL_A64_ZERO: none */
	uint8_t d;
	bool to_general; /* Xd is written, and not Vd; TL_A64_ZERO: none */
};

struct tl_a64_vector_computation tl_a64_vector_computation(uint32_t opcode);

/* The lowest 8 bytes. */
static inline uint64_t tl_a64_vector_number(const struct tl_a64_vector *v)
{
	return tl_get64s(v->bytes, TL_HOST_BIG_ENDIAN);
}

#endif
