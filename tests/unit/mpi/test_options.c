/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of tracelathe-mpi alone; and --restart: which runs share the directory of their
 * profile files, and which must not.
 */
#include "../cli/cli_test.h"

#include "../refuse.h"
#include "../temp.h"

#include "mpi/run.h"

#define TEST(name) static void name(void **state __attribute__((unused)))

struct line {
	struct fleet_command run;
	char room[512];
	char *argv[MOST_ARGUMENTS + 1];
	int argc;
};

static bool take(struct line *line, const char *text)
{
	*line = (struct line){ .argc = 0 };
	snprintf(line->room, sizeof(line->room), "%s", text);
	line->argc = split(line->room, line->argv);
	return fleet_take_options(&line->run, &line->argc, line->argv);
}

/* Arguments that are left for the command, with a blank behind each. */
static const char *left(const struct line *line)
{
	static char text[512];

	text[0] = '\0';
	for (int i = 0; i < line->argc; i++)
		strcat(strcat(text, line->argv[i]), " ");
	return text;
}

TEST(own_options_are_taken_out)
{
	struct line line;

	assert_true(take(&line, "--top 3 a.out"));
	assert_string_equal(left(&line), "--top 3 a.out ");
	assert_null(line.run.restart);
	assert_int_equal(line.run.options.timeout, 0);
	assert_int_equal(line.run.silence, 120); /* docs/fleet.md */

	assert_true(take(&line, "--timeout 7 a --restart=kept --silence=0 b"));
	assert_string_equal(left(&line), "a b ");
	assert_string_equal(line.run.restart, "kept");
	assert_int_equal(line.run.options.timeout, 7);
	assert_int_equal(line.run.silence, 0);

	/* The last of each counts. */
	assert_true(take(&line, "--timeout 7 --timeout=2147483647 --restart x --restart y"));
	assert_string_equal(left(&line), "");
	assert_string_equal(line.run.restart, "y");
	assert_int_equal(line.run.options.timeout, 2147483647);

	/* Files stand behind "--", and words that only begin as an option are the command's. */
	assert_true(take(&line, "--timeouts 1 -- --timeout 2"));
	assert_string_equal(left(&line), "--timeouts 1 -- --timeout 2 ");
	assert_int_equal(line.run.options.timeout, 0);
}

TEST(values_that_are_none)
{
	static const char *const lines[][2] = {
		{ "--restart", "--restart needs a directory" },
		{ "a --restart=", "--restart needs a directory" },
		{ "--timeout a", "--timeout a: must be a number of seconds" },
		{ "--timeout", "--timeout : must be a number of seconds" },
		{ "--timeout -1", "--timeout -1: must be" },
		{ "--timeout=+1", "--timeout +1: must be" },
		{ "--timeout 1s", "--timeout 1s: must be" },
		{ "--timeout 2147483648", "--timeout 2147483648: must be" },
		{ "--silence 99999999999999999999", "--silence 99999999999999999999: must be" },
	};
	struct line line;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const struct capture said = capture_begin(stderr);
		const bool taken = take(&line, lines[i][0]);
		char *text = capture_end(&said);

		assert_false(taken);
		if (!strstr(text, lines[i][1]))
			fail_msg("%s: %s", lines[i][0], text);
		free(text);
	}
}

/* ---- directories of --restart ---- */

/* The directory for a command line, to free(). */
static char *kept_of(const char *text)
{
	struct fleet_command run = { .restart = "kept" };
	char room[512], *argv[MOST_ARGUMENTS + 1] = { NULL };
	const struct command *command;
	int argc;

	snprintf(room, sizeof(room), "%s", text);
	argc = split(room, argv);
	command = command_find(argv[0]);
	assert_non_null(command);
	run.command = *command;
	assert_true(settings_parse(&run.settings, &run.command, argc - 1, argv + 1));
	assert_true(fleet_name_restart(&run, argc - 1, argv + 1));
	settings_free(&run.settings);
	/* The second side of `diff` is below the first. */
	assert_int_equal(strncmp(run.kept_after, run.kept, strlen(run.kept)), 0);
	assert_string_equal(run.kept_after + strlen(run.kept), "/after");
	assert_ptr_equal(run.options.restart, run.kept);
	assert_ptr_equal(run.options.restart_after, run.kept_after);
	free(run.kept_after);
	return run.kept;
}

static bool share_directory(const char *one, const char *other)
{
	char *first = kept_of(one), *second = kept_of(other);
	const bool equal = !strcmp(first, second);

	free(first);
	free(second);
	return equal;
}

/* FNV-1a of 64 bits over "report" and a byte 0xff, computed by hand of its definition. */
#define OF_REPORT "kept/11aba98ba317ea9c"

TEST(the_number_of_a_command_stays)
{
	char *kept = kept_of("report a.out");

	assert_string_equal(kept, OF_REPORT);
	free(kept);
}

TEST(runs_that_share_a_directory)
{
	static const char *const lines[] = {
		"report b.out c.out",
		"report --top 5 a.out",
		"report --top=5 a.out",
		"report -o x a.out",
		"report --output=x a.out",
		"report --memory 100 --scratch /tmp --jobs 2 a.out",
		"report --progress never --color never a.out",
		"report --sort self --threshold 1 a.out",
		"report --glob *.out",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!share_directory("report a.out", lines[i]))
			fail_msg("%s", lines[i]);
}

TEST(runs_that_must_not)
{
	static const char *const lines[] = {
		"tree a.out",
		"report --threads a.out",
		"report --binary p a.out",
		"report --binary=p a.out",
		"report --binary q a.out",
		"report --binary p --top 5 --exact a.out",
		/* An option behind one that does not count is not its value. */
		"report --top=5 --exact a.out",
		"report --time 1..2 a.out",
		"report --time 1..3 a.out",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		for (size_t j = 0; j <= i; j++)
			if (share_directory(i == j ? "report a.out" : lines[j], lines[i]))
				fail_msg("%s and %s", lines[j], lines[i]);
}

TEST(without_the_option_nothing_is_kept)
{
	struct fleet_command run = { .command = { .name = "report" } };

	assert_true(fleet_name_restart(&run, 0, NULL));
	assert_null(run.kept);
	assert_null(run.options.restart);
	assert_true(fleet_make_restart(&run));
}

TEST(directories_are_made)
{
	struct temp temp;
	char restart[512], kept[600], after[700];
	struct fleet_command run = { .restart = restart, .kept = kept };
	struct capture said;
	char *text;

	temp_open(&temp);
	snprintf(restart, sizeof(restart), "%s/r", temp.directory);
	snprintf(kept, sizeof(kept), "%s/k", restart);
	snprintf(after, sizeof(after), "%s/after", kept);
	run.options.restart_after = after;
	assert_true(fleet_make_restart(&run));
	assert_int_equal(access(kept, F_OK), 0);
	/* Only `diff` has a second side. */
	assert_int_not_equal(access(after, F_OK), 0);
	run.settings.diff.runs = true;
	/* What is there is no error. */
	assert_true(fleet_make_restart(&run));
	assert_int_equal(access(after, F_OK), 0);

	snprintf(restart, sizeof(restart), "%s/none/r", temp.directory);
	said = capture_begin(stderr);
	assert_false(fleet_make_restart(&run));
	text = capture_end(&said);
	assert_non_null(strstr(text, "/none/r: cannot be made: No such file or directory"));
	free(text);
	temp_close(&temp);
}

TEST(directories_without_memory)
{
	char name[] = "a.out", *argv[] = { name };

	for (uint64_t number = 1; number <= 3; number++) {
		struct fleet_command run = { .command = { .name = "report" }, .restart = "r" };
		bool named;

		wrap_arm(number, false);
		named = fleet_name_restart(&run, 1, argv);
		assert_int_equal(wrap_disarm(), number == 1 ? 1 : 2);
		assert_int_equal(named, number == 3);
		assert_int_equal(run.options.restart != NULL, number > 1);
		assert_int_equal(run.options.restart_after != NULL, number > 2);
		free(run.kept);
		free(run.kept_after);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_options_are_taken_out),
		cmocka_unit_test(values_that_are_none),
		cmocka_unit_test(the_number_of_a_command_stays),
		cmocka_unit_test(runs_that_share_a_directory),
		cmocka_unit_test(runs_that_must_not),
		cmocka_unit_test(without_the_option_nothing_is_kept),
		cmocka_unit_test(directories_are_made),
		cmocka_unit_test(directories_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
