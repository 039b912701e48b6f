/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where `check` takes a break of the PC for a signal, and where not (docs/formats/xtrace.md,
 * section 5): "The handler goes on, with a frame of the kernel's below its SP, and rt_sigreturn
 * brings back what was interrupted". Beside them what traps, and what is not executed at all.
 */
#include "violations.h"

enum { HANDLER = 0x4000, TRAMPOLINE = 0x6000 };

static void put_sigreturn(struct bytes *b)
{
	put_pcinst(b, 0, HANDLER + 0x20, A64_RET);
	put_value(b, TARGET_B, TRAMPOLINE);
	put_pcinst(b, 0, TRAMPOLINE, A64_SVC);
	put_value(b, SVCARG, 139);
	for (unsigned i = 0; i < 6; i++)
		put_value(b, SVCARG, 0);
}

TEST(a_handler_returns)
{
	struct bytes b = { .data = NULL };

	put_pcinst(&b, 0, 0x1000, 0xd2800020); /* MOV X0, #1 */
	put_pcinst(&b, 0, HANDLER, A64_NOP);
	put_inst(&b, 0, 0x14000007); /* B HANDLER + 0x20 */
	put_sigreturn(&b);
	put_pcinst(&b, 0, 0x1004, A64_NOP);
	assert_good(&b);
}

/*
 * A handler that uses no stack, and changes the frame, which the kernel writes anew for the next
 * signal. Behind its return, as where SP has shown the frame elsewhere, loads are judged again.
 */
TEST(a_handler_without_a_stack)
{
	enum { FRAME = 0x100000 };

	for (unsigned way = 0; way < 3; way++) {
		struct bytes b = { .data = NULL };
		size_t at = 0;

		put_pcinst(&b, 0, 0x1000, 0xd2800020); /* MOV X0, #1 */
		for (unsigned n = 0; n < 2; n++) {
			put_pcinst(&b, 0, HANDLER, n && way == 1 ? 0xf90003e0 : A64_NOP);
			if (n && way == 1) /* STR X0, [SP] */
				put_access(&b, STORE, 3, FRAME + 0x10000, 1);
			put_inst(&b, 0, 0xf940dc49); /* LDR X9, [X2, #440] */
			at = b.size;
			put_access(&b, LOAD, 3, FRAME + 440, 7);
			put_inst(&b, 0, 0xf900dc4a); /* STR X10, [X2, #440] */
			put_access(&b, STORE, 3, FRAME + 440, 9);
			put_inst(&b, 0, 0x14000005); /* B HANDLER + 0x20 */
			put_sigreturn(&b);
			put_pcinst(&b, 0, 0x1004, A64_NOP);
		}
		if (way == 2) {
			put_inst(&b, 0, A64_LDR_FREE);
			at = b.size;
			put_access(&b, LOAD, 3, FRAME + 440, 7);
			put_inst(&b, 0, A64_NOP);
		}
		if (way)
			assert_one(&b, "xtrace.memory.value", at, way == 1 ? 9 : 15);
		else
			assert_good(&b);
	}
}

/* One that goes elsewhere by itself: SP has to say that there is a signal's frame. */
TEST(a_handler_does_not_return)
{
	const uint64_t sp = 0x100000;
	struct bytes b = { .data = NULL };
	size_t at;

	for (unsigned good = 0; good < 2; good++) {
		put_pcinst(&b, 0, 0x1000, 0xf90003e0); /* STR X0, [SP] */
		put_access(&b, STORE, 3, sp, 1);
		put_inst(&b, 0, 0x910003e2); /* MOV X2, SP, which nobody knows yet */
		put_inst(&b, 0, 0xd2a00201); /* MOV X1, #0x100000 */
		put_inst(&b, 0, 0x9100003f); /* MOV SP, X1 */
		at = put_pcinst(&b, 0, HANDLER, 0xf90003e0);
		put_access(&b, STORE, 3, good ? sp - 4688 - 16 : sp - 16, 1);
		put_inst(&b, 0, A64_NOP);
		if (good)
			assert_good(&b);
		else
			assert_one(&b, "xtrace.pc.continuity", at, 4);
	}
}

/* A stack of its own is not where the interrupted one is in use: a frame is longer than that. */
TEST(a_stack_of_its_own_is_elsewhere)
{
	const uint64_t sp = 0x100000;

	for (unsigned far = 0; far < 2; far++) {
		struct bytes b = { .data = NULL };
		size_t at;

		put_pcinst(&b, 0, 0x1000, 0xf90003e0); /* STR X0, [SP] */
		put_access(&b, STORE, 3, sp, 1);
		at = put_pcinst(&b, 0, HANDLER, 0xf90003e0);
		put_access(&b, STORE, 3, far ? sp + 0x10000 : sp + 288, 1);
		put_inst(&b, 0, A64_NOP);
		if (far)
			assert_good(&b);
		else
			assert_one(&b, "xtrace.pc.continuity", at, 1);
	}
}

/* SIGILL and SIGTRAP have handlers that show themselves as all others do; right behind what was not
 * executed none begins. */
TEST(an_instruction_that_traps)
{
	/* ADD X23, X21, #1 with bit 28 clear; UDF; BRK */
	static const uint32_t opcodes[] = { 0x810006b7, 0x10, 0xd4200000 };
	static const char *const rules[] = { "xtrace.opcode", "xtrace.pc.continuity",
					     "xtrace.pc.continuity" };

	for (size_t i = 0; i < 3; i++) {
		struct bytes b = { .data = NULL };
		size_t at;

		put_pcinst(&b, 0, 0x1000, opcodes[i]);
		put_pcinst(&b, 0, HANDLER, A64_NOP);
		put_inst(&b, 0, 0x14000007); /* B HANDLER + 0x20 */
		put_sigreturn(&b);
		put_pcinst(&b, 0, 0x1004, A64_NOP);
		assert_good(&b);
		put_pcinst(&b, 0, 0x1000, opcodes[i]);
		at = put_pcinst(&b, 0, HANDLER, A64_NOP);
		assert_one(&b, rules[i], at, 1);
	}
}

TEST(what_is_not_allocated_is_not_executed)
{
	struct bytes b = { .data = NULL };
	size_t at;

	/* The access behind it would be that of a handler on another stack. */
	put_pcinst(&b, 0, 0x1000, 0xf90003e0); /* STR X0, [SP] */
	put_access(&b, STORE, 3, 0x100000, 1);
	put_inst(&b, 0, 0xb8d27bfd);
	at = put_inst(&b, 0, 0xf90003e0);
	put_access(&b, STORE, 3, 0x110000, 1);
	assert_broken(&b,
		      (struct broken[]){ { "xtrace.opcode", at, 2 },
					 { "xtrace.access.address", at + 5, 2 } },
		      2);
	/* Where the kernel is traced its vector comes next. */
	put_pcinst(&b, 1, 0xffff800008001000, 0xb8d27bfd);
	put_pcinst(&b, 1, 0xffff800008010a00, A64_NOP);
	assert_good(&b);
	put_pcinst(&b, 1, 0xffff800008001000, 0xb8d27bfd);
	at = put_pcinst(&b, 1, 0xffff800008010a04, A64_NOP);
	assert_one(&b, "xtrace.opcode", at, 1);
}

/* "On syscall PSTATE.SM is set to 0": FMOPA needs streaming mode, which SMSTART, MSR SVCR and a
 * signal's end may bring. */
TEST(streaming_mode)
{
	static const struct {
		uint32_t before;
		uint64_t call;
		bool good;
	} ways[] = {
		{ A64_NOP, 172, false },   { 0xd503477f, 172, true }, /* SMSTART */
		{ 0xd51b4240, 172, true }, { A64_NOP, 139, true },    { A64_NOP, 0, true },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct bytes b = { .data = NULL };
		size_t at;

		put_pcinst(&b, 0, 0x1000, ways[i].call ? A64_SVC : A64_NOP);
		for (unsigned n = 0; ways[i].call && n < 7; n++)
			put_value(&b, SVCARG, n ? 0 : ways[i].call);
		if (ways[i].call == 172)
			put_value(&b, SVCRET, 7);
		put_inst(&b, 0, ways[i].before);
		if (ways[i].before == 0xd51b4240)
			put_value(&b, MRS, 7);
		put_inst(&b, 0, 0x80800000); /* FMOPA ZA0.S, P0/M, P0/M, Z0.S, Z0.S */
		at = put_inst(&b, 0, A64_NOP);
		if (ways[i].good)
			assert_good(&b);
		else
			assert_one(&b, "xtrace.opcode", at, 3);
	}
}

/*
 * Where a snapshot is taken as a signal's handler begins, the kernel has put other values into all
 * registers; its SP tells of the frame, where the handler does not return. X31 is `first` + 31.
 */
static void assert_snapshot_of_handler(uint64_t frame, bool returns, bool good)
{
	const uint64_t first = 0x100000 - 31;
	struct bytes b = { .data = NULL }, s = { .data = NULL };
	struct trace t;
	size_t at;

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	at = put_pcinst(&b, 0, HANDLER, 0xd2801168); /* MOV X8, #139 */
	if (returns) {
		put_inst(&b, 0, A64_SVC);
		put_value(&b, SVCARG, 139);
		for (unsigned i = 0; i < 6; i++)
			put_value(&b, SVCARG, first - frame + i);
		put_pcinst(&b, 0, 0x1004, A64_NOP);
	}
	put_header(&s);
	put_record(&s, &(struct record){ .index = 0, .first = first });
	put_record(&s,
		   &(struct record){ .index = at, .user = 1, .total = 1, .first = first - frame });
	open_trace(&t, &b, &s);
	assert_found(&t, &(struct broken){ "xtrace.pc.continuity", at, 1 }, !good);
	close_trace(&t);
	free_bytes(&b);
	free_bytes(&s);
}

TEST(a_snapshot_where_a_handler_begins)
{
	assert_snapshot_of_handler(4688, true, true);
	assert_snapshot_of_handler(4688, false, true);
	assert_snapshot_of_handler(16, true, true);
	assert_snapshot_of_handler(16, false, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_handler_returns),
		cmocka_unit_test(a_handler_without_a_stack),
		cmocka_unit_test(a_handler_does_not_return),
		cmocka_unit_test(a_stack_of_its_own_is_elsewhere),
		cmocka_unit_test(an_instruction_that_traps),
		cmocka_unit_test(what_is_not_allocated_is_not_executed),
		cmocka_unit_test(streaming_mode),
		cmocka_unit_test(a_snapshot_where_a_handler_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
