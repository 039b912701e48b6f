/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi/relay.h"

#include <mpi.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands/job.h"

enum {
	CHUNK = 1 << 18, /* bytes of a note are sent so many at a time */
	TAG = 7,
	SHORTEST_MS = 1, /* between two looks, where there is nothing to do */
	LONGEST_MS = 8,
};

/* A note that is sent to another rank, then its bytes. */
struct outgoing {
	struct outgoing *next;
	struct note note;
	int rank, bytes;
	bool begun;
	uint64_t sent;
	MPI_Request request;
	char room[CHUNK];
};

/* A note whose bytes come. */
struct incoming {
	struct note note;
	int bytes;
	uint64_t left;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

_Noreturn void relay_abort(const char *why, int rank)
{
	complain(NULL, "rank %d: %s; what is done with --restart is not done again", rank, why);
	MPI_Abort(MPI_COMM_WORLD, EXIT_UNUSABLE);
	_exit(EXIT_UNUSABLE);
}

/* ---- here ---- */

static void to_worker(struct relay *relay, const struct note *note, int bytes)
{
	if (note->kind == NOTE_QUIT) {
		relay->quit = true;
		relay->failed = note->status < 0;
	}
	/* A keeper that has ended is seen where its notes are read. */
	if (relay->worker >= 0)
		note_send(relay->worker, note, bytes);
	if (bytes >= 0)
		close(bytes);
}

static void deliver(struct relay *relay, const struct note *note, int bytes)
{
	if (note->kind == NOTE_ALIVE) {
		if (bytes >= 0)
			close(bytes);
	} else if (note_is_for_master(note)) {
		relay->take(relay->arg, note, bytes);
	} else {
		to_worker(relay, note, bytes);
	}
}

/* ---- to other ranks ---- */

static void queue(struct relay *relay, int rank, const struct note *note, int bytes)
{
	struct outgoing *o = calloc(1, sizeof(*o));

	if (!o)
		relay_abort("out of memory", relay->rank);
	o->note = *note;
	o->rank = rank;
	o->bytes = bytes;
	if (relay->last)
		relay->last->next = o;
	else
		relay->first = o;
	relay->last = o;
}

void relay_send(struct relay *relay, const struct note *note, int bytes)
{
	struct note stamped = *note;
	int to = note_is_for_master(note) ? 0 : note->to;

	stamped.from = relay->rank;
	if (note->kind == NOTE_ALIVE)
		to = note->to;
	if (to == relay->rank)
		deliver(relay, &stamped, bytes);
	else
		queue(relay, to, &stamped, bytes);
}

/* The next part of a note; false: it was sent whole. */
static bool send_part(struct relay *relay, struct outgoing *o)
{
	uint64_t left = o->note.size - o->sent;
	size_t size = left < CHUNK ? (size_t)left : CHUNK;

	if (!o->begun) {
		o->begun = true;
		MPI_Isend(&o->note, sizeof(o->note), MPI_BYTE, o->rank, TAG, MPI_COMM_WORLD,
			  &o->request);
		return true;
	}
	if (!left)
		return false;
	if (pread(o->bytes, o->room, size, (off_t)o->sent) != (ssize_t)size)
		relay_abort("a temporary file cannot be read", relay->rank);
	o->sent += size;
	MPI_Isend(o->room, (int)size, MPI_BYTE, o->rank, TAG, MPI_COMM_WORLD, &o->request);
	return true;
}

/* Notes go one behind the other. True: something was done. */
static bool send_some(struct relay *relay)
{
	struct outgoing *o = relay->first;
	int done = 1;

	if (!o)
		return false;
	if (o->begun)
		MPI_Test(&o->request, &done, MPI_STATUS_IGNORE);
	if (!done || send_part(relay, o))
		return done;
	relay->first = o->next;
	if (!relay->first)
		relay->last = NULL;
	if (o->bytes >= 0)
		close(o->bytes);
	free(o);
	return true;
}

/* ---- from other ranks ---- */

static void begin_note(struct relay *relay, struct incoming *in, int rank)
{
	MPI_Recv(&in->note, sizeof(in->note), MPI_BYTE, rank, TAG, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	in->left = in->note.size;
	in->bytes = -1;
	if (!in->left)
		return;
	if (in->note.size > NOTE_IN_MEMORY)
		in->bytes = make_scratch_file(relay->settings);
	else
		in->bytes = bytes_make(NULL, 0);
	if (in->bytes < 0)
		relay_abort("cannot make a temporary file", relay->rank);
}

static void take_part(struct relay *relay, struct incoming *in, int rank, int size)
{
	MPI_Recv(relay->room, size, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (write(in->bytes, relay->room, (size_t)size) != size)
		relay_abort("a temporary file cannot be written", relay->rank);
	in->left -= (uint64_t)size;
}

static bool receive_some(struct relay *relay)
{
	struct incoming *in;
	MPI_Status about;
	int there, size;

	MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &about);
	if (!there)
		return false;
	in = &relay->incoming[about.MPI_SOURCE];
	relay->heard[about.MPI_SOURCE] = now();
	MPI_Get_count(&about, MPI_BYTE, &size);
	if (in->left)
		take_part(relay, in, about.MPI_SOURCE, size);
	else
		begin_note(relay, in, about.MPI_SOURCE);
	if (!in->left)
		deliver(relay, &in->note, in->bytes);
	return true;
}

/* ---- from the worker ---- */

/* The keeper goes only when it is told to, or when it cannot start a worker. */
static void worker_ended(struct relay *relay)
{
	relay->worker = -1;
	if (!relay->quit)
		relay_abort("cannot make a process that reads files", relay->rank);
}

static bool pass_on(struct relay *relay, int wait_ms)
{
	struct pollfd ready = { .fd = relay->worker, .events = POLLIN };
	struct note note;
	int bytes;

	if (poll(&ready, 1, wait_ms) <= 0)
		return false;
	if (!note_receive(relay->worker, &note, &bytes)) {
		worker_ended(relay);
		return false;
	}
	relay->given += note.kind == NOTE_ADD;
	if (note.kind == NOTE_LOST)
		note.given = relay->given;
	relay_send(relay, &note, bytes);
	return true;
}

/* ---- the whole ---- */

static void look_after(struct relay *relay)
{
	const double time = now(), second = 1;
	int first = relay->rank ? 0 : 1, end = relay->rank ? 1 : relay->size;

	if (time - relay->called < second)
		return;
	relay->called = time;
	for (int i = first; i < end; i++) {
		const struct note alive = { .kind = NOTE_ALIVE, .to = i };

		if (relay->silence > 0 && time - relay->heard[i] > relay->silence)
			relay_abort("is not heard of any more", i);
		relay_send(relay, &alive, -1);
	}
}

void relay_turn(struct relay *relay)
{
	bool busy = send_some(relay);

	busy |= receive_some(relay);
	busy |= pass_on(relay, busy ? 0 : relay->wait_ms);
	if (busy)
		relay->wait_ms = SHORTEST_MS;
	else if (relay->wait_ms < LONGEST_MS)
		relay->wait_ms *= 2;
	look_after(relay);
}

void relay_flush(struct relay *relay)
{
	while (relay->first)
		send_some(relay);
}

bool relay_open(struct relay *relay, int worker, const struct settings *settings)
{
	*relay = (struct relay){ .worker = worker,
				 .settings = settings,
				 .wait_ms = SHORTEST_MS,
				 .called = now(),
				 .room = malloc(CHUNK) };
	MPI_Comm_rank(MPI_COMM_WORLD, &relay->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &relay->size);
	relay->incoming = calloc((size_t)relay->size, sizeof(*relay->incoming));
	relay->heard = calloc((size_t)relay->size, sizeof(*relay->heard));
	for (int i = 0; relay->heard && i < relay->size; i++)
		relay->heard[i] = relay->called;
	return relay->incoming && relay->heard && relay->room;
}

void relay_close(struct relay *relay)
{
	free(relay->incoming);
	free(relay->heard);
	free(relay->room);
}
