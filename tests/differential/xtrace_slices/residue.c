/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What functions left below the stack, read byte by byte: return addresses with their signatures
 * among it, which other functions stored.
 */
#include <stdint.h>
#include <unistd.h>

static volatile uint64_t sum;

static __attribute__((noinline)) int deep(int n)
{
	return n ? deep(n - 1) + (int)getuid() : 1;
}

/* A buffer of which nothing was written. */
static __attribute__((noinline)) uint64_t left(void)
{
	volatile unsigned char bytes[512];
	uint64_t all = 0;

	for (int i = 0; i < 512; i++)
		all = all * 31 + bytes[i];
	return all;
}

int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 20; i++) {
		sum += (uint64_t)deep(10 + argc);
		sum += left();
	}
	return 0;
}
