/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that call each other as a row of their own, with what goes into the cycle and out of
 * it. Worked out by hand:
 *
 *   main    self 5     calls walk once, 140, alone once, 7
 *   walk    self 20    calls step 3 times, leaf once, 10
 *   step    self 30    calls walk 2 times, leaf 4 times, 80, drop once, 0
 *   leaf    self 90
 *   alone   self 7     calls itself, which is no cycle of several
 *
 * walk and step: self 50; into them one call of 140; out of them 90 of leaf. Inclusive 50 + 90; of
 * neither function it is known to be less.
 */
#include "profiles.h"

enum { AT_MAIN, WALK, STEP, LEAF, ALONE, DROP, COUNT };

static struct tl_profile *cyclic_profile(void)
{
	static const char *const called[COUNT] = {
		"main", "walk", "step", "leaf", "alone", "drop"
	};
	static const int64_t self[COUNT] = { 5, 20, 30, 90, 7, 0 };
	static const struct {
		uint32_t caller, callee;
		uint64_t calls;
		int64_t cost;
	} arcs[] = {
		{ AT_MAIN, WALK, 1, 140 }, { WALK, STEP, 3, 120 }, { STEP, WALK, 2, 100 },
		{ WALK, LEAF, 1, 10 },     { STEP, LEAF, 4, 80 },  { STEP, DROP, 1, 0 },
		{ AT_MAIN, ALONE, 1, 7 },  { ALONE, ALONE, 9, 6 },
	};
	const struct tl_event event = { "Ir", "", "", "" };
	struct tl_profile *profile;
	uint32_t numbers[COUNT];

	assert_int_equal(tl_profile_make(&profile, "callgrind", &event, 1, 0, NULL), 0);
	assert_int_equal(tl_profile_put_part(profile, &(struct tl_part){ .command = "" }, NULL), 0);
	for (uint32_t i = 0; i < COUNT; i++)
		numbers[i] = add_function(profile, called[i], "prog");
	for (uint32_t i = 0; i < COUNT; i++) {
		struct tl_cost_line line = { .function = numbers[i], .at = { .file = "" } };

		assert_int_equal(tl_profile_put_line(profile, &line, &self[i], NULL), 0);
	}
	for (size_t i = 0; i < sizeof(arcs) / sizeof(arcs[0]); i++) {
		struct tl_arc arc = { .caller = numbers[arcs[i].caller],
				      .callee = numbers[arcs[i].callee],
				      .from = { .file = "" },
				      .to = { .file = "" },
				      .calls = arcs[i].calls };

		assert_int_equal(tl_profile_put_arc(profile, &arc, &arcs[i].cost, NULL), 0);
	}
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	return profile;
}

static const char head[] = "callgrind, 1 part\n\n"
			   "   inclusive       %        self       calls  "
			   "< caller  * function  > callee\n";
static const char main_line[] = "         152 100.00%           5           0  * main\n";
static const char cycle_line[] = "         140  92.11%          50           1  * <cycle 1>\n";
static const char step_line[] = "         140  92.11%          30           3  * step <cycle 1>\n";
static const char walk_line[] = "         140  92.11%          20           3  * walk <cycle 1>\n";
static const char leaf_line[] = "          90  59.21%          90           5  * leaf\n";
static const char alone_line[] = "           7   4.61%           7          10  * alone\n";
static const char hidden[] =
	"\n... 1 function below the threshold left out (--threshold 0 shows all)\n";

/*
 * Calls inside of the cycle are no calls of it; those out of it are of both its functions. What has
 * no cost is not below a threshold of nothing.
 */
TEST(neighbours_of_a_cycle)
{
	struct tl_profile *profile = cyclic_profile();
	char expected[4096];

	snprintf(expected, sizeof(expected),
		 "%s\n%s\n"
		 "         140  92.11%%                       1    < main\n%s\n"
		 "         120  78.95%%                       3    < walk <cycle 1>\n%s\n"
		 "         140  92.11%%                       1    < main\n"
		 "         100  65.79%%                       2    < step <cycle 1>\n%s\n"
		 "          80  52.63%%                       4    < step <cycle 1>\n"
		 "          10   6.58%%                       1    < walk <cycle 1>\n%s\n"
		 "           7   4.61%%                       1    < main\n"
		 "           6   3.95%%                       9    < alone\n%s%s",
		 head, main_line, cycle_line, step_line, walk_line, leaf_line, alone_line, hidden);
	assert_tree(profile, TL_TREE_CALLERS, expected, .cycles = true, .threshold = 0.001);
	snprintf(expected, sizeof(expected),
		 "%s\n%s"
		 "         140  92.11%%                       1    > walk <cycle 1>\n"
		 "           7   4.61%%                       1    > alone\n\n%s"
		 "          90  59.21%%                       5    > leaf\n"
		 "           0   0.00%%                       1    > drop\n\n%s"
		 "         100  65.79%%                       2    > walk <cycle 1>\n"
		 "          80  52.63%%                       4    > leaf\n"
		 "           0   0.00%%                       1    > drop\n\n%s"
		 "         120  78.95%%                       3    > step <cycle 1>\n"
		 "          10   6.58%%                       1    > leaf\n\n%s\n%s"
		 "           6   3.95%%                       9    > alone\n\n"
		 "           0   0.00%%           0           1  * drop\n",
		 head, main_line, cycle_line, step_line, walk_line, leaf_line, alone_line);
	assert_tree(profile, TL_TREE_CALLEES, expected, .cycles = true, .threshold = 0);
	tl_profile_free(profile);
}

/* Without being asked, cycles have no rows, and their functions no marks. */
TEST(cycles_are_asked_for)
{
	struct tl_profile *profile = cyclic_profile();
	char *text = tree_text(profile, TL_TREE_BOTH, (struct tl_report_options){ 0 });

	assert_null(strstr(text, "cycle"));
	free(text);
	text = tree_text(profile, TL_TREE_BOTH,
			 (struct tl_report_options){ .form = TL_REPORT_JSON, .cycles = true });
	IN_ORDER(text, "{\"function\":\"<cycle 1>\"",
		 "\"cycle\":null,\"calls\":1,\"self\":{\"Ir\":50},\"inclusive\":{\"Ir\":140},"
		 "\"callers\":[{\"function\":\"main\"",
		 "\"callees\":[{\"function\":\"leaf\"", "\"calls\":5,\"inclusive\":{\"Ir\":90}}",
		 "{\"function\":\"drop\"", "{\"function\":\"step\"", "\"cycle\":\"<cycle 1>\"");
	free(text);
	tl_profile_free(profile);
}

TEST(cycles_as_rows_of_the_table)
{
	struct tl_profile *profile = cyclic_profile();

	assert_functions(profile,
			 "function,object,file,line,id,Ir:self,Ir:inclusive,calls\n"
			 "leaf,prog,,,,90,90,5\n"
			 "<cycle 1>,,,,,50,140,1\n"
			 "step,prog,,,,30,140,3\n"
			 "walk,prog,,,,20,140,3\n"
			 "alone,prog,,,,7,7,10\n"
			 "main,prog,,,,5,152,0\n"
			 "drop,prog,,,,0,0,1\n",
			 .form = TL_REPORT_CSV, .cycles = true);
	assert_functions(profile,
			 "callgrind, 1 part\n\n"
			 "self        %  inclusive        %  calls  function\n"
			 " 152  100.00%        152  100.00%     22  (total)\n"
			 "  90   59.21%         90   59.21%      5  leaf\n"
			 "  50   32.89%        140   92.11%      1  <cycle 1>\n"
			 "  30   19.74%        140   92.11%      3  step <cycle 1>\n"
			 "  20   13.16%        140   92.11%      3  walk <cycle 1>\n"
			 "   7    4.61%          7    4.61%     10  alone\n"
			 "   5    3.29%        152  100.00%      0  main\n"
			 "   0    0.00%          0    0.00%      1  drop\n",
			 .cycles = true);
	tl_profile_free(profile);
}

/* "only functions that were called while they ran already": of a cycle, and of itself. */
TEST(recursive_functions_alone)
{
	struct tl_profile *profile = cyclic_profile();

	assert_functions(profile,
			 "function,object,file,line,id,Ir:self,Ir:inclusive,calls\n"
			 "step,prog,,,,30,140,3\n"
			 "walk,prog,,,,20,140,3\n"
			 "alone,prog,,,,7,7,10\n",
			 .form = TL_REPORT_CSV, .recursive = true);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_of_a_cycle),
		cmocka_unit_test(cycles_are_asked_for),
		cmocka_unit_test(cycles_as_rows_of_the_table),
		cmocka_unit_test(recursive_functions_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
