/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "SME encodings" (C4.1): bit 31 is set, bits 28:25 are 0000; and "Reserved": UDF. Loads and stores
 * exactly; what computes is few groups, in which most unallocated encodings are not told
 * apart.
 */
#include "isa/a64/a64_table.h"

enum { ACCESS = TL_A64_VECTOR | TL_A64_SCALABLE | TL_A64_PREDICATED };

#define LOAD(mask, bits, group)                                                                    \
	{ mask, bits, TL_A64_LOAD, 0, 0, 0, 0, ACCESS | TL_A64_READS, NULL, NULL, group }
#define STORE(mask, bits, group)                                                                   \
	{ mask, bits, TL_A64_STORE, 0, 0, 0, 0, ACCESS | TL_A64_WRITES, NULL, NULL, group }

/*
 * Bit 23 clear: quarter-tile products (MOP4), which have zeros in bits 16:10 and 5, unless bit 22
 * is set: sparse ones (TMOP).
 */
static bool outer_product(uint32_t opcode)
{
	return tl_a64_bits(opcode, 23, 22) || !(opcode & 0x0001fc20);
}

static const char memory[] = "SME Memory";
static const char contiguous[] = "SME2 Multi-vector - Memory (Contiguous)";
static const char strided[] = "SME2 Multi-vector - Memory (Strided)";

/* clang-format off */
static const struct tl_a64_row rows[] = {
	/* Two registers, four registers; by register, by immediate */
	LOAD(0xffe08000, 0xa0000000, contiguous),
	LOAD(0xffe08002, 0xa0008000, contiguous),
	STORE(0xffe08000, 0xa0200000, contiguous),
	STORE(0xffe08002, 0xa0208000, contiguous),
	LOAD(0xfff08000, 0xa0400000, contiguous),
	LOAD(0xfff08002, 0xa0408000, contiguous),
	STORE(0xfff08000, 0xa0600000, contiguous),
	STORE(0xfff08002, 0xa0608000, contiguous),
	LOAD(0xffe08000, 0xa1000000, strided),
	LOAD(0xffe08004, 0xa1008000, strided),
	STORE(0xffe08000, 0xa1200000, strided),
	STORE(0xffe08004, 0xa1208000, strided),
	LOAD(0xfff08000, 0xa1400000, strided),
	LOAD(0xfff08004, 0xa1408000, strided),
	STORE(0xfff08000, 0xa1600000, strided),
	STORE(0xfff08004, 0xa1608000, strided),
	/* Array vectors by elements, of 128 bits; LDR and STR of ZA and ZT0 */
	LOAD(0xff200010, 0xe0000000, memory),
	STORE(0xff200010, 0xe0200000, memory),
	LOAD(0xffe00010, 0xe1c00000, memory),
	STORE(0xffe00010, 0xe1e00000, memory),
	LOAD(0xffff9c10, 0xe1000000, memory),
	STORE(0xffff9c10, 0xe1200000, memory),
	LOAD(0xfffffc1f, 0xe11f8000, memory),
	STORE(0xfffffc1f, 0xe13f8000, memory),
	/* Outer products and multi-vector arithmetic; moves, lookups, zeroing */
	{ 0xfe000000, 0x80000000, TL_A64_SME, 0, 0, 0, 0, 0, NULL, outer_product,
	  "SME Outer Product and Multi-vector" },
	{ 0xfe800000, 0xa0800000, TL_A64_SME, 0, 0, 0, 0, 0, NULL, NULL,
	  "SME Integer Outer Product" },
	{ 0xfe000000, 0xc0000000, TL_A64_SME, 0, 0, 0, 0, 0, NULL, NULL,
	  "SME Move, Zero and Multi-vector" },
	/* UDF */
	{ 0xffff0000, 0x00000000, TL_A64_EXCEPTION, TL_A64_TRAP, 0, 0, 0, 0, NULL, NULL,
	  "Reserved" },
};
/* clang-format on */

const struct tl_a64_table tl_a64_sme = { 0x1e000000, 0x00000000, rows,
					 sizeof(rows) / sizeof(rows[0]) };
