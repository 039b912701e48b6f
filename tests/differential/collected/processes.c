/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes of one region: by fork, by vfork, by execve (of what the arguments name, which is this
 * program once more, with the argument "other"). Each executes a marker as often as it says.
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((noinline)) void work(unsigned long times)
{
	__asm__ volatile("1:\tadd x9, x9, #0x123\n"
			 "\tsubs %0, %0, #1\n"
			 "\tb.ne 1b"
			 : "+r"(times)
			 :
			 : "x9", "cc", "memory");
}

static void wait_for(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || status)
		_exit(9);
}

static void other(void)
{
	pid_t child;

	__asm__ volatile("hint #9");
	work(13);
	child = fork();
	if (!child) {
		work(17);
		_exit(0);
	}
	wait_for(child);
	work(19);
	__asm__ volatile("hint #9");
}

static void first_child(char **argv)
{
	pid_t child;

	work(5);
	child = vfork();
	if (!child) {
		execv(argv[1], argv + 1);
		_exit(8);
	}
	wait_for(child);
	work(7);
	_exit(0);
}

int main(int argc, char **argv)
{
	pid_t child;

	if (argc == 2 && !strcmp(argv[1], "other")) {
		other();
		return 0;
	}
	__asm__ volatile("hint #9");
	work(3);
	child = fork();
	if (!child)
		first_child(argv);
	wait_for(child);
	execve("/nowhere", NULL, NULL); /* fails: the counter knows it by this */
	work(11);
	child = vfork();
	if (!child)
		_exit(0);
	wait_for(child);
	__asm__ volatile("hint #9");
	return 0;
}
