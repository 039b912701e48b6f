/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_EFFECTS_H
#define TL_XTRACE_EFFECTS_H
/*
 * What an instruction wrote to registers, as far as the trace tells: loaded values, MRS, status of
 * exclusive stores, links of calls, flags; and SP, which is also known from the addresses of
 * accesses relative to it. "MISC: the full general registers at an exception level switch".
 */
#include <tracelathe/xtrace.h>

#include "xtrace/stack_pointer.h"

enum { XTRACE_SP = 31, XTRACE_NZCV = 32, XTRACE_EFFECTS = 8 };

struct xtrace_effect {
	unsigned reg; /* X0 to X30, XTRACE_SP, XTRACE_NZCV */
	uint64_t value;
};

struct xtrace_effects {
	struct xtrace_effect list[XTRACE_EFFECTS];
	unsigned count;
};

/* Effects of an instruction and its accesses; `stack` goes on with it. */
void tl_xtrace_effects(const struct tl_xtrace_reader *reader,
		       const struct tl_xtrace_instruction *insn, struct xtrace_sp *stack,
		       struct xtrace_effects *effects);

#endif
