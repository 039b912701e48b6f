/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs of instructions, written by hand: the tokens that are expected stand here as hexadecimal
 * digits, from docs/formats/xtrace.md (2.4). Real logs of QEMU are held against a count of their
 * own by tests/differential/insn_log.py.
 */
#include "logs.h"

static void expect_refusal(const char *text, int status)
{
	assert_int_equal(read_text(text), status);
	assert_true(error.status == (enum tl_status)status);
	tl_insn_log_end(&log_read);
}

/* ---- QEMU ---- */

TEST(blocks_are_executed_as_often_as_they_are_traced)
{
	expect_tokens(IN_CALLER RUN("0", "7f10", "1000") IN_CALLED RUN("0", "7f20", "2000")
			      IN_BACK RUN("0", "7f30", "1008"),
		      "09" AT("0010") NOP "01" BL "09" AT("0020") NOP
		      "01" RET "2b" AT("0810") "09" AT("0810") NOP);
	expect_tokens(IN_BACK RUN("0", "7f30", "1008") RUN("0", "7f30", "1008"),
		      "09" AT("0810") NOP "09" AT("0810") NOP);
}

/* "Stopped execution of TB chain before": the block was not executed. */
TEST(a_stopped_block_is_not_executed)
{
	expect_tokens(
		IN_CALLER RUN("0", "7f10", "1000") "Stopped execution of TB chain before 0x7f10 "
						   "[1000] caller\n" RUN("0", "7f10", "1000"),
		"09" AT("0010") NOP "01" BL);
}

/* A translation of a single instruction does not take the place of the longer one. */
TEST(translations_of_one_address_are_told_apart)
{
	expect_tokens(
		IN_CALLER RUN("0", "7f10", "1000") "----------------\nIN: caller\n0x00001000:  "
						   "d503201f  nop\n\n" RUN("0", "7f50", "1000")
							   RUN("0", "7f10", "1000"),
		"09" AT("0010") NOP "01" BL "09" AT("0010") NOP "09" AT("0010") NOP "01" BL);
}

/* A translation that was thrown away: another text stands at its place. */
TEST(a_new_text_replaces_the_one_at_its_place)
{
	expect_tokens(IN_BACK RUN("0", "7f30", "1008") "----------------\nIN: caller\n0x00001008:  "
						       "d65f03c0  ret\n\n" RUN("0", "7f30", "1008")
							       RUN("0", "7f30", "1008"),
		      "09" AT("0810") NOP "09" AT("0810") RET "2b" AT("0810") "09" AT("0810") RET);
}

TEST(processors_have_their_own_streams)
{
	assert_int_equal(read_text(IN_CALLER RUN("0", "7f10", "1000") IN_BACK RUN(
				 "3", "7f30", "1008") RUN("0", "7f10", "1000")),
			 0);
	assert_int_equal(log_read.cpu_count, 2);
	assert_int_equal(log_read.cpus[0].instructions, 4);
	assert_int_equal(log_read.cpus[1].id, 3);
	assert_string_equal(tokens_of(1), "09" AT("0810") NOP);
	tl_insn_log_end(&log_read);
}

TEST(what_a_log_of_qemu_lacks_is_said)
{
	expect_fault(IN_BACK RUN("0", "7f30", "1008") RUN("0", "7f10", "1000"), "block");
	expect_fault(IN_BACK RUN("0", "7f30", "1008") "Linking TBs 0x7f10 index 0 -> 0x7f20\n",
		     "linked");
	/* A branch leads to 2000. */
	expect_fault(IN_CALLER RUN("0", "7f10", "1000") IN_BACK RUN("0", "7f30", "1008"), "flow");
	expect_fault(IN_BACK RUN("0", "7f30", "1008") "Trace 0: broken\n", "line");
	expect_fault(
		IN_BACK RUN("0", "7f30", "1008") "----------------\nIN: x\n0x1000:  d503201f  nop\n"
						 "0x1008:  d503201f  nop\n",
		"line");
}

/* The text of translated code has the same form ("-d out_asm" where the host is AArch64). */
TEST(host_code_is_not_taken_for_instructions)
{
	expect_tokens(IN_BACK "OUT: [size=8]\n0x1008:  d65f03c0  ret\n" RUN("0", "7f30", "1008"),
		      "09" AT("0810") NOP);
}

/* ---- the plugin execlog ---- */

/* f9400001: ldr x1, [x0]; a9bf7bfd: stp x29, x30, [sp, #-0x10]! */
TEST(accesses_have_the_size_of_their_instruction)
{
	expect_tokens("0, 0x1000, 0xf9400001, \"ldr x1, [x0]\", load, 0x00003000, RAM\n"
		      "0, 0x1004, 0xa9bf7bfd, \"stp x29, x30, [sp, #-0x10]!\", store, 0x4000, "
		      "store, 0x4008\n",
		      "09" AT("0010") "010040f9"
				      "32" AT("0030") AT("0000") "01fd7bbfa9"
								 "3a" AT("0040")
									 AT("0000") "3a" AT("0840")
										 AT("0000"));
	expect_fault("0, 0x1000, 0xd503201f, \"nop\", load, 0x3000\n", "access");
	expect_fault("0, 0x1000, 0xd503201f, \"nop\"\n0, broken\n", "line");
}

/* ---- Tarmac ---- */

TEST(tarmac_has_levels_and_accesses)
{
	expect_tokens("0 clk R SP_EL1 0000000000004000\n"
		      "1 clk IT (1) 0000000000001000 f9400001 O EL1h_n : LDR x1,[x0]\n"
		      "1 clk MR8 0000000000003000:000000003000_NS 0000000000000007\n"
		      "1 clk R X1 0000000000000007\n"
		      "2 clk IT (2) 0000000000001004 d503201f O EL0t_n : NOP\n"
		      "2 clk MW12 0000000000003000 00\n",
		      "49" AT("0010") "010040f9"
				      "32" AT("0030") AT("0000") "01" NOP "3a" AT("0030")
					      AT("0000") "2a" AT("0830") "00000000");
	expect_tokens("  120 tic ES (0000000000001000:d503201f) O el3h_s: NOP\n",
		      "c9" AT("0010") NOP);
}

TEST(tarmac_names_its_processors)
{
	assert_int_equal(read_text("1 cs core.cpu0 IT (1) 1000 d503201f O EL1h_n : NOP\n"
				   "1 cs core.cpu1 IT (1) 2000 d503201f O EL1h_n : NOP\n"
				   "2 cs core.cpu0 IS (2) 1004 d503201f O EL1h_n : NOP\n"
				   "2 cs core.cpu1 MW4 3000 00000000\n"),
			 0);
	assert_int_equal(log_read.cpu_count, 2);
	assert_string_equal(tokens_of(0), "49" AT("0010") NOP "41" NOP);
	assert_string_equal(tokens_of(1), "49" AT("0020") NOP "2a" AT("0030") "00000000");
	tl_insn_log_end(&log_read);
}

/* A program of AArch32 amid others: its instructions are not A64. */
TEST(other_states_are_left_out)
{
	expect_fault("1 clk IT (1) 1000 d503201f O EL1h_n : NOP\n"
		     "2 clk IT (2) 8000 e3a00000 A svc_s : MOV r0,#0\n",
		     "set");
	expect_fault("1 clk IT (1) 1000 d503201f O EL1h_n : NOP\n"
		     "2 clk IT (2) 1004 d503201f O EL9h_n : NOP\n",
		     "line");
}

/* ---- what is refused ---- */

TEST(other_instruction_sets_are_refused)
{
	expect_refusal("core   0: 0x0000000080000000 (0x00000297) auipc   t0, 0x0\n",
		       TL_UNSUPPORTED);
	expect_refusal("core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000\n",
		       TL_UNSUPPORTED);
	/* x86-64: bytes, not words */
	expect_refusal(
		"----------------\nIN: _start\n0x004014f0:  31 ed     xorl %ebp, %ebp\n\n" RUN(
			"0", "7f10", "4014f0"),
		TL_UNSUPPORTED);
	/* RISC-V in words, which A64 does not have */
	expect_refusal("----------------\nIN: _start\n0x00010000:  00000297  auipc t0,0\n"
		       "0x00010004:  02028593  addi a1,t0,32\n\n" RUN("0", "7f10", "10000"),
		       TL_UNSUPPORTED);
}

TEST(logs_without_executions_are_refused)
{
	expect_refusal(IN_CALLER, TL_BAD_FORMAT);
	expect_refusal(RUN("0", "7f10", "1000"), TL_BAD_FORMAT);
	expect_refusal("a;b 1\n", TL_BAD_FORMAT);
	assert_int_equal(read_sized(IN_BACK RUN("0", "7f30", "1008") "Trace 0: broken\n",
				    strlen(IN_BACK RUN("0", "7f30", "1008")) + 16, true),
			 TL_BAD_RECORD);
	assert_int_equal(error.offset, strlen(IN_BACK RUN("0", "7f30", "1008")));
	tl_insn_log_end(&log_read);
}

TEST(logs_are_recognised)
{
	static const struct {
		const char *text;
		enum tl_insn_log_form form;
	} rows[] = {
		{ IN_CALLER, TL_INSN_LOG_QEMU },
		{ "host mmap_min_addr=0x10000\n" RUN("0", "7f10", "1000"), TL_INSN_LOG_QEMU },
		{ "0, 0x400580, 0xd503201f, \"nop\"\r\n", TL_INSN_LOG_EXECLOG },
		{ "1 clk IT (1) 1000 d503201f O EL1h_n : NOP\n", TL_INSN_LOG_TARMAC },
		{ "  7 ns cpu R X0 00\n", TL_INSN_LOG_TARMAC },
		{ "core   0: 0x80000000 (0x00000297) auipc t0, 0x0\n", TL_INSN_LOG_SPIKE },
		{ "main;f 1\n", TL_INSN_LOG_NONE },
		{ "IN: a\n", TL_INSN_LOG_NONE },
		{ "core 1 2\n", TL_INSN_LOG_NONE },
		{ "1 clk\n", TL_INSN_LOG_NONE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const size_t size = strlen(rows[i].text);

		assert_int_equal(tl_insn_log_recognize((const uint8_t *)rows[i].text, size),
				 rows[i].form);
		assert_int_equal(tl_insn_log_probe((const uint8_t *)rows[i].text, size) > 0,
				 rows[i].form != TL_INSN_LOG_NONE);
	}
}

/* ---- prefixes and refused allocations ---- */

static const char *const whole[] = {
	IN_CALLER RUN("0", "7f10", "1000") IN_CALLED RUN("0", "7f20", "2000") IN_BACK RUN(
		"1", "7f30", "1008") "Stopped execution of TB chain before 0x7f30 [1008] caller\n",
	"0, 0x1000, 0xf9400001, \"ldr x1, [x0]\", load, 0x00003000, RAM\n0, 0x1004, 0x17ffffff, "
	"\"b\"\n0, oops\n",
	"1 clk cpu0 IT (1) 1000 d503201f O EL1h_n : NOP\n1 clk cpu1 ES (2000:d65f03c0) O EL1h_n "
	": RET\n1 clk cpu1 MW8 3000 00\n2 clk cpu1 IT (2) 1000 e3a00000 A svc_s : MOV\n",
};

/* A prefix is refused, or has no instruction that the whole does not have. */
TEST(prefixes_are_read_or_refused)
{
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		uint64_t all, before = 0;

		assert_int_equal(read_text(whole[i]), 0);
		all = log_read.instructions;
		tl_insn_log_end(&log_read);
		for (size_t size = 0; size < strlen(whole[i]); size++) {
			const int status = read_sized(whole[i], size, false);

			assert_true(status == 0 || status == TL_BAD_FORMAT ||
				    status == TL_UNSUPPORTED);
			/* A stop takes a block back. */
			assert_true(log_read.instructions <= all + 1);
			if (i && status == 0) {
				assert_true(log_read.instructions >= before);
				before = log_read.instructions;
			}
			tl_insn_log_end(&log_read);
		}
	}
}

static int read_step(const void *input, uint64_t *digest)
{
	const int status = read_text(input);

	for (size_t i = 0; status == 0 && i < log_read.cpu_count; i++) {
		size_t size;
		const char *bytes = tl_output_bytes(log_read.cpus[i].tokens, &size);

		refuse_note(digest, bytes, size);
	}
	refuse_note_number(digest, (int64_t)log_read.faults.count);
	tl_insn_log_end(&log_read);
	return status;
}

TEST(each_allocation_is_refused)
{
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		assert_true(refuse_each(read_step, whole[i]) > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_executed_as_often_as_they_are_traced),
		cmocka_unit_test(a_stopped_block_is_not_executed),
		cmocka_unit_test(translations_of_one_address_are_told_apart),
		cmocka_unit_test(a_new_text_replaces_the_one_at_its_place),
		cmocka_unit_test(processors_have_their_own_streams),
		cmocka_unit_test(what_a_log_of_qemu_lacks_is_said),
		cmocka_unit_test(host_code_is_not_taken_for_instructions),
		cmocka_unit_test(accesses_have_the_size_of_their_instruction),
		cmocka_unit_test(tarmac_has_levels_and_accesses),
		cmocka_unit_test(tarmac_names_its_processors),
		cmocka_unit_test(other_states_are_left_out),
		cmocka_unit_test(other_instruction_sets_are_refused),
		cmocka_unit_test(logs_without_executions_are_refused),
		cmocka_unit_test(logs_are_recognised),
		cmocka_unit_test(prefixes_are_read_or_refused),
		cmocka_unit_test(each_allocation_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
