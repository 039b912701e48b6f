/* SPDX-License-Identifier: Apache-2.0 */
/* Windows, stacks and searches of an index, against a naive list of the same calls. */
#include "calls.h"

#include "timeline/index/index.h"

struct asked {
	struct made_calls made;
	struct tl_call_index *index;
	struct tl_call_cursor *cursor;
	uint64_t first, last;
};

static void begin(struct asked *a, size_t shape)
{
	const struct tl_call_source source = { .ops = &made_ops, .handle = &a->made };
	struct tl_error err;

	*a = (struct asked){ .made = made_shapes[shape] };
	make_calls(&a->made);
	assert_int_equal(tl_call_index_open(&a->index, &source, &err), 0);
	assert_int_equal(tl_call_cursor_open(&a->cursor, a->index, &err), 0);
	a->first = a->made.all[0].ticks;
	a->last = a->made.end;
}

static void end(struct asked *a)
{
	tl_call_cursor_close(a->cursor);
	tl_call_index_close(a->index);
	free_made(&a->made);
}

static struct tl_call_window ask(struct asked *a, const struct tl_call_query *query)
{
	struct tl_call_window window;
	struct tl_error err;

	assert_int_equal(tl_call_cursor_window(a->cursor, query, &window, sizeof(window), &err), 0);
	assert_true(window.count <= 20000);
	return window;
}

static bool touches(const struct tl_leaf_call *call, const struct tl_call_query *query)
{
	return call->start < query->to && call->end >= query->from;
}

static uint64_t duration(const struct asked *a, const struct tl_leaf_call *call)
{
	return (call->end == TL_NOWHERE ? a->last : call->end) - call->start;
}

static int compare(const void *x, const void *y)
{
	const struct tl_leaf_call *a = *(const struct tl_leaf_call *const *)x,
				  *b = *(const struct tl_leaf_call *const *)y;

	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return a->function == b->function ? 0 : a->function < b->function ? -1 : 1;
}

/* The calls of the list that an answer must have as they are, in its order. */
static size_t wanted_calls(struct asked *a, const struct tl_call_query *query, uint64_t least,
			   const struct tl_leaf_call **wanted)
{
	size_t count = 0;

	for (size_t i = 0; i < a->made.count; i++)
		if (touches(&a->made.calls[i], query) &&
		    (!query->rows || a->made.calls[i].depth < query->rows) &&
		    duration(a, &a->made.calls[i]) >= least)
			wanted[count++] = &a->made.calls[i];
	qsort(wanted, count, sizeof(*wanted), compare);
	return count;
}

static void compare_calls(struct asked *a, const struct tl_call_query *query, bool whole)
{
	struct tl_call_window window = ask(a, query);
	const struct tl_leaf_call **wanted = calloc(a->made.count, sizeof(*wanted));
	size_t count = wanted_calls(a, query, window.pixel, wanted), exact = 0;

	if (whole)
		assert_true(window.pixel == 0 && !window.coarse);
	for (size_t i = 0; i < window.count; i++) {
		const struct tl_call_item *item = &window.items[i];

		if (item->count)
			continue;
		assert_true(exact < count);
		assert_true(item->start == wanted[exact]->start);
		assert_true(item->end == wanted[exact]->end);
		assert_int_equal(item->depth, wanted[exact]->depth);
		if (whole)
			assert_int_equal(item->function, wanted[exact]->function);
		/* Items of tiles have none. */
		if (whole || item->self)
			assert_true(item->self == wanted[exact]->self);
		exact++;
	}
	assert_int_equal(exact, count);
	free(wanted);
}

static struct tl_call_query random_window(struct asked *a, uint32_t share)
{
	uint32_t span = (uint32_t)(a->last - a->first);
	uint64_t from = a->first + draw(&a->made, span);

	return (struct tl_call_query){ .size = sizeof(struct tl_call_query),
				       .from = from,
				       .to = from + 1 + draw(&a->made, span / share + 1),
				       .pixels = UINT32_MAX };
}

TEST(at_full_zoom_a_window_has_exactly_the_calls_of_the_list)
{
	for (size_t shape = 0; shape < MADE_SHAPES; shape++) {
		struct asked a;

		begin(&a, shape);
		for (int i = 0; i < 200; i++) {
			struct tl_call_query query = random_window(&a, i & 1 ? 1000 : 10);

			query.rows = TL_FRAME_ROWS;
			compare_calls(&a, &query, true);
		}
		end(&a);
	}
}

TEST(short_windows_have_deep_calls_as_they_are)
{
	for (size_t shape = 1; shape < MADE_SHAPES; shape++) {
		struct asked a;
		size_t deep = 0;

		begin(&a, shape);
		for (int i = 0; i < 100; i++) {
			struct tl_call_query query = random_window(&a, 1);

			query.to = query.from + 1 + draw(&a.made, 60);
			compare_calls(&a, &query, true);
			for (size_t n = 0; n < a.cursor->item_count; n++)
				deep += a.cursor->items[n].depth >= TL_FRAME_ROWS;
		}
		assert_true(deep > 100);
		end(&a);
	}
}

/* "No call of a pixel or more in rows 0 to 127 is missing at any level." */
TEST(calls_of_a_pixel_or_more_are_exact_at_every_level)
{
	for (size_t shape = 0; shape < MADE_SHAPES; shape++) {
		struct asked a;

		begin(&a, shape);
		for (int i = 0; i < 200; i++) {
			struct tl_call_query query = random_window(&a, 1 + draw(&a.made, 50));

			query.rows = TL_FRAME_ROWS;
			query.pixels = 1 + draw(&a.made, 300);
			compare_calls(&a, &query, false);
		}
		end(&a);
	}
}

/* Every call is in the answer for the whole trace once: as it is, or in a summary. */
TEST(the_whole_trace_counts_every_call_once)
{
	for (size_t shape = 0; shape < MADE_SHAPES; shape++) {
		struct asked a;
		uint64_t calls = 0, wanted = 0;

		begin(&a, shape);
		for (uint32_t pixels = 1; pixels < 2000; pixels += 400) {
			const struct tl_call_query query = { .size = sizeof(query),
							     .to = TL_NOWHERE,
							     .pixels = pixels,
							     .rows = TL_FRAME_ROWS };
			struct tl_call_window window = ask(&a, &query);

			for (size_t i = 0; i < window.count; i++)
				calls += window.items[i].count ? window.items[i].count : 1;
			for (size_t i = 0; i < a.made.count; i++)
				wanted += a.made.calls[i].depth < TL_FRAME_ROWS;
			assert_true(calls == wanted);
		}
		end(&a);
	}
}

TEST(too_many_items_make_the_answer_coarse)
{
	struct tl_call_query query = { .size = sizeof(query), .pixels = UINT32_MAX, .items = 500 };
	struct asked a;

	begin(&a, 0);
	query.to = a.last;
	assert_true(ask(&a, &query).coarse);
	assert_true(a.cursor->item_count <= 500 && a.cursor->item_count > 50);
	end(&a);
}

/* For 4,000 items twenty leaves of 4,000 calls may be decoded, but not sixty. */
/* A row has an item at any pixel: where rows alone are too many, the deep ones become one. */
TEST(more_deep_rows_than_items_are_one_row)
{
	for (size_t shape = 1; shape < MADE_SHAPES; shape++) {
		struct asked a;
		size_t coarse = 0;

		begin(&a, shape);
		for (int i = 0; i < 50; i++) {
			struct tl_call_query query = random_window(&a, 1);
			struct tl_call_window window;
			struct tl_error err;

			query.to = query.from + 1 + draw(&a.made, 60);
			query.items = TL_FRAME_ROWS + 22;
			assert_int_equal(tl_call_cursor_window(a.cursor, &query, &window,
							       sizeof(window), &err),
					 0);
			assert_true(window.count && window.count <= query.items);
			assert_true(window.pixel <= 4 * (query.to - query.from));
			coarse += window.coarse;
		}
		assert_true(coarse);
		end(&a);
	}
}

TEST(what_takes_long_to_decode_makes_the_answer_coarse)
{
	struct made_calls made = { .seed = 5,
				   .steps = 100 * TL_LEAF_STEPS,
				   .whole_leaves = true,
				   .deepest = 90,
				   .swing = 300 };
	const struct tl_call_source source = { .ops = &made_ops, .handle = &made };
	struct tl_call_query query = {
		.size = sizeof(query), .pixels = 2, .rows = 1, .items = 4000
	};
	struct asked a = { .index = NULL };
	struct tl_call_window window;
	struct tl_error err;
	uint64_t leaf;

	make_calls(&made);
	assert_int_equal(tl_call_index_open(&a.index, &source, &err), 0);
	assert_int_equal(tl_call_cursor_open(&a.cursor, a.index, &err), 0);
	a.last = made.end;
	leaf = (a.last - made.all[0].ticks) / 100;
	query.from = made.all[0].ticks + 10 * leaf;
	/* So many pixels that a leaf is not finer in its tile. */
	for (uint64_t leaves = 1; leaves <= 64; leaves *= 8) {
		query.to = query.from + leaves * leaf;
		query.pixels = (uint32_t)(query.to - query.from) / 4;
		window = ask(&a, &query);
		assert_int_equal(window.coarse, leaves > 8);
		assert_true(window.coarse ? window.pixel > 4 : window.pixel == 4);
	}
	tl_call_cursor_close(a.cursor);
	tl_call_index_close(a.index);
	free_made(&made);
}

/* Calls of a pixel or more are all there, however wide the pixel became; also deep ones. */
TEST(a_coarse_answer_has_every_call_of_its_pixel)
{
	for (uint32_t deepest = 40; deepest <= 400; deepest += 360) {
		struct asked a = { .made = { .seed = 6,
					     .steps = 3 * TL_LEAF_STEPS,
					     .whole_leaves = true,
					     .deepest = deepest,
					     .swing = deepest } };
		const struct tl_call_source source = { .ops = &made_ops, .handle = &a.made };
		struct tl_error err;
		size_t coarse = 0;

		make_calls(&a.made);
		assert_int_equal(tl_call_index_open(&a.index, &source, &err), 0);
		assert_int_equal(tl_call_cursor_open(&a.cursor, a.index, &err), 0);
		a.first = a.made.all[0].ticks;
		a.last = a.made.end;
		for (uint32_t i = 0; i < 60; i++) {
			struct tl_call_query query = random_window(&a, 1 + i % 9);

			query.items = 2 * deepest + draw(&a.made, 3000);
			coarse += ask(&a, &query).coarse;
			compare_calls(&a, &query, false);
		}
		assert_true(coarse > 15 && coarse < 60);
		end(&a);
	}
}

/*
 * Functions that are open where a leaf begins. Of a shallow trace the frames tell most of them: no
 * leaf is scanned.
 */
TEST(open_functions_of_each_leaf_are_those_of_the_list)
{
	size_t scanned = 0, asked = 0;

	for (size_t shape = 0; shape < MADE_SHAPES; shape++) {
		const struct tl_call_track *track;
		struct tl_error err;
		struct asked a;

		begin(&a, shape);
		track = tl_call_index_at(a.index, 0);
		for (size_t leaf = 1; leaf < track->leaf_count; leaf += shape == 2 ? 13 : 1) {
			size_t call = (size_t)track->leaves[leaf].first_call;

			a.cursor->other.depth = UINT32_MAX;
			assert_int_equal(tl_cursor_open_functions(a.cursor, track, leaf, &err), 0);
			asked += shape == 0;
			scanned += shape == 0 && a.cursor->other.depth != UINT32_MAX;
			for (uint32_t depth = track->leaves[leaf].depth; depth-- > 0;) {
				while (a.made.calls[--call].depth != depth)
					;
				assert_int_equal(a.cursor->deep[depth].function,
						 a.made.calls[call].function);
			}
		}
		end(&a);
	}
	assert_true(scanned < asked / 5);
}

TEST(the_stack_at_a_time_is_that_of_the_list)
{
	for (size_t shape = 0; shape < MADE_SHAPES; shape++) {
		struct asked a;

		begin(&a, shape);
		for (int i = 0; i < 50; i++) {
			uint64_t at = random_window(&a, 1).from;
			struct tl_call_window stack;
			struct tl_error err;
			size_t depth = 0;

			assert_int_equal(
				tl_call_cursor_stack(a.cursor, 0, at, &stack, sizeof(stack), &err),
				0);
			for (size_t n = 0; n < a.made.count; n++) {
				const struct tl_leaf_call *call = &a.made.calls[n];

				if (call->start > at || call->end <= at)
					continue;
				assert_true(depth < stack.count);
				assert_true(stack.items[depth].start == call->start);
				assert_int_equal(stack.items[depth].depth, depth);
				assert_int_equal(stack.items[depth++].function, call->function);
			}
			assert_int_equal(depth, stack.count);
		}
		end(&a);
	}
}

/* In the order of begin: calls of one tick have an order, too. */
static void compare_search(struct asked *a, uint64_t at, uint32_t function)
{
	const struct tl_leaf_call *next = NULL, *previous = NULL;
	struct tl_call_item item;
	struct tl_error err;

	for (size_t i = 0; i < a->made.count; i++) {
		const struct tl_leaf_call *call = &a->made.calls[i];

		if (call->function != function)
			continue;
		if (call->start < at)
			previous = call;
		else if (!next)
			next = call;
	}
	assert_int_equal(tl_call_cursor_next(a->cursor, 0, function, at, &item, sizeof(item), &err),
			 next != NULL);
	if (next)
		assert_true(item.start == next->start && item.end == next->end &&
			    item.depth == next->depth && item.self == next->self);
	assert_int_equal(
		tl_call_cursor_previous(a->cursor, 0, function, at, &item, sizeof(item), &err),
		previous != NULL);
	if (previous)
		assert_true(item.start == previous->start && item.end == previous->end &&
			    item.depth == previous->depth && item.self == previous->self);
}

TEST(the_next_and_the_previous_call_of_a_function_are_found)
{
	for (size_t shape = 0; shape < MADE_SHAPES; shape++) {
		struct asked a;

		begin(&a, shape);
		for (int i = 0; i < 100; i++)
			compare_search(&a, random_window(&a, 1).from, draw(&a.made, 42));
		compare_search(&a, 0, 3);
		compare_search(&a, TL_NOWHERE, 3);
		end(&a);
	}
}

/* Begins and ends at random, as the naive list's source has them; up to 64 calls are open. */
static void make_walk(struct made_calls *made)
{
	uint32_t depth = 0;
	uint64_t now = 0;

	made->all = calloc(made->steps, sizeof(*made->all));
	assert_non_null(made->all);
	for (size_t i = 0; i < made->steps; i++) {
		bool end = depth && (depth == 64 || draw(made, 1000) < 500);

		made->all[made->all_count++] = (struct tl_step){
			.ticks = now, .function = end ? 0 : draw(made, 100000), .end = end
		};
		now += draw(made, 180);
		depth += end ? UINT32_MAX : 1;
	}
}

static void index_is_a_small_share(struct made_calls *made)
{
	const struct tl_call_source source = { .ops = &made_ops, .handle = made };
	struct tl_call_track_info info;
	struct tl_call_index *index;
	struct tl_error err;

	made->whole_leaves = true;
	assert_int_equal(tl_call_index_open(&index, &source, &err), 0);
	assert_int_equal(tl_call_index_track(index, 0, &info, sizeof(info)), 1);
	assert_true(info.index_bytes <= made->steps * 8 * 3 / 100);
	tl_call_index_close(index);
	free_made(made);
}

/* "At most 3 % of an XRay input", whose records have 8 bytes: also of threads with few of them. */
TEST(an_index_is_a_small_share_of_short_and_of_long_threads)
{
	static const size_t lengths[] = { 2000, 5000, 20000, 100000, 400000 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct made_calls made = {
			.seed = 5, .steps = lengths[i], .leaf = 1, .deepest = 9, .swing = 4
		};

		make_calls(&made);
		index_is_a_small_share(&made);
	}
}

/* "From 16 MB on", of 100,000 functions in any order, where many calls cross each leaf. */
TEST(an_index_is_a_small_share_of_calls_at_random)
{
	struct made_calls made = { .seed = 5, .steps = 2000000 };

	make_walk(&made);
	index_is_a_small_share(&made);
}

/*
 * "The last leaf that begins at or before a time, the first one if none does"; "the first leaf in
 * which a step may be at or behind a time": one that begins earlier may end then.
 */
TEST(leaves_are_found_by_time)
{
	enum { LEAVES = 60 };
	struct tl_call_leaf leaves[LEAVES] = { { 0 } };
	struct tl_call_track track = { .leaves = leaves };
	struct made_calls drawn = { .seed = 9 };

	for (size_t count = 0; count <= LEAVES; count++) {
		uint64_t ticks = 100;

		/* many of them at the same time */
		for (size_t i = 0; i < count; i++)
			leaves[i].ticks = ticks += draw(&drawn, 3) * draw(&drawn, 4);
		track.leaf_count = count;
		for (uint64_t at = 95; at < ticks + 5; at++) {
			size_t last = 0, before = 0;

			for (size_t i = 0; i < count; i++) {
				last = leaves[i].ticks <= at ? i : last;
				before = leaves[i].ticks < at ? i : before;
			}
			if (count)
				assert_int_equal(tl_leaf_at(&track, at), last);
			assert_int_equal(tl_leaf_before(&track, at), before);
		}
	}
}

/* Gaps by number, and nothing behind the last; a size that is too small is refused. */
TEST(gaps_are_told_by_number)
{
	struct tl_call_gap gaps[3] = { { .from = 5, .to = 7, .count = 1, .text = "a" },
				       { .from = 9, .to = 9, .count = 2, .text = "b" },
				       { .from = 12, .to = 20, .count = 3, .text = "c" } };
	struct tl_call_gap gap;
	struct asked a;
	struct tl_call_track *track;

	begin(&a, 0);
	track = a.index->tracks.list[0];
	assert_int_equal(tl_call_index_gap(a.index, 0, 0, &gap, sizeof(gap)), 0);
	track->gaps.list = gaps;
	track->gaps.count = 3;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(tl_call_index_gap(a.index, 0, i, &gap, sizeof(gap)), 1);
		assert_int_equal(gap.from, gaps[i].from);
		assert_int_equal(gap.to, gaps[i].to);
		assert_int_equal(gap.count, gaps[i].count);
		assert_string_equal(gap.text, gaps[i].text);
	}
	assert_int_equal(tl_call_index_gap(a.index, 0, 3, &gap, sizeof(gap)), 0);
	assert_int_equal(tl_call_index_gap(a.index, 1, 0, &gap, sizeof(gap)), 0);
	assert_int_equal(tl_call_index_gap(a.index, 0, 0, &gap, sizeof(gap) - 1), TL_BAD_USAGE);
	track->gaps.list = NULL;
	track->gaps.count = 0;
	end(&a);
}

TEST(what_is_not_there_is_refused)
{
	struct tl_call_query query = { .size = sizeof(query), .to = 10, .pixels = 1 };
	struct tl_call_track_info info;
	struct tl_call_window window;
	struct tl_error err;
	struct asked a;

	begin(&a, 0);
	query.track = 1;
	assert_int_equal(tl_call_cursor_window(a.cursor, &query, &window, sizeof(window), &err),
			 TL_BAD_USAGE);
	query.track = query.pixels = 0;
	assert_int_equal(tl_call_cursor_window(a.cursor, &query, &window, sizeof(window), &err),
			 TL_BAD_USAGE);
	assert_int_equal(tl_call_index_track(a.index, 1, &info, sizeof(info)), 0);
	assert_int_equal(tl_call_index_track(a.index, 0, &info, sizeof(info)), 1);
	assert_true(info.calls == a.made.count && info.process == 1 && info.thread == 2);
	assert_true(info.first == a.first && info.last == a.last);
	end(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_full_zoom_a_window_has_exactly_the_calls_of_the_list),
		cmocka_unit_test(short_windows_have_deep_calls_as_they_are),
		cmocka_unit_test(calls_of_a_pixel_or_more_are_exact_at_every_level),
		cmocka_unit_test(the_whole_trace_counts_every_call_once),
		cmocka_unit_test(too_many_items_make_the_answer_coarse),
		cmocka_unit_test(more_deep_rows_than_items_are_one_row),
		cmocka_unit_test(what_takes_long_to_decode_makes_the_answer_coarse),
		cmocka_unit_test(a_coarse_answer_has_every_call_of_its_pixel),
		cmocka_unit_test(open_functions_of_each_leaf_are_those_of_the_list),
		cmocka_unit_test(the_stack_at_a_time_is_that_of_the_list),
		cmocka_unit_test(the_next_and_the_previous_call_of_a_function_are_found),
		cmocka_unit_test(an_index_is_a_small_share_of_short_and_of_long_threads),
		cmocka_unit_test(an_index_is_a_small_share_of_calls_at_random),
		cmocka_unit_test(leaves_are_found_by_time),
		cmocka_unit_test(gaps_are_told_by_number),
		cmocka_unit_test(what_is_not_there_is_refused),
	};

	return cmocka_run_group_tests_name("timeline index", tests, NULL, NULL);
}
