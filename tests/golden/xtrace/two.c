/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads that take turns: see README.md. */
#include <pthread.h>
#include <unistd.h>

static volatile int turn, shared[2][16];

static void *work(void *arg)
{
	int mine = arg != 0;

	__asm__ volatile("hint #9");
	for (int round = 0; round < 3; round++) {
		while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != mine)
			usleep(20000);
		for (int i = 0; i < 16; i++)
			shared[mine][i] += shared[!mine][i] + 1;
		__atomic_store_n(&turn, !mine, __ATOMIC_RELEASE);
	}
	__asm__ volatile("hint #9");
	return 0;
}

int main(void)
{
	pthread_t other;

	pthread_create(&other, 0, work, (void *)1);
	work(0);
	pthread_join(other, 0);
	return 0;
}
