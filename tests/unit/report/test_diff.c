/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of differences: "sorted by change (largest absolute change first), columns before,
 * after, change, percent".
 */
#include "profiles.h"

#include "profile/model/unsized.h"

/* Ir+Dr of f; main 50+5 and same 4+4 on both sides. */
static struct tl_profile *side(const char *f_or_g, int64_t ir, int64_t dr, uint64_t calls)
{
	const struct tl_event events[] = { { "Ir", "", "", "" }, { "Dr", "", "", "" } };
	struct tl_profile *p;
	uint32_t main_function, other;

	assert_int_equal(tl_profile_make(&p, "callgrind", events, 2, 0, NULL), 0);
	main_function = add_function(p, "main", "prog");
	other = add_function(p, f_or_g, "prog");
	add_line(p, add_function(p, "same", "prog"), TL_NONE, 4, 4);
	add_line(p, main_function, TL_NONE, 50, 5);
	add_line(p, other, TL_NONE, ir, dr);
	add_line(p, add_function(p, "up", "prog"), TL_NONE, ir / 10, 0);
	add_arc(p, main_function, other, TL_NONE, calls, ir, dr);
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	return p;
}

typedef int report_fn(const struct tl_diff *diff, const struct tl_report_options *options,
		      struct tl_output *out, struct tl_error *err);

static char *reported(report_fn *report, struct tl_profile *before, struct tl_profile *after,
		      enum tl_diff_unit by, struct tl_report_options options, int want)
{
	const struct tl_diff_options how = { .size = sizeof(how), .by = by };
	struct tl_error err = { 0 };
	struct tl_diff *diff;
	struct tl_output *out;
	char *text;

	options.size = sizeof(options);
	assert_int_equal(tl_profile_diff(&diff, before, after, &how, NULL), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(report(diff, &options, out, &err), want);
	text = take_text(out);
	tl_diff_free(diff);
	tl_profile_free(before);
	tl_profile_free(after);
	return text;
}

static char *diff_text(struct tl_profile *before, struct tl_profile *after, enum tl_diff_unit by,
		       struct tl_report_options options, int want)
{
	return reported(tl_report_diff, before, after, by, options, want);
}

static void assert_text(char *text, const char *expected)
{
	assert_string_equal(text, expected);
	free(text);
}

/* up: 2,000 / 10 and 1,500 / 10. Total before 50 + 4 + 2000 + 200, after 50 + 4 + 1500 + 150. */
TEST(text_is_sorted_by_change)
{
	assert_text(diff_text(side("f", 2000, 7, 2), side("f", 1500, 9, 3), TL_DIFF_FUNCTIONS,
			      (struct tl_report_options){ 0 }, 0),
		    "before  callgrind, Ir 2,254\n"
		    "after   callgrind, Ir 1,704\n"
		    "\n"
		    "before  after  change        %  function\n"
		    " 2,254  1,704    -550  -24.40%  (total)\n"
		    " 2,000  1,500    -500  -25.00%  f\n"
		    "   200    150     -50  -25.00%  up\n"
		    "... 2 functions without a change (--all shows them)\n");
}

TEST(what_is_new_or_gone_is_said)
{
	static const uint32_t events[] = { 1, 0 };

	assert_text(diff_text(side("f", 2000, 7, 2), side("g", 3000, 0, 3), TL_DIFF_FUNCTIONS,
			      (struct tl_report_options){
				      .events = events, .event_count = 2, .sort = "Ir:change" },
			      0),
		    "before  callgrind, Dr 16, Ir 2,254\n"
		    "after   callgrind, Dr 9, Ir 3,354\n"
		    "\n"
		    "Dr:before  Dr:after  Dr:change        %  Ir:before  Ir:after  Ir:change      "
		    "  %  function\n"
		    "       16         9         -7  -43.75%      2,254     3,354     +1,100  "
		    "+48.80%  (total)\n"
		    "        0         0          0      new          0     3,000     +3,000      "
		    "new  g\n"
		    "        7         0         -7     gone      2,000         0     -2,000     "
		    "gone  f\n"
		    "        0         0          0        -        200       300       +100  "
		    "+50.00%  up\n"
		    "... 2 functions without a change (--all shows them)\n");
}

TEST(rows_can_be_cut)
{
	char *text = diff_text(side("f", 2000, 7, 2), side("f", 1500, 9, 3), TL_DIFF_FUNCTIONS,
			       (struct tl_report_options){ .threshold = 10, .all = true }, 0);

	assert_null(strstr(text, "up"));
	assert_non_null(strstr(text, "... 3 functions below the threshold\n"));
	free(text);
	text = diff_text(side("f", 2000, 7, 2), side("f", 1500, 9, 3), TL_DIFF_FUNCTIONS,
			 (struct tl_report_options){ .top = 1 }, 0);
	assert_non_null(strstr(text, "... 1 more function (--all shows them)\n"));
	free(text);
}

TEST(csv_has_every_event_and_row)
{
	assert_text(diff_text(side("f", 2000, 8, 2), side("f", 1500, 9, 3), TL_DIFF_FUNCTIONS,
			      (struct tl_report_options){ .form = TL_REPORT_CSV }, 0),
		    "function,object,file,calls:before,calls:after,Ir:before,Ir:after,Ir:change,"
		    "Ir:percent,Dr:before,Dr:after,Dr:change,Dr:percent,state\n"
		    "f,prog,,2,3,2000,1500,-500,-25,8,9,1,12.5,changed\n"
		    "up,prog,,0,0,200,150,-50,-25,0,0,0,,changed\n"
		    "main,prog,,0,0,50,50,0,0,5,5,0,0,same\n"
		    "same,prog,,0,0,4,4,0,0,4,4,0,0,same\n");
}

TEST(arcs_and_lines_have_rows_of_their_own)
{
	assert_text(diff_text(side("f", 2000, 8, 2), side("f", 1500, 9, 3), TL_DIFF_ARCS,
			      (struct tl_report_options){ .form = TL_REPORT_CSV, .sort = "calls" },
			      0),
		    "caller,caller "
		    "object,function,object,file,calls:before,calls:after,Ir:before,Ir:after,"
		    "Ir:change,Ir:percent,Dr:before,Dr:after,Dr:change,Dr:percent,state\n"
		    "main,prog,f,prog,,2,3,2000,1500,-500,-25,8,9,1,12.5,changed\n");
	assert_text(diff_text(side("f", 2000, 8, 2), side("f", 1500, 9, 3), TL_DIFF_LINES,
			      (struct tl_report_options){ .form = TL_REPORT_CSV, .top = 1 }, 0),
		    "function,object,file,line,Ir:before,Ir:after,Ir:change,Ir:percent,Dr:before,"
		    "Dr:after,Dr:change,Dr:percent,state\n"
		    "f,prog,,,2000,1500,-500,-25,8,9,1,12.5,changed\n");
}

TEST(json_is_one_object)
{
	assert_text(diff_text(side("f", 2000, 8, 2), side("f", 1500, 9, 3), TL_DIFF_ARCS,
			      (struct tl_report_options){ .form = TL_REPORT_JSON }, 0),
		    "{\"before\":\"callgrind\",\"after\":\"callgrind\",\"by\":\"arc\","
		    "\"units\":{\"Ir\":\"\",\"Dr\":\"\"},\"total\":{\"Ir\":{\"before\":2254,"
		    "\"after\":1704,\"change\":-550,\"percent\":-24.40106477373558},"
		    "\"Dr\":{\"before\":17,\"after\":18,\"change\":1,"
		    "\"percent\":5.882352941176471}},\"rows\":[{\"caller\":\"main\","
		    "\"caller_object\":\"prog\",\"function\":\"f\",\"object\":\"prog\","
		    "\"file\":\"\",\"state\":\"changed\",\"calls\":{\"before\":2,\"after\":3},"
		    "\"costs\":{\"Ir\":{\"before\":2000,\"after\":1500,\"change\":-500,"
		    "\"percent\":-25},\"Dr\":{\"before\":8,\"after\":9,\"change\":1,"
		    "\"percent\":12.5}}}]}\n");
}

/* Names are code, of which a row has what it is of. */
TEST(markdown_is_one_table)
{
	const struct tl_report_options usual = { .all = false };

	assert_text(reported(tl_report_diff_markdown, side("f", 2000, 7, 2), side("f", 1500, 9, 3),
			     TL_DIFF_FUNCTIONS, usual, 0),
		    "| function | Ir before | after | change | % |\n"
		    "|:--|--:|--:|--:|--:|\n"
		    "| **total** | 2,254 | 1,704 | -550 | -24.40% |\n"
		    "| `f` | 2,000 | 1,500 | -500 | -25.00% |\n"
		    "| `up` | 200 | 150 | -50 | -25.00% |\n"
		    "\n0 more rows, 0 below the threshold, 2 without a change.\n");
	assert_text(reported(tl_report_diff_markdown, side("f", 2000, 7, 2), side("f", 1500, 9, 3),
			     TL_DIFF_ARCS, usual, 0),
		    "| call | Ir before | after | change | % |\n"
		    "|:--|--:|--:|--:|--:|\n"
		    "| **total** | 2,254 | 1,704 | -550 | -24.40% |\n"
		    "| `main` → `f` | 2,000 | 1,500 | -500 | -25.00% |\n");
}

/* Titles are dim; what became more is red, what became less green; the total is neither. */
TEST(changes_have_colors)
{
	assert_text(diff_text(side("f", 1000, 1, 1), side("g", 1200, 1, 1), TL_DIFF_FUNCTIONS,
			      (struct tl_report_options){ .color = true, .all = true }, 0),
		    "before  callgrind, Ir 1,154\n"
		    "after   callgrind, Ir 1,374\n"
		    "\n"
		    "\33[2mbefore  after  change        %  function\33[0m\n"
		    " 1,154  1,374    +220  +19.06%  (total)\n"
		    "\33[31m     0  1,200  +1,200      new  g\33[0m\n"
		    "\33[32m 1,000      0  -1,000     gone  f\33[0m\n"
		    "\33[31m   100    120     +20  +20.00%  up\33[0m\n"
		    "    50     50       0    0.00%  main\n"
		    "     4      4       0    0.00%  same\n");
}

TEST(bad_usage_is_refused)
{
	static const uint32_t beyond[] = { 2 };
	/* clang-format off */
	static const struct tl_report_options cases[] = {
		{ .sort = "foo" }, { .sort = "Xx:change" }, { .sort = "Ir:function" },
		{ .events = beyond, .event_count = 1 }, { .form = (enum tl_report_form)9 },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		free(diff_text(side("f", 1, 1, 1), side("f", 1, 1, 1), TL_DIFF_FUNCTIONS, cases[i],
			       TL_BAD_USAGE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_sorted_by_change),
		cmocka_unit_test(what_is_new_or_gone_is_said),
		cmocka_unit_test(rows_can_be_cut),
		cmocka_unit_test(csv_has_every_event_and_row),
		cmocka_unit_test(arcs_and_lines_have_rows_of_their_own),
		cmocka_unit_test(json_is_one_object),
		cmocka_unit_test(markdown_is_one_table),
		cmocka_unit_test(changes_have_colors),
		cmocka_unit_test(bad_usage_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
