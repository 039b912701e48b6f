/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TESTS_MPI_PLAYED_MPI_H
#define TL_TESTS_MPI_PLAYED_MPI_H
/* The ranks of played_mpi/mpi.h. */
#include <setjmp.h>
#include <sys/types.h>

#include "played_mpi/mpi.h"

enum { MOST_PLAYED = 4 };

struct world {
	int size, rank;               /* as which the next calls are made */
	pid_t processes[MOST_PLAYED]; /* what MPI_Allgather() says of the other ranks */
	bool stands;                  /* no message moves */
	unsigned late;                /* that a message is here is known after so many questions */
	jmp_buf *aborted;             /* where MPI_Abort() goes to */
	int status;                   /* with which it was called */
};

extern struct world world;

/* Forget all messages. */
void world_end(void);

#endif
