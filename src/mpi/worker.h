/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_MPI_WORKER_H
#define TL_MPI_WORKER_H
/*
 * The process of a rank that reads files: a child of the rank, without MPI, so that it can give up
 * its rights as the command does, and its death is not that of the rank. Between both stands a
 * keeper, which starts the worker again; it never reads a file itself.
 */
#include <sys/types.h>
#include <time.h>

#include "cli/commands/job.h"

/* What the program has beside the settings of the command. */
struct fleet_options {
	/* directories of profile files, NULL: none are kept; those of the second side of `diff` */
	const char *restart, *restart_after;
	unsigned timeout; /* seconds for a file; 0: no end */
	/* threads for a file that others may wait for (NOTE_AWAITED); 0: as for all */
	unsigned large_jobs;
	unsigned sum_jobs; /* threads for the sum of all, for which all wait */
	/* when the worker's time for its file is up, which the keeper sees to; 0: it has none */
	_Atomic time_t *until;
};

/* Seconds of a clock that only goes forward. */
time_t worker_clock(void);

struct keeper {
	pid_t child;
	int socket; /* of notes, to and from the worker */
};

/* Make the keeper of this rank, before MPI_Init(). False: there is none, which was said. */
bool keeper_begin(struct keeper *keeper, const struct command *command, struct settings *settings,
		  const struct fleet_options *options);
/* Wait until it has ended; at once: whatever the worker does. */
void keeper_end(struct keeper *keeper, bool at_once);

/* The rest of a worker's life. @return the exit status of the process */
int worker_run(int socket, uint32_t life, const struct command *command, struct settings *settings,
	       const struct fleet_options *options);

#endif
