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

/* Have a command take its input from the ranks, or again by itself. */
void answer_by_ranks(struct fleet_command *run);
void answer_alone(struct fleet_command *run);

#endif
