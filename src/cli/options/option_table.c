/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of options, in the order of help. A row: the commands that take it, its name, what its
 * value looks like, the field of the settings, and help. The macros of values.h check the type of
 * the field.
 */
#include "cli/options/values.h"
#include "cli/options/words.h"

const struct option_row option_rows[] = {
	/* report, tree */
	OPT_HINTED(
		C_REPORT, "sort", "COLUMN", report.sort, report_column,
		"sort by this column: function, object, file, line, id, thread, self, inclusive, "
		"calls, min, median, p90, p99, max, sum, unfinished, cut, or EVENT:self and "
		"EVENT:inclusive (default: self); names sort from A to Z"),
	OPT_WORD(C_REPORT, "by",
		 "function|file|object|class|namespace|cycle|part|trace|host|process|level|task|"
		 "cgroup",
		 enum tl_profile_unit, report.by, TL_BY_FUNCTION,
		 "a row for each of these (default: function); class: the innermost class or "
		 "namespace that a name stands in, namespace: the outermost one; cycle: functions "
		 "that call each other are one; part: threads, processes, dumps; file: a source "
		 "file, trace: a file that is read; host, process, cgroup (control group of perf "
		 "record --all-cgroups): where the traces tell (times of the last four are in "
		 "nanoseconds)"),
	OPT_FLAG(C_REPORT, "spread", spread.wanted,
		 "several files: least, median and most that each function cost in one of them, "
		 "the coefficient of variation, and the files that stand out; in one event, --by "
		 "host, process or cgroup over these instead of files, --sort by deviation "
		 "(default), "
		 "variation, min, median, max, mean, outliers, count, function, object or file"),
	OPT_FLAG(C_REPORT, "inclusive", spread.inclusive,
		 "--spread: of inclusive costs instead of self costs"),
	OPT_PERCENT(C_REPORT, "threshold", "PERCENT", report.threshold,
		    "--spread: a file does not stand out by what is off the median by less than "
		    "this share of the total's (default: 1)"),
	OPT_WORD(C_DIFF, "by", "function|arc|line", enum diff_by, diff.by, DIFF_BY_FUNCTION,
		 "compare self cost of functions (default), inclusive cost of calls, or self cost "
		 "of source lines"),
	OPT_FLAG(C_DIFF, "inclusive", diff.inclusive, "compare functions by their inclusive cost"),
	OPT_HINTED(
		C_DIFF, "sort", "COLUMN", report.sort, diff_column,
		"sort by this column: change (default), percent, before, after, calls, function, "
		"caller, object, file, or EVENT:change and the like; numbers by size, names from "
		"A to Z"),
	OPT_RENAME(C_DIFF, "rename", "REGEX=TEXT", diff.renames,
		   "on both sides, read each match in a function's name as TEXT, where \\1 is the "
		   "first group; may be repeated"),
	OPT_BINARY(C_DIFF, "binary-after", "FILE[@ADDR]", diff.binaries_after,
		   "as --binary, for the second file (default: the same); may be repeated"),
	OPT_TEXT(C_DIFF, "map-after", "FILE", diff.map_after,
		 "as --map, for the second file (default: the same)"),
	OPT_PERCENT(
		C_DIFF, "threshold", "PERCENT", report.threshold,
		"leave out what changed by less than this share of the larger total (default: 0)"),
	OPT_FLAG(
		C_DIFF, "runs", diff.runs,
		"several runs a side, those before and those behind --: medians by function, and "
		"whether they differ by more than chance (Welch's t-test, corrected for the number "
		"of functions), in one event; at least two runs a side, FILE may be a pattern; two "
		"directories in the place of files mean this, too"),
	OPT_FLAG(C_DIFF, "flow", diff.flow,
		 "compare what two runs executed, instruction by instruction (Intel PT, xtrace): "
		 "where they part for the first time, with the call stack, and how often and where "
		 "again. Layouts of the address space do not matter; threads are compared in the "
		 "order in which they begin"),
	OPT_COUNT(C_DIFF, "window", "BLOCKS", diff.window,
		  "--flow: search so many blocks (runs of instructions up to a branch) on either "
		  "side for the place where the runs meet again (default: 1048576)"),
	OPT_COUNT(
		C_DIFF, "meet", "BLOCKS", diff.meet,
		"--flow: the runs meet again where so many blocks in a row are the same (default: "
		"8); far off, and behind lost trace, up to 8 times as many have to be"),
	OPT_LIMIT(C_DIFF, "fail-above", "PERCENT", diff.fail_above,
		  "exit with status 3, behind the table, if the total or a row of it grew by more "
		  "than this: in the first event, or in those of --event. What is new has; "
		  "--threshold leaves out what does not matter"),
	OPT_WORD(C_DIFF, "to", "table|dot", enum diff_form, diff.form, DIFF_TABLE,
		 "a table (default), or the call graph for Graphviz: red is more, green is less, "
		 "dashed is new or gone"),
	OPT_FLAG(C_DIFF, "markdown", diff.markdown, "as a Markdown table, for a pull request"),
	OPT_FLAG(C_ANNOTATE, "asm", annotate.assembly,
		 "functions by instruction instead of files by line"),
	OPT_REGEX(C_ANNOTATE, "file", "REGEX", annotate.file,
		  "only source files whose path matches"),
	OPT_DIR(C_ANNOTATE | C_VIEW | C_BROWSE, "source-dir", "DIR", annotate.source_dirs,
		"look for sources below DIR, with leading directories left out as needed, before "
		"the path as recorded; may be repeated"),
	OPT_LINES(C_ANNOTATE, "context", "N", annotate.context,
		  "show N lines around those with a cost (default: 8)"),
	OPT_PERCENT(C_ANNOTATE, "threshold", "PERCENT", report.threshold,
		    "the files (functions) that hold this share of the cost, heaviest first "
		    "(default: 99 as text, else 100)"),
	OPT_FLAG(C_REPORT | C_DIFF, "ascending", report.ascending, "least first"),
	OPT_COUNT(C_REPORT | C_DIFF, "top", "N", report.top,
		  "only the first N rows (default: 40 as text, else all)"),
	OPT_FLAG(C_REPORT | C_DIFF, "all", report.all, "all rows as text too"),
	OPT_FLAG(C_STACKS, "count", stacks.count,
		 "how often each stack was called instead of its self cost"),
	OPT_COUNT(C_STACKS, "top", "N", report.top,
		  "only N stacks, those that cost most (--count: were called most) first"),
	OPT_FLAG(C_REPORT | C_STACKS | C_FLAME, "threads", report.threads, "keep threads apart"),
	OPT_FLAG(C_REPORT | C_TREE, "cycles", report.cycles,
		 "functions that call each other in a cycle as one more row, <cycle 1> the "
		 "costliest, and named behind its functions (callers and callees of it with tree; "
		 "not by thread)"),
	OPT_RANGE(C_FOLDED | C_ONE_FORMAT, "instructions", "FROM..TO", input.part.instructions,
		  "xtrace: only these instructions of each thread, by number from 0; the last one "
		  "is not among them"),
	OPT_RANGE(C_FOLDED | C_ONE_FORMAT, "snapshots", "I..J", input.part.snapshots,
		  "xtrace: only from snapshot I to before snapshot J"),
	OPT_WORD(C_FOLDED | C_ONE_FORMAT, "level", "0|1|2|3", enum tl_analysis_level,
		 input.part.level, TL_LEVEL_EL0,
		 "xtrace: only instructions of this exception level"),
	OPT_AMOUNT(C_REPORT | C_ONE_FORMAT, "interval", "N", input.part.interval,
		   "xtrace: each function's row apart for every N instructions of a thread"),
	OPT_FLAG(C_REPORT, "recursive-only", report.recursive,
		 "only functions that were called while they ran already, by themselves or by what "
		 "they call"),
	OPT_CLEAR(C_REPORT | C_TREE, "no-cycles", report.cycles, "without such rows (default)"),
	OPT_FLAG(
		C_TABLES | C_ANALYZE, "wide", output.wide,
		"all columns, and names with their parameters and template arguments, whatever the "
		"width of the terminal (files and pipes have all columns; CSV and JSON whole "
		"names, too)"),
	OPT_FLAG(C_TABLES, "seconds", report.seconds, "durations in seconds instead of ticks"),
	OPT_FLAG(C_MANY | C_OF_RANKS, "nanoseconds", input.nanoseconds,
		 "times in nanoseconds instead of ticks, rounded once for each file, so that files "
		 "of machines whose clocks run at different rates have a sum"),
	OPT_CHOICE(C_TREE, "callers", enum tl_tree_kind, tree, TL_TREE_CALLERS,
		   "each function with its callers"),
	OPT_CHOICE(C_TREE, "callees", enum tl_tree_kind, tree, TL_TREE_CALLEES,
		   "each function with its callees"),
	OPT_CHOICE(C_TREE, "both", enum tl_tree_kind, tree, TL_TREE_BOTH,
		   "callers above, callees below (default)"),
	OPT_CHOICE(C_TREE, "top-down", enum tl_tree_kind, tree, TL_TREE_TOP_DOWN,
		   "the call tree from its roots"),
	OPT_CHOICE(C_TREE, "bottom-up", enum tl_tree_kind, tree, TL_TREE_BOTTOM_UP,
		   "each function, then the paths of its callers"),
	OPT_CHOICE(C_TREE, "all-callers", enum tl_tree_kind, tree, TL_TREE_ALL_CALLERS,
		   "all functions from which calls lead to those of --function, and the calls of "
		   "the shortest way"),
	OPT_CHOICE(C_TREE, "all-callees", enum tl_tree_kind, tree, TL_TREE_ALL_CALLEES,
		   "all functions to which calls lead from those of --function"),
	OPT_PERCENT(C_TREE, "threshold", "PERCENT", report.threshold,
		    "leave out what has less than this share of the total (default: 0.5 as text, "
		    "else 0)"),
	/* flame */
	OPT_FLAG(C_DIFF, "flame", flame.of_diff,
		 "a flame graph of the second file as one HTML page, with colours for what became "
		 "more and less"),
	OPT_FLAG(C_FLAME | C_DIFF, "svg", flame.svg,
		 "a picture of the first event instead of a page"),
	OPT_FLAG(C_FLAME | C_DIFF, "icicle", flame.icicle,
		 "roots at the top (a page has a switch for it too)"),
	OPT_PERCENT(C_FLAME, "threshold", "PERCENT", report.threshold,
		    "sum stacks with less than this share of the total, or of their thread's "
		    "(default: 0.01)"),
	OPT_COUNT(C_FLAME | C_DIFF, "width", "PIXELS", flame.pixels,
		  "--svg: width of the picture (default: 1200)"),
	/* check */
	OPT_BIT(C_CHECK, "rules", input.dump.flags, TL_DUMP_RULES,
		"xtrace: every rule, its section of the format's description and how often it is "
		"broken, instead of a line for each violation"),
	/* dump */
	OPT_BIT(C_DUMP, "packets", input.dump.flags, TL_DUMP_PACKETS,
		"Intel PT: packets (default)"),
	OPT_BIT(C_DUMP, "blocks", input.dump.flags, TL_DUMP_BLOCKS,
		"Intel PT: blocks of instructions, as `ptxed --block-decoder` with its block "
		"headings"),
	OPT_BIT(C_DUMP, "instructions", input.dump.flags, TL_DUMP_INSTRUCTIONS,
		"every instruction, with its text"),
	OPT_BIT(C_DUMP, "branches", input.dump.flags, TL_DUMP_BRANCHES,
		"Intel PT: branches that were taken: from, to, kind, functions; with cycles in the "
		"trace instructions per cycle since the line that had them last"),
	OPT_BIT(C_DUMP, "events", input.dump.flags, TL_DUMP_EVENTS,
		"Intel PT: what happened beside branches; alone, or among blocks or instructions"),
	OPT_BIT(C_DUMP, "ticks", input.dump.flags, TL_DUMP_TICKS,
		"--events: one at the first branch behind each packet of time, too"),
	OPT_BIT(C_DUMP, "iflags", input.dump.flags, TL_DUMP_IFLAGS,
		"--events: those that enable and disable interrupts, too"),
	OPT_BIT(C_DUMP, "stat", input.dump.flags, TL_DUMP_STAT,
		"Intel PT: how many instructions and blocks were executed, alone, or behind a "
		"list"),
	OPT_BIT(C_DUMP, "pebs", input.dump.flags, TL_DUMP_PEBS,
		"Intel PT in perf.data: samples that the processor wrote into the trace (PEBS): "
		"time, thread, event, address, registers"),
	OPT_BIT(C_DUMP, "calls", input.dump.flags, TL_DUMP_CALLS,
		"calls instead of records, a line each, in the order of begin within a thread; the "
		"end of an unfinished one is null"),
	OPT_BIT(C_DUMP, "seconds", input.dump.flags, TL_DUMP_SECONDS,
		"--calls: times in seconds instead of ticks"),
	OPT_BIT(C_DUMP, "snapshots", input.dump.flags, TL_DUMP_SNAPSHOTS,
		"xtrace: register snapshots"),
	OPT_BIT(C_DUMP, "no-text", input.dump.flags, TL_DUMP_NO_TEXT,
		"--instructions: addresses only"),
	OPT_BIT(C_DUMP, "raw-bytes", input.dump.flags, TL_DUMP_RAW,
		"--packets, --instructions: their bytes, too"),
	OPT_BIT(C_DUMP, "no-offset", input.dump.flags, TL_DUMP_NO_OFFSET,
		"--packets: without their offsets"),
	OPT_BIT(C_DUMP, "no-pad", input.dump.flags, TL_DUMP_NO_PAD, "--packets: without PAD"),
	OPT_BIT(C_DUMP, "no-timing", input.dump.flags, TL_DUMP_NO_TIMING,
		"--packets: without TSC, TMA, MTC, CYC, CBR"),
	OPT_BIT(C_DUMP, "no-cyc", input.dump.flags, TL_DUMP_NO_CYC, "--packets: without CYC"),
	OPT_BIT(C_DUMP, "no-sync", input.dump.flags, TL_DUMP_NO_SYNC,
		"--packets: from the first byte on instead of the first PSB"),
	OPT_BIT(C_DUMP, "lastip", input.dump.flags, TL_DUMP_LAST_IP,
		"--packets: the whole address beside each compressed one"),
	OPT_BIT(C_DUMP, "exec-mode", input.dump.flags, TL_DUMP_EXEC_MODE,
		"--packets: the mode beside each MODE.Exec"),
	OPT_BIT(C_DUMP, "timestamps", input.dump.flags, TL_DUMP_TIME,
		"--packets: the time beside each that moves it; --events: before each"),
	OPT_BIT(C_DUMP, "time-delta", input.dump.flags, TL_DUMP_TIME_DELTA,
		"as --timestamps, but what was added"),
	OPT_BIT(C_DUMP, "tcal", input.dump.flags, TL_DUMP_TCAL,
		"--packets: the ticks per cycle beside each MTC that measures them"),
	OPT_BIT(C_DUMP, "no-tcal", input.dump.flags, TL_DUMP_NO_TCAL,
		"--packets: no message where a CYC comes before the ticks per cycle are known"),
	OPT_BIT(C_DUMP, "no-wall-clock", input.dump.flags, TL_DUMP_NO_WALL_CLOCK,
		"--packets --timestamps: times before the first TSC, too, from 0"),
	OPT_RANGE(C_DUMP, "ordinals", "FROM..TO", input.dump.ordinals,
		  "xtrace: only instructions of these numbers, from 0; the last one is not among "
		  "them"),
	OPT_RANGE(C_DUMP, "pcs", "FROM..TO", input.dump.pcs,
		  "xtrace: only instructions at these addresses"),
	OPT_RANGE(C_DUMP, "between", "I..J", input.dump.between,
		  "xtrace: only from snapshot I to before snapshot J"),
	OPT_PAIR(C_DUMP, "compare", "I,J", input.dump.compare,
		 "xtrace: in what snapshots I and J differ"),
	/* analyze */
	OPT_BIT(C_ANALYZE, "mix", analysis.analyses, TL_ANALYZE_MIX,
		"instructions by class and opcode, by exception level"),
	OPT_BIT(C_ANALYZE, "footprint", analysis.analyses, TL_ANALYZE_FOOTPRINT,
		"lines and pages fetched, loaded and stored, by thread and exception level"),
	OPT_BIT(C_ANALYZE, "reuse", analysis.analyses, TL_ANALYZE_REUSE,
		"reuse distances of lines, exact, by thread"),
	OPT_DESCRIBED(
		C_ANALYZE, "branches", "[=FILE]", analysis, TL_ANALYZE_BRANCHES,
		"branches: how often taken, targets, entropy, and what predictors miss, those "
		"that FILE describes or the usual ones; with --binary by function, too"),
	OPT_DESCRIBED(C_ANALYZE, "cache", "[=FILE]", analysis, TL_ANALYZE_CACHE,
		      "hits and misses of caches and TLBs, those that FILE describes or the usual "
		      "ones of a server; with --binary by function, too"),
	OPT_BIT(C_ANALYZE, "dependences", analysis.analyses, TL_ANALYZE_DEPENDENCES,
		"how far registers and memory that are read are from what made them, and how many "
		"instructions could run at once in windows of 16 to 1024"),
	OPT_BIT(C_ANALYZE, "sharing", analysis.analyses, TL_ANALYZE_SHARING,
		"lines that several threads touch: misses and invalidations of MESI, true and "
		"false "
		"sharing by line and functions"),
	OPT_BIT(C_ANALYZE, "syscalls", analysis.analyses, TL_ANALYZE_SYSCALLS,
		"system calls: name, arguments, vectors, result, instructions between"),
	OPT_BIT(C_ANALYZE, "blocks", analysis.analyses, TL_ANALYZE_BLOCKS,
		"basic blocks: executions and instructions"),
	OPT_BIT(C_ANALYZE, "bbv", analysis.analyses, TL_ANALYZE_BBV,
		"basic-block vectors, one thread behind the other, for SimPoint; goes with no "
		"other analysis"),
	OPT_RANGE(C_ANALYZE, "instructions", "FROM..TO", analysis.instructions,
		  "only these instructions of each thread, by number from 0; the last one is not "
		  "among them"),
	OPT_RANGE(C_ANALYZE, "snapshots", "I..J", analysis.snapshots,
		  "only from snapshot I to before snapshot J"),
	OPT_WORD(C_ANALYZE, "level", "0|1|2|3", enum tl_analysis_level, analysis.level,
		 TL_LEVEL_EL0, "only instructions of this exception level"),
	OPT_ID(C_ANALYZE, "warmup", "N", analysis.warmup,
	       "--instructions, --snapshots: N instructions before the part fill caches and teach "
	       "predictors, and do not count (default: 0)"),
	OPT_AMOUNT(
		C_ANALYZE, "interval", "N", analysis.interval,
		"--bbv: instructions of a vector (default: from snapshot to snapshot); others: a "
		"row "
		"for every N instructions of a thread, in one more table, which --csv is then"),
	OPT_FLAG(C_ANALYZE, "together", analysis.together,
		 "--interval: intervals are of all threads, from one time to another, in which "
		 "they executed N instructions together (xtrace with TIME)"),
	OPT_AMOUNT(C_ANALYZE, "line", "BYTES", analysis.line,
		   "--footprint, --reuse, --sharing: size of a line (default: 64)"),
	OPT_AMOUNT(C_ANALYZE, "page", "BYTES", analysis.page,
		   "--footprint: size of a page (default: 4096)"),
	OPT_COUNT(C_ANALYZE, "top", "N", analysis.top,
		  "--blocks, --branches, --sharing, --cache by function: only the first N "
		  "(default: 40 as "
		  "text, else all)"),
	OPT_FLAG(C_ANALYZE, "all", report.all, "all of them as text too"),
	/* slice */
	OPT_RANGE(C_SLICE, "snapshots", "I..J", slice.part.snapshots,
		  "xtrace: from snapshot I to before snapshot J"),
	OPT_RANGE(C_SLICE, "instructions", "FROM..TO", slice.part.instructions,
		  "xtrace: instructions by number, from 0; the last one is not in it"),
	OPT_TEXT(C_SLICE | C_CONVERT, "snapshot-output", "FILE", slice.partner,
		 "xtrace: write the snapshots to FILE (default: NAME.xsnapshot.bin if the output "
		 "is NAME.xinsndata.bin)"),
	OPT_WORD(C_SLICE, "to", "trace|elf", enum tl_slice_form, slice.part.form, TL_SLICE_TRACE,
		 "what to write: a trace of the same format (default), or, of xtrace, a program "
		 "for AArch64 that executes the part from snapshot I on"),
	OPT_TEXT(C_SLICE | C_ONE_FORMAT, "simpoints", "FILE", slice.simpoints,
		 "xtrace: a slice of each interval that SimPoint chose (its -saveSimpoints) into "
		 "the "
		 "directory of -o, and a table of them, whose column `before` says how many "
		 "instructions of the slice come before the interval: slices begin at snapshots"),
	OPT_TEXT(C_SLICE | C_ONE_FORMAT, "weights", "FILE", slice.weights,
		 "--simpoints: their weights (-saveSimpointWeights)"),
	OPT_ID(C_SLICE | C_ONE_FORMAT, "warmup", "N", slice.warmup,
	       "--simpoints: N instructions before each interval belong to its slice (default: 0)"),
	OPT_AMOUNT(C_SLICE | C_ONE_FORMAT, "interval", "N", analysis.interval,
		   "--simpoints: as in `analyze --bbv` (default: from snapshot to snapshot)"),
	OPT_FLAG(C_SLICE | C_ONE_FORMAT, "together", analysis.together,
		 "--simpoints: as in `analyze --bbv`: a slice of each thread, of one time"),
	OPT_REGEX(C_SLICE, "trigger", "REGEX", slice.part.trigger,
		  "Intel PT: what ran before the first call of a function whose name matches; see "
		  "--before"),
	OPT_TIME(C_SLICE, "before", "TIME", slice.part.before_seconds,
		 "--trigger: so much time before the call (default: 1ms)"),
	/* record */
	OPT_FLAG(C_RECORD, "list", record.list,
		 "show how PROGRAM (or any program) can be recorded here, and why not otherwise"),
	OPT_NAME(C_RECORD, "how", "NAME", record.how, recorder_name,
		 "record this way instead of the first one that can"),
	OPT_FLAG(C_RECORD, "finish", record.finish,
		 "make FILE of -o FILE from what an interrupted recording left in FILE.parts"),
	OPT_TIME(C_RECORD, "threshold", "TIME", record.threshold_seconds,
		 "leave out calls shorter than this (default: none)"),
	OPT_ID(C_RECORD, "ring", "MB", record.ring_megabytes,
	       "keep only the last MB megabytes of each thread (default: all)"),
	OPT_COUNT(C_RECORD, "depth", "N", record.depth,
		  "only N calls inside each other (default: all)"),
	OPT_REGEX(C_RECORD, "function", "REGEX", record.function,
		  "only functions whose names match (XRay and patchable functions)"),
	OPT_ID(C_RECORD, "buffer", "KB", record.buffer_kilobytes,
	       "--how xray-fdr: size of a buffer (default: 1024)"),
	/* view */
	OPT_COUNT(C_VIEW, "port", "N", view.port, "serve on this port (default: one that is free)"),
	OPT_FLAG(C_VIEW, "static", view.as_file,
		 "write one page that needs no server (-o FILE): with all calls up to 5 million, "
		 "else with the longest, which it says; without sources and the profiles of "
		 "windows"),
	OPT_FLAG(C_VIEW, "no-open", view.no_open, "print the address, open no browser"),
	OPT_TEXT(C_VIEW | C_BROWSE, "index", "FILE", view.index.path,
		 "keep the index of calls in FILE, and take it from there while the input is the "
		 "same (default: only of inputs over 256 MiB, in $XDG_CACHE_HOME/tracelathe)"),
	OPT_FLAG(C_VIEW | C_BROWSE, "no-index", view.index.none,
		 "keep no index, and take none that was kept"),
	/* other commands */
	OPT_WORD(C_DUMP, "order", "time|file", enum record_order, output.order, ORDER_TIME,
		 "threads merged by time (default), or records as they stand in the file"),
	OPT_COUNT(C_TIMELINE, "depth", "N", input.depth,
		  "Intel PT: only N calls inside each other (default: all)"),
	OPT_NAME(C_TIMELINE, "to", "perfetto|chrome", convert.to, timeline_name,
		 "what to write (default: perfetto)"),
	OPT_NAME(C_CONVERT, "to", "NAME", convert.to, target_name,
		 "what to write (default: callgrind); the names are listed below"),
	OPT_NAME(C_MERGE, "to", "NAME", convert.to, exporter_name,
		 "what to write (default: callgrind); the names are listed below"),
	OPT_TEXT(C_CONVERT, "xray-version", "V", convert.variant,
		 "--to xray: 1 to 5, or basic (default: 5)"),
	OPT_CHOICE(C_CONVERT, "compress", enum tl_export_compression, convert.compression,
		   TL_COMPRESS_ALL,
		   "--to callgrind: names once, positions relative to the line before"),
	OPT_CHOICE(C_CONVERT, "no-compress", enum tl_export_compression, convert.compression,
		   TL_COMPRESS_NONE,
		   "--to callgrind: names and positions in full (default: names once, positions in "
		   "full)"),
	OPT_WORD(C_CONVERT, "positions", "line|instr", enum tl_export_positions, convert.positions,
		 TL_POSITIONS_LINE,
		 "--to callgrind: addresses and lines, or only lines (default: what the profile "
		 "has)"),
	OPT_COUNT(C_CONVERT | C_STACKS | C_MERGE, "max-depth", "N", convert.most_depth,
		  "folded, pprof, speedscope: call stacks of N frames at most, deeper ones are "
		  "summed (default: 1000)"),
	OPT_TEXT(C_CONVERT, "tables", "NAME[,NAME...]", convert.tables,
		 "--to sqlite: only these tables (default: all that the input has)"),
	OPT_PERCENT(
		C_CONVERT | C_MERGE, "threshold", "PERCENT", report.threshold,
		"--to dot: leave out functions and calls with less than this share of the total "
		"(default: 0)"),
	OPT_LABELS(
		C_CONVERT | C_MERGE, "labels", "self|inclusive|calls|sum|min|median|p90|p99|max",
		convert.labels,
		"--to dot: what nodes show, several after commas; edges show inclusive and calls "
		"(default: self,inclusive,calls)"),
	OPT_WORD(C_CONVERT | C_MERGE, "color-by", "none|self|inclusive", enum tl_graph_color,
		 convert.color, TL_GRAPH_PLAIN,
		 "--to dot: the share that colours a node (default: none)"),
	OPT_WORD(C_CONVERT | C_MERGE, "cluster", "none|object|file", enum tl_graph_cluster,
		 convert.cluster, TL_CLUSTER_NONE,
		 "--to dot: frame the functions of an object or file (default: none)"),
	OPT_FLAG(C_QUERY, "list", query.list, "the ready queries that there are, and nothing else"),
	/* the input */
	OPT_NAME(C_READERS, "format", "NAME", input.format, format_name,
		 "read the input as this format instead of recognising it by content"),
	OPT_BINARY(C_READERS, "binary", "FILE[@ADDR]", programs.binaries,
		   "the program that ran, for names, lines and the XRay map; ADDR is what it was "
		   "moved by; may be repeated; XRay: also a folder, of which the file is used that "
		   "can have run; perf.data: what the recording has of its build id or name, also "
		   "a library or vmlinux; for names of a kernel also its System.map, or a copy of "
		   "/proc/kallsyms"),
	OPT_TEXT(C_READERS_ONE_FORMAT, "map", "FILE", input.programs.map,
		 "XRay: instrumentation map as `llvm-xray extract` writes it (YAML); Intel PT: "
		 "which bytes of NAME.img beside it were where"),
	OPT_RAW(C_READERS_ONE_FORMAT, "raw", "FILE[:OFF[-END]]@ADDR", programs.raws,
		"Intel PT, etm: bytes of code that were at ADDR; may be repeated"),
	OPT_TEXT(C_READERS, "sysroot", "DIR", input.programs.sysroot,
		 "look for the programs that a trace names below DIR"),
	OPT_TEXT(C_READERS_ONE_FORMAT, "buildid-dir", "DIR", input.programs.build_id_dir,
		 "perf.data: look for programs by build id in DIR/.build-id (default: ~/.debug)"),
	OPT_FLAG(C_READERS, "debuginfod", programs.debuginfod,
		 "perf.data, Intel PT, pprof: ask the servers that $DEBUGINFOD_URLS names "
		 "(debuginfod(8)) for programs, libraries and debug information, by build id, "
		 "that are not on this machine; what they give is kept where other tools keep it"),
	OPT_TEXT(C_READERS_ONE_FORMAT, "guest-root", "DIR", input.programs.guest_root,
		 "perf.data: where the files of virtual machines are: their root, or DIR/PID for "
		 "the machine that process PID runs; the kernel's code is in proc/kcore or "
		 "vmlinux, its names in proc/kallsyms"),
	OPT_TEXT(C_READERS_ONE_FORMAT, "cpu-model", "F/M[/S]", input.intel_pt.cpu_model,
		 "Intel PT: family, model, stepping of the processor, for its errata; auto: this "
		 "machine's; none"),
	OPT_BYTE(C_READERS_ONE_FORMAT, "mtc-freq", "N", input.intel_pt.mtc_freq,
		 "Intel PT: IA32_RTIT_CTL.MTCFreq, for times from MTC"),
	OPT_BYTE(C_READERS_ONE_FORMAT, "nom-freq", "N", input.intel_pt.nom_freq,
		 "Intel PT: nominal core:bus ratio, for times from CYC"),
	OPT_U32(C_READERS_ONE_FORMAT, "cpuid-0x15.eax", "N", input.intel_pt.cpuid_15_eax,
		"Intel PT: denominator of TSC to crystal clock"),
	OPT_U32(C_READERS_ONE_FORMAT, "cpuid-0x15.ebx", "N", input.intel_pt.cpuid_15_ebx,
		"Intel PT: its numerator"),
	OPT_U32(C_READERS_ONE_FORMAT, "cpuid-0x15.ecx", "N", input.intel_pt.cpuid_15_ecx,
		"Intel PT: the crystal clock in Hz, for seconds"),
	OPT_ID(C_READERS_ONE_FORMAT, "tsc-hz", "N", input.intel_pt.tsc_hz,
	       "Intel PT: ticks of the TSC per second, for seconds"),
	OPT_TEXT(C_READERS_ONE_FORMAT, "address-filter", "FROM..TO[,...]", input.address_filter,
		 "Intel PT: the ranges of addresses that tracing was limited to, each with its "
		 "last one, for processors with erratum SKL014; stop:FROM..TO: where it was ended; "
		 "at most four"),
	OPT_U32(C_READERS_ONE_FORMAT, "trcidr0", "N", input.etm.trcidr0,
		"etm: TRCIDR0 of the trace unit (this and the next ones: default as on Cortex-A)"),
	OPT_U32(C_READERS_ONE_FORMAT, "trcidr1", "N", input.etm.trcidr1,
		"etm: TRCIDR1: ETMv4 or ETE (default: what the packets are)"),
	OPT_U32(C_READERS_ONE_FORMAT, "trcidr2", "N", input.etm.trcidr2,
		"etm: TRCIDR2: sizes of context IDs, virtual ones and cycle counts"),
	OPT_U32(C_READERS_ONE_FORMAT, "trcidr8", "N", input.etm.trcidr8,
		"etm: TRCIDR8: depth of speculation"),
	OPT_U32(C_READERS_ONE_FORMAT, "trcconfigr", "N", input.etm.trcconfigr,
		"etm: TRCCONFIGR: what the trace unit was to write"),
	OPT_U32(C_READERS_ONE_FORMAT, "trctraceidr", "N", input.etm.trctraceidr,
		"etm: of a trace in frames the source with this ID alone"),
	OPT_TEXT(C_READERS_ONE_FORMAT, "layout", "NAME=VALUE,...", input.xtrace.layout,
		 "xtrace: how the files are laid out instead of finding out: header=24|19|32|0, "
		 "predicates=16|17, pad=register|block, sysreg=8|4, za=yes|no, vl=128..2048, "
		 "z=vl|fixed, time=8|0|4|16, codes=5|4"),
	OPT_TEXT(C_READERS_ONE_FORMAT, "skip-unknown", "TOKEN=BYTES", input.xtrace.skip_unknown,
		 "xtrace: skip this undefined token (in hexadecimal) and so many bytes behind it; "
		 "more after commas"),
	OPT_FLAG(C_READERS_ONE_FORMAT, "tid16", input.xray.tid16,
		 "XRay: thread ids have the 2 bytes of the published version 1"),
	OPT_WORD(C_READERS_ONE_FORMAT, "bit-order", "detect|low|high", enum tl_bit_order,
		 input.xray.bit_order, TL_BITS_DETECT,
		 "XRay, big-endian files: bit fields begin at this end (default: detect)"),
	OPT_LABEL(C_DUMP | C_TIMELINE | C_QUERY | C_ONE_FORMAT, "decode", "EVENT[:NAME]=FORM",
		  programs.decoders,
		  "XRay: what the bytes of events mean. EVENT: custom, the number of a type, or "
		  "typed; NAME: what the event is called; FORM: text, integer, unsigned, hex, or "
		  "struct:TYPE[ NAME][,...] with i8..i64, u8..u64, x8..x64, f32, f64, sN, padN; "
		  "may be repeated"),
	OPT_FLAG(C_READERS | C_EXTRACT, "no-demangle", input.raw_names,
		 "show C++ and Rust names as the linker sees them"),
	OPT_FLAG(
		C_READERS_ONE_FORMAT, "inline", input.inlined,
		"samples of perf.data: functions that the compiler inlined are frames, too, as far "
		"as the programs have debug information"),
	OPT_FLAG(C_READERS_ONE_FORMAT, "branch-stack", input.branches,
		 "samples of perf.data: count the branches that the processor recorded before each "
		 "(`perf record -b`), as stacks of where they come from and where they go, and "
		 "those predicted wrongly"),
	OPT_FLAG(C_EVENTS | C_ONE_FORMAT, "quick", input.quick,
		 "Intel PT: packets alone, without code: the addresses that TIP packets lead to, "
		 "and outcomes of conditional branches by the address known last (Targets, Taken, "
		 "NotTaken)"),
	OPT_FLAG(C_READERS, "strict", input.strict,
		 "stop at the first fault instead of skipping what is damaged"),
	OPT_TEXT(C_MANY | C_OF_RANKS, "glob", "PATTERN", files.glob,
		 "in the place of a directory, all files below it with such a name, as '*.xray'"),
	OPT_CLEAR(C_MERGE | C_MAP | C_OF_RANKS, "keep-going", files.no_keep_going,
		  "leave out files that cannot be read, and say which (default)"),
	OPT_FLAG(C_MERGE | C_MAP | C_OF_RANKS, "no-keep-going", files.no_keep_going,
		 "end at the first file that cannot be read"),
	OPT_ID(C_SUMS | C_OF_RANKS, "memory", "MB", files.memory_megabytes,
	       "the sum of many files: so many megabytes at a time, about (default: 256)"),
	OPT_TEXT(C_SUMS | C_OF_RANKS, "scratch", "DIR", files.scratch,
		 "the sum of many files: where what does not fit is kept meanwhile, in files "
		 "without names (default: $TMPDIR, else /var/tmp)"),
	OPT_TEXT(C_ALL & ~C_HELP, "config", "FILE", files.config,
		 "take defaults of options from FILE, a line each, as `source-dir = DIR` (default: "
		 "~/.config/tracelathe/config if it is there); none: no file"),
	OPT_FLAG(C_READERS | C_EXTRACT, "no-sandbox", files.no_sandbox,
		 "do not give up the rights that reading a trace does not need (SECURITY.md)"),
	OPT_JOBS(C_READERS, "jobs", "N", input.jobs,
		 "work on so many threads (default: one per processor)"),
	/* what counts */
	OPT_ID(C_READERS, "thread", "ID", input.filter.thread, "only this thread"),
	OPT_PART(C_READERS_ONE_FORMAT, "part", "N", input.filter.part,
		 "Callgrind: only parts of this number"),
	OPT_LABEL(C_READERS_ONE_FORMAT, "label", "KEY=VALUE", programs.labels,
		  "pprof: only samples with this label; may be repeated, samples then need all of "
		  "them"),
	OPT_ID(C_READERS, "cpu", "ID", input.filter.cpu, "only what ran on this processor"),
	OPT_ID(C_READERS, "pid", "ID", input.filter.process, "only this process"),
	OPT_WINDOW(C_READERS, "time", "FROM..TO", input.filter,
		   "only this window, in seconds from the first record; 5ms..20ms, 1.5.. and "
		   "..300us are windows too; analyses and profiles of xtrace: in numbers of TIME "
		   "tokens"),
	OPT_REGEX(C_READERS, "function", "REGEX", input.filter.function,
		  "only functions whose name matches, or the stacks that go through one"),
	OPT_REGEX(C_READERS, "object", "REGEX", input.filter.object,
		  "only functions whose ELF file matches, or the stacks through one"),
	OPT_REGEX(
		C_OF_STACKS, "focus", "REGEX", stacks.focus,
		"count only what was spent in functions whose name matches and in those that they "
		"call: totals and shares are of that"),
	OPT_REGEX(C_OF_STACKS, "ignore", "REGEX", stacks.ignore,
		  "count nothing that was spent in functions whose name matches or in those that "
		  "they call"),
	OPT_REGEX(C_OF_STACKS, "idle", "REGEX", stacks.idle,
		  "waiting apart from work: what was spent in functions whose name matches, and in "
		  "those that they call, is the event Idle instead of the first one"),
	OPT_EVENTS(C_EVENTS, "event", "NAME[,NAME...]", events, event_name,
		   "which events, in this order (default: all; the first one sorts); also formulas "
		   "over those of the input, X=Ir+10*D1mr, and the usual ones CEst, L1m, LLm, L2m, "
		   "Bm"),
	OPT_EVENTS(C_QUERY | C_VIEW | C_BROWSE, "event", "NAME=FORMULA[,...]", events, usual_name,
		   "events to add: formulas over those of the input, X=Ir+10*D1mr, and the usual "
		   "ones CEst, L1m, LLm, L2m, Bm"),
	OPT_FLAG(C_READERS, "exact", input.exact, "exact quantiles, whatever memory they need"),
	/* the output */
	OPT_TEXT_LETTER(
		'o', C_READERS | C_EXTRACT, "output", "FILE", output.path,
		"write to FILE, whole or not at all (default: standard output); its suffix chooses "
		"the form where no option does: .json, .csv, .svg, .html, .dot, .folded, "
		".pb.gz, ..."),
	OPT_TEXT_LETTER('o', C_RECORD, "output", "FILE", output.path,
			"the recording (default: the program's name and .xray, .perf or .callgrind "
			"in the present folder)"),
	OPT_FLAG(C_INFO | C_CHECK | C_DUMP | C_TABLES | C_ANALYZE | C_EXTRACT | C_QUERY, "json",
		 output.json, "as JSON; dump and check: one object a line"),
	OPT_FLAG(C_INFO | C_CHECK | C_TABLES | C_ANALYZE | C_EXTRACT | C_QUERY, "csv", output.csv,
		 "as CSV (RFC 4180)"),
	OPT_FLAG(C_SLICE | C_ONE_FORMAT, "json", output.json, "--simpoints: the table as JSON"),
	OPT_FLAG(C_SLICE | C_ONE_FORMAT, "csv", output.csv, "--simpoints: the table as CSV"),
	OPT_FLAG(C_QUERY, "box", output.box, "as a table for people (default)"),
	OPT_FLAG(C_EXTRACT, "yaml", output.yaml, "as YAML, the same as `llvm-xray extract`"),
	OPT_WORD(C_READERS, "progress", "auto|always|never", enum when, output.progress, WHEN_AUTO,
		 "a progress bar on standard error (default: on a terminal)"),
	OPT_WORD(C_READERS, "color", "auto|always|never", enum when, output.color, WHEN_AUTO,
		 "colors (default: on a terminal, unless NO_COLOR is set)"),
	/* help */
	OPT_FLAG(C_HELP, "man", help.man,
		 "write a manual page (roff) of the command, or of tracelathe itself"),
	OPT_NAME(C_HELP, "completion", "bash|zsh|fish", help.completion, shell_name,
		 "write completions for a shell"),
	OPT_FLAG(C_ALL & ~(C_REPORT | C_DIFF | C_ANALYZE), "all", help.all,
		 "--help: with the options that traces of only one format have a use for"),
	OPT_FLAG_LETTER('h', C_ALL, "help", help.wanted, "this text"),
	{ .name = NULL },
};
