/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/collect/steps.h"

#include "xtrace/state/syscall_writes.h"

/* ---- one step ---- */

static bool is_target(const struct tl_a64 *insn, uint64_t pc, uint64_t next)
{
	return next == pc + (uint64_t)(int64_t)insn->offset;
}

bool tl_xtrace_may_follow(const struct tl_a64 *insn, uint64_t pc, uint64_t target, uint64_t next)
{
	switch (insn->flow) {
	case TL_A64_NEXT:
	case TL_A64_EXCEPTION_CALL:
		return next == pc + 4;
	case TL_A64_JUMP:
	case TL_A64_CALL:
		return is_target(insn, pc, next);
	case TL_A64_CONDITIONAL:
		return next == pc + 4 || is_target(insn, pc, next);
	case TL_A64_JUMP_REGISTER:
	case TL_A64_CALL_REGISTER:
	case TL_A64_RETURN:
		return target == TL_NOWHERE || target == next;
	default:
		return false;
	}
}

bool tl_xtrace_step_repeats(const struct tl_xtrace_step *step)
{
	return step->next == step->pc &&
	       (step->insn.flow == TL_A64_NEXT || step->insn.flow == TL_A64_EXCEPTION_CALL);
}

bool tl_xtrace_step_breaks(const struct tl_xtrace_step *step)
{
	return step->next != TL_NOWHERE && !tl_xtrace_step_repeats(step) &&
	       !tl_xtrace_may_follow(&step->insn, step->pc, step->target, step->next);
}

bool tl_xtrace_step_returns(const struct tl_xtrace_step *step)
{
	return step->call != TL_NOWHERE && tl_xtrace_syscall_ends_signal(step->call);
}

bool tl_xtrace_step_branches_to(const struct tl_xtrace_step *step, uint64_t pc)
{
	return step->insn.flow != TL_A64_NEXT && step->insn.flow != TL_A64_EXCEPTION_CALL &&
	       tl_xtrace_may_follow(&step->insn, step->pc, step->target, pc);
}

/* ---- all of them ---- */

struct steps {
	struct tl_xtrace_step step;
	bool any;
	uint64_t end;
	tl_xtrace_step_fn *fn;
	void *arg;
};

/* The present one is whole. False: no more. */
static bool finish(struct steps *s, uint64_t next, uint64_t offset)
{
	s->step.next = next;
	s->step.next_offset = offset;
	return !s->any || s->fn(s->arg, &s->step);
}

static void take_token(struct tl_xtrace_step *step, const struct tl_xtrace_walk *w,
		       enum tl_xtrace_kind kind)
{
	switch (kind) {
	case TL_XTRACE_LOAD:
	case TL_XTRACE_STORE:
		step->accessed = true;
		break;
	case TL_XTRACE_TARGET_B:
		step->target = tl_xtrace_walk_value(w);
		break;
	case TL_XTRACE_SVCARG:
		if (step->call == TL_NOWHERE)
			step->call = tl_xtrace_walk_value(w);
		break;
	case TL_XTRACE_SVCRET:
		step->result = tl_xtrace_walk_value(w);
		step->has_result = true;
		break;
	default:
		break;
	}
}

/* 1: go on; 0: it is over; -1: it is not whole. */
static int take_instruction(struct steps *s, struct tl_xtrace_walk *w, enum tl_xtrace_kind kind,
			    size_t segment)
{
	uint32_t opcode = tl_xtrace_walk_instruction(w, kind);
	uint64_t offset = tl_xtrace_walk_offset(w);

	if (!w->pc_known)
		return -1;
	if (!finish(s, w->pc, offset) || offset >= s->end)
		return 0;
	if (tl_xtrace_walk_el(w))
		return -1;
	s->any = true;
	s->step = (struct tl_xtrace_step){
		.insn = tl_a64_classify(opcode),
		.tokens = *w,
		.segment = segment,
		.pc = w->pc,
		.offset = offset,
		.target = TL_NOWHERE,
		.call = TL_NOWHERE,
	};
	return 1;
}

bool tl_xtrace_each_step(struct tl_xtrace_trace *trace, uint32_t stream, size_t segment,
			 uint64_t end, tl_xtrace_step_fn *fn, void *arg)
{
	const struct tl_xtrace_stream *from = &trace->streams[stream];
	struct steps s = { .end = end, .fn = fn, .arg = arg };

	for (; segment < from->segment_count; segment++) {
		struct tl_xtrace_walk w;
		enum tl_xtrace_kind kind;
		int status = 1;

		tl_xtrace_walk_begin(&w, trace, from, &from->segments[segment]);
		while (status == 1 && (kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE) {
			if (tl_xtrace_is_instruction(kind))
				status = take_instruction(&s, &w, kind, segment);
			else
				take_token(&s.step, &w, kind);
		}
		if (status < 1)
			return status == 0;
		if (w.status != TL_OK)
			return false;
	}
	finish(&s, TL_NOWHERE, TL_NOWHERE);
	return true;
}
