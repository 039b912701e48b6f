/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks as nodes of a tree: what stands above each node is the stack. */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include "perf_data/samples/stacks.h"

enum { STACKS = 40000, DEEPEST = 100, ROOTS = 3 };

static struct tl_perf_stacks stacks;
static uint64_t random_state;

static uint32_t below(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % limit;
}

/* Stack `number`: the same addresses whenever it is asked for. Its depth; the innermost first. */
static size_t make_stack(uint32_t number, uint64_t ips[DEEPEST], uint32_t *root)
{
	size_t depth;

	random_state = number;
	below(1);
	depth = 1 + below(number % 16 ? 12 : DEEPEST);
	for (size_t i = 0; i < depth; i++)
		ips[i] = 0x400000 + below(7) * 16;
	*root = below(ROOTS);
	return depth;
}

static void assert_is_path(uint32_t node, uint32_t root, const uint64_t *ips, size_t depth)
{
	const struct tl_path_node *nodes = stacks.tree.nodes;

	for (size_t i = 0; i < depth; i++, node = nodes[node].parent) {
		assert_true(node > 0);
		assert_int_equal(nodes[node].key, ips[i]);
	}
	assert_true(node > 0);
	assert_int_equal(nodes[node].key, root);
	assert_int_equal(nodes[node].parent, 0);
}

/*
 * More different stacks than are known at a time, each met again at once, after a few others, and
 * after all others: always the same node, which has the stack's addresses above it.
 */
TEST(stacks_come_again)
{
	static uint32_t nodes[STACKS];
	uint64_t ips[DEEPEST];
	uint32_t root, count;

	assert_true(tl_perf_stacks_begin(&stacks));
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < STACKS; i++) {
			const size_t depth = make_stack(i, ips, &root);
			const uint32_t node = tl_perf_stacks_path(&stacks, root, ips, depth);

			assert_is_path(node, root, ips, depth);
			assert_true(round == 0 || node == nodes[i]);
			nodes[i] = node;
			assert_int_equal(tl_perf_stacks_path(&stacks, root, ips, depth), node);
			if (i < 5)
				continue;
			const size_t other = make_stack(i - 5, ips, &root);

			assert_int_equal(tl_perf_stacks_path(&stacks, root, ips, other),
					 nodes[i - 5]);
		}
		count = round ? count : (uint32_t)stacks.tree.count;
		assert_int_equal(stacks.tree.count, count);
	}
	tl_perf_stacks_free(&stacks);
}

/* The same addresses under another root, and fewer or more of them, are other stacks. */
TEST(what_tells_stacks_apart)
{
	const uint64_t ips[] = { 16, 32, 48 };
	uint32_t whole, part, other;

	assert_true(tl_perf_stacks_begin(&stacks));
	whole = tl_perf_stacks_path(&stacks, 0, ips, 3);
	part = tl_perf_stacks_path(&stacks, 0, ips + 1, 2);
	other = tl_perf_stacks_path(&stacks, 1, ips, 3);
	assert_true(whole && part && other);
	assert_true(whole != part && whole != other);
	assert_int_equal(stacks.tree.nodes[whole].parent, part);
	assert_is_path(other, 1, ips, 3);
	assert_int_equal(tl_perf_stacks_path(&stacks, 0, ips, 3), whole);
	assert_int_equal(tl_perf_stacks_path(&stacks, 1, ips, 3), other);
	assert_int_equal(stacks.tree.count, 9);
	tl_perf_stacks_free(&stacks);
}

/*
 * A sample at each node of one stack, from the root on or towards it, and of two events at some:
 * each node keeps what was counted there, wherever the list of costs grows.
 */
TEST(each_node_has_its_costs)
{
	enum { DEPTH = 2000 };
	static uint64_t ips[DEPTH];
	static uint32_t nodes[DEPTH];

	for (size_t i = 0; i < DEPTH; i++)
		ips[i] = 0x1000 + i;
	for (int inwards = 0; inwards < 2; inwards++) {
		assert_true(tl_perf_stacks_begin(&stacks));
		for (size_t i = 0; i < DEPTH; i++) {
			/* Those of an outer node are the last of the addresses. */
			nodes[i] = tl_perf_stacks_path(&stacks, 0, ips + DEPTH - 1 - i, i + 1);
			assert_true(nodes[i] > 0);
			if (inwards)
				assert_true(tl_perf_stacks_count(&stacks, nodes[i], 0, i + 1));
		}
		for (size_t i = DEPTH; !inwards && i-- > 0;)
			assert_true(tl_perf_stacks_count(&stacks, nodes[i], 0, i + 1));
		for (size_t i = 0; i < DEPTH; i += 3)
			assert_true(tl_perf_stacks_count(&stacks, nodes[i], 4, 7));
		for (size_t i = 0; i < DEPTH; i++) {
			uint32_t at = tl_perf_stacks_first_cost(&stacks, nodes[i]);
			uint64_t period = 0, other = 0;

			for (; at; at = stacks.costs[at].next) {
				const struct tl_perf_stack_cost *cost = &stacks.costs[at];

				assert_int_equal(cost->samples, 1);
				*(cost->event ? &other : &period) += cost->period;
			}
			assert_int_equal(period, i + 1);
			assert_int_equal(other, i % 3 ? 0 : 7);
		}
		tl_perf_stacks_free(&stacks);
	}
}

/*
 * Short stacks that are all new are not looked for as a whole any more, and long ones that come
 * again are, after a while; what is found is the same.
 */
TEST(whole_paths_are_looked_for_where_it_pays)
{
	enum { NEW = 20000, MANY = 1 << 16, DEEP = 40, KINDS = 8 };
	uint32_t nodes[KINDS] = { 0 };
	uint64_t ips[DEEP];

	assert_true(tl_perf_stacks_begin(&stacks));
	for (uint32_t i = 0; i < NEW; i++) {
		ips[0] = 0x400000 + i;
		ips[1] = ips[2] = 0x500000;
		assert_is_path(tl_perf_stacks_path(&stacks, 0, ips, 3), 0, ips, 3);
	}
	assert_int_equal(stacks.tree.count, 1 + 1 + 2 + NEW);
	assert_true(stacks.gain.left_out > 0);
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t *node = &nodes[i * 5 % KINDS], found;

		for (uint32_t n = 0; n < DEEP; n++)
			ips[n] = 0x600000 + i * 5 % KINDS * DEEP + n;
		found = tl_perf_stacks_path(&stacks, 0, ips, DEEP);
		if (!*node)
			assert_is_path(found, 0, ips, DEEP);
		else
			assert_int_equal(found, *node);
		*node = found;
	}
	assert_int_equal(stacks.tree.count, 1 + 1 + 2 + NEW + KINDS * DEEP);
	assert_int_equal(stacks.gain.left_out, 0);
	assert_int_equal(stacks.gain.pause, 0);
	tl_perf_stacks_free(&stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_come_again),
		cmocka_unit_test(what_tells_stacks_apart),
		cmocka_unit_test(each_node_has_its_costs),
		cmocka_unit_test(whole_paths_are_looked_for_where_it_pays),
	};

	return cmocka_run_group_tests_name("perf stacks", tests, NULL, NULL);
}
