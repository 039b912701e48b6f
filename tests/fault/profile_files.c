/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profile files cut at every byte, with every byte changed, mutated with right checksums, and read
 * and written without memory. profile_files SEED...: the files of the fuzz target.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exercise_profile.h"
#include "mutate.h"
#include "profile/file/block_reader.h"
#include "wrap.h"

enum { SEED = 20261122, MUTANTS = 3000 };

static int fail(const char *name, const char *what, size_t number, const char *broken)
{
	fprintf(stderr, "%s: %s %zu: %s\n", name, what, number, broken);
	return 1;
}

/* "A cut or changed profile file is noticed": the file has a fault, or cannot be opened. */
static bool is_noticed(const uint8_t *data, size_t size)
{
	struct tl_pfile_reader reader;
	bool noticed = tl_pfile_open(&reader, data, size, false, NULL) < 0 ||
		       tl_pfile_verify(&reader, 1, NULL) < 0 || reader.fault_count;

	tl_pfile_close(&reader);
	return noticed;
}

static int test_prefixes(const char *name, const uint8_t *data, size_t size)
{
	int failures = 0, status;

	for (size_t cut = 0; cut < size && failures < 5; cut++) {
		uint8_t *exact = malloc(cut + 1);
		const char *broken;

		memcpy(exact, data, cut);
		broken = exercise_profile(exact, cut, &status);
		if (!broken && !is_noticed(exact, cut))
			broken = "the cut is not noticed";
		if (broken)
			failures += fail(name, "first bytes", cut, broken);
		free(exact);
	}
	return failures;
}

static int test_changes(const char *name, uint8_t *data, size_t size)
{
	int failures = 0;

	for (size_t at = 0; at < size && failures < 5; at++) {
		data[at] ^= (uint8_t)(1u << at % 8);
		if (!is_noticed(data, size))
			failures += fail(name, "a changed byte", at, "is not noticed");
		data[at] ^= (uint8_t)(1u << at % 8);
	}
	return failures;
}

static int test_mutants(const char *name, const uint8_t *data, size_t size)
{
	int failures = 0, status;

	for (size_t number = 0; number < MUTANTS && failures < 5; number++) {
		struct random random = random_for(SEED, number);
		size_t mutated = size;
		uint8_t *room = malloc(size + 2 * MUTATE_GROWTH);
		const char *broken;

		memcpy(room, data, size);
		mutate(room, &mutated, &random);
		repair_profile(room, mutated);
		broken = exercise_profile(room, mutated, &status);
		if (broken)
			failures += fail(name, "mutant", number, broken);
		free(room);
	}
	return failures;
}

/* Each allocation refused in turn, until one run needs no more. */
static int test_allocations(const char *name, const uint8_t *data, size_t size)
{
	int failures = 0, status = TL_NO_MEMORY;

	for (unsigned long number = 1; status == TL_NO_MEMORY && failures < 5; number++) {
		int64_t live = wrap_live();
		const char *broken;

		wrap_arm(number, false);
		broken = exercise_profile(data, size, &status);
		if (wrap_disarm() >= number && status != TL_NO_MEMORY && !broken)
			status = status == 0 ? TL_NO_MEMORY : status; /* done without it */
		if (!broken && wrap_live() != live)
			broken = "memory is lost";
		if (broken)
			failures += fail(name, "without allocation", number, broken);
	}
	if (status < 0)
		failures += fail(name, "allocations", 0, "another failure than that of memory");
	return failures;
}

static int test_file(const char *name)
{
	FILE *file = fopen(name, "rb");
	static uint8_t data[1 << 16];
	int failures = 0, status;
	size_t size;

	if (!file)
		return fail(name, "open", 0, "cannot be read");
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	if (is_noticed(data, size) || exercise_profile(data, size, &status) || status < 0)
		return fail(name, "the seed", 0, "is not read as it is");
	failures += test_prefixes(name, data, size);
	failures += test_changes(name, data, size);
	failures += test_mutants(name, data, size);
	failures += test_allocations(name, data, size);
	return failures;
}

int main(int argc, char **argv)
{
	int failures = 0;

	for (int i = 1; i < argc; i++)
		failures += test_file(argv[i]);
	printf("%d profile files, %d failures\n", argc - 1, failures);
	return failures != 0 || argc < 2;
}
