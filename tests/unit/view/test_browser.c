/* SPDX-License-Identifier: Apache-2.0 */
/* The screens of `browse`, without a terminal: keys are pressed, rows are read. */
#include "browsed.h"

TEST(functions_come_by_self_cost_with_their_sums)
{
	struct shown s;

	begin(&s);
	press(&s, "1");
	assert_string_equal(row_of(&s, 2),
			    "  50.00%          50  50.00%          50            6 leaf");
	assert_string_equal(row_of(&s, 3),
			    "  40.00%          40  60.00%          60            2 work(int)");
	assert_string_equal(row_of(&s, 4),
			    "  10.00%          10 100.00%         100            1 main");
	assert_string_equal(row_of(&s, 5), "");
	assert_int_equal(chosen_row(&s), 2);
	end(&s);
}

/* "open" never ended, which is all that is known of it; "other" was never called. */
TEST(a_function_with_an_unfinished_call_alone_is_shown)
{
	static const struct tl_event event = { "Ticks", "", "", "" };
	const struct tl_part part = { .command = "", .header = "" };
	struct tl_profile *profile;
	struct tl_error err;
	struct shown s;

	assert_int_equal(tl_profile_new(&profile, "test", &event, sizeof(event), 1, 0, &err), 0);
	tl_profile_add_part(profile, &part, sizeof(part), &err);
	add_function(profile, "other");
	tl_profile_add_unfinished(
		profile, add_context(profile, TL_NONE, add_function(profile, "open"), 0, 0), 1);
	assert_int_equal(tl_profile_finish(profile, &err), 0);
	begin_with(&s, profile);
	draw(&s, ROWS, COLUMNS);
	assert_non_null(strstr(row_of(&s, 2), "open"));
	for (int row = 0; row < ROWS - 1; row++)
		assert_null(strstr(row_of(&s, row), "other"));
	end(&s);
}

TEST(s_sorts_by_the_next_column_and_r_turns_the_order)
{
	struct shown s;

	begin(&s);
	press(&s, "s");
	assert_non_null(strstr(row_of(&s, 1), "Ir by inclusive"));
	assert_non_null(strstr(row_of(&s, 2), " main"));
	press(&s, "r");
	assert_non_null(strstr(row_of(&s, 2), " leaf"));
	press(&s, "rs");
	assert_non_null(strstr(row_of(&s, 2), " leaf")); /* 6 calls */
	press(&s, "s");
	assert_non_null(strstr(row_of(&s, 4), " work(int)"));
	end(&s);
}

TEST(a_tree_opens_row_by_row_and_closes_with_what_is_below)
{
	struct shown s;

	begin(&s);
	press(&s, "2");
	assert_non_null(strstr(row_of(&s, 2), "1 + main"));
	assert_string_equal(row_of(&s, 3), "");
	press(&s, "\n");
	assert_non_null(strstr(row_of(&s, 2), "1 - main"));
	assert_non_null(strstr(row_of(&s, 3), "2   + work(int)"));
	assert_non_null(strstr(row_of(&s, 4), "1     leaf"));
	press(&s, "j\n");
	assert_string_equal(row_of(&s, 4),
			    "  20.00%          20  20.00%          20            5       leaf");
	press(&s, "k\n");
	assert_string_equal(row_of(&s, 3), "");
	end(&s);
}

/* The callers of leaf: work with 20 of its cost, main with 30. */
TEST(a_bottom_up_tree_divides_self_cost_by_caller)
{
	struct shown s;

	begin(&s);
	press(&s, "3\n");
	assert_string_equal(row_of(&s, 2),
			    "  50.00%          50  50.00%          50            6 - leaf");
	assert_string_equal(row_of(&s, 3),
			    "  30.00%          30                                1     main");
	assert_string_equal(row_of(&s, 4),
			    "  20.00%          20                                5   + work(int)");
	end(&s);
}

TEST(callers_stand_above_the_function_and_callees_below)
{
	struct shown s;

	begin(&s);
	press(&s, "j\n");
	assert_string_equal(row_of(&s, 2),
			    "                      60.00%          60            2 < main");
	assert_string_equal(row_of(&s, 3),
			    "  40.00%          40  60.00%          60            2 * work(int)");
	assert_string_equal(row_of(&s, 4),
			    "                      20.00%          20            5 > leaf");
	assert_int_equal(chosen_row(&s), 3);
	press(&s, "j\n");
	assert_non_null(strstr(row_of(&s, 4), "* leaf"));
	end(&s);
}

/* Callers, the function and callees are sorted each among themselves, the last ones too. */
TEST(callees_are_sorted_as_callers_are)
{
	struct shown s;

	begin(&s);
	press(&s, "jj\n");
	assert_non_null(strstr(row_of(&s, 2), "* main"));
	assert_non_null(strstr(row_of(&s, 3), "> work(int)"));
	assert_non_null(strstr(row_of(&s, 4), "> leaf"));
	press(&s, "r");
	assert_non_null(strstr(row_of(&s, 2), "* main"));
	assert_non_null(strstr(row_of(&s, 3), "> leaf"));
	assert_non_null(strstr(row_of(&s, 4), "> work(int)"));
	end(&s);
}

/* Samples: main called leaf (3); that idle did so, too, only another event's samples say. */
static struct tl_profile *make_samples_of_two_events(void)
{
	static const struct tl_event events[] = { { "cycles", "", "", "" },
						  { "faults", "", "", "" } };
	static const int64_t costs[][2] = { { 1, 0 }, { 0, 0 }, { 0, 2 }, { 3, 0 } };
	const struct tl_part part = { .command = "", .header = "" };
	struct tl_profile *profile;
	struct tl_error err;
	uint32_t functions[3], contexts[4];

	assert_int_equal(tl_profile_new(&profile, "test", events, sizeof(*events), 2, 0, &err), 0);
	tl_profile_add_part(profile, &part, sizeof(part), &err);
	functions[0] = add_function(profile, "main");
	functions[1] = add_function(profile, "idle");
	functions[2] = add_function(profile, "leaf");
	for (int i = 0; i < 4; i++) {
		const uint32_t parent = i == 0 ? TL_NONE : i == 2 ? contexts[1] : contexts[0];

		contexts[i] = (uint32_t)tl_profile_add_context(profile, parent,
							       functions[i == 3 ? 2 : i], 0, &err);
		tl_profile_add_context_cost(profile, contexts[i], 0, costs[i]);
	}
	tl_profile_set_call_count(profile, TL_CALLS_NONE);
	assert_int_equal(tl_profile_finish(profile, &err), 0);
	return profile;
}

TEST(a_caller_has_calls_or_a_cost)
{
	struct shown s;

	begin_with(&s, make_samples_of_two_events());
	press(&s, "\n");
	assert_non_null(strstr(row_of(&s, 2), "< main"));
	assert_non_null(strstr(row_of(&s, 3), "* leaf"));
	assert_string_equal(row_of(&s, 4), "");
	end(&s);
}

/* Sums that are not those of the stacks; functions are in another order, and leaf has 9 calls. */
static struct tl_profile *make_sums(void)
{
	static const struct tl_event event = { "Ir", "", "", "" };
	const struct tl_part part = { .command = "", .header = "" };
	struct tl_profile *profile;
	struct tl_error err;
	uint32_t leaf, root;

	assert_int_equal(tl_profile_new(&profile, "test", &event, sizeof(event), 1, 0, &err), 0);
	tl_profile_add_part(profile, &part, sizeof(part), &err);
	leaf = add_function(profile, "leaf");
	root = add_context(profile, TL_NONE, add_function(profile, "main"), 1, 11);
	add_context(profile, root, leaf, 9, 89);
	assert_int_equal(tl_profile_finish(profile, &err), 0);
	return profile;
}

TEST(only_trees_are_of_estimated_stacks)
{
	struct tl_profile *sums = make_sums();
	const struct tl_browser_options options = { .sums = sums };
	struct shown s = { .profile = make_profile() };
	struct tl_error err;

	assert_int_equal(tl_browser_open(&s.browser, s.profile, &options, &err), 0);
	press(&s, "1");
	assert_string_equal(row_of(&s, 2),
			    "  89.00%          89  89.00%          89            9 leaf");
	press(&s, "j3");
	/* main, which was chosen, has another number in the tree */
	assert_string_equal(row_of(&s, 2),
			    "  50.00%          50  50.00%          50            6 + leaf");
	assert_non_null(strstr(row_of(&s, chosen_row(&s)), "main"));
	/* work(int) is not among the sums: leaf, the first of these, takes its place */
	press(&s, "gj4");
	assert_string_equal(row_of(&s, chosen_row(&s)),
			    "  89.00%          89  89.00%          89            9 * leaf");
	end(&s);
	tl_profile_free(sums);
}

TEST(the_name_of_the_file_and_hints_are_shown_where_they_have_room)
{
	struct shown s;

	begin(&s);
	draw(&s, ROWS, COLUMNS);
	assert_non_null(strstr(row_of(&s, 0), "7 source  file"));
	draw(&s, ROWS, 60);
	assert_null(strstr(row_of(&s, 0), "file"));
	assert_string_equal(row_of(&s, ROWS - 1),
			    "q quit  ? help  Enter callers  s sort  r reverse  c columns");
	draw(&s, ROWS, 58);
	assert_string_equal(row_of(&s, ROWS - 1),
			    "q quit  ? help  Enter callers  s sort  r reverse");
	draw(&s, ROWS, 5);
	assert_string_equal(row_of(&s, ROWS - 1), "");
	end(&s);
}

TEST(a_search_goes_to_the_next_row_that_matches)
{
	struct shown s;

	begin(&s);
	press(&s, "/WOR\n");
	assert_int_equal(chosen_row(&s), 3);
	press(&s, "n");
	assert_int_equal(chosen_row(&s), 3);
	press(&s, "/nowhere\n");
	assert_string_equal(row_of(&s, ROWS - 1), "not found: nowhere");
	end(&s);
}

/* Names of an input do not control the terminal. */
TEST(control_characters_are_shown_as_escapes)
{
	struct tl_canvas canvas = { .rows = 0 };

	assert_true(tl_canvas_begin(&canvas, 1, 20));
	assert_true(tl_canvas_put(&canvas, 0, 0, 20, TL_STYLE_PLAIN, "a\x1b[2J") > 5);
	for (int i = 0; i < 20; i++)
		assert_true((unsigned char)canvas.cells[i].text[0] >= ' ');
	/* A wide character takes two columns, or none at the border. */
	assert_int_equal(tl_canvas_put(&canvas, 0, 18, 9, TL_STYLE_PLAIN, "\u4e2d"), 2);
	assert_int_equal(tl_canvas_put(&canvas, 0, 19, 9, TL_STYLE_PLAIN, "\u4e2d"), 0);
	tl_canvas_free(&canvas);
}

TEST(any_size_is_drawn)
{
	static const char keys[] = "1234567?";
	struct shown s;

	begin(&s);
	for (int i = 0; keys[i]; i++) {
		tl_browser_key(s.browser, keys[i]);
		for (int size = 1; size < 60; size += 7)
			draw(&s, size, 61 - size);
	}
	end(&s);
}

TEST(panes_without_what_they_show_say_so)
{
	struct shown s;

	begin(&s);
	press(&s, "6");
	assert_string_equal(row_of(&s, ROWS - 1), "the profile has no calls one by one");
	press(&s, "5");
	assert_string_equal(row_of(&s, ROWS - 1), "the profile has no calls one by one");
	assert_false(tl_browser_key(s.browser, 'q'));
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_come_by_self_cost_with_their_sums),
		cmocka_unit_test(a_function_with_an_unfinished_call_alone_is_shown),
		cmocka_unit_test(s_sorts_by_the_next_column_and_r_turns_the_order),
		cmocka_unit_test(a_tree_opens_row_by_row_and_closes_with_what_is_below),
		cmocka_unit_test(a_bottom_up_tree_divides_self_cost_by_caller),
		cmocka_unit_test(callers_stand_above_the_function_and_callees_below),
		cmocka_unit_test(callees_are_sorted_as_callers_are),
		cmocka_unit_test(a_caller_has_calls_or_a_cost),
		cmocka_unit_test(only_trees_are_of_estimated_stacks),
		cmocka_unit_test(the_name_of_the_file_and_hints_are_shown_where_they_have_room),
		cmocka_unit_test(a_search_goes_to_the_next_row_that_matches),
		cmocka_unit_test(control_characters_are_shown_as_escapes),
		cmocka_unit_test(any_size_is_drawn),
		cmocka_unit_test(panes_without_what_they_show_say_so),
	};

	return cmocka_run_group_tests_name("browser", tests, NULL, NULL);
}
