/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_CHECK_CODE_H
#define TL_XTRACE_CHECK_CODE_H
/* code.c: the opcode at an address against the one that was there before. */
#include "xtrace/check/block.h"

/* Where the search for the slot of an address begins. */
static inline size_t tl_xtrace_check_code_place(const struct tl_xtrace_check_code *code,
						uint64_t pc)
{
	return (size_t)((pc >> 2) * 0x9e3779b97f4a7c15u >> 32) & code->mask;
}

void tl_xtrace_check_code_take(struct tl_xtrace_check_stream *s, uint64_t pc, uint32_t opcode);

/* An instruction begins. */
static inline void tl_xtrace_check_code(struct tl_xtrace_check_stream *s, uint64_t pc,
					uint32_t opcode)
{
	const struct tl_xtrace_check_code *code = &s->code;
	const struct tl_xtrace_check_code_slot *slot =
		code->slots ? &code->slots[tl_xtrace_check_code_place(code, pc)] : NULL;

	if (!slot || slot->pc != pc || slot->opcode != opcode ||
	    slot->generation != code->generation || slot->told || code->differs)
		tl_xtrace_check_code_take(s, pc, opcode);
}

/*
 * A block begins, which was judged before: all of its instructions. False: one of them is another
 * than before, which is left to the plain way.
 */
bool tl_xtrace_check_code_take_block(struct tl_xtrace_check_stream *s,
				     struct tl_xtrace_check_block *b);

#endif
