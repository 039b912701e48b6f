/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_CFI_ROW_H
#define TL_SYMBOLS_CFI_ROW_H
/*
 * A row of call frame information: where, at one instruction, the canonical frame address (CFA) and
 * the caller's registers are (DWARF 5, section 6.4.1, "Structure of Call Frame Information").
 */
#include "symbols/eh_frame.h"

/* Registers by their DWARF numbers; those from here on (of vectors, flags, ...) bear no address. */
enum { TL_CFI_REGISTERS = 40 };

enum tl_cfi_rule_kind {
	TL_CFI_SAME,           /* as in the caller; also where nothing is said */
	TL_CFI_UNDEFINED,      /* lost */
	TL_CFI_OFFSET,         /* in memory at CFA + value */
	TL_CFI_VAL_OFFSET,     /* CFA + value itself */
	TL_CFI_REGISTER,       /* in register number `value` */
	TL_CFI_EXPRESSION,     /* in memory where an expression says */
	TL_CFI_VAL_EXPRESSION, /* what an expression says */
};

struct tl_cfi_rule {
	enum tl_cfi_rule_kind kind;
	int64_t value; /* of an expression: its bytes */
	const uint8_t *expression;
};

struct tl_cfi_row {
	/* TL_CFI_REGISTER: `cfa_register` and `value` added; or TL_CFI_VAL_EXPRESSION */
	struct tl_cfi_rule cfa;
	uint64_t cfa_register;
	struct tl_cfi_rule rules[TL_CFI_REGISTERS];
	uint64_t return_register; /* whose rule gives the caller's address */
	bool is_signal;           /* the caller was interrupted: its address is exact */
	bool is_signed;           /* the return address is signed (AArch64) */
	bool is_32bit;
	uint16_t machine; /* EM_X86_64, ... */
};

/* The bytes of an address. */
static inline unsigned tl_cfi_word(const struct tl_cfi_row *row)
{
	return row->is_32bit ? 4 : 8;
}

/*
 * Run the instructions of a CIE and an FDE as far as the row of an address.
 * @return false: they cannot be read, or say nothing of a CFA
 */
bool tl_cfi_run(const struct tl_eh_cie *cie, const struct tl_eh_fde *fde, uint64_t address,
		struct tl_cfi_row *row);

#endif
