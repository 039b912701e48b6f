/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/mpi/ranks.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit/mpi/played_mpi/mpi.h"
#include "unit/unit.h"

enum {
	MOST_MESSAGES = 24,
	MESSAGE_BYTES = 1 << 20,
	TOLD_BYTES = 1 << 16,
	SECONDS = 120, /* after which a run hangs */
	OWN_BYTES = 64,
};

struct message {
	bool used;
	int from, to, size;
	uint64_t number;
	char data[MESSAGE_BYTES];
};

/* What all ranks have in common. */
static struct shared {
	pthread_mutex_t lock;
	int aborted; /* the status of MPI_Abort(), and 1 */
	uint64_t sent;
	/* MPI_Bcast(): which one it is, and how many have not taken it yet */
	uint64_t told_number;
	int told_left, told_size;
	char told[TOLD_BYTES];
	/* MPI_Allgather(), of which there is one; MPI_Finalize() */
	int gathered, finished;
	char own[MOST_OF_RANKS][OWN_BYTES];
	struct message messages[MOST_MESSAGES];
} *shared;

/* Of this rank. */
static int rank, size, dies_at;
static uint64_t told_number;

struct played_request {
	const void *data; /* to be sent, NULL: to be received */
	void *room;
	int other, size;
	bool done;
};

/* ---- calls ---- */

/* As assert(), in builds without it as well. */
static void must(bool holds)
{
	if (!holds)
		abort();
}

static void enter(void)
{
	pthread_mutex_lock(&shared->lock);
	if (!shared->aborted)
		return;
	pthread_mutex_unlock(&shared->lock);
	_exit(shared->aborted - 1);
}

static int leave(void)
{
	pthread_mutex_unlock(&shared->lock);
	return MPI_SUCCESS;
}

/* Let others go on; to be called inside, and one is inside behind it. */
static void give_way(void)
{
	const struct timespec moment = { .tv_nsec = 200000 };

	leave();
	nanosleep(&moment, NULL);
	enter();
}

int MPI_Init(int *argc, char ***argv)
{
	must(!argc && !argv);
	enter();
	return leave();
}

int MPI_Finalize(void)
{
	enter();
	shared->finished++;
	while (shared->finished < size)
		give_way();
	return leave();
}

int MPI_Abort(MPI_Comm comm, int status)
{
	(void)comm;
	enter();
	shared->aborted = status + 1;
	leave();
	_exit(status);
}

int MPI_Comm_rank(MPI_Comm comm, int *to)
{
	(void)comm;
	*to = rank;
	return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *to)
{
	(void)comm;
	*to = size;
	return MPI_SUCCESS;
}

/* All ranks are on this machine. */
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
	(void)comm, (void)type, (void)key, (void)info;
	*made = MPI_COMM_WORLD + 100;
	return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm *comm)
{
	*comm = 0;
	return MPI_SUCCESS;
}

/* ---- all together ---- */

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
	const int bytes = type == MPI_INT ? count * (int)sizeof(int) : count;

	(void)comm;
	enter();
	told_number++;
	if (rank == root) {
		while (shared->told_left)
			give_way();
		must(bytes <= TOLD_BYTES);
		memcpy(shared->told, data, (size_t)bytes);
		shared->told_size = bytes;
		shared->told_left = size - 1;
		shared->told_number = told_number;
		return leave();
	}
	while (shared->told_number < told_number)
		give_way();
	must(bytes == shared->told_size);
	memcpy(data, shared->told, (size_t)bytes);
	shared->told_left--;
	return leave();
}

int MPI_Allgather(const void *sent, int count, MPI_Datatype type, void *room, int received,
		  MPI_Datatype room_type, MPI_Comm comm)
{
	(void)type, (void)received, (void)room_type, (void)comm;
	must(count <= OWN_BYTES);
	enter();
	memcpy(shared->own[rank], sent, (size_t)count);
	shared->gathered++;
	while (shared->gathered < size)
		give_way();
	for (int i = 0; i < size; i++)
		memcpy((char *)room + i * count, shared->own[i], (size_t)count);
	return leave();
}

/* ---- from one to another ---- */

/* The first message to this rank; NULL: there is none. */
static struct message *first_from(int from)
{
	struct message *first = NULL;

	for (struct message *m = shared->messages; m < shared->messages + MOST_MESSAGES; m++)
		if (m->used && m->to == rank && (from == MPI_ANY_SOURCE || m->from == from) &&
		    (!first || m->number < first->number))
			first = m;
	return first;
}

static bool put(int to, const void *data, int bytes)
{
	for (struct message *m = shared->messages; m < shared->messages + MOST_MESSAGES; m++) {
		if (m->used)
			continue;
		must(bytes <= MESSAGE_BYTES);
		m->used = true;
		m->from = rank;
		m->to = to;
		m->size = bytes;
		m->number = shared->sent++;
		memcpy(m->data, data, (size_t)bytes);
		return true;
	}
	return false;
}

static bool get(int from, void *room, int bytes)
{
	struct message *m = first_from(from);

	if (!m)
		return false;
	must(m->size <= bytes);
	memcpy(room, m->data, (size_t)m->size);
	m->used = false;
	return true;
}

static MPI_Request request_of(const void *data, void *room, int other, int bytes)
{
	MPI_Request request = malloc(sizeof(*request));

	must(request);
	*request = (struct played_request){ data, room, other, bytes, false };
	return request;
}

int MPI_Isend(const void *data, int bytes, MPI_Datatype type, int to, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	(void)type, (void)tag, (void)comm;
	enter();
	*request = request_of(data, NULL, to, bytes);
	(*request)->done = put(to, data, bytes);
	return leave();
}

int MPI_Irecv(void *room, int bytes, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	(void)type, (void)tag, (void)comm;
	*request = request_of(NULL, room, source, bytes);
	return MPI_SUCCESS;
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
	struct played_request *r = *request;

	(void)status;
	enter();
	if (!r->done)
		r->done =
			r->data ? put(r->other, r->data, r->size) : get(r->other, r->room, r->size);
	*done = r->done;
	if (r->done)
		free(r);
	return leave();
}

/* What nobody asks for any more. */
int MPI_Request_free(MPI_Request *request)
{
	enter();
	if (!(*request)->data && get((*request)->other, (*request)->room, (*request)->size))
		free((*request)->room);
	free(*request);
	return leave();
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *there, MPI_Status *status)
{
	const struct message *m;

	(void)tag, (void)comm;
	if (dies_at && !--dies_at)
		kill(getpid(), SIGKILL);
	enter();
	m = first_from(source);
	*there = m != NULL;
	if (m)
		*status = (MPI_Status){ m->from, m->size };
	return leave();
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
	(void)type;
	*count = status->size;
	return MPI_SUCCESS;
}

int MPI_Recv(void *room, int bytes, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	     MPI_Status *status)
{
	(void)type, (void)tag, (void)comm, (void)status;
	enter();
	while (!get(source, room, bytes))
		give_way();
	return leave();
}

/* ---- the ranks ---- */

static void make_shared(void)
{
	pthread_mutexattr_t attr;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_true(shared != MAP_FAILED);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

static pid_t begin_rank(const struct ranks *ranks, int number, ranks_main_fn *program, int argc,
			char **argv, const int outputs[2])
{
	char text[12], *copy[64];
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child)
		return child;
	rank = number;
	size = ranks->count;
	told_number = 0;
	dies_at = number && number == ranks->dies ? ranks->dies_at : 0;
	snprintf(text, sizeof(text), "%d", number);
	setenv("OMPI_COMM_WORLD_RANK", text, 1);
	if (!number)
		dup2(outputs[0], STDOUT_FILENO);
	dup2(outputs[1], STDERR_FILENO);
	/* The program takes its own options out of them. */
	must(argc < 64);
	memcpy(copy, argv, ((size_t)argc + 1) * sizeof(*argv));
	exit(program(argc, copy));
}

/* True: all have ended in time. */
static bool await(const struct ranks *ranks, const pid_t *children, int *status)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	bool ended[MOST_OF_RANKS] = { false }, all = false;
	const time_t until = time(NULL) + SECONDS;

	while (!all && time(NULL) < until) {
		all = true;
		for (int i = 0; i < ranks->count; i++) {
			int code;

			if (!ended[i] && waitpid(children[i], &code, WNOHANG) == children[i]) {
				ended[i] = true;
				if (!i)
					*status = WIFEXITED(code) ? WEXITSTATUS(code) : 255;
			}
			all &= ended[i];
		}
		nanosleep(&moment, NULL);
	}
	for (int i = 0; i < ranks->count; i++)
		if (!ended[i]) {
			kill(children[i], SIGKILL);
			waitpid(children[i], NULL, 0);
		}
	return all;
}

static char *read_all(int fd)
{
	const off_t end = lseek(fd, 0, SEEK_END);
	char *text = malloc((size_t)end + 1);

	assert_non_null(text);
	assert_int_equal(pread(fd, text, (size_t)end, 0), end);
	text[end] = '\0';
	close(fd);
	return text;
}

void ranks_run(struct ranks *ranks, ranks_main_fn *program, int argc, char **argv)
{
	const int outputs[2] = { memfd_create("out", MFD_CLOEXEC),
				 memfd_create("err", MFD_CLOEXEC) };
	pid_t children[MOST_OF_RANKS];
	bool all;

	assert_in_range(ranks->count, 1, MOST_OF_RANKS);
	make_shared();
	for (int i = 0; i < ranks->count; i++) {
		children[i] = begin_rank(ranks, i, program, argc, argv, outputs);
		assert_true(children[i] > 0);
	}
	all = await(ranks, children, &ranks->status);
	munmap(shared, sizeof(*shared));
	ranks->out = read_all(outputs[0]);
	ranks->err = read_all(outputs[1]);
	if (!all)
		fail_msg("hangs, and said: %s", ranks->err);
}
