/* SPDX-License-Identifier: Apache-2.0 */
/* Random traces of many threads: no number of jobs and no filter that lets all pass matters. */
#include "folds.h"

#include "xray/profile/pieces.h"

/* ---- threads side by side ---- */

static uint32_t random_below(uint64_t *seed, uint32_t bound)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % bound;
}

static void put_random_threads(struct bytes *b)
{
	uint64_t seed = 4;

	put_header(b, 5, FDR, 1000, 16384);
	for (int i = 0; i < 120; i++) {
		size_t start =
			begin_block(b, 1 + i % 2, 1 + i % 45, 1000 * random_below(&seed, 1000));

		for (uint32_t f = 0; f < 150; f++)
			put_function(b, random_below(&seed, 2) ? ENTER : EXIT,
				     random_below(&seed, 9) * 30000, random_below(&seed, 100));
		end_block(b, start);
	}
}

static void assert_same_latency(const struct tl_profile *a, const struct tl_profile *b,
				uint32_t function, uint32_t part)
{
	struct tl_latency x = { 0 }, y = { 0 };

	assert_int_equal(tl_profile_latency_of(a, function, part, &x),
			 tl_profile_latency_of(b, function, part, &y));
	assert_memory_equal(&x, &y, sizeof(x));
}

static void assert_same_profile(const struct tl_profile *a, const struct tl_profile *b)
{
	assert_int_equal(tl_profile_function_count(a), tl_profile_function_count(b));
	assert_int_equal(tl_profile_context_count(a), tl_profile_context_count(b));
	assert_int_equal(tl_profile_part_count(a), tl_profile_part_count(b));
	assert_int_equal(tl_profile_arc_count(a), tl_profile_arc_count(b));
	for (uint32_t i = 0; i < tl_profile_context_count(a); i++) {
		const struct tl_context *x = tl_profile_context(a, i),
					*y = tl_profile_context(b, i);

		assert_true(x->parent == y->parent && x->function == y->function &&
			    x->part == y->part && x->calls == y->calls &&
			    x->unfinished == y->unfinished);
		assert_int_equal(*tl_profile_context_self(a, i), *tl_profile_context_self(b, i));
	}
	for (uint32_t f = 0; f < tl_profile_function_count(a); f++) {
		assert_int_equal(tl_profile_function(a, f)->id, tl_profile_function(b, f)->id);
		assert_same_latency(a, b, f, TL_NONE);
		for (uint32_t p = 0; p < tl_profile_part_count(a); p++)
			assert_same_latency(a, b, f, p);
	}
	for (uint32_t p = 0; p < tl_profile_part_count(a); p++) {
		const struct tl_part *x = tl_profile_part(a, p), *y = tl_profile_part(b, p);

		assert_true(x->process == y->process && x->thread == y->thread &&
			    x->records == y->records);
		assert_memory_equal(&x->losses, &y->losses, sizeof(x->losses));
	}
	for (uint32_t i = 0; i < tl_profile_arc_count(a); i++)
		assert_int_equal(*tl_profile_arc_cost(a, i), *tl_profile_arc_cost(b, i));
}

/* "Same input, any thread count, any file order: byte-identical output." */
TEST(any_number_of_jobs_gives_the_same)
{
	static const unsigned jobs[] = { 1, 2, 4, 64 };
	struct tl_xray_fold_options options = all;
	struct tl_profile *one, *more;
	struct bytes b = { 0 };

	put_random_threads(&b);
	options.per_thread = true;
	one = fold(&b, &options);
	assert_int_equal(tl_profile_part_count(one), 90);
	for (size_t i = 0; i < 4; i++) {
		options.jobs = jobs[i];
		more = fold(&b, &options);
		assert_same_profile(one, more);
		tl_profile_free(more);
	}
	tl_profile_free(one);
	free_bytes(&b);
}

/*
 * The fast way through runs of function records and the way of a filter that lets all pass give the
 * same.
 */
TEST(a_filter_that_lets_all_pass_changes_nothing)
{
	struct tl_xray_fold_options options = all;
	struct tl_profile *fast, *slow;
	struct bytes b = { 0 };

	put_random_threads(&b);
	options.per_thread = true;
	fast = fold(&b, &options);
	options.to_ticks = UINT64_MAX;
	slow = fold(&b, &options);
	assert_same_profile(fast, slow);
	tl_profile_free(fast);
	tl_profile_free(slow);
	free_bytes(&b);
}

/* ---- sums of functions alone ---- */

/* Well nested calls of nine functions, but for one exit in `odd`, which is of any of them. */
static void put_nested_threads(struct bytes *b, uint32_t odd)
{
	uint32_t stack[150];
	uint64_t seed = 11;

	put_header(b, 5, FDR, 1000, 16384);
	for (int i = 0; i < 40; i++) {
		size_t start = begin_block(b, 1, 1 + i % 20, 1000 + 100000 * (uint64_t)i);
		size_t depth = 0;

		for (uint32_t f = 0; f < 150; f++) {
			uint32_t id = 1 + random_below(&seed, 9) * 30000;

			if (!depth || random_below(&seed, 2)) {
				stack[depth++] = id;
				put_function(b, ENTER, id, random_below(&seed, 100));
				continue;
			}
			if (!odd || random_below(&seed, odd))
				id = stack[--depth];
			put_function(b, EXIT, id, random_below(&seed, 100));
		}
		end_block(b, start);
	}
}

static void assert_same_functions(const struct tl_profile *a, const struct tl_profile *b)
{
	assert_int_equal(tl_profile_function_count(a), tl_profile_function_count(b));
	for (uint32_t f = 0; f < tl_profile_function_count(b); f++) {
		struct tl_function_totals x, y;

		assert_int_equal(tl_profile_function(a, f)->id, tl_profile_function(b, f)->id);
		assert_same_latency(a, b, f, TL_NONE);
		tl_profile_totals_of(a, f, TL_NONE, &x);
		tl_profile_totals_of(b, f, TL_NONE, &y);
		assert_true(x.calls == y.calls && x.unfinished == y.unfinished && x.cut == y.cut &&
			    *x.self == *y.self && *x.inclusive == *y.inclusive);
	}
}

/* "sums of functions are enough": those are the same, whatever way a thread went. */
TEST(sums_of_functions_need_no_contexts)
{
	static const uint32_t odd[] = { 0, 50, 2 };

	for (size_t i = 0; i < 3; i++) {
		struct tl_xray_fold_options options = all;
		struct tl_profile *tree, *flat;
		struct bytes b = { 0 };

		put_nested_threads(&b, odd[i]);
		tree = fold(&b, &options);
		options.flat = true;
		options.jobs = 2;
		flat = fold(&b, &options);
		assert_int_equal(tl_profile_part_count(flat), tl_profile_part_count(tree));
		assert_true(tl_profile_context_count(flat) <= tl_profile_context_count(tree));
		assert_int_equal(tl_profile_context_count(flat) == 0, odd[i] == 0);
		assert_int_equal(*tl_profile_total(flat), *tl_profile_total(tree));
		assert_same_functions(flat, tree);
		tl_profile_free(tree);
		tl_profile_free(flat);
		free_bytes(&b);
	}
}

/* ---- one thread by several workers ---- */

/*
 * Buffers of 60 KB of a thread, in which calls go on from buffer to buffer. Every `odd` exits one
 * is of a function that is open further out; every `stray` one is of a function that is not open.
 */
static void put_large_thread(struct bytes *b, uint32_t odd, uint32_t stray)
{
	uint64_t seed = 5;
	uint32_t stack[64];
	size_t depth = 0;

	put_header(b, 5, FDR, 1000, 65536);
	for (int i = 0; i < 60; i++) {
		size_t start = begin_block(b, 1, 1, 1000 + 10000000 * (uint64_t)i);

		for (uint32_t f = 0; f < 7500; f++) {
			if (!depth ||
			    (depth < 64 && random_below(&seed, 16) < (i % 6 < 3 ? 9 : 6))) {
				stack[depth++] = 1 + random_below(&seed, 30);
				put_function(b, ENTER, stack[depth - 1], random_below(&seed, 100));
				continue;
			}
			if (stray && !random_below(&seed, stray))
				put_function(b, EXIT, 77, 1);
			if (odd && depth > 1 && !random_below(&seed, odd))
				depth--;
			put_function(b, EXIT, stack[--depth], random_below(&seed, 100));
		}
		end_block(b, start);
	}
}

static size_t pieces_of(const struct bytes *b)
{
	uint32_t borders[9];
	struct trace t;
	size_t count;

	open_trace(&t, b, NULL);
	count = tl_xray_cut_thread(t.reader, t.reader->threads, 8, borders);
	close_trace(&t);
	return count;
}

TEST(a_large_thread_is_cut_and_stays_the_same)
{
	static const struct {
		uint32_t odd, stray;
	} shapes[] = { { 0, 0 }, { 0, 50 }, { 1000, 0 } };

	for (size_t i = 0; i < 3; i++) {
		struct tl_xray_fold_options options = all;
		struct tl_profile *one, *more;
		struct bytes b = { 0 };

		put_large_thread(&b, shapes[i].odd, shapes[i].stray);
		assert_int_equal(pieces_of(&b), 3);
		options.flat = true;
		one = fold(&b, &options);
		assert_int_equal(tl_profile_context_count(one) == 0, shapes[i].odd == 0);
		options.jobs = 4;
		more = fold(&b, &options);
		assert_same_profile(one, more);
		assert_same_functions(one, more);
		options.exact = true;
		tl_profile_free(more);
		more = fold(&b, &options);
		tl_profile_free(one);
		options.jobs = 1;
		one = fold(&b, &options);
		assert_same_functions(one, more);
		tl_profile_free(one);
		tl_profile_free(more);
		free_bytes(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_functions_need_no_contexts),
		cmocka_unit_test(any_number_of_jobs_gives_the_same),
		cmocka_unit_test(a_large_thread_is_cut_and_stays_the_same),
		cmocka_unit_test(a_filter_that_lets_all_pass_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
