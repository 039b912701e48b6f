/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of keys as a tree, against a list of all nodes that is searched from its begin. */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include "core/trees/path_tree.h"

enum { PATHS = 3000, LONGEST = 100, MOST_NODES = 20000 };

static struct tl_path_tree tree;
static struct tl_path_node model[MOST_NODES];
static uint32_t model_count;
static uint64_t random_state;

static uint32_t below(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % limit;
}

static uint32_t model_child(uint32_t parent, uint64_t key)
{
	for (uint32_t i = 1; i < model_count; i++)
		if (model[i].parent == parent && model[i].key == key)
			return i;
	assert_true(model_count < MOST_NODES);
	model[model_count] = (struct tl_path_node){ .key = key, .parent = parent };
	return model_count++;
}

static void begin(void)
{
	random_state = 20;
	model_count = 1;
	assert_true(tl_path_tree_begin(&tree));
}

static void assert_as_model(void)
{
	assert_int_equal(tree.count, model_count);
	for (uint32_t i = 1; i < model_count; i++) {
		assert_int_equal(tree.nodes[i].parent, model[i].parent);
		assert_int_equal(tree.nodes[i].key, model[i].key);
	}
	tl_path_tree_free(&tree);
}

/* Paths of every length, of few keys so that they share nodes; numbers are in order of arrival. */
TEST(paths_share_their_nodes)
{
	struct tl_path_step steps[LONGEST];

	begin();
	for (uint32_t i = 0; i < PATHS; i++) {
		const uint32_t count = below(i % 100 ? 9 : LONGEST);
		const uint32_t from = below(3) ? 0 : below(model_count);
		uint32_t node = from;

		for (uint32_t k = 0; k < count; k++)
			steps[k].key = (uint64_t)below(k < 3 ? 4 : 2) << below(2) * 40;
		assert_true(tl_path_tree_follow(&tree, from, steps, count));
		for (uint32_t k = 0; k < count; k++) {
			node = model_child(node, steps[k].key);
			assert_int_equal(steps[k].node, node);
		}
	}
	assert_as_model();
}

/* The same node is found one by one. */
TEST(children_are_nodes_of_paths)
{
	struct tl_path_step steps[3] = { { .key = 7 }, { .key = 0 }, { .key = UINT64_MAX } };

	begin();
	assert_true(tl_path_tree_follow(&tree, 0, steps, 3));
	assert_int_equal(tl_path_tree_child(&tree, 0, 7), 1);
	assert_int_equal(tl_path_tree_child(&tree, 1, 0), 2);
	assert_int_equal(tl_path_tree_child(&tree, 2, UINT64_MAX), 3);
	assert_int_equal(tl_path_tree_child(&tree, 1, UINT64_MAX), 4);
	assert_int_equal(tl_path_tree_child(&tree, 0, UINT64_MAX), 5);
	assert_int_equal(tree.count, 6);
	tl_path_tree_free(&tree);
}

/* Paths with one hash are told apart by their keys: the hash of a node is made that of another. */
TEST(equal_hashes_are_told_apart)
{
	begin();
	assert_int_equal(tl_path_tree_child(&tree, 0, 1), 1);
	assert_int_equal(tl_path_tree_child(&tree, 0, 2), 2);
	tree.nodes[2].hash = tree.nodes[1].hash;
	assert_int_equal(tl_path_tree_child(&tree, 1, 9), 3);
	assert_int_equal(tl_path_tree_child(&tree, 2, 9), 4);
	assert_int_equal(tree.nodes[3].hash, tree.nodes[4].hash);
	assert_int_equal(tl_path_tree_child(&tree, 1, 9), 3);
	assert_int_equal(tl_path_tree_child(&tree, 2, 9), 4);
	tl_path_tree_free(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_share_their_nodes),
		cmocka_unit_test(children_are_nodes_of_paths),
		cmocka_unit_test(equal_hashes_are_told_apart),
	};

	return cmocka_run_group_tests_name("core path tree", tests, NULL, NULL);
}
