/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes an XRay log of the size and shape of a real one: FDR version 5, 121 buffers of up to 1
 * MiB, five threads (a main thread and four workers whose buffers alternate in the file), 15.6
 * million function records in a call tree of 13 functions: 125 MB.
 *
 *   gen_xray [RECORDS] > big.xray
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 4, BLOCK = 1 << 20, METADATA = 16, FREQUENCY_HZ = 1000000000, MAIN_THREAD = 1000 };

/* docs/formats/xray.md, section 2.3. */
enum { NEW_BUFFER = 0, NEW_CPU = 2, WALL_CLOCK = 4, EXTENTS = 7, PID = 9 };

enum { LEAF0 = 1, LEAF1, LEAF2, MID0, MID1, RECURSE, VISIT1, VISIT2, STEP, PHASE, WORKER, MAIN };

struct thread {
	uint8_t block[BLOCK];
	size_t used; /* 0: no block is open */
	uint64_t tsc, base, seed, left;
	uint32_t id;
};

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static uint8_t *metadata(struct thread *thread, unsigned kind)
{
	uint8_t *record = thread->block + thread->used;

	memset(record, 0, METADATA);
	record[0] = (uint8_t)(kind << 1 | 1);
	thread->used += METADATA;
	return record + 1;
}

static void open_block(struct thread *thread)
{
	uint8_t *record;

	metadata(thread, EXTENTS); /* filled in by close_block() */
	put(metadata(thread, NEW_BUFFER), thread->id, 4);
	record = metadata(thread, WALL_CLOCK);
	put(record, thread->tsc / FREQUENCY_HZ, 8);
	put(record + 8, thread->tsc % FREQUENCY_HZ / 1000, 4);
	put(metadata(thread, PID), MAIN_THREAD, 4);
	record = metadata(thread, NEW_CPU);
	put(record, thread->id % 2, 2);
	put(record + 2, thread->tsc, 8);
	thread->base = thread->tsc;
}

static void close_block(struct thread *thread)
{
	if (!thread->used)
		return;
	put(thread->block + 1, thread->used - METADATA, 8);
	if (fwrite(thread->block, 1, thread->used, stdout) != thread->used) {
		perror("gen_xray");
		exit(1);
	}
	thread->used = 0;
}

static void function(struct thread *thread, unsigned id, unsigned action)
{
	if (thread->used > BLOCK - 8)
		close_block(thread);
	if (!thread->used)
		open_block(thread);
	/* Most calls are short, one in 64 is longer. */
	thread->seed = thread->seed * 6364136223846793005u + 1442695040888963407u;
	thread->tsc += 40 + (thread->seed >> 60) * 10 + ((thread->seed >> 40) % 64 ? 0 : 2000);
	put(thread->block + thread->used, id << 4 | action << 1, 4);
	put(thread->block + thread->used + 4, thread->tsc - thread->base, 4);
	thread->base = thread->tsc;
	thread->used += 8;
	thread->left -= thread->left > 0;
}

static void enter(struct thread *thread, unsigned id)
{
	function(thread, id, 0);
}

static void leave(struct thread *thread, unsigned id)
{
	function(thread, id, 1);
}

static void leaf(struct thread *thread, unsigned id)
{
	enter(thread, id);
	leave(thread, id);
}

static void mid1(struct thread *thread)
{
	enter(thread, MID1);
	for (int i = 0; i < 3; i++)
		leaf(thread, LEAF2);
	enter(thread, MID0);
	leaf(thread, LEAF0);
	leaf(thread, LEAF1);
	leave(thread, MID0);
	leave(thread, MID1);
}

static void recurse(struct thread *thread, unsigned depth)
{
	enter(thread, RECURSE);
	if (depth) {
		recurse(thread, depth - 1);
		recurse(thread, depth - 1);
	} else {
		leaf(thread, LEAF0);
	}
	leave(thread, RECURSE);
}

static void step(struct thread *thread, unsigned x)
{
	unsigned visit = x % 2 ? VISIT1 : VISIT2;

	enter(thread, STEP);
	enter(thread, visit);
	mid1(thread);
	leave(thread, visit);
	if (x % 8 == 0)
		recurse(thread, 3);
	if (x % 64 == 0)
		recurse(thread, 6);
	leave(thread, STEP);
}

/* One phase of a worker; the worker's own entry comes with its first, its exit with its last. */
static void phase(struct thread *thread, unsigned from)
{
	if (!from)
		enter(thread, WORKER);
	enter(thread, PHASE);
	for (unsigned x = from; x < from + 1000; x++)
		step(thread, x);
	leave(thread, PHASE);
	if (!thread->left)
		leave(thread, WORKER);
}

static void write_header(void)
{
	uint8_t header[32] = { 0 };

	put(header, 5, 2);
	put(header + 2, 1, 2);
	put(header + 4, 3, 4);
	put(header + 8, FREQUENCY_HZ, 8);
	put(header + 16, BLOCK, 8);
	fwrite(header, 1, sizeof(header), stdout);
}

static void run_workers(struct thread *threads)
{
	size_t busy = WORKERS;

	for (unsigned from = 0; busy; from += 1000) {
		busy = 0;
		for (unsigned i = 1; i <= WORKERS; i++) {
			if (!threads[i].left)
				continue;
			phase(&threads[i], from);
			busy++;
		}
	}
}

int main(int argc, char **argv)
{
	uint64_t records = argc > 1 ? strtoull(argv[1], NULL, 10) : 15600000;
	struct thread *threads = calloc(WORKERS + 1, sizeof(*threads));

	if (!threads)
		return 1;
	for (uint32_t i = 0; i <= WORKERS; i++) {
		threads[i].id = MAIN_THREAD + i;
		threads[i].tsc = 1000 * (uint64_t)FREQUENCY_HZ + i * 50000;
		threads[i].seed = i;
		threads[i].left = i ? records / WORKERS : 0;
	}
	write_header();
	/* The main thread waits for the others: its exit stands in a block of its own. */
	enter(&threads[0], MAIN);
	close_block(&threads[0]);
	run_workers(threads);
	threads[0].tsc = threads[WORKERS].tsc + 100000;
	leave(&threads[0], MAIN);
	for (unsigned i = 0; i <= WORKERS; i++)
		close_block(&threads[i]);
	free(threads);
	return fflush(stdout) != 0;
}
