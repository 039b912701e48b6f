/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule 9.9 for a walk that fails: "find the next packet that gives a place". "Events on the way
 * that are no place are told before it, without an address, and what they change holds; a TIP.PGE
 * as the place is told of with a disabled event before it where tracing had been on."
 */
#include "../pt_trace.h"

/* 1000 jmp rax; 1002 nop; 1003 hlt */
enum { AT = 0x1000, NOWHERE = 0x8000 };
static const uint8_t code[] = { 0xff, 0xe0, 0x90, 0xf4 };
/* 1000 je 1003; of the other address space */
static const uint8_t other[] = { 0x74, 0x01, 0x90, 0xf4 };

#define PTW(n) 0x02, 0x12, (n) & 0xff, (n) >> 8 & 0xff, 0, 0
#define CBR(n) 0x02, 0x03, n, 0
#define OPEN(scene, trace, flags)                                                                  \
	open_scene(scene, trace, sizeof(trace), AT, code, sizeof(code), flags)

static void want_begin(struct scene *s)
{
	want_event(s, TL_PT_EV_ENABLED);
	want_event(s, TL_PT_EV_EXEC_MODE);
	want_block(s, 0x1000, 0x1000, 1);
}

static struct tl_pt_event resync(struct scene *s)
{
	struct tl_pt_event lost;

	s->status = tl_pt_decoder_resync(s->decoder, &lost, sizeof(lost));
	assert_true(s->status >= 0);
	return lost;
}

TEST(what_was_written_on_the_way_is_told)
{
	static const uint8_t trace[] = { START(0x1000), TIP(NOWHERE), TNT2(1, 0),  PTW(0x1234),
					 CBR(7),        TIP(0x1002),  FUP(0x1003), PGD_BARE };
	struct tl_pt_event event;
	struct scene s;

	OPEN(&s, trace, 0);
	want_begin(&s);
	want_error(&s, TL_PT_NOMAP, START_BYTES + 7 + 1);
	event = resync(&s);
	/* The outcomes are lost; the target is the place. */
	assert_int_equal(event.lost.outcomes, 2);
	assert_int_equal(event.lost.to, START_BYTES + 7 + 1 + 6 + 4);
	event = want_event(&s, TL_PT_EV_PTWRITE);
	assert_int_equal(event.ptwrite.payload, 0x1234);
	assert_true(event.ip_suppressed);
	assert_int_equal(want_event(&s, TL_PT_EV_CBR).cbr.ratio, 7);
	want_block(&s, 0x1002, 0x1002, 1);
	want_event(&s, TL_PT_EV_ASYNC_DISABLED);
	close_scene(&s);
}

/* The same where errors are events: that of the loss comes first. */
TEST(behind_the_loss)
{
	static const uint8_t trace[] = { START(0x1000), TIP(NOWHERE), TNT2(1, 0), PTW(0x1234),
					 TIP(0x1002),   FUP(0x1003),  PGD_BARE };
	struct scene s;

	OPEN(&s, trace, TL_PT_SALVAGE);
	want_begin(&s);
	assert_int_equal(want_event(&s, TL_PT_EV_LOST).lost.why, TL_PT_NOMAP);
	want_event(&s, TL_PT_EV_PTWRITE);
	want_block(&s, 0x1002, 0x1002, 1);
	want_event(&s, TL_PT_EV_ASYNC_DISABLED);
	close_scene(&s);
}

/* More than are kept are lost, not stored. */
TEST(not_without_end)
{
	uint8_t trace[START_BYTES + 7 + 40 * 6 + 7] = { START(0x1000), TIP(NOWHERE) };
	const uint8_t written[] = { PTW(1) }, place[] = { TIP(0x1002) };
	struct tl_pt_event lost;
	struct scene s;
	int told = 0;

	for (size_t i = 0; i < 40; i++)
		memcpy(trace + START_BYTES + 7 + 6 * i, written, sizeof(written));
	memcpy(trace + sizeof(trace) - sizeof(place), place, sizeof(place));
	OPEN(&s, trace, 0);
	want_begin(&s);
	want_error(&s, TL_PT_NOMAP, START_BYTES + 7);
	lost = resync(&s);
	for (; s.status & TL_PT_EVENT_PENDING; told++)
		want_event(&s, TL_PT_EV_PTWRITE);
	assert_true(told > 0 && told < 40);
	assert_true((int)lost.lost.packets + told >= 40);
	close_scene(&s);
}

TEST(tracing_had_been_turned_off)
{
	static const uint8_t trace[] = { START(0x1000), TIP(NOWHERE), TNT2(1, 0),
					 PGE(0x1002),   FUP(0x1003),  PGD_BARE };
	struct scene s;

	OPEN(&s, trace, 0);
	want_begin(&s);
	want_error(&s, TL_PT_NOMAP, START_BYTES + 7 + 1);
	resync(&s);
	assert_true(want_event(&s, TL_PT_EV_DISABLED).ip_suppressed);
	assert_int_equal(want_event(&s, TL_PT_EV_ENABLED).ip, 0x1002);
	want_block(&s, 0x1002, 0x1002, 1);
	close_scene(&s);
	/* The event of a loss says so itself. */
	OPEN(&s, trace, TL_PT_SALVAGE);
	want_begin(&s);
	want_event(&s, TL_PT_EV_LOST);
	assert_int_equal(want_event(&s, TL_PT_EV_ENABLED).ip, 0x1002);
	close_scene(&s);
}

/* A PIP that is passed over changes the address space: code is that of the new one. */
TEST(the_address_space_changes_on_the_way)
{
	static const uint8_t trace[] = { PSB,         MODE_64,     PIP(0x1000),
					 FUP(0x1000), PSBEND,      TIP(NOWHERE),
					 PIP(0x2000), TIP(0x1000), TNT1(0) };
	struct tl_pt_asid one = { 0x1000, TL_PT_ANY }, two = { 0x2000, TL_PT_ANY };
	struct scene s;

	OPEN(&s, trace, 0);
	assert_int_equal(tl_pt_image_remove_by_asid(s.image, NULL), 1);
	assert_int_equal(tl_pt_image_add_memory(s.image, code, sizeof(code), &one, AT, 1), 0);
	assert_int_equal(tl_pt_image_add_memory(s.image, other, sizeof(other), &two, AT, 2), 0);
	s.status = tl_pt_decoder_sync_set(s.decoder, 0);
	want_event(&s, TL_PT_EV_ENABLED);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_event(&s, TL_PT_EV_ASYNC_PAGING);
	assert_int_equal(want_block(&s, 0x1000, 0x1000, 1).isid, 1);
	want_error(&s, TL_PT_NOMAP, 16 + 2 + 8 + 7 + 2 + 7 + 8);
	resync(&s);
	assert_int_equal(want_event(&s, TL_PT_EV_PAGING).paging.cr3, 0x2000);
	assert_int_equal(want_block(&s, 0x1000, 0x1000, 1).isid, 2);
	close_scene(&s);
}

/*
 * The event's address is where flow goes on, but its place cannot be come to from there: the next
 * one, not that again.
 */
TEST(no_place_twice)
{
	static const uint8_t trace[] = {
		START(0x1000), TIP(NOWHERE), TNT1(1),     0x02,    0x92, 1, 0, 0, 0,
		FUP(NOWHERE),  TIP(0x1002),  FUP(0x1003), PGD_BARE
	};
	struct tl_pt_event event;
	struct scene s;

	OPEN(&s, trace, 0);
	want_begin(&s);
	want_error(&s, TL_PT_NOMAP, START_BYTES + 7 + 1);
	assert_int_equal(resync(&s).ip, NOWHERE);
	want_error(&s, TL_PT_NOMAP, START_BYTES + 7 + 1 + 6);
	assert_int_equal(resync(&s).ip, 0x1002);
	event = want_event(&s, TL_PT_EV_PTWRITE);
	assert_true(event.ip_suppressed);
	want_block(&s, 0x1002, 0x1002, 1);
	want_event(&s, TL_PT_EV_ASYNC_DISABLED);
	close_scene(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_on_the_way_is_told),
		cmocka_unit_test(behind_the_loss),
		cmocka_unit_test(not_without_end),
		cmocka_unit_test(tracing_had_been_turned_off),
		cmocka_unit_test(the_address_space_changes_on_the_way),
		cmocka_unit_test(no_place_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
