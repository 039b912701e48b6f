/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue of estimated paths, against a list of all of them that is searched each time: what is
 * taken, and the sums of what never will be.
 */
#include "drawn_tree.h"

#include "export/stacks/path_queue.h"

static int put(struct tl_path_queue *queue, double score, uint32_t parent, const int64_t *amount)
{
	const struct tl_path_candidate candidate = { .score = score, .parent = parent };

	return tl_path_queue_put(queue, candidate, amount);
}

/* The largest score first, of equal ones the first that came: against a list that is searched. */
TEST(the_largest_path_is_taken_first)
{
	struct tl_path_queue queue = tl_path_queue_begin(2, 0, 600);
	struct {
		double score;
		bool waits;
	} waiting[600];
	uint32_t seed = 6;
	size_t arrived = 0, left = 0;

	while (arrived < 600 || left) {
		if (arrived < 600 && chance(&seed, 3)) {
			const int64_t amount[2] = { (int64_t)arrived, -(int64_t)arrived };

			waiting[arrived].score = chance(&seed, 20);
			waiting[arrived].waits = true;
			assert_int_equal(put(&queue, waiting[arrived].score, 0, amount), 1);
			arrived++;
			left++;
		} else if (left) {
			const struct tl_path_candidate *taken;
			struct tl_path_place place;
			size_t first = 600;

			for (size_t i = 0; i < arrived; i++)
				if (waiting[i].waits &&
				    (first == 600 || waiting[i].score > waiting[first].score))
					first = i;
			place = tl_path_queue_take(&queue);
			taken = tl_path_queue_at(&queue, &place);
			assert_int_equal(taken->number, first);
			assert_int_equal(taken->amount[0], first);
			assert_int_equal(taken->amount[1], -(int64_t)first);
			tl_path_queue_release(&queue, &place);
			waiting[first].waits = false;
			left--;
		}
		assert_int_equal(queue.count, left);
	}
	assert_int_equal(put(&queue, 0, 0, (const int64_t[]){ 1, 2 }), 1);
	tl_path_queue_free(&queue);
}

struct drawn_path {
	double score;
	uint32_t parent;
	int64_t amount[2];
	bool taken;
};

enum { DRAWN = 30000, PARENTS = 50, BASE = 7 };

static size_t first_of(const struct drawn_path *paths, size_t count)
{
	size_t first = count;

	for (size_t i = 0; i < count; i++)
		if (!paths[i].taken && (first == count || paths[i].score > paths[first].score))
			first = i;
	return first;
}

/* `least`: of the score. */
static void draw_path(struct drawn_path *path, uint32_t *seed, size_t least)
{
	const uint32_t parent = chance(seed, PARENTS);

	path->score = (double)(least + chance(seed, 300));
	path->parent = parent ? BASE + parent - 1 : TL_NONE;
	for (int e = 0; e < 2; e++)
		path->amount[e] = chance(seed, 1000);
	path->taken = false;
}

/* Each parent with paths that were not taken has one sum of them, and knows which comes first. */
static void assert_sums(const struct tl_path_queue *queue, const struct drawn_path *paths,
			size_t count)
{
	size_t parents = 0;

	for (uint32_t p = 0; p < PARENTS; p++) {
		const uint32_t parent = p ? BASE + p - 1 : TL_NONE;
		size_t first = count, sum = queue->sums.count;
		int64_t wanted[2] = { 0, 0 };

		for (size_t i = 0; i < count; i++) {
			if (paths[i].taken || paths[i].parent != parent)
				continue;
			if (first == count || paths[i].score > paths[first].score)
				first = i;
			wanted[0] += paths[i].amount[0];
			wanted[1] += paths[i].amount[1];
		}
		for (size_t i = 0; i < queue->sums.count; i++)
			if (queue->sums.list[i].parent == parent)
				sum = i;
		assert_int_equal(sum == queue->sums.count, first == count);
		if (first == count)
			continue;
		parents++;
		assert_int_equal(queue->sums.list[sum].first.number, first);
		assert_int_equal(queue->sums.list[sum].first.slot, sum);
		assert_memory_equal(tl_path_sums_costs(&queue->sums, sum), wanted, sizeof(wanted));
	}
	assert_int_equal(queue->sums.count, parents);
}

/*
 * What scores are at least: the same for all; or they fall, so that nothing that comes later makes
 * up for one that was let go in error; or a few are large, and those that come later are larger
 * than the rest of the first ones.
 */
static size_t least_score(size_t shape, size_t arrived)
{
	if (shape == 1)
		return (DRAWN - arrived) / 8;
	if (shape == 2)
		return arrived < 300 ? 500 : arrived > DRAWN / 2 ? 100 : 0;
	return 0;
}

/* "It is known how many will be taken at most": of many more, the same ones are taken. */
TEST(paths_that_are_never_taken_are_summed)
{
	static const uint32_t wanted[] = { 0, 1, 40, 700, 3000 };
	static struct drawn_path paths[DRAWN];
	uint32_t seed = 5;

	for (size_t round = 0; round < 3 * (sizeof(wanted) / sizeof(wanted[0])); round++) {
		const uint32_t taken_in_all = wanted[round / 3];
		struct tl_path_queue queue = tl_path_queue_begin(2, BASE, taken_in_all);
		size_t arrived = 0, most = 0;
		uint32_t left = taken_in_all;

		while (arrived < DRAWN || left) {
			if (arrived < DRAWN && (!queue.count || !left || chance(&seed, 40))) {
				draw_path(&paths[arrived], &seed, least_score(round % 3, arrived));
				assert_int_equal(put(&queue, paths[arrived].score,
						     paths[arrived].parent, paths[arrived].amount),
						 1);
				arrived++;
			} else {
				const size_t first = first_of(paths, arrived);
				struct tl_path_place place;
				const struct tl_path_candidate *taken;

				assert_true(queue.count > 0);
				place = tl_path_queue_take(&queue);
				taken = tl_path_queue_at(&queue, &place);
				assert_int_equal(taken->number, first);
				assert_memory_equal(taken->amount, paths[first].amount,
						    sizeof(paths[first].amount));
				tl_path_queue_release(&queue, &place);
				paths[first].taken = true;
				left--;
			}
			most = queue.slot_count > most ? queue.slot_count : most;
		}
		assert_true(most <= 2 * (size_t)taken_in_all + 4200);
		assert_true(tl_path_queue_let_go(&queue));
		assert_int_equal(queue.count, 0);
		assert_sums(&queue, paths, arrived);
		tl_path_queue_free(&queue);
	}
}

/* "0: the queue is full", so that a dense graph does not fill the memory; also if few are taken. */
TEST(a_million_paths_wait_at_most)
{
	static const uint32_t wanted[] = { 1 << 20, 300 };
	const int64_t amount = 1;

	for (size_t round = 0; round < 2; round++) {
		struct tl_path_queue queue = tl_path_queue_begin(1, 0, wanted[round]);
		struct tl_path_place place;

		for (uint32_t i = 0; i < 1 << 20; i++)
			assert_int_equal(put(&queue, 0, 0, &amount), 1);
		assert_true(tl_path_queue_full(&queue));
		assert_int_equal(put(&queue, 0, 0, &amount), 0);
		place = tl_path_queue_take(&queue);
		assert_false(tl_path_queue_full(&queue));
		tl_path_queue_release(&queue, &place);
		assert_int_equal(put(&queue, 0, 0, &amount), 1);
		tl_path_queue_free(&queue);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_path_is_taken_first),
		cmocka_unit_test(paths_that_are_never_taken_are_summed),
		cmocka_unit_test(a_million_paths_wait_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
