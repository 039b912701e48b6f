/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes and targets of instructions, by their bytes (Intel's Software Developer's Manual, volume
 * 2).
 */

#include "../unit.h"

#include "isa/x86/x86_flow.h"

struct example {
	const char *what;
	uint8_t code[15], bytes; /* the bytes of the instruction; what is behind them is 00 */
	uint8_t iclass;
	uint16_t flags;
	uint64_t target;
};

enum { AT = 0x1000 };

/* clang-format off */
static const struct example in_64[] = {
	{ "nop", { 0x90 }, 1, TL_X86_OTHER, 0, 0 },
	{ "rep movsb", { 0xf3, 0xa4 }, 2, TL_X86_OTHER, 0, 0 },
	{ "call +1", { 0xe8, 1 }, 5, TL_X86_CALL, TL_X86_BRANCH | TL_X86_DIRECT, 0x1006 },
	{ "call of the next instruction", { 0xe8 }, 5, TL_X86_CALL,
	  TL_X86_BRANCH | TL_X86_DIRECT | TL_X86_CALL_NEXT, 0x1005 },
	{ "call rax", { 0xff, 0xd0 }, 2, TL_X86_CALL, TL_X86_BRANCH, 0 },
	{ "call far [rax]", { 0xff, 0x18 }, 2, TL_X86_FAR_CALL, TL_X86_BRANCH | TL_X86_FAR, 0 },
	{ "jmp -2", { 0xeb, 0xfe }, 2, TL_X86_JUMP, TL_X86_BRANCH | TL_X86_DIRECT, 0x1000 },
	{ "jmp near", { 0xe9, 0xfb, 0xff, 0xff, 0xff }, 5, TL_X86_JUMP,
	  TL_X86_BRANCH | TL_X86_DIRECT, 0x1000 },
	{ "jmp [rax]", { 0xff, 0x20 }, 2, TL_X86_JUMP, TL_X86_BRANCH, 0 },
	{ "jmp far [rax]", { 0xff, 0x28 }, 2, TL_X86_FAR_JUMP, TL_X86_BRANCH | TL_X86_FAR, 0 },
	{ "je +2", { 0x74, 2 }, 2, TL_X86_COND_JUMP, TL_X86_BRANCH | TL_X86_DIRECT, 0x1004 },
	{ "jne near +0x100", { 0x0f, 0x85, 0, 1 }, 6, TL_X86_COND_JUMP,
	  TL_X86_BRANCH | TL_X86_DIRECT, 0x1106 },
	{ "jg", { 0x7f, 0 }, 2, TL_X86_COND_JUMP, TL_X86_BRANCH | TL_X86_DIRECT, 0x1002 },
	{ "loop", { 0xe2, 0xfe }, 2, TL_X86_COND_JUMP, TL_X86_BRANCH | TL_X86_DIRECT, 0x1000 },
	{ "jrcxz", { 0xe3, 0xfe }, 2, TL_X86_COND_JUMP, TL_X86_BRANCH | TL_X86_DIRECT, 0x1000 },
	{ "ret", { 0xc3 }, 1, TL_X86_RETURN, TL_X86_BRANCH, 0 },
	{ "repz ret", { 0xf3, 0xc3 }, 2, TL_X86_RETURN, TL_X86_BRANCH, 0 },
	{ "ret 8", { 0xc2, 8 }, 3, TL_X86_RETURN, TL_X86_BRANCH, 0 },
	{ "retf", { 0xcb }, 1, TL_X86_FAR_RETURN, TL_X86_BRANCH | TL_X86_FAR, 0 },
	{ "iretq", { 0x48, 0xcf }, 2, TL_X86_FAR_RETURN, TL_X86_BRANCH | TL_X86_FAR, 0 },
	{ "syscall", { 0x0f, 0x05 }, 2, TL_X86_FAR_CALL, TL_X86_BRANCH | TL_X86_FAR, 0 },
	{ "sysret", { 0x48, 0x0f, 0x07 }, 3, TL_X86_FAR_RETURN, TL_X86_BRANCH | TL_X86_FAR, 0 },
	{ "int 80h", { 0xcd, 0x80 }, 2, TL_X86_FAR_CALL, TL_X86_BRANCH | TL_X86_FAR, 0 },
	{ "int3", { 0xcc }, 1, TL_X86_FAR_CALL, TL_X86_BRANCH | TL_X86_FAR, 0 },
	{ "mov cr3, rax", { 0x0f, 0x22, 0xd8 }, 3, TL_X86_OTHER, TL_X86_MOV_CR3, 0 },
	{ "mov cr0, rax", { 0x0f, 0x22, 0xc0 }, 3, TL_X86_OTHER, 0, 0 },
	{ "mov rax, cr3", { 0x0f, 0x20, 0xd8 }, 3, TL_X86_OTHER, 0, 0 },
	{ "vmlaunch", { 0x0f, 0x01, 0xc2 }, 3, TL_X86_FAR_RETURN,
	  TL_X86_BRANCH | TL_X86_FAR | TL_X86_VMENTRY, 0 },
	{ "vmresume", { 0x0f, 0x01, 0xc3 }, 3, TL_X86_FAR_RETURN,
	  TL_X86_BRANCH | TL_X86_FAR | TL_X86_VMENTRY, 0 },
	{ "vmptrld [rax]", { 0x0f, 0xc7, 0x30 }, 3, TL_X86_OTHER, TL_X86_VMPTRLD, 0 },
	{ "vmxon [rax] is not vmptrld", { 0xf3, 0x0f, 0xc7, 0x30 }, 4, TL_X86_OTHER, 0, 0 },
	{ "ptwrite eax", { 0xf3, 0x0f, 0xae, 0xe0 }, 4, TL_X86_PTWRITES, TL_X86_PTWRITE, 0 },
	{ "xbegin goes on here", { 0xc7, 0xf8, 2 }, 6, TL_X86_OTHER, 0, 0 },
	{ "eretu", { 0xf3, 0x0f, 0x01, 0xca }, 4, TL_X86_FAR_RETURN, TL_X86_BRANCH | TL_X86_FAR,
	  0 },
	{ "erets", { 0xf2, 0x0f, 0x01, 0xca }, 4, TL_X86_FAR_RETURN, TL_X86_BRANCH | TL_X86_FAR,
	  0 },
	{ "jmpabs", { 0xd5, 0x00, 0xa1, 0x78, 0x56, 0x34, 0x12 }, 11, TL_X86_JUMP,
	  TL_X86_BRANCH | TL_X86_JMPABS,
	  0x12345678 },
};
/* clang-format on */

/* clang-format off */
static const struct example in_32[] = {
	{ "call far 1:2", { 0x9a, 2, 0, 0, 0, 1, 0 }, 7, TL_X86_FAR_CALL,
	  TL_X86_BRANCH | TL_X86_FAR, 0 },
	{ "jmp far 1:2", { 0xea, 2, 0, 0, 0, 1, 0 }, 7, TL_X86_FAR_JUMP, TL_X86_BRANCH | TL_X86_FAR,
	  0 },
	{ "linear addresses have 32 bits", { 0xe9, 0xfb, 0xef, 0xff, 0xff }, 5, TL_X86_JUMP,
	  TL_X86_BRANCH | TL_X86_DIRECT, 0x0 },
	{ "before address 0", { 0xe9, 0xeb, 0xef, 0xff, 0xff }, 5, TL_X86_JUMP,
	  TL_X86_BRANCH | TL_X86_DIRECT,
	  0xfffffff0 },
	{ "sysenter", { 0x0f, 0x34 }, 2, TL_X86_FAR_CALL, TL_X86_BRANCH | TL_X86_FAR, 0 },
	{ "aad is no prefix here", { 0xd5, 0x0a }, 2, TL_X86_OTHER, 0, 0 },
};
/* clang-format on */

/* clang-format off */
static const struct example in_16[] = {
	{ "call near has two bytes of displacement", { 0xe8, 0xfd, 0x0f }, 3, TL_X86_CALL,
	  TL_X86_BRANCH | TL_X86_DIRECT, 0x2000 },
	{ "jmp near", { 0xe9, 0x01, 0x00 }, 3, TL_X86_JUMP, TL_X86_BRANCH | TL_X86_DIRECT, 0x1004 },
};
/* clang-format on */

static void check(enum tl_x86_mode mode, const struct example *list, size_t count)
{
	struct tl_x86_flow_decoder decoder;
	struct tl_x86_flow flow;

	tl_x86_flow_open(&decoder, mode);
	for (size_t i = 0; i < count; i++) {
		const struct example *e = &list[i];

		print_message("%s\n", e->what);
		assert_int_equal(tl_x86_flow_decode(&decoder, e->code, sizeof(e->code), AT, &flow),
				 TL_X86_DECODED);
		assert_int_equal(flow.size, e->bytes);
		assert_int_equal(flow.iclass, e->iclass);
		assert_int_equal(flow.flags, e->flags);
		assert_int_equal(flow.target, e->target);
		/* One byte less is not enough. */
		assert_int_equal(tl_x86_flow_decode(&decoder, e->code, e->bytes - 1u, AT, &flow),
				 TL_X86_CUT);
	}
}

TEST(classes_and_targets)
{
	check(TL_X86_64, in_64, sizeof(in_64) / sizeof(in_64[0]));
	check(TL_X86_32, in_32, sizeof(in_32) / sizeof(in_32[0]));
	check(TL_X86_16, in_16, sizeof(in_16) / sizeof(in_16[0]));
}

TEST(what_is_no_instruction)
{
	static const uint8_t push_es[15] = { 0x06 }, undefined[15] = { 0x0f, 0xff },
			     rex2[15] = { 0xd5, 0x08, 0xa1 };
	struct tl_x86_flow_decoder decoder;
	struct tl_x86_flow flow;

	tl_x86_flow_open(&decoder, TL_X86_64);
	assert_int_equal(tl_x86_flow_decode(&decoder, push_es, sizeof(push_es), AT, &flow),
			 TL_X86_INVALID);
	assert_int_equal(tl_x86_flow_decode(&decoder, rex2, sizeof(rex2), AT, &flow),
			 TL_X86_INVALID);
	/* UD0 is an instruction, with an operand. */
	assert_int_equal(tl_x86_flow_decode(&decoder, undefined, sizeof(undefined), AT, &flow),
			 TL_X86_DECODED);
	tl_x86_flow_open(&decoder, TL_X86_32);
	assert_int_equal(tl_x86_flow_decode(&decoder, push_es, sizeof(push_es), AT, &flow),
			 TL_X86_DECODED);
	assert_int_equal(flow.size, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_and_targets),
		cmocka_unit_test(what_is_no_instruction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
