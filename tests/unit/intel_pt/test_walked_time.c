/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time of profiles, from traces whose execution and time are known (walked_calls.h): from one TSC
 * to the next each instruction took as many ticks, so that nothing is rounded.
 */
#include "../foreign/path_sums.h"
#include "walked_calls.h"

#include "intel_pt/profile/fold.h"
#include "profile/model/unsized.h"

enum { BEGIN = 3000, TICKS = 0, INSNS = 1 };

static struct walked walked;
static struct walked_calls known;
static struct walked_feed feed;

/* How long, and one PSB, interrupt and TSC in so many instructions; 0: none. */
static const struct shape {
	size_t steps;
	unsigned psbs, interrupts, times;
} shapes[] = { { 3000, 0, 0, 8 }, { 3000, 50, 0, 30 }, { 2500, 70, 40, 12 }, { 4000, 0, 90, 3 } };

static const struct tl_pt_fold_options folding = { .thread = TL_NOWHERE,
						   .process = TL_NOWHERE,
						   .cpu = TL_NOWHERE };

static void open_timed(const struct shape *shape, uint32_t seed)
{
	open_walked(&feed);
	feed.feed.timed = true;
	feed.feed.frequency = 1000000;
	walk_timed(&walked, seed, shape->steps, shape->psbs, shape->interrupts, shape->times,
		   BEGIN);
	walked_calls_of(&known, &walked);
	add_walked(&feed, &walked, 0, 0, walked.size);
}

static struct tl_profile *fold(const struct tl_pt_fold_options *options)
{
	struct tl_pt_faults faults = { 0 };
	struct tl_profile *profile;

	assert_int_equal(tl_pt_fold(&feed.feed, options, &faults, &profile, NULL), 0);
	assert_int_equal(faults.count, 0);
	tl_pt_faults_free(&faults);
	assert_int_equal(tl_profile_event_count(profile), 2);
	assert_string_equal(tl_profile_event(profile, TICKS)->name, "Ticks");
	assert_string_equal(tl_profile_event(profile, INSNS)->name, "Ir");
	return profile;
}

/* ---- costs ---- */

struct span {
	uint64_t from, to; /* to: behind the last tick */
};

static const struct span everything = { 0, UINT64_MAX };

static uint64_t overlap(struct span a, struct span b)
{
	const uint64_t from = a.from > b.from ? a.from : b.from, to = a.to < b.to ? a.to : b.to;

	return to > from ? to - from : 0;
}

static bool is_in(struct span span, uint64_t time)
{
	return time >= span.from && time < span.to;
}

/* Whether a block begins at an instruction: behind a branch, a PSB and an interrupt. */
static bool begins_block(size_t step)
{
	const uint8_t before = step ? walked_insn(walked.steps[step - 1])->kind : RET;

	if ((before != PLAIN && before != JUMP) || walked.interrupt[step - 1])
		return true;
	for (size_t i = 0; i < walked.psb_count; i++)
		if (walked.psbs[i].step == step)
			return true;
	return false;
}

/* What paths of calls cost in a window. */
struct costs {
	struct path_sums ticks, insns;
	struct span window;
};

static void add_ticks(void *arg, int call, uint64_t from, uint64_t to)
{
	struct costs *costs = arg;
	char path[WALKED_PATH];

	walked_path(&known, call, path);
	path_sums_add(&costs->ticks, path,
		      (int64_t)overlap((struct span){ from, to }, costs->window));
}

/* Instructions count where their block began. */
static void add_costs(struct costs *costs)
{
	bool counts = false;

	walked_each_time(&known, add_ticks, costs);
	for (size_t i = 0; i < walked.count; i++) {
		char path[WALKED_PATH];

		if (begins_block(i))
			counts = is_in(costs->window, walked.resumed[i]);
		walked_path(&known, known.of_step[i], path);
		path_sums_add(&costs->insns, path, counts);
	}
}

static void assert_sums(const struct tl_profile *profile, uint32_t event, struct path_sums *sums,
			const char *about)
{
	int64_t all = 0;

	path_sums_expect_profile(sums, profile, TL_NONE, event, about);
	for (size_t i = 0; i < sums->count; i++)
		all += sums->list[i].cost;
	assert_int_equal(tl_profile_total(profile)[event], all);
	path_sums_free(sums);
}

static void assert_costs(const struct tl_profile *profile, struct span window)
{
	struct costs costs = { .window = window };
	char about[64];

	snprintf(about, sizeof(about), "%u to %u", (unsigned)window.from, (unsigned)window.to);
	add_costs(&costs);
	assert_sums(profile, TICKS, &costs.ticks, about);
	assert_sums(profile, INSNS, &costs.insns, about);
}

TEST(paths_cost_their_time)
{
	for (size_t shape = 0; shape < COUNT(shapes); shape++)
		for (unsigned way = 0; way < 6; way++) {
			struct tl_pt_fold_options options = folding;
			struct tl_profile *profile;

			options.jobs = way % 3;
			options.per_thread = way == 3;
			options.lines = way == 5;
			open_timed(&shapes[shape], 10 + way);
			profile = fold(&options);
			assert_costs(profile, everything);
			tl_profile_free(profile);
			close_walked(&feed);
		}
}

/* ---- calls ---- */

/* The calls of a function: those that ended, their times in order, and those that did not. */
struct known_calls {
	uint64_t times[MOST_STEPS], sum;
	size_t ended, unfinished;
};

static int compare_times(const void *left, const void *right)
{
	uint64_t a, b;

	memcpy(&a, left, sizeof(a));
	memcpy(&b, right, sizeof(b));
	return (a > b) - (a < b);
}

/*
 * "A call is finished, and timed, only if the gate was open from its entry to its exit; a call that
 * the gate cuts is unfinished."
 */
static void count_calls(struct known_calls *calls, unsigned function, struct span window)
{
	calls->ended = calls->unfinished = calls->sum = 0;
	for (size_t i = 0; i < known.count; i++) {
		const struct walked_call *call = &known.list[i];
		const uint64_t begin = call->begin, end = call->end;

		if (call->function != function || begin >= window.to || end < window.from)
			continue;
		if (end == TL_NOWHERE || begin < window.from || end >= window.to) {
			calls->unfinished++;
			continue;
		}
		calls->sum += end - begin;
		calls->times[calls->ended++] = end - begin;
	}
	qsort(calls->times, calls->ended, sizeof(calls->times[0]), compare_times);
}

static uint32_t number_of(const struct tl_profile *profile, unsigned function)
{
	for (uint32_t f = 0; f < tl_profile_function_count(profile); f++)
		if (!strcmp(tl_profile_function(profile, f)->name, walked_functions[function].name))
			return f;
	return TL_NONE;
}

static void assert_calls(const struct tl_profile *profile, struct span window)
{
	static struct known_calls calls;

	for (unsigned function = 0; function < FUNCTIONS_WALKED; function++) {
		const uint32_t number = number_of(profile, function);
		struct tl_function_totals totals;
		struct tl_latency latency;

		count_calls(&calls, function, window);
		if (number == TL_NONE) {
			assert_int_equal(calls.ended + calls.unfinished, 0);
			continue;
		}
		tl_profile_totals_of(profile, number, TL_NONE, &totals);
		assert_int_equal(totals.calls, calls.ended);
		assert_int_equal(totals.unfinished, calls.unfinished);
		assert_int_equal(totals.cut, 0);
		assert_int_equal(tl_profile_latency_of(profile, number, TL_NONE, &latency),
				 calls.ended != 0);
		if (!calls.ended)
			continue;
		assert_int_equal(latency.calls, calls.ended);
		assert_int_equal(latency.sum, calls.sum);
		assert_int_equal(latency.min, calls.times[0]);
		assert_int_equal(latency.max, calls.times[calls.ended - 1]);
		assert_true(latency.exact);
		assert_int_equal(latency.median, calls.times[calls.ended / 2]);
		assert_int_equal(latency.p90, calls.times[calls.ended * 9 / 10]);
		assert_int_equal(latency.p99, calls.times[calls.ended * 99 / 100]);
	}
}

TEST(calls_take_their_time)
{
	for (size_t shape = 0; shape < COUNT(shapes); shape++)
		for (unsigned way = 0; way < 4; way++) {
			struct tl_pt_fold_options options = folding;
			struct tl_profile *profile;

			options.jobs = way % 2 ? 3 : 0;
			options.exact = true;
			options.table = way / 2;
			open_timed(&shapes[shape], 40 + way);
			profile = fold(&options);
			assert_calls(profile, everything);
			tl_profile_free(profile);
			close_walked(&feed);
		}
}

/* ---- calls from one address ---- */

static unsigned function_of(const struct tl_profile *profile, uint32_t number)
{
	const char *name = tl_profile_function(profile, number)->name;
	unsigned function = 0;

	while (strcmp(walked_functions[function].name, name) != 0)
		function++;
	return function;
}

TEST(calls_from_an_address_cost_what_they_did)
{
	for (size_t shape = 0; shape < COUNT(shapes); shape++)
		for (unsigned way = 0; way < 3; way++) {
			struct tl_pt_fold_options options = folding;
			struct tl_profile *profile;
			uint64_t calls = 0;

			options.jobs = way;
			options.lines = true;
			open_timed(&shapes[shape], 70 + way);
			profile = fold(&options);
			for (uint32_t i = 0; i < tl_profile_arc_count(profile); i++) {
				const struct tl_arc *arc = tl_profile_arc(profile, i);
				const int64_t *cost = tl_profile_arc_cost(profile, i);
				struct walked_arc wanted = {
					.site = (uint16_t)arc->from.address,
					.caller = function_of(profile, arc->caller),
					.callee = function_of(profile, arc->callee),
				};

				walked_arc_of(&known, &wanted);
				assert_int_equal(arc->calls, wanted.calls);
				assert_int_equal(cost[TICKS], wanted.ticks);
				assert_int_equal(cost[INSNS], wanted.insns);
				calls += arc->calls;
			}
			/* all but main, which nobody called */
			assert_int_equal(calls, known.count - 1);
			tl_profile_free(profile);
			close_walked(&feed);
		}
}

/* ---- windows ---- */

/* Edges anywhere, also inside of an instruction. */
TEST(windows_cost_what_ran_in_them)
{
	uint32_t seed = 1;

	for (unsigned round = 0; round < 60; round++) {
		struct tl_pt_fold_options options = folding;
		struct tl_profile *profile;
		struct span window;
		unsigned length;

		open_timed(&shapes[round % COUNT(shapes)], 100 + round);
		length = (unsigned)(walked.time[walked.count] - BEGIN);
		window.from = BEGIN + 1 + chance(&seed, length - 2);
		window.to = window.from + 1 + chance(&seed, round % 3 ? 300 : length);
		if (round % 5 == 1)
			window.from = 0;
		if (round % 5 == 2)
			window.to = UINT64_MAX;
		options.from_ticks = window.from;
		options.to_ticks = window.to == UINT64_MAX ? 0 : window.to;
		options.exact = true;
		options.lines = round % 4 == 3;
		options.table = round % 4 == 1;
		profile = fold(&options);
		if (!options.table)
			assert_costs(profile, window);
		assert_calls(profile, window);
		tl_profile_free(profile);
		close_walked(&feed);
	}
}

/* ---- cycles ---- */

enum { CYCLES = 1, INSNS_OF_CYCLES = 2 };

/* From one CYC to the next each instruction took as many cycles. */
static void add_cycles(struct path_sums *cycles, struct path_sums *insns)
{
	for (size_t i = 0; i < walked.count; i++) {
		char path[WALKED_PATH];

		walked_path(&known, known.of_step[i], path);
		path_sums_add(cycles, path, (int64_t)(walked.cycle[i + 1] - walked.cycle[i]));
		path_sums_add(insns, path, 1);
	}
}

/* The cycles of a block are at its last instruction. */
static void assert_lines(const struct tl_profile *profile)
{
	int64_t cycles[WALKED_END - WALKED_AT] = { 0 }, insns[WALKED_END - WALKED_AT] = { 0 };
	int64_t block = 0;

	for (size_t i = 0; i < walked.count; i++) {
		const unsigned at = walked.steps[i] - WALKED_AT;

		insns[at]++;
		block += (int64_t)(walked.cycle[i + 1] - walked.cycle[i]);
		if (i + 1 < walked.count && !begins_block(i + 1))
			continue;
		cycles[at] += block;
		block = 0;
	}
	for (uint32_t i = 0; i < tl_profile_line_count(profile); i++) {
		const uint64_t at = tl_profile_line(profile, i)->at.address - WALKED_AT;

		cycles[at] -= tl_profile_line_cost(profile, i)[CYCLES];
		insns[at] -= tl_profile_line_cost(profile, i)[INSNS_OF_CYCLES];
	}
	for (size_t i = 0; i < COUNT(cycles); i++) {
		assert_int_equal(cycles[i], 0);
		assert_int_equal(insns[i], 0);
	}
}

static void assert_arcs(const struct tl_profile *profile)
{
	for (uint32_t i = 0; i < tl_profile_arc_count(profile); i++) {
		const struct tl_arc *arc = tl_profile_arc(profile, i);
		struct walked_arc wanted = { .site = (uint16_t)arc->from.address,
					     .caller = function_of(profile, arc->caller),
					     .callee = function_of(profile, arc->callee) };

		walked_arc_of(&known, &wanted);
		assert_int_equal(arc->calls, wanted.calls);
		assert_int_equal(tl_profile_arc_cost(profile, i)[CYCLES], wanted.cycles);
		assert_int_equal(tl_profile_arc_cost(profile, i)[INSNS_OF_CYCLES], wanted.insns);
	}
}

TEST(paths_cost_their_cycles)
{
	for (unsigned round = 0; round < 12; round++) {
		struct path_sums cycles = { NULL, 0 }, insns = { NULL, 0 };
		struct tl_pt_fold_options options = folding;
		struct tl_pt_faults faults = { 0 };
		struct tl_profile *profile;

		open_walked(&feed);
		feed.feed.timed = true;
		walk_cycles(&walked, 300 + round, 100 + 400 * round);
		walked_calls_of(&known, &walked);
		add_walked(&feed, &walked, 0, 0, walked.size);
		options.jobs = round % 2 ? 2 : 0;
		options.lines = round % 3 == 0;
		assert_int_equal(tl_pt_fold(&feed.feed, &options, &faults, &profile, NULL), 0);
		assert_int_equal(faults.count, 0);
		assert_int_equal(tl_profile_event_count(profile), 3);
		assert_string_equal(tl_profile_event(profile, CYCLES)->name, "Cycles");
		add_cycles(&cycles, &insns);
		assert_sums(profile, CYCLES, &cycles, "cycles");
		assert_sums(profile, INSNS_OF_CYCLES, &insns, "instructions");
		assert_int_equal(tl_profile_total(profile)[TICKS], 0);
		if (options.lines) {
			assert_lines(profile);
			assert_arcs(profile);
		}
		tl_profile_free(profile);
		tl_pt_faults_free(&faults);
		close_walked(&feed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_cost_their_time),
		cmocka_unit_test(calls_take_their_time),
		cmocka_unit_test(calls_from_an_address_cost_what_they_did),
		cmocka_unit_test(windows_cost_what_ran_in_them),
		cmocka_unit_test(paths_cost_their_cycles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
