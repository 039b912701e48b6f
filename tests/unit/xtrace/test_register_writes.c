/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an instruction wrote to registers: instructions and what they load by the manual (C6.2),
 * accesses by hand.
 */
#include "bytes.h"

#include "xtrace/convert/register_writes.h"

enum { BASE = 0x7000, NO_ACCESS = 0 };

struct effect {
	unsigned reg;
	uint64_t value;
};

/* The first instruction of a stream of one, with a load of `size` bytes at BASE: 0x81, 0x82, ... */
static struct tl_xtrace_register_writes effects_of(uint32_t opcode, unsigned size,
						   struct tl_xtrace_sp *sp)
{
	struct bytes b = { .data = NULL };
	struct tl_xtrace_file file = { .path = "xtrace.1.0.hint9.xinsndata.bin" };
	const struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	struct tl_xtrace_reader *reader;
	struct tl_xtrace_instruction insn;
	struct tl_xtrace_register_writes effects;
	struct tl_xtrace_trace *trace;
	struct tl_error err;

	put_byte(&b, PCINST);
	put_number(&b, 0x1000, 8);
	put_number(&b, opcode, 4);
	if (size) {
		put_byte(&b, LOAD | (unsigned)__builtin_ctz(size) << 4);
		put_number(&b, BASE, 8);
		for (unsigned i = 0; i < size; i++)
			put_byte(&b, 0x81 + i);
	}
	assert_int_equal(tl_source_open_memory(&file.source, b.data, b.size, "memory", &err), 0);
	assert_int_equal(tl_xtrace_open(&trace, &file, 1, &options, NULL, &err), 0);
	assert_int_equal(tl_xtrace_reader_open(&reader, trace, 0, TL_NONE, &err), 0);
	assert_int_equal(tl_xtrace_next(reader, &insn, sizeof(insn), &err), 1);
	tl_xtrace_collect_register_writes(reader, &insn, sp, &effects);
	tl_xtrace_reader_close(reader);
	tl_xtrace_close(trace);
	tl_source_close(file.source);
	free_bytes(&b);
	return effects;
}

static void assert_effects(uint32_t opcode, unsigned size, const struct effect *wanted,
			   unsigned count)
{
	struct tl_xtrace_sp sp = { .known = false };
	struct tl_xtrace_register_writes effects = effects_of(opcode, size, &sp);

	assert_int_equal(effects.count, count);
	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(effects.list[i].reg, wanted[i].reg);
		assert_int_equal(effects.list[i].value, wanted[i].value);
	}
}

/* "LDRB, LDRH, LDR (W): zero-extended; LDRSB, LDRSH, LDRSW: sign-extended to X or W." */
TEST(loads_extend_as_they_say)
{
	static const struct {
		uint32_t opcode;
		unsigned size;
		uint64_t value;
	} loads[] = {
		{ 0x39400020, 1, 0x81 },               /* ldrb w0, [x1] */
		{ 0x39800020, 1, 0xffffffffffffff81 }, /* ldrsb x0, [x1] */
		{ 0x39c00020, 1, 0xffffff81 },         /* ldrsb w0, [x1] */
		{ 0x79400020, 2, 0x8281 },             /* ldrh w0, [x1] */
		{ 0x79800020, 2, 0xffffffffffff8281 }, /* ldrsh x0, [x1] */
		{ 0xb9400020, 4, 0x84838281 },         /* ldr w0, [x1] */
		{ 0xb9800020, 4, 0xffffffff84838281 }, /* ldrsw x0, [x1] */
		{ 0xf9400020, 8, 0x8887868584838281 }, /* ldr x0, [x1] */
		{ 0xf8408420, 8, 0x8887868584838281 }, /* ldr x0, [x1], #8 */
		{ 0xf8626820, 8, 0x8887868584838281 }, /* ldr x0, [x1, x2] */
		{ 0x18000040, 4, 0x84838281 },         /* ldr w0, .+8 */
		{ 0x98000040, 4, 0xffffffff84838281 }, /* ldrsw x0, .+8 */
		{ 0xc85f7c20, 8, 0x8887868584838281 }, /* ldxr x0, [x1] */
		{ 0x08dffc20, 1, 0x81 },               /* ldarb w0, [x1] */
		{ 0x38bfc020, 1, 0x81 },               /* ldaprb w0, [x1] */
	};

	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		const struct effect wanted = { 0, loads[i].value };

		assert_effects(loads[i].opcode, loads[i].size, &wanted, 1);
	}
}

/* "LDP: one access of both registers, the first at the lower address; LDPSW extends signs." */
TEST(pairs_load_both)
{
	static const struct effect wide[] = { { 2, 0x8887868584838281 },
					      { 3, 0x908f8e8d8c8b8a89 } };
	static const struct effect narrow[] = { { 2, 0x84838281 }, { 3, 0x88878685 } };
	static const struct effect extended[] = { { 2, 0xffffffff84838281 },
						  { 3, 0xffffffff88878685 } };

	assert_effects(0xa9400c22, 16, wide, 2);    /* ldp x2, x3, [x1] */
	assert_effects(0x29400c22, 8, narrow, 2);   /* ldp w2, w3, [x1] */
	assert_effects(0x69400c22, 8, extended, 2); /* ldpsw x2, x3, [x1] */
}

/*
 * Nothing is said of what is not known: the zero register, vectors, atomic operations, a load
 * without its access.
 */
TEST(nothing_is_made_up)
{
	assert_effects(0xf940003f, 8, NULL, 0);         /* ldr xzr, [x1] */
	assert_effects(0x3dc00020, 16, NULL, 0);        /* ldr q0, [x1] */
	assert_effects(0xfd400020, 8, NULL, 0);         /* ldr d0, [x1] */
	assert_effects(0xf8e20020, 8, NULL, 0);         /* ldaddal x2, x0, [x1] */
	assert_effects(0xf9400020, NO_ACCESS, NULL, 0); /* it faulted */
	assert_effects(0x8b020020, NO_ACCESS, NULL, 0); /* add x0, x1, x2 */
}

/* "BL, BLR: X30 is the address of the next instruction." */
TEST(calls_link)
{
	static const struct effect link = { 30, 0x1004 };

	assert_effects(0x94000010, NO_ACCESS, &link, 1); /* bl */
	assert_effects(0xd63f0100, NO_ACCESS, &link, 1); /* blr x8 */
	assert_effects(0x14000010, NO_ACCESS, NULL, 0);  /* b */
}

static void assert_sp(uint32_t opcode, unsigned size, struct tl_xtrace_sp before, bool known,
		      uint64_t sp)
{
	effects_of(opcode, size, &before);
	assert_int_equal(before.known, known);
	if (known)
		assert_int_equal(before.sp, sp);
}

/*
 * SP from additions to it, and from the address of an access relative to it, in every addressing
 * mode.
 */
TEST(stack_is_followed)
{
	const struct tl_xtrace_sp none = { .known = false }, some = { true, 0x5000 };

	assert_sp(0xd10083ff, NO_ACCESS, some, true, 0x5000 - 32); /* sub sp, sp, #32 */
	/* add sp, sp, #1, lsl #12 */
	assert_sp(0x914007ff, NO_ACCESS, some, true, 0x6000);
	assert_sp(0x910003bf, NO_ACCESS, some, false, 0); /* mov sp, x29 */
	assert_sp(0xd10083ff, NO_ACCESS, none, false, 0);
	assert_sp(0x910003fd, NO_ACCESS, some, true, 0x5000); /* mov x29, sp */
	assert_sp(0xf94007e0, 8, none, true, BASE - 8);       /* ldr x0, [sp, #8] */
	assert_sp(0xf84107e0, 8, none, true, BASE + 16);      /* ldr x0, [sp], #16 */
	assert_sp(0xf85f0fe0, 8, none, true, BASE);           /* ldr x0, [sp, #-16]! */
	assert_sp(0xf85f83e0, 8, none, true, BASE + 8);       /* ldur x0, [sp, #-8] */
	assert_sp(0x3dc007e0, 16, none, true, BASE - 16);     /* ldr q0, [sp, #16] */
	/* ldp x19, x20, [sp, #16] */
	assert_sp(0xa94153f3, 16, none, true, BASE - 16);
	/* ldp x29, x30, [sp], #48 */
	assert_sp(0xa8c37bfd, 16, none, true, BASE + 48);
	assert_sp(0xad4107e0, 16, none, true, BASE - 32); /* ldp q0, q1, [sp, #32] */
	assert_sp(0xf86063e0, 8, none, false, 0);         /* ldr x0, [sp, x0] */
	/* ld1 { v0.2d }, [sp], #16 */
	assert_sp(0x4cdf7fe0, 16, some, false, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_extend_as_they_say), cmocka_unit_test(pairs_load_both),
		cmocka_unit_test(nothing_is_made_up),       cmocka_unit_test(calls_link),
		cmocka_unit_test(stack_is_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
