/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_POOL_H
#define TL_CORE_POOL_H
/* Work on several threads. */
#include <stddef.h>

/* Task number `task` of a run; returns 0 or a negative tl_status. */
typedef int tl_task_fn(void *arg, size_t task);

/*
 * Run tasks 0 .. count - 1 on up to `jobs` threads (the caller's among them), handed out in order.
 * All are run, also after a failure. Returns the failure of the lowest task that failed, so that
 * the result does not depend on timing.
 */
int tl_pool_run(unsigned jobs, size_t count, tl_task_fn *fn, void *arg);

#endif
