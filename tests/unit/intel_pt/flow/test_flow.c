/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outcomes, targets, PSB+, TIP.PGE, TIP.PGD, FUP and MODE: sections 5.1, 5.3 to 5.6 of
 * docs/formats/intel-pt.md.
 */
#include "../stream.h"

/* ---- TNT and TIP ---- */

TEST(outcomes_are_gathered_oldest_first)
{
	struct stream s = { .size = 0 };

	/* 110100 then 1 then 0, PAD between: 1101 0010 */
	PUT(&s, START, TNT_TTNTNN, TNT_T, 0, 0, TNT_N, TIP(0x1234), TNT_T);
	begin_flow(&s, 0);
	want_start(&s);
	want_tnt(&s, 8, 0xd2, 27);
	want_tip(&s, 0x1234, 32);
	want_tnt(&s, 1, 1, 35);
	want_end(&s);
	want_end(&s);
}

TEST(a_register_holds_64)
{
	struct stream s = { .size = 0 };

	PUT(&s, START);
	for (int i = 0; i < 12; i++) /* 72 outcomes */
		PUT(&s, TNT_TTNTNN);
	begin_flow(&s, 0);
	want_start(&s);
	/* Ten packets fill 60; an eleventh has no room. */
	want_tnt(&s, 60, 0xd34d34d34d34d34, 27);
	want_tnt(&s, 12, 0xd34, 37);
	want_end(&s);
}

/* 4.2: TNT (long): "stop bit = highest 1; up to 47 outcomes below it" */
TEST(long_and_short_tnt_together)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, TNT_T, 0x02, 0xa3, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0xda, TNT_N, 0x02, 0xa3,
	    0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0xda);
	begin_flow(&s, 0);
	want_start(&s);
	want_tnt(&s, 49, UINT64_C(1) << 48 | UINT64_C(0x5a5a5a5a5a5a) << 1, 27);
	want_tnt(&s, 47, 0x5a5a5a5a5a5a, 37);
	want_end(&s);
}

/* 4.3: "0 | suppressed: no address (last-IP unchanged)", and what each code replaces */
TEST(addresses_follow_the_last_one)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, 0xcd, 8, 7, 6, 5, 4, 3, 2, 1, 0x2d, 0xaa, 0xbb, 0x4d, 0xdd, 0xcc, 0xbb, 0xaa,
	    0x8d, 6, 5, 4, 3, 2, 1);
	PUT(&s, 0x0d, 0x2d, 1, 0, 0x6d, 0, 0, 0, 0, 0, 0x80);
	begin_flow(&s, 0);
	want_start(&s);
	want_tip(&s, 0x0102030405060708, 27);
	want_tip(&s, 0x010203040506bbaa, 36);
	want_tip(&s, 0x01020304aabbccdd, 39);
	want_tip(&s, 0x0102010203040506, 44);
	assert_int_equal(next(&s), TL_PT_FLOW_ITEM_TIP);
	assert_true(s.item.suppressed);
	want_tip(&s, 0x0102010203040001, 52);
	want_tip(&s, 0xffff800000000000, 55);
	want_end(&s);
}

/* "PSB resets it to 0" */
TEST(the_last_address_is_zero_behind_a_psb)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, 0xcd, 8, 7, 6, 5, 4, 3, 2, 1, PSB, FUP16(0x708), PSBEND, TIP(0x20));
	begin_flow(&s, 0);
	want_start(&s);
	want_tip(&s, 0x0102030405060708, 27);
	want_at(&s, TL_PT_EV_ENABLED, 36, 0x708);
	want_tip(&s, 0x20, 57);
	want_end(&s);
}

/* "pte_no_enable" */
TEST(no_flow_while_tracing_is_off)
{
	struct stream s = { .size = 0 };

	PUT(&s, START_OFF, 0, TNT_T);
	begin_flow(&s, 0);
	want_start_off(&s);
	want_error(&s, TL_PT_NO_ENABLE, 21);
	/* 9.8: "the decoder stays in that error until sync" */
	want_error(&s, TL_PT_NO_ENABLE, 21);
	s.data[21] = 0x0d;
	begin_flow(&s, 0);
	want_start_off(&s);
	want_error(&s, TL_PT_NO_ENABLE, 21);
}

TEST(errors_stand_at_their_packet)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, TNT_T, 0x02, 0xff, TNT_T);
	begin_flow(&s, 0);
	want_start(&s);
	want_tnt(&s, 1, 1, 27);
	want_error(&s, TL_PT_BAD_OPC, 28);
	want_error(&s, TL_PT_BAD_OPC, 28);
}

/* 4.3: "5, 7 | reserved: bad packet", on the fast way, too, with bytes behind for any length. */
TEST(reserved_codes_in_flow)
{
	static const uint8_t codes[] = { 0xad, 0xed, 0xbd, 0xfd, 0xa1, 0xe1, 0xb1, 0xf1 };

	for (size_t i = 0; i < sizeof(codes); i++) {
		struct stream s = { .size = 0 };

		PUT(&s, START, TNT_T, codes[i]);
		for (int n = 0; n < 300; n++)
			PUT(&s, TNT_T);
		begin_flow(&s, 0);
		want_start(&s);
		want_tnt(&s, 1, 1, 27);
		want_error(&s, TL_PT_BAD_PACKET, 28);
	}
}

/* 10: "trailing partial packet (pte_eos at its offset)" */
TEST(a_packet_cut_short_is_the_end)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, TNT_T, 0x2d, 0x11);
	begin_flow(&s, 0);
	want_start(&s);
	want_tnt(&s, 1, 1, 27);
	want_end(&s);
	assert_int_equal(s.item.offset, 28);
}

/* ---- PSB+ ---- */

/*
 * 5.1: "FUP present = tracing is on at that IP: 'enabled' status event first", in whatever order
 * packets come
 */
TEST(status_comes_first)
{
	struct stream s = { .size = 0 };

	PUT(&s, PSB, MODE32, TSX(1), PIP(0x3000), VMCS(0x5000), CBR(7), 0x02, 0xc3, 0x88, 9, 0, 0,
	    0, 0, 0, 0, 0, FUP(0x1000), PSBEND);
	begin_flow(&s, 0);
	want_at(&s, TL_PT_EV_ENABLED, 0, 0x1000);
	want_at(&s, TL_PT_EV_EXEC_MODE, 16, 0x1000);
	assert_int_equal(s.item.event.exec_mode.mode, TL_PT_MODE_32);
	want_at(&s, TL_PT_EV_TSX, 18, 0x1000);
	assert_true(s.item.event.tsx.speculative);
	assert_true(s.item.event.status_update);
	want_at(&s, TL_PT_EV_ASYNC_PAGING, 20, 0x1000);
	assert_int_equal(s.item.event.paging.cr3, 0x3000);
	want_at(&s, TL_PT_EV_ASYNC_VMCS, 28, 0x1000);
	assert_int_equal(s.item.event.vmcs.base, 0x5000);
	want_event(&s, TL_PT_EV_CBR, 35);
	assert_int_equal(s.item.event.cbr.ratio, 7);
	want_event(&s, TL_PT_EV_MNT, 39);
	assert_int_equal(s.item.event.mnt.payload, 9);
	want_end(&s);
}

/* "Allowed inside ...; anything else = pte_bad_context" */
TEST(what_must_not_be_in_a_psb_plus)
{
	static const uint8_t bad[][16] = { { TNT_T },      { TIP(1) },     { PGE(1) },     { PGD0 },
					   { 0x02, 0x83 }, { 0x02, 0x62 }, { 0x02, 0x12 }, { 0xd9 },
					   { PSB },        { 0x02, 0x13 } };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct stream s = { .size = 0 };

		PUT(&s, PSB, FUP(0x1000));
		put_bytes(&s, bad[i], 16);
		begin_flow(&s, 0);
		want_at(&s, TL_PT_EV_ENABLED, 0, 0x1000);
		want_error(&s, TL_PT_BAD_CONTEXT, 23);
	}
}

TEST(psbend_belongs_to_a_psb)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, PSBEND);
	begin_flow(&s, 0);
	want_start(&s);
	want_error(&s, TL_PT_BAD_CONTEXT, 27);
}

/* "MODE.Exec different from the current mode, FUP while off ... = pte_bad_status_update" */
TEST(status_must_agree)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, PSB, FUP(0x1002), MODE32, PSBEND);
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_ENABLED, 27, 0x1002);
	want_error(&s, TL_PT_BAD_STATUS_UPDATE, 50);
	s.size = 0;
	PUT(&s, START_OFF, PSB, FUP(0x1002), PSBEND, TNT_T);
	begin_flow(&s, 0);
	want_start_off(&s);
	want_error(&s, TL_PT_BAD_STATUS_UPDATE, 36);
	s.size = 0;
	PUT(&s, START, PSB, PSBEND);
	begin_flow(&s, 0);
	want_start(&s);
	want_error(&s, TL_PT_BAD_STATUS_UPDATE, 27);
	/* Another PSB+ that agrees. */
	s.size = 0;
	PUT(&s, START, PSB, FUP(0x1002), MODE64, PSBEND);
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_ENABLED, 27, 0x1002);
	want_at(&s, TL_PT_EV_EXEC_MODE, 50, 0x1002);
	want_end(&s);
}

/* "A PSB+ while flow events are still queued = pte_bad_context" */
TEST(a_psb_must_not_come_between)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, FUP16(0x1001), PSB);
	begin_flow(&s, 0);
	want_start(&s);
	want_error(&s, TL_PT_BAD_CONTEXT, 30);
}

/* 10: "stream cut in a PSB+" is tolerated */
TEST(a_psb_plus_cut_by_the_end)
{
	struct stream s = { .size = 0 };

	PUT(&s, PSB, FUP(0x1000));
	begin_flow(&s, 0);
	want_at(&s, TL_PT_EV_ENABLED, 0, 0x1000);
	want_end(&s);
	s.size = 0;
	PUT(&s, PSB, MODE64, 0x02);
	begin_flow(&s, 0);
	want_bare(&s, TL_PT_EV_EXEC_MODE, 16);
	want_end(&s);
}

/* 7: bdm70: "after a PSB+ with FUP, look ahead: TIP.PGE next means tracing was off" */
TEST(bdm70_puts_no_trust_in_the_fup)
{
	struct stream s = { .size = 0 };

	s.config.errata = TL_PT_BDM70;
	PUT(&s, START, CBR(3), PGE(0x1000));
	begin_flow(&s, 0);
	want_bare(&s, TL_PT_EV_DISABLED, 0);
	want_bare(&s, TL_PT_EV_EXEC_MODE, 23);
	want_event(&s, TL_PT_EV_CBR, 27);
	want_at(&s, TL_PT_EV_ENABLED, 31, 0x1000);
	want_end(&s);
	s.config.errata = 0;
	begin_flow(&s, 0);
	want_start(&s);
	want_event(&s, TL_PT_EV_CBR, 27);
	want_error(&s, TL_PT_BAD_CONTEXT, 31);
}

/* The look for the TIP.PGE passes packets that do not concern flow, and no others. */
TEST(bdm70_looks_past_packets_without_flow)
{
	static const struct {
		uint8_t bytes[11], size;
		bool passed;
	} between[] = {
		{ { 0 }, 1, true },
		{ { MODE64 }, 2, true },
		{ { TSC(9) }, 8, true },
		{ { CBR(3) }, 4, true },
		{ { TMA(1, 0) }, 7, true },
		{ { MTC(1) }, 2, true },
		{ { CYC(1) }, 1, true },
		{ { PIP(0x3000) }, 8, true },
		{ { VMCS(0x3000) }, 7, true },
		{ { 0x02, 0xc3, 0x88 }, 11, true },
		{ { TNT_T }, 1, false },
		{ { PGD0 }, 1, false },
		{ { OVF }, 2, false },
		{ { 0x02, 0x83 }, 2, false },
	};

	for (size_t i = 0; i < sizeof(between) / sizeof(between[0]); i++) {
		struct stream s = { .config.errata = TL_PT_BDM70 };

		PUT(&s, START);
		put_bytes(&s, between[i].bytes, between[i].size);
		PUT(&s, PGE(0x1000));
		begin_flow(&s, 0);
		if (between[i].passed)
			want_bare(&s, TL_PT_EV_DISABLED, 0);
		else
			want_at(&s, TL_PT_EV_ENABLED, 0, 0x1000);
	}
}

/* ---- TIP.PGE, TIP.PGD, FUP ---- */

TEST(on_and_off)
{
	struct stream s = { .size = 0 };

	PUT(&s, START_OFF, PGE(0x2000), PGD(0x2010), PGE(0x3000), PGD0);
	begin_flow(&s, 0);
	want_start_off(&s);
	want_at(&s, TL_PT_EV_ENABLED, 20, 0x2000);
	want_at(&s, TL_PT_EV_DISABLED, 27, 0x2010);
	want_at(&s, TL_PT_EV_ENABLED, 30, 0x3000);
	want_bare(&s, TL_PT_EV_DISABLED, 37);
	want_end(&s);
}

TEST(on_and_on_off_and_off)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, PGE(0x1000));
	begin_flow(&s, 0);
	want_start(&s);
	want_error(&s, TL_PT_BAD_CONTEXT, 27);
	s.size = 0;
	PUT(&s, START_OFF, PGD0);
	begin_flow(&s, 0);
	want_start_off(&s);
	want_error(&s, TL_PT_BAD_CONTEXT, 20);
	s.size = 0;
	PUT(&s, START_OFF, 0x11);
	begin_flow(&s, 0);
	want_start_off(&s);
	want_error(&s, TL_PT_BAD_PACKET, 20);
}

/*
 * 5.3 (b): "with the next TIP: async_branch(from, to); with the next TIP.PGD: async_disabled(at, ip
 * or suppressed)"
 */
TEST(fup_is_the_source_of_what_follows)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, FUP16(0x1004), TIP(0x2000), FUP16(0x2004), PGD(0x3000), PGE(0x4000),
	    FUP16(0x4008), PGD0);
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_ASYNC_BRANCH, 30, 0x1004);
	assert_int_equal(s.item.event.branch.to, 0x2000);
	want_at(&s, TL_PT_EV_ASYNC_DISABLED, 36, 0x2004);
	assert_int_equal(s.item.event.disabled.to, 0x3000);
	want_at(&s, TL_PT_EV_ENABLED, 39, 0x4000);
	want_bare(&s, TL_PT_EV_ASYNC_DISABLED, 49);
	assert_int_equal(s.item.event.ip, 0x4008);
	want_end(&s);
}

TEST(fup_alone)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, FUP16(0x1004), FUP16(0x1005));
	begin_flow(&s, 0);
	want_start(&s);
	want_error(&s, TL_PT_BAD_CONTEXT, 30);
	s.data[30] = TNT_T;
	begin_flow(&s, 0);
	want_start(&s);
	want_error(&s, TL_PT_BAD_CONTEXT, 30);
	/* "A FUP with suppressed IP (code 0) where an IP is needed: pte_ip_suppressed" */
	s.data[27] = 0x1d;
	begin_flow(&s, 0);
	want_start(&s);
	want_error(&s, TL_PT_IP_SUPPRESSED, 27);
	s.size = 0;
	PUT(&s, START_OFF, FUP(0x1000));
	begin_flow(&s, 0);
	want_start_off(&s);
	want_error(&s, TL_PT_BAD_CONTEXT, 20);
}

/* ---- MODE.Exec ---- */

/*
 * 5.5: "MODE.Exec binds to the next TIP or TIP.PGE: event after the branch, at its target; no event
 * if unchanged"
 */
TEST(mode_follows_its_branch)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, MODE32, TIP(0x2000), MODE32, TIP(0x2100), FUP16(0x2104), MODE64, TIP(0x3000),
	    TNT_T);
	begin_flow(&s, 0);
	want_start(&s);
	want_tip(&s, 0x2000, 29);
	want_at(&s, TL_PT_EV_EXEC_MODE, 27, 0x2000);
	assert_int_equal(s.item.event.exec_mode.mode, TL_PT_MODE_32);
	want_tip(&s, 0x2100, 34);
	want_at(&s, TL_PT_EV_ASYNC_BRANCH, 42, 0x2104);
	want_at(&s, TL_PT_EV_EXEC_MODE, 40, 0x3000);
	want_tnt(&s, 1, 1, 45);
	want_end(&s);
}

/* "with TIP.PGD: suppressed", and bound to TIP.PGE */
TEST(mode_with_pgd_and_pge)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, MODE32, PGD0, MODE32, PGE(0x2000));
	begin_flow(&s, 0);
	want_start(&s);
	want_bare(&s, TL_PT_EV_DISABLED, 29);
	want_at(&s, TL_PT_EV_ENABLED, 32, 0x2000);
	want_at(&s, TL_PT_EV_EXEC_MODE, 30, 0x2000);
	want_end(&s);
}

/* What waited for a TIP has gone with the TIP.PGD: what follows waits for nothing. */
TEST(mode_with_pgd_alone)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, MODE32, PGD0, PGE(0x2000), TNT_T, PGD0, PSB, PSBEND);
	begin_flow(&s, 0);
	want_start(&s);
	want_bare(&s, TL_PT_EV_DISABLED, 29);
	want_at(&s, TL_PT_EV_ENABLED, 30, 0x2000);
	want_tnt(&s, 1, 1, 37);
	want_bare(&s, TL_PT_EV_DISABLED, 38);
	want_bare(&s, TL_PT_EV_DISABLED, 39);
	want_end(&s);
}

/* 4.1: "(L,D): 0,0 = 16 bit; 0,1 = 32; 1,0 = 64; 1,1 invalid", "3 invalid" */
TEST(modes_that_do_not_exist)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, 0x99, 0x03);
	begin_flow(&s, 0);
	want_start(&s);
	want_error(&s, TL_PT_BAD_PACKET, 27);
	s.data[28] = 0x23;
	begin_flow(&s, 0);
	want_start(&s);
	want_error(&s, TL_PT_BAD_PACKET, 27);
	s.data[28] = 0x00;
	PUT(&s, TIP(0x2000));
	begin_flow(&s, 0);
	want_start(&s);
	want_tip(&s, 0x2000, 29);
	want_at(&s, TL_PT_EV_EXEC_MODE, 27, 0x2000);
	assert_int_equal(s.item.event.exec_mode.mode, TL_PT_MODE_16);
}

/*
 * 5.7: "iflags events (MODE.Exec.IF) only on request"; a MODE.Exec that only says so comes with a
 * FUP
 */
TEST(interrupt_flag_on_request)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, 0x99, 0x05, FUP16(0x1003), TNT_T, 0x99, 0x05, FUP16(0x1009), TNT_T);
	begin_flow(&s, 0);
	want_start(&s);
	want_tnt(&s, 1, 1, 32);
	want_tnt(&s, 1, 1, 38);
	want_end(&s);
	s.config.flags = TL_PT_IFLAG_EVENTS;
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_IFLAGS, 23, 0x1000);
	assert_false(s.item.event.iflags.iflag);
	want_at(&s, TL_PT_EV_IFLAGS, 27, 0x1003);
	assert_true(s.item.event.iflags.iflag);
	want_tnt(&s, 1, 1, 32);
	want_tnt(&s, 1, 1, 38);
}

/* ---- synchronising ---- */

/* 9.10: "sync_set on a non-PSB offset | pte_nosync; offset beyond the end pte_eos" */
TEST(where_to_begin)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, TNT_T, START);
	begin_flow(&s, 0);
	assert_int_equal(tl_pt_flow_sync_set(&s.flow, 1), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_flow_sync_set(&s.flow, 1000), -TL_PT_EOS);
	want_start(&s);
	assert_int_equal(tl_pt_flow_sync_set(&s.flow, 28), 0);
	want_at(&s, TL_PT_EV_ENABLED, 28, 0x1000);
	assert_int_equal(tl_pt_flow_sync_backward(&s.flow), 0);
	want_at(&s, TL_PT_EV_ENABLED, 0, 0x1000);
	assert_int_equal(tl_pt_flow_sync_backward(&s.flow), -TL_PT_EOS);
	assert_int_equal(tl_pt_flow_sync_forward(&s.flow), 0);
	want_at(&s, TL_PT_EV_ENABLED, 28, 0x1000);
	assert_int_equal(tl_pt_flow_sync_forward(&s.flow), -TL_PT_EOS);
}

TEST(nothing_before_the_first_sync)
{
	struct stream s = { .size = 0 };

	PUT(&s, START);
	s.config = (struct tl_pt_config){ .size = sizeof(s.config),
					  .begin = s.data,
					  .end = s.data + s.size };
	assert_int_equal(tl_pt_flow_open(&s.flow, &s.config, 0), 0);
	want_error(&s, TL_PT_NOSYNC, 0);
	assert_int_equal(tl_pt_flow_resync(&s.flow, &s.item.event), -TL_PT_NOSYNC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outcomes_are_gathered_oldest_first),
		cmocka_unit_test(a_register_holds_64),
		cmocka_unit_test(long_and_short_tnt_together),
		cmocka_unit_test(addresses_follow_the_last_one),
		cmocka_unit_test(the_last_address_is_zero_behind_a_psb),
		cmocka_unit_test(no_flow_while_tracing_is_off),
		cmocka_unit_test(errors_stand_at_their_packet),
		cmocka_unit_test(reserved_codes_in_flow),
		cmocka_unit_test(a_packet_cut_short_is_the_end),
		cmocka_unit_test(status_comes_first),
		cmocka_unit_test(what_must_not_be_in_a_psb_plus),
		cmocka_unit_test(psbend_belongs_to_a_psb),
		cmocka_unit_test(status_must_agree),
		cmocka_unit_test(a_psb_must_not_come_between),
		cmocka_unit_test(a_psb_plus_cut_by_the_end),
		cmocka_unit_test(bdm70_puts_no_trust_in_the_fup),
		cmocka_unit_test(bdm70_looks_past_packets_without_flow),
		cmocka_unit_test(on_and_off),
		cmocka_unit_test(on_and_on_off_and_off),
		cmocka_unit_test(fup_is_the_source_of_what_follows),
		cmocka_unit_test(fup_alone),
		cmocka_unit_test(mode_follows_its_branch),
		cmocka_unit_test(mode_with_pgd_and_pge),
		cmocka_unit_test(mode_with_pgd_alone),
		cmocka_unit_test(modes_that_do_not_exist),
		cmocka_unit_test(interrupt_flag_on_request),
		cmocka_unit_test(where_to_begin),
		cmocka_unit_test(nothing_before_the_first_sync),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
