/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_MPI_RELAY_H
#define TL_MPI_RELAY_H
/*
 * Notes between ranks. Each rank passes on what its worker and the others send; nothing here waits
 * for another rank, so that none can hang because another does. A rank that is not heard of for
 * long ends the run, or, where mpirun lets the others live (--enable-recovery), is given up: notes
 * to it and of it are dropped, and the master has its files read by others.
 */
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "mpi/note.h"

/* Of the master: takes a note and its bytes, -1 or a descriptor to close. */
typedef void relay_take_fn(void *arg, const struct note *note, int bytes);
/* Of the master: a rank is given up, with all that its worker had. */
typedef void relay_lose_fn(void *arg, int rank);

struct outgoing;
struct settings;
struct incoming;

struct relay {
	int rank, size;      /* of all ranks */
	int worker;          /* socket; -1: it has ended */
	relay_take_fn *take; /* of rank 0, as the next one */
	relay_lose_fn *lose;
	void *arg;
	const struct settings *settings; /* for temporary files */
	struct outgoing *first, *last;
	struct outgoing *stuck; /* on the way to a rank that is given up: their bytes are MPI's */
	struct incoming *incoming; /* by rank */
	uint32_t given;            /* sums that the worker sent to other ranks */
	int wait_ms;               /* for a note of the worker */
	double *heard;             /* by rank: when it was heard of last, in seconds */
	double called;             /* when this rank told last that it is there */
	double silence;            /* seconds of it after which a rank is given up; 0: none are */
	bool recovers;             /* the others go on then */
	bool *gone;                /* by rank: it is given up */
	pid_t *processes;          /* by rank: on this machine; 0: it cannot be looked for */
	bool quit, failed;         /* NOTE_QUIT came, since there is a sum or there will be none */
};

/* After MPI_Init(). `take`, `lose` and `silence` are to be set behind it. False without memory. */
bool relay_open(struct relay *relay, int worker, const struct settings *settings);
/* Send to the worker of note->to, or to the master. `bytes` is closed when they are sent. */
void relay_send(struct relay *relay, const struct note *note, int bytes);
/* Pass on what there is, or wait a moment. */
void relay_turn(struct relay *relay);
/* Send what waits. */
void relay_flush(struct relay *relay);
void relay_close(struct relay *relay);

/* Whether mpirun lets the others live when a rank dies; then nobody may wait for all at the end. */
bool relay_recovers(void);
/* End the whole run, on all ranks. */
_Noreturn void relay_abort(const char *why, int rank);

#endif
