/* SPDX-License-Identifier: Apache-2.0 */
/* The function table; the numbers are worked out by hand in profiles.h. */
#include "profiles.h"

#include "profile/model/unsized.h"

/*
 * "Columns in this order: function,object,file,line,id,thread ..., then for each event E:
 * E:self,E:inclusive; calls; for timed traces min,median,p90,p99,max,sum,unfinished,cut in ticks";
 * "RFC 4180 quoting"; "sum adds each call's whole duration; inclusive counts recursion once".
 * Quantiles of fib: t[4/2], t[floor(.9*4)], t[floor(.99*4)] of 10 10 30 60.
 */
TEST(csv_has_the_columns_of_the_contract)
{
	struct tl_profile *profile = timed_profile(1000000000);

	assert_functions(profile,
			 "function,object,file,line,id,Ticks:self,Ticks:inclusive,calls,min,"
			 "median,p90,p99,max,sum,unfinished,cut\n"
			 "fib,prog,\"src/a,b.c\",7,2,80,80,4,10,30,60,60,60,110,0,0\n"
			 "main,prog,src/main.c,3,1,40,120,1,100,100,100,100,100,100,1,0\n",
			 .form = TL_REPORT_CSV);
	tl_profile_free(profile);
}

/* "`thread` only with --threads". In thread 11 main has no finished call: nothing is known of its
 * durations.
 */
TEST(threads_have_rows_of_their_own)
{
	struct tl_profile *profile = timed_profile(1000000000);

	assert_functions(profile,
			 "function,object,file,line,id,thread,Ticks:self,Ticks:inclusive,calls,"
			 "min,median,p90,p99,max,sum,unfinished,cut\n"
			 "fib,prog,\"src/a,b.c\",7,2,10,70,70,3,10,30,60,60,60,100,0,0\n"
			 "main,prog,src/main.c,3,1,10,30,100,1,100,100,100,100,100,100,0,0\n"
			 "main,prog,src/main.c,3,1,11,10,20,0,,,,,,0,1,0\n"
			 "fib,prog,\"src/a,b.c\",7,2,11,10,10,1,10,10,10,10,10,10,0,0\n",
			 .form = TL_REPORT_CSV, .threads = true);
	tl_profile_free(profile);
}

/* "in ticks unless --seconds (enough digits to be exact)": 1/3 s needs 16 digits to come back as
 * the same double. */
TEST(seconds_are_exact)
{
	struct tl_profile *profile = timed_profile(3);
	char *text = functions_text(
		profile,
		(struct tl_report_options){ .form = TL_REPORT_CSV, .seconds = true, .top = 1 });
	const char *row = strchr(text, '\n') + 1;
	const double expected[] = { 10 / 3.0, 30 / 3.0, 60 / 3.0, 60 / 3.0, 60 / 3.0, 110 / 3.0 };

	row = strstr(row, ",80,80,4,");
	assert_non_null(row);
	row += strlen(",80,80,4,");
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		char *end;

		assert_true(strtod(row, &end) == expected[i]);
		assert_int_equal(*end, ',');
		row = end + 1;
	}
	assert_string_equal(row, "0,0\n");
	free(text);
	tl_profile_free(profile);
}

TEST(json_is_one_object)
{
	struct tl_profile *profile = timed_profile(1000000000);

	assert_functions(profile,
			 "{\"format\":\"xray\",\"frequency\":1000000000,\"events\":[\"Ticks\"],"
			 "\"total\":{\"Ticks\":120},\"functions\":[{\"function\":\"main\","
			 "\"object\":\"prog\",\"file\":\"src/main.c\",\"line\":3,\"id\":1,"
			 "\"thread\":11,\"self\":{\"Ticks\":10},\"inclusive\":{\"Ticks\":20},"
			 "\"calls\":0,\"min\":null,\"median\":null,\"p90\":null,\"p99\":null,"
			 "\"max\":null,\"sum\":0,\"unfinished\":1,\"cut\":0,\"exact\":true}],"
			 "\"losses\":{\"orphan_exits\":1,\"deduced_exits\":0,\"unfinished\":1,"
			 "\"time_reversals\":0,\"gaps\":0,\"skipped_bytes\":0,"
			 "\"skipped_records\":0,\"saturated\":0}}\n",
			 .form = TL_REPORT_JSON, .threads = true, .sort = "unfinished", .top = 1);
	tl_profile_free(profile);
}

TEST(text_aligns_columns_and_ends_lines_with_names)
{
	struct tl_profile *profile = timed_profile(1000000000);

	assert_functions(profile,
			 "xray, 2 threads, 12 records, 110.0 ns\n"
			 "1 exit had no entry; 1 call never ended\n"
			 "\n"
			 "    self        %  inclusive        %  calls       min    median       "
			 "p90       p99       max       sum  unfinished  function\n"
			 "120.0 ns  100.00%   120.0 ns  100.00%      5         -         -        "
			 " -         -         -  210.0 ns           1  (total)\n"
			 "80.00 ns   66.67%   80.00 ns   66.67%      4  10.00 ns  30.00 ns  60.00 "
			 "ns  60.00 ns  60.00 ns  110.0 ns           0  fib  a,b.c:7\n"
			 "40.00 ns   33.33%   120.0 ns  100.00%      1  100.0 ns  100.0 ns  100.0 "
			 "ns  100.0 ns  100.0 ns  100.0 ns           1  main  main.c:3\n",
			 .form = TL_REPORT_TEXT);
	tl_profile_free(profile);
}

/*
 * A terminal of 90 columns: the columns that tell least go, the one that sorts stays. Calls that
 * never ended are counted in the head, too.
 */
TEST(text_fits_the_terminal)
{
	struct tl_profile *profile = timed_profile(1000000000);

	assert_functions(
		profile,
		"xray, 2 threads, 12 records, 110.0 ns\n"
		"1 exit had no entry; 1 call never ended\n"
		"\n"
		"    self        %  inclusive        %  calls    median       p90  function\n"
		"120.0 ns  100.00%   120.0 ns  100.00%      5         -         -  (total)\n"
		"40.00 ns   33.33%   120.0 ns  100.00%      1  100.0 ns  100.0 ns  main  "
		"main.c:3\n"
		"... 1 more function (--all shows them)\n"
		"... 5 more columns (--wide shows them)\n",
		.sort = "p90", .width = 90, .top = 1);
	tl_profile_free(profile);
}

/* "3.18: frequency 0: ticks, and say so" */
TEST(ticks_of_unknown_length_stay_ticks)
{
	struct tl_profile *profile = timed_profile(0);
	char *text = functions_text(profile, (struct tl_report_options){ .seconds = true });

	assert_non_null(strstr(text, "110 ticks of unknown length\n"));
	assert_non_null(strstr(
		text, "\n  80   66.67%         80   66.67%      4   10      30   60   60   60 "
		      " 110           0  fib"));
	free(text);
	tl_profile_free(profile);
}

TEST(hot_rows_are_colored)
{
	struct tl_profile *profile = timed_profile(0);
	char *text = functions_text(profile, (struct tl_report_options){ .color = true });

	assert_non_null(strstr(text, "\n\033[1;31m  80   66.67%"));
	assert_non_null(strstr(text, "fib  a,b.c:7\033[0m\n"));
	free(text);
	tl_profile_free(profile);
}

/* Names sort from A to Z, numbers downwards unless ascending; "EVENT:inclusive" names a column of
 * one event.
 */
TEST(sorting_follows_the_column)
{
	static const struct {
		const char *sort;
		bool ascending;
		const char *first;
		/* clang-format off */
	} cases[] = {
		{ NULL, false, "operator" },	{ "self", true, "main" },
		{ "function", false, "main" },	{ "object", false, "operator" },
		{ "inclusive", false, "main" }, { "Dr:inclusive", true, "operator" },
		{ "calls", false, "operator" }, { "count", true, "main" },
	};
	/* clang-format on */
	struct tl_profile *profile = counted_profile();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = functions_text(profile, (struct tl_report_options){
							     .form = TL_REPORT_CSV,
							     .sort = cases[i].sort,
							     .ascending = cases[i].ascending,
						     });
		const char *row = strchr(text, '\n') + 1;

		row += *row == '"';
		assert_memory_equal(row, cases[i].first, strlen(cases[i].first));
		free(text);
	}
	tl_profile_free(profile);
}

/* The parts of one thread are one row: f 30+40 and 3+4, main 10+20 and 1+2 and, with what it
 * called, 105 and 15. */
TEST(parts_of_a_thread_are_one_row)
{
	struct tl_profile *profile = dumped_profile();

	assert_functions(
		profile,
		"function,object,file,line,id,thread,Ir:self,Ir:inclusive,Dr:self,Dr:inclusive,"
		"calls\n"
		"f,prog,,,,1,70,70,7,7,3\n"
		"main,prog,,,,1,30,105,3,15,2\n"
		"g,prog,,,,1,5,5,5,5,1\n",
		.form = TL_REPORT_CSV, .threads = true);
	tl_profile_free(profile);
}

/* "RFC 4180 quoting" */
TEST(quotes_in_names_are_doubled)
{
	struct tl_profile *profile = counted_profile();

	assert_functions(profile,
			 "function,object,file,line,id,Ir:self,Ir:inclusive,Dr:self,Dr:inclusive,"
			 "calls\n"
			 "\"operator\"\"\"\"_x(char, int)\",lib.so,,,,77,77,8,8,4\n"
			 "main,prog,,,,35,112,3,11,0\n",
			 .form = TL_REPORT_CSV);
	tl_profile_free(profile);
}

TEST(events_are_chosen_and_ordered)
{
	static const uint32_t dr[] = { 1 };
	struct tl_profile *profile = counted_profile();

	assert_functions(profile,
			 "callgrind, 3 parts\n"
			 "\n"
			 "self        %  inclusive        %  calls  function\n"
			 "  11  100.00%         11  100.00%      4  (total)\n"
			 "   8   72.73%          8   72.73%      4  operator\"\"_x(char, int)  "
			 "[lib.so]\n"
			 "   3   27.27%         11  100.00%      0  main  [prog]\n",
			 .events = dr, .event_count = 1);
	tl_profile_free(profile);
}

TEST(bad_usage_is_refused)
{
	static const uint32_t beyond[] = { 2 };
	static const struct tl_report_options cases[] = {
		{ .size = sizeof(cases[0]), .sort = "foo" },
		{ .size = sizeof(cases[0]), .sort = "Xx:self" },
		{ .size = sizeof(cases[0]), .sort = "Ir:calls" },
		{ .size = sizeof(cases[0]), .sort = "p99" },    /* nothing is timed */
		{ .size = sizeof(cases[0]), .sort = "thread" }, /* without .threads */
		{ .size = sizeof(cases[0]), .events = beyond, .event_count = 1 },
		{ .size = sizeof(cases[0]), .form = (enum tl_report_form)9 },
	};
	struct tl_profile *profile = counted_profile();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_error err = { 0 };
		struct tl_output *out;

		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		assert_int_equal(tl_report_functions(profile, &cases[i], out, &err), TL_BAD_USAGE);
		assert_int_equal(err.status, TL_BAD_USAGE);
		assert_true(err.offset == TL_NOWHERE);
		tl_output_discard(out);
	}
	tl_profile_free(profile);
}

/* "A size below that of the first release is TL_BAD_USAGE" (docs/abi.md) */
TEST(options_without_a_size_are_refused)
{
	const struct tl_report_options none = { .size = 0 }, less = { .size = sizeof(less) - 1 };
	struct tl_profile *profile = counted_profile();
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_report_functions(profile, &none, out, NULL), TL_BAD_USAGE);
	assert_int_equal(tl_report_functions(profile, &less, out, NULL), TL_BAD_USAGE);
	assert_int_equal(tl_report_tree(profile, TL_TREE_BOTH, &less, out, NULL), TL_BAD_USAGE);
	assert_int_equal(tl_report_functions(profile, NULL, out, NULL), 0);
	tl_output_discard(out);
	tl_profile_free(profile);
}

/* Every loss of a profile is in the head, one as "call", several as "calls". */
TEST(losses_are_told)
{
	struct tl_profile *profile = timed_profile(1000000000);
	char *text;

	profile->losses = (struct tl_losses){ .deduced_exits = 1,
					      .gaps = 2,
					      .skipped_bytes = 1234,
					      .skipped_records = 1,
					      .saturated = 1,
					      .left_calls = 2,
					      .uncertain = 1,
					      .gap_ends = 1,
					      .bridged = 2 };
	text = functions_text(profile, (struct tl_report_options){ .form = TL_REPORT_TEXT });
	assert_non_null(strstr(
		text,
		"1 exit had no entry; 1 call was closed by the exit of a caller; 1 call never "
		"ended; 2 gaps in the records; 1,234 bytes skipped; 1 record skipped; 1 sum "
		"did not fit 64 bits; 2 calls were ended, since they cannot have made the "
		"next call; 1 call may belong to a caller further out; 1 call ended in a gap; "
		"2 calls are assumed to go on across a gap\n"));
	free(text);
	text = functions_text(profile, (struct tl_report_options){ .form = TL_REPORT_JSON });
	assert_non_null(strstr(text, "\"losses\":{\"orphan_exits\":1,\"deduced_exits\":1,"
				     "\"unfinished\":1,\"time_reversals\":0,\"gaps\":2,"
				     "\"skipped_bytes\":1234,\"skipped_records\":1,"
				     "\"saturated\":1,\"left_calls\":2,\"uncertain\":1,"
				     "\"gap_ends\":1,\"bridged\":2}"));
	free(text);
	tl_profile_free(profile);
}

/* "text: 40, unless `all`"; equal rows stand in the order of their names. */
TEST(text_stops_at_forty)
{
	const struct tl_event event = { "Ir", "", "", "" };
	struct tl_part part = { TL_NOWHERE, TL_NOWHERE, 0, "", "", 0, 0, 0, { 0 } };
	struct tl_profile *profile;
	char *text, name[8];

	assert_int_equal(tl_profile_make(&profile, "", &event, 1, 0, NULL), 0);
	assert_int_equal(tl_profile_put_part(profile, &part, NULL), 0);
	for (int i = 0; i < 43; i++) {
		name[0] = 'f';
		name[1] = (char)('0' + (42 - i) / 10);
		name[2] = (char)('0' + (42 - i) % 10);
		name[3] = '\0';
		add_line(profile, add_function(profile, name, ""), 0, 1, 0);
	}
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	text = functions_text(profile, (struct tl_report_options){ 0 });
	assert_non_null(strstr(text, "  (total)\n   1    2.33%          1    2.33%      0  f00\n"));
	assert_non_null(strstr(text, "  f39\n... 3 more functions (--all shows them)\n"));
	free(text);
	text = functions_text(profile, (struct tl_report_options){ .all = true });
	assert_non_null(strstr(text, "  f42\n"));
	assert_null(strstr(text, "more functions"));
	free(text);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_has_the_columns_of_the_contract),
		cmocka_unit_test(threads_have_rows_of_their_own),
		cmocka_unit_test(seconds_are_exact),
		cmocka_unit_test(json_is_one_object),
		cmocka_unit_test(text_aligns_columns_and_ends_lines_with_names),
		cmocka_unit_test(text_fits_the_terminal),
		cmocka_unit_test(ticks_of_unknown_length_stay_ticks),
		cmocka_unit_test(hot_rows_are_colored),
		cmocka_unit_test(sorting_follows_the_column),
		cmocka_unit_test(parts_of_a_thread_are_one_row),
		cmocka_unit_test(quotes_in_names_are_doubled),
		cmocka_unit_test(events_are_chosen_and_ordered),
		cmocka_unit_test(bad_usage_is_refused),
		cmocka_unit_test(options_without_a_size_are_refused),
		cmocka_unit_test(losses_are_told),
		cmocka_unit_test(text_stops_at_forty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
