/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/code.h"

#include <stdlib.h>

#include "core/memory.h"
#include "xtrace/elf/words.h"

void tl_xtrace_code_put(struct tl_xtrace_code *code, uint32_t word)
{
	if (!tl_grow(&code->words, &code->capacity, code->count + 1, sizeof(*code->words))) {
		code->failed = true;
		return;
	}
	code->words[code->count++] = word;
}

void tl_xtrace_code_load(struct tl_xtrace_code *code, unsigned rt, uint64_t value)
{
	if (!tl_grow(&code->literals, &code->literal_capacity, code->literal_count + 1,
		     sizeof(*code->literals))) {
		code->failed = true;
		return;
	}
	code->literals[code->literal_count++] = (struct tl_xtrace_literal){ code->count, value };
	/* The offset comes when the constant is laid down. */
	tl_xtrace_code_put(code, tl_xtrace_op_ldr_literal(rt, 0));
}

void tl_xtrace_code_literals(struct tl_xtrace_code *code)
{
	if (code->literal_count && tl_xtrace_code_here(code) % 8)
		tl_xtrace_code_put(code, TL_XTRACE_NOP);
	for (size_t i = 0; i < code->literal_count && !code->failed; i++) {
		const struct tl_xtrace_literal *l = &code->literals[i];
		int64_t offset = (int64_t)(code->count - l->at) * 4;

		code->words[l->at] = tl_xtrace_op_ldr_literal(code->words[l->at] & 31, offset);
		tl_xtrace_code_put(code, (uint32_t)l->value);
		tl_xtrace_code_put(code, (uint32_t)(l->value >> 32));
	}
	code->literal_count = 0;
}

void tl_xtrace_code_free(struct tl_xtrace_code *code)
{
	free(code->words);
	free(code->literals);
	*code = (struct tl_xtrace_code){ .address = code->address };
}
