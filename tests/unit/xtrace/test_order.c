/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of threads against a model of its own: what every access has to come behind, worked out
 * from a list of all accesses. The waits and posts that are found are executed in random turns, as
 * threads would, which must end, and in which no access may come before one that it depends on.
 */
#include "../unit.h"

#include <stdlib.h>
#include <string.h>

#include "xtrace/elf/collect/order.h"

enum { THREADS = 5, ACCESSES = 400, CELLS = 12, ROUNDS = 200 };

struct step {
	uint64_t cell;
	uint32_t thread;
	bool store, bad_place; /* a post cannot be made here */
	uint64_t post;
	uint64_t waits[THREADS];
};

static struct step steps[ACCESSES];

/* As the collector does: a post is made before the waits of the same instruction. */
static void plan(struct tl_xtrace_order *order, struct step *s)
{
	struct tl_xtrace_order_thread *own = &order->threads[s->thread];
	struct tl_xtrace_replay_thread thread = { .last_event = TL_NOWHERE };
	struct tl_xtrace_event event = { .thread = s->thread };
	struct tl_xtrace_replay replay = { .threads = &thread, .events = &event };

	if (own->pending && !s->bad_place) {
		own->pending = false;
		s->post = ++own->posts;
	}
	assert_true(tl_xtrace_order_access(order, s->thread, 0x7000 + s->cell, 1, s->store));
	assert_true(tl_xtrace_order_take(order, &replay, 0));
	for (size_t i = 0; i < replay.wait_count; i++)
		s->waits[replay.waits[i].thread] = replay.waits[i].progress;
	free(replay.waits);
}

static bool depends(const struct step *later, const struct step *earlier)
{
	return later->cell == earlier->cell && later->thread != earlier->thread &&
	       (later->store || earlier->store);
}

/* The next step of a thread; ACCESSES: it is over. */
static size_t next_of(uint32_t thread, size_t from)
{
	while (from < ACCESSES && steps[from].thread != thread)
		from++;
	return from;
}

static bool may_go(const struct step *s, const uint64_t *progress)
{
	for (uint32_t i = 0; i < THREADS; i++)
		if (s->waits[i] > progress[i])
			return false;
	return true;
}

static void execute(void)
{
	uint64_t progress[THREADS] = { 0 };
	size_t at[THREADS];
	bool done[ACCESSES] = { false };
	size_t left = ACCESSES, stuck = 0;

	for (uint32_t i = 0; i < THREADS; i++)
		at[i] = next_of(i, 0);
	while (left) {
		uint32_t thread = (uint32_t)rand() % THREADS;
		size_t now = at[thread];

		assert_true(++stuck < 10000);
		if (now == ACCESSES) {
			progress[thread] = UINT64_MAX;
			continue;
		}
		if (steps[now].post)
			progress[thread] = steps[now].post;
		if (!may_go(&steps[now], progress))
			continue;
		for (size_t i = 0; i < now; i++)
			assert_true(done[i] || !depends(&steps[now], &steps[i]));
		done[now] = true;
		at[thread] = next_of(thread, now + 1);
		left--;
		stuck = 0;
	}
}

TEST(random_turns_keep_the_order)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct tl_xtrace_order order = { .count = 0 };

		srand(round);
		assert_true(tl_xtrace_order_begin(&order, THREADS));
		memset(steps, 0, sizeof(steps));
		for (size_t i = 0; i < ACCESSES; i++) {
			steps[i].thread = (uint32_t)rand() % THREADS;
			steps[i].store = rand() % 3 == 0;
			/* Accesses that nobody depends on: no wait is there. */
			steps[i].bad_place = rand() % 8 == 0;
			steps[i].cell =
				steps[i].bad_place ? 0x1000 + i * 8 : (uint64_t)rand() % CELLS * 8;
			plan(&order, &steps[i]);
		}
		tl_xtrace_order_end(&order);
		execute();
	}
}

/* Threads that do not meet wait for nobody; bytes of a word are one. */
TEST(waits_are_for_what_is_shared)
{
	struct tl_xtrace_order order = { .count = 0 };

	assert_true(tl_xtrace_order_begin(&order, 2));
	assert_true(tl_xtrace_order_access(&order, 0, 0x1000, 16, true));
	assert_true(tl_xtrace_order_access(&order, 1, 0x1010, 8, true));
	assert_true(tl_xtrace_order_access(&order, 1, 0x2000, 8, false));
	assert_true(tl_xtrace_order_access(&order, 0, 0x2000, 8, false));
	assert_false(order.any);
	assert_true(tl_xtrace_order_access(&order, 1, 0x100f, 1, false));
	assert_true(order.any);
	assert_int_equal(order.waits[0], 1);
	assert_true(order.threads[0].pending);
	/* The tag of an address is no part of it. */
	assert_true(tl_xtrace_order_access(&order, 0, 0xab00000000001010, 8, false));
	assert_int_equal(order.waits[1], 1);
	tl_xtrace_order_end(&order);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_turns_keep_the_order),
		cmocka_unit_test(waits_are_for_what_is_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
