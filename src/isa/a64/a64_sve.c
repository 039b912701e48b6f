/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "SVE encodings" (C4.1) that compute: op0 0xx. The groups as the manual names them; encodings that
 * a group leaves unallocated are not told apart, but for those one bit away from B.cond.
 */
#include "isa/a64/a64_table.h"

/* Of bytes there are but CMLA, SQRDCMLAH, SQRDMLAH and SQRDMLSH. */
static bool multiply_add(uint32_t opcode)
{
	return tl_a64_bits(opcode, 23, 22) || tl_a64_bits(opcode, 14, 13) == 1 ||
	       tl_a64_bits(opcode, 14, 11) == 14;
}

#define SVE(mask, bits, group) { mask, bits, TL_A64_SVE, 0, 0, 0, 0, 0, NULL, NULL, group }

static const struct tl_a64_row rows[] = {
	/* op0 000: integer, predicated; shifts, counts, permutations */
	SVE(0xff20e000, 0x04000000, "SVE Integer Binary Arithmetic - Predicated"),
	SVE(0xff20e000, 0x04002000, "SVE Integer Reduction"),
	SVE(0xff20e000, 0x04008000, "SVE Bitwise Shift - Predicated"),
	SVE(0xff20e000, 0x0400a000, "SVE Integer Unary Arithmetic - Predicated"),
	SVE(0xff204000, 0x04004000, "SVE Integer Multiply-Add - Predicated"),
	SVE(0xff20e000, 0x04200000, "SVE Integer Arithmetic - Unpredicated"),
	SVE(0xff20e000, 0x04202000, "SVE Bitwise Logical - Unpredicated"),
	SVE(0xff20f000, 0x04204000, "SVE Index Generation"),
	SVE(0xff20f000, 0x04205000, "SVE Stack Allocation"),
	SVE(0xff20e000, 0x04206000, "SVE2 Integer Multiply - Unpredicated"),
	SVE(0xff20e000, 0x04208000, "SVE Bitwise Shift - Unpredicated"),
	SVE(0xff20f000, 0x0420a000, "SVE Address Generation"),
	SVE(0xff20f000, 0x0420b000, "SVE Integer Misc - Unpredicated"),
	SVE(0xff20c000, 0x0420c000, "SVE Element Count"),
	SVE(0xff300000, 0x05000000, "SVE Bitwise Immediate"),
	SVE(0xff300000, 0x05100000, "SVE Integer Wide Immediate - Predicated"),
	SVE(0xff200000, 0x05200000, "SVE Permute Vector and Predicate"),
	/* op0 001: comparisons, predicates, immediates */
	SVE(0xff200000, 0x24000000, "SVE Integer Compare - Vectors"),
	SVE(0xff200000, 0x24200000, "SVE Integer Compare - Unsigned Immediate"),
	SVE(0xff204000, 0x25000000, "SVE Integer Compare - Signed Immediate"),
	SVE(0xff204000, 0x25004000, "SVE Predicate"),
	SVE(0xff20c000, 0x25200000, "SVE Integer Compare - Scalars"),
	SVE(0xff20c000, 0x25204000, "SVE Broadcast Predicate Element"),
	SVE(0xff208000, 0x25208000, "SVE Predicate Count, Integer Wide Immediate - Unpredicated"),
	/* op0 010: SVE2 integers */
	{ 0xff208000, 0x44000000, TL_A64_SVE, 0, 0, 0, 0, 0, NULL, multiply_add,
	  "SVE Integer Multiply-Add - Unpredicated" },
	SVE(0xff208000, 0x44008000, "SVE2 Integer - Predicated"),
	SVE(0xff200000, 0x44200000, "SVE Multiply - Indexed"),
	SVE(0xff208000, 0x45000000, "SVE2 Widening Integer Arithmetic"),
	SVE(0xff208000, 0x45008000, "SVE Misc, SVE2 Accumulate"),
	SVE(0xff208000, 0x45200000, "SVE2 Narrowing"),
	SVE(0xff208000, 0x45208000, "SVE2 Histogram, Character Match, Crypto Extensions"),
	/* op0 011: floating point */
	SVE(0xff200000, 0x64000000, "SVE Floating Point Complex and Multiply-Add"),
	SVE(0xff200000, 0x64200000, "SVE Floating Point Multiply - Indexed"),
	SVE(0xff200000, 0x65000000, "SVE Floating Point Arithmetic"),
	SVE(0xff200000, 0x65200000, "SVE Floating Point Multiply-Accumulate - Predicated"),
};

const struct tl_a64_table tl_a64_sve = { 0x9e000000, 0x04000000, rows,
					 sizeof(rows) / sizeof(rows[0]) };
