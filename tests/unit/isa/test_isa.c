/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions: encodings from the Intel manual (volume 2) and the Arm Architecture Reference
 * Manual (C6).
 */
#include <string.h>

#include "../unit.h"

#include "isa/isa.h"

enum { I386 = 3, SPARC = 2, X86_64 = 62, AARCH64 = 183 };

struct expected {
	uint8_t bytes[8];
	size_t size;
	unsigned length;
	enum tl_insn_kind kind;
	uint64_t target;  /* 0: none */
	const char *text; /* NULL: any */
};

static void assert_instructions(unsigned machine, const struct expected *all, size_t count)
{
	struct tl_disassembler *d = tl_disassembler_open(machine);

	assert_non_null(d);
	for (size_t i = 0; i < count; i++) {
		struct tl_insn insn;

		tl_disassemble(d, all[i].bytes, all[i].size, 0x1000, &insn);
		assert_int_equal(insn.length, all[i].length);
		assert_int_equal(insn.kind, all[i].kind);
		assert_int_equal(insn.has_target, all[i].target != 0);
		if (all[i].target)
			assert_true(insn.target == all[i].target);
		if (all[i].text)
			assert_string_equal(insn.text, all[i].text);
		assert_true(*insn.text);
	}
	tl_disassembler_close(d);
}

TEST(x86_64_instructions)
{
	static const struct expected all[] = {
		{ { 0x55 }, 1, 1, TL_INSN_OTHER, 0, "push rbp" },
		{ { 0x48, 0x89, 0xe5 }, 8, 3, TL_INSN_OTHER, 0, "mov rbp, rsp" },
		{ { 0x74, 0x07 }, 8, 2, TL_INSN_BRANCH, 0x1009, "jz 0x1009" },
		{ { 0xeb, 0xfe }, 8, 2, TL_INSN_JUMP, 0x1000, "jmp 0x1000" },
		{ { 0xe8, 0xfb, 0xff, 0xff, 0xff }, 8, 5, TL_INSN_CALL, 0x1000, "call 0x1000" },
		{ { 0xff, 0xe0 }, 8, 2, TL_INSN_JUMP, 0, "jmp rax" },
		{ { 0xff, 0xd0 }, 8, 2, TL_INSN_CALL, 0, "call rax" },
		{ { 0xc3 }, 8, 1, TL_INSN_RETURN, 0, "ret" },
		/* Not in 64-bit mode (PUSH ES); cut short. */
		{ { 0x06 }, 8, 1, TL_INSN_OTHER, 0, ".byte 0x06" },
		{ { 0xe8, 0xfb }, 2, 1, TL_INSN_OTHER, 0, ".byte 0xe8" },
	};

	assert_instructions(X86_64, all, sizeof(all) / sizeof(all[0]));
}

TEST(i386_instructions)
{
	static const struct expected all[] = {
		{ { 0x06 }, 8, 1, TL_INSN_OTHER, 0, "push es" },
		{ { 0x55 }, 8, 1, TL_INSN_OTHER, 0, "push ebp" },
	};

	assert_instructions(I386, all, sizeof(all) / sizeof(all[0]));
}

/* Little-endian words; the text depends on whether the machine has LLVM. */
TEST(aarch64_branches)
{
	static const struct expected all[] = {
		{ { 0x1f, 0x20, 0x03, 0xd5 }, 4, 4, TL_INSN_OTHER, 0, NULL },       /* NOP */
		{ { 0x02, 0x00, 0x00, 0x14 }, 4, 4, TL_INSN_JUMP, 0x1008, NULL },   /* B +8 */
		{ { 0xff, 0xff, 0xff, 0x97 }, 4, 4, TL_INSN_CALL, 0xffc, NULL },    /* BL -4 */
		{ { 0x40, 0x00, 0x00, 0x54 }, 4, 4, TL_INSN_BRANCH, 0x1008, NULL }, /* B.EQ +8 */
		/* CBZ X0, +12 */
		{ { 0x60, 0x00, 0x00, 0xb4 }, 4, 4, TL_INSN_BRANCH, 0x100c, NULL },
		/* CBNZ W0, -4 */
		{ { 0xe0, 0xff, 0xff, 0x35 }, 4, 4, TL_INSN_BRANCH, 0xffc, NULL },
		/* TBZ W0, #3, +8 */
		{ { 0x40, 0x00, 0x18, 0x36 }, 4, 4, TL_INSN_BRANCH, 0x1008, NULL },
		{ { 0x00, 0x02, 0x1f, 0xd6 }, 4, 4, TL_INSN_JUMP, 0, NULL },   /* BR X16 */
		{ { 0x20, 0x00, 0x3f, 0xd6 }, 4, 4, TL_INSN_CALL, 0, NULL },   /* BLR X1 */
		{ { 0xc0, 0x03, 0x5f, 0xd6 }, 4, 4, TL_INSN_RETURN, 0, NULL }, /* RET */
		{ { 0xff, 0x0b, 0x5f, 0xd6 }, 4, 4, TL_INSN_RETURN, 0, NULL }, /* RETAA */
		/* ERET: no return of a call */
		{ { 0xe0, 0x03, 0x9f, 0xd6 }, 4, 4, TL_INSN_OTHER, 0, NULL },
		{ { 0xc0, 0x03 }, 2, 2, TL_INSN_OTHER, 0, ".byte 0xc0" }, /* cut short */
	};

	assert_instructions(AARCH64, all, sizeof(all) / sizeof(all[0]));
}

/* "with text through LLVM's C disassembler where the machine has one", else ".inst 0x........". */
TEST(aarch64_text)
{
	static const uint8_t ret[] = { 0xc0, 0x03, 0x5f, 0xd6 };
	struct tl_disassembler *d = tl_disassembler_open(AARCH64);
	struct tl_insn insn;

	assert_non_null(d);
	tl_disassemble(d, ret, 4, 0, &insn);
	assert_true(!strcmp(insn.text, "ret") || !strcmp(insn.text, ".inst 0xd65f03c0"));
	tl_disassembler_close(d);
}

TEST(other_machines_are_unknown)
{
	assert_true(tl_isa_known(X86_64));
	assert_false(tl_isa_known(SPARC));
	assert_null(tl_disassembler_open(SPARC));
	tl_disassembler_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_64_instructions),        cmocka_unit_test(i386_instructions),
		cmocka_unit_test(aarch64_branches),           cmocka_unit_test(aarch64_text),
		cmocka_unit_test(other_machines_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
