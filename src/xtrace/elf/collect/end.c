/* SPDX-License-Identifier: Apache-2.0 */
/* Where the program of a slice stops. */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "xtrace/elf/collect/collector.h"
#include "xtrace/elf/collect/steps.h"

bool tl_xtrace_collect_may_follow(const struct tl_xtrace_present *p, uint64_t pc)
{
	return tl_xtrace_may_follow(&p->insn, p->pc, p->target, pc);
}

int tl_xtrace_collect_stop(struct tl_xtrace_collector *c, uint64_t pc)
{
	struct tl_xtrace_image_code *code = tl_xtrace_image_code(&c->replay->image, pc);
	struct tl_xtrace_image_page *page = tl_xtrace_image_page(&c->replay->image, pc);
	size_t number = pc % TL_XTRACE_IMAGE_BYTES / 4;
	uint32_t opcode;

	if (!code || !page)
		return tl_xtrace_collect_no_room(c);
	memcpy(&opcode, page->first + pc % TL_XTRACE_IMAGE_BYTES, 4);
	opcode = TL_HOST_BIG_ENDIAN ? __builtin_bswap32(opcode) : opcode;
	c->now.pc = pc;
	c->now.insn = tl_a64_classify(opcode);
	c->now.rewrite = code->kind[number] ? (enum tl_xtrace_rewrite)code->kind[number]
					    : TL_XTRACE_AS_IT_IS;
	c->now.execution = code->count[c->thread][number] + 1;
	c->now.stored = false;
	return tl_xtrace_collect_event(c, TL_XTRACE_EVENT_STOP, 0) ? 0
								   : tl_xtrace_collect_no_room(c);
}

int tl_xtrace_collect_end(struct tl_xtrace_collector *c, uint64_t next)
{
	const struct tl_xtrace_present *p = &c->now;
	int status;

	if (!p->any)
		return tl_error_at(c->err, TL_BAD_USAGE, TL_NOWHERE,
				   "there are no instructions in that part");
	if (p->rewrite == TL_XTRACE_CALL && c->call.open) {
		/* exit(), or the trace ends with it */
		c->replay->events[c->call.event].flags |= TL_XTRACE_EVENT_STOP;
		return 0;
	}
	switch (p->insn.flow) {
	case TL_A64_NEXT:
	case TL_A64_EXCEPTION_CALL:
		return tl_xtrace_collect_stop(c, p->pc + 4);
	case TL_A64_JUMP:
	case TL_A64_CALL:
		return tl_xtrace_collect_stop(c, p->pc + (uint64_t)(int64_t)p->insn.offset);
	case TL_A64_CONDITIONAL:
		if (next != TL_NOWHERE && tl_xtrace_collect_may_follow(p, next))
			return tl_xtrace_collect_stop(c, next);
		/* It is not told where it leads: to one of the two it comes once more. */
		next = p->pc + (uint64_t)(int64_t)p->insn.offset;
		status = tl_xtrace_collect_stop(c, p->pc + 4);
		if (status < 0)
			return status;
		return tl_xtrace_collect_stop(c, next);
	default:
		next = p->target != TL_NOWHERE ? p->target : next;
		if (next == TL_NOWHERE || !tl_xtrace_collect_may_follow(p, next))
			return tl_xtrace_collect_refuse(
				c, "the last instruction is a branch, and where it leads is "
				   "not in the trace; end the slice before it");
		return tl_xtrace_collect_stop(c, next);
	}
}
