/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments: which are options, what their values are, and what the options mean together. */
#include "cli_test.h"

#include "cli/options/option.h"
#include "cli/options/words.h"

static void forms_of_a_value(void **state)
{
	(void)state;
	PARSE(apart, "report --top 3 -o out x");
	assert_int_equal(apart.report.top, 3);
	assert_string_equal(apart.output.path, "out");
	settings_free(&apart);
	PARSE(attached, "report --top=4 -oout x");
	assert_int_equal(attached.report.top, 4);
	assert_string_equal(attached.output.path, "out");
	settings_free(&attached);
	/* A value is what follows, whatever it looks like; the last one counts. */
	PARSE(dashes, "report --sort --top --sort=a=b x");
	assert_string_equal(dashes.report.sort, "a=b");
	assert_int_equal(dashes.report.top, 0);
	settings_free(&dashes);
}

static void what_is_a_path(void **state)
{
	(void)state;
	PARSE(paths, "merge a - --to json b -- --to -o");
	assert_int_equal(paths.paths.list.count, 5);
	assert_string_equal(paths.paths.items[0], "a");
	assert_string_equal(paths.paths.items[1], "-");
	assert_string_equal(paths.paths.items[2], "b");
	assert_string_equal(paths.paths.items[3], "--to");
	assert_string_equal(paths.paths.items[4], "-o");
	assert_string_equal(paths.convert.to, "json");
	settings_free(&paths);
	PARSE(none, "report");
	assert_int_equal(none.paths.list.count, 0);
	settings_free(&none);
}

static void help_and_letters(void **state)
{
	(void)state;
	PARSE(letter, "report -h");
	assert_true(letter.help.wanted);
	settings_free(&letter);
	PARSE(man, "help --man --completion zsh report");
	assert_true(man.help.man);
	assert_false(man.help.wanted);
	assert_string_equal(man.help.completion, "zsh");
	settings_free(&man);
	refused("report -hx x", "unknown option -hx; `tracelathe report --help` lists the options");
	refused("report -q x", "unknown option -q; `tracelathe report --help` lists the options");
}

static void unknown_options(void **state)
{
	(void)state;
	refused("report --theads x", "unknown option --theads; did you mean --threads?");
	refused("report --packets x", "--packets is an option of other commands; "
				      "`tracelathe report --help` lists those of report");
	refused("report --nonsense=1 x",
		"unknown option --nonsense; `tracelathe report --help` lists the options");
	refused("report --warmup 1 x", "--warmup is an option of other commands; "
				       "`tracelathe report --help` lists those of report");
	/* Of a longer word than any option, the beginning is told. */
	refused("report --a123456789b123456789c123456789d123456789e123456789f123456789g x",
		"unknown option --a123456789b123456789c123456789d123456789e123456789f123456789; "
		"`tracelathe report --help` lists the options");
}

static void missing_values(void **state)
{
	(void)state;
	refused("report x --top", "--top needs a value, --top N");
	refused("report x -o", "--output needs a value, --output FILE");
	refused("report --output= x", "--output : a value is missing");
}

/* The same name has another meaning, or another kind of value, with another command. */
static void options_of_commands(void **state)
{
	(void)state;
	PARSE(report, "report --all --top 5 x");
	assert_int_equal(report.report.top, 5);
	assert_int_equal(report.analysis.top, 0);
	settings_free(&report);
	PARSE(analyze, "analyze --all --top 5 x");
	assert_int_equal(analyze.report.top, 0);
	assert_int_equal(analyze.analysis.top, 5);
	settings_free(&analyze);
	refused("merge --to xray a",
		"--to xray: must be "
		"callgrind|cachegrind|pprof|speedscope|folded|dot|json|csv|tracelathe");
}

/* Each of these with each of those is refused with the same words, in either order. */
static void refused_with(const char *line, const char *const *others, const char *message)
{
	char whole[512];

	for (; *others; others++) {
		snprintf(whole, sizeof(whole), "%s %s a b", line, *others);
		refused(whole, message);
		snprintf(whole, sizeof(whole), "diff %s%s a b", *others, line + strlen("diff"));
		refused(whole, message);
	}
}

static void what_excludes_each_other(void **state)
{
	static const char *const tables[] = { "--json", "--csv", NULL };
	static const char *const no_flame[] = { "--json",          "--csv",
						"--markdown",      "--by arc",
						"--fail-above 1%", "--rename a=b",
						"--by line",       NULL };
	static const char *const no_dot[] = { "--json", "--csv",           "--markdown", "--by arc",
					      "--runs", "--fail-above 1%", "--by line",  NULL };
	static const char *const no_flow[] = { "--runs",       "--by arc",    "--to dot",
					       "--markdown",   "--inclusive", "--fail-above 1%",
					       "--rename a=b", "--flame",     NULL };
	static const char *const no_runs[] = { "--flame", "--by arc", "--by line", NULL };
	static const char flame[] =
		"--flame goes without --rename, --by, --json, --csv, --markdown "
		"and --fail-above";

	(void)state;
	refused("report --json --csv x", "--json and --csv exclude each other");
	refused("extract --yaml --json x", "--yaml excludes --json and --csv");
	refused("tree --all-callers x", "--all-callers and --all-callees need --function REGEX");
	refused("tree --all-callees x", "--all-callers and --all-callees need --function REGEX");
	refused_with("diff --markdown", tables, "--markdown excludes --json and --csv");
	refused_with("diff --flame", no_flame, flame);
	refused("diff --svg --by function a b", flame);
	refused("diff --width 100 --rename a=b a b", flame);
	refused_with("diff --to dot", no_dot,
		     "--to dot goes without --runs, --by, --json, --csv, --markdown and "
		     "--fail-above");
	refused_with("diff --runs", no_runs, "--runs goes by function, without --flame");
	refused_with("diff --flow", no_flow,
		     "--flow goes without --runs, --by, --to, --markdown, --inclusive, "
		     "--fail-above, --rename and --flame");
}

/* Intervals, levels and tasks are parts of a profile: one choice of them. */
static void what_intervals_lack(void **state)
{
	static const char *const by[] = { "--by level",   "--by task",   "--by host", "--by trace",
					  "--by process", "--by cgroup", "--cycles",  NULL };

	(void)state;
	for (size_t i = 0; by[i]; i++) {
		char line[128];

		snprintf(line, sizeof(line), "report --interval 10 %s x", by[i]);
		refused(line, "--interval goes without --cycles and --by trace, host, process, "
			      "level, task and cgroup");
	}
	refused("report --spread --interval 10 a b", "--spread goes without --interval");
}

/* What a table by origin does not have is refused, rather than left out. */
static void what_origins_lack(void **state)
{
	static const char lacks[] =
		"--spread and --by trace, host, process and cgroup go without --threads, --cycles, "
		"--recursive-only, --focus, --ignore and --idle";

	(void)state;
	refused("report --spread --event Ir,Dr a b", "--spread compares one event");
	refused("report --spread --by part a b",
		"--spread goes with --by trace, host, process and cgroup only");
	refused("report --spread --by host --inclusive a b",
		"--inclusive goes with --spread over traces only");
	refused("report --inclusive a b", "--inclusive goes with --spread over traces only");
	refused("report --spread --threads a b", lacks);
	refused("report --by trace --cycles a b", lacks);
	refused("report --by host --recursive-only a b", lacks);
	refused("report --by process --focus f a b", lacks);
	refused("report --spread --ignore f a b", lacks);
	refused("report --spread --idle f a b", lacks);
	refused("diff --window 7 a b", "--window and --meet are of --flow");
	refused("diff --meet 7 a b", "--window and --meet are of --flow");
}

/* An option of flame graphs asks diff for one. */
static void flame_of_a_diff(void **state)
{
	static const char *const lines[] = { "diff --flame a b", "diff --svg a b",
					     "diff --icicle a b", "diff --width 7 a b" };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		PARSE(diff, lines[i]);
		assert_true(diff.flame.of_diff);
		settings_free(&diff);
	}
	PARSE(table, "diff a b");
	assert_false(table.flame.of_diff);
	settings_free(&table);
	PARSE(flame, "flame --svg x");
	assert_false(flame.flame.of_diff);
	settings_free(&flame);
}

/* Lines and calls cost time and memory: only commands that show or write them ask for them. */
static void how_much_is_read(void **state)
{
	static const struct {
		const char *line;
		enum tl_input_detail detail;
	} cases[] = {
		{ "report x", TL_DETAIL_TABLE },
		{ "report --threads x", TL_DETAIL_FUNCTIONS },
		{ "report --cycles x", TL_DETAIL_FUNCTIONS },
		{ "report --by file x", TL_DETAIL_FUNCTIONS },
		{ "tree x", TL_DETAIL_FUNCTIONS },
		{ "stacks x", TL_DETAIL_CONTEXTS },
		{ "diff a b", TL_DETAIL_FUNCTIONS },
		{ "diff --by arc a b", TL_DETAIL_FUNCTIONS },
		{ "diff --by line a b", TL_DETAIL_LINES },
		{ "convert x", TL_DETAIL_LINES },
		{ "convert --to json x", TL_DETAIL_LINES },
		{ "convert --to pprof x", TL_DETAIL_STACKS },
		{ "convert --to folded x", TL_DETAIL_STACKS },
		{ "annotate x", TL_DETAIL_LINES },
		{ "merge x", TL_DETAIL_LINES },
		{ "flame x", TL_DETAIL_CONTEXTS },
		{ "stacks x y", TL_DETAIL_FUNCTIONS },
		{ "flame x y", TL_DETAIL_FUNCTIONS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		PARSE(one, cases[i].line);
		assert_int_equal(one.input.detail, cases[i].detail);
		settings_free(&one);
	}
}

/* A Callgrind file that is only written again is packed; what shows or chooses needs all of it. */
static void what_is_packed(void **state)
{
	static const struct {
		const char *line;
		bool packed;
	} cases[] = {
		{ "convert x", true },
		{ "convert --to callgrind x y", true },
		{ "convert --no-compress x", true },
		{ "convert --to pprof x", false },
		{ "convert --part 2 x", false },
		{ "convert --thread 2 x", false },
		{ "convert --function main x", false },
		{ "convert --object libc x", false },
		{ "merge x y", true },
		{ "merge --to json x y", true },
		{ "merge --thread 2 x y", false },
		{ "merge --function main x y", false },
		{ "merge --to pprof x y", true },
		{ "annotate x", true },
		{ "annotate --asm x", true },
		{ "annotate --function main x", false },
		{ "annotate --part 2 x", false },
		{ "report x", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		PARSE(one, cases[i].line);
		assert_int_equal(one.input.packed, cases[i].packed);
		settings_free(&one);
	}
}

static void what_follows(void **state)
{
	(void)state;
	PARSE(threads, "report --threads x");
	assert_true(threads.input.per_thread);
	assert_int_equal(threads.input.size, sizeof(threads.input));
	assert_int_equal(threads.report.size, sizeof(threads.report));
	assert_int_equal(threads.slice.part.size, sizeof(threads.slice.part));
	assert_true(threads.input.jobs >= 1 && threads.input.jobs <= 16);
	assert_int_equal(report_form(&threads), TL_REPORT_TEXT);
	settings_free(&threads);
	PARSE(json, "report --json x");
	assert_false(json.input.per_thread);
	assert_int_equal(report_form(&json), TL_REPORT_JSON);
	settings_free(&json);
	PARSE(csv, "report --csv x");
	assert_int_equal(report_form(&csv), TL_REPORT_CSV);
	settings_free(&csv);
}

/* ---- the table ---- */

static bool has_row_behind(const struct option_row *row, unsigned mask)
{
	for (const struct option_row *other = row + 1; other->name; other++)
		if (!strcmp(other->name, row->name) && (other->commands & mask))
			return true;
	return false;
}

/* A command has one option of a name; every row is of a command, has help and a setter. */
static void rows_make_sense(void **state)
{
	(void)state;
	for (const struct option_row *row = option_rows; row->name; row++) {
		const unsigned bits = row->commands & ~(unsigned)(C_ONE_FORMAT | C_OF_RANKS);

		assert_false(has_row_behind(row, bits));
		assert_true(bits && !(bits & ~(unsigned)C_ALL));
		assert_true(*row->help);
		assert_non_null(row->set);
		assert_true(row->field < sizeof(struct settings));
		/* What may be repeated says so, and nothing else. */
		assert_int_equal(row->repeatable, strstr(row->help, "may be repeated") ||
							  !strcmp(row->name, "rename"));
	}
}

static void commands_make_sense(void **state)
{
	unsigned bits = 0;

	(void)state;
	for (const struct command *command = commands; command->name; command++) {
		assert_true(command_find(command->name) == command);
		assert_false(bits & command->bit);
		bits |= command->bit;
		assert_non_null(command->run);
		assert_non_null(command->help);
		assert_non_null(command->text);
		assert_non_null(command->examples[0].line);
	}
	assert_int_equal(bits, C_ALL);
	assert_int_equal(command_find("diff")->files, FILES_TWO);
	assert_int_equal(command_find("help")->files, FILES_NONE);
	assert_null(command_find("rep"));
	assert_null(command_find(""));
}

/* ---- words ---- */

static size_t count_names(const char *(*name_of)(size_t number))
{
	size_t count = 0;

	while (name_of(count))
		count++;
	assert_null(name_of(count));
	return count;
}

static bool has_name(const char *(*name_of)(size_t number), const char *name)
{
	for (size_t i = 0; name_of(i); i++)
		if (!strcmp(name_of(i), name))
			return true;
	return false;
}

static void names_by_number(void **state)
{
	(void)state;
	/* As many as there are rows; the six of the first release are there in any case. */
	assert_true(count_names(format_name) >= 6);
	assert_non_null(tl_format_info(count_names(format_name) - 1));
	assert_null(tl_format_info(count_names(format_name)));
	assert_int_equal(count_names(exporter_name), 9);
	assert_int_equal(count_names(timeline_name), 2);
	assert_int_equal(count_names(shell_name), 3);
	assert_string_equal(exporter_name(0), "callgrind");
	/* Nine formats of profiles, five that are read and no exporter's, four of records. */
	assert_true(count_names(target_name) >= 19);
	assert_true(has_name(target_name, "sqlite"));
	assert_true(has_name(target_name, "champsim"));
	assert_true(has_name(target_name, "xtrace"));
	assert_true(has_name(target_name, "csv"));
	assert_true(has_name(report_column, "p99"));
	assert_true(has_name(diff_column, "percent"));
	assert_false(has_name(report_column, "percent"));
	assert_true(has_name(event_name, "Ir"));
}

static const struct option_row *find(const char *name, unsigned bit)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if (!strcmp(row->name, name) && (row->commands & bit))
			return row;
	fail();
	return NULL;
}

static void words_of_options(void **state)
{
	struct word word;

	(void)state;
	assert_int_equal(option_word_number(find("by", C_DIFF), "line"), 2);
	assert_int_equal(option_word_number(find("by", C_DIFF), "object"), -1);
	assert_int_equal(option_word_number(find("format", C_REPORT), "callgrind"), 1);
	assert_int_equal(option_word_number(find("top", C_REPORT), "N"), -1);
	assert_true(option_word(find("order", C_DUMP), 1, &word));
	assert_int_equal(word.size, 4);
	assert_memory_equal(word.text, "file", 4);
	assert_false(option_word(find("order", C_DUMP), 2, &word));
	assert_false(option_word(find("strict", C_DUMP), 0, &word));
	assert_true(option_takes_file(find("binary", C_REPORT)));
	assert_true(option_takes_file(find("sysroot", C_REPORT)));
	assert_false(option_takes_file(find("top", C_REPORT)));
	assert_false(option_takes_file(find("all", C_REPORT)));
}

/* One per processor, "beyond 16 the reading of most traces gains nothing"; unknown: one. */
static void jobs_by_default(void **state)
{
	static const struct {
		long processors;
		unsigned jobs;
	} cases[] = { { -1, 1 },  { 0, 1 },   { 1, 1 },   { 2, 2 },
		      { 15, 15 }, { 16, 16 }, { 17, 16 }, { 4096, 16 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(default_jobs(cases[i].processors), cases[i].jobs);
	PARSE(usual, "report x");
	assert_in_range(usual.input.jobs, 1, 16);
	settings_free(&usual);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_of_a_value),    cmocka_unit_test(what_is_a_path),
		cmocka_unit_test(help_and_letters),    cmocka_unit_test(unknown_options),
		cmocka_unit_test(missing_values),      cmocka_unit_test(options_of_commands),
		cmocka_unit_test(what_origins_lack),   cmocka_unit_test(what_excludes_each_other),
		cmocka_unit_test(what_intervals_lack), cmocka_unit_test(flame_of_a_diff),
		cmocka_unit_test(how_much_is_read),    cmocka_unit_test(what_is_packed),
		cmocka_unit_test(what_follows),        cmocka_unit_test(rows_make_sense),
		cmocka_unit_test(commands_make_sense), cmocka_unit_test(names_by_number),
		cmocka_unit_test(words_of_options),    cmocka_unit_test(jobs_by_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
