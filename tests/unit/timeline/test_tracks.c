/* SPDX-License-Identifier: Apache-2.0 */
/* Calls cut into leaves, and put together again, against a naive list of them. */
#include "calls.h"

static struct tl_calls *open_made(struct made_calls *m, bool filtered,
				  struct tl_calls_options options)
{
	const struct tl_call_source source = { .ops = &made_ops,
					       .handle = m,
					       .filtered = filtered };
	struct tl_calls *calls;
	struct tl_error err;

	options.to = options.to ? options.to : TL_NOWHERE;
	assert_int_equal(tl_calls_open(&calls, &source, &options, &err), 0);
	return calls;
}

/* Every call of the list that passes comes next, and no other. */
static void compare_all(struct made_calls *m, bool filtered, struct tl_calls_options options)
{
	struct tl_calls *calls = open_made(m, filtered, options);
	const struct tl_call *call;
	struct tl_error err;
	uint64_t to = options.to ? options.to : TL_NOWHERE, told = 0;
	uint64_t *ids = calloc(m->deepest + 1, sizeof(*ids));

	for (size_t i = 0; i < m->count; i++) {
		const struct tl_leaf_call *wanted = &m->calls[i];
		uint64_t parent = wanted->depth ? ids[wanted->depth - 1] : TL_NOWHERE;

		ids[wanted->depth] = parent;
		if (wanted->start >= to || wanted->end < options.from ||
		    (filtered && wanted->function % 3 == 0))
			continue;
		ids[wanted->depth] = told;
		assert_int_equal(tl_calls_next(calls, &call, &err), 1);
		assert_true(call->start == wanted->start && call->end == wanted->end);
		assert_true(call->self == wanted->self && call->depth == wanted->depth);
		assert_true(call->function == wanted->function && call->flags == 0);
		assert_true(call->id == told++ && call->parent == parent);
		assert_true(call->process == 1 && call->thread == 2);
	}
	assert_int_equal(tl_calls_next(calls, &call, &err), 0);
	assert_int_equal(tl_calls_next(calls, &call, &err), 0);
	tl_calls_close(calls);
	free(ids);
}

TEST(all_calls_come_in_the_order_of_their_begin)
{
	for (size_t i = 0; i < MADE_SHAPES; i++) {
		struct made_calls m = made_shapes[i];

		make_calls(&m);
		compare_all(&m, false, (struct tl_calls_options){ .from = 0 });
		compare_all(&m, true, (struct tl_calls_options){ .from = 0 });
		free_made(&m);
	}
}

TEST(a_window_has_the_calls_that_are_open_in_it)
{
	for (size_t i = 0; i < MADE_SHAPES; i++) {
		struct made_calls m = made_shapes[i];
		uint64_t end;

		make_calls(&m);
		end = m.all[m.all_count - 1].ticks - 1000;
		for (int n = 0; n < 12; n++) {
			uint64_t from = 1000 + draw(&m, (uint32_t)end);

			compare_all(&m, n & 1,
				    (struct tl_calls_options){ .from = from,
							       .to = from + 1 + draw(&m, 5000) });
		}
		free_made(&m);
	}
}

TEST(another_track_has_none_of_them)
{
	struct made_calls m = made_shapes[0];
	const struct tl_calls_options other = { .one_track = true, .process = 1, .thread = 3 };
	const struct tl_call *call;
	struct tl_calls *calls;
	struct tl_error err;

	make_calls(&m);
	calls = open_made(&m, false, other);
	assert_int_equal(tl_calls_next(calls, &call, &err), 0);
	tl_calls_close(calls);
	free_made(&m);
}

/* The calls that are open where a leaf begins, found backwards, are those of the list. */
TEST(open_calls_of_a_leaf_are_found_from_behind)
{
	struct made_calls m = made_shapes[1];
	const struct tl_call_source source = { .ops = &made_ops, .handle = &m };
	struct tl_leaf_call *open = calloc(m.deepest, sizeof(*open));
	struct tl_call_tracks tracks;
	struct tl_leaf_reader reader = { .tracks = &tracks };
	struct tl_leaf_scan scan = { 0 };
	struct tl_error err;

	make_calls(&m);
	tl_call_tracks_begin(&tracks, &source, NULL);
	assert_int_equal(build_made(&m, &tracks, &err), 0);
	for (size_t leaf = 1; leaf < tracks.list[0]->leaf_count; leaf += 17) {
		const struct tl_call_leaf *l = &tracks.list[0]->leaves[leaf];
		size_t call = (size_t)l->first_call;

		assert_int_equal(tl_find_begins(&reader, tracks.list[0], leaf, 0, open, l->depth,
						&scan, &err),
				 0);
		for (uint32_t depth = l->depth; depth-- > 0;) {
			while (m.calls[--call].depth != depth)
				;
			assert_true(open[depth].start == m.calls[call].start);
			assert_int_equal(open[depth].function, m.calls[call].function);
		}
	}
	tl_leaf_scan_free(&scan);
	tl_leaf_reader_free(&reader);
	tl_call_tracks_free(&tracks);
	free_made(&m);
	free(open);
}

/* Ten times as many gaps as are kept: together they are all of them, in their order. */
TEST(many_gaps_become_one_with_their_neighbours)
{
	struct tl_call_gaps gaps = { .list = NULL };
	const uint64_t all = 10 * TL_MOST_GAPS;
	uint64_t count = 0, length = 0, after = 0;

	for (uint64_t i = 0; i < all; i++)
		assert_true(tl_call_gaps_add(&gaps, &(struct tl_call_gap){ .from = 10 * i,
									   .to = 10 * i + 3,
									   .offset = i,
									   .length = 2,
									   .count = 1,
									   .text = "x" }));
	assert_true(gaps.count <= TL_MOST_GAPS && gaps.count >= TL_MOST_GAPS / 2);
	for (size_t i = 0; i < gaps.count; i++) {
		const struct tl_call_gap *gap = &gaps.list[i];

		assert_true(gap->from == 10 * gap->offset && gap->offset == count);
		count += gap->count;
		length += gap->length;
		assert_true(gap->from >= after && gap->to == 10 * (count - 1) + 3);
		after = gap->to;
	}
	assert_true(count == all && length == 2 * all);
	tl_call_gaps_free(&gaps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_calls_come_in_the_order_of_their_begin),
		cmocka_unit_test(a_window_has_the_calls_that_are_open_in_it),
		cmocka_unit_test(another_track_has_none_of_them),
		cmocka_unit_test(open_calls_of_a_leaf_are_found_from_behind),
		cmocka_unit_test(many_gaps_become_one_with_their_neighbours),
	};

	return cmocka_run_group_tests_name("timeline tracks", tests, NULL, NULL);
}
