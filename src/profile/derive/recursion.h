/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_RECURSION_H
#define TL_PROFILE_RECURSION_H
/* Functions that were called while they ran already. */
#include <stdbool.h>

struct tl_profile;

/*
 * By function: whether a call of it began while another one was open. Where a profile has no
 * contexts: whether it calls itself, or is in a cycle of calls. To free(); NULL without memory.
 */
bool *tl_profile_recursive(const struct tl_profile *profile);

#endif
