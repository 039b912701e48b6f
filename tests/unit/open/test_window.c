/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile of a window of a trace, and the calls of a function in it: a trace of two threads in
 * XRay's basic mode, whose sums are counted by hand.
 *
 *   thread 7:  1 [100 .. 200], in it 2 [110 .. 115], 2 [120 .. 140] and 2 [150 .. 155]
 *   thread 8:  2 [105 .. 190], in it 3 [130 .. 150] and 2 [160 .. 165]; 1 from 195 on
 */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "windows.h"

static const char *write_trace(void)
{
	static const struct {
		uint32_t thread;
		uint8_t exit;
		uint32_t function;
		uint64_t tsc;
	} records[] = { { 7, 0, 1, 100 }, { 7, 0, 2, 110 }, { 7, 1, 2, 115 }, { 7, 0, 2, 120 },
			{ 7, 1, 2, 140 }, { 7, 0, 2, 150 }, { 7, 1, 2, 155 }, { 7, 1, 1, 200 },
			{ 8, 0, 2, 105 }, { 8, 0, 3, 130 }, { 8, 1, 3, 150 }, { 8, 0, 2, 160 },
			{ 8, 1, 2, 165 }, { 8, 1, 2, 190 }, { 8, 0, 1, 195 } };
	enum { COUNT = sizeof(records) / sizeof(records[0]) };
	uint8_t bytes[HEADER + COUNT * RECORD] = { 0 };

	put_header(bytes);
	for (size_t i = 0; i < COUNT; i++) {
		uint8_t *at = bytes + HEADER + i * RECORD;

		put_record(at, records[i].exit, records[i].function, records[i].tsc);
		put(at + 16, records[i].thread, 4);
	}
	temp_write(&temp, "trace", bytes, sizeof(bytes));
	return temp_path(&temp, "trace");
}

static int setup(void **state)
{
	static struct opened opened;
	const char *path;

	if (temp_setup(state))
		return -1;
	path = write_trace();
	assert_int_equal(tl_input_open(&opened.input, &path, 1, NULL, NULL, NULL), 0);
	assert_int_equal(tl_input_index(opened.input, &opened.index, NULL), 0);
	*state = &opened;
	return 0;
}

static int teardown(void **state)
{
	struct opened *opened = *state;

	tl_call_index_close(opened->index);
	tl_input_close(opened->input);
	return temp_teardown(state);
}

/* The self cost of each path that has one. */
static void expect_stacks(const struct opened *o, struct tl_call_span span, const char *expected)
{
	const struct tl_export_options options = { .size = sizeof(options) };
	struct tl_profile *profile = window(o, span);
	struct tl_output *out;
	const char *bytes;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_exporter_find("folded")->write(profile, &options, out, NULL), 0);
	bytes = tl_output_bytes(out, &size);
	assert_int_equal(size, strlen(expected));
	assert_memory_equal(bytes, expected, size);
	tl_output_discard(out);
	tl_profile_free(profile);
}

/* "Cost counts between `from` and `to`", of the calls that are open there. */
static void cost_is_that_of_the_window(void **state)
{
	static const char whole[] = "#1 70\n#1;#2 30\n#2 60\n#2;#2 5\n#2;#3 20\n";

	expect_stacks(*state, (struct tl_call_span){ .from = 0 }, whole);
	expect_stacks(*state, (struct tl_call_span){ .from = 100, .to = 201 }, whole);
	expect_stacks(*state, (struct tl_call_span){ .from = 112, .to = 150 },
		      "#1 15\n#1;#2 23\n#2 18\n#2;#3 20\n");
	expect_stacks(*state, (struct tl_call_span){ .from = 110, .to = 115 }, "#1;#2 5\n#2 5\n");
	expect_stacks(*state, (struct tl_call_span){ .from = 115, .to = 120 }, "#1 5\n#2 5\n");
	expect_stacks(*state, (struct tl_call_span){ .from = 161, .to = 162 }, "#1 1\n#2;#2 1\n");
	/* One track. */
	expect_stacks(
		*state,
		(struct tl_call_span){ .from = 112, .to = 150, .one_track = true, .track = 1 },
		"#2 18\n#2;#3 20\n");
	expect_stacks(*state, (struct tl_call_span){ .one_track = true }, "#1 70\n#1;#2 30\n");
	/* Before all and behind all. */
	expect_stacks(*state, (struct tl_call_span){ .from = 1, .to = 100 }, "");
	expect_stacks(*state, (struct tl_call_span){ .from = 200, .to = 300 }, "");
}

/*
 * An exit whose call is not known is no step, and time passes up to it all the same: 1 [100 .. ],
 * in it 2 [110 .. 120], then an exit of 3 at 300. A profile has 190 of 1 itself.
 */
TEST(the_trace_ends_behind_the_last_step)
{
	static const struct {
		uint8_t exit;
		uint32_t function;
		uint64_t tsc;
	} records[] = { { 0, 1, 100 }, { 0, 2, 110 }, { 1, 2, 120 }, { 1, 3, 300 } };
	enum { COUNT = sizeof(records) / sizeof(records[0]) };
	uint8_t bytes[HEADER + COUNT * RECORD] = { 0 };
	struct tl_call_track_info info;
	const struct tl_call *call;
	struct tl_calls *calls;
	struct opened o;

	put_header(bytes);
	for (size_t i = 0; i < COUNT; i++) {
		uint8_t *at = bytes + HEADER + i * RECORD;

		put_record(at, records[i].exit, records[i].function, records[i].tsc);
		put(at + 16, 7, 4);
	}
	temp_open(&temp);
	open_trace(&o, bytes, sizeof(bytes));
	assert_int_equal(tl_call_index_track(o.index, 0, &info, sizeof(info)), 1);
	assert_int_equal(info.last, 300);
	expect_stacks(&o, (struct tl_call_span){ .from = 0 }, "#1 190\n#1;#2 10\n");
	expect_stacks(&o, (struct tl_call_span){ .from = 115, .to = 250 }, "#1 130\n#1;#2 5\n");
	expect_stacks(&o, (struct tl_call_span){ .from = 299, .to = 1000 }, "#1 1\n");
	expect_stacks(&o, (struct tl_call_span){ .from = 300, .to = 1000 }, "");
	assert_int_equal(tl_input_calls(o.input, NULL, &calls, NULL), 0);
	assert_int_equal(tl_calls_next(calls, &call, NULL), 1);
	assert_true(call->start == 100 && call->end == TL_NOWHERE && call->self == 190);
	tl_calls_close(calls);
	close_trace(&o);
}

/* ---- edges that cut many calls ---- */

/*
 * Functions 1 to 300 call each other, 10 ticks apart from 100 on; the innermost one calls 301 9,000
 * times, 2 ticks every 4 from 3,100 on; then all return, the innermost first, 10 ticks apart from
 * 40,000 on. These are more steps than two leaves have, and more calls than have frames.
 */
enum { NESTED = 300, SHORT = 9000, SHORT_ID = NESTED + 1 };

static uint8_t *put_step(uint8_t *at, uint8_t exit, uint32_t function, uint64_t tsc)
{
	put_record(at, exit, function, tsc);
	put(at + 16, 7, 4);
	return at + RECORD;
}

static void open_nested(struct opened *o)
{
	const size_t size = HEADER + 2 * (NESTED + SHORT) * RECORD;
	uint8_t *bytes = calloc(1, size), *at = bytes + HEADER;

	assert_non_null(bytes);
	put_header(bytes);
	for (uint32_t i = 0; i < NESTED; i++)
		at = put_step(at, 0, i + 1, 100 + 10 * i);
	for (uint32_t i = 0; i < 2 * SHORT; i++)
		at = put_step(at, i % 2, SHORT_ID, 3100 + 2 * i);
	for (uint32_t i = 0; i < NESTED; i++)
		at = put_step(at, 1, NESTED - i, 40000 + 10 * i);
	assert_ptr_equal(at, bytes + size);
	temp_open(&temp);
	open_trace(o, bytes, size);
	free(bytes);
}

struct cut_sums {
	int64_t self;
	uint64_t calls, unfinished;
};

/* By the number of the function in the trace. */
static void expect_cut(const struct opened *o, uint64_t from, uint64_t to,
		       const struct cut_sums *wanted)
{
	for (unsigned how = 0; how < 3; how++) {
		const struct tl_call_span span = {
			.from = from, .to = to, .flat = how > 0, .table = how > 1
		};
		struct tl_profile *profile = window(o, span);
		struct cut_sums sums[SHORT_ID + 1] = { { 0, 0, 0 } };

		for (uint32_t i = 0; i < tl_profile_function_count(profile); i++) {
			const uint64_t id = tl_profile_function(profile, i)->id;
			struct tl_function_totals totals;

			tl_profile_function_totals(profile, i, TL_NONE, &totals, sizeof(totals));
			assert_in_range(id, 1, SHORT_ID);
			sums[id] = (struct cut_sums){ totals.self[0], totals.calls,
						      totals.unfinished };
		}
		for (uint32_t id = 1; id <= SHORT_ID; id++) {
			assert_int_equal(sums[id].self, wanted[id].self);
			assert_int_equal(sums[id].calls, wanted[id].calls);
			assert_int_equal(sums[id].unfinished, wanted[id].unfinished);
		}
		tl_profile_free(profile);
	}
}

TEST(edges_that_cut_many_calls)
{
	struct cut_sums wanted[SHORT_ID + 1] = { { 0, 0, 0 } };
	struct opened o;

	open_nested(&o);
	/*
	 * From where 151 begins to where 151 has ended, 5 ticks before 150 does: 150 calls are cut
	 * by both edges, and 150 are whole.
	 */
	for (uint32_t id = 1; id <= NESTED; id++)
		wanted[id] =
			id <= 150 ? (struct cut_sums){ 0, 0, 1 } : (struct cut_sums){ 20, 1, 0 };
	wanted[150].self = 5;
	wanted[NESTED].self = 40000 - 3090 - 2 * SHORT;
	wanted[SHORT_ID] = (struct cut_sums){ 2 * SHORT, SHORT, 0 };
	expect_cut(&o, 1600, 41495, wanted);
	/*
	 * From within the 4,226th short call to within the 8,227th: all calls around them are cut
	 * by both edges.
	 */
	for (uint32_t id = 1; id <= NESTED; id++)
		wanted[id] = (struct cut_sums){ 0, 0, 1 };
	wanted[SHORT_ID] = (struct cut_sums){ 1 + 2 * 4000 + 1, 4000, 2 };
	wanted[NESTED].self = 4001 * 4 - (1 + 2 * 4000 + 1);
	expect_cut(&o, 20001, 20001 + 4001 * 4, wanted);
	close_trace(&o);
}

/* The finished calls of a function, by its number in the trace, and their summed durations. */
static void expect_finished(const struct opened *o, uint64_t from, uint64_t to, uint64_t id,
			    uint64_t calls, uint64_t sum)
{
	struct tl_profile *profile = window(o, (struct tl_call_span){ .from = from, .to = to });
	struct tl_latency latency;

	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		if (tl_profile_function(profile, i)->id == id) {
			const bool any =
				tl_profile_latency(profile, i, TL_NONE, &latency, sizeof(latency));

			assert_int_equal(any ? latency.calls : 0, calls);
			assert_int_equal(any ? latency.sum : 0, sum);
			calls = sum = 0;
		}
	assert_int_equal(calls, 0);
	tl_profile_free(profile);
}

/* "A call is finished if it begins at or behind `from` and ends before `to`." */
static void calls_are_finished_inside(void **state)
{
	expect_finished(*state, 0, 0, 2, 5, 120);
	expect_finished(*state, 0, 0, 1, 1, 100);
	expect_finished(*state, 110, 116, 2, 1, 5);
	expect_finished(*state, 110, 115, 2, 0, 0);
	expect_finished(*state, 111, 116, 2, 0, 0);
	expect_finished(*state, 112, 150, 2, 1, 20);
	expect_finished(*state, 130, 150, 3, 0, 0);
	expect_finished(*state, 130, 151, 3, 1, 20);
}

/*
 * `flat`: "the profile need not have contexts", and has the sums of one that does. Borders are all
 * times of records, and one between each of them and the next: others make no difference.
 */
static void sums_are_those_of_contexts(void **state)
{
	static const uint64_t borders[] = { 98,  100, 102, 105, 107, 110, 112, 115, 117, 120,
					    125, 130, 135, 140, 145, 150, 152, 155, 157, 160,
					    162, 165, 170, 190, 192, 195, 197, 200, 204, 205 };
	enum { COUNT = sizeof(borders) / sizeof(borders[0]) };

	for (size_t from = 0; from < COUNT; from++)
		for (size_t to = from + 1; to < COUNT; to++)
			expect_sums_of(*state, (struct tl_call_span){ .from = borders[from],
								      .to = borders[to] });
}

/* The same in numbers that were counted by hand: 2 calls itself and 3, 1 calls 2. */
static void calls_between_functions_are_summed(void **state)
{
	struct tl_profile *profile =
		window(*state, (struct tl_call_span){ .from = 112, .to = 150, .flat = true });
	struct sums functions[IDS] = { 0 }, arcs[IDS][IDS] = { 0 };

	sums_of_functions(profile, functions);
	sums_of_arcs(profile, arcs);
	assert_int_equal(functions[1].self, 15);
	assert_int_equal(functions[1].inclusive, 38);
	assert_int_equal(functions[1].unfinished, 1);
	assert_int_equal(functions[2].self, 41);
	assert_int_equal(functions[2].inclusive, 61);
	assert_int_equal(functions[2].calls, 1);
	assert_int_equal(functions[2].unfinished, 2);
	assert_true(arcs[1][2].arc && arcs[2][3].arc && !arcs[2][2].arc);
	assert_int_equal(arcs[1][2].calls, 1);
	assert_int_equal(arcs[1][2].inclusive, 23);
	assert_int_equal(arcs[2][3].calls, 0);
	assert_int_equal(arcs[2][3].inclusive, 20);
	tl_profile_free(profile);
}

/*
 * Calls whose begin damage hides, and which end before the window in the leaf that it begins in:
 * 1 [100 .. 130], in it 2 [ .. 120] and 2 [121 .. 125]; 3 [140 .. 150].
 */
static void calls_that_begin_late_before_the_window(void **state __attribute__((unused)))
{
	static const struct {
		uint8_t exit;
		uint32_t function;
		uint64_t tsc;
	} records[] = { { 0, 1, 100 }, { 0, 2, 110 }, { 1, 2, 120 }, { 0, 2, 121 },
			{ 1, 2, 125 }, { 1, 1, 130 }, { 0, 3, 140 }, { 1, 3, 150 } };
	enum { COUNT = sizeof(records) / sizeof(records[0]), HIDDEN = 1 };
	uint8_t bytes[HEADER + COUNT * RECORD] = { 0 };
	struct opened o;

	put_header(bytes);
	for (size_t i = 0; i < COUNT; i++) {
		put_record(bytes + HEADER + i * RECORD, records[i].exit, records[i].function,
			   records[i].tsc);
		put(bytes + HEADER + i * RECORD + 16, 7, 4);
	}
	memset(bytes + HEADER + HIDDEN * RECORD, 0xff, RECORD);
	temp_open(&temp);
	open_trace(&o, bytes, sizeof(bytes));
	for (uint64_t from = 99; from < 152; from++)
		expect_sums_of(&o, (struct tl_call_span){ .from = from, .to = 160 });
	close_trace(&o);
}

static uint32_t number_of(const struct opened *o, uint64_t id)
{
	struct tl_call_function function;
	uint32_t number = 0;

	while (tl_call_index_function(o->index, number, &function, sizeof(function), NULL) == 0 &&
	       function.id != id)
		number++;
	return number;
}

struct expected_call {
	size_t track;
	uint64_t start, ticks;
};

/* The search for function 2: the number of calls, and the list that is given. */
static void expect_calls(const struct opened *o, struct tl_call_span span, size_t most,
			 uint64_t calls, const struct expected_call *list, size_t count)
{
	struct tl_call_search search;

	span.size = sizeof(span);
	assert_int_equal(tl_input_search(o->input, o->index, &span, number_of(o, 2), most, &search,
					 sizeof(search), NULL),
			 0);
	assert_int_equal(search.calls, calls);
	assert_int_equal(search.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(search.longest[i].track, list[i].track);
		assert_int_equal(search.longest[i].item.start, list[i].start);
		assert_int_equal(search.longest[i].item.busy, list[i].ticks);
	}
	tl_call_search_end(&search);
	assert_null(search.longest);
}

/* "The longest first; of calls of one duration, the earliest first"; by track, then by start. */
static void the_longest_calls_are_listed(void **state)
{
	static const struct expected_call all[] = {
		{ 1, 105, 85 }, { 0, 120, 20 }, { 0, 110, 5 }, { 0, 150, 5 }, { 1, 160, 5 },
	};

	for (size_t most = 0; most <= 6; most++)
		expect_calls(*state, (struct tl_call_span){ .from = 0 }, most, 5, all,
			     most < 5 ? most : 5);
	expect_calls(*state, (struct tl_call_span){ .one_track = true }, 9, 3, all + 1, 3);
	/* "That begin before `to` and do not end before `from`, whole." */
	expect_calls(*state, (struct tl_call_span){ .from = 116, .to = 120 }, 9, 1, all, 1);
	expect_calls(*state, (struct tl_call_span){ .from = 116, .to = 121 }, 9, 2, all, 2);
	expect_calls(*state, (struct tl_call_span){ .from = 115, .to = 121 }, 9, 3, all, 3);
	expect_calls(*state, (struct tl_call_span){ .from = 191, .to = 900 }, 9, 0, NULL, 0);
}

/* "Of those whose begin and end are in the trace": the call from 195 on has no end. */
static void durations_are_those_of_whole_calls(void **state)
{
	const struct opened *o = *state;
	const struct tl_call_span all = { .size = sizeof(all) };
	struct tl_call_search search;

	assert_int_equal(tl_input_search(o->input, o->index, &all, number_of(o, 2), 1, &search,
					 sizeof(search), NULL),
			 0);
	assert_int_equal(search.durations.calls, 5);
	assert_int_equal(search.durations.sum, 120);
	assert_int_equal(search.durations.min, 5);
	assert_int_equal(search.durations.max, 85);
	assert_int_equal(search.durations.median, 5);
	assert_int_equal(search.durations.p90, 85);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(search.octaves[i], i == 2 ? 3 : i == 4 || i == 6 ? 1 : 0);
	tl_call_search_end(&search);
	assert_int_equal(tl_input_search(o->input, o->index, &all, number_of(o, 1), 9, &search,
					 sizeof(search), NULL),
			 0);
	assert_int_equal(search.calls, 2);
	assert_int_equal(search.count, 2);
	assert_int_equal(search.durations.calls, 1);
	assert_int_equal(search.durations.sum, 100);
	assert_int_equal(search.octaves[6], 1);
	tl_call_search_end(&search);
}

static void what_is_not_there_is_refused(void **state)
{
	const struct opened *o = *state;
	const struct tl_call_span third = { .size = sizeof(third), .one_track = true, .track = 2 };
	struct tl_profile *profile = (struct tl_profile *)1;
	struct tl_call_search search;
	struct tl_error err;

	assert_int_equal(tl_input_window(o->input, o->index, &third, &profile, &err), TL_BAD_USAGE);
	assert_string_equal(err.text, "there is no such track");
	assert_null(profile);
	assert_int_equal(
		tl_input_search(o->input, o->index, &third, 0, 1, &search, sizeof(search), &err),
		TL_BAD_USAGE);
}

/* "`input`'s progress function is called, and may cancel." */
static void a_window_can_be_cancelled(void **state)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	const struct tl_call_span all = { .size = sizeof(all) };
	const char *path = temp_path(&temp, "trace");
	struct tl_call_search search;
	struct tl_profile *profile;
	struct opened o;
	struct tl_error err;
	unsigned calls = 1000;

	(void)state;
	options.progress = stop;
	options.progress_arg = &calls;
	assert_int_equal(tl_input_open(&o.input, &path, 1, &options, NULL, NULL), 0);
	assert_int_equal(tl_input_index(o.input, &o.index, NULL), 0);
	for (unsigned track = 1; track <= 2; track++) {
		calls = track;
		assert_int_equal(tl_input_window(o.input, o.index, &all, &profile, &err), TL_IO);
		assert_null(profile);
		calls = track;
		assert_int_equal(tl_input_search(o.input, o.index, &all, number_of(&o, 2), 1,
						 &search, sizeof(search), &err),
				 TL_IO);
	}
	calls = 3;
	assert_int_equal(tl_input_window(o.input, o.index, &all, &profile, &err), 0);
	tl_profile_free(profile);
	tl_call_index_close(o.index);
	tl_input_close(o.input);
}

#define WITH_TRACE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* ---- many calls ---- */

enum { MANY = 300 };

/* Call i of function 2 begins at 1000 i and takes as long as many others, in no order. */
static uint64_t ticks_of(size_t i)
{
	return 1 + i * 37 % 101;
}

static void write_many(struct opened *o)
{
	static uint8_t bytes[HEADER + 2 * MANY * RECORD];

	put_header(bytes);
	for (size_t i = 0; i < MANY; i++) {
		put_record(bytes + HEADER + 2 * i * RECORD, 0, 2, 1000 * (i + 1));
		put_record(bytes + HEADER + (2 * i + 1) * RECORD, 1, 2,
			   1000 * (i + 1) + ticks_of(i));
	}
	open_trace(o, bytes, sizeof(bytes));
}

static int longer_first(const void *a, const void *b)
{
	size_t one = *(const size_t *)a, other = *(const size_t *)b;

	if (ticks_of(one) != ticks_of(other))
		return ticks_of(one) < ticks_of(other) ? 1 : -1;
	return one < other ? -1 : 1;
}

/* "the longest ones, the longest first; of calls of one duration, the earliest first" */
static void the_longest_of_many_calls(void **state __attribute__((unused)))
{
	static const size_t lengths[] = { 1, 2, 3, 10, 97, MANY - 1, MANY, MANY + 1 };
	const struct tl_call_span all = { .size = sizeof(all) };
	size_t sorted[MANY];
	struct opened o;

	temp_open(&temp);
	write_many(&o);
	for (size_t i = 0; i < MANY; i++)
		sorted[i] = i;
	qsort(sorted, MANY, sizeof(*sorted), longer_first);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct tl_call_search search;

		assert_int_equal(tl_input_search(o.input, o.index, &all, number_of(&o, 2),
						 lengths[i], &search, sizeof(search), NULL),
				 0);
		assert_int_equal(search.calls, MANY);
		assert_int_equal(search.count, lengths[i] < MANY ? lengths[i] : MANY);
		for (size_t k = 0; k < search.count; k++) {
			assert_int_equal(search.longest[k].item.start, 1000 * (sorted[k] + 1));
			assert_int_equal(search.longest[k].item.busy, ticks_of(sorted[k]));
		}
		tl_call_search_end(&search);
	}
	close_trace(&o);
}

/* ---- random calls ---- */

enum { STEPS = 160, LAST = 130 };

/*
 * Two threads that call three functions, which call themselves and each other: each begins
 * with an exit without a call, some calls take no time, and some are open at the end.
 */
static void write_random(struct opened *o)
{
	static uint8_t bytes[HEADER + 2 * STEPS * RECORD];
	uint64_t ticks[2] = { 1, 1 };
	uint32_t stack[2][STEPS], depth[2] = { 0 };

	put_header(bytes);
	for (uint32_t i = 0; i < 2 * STEPS; i++) {
		uint32_t thread = i / STEPS, *open = &depth[thread];
		bool exit = i % STEPS == 0 || (*open && drawn(9) < (*open > 6 ? 7 : 4));
		uint32_t function = 1 + drawn(3);

		if (exit && *open)
			function = stack[thread][--*open];
		else if (!exit)
			stack[thread][(*open)++] = function;
		put_record(bytes + HEADER + i * RECORD, exit, function, ticks[thread]);
		put(bytes + HEADER + i * RECORD + 16, 7 + thread, 4);
		ticks[thread] += drawn(3) && drawn(2) ? drawn(3) : 0;
	}
	open_trace(o, bytes, sizeof(bytes));
	assert_true(ticks[0] < LAST && ticks[1] < LAST);
}

/* As sums_are_those_of_contexts(), for functions that call themselves. */
static void sums_of_recursion_are_those_of_contexts(void **state __attribute__((unused)))
{
	struct opened o;

	temp_open(&temp);
	write_random(&o);
	for (uint64_t from = 0; from < LAST; from += 3)
		for (uint64_t to = from + 1; to <= LAST; to += 4)
			expect_sums_of(&o, (struct tl_call_span){ .from = from, .to = to });
	close_trace(&o);
}

/* ---- many threads ---- */

enum { THREADS = 1000, ROOM = 64 << 20 };

/* Of each thread: 2 inside 1, 100 ticks of 300. */
static void write_threads(struct opened *o)
{
	static uint8_t bytes[HEADER + 4 * THREADS * RECORD];

	put_header(bytes);
	for (uint32_t i = 0; i < 4 * THREADS; i++) {
		uint8_t *at = bytes + HEADER + i * RECORD;

		put_record(at, i % 4 > 1, i % 4 == 1 || i % 4 == 2 ? 2 : 1, 1000 + i % 4 * 100);
		put(at + 16, 1 + i / 4, 4);
	}
	open_trace(o, bytes, sizeof(bytes));
}

/* Let the process have so many bytes of address space more than it has now. */
static void limit_memory(uint64_t more)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long long pages = 0;
	struct rlimit limit;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%llu", &pages), 1);
	fclose(file);
	limit.rlim_cur = limit.rlim_max = (rlim_t)(pages * (uint64_t)sysconf(_SC_PAGESIZE) + more);
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

/* In a process of its own, whose memory is limited. @return whether the sums are right */
static bool sums_fit(const struct opened *o, struct tl_call_span span)
{
	struct sums sums[IDS] = { 0 };
	struct tl_profile *profile;

	limit_memory(ROOM);
	span.size = sizeof(span);
	if (tl_input_window(o->input, o->index, &span, &profile, NULL) < 0)
		return false;
	sums_of_functions(profile, sums);
	return sums[1].self == 200 * THREADS && sums[2].self == 100 * THREADS &&
	       tl_profile_part_count(profile) == THREADS;
}

/* What a window takes does not grow by more than a part's few bytes with each thread. */
static void many_threads_take_little_memory(void **state __attribute__((unused)))
{
#ifdef __SANITIZE_ADDRESS__
	skip(); /* it needs address space without end */
#endif
	struct opened o;

	temp_open(&temp);
	write_threads(&o);
	for (unsigned flat = 0; flat < 2; flat++) {
		pid_t child = fork();
		int status;

		assert_true(child >= 0);
		if (!child)
			_exit(!sums_fit(&o, (struct tl_call_span){ .flat = flat }));
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
	close_trace(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges_that_cut_many_calls),
		cmocka_unit_test(the_trace_ends_behind_the_last_step),
		WITH_TRACE(cost_is_that_of_the_window),
		WITH_TRACE(calls_are_finished_inside),
		WITH_TRACE(sums_are_those_of_contexts),
		WITH_TRACE(calls_between_functions_are_summed),
		cmocka_unit_test(calls_that_begin_late_before_the_window),
		WITH_TRACE(the_longest_calls_are_listed),
		WITH_TRACE(durations_are_those_of_whole_calls),
		WITH_TRACE(what_is_not_there_is_refused),
		WITH_TRACE(a_window_can_be_cancelled),
		cmocka_unit_test(the_longest_of_many_calls),
		cmocka_unit_test(sums_of_recursion_are_those_of_contexts),
		cmocka_unit_test(many_threads_take_little_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
