/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The published query and event interfaces: statuses, what fits a question, what does not (1.4,
 * 3.1).
 */
#include "../stream.h"

static struct tl_pt_query *asked(struct stream *s)
{
	struct tl_pt_query *query;

	s->config.size = sizeof(s->config);
	s->config.begin = s->data;
	s->config.end = s->data + s->size;
	assert_int_equal(tl_pt_query_open(&query, &s->config), 0);
	return query;
}

static void want_taken(struct tl_pt_query *query, int want, int status)
{
	int taken = -1;

	assert_int_equal(tl_pt_query_cond_branch(query, &taken), status);
	assert_int_equal(taken, want);
}

static void want_target(struct tl_pt_query *query, uint64_t want, int status)
{
	uint64_t ip = 0;

	assert_int_equal(tl_pt_query_indirect_branch(query, &ip), status);
	assert_int_equal(ip, want);
}

TEST(nothing_before_the_first_sync)
{
	struct stream s = { .size = 0 };
	struct tl_pt_query *query;
	struct tl_pt_event event;
	uint64_t number;
	uint32_t small;
	int taken;

	PUT(&s, START);
	query = asked(&s);
	assert_int_equal(tl_pt_query_cond_branch(query, &taken), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_query_indirect_branch(query, &number), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_query_event(query, &event, sizeof(event)), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_query_offset(query, &number), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_query_sync_offset(query, &number), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_query_time(query, &number, &small, &small), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_query_core_bus_ratio(query, &small), -TL_PT_NOSYNC);
	tl_pt_query_close(query);
	assert_int_equal(tl_pt_query_open(&query, NULL), -TL_PT_INVALID);
	assert_null(query);
}

/*
 * "pts_event_pending 1 (an event waits), pts_ip_suppressed 2 ..., pts_eos 4 (the packet stream is
 * used up ...)"
 */
TEST(statuses_look_ahead)
{
	struct stream s = { .size = 0 };
	struct tl_pt_query *query;
	struct tl_pt_event event;
	uint64_t ip = 0, offset = 0;
	int taken;

	PUT(&s, START, TNT_N, TNT_T, PGD0, PGE(0x2000), 0x0d, TIP(0x3000));
	query = asked(&s);
	assert_int_equal(tl_pt_query_sync_forward(query, &ip), TL_PT_EVENT_PENDING);
	assert_int_equal(ip, 0x1000);
	assert_int_equal(tl_pt_query_event(query, &event, sizeof(event)), 0);
	assert_int_equal(event.kind, TL_PT_EV_EXEC_MODE);
	assert_int_equal(tl_pt_query_offset(query, &offset), 0);
	assert_int_equal(offset, 27);
	want_taken(query, 0, 0);
	want_taken(query, 1, TL_PT_EVENT_PENDING);
	assert_int_equal(tl_pt_query_cond_branch(query, &taken), -TL_PT_BAD_QUERY);
	assert_int_equal(tl_pt_query_indirect_branch(query, &ip), -TL_PT_BAD_QUERY);
	assert_int_equal(tl_pt_query_event(query, &event, sizeof(event)), TL_PT_EVENT_PENDING);
	assert_int_equal(event.kind, TL_PT_EV_DISABLED);
	assert_int_equal(tl_pt_query_event(query, &event, sizeof(event)), 0);
	assert_int_equal(event.ip, 0x2000);
	assert_int_equal(tl_pt_query_event(query, &event, sizeof(event)), -TL_PT_BAD_QUERY);
	assert_int_equal(tl_pt_query_cond_branch(query, &taken), -TL_PT_BAD_QUERY);
	want_target(query, 0, TL_PT_STATUS_IP_SUPPRESSED);
	want_target(query, 0x3000, TL_PT_END_OF_STREAM);
	assert_int_equal(tl_pt_query_cond_branch(query, &taken), -TL_PT_EOS);
	assert_int_equal(tl_pt_query_event(query, &event, sizeof(event)), -TL_PT_EOS);
	assert_int_equal(tl_pt_query_sync_offset(query, &offset), 0);
	assert_int_equal(offset, 0);
	tl_pt_query_close(query);
}

/* 5.6: "at an indirect branch unread bits of the current TNT may remain: the TIP that follows the
 * TNT belongs to this branch and the remaining bits to later branches" */
TEST(a_deferred_tip)
{
	struct stream s = { .size = 0 };
	struct tl_pt_query *query;
	struct tl_pt_event event;

	PUT(&s, PSB, FUP(0x1000), PSBEND, TNT_TTNTNN, TIP(0x3000), PGD0);
	query = asked(&s);
	assert_int_equal(tl_pt_query_sync_forward(query, NULL), 0);
	want_taken(query, 1, 0);
	want_target(query, 0x3000, 0);
	want_taken(query, 1, 0);
	want_taken(query, 0, 0);
	assert_int_equal(tl_pt_query_event(query, &event, sizeof(event)), -TL_PT_BAD_QUERY);
	want_taken(query, 1, 0);
	want_taken(query, 0, 0);
	want_taken(query, 0, TL_PT_EVENT_PENDING);
	tl_pt_query_close(query);
}

TEST(synchronising)
{
	struct stream s = { .size = 0 };
	struct tl_pt_query *query;
	struct tl_pt_event event;
	uint64_t ip = 7;

	PUT(&s, START_OFF, PGE(0x1000), START, TNT_T);
	query = asked(&s);
	assert_int_equal(tl_pt_query_sync_backward(query, &ip), TL_PT_EVENT_PENDING);
	assert_int_equal(ip, 0x1000);
	assert_int_equal(tl_pt_query_sync_backward(query, &ip),
			 TL_PT_EVENT_PENDING | TL_PT_STATUS_IP_SUPPRESSED);
	assert_int_equal(ip, 0);
	assert_int_equal(tl_pt_query_sync_backward(query, &ip), -TL_PT_EOS);
	assert_int_equal(tl_pt_query_sync_set(query, &ip, 1), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_query_sync_set(query, &ip, 27), TL_PT_EVENT_PENDING);
	/* Behind a question the same PSB is the last one before the present place. */
	assert_int_equal(tl_pt_query_event(query, &event, sizeof(event)), 0);
	assert_int_equal(tl_pt_query_sync_backward(query, &ip), TL_PT_EVENT_PENDING);
	assert_int_equal(ip, 0x1000);
	assert_int_equal(tl_pt_query_sync_forward(query, &ip), -TL_PT_EOS);
	tl_pt_query_close(query);
	/* Nothing comes behind this PSB+. */
	s.size = 0;
	PUT(&s, PSB, FUP(0x1000), PSBEND);
	query = asked(&s);
	assert_int_equal(tl_pt_query_sync_forward(query, &ip), -TL_PT_EOS);
	assert_int_equal(ip, 0x1000);
	tl_pt_query_close(query);
}

/* "The time of a branch is that of its packet", though one item is read ahead */
TEST(the_time_of_the_last_answer)
{
	struct stream s = { .size = 0 };
	struct tl_pt_query *query;
	uint64_t tsc = 0;
	uint32_t mtc, cyc, ratio = 0;

	PUT(&s, PSB, FUP(0x1000), TSC(1000), PSBEND, TNT_T, TSC(2000), TNT_T, TSC(3000),
	    TIP(0x2000));
	query = asked(&s);
	assert_int_equal(tl_pt_query_sync_forward(query, NULL), 0);
	want_taken(query, 1, 0);
	assert_int_equal(tl_pt_query_time(query, &tsc, &mtc, &cyc), 0);
	assert_int_equal(tsc, 1000);
	want_taken(query, 1, 0);
	assert_int_equal(tl_pt_query_time(query, &tsc, &mtc, &cyc), 0);
	assert_int_equal(tsc, 2000);
	want_target(query, 0x2000, TL_PT_END_OF_STREAM);
	assert_int_equal(tl_pt_query_time(query, &tsc, &mtc, &cyc), 0);
	assert_int_equal(tsc, 3000);
	assert_int_equal(tl_pt_query_core_bus_ratio(query, &ratio), -TL_PT_NO_CBR);
	tl_pt_query_close(query);
}

/* 9.8: "the decoder stays in that error until sync" */
TEST(an_error_stays)
{
	struct stream s = { .size = 0 };
	struct tl_pt_query *query;
	struct tl_pt_event event;
	uint64_t offset = 0, ip;
	int taken;

	PUT(&s, PSB, FUP(0x1000), PSBEND, TNT_T, 0x02, 0xff);
	query = asked(&s);
	assert_int_equal(tl_pt_query_sync_forward(query, NULL), 0);
	want_taken(query, 1, 0);
	assert_int_equal(tl_pt_query_cond_branch(query, &taken), -TL_PT_BAD_OPC);
	assert_int_equal(tl_pt_query_indirect_branch(query, &ip), -TL_PT_BAD_OPC);
	assert_int_equal(tl_pt_query_event(query, &event, sizeof(event)), -TL_PT_BAD_OPC);
	assert_int_equal(tl_pt_query_offset(query, &offset), 0);
	assert_int_equal(offset, 26);
	assert_int_equal(tl_pt_query_sync_set(query, NULL, 0), 0);
	want_taken(query, 1, 0);
	tl_pt_query_close(query);
}

static void want_next(struct tl_pt_events *events, enum tl_pt_event_kind kind, uint64_t offset,
		      struct tl_pt_event *event)
{
	assert_int_equal(tl_pt_events_next(events, event, sizeof(*event)), 0);
	assert_int_equal(event->kind, kind);
	assert_int_equal(event->offset, offset);
}

TEST(everything_as_events)
{
	struct stream s = { .size = 0 };
	struct tl_pt_events *events;
	struct tl_pt_event event;
	uint64_t offset = 0;

	PUT(&s, PSB, FUP(0x1000), TSC(1000), PSBEND, TNT_TTNTNN, TIP(0x2000), TSC(2000), PGD0,
	    0x05);
	s.config = (struct tl_pt_config){ .size = sizeof(s.config),
					  .begin = s.data,
					  .end = s.data + s.size };
	assert_int_equal(tl_pt_events_open(&events, &s.config), 0);
	assert_int_equal(tl_pt_events_next(events, &event, sizeof(event)), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_events_offset(events, &offset), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_events_sync_offset(events, &offset), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_events_sync_forward(events), 0);
	want_next(events, TL_PT_EV_ENABLED, 0, &event);
	assert_true(event.status_update);
	want_next(events, TL_PT_EV_TNT, 33, &event);
	assert_int_equal(event.tnt.count, 6);
	assert_int_equal(event.tnt.bits, 0x34);
	assert_int_equal(event.tsc, 1000);
	want_next(events, TL_PT_EV_TIP, 34, &event);
	assert_int_equal(event.ip, 0x2000);
	want_next(events, TL_PT_EV_DISABLED, 45, &event);
	assert_int_equal(event.tsc, 2000);
	assert_int_equal(tl_pt_events_next(events, &event, sizeof(event)), -TL_PT_BAD_OPC);
	assert_int_equal(tl_pt_events_offset(events, &offset), 0);
	assert_int_equal(offset, 46);
	assert_int_equal(tl_pt_events_sync_backward(events), -TL_PT_EOS);
	assert_int_equal(tl_pt_events_sync_set(events, 0), 0);
	assert_int_equal(tl_pt_events_sync_offset(events, &offset), 0);
	assert_int_equal(offset, 0);
	assert_ptr_equal(tl_pt_events_config(events)->begin, s.data);
	tl_pt_events_close(events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_before_the_first_sync),
		cmocka_unit_test(statuses_look_ahead),
		cmocka_unit_test(a_deferred_tip),
		cmocka_unit_test(synchronising),
		cmocka_unit_test(the_time_of_the_last_answer),
		cmocka_unit_test(an_error_stays),
		cmocka_unit_test(everything_as_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
