/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_REGISTER_WRITES_H
#define TL_XTRACE_REGISTER_WRITES_H
/*
 * The values that an instruction wrote to registers, as far as the trace has them: loaded values,
 * MRS, status of exclusive stores, links of calls, flags; and SP, which is also known from the
 * addresses of accesses relative to it. "MISC: the full general registers at an exception level
 * switch".
 */
#include <tracelathe/xtrace.h>

#include "xtrace/state/stack_pointer.h"

enum { TL_XTRACE_REG_SP = 31, TL_XTRACE_REG_NZCV = 32, TL_XTRACE_REGISTER_WRITES = 8 };

struct tl_xtrace_register_write {
	unsigned reg; /* X0 to X30, TL_XTRACE_REG_SP, TL_XTRACE_REG_NZCV */
	uint64_t value;
};

struct tl_xtrace_register_writes {
	struct tl_xtrace_register_write list[TL_XTRACE_REGISTER_WRITES];
	unsigned count;
};

/* Effects of an instruction and its accesses; `stack` goes on with it. */
void tl_xtrace_collect_register_writes(const struct tl_xtrace_reader *reader,
				       const struct tl_xtrace_instruction *insn,
				       struct tl_xtrace_sp *stack,
				       struct tl_xtrace_register_writes *effects);

#endif
