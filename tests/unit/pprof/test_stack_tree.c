/* SPDX-License-Identifier: Apache-2.0 */
/* Sampled stacks as a tree (pprof/profile/stacks.h), against a list of the same samples. */
#include "../unit.h"

#include <stdlib.h>
#include <string.h>

#include "pprof/profile/stacks.h"

enum { WIDTH = 3 };

/* ---- what the tree holds ---- */

/* The stack of a node, the innermost location first; the thread is the last one. */
static size_t path_of(const struct tl_pprof_stacks *s, uint32_t node, uint32_t *path, size_t most)
{
	size_t count = 0;

	for (; node; node = s->tree.nodes[node].parent) {
		assert_true(count < most && node < s->tree.count);
		path[count++] = (uint32_t)s->tree.nodes[node].key;
	}
	return count;
}

/* The values of a stack; NULL: none were added to it. A stack has one node. */
static const int64_t *values_of(const struct tl_pprof_stacks *s, uint32_t thread,
				const uint32_t *locations, size_t count)
{
	const int64_t *found = NULL;
	uint32_t path[64];
	bool seen = false;

	for (uint32_t node = 1; node < s->tree.count; node++) {
		if (path_of(s, node, path, 64) != count + 1 || path[count] != thread ||
		    memcmp(path, locations, count * sizeof(*path)) != 0)
			continue;
		assert_false(seen);
		seen = true;
		found = tl_pprof_stacks_values(s, node);
	}
	return found;
}

static void add(struct tl_pprof_stacks *s, uint32_t thread, const uint32_t *locations, size_t count,
		const int64_t *values)
{
	const uint32_t root = tl_pprof_stacks_root(s, thread);

	assert_true(root != 0);
	assert_true(tl_pprof_stacks_add(s, root, locations, count, 0, values));
}

/* ---- by hand ---- */

#define STACK(...) ((const uint32_t[]){ __VA_ARGS__ })
#define VALUES(a, b, c) ((const int64_t[]){ a, b, c })

static void has(const struct tl_pprof_stacks *s, uint32_t thread, const uint32_t *locations,
		size_t count, const int64_t *wanted)
{
	const int64_t *values = values_of(s, thread, locations, count);

	assert_non_null(values);
	assert_memory_equal(values, wanted, WIDTH * sizeof(*values));
}

TEST(values_of_equal_stacks_are_summed)
{
	struct tl_pprof_stacks s;

	assert_true(tl_pprof_stacks_begin(&s, WIDTH));
	assert_int_equal(s.tree.count, 1);
	add(&s, 0, STACK(3, 2, 1), 3, VALUES(1, 10, 100));
	add(&s, 0, STACK(3, 2, 1), 3, VALUES(2, 20, -50));
	has(&s, 0, STACK(3, 2, 1), 3, VALUES(3, 30, 50));
	/* the thread and three locations */
	assert_int_equal(s.tree.count, 1 + 4);
	/* callers have no values of their own until they are sampled */
	assert_null(values_of(&s, 0, STACK(2, 1), 2));
	assert_null(values_of(&s, 0, STACK(1), 1));
	add(&s, 0, STACK(2, 1), 2, VALUES(7, 0, 0));
	has(&s, 0, STACK(2, 1), 2, VALUES(7, 0, 0));
	assert_int_equal(s.tree.count, 1 + 4);
	tl_pprof_stacks_free(&s);
}

/* The same locations in another order, of another thread, or of another length are others. */
TEST(other_stacks_are_others)
{
	struct tl_pprof_stacks s;

	assert_true(tl_pprof_stacks_begin(&s, WIDTH));
	add(&s, 0, STACK(1, 2), 2, VALUES(1, 0, 0));
	add(&s, 0, STACK(2, 1), 2, VALUES(2, 0, 0));
	add(&s, 1, STACK(1, 2), 2, VALUES(3, 0, 0));
	add(&s, 0, STACK(1, 1, 2), 3, VALUES(4, 0, 0));
	add(&s, 0, STACK(1), 1, VALUES(5, 0, 0));
	add(&s, 2, STACK(1), 1, VALUES(6, 0, 0));
	has(&s, 0, STACK(1, 2), 2, VALUES(1, 0, 0));
	has(&s, 0, STACK(2, 1), 2, VALUES(2, 0, 0));
	has(&s, 1, STACK(1, 2), 2, VALUES(3, 0, 0));
	has(&s, 0, STACK(1, 1, 2), 3, VALUES(4, 0, 0));
	has(&s, 0, STACK(1), 1, VALUES(5, 0, 0));
	has(&s, 2, STACK(1), 1, VALUES(6, 0, 0));
	tl_pprof_stacks_free(&s);
}

/* A sample without a stack is of its thread. */
TEST(stacks_may_be_empty)
{
	struct tl_pprof_stacks s;

	assert_true(tl_pprof_stacks_begin(&s, WIDTH));
	add(&s, 5, STACK(1), 1, VALUES(1, 1, 1));
	add(&s, 5, STACK(0), 0, VALUES(2, 2, 2));
	add(&s, 5, STACK(1), 1, VALUES(1, 1, 1));
	has(&s, 5, STACK(0), 0, VALUES(2, 2, 2));
	has(&s, 5, STACK(1), 1, VALUES(2, 2, 2));
	tl_pprof_stacks_free(&s);
}

/* What does not fit is the largest that does, and is counted. */
TEST(sums_that_do_not_fit)
{
	struct tl_pprof_stacks s;

	assert_true(tl_pprof_stacks_begin(&s, WIDTH));
	add(&s, 0, STACK(1), 1, VALUES(INT64_MAX, INT64_MIN, INT64_MAX));
	assert_int_equal(s.saturated, 0);
	add(&s, 0, STACK(1), 1, VALUES(1, -1, 0));
	has(&s, 0, STACK(1), 1, VALUES(INT64_MAX, INT64_MIN, INT64_MAX));
	assert_int_equal(s.saturated, 2);
	tl_pprof_stacks_free(&s);
}

/* ---- at random ---- */

enum { SAMPLES = 4000, DEEPEST = 12, KINDS = 4 };

struct sample {
	uint32_t thread, locations[DEEPEST];
	size_t count;
	int64_t values[WIDTH];
};

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % below;
}

static bool same_stack(const struct sample *a, const struct sample *b)
{
	return a->thread == b->thread && a->count == b->count &&
	       !memcmp(a->locations, b->locations, a->count * sizeof(*a->locations));
}

static uint64_t hash_of(const struct sample *sample)
{
	uint64_t hash = sample->thread;

	for (size_t i = 0; i < sample->count; i++)
		hash = hash * 31 + sample->locations[i] + 1;
	return hash * 31 + sample->count;
}

/* Samples of stacks in a row, which often have callers in common, as those of programs do. */
static void make_samples(struct sample *samples, uint32_t seed)
{
	struct sample last = { .thread = 0 };

	for (size_t i = 0; i < SAMPLES; i++) {
		size_t kept = draw(&seed, (uint32_t)last.count + 1), count;

		if (draw(&seed, 20) == 0)
			last.thread = draw(&seed, 3);
		count = kept + draw(&seed, (uint32_t)(DEEPEST - kept) + 1);
		/* the outer ones, which are the last, stay */
		memmove(last.locations + (count - kept), last.locations + (last.count - kept),
			kept * sizeof(*last.locations));
		for (size_t j = 0; j < count - kept; j++)
			last.locations[j] = draw(&seed, KINDS);
		last.count = count;
		for (size_t v = 0; v < WIDTH; v++)
			last.values[v] = (int64_t)draw(&seed, 1000) - 300;
		samples[i] = last;
	}
}

TEST(random_stacks_as_a_list_has_them)
{
	struct sample *samples = calloc(SAMPLES, sizeof(*samples));
	struct tl_pprof_stacks s;
	size_t stacks = 0, rows = 0;

	assert_non_null(samples);
	make_samples(samples, 2026);
	assert_true(tl_pprof_stacks_begin(&s, WIDTH));
	for (size_t i = 0; i < SAMPLES; i++)
		add(&s, samples[i].thread, samples[i].locations, samples[i].count,
		    samples[i].values);
	/* more nodes than there were places at first */
	assert_true(s.tree.count > 4096);
	for (uint32_t node = 1; node < s.tree.count; node++) {
		struct sample is = { .count = 0 };
		uint32_t path[DEEPEST + 1];
		int64_t sums[WIDTH] = { 0 };
		uint64_t hash;
		bool any = false;

		is.count = path_of(&s, node, path, DEEPEST + 1) - 1;
		is.thread = path[is.count];
		memcpy(is.locations, path, is.count * sizeof(*path));
		hash = hash_of(&is);
		for (size_t i = 0; i < SAMPLES; i++) {
			/* quicker than the locations */
			if (samples[i].count != is.count || hash_of(&samples[i]) != hash ||
			    !same_stack(&samples[i], &is))
				continue;
			any = true;
			for (size_t v = 0; v < WIDTH; v++)
				sums[v] += samples[i].values[v];
		}
		assert_int_equal(any, tl_pprof_stacks_values(&s, node) != NULL);
		if (any)
			assert_memory_equal(tl_pprof_stacks_values(&s, node), sums, sizeof(sums));
		rows += any;
		stacks++;
		/* a node is checked in a few thousand steps: one of seven is enough */
		node += 6;
	}
	assert_true(stacks > 500 && rows > 100);
	tl_pprof_stacks_free(&s);
	free(samples);
}

/* Each stack has one node, however many there are: a tree of all stacks of two locations. */
TEST(every_stack_has_one_node)
{
	enum { MOST = 60 };
	const int64_t one[WIDTH] = { 1, 1, 1 };
	struct tl_pprof_stacks s;
	size_t nodes;

	assert_true(tl_pprof_stacks_begin(&s, WIDTH));
	for (int round = 0; round < 3; round++) {
		for (uint32_t inner = 0; inner < MOST; inner++)
			for (uint32_t outer = 0; outer < MOST; outer++)
				add(&s, 9, STACK(inner, outer), 2, one);
		nodes = s.tree.count;
		/* the outside, the thread, its locations, and those in each of them */
		assert_int_equal(nodes, 1 + 1 + MOST + MOST * MOST);
	}
	for (uint32_t row = 1; row < s.cost_count; row++)
		assert_int_equal(s.costs[row * WIDTH], 3);
	assert_int_equal(s.cost_count, 1 + MOST * MOST);
	tl_pprof_stacks_free(&s);
}

/* A location of several functions is as many nodes; what is common is whole locations. */
TEST(locations_of_several_keys)
{
	const uint32_t first[] = { 7, 5 }, second[] = { 8, 5 };
	const int64_t one[WIDTH] = { 1, 1, 1 };
	struct tl_pprof_stacks s;

	assert_true(tl_pprof_stacks_begin(&s, WIDTH));
	for (unsigned round = 0; round < 2; round++) {
		const uint32_t root = tl_pprof_stacks_root(&s, 0);

		/* 5 is the keys 50, 51; 7 and 8 begin with the key 60 both */
		assert_int_equal(tl_pprof_stacks_keep(&s, root, first, 2, 0), round);
		if (!round)
			assert_true(tl_pprof_stacks_enter(&s, 5) && tl_pprof_stacks_push(&s, 50) &&
				    tl_pprof_stacks_push(&s, 51));
		assert_true(tl_pprof_stacks_enter(&s, 7) && tl_pprof_stacks_push(&s, 60));
		assert_true(tl_pprof_stacks_count(&s, one));
		assert_int_equal(tl_pprof_stacks_keep(&s, root, second, 2, round), 1);
		assert_true(tl_pprof_stacks_enter(&s, 8) && tl_pprof_stacks_push(&s, 60) &&
			    tl_pprof_stacks_push(&s, 61));
		assert_true(tl_pprof_stacks_count(&s, one));
	}
	assert_int_equal(s.tree.count, 1 + 1 + 4);
	has(&s, 0, STACK(60, 51, 50), 3, VALUES(2, 2, 2));
	has(&s, 0, STACK(61, 60, 51, 50), 4, VALUES(2, 2, 2));
	/* Of another thread nothing is common. */
	assert_int_equal(tl_pprof_stacks_keep(&s, tl_pprof_stacks_root(&s, 1), second, 2, 0), 0);
	tl_pprof_stacks_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_equal_stacks_are_summed),
		cmocka_unit_test(other_stacks_are_others),
		cmocka_unit_test(stacks_may_be_empty),
		cmocka_unit_test(sums_that_do_not_fit),
		cmocka_unit_test(random_stacks_as_a_list_has_them),
		cmocka_unit_test(every_stack_has_one_node),
		cmocka_unit_test(locations_of_several_keys),
	};

	return cmocka_run_group_tests_name("pprof stack tree", tests, NULL, NULL);
}
