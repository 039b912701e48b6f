/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program [FAULT]: threads, recursion, tail calls, longjmp, signals in the middle of everything,
 * signal stacks, fork, dlopen, a thousand functions; then the fault. Its counts are written before
 * the fault.
 *
 * In the place of a fault: "thousand" threads; "quiet": threads alone, no signals and no fork;
 * "rounds": the thousand functions one after the other, 200 times; "slow": short calls and two that
 * take a second and more.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "counts.h"

struct counter counters[COUNTERS];
static volatile int sink;

/* A recursion must not become a loop, which is no call. */
#define KEEP_CALL __asm__ volatile("" ::: "memory")

/* A thousand functions. */
#define FN(n)                                                                                      \
	TRACED int short_##n(int x)                                                                \
	{                                                                                          \
		COUNT(100 + 1##n - 1000);                                                          \
		return x + 1;                                                                      \
	}
#define TEN(p)                                                                                     \
	FN(p##0)                                                                                   \
	FN(p##1) FN(p##2) FN(p##3) FN(p##4) FN(p##5) FN(p##6) FN(p##7) FN(p##8) FN(p##9)
#define HUNDRED(p)                                                                                 \
	TEN(p##0)                                                                                  \
	TEN(p##1) TEN(p##2) TEN(p##3) TEN(p##4) TEN(p##5) TEN(p##6) TEN(p##7) TEN(p##8) TEN(p##9)
#define THOUSAND                                                                                   \
	HUNDRED(0)                                                                                 \
	HUNDRED(1)                                                                                 \
	HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5) HUNDRED(6) HUNDRED(7) HUNDRED(8) HUNDRED(9)
THOUSAND
#undef FN
#define FN(n) short_##n,
static int (*const shorts[])(int) = { THOUSAND };

TRACED int leaf(int x)
{
	COUNT(0);
	sink = x;
	return x * 3 + 1;
}

TRACED int fibonacci(int n)
{
	COUNT(1);
	if (n < 2)
		return leaf(n);
	int sum = fibonacci(n - 1);

	KEEP_CALL;
	sum += fibonacci(n - 2);
	KEEP_CALL;
	return sum;
}

/* Each leaves by a jump to the other, where the compiler makes one. */
TRACED int odd(int n);
TRACED int even(int n)
{
	COUNT(2);
	if (!n)
		return 1;
	return odd(n - 1);
}

TRACED int odd(int n)
{
	COUNT(3);
	if (!n)
		return 0;
	return even(n - 1);
}

static __thread jmp_buf back;

TRACED void leap(int depth)
{
	COUNT(4);
	if (!depth)
		longjmp(back, 1);
	leap(depth - 1);
	sink++;
}

TRACED int leaper(int n)
{
	COUNT(5);
	volatile int i = 0;

	while (i < n) {
		i++;
		if (!setjmp(back))
			leap(i % 7);
		leaf(i);
	}
	return i;
}

TRACED void deep_in_handler(void)
{
	COUNT(6);
	sink++;
}

TRACED void on_signal(int number)
{
	COUNT(7);
	if (number)
		deep_in_handler();
}

/*
 * LLVM's run-time holds a lock as it takes the buffer of a thread that ends: a signal's handler
 * that is instrumented, and interrupts that, waits for it for ever.
 */
HIDDEN static void end_thread(void)
{
#ifdef ENDS_WITHOUT_SIGNALS
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
#endif
}

TRACED void *work(void *arg)
{
	COUNT(8);
	int pieces = *(int *)arg;

	for (int i = 0; i < pieces; i++) {
		fibonacci(i % 9);
		even(i % 5);
		leaper(3);
	}
	end_thread();
	return NULL;
}

TRACED void run_threads(int count, int pieces)
{
	COUNT(9);
	pthread_t threads[64];

	for (int started = 0; started < count; started += 64) {
		for (int i = 0; i < 64 && started + i < count; i++)
			pthread_create(&threads[i], NULL, work, &pieces);
		for (int i = 0; i < 64 && started + i < count; i++)
			pthread_join(threads[i], NULL);
	}
}

TRACED double averages(double a, double b, float c, long double d)
{
	COUNT(10);
	return (a + b + (double)c + (double)d) / 4;
}

HIDDEN static void begin_signals(void)
{
	static char stack[1 << 16];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_RESTART };
	const struct itimerval often = { { 0, 200 }, { 0, 200 } };

	sigaltstack(&other, NULL);
	sigaction(SIGALRM, &action, NULL);
	action.sa_flags = SA_RESTART;
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
}

HIDDEN static void end_signals(void)
{
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };

	setitimer(ITIMER_REAL, &never, NULL);
	setitimer(ITIMER_PROF, &never, NULL);
}

/* The child's counts are its own; it returns through functions that its parent entered. */
TRACED int fork_here(int depth)
{
	COUNT(11);
	pid_t child;

	if (depth) {
		int is_child = fork_here(depth - 1);

		KEEP_CALL;
		return is_child;
	}
	child = fork();
	if (!child) {
		memset(counters, 0, sizeof(counters));
		return 1;
	}
	waitpid(child, NULL, 0);
	return 0;
}

TRACED void use_library(const char *path)
{
	COUNT(12);
	for (int i = 0; path && i < 3; i++) {
		void *library = dlopen(path, RTLD_NOW);
		int (*plug)(unsigned long *) = NULL;
		static unsigned long calls;

		if (library)
			*(void **)&plug = dlsym(library, "plug");
		if (plug)
			plug(&calls);
		counters[13].name = "plug";
		counters[13].count = calls;
		if (library)
			dlclose(library);
	}
}

TRACED void all(const char *library)
{
	COUNT(14);
	begin_signals();
	run_threads(8, 60);
	for (int round = 0; round < 20; round++)
		for (int i = 0; i < 1000; i++)
			shorts[i](i);
	for (int i = 0; i < 2000; i++)
		if (averages(i, 2 * i, 3, 2) != (3.0 * i + 5) / 4)
			abort();
	end_signals();
	use_library(library);
}

HIDDEN static void fault(const char *name)
{
	const struct rlimit none = { 1 << 18, 1 << 18 };

	if (!strcmp(name, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(name, "abort"))
		abort();
	if (!strcmp(name, "segv"))
		*(volatile int *)8 = 1;
	if (!strcmp(name, "exec"))
		execl("/bin/true", "true", (char *)NULL);
	if (!strcmp(name, "_exit"))
		_exit(7);
	if (!strcmp(name, "close"))
		for (int fd = 0; fd < 1024; fd++)
			close(fd);
	if (!strcmp(name, "full"))
		setrlimit(RLIMIT_FSIZE, &none);
}

TRACED void sleeper(unsigned microseconds)
{
	COUNT(16);
	for (int i = 0; i < 100; i++)
		leaf(i);
	usleep(microseconds);
}

TRACED void slow(void)
{
	COUNT(17);
	for (unsigned i = 0; i < 40; i++)
		sleeper(i % 20 ? 0 : 1200000);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	COUNT(15);
	if (!strcmp(how, "close") || !strcmp(how, "full"))
		fault(how);
	if (!strcmp(how, "thousand")) {
		run_threads(1000, 1);
	} else if (!strcmp(how, "quiet")) {
		run_threads(8, 60);
	} else if (!strcmp(how, "rounds")) {
		for (int i = 0; i < 200000; i++)
			shorts[i % 1000](i);
	} else if (!strcmp(how, "slow")) {
		slow();
	} else {
		all(argc > 2 ? argv[2] : NULL);
		fork_here(3);
	}
	write_counts();
	fault(how);
	return 3;
}
