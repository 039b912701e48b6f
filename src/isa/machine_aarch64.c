/* SPDX-License-Identifier: Apache-2.0 */
/* AArch64: four bytes an instruction, little-endian; classified by a64.h, shown by a64_text.h. */
#include "core/cursor.h"
#include "isa/a64/a64.h"
#include "isa/a64/a64_text.h"
#include "isa/machines.h"

enum { EM_OF_AARCH64 = 183, BYTES = 4 };

_Static_assert((int)TL_INSN_TEXT >= (int)TL_A64_TEXT, "a text fits");

static const enum tl_insn_kind kinds[] = {
	[TL_A64_NEXT] = TL_INSN_OTHER,
	[TL_A64_JUMP] = TL_INSN_JUMP,
	[TL_A64_CALL] = TL_INSN_CALL,
	[TL_A64_CONDITIONAL] = TL_INSN_BRANCH,
	[TL_A64_JUMP_REGISTER] = TL_INSN_JUMP,
	[TL_A64_CALL_REGISTER] = TL_INSN_CALL,
	[TL_A64_RETURN] = TL_INSN_RETURN,
	[TL_A64_EXCEPTION_RETURN] = TL_INSN_OTHER, /* no return of a call */
	[TL_A64_EXCEPTION_CALL] = TL_INSN_OTHER,
	[TL_A64_TRAP] = TL_INSN_OTHER,
};

static void *open_text(void)
{
	return tl_a64_text_open();
}

static void close_text(void *text)
{
	tl_a64_text_close(text);
}

static bool decode(void *text, const uint8_t *code, size_t size, uint64_t address,
		   struct tl_insn *insn)
{
	uint32_t opcode;
	struct tl_a64 known;

	if (size < BYTES)
		return false;
	opcode = tl_get32s(code, TL_HOST_BIG_ENDIAN);
	known = tl_a64_classify(opcode);
	insn->length = BYTES;
	insn->kind = kinds[known.flow];
	insn->has_target = known.target;
	if (known.target)
		insn->target = address + (uint64_t)(int64_t)known.offset;
	*tl_a64_text_put(text, opcode, address, insn->text) = '\0';
	return true;
}

const struct tl_machine tl_machine_aarch64 = { EM_OF_AARCH64, open_text, close_text, decode,
					       BYTES };
