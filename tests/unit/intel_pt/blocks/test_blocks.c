/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of code written by hand along traces written by hand; sections are those of
 * docs/formats/intel-pt.md.
 */
#include "../pt_trace.h"

/*
 * 1000 nop; 1001 je 1005; 1003 nop; 1004 nop; 1005 call 1010; 100a jmp rax; 100c syscall; 100e jmp
 * 100e 1010 nop; 1011 ret; 1012 call 1017 (the next one); 1017 pop; 1018 ret
 */
enum { AT = 0x1000 };
static const uint8_t code[] = {
	0x90, 0x74, 0x02, 0x90, 0x90, 0xe8, 0x06, 0, 0, 0, 0xff, 0xe0, 0x0f,
	0x05, 0xeb, 0xfe, 0x90, 0xc3, 0xe8, 0,    0, 0, 0, 0x58, 0xc3,
};

#define OPEN(scene, trace, flags)                                                                  \
	open_scene(scene, trace, sizeof(trace), AT, code, sizeof(code), flags)

/*
 * 9.1 "after an instruction that needs trace ... Direct branches are otherwise followed inside the
 * block"; 5.6
 */
TEST(outcomes_calls_and_compressed_returns)
{
	static const uint8_t trace[] = { START(0x1000), TNT2(1, 1), TIP(0x1000), TNT1(0),
					 PGD_BARE };
	struct scene s;
	struct tl_pt_block block;

	OPEN(&s, trace, 0);
	assert_int_equal(want_event(&s, TL_PT_EV_ENABLED).ip, 0x1000);
	assert_int_equal(want_event(&s, TL_PT_EV_EXEC_MODE).exec_mode.mode, TL_PT_MODE_64);
	block = want_block(&s, 0x1000, 0x1001, 2);
	assert_int_equal(block.iclass, TL_PT_IC_COND_JUMP);
	assert_int_equal(block.isid, 1);
	assert_int_equal(block.mode, TL_PT_MODE_64);
	assert_int_equal(block.size, 2);
	assert_int_equal(block.flags, 0);
	/* call, nop, ret: the call is followed; the outcome "taken" of the return pops 100a. */
	assert_int_equal(want_block(&s, 0x1005, 0x1011, 3).iclass, TL_PT_IC_RETURN);
	assert_int_equal(want_block(&s, 0x100a, 0x100a, 1).iclass, TL_PT_IC_JUMP);
	want_block(&s, 0x1000, 0x1001, 2);
	/* TIP.PGD without an address: behind the first instruction that needs trace (5.4). */
	want_block(&s, 0x1003, 0x1011, 5);
	want_event(&s, TL_PT_EV_DISABLED);
	assert_int_equal(s.status, TL_PT_STATUS_IP_SUPPRESSED | TL_PT_END_OF_STREAM);
	want_error(&s, TL_PT_EOS, sizeof(trace));
	close_scene(&s);
}

/*
 * 5.6 "1 = compressed: target = popped address (empty stack: pte_retstack_empty); 0 =
 * pte_bad_retcomp"
 */
TEST(returns_that_cannot_be)
{
	static const uint8_t empty[] = { START(0x1010), TNT1(1) },
			     zero[] = { START(0x1005), TNT1(0) };
	struct scene s;

	OPEN(&s, empty, TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x1010, 0x1011, 2);
	want_error(&s, TL_PT_RETSTACK_EMPTY, START_BYTES);
	close_scene(&s);
	OPEN(&s, zero, TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x1005, 0x1011, 3);
	want_error(&s, TL_PT_BAD_RETCOMP, START_BYTES);
	close_scene(&s);
}

/*
 * 5.6 "Every CALL that is not 'call the next instruction' ... pushes"; 9.7 "uncompressed RET: no
 * pop"
 */
TEST(what_pushes_and_what_pops)
{
	static const uint8_t trace[] = { START(0x1005), TIP(0x1012), TNT1(1), TIP(0x1005),
					 PGD_BARE };
	struct scene s;

	OPEN(&s, trace, TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	/*
	 * A return by TIP leaves 100a on the stack; the call of 1017 adds nothing; the compressed
	 * return pops 100a.
	 */
	want_block(&s, 0x1005, 0x1011, 3);
	want_block(&s, 0x1012, 0x1018, 3);
	want_block(&s, 0x100a, 0x100a, 1);
	want_block(&s, 0x1005, 0x1011, 3);
	want_event(&s, TL_PT_EV_DISABLED);
	close_scene(&s);
}

/* 9.6 "cleared at sync, PSB and OVF" */
TEST(the_stack_does_not_reach_over_a_psb)
{
	static const uint8_t trace[] = { START(0x1005), START(0x1010), TNT1(1) };
	struct scene s;

	OPEN(&s, trace, 0);
	want_event(&s, TL_PT_EV_ENABLED);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	/* 9.20 "a PSB therefore IS a block border" */
	want_block(&s, 0x1005, 0x1005, 1);
	assert_true(want_event(&s, TL_PT_EV_EXEC_MODE).status_update);
	want_block(&s, 0x1010, 0x1011, 2);
	want_error(&s, TL_PT_RETSTACK_EMPTY, 2 * START_BYTES);
	close_scene(&s);
}

/* 5.6 "64 entries, the oldest is overwritten" */
TEST(sixty_four_returns_are_remembered)
{
	/* 2000 je 2007; 2002 call 2000; 2007 ret */
	static const uint8_t deep[] = { 0x74, 0x05, 0xe8, 0xf9, 0xff, 0xff, 0xff, 0xc3 };
	uint8_t trace[START_BYTES + 200] = { START(0x2000) };
	size_t size = START_BYTES;
	struct scene s;

	for (unsigned i = 0; i < 65; i++)
		trace[size++] = TNT1(0);
	trace[size++] = TNT1(1);
	for (unsigned i = 0; i < 65; i++)
		trace[size++] = TNT1(1);
	open_scene(&s, trace, size, 0x2000, deep, sizeof(deep), TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x2000, 0x2000, 1);
	for (unsigned i = 0; i < 65; i++)
		want_block(&s, 0x2002, 0x2000, 2);
	for (unsigned i = 0; i < 65; i++)
		want_block(&s, 0x2007, 0x2007, 1);
	want_error(&s, TL_PT_RETSTACK_EMPTY, size - 1);
	close_scene(&s);
}

/*
 * 5.6 "Deferred TIP: ... the TIP that follows the TNT belongs to this branch and the remaining bits
 * to later branches"
 */
TEST(a_tip_behind_outcomes_that_come_later)
{
	static const uint8_t trace[] = { START(0x100a), TNT2(1, 0), TIP(0x1000), TIP(0x1000),
					 PGD_BARE };
	static const uint8_t none[] = { START(0x100a), TNT2(1, 0), FUP(0x1000), TIP(0x1000) };
	struct scene s;

	OPEN(&s, trace, TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x100a, 0x100a, 1);
	want_block(&s, 0x1000, 0x1001, 2);
	want_block(&s, 0x1005, 0x1011, 3);
	want_error(&s, TL_PT_BAD_RETCOMP, START_BYTES);
	close_scene(&s);
	/*
	 * Only a TIP will do, not that of a FUP; the branch that has been reached is given (9.3).
	 */
	OPEN(&s, none, TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x100a, 0x100a, 1);
	assert_int_equal(s.status, 0);
	want_error(&s, TL_PT_BAD_QUERY, START_BYTES + 1 + 7);
	close_scene(&s);
}

/*
 * 5.4 "synchronous: ... binds to the first instruction that ... cannot be passed ... such as
 * SYSCALL"; 2 "resumed"
 */
TEST(a_system_call_and_where_it_resumes)
{
	static const uint8_t trace[] = { START(0x100c), PGD_BARE, PGE(0x100e), PGD_BARE };
	struct scene s;

	OPEN(&s, trace, TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	assert_int_equal(want_block(&s, 0x100c, 0x100c, 1).iclass, TL_PT_IC_FAR_CALL);
	assert_true(want_event(&s, TL_PT_EV_DISABLED).ip_suppressed);
	assert_int_equal(s.status, TL_PT_EVENT_PENDING | TL_PT_STATUS_IP_SUPPRESSED);
	/*
	 * "a disable at a near or far call: the expected resume address is the one after the call"
	 */
	assert_true(want_event(&s, TL_PT_EV_ENABLED).enabled.resumed);
	/* 9.12, 9.13: an endless loop gives blocks of 65,535 instructions, then up. */
	want_block(&s, 0x100e, 0x100e, 65535);
	for (int i = 0; i < 100 && s.status >= 0; i++) {
		struct tl_pt_block block;

		s.status = tl_pt_decoder_block_next(s.decoder, &block, sizeof(block));
	}
	want_error(&s, TL_PT_BAD_QUERY, sizeof(trace) - 1);
	close_scene(&s);
}

/*
 * 5.4 "with IP: walk straight code and direct branches without using trace until the next
 * instruction's IP equals it"
 */
TEST(tracing_ends_at_an_address)
{
	static const uint8_t trace[] = { START(0x1003), PGD(0x1010) },
			     behind[] = { START(0x1003), PGD(0x1005) };
	struct scene s;

	OPEN(&s, trace, TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	assert_int_equal(want_block(&s, 0x1003, 0x1005, 3).iclass, TL_PT_IC_CALL);
	assert_int_equal(want_event(&s, TL_PT_EV_DISABLED).ip, 0x1010);
	close_scene(&s);
	OPEN(&s, behind, TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x1003, 0x1004, 2);
	want_event(&s, TL_PT_EV_DISABLED);
	close_scene(&s);
}

/*
 * 5.3 (b) "async_branch(from, to) ... async_disabled(at, ...)": the block is cut before the
 * instruction
 */
TEST(interrupts)
{
	static const uint8_t trace[] = { START(0x1003), FUP(0x1005), TIP(0x1010), FUP(0x1010),
					 PGD_BARE,      PGE(0x1010), FUP(0x1010), PGD(0x1000) };
	struct scene s;
	struct tl_pt_event event;

	OPEN(&s, trace, TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x1003, 0x1004, 2);
	event = want_event(&s, TL_PT_EV_ASYNC_BRANCH);
	assert_int_equal(event.ip, 0x1005);
	assert_int_equal(event.branch.to, 0x1010);
	event = want_event(&s, TL_PT_EV_ASYNC_DISABLED);
	assert_int_equal(event.ip, 0x1010);
	assert_true(event.ip_suppressed);
	assert_true(want_event(&s, TL_PT_EV_ENABLED).enabled.resumed);
	event = want_event(&s, TL_PT_EV_ASYNC_DISABLED);
	assert_false(event.ip_suppressed);
	assert_int_equal(event.disabled.to, 0x1000);
	close_scene(&s);
}

/*
 * 1.4 pte_bad_query: "a conditional or indirect branch without guidance on the way to the next
 * event's address"
 */
TEST(an_event_that_cannot_be_reached)
{
	static const uint8_t trace[] = { START(0x1000), FUP(0x1010), TIP(0x1000) };
	struct scene s;

	OPEN(&s, trace, TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x1000, 0x1001, 2);
	assert_int_equal(s.status, 0);
	close_scene(&s);
}

/* 9.11 "blocks go on while no trace is needed; each result has pts_eos; then -pte_eos for ever" */
TEST(behind_the_end_of_the_trace)
{
	static const uint8_t trace[] = { START(0x1000), TNT1(0) };
	struct scene s;

	OPEN(&s, trace, TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x1000, 0x1001, 2);
	assert_int_equal(s.status, TL_PT_END_OF_STREAM);
	want_block(&s, 0x1003, 0x1011, 5);
	assert_int_equal(s.status, TL_PT_END_OF_STREAM);
	want_error(&s, TL_PT_EOS, sizeof(trace));
	close_scene(&s);
}

/* 9.14 "pte_nomap with the block up to there"; 9.3 */
TEST(where_code_ends)
{
	static const uint8_t trace[] = { START(0x100a), TIP(0x2000), TNT1(1) };
	static const uint8_t nops[] = { 0x90, 0x90, 0x90 },
			     bad[] = { 0x90, 0x06, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	struct scene s;

	OPEN(&s, trace, TL_PT_CLASSIC);
	assert_int_equal(tl_pt_image_add_memory(s.image, nops, sizeof(nops), NULL, 0x2000, 2), 0);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x100a, 0x100a, 1);
	assert_int_equal(want_block(&s, 0x2000, 0x2002, 3).isid, 2);
	assert_int_equal(s.status, 0);
	want_error(&s, TL_PT_NOMAP, sizeof(trace));
	/* The image changes: what was decoded before does not count any more (9.15). */
	assert_int_equal(tl_pt_image_add_memory(s.image, bad, sizeof(bad), NULL, 0x2000, 3), 0);
	s.status = tl_pt_decoder_sync_set(s.decoder, 0);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x100a, 0x100a, 1);
	assert_int_equal(want_block(&s, 0x2000, 0x2000, 1).isid, 3);
	want_error(&s, TL_PT_BAD_INSN, sizeof(trace));
	close_scene(&s);
}

/*
 * 1.3 truncated: "the last instruction starts in this section but continues in others"; 9.1 "at a
 * section ... change"
 */
TEST(sections_end_blocks)
{
	/* 2000 nop; 2001 jmp 2100, whose last byte is in another section; 2100 ret. */
	static const uint8_t first[] = { 0x90, 0xe9, 0xfa, 0, 0 }, second[] = { 0 },
			     third[] = { 0xc3 };
	static const uint8_t trace[] = { START(0x2000), TIP(0x1000), PGD(0x1003) };
	struct scene s;
	struct tl_pt_block block;

	OPEN(&s, trace, TL_PT_CLASSIC);
	assert_int_equal(tl_pt_image_add_memory(s.image, first, sizeof(first), NULL, 0x2000, 4), 0);
	assert_int_equal(tl_pt_image_add_memory(s.image, second, sizeof(second), NULL, 0x2005, 5),
			 0);
	assert_int_equal(tl_pt_image_add_memory(s.image, third, sizeof(third), NULL, 0x2100, 6), 0);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	block = want_block(&s, 0x2000, 0x2001, 2);
	assert_int_equal(block.flags, TL_PT_TRUNCATED);
	assert_int_equal(block.isid, 4);
	assert_int_equal(block.size, 5);
	assert_memory_equal(block.raw, "\xe9\xfa\0\0\0", 5);
	assert_int_equal(want_block(&s, 0x2100, 0x2100, 1).isid, 6);
	close_scene(&s);
}

TEST(blocks_end_on_request)
{
	static const uint8_t trace[] = { START(0x1005), TIP(0x100e), FUP(0x100e), PGD_BARE };
	struct scene s;

	OPEN(&s, trace, TL_PT_CLASSIC | TL_PT_END_ON_CALL);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	assert_int_equal(want_block(&s, 0x1005, 0x1005, 1).iclass, TL_PT_IC_CALL);
	want_block(&s, 0x1010, 0x1011, 2);
	close_scene(&s);
}

/*
 * 5.5 "PIP alone: paging event bound to the next MOV to CR3 ...; the address space of the image
 * look-up changes with it"
 */
TEST(address_spaces)
{
	/* 2000 mov cr3, rax; 2003: nop, ret in one address space, ret in the other */
	static const uint8_t start[] = { 0x0f, 0x22, 0xd8 }, one[] = { 0x90, 0xc3 },
			     other[] = { 0xc3 };
	static const uint8_t trace[] = { START(0x2000), PIP(0x3000), TIP(0x2000),
					 PIP(0x5000),   TIP(0x2000), PGD_BARE };
	const struct tl_pt_asid first = { 0x3000, TL_PT_ANY }, second = { 0x5000, TL_PT_ANY };
	struct tl_pt_asid now;
	struct scene s;

	OPEN(&s, trace, TL_PT_CLASSIC);
	assert_int_equal(tl_pt_image_add_memory(s.image, start, sizeof(start), NULL, 0x2000, 1), 0);
	assert_int_equal(tl_pt_image_add_memory(s.image, one, sizeof(one), &first, 0x2003, 2), 0);
	assert_int_equal(tl_pt_image_add_memory(s.image, other, sizeof(other), &second, 0x2003, 3),
			 0);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x2000, 0x2000, 1);
	assert_int_equal(want_event(&s, TL_PT_EV_PAGING).paging.cr3, 0x3000);
	assert_int_equal(tl_pt_decoder_asid(s.decoder, &now), 0);
	assert_int_equal(now.cr3, 0x3000);
	assert_int_equal(want_block(&s, 0x2003, 0x2004, 2).isid, 2);
	want_block(&s, 0x2000, 0x2000, 1);
	/* An event that is bound to an instruction has an address. */
	assert_false(want_event(&s, TL_PT_EV_PAGING).ip_suppressed);
	assert_int_equal(want_block(&s, 0x2003, 0x2003, 1).isid, 3);
	close_scene(&s);
}

/* 5.5 "MODE.Exec binds to the next TIP ...: event after the branch, at its target" */
TEST(modes)
{
	/* 1003 in 32-bit mode: nop, nop, then as before. */
	static const uint8_t trace[] = { START(0x100a), MODE_32, TIP(0x1003), PGD(0x1010) };
	struct scene s;

	OPEN(&s, trace, TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x100a, 0x100a, 1);
	assert_int_equal(want_event(&s, TL_PT_EV_EXEC_MODE).exec_mode.mode, TL_PT_MODE_32);
	assert_int_equal(want_block(&s, 0x1003, 0x1005, 3).mode, TL_PT_MODE_32);
	close_scene(&s);
}

/* 1.3, 2: the flags of version 1 */
TEST(flags_of_version_1)
{
	static const uint8_t trace[] = { START(0x1003), IN_TX,       FUP(0x1003), OUT_OF_TX,
					 FUP(0x1004),   FUP(0x1005), TIP(0x100c), PGD_BARE,
					 PGE(0x100e),   OVF,         FUP(0x1010), PGD_BARE };
	struct scene s;

	OPEN(&s, trace, TL_PT_FOLD_EVENTS);
	assert_int_equal(want_block(&s, 0x1003, 0x1003, 1).flags,
			 TL_PT_SPECULATIVE | TL_PT_COMMITTED);
	assert_int_equal(want_block(&s, 0x1004, 0x1004, 1).flags, TL_PT_INTERRUPTED);
	assert_int_equal(want_block(&s, 0x100c, 0x100c, 1).flags, TL_PT_DISABLED);
	assert_int_equal(want_block(&s, 0x1010, 0x1011, 2).flags,
			 TL_PT_ENABLED | TL_PT_RESUMED | TL_PT_RESYNCED | TL_PT_DISABLED);
	want_error(&s, TL_PT_EOS, sizeof(trace));
	close_scene(&s);
}

/*
 * 9.9: "find the next packet that gives a place"; "Report [first lost offset, resume offset), lost
 * packets and TNT bits"
 */
TEST(what_is_lost_is_told)
{
	static const uint8_t trace[] = { START(0x1010), TNT3(1, 1, 0), TNT1(1),
					 TIP(0x1000),   TNT1(0),       PGD_BARE };
	struct tl_pt_event lost;
	struct scene s;

	OPEN(&s, trace, TL_PT_CLASSIC | TL_PT_SALVAGE);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_block(&s, 0x1010, 0x1011, 2);
	lost = want_event(&s, TL_PT_EV_LOST);
	assert_int_equal(lost.lost.why, TL_PT_RETSTACK_EMPTY);
	assert_int_equal(lost.lost.from, START_BYTES);
	assert_int_equal(lost.lost.to, START_BYTES + 2);
	assert_int_equal(lost.lost.outcomes, 3);
	assert_int_equal(lost.ip, 0x1000);
	want_block(&s, 0x1000, 0x1001, 2);
	want_block(&s, 0x1003, 0x1011, 5);
	want_event(&s, TL_PT_EV_DISABLED);
	want_error(&s, TL_PT_EOS, sizeof(trace));
	close_scene(&s);
}

/* 9.10 "pte_nosync; offset beyond the end pte_eos"; 3.1 "-pte_nosync before the first sync" */
TEST(misuse)
{
	static const uint8_t trace[] = { START(0x1000), PGD_BARE };
	struct tl_pt_config config = { .size = sizeof(config),
				       .begin = trace,
				       .end = trace + sizeof(trace) };
	struct tl_pt_decoder *decoder;
	struct tl_pt_block block;
	struct tl_pt_event event;
	uint64_t offset;

	assert_int_equal(tl_pt_decoder_open(NULL, &config, NULL), -TL_PT_INVALID);
	assert_true(tl_pt_decoder_open(&decoder, NULL, NULL) < 0);
	assert_null(decoder);
	assert_int_equal(tl_pt_decoder_open(&decoder, &config, NULL), 0);
	assert_int_equal(tl_pt_decoder_block_next(decoder, &block, sizeof(block)), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_decoder_event_next(decoder, &event, sizeof(event)), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_decoder_offset(decoder, &offset), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_decoder_block_next(decoder, NULL, 0), -TL_PT_INVALID);
	assert_int_equal(tl_pt_decoder_sync_set(decoder, 1), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_decoder_sync_set(decoder, sizeof(trace) + 1), -TL_PT_EOS);
	assert_true(tl_pt_decoder_sync_set(decoder, 0) >= 0);
	assert_int_equal(tl_pt_decoder_sync_offset(decoder, &offset), 0);
	assert_int_equal(offset, 0);
	/* Events come first. */
	assert_int_equal(tl_pt_decoder_block_next(decoder, &block, sizeof(block)),
			 -TL_PT_EVENT_IGNORED);
	assert_int_equal(tl_pt_decoder_time(decoder, NULL, NULL, NULL), -TL_PT_NO_TIME);
	tl_pt_decoder_close(decoder);
}

/* The batch, instructions and nodes are other faces of the same. */
TEST(other_faces)
{
	static const uint8_t trace[] = { START(0x1000), TNT2(1, 1), TIP(0x1000), TNT1(0),
					 PGD_BARE };
	static const uint64_t ips[] = { 0x1000, 0x1001, 0x1005, 0x1010, 0x1011, 0x100a, 0x1000,
					0x1001, 0x1003, 0x1004, 0x1005, 0x1010, 0x1011 };
	struct tl_pt_block blocks[10];
	struct tl_pt_node_insn steps[4];
	uint32_t nodes[10];
	struct tl_pt_node_batch run = { .nodes = nodes, .max = 10 };
	struct tl_pt_insn insn;
	struct scene s;

	OPEN(&s, trace, TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	assert_int_equal(tl_pt_decoder_blocks(s.decoder, blocks, sizeof(*blocks), 10, &s.status),
			 5);
	assert_int_equal(s.status, TL_PT_EVENT_PENDING);
	assert_int_equal(blocks[1].ip, 0x1005);
	s.status = tl_pt_decoder_sync_set(s.decoder, 0);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	for (size_t i = 0; i < sizeof(ips) / sizeof(ips[0]); i++) {
		s.status = tl_pt_decoder_insn_next(s.decoder, &insn, sizeof(insn));
		assert_true(s.status >= 0);
		assert_int_equal(insn.ip, ips[i]);
		assert_memory_equal(insn.raw, code + (ips[i] - AT), insn.size);
	}
	want_event(&s, TL_PT_EV_DISABLED);
	s.status = tl_pt_decoder_sync_set(s.decoder, 0);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	assert_int_equal(tl_pt_decoder_nodes(s.decoder, &run, sizeof(run)), 0);
	assert_int_equal(run.count, 5);
	/* "the same block always has the same number" */
	assert_int_equal(nodes[0], nodes[3]);
	assert_true(nodes[4] < run.limit);
	/* 1000, 1005, 100a, 1003: where flow did not go is none. */
	assert_int_equal(run.blocks, 4);
	assert_int_equal(tl_pt_decoder_node_block(s.decoder, nodes[4])->ip, 0x1003);
	assert_int_equal(tl_pt_decoder_node_insns(s.decoder, nodes[4], 2, steps, sizeof(*steps), 4),
			 3);
	assert_int_equal(steps[0].ip, 0x1005);
	assert_int_equal(steps[0].target, 0x1010);
	assert_true(steps[0].direct);
	assert_int_equal(steps[2].iclass, TL_PT_IC_RETURN);
	/* In parts, in whatever order they are asked for. */
	for (size_t i = 0; i < 5; i++) {
		static const uint64_t in_turn[] = { 0x1003, 0x1004, 0x1005, 0x1010, 0x1011 };
		size_t first = i * 3 % 5;

		assert_int_equal(tl_pt_decoder_node_insns(s.decoder, nodes[4], first, steps,
							  sizeof(*steps), 1),
				 1);
		assert_int_equal(steps[0].ip, in_turn[first]);
		assert_int_equal(tl_pt_decoder_node_insns(s.decoder, nodes[4], first + 1, steps,
							  sizeof(*steps), 4),
				 (int)(4 - first));
	}
	assert_int_equal(tl_pt_decoder_node_insns(s.decoder, nodes[4], 5, steps, sizeof(*steps), 4),
			 0);
	close_scene(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outcomes_calls_and_compressed_returns),
		cmocka_unit_test(returns_that_cannot_be),
		cmocka_unit_test(what_pushes_and_what_pops),
		cmocka_unit_test(the_stack_does_not_reach_over_a_psb),
		cmocka_unit_test(sixty_four_returns_are_remembered),
		cmocka_unit_test(a_tip_behind_outcomes_that_come_later),
		cmocka_unit_test(a_system_call_and_where_it_resumes),
		cmocka_unit_test(tracing_ends_at_an_address),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(an_event_that_cannot_be_reached),
		cmocka_unit_test(behind_the_end_of_the_trace),
		cmocka_unit_test(where_code_ends),
		cmocka_unit_test(sections_end_blocks),
		cmocka_unit_test(blocks_end_on_request),
		cmocka_unit_test(address_spaces),
		cmocka_unit_test(modes),
		cmocka_unit_test(flags_of_version_1),
		cmocka_unit_test(what_is_lost_is_told),
		cmocka_unit_test(misuse),
		cmocka_unit_test(other_faces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
