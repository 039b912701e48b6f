/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

static struct tl_callgrind_part part_at_end(struct text *t)
{
	struct tl_callgrind_part part;

	next_of(t, TL_CALLGRIND_PART_END);
	tl_callgrind_part(t->reader, &part, sizeof(part));
	return part;
}

TEST(what_a_header_says)
{
	struct text t;
	struct tl_callgrind_part part;

	text_open(&t, "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 20300\ncmd: "
		      " ./mini "
		      "60\npart: 2\nthread: 3\n"
		      "desc: I1 cache: \ndesc: Trigger: Program termination\npositions: instr "
		      "line\nevents: Ir  Dr \ntotals: 0 0\n");
	part = part_at_end(&t);
	assert_int_equal(part.process, 20300);
	assert_int_equal(part.number, 2);
	assert_int_equal(part.thread, 3);
	assert_string_equal(part.command, "./mini 60");
	assert_string_equal(part.creator, "callgrind-3.19.0");
	assert_string_equal(part.header, "desc: I1 cache:\ndesc: Trigger: Program termination\n");
	assert_int_equal(part.event_count, 2);
	assert_string_equal(part.events[0], "Ir");
	assert_string_equal(part.events[1], "Dr");
	assert_int_equal(part.position_count, 2);
	assert_string_equal(part.positions[0], "instr");
	text_close(&t);
}

/* "cmd: newline as \\n, backslash as \\\\" */
TEST(command_lines)
{
	struct text t;

	text_open(&t, "cmd: a \\\\ b\\nc \\x\nevents: Ir\n");
	assert_string_equal(part_at_end(&t).command, "a \\ b\nc \\x");
	text_close(&t);
}

/*
 * "events:/positions: are inherited from the previous part when absent" (rule H); names and base
 * are not
 */
TEST(inherited_columns)
{
	struct text t;
	struct tl_callgrind_part part;

	text_open(&t,
		  "events: Ir Dr\npositions: line\npart: 1\nfn=a\n7 1 2\npart: 2\nfn=a\n+1 3\n");
	assert_int_equal(part_at_end(&t).event_count, 2);
	assert_int_equal(t.item.costs[0], 1);
	assert_int_equal(t.item.costs[1], 2);
	next_of(&t, TL_CALLGRIND_COST);
	assert_int_equal(t.item.at.line, 1);
	assert_int_equal(t.item.part, 1);
	part = part_at_end(&t);
	assert_int_equal(part.event_count, 2);
	assert_int_equal(part.number, 2);
	assert_int_equal(part.thread, TL_NOWHERE);
	assert_int_equal(t.item.costs[0], 3);
	assert_int_equal(t.item.costs[1], 0);
	text_close(&t);
}

/*
 * A summary: in the middle of a body (xdebug) begins no part; totals: end one, also one without
 * costs.
 */
TEST(where_parts_begin)
{
	struct text t;

	text_open(&t, "events: Ir\nfn=a\n1 5\nsummary: 7\n2 2\n");
	assert_int_equal(part_at_end(&t).event_count, 1);
	assert_int_equal(tl_callgrind_next(t.reader, &t.item, sizeof(t.item), &t.err), 0);
	text_close(&t);
	text_open(&t, "part: 1\nevents: Ir\ntotals: 0\npart: 2\nevents: Ir\ntotals: 0\n");
	assert_int_equal(part_at_end(&t).number, 1);
	assert_int_equal(part_at_end(&t).number, 2);
	assert_int_equal(tl_callgrind_next(t.reader, &t.item, sizeof(t.item), &t.err), 0);
	text_close(&t);
}

/*
 * "totals: (null) if nothing" (xtree); numbers missing from sums are 0; the sums of a part begin
 * anew
 */
TEST(totals)
{
	expect_clean("events: a b\ntotals: (null)\n");
	expect_clean("events: a b\nfn=f\n1 5\ntotals: 5\n");
	expect_clean("events: a b\npart: 1\nfn=f\n1 5 6\ntotals: 5 6\npart: 2\nfn=f\n1 7\ntotals: "
		     "7 0\n");
	expect_clean("events: a\nfn=f\n1 -5\n1 2\ntotals: -3\n");
	/* what is no number at byte 21; and so the sums are missing */
	expect_fault("events: a b\nfn=f\n1 5\ntotals: 5x\n", 2, TL_BAD_RECORD, 21, 4);
	expect_fault("events: a b\nfn=f\n1 5\ntotals: 5.5\n", 2, TL_BAD_RECORD, 21, 4);
	/* 4 + 10 bytes of lines before the totals: that do not agree */
	expect_fault("events: a b\nfn=f\n1 5\ntotals: 5 1\n", 1, TL_BAD_RECORD, 21, 4);
}

/* docs/abi.md: "nothing is written behind the size that the caller gives" */
TEST(structs_of_other_sizes)
{
	struct {
		struct tl_callgrind_item known;
		uint64_t later[2];
	} item = { .later = { UINT64_MAX, UINT64_MAX } };
	struct {
		struct tl_callgrind_part known;
		uint64_t later[2];
	} part = { .later = { UINT64_MAX, UINT64_MAX } };
	const size_t item_size = sizeof(item.known), part_size = sizeof(part.known);
	struct tl_callgrind_item none;
	struct text t;

	text_open(&t, "# callgrind format\nevents: Ir\npid: 5\n");
	memset(&none, 0x5a, sizeof(none));
	assert_int_equal(tl_callgrind_next(t.reader, &none, item_size - 1, &t.err), TL_BAD_USAGE);
	assert_int_equal(t.err.status, TL_BAD_USAGE);
	for (size_t i = 0; i < sizeof(none); i++)
		assert_int_equal(((const uint8_t *)&none)[i], 0x5a);
	assert_int_equal(tl_callgrind_next(t.reader, &item.known, item_size, NULL), 1);
	assert_int_equal(item.known.line, 1);
	assert_true(item.later[0] == UINT64_MAX);
	assert_int_equal(tl_callgrind_next(t.reader, &item.known, item_size + 8, NULL), 1);
	assert_int_equal(item.known.line, 2);
	assert_true(item.later[0] == 0 && item.later[1] == UINT64_MAX);
	read_rest(&t);
	assert_int_equal(tl_callgrind_part(t.reader, &part.known, part_size - 1), TL_BAD_USAGE);
	assert_int_equal(tl_callgrind_part(t.reader, &part.known, part_size), 0);
	assert_int_equal(part.known.process, 5);
	assert_true(part.later[0] == UINT64_MAX);
	assert_int_equal(tl_callgrind_part(t.reader, &part.known, part_size + 8), 0);
	assert_true(part.later[0] == 0 && part.later[1] == UINT64_MAX);
	text_close(&t);
}

TEST(options_that_are_too_small)
{
	const struct tl_callgrind_options options = { .size = sizeof(options) - 1 };
	const struct tl_callgrind_fold_options fold = { .size = sizeof(fold) - 1 };
	struct tl_callgrind_reader *reader;
	struct tl_profile *profile;
	struct text t;

	text_open(&t, "# callgrind format\nevents: Ir\n");
	assert_int_equal(tl_callgrind_open(&reader, t.source, &options, &t.err), TL_BAD_USAGE);
	assert_int_equal(t.err.status, TL_BAD_USAGE);
	assert_null(reader);
	assert_int_equal(tl_callgrind_fold(&t.reader, 1, &fold, &profile, &t.err), TL_BAD_USAGE);
	assert_null(profile);
	text_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_header_says),
		cmocka_unit_test(command_lines),
		cmocka_unit_test(inherited_columns),
		cmocka_unit_test(where_parts_begin),
		cmocka_unit_test(totals),
		cmocka_unit_test(structs_of_other_sizes),
		cmocka_unit_test(options_that_are_too_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
