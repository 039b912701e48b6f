/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is looked for before a profile's first pass: "what is called at the beginning of some
 * segments" (src/xtrace/profile/scout.c), of each a part of 256.
 */
#include "pairs.h"
#include "streams.h"

#include "xtrace/profile/fold.h"

enum { PART = 256, LEAF = 100 };

/* The entries that are found, sorted; `count` of them are expected. */
static void assert_scouted(struct pair *p, const uint64_t *want, size_t count)
{
	struct trace t;

	open_trace(&t, &p->stream, &p->snapshots);

	struct tl_xtrace_fold fold = { .trace = t.trace };

	tl_xtrace_function_map_begin(&fold.functions, NULL, 0);
	assert_true(tl_xtrace_fold_scout(&fold, &t.trace->streams[0]));
	assert_int_equal(tl_xtrace_function_map_found(&fold.functions), count);
	assert_true(tl_xtrace_function_map_restart(&fold.functions, true));
	for (size_t i = 0; i < count; i++)
		assert_int_equal(fold.functions.entries.list[i], want[i]);
	assert_no_fault(&t);
	tl_xtrace_function_map_free(&fold.functions);
	close_trace(&t);
	free_pair(p);
}

/* Instructions of 13 bytes up to `parts` times what stands in the segment already. */
static void fill(struct pair *p, size_t begin, size_t parts)
{
	size_t size = p->stream.size - begin;

	while (p->stream.size - begin < size * parts)
		nop(&p->stream, 0x1000);
}

TEST(calls_at_the_beginning_of_each_segment)
{
	const uint64_t want[] = { 0x20000, 0x21000, 0x22000 };
	struct pair p = begin_pair();

	for (uint64_t segment = 0; segment < 3; segment++) {
		size_t begin = p.stream.size;

		if (segment)
			snap(&p, segment, 5);
		leaf(&p.stream, 0x1000, 0x20000 + 0x1000 * segment);
		fill(&p, begin, PART);
		/* Of what is called behind that nothing is known yet. */
		leaf(&p.stream, 0x1000, 0x30000 + 0x1000 * segment);
		fill(&p, p.stream.size, 1);
		for (unsigned i = 0; i < LEAF; i++)
			nop(&p.stream, 0x1004);
	}
	assert_scouted(&p, want, 3);
}

/*
 * BLR calls where TARGET_B says, also if an exception comes first; the handler is an entry then. A
 * direct call of which nothing follows, a return and a jump show none.
 */
TEST(what_is_a_call)
{
	const uint64_t want[] = { 0x20000, 0x21000, 0x22000 };
	struct pair p = begin_pair();
	struct bytes *s = &p.stream;

	go(s, 0, 0x1000, A64_BLR, 0x20000);
	nop(s, 0x20000);
	ret(s, 0x20004, 0x1004);
	go(s, 0, 0x1004, A64_BLR, 0x21000);
	put_pcinst(s, 1, 0x22000, A64_NOP);
	put_pcinst(s, 1, 0x22004, A64_NOP);
	eret(s, 0x22008, 0x21000);
	nop(s, 0x21000);
	jump(s, 0x21004, 0x23000);
	nop(s, 0x23000);
	call(s, 0x23004, 0x24000);
	fill(&p, 0, PART);
	/* ... which was at the end of what is looked at */
	assert_scouted(&p, want, 3);
}

/* Nothing is read behind damage, which the pass itself tells. */
TEST(damage_is_not_told_here)
{
	const uint64_t want[] = { 0x20000 };
	struct pair p = begin_pair();

	for (unsigned i = 0; i < 40; i++)
		leaf(&p.stream, 0x1000, 0x20000);
	put_byte(&p.stream, 0x05);
	leaf(&p.stream, 0x1000, 0x21000);
	fill(&p, 0, PART);
	assert_scouted(&p, want, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_at_the_beginning_of_each_segment),
		cmocka_unit_test(what_is_a_call),
		cmocka_unit_test(damage_is_not_told_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
