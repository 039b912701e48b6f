/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_EXERCISE_PERF_H
#define TESTS_FAULT_EXERCISE_PERF_H
/*
 * Everything that can be done with perf.data, on any bytes, held against what must be true of any
 * bytes.
 */
#include <stddef.h>
#include <stdint.h>

/* What was not as it must be, NULL when all was well. */
const char *exercise_perf(const uint8_t *data, size_t size);

#endif
