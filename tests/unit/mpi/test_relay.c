/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The relays of several ranks over MPI as it is played in one process: notes come whole, in order
 * and where they are meant to; ranks that end, or are silent, end the run or are given up.
 */
#include "../cli/cli_test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "../refuse.h"
#include "played_mpi.h"

#include "mpi/relay.h"

enum { CHUNK = 1 << 20, RECOVERY = 1 };
#define ENABLED "OMPI_MCA_orte_enable_recovery"

/* What came to the master. */
struct heard {
	struct note notes[32];
	char *bytes[32];
	unsigned count;
	int lost[MOST_PLAYED];
	unsigned lost_count;
};

static struct relay relays[MOST_PLAYED];
static int workers[MOST_PLAYED]; /* the workers' ends */
static struct settings settings;
static struct heard heard;

static void take(void *arg, const struct note *note, int bytes)
{
	assert_ptr_equal(arg, &heard);
	assert_in_range(heard.count, 0, 31);
	heard.notes[heard.count] = *note;
	heard.bytes[heard.count++] = bytes >= 0 ? bytes_read(bytes, (size_t)note->size) : NULL;
	if (bytes >= 0)
		close(bytes);
}

static void lose(void *arg, int rank)
{
	assert_ptr_equal(arg, &heard);
	heard.lost[heard.lost_count++] = rank;
}

static void begin_world(int size, int recovers)
{
	if (recovers)
		setenv(ENABLED, "1", 1);
	else
		unsetenv(ENABLED);
	world = (struct world){ .size = size };
	settings = (struct settings){ .files = { .scratch = "/dev/shm" } };
	heard = (struct heard){ .count = 0 };
	for (int i = 0; i < size; i++) {
		int ends[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
		workers[i] = ends[1];
		world.rank = i;
		assert_true(relay_open(&relays[i], ends[0], &settings));
		assert_int_equal(relays[i].rank, i);
		assert_int_equal(relays[i].size, size);
		relays[i].take = take;
		relays[i].lose = lose;
		relays[i].arg = &heard;
		relays[i].wait_ms = 0;
	}
}

/* What MPI has not sent yet of what was for a rank that is given up stays with it. */
static void end_world(void)
{
	world_end();
	for (int i = 0; i < world.size; i++) {
		void *next, *stuck = relays[i].stuck;

		for (; stuck; stuck = next) {
			memcpy(&next, stuck, sizeof(next));
			free(stuck);
		}
		for (stuck = relays[i].first; stuck; stuck = next) {
			memcpy(&next, stuck, sizeof(next));
			free(stuck);
		}
		if (relays[i].worker >= 0)
			close(relays[i].worker);
		close(workers[i]);
		relay_close(&relays[i]);
	}
	for (unsigned i = 0; i < heard.count; i++)
		free(heard.bytes[i]);
}

static void turn(int rank)
{
	world.rank = rank;
	relays[rank].wait_ms = 0;
	relay_turn(&relays[rank]);
}

static void turn_all(unsigned times)
{
	while (times--)
		for (int i = 0; i < world.size; i++)
			turn(i);
}

static void send_from(int rank, struct note note, int bytes)
{
	world.rank = rank;
	relay_send(&relays[rank], &note, bytes);
}

/* Bytes that tell where they stand. */
static char *make_bytes(size_t size, unsigned seed)
{
	char *bytes = malloc(size + 1);

	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)(i * 31 + (i >> 12) + seed);
	return bytes;
}

static int make_file(size_t size, unsigned seed)
{
	char *bytes = make_bytes(size, seed);
	int fd = bytes_make(bytes, size);

	assert_true(fd >= 0);
	free(bytes);
	return fd;
}

static bool worker_has(int rank)
{
	struct pollfd ready = { .fd = workers[rank], .events = POLLIN };

	return poll(&ready, 1, 0) == 1;
}

/* The next note at a worker, and that its bytes are those of make_bytes(). */
static struct note at_worker(int rank, unsigned seed)
{
	struct note note;
	char *got, *expected;
	int fd;

	assert_int_equal(note_receive(workers[rank], &note, &fd), 1);
	assert_int_equal(fd >= 0, note.size > 0);
	if (fd < 0)
		return note;
	got = bytes_read(fd, (size_t)note.size);
	expected = make_bytes((size_t)note.size, seed);
	assert_memory_equal(got, expected, (size_t)note.size);
	assert_int_equal(lseek(fd, 0, SEEK_END), note.size);
	free(got);
	free(expected);
	close(fd);
	return note;
}

/* ---- on the way ---- */

/* "Bytes of a note are sent so many at a time": none, some, exactly one part, several. */
TEST(notes_come_whole_and_in_order)
{
	static const size_t sizes[] = { 0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5, 0, 7 };
	const unsigned count = sizeof(sizes) / sizeof(*sizes);

	for (unsigned late = 0; late < 3; late += 2) {
		begin_world(3, !RECOVERY);
		world.late = late;
		for (unsigned i = 0; i < count; i++) {
			const struct note note = {
				.kind = NOTE_ADD, .to = 2, .number = (int32_t)i, .size = sizes[i]
			};

			send_from(1, note, sizes[i] ? make_file(sizes[i], i) : -1);
			send_from(0, note, sizes[i] ? make_file(sizes[i], i) : -1);
		}
		assert_false(worker_has(2));
		turn_all(20 * count);
		for (unsigned next[2] = { 0, 0 }; next[0] < count || next[1] < count;) {
			struct note note;

			assert_true(worker_has(2));
			assert_true(recv(workers[2], &note, sizeof(note), MSG_PEEK) > 0);
			note = at_worker(2, (unsigned)note.number);
			assert_in_range(note.from, 0, 1);
			assert_int_equal(note.number, next[note.from]++);
			assert_int_equal(note.size, sizes[note.number]);
		}
		assert_false(worker_has(2) || worker_has(1) || worker_has(0));
		end_world();
	}
}

/* Its kind says whether a note is for the master, whatever it is sent to. */
TEST(what_workers_send_goes_to_the_master)
{
	begin_world(2, !RECOVERY);
	for (int rank = 0; rank < 2; rank++) {
		const struct note folded = { .kind = NOTE_FOLDED, .to = 1, .number = 5, .size = 9 };
		const struct note add = { .kind = NOTE_ADD, .to = 1 - rank };
		const struct note lost = { .kind = NOTE_LOST, .life = 3 };
		int fd = make_file(9, 4);

		assert_true(note_send(workers[rank], &folded, fd));
		assert_true(note_send(workers[rank], &add, -1));
		assert_true(note_send(workers[rank], &add, -1));
		assert_true(note_send(workers[rank], &lost, -1));
		close(fd);
		turn_all(20);
		assert_int_equal(heard.count, 2 * (rank + 1));
		assert_int_equal(heard.notes[2 * rank].kind, NOTE_FOLDED);
		assert_int_equal(heard.notes[2 * rank].from, rank);
		assert_int_equal(heard.notes[2 * rank].number, 5);
		fd = make_file(9, 4);
		assert_non_null(heard.bytes[2 * rank]);
		assert_int_equal(heard.bytes[2 * rank][8], (char)(8 * 31 + 4));
		close(fd);
		/* Of the sums that it passed on, two, the relay knows alone. */
		assert_int_equal(heard.notes[2 * rank + 1].kind, NOTE_LOST);
		assert_int_equal(heard.notes[2 * rank + 1].given, 2);
		assert_int_equal(heard.notes[2 * rank + 1].life, 3);
		assert_int_equal(at_worker(1 - rank, 0).kind, NOTE_ADD);
		assert_int_equal(at_worker(1 - rank, 0).from, rank);
	}
	end_world();
}

TEST(the_end_is_told_to_the_worker)
{
	for (int failed = 0; failed < 2; failed++) {
		const struct note quit = { .kind = NOTE_QUIT, .to = 1, .status = -failed };
		struct note note;
		int bytes;

		begin_world(2, !RECOVERY);
		send_from(0, quit, -1);
		world.rank = 0;
		relay_flush(&relays[0]);
		assert_null(relays[0].first);
		assert_false(relays[1].quit);
		turn(1);
		assert_true(relays[1].quit);
		assert_int_equal(relays[1].failed, failed);
		assert_false(relays[0].quit);
		assert_int_equal(at_worker(1, 0).kind, NOTE_QUIT);
		/* A keeper that ends now is no loss; later notes find nobody, and are let go. */
		close(workers[1]);
		turn(1);
		assert_int_equal(relays[1].worker, -1);
		bytes = make_file(3, 0);
		note = (struct note){ .kind = NOTE_ADD, .to = 1, .size = 3 };
		send_from(1, note, bytes);
		assert_int_equal(fcntl(bytes, F_GETFD), -1);
		workers[1] = dup(0);
		end_world();
	}
}

/* ---- what ends a run ---- */

/* How a rank ends the run, and what it says. */
static void assert_abort(void (*act)(void), const char *said)
{
	jmp_buf here;
	struct capture capture = capture_begin(stderr);
	char *text, expected[256];

	world.aborted = &here;
	world.status = 0;
	if (!setjmp(here))
		act();
	world.aborted = NULL;
	wrap_disarm();
	text = capture_end(&capture);
	snprintf(expected, sizeof(expected),
		 "tracelathe: %s; what is done with --restart is not done again\n", said);
	assert_string_equal(text, expected);
	assert_int_equal(world.status, 2);
	free(text);
}

static void turn_many(void)
{
	turn_all(40);
}

static void send_refused(void)
{
	wrap_arm(1, false);
	send_from(1, (struct note){ .kind = NOTE_FOLDED }, -1);
}

static void turn_refused(void)
{
	wrap_arm(1, true);
	turn(0);
}

TEST(memory_of_the_relay)
{
	static const struct note note = { .kind = NOTE_ADD, .to = 0, .size = 5 };

	begin_world(2, !RECOVERY);
	assert_abort(send_refused, "rank 1: out of memory");
	send_from(1, note, make_file(5, 0));
	turn(1);
	turn(0);
	turn(1);
	/* The note is here, and its bytes begin to come. */
	assert_abort(turn_refused, "rank 0: out of memory");
	end_world();
	/* A message of a rank that is given up needs room, too. */
	begin_world(2, RECOVERY);
	send_from(1, note, make_file(5, 0));
	turn(1);
	send_from(0, (struct note){ .kind = NOTE_GONE, .to = 0, .number = 1 }, -1);
	assert_abort(turn_refused, "rank 0: out of memory");
	end_world();
}

/* No file may have more bytes; there is room for what is said. */
static void turn_within_limit(void)
{
	const struct rlimit few = { 1000, RLIM_INFINITY };

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
	turn_all(4);
}

TEST(temporary_files_of_the_relay)
{
	const struct note large = { .kind = NOTE_ADD, .to = 0, .size = NOTE_IN_MEMORY + 1 };
	const struct note cut = { .kind = NOTE_ADD, .to = 0, .size = 6 };
	const struct note full = { .kind = NOTE_ADD, .to = 0, .size = 1001 };
	const struct rlimit whole = { RLIM_INFINITY, RLIM_INFINITY };

	/* Large ones are of --scratch. */
	begin_world(2, !RECOVERY);
	settings.files.scratch = "/nowhere";
	send_from(1, large, make_file(NOTE_IN_MEMORY + 1, 0));
	assert_abort(turn_many, "rank 0: cannot make a temporary file");
	end_world();
	/* A file that has fewer bytes than its note says. */
	begin_world(2, !RECOVERY);
	send_from(1, cut, make_file(5, 0));
	assert_abort(turn_many, "rank 1: a temporary file cannot be read");
	end_world();
	/* No room where the bytes go. */
	begin_world(2, !RECOVERY);
	signal(SIGXFSZ, SIG_IGN);
	send_from(1, full, make_file(1001, 0));
	turn_all(2);
	assert_abort(turn_within_limit, "rank 0: a temporary file cannot be written");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &whole), 0);
	end_world();
}

TEST(a_keeper_that_cannot_start_a_worker)
{
	begin_world(2, !RECOVERY);
	close(workers[1]);
	assert_abort(turn_many, "rank 1: cannot make a process that reads files");
	workers[1] = dup(0);
	end_world();
}

/* ---- silence ---- */

/* The rank was heard of last so many seconds ago, as another one sees it. */
static void be_silent(int at, int rank, double seconds)
{
	relays[at].heard[rank] = relays[at].called - seconds;
	relays[at].called -= 2; /* It is time to look. */
}

static unsigned letters_to(int rank)
{
	unsigned count = 0;
	int before = world.rank, there;
	MPI_Status status;

	world.rank = rank;
	MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
	count += (unsigned)there;
	world.rank = before;
	return count;
}

/* Each second rank 0 tells all that it is there, and all tell rank 0; that is for no worker. */
TEST(ranks_tell_that_they_are_there)
{
	begin_world(3, !RECOVERY);
	turn_all(1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(letters_to(i), 0);
	relays[1].called -= 2;
	relays[0].called -= 2;
	relays[0].heard[1] = relays[0].heard[2] = 0;
	turn_all(2);
	/* Rank 0 has heard of rank 1 just now. */
	turn_all(2);
	assert_true(relays[0].heard[1] > 0);
	assert_true(relays[0].heard[2] == 0);
	assert_true(relays[2].heard[0] >= relays[1].called);
	for (int i = 0; i < 3; i++)
		assert_false(worker_has(i));
	assert_int_equal(heard.count, 0);
	end_world();
}

static void look_at_1(void)
{
	be_silent(0, 1, 7);
	turn(0);
}

static void look_at_0(void)
{
	be_silent(1, 0, 7);
	turn(1);
}

static void flush_to_1(void)
{
	world.stands = true;
	send_from(0, (struct note){ .kind = NOTE_QUIT, .to = 1 }, -1);
	be_silent(0, 1, 7);
	world.rank = 0;
	relay_flush(&relays[0]);
}

TEST(silence_ends_the_run)
{
	/* Without --silence nobody is given up. */
	begin_world(3, !RECOVERY);
	be_silent(0, 1, 1e6);
	turn(0);
	assert_int_equal(heard.lost_count, 0);
	relays[0].silence = 8;
	look_at_1();
	relays[0].silence = 6;
	assert_abort(look_at_1, "rank 1: is not heard of any more");
	end_world();
	begin_world(3, !RECOVERY);
	relays[0].silence = 6;
	assert_abort(flush_to_1, "rank 1: is not heard of any more");
	end_world();
	/* Rank 0 has the answer. */
	begin_world(3, RECOVERY);
	relays[1].silence = 6;
	assert_abort(look_at_0, "rank 0: is not heard of any more");
	end_world();
}

static pid_t make_process(void)
{
	pid_t child = fork();

	if (!child)
		for (;;)
			pause();
	assert_true(child > 0);
	return child;
}

/* A rank that is given up is told of once; its process, should it live, is ended. */
TEST(a_silent_rank_is_given_up)
{
	struct capture capture;
	pid_t child = make_process();
	int status;
	char *text;

	begin_world(3, RECOVERY);
	relays[0].silence = 6;
	relays[0].processes[1] = child;
	capture = capture_begin(stderr);
	look_at_1();
	look_at_1();
	text = capture_end(&capture);
	assert_string_equal(text, "tracelathe: rank 1: is not heard of any more; others read its "
				  "files\n");
	free(text);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_int_equal(heard.lost_count, 1);
	assert_int_equal(heard.lost[0], 1);
	assert_true(relays[0].gone[1]);
	assert_false(relays[0].gone[2]);
	/* Rank 0 itself was given no sum of that rank. */
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.notes[0].kind, NOTE_PARTED);
	assert_int_equal(heard.notes[0].number, 1);
	assert_int_equal(heard.notes[0].transfer, 0);
	end_world();
	/* At the end each rank goes when it is told to. */
	begin_world(2, RECOVERY);
	relays[0].silence = 6;
	relays[0].quit = true;
	capture = capture_begin(stderr);
	look_at_1();
	text = capture_end(&capture);
	assert_string_equal(text, "");
	free(text);
	assert_int_equal(heard.lost_count, 0);
	assert_true(relays[0].gone[1]);
	end_world();
}

/* One whose process has ended is not waited for, once there is nothing that comes. */
TEST(a_rank_whose_process_has_ended)
{
	static const struct note folded = { .kind = NOTE_FOLDED };
	pid_t child = make_process();
	struct capture capture;
	char *text;

	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	for (int recovers = 0; recovers < 2; recovers++) {
		begin_world(2, recovers);
		relays[0].processes[1] = child;
		be_silent(0, 1, 1.5);
		turn(0);
		/* What it sent before comes, and makes it one that was heard of. */
		send_from(1, folded, -1);
		turn_all(4);
		assert_int_equal(heard.count, 1);
		be_silent(0, 1, 2.5);
		assert_true(note_send(workers[0], &folded, -1));
		turn(0);
		assert_int_equal(heard.count, 2);
		assert_false(relays[0].gone[1]);
		turn_all(4);
		be_silent(0, 1, 2.5);
		capture = capture_begin(stderr);
		turn(0);
		text = capture_end(&capture);
		assert_string_equal(text, recovers ? "tracelathe: rank 1: is not heard of any "
						     "more; others read its files\n"
						   : "");
		free(text);
		assert_int_equal(heard.lost_count, recovers);
		end_world();
	}
}

/* ---- a rank that is given up ---- */

static const struct note gone_1 = { .kind = NOTE_GONE, .to = 0, .number = 1 };

/* What is for it, or half of it sent, is let go; what is for others goes on. */
TEST(notes_to_a_rank_that_is_given_up)
{
	static const struct note to_1 = { .kind = NOTE_ADD, .to = 1, .size = 5 };
	static const struct note to_2 = { .kind = NOTE_ADD, .to = 2, .size = 5 };
	int first, second, third;

	for (unsigned begun = 0; begun < 3; begun++) {
		begin_world(3, RECOVERY);
		first = make_file(5, 1);
		second = make_file(5, 2);
		send_from(0, to_1, first);
		send_from(0, to_2, second);
		send_from(0, to_1, make_file(5, 3));
		send_from(0, to_2, make_file(5, 4));
		/* 0: nothing was sent; 1: it is on its way; 2: it has come. */
		world.stands = begun == 1;
		if (begun)
			turn(0);
		if (begun == 2)
			turn(1);
		send_from(0, gone_1, make_file(1, 0));
		assert_int_equal(fcntl(first, F_GETFD), -1);
		assert_true(fcntl(second, F_GETFD) >= 0);
		assert_int_equal(relays[0].stuck != NULL, begun == 1);
		world.stands = false;
		third = make_file(5, 5);
		send_from(0, to_1, third);
		assert_int_equal(fcntl(third, F_GETFD), -1);
		send_from(0, to_1, -1);
		for (unsigned i = 0; i < 20; i++) {
			turn(0);
			turn(2);
		}
		assert_int_equal(at_worker(2, 2).kind, NOTE_ADD);
		assert_int_equal(at_worker(2, 4).kind, NOTE_ADD);
		assert_null(relays[0].first);
		/* It is told once. */
		send_from(0, gone_1, -1);
		assert_int_equal(heard.count, 1);
		assert_int_equal(heard.notes[0].kind, NOTE_PARTED);
		end_world();
	}
}

/* The last sum that came whole is told; one that came in part is none. */
TEST(notes_of_a_rank_that_is_given_up)
{
	static const struct note whole = { .kind = NOTE_ADD, .to = 0, .transfer = 7, .size = 5 };
	static const struct note part = { .kind = NOTE_ADD, .to = 0, .transfer = 8, .size = 9 };

	begin_world(2, RECOVERY);
	send_from(1, whole, make_file(5, 1));
	send_from(1, part, make_file(9, 2));
	/* The head of the second one, and not its bytes. */
	while (!worker_has(0)) {
		turn(1);
		turn(0);
	}
	for (unsigned i = 0; i < 2; i++) {
		turn(1);
		turn(0);
	}
	send_from(0, gone_1, -1);
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.notes[0].transfer, 7);
	/* Its bytes, and what comes behind them, are taken and let go. */
	send_from(1, (struct note){ .kind = NOTE_FOLDED }, -1);
	turn_all(10);
	assert_null(relays[1].first);
	assert_int_equal(letters_to(0), 0);
	assert_int_equal(heard.count, 1);
	assert_int_equal(at_worker(0, 1).transfer, 7);
	assert_false(worker_has(0));
	end_world();
}

/* ---- the beginning ---- */

TEST(whether_ranks_may_be_lost)
{
	static const struct {
		const char *value;
		bool recovers;
	} cases[] = { { "1", true },   { "true", true },    { "T", true }, { "yes", true },
		      { "Y", true },   { "enabled", true }, { "E", true }, { "0", false },
		      { "no", false }, { "false", false },  { "", false } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		setenv(ENABLED, cases[i].value, 1);
		assert_int_equal(relay_recovers(), cases[i].recovers);
	}
	unsetenv(ENABLED);
	assert_false(relay_recovers());
}

/* A process that is not here, as in another container, is not looked for. */
TEST(processes_of_this_machine)
{
	struct relay relay;
	pid_t child = make_process(), ended = make_process();

	kill(ended, SIGKILL);
	assert_int_equal(waitpid(ended, NULL, 0), ended);
	unsetenv(ENABLED);
	world = (struct world){ .size = 3, .rank = 1, .processes = { child, 0, ended } };
	assert_true(relay_open(&relay, -1, &settings));
	assert_int_equal(relay.processes[0], child);
	assert_int_equal(relay.processes[1], getpid());
	assert_int_equal(relay.processes[2], 0);
	relay_close(&relay);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

TEST(a_relay_without_memory)
{
	const int64_t before = wrap_live();
	struct relay relay;

	world = (struct world){ .size = 2 };
	for (uint64_t number = 1; number <= 6; number++) {
		bool opened;

		wrap_arm(number, false);
		opened = relay_open(&relay, -1, &settings);
		assert_int_equal(wrap_disarm() < number, opened);
		relay_close(&relay);
		assert_int_equal(opened, number > 5);
		assert_int_equal(wrap_live(), before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notes_come_whole_and_in_order),
		cmocka_unit_test(what_workers_send_goes_to_the_master),
		cmocka_unit_test(the_end_is_told_to_the_worker),
		cmocka_unit_test(memory_of_the_relay),
		cmocka_unit_test(temporary_files_of_the_relay),
		cmocka_unit_test(a_keeper_that_cannot_start_a_worker),
		cmocka_unit_test(ranks_tell_that_they_are_there),
		cmocka_unit_test(silence_ends_the_run),
		cmocka_unit_test(a_silent_rank_is_given_up),
		cmocka_unit_test(a_rank_whose_process_has_ended),
		cmocka_unit_test(notes_to_a_rank_that_is_given_up),
		cmocka_unit_test(notes_of_a_rank_that_is_given_up),
		cmocka_unit_test(whether_ranks_may_be_lost),
		cmocka_unit_test(processes_of_this_machine),
		cmocka_unit_test(a_relay_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
