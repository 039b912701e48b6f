/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions that packets mean: those that a machine has executed, and small traces by hand
 * (docs/formats/etm.md, 5).
 */
#include "etm_follow.h"

#include <stdio.h>

#include "../unit.h"

static void is_as_executed(uint32_t seed, const struct m_unit *unit)
{
	struct etm_bytes *b = malloc(sizeof(*b));
	struct followed *f = malloc(sizeof(*f));
	struct machine *m;

	b->size = 0;
	m = m_run(seed, unit, 4000, b);
	assert_int_equal(m_follow(m, b, f), 0);
	assert_true(f->count > 100);
	assert_int_equal(f->count, m->range_count);
	for (size_t i = 0; i < f->count; i++) {
		assert_int_equal(f->ranges[i].begin, m->ranges[i].begin);
		assert_int_equal(f->ranges[i].end, m->ranges[i].end);
	}
	assert_int_equal(f->lost_atoms, 0);
	for (unsigned i = TL_ETM_GAP_LOST; i < TL_ETM_GAPS; i++)
		assert_int_equal(f->gaps[i], 0);
	free(m);
	free(f);
	free(b);
}

TEST(a_machine_executes_what_its_trace_says)
{
	for (uint32_t seed = 1; seed < 60; seed++) {
		const struct m_unit unit = { .has_return_stack = seed & 1,
					     .has_ids = seed & 2,
					     .traces_el1 = seed & 4 };

		is_as_executed(seed, &unit);
	}
}

/* "Elements are speculative until they are committed, or more than the depth follow." */
TEST(speculation_is_what_is_committed)
{
	for (uint32_t seed = 1; seed < 60; seed++) {
		const struct m_unit unit = { .has_return_stack = seed & 1,
					     .depth = 1 + seed % 40,
					     .traces_el1 = seed & 2 };

		is_as_executed(seed + 100, &unit);
	}
}

/* ---- by hand ---- */

/*
 * 1000 NOP, 1004 BL 1020, 1008 CBZ X0 1014, 100c NOP, 1010 B 1000, 1014 WFI, 1018 ISB, 101c BR X1,
 * 1020 NOP, 1024 RET, and no code behind it.
 */
static const uint8_t program[] = {
	0x1f, 0x20, 0x03, 0xd5, 0x07, 0x00, 0x00, 0x94, 0x60, 0x00, 0x00, 0xb4, 0x1f, 0x20,
	0x03, 0xd5, 0xfc, 0xff, 0xff, 0x17, 0x7f, 0x20, 0x03, 0xd5, 0xdf, 0x3f, 0x03, 0xd5,
	0x20, 0x00, 0x1f, 0xd6, 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6,
};

enum { BEGIN = 0x1000, END = BEGIN + sizeof(program) };

static const uint8_t *program_at(void *arg, uint64_t address, size_t *size)
{
	(void)arg;
	if (address < BEGIN || address >= END)
		return NULL;
	*size = (size_t)(END - address);
	return program + (address - BEGIN);
}

/* What a trace by hand was followed to: "1000-1008 1020-1028". */
struct hand {
	struct tl_etm_config config;
	struct etm_bytes bytes;
	char text[4096];
	struct tl_etm_flow flow;
	struct tl_etm_place place; /* of the last range */
	bool ends_indirect;
};

static int write_range(void *arg, const struct tl_etm_place *place,
		       const struct tl_etm_range *range)
{
	struct hand *h = arg;
	const size_t size = strlen(h->text);

	assert_ptr_equal(range->code, program + (range->address - BEGIN));
	snprintf(h->text + size, sizeof(h->text) - size, "%s%llx-%llx", size ? " " : "",
		 (unsigned long long)range->address,
		 (unsigned long long)range->address + 4ull * range->count);
	h->place = *place;
	h->ends_indirect = range->ends_indirect;
	return 0;
}

/* A trace that begins at 1000, at EL0. */
static struct hand *hand(uint32_t depth, bool has_return_stack)
{
	const struct m_unit unit = { .depth = depth, .has_return_stack = has_return_stack };
	struct hand *h = calloc(1, sizeof(*h));

	h->config = m_config(&unit);
	etm_async(&h->bytes);
	etm_trace_info(&h->bytes, 0, 0, 0, 0);
	return h;
}

static void at(struct hand *h, uint64_t address)
{
	const struct etm_context c = { .is_64bit = true, .id_bytes = 4, .id = 0x77 };

	etm_address_context(&h->bytes, address, false, 64, &c);
}

static void put(struct hand *h, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		etm_byte(&h->bytes, (uint8_t)bytes[i]);
}

#define PUT(h, bytes) put(h, bytes, sizeof(bytes) - 1)

static void follow(struct hand *h)
{
	const struct tl_etm_trace trace = { h->bytes.data, h->bytes.data + h->bytes.size, false };
	const struct tl_etm_told told = { write_range, h };
	struct tl_etm_reader *reader = malloc(sizeof(*reader));
	struct tl_etm_blocks *blocks = malloc(sizeof(*blocks));
	struct tl_etm_packet packet;
	enum tl_etm_read read;

	tl_etm_blocks_begin(blocks, program_at, NULL, tl_etm_waits_count(&h->config),
			    h->config.is_ete);
	tl_etm_reader_begin(reader, &trace, 0, &h->config);
	tl_etm_flow_begin(&h->flow, &h->config, blocks, &told);
	while ((read = tl_etm_reader_next(reader, &packet)) != TL_ETM_END) {
		if (read == TL_ETM_LOST)
			tl_etm_flow_lost(&h->flow);
		else
			assert_int_equal(tl_etm_flow_packet(&h->flow, &packet), 0);
	}
	tl_etm_flow_end(&h->flow);
	free(blocks);
	free(reader);
}

static void is(struct hand *h, const char *text)
{
	follow(h);
	assert_string_equal(h->text, text);
}

/* "A return to its caller has no address." Here the stack has it; without a stack it is lost. */
TEST(the_return_stack_knows_the_caller)
{
	struct hand *h = hand(0, true);

	at(h, BEGIN);
	PUT(h, "\xff"); /* E E E: BL, RET, CBZ */
	is(h, "1000-1008 1020-1028 1008-100c");
	assert_int_equal(h->place.id, 0x77);
	assert_false(h->ends_indirect);
	free(h);
	h = hand(0, false);
	at(h, BEGIN);
	PUT(h, "\xff\xf7");
	is(h, "1000-1008 1020-1028");
	assert_true(h->ends_indirect);
	assert_int_equal(h->flow.gaps[TL_ETM_GAP_ADDRESS], 1);
	assert_int_equal(h->flow.lost_atoms, 2);
	free(h);
	/* An empty stack, and one that a Trace Info has emptied, know nothing. */
	for (unsigned i = 0; i < 2; i++) {
		h = hand(0, true);
		at(h, i ? BEGIN : 0x1020);
		if (i) {
			PUT(h, "\xf7");
			etm_async(&h->bytes);
			etm_trace_info(&h->bytes, 0, 0, 0, 0);
		}
		PUT(h, "\xdb");
		is(h, i ? "1000-1008 1020-1028" : "1020-1028");
		assert_int_equal(h->flow.gaps[TL_ETM_GAP_ADDRESS], 1);
		free(h);
	}
}

/* "An address behind an indirect branch is its target, whatever the stack has." */
TEST(an_address_is_the_target)
{
	struct hand *h = hand(0, true);

	at(h, BEGIN);
	PUT(h, "\xdb"); /* E E: BL, RET */
	etm_address_64(&h->bytes, 0x100c, false);
	PUT(h, "\xf7\xd9"); /* B; NOP and BL; RET is not taken: by chance, it goes on behind it */
	is(h, "1000-1008 1020-1028 100c-1014 1000-1008 1020-1028");
	assert_int_equal(h->flow.gaps[TL_ETM_GAP_CODE], 0);
	free(h);
}

/* "ISB has an atom; WFI has if TRCIDR2.WFXMODE is set." */
TEST(barriers_have_atoms)
{
	struct hand *h = hand(0, false);

	at(h, 0x1014);
	PUT(h, "\xf7");
	is(h, "1014-101c");
	free(h);
	h = hand(0, false);
	h->config.idr2 |= UINT32_C(1) << 31;
	at(h, 0x1014);
	PUT(h, "\xdb");
	is(h, "1014-1018 1018-101c");
	free(h);
}

/* "What ran before an exception has no atom: up to the address that it returns to." */
TEST(an_exception_ends_what_ran)
{
	struct hand *h = hand(0, false);

	at(h, 0x100c);
	PUT(h, "\x06\x1d"); /* returns to 1010 */
	etm_address_short(&h->bytes, 0x1010, false, false);
	at(h, 0x1018);
	PUT(h, "\xf7");
	is(h, "100c-1010 1018-101c");
	assert_int_equal(h->flow.gaps[TL_ETM_GAP_ORDER], 0);
	free(h);
	/* It returns to where it was: nothing ran. Atoms before the handler's address are lost. */
	h = hand(0, false);
	at(h, 0x100c);
	PUT(h, "\x06\x1d");
	etm_address_short(&h->bytes, 0x100c, false, false);
	PUT(h, "\xf7");
	is(h, "");
	assert_int_equal(h->flow.lost_atoms, 1);
	free(h);
	/* "10: the address is the target of the branch before as well." */
	h = hand(0, false);
	at(h, 0x101c);
	PUT(h, "\xf7\x06\x5c");
	etm_address_short(&h->bytes, 0x1008, false, false);
	is(h, "101c-1020");
	assert_int_equal(h->flow.gaps[TL_ETM_GAP_ADDRESS], 0);
	free(h);
	/* A place that is behind a branch cannot be reached without an atom. */
	h = hand(0, false);
	at(h, 0x100c);
	PUT(h, "\x06\x1d");
	etm_address_short(&h->bytes, 0x1018, false, false);
	is(h, "");
	assert_int_equal(h->flow.gaps[TL_ETM_GAP_ORDER], 1);
	free(h);
	/* Atoms between an exception and its address. */
	h = hand(0, false);
	at(h, 0x100c);
	PUT(h, "\x06\x1d\xf7");
	at(h, 0x1018);
	PUT(h, "\xf7");
	is(h, "");
	assert_int_equal(h->flow.gaps[TL_ETM_GAP_ORDER], 1);
	free(h);
}

TEST(gaps_are_counted)
{
	struct hand *h = hand(0, false);

	/* No code at 2000; then an address that has some. */
	at(h, 0x2000);
	PUT(h, "\xdb");
	at(h, BEGIN);
	PUT(h, "\xf7");
	is(h, "1000-1008");
	assert_int_equal(h->flow.gaps[TL_ETM_GAP_CODE], 1);
	assert_int_equal(h->flow.no_code, 0x2000);
	assert_int_equal(h->flow.lost_atoms, 1);
	free(h);
	/* A context of AArch32, and an address of T32. */
	h = hand(0, false);
	PUT(h, "\x82\x00\x08\x00\x00\x00\xf7");
	at(h, BEGIN);
	etm_address_64(&h->bytes, BEGIN, true);
	PUT(h, "\xf7");
	is(h, "");
	assert_int_equal(h->flow.gaps[TL_ETM_GAP_AARCH32], 2);
	free(h);
	/* An overflow: what follows is known from the next Trace Info on. */
	h = hand(0, false);
	at(h, BEGIN);
	put(h, "\0\x05\xf7", 3);
	at(h, BEGIN);
	PUT(h, "\xf7");
	etm_async(&h->bytes);
	etm_trace_info(&h->bytes, 0, 0, 0, 0);
	at(h, 0x1018);
	PUT(h, "\xf7");
	is(h, "1018-101c");
	assert_int_equal(h->flow.gaps[TL_ETM_GAP_LOST], 1);
	free(h);
	/* A Q packet with the address behind it. */
	h = hand(0, false);
	at(h, BEGIN);
	PUT(h, "\xa5\x06\x04\xf7"); /* to 1018 */
	is(h, "1018-101c");
	assert_int_equal(h->flow.gaps[TL_ETM_GAP_Q], 1);
	free(h);
}

/* "Cancels take the newest away, a misprediction turns the newest atom." */
TEST(what_was_not_executed_is_taken_back)
{
	struct hand *h = hand(4, false);

	at(h, BEGIN);
	PUT(h, "\xfb"); /* E E N: BL, and two that were not executed */
	PUT(h, "\x2e\x02\x2d\x01");
	is(h, "1000-1008");
	free(h);
	h = hand(4, false);
	at(h, 0x1008);
	PUT(h, "\xf7"); /* CBZ taken: it was not */
	etm_address_64(&h->bytes, 0x2000, false);
	PUT(h, "\x30\xf7\x2d\x02");
	is(h, "1008-100c 100c-1014");
	free(h);
	/* The newest of several atoms of a packet: B, and BL, which was not taken. */
	h = hand(4, false);
	at(h, 0x100c);
	PUT(h, "\xdb\x30\xf7\x2d\x03");
	is(h, "100c-1014 1000-1008 1008-100c");
	free(h);
	/* The atom of a Cancel makes the first of three be committed before two are cancelled. */
	h = hand(3, false);
	at(h, 0x100c);
	PUT(h, "\xff\x39\x2d\x01");
	is(h, "100c-1014 1000-1008");
	free(h);
	/* What is never committed was not executed. */
	h = hand(4, false);
	at(h, BEGIN);
	PUT(h, "\xdb");
	is(h, "");
	free(h);
	/* The fifth commits the first. */
	h = hand(4, true);
	at(h, BEGIN);
	PUT(h, "\xdb\xff");
	is(h, "1000-1008");
	free(h);
	/* Elements from before the trace are counted. */
	h = hand(4, false);
	h->bytes.size = 0;
	etm_async(&h->bytes);
	etm_trace_info(&h->bytes, 0, 0, 2, 0);
	at(h, BEGIN);
	PUT(h, "\xf7\x2d\x02");
	follow(h);
	assert_string_equal(h->text, "");
	free(h);
}

/* More is committed or cancelled than there is: the trace is known again at a Trace Info. */
TEST(contradictions_cost_up_to_a_trace_info)
{
	static const char *const bytes[] = { "\xf7\x2d\x03", "\xf7\x2e\x03", "\x30" };

	for (size_t i = 0; i < 3; i++) {
		struct hand *h = hand(4, false);

		at(h, BEGIN);
		put(h, bytes[i], strlen(bytes[i]));
		at(h, BEGIN);
		PUT(h, "\xf7\x2d\x01");
		etm_async(&h->bytes);
		etm_trace_info(&h->bytes, 0, 0, 0, 0);
		at(h, 0x1018);
		PUT(h, "\xf7\x2d\x01");
		is(h, i ? "1018-101c" : "1000-1008 1018-101c");
		assert_int_equal(h->flow.gaps[TL_ETM_GAP_ORDER], 1);
		free(h);
	}
}

/* ETE: "a source address is a branch that was taken; those before it were not." */
TEST(a_source_address_is_a_taken_branch)
{
	struct hand *h = hand(0, false);

	h->config.is_ete = true;
	at(h, 0x1008);
	PUT(h, "\xb4\x04\xf7"); /* 1010, and what is at its target */
	is(h, "1008-100c 100c-1014 1000-1008");
	free(h);
	/* In the middle of a block there is no branch. */
	h = hand(0, false);
	h->config.is_ete = true;
	at(h, 0x1008);
	PUT(h, "\xb4\x03");
	is(h, "1008-100c");
	assert_int_equal(h->flow.gaps[TL_ETM_GAP_ORDER], 1);
	free(h);
}

/* Hostile counts end. */
TEST(large_counts_come_to_an_end)
{
	struct hand *h = hand(0xffffffff, false);

	h->bytes.size = 0;
	etm_async(&h->bytes);
	etm_trace_info(&h->bytes, 0, 0, 0xffffffff, 0);
	at(h, BEGIN);
	PUT(h, "\xf7\x2d\xff\xff\xff\xff\x0f\x2e\xff\xff\xff\xff\x0f");
	/* More that is speculative than there can be. */
	etm_async(&h->bytes);
	etm_trace_info(&h->bytes, 0, 0, 0, 0);
	while (h->bytes.size < sizeof(h->bytes.data) - 64)
		etm_byte(&h->bytes, 0xf7);
	follow(h);
	assert_string_equal(h->text, "");
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_executes_what_its_trace_says),
		cmocka_unit_test(speculation_is_what_is_committed),
		cmocka_unit_test(the_return_stack_knows_the_caller),
		cmocka_unit_test(an_address_is_the_target),
		cmocka_unit_test(barriers_have_atoms),
		cmocka_unit_test(an_exception_ends_what_ran),
		cmocka_unit_test(gaps_are_counted),
		cmocka_unit_test(what_was_not_executed_is_taken_back),
		cmocka_unit_test(contradictions_cost_up_to_a_trace_info),
		cmocka_unit_test(a_source_address_is_a_taken_branch),
		cmocka_unit_test(large_counts_come_to_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
