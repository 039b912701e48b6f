/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals, in streams without a kernel: the program is interrupted anywhere, its handler goes on,
 * with a frame of the kernel's below its SP, and rt_sigreturn brings back what was interrupted. A
 * break of the PC is taken for that if one of these two follows: SP is that of such a frame, or the
 * handler returns. Else it is a violation, reported when that is known.
 */
#include "xtrace/check/check.h"
#include "xtrace/state/stack_pointer.h"

/* FRAME: siginfo and ucontext, without which no handler is called; of SVE there may be more. */
enum { FRAME = 4096, WHOLE_FRAME = 8192 };

static void drop(struct tl_xtrace_check_stream *s, struct tl_xtrace_check_signal *signal)
{
	if (!signal->confirmed)
		tl_xtrace_report(s, signal->rule, signal->offset, signal->record, signal->pc);
}

void tl_xtrace_check_signals_end(struct tl_xtrace_check_stream *s)
{
	for (size_t i = 0; i < s->signals.count; i++)
		drop(s, &s->signals.list[i]);
	s->signals.count = 0;
	s->signals.probes_sp = false;
}

/* A handler that was confirmed before. */
static bool is_handler(const struct tl_xtrace_check_stream *s, uint64_t pc)
{
	for (size_t i = 0; i < TL_XTRACE_CHECK_HANDLERS; i++)
		if (s->signals.handlers[i] == pc)
			return pc != 0;
	return false;
}

static void confirm(struct tl_xtrace_check_stream *s, struct tl_xtrace_check_signal *signal)
{
	if (!signal->confirmed && !is_handler(s, signal->pc))
		s->signals.handlers[s->signals.next_handler++ % TL_XTRACE_CHECK_HANDLERS] =
			signal->pc;
	signal->confirmed = true;
}

void tl_xtrace_check_signal(struct tl_xtrace_check_stream *s, enum tl_xtrace_rule_number rule,
			    const struct tl_xtrace_check_insn *next)
{
	const struct tl_xtrace_check_insn *last = &s->last;
	struct tl_xtrace_check_signal *signal;

	if (s->signals.count == TL_XTRACE_CHECK_SIGNALS) {
		drop(s, &s->signals.list[0]);
		for (size_t i = 1; i < TL_XTRACE_CHECK_SIGNALS; i++)
			s->signals.list[i - 1] = s->signals.list[i];
		s->signals.count--;
	}
	signal = &s->signals.list[s->signals.count++];
	*signal = (struct tl_xtrace_check_signal){
		.rule = rule,
		.offset = next->offset,
		.record = next->ordinal,
		.pc = next->pc,
		.from = last->pc,
		.target = last->pc + (uint64_t)(int64_t)last->op->a64.offset,
		.confirmed = is_handler(s, next->pc),
	};
	if (last->seen >> TL_XTRACE_TARGET_B & 1)
		signal->target = last->target;
	if (tl_xtrace_registers_know(&s->registers, TL_XTRACE_REG_SP))
		signal->sp = s->registers.x[TL_XTRACE_REG_SP];
	s->registers.known = 0;
	tl_xtrace_vectors_forget(&s->vectors, UINT32_MAX);
	s->signals.probes_sp = true;
}

bool tl_xtrace_check_signal_begins(const struct tl_xtrace_check_stream *s)
{
	return s->signals.probes_sp &&
	       s->signals.list[s->signals.count - 1].record == s->last.ordinal;
}

/* Where the frame is that the kernel made for a handler. */
void tl_xtrace_check_signal_sp(struct tl_xtrace_check_stream *s, uint64_t sp)
{
	struct tl_xtrace_check_signal *signal = &s->signals.list[s->signals.count - 1];

	s->signals.probes_sp = false;
	tl_xtrace_check_forget(s, sp, WHOLE_FRAME);
	/* Below what was interrupted, or on a stack of its own: no nearer than a frame is long. */
	if (signal->sp && signal->sp - sp >= FRAME && sp - signal->sp >= FRAME)
		confirm(s, signal);
}

/* The first access relative to SP in a handler shows it. */
void tl_xtrace_check_signal_access(struct tl_xtrace_check_stream *s, uint64_t address)
{
	struct tl_xtrace_sp sp = { .known = false };

	tl_xtrace_sp_follow(&sp, s->last.op->a64.opcode, true, address);
	if (sp.known)
		tl_xtrace_check_signal_sp(s, sp.sp);
}

static bool interrupted(const struct tl_xtrace_check_signal *signal, uint64_t pc)
{
	return pc == signal->from || pc == signal->from + 4 || pc == signal->target;
}

/* Behind rt_sigreturn: what the innermost handler interrupted, or what it has put in its place. */
void tl_xtrace_check_signal_return(struct tl_xtrace_check_stream *s, uint64_t pc)
{
	size_t at = s->signals.count;

	s->signals.probes_sp = false;
	while (at && !interrupted(&s->signals.list[at - 1], pc))
		at--;
	if (!s->signals.count)
		return;
	at = at ? at - 1 : s->signals.count - 1;
	confirm(s, &s->signals.list[at]);
	for (size_t i = at; i < s->signals.count; i++)
		drop(s, &s->signals.list[i]);
	s->signals.count = at;
}
