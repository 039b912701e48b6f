/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole listings of blocks, instructions and events, in the form of ptxed (12.2), written by hand;
 * instructions by both decoders, which must agree.
 */
#include "said.h"

#include "../pt_trace.h"
#include "intel_pt/listing/text.h"

#define TSC(n) 0x19, (n) & 0xff, (n) >> 8 & 0xff, 0, 0, 0, 0, 0
#define INSNS (TL_PT_TEXT_INSNS | TL_PT_TEXT_EVENTS)

/*
 * 1000 nop; 1001 je 1005; 1003 nop; 1004 nop; 1005 call 1010; 100a jmp rax; 100c jmp 1003;
 * 100e (no instruction); 1010 ret; 1011 hlt
 */
enum { AT = 0x1000 };
static const uint8_t code[] = {
	0x90, 0x74, 0x02, 0x90, 0x90, 0xe8, 0x06, 0,    0,
	0,    0xff, 0xe0, 0xeb, 0xf5, 0x06, 0x06, 0xc3, 0xf4,
};
/* je taken, the call, its return, the jump; from 1003 on the same, until tracing ends at it. */
#define LOOP START(AT), TNT2(1, 1), TIP(AT + 3), TNT1(1), PGD_BARE
#define LOOP_INSNS                                                                                 \
	"0000000000001000\n0000000000001001\n0000000000001005\n0000000000001010\n"                 \
	"000000000000100a\n0000000000001003\n0000000000001004\n0000000000001005\n"                 \
	"0000000000001010\n000000000000100a\n"

static struct tl_pt_image *image;
static struct tl_pt_config config;
static struct tl_pt_lost losses[4];
static unsigned loss_count;

static int begin(void **state __attribute__((unused)))
{
	config = (struct tl_pt_config){ .size = sizeof(config) };
	image = tl_pt_image_open("dump");
	said_begin();
	return tl_pt_image_add_memory(image, code, sizeof(code), NULL, AT, 1) < 0;
}

static int end(void **state __attribute__((unused)))
{
	said_end();
	tl_pt_image_close(image);
	return 0;
}

static void note_loss(void *arg __attribute__((unused)), const struct tl_pt_lost *lost)
{
	assert_true(loss_count < 4);
	losses[loss_count++] = *lost;
}

static void want_dump(struct tl_pt_show show, const char *wanted)
{
	struct tl_error err;

	for (int by_block = 0; by_block < 2; by_block++) {
		if (by_block)
			show.flags |= TL_PT_TEXT_BY_BLOCK;
		else if (show.flags & TL_PT_TEXT_BLOCKS)
			continue;
		loss_count = 0;
		assert_int_equal(
			tl_pt_dump_flow(&config, image, &show, said, note_loss, NULL, NULL, &err),
			0);
		want_said(wanted);
	}
}

static void want_lines(unsigned flags, const char *wanted)
{
	want_dump((struct tl_pt_show){ .flags = flags }, wanted);
}

#define TRACE(...)                                                                                 \
	static const uint8_t trace[] = { __VA_ARGS__ };                                            \
	config.begin = trace;                                                                      \
	config.end = trace + sizeof(trace)

/*
 * As `perf script --itrace=b` lists them: a branch that was not taken is none, where tracing begins
 * there is no "from", where it ends no "to".
 */
#define NOWHERE "               -"

TEST(branches)
{
	TRACE(LOOP);
	want_lines(TL_PT_TEXT_BRANCHES,
		   NOWHERE "  0000000000001000  begin\n"
			   "0000000000001001  0000000000001005  conditional\n"
			   "0000000000001005  0000000000001010  call\n"
			   "0000000000001010  000000000000100a  return\n"
			   "000000000000100a  0000000000001003  indirect-jump\n"
			   "0000000000001005  0000000000001010  call\n"
			   "0000000000001010  000000000000100a  return\n"
			   "000000000000100a  " NOWHERE "  indirect-jump\n");
}

/* An interrupt comes from an instruction that was not executed; what it goes to may be told. */
TEST(branches_and_interrupts)
{
	TRACE(START(AT), TNT1(0), FUP(AT + 4), TIP(AT + 0xc), FUP(AT + 3), PGD_BARE);
	want_lines(TL_PT_TEXT_BRANCHES, NOWHERE "  0000000000001000  begin\n"
						"0000000000001004  000000000000100c  interrupt\n"
						"000000000000100c  0000000000001003  jump\n"
						"0000000000001003  " NOWHERE "  interrupt\n");
}

/* "One line per instruction: `%016x` of its address"; "the first "enabled" is not printed" */
TEST(instructions)
{
	struct tl_pt_flow_counts counts = { 0 };
	struct tl_pt_show show = { .flags = INSNS };
	struct tl_error err;

	TRACE(LOOP);
	want_lines(INSNS, LOOP_INSNS "[disabled]\n");
	want_lines(TL_PT_TEXT_INSNS, LOOP_INSNS);
	want_lines(INSNS | TL_PT_TEXT_BLOCKS, "[block]\n"
					      "0000000000001000\n0000000000001001\n[block]\n"
					      "0000000000001005\n0000000000001010\n[block]\n"
					      "000000000000100a\n[block]\n"
					      "0000000000001003\n0000000000001004\n"
					      "0000000000001005\n0000000000001010\n[block]\n"
					      "000000000000100a\n[disabled]\n");
	for (int i = 0; i < 3; i++) {
		static const unsigned flags[] = { INSNS, INSNS | TL_PT_TEXT_BY_BLOCK,
						  TL_PT_TEXT_BY_BLOCK };

		show.flags = flags[i];
		counts = (struct tl_pt_flow_counts){ 0 };
		assert_int_equal(
			tl_pt_dump_flow(&config, image, &show, said, NULL, NULL, &counts, &err), 0);
		assert_int_equal(counts.insns, 10);
		assert_int_equal(counts.blocks, i ? 5 : 0);
		want_said(i == 2 ? "" : LOOP_INSNS "[disabled]\n");
	}
}

/* Without instructions a block is a line: first and last address, how many, mode, how it ends. */
TEST(blocks)
{
	TRACE(LOOP);
	want_lines(TL_PT_TEXT_BLOCKS,
		   "0000000000001000  0000000000001001      2  64-bit  cond_jump\n"
		   "0000000000001005  0000000000001010      2  64-bit  return\n"
		   "000000000000100a  000000000000100a      1  64-bit  jump\n"
		   "0000000000001003  0000000000001010      4  64-bit  return\n"
		   "000000000000100a  000000000000100a      1  64-bit  jump\n");
}

/* "`? ` in front when speculative"; "begin transaction, aborted, committed" */
TEST(transactions)
{
	TRACE(START(AT), IN_TX, FUP(AT + 1), TNT2(1, 1), OUT_OF_TX, FUP(AT + 0xa), PGD_BARE);

	want_lines(INSNS, "0000000000001000\n[begin transaction]\n? 0000000000001001\n"
			  "? 0000000000001005\n? 0000000000001010\n[committed]\n"
			  "000000000000100a\n[disabled]\n");
	want_lines(TL_PT_TEXT_BLOCKS,
		   "0000000000001000  0000000000001000      1  64-bit  other\n"
		   "? 0000000000001001  0000000000001001      1  64-bit  cond_jump\n"
		   "? 0000000000001005  0000000000001010      2  64-bit  return\n"
		   "000000000000100a  000000000000100a      1  64-bit  jump\n");
	want_lines(TL_PT_TEXT_BLOCKS | TL_PT_TEXT_JSON,
		   "{\"ip\":\"0x1000\",\"end_ip\":\"0x1000\",\"isid\":1,\"mode\":\"64-bit\","
		   "\"iclass\":\"other\",\"ninsn\":1}\n"
		   "{\"ip\":\"0x1001\",\"end_ip\":\"0x1001\",\"isid\":1,\"mode\":\"64-bit\","
		   "\"iclass\":\"cond_jump\",\"ninsn\":1,\"speculative\":true}\n"
		   "{\"ip\":\"0x1005\",\"end_ip\":\"0x1010\",\"isid\":1,\"mode\":\"64-bit\","
		   "\"iclass\":\"return\",\"ninsn\":2,\"speculative\":true}\n"
		   "{\"ip\":\"0x100a\",\"end_ip\":\"0x100a\",\"isid\":1,\"mode\":\"64-bit\","
		   "\"iclass\":\"jump\",\"ninsn\":1}\n");
	want_lines(TL_PT_TEXT_INSNS | TL_PT_TEXT_JSON,
		   "{\"ip\":\"0x1000\",\"isid\":1,\"mode\":\"64-bit\",\"iclass\":\"other\","
		   "\"size\":1}\n"
		   "{\"ip\":\"0x1001\",\"isid\":1,\"mode\":\"64-bit\",\"iclass\":\"cond_jump\","
		   "\"size\":2,\"speculative\":true}\n"
		   "{\"ip\":\"0x1005\",\"isid\":1,\"mode\":\"64-bit\",\"iclass\":\"call\","
		   "\"size\":5,\"speculative\":true}\n"
		   "{\"ip\":\"0x1010\",\"isid\":1,\"mode\":\"64-bit\",\"iclass\":\"return\","
		   "\"size\":1,\"speculative\":true}\n"
		   "{\"ip\":\"0x100a\",\"isid\":1,\"mode\":\"64-bit\",\"iclass\":\"jump\","
		   "\"size\":2}\n");
}

/* Bytes stand in a column of fifteen; the text of an instruction behind them. */
TEST(bytes_and_text)
{
	TRACE(START(AT), TNT1(1), PGD(AT + 0x10));

	want_lines(TL_PT_TEXT_INSNS | TL_PT_TEXT_RAW,
		   "0000000000001000 90                                          \n"
		   "0000000000001001 74 02                                       \n"
		   "0000000000001005 e8 06 00 00 00                              \n");
	want_lines(TL_PT_TEXT_INSNS | TL_PT_TEXT_DISASSEMBLE, "0000000000001000  nop\n"
							      "0000000000001001  jz 0x1005\n"
							      "0000000000001005  call 0x1010\n");
	want_lines(TL_PT_TEXT_INSNS | TL_PT_TEXT_DISASSEMBLE | TL_PT_TEXT_JSON,
		   "{\"ip\":\"0x1000\",\"isid\":1,\"mode\":\"64-bit\",\"iclass\":\"other\","
		   "\"size\":1,\"text\":\"nop\"}\n"
		   "{\"ip\":\"0x1001\",\"isid\":1,\"mode\":\"64-bit\",\"iclass\":\"cond_jump\","
		   "\"size\":2,\"text\":\"jz 0x1005\"}\n"
		   "{\"ip\":\"0x1005\",\"isid\":1,\"mode\":\"64-bit\",\"iclass\":\"call\","
		   "\"size\":5,\"text\":\"call 0x1010\"}\n");
}

/* 40 is inc in code of 32 bits, a prefix in code of 64; of 16 bits there is no text. */
TEST(modes)
{
	static const uint8_t old[] = { 0x40, 0x90, 0xff, 0xe0 };
	struct tl_pt_image *whole = image;

	TRACE(PSB, MODE_32, FUP(0x3000), PSBEND, MODE_16, TIP(0x3000), PGD_BARE);
	image = tl_pt_image_open("old");
	assert_int_equal(tl_pt_image_add_memory(image, old, sizeof(old), NULL, 0x3000, 2), 0);
	want_lines(INSNS | TL_PT_TEXT_DISASSEMBLE,
		   "0000000000003000  inc eax\n0000000000003001  nop\n"
		   "0000000000003002  jmp eax\n[exec mode: 16-bit]\n"
		   "0000000000003000\n0000000000003001\n0000000000003002\n[disabled]\n");
	want_lines(TL_PT_TEXT_EVENTS | TL_PT_TEXT_JSON,
		   "{\"offset\":0,\"event\":\"enabled\",\"ip\":\"0x3000\",\"status_update\":true,"
		   "\"resumed\":false}\n"
		   "{\"offset\":16,\"event\":\"exec_mode\",\"ip\":\"0x3000\","
		   "\"status_update\":true,\"mode\":\"32-bit\"}\n"
		   "{\"offset\":27,\"event\":\"exec_mode\",\"ip\":\"0x3000\","
		   "\"mode\":\"16-bit\"}\n"
		   "{\"offset\":36,\"event\":\"disabled\"}\n");
	tl_pt_image_close(image);
	image = whole;
}

/* "Errors: `[OFFSET, IP: error: TEXT]`, hex without padding"; then at the next PSB. */
TEST(damage)
{
	TRACE(START(AT), TNT1(1), 0x05, START(AT + 3), TNT1(1), PGD_BARE);

	want_lines(INSNS, "0000000000001000\n0000000000001001\n"
			  "[1c, 1001: error: unknown opcode]\n"
			  "0000000000001003\n0000000000001004\n0000000000001005\n"
			  "0000000000001010\n000000000000100a\n[disabled]\n");
	assert_int_equal(loss_count, 1);
	assert_int_equal(losses[0].why, TL_PT_BAD_OPC);
	assert_int_equal(losses[0].from, 28);
	assert_int_equal(losses[0].to, 29);
	assert_int_equal(losses[0].ip, 0x1001);
	want_lines(TL_PT_TEXT_JSON,
		   "{\"offset\":28,\"error\":\"unknown opcode\",\"ip\":\"0x1001\"}\n");
}

/*
 * The code ends, or is none: before the instruction that cannot be read. The next PSB is used
 * although the flow read it already, behind the target that has no code.
 */
TEST(code_missing)
{
	TRACE(START(AT), TNT2(1, 1), TIP(0x5000), START(AT + 0xe), TNT1(1), START(AT), TNT1(0),
	      PGD_BARE);

	want_lines(INSNS, "0000000000001000\n0000000000001001\n0000000000001005\n"
			  "0000000000001010\n000000000000100a\n"
			  "[23, 5000: error: no memory mapped at this address]\n"
			  "[3f, 100e: error: unknown instruction]\n"
			  "0000000000001000\n0000000000001001\n0000000000001003\n"
			  "0000000000001004\n0000000000001005\n0000000000001010\n"
			  "[disabled]\n");
	assert_int_equal(loss_count, 2);
	assert_int_equal(losses[0].why, TL_PT_NOMAP);
	assert_int_equal(losses[0].from, 0x23);
	assert_int_equal(losses[0].to, 0x23);
	assert_int_equal(losses[1].why, TL_PT_BAD_INSN);
	assert_int_equal(losses[1].from, 0x3f);
	assert_int_equal(losses[1].to, 0x3f);
}

/* What is behind the last PSB is lost to the end. */
TEST(lost_to_the_end)
{
	TRACE(START(AT), TIP(0x5000), START(AT + 0xe), TNT1(1), TNT2(1, 1));

	want_lines(INSNS, "0000000000001000\n0000000000001001\n"
			  "[1b, 1001: error: trace stream does not match query]\n"
			  "[3e, 100e: error: unknown instruction]\n");
	assert_int_equal(loss_count, 2);
	assert_int_equal(losses[0].to, 0x22);
	assert_int_equal(losses[1].from, 0x3e);
	assert_int_equal(losses[1].to, sizeof(trace));
}

/* "After an error go on at the next location instead of the next PSB (9.9)": the TIP gives one. */
TEST(next_location)
{
	TRACE(START(AT), TNT2(1, 1), TIP(AT), TIP(AT + 3), TNT1(1), PGD_BARE, PGE(AT), TNT1(0),
	      PGD_BARE);

	want_lines(INSNS | TL_PT_TEXT_RESYNC,
		   "0000000000001000\n0000000000001001\n0000000000001005\n0000000000001010\n"
		   "000000000000100a\n0000000000001000\n0000000000001001\n"
		   "[23, 1001: error: trace stream does not match query]\n"
		   "0000000000001003\n0000000000001004\n0000000000001005\n0000000000001010\n"
		   "000000000000100a\n[disabled]\n"
		   "[enabled]\n0000000000001000\n0000000000001001\n"
		   "0000000000001003\n0000000000001004\n0000000000001005\n"
		   "0000000000001010\n[disabled]\n");
	assert_int_equal(loss_count, 1);
	assert_int_equal(losses[0].why, TL_PT_BAD_QUERY);
	assert_int_equal(losses[0].from, 0x23);
	assert_int_equal(losses[0].to, 0x2a); /* behind the TIP that gives the location */
	assert_int_equal(losses[0].ip, 0x1001);
}

/* "`end of trace`": where the processor traced until the end. */
TEST(end_of_trace)
{
	TRACE(START(AT), TNT1(0));

	want_lines(INSNS, "0000000000001000\n0000000000001001\n"
			  "[end of trace]\n");
	want_lines(INSNS | TL_PT_TEXT_QUIET, "0000000000001000\n0000000000001001\n");
	want_lines(TL_PT_TEXT_EVENTS | TL_PT_TEXT_QUIET, "");
}

/* A PSB+ that says nothing sensible, and no PSB at all. */
TEST(no_beginning)
{
	TRACE(PSB, FUP(AT), TNT1(1), PSBEND);

	want_lines(INSNS, "[17, 0: error: unexpected packet context]\n");
	config.begin += 16;
	want_lines(INSNS, "");
	config.begin = config.end + 1;
	assert_int_equal(tl_pt_dump_flow(&config, image, &(struct tl_pt_show){ 0 }, said, NULL,
					 NULL, NULL, NULL),
			 TL_BAD_USAGE);
}

static bool is_wanted(void *arg, uint64_t ip)
{
	return ip == *(const uint64_t *)arg;
}

/* A filter of addresses leaves out events at others, and those without one. */
TEST(filter)
{
	uint64_t ip = AT + 5;

	TRACE(LOOP);
	want_dump((struct tl_pt_show){ .flags = INSNS, .wanted = is_wanted, .arg = &ip },
		  "0000000000001005\n0000000000001005\n");
	want_dump(
		(struct tl_pt_show){ .flags = TL_PT_TEXT_BLOCKS, .wanted = is_wanted, .arg = &ip },
		"0000000000001005  0000000000001010      2  64-bit  return\n");
	ip = AT;
	want_dump((struct tl_pt_show){ .flags = TL_PT_TEXT_EVENTS | TL_PT_TEXT_JSON,
				       .wanted = is_wanted,
				       .arg = &ip },
		  "{\"offset\":0,\"event\":\"enabled\",\"ip\":\"0x1000\",\"status_update\":true,"
		  "\"resumed\":false}\n"
		  "{\"offset\":16,\"event\":\"exec_mode\",\"ip\":\"0x1000\","
		  "\"status_update\":true,\"mode\":\"64-bit\"}\n");
}

/* A block, and the event at its end, have the time of the packet behind which the walk stands. */
TEST(windows)
{
	TRACE(PSB, TSC(100), MODE_64, FUP(AT), PSBEND, TNT2(1, 1), TSC(200), TIP(AT + 3), TNT1(1),
	      TSC(300), PGD_BARE);

	want_dump((struct tl_pt_show){ .flags = INSNS, .from_ticks = 101, .to_ticks = 300 },
		  "000000000000100a\n0000000000001003\n0000000000001004\n"
		  "0000000000001005\n0000000000001010\n000000000000100a\n");
	want_dump((struct tl_pt_show){ .flags = INSNS, .from_ticks = 300 }, "[disabled]\n");
	want_dump((struct tl_pt_show){ .flags = INSNS, .to_ticks = 200 },
		  "0000000000001000\n0000000000001001\n0000000000001005\n0000000000001010\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(instructions, begin, end),
		cmocka_unit_test_setup_teardown(blocks, begin, end),
		cmocka_unit_test_setup_teardown(transactions, begin, end),
		cmocka_unit_test_setup_teardown(bytes_and_text, begin, end),
		cmocka_unit_test_setup_teardown(modes, begin, end),
		cmocka_unit_test_setup_teardown(damage, begin, end),
		cmocka_unit_test_setup_teardown(code_missing, begin, end),
		cmocka_unit_test_setup_teardown(lost_to_the_end, begin, end),
		cmocka_unit_test_setup_teardown(next_location, begin, end),
		cmocka_unit_test_setup_teardown(end_of_trace, begin, end),
		cmocka_unit_test_setup_teardown(no_beginning, begin, end),
		cmocka_unit_test_setup_teardown(filter, begin, end),
		cmocka_unit_test_setup_teardown(branches, begin, end),
		cmocka_unit_test_setup_teardown(branches_and_interrupts, begin, end),
		cmocka_unit_test_setup_teardown(windows, begin, end),
	};

	return cmocka_run_group_tests_name("intel_pt block dump", tests, NULL, NULL);
}
