/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_PROFILE_INHERITED_H
#define TL_XRAY_PROFILE_INHERITED_H
/* What the fold of a thread knows of records that its process inherited by fork. */
#include "profile/fold/fold.h"

struct tl_xray_inherited {
	bool inside;             /* among such records: the fold's gate is closed */
	struct tl_losses losses; /* those of the fold before them */
	uint64_t records;
	/* of the calls that were open where they end: calls of the process that forked */
	uint32_t *nodes;
	size_t count, capacity;
};

void tl_xray_inherited_begin(struct tl_xray_inherited *inherited, const struct tl_fold *fold);

/*
 * The first record of its own, at a time: what was folded before leaves its stack. False without
 * memory.
 */
bool tl_xray_inherited_end(struct tl_xray_inherited *inherited, struct tl_fold *fold, uint64_t tsc);

/* After tl_fold_end(): calls that another process began are no unfinished calls of this one. */
void tl_xray_inherited_settle(const struct tl_xray_inherited *inherited, struct tl_fold *fold);

#endif
