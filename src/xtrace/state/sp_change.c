/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/state/sp_change.h"

#include "xtrace/state/registers.h"

enum { FRAME_POINTER = 29 };

static uint64_t base_update(uint32_t opcode)
{
	const struct tl_xtrace_insn_effect effect = tl_xtrace_insn_effect(opcode);

	return effect.writes_back && effect.rn == TL_XTRACE_REG_SP ? (uint64_t)(int64_t)effect.back
								   : 0;
}

/*
 * MOV SP, Xn and ADD SP, SP, Xn: the latter ends functions that return to an exception's handler.
 * The others that lose SP stay on their frame: MOV SP, X29 takes it down, SUB makes room in it, AND
 * aligns it.
 */
static bool may_switch(uint32_t opcode)
{
	bool moved = (opcode & 0xff80001f) == 0x9100001f && (opcode >> 5 & 31) != FRAME_POINTER;

	return moved || (opcode & 0xffe0001f) == 0x8b20001f;
}

void tl_xtrace_sp_change_add(struct tl_xtrace_sp_change *change, uint32_t opcode, uint16_t number,
			     uint16_t access)
{
	struct tl_xtrace_sp observed = { .known = false }, moved = { .known = true };
	uint64_t by;

	tl_xtrace_sp_follow(&observed, opcode, access, 0);
	tl_xtrace_sp_follow(&moved, opcode, access, 0);
	if (moved.known) {
		by = observed.known ? base_update(opcode) : moved.sp;
		change->moves += by;
		change->offset += by;
		if (observed.known) {
			change->observed = access;
			change->offset = observed.sp;
		}
	} else {
		if (!change->broken)
			change->left = change->moves;
		change->broken = true;
		change->switched |= may_switch(opcode);
		change->lost = number;
		change->observed = 0;
		change->moves = change->offset = 0;
	}
	if (change->broken || change->moves)
		change->kind = TL_XTRACE_SP_MOVED;
	else
		change->kind = change->observed ? TL_XTRACE_SP_OBSERVED : TL_XTRACE_SP_KEPT;
}
