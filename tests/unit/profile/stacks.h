/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_PROFILE_STACKS_H
#define TESTS_UNIT_PROFILE_STACKS_H
/* A profile of call stacks that can be counted by hand, and its functions by name. */
#include "machine.h"

/* The number of a function by name, TL_NONE: the profile does not have it. */
static inline uint32_t named(const struct tl_profile *profile, const char *name)
{
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		if (!strcmp(tl_profile_function(profile, i)->name, name))
			return i;
	return TL_NONE;
}

/*
 * f0 0..100 > f1 10..40 > f2 20..30 > f3 22..25; f0 > f2 50..60; f0 > f4 70..90, with f1 at the end
 * unfinished.
 */
static inline void make_stacks(struct machine *m)
{
	static const struct step steps[] = {
		{ IN, 0, 0 },   { IN, 1, 10 },   { IN, 2, 20 },  { IN, 3, 22 },    { OUT, 3, 25 },
		{ OUT, 2, 30 }, { OUT, 1, 40 },  { IN, 2, 50 },  { OUT, 2, 60 },   { IN, 4, 70 },
		{ OUT, 4, 90 }, { OUT, 0, 100 }, { IN, 1, 110 }, { TIME, 0, 120 },
	};

	machine_run(m, steps, sizeof(steps) / sizeof(steps[0]));
}

#endif
