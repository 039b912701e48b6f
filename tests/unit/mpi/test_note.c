/* SPDX-License-Identifier: Apache-2.0 */
/* Notes go over a socket whole, with the bytes that belong to them. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi/note.h"
#include "unit/unit.h"

struct ends {
	int here, there;
};

static struct ends make_ends(void)
{
	int list[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, list), 0);
	return (struct ends){ list[0], list[1] };
}

TEST(a_note_comes_as_it_was_sent)
{
	struct ends ends = make_ends();
	const struct note sent = {
		.kind = NOTE_GIVE,
		.from = 3,
		.to = 5,
		.life = 7,
		.other_life = 11,
		.number = -1,
		.status = -13,
		.flags = NOTE_RELATED | NOTE_FLATTENED,
		.missing = 17,
		.given = 19,
		.size = (uint64_t)1 << 40,
	};
	struct note got = { 0 };
	int bytes = 0;

	assert_true(note_send(ends.here, &sent, -1));
	assert_int_equal(note_receive(ends.there, &got, &bytes), 1);
	assert_memory_equal(&got, &sent, sizeof(sent));
	assert_int_equal(bytes, -1);
	close(ends.here);
	close(ends.there);
}

TEST(bytes_go_with_their_note)
{
	static const char text[] = "what there is to be said\n";
	struct ends ends = make_ends();
	const struct note first = { .kind = NOTE_FOLDED, .size = sizeof(text) - 1 };
	const struct note second = { .kind = NOTE_ALIVE };
	struct note got;
	int bytes = bytes_make(text, sizeof(text) - 1);
	char *said;

	assert_true(bytes >= 0);
	assert_true(note_send(ends.here, &first, bytes));
	assert_true(note_send(ends.here, &second, -1));
	/* They are there although the sender has closed them. */
	close(bytes);
	close(ends.here);
	assert_int_equal(note_receive(ends.there, &got, &bytes), 1);
	assert_int_equal(got.kind, NOTE_FOLDED);
	assert_true(bytes >= 0);
	/* No program that is started later inherits them. */
	assert_true(fcntl(bytes, F_GETFD) & FD_CLOEXEC);
	said = bytes_read(bytes, (size_t)got.size);
	assert_string_equal(said, text);
	free(said);
	close(bytes);
	assert_int_equal(note_receive(ends.there, &got, &bytes), 1);
	assert_int_equal(got.kind, NOTE_ALIVE);
	assert_int_equal(bytes, -1);
	close(ends.there);
}

TEST(the_other_end_may_be_gone)
{
	struct ends ends = make_ends();
	const struct note note = { .kind = NOTE_QUIT };
	struct note got;
	int bytes = 5;

	close(ends.there);
	/* Without a signal that would end the process. */
	assert_false(note_send(ends.here, &note, -1));
	assert_int_equal(note_receive(ends.here, &got, &bytes), 0);
	assert_int_equal(bytes, -1);
	close(ends.here);
}

/* ---- signals ---- */

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
	(void)number;
	signals++;
}

/* A signal each millisecond, which interrupts system calls; 0: no more. */
static void interrupt_each(int microseconds)
{
	const struct sigaction action = { .sa_handler = count_signal };
	const struct itimerval timer = { .it_interval = { .tv_usec = microseconds },
					 .it_value = { .tv_usec = microseconds } };

	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

enum { WAIT_MS = 30 };

/* A process of which another waits for a note, and that takes what was sent to it only later. */
static pid_t make_late(struct ends ends, bool sends)
{
	const struct note note = { .kind = NOTE_QUIT };
	pid_t child = fork();
	struct note got;
	int bytes;

	if (child)
		return child;
	close(ends.here);
	poll(NULL, 0, WAIT_MS);
	if (sends)
		_exit(note_send(ends.there, &note, -1) ? 0 : 1);
	while (note_receive(ends.there, &got, &bytes))
		if (got.kind == NOTE_QUIT)
			_exit(0);
	_exit(1);
}

static void await_late(pid_t child)
{
	int status = -1;

	while (waitpid(child, &status, 0) < 0)
		;
	assert_int_equal(status, 0);
}

TEST(signals_do_not_end_the_wait_for_a_note)
{
	struct ends ends = make_ends();
	pid_t child = make_late(ends, true);
	struct note got = { 0 };
	int bytes;

	close(ends.there);
	signals = 0;
	interrupt_each(1000);
	assert_int_equal(note_receive(ends.here, &got, &bytes), 1);
	interrupt_each(0);
	assert_int_equal(got.kind, NOTE_QUIT);
	assert_true(signals > 0);
	await_late(child);
	close(ends.here);
}

TEST(signals_do_not_lose_a_note_for_which_there_is_no_room)
{
	struct ends ends = make_ends();
	const struct note note = { .kind = NOTE_ALIVE }, last = { .kind = NOTE_QUIT };
	pid_t child = make_late(ends, false);

	close(ends.there);
	while (send(ends.here, &note, sizeof(note), MSG_DONTWAIT) == sizeof(note))
		;
	signals = 0;
	interrupt_each(1000);
	assert_true(note_send(ends.here, &last, -1));
	interrupt_each(0);
	assert_true(signals > 0);
	await_late(child);
	close(ends.here);
}

TEST(a_part_of_a_note_is_none)
{
	struct ends ends = make_ends();
	struct note got;
	int bytes;

	assert_int_equal(send(ends.here, "short", 5, 0), 5);
	assert_int_equal(note_receive(ends.there, &got, &bytes), 0);
	close(ends.here);
	close(ends.there);
}

TEST(bytes_that_are_fewer_than_said)
{
	int bytes = bytes_make("four", 4);
	char *text;

	assert_null(bytes_read(bytes, 5));
	text = bytes_read(bytes, 4);
	assert_string_equal(text, "four");
	free(text);
	text = bytes_read(bytes, 0);
	assert_string_equal(text, "");
	free(text);
	close(bytes);
	bytes = bytes_make(NULL, 0);
	assert_true(bytes >= 0);
	assert_int_equal(lseek(bytes, 0, SEEK_END), 0);
	close(bytes);
}

TEST(who_a_note_is_for)
{
	static const enum note_kind to_workers[] = { NOTE_START, NOTE_FOLD, NOTE_GIVE, NOTE_ADD,
						     NOTE_QUIT };
	static const enum note_kind to_master[] = { NOTE_FOLDED, NOTE_KIN, NOTE_GAVE,
						    NOTE_ADDED,  NOTE_SUM, NOTE_LOST };

	for (size_t i = 0; i < sizeof(to_workers) / sizeof(*to_workers); i++)
		assert_false(note_is_for_master(&(struct note){ .kind = to_workers[i] }));
	for (size_t i = 0; i < sizeof(to_master) / sizeof(*to_master); i++)
		assert_true(note_is_for_master(&(struct note){ .kind = to_master[i] }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_note_comes_as_it_was_sent),
		cmocka_unit_test(bytes_go_with_their_note),
		cmocka_unit_test(the_other_end_may_be_gone),
		cmocka_unit_test(signals_do_not_end_the_wait_for_a_note),
		cmocka_unit_test(signals_do_not_lose_a_note_for_which_there_is_no_room),
		cmocka_unit_test(a_part_of_a_note_is_none),
		cmocka_unit_test(bytes_that_are_fewer_than_said),
		cmocka_unit_test(who_a_note_is_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
