/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_IN_ORDER_H
#define TL_CORE_IN_ORDER_H
/* Work on several threads, whose results are put one behind the other while others are made. */
#include <stddef.h>

enum { TL_IN_ORDER_AHEAD = 64 };

/* All functions return 0 or a negative tl_status. */
struct tl_in_order {
	unsigned jobs; /* threads at most, the caller's among them */
	size_t count;  /* tasks 0 .. count - 1 */
	/*
	 * So many tasks, at most TL_IN_ORDER_AHEAD, may be made and not put yet: no task is begun
	 * before the one that is `ahead` before it has been put, so that they share what they are
	 * made in.
	 */
	size_t ahead;
	/* Make a task; `worker`, less than `jobs`, is that of no other task at the same time. */
	int (*make)(void *arg, size_t task, unsigned worker);
	/* Put a task that is made: one after the other, in their order, on any of the threads. */
	int (*put)(void *arg, size_t task);
	void *arg;
};

/*
 * Make and put all tasks, or those before the first one, in their order, that fails. Returns that
 * failure, whatever the timing was.
 */
int tl_in_order_run(const struct tl_in_order *tasks);

#endif
