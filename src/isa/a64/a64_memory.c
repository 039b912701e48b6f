/* SPDX-License-Identifier: Apache-2.0 */
/* "Loads and Stores" (C4.1): bit 27 is set, bit 25 is not. */
#include "isa/a64/a64_table.h"

enum {
	R = TL_A64_READS,
	W = TL_A64_WRITES,
	RW = TL_A64_READS | TL_A64_WRITES,
	PAIR = TL_A64_PAIR,
	EX = TL_A64_EXCLUSIVE,
	ORDERED = TL_A64_ORDERED,
	VECTOR = TL_A64_VECTOR,
	TAGS = TL_A64_TAGS,
};

#define LOAD(mask, bits, access, bytes, allocated, group)                                          \
	{ mask, bits, TL_A64_LOAD, 0, 0, 0, 0, R | (access), bytes, allocated, group }
#define STORE(mask, bits, access, bytes, allocated, group)                                         \
	{ mask, bits, TL_A64_STORE, 0, 0, 0, 0, W | (access), bytes, allocated, group }
#define ATOMIC(mask, bits, access, bytes, allocated, group)                                        \
	{                                                                                          \
		mask,  bits,      TL_A64_ATOMIC, 0, 0, 0, 0, RW | TL_A64_RMW | (access),           \
		bytes, allocated, group                                                            \
	}
#define PREFETCH(mask, bits, allocated, group)                                                     \
	{ mask, bits, TL_A64_PREFETCH, 0, 0, 0, 0, 0, NULL, allocated, group }
#define EXCLUSIVE(mask, bits, access, bytes, group)                                                \
	{ mask,  bits, TL_A64_STORE, 0, TL_A64_STORE_EXCLUSIVE, 0, 0, W | EX | (access),           \
	  bytes, NULL, group }

/* ---- sizes ---- */

static unsigned fixed_8(uint32_t opcode)
{
	(void)opcode;
	return 8;
}

static unsigned fixed_16(uint32_t opcode)
{
	(void)opcode;
	return 16;
}

static unsigned fixed_64(uint32_t opcode)
{
	(void)opcode;
	return 64;
}

/* size is bits 31:30 */
static unsigned by_size(uint32_t opcode)
{
	return 1u << (opcode >> 30);
}

/* Two registers of 4 or 8 bytes by sz, bit 30 */
static unsigned by_sz_pair(uint32_t opcode)
{
	return opcode & 1u << 30 ? 16 : 8;
}

/* SIMD and floating-point registers: opc<1> says 16 bytes. */
static unsigned by_vector_size(uint32_t opcode)
{
	return opcode & 1u << 23 ? 16 : 1u << (opcode >> 30);
}

/* "Load register (literal)": opc 00 is 4 bytes, 01 is 8, LDRSW is 4; of SIMD registers 4, 8, 16. */
static unsigned by_literal(uint32_t opcode)
{
	return opcode >> 30 == 1 ? 8 : 4;
}

static unsigned by_vector_literal(uint32_t opcode)
{
	return 4u << (opcode >> 30);
}

/* Pairs: LDPSW and W are 4 bytes each, X is 8; of SIMD registers 4, 8, 16. */
static unsigned by_pair(uint32_t opcode)
{
	return opcode >> 30 == 2 ? 16 : 8;
}

static unsigned by_vector_pair(uint32_t opcode)
{
	return 8u << (opcode >> 30);
}

/* "Advanced SIMD load/store multiple structures": registers by opcode, of 8 or 16 bytes by Q. */
static unsigned by_structures(uint32_t opcode)
{
	static const uint8_t registers[16] = {
		[0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2
	};

	return registers[tl_a64_bits(opcode, 15, 12)] * (opcode & 1u << 30 ? 16u : 8u);
}

/*
 * "Advanced SIMD load/store single structure": elements by opcode<0> and R, their size by
 * opcode<2:1> and size.
 */
static unsigned by_element(uint32_t opcode)
{
	uint32_t scale = tl_a64_bits(opcode, 15, 14),
		 count = (opcode >> 12 & 2) + (opcode >> 21 & 1) + 1;

	if (scale == 3)
		scale = tl_a64_bits(opcode, 11, 10); /* to all lanes */
	else if (scale == 2)
		scale += opcode >> 10 & 1;
	return count << scale;
}

/* ---- what is allocated ---- */

static bool even_registers(uint32_t opcode)
{
	return !(opcode & 0x00010001);
}

static bool multiple_structures(uint32_t opcode)
{
	uint32_t kind = tl_a64_bits(opcode, 15, 12);
	bool one_dimensional = kind == 2 || kind == 6 || kind == 7 || kind == 10;

	/* Of one register of 8 bytes no structures of 8-byte elements can be. */
	return one_dimensional || ((kind == 0 || kind == 4 || kind == 8) &&
				   (tl_a64_bits(opcode, 11, 10) != 3 || opcode >> 30 & 1));
}

static bool single_structure(uint32_t opcode)
{
	uint32_t scale = tl_a64_bits(opcode, 15, 14), s = opcode >> 12 & 1,
		 size = tl_a64_bits(opcode, 11, 10);

	switch (scale) {
	case 0:
		return true;
	case 1:
		return !(size & 1);
	case 2:
		return size == 0 || (size == 1 && !s);
	default:
		return (opcode >> 22 & 1) && !s;
	}
}

/*
 * "LDAPR/STLR (unscaled immediate)" and the like: opc 10 is a load that extends to 64 bits, 11 to
 * 32.
 */
static bool extends(uint32_t opcode)
{
	uint32_t size = opcode >> 30, opc = tl_a64_bits(opcode, 23, 22);

	return opc < 2 || (opc == 2 && size < 3) || (opc == 3 && size < 2);
}

/* SIMD registers: 16 bytes have size 00. */
static bool vector_size(uint32_t opcode)
{
	return !(opcode & 1u << 23) || opcode >> 30 == 0;
}

/* "Load/store register (register offset)": option<1> is set. */
static bool register_offset(uint32_t opcode)
{
	return opcode & 1u << 14 && extends(opcode);
}

static bool vector_register_offset(uint32_t opcode)
{
	return opcode & 1u << 14 && vector_size(opcode);
}

static bool prefetch_offset(uint32_t opcode)
{
	return opcode & 1u << 14;
}

static bool literal(uint32_t opcode)
{
	return opcode >> 30 != 3;
}

/* Pairs of general registers: opc 01 is LDPSW or STGP, neither of them "no-allocate". */
static bool pair_load(uint32_t opcode)
{
	return opcode >> 30 != 3 && (opcode >> 30 != 1 || opcode & 3u << 23);
}

static bool pair_of_tags(uint32_t opcode)
{
	return opcode & 3u << 23;
}

static bool pair_store(uint32_t opcode)
{
	return opcode >> 30 == 0 || opcode >> 30 == 2;
}

/* "Memory Copy and Memory Set": three different registers; 31 is none of the addresses. */
static bool copy_registers(uint32_t opcode)
{
	uint32_t d = opcode & 31, n = opcode >> 5 & 31, s = opcode >> 16 & 31;

	return d != 31 && s != 31 && d != n && d != s && n != s;
}

static bool set_registers(uint32_t opcode)
{
	uint32_t d = opcode & 31, n = opcode >> 5 & 31, s = opcode >> 16 & 31;

	return tl_a64_bits(opcode, 15, 14) != 3 && d != 31 && d != n && d != s && n != s;
}

static bool copy_stage(uint32_t opcode)
{
	return tl_a64_bits(opcode, 23, 22) != 3 && copy_registers(opcode);
}

/* "128-bit atomic memory operations": Rt or Rt2 of 31 is UNDEFINED. */
static bool two_registers(uint32_t opcode)
{
	return (opcode & 31) != 31 && (opcode >> 16 & 31) != 31;
}

/* LD64B, ST64B: eight registers from an even one on, at most X22. */
static bool eight_registers(uint32_t opcode)
{
	return !(opcode & 1) && (opcode & 31) <= 22;
}

static const char structures[] = "Advanced SIMD load/store multiple structures";
static const char single[] = "Advanced SIMD load/store single structure";
static const char exclusive[] = "Load/store exclusive register";
static const char tags[] = "Load/store memory tags";
static const char copies[] = "Memory Copy and Memory Set";
static const char pairs[] = "Load/store register pair";
static const char registers[] = "Load/store register (immediate)";
static const char offsets[] = "Load/store register (register offset)";
static const char atomics[] = "Atomic memory operations";

/* clang-format off */
static const struct tl_a64_row rows[] = {
	/* The most frequent first: unsigned immediate */
	PREFETCH(0xffc00000, 0xf9800000, NULL, "Prefetch memory"),
	STORE(0x3fc00000, 0x39000000, 0, by_size, NULL, "Load/store register (unsigned immediate)"),
	LOAD(0x3f000000, 0x39000000, 0, by_size, extends,
	  "Load/store register (unsigned immediate)"),
	STORE(0x3f400000, 0x3d000000, VECTOR, by_vector_size, vector_size,
	  "Load/store register (unsigned immediate)"),
	LOAD(0x3f400000, 0x3d400000, VECTOR, by_vector_size, vector_size,
	  "Load/store register (unsigned immediate)"),
	/* Pairs: no-allocate, post-indexed, offset, pre-indexed */
	STORE(0xfe400000, 0x68000000, PAIR | TAGS, fixed_16, pair_of_tags, pairs), /* STGP */
	STORE(0x3e400000, 0x28000000, PAIR, by_pair, pair_store, pairs),
	LOAD(0x3e400000, 0x28400000, PAIR, by_pair, pair_load, pairs),
	STORE(0x3e400000, 0x2c000000, PAIR | VECTOR, by_vector_pair, literal, pairs),
	LOAD(0x3e400000, 0x2c400000, PAIR | VECTOR, by_vector_pair, literal, pairs),
	/* Unscaled, post-indexed, unprivileged, pre-indexed */
	PREFETCH(0xffe00c00, 0xf8800000, NULL, "Prefetch memory"),
	STORE(0x3fe00000, 0x38000000, 0, by_size, NULL, registers),
	LOAD(0x3f200000, 0x38000000, 0, by_size, extends, registers),
	STORE(0x3f600400, 0x3c000400, VECTOR, by_vector_size, vector_size, registers),
	STORE(0x3f600c00, 0x3c000000, VECTOR, by_vector_size, vector_size, registers),
	LOAD(0x3f600400, 0x3c400400, VECTOR, by_vector_size, vector_size, registers),
	LOAD(0x3f600c00, 0x3c400000, VECTOR, by_vector_size, vector_size, registers),
	/* Register offset */
	PREFETCH(0xffe00c00, 0xf8a00800, prefetch_offset, "Prefetch memory"),
	STORE(0x3fe00c00, 0x38200800, 0, by_size, register_offset, offsets),
	LOAD(0x3f200c00, 0x38200800, 0, by_size, register_offset, offsets),
	STORE(0x3f600c00, 0x3c200800, VECTOR, by_vector_size, vector_register_offset, offsets),
	LOAD(0x3f600c00, 0x3c600800, VECTOR, by_vector_size, vector_register_offset, offsets),
	/* LDRAA, LDRAB */
	LOAD(0xff200400, 0xf8200400, 0, fixed_8, NULL, "Load/store register (pac)"),
	/* Literal */
	PREFETCH(0xff000000, 0xd8000000, NULL, "Prefetch memory"),
	LOAD(0x3f000000, 0x18000000, 0, by_literal, NULL, "Load register (literal)"),
	LOAD(0x3f000000, 0x1c000000, VECTOR, by_vector_literal, literal, "Load register (literal)"),
	/* Exclusive, ordered, compare and swap */
	ATOMIC(0xbfa07c00, 0x08207c00, PAIR, by_sz_pair, even_registers, "Compare and swap pair"),
	EXCLUSIVE(0xbfe00000, 0x88200000, PAIR, by_sz_pair, "Load/store exclusive pair"),
	LOAD(0xbfe00000, 0x88600000, PAIR | EX, by_sz_pair, NULL, "Load/store exclusive pair"),
	EXCLUSIVE(0x3fe00000, 0x08000000, 0, by_size, exclusive),
	LOAD(0x3fe00000, 0x08400000, EX, by_size, NULL, exclusive),
	STORE(0x3fe00000, 0x08800000, ORDERED, by_size, NULL, "Load/store ordered"),
	LOAD(0x3fe00000, 0x08c00000, ORDERED, by_size, NULL, "Load/store ordered"),
	ATOMIC(0x3fa07c00, 0x08a07c00, 0, by_size, NULL, "Compare and swap"),
	/* SIMD structures */
	STORE(0xbfff0000, 0x0c000000, VECTOR, by_structures, multiple_structures, structures),
	LOAD(0xbfff0000, 0x0c400000, VECTOR, by_structures, multiple_structures, structures),
	STORE(0xbfe00000, 0x0c800000, VECTOR, by_structures, multiple_structures, structures),
	LOAD(0xbfe00000, 0x0cc00000, VECTOR, by_structures, multiple_structures, structures),
	STORE(0xbfffe000 | 0x1c00, 0x0d018400, VECTOR | ORDERED, fixed_8, NULL, single), /* STL1 */
	LOAD(0xbfffe000 | 0x1c00, 0x0d418400, VECTOR | ORDERED, fixed_8, NULL, single),  /* LDAP1 */
	STORE(0xbfdf0000, 0x0d000000, VECTOR, by_element, single_structure, single),
	LOAD(0xbfdf0000, 0x0d400000, VECTOR, by_element, single_structure, single),
	STORE(0xbfc00000, 0x0d800000, VECTOR, by_element, single_structure, single),
	LOAD(0xbfc00000, 0x0dc00000, VECTOR, by_element, single_structure, single),
	/*
	 * Atomic memory operations: LDADD .. LDUMIN, SWP; LDAPR; LD64B, ST64B; RCWCLR, RCWSWP,
	 * RCWSET
	 */
	ATOMIC(0x3f208c00, 0x38200000, 0, by_size, NULL, atomics),
	ATOMIC(0x3f20fc00, 0x38208000, 0, by_size, NULL, atomics),
	LOAD(0x3ffffc00, 0x38bfc000, ORDERED, by_size, NULL, atomics),
	STORE(0xfffffc00, 0xf83f9000, 0, fixed_64, eight_registers, atomics), /* ST64B */
	STORE(0xffe0ec00, 0xf820a000, 0, fixed_64, eight_registers, atomics), /* ST64BV, ST64BV0 */
	LOAD(0xfffffc00, 0xf83fd000, 0, fixed_64, eight_registers, atomics),  /* LD64B */
	ATOMIC(0xbf20fc00, 0x38209000, 0, fixed_8, NULL, atomics),
	ATOMIC(0xbf20ec00, 0x3820a000, 0, fixed_8, NULL, atomics),
	ATOMIC(0xff20fc00, 0x19201000, PAIR, fixed_16, two_registers,
	  "128-bit atomic memory operations"),
	ATOMIC(0xff20fc00, 0x19203000, PAIR, fixed_16, two_registers,
	  "128-bit atomic memory operations"),
	ATOMIC(0xff20fc00, 0x19208000, PAIR, fixed_16, two_registers,
	  "128-bit atomic memory operations"),
	ATOMIC(0xbf20fc00, 0x19200800, 0, fixed_8, NULL, "RCW compare and swap"),
	ATOMIC(0xbf20fc00, 0x19200c00, PAIR, fixed_16, even_registers, "RCW compare and swap pair"),
	ATOMIC(0xbf20fc00, 0x19209000, PAIR, fixed_16, two_registers,
	  "128-bit atomic memory operations"),
	ATOMIC(0xbf20ec00, 0x1920a000, PAIR, fixed_16, two_registers,
	  "128-bit atomic memory operations"),
	/* LDAPUR, STLUR; LDIAPP, STILP; LDAPR, STLR with write-back */
	STORE(0x3fe00c00, 0x19000000, ORDERED, by_size, NULL, "LDAPR/STLR (unscaled immediate)"),
	LOAD(0x3f200c00, 0x19000000, ORDERED, by_size, extends, "LDAPR/STLR (unscaled immediate)"),
	STORE(0x3f600c00, 0x1d000800, ORDERED | VECTOR, by_vector_size, vector_size,
	  "LDAPR/STLR (SIMD&FP)"),
	LOAD(0x3f600c00, 0x1d400800, ORDERED | VECTOR, by_vector_size, vector_size,
	  "LDAPR/STLR (SIMD&FP)"),
	STORE(0xbfe0ec00, 0x99000800, ORDERED | PAIR, by_sz_pair, NULL, "LDIAPP/STILP"),
	LOAD(0xbfe0ec00, 0x99400800, ORDERED | PAIR, by_sz_pair, NULL, "LDIAPP/STILP"),
	STORE(0xbffffc00, 0x99800800, ORDERED, by_size, NULL, "LDAPR/STLR (writeback)"),
	LOAD(0xbffffc00, 0x99c00800, ORDERED, by_size, NULL, "LDAPR/STLR (writeback)"),
	/* Memory tags; guarded control stack */
	STORE(0xff7ffc00, 0xd9200000, TAGS, NULL, NULL, tags), /* STZGM, STGM */
	STORE(0xff200400, 0xd9200400, TAGS, NULL, NULL, tags),
	STORE(0xff200c00, 0xd9200800, TAGS, NULL, NULL, tags),
	LOAD(0xffe00c00, 0xd9600000, TAGS, NULL, NULL, tags), /* LDG */
	LOAD(0xfffffc00, 0xd9e00000, TAGS, NULL, NULL, tags), /* LDGM */
	STORE(0xffffec00, 0xd91f0c00, 0, fixed_8, NULL, "GCS load/store"),
	/* CPYFP .. CPYE; SETP .. SETGE */
	{ 0xfbe00c00, 0x19c00400, TL_A64_STORE, 0, 0, 0, 0, W, NULL, set_registers, copies },
	{ 0xfb200c00, 0x19000400, TL_A64_ATOMIC, 0, 0, 0, 0, RW, NULL, copy_stage, copies },
};
/* clang-format on */

const struct tl_a64_table tl_a64_memory = { 0x0a000000, 0x08000000, rows,
					    sizeof(rows) / sizeof(rows[0]) };
