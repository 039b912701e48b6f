/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/collect/order.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"

enum { UNIT = 8, UNITS = TL_XTRACE_IMAGE_BYTES / UNIT };

/* Eight bytes of memory. */
struct unit {
	uint64_t readers; /* since the last store, a bit a thread */
	uint64_t posts;   /* of the writer when it stored */
	uint32_t writer;  /* of the last store, from 1; 0: none */
};

bool tl_xtrace_order_begin(struct tl_xtrace_order *order, size_t threads)
{
	order->units.page_bytes = UNITS * sizeof(struct unit);
	order->count = threads;
	order->waits = calloc(threads, sizeof(*order->waits));
	order->threads = calloc(threads, sizeof(*order->threads));
	if (!order->waits || !order->threads)
		return false;
	for (size_t i = 0; i < threads; i++) {
		order->threads[i].known = calloc(threads, sizeof(*order->threads[i].known));
		if (!order->threads[i].known)
			return false;
	}
	return true;
}

void tl_xtrace_order_end(struct tl_xtrace_order *order)
{
	for (size_t i = 0; order->threads && i < order->count; i++)
		free(order->threads[i].known);
	free(order->threads);
	free(order->waits);
	tl_xtrace_pages_free(&order->units);
	*order = (struct tl_xtrace_order){ .count = 0 };
}

/* `thread` waits for what `other` had done when it had made so many posts. */
static void wait_for(struct tl_xtrace_order *order, uint32_t thread, uint32_t other, uint64_t posts)
{
	struct tl_xtrace_order_thread *o = &order->threads[other];

	if (other == thread || order->threads[thread].known[other] > posts)
		return;
	/* Nothing that came later than this access is behind that post. */
	o->pending |= o->posts == posts;
	order->waits[other] = tl_max(order->waits[other], posts + 1);
	order->any = true;
}

static void take_unit(struct tl_xtrace_order *order, uint32_t thread, struct unit *unit, bool store)
{
	if (unit->writer)
		wait_for(order, thread, unit->writer - 1, unit->posts);
	if (!store) {
		unit->readers |= UINT64_C(1) << thread;
		return;
	}
	for (uint64_t left = unit->readers; left; left &= left - 1) {
		uint32_t reader = (uint32_t)__builtin_ctzll(left);

		wait_for(order, thread, reader, order->threads[reader].posts);
	}
	*unit = (struct unit){ .posts = order->threads[thread].posts, .writer = thread + 1 };
}

bool tl_xtrace_order_access(struct tl_xtrace_order *order, uint32_t thread, uint64_t address,
			    size_t size, bool store)
{
	uint64_t first = tl_xtrace_untagged(address) / UNIT;
	uint64_t last = (tl_xtrace_untagged(address) + size - 1) / UNIT;

	for (uint64_t i = first; i <= last; i++) {
		uint8_t *page = tl_xtrace_pages_get(&order->units, i / UNITS);

		if (!page)
			return false;
		take_unit(order, thread, (struct unit *)(void *)page + i % UNITS, store);
	}
	return true;
}

bool tl_xtrace_order_take(struct tl_xtrace_order *order, struct tl_xtrace_replay *replay,
			  uint64_t event)
{
	uint32_t thread = replay->events[event].thread;

	for (uint32_t i = 0; i < order->count; i++) {
		const struct tl_xtrace_wait wait = { event, order->waits[i], i };

		if (!wait.progress)
			continue;
		order->threads[thread].known[i] = wait.progress;
		order->waits[i] = 0;
		if (!tl_xtrace_replay_wait(replay, &wait))
			return false;
	}
	order->any = false;
	return true;
}
