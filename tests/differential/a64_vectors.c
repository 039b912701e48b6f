/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What vector instructions compute, for a64_vectors.py: of each line "OPCODE SEED" (hexadecimal) of
 * stdin the register that is written and its value, or "unknown". Registers are made of the seed,
 * as tests/unit/isa/vector_inputs.h has them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "../unit/isa/vector_inputs.h"

int main(void)
{
	uint32_t opcode;
	uint64_t seed;

	while (scanf("%" SCNx32 " %" SCNx64, &opcode, &seed) == 2) {
		struct tl_a64_vector_computation c = tl_a64_vector_computation(opcode);
		struct tl_a64_vector v[TL_A64_VECTORS], result;
		uint64_t x[TL_A64_ZERO + 1];

		if (!c.compute) {
			puts("unknown");
			continue;
		}
		make_inputs(seed, v, x);
		/* Registers that it is said not to read have other values. */
		for (unsigned i = 0; i < TL_A64_VECTORS; i++)
			if (!(c.reads >> i & 1))
				v[i].bytes[i % TL_A64_VECTOR_BYTES] ^= 0x5a;
		result = c.compute(opcode, v, x[c.n]);
		printf("%c%u ", c.to_general ? 'x' : 'v', c.d);
		for (unsigned i = 0; i < TL_A64_VECTOR_BYTES; i++)
			printf("%02x", result.bytes[i]);
		puts("");
	}
	return 0;
}
