/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_CODE_H
#define TL_XTRACE_CODE_H
/*
 * A piece of code that is being made: words at an address, and the 64-bit constants they load,
 * which follow behind them. A zero-filled struct with an address is empty. Without memory it stays
 * as it is and says so at the end.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_xtrace_literal {
	size_t at; /* the word that loads it */
	uint64_t value;
};

struct tl_xtrace_code {
	uint64_t address; /* of word 0 */
	uint32_t *words;
	size_t count, capacity;
	struct tl_xtrace_literal *literals; /* not laid down yet */
	size_t literal_count, literal_capacity;
	bool failed; /* no memory */
};

void tl_xtrace_code_put(struct tl_xtrace_code *code, uint32_t word);
/* LDR Xt, =value. */
void tl_xtrace_code_load(struct tl_xtrace_code *code, unsigned rt, uint64_t value);
/* Lay down the constants. To be called where control does not come along. */
void tl_xtrace_code_literals(struct tl_xtrace_code *code);
void tl_xtrace_code_free(struct tl_xtrace_code *code);

/* The address of the next word. */
static inline uint64_t tl_xtrace_code_here(const struct tl_xtrace_code *code)
{
	return code->address + code->count * 4;
}

/* From the next word to word number `target`, in bytes. */
static inline int64_t tl_xtrace_code_to(const struct tl_xtrace_code *code, size_t target)
{
	return ((int64_t)target - (int64_t)code->count) * 4;
}

/* From the next word to an address, in bytes. */
static inline int64_t tl_xtrace_code_reach(const struct tl_xtrace_code *code, uint64_t target)
{
	return (int64_t)(target - tl_xtrace_code_here(code));
}

#endif
