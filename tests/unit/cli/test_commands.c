/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole commands on small files whose sums are made by hand: what they print, what they say of what
 * they could not read, choose or compare, and their exit status.
 */
#include "run_line.h"

/* main spends 2 and calls work, which spends 3. */
static const char before_folded[] = "main;work 3\nmain 2\n";
/* work grew to 6, main spends nothing itself, rest is new. */
static const char after_folded[] = "main;work 6\nmain;rest 1\n";

/* Ir 70 = 10 + 60, Dr 8 = 2 + 6; three calls of work. */
static const char before_callgrind[] = "version: 1\n"
				       "creator: hand\n"
				       "cmd: prog\n"
				       "events: Ir Dr\n"
				       "fl=main.c\n"
				       "fn=main\n"
				       "1 10 2\n"
				       "cfn=work\n"
				       "calls=3 5\n"
				       "2 60 6\n"
				       "fn=work\n"
				       "5 60 6\n";
/* One event, no call. */
static const char after_callgrind[] = "events: Ir\n"
				      "fl=main.c\n"
				      "fn=main\n"
				      "1 20\n"
				      "fn=work\n"
				      "5 75\n";

/* main 0..100 us with two calls of work, 30 and 20 us long; another thread that idles 40 us. */
static const char chrome[] =
	"{\"traceEvents\":[\n"
	"{\"ph\":\"X\",\"name\":\"main\",\"ts\":0,\"dur\":100,\"pid\":1,\"tid\":1},\n"
	"{\"ph\":\"X\",\"name\":\"work\",\"ts\":10,\"dur\":30,\"pid\":1,\"tid\":1},\n"
	"{\"ph\":\"X\",\"name\":\"work\",\"ts\":50,\"dur\":20,\"pid\":1,\"tid\":1},\n"
	"{\"ph\":\"X\",\"name\":\"idle\",\"ts\":0,\"dur\":40,\"pid\":1,\"tid\":2},\n"
	"{\"ph\":\"i\",\"name\":\"tick\",\"ts\":12,\"pid\":1,\"tid\":1,\"s\":\"t\"}\n"
	"]}\n";

enum { GOOD_LINES = 40, GOOD_BYTES = GOOD_LINES * 12 };

/* Good lines enough that it is known for what it is, and so many bad ones behind them. */
static void write_damaged(const char *name, unsigned bad)
{
	char text[1024] = "";

	for (unsigned i = 0; i < GOOD_LINES; i++)
		strcat(text, "main;work 1\n");
	for (unsigned i = 0; i < bad; i++)
		sprintf(text + strlen(text), "bad%u\n", i);
	run_file(name, text);
}

static int set_up(void **state)
{
	temp_setup(state);
	run_file("a.folded", before_folded);
	run_file("b.folded", after_folded);
	run_file("a.out", before_callgrind);
	run_file("b.out", after_callgrind);
	run_file("t.json", chrome);
	run_file("junk", "junk\n");
	run_file("large.folded", "main;a 9223372036854775807\nmain;b 9223372036854775807\n");
	write_damaged("bad10", 10);
	write_damaged("bad12", 12);
	return 0;
}

#define FOLDED_COLUMNS "function,object,file,line,id,samples:self,samples:inclusive,calls\n"
#define CALLGRIND_COLUMNS                                                                          \
	"function,object,file,line,id,Ir:self,Ir:inclusive,Dr:self,Dr:inclusive,calls\n"
#define TIMED_COLUMNS                                                                              \
	"function,object,file,line,id,Ticks:self,Ticks:inclusive,calls,min,median,p90,p99,max,"    \
	"sum,unfinished,cut\n"

/* ---- tables, trees and stacks ---- */

TEST(a_table_of_functions)
{
	static const struct run_case cases[] = {
		{ "report ^a.folded", 0,
		  "folded, 1 part, 2 records\n\n"
		  "self        %  inclusive        %  function\n"
		  "   5  100.00%          5  100.00%  (total)\n"
		  "   3   60.00%          3   60.00%  work\n"
		  "   2   40.00%          5  100.00%  main\n",
		  "" },
		{ "report --csv ^a.folded", 0, FOLDED_COLUMNS "work,,,,,3,3,0\nmain,,,,,2,5,0\n",
		  "" },
		/* several files of a format that joins them are one input */
		{ "report --csv ^a.folded ^b.folded", 0,
		  FOLDED_COLUMNS "work,,,,,9,9,0\nmain,,,,,2,12,0\nrest,,,,,1,1,0\n", "" },
		{ "report --csv --top 1 ^b.folded", 0, FOLDED_COLUMNS "work,,,,,6,6,0\n", "" },
		{ "report --csv --sort inclusive ^b.folded", 0,
		  FOLDED_COLUMNS "main,,,,,0,7,0\nwork,,,,,6,6,0\nrest,,,,,1,1,0\n", "" },
		{ "report --csv ^a.out", 0,
		  CALLGRIND_COLUMNS "work,,main.c,,,60,60,6,6,3\nmain,,main.c,,,10,70,2,8,0\n",
		  "" },
		{ "report --csv ^t.json", 0,
		  TIMED_COLUMNS
		  "main,,,,,50000,100000,1,100000,100000,100000,100000,100000,100000,0,0\n"
		  "work,,,,,50000,50000,2,20000,30000,30000,30000,30000,50000,0,0\n"
		  "idle,,,,,40000,40000,1,40000,40000,40000,40000,40000,40000,0,0\n",
		  "" },
		{ "report --csv --thread 2 ^t.json", 0,
		  TIMED_COLUMNS "idle,,,,,40000,40000,1,40000,40000,40000,40000,40000,40000,0,0\n",
		  "" },
	};

	ASSERT_RUNS(cases);
}

TEST(stacks_and_trees)
{
	static const struct run_case cases[] = {
		{ "stacks ^b.folded", 0, "main;rest 1\nmain;work 6\n", "" },
		{ "stacks --function work ^b.folded", 0, "main;work 6\n", "" },
		{ "stacks --threads ^t.json", 0,
		  "thread 1;main 50000\nthread 1;main;work 50000\nthread 2;idle 40000\n", "" },
		/* estimated of callers and callees, which is told */
		{ "stacks ^a.out", 1, "main 10\nmain;work 60\n",
		  "tracelathe: ^a.out: the input has no call stacks; paths are estimated from "
		  "callers and callees\n" },
		{ "stacks --event Dr ^a.out", 1, "main 2\nmain;work 6\n", NULL },
		{ "tree --csv ^a.out", 0,
		  "caller,callee,calls,Ir:inclusive,Dr:inclusive\nmain,work,3,60,6\n", "" },
		{ "tree --top-down --csv ^a.out", 1,
		  "depth,parent,function,calls,Ir:self,Ir:inclusive,Dr:self,Dr:inclusive\n"
		  "0,,main,0,10,70,2,8\n"
		  "1,0,work,3,60,60,6,6\n",
		  NULL },
		{ "annotate --csv ^a.out", 0,
		  "file,line,kind,to,count,taken,Ir,Dr,source\n"
		  "main.c,1,self,,,,10,2,\n"
		  "main.c,2,call,work,3,,60,6,\n"
		  "main.c,5,self,,,,60,6,\n",
		  "" },
		{ "convert --to folded --max-depth 1 ^b.folded", 1,
		  "main;(deeper than 1 frames) 7\n",
		  "tracelathe convert: 2 call paths are deeper than 1 frames and were summed; "
		  "--max-depth N writes deeper ones\n" },
		{ "convert --to folded --max-depth 2 ^b.folded", 0, "main;rest 1\nmain;work 6\n",
		  "" },
	};

	ASSERT_RUNS(cases);
}

/* ---- events ---- */

TEST(events_that_are_asked_for)
{
	static const struct run_case cases[] = {
		{ "report --csv --event Dr ^a.out", 0,
		  "function,object,file,line,id,Dr:self,Dr:inclusive,calls\n"
		  "work,,main.c,,,6,6,3\nmain,,main.c,,,2,8,0\n",
		  "" },
		{ "report --csv --event Dr,Ir ^a.out", 0,
		  "function,object,file,line,id,Dr:self,Dr:inclusive,Ir:self,Ir:inclusive,calls\n"
		  "work,,main.c,,,6,6,60,60,3\nmain,,main.c,,,2,8,10,70,0\n",
		  "" },
		/* a formula is an event more: 2 * 6 + 60 and 2 * 2 + 10 */
		{ "report --csv --event S=2*Dr+Ir ^a.out", 0,
		  "function,object,file,line,id,S:self,S:inclusive,calls\n"
		  "work,,main.c,,,72,72,3\nmain,,main.c,,,14,86,0\n",
		  "" },
		{ "report --event X ^a.out", 2, "",
		  "tracelathe report: --event X: the input has Ir, Dr\n" },
		/* not by a part of its name, nor by more than it */
		{ "report --event I ^a.out", 2, "",
		  "tracelathe report: --event I: the input has Ir, Dr\n" },
		{ "report --event Ir,Drr ^a.out", 2, "",
		  "tracelathe report: --event Drr: the input has Ir, Dr\n" },
		{ "report --sort foo ^a.folded", 2, NULL,
		  "tracelathe report: --sort foo: there is no such column to sort by; the columns "
		  "are function, object, file, line, id, thread, interval, self, inclusive, calls, "
		  "min, median, p90, p99, max, sum, unfinished, cut\n" },
		{ "report --seconds --csv ^a.out", 0, NULL,
		  "hint: the input does not say how long a tick is; --seconds shows ticks\n" },
		{ "report --seconds --csv ^t.json", 0, NULL, "" },
	};

	ASSERT_RUNS(cases);
}

TEST(sums_that_do_not_fit)
{
	static const struct run_case cases[] = {
		/* main inclusive and the total */
		{ "report --csv ^large.folded", 1,
		  FOLDED_COLUMNS "a,,,,,9223372036854775807,9223372036854775807,0\n"
				 "b,,,,,9223372036854775807,9223372036854775807,0\n"
				 "main,,,,,0,9223372036854775807,0\n",
		  "tracelathe: ^large.folded: 2 sums did not fit 64 bits and ended at the largest "
		  "number\n" },
		{ "merge --to folded ^large.folded ^a.folded", 1, NULL, NULL },
	};

	ASSERT_RUNS(cases);
}

/* ---- what filters leave ---- */

#define NOTHING(file, options) "tracelathe: ^" file ": nothing matches " options "\n"

/* "Without a warning, an empty table would look like a statement about the program." */
TEST(filters_that_nothing_passes)
{
	static const struct run_case cases[] = {
		{ "report --csv --thread 9 ^t.json", 1, TIMED_COLUMNS,
		  NOTHING("t.json", "--thread 9") },
		{ "report --csv --pid 9 ^t.json", 1, TIMED_COLUMNS, NOTHING("t.json", "--pid 9") },
		{ "report --csv --thread 9 --pid 4 --time 1..2 ^t.json", 1, NULL,
		  NOTHING("t.json", "--thread 9 --pid 4 --time 1..2") },
		{ "report --csv --time 1.. ^t.json", 1, NULL, NOTHING("t.json", "--time 1..") },
		{ "report --csv --thread 9 --function work ^t.json", 1, NULL,
		  NOTHING("t.json", "--thread 9") },
		{ "report --csv --part 3 ^a.out", 1, CALLGRIND_COLUMNS,
		  NOTHING("a.out", "--part 3") },
		{ "report --csv --function zzz ^a.folded", 1, FOLDED_COLUMNS,
		  NOTHING("a.folded", "--function zzz") },
		{ "report --csv --object lib ^a.folded", 1, FOLDED_COLUMNS,
		  NOTHING("a.folded", "--object lib") },
		{ "report --csv --function work --object lib ^a.folded", 1, FOLDED_COLUMNS,
		  NOTHING("a.folded", "--function work --object lib") },
		{ "report --csv --focus nope ^a.folded", 1, FOLDED_COLUMNS,
		  NOTHING("a.folded", "--focus nope") },
		{ "report --csv --ignore main ^a.folded", 1, FOLDED_COLUMNS,
		  NOTHING("a.folded", "--ignore main") },
		{ "report --csv --focus work --ignore main ^a.folded", 1, FOLDED_COLUMNS,
		  NOTHING("a.folded", "--focus work --ignore main") },
		{ "stacks --function nope ^b.folded", 1, "",
		  NOTHING("b.folded", "--function nope") },
	};

	ASSERT_RUNS(cases);
}

TEST(filters_that_something_passes)
{
	static const struct run_case cases[] = {
		{ "report --csv --function wor. ^a.folded", 0, FOLDED_COLUMNS "work,,,,,3,3,0\n",
		  "" },
		{ "report --csv --part 1 --event Ir ^a.out", 0, NULL, "" },
		{ "report --csv --time 0..50us --thread 1 ^t.json", 0, NULL, "" },
		/* of the stacks with work: 3; main's own 2 is another stack */
		{ "report --csv --focus work ^a.folded", 0,
		  FOLDED_COLUMNS "work,,,,,3,3,0\nmain,,,,,0,3,0\n", "" },
		{ "report --csv --ignore work ^a.folded", 0, FOLDED_COLUMNS "main,,,,,2,2,0\n",
		  "" },
		{ "report --csv --focus main --function work ^a.folded", 0,
		  FOLDED_COLUMNS "work,,,,,3,3,0\n", "" },
		/* --idle: an event more, and what waits is none of the others */
		{ "report --csv --idle work ^a.folded", 0,
		  "function,object,file,line,id,samples:self,samples:inclusive,Idle:self,"
		  "Idle:inclusive,calls\n"
		  "main,,,,,2,2,0,3,0\nwork,,,,,0,0,3,3,0\n",
		  "" },
		{ "report --csv --idle nope ^a.folded", 1, NULL,
		  "tracelathe: ^a.folded: no time was spent in functions that match --idle nope: "
		  "all is work\n" },
	};

	ASSERT_RUNS(cases);
}

/* ---- files that cannot be read, or only in part ---- */

#define NO_TRACE(file)                                                                             \
	"tracelathe: ^" file ": offset 0x0: not a trace of any format that this build reads\n"
#define NO_FILE(file) "tracelathe: ^" file ": cannot open: No such file or directory\n"

TEST(files_that_cannot_be_read)
{
	static const struct run_case cases[] = {
		{ "report ^junk", 2, "", NO_TRACE("junk") },
		{ "report ^nowhere", 2, "", NO_FILE("nowhere") },
		{ "diff ^a.folded ^nowhere", 2, "", NO_FILE("nowhere") },
		{ "diff --flow ^a.folded ^nowhere", 2, "", NO_FILE("nowhere") },
		{ "stacks --progress never -o ^none ^junk", 2, "", NO_TRACE("junk") },
		/* of several, those that can be read are the result */
		{ "merge --to folded ^a.folded ^junk", 1, "main 2\nmain;work 3\n",
		  NO_TRACE("junk") "tracelathe: 1 of 2 files could not be read and are missing in "
				   "the result\n" },
		{ "merge --to folded ^nowhere ^a.folded ^junk", 1, "main 2\nmain;work 3\n",
		  NO_FILE("nowhere") NO_TRACE("junk") "tracelathe: 2 of 3 files could not be read "
						      "and are missing in the result\n" },
		{ "merge --to folded ^junk ^nowhere", 2, "",
		  NO_TRACE("junk") NO_FILE("nowhere") "tracelathe: 2 of 2 files could not be read "
						      "and are missing in the result\n" },
		{ "merge --to folded ^junk", 2, "", NO_TRACE("junk") },
		{ "merge --to folded --no-keep-going ^a.folded ^junk ^nowhere", 2, "",
		  NO_TRACE("junk") },
		{ "merge --to folded --strict ^a.folded ^junk ^nowhere", 2, "", NO_TRACE("junk") },
	};

	ASSERT_RUNS(cases);
	assert_int_equal(access(temp_path(&temp, "none"), F_OK), -1);
}

TEST(command_lines_without_files)
{
	static const struct run_case cases[] = {
		{ "report", 2, "",
		  "tracelathe report: no FILE given (- is standard input); `tracelathe report "
		  "--help` says more\n" },
		{ "extract", 2, "",
		  "tracelathe extract: no PROGRAM given; `tracelathe extract --help` says more\n" },
		{ "diff ^a.folded", 2, "",
		  "tracelathe diff: two files are needed, 1 given; `tracelathe diff --help` says "
		  "more\n" },
		{ "diff ^a.folded ^b.folded ^a.out", 2, "",
		  "tracelathe diff: two files are needed, 3 given; `tracelathe diff --help` says "
		  "more\n" },
		{ "diff --runs ^a.folded --", 2, "",
		  "tracelathe diff: --runs BEFORE... -- AFTER...: both sides need files\n" },
		{ "diff --runs -- ^a.folded", 2, "",
		  "tracelathe diff: --runs BEFORE... -- AFTER...: both sides need files\n" },
		{ "map ^a.folded", 2, "",
		  "tracelathe map: -o DIR says where the profile files go\n" },
	};

	ASSERT_RUNS(cases);
}

/* The damage of so many bad lines behind the good ones, each of which is "main;work 1\\n". */
static void damage_text(char *text, const char *file, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		text += sprintf(text,
				"tracelathe: ^%s: offset 0x%x, line %u: a line does not end with a "
				"count; left it out\n",
				file, GOOD_BYTES + 5 * i, GOOD_LINES + 1 + i);
	}
}

/* Ten places are shown, the others are counted. */
TEST(places_of_damage)
{
	static char all[2048], many[4096], two[8192];
	char other[2048];

	damage_text(all, "bad10", 10);
	damage_text(many, "bad12", 10);
	strcpy(two, all);
	strcat(two, many);
	strcat(two, "tracelathe: ^bad12: ... and 2 more places\n");
	snprintf(other, sizeof(other),
		 "tracelathe: ^bad12: ... and 2 more places, %u bytes skipped in all\n",
		 10 * 5 + 2 * 6);
	strcat(many, other);

	const struct run_case cases[] = {
		{ "report --csv ^bad10", 1, FOLDED_COLUMNS "work,,,,,40,40,0\nmain,,,,,0,40,0\n",
		  all },
		{ "report --csv ^bad12", 1, FOLDED_COLUMNS "work,,,,,40,40,0\nmain,,,,,0,40,0\n",
		  many },
		/* of several files of one input each one is named */
		{ "report --csv ^bad10 ^bad12", 1,
		  FOLDED_COLUMNS "work,,,,,80,80,0\nmain,,,,,0,80,0\n", two },
		/* strictly, the first place is the end */
		{ "report --csv --strict ^bad12", 2, "",
		  "tracelathe: ^bad12: offset 0x1e0, line 41: a line does not end with a count; "
		  "left it out\n" },
	};

	ASSERT_RUNS(cases);
}

/* ---- outputs ---- */

TEST(outputs_are_whole_or_not_there)
{
	static const struct run_case cases[] = {
		{ "stacks -o ^written ^b.folded", 0, "", "" },
		{ "stacks -o ^damaged ^bad10", 1, "", NULL },
		{ "stacks --event X -o ^none ^a.out", 2, "", NULL },
		{ "report -o ^none/x ^a.folded", 2, "",
		  "tracelathe: ^none/x: cannot open for writing: No such file or directory\n" },
	};
	char *text;

	ASSERT_RUNS(cases);
	text = run_read("written");
	assert_string_equal(text, "main;rest 1\nmain;work 6\n");
	free(text);
	text = run_read("damaged");
	assert_string_equal(text, "main;work 40\n");
	free(text);
	assert_int_equal(access(temp_path(&temp, "none"), F_OK), -1);
}

/* What a format has not is said with its name. */
TEST(what_a_format_cannot)
{
	static const struct run_case cases[] = {
		{ "slice --time 0..1 ^t.json", 2, "",
		  "tracelathe: ^t.json: traces of this format cannot be cut\n" },
		{ "analyze ^a.folded", 2, "",
		  "tracelathe: ^a.folded: this format holds no instructions and accesses that can "
		  "be analyzed\n" },
		{ "diff --flow ^t.json ^t.json", 2, "",
		  "tracelathe: ^t.json: this format does not hold the instructions that were "
		  "executed\n" },
		{ "extract ^a.folded", 2, "",
		  "tracelathe: ^a.folded: offset 0x0: not an ELF file\n" },
	};

	ASSERT_RUNS(cases);
}

/* ---- two profiles ---- */

#define LEFT_OUT "tracelathe diff: events that only one of the files has are left out: Dr\n"
#define DIFF_COLUMNS                                                                               \
	"function,object,file,calls:before,calls:after,Ir:before,Ir:after,Ir:change,Ir:percent,"   \
	"state\n"

TEST(differences)
{
	static const struct run_case cases[] = {
		{ "diff ^a.folded ^b.folded", 0,
		  "before  folded, samples 5\n"
		  "after   folded, samples 7\n\n"
		  "before  after  change         %  function\n"
		  "     5      7      +2   +40.00%  (total)\n"
		  "     3      6      +3  +100.00%  work\n"
		  "     2      0      -2  -100.00%  main\n"
		  "     0      1      +1       new  rest\n",
		  "" },
		{ "diff --csv ^a.out ^b.out", 1,
		  DIFF_COLUMNS "work,,main.c,3,0,60,75,15,25,changed\n"
			       "main,,main.c,0,0,10,20,10,100,changed\n",
		  LEFT_OUT },
		{ "diff --csv --event Ir ^b.out ^a.out", 0,
		  DIFF_COLUMNS "work,,main.c,0,3,75,60,-15,-20,changed\n"
			       "main,,main.c,0,0,20,10,-10,-50,changed\n",
		  "" },
		{ "diff --csv --event Ir --by arc ^a.out ^b.out", 0,
		  "caller,caller object,function,object,file,calls:before,calls:after,Ir:before,"
		  "Ir:after,Ir:change,Ir:percent,state\n"
		  "main,,work,,main.c,3,0,60,0,-60,-100,gone\n",
		  "" },
		{ "diff --csv --event Ir --by line ^a.out ^b.out", 0,
		  "function,object,file,line,Ir:before,Ir:after,Ir:change,Ir:percent,state\n"
		  "work,,main.c,5,60,75,15,25,changed\n"
		  "main,,main.c,1,10,20,10,100,changed\n",
		  "" },
		/* by another name it is a function of the other side: 2 + 3 became 0 + 6 */
		{ "diff --rename main=work --csv ^a.folded ^b.folded", 0,
		  "function,object,file,calls:before,calls:after,samples:before,samples:after,"
		  "samples:change,samples:percent,state\n"
		  "rest,,,0,0,0,1,1,,new\n"
		  "work,,,0,0,5,6,1,20,changed\n",
		  "" },
	};

	ASSERT_RUNS(cases);
}

TEST(differences_that_cannot_be_made)
{
	static const struct run_case cases[] = {
		{ "diff ^a.folded ^a.out", 2, "",
		  "tracelathe diff: the files have nothing in common that can be compared: "
		  "^a.folded has samples; ^a.out has Ir, Dr\n" },
		{ "diff --event Dr ^a.out ^b.out", 2, "",
		  "tracelathe diff: --event Dr: only one of the files has it\n" },
		{ "diff --event Dw ^a.out ^b.out", 2, "",
		  "tracelathe diff: --event Dw: the input has Ir, Dr\n" },
		{ "diff --sort foo ^a.folded ^b.folded", 2, "",
		  "tracelathe diff: --sort foo: there is no such column to sort by; the columns "
		  "are change, percent, before, after, calls, function, caller, object, file\n" },
		{ "diff --rename [=x ^a.folded ^b.folded", 2, "",
		  "tracelathe diff: --rename [=x: not a POSIX extended regular expression\n" },
	};

	ASSERT_RUNS(cases);
}

/* "a gate: status 3 if something grew by more": the total 36 %, work 25 %, main 100 % */
TEST(gates)
{
	static const struct run_case cases[] = {
		{ "diff --event Ir --fail-above 10% ^a.out ^b.out", 3, NULL,
		  "tracelathe diff: --fail-above 10%: the total grew by 35.71%; 2 of the rows grew "
		  "by more, most of all Ir, by 100%: main\n" },
		{ "diff --event Ir --fail-above 60% ^a.out ^b.out", 3, NULL,
		  "tracelathe diff: --fail-above 60%: 1 of the rows grew by more, most of all Ir, "
		  "by 100%: main\n" },
		{ "diff --event Ir --fail-above 100% ^a.out ^b.out", 0, NULL, "" },
		{ "diff --event Ir --fail-above 0% ^b.out ^a.out", 0, NULL, "" },
		/* what is new grew by more than any limit */
		{ "diff --fail-above 1000% ^a.folded ^b.folded", 3, NULL,
		  "tracelathe diff: --fail-above 1000%: 1 of the rows grew by more, most of all "
		  "samples, is new: rest\n" },
	};

	ASSERT_RUNS(cases);
}

/* ---- where costs are from ---- */

TEST(costs_by_their_origin)
{
	static const struct run_case cases[] = {
		{ "report --by trace --csv ^a.folded ^b.folded", 0,
		  "trace,samples:self,samples:inclusive,calls\n^b.folded,7,7,0\n^a.folded,5,5,0\n",
		  "" },
		{ "report --by host --csv ^a.folded ^b.folded", 1,
		  "host,samples:self,samples:inclusive,calls\n(unknown),12,12,0\n",
		  "tracelathe report: the files do not tell which host they are from: what they "
		  "cost is of (unknown)\n" },
		{ "report --by process --csv ^t.json ^a.folded", 1, NULL,
		  "tracelathe report: some files, or parts, do not tell which process they are "
		  "from: what they cost is of (unknown)\n" },
		{ "report --by cgroup --csv ^a.folded", 1, NULL,
		  "tracelathe report: the files do not tell which control group they are from: "
		  "what they cost is of (unknown)\n" },
		{ "report --spread --event foo ^a.folded ^b.folded", 2, NULL,
		  "tracelathe report: --event foo: the files have samples, calls\n" },
		{ "report --spread --sort foo ^a.folded ^b.folded", 2, NULL,
		  "tracelathe report: --spread --sort foo: there is no such column; the columns "
		  "are deviation, variation, min, median, max, mean, outliers, count, function, "
		  "object, file\n" },
		{ "report --spread --event Dr --csv ^a.out ^b.out", 1, NULL,
		  "tracelathe report: --spread: 1 of 2 have no event Dr and are left out\n" },
	};

	ASSERT_RUNS(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_of_functions),
		cmocka_unit_test(stacks_and_trees),
		cmocka_unit_test(events_that_are_asked_for),
		cmocka_unit_test(sums_that_do_not_fit),
		cmocka_unit_test(filters_that_nothing_passes),
		cmocka_unit_test(filters_that_something_passes),
		cmocka_unit_test(files_that_cannot_be_read),
		cmocka_unit_test(command_lines_without_files),
		cmocka_unit_test(places_of_damage),
		cmocka_unit_test(outputs_are_whole_or_not_there),
		cmocka_unit_test(what_a_format_cannot),
		cmocka_unit_test(differences),
		cmocka_unit_test(differences_that_cannot_be_made),
		cmocka_unit_test(gates),
		cmocka_unit_test(costs_by_their_origin),
	};

	return cmocka_run_group_tests(tests, set_up, temp_teardown);
}
