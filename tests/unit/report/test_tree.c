/* SPDX-License-Identifier: Apache-2.0 */
/* Callers, callees and call trees; the numbers are worked out by hand in profiles.h. */
#include "profiles.h"

#include "profile/model/unsized.h"

/* "the call tree from its roots ... children sorted by inclusive", parts together. */
TEST(top_down_adds_parts_and_sorts_children)
{
	struct tl_profile *profile = dumped_profile();

	assert_tree(profile, TL_TREE_TOP_DOWN,
		    "callgrind, 2 parts\n"
		    "\n"
		    "   inclusive       %        self       calls  function\n"
		    "         105 100.00%          30           2  main\n"
		    "          70  66.67%          70           3    f\n"
		    "           5   4.76%           5           1    g\n",
		    .form = TL_REPORT_TEXT);
	assert_tree(profile, TL_TREE_TOP_DOWN,
		    "depth,parent,function,calls,Ir:self,Ir:inclusive,Dr:self,Dr:inclusive\n"
		    "0,,main,2,30,105,3,15\n"
		    "1,0,f,3,70,70,7,7\n"
		    "1,0,g,1,5,5,5,5\n",
		    .form = TL_REPORT_CSV);
	tl_profile_free(profile);
}

/* g has 4.76 % of the total; the default for text is 0.5 %, for the machine forms 0. */
TEST(branches_below_the_threshold_are_counted)
{
	struct tl_profile *profile = dumped_profile();

	assert_tree(profile, TL_TREE_TOP_DOWN,
		    "callgrind, 2 parts\n"
		    "\n"
		    "   inclusive       %        self       calls  function\n"
		    "         105 100.00%          30           2  main\n"
		    "          70  66.67%          70           3    f\n"
		    "... 1 branch below the threshold left out (--threshold 0 shows all)\n",
		    .threshold = 5);
	tl_profile_free(profile);
}

/* "leave out what has less": a quarter has not less than 25 %, but has less than 25.5 %. */
TEST(a_branch_at_the_threshold_is_shown)
{
	static const enum tl_tree_kind kinds[] = { TL_TREE_TOP_DOWN, TL_TREE_BOTTOM_UP };
	const struct tl_event event = { "Ir", "", "", "" };
	struct tl_profile *p;
	int64_t top, below;

	assert_int_equal(tl_profile_make(&p, "callgrind", &event, 1, 0, NULL), 0);
	assert_int_equal(tl_profile_put_part(p, &(struct tl_part){ .command = "" }, NULL), 0);
	top = tl_profile_add_context(p, TL_NONE, add_function(p, "most", "prog"), 0, NULL);
	below = tl_profile_add_context(p, (uint32_t)top, add_function(p, "quarter", "prog"), 0,
				       NULL);
	tl_profile_add_context_cost(p, (uint32_t)top, 1, &(const int64_t){ 75 });
	tl_profile_add_context_cost(p, (uint32_t)below, 1, &(const int64_t){ 25 });
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	for (size_t i = 0; i < 2; i++)
		for (int more = 0; more < 2; more++) {
			char *text = tree_text(
				p, kinds[i],
				(struct tl_report_options){ .threshold = more ? 25.5 : 25 });

			assert_int_equal(strstr(text, " quarter") == NULL, more);
			assert_int_equal(strstr(text, "... 1 branch below") != NULL, more);
			free(text);
		}
	tl_profile_free(p);
}

/*
 * timed_profile(): fib called by main has self 30 + 10 + 10 (outer calls 60 - 30, 10, and 10 of the
 * other thread), fib called by fib 30; main has 30 + 10.
 */
TEST(bottom_up_follows_callers)
{
	struct tl_profile *profile = timed_profile(0);

	assert_tree(profile, TL_TREE_BOTTOM_UP,
		    "depth,parent,function,calls,unfinished,Ticks:self\n"
		    "0,,fib,4,0,80\n"
		    "1,0,main,3,0,50\n"
		    "1,0,fib,1,0,30\n"
		    "2,2,main,1,0,30\n"
		    "0,,main,1,1,40\n",
		    .form = TL_REPORT_CSV);
	tl_profile_free(profile);
}

TEST(unfinished_calls_are_told)
{
	struct tl_profile *profile = timed_profile(0);
	char *text = tree_text(profile, TL_TREE_TOP_DOWN, (struct tl_report_options){ 0 });

	assert_non_null(strstr(
		text,
		"         120 100.00%          40           1  main  main.c:3  (1 never ended)\n"
		"          80  66.67%          50           3    fib  a,b.c:7\n"
		"          30  25.00%          30           1      fib  a,b.c:7\n"));
	free(text);
	tl_profile_free(profile);
}

/* A profile that does not know which calls ended says nothing of it, in any form. */
TEST(what_is_not_known_of_ends_is_not_told)
{
	static const enum tl_report_form forms[] = { TL_REPORT_CSV, TL_REPORT_JSON };
	struct tl_profile *timed = timed_profile(0), *dumped = dumped_profile();

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const struct tl_report_options options = { .form = forms[i] };
		char *known = tree_text(timed, TL_TREE_TOP_DOWN, options);
		char *unknown = tree_text(dumped, TL_TREE_TOP_DOWN, options);
		char *losses = strstr(unknown, "\"losses\"");

		assert_non_null(strstr(known, forms[i] == TL_REPORT_CSV
						      ? "calls,unfinished,Ticks:self"
						      : "\"calls\":1,\"unfinished\":1,\"self\""));
		/* Losses have a member of that name. */
		if (losses)
			*losses = '\0';
		assert_null(strstr(unknown, "unfinished"));
		free(known);
		free(unknown);
	}
	tl_profile_free(timed);
	tl_profile_free(dumped);
}

/* "callers above, callees below", the function's own line marked. Calls of f: 2 + 1 + 1, inclusive
 * 30 + 40 + 7. */
TEST(neighbours_stand_around_a_function)
{
	struct tl_profile *profile = counted_profile();
	const char *head = "callgrind, 3 parts\n\n"
			   "   inclusive       %        self       calls  < caller  * function  > "
			   "callee\n";
	const char *main_line = "         112 100.00%          35           0  * main  [prog]\n";
	const char *callee =
		"          77  68.75%                       4    > operator\"\"_x(char, int)  "
		"[lib.so]\n";
	const char *caller = "          77  68.75%                       4    < main  [prog]\n";
	const char *f_line =
		"          77  68.75%          77           4  * operator\"\"_x(char, int)  "
		"[lib.so]\n";
	char expected[1024];

	snprintf(expected, sizeof(expected), "%s\n%s%s\n%s%s", head, main_line, callee, caller,
		 f_line);
	assert_tree(profile, TL_TREE_BOTH, expected, .form = TL_REPORT_TEXT);
	snprintf(expected, sizeof(expected), "%s\n%s\n%s%s", head, main_line, caller, f_line);
	assert_tree(profile, TL_TREE_CALLERS, expected, .form = TL_REPORT_TEXT);
	snprintf(expected, sizeof(expected), "%s\n%s%s\n%s", head, main_line, callee, f_line);
	assert_tree(profile, TL_TREE_CALLEES, expected, .form = TL_REPORT_TEXT);
	tl_profile_free(profile);
}

TEST(neighbours_for_machines)
{
	static const uint32_t ir[] = { 0 };
	struct tl_profile *profile = counted_profile();

	assert_tree(profile, TL_TREE_BOTH,
		    "caller,callee,calls,Ir:inclusive,Dr:inclusive\n"
		    "main,\"operator\"\"\"\"_x(char, int)\",4,77,8\n",
		    .form = TL_REPORT_CSV);
	assert_tree(profile, TL_TREE_CALLEES,
		    "{\"format\":\"callgrind\",\"frequency\":0,\"events\":[\"Ir\"],"
		    "\"total\":{\"Ir\":112},\"functions\":[{\"function\":\"main\","
		    "\"object\":\"prog\",\"file\":\"\",\"line\":null,\"id\":null,\"calls\":0,"
		    "\"self\":{\"Ir\":35},\"inclusive\":{\"Ir\":112},"
		    "\"callees\":[{\"function\":\"operator\\\"\\\"_x(char, "
		    "int)\",\"object\":\"lib.so\",\"file\":\"\",\"line\":null,\"id\":null,"
		    "\"calls\":4,\"inclusive\":{\"Ir\":77}}]},"
		    "{\"function\":\"operator\\\"\\\"_x(char, "
		    "int)\",\"object\":\"lib.so\",\"file\":\"\",\"line\":null,\"id\":null,"
		    "\"calls\":4,\"self\":{\"Ir\":77},\"inclusive\":{\"Ir\":77},\"callees\":[]}],"
		    "\"losses\":{\"orphan_exits\":0,\"deduced_exits\":0,\"unfinished\":0,"
		    "\"time_reversals\":0,\"gaps\":0,\"skipped_bytes\":0,\"skipped_records\":0,"
		    "\"saturated\":0}}\n",
		    .form = TL_REPORT_JSON, .events = ir, .event_count = 1);
	tl_profile_free(profile);
}

/* main calls f and g: an edge is shown when one of its ends was chosen. */
TEST(edges_of_chosen_functions)
{
	static const struct {
		const char *function, *rows;
	} chosen[] = {
		{ "^f$", "main,f,3,70,7\n" },
		{ "^g$", "main,g,1,5,5\n" },
		{ "^main$", "main,f,3,70,7\nmain,g,1,5,5\n" },
		{ "^[fg]$", "main,f,3,70,7\nmain,g,1,5,5\n" },
		{ "^h$", "" },
	};

	for (size_t i = 0; i < sizeof(chosen) / sizeof(chosen[0]); i++) {
		const struct tl_profile_filter filter = { .size = sizeof(filter),
							  .function = chosen[i].function };
		struct tl_profile *profile = dumped_profile();
		char expected[256];

		assert_int_equal(tl_profile_choose(profile, &filter, NULL), 0);
		snprintf(expected, sizeof(expected),
			 "caller,callee,calls,Ir:inclusive,Dr:inclusive\n%s", chosen[i].rows);
		assert_tree(profile, TL_TREE_CALLEES, expected, .form = TL_REPORT_CSV);
		tl_profile_free(profile);
	}
}

TEST(a_profile_without_stacks_has_no_call_tree)
{
	static const enum tl_tree_kind kinds[] = { TL_TREE_TOP_DOWN, TL_TREE_BOTTOM_UP };
	const struct tl_report_options options = { .size = sizeof(options) };
	struct tl_profile *profile = counted_profile();

	for (size_t i = 0; i < 2; i++) {
		struct tl_error err = { 0 };
		struct tl_output *out;

		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		assert_int_equal(tl_report_tree(profile, kinds[i], &options, out, &err),
				 TL_UNSUPPORTED);
		assert_int_equal(err.status, TL_UNSUPPORTED);
		assert_true(err.offset == TL_NOWHERE);
		tl_output_discard(out);
	}
	tl_profile_free(profile);
}

/* A profile of which nothing is left has an empty tree: no stacks are missing. */
TEST(nothing_is_a_tree_too)
{
	const struct tl_event event = { "Ir", "", "", "" };
	struct tl_report_options options = { .size = sizeof(options), .form = TL_REPORT_CSV };
	struct tl_profile *profile;
	struct tl_output *out;
	const char *text;
	size_t size;

	assert_int_equal(tl_profile_make(&profile, "", &event, 1, 0, NULL), 0);
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_report_tree(profile, TL_TREE_TOP_DOWN, &options, out, NULL), 0);
	assert_int_equal(tl_report_tree(profile, TL_TREE_BOTTOM_UP, &options, out, NULL), 0);
	text = tl_output_bytes(out, &size);
	assert_int_equal(size, 85);
	assert_memory_equal(text,
			    "depth,parent,function,calls,Ir:self,Ir:inclusive\n"
			    "depth,parent,function,calls,Ir:self\n",
			    size);
	tl_output_discard(out);
	tl_profile_free(profile);
}

enum { DEEP = 100000 };

static struct tl_profile *deep_profile(void)
{
	const struct tl_event event = { "Ir", "", "", "" };
	struct tl_part part = { TL_NOWHERE, 1, 0, "", "", 0, 0, 0, { 0 } };
	struct tl_profile *profile;
	uint32_t parent = TL_NONE, functions[2];
	const int64_t one = 1;

	assert_int_equal(tl_profile_make(&profile, "", &event, 1, 0, NULL), 0);
	assert_int_equal(tl_profile_put_part(profile, &part, NULL), 0);
	functions[0] = add_function(profile, "even", "");
	functions[1] = add_function(profile, "odd", "");
	for (int i = 0; i < DEEP; i++) {
		parent = (uint32_t)tl_profile_add_context(profile, parent, functions[i % 2], 0,
							  NULL);
		tl_profile_add_context_cost(profile, parent, 1, &one);
	}
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	return profile;
}

/* "Deep trees must not be quadratic in output": at most 200 bytes a level, where plain indentation
 * takes 100,000. */
TEST(deep_trees_have_short_lines)
{
	struct tl_profile *profile = deep_profile();
	char *text = tree_text(profile, TL_TREE_TOP_DOWN, (struct tl_report_options){ 0 });
	char *csv = tree_text(profile, TL_TREE_TOP_DOWN,
			      (struct tl_report_options){ .form = TL_REPORT_CSV });

	assert_true(strlen(text) < 200 * (size_t)DEEP);
	assert_non_null(strstr(text, "[61] odd\n"));
	assert_non_null(strstr(csv, "\n99999,99998,odd,1,1,1\n"));
	free(text);
	free(csv);
	/*
	 * From below the callers are followed for 60 calls: 61 lines for each of the two functions.
	 */
	csv = tree_text(profile, TL_TREE_BOTTOM_UP,
			(struct tl_report_options){ .form = TL_REPORT_CSV });
	size_t lines = 0;

	for (const char *p = csv; *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, 1 + 2 * 61);
	assert_non_null(strstr(csv, "\n60,59,even,49970,49970\n"));
	free(csv);
	tl_profile_free(profile);
}

/* ---- order ---- */

/* Costs in no order, two of them equal: of those the name decides. */
static const struct {
	const char *name;
	int64_t cost;
} leaves[] = { { "e", 20 }, { "b", 50 }, { "f", 10 }, { "a", 30 }, { "d", 40 }, { "c", 40 } };

static const char expected_order[] = "bcdaef";

static struct tl_profile *scrambled_profile(void)
{
	const struct tl_event event = { "Ir", "", "", "" };
	struct tl_profile *p;
	int64_t root;

	assert_int_equal(tl_profile_make(&p, "callgrind", &event, 1, 0, NULL), 0);
	assert_int_equal(tl_profile_put_part(p, &(struct tl_part){ .command = "" }, NULL), 0);
	root = tl_profile_add_context(p, TL_NONE, add_function(p, "root", "prog"), 0, NULL);
	tl_profile_add_context_cost(p, (uint32_t)root, 1, &(const int64_t){ 1 });
	for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++) {
		uint32_t function = add_function(p, leaves[i].name, "prog");
		int64_t leaf = tl_profile_add_context(p, (uint32_t)root, function, 0, NULL);

		assert_true(leaf >= 0);
		tl_profile_add_context_cost(p, (uint32_t)leaf, 1, &leaves[i].cost);
	}
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	return p;
}

/* The letters that stand alone behind `mark` at the ends of lines, in their order. */
static void assert_order(char *text, const char *mark)
{
	char found[64] = "";
	size_t count = 0;

	for (char *save = NULL, *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		size_t length = strlen(line), size = strlen(mark);

		if (length > size && strchr("abcdef", line[length - 1]) &&
		    !memcmp(line + length - 1 - size, mark, size))
			found[count++] = line[length - 1];
		assert_true(count < sizeof(found) - 1);
	}
	assert_string_equal(found, expected_order);
	free(text);
}

/* "children sorted by inclusive", and every other row of a tree too: the largest cost first. */
TEST(the_largest_cost_comes_first)
{
	struct tl_profile *p = scrambled_profile();
	const struct tl_report_options options = { .threshold = 0 };

	assert_order(tree_text(p, TL_TREE_TOP_DOWN, options), "    ");
	assert_order(tree_text(p, TL_TREE_BOTTOM_UP, options), " ");
	assert_order(tree_text(p, TL_TREE_CALLERS, options), "* ");
	assert_order(tree_text(p, TL_TREE_CALLEES, options), "> ");
	tl_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(top_down_adds_parts_and_sorts_children),
		cmocka_unit_test(branches_below_the_threshold_are_counted),
		cmocka_unit_test(a_branch_at_the_threshold_is_shown),
		cmocka_unit_test(bottom_up_follows_callers),
		cmocka_unit_test(unfinished_calls_are_told),
		cmocka_unit_test(what_is_not_known_of_ends_is_not_told),
		cmocka_unit_test(neighbours_stand_around_a_function),
		cmocka_unit_test(neighbours_for_machines),
		cmocka_unit_test(edges_of_chosen_functions),
		cmocka_unit_test(a_profile_without_stacks_has_no_call_tree),
		cmocka_unit_test(nothing_is_a_tree_too),
		cmocka_unit_test(the_largest_cost_comes_first),
		cmocka_unit_test(deep_trees_have_short_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
