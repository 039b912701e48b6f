/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inputs FORMAT MUTANTS SEED...: files of a format cut at every byte, mutated, and read without
 * memory: the files of its fuzz target.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/core.h>

#include "exercise_input.h"
#include "mutate.h"
#include "wrap.h"

enum { SEED = 20261123, FILE_BYTES = 1 << 16 };

static int fail(const char *name, const char *what, size_t number, const char *broken)
{
	fprintf(stderr, "%s: %s %zu: %s\n", name, what, number, broken);
	return 1;
}

static int test_prefixes(const char *format, const char *name, const uint8_t *data, size_t size)
{
	int failures = 0, status;

	for (size_t cut = 0; cut < size && failures < 5; cut++) {
		uint8_t *exact = malloc(cut + 1);
		const char *broken;

		memcpy(exact, data, cut);
		broken = exercise_input(format, exact, cut, &status);
		if (broken)
			failures += fail(name, "first bytes", cut, broken);
		free(exact);
	}
	return failures;
}

static int test_mutants(const char *format, const char *name, size_t mutants, const uint8_t *data,
			size_t size)
{
	int failures = 0, status;

	for (size_t number = 0; number < mutants && failures < 5; number++) {
		struct random random = random_for(SEED, number);
		size_t mutated = size;
		uint8_t *room = malloc(size + 2 * MUTATE_GROWTH);
		const char *broken;

		memcpy(room, data, size);
		mutate(room, &mutated, &random);
		broken = exercise_input(format, room, mutated, &status);
		if (broken)
			failures += fail(name, "mutant", number, broken);
		free(room);
	}
	return failures;
}

/* Each allocation refused in turn, until one run needs no more. */
static int test_allocations(const char *format, const char *name, const uint8_t *data, size_t size)
{
	int failures = 0, status;
	bool refused = true;

	for (unsigned long number = 1; refused && failures < 5; number++) {
		int64_t live = wrap_live();
		const char *broken;

		wrap_arm(number, false);
		broken = exercise_input(format, data, size, &status);
		refused = wrap_disarm() >= number;
		if (!broken && wrap_live() != live)
			broken = "memory is lost";
		if (!broken && status != TL_NO_MEMORY && status != 0)
			broken = "another failure than that of memory";
		if (broken)
			failures += fail(name, "without allocation", number, broken);
	}
	return failures;
}

static int test_file(const char *format, size_t mutants, const char *name)
{
	static uint8_t data[FILE_BYTES];
	FILE *file = fopen(name, "rb");
	int failures = 0, status;
	const char *broken;
	size_t size;

	if (!file)
		return fail(name, "open", 0, "cannot be read");
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	broken = exercise_input(format, data, size, &status);
	if (broken || status < 0)
		return fail(name, "the seed", 0, broken ? broken : "cannot be read");
	failures += test_prefixes(format, name, data, size);
	failures += test_mutants(format, name, mutants, data, size);
	failures += test_allocations(format, name, data, size);
	return failures;
}

int main(int argc, char **argv)
{
	int failures = 0;

	for (int i = 3; i < argc; i++)
		failures += test_file(argv[1], strtoul(argv[2], NULL, 10), argv[i]);
	printf("%d files, %d failures\n", argc - 3, failures);
	return failures != 0 || argc < 4;
}
