/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_WRAP_H
#define TESTS_FAULT_WRAP_H
/* Allocations that fail on request. The linker sends every allocation of the library here (--wrap).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * Whether allocation `number` is to be refused in this way, alone or with all later ones: a run
 * takes each allocation in one of the ways, the run with a sanitizer in the other one, so that
 * `make check` has both; with TL_LONG set a run has both itself.
 */
static inline bool wrap_turn(uint64_t number, bool onward)
{
#ifdef __SANITIZE_ADDRESS__
	const bool sanitized = true;
#else
	const bool sanitized = false;
#endif

	return (number % 2 == onward) == sanitized || getenv("TL_LONG");
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
