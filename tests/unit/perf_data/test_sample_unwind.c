/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of samples that hold the registers of a process and a copy of its stack: each is put
 * together by hand for the code of a file in fuzz/corpus/cfi, whose rows `readelf -wF` shows. What
 * is in `rules` and `signed` is said in unwound/.
 */
#include "sample_file.h"

#include "refused_fold.h"

/* REGS_USER, STACK_USER. */
#define UNWOUND_TYPE (TYPE | 4096 | 8192)

/* UAPI, enum perf_event_x86_regs: bits of the mask, in whose order the values are. */
enum { BX = 1 << 1, CX = 1 << 2, BP = 1 << 6, SP = 1 << 7, IP = 1 << 8 };
enum { REGISTERS = BX | BP | SP | IP, STACK_WORDS = 20 };

static const uint64_t kernel[] = { KERNEL, 0xffffffff81000000 };

/* A program of the corpus, unless `path` is of another place. */
static void begin_copy(const char *path, uint64_t registers)
{
	static char corpus[1024];
	const char *source = getenv("TL_SOURCE_ROOT");

	snprintf(corpus, sizeof(corpus), "%s/fuzz/corpus/cfi", source ? source : ".");
	begin_wide(&(struct wide_attr){ .sample_type = UNWOUND_TYPE, .regs_user = registers });
	options.sysroot = corpus;
	put_map(&f, PID, 0x10000, 0x1000, path, 2);
}

/* ---- a program that a compiler made ---- */

/*
 * _start called d, d c, c a, a b, of the file fuzz/corpus/cfi/x86_64: return addresses and saved
 * registers are where its disassembly puts them. The stack begins at 0x7000.
 */
static void put_calls_of_d(const char *path, uint64_t ip, size_t pushed, size_t bytes)
{
	uint64_t words[6 + 2 + STACK_WORDS] = { 2, 0xb, 0x7777, 0x7000 - 8 * pushed, 0x10000 + ip };
	uint64_t *stack = words + 6 + pushed;

	words[5] = 8 * STACK_WORDS;
	stack[0] = 0x1035f; /* a, behind its call of b */
	stack[2] = 0x10370; /* c; below it a's caller's rbx */
	stack[5] = 0x7080;  /* d's rbp, saved by c */
	stack[6] = 0x103a2; /* d */
	if (pushed == 0) {
		stack[17] = 0x103b2; /* _start, beside d's frame pointer */
		stack[19] = 0;       /* nothing called _start */
	}
	words[6 + STACK_WORDS] = bytes;
	begin_copy(path, REGISTERS);
	put_wide_sample(kernel, 2, words, 7 + STACK_WORDS);
}

TEST(copies_of_stacks_are_unwound)
{
	put_calls_of_d("/x86_64", 0x353, 0, 8 * STACK_WORDS);
	fold();
	assert_stack("_start;d;c;a;b;[kernel]", 7, 1);
	assert_int_equal(remarks.count, 0);
	done();
}

/* The same where a was called by itself: its return address is there twice. */
TEST(recursion_is_unwound)
{
	uint64_t words[6 + 2 + STACK_WORDS] = { 2, 0xb, 0x7777, 0x7000, 0x10353, 8 * STACK_WORDS };
	uint64_t *stack = words + 6;

	stack[0] = stack[2] = 0x1035f;
	stack[4] = 0x10370;
	stack[7] = 0x7080;
	stack[8] = 0x103a2;
	stack[17] = 0x103b2;
	words[6 + STACK_WORDS] = 8 * STACK_WORDS;
	begin_copy("/x86_64", REGISTERS);
	put_wide_sample(kernel, 2, words, 7 + STACK_WORDS);
	fold();
	assert_stack("_start;d;c;a;a;b;[kernel]", 7, 1);
	assert_int_equal(remarks.count, 0);
	done();
}

/* At 0x31b the linkage table has pushed a number; its CFA is an expression with the address. */
TEST(linkage_tables_are_unwound)
{
	put_calls_of_d("/x86_64", 0x31b, 1, 0x40);
	fold();
	assert_stack("d;c;a;b@plt;[kernel]", 7, 1);
	assert_int_equal(remarks.count, 1);
	done();
}

TEST(copies_that_end_are_cut)
{
	put_calls_of_d("/x86_64", 0x353, 0, 0x30);
	fold();
	assert_stack("c;a;b;[kernel]", 7, 1);
	assert_remark(
		"1 of 1 stacks (100.0 %) end with the bytes that were copied: callers further "
		"out are missing (`perf record --call-graph dwarf,BYTES` copies up to 65528)");
	done();
}

TEST(stacks_of_files_that_are_missing)
{
	put_calls_of_d("/nowhere", 0x353, 0, 8 * STACK_WORDS);
	fold();
	assert_stack("[nowhere];[kernel]", 7, 1);
	assert_int_equal(remarks.count, 2);
	assert_string_equal(remarks.list[0],
			    "1 of 1 stacks end in /nowhere, without their callers: no such file");
	done();
}

/* ---- signals ---- */

/*
 * A signal arrived at `rip`; its handler is b, which returns to 0x351. The stack begins at 0x7000,
 * that of what was interrupted at 0x7100, and `rbp` was saved, which the handler has changed.
 */
static void put_interrupted(uint64_t rip, uint64_t rbp, uint64_t back_at)
{
	uint64_t words[1 + 4 + 1 + 64 + 1] = { 2, 0, 0, 0x7000, 0x10353, 8 * 64 };
	uint64_t *stack = words + 6;

	stack[0] = 0x10351;
	/* `readelf -wf`, from the stack pointer behind the return: CFA 160, rbp 120, rip 168. */
	stack[1 + 160 / 8] = 0x7100;
	stack[1 + 120 / 8] = rbp;
	stack[1 + 168 / 8] = 0x10000 + rip;
	stack[(back_at - 0x7000) / 8] = 0x103b2; /* in _start, which nothing called */
	words[6 + 64] = 8 * 64;
	begin_copy("/x86_64", REGISTERS);
	put_wide_sample(NULL, 0, words, 7 + 64);
}

/* In front of a's first instruction. */
TEST(signals_interrupt_exactly)
{
	put_interrupted(0x357, 0x7180, 0x7100);
	fold();
	assert_stack("_start;a;trampoline;b", 7, 1);
	assert_int_equal(remarks.count, 0);
	done();
}

/* d's CFA is rbp + 16: the register as it was before the signal. */
TEST(frame_pointers_behind_a_signal)
{
	put_interrupted(0x390, 0x71a0, 0x71a8);
	fold();
	assert_stack("_start;d;trampoline;b", 7, 1);
	assert_int_equal(remarks.count, 0);
	done();
}

/* ---- frames of each kind ---- */

enum { WORDS = 16, LEAF = 0x10090 };

/* A copy of the stack from 0x7000 on: words at addresses. */
struct copied {
	uint64_t at, word;
};

static void put_copied(const uint64_t *registers, size_t count, const struct copied *list)
{
	uint64_t words[1 + 40 + 1 + WORDS + 1] = { 2 }, *stack = words + 1 + count + 1;

	memcpy(words + 1, registers, count * sizeof(*registers));
	stack[-1] = 8 * WORDS;
	for (; list->at; list++)
		stack[(list->at - 0x7000) / 8] = list->word;
	stack[WORDS] = 8 * WORDS;
	put_wide_sample(NULL, 0, words, 1 + count + 1 + WORDS + 1);
}

/* A sample in leaf of `rules`, with these in rbx and rbp. */
static void fold_leaf(uint64_t rbx, uint64_t rbp, const struct copied *list)
{
	const uint64_t registers[] = { rbx, rbp, 0x7000, LEAF };

	begin_copy("/rules", REGISTERS);
	put_copied(registers, 4, list);
	fold();
}

#define FOLD_LEAF(rbx, rbp, ...)                                                                   \
	fold_leaf(rbx, rbp, (const struct copied[]){ __VA_ARGS__, { 0, 0 } })

static void assert_whole(const char *stack)
{
	assert_stack(stack, 7, 1);
	assert_int_equal(remarks.count, 0);
	done();
}

static void assert_partial(const char *stack, const char *remark)
{
	assert_stack(stack, 7, 1);
	assert_remark(remark);
	done();
}

static const char lost[] = "1 of 1 stacks (100.0 %) end where the unwind tables lead nowhere";
static const char cut[] =
	"1 of 1 stacks (100.0 %) end with the bytes that were copied: callers further "
	"out are missing (`perf record --call-graph dwarf,BYTES` copies up to 65528)";
static const char by_frame[] = "1 of 1 stacks go on in /rules by the frame pointer, and may lack a "
			       "caller: no unwind table says how its code goes on";
static const char ended[] = "1 of 1 stacks end in /rules, without their callers: no unwind table "
			    "says how its code goes on";

/* leaf's own row says nothing of rbx, which by_rbx needs. */
TEST(registers_that_callees_keep)
{
	const uint64_t without[] = { 0x7020, 0x7000, LEAF };

	FOLD_LEAF(0x7020, 0, { 0x7000, 0x100a5 }, { 0x7028, 0x100b5 });
	assert_whole("ends;by_rbx;leaf");
	begin_copy("/rules", BP | SP | IP);
	put_copied(without, 3, (const struct copied[]){ { 0x7000, 0x100a5 }, { 0, 0 } });
	fold();
	assert_partial("by_rbx;leaf", lost);
}

TEST(saved_frame_pointers)
{
	FOLD_LEAF(0, 0, { 0x7000, 0x100d5 }, { 0x7008, 0x7020 }, { 0x7010, 0x10085 }, { 0x7020, 0 },
		  { 0x7028, 0x100b5 });
	assert_partial("ends;none;frame;leaf", by_frame);
}

/* DW_CFA_def_cfa with a distance of 4 GiB. */
TEST(frames_of_any_size)
{
	FOLD_LEAF(0, 0, { 0x7000, 0x100c5 });
	assert_partial("far;leaf", cut);
}

/* The caller's frame pointer stands at the frame pointer, its address above. */
TEST(code_without_rows_goes_on_by_the_frame_pointer)
{
	FOLD_LEAF(0, 0x7010, { 0x7000, 0x10085 }, { 0x7010, 0x7030 }, { 0x7018, 0x10086 },
		  { 0x7030, 0 }, { 0x7038, 0x100b5 });
	assert_stack("ends;none;none;leaf", 7, 1);
	assert_remark("2 of 1 stacks go on in /rules by the frame pointer, and may lack a caller: "
		      "no unwind table says how its code goes on");
	done();
}

TEST(frame_pointers_that_lead_nowhere)
{
	static const struct {
		uint64_t rbp, back;
	} rows[] = {
		{ 0x7000, 0x100b5 },             /* below the stack */
		{ 0x7000 + 8 * WORDS, 0x100b5 }, /* behind the copy */
		{ 0x6ff8 + 8 * WORDS, 0x100b5 }, /* half of it */
		{ 0x7010, 0x900000 },            /* no code is there */
		{ 0x7010, 0xffffffff81000000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		FOLD_LEAF(0, rows[i].rbp, { 0x7000, 0x10085 }, { 0x7008, 0x100b5 },
			  { 0x7018, rows[i].back });
		assert_partial("none;leaf", ended);
	}
}

TEST(the_entry_point_is_outermost)
{
	FOLD_LEAF(0, 0, { 0x7000, 0x100f5 });
	assert_whole("entry;leaf");
}

TEST(null_is_no_caller)
{
	FOLD_LEAF(0, 0, { 0x7000, 0 });
	assert_whole("leaf");
}

TEST(callers_where_nothing_is_mapped)
{
	FOLD_LEAF(0, 0, { 0x7000, 0x900000 });
	assert_partial("[unknown];leaf",
		       "1 of 1 stacks (100.0 %) end at an address where nothing was mapped");
}

/* d's CFA is rbp + 16, of which the stack pointer is above, or nothing is known. */
TEST(frames_below_their_callees)
{
	const uint64_t below[] = { 0, 0x6ff0, 0x7000, 0x10390 }, without[] = { 0, 0x7000, 0x10390 };
	const struct copied nothing = { 0, 0 };

	begin_copy("/x86_64", REGISTERS);
	put_copied(below, 4, &nothing);
	fold();
	assert_partial("d", lost);
	begin_copy("/x86_64", BX | SP | IP);
	put_copied(without, 3, &nothing);
	fold();
	assert_partial("d", lost);
}

/* A return address below the copy was not saved where the row says. */
TEST(more_of_the_stack_than_was_copied)
{
	uint64_t words[] = { 2, 0, 0, 0x7000, LEAF, 8, 0x100d5, 4 };

	begin_copy("/rules", REGISTERS);
	put_wide_sample(NULL, 0, words, 8);
	fold();
	assert_partial("leaf", cut);
}

/* ---- in the kernel ---- */

/* A process in a system call, with these in rcx and rip. */
static void fold_call(uint64_t rcx, uint64_t rip)
{
	uint64_t words[1 + 5 + 1 + 2 + 1] = { 2, 0, rcx, 0x7010, 0x7000, rip, 16, 0x100b5, 0, 16 };

	begin_copy("/rules", REGISTERS | CX);
	put_wide_sample(kernel, 2, words, 10);
	fold();
}

/* "SYSCALL ... saving RIP of the following instruction in RCX" (Intel SDM, volume 2). */
TEST(calls_of_the_kernel_that_end_a_function)
{
	fold_call(0x100e2, 0x100e2);
	assert_whole("ends;call;[kernel]");
	fold_call(0x100e1, 0x100e2);
	assert_partial("behind;[kernel]", ended);
	/* Neither byte has a row. */
	fold_call(0x10084, 0x10084);
	assert_partial("none;[kernel]", ended);
}

/* The maps of the new program are not there yet. */
TEST(processes_between_two_programs)
{
	fold_call(0, 0x900000);
	assert_whole("[kernel]");
}

/* ---- other machines ---- */

static const char unreadable[] = "1 of 1 stacks (100.0 %) were not unwound: their registers are of "
				 "another architecture, or too few";

TEST(registers_that_are_too_few)
{
	const uint64_t registers[] = { 0, LEAF };
	const struct copied nothing = { 0, 0 };

	begin_copy("/rules", BP | IP);
	put_copied(registers, 2, &nothing);
	fold();
	assert_partial("[unknown]", unreadable);
	begin_copy("/rules", BP | SP);
	put_copied(registers, 2, &nothing);
	fold();
	assert_partial("[unknown]", unreadable);
}

/* PERF_SAMPLE_REGS_ABI_NONE: a thread of the kernel has no stack of a process. */
TEST(threads_without_registers)
{
	const uint64_t words[] = { 0, 8, 0, 8 };

	begin_copy("/rules", REGISTERS);
	put_wide_sample(NULL, 0, words, 4);
	fold();
	assert_whole("[unknown]");
}

/* enum perf_event_arm_regs: x0 to x30, sp, pc. */
#define ARM_REGISTERS ((UINT64_C(1) << 33) - 1)

static void fold_arm(uint64_t x30, uint64_t pc, const struct copied *list)
{
	uint64_t registers[33] = { 0 };

	registers[30] = x30;
	registers[31] = 0x7000;
	registers[32] = pc;
	begin_copy("/signed", ARM_REGISTERS);
	put_copied(registers, 33, list);
	fold();
}

/* The signature is above the 48 bits of an address; leaf has its return address in x30. */
TEST(signed_return_addresses)
{
	const struct copied list[] = { { 0x7000, 0x7040 },
				       { 0x7008, UINT64_C(0xab3400000001007c) },
				       { 0, 0 } };

	fold_arm(0x10094, 0x10080, list);
	assert_whole("entry;frame;leaf");
}

TEST(a_frame_that_is_its_own_caller)
{
	const struct copied nothing = { 0, 0 };

	fold_arm(0x10080, 0x10080, &nothing);
	assert_partial("leaf", lost);
}

/* Words of 4 bytes: _start called d, and d c; c called a, which called b. */
TEST(machines_of_32_bits)
{
	/* AX BX CX DX SI DI BP SP IP */
	uint64_t words[1 + 9 + 1 + 32 + 1] = { 1, 1,      2,      3,       4,      5,
					       6, 0x7060, 0x7000, 0x10233, 8 * 32, 0 };
	const uint32_t stack[][2] = {
		{ 0x7000, 0x10255 },      /* CFA of b: 0x7004 */
		{ 0x7020, 0x10278 },      /* of a: + 32 = 0x7024 */
		{ 0x7024 + 28, 0x102bf }, /* of c: + 32 = 0x7044 */
		{ 0x7060 - 8, 0x7080 },   /* of d: at ebp - 8 */
		{ 0x707c, 0x102e2 },      /* what d returns to */
		{ 0x7080 + 28, 0 },       /* _start: + 32 */
	};

	for (size_t i = 0; i < sizeof(stack) / sizeof(stack[0]); i++)
		memcpy((uint8_t *)(words + 11) + (stack[i][0] - 0x7000), &stack[i][1], 4);
	words[11 + 32] = 8 * 32;
	begin_copy("/i386", 0x1ff);
	put_wide_sample(NULL, 0, words, 12 + 32);
	fold();
	assert_whole("_start;d;c;a;b");
}

/* ---- files ---- */

TEST(files_without_tables)
{
	const uint64_t registers[] = { 0, 0, 0x7000, LEAF };
	const struct copied nothing = { 0, 0 };

	write_file("text", "#!/bin/sh\n", 10);
	begin_copy("/text", REGISTERS);
	options.sysroot = root;
	put_copied(registers, 4, &nothing);
	fold();
	assert_int_equal(remarks.count, 2);
	assert_string_equal(remarks.list[0], "1 of 1 stacks end in /text, without their callers: "
					     "its file cannot be read");
	done();
}

TEST(without_memory)
{
	const uint64_t registers[] = { 0x7020, 0x7030, 0x7000, LEAF };
	const struct copied list[] = { { 0x7000, 0x100a5 },
				       { 0x7028, 0x10085 },
				       { 0x7030, 0 },
				       { 0x7038, 0x100c5 },
				       { 0, 0 } };

	begin_copy("/rules", REGISTERS);
	put_copied(registers, 4, list);
	fold();
	assert_stack("far;none;by_rbx;leaf", 7, 1);
	assert_int_equal(remarks.count, 2);
	done();
	assert_true(refuse_each_of_fold(&f) > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_of_stacks_are_unwound),
		cmocka_unit_test(recursion_is_unwound),
		cmocka_unit_test(linkage_tables_are_unwound),
		cmocka_unit_test(copies_that_end_are_cut),
		cmocka_unit_test(stacks_of_files_that_are_missing),
		cmocka_unit_test(signals_interrupt_exactly),
		cmocka_unit_test(frame_pointers_behind_a_signal),
		cmocka_unit_test(registers_that_callees_keep),
		cmocka_unit_test(saved_frame_pointers),
		cmocka_unit_test(frames_of_any_size),
		cmocka_unit_test(code_without_rows_goes_on_by_the_frame_pointer),
		cmocka_unit_test(frame_pointers_that_lead_nowhere),
		cmocka_unit_test(the_entry_point_is_outermost),
		cmocka_unit_test(null_is_no_caller),
		cmocka_unit_test(callers_where_nothing_is_mapped),
		cmocka_unit_test(frames_below_their_callees),
		cmocka_unit_test(more_of_the_stack_than_was_copied),
		cmocka_unit_test(calls_of_the_kernel_that_end_a_function),
		cmocka_unit_test(processes_between_two_programs),
		cmocka_unit_test(registers_that_are_too_few),
		cmocka_unit_test(threads_without_registers),
		cmocka_unit_test(signed_return_addresses),
		cmocka_unit_test(a_frame_that_is_its_own_caller),
		cmocka_unit_test(machines_of_32_bits),
		cmocka_unit_test(files_without_tables),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
