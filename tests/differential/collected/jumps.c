/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers of signals that end in all the ways there are: on a stack of their own, by siglongjmp,
 * inside each other, with another PC and other registers, by making memory writable; and longjmp
 * over frames without any signal.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096 };

static sigjmp_buf outside;
static jmp_buf shallow;
static volatile long hits, sum;

static void leave(int number, siginfo_t *info, void *context)
{
	(void)info, (void)context;
	hits++;
	siglongjmp(outside, number);
}

static void inner(int number)
{
	hits += number;
}

static void outer(int number)
{
	hits++;
	raise(SIGUSR2);
	hits += number;
}

static void skip(int number, siginfo_t *info, void *context)
{
	ucontext_t *at = context;

	at->uc_mcontext.pc += 4;
	at->uc_mcontext.regs[7] = (uint64_t)info->si_code;
	hits += number;
}

static void allow(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	mprotect((void *)((uintptr_t)info->si_addr & -(uintptr_t)PAGE), PAGE,
		 PROT_READ | PROT_WRITE);
	hits++;
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = handler;
	action.sa_flags = SA_SIGINFO | flags;
	sigaction(number, &action, NULL);
}

static void *pages(size_t count, int protection)
{
	return mmap(NULL, count * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static __attribute__((noinline)) int deeper(int depth)
{
	volatile int frame[8];

	if (depth > 100)
		return 0;
	if (!depth)
		longjmp(shallow, 5);
	frame[depth & 7] = depth;
	return deeper(depth - 1) + frame[depth & 7];
}

static void leave_handlers(void)
{
	handle(SIGUSR1, leave, SA_ONSTACK | SA_NODEFER);
	for (volatile int k = 0; k < 4; k++) {
		int number = sigsetjmp(outside, k & 1);

		if (!number)
			raise(SIGUSR1);
		sum += number;
	}
	handle(SIGSEGV, leave, SA_ONSTACK | SA_NODEFER);
	for (volatile int k = 0; k < 3; k++) {
		if (!sigsetjmp(outside, 1))
			*(volatile int *)(uintptr_t)(8 + k) = k;
		sum++;
	}
	for (volatile int k = 0; k < 3; k++)
		if (!setjmp(shallow))
			deeper(5 + k);
}

static void nest_handlers(void)
{
	signal(SIGUSR2, inner);
	signal(SIGHUP, outer);
	for (int k = 0; k < 3; k++)
		raise(SIGHUP);
}

static void skip_instructions(void)
{
	handle(SIGTRAP, skip, 0);
	handle(SIGILL, skip, SA_ONSTACK);
	for (int k = 0; k < 3; k++) {
		register long x7 __asm__("x7") = k;

		__asm__ volatile("brk #1" : "+r"(x7) : : "memory");
		sum += x7;
		x7 = k;
		__asm__ volatile("udf #7" : "+r"(x7) : : "memory");
		sum += x7;
	}
}

/* Stores, also of pairs and vectors that are half in a page that can be written. */
static void make_writable(void)
{
	char *closed = pages(3, PROT_READ), *half = pages(4, PROT_READ | PROT_WRITE);

	handle(SIGSEGV, allow, SA_ONSTACK);
	for (int k = 0; k < 3; k++) {
		closed[k * PAGE + 8 * k] = (char)(k + 1);
		sum += closed[k * PAGE + 8 * k];
	}
	mprotect(half + PAGE, PAGE, PROT_READ);
	__asm__ volatile("stp %0, %1, [%2]"
			 :
			 : "r"(0x1122334455667788), "r"(0x99L), "r"(half + PAGE - 8)
			 : "memory");
	mprotect(half + 2 * PAGE, PAGE, PROT_NONE);
	__asm__ volatile("ldr q5, [%0]\n\tstr q5, [%0, #-32]"
			 :
			 : "r"(half + 2 * PAGE - 8)
			 : "v5", "memory");
}

static void wait_for_signal(void)
{
	union sigval value = { .sival_int = 77 };
	sigset_t set, before;
	siginfo_t info;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, &before);
	sigqueue(getpid(), SIGUSR2, value);
	sigwaitinfo(&set, &info);
	sum += info.si_value.sival_int;
	sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(void)
{
	stack_t own = { .ss_sp = malloc(65536), .ss_size = 65536 };

	sigaltstack(&own, NULL);
	__asm__ volatile("hint #9");
	leave_handlers();
	nest_handlers();
	skip_instructions();
	make_writable();
	wait_for_signal();
	__asm__ volatile("hint #9");
	printf("%ld %ld\n", hits, sum);
	return 0;
}
