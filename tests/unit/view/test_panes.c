/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of the panes of `browse`: moving, trees, the help, typing, source; and without memory. */
#include "../refuse.h"
#include "../temp.h"

#include "browsed.h"

/* The name of the row at the cursor ends its line. */
static void want_chosen(struct shown *s, const char *name)
{
	const char *line = row_of(s, chosen_row(s));
	size_t size = strlen(line), length = strlen(name);

	if (size < length || strcmp(line + size - length, name) != 0)
		fail_msg("\"%s\" does not end with \"%s\"", line, name);
}

static void press_key(struct shown *s, int key)
{
	assert_true(tl_browser_key(s->browser, key));
	draw(s, ROWS, COLUMNS);
}

/* ---- moving ---- */

/* Thirty functions, of which the first one costs most. */
static struct tl_profile *make_long_profile(void)
{
	static const struct tl_event event = { "Ir", "", "", "" };
	const struct tl_part part = { .command = "", .header = "" };
	struct tl_profile *profile;
	struct tl_error err;

	assert_int_equal(tl_profile_new(&profile, "test", &event, sizeof(event), 1, 0, &err), 0);
	tl_profile_add_part(profile, &part, sizeof(part), &err);
	for (int i = 0; i < 30; i++) {
		char name[8];

		snprintf(name, sizeof(name), "f%02d", i);
		add_context(profile, TL_NONE, add_function(profile, name), 1, 100 - i);
	}
	assert_int_equal(tl_profile_finish(profile, &err), 0);
	return profile;
}

/* Of 12 rows, four are a title, a head, a foot and one that stays in sight: a page has eight. */
TEST(keys_move_by_row_and_by_page_and_stay_inside)
{
	static const struct {
		int key;
		const char *name;
	} rows[] = {
		{ TL_KEY_UP, "f00" },
		{ TL_KEY_DOWN, "f01" },
		{ 'j', "f02" },
		{ TL_KEY_PAGE_DOWN, "f10" },
		{ TL_KEY_PAGE_DOWN, "f18" },
		{ TL_KEY_PAGE_UP, "f10" },
		{ 'k', "f09" },
		{ TL_KEY_END, "f29" },
		{ TL_KEY_DOWN, "f29" },
		{ TL_KEY_PAGE_DOWN, "f29" },
		{ TL_KEY_HOME, "f00" },
		{ 'G', "f29" },
		{ TL_KEY_PAGE_UP, "f21" },
		{ 'g', "f00" },
		{ TL_KEY_PAGE_UP, "f00" },
		{ TL_KEY_DOWN, "f01" },
		{ TL_KEY_UP, "f00" },
	};
	struct shown s;

	begin_with(&s, make_long_profile());
	draw(&s, ROWS, COLUMNS);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		press_key(&s, rows[i].key);
		want_chosen(&s, rows[i].name);
	}
	/* a page of a screen that is larger */
	draw(&s, 23, COLUMNS);
	assert_true(tl_browser_key(s.browser, TL_KEY_PAGE_DOWN));
	draw(&s, 23, COLUMNS);
	want_chosen(&s, "f19");
	end(&s);
}

TEST(rows_that_do_not_fit_are_scrolled)
{
	struct shown s;

	begin_with(&s, make_long_profile());
	draw(&s, ROWS, COLUMNS);
	press_key(&s, TL_KEY_END);
	assert_int_equal(chosen_row(&s), ROWS - 2);
	assert_non_null(strstr(row_of(&s, 2), " f21"));
	/* back by rows: the cursor walks up the screen before rows move */
	for (int i = 0; i < 8; i++)
		press_key(&s, TL_KEY_UP);
	assert_int_equal(chosen_row(&s), 2);
	assert_non_null(strstr(row_of(&s, 2), " f21"));
	press_key(&s, TL_KEY_UP);
	assert_non_null(strstr(row_of(&s, 2), " f20"));
	end(&s);
}

/* ---- trees ---- */

TEST(left_and_right_walk_through_a_tree)
{
	static const struct {
		int key;
		const char *name;
		int rows;
	} steps[] = {
		{ TL_KEY_RIGHT, "- main", 3 },     { TL_KEY_RIGHT, "- main", 3 },
		{ TL_KEY_DOWN, "+ work(int)", 3 }, { TL_KEY_RIGHT, "- work(int)", 4 },
		{ TL_KEY_DOWN, "leaf", 4 },        { TL_KEY_RIGHT, "leaf", 4 },
		{ TL_KEY_LEFT, "- work(int)", 4 }, { TL_KEY_LEFT, "+ work(int)", 3 },
		{ TL_KEY_LEFT, "- main", 3 },      { TL_KEY_LEFT, "+ main", 1 },
		{ TL_KEY_LEFT, "+ main", 1 },
	};
	struct shown s;

	begin(&s);
	press(&s, "2");
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		press_key(&s, steps[i].key);
		want_chosen(&s, steps[i].name);
		assert_string_equal(row_of(&s, 2 + steps[i].rows), "");
		assert_string_not_equal(row_of(&s, 1 + steps[i].rows), "");
	}
	end(&s);
}

TEST(sorting_closes_a_tree)
{
	struct shown s;

	begin(&s);
	press(&s, "2\nj\ns");
	assert_non_null(strstr(row_of(&s, 1), "Ir by inclusive"));
	assert_non_null(strstr(row_of(&s, 2), "+ main"));
	assert_string_equal(row_of(&s, 3), "");
	assert_int_equal(chosen_row(&s), 2);
	/* by calls: leaf was called once by main, work twice */
	press(&s, "s\n");
	assert_non_null(strstr(row_of(&s, 3), "+ work(int)"));
	press(&s, "r\n");
	assert_non_null(strstr(row_of(&s, 1), "Ir by calls, least first"));
	assert_non_null(strstr(row_of(&s, 3), "  leaf"));
	end(&s);
}

TEST(a_profile_without_stacks_has_no_trees)
{
	static const struct tl_event event = { "Ir", "", "", "" };
	struct tl_profile *profile;
	struct tl_error err;
	struct shown s;

	assert_int_equal(tl_profile_new(&profile, "test", &event, sizeof(event), 1, 0, &err), 0);
	assert_int_equal(tl_profile_finish(profile, &err), 0);
	begin_with(&s, profile);
	press(&s, "1");
	assert_string_equal(row_of(&s, 3), "  nothing");
	press(&s, "2");
	assert_string_equal(row_of(&s, 3), "  the input has no call stacks");
	press_key(&s, TL_KEY_RIGHT);
	press_key(&s, TL_KEY_LEFT);
	press(&s, "\nGjl");
	/* there is no function whose callers could be shown */
	press(&s, "4");
	assert_string_equal(row_of(&s, 3), "  nothing");
	end(&s);
}

/* ---- the help, and typing ---- */

TEST(help_is_shown_until_escape)
{
	struct shown s;

	begin(&s);
	press(&s, "3?");
	assert_string_equal(row_of(&s, 2), "  1 functions    what costs most, by function");
	assert_string_equal(row_of(&s, ROWS - 1), "q quit  ? help  / search  n next");
	/* asked for twice, it goes back to the pane before it, too */
	press(&s, "?/\"Left\n");
	assert_string_equal(row_of(&s, ROWS - 1), "not found: \"Left");
	press_key(&s, TL_KEY_ESCAPE);
	assert_non_null(strstr(row_of(&s, 2), "+ leaf"));
	assert_non_null(strstr(row_of(&s, ROWS - 1), "Enter open/close"));
	/* with nothing to go back to, this is no key */
	press_key(&s, TL_KEY_ESCAPE);
	assert_non_null(strstr(row_of(&s, 2), "+ leaf"));
	end(&s);
}

TEST(a_pattern_is_typed_and_taken_back)
{
	struct shown s;

	begin(&s);
	press(&s, "1/wx");
	assert_string_equal(row_of(&s, ROWS - 1), "/wx_");
	press_key(&s, TL_KEY_BACKSPACE);
	press(&s, "or");
	/* keys that are no characters are none of a pattern, and q ends nothing */
	press_key(&s, TL_KEY_DOWN);
	assert_string_equal(row_of(&s, ROWS - 1), "/wor_");
	press(&s, "\n");
	want_chosen(&s, "work(int)");
	press(&s, "/q");
	press_key(&s, TL_KEY_ESCAPE);
	want_chosen(&s, "work(int)");
	assert_null(strstr(row_of(&s, ROWS - 1), "not found"));
	/* an empty one is not searched for */
	press(&s, "/\n");
	press(&s, "n");
	want_chosen(&s, "work(int)");
	press(&s, "/a");
	press_key(&s, TL_KEY_BACKSPACE);
	press_key(&s, TL_KEY_BACKSPACE);
	assert_string_equal(row_of(&s, ROWS - 1), "/_");
	end(&s);
}

/* A pattern that is longer than its room is cut: 200 keys are not all in it. */
TEST(a_pattern_has_an_end)
{
	struct shown s;

	begin(&s);
	press(&s, "/");
	for (int i = 0; i < 200; i++)
		press_key(&s, 'x');
	press(&s, "\n");
	assert_memory_equal(row_of(&s, ROWS - 1), "not found: xxx", 14);
	end(&s);
}

/* ---- events, and what is said of the input ---- */

TEST(e_shows_the_next_event)
{
	static const struct tl_event events[] = { { "Ir", "", "", "" }, { "Dr", "", "", "" } };
	const struct tl_part part = { .command = "", .header = "" };
	struct tl_profile *profile;
	struct tl_error err;
	uint32_t context;
	struct shown s;

	assert_int_equal(tl_profile_new(&profile, "test", events, sizeof(events[0]), 2, 0, &err),
			 0);
	tl_profile_add_part(profile, &part, sizeof(part), &err);
	context = (uint32_t)tl_profile_add_context(profile, TL_NONE, add_function(profile, "one"),
						   0, &err);
	tl_profile_add_context_cost(profile, context, 1, (const int64_t[]){ 5, 8 });
	context = (uint32_t)tl_profile_add_context(profile, TL_NONE, add_function(profile, "two"),
						   0, &err);
	tl_profile_add_context_cost(profile, context, 1, (const int64_t[]){ 15, 2 });
	assert_int_equal(tl_profile_finish(profile, &err), 0);
	profile->estimated = true;
	begin_with(&s, profile);
	press(&s, "1");
	assert_non_null(strstr(row_of(&s, 1), "Ir by self"));
	assert_non_null(strstr(row_of(&s, 2), "75.00%          15"));
	press(&s, "e");
	assert_non_null(strstr(row_of(&s, 1), "Dr by self"));
	assert_non_null(strstr(row_of(&s, 2), "80.00%           8"));
	press(&s, "e");
	assert_non_null(strstr(row_of(&s, 1), "Ir by self"));
	assert_memory_equal(row_of(&s, ROWS - 1), "[stacks estimated] q quit", 25);
	end(&s);
}

TEST(of_an_emulated_program_instructions_come_first)
{
	static const struct tl_event events[] = { { "Ticks", "", "ticks", "" },
						  { "Ir", "", "", "" } };
	const struct tl_part part = { .command = "", .header = "" };
	struct tl_profile *profile;
	struct tl_error err;
	struct shown s;

	assert_int_equal(tl_profile_new(&profile, "test", events, sizeof(events[0]), 2, 0, &err),
			 0);
	tl_profile_add_part(profile, &part, sizeof(part), &err);
	tl_profile_add_context(profile, TL_NONE, add_function(profile, "one"), 0, &err);
	tl_profile_add_context_cost(profile, 0, 1, (const int64_t[]){ 100, 7 });
	assert_int_equal(tl_profile_finish(profile, &err), 0);
	profile->emulated = true;
	begin_with(&s, profile);
	press(&s, "1");
	assert_non_null(strstr(row_of(&s, 1), "Ir by self"));
	assert_non_null(strstr(row_of(&s, 2), "100.00%           7"));
	assert_memory_equal(row_of(&s, ROWS - 1), "[times of an emulator] q quit", 29);
	end(&s);
}

TEST(damage_of_the_input_is_said)
{
	static const char damaged[] = "main 10\nno count\nmain;work 5\n";
	struct tl_browser_options options = { .title = NULL };
	struct tl_error err;
	struct temp temp;
	struct shown s = { .profile = NULL };
	const char *path;

	temp_open(&temp);
	path = temp_write(&temp, "damaged.folded", damaged, strlen(damaged));
	assert_int_equal(tl_input_open(&options.input, &path, 1, NULL, NULL, &err), 0);
	assert_true(tl_input_fold(options.input, &s.profile, &err) >= 0);
	assert_int_equal(tl_browser_open(&s.browser, s.profile, &options, &err), 0);
	press(&s, "1");
	assert_memory_equal(row_of(&s, ROWS - 1), "[input damaged] q quit", 22);
	press(&s, "6");
	assert_string_equal(row_of(&s, ROWS - 1),
			    "this format does not hold calls one by one, in an order of time");
	end(&s);
	tl_input_close(options.input);
	temp_close(&temp);
}

/* A screen that is narrow has shares without costs. */
TEST(narrow_screens_have_shares_alone)
{
	struct shown s;

	begin(&s);
	draw(&s, ROWS, 60);
	assert_string_equal(row_of(&s, 1), "    self   incl.        calls Ir by self");
	assert_string_equal(row_of(&s, 2), "  50.00%  50.00%            6 leaf");
	end(&s);
}

/* ---- source ---- */

static void put_line(struct tl_profile *profile, uint32_t function, uint32_t number, int64_t cost)
{
	struct tl_cost_line line = { .function = function, .part = TL_NONE };

	line.at.file = "";
	line.at.line = number;
	assert_int_equal(tl_profile_add_line(profile, &line, sizeof(line), &cost, NULL), 0);
}

/* Two functions in one file, of which one's name is an expression that matches the other's. */
static struct tl_profile *make_lines(const char *path)
{
	static const struct tl_event event = { "Ir", "", "", "" };
	static const char *const names[] = { "a.c(x)*", "abc(x)*", "open" };
	struct tl_profile *profile;
	struct tl_error err;

	assert_int_equal(tl_profile_new(&profile, "test", &event, sizeof(event), 1, 0, &err), 0);
	for (uint32_t i = 0; i < 3; i++) {
		const struct tl_function function = { .name = names[i],
						      .file = i < 2 ? path : "",
						      .id = TL_NOWHERE };

		assert_int_equal(
			tl_profile_add_function(profile, &function, sizeof(function), &err), i);
	}
	put_line(profile, 0, 1, 30);
	put_line(profile, 1, 2, 70);
	assert_int_equal(tl_profile_finish(profile, &err), 0);
	return profile;
}

static int row_with(struct shown *s, const char *text)
{
	for (int row = 1; row < s->canvas.rows - 1; row++)
		if (strstr(row_of(s, row), text))
			return row;
	return -1;
}

TEST(source_is_that_of_the_chosen_function)
{
	static const char source[] = "int first;\nint second;\n";
	const struct tl_annotate_options annotate = { .size = sizeof(annotate),
						      .threshold = -1,
						      .context = -1 };
	struct tl_browser_options options = { .annotate = &annotate };
	struct shown s = { .profile = NULL };
	struct tl_error err;
	struct temp temp;

	temp_open(&temp);
	s.profile = make_lines(temp_write(&temp, "x.c", source, strlen(source)));
	assert_int_equal(tl_browser_open(&s.browser, s.profile, &options, &err), 0);
	/* abc(x)* costs most, a.c(x)* comes next */
	press(&s, "17");
	draw(&s, 40, COLUMNS);
	assert_true(row_with(&s, "int second;") > 0);
	assert_non_null(strstr(row_of(&s, row_with(&s, "int second;")), "70"));
	assert_null(strstr(row_of(&s, row_with(&s, "int first;")), "30"));
	press(&s, "1j\n7");
	draw(&s, 40, COLUMNS);
	assert_non_null(strstr(row_of(&s, row_with(&s, "int first;")), "30"));
	assert_null(strstr(row_of(&s, row_with(&s, "int second;")), "70"));
	/* lines are searched */
	press(&s, "/second\n");
	draw(&s, 40, COLUMNS);
	assert_int_equal(chosen_row(&s), row_with(&s, "int second;"));
	press(&s, "G");
	end(&s);
	temp_close(&temp);
}

/* One function with an instruction at 0x1000, which costs 30, and its line, 7. */
static struct tl_profile *make_instruction(const char *path)
{
	static const struct tl_event event = { "Ir", "", "", "" };
	const struct tl_function function = {
		.name = "f", .file = path, .object = "prog", .id = TL_NOWHERE
	};
	struct tl_cost_line line = { .function = 0 };
	const int64_t cost = 30;
	struct tl_profile *profile;
	struct tl_error err;

	assert_int_equal(tl_profile_new(&profile, "test", &event, sizeof(event), 1, 0, &err), 0);
	assert_int_equal(tl_profile_add_function(profile, &function, sizeof(function), &err), 0);
	line.at.file = "";
	line.at.line = 7;
	line.at.address = 0x1000;
	assert_int_equal(tl_profile_add_line(profile, &line, sizeof(line), &cost, &err), 0);
	assert_int_equal(tl_profile_finish(profile, &err), 0);
	return profile;
}

TEST(a_turns_from_source_to_assembly_and_back)
{
	const struct tl_annotate_options annotate = { .size = sizeof(annotate),
						      .threshold = -1,
						      .context = -1 };
	const struct tl_input_options opened = { .size = sizeof(opened) };
	const struct tl_browser_options options = { .annotate = &annotate, .opened = &opened };
	struct shown s = { .profile = make_instruction("nowhere.c") };
	struct tl_error err;

	assert_int_equal(tl_browser_open(&s.browser, s.profile, &options, &err), 0);
	press(&s, "7");
	assert_non_null(strstr(row_of(&s, 0), "7 source"));
	assert_true(row_with(&s, "nowhere.c") > 0);
	assert_int_equal(row_with(&s, "1000"), -1);
	press(&s, "a");
	assert_non_null(strstr(row_of(&s, 0), "7 assembly"));
	assert_non_null(strstr(row_of(&s, row_with(&s, "(no code)")), "f  nowhere.c"));
	assert_non_null(strstr(row_of(&s, row_with(&s, "1000")), "30"));
	press(&s, "17");
	assert_true(row_with(&s, "1000") > 0);
	press(&s, "a");
	assert_int_equal(row_with(&s, "1000"), -1);
	end(&s);
}

TEST(c_chooses_the_columns)
{
	static const char *const rows[] = {
		"  50.00%          50  50.00%          50            6 leaf",
		"         50         50            6 leaf",
		"  50.00%  50.00%            6 leaf",
		"  50.00%  50.00% leaf",
	};
	struct shown s;

	begin(&s);
	draw(&s, ROWS, COLUMNS);
	for (int i = 0; i < 5; i++) {
		assert_string_equal(row_of(&s, 2), rows[i % 4]);
		press(&s, "c");
	}
	/* A narrow screen has room for the second choice, too, when it is asked for. */
	draw(&s, ROWS, 60);
	assert_string_equal(row_of(&s, 2), rows[1]);
	press(&s, "ccc");
	draw(&s, ROWS, 60);
	assert_string_equal(row_of(&s, 2), rows[2]);
	end(&s);
}

TEST(without_annotation_there_is_no_source)
{
	struct shown s;

	begin(&s);
	press(&s, "7");
	for (int row = 1; row < ROWS - 1; row++)
		assert_string_equal(row_of(&s, row), "");
	press(&s, "jG/x\n");
	assert_string_equal(row_of(&s, ROWS - 1), "not found: x");
	end(&s);
}

/* ---- memory ---- */

/* What the screen has; TL_NO_MEMORY where it says so. */
static int note_screen(struct shown *s, uint64_t *digest)
{
	if (!tl_canvas_begin(&s->canvas, ROWS, COLUMNS) || !tl_browser_draw(s->browser, &s->canvas))
		return TL_NO_MEMORY;
	for (int row = 0; row < ROWS; row++)
		refuse_note_text(digest, row_of(s, row));
	return strstr(row_of(s, ROWS - 1), "out of memory") ? TL_NO_MEMORY : 0;
}

/* After a refusal the browser goes on, with all keys that are left. */
static int browse_step(const void *input, uint64_t *digest)
{
	static const char keys[] = "2\nj\ns3\nj\n4e7a?";
	const struct tl_annotate_options annotate = { .size = sizeof(annotate),
						      .threshold = -1,
						      .context = -1 };
	const struct tl_input_options opened = { .size = sizeof(opened) };
	const struct tl_browser_options options = { .annotate = &annotate, .opened = &opened };
	struct shown s = { .profile = NULL };
	int status = tl_browser_open(&s.browser, input, &options, NULL);

	for (size_t i = 0; s.browser && keys[i]; i++) {
		int failed;

		tl_browser_key(s.browser, keys[i]);
		failed = note_screen(&s, digest);
		status = status ? status : failed;
	}
	end(&s);
	return status;
}

TEST(memory_that_runs_out_is_said)
{
	struct tl_profile *profile = make_profile();

	assert_true(refuse_each(browse_step, profile) > 20);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_move_by_row_and_by_page_and_stay_inside),
		cmocka_unit_test(rows_that_do_not_fit_are_scrolled),
		cmocka_unit_test(left_and_right_walk_through_a_tree),
		cmocka_unit_test(sorting_closes_a_tree),
		cmocka_unit_test(a_profile_without_stacks_has_no_trees),
		cmocka_unit_test(help_is_shown_until_escape),
		cmocka_unit_test(a_pattern_is_typed_and_taken_back),
		cmocka_unit_test(a_pattern_has_an_end),
		cmocka_unit_test(e_shows_the_next_event),
		cmocka_unit_test(of_an_emulated_program_instructions_come_first),
		cmocka_unit_test(damage_of_the_input_is_said),
		cmocka_unit_test(narrow_screens_have_shares_alone),
		cmocka_unit_test(source_is_that_of_the_chosen_function),
		cmocka_unit_test(a_turns_from_source_to_assembly_and_back),
		cmocka_unit_test(c_chooses_the_columns),
		cmocka_unit_test(without_annotation_there_is_no_source),
		cmocka_unit_test(memory_that_runs_out_is_said),
	};

	return cmocka_run_group_tests_name("panes", tests, NULL, NULL);
}
