/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of opcodes, cached: programs have few distinct ones. */
#include "xtrace/check/check.h"

#include <stdlib.h>

/*
 * Outer products, and loads and stores of SME2's strided registers, need streaming mode; MSR of
 * SVCR, by register or immediate, begins and ends it.
 */
static enum tl_xtrace_check_streaming streaming_of(uint32_t opcode)
{
	if (opcode >> 25 == 0x40 || opcode >> 24 == 0xa1 || (opcode & 0xff800000) == 0xa0800000)
		return TL_XTRACE_CHECK_NEEDS_STREAMING;
	return (opcode & 0xffffffe0) == 0xd51b4240 || (opcode & 0xfffff8ff) == 0xd503407f
		       ? TL_XTRACE_CHECK_SETS_STREAMING
		       : TL_XTRACE_CHECK_ANY_MODE;
}

static void classify(struct tl_xtrace_check_opcode *op, uint32_t opcode)
{
	op->a64 = tl_a64_classify(opcode);
	op->a64.opcode = opcode;
	op->effect = tl_xtrace_insn_effect(opcode);
	op->changes_code = tl_xtrace_check_changes_code(opcode);
	op->vector_writes = tl_xtrace_vector_writes(opcode);
	op->streaming = (uint8_t)streaming_of(opcode);
	tl_xtrace_check_classify(op);
	op->access = tl_a64_access_of(&op->a64);
}

/* Another opcode needs the slot: streams whose last instruction it is keep a copy. */
void tl_xtrace_check_replace(struct tl_xtrace_checker *c, struct tl_xtrace_check_opcode *op,
			     uint32_t opcode)
{
	for (uint32_t i = 0; i < c->trace->stream_count; i++)
		if (c->streams[i].last.op == op) {
			c->streams[i].blocks.last_opcode = *op;
			c->streams[i].last.op = &c->streams[i].blocks.last_opcode;
		}
	classify(op, opcode);
}

/* Its slots hold what their opcodes mean from the beginning: all of them 0. */
struct tl_xtrace_check_cache *tl_xtrace_check_make_cache(void)
{
	struct tl_xtrace_check_cache *cache =
		aligned_alloc(TL_XTRACE_CHECK_CACHE_LINE, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->slots[0] = (struct tl_xtrace_check_opcode){ .simple = false };
	classify(&cache->slots[0], 0);
	for (size_t i = 1; i < sizeof(cache->slots) / sizeof(cache->slots[0]); i++)
		cache->slots[i] = cache->slots[0];
	return cache;
}
