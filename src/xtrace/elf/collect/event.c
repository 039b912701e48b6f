/* SPDX-License-Identifier: Apache-2.0 */
/* Events of the present instruction, and why there cannot be a program. */
#include "core/error.h"
#include "xtrace/elf/collect/collector.h"

uint64_t tl_xtrace_collect_event_here(struct tl_xtrace_collector *c)
{
	const struct tl_xtrace_present *p = &c->now;
	uint32_t site;

	if (p->stored) {
		c->refused = "an instruction that the slice itself writes has to be rewritten";
		return TL_NOWHERE;
	}
	site = tl_xtrace_replay_site(c->replay, p->pc, p->insn.opcode, p->rewrite);
	return site == TL_NONE ? TL_NOWHERE
			       : tl_xtrace_replay_event(c->replay, c->thread, site, p->execution);
}

bool tl_xtrace_collect_event(struct tl_xtrace_collector *c, uint32_t flags, uint64_t result)
{
	uint64_t event = tl_xtrace_collect_event_here(c);

	if (event == TL_NOWHERE)
		return false;
	c->replay->events[event].flags |= flags;
	c->replay->events[event].result = result;
	return true;
}

uint64_t tl_xtrace_collect_record(const struct tl_xtrace_collector *c)
{
	return c->part->first_ordinal + c->counts->instructions + c->counts->faulted -
	       (c->now.any ? 1 : 0);
}

int tl_xtrace_collect_refuse(struct tl_xtrace_collector *c, const char *text)
{
	return tl_error_in(c->err, TL_UNSUPPORTED, c->now.offset, tl_xtrace_collect_record(c),
			   text);
}

int tl_xtrace_collect_no_room(struct tl_xtrace_collector *c)
{
	if (c->refused)
		return tl_xtrace_collect_refuse(c, c->refused);
	if (c->replay->image.pages.count > TL_XTRACE_IMAGE_MOST_PAGES ||
	    c->replay->byte_count >= TL_XTRACE_MOST_PATCHED)
		return tl_xtrace_collect_refuse(
			c, "the slice needs more memory than a program of it should hold; "
			   "take a shorter one");
	return tl_error_memory(c->err);
}
