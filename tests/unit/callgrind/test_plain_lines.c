/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost lines of the plain form give the items of the plain way. Zeros before a cost make the same
 * number one that the fast path does not read.
 */
#include <stdio.h>

#include "text.h"

enum { LINES = 400, ROOM = 100 * LINES };

static uint32_t random_state;

static uint32_t below(uint32_t limit)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 16) % limit;
}

/* One sub-position, in one of its forms; `*at` follows it. */
static int put_position(char *to, size_t room, int64_t *at)
{
	int64_t step = below(40);

	switch (below(5)) {
	case 0:
		return snprintf(to, room, "* ");
	case 1:
		*at += step;
		return snprintf(to, room, "+%d ", (int)step);
	case 2:
		step = step < *at ? step : 0;
		*at -= step;
		return snprintf(to, room, "-%d  ", (int)step);
	case 3:
		*at = 1000 + step;
		return snprintf(to, room, "%d\t", (int)*at);
	default:
		*at = 0x7000 + step;
		return snprintf(to, room, "0x%x ", (unsigned)*at);
	}
}

/* The same text for the same seed, but for `zeros` before the last cost of each line. */
static void make_text(char *text, uint32_t seed, const char *zeros)
{
	int64_t at[2] = { 0, 0 };
	size_t used = (size_t)snprintf(text, ROOM,
				       "positions: instr line\nevents: A B C D\nfl=a.c\n"
				       "fn=f\n");

	random_state = seed;
	for (int i = 0; i < LINES; i++) {
		uint32_t costs = below(5);

		if (!below(20))
			used += (size_t)snprintf(text + used, ROOM - used, "fi=f%u\n", below(3));
		if (!below(30))
			used += (size_t)snprintf(text + used, ROOM - used,
						 "cfn=g\ncalls=2 * *\n+3 * 7 8\n");
		used += (size_t)put_position(text + used, ROOM - used, &at[0]);
		used += (size_t)put_position(text + used, ROOM - used, &at[1]);
		for (uint32_t c = 0; c < costs; c++)
			used += (size_t)snprintf(
				text + used, ROOM - used, "%s%u%s", c + 1 == costs ? zeros : "",
				below(below(2) ? 20 : 10000000), c + 1 < costs ? " " : "");
		used += (size_t)snprintf(text + used, ROOM - used, "\n");
	}
	assert_true(used < ROOM);
}

static void expect_same_item(const struct tl_callgrind_item *a, const struct tl_callgrind_item *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->part, b->part);
	if (a->kind != TL_CALLGRIND_COST && a->kind != TL_CALLGRIND_CALL &&
	    a->kind != TL_CALLGRIND_PART_END)
		return;
	assert_int_equal(a->cost_count, b->cost_count);
	for (uint32_t i = 0; i < a->cost_count; i++)
		assert_int_equal(a->costs[i], b->costs[i]);
	if (a->kind == TL_CALLGRIND_PART_END)
		return;
	assert_memory_equal(&a->owner, &b->owner, sizeof(a->owner));
	assert_int_equal(a->file, b->file);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->at.address, b->at.address);
	assert_int_equal(a->at.block, b->at.block);
	assert_int_equal(a->at.line, b->at.line);
}

TEST(items)
{
	static char fast[ROOM], slow[ROOM];

	for (uint32_t seed = 1; seed <= 20; seed++) {
		struct text a, b;
		int status;

		make_text(fast, seed, "");
		make_text(slow, seed, "0000000");
		text_open(&a, fast);
		text_open(&b, slow);
		do {
			status = tl_callgrind_next(a.reader, &a.item, sizeof(a.item), &a.err);
			assert_int_equal(
				tl_callgrind_next(b.reader, &b.item, sizeof(b.item), &b.err),
				status);
			if (status > 0)
				expect_same_item(&a.item, &b.item);
		} while (status > 0);
		assert_int_equal(status, 0);
		text_close(&a);
		text_close(&b);
	}
}

/* Sums of a part that come near the limit are looked at line by line. */
TEST(sums_near_the_limit)
{
	static const char text[] = HEAD "fn=f\n1 3\n2 9223372036854775800\n3 4\n4 3\n5 9\n";
	struct text t;
	size_t listed;
	uint64_t count, skipped;

	text_open(&t, text);
	read_rest(&t);
	/* 3 + 9223372036854775800 + 4 is 2^63 - 1: the next line is one too many. */
	assert_int_equal(tl_callgrind_faults(t.reader, &listed, &count, &skipped)[0].offset,
			 (uint64_t)(strstr(text, "4 3") - text));
	assert_int_equal(count, 1);
	text_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items),
		cmocka_unit_test(sums_near_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
