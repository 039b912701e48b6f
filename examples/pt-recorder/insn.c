/* SPDX-License-Identifier: Apache-2.0 */
/* What one instruction is to the trace. Zydis says it, not the decoder that the traces are to test.
 */
#include "recorder.h"

#include <Zydis/Zydis.h>

#include <string.h>

static enum insn_class near_or_far(const ZydisDecodedInstruction *insn, bool direct,
				   enum insn_class if_direct, enum insn_class if_indirect)
{
	if (insn->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return INSN_FAR;
	return direct ? if_direct : if_indirect;
}

static enum insn_class classify(const ZydisDecodedInstruction *insn, bool direct)
{
	const ZydisInstructionAttributes repeated =
		ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;

	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return insn->mnemonic == ZYDIS_MNEMONIC_XBEGIN ? INSN_OTHER : INSN_COND;
	case ZYDIS_CATEGORY_UNCOND_BR:
		if (insn->mnemonic != ZYDIS_MNEMONIC_JMP)
			return INSN_OTHER;
		return near_or_far(insn, direct, INSN_JUMP, INSN_JUMP_INDIRECT);
	case ZYDIS_CATEGORY_CALL:
		return near_or_far(insn, direct, INSN_CALL, INSN_CALL_INDIRECT);
	case ZYDIS_CATEGORY_RET:
		if (insn->mnemonic != ZYDIS_MNEMONIC_RET)
			return INSN_FAR;
		return near_or_far(insn, true, INSN_RETURN, INSN_RETURN);
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_INTERRUPT:
		return INSN_SYSCALL;
	default:
		return insn->attributes & repeated ? INSN_REPEAT : INSN_OTHER;
	}
}

bool insn_decode(struct insn *insn, uint64_t ip, const uint8_t *bytes, size_t size)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction decoded;
	ZydisDecoder decoder;
	bool direct;

	memset(insn, 0, sizeof(*insn));
	insn->ip = ip;
	if (!ZYAN_SUCCESS(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, &decoded, operands)))
		return false;
	insn->size = decoded.length;
	memcpy(insn->bytes, bytes, decoded.length);
	direct = decoded.operand_count_visible && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	insn->class = classify(&decoded, direct);
	if (!direct ||
	    (insn->class != INSN_CALL && insn->class != INSN_JUMP && insn->class != INSN_COND))
		return true;
	if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&decoded, &operands[0], ip, &insn->target)))
		return false;
	if (insn->class == INSN_CALL && insn->target == ip + insn->size)
		insn->class = INSN_CALL_NEXT;
	return true;
}
