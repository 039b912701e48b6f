/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands: dispatch, help, manual pages and completions go by it. */
#include <string.h>

#include "cli/cli.h"

/* clang-format off */
const struct command commands[] = {
	{
		"info",
		C_INFO,
		"FILE",
		"what a file is: format, threads, time span, records, damage",
		"Says what the file is and what it holds: format and version, byte order, clock, "
		"threads, time span, how many records of each kind, and where it is damaged.",
		NULL,
		cmd_info,
		{ { "tracelathe info xray-log.fib.x1Y2z3", "what is in this log?" },
		  { "zstd -dc log.zst | tracelathe info -", "from a pipe" } },
	},
	{
		"check",
		C_CHECK,
		"FILE",
		"hold a file against every rule of its format",
		"Holds the file against every rule of its format and prints a line for each "
		"violation: the rule's name, the byte offset, the record's number and what is "
		"wrong. The exit status is 1 if there is any.",
		"llvm-xray fdr-dump --verify",
		cmd_check,
		{ { "tracelathe check log.xray && echo good", "in a script" },
		  { "tracelathe check --json log.xray", "one JSON object a violation" } },
	},
	{
		"dump",
		C_DUMP,
		"FILE",
		"every record, one line each",
		"Prints every record on a line of its own, with its byte offset. Threads are "
		"merged by time; --order file shows the records as they stand in the file.",
		"llvm-xray fdr-dump, llvm-xray convert -f yaml",
		cmd_dump,
		{ { "tracelathe dump --binary prog log.xray | less", "read a trace" },
		  { "tracelathe dump --json --time 5ms..6ms log.xray",
		    "a millisecond of it, for other programs" } },
	},
	{
		"report",
		C_REPORT,
		"FILE...",
		"the function table: calls, self and inclusive cost, durations",
		"Prints a line for each function: its self cost, its inclusive cost (recursion is "
		"counted once), how often it was called, and for traces with a clock how long the "
		"calls took: least, median, 90th and 99th percentile, most, and all together. "
		"Calls that never ended are counted apart. The events of Intel PT are Ir "
		"(instructions), Ticks (of the TSC) where the trace has time, and Cycles (of the "
		"core) where it has CYC packets, too.",
		"llvm-xray account, callgrind_annotate, uftrace report",
		cmd_report,
		{ { "tracelathe report --binary prog log.xray", "where did the time go?" },
		  { "tracelathe report --sort p99 --top 10 log.xray",
		    "the ten functions with the worst slow calls" },
		  { "tracelathe report --csv --threads -o report.csv log.xray",
		    "a table for other programs" },
		  { "tracelathe report callgrind.out.1234*", "a Callgrind run, all its parts" } },
	},
	{
		"tree",
		C_TREE,
		"FILE...",
		"callers and callees of each function, or a call tree",
		"Shows who called whom: each function with its callers above and its callees "
		"below it, or the call tree from its roots (--top-down), or from each function "
		"outwards (--bottom-up).",
		"callgrind_annotate --tree, llvm-xray graph",
		cmd_tree,
		{ { "tracelathe tree --top-down --binary prog log.xray", "the call tree" },
		  { "tracelathe tree --callers --function '^malloc$' log.xray",
		    "who calls malloc?" } },
	},
	{
		"stacks",
		C_STACKS,
		"FILE...",
		"folded stacks with their self cost, for flame graph tools",
		"Prints each call stack on a line, root first, frames separated by semicolons, "
		"then its self cost. The costs sum up to the total. --threads puts the thread at "
		"the root of each stack. Where the input has no stacks, paths are estimated from "
		"callers and callees, which is told (status 1); functions keep their self cost.",
		"llvm-xray stack, stackcollapse",
		cmd_stacks,
		{ { "tracelathe stacks --binary prog log.xray | flamegraph.pl > flame.svg",
		    "a flame graph" } },
	},
	{
		"flame",
		C_FLAME,
		"FILE...",
		"a flame graph: one HTML page that needs no network, or a picture",
		"Writes one HTML page with the profile as a flame graph or icicle: a click zooms, "
		"a search marks functions and says their share, a table of functions sorts by any "
		"column, and event and thread can be chosen. The page needs nothing from the "
		"network. What is too small to be seen is summed, and the page says so. --svg "
		"writes a picture instead.",
		"flamegraph.pl, speedscope",
		cmd_flame,
		{ { "tracelathe flame --binary prog -o flame.html log.xray",
		  "open it in any browser" },
		  { "tracelathe flame --svg --icicle -o flame.svg log.xray",
		    "a picture for a document" } },
	},
	{
		"timeline",
		C_TIMELINE,
		"FILE",
		"calls over time, for Perfetto or Chrome's trace viewer",
		"Writes calls over time with threads, names, arguments and custom events, as a "
		"Perfetto trace or as Chrome JSON, whose times count from the first record on "
		"(otherData tells when that was). Open the result at ui.perfetto.dev.",
		"llvm-xray convert -f trace_event",
		cmd_timeline,
		{ { "tracelathe timeline --binary prog -o log.perfetto log.xray",
		  "for ui.perfetto.dev" },
		  { "tracelathe timeline --to chrome -o log.json log.xray",
		    "for chrome://tracing" } },
	},
	{
		"convert",
		C_CONVERT,
		"FILE",
		"write the profile, or the trace, in another format",
		"Writes the profile in a format that other tools read, or the trace itself anew "
		"in its own format with every record kept.",
		"llvm-xray convert",
		cmd_convert,
		{ { "tracelathe convert --binary prog -o callgrind.out.log log.xray",
		  "for kcachegrind" },
		  { "tracelathe convert --to xray --xray-version 3 -o old.xray log.xray",
		    "for an older reader" } },
	},
	{
		"annotate",
		C_ANNOTATE,
		"FILE",
		"source lines, or instructions, with what they cost",
		"Shows source files, heaviest first, with the cost of each line, the calls it "
		"makes and the jumps it takes; lines far from any cost are left out. With --asm, "
		"functions by instruction: the code is what an Intel PT trace was decoded from, "
		"else that of --binary, and jumps are drawn. Traces of calls have their costs at "
		"the functions' first lines. What could not be annotated is summed up at the end.",
		"callgrind_annotate --auto=yes, perf annotate",
		cmd_annotate,
		{ { "tracelathe annotate --source-dir src callgrind.out",
		  "what do the lines cost?" },
		  { "tracelathe annotate --file 'parse' --context 3 callgrind.out",
		    "of these files only" },
		  { "tracelathe annotate --asm --function '^hash$' --binary prog callgrind.out",
		    "by instruction" } },
	},
	{
		"diff",
		C_DIFF,
		"BEFORE AFTER",
		"what changed between two profiles, largest change first",
		"Compares two profiles or traces, of whatever formats, by function, by call or by "
		"source line: what it cost before, what it costs after, the change and the change "
		"in percent. What is new or gone is said so. Events match by name; functions by "
		"object, file and name, or by name where that is enough. Ticks of clocks that run "
		"at different rates are compared in nanoseconds. Events that only one of the "
		"files has are left out, which is told; --event calls compares how often "
		"functions were called.",
		"cg_diff, graph-diff",
		cmd_diff,
		{ { "tracelathe diff callgrind.out.old callgrind.out.new", "what got slower?" },
		  { "tracelathe diff --by line --event Ir old.out new.out", "on which lines?" },
		  { "tracelathe diff --flame -o diff.html old.out new.out",
		    "as a flame graph, in colours" },
		  { "tracelathe diff --rename '\\.part\\.[0-9]+$=' old.out new.out",
		    "whatever the compiler called them" } },
	},
	{
		"merge",
		C_MERGE,
		"FILE...",
		"several profiles or traces as one profile",
		"Adds up any number of profiles and traces, of any formats, and writes one "
		"profile. The result is the same, to the byte, in whatever order and groups the "
		"files are merged. Events match by name; functions by object, file and name; "
		"parts stay apart. XRay logs of the processes of one program count once what a "
		"process inherited by fork.",
		"cg_merge",
		cmd_merge,
		{ { "tracelathe merge -o all.callgrind log.1 log.2 log.3",
		  "the processes of one run together" },
		  { "tracelathe merge --to json -o all.json *.xray", "for other programs" } },
	},
	{
		"analyze",
		C_ANALYZE,
		"FILE...",
		"mix, footprint, reuse, caches, system calls, blocks",
		"Looks into the instructions and accesses of a trace (xtrace) as architects do, "
		"in one pass: the mix of instructions, the memory touched, reuse distances, "
		"caches and TLBs, system calls, basic blocks and their vectors for SimPoint. "
		"Without a choice: mix, footprint, reuse and caches. Files of several threads or "
		"cores go together, in the order of their accesses where the trace has it.",
		"drmemtrace -tool, qemu -plugin cache, bbv",
		cmd_analyze,
		{ { "tracelathe analyze xtrace.1.0.hint9.xinsndata.bin",
		  "what does this program need?" },
		  { "tracelathe analyze --cache=mine.cfg --binary prog *.xinsndata.bin",
		    "which functions miss in my caches?" },
		  { "tracelathe analyze --bbv --interval 100000 -o prog.bb trace.bin",
		    "for SimPoint" },
		  { "tracelathe analyze --syscalls --json trace.bin", "for other programs" } },
	},
	{
		"slice",
		C_SLICE,
		"FILE",
		"a part of a trace as a smaller trace of the same format",
		"Writes a part of a trace as a trace of its own that any reader of the format "
		"takes: a time window, a thread, what ran before a function was called (Intel PT: "
		"cut at synchronisation points, so that it decodes alone), snapshots or "
		"instructions by number (xtrace).",
		"perf record --snapshot, record_filter",
		cmd_slice,
		{ { "tracelathe slice --time 5ms..9ms -o part.pt trace.pt", "four milliseconds" },
		  { "tracelathe slice --trigger '^abort$' --before 2ms -o part.pt trace.pt",
		    "what led to it?" } },
	},
	{
		"help",
		C_HELP,
		"[COMMAND]",
		"this overview, or help on a command",
		"Shows an overview, or the options of a command. The manual pages and the "
		"completions of shells come from here too.",
		NULL,
		NULL,
		{ { "tracelathe help report", "the options of report" },
		  { "tracelathe help --man report | man -l -", "its manual page" },
		  { "source <(tracelathe help --completion bash)", "completions for this shell" } },
	},
	{ 0 },
};
/* clang-format on */

const struct command *command_find(const char *name)
{
	for (const struct command *command = commands; command->name; command++)
		if (!strcmp(command->name, name))
			return command;
	return NULL;
}
