/* SPDX-License-Identifier: Apache-2.0 */
/* Answers as text. */
#include "situations.h"

#include <stdarg.h>
#include <stdio.h>

void say(struct text *text, const char *format, ...)
{
	size_t room = sizeof(text->bytes) - text->size;
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(text->bytes + text->size, room, format, args);
	va_end(args);
	text->size += size < 0 ? 0 : (size_t)size < room ? (size_t)size : room - 1;
}

void clear_answer(struct answer *answer)
{
	answer->flow.size = answer->status.size = 0;
	answer->flow.bytes[0] = answer->status.bytes[0] = '\0';
}

/* The bits behind the head of an event that say anything: the others are what was there before. */
static const uint64_t masks[ptev_mnt + 1][3] = {
	[ptev_enabled] = { ~0ull, 1 },
	[ptev_disabled] = { ~0ull },
	[ptev_async_disabled] = { ~0ull, ~0ull },
	[ptev_async_branch] = { ~0ull, ~0ull },
	[ptev_paging] = { ~0ull, 1 },
	[ptev_async_paging] = { ~0ull, 1, ~0ull },
	[ptev_overflow] = { ~0ull },
	[ptev_exec_mode] = { 0xffffffff, ~0ull },
	[ptev_tsx] = { ~0ull, 3 },
	[ptev_vmcs] = { ~0ull },
	[ptev_async_vmcs] = { ~0ull, ~0ull },
	[ptev_exstop] = { ~0ull },
	[ptev_mwait] = { ~0ull, ~0ull },
	[ptev_pwre] = { 0x1ffff },
	[ptev_pwrx] = { 0x7ffff },
	[ptev_ptwrite] = { ~0ull, 0xff, ~0ull },
	[ptev_cbr] = { 0xffff },
	[ptev_mnt] = { ~0ull },
};

/* Which of them is an address that may be withheld: word + 1. */
static const uint8_t addresses[ptev_mnt + 1] = {
	[ptev_disabled] = 1,     [ptev_async_disabled] = 2, [ptev_async_branch] = 2,
	[ptev_async_paging] = 3, [ptev_overflow] = 1,       [ptev_exec_mode] = 2,
	[ptev_tsx] = 1,          [ptev_async_vmcs] = 2,     [ptev_exstop] = 1,
	[ptev_mwait] = 1,        [ptev_ptwrite] = 1,
};

static void clean(struct head *event)
{
	if (event->type > ptev_mnt)
		return;
	for (size_t i = 0; i < 3; i++)
		event->words[i] &= masks[event->type][i];
	if (event->suppressed && addresses[event->type])
		event->words[addresses[event->type] - 1] = 0;
	if (!event->has_tsc)
		event->lost_mtc = event->lost_cyc = 0;
}

/*
 * What 2.0.5 and tl_pt_* tell differently on purpose (docs/libipt.md): the time of some events,
 * which is that of the event before there; where a PTWRITE is that has no address of its own; what
 * is left of a FUP that SKD022 takes away; and whether tracing is resumed, which is the published
 * page's here.
 */
static void say_less(struct head *event)
{
	const unsigned stale = 1u << ptev_tsx | 1u << ptev_exstop | 1u << ptev_mwait |
			       1u << ptev_ptwrite | 1u << ptev_pwre | 1u << ptev_pwrx |
			       1u << ptev_exec_mode | 1u << ptev_overflow;

	if (stale >> event->type & 1) {
		event->has_tsc = false;
		event->lost_mtc = event->lost_cyc = 0;
	}
	if (event->type == ptev_enabled)
		event->words[1] = 0;
	if (event->type == ptev_ptwrite) {
		event->suppressed = false;
		event->words[0] = 0;
	}
}

void say_event(struct answer *answer, const struct head *given)
{
	struct head copy = *given, *event = &copy;
	struct text *text = event->status ? &answer->status : &answer->flow;

	clean(event);
	if (answer->less)
		say_less(event);
	say(text, "event %d%s%s", event->type, event->suppressed ? " suppressed" : "",
	    event->status ? " status" : "");
	if (event->has_tsc)
		say(text, " at %llx", (ull)event->tsc);
	say(text, " lost %u %u: %llx %llx %llx\n", event->lost_mtc, event->lost_cyc,
	    (ull)event->words[0], (ull)event->words[1], (ull)event->words[2]);
}

void say_time(struct text *text, const struct now *now)
{
	say(text, " time %d %llx lost %u %u", now->status, (ull)now->tsc, now->lost_mtc,
	    now->lost_cyc);
	if (now->cbr_status <= 0)
		say(text, " cbr %d %u", now->cbr_status, now->cbr_status ? 0 : now->cbr);
	say(text, "\n");
}

void say_insn(struct text *text, uint64_t ip, int mode, bool speculative)
{
	say(text, "insn %llx mode %d%s\n", (ull)ip, mode, speculative ? " speculative" : "");
}

void say_block(struct text *text, uint64_t ip, uint64_t end_ip, unsigned count, int mode,
	       bool speculative)
{
	for (unsigned i = 1; i <= count && ip; i++) {
		say_insn(text, ip, mode, speculative);
		if (i == count && ip != end_ip)
			say(text, "the block ends at %llx\n", (ull)end_ip);
		ip = after_insn(ip);
	}
}

void say_sync(struct answer *answer, int status)
{
	say(&answer->flow, "sync%s\n", status == -pte_eos ? ": none" : "");
}

void say_end(struct answer *answer, int status)
{
	say(&answer->flow, "end %d\n", status);
	say(&answer->status, "end\n");
}
