/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that ask a file in SQL, write it in another form, cut it or show it: which arguments are
 * statements, which formats go with which, and what is said of what cannot be.
 */
#include "run_line.h"

#include <fcntl.h>
#include <sys/stat.h>

static const char callgrind[] = "events: Ir Dr\n"
				"fl=main.c\n"
				"fn=main\n"
				"1 10 2\n"
				"cfn=work\n"
				"calls=3 5\n"
				"2 60 6\n"
				"fn=work\n"
				"5 60 6\n";

static int set_up(void **state)
{
	temp_setup(state);
	run_file("a.folded", "main;work 3\nmain 2\n");
	run_file("b.folded", "main;work 6\nmain;rest 1\n");
	run_file("a.out", callgrind);
	run_file("junk", "junk\n");
	run_file("large.folded", "main;a 9223372036854775807\nmain;b 9223372036854775807\n");
	assert_int_equal(mkdir(temp_path(&temp, "queries"), 0700), 0);
	run_file("queries/names.sql", "-- the names\nSELECT name FROM functions ORDER BY name");
	setenv("TRACELATHE_QUERIES", temp_path(&temp, "queries"), 1);
	return 0;
}

/* The case with standard input from a file of the folder. */
static void assert_run_with(const struct run_case *c, const char *input, size_t size)
{
	int kept = dup(STDIN_FILENO), file;

	file = open(temp_write(&temp, "input", input, size), O_RDONLY);
	assert_true(file >= 0 && dup2(file, STDIN_FILENO) >= 0);
	assert_run(c);
	dup2(kept, STDIN_FILENO);
	close(kept);
	close(file);
}

/* ---- query ---- */

#define NAMES "name\nmain\nwork\n"

/* "Without a statement, or with -, statements are read from standard input." */
TEST(statements_and_files)
{
	static const struct run_case cases[] = {
		{ "query --csv ^a.out SELECT\tname,self\tFROM\tfunctions\tORDER\tBY\tname", 0,
		  "name,self\nmain,10\nwork,60\n", "" },
		{ "query --json ^a.out SELECT\tname\tFROM\tfunctions\tORDER\tBY\tname", 0,
		  "[{\"name\":\"main\"},\n{\"name\":\"work\"}]\n", "" },
		{ "query ^a.out SELECT\tname,self\tFROM\tfunctions\tORDER\tBY\tself", 0,
		  "name │ self\n─────┼─────\nmain │   10\nwork │   60\n", "" },
		/* several files are the schemas a, b, ... */
		{ "query --csv ^a.folded ^b.folded "
		  "SELECT\ta.functions.name,b.functions.self-a.functions.self\tAS\tgrew\tFROM\t"
		  "a.functions\tJOIN\tb.functions\tUSING\t(name)\tORDER\tBY\tgrew",
		  0, "name,grew\nmain,-2\nwork,3\n", "" },
		/* a semicolon makes a statement of it; no file is needed for one */
		{ "query --csv SELECT\t1+1\tAS\ttwo", 0, "two\n2\n", "" },
		{ "query --csv ^a.out SELECT(7)AS\tn;", 0, "n\n7\n", "" },
		/* a ready query stands before the files, or behind them */
		{ "query --csv names ^a.out", 0, NAMES, "" },
		{ "query --csv ^a.out names", 0, NAMES, "" },
		{ "query ^a.out nothing", 2, "",
		  "tracelathe: nothing: cannot open: No such file or directory\n" },
		{ "query ^junk SELECT\t1", 2, "",
		  "tracelathe: ^junk: offset 0x0: not a trace of any format that this build "
		  "reads\n" },
		{ "query ^a.out ^nowhere SELECT\t1", 2, "",
		  "tracelathe: ^nowhere: cannot open: No such file or directory\n" },
		{ "query ^a.out SELEC\t1", 2, NULL, "tracelathe: near \"SELEC\": syntax error\n" },
		{ "query ^a.out SELECT\tnope\tFROM\tfunctions", 2, NULL,
		  "tracelathe: no such column: nope\n" },
	};

	ASSERT_RUNS(cases);
}

/* A file is a file, though its name could be a statement or that of a ready query. */
TEST(files_of_such_names)
{
	static const struct run_case cases[] = {
		{ "query --csv ^a.file;b SELECT\tcount(*)\tAS\tn\tFROM\tfunctions", 0, "n\n2\n",
		  "" },
	};

	run_file("a.file;b", callgrind);
	ASSERT_RUNS(cases);
}

TEST(statements_on_standard_input)
{
	static const struct run_case behind = { "query --csv ^a.out -", 0, "n\n2\ntwo\n2\n", "" },
				     without = { "query --csv ^a.out", 0, "n\n2\ntwo\n2\n", "" },
				     empty = { "query --csv ^a.out -", 0, "", "" },
				     with_nul = { "query --csv ^a.out -", 2, "",
						  "tracelathe query: the statements have a NUL "
						  "byte\n" };
	static const char two[] = "SELECT count(*) AS n FROM functions;\nSELECT 1+1 AS two;\n";
	char *text = malloc(200000);

	assert_non_null(text);
	assert_run_with(&behind, two, sizeof(two) - 1);
	assert_run_with(&without, two, sizeof(two) - 1);
	assert_run_with(&empty, "", 0);
	assert_run_with(&with_nul, "SELECT 1\0;", 10);
	/* more than is read at once */
	memset(text, ' ', 200000);
	memcpy(text, two, sizeof(two) - 1);
	memcpy(text + 150000, "SELECT 3 AS three", 17);
	assert_run_with(&(const struct run_case){ "query --csv ^a.out -", 0,
						  "n\n2\ntwo\n2\nthree\n3\n", "" },
			text, 200000);
	free(text);
}

TEST(what_an_answer_stands_on)
{
	static const struct run_case cases[] = {
		{ "query --csv ^large.folded SELECT\tcount(*)\tAS\tn\tFROM\tfunctions", 1, "n\n3\n",
		  "tracelathe: ^large.folded: 2 sums did not fit 64 bits and ended at the largest "
		  "number\n" },
		/* a file that was not looked at has said nothing */
		{ "query --csv ^large.folded SELECT\t1\tAS\tn", 0, "n\n1\n", "" },
		/* five lines of 7 bytes stand before the one that is none */
		{ "query --csv ^a.out ^damaged SELECT\tcount(*)\tAS\tn\tFROM\tb.functions", 1,
		  "n\n1\n",
		  "tracelathe: ^damaged: offset 0x23, line 6: a line does not end with a count; "
		  "left it out\n" },
	};

	run_file("damaged",
		 "main 1\nmain 2\nmain 3\nmain 4\nmain 5\nbad\nmain 6\nmain 7\nmain 8\n");
	ASSERT_RUNS(cases);
}

TEST(the_list_of_ready_queries)
{
	run_file("queries/plain.sql", "SELECT 1 -- one\n");
	run_file("queries/tight.sql", "--two\nSELECT 2");

	struct capture out = capture_begin(stdout);
	int status = run_line("query --list");
	char *text = capture_end(&out), *line = strstr(text, "names");

	assert_int_equal(status, 0);
	assert_non_null(line);
	assert_true(line == text || line[-1] == '\n');
	assert_non_null(strstr(line, "the names\n"));
	/* what says nothing of itself in its first line, as SQL has comments */
	assert_non_null(strstr(text, "\nplain         \n"));
	assert_non_null(strstr(text, "\ntight         \n"));
	free(text);
}

/* ---- convert ---- */

#define LEVELS                                                                                     \
	": --instructions, --snapshots and --level choose what a profile counts, and this is "     \
	"none\n"

TEST(forms_to_convert_to)
{
	static const struct run_case cases[] = {
		/*
		 * a file of its own format is written anew, another one's profile with its command
		 */
		{ "convert ^a.folded --to callgrind", 0,
		  "# callgrind format\nversion: 1\ncreator: tracelathe " TL_VERSION "\n"
		  "cmd: ^a.folded\npositions: line\nevents: samples\nsummary: 5\n\n"
		  "fl=(1) ???\nfn=(1) main\n0 2\n\nfl=(1)\nfn=(2) work\n0 3\n\ntotals: 5\n",
		  "" },
		{ "convert --to folded --event Dr ^a.out", 1, "main 2\nmain;work 6\n", NULL },
		{ "convert --to folded --function work ^b.folded", 0, "main;work 6\n", "" },
		{ "convert --to lcov ^a.out", 1,
		  "TN:\nSF:main.c\nFN:1,main\nFN:5,work\nFNDA:1,main\nFNDA:3,work\nFNF:2\nFNH:2\n"
		  "DA:1,10\nDA:5,60\nLF:2\nLH:2\nend_of_record\n",
		  "tracelathe convert: ^a.out: counts of lines are their costs (Ir, else the first "
		  "event), as how often they ran is not known\n" },
		{ "convert --to edges ^a.out", 2, "",
		  "tracelathe: ^a.out: how often code ran is known for traces of a processor "
		  "alone\n" },
		{ "convert --to tarmac ^a.out", 2, "",
		  "tracelathe: ^a.out: records of this format are not written in that one\n" },
		{ "convert --to xray ^a.out", 2, "",
		  "tracelathe: ^a.out: the input cannot be written in that format\n" },
		{ "convert --level 1 --to tarmac ^a.out", 2, "",
		  "tracelathe convert: --to tarmac" LEVELS },
		{ "convert --instructions 3.. --to xtrace ^a.out", 2, "",
		  "tracelathe convert: --to xtrace" LEVELS },
		{ "convert --snapshots ..2 --to jsonl ^a.out", 2, "",
		  "tracelathe convert: --to jsonl" LEVELS },
		{ "convert --level 1 --to json ^a.out", 2, NULL,
		  "tracelathe: ^a.out: this format has no numbers of instructions, snapshots, "
		  "exception levels and tasks to choose by\n" },
	};

	ASSERT_RUNS(cases);
}

TEST(a_database)
{
	static const struct run_case cases[] = {
		{ "convert --to sqlite -o ^o.db ^a.out", 0, "", "" },
		{ "convert --to sqlite -o ^none.db ^junk", 2, "",
		  "tracelathe: ^junk: offset 0x0: not a trace of any format that this build "
		  "reads\n" },
		{ "convert --to sqlite --tables functions,nothing -o ^none.db ^a.out", 2, "",
		  NULL },
	};
	char *bytes;
	size_t size;

	ASSERT_RUNS(cases);
	bytes = temp_read(temp_path(&temp, "o.db"), &size);
	/* "The header string: SQLite format 3\000" */
	assert_true(size > 100 && !memcmp(bytes, "SQLite format 3", 16));
	free(bytes);
	assert_int_equal(access(temp_path(&temp, "none.db"), F_OK), -1);
}

/* ---- what is shown ---- */

TEST(pages_and_pictures)
{
	static const struct run_case cases[] = {
		{ "view --static -o ^page.html -", 2, "",
		  "tracelathe view: standard input can be read only once; a file is needed\n" },
		{ "view --static -o ^page.html ^a.folded -", 2, "",
		  "tracelathe view: standard input can be read only once; a file is needed\n" },
		{ "view --static -o ^page.html ^junk", 2, "",
		  "tracelathe: ^junk: offset 0x0: not a trace of any format that this build "
		  "reads\n" },
		{ "view --static -o ^page.html ^a.folded ^nowhere", 2, "",
		  "tracelathe: ^nowhere: cannot open: No such file or directory\n" },
		{ "view --index ^i --no-index --static -o ^page.html ^a.folded", 2, "",
		  "tracelathe view: --index and --no-index contradict each other\n" },
		{ "view --index ^i --static -o ^page.html ^a.folded ^b.folded", 2, "",
		  "tracelathe view: --index names the index of one input, not of two that are "
		  "compared\n" },
		{ "browse --index ^i --no-index ^a.folded", 2, "",
		  "tracelathe browse: --index and --no-index contradict each other\n" },
	};
	static const struct run_case written[] = {
		{ "view --static -o ^page.html ^a.folded", 0, "", "" },
		{ "view --static -o ^page.html ^a.folded ^b.folded", 0, "", "" },
		{ "view --index ^i --static -o ^page.html ^a.folded", 0, "", NULL },
		{ "view --static -o ^page.html ^large.folded", 1, "",
		  "tracelathe: ^large.folded: 2 sums did not fit 64 bits and ended at the largest "
		  "number\n" },
		{ "view --static -o ^page.html --function zzz ^a.folded", 1, "",
		  "tracelathe: ^a.folded: nothing matches --function zzz\n" },
	};

	ASSERT_RUNS(cases);
	assert_int_equal(access(temp_path(&temp, "page.html"), F_OK), -1);
	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++) {
		struct stat page;

		assert_run(&written[i]);
		assert_int_equal(stat(temp_path(&temp, "page.html"), &page), 0);
		assert_true(page.st_size > 1000);
		unlink(temp_path(&temp, "page.html"));
	}
}

TEST(flame_graphs_as_pictures)
{
	static const struct {
		const char *line;
		int status;
		const char *texts[3];
	} cases[] = {
		{ "flame --svg ^a.folded",
		  0,
		  { "<title>main\ntotal 5 samples, 100.00 %\nself 2 samples, 40.00 %</title>",
		    "<title>work\ntotal 3 samples, 60.00 %\nself 3 samples, 60.00 %</title>",
		    "</svg>" } },
		{ "flame --svg --event Dr ^a.out",
		  1,
		  { "<title>main\ntotal 8", "<title>work\ntotal 6", "</svg>" } },
		{ "flame --svg --function work ^b.folded",
		  0,
		  { "<title>main\ntotal 6", "<title>work\ntotal 6", "</svg>" } },
		/* colored by the change: work 3 became 6, of 5 and 7 in all */
		{ "diff --flame --svg ^a.folded ^b.folded",
		  0,
		  { "<title>main\ntotal 7", "<title>work\ntotal 6", "</svg>" } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct capture out = capture_begin(stdout), err = capture_begin(stderr);
		int status = run_line(cases[i].line);
		char *said = capture_end(&err), *text = capture_end(&out);

		assert_int_equal(status, cases[i].status);
		for (size_t n = 0; n < 3; n++)
			if (!strstr(text, cases[i].texts[n]))
				fail_msg("%s: no %s in %s", cases[i].line, cases[i].texts[n], text);
		free(said);
		free(text);
	}
}

/* ---- simulation points of a small stream: 646 instructions, a snapshot each 200 ---- */

#define SMALL "+xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin"
#define SLICES "slice --simpoints ^points --weights ^weights --csv -o ^slices "
#define POINTS "cluster,interval,weight,thread,first,instructions,before,snapshot,file\n"
#define EARLY(count)                                                                               \
	"tracelathe slice: " count " slices begin earlier than was asked for, at the snapshot "    \
	"before it: the column `before` says how many instructions before the interval\n"

TEST(slices_of_simulation_points)
{
	static const struct {
		const char *points, *weights;
		struct run_case run;
	} cases[] = {
		{ "1 0\n2 1\n",
		  "0.25 0\n0.75 1\n",
		  { SLICES "--interval 200 " SMALL, 0,
		    POINTS "0,1,0.25,0,200,200,0,1,simpoint.0.xinsndata.bin\n"
			   "1,2,0.75,0,400,200,0,2,simpoint.1.xinsndata.bin\n",
		    "" } },
		/* the last interval is what is left: 46 */
		{ "3 8\n",
		  "1 8\n",
		  { SLICES "--interval 200 " SMALL, 0,
		    POINTS "8,3,1,0,600,46,0,3,simpoint.8.xinsndata.bin\n", "" } },
		{ "3 8\n",
		  "1 8\n",
		  { SLICES "--interval 200 --warmup 50 " SMALL, 0,
		    POINTS "8,3,1,0,600,46,200,2,simpoint.8.xinsndata.bin\n", EARLY("1 of 1") } },
		{ "3 8\n",
		  "1 8\n",
		  { SLICES "--interval 200 --warmup 200 " SMALL, 0,
		    POINTS "8,3,1,0,600,46,200,2,simpoint.8.xinsndata.bin\n", "" } },
		{ "2 0\n4 1\n",
		  "0.5 0\n0.5 1\n",
		  { SLICES "--interval 100 " SMALL, 0,
		    POINTS "0,2,0.5,0,200,100,0,1,simpoint.0.xinsndata.bin\n"
			   "1,4,0.5,0,400,100,0,2,simpoint.1.xinsndata.bin\n",
		    "" } },
		{ "2 0\n3 1\n",
		  "0.5 0\n0.25 1\n",
		  { SLICES "--interval 100 " SMALL, 1,
		    POINTS "0,2,0.5,0,200,100,0,1,simpoint.0.xinsndata.bin\n"
			   "1,3,0.25,0,300,100,100,1,simpoint.1.xinsndata.bin\n",
		    "tracelathe slice: ^weights: the weights sum to 0.75 instead of 1\n" EARLY(
			    "1 of 2") } },
		/* weights have six digits */
		{ "2 0\n3 1\n",
		  "0.33333 0\n0.66661 1\n",
		  { SLICES "--interval 200 " SMALL, 0, NULL, "" } },
		{ "2 0\n3 1\n",
		  "0.33333 0\n0.6665 1\n",
		  { SLICES "--interval 200 " SMALL, 1, NULL,
		    "tracelathe slice: ^weights: the weights sum to 0.99983 instead of 1\n" } },
		{ "7 0\n",
		  "1 0\n",
		  { SLICES "--interval 200 " SMALL, 2, "",
		    "tracelathe: ^points: offset 0x0, record 0: the trace has no interval of this "
		    "number: is it the trace, the thread and the --interval of the vectors?\n" } },
		{ "1 0\n",
		  "1 0\n",
		  { "slice --simpoints ^points --weights ^weights --interval 200 -o ^junk " SMALL,
		    2, "",
		    "tracelathe: ^junk/simpoint.0.xinsndata.bin: cannot open for writing: Not a "
		    "directory\n" } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		run_file("points", cases[i].points);
		run_file("weights", cases[i].weights);
		assert_run(&cases[i].run);
	}
	/* the files that the tables name, and those beside them */
	assert_int_equal(access(temp_path(&temp, "slices/simpoint.8.xinsndata.bin"), R_OK), 0);
	assert_int_equal(access(temp_path(&temp, "slices/simpoint.8.xsnapshot.bin"), R_OK), 0);
}

TEST(what_goes_not_with_simulation_points)
{
	static const struct run_case cases[] = {
		{ "slice --simpoints ^p ^a.out", 2, "",
		  "tracelathe slice: --simpoints needs --weights, too\n" },
		{ "slice --simpoints ^p --weights ^w --snapshots 1..2 ^a.out", 2, "",
		  "tracelathe slice: --snapshots chooses another part than --simpoints\n" },
		{ "slice --simpoints ^p --weights ^w --snapshots ..2 ^a.out", 2, "",
		  "tracelathe slice: --snapshots chooses another part than --simpoints\n" },
		{ "slice --simpoints ^p --weights ^w --instructions 1.. ^a.out", 2, "",
		  "tracelathe slice: --instructions chooses another part than --simpoints\n" },
		{ "slice --simpoints ^p --weights ^w --instructions ..9 ^a.out", 2, "",
		  "tracelathe slice: --instructions chooses another part than --simpoints\n" },
		{ "slice --simpoints ^p --weights ^w --trigger x ^a.out", 2, "",
		  "tracelathe slice: --trigger chooses another part than --simpoints\n" },
		{ "slice --simpoints ^p --weights ^w --snapshot-output ^x ^a.out", 2, "",
		  "tracelathe slice: --snapshot-output chooses another part than --simpoints\n" },
		{ "slice --simpoints ^p --weights ^w ^a.out", 2, "",
		  "tracelathe slice: -o DIR says where the slices go\n" },
		{ "slice --simpoints ^p --weights ^w -o ^dir ^a.out", 2, "",
		  "tracelathe: ^a.out: this format has no basic-block vectors that SimPoint could "
		  "have chosen from\n" },
		{ "slice --simpoints ^p --weights ^w -o ^dir " SMALL, 2, "",
		  "tracelathe: ^p: cannot open: No such file or directory\n" },
	};

	ASSERT_RUNS(cases);
	/* nothing was made for them */
	assert_int_equal(access(temp_path(&temp, "dir"), F_OK), -1);
}

/* ---- runs on both sides ---- */

/* work: 3, 3, 3, 3 before and 6, 6, 6, 6 after, which is no chance; rest is new. */
TEST(runs_that_differ)
{
	static const struct run_case cases[] = {
		{ "diff --runs --csv --fail-above 10% ^a.folded ^a1 ^a2 ^a3 -- ^b.folded ^b1 ^b2 "
		  "^b3",
		  3, NULL, NULL },
		{ "diff --runs --csv --fail-above 200% ^a.folded ^a1 ^a2 ^a3 -- ^b.folded ^b1 ^b2 "
		  "^b3",
		  3, NULL, NULL },
		/* what grew on the other side shrinks: work by half, and rest is gone */
		{ "diff --runs --csv --fail-above 10000% ^b.folded ^b1 ^b2 ^b3 -- ^b.folded ^b1 "
		  "^b2 "
		  "^b3",
		  0, NULL, "" },
		{ "diff --runs ^a.folded ^junk -- ^b.folded", 2, NULL,
		  "tracelathe: ^junk: offset 0x0: not a trace of any format that this build "
		  "reads\n" },
		{ "diff --runs --event X ^a.folded ^a1 -- ^b.folded ^b1", 2, NULL, NULL },
	};

	for (int i = 1; i <= 3; i++) {
		char name[8];

		sprintf(name, "a%d", i);
		run_file(name, "main;work 3\nmain 2\n");
		sprintf(name, "b%d", i);
		run_file(name, "main;work 6\nmain;rest 1\n");
	}
	ASSERT_RUNS(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statements_and_files),
		cmocka_unit_test(files_of_such_names),
		cmocka_unit_test(statements_on_standard_input),
		cmocka_unit_test(what_an_answer_stands_on),
		cmocka_unit_test(the_list_of_ready_queries),
		cmocka_unit_test(forms_to_convert_to),
		cmocka_unit_test(a_database),
		cmocka_unit_test(pages_and_pictures),
		cmocka_unit_test(flame_graphs_as_pictures),
		cmocka_unit_test(slices_of_simulation_points),
		cmocka_unit_test(what_goes_not_with_simulation_points),
		cmocka_unit_test(runs_that_differ),
	};

	return cmocka_run_group_tests(tests, set_up, temp_teardown);
}
