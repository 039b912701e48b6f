/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sixty system calls of which most write into memory, with vectors of buffers; recursion, so that
 * code with pointer authentication signs and strips; and, as a dynamic program, a library that is
 * loaded at run time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_LIBRARY
#include <dlfcn.h>
#endif

static uint64_t sum;

static void take(const void *data, size_t size)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i++)
		sum = sum * 31 + bytes[i];
}

static __attribute__((noinline)) int deep(int n, int (*next)(int, void *), void *arg)
{
	return n ? deep(n - 1, next, arg) + next(n, arg) : 1;
}

static int add(int n, void *arg)
{
	*(uint64_t *)arg += (uint64_t)n;
	return n & 3;
}

/* Through a pipe and back, in pieces of any size. */
static void vectors(int in, int out)
{
	char from[3][40], to[4][30];
	struct iovec give[3], get[4];

	for (int i = 0; i < 3; i++) {
		memset(from[i], 'a' + i, sizeof(from[i]));
		give[i] = (struct iovec){ from[i], sizeof(from[i]) };
	}
	for (int i = 0; i < 4; i++)
		get[i] = (struct iovec){ to[i], sizeof(to[i]) };
	sum += (uint64_t)writev(out, give, 3);
	sum += (uint64_t)readv(in, get, 4);
	take(to, sizeof(to));
}

static void messages(void)
{
	char text[24] = "a message of some bytes", got[2][12];
	struct iovec give = { text, sizeof(text) }, get[2] = { { got[0], 12 }, { got[1], 12 } };
	struct msghdr out = { .msg_iov = &give, .msg_iovlen = 1 },
		      in = { .msg_iov = get, .msg_iovlen = 2 };
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return;
	sum += (uint64_t)sendmsg(ends[0], &out, 0);
	sum += (uint64_t)recvmsg(ends[1], &in, 0);
	take(got, sizeof(got));
	close(ends[0]);
	close(ends[1]);
}

static void what_there_is(void)
{
	struct utsname name;
	struct stat status;
	struct rusage usage;
	struct rlimit limit;
	struct timespec now;
	struct timeval day;
	struct sysinfo info;
	char path[256];

	uname(&name);
	take(&name, sizeof(name));
	stat("/", &status);
	take(&status, sizeof(status));
	sum += (uint64_t)stat("/nowhere/at/all", &status);
	getrusage(RUSAGE_SELF, &usage);
	take(&usage.ru_utime, sizeof(usage.ru_utime));
	getrlimit(RLIMIT_NOFILE, &limit);
	take(&limit, sizeof(limit));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	take(&now, sizeof(now));
	gettimeofday(&day, NULL);
	take(&day, sizeof(day));
	sysinfo(&info);
	take(&info.totalram, sizeof(info.totalram));
	if (getcwd(path, sizeof(path)))
		take(path, strlen(path));
	sum += (uint64_t)getpid() + (uint64_t)getppid() + getuid() + geteuid() + getgid();
}

static void of_a_file(const char *path)
{
	char text[64];
	struct iovec parts[2] = { { text, 10 }, { text + 20, 30 } };
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct stat status;

	for (int i = 0; i < 4; i++)
		sum += (uint64_t)write(fd, path, strlen(path));
	sum += (uint64_t)lseek(fd, 3, SEEK_SET);
	sum += (uint64_t)read(fd, text, 20);
	sum += (uint64_t)pread(fd, text + 20, 20, 7);
	sum += (uint64_t)preadv(fd, parts, 2, 5);
	sum += (uint64_t)pwritev(fd, parts, 2, 11);
	fstat(fd, &status);
	take(&status.st_size, sizeof(status.st_size));
	take(text, 50);
	ftruncate(fd, 5);
	fsync(fd);
	close(fd);
	unlink(path);
}

int main(int argc, char **argv)
{
	struct pollfd waiting = { .events = POLLIN };
	uint64_t added = 0;
	int ends[2];

	if (argc < 2 || pipe(ends))
		return 2;
	for (int i = 0; i < 3; i++) {
		vectors(ends[0], ends[1]);
		messages();
		what_there_is();
		of_a_file(argv[1]);
		sum += (uint64_t)deep(200, add, &added) + added;
		waiting.fd = ends[0];
		sum += (uint64_t)poll(&waiting, 1, 0);
	}
#ifdef WITH_LIBRARY
	void *library = dlopen("libm.so.6", RTLD_NOW);
	double (*cosine)(double) = (double (*)(double))(uintptr_t)dlsym(library, "cos");

	for (int i = 0; i < 50; i++)
		sum += (uint64_t)(1000 * cosine(i));
#endif
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}
