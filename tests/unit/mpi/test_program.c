/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracelathe-mpi as a whole, from its command line to its output, on ranks that are processes of
 * the test (ranks.c). What it writes is what the command writes of the same files, whatever the
 * number of ranks, and where a rank dies; of files whose counts are drawn it is their sum.
 */
#include "unit/mpi/ranks.h"

#include "../cli/run_line.h"

#include "../chance.h"

int fleet_main(int argc, char **argv);

#define main fleet_main
#include "../../../src/mpi/main.c"
#undef main

/* ---- a run ---- */

/* In the manner of run_line(). */
static struct ranks run_on(int count, const char *line, int dies, int dies_at)
{
	struct ranks ranks = { .count = count, .dies = dies, .dies_at = dies_at };
	char *argv[MOST_ARGUMENTS + 3] = { (char *)(uintptr_t)"tracelathe-mpi" }, room[RUN_ROOM];
	int argc;

	run_expand(line, room);
	argc = 1 + split(room, argv + 1);
	for (int i = 1; i < argc; i++)
		for (char *c = argv[i]; (c = strchr(c, '\t'));)
			*c = ' ';
#ifdef __SANITIZE_ADDRESS__
	/* Leaks are looked for at the end of a process, in /proc. */
	if (argc > 2) {
		memmove(argv + 3, argv + 2, (size_t)(argc - 2) * sizeof(*argv));
		argv[2] = (char *)(uintptr_t)"--no-sandbox";
		argc++;
	}
#endif
	argv[argc] = NULL;
	ranks_run(&ranks, fleet_main, argc, argv);
	run_contract(ranks.out);
	run_contract(ranks.err);
	return ranks;
}

static void end_run(struct ranks *ranks)
{
	free(ranks->out);
	free(ranks->err);
}

struct answer {
	int status;
	char *out, *err;
};

/* The command itself, of the same files. */
static struct answer ask_command(const char *line)
{
	struct capture out = capture_begin(stdout), err = capture_begin(stderr);
	struct answer answer = { .status = run_line(line) };

	answer.err = capture_end(&err);
	answer.out = capture_end(&out);
	run_contract(answer.out);
	run_contract(answer.err);
	return answer;
}

/* How many files are told to be missing: "2 of 9 files could not be read". */
static int missing_in(const char *said)
{
	const char *found = strstr(said, " files could not be read");

	if (!found)
		return 0;
	while (found > said && found[-1] != '\n' && found[-1] != ':')
		found--;
	return atoi(found);
}

static void expect_same(int count, const char *line, int dies, int dies_at)
{
	struct answer wanted = ask_command(line);
	struct ranks got = run_on(count, line, dies, dies_at);

	if (got.status != wanted.status || strcmp(got.out, wanted.out) != 0 ||
	    missing_in(got.err) != missing_in(wanted.err))
		fail_msg("%d ranks, %s: status %d instead of %d, which write\n%sand say\n%s"
			 "instead of\n%sand\n%s",
			 count, line, got.status, wanted.status, got.out, got.err, wanted.out,
			 wanted.err);
	end_run(&got);
	free(wanted.out);
	free(wanted.err);
}

/* ---- files ---- */

enum { FILES = 14, FUNCTIONS = 7, STACKS = FUNCTIONS * FUNCTIONS };

/* Of each stack of two functions, over all files. */
static uint64_t sums[STACKS];

/* Folded stacks with counts that are drawn; a stack may come twice in a file. */
static void write_files(void)
{
	uint32_t seed = 11;
	char list[2048];

	memset(sums, 0, sizeof(sums));
	for (unsigned file = 0; file < FILES; file++) {
		char text[4096], name[32];
		int used = 0;

		for (unsigned n = 5 + chance(&seed, 30); n; n--) {
			const unsigned stack = chance(&seed, STACKS), count = chance(&seed, 9999);

			used += snprintf(text + used, sizeof(text) - (size_t)used, "f%u;f%u %u\n",
					 stack / FUNCTIONS, stack % FUNCTIONS, count);
			sums[stack] += count;
		}
		snprintf(name, sizeof(name), "run%02u.folded", file);
		run_file(name, text);
	}
	temp_write(&temp, "none", "\1\0\377\0no trace\0\376\n", 16);
	snprintf(list, sizeof(list), "%s/run00.folded\n%s/none\n%s/run01.folded\n", temp.directory,
		 temp.directory, temp.directory);
	run_file("some.list", list);
	run_file("empty", "");
	run_file("cut.folded", "f1;f2 12\nf1;f3\nf2;f1 4\n");
}

/* The arguments for all of them. */
#define ALL                                                                                        \
	"^run00.folded ^run01.folded ^run02.folded ^run03.folded ^run04.folded ^run05.folded "     \
	"^run06.folded ^run07.folded ^run08.folded ^run09.folded ^run10.folded "                   \
	"^run11.folded ^run12.folded ^run13.folded"
#define SOME "^run00.folded ^run01.folded ^run02.folded"

/* Each line is a stack with its sum, and each stack that was seen has a line. */
static void expect_sums(const char *text)
{
	uint64_t told[STACKS] = { 0 };

	while (*text) {
		unsigned long long count;
		unsigned outer, inner;
		int used = 0;

		assert_int_equal(sscanf(text, "f%u;f%u %llu\n%n", &outer, &inner, &count, &used),
				 3);
		told[outer * FUNCTIONS + inner] += count;
		text += used;
	}
	for (unsigned stack = 0; stack < STACKS; stack++)
		assert_int_equal(told[stack], sums[stack]);
}

TEST(sums_of_drawn_files)
{
	for (int count = 1; count <= 4; count++) {
		struct ranks ranks = run_on(count, "stacks " ALL, 0, 0);

		assert_int_equal(ranks.status, 0);
		assert_string_equal(ranks.err, "");
		expect_sums(ranks.out);
		end_run(&ranks);
	}
}

/* ---- as the command ---- */

TEST(answers_of_the_command)
{
	static const struct {
		int ranks;
		const char *line;
	} cases[] = {
		{ 2, "report --csv --all " ALL },
		{ 3, "report --json --top 4 " ALL },
		{ 2, "tree --json " ALL },
		{ 2, "flame --svg " SOME },
		{ 3, "convert --to json --function f1 " ALL },
		{ 2, "convert --to callgrind " SOME },
		{ 2, "merge --to tracelathe " ALL },
		{ 3, "merge --to folded " ALL " ^none ^missing ^empty ^cut.folded" },
		{ 2, "report --csv @^some.list" },
		{ 2, "report --csv --by trace " SOME },
		/* What there is of one file is the command's own affair. */
		{ 2, "report --csv ^run00.folded" },
		{ 2, "report --csv ^none" },
		{ 2, "merge --to folded ^run00.folded" },
		{ 3, "merge --to folded ^none ^empty ^missing" },
		/* logs of a program that forked; one of many threads, cut into shares */
		{ 3, "report --csv --all +xray/forky-0.xray +xray/forky-1.xray "
		     "+xray/forky-2.xray +xray/forky-3.xray +xray/fib-fdr.xray" },
		{ 3, "stacks +xray/mt8-fdr.xray +xray/fib-fdr.xray" },
		{ 4, "report --csv --all --threads +xray/mt8-fdr.xray +xray/fib-fdr.xray" },
		{ 2, "diff --csv --event Samples ^run00.folded ^run01.folded" },
		{ 3, "diff --csv --event Samples --runs ^run00.folded ^run01.folded ^run02.folded "
		     "-- ^run03.folded ^run04.folded ^run05.folded" },
		{ 2, "diff --csv --event Samples ^run00.folded ^none" },
		{ 2, "query --list" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_same(cases[i].ranks, cases[i].line, 0, 0);
}

/* ---- questions ---- */

TEST(questions_to_the_sum)
{
	struct ranks got = run_on(
		2, "query --csv " SOME " SELECT\tname,\tself\tFROM\tfunctions\tWHERE\tname='f1'", 0,
		0);
	uint64_t self = 0;
	char wanted[64];

	/* What the sum of the three files has of f1. */
	for (int file = 0; file < 3; file++) {
		char name[32], *text;
		const char *line;

		snprintf(name, sizeof(name), "run%02d.folded", file);
		text = run_read(name);
		for (line = text; line && *line; line = strchr(line, '\n') + 1) {
			unsigned outer, inner, count;

			assert_int_equal(sscanf(line, "f%u;f%u %u", &outer, &inner, &count), 3);
			self += inner == 1 ? count : 0;
		}
		free(text);
	}
	snprintf(wanted, sizeof(wanted), "name,self\nf1,%llu\n", (unsigned long long)self);
	assert_string_equal(got.out, wanted);
	assert_int_equal(got.status, 0);
	end_run(&got);

	got = run_on(2, "query --csv " SOME " SELECT\tnowhat\tFROM\tfunctions", 0, 0);
	assert_int_equal(got.status, EXIT_UNUSABLE);
	assert_string_equal(got.out, "");
	if (!strstr(got.err, "no such column: nowhat"))
		fail_msg("%s", got.err);
	end_run(&got);

	/* With files that are missing there is an answer; without any file there is none. */
	got = run_on(3, "query --csv " SOME " ^none SELECT\tcount(*)\tFROM\tfunctions", 0, 0);
	assert_int_equal(got.status, 1);
	assert_string_equal(got.out, "count(*)\n7\n");
	assert_int_equal(missing_in(got.err), 1);
	end_run(&got);
	got = run_on(2, "query --csv ^none ^empty SELECT\tcount(*)\tFROM\tfunctions", 0, 0);
	assert_int_equal(got.status, EXIT_UNUSABLE);
	assert_string_equal(got.out, "");
	end_run(&got);
}

/* ---- what was read is kept ---- */

TEST(restarts)
{
	const char *line = "report --csv --all " ALL " ^none";
	const char *kept = "report --restart ^kept --csv --all " ALL " ^none";
	struct answer wanted = ask_command(line);

	for (int turn = 0; turn < 2; turn++) {
		struct ranks got = run_on(2, kept, 0, 0);

		assert_int_equal(got.status, 1);
		assert_string_equal(got.out, wanted.out);
		assert_int_equal(missing_in(got.err), 1);
		end_run(&got);
	}
	free(wanted.out);
	free(wanted.err);
	/* One that has changed since is read again. */
	run_file("run03.folded", "f1;f2 1000000\n");
	wanted = ask_command(line);
	for (int ranks = 1; ranks < 4; ranks += 2) {
		struct ranks got = run_on(ranks, kept, 0, 0);

		assert_string_equal(got.out, wanted.out);
		end_run(&got);
	}
	free(wanted.out);
	free(wanted.err);
	write_files();
}

TEST(directories_that_cannot_be_made)
{
	struct ranks got = run_on(2, "report --restart ^none/kept " SOME, 0, 0);

	assert_int_equal(got.status, EXIT_UNUSABLE);
	assert_string_equal(got.out, "");
	assert_non_null(strstr(got.err, "cannot be made"));
	end_run(&got);
}

/* ---- what is refused, and what is only told ---- */

TEST(command_lines)
{
	static const struct {
		const char *line, *said;
	} cases[] = {
		{ "",
		  "mpirun -np N tracelathe-mpi report|tree|stacks|flame|diff|convert|merge|query" },
		{ "dump ^run00.folded", "mpirun -np N tracelathe-mpi report|" },
		{ "nothing ^run00.folded", "mpirun -np N tracelathe-mpi report|" },
		{ "report --restart", "--restart needs a directory" },
		{ "report --timeout soon " SOME, "--timeout soon: must be a number of seconds" },
		{ "report --silence -1 " SOME, "--silence -1: must be a number of seconds" },
		{ "report --debuginfod http://localhost:1 " SOME, "--debuginfod: " },
		{ "report --nothing " SOME, "--nothing" },
		{ "report @^nowhere", "nowhere" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ranks got = run_on(2, cases[i].line, 0, 0);

		if (got.status != EXIT_UNUSABLE || *got.out || !strstr(got.err, cases[i].said))
			fail_msg("%s: status %d, which writes\n%sand says\n%s", cases[i].line,
				 got.status, got.out, got.err);
		/* Once, and not by each rank. */
		assert_null(strstr(strstr(got.err, cases[i].said) + 1, cases[i].said));
		end_run(&got);
	}
}

TEST(what_is_only_told)
{
	struct ranks got = run_on(1, "--help", 0, 0);

	assert_int_equal(got.status, 0);
	assert_string_equal(got.err, "");
	assert_ptr_equal(strstr(got.out, "usage: mpirun -np N tracelathe-mpi COMMAND"), got.out);
	end_run(&got);
	got = run_on(2, "report --help", 0, 0);
	assert_int_equal(got.status, 0);
	assert_string_equal(got.err, "");
	assert_ptr_equal(strstr(got.out, "usage: tracelathe report [OPTIONS] FILE..."), got.out);
	end_run(&got);
	got = run_on(2, "--version", 0, 0);
	assert_int_equal(got.status, 0);
	assert_int_equal(strncmp(got.out, tl_version(), strlen(tl_version())), 0);
	assert_string_equal(got.out + strlen(tl_version()), "\n");
	end_run(&got);
}

/* ---- a rank that dies ---- */

/*
 * Where mpirun lets the others live, what it had is read again, whenever it dies; also before the
 * others know its process, so that they give it up when it has been silent for long.
 */
TEST(ranks_that_die)
{
	setenv("OMPI_MCA_orte_enable_recovery", "1", 1);
	for (int dies_at = 3; dies_at < 40; dies_at += 2 + dies_at) {
		struct ranks got = run_on(3, "stacks --silence 15 " ALL, 1 + dies_at % 2, dies_at);

		if (got.status)
			fail_msg("%d: status %d: %s", dies_at, got.status, got.err);
		expect_sums(got.out);
		end_run(&got);
	}
	/* That it did not end well is said by rank 0, as mpirun does not. */
	{
		struct ranks got = run_on(2, "report --csv ^none ^empty", 0, 0);

		assert_int_equal(got.status, EXIT_UNUSABLE);
		assert_non_null(
			strstr(got.err, "ended with status 2, which mpirun does not pass on"));
		end_run(&got);
	}
	unsetenv("OMPI_MCA_orte_enable_recovery");
}

/* That it did not end well is said by rank 0, as mpirun does not. */
TEST(statuses_that_are_not_passed_on)
{
	struct ranks got;

	setenv("OMPI_MCA_orte_enable_recovery", "1", 1);
	got = run_on(2, "report --csv ^none ^empty", 0, 0);
	unsetenv("OMPI_MCA_orte_enable_recovery");
	assert_int_equal(got.status, EXIT_UNUSABLE);
	assert_non_null(strstr(got.err, "ended with status 2, which mpirun does not pass on"));
	end_run(&got);
}

static int setup(void **state)
{
	temp_setup(state);
	write_files();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_drawn_files),
		cmocka_unit_test(answers_of_the_command),
		cmocka_unit_test(questions_to_the_sum),
		cmocka_unit_test(restarts),
		cmocka_unit_test(directories_that_cannot_be_made),
		cmocka_unit_test(command_lines),
		cmocka_unit_test(what_is_only_told),
		cmocka_unit_test(ranks_that_die),
		cmocka_unit_test(statuses_that_are_not_passed_on),
	};

	return cmocka_run_group_tests(tests, setup, temp_teardown);
}
