/* SPDX-License-Identifier: Apache-2.0 */
#include "record/clock.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "core/recording.h"
#include "record/kept.h"

enum {
	MEASURE_NS = 4000000,
	COMMON_NS = 40000000,
	LONG_NS = 100000000,
	NEAR = 5000, /* rates that differ by less than this part are one, measured twice */
};

struct instant {
	uint64_t ticks, ns;
};

static uint64_t read_tsc(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

/* Both clocks at one instant: of some pairs the one between whose readings least was done. */
static struct instant now(void)
{
	enum { READINGS = 8 };
	struct instant best = { 0, 0 };
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		const uint64_t before = read_tsc();
		struct timespec time;
		uint64_t took;

		clock_gettime(CLOCK_MONOTONIC, &time);
		took = read_tsc() - before;
		if (took >= shortest)
			continue;
		shortest = took;
		best.ticks = before + took / 2;
		best.ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
	}
	return best;
}

static uint64_t rate(struct instant from, struct instant to)
{
	return (uint64_t)((double)(to.ticks - from.ticks) * 1e9 / (double)(to.ns - from.ns) + 0.5);
}

static uint64_t measure(uint64_t ns)
{
	struct instant from = now(), to;

	do
		to = now();
	while (to.ns - from.ns < ns);
	return rate(from, to);
}

uint64_t tl_record_measure_hz(void)
{
	return measure(MEASURE_NS);
}

/* ---- one rate for all recordings of a machine, until it is started again ---- */

/* False: the machine does not say which start this is, or there is no place for a file. */
static bool name_common(char path[TL_RECORD_PATH])
{
	char boot[37] = "", file[48];
	FILE *id = fopen("/proc/sys/kernel/random/boot_id", "re");
	bool known = id && fgets(boot, sizeof(boot), id);

	if (id)
		fclose(id);
	snprintf(file, sizeof(file), "tsc-%s", boot);
	return known && tl_record_kept_name(file, path);
}

static uint64_t read_common(const char *path)
{
	FILE *file = fopen(path, "re");
	uint64_t hz = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%" SCNu64, &hz) != 1)
		hz = 0;
	fclose(file);
	return hz;
}

static bool is_near(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) < b / NEAR;
}

/* Whole or not at all; of several recordings that begin at once the first one's rate stays. */
static void write_common(char path[TL_RECORD_PATH], uint64_t hz)
{
	char made[TL_RECORD_PATH + 16], text[32];
	size_t size = (size_t)snprintf(text, sizeof(text), "%" PRIu64 "\n", hz);
	bool whole;
	int file;

	tl_record_kept_folder(path);
	snprintf(made, sizeof(made), "%s.%ld", path, (long)getpid());
	file = open(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file < 0)
		return;
	whole = write(file, text, size) == (ssize_t)size;
	whole &= !close(file);
	if (whole && link(made, path) && !is_near(read_common(path), hz))
		rename(made, path);
	unlink(made);
}

uint64_t tl_record_common_hz(void)
{
	const uint64_t rough = tl_record_measure_hz();
	char path[TL_RECORD_PATH];
	uint64_t hz;

	if (!rough || !name_common(path))
		return rough;
	hz = read_common(path);
	if (is_near(hz, rough))
		return hz;
	hz = measure(COMMON_NS);
	write_common(path, hz);
	/* Another recording may have been first. */
	return is_near(read_common(path), hz) ? read_common(path) : hz;
}

static bool is_common(uint64_t hz)
{
	char path[TL_RECORD_PATH];

	return name_common(path) && read_common(path) == hz;
}

/* ---- of a process ---- */

uint64_t tl_record_refine_hz(const struct tl_recording_state *state)
{
	struct instant from = { state->start_ticks, state->start_ns }, to = now();

	if (!state->is_tsc || to.ns <= from.ns || to.ticks <= from.ticks ||
	    to.ns - from.ns < LONG_NS || is_common(state->hz))
		return state->hz;
	return rate(from, to);
}
