/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of a thread, folded without knowing the stack they begin with and spliced: the same sums,
 * durations and open calls as the fold of all its records in order, wherever it is cut.
 */
#include <string.h>

#include "../chance.h"
#include "../unit.h"

#include "profile/fold/flat.h"

enum { FUNCTIONS = 4, STEPS = 60, DEEPEST = 12 };

struct step {
	bool enter;
	uint32_t function;
	uint64_t time;
};

static void begin(struct tl_flat *flat, bool local, uint64_t time)
{
	assert_true(tl_flat_begin(flat, 1, false));
	for (uint32_t f = 0; f < FUNCTIONS; f++)
		assert_int_equal(tl_flat_add_function(flat), f);
	if (local)
		assert_true(tl_flat_begin_local(flat));
	if (local)
		tl_flat_time(flat, time);
}

static void run(struct tl_flat *flat, const struct step *steps, size_t count)
{
	for (size_t i = 0; i < count && !flat->refused; i++) {
		const struct step *s = &steps[i];

		tl_flat_time(flat, s->time);
		if (s->enter && flat->local && flat->hot.top == flat->frames)
			tl_flat_note_root(flat, s->function);
		if (s->enter)
			tl_flat_enter(&flat->hot, flat, s->function);
		else
			tl_flat_leave(&flat->hot, flat, s->function);
		flat->records++;
	}
	assert_false(flat->no_memory);
}

/* Exits of the innermost call, some of a function that is not on the stack, times that go back. */
static void draw(struct step *steps, uint32_t *seed)
{
	uint32_t open[DEEPEST], on_stack[FUNCTIONS + 1] = { 0 };
	uint64_t time = 1000;
	size_t depth = 0;

	for (size_t i = 0; i < STEPS; i++) {
		struct step *s = &steps[i];
		uint32_t stray = chance(seed, FUNCTIONS);

		time = chance(seed, 40) ? time + chance(seed, 9) : time - 3;
		*s = (struct step){ .time = time, .function = stray };
		if (!on_stack[stray] && !chance(seed, 6))
			continue;
		s->enter = !depth || (depth < DEEPEST && chance(seed, 9) < (i < STEPS / 2 ? 6 : 3));
		if (s->enter) {
			open[depth++] = s->function;
			on_stack[s->function]++;
		} else {
			s->function = open[--depth];
			on_stack[s->function]--;
		}
	}
}

static void assert_same(struct tl_flat *a, struct tl_flat *b)
{
	const size_t depth = (size_t)(a->hot.top - a->frames);

	assert_int_equal(b->hot.top - b->frames, depth);
	assert_int_equal(a->hot.clock, b->hot.clock);
	assert_int_equal(a->last, b->last);
	assert_int_equal(a->first_ticks, b->first_ticks);
	assert_int_equal(a->records, b->records);
	assert_memory_equal(&a->losses, &b->losses, sizeof(a->losses));
	for (size_t i = 0; i <= depth; i++) {
		assert_int_equal(a->frames[i].function, b->frames[i].function);
		assert_int_equal(a->frames[i].start, b->frames[i].start);
		assert_int_equal(a->frames[i].callees, b->frames[i].callees);
	}
	for (size_t f = 0; f < FUNCTIONS; f++) {
		struct tl_latencies *x = &a->hot.latencies[f], *y = &b->hot.latencies[f];

		assert_memory_equal(&a->hot.rows[f], &b->hot.rows[f], sizeof(a->hot.rows[f]));
		tl_latency_settle(x);
		tl_latency_settle(y);
		assert_true(x->min == y->min && x->max == y->max);
		assert_int_equal(x->sample_count, y->sample_count);
		if (x->sample_count)
			assert_memory_equal(x->samples, y->samples,
					    x->sample_count * sizeof(*x->samples));
	}
}

static const uint32_t same_numbers[FUNCTIONS] = { 0, 1, 2, 3 };

static bool splice(struct tl_flat *flat, const struct step *steps, size_t count)
{
	struct tl_flat piece;
	bool done;

	begin(&piece, true, steps[0].time);
	run(&piece, steps, count);
	done = !piece.refused && tl_flat_splice(flat, &piece, same_numbers, NULL, NULL);
	tl_flat_free(&piece);
	return done;
}

TEST(wherever_a_thread_is_cut_its_sums_are_the_same)
{
	struct step steps[STEPS];
	uint32_t seed = 1;

	for (unsigned round = 0; round < 300; round++) {
		struct tl_flat whole;

		draw(steps, &seed);
		begin(&whole, false, 0);
		run(&whole, steps, STEPS);
		assert_false(whole.refused);
		for (size_t cut = 1; cut < STEPS - 1; cut++) {
			const size_t next = cut + 1 + chance(&seed, (unsigned)(STEPS - cut - 1));
			struct tl_flat flat;

			begin(&flat, false, 0);
			run(&flat, steps, cut);
			assert_true(splice(&flat, steps + cut, next - cut));
			assert_true(splice(&flat, steps + next, STEPS - next));
			assert_same(&whole, &flat);
			tl_flat_free(&flat);
		}
		tl_flat_free(&whole);
	}
}

/* By hand: 0 is open from 10 to 50, inside of it 1, and 0 again; the cut is at 25. */
TEST(calls_inside_an_open_one_of_the_same_function_are_not_inclusive)
{
	static const struct step before[] = { { true, 0, 10 }, { true, 1, 20 } };
	static const struct step behind[] = {
		{ true, 0, 26 },  { false, 0, 30 }, /* inside 1, which 0 called */
		{ false, 1, 40 }, { false, 0, 50 }, { true, 0, 60 }, { false, 0, 63 },
	};
	struct tl_flat flat;

	begin(&flat, false, 0);
	run(&flat, before, 2);
	assert_true(splice(&flat, behind, 6));
	assert_int_equal(flat.hot.rows[0].inclusive, 40 + 3);
	assert_int_equal(flat.hot.rows[0].self, 40 - 20 + 4 + 3);
	assert_int_equal(flat.hot.rows[0].calls, 3);
	assert_int_equal(flat.hot.rows[1].inclusive, 20);
	assert_int_equal(flat.hot.rows[1].self, 20 - 4);
	tl_flat_free(&flat);
}

/* An exit of a frame that others are above cuts those: the whole thread is read with contexts. */
TEST(exits_of_outer_frames_are_refused)
{
	static const struct step before[] = { { true, 0, 10 }, { true, 1, 20 } };
	static const struct step skips[] = { { false, 0, 30 } };
	static const struct step above[] = { { true, 2, 30 }, { false, 1, 40 } };
	struct tl_flat flat;

	for (unsigned i = 0; i < 2; i++) {
		begin(&flat, false, 0);
		run(&flat, before, 2);
		assert_false(splice(&flat, i ? above : skips, i ? 2 : 1));
		assert_true(flat.refused);
		tl_flat_free(&flat);
	}
}

static bool can_call(void *arg, uint32_t caller, uint32_t callee)
{
	char **at = arg;

	*(*at)++ = (char)('a' + caller);
	*(*at)++ = (char)('a' + callee);
	return callee != 3;
}

/* Whether the frames that a piece does not know can have made its calls is asked of them. */
TEST(callers_of_the_outermost_calls_are_asked)
{
	static const struct step before[] = { { true, 0, 10 }, { true, 1, 20 } };
	static const struct step behind[] = {
		{ true, 2, 30 },  { true, 1, 31 },  { false, 1, 32 }, { false, 2, 33 },
		{ false, 1, 40 }, { true, 1, 41 },  { false, 1, 42 }, { false, 0, 50 },
		{ true, 3, 60 },  { false, 3, 70 }, { true, 3, 80 },
	};
	char asked[16] = "", *end = asked;
	struct tl_flat flat, piece;

	begin(&flat, false, 0);
	run(&flat, before, 2);
	begin(&piece, true, 30);
	run(&piece, behind, 11);
	assert_true(tl_flat_splice(&flat, &piece, same_numbers, can_call, &end));
	assert_string_equal(asked, "bcab"); /* calls from outside need no caller */
	tl_flat_free(&piece);

	begin(&piece, true, 90);
	run(&piece, behind + 8, 1);
	assert_false(tl_flat_splice(&flat, &piece, same_numbers, can_call, &end));
	assert_string_equal(asked, "bcabdd");
	tl_flat_free(&piece);
	tl_flat_free(&flat);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wherever_a_thread_is_cut_its_sums_are_the_same),
		cmocka_unit_test(calls_inside_an_open_one_of_the_same_function_are_not_inclusive),
		cmocka_unit_test(exits_of_outer_frames_are_refused),
		cmocka_unit_test(callers_of_the_outermost_calls_are_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
