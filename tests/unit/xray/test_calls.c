/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of each golden trace one by one against its profile, which another loop makes: so many
 * calls of each function, so many unfinished ones, the same durations; and the index of calls
 * against both. Traces in both byte orders, with gaps, of each mode.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../unit.h"

#include <tracelathe/tracelathe.h>

#include "profile/model/unsized.h"

enum { FUNCTIONS = 64 };

static const char *const names[] = {
	"args-fdr", "custom-fdr", "events-fdr-tscwrap", "fib-basic",  "fib-fdr-wrap",
	"fib-fdr",  "forky-1",    "gap-full",           "gap-hole",   "mt-basic",
	"mt8-fdr",  "tail-fdr",   "typed-fdr",          "v1-buffers",
};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

/* What the calls of one function come to. */
struct sum {
	uint64_t id, calls, unfinished, timed, ticks, self;
};

static struct sum sums[FUNCTIONS];
static size_t sum_count;
static uint64_t call_count; /* those that the index counts, too */

static struct sum *sum_of(uint64_t id)
{
	for (size_t i = 0; i < sum_count; i++)
		if (sums[i].id == id)
			return &sums[i];
	assert_true(sum_count < FUNCTIONS);
	sums[sum_count] = (struct sum){ .id = id };
	return &sums[sum_count++];
}

static struct tl_input *open_golden(const char *name, const struct tl_input_filter *filter)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_input *input = NULL;
	struct tl_error err = { .text = "" };
	char path[512];
	const char *paths[] = { path };

	if (filter)
		options.filter = *filter;
	options.jobs = 2;
	snprintf(path, sizeof(path), "%s/tests/golden/xray/%s.xray", getenv("TL_SOURCE_ROOT"),
		 name);
	assert_int_equal(tl_input_open(&input, paths, 1, &options, NULL, &err), 0);
	return input;
}

static void add_call(struct tl_calls *calls, const struct tl_call *call)
{
	struct tl_call_function function;
	struct sum *sum;

	assert_int_equal(
		tl_calls_function(calls, call->function, &function, sizeof(function), NULL), 0);
	call_count++;
	sum = sum_of(function.id);
	sum->self += call->self;
	if (call->flags & TL_CALL_LATE)
		return;
	sum->unfinished += call->end == TL_NOWHERE;
	sum->calls += call->end != TL_NOWHERE;
	if (call->end == TL_NOWHERE || call->flags & TL_CALL_CUT)
		return;
	assert_true(call->end >= call->start);
	sum->timed++;
	sum->ticks += call->end - call->start;
}

/* One call of the columns is the call itself. */
static void compare_columns(const struct tl_call_columns *columns, size_t i,
			    const struct tl_call *call)
{
	assert_int_equal(columns->ids[i], call->id);
	assert_int_equal(columns->parents[i], call->parent);
	assert_int_equal(columns->process, call->process);
	assert_int_equal(columns->thread, call->thread);
	assert_int_equal(columns->starts[i], call->start);
	assert_int_equal(columns->ends[i], call->end);
	assert_int_equal(columns->selves[i], call->self);
	assert_int_equal(columns->depths[i], call->depth);
	assert_int_equal(columns->functions[i], call->function);
	assert_int_equal(columns->flags[i], call->flags);
}

/* The columns have the calls that tl_calls_next() gives to a second reader. */
static void add_columns(struct tl_input *input, struct tl_calls *calls)
{
	const unsigned all = (TL_CALL_FLAGS << 1) - 1;
	struct tl_call_columns columns;
	const struct tl_call *call;
	struct tl_calls *columnar;
	int status;

	assert_int_equal(tl_calls_restart(calls, NULL, NULL), 0);
	assert_int_equal(tl_input_calls(input, NULL, &columnar, NULL), 0);
	assert_int_equal(tl_calls_columns(columnar, all, &columns, sizeof(columns) - 1, NULL),
			 TL_BAD_USAGE);
	while ((status = tl_calls_columns(columnar, all, &columns, sizeof(columns), NULL)) == 1) {
		assert_true(columns.count);
		for (size_t i = 0; i < columns.count; i++) {
			assert_int_equal(tl_calls_next(calls, &call, NULL), 1);
			compare_columns(&columns, i, call);
		}
	}
	assert_int_equal(status, 0);
	assert_int_equal(tl_calls_next(calls, &call, NULL), 0);
	assert_int_equal(tl_calls_restart(columnar, NULL, NULL), 0);
	if (tl_calls_columns(columnar, TL_CALL_ENDS, &columns, sizeof(columns), NULL) == 1)
		assert_true(columns.ends && !columns.ids && !columns.starts && !columns.flags);
	tl_calls_close(columnar);
}

/* Callers come before what they call, and end no earlier. */
static void add_calls(struct tl_input *input)
{
	const struct tl_call *call;
	struct tl_calls *calls;
	uint64_t next_id = 0;
	int status;

	sum_count = 0;
	call_count = 0;
	assert_int_equal(tl_input_calls(input, NULL, &calls, NULL), 0);
	while ((status = tl_calls_next(calls, &call, NULL)) == 1) {
		assert_int_equal(call->id, next_id++);
		assert_true(call->parent == TL_NOWHERE || call->parent < call->id);
		add_call(calls, call);
	}
	assert_int_equal(status, 0);
	add_columns(input, calls);
	tl_calls_close(calls);
}

/* `parts`: a filter lets parts of calls pass: the list has those that begin in such a part. */
static void compare_function(const struct tl_profile *profile, uint32_t number, bool parts)
{
	const struct sum *sum = sum_of(tl_profile_function(profile, number)->id);
	struct tl_function_totals totals;
	struct tl_latency latency = { 0 };

	tl_profile_totals_of(profile, number, TL_NONE, &totals);
	if (parts) {
		assert_true(sum->calls + sum->unfinished <= totals.calls + totals.unfinished);
		return;
	}
	assert_int_equal(totals.calls, sum->calls);
	assert_int_equal(totals.unfinished, sum->unfinished);
	assert_int_equal(totals.self[0], sum->self);
	tl_profile_latency_of(profile, number, TL_NONE, &latency);
	assert_int_equal(latency.calls, sum->timed);
	assert_int_equal(latency.sum, sum->ticks);
}

static void compare(const char *name, const struct tl_input_filter *filter)
{
	struct tl_input *input = open_golden(name, filter);
	struct tl_profile *profile;

	add_calls(input);
	tl_input_close(input);
	input = open_golden(name, filter);
	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		compare_function(profile, i, filter != NULL);
	tl_profile_free(profile);
	tl_input_close(input);
}

TEST(calls_are_those_of_the_profile)
{
	for (size_t i = 0; i < NAMES; i++)
		compare(names[i], NULL);
}

/* A filter by processor hides calls in the middle of others. */
TEST(filters)
{
	struct tl_input_filter filter = { .thread = TL_NOWHERE, .process = TL_NOWHERE };

	for (uint64_t cpu = 0; cpu < 4; cpu++) {
		filter.cpu = cpu;
		compare("mt8-fdr", &filter);
		compare("mt-basic", &filter);
	}
}

/* Every call of every track is in the index, and is found from one to the next. */
static void search_track(struct tl_call_cursor *cursor, size_t track,
			 const struct tl_call_track_info *info)
{
	const struct tl_call_query query = { .size = sizeof(query),
					     .track = track,
					     .from = info->first,
					     .to = info->last + 1,
					     .pixels = UINT32_MAX };
	struct tl_call_window window;
	uint64_t seen = 0;

	assert_int_equal(tl_call_cursor_window(cursor, &query, &window, sizeof(window), NULL), 0);
	for (size_t i = 0; i < window.count; i++) {
		seen += window.items[i].count ? window.items[i].count : 1;
		assert_true(window.items[i].start <= info->last);
	}
	if (!window.coarse)
		assert_int_equal(seen, info->calls);
	assert_int_equal(
		tl_call_cursor_stack(cursor, track, info->last, &window, sizeof(window), NULL), 0);
}

TEST(index_has_all_calls)
{
	for (size_t i = 0; i < NAMES; i++) {
		struct tl_input *input = open_golden(names[i], NULL);
		struct tl_call_cursor *cursor;
		struct tl_call_index *index;
		struct tl_call_track_info info;
		uint64_t calls = 0;

		add_calls(input);
		assert_int_equal(tl_input_index(input, &index, NULL), 0);
		assert_int_equal(tl_call_cursor_open(&cursor, index, NULL), 0);
		for (size_t t = 0; tl_call_index_track(index, t, &info, sizeof(info)) == 1; t++) {
			search_track(cursor, t, &info);
			calls += info.calls;
		}
		assert_int_equal(calls, call_count);
		tl_call_cursor_close(cursor);
		tl_call_index_close(index);
		tl_input_close(input);
	}
}

/* All items of a track at full zoom; they live until the cursor is asked again. */
static struct tl_call_window all_items(struct tl_call_cursor *cursor, size_t track,
				       const struct tl_call_track_info *info)
{
	const struct tl_call_query query = { .size = sizeof(query),
					     .track = track,
					     .from = info->first,
					     .to = info->last + 1,
					     .pixels = UINT32_MAX };
	struct tl_call_window window;

	assert_int_equal(tl_call_cursor_window(cursor, &query, &window, sizeof(window), NULL), 0);
	return window;
}

static bool has_call(const struct tl_call_window *window, const struct tl_call_item *wanted)
{
	for (size_t i = 0; i < window->count; i++)
		if (window->items[i].start == wanted->start &&
		    window->items[i].end == wanted->end &&
		    window->items[i].function == wanted->function)
			return true;
	return false;
}

/*
 * Calls whose begin and end a sample has seen are calls of the trace. Returns their number; *late:
 * how many began before the piece of the log in which they end.
 */
static size_t compare_sample(struct tl_call_index *index, struct tl_call_index *sample,
			     size_t track, const struct tl_call_track_info *info, size_t *late)
{
	struct tl_call_cursor *cursors[2];
	struct tl_call_window all, some;
	size_t seen = 0;

	assert_int_equal(tl_call_cursor_open(&cursors[0], index, NULL), 0);
	assert_int_equal(tl_call_cursor_open(&cursors[1], sample, NULL), 0);
	all = all_items(cursors[0], track, info);
	some = all_items(cursors[1], track, info);
	for (size_t i = 0; i < some.count; i++) {
		*late += !some.items[i].count && some.items[i].flags == TL_CALL_LATE;
		if (some.items[i].count || some.items[i].flags)
			continue;
		assert_true(has_call(&all, &some.items[i]));
		seen++;
	}
	tl_call_cursor_close(cursors[0]);
	tl_call_cursor_close(cursors[1]);
	return seen;
}

TEST(a_sample_has_calls_of_the_trace_on_the_same_tracks)
{
	static const char *const logs[] = { "mt8-fdr", "fib-fdr-wrap" };
	size_t late = 0;

	for (size_t i = 0; i < 2; i++) {
		struct tl_input *input = open_golden(logs[i], NULL);
		struct tl_call_index *index, *sample;
		struct tl_call_track_info info, other;
		size_t seen = 0, calls = 0;

		assert_int_equal(tl_input_index_sample(input, &sample, NULL), 0);
		assert_int_equal(tl_input_index(input, &index, NULL), 0);
		for (size_t t = 0; tl_call_index_track(index, t, &info, sizeof(info)) == 1; t++) {
			assert_int_equal(tl_call_index_track(sample, t, &other, sizeof(other)), 1);
			assert_true(other.thread == info.thread && other.process == info.process);
			seen += compare_sample(index, sample, t, &info, &late);
			calls += info.calls;
		}
		assert_int_equal(tl_call_index_track(sample, 100, &info, sizeof(info)), 0);
		assert_true(seen > calls / 2 && seen <= calls);
		tl_call_index_close(index);
		tl_call_index_close(sample);
		tl_input_close(input);
	}
	assert_true(late > 0);
}

TEST(a_log_without_buffers_is_not_sampled)
{
	struct tl_input *input = open_golden("fib-basic", NULL);
	struct tl_call_index *sample;

	assert_int_equal(tl_input_index_sample(input, &sample, NULL), TL_UNSUPPORTED);
	assert_null(sample);
	tl_input_close(input);
}

/*
 * gap-hole is gap-full with its second buffer, at 136 and 120 bytes long, overwritten: the first
 * one ends at tick 1200, the third one begins at 1400.
 */
TEST(gaps_are_told_with_their_time_and_place)
{
	struct tl_input *input = open_golden("gap-hole", NULL);
	struct tl_call_index *index;
	struct tl_call_track_info info;
	struct tl_call_gap gap;

	assert_int_equal(tl_input_index(input, &index, NULL), 0);
	assert_int_equal(tl_call_index_track(index, 0, &info, sizeof(info)), 1);
	assert_int_equal(info.gaps, 1);
	assert_int_equal(tl_call_index_gap(index, 0, 0, &gap, sizeof(gap) - 1), TL_BAD_USAGE);
	assert_int_equal(tl_call_index_gap(index, 0, 0, &gap, sizeof(gap)), 1);
	assert_true(gap.from == 1200 && gap.to == 1400 && gap.count == 1);
	assert_true(gap.offset == 136 && gap.length == 120 && *gap.text);
	assert_int_equal(tl_call_index_gap(index, 0, 1, &gap, sizeof(gap)), 0);
	assert_int_equal(tl_call_index_gap(index, 1, 0, &gap, sizeof(gap)), 0);
	tl_call_index_close(index);
	tl_input_close(input);
	input = open_golden("gap-full", NULL);
	assert_int_equal(tl_input_index(input, &index, NULL), 0);
	assert_int_equal(tl_call_index_gap(index, 0, 0, &gap, sizeof(gap)), 0);
	tl_call_index_close(index);
	tl_input_close(input);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_those_of_the_profile),
		cmocka_unit_test(filters),
		cmocka_unit_test(index_has_all_calls),
		cmocka_unit_test(a_sample_has_calls_of_the_trace_on_the_same_tracks),
		cmocka_unit_test(a_log_without_buffers_is_not_sampled),
		cmocka_unit_test(gaps_are_told_with_their_time_and_place),
	};

	return cmocka_run_group_tests_name("xray calls", tests, NULL, NULL);
}
