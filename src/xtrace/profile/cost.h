/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_COST_H
#define TL_XTRACE_COST_H
/* What instructions cost: the events of a profile, in their order. */
#include <stdint.h>

enum {
	TL_XTRACE_IR,
	TL_XTRACE_LOADS,
	TL_XTRACE_STORES,
	TL_XTRACE_LOAD_BYTES,
	TL_XTRACE_STORE_BYTES,
	TL_XTRACE_IR_KERNEL, /* instructions above EL0 */
	TL_XTRACE_COSTS
};

struct tl_xtrace_cost {
	int64_t n[TL_XTRACE_COSTS];
};

static inline void tl_xtrace_cost_add(struct tl_xtrace_cost *to, const struct tl_xtrace_cost *cost)
{
	for (unsigned i = 0; i < TL_XTRACE_COSTS; i++)
		to->n[i] += cost->n[i];
}

#endif
