/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What vector instructions compute, against QEMU 7.2's results: `a64_vectors.py EVALUATOR --table`
 * executed each instruction there, on registers that are made of a seed (vector_inputs.h).
 */
#include <stdio.h>

#include "../unit.h"
#include "vector_inputs.h"

static const struct {
	uint32_t opcode, seed;
	const char *value; /* of the register that it writes, its lowest byte first */
} rows[] = {
#include "vector_results.def"
};

static void assert_value(const struct tl_a64_vector *v, const char *value)
{
	char text[2 * TL_A64_VECTOR_BYTES + 1];

	for (size_t i = 0; i < TL_A64_VECTOR_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", v->bytes[i]);
	assert_string_equal(text, value);
}

/* Registers that it is said not to read have other values. */
static void change_others(struct tl_a64_vector *v, uint32_t reads)
{
	for (unsigned i = 0; i < TL_A64_VECTORS; i++)
		if (!(reads >> i & 1))
			v[i].bytes[i % TL_A64_VECTOR_BYTES] ^= 0x5a;
}

TEST(results_are_the_emulators)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tl_a64_vector_computation c =
			tl_a64_vector_computation(rows[i].opcode);
		struct tl_a64_vector v[TL_A64_VECTORS], result;
		uint64_t x[TL_A64_ZERO + 1];

		assert_non_null(c.compute);
		make_inputs(rows[i].seed, v, x);
		change_others(v, c.reads);
		result = c.compute(rows[i].opcode, v, x[c.n]);
		assert_value(&result, rows[i].value);
	}
}

/* C7.2: which register is written, and which are read. */
TEST(registers)
{
	struct tl_a64_vector_computation c = tl_a64_vector_computation(0x9e660067);

	/* FMOV X7, D3 */
	assert_true(c.to_general && c.d == 7 && c.reads == 1u << 3 && c.n == TL_A64_ZERO);
	/* FMOV XZR, D3 */
	c = tl_a64_vector_computation(0x9e66007f);
	assert_true(c.to_general && c.d == TL_A64_ZERO);
	/* DUP V31.4S, W5; DUP V1.4S, WZR */
	c = tl_a64_vector_computation(0x4e040cbf);
	assert_true(!c.to_general && c.d == 31 && c.n == 5 && !c.reads);
	assert_int_equal(tl_a64_vector_computation(0x4e040fe1).n, TL_A64_ZERO);
	/* MLA V0.4S, V1.4S, V2.4S; MUL V0.4S, V1.4S, V2.4S */
	assert_int_equal(tl_a64_vector_computation(0x4ea29420).reads, 7);
	assert_int_equal(tl_a64_vector_computation(0x4ea29c20).reads, 6);
	/* TBL V0.16B, {V30.16B-V1.16B}, V5.16B: four registers in a row, round the end */
	assert_int_equal(tl_a64_vector_computation(0x4e0563c0).reads, 0xc0000023);
	/* XTN V0.8B, V1.8H; XTN2 V0.16B, V1.8H */
	assert_int_equal(tl_a64_vector_computation(0x0e212820).reads, 2);
	assert_int_equal(tl_a64_vector_computation(0x4e212820).reads, 3);
}

/* FPCR decides: FADD V0.4S, V1.4S, V2.4S; SCVTF D0, X1. Not allocated: ADD V0.1D, V1.1D, V2.1D. */
TEST(what_is_not_computed)
{
	assert_null(tl_a64_vector_computation(0x4e22d420).compute);
	assert_null(tl_a64_vector_computation(0x9e620020).compute);
	assert_null(tl_a64_vector_computation(0x0ee28420).compute);
	assert_null(tl_a64_vector_computation(0x8b020020).compute);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_the_emulators),
		cmocka_unit_test(registers),
		cmocka_unit_test(what_is_not_computed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
