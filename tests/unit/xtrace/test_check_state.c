/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that the checker remembers: memory by address space, what system calls write, registers at
 * branches, and where a signal's handler goes back to.
 */
#include "violations.h"

/* MSR TTBR0_EL1 from X10 for space 10, ..., whose token says the value; then an access. */
static size_t access_in(struct bytes *b, uint64_t space, bool store, uint64_t address,
			uint64_t value)
{
	put_inst(b, 1, 0xd5182000 | (uint32_t)space);
	put_value(b, MRS, space);
	put_inst(b, 1, store ? A64_STR : A64_LDR);
	return put_access(b, store ? STORE : LOAD, 3, address, value);
}

/* Low addresses are those of the address space of TTBR0, high ones are the same in all. */
TEST(address_spaces)
{
	const uint64_t high = 0xffff000000009000;
	struct bytes b = { 0 };
	size_t low_at = put_pcinst(&b, 1, 0xffff800008001000, A64_NOP), high_at;

	for (uint64_t space = 10; space < 13; space++)
		access_in(&b, space, true, 0x9000, space);
	access_in(&b, 10, true, high, 7);
	access_in(&b, 10, false, 0x9000, 10);
	access_in(&b, 12, false, 0x9000, 12);
	access_in(&b, 11, false, 0x9000, 11);
	low_at = access_in(&b, 11, false, 0x9000, 12);
	high_at = access_in(&b, 13, false, high, 8);
	assert_broken(&b,
		      (struct broken[]){ { "xtrace.memory.value", low_at, 16 },
					 { "xtrace.memory.value", high_at, 18 } },
		      2);
}

/* "SYSCALL_VEC: the iovecs of a system call": readv is 65, writev 66. */
TEST(vectors_that_the_kernel_fills)
{
	for (unsigned number = 65; number <= 66; number++) {
		struct bytes b = { 0 };
		size_t inside, behind;

		put_pcinst(&b, 0, 0x1000, A64_STR_FREE);
		put_access(&b, STORE, 3, 0xa000, 1);
		put_inst(&b, 0, A64_STR_FREE);
		put_access(&b, STORE, 3, 0xa008, 2);
		put_inst(&b, 0, A64_SVC);
		put_value(&b, SVCARG, number);
		for (unsigned i = 0; i < 6; i++)
			put_value(&b, SVCARG, 0);
		put_value(&b, SYSCALL_VEC, 2);
		put_number(&b, 0xb000, 8);
		put_number(&b, 100, 8);
		put_number(&b, 0xa000, 8);
		put_number(&b, 8, 8);
		put_value(&b, SVCRET, 108);
		put_inst(&b, 0, A64_LDR_FREE);
		inside = put_access(&b, LOAD, 3, 0xa000, 77);
		put_inst(&b, 0, A64_LDR_FREE);
		behind = put_access(&b, LOAD, 3, 0xa008, 77);
		if (number == 65)
			assert_one(&b, "xtrace.memory.value", behind, 4);
		else
			assert_broken(&b,
				      (struct broken[]){ { "xtrace.memory.value", inside, 3 },
							 { "xtrace.memory.value", behind, 4 } },
				      2);
	}
}

/*
 * BR, BLR and RET jump to the register, as far as addresses have bits; BRAA to an authenticated
 * one.
 */
TEST(targets_are_registers)
{
	static const struct {
		uint32_t opcode;
		uint64_t target;
		bool good;
	} branches[] = {
		{ 0xd61f0060, 0x2000, true },                                            /* BR X3 */
		{ 0xd61f0060, 0x2004, false }, { 0xd61f0060, 0xff00000000002000, true }, /* a tag */
		{ 0xd61f087f, 0x2004, true },  /* BRAAZ X3 */
		{ 0xd63f0060, 0x2004, false }, /* BLR X3 */
		{ 0xd65f0060, 0x2004, false }, /* RET X3 */
	};

	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++) {
		struct bytes b = { 0 };
		size_t at;

		put_pcinst(&b, 0, 0x1000, 0xd2840003); /* MOV X3, #0x2000 */
		put_inst(&b, 0, branches[i].opcode);
		at = put_value(&b, TARGET_B, branches[i].target);
		put_pcinst(&b, 0, branches[i].target & UINT64_MAX >> 8, A64_NOP);
		if (branches[i].good)
			assert_good(&b);
		else
			assert_one(&b, "xtrace.register.value", at, 1);
	}
}

/* ---- signals ---- */

enum { HANDLER = 0x4000 };

/*
 * "rt_sigreturn brings back what was interrupted": that instruction, the next one, or its target.
 */
TEST(places_a_handler_returns_to)
{
	static const uint64_t places[] = { 0x1000, 0x1004, 0x1010, 0x1014 };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct bytes b = { 0 };
		size_t outer, inner;

		/* Two signals, of which the outer one interrupts a conditional branch to 0x1010. */
		put_pcinst(&b, 0, 0x1000, 0x54000080);
		outer = put_pcinst(&b, 0, HANDLER, A64_NOP);
		inner = put_pcinst(&b, 0, 0x8000, A64_SVC);
		put_value(&b, SVCARG, 139);
		for (unsigned n = 0; n < 6; n++)
			put_value(&b, SVCARG, 0);
		put_pcinst(&b, 0, places[i], A64_NOP);
		/*
		 * Back to the outer one's place, the inner one is left without a return. Elsewhere,
		 * the inner handler has said where to go on, and the outer one never ends.
		 */
		if (places[i] != 0x1014)
			assert_one(&b, "xtrace.pc.continuity", inner, 2);
		else
			assert_one(&b, "xtrace.pc.branch", outer, 1);
	}
}

/* ---- results of system calls ---- */

/* A call with 10 in each argument, its result, and what is executed then. */
static size_t put_result(struct bytes *b, uint64_t number, uint64_t result, uint64_t behind)
{
	size_t at;

	put_pcinst(b, 0, 0x1000, A64_SVC);
	put_value(b, SVCARG, number);
	for (unsigned i = 0; i < 6; i++)
		put_value(b, SVCARG, 10);
	at = put_value(b, SVCRET, result);
	put_pcinst(b, 0, behind, A64_NOP);
	return at;
}

/*
 * close (57) returns 0, write (64) at most its third argument; either an error, which are 4,095;
 * getpid (172) up to PID_MAX_LIMIT, openat (56) an int, mmap (222) the address of a page.
 */
TEST(results_of_system_calls)
{
	static const struct {
		uint64_t number, result;
		bool good;
	} calls[] = {
		{ 57, 0, true },
		{ 57, 1, false },
		{ 57, UINT64_MAX, true },
		{ 57, UINT64_MAX - 4094, true },
		{ 57, UINT64_MAX - 4095, false },
		{ 64, 10, true },
		{ 64, 11, false },
		{ 64, UINT64_C(1) << 63, false },
		{ 172, 11, true },
		{ 172, 4 << 20, true },
		{ 172, (4 << 20) + 1, false },
		{ 56, 3, true },
		{ 56, INT32_MAX, true },
		{ 56, UINT64_C(1) << 31, false },
		{ 222, 0x7000, true },
		{ 222, 0x7008, false },
		{ 222, UINT64_C(1) << 52, false },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct bytes b = { .data = NULL };
		size_t at = put_result(&b, calls[i].number, calls[i].result, 0x1004);

		if (calls[i].good)
			assert_good(&b);
		else
			assert_one(&b, "xtrace.register.value", at, 0);
	}
}

/* readv (65), recvmsg (212, whose flags are its third argument): the bytes of all vectors, but
 * with MSG_TRUNC the message's. */
TEST(results_of_calls_with_vectors)
{
	static const struct {
		uint64_t number, flags, result;
		bool good;
	} calls[] = {
		{ 65, 10, 15, true },       { 65, 10, 16, false }, { 66, 10, 15, true },
		{ 212, 0, 15, true },       { 212, 0, 16, false }, { 212, 0x20, 16, true },
		{ 65, 10, 1 << 20, false },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct bytes b = { .data = NULL };
		size_t at;

		put_pcinst(&b, 0, 0x1000, A64_SVC);
		put_value(&b, SVCARG, calls[i].number);
		for (unsigned n = 0; n < 6; n++)
			put_value(&b, SVCARG, n == 2 ? calls[i].flags : 10);
		put_value(&b, SYSCALL_VEC, 2);
		put_number(&b, 0x9000, 8);
		put_number(&b, 7, 8);
		put_number(&b, 0xa000, 8);
		put_number(&b, 8, 8);
		at = put_value(&b, SVCRET, calls[i].result);
		put_inst(&b, 0, A64_NOP);
		if (calls[i].good)
			assert_good(&b);
		else
			assert_one(&b, "xtrace.register.value", at, 0);
	}
}

/* The numbers of a thread (gettid, 178) and of its process (getpid, 172) stay as they are. */
TEST(numbers_of_threads)
{
	static const uint64_t calls[][2] = { { 172, 7 }, { 178, 8 }, { 172, 7 }, { 178, 9 } };

	for (unsigned count = 3; count <= 4; count++) {
		struct bytes b = { .data = NULL }, s = { .data = NULL };
		uint64_t x0 = 0;
		struct trace t;
		size_t at = 0;

		for (unsigned i = 0; i < count; i++) {
			put_pcinst(&b, 0, 0x1000 + 8 * i,
				   0xd2800008 | (uint32_t)calls[i][0] << 5); /* MOV X8, # */
			put_inst(&b, 0, A64_SVC);
			put_value(&b, SVCARG, calls[i][0]);
			for (unsigned n = 0; n < 6; n++)
				put_value(&b, SVCARG, n ? 10 : x0);
			x0 = calls[i][1];
			at = put_value(&b, SVCRET, x0);
		}
		put_pcinst(&b, 0, 0x1000 + 8 * count, A64_NOP);
		put_header(&s);
		open_trace(&t, &b, &s);
		assert_found(&t, &(struct broken){ "xtrace.register.value", at, 7 }, count - 3);
		close_trace(&t);
		free_bytes(&b);
		free_bytes(&s);
	}
}

/* Of a call whose signal is handled first, the handler has its argument there: tgkill is 131. */
TEST(a_result_that_is_a_handlers)
{
	struct bytes b = { .data = NULL };

	put_result(&b, 131, 10, 0x8000);
	put_inst(&b, 0, 0xd2801168); /* MOV X8, #139 */
	put_inst(&b, 0, A64_SVC);    /* rt_sigreturn */
	put_value(&b, SVCARG, 139);
	for (unsigned i = 0; i < 6; i++)
		put_value(&b, SVCARG, 10);
	put_pcinst(&b, 0, 0x1004, A64_NOP);
	assert_good(&b);
}

/* clone(CLONE_CHILD_CLEARTID, ..., x4 = 0xa000), clone3 with the same in memory, or
 * set_tid_address: the kernel writes a 0 of four bytes there, and nothing else. */
static void ended_thread(unsigned way, uint64_t number, uint64_t flags, bool good)
{
	struct bytes b = { .data = NULL };
	const uint64_t args[6] = {
		way == 435 ? 0xb000 : way == 96 ? 0xa000 : flags, 0, 0, 0, 0xa000, 0
	};
	size_t at;

	put_pcinst(&b, 0, 0x1000, A64_STR_FREE);
	put_access(&b, STORE, 3, 0xb000, flags);
	put_inst(&b, 0, A64_STR_FREE);
	put_access(&b, STORE, 3, 0xb010, 0xa000);
	put_inst(&b, 0, A64_SVC);
	put_value(&b, SVCARG, way);
	for (unsigned i = 0; i < 6; i++)
		put_value(&b, SVCARG, args[i]);
	put_value(&b, SVCRET, 7);
	put_inst(&b, 0, 0xb900012a); /* STR W10, [X9] */
	put_access(&b, STORE, 2, 0xa000, 7);
	put_inst(&b, 0, 0xb940012a); /* LDR W10, [X9] */
	at = put_access(&b, LOAD, 2, 0xa000, number);
	if (good)
		assert_good(&b);
	else
		assert_one(&b, "xtrace.memory.value", at, 4);
}

TEST(a_thread_that_ends_clears_its_number)
{
	static const unsigned ways[] = { 96, 220, 435 };

	for (size_t i = 0; i < 3; i++) {
		ended_thread(ways[i], 0, 0x200000, true);
		ended_thread(ways[i], 1, 0x200000, false);
		if (ways[i] != 96)
			ended_thread(ways[i], 0, 0x100000, false);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(address_spaces),
		cmocka_unit_test(vectors_that_the_kernel_fills),
		cmocka_unit_test(targets_are_registers),
		cmocka_unit_test(places_a_handler_returns_to),
		cmocka_unit_test(results_of_system_calls),
		cmocka_unit_test(results_of_calls_with_vectors),
		cmocka_unit_test(numbers_of_threads),
		cmocka_unit_test(a_result_that_is_a_handlers),
		cmocka_unit_test(a_thread_that_ends_clears_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
