/* SPDX-License-Identifier: Apache-2.0 */
#include "isa/a64/a64_compute.h"

#include <stddef.h>

#include "isa/a64/a64_table.h"

static bool is_64bit(uint32_t opcode)
{
	return opcode >> 31;
}

static unsigned width_of(uint32_t opcode)
{
	return is_64bit(opcode) ? 64 : 32;
}

static uint64_t ones(unsigned count)
{
	return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* A result has 32 bits unless sf is set. */
static uint64_t sized(uint32_t opcode, uint64_t value)
{
	return is_64bit(opcode) ? value : (uint32_t)value;
}

static int64_t sign_extended(uint64_t value, unsigned bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static uint64_t rotated(uint64_t value, unsigned by, unsigned width)
{
	value &= ones(width);
	return by ? (value >> by | value << (width - by)) & ones(width) : value;
}

static uint64_t shifted(uint64_t value, unsigned type, unsigned amount, unsigned width)
{
	value &= ones(width);
	switch (type) {
	case 0:
		return value << amount & ones(width);
	case 1:
		return value >> amount;
	case 2:
		return (uint64_t)(sign_extended(value, width) >> amount) & ones(width);
	default:
		return rotated(value, amount, width);
	}
}

/* ---- conditions and flags ---- */

/* "ConditionHolds()": for each condition the values of NZCV, as bits, for which it does. */
bool tl_a64_holds(unsigned condition, unsigned nzcv)
{
	static const uint16_t holds[16] = {
		0xf0f0, /* EQ */
		0x0f0f, /* NE */
		0xcccc, /* CS */
		0x3333, /* CC */
		0xff00, /* MI */
		0x00ff, /* PL */
		0xaaaa, /* VS */
		0x5555, /* VC */
		0x0c0c, /* HI */
		0xf3f3, /* LS */
		0xaa55, /* GE */
		0x55aa, /* LT */
		0x0a05, /* GT */
		0xf5fa, /* LE */
		0xffff, /* AL */
		0xffff, /* NV */
	};

	return holds[condition & 15] >> nzcv & 1;
}

static unsigned flags_nz(uint32_t opcode, uint64_t result)
{
	return (result >> (width_of(opcode) - 1) & 1 ? TL_A64_N : 0u) | (result ? 0u : TL_A64_Z);
}

/* "AddWithCarry()" */
static uint64_t add_with_carry(uint32_t opcode, uint64_t a, uint64_t b, unsigned carry,
			       unsigned *nzcv)
{
	unsigned top = width_of(opcode) - 1;
	uint64_t result;

	a = sized(opcode, a);
	b = sized(opcode, b);
	result = sized(opcode, a + b + carry);
	*nzcv = flags_nz(opcode, result);
	if (result < a || (carry && result == a))
		*nzcv |= TL_A64_C;
	if (((a ^ result) & (b ^ result)) >> top & 1)
		*nzcv |= TL_A64_V;
	return result;
}

/* Bit 30 says that it is a subtraction. */
static uint64_t add_or_subtract(uint32_t opcode, uint64_t a, uint64_t b, unsigned *nzcv)
{
	bool subtract = opcode >> 30 & 1;

	return add_with_carry(opcode, a, subtract ? ~b : b, subtract, nzcv);
}

/* ---- immediates ---- */

static uint64_t add_immediate(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv)
{
	uint64_t value = tl_a64_bits(opcode, 21, 10);

	return add_or_subtract(opcode, in->n, opcode >> 22 & 1 ? value << 12 : value, nzcv);
}

/* AND, ORR, EOR, ANDS by bits 30:29. */
static uint64_t logical(uint32_t opcode, uint64_t a, uint64_t b, unsigned *nzcv)
{
	uint64_t result;

	switch (tl_a64_bits(opcode, 30, 29)) {
	case 1:
		result = a | b;
		break;
	case 2:
		result = a ^ b;
		break;
	default:
		result = a & b;
	}
	result = sized(opcode, result);
	*nzcv = flags_nz(opcode, result);
	return result;
}

/* "DecodeBitMasks()" */
static uint64_t bit_mask(uint32_t opcode)
{
	unsigned imms = tl_a64_bits(opcode, 15, 10), immr = tl_a64_bits(opcode, 21, 16);
	unsigned length = tl_a64_bits(opcode, 22, 22) << 6 | (~imms & 63);
	unsigned size = length ? 1u << (31 - __builtin_clz(length)) : 1;
	uint64_t element = rotated(ones((imms & (size - 1)) + 1), immr & (size - 1), size);

	for (unsigned width = size; width < 64; width *= 2)
		element |= element << width;
	return element;
}

static uint64_t logical_immediate(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv)
{
	return logical(opcode, in->n, bit_mask(opcode), nzcv);
}

static uint64_t move_keep(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv)
{
	unsigned shift = tl_a64_bits(opcode, 22, 21) * 16;

	(void)nzcv;
	return sized(opcode, (in->a & ~(UINT64_C(0xffff) << shift)) |
				     (uint64_t)tl_a64_bits(opcode, 20, 5) << shift);
}

/* SBFM 00, BFM 01, UBFM 10: bits S:R of the source, or bits S:0 at width - R. */
static uint64_t bitfield(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv)
{
	unsigned r = tl_a64_bits(opcode, 21, 16), s = tl_a64_bits(opcode, 15, 10),
		 width = width_of(opcode), low = s >= r ? 0 : width - r,
		 length = s >= r ? s - r + 1 : s + 1;
	uint64_t field = (in->n >> (s >= r ? r : 0)) & ones(length);

	(void)nzcv;
	switch (tl_a64_bits(opcode, 30, 29)) {
	case 0:
		return sized(opcode, (uint64_t)sign_extended(field, length) << low);
	case 1:
		return sized(opcode, (in->a & ~(ones(length) << low)) | field << low);
	default:
		return sized(opcode, field << low);
	}
}

static uint64_t extract(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv)
{
	unsigned low = tl_a64_bits(opcode, 15, 10), width = width_of(opcode);

	(void)nzcv;
	if (!low)
		return sized(opcode, in->m);
	return sized(opcode, (in->m & ones(width)) >> low | in->n << (width - low));
}

/* ---- registers ---- */

static uint64_t shifted_m(uint32_t opcode, const struct tl_a64_inputs *in)
{
	return shifted(in->m, tl_a64_bits(opcode, 23, 22), tl_a64_bits(opcode, 15, 10),
		       width_of(opcode));
}

/* Bit 21 inverts the second operand: BIC, ORN, EON, BICS. */
static uint64_t logical_shifted(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv)
{
	uint64_t m = shifted_m(opcode, in);

	return logical(opcode, in->n, opcode >> 21 & 1 ? ~m : m, nzcv);
}

static uint64_t add_shifted(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv)
{
	return add_or_subtract(opcode, in->n, shifted_m(opcode, in), nzcv);
}

/* "ExtendReg()" */
static uint64_t add_extended(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv)
{
	unsigned option = tl_a64_bits(opcode, 15, 13), bits = 8u << (option & 3);
	uint64_t m = option & 4 ? (uint64_t)sign_extended(in->m, bits) : in->m & ones(bits);

	return add_or_subtract(opcode, in->n, m << tl_a64_bits(opcode, 12, 10), nzcv);
}

static uint64_t add_carry(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv)
{
	return add_with_carry(opcode, in->n, opcode >> 30 & 1 ? ~in->m : in->m,
			      in->nzcv & TL_A64_C ? 1 : 0, nzcv);
}

/* CCMN, CCMP: of registers, or of one and bits 20:16. */
static uint64_t compare_if(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv)
{
	uint64_t m = opcode >> 11 & 1 ? tl_a64_bits(opcode, 20, 16) : in->m;

	add_or_subtract(opcode, in->n, m, nzcv);
	if (!tl_a64_holds(tl_a64_bits(opcode, 15, 12), in->nzcv))
		*nzcv = opcode & 15;
	return 0;
}

/* CSEL, CSINC, CSINV, CSNEG */
static uint64_t select_one(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv)
{
	uint64_t other = opcode >> 30 & 1 ? ~in->m : in->m;

	(void)nzcv;
	if (tl_a64_holds(tl_a64_bits(opcode, 15, 12), in->nzcv))
		return sized(opcode, in->n);
	return sized(opcode, other + (opcode >> 10 & 1));
}

static uint64_t divide(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv)
{
	unsigned width = width_of(opcode);
	uint64_t n = sized(opcode, in->n), m = sized(opcode, in->m);
	int64_t sn = sign_extended(n, width), sm = sign_extended(m, width);

	(void)nzcv;
	if (!m)
		return 0;
	if (!(opcode >> 10 & 1))
		return n / m;
	/* The quotient of the least number and -1 is that number. */
	return sized(opcode, sm == -1 ? 0 - (uint64_t)sn : (uint64_t)(sn / sm));
}

static uint64_t shift_by_register(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv)
{
	unsigned width = width_of(opcode);

	(void)nzcv;
	return shifted(in->n, tl_a64_bits(opcode, 11, 10), (unsigned)(in->m % width), width);
}

/* Bytes, halfwords or bits in reverse: swaps of neighbours of `from` bits up to `to` bits. */
static uint64_t reversed(uint64_t value, unsigned from, unsigned to)
{
	static const uint64_t masks[] = { 0x5555555555555555, 0x3333333333333333,
					  0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff,
					  0x0000ffff0000ffff, 0x00000000ffffffff };

	for (unsigned i = 0; i < 6; i++)
		if (1u << i >= from && 1u << i < to)
			value = (value >> (1u << i) & masks[i]) | (value & masks[i]) << (1u << i);
	return value;
}

/* RBIT, REV16, REV (of 32 bits: REV32), REV of 64 bits, CLZ, CLS by bits 15:10. */
static uint64_t one_source(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv)
{
	unsigned width = width_of(opcode), number = tl_a64_bits(opcode, 15, 10);
	uint64_t n = sized(opcode, in->n);

	(void)nzcv;
	if (number == 0)
		return reversed(n, 1, width);
	if (number < 4)
		return reversed(n, 8, 8u << number);
	if (number == 5) /* bits that are as the sign */
		n = sized(opcode, n ^ (uint64_t)(sign_extended(n, width) >> 1));
	if (!n)
		return number == 5 ? width - 1 : width;
	return (unsigned)__builtin_clzll(n) - (64 - width) - (number == 5);
}

static uint64_t high_product(uint64_t a, uint64_t b)
{
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t low = al * bl, mid = ah * bl + (low >> 32), other = al * bh + (uint32_t)mid;

	return ah * bh + (mid >> 32) + (other >> 32);
}

/* SMULH, UMULH by bit 23. */
static uint64_t multiply_high(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv)
{
	uint64_t high = high_product(in->n, in->m);

	(void)nzcv;
	if (!(opcode >> 23 & 1))
		high -= (in->n >> 63 ? in->m : 0) + (in->m >> 63 ? in->n : 0);
	return high;
}

/* MADD, MSUB; SMADDL and UMADDL, ... of 32 bits by bits 23:21. */
static uint64_t multiply_add(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv)
{
	unsigned kind = tl_a64_bits(opcode, 23, 21);
	uint64_t n = in->n, m = in->m;

	(void)nzcv;
	if (kind == 1) {
		n = (uint64_t)sign_extended(n, 32);
		m = (uint64_t)sign_extended(m, 32);
	} else if (kind == 5) {
		n = (uint32_t)n;
		m = (uint32_t)m;
	}
	return sized(opcode, opcode >> 15 & 1 ? in->a - n * m : in->a + n * m);
}

/* ---- encodings ---- */

/* What a row reads and writes. */
enum {
	N = 1,    /* Rn; 31 is zero */
	NSP = 2,  /* the same; 31 is SP */
	M = 4,    /* Rm */
	A = 8,    /* Ra, bits 14:10 */
	OLD = 16, /* Rd, which keeps a part */
	D = 32,   /* Rd; 31 is none */
	DSP = 64, /* the same; 31 is SP */
	RF = 128, /* NZCV */
	WF = 256,
};

static const struct {
	uint32_t mask, bits;
	tl_a64_compute_fn *compute;
	uint16_t uses;
} rows[] = {
	{ 0x3f800000, 0x31000000, add_immediate, NSP | D | WF },
	{ 0x3f800000, 0x11000000, add_immediate, NSP | DSP },
	{ 0x7f800000, 0x72000000, logical_immediate, N | D | WF },
	{ 0x1f800000, 0x12000000, logical_immediate, N | DSP },
	{ 0x7f800000, 0x72800000, move_keep, OLD | D },
	{ 0x7f800000, 0x33000000, bitfield, N | OLD | D },
	{ 0x3f800000, 0x13000000, bitfield, N | D },
	{ 0x7fa00000, 0x13800000, extract, N | M | D },
	{ 0x7f000000, 0x6a000000, logical_shifted, N | M | D | WF },
	{ 0x1f000000, 0x0a000000, logical_shifted, N | M | D },
	{ 0x3fe00000, 0x2b200000, add_extended, NSP | M | D | WF },
	{ 0x3fe00000, 0x0b200000, add_extended, NSP | M | DSP },
	{ 0x3f200000, 0x2b000000, add_shifted, N | M | D | WF },
	{ 0x3f200000, 0x0b000000, add_shifted, N | M | D },
	{ 0x3fe0fc00, 0x3a000000, add_carry, N | M | D | RF | WF },
	{ 0x3fe0fc00, 0x1a000000, add_carry, N | M | D | RF },
	{ 0x3fe00c10, 0x3a400000, compare_if, N | M | RF | WF },
	{ 0x3fe00c10, 0x3a400800, compare_if, N | RF | WF },
	{ 0x3fe00800, 0x1a800000, select_one, N | M | D | RF },
	{ 0x7fe0f800, 0x1ac00800, divide, N | M | D },
	{ 0x7fe0f000, 0x1ac02000, shift_by_register, N | M | D },
	{ 0x7ffff000, 0x5ac00000, one_source, N | D }, /* RBIT, REV16, REV, REV */
	{ 0x7ffff800, 0x5ac01000, one_source, N | D }, /* CLZ, CLS */
	{ 0xff608000, 0x9b400000, multiply_high, N | M | D },
	{ 0x7fe00000, 0x1b000000, multiply_add, N | M | A | D },
	{ 0xff600000, 0x9b200000, multiply_add, N | M | A | D },
};

static uint8_t field(uint32_t opcode, unsigned low, bool used, bool sp)
{
	uint8_t number = opcode >> low & 31;

	return !used || (number == 31 && !sp) ? TL_A64_ZERO : number;
}

struct tl_a64_computation tl_a64_computation(uint32_t opcode)
{
	size_t row = 0;
	unsigned uses;

	while (row < sizeof(rows) / sizeof(rows[0]) && (opcode & rows[row].mask) != rows[row].bits)
		row++;
	if (row == sizeof(rows) / sizeof(rows[0]) ||
	    tl_a64_classify(opcode).class == TL_A64_UNALLOCATED)
		return (struct tl_a64_computation){ .compute = NULL };
	uses = rows[row].uses;
	return (struct tl_a64_computation){
		.compute = rows[row].compute,
		.d = field(opcode, 0, uses & (D | DSP), uses & DSP),
		.n = field(opcode, 5, uses & (N | NSP), uses & NSP),
		.m = field(opcode, 16, uses & M, false),
		.a = uses & OLD ? field(opcode, 0, true, false)
				: field(opcode, 10, uses & A, false),
		.reads_flags = uses & RF,
		.writes_flags = uses & WF,
	};
}
