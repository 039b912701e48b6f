/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock (6), by hand: crystal clock and TSC as 1 : 4 (CPUID 15H eax 1, ebx 4), MTC every 16
 * crystal clocks (N = 4), so 64 ticks from MTC to MTC. The arithmetic as a whole is held against
 * libipt by tests/differential/pt_libipt.c.
 */
#include "../stream.h"

static struct stream timed(void)
{
	return (struct stream){ .config = { .mtc_freq = 4, .cpuid_15_eax = 1, .cpuid_15_ebx = 4 } };
}

static void want_time(struct stream *s, uint64_t tsc, uint32_t lost_cyc)
{
	uint64_t now = 0;
	uint32_t lost_mtc, lost;

	assert_int_equal(tl_pt_flow_time(&s->flow, &now, &lost_mtc, &lost), 0);
	assert_int_equal(now, tsc);
	assert_int_equal(lost, lost_cyc);
}

/* One outcome, and the time it was. */
static void want_outcome_at(struct stream *s, uint64_t tsc, uint32_t lost_cyc)
{
	assert_int_equal(next(s), TL_PT_FLOW_ITEM_TNT);
	assert_int_equal(s->item.count, 1);
	want_time(s, tsc, lost_cyc);
}

/* "With nothing: pte_no_time." */
TEST(no_time)
{
	struct stream s = timed();
	uint64_t tsc;
	uint32_t mtc, cyc, ratio;

	PUT(&s, START, TNT_T);
	begin_flow(&s, TL_PT_FLOW_TIMED);
	want_start(&s);
	assert_int_equal(next(&s), TL_PT_FLOW_ITEM_TNT);
	assert_int_equal(tl_pt_flow_time(&s.flow, &tsc, &mtc, &cyc), -TL_PT_NO_TIME);
	assert_int_equal(tl_pt_flow_cbr(&s.flow, &ratio), -TL_PT_NO_CBR);
}

/*
 * "TMA after TSC: TSC corresponds to CTC = ctc with FastCounter fc TSC ticks elapsed since that CTC
 * edge. MTC: ..."
 */
TEST(mtc_counts_from_tma)
{
	struct stream s = timed();

	/* 1000 is 8 ticks behind crystal clock 10; MTC 1 is crystal clock 16: 992 + 6 * 4. */
	PUT(&s, START, TSC(1000), TMA(10, 8), TNT_T, MTC(1), TNT_T, MTC(2), TNT_T, MTC(5), TNT_T);
	begin_flow(&s, TL_PT_FLOW_TIMED);
	want_start(&s);
	want_outcome_at(&s, 1000, 0);
	want_outcome_at(&s, 1016, 0);
	want_outcome_at(&s, 1080, 0);
	want_outcome_at(&s, 1272, 0);
}

/* "wraps at 8 + N bits" */
TEST(mtc_wraps)
{
	struct stream s = timed();

	PUT(&s, START, TSC(1000), TMA(0xff0, 0), MTC(0), TNT_T);
	begin_flow(&s, TL_PT_FLOW_TIMED);
	want_start(&s);
	want_outcome_at(&s, 1064, 0);
}

/* "If 8 + N > 16 the CTC bits above 16 that TMA lacks are guessed from the first MTC." */
TEST(the_upper_bits_of_a_slow_mtc)
{
	struct stream s = timed();

	/* N = 12: MTC 0x23 is crystal clock 0x23000, TMA 0x2ff0 then was 0x22ff0: 16 before. */
	s.config.mtc_freq = 12;
	PUT(&s, START, TSC(1000), TMA(0x2ff0, 0), MTC(0x23), TNT_T);
	begin_flow(&s, TL_PT_FLOW_TIMED);
	want_start(&s);
	want_outcome_at(&s, 1064, 0);
}

/* "ticks = (cycles * fcr) >> 8; fcr = (nom_freq << 8) / cbr from CBR and nominal ratio" */
TEST(cycles_by_ratio)
{
	struct stream s = timed();
	uint32_t ratio = 0;

	s.config.nom_freq = 8;
	PUT(&s, START, TSC(1000), CBR(4), CYC(10), TNT_T, CBR(16), CYC(10), TNT_T);
	begin_flow(&s, TL_PT_FLOW_TIMED);
	want_start(&s);
	want_event(&s, TL_PT_EV_CBR, 35);
	want_outcome_at(&s, 1020, 0);
	assert_int_equal(tl_pt_flow_cbr(&s.flow, &ratio), 0);
	assert_int_equal(ratio, 4);
	want_event(&s, TL_PT_EV_CBR, 41);
	assert_int_equal(s.item.event.tsc, 1020);
	want_outcome_at(&s, 1025, 0);
}

/* "or measured between two MTC"; "they count in lost_mtc / lost_cyc" until then */
TEST(cycles_by_measure)
{
	struct stream s = timed();

	/* 32 cycles in 64 ticks: two each. */
	PUT(&s, START, TSC(1000), TMA(16, 0), MTC(2), CYC(16), TNT_T, CYC(16), TNT_T, MTC(3), TNT_T,
	    CYC(5), TNT_T);
	begin_flow(&s, TL_PT_FLOW_TIMED);
	want_start(&s);
	want_outcome_at(&s, 1064, 1);
	want_outcome_at(&s, 1064, 2);
	want_outcome_at(&s, 1128, 0);
	want_outcome_at(&s, 1138, 0);
}

/*
 * A CYC counts from the last one: what of it was before the MTC between them is not counted twice.
 */
TEST(a_cyc_from_before_the_mtc)
{
	struct stream s = timed();

	s.config.nom_freq = 8;
	/*
	 * One tick a cycle. 30 ticks from 1000; MTC at 1064 without a CYC of its own after TMA with
	 * no fraction: 30 - 64 < 0.
	 */
	PUT(&s, START, CBR(8), TSC(1000), TMA(16, 0), MTC(2), CYC(30), TNT_T, CYC(31), TNT_T,
	    MTC(3), TNT_T);
	begin_flow(&s, TL_PT_FLOW_TIMED);
	want_start(&s);
	want_event(&s, TL_PT_EV_CBR, 27);
	want_outcome_at(&s, 1064, 0);
	want_outcome_at(&s, 1064, 0);
	want_outcome_at(&s, 1128, 0);
}

/* 5.2: "time is kept (calibration only with keep_tcal_on_ovf)" */
TEST(calibration_over_an_overflow)
{
	struct stream s = timed();

	s.config.nom_freq = 8;
	PUT(&s, START, TSC(1000), CBR(8), OVF, FUP16(0x1004), CYC(10), TNT_T);
	begin_flow(&s, TL_PT_FLOW_TIMED);
	want_start(&s);
	want_event(&s, TL_PT_EV_CBR, 35);
	want_at(&s, TL_PT_EV_OVERFLOW, 39, 0x1004);
	want_outcome_at(&s, 1000, 1);
	s.config.flags = TL_PT_KEEP_TCAL;
	begin_flow(&s, TL_PT_FLOW_TIMED);
	want_start(&s);
	want_event(&s, TL_PT_EV_CBR, 35);
	want_at(&s, TL_PT_EV_OVERFLOW, 39, 0x1004);
	want_outcome_at(&s, 1010, 0);
}

/* A PSB+ with a TSC, 10 cycles, an outcome, 10 cycles, and once more; then 5 cycles. */
static void put_cycles_between_tsc(struct stream *s, bool mtc, bool status)
{
	s->size = 0;
	PUT(s, PSB, FUP(0x1000), TSC(1000), PSBEND, CYC(10), TNT_T, CYC(10));
	if (mtc)
		PUT(s, MTC(1));
	if (status)
		PUT(s, PSB, FUP(0x1000), TSC(1080), PSBEND, CYC(5), TNT_T);
	else
		PUT(s, PSB, FUP(0x1000), PSBEND, TSC(1080), CYC(5), TNT_T);
	begin_flow(s, TL_PT_FLOW_TIMED);
}

/*
 * "Without any MTC [...]: at the TSC of a PSB+, fcr = ((TSC - TSC before) << 8) / cycles"; 80 ticks
 * are 20 cycles.
 */
TEST(cycles_between_tsc)
{
	struct stream s = timed();

	for (unsigned i = 0; i < 4; i++) {
		put_cycles_between_tsc(&s, i & 1, !(i & 2));
		want_event(&s, TL_PT_EV_ENABLED, 0);
		want_outcome_at(&s, 1000, 1);
		want_event(&s, TL_PT_EV_ENABLED, 36 + 2 * (i & 1));
		want_outcome_at(&s, i ? 1080 : 1100, !!i);
	}
}

/*
 * Each TSC of a PSB+ begins a measurement anew: 80 ticks in 20 cycles, then 120 ticks in 10 cycles.
 */
TEST(cycles_between_several_tsc)
{
	struct stream s = timed();

	PUT(&s, PSB, FUP(0x1000), TSC(1000), PSBEND, CYC(10), TNT_T, CYC(10));
	PUT(&s, PSB, FUP(0x1000), TSC(1080), PSBEND, CYC(10));
	PUT(&s, PSB, FUP(0x1000), TSC(1200), PSBEND, CYC(5), TNT_T);
	begin_flow(&s, TL_PT_FLOW_TIMED);
	want_event(&s, TL_PT_EV_ENABLED, 0);
	want_outcome_at(&s, 1000, 1);
	want_event(&s, TL_PT_EV_ENABLED, 36);
	want_event(&s, TL_PT_EV_ENABLED, 70);
	want_outcome_at(&s, 1200 + 5 * 12, 0);
}

/*
 * skl168: "a PSB may swallow one CYC, perhaps with its MTC | do not calibrate across; time goes
 * on". Periods of 64 ticks: 20 cycles are 3.2 ticks each; of 20 and then 8 the second is 8.0,
 * unless it is short of what the counter wraps at.
 */
TEST(no_calibration_across_a_loss)
{
	struct stream s = timed();

	PUT(&s, START, TSC(1000), TMA(16, 0), MTC(2), CYC(20), MTC(3), TNT_T, PSB, FUP(0x1000),
	    PSBEND, CYC(8), MTC(5), CYC(5), TNT_T);
	for (unsigned i = 0; i < 2; i++) {
		/* An MTC is missing. */
		s.config.errata = i ? TL_PT_SKL168 : 0;
		begin_flow(&s, TL_PT_FLOW_TIMED);
		want_start(&s);
		want_outcome_at(&s, 1128, 0);
		want_event(&s, TL_PT_EV_ENABLED, 48);
		/* 819 / 256 ticks, or 128 / 8. */
		want_outcome_at(&s, 1256 + (i ? 15 : 80), 0);
	}
}

/* Enough MTC; the cycles are too few by what the counter wraps at. */
TEST(no_calibration_with_too_few_cycles)
{
	struct stream s = timed();

	s.config.mtc_freq = 9;
	/* A period is 2048 ticks: 16384 cycles of 1/8. */
	PUT(&s, START, TSC(4096), TMA(0x400, 0), MTC(2), 0x07, 0x01, 0x08, MTC(3), TNT_T, PSB,
	    FUP(0x1000), PSBEND, CYC(16), MTC(4), CYC(16), TNT_T);
	for (unsigned i = 0; i < 2; i++) {
		s.config.errata = i ? TL_PT_SKL168 : 0;
		begin_flow(&s, TL_PT_FLOW_TIMED);
		want_start(&s);
		want_outcome_at(&s, 4096 + 2048, 0);
		want_event(&s, TL_PT_EV_ENABLED, 50);
		want_outcome_at(&s, 4096 + 2 * 2048 + (i ? 2 : 2048), 0);
	}
}

/* 9.19: "time only from TSC ...; never an error" */
TEST(without_crystal_clock)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, TSC(1000), TMA(10, 8), MTC(1), CYC(7), MTC(2), TNT_T, TSC(2000), TNT_T);
	begin_flow(&s, TL_PT_FLOW_TIMED);
	want_start(&s);
	want_outcome_at(&s, 1000, 0);
	want_outcome_at(&s, 2000, 0);
	want_end(&s);
}

/* "TSC sets the time"; one TMA belongs to one TSC; time packets alone are no error anywhere */
TEST(time_packets_out_of_order)
{
	struct stream s = timed();

	PUT(&s, START, TMA(5, 5), CYC(3), MTC(1), MTC(2), TSC(1000), MTC(3), TMA(16, 0), TMA(32, 0),
	    MTC(2), TNT_T, TSC(500), TNT_T);
	begin_flow(&s, TL_PT_FLOW_TIMED);
	want_start(&s);
	want_outcome_at(&s, 1064, 0);
	want_outcome_at(&s, 500, 0);
	want_end(&s);
}

/* An event has the time of what it is bound to; a PWRE keeps its own (5.7). */
TEST(events_are_stamped)
{
	struct stream s = timed();

	PUT(&s, START, 0x02, 0x22, 0, 0x10, TSC(1000), 0x02, 0xe2, TSC(2000), FUP16(0x1001),
	    TSC(3000), PGD0);
	begin_flow(&s, TL_PT_FLOW_TIMED);
	want_start(&s);
	assert_false(s.item.event.has_tsc);
	want_at(&s, TL_PT_EV_EXSTOP, 39, 0x1001);
	assert_true(s.item.event.has_tsc);
	assert_int_equal(s.item.event.tsc, 2000);
	want_event(&s, TL_PT_EV_PWRE, 27);
	assert_false(s.item.event.has_tsc);
	want_bare(&s, TL_PT_EV_DISABLED, 60);
	assert_int_equal(s.item.event.tsc, 3000);
}

/* "lost_cyc: CYC packets that could not be used": without a ratio none can; and counted cycles. */
TEST(events_tell_what_was_not_used)
{
	struct stream s = timed();
	const struct tl_pt_event *event;

	PUT(&s, PSB, FUP(0x1000), TSC(1000), PSBEND, CYC(10), CYC(7), CYC(5), PGD0);
	begin_flow(&s, TL_PT_FLOW_TIMED);
	want_event(&s, TL_PT_EV_ENABLED, 0);
	event = want_event(&s, TL_PT_EV_DISABLED, 36);
	assert_true(event->has_tsc);
	assert_int_equal(event->tsc, 1000);
	assert_int_equal(event->lost_cyc, 3);
	assert_int_equal(event->lost_mtc, 0);
	/* The first CYC counts from a packet that is not in the trace. */
	assert_int_equal(event->cycles, 12);
}

/* flow.h: an untimed flow catches up when it is asked: "still exact at the item just given" */
TEST(time_on_demand)
{
	struct stream s = timed();

	s.config.nom_freq = 8;
	PUT(&s, PSB, FUP(0x1000), TSC(1000), TMA(16, 0), CBR(8), PSBEND, TNT_T, CYC(3), TNT_N,
	    MTC(2), TIP(0x2000), CYC(9), TNT_T);
	begin_flow(&s, 0);
	want_at(&s, TL_PT_EV_ENABLED, 0, 0x1000);
	want_event(&s, TL_PT_EV_CBR, 38);
	assert_false(s.item.event.has_tsc);
	want_tnt(&s, 2, 2, 44);
	want_time(&s, 1003, 0);
	want_tip(&s, 0x2000, 49);
	want_time(&s, 1064, 0);
	want_tnt(&s, 1, 1, 53);
	want_time(&s, 1073, 0);
	/* Nobody asked on the way: the same. */
	begin_flow(&s, 0);
	want_at(&s, TL_PT_EV_ENABLED, 0, 0x1000);
	want_event(&s, TL_PT_EV_CBR, 38);
	want_tnt(&s, 2, 2, 44);
	want_tip(&s, 0x2000, 49);
	want_tnt(&s, 1, 1, 53);
	want_time(&s, 1073, 0);
}

/* 5.8: "tick events (on request) appear for TIP/TNT whose time differs from the last one" */
TEST(ticks)
{
	struct stream s = timed();

	s.config.flags = TL_PT_TICK_EVENTS;
	PUT(&s, START, TNT_T, TSC(1000), TNT_T, TNT_T, TIP(0x2000), TSC(2000), TIP(0x3000),
	    TSC(3000), PGD0, PGE(0x1000), TNT_T);
	begin_flow(&s, TL_PT_FLOW_TIMED);
	want_start(&s);
	want_tnt(&s, 1, 1, 27);
	assert_false(s.item.tick);
	want_tnt(&s, 2, 3, 36);
	assert_true(s.item.tick);
	want_tip(&s, 0x2000, 38);
	assert_false(s.item.tick);
	want_tip(&s, 0x3000, 49);
	assert_true(s.item.tick);
	/* An event tells the time itself. */
	want_bare(&s, TL_PT_EV_DISABLED, 60);
	want_at(&s, TL_PT_EV_ENABLED, 61, 0x1000);
	want_tnt(&s, 1, 1, 68);
	assert_false(s.item.tick);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_time),
		cmocka_unit_test(mtc_counts_from_tma),
		cmocka_unit_test(mtc_wraps),
		cmocka_unit_test(the_upper_bits_of_a_slow_mtc),
		cmocka_unit_test(cycles_by_ratio),
		cmocka_unit_test(cycles_by_measure),
		cmocka_unit_test(a_cyc_from_before_the_mtc),
		cmocka_unit_test(calibration_over_an_overflow),
		cmocka_unit_test(cycles_between_tsc),
		cmocka_unit_test(cycles_between_several_tsc),
		cmocka_unit_test(no_calibration_across_a_loss),
		cmocka_unit_test(no_calibration_with_too_few_cycles),
		cmocka_unit_test(without_crystal_clock),
		cmocka_unit_test(time_packets_out_of_order),
		cmocka_unit_test(events_are_stamped),
		cmocka_unit_test(events_tell_what_was_not_used),
		cmocka_unit_test(time_on_demand),
		cmocka_unit_test(ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
