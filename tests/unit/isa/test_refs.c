/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions refer to, by their bytes (Intel's manual, volume 2; Arm's DDI 0487, C4). */

#include "../unit.h"

#include "isa/refs.h"

enum { AT = 0x1000, X86_64 = 62, AARCH64 = 183 };

struct example {
	uint8_t code[10], bytes;
	enum tl_ref_kind kind;
	uint64_t target;
	uint64_t address; /* one that it may make, 0: none is asked for */
};

static bool makes(const struct tl_ref *ref, uint64_t address)
{
	for (unsigned i = 0; i < ref->address_count; i++)
		if (ref->addresses[i] == address)
			return true;
	return false;
}

TEST(x86_instructions)
{
	static const struct example examples[] = {
		{ { 0xe8, 1 }, 5, TL_REF_DIRECT, 0x1006, 0 },    /* call */
		{ { 0xeb, 0xfe }, 2, TL_REF_DIRECT, 0x1000, 0 }, /* jmp */
		{ { 0x74, 2 }, 2, TL_REF_DIRECT, 0x1004, 0 },    /* je */
		/* call [rip+16] */
		{ { 0xff, 0x15, 0x10 }, 6, TL_REF_SLOT, 0x1016, 0 },
		/* jmp [rip+16] */
		{ { 0xff, 0x25, 0x10 }, 6, TL_REF_SLOT, 0x1016, 0 },
		/* bnd jmp */
		{ { 0xf2, 0xff, 0x25, 0x10 }, 7, TL_REF_SLOT, 0x1017, 0 },
		/* call rax */
		{ { 0xff, 0xd0 }, 2, TL_REF_INDIRECT, 0, 0 },
		/* jmp [rbx+16] */
		{ { 0xff, 0xa3, 0x10 }, 6, TL_REF_INDIRECT, 0, 0 },
		{ { 0xc3 }, 1, TL_REF_NONE, 0, 0 }, /* ret */
		/* lea rax, [rip+16] */
		{ { 0x48, 0x8d, 0x05, 0x10 }, 7, TL_REF_NONE, 0, 0x1017 },
		/* mov edi, imm */
		{ { 0xbf, 0x78, 0x56, 0x34, 0x12 }, 5, TL_REF_NONE, 0, 0x12345678 },
		/* push imm */
		{ { 0x68, 0x78, 0x56, 0x34, 0x12 }, 5, TL_REF_NONE, 0, 0x12345678 },
		{ { 0x48, 0xb8, 0xf0, 0xde, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12 },
		  10,
		  TL_REF_NONE,
		  0,
		  /* mov rax, imm */
		  0x123456789abcdef0 },
	};
	struct tl_ref_reader reader;
	struct tl_ref ref;

	assert_true(tl_ref_open(&reader, X86_64));
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		assert_true(tl_ref_read(&reader, examples[i].code, examples[i].bytes, AT, &ref));
		assert_int_equal(ref.length, examples[i].bytes);
		assert_int_equal(ref.kind, examples[i].kind);
		if (ref.kind == TL_REF_DIRECT || ref.kind == TL_REF_SLOT)
			assert_int_equal(ref.target, examples[i].target);
		assert_true(!examples[i].address || makes(&ref, examples[i].address));
	}
	assert_false(tl_ref_read(&reader, (const uint8_t[]){ 0x06 }, 1, AT, &ref));
	assert_int_equal(ref.length, 1);
}

/* The instructions one after the other, from AT on; the last one is what is asked for. */
static struct tl_ref run_a64(const uint32_t *code, size_t count)
{
	struct tl_ref_reader reader;
	struct tl_ref ref = { 0 };

	assert_true(tl_ref_open(&reader, AARCH64));
	for (size_t i = 0; i < count; i++) {
		uint8_t bytes[4] = { (uint8_t)code[i], (uint8_t)(code[i] >> 8),
				     (uint8_t)(code[i] >> 16), (uint8_t)(code[i] >> 24) };

		assert_true(tl_ref_read(&reader, bytes, 4, AT + 4 * i, &ref));
		assert_int_equal(ref.length, 4);
	}
	return ref;
}

/* ADRP X16, +2 pages; LDR X17, [X16, #0x18]; ADD X16, X16, #0x18; BR X17: a stub of .plt */
static const uint32_t stub[] = { 0xd0000010, 0xf9400e11, 0x91006210, 0xd61f0220 };

TEST(a64_instructions)
{
	/* BL +8; BLR X8; ADRP X0, +2 pages and ADD X0, X0, #0x28; RET */
	static const uint32_t call[] = { 0x94000002 }, register_call[] = { 0xd63f0100 };
	static const uint32_t address[] = { 0xd0000000, 0x9100a000 }, returns[] = { 0xd65f03c0 };
	/*
	 * The same register, loaded from elsewhere in between: MOV X16, X1. And behind a call: BL.
	 */
	static const uint32_t clobbered[] = { 0xd0000010, 0xaa0103f0, 0xf9400e11, 0xd61f0220 };
	static const uint32_t called[] = { 0xd0000010, 0x94000002, 0xf9400e11, 0xd61f0220 };
	struct tl_ref ref;

	ref = run_a64(call, 1);
	assert_int_equal(ref.kind, TL_REF_DIRECT);
	assert_int_equal(ref.target, 0x1008);
	assert_int_equal(run_a64(register_call, 1).kind, TL_REF_INDIRECT);
	assert_int_equal(run_a64(returns, 1).kind, TL_REF_NONE);
	ref = run_a64(address, 2);
	assert_true(makes(&ref, 0x3028));
	ref = run_a64(stub, 4);
	assert_int_equal(ref.kind, TL_REF_SLOT);
	assert_int_equal(ref.target, 0x3018);
	assert_int_equal(run_a64(clobbered, 4).kind, TL_REF_INDIRECT);
	assert_int_equal(run_a64(called, 4).kind, TL_REF_INDIRECT);
}

TEST(other_machines_tell_nothing)
{
	struct tl_ref_reader reader;

	assert_false(tl_ref_open(&reader, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_instructions),
		cmocka_unit_test(a64_instructions),
		cmocka_unit_test(other_machines_tell_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
