/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointer authentication of code and data, by keys A and B, with and without a modifier: signed,
 * authenticated, stripped, branched to and loaded from; functions that sign where they return to.
 */
#include <stdint.h>
#include <stdio.h>

static long sum;

static __attribute__((noinline)) long leaf(long number)
{
	return number * 7;
}

static __attribute__((noinline)) long deep(int depth, long (*function)(long))
{
	return depth ? deep(depth - 1, function) + depth : function(3);
}

long twice(long number);
__asm__("\t.text\n"
	"\t.type twice, %function\n"
	"twice:\n"
	"\tbti c\n"
	"\tadd x0, x0, x0\n"
	"\tret");

static long branch(void *function, uint64_t modifier, long number)
{
	register long x0 __asm__("x0") = number;
	register void *x9 __asm__("x9") = function;
	register uint64_t x10 __asm__("x10") = modifier;

	__asm__ volatile("pacia x9, x10\n\tblraa x9, x10"
			 : "+r"(x0), "+r"(x9)
			 : "r"(x10)
			 : "x30", "x17", "x16", "memory", "cc");
	return x0;
}

static void data(long k, uint64_t modifier)
{
	long values[] = { k, k + 1 }, loaded;
	void *at = &sum;

	__asm__ volatile("pacdzb %0\n\tautdzb %0" : "+r"(at));
	*(long *)at += 1;
	at = &sum;
	__asm__ volatile("pacda %0, sp\n\txpacd %0" : "+r"(at));
	*(long *)at += 2;
	at = values;
	__asm__ volatile("pacda %0, %2\n\tautda %0, %2\n\tldr %1, [%0]"
			 : "+r"(at), "=&r"(loaded)
			 : "r"(modifier)
			 : "memory");
	sum += loaded;
	at = values;
	__asm__ volatile("pacdza %0\n\tldraa %1, [%0, #8]!" : "+r"(at), "=&r"(loaded) : : "memory");
	sum += loaded;
}

int main(void)
{
	__asm__ volatile("hint #9");
	for (int k = 0; k < 12; k++) {
		long (*function)(long) = leaf;

		sum += deep(k % 7, leaf);
		sum += branch((void *)twice, 0x1234, k);
		__asm__ volatile("paciza %0\n\tautiza %0" : "+r"(function));
		sum += function(k);
		data(k, 0x1234);
	}
	__asm__ volatile("hint #9");
	printf("%ld\n", sum);
	return 0;
}
