/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of several stacks goes on (the head of src/intel_pt/profile/stack_switch.c): the returns
 * that come next are given here.
 */
#include "stack_scene.h"

/* The targets of the returns to come; at most as many as are asked for. */
static uint64_t coming[4];
static size_t coming_count;

static size_t ahead(void *arg, uint64_t *backs, size_t most)
{
	(void)arg;
	assert_true(most >= coming_count);
	memcpy(backs, coming, coming_count * sizeof(*coming));
	return coming_count;
}

static void expect_returns(struct fixture *f, size_t count, uint64_t first, uint64_t second)
{
	f->stack.callbacks.ahead = ahead;
	coming[0] = first;
	coming[1] = second;
	coming_count = count;
}

/*
 * Two stacks, of main and of odd, wait behind deep + 0x10, a third one runs; the second was parked
 * when the third began, and so is its resumer. `main_back`, `odd_back`: where deep returns to.
 */
static void in_three_stacks(struct fixture *f, uint64_t main_back, uint64_t odd_back)
{
	expect_returns(f, 0, 0, 0);
	go(f, TL_PT_BY_LOSS, MAIN, 0);
	go(f, TL_PT_BY_CALL, ODD, MAIN + 0x40);
	go(f, TL_PT_BY_CALL, DEEP, main_back);
	go(f, TL_PT_BY_CALL, EVEN, DEEP + 0x10);
	go(f, TL_PT_BY_SWITCH, ODD, 0);
	go(f, TL_PT_BY_CALL, DEEP, odd_back);
	go(f, TL_PT_BY_CALL, EVEN, DEEP + 0x10);
	go(f, TL_PT_BY_SWITCH, UNKNOWN, 0);
	want(f, "[lib.so+0x0]");
	assert_int_equal(f->stack.parked.count, 2);
}

/* The third stack yields to the one whose deep returns to `back`, which yields to it again. */
static void turn(struct fixture *f, size_t count, uint64_t back, const char *wanted)
{
	go(f, TL_PT_BY_CALL, EVEN, UNKNOWN + 0x10);
	expect_returns(f, count, back, 0);
	go(f, TL_PT_BY_SWITCH, DEEP + 0x10, 0);
	want(f, wanted);
	expect_returns(f, 0, 0, 0);
	go(f, TL_PT_BY_CALL, EVEN, DEEP + 0x10);
	go(f, TL_PT_BY_SWITCH, UNKNOWN + 0x10, 0);
	want(f, "[lib.so+0x0]");
}

#define FIRST "main odd deep"
#define SECOND "odd deep"

/* "the returns that come next in the trace are compared with the return addresses of their frames"
 */
static void the_returns_to_come_tell_stacks_apart(void **state)
{
	struct fixture *f = *state;

	in_three_stacks(f, ODD + 0x20, ODD + 0x24);
	for (unsigned i = 0; i < 3; i++) {
		turn(f, 1, ODD + 0x20, FIRST);
		turn(f, 1, ODD + 0x24, SECOND);
		turn(f, 1, ODD + 0x24, SECOND);
		turn(f, 1, ODD + 0x20, FIRST);
	}
}

/* The more returns match, the better; the caller of odd is known of the first stack alone. */
static void more_returns_that_match_are_better(void **state)
{
	struct fixture *f = *state;

	in_three_stacks(f, ODD + 0x20, ODD + 0x24);
	go(f, TL_PT_BY_CALL, EVEN, UNKNOWN + 0x10);
	expect_returns(f, 2, ODD + 0x20, MAIN + 0x99);
	go(f, TL_PT_BY_SWITCH, DEEP + 0x10, 0);
	want(f, FIRST);
}

/* Nobody called the second stack's odd: all returns that can be compared match. */
static void a_stack_that_ends_matches_as_a_whole(void **state)
{
	struct fixture *f = *state;

	in_three_stacks(f, ODD + 0x20, ODD + 0x20);
	go(f, TL_PT_BY_CALL, EVEN, UNKNOWN + 0x10);
	expect_returns(f, 2, ODD + 0x20, MAIN + 0x99);
	go(f, TL_PT_BY_SWITCH, DEEP + 0x10, 0);
	want(f, SECOND);
}

/*
 * "Where the trace decided, score the guess that is used where it does not: the resumer, or else
 * the stack that was parked first"; the score is within +-8.
 */
static void the_better_guess_is_learnt(void **state)
{
	struct fixture *f = *state;
	int *score = &f->stack.last_switch.resumer_score;

	in_three_stacks(f, ODD + 0x20, ODD + 0x24);
	assert_int_equal(*score, 0);
	/* The resumer is right, and it is the one that was parked last. */
	for (int i = 1; i <= 10; i++) {
		turn(f, 1, ODD + 0x24, SECOND);
		assert_int_equal(*score, i < 8 ? i : 8);
	}
	turn(f, 0, 0, SECOND);
	/* A guess does not score. */
	assert_int_equal(*score, 8);
	for (int i = 1; i <= 20; i++) {
		turn(f, 1, ODD + 0x20, FIRST);
		assert_int_equal(*score, i < 16 ? 8 - i : -8);
	}
	turn(f, 1, ODD + 0x24, SECOND);
	assert_int_equal(*score, -7);
	/* The first was parked before the second now, and the resumer is the second still. */
	turn(f, 0, 0, FIRST);
	turn(f, 0, 0, SECOND);
	assert_int_equal(*score, -7);
}

/* The resumer is right mostly, but does not wait here: the stack that was parked first is taken. */
static void the_resumer_that_does_not_wait_here_is_no_guess(void **state)
{
	struct fixture *f = *state;

	in_three_stacks(f, ODD + 0x20, ODD + 0x24);
	for (unsigned i = 0; i < 3; i++)
		turn(f, 1, ODD + 0x24, SECOND);
	turn(f, 1, ODD + 0x20, FIRST);
	assert_int_equal(f->stack.last_switch.resumer_score, 2);
	/* A fourth stack, whose resumer is the third. */
	go(f, TL_PT_BY_CALL, EVEN, UNKNOWN + 0x10);
	go(f, TL_PT_BY_SWITCH, UNKNOWN + 0x1000, 0);
	assert_int_equal(f->stack.parked.count, 3);
	go(f, TL_PT_BY_SWITCH, DEEP + 0x10, 0);
	want(f, SECOND);
	assert_int_equal(f->stack.last_switch.resumer_score, 2);
}

/* What decides between two candidates of which one is no other stack says nothing of resumers. */
static void a_single_candidate_does_not_score(void **state)
{
	struct fixture *f = *state;

	in_three_stacks(f, ODD + 0x20, ODD + 0x24);
	go(f, TL_PT_BY_CALL, EVEN, UNKNOWN + 0x10);
	expect_returns(f, 1, ODD + 0x24, 0);
	go(f, TL_PT_BY_SWITCH, DEEP + 0x10, 0);
	assert_int_equal(f->stack.last_switch.resumer_score, 1);
	expect_returns(f, 1, MAIN, 0);
	go(f, TL_PT_BY_CALL, EVEN, DEEP + 0x10);
	go(f, TL_PT_BY_SWITCH, UNKNOWN + 0x10, 0);
	assert_int_equal(f->stack.last_switch.resumer_score, 1);
}

/* The frames that change places keep their return addresses, whatever stood there before. */
static void frames_that_change_places_keep_their_addresses(void **state)
{
	struct fixture *f = *state;

	in_three_stacks(f, MAIN + 0x20, ODD + 0x20);
	go(f, TL_PT_BY_SWITCH, DEEP + 0x10, 0);
	want(f, FIRST);
	go(f, TL_PT_BY_CALL, EVEN, DEEP + 0x40);
	go(f, TL_PT_BY_CALL, ODD, EVEN + 0x40);
	go(f, TL_PT_BY_RETURN, EVEN + 0x40, 0);
	go(f, TL_PT_BY_RETURN, DEEP + 0x40, 0);
	/* It was the second: its frames below go on here, those of the first below the other. */
	go(f, TL_PT_BY_RETURN, ODD + 0x20, 0);
	want(f, "odd");
	go(f, TL_PT_BY_CALL, EVEN, ODD + 0x10);
	go(f, TL_PT_BY_SWITCH, DEEP + 0x10, 0);
	want(f, FIRST);
	go(f, TL_PT_BY_RETURN, MAIN + 0x20, 0);
	want(f, "main odd");
	go(f, TL_PT_BY_RETURN, MAIN + 0x40, 0);
	want(f, "main");
}

/*
 * "No frame has this return address, but a frame of the function is open: ... The returns to come
 * tell its frames apart."
 */
static void in_a_recursion(struct fixture *f)
{
	go(f, TL_PT_BY_LOSS, MAIN, 0);
	go(f, TL_PT_BY_CALL, DEEP, MAIN + 0x10);
	go(f, TL_PT_BY_CALL, DEEP, DEEP + 0x10);
	go(f, TL_PT_BY_CALL, DEEP, DEEP + 0x14);
	go(f, TL_PT_BY_CALL, EVEN, DEEP + 0x18);
	want(f, "main deep deep deep even");
}

static void an_open_frame_of_the_function_goes_on(void **state)
{
	static const struct {
		size_t count;
		uint64_t first, second;
		const char *wanted;
	} rows[] = {
		/* the innermost, if nothing is known, or nothing matches */
		{ 0, 0, 0, "main deep deep deep" },
		{ 1, MAIN + 0x99, 0, "main deep deep deep" },
		{ 1, DEEP + 0x14, 0, "main deep deep deep" },
		{ 1, DEEP + 0x10, 0, "main deep deep" },
		{ 1, MAIN + 0x10, 0, "main deep" },
		{ 2, DEEP + 0x10, MAIN + 0x99, "main deep deep" },
		{ 2, DEEP + 0x10, MAIN + 0x10, "main deep deep" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture *f;

		setup((void **)&f);
		in_a_recursion(f);
		expect_returns(f, rows[i].count, rows[i].first, rows[i].second);
		go(f, TL_PT_BY_SWITCH, DEEP + 0x1e, 0);
		want(f, rows[i].wanted);
		/* What was left may go on. */
		assert_int_equal(f->stack.parked.count, i < 3 ? 0 : 1);
		teardown((void **)&f);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(the_returns_to_come_tell_stacks_apart),
		WITH_FIXTURE(more_returns_that_match_are_better),
		WITH_FIXTURE(a_stack_that_ends_matches_as_a_whole),
		WITH_FIXTURE(the_better_guess_is_learnt),
		WITH_FIXTURE(the_resumer_that_does_not_wait_here_is_no_guess),
		WITH_FIXTURE(a_single_candidate_does_not_score),
		WITH_FIXTURE(frames_that_change_places_keep_their_addresses),
		cmocka_unit_test(an_open_frame_of_the_function_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
