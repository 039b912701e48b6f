/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address space, transactions, power, PTWRITE, TRIG, event trace, blocks of items: sections 5.3,
 * 5.5 and 5.7.
 */
#include "../stream.h"

#define EXSTOP 0x02, 0x62
#define EXSTOP_IP 0x02, 0xe2
#define MWAIT(hints) 0x02, 0xc2, hints, 0, 0, 0, 0, 0, 0, 0
#define PWRE(state) 0x02, 0x22, 0, (state) << 4
#define PWRX 0x02, 0xa2, 0x10, 0x01, 0, 0, 0
#define PTW(value) 0x02, 0x12, value, 0, 0, 0
#define PTW_IP(value) 0x02, 0x92, value, 0, 0, 0
#define CFE(type, vector) 0x02, 0x13, type, vector
#define CFE_IP(type, vector) 0x02, 0x13, 0x80 | (type), vector
#define EVD(type, value) 0x02, 0x53, type, value, 0, 0, 0, 0, 0, 0, 0

/* ---- 5.5 ---- */

/* "PIP alone: paging event bound to the next MOV to CR3 ..."; the walk finds it */
TEST(address_space_alone)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, PIP(0x3000), VMCS(0x5000), TNT_T, PGD0, PIP(0x6000));
	begin_flow(&s, 0);
	want_start(&s);
	want_event(&s, TL_PT_EV_PAGING, 27);
	assert_int_equal(s.item.event.paging.cr3, 0x3000);
	assert_false(s.item.event.status_update);
	want_event(&s, TL_PT_EV_VMCS, 35);
	assert_int_equal(s.item.event.vmcs.base, 0x5000);
	want_tnt(&s, 1, 1, 42);
	want_bare(&s, TL_PT_EV_DISABLED, 43);
	want_event(&s, TL_PT_EV_PAGING, 44);
	want_end(&s);
}

/* "between FUP and TIP: async_paging after the async branch ... VMCS: same ...; VMCS before PIP" */
TEST(address_space_within_a_branch)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, FUP16(0x1004), PIP(0x3000), VMCS(0x5000), TIP(0x2000), FUP16(0x2004),
	    PIP(0x6000), PGD0);
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_ASYNC_BRANCH, 45, 0x1004);
	want_at(&s, TL_PT_EV_ASYNC_VMCS, 38, 0x2000);
	want_at(&s, TL_PT_EV_ASYNC_PAGING, 30, 0x2000);
	want_bare(&s, TL_PT_EV_ASYNC_DISABLED, 59);
	want_bare(&s, TL_PT_EV_ASYNC_PAGING, 51);
	want_end(&s);
}

/* ---- transactions ---- */

/*
 * 5.3: "If an event waits for a FUP (... MODE.TSX begin/commit ...): the event gets the IP; flow
 * goes on"
 */
TEST(a_transaction_begins_and_ends_at_its_fup)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, TSX(1), FUP16(0x1001), TNT_T, TSX(0), FUP16(0x1005), TIP(0x2000));
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_TSX, 27, 0x1001);
	assert_true(s.item.event.tsx.speculative);
	want_tnt(&s, 1, 1, 32);
	want_at(&s, TL_PT_EV_TSX, 33, 0x1005);
	assert_false(s.item.event.tsx.speculative || s.item.event.tsx.aborted);
	want_tip(&s, 0x2000, 38);
	want_end(&s);
}

/*
 * "MODE.TSX with Abort precedes FUP + TIP (or FUP + TIP.PGD): tsx event at the FUP, then the branch
 * to the abort handler"
 */
TEST(an_abort_is_a_branch_too)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, TSX(2), FUP16(0x1001), TIP(0x1010), TSX(2), FUP16(0x1012), PGD0, TSX(1));
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_TSX, 27, 0x1001);
	assert_true(s.item.event.tsx.aborted);
	want_at(&s, TL_PT_EV_ASYNC_BRANCH, 32, 0x1001);
	assert_int_equal(s.item.event.branch.to, 0x1010);
	want_at(&s, TL_PT_EV_TSX, 35, 0x1012);
	want_bare(&s, TL_PT_EV_ASYNC_DISABLED, 40);
	/* While tracing is off nobody says where. */
	want_bare(&s, TL_PT_EV_TSX, 41);
	want_end(&s);
}

/* What waits for a FUP cannot be passed by flow. */
TEST(what_waits_for_a_fup)
{
	static const uint8_t bad[][7] = { { TNT_T }, { TIP(0x2000) }, { PGD0 } };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct stream s = { .size = 0 };

		PUT(&s, START, TSX(1));
		put_bytes(&s, bad[i], 7);
		begin_flow(&s, 0);
		want_start(&s);
		want_error(&s, TL_PT_BAD_CONTEXT, 29);
	}
}

/* ---- power (5.7) ---- */

/* "MWAIT waits for EXSTOP; with EXSTOP.IP both take the FUP's IP ... PWRE is held until PWRX" */
TEST(a_stop_with_an_address)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, MWAIT(0x50), PWRE(3), EXSTOP_IP, FUP16(0x1002), PWRX, TNT_T);
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_MWAIT, 27, 0x1002);
	assert_int_equal(s.item.event.mwait.hints, 0x50);
	want_at(&s, TL_PT_EV_EXSTOP, 41, 0x1002);
	want_event(&s, TL_PT_EV_PWRE, 37);
	assert_int_equal(s.item.event.pwre.state, 3);
	want_event(&s, TL_PT_EV_PWRX, 46);
	assert_int_equal(s.item.event.pwrx.last, 1);
	assert_true(s.item.event.pwrx.interrupt);
	want_tnt(&s, 1, 1, 53);
	want_end(&s);
}

/* "else both are standalone and suppressed" */
TEST(a_stop_without_an_address)
{
	struct stream s = { .size = 0 };

	PUT(&s, START_OFF, MWAIT(7), PWRE(1), EXSTOP, PWRX, PGE(0x1000));
	begin_flow(&s, 0);
	want_start_off(&s);
	want_bare(&s, TL_PT_EV_MWAIT, 20);
	want_bare(&s, TL_PT_EV_EXSTOP, 34);
	want_event(&s, TL_PT_EV_PWRE, 30);
	want_event(&s, TL_PT_EV_PWRX, 36);
	want_at(&s, TL_PT_EV_ENABLED, 43, 0x1000);
	want_end(&s);
}

/* What is kept is given when flow goes on, at the end, and when its like comes. */
TEST(kept_power_is_not_lost)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, PWRE(1), TNT_T, MWAIT(7), MWAIT(8), TIP(0x2000), PWRE(2));
	begin_flow(&s, 0);
	want_start(&s);
	want_event(&s, TL_PT_EV_PWRE, 27);
	want_tnt(&s, 1, 1, 31);
	want_bare(&s, TL_PT_EV_MWAIT, 32);
	want_bare(&s, TL_PT_EV_MWAIT, 42);
	want_tip(&s, 0x2000, 52);
	want_event(&s, TL_PT_EV_PWRE, 55);
	want_end(&s);
}

/* ---- PTWRITE, TRIG, MNT, TraceStop ---- */

/* "PTWRITE without IP binds to the next PTWRITE instruction on the walk; with IP to the FUP" */
TEST(ptwrite_with_and_without)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, PTW(9), PTW_IP(10), FUP16(0x1003), 0x02, 0x32, 1, 2, 3, 4, 5, 6, 7, 8);
	begin_flow(&s, 0);
	want_start(&s);
	want_bare(&s, TL_PT_EV_PTWRITE, 27);
	assert_int_equal(s.item.event.ptwrite.payload, 9);
	assert_int_equal(s.item.event.ptwrite.size, 4);
	want_at(&s, TL_PT_EV_PTWRITE, 33, 0x1003);
	want_bare(&s, TL_PT_EV_PTWRITE, 42);
	assert_int_equal(s.item.event.ptwrite.payload, 0x0807060504030201);
	assert_int_equal(s.item.event.ptwrite.size, 8);
	want_end(&s);
}

TEST(triggers)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, 0xd9, 0x20, 0x0f, 0xd9, 0x40, 0x01, 0x05, 0x00, 0xd9, 0x80, 0x02,
	    FUP16(0x1004));
	begin_flow(&s, 0);
	want_start(&s);
	want_bare(&s, TL_PT_EV_TRIG, 27);
	assert_true(s.item.event.trig.mult);
	assert_int_equal(s.item.event.trig.trbv, 0x0f);
	want_bare(&s, TL_PT_EV_TRIG, 30);
	assert_true(s.item.event.trig.icntv);
	assert_int_equal(s.item.event.trig.icnt, 5);
	want_at(&s, TL_PT_EV_TRIG, 35, 0x1004);
	want_end(&s);
}

TEST(maintenance_and_stop)
{
	struct stream s = { .size = 0 };

	PUT(&s, START_OFF, 0x02, 0xc3, 0x88, 1, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x83);
	begin_flow(&s, 0);
	want_start_off(&s);
	want_event(&s, TL_PT_EV_MNT, 20);
	want_event(&s, TL_PT_EV_STOP, 31);
	want_end(&s);
}

/* ---- event trace ---- */

/* "EVD precedes its CFE ...; without IP: while tracing, to the following FUP + TIP pair" */
TEST(an_interrupt_with_its_address)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, EVD(0, 0xaa), CFE(1, 14), FUP16(0x1001), TIP(0x2000), CFE(2, 0),
	    TIP(0x1001));
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_INTERRUPT, 38, 0x1001);
	assert_int_equal(s.item.event.interrupt.vector, 14);
	assert_true(s.item.event.interrupt.has_cr2);
	assert_int_equal(s.item.event.interrupt.cr2, 0xaa);
	want_at(&s, TL_PT_EV_ASYNC_BRANCH, 45, 0x1001);
	/* An IRET is at the instruction that the walk comes to. */
	want_bare(&s, TL_PT_EV_IRET, 48);
	want_tip(&s, 0x1001, 52);
	want_end(&s);
}

/* "CFE with IP binds to the FUP"; "while off: standalone" */
TEST(every_kind_of_event)
{
	static const struct {
		uint8_t type;
		enum tl_pt_event_kind kind;
	} types[] = {
		{ 1, TL_PT_EV_INTERRUPT }, { 2, TL_PT_EV_IRET },     { 3, TL_PT_EV_SMI },
		{ 4, TL_PT_EV_RSM },       { 5, TL_PT_EV_SIPI },     { 6, TL_PT_EV_INIT },
		{ 7, TL_PT_EV_VMENTRY },   { 8, TL_PT_EV_VMEXIT },   { 9, TL_PT_EV_VMEXIT },
		{ 10, TL_PT_EV_SHUTDOWN }, { 12, TL_PT_EV_UINTR },   { 13, TL_PT_EV_UIRET },
		{ 14, TL_PT_EV_SWINTR },   { 15, TL_PT_EV_SYSCALL },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct stream s = { .size = 0 };

		PUT(&s, START, CFE_IP(types[i].type, 3), FUP16(0x1004), PGD0,
		    CFE(types[i].type, 3));
		begin_flow(&s, 0);
		want_start(&s);
		want_at(&s, types[i].kind, 27, 0x1004);
		want_bare(&s, TL_PT_EV_DISABLED, 34);
		want_bare(&s, types[i].kind, 35);
		want_end(&s);
	}
}

TEST(a_vm_exit_with_its_data)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, EVD(1, 0x11), EVD(2, 0x22), CFE(9, 14), FUP16(0x1001), PGD0, CFE(8, 5));
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_VMEXIT, 49, 0x1001);
	assert_true(s.item.event.vmexit.has_vector && s.item.event.vmexit.has_vmxq &&
		    s.item.event.vmexit.has_vmxr);
	assert_int_equal(s.item.event.vmexit.vector, 14);
	assert_int_equal(s.item.event.vmexit.vmxq, 0x11);
	assert_int_equal(s.item.event.vmexit.vmxr, 0x22);
	want_bare(&s, TL_PT_EV_ASYNC_DISABLED, 56);
	want_bare(&s, TL_PT_EV_VMEXIT, 57);
	assert_false(s.item.event.vmexit.has_vector || s.item.event.vmexit.has_vmxq ||
		     s.item.event.vmexit.has_vmxr);
	want_end(&s);
}

/* Data of one kind of event with another one are out of place; unknown types are passed over. */
TEST(data_that_do_not_belong)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, EVD(0, 1), CFE(2, 0));
	begin_flow(&s, 0);
	want_start(&s);
	want_error(&s, TL_PT_BAD_CONTEXT, 38);
	s.size = 0;
	PUT(&s, START, EVD(2, 1), EVD(0, 1));
	begin_flow(&s, 0);
	want_start(&s);
	want_error(&s, TL_PT_BAD_CONTEXT, 38);
	s.size = 0;
	PUT(&s, START, EVD(31, 1), CFE_IP(31, 0), FUP16(0x1001), CFE(31, 0), TNT_T);
	begin_flow(&s, 0);
	want_start(&s);
	want_tnt(&s, 1, 1, 49);
}

/* 9.16: "decoded and skipped as one block context" */
TEST(blocks_of_items_are_passed)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, TNT_T, 0x02, 0x63, 0x84, 0x0c, 1, 2, 3, 4, 0x14, 5, 6, 7, 8, 0x02, 0xb3,
	    FUP16(0x1001), 0x0c);
	begin_flow(&s, 0);
	want_start(&s);
	want_tnt(&s, 1, 1, 27);
	want_tnt(&s, 2, 2, 46);
	want_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(address_space_alone),
		cmocka_unit_test(address_space_within_a_branch),
		cmocka_unit_test(a_transaction_begins_and_ends_at_its_fup),
		cmocka_unit_test(an_abort_is_a_branch_too),
		cmocka_unit_test(what_waits_for_a_fup),
		cmocka_unit_test(a_stop_with_an_address),
		cmocka_unit_test(a_stop_without_an_address),
		cmocka_unit_test(kept_power_is_not_lost),
		cmocka_unit_test(ptwrite_with_and_without),
		cmocka_unit_test(triggers),
		cmocka_unit_test(maintenance_and_stop),
		cmocka_unit_test(an_interrupt_with_its_address),
		cmocka_unit_test(every_kind_of_event),
		cmocka_unit_test(a_vm_exit_with_its_data),
		cmocka_unit_test(data_that_do_not_belong),
		cmocka_unit_test(blocks_of_items_are_passed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
