/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What instructions do to general registers. Encodings are those of the Arm Architecture Reference
 * Manual; each was checked against llvm-mc (-triple=aarch64 -mattr=+all -show-encoding).
 */
#include "bytes.h"
#include "xtrace/state/registers.h"

/* X0 = 100, X1 = 101, ... all known; then the instruction at 0xffff000000001000, which loads
 * `loaded`. */
static struct tl_xtrace_registers after(uint32_t opcode, const uint8_t *loaded, uint32_t size)
{
	struct tl_xtrace_registers r = { .known = TL_XTRACE_KNOWN_X };
	struct tl_xtrace_insn_effect effect = tl_xtrace_insn_effect(opcode);

	for (unsigned i = 0; i < 32; i++)
		r.x[i] = 100 + i;
	tl_xtrace_registers_apply(&r, &effect, 0xffff000000001234, loaded, size);
	return r;
}

/* One register has this value; all others are as they were. */
static void assert_sets(uint32_t opcode, unsigned number, uint64_t value, const uint8_t *loaded,
			uint32_t size)
{
	struct tl_xtrace_registers r = after(opcode, loaded, size);

	assert_int_equal((uint32_t)r.known, TL_XTRACE_KNOWN_X);
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(r.x[i], i == number ? value : 100 + i);
}

TEST(values_that_are_known)
{
	assert_sets(0xd2824683, 3, 0x1234, NULL, 0);             /* mov x3, #0x1234 */
	assert_sets(0xd2a24683, 3, 0x12340000, NULL, 0);         /* movz x3, #0x1234, lsl #16 */
	assert_sets(0x92824683, 3, ~UINT64_C(0x1234), NULL, 0);  /* movn x3, #0x1234 */
	assert_sets(0x12824683, 3, (uint32_t)~0x1234u, NULL, 0); /* movn w3, #0x1234 */
	assert_sets(0xf2e24683, 3, UINT64_C(0x1234) << 48 | 103, NULL,
		    0);                                              /* movk x3, #0x1234, lsl #48 */
	assert_sets(0x10000043, 3, 0xffff00000000123c, NULL, 0);     /* adr x3, #8 */
	assert_sets(0x70ffffe3, 3, 0xffff000000001233, NULL, 0);     /* adr x3, #-1 */
	assert_sets(0xb0000003, 3, 0xffff000000002000, NULL, 0);     /* adrp x3, #4096 */
	assert_sets(0x91001443, 3, 107, NULL, 0);                    /* add x3, x2, #5 */
	assert_sets(0xd1401443, 3, UINT64_C(102) - 0x5000, NULL, 0); /* sub x3, x2, #5, lsl #12 */
	assert_sets(0xd10043ff, 31, 131 - 16, NULL, 0);              /* sub sp, sp, #16 */
	assert_sets(0xb1001443, 3, 107, NULL, 0);                    /* adds x3, x2, #5 */
	assert_sets(0xf1001443, 3, 97, NULL, 0);                     /* subs x3, x2, #5 */
	assert_sets(0xf100145f, 0, 100, NULL, 0);                    /* cmp x2, #5 */
	assert_sets(0x51040043, 3, (uint32_t)(102 - 256), NULL, 0);  /* sub w3, w2, #256 */
	assert_sets(0xca040043, 3, 102 ^ 104, NULL, 0);              /* eor x3, x2, x4 */
	assert_sets(0xaa0203e3, 3, 102, NULL, 0);                    /* mov x3, x2 */
	assert_sets(0x94000010, 30, 0xffff000000001238, NULL, 0);    /* bl #64 */
	assert_sets(0xd63f0060, 30, 0xffff000000001238, NULL, 0);    /* blr x3 */
}

TEST(values_that_are_computed)
{
	assert_sets(0x8b040043, 3, 206, NULL, 0);                    /* add x3, x2, x4 */
	assert_sets(0x4b040043, 3, (uint32_t)-2, NULL, 0);           /* sub w3, w2, w4 */
	assert_sets(0x9b041443, 3, 102 * 104 + 105, NULL, 0);        /* madd x3, x2, x4, x5 */
	assert_sets(0x92400443, 3, 102 & 3, NULL, 0);                /* and x3, x2, #3 */
	assert_sets(0x927cec5f, 31, 96, NULL, 0);                    /* and sp, x2, #-16 */
	assert_sets(0xd35ffc43, 3, 0, NULL, 0);                      /* lsr x3, x2, #31 */
	assert_sets(0xd37df043, 3, 102 << 3, NULL, 0);               /* lsl x3, x2, #3 */
	assert_sets(0x93401c43, 3, 102, NULL, 0);                    /* sxtb x3, w2 */
	assert_sets(0xb3781c43, 3, (103 & 255) | 102 << 8, NULL, 0); /* bfi x3, x2, #8, #8 */
	assert_sets(0x13827c43, 3, 102 << 1, NULL, 0);               /* ror w3, w2, #31 */
	assert_sets(0x8b24605f, 31, 206, NULL, 0);                   /* add sp, x2, x4, uxtx */
	assert_sets(0x8b22c443, 3, 306, NULL, 0);                    /* add x3, x2, w2, sxtw #1 */
	assert_sets(0xaa2403e3, 3, ~UINT64_C(104), NULL, 0);         /* mvn x3, x4 */
	assert_sets(0x9ac40843, 3, 0, NULL, 0);                      /* udiv x3, x2, x4 */
	assert_sets(0xdac01043, 3, 57, NULL, 0);                     /* clz x3, x2 */
	assert_sets(0x5ac00843, 3, 0x66000000, NULL, 0);             /* rev w3, w2 */
	assert_sets(0x9bc47c43, 3, 0, NULL, 0);                      /* umulh x3, x2, x4 */
}

TEST(loads)
{
	static const uint8_t bytes[16] = { 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88,
					   1,    2,    3,    4,    5,    6,    7,    8 };

	assert_sets(0xf9400443, 3, 0x8887868584838281, bytes, 8); /* ldr x3, [x2, #8] */
	assert_sets(0xb9400443, 3, 0x84838281, bytes, 4);         /* ldr w3, [x2, #4] */
	assert_sets(0x39400443, 3, 0x81, bytes, 1);               /* ldrb w3, [x2, #1] */
	assert_sets(0x39c00443, 3, 0xffffff81, bytes, 1);         /* ldrsb w3, [x2, #1] */
	assert_sets(0x39800443, 3, 0xffffffffffffff81, bytes, 1); /* ldrsb x3, [x2, #1] */
	assert_sets(0xb9800443, 3, 0xffffffff84838281, bytes, 4); /* ldrsw x3, [x2, #4] */
	assert_sets(0xf8646843, 3, 0x8887868584838281, bytes, 8); /* ldr x3, [x2, x4] */
	assert_sets(0x58000043, 3, 0x8887868584838281, bytes, 8); /* ldr x3, #8 */
	assert_sets(0x98000043, 3, 0xffffffff84838281, bytes, 4); /* ldrsw x3, #8 */
}

TEST(pairs_and_bases)
{
	static const uint8_t bytes[16] = { 1, 0, 0, 0, 2, 0, 0, 0x80, 3 };
	struct tl_xtrace_registers r;

	r = after(0xa8c11fe3, bytes, 16); /* ldp x3, x7, [sp], #16 */
	assert_int_equal(r.known, TL_XTRACE_KNOWN_X);
	assert_int_equal(r.x[3], 0x8000000200000001);
	assert_int_equal(r.x[7], 3);
	assert_int_equal(r.x[31], 131 + 16);
	r = after(0x69401fe3, bytes, 8); /* ldpsw x3, x7, [sp] */
	assert_int_equal(r.x[3], 1);
	assert_int_equal(r.x[7], 0xffffffff80000002);
	assert_int_equal(r.x[31], 131);
	assert_sets(0xa9bf1fe3, 31, 131 - 16, NULL, 0); /* stp x3, x7, [sp, #-16]! */
	assert_sets(0xf81f0c43, 2, 102 - 16, NULL, 0);  /* str x3, [x2, #-16]! */
	assert_sets(0x3c801443, 2, 103, NULL, 0);       /* str q3, [x2], #1 */
	assert_sets(0xadbf1fe3, 31, 131 - 32, NULL, 0); /* stp q3, q7, [sp, #-32]! */
	/*
	 * stgp x3, x7, [sp, #-32]!, in granules of 16 bytes; stp s3, s7, [x2], #-8; ldnp x3, x7,
	 * [sp]
	 */
	assert_sets(0x69bf1fe3, 31, 131 - 32, NULL, 0);
	assert_sets(0x2cbf1c43, 2, 102 - 8, NULL, 0);
	r = after(0xa8401fe3, bytes, 16);
	assert_int_equal(r.x[7], 3);
	assert_int_equal(r.x[31], 131);
	r = after(0x29401fe3, bytes, 8); /* ldp w3, w7, [sp] */
	assert_int_equal(r.x[3], 1);
	assert_int_equal(r.x[7], 0x80000002);
	/* Bytes that are not as many as the instruction loads say nothing. */
	r = after(0xf9400443, bytes, 16);
	assert_int_equal((uint32_t)r.known, ~(1u << 3));
}

TEST(writes_of_who_knows_what)
{
	static const struct {
		uint32_t opcode, forgotten;
		/* clang-format off */
	} cases[] = {
		{ 0x8b040043, 0 },  /* add x3, x2, x4 */
		{ 0x9b041443, 0 },  /* madd x3, x2, x4, x5 */
		{ 0x92400443, 0 },  /* and x3, x2, #3 */
		{ 0x927cec5f, 0 }, /* and sp, x2, #0xfffffffffffffff0 */
		{ 0xd35ffc43, 0 },  /* lsr x3, x2, #31 */
		{ 0xeb04005f, 0 },	  /* cmp x2, x4 */
		{ 0xf100145f, 0 },	  /* cmp x2, #5 */
		{ 0xd53bd043, 1u << 3 },  /* mrs x3, tpidr_el0: the token says */
		{ 0xd51bd043, 0 },	  /* msr tpidr_el0, x3 */
		{ 0x9e660043, 1u << 3 },  /* fmov x3, d2 */
		{ 0x9e780043, 1u << 3 },  /* fcvtzs x3, d2 */
		{ 0x4e083c43, 1u << 3 },  /* mov x3, v2.d[0] */
		{ 0x4ea41c43, 0 },	  /* orr v3, v2, v4 */
		{ 0x3dc00443, 0 },	  /* ldr q3, [x2, #16] */
		{ 0xf9000443, 0 },	  /* str x3, [x2, #8] */
		{ 0xf9800443, 0 },	  /* prfm #3, [x2, #8] */
		{ 0x54000040, 0 },	  /* b.eq #8 */
		{ 0xd503201f, 0 },	  /* nop */
		{ 0xd4000002, 0x3ffff },  /* hvc #0: SMC Calling Convention, X0 to X17 */
		{ 0xd4000003, 0x3ffff },  /* smc #0 */
		{ 0xd65f03c0, 0 },	  /* ret */
		{ 0xd280001f, 0 },	  /* mov xzr, #0 */
		{ 0x1000005f, 0 },	  /* adr xzr, #8 */
		{ 0xf240045f, 0 },	  /* tst x2, #3 */
		{ 0xf2400443, 0 },  /* ands x3, x2, #3 */
		{ 0x3200044f, 0 }, /* orr w15, w2, #3 */
		{ 0x918007ff, 1u << 31 }, /* addg sp, sp, #0, #1 */
		{ 0x13837c43, 0 },  /* extr w3, w2, w3, #31 */
		{ 0x8b24605f, 0 }, /* add sp, x2, x4, uxtx */
		{ 0x8b04005f, 0 },	  /* add xzr, x2, x4 */
		{ 0xca04005f, 0 },	  /* eor xzr, x2, x4 */
		{ 0xca0403e3, 0 },  /* eor x3, xzr, x4 */
		{ 0xca1f0043, 0 },  /* eor x3, x2, xzr */
		{ 0xaa0203ff, 0 },	  /* mov xzr, x2 */
		{ 0xaa1f03e3, 0 },  /* mov x3, xzr */
		{ 0xf940045f, 0 },	  /* ldr xzr, [x2, #8] */
		{ 0xd8000043, 0 },	  /* prfm #3, #8 */
		{ 0x5800005f, 0 },	  /* ldr xzr, #8 */
		{ 0x1c000043, 0 },	  /* ldr s3, #8 */
		{ 0xf83fd042, TL_XTRACE_KNOWN_X }, /* ld64b x2, [x2] */
		{ 0xf8200443, 1u << 3 },  /* ldraa x3, [x2] */
		{ 0xd5700002, 3u << 2 },  /* mrrs x2, x3, ... */
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_xtrace_registers r = after(cases[i].opcode, NULL, 0);

		assert_int_equal((uint32_t)~r.known, cases[i].forgotten);
	}
	/* At least what they write: LDADD X4, X3, [X2]; STLXR W4, X3, [X2]; CASP X4, X5, X6, X7,
	 * [X2]; LD1 {V3.16B}, [X2], #16 */
	assert_true(~after(0xf8240043, NULL, 0).known & 1u << 3);
	assert_true(~after(0xc804fc43, NULL, 0).known & 1u << 4);
	assert_int_equal(~after(0x48247c46, NULL, 0).known & (3u << 4), 3u << 4);
	assert_true(~after(0x4cdf7043, NULL, 0).known & 1u << 2);
	/* "CPYP: Xd, Xs and Xn are updated": CPYP [X0]!, [X1]!, X2!; SETP [X3]!, X4!, X5 */
	assert_int_equal((uint32_t)~after(0x1d010440, NULL, 0).known, 7);
	assert_int_equal((uint32_t)~after(0x19c50483, NULL, 0).known & 3u << 3, 3u << 3);
	/* LDRAA X3, [X2]!; PACIASP; CNTD X3; ADDVL SP, SP, #1 */
	assert_true(~after(0xf8200c43, NULL, 0).known & 1u << 2);
	assert_true(~after(0xd503233f, NULL, 0).known & 1u << 30);
	assert_true(~after(0x04e0e3e3, NULL, 0).known & 1u << 3);
	assert_true(~after(0x043f503f, NULL, 0).known & 1u << 31);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_that_are_known),
		cmocka_unit_test(values_that_are_computed),
		cmocka_unit_test(loads),
		cmocka_unit_test(pairs_and_bases),
		cmocka_unit_test(writes_of_who_knows_what),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
