/* SPDX-License-Identifier: Apache-2.0 */
/* What is recorded afresh: everything that control flow of user code does, in a few ten thousand
 * instructions. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile unsigned sink;
static jmp_buf back;

/* Deeper than the 64 addresses that returns are compressed with. */
__attribute__((noinline)) static unsigned deep(unsigned n)
{
	if (n == 0)
		return sink++;
	return deep(n - 1) + 1;
}

__attribute__((noinline)) static unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) static void leap(unsigned n)
{
	if (n == 0 && sink != 0x80000000u)
		longjmp(back, 1);
	if (n > 0)
		leap(n - 1);
	sink++;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void on_signal(int number)
{
	sink += (unsigned)number;
}

/* A jump table: indirect jumps. */
__attribute__((noinline)) static unsigned choose(unsigned n)
{
	switch (n % 8) {
	case 0:
		return n + 1;
	case 1:
		return n * 3;
	case 2:
		return n ^ 5;
	case 3:
		return n - 7;
	case 4:
		return n / 3;
	case 5:
		return ~n;
	case 6:
		return n << 2;
	default:
		return n >> 1;
	}
}

/* Returns that go elsewhere than their call, and a call that nobody returns from. */
__attribute__((noinline)) static void odd_returns(void)
{
	__asm__ volatile("call 1f\n1: pop %%rax\n"                   /* where am I? */
			 "lea 2f(%%rip), %%rax\n push %%rax\n ret\n" /* a jump */
			 "2: mov $5, %%ecx\n3: loop 3b\n"
			 "xor %%ecx, %%ecx\n jrcxz 4f\n nop\n4:\n" ::
				 : "rax", "rcx", "memory");
}

/* Repeated string instructions, with a count of 0 as well. */
__attribute__((noinline)) static void strings(void)
{
	static char from[200], to[200];

	for (size_t count = 0; count < 200; count += 40) {
		void *source = from, *target = to;
		size_t left = count;

		__asm__ volatile("rep movsb" : "+S"(source), "+D"(target), "+c"(left)::"memory");
		left = count;
		target = to;
		__asm__ volatile("rep stosb" : "+D"(target), "+c"(left) : "a"(count) : "memory");
	}
}

int main(void)
{
	int numbers[40];

	signal(SIGUSR1, on_signal);
	signal(SIGSEGV, on_signal);
	sink += deep(150);
	sink += fib(9);
	for (unsigned i = 0; i < 3; i++)
		if (!setjmp(back))
			leap(20 + i);
	for (unsigned i = 0; i < 40; i++)
		numbers[i] = (int)choose(i * 7919);
	qsort(numbers, 40, sizeof(numbers[0]), compare);
	odd_returns();
	strings();
	for (unsigned i = 0; i < 3; i++)
		raise(SIGUSR1);
	sink += deep(70);
	return write(1, "done\n", 5) != 5;
}
