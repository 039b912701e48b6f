/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers of A64 instructions: a few by hand from the manual's descriptions (C6.2, C7.2), and a
 * great many against the names in the disassembler's text, where there is one.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include "isa/a64/a64.h"
#include "isa/a64/a64_operands.h"
#include "isa/a64/a64_text.h"

static uint64_t set_of(const uint8_t *list, uint8_t count)
{
	uint64_t set = 0;

	for (uint8_t i = 0; i < count; i++)
		if (list[i] < 64)
			set |= UINT64_C(1) << list[i];
	return set;
}

static bool has(const uint8_t *list, uint8_t count, unsigned number)
{
	for (uint8_t i = 0; i < count; i++)
		if (list[i] == number)
			return true;
	return false;
}

#define X(n) (UINT64_C(1) << (n))
#define V(n) (UINT64_C(1) << (32 + (n)))
#define SP X(31)

static const struct {
	uint32_t opcode;
	uint64_t reads, writes;
	bool reads_flags, writes_flags;
} by_hand[] = {
	{ 0x8b020020, X(1) | X(2), X(0), false, false },        /* add x0, x1, x2 */
	{ 0xeb02003f, X(1) | X(2), 0, false, true },            /* cmp x1, x2 */
	{ 0xd10083ff, SP, SP, false, false },                   /* sub sp, sp, #32 */
	{ 0x9a821420, X(1) | X(2), X(0), true, false },         /* csinc x0, x1, x2, ne */
	{ 0xf2a00020, X(0), X(0), false, false },               /* movk x0, #1, lsl #16 */
	{ 0xa9bf7bfd, X(29) | X(30) | SP, SP, false, false },   /* stp x29, x30, [sp, #-16]! */
	{ 0xa8c17bfd, SP, X(29) | X(30) | SP, false, false },   /* ldp x29, x30, [sp], #16 */
	{ 0xb8627820, X(1) | X(2), X(0), false, false },        /* ldr w0, [x1, x2, lsl #2] */
	{ 0xf9000020, X(0) | X(1), 0, false, false },           /* str x0, [x1] */
	{ 0x3dc00020, X(1), V(0), false, false },               /* ldr q0, [x1] */
	{ 0x3d800020, X(1) | V(0), 0, false, false },           /* str q0, [x1] */
	{ 0xc8027c20, X(0) | X(1), X(2), false, false },        /* stxr w2, x0, [x1] */
	{ 0xc85f7c20, X(1), X(0), false, false },               /* ldxr x0, [x1] */
	{ 0xf8e20020, X(2) | X(1), X(0), false, false },        /* ldaddal x2, x0, [x1] */
	{ 0xc8e2fc20, X(2) | X(0) | X(1), X(2), false, false }, /* casal x2, x0, [x1] */
	{ 0x94000000, 0, X(30), false, false },                 /* bl */
	{ 0xd63f0100, X(8), X(30), false, false },              /* blr x8 */
	{ 0xd65f03c0, X(30), 0, false, false },                 /* ret */
	{ 0x54000040, 0, 0, true, false },                      /* b.eq */
	{ 0xb4000045, X(5), 0, false, false },                  /* cbz x5 */
	{ 0xd53bd040, 0, X(0), false, false },                  /* mrs x0, tpidr_el0 */
	{ 0x1e622820, V(1) | V(2), V(0), false, false },        /* fadd d0, d1, d2 */
	{ 0x1e622020, V(1) | V(2), 0, false, true },            /* fcmp d1, d2 */
	{ 0x9e620020, X(1), V(0), false, false },               /* scvtf d0, x1 */
	{ 0x9e780020, V(1), X(0), false, false },               /* fcvtzs x0, d1 */
	{ 0x9e660020, V(1), X(0), false, false },               /* fmov x0, d1 */
	{ 0x9b020c20, X(1) | X(2) | X(3), X(0), false, false }, /* madd x0, x1, x2, x3 */
	{ 0x1f420c20, V(1) | V(2) | V(3), V(0), false, false }, /* fmadd d0, d1, d2, d3 */
	{ 0xd503201f, 0, 0, false, false },                     /* nop */
};

TEST(operands_by_hand)
{
	for (size_t i = 0; i < sizeof(by_hand) / sizeof(by_hand[0]); i++) {
		struct tl_a64_operands o = tl_a64_operands(by_hand[i].opcode);

		if (set_of(o.reads, o.read_count) != by_hand[i].reads ||
		    set_of(o.writes, o.write_count) != by_hand[i].writes ||
		    has(o.reads, o.read_count, TL_A64_NZCV) != by_hand[i].reads_flags ||
		    has(o.writes, o.write_count, TL_A64_NZCV) != by_hand[i].writes_flags)
			fail_msg("opcode %08x", by_hand[i].opcode);
	}
}

/* Registers by their names in a text: x1, w1, sp, v1, q1, d1, s1, h1, b1. */
static uint64_t named(const char *text, size_t size)
{
	uint64_t set = 0;

	for (size_t i = 1; i < size; i++) {
		unsigned number;
		int length = 0;

		if (isalnum((unsigned char)text[i - 1]) || text[i - 1] == '_')
			continue;
		if (size - i >= 2 && text[i + 1] == 'p' && text[i] == 's')
			set |= SP;
		if (size - i >= 3 && !memcmp(text + i, "wsp", 3))
			set |= SP;
		if (strchr("xwvqdshb", text[i]) && i + 1 < size &&
		    isdigit((unsigned char)text[i + 1]) &&
		    sscanf(text + i + 1, "%u%n", &number, &length) == 1 &&
		    number < (text[i] == 'x' || text[i] == 'w' ? 31U : 32U))
			set |= text[i] == 'x' || text[i] == 'w' ? X(number) : V(number);
	}
	return set;
}

/* "Not known: 128-bit atomics and system registers, memory copies, LDIAPP, STILP." */
static bool left_out(uint32_t opcode)
{
	return (opcode & 0xff400000) == 0xd5400000 || (opcode & 0x3b200c00) == 0x19000400 ||
	       ((opcode & 0x3b200000) == 0x19200000 && opcode >> 24 != 0xd9) ||
	       (opcode & 0xbfa0ec00) == 0x99000800;
}

/* Whether the encoding group is one of which we say to be exact. */
static bool exact(const struct tl_a64 *insn)
{
	if (left_out(insn->opcode))
		return false;
	if (insn->class == TL_A64_UNALLOCATED || insn->class >= TL_A64_FLOAT ||
	    insn->class == TL_A64_AUTH)
		return false;
	if (insn->access & TL_A64_SCALABLE || (insn->opcode & 0x1e000000) == 0x04000000)
		return false;
	/* Structures of several registers name the first only. */
	return !(insn->access & TL_A64_VECTOR && (insn->opcode & 0xbe000000) == 0x0c000000);
}

TEST(operands_as_in_the_text)
{
	struct tl_a64_text *texts = tl_a64_text_open();
	uint64_t seed = 7;
	unsigned compared = 0;

	assert_non_null(texts);
	if (!tl_a64_text_disassembles(texts)) {
		tl_a64_text_close(texts);
		skip();
	}
	for (unsigned i = 0; i < 400000; i++) {
		char text[TL_A64_TEXT + 1];

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		uint32_t opcode = (uint32_t)(seed >> 32);
		struct tl_a64 insn = tl_a64_classify(opcode);

		if (!exact(&insn))
			continue;
		char *end = tl_a64_text_put(texts, opcode, 0x10000000, text);
		struct tl_a64_operands o = tl_a64_operands(opcode);
		uint64_t set = set_of(o.reads, o.read_count) | set_of(o.writes, o.write_count);

		*end = '\0';
		uint64_t wanted = named(text, (size_t)(end - text));

		if (*text == '.')
			continue;
		if (tl_a64_is_call(&insn)) /* the link is not in the text */
			wanted |= X(30);
		/* x30 of RET need not be, nor a register that an operation has no use for. */
		if (insn.flow == TL_A64_RETURN || (opcode & 0xfff80000) == 0xd5080000)
			wanted |= set;
		if (set != wanted)
			fail_msg("%08x %s: %llx instead of %llx", opcode, text,
				 (unsigned long long)set, (unsigned long long)wanted);
		compared++;
	}
	assert_true(compared > 10000);
	tl_a64_text_close(texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_by_hand),
		cmocka_unit_test(operands_as_in_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
