/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops that a compiler makes SVE of, at any length of vectors: sums, gathers, strides, conditions,
 * first-fault loads (in the C library, where it has some), conversions, and signals between them.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

enum { COUNT = 203, ROUNDS = 12 };

static double a[COUNT], b[COUNT];
static float f[COUNT];
static int32_t index_of[COUNT], small[COUNT];
static uint8_t bytes[COUNT], others[COUNT];
static uint64_t sum;

static __attribute__((noinline)) double dot(void)
{
	double s = 0;

	for (int i = 0; i < COUNT; i++)
		s += a[i] * b[index_of[i]];
	return s;
}

static __attribute__((noinline)) void scale(double x)
{
	for (int i = 0; i < COUNT; i++)
		if (small[i] & 1)
			a[i] = a[i] * x + b[i];
}

static __attribute__((noinline)) void narrow(void)
{
	for (int i = 0; i < COUNT; i++) {
		bytes[i] = (uint8_t)(small[i] + others[i]);
		f[i] = (float)a[i];
	}
}

static __attribute__((noinline)) int64_t strided(void)
{
	int64_t s = 0;

	for (int i = 0; i < COUNT / 3; i++)
		s += small[3 * i] * (int64_t)small[3 * i + 1] - small[3 * i + 2];
	return s;
}

static __attribute__((noinline)) size_t length(const char *text)
{
	size_t n;

	__asm__ volatile("mov %0, #0\n"
			 "\tptrue p0.b\n"
			 "1:\tsetffr\n"
			 "\tldff1b z0.b, p0/z, [%1, %0]\n"
			 "\trdffrs p1.b, p0/z\n"
			 "\tb.nlast 2f\n"
			 "\tcmpeq p2.b, p0/z, z0.b, #0\n"
			 "\tb.any 3f\n"
			 "\tincb %0\n"
			 "\tb 1b\n"
			 "2:\tcmpeq p2.b, p1/z, z0.b, #0\n"
			 "\tb.any 3f\n"
			 "\tincp %0, p1.b\n"
			 "\tb 1b\n"
			 "3:\tbrkb p2.b, p0/z, p2.b\n"
			 "\tincp %0, p2.b"
			 : "=&r"(n)
			 : "r"(text)
			 : "z0", "p0", "p1", "p2", "memory", "cc");
	return n;
}

static void on_signal(int number)
{
	scale(0.25);
	sum += (uint64_t)number;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	static const char text[] = "a text whose end is at no multiple of anything";

	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < COUNT; i++) {
		a[i] = i * 0.5;
		b[i] = 3 - i * 0.25;
		index_of[i] = i * 7 % COUNT;
		small[i] = i * i % 91;
		others[i] = (uint8_t)(i * 5);
	}
	for (int round = 0; round < ROUNDS; round++) {
		sum = sum * 31 + (uint64_t)(int64_t)dot();
		scale(1 - round * 0.125);
		raise(SIGUSR1);
		narrow();
		sum = sum * 31 + (uint64_t)strided() + length(text + round);
		for (int i = 0; i < COUNT; i++)
			sum = sum * 31 + bytes[i] + (uint64_t)(int64_t)f[i];
	}
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}
