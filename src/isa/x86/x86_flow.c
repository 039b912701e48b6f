/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes after the published interface ("pt_insn_next"), opcodes after Intel's Software
 * Developer's Manual, volume 2. Zydis finds mnemonic and length; one table says the rest.
 */
#include "isa/x86/x86_flow.h"

#include "core/cursor.h"
#include "isa/x86/x86_fast.h"

/* By mnemonic. The forms of CALL, JMP and RET are told apart by their bytes below. */
static const struct row {
	ZydisMnemonic mnemonic;
	uint8_t iclass;
	uint16_t flags;
} rows[] = {
	{ ZYDIS_MNEMONIC_CALL, TL_X86_CALL, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JMP, TL_X86_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_RET, TL_X86_RETURN, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JO, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JNO, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JB, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JNB, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JZ, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JNZ, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JBE, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JNBE, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JS, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JNS, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JP, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JNP, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JL, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JNL, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JLE, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JNLE, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JCXZ, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JECXZ, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_JRCXZ, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_LOOP, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_LOOPE, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_LOOPNE, TL_X86_COND_JUMP, TL_X86_BRANCH },
	{ ZYDIS_MNEMONIC_SYSCALL, TL_X86_FAR_CALL, TL_X86_BRANCH | TL_X86_FAR },
	{ ZYDIS_MNEMONIC_SYSENTER, TL_X86_FAR_CALL, TL_X86_BRANCH | TL_X86_FAR },
	{ ZYDIS_MNEMONIC_INT, TL_X86_FAR_CALL, TL_X86_BRANCH | TL_X86_FAR },
	{ ZYDIS_MNEMONIC_INT1, TL_X86_FAR_CALL, TL_X86_BRANCH | TL_X86_FAR },
	{ ZYDIS_MNEMONIC_INT3, TL_X86_FAR_CALL, TL_X86_BRANCH | TL_X86_FAR },
	{ ZYDIS_MNEMONIC_INTO, TL_X86_FAR_CALL, TL_X86_BRANCH | TL_X86_FAR },
	{ ZYDIS_MNEMONIC_VMCALL, TL_X86_FAR_CALL, TL_X86_BRANCH | TL_X86_FAR },
	{ ZYDIS_MNEMONIC_SYSRET, TL_X86_FAR_RETURN, TL_X86_BRANCH | TL_X86_FAR },
	{ ZYDIS_MNEMONIC_SYSEXIT, TL_X86_FAR_RETURN, TL_X86_BRANCH | TL_X86_FAR },
	{ ZYDIS_MNEMONIC_IRET, TL_X86_FAR_RETURN, TL_X86_BRANCH | TL_X86_FAR },
	{ ZYDIS_MNEMONIC_IRETD, TL_X86_FAR_RETURN, TL_X86_BRANCH | TL_X86_FAR },
	{ ZYDIS_MNEMONIC_IRETQ, TL_X86_FAR_RETURN, TL_X86_BRANCH | TL_X86_FAR },
	{ ZYDIS_MNEMONIC_RSM, TL_X86_FAR_RETURN, TL_X86_BRANCH | TL_X86_FAR },
	{ ZYDIS_MNEMONIC_UIRET, TL_X86_FAR_RETURN, TL_X86_BRANCH | TL_X86_FAR },
	{ ZYDIS_MNEMONIC_VMLAUNCH, TL_X86_FAR_RETURN, TL_X86_BRANCH | TL_X86_FAR | TL_X86_VMENTRY },
	{ ZYDIS_MNEMONIC_VMRESUME, TL_X86_FAR_RETURN, TL_X86_BRANCH | TL_X86_FAR | TL_X86_VMENTRY },
	{ ZYDIS_MNEMONIC_VMPTRLD, TL_X86_OTHER, TL_X86_VMPTRLD },
	{ ZYDIS_MNEMONIC_PTWRITE, TL_X86_PTWRITES, TL_X86_PTWRITE },
	{ ZYDIS_MNEMONIC_MWAIT, TL_X86_OTHER, TL_X86_WAIT },
	{ ZYDIS_MNEMONIC_UMWAIT, TL_X86_OTHER, TL_X86_WAIT },
	{ ZYDIS_MNEMONIC_TPAUSE, TL_X86_OTHER, TL_X86_WAIT },
};

bool tl_x86_flow_whole(void)
{
	return true;
}

void tl_x86_flow_open(struct tl_x86_flow_decoder *decoder, enum tl_x86_mode mode)
{
	static const struct {
		ZydisMachineMode machine;
		ZydisStackWidth stack;
	} modes[] = {
		[TL_X86_ANY_MODE] = { ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64 },
		[TL_X86_16] = { ZYDIS_MACHINE_MODE_LEGACY_16, ZYDIS_STACK_WIDTH_16 },
		[TL_X86_32] = { ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32 },
		[TL_X86_64] = { ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64 },
	};

	/* These fail for wrong arguments only, and ours are constants. */
	ZydisDecoderInit(&decoder->zydis, modes[mode].machine, modes[mode].stack);
	ZydisDecoderEnableMode(&decoder->zydis, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
	/* Linear addresses are 32 bits wide outside 64-bit mode (volume 3, "Linear Address"). */
	decoder->mask = mode == TL_X86_16 || mode == TL_X86_32 ? UINT32_MAX : UINT64_MAX;
}

/*
 * FF /3 and /5, 9A, EA, CA, CB: far forms under the names of near ones (volume 2, CALL, JMP, RET).
 */
static bool is_far(const ZydisDecodedInstruction *insn)
{
	if (insn->opcode == 0xff)
		return insn->raw.modrm.reg == 3 || insn->raw.modrm.reg == 5;
	return insn->opcode == 0x9a || insn->opcode == 0xea || (insn->opcode & 0xfe) == 0xca;
}

static void set_target(const struct tl_x86_flow_decoder *decoder,
		       const ZydisDecodedInstruction *insn, uint64_t ip, struct tl_x86_flow *flow)
{
	/* XBEGIN holds an address, too, but goes there by an abort, which the trace tells. */
	if (!(flow->flags & TL_X86_BRANCH) || !insn->raw.imm[0].is_relative)
		return;
	flow->flags |= TL_X86_DIRECT;
	flow->target = (ip + insn->length + (uint64_t)insn->raw.imm[0].value.s) & decoder->mask;
	if (flow->iclass == TL_X86_CALL && !insn->raw.imm[0].value.s)
		flow->flags |= TL_X86_CALL_NEXT;
}

static void set_far(struct tl_x86_flow *flow)
{
	static const uint8_t far[] = {
		[TL_X86_CALL] = TL_X86_FAR_CALL,
		[TL_X86_RETURN] = TL_X86_FAR_RETURN,
		[TL_X86_JUMP] = TL_X86_FAR_JUMP,
	};

	flow->iclass = far[flow->iclass];
	flow->flags |= TL_X86_FAR;
}

static void classify(const struct tl_x86_flow_decoder *decoder, const ZydisDecodedInstruction *insn,
		     uint64_t ip, struct tl_x86_flow *flow)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].mnemonic != insn->mnemonic)
			continue;
		flow->iclass = rows[i].iclass;
		flow->flags = rows[i].flags;
		if (flow->iclass >= TL_X86_CALL && flow->iclass <= TL_X86_JUMP && is_far(insn))
			set_far(flow);
		set_target(decoder, insn, ip, flow);
		return;
	}
}

/* Most instructions are none of the above, and their first opcode byte tells so. */
static bool may_matter(const ZydisDecodedInstruction *insn)
{
	if (insn->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return false;
	if (insn->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT)
		return (insn->opcode & 0xf0) == 0x70 || insn->opcode >= 0xc2 ||
		       insn->opcode == 0x9a;
	return insn->opcode_map == ZYDIS_OPCODE_MAP_0F;
}

/* MOV to CR3: 0F 22 /3; the mnemonic is that of every MOV. */
static bool is_mov_cr3(const ZydisDecodedInstruction *insn)
{
	return insn->opcode_map == ZYDIS_OPCODE_MAP_0F && insn->opcode == 0x22 &&
	       insn->raw.modrm.reg == 3;
}

/*
 * JMPABS (APX): REX2 (D5) with map 0 and no W, A1, eight bytes of address. Zydis 4.0 does not know
 * it; outside 64-bit mode D5 is AAD, which it does know.
 */
static enum tl_x86_result decode_jmpabs(const struct tl_x86_flow_decoder *decoder,
					const uint8_t *code, size_t size, struct tl_x86_flow *flow)
{
	enum { BYTES = 11 };

	if (decoder->mask != UINT64_MAX)
		return TL_X86_INVALID;
	if (size < BYTES)
		return TL_X86_CUT;
	if (code[1] & 0x88 || code[2] != 0xa1)
		return TL_X86_INVALID;
	*flow = (struct tl_x86_flow){ .size = BYTES,
				      .iclass = TL_X86_JUMP,
				      .flags = TL_X86_BRANCH | TL_X86_JMPABS };
	flow->target = tl_le64(code + 3);
	return TL_X86_DECODED;
}

/* ERETU and ERETS (FRED): F3 and F2 0F 01 CA. */
static enum tl_x86_result decode_fred(const struct tl_x86_flow_decoder *decoder,
				      const uint8_t *code, size_t size, struct tl_x86_flow *flow)
{
	enum { BYTES = 4 };

	if (decoder->mask != UINT64_MAX || (code[0] != 0xf2 && code[0] != 0xf3) || size < BYTES ||
	    code[1] != 0x0f || code[2] != 0x01 || code[3] != 0xca)
		return TL_X86_INVALID;
	*flow = (struct tl_x86_flow){ .size = BYTES,
				      .iclass = TL_X86_FAR_RETURN,
				      .flags = TL_X86_BRANCH | TL_X86_FAR };
	return TL_X86_DECODED;
}

enum tl_x86_result tl_x86_flow_decode(const struct tl_x86_flow_decoder *decoder,
				      const uint8_t *code, size_t size, uint64_t ip,
				      struct tl_x86_flow *flow)
{
	if (decoder->mask == UINT64_MAX && tl_x86_fast(code, size, ip, flow))
		return TL_X86_DECODED;
	return tl_x86_flow_zydis(decoder, code, size, ip, flow);
}

enum tl_x86_result tl_x86_flow_zydis(const struct tl_x86_flow_decoder *decoder, const uint8_t *code,
				     size_t size, uint64_t ip, struct tl_x86_flow *flow)
{
	ZydisDecodedInstruction insn;
	ZyanStatus status = ZydisDecoderDecodeInstruction(&decoder->zydis, NULL, code, size, &insn);

	if (status == ZYDIS_STATUS_NO_MORE_DATA)
		return TL_X86_CUT;
	if (!ZYAN_SUCCESS(status))
		return code[0] == 0xd5 ? decode_jmpabs(decoder, code, size, flow)
				       : decode_fred(decoder, code, size, flow);
	*flow = (struct tl_x86_flow){ .size = insn.length, .iclass = TL_X86_OTHER };
	if (!may_matter(&insn))
		return TL_X86_DECODED;
	if (is_mov_cr3(&insn))
		flow->flags = TL_X86_MOV_CR3;
	else
		classify(decoder, &insn, ip, flow);
	return TL_X86_DECODED;
}
