/* SPDX-License-Identifier: Apache-2.0 */
#include "isa/a64/a64_access.h"

#include "isa/a64/a64_compute.h"

static uint32_t field(uint32_t opcode, unsigned high, unsigned low)
{
	return opcode >> low & ((UINT32_C(2) << (high - low)) - 1);
}

static int32_t signed_field(uint32_t opcode, unsigned high, unsigned low)
{
	uint32_t sign = UINT32_C(1) << (high - low);

	return (int32_t)((field(opcode, high, low) ^ sign) - sign);
}

static bool is_vector(uint32_t opcode)
{
	return opcode >> 26 & 1;
}

static void at_offset(struct tl_a64_access *a, int32_t offset)
{
	a->base = TL_A64_BASE_OFFSET;
	a->offset = offset;
}

/* "Load/store register": by bits 24, 21 and 11:10. */
static void single(struct tl_a64_access *a, uint32_t opcode)
{
	unsigned how = field(opcode, 11, 10),
		 scale = opcode >> 30 | (is_vector(opcode) && opcode >> 23 & 1 ? 4u : 0u);

	if (opcode >> 24 & 1) {
		at_offset(a, (int32_t)(field(opcode, 21, 10) << scale));
	} else if (!(opcode >> 21 & 1)) {
		at_offset(a, how == 1 ? 0 : signed_field(opcode, 20, 12)); /* post-indexed */
	} else if (how == 2) {
		a->base = TL_A64_BASE_INDEX;
		a->option = (uint8_t)field(opcode, 15, 13);
		a->shift = opcode >> 12 & 1 ? (uint8_t)scale : 0;
		a->rm = field(opcode, 20, 16) == 31 ? TL_A64_ZERO : (uint8_t)field(opcode, 20, 16);
	} else if (how == 0) {
		at_offset(a, 0); /* atomic */
	}
}

/* "Load/store register pair": post-indexed at the base; STGP counts granules. */
static void pair(struct tl_a64_access *a, uint32_t opcode)
{
	unsigned opc = opcode >> 30;
	int32_t unit = opc & 2 ? 8 : 4;

	if (is_vector(opcode))
		unit = 4 << opc;
	else if (opc == 1 && !(opcode >> 22 & 1))
		unit = 16;
	at_offset(a, field(opcode, 24, 23) == 1 ? 0 : signed_field(opcode, 21, 15) * unit);
}

/* Where it accesses memory; what is not here (tags, copies, pointers that are authenticated first,
 * vectors of addresses) may be anywhere. */
static void place(struct tl_a64_access *a, uint32_t opcode)
{
	unsigned group = field(opcode, 29, 27), form = field(opcode, 25, 24);

	if (group == 7 && form < 2) {
		single(a, opcode);
	} else if (group == 5) {
		pair(a, opcode);
	} else if (group == 1) {
		at_offset(a, 0); /* exclusives, ordered, compare and swap; structures */
	} else if (group == 3 && form == 0) {
		a->base = TL_A64_BASE_LITERAL;
		a->offset = signed_field(opcode, 23, 5) * 4;
	} else if ((opcode & 0x3f200c00) == 0x19000000 || (opcode & 0x3f200c00) == 0x1d000800) {
		at_offset(a, signed_field(opcode, 20, 12)); /* LDAPUR, STLUR */
	}
}

/* The same of vectors, which loads have, too: LDR, STR, LDP, STP and the like. */
static void vectors(struct tl_a64_access *a, const struct tl_a64 *a64)
{
	uint32_t opcode = a64->opcode, group = field(opcode, 29, 27);

	if ((group != 5 && group != 7) || (opcode & 0x3f200c00) == 0x3c200000 ||
	    a->base == TL_A64_BASE_ANYWHERE || !(a64->access & TL_A64_VECTOR))
		return;
	a->vector = true;
	a->registers = a64->access & TL_A64_PAIR ? 2 : 1;
	a->rt = (uint8_t)field(opcode, 4, 0);
	a->rt2 = (uint8_t)field(opcode, 14, 10);
}

/* Which general registers a store holds: one, or two in a row. */
static void data(struct tl_a64_access *a, const struct tl_a64 *a64)
{
	uint32_t opcode = a64->opcode;
	bool two = a64->access & TL_A64_PAIR;

	if (a64->class != TL_A64_STORE || a->base == TL_A64_BASE_ANYWHERE || a64->bytes > 16 ||
	    (!two && a64->bytes > 8) || (opcode & 0x3f200c00) == 0x38200000)
		return;
	a->registers = two ? 2 : 1;
	a->rt = field(opcode, 4, 0) == 31 ? TL_A64_ZERO : (uint8_t)field(opcode, 4, 0);
	a->rt2 = field(opcode, 14, 10) == 31 ? TL_A64_ZERO : (uint8_t)field(opcode, 14, 10);
}

static void structure(struct tl_a64_access *a, uint32_t opcode)
{
	const struct tl_a64_structure s = tl_a64_structure_of(opcode);

	a->rt = s.rt;
	a->structure = TL_A64_INTERLEAVED;
	if (s.repeated && s.registers == 1)
		a->structure = TL_A64_REPEATED;
	if (s.single || s.interleaved)
		return;
	a->structure = TL_A64_CONSECUTIVE;
	a->in_a_row = s.registers;
}

struct tl_a64_access tl_a64_access_of(const struct tl_a64 *a64)
{
	struct tl_a64_access a = { .rn = (uint8_t)field(a64->opcode, 9, 5) };

	a.reads = a64->access & TL_A64_READS;
	a.writes = a64->access & TL_A64_WRITES;
	/* An emulator compares and swaps for a store-exclusive: it loads, too. */
	if (a64->access & TL_A64_EXCLUSIVE && a.writes)
		a.reads = true;
	if (!a64->bytes || a64->access & (TL_A64_TAGS | TL_A64_SCALABLE | TL_A64_PREDICATED))
		return a;
	a.bytes = a64->bytes;
	a.needs_load = a64->access & TL_A64_READS;
	a.needs_store =
		a64->access & TL_A64_WRITES && !(a64->access & (TL_A64_EXCLUSIVE | TL_A64_RMW));
	place(&a, a64->opcode);
	if (is_vector(a64->opcode) && field(a64->opcode, 29, 27) == 1)
		structure(&a, a64->opcode);
	else if (is_vector(a64->opcode))
		vectors(&a, a64);
	else
		data(&a, a64);
	return a;
}

/* ---- structures ---- */

/* "Advanced SIMD load/store multiple structures": by `opcode`, bits 15:12. */
static void multiple(struct tl_a64_structure *s, uint32_t opcode)
{
	static const uint8_t registers[16] = {
		[0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2
	};

	s->registers = registers[field(opcode, 15, 12)];
	s->interleaved = !(opcode >> 13 & 1);
	s->size = (uint8_t)field(opcode, 11, 10);
}

/* "Advanced SIMD load/store single structure": Q:S:size has the element's number and its length. */
static void of_elements(struct tl_a64_structure *s, uint32_t opcode)
{
	unsigned scale = field(opcode, 15, 14),
		 number = field(opcode, 30, 30) << 3 | field(opcode, 12, 10);

	s->single = true;
	s->registers = (uint8_t)((field(opcode, 13, 13) << 1 | field(opcode, 21, 21)) + 1);
	s->repeated = scale == 3;
	if (scale == 2 && opcode >> 10 & 1)
		scale = 3;
	s->size = (uint8_t)(s->repeated ? field(opcode, 11, 10) : scale);
	s->lane = (uint8_t)(s->repeated ? 0 : number >> scale);
}

struct tl_a64_structure tl_a64_structure_of(uint32_t opcode)
{
	struct tl_a64_structure s = { .rt = (uint8_t)field(opcode, 4, 0),
				      .whole = field(opcode, 30, 30) };

	if (opcode >> 24 & 1)
		of_elements(&s, opcode);
	else
		multiple(&s, opcode);
	return s;
}

void tl_a64_structure_place(const struct tl_a64_structure *s, unsigned at, unsigned *number,
			    unsigned *byte)
{
	unsigned element = at >> s->size, in_element = at & ((1u << s->size) - 1),
		 bytes = s->whole ? 16 : 8;

	if (s->single) {
		*number = s->rt + element;
		*byte = ((unsigned)s->lane << s->size) + in_element;
	} else if (s->interleaved) {
		*number = s->rt + element % s->registers;
		*byte = (element / s->registers << s->size) + in_element;
	} else {
		*number = s->rt + at / bytes;
		*byte = at % bytes;
	}
	*number %= 32;
}
