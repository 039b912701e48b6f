/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_EXERCISE_PROFILE_H
#define TESTS_FAULT_EXERCISE_PROFILE_H
/* A profile file, whole or damaged, through all that reads it. Also driven by fuzz/. */
#include <stddef.h>
#include <stdint.h>

/*
 * Read it in each way, check it, write what was read and read that again, which must have no fault
 * and give the same bytes; add it to itself, as a stream and in memory. NULL, or what is broken.
 * *status is that of the first reading.
 */
const char *exercise_profile(const uint8_t *data, size_t size, int *status);
/* Make all checksums right, as a writer who means harm would. */
void repair_profile(uint8_t *data, size_t size);

#endif
