/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where each event is bound, and where blocks end: code and traces written by hand, blocks by the
 * sections of docs/formats/intel-pt.md that the tests quote.
 */
#include "../pt_trace.h"

/* Packets of an event without or with a FUP behind them (4.2). */
#define PTW 0x02, 0x12, 0x78, 0x56, 0x34, 0x12
#define PTW_FUP(a) 0x02, 0x92, 0x78, 0x56, 0x34, 0x12, FUP(a)
#define EXSTOP 0x02, 0x62
#define EXSTOP_FUP(a) 0x02, 0xe2, FUP(a)
#define CFE_FUP(type, vector, a) 0x02, 0x13, 0x80 | (type), vector, FUP(a)
#define VMCS(page) 0x02, 0xc8, page, 0, 0, 0, 0
#define TRIG_COUNT(n) 0xd9, 0x40, 0, n, 0

enum { AT = 0x1000, IRET = 2 };

/* 1000 nop; 1001 ptwrite eax; 1005 vmptrld [rax]; 1008 nop; 1009 ret; 100a iretq */
static const uint8_t code[] = { 0x90, 0xf3, 0x0f, 0xae, 0xe0, 0x0f,
				0xc7, 0x30, 0x90, 0xc3, 0x48, 0xcf };

#define OPEN(scene, trace)                                                                         \
	do {                                                                                       \
		open_scene(scene, trace, sizeof(trace), AT, code, sizeof(code), TL_PT_CLASSIC);    \
		want_event(scene, TL_PT_EV_EXEC_MODE);                                             \
	} while (0)

/* 5.7 "PTW without IP: behind the next PTWRITE instruction; with IP: behind the one at the FUP" */
TEST(a_ptwrite_is_bound_behind_its_instruction)
{
	static const uint8_t bare[] = { START(0x1000), PTW, PGD_BARE };
	static const uint8_t at[] = { START(0x1000), PTW_FUP(0x1001), PGD_BARE };
	struct tl_pt_event event;
	struct scene s;

	OPEN(&s, bare);
	want_block(&s, 0x1000, 0x1001, 2);
	event = want_event(&s, TL_PT_EV_PTWRITE);
	assert_true(event.ip_suppressed);
	assert_int_equal(event.ptwrite.payload, 0x12345678);
	want_block(&s, 0x1005, 0x1009, 3);
	want_event(&s, TL_PT_EV_DISABLED);
	close_scene(&s);
	OPEN(&s, at);
	want_block(&s, 0x1000, 0x1001, 2);
	event = want_event(&s, TL_PT_EV_PTWRITE);
	assert_false(event.ip_suppressed);
	assert_int_equal(event.ip, 0x1001);
	want_block(&s, 0x1005, 0x1009, 3);
	close_scene(&s);
}

/* 5.7 "EXSTOP with IP: before the instruction at the FUP"; without: where the walk is */
TEST(a_stop_is_bound_before_its_instruction)
{
	static const uint8_t at[] = { START(0x1000), EXSTOP_FUP(0x1005), PGD_BARE };
	static const uint8_t bare[] = { START(0x1000), EXSTOP, PGD_BARE };
	struct scene s;

	OPEN(&s, at);
	want_block(&s, 0x1000, 0x1001, 2);
	assert_int_equal(want_event(&s, TL_PT_EV_EXSTOP).ip, 0x1005);
	want_block(&s, 0x1005, 0x1009, 3);
	close_scene(&s);
	OPEN(&s, bare);
	assert_true(want_event(&s, TL_PT_EV_EXSTOP).ip_suppressed);
	want_block(&s, 0x1000, 0x1009, 5);
	close_scene(&s);
}

/* 5.5 "VMCS alone: bound to the next VMPTRLD"; the address space changes with it */
TEST(a_vmcs_is_bound_behind_vmptrld)
{
	static const uint8_t trace[] = { START(0x1000), VMCS(5), PGD_BARE };
	struct tl_pt_event event;
	struct tl_pt_asid asid;
	struct scene s;

	OPEN(&s, trace);
	assert_int_equal(tl_pt_decoder_asid(s.decoder, &asid), 0);
	assert_int_equal(asid.vmcs, TL_PT_ANY);
	want_block(&s, 0x1000, 0x1005, 3);
	event = want_event(&s, TL_PT_EV_VMCS);
	assert_int_equal(event.vmcs.base, 0x5000);
	assert_false(event.ip_suppressed);
	assert_int_equal(tl_pt_decoder_asid(s.decoder, &asid), 0);
	assert_int_equal(asid.vmcs, 0x5000);
	want_block(&s, 0x1008, 0x1009, 2);
	close_scene(&s);
}

/* 5.7 "IRET: behind the instruction at the FUP"; its target follows as a TIP */
TEST(an_iret_event_is_bound_behind_the_iret)
{
	static const uint8_t trace[] = { START(0x1008), TIP(0x100a), CFE_FUP(IRET, 0, 0x100a),
					 TIP(0x1008), PGD_BARE };
	struct scene s;

	OPEN(&s, trace);
	want_block(&s, 0x1008, 0x1009, 2);
	assert_int_equal(want_block(&s, 0x100a, 0x100a, 1).iclass, TL_PT_IC_FAR_RETURN);
	assert_int_equal(want_event(&s, TL_PT_EV_IRET).ip, 0x100a);
	want_block(&s, 0x1008, 0x1009, 2);
	want_event(&s, TL_PT_EV_DISABLED);
	close_scene(&s);
}

/* 5.7 "TRIG ... ICNT: as many instructions behind the last address that the trace gave" */
TEST(triggers_count_instructions)
{
	/* 1000 .. 1007 nop; 1008 ret */
	static const uint8_t nops[] = { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3 };
	static const uint8_t trace[] = { START(0x1000), TRIG_COUNT(3), TRIG_COUNT(2), TRIG_COUNT(0),
					 PGD_BARE };
	struct tl_pt_event event;
	struct scene s;

	open_scene(&s, trace, sizeof(trace), AT, nops, sizeof(nops), TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x1000, 0x1002, 3);
	event = want_event(&s, TL_PT_EV_TRIG);
	assert_false(event.ip_suppressed);
	assert_int_equal(event.ip, 0x1003);
	want_block(&s, 0x1003, 0x1004, 2);
	assert_int_equal(want_event(&s, TL_PT_EV_TRIG).ip, 0x1005);
	assert_int_equal(want_event(&s, TL_PT_EV_TRIG).ip, 0x1005);
	want_block(&s, 0x1005, 0x1008, 4);
	want_event(&s, TL_PT_EV_DISABLED);
	close_scene(&s);
}

/* 5.2 "FUP: flow goes on there"; 9.6 "cleared at ... OVF" */
TEST(an_overflow_moves_the_flow)
{
	static const uint8_t at[] = { START(0x1000), OVF, FUP(0x1008), TNT1(1) };
	static const uint8_t off[] = { START(0x1000), OVF, PGE(0x1005), PGD_BARE };
	struct scene s;

	OPEN(&s, at);
	assert_int_equal(want_event(&s, TL_PT_EV_OVERFLOW).ip, 0x1008);
	want_block(&s, 0x1008, 0x1009, 2);
	want_error(&s, TL_PT_RETSTACK_EMPTY, sizeof(at) - 1);
	close_scene(&s);
	OPEN(&s, off);
	assert_true(want_event(&s, TL_PT_EV_OVERFLOW).ip_suppressed);
	assert_true(s.status & TL_PT_STATUS_IP_SUPPRESSED);
	assert_false(want_event(&s, TL_PT_EV_ENABLED).enabled.resumed);
	want_block(&s, 0x1005, 0x1009, 3);
	close_scene(&s);
}

/* ---- errata (7) ---- */

/*
 * 2000 nop; 2001 je 2005; 2003 nop; 2004 nop; 2005 call 2010; 200a jmp rax; 200c vmlaunch; 200f
 * nop; 2010 nop; 2011 ret
 */
static const uint8_t branches[] = { 0x90, 0x74, 0x02, 0x90, 0x90, 0xe8, 0x06, 0,    0,
				    0,    0xff, 0xe0, 0x0f, 0x01, 0xc2, 0x90, 0x90, 0xc3 };

#define OPEN_ERRATA(scene, trace, config)                                                          \
	do {                                                                                       \
		open_scene_with(scene, trace, sizeof(trace), 0x2000, branches, sizeof(branches),   \
				config);                                                           \
		want_event(scene, TL_PT_EV_EXEC_MODE);                                             \
	} while (0)

#define OPEN_BRANCHES(scene, trace)                                                                \
	do {                                                                                       \
		static const struct tl_pt_config plain = { .flags = TL_PT_CLASSIC };               \
                                                                                                   \
		OPEN_ERRATA(scene, trace, &plain);                                                 \
	} while (0)

/*
 * 5.5 "PIP ... VMLAUNCH/VMRESUME ... VMCS: same": both changes of one VM entry are bound to it, the
 * second where the walk is already; so is a TIP.PGD behind it (5.4)
 */
TEST(a_vm_entry_changes_cr3_and_vmcs)
{
	static const uint8_t on[] = { START(0x200c), PIP(0x3000), VMCS(5), TIP(0x2010), PGD_BARE };
	static const uint8_t off[] = { START(0x200c), VMCS(5), PGD_BARE };
	/* 200a is an indirect jump: no change of VMCS may be bound behind it. */
	static const uint8_t wrong[] = { START(0x200a), VMCS(5), TIP(0x2010), PGD_BARE };
	struct tl_pt_asid asid;
	struct scene s;

	OPEN_BRANCHES(&s, on);
	want_block(&s, 0x200c, 0x200c, 1);
	assert_int_equal(want_event(&s, TL_PT_EV_PAGING).paging.cr3, 0x3000);
	assert_int_equal(want_event(&s, TL_PT_EV_VMCS).vmcs.base, 0x5000);
	assert_int_equal(tl_pt_decoder_asid(s.decoder, &asid), 0);
	assert_int_equal(asid.cr3, 0x3000);
	assert_int_equal(asid.vmcs, 0x5000);
	want_block(&s, 0x2010, 0x2011, 2);
	want_event(&s, TL_PT_EV_DISABLED);
	close_scene(&s);
	OPEN_BRANCHES(&s, off);
	want_block(&s, 0x200c, 0x200c, 1);
	assert_int_equal(want_event(&s, TL_PT_EV_VMCS).vmcs.base, 0x5000);
	want_event(&s, TL_PT_EV_DISABLED);
	want_error(&s, TL_PT_EOS, sizeof(off));
	close_scene(&s);
	OPEN_BRANCHES(&s, wrong);
	want_block(&s, 0x200a, 0x200a, 1);
	want_error(&s, TL_PT_BAD_QUERY, START_BYTES);
	close_scene(&s);
}

/*
 * BDM64 "the branch before an abort may have the wrong outcome": where the abort cannot be reached,
 * the branch is taken to have led to it
 */
TEST(bdm64_mends_the_branch_before_an_abort)
{
	static const uint8_t wrong[] = { START(0x2000), TNT1(1),     ABORT_TX,
					 FUP(0x2003),   TIP(0x200f), PGD_BARE };
	static const uint8_t right[] = { START(0x2000), TNT1(0),     ABORT_TX,
					 FUP(0x2005),   TIP(0x200f), PGD_BARE };
	static const struct tl_pt_config sane = { .flags = TL_PT_CLASSIC },
					 bdm64 = { .flags = TL_PT_CLASSIC, .errata = TL_PT_BDM64 };
	struct tl_pt_event event;
	struct scene s;

	OPEN_ERRATA(&s, wrong, &sane);
	want_block(&s, 0x2000, 0x2001, 2);
	want_block(&s, 0x2005, 0x2011, 3);
	/* The event begins with its MODE packet. */
	want_error(&s, TL_PT_BAD_QUERY, START_BYTES + 1);
	close_scene(&s);
	OPEN_ERRATA(&s, wrong, &bdm64);
	want_block(&s, 0x2000, 0x2001, 2);
	event = want_event(&s, TL_PT_EV_TSX);
	assert_true(event.tsx.aborted);
	assert_int_equal(event.ip, 0x2003);
	event = want_event(&s, TL_PT_EV_ASYNC_BRANCH);
	assert_int_equal(event.ip, 0x2003);
	assert_int_equal(event.branch.to, 0x200f);
	want_block(&s, 0x200f, 0x2011, 3);
	close_scene(&s);
	/* An abort that can be reached is left as it is. */
	OPEN_ERRATA(&s, right, &bdm64);
	want_block(&s, 0x2000, 0x2001, 2);
	want_block(&s, 0x2003, 0x2004, 2);
	assert_int_equal(want_event(&s, TL_PT_EV_TSX).ip, 0x2005);
	close_scene(&s);
}

/* SKD022 "VM entry ... FUP, TIP.PGD: a synchronous disable" */
TEST(skd022_makes_a_disable_at_vm_entry_synchronous)
{
	static const uint8_t trace[] = { START(0x200c), FUP(0x200c), PGD_BARE };
	static const uint8_t other[] = { START(0x2003), FUP(0x2005), PGD_BARE };
	static const struct tl_pt_config sane = { .flags = TL_PT_CLASSIC },
					 skd022 = { .flags = TL_PT_CLASSIC,
						    .errata = TL_PT_SKD022 };
	struct scene s;

	OPEN_ERRATA(&s, trace, &sane);
	assert_int_equal(want_event(&s, TL_PT_EV_ASYNC_DISABLED).ip, 0x200c);
	close_scene(&s);
	OPEN_ERRATA(&s, trace, &skd022);
	want_block(&s, 0x200c, 0x200c, 1);
	assert_true(want_event(&s, TL_PT_EV_DISABLED).ip_suppressed);
	close_scene(&s);
	/* Any other instruction: the erratum does not apply. */
	OPEN_ERRATA(&s, other, &skd022);
	want_block(&s, 0x2003, 0x2004, 2);
	assert_int_equal(want_event(&s, TL_PT_EV_ASYNC_DISABLED).ip, 0x2005);
	close_scene(&s);
}

/* SKL014 "TIP.PGD without IP at a direct branch that leaves the filter range" */
TEST(skl014_ends_at_the_branch_that_leaves_the_range)
{
	static const uint8_t trace[] = { START(0x2003), PGD_BARE };
	static const struct tl_pt_config sane = { .flags = TL_PT_CLASSIC };
	struct tl_pt_config skl014 = { .flags = TL_PT_CLASSIC, .errata = TL_PT_SKL014 };
	struct scene s;

	OPEN_ERRATA(&s, trace, &sane);
	want_block(&s, 0x2003, 0x2011, 5);
	want_event(&s, TL_PT_EV_DISABLED);
	close_scene(&s);
	/* The call at 2005 leaves [2000, 200f]; its target 2010 is in [2000, 2010]. */
	skl014.ranges[1].use = TL_PT_RANGE_FILTER;
	skl014.ranges[1].first = 0x2000;
	skl014.ranges[1].last = 0x200f;
	OPEN_ERRATA(&s, trace, &skl014);
	want_block(&s, 0x2003, 0x2005, 3);
	want_event(&s, TL_PT_EV_DISABLED);
	close_scene(&s);
	skl014.ranges[1].last = 0x2010;
	OPEN_ERRATA(&s, trace, &skl014);
	want_block(&s, 0x2003, 0x2011, 5);
	close_scene(&s);
	/* A range of another use is not a filter. */
	skl014.ranges[1].last = 0x200f;
	skl014.ranges[1].use = TL_PT_RANGE_STOP;
	OPEN_ERRATA(&s, trace, &skl014);
	want_block(&s, 0x2003, 0x2011, 5);
	close_scene(&s);
}

/* ---- where blocks end (9.1), and what calls in them push (5.6) ---- */

/*
 * 9.1 "65,535 instructions"; a loop of three ends a round with its jump, one of two in the middle
 */
TEST(loops_of_direct_branches_end_at_the_largest_block)
{
	/* 3000 nop; 3001 nop; 3002 jmp 3000; 3004 nop; 3005 jmp 3004; 3007 nop; 3008 jmp 3000 */
	static const uint8_t loops[] = {
		0x90, 0x90, 0xeb, 0xfc, 0x90, 0xeb, 0xfd, 0x90, 0xeb, 0xf6
	};
	static const struct {
		uint64_t from, end;
	} cases[] = {
		{ 0x3000, 0x3002 }, { 0x3001, 0x3000 }, { 0x3004, 0x3004 }, { 0x3007, 0x3000 }
	};

	/* The last case has two instructions before the loop. */
	_Static_assert(65535 % 3 == 0 && 65535 % 2 == 1 && (65535 - 2) % 3 == 1, "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint8_t trace[] = { START(cases[i].from), PGD_BARE };
		struct scene s;

		open_scene(&s, trace, sizeof(trace), 0x3000, loops, sizeof(loops), TL_PT_CLASSIC);
		want_event(&s, TL_PT_EV_EXEC_MODE);
		want_block(&s, cases[i].from, cases[i].end, 65535);
		close_scene(&s);
	}
}

/* "TL_PT_END_ON_JUMP": a block ends behind a direct jump, but not behind a call */
TEST(blocks_end_at_jumps_on_request)
{
	/* 4000 jmp 4004; 4002 nop; 4003 nop; 4004 call 400a; 4009 nop; 400a ret */
	static const uint8_t jumps[] = { 0xeb, 0x02, 0x90, 0x90, 0xe8, 0x01, 0, 0, 0, 0x90, 0xc3 };
	static const uint8_t trace[] = { START(0x4000), PGD_BARE };
	struct scene s;

	open_scene(&s, trace, sizeof(trace), 0x4000, jumps, sizeof(jumps), TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x4000, 0x400a, 3);
	close_scene(&s);
	open_scene(&s, trace, sizeof(trace), 0x4000, jumps, sizeof(jumps),
		   TL_PT_CLASSIC | TL_PT_END_ON_JUMP);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	assert_int_equal(want_block(&s, 0x4000, 0x4000, 1).iclass, TL_PT_IC_JUMP);
	want_block(&s, 0x4004, 0x400a, 2);
	close_scene(&s);
}

/* 5000 call 5010; 5005 jmp rax; 5010 call 5020; 5015 ret; 5020 ret */
static const uint8_t calls[] = {
	[0x00] = 0xe8, 0x0b, 0, 0, 0, 0xff, 0xe0, [0x10] = 0xe8, 0x0b, 0, 0, 0, 0xc3, [0x20] = 0xc3,
};

/* A block with two calls pushes both return addresses, each time it runs. */
TEST(all_calls_of_a_block_are_pushed)
{
	static const uint8_t trace[] = { START(0x5000), TNT2(1, 1), TIP(0x5000), TNT2(1, 1),
					 PGD_BARE };
	struct scene s;

	open_scene(&s, trace, sizeof(trace), 0x5000, calls, sizeof(calls), TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	for (int i = 0; i < 2; i++) {
		want_block(&s, 0x5000, 0x5020, 3);
		want_block(&s, 0x5015, 0x5015, 1);
		want_block(&s, 0x5005, 0x5005, 1);
	}
	want_event(&s, TL_PT_EV_DISABLED);
	close_scene(&s);
}

/* The part of a block before an interrupt pushes the calls that it has, and no more. */
TEST(the_calls_of_a_partial_block_are_pushed)
{
	static const uint8_t both[] = { START(0x5000), FUP(0x5020), TIP(0x5020), TNT2(1, 1),
					PGD_BARE };
	static const uint8_t one[] = { START(0x5000), FUP(0x5010), TIP(0x5020), TNT1(1), PGD_BARE };
	struct scene s;

	open_scene(&s, both, sizeof(both), 0x5000, calls, sizeof(calls), TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x5000, 0x5010, 2);
	want_event(&s, TL_PT_EV_ASYNC_BRANCH);
	want_block(&s, 0x5020, 0x5020, 1);
	want_block(&s, 0x5015, 0x5015, 1);
	want_block(&s, 0x5005, 0x5005, 1);
	close_scene(&s);
	open_scene(&s, one, sizeof(one), 0x5000, calls, sizeof(calls), TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x5000, 0x5000, 1);
	want_event(&s, TL_PT_EV_ASYNC_BRANCH);
	want_block(&s, 0x5020, 0x5020, 1);
	want_block(&s, 0x5005, 0x5005, 1);
	want_event(&s, TL_PT_EV_DISABLED);
	close_scene(&s);
}

/* ---- the end of the trace that is allowed so far ---- */

/* tl_pt_decoder_set_end(): no block is guessed at such an end; behind a later one flow goes on. */
TEST(an_end_that_moves)
{
	static const uint8_t trace[] = { START(0x2000), TNT1(0), TIP(0x200a), PGD_BARE };
	struct tl_pt_config config = { .size = sizeof(config),
				       .begin = trace,
				       .end = trace + sizeof(trace),
				       .flags = TL_PT_CLASSIC };
	struct scene s = { .image = tl_pt_image_open(NULL) };

	assert_int_equal(
		tl_pt_image_add_memory(s.image, branches, sizeof(branches), NULL, 0x2000, 0), 0);
	assert_int_equal(tl_pt_decoder_open(&s.decoder, &config, s.image), 0);
	assert_int_equal(tl_pt_decoder_set_end(s.decoder, sizeof(trace) + 1), -TL_PT_INVALID);
	assert_int_equal(tl_pt_decoder_set_end(s.decoder, START_BYTES + 1), 0);
	s.status = tl_pt_decoder_sync_forward(s.decoder);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x2000, 0x2001, 2);
	want_error(&s, TL_PT_EOS, START_BYTES + 1);
	/* Not back to packets that were used. */
	assert_int_equal(tl_pt_decoder_set_end(s.decoder, START_BYTES), -TL_PT_INVALID);
	s.status = tl_pt_decoder_set_end(s.decoder, sizeof(trace));
	want_block(&s, 0x2003, 0x2011, 5);
	want_block(&s, 0x200a, 0x200a, 1);
	want_event(&s, TL_PT_EV_DISABLED);
	want_error(&s, TL_PT_EOS, sizeof(trace));
	close_scene(&s);
}

/* ---- version 1 (2): events as flags ---- */

TEST(flags_of_stops_aborts_and_losses)
{
	static const uint8_t stopped[] = { START(0x2003), PGD_BARE, STOP };
	static const uint8_t aborted[] = { START(0x2003), IN_TX,       FUP(0x2003), ABORT_TX,
					   FUP(0x2005),   TIP(0x200f), PGD_BARE };
	static const uint8_t lost[] = { START(0x2010), TNT1(1), TIP(0x200f), PGD_BARE };
	struct scene s;

	open_scene(&s, stopped, sizeof(stopped), 0x2000, branches, sizeof(branches),
		   TL_PT_FOLD_EVENTS);
	assert_int_equal(want_block(&s, 0x2003, 0x2011, 5).flags, TL_PT_DISABLED | TL_PT_STOPPED);
	want_error(&s, TL_PT_EOS, sizeof(stopped));
	close_scene(&s);
	open_scene(&s, aborted, sizeof(aborted), 0x2000, branches, sizeof(branches),
		   TL_PT_FOLD_EVENTS);
	assert_int_equal(want_block(&s, 0x2003, 0x2004, 2).flags,
			 TL_PT_SPECULATIVE | TL_PT_ABORTED | TL_PT_INTERRUPTED);
	assert_int_equal(want_block(&s, 0x200f, 0x2011, 3).flags, TL_PT_DISABLED);
	close_scene(&s);
	/* The first return has no call: the flow is lost up to the TIP. */
	open_scene(&s, lost, sizeof(lost), 0x2000, branches, sizeof(branches),
		   TL_PT_FOLD_EVENTS | TL_PT_SALVAGE);
	assert_int_equal(want_block(&s, 0x2010, 0x2011, 2).flags, 0);
	assert_int_equal(want_block(&s, 0x200f, 0x2011, 3).flags, TL_PT_RESYNCED | TL_PT_DISABLED);
	close_scene(&s);
}

/* The calls that a wrong argument must not get past. */
TEST(wrong_arguments)
{
	static const uint8_t trace[] = { START(0x2000), PGD_BARE };
	const struct tl_pt_asid space = { 0x1000, 0x2000 };
	struct tl_pt_asid asid;
	struct scene s;
	uint64_t value;
	uint32_t ratio;

	assert_int_equal(tl_pt_decoder_sync_forward(NULL), -TL_PT_INVALID);
	assert_int_equal(tl_pt_decoder_sync_backward(NULL), -TL_PT_INVALID);
	assert_int_equal(tl_pt_decoder_sync_set(NULL, 0), -TL_PT_INVALID);
	assert_int_equal(tl_pt_decoder_set_end(NULL, 0), -TL_PT_INVALID);
	assert_int_equal(tl_pt_decoder_set_image(NULL, NULL), -TL_PT_INVALID);
	assert_int_equal(tl_pt_decoder_set_jobs(NULL, 2), -TL_PT_INVALID);
	assert_int_equal(tl_pt_decoder_cycles(NULL, &value), -TL_PT_INVALID);
	assert_null(tl_pt_decoder_config(NULL));
	assert_null(tl_pt_decoder_image(NULL));
	assert_null(tl_pt_decoder_node_block(NULL, 2));
	open_scene(&s, trace, sizeof(trace), 0x2000, branches, sizeof(branches), 0);
	assert_int_equal(tl_pt_decoder_set_asid(s.decoder, NULL), -TL_PT_INVALID);
	assert_int_equal(tl_pt_decoder_asid(s.decoder, NULL), -TL_PT_INVALID);
	assert_int_equal(tl_pt_decoder_cycles(s.decoder, NULL), -TL_PT_INVALID);
	assert_int_equal(tl_pt_decoder_offset(s.decoder, NULL), -TL_PT_INVALID);
	assert_int_equal(tl_pt_decoder_set_jobs(s.decoder, 0), -TL_PT_INVALID);
	assert_int_equal(tl_pt_decoder_core_bus_ratio(s.decoder, &ratio), -TL_PT_NO_CBR);
	assert_ptr_equal(tl_pt_decoder_image(s.decoder), s.image);
	/* A new number of threads needs a new beginning. */
	assert_int_equal(tl_pt_decoder_set_jobs(s.decoder, 2), 0);
	assert_int_equal(tl_pt_decoder_offset(s.decoder, &value), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_decoder_cycles(s.decoder, &value), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_decoder_sync_offset(s.decoder, &value), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_decoder_set_asid(s.decoder, &space), 0);
	assert_int_equal(tl_pt_decoder_asid(s.decoder, &asid), 0);
	assert_int_equal(asid.cr3, 0x1000);
	assert_int_equal(asid.vmcs, 0x2000);
	close_scene(&s);
}

/* ---- time ---- */

#define TSC(t) 0x19, t, 0, 0, 0, 0, 0, 0
#define START_TIMED(a, t) PSB, TSC(t), MODE_64, FUP(a), PSBEND

/*
 * 5.8 "a tick behind the first branch of a packet whose time is new"; the other outcomes of the
 * packet come behind the tick
 */
TEST(ticks_come_behind_their_branch)
{
	static const uint8_t trace[] = { START_TIMED(0x2000, 10),
					 TSC(20),
					 TNT2(0, 1),
					 TSC(30),
					 TIP(0x2003),
					 TIP(0x200a),
					 PGD_BARE };
	struct tl_pt_event tick;
	struct scene s;

	open_scene(&s, trace, sizeof(trace), 0x2000, branches, sizeof(branches),
		   TL_PT_CLASSIC | TL_PT_TICK_EVENTS);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x2000, 0x2001, 2);
	tick = want_event(&s, TL_PT_EV_TICK);
	assert_int_equal(tick.ip, 0x2001);
	assert_int_equal(tick.tsc, 20);
	want_block(&s, 0x2003, 0x2011, 5);
	want_block(&s, 0x200a, 0x200a, 1);
	tick = want_event(&s, TL_PT_EV_TICK);
	assert_int_equal(tick.ip, 0x200a);
	assert_int_equal(tick.tsc, 30);
	/* The second target has the time of the first one: no tick. */
	want_block(&s, 0x2003, 0x2011, 5);
	want_block(&s, 0x200a, 0x200a, 1);
	want_event(&s, TL_PT_EV_DISABLED);
	close_scene(&s);
}

/* "timestamps: from node `index` on"; a batch ends before a node whose timestamp has no room */
TEST(timestamps_of_nodes)
{
	/* 6000 je 6000 */
	static const uint8_t je[] = { 0x74, 0xfe };
	static const uint8_t trace[] = { START_TIMED(0x6000, 10),
					 TSC(20),
					 TNT1(1),
					 TSC(30),
					 TNT1(1),
					 TSC(40),
					 TNT1(1),
					 FUP(0x6000),
					 PGD_BARE };
	for (size_t room = 1; room <= 4; room++) {
		struct tl_pt_timestamp times[4];
		uint32_t nodes[8];
		struct tl_pt_node_batch batch = {
			.nodes = nodes, .max = 8, .timestamps = times, .max_timestamps = room
		};
		uint64_t tsc = 20;
		size_t count = 0;
		struct scene s;

		open_scene(&s, trace, sizeof(trace), 0x6000, je, sizeof(je), TL_PT_CLASSIC);
		want_event(&s, TL_PT_EV_EXEC_MODE);
		while (count < 3) {
			assert_int_equal(tl_pt_decoder_nodes(s.decoder, &batch, sizeof(batch)), 0);
			assert_int_equal(batch.count, room < 3 - count ? room : 3 - count);
			assert_int_equal(batch.timestamp_count, batch.count);
			for (size_t i = 0; i < batch.count; i++, tsc += 10) {
				assert_int_equal(times[i].index, i);
				assert_int_equal(times[i].tsc, tsc);
			}
			count += batch.count;
		}
		close_scene(&s);
	}
}

/* The status calls: time, core:bus ratio, the PSB synchronised onto. */
TEST(what_a_psb_plus_says)
{
	static const uint8_t trace[] = { PSB,    TSC(77),  0x02,          0x03,
					 24,     0,        MODE_64,       FUP(0x2003),
					 PSBEND, PGD_BARE, START(0x2000), PGD_BARE };
	enum { SECOND = sizeof(trace) - 1 - START_BYTES };
	struct scene s;
	uint32_t ratio;
	uint64_t tsc, offset;

	open_scene(&s, trace, sizeof(trace), 0x2000, branches, sizeof(branches), TL_PT_CLASSIC);
	while (s.status & TL_PT_EVENT_PENDING) {
		struct tl_pt_event event;

		s.status = tl_pt_decoder_event_next(s.decoder, &event, sizeof(event));
		assert_true(s.status >= 0 && event.status_update);
	}
	assert_int_equal(tl_pt_decoder_core_bus_ratio(s.decoder, &ratio), 0);
	assert_int_equal(ratio, 24);
	assert_int_equal(tl_pt_decoder_time(s.decoder, &tsc, NULL, NULL), 0);
	assert_int_equal(tsc, 77);
	/* To the PSB before: from the first one there is none. */
	assert_int_equal(tl_pt_decoder_sync_backward(s.decoder), -TL_PT_EOS);
	assert_true(tl_pt_decoder_sync_forward(s.decoder) >= 0);
	assert_int_equal(tl_pt_decoder_sync_offset(s.decoder, &offset), 0);
	assert_int_equal(offset, SECOND);
	assert_true(tl_pt_decoder_sync_backward(s.decoder) >= 0);
	assert_int_equal(tl_pt_decoder_sync_offset(s.decoder, &offset), 0);
	assert_int_equal(offset, 0);
	close_scene(&s);
}

/* 5.7: behind a branch whose target has not come, a trigger has no address. */
TEST(a_trigger_behind_a_branch)
{
	static const uint8_t trace[] = { START(0x1009), TRIG_COUNT(1), TIP(0x1008), PGD_BARE };
	struct scene s;

	OPEN(&s, trace);
	want_block(&s, 0x1009, 0x1009, 1);
	assert_true(want_event(&s, TL_PT_EV_TRIG).ip_suppressed);
	want_block(&s, 0x1008, 0x1009, 2);
	close_scene(&s);
}

/*
 * 9.20, in the order of version 2.0.5: the walk to the address of a PSB+ comes behind its packets.
 */
TEST(a_psb_in_running_flow)
{
	static const uint8_t trace[] = { START(0x2003), START(0x2010), TIP(0x200f), PGD_BARE };
	static const uint8_t wrong[] = { START(0x2003), START(0x200a), TIP(0x200f), PGD_BARE };
	struct scene s;

	open_scene(&s, trace, sizeof(trace), 0x2000, branches, sizeof(branches), TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x2003, 0x2005, 3);
	assert_int_equal(want_event(&s, TL_PT_EV_EXEC_MODE).ip, 0x2010);
	want_block(&s, 0x2010, 0x2011, 2);
	want_block(&s, 0x200f, 0x2011, 3);
	close_scene(&s);
	/* Code does not lead to 200a without trace: an error at the PSB. */
	open_scene(&s, wrong, sizeof(wrong), 0x2000, branches, sizeof(branches), TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x2003, 0x2011, 5);
	want_error(&s, TL_PT_BAD_QUERY, START_BYTES);
	close_scene(&s);
}

/* Version 1 with many blocks a call: the same blocks as one at a time (flags_of_version_1). */
TEST(many_blocks_of_version_1)
{
	static const uint8_t trace[] = { START(0x2003), TIP(0x200f), TIP(0x2003), PGD_BARE };
	struct tl_pt_block blocks[8];
	struct scene s;
	int status;

	open_scene(&s, trace, sizeof(trace), 0x2000, branches, sizeof(branches), TL_PT_FOLD_EVENTS);
	assert_int_equal(tl_pt_decoder_blocks(s.decoder, blocks, sizeof(*blocks), 2, &status), 2);
	assert_int_equal(blocks[0].ip, 0x2003);
	assert_int_equal(blocks[0].flags, 0);
	assert_int_equal(blocks[1].ip, 0x200f);
	assert_int_equal(tl_pt_decoder_blocks(s.decoder, blocks, sizeof(*blocks), 8, &status), 1);
	assert_int_equal(blocks[0].ip, 0x2003);
	assert_int_equal(blocks[0].flags, TL_PT_DISABLED);
	assert_int_equal(status & TL_PT_END_OF_STREAM, TL_PT_END_OF_STREAM);
	assert_int_equal(tl_pt_decoder_blocks(s.decoder, blocks, sizeof(*blocks), 8, &status),
			 -TL_PT_EOS);
	close_scene(&s);
}

/* 2 (instructions): each with the class and bytes of its own; an error ends them. */
TEST(instructions_up_to_the_end_of_code)
{
	static const uint8_t trace[] = { START(0x2003), TIP(0x7000) };
	static const uint64_t ips[] = { 0x2003, 0x2004, 0x2005, 0x2010, 0x2011 };
	struct tl_pt_insn insn;
	struct scene s;

	open_scene(&s, trace, sizeof(trace), 0x2000, branches, sizeof(branches), TL_PT_CLASSIC);
	assert_int_equal(tl_pt_decoder_insn_next(s.decoder, NULL, 0), -TL_PT_INVALID);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	for (size_t i = 0; i < sizeof(ips) / sizeof(ips[0]); i++) {
		assert_true(tl_pt_decoder_insn_next(s.decoder, &insn, sizeof(insn)) >= 0);
		assert_int_equal(insn.ip, ips[i]);
		assert_int_equal(insn.mode, TL_PT_MODE_64);
	}
	assert_int_equal(insn.iclass, TL_PT_IC_RETURN);
	assert_int_equal(tl_pt_decoder_insn_next(s.decoder, &insn, sizeof(insn)), -TL_PT_NOMAP);
	close_scene(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ptwrite_is_bound_behind_its_instruction),
		cmocka_unit_test(a_stop_is_bound_before_its_instruction),
		cmocka_unit_test(a_vmcs_is_bound_behind_vmptrld),
		cmocka_unit_test(an_iret_event_is_bound_behind_the_iret),
		cmocka_unit_test(triggers_count_instructions),
		cmocka_unit_test(an_overflow_moves_the_flow),
		cmocka_unit_test(a_vm_entry_changes_cr3_and_vmcs),
		cmocka_unit_test(bdm64_mends_the_branch_before_an_abort),
		cmocka_unit_test(skd022_makes_a_disable_at_vm_entry_synchronous),
		cmocka_unit_test(skl014_ends_at_the_branch_that_leaves_the_range),
		cmocka_unit_test(loops_of_direct_branches_end_at_the_largest_block),
		cmocka_unit_test(blocks_end_at_jumps_on_request),
		cmocka_unit_test(all_calls_of_a_block_are_pushed),
		cmocka_unit_test(the_calls_of_a_partial_block_are_pushed),
		cmocka_unit_test(an_end_that_moves),
		cmocka_unit_test(flags_of_stops_aborts_and_losses),
		cmocka_unit_test(wrong_arguments),
		cmocka_unit_test(ticks_come_behind_their_branch),
		cmocka_unit_test(timestamps_of_nodes),
		cmocka_unit_test(what_a_psb_plus_says),
		cmocka_unit_test(a_trigger_behind_a_branch),
		cmocka_unit_test(a_psb_in_running_flow),
		cmocka_unit_test(many_blocks_of_version_1),
		cmocka_unit_test(instructions_up_to_the_end_of_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
