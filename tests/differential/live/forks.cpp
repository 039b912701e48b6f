// SPDX-License-Identifier: Apache-2.0
// A program that forks, in every way that its first argument names; each process counts its own
// calls and writes its own log. The second argument is how much each does.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "recorder.h"

static volatile unsigned sink;
static int amount;

TRACED unsigned work(unsigned n)
{
	COUNT("work(unsigned int)");
	unsigned sum = n;

	if (n > 1)
		sum = work(n - 1) + work(n - 2);
	sink = sum; // what is called last is no loop
	return sum;
}

TRACED void parent(int n)
{
	COUNT("parent(int)");
	for (int i = 0; i < n; i++)
		work(3 + (unsigned)i % 4);
}

TRACED void child(int n)
{
	COUNT("child(int)");
	for (int i = 0; i < n; i++)
		work(4 + (unsigned)i % 5);
}

// fork() in the middle of calls that go on in both processes.
TRACED pid_t split(int depth)
{
	COUNT("split(int)");
	if (depth) {
		pid_t pid = split(depth - 1);

		sink = (unsigned)pid;
		return pid;
	}
	pid_t pid = fork();

	if (pid < 0)
		_Exit(4);
	if (!pid)
		forget_counts();
	return pid;
}

NOT_TRACED static void wait_all()
{
	int status;

	while (wait(&status) > 0)
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			_Exit(5);
}

TRACED static void flat(int children)
{
	COUNT("flat(int)");
	for (int i = 0; i < children; i++) {
		if (!split(i)) {
			child(amount + i);
			exit(0);
		}
		parent(amount);
	}
	wait_all();
	parent(1);
}

TRACED static void nested(int depth)
{
	COUNT("nested(int)");
	parent(amount);
	if (!depth)
		return;
	if (!split(depth)) {
		child(amount);
		nested(depth - 1);
		wait_all();
		exit(0);
	}
	parent(1);
	wait_all();
}

// Children that write nothing of their own, beside one that does.
TRACED static void idle(int children)
{
	COUNT("idle(int)");
	parent(amount);
	for (int i = 0; i < children; i++)
		if (!fork()) {
			forget_counts();
			exit(0);
		}
	wait_all();
	parent(1);
}

// The process that forked ends first.
TRACED static void leaves()
{
	int ends[2];
	char byte;

	COUNT("leaves()");
	parent(amount);
	if (pipe(ends))
		_Exit(6);
	if (split(2)) {
		parent(1);
		return;
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 0)
		_Exit(7);
	child(amount);
	exit(0);
}

TRACED static void forks_in_thread()
{
	COUNT("forks_in_thread()");
	work(5);
	if (!split(1)) {
		child(amount);
		exit(0);
	}
	parent(amount);
	wait_all();
}

TRACED static void other_thread()
{
	COUNT("other_thread()");
	for (int i = 0; i < 20; i++) {
		work(4);
		usleep(500);
	}
}

TRACED int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "flat";

	COUNT("main");
	amount = argc > 2 ? atoi(argv[2]) : 1;
	if (!strcmp(how, "flat"))
		flat(3);
	else if (!strcmp(how, "nested"))
		nested(3);
	else if (!strcmp(how, "idle"))
		idle(3);
	else if (!strcmp(how, "leaves"))
		leaves();
	if (strcmp(how, "thread"))
		return 0;
	std::thread other(other_thread), forking(forks_in_thread);

	other.join();
	forking.join();
	return 0;
}
