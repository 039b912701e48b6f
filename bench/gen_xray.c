/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes an XRay log of the size and shape of a real one: FDR version 5, buffers of up to 1 MiB, a
 * main thread that waits for workers whose buffers alternate in the file, 15.6 million function
 * records: 125 MB. The shapes are in xray_shapes.c; without one it is "regular".
 *
 *   gen_xray [RECORDS [SHAPE]] > big.xray
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xray_shapes.h"

enum { METADATA = 16, FREQUENCY_HZ = 1000000000, MAIN_THREAD = 1000 };

/* docs/formats/xray.md, section 2.3. */
enum { NEW_BUFFER = 0, NEW_CPU = 2, WALL_CLOCK = 4, EXTENTS = 7, PID = 9 };

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
	if (thread->used > XRAY_BLOCK - 8)
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

void xray_enter(struct thread *thread, unsigned id)
{
	function(thread, id, 0);
}

void xray_leave(struct thread *thread, unsigned id)
{
	function(thread, id, 1);
}

static void write_header(void)
{
	uint8_t header[32] = { 0 };

	put(header, 5, 2);
	put(header + 2, 1, 2);
	put(header + 4, 3, 4);
	put(header + 8, FREQUENCY_HZ, 8);
	put(header + 16, XRAY_BLOCK, 8);
	fwrite(header, 1, sizeof(header), stdout);
}

static const struct xray_shape *find_shape(const char *name)
{
	for (const struct xray_shape *shape = xray_shapes; shape->name; shape++)
		if (!strcmp(shape->name, name))
			return shape;
	fprintf(stderr, "gen_xray: no shape %s\n", name);
	exit(2);
}

/* The workers take turns until each has made its records. */
static void run_workers(const struct xray_shape *shape, struct thread *threads)
{
	unsigned busy = shape->workers;

	for (unsigned round = 0; busy; round++) {
		busy = 0;
		for (unsigned i = 1; i <= shape->workers; i++) {
			if (!threads[i].left)
				continue;
			shape->turn(&threads[i], round);
			busy++;
		}
	}
}

int main(int argc, char **argv)
{
	uint64_t records = argc > 1 ? strtoull(argv[1], NULL, 10) : 15600000;
	const struct xray_shape *shape = find_shape(argc > 2 ? argv[2] : "regular");
	struct thread *threads = calloc(shape->workers + 1, sizeof(*threads));

	if (!threads)
		return 1;
	for (uint32_t i = 0; i <= shape->workers; i++) {
		threads[i].id = MAIN_THREAD + i;
		threads[i].tsc = 1000 * (uint64_t)FREQUENCY_HZ + i * 50000;
		threads[i].seed = i;
		threads[i].left = i ? records / shape->workers : 0;
	}
	write_header();
	/* The main thread waits for the others: its exit stands in a block of its own. */
	xray_enter(&threads[0], XRAY_MAIN);
	close_block(&threads[0]);
	run_workers(shape, threads);
	threads[0].tsc = threads[shape->workers].tsc + 100000;
	xray_leave(&threads[0], XRAY_MAIN);
	for (unsigned i = 0; i <= shape->workers; i++)
		close_block(&threads[i]);
	free(threads);
	return fflush(stdout) != 0;
}
