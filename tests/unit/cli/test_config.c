/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What chooses where no option does: the file of defaults, the suffix of the output's name. And the
 * folders in which ready queries are.
 */
#include "cli_test.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include "../temp_fixture.h"
#include "cli/options/ready.h"

/* ---- the file of defaults ---- */

/* A file of defaults, of this text. */
static void write_config(const char *name, const char *text)
{
	temp_write(&temp, name, text, strlen(text));
}

/* Settings of a command line that names the file `config` behind the command; free them. */
static bool parse_with_config(struct settings *settings, char room[512], const char *line)
{
	char whole[512];
	const int size = (int)strcspn(line, " ");

	snprintf(whole, sizeof(whole), "%.*s --config %s%s", size, line, temp_path(&temp, "config"),
		 line + size);
	return parse_into(settings, room, whole);
}

/* "NAME or NAME = VALUE; # begins a comment", blanks are not looked at. */
static void lines_of_the_file(void **state)
{
	static const struct {
		const char *text;
		uint32_t top;
		bool ascending;
		const char *sort;
	} cases[] = {
		{ "", 0, false, NULL },
		{ "\n\n \t \n", 0, false, NULL },
		{ "top=3\n", 3, false, NULL },
		{ "top = 3", 3, false, NULL },
		{ "  top\t=\t3  \r\n", 3, false, NULL },
		{ "# top = 3\n", 0, false, NULL },
		{ "  # top = 3\ntop = 4\n", 4, false, NULL },
		{ "ascending\n", 0, true, NULL },
		{ "ascending  \n\n\ntop=1\n", 1, true, NULL },
		/* the last one of several */
		{ "top = 3\ntop = 5\n", 5, false, NULL },
		/* what stands behind the first = is the value, whatever it is */
		{ "sort = a=b\n", 0, false, "a=b" },
		{ "sort = a # b\n", 0, false, "a # b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct settings settings;
		char room[512];

		write_config("config", cases[i].text);
		assert_true(parse_with_config(&settings, room, "report x"));
		assert_int_equal(settings.report.top, cases[i].top);
		assert_int_equal(settings.report.ascending, cases[i].ascending);
		if (cases[i].sort)
			assert_string_equal(settings.report.sort, cases[i].sort);
		else
			assert_null(settings.report.sort);
		settings_free(&settings);
	}
}

/* A text of a value has to live as long as the settings, whatever the file's other lines are. */
static void values_stay(void **state)
{
	struct settings settings;
	char room[512];

	(void)state;
	write_config("config", "function = ^first$\nobject = second\n"
			       "sort = a third one that is longer than those before it\n");
	assert_true(parse_with_config(&settings, room, "report x"));
	write_config("config", "");
	assert_string_equal(settings.input.filter.function, "^first$");
	assert_string_equal(settings.input.filter.object, "second");
	assert_string_equal(settings.report.sort,
			    "a third one that is longer than those before it");
	settings_free(&settings);
}

/* "What the command line says goes before all of the file that says the same thing" */
static void the_command_line_goes_first(void **state)
{
	struct settings settings;
	char room[512];

	(void)state;
	write_config("config", "top = 3\nascending\ncolor = never\n");
	assert_true(parse_with_config(&settings, room, "report --top 7 --color always x"));
	assert_int_equal(settings.report.top, 7);
	assert_int_equal(settings.output.color, WHEN_ALWAYS);
	assert_true(settings.report.ascending);
	settings_free(&settings);
	/* another word for the same thing */
	write_config("config", "cycles\n");
	assert_true(parse_with_config(&settings, room, "report --no-cycles x"));
	assert_false(settings.report.cycles);
	settings_free(&settings);
	/* also behind other options, of which each says something else */
	write_config("config", "top = 3\n");
	assert_true(parse_with_config(&settings, room,
				      "report --ascending --strict --top 7 --cycles x"));
	assert_int_equal(settings.report.top, 7);
	settings_free(&settings);
}

/* "options that the command does not take are left out" */
static void options_of_other_commands_are_left_out(void **state)
{
	struct settings settings;
	char room[512];

	(void)state;
	/* annotate has --context, diff --runs, report neither */
	write_config("config", "context = 9\nruns\ntop = 2\n");
	assert_true(parse_with_config(&settings, room, "report x"));
	assert_int_equal(settings.report.top, 2);
	assert_int_equal(settings.annotate.context, -1);
	settings_free(&settings);
	assert_true(parse_with_config(&settings, room, "annotate x"));
	assert_int_equal(settings.annotate.context, 9);
	settings_free(&settings);
}

/* A wrong line ends the command, with the number of the line and the option. */
static void wrong_lines(void **state)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{ "colour = never\n", "line 1: colour: there is no such option" },
		{ "# a\n\ntop = 0\n", "line 3: top: a number from 1 to 4294967295 is needed" },
		{ "top\n", "line 1: top: the option needs a value" },
		{ "\nascending = 1\n", "line 2: ascending: the option takes no value" },
		{ "by = fil\n", "line 1: by: not a value of this option" },
		{ "output = x\n", "line 1: output: this option has no default" },
		{ "config = x\n", "line 1: config: this option has no default" },
		{ "help\n", "line 1: help: this option has no default" },
		{ "all\n", "line 1: all: this option has no default" },
		{ "man\n", "line 1: man: this option has no default" },
		{ "completion = bash\n", "line 1: completion: this option has no default" },
		{ "= 3\n", "line 1: : there is no such option" },
		{ "--top = 3\n", "line 1: --top: there is no such option" },
		/* the first wrong line is the last that is read */
		{ "top = 1\nfoo\nbar\n", "line 2: foo: there is no such option" },
		{ "function = (\n", "line 1: function: not a POSIX extended regular expression" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[400], said[512];

		write_config("config", cases[i].text);
		snprintf(line, sizeof(line), "report --config %s x", temp_path(&temp, "config"));
		snprintf(said, sizeof(said), "%s: %s", temp_path(&temp, "config"), cases[i].said);
		refused(line, said);
	}
}

static void files_that_cannot_be_read(void **state)
{
	char line[400], said[512];

	(void)state;
	snprintf(line, sizeof(line), "report --config %s x", temp_path(&temp, "nothing"));
	snprintf(said, sizeof(said), "%s: No such file or directory", temp_path(&temp, "nothing"));
	refused(line, said);
	/* a folder opens, and cannot be read */
	snprintf(line, sizeof(line), "report --config %s x", temp.directory);
	snprintf(said, sizeof(said), "%s: Is a directory", temp.directory);
	refused(line, said);
}

/* ---- where the file is ---- */

struct variable {
	const char *name;
	char *kept;
};

static struct variable keep(const char *name)
{
	const char *value = getenv(name);

	return (struct variable){ name, value ? strdup(value) : NULL };
}

static void restore(struct variable *variable)
{
	if (variable->kept)
		setenv(variable->name, variable->kept, 1);
	else
		unsetenv(variable->name);
	free(variable->kept);
}

static void set(const char *variable, const char *value)
{
	if (value)
		setenv(variable, value, 1);
	else
		unsetenv(variable);
}

static void make_folder(const char *name)
{
	assert_int_equal(mkdir(temp_path(&temp, name), 0700), 0);
}

static uint32_t top_of(const char *line)
{
	struct settings settings;
	char room[512];
	uint32_t top;

	assert_true(parse_into(&settings, room, line));
	top = settings.report.top;
	settings_free(&settings);
	return top;
}

static void usual_places(void **state)
{
	struct variable xdg = keep("XDG_CONFIG_HOME"), home = keep("HOME");
	char named[300], own[300], line[400];

	(void)state;
	make_folder("xdg");
	make_folder("xdg/tracelathe");
	make_folder("home");
	make_folder("home/.config");
	make_folder("home/.config/tracelathe");
	write_config("xdg/tracelathe/config", "top = 11\n");
	write_config("home/.config/tracelathe/config", "top = 12\n");
	write_config("config", "top = 13\n");
	snprintf(named, sizeof(named), "%s/xdg", temp.directory);
	snprintf(own, sizeof(own), "%s/home", temp.directory);
	{
		const struct {
			const char *xdg, *home;
			uint32_t top;
		} cases[] = {
			{ named, own, 11 }, { named, NULL, 11 },     { NULL, own, 12 },
			{ "", own, 12 },    { NULL, NULL, 0 },       { NULL, "", 0 },
			{ own, named, 0 },  { "/dev/null", own, 0 },
		};

		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			set("XDG_CONFIG_HOME", cases[i].xdg);
			set("HOME", cases[i].home);
			assert_int_equal(top_of("report x"), cases[i].top);
			assert_int_equal(top_of("report --config none x"), 0);
		}
	}
	set("XDG_CONFIG_HOME", named);
	snprintf(line, sizeof(line), "report --config %s x", temp_path(&temp, "config"));
	assert_int_equal(top_of(line), 13);
	/* help reads no defaults, so that a wrong file does not keep it from being shown */
	write_config("xdg/tracelathe/config", "wrong\n");
	assert_int_equal(top_of("report --help"), 0);
	assert_int_equal(top_of("help"), 0);
	restore(&xdg);
	restore(&home);
}

/* ---- the suffix of the output ---- */

/* What a name chooses among the forms of a report: none, or the one option. */
enum form { NOTHING, JSON, CSV, YAML, SVG, DOT, FLAME };

static enum form form_of(const struct settings *settings)
{
	const bool is[] = { settings->output.json,           settings->output.csv,
			    settings->output.yaml,           settings->flame.svg,
			    settings->diff.form == DIFF_DOT, settings->flame.of_diff };
	enum form found = NOTHING;

	for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++)
		if (is[i]) {
			assert_int_equal(found, NOTHING);
			found = (enum form)(i + 1);
		}
	return found;
}

static void suffixes_choose_forms(void **state)
{
	static const struct {
		const char *line;
		enum form form;
	} cases[] = {
		{ "report -o x.json x", JSON },
		{ "report -o x.csv x", CSV },
		{ "report -o a.csv/x x", NOTHING },
		{ "report -o x.txt x", NOTHING },
		{ "report -o json x", NOTHING },
		/* a hidden file without a suffix */
		{ "report -o .json x", NOTHING },
		{ "report -o a/.json x", NOTHING },
		{ "report -o a/b.json x", JSON },
		{ "report -o x.json.gz x", NOTHING },
		{ "report -o x.csv.json x", JSON },
		/* what the command does not have */
		{ "report -o x.svg x", NOTHING },
		{ "report -o x.html x", NOTHING },
		{ "report -o x.yaml x", NOTHING },
		{ "extract -o x.yaml x", YAML },
		{ "flame -o x.svg x", SVG },
		{ "flame -o x.html x", NOTHING },
		{ "diff -o x.dot a b", DOT },
		{ "diff -o x.html a b", FLAME },
		{ "diff -o x.json a b", JSON },
		/* an option says another form */
		{ "report --csv -o x.json x", CSV },
		{ "report --json -o x.csv x", JSON },
		{ "extract --yaml -o x.json x", YAML },
		{ "diff --csv -o x.html a b", CSV },
		{ "flame --svg -o x.html x", SVG },
		/* standard output */
		{ "report -o - x", NOTHING },
		{ "report x", NOTHING },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct settings settings;
		char room[512];

		assert_true(parse_into(&settings, room, cases[i].line));
		assert_int_equal(form_of(&settings), cases[i].form);
		settings_free(&settings);
	}
}

static void suffixes_choose_targets(void **state)
{
	static const struct {
		const char *line, *to;
	} cases[] = {
		/* the suffixes of exporters, the longest that fits */
		{ "convert -o x.folded x", "folded" },
		{ "convert -o x.dot x", "dot" },
		{ "convert -o x.json x", "json" },
		{ "convert -o x.speedscope.json x", "speedscope" },
		{ "convert -o x.csv x", "csv" },
		{ "convert -o x.pb.gz x", "pprof" },
		{ "convert -o x.tlp x", "tracelathe" },
		{ "merge -o x.tlp x y", "tracelathe" },
		{ "merge -o x.folded x y", "folded" },
		/* names of formats */
		{ "convert -o x.callgrind x", "callgrind" },
		{ "convert -o x.xtrace x", "xtrace" },
		{ "convert -o x.champsim x", "champsim" },
		{ "merge -o x.cachegrind x y", "cachegrind" },
		/* merge writes profiles only */
		{ "merge -o x.xtrace x y", NULL },
		{ "convert -o x.db x", "sqlite" },
		{ "merge -o x.db x y", NULL },
		{ "timeline -o x.json x", "chrome" },
		{ "timeline -o x.perfetto x", "perfetto" },
		{ "timeline -o x.chrome x", "chrome" },
		{ "timeline -o x.folded x", NULL },
		{ "timeline -o x.csv x", NULL },
		/* what chooses nothing */
		{ "convert -o x x", NULL },
		{ "convert -o x.txt x", NULL },
		{ "convert -o .folded x", NULL },
		{ "convert -o a/.xtrace x", NULL },
		{ "convert -o a.xtrace/b x", NULL },
		{ "convert -o folded x", NULL },
		/* what an option chose stays */
		{ "convert --to csv -o x.json x", "csv" },
		{ "timeline --to perfetto -o x.json x", "perfetto" },
		{ "merge --to json -o x.csv x y", "json" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct settings settings;
		char room[512];

		assert_true(parse_into(&settings, room, cases[i].line));
		if (cases[i].to) {
			assert_non_null(settings.convert.to);
			assert_string_equal(settings.convert.to, cases[i].to);
		} else {
			assert_null(settings.convert.to);
		}
		settings_free(&settings);
	}
}

/* ---- ready queries ---- */

static char *list(bool *any)
{
	struct capture capture = capture_begin(stdout);

	*any = list_ready_queries();
	return capture_end(&capture);
}

/* The folders of TRACELATHE_QUERIES go before that of XDG_CONFIG_HOME. */
static void ready_queries_are_files(void **state)
{
	struct variable named = keep("TRACELATHE_QUERIES"), config = keep("XDG_CONFIG_HOME");
	char folders[1024], *text;
	bool any;

	(void)state;
	make_folder("one");
	make_folder("two");
	make_folder("three");
	make_folder("three/tracelathe");
	make_folder("three/tracelathe/queries");
	write_config("one/a.sql", "-- the first\nSELECT 1;\n");
	write_config("two/a.sql", "-- the second\nSELECT 2;\n");
	write_config("two/b.sql", "SELECT 3;\n");
	write_config("two/c.txt", "SELECT 4;\n");
	write_config("two/.sql", "SELECT 5;\n");
	write_config("three/tracelathe/queries/d.sql", "-- no end");
	snprintf(folders, sizeof(folders), "%s/one::%s/two:", temp.directory, temp.directory);
	set("TRACELATHE_QUERIES", folders);
	set("XDG_CONFIG_HOME", temp_path(&temp, "three"));
	text = ready_query("a");
	assert_string_equal(text, "-- the first\nSELECT 1;\n");
	free(text);
	text = ready_query("b");
	assert_string_equal(text, "SELECT 3;\n");
	free(text);
	text = ready_query("d");
	assert_string_equal(text, "-- no end");
	free(text);
	assert_null(ready_query("c"));
	assert_null(ready_query(""));
	assert_null(ready_query("../two/b"));
	assert_null(ready_query("no-such-query"));
	text = list(&any);
	assert_true(any);
	assert_memory_equal(text,
			    "a             the first\na             the second\nb             \n"
			    "d             no end\n",
			    strlen("a             the first\na             the second\n"
				   "b             \nd             no end\n"));
	free(text);
	restore(&named);
	restore(&config);
}

/* Without XDG_CONFIG_HOME, or where it is empty, the folder is in the home. */
static void ready_queries_of_the_home(void **state)
{
	struct variable named = keep("TRACELATHE_QUERIES"), config = keep("XDG_CONFIG_HOME"),
			home = keep("HOME");
	char *text;

	(void)state;
	make_folder("me");
	make_folder("me/.config");
	make_folder("me/.config/tracelathe");
	make_folder("me/.config/tracelathe/queries");
	write_config("me/.config/tracelathe/queries/own.sql", "SELECT 6;\n");
	set("TRACELATHE_QUERIES", NULL);
	set("HOME", temp_path(&temp, "me"));
	for (int empty = 0; empty < 2; empty++) {
		set("XDG_CONFIG_HOME", empty ? "" : NULL);
		text = ready_query("own");
		assert_non_null(text);
		assert_string_equal(text, "SELECT 6;\n");
		free(text);
	}
	set("XDG_CONFIG_HOME", "/nowhere");
	assert_null(ready_query("own"));
	set("XDG_CONFIG_HOME", NULL);
	set("HOME", NULL);
	assert_null(ready_query("own"));
	restore(&named);
	restore(&config);
	restore(&home);
}

/* This program as NAME in the folder of the test. */
static void copy_program(const char *name)
{
	size_t size;
	char *bytes = temp_read("/proc/self/exe", &size);

	assert_non_null(bytes);
	temp_write(&temp, name, bytes, size);
	assert_int_equal(chmod(temp_path(&temp, name), 0700), 0);
	free(bytes);
}

/* "where the program is installed", and beside the program as it is built */
static void ready_queries_beside_the_program(void **state)
{
	static const char *const folders[] = {
		"src",   "src/query",        "src/query/ready",         "bin",
		"share", "share/tracelathe", "share/tracelathe/queries"
	};
	static const struct {
		const char *program, *query;
		int status;
	} cases[] = { { "program", "built", 0 },
		      { "bin/program", "installed", 0 },
		      { "program", "installed", 1 },
		      { "bin/program", "built", 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		make_folder(folders[i]);
	write_config("src/query/ready/built.sql", "SELECT 7;\n");
	write_config("share/tracelathe/queries/installed.sql", "SELECT 8;\n");
	copy_program("program");
	copy_program("bin/program");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = temp_path(&temp, cases[i].program);
		const pid_t child = fork();
		int status;

		assert_true(child >= 0);
		if (!child) {
			execl(path, path, cases[i].query, NULL);
			_exit(9);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), cases[i].status);
	}
}

/* Files of more than 1 MiB are no queries. */
static void ready_queries_have_a_limit(void **state)
{
	struct variable named = keep("TRACELATHE_QUERIES");
	const size_t most = 1 << 20;
	char *text = malloc(most + 2), *read;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', most + 1);
	text[most + 1] = '\0';
	make_folder("large");
	temp_write(&temp, "large/most.sql", text, most);
	temp_write(&temp, "large/more.sql", text, most + 1);
	set("TRACELATHE_QUERIES", temp_path(&temp, "large"));
	read = ready_query("most");
	assert_non_null(read);
	assert_int_equal(strlen(read), most);
	assert_memory_equal(read, text, most);
	free(read);
	assert_null(ready_query("more"));
	free(text);
	restore(&named);
}

/* Sixteen folders are looked at. */
static void ready_queries_of_many_folders(void **state)
{
	struct variable named = keep("TRACELATHE_QUERIES");
	char folders[17 * 300] = "", *text;

	(void)state;
	for (int i = 1; i <= 17; i++) {
		char name[32];

		snprintf(name, sizeof(name), "many%d", i);
		make_folder(name);
		strcat(strcat(folders, i > 1 ? ":" : ""), temp_path(&temp, name));
		snprintf(name, sizeof(name), "many%d/q%d.sql", i, i);
		write_config(name, "x");
	}
	set("TRACELATHE_QUERIES", folders);
	text = ready_query("q16");
	assert_string_equal(text, "x");
	free(text);
	assert_null(ready_query("q17"));
	restore(&named);
}

/* With an argument this is the program of ready_queries_beside_the_program(). */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_the_file),
		cmocka_unit_test(values_stay),
		cmocka_unit_test(the_command_line_goes_first),
		cmocka_unit_test(options_of_other_commands_are_left_out),
		cmocka_unit_test(wrong_lines),
		cmocka_unit_test(files_that_cannot_be_read),
		cmocka_unit_test(usual_places),
		cmocka_unit_test(suffixes_choose_forms),
		cmocka_unit_test(suffixes_choose_targets),
		cmocka_unit_test(ready_queries_are_files),
		cmocka_unit_test(ready_queries_of_the_home),
		cmocka_unit_test(ready_queries_beside_the_program),
		cmocka_unit_test(ready_queries_have_a_limit),
		cmocka_unit_test(ready_queries_of_many_folders),
	};

	if (argc > 1) {
		char *text = ready_query(argv[1]);
		const bool found = text != NULL;

		free(text);
		return found ? 0 : 1;
	}
	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
