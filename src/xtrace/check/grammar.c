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
	op->simple = op->a64.flow == TL_A64_NEXT;
	op->inert = op->simple && op->a64.special == TL_A64_PLAIN && !op->a64.access &&
		    !op->effect.kind && !op->effect.forget && !op->effect.writes_back;
}

void tl_xtrace_check_token(struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind)
{
	struct tl_xtrace_check_insn *i = &s->last;
	uint64_t offset = tl_xtrace_walk_offset(&s->walk);
	unsigned rank = ranks[kind];

	if (!(i->op->belongs & bit(kind)))
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_GRAMMAR_OWNER, offset);
	else if (rank && rank < i->rank)
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_GRAMMAR_PLACE, offset);
	if (rank > i->rank)
		i->rank = (uint8_t)rank;
	/* "After INST, before that instruction's first MEM; one per memory instruction" (A12). */
	if (kind == TL_XTRACE_TIME && (i->seen & bit(kind)))
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_GRAMMAR_TIME, offset);
	i->seen |= bit(kind);
}

/* `cut`: the stream ends here, or was damaged, so that what is missing may have been there. */
void tl_xtrace_check_complete(struct tl_xtrace_check_stream *s, bool cut)
{
	const struct tl_xtrace_check_insn *i = &s->last;
	uint32_t needs;

	if (!cut && i->op->access.bytes)
		tl_xtrace_check_accesses_end(s);
	if (cut)
		return;
	if ((i->seen & bit(TL_XTRACE_TIME)) && !(i->seen & TL_XTRACE_CHECK_ACCESSES))
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_GRAMMAR_TIME, i->offset);
	needs = i->op->belongs & (bit(TL_XTRACE_TARGET_B) |
				  (i->op->a64.special == TL_A64_DC_ZERO ? bit(TL_XTRACE_DC) : 0));
	/* "A system call is usually followed by 7 arguments". */
	if ((needs & ~i->seen) || (i->op->a64.special == TL_A64_SVC && i->svcargs != 7))
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_GRAMMAR_MISSING, i->offset);
}
