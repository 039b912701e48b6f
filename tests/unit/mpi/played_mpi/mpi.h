/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TESTS_MPI_MPI_H
#define TL_TESTS_MPI_MPI_H
/*
 * As much of MPI as a fleet calls, played in one process (played_mpi.c), or between processes of
 * one test (ranks.c). In one process all ranks are here, and a test says as which of them the next
 * call is made. A message is read where it was sent from when the other side takes it, as MPI may
 * do, so that a sender that frees it too early is noticed.
 */
#include <stdbool.h>
#include <stddef.h>

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Info;
typedef struct played_request *MPI_Request;
typedef struct {
	int MPI_SOURCE, size;
} MPI_Status;

enum { MPI_COMM_WORLD = 1, MPI_COMM_TYPE_SHARED, MPI_INFO_NULL, MPI_BYTE, MPI_INT };
enum { MPI_ANY_SOURCE = -1, MPI_SUCCESS = 0 };
#define MPI_STATUS_IGNORE NULL

int MPI_Abort(MPI_Comm world, int status);
int MPI_Allgather(const void *sent, int count, MPI_Datatype type, void *room, int room_count,
		  MPI_Datatype room_type, MPI_Comm comm);
int MPI_Bcast(void *data, int size, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made);
int MPI_Finalize(void);
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count);
int MPI_Init(int *argc, char ***argv);
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *there, MPI_Status *status);
int MPI_Irecv(void *room, int size, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	      MPI_Request *request);
int MPI_Isend(const void *data, int size, MPI_Datatype type, int to, int tag, MPI_Comm comm,
	      MPI_Request *request);
int MPI_Recv(void *room, int size, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	     MPI_Status *status);
int MPI_Request_free(MPI_Request *request);
int MPI_Test(MPI_Request *request, int *done, MPI_Status *status);

#endif
