/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule 9.9: "from the failing packet on, drop TNT and pending state, keep time, find the next
 * packet that gives a place:
 * TIP.PGE (on at IP), FUP (on at IP), TIP (on at IP, marked 'after loss'), TIP.PGD (off), async
 * pair (its source first), PSB+ (as sync_set). Unknown opcode: scan for the next PSB. Report [first
 * lost offset, resume offset), lost packets and TNT bits."
 */
#include "../stream.h"

static void want_lost(struct stream *s, uint64_t from, uint64_t to, uint64_t packets,
		      uint64_t outcomes)
{
	struct tl_pt_event lost;

	assert_int_equal(tl_pt_flow_resync(&s->flow, &lost), 0);
	assert_int_equal(lost.kind, TL_PT_EV_LOST);
	assert_int_equal(lost.lost.from, from);
	assert_int_equal(lost.lost.to, to);
	assert_int_equal(lost.lost.packets, packets);
	assert_int_equal(lost.lost.outcomes, outcomes);
}

static void want_place(struct stream *s, bool on, uint64_t ip)
{
	bool is_on;
	uint64_t at;

	assert_true(tl_pt_gives_ip(&s->flow, &s->item, &is_on, &at));
	assert_int_equal(is_on, on);
	if (on)
		assert_int_equal(at, ip);
}

/* PSBEND where none must be is the error; behind it flow goes on with what is there. */
static void go_on(struct stream *s, const uint8_t *bytes, size_t size)
{
	s->size = 0;
	PUT(s, START, PSBEND, TNT_TTNTNN, TNT_T);
	put_bytes(s, bytes, size);
	begin_flow(s, 0);
	want_start(s);
	want_error(s, TL_PT_BAD_CONTEXT, 27);
}

#define GO_ON(s, ...)                                                                              \
	go_on(s, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

TEST(at_a_target)
{
	struct stream s = { .size = 0 };

	GO_ON(&s, TIP(0x2000), TNT_T);
	want_lost(&s, 27, 31, 3, 7);
	want_tip(&s, 0x2000, 31);
	want_place(&s, true, 0x2000);
	want_tnt(&s, 1, 1, 34);
	want_end(&s);
}

TEST(where_tracing_is_turned_on_or_off)
{
	struct stream s = { .size = 0 };

	GO_ON(&s, PGE(0x2000), TNT_T);
	want_lost(&s, 27, 31, 3, 7);
	want_at(&s, TL_PT_EV_ENABLED, 31, 0x2000);
	want_place(&s, true, 0x2000);
	want_tnt(&s, 1, 1, 38);
	GO_ON(&s, PGD(0x2000), PGE(0x3000));
	want_lost(&s, 27, 31, 3, 7);
	want_at(&s, TL_PT_EV_DISABLED, 31, 0x2000);
	want_place(&s, false, 0);
	want_at(&s, TL_PT_EV_ENABLED, 34, 0x3000);
}

TEST(at_an_asynchronous_branch)
{
	struct stream s = { .size = 0 };

	GO_ON(&s, FUP16(0x1008), TIP(0x2000));
	want_lost(&s, 27, 31, 3, 7);
	want_at(&s, TL_PT_EV_ASYNC_BRANCH, 34, 0x1008);
	want_place(&s, true, 0x2000);
	want_end(&s);
}

TEST(at_an_overflow)
{
	struct stream s = { .size = 0 };

	GO_ON(&s, OVF, FUP16(0x1008), TNT_T);
	want_lost(&s, 27, 31, 3, 7);
	want_at(&s, TL_PT_EV_OVERFLOW, 31, 0x1008);
	want_place(&s, true, 0x1008);
	want_tnt(&s, 1, 1, 36);
}

/* Nothing before is known to contradict it. */
TEST(at_a_psb)
{
	struct stream s = { .size = 0 };

	GO_ON(&s, PSB, FUP(0x2000), MODE32, PSBEND, TNT_T);
	want_lost(&s, 27, 31, 3, 7);
	want_at(&s, TL_PT_EV_ENABLED, 31, 0x2000);
	want_place(&s, true, 0x2000);
	want_at(&s, TL_PT_EV_EXEC_MODE, 54, 0x2000);
	want_tnt(&s, 1, 1, 58);
}

/* A mode that belongs to the place is not lost with what was before it. */
TEST(the_mode_of_the_place_is_kept)
{
	struct stream s = { .size = 0 };

	GO_ON(&s, MODE32, MTC(3), TIP(0x2000));
	want_lost(&s, 27, 35, 5, 7);
	want_tip(&s, 0x2000, 35);
	want_at(&s, TL_PT_EV_EXEC_MODE, 31, 0x2000);
}

/* What waits for a FUP tells where flow is, too, but not while tracing is off. */
TEST(at_an_event_with_an_address)
{
	struct stream s = { .size = 0 };
	uint64_t ip;
	bool on;

	PUT(&s, START, TSX(1), FUP16(0x1004), PGD0, 0x02, 0x92, 1, 0, 0, 0, FUP16(0x1008));
	begin_flow(&s, 0);
	want_start(&s);
	want_at(&s, TL_PT_EV_TSX, 27, 0x1004);
	want_place(&s, true, 0x1004);
	want_bare(&s, TL_PT_EV_DISABLED, 32);
	want_at(&s, TL_PT_EV_PTWRITE, 33, 0x1008);
	assert_false(tl_pt_gives_ip(&s.flow, &s.item, &on, &ip));
}

TEST(bytes_that_are_no_packets)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, TNT_T, 0x05, TIP(0x2000), PSB, FUP(0x3000), PSBEND, TNT_T);
	begin_flow(&s, 0);
	want_start(&s);
	want_tnt(&s, 1, 1, 27);
	want_error(&s, TL_PT_BAD_OPC, 28);
	want_lost(&s, 28, 32, 0, 0);
	want_at(&s, TL_PT_EV_ENABLED, 32, 0x3000);
	want_tnt(&s, 1, 1, 57);
}

TEST(nothing_more)
{
	struct stream s = { .size = 0 };
	struct tl_pt_event lost;

	GO_ON(&s, 0x0d, TNT_T);
	assert_int_equal(tl_pt_flow_resync(&s.flow, &lost), -TL_PT_EOS);
	assert_int_equal(lost.lost.from, 27);
	assert_int_equal(lost.lost.to, 33);
	assert_int_equal(lost.lost.outcomes, 8);
	assert_int_equal(lost.lost.why, TL_PT_BAD_CONTEXT);
	want_end(&s);
}

/* Each resynchronisation passes at least one packet: errors one behind the other come to an end. */
TEST(it_always_moves_on)
{
	struct stream s = { .size = 0 };
	struct tl_pt_event lost;
	uint64_t last = 0;
	int rounds = 0;

	PUT(&s, START, PSBEND);
	for (int i = 0; i < 20; i++)
		PUT(&s, FUP16(0x1000), FUP16(0x1001), TSX(3), PGE(0x1000), PGE(0x1000), PGD0, PGD0,
		    FUP16(0x1000), PSBEND);
	begin_flow(&s, 0);
	for (;;) {
		next(&s);
		if (s.item.kind == TL_PT_FLOW_ITEM_END)
			break;
		if (s.item.kind != TL_PT_FLOW_ITEM_ERROR)
			continue;
		assert_true(s.item.offset >= last);
		last = s.item.offset;
		tl_pt_flow_resync(&s.flow, &lost);
		assert_true(++rounds < 400);
	}
	assert_true(rounds > 20);
}

/* "keep time": time packets on the way still count. */
TEST(time_is_kept)
{
	for (unsigned flags = 0; flags <= TL_PT_FLOW_TIMED; flags++) {
		struct stream s = { .config = {
					    .mtc_freq = 4, .cpuid_15_eax = 1, .cpuid_15_ebx = 4 } };
		uint64_t tsc = 0;
		uint32_t mtc, cyc;

		PUT(&s, START, TSC(1000), TMA(16, 0), PSBEND, MTC(2), TNT_T, MTC(3), TIP(0x2000));
		begin_flow(&s, flags);
		want_start(&s);
		want_error(&s, TL_PT_BAD_CONTEXT, 42);
		want_lost(&s, 42, 49, 4, 1);
		want_tip(&s, 0x2000, 49);
		assert_int_equal(tl_pt_flow_time(&s.flow, &tsc, &mtc, &cyc), 0);
		assert_int_equal(tsc, 1128);
	}
}

/* ---- which events give a location ---- */

/* Of 5.3 and 5.5: those that have an address from a FUP or a TIP, with which flow goes on. */
static const enum tl_pt_event_kind with_address[] = {
	TL_PT_EV_EXEC_MODE, TL_PT_EV_IFLAGS,    TL_PT_EV_TSX,     TL_PT_EV_EXSTOP,   TL_PT_EV_MWAIT,
	TL_PT_EV_PTWRITE,   TL_PT_EV_INTERRUPT, TL_PT_EV_IRET,    TL_PT_EV_SMI,      TL_PT_EV_RSM,
	TL_PT_EV_INIT,      TL_PT_EV_VMENTRY,   TL_PT_EV_VMEXIT,  TL_PT_EV_SHUTDOWN, TL_PT_EV_UINTR,
	TL_PT_EV_UIRET,     TL_PT_EV_SWINTR,    TL_PT_EV_SYSCALL, TL_PT_EV_TRIG,
};

static bool has_address(enum tl_pt_event_kind kind)
{
	for (size_t i = 0; i < sizeof(with_address) / sizeof(with_address[0]); i++)
		if (with_address[i] == kind)
			return true;
	return false;
}

/* Those that say themselves whether tracing is on; of a branch it is the target. */
static bool says_itself(const struct tl_pt_event *event, bool *on, uint64_t *ip)
{
	*on = event->kind == TL_PT_EV_ENABLED || event->kind == TL_PT_EV_ASYNC_BRANCH ||
	      (event->kind == TL_PT_EV_OVERFLOW && !event->ip_suppressed);
	*ip = event->kind == TL_PT_EV_ASYNC_BRANCH ? event->branch.to : event->ip;
	if (event->kind == TL_PT_EV_ASYNC_BRANCH)
		return !event->ip_suppressed;
	return event->kind == TL_PT_EV_ENABLED || event->kind == TL_PT_EV_OVERFLOW ||
	       event->kind == TL_PT_EV_DISABLED || event->kind == TL_PT_EV_ASYNC_DISABLED;
}

TEST(events_that_give_a_location)
{
	struct stream s = { .size = 0 };

	PUT(&s, START, PGD0);
	begin_flow(&s, 0);
	for (unsigned turn = 0; turn < 2; turn++) {
		/* tracing is on behind the PSB+, and off behind the TIP.PGD */
		want_start(&s);
		if (turn)
			want_bare(&s, TL_PT_EV_DISABLED, 27);
		for (unsigned kind = 0; kind < TL_PT_EV_COUNT; kind++)
			for (unsigned bits = 0; bits < 4; bits++) {
				struct tl_pt_flow_item item = { .kind = TL_PT_FLOW_ITEM_EVENT };
				bool on = false, wanted_on;
				uint64_t ip = 0, wanted_ip;
				bool wanted;

				item.event.kind = (enum tl_pt_event_kind)kind;
				item.event.ip = 0x4321;
				item.event.ip_suppressed = bits & 1;
				item.event.status_update = bits & 2;
				if (kind == TL_PT_EV_ASYNC_BRANCH)
					item.event.branch.to = 0x1234;
				wanted = says_itself(&item.event, &wanted_on, &wanted_ip);
				if (!wanted && has_address(item.event.kind) && !turn && !bits)
					wanted = wanted_on = true;
				assert_int_equal(tl_pt_gives_ip(&s.flow, &item, &on, &ip), wanted);
				if (wanted)
					assert_int_equal(on, wanted_on);
				if (wanted && on)
					assert_int_equal(ip, wanted_ip);
			}
		tl_pt_flow_sync_set(&s.flow, 0);
	}
}

/* A target gives one, if it has an address; outcomes, the end and an error do not. */
TEST(items_that_give_a_location)
{
	static const struct {
		enum tl_pt_flow_item_kind kind;
		bool suppressed, gives;
	} items[] = {
		{ TL_PT_FLOW_ITEM_TIP, false, true },    { TL_PT_FLOW_ITEM_TIP, true, false },
		{ TL_PT_FLOW_ITEM_TNT, false, false },   { TL_PT_FLOW_ITEM_END, false, false },
		{ TL_PT_FLOW_ITEM_ERROR, false, false },
	};
	struct stream s = { .size = 0 };

	PUT(&s, START);
	begin_flow(&s, 0);
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		const struct tl_pt_flow_item item = { .kind = items[i].kind,
						      .ip = 0x99,
						      .suppressed = items[i].suppressed };
		bool on = false;
		uint64_t ip = 0;

		assert_int_equal(tl_pt_gives_ip(&s.flow, &item, &on, &ip), items[i].gives);
		assert_true(!items[i].gives || (on && ip == 0x99));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_a_target),
		cmocka_unit_test(where_tracing_is_turned_on_or_off),
		cmocka_unit_test(at_an_asynchronous_branch),
		cmocka_unit_test(at_an_overflow),
		cmocka_unit_test(at_a_psb),
		cmocka_unit_test(the_mode_of_the_place_is_kept),
		cmocka_unit_test(at_an_event_with_an_address),
		cmocka_unit_test(bytes_that_are_no_packets),
		cmocka_unit_test(nothing_more),
		cmocka_unit_test(it_always_moves_on),
		cmocka_unit_test(time_is_kept),
		cmocka_unit_test(events_that_give_a_location),
		cmocka_unit_test(items_that_give_a_location),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
