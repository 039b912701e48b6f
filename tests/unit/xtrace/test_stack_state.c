/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack of a stream as words, for who folds what follows (share/stack_state.h): "False: no
 * memory, or they are none of a stack of these functions". They come from another process: whatever
 * they are, what is taken for a stack can be gone on with.
 */
#include <inttypes.h>

#include "stacks.h"

#include "xtrace/profile/share/stack_state.h"

enum { FUNCTIONS = 6, PAGE = 0x1000 };

/* Words of a context, of a frame without a call site and what one with it has more, of a parked
 * stack behind its frames. */
enum { CONTEXT = 4, FRAME = 11, SITE = 7, PARKED = 5 };

struct told {
	struct tl_xtrace_function_map functions;
	struct tl_xtrace_words words;
};

static void begin_functions(struct tl_xtrace_function_map *functions)
{
	tl_xtrace_function_map_begin(functions, NULL, 0);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const struct tl_xtrace_function f = { .start = PAGE * i,
						      .binary = TL_NONE,
						      .kernel = i == FUNCTIONS - 1 };

		assert_int_equal(tl_xtrace_function_put(functions, &f, false), i);
	}
}

/*
 * A coroutine is parked, whose second frame is a handler. Of the other stack frames 2 and 4 are
 * handlers; frames 1 and 3 were called.
 */
static void tell(struct told *t)
{
	struct tl_xtrace_call_stack s;

	*t = (struct told){ .words = { .list = NULL } };
	begin_functions(&t->functions);
	begin_stack(&s, false);
	push(&s, called(0, 4 * PAGE, 0x504, 0x50000));
	push(&s, handler_of(0, 3 * PAGE, 4 * PAGE + 8, 0x4ff00));
	tl_xtrace_park(&s, 0x4fe00);
	push(&s, found_at(0, PAGE, 0x9000));
	push(&s, called(0, 2 * PAGE, PAGE + 8, 0x8f00));
	push(&s, handler_of(0, 3 * PAGE, 2 * PAGE + 8, 0x8e00));
	push(&s, called(0, 4 * PAGE, 3 * PAGE + 8, 0x7f00));
	push(&s, handler_of(1, 5 * PAGE, 4 * PAGE + 8, 0x7e00));
	set_sp(&s, 0x7d00);
	tl_xtrace_stack_save(&s, &t->functions, &t->words);
	assert_false(t->words.no_memory);
	tl_xtrace_stack_free(&s);
}

static void free_told(struct told *t)
{
	free(t->words.list);
	tl_xtrace_function_map_free(&t->functions);
}

/* ---- what was taken for a stack is one ---- */

static void assert_frames(const struct tl_xtrace_call_stack *s,
			  const struct tl_xtrace_function_map *functions,
			  const struct tl_xtrace_frame *frames, size_t depth, uint32_t handler)
{
	uint32_t innermost = 0;

	for (size_t i = 0; i < depth; i++) {
		assert_true(frames[i].function < functions->count);
		assert_true(frames[i].node && frames[i].node < s->contexts.count);
		assert_true(frames[i].site == TL_NONE || frames[i].site < s->sites.count);
		assert_true(frames[i].el <= 3 && frames[i].sp_state <= TL_XTRACE_SP_KNOWN);
		if (!frames[i].handler)
			continue;
		assert_int_equal(frames[i].outer_handler, innermost);
		innermost = (uint32_t)i + 1;
	}
	assert_int_equal(handler, innermost);
}

static void assert_good(const struct tl_xtrace_call_stack *s,
			const struct tl_xtrace_function_map *functions)
{
	size_t frames = 0;

	assert_frames(s, functions, s->frames, s->depth, s->handler);
	for (size_t i = 0; i < s->parked.count; i++) {
		const struct tl_xtrace_parked *p = &s->parked.list[i];

		assert_true(p->depth > 0);
		assert_frames(s, functions, p->frames, p->depth, p->handler);
		frames += p->depth;
	}
	assert_int_equal(s->parked.frames, frames);
	for (size_t i = 1; i < s->contexts.count; i++) {
		assert_true(s->contexts.list[i].parent < i);
		assert_true(s->contexts.list[i].function < functions->count);
	}
}

/* All that a stream does with its stack. */
static void go_on(struct tl_xtrace_call_stack *s)
{
	land(s, operation(TL_XTRACE_OP_RETURN, 0, 4 * PAGE + 8, 0x4ff00));
	land(s, operation(TL_XTRACE_OP_BRANCH, 0, 2 * PAGE + 8, 0x8f00));
	for (unsigned i = 0; i < 3; i++) {
		apply(s, operation(TL_XTRACE_OP_SIGNAL_RETURN, 0, 2 * PAGE + 8, 0x8e00));
		apply(s, operation(TL_XTRACE_OP_EXCEPTION_RETURN, 0, 4 * PAGE + 8, 0x7e00));
		apply(s, operation(TL_XTRACE_OP_RETURN, 0, PAGE + 8, 0x8f00));
	}
	push(s, called(0, 2 * PAGE, PAGE + 8, 0x6000));
	tl_xtrace_park(s, 0x5000);
	apply(s, operation(TL_XTRACE_OP_FOUND, 0, PAGE, 0x9000));
	tl_xtrace_stack_suspend(s);
}

/* Whether the words are taken for a stack, which has to be one then. */
static bool restore(struct told *t, const uint64_t *words, size_t count)
{
	struct tl_xtrace_words_read read = { .data = (const uint8_t *)words, .count = count };
	struct tl_xtrace_call_stack s;
	bool good;

	begin_stack(&s, false);
	good = tl_xtrace_stack_restore(&s, &t->functions, &read);
	assert_int_not_equal(good, read.bad);
	assert_false(s.no_memory);
	if (good) {
		assert_good(&s, &t->functions);
		go_on(&s);
	}
	tl_xtrace_stack_end(&s);
	tl_xtrace_stack_free(&s);
	return good;
}

/* ---- good words ---- */

TEST(a_restored_stack_tells_the_same)
{
	struct tl_xtrace_words_read read;
	struct tl_xtrace_words again = { .list = NULL };
	struct tl_xtrace_call_stack s;
	struct told t;

	tell(&t);
	begin_stack(&s, false);
	read = (struct tl_xtrace_words_read){ .data = (const uint8_t *)t.words.list,
					      .count = t.words.count };
	assert_true(tl_xtrace_stack_restore(&s, &t.functions, &read));
	assert_good(&s, &t.functions);
	assert_stack(&s, STACK(PAGE, 2 * PAGE, 3 * PAGE, 4 * PAGE, 5 * PAGE));
	assert_int_equal(s.handler, 5);
	assert_int_equal(s.frames[4].outer_handler, 3);
	assert_int_equal(s.parked.count, 1);
	assert_int_equal(s.parked.list[0].depth, 2);
	tl_xtrace_stack_save(&s, &t.functions, &again);
	assert_int_equal(again.count, t.words.count);
	assert_memory_equal(again.list, t.words.list, again.count * sizeof(*again.list));
	assert_true(restore(&t, again.list, again.count));
	tl_xtrace_stack_free(&s);
	free(again.list);
	free_told(&t);
}

/* ---- others ---- */

TEST(cut_or_followed_words_are_none)
{
	uint64_t *more;
	struct told t;

	tell(&t);
	for (size_t count = 0; count < t.words.count; count++) {
		/* A copy of exactly so many, for sanitizers. */
		uint64_t *cut = malloc(count * sizeof(*cut) + !count);

		assert_non_null(cut);
		memcpy(cut, t.words.list, count * sizeof(*cut));
		assert_false(restore(&t, cut, count));
		free(cut);
	}
	more = calloc(t.words.count + 1, sizeof(*more));
	assert_non_null(more);
	memcpy(more, t.words.list, t.words.count * sizeof(*more));
	assert_false(restore(&t, more, t.words.count + 1));
	free(more);
	free_told(&t);
}

static void assert_refused(struct told *t, size_t at, uint64_t value)
{
	const uint64_t was = t->words.list[at];

	t->words.list[at] = value;
	if (restore(t, t->words.list, t->words.count))
		fail_msg("word %zu: %" PRIu64 " in place of %" PRIu64 " was taken", at, value, was);
	t->words.list[at] = was;
}

/* A function without a name, of a map without binaries. */
static void assert_function_refused(struct told *t, size_t at)
{
	assert_refused(t, at + 1, 0); /* the first binary */
	assert_refused(t, at + 1, (uint64_t)TL_NONE + 1);
	assert_refused(t, at + 2, 1); /* named */
	assert_refused(t, at + 2, 4);
}

/* The word behind the frame. */
static size_t assert_frame_refused(struct told *t, size_t at, uint64_t contexts)
{
	const bool has_site = t->words.list[at] & 32;

	assert_refused(t, at, t->words.list[at] ^ 8);  /* a handler, or none */
	assert_refused(t, at, t->words.list[at] | 64); /* no flag */
	assert_function_refused(t, at + 1);
	assert_refused(t, at + 4, 0); /* context */
	assert_refused(t, at + 4, contexts + 1);
	assert_refused(t, at + 5, t->words.list[at + 5] + 1); /* handler below */
	assert_refused(t, at + 6, 4);                         /* exception level */
	assert_refused(t, at + 7, TL_XTRACE_SP_KNOWN + 1);
	if (!has_site)
		return at + FRAME;
	assert_function_refused(t, at + FRAME);
	assert_function_refused(t, at + FRAME + 3);
	return at + FRAME + SITE;
}

static size_t assert_frames_refused(struct told *t, size_t at, uint64_t contexts, uint64_t most)
{
	const uint64_t depth = t->words.list[at];

	assert_refused(t, at, most + 1);
	assert_refused(t, at, UINT64_MAX);
	for (uint64_t handler = 0; handler <= depth + 1; handler++)
		if (handler != t->words.list[at + 1])
			assert_refused(t, at + 1, handler);
	at += 2;
	for (uint64_t i = 0; i < depth; i++)
		at = assert_frame_refused(t, at, contexts);
	return at;
}

TEST(each_field_that_cannot_be_is_refused)
{
	uint64_t contexts;
	struct told t;
	size_t at;

	tell(&t);
	contexts = t.words.list[0];
	assert_refused(&t, 0, contexts + 1);
	assert_refused(&t, 0, UINT64_MAX);
	for (at = 1; at < 1 + contexts * CONTEXT; at += CONTEXT) {
		assert_refused(&t, at, (at - 1) / CONTEXT + 1); /* a caller that comes later */
		assert_function_refused(&t, at + 1);
	}
	at = assert_frames_refused(&t, at, contexts, TL_XTRACE_DEEPEST);
	assert_int_equal(t.words.list[at], 1); /* clock */
	assert_refused(&t, at, 0);
	assert_int_equal(t.words.list[at + 1], 1); /* parked stacks */
	assert_refused(&t, at + 1, 0);
	assert_refused(&t, at + 1, 2);
	assert_refused(&t, at + 1, TL_XTRACE_MOST_PARKED + 1);
	assert_refused(&t, at + 2, 0); /* without frames */
	at = assert_frames_refused(&t, at + 2, contexts, TL_XTRACE_PARKED_DEEPEST);
	assert_refused(&t, at, 1);     /* parked when the clock says, not before */
	assert_refused(&t, at + 4, 2); /* all_known */
	at += PARKED;
	assert_refused(&t, at + 1, TL_XTRACE_SP_KNOWN + 1);
	assert_refused(&t, at + 2, TL_XTRACE_INHERITED + 1);
	assert_refused(&t, at + 4, 2); /* uncounted */
	assert_int_equal(at + 5, t.words.count);
	free_told(&t);
}

/* A fold that keeps no call sites is told none. */
TEST(call_sites_that_nobody_wants_are_refused)
{
	struct tl_xtrace_words_read read;
	struct tl_xtrace_call_stack s;
	struct told t;

	tell(&t);
	assert_true(tl_xtrace_stack_begin(&s, false, false));
	read = (struct tl_xtrace_words_read){ .data = (const uint8_t *)t.words.list,
					      .count = t.words.count };
	assert_false(tl_xtrace_stack_restore(&s, &t.functions, &read));
	tl_xtrace_stack_end(&s);
	tl_xtrace_stack_free(&s);
	free_told(&t);
}

static uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

/* Numbers as there are in such words, and those beside them. */
static uint64_t likely(uint64_t *from)
{
	static const uint64_t numbers[] = { 0,       1,       2,          3,        4,
					    5,       11,      63,         64,       TL_NONE,
					    0x1000,  0x2008,  0x8f00,     1 << 18,  4096,
					    4097,    TL_NONE, UINT64_MAX, 1u << 31, UINT64_MAX / 2,
					    0x50000, 33 };
	const uint64_t random = next_random(from);

	if (random % 8 == 0)
		return next_random(from);
	return numbers[random / 8 % (sizeof(numbers) / sizeof(numbers[0]))];
}

TEST(words_with_faults_make_a_stack_or_are_refused)
{
	enum { ROUNDS = 10000, MOST_FAULTS = 4 };
	uint64_t random = 88172645463325252, taken = 0;
	struct told t;
	uint64_t *words;

	tell(&t);
	words = calloc(t.words.count, sizeof(*words));
	assert_non_null(words);
	for (unsigned round = 0; round < ROUNDS; round++) {
		size_t faults = 1 + next_random(&random) % MOST_FAULTS;

		memcpy(words, t.words.list, t.words.count * sizeof(*words));
		while (faults--) {
			size_t at = next_random(&random) % t.words.count;

			if (next_random(&random) % 2)
				words[at] = likely(&random);
			else
				words[at] ^= UINT64_C(1) << next_random(&random) % 64;
		}
		taken += restore(&t, words, t.words.count);
	}
	/* Addresses may be any. */
	assert_in_range(taken, ROUNDS / 50, ROUNDS / 2);
	free(words);
	free_told(&t);
}

TEST(random_words_make_a_stack_or_are_refused)
{
	enum { ROUNDS = 10000, MOST = 200 };
	uint64_t random = 88172645463325252;
	uint64_t words[MOST];
	struct told t;

	tell(&t);
	for (unsigned round = 0; round < ROUNDS; round++) {
		size_t count = next_random(&random) % MOST;

		for (size_t i = 0; i < count; i++)
			words[i] = likely(&random);
		restore(&t, words, count);
	}
	free_told(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_restored_stack_tells_the_same),
		cmocka_unit_test(cut_or_followed_words_are_none),
		cmocka_unit_test(each_field_that_cannot_be_is_refused),
		cmocka_unit_test(call_sites_that_nobody_wants_are_refused),
		cmocka_unit_test(words_with_faults_make_a_stack_or_are_refused),
		cmocka_unit_test(random_words_make_a_stack_or_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
