/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_PROFILE_INHERITED_RECORDS_H
#define TL_XRAY_PROFILE_INHERITED_RECORDS_H
/* State of a thread's fold around records that its process inherited by fork. */
#include "profile/fold/fold.h"

struct tl_xray_inherited {
	bool inside;             /* among inherited records: the gate of the fold is closed */
	struct tl_losses losses; /* those of the fold before the inherited records */
	uint64_t records;
	/*
	 * calls that were open at the end of the inherited records: the forking process made them
	 */
	uint32_t *nodes;
	size_t count, capacity;
};

void tl_xray_inherited_begin(struct tl_xray_inherited *inherited, const struct tl_fold *fold);

/*
 * Go from inherited records to the first own record, at a time. The stack stays open. False without
 * memory.
 */
bool tl_xray_inherited_end(struct tl_xray_inherited *inherited, struct tl_fold *fold, uint64_t tsc);

/* After tl_fold_end(): calls of the forking process are not unfinished calls of this one. */
void tl_xray_inherited_settle(const struct tl_xray_inherited *inherited, struct tl_fold *fold);

#endif
