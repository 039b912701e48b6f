/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_MUTATE_H
#define TESTS_FAULT_MUTATE_H
/* Deterministic damage: the same seed and bytes give the same mutant on every machine. */
#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t state; /* never 0 */
};

/* The generator for mutant `number` of a run; mutants are independent of each other. */
struct random random_for(uint64_t seed, uint64_t number);
uint64_t random_next(struct random *random);
/* A number below `bound` (> 0). */
size_t random_below(struct random *random, size_t bound);

/* No mutant is longer than its original by more than this. */
enum { MUTATE_GROWTH = 256 };

/*
 * One mutation, in place: bits, bytes, truncation, insertion, deletion, duplication, header bytes,
 * zeros, a 32 or 64 bit number that tests bounds, two blocks exchanged. `data` has room for *size +
 * MUTATE_GROWTH bytes; *size is the new size. Returns the mutation's name.
 */
const char *mutate(uint8_t *data, size_t *size, struct random *random);

#endif
