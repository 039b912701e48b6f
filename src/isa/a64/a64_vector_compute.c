/* SPDX-License-Identifier: Apache-2.0 */
/* Which function computes an opcode, and the groups that move elements. */
#include "isa/a64/a64_vector_compute.h"

#include <stddef.h>

#include "isa/a64/a64_compute.h"
#include "isa/a64/a64_lanes.h"

static struct tl_a64_vector_choice choice(tl_a64_vector_fn *fn, bool keeps)
{
	return (struct tl_a64_vector_choice){ fn, keeps };
}

static unsigned bytes_of(uint32_t opcode)
{
	return opcode >> 30 & 1 ? 16 : 8;
}

/* The lowest bytes of a vector. */
static struct tl_a64_vector lowest(const struct tl_a64_vector *v, unsigned bytes)
{
	struct tl_a64_vector result = { { 0 } };

	for (unsigned i = 0; i < bytes; i++)
		result.bytes[i] = v->bytes[i];
	return result;
}

static struct tl_a64_vector of_number(uint64_t value)
{
	struct tl_a64_lanes l = { { value } };

	return tl_a64_vector_of(&l, 3, 1);
}

/* One element, as often as there is room for it. */
static struct tl_a64_vector repeated(uint32_t opcode, uint64_t value, unsigned size)
{
	struct tl_a64_lanes l;
	unsigned count = bytes_of(opcode) >> size;

	for (unsigned i = 0; i < count; i++)
		l.e[i] = value;
	return tl_a64_vector_of(&l, size, count);
}

/* ---- "Advanced SIMD copy", "scalar copy" ---- */

/* imm5: the lowest bit that is set says how long elements are, those above it which one it is. */
static unsigned copied_size(uint32_t opcode)
{
	return (unsigned)__builtin_ctz(opcode >> 16);
}

static uint64_t copied(uint32_t opcode, const struct tl_a64_vector *v, bool sign)
{
	unsigned size = copied_size(opcode), from = tl_a64_bits(opcode, 20, 16) >> (size + 1)
											   << size;

	return tl_a64_lanes_of(&v[opcode >> 5 & 31], from, size, 1, sign).e[0];
}

static struct tl_a64_vector dup_element(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	(void)x;
	return repeated(opcode, copied(opcode, v, false), copied_size(opcode));
}

static struct tl_a64_vector dup_scalar(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	(void)x;
	return of_number(copied(opcode, v, false));
}

static struct tl_a64_vector dup_general(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	(void)v;
	return repeated(opcode, x, copied_size(opcode));
}

static struct tl_a64_vector inserted(uint32_t opcode, const struct tl_a64_vector *v, uint64_t value)
{
	unsigned size = copied_size(opcode), to = tl_a64_bits(opcode, 20, 16) >> (size + 1) << size;
	struct tl_a64_vector result = v[opcode & 31];

	for (unsigned i = 0; i < 1u << size; i++)
		result.bytes[to + i] = (uint8_t)(value >> 8 * i);
	return result;
}

static struct tl_a64_vector ins_element(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned size = copied_size(opcode), from = tl_a64_bits(opcode, 14, 11) >> size << size;

	(void)x;
	return inserted(opcode, v,
			tl_a64_lanes_of(&v[opcode >> 5 & 31], from, size, 1, false).e[0]);
}

/* SMOV has 32 bits without Q. */
static struct tl_a64_vector smov(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	uint64_t value = copied(opcode, v, true);

	(void)x;
	return of_number(bytes_of(opcode) == 16 ? value : (uint32_t)value);
}

static struct tl_a64_vector umov(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	return dup_scalar(opcode, v, x);
}

enum { DUP_ELEMENT, DUP_GENERAL, INS_GENERAL = 3, SMOV = 5, UMOV = 7 };

static struct tl_a64_vector_choice copy(uint32_t opcode)
{
	if (opcode >> 29 & 1)
		return choice(ins_element, true);
	switch (tl_a64_bits(opcode, 14, 11)) {
	case DUP_ELEMENT:
		return choice(dup_element, false);
	case DUP_GENERAL:
		return choice(dup_general, false);
	case INS_GENERAL:
		return choice(inserted, true);
	case SMOV:
		return choice(smov, false);
	default:
		return choice(umov, false);
	}
}

static struct tl_a64_vector_choice scalar_copy(uint32_t opcode)
{
	(void)opcode;
	return choice(dup_scalar, false);
}

/* ---- moves ---- */

/* FMOV between registers: of a whole scalar, 2, 4 or 8 bytes by `ftype`. */
static unsigned scalar_bytes(uint32_t opcode)
{
	static const uint8_t bytes[] = { 4, 8, 8, 2 };

	return bytes[tl_a64_bits(opcode, 23, 22)];
}

static struct tl_a64_vector fmov(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	(void)x;
	return lowest(&v[opcode >> 5 & 31], scalar_bytes(opcode));
}

/* `ftype` 10 is the upper half of a vector. */
static struct tl_a64_vector fmov_to_general(uint32_t opcode, const struct tl_a64_vector *v,
					    uint64_t x)
{
	const struct tl_a64_vector *n = &v[opcode >> 5 & 31];

	if (tl_a64_bits(opcode, 23, 22) == 2)
		return of_number(tl_a64_lanes_of(n, 8, 3, 1, false).e[0]);
	return fmov(opcode, v, x);
}

static struct tl_a64_vector fmov_from_general(uint32_t opcode, const struct tl_a64_vector *v,
					      uint64_t x)
{
	struct tl_a64_vector number = of_number(x), result;

	if (tl_a64_bits(opcode, 23, 22) != 2)
		return lowest(&number, scalar_bytes(opcode));
	result = v[opcode & 31];
	for (unsigned i = 0; i < 8; i++)
		result.bytes[8 + i] = number.bytes[i];
	return result;
}

static struct tl_a64_vector_choice move(uint32_t opcode)
{
	(void)opcode;
	return choice(fmov, false);
}

static struct tl_a64_vector_choice to_general(uint32_t opcode)
{
	(void)opcode;
	return choice(fmov_to_general, false);
}

static struct tl_a64_vector_choice from_general(uint32_t opcode)
{
	return choice(fmov_from_general, tl_a64_bits(opcode, 23, 22) == 2);
}

/* ---- immediates ---- */

/* "VFPExpandImm()": the sign, an exponent of `exponent` bits, and four bits of the fraction. */
static uint64_t float_immediate(uint64_t imm8, unsigned bits, unsigned exponent)
{
	unsigned fraction = bits - exponent - 1;
	uint64_t sign = imm8 >> 7, high = imm8 >> 6 & 1,
		 ones = high ? tl_a64_ones(exponent - 3) << 2 : 0,
		 power = (high ^ 1) << (exponent - 1) | ones | (imm8 >> 4 & 3);

	return sign << (bits - 1) | power << fraction | (imm8 & 15) << (fraction - 4);
}

static struct tl_a64_vector fmov_scalar(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	static const uint8_t exponents[] = { 8, 11, 0, 5 };
	unsigned type = tl_a64_bits(opcode, 23, 22);

	(void)v, (void)x;
	return of_number(float_immediate(tl_a64_bits(opcode, 20, 13), 8 * scalar_bytes(opcode),
					 exponents[type]));
}

static struct tl_a64_vector_choice scalar_immediate(uint32_t opcode)
{
	(void)opcode;
	return choice(fmov_scalar, false);
}

/* "AdvSIMDExpandImm()", cmode 111x: bytes, a bit for each byte of 64 bits, or floats. */
static uint64_t expanded_bytes(uint32_t opcode, uint64_t imm8, unsigned *size)
{
	bool op = opcode >> 29 & 1, odd = opcode >> 12 & 1;
	uint64_t value = 0;

	if (odd) {
		*size = op ? 3 : 2;
		if (opcode >> 11 & 1)
			*size = 1;
		return *size == 1 ? float_immediate(imm8, 16, 5)
				  : float_immediate(imm8, op ? 64 : 32, op ? 11 : 8);
	}
	*size = op ? 3 : 0;
	for (unsigned i = 0; i < 8; i++)
		value |= imm8 >> i & 1 ? UINT64_C(255) << 8 * i : 0;
	return op ? value : imm8;
}

/* The immediate, and log2 of how many bytes it has. */
static uint64_t expanded(uint32_t opcode, unsigned *size)
{
	unsigned cmode = tl_a64_bits(opcode, 15, 12);
	uint64_t imm8 = tl_a64_bits(opcode, 18, 16) << 5 | tl_a64_bits(opcode, 9, 5);

	if (cmode >= 14)
		return expanded_bytes(opcode, imm8, size);
	*size = cmode >> 2 == 2 ? 1 : 2;
	if (cmode >= 12) /* with ones behind it */
		return cmode & 1 ? imm8 << 16 | 0xffff : imm8 << 8 | 0xff;
	return imm8 << 8 * (*size == 1 ? cmode >> 1 & 1 : cmode >> 1 & 3);
}

/* MOVI, MVNI; ORR and BIC where cmode is odd and below 12. */
static bool changes_bits(uint32_t opcode)
{
	return opcode >> 12 & 1 && tl_a64_bits(opcode, 15, 12) < 12;
}

static struct tl_a64_vector immediate(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned size;
	uint64_t value = expanded(opcode, &size);
	bool invert = opcode >> 29 & 1 && tl_a64_bits(opcode, 15, 12) < 14;
	struct tl_a64_vector result;

	(void)x;
	if (!changes_bits(opcode))
		return repeated(opcode, invert ? ~value : value, size);
	result = repeated(opcode, value, size);
	for (unsigned i = 0; i < bytes_of(opcode); i++) {
		unsigned old = v[opcode & 31].bytes[i], bits = result.bytes[i];

		result.bytes[i] = (uint8_t)(invert ? old & ~bits : old | bits);
	}
	return result;
}

static struct tl_a64_vector_choice modified_immediate(uint32_t opcode)
{
	return choice(immediate, changes_bits(opcode));
}

/* ---- permutations ---- */

/* UZP, TRN, ZIP by bits 13:12; bit 14: the second of each pair. */
static struct tl_a64_vector permuted(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned size = tl_a64_bits(opcode, 23, 22), count = bytes_of(opcode) >> size,
		 second = opcode >> 14 & 1, how = tl_a64_bits(opcode, 13, 12);
	struct tl_a64_lanes n = tl_a64_lanes_of(&v[opcode >> 5 & 31], 0, size, count, false),
			    m = tl_a64_lanes_of(&v[opcode >> 16 & 31], 0, size, count, false),
			    result;

	(void)x;
	for (unsigned i = 0; i < count; i++) {
		unsigned from = how == 2 ? (i & ~1u) + second : i / 2 + second * count / 2;
		const struct tl_a64_lanes *l = i & 1 ? &m : &n;

		if (how == 1) {
			l = i < count / 2 ? &n : &m;
			from = i % (count / 2) * 2 + second;
		}
		result.e[i] = l->e[from];
	}
	return tl_a64_vector_of(&result, size, count);
}

static struct tl_a64_vector_choice permute(uint32_t opcode)
{
	(void)opcode;
	return choice(permuted, false);
}

/* EXT: bytes of Vm:Vn, from one on. */
static struct tl_a64_vector extracted(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned bytes = bytes_of(opcode), from = tl_a64_bits(opcode, 14, 11);
	struct tl_a64_vector result = { { 0 } };

	(void)x;
	for (unsigned i = 0; i < bytes; i++)
		result.bytes[i] = from + i < bytes ? v[opcode >> 5 & 31].bytes[from + i]
						   : v[opcode >> 16 & 31].bytes[from + i - bytes];
	return result;
}

static struct tl_a64_vector_choice extract(uint32_t opcode)
{
	(void)opcode;
	return choice(extracted, false);
}

/* TBL, and TBX (bit 12), which leaves what the table does not have. */
static struct tl_a64_vector looked_up(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned bytes = bytes_of(opcode), table = 16 * (tl_a64_bits(opcode, 14, 13) + 1);
	struct tl_a64_vector result = { { 0 } };

	(void)x;
	for (unsigned i = 0; i < bytes; i++) {
		unsigned at = v[opcode >> 16 & 31].bytes[i];

		if (at < table)
			result.bytes[i] = v[((opcode >> 5) + at / 16) & 31].bytes[at % 16];
		else if (opcode >> 12 & 1)
			result.bytes[i] = v[opcode & 31].bytes[i];
	}
	return result;
}

static struct tl_a64_vector_choice lookup(uint32_t opcode)
{
	return choice(looked_up, opcode >> 12 & 1);
}

/* ---- the rest ---- */

static struct tl_a64_vector addp(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	struct tl_a64_lanes n = tl_a64_lanes_of(&v[opcode >> 5 & 31], 0, 3, 2, false);

	(void)x;
	return of_number(n.e[0] + n.e[1]);
}

static struct tl_a64_vector_choice add_pair(uint32_t opcode)
{
	(void)opcode;
	return choice(addp, false);
}

/* SDOT, UDOT; USDOT, of which Vn has no sign: sums of four products. */
static struct tl_a64_vector dotted(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned count = bytes_of(opcode) / 4;
	bool mixed = opcode >> 11 & 1, sign = !(opcode >> 29 & 1);
	struct tl_a64_lanes n = tl_a64_lanes_of(&v[opcode >> 5 & 31], 0, 0, 4 * count,
						sign && !mixed),
			    m = tl_a64_lanes_of(&v[opcode >> 16 & 31], 0, 0, 4 * count, sign),
			    d = tl_a64_lanes_of(&v[opcode & 31], 0, 2, count, false);

	(void)x;
	for (unsigned i = 0; i < 4 * count; i++)
		d.e[i / 4] += n.e[i] * m.e[i];
	return tl_a64_vector_of(&d, 2, count);
}

static struct tl_a64_vector_choice dot(uint32_t opcode)
{
	(void)opcode;
	return choice(dotted, true);
}

/* ---- encodings ---- */

/* What a row reads and writes. */
enum {
	N = 1,
	M = 2,
	A = 4,       /* Va, bits 14:10 */
	TABLE = 8,   /* Vn and those behind it, as bits 14:13 say */
	XN = 16,     /* a general register; 31 is zero */
	XD = 32,     /* the same */
	M_OF_H = 64, /* by element: 4 bits of Vm, where elements have 16 bits */
};

static const struct {
	uint32_t mask, bits;
	tl_a64_vector_group *group;
	uint8_t uses;
} rows[] = {
	/* "Conversion between floating-point and integer": FMOV */
	{ 0xfffffc00, 0x1e260000, to_general, N | XD },
	{ 0xfffffc00, 0x9e660000, to_general, N | XD },
	{ 0xfffffc00, 0x9eae0000, to_general, N | XD },
	{ 0x7ffffc00, 0x1ee60000, to_general, N | XD },
	{ 0xfffffc00, 0x1e270000, from_general, XN },
	{ 0xfffffc00, 0x9e670000, from_general, XN },
	{ 0xfffffc00, 0x9eaf0000, from_general, XN },
	{ 0x7ffffc00, 0x1ee70000, from_general, XN },
	{ 0xff3ffc00, 0x1e204000, move, N },
	{ 0xff201fe0, 0x1e201000, scalar_immediate, 0 },
	{ 0xffe0fc00, 0x5e000400, scalar_copy, N },
	{ 0xbfe0fc00, 0x0e000c00, copy, XN },     /* DUP (general) */
	{ 0xffe0fc00, 0x4e001c00, copy, XN },     /* INS (general) */
	{ 0xbfe0fc00, 0x0e002c00, copy, N | XD }, /* SMOV */
	{ 0xbfe0fc00, 0x0e003c00, copy, N | XD }, /* UMOV */
	{ 0x9fe08400, 0x0e000400, copy, N },
	{ 0xbfe08c00, 0x0e000000, lookup, TABLE | M },
	{ 0xbf208c00, 0x0e000800, permute, N | M },
	{ 0xbfe08400, 0x2e000000, extract, N | M },
	{ 0x9ff80400, 0x0f000400, modified_immediate, 0 },
	{ 0xfffffc00, 0x5ef1b800, add_pair, N },
	{ 0x9fe0fc00, 0x0e809400, dot, N | M }, /* SDOT, UDOT */
	{ 0xbfe0fc00, 0x0e809c00, dot, N | M }, /* USDOT */
	{ 0x9f200400, 0x0e200400, tl_a64_three_same, N | M },
	{ 0xdf200400, 0x5e200400, tl_a64_three_same, N | M },
	{ 0x9f3e0c00, 0x0e200800, tl_a64_two_misc, N },
	{ 0xdf3e0c00, 0x5e200800, tl_a64_two_misc, N },
	{ 0x9f3e0c00, 0x0e300800, tl_a64_across_lanes, N },
	{ 0x9f200c00, 0x0e200000, tl_a64_three_different, N | M },
	{ 0x9f800400, 0x0f000400, tl_a64_shift_immediate, N },
	{ 0xdf800400, 0x5f000400, tl_a64_shift_immediate, N },
	{ 0x9f000400, 0x0f000000, tl_a64_by_element, N | M_OF_H },
	{ 0xfffe0c00, 0x4e280800, tl_a64_aes, N },
	{ 0xffe08c00, 0x5e000000, tl_a64_sha_three, N | M },
	{ 0xfffe0c00, 0x5e280800, tl_a64_sha_two, N },
	{ 0xffe0b000, 0xce608000, tl_a64_sha512_three, N | M },
	{ 0xff808000, 0xce000000, tl_a64_four_registers, N | M | A },
	{ 0xffe00000, 0xce800000, tl_a64_xar, N | M },
	{ 0xfffff000, 0xcec08000, tl_a64_sha512_two, N },
};

static uint32_t bit(unsigned number)
{
	return UINT32_C(1) << (number & 31);
}

static uint32_t read_by(uint32_t opcode, unsigned uses, bool keeps)
{
	uint32_t reads = keeps ? bit(opcode) : 0;

	if (uses & N)
		reads |= bit(opcode >> 5);
	if (uses & M)
		reads |= bit(opcode >> 16);
	if (uses & M_OF_H)
		reads |= bit(opcode >> 16 & (tl_a64_bits(opcode, 23, 22) == 1 ? 15 : 31));
	if (uses & A)
		reads |= bit(opcode >> 10);
	for (unsigned i = 0; uses & TABLE && i <= tl_a64_bits(opcode, 14, 13); i++)
		reads |= bit((opcode >> 5) + i);
	return reads;
}

static uint8_t general(unsigned number, bool used)
{
	return used && number != 31 ? (uint8_t)number : TL_A64_ZERO;
}

struct tl_a64_vector_computation tl_a64_vector_computation(uint32_t opcode)
{
	const size_t count = sizeof(rows) / sizeof(rows[0]);
	struct tl_a64_vector_choice chosen;
	size_t row = 0;

	while (row < count && (opcode & rows[row].mask) != rows[row].bits)
		row++;
	if (row == count || tl_a64_classify(opcode).class == TL_A64_UNALLOCATED)
		return (struct tl_a64_vector_computation){ .compute = NULL };
	chosen = rows[row].group(opcode);
	return (struct tl_a64_vector_computation){
		.compute = chosen.fn,
		.reads = read_by(opcode, rows[row].uses, chosen.keeps),
		.n = general(opcode >> 5 & 31, rows[row].uses & XN),
		.d = rows[row].uses & XD ? general(opcode & 31, true) : (uint8_t)(opcode & 31),
		.to_general = rows[row].uses & XD,
	};
}
