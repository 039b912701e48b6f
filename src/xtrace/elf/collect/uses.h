/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_USES_H
#define TL_XTRACE_USES_H
/*
 * What an instruction needs of the registers that it finds: never less than it reads, which may be
 * more; and what it leaves nothing of: never more than it writes as a whole. By its encoding.
 */
#include "isa/a64/a64.h"

struct tl_xtrace_uses {
	uint64_t reads, writes; /* X0 to X30, SP, NZCV: bits as in struct tl_xtrace_registers */
	uint32_t halves[2];     /* of V0 to V31: lower and upper ones that are read */
	uint32_t longer;        /* Z0 to Z31, of which more is read */
	uint32_t vectors;       /* written, the rest of them is zero */
	bool predicates;        /* any of them, or FFR, are read */
	bool status;            /* FPSR is read */
};

struct tl_xtrace_uses tl_xtrace_uses(const struct tl_a64 *insn);

#endif
