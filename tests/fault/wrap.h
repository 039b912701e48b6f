/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_WRAP_H
#define TESTS_FAULT_WRAP_H
/* Allocations that fail on request. The linker sends every allocation of the library here (--wrap).
 */
#include <stdbool.h>
#include <stdint.h>

/*
 * Whether allocation `number` is to be refused in this way, alone or with all later ones: in both;
 * where a sanitizer makes each run several times as slow, the allocations take turns.
 */
static inline bool wrap_turn(uint64_t number, bool onward)
{
#ifdef __SANITIZE_ADDRESS__
	return number % 2 == onward;
#else
	(void)number;
	(void)onward;
	return true;
#endif
}

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
