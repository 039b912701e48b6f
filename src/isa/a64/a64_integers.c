/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Data Processing -- Immediate" (bits 28:26 are 100) and "Data Processing -- Register" (bits 27:25
 * are 101), C4.1.
 */
#include "isa/a64/a64_table.h"

#define INTEGER(mask, bits, allocated, group)                                                      \
	{ mask, bits, TL_A64_INTEGER, 0, 0, 0, 0, 0, NULL, allocated, group }
#define OTHER(mask, bits, class, special, allocated, group)                                        \
	{ mask, bits, class, 0, special, 0, 0, 0, NULL, allocated, group }

static bool is_64bit(uint32_t opcode)
{
	return opcode >> 31;
}

/* "DecodeBitMasks": a run of ones in an element of 2 to 64 bits, not all of it. */
static bool logical_immediate(uint32_t opcode)
{
	uint32_t n = tl_a64_bits(opcode, 22, 22), imms = tl_a64_bits(opcode, 15, 10);
	uint32_t size = n << 6 | (~imms & 63);
	uint32_t levels;

	if (n > opcode >> 31 || size < 2)
		return false;
	levels = (1u << (31 - __builtin_clz(size))) - 1;
	return (imms & levels) != levels;
}

/* "Move wide (immediate)": opc 01 is unallocated; hw 1x needs 64 bits. */
static bool move_wide(uint32_t opcode)
{
	return tl_a64_bits(opcode, 30, 29) != 1 &&
	       (is_64bit(opcode) || !tl_a64_bits(opcode, 22, 22));
}

/* "Bitfield": opc 11 is unallocated, N is sf, and 32 bits have no bit 32. */
static bool bitfield(uint32_t opcode)
{
	return tl_a64_bits(opcode, 30, 29) != 3 && tl_a64_bits(opcode, 22, 22) == opcode >> 31 &&
	       (is_64bit(opcode) || !(opcode & 0x00208000));
}

/* "Extract": N is sf, and 32 bits have no bit 32. */
static bool extract(uint32_t opcode)
{
	return tl_a64_bits(opcode, 22, 22) == opcode >> 31 &&
	       (is_64bit(opcode) || !(opcode & 0x8000));
}

static const struct tl_a64_row immediates[] = {
	INTEGER(0x1f000000, 0x10000000, NULL, "PC-rel. addressing"),
	INTEGER(0x1f800000, 0x11000000, NULL, "Add/subtract (immediate)"),
	INTEGER(0xbfc0c000, 0x91800000, NULL, "Add/subtract (immediate, with tags)"),
	INTEGER(0x7ff00000, 0x11c00000, NULL, "Min/max (immediate)"),
	INTEGER(0x1f800000, 0x12000000, logical_immediate, "Logical (immediate)"),
	INTEGER(0x1f800000, 0x12800000, move_wide, "Move wide (immediate)"),
	INTEGER(0x1f800000, 0x13000000, bitfield, "Bitfield"),
	INTEGER(0x7fa00000, 0x13800000, extract, "Extract"),
	OTHER(0xffc0001f, 0xf380001f, TL_A64_AUTH, 0, NULL, "Data-processing (1 source immediate)"),
};

const struct tl_a64_table tl_a64_immediates = { 0x1c000000, 0x10000000, immediates,
						sizeof(immediates) / sizeof(immediates[0]) };

/* ---- registers ---- */

/* "Data-processing (2 source)": a bit for each opcode allocated with sf 0, and with sf 1. */
static bool two_source(uint32_t opcode)
{
	static const uint64_t allocated[2] = {
		0x0f770f0c, /* UDIV, SDIV, shifts, CRC32B .. CRC32CW, SMAX .. UMIN */
		0x0f881f3d, /* and SUBP, IRG, GMI, PACGA; CRC32X, CRC32CX */
	};
	uint32_t number = tl_a64_bits(opcode, 15, 10);

	return allocated[opcode >> 31] >> number & 1;
}

/* "Data-processing (1 source)", opcode2 0: RBIT .. ABS; REV of 64 bits needs sf. */
static bool one_source(uint32_t opcode)
{
	uint32_t number = tl_a64_bits(opcode, 15, 10);

	return number <= 8 && (is_64bit(opcode) || number != 3);
}

/* The same, opcode2 1: PACIA .. AUTDB; PACIZA .. AUTDZB, XPACI, XPACD have Rn 31. */
static bool authenticates(uint32_t opcode)
{
	uint32_t number = tl_a64_bits(opcode, 15, 10);

	return number < 8 || (number <= 17 && tl_a64_bits(opcode, 9, 5) == 31);
}

/*
 * The same with PC: PACNBIASPPC, PACNBIBSPPC, PACIASPPC, PACIBSPPC have Rn 31; AUTIASPPC, AUTIBSPPC
 * a register.
 */
static bool authenticates_pc(uint32_t opcode)
{
	uint32_t number = tl_a64_bits(opcode, 15, 10);

	return number == 0x24 || number == 0x25 ||
	       ((number & 0x36) == 0x20 && tl_a64_bits(opcode, 9, 5) == 31);
}

/* A shift amount of 32 and more needs 64 bits. */
static bool shift_amount(uint32_t opcode)
{
	return is_64bit(opcode) || !(opcode & 0x8000);
}

/* "Add/subtract (shifted register)": and no rotation. */
static bool add_shifted(uint32_t opcode)
{
	return tl_a64_bits(opcode, 23, 22) != 3 && shift_amount(opcode);
}

/* "Add/subtract (extended register)": a shift of 0 to 4. */
static bool add_extended(uint32_t opcode)
{
	return tl_a64_bits(opcode, 12, 10) <= 4;
}

/*
 * "Data-processing (3 source)": MADD, MSUB; of 64 bits also the long ones, the high ones and
 * MADDPT, MSUBPT.
 */
static bool three_source(uint32_t opcode)
{
	uint32_t number = tl_a64_bits(opcode, 23, 21), o0 = tl_a64_bits(opcode, 15, 15);

	if (number == 0)
		return true;
	if (!is_64bit(opcode))
		return false;
	return number == 1 || number == 3 || number == 5 || ((number == 2 || number == 6) && !o0);
}

static const struct tl_a64_row registers[] = {
	/* UDIV, SDIV */
	OTHER(0x7fe0f800, 0x1ac00800, TL_A64_MULTIPLY, 0, NULL, "Data-processing (2 source)"),
	/* PACGA */
	OTHER(0xffe0fc00, 0x9ac03000, TL_A64_AUTH, 0, NULL, "Data-processing (2 source)"),
	INTEGER(0x7fe00000, 0x1ac00000, two_source, "Data-processing (2 source)"),
	INTEGER(0xffe0fc00, 0xbac00000, NULL, "Data-processing (2 source)"), /* SUBPS */
	INTEGER(0x7fff0000, 0x5ac00000, one_source, "Data-processing (1 source)"),
	OTHER(0xffff8000, 0xdac10000, TL_A64_AUTH, 0, authenticates, "Data-processing (1 source)"),
	OTHER(0xffff801f, 0xdac1801e, TL_A64_AUTH, 0, authenticates_pc,
	      "Data-processing (1 source)"),
	INTEGER(0x1f000000, 0x0a000000, shift_amount, "Logical (shifted register)"),
	INTEGER(0x1f200000, 0x0b000000, add_shifted, "Add/subtract (shifted register)"),
	INTEGER(0x1fe00000, 0x0b200000, add_extended, "Add/subtract (extended register)"),
	INTEGER(0x1fe0fc00, 0x1a000000, NULL, "Add/subtract (with carry)"),
	INTEGER(0xbfe0e000, 0x9a002000, NULL, "Add/subtract (checked pointer)"),
	INTEGER(0xffe07c10, 0xba000400, NULL, "Rotate right into flags"),
	INTEGER(0xffffbc1f, 0x3a00080d, NULL, "Evaluate into flags"),
	INTEGER(0x3fe00410, 0x3a400000, NULL, "Conditional compare"),
	OTHER(0x3fe00800, 0x1a800000, TL_A64_INTEGER, TL_A64_SELECT, NULL, "Conditional select"),
	OTHER(0x7f000000, 0x1b000000, TL_A64_MULTIPLY, 0, three_source,
	      "Data-processing (3 source)"),
};

const struct tl_a64_table tl_a64_registers = { 0x0e000000, 0x0a000000, registers,
					       sizeof(registers) / sizeof(registers[0]) };
