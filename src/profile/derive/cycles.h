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

/* False without memory; there is then nothing to free. */
bool tl_cycles_find(struct tl_cycles *cycles, const struct tl_profile *profile);
void tl_cycles_free(struct tl_cycles *cycles);

/* By local: the first local of the same cycle and part; TL_NONE: its function is in no cycle. */
struct tl_cycle_parts {
	uint32_t *slot;
};
bool tl_cycle_parts_make(struct tl_cycle_parts *parts, const struct tl_profile *profile,
			 const struct tl_cycles *cycles);
void tl_cycle_parts_free(struct tl_cycle_parts *parts);

#endif
