/* SPDX-License-Identifier: Apache-2.0 */
/* Which tokens stand behind which instructions, and in which order (2.4, A12, A19, A21). */
#include "xtrace/check/check.h"

static uint32_t bit(enum tl_xtrace_kind kind)
{
	return UINT32_C(1) << kind;
}

/*
 * "INST, [SVCARG x7, SYSCALL_VEC or TARGET_B or DC], [TIME], MEM*, [STXR, MRS or MISC_FLAGS]"
 * (A21). 0: anywhere.
 */
static const uint8_t ranks[TL_XTRACE_KIND_COUNT] = {
	[TL_XTRACE_SVCARG] = 1,      [TL_XTRACE_TARGET_B] = 1, [TL_XTRACE_DC] = 1,
	[TL_XTRACE_SYSCALL_VEC] = 2, [TL_XTRACE_TIME] = 3,     [TL_XTRACE_LOAD] = 4,
	[TL_XTRACE_STORE] = 4,       [TL_XTRACE_STXR] = 5,     [TL_XTRACE_MRS] = 5,
};

/* Kinds that belong to whatever instruction: "accept MISC_FLAGS anywhere" (A17), and what is not
 * known. */
enum { ANYWHERE = 1 << TL_XTRACE_FLAGS | 1 << TL_XTRACE_UNKNOWN };

/* "After an MRS RNDR instruction or a conditional select instruction": FLAGS. */
static uint32_t of_specials_wanted(const struct tl_xtrace_check_opcode *op)
{
	uint32_t wants = op->a64.access ? bit(TL_XTRACE_TIME) : 0;

	switch (op->a64.special) {
	case TL_A64_MRS:
	case TL_A64_MSR:
		return bit(TL_XTRACE_MRS);
	case TL_A64_RNDR:
		return bit(TL_XTRACE_MRS) | bit(TL_XTRACE_FLAGS);
	case TL_A64_SELECT:
		return bit(TL_XTRACE_FLAGS);
	case TL_A64_STORE_EXCLUSIVE:
		return wants | bit(TL_XTRACE_STXR);
	default:
		return wants;
	}
}

void tl_xtrace_check_classify(struct tl_xtrace_check_opcode *op)
{
	static const uint32_t of_specials[] = {
		[TL_A64_SVC] = 1 << TL_XTRACE_SVCARG | 1 << TL_XTRACE_SYSCALL_VEC,
		[TL_A64_MRS] = 1 << TL_XTRACE_MRS,
		[TL_A64_RNDR] = 1 << TL_XTRACE_MRS,
		[TL_A64_MSR] = 1 << TL_XTRACE_MRS,
		[TL_A64_DC_ZERO] = 1 << TL_XTRACE_DC | 1 << TL_XTRACE_STORE | 1 << TL_XTRACE_TIME,
		[TL_A64_STORE_EXCLUSIVE] = 1 << TL_XTRACE_STXR,
	};

	op->belongs = ANYWHERE;
	if (op->a64.special < sizeof(of_specials) / sizeof(of_specials[0]))
		op->belongs |= of_specials[op->a64.special];
	/* Whatever the classifier does not know may touch memory: encodings of later architectures.
	 */
	if (op->a64.access || op->a64.class == TL_A64_UNALLOCATED)
		op->belongs |= bit(TL_XTRACE_LOAD) | bit(TL_XTRACE_STORE) | bit(TL_XTRACE_TIME);
	if (op->a64.flow >= TL_A64_JUMP_REGISTER && op->a64.flow <= TL_A64_EXCEPTION_RETURN)
		op->belongs |= bit(TL_XTRACE_TARGET_B);
	op->wants = of_specials_wanted(op);
	op->simple =
		op->a64.flow == TL_A64_NEXT && op->streaming != TL_XTRACE_CHECK_NEEDS_STREAMING;
	op->computes = op->simple && op->a64.special == TL_A64_PLAIN && !op->a64.access &&
		       !op->wants && !op->effect.writes_back &&
		       (op->effect.kind == TL_XTRACE_EFFECT_COMPUTE ||
			op->effect.kind == TL_XTRACE_EFFECT_CONSTANT ||
			op->effect.kind == TL_XTRACE_EFFECT_ADD ||
			op->effect.kind == TL_XTRACE_EFFECT_MOVE);
	op->inert = op->simple && op->a64.special == TL_A64_PLAIN && !op->a64.access &&
		    !op->effect.kind && !op->effect.forget && !op->effect.writes_back &&
		    !op->vector_writes;
}

/* What stands behind an instruction once at most. */
enum {
	ONCE = 1 << TL_XTRACE_STXR | 1 << TL_XTRACE_MRS | 1 << TL_XTRACE_DC |
	       1 << TL_XTRACE_TARGET_B | 1 << TL_XTRACE_FLAGS | 1 << TL_XTRACE_SYSCALL_VEC,
	AT_CACHES = 0xd5087000,
};

static bool belongs(const struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind)
{
	const struct tl_xtrace_check_opcode *op = s->last.op;

	return (op->belongs & bit(kind)) || (kind == TL_XTRACE_DC && s->dialect.dc_any &&
					     (op->a64.opcode & 0xfff8f000) == AT_CACHES);
}

static bool in_order(const struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind)
{
	bool timing = kind == TL_XTRACE_TIME || bit(kind) & TL_XTRACE_CHECK_ACCESSES;

	return ranks[kind] >= s->last.rank || !ranks[kind] ||
	       (timing && s->last.rank <= ranks[TL_XTRACE_LOAD] &&
		(s->dialect.time_behind || s->dialect.time_each));
}

bool tl_xtrace_check_token(struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind)
{
	struct tl_xtrace_check_insn *i = &s->last;
	uint64_t offset = tl_xtrace_walk_offset(&s->walk);
	bool its = belongs(s, kind);

	if (!its)
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_GRAMMAR_OWNER, offset);
	else if (!in_order(s, kind))
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_GRAMMAR_PLACE, offset);
	if (ranks[kind] > i->rank)
		i->rank = ranks[kind];
	if (i->seen & bit(kind) & ONCE)
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_GRAMMAR_TWICE, offset);
	/* "After INST, before that instruction's first MEM; one per memory instruction" (A12). */
	if (kind == TL_XTRACE_TIME && (i->seen & bit(kind)) && !s->dialect.time_each)
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_GRAMMAR_TIME, offset);
	i->seen |= bit(kind);
	return its;
}

static void report_missing(struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind)
{
	tl_xtrace_expected(s, "%s", tl_xtrace_kind_name(kind));
	tl_xtrace_report_insn(s, TL_XTRACE_RULE_GRAMMAR_MISSING, s->last.offset);
}

bool tl_xtrace_check_has_vectors(uint64_t number, uint64_t length)
{
	static const uint16_t calls[] = { 65, 66, 69, 70, 286, 287 };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i] == number)
			return length > 0 && length <= 1024;
	return false;
}

/* "A system call is usually followed by 7 arguments"; and by its iovecs. */
static void complete_call(struct tl_xtrace_check_stream *s)
{
	const struct tl_xtrace_check_insn *i = &s->last;

	if (i->svcargs < s->dialect.svcargs) {
		tl_xtrace_expected(s, "%u SVCARG", s->dialect.svcargs);
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_GRAMMAR_MISSING, i->offset);
	} else if (s->dialect.required & ~i->seen & bit(TL_XTRACE_SYSCALL_VEC) && i->svcargs > 3 &&
		   tl_xtrace_check_has_vectors(i->args[0], i->args[3])) {
		report_missing(s, TL_XTRACE_SYSCALL_VEC);
	}
}

/* `cut`: the stream ends here, or was damaged, so that what is missing may have been there. */
void tl_xtrace_check_complete(struct tl_xtrace_check_stream *s, bool cut)
{
	struct tl_xtrace_check_insn *i = &s->last;

	if (cut)
		return;
	if (i->op->access.bytes)
		tl_xtrace_check_accesses_end(s);
	if ((i->seen & bit(TL_XTRACE_TIME)) && !(i->seen & TL_XTRACE_CHECK_ACCESSES))
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_GRAMMAR_TIME, i->offset);
	if (i->op->belongs & ~i->seen & bit(TL_XTRACE_TARGET_B))
		report_missing(s, TL_XTRACE_TARGET_B);
	else if (i->op->a64.special == TL_A64_DC_ZERO && !(i->seen & bit(TL_XTRACE_DC)))
		report_missing(s, TL_XTRACE_DC);
	else if (i->op->a64.special == TL_A64_SVC)
		complete_call(s);
	i->lacks = i->op->wants & s->dialect.required & ~i->seen;
	if (!(i->seen & TL_XTRACE_CHECK_ACCESSES))
		i->lacks &= ~bit(TL_XTRACE_TIME);
}

void tl_xtrace_check_lacking(struct tl_xtrace_check_stream *s)
{
	for (unsigned kind = 0; s->last.lacks >> kind; kind++)
		if (s->last.lacks >> kind & 1)
			report_missing(s, (enum tl_xtrace_kind)kind);
}

/* ---- between instructions ---- */

void tl_xtrace_check_boundary(struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind)
{
	bool call = s->syscall.pending || s->syscall.unknown;

	if (kind == TL_XTRACE_ALLGPR && s->allgpr)
		tl_xtrace_report(s, TL_XTRACE_RULE_GRAMMAR_TWICE, tl_xtrace_walk_offset(&s->walk),
				 s->counts.ordinal, TL_NOWHERE);
	if (kind == TL_XTRACE_SVCRET && !call)
		tl_xtrace_report(s, TL_XTRACE_RULE_GRAMMAR_OWNER, tl_xtrace_walk_offset(&s->walk),
				 s->counts.ordinal, TL_NOWHERE);
	if (kind == TL_XTRACE_SVCRET)
		s->syscall.unknown = false;
}

/* "SVCRET: recorded after the system call ended, when switching from kernel mode back". */
void tl_xtrace_check_call_over(struct tl_xtrace_check_stream *s,
			       const struct tl_xtrace_check_insn *next)
{
	s->syscall.unknown = false;
	if (!s->syscall.pending || tl_xtrace_syscall_jumps(s->syscall.args[0]))
		return;
	s->syscall.pending = false;
	if (!(s->dialect.required & bit(TL_XTRACE_SVCRET)))
		return;
	tl_xtrace_expected(s, "SVCRET before it");
	tl_xtrace_report(s, TL_XTRACE_RULE_GRAMMAR_MISSING, next->offset, next->ordinal, next->pc);
}
