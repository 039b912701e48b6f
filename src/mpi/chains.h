/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_MPI_CHAINS_H
#define TL_MPI_CHAINS_H
/*
 * Shares that are folded at the same time, since each needs what others found (tl_share_chain):
 * what their workers tell, and wait for, goes through the master.
 */
#include "mpi/relay.h"
#include "mpi/runs.h"

struct fleet_chains {
	struct relay *relay;
	const struct settings *settings;
	struct units *units;
	struct fleet_runs *runs;
};

/*
 * NOTE_MEET, NOTE_BEFORE or NOTE_TOLD of the worker of a unit. Why the run fails, for standard
 * error; NULL: it does not.
 */
const char *chains_take(struct fleet_chains *chains, struct work_unit *unit,
			const struct note *note, int bytes);
/*
 * The file of a share is read as a whole; who waits for other shares of it need not any more. False
 * without memory.
 */
bool chains_drop(struct fleet_chains *chains, uint32_t number);
/*
 * Chains that are not done break when one who is to fold a share of them may never come to that.
 * False without memory.
 */
bool chains_break(struct fleet_chains *chains);

#endif
