/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_MPI_MASTER_H
#define TL_MPI_MASTER_H
/*
 * Rank 0 hands out files as workers become free, and has the sums added up in pairs. It knows of
 * each file whose sum it is in, so that nothing is lost or counted twice when a worker dies.
 */
#include "mpi/relay.h"
#include "mpi/runs.h"

/* What came of the files. */
struct fleet_outcome {
	int sum;                /* a profile file's descriptor; -1: there is none */
	struct fleet_runs runs; /* of `diff`: there is no sum */
	int status;             /* negative: the run failed, which was said */
	size_t missing;         /* files that could not be read */
	bool damaged, flattened;
};

/*
 * Hand out the files of the settings until there is a sum, or, for `diff`, all runs. The caller
 * frees the outcome.
 */
void master_run(struct relay *relay, const struct settings *settings,
		struct fleet_outcome *outcome);
void fleet_outcome_free(struct fleet_outcome *outcome);

#endif
