/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ETM_FLOW_WALK_H
#define TL_ETM_FLOW_WALK_H
/* From where execution is over the code: one committed element at a time. 0 or negative. */
#include "etm/flow/flow.h"

int tl_etm_walk_atom(struct tl_etm_flow *flow, bool taken);
/*
 * Up to where an exception returns to; `is_target`: that is the target of the branch before as
 * well. What follows has an address of its own.
 */
int tl_etm_walk_exception(struct tl_etm_flow *flow, uint64_t returns_to, bool is_target);
/* Up to a branch at an address, which was taken; those before it were not. */
int tl_etm_walk_source(struct tl_etm_flow *flow, uint64_t address);
void tl_etm_walk_address(struct tl_etm_flow *flow, uint64_t address, unsigned is);
void tl_etm_walk_context(struct tl_etm_flow *flow, const struct tl_etm_context *context);
/* Execution goes on at a place that only a further address tells. */
void tl_etm_walk_gap(struct tl_etm_flow *flow, enum tl_etm_gap why);
/* The return stack is empty. */
void tl_etm_walk_forget(struct tl_etm_flow *flow);

#endif
