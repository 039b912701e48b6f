/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_PARTS_H
#define TESTS_FAULT_PARTS_H
/*
 * An exercise has parts that need nothing of each other. Tests do all of them. A fuzz target does
 * one of them for an input, which a number made of its bytes chooses: a run then costs a part of
 * the time, and mutants of an input come to all of them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From now on the parts that these bytes choose. */
void exercise_chosen_by(const uint8_t *data, size_t size);

/* Whether part `part` of `count` is to be done: each is, where nothing was chosen. */
bool exercise_does(unsigned part, unsigned count);

/* One of `count` ways to do something, 0 where nothing was chosen. */
unsigned exercise_way(unsigned count);

/* Whether inputs are many and each has to be short: what takes long is left to the tests. */
bool exercise_is_short(void);

#endif
