/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_MATCH_H
#define TL_PROFILE_MATCH_H
#include <tracelathe/profile.h>

/* By function: do its name and its object match? To free(), also after a failure. */
int tl_profile_match(const struct tl_profile *profile, const struct tl_profile_filter *filter,
		     bool **wanted, struct tl_error *err);

#endif
