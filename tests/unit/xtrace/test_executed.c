/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks that a stream executed, instruction by instruction, against the steps that were
 * drawn.
 */
#include "drawn_stream.h"

#include "xtrace/executed/executed.h"

static const struct tl_xtrace_executed_options any = { .id = TL_NOWHERE };

/*
 * All blocks of a source: each goes on where the one before ended. Steps before `lost` come first,
 * those from `behind` on follow a gap, if there is one. How many gaps there are.
 */
static size_t assert_steps(struct tl_flow_source *source, size_t behind)
{
	struct tl_flow_list list = { .numbers = NULL };
	size_t at = 0, gaps = 0;
	uint64_t offset = 0;
	int status;

	do
		status = source->next(source->arg, &list, NULL);
	while (status == 1);
	assert_int_equal(status, 0);
	for (size_t i = 0; i < list.count; i++) {
		const struct tl_flow_block *block = &source->blocks->list[list.numbers[i]];
		unsigned last;

		if (!block->count) {
			gaps++;
			assert_true(at <= behind);
			at = behind;
			continue;
		}
		for (uint32_t n = 0; n < block->count; n++, at++) {
			assert_true(at < e.count);
			assert_int_equal(block->address + block->starts[n], e.steps[at].pc);
			/* only the last one is a branch */
			assert_true(n + 1 == block->count || e.steps[at].what != 3);
		}
		last = e.steps[at - 1].what;
		assert_int_equal(block->ends, last == 3 ? TL_FLOW_BRANCH : TL_FLOW_CUT);
		assert_string_equal(block->place.object, "");
		assert_int_equal(block->place.offset, block->address);
	}
	assert_int_equal(at, e.count);
	assert_true(list.mark_count > 0);
	for (size_t i = 0; i < list.mark_count; i++) {
		assert_true(list.marks[i].offset >= offset);
		offset = list.marks[i].offset;
	}
	tl_flow_list_free(&list);
	return gaps;
}

TEST(blocks_are_the_steps_of_the_stream)
{
	static const unsigned snapshots[] = { 0, 70, 333 };

	for (uint32_t seed = 1; seed < 13; seed++) {
		struct tl_flow_source source;
		struct pair p;
		struct trace t;

		draw(seed, seed % 2);
		p = drawn_pair(snapshots[seed % 3]);
		open_trace(&t, &p.stream, seed % 3 ? &p.snapshots : NULL);
		assert_int_equal(tl_xtrace_executed(t.trace, &any, 0, 5, &source, NULL), 1);
		assert_int_equal(assert_steps(&source, 0), 0);
		assert_int_equal(source.process, TL_NOWHERE);
		assert_int_equal(source.close(source.arg), 0);
		assert_int_equal(tl_xtrace_executed(t.trace, &any, 1, 5, &source, NULL), 0);
		assert_no_fault(&t);
		close_trace(&t);
		free_pair(&p);
	}
}

/* "The stream of a number among those that are chosen and not empty." */
TEST(streams_are_chosen)
{
	static const struct {
		uint64_t id;
		size_t found;
	} cases[] = { { TL_NOWHERE, 2 }, { 0, 1 }, { 1, 1 }, { 7, 0 } };
	struct pair pairs[2];
	struct trace t;

	draw(3, true);
	pairs[0] = drawn_pair(100);
	pairs[1] = drawn_pair(0);
	open_pairs(&t, pairs);
	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t number = 0; number <= cases[i].found; number++) {
			const struct tl_xtrace_executed_options options = { .id = cases[i].id };
			struct tl_flow_source source;
			const int status =
				tl_xtrace_executed(t.trace, &options, number, 5, &source, NULL);

			assert_int_equal(status, number < cases[i].found);
			if (!status)
				continue;
			assert_int_equal(source.thread,
					 cases[i].id == TL_NOWHERE ? number : cases[i].id);
			assert_int_equal(assert_steps(&source, 0), 0);
			assert_int_equal(source.close(source.arg), 0);
		}
	close_trace(&t);
	free_pairs(pairs);
}

/* What is damaged goes up to the next snapshot, and is a gap. */
TEST(damage_is_a_gap)
{
	enum { EVERY = 150 };

	for (uint32_t seed = 1; seed < 9; seed++) {
		const size_t damaged = 2 + seed % 5;
		struct tl_flow_source source;
		uint64_t from;
		struct pair p;
		struct trace t;

		draw(seed, seed % 2);
		p = drawn_pair(EVERY);
		/*
		 * the first token behind a snapshot becomes none: a record has its place at byte 8
		 */
		from = 0;
		for (int byte = 7; byte >= 0; byte--)
			from = from << 8 | p.snapshots.data[24 +
							    damaged * ((p.snapshots.size - 24) /
								       ((STEPS - 1) / EVERY + 1)) +
							    8 + (size_t)byte];
		p.stream.data[from] = 0xff;
		open_trace(&t, &p.stream, &p.snapshots);
		assert_int_equal(tl_xtrace_executed(t.trace, &any, 0, 5, &source, NULL), 1);
		assert_int_equal(assert_steps(&source, (damaged + 1) * EVERY), 1);
		assert_int_equal(source.close(source.arg), 0);
		close_trace(&t);
		free_pair(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_the_steps_of_the_stream),
		cmocka_unit_test(streams_are_chosen),
		cmocka_unit_test(damage_is_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
