/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi/relay.h"

#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands/job.h"

enum {
	CHUNK = 1 << 20, /* bytes of a note are sent so many at a time */
	TAG = 7,
	SHORTEST_MS = 1, /* between two looks, where there is nothing to do */
	LONGEST_MS = 8,
	LAST_WORDS = 2, /* seconds in which what a rank sent is here */
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

/*
 * A note whose bytes come. A sender may die between the two halves of a message, so that nothing
 * may wait for one.
 */
struct incoming {
	struct note note;
	int bytes;
	uint64_t left;
	char *room; /* of the part that is on its way; NULL: none is */
	int part;
	MPI_Request request;
	uint32_t transfer; /* of the last sum of that rank that the worker here was given */
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

static void part_with(struct relay *relay, int rank);

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
	if (note->kind == NOTE_ALIVE || note->kind == NOTE_GONE) {
		if (bytes >= 0)
			close(bytes);
		if (note->kind == NOTE_GONE)
			part_with(relay, note->number);
	} else if (note_is_for_master(note)) {
		relay->take(relay->arg, note, bytes);
	} else {
		to_worker(relay, note, bytes);
	}
}

/* ---- a rank that is given up ---- */

/* Forget a message; its bytes stay where MPI has begun to send them. */
static void drop_outgoing(struct relay *relay, struct outgoing *o)
{
	int done = 1;

	if (o->begun)
		MPI_Test(&o->request, &done, MPI_STATUS_IGNORE);
	if (o->bytes >= 0)
		close(o->bytes);
	if (done) {
		free(o);
		return;
	}
	o->next = relay->stuck;
	relay->stuck = o;
}

static void drop_all_to(struct relay *relay, int rank)
{
	struct outgoing *o = relay->first;

	relay->first = relay->last = NULL;
	while (o) {
		struct outgoing *next = o->next;

		o->next = NULL;
		if (o->rank == rank)
			drop_outgoing(relay, o);
		else if (relay->last)
			relay->last = relay->last->next = o;
		else
			relay->first = relay->last = o;
		o = next;
	}
}

static void part_with(struct relay *relay, int rank)
{
	struct incoming *in = &relay->incoming[rank];
	const struct note parted = { .kind = NOTE_PARTED,
				     .number = rank,
				     .transfer = in->transfer };

	if (relay->gone[rank])
		return;
	relay->gone[rank] = true;
	drop_all_to(relay, rank);
	if (in->left)
		close(in->bytes);
	in->left = 0;
	relay_send(relay, &parted, -1);
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
	if (to == relay->rank)
		deliver(relay, &stamped, bytes);
	else if (!relay->gone[to])
		queue(relay, to, &stamped, bytes);
	else if (bytes >= 0)
		close(bytes);
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

static void end_note(struct relay *relay, struct incoming *in)
{
	if (in->note.kind == NOTE_ADD)
		in->transfer = in->note.transfer;
	deliver(relay, &in->note, in->bytes);
}

static void begin_part(struct relay *relay, struct incoming *in, int rank, int size)
{
	in->room = malloc((size_t)size);
	if (!in->room)
		relay_abort("out of memory", relay->rank);
	in->part = size;
	MPI_Irecv(in->room, size, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, &in->request);
}

/* True: the part is here. */
static bool end_part(struct relay *relay, struct incoming *in, int rank)
{
	int done = 0;

	MPI_Test(&in->request, &done, MPI_STATUS_IGNORE);
	if (!done)
		return false;
	if (write(in->bytes, in->room, (size_t)in->part) != in->part)
		relay_abort("a temporary file cannot be written", relay->rank);
	free(in->room);
	in->room = NULL;
	in->left -= (uint64_t)in->part;
	relay->heard[rank] = now();
	if (!in->left)
		end_note(relay, in);
	return true;
}

static bool end_parts(struct relay *relay)
{
	bool some = false;

	for (int i = 0; i < relay->size; i++)
		if (relay->incoming[i].room && !relay->gone[i])
			some |= end_part(relay, &relay->incoming[i], i);
	return some;
}

/* Whether all of it will come is not known: it is left to MPI. */
static void drop_message(const struct relay *relay, int rank, int size)
{
	char *room = malloc((size_t)size + 1);
	MPI_Request request;

	if (!room)
		relay_abort("out of memory", relay->rank);
	MPI_Irecv(room, size, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, &request);
	MPI_Request_free(&request);
}

/* The next message of a rank comes when its last one is here, as a rank sends one at a time. */
static bool receive_some(struct relay *relay)
{
	struct incoming *in;
	MPI_Status about;
	int there, size;

	if (end_parts(relay))
		return true;
	MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &about);
	if (!there)
		return false;
	in = &relay->incoming[about.MPI_SOURCE];
	relay->heard[about.MPI_SOURCE] = now();
	MPI_Get_count(&about, MPI_BYTE, &size);
	if (relay->gone[about.MPI_SOURCE]) {
		drop_message(relay, about.MPI_SOURCE, size);
		return true;
	}
	if (in->left) {
		begin_part(relay, in, about.MPI_SOURCE, size);
		return true;
	}
	begin_note(relay, in, about.MPI_SOURCE);
	if (!in->left)
		end_note(relay, in);
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

/* Whether a rank of this machine is no process any more. */
static bool has_ended(const struct relay *relay, int rank)
{
	return relay->recovers && relay->processes[rank] && kill(relay->processes[rank], 0) &&
	       errno == ESRCH;
}

/* Rank 0 is the command, without which there is no answer. */
static void give_up(struct relay *relay, int rank)
{
	if (!relay->recovers || !rank)
		relay_abort("is not heard of any more", rank);
	/* At the end each rank goes when it is told to, which is no loss. */
	if (!relay->quit)
		complain(NULL, "rank %d: is not heard of any more; others read its files", rank);
	/* One that was stopped would go on where others have done its work. */
	if (relay->processes[rank] && !has_ended(relay, rank))
		kill(relay->processes[rank], SIGKILL);
	part_with(relay, rank);
	if (!relay->quit)
		relay->lose(relay->arg, rank);
}

/* A rank that ends may have said all that it had to: its notes are taken first. */
static bool is_lost(struct relay *relay, int rank, bool busy)
{
	const double silence = now() - relay->heard[rank], last_words = LAST_WORDS;

	if (relay->silence > 0 && silence > relay->silence)
		return true;
	return !busy && silence > last_words && has_ended(relay, rank);
}

static void look_after(struct relay *relay, bool busy)
{
	const double time = now(), second = 1;
	int first = relay->rank ? 0 : 1, end = relay->rank ? 1 : relay->size;

	if (time - relay->called < second)
		return;
	relay->called = time;
	for (int i = first; i < end; i++) {
		const struct note alive = { .kind = NOTE_ALIVE, .to = i };

		if (relay->gone[i])
			continue;
		if (is_lost(relay, i, busy))
			give_up(relay, i);
		else
			relay_send(relay, &alive, -1);
	}
}

/* Whether the next part of a note is awaited, from here or there. */
static bool is_in_motion(const struct relay *relay)
{
	bool some = relay->first != NULL;

	for (int i = 0; i < relay->size; i++)
		some |= relay->incoming[i].left && !relay->gone[i];
	return some;
}

void relay_turn(struct relay *relay)
{
	bool busy = send_some(relay);

	busy |= receive_some(relay);
	busy |= pass_on(relay, busy ? 0 : relay->wait_ms);
	if (busy || is_in_motion(relay))
		relay->wait_ms = SHORTEST_MS;
	else if (relay->wait_ms < LONGEST_MS)
		relay->wait_ms *= 2;
	look_after(relay, busy);
}

void relay_flush(struct relay *relay)
{
	while (relay->first) {
		if (send_some(relay))
			continue;
		poll(NULL, 0, SHORTEST_MS);
		look_after(relay, false);
	}
}

bool relay_recovers(void)
{
	const char *enabled = getenv("OMPI_MCA_orte_enable_recovery");

	return enabled && strchr("1tTyYeE", *enabled) && *enabled;
}

/* A number of a process is of use where it can be looked for: in containers it may be another's. */
static bool find_processes(struct relay *relay)
{
	struct neighbour {
		int rank;
		pid_t process;
	} own = { relay->rank, getpid() }, *all = calloc((size_t)relay->size, sizeof(*all));
	MPI_Comm here;
	int count;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
	MPI_Comm_size(here, &count);
	if (all)
		MPI_Allgather(&own, sizeof(own), MPI_BYTE, all, sizeof(own), MPI_BYTE, here);
	MPI_Comm_free(&here);
	for (int i = 0; all && i < count; i++)
		if (!kill(all[i].process, 0) || errno == EPERM)
			relay->processes[all[i].rank] = all[i].process;
	free(all);
	return all;
}

bool relay_open(struct relay *relay, int worker, const struct settings *settings)
{
	*relay = (struct relay){ .worker = worker,
				 .settings = settings,
				 .wait_ms = SHORTEST_MS,
				 .called = now(),
				 .recovers = relay_recovers() };
	MPI_Comm_rank(MPI_COMM_WORLD, &relay->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &relay->size);
	relay->incoming = calloc((size_t)relay->size, sizeof(*relay->incoming));
	relay->heard = calloc((size_t)relay->size, sizeof(*relay->heard));
	relay->gone = calloc((size_t)relay->size, sizeof(*relay->gone));
	relay->processes = calloc((size_t)relay->size, sizeof(*relay->processes));
	for (int i = 0; relay->heard && i < relay->size; i++)
		relay->heard[i] = relay->called;
	return relay->incoming && relay->heard && relay->gone && relay->processes &&
	       find_processes(relay);
}

void relay_close(struct relay *relay)
{
	free(relay->incoming);
	free(relay->heard);
	free(relay->gone);
	free(relay->processes);
}
