/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command and prints what it took, "STATUS MICROSECONDS KIBIBYTES": its exit status (128 and
 * more: a signal), the least processor time of some runs, the largest resident set. A program of
 * its own, since a process inherits the largest resident set of the one that started it, which is
 * ten megabytes if that is an interpreter.
 *
 *   measure RUNS SECONDS OUTPUT COMMAND [ARGUMENT...]
 *
 * What the command writes goes to OUTPUT, its standard error nowhere; after SECONDS of processor
 * time it is ended.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(const char *seconds, const char *output, char **command)
{
	struct rlimit limit = { strtoul(seconds, NULL, 10), strtoul(seconds, NULL, 10) + 1 };
	int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int nowhere = open("/dev/null", O_RDWR);

	if (out < 0 || nowhere < 0 || setrlimit(RLIMIT_CPU, &limit) || dup2(nowhere, 0) < 0 ||
	    dup2(out, 1) < 0 || dup2(nowhere, 2) < 0)
		_exit(126);
	execvp(command[0], command);
	_exit(127);
}

static unsigned long microseconds(const struct rusage *usage)
{
	return (unsigned long)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000 +
	       (unsigned long)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
	unsigned long least = 0;
	long memory = 0;
	int status = 0;

	if (argc < 5)
		return 2;
	for (long run = 0, runs = strtol(argv[1], NULL, 10); run < runs; run++) {
		struct rusage usage;
		pid_t child = fork();

		if (child == 0)
			become(argv[2], argv[3], argv + 4);
		if (child < 0 || wait4(child, &status, 0, &usage) != child)
			return 2;
		if (run == 0 || microseconds(&usage) < least)
			least = microseconds(&usage);
		if (usage.ru_maxrss > memory)
			memory = usage.ru_maxrss;
	}
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	printf("%d %lu %ld\n", status, least, memory);
	return 0;
}
