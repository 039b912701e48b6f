/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPY, CPYF and SET (FEAT_MOPS), also of memory that overlaps, up and down, between loops that
 * read what they have written.
 */
#include <stdio.h>

enum { SIZE = 1500 };

static unsigned char from[SIZE], to[SIZE];

/* SETP, SETM, SETE [x0]!, x1!, x2 */
static void set(unsigned char *at, long size, long value)
{
	register unsigned char *x0 __asm__("x0") = at;
	register long x1 __asm__("x1") = size;
	register long x2 __asm__("x2") = value;

	__asm__ volatile(".inst 0x19c20420, 0x19c24420, 0x19c28420"
			 : "+r"(x0), "+r"(x1)
			 : "r"(x2)
			 : "memory", "cc");
}

/* CPYFP, CPYFM, CPYFE [x3]!, [x4]!, x5!, or the same of CPY */
#define COPY(name, opcodes)                                                                        \
	static void name(unsigned char *at, unsigned char *of, long size)                          \
	{                                                                                          \
		register unsigned char *x3 __asm__("x3") = at;                                     \
		register unsigned char *x4 __asm__("x4") = of;                                     \
		register long x5 __asm__("x5") = size;                                             \
                                                                                                   \
		__asm__ volatile(".inst " opcodes                                                  \
				 : "+r"(x3), "+r"(x4), "+r"(x5)                                    \
				 :                                                                 \
				 : "memory", "cc");                                                \
	}

COPY(forward, "0x190404a3, 0x194404a3, 0x198404a3")
COPY(either, "0x1d0404a3, 0x1d4404a3, 0x1d8404a3")

static unsigned long read_back(void)
{
	unsigned long sum = 0;

	for (int i = 0; i < SIZE; i += 17)
		sum = sum * 31 + to[i];
	return sum;
}

int main(void)
{
	unsigned long sum = 0;

	__asm__ volatile("hint #9");
	sum += read_back();
	sum += read_back();
	for (long k = 0; k < 6; k++) {
		set(from + k, k * 61 + 7, 0x5b + k);
		forward(to + k % 5, from + k % 3, k * 33);
		sum = sum * 3 + read_back();
		either(to + 100 + k, to + 90, k * 20);
		either(to + 70, to + 90 + k, k * 20);
		sum = sum * 3 + read_back();
	}
	__asm__ volatile("hint #9");
	printf("%lu\n", sum);
	return 0;
}
