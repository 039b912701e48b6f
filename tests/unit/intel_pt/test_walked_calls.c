/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls one by one, and over time, of traces whose execution is known (walked_calls.h): with time,
 * and without it, where executed instructions are the clock.
 */
#include "../told_timeline.h"
#include "walked_calls.h"

#include "intel_pt/calls/source.h"
#include "intel_pt/listing/timeline.h"
#include "timeline/calls/stream.h"
#include "timeline/index/index.h"

enum { THREADS = 3, BEGIN = 5000 };

static struct walked walks[THREADS];
static struct walked_calls calls_of[THREADS];
static struct walked_feed feed;

/* Of each trace: how long, one PSB, interrupt and TSC in so many instructions; 0: none. */
static const struct shape {
	size_t steps;
	unsigned psbs, interrupts, times;
} shapes[] = {
	{ 900, 0, 0, 0 },  { 700, 30, 0, 0 },  { 800, 40, 60, 0 },
	{ 900, 0, 0, 10 }, { 700, 30, 70, 5 }, { 5000, 200, 150, 40 },
};

static const struct tl_pt_fold_options folding = { .thread = TL_NOWHERE,
						   .process = TL_NOWHERE,
						   .cpu = TL_NOWHERE };

/* Threads 1 and 2 of process 1 and thread 3 of process 2, each of which begins later. */
static void open_threads(const struct shape *shape, uint32_t seed)
{
	open_walked(&feed);
	feed.feed.timed = shape->times != 0;
	feed.feed.frequency = 1000;
	for (unsigned i = 0; i < THREADS; i++) {
		struct tl_pt_trace_slice *slice;

		if (shape->times)
			walk_timed(&walks[i], seed + i, shape->steps, shape->psbs,
				   shape->interrupts, shape->times, BEGIN + 100 * i);
		else
			walk(&walks[i], seed + i, shape->steps, shape->psbs, shape->interrupts);
		walked_calls_of(&calls_of[i], &walks[i]);
		slice = add_walked(&feed, &walks[i], i, 0, walks[i].size);
		slice->process = i < 2 ? 1 : 2;
		slice->command = i == 1 ? "worker" : "";
	}
}

/* ---- one by one ---- */

static uint64_t selves[MOST_STEPS];

static void add_self(void *arg, int call, uint64_t from, uint64_t to)
{
	(void)arg;
	selves[call] += to - from;
}

struct wanted_calls {
	const char *function; /* the filter; NULL: none */
	bool accepted[FUNCTIONS_WALKED];
	uint64_t thread; /* TL_NOWHERE: all */
};

/* The calls of one thread, each behind its caller. */
static void assert_thread(struct tl_calls *calls, const struct walked_calls *known,
			  const struct wanted_calls *wanted, unsigned thread, uint64_t *next)
{
	static uint64_t ids[MOST_STEPS];

	memset(selves, 0, sizeof(selves));
	walked_each_time(known, add_self, NULL);
	for (size_t i = 0; i < known->count; i++) {
		const struct walked_call *k = &known->list[i];
		struct tl_call_function function;
		const struct tl_call *call;

		ids[i] = k->around < 0 ? TL_NOWHERE : ids[k->around];
		if (!wanted->accepted[k->function])
			continue;
		assert_int_equal(tl_calls_next(calls, &call, NULL), 1);
		assert_int_equal(call->id, *next);
		assert_int_equal(call->parent, ids[i]);
		ids[i] = (*next)++;
		assert_int_equal(call->thread, thread + 1);
		assert_int_equal(call->process, thread < 2 ? 1 : 2);
		assert_int_equal(call->depth, k->depth);
		assert_int_equal(call->start, k->begin);
		assert_int_equal(call->end, k->end);
		assert_int_equal(call->self, selves[i]);
		assert_int_equal(call->flags, 0);
		assert_int_equal(
			tl_calls_function(calls, call->function, &function, sizeof(function), NULL),
			0);
		assert_string_equal(function.name, walked_functions[k->function].name);
		assert_string_equal(function.object, "prog");
		assert_int_equal(function.address, walked_functions[k->function].entry);
	}
}

static void assert_calls(const struct wanted_calls *wanted)
{
	struct tl_pt_fold_options options = folding;
	struct tl_pt_faults faults = { 0 };
	struct tl_call_source source;
	struct tl_calls_info info;
	const struct tl_call *call;
	struct tl_calls *calls;
	uint64_t next = 0;

	options.thread = wanted->thread;
	assert_int_equal(tl_pt_call_source(&feed.feed, &options, &faults, wanted->function, NULL,
					   &source, NULL),
			 0);
	assert_int_equal(source.filtered, wanted->function != NULL);
	assert_int_equal(tl_calls_open(&calls, &source,
				       &(struct tl_calls_options){ .to = TL_NOWHERE }, NULL),
			 0);
	assert_int_equal(tl_calls_info(calls, &info, sizeof(info)), 0);
	assert_int_equal(info.clock, walks[0].times ? TL_CALL_TICKS : TL_CALL_INSTRUCTIONS);
	assert_int_equal(info.frequency, walks[0].times ? 1000 : 0);
	assert_int_equal(info.origin, walks[0].times ? BEGIN : 0);
	for (unsigned i = 0; i < THREADS; i++)
		if (wanted->thread == TL_NOWHERE || wanted->thread == i + 1)
			assert_thread(calls, &calls_of[i], wanted, i, &next);
	assert_int_equal(tl_calls_next(calls, &call, NULL), 0);
	tl_calls_close(calls);
	assert_int_equal(faults.count, 0);
	tl_pt_faults_free(&faults);
}

static const struct wanted_calls choices[] = {
	{ NULL, { true, true, true, true, true }, TL_NOWHERE },
	{ "^[ab]$", { false, true, true, false, false }, TL_NOWHERE },
	{ "main|handler", { true, false, false, false, true }, 2 },
	{ NULL, { true, true, true, true, true }, 3 },
};

TEST(calls_are_those_that_were_made)
{
	for (size_t shape = 0; shape < COUNT(shapes); shape++)
		for (uint32_t seed = 1; seed < 60; seed += 20) {
			open_threads(&shapes[shape], seed);
			for (size_t i = 0; i < COUNT(choices); i++)
				assert_calls(&choices[i]);
			close_walked(&feed);
		}
}

/* ---- an index of them ---- */

/* The calls that are open at a time: those that have begun by then, and not ended before. */
static void assert_stack(struct tl_call_cursor *cursor, const struct walked_calls *known,
			 size_t track, uint64_t ticks)
{
	struct tl_call_window window;
	size_t depth = 0;

	for (size_t i = 0; i < known->count; i++)
		/* where one ends and another begins, either may be told */
		if (known->list[i].begin == ticks || known->list[i].end == ticks)
			return;
	assert_int_equal(tl_call_cursor_stack(cursor, track, ticks, &window, sizeof(window), NULL),
			 0);
	for (size_t i = 0; i < known->count; i++) {
		const struct walked_call *k = &known->list[i];

		if (k->begin > ticks || k->end < ticks)
			continue;
		assert_true(depth < window.count);
		assert_int_equal(window.items[depth].start, k->begin);
		assert_int_equal(window.items[depth].end, k->end);
		assert_int_equal(window.items[depth].depth, k->depth);
		depth++;
	}
	assert_int_equal(window.count, depth);
}

TEST(an_index_knows_what_was_open)
{
	for (size_t shape = 0; shape < COUNT(shapes); shape += 2) {
		struct tl_pt_faults faults = { 0 };
		struct tl_call_source source;
		struct tl_call_cursor *cursor;
		struct tl_call_index *index;

		open_threads(&shapes[shape], 300);
		assert_int_equal(
			tl_pt_call_source(&feed.feed, &folding, &faults, NULL, NULL, &source, NULL),
			0);
		assert_int_equal(tl_call_index_open(&index, &source, NULL), 0);
		assert_int_equal(tl_call_cursor_open(&cursor, index, NULL), 0);
		for (unsigned i = 0; i < THREADS; i++) {
			struct tl_call_track_info info;

			assert_int_equal(tl_call_index_track(index, i, &info, sizeof(info)), 1);
			assert_int_equal(info.calls, calls_of[i].count);
			assert_int_equal(info.thread, i + 1);
			assert_int_equal(info.first, walked_clock(&walks[i], 0));
			assert_int_equal(info.last, walked_clock(&walks[i], walks[i].count));
			assert_int_equal(info.gaps, 0);
			for (uint64_t at = info.first; at < info.last; at += 1 + at % 7)
				assert_stack(cursor, &calls_of[i], i, at);
		}
		tl_call_cursor_close(cursor);
		tl_call_index_close(index);
		tl_pt_faults_free(&faults);
		close_walked(&feed);
	}
}

/* ---- a timeline ---- */

struct drawn_timeline {
	uint32_t depth;
	const char *function, *object;
	bool accepted[FUNCTIONS_WALKED];
	uint64_t from, to; /* of time; 0: open */
};

static bool is_drawn(const struct drawn_timeline *t, const struct walked_calls *known,
		     const struct walked_call *call)
{
	return t->accepted[call->function] && (!t->depth || call->depth < t->depth) &&
	       (!known->walk->times || (call->begin >= t->from && (!t->to || call->begin < t->to)));
}

static void tell_name(struct tl_output *out, unsigned thread)
{
	const int process = thread < 2 ? 1 : 2;

	tl_put_format(out, "name %d/-1 process %d\n", process, process);
	if (thread == 1)
		tl_put_format(out, "name %d/2 worker\n", process);
	else
		tl_put_format(out, "name %d/%u thread %u\n", process, thread + 1, thread + 1);
}

static void tell_leave(struct tl_output *out, unsigned thread, uint64_t ticks)
{
	tl_put_format(out, "leave %u ", thread + 1);
	tl_put_u64(out, ticks);
	tl_put_char(out, '\n');
}

/* Calls that do not end are ended with the trace, the innermost one first. */
static void tell_open(struct tl_output *out, const struct drawn_timeline *t, unsigned thread)
{
	const struct walked_calls *known = &calls_of[thread];
	const struct walked *w = known->walk;

	for (int at = known->of_step[w->count - 1]; at >= 0; at = known->list[at].around)
		if (is_drawn(t, known, &known->list[at]))
			tell_leave(out, thread, walked_clock(w, w->count));
}

static void tell_thread(struct tl_output *out, const struct drawn_timeline *t, unsigned thread)
{
	const struct walked_calls *known = &calls_of[thread];

	tell_name(out, thread);
	for (size_t i = 0; i < known->change_count; i++) {
		const struct walked_call *call = &known->list[known->changes[i].call];

		if (!is_drawn(t, known, call))
			continue;
		if (known->changes[i].end) {
			tell_leave(out, thread, call->end);
			continue;
		}
		tl_put_format(out, "enter %u ", thread + 1);
		tl_put_u64(out, call->begin);
		tl_put_format(out, " %s\n", walked_functions[call->function].name);
	}
}

static void assert_timeline(const struct drawn_timeline *t)
{
	const struct tl_pt_timeline_options options = {
		.fold = { .thread = TL_NOWHERE,
			  .process = TL_NOWHERE,
			  .cpu = TL_NOWHERE,
			  .from_ticks = t->from,
			  .to_ticks = t->to },
		.depth = t->depth,
		.function = t->function,
		.object = t->object,
	};
	struct tl_pt_faults faults = { 0 };
	struct tl_output *seen, *wanted;
	struct tl_timeline *timeline;

	assert_int_equal(tl_output_open_memory(&seen, NULL), 0);
	assert_int_equal(tl_output_open_memory(&wanted, NULL), 0);
	timeline = tl_timeline_new(&told_ops, seen);
	assert_non_null(timeline);
	assert_int_equal(tl_pt_timeline(&feed.feed, &options, &faults, timeline, NULL), 0);
	assert_true(tl_timeline_finish(timeline, NULL) >= 0);
	/* a clock of an unknown frequency is one of nanoseconds */
	tl_put_format(wanted, "begin %u\n", walks[0].times ? 1000u : 1000000000u);
	for (unsigned i = 0; i < THREADS; i++)
		tell_thread(wanted, t, i);
	for (unsigned i = 0; i < THREADS; i++)
		tell_open(wanted, t, i);
	tl_put_format(wanted, "end, origin %u\n", walks[0].times ? (unsigned)BEGIN : 0);
	assert_string_equal(told_text(seen), told_text(wanted));
	tl_output_discard(seen);
	tl_output_discard(wanted);
	tl_pt_faults_free(&faults);
}

#define ALL { true, true, true, true, true }

static const struct drawn_timeline timelines[] = {
	{ 0, NULL, NULL, ALL, 0, 0 },
	{ 2, NULL, "^prog$", ALL, 0, 0 },
	{ 0, "^(a|handler)$", NULL, { false, true, false, false, true }, 0, 0 },
	{ 3, "[bc]", "o", { false, false, true, true, false }, 0, 0 },
	{ 0, NULL, "other", { false }, 0, 0 },
	{ 0, NULL, NULL, ALL, BEGIN + 300, 0 },
	{ 4, "^[abc]$", NULL, { false, true, true, true }, BEGIN + 123, 0 },
};

TEST(timelines_have_the_calls_that_were_made)
{
	for (size_t shape = 0; shape < COUNT(shapes); shape++)
		for (size_t i = 0; i < COUNT(timelines); i++) {
			/* without time there is no window */
			if (!shapes[shape].times && timelines[i].from)
				continue;
			open_threads(&shapes[shape], 500 + (uint32_t)i);
			assert_timeline(&timelines[i]);
			close_walked(&feed);
		}
}

/* Patterns that are none are refused, and nothing is begun. */
TEST(patterns_that_are_none)
{
	const struct tl_pt_timeline_options options = { .fold = folding, .function = "(" };
	struct tl_pt_faults faults = { 0 };
	struct tl_call_source source;
	struct tl_timeline *timeline;
	struct tl_error err;
	struct tl_output *out;
	size_t size;

	open_threads(&shapes[0], 1);
	assert_int_equal(tl_pt_call_source(&feed.feed, &folding, &faults, NULL, "[", &source, &err),
			 TL_BAD_USAGE);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	timeline = tl_timeline_new(&told_ops, out);
	assert_int_equal(tl_pt_timeline(&feed.feed, &options, &faults, timeline, &err),
			 TL_BAD_USAGE);
	assert_int_equal(tl_timeline_finish(timeline, NULL), 1);
	tl_output_bytes(out, &size);
	assert_int_equal(size, 0);
	tl_output_discard(out);
	close_walked(&feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_those_that_were_made),
		cmocka_unit_test(an_index_knows_what_was_open),
		cmocka_unit_test(timelines_have_the_calls_that_were_made),
		cmocka_unit_test(patterns_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
