/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/rewrite.h"

#include "xtrace/elf/context.h"
#include "xtrace/elf/first_fault.h"
#include "xtrace/elf/words.h"

/* ---- what is needed ---- */

static bool is(uint32_t opcode, uint32_t mask, uint32_t value)
{
	return (opcode & mask) == value;
}

/* System registers that only the program changes: MRS finds in them what it put there. */
static bool is_own_register(uint32_t opcode)
{
	static const uint32_t own[] = {
		0xd53b4200, /* NZCV */
		0xd53b42a0, /* DIT */
		0xd53b42c0, /* SSBS */
		0xd53b42e0, /* TCO */
		0xd53b4400, /* FPCR */
		0xd53b4420, /* FPSR */
		0xd53bd040, /* TPIDR_EL0 */
	};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if ((opcode & ~31u) == own[i])
			return true;
	return false;
}

/* LDRAA, LDRAB: loads by a signed pointer. */
static bool is_signed_load(uint32_t opcode)
{
	return is(opcode, 0xff200400, 0xf8200400);
}

static bool is_signed_branch(const struct tl_a64 *insn)
{
	return is(insn->opcode, 0xfe000800, 0xd6000800) && insn->flow != TL_A64_NEXT;
}

static enum tl_xtrace_rewrite refuse(const char **why, const char *text)
{
	*why = text;
	return TL_XTRACE_REFUSED;
}

static enum tl_xtrace_rewrite system_rewrite(const struct tl_a64 *insn, const char **why)
{
	switch (insn->special) {
	case TL_A64_SVC:
		return TL_XTRACE_CALL;
	case TL_A64_RNDR:
		return refuse(why, "a random number is read (RNDR), whose flags a slice cannot "
				   "bring back");
	case TL_A64_MRS:
		return is_own_register(insn->opcode) || (insn->opcode & 31) == 31
			       ? TL_XTRACE_AS_IT_IS
			       : TL_XTRACE_READ;
	case TL_A64_MSR:
		return (insn->opcode & ~31u) == 0xd51bd040 ? TL_XTRACE_THREAD : TL_XTRACE_AS_IT_IS;
	case TL_A64_STORE_EXCLUSIVE:
		return TL_XTRACE_EXCLUSIVE;
	default:
		return TL_XTRACE_AS_IT_IS;
	}
}

/* "SME encodings", which loads and stores of ZA are among; MSR of SVCR: SMSTART, SMSTOP. */
static bool is_sme(uint32_t opcode)
{
	return is(opcode, 0x9e000000, 0x80000000) || is(opcode, 0xfffff8ff, 0xd503407f) ||
	       is(opcode, 0xffffffe0, 0xd51b4240);
}

enum tl_xtrace_rewrite tl_xtrace_rewrite_of(const struct tl_a64 *insn, const char **why)
{
	uint32_t opcode = insn->opcode;

	if (is(opcode, 0xffe0fc00, 0x9ac03000))
		return refuse(why, "a code is made with a key that is not in the trace (PACGA)");
	if (insn->class == TL_A64_AUTH || is_signed_load(opcode) || is_signed_branch(insn))
		return opcode == TL_XTRACE_XPACLRI || is(opcode, 0xfffffbe0, 0xdac143e0)
			       ? TL_XTRACE_AS_IT_IS
			       : TL_XTRACE_SIGNED;
	if (tl_xtrace_is_first_fault(opcode))
		return TL_XTRACE_SOME;
	if (is_sme(opcode))
		return refuse(why, "an SME instruction: ZA and the streaming mode cannot be "
				   "brought back yet");
	if (tl_a64_is_memory_copy(opcode))
		return refuse(why, "memory is copied or set by one instruction (CPY, SET), whose "
				   "accesses are not in the trace");
	if (insn->access & TL_A64_TAGS || is(opcode, 0xffe0fc00, 0x9ac01000))
		return refuse(why, "memory tags are used, which are not in the trace");
	return system_rewrite(insn, why);
}

bool tl_xtrace_can_move(const struct tl_a64 *insn)
{
	uint32_t opcode = insn->opcode;

	/* LDR (literal) of a vector register; BLR X30 and the like */
	if (is(opcode, 0x3f000000, 0x1c000000))
		return false;
	return insn->flow != TL_A64_CALL_REGISTER || (opcode >> 5 & 31) != 30;
}

/* ---- pointer authentication ---- */

/* Hints: bit 7 tells AUT from PAC. */
static uint32_t hint_without_signature(uint32_t opcode)
{
	if (!(opcode & 0x80))
		return TL_XTRACE_NOP;
	return is(opcode, 0xffffff1f, 0xd503231f) ? (uint32_t)TL_XTRACE_XPACLRI
						  : tl_xtrace_op_xpaci(17);
}

uint32_t tl_xtrace_without_signature(uint32_t opcode)
{
	/* PACIA, PACIB, PACDA, PACDB, AUTIA, ..., then the same with a zero modifier */
	unsigned number = opcode >> 10 & 63, rd = opcode & 31;

	if (is(opcode, 0xfffff01f, 0xd503201f))
		return hint_without_signature(opcode);
	if (!is(opcode, 0xffff0000, 0xdac10000) || number > 15)
		return 0;
	if (!(number & 4))
		return TL_XTRACE_NOP;
	return number & 2 ? tl_xtrace_op_xpacd(rd) : tl_xtrace_op_xpaci(rd);
}

/* ---- an instruction at another place ---- */

static const char too_far[] = "a branch is too far from where its code can be put";
static const char no_register[] =
	"an instruction that has to be rewritten uses the one register that is needed for it";

static const char *go_to(struct tl_xtrace_code *code, uint64_t target)
{
	int64_t offset = tl_xtrace_code_reach(code, target);

	tl_xtrace_code_put(code, tl_xtrace_op_b(offset));
	return tl_xtrace_branch_reaches(offset) ? NULL : too_far;
}

void tl_xtrace_put_begin_handler(struct tl_xtrace_code *code)
{
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(1, 0, TL_XTRACE_SIGNAL_BEGINS));
	tl_xtrace_code_put(code, tl_xtrace_op_br(1));
}

static const char *go_on(struct tl_xtrace_code *code, const struct tl_xtrace_away *away)
{
	if (!away->interrupted)
		return go_to(code, away->pc + 4);
	tl_xtrace_put_save(code, away->contexts);
	tl_xtrace_put_begin_handler(code);
	return NULL;
}

/* A branch does nothing but link: where it leads, control comes when the handler has returned. */
static const char *put_interrupted_branch(struct tl_xtrace_code *code,
					  const struct tl_xtrace_away *away,
					  const struct tl_a64 *insn)
{
	if (tl_a64_is_call(insn))
		tl_xtrace_code_load(code, 30, away->pc + 4);
	return go_on(code, away);
}

/* B.cond, CBZ, TBZ and the like: the same, but over a branch that is taken if it is not. */
static const char *put_conditional(struct tl_xtrace_code *code, const struct tl_xtrace_away *away,
				   const struct tl_a64 *insn)
{
	uint32_t opcode = away->opcode;
	const char *why;

	if (is(opcode, 0x7e000000, 0x36000000))
		opcode = (opcode & ~(0x3fffu << 5)) | 2u << 5;
	else
		opcode = (opcode & ~(0x7ffffu << 5)) | 2u << 5;
	tl_xtrace_code_put(code, opcode);
	why = go_on(code, away);
	return why ? why : go_to(code, away->pc + (uint64_t)(int64_t)insn->offset);
}

static const char *put_call(struct tl_xtrace_code *code, const struct tl_xtrace_away *away,
			    unsigned rn)
{
	if (rn == 30)
		return no_register;
	tl_xtrace_code_load(code, 30, away->pc + 4);
	tl_xtrace_code_put(code, tl_xtrace_op_br(rn));
	return NULL;
}

static const char *put_flow(struct tl_xtrace_code *code, const struct tl_xtrace_away *away,
			    const struct tl_a64 *insn)
{
	uint64_t target = away->pc + (uint64_t)(int64_t)insn->offset;

	switch (insn->flow) {
	case TL_A64_JUMP:
		return go_to(code, target);
	case TL_A64_CALL:
		tl_xtrace_code_load(code, 30, away->pc + 4);
		return go_to(code, target);
	case TL_A64_CONDITIONAL:
		return put_conditional(code, away, insn);
	case TL_A64_CALL_REGISTER:
		return put_call(code, away, away->opcode >> 5 & 31);
	default:
		tl_xtrace_code_put(code, away->opcode);
		return NULL;
	}
}

static int64_t sign_extend(uint64_t value, unsigned bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* ADR and ADRP. */
static uint64_t address_of(uint64_t pc, uint32_t opcode)
{
	int64_t offset = sign_extend((opcode >> 5 & 0x7ffff) << 2 | (opcode >> 29 & 3), 21);

	return opcode >> 31 ? (pc & ~UINT64_C(4095)) + (uint64_t)offset * 4096
			    : pc + (uint64_t)offset;
}

/* LDR and LDRSW (literal) of a general register; PRFM does nothing. */
static const char *put_literal_load(struct tl_xtrace_code *code, const struct tl_xtrace_away *away)
{
	static const uint32_t loads[] = { 0xb9400000, 0xf9400000, 0xb9800000 };
	unsigned size = away->opcode >> 30, rt = away->opcode & 31;
	int64_t offset = sign_extend(away->opcode >> 5 & 0x7ffff, 19) * 4;

	if (away->opcode >> 26 & 1)
		return "a load of a vector register from beside the code has to be rewritten";
	if (size < 3 && rt != 31) {
		tl_xtrace_code_load(code, rt, away->pc + (uint64_t)offset);
		tl_xtrace_code_put(code, loads[size] | rt << 5 | rt);
	}
	return go_on(code, away);
}

/*
 * With the signature taken off the register that the branch goes by. PSTATE.BTYPE is not seen, as
 * pages are mapped without PROT_BTI.
 */
static const char *put_signed_branch(struct tl_xtrace_code *code, const struct tl_xtrace_away *away,
				     const struct tl_a64 *insn)
{
	unsigned rn = away->opcode >> 5 & 31;

	if (insn->flow == TL_A64_RETURN) {
		tl_xtrace_code_put(code, TL_XTRACE_XPACLRI);
		tl_xtrace_code_put(code, TL_XTRACE_RET);
		return NULL;
	}
	tl_xtrace_code_put(code, tl_xtrace_op_xpaci(rn));
	if (insn->flow == TL_A64_CALL_REGISTER)
		return put_call(code, away, rn);
	tl_xtrace_code_put(code, tl_xtrace_op_br(rn));
	return NULL;
}

/* LDRAA Xt, [Xn, #offset]: Xt is free until then; with write-back, Xn becomes the address. */
static const char *put_signed_load(struct tl_xtrace_code *code, const struct tl_xtrace_away *away)
{
	unsigned rn = away->opcode >> 5 & 31, rt = away->opcode & 31;
	uint32_t number = (away->opcode >> 22 & 1) << 9 | (away->opcode >> 12 & 0x1ff);
	int64_t offset = sign_extend(number, 10) * 8;
	bool writes_back = away->opcode >> 11 & 1;
	unsigned base = writes_back ? rn : rt;

	if (rt == 31 || (writes_back && rn == 31))
		return no_register;
	if (!writes_back)
		tl_xtrace_code_put(code, tl_xtrace_op_add(rt, rn, 0));
	tl_xtrace_code_put(code, tl_xtrace_op_xpacd(base));
	if (offset < 0 && -offset < 4096)
		tl_xtrace_code_put(code, tl_xtrace_op_sub(base, base, (unsigned)-offset));
	else if (offset >= 0)
		tl_xtrace_code_put(code, tl_xtrace_op_add(base, base, (unsigned)offset));
	else
		return too_far;
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(rt, base, 0));
	return go_on(code, away);
}

static const char *put_signed(struct tl_xtrace_code *code, const struct tl_xtrace_away *away,
			      const struct tl_a64 *insn)
{
	if (is_signed_load(away->opcode))
		return put_signed_load(code, away);
	if (insn->flow != TL_A64_NEXT)
		return put_signed_branch(code, away, insn);
	tl_xtrace_code_put(code, tl_xtrace_without_signature(away->opcode));
	return go_on(code, away);
}

/* Sites keep X0 in TPIDR_EL0 while they begin, and put back what the context says. */
static const char *put_thread_id(struct tl_xtrace_code *code, const struct tl_xtrace_away *away)
{
	unsigned rt = away->opcode & 31, free = rt ? 0 : 1;

	tl_xtrace_code_put(code, tl_xtrace_op_msr(TL_XTRACE_SYS_TPIDR, free));
	tl_xtrace_put_context(code, free, away->contexts);
	tl_xtrace_code_put(code, tl_xtrace_op_str(rt, free, TL_XTRACE_THREAD_ID));
	tl_xtrace_code_put(code, tl_xtrace_op_mrs(free, TL_XTRACE_SYS_TPIDR));
	tl_xtrace_code_put(code, tl_xtrace_op_msr(TL_XTRACE_SYS_TPIDR, rt));
	return go_on(code, away);
}

static const char *put_result(struct tl_xtrace_code *code, const struct tl_xtrace_away *away,
			      unsigned rt)
{
	tl_xtrace_put_context(code, rt, away->contexts);
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(rt, rt, TL_XTRACE_RESULT));
	return go_on(code, away);
}

static const char *put_plain(struct tl_xtrace_code *code, const struct tl_xtrace_away *away)
{
	struct tl_a64 insn = tl_a64_classify(away->opcode);

	if (insn.flow != TL_A64_NEXT)
		return put_flow(code, away, &insn);
	if (is(away->opcode, 0x1f000000, 0x10000000)) {
		if ((away->opcode & 31) != 31)
			tl_xtrace_code_load(code, away->opcode & 31,
					    address_of(away->pc, away->opcode));
	} else if (is(away->opcode, 0x3b000000, 0x18000000)) {
		return put_literal_load(code, away);
	} else {
		tl_xtrace_code_put(code, away->opcode);
	}
	return go_on(code, away);
}

const char *tl_xtrace_put_away(struct tl_xtrace_code *code, const struct tl_xtrace_away *away)
{
	struct tl_a64 insn = tl_a64_classify(away->opcode);

	if (away->interrupted && insn.flow != TL_A64_NEXT && insn.flow != TL_A64_EXCEPTION_CALL)
		return put_interrupted_branch(code, away, &insn);
	switch (away->rewrite) {
	case TL_XTRACE_CALL:
		return go_on(code, away);
	case TL_XTRACE_READ:
		return put_result(code, away, away->opcode & 31);
	case TL_XTRACE_THREAD:
		return put_thread_id(code, away);
	case TL_XTRACE_SIGNED:
		return put_signed(code, away, &insn);
	default:
		return put_plain(code, away);
	}
}

/*
 * STXR, STLXR, STXP, STLXP as STR, STLR, STP without asking for the reservation, if the recorded
 * status says that it stored. Ws, which is neither operand, is free until then.
 */
static const char *put_store(struct tl_xtrace_code *code, const struct tl_xtrace_away *away)
{
	unsigned ws = away->opcode >> 16 & 31, rt = away->opcode & 31, rn = away->opcode >> 5 & 31;
	unsigned size = away->opcode >> 30;
	uint32_t store = (uint32_t)size << 30 | 0x39000000 | rn << 5 | rt;

	if (ws == 31)
		return no_register;
	tl_xtrace_put_saved(code);
	if (away->opcode >> 21 & 1)
		store = (size == 3 ? 0xa9000000u : 0x29000000u) | (away->opcode >> 10 & 31) << 10 |
			rn << 5 | rt;
	tl_xtrace_put_context(code, ws, away->contexts);
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(ws, ws, TL_XTRACE_RESULT));
	tl_xtrace_code_put(code, tl_xtrace_op_cbnz(ws, 8));
	tl_xtrace_code_put(code, store);
	return go_on(code, away);
}

const char *tl_xtrace_put_decided(struct tl_xtrace_code *code, const struct tl_xtrace_away *away)
{
	if (away->rewrite != TL_XTRACE_SOME)
		return put_store(code, away);
	tl_xtrace_put_first_fault(code, away->opcode, away->contexts);
	return go_on(code, away);
}
