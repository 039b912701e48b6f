/* SPDX-License-Identifier: Apache-2.0 */
/*
 * executes: a process that executes what cannot be executed, and goes on; then others, one each
 * that executes a program for the machine itself, a script with an interpreter, and this program
 * again, all of them without an environment. Before a program is left it prints how often it called
 * both functions. `executes last` ends.
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int before_calls, after_calls;

__attribute__((noinline)) void before(void)
{
	before_calls++;
	__asm__ volatile("");
}

__attribute__((noinline)) void after(void)
{
	after_calls++;
	__asm__ volatile("");
}

static void print(void)
{
	printf("before %d\nafter %d\n", before_calls, after_calls);
	fflush(stdout);
}

static void run(const char *path, const char *first)
{
	static char name[] = "executes", *environment[] = { NULL };
	char *arguments[] = { name, (char *)first, NULL };
	int status;

	print();
	if (!fork()) {
		before_calls = after_calls = 0;
		before();
		print();
		execve(path, arguments, environment);
		_exit(9);
	}
	before_calls = after_calls = 0;
	wait(&status);
	printf("status %d\n", WEXITSTATUS(status));
	after();
}

int main(int count, char **arguments)
{
	static char *none[] = { NULL };

	for (int i = 0; i < 5; i++)
		before();
	if (count > 1 && !strcmp(arguments[1], "last")) {
		print();
		return 4;
	}
	execve("./missing", none, none);
	execve("./garbage", none, none);
	for (int i = 0; i < 3; i++)
		after();
	run("/bin/true", "unused");
	run("./script", "unused");
	run("/proc/self/exe", "last");
	print();
	return 3;
}
