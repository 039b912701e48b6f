/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_LAYOUT_H
#define TL_XTRACE_LAYOUT_H
/* The format as constants and tables; numbers are sections and rules of docs/formats/xtrace.md. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tracelathe/xtrace.h>

enum {
	TL_XTRACE_HEADER_BYTES = 24,                    /* 2.2 */
	TL_XTRACE_GPR_BYTES = 256,                      /* ALLGPR; X0 to X31 of a snapshot */
	TL_XTRACE_SYSREGS = 11,                         /* 2.3, item 10 */
	TL_XTRACE_MAX_ACCESS = 256,                     /* A15 */
	TL_XTRACE_MAX_FIXED = 9 + TL_XTRACE_MAX_ACCESS, /* longest token of a fixed size */
	TL_XTRACE_IOVEC_BYTES = 16,
	TL_XTRACE_ZVA_BYTES = 64, /* what DC ZVA zeroes on all known implementations and in QEMU */
};

#define TL_XTRACE_MAGIC UINT32_C(0x31525458) /* "XTR1" (2.2) */

/* Size and kind of a token by its first byte: all that decoding a stream depends on. */
struct tl_xtrace_tokens {
	/*
	 * the token and its payload; 0: undefined, or SYSCALL_VEC, whose size depends on its count
	 */
	uint16_t size[256];
	uint8_t kind[256]; /* enum tl_xtrace_kind; NONE: undefined */
};

/* Make the tables for a layout's time_bytes and code_bits, and the tokens to skip. 0 or
 * TL_BAD_USAGE. */
int tl_xtrace_tokens_make(struct tl_xtrace_tokens *tokens, const struct tl_xtrace_layout *layout,
			  const char *skip_unknown, struct tl_error *err);

/* The token byte of a kind in the layout we write; `el` of instructions, log2 of the size of
 * accesses. */
uint8_t tl_xtrace_token_byte(enum tl_xtrace_kind kind, unsigned parameter);

/* The layout we write, for a vector length (2.2, 2.3). */
struct tl_xtrace_layout tl_xtrace_own_layout(uint32_t vector_bits);

/* Where the parts of a snapshot record are, for a layout (2.3). */
struct tl_xtrace_record_layout {
	uint32_t z, p, ffr, za, sysregs, vector_bits; /* offsets */
	uint32_t z_stride, p_stride;
	uint32_t size;
};

struct tl_xtrace_record_layout tl_xtrace_record_layout(const struct tl_xtrace_layout *layout);

/* layout_text.c: tl_xtrace_layout_text() and tl_xtrace_layout_parse(), inside the library. */
void tl_xtrace_layout_put(const struct tl_xtrace_layout *layout, char *text);
int tl_xtrace_layout_take(const char *text, struct tl_xtrace_layout *layout, struct tl_error *err);

#endif
