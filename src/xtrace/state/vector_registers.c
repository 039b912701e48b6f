/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/state/vector_registers.h"

#include <string.h>

#include "core/arithmetic.h"
#include "isa/a64/a64_table.h"

/* "Loads and Stores" with vector registers: bit 26. */
static uint32_t written_by_memory(uint32_t opcode)
{
	unsigned group = tl_a64_bits(opcode, 29, 27), rt = opcode & 31,
		 rt2 = tl_a64_bits(opcode, 14, 10);
	bool load = opcode >> 22 & 1;
	uint32_t four = UINT32_C(15) << rt | (rt > 28 ? UINT32_C(15) >> (32 - rt) : 0);

	if (group == 5)
		return load ? UINT32_C(1) << rt | UINT32_C(1) << rt2 : 0;
	if (group == 1) /* structures, of up to four registers from Rt on */
		return load ? four : 0;
	if (group == 7 && (opcode & 0x3f200c00) != 0x3c200000)
		return load ? UINT32_C(1) << rt : 0;
	return group == 3 && !tl_a64_bits(opcode, 25, 24) ? UINT32_C(1) << rt : UINT32_MAX;
}

/* SVC and the like, PSTATE.SM and SVCR, which leave other registers. */
static uint32_t written_by_system(uint32_t opcode)
{
	bool all = opcode >> 24 == 0xd4 || (opcode & 0xfff8f01f) == 0xd500401f ||
		   (opcode & 0xffffffe0) == 0xd51b4240;

	return all ? UINT32_MAX : 0;
}

uint32_t tl_xtrace_vector_writes(uint32_t opcode)
{
	unsigned op0 = tl_a64_bits(opcode, 28, 25);

	if ((op0 & 7) == 7)
		return UINT32_C(1) << (opcode & 31);
	if ((op0 & 14) == 10)
		return written_by_system(opcode);
	if ((op0 & 5) == 4)
		return opcode >> 26 & 1 ? written_by_memory(opcode) : 0;
	/* Integers; SVE, SME and what is not known. */
	return (op0 & 14) == 8 || (op0 & 7) == 5 ? 0 : UINT32_MAX;
}

void tl_xtrace_vectors_forget(struct tl_xtrace_vectors *v, uint32_t registers)
{
	for (; registers; registers &= registers - 1)
		v->known[__builtin_ctz(registers)] = 0;
}

bool tl_xtrace_vector_holds(struct tl_xtrace_vectors *v, unsigned number, unsigned at,
			    const uint8_t *bytes, size_t size)
{
	size_t known = v->known[number], same = known > at ? tl_min(known - at, size) : 0;

	if (same && memcmp(v->bytes[number] + at, bytes, same) != 0)
		return false;
	if (at <= known && at + size > known) {
		memcpy(v->bytes[number] + at, bytes, size);
		v->known[number] = (uint8_t)(at + size);
	}
	return true;
}

void tl_xtrace_vector_load(struct tl_xtrace_vectors *v, unsigned number, unsigned at,
			   const uint8_t *bytes, size_t size)
{
	if (!at)
		memset(v->bytes[number], 0, TL_XTRACE_VECTOR_BYTES);
	memcpy(v->bytes[number] + at, bytes, size);
	v->known[number] = TL_XTRACE_VECTOR_BYTES;
}
