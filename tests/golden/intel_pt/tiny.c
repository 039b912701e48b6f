/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All kinds of branches in one page of code. Built with
 *   gcc -O1 -nostdlib -static -fno-stack-protector -fno-pie -no-pie -fcf-protection=none \
 *       -fno-asynchronous-unwind-tables -o tiny tiny.c
 */
typedef unsigned long word;

static volatile word sink;

static word call(word number, word a, word b, word c, word d)
{
	register word fourth __asm__("r10") = d;
	word result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
			 : "rcx", "r11", "memory");
	return result;
}

__attribute__((noinline)) static word deep(word n)
{
	return n ? deep(n - 1) + 1 : sink;
}

__attribute__((noinline)) static word fib(word n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static word add(word n)
{
	return n + 3;
}
static word twice(word n)
{
	return n * 2;
}
static word (*const volatile table[])(word) = { add, twice, fib };

__attribute__((noinline)) static word choose(word n)
{
	switch (n % 6) {
	case 0:
		return n + sink;
	case 1:
		return n * 3;
	case 2:
		return n ^ sink;
	case 3:
		return n - 7;
	case 4:
		return n / 3;
	default:
		return ~n;
	}
}

static void on_signal(int number)
{
	sink += (word)number;
}

__attribute__((naked)) static void restorer(void)
{
	__asm__("mov $15, %eax\n syscall");
}

__attribute__((noinline)) static void odd(void)
{
	static char from[64], to[64];
	void *source = from, *target = to;
	word count = 64;

	__asm__ volatile("call 1f\n1: pop %%rax\n lea 2f(%%rip), %%rax\n push %%rax\n ret\n"
			 "2: mov $5, %%ecx\n3: loop 3b\n jrcxz 4f\n nop\n4:" ::
				 : "rax", "rcx", "memory");
	__asm__ volatile("rep movsb" : "+S"(source), "+D"(target), "+c"(count)::"memory");
}

__attribute__((noreturn)) void _start(void)
{
	struct {
		void (*handler)(int);
		word flags;
		void (*restorer)(void);
		word mask;
	} action = { on_signal, 0x04000000, restorer, 0 };

	call(13, 10, (word)&action, 0, 8);
	sink += deep(70) + fib(7);
	for (word i = 0; i < 24; i++)
		sink += table[i % 3](i % 5) + choose(i);
	odd();
	call(62, call(39, 0, 0, 0, 0), 10, 0, 0);
	for (word i = 0; i < 40; i++)
		if (sink >> i & 1)
			sink += i;
	call(231, 0, 0, 0, 0);
	__builtin_unreachable();
}
