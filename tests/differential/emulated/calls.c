/* SPDX-License-Identifier: Apache-2.0 */
/* Calls deeper than a decoder remembers, tables, indirect calls, string instructions. */
#include "bare.h"

#define CALLED __attribute__((noipa))

static unsigned char left[128], right[128];

CALLED static unsigned long sum_to(unsigned long n)
{
	return n ? sum_to(n - 1) * 3 + n : 1;
}

CALLED static unsigned long paths(unsigned long rows, unsigned long columns)
{
	if (!rows || !columns)
		return 1;
	return paths(rows - 1, columns) + paths(rows, columns - 1);
}

CALLED static unsigned long choose(unsigned long x)
{
	switch (x % 8) {
	case 0:
		return x * 5;
	case 1:
		return sum_to(x % 6);
	case 2:
		return x ^ 77;
	case 3:
		return x >> 2;
	case 4:
		return ~x;
	case 5:
		return paths(x % 4, 2);
	case 6:
		return x + 1234;
	default:
		return 9;
	}
}

static unsigned long (*volatile const table[])(unsigned long) = { sum_to, choose };

/* Bytes that are equal, found by an instruction that is repeated until they are not. */
CALLED static unsigned long compare(unsigned long length)
{
	const void *a = left, *b = right;

	__asm__ volatile("repe cmpsb" : "+D"(a), "+S"(b), "+c"(length)::"memory", "cc");
	return length;
}

CALLED static void fill(unsigned long length, int byte)
{
	void *at = left;

	__asm__ volatile("rep stosb" : "+D"(at), "+c"(length) : "a"(byte) : "memory");
}

CALLED static unsigned long count_down(unsigned long n)
{
	unsigned long steps = 0;

	__asm__ volatile("jrcxz 2f\n1:\tadd $5, %1\n\tloop 1b\n2:" : "+c"(n), "+r"(steps));
	return steps;
}

int run(void)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < 150; i++)
		sum += sum_to(i);
	sum += paths(6, 6);
	for (unsigned long i = 0; i < 2000; i++)
		sum += table[i & 1](i & 1 ? sum + i : i % 5);
	for (unsigned long i = 0; i < 100; i++) {
		right[i] = (unsigned char)(i % 3);
		fill(i, (int)(i % 2));
		sum += compare(i) + count_down(i % 6);
	}
	return (int)(sum % 100);
}
