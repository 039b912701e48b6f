/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses against the instruction that they belong to: how many bytes it loads and stores, where,
 * and what a store of general registers holds. Encodings: DDI 0487, C4.1, "Loads and Stores".
 */
#include "xtrace/check/check.h"

#include <inttypes.h>
#include <string.h>

#include "core/arithmetic.h"

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

/* ---- what an opcode says ---- */

static void at_offset(struct tl_xtrace_check_access *a, int32_t offset)
{
	a->base = TL_XTRACE_BASE_OFFSET;
	a->offset = offset;
}

/* "Load/store register": by bits 24, 21 and 11:10. */
static void single(struct tl_xtrace_check_access *a, uint32_t opcode)
{
	unsigned how = field(opcode, 11, 10),
		 scale = opcode >> 30 | (is_vector(opcode) && opcode >> 23 & 1 ? 4u : 0u);

	if (opcode >> 24 & 1) {
		at_offset(a, (int32_t)(field(opcode, 21, 10) << scale));
	} else if (!(opcode >> 21 & 1)) {
		at_offset(a, how == 1 ? 0 : signed_field(opcode, 20, 12)); /* post-indexed */
	} else if (how == 2) {
		a->base = TL_XTRACE_BASE_INDEX;
		a->option = (uint8_t)field(opcode, 15, 13);
		a->shift = opcode >> 12 & 1 ? (uint8_t)scale : 0;
		a->rm = field(opcode, 20, 16) == 31 ? TL_A64_ZERO : (uint8_t)field(opcode, 20, 16);
	} else if (how == 0) {
		at_offset(a, 0); /* atomic */
	}
}

/* "Load/store register pair": post-indexed at the base; STGP counts granules. */
static void pair(struct tl_xtrace_check_access *a, uint32_t opcode)
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
static void place(struct tl_xtrace_check_access *a, uint32_t opcode)
{
	unsigned group = field(opcode, 29, 27), form = field(opcode, 25, 24);

	if (group == 7 && form < 2) {
		single(a, opcode);
	} else if (group == 5) {
		pair(a, opcode);
	} else if (group == 1) {
		at_offset(a, 0); /* exclusives, ordered, compare and swap; structures */
	} else if (group == 3 && form == 0) {
		a->base = TL_XTRACE_BASE_LITERAL;
		a->offset = signed_field(opcode, 23, 5) * 4;
	} else if ((opcode & 0x3f200c00) == 0x19000000 || (opcode & 0x3f200c00) == 0x1d000800) {
		at_offset(a, signed_field(opcode, 20, 12)); /* LDAPUR, STLUR */
	}
}

/* The same of vectors, which loads have, too: LDR, STR, LDP, STP and the like. */
static void vectors(struct tl_xtrace_check_access *a, const struct tl_a64 *a64)
{
	uint32_t opcode = a64->opcode, group = field(opcode, 29, 27);

	if ((group != 5 && group != 7) || (opcode & 0x3f200c00) == 0x3c200000 ||
	    a->base == TL_XTRACE_BASE_ANYWHERE || !(a64->access & TL_A64_VECTOR))
		return;
	a->vector = true;
	a->registers = a64->access & TL_A64_PAIR ? 2 : 1;
	a->rt = (uint8_t)field(opcode, 4, 0);
	a->rt2 = (uint8_t)field(opcode, 14, 10);
}

/* Which general registers a store holds: one, or two in a row. */
static void data(struct tl_xtrace_check_access *a, const struct tl_a64 *a64)
{
	uint32_t opcode = a64->opcode;
	bool two = a64->access & TL_A64_PAIR;

	if (a64->class != TL_A64_STORE || a->base == TL_XTRACE_BASE_ANYWHERE || a64->bytes > 16 ||
	    (!two && a64->bytes > 8) || (opcode & 0x3f200c00) == 0x38200000)
		return;
	a->registers = two ? 2 : 1;
	a->rt = field(opcode, 4, 0) == 31 ? TL_A64_ZERO : (uint8_t)field(opcode, 4, 0);
	a->rt2 = field(opcode, 14, 10) == 31 ? TL_A64_ZERO : (uint8_t)field(opcode, 14, 10);
}

void tl_xtrace_check_classify_access(struct tl_xtrace_check_opcode *op)
{
	const struct tl_a64 *a64 = &op->a64;
	struct tl_xtrace_check_access *a = &op->access;

	*a = (struct tl_xtrace_check_access){ .rn = (uint8_t)field(a64->opcode, 9, 5) };
	a->reads = a64->access & TL_A64_READS;
	a->writes = a64->access & TL_A64_WRITES;
	/* An emulator compares and swaps for a store-exclusive: it loads, too. */
	if (a64->access & TL_A64_EXCLUSIVE && a->writes)
		a->reads = true;
	if (!a64->bytes || a64->access & (TL_A64_TAGS | TL_A64_SCALABLE | TL_A64_PREDICATED))
		return;
	a->bytes = a64->bytes;
	a->needs_load = a64->access & TL_A64_READS;
	a->needs_store =
		a64->access & TL_A64_WRITES && !(a64->access & (TL_A64_EXCLUSIVE | TL_A64_RMW));
	place(a, a64->opcode);
	if (is_vector(a64->opcode))
		vectors(a, a64);
	else
		data(a, a64);
}

/* ---- an access ---- */

/* "ExtendReg()": UXTW, LSL, SXTW, SXTX. */
static uint64_t extended(uint64_t value, unsigned option)
{
	if (option == 2)
		return (uint32_t)value;
	return option == 6 ? (uint64_t)(int64_t)(int32_t)(uint32_t)value : value;
}

/* Where the first access has to be. False: that is not known. */
static bool expected_address(const struct tl_xtrace_check_stream *s, uint64_t *address)
{
	const struct tl_xtrace_check_insn *i = &s->last;
	const struct tl_xtrace_check_access *a = &i->op->access;
	const struct tl_xtrace_registers *r = &s->registers;

	if (a->base == TL_XTRACE_BASE_LITERAL) {
		*address = i->pc + (uint64_t)(int64_t)a->offset;
		return i->pc_known && (!i->el || i->pc >> 63);
	}
	if (a->base == TL_XTRACE_BASE_ANYWHERE || !tl_xtrace_registers_know(r, a->rn))
		return false;
	*address = r->x[a->rn] + (uint64_t)(int64_t)a->offset;
	if (a->base == TL_XTRACE_BASE_OFFSET)
		return true;
	*address += extended(r->x[a->rm], a->option) << a->shift;
	return a->rm == TL_A64_ZERO || tl_xtrace_registers_know(r, a->rm);
}

static bool same_place(uint64_t a, uint64_t b)
{
	return a << 8 == b << 8;
}

/* SP has no tag, so that its value is known from where an access relative to it was. */
static void learn_sp(struct tl_xtrace_check_stream *s, uint64_t address)
{
	const struct tl_xtrace_check_access *a = &s->last.op->access;

	if (a->base == TL_XTRACE_BASE_OFFSET && a->rn == TL_XTRACE_REG_SP &&
	    !tl_xtrace_registers_know(&s->registers, TL_XTRACE_REG_SP))
		tl_xtrace_registers_set(&s->registers, TL_XTRACE_REG_SP,
					address - (uint64_t)(int64_t)a->offset);
}

/* False: it is somewhere else, so that neither place says anything of memory. */
static bool judge_address(struct tl_xtrace_check_stream *s, bool store, uint64_t address)
{
	struct tl_xtrace_check_insn *i = &s->last;
	uint32_t done = i->accessed[store], other = i->accessed[!store];
	uint64_t expected;
	bool known = true;

	/* Behind the one before; the store of an atomic operation where its load was. */
	if (done)
		expected = i->first_access + done;
	else if (other)
		expected = i->first_access;
	else
		known = expected_address(s, &expected);
	if (!done && !other)
		i->first_access = address;
	if (!known)
		learn_sp(s, address);
	if (!known || same_place(expected, address))
		return true;
	tl_xtrace_expected(s, "0x%" PRIx64, expected);
	tl_xtrace_report_insn(s, TL_XTRACE_RULE_ACCESS_ADDRESS, tl_xtrace_walk_offset(&s->walk));
	if (store)
		tl_xtrace_check_forget(s, expected, tl_xtrace_access_size(*s->walk.token));
	return false;
}

/* Register number `which` of those that are stored; of `size` bytes each. */
static bool expected_byte(const struct tl_xtrace_check_stream *s, uint32_t at, uint32_t size,
			  uint8_t *byte)
{
	const struct tl_xtrace_check_access *a = &s->last.op->access;
	unsigned number = at / size ? a->rt2 : a->rt;

	*byte = (uint8_t)(s->registers.x[number] >> 8 * (at % size));
	return number == TL_A64_ZERO || tl_xtrace_registers_know(&s->registers, number);
}

static void judge_data(struct tl_xtrace_check_stream *s, uint32_t size)
{
	const struct tl_xtrace_check_insn *i = &s->last;
	const struct tl_xtrace_check_access *a = &i->op->access;
	const uint8_t *bytes = s->walk.token + 9;
	uint32_t of_one = a->bytes / a->registers;

	for (uint32_t n = 0; n < size; n++) {
		uint8_t byte;

		if (!expected_byte(s, i->accessed[1] + n, of_one, &byte) || byte == bytes[n])
			continue;
		tl_xtrace_expected(s, "byte %" PRIu32 " is 0x%02x", n, byte);
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_ACCESS_VALUE,
				      tl_xtrace_walk_offset(&s->walk));
		return;
	}
}

/* The bytes of a store of vectors, register by register. */
static void judge_vectors(struct tl_xtrace_check_stream *s, uint32_t size)
{
	const struct tl_xtrace_check_insn *i = &s->last;
	const struct tl_xtrace_check_access *a = &i->op->access;
	uint32_t of_one = a->bytes / a->registers, done = i->accessed[1];
	const uint8_t *bytes = s->walk.token + 9;

	while (size) {
		uint32_t at = done % of_one, part = tl_min(size, of_one - at);
		unsigned number = done / of_one ? a->rt2 : a->rt;

		if (!tl_xtrace_check_vector_holds(&s->vectors, number, at, bytes, part)) {
			tl_xtrace_expected(s, "V%u as before", number);
			tl_xtrace_report_insn(s, TL_XTRACE_RULE_ACCESS_VALUE,
					      tl_xtrace_walk_offset(&s->walk));
			tl_xtrace_check_vectors_forget(&s->vectors, UINT32_C(1) << number);
		}
		done += part;
		bytes += part;
		size -= part;
	}
}

/* An access that is within the bytes of its instruction. */
static void judge_bytes(struct tl_xtrace_check_stream *s, bool store, uint32_t size)
{
	const struct tl_xtrace_check_insn *i = &s->last;

	if (!i->op->access.vector && store)
		judge_data(s, size);
	else if (store)
		judge_vectors(s, size);
	else if (i->op->access.vector)
		memcpy(s->vectors.loaded + i->accessed[0], s->walk.token + 9, size);
}

bool tl_xtrace_check_access_of_insn(struct tl_xtrace_check_stream *s, bool store)
{
	struct tl_xtrace_check_insn *i = &s->last;
	const struct tl_xtrace_check_access *a = &i->op->access;
	uint32_t size = (uint32_t)tl_xtrace_access_size(*s->walk.token);
	uint64_t offset = tl_xtrace_walk_offset(&s->walk);
	bool right;

	if (!(store ? a->writes : a->reads)) {
		/* What belongs to no such instruction at all, grammar.c tells. */
		if (a->reads || a->writes) {
			i->misdirected = true;
			tl_xtrace_expected(s, "%s", store ? "loads" : "stores");
			tl_xtrace_report_insn(s, TL_XTRACE_RULE_ACCESS_DIRECTION, offset);
		}
		return false;
	}
	if (!a->bytes)
		return true;
	right = judge_address(s, store, tl_xtrace_walk_value(&s->walk));
	if (i->accessed[store] + size > a->bytes) {
		tl_xtrace_expected(s, "%u bytes", a->bytes);
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_ACCESS_SIZE, offset);
	} else if (a->registers) {
		judge_bytes(s, store, size);
	}
	i->accessed[store] += size;
	return right;
}

/* ---- all of them ---- */

void tl_xtrace_check_accesses_end(struct tl_xtrace_check_stream *s)
{
	struct tl_xtrace_check_insn *i = &s->last;
	const struct tl_xtrace_check_access *a = &i->op->access;

	if (!(i->seen & TL_XTRACE_CHECK_ACCESSES))
		i->accessed[0] = i->accessed[1] = 0;
	if (i->misdirected)
		return;
	/* Nothing at all, or a part: that is a fault if what comes next says so. */
	if ((a->needs_load && i->accessed[0] < a->bytes) ||
	    (a->needs_store && i->accessed[1] < a->bytes) ||
	    (i->accessed[1] && i->accessed[1] < a->bytes))
		i->incomplete = true;
}

void tl_xtrace_check_incomplete(struct tl_xtrace_check_stream *s)
{
	const struct tl_xtrace_check_insn *i = &s->last;
	const struct tl_xtrace_check_access *a = &i->op->access;
	bool none = !i->accessed[0] && !i->accessed[1];

	tl_xtrace_expected(s, "%s of %u bytes",
			   a->needs_load && a->writes ? "a load and a store"
			   : a->needs_load            ? "a load"
						      : "a store",
			   a->bytes);
	tl_xtrace_report_insn(s, none ? TL_XTRACE_RULE_ACCESS_MISSING : TL_XTRACE_RULE_ACCESS_SIZE,
			      i->offset);
}
