/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIELD(member) offsetof(struct settings, member)

enum {
	C_TABLES = C_REPORT | C_TREE | C_DIFF | C_ANNOTATE,
	C_EVENTS = C_TABLES | C_STACKS | C_CONVERT | C_MERGE | C_FLAME,
};

const struct option_row option_rows[] = {
	/* report, tree */
	{ "sort", 0, "COLUMN", C_REPORT,
	  "sort by this column: function, object, file, line, id, thread, self, inclusive, calls, "
	  "min, "
	  "median, p90, p99, max, sum, unfinished, or EVENT:self and EVENT:inclusive (default: "
	  "self); "
	  "names sort from A to Z",
	  set_text, FIELD(report.sort), 0 },
	{ "by", 0, "function|file|object", C_REPORT, "a row for each of these (default: function)",
	  set_word, FIELD(by), 0 },
	{ "by", 0, "function|arc|line", C_DIFF,
	  "compare self cost of functions (default), inclusive cost of calls, or self cost of "
	  "source lines",
	  set_word, FIELD(by), 0 },
	{ "inclusive", 0, NULL, C_DIFF, "compare functions by their inclusive cost", set_flag,
	  FIELD(inclusive), 0 },
	{ "sort", 0, "COLUMN", C_DIFF,
	  "sort by this column: change (default), percent, before, after, calls, function, caller, "
	  "object, file, or "
	  "EVENT:change and the like; numbers by size, names from A to Z",
	  set_text, FIELD(report.sort), 0 },
	{ "rename", 0, "REGEX=TEXT", C_DIFF,
	  "on both sides, read each match in a function's name as TEXT, where \\1 is the first "
	  "group; may be repeated",
	  set_rename, 0, 0 },
	{ "binary-after", 0, "FILE[@ADDR]", C_DIFF,
	  "as --binary, for the second file (default: the same); may be repeated", set_after_binary,
	  0, 0 },
	{ "map-after", 0, "FILE", C_DIFF, "as --map, for the second file (default: the same)",
	  set_text, FIELD(after_map), 0 },
	{ "threshold", 0, "PERCENT", C_DIFF,
	  "leave out what changed by less than this share of the larger total (default: 0)",
	  set_percent, FIELD(report.threshold), 0 },
	{ "asm", 0, NULL, C_ANNOTATE, "functions by instruction instead of files by line", set_flag,
	  FIELD(assembly), 0 },
	{ "file", 0, "REGEX", C_ANNOTATE, "only source files whose path matches", set_text,
	  FIELD(file), 0 },
	{ "source-dir", 0, "DIR", C_ANNOTATE,
	  "look for sources below DIR, with leading directories left out as needed, before the "
	  "path as recorded; may be "
	  "repeated",
	  set_source_dir, 0, 0 },
	{ "context", 0, "N", C_ANNOTATE, "show N lines around those with a cost (default: 8)",
	  set_lines, FIELD(context), 0 },
	{ "threshold", 0, "PERCENT", C_ANNOTATE,
	  "the files (functions) that hold this share of the cost, heaviest first (default: 99 as "
	  "text, else 100)",
	  set_percent, FIELD(report.threshold), 0 },
	{ "ascending", 0, NULL, C_REPORT | C_DIFF, "least first", set_flag, FIELD(report.ascending),
	  0 },
	{ "top", 0, "N", C_REPORT | C_DIFF, "only the first N rows (default: 40 as text, else all)",
	  set_count, FIELD(report.top), 0 },
	{ "all", 0, NULL, C_REPORT | C_DIFF, "all rows as text too", set_flag, FIELD(report.all),
	  0 },
	{ "threads", 0, NULL, C_REPORT | C_STACKS | C_FLAME, "keep threads apart", set_flag,
	  FIELD(report.threads), 0 },
	{ "seconds", 0, NULL, C_TABLES, "durations in seconds instead of ticks", set_flag,
	  FIELD(report.seconds), 0 },
	{ "callers", 0, NULL, C_TREE, "each function with its callers", set_choice, FIELD(tree),
	  TL_TREE_CALLERS },
	{ "callees", 0, NULL, C_TREE, "each function with its callees", set_choice, FIELD(tree),
	  TL_TREE_CALLEES },
	{ "both", 0, NULL, C_TREE, "callers above, callees below (default)", set_choice,
	  FIELD(tree), TL_TREE_BOTH },
	{ "top-down", 0, NULL, C_TREE, "the call tree from its roots", set_choice, FIELD(tree),
	  TL_TREE_TOP_DOWN },
	{ "bottom-up", 0, NULL, C_TREE, "each function, then the paths of its callers", set_choice,
	  FIELD(tree), TL_TREE_BOTTOM_UP },
	{ "threshold", 0, "PERCENT", C_TREE,
	  "leave out what has less than this share of the total (default: 0.5 as text, else 0)",
	  set_percent, FIELD(report.threshold), 0 },
	/* flame */
	{ "flame", 0, NULL, C_DIFF,
	  "a flame graph of the second file as one HTML page, with colours for what became more "
	  "and less",
	  set_flag, FIELD(flame), 0 },
	{ "svg", 0, NULL, C_FLAME | C_DIFF, "a picture of the first event instead of a page",
	  set_flag, FIELD(svg), 0 },
	{ "icicle", 0, NULL, C_FLAME | C_DIFF, "roots at the top (a page has a switch for it too)",
	  set_flag, FIELD(icicle), 0 },
	{ "threshold", 0, "PERCENT", C_FLAME,
	  "sum stacks with less than this share of the total, or of their thread's (default: 0.01)",
	  set_percent, FIELD(report.threshold), 0 },
	{ "width", 0, "PIXELS", C_FLAME | C_DIFF, "--svg: width of the picture (default: 1200)",
	  set_count, FIELD(pixels), 0 },
	/* other commands */
	{ "order", 0, "time|file", C_DUMP,
	  "threads merged by time (default), or records as they stand in the file", set_word,
	  FIELD(order), 0 },
	{ "to", 0, "perfetto|chrome", C_TIMELINE, "what to write (default: perfetto)", set_timeline,
	  FIELD(to), 0 },
	{ "to", 0, "NAME", C_CONVERT | C_MERGE,
	  "what to write (default: callgrind); the names are listed below", set_target, FIELD(to),
	  0 },
	{ "xray-version", 0, "V", C_CONVERT, "--to xray: 1 to 5, or basic (default: 5)", set_text,
	  FIELD(variant), 0 },
	{ "compress", 0, NULL, C_CONVERT,
	  "--to callgrind: names once, positions relative to the line before", set_choice,
	  FIELD(compression), TL_COMPRESS_ALL },
	{ "no-compress", 0, NULL, C_CONVERT,
	  "--to callgrind: names and positions in full (default: names once, positions in full)",
	  set_choice, FIELD(compression), TL_COMPRESS_NONE },
	{ "positions", 0, "instr|line", C_CONVERT,
	  "--to callgrind: addresses and lines, or only lines (default: what the profile has)",
	  set_positions, FIELD(positions), 0 },
	/* the input */
	{ "format", 0, "NAME", C_READERS,
	  "read the input as this format instead of recognising it by content", set_format,
	  FIELD(input.format), 0 },
	{ "binary", 0, "FILE[@ADDR]", C_READERS,
	  "the program that ran, for names, lines and the XRay map; ADDR is what it was moved by; "
	  "may be "
	  "repeated",
	  set_binary, 0, 0 },
	{ "map", 0, "FILE", C_READERS,
	  "XRay instrumentation map as `llvm-xray extract` writes it (YAML)", set_text,
	  FIELD(input.map), 0 },
	{ "tid16", 0, NULL, C_READERS,
	  "XRay: thread ids have the 2 bytes of the published version 1", set_flag,
	  FIELD(input.tid16), 0 },
	{ "bit-order", 0, "low|high|detect", C_READERS,
	  "XRay, big-endian files: bit fields begin at this end (default: detect)", set_word,
	  FIELD(input.bit_order), 0 },
	{ "no-demangle", 0, NULL, C_READERS, "show C++ and Rust names as the linker sees them",
	  set_flag, FIELD(input.raw_names), 0 },
	{ "strict", 0, NULL, C_READERS,
	  "stop at the first fault instead of skipping what is damaged", set_flag,
	  FIELD(input.strict), 0 },
	{ "jobs", 0, "N", C_READERS, "work on so many threads (default: one per processor)",
	  set_jobs, FIELD(input.jobs), 0 },
	/* what counts */
	{ "thread", 0, "ID", C_READERS, "only this thread", set_id, FIELD(input.thread), 0 },
	{ "part", 0, "N", C_READERS, "Callgrind: only parts of this number", set_part,
	  FIELD(input.part), 0 },
	{ "cpu", 0, "ID", C_READERS, "only what ran on this processor", set_id, FIELD(input.cpu),
	  0 },
	{ "pid", 0, "ID", C_READERS, "only this process", set_id, FIELD(input.process), 0 },
	{ "time", 0, "FROM..TO", C_READERS,
	  "only this window, in seconds from the first record; 5ms..20ms, 1.5.. and ..300us are "
	  "windows too",
	  set_window, 0, 0 },
	{ "function", 0, "REGEX", C_READERS,
	  "only functions whose name matches, or the stacks that go through one", set_text,
	  FIELD(input.function), 0 },
	{ "object", 0, "REGEX", C_READERS,
	  "only functions whose ELF file matches, or the stacks through one", set_text,
	  FIELD(input.object), 0 },
	{ "event", 0, "NAME[,NAME...]", C_EVENTS,
	  "which events, in this order (default: all; the first one sorts)", set_text,
	  FIELD(events), 0 },
	{ "exact", 0, NULL, C_READERS, "exact quantiles, whatever memory they need", set_flag,
	  FIELD(input.exact), 0 },
	/* the output */
	{ "output", 'o', "FILE", C_READERS,
	  "write to FILE, whole or not at all (default: standard output)", set_text, FIELD(output),
	  0 },
	{ "json", 0, NULL, C_INFO | C_CHECK | C_DUMP | C_TABLES,
	  "as JSON; dump and check: one object a line", set_flag, FIELD(json), 0 },
	{ "csv", 0, NULL, C_TABLES, "as CSV (RFC 4180)", set_flag, FIELD(csv), 0 },
	{ "progress", 0, "auto|always|never", C_READERS,
	  "a progress bar on standard error (default: on a terminal)", set_when, FIELD(progress),
	  0 },
	{ "color", 0, "auto|always|never", C_READERS,
	  "colors (default: on a terminal, unless NO_COLOR is set)", set_when, FIELD(color), 0 },
	/* help */
	{ "man", 0, NULL, C_HELP,
	  "write a manual page (roff) of the command, or of tracelathe itself", set_flag,
	  FIELD(man), 0 },
	{ "completion", 0, "bash|zsh|fish", C_HELP, "write completions for a shell", set_word,
	  FIELD(completion), 0 },
	{ "help", 'h', NULL, C_ALL, "this text", set_flag, FIELD(help), 0 },
	{ NULL, 0, NULL, 0, NULL, NULL, 0, 0 },
};

/* ---- finding a row ---- */

static const struct option_row *find_row(const char *name, size_t length, unsigned commands_mask)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if ((row->commands & commands_mask) && strlen(row->name) == length &&
		    !memcmp(row->name, name, length))
			return row;
	return NULL;
}

static const struct option_row *find_letter(char letter, unsigned commands_mask)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if ((row->commands & commands_mask) && row->letter == letter)
			return row;
	return NULL;
}

static void complain_unknown(const struct command *command, const char *name, size_t length)
{
	const struct option_row *elsewhere = find_row(name, length, C_ALL), *best = NULL;
	size_t best_distance = SIZE_MAX;
	char word[64];

	snprintf(word, sizeof(word), "%.*s", (int)(length < 60 ? length : 60), name);
	for (const struct option_row *row = option_rows; row->name; row++) {
		size_t distance = word_distance(word, row->name);

		if ((row->commands & command->bit) && distance < best_distance) {
			best = row;
			best_distance = distance;
		}
	}
	if (best && word_is_near(word, best_distance))
		complain(command, "unknown option --%s; did you mean --%s?", word, best->name);
	else if (elsewhere)
		complain(command,
			 "--%s is an option of other commands; `tracelathe %s --help` lists those "
			 "of %s",
			 word, command->name, command->name);
	else
		complain(command, "unknown option --%s; `tracelathe %s --help` lists the options",
			 word, command->name);
}

/* ---- reading arguments ---- */

struct arguments {
	int at, count;
	char **list;
};

static bool store(struct settings *settings, const struct command *command,
		  const struct option_row *row, const char *value)
{
	const char *wrong = row->set((char *)settings + row->field, row, value);

	if (wrong)
		complain(command, "--%s %s: %s%s", row->name, value ? value : "",
			 wrong == row->argument ? "must be " : "", wrong);
	return !wrong;
}

static bool take_value(struct settings *settings, const struct command *command,
		       const struct option_row *row, const char *attached, struct arguments *args)
{
	if (!row->argument) {
		if (!attached)
			return store(settings, command, row, NULL);
		complain(command, "--%s takes no value", row->name);
		return false;
	}
	if (!attached && args->at < args->count)
		attached = args->list[args->at++];
	if (attached)
		return store(settings, command, row, attached);
	complain(command, "--%s needs a value, --%s %s", row->name, row->name, row->argument);
	return false;
}

static bool take_long(struct settings *settings, const struct command *command,
		      const char *argument, struct arguments *args)
{
	const char *name = argument + 2;
	size_t length = strcspn(name, "=");
	const struct option_row *row = find_row(name, length, command->bit);

	if (row)
		return take_value(settings, command, row, name[length] ? name + length + 1 : NULL,
				  args);
	complain_unknown(command, name, length);
	return false;
}

static bool take_short(struct settings *settings, const struct command *command,
		       const char *argument, struct arguments *args)
{
	const struct option_row *row = find_letter(argument[1], command->bit);
	const char *attached = argument[2] ? argument + 2 : NULL;

	if (row && (row->argument || !attached))
		return take_value(settings, command, row, attached, args);
	complain(command, "unknown option %s; `tracelathe %s --help` lists the options", argument,
		 command->name);
	return false;
}

static bool take_all(struct settings *settings, const struct command *command,
		     struct arguments *args)
{
	bool options = true;

	while (args->at < args->count) {
		const char *argument = args->list[args->at++];

		if (!options || argument[0] != '-' || !argument[1]) {
			settings->paths[settings->path_count++] = argument;
		} else if (!strcmp(argument, "--")) {
			options = false;
		} else if (argument[1] == '-') {
			if (!take_long(settings, command, argument, args))
				return false;
		} else if (!take_short(settings, command, argument, args)) {
			return false;
		}
	}
	return true;
}

static unsigned processors(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count < 1 ? 1 : count > 16 ? 16 : (unsigned)count;
}

static void set_defaults(struct settings *settings)
{
	*settings = (struct settings){ .tree = TL_TREE_BOTH, .context = -1 };
	settings->input.size = sizeof(settings->input);
	settings->input.thread = settings->input.process = settings->input.cpu = TL_NOWHERE;
	settings->input.jobs = processors();
	settings->report.size = sizeof(settings->report);
	settings->report.threshold = -1;
}

/* What the options mean together. */
static bool settle(struct settings *settings, const struct command *command)
{
	if (settings->json && settings->csv) {
		complain(command, "--json and --csv exclude each other");
		return false;
	}
	if (command->bit == C_DIFF && (settings->svg || settings->icicle || settings->pixels))
		settings->flame = true;
	if (settings->flame &&
	    (settings->rename_count || settings->by || settings->json || settings->csv)) {
		complain(command, "--flame goes without --rename, --by, --json and --csv");
		return false;
	}
	settings->input.binaries = settings->binaries;
	settings->input.binary_count = settings->binary_count;
	if ((command->bit & (C_REPORT | C_TREE | C_STACKS)) ||
	    (command->bit == C_DIFF && !(settings->by && !strcmp(settings->by, "line"))))
		settings->input.detail = TL_DETAIL_FUNCTIONS;
	settings->input.per_thread = settings->report.threads;
	settings->input.file_order = settings->order && !strcmp(settings->order, "file");
	if (settings->input.bit_order && !strcmp(settings->input.bit_order, "detect"))
		settings->input.bit_order = NULL;
	return true;
}

bool settings_parse(struct settings *settings, const struct command *command, int argc, char **argv)
{
	struct arguments args = { 0, argc, argv };
	size_t room = (size_t)argc + 1;

	set_defaults(settings);
	settings->paths = calloc(room, sizeof(*settings->paths));
	settings->binaries = calloc(room, sizeof(*settings->binaries));
	settings->binary_paths = calloc(room, sizeof(*settings->binary_paths));
	settings->after_binaries = calloc(room, sizeof(*settings->after_binaries));
	settings->renames = calloc(room, sizeof(*settings->renames));
	settings->rename_patterns = calloc(room, sizeof(*settings->rename_patterns));
	settings->source_dirs = calloc(room, sizeof(*settings->source_dirs));
	if (!settings->paths || !settings->binaries || !settings->binary_paths ||
	    !settings->after_binaries || !settings->renames || !settings->rename_patterns ||
	    !settings->source_dirs) {
		complain(command, "out of memory");
		return false;
	}
	return take_all(settings, command, &args) && settle(settings, command);
}

void settings_free(struct settings *settings)
{
	for (size_t i = 0; i < settings->binary_path_count; i++)
		free(settings->binary_paths[i]);
	for (size_t i = 0; i < settings->rename_count; i++)
		free(settings->rename_patterns[i]);
	free(settings->after_binaries);
	free(settings->renames);
	free(settings->rename_patterns);
	free(settings->source_dirs);
	free(settings->binary_paths);
	free(settings->binaries);
	free(settings->paths);
}
