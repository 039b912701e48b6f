/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses against the instruction that they belong to: how many bytes it loads and stores, where,
 * and what a store of general registers holds.
 */
#include "xtrace/check/check.h"

#include <inttypes.h>
#include <string.h>

#include "core/arithmetic.h"

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
	const struct tl_a64_access *a = &i->op->access;
	const struct tl_xtrace_registers *r = &s->registers;

	if (a->base == TL_A64_BASE_LITERAL) {
		*address = i->pc + (uint64_t)(int64_t)a->offset;
		return i->pc_known && (!i->el || i->pc >> 63);
	}
	if (a->base == TL_A64_BASE_ANYWHERE || !tl_xtrace_registers_know(r, a->rn))
		return false;
	*address = r->x[a->rn] + (uint64_t)(int64_t)a->offset;
	if (a->base == TL_A64_BASE_OFFSET)
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
	const struct tl_a64_access *a = &s->last.op->access;

	if (a->base == TL_A64_BASE_OFFSET && a->rn == TL_XTRACE_REG_SP &&
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

/* Byte `at` of the general registers that are stored. */
static bool expected_byte(const struct tl_xtrace_check_stream *s, uint32_t at, uint8_t *byte)
{
	const struct tl_a64_access *a = &s->last.op->access;
	unsigned number = tl_xtrace_check_register_at(a, at);

	*byte = (uint8_t)(s->registers.x[number] >> 8 * (at % tl_xtrace_check_of_one(a)));
	return number == TL_A64_ZERO || tl_xtrace_registers_know(&s->registers, number);
}

static void judge_data(struct tl_xtrace_check_stream *s, uint32_t size)
{
	const struct tl_xtrace_check_insn *i = &s->last;
	const uint8_t *bytes = s->walk.token + 9;

	for (uint32_t n = 0; n < size; n++) {
		uint8_t byte;

		if (!expected_byte(s, i->accessed[1] + n, &byte) || byte == bytes[n])
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
	const struct tl_a64_access *a = &i->op->access;
	uint32_t of_one = tl_xtrace_check_of_one(a), done = i->accessed[1];
	const uint8_t *bytes = s->walk.token + 9;

	while (size) {
		uint32_t at = done % of_one, part = tl_min(size, of_one - at);
		unsigned number = tl_xtrace_check_register_at(a, done);

		if (!tl_xtrace_vector_holds(&s->vectors, number, at, bytes, part)) {
			tl_xtrace_expected(s, "V%u as before", number);
			tl_xtrace_report_insn(s, TL_XTRACE_RULE_ACCESS_VALUE,
					      tl_xtrace_walk_offset(&s->walk));
			tl_xtrace_vectors_forget(&s->vectors, UINT32_C(1) << number);
		}
		done += part;
		bytes += part;
		size -= part;
	}
}

/* The bytes of a store of a structure: a byte that is not known may be any. */
static void judge_structure(struct tl_xtrace_check_stream *s, uint32_t size)
{
	const struct tl_xtrace_check_insn *i = &s->last;
	const struct tl_a64_structure structure = tl_a64_structure_of(i->op->a64.opcode);
	const uint8_t *bytes = s->walk.token + 9;

	for (uint32_t n = 0; n < size; n++) {
		unsigned number, at;
		uint8_t known;

		tl_a64_structure_place(&structure, i->accessed[1] + n, &number, &at);
		if (tl_xtrace_vector_may_be(&s->vectors, number, at, bytes[n], &known))
			continue;
		tl_xtrace_expected(s, "byte %" PRIu32 " is 0x%02x", n, known);
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_ACCESS_VALUE,
				      tl_xtrace_walk_offset(&s->walk));
		return;
	}
}

/* An access that is within the bytes of its instruction. */
static void judge_bytes(struct tl_xtrace_check_stream *s, bool store, uint32_t size)
{
	const struct tl_xtrace_check_insn *i = &s->last;
	const struct tl_a64_access *a = &i->op->access;

	if (store && tl_xtrace_check_of_vectors(a))
		judge_vectors(s, size);
	else if (store && a->structure)
		judge_structure(s, size);
	else if (store)
		judge_data(s, size);
	else if (a->vector || a->structure)
		memcpy(s->vectors.loaded + i->accessed[0], s->walk.token + 9, size);
}

bool tl_xtrace_check_access_of_insn(struct tl_xtrace_check_stream *s, bool store)
{
	struct tl_xtrace_check_insn *i = &s->last;
	const struct tl_a64_access *a = &i->op->access;
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
	} else if (a->registers || a->structure) {
		judge_bytes(s, store, size);
	}
	i->accessed[store] += size;
	return right;
}

/* ---- all of them ---- */

void tl_xtrace_check_accesses_end(struct tl_xtrace_check_stream *s)
{
	struct tl_xtrace_check_insn *i = &s->last;
	const struct tl_a64_access *a = &i->op->access;

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
	const struct tl_a64_access *a = &i->op->access;
	bool none = !i->accessed[0] && !i->accessed[1];

	tl_xtrace_expected(s, "%s of %u bytes",
			   a->needs_load && a->writes ? "a load and a store"
			   : a->needs_load            ? "a load"
						      : "a store",
			   a->bytes);
	tl_xtrace_report_insn(s, none ? TL_XTRACE_RULE_ACCESS_MISSING : TL_XTRACE_RULE_ACCESS_SIZE,
			      i->offset);
}
