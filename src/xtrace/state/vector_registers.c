/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/state/vector_registers.h"

#include <string.h>

#include "core/arithmetic.h"
#include "isa/a64/a64_access.h"
#include "isa/a64/a64_table.h"

/* V0 follows V31. */
static uint32_t in_a_row(unsigned first, unsigned count)
{
	uint32_t registers = 0;

	for (unsigned i = 0; i < count; i++)
		registers |= UINT32_C(1) << (first + i) % TL_A64_VECTORS;
	return registers;
}

/* "Loads and Stores" with vector registers: bit 26. */
static uint32_t written_by_memory(uint32_t opcode)
{
	unsigned group = tl_a64_bits(opcode, 29, 27), rt = opcode & 31,
		 rt2 = tl_a64_bits(opcode, 14, 10);
	bool load = opcode >> 22 & 1;

	if (group == 5)
		return load ? UINT32_C(1) << rt | UINT32_C(1) << rt2 : 0;
	if (group == 1) /* structures */
		return load ? in_a_row(rt, tl_a64_structure_of(opcode).registers) : 0;
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

/* "Data Processing -- Scalar Floating-Point and Advanced SIMD" without comparisons and what goes to
 * general registers: SMOV, UMOV, conversions whose `opcode` is none of 2, 3, 7. */
static bool writes_vector(uint32_t opcode)
{
	unsigned number = tl_a64_bits(opcode, 18, 16);

	if ((opcode & 0xff200400) == 0x1e200400 && !(opcode & 0x800)) /* FCCMP */
		return false;
	if ((opcode & 0xff203c00) == 0x1e202000) /* FCMP */
		return false;
	if ((opcode & 0x7f20fc00) == 0x1e200000 || (opcode & 0x7f200000) == 0x1e000000)
		return number == 2 || number == 3 || number == 7;
	return (opcode & 0xbfe0ec00) != 0x0e002c00;
}

uint32_t tl_xtrace_vector_writes(uint32_t opcode)
{
	unsigned op0 = tl_a64_bits(opcode, 28, 25);

	if ((op0 & 7) == 7)
		return writes_vector(opcode) ? UINT32_C(1) << (opcode & 31) : 0;
	if ((op0 & 14) == 10)
		return written_by_system(opcode);
	if ((op0 & 5) == 4)
		return opcode >> 26 & 1 ? written_by_memory(opcode) : 0;
	/* Integers; SVE, SME and what is not known. */
	return (op0 & 14) == 8 || (op0 & 7) == 5 ? 0 : UINT32_MAX;
}

void tl_xtrace_vectors_forget(struct tl_xtrace_vectors *v, uint32_t registers)
{
	v->whole &= ~registers;
	for (; registers; registers &= registers - 1)
		v->known[__builtin_ctz(registers)] = 0;
}

bool tl_xtrace_vector_holds(struct tl_xtrace_vectors *v, unsigned number, unsigned at,
			    const uint8_t *bytes, size_t size)
{
	size_t known = v->known[number], same = known > at ? tl_min(known - at, size) : 0;

	if (same && memcmp(v->v[number].bytes + at, bytes, same) != 0)
		return false;
	if (at <= known && at + size > known) {
		memcpy(v->v[number].bytes + at, bytes, size);
		v->known[number] = (uint8_t)(at + size);
		v->whole |= (uint32_t)(at + size == TL_XTRACE_VECTOR_BYTES) << number;
	}
	return true;
}

void tl_xtrace_vector_load(struct tl_xtrace_vectors *v, unsigned number, unsigned at,
			   const uint8_t *bytes, size_t size)
{
	if (!at)
		memset(v->v[number].bytes, 0, TL_XTRACE_VECTOR_BYTES);
	memcpy(v->v[number].bytes + at, bytes, size);
	v->known[number] = TL_XTRACE_VECTOR_BYTES;
	v->whole |= UINT32_C(1) << number;
}

void tl_xtrace_vector_repeat(struct tl_xtrace_vectors *v, unsigned number, unsigned whole,
			     const uint8_t *bytes, size_t size)
{
	for (unsigned at = 0; at < whole; at += (unsigned)size)
		tl_xtrace_vector_load(v, number, at, bytes, size);
}

/* The other bytes of its register: of a single element as they were, else 0. */
static void load_element(struct tl_xtrace_vectors *v, const struct tl_a64_structure *s, unsigned at)
{
	unsigned number, byte, bytes = s->whole ? 16 : 8, step = 1u << s->size;

	tl_a64_structure_place(s, at, &number, &byte);
	for (unsigned to = byte; to < (s->repeated ? bytes : byte + 1); to += step)
		v->v[number].bytes[to] = v->loaded[at];
}

void tl_xtrace_vectors_load_structure(struct tl_xtrace_vectors *v, uint32_t opcode)
{
	const struct tl_a64_structure s = tl_a64_structure_of(opcode);
	unsigned of_one = s.single ? 1u << s.size : s.whole ? 16 : 8;

	for (unsigned i = 0; i < s.registers; i++) {
		unsigned number = (s.rt + i) % TL_A64_VECTORS;

		if (s.single && !s.repeated)
			continue;
		v->v[number] = (struct tl_a64_vector){ { 0 } };
		v->known[number] = TL_XTRACE_VECTOR_BYTES;
		v->whole |= UINT32_C(1) << number;
	}
	for (unsigned at = 0; at < s.registers * of_one; at++)
		load_element(v, &s, at);
}

bool tl_xtrace_vector_may_be(const struct tl_xtrace_vectors *v, unsigned number, unsigned at,
			     uint8_t byte, uint8_t *known)
{
	*known = v->v[number].bytes[at];
	return at >= v->known[number] || byte == *known;
}

void tl_xtrace_vector_set(struct tl_xtrace_vectors *v, unsigned number,
			  const struct tl_a64_vector *value)
{
	v->v[number] = *value;
	v->known[number] = TL_XTRACE_VECTOR_BYTES;
	v->whole |= UINT32_C(1) << number;
}

void tl_xtrace_vectors_apply(struct tl_xtrace_vectors *v, struct tl_xtrace_registers *r,
			     const struct tl_xtrace_insn_effect *e)
{
	const struct tl_a64_vector_computation *c = &e->vector;
	bool known = (v->whole & c->reads) == c->reads && (r->known & e->needs) == e->needs;
	struct tl_a64_vector result;

	if (!known) {
		r->known &= ~e->forget;
		tl_xtrace_vectors_forget(v, c->to_general ? 0 : UINT32_C(1) << c->d);
		return;
	}
	result = c->compute(e->opcode, v->v, r->x[c->n]);
	if (!c->to_general)
		tl_xtrace_vector_set(v, c->d, &result);
	else if (c->d != TL_A64_ZERO)
		tl_xtrace_registers_set(r, c->d, tl_a64_vector_number(&result));
}
