/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "a64.h"

#include <stddef.h>

static const struct {
	uint32_t mask, value;
	unsigned carries;
	/* clang-format off */
} rows[] = {
	/* "Exception generation": SVC */
	{ 0xffe0001f, 0xd4000001, CARRIES_SVC },
	/* "Load/store exclusive register": STXR, STLXR and their bytes and halves */
	{ 0x3fe00000, 0x08000000, CARRIES_STATUS },
	/* "Load/store exclusive pair": STXP, STLXP */
	{ 0xbfe00000, 0x88200000, CARRIES_STATUS },
	/* LDXR, LDAXR and their bytes and halves; LDXP, LDAXP */
	{ 0x3fe00000, 0x08400000, IS_LOAD_EXCLUSIVE },
	{ 0xbfe00000, 0x88600000, IS_LOAD_EXCLUSIVE },
	/* MSR SVCRSM, SVCRZA, SVCRSMZA, #1 (SMSTART); MSR SVCR, Xt */
	{ 0xfffff9ff, 0xd503417f, IS_SME },
	{ 0xffffffe0, 0xd51b4240, IS_SME },
	/* "System register move": op0 is 2 or 3 */
	{ 0xfff00000, 0xd5300000, CARRIES_MRS },
	{ 0xfff00000, 0xd5100000, CARRIES_MSR },
	/* RNDR, RNDRRS: S3_3_C2_C4_0, _1 */
	{ 0xffffffc0, 0xd53b2400, CARRIES_FLAGS },
	/* "Conditional select": CSEL, CSINC, CSINV, CSNEG */
	{ 0x3fe00800, 0x1a800000, CARRIES_FLAGS },
	/* "System instructions": DC ZVA, DC GZVA */
	{ 0xffffffe0, 0xd50b7420, CARRIES_DC },
	{ 0xffffffe0, 0xd50b7480, CARRIES_DC },
	/* "Unconditional branch (register)": BR, BLR, RET */
	{ 0xfffffc1f, 0xd61f0000, CARRIES_TARGET },
	{ 0xfffffc1f, 0xd63f0000, CARRIES_TARGET },
	{ 0xfffffc1f, 0xd65f0000, CARRIES_TARGET },
	/* BRAAZ, BLRAAZ, RETAA and the like; BRAA, BLRAA and the like */
	{ 0xff9ff800, 0xd61f0800, CARRIES_NEXT },
	{ 0xffdff800, 0xd71f0800, CARRIES_NEXT },
	/* ERET, ERETAA, ERETAB */
	{ 0xfffff000, 0xd69f0000, CARRIES_ERET },
	/*
	 * "Compare and swap", "Compare and swap pair", "Atomic memory operations" but LDAPR, which
	 * loads
	 */
	{ 0x3fa07c00, 0x08a07c00, IS_ATOMIC },
	{ 0xbfa07c00, 0x08207c00, IS_ATOMIC },
	{ 0x3f200c00, 0x38200000, IS_ATOMIC },
	/* "Loads and stores"; "SME memory": LD1B to LD1Q, ST1B to ST1Q; LDR, STR of ZA and ZT0 */
	{ 0x0a000000, 0x08000000, IS_ACCESS },
	{ 0xff000010, 0xe0000000, IS_ACCESS | IS_TILE },
	{ 0xffc00010, 0xe1c00000, IS_ACCESS | IS_TILE },
	{ 0xff000000, 0xe1000000, IS_ACCESS },
	/* "SVE memory": what is not among the loads and stores by these bits */
	{ 0xfe000000, 0x84000000, IS_ACCESS },
	{ 0xfe000000, 0xa4000000, IS_ACCESS },
	{ 0xfe000000, 0xc4000000, IS_ACCESS },
	{ 0xfe000000, 0xe4000000, IS_ACCESS },
	/* "Hints" */
	{ 0xffffffff, 0xd503213f, IS_HINT_9 },
	{ 0xffffffff, 0xd50321bf, IS_HINT_13 },
};
/* clang-format on */

unsigned a64_carries(uint32_t opcode)
{
	unsigned carries = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((opcode & rows[i].mask) == rows[i].value)
			carries |= rows[i].carries;
	return carries;
}
