/* SPDX-License-Identifier: Apache-2.0 */
/* The progress bar on standard error: bytes read, rate, time left. */
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/terminal/progress.h"

enum { BAR = 24 };

/* At most ten redraws a second, and none in the first half second: short runs show no bar. */
static const double interval = 0.1, patience = 0.5;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void progress_begin(struct progress *progress, enum when when)
{
	*progress = (struct progress){ .enabled = when == WHEN_ALWAYS ||
						  (when == WHEN_AUTO && isatty(STDERR_FILENO)) };
	progress->started = now();
	progress->last = when == WHEN_ALWAYS ? progress->started - interval
					     : progress->started + patience - interval;
}

static void put_bytes(double bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	size_t unit = 0;

	for (; bytes >= 999.5 && unit < sizeof(units) / sizeof(units[0]) - 1; unit++)
		bytes /= 1000;
	fprintf(stderr, bytes < 9.995 && unit ? "%.2f %s" : "%.0f %s", bytes, units[unit]);
}

static void put_bar(uint64_t done, uint64_t total)
{
	/* A file may grow while it is read. */
	double share = fmin((double)done / (double)total, 1);
	int filled = (int)(share * (double)BAR);

	fprintf(stderr, "%3d%% [", (int)(share * 100));
	for (int i = 0; i < BAR; i++)
		putc(i < filled ? '#' : '.', stderr);
	fputs("] ", stderr);
}

static void put_time_left(double seconds)
{
	unsigned whole = seconds < 360000 ? (unsigned)(seconds + 0.5) : 360000;

	if (whole >= 3600)
		fprintf(stderr, ", %u:%02u:%02u left", whole / 3600, whole / 60 % 60, whole % 60);
	else
		fprintf(stderr, ", %u:%02u left", whole / 60, whole % 60);
}

/* @p total 0: unknown, as for a pipe. */
static void draw(double elapsed, uint64_t done, uint64_t total)
{
	putc('\r', stderr);
	if (total)
		put_bar(done, total);
	put_bytes((double)done);
	if (total) {
		fputs(" of ", stderr);
		put_bytes((double)total);
	}
	if (elapsed > 0 && done) {
		fputs(", ", stderr);
		put_bytes((double)done / elapsed);
		fputs("/s", stderr);
		if (total >= done && total)
			put_time_left(elapsed * (double)(total - done) / (double)done);
	}
	fputs("\033[K", stderr);
	fflush(stderr);
}

int progress_tick(void *arg, uint64_t done, uint64_t total)
{
	struct progress *progress = arg;
	double time;

	if (!progress->enabled)
		return 0;
	time = now();
	if (time - progress->last < interval)
		return 0;
	progress->last = time;
	progress->drawn = true;
	draw(time - progress->started, done, total);
	return 0;
}

void progress_end(struct progress *progress)
{
	if (progress->drawn)
		fputs("\r\033[K", stderr);
	progress->drawn = progress->enabled = false;
}
