/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_MPI_RUN_H
#define TL_MPI_RUN_H
/* The program as a whole, and the command on rank 0, whose input the ranks have made. */
#include "mpi/master.h"
#include "mpi/worker.h"

/* The command's row is first, so that what the command calls finds the rest. */
struct fleet_command {
	struct command command;
	struct settings settings;
	struct fleet_options options;
	struct keeper keeper;
	struct relay relay;
	struct fleet_outcome outcome;
	const char *restart; /* the directory of --restart, NULL: none */
	/* those of these options in it, as in `options` */
	char *kept, *kept_after;
	unsigned silence; /* seconds after which a rank is given up; 0: never */
	const char *sql;  /* `query`: its statement; NULL: none was given */
	char *sql_text;   /* of a ready query, for free() */
	int rank, size;
};

/*
 * Take --restart, --timeout and --silence out of the arguments of the command.
 * @return false: one has no value, or one that is no number of seconds, which was said
 */
bool fleet_take_options(struct fleet_command *run, int *argc, char **argv);
/*
 * Name the directories of the profile files of --restart, below a number for the command and its
 * options: files that were read with other options are of no use. @return false: no memory
 */
bool fleet_name_restart(struct fleet_command *run, int argc, char **argv);
/* Make these directories. @return false: one cannot be made, which was said */
bool fleet_make_restart(const struct fleet_command *run);

/* Have a command take its input from the ranks, or again by itself. */
void answer_by_ranks(struct fleet_command *run);
void answer_alone(struct fleet_command *run);

#endif
