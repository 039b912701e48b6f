/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What integer instructions compute (DDI 0487, C6.2), against the pseudocode of each, bit by bit in
 * 128 bits, on random values and on those at the ends of the numbers.
 */
#include "../unit.h"

#include "isa/a64/a64_compute.h"

typedef unsigned __int128 wide;

struct operands {
	uint64_t n, m, a; /* of the width */
	unsigned width, nzcv;
};

static int64_t sign(uint64_t value, unsigned width)
{
	return width == 64 ? (int64_t)value : (int32_t)(uint32_t)value;
}

static uint64_t cut(uint64_t value, unsigned width)
{
	return width == 64 ? value : (uint32_t)value;
}

/* ---- one operand ---- */

static uint64_t rbit(const struct operands *o)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < o->width; i++)
		result |= (o->n >> i & 1) << (o->width - 1 - i);
	return result;
}

static uint64_t bytes_reversed(const struct operands *o, unsigned group)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < o->width / 8; i++) {
		unsigned to = i / group * group + (group - 1 - i % group);

		result |= (o->n >> 8 * i & 255) << 8 * to;
	}
	return result;
}

static uint64_t rev16(const struct operands *o)
{
	return bytes_reversed(o, 2);
}

static uint64_t rev32(const struct operands *o)
{
	return bytes_reversed(o, 4);
}

static uint64_t rev64(const struct operands *o)
{
	return bytes_reversed(o, 8);
}

static uint64_t clz(const struct operands *o)
{
	uint64_t count = 0;

	while (count < o->width && !(o->n >> (o->width - 1 - count) & 1))
		count++;
	return count;
}

/* How many bits behind the first one are as it is. */
static uint64_t cls(const struct operands *o)
{
	const uint64_t first = o->n >> (o->width - 1) & 1;
	uint64_t count = 0;

	while (count + 1 < o->width && (o->n >> (o->width - 2 - count) & 1) == first)
		count++;
	return count;
}

/* ---- two and three operands ---- */

static uint64_t udiv(const struct operands *o)
{
	return o->m ? o->n / o->m : 0;
}

static uint64_t sdiv(const struct operands *o)
{
	return o->m ? (uint64_t)((__int128)sign(o->n, o->width) / sign(o->m, o->width)) : 0;
}

static uint64_t lslv(const struct operands *o)
{
	return o->n << o->m % o->width;
}

static uint64_t lsrv(const struct operands *o)
{
	return o->n >> o->m % o->width;
}

static uint64_t asrv(const struct operands *o)
{
	return (uint64_t)(sign(o->n, o->width) >> o->m % o->width);
}

static uint64_t rorv(const struct operands *o)
{
	const unsigned by = (unsigned)(o->m % o->width);

	return by ? o->n >> by | o->n << (o->width - by) : o->n;
}

static uint64_t madd(const struct operands *o)
{
	return o->a + o->n * o->m;
}

static uint64_t msub(const struct operands *o)
{
	return o->a - o->n * o->m;
}

static uint64_t smaddl(const struct operands *o)
{
	return o->a + (uint64_t)((int64_t)(int32_t)o->n * (int32_t)o->m);
}

static uint64_t umsubl(const struct operands *o)
{
	return o->a - (uint64_t)(uint32_t)o->n * (uint32_t)o->m;
}

static uint64_t umulh(const struct operands *o)
{
	return (uint64_t)((wide)o->n * o->m >> 64);
}

static uint64_t smulh(const struct operands *o)
{
	return (uint64_t)((__int128)(int64_t)o->n * (int64_t)o->m >> 64);
}

/* With carry: C is bit 1 of NZCV; SBC takes one off where it is not set. */
static uint64_t adc(const struct operands *o)
{
	return o->n + o->m + (o->nzcv >> 1 & 1);
}

static uint64_t sbc(const struct operands *o)
{
	return o->n - o->m - !(o->nzcv >> 1 & 1);
}

/* Of condition EQ, which is that Z (bit 2) is set. */
static uint64_t csel(const struct operands *o)
{
	return o->nzcv >> 2 & 1 ? o->n : o->m;
}

static uint64_t csinc(const struct operands *o)
{
	return o->nzcv >> 2 & 1 ? o->n : o->m + 1;
}

static uint64_t csinv(const struct operands *o)
{
	return o->nzcv >> 2 & 1 ? o->n : ~o->m;
}

static uint64_t csneg(const struct operands *o)
{
	return o->nzcv >> 2 & 1 ? o->n : -o->m;
}

static uint64_t bic(const struct operands *o)
{
	return o->n & ~o->m;
}

static uint64_t eon(const struct operands *o)
{
	return o->n ^ ~o->m;
}

static uint64_t extr7(const struct operands *o)
{
	return o->m >> 7 | o->n << (o->width - 7);
}

/* Bits 12 to 5 of n, as they are and with the sign of bit 12. */
static uint64_t ubfx(const struct operands *o)
{
	return o->n >> 5 & 255;
}

static uint64_t sbfx(const struct operands *o)
{
	return (uint64_t)(int64_t)(int8_t)(o->n >> 5 & 255);
}

/* Of x0, x1, x2, x3; the width of 32 bits has bit 31 of the opcode clear, and N of a bit field. */
static const struct {
	uint32_t opcode;
	uint64_t (*model)(const struct operands *operands);
	enum { BOTH, ONLY_64, FIELD } widths;
} cases[] = {
	{ 0xdac00020, rbit, BOTH },      { 0xdac00420, rev16, BOTH },
	{ 0xdac00820, rev32, BOTH },     { 0xdac00c20, rev64, ONLY_64 },
	{ 0xdac01020, clz, BOTH },       { 0xdac01420, cls, BOTH },
	{ 0x9ac20820, udiv, BOTH },      { 0x9ac20c20, sdiv, BOTH },
	{ 0x9ac22020, lslv, BOTH },      { 0x9ac22420, lsrv, BOTH },
	{ 0x9ac22820, asrv, BOTH },      { 0x9ac22c20, rorv, BOTH },
	{ 0x9b020c20, madd, BOTH },      { 0x9b028c20, msub, BOTH },
	{ 0x9b220c20, smaddl, ONLY_64 }, { 0x9ba28c20, umsubl, ONLY_64 },
	{ 0x9bc27c20, umulh, ONLY_64 },  { 0x9b427c20, smulh, ONLY_64 },
	{ 0x9a020020, adc, BOTH },       { 0xda020020, sbc, BOTH },
	{ 0x9a820020, csel, BOTH },      { 0x9a820420, csinc, BOTH },
	{ 0xda820020, csinv, BOTH },     { 0xda820420, csneg, BOTH },
	{ 0x8a220020, bic, BOTH },       { 0xca220020, eon, BOTH },
	{ 0x93c21c20, extr7, FIELD },    { 0xd3453020, ubfx, FIELD },
	{ 0x93453020, sbfx, FIELD },
};

static uint64_t random_state = 4711;

static uint64_t random_word(void)
{
	static const uint64_t ends[] = { 0,          1,          UINT64_MAX,
					 INT64_MAX,  1ull << 63, 0x7fffffff,
					 0x80000000, 0xffffffff, 0xffffffff80000000 };

	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	if (random_state >> 60 < 4)
		return ends[(random_state >> 40) % 9];
	/* Also short ones, and short ones below zero. */
	return (random_state ^ random_state << 29) >> (random_state >> 33) % 64 ^
	       (random_state >> 62 == 3 ? UINT64_MAX : 0);
}

static void compare(uint32_t opcode, unsigned width,
		    uint64_t (*model)(const struct operands *operands))
{
	const struct tl_a64_computation computation = tl_a64_computation(opcode);

	assert_non_null(computation.compute);
	assert_int_equal(computation.d, 0);
	for (int i = 0; i < 3000; i++) {
		const struct tl_a64_inputs in = { random_word(), random_word(), random_word(),
						  (unsigned)(random_word() & 15) };
		const struct operands o = { cut(in.n, width), cut(in.m, width), cut(in.a, width),
					    width, in.nzcv };
		unsigned nzcv = 0;
		const uint64_t have = computation.compute(opcode, &in, &nzcv);

		if (have != cut(model(&o), width))
			fail_msg("%08x of %#llx, %#llx, %#llx and %u is %#llx", opcode,
				 (unsigned long long)in.n, (unsigned long long)in.m,
				 (unsigned long long)in.a, in.nzcv, (unsigned long long)have);
	}
}

TEST(results)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		compare(cases[i].opcode, 64, cases[i].model);
		if (cases[i].widths == BOTH)
			compare(cases[i].opcode & 0x7fffffff, 32, cases[i].model);
		else if (cases[i].widths == FIELD)
			compare(cases[i].opcode & 0x7fbfffff, 32, cases[i].model);
	}
}

/* ---- flags ---- */

/* AddWithCarry() of the manual. */
static unsigned flags_of(uint64_t x, uint64_t y, unsigned carry, unsigned width, uint64_t *result)
{
	const wide sum = (wide)cut(x, width) + cut(y, width) + carry;
	const __int128 whole = (__int128)sign(x, width) + sign(y, width) + carry;

	*result = cut((uint64_t)sum, width);
	return (*result >> (width - 1) & 1 ? TL_A64_N : 0) | (*result ? 0 : TL_A64_Z) |
	       (sum >> width ? TL_A64_C : 0) | (whole != sign(*result, width) ? TL_A64_V : 0);
}

static void compare_flags(uint32_t opcode, unsigned width, bool subtracts, bool carries)
{
	const struct tl_a64_computation computation = tl_a64_computation(opcode);

	assert_true(computation.writes_flags);
	assert_int_equal(computation.reads_flags, carries);
	for (int i = 0; i < 3000; i++) {
		const struct tl_a64_inputs in = { random_word(), random_word(), 0,
						  (unsigned)(random_word() & 15) };
		const unsigned carry = carries ? in.nzcv >> 1 & 1 : subtracts;
		unsigned nzcv = 0;
		uint64_t result;
		const uint64_t have = computation.compute(opcode, &in, &nzcv);
		const unsigned wanted =
			flags_of(in.n, subtracts ? ~in.m : in.m, carry, width, &result);

		assert_true(have == result);
		assert_int_equal(nzcv, wanted);
	}
}

TEST(flags_of_sums)
{
	for (unsigned wider = 0; wider < 2; wider++) {
		const uint32_t size = wider ? 0x80000000 : 0;
		const unsigned width = wider ? 64 : 32;

		compare_flags(0x2b020020 | size, width, false, false); /* ADDS */
		compare_flags(0x6b020020 | size, width, true, false);  /* SUBS */
		compare_flags(0x3a020020 | size, width, false, true);  /* ADCS */
		compare_flags(0x7a020020 | size, width, true, true);   /* SBCS */
	}
}

/* CCMP x1, x2, #5, NE: the flags of the comparison, or 5 where Z is set. */
TEST(flags_of_conditional_comparisons)
{
	const uint32_t opcode = 0xfa421025;
	const struct tl_a64_computation computation = tl_a64_computation(opcode);

	assert_true(computation.reads_flags && computation.writes_flags);
	assert_int_equal(computation.d, TL_A64_ZERO);
	for (int i = 0; i < 3000; i++) {
		const struct tl_a64_inputs in = { random_word(), random_word(), 0,
						  (unsigned)(random_word() & 15) };
		unsigned nzcv = 0, wanted;
		uint64_t result;

		wanted = flags_of(in.n, ~in.m, 1, 64, &result);
		computation.compute(opcode, &in, &nzcv);
		assert_int_equal(nzcv, in.nzcv & TL_A64_Z ? 5 : wanted);
	}
}

/* The table of conditions (C1.2.4). */
TEST(conditions)
{
	for (unsigned nzcv = 0; nzcv < 16; nzcv++) {
		const bool n = nzcv & 8, z = nzcv & 4, c = nzcv & 2, v = nzcv & 1;
		const bool holds[16] = {
			z,    !z,      c,          !c,     n,      !n,           v,
			!v,   c && !z, !(c && !z), n == v, n != v, !z && n == v, z || n != v,
			true, true
		};

		for (unsigned condition = 0; condition < 16; condition++)
			assert_int_equal(tl_a64_holds(condition, nzcv), holds[condition]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results),
		cmocka_unit_test(flags_of_sums),
		cmocka_unit_test(flags_of_conditional_comparisons),
		cmocka_unit_test(conditions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
