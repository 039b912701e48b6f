/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_PROFILE_FOLD_PATHS_H
#define TL_XRAY_PROFILE_FOLD_PATHS_H
/* Profiling mode: call paths, and those whose time is unknown (fold_paths.c). */
#include "xray/records/reader.h"

/* A path whose time is unknown, and why. 0 to go on, or a negative tl_status. */
typedef int tl_xray_doubt_fn(void *arg, uint64_t offset, uint64_t thread, const char *text);

/* Fold the entries of the selected threads; `doubt` is called for each path of unknown time. */
int tl_xray_fold_paths(struct tl_xray_reader *reader, struct tl_xray_map *map,
		       const struct tl_xray_fold_options *options, struct tl_profile *profile,
		       tl_xray_doubt_fn *doubt, void *arg, struct tl_error *err);

#endif
