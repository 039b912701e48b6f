/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_WRAP_H
#define TESTS_FAULT_WRAP_H
/* Allocations that fail on request. The linker sends every allocation of the library here (--wrap).
 */
#include <stdbool.h>
#include <stdint.h>

/*
 * Let allocation number `number` (from 1) of the calls to come fail; 0: none. With `onward` all
 * later ones fail too.
 */
void wrap_arm(uint64_t number, bool onward);
/* Stop failing. Returns how many allocations were asked for since wrap_arm(). */
uint64_t wrap_disarm(void);
/* Allocations that were not freed yet. */
int64_t wrap_live(void);

#endif
