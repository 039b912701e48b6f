/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads, eight at a time and sixteen in all, that count in common, each counter by another
 * instruction. Every value of a counter is stored once, so that the accesses of a recording either
 * form one chain from 0 to the value that is printed at the end, or are wrong.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 8, WAVES = 2, ROUNDS = 300 };

static struct {
	_Alignas(64) uint64_t added, swapped, exclusive;
	uint32_t compared;
	_Alignas(16) uint64_t pair[2];
	_Alignas(16) uint64_t exclusive_pair[2];
	uint64_t highest;
	uint64_t failed[4];
} shared;

/* Long enough that another thread stores in between. */
#define WAIT "\tmov x9, #40\n7:\tsubs x9, x9, #1\n\tb.ne 7b\n"

static void add(void)
{
	uint64_t old;

	__asm__ volatile("ldadd %1, %0, [%2]"
			 : "=r"(old)
			 : "r"(UINT64_C(1)), "r"(&shared.added)
			 : "memory");
	__asm__ volatile("ldumax %1, %0, [%2]"
			 : "=r"(old)
			 : "r"(old), "r"(&shared.highest)
			 : "memory");
}

static void swap(uint64_t mine)
{
	__asm__ volatile("swpal %0, %0, [%1]" : "+r"(mine) : "r"(&shared.swapped) : "memory");
}

static void compare(void)
{
	uint32_t seen = *(volatile uint32_t *)&shared.compared, found;

	for (;; seen = found) {
		found = seen;
		__asm__ volatile(WAIT "\tcasal %w0, %w1, [%2]"
				 : "+r"(found)
				 : "r"(seen + 1), "r"(&shared.compared)
				 : "x9", "cc", "memory");
		if (found == seen)
			break;
		__atomic_fetch_add(&shared.failed[0], 1, __ATOMIC_RELAXED);
	}
}

static void compare_pair(void)
{
	register uint64_t low __asm__("x0") = 0, high __asm__("x1") = 0;
	register uint64_t next __asm__("x2"), other __asm__("x3");
	uint64_t seen;

	for (;;) {
		next = low + 1;
		other = ~next;
		seen = low;
		__asm__ volatile("caspal x0, x1, x2, x3, [%4]"
				 : "+r"(low), "+r"(high)
				 : "r"(next), "r"(other), "r"(shared.pair)
				 : "memory");
		if (low == seen)
			break;
		__atomic_fetch_add(&shared.failed[1], 1, __ATOMIC_RELAXED);
	}
}

/* What is between makes it likely that another thread stores. */
static void exclusive(void)
{
	uint64_t value;
	uint32_t failed;

	for (;;) {
		__asm__ volatile("ldaxr %0, [%2]\n"
				 "\tadd %0, %0, #1\n" WAIT "\tstlxr %w1, %0, [%2]"
				 : "=&r"(value), "=&r"(failed)
				 : "r"(&shared.exclusive)
				 : "x9", "cc", "memory");
		if (!failed)
			break;
		__atomic_fetch_add(&shared.failed[2], 1, __ATOMIC_RELAXED);
	}
}

static void exclusive_pair(void)
{
	uint64_t low, high;
	uint32_t failed;

	for (;;) {
		__asm__ volatile("ldaxp %0, %1, [%3]\n"
				 "\tadd %0, %0, #1\n" WAIT "\tmvn %1, %0\n"
				 "\tstlxp %w2, %0, %1, [%3]"
				 : "=&r"(low), "=&r"(high), "=&r"(failed)
				 : "r"(shared.exclusive_pair)
				 : "x9", "cc", "memory");
		if (!failed)
			break;
		__atomic_fetch_add(&shared.failed[3], 1, __ATOMIC_RELAXED);
	}
}

static void *work(void *arg)
{
	uint64_t mine = (uint64_t)(uintptr_t)arg << 32;

	__asm__ volatile("hint #9");
	for (unsigned i = 1; i <= ROUNDS; i++) {
		add();
		swap(mine + i);
		compare();
		compare_pair();
		exclusive();
		exclusive_pair();
	}
	__asm__ volatile("hint #9");
	return NULL;
}

static void print(const char *name, const void *at, uint64_t last)
{
	printf("%s %lx %lx\n", name, (unsigned long)(uintptr_t)at, (unsigned long)last);
}

int main(void)
{
	pthread_t threads[THREADS];

	for (uintptr_t wave = 0; wave < WAVES; wave++) {
		for (uintptr_t i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, work, (void *)(wave * THREADS + i + 1));
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	print("added", &shared.added, shared.added);
	print("swapped", &shared.swapped, shared.swapped);
	print("compared", &shared.compared, shared.compared);
	print("pair", shared.pair, shared.pair[0]);
	print("exclusive", &shared.exclusive, shared.exclusive);
	print("exclusive_pair", shared.exclusive_pair, shared.exclusive_pair[0]);
	print("highest", &shared.highest, shared.highest);
	printf("failed %lu %lu %lu %lu\n", shared.failed[0], shared.failed[1], shared.failed[2],
	       shared.failed[3]);
	return shared.pair[1] != ~shared.pair[0];
}
