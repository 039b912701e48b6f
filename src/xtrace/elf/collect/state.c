/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/collect/state.h"

#include <string.h>

#include "core/arithmetic.h"
#include "isa/a64/a64_access.h"
#include "xtrace/state/vector_registers.h"

/* System registers in the order of tl_xtrace_sysreg_name(). */
enum { FPCR, FPSR, NZCV };

void tl_xtrace_vectors_of_snapshot(struct tl_xtrace_replay_vectors *v,
				   const struct tl_xtrace_snapshot *s)
{
	size_t size = tl_min(s->vector_bytes, (uint32_t)sizeof(v->z[0]));

	for (unsigned i = 0; i < 32; i++)
		memcpy(v->z[i], s->z + (size_t)i * s->z_stride, size);
	for (unsigned i = 0; i < 16; i++)
		memcpy(v->p[i], s->p + (size_t)i * s->p_stride, size / 8);
	memcpy(v->p[16], s->ffr, size / 8);
	v->bytes = (uint32_t)size;
}

void tl_xtrace_state_begin(struct tl_xtrace_state *s, const struct tl_xtrace_snapshot *snapshot)
{
	*s = (struct tl_xtrace_state){
		.vectors = UINT32_MAX,
		.predicates = true,
		.control = true,
		.status = true,
		.fpcr = snapshot->sysregs[FPCR],
		.fpsr = snapshot->sysregs[FPSR],
	};
	for (unsigned i = 0; i < 32; i++)
		tl_xtrace_registers_set(&s->general, i, snapshot->x[i]);
	s->general.nzcv = (unsigned)(snapshot->sysregs[NZCV] >> 28) & 15;
	s->general.known |= TL_XTRACE_KNOWN_FLAGS;
	tl_xtrace_vectors_of_snapshot(&s->values, snapshot);
}

void tl_xtrace_state_forget(struct tl_xtrace_state *s)
{
	s->general.known = 0;
	s->vectors = 0;
	s->predicates = s->control = s->status = false;
}

/* What the tokens of an instruction say. */
struct told {
	bool has_value, has_exclusive, has_flags;
	uint64_t value, exclusive, flags; /* of MRS and MSR, of STXR, NZCV */
	uint8_t loaded[2 * TL_XTRACE_VECTOR_BYTES];
	uint32_t size;
};

static void take_load(struct told *told, const struct tl_xtrace_walk *w)
{
	size_t size = tl_xtrace_access_size(*w->token);

	if (size > sizeof(told->loaded) - told->size)
		return;
	memcpy(told->loaded + told->size, w->token + 9, size);
	told->size += (uint32_t)size;
}

/* X8, X0 to X5. */
static void take_argument(struct tl_xtrace_state *s, unsigned number, uint64_t value)
{
	if (number <= 6)
		tl_xtrace_registers_set(&s->general, number ? number - 1 : 8, value);
}

static struct told take_tokens(struct tl_xtrace_state *s, const struct tl_xtrace_step *step)
{
	struct tl_xtrace_walk w = step->tokens;
	struct told told = { .size = 0 };
	enum tl_xtrace_kind kind;
	unsigned arguments = 0;

	while ((kind = tl_xtrace_step_token(&w)) != TL_XTRACE_NONE) {
		uint64_t value = tl_xtrace_walk_value(&w);

		if (kind == TL_XTRACE_LOAD) {
			take_load(&told, &w);
		} else if (kind == TL_XTRACE_SVCARG) {
			take_argument(s, arguments++, value);
		} else if (kind == TL_XTRACE_MRS) {
			told.has_value = true;
			told.value = value;
		} else if (kind == TL_XTRACE_STXR) {
			told.has_exclusive = true;
			told.exclusive = value;
		} else if (kind == TL_XTRACE_FLAGS) {
			told.has_flags = true;
			told.flags = value;
		}
	}
	return told;
}

/* ---- vectors ---- */

static bool computes_vectors(const struct tl_a64 *insn)
{
	return insn->class == TL_A64_FLOAT || insn->class == TL_A64_SIMD ||
	       insn->class == TL_A64_SVE || insn->class == TL_A64_SME ||
	       insn->class == TL_A64_CRYPTO;
}

/* Of a system call Linux says: V0 to V31 are as before, nothing else is sure. */
uint32_t tl_xtrace_state_vector_writes(const struct tl_a64 *insn, uint32_t vector_bytes)
{
	if (insn->special == TL_A64_SVC && vector_bytes == TL_XTRACE_VECTOR_BYTES)
		return 0;
	return tl_xtrace_vector_writes(insn->opcode);
}

static void load_vector(struct tl_xtrace_state *s, unsigned number, const uint8_t *bytes,
			uint32_t size)
{
	memset(s->values.z[number], 0, sizeof(s->values.z[number]));
	memcpy(s->values.z[number], bytes, size);
	s->vectors |= UINT32_C(1) << number;
}

static void step_vectors(struct tl_xtrace_state *s, const struct tl_a64 *insn,
			 const struct told *told)
{
	struct tl_a64_access access = tl_a64_access_of(insn);
	uint32_t of_one = access.registers ? access.bytes / access.registers : 0;

	s->vectors &= ~tl_xtrace_state_vector_writes(insn, s->values.bytes);
	if (insn->class == TL_A64_SVE || insn->class == TL_A64_SME ||
	    insn->access & TL_A64_SCALABLE || insn->special == TL_A64_SVC)
		s->predicates = false;
	if (computes_vectors(insn))
		s->status = false;
	if (!access.vector || !access.needs_load || !of_one || told->size != access.bytes)
		return;
	load_vector(s, access.rt, told->loaded, of_one);
	if (access.registers == 2)
		load_vector(s, access.rt2, told->loaded + of_one, of_one);
}

/* ---- the others ---- */

static bool writes_control(uint32_t opcode)
{
	return (opcode & ~UINT32_C(31)) == 0xd51b4400;
}

static bool writes_status(uint32_t opcode)
{
	return (opcode & ~UINT32_C(31)) == 0xd51b4420;
}

static void step_system(struct tl_xtrace_state *s, uint32_t opcode, const struct told *told)
{
	if (writes_control(opcode)) {
		s->control = told->has_value;
		s->fpcr = told->value;
	} else if (writes_status(opcode)) {
		s->status = told->has_value;
		s->fpsr = told->value;
	}
}

static uint64_t bit_of(unsigned number)
{
	return number < 31 ? UINT64_C(1) << number : 0;
}

/* It faulted, or was left out: it may have written, or not. A store has Rd, and writes it never. */
static void forget_writes(struct tl_xtrace_registers *r, const struct tl_xtrace_insn_effect *e)
{
	r->known &= ~e->forget;
	if (e->kind != TL_XTRACE_EFFECT_NONE)
		r->known &= ~(bit_of(e->rd) | bit_of(e->rt2));
	if (e->writes_back)
		r->known &= ~(UINT64_C(1) << e->rn);
	if (e->kind == TL_XTRACE_EFFECT_LINK)
		r->known &= ~(UINT64_C(1) << TL_XTRACE_REG_LINK);
}

void tl_xtrace_state_doubt(struct tl_xtrace_state *s, const struct tl_xtrace_step *step)
{
	struct tl_xtrace_insn_effect effect = tl_xtrace_insn_effect(step->insn.opcode);
	struct told told = take_tokens(s, step);

	forget_writes(&s->general, &effect);
	s->general.known &= ~(UINT64_C(1) << TL_XTRACE_REG_SP);
	told.size = 0;
	step_vectors(s, &step->insn, &told);
	s->vectors &= ~tl_xtrace_state_vector_writes(&step->insn, s->values.bytes);
	s->control &= !writes_control(step->insn.opcode);
	s->status &= !writes_status(step->insn.opcode);
}

static void step_general(struct tl_xtrace_registers *r, const struct tl_xtrace_step *step,
			 const struct told *told)
{
	struct tl_xtrace_insn_effect e = tl_xtrace_insn_effect(step->insn.opcode);
	unsigned status = step->insn.opcode >> 16 & 31;

	/* A store exclusive without an access has done nothing but to say so. */
	if (step->insn.access && !step->accessed) {
		forget_writes(r, &e);
		if (told->has_exclusive && status != 31)
			tl_xtrace_registers_set(r, status, (uint32_t)told->exclusive);
		return;
	}
	if (told->has_flags && !(e.forget & TL_XTRACE_KNOWN_FLAGS)) {
		r->nzcv = (unsigned)(told->flags >> 28) & 15;
		r->known |= TL_XTRACE_KNOWN_FLAGS;
	}
	tl_xtrace_registers_apply(r, &e, step->pc, told->loaded, told->size);
	if (told->has_flags) {
		r->nzcv = (unsigned)(told->flags >> 28) & 15;
		r->known |= TL_XTRACE_KNOWN_FLAGS;
	}
	if (told->has_value && step->insn.special != TL_A64_MSR && e.rd != 31)
		tl_xtrace_registers_set(r, e.rd, told->value);
	if (told->has_exclusive && status != 31)
		tl_xtrace_registers_set(r, status, (uint32_t)told->exclusive);
	if (step->insn.special == TL_A64_SVC)
		r->known &= ~UINT64_C(1);
	if (step->insn.special == TL_A64_SVC && step->has_result && !tl_xtrace_step_breaks(step))
		tl_xtrace_registers_set(r, 0, step->result);
}

void tl_xtrace_state_step(struct tl_xtrace_state *s, const struct tl_xtrace_step *step)
{
	struct told told = take_tokens(s, step);

	step_general(&s->general, step, &told);
	step_vectors(s, &step->insn, &told);
	step_system(s, step->insn.opcode, &told);
}
