/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_ORDER_H
#define TL_XTRACE_ORDER_H
/*
 * Which accesses of a thread have to wait for those of others: a load for the last store before it,
 * a store for that and for the loads since. A thread publishes its progress, a number, by a *post*
 * behind accesses that somebody waits for.
 *
 * Accesses come in the order of TIME. A post is made at the next instruction of its thread, so
 * that it is before any wait of the thread that comes later in that order: no two threads can wait
 * for each other. Memory is followed in units of 8 bytes; what is more order than there must be is
 * still the trace's.
 */
#include "xtrace/elf/replay.h"

struct tl_xtrace_order_thread {
	uint64_t posts;  /* made so far, which is the progress of the last one */
	bool pending;    /* one has to be made at its next instruction */
	uint64_t *known; /* progress of each thread that it has waited for */
};

struct tl_xtrace_order {
	struct tl_xtrace_pages units; /* by number of the memory's page */
	struct tl_xtrace_order_thread *threads;
	size_t count;
	uint64_t *waits; /* of the present access: the progress of each thread, 0: none */
	bool any;        /* there are some */
};

/* Of at most TL_XTRACE_MOST_THREADS. `order` is zero-filled. False without memory. */
bool tl_xtrace_order_begin(struct tl_xtrace_order *order, size_t threads);
/*
 * A thread loads or stores: what it has to wait for is added to `order->waits`, which the caller
 * takes by tl_xtrace_order_take(). False without memory.
 */
bool tl_xtrace_order_access(struct tl_xtrace_order *order, uint32_t thread, uint64_t address,
			    size_t size, bool store);
/* The waits that were found, as waits of an event. False without memory. */
bool tl_xtrace_order_take(struct tl_xtrace_order *order, struct tl_xtrace_replay *replay,
			  uint64_t event);
void tl_xtrace_order_end(struct tl_xtrace_order *order);

#endif
