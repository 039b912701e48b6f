/* SPDX-License-Identifier: Apache-2.0 */
/* x86 through Zydis, in Intel's syntax. */
#include <stdlib.h>

#include <Zydis/Zydis.h>

#include "isa/machines.h"

enum { EM_OF_I386 = 3, EM_OF_X86_64 = 62 };

struct x86 {
	ZydisDecoder decoder;
	ZydisFormatter formatter;
};

static void *open_mode(ZydisMachineMode mode, ZydisStackWidth width)
{
	struct x86 *x86 = malloc(sizeof(*x86));

	if (!x86)
		return NULL;
	/* These fail for wrong arguments only, and ours are constants. */
	ZydisDecoderInit(&x86->decoder, mode, width);
	ZydisFormatterInit(&x86->formatter, ZYDIS_FORMATTER_STYLE_INTEL);
	ZydisFormatterSetProperty(&x86->formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
	ZydisFormatterSetProperty(&x86->formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&x86->formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&x86->formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&x86->formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING,
				  ZYDIS_PADDING_DISABLED);
	return x86;
}

static void *open_64(void)
{
	return open_mode(ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

static void *open_32(void)
{
	return open_mode(ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
}

static enum tl_insn_kind kind_of(const ZydisDecodedInstruction *decoded)
{
	static const struct {
		ZydisInstructionCategory category;
		enum tl_insn_kind kind;
	} kinds[] = {
		{ ZYDIS_CATEGORY_UNCOND_BR, TL_INSN_JUMP },
		{ ZYDIS_CATEGORY_COND_BR, TL_INSN_BRANCH },
		{ ZYDIS_CATEGORY_CALL, TL_INSN_CALL },
		{ ZYDIS_CATEGORY_RET, TL_INSN_RETURN },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].category == decoded->meta.category)
			return kinds[i].kind;
	return TL_INSN_OTHER;
}

static bool decode(void *state, const uint8_t *code, size_t size, uint64_t address,
		   struct tl_insn *insn)
{
	struct x86 *x86 = state;
	ZydisDecodedInstruction decoded;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&x86->decoder, code, size, &decoded, operands)))
		return false;
	if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&x86->formatter, &decoded, operands,
							  decoded.operand_count_visible, insn->text,
							  sizeof(insn->text), address, ZYAN_NULL)))
		return false;
	insn->length = decoded.length;
	insn->kind = kind_of(&decoded);
	if (insn->kind != TL_INSN_OTHER && decoded.operand_count_visible &&
	    operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operands[0].imm.is_relative)
		insn->has_target = ZYAN_SUCCESS(
			ZydisCalcAbsoluteAddress(&decoded, &operands[0], address, &insn->target));
	return true;
}

const struct tl_machine tl_machine_x86_64 = { EM_OF_X86_64, open_64, free, decode, 1 };
const struct tl_machine tl_machine_i386 = { EM_OF_I386, open_32, free, decode, 1 };
