/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole listings of packets, in the form of ptdump (12.1), written by hand: columns, what options
 * leave out, tracked state and time, windows, damage.
 */
#include "said.h"

#include "../stream.h"
#include "intel_pt/listing/text.h"

static struct tl_pt_config config;
static struct tl_pt_lost losses[4];
static unsigned loss_count;

static void note_loss(void *arg __attribute__((unused)), const struct tl_pt_lost *lost)
{
	assert_true(loss_count < 4);
	losses[loss_count++] = *lost;
}

static void want_dump(const struct tl_pt_show *show, const char *wanted)
{
	struct tl_error err;

	loss_count = 0;
	assert_int_equal(tl_pt_dump_packets(&config, show, said, note_loss, NULL, &err), 0);
	want_said(wanted);
}

static void want_lines(unsigned flags, const char *wanted)
{
	want_dump(&(struct tl_pt_show){ .flags = flags }, wanted);
}

static int begin(void **state __attribute__((unused)))
{
	config = (struct tl_pt_config){ .size = sizeof(config) };
	said_begin();
	return 0;
}

static int end(void **state __attribute__((unused)))
{
	said_end();
	return 0;
}

#define TRACE(...)                                                                                 \
	static const uint8_t trace[] = { __VA_ARGS__ };                                            \
	config.begin = trace;                                                                      \
	config.end = trace + sizeof(trace)
#define BARE (TL_PT_TEXT_NO_OFFSET)

/* "16-digit hex offset, two blanks, name, payload"; bytes before the first PSB are not read */
TEST(offsets)
{
	TRACE(0x77, 0x77, PSB, FUP(0x1000), PSBEND, 0, TIP(0x2001), PGD0);

	want_lines(0, "0000000000000002  psb\n"
		      "0000000000000012  fup        3: 0000000000001000\n"
		      "0000000000000019  psbend\n"
		      "000000000000001b  pad\n"
		      "000000000000001c  tip        1: ????????????2001\n"
		      "000000000000001f  tip.pgd    0: ????????????????\n");
	want_lines(BARE | TL_PT_TEXT_NO_PAD | TL_PT_TEXT_LAST_IP,
		   "psb\n"
		   "fup        3: 0000000000001000  ip 0000000000001000\n"
		   "psbend\n"
		   "tip        1: ????????????2001  ip 0000000000002001\n"
		   "tip.pgd    0: ????????????????\n");
}

/* "--raw (bytes)": in a column as wide as the longest packet */
TEST(raw_bytes)
{
	TRACE(PSB, TIP(0x2001), TNT_T);

	want_lines(BARE | TL_PT_TEXT_RAW,
		   "02820282028202820282028202820282  psb\n"
		   "2d0120                            tip        1: ????????????2001\n"
		   "06                                tnt.8      !\n");
}

/* "pip and with tracking `cr3 %016x`; vmcs: `vmcs %016x`"; "--exec-mode" */
TEST(tracked_state)
{
	TRACE(PSB, PIP(0xab000), VMCS(0xcd000), MODE64, MODE32, 0x99, 0x00, TSX(1), PSBEND);

	want_lines(BARE | TL_PT_TEXT_EXEC_MODE,
		   "psb\n"
		   "pip        ab000                cr3 00000000000ab000\n"
		   "vmcs       cd000                vmcs 00000000000cd000\n"
		   "mode.exec  cs.l                 em 64-bit\n"
		   "mode.exec  cs.d                 em 32-bit\n"
		   "mode.exec                       em 16-bit\n"
		   "mode.tsx   intx\n"
		   "psbend\n");
	want_lines(BARE, "psb\n"
			 "pip        ab000                cr3 00000000000ab000\n"
			 "vmcs       cd000                vmcs 00000000000cd000\n"
			 "mode.exec  cs.l\nmode.exec  cs.d\nmode.exec\nmode.tsx   intx\npsbend\n");
}

/* "--no-sync (start at offset 0)": what stands there is a packet, or an error */
TEST(from_the_first_byte)
{
	TRACE(TNT_T, PGD0, PSB, PSBEND);

	want_lines(TL_PT_TEXT_NO_SYNC, "0000000000000000  tnt.8      !\n"
				       "0000000000000001  tip.pgd    0: ????????????????\n"
				       "0000000000000002  psb\n"
				       "0000000000000012  psbend\n");
	want_lines(0, "0000000000000002  psb\n0000000000000012  psbend\n");
}

/* "`[OFFSET: error ...: TEXT]`"; reading goes on at the next PSB */
TEST(damage)
{
	TRACE(PSB, 0x02, 0xff, PGD0, PSB, TNT_T, 0x05);

	want_lines(BARE, "psb\n[10: error decoding packet: unknown opcode]\n"
			 "psb\ntnt.8      !\n[24: error decoding packet: unknown opcode]\n");
	assert_int_equal(loss_count, 2);
	assert_int_equal(losses[0].why, TL_PT_BAD_OPC);
	assert_int_equal(losses[0].from, 0x10);
	assert_int_equal(losses[0].to, 0x13);
	assert_int_equal(losses[1].from, 0x24);
	assert_int_equal(losses[1].to, 0x25);
	want_lines(TL_PT_TEXT_JSON,
		   "{\"offset\":0,\"packet\":\"psb\",\"size\":16}\n"
		   "{\"offset\":16,\"error\":\"unknown opcode\"}\n"
		   "{\"offset\":19,\"packet\":\"psb\",\"size\":16}\n"
		   "{\"offset\":35,\"packet\":\"tnt.8\",\"size\":1,\"outcomes\":\"1\"}\n"
		   "{\"offset\":36,\"error\":\"unknown opcode\"}\n");
	assert_int_equal(
		tl_pt_dump_packets(&config, &(struct tl_pt_show){ 0 }, said, NULL, NULL, NULL), 0);
}

/* A trace without a PSB has no packets; a configuration that makes no sense is refused. */
TEST(nothing)
{
	struct tl_error err;

	TRACE(TNT_T, TNT_N);
	want_lines(0, "");
	config.end = config.begin - 1;
	assert_int_equal(
		tl_pt_dump_packets(&config, &(struct tl_pt_show){ 0 }, said, NULL, NULL, &err),
		TL_BAD_USAGE);
}

#define TIMES PSB, TSC(0x100), TMA(0, 0), PSBEND, CYC(4), MTC(1), CYC(8), MTC(2), TSC(0xf0), CBR(3)

/* "--no-timing, --no-cyc" */
TEST(without_timing)
{
	TRACE(TIMES, TNT_T);

	want_lines(BARE | TL_PT_TEXT_NO_TIMING, "psb\npsbend\ntnt.8      !\n");
	want_lines(BARE | TL_PT_TEXT_NO_CYC, "psb\ntsc        100\ntma        0, 0\npsbend\n"
					     "mtc        1\nmtc        2\n"
					     "tsc        f0\ncbr        3\ntnt.8      !\n");
}

/*
 * "--time (`tsc HEX` column), --time-delta (`+N`/`-N`)": an MTC is 2^0 ticks of a crystal of which
 * each is 16 ticks of the TSC (5.8), so MTC(1) is at 0x110, 0x120 is the next. Between them are 8
 * cycles: 2 ticks a cycle, but without calibration a CYC says nothing.
 */
TEST(time)
{
	TRACE(TIMES);

	config.cpuid_15_eax = 1;
	config.cpuid_15_ebx = 16;
	want_lines(BARE | TL_PT_TEXT_TIME | TL_PT_TEXT_NO_TCAL,
		   "psb\n"
		   "tsc        100                  tsc 0000000000000100\n"
		   "tma        0, 0                 tsc 0000000000000100\n"
		   "psbend\n"
		   "cyc        4                    tsc 0000000000000100\n"
		   "mtc        1                    tsc 0000000000000110\n"
		   "cyc        8                    tsc 0000000000000110\n"
		   "mtc        2                    tsc 0000000000000120\n"
		   "tsc        f0                   tsc 00000000000000f0\n"
		   "cbr        3\n");
	want_lines(BARE | TL_PT_TEXT_TIME | TL_PT_TEXT_TIME_DELTA | TL_PT_TEXT_NO_CYC,
		   "psb\n"
		   "tsc        100                  tsc +100\n"
		   "tma        0, 0                 tsc +0\n"
		   "psbend\n"
		   "[21: calibration error: no timing information]\n"
		   "[21: error updating time: no calibration]\n"
		   "mtc        1                    tsc +10\n"
		   "[24: calibration error: no timing information]\n"
		   "[24: error updating time: no calibration]\n"
		   "mtc        2                    tsc +10\n"
		   "tsc        f0                   tsc -30\n"
		   "cbr        3\n");
}

/*
 * "--tcal": ticks per cycle at each MTC that measures them. 16 ticks in 8, 3 and 34 cycles are 2,
 * 5 1/3 and 8/17, with eight binary places: 512, 1365 and 120.
 */
TEST(calibration)
{
	TRACE(PSB, TSC(0x100), TMA(0, 0), PSBEND, CYC(4), MTC(1), CYC(8), MTC(2), CYC(3), MTC(3),
	      2 << 3 | 7, 1 << 1, MTC(4), CBR(3));

	config.cpuid_15_eax = 1;
	config.cpuid_15_ebx = 16;
	want_lines(TL_PT_TEXT_NO_OFFSET | TL_PT_TEXT_TCAL,
		   "psb\ntsc        100\ntma        0, 0\npsbend\n"
		   "[21: calibration error: no timing information]\n"
		   "[21: error updating time: no calibration]\n"
		   "cyc        4\n"
		   "[22: error printing time: no timing information]\n"
		   "mtc        1                    fcr <unavailable>\n"
		   "[24: calibration error: no timing information]\n"
		   "[24: error updating time: no calibration]\n"
		   "cyc        8\n"
		   "mtc        2                    fcr 2.000\n"
		   "cyc        3\n"
		   "mtc        3                    fcr 5.332\n"
		   "cyc        22\n"
		   "mtc        4                    fcr 0.468\n"
		   "cbr        3\n");
	want_lines(TL_PT_TEXT_NO_OFFSET | TL_PT_TEXT_TCAL | TL_PT_TEXT_TIME_DELTA |
			   TL_PT_TEXT_NO_TCAL | TL_PT_TEXT_NO_CYC,
		   "psb\ntsc        100\ntma        0, 0\npsbend\n"
		   "[22: error printing time: no timing information]\n"
		   "mtc        1                    fcr <unavailable>\n"
		   "mtc        2                    fcr +2.000\n"
		   "mtc        3                    fcr +3.332\n"
		   "mtc        4                    fcr -4.863\n"
		   "cbr        3\n");
	want_lines(TL_PT_TEXT_JSON | TL_PT_TEXT_NO_TIMING | TL_PT_TEXT_TCAL,
		   "{\"offset\":0,\"packet\":\"psb\",\"size\":16}\n"
		   "{\"offset\":31,\"packet\":\"psbend\",\"size\":2}\n");
}

/* Packets at or behind `from` and before `to`; those before the first time are in no window. */
TEST(windows)
{
	TRACE(TIMES);

	config.cpuid_15_eax = 1;
	config.cpuid_15_ebx = 16;
	want_dump(&(struct tl_pt_show){ .flags = BARE, .from_ticks = 0x110, .to_ticks = 0x120 },
		  "mtc        1\ncyc        8\n");
	want_dump(&(struct tl_pt_show){ .flags = BARE, .from_ticks = 0x110 },
		  "mtc        1\ncyc        8\nmtc        2\n");
	want_dump(&(struct tl_pt_show){ .flags = BARE, .to_ticks = 0x100 },
		  "tsc        f0\ncbr        3\n");
	want_dump(&(struct tl_pt_show){ .flags = BARE | TL_PT_TEXT_TIME | TL_PT_TEXT_NO_TCAL,
					.from_ticks = 0x120 },
		  "mtc        2                    tsc 0000000000000120\n");
}

/* Time counts from 0 where there is no TSC, if that is wished. */
TEST(time_without_tsc)
{
	TRACE(PSB, MTC(1), MTC(3));

	config.cpuid_15_eax = 1;
	config.cpuid_15_ebx = 16;
	want_lines(BARE | TL_PT_TEXT_TIME, "psb\nmtc        1\nmtc        3\n");
	want_lines(BARE | TL_PT_TEXT_TIME | TL_PT_TEXT_NO_TSC,
		   "psb\nmtc        1                    tsc 0000000000000000\n"
		   "mtc        3                    tsc 0000000000000020\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(offsets, begin, end),
		cmocka_unit_test_setup_teardown(raw_bytes, begin, end),
		cmocka_unit_test_setup_teardown(tracked_state, begin, end),
		cmocka_unit_test_setup_teardown(from_the_first_byte, begin, end),
		cmocka_unit_test_setup_teardown(damage, begin, end),
		cmocka_unit_test_setup_teardown(nothing, begin, end),
		cmocka_unit_test_setup_teardown(without_timing, begin, end),
		cmocka_unit_test_setup_teardown(time, begin, end),
		cmocka_unit_test_setup_teardown(calibration, begin, end),
		cmocka_unit_test_setup_teardown(windows, begin, end),
		cmocka_unit_test_setup_teardown(time_without_tsc, begin, end),
	};

	return cmocka_run_group_tests_name("intel_pt packet dump", tests, NULL, NULL);
}
