/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs of fewer threads than shares: their threads are cut between buffers, and "what the profiles
 * of all shares are together is the whole" (tracelathe/open.h), byte for byte, with each duration.
 */
#include "bytes.h"

#include <tracelathe/open.h>

#include "../shares.h"
#include "../temp_fixture.h"

enum { FUNCTIONS = 9, DEEPEST = 60 };

/* A thread as its buffers are written: the calls that are open. */
struct thread {
	int32_t number;
	uint64_t tsc;
	uint32_t open[DEEPEST];
	size_t depth;
};

/* A reproducible sequence (xorshift, Marsaglia 2003). */
struct random {
	uint64_t state;
};

static struct random random_from(uint64_t seed)
{
	return (struct random){ seed * 0x9e3779b97f4a7c15u + 1 };
}

static uint64_t random_below(struct random *random, uint64_t limit)
{
	random->state ^= random->state << 13;
	random->state ^= random->state >> 7;
	random->state ^= random->state << 17;
	return (random->state >> 11) % limit;
}

/* One buffer; `lean` leans it towards calls or towards ends of calls. */
static void put_buffer(struct bytes *b, struct thread *t, struct random *random, unsigned records,
		       unsigned lean)
{
	size_t start = begin_block(b, 1, t->number, t->tsc);

	for (unsigned i = 0; i < records; i++) {
		uint32_t delta = (uint32_t)random_below(random, 50);
		bool call = !t->depth || (t->depth < DEEPEST && random_below(random, 10) < lean);

		if (random_below(random, 40) == 0) {
			/* an exit of a function that is not on the stack */
			put_function(b, EXIT, FUNCTIONS + 1, 3);
			t->tsc += 3;
		}
		if (call)
			t->open[t->depth++] = 1 + (uint32_t)random_below(random, FUNCTIONS);
		else
			t->depth--;
		put_function(b, call ? ENTER : EXIT, t->open[call ? t->depth - 1 : t->depth],
			     delta);
		t->tsc += delta;
	}
	end_block(b, start);
	t->tsc += 7;
}

static const char *write_log(struct bytes *b)
{
	const char *path = temp_write(&temp, "cut.xray", b->data, b->size);

	free(b->data);
	return path;
}

static struct bytes begin_log(void)
{
	struct bytes b = { 0 };

	put_header(&b, 5, FDR, 1000, 16384);
	return b;
}

/* Buffers of one thread, first with more calls than ends, then the other way round. */
static const char *one_thread(unsigned buffers, uint64_t seed)
{
	struct bytes b = begin_log();
	struct thread t = { .number = 7, .tsc = 1000 };
	struct random random = random_from(seed);

	for (unsigned i = 0; i < buffers; i++)
		put_buffer(&b, &t, &random, 1 + (unsigned)random_below(&random, 60),
			   i % 8 < 4 ? 7 : 4);
	return write_log(&b);
}

static uint32_t shares_of(const char *path)
{
	struct tl_input *input;
	uint32_t shares;

	assert_int_equal(tl_input_open(&input, &path, 1, NULL, NULL, NULL), 0);
	shares = tl_input_shares(input);
	tl_input_close(input);
	return shares;
}

TEST(a_thread_is_cut_between_buffers)
{
	for (unsigned round = 0; round < 12; round++) {
		struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
		const char *path = one_thread(23, round);

		options.exact = round % 2;
		options.per_thread = round / 2 % 2;
		assert_int_equal(shares_of(path), 23);
		assert_shares_add_up(path, &options, 2);
		assert_shares_add_up(path, &options, 2 + round % 21);
		assert_shares_add_up(path, &options, 23);
		assert_shares_add_up(path, &options, 70);
	}
}

/* A call over three buffers, by hand: enter at 100, exit at 400, with calls of 10 in each. */
TEST(a_call_counts_where_it_ends_and_its_time_where_it_passes)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct bytes b = begin_log();
	const int64_t ticks[] = { 50, 100, 150 };
	const uint64_t tsc[] = { 100, 200, 350 };
	const char *path;

	for (unsigned i = 0; i < 3; i++) {
		size_t start = begin_block(&b, 1, 7, tsc[i]);

		if (i == 0)
			put_function(&b, ENTER, 1, 0);
		put_function(&b, ENTER, 2, 30);
		put_function(&b, EXIT, 2, 10);
		put_function(&b, i == 2 ? EXIT : ENTER, i == 2 ? 1 : 3, 10);
		if (i < 2)
			put_function(&b, EXIT, 3, 0);
		end_block(&b, start);
	}
	path = write_log(&b);
	for (uint32_t i = 0; i < 3; i++) {
		struct tl_profile *profile = fold_share(path, &options, i, 3);
		struct tl_latency latency;

		assert_int_equal(tl_profile_total(profile)[0], ticks[i]);
		for (uint32_t f = 0; f < tl_profile_function_count(profile); f++) {
			if (tl_profile_function(profile, f)->id != 1)
				continue;
			assert_int_equal(
				tl_profile_latency(profile, f, TL_NONE, &latency, sizeof(latency)),
				i == 2);
			if (i == 2)
				assert_int_equal(latency.max, 300);
		}
		tl_profile_free(profile);
	}
	assert_shares_add_up(path, &options, 3);
}

static int64_t total_of(const char *path, uint32_t share, uint32_t shares)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_profile *profile = fold_share(path, &options, share, shares);
	int64_t total = tl_profile_total(profile)[0];

	tl_profile_free(profile);
	return total;
}

TEST(no_share_has_much_more_than_its_part)
{
	const char *path = one_thread(50, 3);
	const int64_t whole = total_of(path, 0, 0);

	for (uint32_t shares = 2; shares < 6; shares++)
		for (uint32_t i = 0; i < shares; i++)
			assert_in_range(total_of(path, i, shares), whole / shares / 2,
					whole / shares * 3 / 2);
}

/* One thread has nearly all: it is cut although there are as many threads as shares. */
TEST(a_thread_larger_than_two_shares_is_cut)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct random random = random_from(5);
	struct bytes b = begin_log();
	struct thread large = { .number = 7, .tsc = 1000 };
	const char *path;

	for (unsigned i = 0; i < 30; i++)
		put_buffer(&b, &large, &random, 40, i % 8 < 4 ? 7 : 4);
	for (int32_t i = 0; i < 3; i++)
		put_buffer(&b, &(struct thread){ .number = 8 + i, .tsc = 900 }, &random, 10, 6);
	path = write_log(&b);
	for (uint32_t i = 0; i < 4; i++)
		assert_in_range(total_of(path, i, 4), 1, total_of(path, 0, 0) / 2);
	assert_shares_add_up(path, &options, 4);
	assert_shares_add_up(path, &options, 3);
	assert_shares_add_up(path, &options, 33);
}

static int status_of_share(const char *path, uint32_t share, uint32_t shares)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_profile *profile = NULL;
	struct tl_input *input;
	int status;

	options.share = share;
	options.shares = shares;
	assert_int_equal(tl_input_open(&input, &path, 1, &options, NULL, NULL), 0);
	status = tl_input_fold(input, &profile, NULL);
	tl_profile_free(profile);
	tl_input_close(input);
	return status;
}

/*
 * Which caller made the calls behind one that is left without an exit depends on the whole thread:
 * the share that meets it is refused, and those behind it.
 */
TEST(calls_without_exits_are_not_shared_out)
{
	struct bytes b = begin_log();
	const char *path;

	for (unsigned i = 0; i < 3; i++) {
		size_t start = begin_block(&b, 1, 7, 100 + 100 * i);

		put_function(&b, ENTER, 1, 0);
		put_function(&b, i < 2 ? ENTER : EXIT, i < 2 ? 2 : 1, 5);
		put_function(&b, i ? EXIT : ENTER, 1, 5);
		end_block(&b, start);
	}
	path = write_log(&b);
	assert_int_equal(shares_of(path), 3);
	assert_int_equal(status_of_share(path, 0, 3), 0);
	assert_int_equal(status_of_share(path, 1, 3), TL_UNSUPPORTED);
	assert_int_equal(status_of_share(path, 2, 3), TL_UNSUPPORTED);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_is_cut_between_buffers),
		cmocka_unit_test(a_call_counts_where_it_ends_and_its_time_where_it_passes),
		cmocka_unit_test(no_share_has_much_more_than_its_part),
		cmocka_unit_test(a_thread_larger_than_two_shares_is_cut),
		cmocka_unit_test(calls_without_exits_are_not_shared_out),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
