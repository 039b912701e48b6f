/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions as words, what has to be rewritten, and instructions at another place. Expected
 * words are those of the GNU assembler 2.40 for the text beside them. */
#include "../unit.h"

#include "xtrace/elf/context.h"
#include "xtrace/elf/first_fault.h"
#include "xtrace/elf/rewrite.h"
#include "xtrace/elf/startup.h"
#include "xtrace/elf/words.h"

TEST(words_are_those_of_the_assembler)
{
	const struct {
		uint32_t made, assembled;
	} words[] = {
		{ tl_xtrace_op_mrs(1, TL_XTRACE_SYS_TPIDR), 0xd53bd041 }, /* mrs x1, tpidr_el0 */
		{ tl_xtrace_op_msr(TL_XTRACE_SYS_TPIDR, 0), 0xd51bd040 },
		{ tl_xtrace_op_msr(TL_XTRACE_SYS_NZCV, 1), 0xd51b4201 },
		{ tl_xtrace_op_msr(TL_XTRACE_SYS_FPCR, 0), 0xd51b4400 },
		{ tl_xtrace_op_msr(TL_XTRACE_SYS_FPSR, 0), 0xd51b4420 },
		{ tl_xtrace_op_movz(8, 94), 0xd2800bc8 },        /* mov x8, #94 */
		{ tl_xtrace_op_movn(4, 0), 0x92800004 },         /* mov x4, #-1 */
		{ tl_xtrace_op_mov(20, 0), 0xaa0003f4 },         /* mov x20, x0 */
		{ tl_xtrace_op_add(31, 0, 0), 0x9100001f },      /* mov sp, x0 */
		{ tl_xtrace_op_sub(2, 2, 1), 0xd1000442 },       /* sub x2, x2, #1 */
		{ tl_xtrace_op_sub_reg(5, 8, 6), 0xcb060105 },   /* sub x5, x8, x6 */
		{ tl_xtrace_op_and_from(2, 2, 3), 0x927df042 },  /* and x2, x2, #-8 */
		{ tl_xtrace_op_and_16(0, 0), 0x92403c00 },       /* and x0, x0, #0xffff */
		{ tl_xtrace_op_add(3, 31, 0), 0x910003e3 },      /* mov x3, sp */
		{ tl_xtrace_op_add_reg(1, 1, 0), 0x8b000021 },   /* add x1, x1, x0 */
		{ tl_xtrace_op_ubfx(0, 0, 12, 17), 0xd34c7000 }, /* ubfx x0, x0, #12, #17 */
		{ tl_xtrace_op_lsl(0, 0, 3), 0xd37df000 },       /* lsl x0, x0, #3 */
		{ tl_xtrace_op_movk_32(0, 7), 0xf2c000e0 },      /* movk x0, #7, lsl #32 */
		{ tl_xtrace_op_stlr(5, 6), 0xc89ffcc5 },         /* stlr x5, [x6] */
		{ tl_xtrace_op_ldar(6, 3), 0xc8dffc66 },         /* ldar x6, [x3] */
		{ tl_xtrace_op_tbnz_sign(6, -12), 0xb7ffffa6 },  /* tbnz x6, #63, .-12 */
		{ TL_XTRACE_YIELD, 0xd503203f },
		{ tl_xtrace_op_ldr(1, 0, 64), 0xf9402001 },      /* ldr x1, [x0, #64] */
		{ tl_xtrace_op_str(1, 0, 80), 0xf9002801 },      /* str x1, [x0, #80] */
		{ tl_xtrace_op_ldp(1, 2, 0, 8), 0xa9408801 },    /* ldp x1, x2, [x0, #8] */
		{ tl_xtrace_op_stp(3, 4, 0, 24), 0xa9019003 },   /* stp x3, x4, [x0, #24] */
		{ tl_xtrace_op_ldp_post(4, 5, 2), 0xa8c11444 },  /* ldp x4, x5, [x2], #16 */
		{ tl_xtrace_op_stp_post(2, 3, 0), 0xa8810c02 },  /* stp x2, x3, [x0], #16 */
		{ tl_xtrace_op_ldr_post(3, 2), 0xf8408443 },     /* ldr x3, [x2], #8 */
		{ tl_xtrace_op_ldrb_post(6, 2), 0x38401446 },    /* ldrb w6, [x2], #1 */
		{ tl_xtrace_op_strb_post(6, 4), 0x38001486 },    /* strb w6, [x4], #1 */
		{ tl_xtrace_op_b(-8), 0x17fffffe },              /* b .-8 */
		{ tl_xtrace_op_br(30), 0xd61f03c0 },             /* br x30 */
		{ tl_xtrace_op_cbz(3, 36), 0xb4000123 },         /* cbz x3, .+36 */
		{ tl_xtrace_op_cbnz(5, -12), 0xb5ffffa5 },       /* cbnz x5, .-12 */
		{ tl_xtrace_op_tbz(4, 3, 20), 0x361800a4 },      /* tbz w4, #3, .+20 */
		{ tl_xtrace_op_tbnz(4, 4, -64), 0x3727fe04 },    /* tbnz w4, #4, .-64 */
		{ tl_xtrace_op_ldr_literal(0, 16), 0x58000080 }, /* ldr x0, .+16 */
		{ tl_xtrace_op_xpaci(17), 0xdac143f1 },
		{ tl_xtrace_op_xpacd(3), 0xdac147e3 },
		{ tl_xtrace_op_dc_cvau(0), 0xd50b7b20 },
		{ tl_xtrace_op_ic_ivau(0), 0xd50b7520 },
		{ tl_xtrace_op_ldr_q(31, 19, 7936), 0x3dc7c27f }, /* ldr q31, [x19, #7936] */
		{ tl_xtrace_op_ldr_z(31, 19, 31), 0x85835e7f },   /* ldr z31, [x19, #31, mul vl] */
		{ tl_xtrace_op_ldr_p(0, 20, 16), 0x85820280 },    /* ldr p0, [x20, #16, mul vl] */
		{ tl_xtrace_op_str_p(8, 2, 2), 0xe5800848 },      /* str p8, [x2, #2, mul vl] */
		{ tl_xtrace_op_wrffr(0), 0x25289000 },
		{ tl_xtrace_op_pfalse(3), 0x2518e403 },
		{ tl_xtrace_op_ptrue(8), 0x2518e3e8 },
		{ tl_xtrace_op_pnext(1, 2, 3), 0x25d9c441 },    /* pnext p1.d, p2, p1.d */
		{ tl_xtrace_op_orr_p(0, 2, 0, 1), 0x25814800 }, /* orr p0.b, p2/z, p0.b, p1.b */
		{ tl_xtrace_op_brkb(1, 8, 1), 0x25906021 },     /* brkb p1.b, p8/z, p1.b */
		{ tl_xtrace_op_rdffr(8, 1), 0x2518f028 },       /* rdffr p8.b, p1/z */
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_int_equal(words[i].made, words[i].assembled);
}

static enum tl_xtrace_rewrite rewrite(uint32_t opcode)
{
	struct tl_a64 insn = tl_a64_classify(opcode);
	const char *why = NULL;
	enum tl_xtrace_rewrite found = tl_xtrace_rewrite_of(&insn, &why);

	assert_true((found == TL_XTRACE_REFUSED) == (why != NULL));
	return found;
}

/* Each vector register is loaded once, from its place; of predicates also FFR, by way of P0. */
TEST(vector_registers_are_loaded_once)
{
	for (int scalable = 0; scalable < 2; scalable++) {
		struct tl_xtrace_startup_thread thread = { .vectors = 0x8000, .entry = 0x400000 };
		struct tl_xtrace_startup s = { .threads = &thread, .thread_count = 1 };
		struct tl_xtrace_code code = { .address = 0x10000 };
		unsigned q = 0, z = 0, p = 0, ffr = 0;

		thread.vector_bytes = scalable ? 32 : 16;
		s.scalable = scalable;
		tl_xtrace_startup_put(&code, &s);
		assert_false(code.failed);
		for (size_t i = 0; i < code.count; i++) {
			uint32_t word = code.words[i];

			/* ldr q<n>, [x19, #16 * n]; ldr z<n>, [x19, #n, mul vl]; ldr p<n>, [x20] */
			q += word == tl_xtrace_op_ldr_q(q % 32, 19, 16 * (q % 32));
			z += word == tl_xtrace_op_ldr_z(z % 32, 19, z % 32);
			p += (word & 0xffc0fff0) == 0x85800280 || (word & 0xffc0e3f0) == 0x85800280;
			ffr += word == 0x25289000;
		}
		assert_int_equal(q, scalable ? 0 : 32);
		assert_int_equal(z, scalable ? 32 : 0);
		assert_int_equal(p, scalable ? 17 : 0);
		assert_int_equal(ffr, scalable);
		tl_xtrace_code_free(&code);
	}
}

TEST(what_an_instruction_needs)
{
	static const struct {
		uint32_t opcode;
		enum tl_xtrace_rewrite rewrite;
	} rows[] = {
		{ 0xd4000001, TL_XTRACE_CALL },      /* svc #0 */
		{ 0xd53be043, TL_XTRACE_READ },      /* mrs x3, cntvct_el0 */
		{ 0xd53be05f, TL_XTRACE_AS_IT_IS },  /* mrs xzr, cntvct_el0 */
		{ 0xd53bd041, TL_XTRACE_AS_IT_IS },  /* mrs x1, tpidr_el0 */
		{ 0xd53b4201, TL_XTRACE_AS_IT_IS },  /* mrs x1, nzcv */
		{ 0xd51bd040, TL_XTRACE_THREAD },    /* msr tpidr_el0, x0 */
		{ 0xd51b4400, TL_XTRACE_AS_IT_IS },  /* msr fpcr, x0 */
		{ 0xc8037c41, TL_XTRACE_EXCLUSIVE }, /* stxr w3, x1, [x2] */
		{ 0xc85f7c41, TL_XTRACE_AS_IT_IS },  /* ldxr x1, [x2] */
		{ 0xd503233f, TL_XTRACE_SIGNED },    /* paciasp */
		{ 0xdac11083, TL_XTRACE_SIGNED },    /* autia x3, x4 */
		{ 0xd65f0bff, TL_XTRACE_SIGNED },    /* retaa */
		{ 0xd63f087f, TL_XTRACE_SIGNED },    /* blraaz x3 */
		{ 0xf87fe441, TL_XTRACE_SIGNED },    /* ldraa x1, [x2, #-16] */
		{ 0xd50320ff, TL_XTRACE_AS_IT_IS },  /* xpaclri */
		{ 0xdac143f1, TL_XTRACE_AS_IT_IS },  /* xpaci x17 */
		{ 0xd65f03c0, TL_XTRACE_AS_IT_IS },  /* ret */
		{ 0x9ac23020, TL_XTRACE_REFUSED },   /* pacga x0, x1, x2 */
		{ 0x9adf1020, TL_XTRACE_REFUSED },   /* irg x0, x1 */
		{ 0xd9600020, TL_XTRACE_REFUSED },   /* ldg x0, [x1] */
		{ 0xd53b2403, TL_XTRACE_REFUSED },   /* mrs x3, rndr */
		{ 0xd503477f, TL_XTRACE_REFUSED },   /* smstart: classed as PSTATE */
		{ 0xa4016800, TL_XTRACE_SOME },      /* ldff1b {z0.b}, p2/z, [x0, x1] */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(rewrite(rows[i].opcode), rows[i].rewrite);
}

TEST(first_fault_loads_are_told_from_their_neighbours)
{
	static const struct {
		uint32_t opcode;
		unsigned size; /* of an element in memory; 0: another instruction */
	} rows[] = {
		{ 0xa4016800, 1 }, /* ldff1b {z0.b}, p2/z, [x0, x1] */
		{ 0xc564ec41, 4 }, /* ldff1w {z1.d}, p3/z, [x2, z4.d, lsl #2] */
		{ 0x84a2ec81, 2 }, /* ldff1h {z1.s}, p3/z, [z4.s, #4] */
		{ 0xa5f0ac41, 8 }, /* ldnf1d {z1.d}, p3/z, [x2] */
		{ 0xa5c56c41, 1 }, /* ldff1sb {z1.h}, p3/z, [x2, x5] */
		{ 0x85046c41, 4 }, /* ldff1w {z1.s}, p3/z, [x2, z4.s, uxtw] */
		{ 0xc564cc41, 0 }, /* ld1w {z1.d}, p3/z, [x2, z4.d, lsl #2] */
		{ 0x84408c41, 0 }, /* ld1rb {z1.b}, p3/z, [x2] */
		{ 0xc4648c40, 0 }, /* prfb pldl1keep, p3, [x2, z4.d] */
		{ 0xc464ac40, 0 }, /* prfh pldl1keep, p3, [x2, z4.d, lsl #1] */
		{ 0x8500ec80, 0 }, /* prfw pldl1keep, p3, [z4.s] */
		{ 0x84246c40, 0 }, /* prfd pldl1keep, p3, [x2, z4.s, uxtw #3] */
		{ 0x85804043, 0 }, /* ldr z3, [x2] */
		{ 0xa4014800, 0 }, /* ld1b {z0.b}, p2/z, [x0, x1] */
		{ 0x857fcc41, 0 }, /* ld1rw {z1.s}, p3/z, [x2, #252] */
		{ 0x8485ac81, 0 }, /* ldnt1h {z1.s}, p3/z, [z4.s, x5] */
		{ 0xc585cc81, 0 }, /* ldnt1d {z1.d}, p3/z, [z4.d, x5] */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(tl_xtrace_is_first_fault(rows[i].opcode), rows[i].size != 0);
		if (rows[i].size)
			assert_int_equal(
				tl_xtrace_first_fault_elements(rows[i].opcode, rows[i].size * 3),
				3);
	}
}

/* "Signatures are taken off": by one instruction where one does it. */
TEST(signatures_are_taken_off)
{
	static const struct {
		uint32_t opcode, instead;
	} rows[] = {
		{ 0xd503233f, 0xd503201f }, /* paciasp: nop */
		{ 0xd503235f, 0xd503201f }, /* pacibz: nop */
		{ 0xd503211f, 0xd503201f }, /* pacia1716: nop */
		{ 0xdac10083, 0xd503201f }, /* pacia x3, x4: nop */
		{ 0xdac12be7, 0xd503201f }, /* pacdza x7: nop */
		{ 0xd50323bf, 0xd50320ff }, /* autiasp: xpaclri */
		{ 0xd50323df, 0xd50320ff }, /* autibz: xpaclri */
		{ 0xd50321df, 0xdac143f1 }, /* autib1716: xpaci x17 */
		{ 0xdac11083, 0xdac143e3 }, /* autia x3, x4: xpaci x3 */
		{ 0xdac137e8, 0xdac143e8 }, /* autizb x8: xpaci x8 */
		{ 0xdac11fe5, 0xdac147e5 }, /* autdb x5, sp: xpacd x5 */
		{ 0xd65f0bff, 0 },          /* retaa */
		{ 0xf87fe441, 0 },          /* ldraa x1, [x2, #-16] */
		{ 0xd4000001, 0 },          /* svc #0 */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(tl_xtrace_without_signature(rows[i].opcode), rows[i].instead);
}

enum { HERE = 0x410000, PC = 0x400100, CONTEXT = 0x20000 };

static const struct tl_xtrace_context_table contexts = { .first = CONTEXT };

/* The code at HERE of an instruction at PC, with its constants; `why` it cannot be, or NULL. */
static struct tl_xtrace_code away(uint32_t opcode, enum tl_xtrace_rewrite rewrite, const char **why)
{
	const struct tl_xtrace_away what = { PC, opcode, rewrite, &contexts, false };
	struct tl_xtrace_code code = { .address = HERE };

	*why = tl_xtrace_put_away(&code, &what);
	tl_xtrace_code_literals(&code);
	assert_false(code.failed);
	return code;
}

static void assert_away(uint32_t opcode, enum tl_xtrace_rewrite rewrite, const uint32_t *words,
			size_t count)
{
	const char *why;
	struct tl_xtrace_code code = away(opcode, rewrite, &why);

	assert_null(why);
	assert_int_equal(code.count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(code.words[i], words[i]);
	tl_xtrace_code_free(&code);
}

#define ASSERT_AWAY(opcode, rewrite, ...)                                                          \
	assert_away(opcode, rewrite, (const uint32_t[]){ __VA_ARGS__ },                            \
		    sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

/* Branches go from HERE + 4 i to what they went to from PC: B's offset is in words. */
static uint32_t branch(size_t word, uint64_t target)
{
	return 0x14000000u | ((uint32_t)((target - HERE - word * 4) / 4) & 0x3ffffff);
}

TEST(instructions_at_another_place)
{
	/* add x1, x2, x3 */
	ASSERT_AWAY(0x8b030041, TL_XTRACE_AS_IT_IS, 0x8b030041, branch(1, PC + 4));
	/* b .+0x40 */
	ASSERT_AWAY(0x14000010, TL_XTRACE_AS_IT_IS, branch(0, PC + 0x40));
	/* bl .-8: x30 becomes PC + 4 */
	ASSERT_AWAY(0x97fffffe, TL_XTRACE_AS_IT_IS, 0x5800005e, branch(1, PC - 8), PC + 4, 0);
	/* blr x3 */
	ASSERT_AWAY(0xd63f0060, TL_XTRACE_AS_IT_IS, 0x5800005e, 0xd61f0060, PC + 4, 0);
	/* ret */
	ASSERT_AWAY(0xd65f03c0, TL_XTRACE_AS_IT_IS, 0xd65f03c0);
	/* b.ne .+0x20: over the way on to the target */
	ASSERT_AWAY(0x54000101, TL_XTRACE_AS_IT_IS, 0x54000041, branch(1, PC + 4),
		    branch(2, PC + 0x20));
	/* cbz w5, .-4 */
	ASSERT_AWAY(0x34ffffe5, TL_XTRACE_AS_IT_IS, 0x34000045, branch(1, PC + 4),
		    branch(2, PC - 4));
	/* tbnz x7, #33, .+8 */
	ASSERT_AWAY(0xb7080047, TL_XTRACE_AS_IT_IS, 0xb7080047, branch(1, PC + 4),
		    branch(2, PC + 8));
	/* adr x4, .+0x21 */
	ASSERT_AWAY(0x30000104, TL_XTRACE_AS_IT_IS, 0x58000044, branch(1, PC + 4), PC + 0x21, 0);
	/* adrp x4, .-0x1000 */
	ASSERT_AWAY(0xf0ffffe4, TL_XTRACE_AS_IT_IS, 0x58000044, branch(1, PC + 4), 0x3ff000, 0);
	/* ldr x4, .+0x10: its address, then by it */
	ASSERT_AWAY(0x58000084, TL_XTRACE_AS_IT_IS, 0x58000084, 0xf9400084, branch(2, PC + 4),
		    0xd503201f, PC + 0x10, 0);
	/* ldrsw x4, .+0x10 */
	ASSERT_AWAY(0x98000084, TL_XTRACE_AS_IT_IS, 0x58000084, 0xb9800084, branch(2, PC + 4),
		    0xd503201f, PC + 0x10, 0);
}

TEST(rewritten_instructions)
{
	/* svc #0: the result is put into X0 by the event */
	ASSERT_AWAY(0xd4000001, TL_XTRACE_CALL, branch(0, PC + 4));
	/* mrs x3, cntvct_el0: ldr x3, =context; ldr x3, [x3, #72] */
	ASSERT_AWAY(0xd53be043, TL_XTRACE_READ, 0x58000083, 0xf9402463, branch(2, PC + 4),
		    0xd503201f, CONTEXT, 0);
	/* retaa: xpaclri; ret */
	ASSERT_AWAY(0xd65f0bff, TL_XTRACE_SIGNED, 0xd50320ff, 0xd65f03c0);
	/* braa x1, x2: xpaci x1; br x1 */
	ASSERT_AWAY(0xd71f0822, TL_XTRACE_SIGNED, 0xdac143e1, 0xd61f0020);
	/* blraaz x3: xpaci x3; ldr x30, =PC + 4; br x3 */
	ASSERT_AWAY(0xd63f087f, TL_XTRACE_SIGNED, 0xdac143e3, 0x5800007e, 0xd61f0060, 0xd503201f,
		    PC + 4, 0);
	/* ldraa x1, [x2, #-16]: mov x1, x2; xpacd x1; sub x1, x1, #16; ldr x1, [x1] */
	ASSERT_AWAY(0xf87fe441, TL_XTRACE_SIGNED, 0x91000041, 0xdac147e1, 0xd1004021, 0xf9400021,
		    branch(4, PC + 4));
	/* ldrab x1, [x2, #4088]!: xpacd x2; add x2, x2, #4088; ldr x1, [x2] */
	ASSERT_AWAY(0xf8bffc41, TL_XTRACE_SIGNED, 0xdac147e2, 0x913fe042, 0xf9400041,
		    branch(3, PC + 4));
}

/* The context of a thread is in a table at 7 << 32, at the place of the page of its SP. */
TEST(a_context_is_found_by_the_stack)
{
	static const struct tl_xtrace_context_table several = { CONTEXT, 0x1000, 7 };
	static const uint32_t words[] = {
		0x910003e3, /* mov x3, sp */
		0xd34c7063, /* ubfx x3, x3, #12, #17 */
		0xd37df063, /* lsl x3, x3, #3 */
		0xf2c000e3, /* movk x3, #7, lsl #32 */
		0xf9400063, /* ldr x3, [x3] */
		0xf9402463, /* ldr x3, [x3, #72] */
	};
	/* mrs x3, cntvct_el0 */
	const struct tl_xtrace_away what = { PC, 0xd53be043, TL_XTRACE_READ, &several, false };
	struct tl_xtrace_code code = { .address = HERE };

	assert_null(tl_xtrace_put_away(&code, &what));
	assert_int_equal(code.count, 7);
	assert_memory_equal(code.words, words, sizeof(words));
	assert_int_equal(code.words[6], branch(6, PC + 4));
	tl_xtrace_code_free(&code);
}

TEST(instructions_that_have_no_other_place)
{
	static const uint32_t rows[] = {
		0xd63f03c0, /* blr x30 */
		0x9c000084, /* ldr q4, .+0x10 */
		0x15fffc00, /* b .+0x7fff000: out of reach from here */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tl_xtrace_away what = { i == 2 ? PC + 0x8000000 : PC, rows[i],
						     TL_XTRACE_AS_IT_IS, &contexts, false };
		struct tl_xtrace_code code = { .address = HERE };

		assert_non_null(tl_xtrace_put_away(&code, &what));
		tl_xtrace_code_free(&code);
		if (i < 2) {
			const struct tl_a64 insn = tl_a64_classify(rows[i]);

			assert_false(tl_xtrace_can_move(&insn));
		}
	}
}

/* stxr w3, x1, [x2]: stored, and W3 0, if the recorded status is 0; else W3 as recorded. */
TEST(a_store_exclusive_as_it_was_decided)
{
	static const uint32_t stores[][2] = {
		{ 0xc8037c41, 0xf9000041 }, /* stxr w3, x1, [x2]: str x1, [x2] */
		{ 0x08037c41, 0x39000041 }, /* stxrb: strb w1, [x2] */
		{ 0x8803fc41, 0xb9000041 }, /* stlxr w3, w1, [x2]: str w1, [x2] */
		{ 0xc8231041, 0xa9001041 }, /* stxp w3, x1, x4, [x2]: stp x1, x4, [x2] */
		{ 0x88231041, 0x29001041 }, /* stxp w3, w1, w4, [x2]: stp w1, w4, [x2] */
	};

	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
		const struct tl_xtrace_away what = { PC, stores[i][0], TL_XTRACE_EXCLUSIVE,
						     &contexts, false };
		struct tl_xtrace_code code = { .address = HERE };

		assert_null(tl_xtrace_put_decided(&code, &what));
		assert_int_equal(code.count, 7);
		assert_int_equal(code.words[3], tl_xtrace_op_ldr(3, 3, TL_XTRACE_RESULT));
		assert_int_equal(code.words[4], 0xb5000043); /* cbnz x3, .+8 */
		assert_int_equal(code.words[5], stores[i][1]);
		assert_int_equal(code.words[6], branch(6, PC + 4));
		tl_xtrace_code_free(&code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_those_of_the_assembler),
		cmocka_unit_test(vector_registers_are_loaded_once),
		cmocka_unit_test(what_an_instruction_needs),
		cmocka_unit_test(first_fault_loads_are_told_from_their_neighbours),
		cmocka_unit_test(signatures_are_taken_off),
		cmocka_unit_test(instructions_at_another_place),
		cmocka_unit_test(rewritten_instructions),
		cmocka_unit_test(a_context_is_found_by_the_stack),
		cmocka_unit_test(instructions_that_have_no_other_place),
		cmocka_unit_test(a_store_exclusive_as_it_was_decided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
