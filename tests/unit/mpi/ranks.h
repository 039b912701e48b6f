/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TESTS_MPI_RANKS_H
#define TL_TESTS_MPI_RANKS_H
/*
 * A program on several ranks, which are processes of the test: ranks.c has the functions of
 * played_mpi/mpi.h between them.
 */
enum { MOST_OF_RANKS = 5 };

struct ranks {
	int count;
	/* The rank that is killed when it has looked for messages so often; 0: none is. */
	int dies, dies_at;
	/* of rank 0, after a run */
	int status;
	char *out, *err; /* to free(); `err` of all ranks */
};

typedef int ranks_main_fn(int argc, char **argv);

/* A rank that hangs is ended, and the test fails. */
void ranks_run(struct ranks *ranks, ranks_main_fn *program, int argc, char **argv);

#endif
