/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INSN_LOG_TEXT_H
#define TL_INSN_LOG_TEXT_H
/* What is left of a line, taken from its begin. Nothing is taken where the answer is false. */
#include <stdbool.h>
#include <stdint.h>

struct tl_insn_log_text {
	const uint8_t *at, *end;
};

void tl_insn_log_skip_blanks(struct tl_insn_log_text *text);
bool tl_insn_log_take(struct tl_insn_log_text *text, const char *word);
/* Whether a word is a text, whole. */
bool tl_insn_log_is(const struct tl_insn_log_text *word, const char *text);
/* Digits of a number of 64 bits; how many of them may be wanted, too. */
bool tl_insn_log_take_hex(struct tl_insn_log_text *text, uint64_t *value, unsigned *digits);
bool tl_insn_log_take_decimal(struct tl_insn_log_text *text, uint64_t *value);
/* "0: ", the number of a processor, and the blanks behind it, unless they are not there. */
void tl_insn_log_take_cpu(struct tl_insn_log_text *text, uint64_t *cpu);
/* The characters up to the next blank, and the blanks behind them. */
bool tl_insn_log_take_word(struct tl_insn_log_text *text, struct tl_insn_log_text *word);
/* Go behind the next `c`. */
bool tl_insn_log_go_behind(struct tl_insn_log_text *text, char c);

#endif
