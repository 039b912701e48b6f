/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is called at the samples of LLVM's profiles: drawn calls of many instructions, of which
 * several are one line, to functions of one name in two files, against a plain table of sums.
 */
#include <string.h>

#include "../chance.h"
#include "../unit.h"

#include <tracelathe/core.h>
#include "export/coverage/llvm_samples.h"

enum { LINES = 9, NAMES = 7, INSNS = 40, CALLS = 300, ROUNDS = 60, OBJECTS = 2 };
enum { CALLER = 0x1000, CALLEES = 0x10000, CALLEE_BYTES = 0x100 };

static const char *const names[NAMES] = { "a", "aa", "b", "ba", "c", "main", "z" };

static unsigned line_of(unsigned insn)
{
	return insn * 7 % LINES;
}

static uint64_t callee(unsigned name)
{
	return CALLEES + (uint64_t)CALLEE_BYTES * name;
}

/* Lines 1 to 9 of "f", and a function of each name in both files. */
static void put_code(struct tl_coverage *c)
{
	uint32_t function, places[LINES];

	for (uint32_t object = 0; object < OBJECTS; object++) {
		tl_coverage_object(c, object ? "lib" : "prog", NULL, 0, 0);
		for (unsigned i = 0; i < NAMES; i++) {
			function = tl_coverage_function(
				c, &(struct tl_coverage_function){ names[i], "a.c", callee(i),
								   CALLEE_BYTES, object, 4 });
			assert_true(tl_coverage_add_insn(
				c, &(struct tl_coverage_insn){ .address = callee(i),
							       .count = 1,
							       .object = object,
							       .function = function,
							       .place = TL_NONE,
							       .size = 4 }));
		}
	}
	function = tl_coverage_function(
		c, &(struct tl_coverage_function){ "f", "f.c", CALLER, 4 * INSNS, 0, 1 });
	for (uint32_t i = 0; i < LINES; i++)
		places[i] = tl_coverage_place(
			c, &(struct tl_coverage_place){ "f", "f.c", i + 1, 0, 1, TL_NONE });
	for (unsigned i = 0; i < INSNS; i++)
		assert_true(tl_coverage_add_insn(
			c, &(struct tl_coverage_insn){ .address = CALLER + 4 * (uint64_t)i,
						       .count = 1,
						       .object = 0,
						       .function = function,
						       .place = places[line_of(i)],
						       .size = 4 }));
}

static void draw_calls(struct tl_coverage *c, uint64_t sums[LINES][NAMES], uint32_t *seed)
{
	for (unsigned i = chance(seed, CALLS); i; i--) {
		const unsigned insn = chance(seed, INSNS), name = chance(seed, NAMES);
		/* small numbers, so that many sums are the same */
		const struct tl_coverage_edge edge = { .from = CALLER + 4 * (uint64_t)insn,
						       .to = callee(name),
						       .count = 1 + chance(seed, 3),
						       .to_object = chance(seed, OBJECTS),
						       .kind = TL_BRANCH_CALL };

		assert_true(tl_coverage_add_edge(c, &edge));
		sums[line_of(insn)][name] += edge.count;
	}
}

static unsigned name_of(const char *text)
{
	unsigned i = 0;

	while (i < NAMES && strcmp(names[i], text) != 0)
		i++;
	assert_true(i < NAMES);
	return i;
}

/* By sample, the most frequent first, then by name. */
static void assert_order(const struct tl_llvm_target *a, const struct tl_llvm_target *b)
{
	assert_true(a->sample <= b->sample);
	if (a->sample != b->sample)
		return;
	assert_true(a->count >= b->count);
	if (a->count == b->count)
		assert_true(strcmp(a->name, b->name) < 0);
}

TEST(calls_of_a_line_are_summed_by_name)
{
	uint32_t seed = 1;

	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t sums[LINES][NAMES] = { { 0 } };
		struct tl_coverage c = { .objects = NULL };
		struct tl_llvm_samples s = { .coverage = &c };
		size_t called = 0;

		put_code(&c);
		draw_calls(&c, sums, &seed);
		assert_true(tl_coverage_finish(&c));
		assert_true(tl_llvm_samples(&s));
		for (size_t i = 0; i < s.target_count; i++) {
			const struct tl_llvm_target *t = &s.targets[i];
			uint64_t *sum = &sums[s.samples[t->sample].line][name_of(t->name)];

			if (i)
				assert_order(&s.targets[i - 1], t);
			assert_true(t->count > 0);
			assert_int_equal(t->count, *sum);
			*sum = 0;
		}
		/* Each was there once, and none is left. */
		for (unsigned line = 0; line < LINES; line++)
			for (unsigned name = 0; name < NAMES; name++)
				called += sums[line][name] > 0;
		assert_int_equal(called, 0);
		tl_llvm_samples_free(&s);
		tl_coverage_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_of_a_line_are_summed_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
