/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CALLGRIND_PROFILE_JOINED_ARCS_H
#define TL_CALLGRIND_PROFILE_JOINED_ARCS_H
/* Calls between functions, of two profiles of one file. */
#include "profile/model/model.h"

/* By number in one profile: the number in the one that it is added to. */
struct tl_callgrind_numbers {
	uint32_t *events, *parts, *functions;
};

/*
 * Add the arcs of a profile, which have no positions, to those of another one: in their order, and
 * on two threads. False without memory.
 */
bool tl_callgrind_join_arcs(struct tl_profile *to, const struct tl_profile *from,
			    const struct tl_callgrind_numbers *numbers);

#endif
