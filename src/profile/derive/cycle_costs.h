/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_CYCLE_COSTS_H
#define TL_PROFILE_CYCLE_COSTS_H
/* Each cycle of functions as if it were one function, "<cycle 1>" the costliest. */
#include <tracelathe/profile.h>

enum { TL_CYCLE_NAME = 24 };

struct tl_cycle_costs {
	uint32_t count; /* of cycles of two functions and more */
	uint32_t *of;   /* by function: its cycle, TL_NONE: none */
	char (*names)[TL_CYCLE_NAME];
	struct tl_function *functions; /* by cycle, as are these */
	bool *chosen;                  /* any of its functions was (tl_profile_choose()) */
	uint64_t *calls;               /* from outside it */
	int64_t *self, *inclusive;     /* event_count numbers each */
};

/* Of a finished profile. False without memory; freed by tl_cycle_costs_free() in either case. */
bool tl_cycle_costs_make(struct tl_cycle_costs *costs, const struct tl_profile *profile);
void tl_cycle_costs_free(struct tl_cycle_costs *costs);

#endif
