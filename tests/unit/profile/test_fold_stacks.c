/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several stacks of one thread, at random, against a simulator: "time passes for the stack that
 * runs alone ..., so that a call costs what ran on its stack", whatever stack it was moved to. Each
 * frame of the simulator has a counter of its own.
 */
#include "machine.h"

enum { FUNCTIONS = 6, STACKS = 4, MOST_FRAMES = 2000, STEPS = 1500, RUNS = 60 };

struct sim_frame {
	uint32_t function;
	uint64_t ticks; /* since it was entered, while its stack ran */
};

struct sim_stack {
	struct sim_frame frames[MOST_FRAMES];
	size_t depth;
};

struct sim {
	struct sim_stack running, parked[STACKS];
	uint64_t calls[FUNCTIONS], unfinished[FUNCTIONS];
	uint64_t sum[FUNCTIONS], min[FUNCTIONS], max[FUNCTIONS];
};

struct both {
	struct machine machine;
	struct tl_fold_stack parked[STACKS];
	struct sim *sim;
	uint64_t time;
	uint32_t seed;
};

static uint32_t dice(struct both *b, uint32_t sides)
{
	b->seed = b->seed * 1664525 + 1013904223;
	return (b->seed >> 8) % sides;
}

static void pass_time(struct both *b)
{
	uint64_t ticks = dice(b, 100);

	b->time += ticks;
	tl_fold_time(&b->machine.fold, b->time);
	for (size_t i = 0; i < b->sim->running.depth; i++)
		b->sim->running.frames[i].ticks += ticks;
}

static void enter(struct both *b)
{
	uint32_t function = dice(b, FUNCTIONS);
	struct sim_stack *stack = &b->sim->running;

	assert_true(stack->depth < MOST_FRAMES);
	assert_true(tl_fold_enter(&b->machine.fold, function));
	stack->frames[stack->depth++] = (struct sim_frame){ function, 0 };
}

/* Leave the innermost function, as one does whose exits are all there. */
static void leave(struct both *b)
{
	struct sim *sim = b->sim;
	struct sim_frame frame;

	if (!sim->running.depth)
		return;
	frame = sim->running.frames[--sim->running.depth];
	assert_int_equal(tl_fold_top(&b->machine.fold), frame.function);
	tl_fold_leave(&b->machine.fold, frame.function);
	if (!sim->calls[frame.function]++ || frame.ticks < sim->min[frame.function])
		sim->min[frame.function] = frame.ticks;
	if (frame.ticks > sim->max[frame.function])
		sim->max[frame.function] = frame.ticks;
	sim->sum[frame.function] += frame.ticks;
}

static void move_frames(struct sim_stack *from, size_t depth, struct sim_stack *to)
{
	size_t count = from->depth - depth;

	assert_true(to->depth + count <= MOST_FRAMES);
	memcpy(&to->frames[to->depth], &from->frames[depth], count * sizeof(*to->frames));
	to->depth += count;
	from->depth = depth;
}

/* "Exchange the running stack and the one given." */
static void swap(struct both *b, uint32_t which)
{
	static struct sim_stack spare;

	tl_fold_stack_swap(&b->machine.fold, &b->parked[which]);
	spare = b->sim->running;
	b->sim->running = b->sim->parked[which];
	b->sim->parked[which] = spare;
}

/* "Move the frames above `depth` to a stack that has none." */
static void split(struct both *b, uint32_t which)
{
	size_t depth = dice(b, (uint32_t)b->sim->running.depth + 1);

	if (b->sim->parked[which].depth)
		return;
	assert_true(tl_fold_stack_split(&b->machine.fold, depth, &b->parked[which]));
	move_frames(&b->sim->running, depth, &b->sim->parked[which]);
}

/* "The fold's frames change places with the outermost `depth` ones of the stack." */
static void exchange(struct both *b, uint32_t which)
{
	static struct sim_stack inner, mine;
	struct sim_stack *stack = &b->sim->parked[which];
	size_t depth = dice(b, (uint32_t)stack->depth + 1);

	assert_true(tl_fold_stack_exchange(&b->machine.fold, &b->parked[which], depth));
	inner.depth = 0;
	move_frames(stack, depth, &inner);
	mine = b->sim->running;
	b->sim->running = *stack;
	*stack = mine;
	move_frames(&inner, 0, stack);
}

static void step(struct both *b)
{
	uint32_t what = dice(b, 20), which = dice(b, STACKS);

	pass_time(b);
	if (what < 9)
		enter(b);
	else if (what < 15)
		leave(b);
	else if (what < 17)
		swap(b, which);
	else if (what < 18)
		split(b, which);
	else
		exchange(b, which);
	assert_int_equal(tl_fold_depth(&b->machine.fold), b->sim->running.depth);
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		bool open = false;

		for (size_t i = 0; i < b->sim->running.depth; i++)
			open |= b->sim->running.frames[i].function == f;
		/* Frames of other stacks are not open for this one. */
		if (dice(b, 8) == 0)
			assert_int_equal(tl_fold_is_open(&b->machine.fold, f), open);
	}
}

/* Each stack ends with its open frames unfinished. */
static void end(struct both *b)
{
	for (uint32_t i = 0; i <= STACKS; i++) {
		struct sim_stack *stack = &b->sim->running;

		for (size_t at = 0; at < stack->depth; at++)
			b->sim->unfinished[stack->frames[at].function]++;
		stack->depth = 0;
		tl_fold_end_frames(&b->machine.fold);
		assert_int_equal(tl_fold_depth(&b->machine.fold), 0);
		if (i < STACKS)
			swap(b, i);
	}
	for (uint32_t i = 0; i < STACKS; i++)
		tl_fold_stack_free(&b->parked[i]);
	machine_finish(&b->machine);
}

static void compare(const struct both *b)
{
	const struct sim *sim = b->sim;

	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		struct tl_function_totals totals;
		struct tl_latency latency;

		tl_profile_totals_of(b->machine.profile, f, TL_NONE, &totals);
		assert_int_equal(totals.calls, sim->calls[f]);
		assert_int_equal(totals.unfinished, sim->unfinished[f]);
		assert_true(tl_profile_latency_of(b->machine.profile, f, TL_NONE, &latency));
		assert_int_equal(latency.sum, sim->sum[f]);
		assert_int_equal(latency.min, sim->min[f]);
		assert_int_equal(latency.max, sim->max[f]);
	}
}

TEST(stacks_take_turns_at_random)
{
	struct sim *sim = malloc(sizeof(*sim));

	assert_non_null(sim);
	for (uint32_t run = 0; run < RUNS; run++) {
		struct both b = { .machine.functions = FUNCTIONS, .sim = sim, .seed = run };

		memset(sim, 0, sizeof(*sim));
		machine_begin(&b.machine);
		for (int i = 0; i < STACKS; i++)
			assert_true(tl_fold_stack_begin(&b.parked[i]));
		tl_fold_time(&b.machine.fold, 0);
		for (int i = 0; i < STEPS; i++)
			step(&b);
		end(&b);
		compare(&b);
		machine_free(&b.machine);
	}
	free(sim);
}

/* One exchange by hand: f0 ran 10 ticks and f1 5 of them; f2 and f3, parked, had run 100 and 40. */
TEST(frames_keep_their_time_when_they_are_exchanged)
{
	struct machine m = { .functions = 4 };
	struct tl_fold_stack parked;
	const struct step before[] = { { IN, 2, 0 }, { IN, 3, 60 }, { TIME, 0, 100 } },
			  running[] = { { IN, 0, 100 }, { IN, 1, 105 }, { TIME, 0, 110 } },
			  after[] = { { OUT, 2, 111 } },
			  rest[] = { { OUT, 3, 113 }, { OUT, 1, 117 }, { OUT, 0, 125 } };

	machine_begin(&m);
	assert_true(tl_fold_stack_begin(&parked));
	machine_steps(&m, before, 3);
	tl_fold_stack_swap(&m.fold, &parked);
	machine_steps(&m, running, 3);
	/* f2 goes on running, f3 stands on f0 and f1 from now on. */
	assert_true(tl_fold_stack_exchange(&m.fold, &parked, 1));
	assert_int_equal(tl_fold_depth(&m.fold), 1);
	machine_steps(&m, after, 1);
	tl_fold_stack_swap(&m.fold, &parked);
	machine_steps(&m, rest, 3);
	tl_fold_stack_free(&parked);
	machine_finish(&m);
	assert_durations(&m, 2, 1, 101, 101, 101, 101);
	assert_durations(&m, 3, 1, 42, 42, 42, 42);
	assert_durations(&m, 1, 1, 11, 11, 11, 11);
	assert_durations(&m, 0, 1, 24, 24, 24, 24);
	machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_take_turns_at_random),
		cmocka_unit_test(frames_keep_their_time_when_they_are_exchanged),
	};

	return cmocka_run_group_tests_name("profile fold_stacks", tests, NULL, NULL);
}
