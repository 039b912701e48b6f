/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_CYCLES_H
#define TL_PROFILE_CYCLES_H
/* Functions that call each other: the strongly connected components of the graph of arcs. */
#include "profile/model/model.h"

struct tl_cycles {
	uint32_t *of; /* by function: its component */
	/* by component: its functions; 1: in no cycle (or one that calls only itself) */
	uint32_t *size;
	uint32_t count;

	/* Functions that are in a cycle, few as a rule, have numbers of their own. */
	uint32_t *member; /* by function, TL_NONE: in none */
	uint32_t *leader; /* by component: the member number of its first function */
	uint32_t members;
};

/* Who calls whom; a caller TL_NONE is the outside. */
struct tl_caller_callee {
	uint32_t caller, callee;
};

/* False without memory; there is then nothing to free. */
bool tl_cycles_of_calls(struct tl_cycles *cycles, size_t functions,
			const struct tl_caller_callee *calls, size_t count);
/* The same of a profile's arcs. */
bool tl_cycles_find(struct tl_cycles *cycles, const struct tl_profile *profile);
void tl_cycles_free(struct tl_cycles *cycles);

/* Costs of functions, whose calls to others of their cycle are apart. */
struct tl_cycle_sums {
	size_t functions;
	uint32_t events;
	int64_t *inclusive; /* by function, without those calls; a row in `stride` numbers */
	size_t stride;
	const int64_t *inside; /* those calls, by member */
};

/*
 * Add the calls inside the cycles, as far as the cost of the whole cycle allows, which is that of
 * its functions without them (docs/formats/callgrind.md, rule J). `cut` counts costs of cycles that
 * do not fit. False without memory.
 */
bool tl_cycles_settle(const struct tl_cycles *cycles, const struct tl_cycle_sums *sums,
		      uint64_t *cut);
/* The same of one function, of what the whole cycle costs. */
void tl_cycle_settle_row(int64_t *costs, const int64_t *inside, const int64_t *whole,
			 uint32_t events);

/* By local: the first local of the same cycle and part; TL_NONE: its function is in no cycle. */
struct tl_cycle_parts {
	uint32_t *slot;
};
bool tl_cycle_parts_make(struct tl_cycle_parts *parts, const struct tl_profile *profile,
			 const struct tl_cycles *cycles);
void tl_cycle_parts_free(struct tl_cycle_parts *parts);

#endif
