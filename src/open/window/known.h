/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_WINDOW_KNOWN_H
#define TL_OPEN_WINDOW_KNOWN_H
/*
 * The functions of an index as profiles name them, kept beside it: windows have the same functions
 * again and again, and to ask for 100,000 of them takes longer than to add up their calls. Any
 * number of threads may ask.
 */
#include "open/window/window.h"

struct tl_known_functions;

/* Those of an index, made when they are first asked for. 0 or negative. */
int tl_known_functions_of(struct tl_call_index *index, struct tl_known_functions **known,
			  struct tl_error *err);
/*
 * A function of the index: its number here, and the first number that is the same function for a
 * profile. 0, or negative: it cannot be named.
 */
int tl_known_find(struct tl_known_functions *known, uint32_t function, uint32_t *number,
		  uint32_t *same, struct tl_error *err);
/*
 * Add functions that a profile tells apart to one that has none: numbers[i] is its function i. 0 or
 * negative.
 */
int tl_known_into(struct tl_known_functions *known, const uint32_t *numbers, size_t count,
		  struct tl_profile *profile, struct tl_error *err);

#endif
