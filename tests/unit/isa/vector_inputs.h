/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TESTS_VECTOR_INPUTS_H
#define TL_TESTS_VECTOR_INPUTS_H
/* Registers for tests of what vector instructions compute; a64_vectors.py makes the same. */
#include "isa/a64/a64_compute.h"
#include "isa/a64/a64_vector_compute.h"

/* A linear congruential generator, of which the upper bits count. */
static inline uint64_t next_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33 ^ *state << 31;
}

/* Of four numbers one is of bytes at the ends of what elements can be. */
static inline uint64_t next_word(uint64_t *state)
{
	static const uint8_t ends[] = { 0x00, 0xff, 0x80, 0x7f };
	uint64_t word = next_number(state), edge = 0;

	if (word & 3)
		return next_number(state);
	word = next_number(state);
	for (unsigned i = 0; i < 8; i++)
		edge |= (uint64_t)ends[word >> 2 * i & 3] << 8 * i;
	return edge;
}

/* V0 to V31, then X0 to X30; the last of `x` is the zero register. */
static inline void make_inputs(uint64_t seed, struct tl_a64_vector *v, uint64_t *x)
{
	for (unsigned i = 0; i < TL_A64_VECTORS; i++)
		for (unsigned half = 0; half < 2; half++) {
			uint64_t word = next_word(&seed);

			for (unsigned k = 0; k < 8; k++)
				v[i].bytes[8 * half + k] = (uint8_t)(word >> 8 * k);
		}
	for (unsigned i = 0; i < TL_A64_ZERO; i++)
		x[i] = next_word(&seed);
	x[31] = x[TL_A64_ZERO] = 0;
}

#endif
