/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/mpi/played_mpi.h"

#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

enum { MOST_ROOMS = 64 };
static const void *rooms[MOST_ROOMS]; /* so that no sanitizer calls them lost */
static unsigned room_count;

enum { EAGER = 256 }; /* Bytes of a message that is sent, whether somebody takes it or not. */

struct world world;

/* A message that was sent, or room for one; forgotten when both sides know that it is here. */
struct played_request {
	struct played_request *next;
	const void *data; /* of a message, NULL: it was taken */
	void *room;       /* that waits for the next message, NULL: it is full */
	int from, to, size;
	unsigned asked;
	bool sent;  /* the sender knows that it may forget it */
	bool freed; /* by MPI_Request_free() */
	char copy[EAGER];
};

static struct played_request *requests; /* in the order in which they were made */

static struct played_request *add(const void *data, void *room, int from, int to, int size)
{
	struct played_request *r = test_malloc(sizeof(*r)), **at = &requests;

	*r = (struct played_request){
		.data = data, .room = room, .from = from, .to = to, .size = size
	};
	while (*at)
		at = &(*at)->next;
	*at = r;
	return r;
}

static void forget(struct played_request *r)
{
	struct played_request **at = &requests;

	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	test_free(r);
}

void world_end(void)
{
	while (requests)
		forget(requests);
}

/* The first message on its way to this rank. */
static struct played_request *first_message(int source)
{
	for (struct played_request *r = requests; r; r = r->next)
		if (r->data && r->to == world.rank && (source < 0 || r->from == source))
			return r;
	return NULL;
}

static void take(struct played_request *message, void *room, int size)
{
	assert_in_range(size, message->size, INT32_MAX);
	memcpy(room, message->data, (size_t)message->size);
	message->data = NULL;
	if (message->sent)
		forget(message);
}

int MPI_Abort(MPI_Comm comm, int status)
{
	assert_int_equal(comm, MPI_COMM_WORLD);
	world.status = status;
	assert_non_null(world.aborted);
	longjmp(*world.aborted, 1);
}

int MPI_Isend(const void *data, int size, MPI_Datatype type, int to, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	(void)tag;
	assert_int_equal(type, MPI_BYTE);
	assert_int_equal(comm, MPI_COMM_WORLD);
	assert_in_range(to, 0, world.size - 1);
	*request = add(data, NULL, world.rank, to, size);
	if (size <= EAGER)
		(*request)->data = memcpy((*request)->copy, data, (size_t)size);
	return MPI_SUCCESS;
}

int MPI_Irecv(void *room, int size, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	(void)tag;
	assert_int_equal(type, MPI_BYTE);
	assert_int_equal(comm, MPI_COMM_WORLD);
	*request = add(NULL, room, source, world.rank, size);
	/* Of a rank that is given up it is never given back. */
	rooms[room_count++ % MOST_ROOMS] = room;
	return MPI_SUCCESS;
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
	struct played_request *r = *request, *message = NULL;

	assert_ptr_equal(status, MPI_STATUS_IGNORE);
	if (r->room && !world.stands)
		message = first_message(r->from);
	if (message) {
		take(message, r->room, r->size);
		r->room = NULL;
	}
	*done = !world.stands && !r->room && (!r->data || r->data == r->copy) &&
		r->asked++ >= world.late;
	r->sent = *done;
	if (*done && !r->data)
		forget(r);
	return MPI_SUCCESS;
}

int MPI_Request_free(MPI_Request *request)
{
	(*request)->freed = true;
	*request = NULL;
	return MPI_SUCCESS;
}

/* Room that nobody asks for any more takes its message here, and is given back. */
static void fill_freed(void)
{
	struct played_request *next;

	for (struct played_request *r = requests; r; r = next) {
		struct played_request *message =
			r->freed && r->to == world.rank ? first_message(r->from) : NULL;

		next = r->next;
		if (!message)
			continue;
		take(message, r->room, r->size);
		free(r->room);
		forget(r);
		next = requests;
	}
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *there, MPI_Status *status)
{
	const struct played_request *message;

	(void)tag;
	assert_int_equal(comm, MPI_COMM_WORLD);
	fill_freed();
	message = world.stands ? NULL : first_message(source);
	*there = message != NULL;
	if (message)
		*status = (MPI_Status){ message->from, message->size };
	return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
	assert_int_equal(type, MPI_BYTE);
	*count = status->size;
	return MPI_SUCCESS;
}

int MPI_Recv(void *room, int size, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	     MPI_Status *status)
{
	struct played_request *message = first_message(source);

	(void)tag;
	assert_int_equal(type, MPI_BYTE);
	assert_int_equal(comm, MPI_COMM_WORLD);
	assert_ptr_equal(status, MPI_STATUS_IGNORE);
	/* Else it would wait, which nothing may. */
	assert_non_null(message);
	take(message, room, size);
	return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
	(void)comm;
	*rank = world.rank;
	return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
	(void)comm;
	*size = world.size;
	return MPI_SUCCESS;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
	(void)key;
	assert_int_equal(comm, MPI_COMM_WORLD);
	assert_int_equal(type, MPI_COMM_TYPE_SHARED);
	assert_int_equal(info, MPI_INFO_NULL);
	*made = MPI_COMM_WORLD + 100;
	return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm *comm)
{
	assert_int_not_equal(*comm, MPI_COMM_WORLD);
	*comm = 0;
	return MPI_SUCCESS;
}

/* All say the same but for the number of the rank and of its process. */
int MPI_Allgather(const void *sent, int count, MPI_Datatype type, void *room, int received,
		  MPI_Datatype room_type, MPI_Comm comm)
{
	struct {
		int rank;
		pid_t process;
	} *all = room;

	(void)comm;
	assert_int_equal(type, room_type);
	assert_int_equal(count, received);
	assert_int_equal(count, sizeof(*all));
	for (int i = 0; i < world.size; i++) {
		all[i].rank = i;
		all[i].process = world.processes[i];
	}
	memcpy(&all[world.rank], sent, sizeof(*all));
	return MPI_SUCCESS;
}
