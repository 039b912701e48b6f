/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PT_INPUT_H
#define PT_INPUT_H
/* What the Intel PT benchmarks decode: BASE.VARIANT.pt with the code of BASE.map and BASE.img
 * (README of the corpus). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "instant.h"

struct pt_section {
	uint64_t vaddr, size, offset;
};

struct pt_input {
	uint8_t *trace;
	size_t trace_size;
	const char *image_path;
	uint8_t *image;
	size_t image_size;
	struct pt_section sections[256];
	size_t count;
	size_t last; /* section that the last read was in */
};

static uint8_t *pt_slurp(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes;

	if (!file || fseek(file, 0, SEEK_END)) {
		perror(path);
		exit(2);
	}
	*size = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(*size + 1);
	if (!bytes || fread(bytes, 1, *size, file) != *size)
		exit(2);
	fclose(file);
	return bytes;
}

static void pt_input_open(struct pt_input *input, const char *trace, const char *map,
			  const char *image)
{
	FILE *file = fopen(map, "r");
	char line[4096];

	memset(input, 0, sizeof(*input));
	input->trace = pt_slurp(trace, &input->trace_size);
	input->image_path = image;
	while (file && fgets(line, sizeof(line), file) && input->count < 256) {
		struct pt_section *section = &input->sections[input->count];
		char *at = line;

		if (line[0] == '#')
			continue;
		section->vaddr = strtoull(at, &at, 16);
		section->size = strtoull(at, &at, 16);
		section->offset = strtoull(at, &at, 16);
		input->count++;
	}
	if (file)
		fclose(file);
}

static int pt_input_read(struct pt_input *input, uint8_t *buffer, size_t size, uint64_t ip)
{
	for (size_t i = 0; i < input->count; i++) {
		size_t number = (input->last + i) % input->count;
		const struct pt_section *section = &input->sections[number];
		uint64_t into = ip - section->vaddr;

		if (into >= section->size)
			continue;
		if (size > section->size - into)
			size = (size_t)(section->size - into);
		memcpy(buffer, input->image + section->offset + into, size);
		input->last = number;
		return (int)size;
	}
	return -13; /* pte_nomap */
}

/* One line for bench_pt.py: seconds of the decoding, what came out, peak memory in KiB. */
static void pt_report(struct instant begin, uint64_t insns, uint64_t blocks, uint64_t errors)
{
	struct instant end = instant_now();
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("%.6f %.6f %llu %llu %llu %ld\n", end.wall - begin.wall, end.cpu - begin.cpu,
	       (unsigned long long)insns, (unsigned long long)blocks, (unsigned long long)errors,
	       usage.ru_maxrss);
}

#endif
