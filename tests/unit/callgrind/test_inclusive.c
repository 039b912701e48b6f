/* SPDX-License-Identifier: Apache-2.0 */
/* Rule J: "inclusive(f) = min(self(f) + costs of its calls to other functions, cost of the whole
 * cycle)". */
#include "text.h"

#include <stdio.h>

#include "profile/model/unsized.h"

static void expect_inclusive(const struct tl_profile *profile, const char *name, int64_t self,
			     int64_t inclusive)
{
	struct tl_function_totals totals = totals_of(profile, name);

	assert_int_equal(totals.self[0], self);
	assert_int_equal(totals.inclusive[0], inclusive);
}

/* The example of the published text: main 20 + 400 + 400 = 820. */
TEST(published_example)
{
	struct tl_profile *profile = fold_text(
		"events: Instructions\nfl=file1.c\nfn=main\n16 20\ncfn=func1\ncalls=1 50\n16 "
		"400\ncfl=file2.c\ncfn=func2\n"
		"calls=3 20\n16 400\nfn=func1\n51 100\ncfl=file2.c\ncfn=func2\ncalls=2 "
		"20\n51 300\nfl=file2.c\nfn=func2\n20 700\n");

	expect_inclusive(profile, "main", 20, 820);
	expect_inclusive(profile, "func1", 100, 400);
	expect_inclusive(profile, "func2", 700, 700);
	assert_int_equal(totals_of(profile, "func2").calls, 5);
	assert_int_equal(tl_profile_total(profile)[0], 820);
	tl_profile_free(profile);
}

/* hand/cycle.out: A (30) and B (70) call each other; the cycle costs 100, which nothing in it
 * exceeds */
TEST(a_cycle_is_counted_once)
{
	struct tl_profile *profile = fold_text(
		HEAD "fn=main\n1 10\ncfn=A\ncalls=1 5\n1 100\nfn=A\n5 30\ncfn=B\ncalls=3 9\n5 70\n"
		     "fn=B\n9 70\ncfn=A\ncalls=2 5\n9 50\n");

	expect_inclusive(profile, "main", 10, 110);
	/* 30 + 70 */
	expect_inclusive(profile, "A", 30, 100);
	/* 70 + 50, more than the cycle */
	expect_inclusive(profile, "B", 70, 100);
	tl_profile_free(profile);
}

/* A function that calls itself: the calls are its own cost already. */
TEST(direct_recursion)
{
	struct tl_profile *profile =
		fold_text(HEAD "fn=main\n1 1\ncfn=fib\ncalls=1 5\n1 50\nfn=fib\n5 "
			       "50\ncfn=fib\ncalls=24 5\n5 400\n");

	expect_inclusive(profile, "fib", 50, 50);
	expect_inclusive(profile, "main", 1, 51);
	assert_int_equal(totals_of(profile, "fib").calls, 25);
	tl_profile_free(profile);
}

/* Calls out of a cycle count for who makes them; what calls into the cycle claim to cost is no
 * matter. */
TEST(in_and_out_of_a_cycle)
{
	struct tl_profile *profile =
		fold_text(HEAD "fn=main\n1 1\ncfn=A\ncalls=1 1\n1 60\ncfn=B\ncalls=1 1\n1 900\n"
			       "fn=A\n2 10\ncfn=B\ncalls=1 1\n2 40\ncfn=leaf\ncalls=1 1\n2 20\n"
			       "fn=B\n3 30\ncfn=C\ncalls=1 1\n3 15\nfn=C\n4 5\ncfn=A\ncalls=1 1\n4 "
			       "8\nfn=leaf\n5 20\n");

	/* the cycle {A, B, C}: 10 + 20 (leaf) + 30 + 5 = 65; A itself 10 + 40 + 20 */
	expect_inclusive(profile, "A", 10, 65);
	expect_inclusive(profile, "B", 30, 45);
	expect_inclusive(profile, "C", 5, 13);
	expect_inclusive(profile, "leaf", 20, 20);
	tl_profile_free(profile);
}

/* A chain of calls of any length is no recursion of ours. */
TEST(deep_chain)
{
	enum { DEPTH = 50000 };
	char *text = malloc(DEPTH * 64 + 100), *to = stpcpy(text, HEAD);
	struct tl_profile *profile;

	for (int i = 0; i < DEPTH; i++)
		to += sprintf(to, "fn=(%d) f%d\n1 1\ncfn=(%d) f%d\ncalls=1 1\n1 %d\n", i, i, i + 1,
			      i + 1, DEPTH - i);
	sprintf(to, "fn=(%d)\n1 1\n", DEPTH);
	profile = fold_text(text);
	expect_inclusive(profile, "f0", 1, DEPTH + 1);
	tl_profile_free(profile);
	free(text);
}

static void expect_local(const struct tl_profile *profile, const char *name, uint32_t part,
			 int64_t self, int64_t inclusive, uint64_t calls)
{
	struct tl_function_totals totals;

	tl_profile_totals_of(profile, find_function(profile, name, NULL), part, &totals);
	assert_int_equal(totals.self[0], self);
	assert_int_equal(totals.inclusive[0], inclusive);
	assert_int_equal(totals.calls, calls);
}

/* Each part by itself, also with a cycle in it, whether or not the lines are kept. */
TEST(parts_by_themselves)
{
	static const char text[] =
		"events: Ir\nthread: 1\nfn=main\n1 10\ncfn=A\ncalls=1 5\n1 100\nfn=A\n5 "
		"30\ncfn=B\ncalls=3 9\n5 70\n"
		"fn=B\n9 70\ncfn=A\ncalls=2 5\n9 50\ntotals: 110\n"
		"thread: 2\nfn=main\n1 3\ncfn=B\ncalls=7 9\n1 4\nfn=B\n9 "
		"4\ntotals: 7\n";

	for (int lines = 0; lines < 2; lines++) {
		struct tl_callgrind_fold_options options = {
			.size = sizeof(options),
			.part = TL_NOWHERE,
			.thread = TL_NOWHERE,
			.process = TL_NOWHERE,
			.detail = lines ? TL_CALLGRIND_LINES : TL_CALLGRIND_FUNCTIONS,
			.per_part = true,
		};
		struct tl_profile *profile = fold_with(text, &options);

		expect_local(profile, "main", 0, 10, 110, 0);
		expect_local(profile, "A", 0, 30, 100, 3);
		expect_local(profile, "B", 0, 70, 100, 3);
		expect_local(profile, "main", 1, 3, 7, 0);
		expect_local(profile, "B", 1, 4, 4, 7);
		expect_local(profile, "A", 1, 0, 0, 0);
		expect_inclusive(profile, "main", 13, 117);
		/* B: 74 + 50, the cycle 30 + 74 */
		expect_inclusive(profile, "B", 74, 104);
		tl_profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_example), cmocka_unit_test(a_cycle_is_counted_once),
		cmocka_unit_test(direct_recursion),  cmocka_unit_test(in_and_out_of_a_cycle),
		cmocka_unit_test(deep_chain),        cmocka_unit_test(parts_by_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
