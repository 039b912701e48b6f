/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/in_order.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/arithmetic.h"

enum { NOT_MADE, MADE }; /* or a failure, which is negative */

/* All of it is under the lock, but for `tasks`. */
struct turns {
	const struct tl_in_order *tasks;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned workers;
	size_t next_made, next_put;  /* tasks */
	int made[TL_IN_ORDER_AHEAD]; /* of tasks that are not put yet, by number modulo `ahead` */
	bool putting;                /* some thread puts `next_put` */
	bool over;
	int status;
};

static int *made_of(struct turns *t, size_t task)
{
	return &t->made[task % t->tasks->ahead];
}

static void put_next(struct turns *t)
{
	const size_t task = t->next_put;
	int status = *made_of(t, task);

	t->putting = true;
	pthread_mutex_unlock(&t->lock);
	if (status == MADE)
		status = t->tasks->put(t->tasks->arg, task);
	pthread_mutex_lock(&t->lock);
	t->putting = false;
	*made_of(t, task) = NOT_MADE;
	t->next_put++;
	t->status = tl_min(status, 0);
	t->over = t->status < 0 || t->next_put == t->tasks->count;
	pthread_cond_broadcast(&t->changed);
}

static void make_next(struct turns *t, unsigned worker)
{
	const size_t task = t->next_made++;
	int status;

	pthread_mutex_unlock(&t->lock);
	status = t->tasks->make(t->tasks->arg, task, worker);
	pthread_mutex_lock(&t->lock);
	*made_of(t, task) = status < 0 ? status : MADE;
	if (task == t->next_put)
		pthread_cond_broadcast(&t->changed);
}

static void *work(void *arg)
{
	struct turns *t = arg;
	unsigned worker;

	pthread_mutex_lock(&t->lock);
	worker = t->workers++;
	while (!t->over) {
		if (!t->putting && *made_of(t, t->next_put) != NOT_MADE)
			put_next(t);
		else if (t->next_made < t->tasks->count &&
			 t->next_made - t->next_put < t->tasks->ahead)
			make_next(t, worker);
		else
			pthread_cond_wait(&t->changed, &t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static int run_here(const struct tl_in_order *tasks)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < tasks->count; i++) {
		status = tasks->make(tasks->arg, i, 0);
		if (status >= 0)
			status = tasks->put(tasks->arg, i);
		status = tl_min(status, 0);
	}
	return status;
}

int tl_in_order_run(const struct tl_in_order *tasks)
{
	struct turns t = { .tasks = tasks };
	size_t helpers = tl_min(tasks->jobs, tasks->count), started = 0;
	pthread_t *threads = helpers > 1 ? malloc((helpers - 1) * sizeof(*threads)) : NULL;

	if (!threads)
		return run_here(tasks);
	pthread_mutex_init(&t.lock, NULL);
	pthread_cond_init(&t.changed, NULL);
	/* Helpers only make it faster, as in a pool. */
	while (started < helpers - 1 && !pthread_create(&threads[started], NULL, work, &t))
		started++;
	work(&t);
	while (started)
		pthread_join(threads[--started], NULL);
	pthread_cond_destroy(&t.changed);
	pthread_mutex_destroy(&t.lock);
	free(threads);
	return t.status;
}
