/* SPDX-License-Identifier: Apache-2.0 */
/* Values of registers in the trace against their known values (9.2, item 12). */
#include "xtrace/check/check.h"

#include <inttypes.h>

/* A register is said to have a value: it has it from here on. 31 is the one that is always 0. */
static void expect(struct tl_xtrace_check_stream *s, unsigned number, uint64_t value, uint64_t mask)
{
	const struct tl_xtrace_registers *r = &s->registers;
	uint64_t known = number == 31 ? 0 : r->x[number];

	if ((number == 31 || tl_xtrace_registers_know(r, number)) && ((known ^ value) & mask)) {
		tl_xtrace_expected(s, "0x%" PRIx64, known);
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_REGISTER_VALUE,
				      tl_xtrace_walk_offset(&s->walk));
	}
	if (number < 31 && mask == UINT64_MAX)
		tl_xtrace_registers_set(&s->registers, number, value);
}

/* "An argument of the system call: the first is the system call number (x8), the next six are
 * x0-x5". */
static void system_call_argument(struct tl_xtrace_check_stream *s, uint64_t value)
{
	struct tl_xtrace_check_insn *i = &s->last;

	if (i->svcargs >= s->dialect.svcargs)
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_GRAMMAR_TWICE,
				      tl_xtrace_walk_offset(&s->walk));
	if (i->svcargs < 7) {
		i->args[i->svcargs] = value;
		expect(s, i->svcargs ? i->svcargs - 1u : 8, value, UINT64_MAX);
		i->svcargs++;
	}
}

/* Bits 20:5 of MSR and MRS: S3_0_C2_C0_0 and S3_3_C0_C0_7. */
enum {
	SYSTEM_REGISTER = 0x1fffe0,
	TTBR0_EL1 = 0x182000,
	DCZID_EL0 = 0x1b00e0,
	NZCV = 0x1b4200,
	LARGEST_BLOCK = 9,
};

/* Those of a snapshot that nothing but MSR changes. */
static const struct {
	uint32_t name;
	uint8_t number; /* in the snapshot (2.3, item 10) */
} stable[TL_XTRACE_CHECK_SYSREGS] = {
	{ 0x1b4400, 0 },                   /* FPCR, S3_3_C4_C4_0 */
	{ 0x1bd040, 3 },                   /* TPIDR_EL0, S3_3_C13_C0_2 */
	{ 0x1bd060, 4 },                   /* TPIDRRO_EL0, S3_3_C13_C0_3 */
	{ TTBR0_EL1, 5 }, { 0x18d080, 9 }, /* TPIDR_EL1, S3_0_C13_C0_4 */
};

/* A system register is said to have a value. */
static void expect_system_register(struct tl_xtrace_check_stream *s, uint32_t name, uint64_t value)
{
	bool written = s->last.op->a64.special == TL_A64_MSR;

	for (unsigned i = 0; i < TL_XTRACE_CHECK_SYSREGS; i++) {
		if (stable[i].name != name)
			continue;
		if (!written && (s->sysregs.known >> i & 1) && s->sysregs.values[i] != value) {
			tl_xtrace_expected(s, "0x%" PRIx64, s->sysregs.values[i]);
			tl_xtrace_report_insn(s, TL_XTRACE_RULE_REGISTER_VALUE,
					      tl_xtrace_walk_offset(&s->walk));
		}
		s->sysregs.values[i] = value;
		s->sysregs.known |= 1u << i;
	}
}

bool tl_xtrace_check_sysregs(struct tl_xtrace_check_stream *s, const uint64_t *values)
{
	bool agree = true;

	for (unsigned i = 0; i < TL_XTRACE_CHECK_SYSREGS; i++) {
		uint64_t value = values[stable[i].number];

		if ((s->sysregs.known >> i & 1) && s->sysregs.values[i] != value)
			agree = false;
		/* A zero may be a register that the collector has no way to read. */
		if (value) {
			s->sysregs.values[i] = value;
			s->sysregs.known |= 1u << i;
		}
	}
	return agree;
}

/* NZCV is said to have a value, before the instruction or behind it. */
static void expect_flags(struct tl_xtrace_check_stream *s, uint64_t value, bool before)
{
	const struct tl_xtrace_registers *r = &s->registers;

	bool known = before && r->known & TL_XTRACE_KNOWN_FLAGS;

	if ((known && (uint64_t)r->nzcv << 28 != value) || value & ~UINT64_C(0xf0000000)) {
		if (known)
			tl_xtrace_expected(s, "0x%x", r->nzcv << 28);
		else
			tl_xtrace_expected(s, "bits 31 to 28");
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_REGISTER_VALUE,
				      tl_xtrace_walk_offset(&s->walk));
	}
	s->last.flags = value;
	s->last.has_flags = true;
}

static void system_register(struct tl_xtrace_check_stream *s, uint64_t value)
{
	uint32_t opcode = s->last.op->a64.opcode, name = opcode & SYSTEM_REGISTER;

	expect_system_register(s, name, value);
	if (name == NZCV)
		expect_flags(s, value, s->last.op->a64.special == TL_A64_MRS);
	if (s->last.op->a64.special == TL_A64_MSR) {
		expect(s, opcode & 31, value, UINT64_MAX);
		if (name == TTBR0_EL1)
			tl_xtrace_check_space(s, value);
		return;
	}
	s->last.result = value;
	if (name == DCZID_EL0 && value <= LARGEST_BLOCK)
		s->program.zero_block = 4u << value;
}

/* BR, BLR and RET without authentication jump to the address in the register. */
static void branch_target(struct tl_xtrace_check_stream *s, uint64_t value)
{
	uint32_t opcode = s->last.op->a64.opcode;

	s->last.target = value;
	if ((opcode & 0xff9ffc1f) == 0xd61f0000 && s->last.op->a64.flow != TL_A64_EXCEPTION_RETURN)
		expect(s, opcode >> 5 & 31, value, UINT64_MAX >> 8);
}

void tl_xtrace_check_value(struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind,
			   uint64_t value)
{
	switch (kind) {
	case TL_XTRACE_SVCARG:
		system_call_argument(s, value);
		break;
	case TL_XTRACE_MRS:
		system_register(s, value);
		break;
	case TL_XTRACE_TARGET_B:
		branch_target(s, value);
		break;
	case TL_XTRACE_DC:
		expect(s, s->last.op->a64.opcode & 31, value, UINT64_MAX);
		if (s->last.op->a64.special == TL_A64_DC_ZERO)
			tl_xtrace_check_zero(s, value);
		break;
	case TL_XTRACE_STXR:
		s->last.result = value;
		break;
	case TL_XTRACE_FLAGS:
		expect_flags(s, value, !(s->last.op->effect.forget & TL_XTRACE_KNOWN_FLAGS));
		break;
	default:
		break;
	}
}

/*
 * X0 to X30 from a block of all registers; `sp`: X31 is the SP of the same level as before, else
 * that of another.
 */
void tl_xtrace_check_all_registers(struct tl_xtrace_check_stream *s, const uint8_t *values, bool sp)
{
	struct tl_xtrace_registers *r = &s->registers;
	bool agree = true;

	for (unsigned i = 0; i < 32; i++) {
		uint64_t value = tl_get64s(values + 8 * (size_t)i, TL_HOST_BIG_ENDIAN);

		if ((i < TL_XTRACE_REG_SP || sp) && tl_xtrace_registers_know(r, i) &&
		    r->x[i] != value)
			agree = false;
		r->x[i] = value;
	}
	r->known = TL_XTRACE_KNOWN_X;
	if (!agree)
		tl_xtrace_report(s, TL_XTRACE_RULE_REGISTER_VALUE,
				 (uint64_t)(values - 1 - s->stream->data), s->counts.ordinal,
				 TL_NOWHERE);
}

/* The PC decides, which has to be known, and not that of code that is mapped twice (check_flow.c).
 */
static bool is_relative(const struct tl_xtrace_insn_effect *e)
{
	return e->kind == TL_XTRACE_EFFECT_RELATIVE || e->kind == TL_XTRACE_EFFECT_PAGE ||
	       e->kind == TL_XTRACE_EFFECT_LINK;
}

/* 31 is no register here. */
static uint64_t bit_of(unsigned number)
{
	return number < 31 ? UINT64_C(1) << number : 0;
}

/* What it does to vectors: those that it loaded, or computed of what is known, are known. */
static void execute_vectors(struct tl_xtrace_check_stream *s)
{
	const struct tl_xtrace_check_insn *i = &s->last;
	const struct tl_a64_access *a = &i->op->access;
	bool loaded = a->needs_load && i->seen >> TL_XTRACE_LOAD & 1 && i->accessed[0] == a->bytes;
	uint32_t of_one;

	if (i->op->effect.kind == TL_XTRACE_EFFECT_VECTOR) {
		tl_xtrace_vectors_apply(&s->vectors, &s->registers, &i->op->effect);
		return;
	}
	/* Of single elements the others stay. */
	if (loaded && a->structure && !a->in_a_row) {
		tl_xtrace_vectors_load_structure(&s->vectors, i->op->a64.opcode);
		return;
	}
	tl_xtrace_vectors_forget(&s->vectors, i->op->vector_writes);
	if (!loaded || !tl_xtrace_check_of_vectors(a))
		return;
	of_one = tl_xtrace_check_of_one(a);
	for (uint32_t at = 0; at < a->bytes; at += of_one)
		tl_xtrace_vector_load(&s->vectors, tl_xtrace_check_register_at(a, at), 0,
				      s->vectors.loaded + at, of_one);
}

static void take_flags(struct tl_xtrace_registers *r, uint64_t flags)
{
	r->nzcv = (unsigned)(flags >> 28) & 15;
	r->known |= TL_XTRACE_KNOWN_FLAGS;
}

/* The last instruction is whole: what it does to registers. */
void tl_xtrace_check_execute(struct tl_xtrace_check_stream *s, bool interrupted)
{
	const struct tl_xtrace_check_insn *i = &s->last;
	struct tl_xtrace_registers *r = &s->registers;
	const struct tl_xtrace_insn_effect *e = &i->op->effect;

	if (i->op->vector_writes || e->kind == TL_XTRACE_EFFECT_VECTOR)
		execute_vectors(s);
	if (i->op->streaming == TL_XTRACE_CHECK_SETS_STREAMING)
		s->program.not_streaming = false;
	if (i->op->a64.access && (interrupted || !(i->seen & TL_XTRACE_CHECK_ACCESSES))) {
		/* It faulted, maybe in its second half, or was predicated away: it may have
		 * written, or not. */
		r->known &= ~e->forget;
		if (e->kind == TL_XTRACE_EFFECT_LOAD)
			r->known &= ~(bit_of(e->rd) | bit_of(e->rt2));
		if (e->writes_back)
			r->known &= ~(UINT64_C(1) << e->rn);
		return;
	}
	/* Those behind a conditional select are those that it decided by. */
	if (i->has_flags && !(e->forget & TL_XTRACE_KNOWN_FLAGS))
		take_flags(r, i->flags);
	if (e->kind != TL_XTRACE_EFFECT_VECTOR)
		tl_xtrace_registers_apply(r, e, i->pc, i->load, i->load_size);
	if (i->has_flags)
		take_flags(r, i->flags);
	if ((!i->pc_known || (i->el && !(i->pc >> 63))) && is_relative(e))
		r->known &= ~(UINT64_C(1)
			      << (e->kind == TL_XTRACE_EFFECT_LINK ? TL_XTRACE_REG_LINK : e->rd));
	if (i->seen >> TL_XTRACE_MRS & 1 && i->op->a64.special != TL_A64_MSR && e->rd != 31)
		tl_xtrace_registers_set(r, e->rd, i->result);
	if (i->seen >> TL_XTRACE_STXR & 1 && (i->op->a64.opcode >> 16 & 31) != 31)
		tl_xtrace_registers_set(r, i->op->a64.opcode >> 16 & 31, (uint32_t)i->result);
	if (i->op->a64.special == TL_A64_SVC) {
		/* X0 is the result; rt_sigreturn restores all registers. */
		r->known &= ~UINT64_C(1);
		if (i->svcargs && tl_xtrace_syscall_jumps(i->args[0]))
			r->known = 0;
		/* Linux: "PSTATE.SM will be cleared" by a system call; that of a signal's handler
		 * brings back what it interrupted. */
		s->program.not_streaming =
			!i->el && i->svcargs && !tl_xtrace_syscall_jumps(i->args[0]);
		tl_xtrace_check_syscall(s);
	}
}
