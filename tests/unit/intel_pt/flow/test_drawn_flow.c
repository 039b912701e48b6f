/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flow gives what happened to the processor of drawn_flow.h: items and their times, from each
 * PSB on, by the interface of events as well; and where a packet is planted that may not be there,
 * all before it, then its error, then all behind the next PSB.
 */
#include "drawn_flow.h"

enum { ROUNDS = 150, ACTIONS = 400 };

static struct processor p;

static void draw(uint32_t seed, bool iflags)
{
	begin_processor(&p, seed, iflags);
	for (unsigned i = 0; i < ACTIONS; i++)
		act(&p);
}

static struct tl_pt_config config_of(void)
{
	return (struct tl_pt_config){ .size = sizeof(struct tl_pt_config),
				      .begin = p.bytes,
				      .end = p.bytes + p.size,
				      .flags = p.iflags ? TL_PT_IFLAG_EVENTS : 0 };
}

static void open_flow(struct tl_pt_flow *flow, unsigned flags)
{
	const struct tl_pt_config config = config_of();

	assert_int_equal(tl_pt_flow_open(flow, &config, flags), 0);
}

/* ---- items ---- */

static void fail_at(unsigned number, const struct tl_pt_flow_item *item)
{
	const struct wanted *w = &p.wanted[number];

	fail_msg("wanted %u of kind %d, event %d at offset %u: kind %d, event %d at offset %u, "
		 "error %d",
		 number, (int)w->kind, (int)w->event.kind, (unsigned)w->offset, (int)item->kind,
		 (int)item->event.kind, (unsigned)item->offset, (int)item->error);
}

/* TNT packets in a row may be one item, as long as no time is between them in a timed flow. */
static unsigned pass_outcomes(unsigned number, const struct tl_pt_flow_item *item, bool timed)
{
	const uint64_t tsc = p.wanted[number].tsc;
	unsigned left = item->count;

	assert_int_equal(item->offset, p.wanted[number].offset);
	while (left) {
		const struct wanted *w = &p.wanted[number++];

		assert_int_equal(w->kind, TL_PT_FLOW_ITEM_TNT);
		assert_true(w->count <= left);
		left -= w->count;
		assert_int_equal(item->bits >> left & ((UINT64_C(1) << w->count) - 1), w->bits);
		assert_true(!timed || w->tsc == tsc);
	}
	return number;
}

/* The number of the item behind this one. */
static unsigned pass_item(unsigned number, const struct tl_pt_flow_item *item, bool timed)
{
	const struct wanted *w = &p.wanted[number];
	struct tl_pt_event event = w->event;

	if (number == p.count || item->kind != w->kind || item->offset != w->offset)
		fail_at(number, item);
	if (item->kind == TL_PT_FLOW_ITEM_TNT)
		return pass_outcomes(number, item, timed);
	if (item->kind == TL_PT_FLOW_ITEM_TIP) {
		assert_int_equal(item->suppressed, w->suppressed);
		assert_int_equal(item->ip, w->ip);
		return number + 1;
	}
	if (!timed) {
		event.has_tsc = false;
		event.tsc = 0;
	}
	if (memcmp(&event, &item->event, sizeof(event)) != 0)
		fail_at(number, item);
	return number + 1;
}

/* Items from a number on, up to the one before another; each has its time. */
static void pass_items(struct tl_pt_flow *flow, unsigned number, unsigned end)
{
	const bool timed = flow->flags & TL_PT_FLOW_TIMED;
	struct tl_pt_flow_item item;
	uint32_t lost_mtc, lost_cyc;
	uint64_t tsc;

	while (number < end) {
		tl_pt_flow_next(flow, &item);
		number = pass_item(number, &item, timed);
		if (item.kind == TL_PT_FLOW_ITEM_EVENT)
			continue;
		assert_int_equal(tl_pt_flow_time(flow, &tsc, &lost_mtc, &lost_cyc), 0);
		assert_int_equal(tsc, p.wanted[number - 1].tsc);
		assert_int_equal(lost_mtc + lost_cyc, 0);
	}
	assert_int_equal(number, end);
}

static void assert_end(struct tl_pt_flow *flow)
{
	struct tl_pt_flow_item item;

	for (unsigned i = 0; i < 2; i++) {
		tl_pt_flow_next(flow, &item);
		assert_int_equal(item.kind, TL_PT_FLOW_ITEM_END);
	}
}

TEST(a_flow_gives_what_happened)
{
	for (uint32_t seed = 1; seed <= ROUNDS; seed++)
		for (unsigned flags = 0; flags <= TL_PT_FLOW_TIMED; flags += TL_PT_FLOW_TIMED) {
			struct tl_pt_flow flow;

			draw(seed, seed % 2);
			open_flow(&flow, flags);
			assert_int_equal(tl_pt_flow_sync_forward(&flow), 0);
			pass_items(&flow, 0, p.count);
			assert_end(&flow);
		}
}

/* Each PSB+ says all that the packets behind it depend on. */
TEST(a_flow_begins_at_any_psb)
{
	struct tl_pt_flow flow;

	for (uint32_t seed = 1000; seed < 1000 + ROUNDS / 4; seed++) {
		draw(seed, false);
		open_flow(&flow, seed % 2 ? TL_PT_FLOW_TIMED : 0);
		for (unsigned i = 0; i < p.psb_count; i++) {
			assert_int_equal(tl_pt_flow_sync_set(&flow, p.psbs[i].offset), 0);
			pass_items(&flow, p.psbs[i].wanted, p.count);
			assert_end(&flow);
			assert_int_equal(tl_pt_flow_sync_set(&flow, p.psbs[i].offset + 1),
					 -TL_PT_NOSYNC);
		}
		assert_int_equal(tl_pt_flow_sync_set(&flow, p.size + 1), -TL_PT_EOS);
	}
}

/* The one behind, then the one behind that, and back again. */
TEST(psbs_are_found_in_their_order)
{
	struct tl_pt_flow flow;

	for (uint32_t seed = 2000; seed < 2000 + ROUNDS / 4; seed++) {
		draw(seed, false);
		open_flow(&flow, 0);
		for (unsigned i = 0; i < p.psb_count; i++) {
			assert_int_equal(tl_pt_flow_sync_forward(&flow), 0);
			assert_int_equal(tl_pt_flow_offset(&flow), p.psbs[i].offset);
		}
		assert_int_equal(tl_pt_flow_sync_forward(&flow), -TL_PT_EOS);
		for (unsigned i = p.psb_count - 1; i-- > 0;) {
			assert_int_equal(tl_pt_flow_sync_backward(&flow), 0);
			assert_int_equal(tl_pt_flow_offset(&flow), p.psbs[i].offset);
		}
		assert_int_equal(tl_pt_flow_sync_backward(&flow), -TL_PT_EOS);
	}
}

/* ---- the interface of events ---- */

/* Outcomes and targets are events there. */
static void as_item(const struct tl_pt_event *event, struct tl_pt_flow_item *item)
{
	*item = (struct tl_pt_flow_item){ .kind = TL_PT_FLOW_ITEM_EVENT, .offset = event->offset };
	item->event = *event;
	if (event->kind == TL_PT_EV_TNT) {
		item->kind = TL_PT_FLOW_ITEM_TNT;
		item->bits = event->tnt.bits;
		item->count = event->tnt.count;
	} else if (event->kind == TL_PT_EV_TIP) {
		item->kind = TL_PT_FLOW_ITEM_TIP;
		item->ip = event->ip;
		item->suppressed = event->ip_suppressed;
	}
}

TEST(events_are_what_happened)
{
	for (uint32_t seed = 3000; seed < 3000 + ROUNDS / 2; seed++) {
		struct tl_pt_config config;
		struct tl_pt_events *events;
		struct tl_pt_event event;
		unsigned number = 0;

		draw(seed, seed % 3 == 0);
		config = config_of();
		assert_int_equal(tl_pt_events_open(&events, &config), 0);
		assert_int_equal(tl_pt_events_sync_forward(events), 0);
		while (number < p.count) {
			struct tl_pt_flow_item item;

			assert_int_equal(tl_pt_events_next(events, &event, sizeof(event)), 0);
			assert_true(event.has_tsc);
			as_item(&event, &item);
			number = pass_item(number, &item, true);
			if (item.kind != TL_PT_FLOW_ITEM_EVENT)
				assert_int_equal(event.tsc, p.wanted[number - 1].tsc);
		}
		assert_int_equal(tl_pt_events_next(events, &event, sizeof(event)), -TL_PT_EOS);
		tl_pt_events_close(events);
	}
}

/* ---- where the trace ends anywhere ---- */

/* Where the trace is cut is its end, and never an error. */
TEST(every_prefix_ends)
{
	for (uint32_t seed = 4000; seed < 4004; seed++) {
		size_t whole;

		draw(seed, true);
		whole = p.size;
		for (p.size = 16; p.size < whole; p.size += seed % 2 ? 1 : 7) {
			struct tl_pt_flow_item item;
			struct tl_pt_flow flow;

			open_flow(&flow, seed % 4 > 1 ? TL_PT_FLOW_TIMED : 0);
			assert_int_equal(tl_pt_flow_sync_forward(&flow), 0);
			do {
				tl_pt_flow_next(&flow, &item);
				if (item.kind == TL_PT_FLOW_ITEM_ERROR)
					fail_msg("error %d at %u of %u bytes", (int)item.error,
						 (unsigned)item.offset, (unsigned)p.size);
			} while (item.kind != TL_PT_FLOW_ITEM_END);
			assert_true(item.offset <= p.size);
		}
	}
}

/* ---- packets that may not be there ---- */

#define PSB16                                                                                      \
	0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02,  \
		0x82
#define FUP48 0x7d, 0, 0x10, 0, 0, 0, 0
#define TIP48 0x6d, 0, 0x10, 0, 0, 0, 0
#define PGE48 0x71, 0, 0x10, 0, 0, 0, 0

/* What is wrong is at byte `at` of these. */
static const struct planted {
	const char *what;
	bool on, off, running; /* where it is wrong */
	enum tl_pt_error error;
	unsigned at, size;
	uint8_t bytes[40];
} planted[] = {
	{ "no packet", true, true, false, TL_PT_BAD_OPC, 0, 1, { 0x05 } },
	{ "no extended packet", true, true, false, TL_PT_BAD_OPC, 0, 2, { 0x02, 0x04 } },
	{ "both bits of a mode", true, true, false, TL_PT_BAD_PACKET, 0, 2, { 0x99, 0x03 } },
	{ "both bits of TSX", true, true, false, TL_PT_BAD_PACKET, 0, 2, { 0x99, 0x23 } },
	{ "a reserved address", true, true, false, TL_PT_BAD_PACKET, 0, 1, { 0xad } },
	{ "a long TNT without a stop bit",
	  true,
	  true,
	  false,
	  TL_PT_BAD_PACKET,
	  0,
	  8,
	  { 0x02, 0xa3 } },
	{ "on twice", true, false, false, TL_PT_BAD_CONTEXT, 0, 7, { PGE48 } },
	{ "on nowhere", false, true, false, TL_PT_BAD_PACKET, 0, 1, { 0x11 } },
	{ "off twice", false, true, false, TL_PT_BAD_CONTEXT, 0, 1, { 0x01 } },
	{ "an outcome while off", false, true, false, TL_PT_NO_ENABLE, 0, 1, { 0x06 } },
	{ "outcomes while off",
	  false,
	  true,
	  false,
	  TL_PT_NO_ENABLE,
	  0,
	  8,
	  { 0x02, 0xa3, 0x80, 0x01 } },
	{ "a target while off", false, true, false, TL_PT_NO_ENABLE, 0, 7, { TIP48 } },
	{ "a branch while off", false, true, false, TL_PT_BAD_CONTEXT, 0, 7, { FUP48 } },
	{ "an end of no PSB+", true, true, false, TL_PT_BAD_CONTEXT, 0, 2, { 0x02, 0x23 } },
	{ "a FUP without an address", true, true, false, TL_PT_IP_SUPPRESSED, 0, 1, { 0x1d } },
	{ "two FUP", true, false, false, TL_PT_BAD_CONTEXT, 7, 14, { FUP48, FUP48 } },
	{ "an outcome behind a FUP", true, false, false, TL_PT_BAD_CONTEXT, 7, 8, { FUP48, 0x04 } },
	{ "a PSB behind a FUP", true, false, false, TL_PT_BAD_CONTEXT, 7, 23, { FUP48, PSB16 } },
	{ "a stop behind a FUP",
	  true,
	  false,
	  false,
	  TL_PT_BAD_CONTEXT,
	  7,
	  9,
	  { FUP48, 0x02, 0x83 } },
	{ "a target before a FUP",
	  true,
	  false,
	  false,
	  TL_PT_BAD_CONTEXT,
	  2,
	  9,
	  { 0x99, 0x21, TIP48 } },
	{ "an end before a FUP",
	  true,
	  false,
	  false,
	  TL_PT_BAD_CONTEXT,
	  6,
	  7,
	  { 0x02, 0x92, 1, 2, 3, 4, 0x01 } },
	{ "an outcome before a FUP",
	  true,
	  false,
	  false,
	  TL_PT_BAD_CONTEXT,
	  2,
	  3,
	  { 0x02, 0xe2, 0x06 } },
	{ "a page fault twice",
	  true,
	  true,
	  false,
	  TL_PT_BAD_CONTEXT,
	  11,
	  22,
	  { 0x02, 0x53, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0x02, 0x53 } },
	{ "an exit and a page fault",
	  true,
	  true,
	  false,
	  TL_PT_BAD_CONTEXT,
	  11,
	  22,
	  { 0x02, 0x53, 2, 1, 2, 3, 4, 5, 6, 7, 8, 0x02, 0x53, 0 } },
	{ "a page fault and an exit",
	  true,
	  true,
	  false,
	  TL_PT_BAD_CONTEXT,
	  11,
	  22,
	  { 0x02, 0x53, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0x02, 0x53, 1 } },
	{ "a page fault of IRET",
	  true,
	  true,
	  false,
	  TL_PT_BAD_CONTEXT,
	  11,
	  15,
	  { 0x02, 0x53, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0x02, 0x13, 2, 0 } },
	{ "a reason of an interrupt",
	  true,
	  true,
	  false,
	  TL_PT_BAD_CONTEXT,
	  11,
	  15,
	  { 0x02, 0x53, 2, 1, 2, 3, 4, 5, 6, 7, 8, 0x02, 0x13, 1, 0 } },
	{ "an outcome behind lost packets",
	  true,
	  true,
	  false,
	  TL_PT_BAD_CONTEXT,
	  0,
	  3,
	  { 0x02, 0xf3, 0x06 } },
	{ "a target behind lost packets",
	  true,
	  true,
	  false,
	  TL_PT_BAD_CONTEXT,
	  0,
	  9,
	  { 0x02, 0xf3, TIP48 } },
	{ "an end behind lost packets",
	  true,
	  true,
	  false,
	  TL_PT_BAD_CONTEXT,
	  0,
	  3,
	  { 0x02, 0xf3, 0x01 } },
	{ "an address missing in a PSB+",
	  true,
	  false,
	  true,
	  TL_PT_BAD_STATUS_UPDATE,
	  0,
	  18,
	  { PSB16, 0x02, 0x23 } },
	{ "an address in a PSB+",
	  false,
	  true,
	  true,
	  TL_PT_BAD_STATUS_UPDATE,
	  16,
	  26,
	  { PSB16, FUP48, 0x02, 0x23, 0x06 } },
};

enum { PLANTED = sizeof(planted) / sizeof(planted[0]) };

static bool is_wrong_here(const struct planted *fault)
{
	return (p.on ? fault->on : fault->off) && (!fault->running || p.running);
}

/* Draw, with a fault after so many actions, or later. The number of the item that does not come. */
static unsigned draw_with(uint32_t seed, const struct planted *fault, unsigned after, size_t *at)
{
	unsigned i = 0, number;

	begin_processor(&p, seed, false);
	for (; i < after || !is_wrong_here(fault); i++)
		act(&p);
	number = p.count;
	*at = p.size + fault->at;
	for (unsigned byte = 0; byte < fault->size; byte++)
		put_number(&p, fault->bytes[byte], 1);
	/* the flow goes on behind the next PSB, where all is told anew */
	do_psb(&p);
	for (; i < ACTIONS / 2; i++)
		act(&p);
	return number;
}

static void assert_error(struct tl_pt_flow *flow, const struct planted *fault, size_t at)
{
	struct tl_pt_flow_item item;

	for (unsigned i = 0; i < 2; i++) {
		tl_pt_flow_next(flow, &item);
		if (item.kind != TL_PT_FLOW_ITEM_ERROR || item.error != fault->error ||
		    item.offset != at)
			fail_msg("%s at %u: kind %d, error %d at %u", fault->what, (unsigned)at,
				 (int)item.kind, (int)item.error, (unsigned)item.offset);
	}
}

TEST(errors_are_where_they_are)
{
	for (unsigned number = 0; number < PLANTED; number++)
		for (uint32_t seed = 1; seed < 9; seed++) {
			const struct planted *fault = &planted[number];
			struct tl_pt_flow flow;
			unsigned first;
			size_t at;

			first = draw_with(5000 + 31 * seed + number, fault, 3 * seed, &at);
			open_flow(&flow, seed % 2 ? TL_PT_FLOW_TIMED : 0);
			assert_int_equal(tl_pt_flow_sync_forward(&flow), 0);
			pass_items(&flow, 0, first);
			assert_error(&flow, fault, at);
			do
				assert_int_equal(tl_pt_flow_sync_forward(&flow), 0);
			while (tl_pt_flow_offset(&flow) < at + fault->size - fault->at);
			pass_items(&flow, first, p.count);
			assert_end(&flow);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flow_gives_what_happened),
		cmocka_unit_test(a_flow_begins_at_any_psb),
		cmocka_unit_test(psbs_are_found_in_their_order),
		cmocka_unit_test(events_are_what_happened),
		cmocka_unit_test(every_prefix_ends),
		cmocka_unit_test(errors_are_where_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
