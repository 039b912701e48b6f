/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_OPTIONS_COMMAND_H
#define TL_CLI_OPTIONS_COMMAND_H
/* The rows of commands.def, and the bits by which the option table names commands. */
#include <stdbool.h>

#include <tracelathe/core.h>

struct command_job;
struct tl_gather;
struct tl_profile;

/* What a command does with its rights before it reads (cli/confine). */
enum command_rights {
	RIGHTS_FEW, /* it gives up all but those to read */
	RIGHTS_OWN, /* it gives them up by itself, or runs other programs */
};

/* How a command takes the files it is given. */
enum command_files {
	FILES_NONE,     /* it reads no trace: its arguments are something else */
	FILES_TOGETHER, /* all of them are one input, open before the command runs */
	FILES_APART,    /* the command opens each by itself */
	FILES_TWO,      /* the same, and there must be two */
};

struct example {
	const char *line, *says;
};

enum { MOST_EXAMPLES = 4 };

struct command {
	const char *name;
	unsigned bit; /* C_NAME below */
	/* 0, 1 (a check failed) or a negative tl_status; of FILES_NONE: the exit status */
	int (*run)(struct command_job *job, struct tl_error *err);
	enum command_files files;
	bool directory; /* -o is a directory, in which the command makes files itself */
	enum command_rights rights;
	/* adds the files to a sum, instead of gather/gather.c, and lists them before (mpi) */
	int (*gather)(struct command_job *job, struct tl_gather *gather, struct tl_error *err);
	/* diff --runs: folds a file, by number, instead of cli/commands/run.c (mpi) */
	int (*fold_run)(struct command_job *job, size_t number, struct tl_profile **profile,
			struct tl_error *err);
	bool keeps_index;      /* of calls, in a file: index_file.c */
	bool brief;            /* the overview, which has to fit a screen, only names it */
	const char *arguments; /* behind the options */
	const char *help;      /* one line */
	const char *text;      /* a paragraph for the manual */
	const char *replaces;  /* the usual tools for the same task, or NULL */
	struct example examples[MOST_EXAMPLES];
};

/* Ends with a NULL name. */
extern const struct command commands[];
const struct command *command_find(const char *name);

enum command_number {
#define COMMAND(NAME, name, ...) COMMAND_##NAME,
#include "cli/options/commands.def"
#undef COMMAND
	COMMAND_COUNT,
};

/* Bits of commands, for the masks of the option table. */
enum {
#define COMMAND(NAME, name, ...) C_##NAME = 1 << COMMAND_##NAME,
#include "cli/options/commands.def"
#undef COMMAND
	C_ALL = (1 << COMMAND_COUNT) - 1,
	C_READERS = C_ALL & ~(C_HELP | C_EXTRACT | C_RECORD),
	C_TABLES = C_REPORT | C_TREE | C_DIFF | C_ANNOTATE,
	C_FOLDED = C_REPORT | C_TREE | C_STACKS | C_FLAME | C_ANNOTATE | C_CONVERT,
	C_EVENTS = C_TABLES | C_STACKS | C_CONVERT | C_MERGE | C_FLAME,
	C_OF_STACKS = C_REPORT | C_TREE | C_STACKS | C_FLAME | C_CONVERT,
	/* what adds up many files */
	C_MANY = C_REPORT | C_TREE | C_STACKS | C_FLAME | C_CONVERT | C_DIFF | C_MERGE | C_MAP,
	C_SUMS = C_MANY & ~(C_DIFF | C_MAP), /* in bounded memory */
	C_ONE_FORMAT = 1 << COMMAND_COUNT, /* only traces of one format have a use for the option */
	C_READERS_ONE_FORMAT = C_READERS | C_ONE_FORMAT,
	C_OF_RANKS = 1 << (COMMAND_COUNT + 1), /* the command has its files read by ranks (mpi) */
};

/* The function of each command: cmd_report() stands in cmd_report.c. */
#define COMMAND(NAME, name, ...) int cmd_##name(struct command_job *job, struct tl_error *err);
#include "cli/options/commands.def"
#undef COMMAND

#endif
