/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions read and write as a whole: DDI 0487, C6 and C7; opcodes are those of GNU as. */
#include "../unit.h"

#include "xtrace/elf/collect/uses.h"

#define X(number) (UINT64_C(1) << (number))
#define V(number) (UINT32_C(1) << (number))

enum { SP = 31, FLAGS = 32 };

struct expected {
	uint32_t opcode;
	uint64_t reads, writes;
	uint32_t low, high, vectors;
};

static const struct expected table[] = {
	{ 0x8b020020, X(1) | X(2), X(0), 0, 0, 0 },                /* add x0, x1, x2 */
	{ 0xf2800020, X(0), X(0), 0, 0, 0 },                       /* movk x0, #1 */
	{ 0xeb02003f, X(1) | X(2), X(FLAGS), 0, 0, 0 },            /* cmp x1, x2 */
	{ 0x54000040, X(FLAGS), 0, 0, 0, 0 },                      /* b.eq */
	{ 0xa9bf7bfd, X(29) | X(30) | X(SP), X(SP), 0, 0, 0 },     /* stp x29, x30, [sp, #-16]! */
	{ 0xd4000001, X(8), 0, 0, 0, 0 },                          /* svc #0 */
	{ 0xd53b4203, X(FLAGS), X(3), 0, 0, 0 },                   /* mrs x3, nzcv */
	{ 0x3dc00020, X(1), 0, 0, 0, V(0) },                       /* ldr q0, [x1] */
	{ 0x3d800020, X(1), 0, V(0), V(0), 0 },                    /* str q0, [x1] */
	{ 0xfd000020, X(1), 0, V(0), 0, 0 },                       /* str d0, [x1] */
	{ 0x6d000420, X(1), 0, V(0) | V(1), 0, 0 },                /* stp d0, d1, [x1] */
	{ 0x4c40a020, X(1), 0, 0, 0, V(0) | V(1) },                /* ld1 {v0.16b, v1.16b}, [x1] */
	{ 0x4c40003f, X(1), 0, 0, 0, V(31) | V(0) | V(1) | V(2) }, /* ld4 {v31.16b - v2.16b} */
	{ 0x1e622820, 0, 0, V(1) | V(2), V(1) | V(2), V(0) },      /* fadd d0, d1, d2 */
	{ 0x9eaf0020, X(1), 0, V(0), V(0), 0 },                    /* fmov v0.d[1], x1 */
	{ 0x9e660020, 0, X(0), V(1), V(1), 0 },                    /* fmov x0, d1 */
	{ 0x6f00e400, 0, 0, 0, 0, V(0) },                          /* movi v0.2d, #0 */
	{ 0x4f001420, 0, 0, V(0), V(0), 0 },                       /* orr v0.4s, #1 */
	{ 0x4e229420, 0, 0, V(0) | V(1) | V(2), V(0) | V(1) | V(2), 0 }, /* mla v0.16b, v1, v2 */
	{ 0x6e228c20, 0, 0, V(1) | V(2), V(1) | V(2), V(0) },            /* cmeq v0.16b, v1, v2 */
	{ 0x6e621c20, 0, 0, V(0) | V(1) | V(2), V(0) | V(1) | V(2), 0 }, /* bsl v0.16b, v1, v2 */
};

TEST(what_instructions_use)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct expected *e = &table[i];
		const struct tl_a64 insn = tl_a64_classify(e->opcode);
		const struct tl_xtrace_uses u = tl_xtrace_uses(&insn);

		if (u.reads != e->reads || u.writes != e->writes || u.halves[0] != e->low ||
		    u.halves[1] != e->high || u.vectors != e->vectors || u.predicates)
			fail_msg("%08x: reads %llx writes %llx, vectors %x %x, written %x",
				 e->opcode, (unsigned long long)u.reads,
				 (unsigned long long)u.writes, u.halves[0], u.halves[1], u.vectors);
	}
}

/* TBL reads as many registers as it names, SVE more than 128 bits and predicates. */
TEST(what_may_be_read_is_never_less)
{
	const struct tl_a64 tbl = tl_a64_classify(0x4e0263e0), /* tbl v0.16b, {v31.16b - v2.16b} */
		add = tl_a64_classify(0x04620020);             /* add z0.h, z1.h, z2.h */
	struct tl_xtrace_uses u = tl_xtrace_uses(&tbl);

	assert_int_equal(u.halves[0] & (V(31) | V(0) | V(1) | V(2)), V(31) | V(0) | V(1) | V(2));
	u = tl_xtrace_uses(&add);
	assert_int_equal(u.longer & (V(1) | V(2)), V(1) | V(2));
	assert_int_equal(u.vectors, 0);
	assert_true(u.predicates);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_instructions_use),
		cmocka_unit_test(what_may_be_read_is_never_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
