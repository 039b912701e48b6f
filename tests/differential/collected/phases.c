/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Some million instructions in phases that SimPoint can tell apart: numbers that are sorted, texts
 * that are formatted, matrices. With -DTHREADS=N so many threads, main() among them, do a share
 * each and add up what they find.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef THREADS
#define THREADS 1
#endif

enum { ROUNDS = 3, NUMBERS = 4000, TEXTS = 700, ORDER = 30 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long found;

struct share {
	unsigned long state, numbers[NUMBERS];
	double left[ORDER][ORDER], right[ORDER][ORDER], product[ORDER][ORDER];
};

static unsigned long next(struct share *share)
{
	share->state ^= share->state << 13;
	share->state ^= share->state >> 7;
	share->state ^= share->state << 17;
	return share->state;
}

static int compare(const void *a, const void *b)
{
	unsigned long left = *(const unsigned long *)a, right = *(const unsigned long *)b;

	return (left > right) - (left < right);
}

static unsigned long sort(struct share *share)
{
	for (int i = 0; i < NUMBERS; i++)
		share->numbers[i] = next(share);
	qsort(share->numbers, NUMBERS, sizeof(*share->numbers), compare);
	return share->numbers[77];
}

static unsigned long format(struct share *share)
{
	unsigned long sum = 0;
	char text[64];

	for (int i = 0; i < TEXTS; i++) {
		snprintf(text, sizeof(text), "%d %lu", i, next(share));
		sum += strlen(text);
	}
	return sum;
}

static unsigned long multiply(struct share *share)
{
	for (int i = 0; i < ORDER; i++)
		for (int j = 0; j < ORDER; j++) {
			share->left[i][j] = i + j;
			share->right[i][j] = i - j;
			share->product[i][j] = 0;
		}
	for (int i = 0; i < ORDER; i++)
		for (int j = 0; j < ORDER; j++)
			for (int k = 0; k < ORDER; k++)
				share->product[i][j] += share->left[i][k] * share->right[k][j];
	return (unsigned long)(share->product[3][4] + 1e6);
}

static void *work(void *argument)
{
	struct share *share = argument;

	for (int round = 0; round < ROUNDS; round++) {
		unsigned long mine = sort(share) + format(share) + multiply(share);

		pthread_mutex_lock(&lock);
		found += mine;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	static struct share shares[THREADS];
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		shares[i].state = 88172645463325252u + (unsigned long)i;
	for (int i = 1; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &shares[i]);
	work(&shares[0]);
	for (int i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%lu\n", found);
	return 0;
}
