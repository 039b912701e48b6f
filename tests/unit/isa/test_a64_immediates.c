/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integer instructions with an immediate (DDI 0487, C4.1.92), for every value of it, bit by bit:
 * masks are made from what they are, a run of ones that is rotated and repeated, and then encoded;
 * fields are moved one bit at a time. /
 */
#include "../unit.h"

#include "isa/a64/a64_compute.h"

static const uint64_t words[] = {
	0,
	UINT64_MAX,
	UINT64_C(0x0123456789abcdef),
	UINT64_C(0xfedcba9876543210),
	UINT64_C(0x8000000080000000),
	UINT64_C(0x7fffffff7fffffff),
	UINT64_C(0x5555555555555555),
	UINT64_C(0x00000000ffffffff),
};

enum { WORDS = sizeof(words) / sizeof(words[0]) };

static uint64_t cut(uint64_t value, unsigned width)
{
	return width == 64 ? value : (uint32_t)value;
}

static uint32_t sized(uint32_t opcode, unsigned width)
{
	return width == 64 ? opcode | 0x80000000 : opcode;
}

/* The result of an instruction whose destination is x3; *nzcv: its flags. */
static uint64_t computed(uint32_t opcode, uint64_t n, uint64_t m, uint64_t a, unsigned *nzcv)
{
	const struct tl_a64_computation c = tl_a64_computation(opcode);
	const struct tl_a64_inputs in = { n, m, a, 0 };

	assert_non_null(c.compute);
	assert_int_equal(c.d, 3);
	*nzcv = 0;
	return c.compute(opcode, &in, nzcv);
}

static void assert_computed(uint32_t opcode, uint64_t n, uint64_t m, uint64_t a, uint64_t expected)
{
	unsigned nzcv;
	uint64_t got = computed(opcode, n, m, a, &nzcv);

	if (got != expected)
		fail_msg("%08x of %#llx, %#llx and %#llx is %#llx instead of %#llx", opcode,
			 (unsigned long long)n, (unsigned long long)m, (unsigned long long)a,
			 (unsigned long long)got, (unsigned long long)expected);
}

/* ---- masks ---- */

/* A run of `ones` ones in elements of so many bits, each rotated to the right. */
static uint64_t mask_of(unsigned size, unsigned ones, unsigned rotation)
{
	uint64_t mask = 0;

	for (unsigned bit = 0; bit < 64; bit++) {
		unsigned in_element = bit % size, from = (in_element + rotation) % size;

		mask |= (uint64_t)(from < ones) << bit;
	}
	return mask;
}

/* N:immr:imms, bits 22 to 10: the size is told by the ones in front of the length. */
static uint32_t encoded_mask(unsigned size, unsigned ones, unsigned rotation)
{
	const uint32_t sizes = ~(2 * size - 1) & 63;

	return (uint32_t)(size == 64) << 22 | rotation << 16 |
	       ((size == 64 ? 0 : sizes) | (ones - 1)) << 10;
}

static unsigned flags_of(uint64_t result, unsigned width)
{
	return (result >> (width - 1) & 1 ? TL_A64_N : 0) | (result ? 0 : TL_A64_Z);
}

/*
 * AND, ORR, EOR and ANDS with each of the 5,334 masks of 64 bits; those of up to 32 in both widths.
 */
TEST(logical_instructions_with_each_mask)
{
	unsigned masks = 0;

	for (unsigned size = 2; size <= 64; size *= 2)
		for (unsigned ones = 1; ones < size; ones++)
			for (unsigned rotation = 0; rotation < size; rotation++) {
				const uint64_t mask = mask_of(size, ones, rotation);
				const uint32_t fields =
					encoded_mask(size, ones, rotation) | 1 << 5 | 3;

				masks++;
				for (unsigned width = size == 64 ? 64 : 32; width <= 64;
				     width *= 2) {
					const uint64_t value = words[masks % WORDS];
					const uint64_t all = cut(value & mask, width);
					unsigned nzcv;

					assert_computed(sized(0x12000000 | fields, width), value, 0,
							0, all);
					assert_computed(sized(0x32000000 | fields, width), value, 0,
							0, cut(value | mask, width));
					assert_computed(sized(0x52000000 | fields, width), value, 0,
							0, cut(value ^ mask, width));
					assert_true(computed(sized(0x72000000 | fields, width),
							     value, 0, 0, &nzcv) == all);
					assert_int_equal(nzcv, flags_of(all, width));
				}
			}
	assert_int_equal(masks, 5334);
}

/* ---- fields ---- */

enum field_kind { SIGNED, KEPT, UNSIGNED };

/* Bits s to r of the source at 0, or bits s to 0 of it at width - r. */
static uint64_t field_of(enum field_kind kind, uint64_t source, uint64_t old, unsigned r,
			 unsigned s, unsigned width)
{
	const unsigned from = s >= r ? r : 0, to = s >= r ? 0 : width - r;
	const unsigned count = s >= r ? s - r + 1 : s + 1;
	uint64_t result = kind == KEPT ? cut(old, width) : 0;

	for (unsigned i = 0; i < width; i++) {
		uint64_t bit;

		if (i >= to && i < to + count)
			bit = source >> (from + i - to) & 1;
		else if (kind == SIGNED && i >= to + count)
			bit = source >> s & 1;
		else
			continue;
		result = (result & ~(UINT64_C(1) << i)) | bit << i;
	}
	return result;
}

static uint32_t field_opcode(enum field_kind kind, unsigned r, unsigned s, unsigned width)
{
	static const uint32_t kinds[] = { 0x13000000, 0x33000000, 0x53000000 };

	return sized(kinds[kind] | (uint32_t)(width == 64) << 22 | r << 16 | s << 10 | 1 << 5 | 3,
		     width);
}

TEST(fields_of_each_place_and_length)
{
	for (unsigned width = 32; width <= 64; width *= 2)
		for (unsigned r = 0; r < width; r++)
			for (unsigned s = 0; s < width; s++)
				for (int kind = SIGNED; kind <= UNSIGNED; kind++) {
					const uint64_t source = words[(r * 7 + s) % WORDS],
						       old = words[(r + s * 3 + 1) % WORDS];

					assert_computed(
						field_opcode((enum field_kind)kind, r, s, width),
						source, 0, old,
						field_of((enum field_kind)kind, source, old, r, s,
							 width));
				}
}

/* Usual names of them (C6.2): shifts, extensions, and fields by their first bit and length. */
TEST(fields_by_their_other_names)
{
	const uint64_t word = UINT64_C(0x0123456789abcdef);
	unsigned nzcv;

	/* LSL #8, LSR #8, ASR #4 */
	assert_true(computed(field_opcode(UNSIGNED, 56, 55, 64), word, 0, 0, &nzcv) == word << 8);
	assert_true(computed(field_opcode(UNSIGNED, 8, 63, 64), word, 0, 0, &nzcv) == word >> 8);
	assert_true(computed(field_opcode(SIGNED, 4, 31, 32), word, 0, 0, &nzcv) == 0xf89abcde);
	/* UXTB, UXTH, SXTB, SXTH, SXTW */
	assert_true(computed(field_opcode(UNSIGNED, 0, 7, 32), word, 0, 0, &nzcv) == 0xef);
	assert_true(computed(field_opcode(UNSIGNED, 0, 15, 32), word, 0, 0, &nzcv) == 0xcdef);
	assert_true(computed(field_opcode(SIGNED, 0, 7, 32), word, 0, 0, &nzcv) == 0xffffffef);
	assert_true(computed(field_opcode(SIGNED, 0, 15, 64), word, 0, 0, &nzcv) ==
		    UINT64_C(0xffffffffffffcdef));
	assert_true(computed(field_opcode(SIGNED, 0, 31, 64), word, 0, 0, &nzcv) ==
		    UINT64_C(0xffffffff89abcdef));
	/* BFI #16, #8: eight bits into the place from 16 on */
	assert_true(computed(field_opcode(KEPT, 48, 7, 64), word, 0, UINT64_MAX, &nzcv) ==
		    UINT64_C(0xffffffffffefffff));
}

/* ---- a part of two registers ---- */

TEST(extracts_from_each_bit)
{
	for (unsigned width = 32; width <= 64; width *= 2)
		for (unsigned low = 0; low < width; low++)
			for (unsigned i = 0; i < WORDS; i++) {
				const uint64_t n = words[i], m = words[(i * 5 + low) % WORDS];
				const uint32_t opcode =
					sized(0x13800000u | (uint32_t)(width == 64) << 22 |
						      2 << 16 | low << 10 | 1 << 5 | 3,
					      width);
				uint64_t expected = 0;

				for (unsigned bit = 0; bit < width; bit++) {
					unsigned at = bit + low;

					expected |=
						(at < width ? m >> at & 1 : n >> (at - width) & 1)
						<< bit;
				}
				assert_computed(opcode, n, m, 0, expected);
			}
}

/* ---- numbers ---- */

/* MOVK: sixteen bits at 0, 16, 32 or 48, and the others as they were. */
TEST(moves_that_keep)
{
	static const uint32_t values[] = { 0, 1, 0x8000, 0xffff, 0x1234 };

	for (unsigned width = 32; width <= 64; width *= 2)
		for (unsigned place = 0; place < width / 16; place++)
			for (unsigned v = 0; v < 5; v++)
				for (unsigned i = 0; i < WORDS; i++) {
					uint64_t expected = 0;

					for (unsigned at = 0; at < width / 16; at++)
						expected |=
							(at == place ? values[v]
								     : words[i] >> 16 * at & 0xffff)
							<< 16 * at;
					assert_computed(sized(0x72800000u | place << 21 |
								      values[v] << 5 | 3,
							      width),
							0, 0, words[i], expected);
				}
}

/* ADD, ADDS, SUB, SUBS with twelve bits, as they are or 12 further, by hand. */
TEST(sums_with_a_number)
{
	static const struct {
		uint32_t opcode;
		uint64_t n, result;
		unsigned nzcv;
	} cases[] = {
		{ 0x91000423, 5, 6, 0 },                            /* add x3, x1, #1 */
		{ 0x91400423, 5, 4101, 0 },                         /* add x3, x1, #1, lsl #12 */
		{ 0x913ffc23, 1, 4096, 0 },                         /* add x3, x1, #4095 */
		{ 0x917ffc23, 1, 0xfff001, 0 },                     /* add x3, x1, #4095, lsl #12 */
		{ 0xd1000423, 0, UINT64_MAX, 0 },                   /* sub x3, x1, #1 */
		{ 0xd1400423, 4095, UINT64_MAX, 0 },                /* sub x3, x1, #1, lsl #12 */
		{ 0x11000423, 0xffffffff, 0, 0 },                   /* add w3, w1, #1 */
		{ 0x51000823, 1, 0xffffffff, 0 },                   /* sub w3, w1, #2 */
		{ 0xb1000423, UINT64_MAX, 0, TL_A64_Z | TL_A64_C }, /* adds x3, x1, #1 */
		{ 0xb1000423, INT64_MAX, 1ull << 63, TL_A64_N | TL_A64_V },
		{ 0x31000423, 0x7fffffff, 0x80000000, TL_A64_N | TL_A64_V }, /* adds w3, w1, #1 */
		{ 0x31000423, 0xffffffff, 0, TL_A64_Z | TL_A64_C },
		{ 0xf1000423, 1, 0, TL_A64_Z | TL_A64_C }, /* subs x3, x1, #1 */
		{ 0xf1000423, 0, UINT64_MAX, TL_A64_N },
		{ 0xf1000423, 1ull << 63, INT64_MAX, TL_A64_C | TL_A64_V },
		{ 0x71000423, 0x80000000, 0x7fffffff, TL_A64_C | TL_A64_V }, /* subs w3, w1, #1 */
		{ 0x71400423, 4096, 0, TL_A64_Z | TL_A64_C }, /* subs w3, w1, #1, lsl #12 */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tl_a64_computation c = tl_a64_computation(cases[i].opcode);
		unsigned nzcv;
		uint64_t result = computed(cases[i].opcode, cases[i].n, 0, 0, &nzcv);

		assert_true(result == cases[i].result);
		assert_int_equal(c.writes_flags, cases[i].opcode >> 29 & 1);
		if (c.writes_flags)
			assert_int_equal(nzcv, cases[i].nzcv);
		assert_false(c.reads_flags);
		assert_int_equal(c.n, 1);
	}
}

/* Register 31 is the stack pointer where no flags are set, and nothing where they are. */
TEST(the_register_of_number_31)
{
	static const struct {
		uint32_t opcode;
		unsigned d, n;
	} cases[] = {
		{ 0x910043ff, 31, 31 },                   /* add sp, sp, #16 */
		{ 0xf10043ff, TL_A64_ZERO, 31 },          /* subs xzr, sp, #16 */
		{ 0x9240003f, 31, 1 },                    /* and sp, x1, #1 */
		{ 0xf240003f, TL_A64_ZERO, 1 },           /* tst x1, #1 */
		{ 0x924003e3, 3, TL_A64_ZERO },           /* and x3, xzr, #1 */
		{ 0xd340ffff, TL_A64_ZERO, TL_A64_ZERO }, /* ubfx xzr, xzr, #0, #64 */
		{ 0x93c2043f, TL_A64_ZERO, 1 },           /* extr xzr, x1, x2, #1 */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tl_a64_computation c = tl_a64_computation(cases[i].opcode);

		assert_non_null(c.compute);
		assert_int_equal(c.d, cases[i].d);
		assert_int_equal(c.n, cases[i].n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logical_instructions_with_each_mask),
		cmocka_unit_test(fields_of_each_place_and_length),
		cmocka_unit_test(fields_by_their_other_names),
		cmocka_unit_test(extracts_from_each_bit),
		cmocka_unit_test(moves_that_keep),
		cmocka_unit_test(sums_with_a_number),
		cmocka_unit_test(the_register_of_number_31),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
