/* SPDX-License-Identifier: Apache-2.0 */
/* Where an instruction may follow another (section 5), and changes of the exception level. */
#include "xtrace/check/check.h"

#include <inttypes.h>

/*
 * Exception vectors: a table of 16 entries of 128 bytes, aligned to 2048. From the same level
 * entries 0 to 7 are taken, from a lower one 8 to 15.
 */
static bool is_vector(uint64_t pc, bool from_below)
{
	return pc % 128 == 0 && (pc % 2048 >= 1024) == from_below;
}

/* Addresses as a PC holds them: the bits above 55 are tag, or all alike. */
static bool same_place(uint64_t a, uint64_t b)
{
	return a == b || a << 8 == b << 8;
}

/*
 * A kernel runs some of its code twice mapped: where it is linked, and at low addresses where it
 * turns on the MMU. An emulator that translates by physical address records the one for the other,
 * so at higher levels both are the same place.
 */
static bool mapped_twice(const struct tl_xtrace_check_insn *next, uint64_t expected)
{
	return next->el && (next->pc ^ expected) >> 63 && !((next->pc ^ expected) & 4095);
}

static bool is_at(const struct tl_xtrace_check_insn *next, uint64_t expected)
{
	return next->pc == expected || mapped_twice(next, expected);
}

/* "A faulting load/store is recorded as INST without MEM, then the handler, then the same PC
 * again". */
static bool is_repeated(const struct tl_xtrace_check_insn *last,
			const struct tl_xtrace_check_insn *next)
{
	return next->pc == last->pc && last->op->a64.access &&
	       (!(last->seen & TL_XTRACE_CHECK_ACCESSES) || last->incomplete);
}

static enum tl_xtrace_rule_number broken_unless(bool good, enum tl_xtrace_rule_number rule)
{
	return good ? TL_XTRACE_RULE_COUNT : rule;
}

/*
 * Whether a conditional branch leads to its target, or behind itself: by NZCV, or by the register
 * that CBZ, CBNZ, TBZ and TBNZ name (bit 24 turns it round). Not known: both.
 */
void tl_xtrace_check_ways(const struct tl_xtrace_registers *r, uint32_t opcode, bool *taken,
			  bool *not_taken)
{
	unsigned number = (opcode & 31) == 31 ? TL_A64_ZERO : opcode & 31;
	uint64_t value = r->x[number];
	bool goes;

	*taken = *not_taken = true;
	if (opcode >> 24 == 0x54) {
		if (!(r->known & TL_XTRACE_KNOWN_FLAGS) && (opcode & 14) != 14)
			return;
		goes = tl_a64_holds(opcode & 15, r->nzcv);
	} else if (number != TL_A64_ZERO && !tl_xtrace_registers_know(r, number)) {
		return;
	} else if (opcode >> 25 & 1) {
		goes = (value >> ((opcode >> 31) * 32 + (opcode >> 19 & 31)) & 1) ==
		       (opcode >> 24 & 1);
	} else {
		goes = !(opcode >> 31 ? value : (uint32_t)value) == !(opcode >> 24 & 1);
	}
	*taken = goes;
	*not_taken = !goes;
}

static bool goes_right(struct tl_xtrace_check_stream *s, const struct tl_xtrace_check_insn *next)
{
	uint64_t behind = s->last.pc + 4,
		 direct = s->last.pc + (uint64_t)(int64_t)s->last.op->a64.offset;
	bool taken, not_taken;

	tl_xtrace_check_ways(&s->registers, s->last.op->a64.opcode, &taken, &not_taken);
	return (taken && is_at(next, direct)) || (not_taken && is_at(next, behind));
}

/*
 * What is not allocated is not executed: where the kernel is traced, its vector comes next, which
 * needs no rule to be broken; where it is not, a handler of SIGILL, which has to show itself. BRK
 * and HLT may be a debugger's, or an emulator's.
 */
static enum tl_xtrace_rule_number judge_trap(const struct tl_xtrace_check_stream *s,
					     const struct tl_xtrace_check_insn *next,
					     bool sequential)
{
	if (s->last.op->a64.class == TL_A64_UNALLOCATED)
		return TL_XTRACE_RULE_OPCODE;
	return broken_unless(sequential || s->counts.user != s->counts.ordinal || next->el,
			     TL_XTRACE_RULE_PC_CONTINUITY);
}

/* The rule that a step breaks; TL_XTRACE_RULE_COUNT: none. */
static enum tl_xtrace_rule_number judge(struct tl_xtrace_check_stream *s,
					const struct tl_xtrace_check_insn *next)
{
	const struct tl_xtrace_check_insn *last = &s->last;
	const struct tl_a64 *a64 = &last->op->a64;
	bool sequential = is_at(next, last->pc + 4);
	uint64_t direct = last->pc + (uint64_t)(int64_t)a64->offset;

	switch (a64->flow) {
	case TL_A64_JUMP:
	case TL_A64_CALL:
		return broken_unless(is_at(next, direct), TL_XTRACE_RULE_PC_BRANCH);
	case TL_A64_CONDITIONAL:
		return broken_unless(goes_right(s, next), TL_XTRACE_RULE_PC_BRANCH);
	case TL_A64_JUMP_REGISTER:
	case TL_A64_CALL_REGISTER:
	case TL_A64_RETURN:
	case TL_A64_EXCEPTION_RETURN:
		return broken_unless(!(last->seen >> TL_XTRACE_TARGET_B & 1) ||
					     same_place(last->target, next->pc) ||
					     mapped_twice(next, last->target),
				     TL_XTRACE_RULE_PC_TARGET);
	case TL_A64_EXCEPTION_CALL:
		return broken_unless(
			sequential || (last->svcargs && tl_xtrace_syscall_jumps(last->args[0])),
			TL_XTRACE_RULE_PC_CONTINUITY);
	case TL_A64_TRAP:
		return judge_trap(s, next, sequential);
	default:
		if (sequential && s->program.not_streaming &&
		    last->op->streaming == TL_XTRACE_CHECK_NEEDS_STREAMING)
			return TL_XTRACE_RULE_OPCODE;
		return broken_unless(sequential || is_repeated(last, next),
				     TL_XTRACE_RULE_PC_CONTINUITY);
	}
}

static void check_level(struct tl_xtrace_check_stream *s, const struct tl_xtrace_check_insn *last,
			const struct tl_xtrace_check_insn *next)
{
	if (next->el < last->el && last->op->a64.flow != TL_A64_EXCEPTION_RETURN)
		tl_xtrace_report(s, TL_XTRACE_RULE_EL_RETURN, next->offset, next->ordinal,
				 next->pc);
	if (next->el > last->el && next->pc_known && !is_vector(next->pc, true))
		tl_xtrace_report(s, TL_XTRACE_RULE_EL_VECTOR, next->offset, next->ordinal,
				 next->pc);
	/* "The full general registers at an exception level switch." */
	if (!s->allgpr)
		tl_xtrace_report(s, TL_XTRACE_RULE_EL_REGISTERS, next->offset, next->ordinal,
				 next->pc);
	/* A return to a lower level leads to its target, if no exception came in between. */
	if (next->el < last->el && last->op->a64.flow == TL_A64_EXCEPTION_RETURN &&
	    (last->seen >> TL_XTRACE_TARGET_B & 1) && next->pc_known &&
	    !same_place(last->target, next->pc))
		tl_xtrace_report(s, TL_XTRACE_RULE_PC_TARGET, next->offset, next->ordinal,
				 next->pc);
}

/* The PC that would have kept a rule. */
static void expect_place(struct tl_xtrace_check_stream *s, enum tl_xtrace_rule_number rule)
{
	const struct tl_xtrace_check_insn *last = &s->last;
	uint64_t direct = last->pc + (uint64_t)(int64_t)last->op->a64.offset, behind = last->pc + 4;
	bool taken = true, not_taken = false;

	if (last->op->a64.flow == TL_A64_CONDITIONAL)
		tl_xtrace_check_ways(&s->registers, last->op->a64.opcode, &taken, &not_taken);
	if (rule == TL_XTRACE_RULE_PC_TARGET)
		tl_xtrace_expected(s, "0x%" PRIx64, last->target);
	else if (rule == TL_XTRACE_RULE_PC_CONTINUITY || !taken)
		tl_xtrace_expected(s, "0x%" PRIx64, behind);
	else if (not_taken)
		tl_xtrace_expected(s, "0x%" PRIx64 " or 0x%" PRIx64, direct, behind);
	else
		tl_xtrace_expected(s, "0x%" PRIx64, direct);
}

/* Whether the kernel, which is not traced, may have begun a handler there: that of an instruction
 * that is not executed is not right behind it. */
static bool may_be_signal(const struct tl_xtrace_check_stream *s, enum tl_xtrace_rule_number rule,
			  const struct tl_xtrace_check_insn *next)
{
	return rule != TL_XTRACE_RULE_COUNT && s->counts.user == s->counts.ordinal && !next->el &&
	       (rule != TL_XTRACE_RULE_OPCODE || next->pc != s->last.pc + 4);
}

void tl_xtrace_check_flow(struct tl_xtrace_check_stream *s, const struct tl_xtrace_check_insn *next)
{
	const struct tl_xtrace_check_insn *last = &s->last;
	enum tl_xtrace_rule_number rule;

	if (next->pc_known && next->pc % 4)
		tl_xtrace_report(s, TL_XTRACE_RULE_PC_ALIGNMENT, next->offset, next->ordinal,
				 next->pc);
	if (!last->op)
		return;
	if (next->el != last->el) {
		check_level(s, last, next);
		return;
	}
	if (s->allgpr)
		tl_xtrace_report(s, TL_XTRACE_RULE_EL_REGISTERS, next->offset, next->ordinal,
				 next->pc);
	if (!next->pc_known || !last->pc_known)
		return;
	if (last->op->a64.flow == TL_A64_EXCEPTION_CALL && last->svcargs &&
	    tl_xtrace_syscall_ends_signal(last->args[0])) {
		tl_xtrace_check_signal_return(s, next->pc);
		return;
	}
	rule = judge(s, next);
	if (may_be_signal(s, rule, next)) {
		tl_xtrace_check_signal(s, rule, next);
		return;
	}
	/* An exception may come at any instruction, and at a higher level from that very level. */
	if (rule != TL_XTRACE_RULE_COUNT && !(next->el && is_vector(next->pc, false)) &&
	    !(last->op->a64.flow == TL_A64_EXCEPTION_RETURN && is_vector(next->pc, true))) {
		expect_place(s, rule);
		tl_xtrace_report(s, rule, next->offset, next->ordinal, next->pc);
	}
}
