/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_CANON_DISTINCT_H
#define TL_PROFILE_CANON_DISTINCT_H
#include "profile/canon/canon.h"

/*
 * Whether tl_profile_merge() would make one element of no two elements of the canon's profile,
 * which then is its own sum but for the order of its elements.
 */
bool tl_pfile_is_distinct(const struct tl_pfile_canon *canon);

#endif
