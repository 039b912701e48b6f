/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_EXERCISE_TEXT_H
#define TESTS_FAULT_EXERCISE_TEXT_H
/* Everything that can be done with a Callgrind profile, on any bytes, held against what must be
 * true of any bytes. */
#include <tracelathe/export.h>

#include "mutate.h"

/* Each returns what was not as it must be, NULL when all was well. */

/* The reader's half: read, strictly too, fold in both ways, check. */
const char *exercise_reading(const uint8_t *data, size_t size);

/* The writer's half: what is written, with names and positions short or in full, is read as the
 * same profile, and written again the same. */
const char *exercise_round_trip(const uint8_t *data, size_t size,
				enum tl_export_compression compression);

/* Both, with every compression. */
const char *exercise_text(const uint8_t *data, size_t size);

/*
 * One mutation of lines, in place: a line deleted, doubled, exchanged, joined, cut, with another
 * digit or sign. `data` has room for *size + MUTATE_GROWTH bytes. Returns the mutation's name.
 */
const char *mutate_text(uint8_t *data, size_t *size, struct random *random);

#endif
