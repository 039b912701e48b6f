/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotated source: costs per line, calls out of a line, jumps; what is not annotated is summed up.
 * Numbers by hand.
 */
#include "../temp.h"
#include "profile/model/unsized.h"
#include "profiles.h"

static const char source[] = "int g(int);\n"      /* 1 */
			     "\n"                 /* 2 */
			     "int main(void)\n"   /* 3 */
			     "{\n"                /* 4 */
			     "\tint s = 0;\x1b\n" /* 5 */
			     "\tfor (;;)\n"       /* 6 */
			     "\t\ts += g(s);\r\n" /* 7 */
			     "}\n"                /* 8 */
			     /* 9: a character of two bytes before the tab */
			     "// \xc3\xa9\tx\n";

static void line_of(struct tl_profile *p, uint32_t function, const char *file, uint32_t line,
		    int64_t ir, int64_t dr)
{
	struct tl_cost_line at = { .function = function,
				   .part = TL_NONE,
				   .at = { .file = file, .line = line } };
	const int64_t cost[] = { ir, dr };

	assert_int_equal(tl_profile_put_line(p, &at, cost, NULL), 0);
}

/*
 * main (src/a.c) 5: 10+1, 7: 600+0 with a call of g (300+30) and a jump back to 6; unknown line
 * 3+0. g (lib/b.c, which is not there) 300+30; tail (c.c) 2; lost (no file) 85.
 */
static struct tl_profile *annotated(void)
{
	const struct tl_event events[] = { { "Ir", "", "", "" }, { "Dr", "", "", "" } };
	/* clang-format off */
	struct tl_function functions[] = {
		{ "main", "prog", "src/a.c", TL_NOWHERE, 0, 3 }, { "g", "prog", "lib/b.c",
		  TL_NOWHERE, 0, 1 },
		{ "tail", "prog", "c.c", TL_NOWHERE, 0, 1 },     { "lost", "prog", "", TL_NOWHERE,
		  0, 0 },
	};
	/* clang-format on */
	struct tl_position seven = { .file = "src/a.c", .line = 7 },
			   six = { .file = "src/a.c", .line = 6 };
	struct tl_arc arc = { 0, 1, TL_NONE, seven, { .file = "lib/b.c", .line = 1 }, 20 };
	struct tl_jump jump = { 0, 0, TL_NONE, seven, six, 1234, 19, true };
	const int64_t inclusive[] = { 300, 30 };
	struct tl_profile *p;

	assert_int_equal(tl_profile_make(&p, "callgrind", events, 2, 0, NULL), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(tl_profile_put_function(p, &functions[i], NULL), i);
	line_of(p, 0, "src/a.c", 5, 10, 1);
	line_of(p, 0, "src/a.c", 7, 600, 0);
	line_of(p, 0, "src/a.c", 0, 3, 0);
	line_of(p, 1, "", 1, 300, 30);
	line_of(p, 2, "c.c", 1, 2, 0);
	line_of(p, 3, "", 4, 85, 0);
	assert_int_equal(tl_profile_put_arc(p, &arc, inclusive, NULL), 0);
	assert_int_equal(tl_profile_put_jump(p, &jump, NULL), 0);
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	return p;
}

static char *annotate(const struct tl_profile *p, struct tl_annotate_options what,
		      struct tl_report_options options)
{
	struct tl_output *out;

	what.size = sizeof(what);
	options.size = sizeof(options);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_report_annotate(p, &what, &options, out, NULL), 0);
	return take_text(out);
}

/* A directory with src/a.c in it. */
static void make_source(struct temp *temp)
{
	temp_open(temp);
	assert_int_equal(mkdir(temp_path(temp, "src"), 0700), 0);
	temp_write(temp, "src/a.c", source, sizeof(source) - 1);
}

/*
 * "source lines with their costs per event, calls out of a line shown (callee, count, inclusive)
 * and jumps"
 */
TEST(text_shows_lines_calls_and_jumps)
{
	const uint32_t both[] = { 0, 1 };
	struct tl_profile *p = annotated();
	struct temp temp;
	const char *dirs[1];
	char *text, expected[2000];

	make_source(&temp);
	dirs[0] = temp.directory;
	text = annotate(
		p,
		(struct tl_annotate_options){
			.source_dirs = dirs, .source_dir_count = 1, .threshold = 90, .context = 1 },
		(struct tl_report_options){ .events = both, .event_count = 2 });
	snprintf(expected, sizeof(expected),
		 "callgrind, 0 parts\n"
		 "\n"
		 "src/a.c  (%s/src/a.c)\n"
		 "Ir 613 (61.30%%), Dr 1 (3.23%%)\n"
		 "\n"
		 " Ir       %%  Dr  line\n"
		 "  3   0.30%%   .     ?  (line unknown)\n"
		 "  .       .   .     4  {\n"
		 " 10   1.00%%   1     5          int s = 0;\\x1b\n"
		 "  .       .   .     6          for (;;)\n"
		 "600  60.00%%   .     7                  s += g(s);\n"
		 "300  30.00%%  30          > g  b.c:1  (20 calls)\n"
		 "                         ^ jump to line 6  (19 of 1,234 times)\n"
		 "  .       .   .     8  }\n"
		 "\n"
		 "lib/b.c  (could not be read)\n"
		 "Ir 300 (30.00%%), Dr 30 (96.77%%)\n"
		 "\n"
		 " Ir       %%  Dr  line\n"
		 "300  30.00%%  30     1\n"
		 "\n"
		 "Ir 613 (61.30%%), Dr 1 (3.23%%)  in 1 annotated file\n"
		 "Ir 300 (30.00%%), Dr 30 (96.77%%)  in 1 file that could not be read "
		 "(--source-dir DIR)\n"
		 "Ir 2 (0.20%%), Dr 0 (0.00%%)  in 1 further file (--threshold 100)\n"
		 "Ir 85 (8.50%%), Dr 0 (0.00%%)  in 1 unknown file\n",
		 temp.directory);
	assert_string_equal(text, expected);
	free(text);
	tl_profile_free(p);
	temp_close(&temp);
}

/* "context lines around annotated lines elided" */
TEST(lines_far_from_costs_are_left_out)
{
	struct tl_profile *p = annotated();
	struct temp temp;
	const char *dirs[1];
	char *text;

	make_source(&temp);
	dirs[0] = temp.directory;
	text = annotate(
		p,
		(struct tl_annotate_options){
			.source_dirs = dirs, .source_dir_count = 1, .threshold = 50, .context = 0 },
		(struct tl_report_options){ .event_count = 0 });
	assert_non_null(strstr(text, "     5          int s = 0;\\x1b\n...\n600"));
	assert_null(strstr(text, "for (;;)"));
	free(text);
	text = annotate(
		p,
		(struct tl_annotate_options){
			.source_dirs = dirs, .source_dir_count = 1, .threshold = 50, .context = 8 },
		(struct tl_report_options){ .event_count = 0 });
	/*
	 * The tab after a character of two bytes is at its column: "// e" takes four, then four
	 * blanks.
	 */
	assert_non_null(strstr(text, "     1  int g(int);\n"));
	assert_non_null(strstr(text, "     9  // \xc3\xa9    x\n"));
	free(text);
	tl_profile_free(p);
	temp_close(&temp);
}

/*
 * "files found by --source-dir (repeat; also as recorded path)": leading directories are left out
 * as needed.
 */
TEST(sources_are_found_where_they_are_now)
{
	struct tl_profile *p;
	struct temp temp, empty;
	const char *dirs[2];
	char below[600], *text;

	make_source(&temp);
	temp_open(&empty);
	snprintf(below, sizeof(below), "%s/src", temp.directory);
	dirs[0] = empty.directory;
	dirs[1] = below;
	p = annotated();
	text = annotate(p,
			(struct tl_annotate_options){
				.source_dirs = dirs, .source_dir_count = 2, .threshold = 50 },
			(struct tl_report_options){ .form = TL_REPORT_JSON });
	assert_non_null(strstr(text, "\"source\":\"\\tint s = 0;\\u001b\""));
	free(text);
	assert_int_equal(chdir(temp.directory), 0);
	text = annotate(p, (struct tl_annotate_options){ .threshold = 50 },
			(struct tl_report_options){ .form = TL_REPORT_JSON });
	assert_non_null(strstr(text, "\"found\":\"src/a.c\""));
	free(text);
	assert_int_equal(chdir("/"), 0);
	tl_profile_free(p);
	temp_close(&temp);
	temp_close(&empty);
}

static void add_source(struct tl_profile *p, const char *name)
{
	add_function(p, "f", "");
	line_of(p, 0, name, 1, 1, 0);
	assert_int_equal(tl_profile_finish(p, NULL), 0);
}

/* "No '..' leads out of a directory"; "below the working directory if no directories are given". */
TEST(sources_stay_below_their_directory)
{
	static const struct {
		const char *name;
		/* found by --source-dir DIR/in, and without directories in DIR/in */
		bool below, here;
		/* clang-format off */
	} cases[] = {
		{ "./a.c", true, true },       { "x/../a.c", true, true },     { "../in/a.c", true,
		  false },
		{ "../out.c", false, false },  { "y/../../out.c", false, false }, { "a.c", true,
		  true },
		{ "../../a.c", true, false },  { "/nowhere/a.c", true, false },
		{ "dd/long/../b.c", true, true }, { "dd/x/long/.././../b.c", true, true },
		{ "dd/../b.c", false, false },
	};
	/* clang-format on */
	struct temp temp;
	char in[600];

	temp_open(&temp);
	assert_int_equal(mkdir(temp_path(&temp, "in"), 0700), 0);
	strcpy(in, temp.path);
	temp_write(&temp, "in/a.c", "x\n", 2);
	temp_write(&temp, "out.c", "x\n", 2);
	assert_int_equal(mkdir(temp_path(&temp, "in/dd"), 0700), 0);
	temp_write(&temp, "in/dd/b.c", "x\n", 2);
	assert_int_equal(chdir(in), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tl_event event = { "Ir", "", "", "" };
		const char *dirs[] = { in };
		const struct tl_report_options json = { .form = TL_REPORT_JSON };
		struct tl_profile *p;
		char *text;

		assert_int_equal(tl_profile_make(&p, "x", &event, 1, 0, NULL), 0);
		add_source(p, cases[i].name);
		text = annotate(p,
				(struct tl_annotate_options){ .source_dirs = dirs,
							      .source_dir_count = 1,
							      .threshold = -1 },
				json);
		assert_int_equal(!strstr(text, "\"found\":null"), cases[i].below);
		free(text);
		text = annotate(p, (struct tl_annotate_options){ .threshold = -1 }, json);
		assert_int_equal(!strstr(text, "\"found\":null"), cases[i].here);
		free(text);
		tl_profile_free(p);
	}
	assert_int_equal(chdir("/"), 0);
	temp_close(&temp);
}

/* A profile names its files: a pipe would block, a device never end. */
TEST(only_regular_files_are_read)
{
	static const char *const names[] = { "/dev/zero", "pipe", "." };
	struct temp temp;

	temp_open(&temp);
	assert_int_equal(mkfifo(temp_path(&temp, "pipe"), 0600), 0);
	for (size_t i = 0; i < 3; i++) {
		const struct tl_event event = { "Ir", "", "", "" };
		const char *dirs[] = { temp.directory };
		struct tl_profile *p;
		char *text;

		assert_int_equal(tl_profile_make(&p, "x", &event, 1, 0, NULL), 0);
		add_source(p, names[i]);
		text = annotate(p,
				(struct tl_annotate_options){ .source_dirs = dirs,
							      .source_dir_count = 1,
							      .threshold = -1 },
				(struct tl_report_options){ .form = TL_REPORT_JSON });
		assert_non_null(strstr(text, "\"found\":null"));
		free(text);
		tl_profile_free(p);
	}
	temp_close(&temp);
}

/* A row for each line, call and jump; all files. */
TEST(csv_has_a_row_a_remark)
{
	struct tl_profile *p = annotated();
	char *text = annotate(p, (struct tl_annotate_options){ .threshold = -1 },
			      (struct tl_report_options){ .form = TL_REPORT_CSV });

	assert_string_equal(text, "file,line,kind,to,count,taken,Ir,Dr,source\n"
				  "src/a.c,,self,,,,3,0,\n"
				  "src/a.c,5,self,,,,10,1,\n"
				  "src/a.c,7,self,,,,600,0,\n"
				  "src/a.c,7,call,g,20,,300,30,\n"
				  "src/a.c,7,jump,6,1234,19,,,\n"
				  "lib/b.c,1,self,,,,300,30,\n"
				  "c.c,1,self,,,,2,0,\n");
	free(text);
	tl_profile_free(p);
}

TEST(json_is_one_object)
{
	struct tl_profile *p = annotated();
	char *text = annotate(p, (struct tl_annotate_options){ .file = "a\\.c$", .threshold = -1 },
			      (struct tl_report_options){ .form = TL_REPORT_JSON });

	assert_string_equal(
		text,
		"{\"format\":\"callgrind\",\"frequency\":0,\"events\":[\"Ir\",\"Dr\"],"
		"\"total\":{\"Ir\":1000,\"Dr\":31},\"files\":[{\"file\":\"src/a.c\","
		"\"found\":null,\"cost\":{\"Ir\":613,\"Dr\":1},\"lines\":[{\"line\":null,"
		"\"source\":null,\"remarks\":[{\"kind\":\"self\",\"cost\":{\"Ir\":3,\"Dr\":0}}]},"
		"{\"line\":5,\"source\":null,\"remarks\":[{\"kind\":\"self\",\"cost\":{\"Ir\":10,"
		"\"Dr\":1}}]},{\"line\":7,\"source\":null,\"remarks\":[{\"kind\":\"self\","
		"\"cost\":{\"Ir\":600,\"Dr\":0}},{\"kind\":\"call\",\"function\":\"g\","
		"\"object\":\"prog\",\"file\":\"lib/b.c\",\"line\":1,\"id\":null,\"calls\":20,"
		"\"inclusive\":{\"Ir\":300,\"Dr\":30}},{\"kind\":\"jump\",\"file\":\"src/a.c\","
		"\"line\":6,\"address\":\"0x0\",\"executed\":1234,\"taken\":19,"
		"\"conditional\":true}]}]}],\"annotated\":{\"Ir\":0,\"Dr\":0},"
		"\"unreadable\":{\"Ir\":613,\"Dr\":1},\"below_threshold\":{\"Ir\":0,\"Dr\":0},"
		"\"unknown\":{\"Ir\":85,\"Dr\":0},\"unwanted\":{\"Ir\":302,\"Dr\":30},"
		"\"elsewhere\":{\"Ir\":0,\"Dr\":0},\"losses\":{\"orphan_exits\":0,"
		"\"deduced_exits\":0,\"unfinished\":0,\"time_reversals\":0,\"gaps\":0,"
		"\"skipped_bytes\":0,\"skipped_records\":0,\"saturated\":0}}\n");
	free(text);
	tl_profile_free(p);
}

TEST(only_chosen_functions_are_annotated)
{
	const struct tl_profile_filter filter = { .size = sizeof(filter), .function = "^g$" };
	struct tl_profile *p = annotated();
	char *text;

	assert_int_equal(tl_profile_choose(p, &filter, NULL), 0);
	text = annotate(p, (struct tl_annotate_options){ .threshold = -1 },
			(struct tl_report_options){ .event_count = 0 });
	assert_null(strstr(text, "src/a.c"));
	assert_non_null(strstr(text, "Ir 700 (70.00%), Dr 1 (3.23%)  elsewhere\n"));
	free(text);
	tl_profile_free(p);
}

/* Addresses without code: costs by address, and the function says so. */
TEST(addresses_without_code_stand_alone)
{
	const struct tl_event event = { "Ir", "", "", "" };
	struct tl_cost_line line = { .part = TL_NONE, .at = { .file = "", .address = 0x1000 } };
	struct tl_position from = { .file = "", .address = 0x1004 },
			   to = { .file = "", .address = 0x1000 };
	struct tl_jump jump = { 0, 0, TL_NONE, from, to, 7, 7, false };
	const int64_t cost[] = { 5 };
	struct tl_profile *p;
	char *text;

	assert_int_equal(tl_profile_make(&p, "x", &event, 1, 0, NULL), 0);
	line.function = add_function(p, "f", "");
	assert_int_equal(tl_profile_put_line(p, &line, cost, NULL), 0);
	assert_int_equal(tl_profile_put_jump(p, &jump, NULL), 0);
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	text = annotate(p, (struct tl_annotate_options){ .assembly = true, .threshold = -1 },
			(struct tl_report_options){ .event_count = 0 });
	assert_string_equal(text, "x, 0 parts\n"
				  "\n"
				  "f  (no code)\n"
				  "Ir 5 (100.00%)\n"
				  "\n"
				  "Ir        %  address\n"
				  " 5  100.00%     1000\n"
				  " .        .     1004\n"
				  "                        ^ jump to 0x1000  (7 times)\n"
				  "\n"
				  "Ir 0 (0.00%)  in 0 annotated functions\n"
				  "Ir 5 (100.00%)  in 1 function without code (--binary FILE)\n");
	free(text);
	tl_profile_free(p);
}

TEST(bad_usage_is_refused)
{
	const struct tl_annotate_options bad_pattern = { .size = sizeof(bad_pattern), .file = "(" };
	const struct tl_report_options bad_form = { .size = sizeof(bad_form),
						    .form = (enum tl_report_form)7 };
	struct tl_profile *p = annotated();
	struct tl_output *out;
	struct tl_error err = { 0 };

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_report_annotate(p, &bad_pattern, NULL, out, &err), TL_BAD_USAGE);
	assert_true(err.offset == TL_NOWHERE);
	assert_int_equal(tl_report_annotate(p, NULL, &bad_form, out, &err), TL_BAD_USAGE);
	tl_output_discard(out);
	tl_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_shows_lines_calls_and_jumps),
		cmocka_unit_test(lines_far_from_costs_are_left_out),
		cmocka_unit_test(sources_are_found_where_they_are_now),
		cmocka_unit_test(sources_stay_below_their_directory),
		cmocka_unit_test(only_regular_files_are_read),
		cmocka_unit_test(csv_has_a_row_a_remark),
		cmocka_unit_test(json_is_one_object),
		cmocka_unit_test(only_chosen_functions_are_annotated),
		cmocka_unit_test(addresses_without_code_stand_alone),
		cmocka_unit_test(bad_usage_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
