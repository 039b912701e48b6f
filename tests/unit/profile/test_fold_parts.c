/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that is folded in parts (profile/fold/fold.h, tl_fold_resume()): "what all its parts
 * count is together what the fold of the thread counts". Calls are drawn; what they cost and how
 * long they took is counted beside them, call by call, and the thread is cut anywhere.
 */
#include "machine.h"

#include "../chance.h"

enum { ROUNDS = 300, STEPS = 220, DEEPEST = 30, FUNCTIONS = 6, MOST_PARTS = 6, MOST_CALLS = STEPS };

struct open_call {
	uint32_t function;
	uint64_t start;
};

struct counted {
	uint64_t durations[MOST_CALLS]; /* of finished calls, in the order of their ends */
	uint64_t calls, unfinished;
	int64_t self[2], inclusive[2]; /* time, and what is added beside it */
};

struct thread {
	uint32_t seed;
	uint64_t time;
	struct open_call open[DEEPEST];
	uint32_t depth;
	struct counted functions[FUNCTIONS];
};

static struct thread t;

/* ---- what happens, counted plainly ---- */

static void count_cost(unsigned event, int64_t cost)
{
	bool on_stack[FUNCTIONS] = { false };

	for (uint32_t i = 0; i < t.depth; i++)
		on_stack[t.open[i].function] = true;
	for (unsigned f = 0; f < FUNCTIONS; f++)
		t.functions[f].inclusive[event] += on_stack[f] ? cost : 0;
	if (t.depth)
		t.functions[t.open[t.depth - 1].function].self[event] += cost;
}

static void count_step(const struct step *step)
{
	count_cost(0, (int64_t)(step->time - t.time));
	t.time = step->time;
	if (step->act == IN) {
		t.open[t.depth++] = (struct open_call){ step->what, t.time };
	} else if (step->act == OUT) {
		struct counted *f = &t.functions[step->what];

		f->durations[f->calls++] = t.time - t.open[--t.depth].start;
	} else if (step->act == COST) {
		count_cost(1, step->what);
	}
}

static struct step draw_step(void)
{
	struct step step = { .act = TIME, .time = t.time };

	step.time += chance(&t.seed, 3) ? chance(&t.seed, 50) : 0;
	switch (chance(&t.seed, 8)) {
	case 0:
		break;
	case 1:
		step.act = COST;
		step.what = chance(&t.seed, 9);
		break;
	default:
		if (t.depth && (t.depth == DEEPEST || !chance(&t.seed, 2))) {
			step.act = OUT;
			step.what = t.open[t.depth - 1].function;
		} else {
			step.act = IN;
			step.what = chance(&t.seed, FUNCTIONS);
		}
		break;
	}
	return step;
}

/* ---- in parts ---- */

/* The part ends where it is, and the next one goes on with the calls that are open. */
static void cut_here(struct machine *m)
{
	static const uint32_t functions[FUNCTIONS] = { 0, 1, 2, 3, 4, 5 };
	const struct tl_part part = { .process = 1, .thread = m->thread };

	tl_fold_pause(&m->fold);
	assert_int_equal(tl_fold_into(&m->fold, m->profile, &part, functions, false, NULL), 0);
	tl_fold_free(&m->fold);
	machine_begin_part(m);
	for (uint32_t i = 0; i < t.depth; i++)
		tl_fold_resume(&m->fold, t.open[i].function, t.time - t.open[i].start);
	/* Time passes from here on. */
	tl_fold_time(&m->fold, t.time);
}

static int compare_durations(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static void expect_functions(const struct machine *m)
{
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		struct counted *f = &t.functions[i];
		struct tl_function_totals totals;
		struct tl_latency latency;
		uint64_t sum = 0;

		tl_profile_totals_of(m->profile, i, TL_NONE, &totals);
		assert_int_equal(totals.calls, f->calls);
		assert_int_equal(totals.unfinished, f->unfinished);
		assert_int_equal(totals.cut, 0);
		for (unsigned e = 0; e < 2; e++) {
			assert_int_equal(totals.self[e], f->self[e]);
			assert_int_equal(totals.inclusive[e], f->inclusive[e]);
		}
		if (!f->calls) {
			assert_no_durations(m, i);
			continue;
		}
		qsort(f->durations, f->calls, sizeof(f->durations[0]), compare_durations);
		for (uint64_t n = 0; n < f->calls; n++)
			sum += f->durations[n];
		assert_true(tl_profile_latency_of(m->profile, i, TL_NONE, &latency));
		assert_int_equal(latency.calls, f->calls);
		assert_int_equal(latency.min, f->durations[0]);
		assert_int_equal(latency.max, f->durations[f->calls - 1]);
		assert_int_equal(latency.sum, sum);
		/* "else the quantiles have a relative error of at most 0.4 %" */
		assert_true(latency.median >= f->durations[f->calls / 2] * 249 / 250);
		assert_true(latency.median <= f->durations[f->calls / 2] * 251 / 250 + 1);
	}
}

TEST(parts_of_a_thread_count_what_the_thread_does)
{
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		struct machine m = { .functions = FUNCTIONS, .extra_events = 1 };
		unsigned parts = 1;

		memset(&t, 0, sizeof(t));
		t.seed = round * 104729;
		t.time = 1000;
		machine_begin(&m);
		tl_fold_time(&m.fold, t.time);
		for (unsigned i = 0; i < STEPS; i++) {
			const struct step step = draw_step();

			if (parts < MOST_PARTS && round % 4 && !chance(&t.seed, 30)) {
				cut_here(&m);
				parts++;
			}
			/* Only time and the first further event are of this machine. */
			machine_step(&m, step);
			count_step(&step);
		}
		for (uint32_t i = 0; i < t.depth; i++)
			t.functions[t.open[i].function].unfinished++;
		machine_finish(&m);
		assert_int_equal(tl_profile_part_count(m.profile), parts);
		expect_functions(&m);
		machine_free(&m);
	}
}

/* A call that ends right where a part begins has the time of the parts before it alone. */
TEST(a_call_that_ends_at_once)
{
	struct machine m = { .functions = FUNCTIONS };

	memset(&t, 0, sizeof(t));
	machine_begin(&m);
	machine_step(&m, (struct step){ IN, 2, 100 });
	machine_step(&m, (struct step){ IN, 2, 110 });
	t.open[0] = (struct open_call){ 2, 100 };
	t.open[1] = (struct open_call){ 2, 110 };
	t.depth = 2;
	t.time = 150;
	machine_step(&m, (struct step){ TIME, 0, 150 });
	cut_here(&m);
	machine_step(&m, (struct step){ OUT, 2, 150 });
	t.depth = 1;
	cut_here(&m);
	machine_step(&m, (struct step){ OUT, 2, 175 });
	machine_finish(&m);
	assert_function(&m, 2, 2, 0, 75, 75);
	assert_durations(&m, 2, 2, 40, 75, 115, 75);
	assert_no_losses(&m);
	machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_a_thread_count_what_the_thread_does),
		cmocka_unit_test(a_call_that_ends_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
