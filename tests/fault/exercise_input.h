/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_EXERCISE_INPUT_H
#define TESTS_FAULT_EXERCISE_INPUT_H
/* What the command does with a file of a format, on any bytes. */
#include <stddef.h>
#include <stdint.h>

/*
 * `format`: its name. *status is the first failure, or 0.
 * @return what was not as it must be, NULL when all was well
 */
const char *exercise_input(const char *format, const uint8_t *data, size_t size, int *status);

#endif
