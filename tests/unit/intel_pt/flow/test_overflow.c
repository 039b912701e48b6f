/* SPDX-License-Identifier: Apache-2.0 */
/* Overflows (5.2) and the errata around them (7). */
#include "../stream.h"

#define MNT 0x02, 0xc3, 0x88, 1, 0, 0, 0, 0, 0, 0, 0

/*
 * "FUP next: overflow event at the FUP's IP, tracing on"; "Look ahead over PAD, MNT, CBR, TSC, TMA,
 * MTC, CYC, unknown"
 */
TEST(flow_goes_on_at_the_fup)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, OVF, 0, MNT, CBR(3), MTC(5), FUP16(0x1010), TNT_T);
	begin_flow(&s, 0);
	want_start(&s);
	want_event(&s, TL_PT_EV_MNT, 30);
	want_event(&s, TL_PT_EV_CBR, 41);
	want_at(&s, TL_PT_EV_OVERFLOW, 27, 0x1010);
	want_tnt(&s, 1, 1, 50);
	want_end(&s);
}

/*
 * "PSB, TIP.PGE, MODE, PIP, VMCS, TraceStop, OVF, EXSTOP, ... next: overflow event with suppressed
 * IP, tracing off"
 */
TEST(tracing_was_off_at_the_end)
{
	static const uint8_t off[][16] = {
		{ PGE(0x2000) },    { MODE32 },     { PIP(0x3000) }, { VMCS(0x1000) },
		{ 0x02, 0x83 },     { OVF },        { 0x02, 0x62 },  { 0x02, 0xc2 },
		{ 0x02, 0x22 },     { 0x02, 0xa2 }, { 0x02, 0x12 },  { 0x02, 0x13, 1 },
		{ 0x02, 0x53, 31 }, { PSB },
	};

	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
		struct stream s = { .size = 0 };

		PUT(&s, START, OVF, MTC(5));
		put_bytes(&s, off[i], 16);
		begin_flow(&s, 0);
		want_start(&s);
		want_bare(&s, TL_PT_EV_OVERFLOW, 27);
		assert_false(s.flow.slow_path_reasons & TL_PT_SLOW_ERROR);
	}
}

TEST(tracing_goes_on_with_pge)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, OVF, MODE32, PGE(0x2000), TNT_T);
	begin_flow(&s, 0);
	want_start(&s);
	want_bare(&s, TL_PT_EV_OVERFLOW, 27);
	want_at(&s, TL_PT_EV_ENABLED, 31, 0x2000);
	want_at(&s, TL_PT_EV_EXEC_MODE, 29, 0x2000);
	want_tnt(&s, 1, 1, 38);
	want_end(&s);
}

/* "PSBEND, TIP, TIP.PGD, TNT next: pte_bad_context" */
TEST(flow_must_not_go_on_nowhere)
{
	static const uint8_t bad[][4] = { { PSBEND }, { TIP(0x1000) }, { PGD0 }, { TNT_T } };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct stream s = { .size = 0 };

		PUT(&s, START, OVF);
		put_bytes(&s, bad[i], 4);
		begin_flow(&s, 0);
		want_start(&s);
		want_error(&s, TL_PT_BAD_CONTEXT, 27);
	}
}

/* "End of stream: standalone overflow event." */
TEST(the_trace_ends_with_it)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, OVF, 0, 0x2d);
	begin_flow(&s, 0);
	want_start(&s);
	want_bare(&s, TL_PT_EV_OVERFLOW, 27);
	want_end(&s);
}

/*
 * "If tracing was on, events waiting for a FUP or TIP are dropped; if off they are published with
 * suppressed IP."
 */
TEST(what_was_waiting)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, MODE32, 0x02, 0x92, 9, 0, 0, 0, OVF, FUP16(0x1004), TIP(0x2000));
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_OVERFLOW, 35, 0x1004);
	want_tip(&s, 0x2000, 40);
	want_end(&s);
	s.size = 0;
	PUT(&s, START_OFF, 0x02, 0x92, 9, 0, 0, 0, OVF, PGE(0x1004));
	begin_flow(&s, 0);
	want_start_off(&s);
	want_bare(&s, TL_PT_EV_PTWRITE, 20);
	want_bare(&s, TL_PT_EV_OVERFLOW, 26);
	want_at(&s, TL_PT_EV_ENABLED, 28, 0x1004);
	want_end(&s);
}

/* 5.1: "PSB+ cut by OVF: the 'disabled' status is dropped, OVF rules follow" */
TEST(within_a_psb_plus)
{
	struct stream s = { .size = 0 };

	PUT(&s, PSB, MODE64, OVF, FUP(0x1004), TNT_T);
	begin_flow(&s, 0);
	want_bare(&s, TL_PT_EV_EXEC_MODE, 16);
	want_at(&s, TL_PT_EV_OVERFLOW, 18, 0x1004);
	want_tnt(&s, 1, 1, 27);
	want_end(&s);
}

/* Behind an overflow nothing is known that a PSB+ could contradict. */
TEST(a_psb_plus_behind_it)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, OVF, PSB, FUP(0x2000), MODE32, PSBEND, TNT_T);
	begin_flow(&s, 0);
	want_start(&s);
	want_bare(&s, TL_PT_EV_OVERFLOW, 27);
	want_at(&s, TL_PT_EV_ENABLED, 29, 0x2000);
	want_at(&s, TL_PT_EV_EXEC_MODE, 52, 0x2000);
	want_tnt(&s, 1, 1, 56);
	want_end(&s);
}

/* ---- errata (7) ---- */

/* skd007: "OVF may come after the first byte of a multi-byte CYC in place of the rest" */
TEST(skd007_cuts_a_cyc)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, 0x2f, OVF, FUP(0x1004), TNT_T);
	begin_flow(&s, 0);
	want_start(&s);
	/* Without the erratum 2f 02 and f3 are two CYC, and the FUP is nobody's. */
	want_error(&s, TL_PT_BAD_CONTEXT, 37);
	s.config.errata = TL_PT_SKD007;
	begin_flow(&s, TL_PT_FLOW_TIMED);
	want_start(&s);
	want_at(&s, TL_PT_EV_OVERFLOW, 28, 0x1004);
	want_tnt(&s, 1, 1, 37);
	want_end(&s);
}

/*
 * skd010: "take the next packet that gives an IP (TIP, FUP, PSB+ ...) as the resume point; without
 * one: suppressed"
 */
TEST(skd010_looks_further)
{
	struct stream s = { .config = { .errata = TL_PT_SKD010 } };

	PUT(&s, START, OVF, TNT_T, TNT_T, TIP(0x1010), TNT_N);
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_OVERFLOW, 27, 0x1010);
	want_tnt(&s, 1, 0, 34);
	want_end(&s);
	s.size = 0;
	PUT(&s, START, OVF, PGD0, PGE(0x2000));
	begin_flow(&s, 0);
	want_start(&s);
	want_bare(&s, TL_PT_EV_OVERFLOW, 27);
	want_at(&s, TL_PT_EV_ENABLED, 30, 0x2000);
	want_end(&s);
	s.size = 0;
	PUT(&s, START, OVF, PSB, FUP(0x2000), PSBEND);
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_OVERFLOW, 27, 0x2000);
	want_at(&s, TL_PT_EV_ENABLED, 29, 0x2000);
	want_end(&s);
	s.size = 0;
	PUT(&s, START, OVF, TNT_T);
	begin_flow(&s, 0);
	want_start(&s);
	want_bare(&s, TL_PT_EV_OVERFLOW, 27);
	want_end(&s);
}

/* "one MODE.TSX": flow goes on with it, and it takes the FUP. */
TEST(skd010_goes_on_in_a_transaction)
{
	struct stream s = { .config = { .errata = TL_PT_SKD010 } };

	PUT(&s, START, OVF, TSX(1), FUP16(0x1010), TNT_T);
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_OVERFLOW, 27, 0x1010);
	want_at(&s, TL_PT_EV_TSX, 29, 0x1010);
	assert_true(s.item.event.tsx.speculative);
	want_tnt(&s, 1, 1, 34);
	want_end(&s);
	/* "a second MODE.TSX": tracing is off */
	s.size = 0;
	PUT(&s, START, OVF, TSX(1), TSX(0), PGE(0x2000));
	begin_flow(&s, 0);
	want_start(&s);
	want_bare(&s, TL_PT_EV_OVERFLOW, 27);
	want_bare(&s, TL_PT_EV_TSX, 29);
	want_bare(&s, TL_PT_EV_TSX, 31);
	want_at(&s, TL_PT_EV_ENABLED, 33, 0x2000);
	want_end(&s);
}

/*
 * "FUP: on at its IP; packets go on with [...] this FUP (the source of a branch)"; "What was passed
 * over is lost"
 */
TEST(skd010_goes_on_with_an_interrupt)
{
	struct stream s = { .config = { .errata = TL_PT_SKD010 } };

	PUT(&s, START, OVF, MODE32, PIP(0x3000), CBR(3), FUP16(0x1010), TIP(0x2000));
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_OVERFLOW, 27, 0x1010);
	want_at(&s, TL_PT_EV_ASYNC_BRANCH, 46, 0x1010);
	assert_int_equal(s.item.event.branch.to, 0x2000);
	want_end(&s);
}

/*
 * "look on, over PAD, MNT, time packets, PIP, VMCS, MODE.Exec, ..., PWRE, PWRX, EVD, TRIG, and
 * EXSTOP, PTWRITE, CFE without IP"; of a packet with an IP the FUP is its own
 */
TEST(skd010_looks_over_what_needs_no_fup)
{
	static const struct {
		uint8_t bytes[16];
		uint8_t size;
	} passed[] = {
		{ { 0, 0, 0 }, 3 },
		{ { MNT }, 11 },
		{ { TSC(9) }, 8 },
		{ { TMA(1, 2) }, 7 },
		{ { MTC(3) }, 2 },
		{ { CBR(4) }, 4 },
		{ { PIP(0x3000) }, 8 },
		{ { VMCS(0x1000) }, 7 },
		{ { MODE32 }, 2 },
		{ { 0x02, 0x22, 0, 0 }, 4 },
		{ { 0x02, 0xa2, 0, 0, 0, 0, 0 }, 7 },
		{ { 0x02, 0x53, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 11 },
		{ { 0xd9, 0, 1 }, 3 },
		{ { 0x02, 0x62 }, 2 },
		{ { 0x02, 0x12, 1, 2, 3, 4 }, 6 },
		{ { 0x02, 0x13, 3, 0 }, 4 },
	};
	static const uint8_t with_ip[][8] = { { 0x02, 0xe2 },
					      { 0x02, 0x92, 1, 2, 3, 4 },
					      { 0x02, 0x13, 0x81, 0 } };
	static const uint8_t sizes[] = { 2, 6, 4 };

	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
		struct stream s = { .config = { .errata = TL_PT_SKD010 } };

		PUT(&s, START, OVF);
		put_bytes(&s, passed[i].bytes, passed[i].size);
		PUT(&s, TIP(0x1010), TNT_N);
		begin_flow(&s, 0);
		want_start(&s);
		want_at(&s, TL_PT_EV_OVERFLOW, 27, 0x1010);
	}
	for (size_t i = 0; i < sizeof(sizes); i++) {
		struct stream s = { .config = { .errata = TL_PT_SKD010 } };

		PUT(&s, START, OVF);
		put_bytes(&s, with_ip[i], sizes[i]);
		PUT(&s, TIP(0x1010), TNT_N);
		begin_flow(&s, 0);
		want_start(&s);
		want_bare(&s, TL_PT_EV_OVERFLOW, 27);
	}
}

/* "Anything else [...]: as without the erratum" */
TEST(skd010_is_not_everywhere)
{
	static const uint8_t all_is_well[][18] = {
		{ MODE32, PGE(0x2000) }, { PIP(0x3000), 0x02, 0x83 },
		{ 0x02, 0xe2 },          { 0x02, 0x92 },
		{ MODE32, OVF },         { PSB, PSBEND },
		{ 0x02, 0xc2 },
	};

	for (size_t i = 0; i < sizeof(all_is_well) / sizeof(all_is_well[0]); i++) {
		struct stream s = { .config = { .errata = TL_PT_SKD010 } };

		PUT(&s, START, OVF);
		put_bytes(&s, all_is_well[i], 18);
		begin_flow(&s, 0);
		want_start(&s);
		want_bare(&s, TL_PT_EV_OVERFLOW, 27);
		assert_int_equal(s.flow.pos - s.data, 29);
	}
}

/* apl11: "overflow with tracing off; swallow the PGD" */
TEST(apl11_swallows_a_pgd)
{
	struct stream s = { .config = { .errata = TL_PT_APL11 } };

	PUT(&s, START, OVF, PGD(0x2000), PGE(0x3000));
	begin_flow(&s, 0);
	want_start(&s);
	want_bare(&s, TL_PT_EV_OVERFLOW, 27);
	want_at(&s, TL_PT_EV_ENABLED, 32, 0x3000);
	want_end(&s);
}

/* apl12: "look on: PSB or TIP.PGE before flow packets means tracing is off" */
TEST(apl12_doubts_the_fup)
{
	struct stream s = { .config = { .errata = TL_PT_APL12 } };

	PUT(&s, START, OVF, FUP16(0x1004), PGE(0x3000));
	begin_flow(&s, 0);
	want_start(&s);
	want_bare(&s, TL_PT_EV_OVERFLOW, 27);
	want_at(&s, TL_PT_EV_ENABLED, 32, 0x3000);
	want_end(&s);
	s.size = 0;
	PUT(&s, START, OVF, FUP16(0x1004), TNT_T, PSB);
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_OVERFLOW, 27, 0x1004);
	want_tnt(&s, 1, 1, 32);
	/* "All other packets in between are passed over by this look, and come in their turn" */
	s.size = 0;
	PUT(&s, START, OVF, FUP16(0x1004), TSX(1), PIP(0x3000), 0x02, 0x83);
	begin_flow(&s, 0);
	want_start(&s);
	want_bare(&s, TL_PT_EV_OVERFLOW, 27);
	want_bare(&s, TL_PT_EV_TSX, 32);
	want_event(&s, TL_PT_EV_PAGING, 34);
	want_event(&s, TL_PT_EV_STOP, 42);
	want_end(&s);
	/*
	 * A PSB+ without a FUP shows that tracing is off, also where an OVF cuts it; one that is
	 * cut by the end or by another packet shows nothing.
	 */
	for (unsigned i = 0; i < 5; i++) {
		s.size = 0;
		PUT(&s, START, OVF, FUP16(0x1004), PSB);
		if (i == 1)
			PUT(&s, FUP(0x1004));
		if (i < 2)
			PUT(&s, PSBEND);
		if (i == 3)
			PUT(&s, TNT_T);
		if (i == 4)
			PUT(&s, OVF);
		begin_flow(&s, 0);
		want_start(&s);
		if (i && i < 4)
			want_at(&s, TL_PT_EV_OVERFLOW, 27, 0x1004);
		else
			want_bare(&s, TL_PT_EV_OVERFLOW, 27);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flow_goes_on_at_the_fup),
		cmocka_unit_test(tracing_was_off_at_the_end),
		cmocka_unit_test(tracing_goes_on_with_pge),
		cmocka_unit_test(flow_must_not_go_on_nowhere),
		cmocka_unit_test(the_trace_ends_with_it),
		cmocka_unit_test(what_was_waiting),
		cmocka_unit_test(within_a_psb_plus),
		cmocka_unit_test(a_psb_plus_behind_it),
		cmocka_unit_test(skd007_cuts_a_cyc),
		cmocka_unit_test(skd010_looks_further),
		cmocka_unit_test(skd010_goes_on_in_a_transaction),
		cmocka_unit_test(skd010_goes_on_with_an_interrupt),
		cmocka_unit_test(skd010_looks_over_what_needs_no_fup),
		cmocka_unit_test(skd010_is_not_everywhere),
		cmocka_unit_test(apl11_swallows_a_pgd),
		cmocka_unit_test(apl12_doubts_the_fup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
