/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_GMON_PROPAGATE_H
#define TL_GMON_PROPAGATE_H
/* Costs of calls from their counts. */
struct tl_profile;

/*
 * Give each arc of a profile that has lines and counts of calls its share of what its callee cost,
 * itself and by its own calls. Functions that call each other are one for this purpose: their
 * callers from outside share what all of them cost. False without memory.
 */
_Bool tl_gmon_propagate(struct tl_profile *profile);

#endif
