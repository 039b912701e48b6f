/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions do to the stack pointer: encodings as objdump shows them. */

#include "../unit.h"

#include "isa/x86/x86_stack.h"

static void want(const char *code, size_t size, enum tl_x86_stack_kind kind, unsigned reg)
{
	struct tl_x86_stack s = tl_x86_stack((const uint8_t *)code, size, true);

	assert_int_equal(s.kind, kind);
	if (kind == TL_X86_STACK_SAVED || kind == TL_X86_STACK_REGISTER)
		assert_int_equal(s.reg, reg);
}

#define WANT(code, kind, reg) want(code, sizeof(code) - 1, TL_X86_STACK_##kind, reg)

TEST(kinds)
{
	WANT("\x48\x89\xe5", SAVED, 5);                  /* mov %rsp,%rbp */
	WANT("\x48\x89\xe3", SAVED, 3);                  /* mov %rsp,%rbx */
	WANT("\x49\x89\xe4", SAVED, 12);                 /* mov %rsp,%r12 */
	WANT("\x4c\x8b\xe4", SAVED, 12);                 /* mov %rsp,%r12, the other way round */
	WANT("\x48\x89\x27", KEPT, 0);                   /* mov %rsp,(%rdi) */
	WANT("\x48\x89\xec", FRAME, 0);                  /* mov %rbp,%rsp */
	WANT("\xc9", FRAME, 0);                          /* leave */
	WANT("\x48\x8d\x65\xd8", FRAME, 0);              /* lea -0x28(%rbp),%rsp */
	WANT("\x49\x8d\x62\xf8", FRAME, 0);              /* lea -0x8(%r10),%rsp */
	WANT("\x48\x8d\x64\x24\x08", KEPT, 0);           /* lea 0x8(%rsp),%rsp */
	WANT("\x48\x8b\x65\xb0", FRAME, 0);              /* mov -0x50(%rbp),%rsp */
	WANT("\x48\x89\xf4", REGISTER, 6);               /* mov %rsi,%rsp */
	WANT("\x4c\x89\xc4", REGISTER, 8);               /* mov %r8,%rsp */
	WANT("\x48\x8b\xe6", REGISTER, 6);               /* mov %rsi,%rsp, the other way round */
	WANT("\x48\x87\xe0", REGISTER, 0);               /* xchg %rsp,%rax */
	WANT("\x48\x94", REGISTER, 0);                   /* the same, as assemblers write it */
	WANT("\x49\x94", KEPT, 0);                       /* xchg %r12,%rax */
	WANT("\x94", KEPT, 0);                           /* xchg %esp,%eax */
	WANT("\x48\x8b\x26", MEMORY, 0);                 /* mov (%rsi),%rsp */
	WANT("\x48\x8b\xa2\xa0\x00\x00\x00", MEMORY, 0); /* mov 0xa0(%rdx),%rsp */
	WANT("\x48\x8b\x25\x00\x10\x00\x00", MEMORY, 0); /* mov 0x1000(%rip),%rsp */
	WANT("\x48\x87\x26", MEMORY, 0);                 /* xchg %rsp,(%rsi) */
	WANT("\x5c", MEMORY, 0);                         /* pop %rsp */
	WANT("\x41\x5c", KEPT, 0);                       /* pop %r12 */
	WANT("\x4c\x8b\x26", KEPT, 0);                   /* mov (%rsi),%r12 */
	WANT("\x48\x83\xec\x18", KEPT, 0);               /* sub $0x18,%rsp */
	WANT("\x48\x83\xe4\xf0", KEPT, 0);               /* and $-16,%rsp */
	WANT("\x89\xf4", KEPT, 0);                       /* mov %esi,%esp */
	WANT("\xc3", KEPT, 0);
}

TEST(saves)
{
	static const uint8_t code[] = { 0x53, 0x48, 0x89, 0xe3, 0x48, 0x83, 0xe4, 0xc0 };

	assert_true(tl_x86_saves_stack(code, sizeof(code), 3));
	assert_false(tl_x86_saves_stack(code, sizeof(code), 12));
	assert_false(tl_x86_saves_stack(code + 2, sizeof(code) - 2, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(kinds), cmocka_unit_test(saves) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
