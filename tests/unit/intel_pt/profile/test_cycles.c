/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cycles as CYC packets count them, beside nodes and events; sections are those of
 * docs/formats/intel-pt.md.
 */
#include "../pt_trace.h"

/* 1000 nop; 1001 je 1005; 1003 nop; 1004 nop; 1005 jmp rax */
enum { AT = 0x1000 };
static const uint8_t code[] = { 0x90, 0x74, 0x02, 0x90, 0x90, 0xff, 0xe0 };

#define TSC(n) 0x19, (n) & 0xff, (n) >> 8 & 0xff, 0, 0, 0, 0, 0
/* "bits 7:3 = cycles[4:0], bit 2 = more" (4.1) */
#define CYC(n) ((n) << 3 | 3)
#define BEGIN(a) PSB, TSC(100), MODE_64, FUP(a), PSBEND

static void want_mark(const struct tl_pt_timestamp *mark, uint32_t index, uint64_t cycles)
{
	assert_int_equal(mark->index, index);
	assert_int_equal(mark->tsc, 100);
	assert_int_equal(mark->cycles, cycles);
}

/*
 * "CYC (n core cycles since the last CYC; it precedes the packet it times)": the first one counts
 * from a packet that is not there. The ratio is not known, so the clock stands; cycles are counted
 * all the same.
 */
TEST(marks_count_cycles)
{
	static const uint8_t trace[] = { BEGIN(0x1000), CYC(5),  TNT1(0), CYC(7),  TIP(0x1000),
					 CYC(3),        TNT1(1), CYC(2),  PGD_BARE };
	struct tl_pt_timestamp marks[8];
	uint32_t nodes[8];
	struct tl_pt_node_batch run = {
		.nodes = nodes, .max = 8, .timestamps = marks, .max_timestamps = 8
	};
	struct scene s;
	uint64_t cycles;

	open_scene(&s, trace, sizeof(trace), AT, code, sizeof(code), 0);
	assert_int_equal(want_event(&s, TL_PT_EV_ENABLED).cycles, 0);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	assert_true(tl_pt_decoder_nodes(s.decoder, &run, sizeof(run)) == 0);
	assert_int_equal(run.count, 4);
	assert_int_equal(run.timestamp_count, 3);
	want_mark(&marks[0], 0, 0);
	want_mark(&marks[1], 1, 7);
	want_mark(&marks[2], 2, 10);
	assert_int_equal(tl_pt_decoder_cycles(s.decoder, &cycles), 0);
	assert_int_equal(cycles, 10);
	s.status = run.status;
	assert_int_equal(want_event(&s, TL_PT_EV_DISABLED).cycles, 12);
	assert_int_equal(tl_pt_decoder_cycles(s.decoder, &cycles), 0);
	assert_int_equal(cycles, 12);
	close_scene(&s);
}

/* "its size, or 0: look closer": longer ones, and those in a PSB+, are counted, too, each once. */
TEST(cycles_in_a_psb)
{
	/* 32 = 1 << 5: first byte 0 | more, then 1 << 1. */
	static const uint8_t trace[] = { BEGIN(0x1000), CYC(5),      TNT1(1),     0x07,
					 1 << 1,        TIP(0x1000), PSB,         CYC(4),
					 TSC(100),      MODE_64,     FUP(0x1000), PSBEND,
					 CYC(1),        TNT1(0),     CYC(1),      PGD_BARE };
	struct scene s;

	open_scene(&s, trace, sizeof(trace), AT, code, sizeof(code), 0);
	want_event(&s, TL_PT_EV_ENABLED);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x1000, 0x1001, 2);
	want_block(&s, 0x1005, 0x1005, 1);
	assert_int_equal(want_event(&s, TL_PT_EV_EXEC_MODE).cycles, 36);
	want_block(&s, 0x1000, 0x1001, 2);
	want_block(&s, 0x1003, 0x1005, 3);
	assert_int_equal(want_event(&s, TL_PT_EV_DISABLED).cycles, 38);
	close_scene(&s);
}

TEST(without_cycles)
{
	static const uint8_t trace[] = { BEGIN(0x1000), TNT1(0), PGD_BARE };
	struct scene s;
	uint64_t cycles = 1;

	open_scene(&s, trace, sizeof(trace), AT, code, sizeof(code), 0);
	assert_int_equal(tl_pt_decoder_cycles(s.decoder, &cycles), 0);
	assert_int_equal(cycles, 0);
	assert_int_equal(tl_pt_decoder_cycles(NULL, &cycles), -TL_PT_INVALID);
	assert_int_equal(tl_pt_decoder_cycles(s.decoder, NULL), -TL_PT_INVALID);
	close_scene(&s);
	assert_int_equal(
		tl_pt_decoder_open(&s.decoder,
				   &(struct tl_pt_config){ .size = sizeof(struct tl_pt_config),
							   .begin = trace,
							   .end = trace + sizeof(trace) },
				   NULL),
		0);
	assert_int_equal(tl_pt_decoder_cycles(s.decoder, &cycles), -TL_PT_NOSYNC);
	tl_pt_decoder_close(s.decoder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_count_cycles),
		cmocka_unit_test(cycles_in_a_psb),
		cmocka_unit_test(without_cycles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
