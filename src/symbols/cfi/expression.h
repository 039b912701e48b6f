/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_CFI_EXPRESSION_H
#define TL_SYMBOLS_CFI_EXPRESSION_H
#include "symbols/cfi/step.h"

/*
 * The value of an expression of call frame information (DWARF 5, sections 2.5 and 6.4.2). `start`:
 * what its stack begins with; NULL: nothing.
 * @return TL_CFI_CALLER: *value is set; or what was missing
 */
enum tl_cfi_result tl_cfi_evaluate(const struct tl_cfi_step *step, const struct tl_cfi_rule *rule,
				   const uint64_t *start, uint64_t *value);

#endif
