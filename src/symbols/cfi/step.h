/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_CFI_STEP_H
#define TL_SYMBOLS_CFI_STEP_H
/* From a frame to its caller's, by a row and a copy of the stack. */
#include "symbols/cfi/row.h"

/* Registers of a frame, by DWARF number. */
struct tl_cfi_frame {
	uint64_t pc;
	uint64_t registers[TL_CFI_REGISTERS];
	uint64_t known; /* bit n: register n is known */
};

/* The bytes of a stack from an address on: those at which the stack pointer stood when copied. */
struct tl_cfi_memory {
	const uint8_t *bytes;
	uint64_t start;
	size_t size;
};

enum tl_cfi_result {
	TL_CFI_OUTERMOST, /* there is no caller */
	TL_CFI_CALLER,    /* the frame is now the caller's */
	TL_CFI_CUT,       /* what is needed lies beyond the copy of the stack */
	TL_CFI_UNKNOWN,   /* a register is needed that is not known */
	TL_CFI_BAD,       /* the rules lead nowhere */
};

/* What the rules of a row work on. */
struct tl_cfi_step {
	const struct tl_cfi_row *row;
	const struct tl_cfi_memory *memory;
	const struct tl_cfi_frame *frame;
	uint64_t bias; /* added to addresses of the file, for DW_OP_addr */
};

/* The number of the stack pointer, and of the frame pointer, of a machine; 0 where not known. */
unsigned tl_cfi_stack_register(uint16_t machine);
unsigned tl_cfi_frame_register(uint16_t machine);

/* A word of the stack. TL_CFI_CALLER: *value is set. */
static inline enum tl_cfi_result tl_cfi_load(const struct tl_cfi_memory *m, uint64_t address,
					     unsigned size, uint64_t *value)
{
	struct tl_cursor cur = tl_cursor_over(m->bytes, m->size);

	if (address < m->start)
		return TL_CFI_BAD;
	tl_cursor_seek(&cur, address - m->start);
	if (!tl_cursor_has(&cur, size))
		return TL_CFI_CUT;
	*value = size == 1   ? *cur.pos
		 : size == 2 ? tl_get16s(cur.pos, TL_HOST_BIG_ENDIAN)
		 : size == 4 ? tl_get32s(cur.pos, TL_HOST_BIG_ENDIAN)
			     : tl_get64s(cur.pos, TL_HOST_BIG_ENDIAN);
	return TL_CFI_CALLER;
}

/* Go to the caller. The frame is unchanged unless the result is TL_CFI_CALLER. */
enum tl_cfi_result tl_cfi_step(const struct tl_cfi_row *row, const struct tl_cfi_memory *memory,
			       uint64_t bias, struct tl_cfi_frame *frame);

#endif
