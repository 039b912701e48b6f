/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What small.elf and its trace are made of: see README.md. No library: every instruction is here.
 */
struct vector {
	const void *base;
	unsigned long length;
};

static int numbers[64] __attribute__((aligned(64)));

static long call(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

__attribute__((noinline)) static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) static int sum(const int *list, int count)
{
	int total = 0;

	for (int i = 0; i < count; i++)
		total += list[i];
	return total;
}

__attribute__((noinline)) static void count_up(int *list, int count)
{
	for (int i = 0; i < count; i++)
		list[i] += i;
}

void _start(void)
{
	static const struct vector lines[] = { { "hello ", 6 }, { "trace\n", 6 } };
	int (*volatile pointer)(int) = fib;
	int result;

	__asm__ volatile("hint #9");
	__asm__ volatile("dc zva, %0" : : "r"(numbers) : "memory");
	count_up(numbers, 40);
	result = sum(numbers, 40) + pointer(5);
	call(66, 1, (long)lines, 2, 0);                   /* writev */
	call(172, 0, 0, 0, 0);                            /* getpid */
	result += (int)call(56, -100, (long)"/no", 0, 0); /* openat */
	result += (int)call(9999, 0, 0, 0, 0);
	__asm__ volatile("hint #9");
	call(94, result == 0, 0, 0, 0); /* exit_group */
}
