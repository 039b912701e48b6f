/* SPDX-License-Identifier: Apache-2.0 */
/* "Data Processing -- Scalar Floating-Point and Advanced SIMD" (C4.1): bits 27:25 are 111. */
#include "isa/a64/a64_table.h"

#define FLOAT(mask, bits, allocated, group)                                                        \
	{ mask, bits, TL_A64_FLOAT, 0, 0, 0, 0, 0, NULL, allocated, group }
#define SIMD(mask, bits, allocated, group)                                                         \
	{ mask, bits, TL_A64_SIMD, 0, 0, 0, 0, 0, NULL, allocated, group }
#define CRYPTO(mask, bits, allocated, group)                                                       \
	{ mask, bits, TL_A64_CRYPTO, 0, 0, 0, 0, 0, NULL, allocated, group }

/*
 * Which sizes (bits 23:22) an opcode takes: a bit each, the low four with Q (bit 30), the high four
 * without. Scalar instructions have bit 30 set. Names for the usual sets:
 */
enum {
	ALL = 0xff,
	TO_S = 0x77, /* B, H, S */
	TO_D = 0x7f, /* and D, which needs Q */
	B = 0x11,
	BH = 0x33,
	H_S = 0x66,
	FP = 0x5f,      /* two instructions by bit 23, of S, and of D with Q */
	FP_LOW = 0x13,  /* one, with bit 23 clear */
	FP_HIGH = 0x4c, /* one, with bit 23 set */
	LANES = 0x37,   /* B and H, and S with Q */
	D_ONLY = 0x08,
	LOW = 0x33,
};

static bool takes_size(uint32_t opcode, uint8_t sizes)
{
	unsigned size = tl_a64_bits(opcode, 23, 22);

	return sizes >> (size + (opcode & 1u << 30 ? 0 : 4)) & 1;
}

/* ---- floating point ---- */

/* ptype: single, double, half */
static bool is_float(uint32_t opcode)
{
	return tl_a64_bits(opcode, 23, 22) != 2;
}

/*
 * "Conversion between floating-point and fixed-point": SCVTF, UCVTF, FCVTZS, FCVTZU; 32 bits have
 * scale 1 .. 32.
 */
static bool fixed_point(uint32_t opcode)
{
	unsigned kind = tl_a64_bits(opcode, 20, 16);

	return is_float(opcode) && (kind == 2 || kind == 3 || kind == 0x18 || kind == 0x19) &&
	       (opcode >> 31 || opcode & 0x8000);
}

/* "Conversion between floating-point and integer": rmode, opcode by ptype and sf */
static bool float_integer(uint32_t opcode)
{
	unsigned kind = tl_a64_bits(opcode, 20, 16), type = tl_a64_bits(opcode, 23, 22);
	bool wide = opcode >> 31;

	if (kind == 0x1e) /* FJCVTZS */
		return type == 1 && !wide;
	if (kind == 0xe || kind == 0xf) /* FMOV of the high half */
		return type == 2 && wide;
	if (type == 2)
		return false;
	if (kind == 6 || kind == 7) /* FMOV: sizes must agree, or half */
		return type == 3 || type == (wide ? 1u : 0u);
	return kind < 6 || (kind & 7) < 2;
}

/* "Floating-point data-processing (1 source)": the opcodes of each ptype */
static bool float_one_source(uint32_t opcode)
{
	static const uint32_t allocated[4] = { 0x000fdfaf, 0x000fdfdf, 0, 0x0000df3f };

	return tl_a64_bits(opcode, 20, 15) < 32 &&
	       allocated[tl_a64_bits(opcode, 23, 22)] >> tl_a64_bits(opcode, 20, 15) & 1;
}

static bool float_two_source(uint32_t opcode)
{
	return is_float(opcode) && tl_a64_bits(opcode, 15, 12) <= 8;
}

/* ---- Advanced SIMD: sizes by U and opcode ---- */

static bool three_same(uint32_t opcode)
{
	/* clang-format off */
	static const uint8_t sizes[2][32] = {
		{ TO_S, TO_D, TO_S, ALL,  TO_S, TO_D, TO_D, TO_D, TO_D, TO_D, TO_D, TO_D, TO_S,
		  TO_S, TO_S, TO_S,
		  TO_D, TO_D, TO_S, TO_S, TO_S, TO_S, H_S,  TO_D, FP,   FP,   FP,   FP,   FP_LOW,
		    0x55, FP, FP },
		{ TO_S, TO_D, TO_S, ALL,  TO_S, TO_D, TO_D, TO_D, TO_D, TO_D, TO_D, TO_D, TO_S,
		  TO_S, TO_S, TO_S,
		  TO_D, TO_D, TO_S, B,    TO_S, TO_S, H_S,  0,    FP,   0x55, FP,   FP,   FP,   FP,
		    FP,   FP },
	};
	/* clang-format on */

	return takes_size(opcode, sizes[opcode >> 29 & 1][tl_a64_bits(opcode, 15, 11)]);
}

static bool scalar_three_same(uint32_t opcode)
{
	/* clang-format off */
	static const uint8_t sizes[2][32] = {
		{ [1] = ALL, [5] = ALL, [6] = D_ONLY, [7] = D_ONLY, [8] = D_ONLY, [9] = ALL,
		  [10] = D_ONLY, [11] = ALL,
		  [16] = D_ONLY, [17] = D_ONLY, [22] = H_S, [27] = LOW, [28] = LOW, [31] = ALL },
		{ [1] = ALL, [5] = ALL, [6] = D_ONLY, [7] = D_ONLY, [8] = D_ONLY, [9] = ALL,
		  [10] = D_ONLY, [11] = ALL,
		  [16] = D_ONLY, [17] = D_ONLY, [22] = H_S, [26] = 0x0c, [28] = ALL, [29] = ALL },
	};
	/* clang-format on */

	return takes_size(opcode, sizes[opcode >> 29 & 1][tl_a64_bits(opcode, 15, 11)]);
}

static bool two_misc(uint32_t opcode)
{
	static const uint8_t sizes[2][32] = {
		{ TO_S, B,       TO_S,    TO_D,    TO_S,    B,  TO_S, TO_D, TO_D,   TO_D,  TO_D,
		  TO_D, FP_HIGH, FP_HIGH, FP_HIGH, FP_HIGH, 0,  0,    TO_S, 0,      TO_S,  0,
		  TO_S, BH,      FP,      FP,      FP,      FP, 0x57, FP,   FP_LOW, FP_LOW },
		{ BH,   0,       TO_S,    TO_D, TO_S,    BH, TO_S, TO_D, TO_D,   TO_D, 0,
		  TO_D, FP_HIGH, FP_HIGH, 0,    FP_HIGH, 0,  0,    TO_S, TO_S,   TO_S, 0,
		  0x22, ALL,     FP_LOW,  FP,   FP,      FP, 0x57, FP,   FP_LOW, FP },
	};

	return takes_size(opcode, sizes[opcode >> 29 & 1][tl_a64_bits(opcode, 16, 12)]);
}

static bool scalar_two_misc(uint32_t opcode)
{
	/* clang-format off */
	static const uint8_t sizes[2][32] = {
		{ [3] = ALL, [7] = ALL, [8] = D_ONLY, [9] = D_ONLY, [10] = D_ONLY, [11] = D_ONLY,
		  [12] = 0x0c, [13] = 0x0c,
		  [14] = 0x0c, [20] = TO_S, [26] = ALL, [27] = ALL, [28] = LOW, [29] = ALL,
		    [31] = 0x0c },
		{ [3] = ALL, [7] = ALL, [8] = D_ONLY, [9] = D_ONLY, [11] = D_ONLY, [12] = 0x0c,
		  [13] = 0x0c, [18] = TO_S,
		  [20] = TO_S, [22] = 0x02, [26] = ALL, [27] = ALL, [28] = LOW, [29] = ALL },
	};
	/* clang-format on */

	return takes_size(opcode, sizes[opcode >> 29 & 1][tl_a64_bits(opcode, 16, 12)]);
}

static bool across_lanes(uint32_t opcode)
{
	static const uint8_t sizes[2][32] = {
		{ [3] = LANES, [10] = LANES, [12] = 0x55, [15] = 0x55, [26] = LANES, [27] = LANES },
		{ [3] = LANES, [10] = LANES, [12] = 0x05, [15] = 0x05, [26] = LANES },
	};

	return takes_size(opcode, sizes[opcode >> 29 & 1][tl_a64_bits(opcode, 16, 12)]);
}

static bool scalar_pairwise(uint32_t opcode)
{
	static const uint8_t sizes[2][32] = {
		{ [12] = 0x05, [13] = 0x01, [15] = 0x05, [27] = D_ONLY },
		{ [12] = ALL, [13] = LOW, [15] = ALL },
	};

	return takes_size(opcode, sizes[opcode >> 29 & 1][tl_a64_bits(opcode, 16, 12)]);
}

static bool three_different(uint32_t opcode)
{
	static const uint8_t sizes[2][16] = {
		{ TO_S, TO_S, TO_S, TO_S, TO_S, TO_S, TO_S, TO_S, TO_S, H_S, TO_S, H_S, TO_S, H_S,
		  0x99, 0 },
		{ TO_S, TO_S, TO_S, TO_S, TO_S, TO_S, TO_S, TO_S, TO_S, 0, TO_S, 0, TO_S, 0, 0, 0 },
	};

	return takes_size(opcode, sizes[opcode >> 29 & 1][tl_a64_bits(opcode, 15, 12)]);
}

static bool scalar_three_different(uint32_t opcode)
{
	unsigned number = tl_a64_bits(opcode, 15, 12);

	return !(opcode >> 29 & 1) && (number == 9 || number == 11 || number == 13) &&
	       takes_size(opcode, H_S);
}

/*
 * "Advanced SIMD three-register extension": dot products, matrices, complex numbers, 8-bit floats
 */
static bool three_extra(uint32_t opcode)
{
	/* clang-format off */
	static const uint8_t sizes[2][16] = {
		{ [2] = 0x44, [3] = 0x44, [4] = 0x04, [5] = 0x04, [8] = 0x33, [14] = 0x33,
		  [15] = 0xbb },
		{ [0] = H_S, [1] = H_S, [2] = 0x44, [4] = 0x04, [8] = 0x6e, [9] = 0x6e, [10] = 0x6e,
		  [11] = 0x6e,
		  [12] = 0x6e, [13] = 0x02, [14] = 0x6e, [15] = 0xaa },
	};
	/* clang-format on */

	return takes_size(opcode, sizes[opcode >> 29 & 1][tl_a64_bits(opcode, 14, 11)]);
}

/* Half precision: a bit for each opcode (13:11), by U and bit 23 */
static bool three_same_half(uint32_t opcode)
{
	static const uint8_t allocated[2][2] = { { 0xdf, 0xcf }, { 0xfd, 0xfd } };

	return allocated[opcode >> 29 & 1][opcode >> 23 & 1] >> tl_a64_bits(opcode, 13, 11) & 1;
}

static bool scalar_three_same_half(uint32_t opcode)
{
	static const uint8_t allocated[2][2] = { { 0x98, 0x80 }, { 0x30, 0x34 } };

	return allocated[opcode >> 29 & 1][opcode >> 23 & 1] >> tl_a64_bits(opcode, 13, 11) & 1;
}

/* The same for opcode 16:12 */
static bool two_misc_half(uint32_t opcode)
{
	static const uint32_t allocated[2][2] = { { 0x3f000000, 0x2f00f000 },
						  { 0x3f000000, 0xae00b000 } };

	return allocated[opcode >> 29 & 1][opcode >> 23 & 1] >> tl_a64_bits(opcode, 16, 12) & 1;
}

static bool scalar_two_misc_half(uint32_t opcode)
{
	static const uint32_t allocated[2][2] = { { 0x3c000000, 0xac007000 },
						  { 0x3c000000, 0x2c003000 } };

	return allocated[opcode >> 29 & 1][opcode >> 23 & 1] >> tl_a64_bits(opcode, 16, 12) & 1;
}

/* ---- Advanced SIMD: the rest ---- */

static bool has_element(uint32_t opcode)
{
	return tl_a64_bits(opcode, 19, 16) != 0;
}

/* "Advanced SIMD copy": DUP, INS, SMOV, UMOV; imm5 has the size as its lowest set bit. */
static bool copy(uint32_t opcode)
{
	unsigned element = tl_a64_bits(opcode, 19, 16), kind = tl_a64_bits(opcode, 14, 11);
	bool q = opcode >> 30 & 1;
	unsigned scale;

	if (!element)
		return false;
	if (opcode >> 29 & 1)
		return q;
	scale = (unsigned)__builtin_ctz(element);
	switch (kind) {
	case 0:
	case 1:
		return q || scale < 3;
	case 3:
		return q;
	case 5:
		return scale < 2 || (scale == 2 && q);
	case 7:
		return q ? scale == 3 : scale < 3;
	default:
		return false;
	}
}

/* "Advanced SIMD permute": UZP, TRN, ZIP; 8-byte elements need Q. */
static bool permute(uint32_t opcode)
{
	return tl_a64_bits(opcode, 13, 12) != 0 && takes_size(opcode, TO_D);
}

static bool vector_extract(uint32_t opcode)
{
	return opcode >> 30 & 1 || !(opcode & 1u << 14);
}

/* "Advanced SIMD modified immediate": 64-bit FMOV needs Q; o2 is FMOV of half precision only. */
static bool modified_immediate(uint32_t opcode)
{
	unsigned cmode = tl_a64_bits(opcode, 15, 12);
	bool op = opcode >> 29 & 1, q = opcode >> 30 & 1;

	if (opcode & 1u << 11)
		return cmode == 15 && !op;
	return cmode != 15 || !op || q;
}

/*
 * "Advanced SIMD shift by immediate": which immh (22:19) an opcode takes. A bit each for 0001,
 * 001x, 01xx, 1xxx, the low four with Q (or scalar), the high four without.
 */
static bool takes_immh(uint32_t opcode, uint8_t sizes)
{
	unsigned immh = tl_a64_bits(opcode, 22, 19);

	return immh &&
	       sizes >> (31 - (unsigned)__builtin_clz(immh) + (opcode & 1u << 30 ? 0 : 4)) & 1;
}

static bool shift_immediate(uint32_t opcode)
{
	enum { ANY = 0x7f, HALVES = 0x77, FLOATS = 0x6e };
	/* clang-format off */
	static const uint8_t sizes[2][32] = {
		{ [0] = ANY, [2] = ANY, [4] = ANY, [6] = ANY, [10] = ANY, [14] = ANY, [16] = HALVES,
		  [17] = HALVES,
		  [18] = HALVES, [19] = HALVES, [20] = HALVES, [28] = FLOATS, [31] = FLOATS },
		{ [0] = ANY, [2] = ANY, [4] = ANY, [6] = ANY, [8] = ANY, [10] = ANY, [12] = ANY,
		  [14] = ANY, [16] = HALVES,
		  [17] = HALVES, [18] = HALVES, [19] = HALVES, [20] = HALVES, [28] = FLOATS,
		    [31] = FLOATS },
	};
	/* clang-format on */

	return takes_immh(opcode, sizes[opcode >> 29 & 1][tl_a64_bits(opcode, 15, 11)]);
}

static bool scalar_shift_immediate(uint32_t opcode)
{
	enum { ANY = 0x0f, HALVES = 0x07, FLOATS = 0x0e, WHOLE = 0x08 };
	/* clang-format off */
	static const uint8_t sizes[2][32] = {
		{ [0] = WHOLE, [2] = WHOLE, [4] = WHOLE, [6] = WHOLE, [10] = WHOLE, [14] = ANY,
		  [18] = HALVES,
		  [19] = HALVES, [28] = FLOATS, [31] = FLOATS },
		{ [0] = WHOLE, [2] = WHOLE, [4] = WHOLE, [6] = WHOLE, [8] = WHOLE, [10] = WHOLE,
		  [12] = ANY, [14] = ANY,
		  [16] = HALVES, [17] = HALVES, [18] = HALVES, [19] = HALVES, [28] = FLOATS,
		    [31] = FLOATS },
	};
	/* clang-format on */

	return takes_immh(opcode, sizes[opcode >> 29 & 1][tl_a64_bits(opcode, 15, 11)]);
}

/*
 * "by element": D elements have no L; FCMLA of S needs Q and no L, of H without Q has two elements
 * only.
 */
static bool element_index(uint32_t opcode)
{
	unsigned number = tl_a64_bits(opcode, 15, 12), size = tl_a64_bits(opcode, 23, 22);
	bool complex =
		opcode >> 29 & 1 && (number & 9) == 1 && opcode >> 28 != 5 && opcode >> 28 != 7;

	if (complex && size == 2)
		return opcode >> 30 & 1 && !(opcode & 1u << 21);
	if (complex && size == 1)
		return opcode >> 30 & 1 || !(opcode & 1u << 11);
	return size != 3 || (number & 3) != 1 || !(opcode & 1u << 21);
}

static bool by_element(uint32_t opcode)
{
	enum { REAL = 0x5d };
	/* clang-format off */
	static const uint8_t sizes[2][16] = {
		{ [0] = ALL, [1] = REAL, [2] = H_S, [3] = H_S, [4] = 0x44, [5] = REAL, [6] = H_S,
		  [7] = H_S, [8] = H_S,
		  [9] = REAL, [10] = H_S, [11] = H_S, [12] = H_S, [13] = H_S, [14] = 0x44,
		    [15] = ALL },
		{ [0] = H_S, [1] = 0x66, [2] = H_S, [3] = 0x66, [4] = H_S, [5] = 0x66, [6] = H_S,
		  [7] = 0x66, [8] = TO_S,
		  [9] = REAL, [10] = H_S, [12] = 0x44, [13] = H_S, [14] = 0x44, [15] = H_S },
	};
	/* clang-format on */

	return takes_size(opcode, sizes[opcode >> 29 & 1][tl_a64_bits(opcode, 15, 12)]) &&
	       element_index(opcode);
}

static bool scalar_by_element(uint32_t opcode)
{
	/* clang-format off */
	static const uint8_t sizes[2][16] = {
		{ [1] = 0x0d, [3] = H_S, [5] = 0x0d, [7] = H_S, [9] = 0x0d, [11] = H_S, [12] = H_S,
		  [13] = H_S },
		{ [9] = 0x0d, [13] = H_S, [15] = H_S },
	};
	/* clang-format on */

	return takes_size(opcode, sizes[opcode >> 29 & 1][tl_a64_bits(opcode, 15, 12)]) &&
	       element_index(opcode);
}

/* ---- cryptography ---- */

static bool aes(uint32_t opcode)
{
	unsigned number = tl_a64_bits(opcode, 16, 12);

	return number >= 4 && number <= 7;
}

static bool sha_two(uint32_t opcode)
{
	return tl_a64_bits(opcode, 16, 12) <= 2;
}

static bool sha_three(uint32_t opcode)
{
	return tl_a64_bits(opcode, 14, 12) <= 6;
}

static bool sha512_three(uint32_t opcode)
{
	return !(opcode & 1u << 14) || tl_a64_bits(opcode, 11, 10) != 3;
}

static bool four_registers(uint32_t opcode)
{
	return tl_a64_bits(opcode, 22, 21) != 3;
}

static bool sha512_two(uint32_t opcode)
{
	return tl_a64_bits(opcode, 11, 10) <= 1;
}

static const struct tl_a64_row rows[] = {
	FLOAT(0x7f200000, 0x1e000000, fixed_point,
	      "Conversion between floating-point and fixed-point"),
	FLOAT(0x7f20fc00, 0x1e200000, float_integer,
	      "Conversion between floating-point and integer"),
	FLOAT(0xff207c00, 0x1e204000, float_one_source,
	      "Floating-point data-processing (1 source)"),
	FLOAT(0xff20fc07, 0x1e202000, is_float, "Floating-point compare"),
	FLOAT(0xff201fe0, 0x1e201000, is_float, "Floating-point immediate"),
	FLOAT(0xff200c00, 0x1e200400, is_float, "Floating-point conditional compare"),
	FLOAT(0xff200c00, 0x1e200800, float_two_source,
	      "Floating-point data-processing (2 source)"),
	FLOAT(0xff200c00, 0x1e200c00, is_float, "Floating-point conditional select"),
	FLOAT(0xff000000, 0x1f000000, is_float, "Floating-point data-processing (3 source)"),
	CRYPTO(0xfffe0c00, 0x4e280800, aes, "Cryptographic AES"),
	CRYPTO(0xffe08c00, 0x5e000000, sha_three, "Cryptographic three-register SHA"),
	CRYPTO(0xfffe0c00, 0x5e280800, sha_two, "Cryptographic two-register SHA"),
	CRYPTO(0xffe0c000, 0xce408000, NULL, "Cryptographic three-register, imm2"),
	CRYPTO(0xffe0b000, 0xce608000, sha512_three, "Cryptographic three-register SHA 512"),
	CRYPTO(0xff808000, 0xce000000, four_registers, "Cryptographic four-register"),
	CRYPTO(0xffe00000, 0xce800000, NULL, "XAR"),
	CRYPTO(0xfffff000, 0xcec08000, sha512_two, "Cryptographic two-register SHA 512"),
	/* Scalar */
	SIMD(0xffe0fc00, 0x5e000400, has_element, "Advanced SIMD scalar copy"),
	SIMD(0xdf60c400, 0x5e400400, scalar_three_same_half,
	     "Advanced SIMD scalar three same FP16"),
	SIMD(0xdf7e0c00, 0x5e780800, scalar_two_misc_half,
	     "Advanced SIMD scalar two-register miscellaneous FP16"),
	SIMD(0xff20f400, 0x7e008400, three_extra, "Advanced SIMD scalar three same extra"),
	SIMD(0xdf3e0c00, 0x5e200800, scalar_two_misc,
	     "Advanced SIMD scalar two-register miscellaneous"),
	SIMD(0xdf3e0c00, 0x5e300800, scalar_pairwise, "Advanced SIMD scalar pairwise"),
	SIMD(0xdf200c00, 0x5e200000, scalar_three_different,
	     "Advanced SIMD scalar three different"),
	SIMD(0xdf200400, 0x5e200400, scalar_three_same, "Advanced SIMD scalar three same"),
	SIMD(0xdf800400, 0x5f000400, scalar_shift_immediate,
	     "Advanced SIMD scalar shift by immediate"),
	SIMD(0xdf000400, 0x5f000000, scalar_by_element, "Advanced SIMD scalar x indexed element"),
	/* Vectors */
	SIMD(0xbfe08c00, 0x0e000000, NULL, "Advanced SIMD table lookup"),
	SIMD(0xffe09c00, 0x4e401000, NULL, "Advanced SIMD table lookup"), /* LUTI4, LUTI2 */
	SIMD(0xffe0bc00, 0x4e402000, NULL, "Advanced SIMD table lookup"),
	SIMD(0xffe09c00, 0x4e801000, NULL, "Advanced SIMD table lookup"),
	SIMD(0xffe08c00, 0x4ec00000, NULL, "Advanced SIMD table lookup"),
	SIMD(0xbf208c00, 0x0e000800, permute, "Advanced SIMD permute"),
	SIMD(0xbfe08400, 0x2e000000, vector_extract, "Advanced SIMD extract"),
	SIMD(0x9fe08400, 0x0e000400, copy, "Advanced SIMD copy"),
	SIMD(0x9f60c400, 0x0e400400, three_same_half, "Advanced SIMD three same (FP16)"),
	SIMD(0x9f7e0c00, 0x0e780800, two_misc_half,
	     "Advanced SIMD two-register miscellaneous (FP16)"),
	SIMD(0x9f208400, 0x0e008400, three_extra, "Advanced SIMD three-register extension"),
	SIMD(0x9f3e0c00, 0x0e200800, two_misc, "Advanced SIMD two-register miscellaneous"),
	SIMD(0x9f3e0c00, 0x0e300800, across_lanes, "Advanced SIMD across lanes"),
	SIMD(0x9f200c00, 0x0e200000, three_different, "Advanced SIMD three different"),
	SIMD(0x9f200400, 0x0e200400, three_same, "Advanced SIMD three same"),
	SIMD(0x9ff80400, 0x0f000400, modified_immediate, "Advanced SIMD modified immediate"),
	SIMD(0x9f800400, 0x0f000400, shift_immediate, "Advanced SIMD shift by immediate"),
	SIMD(0x9f000400, 0x0f000000, by_element, "Advanced SIMD vector x indexed element"),
};

const struct tl_a64_table tl_a64_vectors = { 0x0e000000, 0x0e000000, rows,
					     sizeof(rows) / sizeof(rows[0]) };
