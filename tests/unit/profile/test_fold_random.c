/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random sequences through the fold, by its plain functions and by the hot ones that loops over
 * records use, against a simulator: the rules of profile/fold/fold.h written down as slowly and
 * plainly as they read. The simulator walks its whole stack for every tick it counts.
 */
#include "machine.h"

#include "profile/fold/flat.h"
#include "profile/model/unsized.h"

enum {
	FUNCTIONS = 5,
	MOST_FRAMES = 400,
	MOST_CONTEXTS = 4000,
	MOST_CALLS = 4000,
	STEPS = 400,
	RUNS = 400
};

struct sim_context {
	int parent; /* -1: a root */
	uint32_t function;
	uint64_t calls, unfinished, cut;
	int64_t self[3];
};

struct sim_frame {
	int context;
	uint64_t ticks; /* since it was entered */
	bool cut;       /* the gate moved meanwhile */
};

struct sim {
	struct sim_context contexts[MOST_CONTEXTS];
	struct sim_frame frames[MOST_FRAMES];
	int context_count, depth;
	bool closed, started;
	uint64_t last;
	uint64_t durations[FUNCTIONS][MOST_CALLS];
	size_t calls[FUNCTIONS];
	int64_t inclusive[FUNCTIONS], inclusive_costs[FUNCTIONS][2];
	struct tl_losses losses;
};

static uint32_t function_at(const struct sim *s, int frame)
{
	return s->contexts[s->frames[frame].context].function;
}

static void sim_time(struct sim *s, uint64_t time)
{
	uint64_t passed = s->started && time >= s->last ? time - s->last : 0;
	bool on_stack[FUNCTIONS] = { false };

	s->losses.time_reversals += s->started && time < s->last;
	s->started = true;
	s->last = time;
	if (s->closed || !s->depth)
		return;
	for (int i = 0; i < s->depth; i++) {
		s->frames[i].ticks += passed;
		on_stack[function_at(s, i)] = true;
	}
	for (int f = 0; f < FUNCTIONS; f++)
		s->inclusive[f] += on_stack[f] ? (int64_t)passed : 0;
	s->contexts[s->frames[s->depth - 1].context].self[0] += (int64_t)passed;
}

static void sim_enter(struct sim *s, uint32_t function)
{
	int parent = s->depth ? s->frames[s->depth - 1].context : -1, found = 0;

	while (found < s->context_count &&
	       (s->contexts[found].parent != parent || s->contexts[found].function != function))
		found++;
	if (found == s->context_count) {
		assert_true(found < MOST_CONTEXTS);
		s->contexts[s->context_count++] =
			(struct sim_context){ .parent = parent, .function = function };
	}
	assert_true(s->depth < MOST_FRAMES);
	s->frames[s->depth++] = (struct sim_frame){ .context = found };
}

static void sim_unfinished(struct sim *s, const struct sim_frame *frame)
{
	s->contexts[frame->context].unfinished++;
	s->losses.unfinished++;
}

/* `left`: nobody knows when. */
static void sim_pop(struct sim *s, bool left)
{
	const struct sim_frame *frame = &s->frames[--s->depth];
	struct sim_context *context = &s->contexts[frame->context];

	if (frame->cut) {
		sim_unfinished(s, frame);
	} else if (!s->closed && left) {
		context->calls++;
		context->cut++;
	} else if (!s->closed) {
		context->calls++;
		s->durations[context->function][s->calls[context->function]++] = frame->ticks;
	}
}

static void sim_leave(struct sim *s, uint32_t function)
{
	int found = s->depth;

	while (found > 0 && function_at(s, found - 1) != function)
		found--;
	if (!found) {
		s->losses.orphan_exits++;
		return;
	}
	s->losses.deduced_exits += (uint64_t)(s->depth - found);
	while (s->depth > found)
		sim_pop(s, true);
	sim_pop(s, false);
}

static void sim_gate(struct sim *s, bool closed)
{
	if (s->closed == closed)
		return;
	s->closed = closed;
	for (int i = 0; i < s->depth; i++)
		s->frames[i].cut = true;
}

static void sim_cost(struct sim *s, int64_t first, int64_t second)
{
	bool on_stack[FUNCTIONS] = { false };

	s->contexts[s->frames[s->depth - 1].context].self[1] += first;
	s->contexts[s->frames[s->depth - 1].context].self[2] += second;
	for (int i = 0; i < s->depth; i++)
		on_stack[function_at(s, i)] = true;
	for (int f = 0; f < FUNCTIONS; f++) {
		s->inclusive_costs[f][0] += on_stack[f] ? first : 0;
		s->inclusive_costs[f][1] += on_stack[f] ? second : 0;
	}
}

static void sim_step(struct sim *s, struct step step)
{
	sim_time(s, step.time);
	if (step.act == IN)
		sim_enter(s, step.what);
	else if (step.act == OUT)
		sim_leave(s, step.what);
	else if (step.act == OPEN || step.act == CLOSE)
		sim_gate(s, step.act == CLOSE);
	else if (step.act == GAP)
		s->losses.gaps++;
	if (step.act == COST && !s->closed && s->depth)
		sim_cost(s, (int64_t)step.what, -2 * (int64_t)step.what);
}

static void sim_end(struct sim *s)
{
	while (s->depth) {
		const struct sim_frame *frame = &s->frames[--s->depth];

		if (frame->cut || !s->closed)
			sim_unfinished(s, frame);
	}
	for (int i = 0; i < s->context_count; i++) {
		const struct sim_context *c = &s->contexts[i];

		if (c->parent >= 0 && s->contexts[c->parent].cut)
			s->losses.uncertain += c->calls + c->unfinished;
	}
}

/* ---- comparing ---- */

/* "contexts that the gate kept empty, and whose children are empty too, are left out" */
static void sim_kept(const struct sim *s, bool *kept)
{
	for (int i = s->context_count; i-- > 0;) {
		const struct sim_context *c = &s->contexts[i];

		kept[i] |= c->calls || c->unfinished || c->self[0] || c->self[1] || c->self[2];
		if (kept[i] && c->parent >= 0)
			kept[c->parent] = true;
	}
}

static void compare_contexts(const struct sim *s, const struct tl_profile *profile)
{
	static uint32_t numbers[MOST_CONTEXTS];
	bool kept[MOST_CONTEXTS] = { false };
	uint32_t number = 0;

	sim_kept(s, kept);
	for (int i = 0; i < s->context_count; i++) {
		const struct sim_context *want = &s->contexts[i];
		const struct tl_context *got;

		if (!kept[i])
			continue;
		assert_true(number < tl_profile_context_count(profile));
		got = tl_profile_context(profile, number);
		assert_int_equal(got->parent, want->parent < 0 ? TL_NONE : numbers[want->parent]);
		assert_int_equal(got->function, want->function);
		assert_int_equal(got->calls, want->calls);
		assert_int_equal(got->unfinished, want->unfinished);
		assert_int_equal(got->cut, want->cut);
		assert_memory_equal(tl_profile_context_self(profile, number), want->self,
				    sizeof(want->self));
		numbers[i] = number++;
	}
	assert_int_equal(number, tl_profile_context_count(profile));
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void compare_functions(struct sim *s, const struct tl_profile *profile)
{
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		struct tl_function_totals totals;
		struct tl_latency latency;
		size_t n = s->calls[f];

		tl_profile_totals_of(profile, f, TL_NONE, &totals);
		assert_int_equal(totals.calls - totals.cut, n);
		assert_int_equal(totals.inclusive[0], s->inclusive[f]);
		assert_int_equal(tl_profile_latency_of(profile, f, TL_NONE, &latency), n != 0);
		if (!n)
			continue;
		qsort(s->durations[f], n, sizeof(uint64_t), by_value);
		assert_int_equal(latency.calls, n);
		assert_int_equal(latency.min, s->durations[f][0]);
		assert_int_equal(latency.max, s->durations[f][n - 1]);
		assert_int_equal(latency.median, s->durations[f][n / 2]);
		assert_int_equal(latency.p90, s->durations[f][n * 9 / 10]);
		assert_int_equal(latency.p99, s->durations[f][n * 99 / 100]);
	}
}

/* ---- random sequences ---- */

static uint32_t random_below(uint64_t *seed, uint32_t bound)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % bound;
}

/* `odd`: also gates, costs, gaps and steps back. */
static struct step random_step(uint64_t *seed, uint64_t *time, bool odd)
{
	static const enum act rare[] = { OPEN, CLOSE, COST, GAP, TIME };
	struct step step = { .what = random_below(seed, FUNCTIONS) };
	uint32_t dice = random_below(seed, 100);

	*time += random_below(seed, 4) ? random_below(seed, 1000) : 0;
	step.time = *time;
	step.act = dice < 50 ? IN : OUT;
	if (odd && dice >= 88)
		step.act = rare[random_below(seed, 5)];
	if (odd && dice == 87)
		*time = step.time = step.time - random_below(seed, 500) % (step.time + 1);
	return step;
}

static struct sim *simulate(const struct step *steps)
{
	struct sim *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	for (size_t i = 0; i < STEPS; i++)
		sim_step(s, steps[i]);
	sim_end(s);
	return s;
}

static void compare(struct machine *m, const struct step *steps)
{
	struct sim *s = simulate(steps);
	struct tl_losses losses = tl_profile_losses_of(m->profile);

	compare_contexts(s, m->profile);
	compare_functions(s, m->profile);
	assert_memory_equal(&losses, &s->losses, sizeof(losses));
	free(s);
}

TEST(plain_functions_do_what_the_rules_say)
{
	struct step steps[STEPS];
	uint64_t seed = 3;

	for (int run = 0; run < RUNS; run++) {
		struct machine m = { .functions = FUNCTIONS, .extra_events = 2 };
		uint64_t time = random_below(&seed, 1000);

		for (size_t i = 0; i < STEPS; i++)
			steps[i] = random_step(&seed, &time, true);
		machine_run(&m, steps, STEPS);
		compare(&m, steps);
		machine_free(&m);
	}
}

/* "What a loop over records keeps in registers: load it from the fold, run, store it back." */
static void run_hot(struct machine *m, const struct step *steps, size_t count)
{
	struct tl_fold_hot hot = m->fold.hot;

	for (size_t i = 0; i < count; i++) {
		hot.clock += steps[i].time - m->fold.last;
		m->fold.last = steps[i].time;
		if (steps[i].act == IN)
			tl_fold_hot_enter(&hot, &m->fold, steps[i].what);
		else
			tl_fold_hot_leave(&hot, &m->fold, steps[i].what);
	}
	m->fold.hot = hot;
}

/*
 * Loops of hot calls, broken here and there by plain ones, as a reader's are by metadata records.
 */
TEST(hot_functions_agree_with_plain_ones)
{
	struct step steps[STEPS];
	uint64_t seed = 17;

	for (int run = 0; run < RUNS; run++) {
		struct machine m = { .functions = FUNCTIONS, .extra_events = 2 };
		uint64_t time = random_below(&seed, 1000);

		for (size_t i = 0; i < STEPS; i++)
			steps[i] = random_step(&seed, &time, false);
		machine_begin(&m);
		machine_step(&m, steps[0]);
		for (size_t i = 1; i < STEPS;) {
			size_t length = random_below(&seed, 60);

			length = length < STEPS - i ? length : STEPS - i;
			run_hot(&m, steps + i, length);
			i += length;
			if (i < STEPS)
				machine_step(&m, steps[i++]);
		}
		machine_finish(&m);
		compare(&m, steps);
		machine_free(&m);
	}
}

/* ---- without contexts ---- */

/* Exits are those of the innermost call, or of any function one time in twenty. */
static void random_nesting(struct step *steps, uint64_t *seed)
{
	uint32_t stack[STEPS];
	uint64_t time = random_below(seed, 1000);
	size_t depth = 0;

	for (size_t i = 0; i < STEPS; i++) {
		steps[i] = random_step(seed, &time, false);
		if (!random_below(seed, 50))
			time = steps[i].time = time - random_below(seed, 500) % (time + 1);
		if (steps[i].act == IN)
			stack[depth++] = steps[i].what;
		else if (depth && random_below(seed, 200))
			steps[i].what = stack[--depth];
	}
}

/* @return whether the fold did not refuse; then m->profile has what it found */
static bool run_flat(struct machine *m, const struct step *steps)
{
	static const uint32_t functions[] = { 0, 1, 2, 3, 4 };
	struct tl_part part = { .process = 1, .thread = 1 };
	struct tl_flat flat;

	assert_true(tl_flat_begin(&flat, 1, false));
	/* Arcs are found the same where there is no square for so many folds. */
	assert_true(tl_flat_keep_arcs(&flat, steps[0].what & 1 ? 1 : TL_FLAT_NEAR_FOLDS + 1));
	for (uint32_t f = 0; f < FUNCTIONS; f++)
		assert_int_equal(tl_flat_add_function(&flat), f);
	for (size_t i = 0; i < STEPS && !flat.refused; i++) {
		struct tl_flat_hot hot;
		bool taken;

		tl_flat_time(&flat, steps[i].time);
		hot = flat.hot;
		taken = steps[i].act == IN ? tl_flat_enter(&hot, &flat, steps[i].what)
					   : tl_flat_leave(&hot, &flat, steps[i].what);
		assert_int_equal(taken, !flat.refused);
		flat.hot = hot;
	}
	bool done = !flat.refused;

	if (done) {
		tl_flat_end(&flat);
		assert_int_equal(tl_flat_into(&flat, m->profile, &part, functions, NULL), 0);
		assert_int_equal(tl_profile_finish(m->profile, NULL), 0);
	}
	tl_flat_free(&flat);
	return done;
}

static void compare_sums(const struct sim *s, const struct tl_profile *profile)
{
	int64_t self[FUNCTIONS] = { 0 }, all = 0;
	uint64_t unfinished[FUNCTIONS] = { 0 };

	for (int i = 0; i < s->context_count; i++) {
		self[s->contexts[i].function] += s->contexts[i].self[0];
		unfinished[s->contexts[i].function] += s->contexts[i].unfinished;
		all += s->contexts[i].self[0];
	}
	assert_int_equal(*tl_profile_total(profile), all);
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		struct tl_function_totals totals;

		tl_profile_totals_of(profile, f, TL_NONE, &totals);
		assert_int_equal(*totals.self, self[f]);
		assert_int_equal(totals.unfinished, unfinished[f]);
	}
}

/* "It is the fold of fold.h for a stack whose exits all end its innermost call, or are orphans." */
TEST(the_flat_fold_does_so_or_refuses)
{
	struct step steps[STEPS];
	uint64_t seed = 29;
	int refused = 0;

	for (int run = 0; run < RUNS; run++) {
		struct machine m = { .functions = FUNCTIONS };
		struct sim *s;

		random_nesting(steps, &seed);
		s = simulate(steps);
		machine_begin(&m);
		tl_fold_free(&m.fold);
		if (run_flat(&m, steps)) {
			struct tl_losses losses = tl_profile_losses_of(m.profile);

			assert_int_equal(s->losses.deduced_exits, 0);
			assert_int_equal(tl_profile_context_count(m.profile), 0);
			compare_functions(s, m.profile);
			compare_sums(s, m.profile);
			assert_memory_equal(&losses, &s->losses, sizeof(losses));
		} else {
			assert_int_not_equal(s->losses.deduced_exits, 0);
			refused++;
		}
		machine_free(&m);
		free(s);
	}
	assert_in_range(refused, RUNS / 10, RUNS - RUNS / 10);
}

/* "sums beyond 64 bits": a clock that could make one is refused. */
TEST(the_flat_fold_refuses_long_times)
{
	struct tl_flat flat;

	assert_true(tl_flat_begin(&flat, 3, false));
	tl_flat_time(&flat, 5);
	tl_flat_time(&flat, 5 + (uint64_t)INT64_MAX / 4);
	assert_false(flat.refused);
	tl_flat_time(&flat, 6 + (uint64_t)INT64_MAX / 4);
	assert_true(flat.refused);
	tl_flat_free(&flat);
}

/* The depth that is left behind an exit of a function. */
static size_t depth_behind(const uint32_t *stack, size_t depth, uint32_t function)
{
	for (size_t i = depth; i-- > 0;)
		if (stack[i] == function)
			return i;
	return depth;
}

/*
 * Exits of the innermost call by its own number; one time in 200 of function 0 to 2, wherever that
 * is. Functions 3 and 4 are one function, 3, for the simulator.
 */
static void random_summed(struct step *steps, struct step *of_sim, uint64_t *seed)
{
	uint32_t stack[STEPS];
	uint64_t time = random_below(seed, 1000);
	size_t depth = 0;

	for (size_t i = 0; i < STEPS; i++) {
		steps[i] = random_step(seed, &time, true);
		if (steps[i].act == IN)
			stack[depth++] = steps[i].what;
		else if (steps[i].act == OUT && depth && random_below(seed, 200))
			steps[i].what = stack[--depth];
		else if (steps[i].act == OUT)
			depth = depth_behind(stack, depth, steps[i].what %= 3);
		of_sim[i] = steps[i];
		if (steps[i].act != COST && steps[i].what == 4)
			of_sim[i].what = 3;
	}
}

/* Begin anew. */
static void begin_summed(struct tl_fold *fold, uint32_t functions)
{
	tl_fold_free(fold);
	assert_true(tl_fold_begin(fold, 2, false));
	assert_true(tl_fold_without_contexts(fold));
	for (uint32_t f = 0; f < functions; f++)
		assert_int_equal(tl_fold_add_function(fold), f);
}

static void compare_costs(const struct sim *s, const struct tl_profile *profile)
{
	int64_t self[FUNCTIONS][3] = { { 0 } };
	uint64_t cut[FUNCTIONS] = { 0 };

	for (int i = 0; i < s->context_count; i++) {
		for (int e = 0; e < 3; e++)
			self[s->contexts[i].function][e] += s->contexts[i].self[e];
		cut[s->contexts[i].function] += s->contexts[i].cut;
	}
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		struct tl_function_totals totals;

		tl_profile_totals_of(profile, f, TL_NONE, &totals);
		assert_memory_equal(totals.self, self[f], sizeof(self[f]));
		assert_memory_equal(&totals.inclusive[1], s->inclusive_costs[f],
				    sizeof(s->inclusive_costs[f]));
		assert_int_equal(totals.cut, cut[f]);
	}
}

static bool has_cut(const struct sim *s)
{
	for (int i = 0; i < s->context_count; i++)
		if (s->contexts[i].cut)
			return true;
	return false;
}

/* "These equal the sums over contexts. Where they might not ... the fold is `refused`" */
TEST(sums_without_contexts_are_those_of_contexts)
{
	static const uint32_t functions[FUNCTIONS] = { 0, 1, 2, 3, 3 };
	const struct tl_part part = { .process = 1, .thread = 1 };
	struct step steps[STEPS], of_sim[STEPS];
	uint64_t seed = 41;
	int refused = 0;

	for (int run = 0; run < RUNS; run++) {
		struct machine m = { .functions = FUNCTIONS, .extra_events = 2 };
		struct tl_losses losses;
		struct sim *s;

		random_summed(steps, of_sim, &seed);
		s = simulate(of_sim);
		machine_begin(&m);
		begin_summed(&m.fold, FUNCTIONS);
		tl_fold_same_function(&m.fold, 4, 3);
		machine_steps(&m, steps, STEPS);
		tl_fold_end(&m.fold);
		assert_int_equal(m.fold.refused, has_cut(s));
		refused += m.fold.refused;
		if (!m.fold.refused) {
			assert_int_equal(
				tl_fold_into(&m.fold, m.profile, &part, functions, false, NULL), 0);
			assert_int_equal(tl_profile_finish(m.profile, NULL), 0);
			losses = tl_profile_losses_of(m.profile);
			assert_int_equal(tl_profile_context_count(m.profile), 0);
			compare_functions(s, m.profile);
			compare_sums(s, m.profile);
			compare_costs(s, m.profile);
			assert_memory_equal(&losses, &s->losses, sizeof(losses));
		}
		tl_fold_free(&m.fold);
		machine_free(&m);
		free(s);
	}
	assert_in_range(refused, RUNS / 10, RUNS - RUNS / 10);
}

/* "functions that are one function of the profile share one": only those, and all of them. */
TEST(sums_hold_for_the_functions_they_were_made_for)
{
	static const uint32_t own[] = { 0, 1, 2 }, shared[] = { 0, 1, 1 };
	struct tl_fold fold = { 0 };

	begin_summed(&fold, 3);
	assert_int_equal(tl_fold_sums_hold(&fold, 1, own, 3), 1);
	assert_int_equal(tl_fold_sums_hold(&fold, 1, shared, 3), 0);
	tl_fold_same_function(&fold, 2, 1);
	assert_int_equal(tl_fold_sums_hold(&fold, 1, shared, 3), 1);
	assert_int_equal(tl_fold_sums_hold(&fold, 1, own, 3), 0);
	tl_fold_free(&fold);
}

/* "a sum may not fit": that of several folds, of one function's calls, or one that was cut. */
TEST(sums_hold_as_far_as_they_fit)
{
	static const uint32_t functions[] = { 0 };
	struct tl_fold fold = { 0 };

	begin_summed(&fold, 1);
	tl_fold_time(&fold, 5);
	tl_fold_time(&fold, 5 + (uint64_t)INT64_MAX / 4);
	assert_int_equal(tl_fold_sums_hold(&fold, 3, functions, 1), 1);
	assert_int_equal(tl_fold_sums_hold(&fold, 4, functions, 1), 0);
	/* A recursion: the calls together took more than the fold. */
	begin_summed(&fold, 1);
	tl_fold_time(&fold, 5);
	for (int i = 0; i < 4; i++)
		tl_fold_enter(&fold, 0);
	tl_fold_time(&fold, 5 + (uint64_t)INT64_MAX / 3);
	for (int i = 0; i < 4; i++)
		tl_fold_leave(&fold, 0);
	assert_int_equal(tl_fold_sums_hold(&fold, 1, functions, 1), 0);
	begin_summed(&fold, 1);
	tl_fold_cost(&fold, (const int64_t[]){ INT64_MAX / 2, 1 });
	assert_int_equal(tl_fold_sums_hold(&fold, 1, functions, 1), 1);
	tl_fold_cost(&fold, (const int64_t[]){ 2, 1 });
	assert_int_equal(tl_fold_sums_hold(&fold, 1, functions, 1), 0);
	tl_fold_free(&fold);
}

/* "as stacks take turns" */
TEST(sums_are_refused_where_stacks_take_turns)
{
	static const uint32_t functions[] = { 0 };
	struct tl_fold_stack other;
	struct tl_fold fold = { 0 };

	begin_summed(&fold, 1);
	assert_true(tl_fold_stack_begin(&other));
	tl_fold_stack_swap(&fold, &other);
	assert_true(fold.refused);
	assert_int_equal(tl_fold_sums_hold(&fold, 1, functions, 1), 0);
	tl_fold_stack_swap(&fold, &other);
	begin_summed(&fold, 1);
	tl_fold_enter(&fold, 0);
	assert_true(tl_fold_stack_split(&fold, 0, &other));
	assert_true(fold.refused);
	tl_fold_stack_free(&other);
	tl_fold_free(&fold);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_functions_do_what_the_rules_say),
		cmocka_unit_test(hot_functions_agree_with_plain_ones),
		cmocka_unit_test(the_flat_fold_does_so_or_refuses),
		cmocka_unit_test(the_flat_fold_refuses_long_times),
		cmocka_unit_test(sums_without_contexts_are_those_of_contexts),
		cmocka_unit_test(sums_hold_for_the_functions_they_were_made_for),
		cmocka_unit_test(sums_hold_as_far_as_they_fit),
		cmocka_unit_test(sums_are_refused_where_stacks_take_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
