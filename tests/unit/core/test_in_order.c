/* SPDX-License-Identifier: Apache-2.0 */
/* "Make and put all tasks, or those before the first one, in their order, that fails." */
#include <stdatomic.h>
#include <unistd.h>
#include "../unit.h"

#include <tracelathe/core.h>
#include "core/threads/in_order.h"

enum { TASKS = 500, NONE = TASKS };

struct work {
	unsigned jobs;
	size_t ahead;
	size_t make_fails, put_fails;        /* NONE: no task */
	size_t slow_put;                     /* the same */
	size_t put;                          /* tasks, in their order */
	atomic_int slots[TL_IN_ORDER_AHEAD]; /* the task that is made in it, plus 1; 0: none */
	atomic_uint busy[TASKS];             /* by worker */
	atomic_uint putting, wrong;
};

static void expect(struct work *w, bool right)
{
	atomic_fetch_add(&w->wrong, !right);
}

static int make(void *arg, size_t task, unsigned worker)
{
	struct work *w = arg;

	expect(w, worker < w->jobs);
	expect(w, !atomic_fetch_add(&w->busy[worker], 1));
	/* What was made in the slot before has been put. */
	expect(w, !atomic_exchange(&w->slots[task % w->ahead], (int)task + 1));
	if (task % 50 == 0)
		usleep(200);
	atomic_fetch_sub(&w->busy[worker], 1);
	return task == w->make_fails ? TL_BAD_SIZE : 5;
}

static int put(void *arg, size_t task)
{
	struct work *w = arg;

	expect(w, !atomic_fetch_add(&w->putting, 1));
	expect(w, task == w->put++);
	expect(w, atomic_exchange(&w->slots[task % w->ahead], 0) == (int)task + 1);
	if (task == w->slow_put)
		usleep(5000);
	atomic_fetch_sub(&w->putting, 1);
	return task == w->put_fails ? TL_IO : 0;
}

/* The status; `put` tasks have been put, and nothing was out of order. */
static int run(struct work *w, size_t put_tasks)
{
	const struct tl_in_order tasks = { w->jobs, TASKS, w->ahead, make, put, w };
	const int status = tl_in_order_run(&tasks);

	assert_int_equal(w->wrong, 0);
	assert_int_equal(w->put, put_tasks);
	return status;
}

static const unsigned jobs[] = { 1, 2, 3, 100 };
static const size_t aheads[] = { 1, 5, TL_IN_ORDER_AHEAD };

static struct work work_of(size_t j, size_t a, size_t make_fails, size_t put_fails)
{
	return (struct work){
		.jobs = jobs[j],
		.ahead = aheads[a],
		.make_fails = make_fails,
		.put_fails = put_fails,
		.slow_put = 40,
	};
}

TEST(all_are_put_in_their_order_and_none_is_made_too_early)
{
	for (size_t j = 0; j < sizeof(jobs) / sizeof(jobs[0]); j++)
		for (size_t a = 0; a < sizeof(aheads) / sizeof(aheads[0]); a++) {
			struct work w = work_of(j, a, NONE, NONE);

			assert_int_equal(run(&w, TASKS), 0);
		}
}

TEST(the_first_failure_ends_it_whoever_fails_earlier_in_time)
{
	for (size_t j = 0; j < sizeof(jobs) / sizeof(jobs[0]); j++)
		for (size_t a = 0; a < sizeof(aheads) / sizeof(aheads[0]); a++) {
			struct work made = work_of(j, a, 42, 43);
			struct work put_first = work_of(j, a, 42, 41);
			struct work last = work_of(j, a, TASKS - 1, NONE);

			/* A task that was not made is not put. */
			assert_int_equal(run(&made, 42), TL_BAD_SIZE);
			assert_int_equal(run(&put_first, 42), TL_IO);
			assert_int_equal(run(&last, TASKS - 1), TL_BAD_SIZE);
		}
}

TEST(no_tasks_are_no_work)
{
	const struct tl_in_order tasks = { .jobs = 4, .ahead = 3 };

	assert_int_equal(tl_in_order_run(&tasks), 0);
}

/* Two tasks that wait for each other end only if the second one is made beside the first. */
static int meet(void *arg, size_t task, unsigned worker)
{
	atomic_uint *here = arg;

	(void)task;
	(void)worker;
	atomic_fetch_add(here, 1);
	for (int i = 0; i < 10000; i++) {
		if (atomic_load(here) == 2)
			return 0;
		usleep(1000);
	}
	return TL_TOO_LARGE;
}

static int put_nothing(void *arg, size_t task)
{
	(void)arg;
	(void)task;
	return 0;
}

TEST(tasks_are_made_at_the_same_time)
{
	atomic_uint here = 0;
	const struct tl_in_order tasks = { 2, 2, 2, meet, put_nothing, &here };

	assert_int_equal(tl_in_order_run(&tasks), 0);
}

/* A task is put while the next one is made. */
struct beside {
	atomic_uint made, put;
};

static int make_beside(void *arg, size_t task, unsigned worker)
{
	struct beside *b = arg;

	(void)worker;
	for (int i = 0; task == 2 && !atomic_load(&b->put); i++) {
		if (i == 10000)
			return TL_TOO_LARGE;
		usleep(1000);
	}
	atomic_fetch_add(&b->made, 1);
	return 0;
}

static int put_beside(void *arg, size_t task)
{
	struct beside *b = arg;

	atomic_fetch_add(&b->put, task == 0);
	return 0;
}

TEST(tasks_are_put_while_others_are_made)
{
	struct beside b = { 0 };
	const struct tl_in_order tasks = { 2, 3, 3, make_beside, put_beside, &b };

	assert_int_equal(tl_in_order_run(&tasks), 0);
	assert_int_equal(b.made, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_put_in_their_order_and_none_is_made_too_early),
		cmocka_unit_test(the_first_failure_ends_it_whoever_fails_earlier_in_time),
		cmocka_unit_test(no_tasks_are_no_work),
		cmocka_unit_test(tasks_are_made_at_the_same_time),
		cmocka_unit_test(tasks_are_put_while_others_are_made),
	};

	return cmocka_run_group_tests_name("core in_order", tests, NULL, NULL);
}
