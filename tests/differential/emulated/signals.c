/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers that are left by a jump, are interrupted themselves, are called as plain functions, and
 * go on behind an instruction that faults; several signals at once.
 */
#include "bare.h"

#define CALLED __attribute__((noipa))

enum { SIGILL = 4, SIGUSR1 = 10, SIGSEGV = 11, SIGUSR2 = 12, BLOCKED = 1 << 9 | 1 << 11 };
enum { SYS_SIGPROCMASK = 14, RIP = 5 + 16 };

struct action {
	void *handler;
	unsigned long flags; /* SA_SIGINFO, SA_RESTORER, SA_NODEFER */
	void (*restorer)(void);
	unsigned long mask;
};

__attribute__((naked)) static void restore(void)
{
	__asm__("mov $15, %eax\n\tsyscall");
}

static volatile unsigned long counted;
static void *place[5];
static long process;

static void on_fault(int number, void *info, unsigned long *context)
{
	(void)number;
	(void)info;
	(void)context;
	counted++;
	__builtin_longjmp(place, 1);
}

/* UD2 has two bytes. */
static void on_illegal(int number, void *info, unsigned long *context)
{
	(void)number;
	(void)info;
	counted += 100;
	context[RIP] += 2;
}

static void on_second(int number)
{
	counted += (unsigned long)number;
}

static void on_first(int number)
{
	counted += 3;
	if (number == SIGUSR1)
		system_call(SYS_KILL, process, SIGUSR2, 0, 0);
	counted++;
}

static void (*volatile const plain)(int) = on_first;

CALLED static unsigned long dig(unsigned long depth, const volatile unsigned long *at)
{
	return depth ? dig(depth - 1, at) + 1 : *at;
}

CALLED static unsigned long attempt(unsigned long depth, const volatile unsigned long *at)
{
	if (__builtin_setjmp(place))
		return 5;
	return dig(depth, at);
}

static void set(int number, void *handler)
{
	const struct action action = { handler, 0x44000004, restore, 0 };

	system_call(SYS_SIGACTION, number, (long)&action, 0, 8);
}

/* Both wait until none is blocked; the last frame's handler begins first. */
CALLED static void two_at_once(void)
{
	unsigned long blocked = BLOCKED, none = 0;

	system_call(SYS_SIGPROCMASK, 2, (long)&blocked, 0, 8);
	system_call(SYS_KILL, process, SIGUSR1, 0, 0);
	system_call(SYS_KILL, process, SIGUSR2, 0, 0);
	system_call(SYS_SIGPROCMASK, 2, (long)&none, 0, 8);
}

int run(void)
{
	unsigned long sum = 0, word = 9;

	process = system_call(SYS_GETPID, 0, 0, 0, 0);
	set(SIGSEGV, on_fault);
	set(SIGILL, on_illegal);
	set(SIGUSR1, on_first);
	set(SIGUSR2, on_second);
	for (unsigned long i = 0; i < 60; i++) {
		sum += attempt(i, i % 3 ? &word : (unsigned long *)16);
		if (i % 5 == 0)
			system_call(SYS_KILL, process, SIGUSR1, 0, 0);
		if (i % 7 == 0)
			plain(SIGUSR1);
		if (i % 11 == 0)
			__asm__ volatile("ud2");
		if (i % 13 == 0)
			two_at_once();
	}
	return (int)((sum + counted) % 100);
}
