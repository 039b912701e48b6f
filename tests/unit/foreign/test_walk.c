/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans of a thread as steps of a call stack (foreign/spans.h): by hand, and at random against
 * rules that know no stack: which begin an end is of, and in which call a whole one lies.
 */
#include "../unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/profile.h>

#include "foreign/spans.h"

/* ---- steps as text ---- */

/* "10+a" a call of frame 0, "11-" it ends, "11!" it is cut, "12?" an orphan, "13*a" an instant. */
struct steps {
	char text[1024];
	size_t used;
};

static void put_step(struct steps *steps, int64_t ticks, char kind, uint32_t frame)
{
	char name[2] = { frame == TL_NONE ? '\0' : (char)('a' + frame), '\0' };

	steps->used += (size_t)snprintf(steps->text + steps->used,
					sizeof(steps->text) - steps->used, "%s%lld%c%s",
					steps->used ? " " : "", (long long)ticks, kind, name);
	assert_true(steps->used < sizeof(steps->text));
}

static void enter(void *arg, int64_t ticks, uint32_t frame)
{
	put_step(arg, ticks, '+', frame);
}

static void leave(void *arg, int64_t ticks, bool cut)
{
	put_step(arg, ticks, cut ? '!' : '-', TL_NONE);
}

static void orphan(void *arg, int64_t ticks)
{
	put_step(arg, ticks, '?', TL_NONE);
}

static void instant(void *arg, int64_t ticks, uint32_t frame, uint32_t order)
{
	(void)order;
	put_step(arg, ticks, '*', frame);
}

/* ---- by hand ---- */

#define BEGIN(at, name) { at, TL_FOREIGN_BEGIN, (uint32_t)((name) - 'a'), 0 }
#define END(at, name) { at, TL_FOREIGN_END, (uint32_t)((name) - 'a'), 0 }
#define END_ANY(at) { at, TL_FOREIGN_END, TL_NONE, 0 }
#define WHOLE(at, length, name) { at, length, (uint32_t)((name) - 'a'), 0 }
#define NOW(at, name) { at, TL_FOREIGN_INSTANT, (uint32_t)((name) - 'a'), 0 }

struct example {
	struct tl_foreign_span spans[8];
	size_t count;
	const char *steps;
	struct tl_foreign_walk met;
};

/* Spans in the order of the input. The second walk has to give the same as the first one. */
static void is_walked(const struct example *example)
{
	struct tl_foreign_spans spans = { .last = 0 };
	const uint32_t number = tl_foreign_spans_thread(&spans, 1, 2);

	assert_true(number != TL_NONE);
	for (size_t i = 0; i < example->count; i++)
		assert_true(tl_foreign_spans_add(&spans.threads[number], example->spans[i].ticks,
						 example->spans[i].duration,
						 example->spans[i].frame));
	for (int i = 0; i < 2; i++) {
		struct steps steps = { .used = 0 };
		struct tl_foreign_walk met = { .orphans = 0 };
		const struct tl_foreign_visitor visitor = { enter, leave, orphan, instant, &steps };

		assert_true(tl_foreign_walk(&spans, number, &visitor, &met));
		assert_string_equal(steps.text, example->steps);
		assert_memory_equal(&met, &example->met, sizeof(met));
	}
	tl_foreign_spans_free(&spans);
}

#define WALKED(steps, met, ...)                                                                    \
	do {                                                                                       \
		const struct tl_foreign_span spans_[] = { __VA_ARGS__ };                           \
		struct example example_ = {                                                        \
			{ { 0 } }, sizeof(spans_) / sizeof(spans_[0]), steps, met                  \
		};                                                                                 \
		memcpy(example_.spans, spans_, sizeof(spans_));                                    \
		is_walked(&example_);                                                              \
	} while (0)
#define MET(...) ((struct tl_foreign_walk){ __VA_ARGS__ })
#define NOTHING MET(.orphans = 0)

TEST(begins_and_ends)
{
	WALKED("1+a 2+b 3- 4-", NOTHING, BEGIN(1, 'a'), BEGIN(2, 'b'), END(3, 'b'), END(4, 'a'));
	/* in any order of the input */
	WALKED("1+a 2+b 3- 4-", NOTHING, END(4, 'a'), END(3, 'b'), BEGIN(2, 'b'), BEGIN(1, 'a'));
	/* an end without a frame is of the innermost one */
	WALKED("1+a 2+b 3- 4-", NOTHING, BEGIN(1, 'a'), BEGIN(2, 'b'), END_ANY(3), END_ANY(4));
	/* recursion */
	WALKED("1+a 2+a 3- 4-", NOTHING, BEGIN(1, 'a'), BEGIN(2, 'a'), END(3, 'a'), END(4, 'a'));
	/* times before the beginning of time */
	WALKED("-9+a -3-", NOTHING, BEGIN(-9, 'a'), END(-3, 'a'));
}

TEST(ends_that_find_another_call)
{
	/* the end of an outer call ends the inner ones */
	WALKED("1+a 2+b 3! 3-", MET(.cut = 1), BEGIN(1, 'a'), BEGIN(2, 'b'), END(3, 'a'));
	WALKED("1+a 2+b 3! 3- 4?", MET(.cut = 1, .orphans = 1), BEGIN(1, 'a'), BEGIN(2, 'b'),
	       END(3, 'a'), END(4, 'b'));
	/* an end without a begin ends nothing */
	WALKED("1?", MET(.orphans = 1), END(1, 'a'));
	WALKED("1?", MET(.orphans = 1), END_ANY(1));
	WALKED("1+a 2? 3-", MET(.orphans = 1), BEGIN(1, 'a'), END(2, 'b'), END(3, 'a'));
	WALKED("1+a 2- 3?", MET(.orphans = 1), BEGIN(1, 'a'), END(2, 'a'), END(3, 'a'));
	/* begins without an end stay open */
	WALKED("1+a 2+b", MET(.open = 2), BEGIN(1, 'a'), BEGIN(2, 'b'));
	WALKED("1+a 2+b 3-", MET(.open = 1), BEGIN(1, 'a'), BEGIN(2, 'b'), END(3, 'b'));
}

TEST(whole_calls)
{
	WALKED("1+a 2+b 4- 11-", NOTHING, WHOLE(1, 10, 'a'), WHOLE(2, 2, 'b'));
	/* a call ends as its caller does, at the latest: a tick more is no overlap */
	WALKED("1+a 2+b 5- 5-", NOTHING, WHOLE(1, 4, 'a'), WHOLE(2, 3, 'b'));
	WALKED("1+a 2+b 5- 5-", NOTHING, WHOLE(1, 4, 'a'), WHOLE(2, 4, 'b'));
	WALKED("1+a 2+b 5! 5-", MET(.overlaps = 1), WHOLE(1, 4, 'a'), WHOLE(2, 5, 'b'));
	/* what begins where another one ends is beside it */
	WALKED("1+a 3- 3+b 5-", NOTHING, WHOLE(1, 2, 'a'), WHOLE(3, 2, 'b'));
	/* of those that begin together the longer one is outside */
	WALKED("1+b 1+a 3- 9-", NOTHING, WHOLE(1, 2, 'a'), WHOLE(1, 8, 'b'));
	/* of equal ones the first of the input */
	WALKED("1+a 1+b 3- 3-", NOTHING, WHOLE(1, 2, 'a'), WHOLE(1, 2, 'b'));
	/* without a duration */
	WALKED("1+a 2+b 2- 3-", NOTHING, WHOLE(1, 2, 'a'), WHOLE(2, 0, 'b'));
}

/* Ends that no time has are the end of all times: such a call stays open as a begin does. */
TEST(durations_of_any_size)
{
	WALKED("1+a", MET(.open = 1), WHOLE(1, INT64_MAX, 'a'));
	WALKED("1+a", MET(.open = 1), WHOLE(1, (uint64_t)INT64_MAX + 1, 'a'));
	WALKED("1+a", MET(.open = 1), WHOLE(1, INT64_MAX - 1, 'a'));
	/* one tick earlier is a time */
	WALKED("1+a 9223372036854775806-", NOTHING, WHOLE(1, INT64_MAX - 2, 'a'));
	WALKED("-5+a 9223372036854775802-", NOTHING, WHOLE(-5, INT64_MAX, 'a'));
}

TEST(whole_calls_among_others)
{
	WALKED("1+a 2+b 4- 9-", NOTHING, BEGIN(1, 'a'), WHOLE(2, 2, 'b'), END(9, 'a'));
	/* the end of the call around it cuts it: more than it is long */
	WALKED("1+a 2+b 3! 3-", MET(.overlaps = 1), BEGIN(1, 'a'), WHOLE(2, 5, 'b'), END(3, 'a'));
	/* a begin inside ends with the whole call around it, if not before */
	WALKED("1+a 2+b 3- 5-", NOTHING, WHOLE(1, 4, 'a'), BEGIN(2, 'b'), END(3, 'b'));
	WALKED("1+a 2+b 5! 5- 7?", MET(.cut = 1, .orphans = 1), WHOLE(1, 4, 'a'), BEGIN(2, 'b'),
	       END(7, 'b'));
	/* an end is of begins only */
	WALKED("1+a 2? 5-", MET(.orphans = 1), WHOLE(1, 4, 'a'), END(2, 'a'));
}

/* "of ends at the same time that of the innermost begin is the first" */
TEST(ends_at_the_same_time)
{
	WALKED("1+a 2+b 3- 3-", NOTHING, BEGIN(1, 'a'), BEGIN(2, 'b'), END(3, 'a'), END(3, 'b'));
	WALKED("1+a 2+b 3+c 4- 4- 4-", NOTHING, BEGIN(1, 'a'), BEGIN(2, 'b'), BEGIN(3, 'c'),
	       END(4, 'a'), END(4, 'b'), END(4, 'c'));
	/* not those of another time, or of no frame */
	WALKED("1+a 2+b 3! 3- 4?", MET(.cut = 1, .orphans = 1), BEGIN(1, 'a'), BEGIN(2, 'b'),
	       END(3, 'a'), END(4, 'b'));
	WALKED("1+a 2+b 3- 3-", NOTHING, BEGIN(1, 'a'), BEGIN(2, 'b'), END_ANY(3), END(3, 'a'));
	/* an end of nothing that is open is an orphan where it stands */
	WALKED("1+a 2+b 3? 3- 3-", MET(.orphans = 1), BEGIN(1, 'a'), BEGIN(2, 'b'), END(3, 'c'),
	       END(3, 'b'), END(3, 'a'));
}

TEST(instants)
{
	WALKED("1*a", NOTHING, NOW(1, 'a'));
	WALKED("1+a 2*b 3- 4*c", NOTHING, WHOLE(1, 2, 'a'), NOW(2, 'b'), NOW(4, 'c'));
	/* of one time in the order of the input, and before whole calls */
	WALKED("1+a 2*b 2- 2*c 2+d 2+e 2- 2+f 3- 3-", NOTHING, WHOLE(2, 1, 'f'), NOW(2, 'b'),
	       END(2, 'a'), NOW(2, 'c'), BEGIN(2, 'd'), WHOLE(2, 0, 'e'), END(3, 'd'),
	       BEGIN(1, 'a'));
	/* where nobody wants them */
	{
		struct tl_foreign_spans spans = { .last = 0 };
		const uint32_t number = tl_foreign_spans_thread(&spans, 1, 2);
		struct steps steps = { .used = 0 };
		struct tl_foreign_walk met = { .orphans = 0 };
		const struct tl_foreign_visitor visitor = { enter, leave, NULL, NULL, &steps };

		assert_true(tl_foreign_spans_add(&spans.threads[number], 1, TL_FOREIGN_INSTANT, 0));
		assert_true(tl_foreign_spans_add(&spans.threads[number], 1, TL_FOREIGN_END, 0));
		assert_true(tl_foreign_walk(&spans, number, &visitor, &met));
		assert_string_equal(steps.text, "");
		assert_int_equal(met.orphans, 1);
		tl_foreign_spans_free(&spans);
	}
}

/* ---- threads ---- */

TEST(threads_are_found_again)
{
	struct tl_foreign_spans spans = { .last = 0 };
	enum { COUNT = 300 };

	assert_int_equal(tl_foreign_spans_find(&spans, 0, 0), TL_NONE);
	for (int round = 0; round < 2; round++)
		for (int64_t i = 0; i < COUNT; i++)
			assert_int_equal(tl_foreign_spans_thread(&spans, i % 17 - 8, i / 17 - 4),
					 i);
	assert_int_equal(spans.count, COUNT);
	for (int64_t i = 0; i < COUNT; i++)
		assert_int_equal(tl_foreign_spans_find(&spans, i % 17 - 8, i / 17 - 4), i);
	assert_int_equal(tl_foreign_spans_find(&spans, 9, 0), TL_NONE);
	assert_int_equal(tl_foreign_spans_find(&spans, 0, 100), TL_NONE);
	assert_int_equal(spans.count, COUNT);
	tl_foreign_spans_free(&spans);
}

/* The calls that one thread leaves open are none of the next one's, nor of the next walk. */
TEST(walks_do_not_meet)
{
	struct tl_foreign_spans spans = { .last = 0 };
	const uint32_t first = tl_foreign_spans_thread(&spans, 1, 1),
		       second = tl_foreign_spans_thread(&spans, 1, 2);
	struct steps steps = { .used = 0 };
	struct tl_foreign_walk met = { .orphans = 0 };
	const struct tl_foreign_visitor visitor = { enter, leave, orphan, NULL, &steps };

	assert_true(tl_foreign_spans_add(&spans.threads[first], 1, TL_FOREIGN_BEGIN, 2));
	assert_true(tl_foreign_spans_add(&spans.threads[second], 5, TL_FOREIGN_END, 2));
	assert_true(tl_foreign_walk(&spans, first, &visitor, &met));
	assert_true(tl_foreign_walk(&spans, second, &visitor, &met));
	assert_true(tl_foreign_walk(&spans, first, &visitor, &met));
	assert_string_equal(steps.text, "1+c 5? 1+c");
	assert_int_equal(met.open, 2);
	assert_int_equal(met.orphans, 1);
	tl_foreign_spans_free(&spans);
}

/* ---- at random ---- */

enum { CALLS = 400, FRAMES = 6 };

struct step {
	int64_t ticks;
	char kind;
	uint32_t frame;
};

struct recorded {
	struct step list[3 * CALLS];
	size_t count;
};

static void record(void *arg, int64_t ticks, char kind, uint32_t frame)
{
	struct recorded *r = arg;

	assert_true(r->count < sizeof(r->list) / sizeof(r->list[0]));
	r->list[r->count++] = (struct step){ ticks, kind, frame };
}

static void record_enter(void *arg, int64_t ticks, uint32_t frame)
{
	record(arg, ticks, '+', frame);
}

static void record_leave(void *arg, int64_t ticks, bool cut)
{
	record(arg, ticks, cut ? '!' : '-', TL_NONE);
}

static void record_orphan(void *arg, int64_t ticks)
{
	record(arg, ticks, '?', TL_NONE);
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % below;
}

/* The spans in another order. */
static void shuffle(struct tl_foreign_span *spans, size_t count, uint32_t *seed)
{
	for (size_t i = count; i > 1; i--) {
		const size_t other = draw(seed, (uint32_t)i);
		const struct tl_foreign_span span = spans[i - 1];

		spans[i - 1] = spans[other];
		spans[other] = span;
	}
}

static struct tl_foreign_walk walk_all(const struct tl_foreign_span *list, size_t count,
				       struct recorded *recorded)
{
	struct tl_foreign_spans spans = { .last = 0 };
	const uint32_t number = tl_foreign_spans_thread(&spans, 1, 2);
	const struct tl_foreign_visitor visitor = { record_enter, record_leave, record_orphan, NULL,
						    recorded };
	struct tl_foreign_walk met = { .orphans = 0 };

	recorded->count = 0;
	for (size_t i = 0; i < count; i++)
		assert_true(tl_foreign_spans_add(&spans.threads[number], list[i].ticks,
						 list[i].duration, list[i].frame));
	assert_true(tl_foreign_walk(&spans, number, &visitor, &met));
	tl_foreign_spans_free(&spans);
	return met;
}

/*
 * Begins and ends at times of their own. An end is of the last begin of its frame that has none yet
 * and was not cut; begins behind that one are cut.
 */
TEST(random_begins_and_ends)
{
	for (uint32_t seed = 1; seed <= 30; seed++) {
		struct tl_foreign_span spans[CALLS], mixed[CALLS];
		bool open[CALLS] = { false };
		struct recorded wanted = { .count = 0 }, is;
		struct tl_foreign_walk met, counted = { .orphans = 0 };
		uint32_t random = seed;

		for (int64_t i = 0; i < CALLS; i++) {
			const bool end = draw(&random, 2);
			uint32_t frame = draw(&random, FRAMES);
			int64_t of = i;

			if (end && draw(&random, 4) == 0)
				frame = TL_NONE;
			spans[i] = (struct tl_foreign_span){
				10 * i, end ? TL_FOREIGN_END : TL_FOREIGN_BEGIN, frame, 0
			};
			if (!end) {
				open[i] = true;
				record(&wanted, 10 * i, '+', frame);
				continue;
			}
			while (--of >= 0)
				if (open[of] && (frame == TL_NONE || spans[of].frame == frame))
					break;
			if (of < 0) {
				counted.orphans++;
				record(&wanted, 10 * i, '?', TL_NONE);
				continue;
			}
			for (int64_t inner = i; --inner > of;)
				if (open[inner]) {
					open[inner] = false;
					counted.cut++;
					record(&wanted, 10 * i, '!', TL_NONE);
				}
			open[of] = false;
			record(&wanted, 10 * i, '-', TL_NONE);
		}
		for (size_t i = 0; i < CALLS; i++)
			counted.open += open[i];
		memcpy(mixed, spans, sizeof(mixed));
		shuffle(mixed, CALLS, &random);
		met = walk_all(mixed, CALLS, &is);
		assert_memory_equal(&met, &counted, sizeof(met));
		assert_int_equal(is.count, wanted.count);
		for (size_t i = 0; i < is.count; i++) {
			assert_true(is.list[i].ticks == wanted.list[i].ticks);
			assert_int_equal(is.list[i].kind, wanted.list[i].kind);
			assert_int_equal(is.list[i].frame, wanted.list[i].frame);
		}
	}
}

/*
 * Whole calls: one lies in the last that began before it and has not ended, and ends no later. At
 * each time as many are open as have begun and not ended, whatever the order of the steps.
 */
TEST(random_whole_calls)
{
	for (uint32_t seed = 1; seed <= 30; seed++) {
		struct tl_foreign_span spans[CALLS], mixed[CALLS];
		int64_t ends[CALLS];
		struct recorded is;
		struct tl_foreign_walk met, counted = { .orphans = 0 };
		uint32_t random = seed, depth = 0;

		for (int64_t i = 0; i < CALLS; i++) {
			const int64_t start = 100 * i;
			/* ends never meet begins, and are more than a tick apart from each other */
			const uint64_t length =
				100 * draw(&random, 40) + 2 * (uint64_t)(i % 40) + 3;

			spans[i] =
				(struct tl_foreign_span){ start, length, draw(&random, FRAMES), 0 };
			ends[i] = start + (int64_t)length;
			for (int64_t outer = i; --outer >= 0;) {
				if (ends[outer] <= start)
					continue;
				if (ends[i] > ends[outer]) {
					counted.overlaps += ends[i] > ends[outer] + 1;
					ends[i] = ends[outer];
				}
				break;
			}
		}
		memcpy(mixed, spans, sizeof(mixed));
		shuffle(mixed, CALLS, &random);
		met = walk_all(mixed, CALLS, &is);
		assert_memory_equal(&met, &counted, sizeof(met));
		assert_int_equal(is.count, 2 * CALLS);
		for (size_t i = 0; i < is.count; i++) {
			const int64_t now = is.list[i].ticks;
			uint32_t open = 0;

			assert_true(!i || is.list[i - 1].ticks <= now);
			depth += is.list[i].kind == '+' ? 1 : UINT32_MAX;
			if (is.list[i].kind == '+')
				assert_int_equal(is.list[i].frame, spans[now / 100].frame);
			if (i + 1 < is.count && is.list[i + 1].ticks == now)
				continue;
			for (size_t call = 0; call < CALLS; call++)
				open += spans[call].ticks <= now && ends[call] > now;
			assert_int_equal(depth, open);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(begins_and_ends),
		cmocka_unit_test(ends_that_find_another_call),
		cmocka_unit_test(whole_calls),
		cmocka_unit_test(durations_of_any_size),
		cmocka_unit_test(whole_calls_among_others),
		cmocka_unit_test(ends_at_the_same_time),
		cmocka_unit_test(instants),
		cmocka_unit_test(threads_are_found_again),
		cmocka_unit_test(walks_do_not_meet),
		cmocka_unit_test(random_begins_and_ends),
		cmocka_unit_test(random_whole_calls),
	};

	return cmocka_run_group_tests_name("foreign walk", tests, NULL, NULL);
}
