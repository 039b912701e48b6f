/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_FIRST_FAULT_H
#define TL_XTRACE_FIRST_FAULT_H
/*
 * LDFF1 and LDNF1: how many elements they load is the machine's choice (the manual, "SVE
 * first-fault and non-fault loads": any but the first may be left out), so that the recorded number
 * is brought back, and with it FFR.
 */
#include <stdbool.h>
#include <stdint.h>

#include "xtrace/elf/code.h"

struct tl_xtrace_context_table;

bool tl_xtrace_is_first_fault(uint32_t opcode);
/* How many elements an access of `size` bytes is. */
uint64_t tl_xtrace_first_fault_elements(uint32_t opcode, uint64_t size);
/*
 * The load, of as many active elements as the result in the context says. X0 is the context, X1 and
 * X2 are saved in it; the code ends with all registers as they were.
 */
void tl_xtrace_put_first_fault(struct tl_xtrace_code *code, uint32_t opcode,
			       const struct tl_xtrace_context_table *contexts);

#endif
