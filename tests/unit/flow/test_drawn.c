/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two streams of blocks of which the second is the first with drawn edits: differences are those of
 * a plain comparison, which at each parting tries all places where they may meet, nearest first.
 * No block comes twice in a stream, so that there is no loop to be left out.
 */
#include <stdio.h>

#include "../chance.h"
#include "streams.h"

enum { BLOCKS = 52, MOST = 60, MEET = 3, ROUNDS = 4000, DIFFERENCES = MOST };

/* A block by its letter, and its code: 0 or 1. */
struct drawn {
	char name[MOST];
	bool other_code[MOST];
	unsigned count;
	char text[2 * MOST + 1];
	size_t at[MOST + 1]; /* where each block stands in the text */
};

static char letter(unsigned number)
{
	return (char)(number < 26 ? 'a' + number : 'A' + (number - 26));
}

static void append(struct drawn *d, char name, bool other_code)
{
	d->name[d->count] = name;
	d->other_code[d->count++] = other_code;
}

/* Letters in any order, some of which are left for what the other side has instead. */
static void draw_first(struct drawn *d, unsigned *order, uint32_t *seed)
{
	const unsigned count = chance(seed, 40);

	*d = (struct drawn){ .count = 0 };
	chance_order(seed, order, BLOCKS);
	for (unsigned i = 0; i < count; i++)
		append(d, letter(order[i]), false);
}

static void draw_second(struct drawn *d, const struct drawn *first, const unsigned *order,
			uint32_t *seed)
{
	const unsigned often = 3 + chance(seed, 30);
	unsigned fresh = first->count, skip = 0;

	*d = (struct drawn){ .count = 0 };
	for (unsigned i = 0; i <= first->count; i++) {
		const unsigned edit = chance(seed, often);

		if (edit == 0)
			skip = 1 + chance(seed, 5);
		for (unsigned n = edit == 1 ? 1 + chance(seed, 4) : 0; n && fresh < BLOCKS; n--)
			append(d, letter(order[fresh++]), false);
		if (i == first->count)
			break;
		if (skip)
			skip--;
		else
			append(d, first->name[i], edit == 2);
	}
}

static void write_text(struct drawn *d)
{
	size_t size = 0;

	for (unsigned i = 0; i < d->count; i++) {
		d->at[i] = size;
		if (d->other_code[i])
			d->text[size++] = '\'';
		d->text[size++] = d->name[i];
	}
	d->at[d->count] = size;
	d->text[size] = '\0';
}

/* ---- the model ---- */

struct difference {
	enum tl_flow_reason reason;
	unsigned at[2], passed[2]; /* blocks */
	bool meets;
};

struct model {
	struct difference list[DIFFERENCES];
	unsigned count;
};

/* Whether a block of each side is the same; behind both ends the same follows. */
static bool same(const struct drawn d[2], unsigned i, unsigned j)
{
	if (i >= d[0].count || j >= d[1].count)
		return i >= d[0].count && j >= d[1].count;
	return d[0].name[i] == d[1].name[j] && d[0].other_code[i] == d[1].other_code[j];
}

static bool can_meet(const struct drawn d[2], unsigned i, unsigned j)
{
	for (unsigned n = 0; n < MEET; n++)
		if (!same(d, i + n, j + n))
			return false;
	return i <= d[0].count && j <= d[1].count;
}

/* The nearest place by what is passed over on both sides; of equals what the second has first. */
static void meet(const struct drawn d[2], unsigned i, unsigned j, unsigned passed[2])
{
	for (unsigned sum = 0; sum <= 2 * MOST; sum++)
		for (passed[1] = 0; passed[1] <= sum; passed[1]++) {
			passed[0] = sum - passed[1];
			if (!can_meet(d, i + passed[0], j + passed[1]))
				continue;
			while (passed[0] && passed[1] &&
			       same(d, i + passed[0] - 1, j + passed[1] - 1)) {
				passed[0]--;
				passed[1]--;
			}
			return;
		}
	fail_msg("they meet at their ends at last");
}

static void compare_plainly(struct model *m, const struct drawn d[2])
{
	unsigned i = 0, j = 0;

	m->count = 0;
	for (;;) {
		struct difference *x = &m->list[m->count];

		while (i < d[0].count && j < d[1].count && same(d, i, j)) {
			i++;
			j++;
		}
		if (i == d[0].count && j == d[1].count)
			return;
		*x = (struct difference){ .at = { i, j } };
		m->count++;
		if (i == d[0].count || j == d[1].count) {
			x->reason = i == d[0].count ? TL_FLOW_BEFORE_ENDS : TL_FLOW_AFTER_ENDS;
			x->passed[0] = d[0].count - i;
			x->passed[1] = d[1].count - j;
			return;
		}
		x->reason = d[0].name[i] == d[1].name[j] ? TL_FLOW_OTHER_CODE : TL_FLOW_OTHER_WAY;
		meet(d, i, j, x->passed);
		i += x->passed[0];
		j += x->passed[1];
		x->meets = i < d[0].count || j < d[1].count;
	}
}

/* ---- comparison ---- */

/* The begin of what was read at once, in the text. */
static uint64_t offset_of(const struct drawn *d, unsigned block, size_t step)
{
	if (!d->count)
		return 0;
	if (block == d->count)
		block--;
	return d->at[block / step * step];
}

static void assert_difference(const struct tl_flow_difference *have, const struct difference *x,
			      const struct drawn d[2], size_t step)
{
	const uint64_t last_insn = (STREAM_INSNS - 1) * STREAM_INSN_BYTES;

	assert_int_equal(have->reason, x->reason);
	assert_int_equal(have->meets, x->meets);
	assert_int_equal(have->has_last, x->at[0] > 0);
	for (int side = 0; side < 2; side++) {
		const unsigned at = x->at[side];

		assert_int_equal(have->ordinal[side], at * STREAM_INSNS);
		assert_int_equal(have->instructions[side], x->passed[side] * STREAM_INSNS);
		assert_int_equal(have->offset[side],
				 offset_of(&d[side], at, side ? step + 1 : step));
		assert_int_equal(have->has_next[side], at < d[side].count);
		if (at < d[side].count) {
			assert_int_equal(have->next[side].into, stream_offset(d[side].name[at]));
			assert_string_equal(have->next[side].function, "f");
			assert_string_equal(have->next[side].object,
					    side ? "/opt/prog" : "/bin/prog");
		}
		if (have->has_last)
			assert_int_equal(have->last[side].into,
					 stream_offset(d[side].name[at - 1]) + last_insn);
	}
}

/* Calls that are open where the streams part: capitals call, and nothing returns. */
static void assert_stack(const struct tl_flow *flow, const struct drawn *d, unsigned at)
{
	const uint64_t last_insn = (STREAM_INSNS - 1) * STREAM_INSN_BYTES;
	uint64_t number = 0;
	struct tl_flow_spot spot;

	for (unsigned i = at; i-- > 0;) {
		if (i + 1 < at && d->name[i] > 'Z')
			continue;
		assert_int_equal(tl_flow_stack(flow, 0, number++, &spot, sizeof(spot)), 0);
		assert_int_equal(spot.into, stream_offset(d->name[i]) + last_insn);
	}
	assert_int_equal(tl_flow_stack(flow, 0, number, &spot, sizeof(spot)), TL_BAD_USAGE);
}

static void assert_flow(const struct tl_flow *flow, const struct model *m, const struct drawn d[2],
			size_t step)
{
	struct tl_flow_stream sums;
	uint64_t passed = 0;

	assert_int_equal(tl_flow_stream(flow, 0, &sums, sizeof(sums)), 0);
	assert_int_equal(sums.differences, m->count);
	assert_int_equal(sums.listed, m->count);
	assert_int_equal(sums.missing, 0);
	assert_true(sums.complete);
	for (unsigned i = 0; i < m->count; i++) {
		struct tl_flow_difference have;

		assert_int_equal(tl_flow_difference(flow, 0, i, &have, sizeof(have)), 0);
		assert_difference(&have, &m->list[i], d, step);
		passed += m->list[i].passed[0];
	}
	assert_int_equal(sums.instructions[0], d[0].count * STREAM_INSNS);
	assert_int_equal(sums.instructions[1], d[1].count * STREAM_INSNS);
	assert_int_equal(sums.common, (d[0].count - passed) * STREAM_INSNS);
	assert_stack(flow, &d[0], m->count ? m->list[0].at[0] : 0);
}

/* Places at which they part: one each here, the most instructions of both sides first. */
static void assert_partings(const struct tl_flow *flow, const struct model *m)
{
	struct tl_flow_stream sums;
	uint64_t before = UINT64_MAX, all[2] = { 0, 0 };

	assert_int_equal(tl_flow_stream(flow, 0, &sums, sizeof(sums)), 0);
	assert_int_equal(sums.partings, m->count);
	for (unsigned i = 0; i < m->count; i++) {
		struct tl_flow_parting parting;
		unsigned found = 0;

		assert_int_equal(tl_flow_parting(flow, 0, i, &parting, sizeof(parting)), 0);
		assert_int_equal(parting.times, 1);
		assert_true(parting.instructions[0] + parting.instructions[1] <= before);
		before = parting.instructions[0] + parting.instructions[1];
		all[0] += parting.instructions[0];
		all[1] += parting.instructions[1];
		for (unsigned n = 0; n < m->count; n++)
			if (m->list[n].at[0] * STREAM_INSNS == parting.ordinal &&
			    m->list[n].passed[0] * STREAM_INSNS == parting.instructions[0] &&
			    m->list[n].passed[1] * STREAM_INSNS == parting.instructions[1])
				found++;
		assert_true(found);
	}
	assert_int_equal(all[0], sums.instructions[0] - sums.common);
	assert_int_equal(all[1], sums.instructions[1] - sums.common);
}

TEST(drawn_edits_are_the_differences)
{
	const struct tl_flow_options options = { .size = sizeof(options), .meet = MEET };
	uint32_t seed = 1;
	unsigned differences = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		const size_t step = 1 + chance(&seed, 9);
		unsigned order[BLOCKS];
		struct drawn d[2];
		struct tl_flow *flow;
		struct model m;

		draw_first(&d[0], order, &seed);
		draw_second(&d[1], &d[0], order, &seed);
		write_text(&d[0]);
		write_text(&d[1]);
		compare_plainly(&m, d);
		differences += m.count;
		stream_jobs = 1 + round % 16 / 15;
		flow = stream_flow_with(d[0].text, d[1].text, step, &options);
		/* read ahead, the marks of what was read are all there, but so are all blocks */
		assert_flow(flow, &m, d, step);
		assert_partings(flow, &m);
		tl_flow_free(flow);
	}
	stream_jobs = 1;
	assert_true(differences > ROUNDS);
}

/* "how many differences are listed one by one": all are counted nevertheless. */
TEST(more_differences_than_are_listed)
{
	char before[256] = "", after[256] = "";

	/* an edit, and behind it as many blocks as it takes to meet */
	for (unsigned i = 0; i < 12; i++) {
		snprintf(before + strlen(before), sizeof(before) - strlen(before), "%cqrs",
			 'a' + (int)i);
		snprintf(after + strlen(after), sizeof(after) - strlen(after), "%cqrs",
			 'A' + (int)i);
	}
	for (uint32_t listed = 1; listed < 16; listed++) {
		const struct tl_flow_options options = { .size = sizeof(options),
							 .meet = MEET,
							 .listed = listed };
		struct tl_flow *flow = stream_flow_with(before, after, 5, &options);
		struct tl_flow_difference d;
		struct tl_flow_stream sums;

		assert_int_equal(tl_flow_stream(flow, 0, &sums, sizeof(sums)), 0);
		assert_int_equal(sums.differences, 12);
		assert_int_equal(sums.listed, listed < 12 ? listed : 12);
		assert_int_equal(sums.common, 36 * STREAM_INSNS);
		for (uint32_t i = 0; i < sums.listed; i++) {
			assert_int_equal(tl_flow_difference(flow, 0, i, &d, sizeof(d)), 0);
			assert_int_equal(d.ordinal[0], 4 * i * STREAM_INSNS);
		}
		assert_int_equal(tl_flow_difference(flow, 0, sums.listed, &d, sizeof(d)),
				 TL_BAD_USAGE);
		tl_flow_free(flow);
	}
}

/* One place that is passed many times is one parting, with the sums of all times. */
TEST(a_place_that_is_passed_often_is_one_parting)
{
	char before[1024] = "", after[1024] = "";
	const struct tl_flow_options options = { .size = sizeof(options), .meet = MEET };

	for (unsigned times = 1; times <= 30; times++) {
		struct tl_flow_parting parting;
		struct tl_flow_stream sums;
		struct tl_flow *flow;

		/* behind p the one has x, the other yz; then nothing comes as it came before */
		snprintf(before + strlen(before), sizeof(before) - strlen(before), "px%c%c%c%c",
			 'a' + (int)(times % 7), 'i', 'j' + (int)(times % 5), 'o');
		snprintf(after + strlen(after), sizeof(after) - strlen(after), "pyz%c%c%c%c",
			 'a' + (int)(times % 7), 'i', 'j' + (int)(times % 5), 'o');
		flow = stream_flow_with(before, after, 7, &options);
		assert_int_equal(tl_flow_stream(flow, 0, &sums, sizeof(sums)), 0);
		assert_int_equal(sums.differences, times);
		assert_int_equal(sums.partings, 1);
		assert_int_equal(tl_flow_parting(flow, 0, 0, &parting, sizeof(parting)), 0);
		assert_int_equal(parting.times, times);
		assert_int_equal(parting.instructions[0], times * STREAM_INSNS);
		assert_int_equal(parting.instructions[1], 2 * times * STREAM_INSNS);
		assert_int_equal(parting.ordinal, STREAM_INSNS);
		assert_int_equal(parting.last.into,
				 stream_offset('p') + (STREAM_INSNS - 1) * STREAM_INSN_BYTES);
		assert_int_equal(parting.next[0].into, stream_offset('x'));
		assert_int_equal(parting.next[1].into, stream_offset('y'));
		assert_int_equal(tl_flow_parting(flow, 0, 1, &parting, sizeof(parting)),
				 TL_BAD_USAGE);
		tl_flow_free(flow);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_edits_are_the_differences),
		cmocka_unit_test(more_differences_than_are_listed),
		cmocka_unit_test(a_place_that_is_passed_often_is_one_parting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
