/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_CLI_H
#define TL_CLI_CLI_H
/* The command: what its parts share. */
#include <stdio.h>

#include <tracelathe/core.h>
#include <tracelathe/export.h>
#include <tracelathe/open.h>
#include <tracelathe/profile.h>
#include <tracelathe/report.h>

/* Exit status. */
enum {
	EXIT_CLEAN = 0,
	EXIT_DAMAGED = 1,  /* a result was given, but something was skipped or a check failed */
	EXIT_UNUSABLE = 2, /* nothing usable, bad usage, or output could not be written */
};

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

/* Everything the command line says. */
struct settings {
	struct tl_input_options input;
	struct tl_report_options report;
	struct tl_slice slice;
	struct tl_analysis analysis;
	struct tl_binary_spec *binaries;
	struct tl_raw_spec *raws;
	size_t raw_count;
	/* of all binaries and raws; those that had to be copied out of FILE@ADDR */
	char **binary_paths;
	size_t binary_count, binary_path_count;
	/* diff: those of the second file, when they are others. */
	struct tl_binary_spec *after_binaries;
	size_t after_count;
	const char *after_map;
	struct tl_rename *renames;
	char **rename_patterns; /* which had to be copied out of REGEX=TEXT */
	size_t rename_count;
	const char **source_dirs;
	size_t source_dir_count;
	const char **paths;
	size_t path_count;
	const char *output, *events, *to, *variant, *completion, *order, *by, *file;
	const char *partner; /* where the second file of a slice goes */
	enum when progress, color;
	enum tl_tree_kind tree;
	enum tl_export_compression compression;
	enum tl_export_positions positions;
	bool json, csv, help, man, inclusive, assembly;
	int context; /* -1: default */
	bool svg, icicle, flame;
	uint32_t pixels;
};

struct command;
struct progress;

/* A command at work. */
struct job {
	const struct command *command;
	struct settings *settings;
	struct tl_input *input;
	struct tl_output *out;
	struct progress *progress; /* shown until it is ended */
	bool said;                 /* the failure was already told on stderr */
	bool damaged;              /* an input was, or its profile, which was told */
};

/* The commands, by bit in the masks of the option table. */
enum {
	C_INFO = 1 << 0,
	C_CHECK = 1 << 1,
	C_DUMP = 1 << 2,
	C_REPORT = 1 << 3,
	C_TREE = 1 << 4,
	C_STACKS = 1 << 5,
	C_TIMELINE = 1 << 6,
	C_CONVERT = 1 << 7,
	C_HELP = 1 << 8,
	C_SLICE = 1 << 9,
	C_ANALYZE = 1 << 10,
	C_MERGE = 1 << 12,
	C_DIFF = 1 << 13,
	C_ANNOTATE = 1 << 14,
	C_FLAME = 1 << 16,
	/* These open each file by itself; for the others all files are one input. */
	C_SEVERAL = C_MERGE | C_DIFF,
	C_READERS = C_INFO | C_CHECK | C_DUMP | C_REPORT | C_TREE | C_STACKS | C_TIMELINE |
		    C_CONVERT | C_SEVERAL | C_ANNOTATE | C_FLAME | C_SLICE | C_ANALYZE,
	C_ALL = C_READERS | C_HELP,
};

struct example {
	const char *line, *says;
};

/* A row of the table of commands. */
struct command {
	const char *name;
	unsigned bit;
	const char *arguments; /* after the options */
	const char *help;      /* one line */
	const char *text;      /* a paragraph for the manual */
	const char *replaces;  /* what people used before, or NULL */
	/* Of commands that read an input: 0, 1 (a check failed) or a negative tl_status. */
	int (*run)(struct job *job, struct tl_error *err);
	struct example examples[4];
};

/* Ends with a NULL name. */
extern const struct command commands[];
const struct command *command_find(const char *name);

int cmd_info(struct job *job, struct tl_error *err);
int cmd_check(struct job *job, struct tl_error *err);
int cmd_dump(struct job *job, struct tl_error *err);
int cmd_report(struct job *job, struct tl_error *err);
int cmd_tree(struct job *job, struct tl_error *err);
int cmd_flame(struct job *job, struct tl_error *err);
int cmd_stacks(struct job *job, struct tl_error *err);
int cmd_timeline(struct job *job, struct tl_error *err);
int cmd_convert(struct job *job, struct tl_error *err);
int cmd_merge(struct job *job, struct tl_error *err);
int cmd_diff(struct job *job, struct tl_error *err);
int cmd_annotate(struct job *job, struct tl_error *err);
int cmd_slice(struct job *job, struct tl_error *err);
int cmd_analyze(struct job *job, struct tl_error *err);

/* `tracelathe help ...`; returns the exit status. */
int cmd_help(const struct settings *settings);

/* ---- messages.c: everything that goes to stderr ---- */

/*
 * Text without the end of its line; what may stand in names is made harmless
 * (tl_shown_character()).
 */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* `tracelathe[ COMMAND]: ...` */
void complain(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* `tracelathe: FILE: offset 0x.., record N: what was wrong; what was kept` */
void complain_error(const char *file, const struct tl_error *err);
void complain_unknown_command(const char *name);

/* ---- nearest.c ---- */

/* How different two words are: letters to add, drop, change or swap. */
size_t word_distance(const char *a, const char *b);
/* Whether a distance is small enough to ask "did you mean ...?". */
bool word_is_near(const char *word, size_t distance);

/* ---- help.c, man.c, completion.c: made from the tables, to stdout ---- */

void help_overview(void);
void help_command(const struct command *command);
/* NULL: the page of the program itself. */
void man_page(const struct command *command);
bool completion_script(const char *shell);
/* Print words, wrapped, from column `at` on with `indent` blanks before further lines. */
void help_wrap(const char *text, unsigned at, unsigned indent);

/* Flush stdout. @return `status`, or EXIT_UNUSABLE when it could not be written */
int close_stdout(int status);

/* ---- run.c: from settings to an exit status ---- */

int run_command(const struct command *command, struct settings *settings);
/* The form asked for by --json and --csv. */
enum tl_report_form report_form(const struct settings *settings);
/* Write a part of the input, its second file to where the settings say. */
int write_part(struct job *job, struct tl_slice what, struct tl_error *err);
/* Write a profile by an exporter; `command` is what the header names as measured, or NULL. */
int export_profile(const struct job *job, const struct tl_exporter *exporter,
		   const struct tl_profile *profile, const char *command, struct tl_error *err);
/* Fold the input and write the profile by the exporter of that name, "json" or "csv". */
int export_input(struct job *job, const char *name, struct tl_error *err);
/*
 * Open, fold and close one of several files; tells what is wrong with it by itself. *profile NULL:
 * failed.
 */
int fold_file(struct job *job, const char *path, struct tl_profile **profile, struct tl_error *err);
/*
 * The same in two steps: open one of several files, or tell why not; then fold and close what is
 * open.
 */
bool open_file(struct job *job, const char *path);
int fold_opened(struct job *job, const char *path, struct tl_profile **profile,
		struct tl_error *err);
/* Sums that did not fit are told, and the exit status says so. */
void tell_saturated(struct job *job, const char *file, const struct tl_profile *profile);
/*
 * Whether this build can write what is asked for, a page or a picture; tells it by itself when not.
 */
bool can_write_flame(struct job *job);
/*
 * The page or the picture of a profile or, with a baseline (the first file), of what changed since.
 */
int write_flame(struct job *job, const struct tl_profile *profile,
		const struct tl_profile *baseline, struct tl_error *err);
/* Events that can be chosen. */
struct event_list {
	const void *of;
	uint32_t count;
	const struct tl_event *(*at)(const void *of, uint32_t event);
};
int choose_events_of(struct job *job, const struct event_list *list, uint32_t **events,
		     struct tl_error *err);
/*
 * Choose the events that --event names; complains by itself of unknown ones. The caller frees
 * `*events`.
 */
int choose_events(struct job *job, const struct tl_profile *profile, uint32_t **events,
		  struct tl_error *err);
/*
 * Fold the input and choose events; negative on failure. The caller frees both results, also then.
 */
int fold_input(struct job *job, struct tl_profile **profile, uint32_t **events,
	       struct tl_error *err);
/*
 * The same, cut down to the stacks through the functions asked for: for what shows stacks.
 * `wanted`: where the input has no stacks, those that it can be given.
 */
int fold_input_stacks(struct job *job, bool wanted, struct tl_profile **profile, uint32_t **events,
		      struct tl_error *err);
/* Give a profile without stacks some; tells when they are estimated. */
int give_stacks(struct job *job, const char *path, struct tl_profile **profile,
		struct tl_error *err);
/* Tell that paths are estimated, which makes the exit status 1. */
void tell_estimated(struct job *job, const char *path);

/* ---- matched.c ---- */

/*
 * Tell that a profile of a file is empty because of the filters, if it is; the exit status is then
 * EXIT_DAMAGED.
 */
void tell_unmatched(struct job *job, const char *file, const struct tl_profile *profile);
/* The same of an output that is known to be empty. */
void tell_empty(struct job *job);

/* ---- progress.c ---- */

struct progress {
	bool enabled, drawn;
	double started, last; /* seconds of a monotonic clock */
};

void progress_begin(struct progress *progress, enum when when);
tl_progress_fn progress_tick;
/* Clear the bar. */
void progress_end(struct progress *progress);

/* ---- process.c: what holds for the whole process ---- */

/*
 * Standard streams that are closed stay closed to us; signals end the process without leaving files
 * behind.
 */
void process_begin(void);
/*
 * As tl_output_open(), tl_output_commit() and tl_output_discard(), known to the signal handlers
 * meanwhile.
 */
int output_open(struct tl_output **out, const char *path, struct tl_error *err);
int output_commit(struct tl_output *out, struct tl_error *err);
void output_discard(struct tl_output *out);

/* ---- terminal.c ---- */

/* Columns of the terminal that stdout is, 0: it is none. */
unsigned terminal_width(int fd);
bool use_color(const struct settings *settings);

#endif
