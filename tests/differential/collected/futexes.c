/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three threads that wait for each other: by a barrier, a condition variable, a robust mutex, a
 * lock for readers; a list without a lock, exclusive loads of pairs, and an atomic operation on a
 * byte inside a word that others compare and swap.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 3, ROUNDS = 24 };

static struct node {
	struct node *next;
	long value;
} nodes[THREADS][ROUNDS], *_Atomic head;

static pthread_mutex_t robust, plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t readers = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t begin;
static _Atomic long compared;
static long exclusive, turn;
static uint64_t pair[2] __attribute__((aligned(16)));
static __thread long mine;

static void add_exclusive(long number)
{
	long old;
	int failed;

	do {
		__asm__ volatile("ldaxr %0, [%2]\n"
				 "\tadd %0, %0, %3\n"
				 "\tstlxr %w1, %0, [%2]"
				 : "=&r"(old), "=&r"(failed)
				 : "r"(&exclusive), "r"(number)
				 : "memory");
	} while (failed);
}

static void add_pair(void)
{
	uint64_t low, high;
	int failed;

	do {
		__asm__ volatile("ldxp %0, %1, [%3]\n"
				 "\tadds %0, %0, #3\n"
				 "\tadc %1, %1, xzr\n"
				 "\tstxp %w2, %0, %1, [%3]"
				 : "=&r"(low), "=&r"(high), "=&r"(failed)
				 : "r"(pair)
				 : "memory", "cc");
	} while (failed);
}

static void push(struct node *node, long value)
{
	node->value = value;
	node->next = atomic_load(&head);
	while (!atomic_compare_exchange_weak(&head, &node->next, node))
		;
}

static void lock(void)
{
	pthread_mutex_lock(&robust);
	exclusive++;
	pthread_mutex_unlock(&robust);
	pthread_rwlock_rdlock(&readers);
	mine += turn;
	pthread_rwlock_unlock(&readers);
}

static void take_turn(long id)
{
	pthread_mutex_lock(&plain);
	while (turn % THREADS != id)
		pthread_cond_wait(&turned, &plain);
	turn++;
	pthread_cond_broadcast(&turned);
	pthread_mutex_unlock(&plain);
}

static void *work(void *argument)
{
	long id = (long)argument;

	__asm__ volatile("hint #9");
	pthread_barrier_wait(&begin);
	for (int k = 0; k < ROUNDS; k++) {
		long old = atomic_load(&compared);

		while (!atomic_compare_exchange_weak(&compared, &old, old + id + 1))
			;
		add_exclusive(id);
		add_pair();
		mine += k;
		if (k % 5 == 0)
			push(&nodes[id][k], id * 100 + k);
		if (k % 8 == 0)
			lock();
		if (k % 10 == 0)
			take_turn(id);
		if (k % 7 == 0)
			__atomic_fetch_or((unsigned char *)&compared + 1, 0, __ATOMIC_ACQ_REL);
	}
	__asm__ volatile("hint #9");
	return (void *)mine;
}

int main(void)
{
	pthread_mutexattr_t attributes;
	pthread_t threads[THREADS];
	long sum = 0;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	pthread_barrier_init(&begin, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		void *result;

		pthread_join(threads[i], &result);
		sum += (long)result;
	}
	for (struct node *node = head; node; node = node->next)
		sum += node->value;
	printf("%ld %ld %ld %ld\n", sum, (long)compared, exclusive, (long)pair[0]);
	return 0;
}
