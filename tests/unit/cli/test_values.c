/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of option: what its value becomes, and which values are none. */
#include "cli_test.h"

#define FREE(settings) settings_free(&(settings))

/* ---- switches and words ---- */

static void switches(void **state)
{
	(void)state;
	PARSE(none, "report x");
	assert_false(none.report.ascending);
	assert_false(none.report.cycles);
	assert_int_equal(none.tree, TL_TREE_BOTH);
	FREE(none);
	PARSE(some, "report --ascending --cycles --strict --no-demangle --exact --tid16 x");
	assert_true(some.report.ascending);
	assert_true(some.report.cycles);
	assert_true(some.input.strict);
	assert_true(some.input.raw_names);
	assert_true(some.input.exact);
	assert_true(some.input.xray.tid16);
	FREE(some);
	PARSE(off, "tree --cycles --no-cycles x");
	assert_false(off.report.cycles);
	FREE(off);
	PARSE(last, "tree --callers --bottom-up x");
	assert_int_equal(last.tree, TL_TREE_BOTTOM_UP);
	FREE(last);
	PARSE(bits, "dump --packets --no-pad --no-pad --time-delta x");
	assert_int_equal(bits.input.dump.flags,
			 TL_DUMP_PACKETS | TL_DUMP_NO_PAD | TL_DUMP_TIME_DELTA);
	FREE(bits);
	PARSE(mix, "analyze --mix --bbv x");
	assert_int_equal(mix.analysis.analyses, TL_ANALYZE_MIX | TL_ANALYZE_BBV);
	FREE(mix);
	PARSE(full, "convert --compress --no-compress x");
	assert_int_equal(full.convert.compression, TL_COMPRESS_NONE);
	FREE(full);
	refused("report --strict=1 x", "--strict takes no value");
}

/* A word of "a|b|c" is a value of an enumeration in this order. */
static void words(void **state)
{
	static const enum tl_profile_unit units[] = { TL_BY_FUNCTION, TL_BY_FILE, TL_BY_OBJECT };
	static const char *const lines[] = { "report --by function x", "report --by file x",
					     "report --by object x" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		PARSE(by, lines[i]);
		assert_int_equal(by.report.by, units[i]);
		FREE(by);
	}
	PARSE(diff, "diff --by line a b");
	assert_int_equal(diff.diff.by, DIFF_BY_LINE);
	FREE(diff);
	PARSE(arcs, "diff --by arc a b");
	assert_int_equal(arcs.diff.by, DIFF_BY_ARC);
	FREE(arcs);
	PARSE(when, "report --color never --progress always x");
	assert_int_equal(when.output.color, WHEN_NEVER);
	assert_int_equal(when.output.progress, WHEN_ALWAYS);
	FREE(when);
	PARSE(bits, "report --bit-order high x");
	assert_int_equal(bits.input.xray.bit_order, TL_BITS_HIGH);
	FREE(bits);
	PARSE(low, "report --bit-order low --bit-order detect x");
	assert_int_equal(low.input.xray.bit_order, TL_BITS_DETECT);
	FREE(low);
	PARSE(line, "convert --positions line x");
	assert_int_equal(line.convert.positions, TL_POSITIONS_LINE);
	FREE(line);
	PARSE(instr, "convert --positions instr x");
	assert_int_equal(instr.convert.positions, TL_POSITIONS_INSTR);
	FREE(instr);
	PARSE(file, "dump --order file x");
	assert_true(file.input.file_order);
	FREE(file);
	PARSE(time, "dump --order file --order time x");
	assert_false(time.input.file_order);
	FREE(time);
	refused("report --by line x",
		"--by line: must be function|file|object|class|namespace|cycle|part|trace|host|"
		"process|level|task|cgroup");
	refused("report --by fil x",
		"--by fil: must be function|file|object|class|namespace|cycle|part|trace|host|"
		"process|level|task|cgroup");
	refused("report --by file| x",
		"--by file|: must be function|file|object|class|namespace|cycle|part|trace|host|"
		"process|level|task|cgroup");
	refused("report --by '' x",
		"--by : must be function|file|object|class|namespace|cycle|part|trace|host|"
		"process|level|task|cgroup");
}

static void names(void **state)
{
	(void)state;
	PARSE(format, "report --format xtrace x");
	assert_string_equal(format.input.format, "xtrace");
	FREE(format);
	PARSE(target, "convert --to tarmac x");
	assert_string_equal(target.convert.to, "tarmac");
	FREE(target);
	PARSE(again, "convert --to xray x");
	assert_string_equal(again.convert.to, "xray");
	FREE(again);
	PARSE(drawn, "timeline --to chrome x");
	assert_string_equal(drawn.convert.to, "chrome");
	FREE(drawn);
	/* A column may name an event, so any is taken. */
	PARSE(sort, "report --sort Dr:self --event Dr,X=Ir+10*D1mr,CEst x");
	assert_string_equal(sort.report.sort, "Dr:self");
	assert_string_equal(sort.events.names, "Dr,X=Ir+10*D1mr,CEst");
	/* Formulas and usual events may have to be added to those of the input. */
	assert_int_equal(sort.input.formula_count, 2);
	assert_string_equal(sort.input.formulas[0], "X=Ir+10*D1mr");
	assert_string_equal(sort.input.formulas[1], "CEst");
	FREE(sort);
	refused("report --event =Ir x", "--event =Ir: an event has no name");
	refused("query --event Ir x",
		"--event Ir: NAME=FORMULA is needed, or one of CEst, L1m, LLm, L2m, Bm");
	refused("timeline --to json x", "--to json: must be perfetto|chrome");
	refused("merge --to tarmac x",
		"--to tarmac: must be "
		"callgrind|cachegrind|pprof|speedscope|folded|dot|json|csv|tracelathe");
	refused("help --completion tcsh", "--completion tcsh: must be bash|zsh|fish");
	refused("report --sort '' x", "--sort : a value is missing");
}

static void patterns(void **state)
{
	(void)state;
	PARSE(one, "report --function ^a(b|c)$ --object libc x");
	assert_string_equal(one.input.filter.function, "^a(b|c)$");
	assert_string_equal(one.input.filter.object, "libc");
	FREE(one);
	refused("report --function ( x", "--function (: not a POSIX extended regular expression");
	refused("annotate --file '' x", "--file : a value is missing");
}

/* ---- numbers ---- */

static void numbers(void **state)
{
	(void)state;
	PARSE(none, "report x");
	assert_true(none.input.filter.thread == TL_NOWHERE);
	assert_true(none.input.filter.process == TL_NOWHERE);
	assert_true(none.input.filter.cpu == TL_NOWHERE);
	assert_int_equal(none.input.filter.part, 0);
	assert_int_equal(none.report.top, 0);
	FREE(none);
	PARSE(ids, "report --thread 0 --pid 0xfF --cpu 18446744073709551614 x");
	assert_int_equal(ids.input.filter.thread, 0);
	assert_int_equal(ids.input.filter.process, 255);
	assert_true(ids.input.filter.cpu == UINT64_MAX - 1);
	FREE(ids);
	refused("report --thread 18446744073709551615 x",
		"--thread 18446744073709551615: a number is needed");
	refused("report --thread 18446744073709551616 x",
		"--thread 18446744073709551616: a number is needed");
	refused("report --thread -1 x", "--thread -1: a number is needed");
	refused("report --thread +1 x", "--thread +1: a number is needed");
	refused("report --thread 1a x", "--thread 1a: a number is needed");
	refused("report --thread a x", "--thread a: a number is needed");
	refused("report --thread 0x x", "--thread 0x: a number is needed");
	refused("report --thread 0xg x", "--thread 0xg: a number is needed");
	refused("report --thread '' x", "--thread : a number is needed");
	PARSE(part, "report --part 1 x");
	assert_int_equal(part.input.filter.part, 1);
	FREE(part);
	refused("report --part 0 x", "--part 0: parts are numbered from 1");
	refused("report --part x x", "--part x: a number is needed");
}

static void bounded_numbers(void **state)
{
	(void)state;
	PARSE(least, "report --top 1 --jobs 1 --mtc-freq 0 --cpuid-0x15.eax 0 x");
	assert_int_equal(least.report.top, 1);
	assert_int_equal(least.input.jobs, 1);
	assert_int_equal(least.input.intel_pt.mtc_freq, 0);
	assert_int_equal(least.input.intel_pt.cpuid_15_eax, 0);
	FREE(least);
	PARSE(most, "report --top 4294967295 --jobs 1024 --nom-freq 255 "
		    "--cpuid-0x15.ebx 4294967295 --cpuid-0x15.ecx 0xffffffff x");
	assert_int_equal(most.report.top, UINT32_MAX);
	assert_int_equal(most.input.jobs, 1024);
	assert_int_equal(most.input.intel_pt.nom_freq, 255);
	assert_int_equal(most.input.intel_pt.cpuid_15_ebx, UINT32_MAX);
	assert_int_equal(most.input.intel_pt.cpuid_15_ecx, UINT32_MAX);
	FREE(most);
	refused("report --top 0 x", "--top 0: a number from 1 to 4294967295 is needed");
	refused("report --top 4294967296 x",
		"--top 4294967296: a number from 1 to 4294967295 is needed");
	refused("report --jobs 0 x", "--jobs 0: a number from 1 to 1024 is needed");
	refused("report --jobs 1025 x", "--jobs 1025: a number from 1 to 1024 is needed");
	refused("report --mtc-freq 256 x", "--mtc-freq 256: a number from 0 to 255 is needed");
	refused("report --cpuid-0x15.eax 4294967296 x",
		"--cpuid-0x15.eax 4294967296: a number from 0 to 4294967295 is needed");
	PARSE(zero, "annotate --context 0 x");
	assert_int_equal(zero.annotate.context, 0);
	FREE(zero);
	PARSE(million, "annotate --context 1000000 x");
	assert_int_equal(million.annotate.context, 1000000);
	FREE(million);
	PARSE(usual, "annotate x");
	assert_int_equal(usual.annotate.context, -1);
	FREE(usual);
	refused("annotate --context 1000001 x",
		"--context 1000001: a number from 0 to 1000000 is needed");
	PARSE(sizes, "analyze --interval 1000 --line 128 --page 65536 --top 3 x");
	assert_int_equal(sizes.analysis.interval, 1000);
	assert_int_equal(sizes.analysis.line, 128);
	assert_int_equal(sizes.analysis.page, 65536);
	assert_int_equal(sizes.analysis.top, 3);
	FREE(sizes);
}

static void shares(void **state)
{
	(void)state;
	PARSE(none, "tree x");
	assert_true(none.report.threshold == -1);
	FREE(none);
	PARSE(zero, "tree --threshold 0 x");
	assert_true(zero.report.threshold == 0);
	FREE(zero);
	PARSE(half, "tree --threshold .5% x");
	assert_true(half.report.threshold == 0.5);
	FREE(half);
	PARSE(all, "tree --threshold 100 x");
	assert_true(all.report.threshold == 100);
	FREE(all);
	refused("tree --threshold 100.1 x", "--threshold 100.1: a number from 0 to 100 is needed");
	refused("tree --threshold 5%% x", "--threshold 5%%: a number from 0 to 100 is needed");
	refused("tree --threshold -1 x", "--threshold -1: a number from 0 to 100 is needed");
	refused("tree --threshold nan x", "--threshold nan: a number from 0 to 100 is needed");
	refused("tree --threshold inf x", "--threshold inf: a number from 0 to 100 is needed");
	refused("tree --threshold 0x10 x", "--threshold 0x10: a number from 0 to 100 is needed");
	refused("tree --threshold . x", "--threshold .: a number from 0 to 100 is needed");
}

/* ---- times ---- */

static void times(void **state)
{
	static const struct {
		const char *line;
		double from, to;
	} cases[] = {
		{ "report --time 0.5..2 x", 0.5, 2 },
		{ "report --time 5ms..20ms x", 0.005, 0.020 },
		{ "report --time 1.5.. x", 1.5, -1 },
		{ "report --time ..300us x", 0, 300e-6 },
		{ "report --time 7ns..1s x", 7e-9, 1 },
		{ "report --time .. x", 0, -1 },
		{ "report --time .25...5 x", 0.25, 0.5 },
	};
	static const char window[] = "a window FROM..TO is needed, such as 0.5..2 or 5ms..20ms";
	static const char *const wrong[] = { "5",       "1..2h",   "-1..2", "nan..2",
					     "1..+2",   "1..2..3", "1 ms",  "0x1..2",
					     "1e999..", "1..2 s",  "ms..1" };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		PARSE(one, cases[i].line);
		assert_true(one.input.filter.from_seconds == cases[i].from);
		assert_true(one.input.filter.to_seconds == cases[i].to);
		FREE(one);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char line[64], message[128];

		if (strchr(wrong[i], ' '))
			continue; /* two arguments of a command line */
		snprintf(line, sizeof(line), "report --time %s x", wrong[i]);
		snprintf(message, sizeof(message), "--time %s: %s", wrong[i], window);
		refused(line, message);
	}
	refused("report --time 5..3 x", "--time 5..3: the window ends before it begins");
	refused("report --time 3..3 x", "--time 3..3: the window ends before it begins");
	/* A number of more than 63 characters is none that anybody means. */
	refused("report --time "
		"1.0000000000000000000000000000000000000000000000000000000000000000..2 x",
		"--time "
		"1.0000000000000000000000000000000000000000000000000000000000000000..2: "
		"a window FROM..TO is needed, such as 0.5..2 or 5ms..20ms");
}

static void durations(void **state)
{
	(void)state;
	PARSE(usual, "slice x");
	assert_true(usual.slice.part.before_seconds == 0.001);
	FREE(usual);
	PARSE(before, "slice --before 20us x");
	assert_true(before.slice.part.before_seconds == 20e-6);
	FREE(before);
	refused("slice --before '' x", "--before : a time is needed, such as 5ms or 0.2");
	refused("slice --before 1h x", "--before 1h: a time is needed, such as 5ms or 0.2");
}

/* ---- ranges ---- */

static void ranges(void **state)
{
	(void)state;
	PARSE(all, "slice x");
	assert_int_equal(all.slice.part.snapshots.from, 0);
	assert_true(all.slice.part.snapshots.to == TL_NOWHERE);
	assert_true(all.slice.part.instructions.to == TL_NOWHERE);
	FREE(all);
	PARSE(some, "slice --snapshots 3..7 --instructions 0x10.. x");
	assert_int_equal(some.slice.part.snapshots.from, 3);
	assert_int_equal(some.slice.part.snapshots.to, 7);
	assert_int_equal(some.slice.part.instructions.from, 16);
	assert_true(some.slice.part.instructions.to == TL_NOWHERE);
	FREE(some);
	PARSE(shown, "dump --ordinals ..9 --pcs 0x1000..0x2000 --between 1..2 --compare 4,3 x");
	assert_int_equal(shown.input.dump.ordinals.from, 0);
	assert_int_equal(shown.input.dump.ordinals.to, 9);
	assert_int_equal(shown.input.dump.pcs.from, 0x1000);
	assert_int_equal(shown.input.dump.pcs.to, 0x2000);
	assert_int_equal(shown.input.dump.between.to, 2);
	assert_int_equal(shown.input.dump.compare.from, 4);
	assert_int_equal(shown.input.dump.compare.to, 3);
	FREE(shown);
	refused("dump --ordinals 3 x", "--ordinals 3: a range such as 3..7, 3.. or ..7 is needed");
	refused("dump --ordinals a..3 x",
		"--ordinals a..3: a range such as 3..7, 3.. or ..7 is needed");
	refused("dump --ordinals 3..b x",
		"--ordinals 3..b: a range such as 3..7, 3.. or ..7 is needed");
	refused("dump --ordinals 3..18446744073709551615 x",
		"--ordinals 3..18446744073709551615: "
		"a range such as 3..7, 3.. or ..7 is needed");
	refused("dump --ordinals 00000000000000000000000000000003.. x",
		"--ordinals 00000000000000000000000000000003..: "
		"a range such as 3..7, 3.. or ..7 is needed");
	refused("dump --ordinals 3..3 x", "--ordinals 3..3: the range ends before it begins");
	refused("dump --compare 3 x", "--compare 3: two numbers such as 3,4 are needed");
	refused("dump --compare ,3 x", "--compare ,3: two numbers such as 3,4 are needed");
	refused("dump --compare 3, x", "--compare 3,: two numbers such as 3,4 are needed");
	refused("dump --compare 3,x x", "--compare 3,x: two numbers such as 3,4 are needed");
	refused("dump --compare y,3 x", "--compare y,3: two numbers such as 3,4 are needed");
	refused("dump --compare 3,3 x", "--compare 3,3: the two are the same");
}

/* ---- lists ---- */

/* "--binary FILE[@ADDR] (repeat)": an @ may be in the name of the file. */
static void binaries(void **state)
{
	const struct tl_input_programs *programs;

	(void)state;
	PARSE(two, "report --binary a --binary b@c@0x400000 --binary d@e x");
	programs = &two.input.programs;
	assert_int_equal(programs->binary_count, 3);
	assert_string_equal(programs->binaries[0].path, "a");
	assert_int_equal(programs->binaries[0].address, 0);
	assert_string_equal(programs->binaries[1].path, "b@c");
	assert_int_equal(programs->binaries[1].address, 0x400000);
	assert_string_equal(programs->binaries[2].path, "d@e");
	assert_int_equal(programs->binaries[2].address, 0);
	FREE(two);
	PARSE(after, "diff --binary a --binary-after b@16 --map m --map-after n x y");
	assert_int_equal(after.input.programs.binary_count, 1);
	assert_int_equal(after.diff.binaries_after.list.count, 1);
	assert_string_equal(after.diff.binaries_after.items[0].path, "b");
	assert_int_equal(after.diff.binaries_after.items[0].address, 16);
	assert_string_equal(after.input.programs.map, "m");
	assert_string_equal(after.diff.map_after, "n");
	FREE(after);
	refused("report --binary '' x", "--binary : a file name is missing");
	refused("report --binary @0x10 x", "--binary @0x10: a file name is missing");
}

/* "--raw FILE[:OFF[-END]]@ADDR", as ptxed has it */
static void raws(void **state)
{
	const struct tl_raw_spec *raw;

	(void)state;
	PARSE(three, "report --raw a@0x1000 --raw b:16@1 --raw c:d:0x10-32@2 x");
	assert_int_equal(three.input.programs.raw_count, 3);
	raw = three.input.programs.raws;
	assert_string_equal(raw[0].path, "a");
	assert_int_equal(raw[0].address, 0x1000);
	assert_int_equal(raw[0].offset, 0);
	assert_int_equal(raw[0].end, 0);
	assert_string_equal(raw[1].path, "b");
	assert_int_equal(raw[1].offset, 16);
	assert_int_equal(raw[1].end, 0);
	assert_string_equal(raw[2].path, "c:d");
	assert_int_equal(raw[2].address, 2);
	assert_int_equal(raw[2].offset, 16);
	assert_int_equal(raw[2].end, 32);
	FREE(three);
	refused("report --raw a x", "--raw a: must be FILE[:OFF[-END]]@ADDR");
	refused("report --raw a@z x", "--raw a@z: must be FILE[:OFF[-END]]@ADDR");
	refused("report --raw a:z@1 x", "--raw a:z@1: must be FILE[:OFF[-END]]@ADDR");
	refused("report --raw a:1-z@1 x", "--raw a:1-z@1: must be FILE[:OFF[-END]]@ADDR");
	refused("report --raw @1 x", "--raw @1: a file name is missing");
}

static void renames(void **state)
{
	(void)state;
	PARSE(two, "diff --rename a=b=c --rename d= x y");
	assert_int_equal(two.diff.renames.list.count, 2);
	assert_string_equal(two.diff.renames.items[0].pattern, "a=b");
	assert_string_equal(two.diff.renames.items[0].text, "c");
	assert_string_equal(two.diff.renames.items[1].pattern, "d");
	assert_string_equal(two.diff.renames.items[1].text, "");
	FREE(two);
	refused("diff --rename a x y", "--rename a: must be REGEX=TEXT");
	refused("diff --rename =a x y", "--rename =a: must be REGEX=TEXT");
	refused("diff --rename (=a x y", "--rename (=a: not a POSIX extended regular expression");
}

static void directories(void **state)
{
	char line[400] = "annotate";

	(void)state;
	/* More than a list has room for at first. */
	for (int i = 0; i < 11; i++)
		sprintf(line + strlen(line), " --source-dir d%d", i);
	PARSE(many, line);
	assert_int_equal(many.annotate.source_dirs.list.count, 11);
	for (int i = 0; i < 11; i++) {
		char name[8];

		sprintf(name, "d%d", i);
		assert_string_equal(many.annotate.source_dirs.items[i], name);
	}
	FREE(many);
	refused("annotate --source-dir '' x", "--source-dir : a directory is missing");
}

/* "[=FILE]": a value may follow, but only behind a "=". */
static void caches(void **state)
{
	(void)state;
	PARSE(usual, "analyze --cache mine.cfg");
	assert_int_equal(usual.analysis.analyses, TL_ANALYZE_CACHE);
	assert_null(usual.analysis.caches);
	assert_string_equal(usual.paths.items[0], "mine.cfg");
	FREE(usual);
	PARSE(mine, "analyze --cache=mine.cfg --cache x");
	assert_string_equal(mine.analysis.caches, "mine.cfg");
	FREE(mine);
	refused("analyze --cache= x", "--cache : a file name is missing");
	/* Predictors are another file, and each stands for its analysis. */
	PARSE(both, "analyze --branches=theirs.cfg --cache=mine.cfg x");
	assert_int_equal(both.analysis.analyses, TL_ANALYZE_BRANCHES | TL_ANALYZE_CACHE);
	assert_string_equal(both.analysis.predictors, "theirs.cfg");
	assert_string_equal(both.analysis.caches, "mine.cfg");
	FREE(both);
	PARSE(predicted, "analyze --branches mine.cfg");
	assert_int_equal(predicted.analysis.analyses, TL_ANALYZE_BRANCHES);
	assert_null(predicted.analysis.predictors);
	assert_null(predicted.analysis.caches);
	FREE(predicted);
	refused("analyze --branches= x", "--branches : a file name is missing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(switches),  cmocka_unit_test(words),
		cmocka_unit_test(names),     cmocka_unit_test(patterns),
		cmocka_unit_test(numbers),   cmocka_unit_test(bounded_numbers),
		cmocka_unit_test(shares),    cmocka_unit_test(times),
		cmocka_unit_test(durations), cmocka_unit_test(ranges),
		cmocka_unit_test(binaries),  cmocka_unit_test(raws),
		cmocka_unit_test(renames),   cmocka_unit_test(directories),
		cmocka_unit_test(caches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
