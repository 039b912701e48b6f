/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_OPTIONS_SETTINGS_H
#define TL_CLI_OPTIONS_SETTINGS_H
/* What the command line says, by what it is about. The option table names these fields. */
#include <tracelathe/export.h>
#include <tracelathe/open.h>
#include <tracelathe/profile.h>
#include <tracelathe/report.h>

#include "cli/options/command.h"
#include "cli/options/list.h"
#include "cli/terminal/tty.h"

enum record_order { ORDER_TIME, ORDER_FILE };

/* Lists that settings.input points to once all arguments are read. */
struct program_settings {
	LIST_OF(struct tl_binary_spec) binaries;
	LIST_OF(struct tl_raw_spec) raws;
	bool debuginfod; /* servers are asked for what is not on this machine */
	LIST_OF(const char *) labels;
	LIST_OF(const char *) decoders;
};

/* The values of `diff --by`, in the order of its words; 0: not given. */
enum diff_by { DIFF_BY_DEFAULT, DIFF_BY_FUNCTION, DIFF_BY_ARC, DIFF_BY_LINE };

/* The values of `diff --to`, in the order of its words. */
enum diff_form { DIFF_TABLE, DIFF_DOT };

struct diff_settings {
	enum diff_by by;
	bool inclusive;
	LIST_OF(struct tl_rename) renames;
	/* The programs of the second file; empty: those of the first. */
	LIST_OF(struct tl_binary_spec) binaries_after;
	const char *map_after;
	double fail_above; /* percent; below 0: no gate */
	bool markdown;
	enum diff_form form;
	bool runs;
	bool flow;
	uint32_t window, meet; /* of --flow, blocks; 0: default */
	size_t before;         /* of the files, so many stand before -- */
};

struct spread_settings {
	bool wanted, inclusive;
};

struct annotate_settings {
	bool assembly;
	const char *file; /* regular expression */
	int context;      /* lines; -1: default */
	LIST_OF(const char *) source_dirs;
};

struct flame_settings {
	bool svg, icicle;
	bool of_diff;    /* diff: a flame graph instead of the table */
	uint32_t pixels; /* width of the picture, 0: default */
};

struct convert_settings {
	const char *to; /* NULL: default */
	const char *variant;
	const char *tables; /* of a database; NULL: all */
	enum tl_export_compression compression;
	enum tl_export_positions positions;
	unsigned labels; /* enum tl_graph_label */
	enum tl_graph_color color;
	enum tl_graph_cluster cluster;
	uint32_t most_depth; /* of call stacks; 0: default */
};

struct slice_settings {
	struct tl_slice part;
	const char
		*partner; /* path of the second file of a slice, NULL: by the name of the first */
	const char *simpoints, *weights; /* files of SimPoint; NULL: one slice */
	uint64_t warmup;                 /* instructions before each of these */
};

struct record_settings {
	bool list, finish;
	const char *how, *function;
	double threshold_seconds;
	uint64_t ring_megabytes, buffer_kilobytes;
	uint32_t depth;
};

/* Where the index of calls is kept. */
struct index_settings {
	const char *path; /* NULL: by itself, for large inputs */
	bool none;
};

struct view_settings {
	uint32_t port; /* 0: any */
	bool no_open;
	bool as_file; /* --static */
	struct index_settings index;
};

/* Which files are read, where these are many. */
struct option_row;

struct file_settings {
	const char *config;                       /* the file of defaults; NULL: the usual one */
	LIST_OF(const struct option_row *) given; /* on the command line */
	const char *glob; /* names of files in directories; NULL: directories are no inputs */
	bool listed;      /* some came from a list or a directory */
	bool no_keep_going;
	uint64_t memory_megabytes; /* of a sum; 0: default */
	bool threads_together;     /* of a sum no costs of single threads are shown */
	const char *scratch;       /* directory of what does not fit; NULL: the usual one */
	LIST_OF(char *) copies; /* parts of arguments, as FILE of FILE@ADDR; freed with the rest */
	bool no_sandbox;
};

struct query_settings {
	bool list; /* the ready queries */
};

struct event_settings {
	const char *names;              /* of --event, separated by commas; NULL: all */
	LIST_OF(const char *) formulas; /* those of them that may have to be added */
};

/* Regular expressions: only stacks through a function, or none of them. */
struct stack_settings {
	const char *focus, *ignore, *idle;
	bool count; /* calls of stacks instead of their self cost */
};

struct output_settings {
	const char *path; /* NULL, "-": standard output */
	bool json, csv, yaml, box;
	bool wide; /* tables are not made to fit the terminal */
	enum when progress, color;
	enum record_order order; /* of `dump` */
};

struct help_settings {
	bool wanted; /* --help, of any command */
	bool all;    /* all options, not only those that concern more than one format */
	bool man;
	const char *completion; /* name of the shell */
};

struct settings {
	struct tl_input_options input;
	struct tl_report_options report;
	struct event_settings events;
	enum tl_tree_kind tree;
	struct program_settings programs;
	struct diff_settings diff;
	struct spread_settings spread;
	struct annotate_settings annotate;
	struct flame_settings flame;
	struct convert_settings convert;
	struct stack_settings stacks;
	struct slice_settings slice;
	struct tl_analysis analysis;
	struct record_settings record;
	struct query_settings query;
	struct file_settings files;
	struct view_settings view;
	struct output_settings output;
	struct help_settings help;
	LIST_OF(const char *) paths;
};

/*
 * Read the arguments behind the command. On failure it complains on stderr and returns false. Free
 * with settings_free(), also after a failure.
 */
bool settings_parse(struct settings *settings, const struct command *command, int argc,
		    char **argv);
void settings_free(struct settings *settings);
/* The default of --jobs on a machine of so many processors; below 1: unknown. */
unsigned default_jobs(long processors);

/* Whether files are read for where their costs are from: --spread, --by trace, host or process. */
bool by_origin(const struct settings *settings);
/* The exporter of --to, by default the first one; NULL: --to names no format of profiles. */
const struct tl_exporter *chosen_exporter(const struct settings *settings);
/* The form asked for by --json and --csv. */
enum tl_report_form report_form(const struct settings *settings);

#endif
