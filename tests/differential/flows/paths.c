/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program without a library, whose path is its first argument: a and b are calls, digits are
 * loops of so many rounds two calls deep, and r is a recursion.
 */
static volatile unsigned sink;

#define APART __attribute__((noinline, noclone))

static APART void path_a(void)
{
	sink += 1;
}

static APART void path_b(void)
{
	if (sink & 1)
		sink += 3;
	else
		sink *= 5;
}

static APART void rounds(unsigned count)
{
	while (count--)
		sink ^= count;
}

static APART void digit(char c)
{
	rounds((unsigned)(c - '0'));
	sink++;
}

static APART unsigned recursion(unsigned depth)
{
	return depth ? recursion(depth - 1) + sink : 1;
}

static APART void walk(const char *path)
{
	for (; *path; path++) {
		if (*path == 'a')
			path_a();
		else if (*path == 'b')
			path_b();
		else if (*path == 'r')
			sink = recursion(5);
		else
			digit(*path);
	}
}

__attribute__((used)) static void begin(char **stack)
{
	walk(stack[2]);
	__asm__ volatile("syscall" : : "a"(231), "D"(0) : "rcx", "r11", "memory");
	__builtin_unreachable();
}

/* The stack has the number of arguments, then the arguments. */
__asm__(".globl _start\n_start:\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall begin\n");
