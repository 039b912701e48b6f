/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recursions with a hole ("gap" in profile/fold/fold.h): any one buffer of a log is filled with
 * zeros, and what the others hold is known from how the log was written. Each record takes one tick
 * more than the one before it.
 */
#include "bytes.h"

#include "profile/model/unsized.h"
#include "xray/profile/gaps.h"

enum { MAIN = 1, REC = 2, LEAF = 3, BUFFERS = 8, DEPTH = 40, MOST = 4 * DEPTH };

struct call {
	uint32_t function;
	size_t in, out; /* records */
};

/* A log written record by record, BUFFERS buffers of equal length. */
struct log {
	unsigned actions[MOST];
	uint32_t functions[MOST];
	size_t count;
	struct call calls[MOST];
	size_t call_count;
	size_t starts[BUFFERS + 1], buffer; /* bytes; records of a buffer */
	struct bytes bytes;
};

static void put(struct log *l, unsigned action, uint32_t function)
{
	l->actions[l->count] = action;
	l->functions[l->count++] = function;
}

/* REC calls itself DEPTH times; each level calls LEAF before and after. */
static void make_recursion(struct log *l)
{
	put(l, ENTER, MAIN);
	for (int i = 0; i < DEPTH; i++) {
		put(l, ENTER, REC);
		if (i % 4 == 0) {
			put(l, ENTER, LEAF);
			put(l, EXIT, LEAF);
		}
	}
	for (int i = 0; i < DEPTH; i++)
		put(l, EXIT, REC);
	put(l, EXIT, MAIN);
}

static void pair_calls(struct log *l)
{
	size_t open[MOST], depth = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (l->actions[i] == ENTER)
			open[depth++] = i;
		else
			l->calls[l->call_count++] =
				(struct call){ l->functions[i], open[--depth], i };
	}
}

static uint64_t time_of(size_t record)
{
	return 1000 + record * (record + 1) / 2;
}

static void write_log(struct log *l, int32_t thread)
{
	l->buffer = (l->count + BUFFERS - 1) / BUFFERS;
	for (size_t i = 0; i < BUFFERS; i++) {
		size_t from = i * l->buffer,
		       to = from + l->buffer < l->count ? from + l->buffer : l->count;

		l->starts[i] = begin_block(&l->bytes, 7, thread, time_of(from));
		for (size_t j = from; j < to; j++)
			put_function(&l->bytes, l->actions[j], l->functions[j],
				     j > from ? (uint32_t)j : 0);
		end_block(&l->bytes, l->starts[i]);
	}
	l->starts[BUFFERS] = l->bytes.size;
}

static struct tl_profile *fold(const struct bytes *b)
{
	struct tl_profile *profile;
	struct trace t;

	open_trace(&t, b, NULL);
	assert_int_equal(tl_xray_fold(t.reader, NULL, NULL, &profile, &t.err), 0);
	close_trace(&t);
	return profile;
}

static struct tl_profile *fold_with_hole(const struct log *l, size_t hole)
{
	struct bytes b = l->bytes;
	struct tl_profile *profile;

	b.data = malloc(b.size);
	assert_non_null(b.data);
	memcpy(b.data, l->bytes.data, b.size);
	memset(b.data + l->starts[hole], 0, l->starts[hole + 1] - l->starts[hole]);
	profile = fold(&b);
	free(b.data);
	return profile;
}

static uint32_t find(const struct tl_profile *profile, const char *name)
{
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		if (!strcmp(tl_profile_function(profile, i)->name, name))
			return i;
	return TL_NONE;
}

/* Calls with both ends outside the hole: how many, the shortest, the longest. */
struct seen {
	uint64_t calls, min, max;
};

static struct seen seen_of(const struct log *l, uint32_t function, size_t hole)
{
	struct seen seen = { 0, UINT64_MAX, 0 };

	for (size_t i = 0; i < l->call_count; i++) {
		const struct call *c = &l->calls[i];
		uint64_t ticks = time_of(c->out) - time_of(c->in);

		if (c->function != function || c->in / l->buffer == hole ||
		    c->out / l->buffer == hole)
			continue;
		seen.calls++;
		seen.min = ticks < seen.min ? ticks : seen.min;
		seen.max = ticks > seen.max ? ticks : seen.max;
	}
	return seen;
}

static void compare(const struct log *l, size_t hole, const struct tl_profile *profile,
		    uint32_t function, const char *name)
{
	struct seen want = seen_of(l, function, hole);
	uint32_t number = find(profile, name);
	struct tl_function_totals totals;
	struct tl_latency latency = { 0 };

	if (number == TL_NONE) {
		assert_int_equal(want.calls, 0);
		return;
	}
	tl_profile_totals_of(profile, number, TL_NONE, &totals);
	assert_int_equal(totals.calls - totals.cut, want.calls);
	assert_int_equal(tl_profile_latency_of(profile, number, TL_NONE, &latency),
			 want.calls != 0);
	if (!want.calls)
		return;
	assert_int_equal(latency.min, want.min);
	assert_int_equal(latency.max, want.max);
}

static int64_t inclusive(const struct tl_profile *profile, const char *name)
{
	struct tl_function_totals totals;

	tl_profile_totals_of(profile, find(profile, name), TL_NONE, &totals);
	return *totals.inclusive;
}

/* The time from the last record before the hole to the first one behind it. */
static int64_t lost(const struct log *l, size_t hole)
{
	return (int64_t)(time_of((hole + 1) * l->buffer) - time_of(hole * l->buffer - 1));
}

TEST(any_buffer_of_a_recursion_may_be_zeros)
{
	static struct log l;
	struct tl_profile *whole, *profile;

	put_header(&l.bytes, 5, FDR, 1000, 65536);
	make_recursion(&l);
	pair_calls(&l);
	write_log(&l, 9);
	whole = fold(&l.bytes);
	/* In the first one main() and the outermost recursion begin, in the last they end. */
	for (size_t hole = 1; hole + 1 < BUFFERS; hole++) {
		profile = fold_with_hole(&l, hole);
		compare(&l, hole, profile, MAIN, "#1");
		compare(&l, hole, profile, REC, "#2");
		compare(&l, hole, profile, LEAF, "#3");
		assert_int_equal(inclusive(profile, "#1"), inclusive(whole, "#1"));
		assert_int_equal(inclusive(profile, "#2"), inclusive(whole, "#2"));
		assert_int_equal(inclusive(profile, "(lost)"), lost(&l, hole));
		assert_int_equal(tl_profile_losses_of(profile).unfinished, 0);
		tl_profile_free(profile);
	}
	tl_profile_free(whole);
	free_bytes(&l.bytes);
}

/*
 * The thread whose buffer it was has the gap, the other one, whose records fit together, has none.
 */
TEST(a_hole_is_that_of_the_thread_that_misses_it)
{
	static struct log l;
	struct tl_profile *profile;
	size_t start;

	put_header(&l.bytes, 5, FDR, 1000, 65536);
	make_recursion(&l);
	pair_calls(&l);
	start = begin_block(&l.bytes, 7, 5, 1000);
	put_function(&l.bytes, ENTER, 4, 0);
	put_function(&l.bytes, ENTER, 5, 10);
	end_block(&l.bytes, start);
	write_log(&l, 9);
	start = begin_block(&l.bytes, 7, 5, 5000);
	put_function(&l.bytes, EXIT, 5, 0);
	put_function(&l.bytes, EXIT, 4, 30);
	end_block(&l.bytes, start);
	profile = fold_with_hole(&l, 5);
	compare(&l, 5, profile, REC, "#2");
	assert_int_equal(inclusive(profile, "(lost)"), lost(&l, 5));
	assert_int_equal(inclusive(profile, "#4"), 4030);
	assert_int_equal(inclusive(profile, "#5"), 3990);
	tl_profile_free(profile);
	free_bytes(&l.bytes);
}

/*
 * Two holes: one on the way down, one on the way up. What exits between them closes what was
 * entered between them. The recursion is one, so its outermost call lives through both.
 */
TEST(two_holes_in_one_recursion)
{
	static struct log l;
	struct tl_profile *profile;
	struct tl_latency latency;

	put_header(&l.bytes, 5, FDR, 1000, 65536);
	make_recursion(&l);
	pair_calls(&l);
	write_log(&l, 9);
	memset(l.bytes.data + l.starts[2], 0, l.starts[3] - l.starts[2]);
	profile = fold_with_hole(&l, 6);
	assert_true(tl_profile_latency_of(profile, find(profile, "#2"), TL_NONE, &latency));
	assert_int_equal(latency.max, time_of(l.count - 2) - time_of(1));
	assert_int_equal(inclusive(profile, "#1"), time_of(l.count - 1) - time_of(0));
	assert_int_equal(inclusive(profile, "(lost)"), lost(&l, 2) + lost(&l, 6));
	tl_profile_free(profile);
	free_bytes(&l.bytes);
}

/* The profile of two blocks of one thread with bytes between them that are no record. */
static bool has_lost_time(size_t junk)
{
	const struct tl_xray_fold_options options = { .size = sizeof(options),
						      .thread = TL_NOWHERE,
						      .process = TL_NOWHERE,
						      .cpu = TL_NOWHERE };
	struct tl_profile *profile;
	struct bytes b = { 0 };
	bool lost = false;
	struct trace t;
	size_t start;

	put_header(&b, 5, FDR, 1000, 16384);
	start = begin_block(&b, 7, 1, 100);
	put_function(&b, ENTER, MAIN, 0);
	put_function(&b, ENTER, REC, 10);
	end_block(&b, start);
	put_repeat(&b, 0, junk);
	start = begin_block(&b, 7, 1, 200);
	put_function(&b, EXIT, MAIN, 0);
	end_block(&b, start);
	open_trace(&t, &b, NULL);
	assert_int_equal(tl_xray_fold(t.reader, NULL, &options, &profile, &t.err), 0);
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		lost |= !strcmp(tl_profile_function(profile, i)->name, "(lost)");
	tl_profile_free(profile);
	close_trace(&t);
	free_bytes(&b);
	return lost;
}

/*
 * A lost buffer of version 5 has at least BufferExtents, NewBuffer, WallClockTime, Pid, NewCPUId of
 * 16 bytes each, and a function record of 8: fewer bytes are junk, not a gap.
 */
TEST(bytes_too_few_for_a_buffer_are_no_gap)
{
	assert_false(has_lost_time(87));
	assert_true(has_lost_time(88));
}

/* ---- looking ahead ---- */

static uint32_t same_number(void *arg, uint32_t id)
{
	(void)arg;
	return id;
}

/* Look from the first record of the only thread on; free the exits. */
static struct tl_xray_ahead look(struct bytes *b, struct tl_xray_ahead ahead)
{
	struct tl_xray_faults faults = { 0 };
	struct tl_xray_stream stream;
	struct trace t;

	open_trace(&t, b, NULL);
	assert_int_equal(t.reader->thread_count, 1);
	tl_xray_stream_open(&stream, t.reader, t.reader->order, t.reader->threads[0].begin,
			    t.reader->threads[0].end, &faults);
	assert_int_equal(tl_xray_look_ahead(&stream, same_number, NULL, &ahead, &t.err), 0);
	tl_xray_stream_end(&stream);
	free(faults.list);
	close_trace(&t);
	return ahead;
}

/* Exits of 9, 8 and 7, whose frames were open before; 1, 2 and 3 are entered and left. */
static void put_exits(struct bytes *b)
{
	static const int events[] = { 1, 2, -2, -1, -9, 3, -3, -8, -7 };
	size_t start;

	put_header(b, 5, FDR, 1000, 16384);
	start = begin_block(b, 1, 2, 100);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		put_function(b, events[i] > 0 ? ENTER : EXIT, (uint32_t)abs(events[i]), 1);
	end_block(b, start);
}

/* "The first three members limit the search, the others are its result." */
TEST(looking_ahead)
{
	static const struct {
		uint32_t first;
		size_t most_exits;
		uint64_t most_records;
		size_t count;
		uint32_t exits[3];
		bool to_end;
	} cases[] = {
		{ TL_NONE, 10, 1000, 3, { 9, 8, 7 }, true },
		{ TL_NONE, 1, 1000, 1, { 9 }, false },
		{ TL_NONE, 2, 1000, 2, { 9, 8 }, false },
		{ 9, 10, 1000, 2, { 8, 7 }, true }, /* its frame is open: the exit is its own */
		/* five records of the buffer's head stand before the functions */
		{ TL_NONE, 10, 5, 0, { 0 }, false },
		{ TL_NONE, 10, 9, 1, { 9 }, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = { 0 };
		struct tl_xray_ahead ahead = { .first = cases[i].first,
					       .most_exits = cases[i].most_exits,
					       .most_records = cases[i].most_records };

		put_exits(&b);
		ahead = look(&b, ahead);
		assert_int_equal(ahead.count, cases[i].count);
		for (size_t j = 0; j < ahead.count; j++)
			assert_int_equal(ahead.exits[j], cases[i].exits[j]);
		assert_int_equal(ahead.to_end, cases[i].to_end);
		assert_true(ahead.any);
		assert_int_equal(ahead.tsc, 100);
		free(ahead.exits);
		free_bytes(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_buffer_of_a_recursion_may_be_zeros),
		cmocka_unit_test(a_hole_is_that_of_the_thread_that_misses_it),
		cmocka_unit_test(two_holes_in_one_recursion),
		cmocka_unit_test(bytes_too_few_for_a_buffer_are_no_gap),
		cmocka_unit_test(looking_ahead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
