/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_MUTATOR_H
#define FUZZ_MUTATOR_H
/*
 * Mutants that keep to a format: its units (packets, tokens, records, lines) are taken out, put
 * in, moved and changed as wholes, as mutants of bytes alone hardly get beyond the first unit that
 * is none. A format is a `struct fuzz_grammar`, whose file defines LLVMFuzzerCustomMutator(); a
 * target is linked with the file of its format (meson.build).
 */
#include "fuzz.h"
#include "mutate.h"

/* No unit that is made is longer. */
enum { FUZZ_UNIT_MOST = 320 };

struct fuzz_range {
	size_t from, to;
};

struct fuzz_grammar {
	/*
	 * Where the units of an input are. Numbers in front of them that say so are set right,
	 * so that they hold when units come and go.
	 */
	struct fuzz_range (*units)(uint8_t *data, size_t size);
	/*
	 * The bytes of the unit at `at` < `to`: 1 .. to - at; a byte that begins none is one.
	 * `state` is 0 at the first unit of a range, and kept from unit to unit.
	 */
	size_t (*length)(const uint8_t *data, size_t at, size_t to, unsigned *state);
	/* A new unit. Its bytes, at most FUZZ_UNIT_MOST. */
	size_t (*make)(uint8_t *unit, struct random *random);
	/* The range is from now on so long: for a number that says so. NULL: there is none. */
	void (*resized)(uint8_t *data, struct fuzz_range range);
};

/* What LLVMFuzzerCustomMutator() does, with its arguments: at most `most` bytes are left. */
size_t fuzz_mutate(const struct fuzz_grammar *grammar, uint8_t *data, size_t size, size_t most,
		   unsigned seed);

/* The same by units alone: `size` where there are none. */
size_t fuzz_mutate_units(const struct fuzz_grammar *grammar, uint8_t *data, size_t size,
			 size_t most, struct random *random);

/* The grammar that the target is linked with. */
extern const struct fuzz_grammar fuzz_grammar;

/* A number that is small, on an edge, or any. */
uint64_t fuzz_number(struct random *random);
/* `size` bytes of a number, little-endian. */
void fuzz_put(uint8_t *to, uint64_t value, size_t size);

/* The engine's; replay.c has its own. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/*
 * Where the packets of an input of Intel PT, or the tokens of one of xtrace, begin and end: each
 * target says it of its own inputs.
 */
struct fuzz_range fuzz_units(uint8_t *data, size_t size);
/* Of xtrace alone: the number in front of the tokens that says how many bytes they have, if any. */
void fuzz_resized(uint8_t *data, struct fuzz_range range);

#endif
