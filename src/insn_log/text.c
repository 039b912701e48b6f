/* SPDX-License-Identifier: Apache-2.0 */
#include "insn_log/text.h"

#include <string.h>

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

void tl_insn_log_skip_blanks(struct tl_insn_log_text *text)
{
	while (text->at < text->end && is_blank(*text->at))
		text->at++;
}

bool tl_insn_log_take(struct tl_insn_log_text *text, const char *word)
{
	const size_t size = strlen(word);

	if ((size_t)(text->end - text->at) < size || memcmp(text->at, word, size))
		return false;
	text->at += size;
	return true;
}

/* The value of a digit; 16: it is none. */
static unsigned digit_of(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10u : 16;
}

static bool take_digits(struct tl_insn_log_text *text, unsigned base, uint64_t *value,
			unsigned *digits)
{
	const uint8_t *p = text->at;
	uint64_t sum = 0;

	for (; p < text->end && digit_of(*p) < base; p++)
		if (__builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, digit_of(*p), &sum))
			return false;
	if (p == text->at)
		return false;
	if (digits)
		*digits = (unsigned)(p - text->at);
	text->at = p;
	*value = sum;
	return true;
}

bool tl_insn_log_take_hex(struct tl_insn_log_text *text, uint64_t *value, unsigned *digits)
{
	return take_digits(text, 16, value, digits);
}

bool tl_insn_log_take_decimal(struct tl_insn_log_text *text, uint64_t *value)
{
	return take_digits(text, 10, value, NULL);
}

bool tl_insn_log_take_word(struct tl_insn_log_text *text, struct tl_insn_log_text *word)
{
	tl_insn_log_skip_blanks(text);
	word->at = text->at;
	while (text->at < text->end && !is_blank(*text->at))
		text->at++;
	word->end = text->at;
	tl_insn_log_skip_blanks(text);
	return word->end > word->at;
}

bool tl_insn_log_go_behind(struct tl_insn_log_text *text, char c)
{
	const uint8_t *found = memchr(text->at, c, (size_t)(text->end - text->at));

	if (found)
		text->at = found + 1;
	return found;
}

bool tl_insn_log_is(const struct tl_insn_log_text *word, const char *text)
{
	struct tl_insn_log_text rest = *word;

	return tl_insn_log_take(&rest, text) && rest.at == rest.end;
}

void tl_insn_log_take_cpu(struct tl_insn_log_text *text, uint64_t *cpu)
{
	struct tl_insn_log_text behind = *text;
	uint64_t number;

	if (!tl_insn_log_take_decimal(&behind, &number) || !tl_insn_log_take(&behind, ":"))
		return;
	tl_insn_log_skip_blanks(&behind);
	*text = behind;
	*cpu = number;
}
