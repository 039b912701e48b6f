/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A heap with memory tags: what is allocated gets a tag, what is freed another one, and a use after
 * that raises a fault, whose handler goes on elsewhere. Prints how many faults came.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>

enum { MTE = 0x20, TAGS = 0xfffe << 3, SYNCHRONOUS = 2, ENABLE = 1, PIECES = 24, SIZE = 64 };

static sigjmp_buf place;
static volatile unsigned faults;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	if (info->si_code == SEGV_MTESERR)
		faults++;
	siglongjmp(place, 1);
}

static char *tagged(char *at)
{
	char *with;

	__asm__ volatile("irg %0, %1" : "=r"(with) : "r"(at));
	for (int i = 0; i < SIZE; i += 32)
		__asm__ volatile("st2g %0, [%0]" : : "r"(with + i) : "memory");
	return with;
}

/* Other tag, and zeros. */
static void untagged(char *at)
{
	char *with = at;

	__asm__ volatile("addg %0, %0, #0, #1" : "+r"(with));
	for (int i = 0; i < SIZE; i += 16)
		__asm__ volatile("stzg %0, [%0]" : : "r"(with + i) : "memory");
}

static uint64_t use(char *at)
{
	char *read = at;
	uint64_t sum = 0;

	__asm__ volatile("ldg %0, [%0]" : "+r"(read));
	sum += read == at;
	__asm__ volatile("stgp %1, %2, [%0]" : : "r"(at), "r"(sum), "r"(UINT64_C(7)) : "memory");
	for (int i = 0; i < SIZE / 8; i++) {
		((volatile uint64_t *)at)[i] += (uint64_t)i + sum;
		sum += ((volatile uint64_t *)at)[i];
	}
	return sum;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	volatile uint64_t sum = 0;
	char *heap;

	if (prctl(PR_SET_TAGGED_ADDR_CTRL, ENABLE | SYNCHRONOUS | TAGS, 0, 0, 0))
		return 2;
	heap = mmap(NULL, PIECES * SIZE, PROT_READ | PROT_WRITE | MTE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	sigaction(SIGSEGV, &action, NULL);
	__asm__ volatile("hint #9");
	for (volatile int i = 0; i < PIECES; i++) {
		char *piece = tagged(heap + i * SIZE);

		sum += use(piece);
		untagged(piece);
		if (i % 3 == 0 && !sigsetjmp(place, 1))
			sum += *(volatile uint64_t *)(piece + 8);
		if (i % 3 == 1 && !sigsetjmp(place, 1))
			*(volatile uint64_t *)(piece + 16) = sum;
	}
	__asm__ volatile("hint #9");
	printf("%u %lu\n", faults, (unsigned long)sum);
	return faults != PIECES * 2 / 3;
}
