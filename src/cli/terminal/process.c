/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process: its standard streams, its signals, and the unfinished files that are removed when a
 * signal ends it.
 */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "cli/terminal/process.h"

/* Read by the signal handler. A command writes one file, or both of a format of two files. */
enum { MOST_OUTPUTS = 2 };
static struct tl_output *volatile outputs[MOST_OUTPUTS];

static const int ending_signals[] = { SIGINT, SIGTERM, SIGHUP };
enum { ENDING_SIGNALS = sizeof(ending_signals) / sizeof(ending_signals[0]) };

/* The signal is raised again, so that the parent process sees the status of a signal. */
static void on_ending_signal(int number)
{
	for (int i = 0; i < MOST_OUTPUTS; i++)
		if (outputs[i])
			tl_output_abandon(outputs[i]);
	raise(number);
}

/* A signal that was ignored at the start (nohup) stays ignored. */
static void handle(int number)
{
	struct sigaction action = { .sa_handler = on_ending_signal, .sa_flags = (int)SA_RESETHAND },
			 old;

	sigfillset(&action.sa_mask);
	if (!sigaction(number, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

/*
 * A standard stream that is closed at the start is opened on /dev/null in the direction in which it
 * is not used: using it fails as before, and no file opened later gets its descriptor.
 */
static void reserve_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void process_begin(void)
{
	reserve_standard_streams();
	/*
	 * A pipe whose reader ended, and a limit on the size of files, are reported by write()
	 * instead of ending the process.
	 */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	for (int i = 0; i < ENDING_SIGNALS; i++)
		handle(ending_signals[i]);
	/* If it fails, only a file that shrinks while it is mapped ends the process (SIGBUS). */
	tl_guard_mapped_files(NULL);
}

static void block_signals(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < ENDING_SIGNALS; i++)
		sigaddset(&set, ending_signals[i]);
	pthread_sigmask(SIG_BLOCK, &set, old);
}

static void replace_output(struct tl_output *old, struct tl_output *new)
{
	for (int i = 0; i < MOST_OUTPUTS; i++)
		if (outputs[i] == old) {
			outputs[i] = new;
			return;
		}
}

int output_open(struct tl_output **out, const char *path, struct tl_error *err)
{
	sigset_t old;
	int status;

	/* A signal between creating the file and listing it would leave the file behind. */
	block_signals(&old);
	status = tl_output_open(out, path, err);
	if (status == 0)
		replace_output(NULL, *out);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return status;
}

/*
 * Signals stay unblocked while the output is written, since a write may wait for a reader for ever;
 * they are blocked only while the handle is freed.
 */
int output_commit(struct tl_output *out, struct tl_error *err)
{
	int status = tl_output_finish(out, err);

	output_discard(out);
	return status;
}

void output_discard(struct tl_output *out)
{
	sigset_t old;

	block_signals(&old);
	if (out)
		replace_output(out, NULL);
	tl_output_discard(out);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}
