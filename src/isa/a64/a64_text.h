/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_A64_TEXT_H
#define TL_ISA_A64_TEXT_H
/*
 * The text of A64 instructions, through LLVM's C disassembler where the machine has one, else
 * ".inst 0x........".
 *
 * LLVM makes two million texts a second; programs have a few thousand opcodes. So texts are
 * remembered by opcode, and what depends on the PC is written anew each time.
 *
 * LLVM is looked for when the first text is asked for, not linked: its library is a hundred times
 * ours, and every start of every command would pay for it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_a64_text;

/* Bytes of a text at most. */
enum { TL_A64_TEXT = 128 };

/* NULL without memory, of which LLVM needs some. Not shared between threads. */
struct tl_a64_text *tl_a64_text_open(void);
void tl_a64_text_close(struct tl_a64_text *text);

/* True when there is a disassembler: texts are more than ".inst". */
bool tl_a64_text_disassembles(const struct tl_a64_text *text);

/*
 * Write the text of an instruction at `p`, where TL_A64_TEXT bytes are free; not terminated. Words
 * are apart by one blank; places relative to the PC are addresses. Returns the end.
 */
char *tl_a64_text_put(struct tl_a64_text *text, uint32_t opcode, uint64_t pc, char *p);

/* The first word of the text, "" or ".inst" without a disassembler. Valid until the next call. */
size_t tl_a64_mnemonic(struct tl_a64_text *text, uint32_t opcode, const char **word);

#endif
