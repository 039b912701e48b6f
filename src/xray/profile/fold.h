/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_PROFILE_FOLD_H
#define TL_XRAY_PROFILE_FOLD_H
/*
 * Shared by the fold of records over time (fold.c) and the fold of sums (fold_paths.c); implemented
 * in fold_common.c.
 */
#include "xray/records/reader.h"

/* The id of the row for time in gaps. Real ids have 28 bits. */
#define TL_XRAY_LOST_ID UINT32_MAX

/*
 * The profile's number of a function id, named by the map if it knows it, else "#id". Negative: no
 * memory.
 */
int64_t tl_xray_profile_function(struct tl_profile *profile, struct tl_xray_map *map, uint32_t id,
				 struct tl_error *err);

/* Fold a profiling-mode file. */
int tl_xray_fold_profiling(struct tl_xray_reader *reader, struct tl_xray_map *map,
			   const struct tl_xray_fold_options *options, struct tl_profile *profile,
			   struct tl_error *err);

/* Whether the options select the thread, by its number and process. */
bool tl_xray_thread_wanted(const struct tl_xray_fold_options *options,
			   const struct tl_xray_thread *thread);

/* The part of the profile for a thread. */
struct tl_part tl_xray_part_of(const struct tl_xray_thread *thread);

/* The least TSC of any block, 0: no block has one. */
uint64_t tl_xray_first_tsc(const struct tl_xray_reader *reader);

#endif
