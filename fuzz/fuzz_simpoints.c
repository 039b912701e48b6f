/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any texts as SimPoint's two files, parted at the first zero byte, of a small trace of 64
 * instructions: what is accepted names intervals that the trace has, each with a slice of its own.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tracelathe/open.h>

#include "fuzz.h"

enum { INSTRUCTIONS = 64, INTERVAL = 8, PATH = 64 };

/* A file without a name, so that nothing of it stays. */
static int make_file(char path[static PATH])
{
	int fd = memfd_create("simpoint", 0);

	FUZZ_MUST(fd >= 0);
	snprintf(path, PATH, "/proc/self/fd/%d", fd);
	return fd;
}

static void fill(int fd, const uint8_t *data, size_t size)
{
	FUZZ_MUST(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
}

/* A loop of eight instructions, of which the last one is a branch to the first. */
static void make_trace(int fd)
{
	uint8_t bytes[13 * INSTRUCTIONS];
	size_t size = 0;

	for (uint32_t i = 0; i < INSTRUCTIONS; i++) {
		const uint32_t opcode = i % 8 == 7 ? 0x17fffff9 : 0xd503201f;

		bytes[size++] = i % 8 ? 0x01 : 0x09;
		for (unsigned byte = 0; byte < 8 && i % 8 == 0; byte++)
			bytes[size++] = byte == 1 ? 0x10 : 0;
		for (unsigned byte = 0; byte < 4; byte++)
			bytes[size++] = (uint8_t)(opcode >> 8 * byte);
	}
	fill(fd, bytes, size);
}

static struct tl_input *open_once(void)
{
	static const struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	static struct tl_input *input;
	static char path[PATH];
	const char *paths[] = { path };

	if (input)
		return input;
	make_trace(make_file(path));
	FUZZ_MUST(tl_input_open(&input, paths, 1, &options, NULL, NULL) == 0);
	return input;
}

static void must_have_slice(struct tl_simpoints *points, size_t number)
{
	struct tl_simpoint point;
	struct tl_output *out = NULL;
	size_t size = 0;

	FUZZ_MUST(tl_simpoints_at(points, number, &point, sizeof(point)) == 0);
	FUZZ_MUST(point.first == point.interval * INTERVAL && point.end <= INSTRUCTIONS);
	FUZZ_MUST(point.begin <= point.first && point.first < point.end);
	FUZZ_MUST(point.weight >= 0 && point.weight < 1.00000001);
	if (tl_output_open_memory(&out, NULL) < 0)
		return;
	FUZZ_MUST(tl_simpoints_slice(points, number, TL_SLICE_TRACE, out, NULL, "slice", NULL) ==
		  0);
	tl_output_bytes(out, &size);
	/* Each has five bytes, the first of each round has its PC. */
	FUZZ_MUST(size >= 5 * (point.end - point.begin) + 8);
	tl_output_discard(out);
}

static void must_make_sense(struct tl_simpoints *points)
{
	struct tl_output *out = NULL;
	double weight;
	size_t count = tl_simpoints_count(points, &weight), size = 0;

	FUZZ_MUST(count);
	for (size_t i = 0; i < count; i++)
		must_have_slice(points, i);
	if (tl_output_open_memory(&out, NULL) < 0)
		return;
	FUZZ_MUST(tl_simpoints_table(points, TL_REPORT_CSV, out, NULL) == 0);
	tl_output_bytes(out, &size);
	FUZZ_MUST(size);
	tl_output_discard(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char simpoints[PATH], weights[PATH];
	static int first = -1, second = -1;
	const uint8_t *end = size ? memchr(data, 0, size) : NULL;
	const size_t length = end ? (size_t)(end - data) : size;
	const struct tl_simpoint_options options = {
		.size = sizeof(options),
		.simpoints = simpoints,
		.weights = weights,
		.interval = INTERVAL,
		.warmup = size % 2 * 3,
	};
	struct tl_simpoints *points = NULL;
	struct tl_error err = { .offset = 0 };

	if (first < 0) {
		first = make_file(simpoints);
		second = make_file(weights);
	}
	fill(first, data, length);
	fill(second, end ? end + 1 : data, end ? size - length - 1 : 0);
	if (tl_input_simpoints(&points, open_once(), &options, NULL, &err) == 0)
		must_make_sense(points);
	else
		FUZZ_MUST(err.status == TL_BAD_FORMAT && err.text);
	tl_simpoints_close(points);
	return 0;
}
