/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that interrupt each other and themselves: handlers with and without the frame's address,
 * on the thread's stack and on another one, that floating-point numbers are alive across, that
 * change what they interrupted, that are called inside each other, and that never return.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { ROUNDS = 20, THREADS = 3 };

static uint64_t total;
static __thread double alive[4];
static __thread volatile uint64_t seen;
static __thread sigjmp_buf place;

static __attribute__((noinline)) void plain(int number)
{
	seen = seen * 3 + (uint64_t)number;
}

/* The number decides the way, and is stored nowhere. */
static __attribute__((noinline)) void by_number(int number)
{
	if (number == SIGUSR2)
		seen = seen * 5 + 1;
	else
		seen = seen * 7 + 2;
	__atomic_fetch_add(&total, 1, __ATOMIC_SEQ_CST);
}

static __attribute__((noinline)) void with_frame(int number, siginfo_t *info, void *context)
{
	ucontext_t *c = context;

	seen += (uint64_t)(info->si_signo == number);
	for (int i = 0; i < 4; i++)
		alive[i] = alive[i] * 0.5 + i;
	if (number == SIGTRAP)
		c->uc_mcontext.pc += 4;
	c->uc_mcontext.regs[9] = 0x1234;
	raise(SIGUSR2);
}

static __attribute__((noinline)) void leaves(int number)
{
	seen += (uint64_t)number;
	siglongjmp(place, number);
}

static void handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(number, &action, NULL);
}

static double round_of(int i, double x)
{
	uint64_t nine = 9;

	pthread_kill(pthread_self(), i % 3 ? SIGUSR1 : SIGUSR2);
	x = x * 1.25 + i;
	if (!sigsetjmp(place, 1))
		raise(SIGHUP);
	__asm__ volatile("mov x9, %1\n\tbrk #7\n\tmov %0, x9" : "=r"(nine) : "r"(nine) : "x9");
	x += (double)nine + alive[i % 4];
	pthread_kill(pthread_self(), SIGUSR1);
	__atomic_fetch_add(&total, seen, __ATOMIC_SEQ_CST);
	return x;
}

static void *work(void *arg)
{
	stack_t own = { .ss_size = 65536, .ss_sp = malloc(65536) };
	double x = (double)(uintptr_t)arg;

	sigaltstack(&own, NULL);
	for (int i = 0; i < ROUNDS; i++)
		x = round_of(i, x);
	__atomic_fetch_add(&total, (uint64_t)x, __ATOMIC_SEQ_CST);
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = with_frame, .sa_flags = SA_SIGINFO };
	pthread_t threads[THREADS];

	handle(SIGUSR1, plain, SA_ONSTACK);
	handle(SIGUSR2, by_number, 0);
	handle(SIGHUP, leaves, 0);
	sigaction(SIGTRAP, &action, NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	work(NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%llu\n", (unsigned long long)total);
	return 0;
}
