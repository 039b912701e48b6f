/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments that stand for many files: "@LIST stands for the files that LIST names, a line each";
 * directories with --glob; patterns and sides of `diff`; and values that have parts.
 */
#include "run_line.h"

#include <fcntl.h>
#include <sys/stat.h>

/* The files of a line, each in brackets, with "|" between the sides of diff; then what was said. */
static const char *files_of(const char *line)
{
	static char text[RUN_ROOM];
	char *argv[MOST_ARGUMENTS + 1] = { NULL }, room[RUN_ROOM], *said;
	struct capture err = capture_begin(stderr);
	const struct command *command;
	struct settings settings;
	int argc;
	bool ok;

	run_expand(line, room);
	argc = split(room, argv);
	command = command_find(argv[0]);
	assert_non_null(command);
	ok = settings_parse(&settings, command, argc - 1, argv + 1);
	said = capture_end(&err);
	*text = '\0';
	for (size_t i = 0; ok && i < settings.paths.list.count; i++) {
		if (settings.diff.runs && i == settings.diff.before)
			strcat(text, "|");
		sprintf(text + strlen(text), "[%s]", settings.paths.items[i]);
	}
	strcat(text, said);
	run_contract(text);
	free(said);
	settings_free(&settings);
	return text;
}

static void make_folder(const char *name)
{
	assert_int_equal(mkdir(temp_path(&temp, name), 0700), 0);
}

static int set_up(void **state)
{
	static const char *const folders[] = { "logs", "logs/deep", "logs/deep/er", "old",
					       "new",  "empty",     "record",       "foreign" };
	static const char *const files[] = {
		"logs/b.log",        "logs/a.log", "logs/note.txt", "logs/deep/c.log",
		"logs/deep/er/.log", "old/1",      "old/2",         "new/1"
	};

	temp_setup(state);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		make_folder(folders[i]);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		run_file(files[i], "x");
	assert_int_equal(symlink("../a.log", temp_path(&temp, "logs/deep/link.log")), 0);
	run_file("record/data", "PERFILE2 and more");
	/* "magic: Ftrace!", and a NUL byte */
	temp_write(&temp, "foreign/info", "Ftrace!\0more", 12);
	return 0;
}

struct files_case {
	const char *line, *files;
};

static void assert_files(const struct files_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *got = files_of(cases[i].line);

		if (strcmp(got, cases[i].files) != 0)
			fail_msg("%s: %s instead of %s", cases[i].line, got, cases[i].files);
	}
}

#define ASSERT_FILES(cases) assert_files(cases, sizeof(cases) / sizeof((cases)[0]))

/* ---- lists ---- */

TEST(lists_name_a_file_a_line)
{
	static const struct files_case cases[] = {
		{ "report @^list", "[one][/two][ three ][@four]" },
		{ "report zero @^list five", "[zero][one][/two][ three ][@four][five]" },
		{ "report @^list @^other", "[one][/two][ three ][@four][last]" },
		/* a list in a list is a file; an @ alone, too */
		{ "report @", "[@]" },
		{ "report @^blank", "tracelathe report: @^blank: names no file\n" },
		{ "report @^nowhere",
		  "tracelathe report: @^nowhere: cannot be read: No such file or directory\n" },
		{ "report one @^nowhere two",
		  "tracelathe report: @^nowhere: cannot be read: No such file or directory\n" },
		{ "report @^logs", "tracelathe report: @^logs: cannot be read: Is a directory\n" },
	};

	run_file("list", "one\n\n/two\n three \n@four\n");
	run_file("other", "last");
	run_file("blank", "\n\n\n");
	ASSERT_FILES(cases);
}

/* Names of more bytes than a line of a terminal, and ends of lines that are part of a name. */
TEST(names_in_lists_are_as_they_stand)
{
	char text[3100], expected[3200];

	memset(text, 'n', 3000);
	strcpy(text + 3000, "\nwith\ttab\r\n");
	run_file("list", text);
	text[3000] = '\0';
	snprintf(expected, sizeof(expected), "[%s][with\ttab\r]", text);
	assert_string_equal(files_of("report @^list"), expected);
}

TEST(a_list_on_standard_input)
{
	int kept = dup(STDIN_FILENO), file;

	run_file("list", "one\ntwo\n");
	file = open(temp_path(&temp, "list"), O_RDONLY);
	assert_true(file >= 0);
	fflush(stdin);
	assert_true(dup2(file, STDIN_FILENO) >= 0);
	assert_string_equal(files_of("report @-"), "[one][two]");
	dup2(kept, STDIN_FILENO);
	clearerr(stdin);
	close(kept);
	close(file);
}

/* ---- directories ---- */

/* In the order of their names, each folder where its name stands; links and hidden ones, too. */
TEST(files_below_a_directory)
{
	static const struct files_case cases[] = {
		{ "report --glob *.log ^logs",
		  "[^logs/a.log][^logs/b.log][^logs/deep/c.log][^logs/deep/er/.log]"
		  "[^logs/deep/link.log]" },
		{ "report --glob *.txt ^logs ^a.file", "[^logs/note.txt][^a.file]" },
		{ "report --glob [ab].* ^logs", "[^logs/a.log][^logs/b.log]" },
		{ "report --glob *.none ^logs", "tracelathe report: ^logs: names no file\n" },
		{ "report --glob * ^empty", "tracelathe report: ^empty: names no file\n" },
		/* without --glob a directory is a path like any other */
		{ "report ^logs", "[^logs]" },
		/* a file is a file, whatever the pattern is */
		{ "report --glob *.none ^logs/a.log", "[^logs/a.log]" },
		{ "merge --glob *.log ^logs/deep ^old/1",
		  "[^logs/deep/c.log][^logs/deep/er/.log][^logs/deep/link.log][^old/1]" },
	};

	ASSERT_FILES(cases);
}

/* "a result without it would be silent" */
TEST(a_folder_that_cannot_be_read)
{
	if (!geteuid())
		skip();
	make_folder("closed");
	assert_int_equal(chmod(temp_path(&temp, "closed"), 0), 0);
	assert_string_equal(files_of("report --glob * ^closed"),
			    "tracelathe report: ^closed: cannot be read: Permission denied\n");
	assert_int_equal(chmod(temp_path(&temp, "closed"), 0700), 0);
}

/* ---- sides of diff ---- */

TEST(two_directories_are_two_sides)
{
	static const struct files_case cases[] = {
		{ "diff ^old ^new", "[^old/1][^old/2]|[^new/1]" },
		{ "diff --glob 1 ^old ^new", "[^old/1]|[^new/1]" },
		{ "diff --glob 3 ^old ^new", "tracelathe diff: ^old: names no file\n" },
		{ "diff @^sideA @^sideB", "[one]|[two][three]" },
		{ "diff @^sideA ^new", "[one]|[^new/1]" },
		/* a directory that is a recording is one file, on whichever side */
		{ "diff ^record ^new", "[^record][^new]" },
		{ "diff ^old ^foreign", "[^old][^foreign]" },
		{ "diff ^old ^old/1", "[^old][^old/1]" },
		{ "diff @ @^sideB", "[@][two][three]" },
		/* three are no two */
		{ "diff ^old ^new ^empty", "[^old][^new][^empty]" },
		/* other commands have no sides */
		{ "report ^old ^new", "[^old][^new]" },
		{ "diff --runs ^old/1 -- ^new/1", "[^old/1]|[^new/1]" },
		{ "diff --runs @^sideB -- ^new/1", "[two][three]|[^new/1]" },
	};

	run_file("sideA", "one\n");
	run_file("sideB", "two\nthree\n");
	ASSERT_FILES(cases);
}

/* "--runs 'old*.xray' -- 'new*.xray'": shells of scripts do not expand what stands in quotes. */
TEST(patterns_of_runs)
{
	static const struct files_case cases[] = {
		{ "diff --runs ^old/* -- ^new/*", "[^old/1][^old/2]|[^new/1]" },
		{ "diff --runs ^old/[12] ^x -- ^new/?", "[^old/1][^old/2][^x]|[^new/1]" },
		/* what nothing matches stands for itself, which cannot be opened then */
		{ "diff --runs ^old/9* -- ^new/1", "[^old/9*]|[^new/1]" },
		{ "report ^old/*", "[^old/*]" },
	};

	ASSERT_FILES(cases);
}

/* ---- values with parts ---- */

static void parse_whole(struct settings *settings, char room[512], const char *line)
{
	assert_true(parse_into(settings, room, line));
}

TEST(events_and_formulas)
{
	static const struct {
		const char *line, *names;
		size_t count;
		const char *formulas[3];
	} cases[] = {
		{ "report --event Ir x", "Ir", 0, { NULL } },
		{ "report --event Ir,Dr x", "Ir,Dr", 0, { NULL } },
		{ "report --event CEst x", "CEst", 1, { "CEst" } },
		{ "report --event A=Ir+2*Dr,Ir,B=2*A x",
		  "A=Ir+2*Dr,Ir,B=2*A",
		  2,
		  { "A=Ir+2*Dr", "B=2*A" } },
		/* the last one holds */
		{ "report --event A=Ir --event Bm,Dr x", "Bm,Dr", 1, { "Bm" } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct settings s;
		char room[512];

		parse_whole(&s, room, cases[i].line);
		assert_string_equal(s.events.names, cases[i].names);
		assert_int_equal(s.events.formulas.list.count, cases[i].count);
		for (size_t n = 0; n < cases[i].count; n++)
			assert_string_equal(s.events.formulas.items[n], cases[i].formulas[n]);
		settings_free(&s);
	}
}

TEST(renames_are_divided_at_the_last_equals_sign)
{
	static const struct {
		const char *value, *pattern, *text;
	} cases[] = { { "a=b", "a", "b" }, { "x(a=b)=c", "x(a=b)", "c" }, { "gone=", "gone", "" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct settings s;
		char room[512], line[64];

		snprintf(line, sizeof(line), "diff --rename %s x y", cases[i].value);
		parse_whole(&s, room, line);
		assert_int_equal(s.diff.renames.list.count, 1);
		assert_string_equal(s.diff.renames.items[0].pattern, cases[i].pattern);
		assert_string_equal(s.diff.renames.items[0].text, cases[i].text);
		settings_free(&s);
	}
}

/* FILE[:OFF[-END]]@ADDR and FILE[@ADDR]; a name may have any of these characters in it, too. */
TEST(files_with_addresses)
{
	static const struct {
		const char *value, *path;
		uint64_t offset, stop, address;
	} raws[] = { { "f@0x10", "f", 0, 0, 0x10 },     { "f:8@16", "f", 8, 0, 16 },
		     { "f:8-0x20@1", "f", 8, 0x20, 1 }, { "a@b:1-2@3", "a@b", 1, 2, 3 },
		     { "a:b:1@3", "a:b", 1, 0, 3 },     { "a-b@3", "a-b", 0, 0, 3 } };
	static const struct {
		const char *value, *path;
		uint64_t address;
	} binaries[] = { { "p", "p", 0 },
			 { "p@0x400000", "p", 0x400000 },
			 { "p@host", "p@host", 0 },
			 { "p@1@2", "p@1", 2 },
			 { "p@", "p@", 0 } };

	for (size_t i = 0; i < sizeof(raws) / sizeof(raws[0]); i++) {
		struct settings s;
		char room[512], line[64];

		snprintf(line, sizeof(line), "report --raw %s x", raws[i].value);
		parse_whole(&s, room, line);
		assert_string_equal(s.programs.raws.items[0].path, raws[i].path);
		assert_int_equal(s.programs.raws.items[0].offset, raws[i].offset);
		assert_int_equal(s.programs.raws.items[0].end, raws[i].stop);
		assert_int_equal(s.programs.raws.items[0].address, raws[i].address);
		settings_free(&s);
	}
	for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++) {
		struct settings s;
		char room[512], line[64];

		snprintf(line, sizeof(line), "report --binary %s x", binaries[i].value);
		parse_whole(&s, room, line);
		assert_string_equal(s.programs.binaries.items[0].path, binaries[i].path);
		assert_int_equal(s.programs.binaries.items[0].address, binaries[i].address);
		settings_free(&s);
	}
}

TEST(labels_of_graphs_are_a_set)
{
	struct settings s;
	char room[512];

	parse_whole(&s, room, "convert --to dot --labels self x");
	const unsigned self = s.convert.labels;

	settings_free(&s);
	parse_whole(&s, room, "convert --to dot --labels calls x");
	const unsigned calls = s.convert.labels;

	settings_free(&s);
	parse_whole(&s, room, "convert --to dot --labels self,calls x");
	assert_int_equal(s.convert.labels, self | calls);
	assert_true(self && calls && self != calls && !(self & (self - 1)));
	settings_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_name_a_file_a_line),
		cmocka_unit_test(names_in_lists_are_as_they_stand),
		cmocka_unit_test(a_list_on_standard_input),
		cmocka_unit_test(files_below_a_directory),
		cmocka_unit_test(a_folder_that_cannot_be_read),
		cmocka_unit_test(two_directories_are_two_sides),
		cmocka_unit_test(patterns_of_runs),
		cmocka_unit_test(events_and_formulas),
		cmocka_unit_test(renames_are_divided_at_the_last_equals_sign),
		cmocka_unit_test(files_with_addresses),
		cmocka_unit_test(labels_of_graphs_are_a_set),
	};

	return cmocka_run_group_tests(tests, set_up, temp_teardown);
}
