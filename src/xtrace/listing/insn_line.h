/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_INSN_LINE_H
#define TL_XTRACE_INSN_LINE_H
/*
 * Instructions as lines. The middle of a line depends on the instruction alone (PC, symbol, opcode,
 * text): it is cached by PC and opcode and copied the next time, since symbol lookup and
 * disassembly take longer than all else.
 */
#include "isa/a64/a64_text.h"
#include "xtrace/format/walk.h"
#include "xtrace/listing/describe.h"

enum { TL_XTRACE_INSN_SLOT_BITS = 12, TL_XTRACE_INSN_SLOT_ROOM = 1000 };

/* The middle of a line. */
struct tl_xtrace_insn_slot {
	uint64_t pc;
	uint32_t opcode;
	uint16_t size; /* 0: none */
	uint8_t el;
	bool pc_known;
	char text[TL_XTRACE_INSN_SLOT_ROOM];
};

struct tl_xtrace_insn_lines {
	struct tl_xtrace_trace *trace;
	const struct tl_xtrace_select *select;
	const struct tl_xtrace_insn_text_options *shown;
	struct tl_output *out;
	bool json, several;
	struct tl_a64_text *text;
	struct tl_xtrace_insn_slot *slots;
};

/* An instruction and its tokens. */
struct tl_xtrace_insn_tokens {
	const uint8_t *at, *end;
	uint64_t pc, ordinal;
	uint32_t opcode;
	uint8_t el;
	bool pc_known;
};

/* Append the line of an instruction. */
void tl_xtrace_put_insn_line(const struct tl_xtrace_insn_lines *d, const struct tl_xtrace_stream *s,
			     const struct tl_xtrace_insn_tokens *insn);

#endif
