/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of windows that have whole tiles of the index in them, whose sums are kept. */
#include "windows.h"

enum { TILE_STEPS = 16 * 8192, TILES = 3, LONG_STEPS = TILES * TILE_STEPS + 60000 };
enum { BORDER = 300, HIDDEN = 6 };

/* Records around the end of each tile: `*number` counts them. */
static bool at_border(uint32_t i, uint32_t *number)
{
	*number = i % TILE_STEPS < BORDER ? i % TILE_STEPS + BORDER
					  : i % TILE_STEPS - (TILE_STEPS - BORDER);
	return i >= BORDER && (i % TILE_STEPS < BORDER || i % TILE_STEPS >= TILE_STEPS - BORDER);
}

static bool is_open(const uint32_t *stack, uint32_t depth, uint32_t function)
{
	while (depth && stack[depth - 1] != function)
		depth--;
	return depth;
}

/*
 * A record of a thread whose stack goes up and down: of function 3 seldom, now and then the exit of
 * an outer call, which leaves those inside it, or one without a call. Around the end of a tile come
 * calls that stay open for long, and behind them short ones alone.
 */
static uint32_t draw_record(uint32_t i, uint32_t *stack, uint32_t *depth, bool *exit)
{
	bool odd = drawn(20) == 0;
	uint32_t outer = *depth > 3 ? 1 + drawn(3) : 1, number;

	if (at_border(i, &number)) {
		*exit = number >= HIDDEN && number % 2;
		return *exit ? stack[--*depth] : (stack[(*depth)++] = 1 + drawn(2));
	}
	if (drawn(300) == 0 && !is_open(stack, *depth, 3)) {
		*exit = true;
		return 3;
	}
	*exit = drawn(2) ? *depth > 0 : *depth > 30;
	if (*exit && !odd)
		return stack[--*depth];
	if (*exit) {
		*depth -= outer;
		return stack[*depth];
	}
	if (odd && *depth == 0) {
		*exit = true;
		return 3;
	}
	return stack[(*depth)++] = drawn(400) ? 1 + drawn(2) : 3;
}

/*
 * Two threads at once, the second one a fifth as long. The calls that stay open over the end of a
 * tile are hidden by damage: they begin late. @return the last time
 */
static uint64_t write_tiles(struct opened *o)
{
	size_t size = HEADER + (LONG_STEPS + LONG_STEPS / 5) * (size_t)RECORD;
	uint8_t *bytes = calloc(1, size);
	uint32_t stack[40 + HIDDEN], depth = 0, number;
	uint64_t ticks = 1, last = 0;

	assert_non_null(bytes);
	put_header(bytes);
	for (uint32_t i = 0; i < LONG_STEPS + LONG_STEPS / 5; i++) {
		bool exit;
		uint32_t function;

		if (i == LONG_STEPS)
			ticks = depth = 0;
		function = draw_record(i, stack, &depth, &exit);
		put_record(bytes + HEADER + i * (size_t)RECORD, exit, function, ticks);
		put(bytes + HEADER + i * (size_t)RECORD + 16, i < LONG_STEPS ? 7 : 8, 4);
		if (at_border(i, &number) && number < HIDDEN)
			memset(bytes + HEADER + i * (size_t)RECORD, 0xff, RECORD);
		ticks += drawn(4) ? drawn(5) : drawn(2000);
		last = ticks > last ? ticks : last;
	}
	open_trace(o, bytes, size);
	free(bytes);
	return last;
}

/* Once the sums of tiles are there, too; a window of one thread finds those of all. */
static void sums_of_whole_tiles_are_those_of_contexts(void **state __attribute__((unused)))
{
	struct opened o;
	uint64_t last;

	temp_open(&temp);
	last = write_tiles(&o);
	for (unsigned i = 0; i < 12; i++) {
		uint64_t from = last / 16 * drawn(9) + drawn(5000);
		uint64_t to = last - last / 16 * drawn(5) - drawn(5000);

		expect_sums_of(&o, (struct tl_call_span){
					   .from = from, .to = to, .one_track = i % 4 == 3 });
	}
	expect_sums_of(&o, (struct tl_call_span){ .from = 0 });
	close_trace(&o);
}

/* A window that is given up while the sums of a tile are made leaves none. */
static void sums_of_a_tile_can_be_given_up(void **state __attribute__((unused)))
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_call_span all = { .size = sizeof(all), .flat = true, .table = true };
	struct tl_profile *profile;
	unsigned calls = 1000000;
	const char *path;
	struct opened o;

	temp_open(&temp);
	write_tiles(&o);
	tl_call_index_close(o.index);
	tl_input_close(o.input);
	path = temp_path(&temp, "trace");
	options.progress = stop;
	options.progress_arg = &calls;
	assert_int_equal(tl_input_open(&o.input, &path, 1, &options, NULL, NULL), 0);
	assert_int_equal(tl_input_index(o.input, &o.index, NULL), 0);
	for (unsigned leaf = 1; leaf < 40; leaf += 7) {
		calls = leaf;
		assert_int_equal(tl_input_window(o.input, o.index, &all, &profile, NULL), TL_IO);
	}
	calls = 1000000;
	expect_sums_of(&o, (struct tl_call_span){ .from = 0 });
	close_trace(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_whole_tiles_are_those_of_contexts),
		cmocka_unit_test(sums_of_a_tile_can_be_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
