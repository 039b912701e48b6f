/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_VECTOR_REGISTERS_H
#define TL_XTRACE_VECTOR_REGISTERS_H
/*
 * What is known of V0 to V31, which are the lowest 128 bits of Z0 to Z31: what was loaded, and what
 * was stored since they were written last. A store of a register that is not known shows it, so
 * that the next one has to hold the same. What instructions compute is not followed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TL_XTRACE_VECTOR_BYTES = 16 };

struct tl_xtrace_vectors {
	uint8_t bytes[32][TL_XTRACE_VECTOR_BYTES];
	uint8_t known[32]; /* so many bytes of each, from the lowest one on */
	uint8_t loaded[2 * TL_XTRACE_VECTOR_BYTES]; /* by the present instruction */
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

#endif
