/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mutator MADE-SHARE FILE...: what mutator.h says of the mutators of a format. Of a hundred
 * units that it makes, so many at least are one unit to the format's own reader; mutants have no
 * more bytes than asked for, are the same for the same seed, and are not those they were made of.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutator.h"

enum { MADE = 4000, MUTANTS = 500, ROOM = 100 };

static bool fail(const char *what, const char *of, size_t number)
{
	fprintf(stderr, "%s: %s (%zu)\n", of, what, number);
	return false;
}

/* By an engine that does nothing, so that what is changed is changed by units. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
	(void)data, (void)most;
	return size;
}

static bool made_units_are_units(size_t share)
{
	struct random random = random_for(1, 1);
	size_t whole = 0;

	for (unsigned i = 0; i < MADE; i++) {
		/* In front of them what a reader may look at to know the dialect: version, type. */
		uint8_t bytes[4 + FUZZ_UNIT_MOST] = { 5, 0, 1, 0 };
		size_t size = fuzz_grammar.make(bytes + 4, &random);
		unsigned state = 0;

		if (!size || size > FUZZ_UNIT_MOST)
			return fail("the size of a unit", "made", size);
		whole += fuzz_grammar.length(bytes, 4, 4 + size, &state) == size;
	}
	if (whole * 100 < MADE * share)
		return fail("units of those made are units", "made", whole);
	return true;
}

static size_t mutant(uint8_t *to, const uint8_t *data, size_t size, size_t most, unsigned seed)
{
	struct random random = random_for(seed, 0);

	memcpy(to, data, size);
	return fuzz_mutate_units(&fuzz_grammar, to, size, most, &random);
}

static bool mutants_are_as_said(const char *path, const uint8_t *data, size_t size)
{
	/* Every byte of room that is used is asked for; a sanitizer sees the others. */
	uint8_t *one = malloc(size + ROOM), *other = malloc(size + ROOM);
	size_t changed = 0, shorter = 0, longer = 0;
	bool good = one && other;

	for (unsigned seed = 0; good && seed < MUTANTS; seed++) {
		size_t most = size + seed % (ROOM + 1);
		size_t count = mutant(one, data, size, most, seed);

		if (count > most)
			good = fail("more bytes than there is room for", path, count);
		else if (mutant(other, data, size, most, seed) != count ||
			 memcmp(one, other, count) != 0)
			good = fail("two mutants of one seed", path, seed);
		changed += count != size || memcmp(one, data, size) != 0;
		shorter += count < size;
		longer += count > size;
	}
	if (good && (changed < MUTANTS * 3 / 4 || !shorter || !longer))
		good = fail("mutants are other inputs", path, changed);
	free(one);
	free(other);
	return good;
}

static bool try_file(const char *path)
{
	uint8_t data[1 << 16];
	FILE *file = fopen(path, "rb");
	size_t size = file ? fread(data, 1, sizeof(data), file) : 0;

	if (file)
		fclose(file);
	return size ? mutants_are_as_said(path, data, size) : fail("cannot be read", path, 0);
}

int main(int argc, char **argv)
{
	bool good = argc > 2 && made_units_are_units(strtoul(argv[1], NULL, 10));

	for (int i = 2; i < argc; i++)
		good &= try_file(argv[i]);
	return !good;
}
