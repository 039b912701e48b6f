/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_COVERAGE_PROFILE_LCOV_H
#define TL_EXPORT_COVERAGE_PROFILE_LCOV_H
#include <tracelathe/profile.h>

/*
 * Lines of a finished profile as an lcov tracefile. 0: the counts are exact; 1: they are costs;
 * TL_UNSUPPORTED: no line is known.
 */
int tl_profile_lcov(const struct tl_profile *profile, struct tl_output *out, struct tl_error *err);

#endif
