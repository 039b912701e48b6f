/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_BY_PART_H
#define TL_PROFILE_BY_PART_H
/* Parts as the units of a profile. */
#include "profile/model/model.h"

/*
 * Fill an empty profile with a "function" for each part of another, and finish it. It is named by
 * the numbers of the part, or by its command alone (tl_profile_origins()).
 */
int tl_profile_fill_by_part(struct tl_profile *to, const struct tl_profile *from, bool by_number,
			    struct tl_error *err);

#endif
