/* SPDX-License-Identifier: Apache-2.0 */
#include "core/arithmetic.h"
#include "core/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct run {
	tl_task_fn *fn;
	void *arg;
	size_t count;
	atomic_size_t next;
	pthread_mutex_t lock; /* over the two below */
	size_t failed;        /* the lowest task that failed, `count`: none */
	int status;
};

static void note_failure(struct run *run, size_t task, int status)
{
	pthread_mutex_lock(&run->lock);
	if (task < run->failed) {
		run->failed = task;
		run->status = status;
	}
	pthread_mutex_unlock(&run->lock);
}

static void *work(void *arg)
{
	struct run *run = arg;

	for (size_t task; (task = atomic_fetch_add(&run->next, 1)) < run->count;) {
		int status = run->fn(run->arg, task);

		if (status < 0)
			note_failure(run, task, status);
	}
	return NULL;
}

int tl_pool_run(unsigned jobs, size_t count, tl_task_fn *fn, void *arg)
{
	struct run run = { .fn = fn, .arg = arg, .count = count, .failed = count };
	size_t helpers = tl_min(jobs, count), started = 0;
	pthread_t *threads = helpers > 1 ? malloc((helpers - 1) * sizeof(*threads)) : NULL;

	pthread_mutex_init(&run.lock, NULL);
	/* Helpers only make it faster: without memory or threads for them the caller does all. */
	while (threads && started < helpers - 1 &&
	       !pthread_create(&threads[started], NULL, work, &run))
		started++;
	work(&run);
	while (started)
		pthread_join(threads[--started], NULL);
	pthread_mutex_destroy(&run.lock);
	free(threads);
	return run.status;
}
