/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_PROFILE_FOLD_H
#define TL_XRAY_PROFILE_FOLD_H
/*
 * Shared by the two ways to fold: records over time (fold.c) and sums (fold_profiling.c);
 * fold_common.c.
 */
#include "xray/records/reader.h"

/* In place of a function id: the time of gaps. Ids have 28 bits. */
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

/* True when the thread passes the thread and process filters. */
bool tl_xray_thread_wanted(const struct tl_xray_fold_options *options,
			   const struct tl_xray_thread *thread);

/* The part of the profile that a thread is. */
struct tl_part tl_xray_part_of(const struct tl_xray_thread *thread);

/* The least TSC of any block, 0 when none has one. */
uint64_t tl_xray_first_tsc(const struct tl_xray_reader *reader);

#endif
