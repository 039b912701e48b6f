/* SPDX-License-Identifier: Apache-2.0 */
/* Two streams of blocks compared: expected values are counted in the texts. */
#include <stdio.h>

#include "streams.h"

static struct tl_flow_stream sums_of(const struct tl_flow *flow)
{
	struct tl_flow_stream stream;

	assert_int_equal(tl_flow_stream(flow, 0, &stream, sizeof(stream)), 0);
	return stream;
}

static struct tl_flow_difference difference_of(const struct tl_flow *flow, uint64_t number)
{
	struct tl_flow_difference d;

	assert_int_equal(tl_flow_difference(flow, 0, number, &d, sizeof(d)), 0);
	return d;
}

/* One difference: how much is the same before it, and how much only either side has; in blocks. */
static void assert_one(const char *before, const char *after, enum tl_flow_reason reason,
		       uint64_t same, uint64_t only_before, uint64_t only_after, bool meets)
{
	struct tl_flow *flow = stream_flow(before, after);
	const struct tl_flow_stream sums = sums_of(flow);
	const struct tl_flow_difference d = difference_of(flow, 0);

	assert_int_equal(sums.listed, 1);
	assert_int_equal(sums.differences + sums.missing, 1);
	assert_int_equal(d.reason, reason);
	assert_int_equal(d.ordinal[0], same * STREAM_INSNS);
	assert_int_equal(d.ordinal[1], same * STREAM_INSNS);
	assert_int_equal(d.instructions[0], only_before * STREAM_INSNS);
	assert_int_equal(d.instructions[1], only_after * STREAM_INSNS);
	assert_int_equal(d.meets, meets);
	assert_true(sums.complete);
	assert_int_equal(sums.instructions[0] - sums.common, d.instructions[0]);
	assert_int_equal(sums.instructions[1] - sums.common, d.instructions[1]);
	tl_flow_free(flow);
}

TEST(equal_streams_have_no_difference)
{
	struct tl_flow *flow = stream_flow("abcabcabcxyz", "abcabcabcxyz");
	const struct tl_flow_stream sums = sums_of(flow);

	assert_int_equal(sums.common, 12 * STREAM_INSNS);
	assert_int_equal(sums.instructions[1], 12 * STREAM_INSNS);
	assert_int_equal(sums.listed + sums.partings, 0);
	tl_flow_free(flow);
	flow = stream_flow("", "");
	assert_int_equal(sums_of(flow).common, 0);
	tl_flow_free(flow);
}

/* A block of one side has several equals on the other one: each is remembered until the next. */
TEST(an_object_may_move_within_a_trace)
{
	struct tl_flow *flow = stream_flow("abcabcabcabcabdabcabc", "abc@abcabc@ab@cabdab@cabc");

	assert_int_equal(sums_of(flow).common, 21 * STREAM_INSNS);
	assert_int_equal(sums_of(flow).instructions[1], 21 * STREAM_INSNS);
	assert_int_equal(sums_of(flow).listed, 0);
	tl_flow_free(flow);
	assert_one("abcabcabcxyz", "abc@abca@bdxyz", TL_FLOW_OTHER_WAY, 8, 1, 1, true);
}

TEST(one_edit_is_one_difference)
{
	assert_one("abcdefg", "abcxydefg", TL_FLOW_OTHER_WAY, 3, 0, 2, true);     /* inserted */
	assert_one("abcxydefg", "abcdefg", TL_FLOW_OTHER_WAY, 3, 2, 0, true);     /* deleted */
	assert_one("abcxdefg", "abcyzdefg", TL_FLOW_OTHER_WAY, 3, 1, 2, true);    /* replaced */
	assert_one("xdefg", "yzdefg", TL_FLOW_OTHER_WAY, 0, 1, 2, true);          /* at the start */
	assert_one("abclllxyz", "abclllllxyz", TL_FLOW_OTHER_WAY, 6, 0, 2, true); /* a loop */
	assert_one("abcd", "abce", TL_FLOW_OTHER_WAY, 3, 1, 1, false);            /* at the end */
	assert_one("abcd", "abcexyd", TL_FLOW_OTHER_WAY, 3, 0, 3, true);
	assert_one("abcd", "abcdef", TL_FLOW_BEFORE_ENDS, 4, 0, 2, false);
	assert_one("abcdef", "abcd", TL_FLOW_AFTER_ENDS, 4, 2, 0, false);
	assert_one("", "abcd", TL_FLOW_BEFORE_ENDS, 0, 0, 4, false);
	assert_one("abcde", "ab'cde", TL_FLOW_OTHER_CODE, 2, 1, 1, true);
}

/* "Nearest by the number of blocks passed over on both sides together." */
/* Every loop has runs of l: "lll" is no place to meet at, but is the same where it is. */
TEST(loops_are_no_place_to_meet_at)
{
	assert_one("abcllllllxyz", "abcdelllllluvwllllllxyz", TL_FLOW_OTHER_WAY, 3, 0, 11, true);
	assert_one("abcllllllxyz", "abcdellllllxyz", TL_FLOW_OTHER_WAY, 3, 0, 2, true);
}

TEST(sides_meet_at_the_nearest_place)
{
	/* def is 4 + 1 blocks away, ghi 1 + 3. */
	assert_one("abcxghiuuu", "abcdefghiuuu", TL_FLOW_OTHER_WAY, 3, 1, 3, true);
	/* Runs of two blocks do not count: "pq" comes earlier. */
	assert_one("abcpqxdefg", "abcypqydefg", TL_FLOW_OTHER_WAY, 3, 3, 4, true);
}

/* Beyond the first width of the search, and of one reading. */
TEST(long_differences_are_found)
{
	char before[4096], after[4096];
	size_t size = 0;

	memset(before, 0, sizeof(before));
	memset(after, 0, sizeof(after));
	memcpy(before, "abc", 3);
	memcpy(after, "abc", 3);
	for (size = 3; size < 1500; size++)
		after[size] = (char)('d' + size % 7);
	memcpy(after + size, "uvwxyz", 6);
	memcpy(before + 3, "uvwxyz", 6);
	assert_one(before, after, TL_FLOW_OTHER_WAY, 3, 0, 1497, true);
	assert_one(after, before, TL_FLOW_OTHER_WAY, 3, 1497, 0, true);
}

TEST(beyond_the_window_nothing_is_compared)
{
	const struct tl_flow_options options = { .size = sizeof(options), .meet = 3, .window = 64 };
	char after[512] = "abc";
	struct tl_flow *flow;

	memset(after + 3, 'x', 400);
	strcat(after, "defghi");
	flow = stream_flow_with("abcdefghi", after, 5, &options);
	assert_false(sums_of(flow).complete);
	assert_int_equal(sums_of(flow).differences, 1);
	assert_false(difference_of(flow, 0).meets);
	assert_int_equal(sums_of(flow).common, 3 * STREAM_INSNS);
	assert_int_equal(sums_of(flow).instructions[0], 9 * STREAM_INSNS);
	assert_int_equal(sums_of(flow).instructions[1], 409 * STREAM_INSNS);
	tl_flow_free(flow);
}

/* "Decoders end what they call a block where a packet stands, too": no difference. */
TEST(pieces_are_joined)
{
	struct tl_flow *flow = stream_flow("ab<c>cd<e>e", "<a>ab<c>cde");

	assert_int_equal(sums_of(flow).listed, 0);
	assert_int_equal(sums_of(flow).common, 5 * STREAM_INSNS);
	tl_flow_free(flow);
}

/* An interrupt in the middle of block c: two of its instructions are the same. */
TEST(cut_blocks_are_the_same_up_to_the_cut)
{
	struct tl_flow *flow = stream_flow("ab<cxy>cdefg", "abcdefg");
	const struct tl_flow_difference d = difference_of(flow, 0);

	assert_int_equal(sums_of(flow).listed, 1);
	assert_int_equal(d.ordinal[0], 2 * STREAM_INSNS + 2);
	assert_int_equal(d.last[0].into, stream_offset('c') + STREAM_INSN_BYTES);
	assert_int_equal(d.next[0].into, stream_offset('x'));
	assert_int_equal(d.next[1].into, stream_offset('c') + 2 * STREAM_INSN_BYTES);
	assert_int_equal(d.instructions[0], 2 * STREAM_INSNS + 2);
	assert_int_equal(d.instructions[1], 2);
	tl_flow_free(flow);
}

/* Part of a trace is missing: said apart, and no difference. */
TEST(gaps_are_no_differences)
{
	/* Three times eight blocks are the same behind the gap. */
	struct tl_flow *flow = stream_flow("abcd|||hijklmnopqrstuvwxyzABCDEFxop",
					   "abcdefghijklmnopqrstuvwxyzABCDEFyop");
	const struct tl_flow_stream sums = sums_of(flow);

	assert_int_equal(sums.missing, 1);
	assert_int_equal(sums.differences, 1);
	assert_int_equal(difference_of(flow, 0).reason, TL_FLOW_MISSING);
	assert_int_equal(difference_of(flow, 0).instructions[0], 0);
	assert_int_equal(difference_of(flow, 0).instructions[1], 3 * STREAM_INSNS);
	assert_int_equal(difference_of(flow, 1).ordinal[0], 29 * STREAM_INSNS);
	assert_int_equal(difference_of(flow, 1).ordinal[1], 32 * STREAM_INSNS);
	tl_flow_free(flow);
}

TEST(code_of_no_file_is_told_by_its_bytes_and_its_place_in_the_page)
{
	struct stream streams[2] = {
		{ .text = "abcdef", .step = 3, .base = 0x5000, .object = "" },
		{ .text = "abcdef", .step = 3, .base = 0x7000, .object = "" },
	};
	struct tl_flow *flow;
	int failed;

	assert_int_equal(stream_compare(streams, NULL, &flow, &failed, NULL), 0);
	assert_int_equal(sums_of(flow).listed, 0);
	tl_flow_free(flow);
	streams[1].base = 0x7010;
	assert_int_equal(stream_compare(streams, NULL, &flow, &failed, NULL), 0);
	assert_int_equal(sums_of(flow).common, 0);
	tl_flow_free(flow);
}

static uint64_t stack_place(const struct tl_flow *flow, uint64_t number)
{
	struct tl_flow_spot spot;

	return tl_flow_stack(flow, 0, number, &spot, sizeof(spot)) ? TL_NOWHERE : spot.into;
}

/* Calls A and B are open where the streams part; C has returned. */
TEST(the_stack_is_that_of_the_first_difference)
{
	struct tl_flow *flow = stream_flow("mAaC0=CBbxuvw", "mAaC0=CBbyuvw");
	const uint64_t call = (STREAM_INSNS - 1) * STREAM_INSN_BYTES;

	assert_int_equal(stack_place(flow, 0), stream_offset('b') + call);
	assert_int_equal(stack_place(flow, 1), stream_offset('B') + call);
	assert_int_equal(stack_place(flow, 2), stream_offset('A') + call);
	assert_int_equal(stack_place(flow, 3), TL_NOWHERE);
	tl_flow_free(flow);
	/* They part behind a call: it is the last common instruction, not a caller. */
	flow = stream_flow("mAaBxuvw", "mAaByuvw");
	assert_int_equal(stack_place(flow, 0), stream_offset('B') + call);
	assert_int_equal(stack_place(flow, 1), stream_offset('A') + call);
	assert_int_equal(stack_place(flow, 2), TL_NOWHERE);
	tl_flow_free(flow);
}

/* A stands open below calls that return, over many blocks that are read at once. */
TEST(the_stack_is_kept_over_many_blocks)
{
	enum { TIMES = 700, ALL = 1 << 13 };
	const uint64_t call = (STREAM_INSNS - 1) * STREAM_INSN_BYTES;
	const struct tl_flow_options options = { .size = sizeof(options), .meet = 3 };
	char before[ALL] = "mA", after[ALL];
	struct tl_flow *flow;

	for (size_t i = 0; i < TIMES; i++)
		strcat(before, "aC0=C");
	strcpy(after, before);
	strcat(before, "Bbxuvw");
	strcat(after, "Bbyuvw");
	flow = stream_flow_with(before, after, ALL, &options);
	assert_int_equal(sums_of(flow).listed, 1);
	assert_int_equal(difference_of(flow, 0).ordinal[0], (2 + 4 * TIMES + 2) * STREAM_INSNS);
	assert_int_equal(stack_place(flow, 0), stream_offset('b') + call);
	assert_int_equal(stack_place(flow, 1), stream_offset('B') + call);
	assert_int_equal(stack_place(flow, 2), stream_offset('A') + call);
	assert_int_equal(stack_place(flow, 3), TL_NOWHERE);
	tl_flow_free(flow);
}

TEST(partings_are_counted_by_place)
{
	struct tl_flow *flow = stream_flow("abcxdefgabcxdefgzzzpqr", "abcydefgabcyydefgzzzqqr");
	struct tl_flow_parting p;

	assert_int_equal(sums_of(flow).differences, 3);
	assert_int_equal(sums_of(flow).partings, 2);
	assert_int_equal(tl_flow_parting(flow, 0, 0, &p, sizeof(p)), 0);
	assert_int_equal(p.times, 2);
	assert_int_equal(p.instructions[0], 2 * STREAM_INSNS);
	assert_int_equal(p.instructions[1], 3 * STREAM_INSNS);
	assert_int_equal(p.ordinal, 3 * STREAM_INSNS);
	assert_int_equal(p.next[1].into, stream_offset('y'));
	assert_int_equal(p.next[1].address, 0x7f0000550000 + stream_offset('y'));
	assert_int_equal(tl_flow_parting(flow, 0, 1, &p, sizeof(p)), 0);
	assert_int_equal(p.times, 1);
	assert_int_equal(tl_flow_parting(flow, 0, 2, &p, sizeof(p)), TL_BAD_USAGE);
	tl_flow_free(flow);
}

TEST(lists_are_bounded_and_counts_are_not)
{
	const struct tl_flow_options options = { .size = sizeof(options), .meet = 3, .listed = 1 };
	struct tl_flow *flow =
		stream_flow_with("abcxdefgabcxdefg", "abcydefgabcydefg", 3, &options);

	assert_int_equal(sums_of(flow).listed, 1);
	assert_int_equal(sums_of(flow).differences, 2);
	tl_flow_free(flow);
}

TEST(a_side_that_cannot_be_read_is_named)
{
	struct stream streams[2] = {
		{ .text = "abcdef", .step = 3, .object = "" },
		{ .text = "abcdef", .step = 3, .object = "", .fails = true },
	};
	struct tl_error err = { 0 };
	struct tl_flow *flow;
	int failed = 0;

	assert_int_equal(stream_compare(streams, NULL, &flow, &failed, &err), TL_IO);
	assert_int_equal(failed, 1);
	assert_int_equal(err.offset, 7);
	/* Of two it is the first one. */
	streams[0].fails = true;
	assert_int_equal(stream_compare(streams, NULL, &flow, &failed, &err), TL_IO);
	assert_int_equal(failed, 0);
	assert_int_equal(err.offset, 7);
}

/* Texts are read five and six blocks at once: x, at 12, is of what begins at 10, y of 12. */
TEST(places_in_the_file_are_told)
{
	struct tl_flow *flow = stream_flow("abcdefghijklxmnopq", "abcdefghijklymnopq");

	assert_int_equal(difference_of(flow, 0).offset[0], 10);
	assert_int_equal(difference_of(flow, 0).offset[1], 12);
	tl_flow_free(flow);
}

TEST(options_out_of_range_are_refused)
{
	const struct tl_flow_options bad[] = { { .size = 1 },
					       { .size = sizeof(bad[0]), .window = 1u << 29 },
					       { .size = sizeof(bad[0]), .meet = 2000 } };
	struct tl_flow *flow;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(tl_flow_open(&flow, &bad[i], NULL), TL_BAD_USAGE);
}

/* ---- random streams, against plain loops ---- */

enum { RANDOM_BLOCKS = 300, RANDOM_RUNS = 300, MEET = 3 };

static uint32_t draw(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % below;
}

/* A path of few blocks, and the same with parts left out, repeated or changed. */
static void make_pair(uint32_t seed, char *before, char *after)
{
	size_t to = 0;

	for (size_t i = 0; i < RANDOM_BLOCKS; i++)
		before[i] =
			i && draw(&seed, 3) == 0 ? before[i - 1] : (char)('a' + draw(&seed, 20));
	before[RANDOM_BLOCKS] = 0;
	for (size_t i = 0; i < RANDOM_BLOCKS; i++) {
		const uint32_t edit = draw(&seed, 60);

		if (edit == 0)
			continue;
		after[to++] = edit == 1 ? (char)('a' + draw(&seed, 20)) : before[i];
		if (edit == 2)
			after[to++] = before[i];
	}
	after[to] = 0;
}

/* Of `run` blocks at least a quarter, or two, is not among the 8 before it. The end is "~". */
static bool tells_a_place(const char *text, size_t at, size_t run)
{
	size_t fresh = 0;

	for (size_t i = at; i < at + run; i++) {
		bool came = false;

		for (size_t j = i > 8 ? i - 8 : 0; j < i; j++)
			came |= text[j] == text[i] && text[i] != '~';
		fresh += !came;
	}
	return fresh >= (run / 4 > 2 ? run / 4 : 2);
}

/* The nearest place within `width` from which `run` blocks are the same: by trying all. */
static bool meet_within(const char *a, const char *b, size_t width, size_t run, size_t *skip_a,
			size_t *skip_b)
{
	const size_t a_runs = width < strlen(a) ? width : strlen(a),
		     b_runs = width < strlen(b) ? width : strlen(b);

	for (size_t sum = 0; sum <= a_runs + b_runs; sum++)
		for (size_t j = 0; j <= sum && j + run <= b_runs; j++) {
			const size_t i = sum - j;

			if (i + run > a_runs || strncmp(a + i, b + j, run) != 0 ||
			    !tells_a_place(a, i, run))
				continue;
			*skip_a = i;
			*skip_b = j;
			return true;
		}
	return false;
}

/* "The search takes twice as many blocks until one is found; the more have to be the same." */
static void meet_plainly(const char *before, const char *after, size_t *skip_a, size_t *skip_b)
{
	for (size_t width = 64 + MEET, run = MEET;; width *= 2, run *= run < 8 * MEET ? 2 : 1) {
		char a[2048], b[2048];
		bool found;

		snprintf(a, sizeof(a), "%s%.*s", before, (int)run,
			 "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~");
		snprintf(b, sizeof(b), "%s%.*s", after, (int)run, "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~");
		found = meet_within(a, b, width, run, skip_a, skip_b);
		if (!found ||
		    (*skip_a + *skip_b > width - run && (strlen(a) > width || strlen(b) > width)))
			continue;
		while (*skip_a && *skip_b && a[*skip_a - 1] == b[*skip_b - 1]) {
			--*skip_a;
			--*skip_b;
		}
		return;
	}
}

static void assert_as_plainly(const char *before, const char *after, const struct tl_flow *flow)
{
	size_t a = 0, b = 0, skip_a, skip_b, common = 0;
	uint64_t number = 0;

	for (; before[a] || after[b]; a += skip_a, b += skip_b) {
		struct tl_flow_difference d;

		for (; before[a] && before[a] == after[b]; a++, b++)
			common++;
		if (!before[a] && !after[b])
			break;
		d = difference_of(flow, number++);
		assert_int_equal(d.ordinal[0], a * STREAM_INSNS);
		assert_int_equal(d.ordinal[1], b * STREAM_INSNS);
		meet_plainly(before + a, after + b, &skip_a, &skip_b);
		assert_int_equal(d.instructions[0], skip_a * STREAM_INSNS);
		assert_int_equal(d.instructions[1], skip_b * STREAM_INSNS);
		assert_int_equal(d.meets, before[a + skip_a] || after[b + skip_b]);
	}
	assert_int_equal(sums_of(flow).listed, number);
	assert_int_equal(sums_of(flow).common, common * STREAM_INSNS);
}

TEST(random_streams_are_compared_as_by_plain_loops)
{
	const struct tl_flow_options options = { .size = sizeof(options), .meet = MEET };
	char before[2 * RANDOM_BLOCKS + 2], after[2 * RANDOM_BLOCKS + 2];

	for (uint32_t run = 0; run < RANDOM_RUNS; run++) {
		struct tl_flow *flow;

		make_pair(run, before, after);
		flow = stream_flow_with(before, after, 1 + run % 50, &options);
		assert_as_plainly(before, after, flow);
		tl_flow_free(flow);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_streams_have_no_difference),
		cmocka_unit_test(an_object_may_move_within_a_trace),
		cmocka_unit_test(one_edit_is_one_difference),
		cmocka_unit_test(loops_are_no_place_to_meet_at),
		cmocka_unit_test(sides_meet_at_the_nearest_place),
		cmocka_unit_test(long_differences_are_found),
		cmocka_unit_test(beyond_the_window_nothing_is_compared),
		cmocka_unit_test(pieces_are_joined),
		cmocka_unit_test(cut_blocks_are_the_same_up_to_the_cut),
		cmocka_unit_test(gaps_are_no_differences),
		cmocka_unit_test(code_of_no_file_is_told_by_its_bytes_and_its_place_in_the_page),
		cmocka_unit_test(the_stack_is_that_of_the_first_difference),
		cmocka_unit_test(the_stack_is_kept_over_many_blocks),
		cmocka_unit_test(partings_are_counted_by_place),
		cmocka_unit_test(lists_are_bounded_and_counts_are_not),
		cmocka_unit_test(a_side_that_cannot_be_read_is_named),
		cmocka_unit_test(places_in_the_file_are_told),
		cmocka_unit_test(options_out_of_range_are_refused),
		cmocka_unit_test(random_streams_are_compared_as_by_plain_loops),
	};

	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	/* What is found does not depend on who reads. */
	stream_jobs = 2;
	return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
