/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four threads that depend on each other in each way there is: a lock, a counter without one, a
 * queue by exclusives, spinning on a flag, bytes that share a word, values that decide where the
 * others go on. Which one comes first decides what is executed, so that a program of this recording
 * that lets them in otherwise executes something else.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 60 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint ready, tickets, turn;
static uint64_t shared[8];
static volatile uint8_t bytes[16];
static uint64_t sums[THREADS];

struct item {
	struct item *next;
	uint64_t value;
};

static struct item items[THREADS][ROUNDS];
static _Atomic(struct item *) stack;

static void push(struct item *item)
{
	item->next = atomic_load(&stack);
	while (!atomic_compare_exchange_weak(&stack, &item->next, item))
		;
}

static uint64_t pop_all(void)
{
	struct item *item = atomic_exchange(&stack, NULL);
	uint64_t sum = 0;

	for (; item; item = item->next)
		sum = sum * 31 + item->value;
	return sum;
}

static __attribute__((noinline)) uint64_t branchy(uint64_t value)
{
	uint64_t steps = 0;

	while (value > 1 && steps < 20) {
		value = value & 1 ? value * 3 + 1 : value / 2;
		steps++;
	}
	return steps;
}

static void *work(void *arg)
{
	uint64_t id = (uint64_t)arg, sum = 0;

	atomic_fetch_add(&ready, 1);
	while (atomic_load(&ready) < THREADS)
		;
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t mine = atomic_fetch_add(&tickets, 1);

		items[id][i].value = mine ^ id << 32;
		push(&items[id][i]);
		bytes[id]++;
		bytes[8 + mine % 8] = (uint8_t)(bytes[(id + 1) % THREADS] + id);
		sum += branchy(mine + bytes[8 + id]);
		if (i % 8 == id) {
			pthread_mutex_lock(&lock);
			memcpy(&shared[4], &shared[0], 32);
			shared[id] = shared[(id + 1) % 4] + sum + branchy(shared[4 + id] % 97);
			pthread_mutex_unlock(&lock);
		}
		if (i % 16 == 0) {
			while (atomic_load_explicit(&turn, memory_order_acquire) % THREADS != id)
				;
			sum += pop_all();
			atomic_store_explicit(&turn, (unsigned)id + 1, memory_order_release);
		}
	}
	sums[id] = sum;
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	uint64_t sum = 0;

	for (uint64_t i = 1; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	work((void *)0);
	for (uint64_t i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (uint64_t i = 0; i < THREADS; i++)
		sum += sums[i];
	return write(1, &sum, sizeof(sum)) != sizeof(sum);
}
