/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_STACKS_CALL_SUMS_H
#define TL_EXPORT_STACKS_CALL_SUMS_H
/*
 * The sums of a profile without contexts, of one part or of all: self costs of functions, and calls
 * between functions. Paths are estimated from them (estimate.c).
 */
#include <tracelathe/profile.h>

#include "core/arithmetic.h"
#include "core/memory.h"

/* Calls from one function to another. */
struct tl_call_pair {
	uint32_t caller, callee;
	uint64_t calls;
	const int64_t *cost; /* of the only arc, in the profile; else in the arena */
};

/* Vectors have one number per event, none below 0. */
struct tl_call_sums {
	const struct tl_profile *profile;
	uint32_t part; /* TL_NONE: all together */
	uint32_t events, functions;
	int64_t *total;
	int64_t *self;              /* by function */
	int64_t *given;             /* by function: cost of all calls to it */
	int64_t *divided;           /* by function: its self cost and that of all its calls */
	bool divided_fits;          /* none of these is beyond 64 bits */
	uint64_t *entered;          /* by function: calls from outside */
	struct tl_call_pair *pairs; /* sorted by caller and callee, one each */
	struct tl_arena arena;
	uint32_t pair_count;
	uint32_t *first_pair; /* by function, and one more */
};

/*
 * Fill from `profile` and `part`. False without memory; freed by tl_call_sums_free() in either
 * case.
 */
bool tl_call_sums_collect(struct tl_call_sums *sums, const struct tl_profile *profile,
			  uint32_t part);
void tl_call_sums_free(struct tl_call_sums *sums);

/* Whether every line and arc is of one part. */
bool tl_call_sums_by_part(const struct tl_profile *profile);
/* The parts of a profile that is made from sums: those of the sums, or all as one. 0 or negative.
 */
int tl_stacks_copy_parts(struct tl_profile *result, const struct tl_profile *sums, bool by_part,
			 struct tl_error *err);

/*
 * Add a function of another profile, which it is new among; `lent`: with the texts of that one.
 * @return its number, or a negative tl_status
 */
int64_t tl_stacks_copy_function(struct tl_profile *result, const struct tl_profile *from,
				uint32_t function, bool lent, struct tl_error *err);

/* What tl_profile_finish() makes of costs that are there: those of inherited events. */
int tl_stacks_inherit(struct tl_profile *made, struct tl_error *err);

/* Whether there are parts, not too many, by which lines and arcs are apart: then each has paths of
 * its own. */
bool tl_call_sums_in_parts(const struct tl_profile *profile);

/* to += from, where that is above 0. */
static inline void tl_call_sums_add(uint32_t events, int64_t *to, const int64_t *from)
{
	for (uint32_t i = 0; i < events; i++)
		if (from[i] > 0)
			to[i] = tl_sum_saturating(to[i], from[i]);
}

#endif
