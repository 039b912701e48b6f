/* SPDX-License-Identifier: Apache-2.0 */
/* "All are run, also after a failure. Returns the failure of the lowest task that failed." */
#include <stdatomic.h>
#include <unistd.h>
#include "../unit.h"

#include <tracelathe/core.h>
#include "core/pool.h"

enum { TASKS = 1000 };

struct work {
	atomic_uint runs[TASKS];
	size_t fails[2];
	int with[2];
};

static int count_run(void *arg, size_t task)
{
	struct work *work = arg;

	atomic_fetch_add(&work->runs[task], 1);
	for (int i = 0; i < 2; i++) {
		if (work->fails[i] == task) {
			/* The lower failure comes later in time. */
			usleep(i ? 0 : 20000);
			return work->with[i];
		}
	}
	return 0;
}

static const unsigned jobs[] = { 0, 1, 2, 3, 8, 2000 };

TEST(every_task_runs_once)
{
	for (size_t j = 0; j < sizeof(jobs) / sizeof(jobs[0]); j++) {
		struct work work = { .fails = { TASKS, TASKS } };

		assert_int_equal(tl_pool_run(jobs[j], TASKS, count_run, &work), 0);
		for (size_t i = 0; i < TASKS; i++)
			assert_int_equal(work.runs[i], 1);
	}
}

TEST(the_lowest_failure_wins_and_the_rest_still_runs)
{
	for (size_t j = 0; j < sizeof(jobs) / sizeof(jobs[0]); j++) {
		struct work work = { .fails = { 5, 6 }, .with = { TL_TRUNCATED, TL_BAD_SIZE } };

		assert_int_equal(tl_pool_run(jobs[j], TASKS, count_run, &work), TL_TRUNCATED);
		for (size_t i = 0; i < TASKS; i++)
			assert_int_equal(work.runs[i], 1);
	}
}

/* The last and the first task may fail too; a positive result is no failure. */
TEST(failures_at_the_ends)
{
	struct work last = { .fails = { TASKS - 1, TASKS }, .with = { TL_IO, 0 } };
	struct work first = { .fails = { TASKS - 1, 0 }, .with = { TL_IO, TL_BAD_USAGE } };
	struct work positive = { .fails = { 3, TASKS }, .with = { 7, 0 } };

	assert_int_equal(tl_pool_run(4, TASKS, count_run, &last), TL_IO);
	assert_int_equal(tl_pool_run(4, TASKS, count_run, &first), TL_BAD_USAGE);
	assert_int_equal(tl_pool_run(4, TASKS, count_run, &positive), 0);
}

TEST(no_tasks_is_no_work)
{
	assert_int_equal(tl_pool_run(8, 0, NULL, NULL), 0);
}

struct order {
	atomic_size_t last;
	atomic_uint back;
};

static int note_order(void *arg, size_t task)
{
	struct order *order = arg;

	if (atomic_exchange(&order->last, task + 1) > task)
		atomic_fetch_add(&order->back, 1);
	return 0;
}

/* "handed out in order": one job sees them rising. */
TEST(one_job_runs_them_in_order)
{
	struct order order = { 0 };

	assert_int_equal(tl_pool_run(1, TASKS, note_order, &order), 0);
	assert_int_equal(order.last, TASKS);
	assert_int_equal(order.back, 0);
}

/* Four tasks that wait for each other end only if four threads run. */
static int wait_for_four(void *arg, size_t task)
{
	atomic_uint *here = arg;

	(void)task;
	atomic_fetch_add(here, 1);
	for (int i = 0; i < 10000; i++) {
		if (atomic_load(here) == 4)
			return 0;
		usleep(1000);
	}
	return TL_TOO_LARGE;
}

TEST(jobs_run_at_the_same_time)
{
	atomic_uint here = 0;

	assert_int_equal(tl_pool_run(4, 4, wait_for_four, &here), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_task_runs_once),
		cmocka_unit_test(the_lowest_failure_wins_and_the_rest_still_runs),
		cmocka_unit_test(failures_at_the_ends),
		cmocka_unit_test(no_tasks_is_no_work),
		cmocka_unit_test(one_job_runs_them_in_order),
		cmocka_unit_test(jobs_run_at_the_same_time),
	};

	return cmocka_run_group_tests_name("core pool", tests, NULL, NULL);
}
