/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Branches, Exception Generating and System instructions" (C4.1): bits 28:26 are 101. Also UDF
 * ("Reserved").
 */
#include "isa/a64/a64_table.h"

#define BRANCH(mask, bits, flow, low, count, group)                                                \
	{ mask, bits, TL_A64_BRANCH, flow, TL_A64_PLAIN, low, count, 0, NULL, NULL, group }
#define OTHER(mask, bits, class, flow, special, allocated, group)                                  \
	{ mask, bits, class, flow, special, 0, 0, 0, NULL, allocated, group }

/*
 * "PSTATE": the fields that MSR (immediate) names by op1, op2 and, for some, the high bits of CRm.
 */
static bool names_a_field(uint32_t opcode)
{
	static const struct {
		uint8_t op1, op2, mask, bits; /* of CRm */
					      /* clang-format off */
	} fields[] = {
		{ 0, 0, 0, 0 },   { 0, 1, 15, 0 }, { 0, 2, 15, 0 }, /* CFINV, XAFLAG, AXFLAG */
		{ 0, 3, 0, 0 },   { 0, 4, 0, 0 },  { 0, 5, 0, 0 },  /* UAO, PAN, SPSel */
		{ 1, 0, 14, 0 },  { 1, 0, 14, 2 },                  /* ALLINT, PM */
		{ 3, 1, 0, 0 },   { 3, 2, 0, 0 },  { 3, 4, 0, 0 },  /* SSBS, DIT, TCO */
		{ 3, 3, 14, 2 },  { 3, 3, 14, 4 }, { 3, 3, 14, 6 }, /* SVCRSM, SVCRZA, SVCRSMZA */
		{ 3, 6, 0, 0 },   { 3, 7, 0, 0 },                   /* DAIFSet, DAIFClr */
	};
	/* clang-format on */
	uint32_t op1 = tl_a64_bits(opcode, 18, 16), crm = tl_a64_bits(opcode, 11, 8),
		 op2 = tl_a64_bits(opcode, 7, 5);

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].op1 == op1 && fields[i].op2 == op2 &&
		    (crm & fields[i].mask) == fields[i].bits)
			return true;
	return false;
}

/* A pair of registers begins with an even one, or is XZR twice. */
static bool pair_of_registers(uint32_t opcode)
{
	return !(opcode & 1) || tl_a64_bits(opcode, 4, 0) == 31;
}

/* clang-format off */
static const struct tl_a64_row rows[] = {
	/* Conditional branch (immediate) */
	BRANCH(0xff000000, 0x54000000, TL_A64_CONDITIONAL, 5, 19, "Conditional branch (immediate)"),
	/* RETAASPPC */
	BRANCH(0xffe0001f, 0x5500001f, TL_A64_RETURN, 0, 0, "Return (PC-relative authentication)"),
	BRANCH(0xffe0001f, 0x5520001f, TL_A64_RETURN, 0, 0, "Return (PC-relative authentication)"),
	/* Exception generation: opc, imm16, op2, LL */
	OTHER(0xffe0001f, 0xd4000001, TL_A64_EXCEPTION, TL_A64_EXCEPTION_CALL, TL_A64_SVC, NULL,
	  "Exception generation"),
	OTHER(0xffe0001f, 0xd4000002, TL_A64_EXCEPTION, TL_A64_EXCEPTION_CALL, 0, NULL,
	  "Exception generation"),
	OTHER(0xffe0001f, 0xd4000003, TL_A64_EXCEPTION, TL_A64_EXCEPTION_CALL, 0, NULL,
	  "Exception generation"),
	/* BRK */
	OTHER(0xffe0001f, 0xd4200000, TL_A64_EXCEPTION, TL_A64_TRAP, 0, NULL,
	  "Exception generation"),
	/* HLT */
	OTHER(0xffe0001f, 0xd4400000, TL_A64_EXCEPTION, TL_A64_TRAP, 0, NULL,
	  "Exception generation"),
	/* TCANCEL */
	OTHER(0xffe0001f, 0xd4600000, TL_A64_EXCEPTION, TL_A64_TRAP, 0, NULL,
	  "Exception generation"),
	/* DCPS */
	OTHER(0xffe0001f, 0xd4a00001, TL_A64_EXCEPTION, TL_A64_TRAP, 0, NULL,
	  "Exception generation"),
	OTHER(0xffe0001f, 0xd4a00002, TL_A64_EXCEPTION, TL_A64_TRAP, 0, NULL,
	  "Exception generation"),
	OTHER(0xffe0001f, 0xd4a00003, TL_A64_EXCEPTION, TL_A64_TRAP, 0, NULL,
	  "Exception generation"),
	/* System instructions with register argument: WFET, WFIT */
	OTHER(0xffffffc0, 0xd5031000, TL_A64_HINT, 0, 0, NULL,
	  "System instructions with register argument"),
	/*
	 * Hints; those that authenticate pointers apart: PACIA1716 and the like, PACIAZ and the
	 * like, XPACLRI
	 */
	OTHER(0xffffff3f, 0xd503211f, TL_A64_AUTH, 0, 0, NULL, "Hints"),
	OTHER(0xffffff1f, 0xd503231f, TL_A64_AUTH, 0, 0, NULL, "Hints"),
	OTHER(0xffffffff, 0xd50320ff, TL_A64_AUTH, 0, 0, NULL, "Hints"),
	OTHER(0xfffff01f, 0xd503201f, TL_A64_HINT, 0, 0, NULL, "Hints"),
	/* Barriers: CLREX, DSB, DMB, ISB, SB, DSB nXS, TCOMMIT */
	OTHER(0xfffff0ff, 0xd503305f, TL_A64_BARRIER, 0, 0, NULL, "Barriers"),
	OTHER(0xfffff0ff, 0xd503309f, TL_A64_BARRIER, 0, 0, NULL, "Barriers"),
	OTHER(0xfffff0ff, 0xd50330bf, TL_A64_BARRIER, 0, 0, NULL, "Barriers"),
	OTHER(0xfffff0ff, 0xd50330df, TL_A64_BARRIER, 0, 0, NULL, "Barriers"),
	OTHER(0xffffffff, 0xd50330ff, TL_A64_BARRIER, 0, 0, NULL, "Barriers"),
	OTHER(0xfffff3ff, 0xd503323f, TL_A64_BARRIER, 0, 0, NULL, "Barriers"),
	OTHER(0xffffffff, 0xd503307f, TL_A64_BARRIER, 0, 0, NULL, "Barriers"),
	/* PSTATE */
	OTHER(0xfff8f01f, 0xd500401f, TL_A64_SYSTEM, 0, 0, names_a_field, "PSTATE"),
	/* System with result: TSTART, TTEST */
	OTHER(0xffffffe0, 0xd5233060, TL_A64_SYSTEM, 0, 0, NULL, "System with result"),
	OTHER(0xffffffe0, 0xd5233160, TL_A64_SYSTEM, 0, 0, NULL, "System with result"),
	/* System instructions; DC ZVA is op1 3, CRn 7, CRm 4, op2 1, DC GZVA op2 4 */
	OTHER(0xffffffe0, 0xd50b7420, TL_A64_SYSTEM, 0, TL_A64_DC_ZERO, NULL,
	  "System instructions"),
	OTHER(0xffffffe0, 0xd50b7480, TL_A64_SYSTEM, 0, TL_A64_DC_ZERO, NULL,
	  "System instructions"),
	OTHER(0xffd80000, 0xd5080000, TL_A64_SYSTEM, 0, 0, NULL, "System instructions"),
	/* System register move; RNDR and RNDRRS are S3_3_C2_C4_0 and _1 */
	OTHER(0xfff00000, 0xd5100000, TL_A64_SYSTEM, 0, TL_A64_MSR, NULL, "System register move"),
	OTHER(0xffffffc0, 0xd53b2400, TL_A64_SYSTEM, 0, TL_A64_RNDR, NULL, "System register move"),
	OTHER(0xfff00000, 0xd5300000, TL_A64_SYSTEM, 0, TL_A64_MRS, NULL, "System register move"),
	OTHER(0xfff80000, 0xd5480000, TL_A64_SYSTEM, 0, 0, pair_of_registers,
	  "System pair instructions"),
	OTHER(0xfff00001, 0xd5500000, TL_A64_SYSTEM, 0, TL_A64_MSR, NULL,
	  "System register pair move"),
	OTHER(0xfff00001, 0xd5700000, TL_A64_SYSTEM, 0, TL_A64_MRS, NULL,
	  "System register pair move"),
	/* Unconditional branch (register): opc, op2 11111, op3, Rn, op4 */
	/* BR */
	BRANCH(0xfffffc1f, 0xd61f0000, TL_A64_JUMP_REGISTER, 0, 0,
	  "Unconditional branch (register)"),
	/* BRAAZ */
	BRANCH(0xfffff81f, 0xd61f081f, TL_A64_JUMP_REGISTER, 0, 0,
	  "Unconditional branch (register)"),
	/* BRAA */
	BRANCH(0xfffff800, 0xd71f0800, TL_A64_JUMP_REGISTER, 0, 0,
	  "Unconditional branch (register)"),
	/* BLR */
	BRANCH(0xfffffc1f, 0xd63f0000, TL_A64_CALL_REGISTER, 0, 0,
	  "Unconditional branch (register)"),
	/* BLRAAZ */
	BRANCH(0xfffff81f, 0xd63f081f, TL_A64_CALL_REGISTER, 0, 0,
	  "Unconditional branch (register)"),
	/* BLRAA */
	BRANCH(0xfffff800, 0xd73f0800, TL_A64_CALL_REGISTER, 0, 0,
	  "Unconditional branch (register)"),
	/* RET */
	BRANCH(0xfffffc1f, 0xd65f0000, TL_A64_RETURN, 0, 0, "Unconditional branch (register)"),
	/* RETAA */
	BRANCH(0xfffffbe0, 0xd65f0be0, TL_A64_RETURN, 0, 0, "Unconditional branch (register)"),
	/* ERET */
	BRANCH(0xffffffff, 0xd69f03e0, TL_A64_EXCEPTION_RETURN, 0, 0,
	  "Unconditional branch (register)"),
	/* ERETAA */
	BRANCH(0xfffffbff, 0xd69f0bff, TL_A64_EXCEPTION_RETURN, 0, 0,
	  "Unconditional branch (register)"),
	/* DRPS */
	BRANCH(0xffffffff, 0xd6bf03e0, TL_A64_EXCEPTION_RETURN, 0, 0,
	  "Unconditional branch (register)"),
	/* Unconditional branch (immediate) */
	BRANCH(0xfc000000, 0x14000000, TL_A64_JUMP, 0, 26, "Unconditional branch (immediate)"),
	BRANCH(0xfc000000, 0x94000000, TL_A64_CALL, 0, 26, "Unconditional branch (immediate)"),
	/* Compare and branch (immediate) */
	BRANCH(0x7e000000, 0x34000000, TL_A64_CONDITIONAL, 5, 19, "Compare and branch (immediate)"),
	/* Test and branch (immediate) */
	BRANCH(0x7e000000, 0x36000000, TL_A64_CONDITIONAL, 5, 14, "Test and branch (immediate)"),
};
/* clang-format on */

const struct tl_a64_table tl_a64_branches = { 0x1c000000, 0x14000000, rows,
					      sizeof(rows) / sizeof(rows[0]) };
