/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs of either byte order, with bit fields from either end (docs/formats/xray.md, 1): the same
 * profile and the same calls, whichever way they are read. Figures are worked out by hand.
 */
#include "bytes.h"

#include <tracelathe/open.h>

#include "../temp_fixture.h"
#include "profile/model/unsized.h"

enum { ROUNDS = 1000, OUTER = 1, INNER = 2 };
/* Ticks before each record of a round. */
enum { BEFORE_OUTER = 3, BEFORE_INNER = 5, IN_INNER = 7, BEHIND_INNER = 2 };
enum {
	OUTER_TICKS = BEFORE_INNER + IN_INNER + BEHIND_INNER,
	ROUND_TICKS = BEFORE_OUTER + OUTER_TICKS
};

static void put_rounds(struct bytes *b)
{
	size_t start;

	put_header(b, 5, FDR, 1000000, 1 << 20);
	start = begin_block(b, 7, 9, 100);
	for (unsigned i = 0; i < ROUNDS; i++) {
		put_function(b, i % 2 ? ENTER : ENTER_ARGS, OUTER, BEFORE_OUTER);
		put_function(b, ENTER, INNER, BEFORE_INNER);
		put_function(b, EXIT, INNER, IN_INNER);
		put_function(b, i % 2 ? EXIT : TAIL_EXIT, OUTER, BEHIND_INNER);
	}
	end_block(b, start);
}

static struct tl_input *opened(const struct tl_input_options *options)
{
	const char *path = temp_path(&temp, "log");
	struct tl_input *input = NULL;

	assert_int_equal(tl_input_open(&input, &path, 1, options, NULL, NULL), 0);
	return input;
}

static void expect_function(const struct tl_profile *profile, uint64_t id, int64_t self,
			    int64_t inclusive)
{
	struct tl_function_totals totals = { 0 };

	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		if (tl_profile_function(profile, i)->id == id)
			tl_profile_totals_of(profile, i, TL_NONE, &totals);
	assert_int_equal(totals.calls, ROUNDS);
	assert_int_equal(totals.unfinished, 0);
	assert_int_equal(*totals.self, self);
	assert_int_equal(*totals.inclusive, inclusive);
}

static void expect_profile(struct tl_input_options options)
{
	struct tl_input *input = opened(&options);
	struct tl_profile *profile = NULL;

	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	expect_function(profile, OUTER, ROUNDS * (OUTER_TICKS - IN_INNER), ROUNDS * OUTER_TICKS);
	expect_function(profile, INNER, ROUNDS * IN_INNER, ROUNDS * IN_INNER);
	assert_int_equal(*tl_profile_total(profile), ROUNDS * OUTER_TICKS);
	assert_int_equal(tl_input_damage_count(input, NULL), 0);
	tl_profile_free(profile);
	tl_input_close(input);
}

static void expect_calls(struct tl_input_options options)
{
	struct tl_input *input = opened(&options);
	struct tl_calls *calls = NULL;
	const struct tl_call *call;
	unsigned count = 0;

	assert_int_equal(tl_input_calls(input, NULL, &calls, NULL), 0);
	for (; tl_calls_next(calls, &call, NULL) == 1; count++) {
		const uint64_t begin = 100 + (uint64_t)(count / 2) * ROUND_TICKS + BEFORE_OUTER;

		assert_int_equal(call->depth, count % 2);
		assert_int_equal(call->start, begin + (count % 2 ? BEFORE_INNER : 0));
		assert_int_equal(call->end - call->start, count % 2 ? IN_INNER : OUTER_TICKS);
		assert_int_equal(call->thread, 9);
	}
	assert_int_equal(count, 2 * ROUNDS);
	tl_calls_close(calls);
	tl_input_close(input);
}

static void expect_all(void)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;

	for (unsigned detail = TL_DETAIL_LINES; detail <= TL_DETAIL_STACKS; detail++) {
		options.detail = (enum tl_input_detail)detail;
		expect_profile(options);
		/* Every function is watched for what its records are. */
		options.filter.thread = 9;
		expect_profile(options);
		options.filter.thread = TL_NOWHERE;
	}
	options.per_thread = true;
	expect_profile(options);
	expect_calls(options);
}

TEST(all_orders_of_bytes_and_bits)
{
	static const struct {
		bool big, high;
	} orders[] = { { false, false }, { true, false }, { true, true } };

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		struct bytes b = { .big = orders[i].big, .high = orders[i].high };

		put_rounds(&b);
		temp_write(&temp, "log", b.data, b.size);
		expect_all();
		free_bytes(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_orders_of_bytes_and_bits),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
