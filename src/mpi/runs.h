/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_MPI_RUNS_H
#define TL_MPI_RUNS_H
/* What the master keeps of workers: profile files, and what shares tell each other, in a file. */
#include "cli/commands/job.h"
#include "mpi/units.h"

/* Profile files of the runs of `diff`, and of shares, one behind the other in a file. */
struct fleet_runs {
	int file;                 /* -1: there are none */
	uint64_t end;             /* of the file */
	struct run_place *places; /* by the number of the file; size 0: it could not be read */
};

/* Begin to keep those of so many runs. False without memory. */
bool fleet_keep_runs(struct fleet_runs *runs, size_t count);
/* The bytes go behind those of the others. Why that cannot be, for standard error; NULL: it is. */
const char *fleet_keep(struct fleet_runs *runs, const struct settings *settings, int bytes,
		       uint64_t size, struct run_place *place);
/* A copy of some of them, one behind the other, and its size. -1: no memory, or none is read. */
int fleet_copy(const struct fleet_runs *runs, const struct settings *settings,
	       const struct run_place *places, size_t count, uint64_t *size);
/* A copy of the profile file of a run. -1: no memory, or it cannot be read. */
int fleet_run(const struct fleet_runs *runs, size_t number, const struct settings *settings);

#endif
